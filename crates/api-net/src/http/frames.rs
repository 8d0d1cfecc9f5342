//! Frames of WebSockets (RFC 6455). Whole frames go to lib/, text as strings; messages in several frames, compressed ones
//! and control frames are lib/'s business (lib/internal/websocket/frames.ts).

use std::cell::{Cell, RefCell};

use engine::{JsResult, Local, OpError, Scope};

use crate::net::Net;
use crate::stream::Stream;

/// What reads the frames of a connection.
pub struct Frames {
    /// Frames must be masked (those of clients), or must not be.
    masked: bool,
    /// Most bytes of a frame.
    limit: u64,
    /// The beginning of a frame whose end has not come.
    rest: RefCell<Vec<u8>>,
    stopped: Cell<bool>,
}

/// Why a peer is hung up on: a close code and words.
type Refusal = (u16, &'static str);

#[derive(Debug, PartialEq, Eq)]
struct Header {
    first: u8,
    /// Bytes before the payload.
    length: usize,
    size: u64,
    key: [u8; 4],
}

const FIN: u8 = 0x80;
const TEXT: u8 = 1;

/// The header at the beginning of `data`; `None` where it is not complete.
fn header(data: &[u8], masked: bool, limit: u64) -> Result<Option<Header>, Refusal> {
    let &[first, second, ..] = data else { return Ok(None) };
    let opcode = first & 15;
    if first & 0x30 != 0 {
        return Err((1002, "Received unexpected RSV2 or RSV3 bit"));
    }
    if opcode > 10 || (3..8).contains(&opcode) {
        return Err((1002, "Received invalid opcode"));
    }
    if (second & 0x80 != 0) != masked {
        return Err((1002, "Received an incorrectly masked frame"));
    }
    let (mut length, size) = match second & 0x7f {
        126 => match data.get(2..4) {
            Some(bytes) => (4, u64::from(u16::from_be_bytes([bytes[0], bytes[1]]))),
            None => return Ok(None),
        },
        127 => match data.get(2..10).and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
            Some(bytes) => (10, u64::from_be_bytes(bytes)),
            None => return Ok(None),
        },
        size => (2, u64::from(size)),
    };
    if opcode >= 8 && first & FIN == 0 {
        return Err((1002, "Received fragmented control frame"));
    }
    if opcode >= 8 && size > 125 {
        return Err((1002, "Received too big control frame"));
    }
    if size > limit {
        return Err((1009, "Received too big message"));
    }
    let mut key = [0; 4];
    if masked {
        match data.get(length..length + 4) {
            Some(bytes) => key.copy_from_slice(bytes),
            None => return Ok(None),
        }
        length += 4;
    }
    Ok(Some(Header { first, length, size, key }))
}

/// Masks or unmasks in place.
pub fn mask(bytes: &mut [u8], key: [u8; 4]) {
    let wide = u64::from_ne_bytes([key[0], key[1], key[2], key[3], key[0], key[1], key[2], key[3]]);
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(key.iter().cycle()) {
        *byte ^= mask;
    }
}

impl Frames {
    /// See the fields.
    pub fn new(masked: bool, limit: u64) -> Self {
        Frames { masked, limit, rest: RefCell::default(), stopped: Cell::new(false) }
    }

    /// Takes what has come and hands on the frames that are complete.
    pub fn feed(&self, scope: &mut Scope<'_>, stream: &Stream, input: &[u8]) -> JsResult<()> {
        if self.stopped.get() {
            return Ok(());
        }
        let mut joined = self.rest.take();
        let kept = !joined.is_empty();
        if kept {
            joined.extend_from_slice(input);
        }
        let data = if kept { &joined[..] } else { input };
        let mut at = 0;
        while !stream.is_closing() {
            match header(&data[at..], self.masked, self.limit) {
                Ok(None) => break,
                Ok(Some(header)) => {
                    let size = header.size as usize;
                    let Some(payload) = data[at + header.length..].get(..size) else { break };
                    at += header.length + size;
                    scope.nested(|scope| self.tell(scope, stream, &header, payload))?;
                }
                Err((code, reason)) => {
                    self.stopped.set(true);
                    let args = [scope.int(stream.id as i32), scope.int(i32::from(code)), scope.string(reason)?];
                    return stream.net().call_frame(scope, &args);
                }
            }
        }
        if at == 0 && kept {
            *self.rest.borrow_mut() = joined;
        } else {
            self.rest.borrow_mut().extend_from_slice(&data[at..]);
        }
        Ok(())
    }

