//! Header blocks as they come: what they are for their streams, and their fields.

use super::{Block, Fault, Incoming, MAX_CONTINUATIONS, MAX_LIST, Outcome, protocol, size};
use crate::frame::{self, Head};
use crate::message::{Check, Kind, Verdict};
use crate::session::{Event, Session, errors};
use crate::settings;
use crate::stream::{Phase, Stream};

impl Session {
    pub(super) fn headers_frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if head.stream == 0 {
            return Err(protocol());
        }
        let Some(mut block) = frame::unpadded(head, payload) else { return Err(protocol()) };
        if head.has(frame::HAS_PRIORITY) {
            if block.len() < 5 {
                return Err(size());
            }
            if frame::read_u32(block) & 0x7fff_ffff == head.stream {
                return Err(protocol());
            }
            block = &block[5..];
        }
        if head.has(frame::END_HEADERS) {
            return self.block(head, 0, block);
        }
        self.receive.block = Some(Block { head: *head, bytes: block.to_vec(), frames: 0, promised: 0 });
        Ok(())
    }

    pub(super) fn continuation(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        let Some(mut block) = self.receive.block.take() else { return Err(protocol()) };
        block.frames += 1;
        if block.frames > MAX_CONTINUATIONS {
            return Err(Fault::Connection(frame::ENHANCE_YOUR_CALM, errors::PROTO));
        }
        block.bytes.extend_from_slice(payload);
        if head.has(frame::END_HEADERS) {
            return self.block(&block.head, block.promised, &block.bytes);
        }
        self.receive.block = Some(block);
        Ok(())
    }

    /// Handles a whole header block. It is decoded in any case, because the tables of both sides must stay the same.
    pub(super) fn block(&mut self, head: &Head, promised: u32, block: &[u8]) -> Outcome {
        let id = head.stream;
        let end = head.has(frame::END_STREAM);
        if promised != 0 {
            return self.promised(id, promised, block);
        }
        let Incoming { kind, category, fresh, ignored, refused } = self.classify(id)?;
        self.count_rejected(refused.is_some(), fresh && !ignored)?;
        let check = match self.decode(kind, block, ignored || refused.is_some())? {
            Ok(check) => check,
            Err(code) => {
                if fresh {
                    // Counted, so that it is known to have been closed.
                    self.streams.insert(id, self.new_remote(end));
                    self.open_remote += 1;
                }
                return self.stream_error(id, code);
            }
        };
        if ignored {
            return Ok(());
        }
        if let Some(code) = refused {
            self.send_reset(id, code);
            return Ok(());
        }
        let allowed = match kind {
            Kind::Request => {
                self.open_request(id, &check);
                true
            }
            Kind::Response => self.accept_answer(id, end, &check),
            // Otherwise fields in the middle of a body.
            Kind::Trailers => end,
        };
        let wrong_body =
            || self.streams.get(&id).is_some_and(|stream| Session::body_is_wrong(stream) && !stream.connect);
        if !allowed || (end && wrong_body()) {
            return self.stream_error(id, frame::PROTOCOL_ERROR);
        }
        self.events.push_back(Event::Headers { stream: id, category, end, fresh });
        if end {
            self.end_remote(id);
        }
        Ok(())
    }

    /// Says what a header block on a stream is, from what is known of the stream.
    fn classify(&mut self, id: u32) -> Result<Incoming, Fault> {
        let server = self.options.server;
        let mut incoming = Incoming { kind: Kind::Trailers, category: 3, fresh: false, ignored: false, refused: None };
        match self.streams.get(&id) {
            None if server && id % 2 == 1 && id > self.last_received => {
                (incoming.kind, incoming.category, incoming.fresh) = (Kind::Request, 0, true);
                if self.goaway_sent {
                    incoming.ignored = true;
                } else {
                    self.past.skip(self.last_received, id);
                    self.last_received = id;
                    incoming.refused = self.refuses_stream()?;
                }
            }
            None if self.is_idle(id) => return Err(protocol()),
            None => {
                self.check_past(id)?;
                incoming.ignored = true;
            }
            Some(stream) if stream.remote_closed => {
                return Err(Fault::Connection(frame::STREAM_CLOSED, errors::STREAM_CLOSED));
            }
            Some(stream) if stream.reserved => {
                if stream.local {
                    return Err(protocol());
                }
                (incoming.kind, incoming.category) = (Kind::Response, 2);
            }
            Some(stream) if !server && stream.received == Phase::Head => {
                (incoming.kind, incoming.category) = (Kind::Response, if stream.answered { 3 } else { 1 });
            }
            Some(_) => {}
        }
        Ok(incoming)
    }

    /// The code with which a new stream of the other side is refused, if there are too many or they need too much memory.
    fn refuses_stream(&self) -> Result<Option<u32>, Fault> {
        if self.open_remote >= self.local.max_concurrent_streams {
            return Err(protocol());
        }
        let pending = self.pending_settings.iter().flatten();
        let most = pending.filter(|(id, _)| *id == settings::MAX_CONCURRENT_STREAMS).map(|(_, value)| *value).min();
        Ok(if most.is_some_and(|most| self.open_remote >= most) {
            Some(frame::REFUSED_STREAM)
        } else if self.memory() > self.options.max_memory {
            Some(frame::ENHANCE_YOUR_CALM)
        } else {
            None
        })
    }

    /// Counts streams that were refused in a row; too many of them end the session.
    fn count_rejected(&mut self, refused: bool, opened: bool) -> Outcome {
        if refused {
            self.receive.rejected += 1;
            if self.receive.rejected > self.options.max_rejected_streams.saturating_add(1) {
                return Err(Fault::Fatal(errors::CALLBACK_FAILURE));
            }
        } else if opened {
            self.receive.rejected = 0;
        }
        Ok(())
    }

    /// Opens the stream of a request.
    fn open_request(&mut self, id: u32, check: &Check) {
        let mut stream = self.new_remote(false);
        stream.connect = check.is_connect();
        stream.announced = check.content_length;
        stream.received = Phase::Body;
        self.streams.insert(id, stream);
        self.open_remote += 1;
    }

    /// Takes note of an answer's head, which may be an interim one. False: it breaks the protocol.
    fn accept_answer(&mut self, id: u32, end: bool, check: &Check) -> bool {
        let Some(stream) = self.streams.get_mut(&id) else { return false };
        if stream.reserved {
            self.reserved_remote -= 1;
            self.open_remote += 1;
        }
        stream.reserved = false;
        stream.counted = true;
        stream.answered = true;
        if check.status < 200 {
            return !end;
        }
        stream.received = Phase::Body;
        stream.announced = check.content_length;
        if check.status == 304 || stream.head_request || (stream.connect && check.status / 100 == 2) {
            stream.announced = None;
        }
        true
    }

    fn new_remote(&self, closed: bool) -> Stream {
        let mut stream =
            Stream::new(false, i64::from(self.remote.initial_window_size), i64::from(self.local.initial_window_size));
        stream.remote_closed = closed;
        stream
    }

    /// Decodes a block into `header_text`. The inner error is the code with which its stream ends.
    fn decode(&mut self, kind: Kind, block: &[u8], ignored: bool) -> Result<Result<Check, u32>, Fault> {
        let mut check = Check::new(kind, self.local.enable_connect_protocol != 0);
        let (text, sensitive) = (&mut self.header_text, &mut self.header_sensitive);
        text.clear();
        sensitive.clear();
        let most = (self.local.max_header_list_size as usize).min(MAX_LIST);
        let (max_fields, strict) = (self.options.max_fields, self.options.strict_whitespace);
        let (mut fields, mut size, mut too_large, mut malformed) = (0, 0, false, false);
        let result = self.decoder.decode(block, |name, value, never| {
            if ignored || malformed {
                return;
            }
            match check.field(name, value, strict) {
                Verdict::Malformed => malformed = true,
                Verdict::Drop => {}
                Verdict::Keep => {
                    fields += 1;
                    size += name.len() + value.len() + 32;
                    if fields > max_fields || size > most {
                        too_large = true;
                        return;
                    }
                    text.extend_from_slice(name);
                    text.push(0);
                    text.extend_from_slice(value);
                    text.push(0);
                    if never {
                        sensitive.extend_from_slice(name);
                        sensitive.push(0);
                    }
                }
            }
        });
        if result.is_err() {
            return Err(Fault::Connection(frame::COMPRESSION_ERROR, 0));
        }
        if too_large {
            return Ok(Err(frame::ENHANCE_YOUR_CALM));
        }
        if !ignored && (malformed || !check.is_complete()) {
            return Ok(Err(frame::PROTOCOL_ERROR));
        }
        Ok(Ok(check))
    }

    pub(super) fn promise(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        let Some(payload) = frame::unpadded(head, payload) else { return Err(protocol()) };
        if payload.len() < 4 {
            return Err(size());
        }
        let promised = frame::read_u32(payload) & 0x7fff_ffff;
        if head.stream == 0 || self.options.server || self.local.enable_push == 0 || promised == 0 {
            return Err(protocol());
        }
        if head.has(frame::END_HEADERS) {
            return self.block(head, promised, &payload[4..]);
        }
        self.receive.block = Some(Block { head: *head, bytes: payload[4..].to_vec(), frames: 0, promised });
        Ok(())
    }

    fn promised(&mut self, id: u32, promised: u32, block: &[u8]) -> Outcome {
        if !promised.is_multiple_of(2) || promised <= self.last_received || id.is_multiple_of(2) || self.is_idle(id) {
            return Err(protocol());
        }
        self.last_received = promised;
        let gone = self.goaway_sent || self.streams.get(&id).is_none_or(|stream| stream.remote_closed);
        let full = self.reserved_remote >= self.options.max_reserved_streams;
        let checked = self.decode(Kind::Request, block, gone)?;
        if gone || full {
            self.send_reset(promised, frame::CANCEL);
            return Ok(());
        }
        let mut stream = self.new_remote(false);
        stream.local_closed = true;
        stream.shut = true;
        stream.reserved = true;
        stream.counted = false;
        match checked {
            Ok(check) => stream.head_request = check.head,
            Err(code) => {
                self.send_reset(promised, code);
                return self.invalid();
            }
        }
        self.reserved_remote += 1;
        self.streams.insert(promised, stream);
        self.events.push_back(Event::Headers { stream: promised, category: 0, end: false, fresh: true });
        Ok(())
    }
}
