//! Paths as they come from JavaScript.
//!
//! A path op takes a string. Linux paths are bytes, and a `Buffer` path need not be UTF-8, so there are two spellings:
//! an ordinary string is encoded as UTF-8 (lone surrogates become U+FFFD, as in Node), and a string that starts with
//! U+0000 carries raw bytes after it, one per character U+0000 to U+00FF. The second cannot be confused with a path of
//! a program: ext/fs/utils.ts refuses strings with U+0000 before they get here.

use std::ffi::CStr;

/// Paths up to this many bytes stay on the stack.
const INLINE: usize = 239;

/// A path for the kernel: bytes without NUL, followed by one NUL.
pub(crate) struct FsPath {
    repr: Repr,
}

#[allow(clippy::large_enum_variant, reason = "the size is the point: a path argument costs no allocation")]
enum Repr {
    Inline { bytes: [u8; INLINE + 1], len: u8 },
    Heap(Vec<u8>),
}

/// The path contained a NUL byte.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NulInPath;

impl FsPath {
    /// From the bytes of a path.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<FsPath, NulInPath> {
        if memchr_nul(bytes) {
            return Err(NulInPath);
        }
        Ok(Self::copy(bytes))
    }

    fn copy(bytes: &[u8]) -> FsPath {
        if bytes.len() <= INLINE {
            let mut inline = [0; INLINE + 1];
            inline[..bytes.len()].copy_from_slice(bytes);
            FsPath { repr: Repr::Inline { bytes: inline, len: bytes.len() as u8 } }
        } else {
            let mut heap = Vec::with_capacity(bytes.len() + 1);
            heap.extend_from_slice(bytes);
            heap.push(0);
            FsPath { repr: Repr::Heap(heap) }
        }
    }

    /// From the characters of a Latin-1 string.
    pub(crate) fn from_latin1(chars: &[u8]) -> Result<FsPath, NulInPath> {
        if let [0, raw @ ..] = chars {
            return Self::from_bytes(raw);
        }
        if chars.is_ascii() {
            return Self::from_bytes(chars);
        }
        let mut utf8 = Vec::with_capacity(chars.len() + 16);
        for &c in chars {
            match c {
                0..0x80 => utf8.push(c),
                _ => utf8.extend_from_slice(&[0xC0 | c >> 6, 0x80 | c & 0x3F]),
            }
        }
        Self::from_bytes(&utf8)
    }

    /// From the units of a UTF-16 string.
    pub(crate) fn from_utf16(units: &[u16]) -> Result<FsPath, NulInPath> {
        if let [0, raw @ ..] = units {
            let bytes: Vec<u8> = raw.iter().map(|&unit| unit as u8).collect();
            return Self::from_bytes(&bytes);
        }
        Self::from_bytes(String::from_utf16_lossy(units).as_bytes())
    }

    /// From a string that an op received as UTF-8.
    pub(crate) fn from_text(text: &str) -> Result<FsPath, NulInPath> {
        match text.strip_prefix('\0') {
            Some(raw) => Self::from_bytes(&raw.chars().map(|c| c as u32 as u8).collect::<Vec<u8>>()),
            None => Self::from_bytes(text.as_bytes()),
        }
    }

    /// The path without its NUL.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.repr {
            Repr::Inline { bytes, len } => &bytes[..*len as usize],
            Repr::Heap(bytes) => &bytes[..bytes.len() - 1],
        }
    }

    /// The path for a system call.
    pub(crate) fn c_str(&self) -> &CStr {
        let with_nul = match &self.repr {
            Repr::Inline { bytes, len } => &bytes[..*len as usize + 1],
            Repr::Heap(bytes) => bytes,
        };
        // SAFETY: every constructor goes through `from_bytes`, which refuses NUL, and `copy`, which appends one.
        unsafe { CStr::from_bytes_with_nul_unchecked(with_nul) }
    }
}

fn memchr_nul(bytes: &[u8]) -> bool {
    // SAFETY: the pointer and length are those of a live slice.
    !bytes.is_empty() && unsafe { !libc::memchr(bytes.as_ptr().cast(), 0, bytes.len()).is_null() }
}

/// `dir` and `name` with exactly one slash between them.
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(dir.len() + name.len() + 1);
    joined.extend_from_slice(dir);
    if !dir.is_empty() && dir.last() != Some(&b'/') {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        assert_eq!(FsPath::from_latin1(b"a/b").unwrap().bytes(), b"a/b");
        assert_eq!(FsPath::from_latin1(b"\xe9").unwrap().bytes(), "é".as_bytes());
        assert_eq!(FsPath::from_latin1(b"\0x\xff").unwrap().bytes(), b"x\xff");
        assert_eq!(FsPath::from_text("\0x\u{ff}").unwrap().bytes(), b"x\xff");
        assert_eq!(FsPath::from_text("€").unwrap().bytes(), "€".as_bytes());
        assert_eq!(FsPath::from_utf16(&[0x20AC, 0xD800]).unwrap().bytes(), "€\u{FFFD}".as_bytes());
        assert!(FsPath::from_latin1(b"a\0b").is_err());
        assert!(FsPath::from_latin1(b"\0a\0b").is_err());
        let long = vec![b'y'; 4000];
        assert_eq!(FsPath::from_latin1(&long).unwrap().c_str().to_bytes(), &long[..]);
        for len in [0, 238, 239, 240, 241] {
            assert_eq!(FsPath::from_latin1(&long[..len]).unwrap().c_str().to_bytes().len(), len);
        }
    }

    #[test]
    fn joins() {
        assert_eq!(join(b"a", b"b"), b"a/b");
        assert_eq!(join(b"/", b"b"), b"/b");
        assert_eq!(join(b"", b"b"), b"b");
    }
}
