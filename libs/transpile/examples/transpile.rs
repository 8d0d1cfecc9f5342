//! Prints what a file becomes: `cargo run --example transpile -- [--tsconfig] [--production] [--map] [--info] FILE`.
//! With `--tsconfig` the nearest tsconfig.json applies.

use std::path::Path;

use transpile::{Options, transpile};
use tsconfig::TsConfig;

fn main() {
    let mut flags = Vec::new();
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        if argument.starts_with("--") { flags.push(argument) } else { files.push(argument) }
    }
    let has = |flag: &str| flags.iter().any(|f| f == flag);
    for file in files {
        let source = std::fs::read_to_string(&file).expect("readable file");
        let path = std::path::absolute(&file).expect("absolute path");
        let config = match has("--tsconfig") {
            true => TsConfig::load(path.parent().unwrap_or(Path::new("/"))).expect("valid tsconfig"),
            false => None,
        };
        let options = Options::default().with_tsconfig(config.as_ref(), has("--production"));
        match transpile(&source, &path.to_string_lossy(), &options) {
            Ok(output) if has("--info") => println!("{:#?}", output.info),
            Ok(output) if has("--map") => {
                println!("{}", output.map.map_or_else(|| "null".to_owned(), |map| map.to_json(None)));
            }
            Ok(output) => print!("{}", output.code.unwrap_or(source)),
            Err(errors) => {
                for error in &errors {
                    eprintln!("{error}");
                }
                std::process::exit(1);
            }
        }
    }
}
