//! Micro-benchmark of the hoisted linker: `bench_link CACHE TREE TARGET [ROUNDS]`.
//!
//! TREE is a project that another install filled (every package of its node_modules is in CACHE). The same layout is made in TARGET by
//! the linker and, for comparison, by a bare loop that knows every name already and calls only mkdirat and linkat, on as many threads.
//! The rounds alternate. Exit code 1 where the linker takes more than 1.3 times the loop (medians).

use std::ffi::CString;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use install::bench::{
    Integrity, Kind, LinkOptions, Linker, NO_ID, Placement, Plan, PlanPackage, Silent, Store, Str, Tree, link,
    up_to_date,
};
use rustix::fs::{AtFlags, Mode, OFlags};

fn add(text: &mut String, value: &str) -> Str {
    let at = Str { off: text.len() as u32, len: value.len() as u32 };
    text.push_str(value);
    at
}

fn empty_package() -> PlanPackage {
    PlanPackage {
        name: Str::EMPTY,
        version: Str::EMPTY,
        kind: Kind::Root,
        cache_dir: Str::EMPTY,
        path: Str::EMPTY,
        url: Str::EMPTY,
        integrity: Integrity::None,
        bins: 0..0,
        bin_dir: Str::EMPTY,
        edges: 0..0,
        flags: 0,
        patch: Str::EMPTY,
        patch_hash: 0,
        peers: 0,
    }
}

fn field(json: &str, key: &str) -> String {
    let value = install::bench::Value::parse(json.as_bytes()).map(|value| value.text(key).to_owned());
    value.unwrap_or_default()
}

/// Reads a hoisted node_modules directory as a plan.
fn scan(cache: &Path, project: &Path, target: &Path) -> Plan {
    let mut plan = Plan {
        root: target.to_owned(),
        text: String::new(),
        packages: vec![empty_package()],
        bins: Vec::new(),
        trees: Vec::new(),
        placements: Vec::new(),
        edges: Vec::new(),
        linker: Linker::Hoisted,
        fingerprint: 1,
    };
    let mut queue = vec![(String::from("node_modules"), NO_ID, NO_ID)];
    let mut at = 0;
    while at < queue.len() {
        let (path, parent, owner) = queue[at].clone();
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(project.join(&path)).expect("node_modules").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if name.starts_with('@') {
                for inner in std::fs::read_dir(entry.path()).expect("scope").flatten() {
                    folders.push(format!("{name}/{}", inner.file_name().to_string_lossy()));
                }
            } else {
                folders.push(name);
            }
        }
        folders.sort();
        let tree = plan.trees.len() as u32;
        let first = plan.placements.len() as u32;
        if owner != NO_ID {
            plan.placements[owner as usize].children = tree;
        }
        for folder in &folders {
            let dir = project.join(&path).join(folder);
            let Ok(json) = std::fs::read_to_string(dir.join("package.json")) else {
                continue;
            };
            let (name, version) = (field(&json, "name"), field(&json, "version"));
            // Bundled packages are in the tarball of the one that bundles them.
            if !cache.join(format!("{name}@{version}@@@1")).is_dir() {
                continue;
            }
            let package = PlanPackage {
                name: add(&mut plan.text, &name),
                version: add(&mut plan.text, &version),
                kind: Kind::Npm,
                cache_dir: add(&mut plan.text, &format!("{name}@{version}@@@1")),
                ..empty_package()
            };
            plan.packages.push(package);
            let folder_at = add(&mut plan.text, folder);
            let placement = plan.placements.len() as u32;
            plan.placements.push(Placement {
                folder: folder_at,
                package: plan.packages.len() as u32 - 1,
                tree,
                children: NO_ID,
            });
            if dir.join("node_modules").is_dir() {
                queue.push((format!("{path}/{folder}/node_modules"), tree, placement));
            }
        }
        let len = plan.placements.len() as u32 - first;
        let path = add(&mut plan.text, &path);
        plan.trees.push(Tree { parent, owner, path, first, len, depth: 0, workspace: NO_ID });
        at += 1;
    }
    plan
}

/// Everything the bare loop needs: for each package its two paths, directories and files.
struct Known {
    from: CString,
    to: CString,
    dirs: Vec<CString>,
    files: Vec<CString>,
}

