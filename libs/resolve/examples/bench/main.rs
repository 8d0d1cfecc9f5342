//! Time to resolve everything that a program of 5,000 modules imports.
//!
//! `cargo run --release --example bench [DIR]`; the program is written below DIR (a fresh directory
//! in the temporary directory when left out, removed afterwards).

mod graph;

use resolve::{Kind, Options, Resolver, sorted_builtins};
use std::time::Instant;

fn options(root: &str) -> Options {
    let mut options = Options::runtime(sorted_builtins(&[("fs", "node:fs"), ("path", "node:path")]));
    options.cwd = Some(root.into());
    options
}

fn main() {
    let given = std::env::args().nth(1);
    let temp = std::env::temp_dir().join(format!("bao-resolve-bench-{}", std::process::id()));
    let root = given.clone().unwrap_or_else(|| temp.to_str().unwrap().to_owned());
    std::fs::create_dir_all(&root).unwrap();
    let root = std::fs::canonicalize(&root).unwrap().to_str().unwrap().to_owned();
    let graph = graph::build(&root);

    let best = |what: &str, count: usize, mut run: Box<dyn FnMut() -> f64 + '_>| {
        let seconds = (0..7).map(|_| run()).fold(f64::MAX, f64::min);
        let each = seconds * 1e9 / count as f64;
        println!("{what:<44} {:>9.3} ms {each:>9.0} ns each", seconds * 1e3);
    };
    let all = |resolver: &mut Resolver| {
        let start = Instant::now();
        for (importer, specifier) in &graph.requests {
            resolver.resolve(specifier, importer, Kind::Import).unwrap();
        }
        start.elapsed().as_secs_f64()
    };
    let count = graph.requests.len();
    println!("{} modules, {count} imports", graph::MODULES);
    best(
        "open, read and close every module",
        graph::MODULES,
        Box::new(|| {
            let start = Instant::now();
            for file in &graph.files {
                std::fs::read(file).unwrap();
            }
            start.elapsed().as_secs_f64()
        }),
    );
    best("resolve all, new resolver", count, Box::new(|| all(&mut Resolver::os(options(&root)))));
    let mut warm = Resolver::os(options(&root));
    all(&mut warm);
    best("resolve all again", count, Box::new(move || all(&mut warm)));
    best(
        "one relative import in a new resolver",
        1,
        Box::new(|| {
            let mut resolver = Resolver::os(options(&root));
            let (importer, specifier) = &graph.requests[0];
            let start = Instant::now();
            resolver.resolve(specifier, importer, Kind::Import).unwrap();
            start.elapsed().as_secs_f64()
        }),
    );
    best(
        "command line entry in a new resolver",
        1,
        Box::new(|| {
            let mut resolver = Resolver::os(options(&root));
            let start = Instant::now();
            resolver.resolve("src/m0.tsx", &root, Kind::Entry).unwrap();
            start.elapsed().as_secs_f64()
        }),
    );
    if given.is_none() {
        std::fs::remove_dir_all(&root).unwrap();
    }
}
