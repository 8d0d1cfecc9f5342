//! Remembered answers, packed: one table for all directories, with the text of all specifiers in one
//! string. A program has several answers per module, so that what an entry costs in memory and in
//! allocations is most of what remembering it costs.

use crate::dirs::DirId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What a specifier was looked up for; part of the key.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Asked {
    Import = 0,
    Require = 1,
    /// In a `node_modules` directory, by `import` and by `require`.
    PackageImport = 2,
    PackageRequire = 3,
}

struct Entry {
    hash: u32,
    dir: DirId,
    start: u32,
    len: u32,
    value: u32,
    asked: Asked,
}

/// A map from directory, purpose and specifier to a number.
#[derive(Default)]
pub(crate) struct Cache {
    text: String,
    entries: Vec<Entry>,
    /// Index into `entries` plus one; the length is a power of two, at most half of it in use.
    table: Vec<u32>,
}

fn hash(dir: DirId, asked: Asked, specifier: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(dir.number() << 2 | asked as u32);
    hasher.write(specifier.as_bytes());
    let wide = hasher.finish();
    (wide ^ (wide >> 32)) as u32
}

impl Cache {
    pub(crate) fn get(&self, dir: DirId, asked: Asked, specifier: &str) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let hash = hash(dir, asked, specifier);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while self.table[at] != 0 {
            let entry = &self.entries[self.table[at] as usize - 1];
            if entry.hash == hash
                && entry.dir == dir
                && entry.asked == asked
                && self.text[entry.start as usize..][..entry.len as usize] == *specifier
            {
                return Some(entry.value);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Adds a key that is not there yet.
    pub(crate) fn insert(&mut self, dir: DirId, asked: Asked, specifier: &str, value: u32) {
        let (Ok(start), Ok(len)) = (u32::try_from(self.text.len()), u32::try_from(specifier.len())) else {
            return;
        };
        let hash = hash(dir, asked, specifier);
        self.text.push_str(specifier);
        self.entries.push(Entry { hash, dir, start, len, value, asked });
        if self.entries.len() * 2 > self.table.len() {
            self.grow();
        } else {
            self.place(self.entries.len() - 1);
        }
    }

    fn place(&mut self, index: usize) {
        let mask = self.table.len() - 1;
        let mut at = self.entries[index].hash as usize & mask;
        while self.table[at] != 0 {
            at = (at + 1) & mask;
        }
        self.table[at] = index as u32 + 1;
    }

    fn grow(&mut self) {
        let size = (self.entries.len() * 4).next_power_of_two().max(64);
        self.table = vec![0; size];
        for index in 0..self.entries.len() {
            self.place(index);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.table.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart() {
        let mut cache = Cache::default();
        let other = DirId::from_number(1);
        assert_eq!(cache.get(DirId::ROOT, Asked::Import, "a"), None);
        for i in 0..1000u32 {
            cache.insert(DirId::ROOT, Asked::Import, &format!("m{i}"), i);
        }
        cache.insert(DirId::ROOT, Asked::Require, "m1", 2000);
        cache.insert(other, Asked::Import, "m1", 3000);
        for i in 0..1000u32 {
            assert_eq!(cache.get(DirId::ROOT, Asked::Import, &format!("m{i}")), Some(i));
        }
        assert_eq!(cache.get(DirId::ROOT, Asked::Require, "m1"), Some(2000));
        assert_eq!(cache.get(other, Asked::Import, "m1"), Some(3000));
        assert_eq!(cache.get(other, Asked::Import, "m2"), None);
        cache.clear();
        assert_eq!(cache.get(DirId::ROOT, Asked::Import, "m1"), None);
    }
}
