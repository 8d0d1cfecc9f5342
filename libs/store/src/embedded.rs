//! Files that are a part of the executable, at a path that the disk does not have.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use rustix::io::Errno;

use crate::archive::{Archive, Kind};
use crate::mounts::{ACTIVE, Node, Place};

struct Embedded {
    archive: &'static Archive,
    /// Where its files are seen, and their folder in the archive.
    root: &'static str,
    folder: &'static str,
}

static EMBEDDED: OnceLock<Embedded> = OnceLock::new();

/// Lets the folder `folder` of an archive be seen at `root`, an absolute path of which the first part is on no disk. One archive of
/// a process; further ones are ignored.
pub fn embed(archive: &'static Archive, root: &'static str, folder: &'static str) {
    let _ = EMBEDDED.set(Embedded { archive, root, folder });
    ACTIVE.store(true, Ordering::Relaxed);
}

/// Whether there are such files.
pub(crate) fn is_used() -> bool {
    EMBEDDED.get().is_some()
}

/// Whether a path is where only such files can be.
pub fn holds(path: &[u8]) -> bool {
    EMBEDDED.get().is_some_and(|embedded| {
        let top = embedded.root.as_bytes().split(|&byte| byte == b'/').nth(1).unwrap_or_default();
        path.iter().position(|&byte| byte != b'/').is_some_and(|at| {
            at > 0 && path[at..].strip_prefix(top).is_some_and(|rest| rest.first().is_none_or(|&byte| byte == b'/'))
        })
    })
}

/// What is at an absolute path, if only such files can be there. There are no links.
pub(crate) fn find(path: &[u8]) -> Option<Place> {
    let embedded = EMBEDDED.get()?;
    if !holds(path) {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let mut whole = Vec::with_capacity(path.len());
    for part in &parts {
        whole.push(b'/');
        whole.extend_from_slice(part);
    }
    if !holds(&whole) {
        // Steps have led out of it.
        return Some(Place::At(if whole.is_empty() { b"/".to_vec() } else { whole }));
    }
    let below = match whole.strip_prefix(embedded.root.as_bytes()) {
        Some(below) if below.is_empty() || below.starts_with(b"/") => below,
        _ => return Some(Place::Missing(Errno::NOENT)),
    };
    let name = [embedded.folder.as_bytes(), below].concat();
    let Some(entry) = embedded.archive.get(&name) else { return Some(Place::Missing(Errno::NOENT)) };
    let needs_folder = path.ends_with(b"/") || path.ends_with(b"/.") || path.ends_with(b"/..");
    if needs_folder && entry.kind != Kind::Dir {
        return Some(Place::Missing(Errno::NOTDIR));
    }
    Some(Place::Node(Node { path: whole, entry, archive: embedded.archive, shared: false, is_packaged: false }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    #[test]
    fn files_are_seen_at_their_root() {
        let mut writer = Writer::new();
        assert!(writer.add(b"root/a/b.txt", Kind::File, 0o644, b"text"));
        assert!(writer.add(b"hidden/c", Kind::File, 0o644, b""));
        let (head, data) = writer.finish();
        let archive = Archive::from_static([head, data].concat().leak()).expect("it is whole");
        embed(Box::leak(Box::new(archive)), "/$test/root", "root");
        let node = |path: &str| match crate::find(path.as_bytes(), true) {
            Place::Node(node) => Some((String::from_utf8(node.path.clone()).unwrap(), node.is_dir())),
            _ => None,
        };
        let missing = |path: &str| matches!(crate::find(path.as_bytes(), true), Place::Missing(Errno::NOENT));
        assert_eq!(node("/$test/root/a/b.txt"), Some(("/$test/root/a/b.txt".into(), false)));
        assert_eq!(node("//$test/root/./a/../a/"), Some(("/$test/root/a".into(), true)));
        assert!(
            missing("/$test") && missing("/$test/root/c") && missing("/$test/hidden/c") && missing("/$test/rooted")
        );
        assert!(matches!(crate::find(b"/$test/root/a/b.txt/", true), Place::Missing(Errno::NOTDIR)));
        assert!(matches!(crate::find(b"/$test/../etc", true), Place::At(path) if path == b"/etc"));
        assert!(matches!(crate::find(b"/$tester", true), Place::Os));
        assert_eq!(crate::cat(b"/$test/root/a/b.txt").unwrap().unwrap().as_ref(), b"text");
    }
}
