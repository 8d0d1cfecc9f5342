//! Collects the modules that stand for Node's built-in modules in browsers: bao's own of `ext/`, with those of
//! `ext/bundle/native/browser` in the place of what needs the system or the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use transpile::{Options, builtin_module, free_names, transpile};

#[path = "../runtime/src/builtin_files.rs"]
mod builtin_files;

/// What a program may import.
const ROOTS: &[&str] = &[
    "assert",
    "assert/strict",
    "buffer",
    "console",
    "crypto",
    "domain",
    "events",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "process",
    "punycode",
    "querystring",
    "stream",
    "stream/promises",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tty",
    "url",
    "util",
    "util/types",
];

/// The module that prints values in messages where a program has not asked for node:util.
const BRIEF: &str = "internal/util/brief";
/// What checks of values ask node:crypto for.
const NO_KEYS: &str = "internal/crypto/no_keys";
/// What is global in bao is of a module in a browser: names, and what declares them.
const GLOBALS: &[(&str, &str)] = &[
    ("process", "const process = require(\"node:process\"); "),
    ("Buffer", "const { Buffer } = require(\"node:buffer\"); "),
];

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../runtime/src/builtin_files.rs");
    let ext = manifest.join("../ext");
    let mut files: BTreeMap<String, PathBuf> =
        builtin_files::collect(&ext, &mut |_| ()).expect("ext/ is readable").into_iter().collect();
    let stand_ins = ext.join("bundle/native/browser");
    println!("cargo:rerun-if-changed={}", stand_ins.display());
    add_stand_ins(&stand_ins, &stand_ins, &mut files);

    let mut table = String::from("pub(crate) static MODULES: &[Module] = &[\n");
    let mut seen = BTreeSet::new();
    let mut open: Vec<(String, String)> =
        ROOTS.iter().map(|name| (format!("node:{name}"), "a program".to_string())).collect();
    while let Some((id, importer)) = open.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let path =
            files.get(&id).unwrap_or_else(|| panic!("{importer} needs {id}, which has no stand-in for browsers"));
        println!("cargo:rerun-if-changed={}", path.display());
        let code = code_of(path);
        let mut imports = String::new();
        for (specifier, target) in imports_of(&id, &code) {
            write!(imports, "({specifier:?}, {target:?}), ").expect("a string takes it");
            open.push((target, id.clone()));
        }
        writeln!(table, "    Module {{ id: {id:?}, code: {code:?}, imports: &[{imports}] }},")
            .expect("a string takes it");
    }
    table.push_str("];\n");
    fs::write(out.join("polyfills.rs"), table).expect("OUT_DIR is writable");
}

/// The modules below a folder take the place of those with the same id; `natives/X` is what `native("X")` gives.
fn add_stand_ins(root: &Path, folder: &Path, files: &mut BTreeMap<String, PathBuf>) {
    for entry in fs::read_dir(folder).expect("ext/ is readable") {
        let path = entry.expect("ext/ is readable").path();
        if path.is_dir() {
            add_stand_ins(root, &path, files);
            continue;
        }
        let place = path.strip_prefix(root).expect("it is below").with_extension("");
        let place = place.to_string_lossy();
        let id = match place.split_once('/') {
            Some(("natives", name)) => format!("native:{name}"),
            Some(("node", name)) => format!("node:{name}"),
            Some(("web", _)) => place.to_string(),
            _ => format!("internal/{place}"),
        };
        files.insert(id, path);
    }
}

/// A module as CommonJS without types and comments.
fn code_of(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("ext/ is readable UTF-8");
    let name = path.display().to_string();
    let body = builtin_module(&source, &name).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let body = body.replace("native(\"", "require(\"native:");
    let mut code = without_comments(&body, &name);
    let names: Vec<String> = GLOBALS.iter().map(|(global, _)| (*global).to_string()).collect();
    let free = free_names(&code, "module.mjs", &names);
    let is_free = |global: &str| free.iter().any(|name| name == global);
    let globals: String =
        GLOBALS.iter().filter(|(global, _)| is_free(global)).map(|(_, declaration)| *declaration).collect();
    if !globals.is_empty() {
        let text = body.replacen("\"use strict\"; ", &format!("\"use strict\"; {globals}"), 1);
        code = without_comments(&text, &name);
    }
    let names: String = class_names(&code)
        .map(|name| format!("Object.defineProperty({name}, \"name\", {{ value: \"{name}\" }});\n"))
        .collect();
    code + &names
}

fn without_comments(text: &str, name: &str) -> String {
    let options = Options { reprint: true, source_map: false, ..Options::default() };
    let output = transpile(text, "module.cjs", &options).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    output.code.unwrap_or_else(|| text.to_string())
}

/// The classes at the top of a module, and the functions that are used as such: programs see their names, also minified.
fn class_names(code: &str) -> impl Iterator<Item = &str> {
    let declared = |line: &'_ str| line.starts_with("class ") || line.starts_with("function ");
    code.lines().filter(move |line| declared(line)).filter_map(|line| {
        let name = line.split_once(' ')?.1;
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        name.starts_with(char::is_uppercase).then_some(&name[..end])
    })
}

/// What a module requires: the specifiers, and the ids that these stand for. No bundle has what a variable names.
fn imports_of(importer: &str, code: &str) -> BTreeMap<String, String> {
    let is_of_util = ["node:util", "internal/util/", "node:assert"].iter().any(|start| importer.starts_with(start));
    code.match_indices("require(")
        .filter(|(at, _)| {
            let before = code[..*at].chars().next_back().unwrap_or(' ');
            !before.is_alphanumeric() && !"_$.".contains(before)
        })
        .map(|(at, call)| {
            let argument = &code[at + call.len()..];
            let literal = argument.strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let Some((specifier, _)) = literal.filter(|(_, rest)| rest.starts_with(')')) else {
                let line = argument.lines().next().unwrap_or_default();
                panic!("{importer} requires what is no literal: require({line}");
            };
            let target = match specifier {
                "internal/util/inspect" | "node:util" if !is_of_util => BRIEF,
                "node:crypto" => NO_KEYS,
                _ => specifier,
            };
            (specifier.to_string(), target.to_string())
        })
        .collect()
}
