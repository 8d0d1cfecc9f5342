//! The package manager alone, for its own tests and benchmarks. In the product it is part of `bao`.

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = install::commands::run(&arguments);
    std::process::exit(i32::from(code));
}
