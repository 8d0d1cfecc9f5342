//! Times the entry points: `cargo run --release --example bench [-- FILE...]`.
//!
//! The first line of each case is the very first call in the process for that case (cold caches and branch
//! predictors), the second the median of many.

use std::time::{Duration, Instant};

use transpile::{Options, SourceMap, builtin_module, cjs_exports, transpile};
use tsconfig::TsConfig;

const SMALL_TS: &str = include_str!("../tests/programs/classes.ts");
const SMALL_TSX: &str = include_str!("../tests/programs/jsx.tsx");
const DECORATORS: &str = include_str!("../tests/programs/decorators.ts");

fn main() {
    let types_only = "import type { A } from './a';\nimport { b, type C } from './b';\n".to_owned()
        + &"export function f(x: number, y?: string): Promise<void> {\n  const z = x as unknown as C;\n  return b<A>(z, y!);\n}\n".repeat(20);
    measure("types only, 2 KB", types_only.len(), || drop(transpile(&types_only, "a.ts", &Options::default())));
    measure("classes.ts", SMALL_TS.len(), || drop(transpile(SMALL_TS, "a.ts", &Options::default())));
    measure("jsx.tsx", SMALL_TSX.len(), || drop(transpile(SMALL_TSX, "a.tsx", &Options::default())));
    measure("decorators.ts", DECORATORS.len(), || drop(transpile(DECORATORS, "a.ts", &Options::default())));
    let script =
        "const a = require('a');\nexports.b = function (c) { return c ? a(c) : [1, 2, { d: 'e' }]; };\n".repeat(20);
    measure("CommonJS, 2 KB", script.len(), || drop(transpile(&script, "a.js", &Options::default())));
    measure("cjs_exports, 2 KB", script.len(), || drop(cjs_exports(&script, "a.js")));
    measure("builtin_module, 2 KB", types_only.len(), || drop(builtin_module(&types_only, "a.ts")));
    let printed = transpile(SMALL_TSX, "a.tsx", &Options::default()).expect("valid").map.expect("a map");
    let bytes = printed.to_bytes();
    measure("read a map and look up", bytes.len(), || {
        let map = SourceMap::from_bytes(&bytes).expect("valid");
        assert!(map.lookup(10, 4).is_some());
    });
    measure("tsconfig", 0, || drop(TsConfig::load(std::path::Path::new("/tmp"))));
    for file in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&file).expect("readable file");
        measure(&file, source.len(), || drop(transpile(&source, &file, &Options::default())));
        let reprint = Options { reprint: true, ..Options::default() };
        measure(&format!("{file}, printed"), source.len(), || drop(transpile(&source, &file, &reprint)));
    }
}

fn measure(name: &str, bytes: usize, mut work: impl FnMut()) {
    let start = Instant::now();
    work();
    let first = start.elapsed();
    let begin = Instant::now();
    let mut times = Vec::new();
    while begin.elapsed() < Duration::from_millis(300) || times.len() < 5 {
        let start = Instant::now();
        work();
        times.push(start.elapsed());
    }
    times.sort();
    let median = times[times.len() / 2];
    let speed = bytes as f64 / 1e6 / median.as_secs_f64();
    println!("{name:36} first {first:>10.1?}  median {median:>10.1?}  {speed:>6.0} MB/s");
}
