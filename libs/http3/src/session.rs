//! A connection of HTTP/3 from either side.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, Dir, EndpointConfig, IdleTimeout, ServerConfig, StreamEvent, StreamId,
    TransportConfig, VarInt, WriteError,
};

use crate::frame::{self, code};
use crate::keys::{ResetKey, TokenKey};
use crate::qpack;
use crate::receive::Control;
use crate::stream::Stream;
use crate::tls::Config;

/// What a session is to be.
#[derive(Debug, Clone)]
pub struct Options {
    pub server: bool,
    /// Most bytes of a message's fields, each counted with 32 more (RFC 9114, 4.2.2).
    pub max_fields: usize,
    /// Resets by the peer that are forgiven, and how many a second come back to it.
    pub reset_burst: f64,
    pub reset_rate: f64,
}

impl Options {
    /// What is usual.
    pub fn new(server: bool) -> Options {
        Options { server, max_fields: 64 << 10, reset_burst: 1000.0, reset_rate: 33.0 }
    }
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// The peer has closed it, with a code of HTTP/3.
    Closed,
    /// The peer, or this side, has found a fault in QUIC or TLS.
    Transport,
    /// Nothing came for too long.
    TimedOut,
    /// The peer does not know it.
    Reset,
    /// The peer speaks another version.
    Version,
    /// The peer breaks the rules of HTTP/3: this side has closed it.
    Broken,
}

/// What has happened.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is done.
    Connected,
    /// A header block, whose text is [`Session::fields`]. `fresh`: the first of the stream; `end`: nothing follows.
    Headers {
        stream: u32,
        category: Category,
        end: bool,
        fresh: bool,
    },
    Data {
        stream: u32,
        bytes: Vec<u8>,
    },
    /// The peer's half of a stream has ended.
    End {
        stream: u32,
    },
    /// Both halves have.
    Closed {
        stream: u32,
        code: u64,
    },
    /// What was written to a stream is taken.
    Written {
        stream: u32,
    },
    /// The peer takes no more requests.
    Goaway,
    /// The connection is over.
    Lost {
        how: Lost,
        code: u64,
        reason: String,
    },
}

/// The kind of a header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    Request,
    Response,
    Trailers,
}

/// Streams that a client may have open at once.
const MAX_STREAMS: u32 = 256;
/// One-way streams that a peer may have open at once: three, and a few that mean nothing.
const MAX_ONE_WAY: u32 = 16;
/// Bytes that a peer may send ahead on a stream, and on all.
const WINDOW: u32 = 1 << 20;
const ALL_WINDOWS: u32 = 8 << 20;
/// Bytes that wait for the peer's acknowledgement.
const SEND_WINDOW: u64 = 4 << 20;

/// How QUIC is spoken. `idle`: the longest silence; `alive`: how often a quiet connection says that it is there.
pub fn transport(server: bool, idle: Option<Duration>, alive: Option<Duration>) -> TransportConfig {
    let mut config = TransportConfig::default();
    config
        .max_concurrent_bidi_streams(if server { VarInt::from_u32(MAX_STREAMS) } else { VarInt::from_u32(0) })
        .max_concurrent_uni_streams(VarInt::from_u32(MAX_ONE_WAY))
        .stream_receive_window(VarInt::from_u32(WINDOW))
        .receive_window(VarInt::from_u32(ALL_WINDOWS))
        .send_window(SEND_WINDOW)
        .datagram_receive_buffer_size(None)
        .keep_alive_interval(alive)
        .max_idle_timeout(idle.and_then(|time| IdleTimeout::try_from(time).ok()));
    config
}

/// The configuration of an endpoint, with secrets of its own.
pub fn endpoint_config() -> EndpointConfig {
    let mut config = EndpointConfig::new(Arc::new(ResetKey::random()));
    config.supported_versions(vec![crate::keys::VERSION]);
    config
}

/// The configuration of a server, or of one of its connections.
pub fn server_config(tls: Config, token_key: Arc<TokenKey>, transport: Arc<TransportConfig>) -> ServerConfig {
    let mut config = ServerConfig::new(Arc::new(tls), token_key);
    config.transport_config(transport);
    config
}

/// The configuration of a client's connection.
pub fn client_config(tls: Config, transport: Arc<TransportConfig>) -> ClientConfig {
    let mut config = ClientConfig::new(Arc::new(tls));
    config.transport_config(transport);
    config
}

