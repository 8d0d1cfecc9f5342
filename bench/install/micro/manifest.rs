//! Micro-benchmark of the manifest cache: `bench_manifest CACHE BUN.LOCK [ROUNDS] [REGISTRY]`.
//!
//! Every manifest of the cache that the lockfile's packages have is loaded (mapped, checked, ready to be asked for versions), beside
//! two bare loops over the same files: one reads each with a single `read`, the other maps it and copies it with memcpy. The rounds
//! alternate; times are the thread's CPU time, so that a busy machine disturbs less. Exit code 1 where loading takes more than 1.3 times
//! the copy (medians).

use std::os::fd::AsFd;
use std::path::PathBuf;

use install::bench::{Cache, Manifest, file_name, read_lockfile};
use rustix::fs::{Mode, OFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// CPU time of this thread in milliseconds.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cache, lock, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: bench_manifest CACHE BUN.LOCK [ROUNDS] [REGISTRY]");
        std::process::exit(2);
    };
    let rounds: usize = rest.first().and_then(|text| text.parse().ok()).unwrap_or(15);
    let registry = rest.get(1).map_or("https://registry.npmjs.org/", String::as_str);
    let text = std::fs::read_to_string(PathBuf::from(lock)).expect("lockfile");
    let graph = read_lockfile(&text).expect("lockfile").graph;
    let mut names: Vec<String> = (0..graph.len() as u32).map(|id| graph.name(id).to_owned()).collect();
    names.sort();
    names.dedup();
    let dir = || {
        rustix::fs::open(cache.as_str(), OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .expect("cache")
    };
    let (store, bare) = (Cache::new(dir()), dir());
    names.retain(|name| store.load(registry, name).is_some());
    let files: Vec<String> = names.iter().map(|name| file_name(registry, name)).collect();
    let open = |file: &str| {
        rustix::fs::openat(bare.as_fd(), file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).expect("manifest")
    };
    let size = |file: &rustix::fd::OwnedFd| rustix::fs::fstat(file).expect("fstat").st_size as usize;
    let mut buffer = vec![0u8; files.iter().map(|file| size(&open(file))).max().unwrap_or(1)];
    let (mut ours, mut copies, mut reads, mut bytes, mut versions) = (vec![], vec![], vec![], 0, 0);
    for _ in 0..rounds {
        let start = cpu();
        // Kept, as the resolver does.
        let all: Vec<_> = names.iter().filter_map(|name| store.load(registry, name)).collect();
        ours.push(cpu() - start);
        versions = all.iter().map(Manifest::header_versions).sum::<u32>();
        drop(all);
        let start = cpu();
        bytes = 0;
        for file in &files {
            let file = open(file);
            let length = size(&file);
            bytes += length;
            // SAFETY: a new read-only mapping of a file that nobody truncates while the benchmark runs; `buffer` has room for the largest.
            unsafe {
                let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
                let at = rustix::mm::mmap(std::ptr::null_mut(), length, ProtFlags::READ, flags, &file, 0).expect("map");
                std::ptr::copy_nonoverlapping(at.cast::<u8>(), buffer.as_mut_ptr(), length);
                std::hint::black_box(&buffer);
                rustix::mm::munmap(at, length).expect("unmap");
            }
        }
        copies.push(cpu() - start);
        let start = cpu();
        for file in &files {
            let file = open(file);
            let length = size(&file);
            assert_eq!(rustix::io::read(&file, &mut buffer[..length]), Ok(length));
            std::hint::black_box(&buffer);
        }
        reads.push(cpu() - start);
    }
    let [ours, copies, reads] = [&mut ours, &mut copies, &mut reads].map(|values| median(values));
    println!("{} manifests, {versions} versions, {:.1} MiB", names.len(), bytes as f64 / 1048576.0);
    println!(
        "load {ours:.2} ms, map and memcpy {copies:.2} ms, read {reads:.2} ms; {:.2}x of memcpy, {:.2}x of read",
        ours / copies,
        ours / reads
    );
    std::process::exit(i32::from(ours > copies * 1.3));
}
