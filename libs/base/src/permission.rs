//! Node's permission model: what the process may do, as the command line says (`--permission`, `--allow-...`).
//! <https://nodejs.org/api/permissions.html>
//!
//! It is of the process: all threads ask the same table. Paths are compared as text after `.` and `..` have been taken out; links are
//! followed wherever they lead, as in Node.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// What a permission is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    Read,
    Write,
    Child,
    Worker,
    Addon,
    Wasi,
    Net,
    Inspector,
    Ffi,
}

impl Area {
    /// The name in errors: `error.permission`.
    pub fn name(self) -> &'static str {
        match self {
            Area::Read => "FileSystemRead",
            Area::Write => "FileSystemWrite",
            Area::Child => "ChildProcess",
            Area::Worker => "WorkerThreads",
            Area::Addon => "Addon",
            Area::Wasi => "WASI",
            Area::Net => "Net",
            Area::Inspector => "Inspector",
            Area::Ffi => "FFI",
        }
    }

    /// The option that gives it.
    pub fn flag(self) -> &'static str {
        match self {
            Area::Read => "--allow-fs-read",
            Area::Write => "--allow-fs-write",
            Area::Child => "--allow-child-process",
            Area::Worker => "--allow-worker",
            // Libraries of bun:ffi do what addons do.
            Area::Addon | Area::Ffi => "--allow-addons",
            Area::Wasi => "--allow-wasi",
            Area::Net => "--allow-net",
            Area::Inspector => "--allow-inspector",
        }
    }
}

/// Something that the process may not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    pub area: Area,
    /// The path, program or address that was asked for; empty if there is none.
    pub resource: String,
}

impl Denied {
    /// The text of the error `ERR_ACCESS_DENIED`.
    pub fn message(&self) -> String {
        format!("Access to this API has been restricted. Use {} to manage permissions.", self.area.flag())
    }
}

/// Paths that may be read, or written.
#[derive(Debug)]
struct Paths {
    all: bool,
    exact: Vec<Vec<u8>>,
    /// Beginnings of paths.
    prefixes: Vec<Vec<u8>>,
}

impl Paths {
    const NONE: Paths = Paths { all: false, exact: Vec::new(), prefixes: Vec::new() };

    fn add(&mut self, text: &str) {
        if text == "*" {
            self.all = true;
            return;
        }
        // A star anywhere ends what is compared.
        if let Some((start, _)) = text.split_once('*') {
            let trailing = start.ends_with('/');
            let mut prefix = normal(start.as_bytes());
            if trailing {
                // The folder itself is meant, too.
                self.exact.push(prefix.clone());
                if prefix.last() != Some(&b'/') {
                    prefix.push(b'/');
                }
            }
            self.prefixes.push(prefix);
            return;
        }
        let path = normal(text.as_bytes());
        if Path::new(std::ffi::OsStr::from_bytes(&path)).is_dir() {
            let mut prefix = path.clone();
            if prefix.last() != Some(&b'/') {
                prefix.push(b'/');
            }
            self.prefixes.push(prefix);
        }
        self.exact.push(path);
    }

    fn has(&self, path: &[u8]) -> bool {
        if self.all {
            return true;
        }
        let path = normal(path);
        self.exact.contains(&path) || self.prefixes.iter().any(|prefix| path.starts_with(prefix))
    }
}

#[derive(Debug)]
struct Table {
    read: Paths,
    write: Paths,
    /// Areas other than files that are given.
    given: Vec<Area>,
    /// The options as text for `NODE_OPTIONS`.
    options: String,
}

static ON: AtomicBool = AtomicBool::new(false);
static TABLE: RwLock<Table> =
    RwLock::new(Table { read: Paths::NONE, write: Paths::NONE, given: Vec::new(), options: String::new() });

/// The table to look at: any number of threads do so at once.
fn table() -> RwLockReadGuard<'static, Table> {
    TABLE.read().unwrap_or_else(PoisonError::into_inner)
}

fn update(change: impl FnOnce(&mut Table)) {
    change(&mut TABLE.write().unwrap_or_else(PoisonError::into_inner));
}

