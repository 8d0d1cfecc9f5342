//! Compiles libuv from the sources in the package of libuv-sys2. That package's own build script wants libclang for
//! bindings that bao does not need, so it is only a place to get the sources from: nothing of it is built.

use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "libuv-sys2";
const VERSION: &str = "1.53.1";

/// Files of `libuv/src`, as libuv's CMakeLists.txt lists them for Linux.
const SOURCES: &[&str] = &[
    "fs-poll",
    "idna",
    "inet",
    "random",
    "strscpy",
    "strtok",
    "thread-common",
    "threadpool",
    "timer",
    "uv-common",
    "uv-data-getter-setters",
    "version",
    "unix/async",
    "unix/core",
    "unix/dl",
    "unix/fs",
    "unix/getaddrinfo",
    "unix/getnameinfo",
    "unix/linux",
    "unix/loop",
    "unix/loop-watcher",
    "unix/pipe",
    "unix/poll",
    "unix/process",
    "unix/procfs-exepath",
    "unix/proctitle",
    "unix/random-devurandom",
    "unix/random-getrandom",
    "unix/random-sysctl-linux",
    "unix/signal",
    "unix/stream",
    "unix/tcp",
    "unix/thread",
    "unix/tty",
    "unix/udp",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let Some(sources) = sources() else {
        panic!(
            "the sources of {PACKAGE} {VERSION} are neither in a registry folder of CARGO_HOME nor where `cargo metadata` says: \
             `cargo fetch` brings them"
        );
    };
    let mut build = cc::Build::new();
    build
        .include(sources.join("include"))
        .include(sources.join("src"))
        .define("_FILE_OFFSET_BITS", "64")
        .define("_LARGEFILE_SOURCE", None)
        .define("_GNU_SOURCE", None)
        .define("_POSIX_C_SOURCE", "200112")
        // Only what the header declares is seen from outside.
        .define("BUILDING_UV_SHARED", "1")
        .flag("-fvisibility=hidden")
        .flag("-fno-strict-aliasing")
        .std("gnu11")
        .opt_level(2)
        .debug(false)
        .warnings(false)
        .cargo_metadata(false);
    for name in SOURCES {
        build.file(sources.join("src").join(format!("{name}.c")));
    }
    build.compile("bao_uv");
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    println!("cargo:rustc-link-search=native={folder}");
    // All of it: addons call what bao does not.
    println!("cargo:rustc-link-lib=static:+whole-archive=bao_uv");
}

/// libuv's folder in the package: of the registry, or where cargo says that the package is.
fn sources() -> Option<PathBuf> {
    let package = format!("{PACKAGE}-{VERSION}");
    let whole = |folder: &Path| folder.join("libuv/src/uv-common.c").exists();
    let user = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(user);
    if let Some(registries) = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok()) {
        let found = registries.flatten().map(|registry| registry.path().join(&package)).find(|folder| whole(folder));
        if let Some(found) = found {
            return Some(found.join("libuv"));
        }
    }
    // Downloads it as well: cargo has no need of the package itself, see Cargo.toml.
    let output = Command::new(std::env::var_os("CARGO")?).args(["metadata", "--format-version", "1"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut folders = paths
        .filter_map(|path| Path::new(path).parent())
        .filter(|folder| folder.file_name().is_some_and(|name| name == PACKAGE || name == package.as_str()));
    folders.find(|folder| whole(folder)).map(|folder| folder.join("libuv"))
}