/// Something that may be done so often, and then so many times a second.
#[derive(Debug)]
pub(crate) struct Rate {
    left: f64,
    burst: f64,
    rate: f64,
    since: Option<Instant>,
}

impl Rate {
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        if let Some(since) = self.since {
            let back = now.saturating_duration_since(since).as_secs_f64() * self.rate;
            self.left = (self.left + back).min(self.burst);
        }
        self.since = Some(now);
        self.left -= 1.0;
        self.left >= 0.0
    }
}

/// A connection.
pub struct Session {
    /// QUIC's part: whoever has sockets and clocks drives it.
    pub connection: Connection,
    pub(crate) server: bool,
    pub(crate) max_fields: usize,
    pub(crate) now: Instant,
    pub(crate) streams: HashMap<u32, Stream>,
    /// Streams by what QUIC calls them.
    pub(crate) numbers: HashMap<StreamId, u32>,
    next: u32,
    /// Requests that wait for the peer to allow more streams.
    waiting: VecDeque<u32>,
    pub(crate) one_way: HashMap<StreamId, Control>,
    /// Types of the peer's critical streams that are there, as bits.
    pub(crate) critical: u32,
    pub(crate) settled: bool,
    pub(crate) peer_max_push: Option<u64>,
    /// Streams that have something to read.
    pub(crate) readable: VecDeque<StreamId>,
    unsent: VecDeque<u32>,
    pub(crate) events: VecDeque<Event>,
    /// What is to be sent on the control stream.
    control: Option<StreamId>,
    control_out: Vec<u8>,
    /// The first request that is not taken any more.
    pub(crate) refused_from: Option<u64>,
    /// The last number of the peer's GOAWAY.
    pub(crate) goaway: Option<u64>,
    pub(crate) next_incoming: u64,
    pub(crate) over: bool,
    pub(crate) text: Vec<u8>,
    pub(crate) resets: Rate,
}

fn varint(value: u64) -> VarInt {
    VarInt::from_u64(value).unwrap_or(VarInt::MAX)
}

impl Session {
    /// A session on a connection that begins.
    pub fn new(connection: Connection, options: Options, now: Instant) -> Session {
        Session {
            connection,
            server: options.server,
            max_fields: options.max_fields,
            now,
            streams: HashMap::new(),
            numbers: HashMap::new(),
            next: 1,
            waiting: VecDeque::new(),
            one_way: HashMap::new(),
            critical: 0,
            settled: false,
            peer_max_push: None,
            readable: VecDeque::new(),
            unsent: VecDeque::new(),
            events: VecDeque::new(),
            control: None,
            control_out: Vec::new(),
            refused_from: None,
            goaway: None,
            next_incoming: 0,
            over: false,
            text: Vec::new(),
            resets: Rate {
                left: options.reset_burst,
                burst: options.reset_burst,
                rate: options.reset_rate,
                since: None,
            },
        }
    }

    /// The fields of the last [`Event::Headers`]: names and values, each with a NUL behind it.
    pub fn fields(&self) -> &[u8] {
        &self.text
    }

    /// Whether the connection is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Streams that are not over.
    pub fn open_streams(&self) -> usize {
        self.streams.len()
    }

    /// Whether the peer has all that was sent.
    pub fn is_drained(&mut self) -> bool {
        let own = usize::from(self.control.is_some());
        self.streams.is_empty() && self.connection.streams().send_streams() <= own
    }

    /// What happens next, if anything does.
    pub fn step(&mut self, now: Instant) -> Option<Event> {
        self.now = now;
        loop {
            self.collect();
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            if let Some(id) = self.readable.pop_front() {
                self.read(id);
            } else if self.unsent.is_empty() {
                return None;
            } else {
                // QUIC has room again.
                self.pump(now);
            }
        }
    }

    fn collect(&mut self) {
        while let Some(event) = self.connection.poll() {
            match event {
                quinn_proto::Event::Connected => {
                    self.open_control();
                    self.events.push_back(Event::Connected);
                }
                quinn_proto::Event::ConnectionLost { reason } => self.lost(reason),
                quinn_proto::Event::Stream(event) => self.stream_event(event),
                quinn_proto::Event::HandshakeDataReady
                | quinn_proto::Event::DatagramReceived
                | quinn_proto::Event::DatagramsUnblocked => {}
            }
        }
    }

