//! Checks the eraser against oxc's transformer: both outputs of a TypeScript file, printed the same way, must be
//! equal. `cargo run --example compare_erase -- DIR...`

use std::path::{Path, PathBuf};

use transpile::{Options, transpile};

fn main() {
    let mut files = Vec::new();
    for root in std::env::args().skip(1) {
        collect(Path::new(&root), &mut files);
    }
    files.sort();
    let (mut same, mut printed, mut broken, mut different) = (0, 0, 0, 0);
    for file in files {
        let Ok(source) = std::fs::read_to_string(&file) else {
            continue;
        };
        let path = file.to_string_lossy();
        let Ok(output) = transpile(&source, &path, &Options::default()) else {
            broken += 1;
            continue;
        };
        if output.map.is_some() {
            printed += 1;
            continue;
        }
        let reprint = Options { reprint: true, source_map: false, ..Options::default() };
        let expected = transpile(&source, &path, &reprint).map(|o| o.code.unwrap_or_default());
        let code = output.code.as_deref().unwrap_or(&source);
        let script = path.replace(".ts", ".js").replace(".mts", ".mjs").replace(".cts", ".cjs");
        let actual = transpile(code, &script, &reprint).map(|o| o.code.unwrap_or_default());
        let clean = |text: &str| {
            text.lines()
                .map(str::trim)
                .filter(|l| !matches!(*l, "" | ";" | "export {};"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        match (expected, actual) {
            (Ok(expected), Ok(actual)) if clean(&expected) == clean(&actual) => same += 1,
            (expected, actual) => {
                different += 1;
                println!("DIFFERENT {path}");
                if let (Ok(expected), Ok(actual)) = (&expected, &actual) {
                    let pair = clean(expected);
                    let first = pair.lines().zip(clean(actual).lines().map(str::to_owned).collect::<Vec<_>>());
                    if let Some((a, b)) = first.into_iter().find(|(a, b)| a != b) {
                        println!("  oxc:    {a}\n  erased: {b}");
                    }
                } else if let Err(errors) = actual {
                    println!("  {}", errors[0]);
                }
            }
        }
        assert_eq!(source.lines().count(), code.lines().count(), "{path}");
    }
    println!("{same} same, {different} different, {printed} need printing, {broken} with syntax errors");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
        return;
    }
    let name = path.to_string_lossy();
    if [".ts", ".mts", ".cts"].iter().any(|e| name.ends_with(e)) && !name.contains(".d.") {
        files.push(path.to_owned());
    }
}