/// An absolute path without `.`, `..` and doubled slashes.
fn normal(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let cwd;
    if path.first() != Some(&b'/') {
        cwd = std::env::current_dir().unwrap_or_else(|_| "/".into());
        parts.extend(cwd.as_os_str().as_bytes().split(|byte| *byte == b'/').filter(|part| !part.is_empty()));
        return join(parts, path);
    }
    join(parts, path)
}

fn join<'a>(mut parts: Vec<&'a [u8]>, path: &'a [u8]) -> Vec<u8> {
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let mut out = Vec::new();
    for part in parts {
        out.push(b'/');
        out.extend_from_slice(part);
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out
}

/// Switches the model on: `read` and `write` are the values of `--allow-fs-read` and `--allow-fs-write`, `given` the other areas,
/// `options` all of it as the text of `NODE_OPTIONS`, for processes that this one starts.
pub fn enable(read: &[String], write: &[String], given: &[Area], options: String) {
    update(|table| {
        for text in read {
            table.read.add(text);
        }
        for text in write {
            table.write.add(text);
        }
        table.given.extend_from_slice(given);
        table.options = options;
    });
    ON.store(true, Ordering::Release);
}

/// Whether the model is on; if not, everything may be done.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Acquire)
}

/// What a process that this one starts gets in its `NODE_OPTIONS`, so that it may do no more; none if the model is off.
pub fn inherited() -> Option<String> {
    is_on().then(|| table().options.clone())
}

/// Lets the process read one more file: the program itself.
pub fn allow_read(path: &str) {
    if is_on() {
        update(|table| table.read.exact.push(normal(path.as_bytes())));
    }
}

/// Whether a path may be read or written (`Read`, `Write`), or anything else be done.
pub fn has(area: Area, path: &[u8]) -> bool {
    if !is_on() {
        return true;
    }
    let table = table();
    match area {
        Area::Read => table.read.has(path),
        Area::Write => table.write.has(path),
        other => table.given.contains(&other),
    }
}

/// Whether all paths may be read or written, or anything else be done.
pub fn has_all(area: Area) -> bool {
    if !is_on() {
        return true;
    }
    let table = table();
    match area {
        Area::Read => table.read.all,
        Area::Write => table.write.all,
        other => table.given.contains(&other),
    }
}

/// The same as [`has`] as a result.
///
/// # Errors
/// What is denied.
#[inline]
pub fn check(area: Area, path: &[u8]) -> Result<(), Denied> {
    if !is_on() || has(area, path) { Ok(()) } else { Err(denied(area, path)) }
}

/// The same as [`has_all`] as a result, for what can reach any path.
///
/// # Errors
/// What is denied.
#[inline]
pub fn check_all(area: Area, resource: &[u8]) -> Result<(), Denied> {
    if !is_on() || has_all(area) { Ok(()) } else { Err(denied(area, resource)) }
}

#[cold]
fn denied(area: Area, resource: &[u8]) -> Denied {
    // As it was given, as in Node: without its detours it says less.
    Denied { area, resource: String::from_utf8_lossy(resource).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[&str]) -> Paths {
        let mut paths = Paths::NONE;
        for text in list {
            paths.add(text);
        }
        paths
    }

    #[test]
    fn a_path_is_compared_without_detours() {
        let some = paths(&["/none/a", "/none/b*", "/none/c/*"]);
        for yes in
            ["/none/a", "/none/./a", "/none/x/../a", "/none/b", "/none/bcd/e", "/none/c", "/none/c/", "/none/c/d"]
        {
            assert!(some.has(yes.as_bytes()), "{yes}");
        }
        for no in ["/none", "/none/ab", "/none/a/b", "/none/cd", "/none/c/../d", "/other"] {
            assert!(!some.has(no.as_bytes()), "{no}");
        }
        assert!(paths(&["*"]).has(b"/anything"));
        assert!(!paths(&[]).has(b"/anything"));
    }

    #[test]
    fn a_folder_that_exists_means_what_is_in_it() {
        let folder = paths(&["/proc"]);
        assert!(folder.has(b"/proc") && folder.has(b"/proc/self") && !folder.has(b"/process"));
    }

    #[test]
    fn parents_of_the_root_are_the_root() {
        assert_eq!(normal(b"/../../a//b/."), b"/a/b");
        assert_eq!(normal(b"/.."), b"/");
    }
}
