//! One connection: its settings, windows and open streams. The receiving half is in `receive.rs`.
//!
//! The owner feeds bytes with [`Session::step`] and gets events one by one, so that its answer to one event counts for the next
//! frame. Commands append frames to an output that the owner takes away; bodies wait in their streams until
//! [`Session::pump`] makes frames of them, as far as both windows allow.

use std::collections::VecDeque;

use crate::frame::{self, DEFAULT_FRAME_SIZE, HEAD};
use crate::hpack::{Decoder, Encoder};
use crate::settings::{self, Settings};
use crate::stream::{IdMap, Past, Phase, Stream};

/// nghttp2's numbers of errors; JavaScript has the texts.
pub mod errors {
    pub const INVALID_ARGUMENT: i32 = -501;
    pub const PROTO: i32 = -505;
    pub const STREAM_ID_NOT_AVAILABLE: i32 = -509;
    pub const STREAM_CLOSED: i32 = -510;
    pub const INVALID_STREAM_STATE: i32 = -514;
    pub const START_STREAM_NOT_ALLOWED: i32 = -516;
    pub const CALLBACK_FAILURE: i32 = -902;
    pub const BAD_CLIENT_MAGIC: i32 = -903;
    pub const FLOODED: i32 = -904;
}

/// Padding of frames, which hides their sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    None,
    /// Frames become multiples of eight bytes.
    Aligned,
    Max,
}

/// Limits and behaviour of a connection; the defaults are Node's if it has such an option.
#[derive(Debug, Clone)]
pub struct Options {
    pub server: bool,
    pub max_deflate_table: u32,
    pub max_reserved_streams: u32,
    pub max_send_block: usize,
    /// Streams that the peer is assumed to accept before its settings come.
    pub peer_max_streams: u32,
    pub padding: Padding,
    /// Most fields of a header block.
    pub max_fields: usize,
    pub max_pings: usize,
    pub max_pending_settings: usize,
    /// Most bytes that all streams together may hold.
    pub max_memory: usize,
    /// Most entries of one SETTINGS frame.
    pub max_settings: usize,
    pub reset_burst: f64,
    /// A second.
    pub reset_rate: f64,
    /// White space around values makes a field invalid.
    pub strict_whitespace: bool,
    pub max_invalid_frames: u32,
    pub max_rejected_streams: u32,
    /// Settings that the program knows and the standard does not define.
    pub remote_custom: Vec<u16>,
}

impl Options {
    pub fn new(server: bool) -> Options {
        Options {
            server,
            max_deflate_table: 4096,
            max_reserved_streams: 200,
            max_send_block: 65_536,
            peer_max_streams: 100,
            padding: Padding::None,
            max_fields: 128,
            max_pings: 10,
            max_pending_settings: 10,
            max_memory: 10_000_000,
            max_settings: 32,
            reset_burst: 1000.0,
            reset_rate: 33.0,
            strict_whitespace: true,
            max_invalid_frames: 1000,
            max_rejected_streams: 100,
            remote_custom: Vec::new(),
        }
    }
}

/// What a connection reports to its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A header block; its text is [`Session::headers`]. `category`: 0 request, 1 response, 2 of a promised stream, 3 others. `end`: nothing
    /// follows, and no [`Event::End`] either. `fresh`: the stream is new.
    Headers {
        stream: u32,
        category: u8,
        end: bool,
        fresh: bool,
    },
    /// A chunk of a body: a range of the input that [`Session::step`] was called with.
    Data {
        stream: u32,
        from: usize,
        to: usize,
    },
    /// The body is complete.
    End {
        stream: u32,
    },
    /// The stream has ended.
    Closed {
        stream: u32,
        code: u32,
    },
    /// The queued chunk of the stream was sent.
    Written {
        stream: u32,
    },
    /// The whole body was sent; trailers may follow.
    WantTrailers {
        stream: u32,
    },
    /// The peer's settings.
    Settings,
    /// The peer has acknowledged the oldest of this side's settings.
    SettingsAck,
    Ping {
        ack: bool,
        payload: [u8; 8],
    },
    Goaway {
        code: u32,
        last: u32,
        data: Vec<u8>,
    },
    Priority {
        stream: u32,
        parent: u32,
        weight: u32,
        exclusive: bool,
    },
    AltSvc {
        stream: u32,
        origin: Vec<u8>,
        value: Vec<u8>,
    },
    Origin {
        origins: Vec<u8>,
    },
    /// A frame could not be sent.
    FrameError {
        stream: u32,
        kind: u8,
        code: u32,
    },
    /// The connection cannot be used any more: a number of `errors`; `invalid`: too many invalid frames.
    Error {
        code: i32,
        invalid: bool,
    },
    /// This side has ended the connection because of what came (a code of HTTP/2).
    Terminated {
        code: u32,
    },
}

