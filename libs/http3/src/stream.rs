//! What is known of one request and its answer.

use std::collections::VecDeque;

use bytes::Bytes;
use quinn_proto::StreamId;

use crate::frame::{self, Head, code};

/// Which frames may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// A request, or an answer.
    Message,
    /// A body, or trailers.
    Body,
    /// Nothing.
    End,
}

/// Where in a frame the input stands.
#[derive(Debug)]
pub(crate) enum Place {
    Head,
    Data(u64),
    /// A header block with so many bytes to come.
    Block(u64),
    Skip(u64),
}

/// What a look at the input came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// All of it is used up.
    More,
    /// A header block is complete.
    Block(Vec<u8>),
    /// The block is larger than allowed.
    TooLarge,
    /// The connection is lost, with this code.
    Broken(u64),
}

/// Frames without content that may come on a stream: who sends more of them wants to keep this side busy.
const MAX_IDLE_FRAMES: u32 = 1000;

#[derive(Debug)]
pub(crate) struct Stream {
    /// `None`: waits until the peer allows one more stream.
    pub id: Option<StreamId>,
    // Receiving.
    pub expect: Expect,
    pub place: Place,
    head: Head,
    pub input: Bytes,
    block: Vec<u8>,
    /// Pieces of the body that have not been told.
    pub data: Vec<u8>,
    idle_frames: u32,
    /// The peer has ended its half.
    pub fin: bool,
    pub reading: bool,
    pub received: u64,
    pub content_length: Option<u64>,
    /// A request for a head only: its answer names a length without having a body.
    pub bodyless: bool,
    pub received_all: bool,
    /// Stands in the list of streams to read.
    pub queued: bool,
    // Sending.
    pub out: VecDeque<Bytes>,
    pub answered: bool,
    pub shut: bool,
    pub sent_all: bool,
    /// [`Session::write`](crate::Session::write) waits to hear that it was taken.
    pub waits: bool,
    pub unsent: bool,
    // The end.
    pub code: u64,
    /// Nobody wants to hear that it is over, where it ended well.
    pub quiet: bool,
}

impl Stream {
    pub(crate) fn new(id: Option<StreamId>) -> Stream {
        Stream {
            id,
            expect: Expect::Message,
            place: Place::Head,
            head: Head::default(),
            input: Bytes::new(),
            block: Vec::new(),
            data: Vec::new(),
            idle_frames: 0,
            fin: false,
            reading: true,
            received: 0,
            content_length: None,
            bodyless: false,
            received_all: false,
            queued: false,
            out: VecDeque::new(),
            answered: false,
            shut: false,
            sent_all: false,
            waits: false,
            unsent: false,
            code: code::NO_ERROR,
            quiet: false,
        }
    }

    /// Whether nobody wants what would come next.
    pub(crate) fn is_held(&self) -> bool {
        !self.reading
            && (matches!(self.place, Place::Data(_)) || (self.expect == Expect::Body && self.input.is_empty()))
    }

    /// Whether the input ends in the middle of a frame.
    pub(crate) fn is_torn(&self) -> bool {
        self.head.is_begun() || !matches!(self.place, Place::Head)
    }

    /// Looks at the input. `client`: this side is one; `max_block`: most bytes of a header block.
    pub(crate) fn parse(&mut self, client: bool, max_block: usize) -> Parsed {
        loop {
            match self.place {
                Place::Head => {
                    let before = self.input.len();
                    let mut rest = &self.input[..];
                    let head = self.head.take(&mut rest);
                    let used = before - rest.len();
                    self.input = self.input.slice(used..);
                    let Some((kind, length)) = head else { return Parsed::More };
                    if let Some(error) = self.begin(kind, length, client) {
                        return Parsed::Broken(error);
                    }
                    if matches!(self.place, Place::Block(_)) && length > max_block as u64 {
                        self.place = Place::Skip(length);
                        return Parsed::TooLarge;
                    }
                }
                Place::Data(left) => {
                    let bytes = self.take(left);
                    self.data.extend_from_slice(&bytes);
                    self.received += bytes.len() as u64;
                    self.place = advanced(left, &bytes, Place::Data);
                    if self.input.is_empty() {
                        return Parsed::More;
                    }
                    if !self.reading {
                        return Parsed::More;
                    }
                }
                Place::Block(left) => {
                    let bytes = self.take(left);
                    self.block.extend_from_slice(&bytes);
                    self.place = advanced(left, &bytes, Place::Block);
                    if matches!(self.place, Place::Head) {
                        return Parsed::Block(std::mem::take(&mut self.block));
                    }
                    return Parsed::More;
                }
                Place::Skip(left) => {
                    let bytes = self.take(left);
                    self.place = advanced(left, &bytes, Place::Skip);
                    if self.input.is_empty() {
                        return Parsed::More;
                    }
                }
            }
        }
    }

