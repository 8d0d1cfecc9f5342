//! One connection: its settings, windows and open streams. `session/heads.rs` sends header blocks, `session/bodies.rs` bodies;
//! the receiving half is in `receive.rs`.
//!
//! The owner feeds bytes with [`Session::step`] and gets events one by one, so that its answer to one event counts for the next
//! frame. Commands append frames to an output that the owner takes away; bodies wait in their streams until
//! [`Session::pump`] makes frames of them, as far as both windows allow.

mod bodies;
mod heads;

use std::collections::VecDeque;

use crate::frame::{self, DEFAULT_FRAME_SIZE, HEAD};
use crate::hpack::{Decoder, Encoder};
use crate::settings::{self, Settings};
use crate::stream::{IdMap, Past, Stream};

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
}