/// How a header block is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendHeaders {
    /// Nothing follows.
    pub end: bool,
    /// Trailers will follow the body.
    pub trailers: bool,
}

struct Waiting {
    stream: u32,
    headers: Vec<u8>,
    end: bool,
}

/// A connection.
pub struct Session {
    pub(crate) options: Options,
    pub(crate) decoder: Decoder,
    encoder: Encoder,
    pub(crate) local: Settings,
    pub(crate) remote: Settings,
    /// Settings that the peer has not acknowledged yet.
    pub(crate) pending_settings: VecDeque<Vec<(u16, u32)>>,
    pub(crate) pings: usize,
    pub(crate) streams: IdMap<Stream>,
    pub(crate) past: Past,
    pub(crate) events: VecDeque<Event>,
    pub(crate) out: Vec<u8>,
    /// Text of the header block that was reported last, and names of its sensitive fields.
    pub(crate) header_text: Vec<u8>,
    pub(crate) header_sensitive: Vec<u8>,
    next_id: u32,
    /// The highest stream of the peer.
    pub(crate) last_received: u32,
    pub(crate) goaway_sent: bool,
    pub(crate) goaway_received: bool,
    pub(crate) terminated: bool,
    pub(crate) send_window: i64,
    pub(crate) local_window: i64,
    pub(crate) received_bytes: i64,
    pub(crate) consumed: i64,
    ready: VecDeque<u32>,
    waiting: VecDeque<Waiting>,
    /// Streams of this side, and of the peer, that are open.
    pub(crate) open_local: u32,
    pub(crate) open_remote: u32,
    pub(crate) reserved_remote: u32,
    /// Acknowledgements since the output was taken.
    pub(crate) acks: usize,
    pub(crate) queued: usize,
    pub(crate) remote_settings_seen: bool,
    pub(crate) receive: crate::receive::Receive,
}

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

/// Largest payload of a DATA frame in bytes, even if the peer accepts more, so that streams take turns.
const MAX_DATA_PAYLOAD: usize = DEFAULT_FRAME_SIZE as usize;

impl Session {
    pub fn new(options: Options) -> Session {
        let remote = Settings { max_concurrent_streams: options.peer_max_streams, ..Settings::default() };
        let mut out = Vec::new();
        if !options.server {
            out.extend_from_slice(frame::PREFACE);
        }
        let receive = crate::receive::Receive::new(&options);
        Session {
            decoder: Decoder::new(4096),
            encoder: Encoder::new(options.max_deflate_table as usize),
            local: Settings::default(),
            remote,
            pending_settings: VecDeque::new(),
            pings: 0,
            streams: IdMap::default(),
            past: Past::default(),
            events: VecDeque::new(),
            out,
            header_text: Vec::new(),
            header_sensitive: Vec::new(),
            next_id: if options.server { 2 } else { 1 },
            last_received: 0,
            goaway_sent: false,
            goaway_received: false,
            terminated: false,
            send_window: 65_535,
            local_window: 65_535,
            received_bytes: 0,
            consumed: 0,
            ready: VecDeque::new(),
            waiting: VecDeque::new(),
            open_local: 0,
            open_remote: 0,
            reserved_remote: 0,
            acks: 0,
            queued: 0,
            remote_settings_seen: false,
            receive,
            options,
        }
    }

    /// The text of the block that the last [`Event::Headers`] is about: `name NUL value NUL …`; and the names that must never be indexed, each
    /// with a NUL.
    pub fn headers(&self) -> (&[u8], &[u8]) {
        (&self.header_text, &self.header_sensitive)
    }