    fn tell(&self, scope: &mut Scope<'_>, stream: &Stream, header: &Header, payload: &[u8]) -> JsResult<()> {
        let plain_text = header.first == FIN | TEXT;
        let data = if plain_text && !self.masked {
            Self::text(scope, payload)?
        } else {
            let mut bytes = payload.to_vec();
            if self.masked {
                mask(&mut bytes, header.key);
            }
            if plain_text { Self::text(scope, &bytes)? } else { scope.array_buffer(bytes)? }
        };
        let args = [scope.int(stream.id as i32), scope.int(i32::from(header.first)), data];
        stream.net().call_frame(scope, &args)
    }

    /// A string, or undefined for what is no UTF-8.
    fn text<'s>(scope: &mut Scope<'s>, bytes: &[u8]) -> JsResult<Local<'s>> {
        match std::str::from_utf8(bytes) {
            Ok(text) => scope.string(text),
            Err(_) => Ok(scope.undefined()),
        }
    }
}

/// Room for the longest header.
const HEADER: usize = 14;

/// Begins a frame in `out`, which is emptied: [`finish`] puts the header before the payload that is appended meanwhile.
pub fn begin(out: &mut Vec<u8>) {
    out.clear();
    out.resize(HEADER, 0);
}

/// Writes the header of a frame whose payload stands in `out` from [`HEADER`] on (`size` bytes, of which there may be
/// fewer in `out`), and masks it with `key`: the frame begins at the number returned.
pub fn finish(out: &mut [u8], first: u8, size: usize, key: Option<[u8; 4]>) -> usize {
    let extended = if size < 126 {
        0
    } else if size < 1 << 16 {
        2
    } else {
        8
    };
    let start = HEADER - 2 - extended - if key.is_some() { 4 } else { 0 };
    let masked = if key.is_some() { 0x80 } else { 0 };
    out[start] = first;
    out[start + 1] = masked
        | if extended == 0 {
            size as u8
        } else if extended == 2 {
            126
        } else {
            127
        };
    let length = (size as u64).to_be_bytes();
    out[start + 2..start + 2 + extended].copy_from_slice(&length[8 - extended..]);
    if let Some(key) = key {
        out[HEADER - 4..HEADER].copy_from_slice(&key);
        mask(&mut out[HEADER..], key);
    }
    start
}

/// Unpredictable masking keys: random bytes are had from the system for many frames at once.
#[derive(Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
}

impl Keys {
    /// The next key.
    pub fn take(&mut self) -> Result<[u8; 4], OpError> {
        if self.bytes.len() < 4 {
            self.bytes.resize(1024, 0);
            // SAFETY: writes into a valid slice.
            let count = unsafe { libc::getrandom(self.bytes.as_mut_ptr().cast(), self.bytes.len(), 0) };
            if count != self.bytes.len() as isize {
                self.bytes.clear();
                return Err(OpError::error("the system has no random bytes"));
            }
        }
        let from = self.bytes.len() - 4;
        let key = [self.bytes[from], self.bytes[from + 1], self.bytes[from + 2], self.bytes[from + 3]];
        self.bytes.truncate(from);
        Ok(key)
    }
}

/// The thread's keys.
pub fn next_key(net: &Net) -> Result<[u8; 4], OpError> {
    net.keys.borrow_mut().take()
}

#[cfg(test)]
mod tests {
    use super::{begin, finish, header, mask};

    #[test]
    fn frames_out_and_in() {
        for size in [0usize, 1, 125, 126, 65_535, 65_536] {
            for key in [None, Some([1, 2, 3, 250])] {
                let mut out = Vec::new();
                begin(&mut out);
                out.extend((0..size).map(|i| i as u8));
                let start = finish(&mut out, 0x82, size, key);
                let frame = &out[start..];
                let found = header(frame, key.is_some(), 1 << 20).unwrap().unwrap();
                assert_eq!((found.first, found.size as usize), (0x82, size));
                let mut payload = frame[found.length..].to_vec();
                mask(&mut payload, found.key);
                assert!(payload.iter().enumerate().all(|(i, &byte)| byte == i as u8));
                // No prefix of it is a header of another size.
                for cut in 0..found.length {
                    assert_eq!(header(&frame[..cut], key.is_some(), 1 << 20), Ok(None));
                }
            }
        }
    }

    #[test]
    fn refused() {
        assert!(header(&[0x83, 0], false, 10).is_err());
        assert!(header(&[0xb1, 0], false, 10).is_err());
        assert!(header(&[0x81, 0], true, 10).is_err());
        assert!(header(&[0x81, 0x80], false, 10).is_err());
        assert!(header(&[0x09, 0], false, 10).is_err());
        assert!(header(&[0x89, 126, 0, 200], false, 1000).is_err());
        assert_eq!(header(&[0x82, 11], false, 10).unwrap_err().0, 1009);
        assert_eq!(header(&[0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], false, 10).unwrap_err().0, 1009);
    }
}
