//! What a word on the command line names: a file to run, a package's binary, a program of the system.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Extensions that are tried, in Bun's order, which is that of `import`.
const EXTENSIONS: [&str; 10] = ["tsx", "jsx", "mts", "ts", "mjs", "js", "cts", "cjs", "json", "node"];

/// Extensions by which a word is a file and not the name of a script.
const KNOWN: [&str; 10] = ["wasm", "toml", "yaml", "json5", "jsonc", "html", "sh", "css", "md", "markdown"];

/// Whether the word can only be a path.
pub(crate) fn is_path(word: &str) -> bool {
    word.starts_with('/') || word == "." || word == ".." || word.starts_with("./") || word.starts_with("../")
}

/// Whether the word looks like a file: it has the extension of one, or a slash.
pub(crate) fn is_file_like(word: &str) -> bool {
    word.contains('/') || extension(word).is_some_and(|e| EXTENSIONS.contains(&e) || KNOWN.contains(&e))
}

/// The extension of a path, without the dot.
pub(crate) fn extension(word: &str) -> Option<&str> {
    Path::new(word).extension().and_then(OsStr::to_str)
}

/// The file that a word names: itself, with an extension added, or the `index` of a directory. A directory with a
/// `package.json` is given as it is: the loader knows its entry.
pub(crate) fn program(word: &str) -> Option<String> {
    let found = std::fs::metadata(word);
    if found.is_err() && in_archive(word) {
        return Some(word.to_string());
    }
    if found.as_ref().is_ok_and(|found| !found.is_dir()) {
        return Some(word.to_string());
    }
    if !word.ends_with('/') && !matches!(word, "." | "..") {
        for extension in EXTENSIONS {
            let candidate = format!("{word}.{extension}");
            if Path::new(&candidate).is_file() {
                return Some(candidate);
            }
        }
    }
    if found.is_err() {
        return typescript_of(word);
    }
    let dir = word.trim_end_matches('/');
    if Path::new(&format!("{dir}/package.json")).is_file() && manifest_main(dir) {
        return Some(word.to_string());
    }
    EXTENSIONS
        .iter()
        .map(|extension| format!("{dir}/index.{extension}"))
        .find(|candidate| Path::new(candidate).is_file())
}

/// The TypeScript file that a JavaScript file is made of, where only that is there: `app.ts` for `app.js`, as for what is imported.
fn typescript_of(word: &str) -> Option<String> {
    let (stem, extension) = word.split_at(word.rfind('.')?);
    let sources = resolve::paths::typescript_sources(extension);
    sources.iter().map(|end| format!("{stem}{end}")).find(|candidate| Path::new(candidate).is_file())
}

/// Whether a word names a file of a package that is in an archive of the store.
fn in_archive(word: &str) -> bool {
    if !word.contains("node_modules") {
        return false;
    }
    let path = absolute(&std::env::current_dir().unwrap_or_default(), word);
    matches!(store::find(path.as_bytes(), true), store::Place::Node(_))
}

/// Whether the package of a directory names its entry.
fn manifest_main(dir: &str) -> bool {
    std::fs::read_to_string(format!("{dir}/package.json"))
        .is_ok_and(|text| text.contains("\"main\"") || text.contains("\"module\"") || text.contains("\"exports\""))
}

/// An absolute path without `.` and `..`; links are not followed.
pub(crate) fn absolute(cwd: &Path, path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let joined = if path.starts_with('/') { path.to_string() } else { format!("{}/{path}", cwd.to_string_lossy()) };
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(out.pop()),
            part => out.push(part),
        }
    }
    format!("/{}", out.join("/"))
}

/// Whether a path is a file that may be executed.
fn is_executable(path: &Path) -> bool {
    let Ok(name) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the name ends with a zero byte.
    let allowed = unsafe { libc::access(name.as_ptr(), libc::X_OK) == 0 };
    allowed && path.is_file()
}

/// The `node_modules/.bin` directories that serve a directory, nearest first.
pub(crate) fn bin_dirs(dir: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    dir.ancestors()
        .filter(|dir| dir.file_name() != Some(OsStr::new("node_modules")))
        .map(|dir| dir.join("node_modules/.bin"))
}

/// A binary of an installed package.
pub(crate) fn package_binary(dir: &Path, name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return None;
    }
    bin_dirs(dir).map(|dir| dir.join(name)).find(|path| is_executable(path))
}

/// A program on a search path.
pub(crate) fn on_path(path: Option<&OsStr>, name: &str) -> Option<PathBuf> {
    if name.contains('/') || name.is_empty() {
        return None;
    }
    std::env::split_paths(path?).map(|dir| dir.join(name)).find(|path| is_executable(path))
}

/// Names of the files and directories of the working directory, for suggestions.
pub(crate) fn neighbours() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(".") else { return Vec::new() };
    entries.flatten().take(2000).filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Whether a file's first line hands it to `node` or `bun`.
pub(crate) fn is_javascript_binary(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0u8; 128];
    let Ok(len) = std::fs::File::open(path).and_then(|mut file| file.read(&mut head)) else { return false };
    let line = head[..len].split(|b| *b == b'\n').next().unwrap_or_default();
    let Some(line) = line.strip_prefix(b"#!").and_then(|line| std::str::from_utf8(line).ok()) else { return false };
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    match words.next() {
        Some("env") => {
            matches!(words.find(|word| !word.starts_with('-') && !word.contains('=')), Some("node" | "bun" | "bao"))
        }
        Some(word) => matches!(word, "node" | "bun" | "bao"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert!(is_path("./a") && is_path("..") && is_path("/x") && !is_path(".env") && !is_path("a/b"));
        assert!(is_file_like("a.ts") && is_file_like("src/a") && !is_file_like("build") && !is_file_like("a.b"));
        assert_eq!(absolute(Path::new("/a/b"), "../c/./d.js"), "/a/c/d.js");
        assert_eq!(absolute(Path::new("/"), "x.js"), "/x.js");
        assert_eq!(absolute(Path::new("/a"), "/../x"), "/x");
    }

    #[test]
    fn bins_of_all_parents() {
        let dirs: Vec<PathBuf> = bin_dirs(Path::new("/a/node_modules/b")).collect();
        assert_eq!(
            dirs,
            ["/a/node_modules/b/node_modules/.bin", "/a/node_modules/.bin", "/node_modules/.bin"].map(PathBuf::from)
        );
    }
}
