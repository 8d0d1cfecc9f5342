//! The receiving half of a connection: frames as they come, in pieces of any size.

use std::time::Instant;

use crate::frame::{self, HEAD, Head};
use crate::message::{Check, Kind, Verdict};
use crate::session::{Event, Options, Session, errors};
use crate::settings;
use crate::stream::{Phase, Stream};

/// Most CONTINUATION frames of one header block.
const MAX_CONTINUATIONS: usize = 8;
/// Most acknowledgements that may wait to be sent.
const MAX_ACKS: usize = 1000;
/// Largest size of a list of fields in bytes.
const MAX_LIST: usize = 16_777_215;

/// A limit on events per time.
struct Rate {
    burst: f64,
    rate: f64,
    left: f64,
    last: Instant,
}

impl Rate {
    fn new(burst: f64, rate: f64) -> Rate {
        Rate { burst, rate, left: burst, last: Instant::now() }
    }

    fn take(&mut self) -> bool {
        let now = Instant::now();
        self.left = (self.left + now.duration_since(self.last).as_secs_f64() * self.rate).min(self.burst);
        self.last = now;
        self.left -= 1.0;
        self.left >= 0.0
    }
}

/// A header block that comes in several frames.
struct Block {
    head: Head,
    bytes: Vec<u8>,
    frames: usize,
    promised: u32,
}

/// What a header block is for its stream.
struct Incoming {
    kind: Kind,
    /// As in [`Event::Headers`].
    category: u8,
    /// It begins the stream.
    fresh: bool,
    /// It is decoded, and that is all.
    ignored: bool,
    /// The code with which the stream is refused.
    refused: Option<u32>,
}

/// A DATA frame under way.
struct Body {
    stream: u32,
    left: usize,
    padding: usize,
    flags: u8,
    /// The data is discarded.
    ignored: bool,
}

/// The state of the input.
pub(crate) struct Receive {
    /// Bytes of the client's preface that are still to come.
    preface: usize,
    /// A frame that has come in part.
    partial: Vec<u8>,
    body: Option<Body>,
    /// A DATA frame whose padding is not known yet, and whether its data is discarded.
    padded: Option<(Head, bool)>,
    block: Option<Block>,
    resets: Rate,
    invalid_frames: u32,
    rejected: u32,
    dead: bool,
}

impl Receive {
    pub(crate) fn new(options: &Options) -> Receive {
        Receive {
            preface: if options.server { frame::PREFACE.len() } else { 0 },
            partial: Vec::new(),
            body: None,
            padded: None,
            block: None,
            resets: Rate::new(options.reset_burst, options.reset_rate),
            invalid_frames: 0,
            rejected: 0,
            dead: false,
        }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead
    }

    pub(crate) fn memory(&self) -> usize {
        self.partial.capacity() + self.block.as_ref().map_or(0, |block| block.bytes.capacity())
    }
}

/// The outcome of a frame: go on, or the connection ends.
type Outcome = Result<(), Fault>;

enum Fault {
    /// An error of the connection: its code, and nghttp2's number if the program is told of it.
    Connection(u32, i32),
    /// The connection ends without an answer.
    Fatal(i32),
    TooManyInvalid,
}

fn protocol() -> Fault {
    Fault::Connection(frame::PROTOCOL_ERROR, errors::PROTO)
}

fn size() -> Fault {
    Fault::Connection(frame::FRAME_SIZE_ERROR, 0)
}

