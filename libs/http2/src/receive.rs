//! The receiving half of a connection: frames as they come, in pieces of any size. `receive/heads.rs` reads header blocks,
//! `receive/control.rs` the frames about the connection.

mod control;
mod heads;

use std::time::Instant;

use crate::frame::{self, HEAD, Head};
use crate::message::Kind;
use crate::session::{Event, Options, Session, errors};
use crate::stream::Phase;

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
}