    /// The next event that needs no input.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Whether an error has ended the connection: nothing that comes is looked at.
    pub fn is_over(&self) -> bool {
        self.terminated || self.receive.is_dead()
    }

    /// Whether there are bytes to send.
    pub fn has_output(&self) -> bool {
        !self.out.is_empty()
    }

    /// Exchanges the output for an empty buffer.
    pub fn take_output(&mut self, buffer: &mut Vec<u8>) {
        buffer.clear();
        std::mem::swap(buffer, &mut self.out);
        self.acks = 0;
    }

    /// Whether there is output, or streams have bytes queued.
    pub fn wants_write(&self) -> bool {
        !self.out.is_empty() || !self.ready.is_empty() || self.queued > 0
    }

    /// This side's settings that are in force.
    pub fn local_settings(&self) -> &Settings {
        &self.local
    }

    /// The peer's.
    pub fn remote_settings(&self) -> &Settings {
        &self.remote
    }

    /// The values of Node's `session.state`, in its order.
    pub fn state(&self) -> [f64; 9] {
        [
            self.local_window as f64,
            self.received_bytes as f64,
            f64::from(self.next_id),
            (self.local_window - self.received_bytes) as f64,
            f64::from(self.last_received),
            self.send_window as f64,
            (self.waiting.len() + usize::from(!self.out.is_empty())) as f64,
            self.encoder.table_size() as f64,
            self.decoder.table_size() as f64,
        ]
    }

    /// The values of Node's `stream.state`: state, weight, sum of weights, local and remote end, window.
    pub fn stream_state(&self, id: u32) -> [f64; 6] {
        let Some(stream) = self.streams.get(&id) else { return [1.0, 16.0, 0.0, 0.0, 0.0, 0.0] };
        let state = if stream.reserved {
            if stream.local { 3.0 } else { 4.0 }
        } else {
            match (stream.local_closed, stream.remote_closed) {
                (false, false) => 2.0,
                (true, false) => 5.0,
                (false, true) => 6.0,
                (true, true) => 7.0,
            }
        };
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        [
            state,
            16.0,
            0.0,
            flag(stream.local_closed),
            flag(stream.remote_closed),
            (stream.local_window - stream.received_bytes) as f64,
        ]
    }

    /// Bytes that streams hold.
    pub fn memory(&self) -> usize {
        self.queued + self.streams.len() * 512 + self.receive.memory()
    }

    // ---- commands for the connection

    /// Sends settings; false if too many wait for an acknowledgement.
    pub fn submit_settings(&mut self, list: &[(u16, u32)]) -> bool {
        if self.pending_settings.len() >= self.options.max_pending_settings {
            return false;
        }
        frame::head(&mut self.out, list.len() * 6, frame::SETTINGS, 0, 0);
        for (id, value) in list {
            self.out.extend_from_slice(&id.to_be_bytes());
            self.out.extend_from_slice(&value.to_be_bytes());
        }
        for (id, value) in list {
            // Nothing depends on the peer's consent to what only the programs know.
            if !settings::is_known(*id) {
                self.local.set_custom(*id, *value);
            }
        }
        self.pending_settings.push_back(list.to_vec());
        true
    }

    /// Puts the oldest unacknowledged settings in force.
    pub(crate) fn apply_settings(&mut self) -> bool {
        let Some(list) = self.pending_settings.pop_front() else { return false };
        for (id, value) in list {
            match id {
                settings::HEADER_TABLE_SIZE => self.decoder.set_limit(value as usize),
                settings::INITIAL_WINDOW_SIZE => {
                    let change = i64::from(value) - i64::from(self.local.initial_window_size);
                    for stream in self.streams.values_mut() {
                        stream.local_window += change;
                    }
                }
                _ => {}
            }
            self.local.set(id, value);
        }
        true
    }

    /// Sends a ping; false if too many wait for an acknowledgement.
    pub fn submit_ping(&mut self, payload: &[u8; 8]) -> bool {
        if self.pings >= self.options.max_pings {
            return false;
        }
        self.pings += 1;
        frame::head(&mut self.out, 8, frame::PING, 0, 0);
        self.out.extend_from_slice(payload);
        true
    }

