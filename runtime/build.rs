//! Compiles the TypeScript of ext/ ahead of time: every built-in module becomes serialised bytecode in one blob, beside the engine's own
//! library in the same form, so that nothing of either is parsed when bao starts. Modules that few programs use are compressed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{env, fs};

use engine::{CompileOptions, Context, ContextOptions};

#[path = "src/build_host.rs"]
mod build_host;
#[path = "src/builtin_files.rs"]
mod builtin_files;

/// The function that a built-in module's text becomes the body of. It stands on a line of its own, numbered 0.
const PREFIX: &str = "(function (exports, require, module, native, Promise) { \"use strict\";\n";

/// Folders whose modules are compressed, a fifth of all: who loads them talks to another machine or to a person, or builds. Unpacking
/// one takes 0.05 ms.
const RARE: [&str; 9] = [
    "internal/bundle/",
    "internal/cron/",
    "internal/inspector/",
    "internal/redis/",
    "internal/repl/",
    "internal/s3/",
    "internal/sql/",
    "internal/wasi/",
    "internal/webview/",
];

/// The module that is the dictionary of those. It is not compressed, and comes before them by its name.
const DICTIONARY: &str = "bun/main";

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let ext = manifest.join("../ext");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/build_host.rs");
    println!("cargo:rerun-if-changed=src/builtin_files.rs");

    let mut visit = |path: &Path| println!("cargo:rerun-if-changed={}", path.display());
    let files = builtin_files::collect(&ext, &mut visit).expect("ext/ is readable");

    // The build id guards serialised code against another engine or another bao, and against what another state of our
    // own sources would have made of a text.
    let build_id = format!("bao-{}-{}-{:016x}", env!("CARGO_PKG_VERSION"), engine_version(), sources_hash());
    assert!(engine::initialize(&build_id, &[]), "the JavaScript engine could not be started");
    let self_hosted = engine::self_hosted_cache();
    fs::write(out.join("self_hosted.bin"), &self_hosted).expect("OUT_DIR is writable");

    let mut blob: Vec<u8> = Vec::new();
    let mut table = String::from("pub(crate) static TABLE: &[(&str, usize, usize, usize)] = &[\n");
    let mut packing = zstd_safe::CCtx::create();
    let mut dictionary = None;
    let mut context =
        Context::new(&ContextOptions { stack_quota: 4 << 20, ..Default::default() }, Rc::new(build_host::BuildHost));
    context.with(|scope| {
        for (id, path) in &files {
            let source = fs::read_to_string(path).expect("ext/ is readable UTF-8");
            let body = transpile::builtin_module(&source, &path.display().to_string())
                .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
            let text = format!("{PREFIX}{body}\n}})");
            let options = CompileOptions { line: 0, eager: true, ..CompileOptions::new(id) };
            let compiled = scope.compile_script(&text, &options);
            let stencil = compiled.unwrap_or_else(|exc| {
                let error = scope.take_exception(exc);
                let text = error.map(|e| scope.display(e)).unwrap_or_default();
                panic!("{}: {text}", path.display())
            });
            let bytes = scope.encode_stencil(&stencil).ok().flatten().expect("built-in modules can be serialised");
            let mut stored = Vec::new();
            if RARE.iter().any(|folder| id.starts_with(folder)) {
                let dictionary = dictionary.as_ref().expect("the dictionary comes before what it is for");
                stored.reserve(zstd_safe::compress_bound(bytes.len()));
                packing.compress_using_cdict(&mut stored, &bytes, dictionary).expect("there is room for it");
            } else {
                blob.resize(blob.len().next_multiple_of(16), 0);
                if id == DICTIONARY {
                    dictionary = Some(zstd_safe::CDict::create(&bytes, 19));
                }
            }
            let stored = if stored.is_empty() { &bytes[..] } else { &stored };
            writeln!(table, "    ({id:?}, {}, {}, {}),", blob.len(), stored.len(), bytes.len())
                .expect("a string takes it");
            blob.extend_from_slice(stored);
        }
    });
    drop(context);
    engine::shutdown();
    table.push_str("];\n");
    let _ = writeln!(table, "pub(crate) const DICTIONARY: &str = {DICTIONARY:?};");
    let _ = writeln!(table, "pub(crate) const BUILD_ID: &str = {build_id:?};");
    fs::write(out.join("builtins.bin"), &blob).expect("OUT_DIR is writable");
    fs::write(out.join("builtins.rs"), table).expect("OUT_DIR is writable");
}

/// A hash of the sources that decide what a program's text is turned into.
fn sources_hash() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut files =
        vec![PathBuf::from("core/src/prepare.rs"), PathBuf::from("core/src/source.rs"), PathBuf::from("../Cargo.lock")];
    let mut dirs = vec![PathBuf::from("../libs/transpile/src")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).expect("the workspace is readable") {
            let path = entry.expect("the workspace is readable").path();
            if path.is_dir() { dirs.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        fs::read(&file).expect("the workspace is readable").hash(&mut hasher);
    }
    hasher.finish()
}

fn engine_version() -> &'static str {
    "spidermonkey-153.6"
}
