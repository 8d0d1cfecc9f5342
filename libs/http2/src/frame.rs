//! Frames (RFC 9113, section 4): their heads, types and flags, and codes of errors.

/// Bytes of a frame's head.
pub const HEAD: usize = 9;
/// Largest payload in bytes that every peer accepts.
pub const DEFAULT_FRAME_SIZE: u32 = 16_384;
/// The connection preface of a client.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;
pub const ALTSVC: u8 = 10;
pub const ORIGIN: u8 = 12;

pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;
pub const PADDED: u8 = 8;
pub const HAS_PRIORITY: u8 = 0x20;

pub const NO_ERROR: u32 = 0;
pub const PROTOCOL_ERROR: u32 = 1;
pub const INTERNAL_ERROR: u32 = 2;
pub const FLOW_CONTROL_ERROR: u32 = 3;
pub const STREAM_CLOSED: u32 = 5;
pub const FRAME_SIZE_ERROR: u32 = 6;
pub const REFUSED_STREAM: u32 = 7;
pub const CANCEL: u32 = 8;
pub const COMPRESSION_ERROR: u32 = 9;
pub const ENHANCE_YOUR_CALM: u32 = 11;

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub length: usize,
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
}

impl Head {
    /// Reads nine bytes.
    pub fn read(bytes: &[u8]) -> Head {
        Head {
            length: usize::from(bytes[0]) << 16 | usize::from(bytes[1]) << 8 | usize::from(bytes[2]),
            kind: bytes[3],
            flags: bytes[4],
            stream: read_u32(&bytes[5..]) & 0x7fff_ffff,
        }
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Four bytes as a number.
pub fn read_u32(bytes: &[u8]) -> u32 {
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Appends the head of a frame.
pub fn head(out: &mut Vec<u8>, length: usize, kind: u8, flags: u8, stream: u32) {
    let size = (length as u32).to_be_bytes();
    let id = stream.to_be_bytes();
    out.extend_from_slice(&[size[1], size[2], size[3], kind, flags, id[0], id[1], id[2], id[3]]);
}

/// Writes the length and the flags of a frame whose head begins at `at`.
pub fn patch(out: &mut [u8], at: usize, length: usize, flags: u8) {
    let size = (length as u32).to_be_bytes();
    out[at..at + 3].copy_from_slice(&size[1..]);
    out[at + 4] = flags;
}

/// A payload without its padding; `None` if the padding is longer than the frame.
pub fn unpadded<'a>(head: &Head, payload: &'a [u8]) -> Option<&'a [u8]> {
    if !head.has(PADDED) {
        return Some(payload);
    }
    let (pad, rest) = payload.split_first()?;
    rest.len().checked_sub(usize::from(*pad)).map(|length| &rest[..length])
}