    fn lost(&mut self, reason: ConnectionError) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let text = reason.to_string();
        let (how, code) = match reason {
            ConnectionError::ApplicationClosed(close) => (Lost::Closed, close.error_code.into_inner()),
            ConnectionError::ConnectionClosed(close) => (Lost::Transport, u64::from(close.error_code)),
            ConnectionError::TransportError(error) => (Lost::Transport, u64::from(error.code)),
            ConnectionError::TimedOut => (Lost::TimedOut, 0),
            ConnectionError::Reset => (Lost::Reset, 0),
            ConnectionError::VersionMismatch => (Lost::Version, 0),
            ConnectionError::LocallyClosed | ConnectionError::CidsExhausted => (Lost::Broken, code::INTERNAL_ERROR),
        };
        self.events.push_back(Event::Lost { how, code, reason: text });
    }

    fn stream_event(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Opened { dir } => {
                while let Some(id) = self.connection.streams().accept(dir) {
                    match dir {
                        Dir::Bi => self.accept(id),
                        Dir::Uni => {
                            self.one_way.insert(id, Control::default());
                        }
                    }
                    self.queue_read(id);
                }
            }
            StreamEvent::Readable { id } => self.queue_read(id),
            StreamEvent::Writable { id } => {
                if Some(id) == self.control {
                    self.send_control();
                } else if let Some(number) = self.numbers.get(&id) {
                    self.queue_send(*number);
                }
            }
            StreamEvent::Stopped { id, error_code } => {
                if Some(id) == self.control {
                    self.fail(code::CLOSED_CRITICAL_STREAM, "the control stream was stopped");
                } else if let Some(&number) = self.numbers.get(&id) {
                    self.stopped(number, error_code.into_inner());
                }
            }
            StreamEvent::Available { dir: Dir::Bi } => self.open_waiting(),
            StreamEvent::Available { dir: Dir::Uni } => self.open_control(),
            StreamEvent::Finished { .. } => {}
        }
    }

    fn accept(&mut self, id: StreamId) {
        self.next_incoming = self.next_incoming.max(id.index() + 1);
        let number = self.next;
        self.next = self.next.wrapping_add(1).max(1);
        let mut stream = Stream::new(Some(id));
        if self.refused_from.is_some_and(|first| id.index() >= first) {
            stream.quiet = true;
            self.streams.insert(number, stream);
            self.numbers.insert(id, number);
            self.reset(number, code::REQUEST_REJECTED);
            return;
        }
        self.streams.insert(number, stream);
        self.numbers.insert(id, number);
    }

    /// The peer wants no more of a stream.
    fn stopped(&mut self, number: u32, error: u64) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        let Some(id) = stream.id else { return };
        if !stream.sent_all {
            stream.sent_all = true;
            stream.out.clear();
            // Best effort: QUIC may have seen to it.
            let _ = self.connection.send_stream(id).reset(varint(error));
            if std::mem::take(&mut stream.waits) {
                self.events.push_back(Event::Written { stream: number });
            }
        }
        // A client that does not want the answer has no use for the rest either.
        if self.server && error != code::NO_ERROR && !self.resets.take(self.now) {
            self.fail(code::EXCESSIVE_LOAD, "too many streams were cancelled");
            return;
        }
        if self.server && error != code::NO_ERROR {
            self.reset(number, error);
        } else {
            self.retire(number);
        }
    }

    pub(crate) fn queue_read(&mut self, id: StreamId) {
        if let Some(stream) = self.numbers.get(&id).and_then(|number| self.streams.get_mut(number)) {
            if std::mem::replace(&mut stream.queued, true) {
                return;
            }
        } else if !self.one_way.contains_key(&id) {
            return;
        }
        self.readable.push_back(id);
    }

    fn queue_send(&mut self, number: u32) {
        if let Some(stream) = self.streams.get_mut(&number)
            && !std::mem::replace(&mut stream.unsent, true)
        {
            self.unsent.push_back(number);
        }
    }

    /// Opens the stream for settings, where there is none yet.
    fn open_control(&mut self) {
        if self.control.is_some() {
            return;
        }
        let Some(id) = self.connection.streams().open(Dir::Uni) else { return };
        self.control = Some(id);
        let mut settings = Vec::new();
        for (name, value) in
            [(frame::SETTING_FIELDS, self.max_fields as u64), (frame::SETTING_TABLE, 0), (frame::SETTING_BLOCKED, 0)]
        {
            frame::write_varint(&mut settings, name);
            frame::write_varint(&mut settings, value);
        }
        let mut out = Vec::new();
        frame::write_varint(&mut out, frame::STREAM_CONTROL);
        frame::write_head(&mut out, frame::SETTINGS, settings.len());
        out.extend_from_slice(&settings);
        out.append(&mut self.control_out);
        self.control_out = out;
        self.send_control();
    }

    fn send_control(&mut self) {
        let Some(id) = self.control else { return };
        while !self.control_out.is_empty() {
            match self.connection.send_stream(id).write(&self.control_out) {
                Ok(count) => drop(self.control_out.drain(..count)),
                Err(_) => return,
            }
        }
    }

    /// Closes the connection: the peer has broken a rule.
    pub(crate) fn fail(&mut self, error: u64, reason: &'static str) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.connection.close(self.now, varint(error), Bytes::from_static(reason.as_bytes()));
        self.events.push_back(Event::Lost { how: Lost::Broken, code: error, reason: reason.to_string() });
    }

    // ---- commands

    fn block(fields: &[u8]) -> Vec<u8> {
        let mut block = Vec::with_capacity(fields.len());
        qpack::begin(&mut block);
        let fields = fields.strip_suffix(&[0]).unwrap_or(fields);
        let mut parts = fields.split(|byte| *byte == 0);
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            // As in HTTP/2's commands, a 1 before a name says that it must never be indexed.
            let (name, sensitive) = name.strip_prefix(&[1]).map_or((name, false), |name| (name, true));
            qpack::encode(name, value, sensitive, &mut block);
        }
        let mut out = Vec::with_capacity(block.len() + 10);
        frame::write_head(&mut out, frame::HEADERS, block.len());
        out.extend_from_slice(&block);
        out
    }

    /// A request: its stream. Fields as `name NUL value NUL`, pseudo-fields first. `end`: nothing follows. `None`: the connection takes no more.
    pub fn request(&mut self, fields: &[u8], end: bool) -> Option<u32> {
        if self.over || self.goaway.is_some() {
            return None;
        }
        let number = self.next;
        self.next = self.next.wrapping_add(1).max(1);
        let mut stream = Stream::new(None);
        stream.bodyless = fields.starts_with(b":method\0HEAD\0");
        stream.out.push_back(Session::block(fields).into());
        stream.shut = end;
        self.streams.insert(number, stream);
        self.waiting.push_back(number);
        self.open_waiting();
        Some(number)
    }

    fn open_waiting(&mut self) {
        while let Some(&number) = self.waiting.front() {
            let Some(stream) = self.streams.get_mut(&number) else {
                self.waiting.pop_front();
                continue;
            };
            let Some(id) = self.connection.streams().open(Dir::Bi) else { return };
            stream.id = Some(id);
            self.numbers.insert(id, number);
            self.waiting.pop_front();
            self.queue_send(number);
        }
    }

    /// An answer. False where there is no such stream.
    pub fn respond(&mut self, number: u32, fields: &[u8], end: bool) -> bool {
        let Some(stream) = self.streams.get_mut(&number).filter(|stream| !stream.answered) else { return false };
        stream.answered = true;
        self.push(number, Session::block(fields), end)
    }

    /// What comes before the answer.
    pub fn info(&mut self, number: u32, fields: &[u8]) -> bool {
        self.push(number, Session::block(fields), false)
    }

    /// The end of a body, with fields.
    pub fn trailers(&mut self, number: u32, fields: &[u8]) -> bool {
        self.push(number, Session::block(fields), true)
    }

    fn push(&mut self, number: u32, bytes: Vec<u8>, end: bool) -> bool {
        let Some(stream) = self.streams.get_mut(&number) else { return false };
        if !stream.sent_all {
            stream.out.push_back(bytes.into());
            stream.shut |= end;
            self.queue_send(number);
        }
        true
    }

    /// A piece of a body. [`Event::Written`] tells that it is taken.
    pub fn write(&mut self, number: u32, bytes: Vec<u8>) -> bool {
        let Some(stream) = self.streams.get_mut(&number) else { return false };
        stream.waits = true;
        if !stream.sent_all && !stream.shut && !bytes.is_empty() {
            let mut head = Vec::new();
            frame::write_head(&mut head, frame::DATA, bytes.len());
            stream.out.push_back(head.into());
            stream.out.push_back(bytes.into());
        }
        self.queue_send(number);
        true
    }

    /// Ends this side's half of a stream.
    pub fn shut(&mut self, number: u32) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.shut = true;
            self.queue_send(number);
        }
    }

    /// A whole body and its end.
    pub fn finish(&mut self, number: u32, bytes: Vec<u8>) {
        self.write(number, bytes);
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.waits = false;
        }
        self.shut(number);
    }

    /// That a stream has come to a good end need not be told.
    pub fn hush(&mut self, number: u32) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.quiet = true;
        }
    }

    /// Whether a body is wanted.
    pub fn set_reading(&mut self, number: u32, on: bool) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if stream.reading == on {
            return;
        }
        stream.reading = on;
        if on && let Some(id) = stream.id {
            self.queue_read(id);
        }
    }

    /// Ends a stream. Without an error, only the peer's half: what was said goes out.
    pub fn reset(&mut self, number: u32, error: u64) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        stream.data.clear();
        if error != code::NO_ERROR {
            stream.code = error;
        }
        let Some(id) = stream.id else {
            stream.received_all = true;
            stream.sent_all = true;
            self.retire(number);
            return;
        };
        if !stream.received_all {
            stream.received_all = true;
            // It may have ended meanwhile.
            let _ = self.connection.recv_stream(id).stop(varint(error));
        }
        let answered = error == code::NO_ERROR && stream.shut;
        if !stream.sent_all && !answered {
            stream.sent_all = true;
            stream.out.clear();
            let _ = self.connection.send_stream(id).reset(varint(error));
        }
        self.retire(number);
    }

    /// Forgets a stream that has nothing more to do.
    pub(crate) fn retire(&mut self, number: u32) {
        let Some(stream) = self.streams.get(&number) else { return };
        if !stream.received_all || !stream.sent_all {
            return;
        }
        let Some(stream) = self.streams.remove(&number) else { return };
        if let Some(id) = stream.id {
            self.numbers.remove(&id);
        }
        if !stream.quiet || stream.code != code::NO_ERROR {
            self.events.push_back(Event::Closed { stream: number, code: stream.code });
        }
    }

    /// Takes no more requests.
    pub fn go_away(&mut self) {
        if self.refused_from.is_some() {
            return;
        }
        self.refused_from = Some(self.next_incoming);
        let mut content = Vec::new();
        // A server names a request, a client a push, of which it has had none.
        frame::write_varint(&mut content, if self.server { self.next_incoming << 2 } else { 0 });
        frame::write_head(&mut self.control_out, frame::GOAWAY, content.len());
        self.control_out.extend_from_slice(&content);
        self.send_control();
    }

    /// Closes the connection; nothing is told of it.
    pub fn close(&mut self, now: Instant, error: u64) {
        self.over = true;
        self.connection.close(now, varint(error), Bytes::new());
    }

    /// Hands what is to be sent over to QUIC, as far as that takes it.
    pub fn pump(&mut self, now: Instant) {
        self.now = now;
        while let Some(number) = self.unsent.pop_front() {
            let Some(stream) = self.streams.get_mut(&number) else { continue };
            stream.unsent = false;
            let Some(id) = stream.id else { continue };
            let mut stopped = None;
            while !stream.sent_all && !stream.out.is_empty() {
                match self.connection.send_stream(id).write_chunks(stream.out.make_contiguous()) {
                    Ok(written) => drop(stream.out.drain(..written.chunks)),
                    Err(WriteError::Blocked) => break,
                    Err(WriteError::Stopped(error)) => {
                        stopped = Some(error.into_inner());
                        break;
                    }
                    Err(WriteError::ClosedStream) => {
                        stopped = Some(code::REQUEST_CANCELLED);
                        break;
                    }
                }
            }
            if let Some(error) = stopped {
                self.stopped(number, error);
                continue;
            }
            if !stream.out.is_empty() && !stream.sent_all {
                continue;
            }
            if std::mem::take(&mut stream.waits) {
                self.events.push_back(Event::Written { stream: number });
            }
            if stream.shut && !stream.sent_all {
                stream.sent_all = true;
                // A stream that was stopped meanwhile has ended, too.
                let _ = self.connection.send_stream(id).finish();
                self.retire(number);
            }
        }
    }
}
