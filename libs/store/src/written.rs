//! Packages in archives that a program has tried to write into: noted in the project, so that the next install puts them on the disk.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::OFlags;

use crate::mounts::package_of;

/// Name of the notes below `node_modules`: the names of packages, one in each line.
const NOTES: &str = ".bao-writes";
/// Notes are not longer than this; a file that is was not made here.
const LONGEST: u64 = 64 << 10;

fn notes_of(root: &Path) -> PathBuf {
    root.join("node_modules").join(NOTES)
}

fn read(root: &Path) -> Option<String> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = std::fs::File::options().read(true).custom_flags(flags).open(notes_of(root)).ok()?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The names of the packages that programs have tried to write into since the last install in `root`.
pub fn written(root: &Path) -> Vec<String> {
    read(root).unwrap_or_default().lines().filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// An install has put them on the disk.
pub fn forget_written(root: &Path) {
    let _ = std::fs::remove_file(notes_of(root));
}

/// The name that stands for all packages.
const ALL: &str = "*";

/// Notes that all packages of a project are to be on the disk.
pub(crate) fn note_all(root: &Path) {
    note(root, ALL);
}

/// Notes that a program wanted to write to `path`, once for each package and process. Whether the next install knows: not where the path
/// is in no archive, or nothing can be written in the project.
pub fn note_write(path: &[u8]) -> bool {
    static NOTED: Mutex<Option<HashSet<(PathBuf, String)>>> = Mutex::new(None);
    let Some((root, name)) = package_of(path) else { return false };
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    let noted = noted.get_or_insert_default();
    let key = (root, name);
    if noted.contains(&key) {
        return true;
    }
    if !note(&key.0, &key.1) {
        return false;
    }
    noted.insert(key);
    true
}

/// Adds a name to the notes of a project. False if nothing can be written there.
fn note(root: &Path, name: &str) -> bool {
    if read(root).is_some_and(|text| text.lines().any(|line| line == name)) {
        return true;
    }
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    let file = std::fs::File::options().append(true).create(true).mode(0o644).custom_flags(flags).open(notes_of(root));
    let fits = |file: &std::fs::File| file.metadata().is_ok_and(|status| status.len() < LONGEST / 2);
    file.is_ok_and(|mut file| fits(&file) && file.write_all(format!("{name}\n").as_bytes()).is_ok())
}
