//! One stream of a connection.

use std::collections::VecDeque;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash of stream numbers, which are consecutive: any spreading is good enough.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.wrapping_mul(0x100).wrapping_add(u64::from(*byte));
        }
    }
    fn write_u32(&mut self, id: u32) {
        self.0 = u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(crate) type IdMap<V> = std::collections::HashMap<u32, V, BuildHasherDefault<IdHasher>>;

/// How far the messages of a side have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No final header block yet.
    Head,
    Body,
}

#[derive(Debug)]
pub(crate) struct Stream {
    /// Opened by this side (with a request or a push promise).
    pub local: bool,
    /// Counted against the limit of concurrent streams.
    pub counted: bool,
    /// A pushed stream; `local` says which side promised it.
    pub reserved: bool,
    /// A request that waits until the peer allows one more stream.
    pub pending: bool,
    pub local_closed: bool,
    pub remote_closed: bool,
    pub received: Phase,
    pub answered: bool,
    pub head_request: bool,
    pub connect: bool,
    /// Bytes of the body that content-length announces, and those that have come.
    pub announced: Option<u64>,
    pub came: u64,
    /// Bytes of body that may be sent.
    pub send_window: i64,
    /// Bytes of body that the peer may send, those that it has sent, and those of them that were consumed.
    pub local_window: i64,
    pub received_bytes: i64,
    pub consumed: i64,
    pub reading: bool,
    /// Bytes to send, from `queue_from` on.
    pub queue: Vec<u8>,
    pub queue_from: usize,
    /// The program has ended its side: nothing more is queued.
    pub shut: bool,
    /// Trailers follow the body.
    pub trailers: bool,
    pub trailers_wanted: bool,
    /// An event is due when the queue is empty.
    pub waiting: bool,
    /// In the list of streams that may send.
    pub listed: bool,
    /// The program has abandoned the stream.
    pub abandoned: bool,
    /// Its end without an error is not reported.
    pub quiet: bool,
}

impl Stream {
    pub(crate) fn new(local: bool, send_window: i64, local_window: i64) -> Stream {
        Stream {
            local,
            counted: true,
            reserved: false,
            pending: false,
            local_closed: false,
            remote_closed: false,
            received: Phase::Head,
            answered: false,
            head_request: false,
            connect: false,
            announced: None,
            came: 0,
            send_window,
            local_window,
            received_bytes: 0,
            consumed: 0,
            reading: false,
            queue: Vec::new(),
            queue_from: 0,
            shut: false,
            trailers: false,
            trailers_wanted: false,
            waiting: false,
            listed: false,
            abandoned: false,
            quiet: false,
        }
    }

    /// Bytes that wait to be sent.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len() - self.queue_from
    }
}

/// Streams that the peer has closed, and numbers of streams that it has left out.
const MAX_PAST: usize = 64;

/// What is known of the peer's streams that are not there any more: frames that come for them break the protocol, while those for
/// streams that this side has reset are on their way still. Only the newest are known; frames for others are ignored.
#[derive(Default)]
pub(crate) struct Past {
    closed: VecDeque<u32>,
    skipped: VecDeque<(u32, u32)>,
}

fn remember<T>(list: &mut VecDeque<T>, value: T) {
    if list.len() == MAX_PAST {
        list.pop_front();
    }
    list.push_back(value);
}

impl Past {
    /// The peer has ended its side of a stream, or reset it, and nothing more may come for it.
    pub(crate) fn close(&mut self, id: u32) {
        remember(&mut self.closed, id);
    }

    /// The peer opens stream `next` after `last`: those in between are closed by that (RFC 9113, 5.1.1).
    pub(crate) fn skip(&mut self, last: u32, next: u32) {
        let first = if last == 0 { 1 } else { last.saturating_add(2) };
        if first < next {
            remember(&mut self.skipped, (first, next));
        }
    }

    pub(crate) fn was_closed(&self, id: u32) -> bool {
        self.closed.contains(&id)
    }

    pub(crate) fn was_skipped(&self, id: u32) -> bool {
        self.skipped.iter().any(|(first, next)| (*first..*next).contains(&id))
    }
}
