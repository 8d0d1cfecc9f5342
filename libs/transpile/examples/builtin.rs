//! Rewrites built-in modules: prints one file, or with several only the errors.

use transpile::builtin_module;

fn main() {
    let files = std::env::args().skip(1).collect::<Vec<_>>();
    let mut failed = 0;
    for file in &files {
        match builtin_module(&std::fs::read_to_string(file).expect("readable file"), file) {
            Ok(code) if files.len() == 1 => print!("{code}"),
            Ok(_) => {}
            Err(errors) => {
                failed += 1;
                errors.iter().for_each(|error| eprintln!("{error}"));
            }
        }
    }
    eprintln!("{} files, {failed} with errors", files.len());
}
