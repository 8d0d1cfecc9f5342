//! Frames and numbers of HTTP/3 (RFC 9114, sections 7 and 8; integers: RFC 9000, section 16).

pub const DATA: u64 = 0;
pub const HEADERS: u64 = 1;
pub const CANCEL_PUSH: u64 = 3;
pub const SETTINGS: u64 = 4;
pub const PUSH_PROMISE: u64 = 5;
pub const GOAWAY: u64 = 7;
pub const MAX_PUSH_ID: u64 = 13;

/// Types of one-way streams.
pub const STREAM_CONTROL: u64 = 0;
pub const STREAM_PUSH: u64 = 1;
pub const STREAM_ENCODER: u64 = 2;
pub const STREAM_DECODER: u64 = 3;

pub const SETTING_TABLE: u64 = 1;
pub const SETTING_FIELDS: u64 = 6;
pub const SETTING_BLOCKED: u64 = 7;

/// Codes of errors.
pub mod code {
    pub const NO_ERROR: u64 = 0x100;
    pub const GENERAL_PROTOCOL_ERROR: u64 = 0x101;
    pub const INTERNAL_ERROR: u64 = 0x102;
    pub const STREAM_CREATION_ERROR: u64 = 0x103;
    pub const CLOSED_CRITICAL_STREAM: u64 = 0x104;
    pub const FRAME_UNEXPECTED: u64 = 0x105;
    pub const FRAME_ERROR: u64 = 0x106;
    pub const EXCESSIVE_LOAD: u64 = 0x107;
    pub const ID_ERROR: u64 = 0x108;
    pub const SETTINGS_ERROR: u64 = 0x109;
    pub const MISSING_SETTINGS: u64 = 0x10a;
    pub const REQUEST_REJECTED: u64 = 0x10b;
    pub const REQUEST_CANCELLED: u64 = 0x10c;
    pub const REQUEST_INCOMPLETE: u64 = 0x10d;
    pub const MESSAGE_ERROR: u64 = 0x10e;
    pub const QPACK_DECOMPRESSION_FAILED: u64 = 0x200;
    pub const QPACK_ENCODER_STREAM_ERROR: u64 = 0x201;
    pub const QPACK_DECODER_STREAM_ERROR: u64 = 0x202;
}

/// Frames of HTTP/2 that must not come (section 7.2.8).
pub fn is_reserved(kind: u64) -> bool {
    matches!(kind, 2 | 6 | 8 | 9)
}

/// Settings of HTTP/2 that must not come (section 7.2.4.1).
pub fn is_reserved_setting(id: u64) -> bool {
    matches!(id, 0 | 2..=5)
}

/// Writes an integer below 2^62.
pub fn write_varint(out: &mut Vec<u8>, value: u64) {
    match value {
        0..0x40 => out.push(value as u8),
        0x40..0x4000 => out.extend_from_slice(&(value as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => out.extend_from_slice(&(value as u32 | 0x8000_0000).to_be_bytes()),
        _ => out.extend_from_slice(&(value | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

/// Reads an integer: its value and length; `None` where bytes are missing.
pub fn read_varint(input: &[u8]) -> Option<(u64, usize)> {
    let first = *input.first()?;
    let length = 1 << (first >> 6);
    let bytes = input.get(..length)?;
    let value = bytes[1..].iter().fold(u64::from(first & 0x3f), |sum, byte| sum << 8 | u64::from(*byte));
    Some((value, length))
}

/// Writes the head of a frame.
pub fn write_head(out: &mut Vec<u8>, kind: u64, length: usize) {
    write_varint(out, kind);
    write_varint(out, length as u64);
}

/// Reads the head of a frame, its bytes coming in pieces.
#[derive(Debug, Default)]
pub struct Head {
    bytes: [u8; 16],
    length: usize,
}

impl Head {
    /// Takes bytes from the front of `input` until a head is complete: its type, the length of what follows.
    pub fn take(&mut self, input: &mut &[u8]) -> Option<(u64, u64)> {
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            self.bytes[self.length] = byte;
            self.length += 1;
            let bytes = &self.bytes[..self.length];
            if let Some((kind, at)) = read_varint(bytes)
                && let Some((length, _)) = read_varint(&bytes[at..])
            {
                self.length = 0;
                return Some((kind, length));
            }
        }
        None
    }

    /// Whether a part of a head has come.
    pub fn is_begun(&self) -> bool {
        self.length > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        // RFC 9000, A.1.
        for (bytes, value) in [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15293),
            (&[0x25], 37),
        ] {
            assert_eq!(read_varint(bytes), Some((value, bytes.len())));
            let mut out = Vec::new();
            write_varint(&mut out, value);
            assert_eq!(out, bytes);
            assert_eq!(read_varint(&bytes[..bytes.len() - 1]), None);
        }
        // Longer than needed is allowed.
        assert_eq!(read_varint(&[0x40, 0x25]), Some((37, 2)));
    }

    #[test]
    fn heads_in_pieces() {
        let mut bytes = Vec::new();
        write_head(&mut bytes, 0x21, 100_000);
        for split in 0..bytes.len() {
            let mut head = Head::default();
            let mut first = &bytes[..split];
            assert_eq!(head.take(&mut first), None);
            assert_eq!(head.is_begun(), split > 0);
            let mut second = &bytes[split..];
            assert_eq!(head.take(&mut second), Some((0x21, 100_000)));
            assert!(second.is_empty());
        }
    }
}