fn list(dir: &Path, prefix: &str, known: &mut Known) {
    for entry in std::fs::read_dir(dir).expect("package").flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            known.dirs.push(CString::new(name.as_str()).expect("name"));
            list(&entry.path(), &format!("{name}/"), known);
        } else {
            known.files.push(CString::new(name).expect("name"));
        }
    }
}

fn open(path: &Path) -> rustix::fd::OwnedFd {
    rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).expect("open")
}

fn bare(cache: &Path, target: &Path, plan: &Plan, packages: &[Known], threads: usize) -> f64 {
    let (cache, target) = (open(cache), open(target));
    let start = Instant::now();
    let mode = Mode::from_raw_mode(0o755);
    for tree in &plan.trees {
        let path = plan.str(tree.path);
        install::bench::make_dirs(target.as_fd(), path).expect("tree");
        let mut scope = "";
        for placement in plan.placements_of(tree) {
            if let Some((its, _)) = plan.str(placement.folder).split_once('/')
                && its != scope
            {
                scope = its;
                rustix::fs::mkdirat(&target, format!("{path}/{scope}"), mode).expect("scope");
            }
        }
    }
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(known) = packages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let _ = rustix::fs::mkdirat(&target, &known.to, mode);
            let from =
                rustix::fs::openat(&cache, &known.from, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).expect("from");
            let to =
                rustix::fs::openat(&target, &known.to, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).expect("to");
            for dir in &known.dirs {
                rustix::fs::mkdirat(&to, dir, mode).expect("dir");
            }
            for file in &known.files {
                rustix::fs::linkat(&from, file, &to, file, AtFlags::empty()).expect("link");
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    start.elapsed().as_secs_f64() * 1e3
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [cache, project, target, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: bench_link CACHE TREE TARGET [ROUNDS]");
        std::process::exit(2);
    };
    let rounds: usize = rest.first().and_then(|text| text.to_str()?.parse().ok()).unwrap_or(7);
    let plan = scan(cache, project, target);
    let mut packages = Vec::new();
    for placement in &plan.placements {
        let tree = &plan.trees[placement.tree as usize];
        let from = plan.str(plan.packages[placement.package as usize].cache_dir);
        let mut known = Known {
            from: CString::new(from).expect("name"),
            to: CString::new(format!("{}/{}", plan.str(tree.path), plan.str(placement.folder))).expect("name"),
            dirs: Vec::new(),
            files: Vec::new(),
        };
        list(&cache.join(from), "", &mut known);
        packages.push(known);
    }
    let files: usize = packages.iter().map(|known| known.files.len()).sum();
    let dirs: usize = packages.iter().map(|known| known.dirs.len() + 1).sum();
    let mut options = LinkOptions::default();
    if let Some(threads) = std::env::var("BENCH_THREADS").ok().and_then(|text| text.parse().ok()) {
        options.threads = threads;
    }
    let (mut ours, mut floor, mut noop) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let clean = || {
            let _ = std::fs::remove_dir_all(target);
            std::fs::create_dir_all(target).expect("target");
        };
        clean();
        let start = Instant::now();
        let store = Store::open(cache, options.threads, Box::new(|_| {})).expect("store");
        let linked = link(&plan, &store, &options, &Silent).expect("link");
        let time = start.elapsed().as_secs_f64() * 1e3;
        assert_eq!(linked.installed as usize, plan.placements.len());
        let start = Instant::now();
        assert!(up_to_date(&plan, &options));
        let check = start.elapsed().as_secs_f64() * 1e3;
        clean();
        let loop_time = bare(cache, target, &plan, &packages, options.threads);
        // The first round fills the index.
        if round > 0 {
            ours.push(time);
            noop.push(check);
            floor.push(loop_time);
        }
    }
    let (ours, floor, noop) = (median(&mut ours), median(&mut floor), median(&mut noop));
    println!("{} packages, {files} files, {dirs} directories, {} threads", packages.len(), options.threads);
    println!("linker {ours:.1} ms, bare loop {floor:.1} ms, {:.2}x; no-op check {noop:.2} ms", ours / floor);
    std::process::exit(i32::from(ours > floor * 1.3));
}
