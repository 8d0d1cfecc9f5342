//! Header blocks on their way: requests, answers, trailers and pushes.

use super::{Event, MAX_DATA_PAYLOAD, Padding, SendHeaders, Session, Waiting, errors};
use crate::frame::{self, HEAD};
use crate::stream::Stream;

/// The method of a request's block.
fn method_of(headers: &[u8]) -> &[u8] {
    let mut parts = headers.split(|byte| *byte == 0);
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        match name {
            b":method" => return value,
            [b':', ..] => {}
            _ => break,
        }
    }
    b""
}

impl Session {
    fn allocate(&mut self) -> Option<u32> {
        if self.next_id > 0x7fff_ffff {
            return None;
        }
        let id = self.next_id;
        self.next_id += 2;
        Some(id)
    }

    fn padding_of(&self, length: usize, most: usize) -> usize {
        let pad = match self.options.padding {
            Padding::None => 0,
            Padding::Aligned => (8 - (length + HEAD) % 8) % 8,
            Padding::Max => 255,
        };
        // One byte says how many follow.
        pad.min(most.saturating_sub(length)).min(255)
    }

    /// Appends a header block: HEADERS or PUSH_PROMISE and the CONTINUATION frames that it needs. False if it is too long
    /// to be sent.
    fn send_block(&mut self, kind: u8, stream: u32, promised: u32, flags: u8, headers: &[u8]) -> bool {
        let fields = headers.split(|byte| *byte == 0).count() / 2;
        if headers.len() + 12 * (fields + 1) > self.options.max_send_block.max(1) {
            return false;
        }
        let at = self.out.len();
        frame::head(&mut self.out, 0, kind, flags, stream);
        let padded = self.options.padding != Padding::None;
        if padded {
            self.out.push(0);
        }
        if kind == frame::PUSH_PROMISE {
            self.out.extend_from_slice(&promised.to_be_bytes());
        }
        self.encoder.begin(&mut self.out);
        let mut parts = headers.split(|byte| *byte == 0);
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            // JavaScript marks what must never be indexed.
            match name.strip_prefix(&[1]) {
                Some(name) => self.encoder.field(name, value, true, &mut self.out),
                None => self.encoder.field(name, value, false, &mut self.out),
            }
        }
        let length = self.out.len() - at - HEAD;
        let most = self.remote.max_frame_size as usize;
        if length <= most {
            let mut flags = flags | frame::END_HEADERS;
            let mut total = length;
            if padded {
                let pad = self.padding_of(length - 1, most.min(MAX_DATA_PAYLOAD + 256) - 1);
                if pad > 0 {
                    flags |= frame::PADDED;
                    self.out[at + HEAD] = (pad - 1) as u8;
                    self.out.resize(self.out.len() + pad - 1, 0);
                    total = length + pad - 1;
                } else {
                    self.out.remove(at + HEAD);
                    total = length - 1;
                }
            }
            frame::patch(&mut self.out, at, total, flags);
            return true;
        }
        let mut rest = self.out.split_off(at + HEAD);
        if padded {
            rest.remove(0);
        }
        let mut chunks = rest.chunks(most).peekable();
        if let Some(first) = chunks.next() {
            frame::patch(&mut self.out, at, first.len(), flags);
            self.out.extend_from_slice(first);
        }
        while let Some(chunk) = chunks.next() {
            let flags = if chunks.peek().is_none() { frame::END_HEADERS } else { 0 };
            frame::head(&mut self.out, chunk.len(), frame::CONTINUATION, flags, stream);
            self.out.extend_from_slice(chunk);
        }
        true
    }

    /// A new request: the number of its stream, or a negative number of `errors`. It is sent when the peer allows one more.
    pub fn request(&mut self, headers: &[u8], how: SendHeaders) -> i32 {
        if self.options.server {
            return errors::INVALID_ARGUMENT;
        }
        let Some(id) = self.allocate() else { return errors::STREAM_ID_NOT_AVAILABLE };
        let mut stream =
            Stream::new(true, i64::from(self.remote.initial_window_size), i64::from(self.local.initial_window_size));
        stream.pending = true;
        stream.counted = false;
        stream.trailers = how.trailers;
        let method = method_of(headers);
        stream.head_request = method == b"HEAD";
        stream.connect = method == b"CONNECT";
        self.streams.insert(id, stream);
        self.waiting.push_back(Waiting { stream: id, headers: headers.to_vec(), end: how.end });
        self.start_waiting();
        id as i32
    }

    /// Sends requests that wait, as far as the peer allows.
    pub(crate) fn start_waiting(&mut self) {
        while self.open_local < self.remote.max_concurrent_streams
            && let Some(next) = self.waiting.pop_front()
        {
            let id = next.stream;
            let Some(stream) = self.streams.get_mut(&id) else { continue };
            if self.goaway_received || self.terminated {
                self.close_stream(id, frame::REFUSED_STREAM);
                continue;
            }
            stream.pending = false;
            stream.counted = true;
            stream.local_closed = next.end;
            stream.shut |= next.end;
            self.open_local += 1;
            let flags = if next.end { frame::END_STREAM } else { 0 };
            if !self.send_block(frame::HEADERS, id, 0, flags, &next.headers) {
                self.events.push_back(Event::FrameError {
                    stream: id,
                    kind: frame::HEADERS,
                    code: frame::FRAME_SIZE_ERROR,
                });
                self.close_stream(id, frame::REFUSED_STREAM);
                continue;
            }
            self.make_ready(id);
        }
    }

    /// Answers a request or a promise. 0 or a negative number of `errors`.
    pub fn respond(&mut self, id: u32, headers: &[u8], how: SendHeaders) -> i32 {
        let Some(stream) = self.streams.get_mut(&id) else { return errors::STREAM_CLOSED };
        if stream.local_closed {
            return errors::STREAM_CLOSED;
        }
        // What was ended before it began has no body.
        let end = how.end || (stream.shut && stream.queued() == 0);
        stream.trailers = how.trailers && !end;
        stream.answered = true;
        if stream.reserved {
            stream.reserved = false;
            stream.counted = true;
            self.open_local += 1;
        }
        if !self.send_block(frame::HEADERS, id, 0, if end { frame::END_STREAM } else { 0 }, headers) {
            self.events.push_back(Event::FrameError {
                stream: id,
                kind: frame::HEADERS,
                code: frame::FRAME_SIZE_ERROR,
            });
            return 0;
        }
        if end {
            self.end_local(id);
        } else {
            self.make_ready(id);
        }
        0
    }

    /// Sends an interim header block (1xx).
    pub fn info(&mut self, id: u32, headers: &[u8]) -> i32 {
        match self.streams.get(&id) {
            Some(stream) if !stream.local_closed => {
                if !self.send_block(frame::HEADERS, id, 0, 0, headers) {
                    self.events.push_back(Event::FrameError {
                        stream: id,
                        kind: frame::HEADERS,
                        code: frame::FRAME_SIZE_ERROR,
                    });
                }
                0
            }
            _ => errors::STREAM_CLOSED,
        }
    }

    /// Ends a stream with trailers; none at all are an empty DATA frame, which more peers understand than empty HEADERS.
    pub fn trailers(&mut self, id: u32, headers: &[u8]) -> i32 {
        if self.streams.get(&id).is_none_or(|stream| stream.local_closed) {
            return errors::STREAM_CLOSED;
        }
        if headers.is_empty() {
            frame::head(&mut self.out, 0, frame::DATA, frame::END_STREAM, id);
        } else if !self.send_block(frame::HEADERS, id, 0, frame::END_STREAM, headers) {
            self.events.push_back(Event::FrameError {
                stream: id,
                kind: frame::HEADERS,
                code: frame::FRAME_SIZE_ERROR,
            });
            return 0;
        }
        self.end_local(id);
        0
    }

    /// Promises an answer to a request that the client would make: the new stream, or a negative number of `errors`.
    pub fn push(&mut self, id: u32, headers: &[u8], how: SendHeaders) -> i32 {
        match self.streams.get(&id) {
            Some(stream) if !stream.local_closed => {}
            _ => return errors::STREAM_CLOSED,
        }
        let Some(promised) = self.allocate() else { return errors::STREAM_ID_NOT_AVAILABLE };
        let mut stream =
            Stream::new(true, i64::from(self.remote.initial_window_size), i64::from(self.local.initial_window_size));
        stream.reserved = true;
        stream.counted = false;
        stream.remote_closed = true;
        stream.shut = how.end;
        self.streams.insert(promised, stream);
        if !self.send_block(frame::PUSH_PROMISE, id, promised, 0, headers) {
            self.events.push_back(Event::FrameError {
                stream: id,
                kind: frame::PUSH_PROMISE,
                code: frame::FRAME_SIZE_ERROR,
            });
            self.close_stream(promised, frame::INTERNAL_ERROR);
        }
        promised as i32
    }
}
