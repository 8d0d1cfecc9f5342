//! Part of the build script: compiles the overlay (README.md beside this file) and has it linked before the engine's archive,
//! with `cfg(engine_overlay)`. If that is not possible it says why, and the engine is linked as the registry has it.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The version of `mozjs_sys` that the patches and the profile are made for.
const ENGINE: &str = "153.6.0-2";

/// Compilers that call functions as the archive's objects do. The engine is compiled by clang 19; objects of g++ link, but pass
/// some classes in other registers.
const CC: &str = "clang-19";
const CXX: &str = "clang++-19";
const COMPILER_NOTE: &[u8] = b"clang version 19.";

/// What stands in the objects of units that a build of the engine from source has left to the overlay (../source/left_out.cpp), before
/// the unit's name.
const LEFT_OUT_NOTE: &[u8] = b"left to the overlay: ";

/// What else the engine's configure and the Makefile run.
const TOOLS: [&str; 6] = ["make", "python3", "m4", "pkg-config", "patch", "gzip"];

/// Packages whose headers the engine includes: the variables that their build scripts set.
const HEADERS: [&str; 7] = [
    "DEP_ENCODING_C_MEM_INCLUDE_DIR",
    "DEP_Z_INCLUDE",
    "DEP_NORMALIZER_GLUE_INCLUDE",
    "DEP_UNICODE_BIDI_FFI_INCLUDE",
    "DEP_PROPERTIES_GLUE_INCLUDE",
    "DEP_COLLATOR_GLUE_INCLUDE",
    "DEP_LOCALE_GLUE_INCLUDE",
];

/// What `BAO_ENGINE_OVERLAY` asks for.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Not set: with the profile, or not at all if something is missing.
    Use,
    /// `1`: the same, but what is missing ends the build.
    Require,
    /// `generate`: an executable that counts, for a new profile (train.sh).
    Generate,
    /// `plain`: without the profile.
    Plain,
}

impl Mode {
    /// The Makefile's name of the mode.
    fn name(self) -> &'static str {
        match self {
            Mode::Use | Mode::Require => "use",
            Mode::Generate => "generate",
            Mode::Plain => "none",
        }
    }
}

/// Builds and links the overlay if that is possible and wanted.
pub(crate) fn build() {
    println!("cargo:rustc-check-cfg=cfg(engine_overlay)");
    println!("cargo:rerun-if-changed=overlay");
    println!("cargo:rerun-if-changed=source/js.h");
    println!("cargo:rerun-if-env-changed=BAO_ENGINE_OVERLAY");
    let mode = match env::var("BAO_ENGINE_OVERLAY").as_deref() {
        Err(_) | Ok("") => Mode::Use,
        Ok("1") => Mode::Require,
        Ok("generate") => Mode::Generate,
        Ok("plain") => Mode::Plain,
        Ok("0") => {
            require_whole_archive("BAO_ENGINE_OVERLAY is 0");
            println!("cargo:warning=no engine overlay: BAO_ENGINE_OVERLAY is 0");
            return;
        }
        Ok(other) => panic!("BAO_ENGINE_OVERLAY is `{other}`, not 0, 1, plain or generate"),
    };
    match compile(mode) {
        Ok(folder) => {
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:rustc-link-lib=static=bao_overlay");
            println!("cargo:rustc-cfg=engine_overlay");
            if mode == Mode::Generate {
                link_profile_runtime();
            }
        }
        Err(reason) if mode == Mode::Use => {
            require_whole_archive(&reason);
            println!("cargo:warning=no engine overlay, so promises and some other things are slower: {reason}");
        }
        Err(reason) => panic!("no engine overlay: {reason}"),
    }
}

