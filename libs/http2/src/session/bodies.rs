//! Bodies on their way: what streams have queued becomes frames as far as both windows allow, and streams end.

use super::{Event, MAX_DATA_PAYLOAD, Padding, Session};
use crate::frame::{self, HEAD};
use crate::stream::{Phase, Stream};

impl Session {
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

    pub(super) fn end_local(&mut self, id: u32) {
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
