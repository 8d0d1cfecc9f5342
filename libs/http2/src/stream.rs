//! One stream of a connection.

use std::hash::{BuildHasherDefault, Hasher};

/// Identifiers are counted up: any spreading is good enough.
#[derive(Default)]
pub struct IdHasher(u64);

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

pub type IdMap<V> = std::collections::HashMap<u32, V, BuildHasherDefault<IdHasher>>;

/// How far the messages of a side have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No final header block yet.
    Head,
    Body,
}

#[derive(Debug)]
pub struct Stream {
    /// Made by this side (with a request or a promise).
    pub local: bool,
    /// Counted among those that are open at once.
    pub counted: bool,
    /// A pushed stream; `local` says which side promised it.
    pub reserved: bool,
    /// A request that waits for its turn.
    pub pending: bool,
    pub local_closed: bool,
    pub remote_closed: bool,
    pub received: Phase,
    pub answered: bool,
    pub head_request: bool,
    pub connect: bool,
    /// Bytes of the body that were announced, and that have come.
    pub announced: Option<u64>,
    pub came: u64,
    /// What may be sent.
    pub send_window: i64,
    /// What the peer may send, what it has sent of it, and what of that has been consumed.
    pub local_window: i64,
    pub received_bytes: i64,
    pub consumed: i64,
    pub reading: bool,
    /// Bytes to send, from `queue_from` on.
    pub queue: Vec<u8>,
    pub queue_from: usize,
    /// Nothing is written any more.
    pub shut: bool,
    /// Trailers come behind the data.
    pub trailers: bool,
    pub trailers_wanted: bool,
    /// Somebody waits until the queue is empty.
    pub waiting: bool,
    /// In the list of those that may send.
    pub listed: bool,
    /// The program has no use for it any more.
    pub abandoned: bool,
    /// A good end of it need not be told.
    pub quiet: bool,
}

impl Stream {
    pub fn new(local: bool, send_window: i64, local_window: i64) -> Stream {
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
    pub fn queued(&self) -> usize {
        self.queue.len() - self.queue_from
    }
}