/// The folder with `libbao_overlay.a`, made if no earlier build has made the same.
fn compile(mode: Mode) -> Result<PathBuf, String> {
    if env::var("TARGET").as_deref() != Ok("x86_64-unknown-linux-gnu") || env::var("TARGET") != env::var("HOST") {
        return Err("it is for x86_64-unknown-linux-gnu".into());
    }
    let overlay = folder_of("CARGO_MANIFEST_DIR")?.join("overlay");
    let sources = engine_sources()?;
    let units = read(&overlay.join("units.txt"))?;
    check_archive(&String::from_utf8_lossy(&units))?;
    for tool in TOOLS.into_iter().chain([CC, CXX]) {
        require_tool(tool)?;
    }

    let compiler = Command::new(CXX).arg("--version").output().map_err(|error| format!("{CXX}: {error}"))?.stdout;
    let makefile = read(&overlay.join("Makefile"))?;
    let mut headers = Vec::new();
    for variable in HEADERS {
        for folder in env::var(variable).map_err(|_| format!("{variable} is not set"))?.split(',') {
            read_all(Path::new(folder), Path::new(""), &mut headers)?;
        }
    }
    let header = overlay.with_file_name("source").join("js.h");
    let mut contents = vec![("units.txt".into(), units), ("js.h".into(), read(&header)?)];
    for part in ["patches", "src"] {
        read_all(&overlay.join(part), Path::new(part), &mut contents)?;
    }
    if mode.name() == "use" {
        contents.push(("profile".into(), read(&overlay.join("engine.profdata.gz"))?));
    }
    // What decides about the engine's own configuration and the flags, and what decides about the objects beside that.
    let setting = hash(&(ENGINE, &sources, &headers, &compiler, &makefile));
    let result = hash(&(&setting, mode.name(), &contents));

    // Beside the profiles' folders: debug and release builds, tests and clippy share it.
    let out = folder_of("OUT_DIR")?;
    let cache = out.ancestors().nth(4).ok_or("OUT_DIR is not in a target folder")?.join("engine-overlay");
    let at = |error: std::io::Error| format!("{}: {error}", cache.display());
    fs::create_dir_all(&cache).map_err(at)?;
    let lock = File::create(cache.join("lock")).map_err(at)?;
    lock.lock().map_err(at)?;

    // Results that a build may begin with. What the objects were made of, make knows from their .d files; it does not know of a
    // file that a new patch touches, and that they had from the engine's sources.
    let family = format!("{setting}-{}-{}-", mode.name(), hash(&patched_files(&contents)));
    let folder = cache.join(format!("{family}{result}"));
    if folder.join("libbao_overlay.a").exists() {
        return Ok(folder);
    }
    // Copies, because the packages' folders have other names if cargo builds them with other features.
    let include = cache.join(format!("{setting}-headers"));
    for (name, text) in &headers {
        let path = include.join(name);
        if !path.exists() {
            fs::create_dir_all(path.parent().unwrap_or(&include)).and_then(|()| fs::write(&path, text)).map_err(at)?;
        }
    }
    if !folder.exists() {
        begin_as_the_newest(&cache, &family, &folder)?;
    }
    // The patched files in a run of their own: make looks at a file's time before a rule that changes it by the way.
    for goal in ["patched/done", "libbao_overlay.a"] {
        let mut make = Command::new("make");
        make.current_dir(&folder)
            .arg("-f")
            .arg(overlay.join("Makefile"))
            .arg(format!("SOURCES={}", sources.display()))
            .arg(format!("CONFIGURED={}", cache.join(format!("{setting}-configured")).display()))
            .arg(format!("CPPFLAGS=-I{}", include.display()))
            .arg(format!("CC={CC}"))
            .arg(format!("CXX={CXX}"))
            .arg(format!("MODE={}", mode.name()))
            .arg(format!("OVERLAY={}", overlay.display()))
            .arg(format!("HEADER={}", header.display()))
            .arg(goal);
        if let Some(root) = env::var_os("DEP_Z_ROOT") {
            make.env("PKG_CONFIG_PATH", Path::new(&root).join("lib/pkgconfig"));
        }
        // Cargo's jobs and make's together are as many as cargo was asked for.
        if let Some(flags) = env::var_os("CARGO_MAKEFLAGS") {
            make.env("MAKEFLAGS", flags);
        }
        let output = make.output().map_err(|error| format!("make: {error}"))?;
        if !output.status.success() {
            let log = folder.join("log");
            let _ = fs::write(&log, [output.stdout, output.stderr].concat());
            return Err(format!("it cannot be compiled, see {}", log.display()));
        }
    }
    Ok(folder)
}

/// The engine's sources: the package beside one whose place cargo tells, in the registry's folder or among vendored packages.
pub(crate) fn engine_sources() -> Result<PathBuf, String> {
    let manifest = fs::read_to_string("Cargo.toml").map_err(|error| format!("Cargo.toml: {error}"))?;
    if !manifest.contains(&format!("mozjs_sys = \"={ENGINE}\"")) {
        return Err(format!("it is made for mozjs_sys {ENGINE}, which is not the version in engine/Cargo.toml"));
    }
    let neighbour = folder_of("DEP_ENCODING_C_MEM_INCLUDE_DIR")?;
    let packages = neighbour.ancestors().nth(2).ok_or("no folder of packages")?;
    for name in [format!("mozjs_sys-{ENGINE}"), "mozjs_sys".into()] {
        let package = packages.join(name);
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains(&format!("version = \"{ENGINE}\"")) {
            return Ok(package.join("mozjs"));
        }
    }
    Err(format!("no sources of mozjs_sys {ENGINE} in {}", packages.display()))
}

/// Says whether the archive that mozjs_sys links is of the compiler that the overlay is compiled with, and lacks no unit that the
/// overlay does not have.
fn check_archive(units: &str) -> Result<(), String> {
    let path = archive()?;
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if !bytes.windows(COMPILER_NOTE.len()).any(|window| window == COMPILER_NOTE) {
        return Err("the engine's archive was not compiled by clang 19".into());
    }
    let lacks = |unit: &String| !units.lines().filter_map(|line| line.split(' ').nth(1)).any(|name| name == unit);
    match left_out(&bytes).into_iter().find(lacks) {
        Some(unit) => Err(format!("the engine was compiled without {unit}, which is no longer in units.txt")),
        None => Ok(()),
    }
}

