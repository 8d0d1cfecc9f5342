//! Transpiles all JavaScript and TypeScript files below some folders and prints what fails, with totals.
//! `cargo run --example check -- DIR...`

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use transpile::{Loader, Options, transpile};

fn main() {
    let mut files = Vec::new();
    for root in std::env::args().skip(1) {
        collect(Path::new(&root), &mut files);
    }
    files.sort();
    let (mut count, mut bytes, mut failed, mut changed, mut mapped) = (0, 0, 0, 0, 0);
    let mut time = Duration::ZERO;
    for file in files {
        let Ok(source) = std::fs::read_to_string(&file) else {
            continue;
        };
        let path = file.to_string_lossy();
        let start = Instant::now();
        let result = transpile(&source, &path, &Options::default());
        time += start.elapsed();
        count += 1;
        bytes += source.len();
        match result {
            Ok(output) => {
                changed += usize::from(output.code.is_some());
                mapped += usize::from(output.map.is_some());
            }
            Err(errors) => {
                failed += 1;
                println!("{}", errors[0]);
            }
        }
    }
    let speed = bytes as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{count} files, {bytes} bytes in {time:?} ({speed:.0} MB/s); {changed} changed, {mapped} printed, {failed} failed"
    );
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().collect();
        entries.retain(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
        entries.iter().for_each(|entry| collect(&entry.path(), files));
    } else if Loader::from_path(&path.to_string_lossy()).is_some() && !path.to_string_lossy().contains(".d.") {
        files.push(path.to_owned());
    }
}
