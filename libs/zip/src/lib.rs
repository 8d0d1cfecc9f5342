//! Zip archives (APPNOTE.TXT 6.3.10: <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>).
//!
//! [`Archive::open`] reads the directory at the end and nothing else; [`Archive::read`] inflates one entry. [`Archive::walk`] gives all
//! entries to a [`tar::Sink`], so that whoever unpacks tar archives unpacks these with the same checks. [`Writer`] makes an archive.
//!
//! Entries are stored or deflated, with sizes of 64 bits where they are needed. Encrypted entries, other methods and archives of several
//! disks are refused.

mod cp437;
mod dos_time;
mod read;
mod write;

pub use read::{Archive, Entry, EntryKind};
pub use write::Writer;

use tar::{Error, Kind};

/// Signatures, little-endian.
const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;

/// Lengths of the parts that have a fixed length.
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
const END_64_LENGTH: usize = 56;
const LOCATOR_64_LENGTH: usize = 20;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Bits of the flags.
const ENCRYPTED: u16 = 1;
const UTF8: u16 = 1 << 11;

/// Identifiers of extra fields: sizes of 64 bits, and the time of modification as Unix has it.
const EXTRA_64: u16 = 1;
const EXTRA_TIME: u16 = 0x5455;

/// "Made by" Unix: the upper half of the external attributes is a mode.
const UNIX: u8 = 3;

/// Whether bytes begin as a zip archive does: with an entry, or with the end of an empty one.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(&LOCAL.to_le_bytes()) || bytes.starts_with(&END.to_le_bytes())
}

fn damaged(why: &str) -> Error {
    Error { message: format!("The archive is damaged: {why}"), cause: None, kind: Kind::Damaged }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The contents of an extra field.
fn extra(fields: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = fields;
    while let (Some(id), Some(length)) = (u16_at(rest, 0), u16_at(rest, 2)) {
        let data = rest.get(4..4 + usize::from(length))?;
        if id == wanted {
            return Some(data);
        }
        rest = &rest[4 + data.len()..];
    }
    None
}
