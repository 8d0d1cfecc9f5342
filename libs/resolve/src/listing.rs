//! The names in one directory.

use crate::vfs::{DirStamp, EntryKind};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What a name in a directory is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    File,
    Dir,
    Other,
    Unknown,
    /// A link that was not followed yet, and then what it leads to.
    Link,
    LinkFile,
    LinkDir,
    LinkBroken,
}

impl Slot {
    pub(crate) fn of(kind: EntryKind) -> Slot {
        match kind {
            EntryKind::File => Slot::File,
            EntryKind::Dir => Slot::Dir,
            EntryKind::Symlink => Slot::Link,
            EntryKind::Other => Slot::Other,
            EntryKind::Unknown => Slot::Unknown,
        }
    }

    pub(crate) fn is_dir(self) -> bool {
        matches!(self, Slot::Dir | Slot::LinkDir)
    }

    /// Anything that can be opened and read; pipes and devices count, as they do in Node.
    pub(crate) fn is_file(self) -> bool {
        matches!(self, Slot::File | Slot::LinkFile | Slot::Other)
    }

    pub(crate) fn is_link(self) -> bool {
        matches!(self, Slot::Link | Slot::LinkFile | Slot::LinkDir | Slot::LinkBroken)
    }
}

pub(crate) struct Name {
    /// Place of the name in the listing's text.
    pub start: u32,
    /// What the resolver noted about the file of this name.
    pub note: u32,
    pub len: u8,
    pub slot: Slot,
}

/// No note.
pub(crate) const BLANK: u32 = u32::MAX;

/// Names of a directory with an open-addressing hash table over them.
pub(crate) struct Listing {
    text: String,
    pub names: Vec<Name>,
    /// Index into `names` plus one; the length is a power of two.
    table: Box<[u32]>,
    pub stamp: DirStamp,
    /// Resolution during which it was read.
    pub turn: u32,
}

fn hash(name: &str) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish() as usize
}

impl Listing {
    pub(crate) fn new(text: String, names: Vec<Name>, stamp: DirStamp, turn: u32) -> Self {
        let size = (names.len() * 2).next_power_of_two().max(2);
        let mut table = vec![0u32; size].into_boxed_slice();
        for (index, name) in names.iter().enumerate() {
            let start = name.start as usize;
            let mut at = hash(&text[start..start + name.len as usize]) & (size - 1);
            while table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            table[at] = index as u32 + 1;
        }
        Listing { text, names, table, stamp, turn }
    }

    pub(crate) fn text_of(&self, name: &Name) -> &str {
        let start = name.start as usize;
        &self.text[start..start + name.len as usize]
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let mask = self.table.len() - 1;
        let mut at = hash(name) & mask;
        while self.table[at] != 0 {
            let index = self.table[at] as usize - 1;
            if self.text_of(&self.names[index]) == name {
                return Some(index);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Whether the name may exist under another spelling that the file system takes as equal.
    pub(crate) fn may_hold(&self, name: &str) -> bool {
        FOLDS_CASE
            && self.names.iter().any(|n| {
                let text = self.text_of(n);
                text.eq_ignore_ascii_case(name) || !text.is_ascii()
            })
    }
}

/// Whether the default file system of the platform ignores case, so that a name missing from a
/// listing may still open.
const FOLDS_CASE: bool = cfg!(target_os = "macos");
