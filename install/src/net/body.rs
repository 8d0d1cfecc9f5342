//! Bodies: the chunked coding undone, gzip undone.

use std::cell::RefCell;

/// Progress of a chunked body. Feed it bytes; it appends the payload.
#[derive(Debug, Default)]
pub(super) struct Chunked {
    /// Bytes left of the chunk, and its line end.
    left: u64,
    state: State,
    digits: u32,
    line: usize,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum State {
    #[default]
    Size,
    Extension,
    Data,
    DataEnd,
    Trailer,
    Done,
}

impl Chunked {
    /// Takes `input`, appends to `out`. The number of bytes used, or nothing where it is malformed.
    pub(super) fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            let byte = input[at];
            match self.state {
                State::Size => {
                    at += 1;
                    match char::from(byte).to_digit(16) {
                        Some(digit) => {
                            self.digits += 1;
                            if self.digits > 15 {
                                return None;
                            }
                            self.left = self.left << 4 | u64::from(digit);
                        }
                        None if self.digits > 0 => {
                            self.state = State::Extension;
                            at -= 1;
                        }
                        None => return None,
                    }
                }
                State::Extension => {
                    at += 1;
                    if byte == b'\n' {
                        self.digits = 0;
                        self.state = if self.left == 0 { State::Trailer } else { State::Data };
                        self.line = 0;
                    }
                }
                State::Data => {
                    let take = (input.len() - at).min(usize::try_from(self.left).ok()?);
                    out.extend_from_slice(&input[at..at + take]);
                    at += take;
                    self.left -= take as u64;
                    if self.left == 0 {
                        self.state = State::DataEnd;
                    }
                }
                State::DataEnd => {
                    at += 1;
                    match byte {
                        b'\r' => {}
                        b'\n' => self.state = State::Size,
                        _ => return None,
                    }
                }
                State::Trailer => {
                    at += 1;
                    match byte {
                        b'\n' if self.line == 0 => self.state = State::Done,
                        b'\n' => self.line = 0,
                        b'\r' => {}
                        _ => self.line += 1,
                    }
                }
                State::Done => {}
            }
        }
        Some(at)
    }

    pub(super) fn done(&self) -> bool {
        self.state == State::Done
    }
}

/// Largest document that is unpacked.
const LIMIT: usize = 512 << 20;

/// A buffer up to this size is kept for the next document of the thread.
const KEPT: usize = 8 << 20;

thread_local! {
    static SCRATCH: RefCell<(libdeflater::Decompressor, Vec<u8>)> =
        RefCell::new((libdeflater::Decompressor::new(), Vec::new()));
}

/// Undoes gzip and gives the result to `read`, in a buffer that the thread keeps. The trailer says how long the result is, within
/// bounds; where it lies the buffer grows.
pub(crate) fn with_gunzipped<T>(input: &[u8], read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let trailer = input.last_chunk::<4>()?;
    let announced = u32::from_le_bytes(*trailer) as usize;
    let mut room = if announced > input.len() / 2 && announced < 64 << 20 { announced } else { input.len() * 8 };
    SCRATCH.with_borrow_mut(|(decompressor, buffer)| {
        loop {
            if buffer.len() < room.max(64) {
                buffer.clear();
                buffer.resize(room.max(64), 0);
            }
            match decompressor.gzip_decompress(input, buffer) {
                Ok(length) => {
                    let result = read(&buffer[..length]);
                    if buffer.len() > KEPT {
                        *buffer = Vec::new();
                    }
                    return Some(result);
                }
                Err(libdeflater::DecompressionError::InsufficientSpace) if room < LIMIT => room *= 4,
                Err(_) => return None,
            }
        }
    })
}

/// Undoes gzip.
pub(super) fn gunzip(input: &[u8]) -> Option<Vec<u8>> {
    with_gunzipped(input, <[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_split_anywhere() {
        let text = b"4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\nA: b\r\n\r\n";
        for split in 1..text.len() {
            let mut chunked = Chunked::default();
            let mut out = Vec::new();
            for part in text.chunks(split) {
                assert_eq!(chunked.feed(part, &mut out), Some(part.len()));
            }
            assert!(chunked.done());
            assert_eq!(out, b"Wikipedia ");
        }
        assert!(Chunked::default().feed(b"zz", &mut Vec::new()).is_none());
    }
}