    /// Sends GOAWAY: no new streams are accepted. `last` is the last stream that is, 0 for the last one that came.
    pub fn submit_goaway(&mut self, code: u32, last: u32, data: &[u8]) {
        let last = if last == 0 { self.last_received } else { last };
        frame::head(&mut self.out, 8 + data.len(), frame::GOAWAY, 0, 0);
        self.out.extend_from_slice(&last.to_be_bytes());
        self.out.extend_from_slice(&code.to_be_bytes());
        self.out.extend_from_slice(data);
        self.goaway_sent = true;
    }

    /// Ends the connection: after a GOAWAY nothing is sent or read any more.
    pub fn terminate(&mut self, code: u32) {
        if self.terminated {
            return;
        }
        self.terminated = true;
        self.drop_stream_frames();
        let last = self.last_received;
        frame::head(&mut self.out, 8, frame::GOAWAY, 0, 0);
        self.out.extend_from_slice(&last.to_be_bytes());
        self.out.extend_from_slice(&code.to_be_bytes());
        self.goaway_sent = true;
        self.ready.clear();
        self.waiting.clear();
    }

    /// Drops frames of streams from the output.
    fn drop_stream_frames(&mut self) {
        let out = std::mem::take(&mut self.out);
        let mut rest = &out[..];
        if rest.starts_with(frame::PREFACE) {
            self.out.extend_from_slice(frame::PREFACE);
            rest = &rest[frame::PREFACE.len()..];
        }
        while rest.len() >= HEAD {
            let head = frame::Head::read(rest);
            let (whole, later) = rest.split_at((HEAD + head.length).min(rest.len()));
            if head.stream == 0 {
                self.out.extend_from_slice(whole);
            }
            rest = later;
        }
    }

    /// Sends an ALTSVC frame (RFC 7838).
    pub fn submit_altsvc(&mut self, stream: u32, origin: &[u8], value: &[u8]) {
        frame::head(&mut self.out, 2 + origin.len() + value.len(), frame::ALTSVC, 0, stream);
        self.out.extend_from_slice(&(origin.len() as u16).to_be_bytes());
        self.out.extend_from_slice(origin);
        self.out.extend_from_slice(value);
    }