    fn take(&mut self, left: u64) -> Bytes {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(self.input.len());
        self.input.split_to(length)
    }

    /// A frame begins: the error that it is, if it must not come here.
    fn begin(&mut self, kind: u64, length: u64, client: bool) -> Option<u64> {
        self.place = match kind {
            frame::DATA => {
                if self.expect != Expect::Body {
                    return Some(code::FRAME_UNEXPECTED);
                }
                Place::Data(length)
            }
            frame::HEADERS => {
                if self.expect == Expect::End {
                    return Some(code::FRAME_UNEXPECTED);
                }
                Place::Block(length)
            }
            // Nothing was promised that could be pushed.
            frame::PUSH_PROMISE => return Some(if client { code::ID_ERROR } else { code::FRAME_UNEXPECTED }),
            frame::CANCEL_PUSH | frame::SETTINGS | frame::GOAWAY | frame::MAX_PUSH_ID => {
                return Some(code::FRAME_UNEXPECTED);
            }
            _ if frame::is_reserved(kind) => return Some(code::FRAME_UNEXPECTED),
            _ => Place::Skip(length),
        };
        if length > 0 && kind == frame::DATA {
            return None;
        }
        if kind != frame::HEADERS {
            self.idle_frames += 1;
            if self.idle_frames > MAX_IDLE_FRAMES {
                return Some(code::EXCESSIVE_LOAD);
            }
        }
        if length == 0 && kind != frame::HEADERS {
            self.place = Place::Head;
        }
        None
    }
}

fn advanced(left: u64, bytes: &Bytes, make: impl FnOnce(u64) -> Place) -> Place {
    let left = left - bytes.len() as u64;
    if left == 0 { Place::Head } else { make(left) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::write_head;

    fn fed(stream: &mut Stream, frames: &[(u64, &[u8])]) -> Parsed {
        let mut bytes = Vec::new();
        for (kind, content) in frames {
            write_head(&mut bytes, *kind, content.len());
            bytes.extend_from_slice(content);
        }
        stream.input = bytes.into();
        stream.parse(false, 1000)
    }

    #[test]
    fn frames_in_order() {
        let mut stream = Stream::new(None);
        assert_eq!(fed(&mut stream, &[(frame::HEADERS, b"abc")]), Parsed::Block(b"abc".to_vec()));
        stream.expect = Expect::Body;
        assert_eq!(fed(&mut stream, &[(0, b"one"), (0x21, b"grease"), (0, b""), (0, b" two")]), Parsed::More);
        assert_eq!(stream.data, b"one two");
        assert_eq!(stream.received, 7);
        assert!(!stream.is_torn());
        assert_eq!(fed(&mut stream, &[(frame::HEADERS, b"x")]), Parsed::Block(b"x".to_vec()));
        stream.expect = Expect::End;
        assert_eq!(fed(&mut stream, &[(0, b"x")]), Parsed::Broken(code::FRAME_UNEXPECTED));
    }

    #[test]
    fn frames_byte_by_byte() {
        let mut bytes = Vec::new();
        write_head(&mut bytes, frame::HEADERS, 70);
        bytes.extend_from_slice(&[7; 70]);
        let mut stream = Stream::new(None);
        let last = bytes.pop().unwrap();
        for byte in bytes {
            stream.input = vec![byte].into();
            assert_eq!(stream.parse(false, 1000), Parsed::More);
            assert!(stream.is_torn());
        }
        stream.input = vec![last].into();
        assert_eq!(stream.parse(false, 1000), Parsed::Block(vec![7; 70]));
    }

    #[test]
    fn frames_that_must_not_come() {
        for kind in [0, 2, 3, 4, 5, 6, 7, 8, 9, 13] {
            let mut stream = Stream::new(None);
            assert_eq!(fed(&mut stream, &[(kind, b"")]), Parsed::Broken(code::FRAME_UNEXPECTED), "{kind}");
        }
        let mut stream = Stream::new(None);
        assert_eq!(fed(&mut stream, &[(frame::HEADERS, &[0; 1001])]), Parsed::TooLarge);
        let mut stream = Stream::new(None);
        assert_eq!(fed(&mut stream, &[(0x21, &b""[..]); 1001]), Parsed::Broken(code::EXCESSIVE_LOAD));
    }

    #[test]
    fn a_body_that_nobody_reads() {
        let mut stream = Stream::new(None);
        stream.expect = Expect::Body;
        stream.reading = false;
        assert!(stream.is_held());
        stream.reading = true;
        assert!(!stream.is_held());
    }
}
