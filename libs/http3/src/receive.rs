//! What comes on a connection's streams.

use bytes::Bytes;
use http2::message::{Check, Kind, Verdict};
use http2::prefix::read_int;
use quinn_proto::{ReadError, ReadableError, Side, StreamId};

use crate::frame::{self, Head, code};
use crate::qpack;
use crate::session::{Category, Event, Session};
use crate::stream::{Expect, Parsed};

/// Bytes of a body that are told at once.
const PIECE: usize = 256 << 10;
/// Most bytes of a frame on a control stream.
const MAX_CONTROL: u64 = 16 << 10;
/// Frames on a control stream that say nothing new.
const MAX_CONTROL_FRAMES: u32 = 1000;

/// A one-way stream of the peer.
#[derive(Debug, Default)]
pub(crate) struct Control {
    kind: Option<u64>,
    /// The beginning of something that is not complete.
    rest: Vec<u8>,
    head: Head,
    /// The frame that is coming.
    frame: Option<(u64, u64)>,
    frames: u32,
}

/// The next piece of a stream.
enum Piece {
    Some(Bytes),
    End,
    Later,
    Reset(u64),
    Gone,
}

impl Session {
    fn piece(&mut self, id: StreamId) -> Piece {
        let mut stream = self.connection.recv_stream(id);
        let mut chunks = match stream.read(true) {
            Ok(chunks) => chunks,
            Err(ReadableError::ClosedStream | ReadableError::IllegalOrderedRead) => return Piece::Gone,
        };
        let piece = match chunks.next(PIECE) {
            Ok(Some(chunk)) => Piece::Some(chunk.bytes),
            Ok(None) => Piece::End,
            Err(ReadError::Blocked) => Piece::Later,
            Err(ReadError::Reset(error)) => Piece::Reset(error.into_inner()),
        };
        // Whoever drives the connection sends after each step.
        let _ = chunks.finalize();
        piece
    }

    /// Looks at a stream that has something to read.
    pub(crate) fn read(&mut self, id: StreamId) {
        if let Some(&number) = self.numbers.get(&id) {
            self.read_message(number, id);
        } else if self.one_way.contains_key(&id) {
            self.read_one_way(id);
        }
    }

    // ---- requests and answers

