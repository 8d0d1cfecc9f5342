//! Prints the exports of CommonJS files as JSON, one line per file: `cargo run --example cjs_exports -- FILE...`

use transpile::cjs_exports;

fn main() {
    for file in std::env::args().skip(1) {
        let source = String::from_utf8_lossy(&std::fs::read(&file).expect("readable file")).into_owned();
        let found = cjs_exports(&source, &file);
        println!("{{\"names\":{:?},\"reexports\":{:?}}}", found.names, found.reexports);
    }
}
