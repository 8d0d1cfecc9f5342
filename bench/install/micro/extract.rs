//! Micro-benchmark of unpacking: `bench_extract TARGET ROUNDS TARBALL…`.
//!
//! Compared are libdeflate alone (into a buffer that is there already), the reader (gzip layer and tar walk, entries counted and dropped)
//! and the whole of it with files written below TARGET, beside a loop that only makes those files from memory. Times are the thread's CPU
//! time, so that a busy machine disturbs less; the best of all rounds counts. Exit code 1 where the reader takes more than 1.3 times
//! libdeflate, or unpacking more than 1.3 times libdeflate and the loop together.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use install::bench::{Inflater, Limits, Parser, Result, Sink, digest, extract};

#[derive(Default)]
struct Count {
    files: u64,
    bytes: u64,
}

impl Sink for Count {
    type Error = install::bench::Error;

    fn file(&mut self, _path: &[u8], _mode: u32, size: u64) -> Result<()> {
        self.files += 1;
        self.bytes += size;
        Ok(())
    }
    fn data(&mut self, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// CPU time of this thread in milliseconds.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn time(mut work: impl FnMut()) -> f64 {
    let start = cpu();
    work();
    cpu() - start
}

fn best(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn files(dir: &Path, out: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(dir).expect("list").flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), out);
        } else {
            out.push((entry.path(), std::fs::read(entry.path()).expect("file")));
        }
    }
}

fn main() {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [target, rounds, tarballs @ ..] = arguments.as_slice() else {
        eprintln!("usage: bench_extract TARGET ROUNDS TARBALL…");
        std::process::exit(2);
    };
    let rounds: usize = rounds.to_str().and_then(|text| text.parse().ok()).unwrap_or(5);
    let mut inflater = Inflater::new();
    let (mut all_floor, mut all_reader, mut all_unpack, mut all_bare) = (0.0, 0.0, 0.0, 0.0);
    println!(
        "{:<28} {:>6} {:>7} {:>10} {:>8} {:>6} {:>8} {:>9} {:>10}",
        "tarball", "files", "MiB", "libdeflate", "reader", "ratio", "sha512", "unpack", "bare files"
    );
    for path in tarballs {
        let bytes = std::fs::read(path).expect("tarball");
        let limits = Limits::for_tarball(bytes.len());
        let size = bytes.last_chunk::<4>().map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let mut buffer = vec![0; size];
        let mut decompressor = libdeflater::Decompressor::new();
        let mut count = Count::default();
        let (mut floor, mut reader, mut sha, mut unpack, mut bare) = (vec![], vec![], vec![], vec![], vec![]);
        for _ in 0..rounds {
            floor.push(time(|| assert_eq!(decompressor.gzip_decompress(&bytes, &mut buffer).ok(), Some(size))));
            reader.push(time(|| {
                count = Count::default();
                let mut parser = Parser::new(limits);
                inflater.inflate(&bytes, limits.bytes, &mut |piece| parser.feed(piece, &mut count)).expect("inflate");
                parser.finish().expect("tar");
            }));
            sha.push(time(|| {
                std::hint::black_box(digest::sha512(&bytes));
            }));
            let _ = std::fs::remove_dir_all(target);
            std::fs::create_dir_all(target).expect("target");
            let root = std::fs::File::open(target).expect("target");
            unpack.push(time(|| {
                drop(extract::extract(&mut inflater, &bytes, root.as_fd(), limits, false).expect("extract"));
            }));
            let mut list = Vec::new();
            files(target, &mut list);
            for (path, _) in &list {
                std::fs::remove_file(path).expect("remove");
            }
            bare.push(time(|| list.iter().for_each(|(path, content)| std::fs::write(path, content).expect("write"))));
        }
        let [floor, reader, sha, unpack, bare] = [floor, reader, sha, unpack, bare].map(|values| best(&values));
        all_floor += floor;
        all_reader += reader;
        all_unpack += unpack;
        all_bare += bare;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!(
            "{name:<28} {:>6} {:>7.1} {floor:>10.2} {reader:>8.2} {:>6.2} {sha:>8.2} {unpack:>9.2} {bare:>10.2}",
            count.files,
            size as f64 / 1048576.0,
            reader / floor
        );
    }
    let (inflate, whole) = (all_reader / all_floor, all_unpack / (all_floor + all_bare));
    println!("all: libdeflate {all_floor:.2} ms, reader {all_reader:.2} ms, {inflate:.2}x");
    println!("all: libdeflate and bare files {:.2} ms, unpack {all_unpack:.2} ms, {whole:.2}x", all_floor + all_bare);
    std::process::exit(i32::from(inflate > 1.3 || whole > 1.3));
}
