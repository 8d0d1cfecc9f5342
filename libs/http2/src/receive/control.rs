//! Frames about the connection and its streams that carry neither heads nor bodies.

use super::{Fault, MAX_ACKS, Outcome, protocol, size};
use crate::frame::{self, Head};
use crate::session::{Event, Session, errors};
use crate::settings;

impl Session {
    pub(super) fn priority(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn reset_frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn settings_frame(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn ping(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn goaway(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn update(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn altsvc(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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

    pub(super) fn origin(&mut self, head: &Head, payload: &[u8]) -> Outcome {
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