    /// Sends an ORIGIN frame (RFC 8336) with these origins.
    pub fn submit_origin<'a>(&mut self, origins: impl Iterator<Item = &'a [u8]>) {
        let at = self.out.len();
        frame::head(&mut self.out, 0, frame::ORIGIN, 0, 0);
        for origin in origins {
            self.out.extend_from_slice(&(origin.len() as u16).to_be_bytes());
            self.out.extend_from_slice(origin);
        }
        let length = self.out.len() - at - HEAD;
        frame::patch(&mut self.out, at, length, 0);
    }

    /// Sets the window of the connection: what the peer may send before it hears of this side again. Of a smaller one it hears by
    /// getting less back.
    pub fn set_local_window(&mut self, size: u32) {
        let change = i64::from(size) - self.local_window;
        self.local_window += change;
        if change > 0 {
            self.window_update(0, change as u32);
        } else {
            self.received_bytes += change;
        }
    }

    /// Sets the number of the next stream of this side; false if it is lower than the present one, or a number of the
    /// peer's.
    pub fn set_next_id(&mut self, id: u32) -> bool {
        if id < self.next_id || id % 2 != self.next_id % 2 {
            return false;
        }
        self.next_id = id;
        true
    }

    pub(crate) fn next_id(&self) -> u32 {
        self.next_id
    }

    pub(crate) fn set_encoder(&mut self, size: u32) {
        self.encoder.set_peer_limit(size as usize);
    }

    pub(crate) fn window_update(&mut self, stream: u32, size: u32) {
        frame::head(&mut self.out, 4, frame::WINDOW_UPDATE, 0, stream);
        self.out.extend_from_slice(&size.to_be_bytes());
    }

    // ---- commands for streams

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

    /// Queues a chunk of a body; [`Event::Written`] follows when it is sent. False if there is no such stream.
    pub fn write(&mut self, id: u32, fill: impl FnOnce(&mut Vec<u8>)) -> bool {
        let Some(stream) = self.streams.get_mut(&id).filter(|stream| !stream.local_closed && !stream.abandoned) else {
            return false;
        };
        let before = stream.queue.len();
        fill(&mut stream.queue);
        let added = stream.queue.len() - before;
        stream.waiting = true;
        self.queued += added;
        self.make_ready(id);
        true
    }

    /// Suppresses the event of the stream's end if that is without an error.
    pub fn hush(&mut self, id: u32) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.quiet = true;
        }
    }

    /// Queues the whole body of a response; no events of its writing follow.
    pub fn finish(&mut self, id: u32, bytes: &[u8]) {
        if self.write(id, |queue| queue.extend_from_slice(bytes))
            && let Some(stream) = self.streams.get_mut(&id)
        {
            stream.waiting = false;
            stream.shut = true;
        }
    }

    /// Ends this side of a stream: nothing more is queued.
    pub fn shut(&mut self, id: u32) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.shut = true;
            self.make_ready(id);
        }
    }

    /// Sets whether the program reads a stream. If it does not, the peer stops when the window is full.
    pub fn set_reading(&mut self, id: u32, on: bool) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.reading = on;
        if on {
            let bytes = stream.received_bytes - stream.consumed;
            self.consume(id, bytes);
        }
    }

    /// Notes that bytes of a stream were consumed: the peer may send as many again.
    pub(crate) fn consume(&mut self, id: u32, bytes: i64) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.consumed += bytes;
        let size = stream.consumed.min(stream.received_bytes);
        if stream.remote_closed || size <= 0 || size < stream.local_window / 2 {
            return;
        }
        stream.received_bytes -= size;
        stream.consumed -= size;
        self.window_update(id, size as u32);
    }

    pub(crate) fn consume_connection(&mut self, bytes: i64) {
        self.received_bytes += bytes;
        self.consumed += bytes;
        let size = self.consumed.min(self.received_bytes);
        if size > 0 && size >= self.local_window / 2 {
            self.received_bytes -= size;
            self.consumed -= size;
            self.window_update(0, size as u32);
        }
    }

    /// Ends a stream with a code, after the part of its body that can be sent.
    pub fn reset(&mut self, id: u32, code: u32) {
        let Some(stream) = self.streams.get(&id) else { return };
        if stream.pending {
            // The peer has never heard of it.
            self.waiting.retain(|waiting| waiting.stream != id);
            self.close_stream(id, code);
            return;
        }
        if !stream.abandoned {
            while self.pack(id) {}
        }
        if self.streams.contains_key(&id) {
            self.send_reset(id, code);
            self.close_stream(id, code);
        }
    }

    pub(crate) fn send_reset(&mut self, id: u32, code: u32) {
        frame::head(&mut self.out, 4, frame::RST_STREAM, 0, id);
        self.out.extend_from_slice(&code.to_be_bytes());
    }

    /// Abandons a stream: what it has queued is dropped.
    pub fn abandon(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.abandoned = true;
        stream.waiting = false;
        let dropped = stream.queued();
        stream.queue = Vec::new();
        stream.queue_from = 0;
        let unfinished = dropped > 0 && !stream.local_closed;
        let bytes = stream.received_bytes - stream.consumed;
        self.queued -= dropped;
        if unfinished {
            self.reset(id, frame::CANCEL);
        } else {
            self.consume(id, bytes);
        }
    }

    pub(crate) fn close_stream(&mut self, id: u32, code: u32) {
        let Some(stream) = self.streams.remove(&id) else { return };
        self.queued -= stream.queued();
        if stream.remote_closed && !stream.local {
            self.past.close(id);
        }
        if stream.counted {
            if stream.local { self.open_local -= 1 } else { self.open_remote -= 1 }
        } else if stream.reserved && !stream.local {
            self.reserved_remote -= 1;
        }
        if !stream.quiet || code != frame::NO_ERROR {
            self.events.push_back(Event::Closed { stream: id, code });
        }
        if stream.local && !self.waiting.is_empty() {
            self.start_waiting();
        }
    }

    fn end_local(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.local_closed = true;
        stream.shut = true;
        if stream.remote_closed {
            self.close_stream(id, frame::NO_ERROR);
        }
    }

    pub(crate) fn end_remote(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.remote_closed = true;
        if stream.local_closed {
            self.close_stream(id, frame::NO_ERROR);
        }
    }

    // ---- bodies on their way

    pub(crate) fn make_ready(&mut self, id: u32) {
        let server = self.options.server;
        let Some(stream) = self.streams.get_mut(&id) else { return };
        // A body comes behind its head.
        if stream.listed || stream.pending || stream.local_closed || (server && !stream.answered) {
            return;
        }
        stream.listed = true;
        self.ready.push_back(id);
    }

    /// Makes frames of bodies until about `budget` bytes wait to be sent, in turns.
    pub fn pump(&mut self, budget: usize) {
        // Streams that the connection's window holds up keep their turn.
        let mut blocked = 0;
        while self.out.len() < budget && blocked < self.ready.len() {
            let Some(id) = self.ready.pop_front() else { break };
            let Some(stream) = self.streams.get_mut(&id) else { continue };
            if self.send_window <= 0 && stream.queued() > 0 {
                self.ready.push_back(id);
                blocked += 1;
                continue;
            }
            stream.listed = false;
            if self.pack(id) {
                self.make_ready(id);
            }
        }
    }

    /// Makes one frame of a stream's body; true if another may follow at once.
    fn pack(&mut self, id: u32) -> bool {
        let server = self.options.server;
        let most = MAX_DATA_PAYLOAD.min(self.remote.max_frame_size as usize);
        let Some(stream) = self.streams.get_mut(&id) else { return false };
        if stream.local_closed || stream.pending || (server && !stream.answered) {
            return false;
        }
        let queued = stream.queued();
        let room = stream.send_window.min(self.send_window).max(0) as usize;
        if queued > 0 && room == 0 {
            return false;
        }
        let mut length = queued.min(room).min(most);
        let all = length == queued;
        let last = all && stream.shut;
        if length > 0 || (last && !stream.trailers) {
            let flags = if last && !stream.trailers { frame::END_STREAM } else { 0 };
            let pad = match self.options.padding {
                Padding::None => 0,
                _ => {
                    let most = (length + 256).min(most.min(room));
                    let pad = match self.options.padding {
                        Padding::Aligned => (8 - (length + HEAD) % 8) % 8,
                        _ => 255,
                    };
                    pad.min(most.saturating_sub(length))
                }
            };
            let from = stream.queue_from;
            if pad > 0 {
                frame::head(&mut self.out, length + pad, frame::DATA, flags | frame::PADDED, id);
                self.out.push((pad - 1) as u8);
            } else {
                frame::head(&mut self.out, length, frame::DATA, flags, id);
            }
            self.out.extend_from_slice(&stream.queue[from..from + length]);
            self.queued -= length;
            stream.queue_from += length;
            if pad > 0 {
                self.out.resize(self.out.len() + pad - 1, 0);
                length += pad;
            }
            stream.send_window -= length as i64;
            self.send_window -= length as i64;
        }
        if !all {
            // The part that is sent must not be carried along for ever.
            if stream.queue_from > 1 << 20 {
                stream.queue.drain(..stream.queue_from);
                stream.queue_from = 0;
            }
            return stream.send_window > 0;
        }
        stream.queue.clear();
        stream.queue.shrink_to(16 << 10);
        stream.queue_from = 0;
        if std::mem::take(&mut stream.waiting) {
            self.events.push_back(Event::Written { stream: id });
        }
        if last {
            if !stream.trailers {
                self.end_local(id);
            } else if !std::mem::replace(&mut stream.trailers_wanted, true) {
                self.events.push_back(Event::WantTrailers { stream: id });
            }
        }
        false
    }

    /// Whether the body of a stream has another length than was announced.
    pub(crate) fn body_is_wrong(stream: &Stream) -> bool {
        stream.received == Phase::Body
            && !stream.head_request
            && stream.announced.is_some_and(|announced| announced != stream.came)
    }
}
