//! The writer: entries come in any order, the file is made at once.
//!
//! Nothing is synced. An archive is complete under its name after a rename; what a crash of the machine can leave behind (a file
//! whose blocks were never written) is found by length and hashes when it is opened.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{ALIGN, ENTRY, HEADER, Kind, MAGIC};

struct Item {
    kind: Kind,
    mode: u16,
    start: usize,
    size: usize,
    hash: u64,
}

/// Collects the entries of an archive.
pub struct Writer {
    /// By directory and name in it, so that what is in one directory is side by side.
    items: BTreeMap<(Vec<u8>, Vec<u8>), Item>,
    data: Vec<u8>,
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

fn split(name: &[u8]) -> (Vec<u8>, Vec<u8>) {
    match memchr::memrchr(b'/', name) {
        Some(at) => (name[..at].to_vec(), name[at + 1..].to_vec()),
        None => (Vec::new(), name.to_vec()),
    }
}

impl Writer {
    pub fn new() -> Writer {
        Writer { items: BTreeMap::new(), data: Vec::new() }
    }

    /// How many entries there are so far.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an entry and the directories above it. An earlier one of the same name is replaced, as in a tar archive. False, and
    /// nothing is added, if a file stands where a directory is needed or the other way round, or the name is not a clean relative
    /// path of at most 65,535 bytes.
    pub fn add(&mut self, name: &[u8], kind: Kind, mode: u32, content: &[u8]) -> bool {
        let clean = |part: &[u8]| !part.is_empty() && part != b"." && part != b".." && !part.contains(&0);
        if name.len() > usize::from(u16::MAX) || !name.split(|&byte| byte == b'/').all(clean) {
            return false;
        }
        let key = split(name);
        if !key.0.is_empty() && !self.add_dirs(&key.0) {
            return false;
        }
        if let Some(old) = self.items.get(&key)
            && (old.kind == Kind::Dir || kind == Kind::Dir)
        {
            return old.kind == kind;
        }
        let mut item = Item { kind, mode: (mode & 0o7777) as u16, start: 0, size: content.len(), hash: 0 };
        if kind != Kind::Dir {
            self.data.resize(self.data.len().next_multiple_of(ALIGN), 0);
            item.start = self.data.len();
            item.hash = xxh3_64(content);
            self.data.extend_from_slice(content);
        }
        self.items.insert(key, item);
        true
    }

    fn add_dirs(&mut self, dir: &[u8]) -> bool {
        let ends = dir.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| at).chain([dir.len()]);
        for end in ends {
            let item = Item { kind: Kind::Dir, mode: 0o755, start: 0, size: 0, hash: 0 };
            if self.items.entry(split(&dir[..end])).or_insert(item).kind != Kind::Dir {
                return false;
            }
        }
        true
    }

    /// The content of a file that was added.
    pub fn content(&self, name: &[u8]) -> Option<&[u8]> {
        let item = self.items.get(&split(name)).filter(|item| item.kind == Kind::File)?;
        self.data.get(item.start..item.start + item.size)
    }

    /// The archive as bytes: what is before the contents, and the contents.
    pub fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        let count = self.items.len() + 1;
        let slots = (count * 2).next_power_of_two();
        let mut names = Vec::new();
        // Number of the first child and how many there are, by directory.
        let mut children: BTreeMap<&[u8], (u32, u32)> = BTreeMap::new();
        for (at, (dir, _)) in self.items.keys().enumerate() {
            children.entry(dir).or_insert((at as u32 + 1, 0)).1 += 1;
        }
        let fixed = count * ENTRY + slots * 4;
        let length: usize = self.items.keys().map(|(dir, name)| dir.len() + name.len() + 1).sum();
        let data_at = (HEADER + fixed + length).next_multiple_of(ALIGN);
        let mut index = Vec::with_capacity(fixed + length);
        let mut table = vec![0u32; slots];
        let root = Item { kind: Kind::Dir, mode: 0o755, start: 0, size: 0, hash: 0 };
        let top = (Vec::new(), Vec::new());
        for (number, ((dir, base), item)) in [(&top, &root)].into_iter().chain(&self.items).enumerate() {
            let start = names.len();
            if !dir.is_empty() {
                names.extend_from_slice(dir);
                names.push(b'/');
            }
            names.extend_from_slice(base);
            let name = &names[start..];
            let offset = if item.kind == Kind::Dir { 0 } else { (data_at + item.start) as u64 };
            let (first, below) =
                if item.kind == Kind::Dir { children.get(name).copied().unwrap_or((0, 0)) } else { (0, 0) };
            index.extend_from_slice(&(start as u32).to_le_bytes());
            index.extend_from_slice(&(name.len() as u16).to_le_bytes());
            index.extend_from_slice(&(item.kind.bits() | item.mode).to_le_bytes());
            index.extend_from_slice(&offset.to_le_bytes());
            index.extend_from_slice(&(item.size as u64).to_le_bytes());
            index.extend_from_slice(&item.hash.to_le_bytes());
            index.extend_from_slice(&first.to_le_bytes());
            index.extend_from_slice(&below.to_le_bytes());
            if number > 0 {
                let mut slot = xxh3_64(name) as usize & (slots - 1);
                while table[slot] != 0 {
                    slot = (slot + 1) & (slots - 1);
                }
                table[slot] = number as u32 + 1;
            }
        }
        index.extend(table.iter().flat_map(|number| number.to_le_bytes()));
        index.extend_from_slice(&names);
        index.resize(data_at - HEADER, 0);
        let mut out = Vec::with_capacity(data_at);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&(count as u32).to_le_bytes());
        out.extend_from_slice(&(slots as u32).to_le_bytes());
        out.extend_from_slice(&((data_at + self.data.len()) as u64).to_le_bytes());
        out.extend_from_slice(&(data_at as u64).to_le_bytes());
        out.extend_from_slice(&xxh3_64(&index).to_le_bytes());
        out.resize(56, 0);
        let sum = xxh3_64(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out.extend_from_slice(&index);
        (out, std::mem::take(&mut self.data))
    }
}

/// Writes the parts of a file beside `path` and renames it there, so that the name always stands for a whole file: the old one or
/// the new one, whoever else writes it and whenever the process is killed.
///
/// # Errors
/// Those of the system; nothing is left behind then, unless the process is killed.
pub fn write_atomically(path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Short, since a name may be as long as a name can be.
    let short = xxh3_64(name.as_bytes());
    let beside = path.with_file_name(format!(".tmp-{}-{count}-{short:x}", std::process::id()));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let written = (|| {
        let mut file = std::fs::File::from(rustix::fs::openat(CWD, &beside, flags, Mode::from_raw_mode(0o644))?);
        for part in parts {
            file.write_all(part)?;
        }
        drop(file);
        std::fs::rename(&beside, path)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
