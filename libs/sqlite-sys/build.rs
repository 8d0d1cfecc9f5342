//! Compiles SQLite's amalgamation, which lies in the package of libsqlite3-sys: with clang and the profile beside this file (a fifth to
//! a quarter less time for a row), or with the system's compiler and without it. train.sh makes the profile. grammar.rs adds what the
//! amalgamation's parser was made without, row.c a function that reads a row.

mod grammar;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package with the sources.
const PACKAGE: &str = "libsqlite3-sys-0.40.0";

/// The compiler that the profile is for.
const CLANG: &str = "clang-19";

/// Static functions stand in the profile by the name of their file without its folder, which is another one on every machine.
const STATIC_NAMES: &[&str] = &["-mllvm", "-static-func-full-module-prefix=false"];

/// SQLite as Bun and Node compile it: foreign keys are off, and URIs are not filenames, unless a program asks for them; checks of
/// arguments are the Rust half's. MEMSTATUS=0 takes a global lock out of every allocation.
const OPTIONS: &[&str] = &[
    "HAVE_ISNAN",
    "HAVE_LOCALTIME_R",
    "HAVE_USLEEP=1",
    "SQLITE_CORE",
    "SQLITE_DEFAULT_MEMSTATUS=0",
    "SQLITE_ENABLE_COLUMN_METADATA",
    "SQLITE_ENABLE_DBSTAT_VTAB",
    "SQLITE_ENABLE_FTS3",
    "SQLITE_ENABLE_FTS3_PARENTHESIS",
    "SQLITE_ENABLE_FTS5",
    "SQLITE_ENABLE_GEOPOLY",
    "SQLITE_ENABLE_JSON1",
    "SQLITE_ENABLE_LOAD_EXTENSION=1",
    "SQLITE_ENABLE_MATH_FUNCTIONS",
    "SQLITE_ENABLE_PERCENTILE",
    "SQLITE_ENABLE_PREUPDATE_HOOK",
    "SQLITE_ENABLE_RBU",
    "SQLITE_ENABLE_RTREE",
    "SQLITE_ENABLE_SESSION",
    "SQLITE_ENABLE_STAT4",
    "SQLITE_ENABLE_UPDATE_DELETE_LIMIT",
    "SQLITE_MAX_VARIABLE_NUMBER=250000",
    "SQLITE_SOUNDEX",
    "SQLITE_THREADSAFE=1",
    "_POSIX_THREAD_SAFE_FUNCTIONS",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=grammar.rs");
    println!("cargo:rerun-if-changed=row.c");
    println!("cargo:rerun-if-changed=sqlite.profdata.gz");
    println!("cargo:rerun-if-env-changed=PATH");
    let Some(folder) = sources() else {
        panic!(
            "the sources of {PACKAGE} are neither in a registry folder of CARGO_HOME nor where `cargo metadata` says: `cargo fetch` \
             brings them"
        );
    };
    let mut build = cc::Build::new();
    build.file(amalgamation(&folder.join("sqlite3.c"))).flag("-w").debug(false).warnings(false);
    for option in OPTIONS {
        let (name, value) = option.split_once('=').map_or((*option, None), |(name, value)| (name, Some(value)));
        build.define(name, value);
    }
    match profile() {
        Ok(profile) => {
            build.compiler(CLANG).opt_level(2).flag(format!("-fprofile-use={}", profile.display()));
            for flag in STATIC_NAMES {
                build.flag(flag);
            }
        }
        Err(reason) => {
            println!("cargo:warning=SQLite is compiled without its profile, so it is slower: {reason}");
            build.opt_level(3);
        }
    }
    build.compile("bao_sqlite");
}

/// The amalgamation as it is compiled.
fn amalgamation(original: &Path) -> PathBuf {
    let source = fs::read_to_string(original).unwrap_or_else(|error| panic!("{}: {error}", original.display()));
    let source = grammar::with_limit_clauses(&source)
        .unwrap_or_else(|error| panic!("the parser in {}: {error}", original.display()));
    let changed = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("sqlite3.c");
    fs::write(&changed, source + include_str!("row.c"))
        .unwrap_or_else(|error| panic!("{}: {error}", changed.display()));
    changed
}

/// The profile as clang reads it.
fn profile() -> Result<PathBuf, String> {
    if env::var("TARGET") != env::var("HOST") {
        return Err("it is for another machine".into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    if !env::split_paths(&path).any(|folder| folder.join(CLANG).is_file()) {
        return Err(format!("{CLANG} is not installed (./x setup installs it)"));
    }
    let output = Command::new("gzip").args(["-dc", "sqlite.profdata.gz"]).output();
    let output = output.map_err(|error| format!("gzip: {error}"))?;
    if !output.status.success() {
        return Err(format!("gzip: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let profile = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("sqlite.profdata");
    fs::write(&profile, output.stdout).map_err(|error| format!("{}: {error}", profile.display()))?;
    Ok(profile)
}

/// The folder of the amalgamation: of the registry, or (vendored sources) where cargo says that it is.
fn sources() -> Option<PathBuf> {
    let whole = |package: &Path| Some(package.join("sqlite3")).filter(|folder| folder.join("sqlite3.c").exists());
    let user = || Some(PathBuf::from(env::var_os("HOME")?).join(".cargo"));
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(user);
    if let Some(registries) = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok()) {
        let found = registries.flatten().find_map(|registry| whole(&registry.path().join(PACKAGE)));
        if found.is_some() {
            return found;
        }
    }
    let output = Command::new(env::var_os("CARGO")?)
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", &env::var("TARGET").ok()?])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    paths
        .filter_map(|path| Path::new(path).parent())
        .filter(|folder| folder.file_name().is_some_and(|name| name == "libsqlite3-sys" || name == PACKAGE))
        .find_map(whole)
}