/// The archive that mozjs_sys links.
fn archive() -> Result<PathBuf, String> {
    let out = folder_of("OUT_DIR")?;
    let builds = out.ancestors().nth(2).ok_or("OUT_DIR is not in a build folder")?;
    let age = |path: &Path| path.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    children(builds)?
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mozjs_sys-")))
        .map(|path| path.join("out/build/js/src/build/libjs_static.a"))
        .filter(|path| path.exists())
        .max_by_key(|path| age(path))
        .ok_or_else(|| "mozjs_sys has no libjs_static.a".into())
}

/// The units that a build from source has left to the overlay: those of the archive's small members that say so.
fn left_out(archive: &[u8]) -> Vec<String> {
    const SIGNATURE: usize = 8;
    const HEADER: usize = 60;
    let mut units = Vec::new();
    let mut at = SIGNATURE;
    while let Some(header) = archive.get(at..at + HEADER) {
        // https://man7.org/linux/man-pages/man5/ar.5.html: the size is decimal in bytes 48 to 58, and members begin at even offsets.
        let Ok(size) = String::from_utf8_lossy(&header[48..58]).trim().parse::<usize>() else { break };
        let begin = at + HEADER;
        if let Some(member) = archive.get(begin..begin + size).filter(|_| size < 4096)
            && let Some(note) = member.windows(LEFT_OUT_NOTE.len()).position(|window| window == LEFT_OUT_NOTE)
        {
            let name = member[note + LEFT_OUT_NOTE.len()..].split(|byte| *byte == 0).next().unwrap_or_default();
            units.push(String::from_utf8_lossy(name).into_owned());
        }
        at = begin + size + size % 2;
    }
    units
}

/// Ends the build if the engine cannot be linked without overlay.
fn require_whole_archive(reason: &str) {
    let bytes = archive().and_then(|path| read(&path)).unwrap_or_default();
    assert!(
        left_out(&bytes).is_empty(),
        "no engine overlay: {reason}. The engine was compiled without the overlay's units; `cargo clean --release -p mozjs_sys` and \
         BAO_ENGINE_OVERLAY=0 compile them"
    );
}

fn require_tool(name: &str) -> Result<(), String> {
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|folder| folder.join(name).is_file()) {
        return Ok(());
    }
    // A file that is never there makes cargo ask again at the next build. The tool's own would not do: a package installs it with
    // the time at which the package was made.
    println!("cargo:rerun-if-changed=overlay/missing-tool");
    Err(format!("{name} is not installed (./x setup installs it)"))
}

/// The files that the patches among these files change, in the order of their names.
fn patched_files(contents: &[(PathBuf, Vec<u8>)]) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for (path, bytes) in contents {
        if path.extension().is_some_and(|extension| extension == "patch") {
            let text = String::from_utf8_lossy(bytes);
            files.extend(text.lines().filter_map(|line| line.strip_prefix("+++ b/")).map(String::from));
        }
    }
    files
}

/// Copies the newest results of the same setting: then make compiles only what a change touches.
fn begin_as_the_newest(cache: &Path, family: &str, folder: &Path) -> Result<(), String> {
    let newest = children(cache)?
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(family)))
        .max_by_key(|path| path.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH));
    if let Some(newest) = newest {
        let copied = Command::new("cp").arg("-a").arg(&newest).arg(folder).status();
        if copied.is_ok_and(|status| status.success()) {
            let _ = fs::remove_file(folder.join("libbao_overlay.a"));
            return Ok(());
        }
        let _ = fs::remove_dir_all(folder);
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Counting executables need clang's runtime for profiles.
fn link_profile_runtime() {
    let library = "libclang_rt.profile-x86_64.a";
    let output = Command::new(CC).arg(format!("-print-file-name={library}")).output().expect("clang has run before");
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let folder = path.parent().filter(|_| path.is_absolute()).expect("libclang-rt-19-dev is installed");
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=clang_rt.profile-x86_64");
}

fn folder_of(variable: &str) -> Result<PathBuf, String> {
    env::var_os(variable).map(PathBuf::from).ok_or_else(|| format!("{variable} is not set"))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The entries of a folder in the order of their names.
fn children(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    Ok(paths)
}

/// Paths, which begin with `name`, and contents of the files in a folder and those below it.
fn read_all(folder: &Path, name: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<(), String> {
    for path in children(folder)? {
        let name = name.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            read_all(&path, &name, into)?;
        } else {
            let bytes = read(&path)?;
            into.push((name, bytes));
        }
    }
    Ok(())
}

fn hash(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