    fn read_message(&mut self, number: u32, id: StreamId) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.queued = false;
        }
        loop {
            let Some(stream) = self.streams.get_mut(&number) else { return };
            if stream.received_all {
                return;
            }
            if stream.data.len() >= PIECE {
                self.tell_data(number);
                self.queue_read(id);
                return;
            }
            if stream.is_held() {
                self.tell_data(number);
                return;
            }
            if stream.input.is_empty() {
                if stream.fin {
                    self.tell_data(number);
                    self.message_ended(number);
                    return;
                }
                match self.piece(id) {
                    Piece::Some(bytes) => self.set_input(number, bytes, false),
                    Piece::End => self.set_input(number, Bytes::new(), true),
                    Piece::Later => {
                        self.tell_data(number);
                        return;
                    }
                    Piece::Reset(error) => {
                        self.message_reset(number, error);
                        return;
                    }
                    Piece::Gone => return,
                }
                continue;
            }
            let (client, max) = (!self.server, self.max_fields);
            match stream.parse(client, max) {
                Parsed::More => {}
                Parsed::Block(block) => {
                    self.tell_data(number);
                    if self.message_block(number, id, &block) {
                        self.queue_read(id);
                    }
                    return;
                }
                Parsed::TooLarge => {
                    self.too_large(number);
                    return;
                }
                Parsed::Broken(error) => {
                    self.fail(error, "a frame that must not come");
                    return;
                }
            }
        }
    }

    fn set_input(&mut self, number: u32, bytes: Bytes, fin: bool) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.input = bytes;
            stream.fin |= fin;
        }
    }

    fn tell_data(&mut self, number: u32) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if !stream.data.is_empty() {
            let bytes = std::mem::take(&mut stream.data);
            self.events.push_back(Event::Data { stream: number, bytes });
        }
    }

    fn message_reset(&mut self, number: u32, error: u64) {
        if self.server && !self.resets.take(self.now) {
            self.fail(code::EXCESSIVE_LOAD, "too many streams were cancelled");
            return;
        }
        let Some(stream) = self.streams.get_mut(&number) else { return };
        stream.received_all = true;
        stream.data.clear();
        // A peer that breaks off must not look like one that has said all.
        let error = if error == code::NO_ERROR { code::REQUEST_CANCELLED } else { error };
        stream.code = error;
        self.reset(number, error);
    }

    /// A message that is none: the stream is lost.
    fn malformed(&mut self, number: u32) {
        self.reset(number, code::MESSAGE_ERROR);
    }

    fn too_large(&mut self, number: u32) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if !self.server {
            self.reset(number, code::EXCESSIVE_LOAD);
            return;
        }
        if stream.expect == Expect::Message {
            // Nobody has heard of this request.
            stream.quiet = true;
            self.respond(number, b":status\x00431\x00", true);
            self.reset(number, code::NO_ERROR);
        } else {
            self.reset(number, code::EXCESSIVE_LOAD);
        }
    }

    /// A header block is complete. False: the stream has no more to say.
    fn message_block(&mut self, number: u32, id: StreamId, block: &[u8]) -> bool {
        let Some(stream) = self.streams.get(&number) else { return false };
        let fresh = stream.expect == Expect::Message;
        let kind = match (fresh, self.server) {
            (false, _) => Kind::Trailers,
            (true, true) => Kind::Request,
            (true, false) => Kind::Response,
        };
        let bodyless = stream.bodyless;
        let mut check = Check::new(kind, false);
        let (mut malformed, mut left) = (false, self.max_fields);
        let text = &mut self.text;
        text.clear();
        let mut large = false;
        let decoded = qpack::decode(block, |name, value, _| {
            match left.checked_sub(name.len() + value.len() + 32) {
                Some(rest) => left = rest,
                None => {
                    large = true;
                    return false;
                }
            }
            let verdict = check.field(name, value, false);
            match verdict {
                Verdict::Keep => {
                    text.extend_from_slice(name);
                    text.push(0);
                    text.extend_from_slice(value);
                    text.push(0);
                }
                Verdict::Drop => {}
                Verdict::Malformed => malformed = true,
            }
            // It is of requests only (RFC 9114, 4.2).
            malformed |= name == b"te" && kind != Kind::Request;
            !malformed
        });
        if decoded.is_err() {
            self.fail(code::QPACK_DECOMPRESSION_FAILED, "a header block that cannot be read");
            return false;
        }
        if large {
            self.too_large(number);
            return false;
        }
        if malformed || !check.is_complete() {
            self.malformed(number);
            return false;
        }
        let info = kind == Kind::Response && check.status < 200;
        // The end often comes with the last block.
        let Some(stream) = self.streams.get(&number) else { return false };
        if !info && stream.input.is_empty() && !stream.fin {
            match self.piece(id) {
                Piece::Some(bytes) => self.set_input(number, bytes, false),
                Piece::End => self.set_input(number, Bytes::new(), true),
                Piece::Reset(error) => {
                    self.message_reset(number, error);
                    return false;
                }
                Piece::Later | Piece::Gone => {}
            }
        }
        let Some(stream) = self.streams.get_mut(&number) else { return false };
        if fresh && !info {
            stream.expect = Expect::Body;
            stream.content_length = check.content_length;
            // Answers that name a length without having a body (RFC 9110, 8.6).
            stream.bodyless = bodyless || check.status == 304;
        } else if !fresh {
            stream.expect = Expect::End;
        }
        let end = stream.fin && stream.input.is_empty() && !info;
        if end {
            let wrong = stream.content_length.is_some_and(|length| length != stream.received) && !stream.bodyless;
            if wrong {
                self.malformed(number);
                return false;
            }
            stream.received_all = true;
        }
        let category = match kind {
            Kind::Request => Category::Request,
            Kind::Response => Category::Response,
            Kind::Trailers => Category::Trailers,
        };
        self.events.push_back(Event::Headers { stream: number, category, end, fresh });
        if end {
            self.retire(number);
        }
        !end
    }

    /// The peer's half has ended.
    fn message_ended(&mut self, number: u32) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if stream.is_torn() {
            self.fail(code::FRAME_ERROR, "a stream ends in the middle of a frame");
            return;
        }
        if stream.expect == Expect::Message {
            let error = if self.server { code::REQUEST_INCOMPLETE } else { code::MESSAGE_ERROR };
            self.reset(number, error);
            return;
        }
        if !stream.bodyless && stream.content_length.is_some_and(|length| length != stream.received) {
            self.malformed(number);
            return;
        }
        stream.received_all = true;
        self.events.push_back(Event::End { stream: number });
        self.retire(number);
    }

    // ---- one-way streams

    fn read_one_way(&mut self, id: StreamId) {
        loop {
            if self.over {
                return;
            }
            let bytes = match self.piece(id) {
                Piece::Some(bytes) => bytes,
                Piece::Later => return,
                Piece::End | Piece::Reset(_) | Piece::Gone => {
                    let kind = self.one_way.remove(&id).and_then(|stream| stream.kind);
                    if matches!(kind, Some(frame::STREAM_CONTROL | frame::STREAM_ENCODER | frame::STREAM_DECODER)) {
                        self.fail(code::CLOSED_CRITICAL_STREAM, "a critical stream has ended");
                    }
                    return;
                }
            };
            let mut input = &bytes[..];
            while !input.is_empty() && !self.over {
                let Some(stream) = self.one_way.get_mut(&id) else { return };
                match stream.kind {
                    None => {
                        stream.rest.push(input[0]);
                        input = &input[1..];
                        if let Some((kind, _)) = frame::read_varint(&stream.rest) {
                            stream.rest.clear();
                            stream.kind = Some(kind);
                            self.one_way_begins(id, kind);
                        }
                    }
                    Some(frame::STREAM_CONTROL) => self.control_input(id, &mut input),
                    Some(frame::STREAM_ENCODER) => self.encoder_input(id, &mut input),
                    Some(frame::STREAM_DECODER) => self.decoder_input(id, &mut input),
                    Some(_) => return,
                }
            }
        }
    }

    fn one_way_begins(&mut self, id: StreamId, kind: u64) {
        match kind {
            frame::STREAM_CONTROL | frame::STREAM_ENCODER | frame::STREAM_DECODER => {
                let bit = 1 << kind;
                if self.critical & bit != 0 {
                    self.fail(code::STREAM_CREATION_ERROR, "a second stream of its type");
                }
                self.critical |= bit;
            }
            frame::STREAM_PUSH => {
                let error = if self.server { code::STREAM_CREATION_ERROR } else { code::ID_ERROR };
                self.fail(error, "a push that nobody allowed");
            }
            _ => {
                // Unknown ones are of no interest.
                self.one_way.remove(&id);
                let error =
                    quinn_proto::VarInt::from_u64(code::STREAM_CREATION_ERROR).unwrap_or(quinn_proto::VarInt::MAX);
                let _ = self.connection.recv_stream(id).stop(error);
            }
        }
    }

    fn control_input(&mut self, id: StreamId, input: &mut &[u8]) {
        let Some(stream) = self.one_way.get_mut(&id) else { return };
        let (kind, left) = match stream.frame {
            Some(frame) => frame,
            None => {
                let Some((kind, length)) = stream.head.take(input) else { return };
                stream.frames += 1;
                if stream.frames > MAX_CONTROL_FRAMES {
                    self.fail(code::EXCESSIVE_LOAD, "too many frames on the control stream");
                    return;
                }
                if let Some(error) = self.control_begins(kind, length) {
                    self.fail(error, "a frame that must not come on the control stream");
                    return;
                }
                (kind, length)
            }
        };
        let Some(stream) = self.one_way.get_mut(&id) else { return };
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
        let (bytes, rest) = input.split_at(count);
        *input = rest;
        let known = matches!(kind, frame::SETTINGS | frame::GOAWAY | frame::MAX_PUSH_ID | frame::CANCEL_PUSH);
        if known {
            stream.rest.extend_from_slice(bytes);
        }
        let left = left - count as u64;
        if left > 0 {
            stream.frame = Some((kind, left));
            return;
        }
        stream.frame = None;
        let content = std::mem::take(&mut stream.rest);
        if let Some(error) = self.control_frame(kind, &content) {
            self.fail(error, "a frame of the control stream that is wrong");
        }
    }

    fn control_begins(&mut self, kind: u64, length: u64) -> Option<u64> {
        if !self.settled && kind != frame::SETTINGS {
            return Some(code::MISSING_SETTINGS);
        }
        match kind {
            frame::SETTINGS if self.settled => Some(code::FRAME_UNEXPECTED),
            frame::DATA | frame::HEADERS | frame::PUSH_PROMISE => Some(code::FRAME_UNEXPECTED),
            frame::MAX_PUSH_ID if !self.server => Some(code::FRAME_UNEXPECTED),
            _ if frame::is_reserved(kind) => Some(code::FRAME_UNEXPECTED),
            frame::SETTINGS | frame::GOAWAY | frame::MAX_PUSH_ID | frame::CANCEL_PUSH if length > MAX_CONTROL => {
                Some(code::EXCESSIVE_LOAD)
            }
            _ => None,
        }
    }

    fn control_frame(&mut self, kind: u64, content: &[u8]) -> Option<u64> {
        let number = || match frame::read_varint(content) {
            Some((value, length)) if length == content.len() => Ok(value),
            _ => Err(code::FRAME_ERROR),
        };
        match kind {
            frame::SETTINGS => {
                self.settled = true;
                settings_error(content)
            }
            frame::GOAWAY => match number() {
                Err(error) => Some(error),
                Ok(id) => self.went_away(id),
            },
            frame::MAX_PUSH_ID => match number() {
                Err(error) => Some(error),
                Ok(id) if self.peer_max_push.is_some_and(|before| id < before) => Some(code::ID_ERROR),
                Ok(id) => {
                    self.peer_max_push = Some(id);
                    None
                }
            },
            // Nothing was pushed.
            frame::CANCEL_PUSH => Some(number().err().unwrap_or(code::ID_ERROR)),
            _ => None,
        }
    }

    fn went_away(&mut self, id: u64) -> Option<u64> {
        // A server names a request of the client's; a client names a push.
        if !self.server && id & 3 != 0 {
            return Some(code::ID_ERROR);
        }
        if self.goaway.is_some_and(|before| id > before) {
            return Some(code::ID_ERROR);
        }
        self.goaway = Some(id);
        self.events.push_back(Event::Goaway);
        if !self.server {
            let first = id >> 2;
            let refused: Vec<u32> = self
                .streams
                .iter()
                .filter(|(_, stream)| stream.id.is_none_or(|id| id.initiator() == Side::Client && id.index() >= first))
                .map(|(number, _)| *number)
                .collect();
            for number in refused {
                self.reset(number, code::REQUEST_REJECTED);
            }
        }
        None
    }

    /// Instructions for a table of which there is none.
    fn encoder_input(&mut self, _id: StreamId, input: &mut &[u8]) {
        let byte = input[0];
        *input = &input[1..];
        // The one that is no error sets the table's size to zero.
        if byte != 0x20 {
            self.fail(code::QPACK_ENCODER_STREAM_ERROR, "an instruction for a table that is not there");
        }
    }

    fn decoder_input(&mut self, id: StreamId, input: &mut &[u8]) {
        let Some(stream) = self.one_way.get_mut(&id) else { return };
        stream.rest.push(input[0]);
        *input = &input[1..];
        // The one that is no error says that a stream was cancelled.
        if stream.rest[0] & 0xc0 != 0x40 || stream.rest.len() > 11 {
            self.fail(code::QPACK_DECODER_STREAM_ERROR, "an instruction about a table that is not there");
            return;
        }
        if read_int(&stream.rest, &mut 0, 6).is_ok() {
            stream.rest.clear();
            stream.frames += 1;
            if stream.frames > MAX_CONTROL_FRAMES * 1000 {
                self.fail(code::EXCESSIVE_LOAD, "too many instructions");
            }
        }
    }
}

/// What is wrong with settings.
fn settings_error(mut content: &[u8]) -> Option<u64> {
    let mut seen = Vec::new();
    while !content.is_empty() {
        let Some((id, length)) = frame::read_varint(content) else { return Some(code::FRAME_ERROR) };
        content = &content[length..];
        let Some((_, length)) = frame::read_varint(content) else { return Some(code::FRAME_ERROR) };
        content = &content[length..];
        if frame::is_reserved_setting(id) || seen.contains(&id) || seen.len() > 100 {
            return Some(code::SETTINGS_ERROR);
        }
        seen.push(id);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings() {
        assert_eq!(settings_error(&[]), None);
        assert_eq!(settings_error(&[1, 0, 6, 0x40, 0x64, 7, 0, 0x21, 3]), None);
        assert_eq!(settings_error(&[1]), Some(code::FRAME_ERROR));
        assert_eq!(settings_error(&[1, 0x40]), Some(code::FRAME_ERROR));
        assert_eq!(settings_error(&[1, 0, 1, 0]), Some(code::SETTINGS_ERROR));
        assert_eq!(settings_error(&[2, 0]), Some(code::SETTINGS_ERROR));
    }
}