impl Session {
    /// Goes on with `input` from `at` on, up to the next event. `None`: everything is used up.
    pub fn step(&mut self, input: &[u8], at: &mut usize) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if self.receive.dead || self.terminated {
                *at = input.len();
                self.receive.partial = Vec::new();
                return None;
            }
            if *at >= input.len() && !self.has_empty_body() {
                return None;
            }
            if let Err(fault) = self.advance(input, at) {
                self.fail(fault);
            }
        }
    }

    fn has_empty_body(&self) -> bool {
        self.receive.body.as_ref().is_some_and(|body| body.left == 0 && body.padding == 0)
    }

    fn fail(&mut self, fault: Fault) {
        self.receive.dead = true;
        match fault {
            Fault::Connection(code, lib) => {
                self.terminate(code);
                if lib == 0 {
                    self.events.push_back(Event::Terminated { code });
                } else {
                    self.events.push_back(Event::Error { code: lib, invalid: false });
                }
            }
            Fault::Fatal(code) => self.events.push_back(Event::Error { code, invalid: false }),
            Fault::TooManyInvalid => {
                self.terminate(frame::ENHANCE_YOUR_CALM);
                self.events.push_back(Event::Error { code: errors::CALLBACK_FAILURE, invalid: true });
            }
        }
    }

    fn advance(&mut self, input: &[u8], at: &mut usize) -> Outcome {
        if self.receive.preface > 0 {
            let from = frame::PREFACE.len() - self.receive.preface;
            let count = self.receive.preface.min(input.len() - *at);
            if input[*at..*at + count] != frame::PREFACE[from..from + count] {
                return Err(Fault::Fatal(errors::BAD_CLIENT_MAGIC));
            }
            self.receive.preface -= count;
            *at += count;
            return Ok(());
        }
        if self.receive.body.is_some() {
            return self.body(input, at);
        }
        if let Some((head, ignored)) = self.receive.padded.take() {
            *at += 1;
            return self.begin_padded(&head, ignored, usize::from(input[*at - 1]));
        }
        let mut partial = std::mem::take(&mut self.receive.partial);
        if partial.is_empty() {
            let rest = &input[*at..];
            if rest.len() < HEAD {
                self.receive.partial.extend_from_slice(rest);
                *at = input.len();
                return Ok(());
            }
            let head = Head::read(rest);
            self.check(&head)?;
            if head.kind == frame::DATA {
                *at += HEAD;
                return self.begin_body(&head);
            }
            if rest.len() < HEAD + head.length {
                self.receive.partial.extend_from_slice(rest);
                *at = input.len();
                return Ok(());
            }
            *at += HEAD + head.length;
            return self.frame(&head, &rest[HEAD..HEAD + head.length]);
        }
        if partial.len() < HEAD {
            let count = (HEAD - partial.len()).min(input.len() - *at);
            partial.extend_from_slice(&input[*at..*at + count]);
            *at += count;
            if partial.len() == HEAD {
                let head = Head::read(&partial);
                self.check(&head)?;
                if head.kind == frame::DATA {
                    return self.begin_body(&head);
                }
                if head.length == 0 {
                    return self.frame(&head, &[]);
                }
            }
            self.receive.partial = partial;
            return Ok(());
        }
        let head = Head::read(&partial);
        let count = (HEAD + head.length - partial.len()).min(input.len() - *at);
        partial.extend_from_slice(&input[*at..*at + count]);
        *at += count;
        if partial.len() == HEAD + head.length {
            return self.frame(&head, &partial[HEAD..]);
        }
        self.receive.partial = partial;
        Ok(())
    }

    /// Checks the head of a frame before its payload has come.
    fn check(&mut self, head: &Head) -> Outcome {
        if head.length > self.local.max_frame_size as usize {
            return Err(size());
        }
        if !self.remote_settings_seen && (head.kind != frame::SETTINGS || head.has(frame::ACK)) {
            // The first frame of both sides.
            return Err(protocol());
        }
        match &self.receive.block {
            Some(block) if head.kind != frame::CONTINUATION || head.stream != block.head.stream => Err(protocol()),
            None if head.kind == frame::CONTINUATION => Err(protocol()),
            _ => Ok(()),
        }
    }

    // ---- bodies

    fn is_idle(&self, id: u32) -> bool {
        let own = id.is_multiple_of(2) == self.options.server;
        if own { id >= self.next_id() } else { id > self.last_received }
    }

    /// Refuses data and headers for a stream that the peer itself has closed, or has never opened.
    fn check_past(&self, id: u32) -> Outcome {
        if self.past.was_closed(id) {
            return Err(Fault::Connection(frame::STREAM_CLOSED, errors::STREAM_CLOSED));
        }
        if self.past.was_skipped(id) {
            return Err(protocol());
        }
        Ok(())
    }

    fn begin_body(&mut self, head: &Head) -> Outcome {
        let id = head.stream;
        if id == 0 {
            return Err(protocol());
        }
        let mut ignored = false;
        match self.streams.get(&id) {
            None if self.is_idle(id) => return Err(protocol()),
            None => {
                self.check_past(id)?;
                ignored = true;
            }
            Some(stream) if stream.remote_closed => {
                return Err(Fault::Connection(frame::STREAM_CLOSED, errors::STREAM_CLOSED));
            }
            Some(stream) if stream.reserved => return Err(protocol()),
            Some(stream) if stream.received == Phase::Head => {
                self.stream_error(id, frame::PROTOCOL_ERROR)?;
                ignored = true;
            }
            Some(_) => {}
        }
        if !head.has(frame::PADDED) {
            return self.start_body(head, head.length, 0, ignored);
        }
        if head.length == 0 {
            return Err(size());
        }
        self.receive.padded = Some((*head, ignored));
        Ok(())
    }

    /// The byte that says how much of a DATA frame is padding.
    fn begin_padded(&mut self, head: &Head, ignored: bool, padding: usize) -> Outcome {
        match (head.length - 1).checked_sub(padding) {
            Some(left) => self.start_body(head, left, padding, ignored),
            None => Err(protocol()),
        }
    }

    fn start_body(&mut self, head: &Head, left: usize, padding: usize, ignored: bool) -> Outcome {
        let id = head.stream;
        let length = head.length as i64;
        if self.received_bytes + length > self.local_window.max(65_535) {
            return Err(Fault::Connection(frame::FLOW_CONTROL_ERROR, 0));
        }
        self.consume_connection(length);
        let mut ignored = ignored;
        if !ignored && let Some(stream) = self.streams.get_mut(&id) {
            stream.received_bytes += length;
            stream.came += left as u64;
            if stream.received_bytes > stream.local_window {
                self.stream_error(id, frame::FLOW_CONTROL_ERROR)?;
                ignored = true;
            } else if stream.announced.is_some_and(|announced| announced < stream.came) && !stream.connect {
                self.stream_error(id, frame::PROTOCOL_ERROR)?;
                ignored = true;
            } else {
                // Padding is of no use to anybody; the rest is when somebody reads it.
                let used = if stream.reading || stream.abandoned { length } else { length - left as i64 };
                self.consume(id, used);
            }
        }
        if head.length == 0 && !head.has(frame::END_STREAM) {
            self.invalid()?;
        }
        self.receive.body = Some(Body { stream: id, left, padding, flags: head.flags, ignored });
        Ok(())
    }

    fn body(&mut self, input: &[u8], at: &mut usize) -> Outcome {
        let Some(body) = &mut self.receive.body else { return Ok(()) };
        let from = *at;
        let count = body.left.min(input.len() - from);
        *at += count;
        body.left -= count;
        let (id, ignored) = (body.stream, body.ignored);
        if count > 0 && !ignored {
            self.events.push_back(Event::Data { stream: id, from, to: from + count });
        }
        let Some(body) = &mut self.receive.body else { return Ok(()) };
        if body.left > 0 {
            return Ok(());
        }
        let skipped = body.padding.min(input.len() - *at);
        *at += skipped;
        body.padding -= skipped;
        if body.padding > 0 {
            return Ok(());
        }
        let ended = body.flags & frame::END_STREAM != 0;
        self.receive.body = None;
        if ended && !ignored {
            return self.ended(id);
        }
        Ok(())
    }

    /// The peer has ended its side of a stream.
    fn ended(&mut self, id: u32) -> Outcome {
        let Some(stream) = self.streams.get(&id) else { return Ok(()) };
        if Session::body_is_wrong(stream) && !stream.connect {
            return self.stream_error(id, frame::PROTOCOL_ERROR);
        }
        self.events.push_back(Event::End { stream: id });
        self.end_remote(id);
        Ok(())
    }

    // ---- errors

    fn invalid(&mut self) -> Outcome {
        self.receive.invalid_frames += 1;
        if self.receive.invalid_frames > self.options.max_invalid_frames.saturating_add(1) {
            return Err(Fault::TooManyInvalid);
        }
        Ok(())
    }

    /// Ends a stream because of what came for it.
    fn stream_error(&mut self, id: u32, code: u32) -> Outcome {
        self.send_reset(id, code);
        self.close_stream(id, code);
        self.invalid()
    }

    // ---- all other frames

    fn frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        match head.kind {
            frame::HEADERS => self.headers_frame(head, payload),
            frame::PRIORITY => self.priority(head, payload),
            frame::RST_STREAM => self.reset_frame(head, payload),
            frame::SETTINGS => self.settings_frame(head, payload),
            frame::PUSH_PROMISE => self.promise(head, payload),
            frame::PING => self.ping(head, payload),
            frame::GOAWAY => self.goaway(head, payload),
            frame::WINDOW_UPDATE => self.update(head, payload),
            frame::CONTINUATION => self.continuation(head, payload),
            frame::ALTSVC => self.altsvc(head, payload),
            frame::ORIGIN => self.origin(head, payload),
            // Extensions that nobody has agreed to.
            _ => Ok(()),
        }
    }

    fn headers_frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    fn continuation(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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
    fn block(&mut self, head: &Head, promised: u32, block: &[u8]) -> Outcome {
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

    fn promise(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    fn priority(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if payload.len() != 5 {
            return Err(size());
        }
        if head.stream == 0 {
            return Err(protocol());
        }
        let parent = frame::read_u32(payload);
        if parent & 0x7fff_ffff == head.stream {
            return Err(protocol());
        }
        self.events.push_back(Event::Priority {
            stream: head.stream,
            parent: parent & 0x7fff_ffff,
            weight: u32::from(payload[4]) + 1,
            exclusive: parent >> 31 != 0,
        });
        Ok(())
    }

    fn reset_frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if payload.len() != 4 {
            return Err(size());
        }
        if head.stream == 0 || (!self.streams.contains_key(&head.stream) && self.is_idle(head.stream)) {
            return Err(protocol());
        }
        if let Some(stream) = self.streams.get_mut(&head.stream) {
            stream.remote_closed = true;
        }
        self.close_stream(head.stream, frame::read_u32(payload));
        if self.options.server && !self.receive.resets.take() {
            return Err(Fault::Connection(frame::INTERNAL_ERROR, 0));
        }
        Ok(())
    }

    fn settings_frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if head.stream != 0 {
            return Err(protocol());
        }
        if head.has(frame::ACK) {
            if !payload.is_empty() {
                return Err(size());
            }
            if !self.apply_settings() {
                // Nobody had asked.
                self.events.push_back(Event::Error { code: errors::PROTO, invalid: false });
                return Ok(());
            }
            self.events.push_back(Event::SettingsAck);
            return Ok(());
        }
        if !payload.len().is_multiple_of(6) {
            return Err(size());
        }
        if payload.len() / 6 > self.options.max_settings {
            return Err(Fault::Connection(frame::ENHANCE_YOUR_CALM, -537));
        }
        let first = !std::mem::replace(&mut self.remote_settings_seen, true);
        if first {
            // What was only believed so far.
            self.remote.max_concurrent_streams = self.remote.max_concurrent_streams.min(self.options.peer_max_streams);
        }
        let mut concurrent = None;
        for entry in payload.chunks_exact(6) {
            let id = u16::from_be_bytes([entry[0], entry[1]]);
            let value = frame::read_u32(&entry[2..]);
            match id {
                settings::HEADER_TABLE_SIZE => self.set_encoder(value),
                settings::ENABLE_PUSH if value > 1 || (!self.options.server && value == 1) => return Err(protocol()),
                settings::INITIAL_WINDOW_SIZE => {
                    if value > 0x7fff_ffff {
                        return Err(Fault::Connection(frame::FLOW_CONTROL_ERROR, 0));
                    }
                    self.change_windows(i64::from(value) - i64::from(self.remote.initial_window_size))?;
                }
                settings::MAX_FRAME_SIZE if !(16_384..=16_777_215).contains(&value) => return Err(protocol()),
                settings::ENABLE_CONNECT_PROTOCOL
                    if value > 1 || (self.remote.enable_connect_protocol == 1 && value == 0) =>
                {
                    return Err(protocol());
                }
                settings::MAX_CONCURRENT_STREAMS => concurrent = Some(value),
                _ => {}
            }
            if !self.remote.set(id, value) && self.options.remote_custom.contains(&id) {
                self.remote.set_custom(id, value);
            }
        }
        if first && concurrent.is_none() {
            self.remote.max_concurrent_streams = u32::MAX;
        }
        self.acks += 1;
        if self.acks > MAX_ACKS {
            return Err(Fault::Fatal(errors::FLOODED));
        }
        frame::head(&mut self.out, 0, frame::SETTINGS, frame::ACK, 0);
        self.events.push_back(Event::Settings);
        self.start_waiting();
        Ok(())
    }

    fn change_windows(&mut self, change: i64) -> Outcome {
        let mut ready = Vec::new();
        for (id, stream) in &mut self.streams {
            stream.send_window += change;
            if stream.send_window > 0x7fff_ffff {
                return Err(Fault::Connection(frame::FLOW_CONTROL_ERROR, 0));
            }
            if stream.queued() > 0 && stream.send_window > 0 {
                ready.push(*id);
            }
        }
        ready.sort_unstable();
        for id in ready {
            self.make_ready(id);
        }
        Ok(())
    }

    fn ping(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        let Ok(payload) = <[u8; 8]>::try_from(payload) else { return Err(size()) };
        if head.stream != 0 {
            return Err(protocol());
        }
        if head.has(frame::ACK) {
            if self.pings == 0 {
                self.events.push_back(Event::Error { code: errors::PROTO, invalid: false });
                return Ok(());
            }
            self.pings -= 1;
            self.events.push_back(Event::Ping { ack: true, payload });
            return Ok(());
        }
        self.acks += 1;
        if self.acks > MAX_ACKS {
            return Err(Fault::Fatal(errors::FLOODED));
        }
        frame::head(&mut self.out, 8, frame::PING, frame::ACK, 0);
        self.out.extend_from_slice(&payload);
        self.events.push_back(Event::Ping { ack: false, payload });
        Ok(())
    }

    fn goaway(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if payload.len() < 8 {
            return Err(size());
        }
        if head.stream != 0 {
            return Err(protocol());
        }
        let last = frame::read_u32(payload) & 0x7fff_ffff;
        let code = frame::read_u32(&payload[4..]);
        // A stream of the other side's is none that this side could have made.
        if last != 0 && last.is_multiple_of(2) != self.options.server {
            return Err(protocol());
        }
        self.goaway_received = true;
        self.events.push_back(Event::Goaway { code, last, data: payload[8..].to_vec() });
        let mut refused: Vec<u32> =
            self.streams.iter().filter(|(id, stream)| stream.local && **id > last).map(|(id, _)| *id).collect();
        refused.sort_unstable();
        for id in refused {
            self.close_stream(id, frame::REFUSED_STREAM);
        }
        Ok(())
    }

    fn update(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if payload.len() != 4 {
            return Err(size());
        }
        let change = i64::from(frame::read_u32(payload) & 0x7fff_ffff);
        let id = head.stream;
        if id == 0 {
            if change == 0 {
                return Err(protocol());
            }
            self.send_window += change;
            if self.send_window > 0x7fff_ffff {
                return Err(Fault::Connection(frame::FLOW_CONTROL_ERROR, 0));
            }
            return Ok(());
        }
        let Some(stream) = self.streams.get_mut(&id) else {
            return if self.is_idle(id) || change == 0 { Err(protocol()) } else { Ok(()) };
        };
        if change == 0 {
            return Err(protocol());
        }
        if stream.reserved && !stream.local {
            return Err(protocol());
        }
        stream.send_window += change;
        if stream.send_window > 0x7fff_ffff {
            return self.stream_error(id, frame::FLOW_CONTROL_ERROR);
        }
        if stream.queued() > 0 {
            self.make_ready(id);
        }
        Ok(())
    }

    fn altsvc(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if self.options.server || payload.len() < 2 {
            return if self.options.server { Ok(()) } else { self.invalid() };
        }
        let length = usize::from(u16::from_be_bytes([payload[0], payload[1]]));
        let rest = &payload[2..];
        // On a stream the origin is known, else it must be said.
        if length > rest.len() || (head.stream == 0) != (length > 0) {
            return Ok(());
        }
        if head.stream != 0 && !self.streams.contains_key(&head.stream) {
            return Ok(());
        }
        self.events.push_back(Event::AltSvc {
            stream: head.stream,
            origin: rest[..length].to_vec(),
            value: rest[length..].to_vec(),
        });
        Ok(())
    }

    fn origin(&mut self, head: &Head, payload: &[u8]) -> Outcome {
        if self.options.server || head.stream != 0 || head.flags & 0x0f != 0 {
            return Ok(());
        }
        let mut origins = Vec::new();
        let mut rest = payload;
        while rest.len() >= 2 {
            let length = usize::from(u16::from_be_bytes([rest[0], rest[1]]));
            if length + 2 > rest.len() {
                return Ok(());
            }
            if length > 0 {
                origins.extend_from_slice(&rest[2..2 + length]);
                origins.push(0);
            }
            rest = &rest[2 + length..];
        }
        self.events.push_back(Event::Origin { origins });
        Ok(())
    }
}
