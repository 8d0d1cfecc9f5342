//! One buffer for all strings of a graph; a string is a range of it.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// A range of a [`Text`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Str {
    pub off: u32,
    pub len: u32,
}

impl Str {
    pub const EMPTY: Str = Str { off: 0, len: 0 };

    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The bytes in `buffer`; empty where the range is outside of it.
    pub fn of(self, buffer: &str) -> &str {
        buffer.get(self.off as usize..self.off as usize + self.len as usize).unwrap_or("")
    }
}

/// The hash by which names are compared everywhere in the package manager.
pub(crate) fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// An append-only buffer in which equal strings are stored once.
#[derive(Default, Clone)]
pub struct Text {
    buffer: String,
    pool: FxHashMap<u64, Str>,
}

impl Text {
    pub fn with_capacity(bytes: usize) -> Self {
        Self { buffer: String::with_capacity(bytes), pool: FxHashMap::default() }
    }

    /// Stores `text`, or finds the copy that is there already.
    pub fn add(&mut self, text: &str) -> Str {
        if text.is_empty() {
            return Str::EMPTY;
        }
        let key = hash(text);
        if let Some(&found) = self.pool.get(&key)
            && found.of(&self.buffer) == text
        {
            return found;
        }
        let at = Str { off: self.buffer.len() as u32, len: text.len() as u32 };
        self.buffer.push_str(text);
        self.pool.insert(key, at);
        at
    }

    pub fn get(&self, at: Str) -> &str {
        at.of(&self.buffer)
    }

    /// The whole buffer.
    pub fn as_str(&self) -> &str {
        &self.buffer
    }

    pub fn into_string(self) -> String {
        self.buffer
    }
}
