//! Peers that mean no good: each is answered by an error, and none makes the session hold much.

mod common;

use common::{client_bytes, drain, feed, frame as make, frames, goaway, server};
use http2::frame::{self, read_u32};
use http2::session::SendHeaders;
use http2::{Event, Options, Session};

fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut encoder = http2::hpack::Encoder::new(4096);
    let mut out = Vec::new();
    encoder.begin(&mut out);
    for (name, value) in fields {
        encoder.field(name.as_bytes(), value.as_bytes(), false, &mut out);
    }
    out
}

const GET: [(&str, &str); 4] = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")];

#[test]
fn no_preface() {
    let mut session = Session::new(Options::new(true));
    let events = feed(&mut session, b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(events, [Event::Error { code: -903, invalid: false }]);
}

#[test]
fn frames_that_are_too_large() {
    let mut session = server(Options::new(true));
    let events = feed(&mut session, &make(frame::HEADERS, 4, 1, &[0; 16_385])[..100]);
    assert_eq!(events, [Event::Terminated { code: frame::FRAME_SIZE_ERROR }]);
    assert_eq!(goaway(&drain(&mut session)), Some(frame::FRAME_SIZE_ERROR));
}

#[test]
fn wrong_sizes_and_streams() {
    for (kind, flags, stream, payload) in [
        (frame::PING, 0, 0, &[0u8; 7][..]),
        (frame::PING, 0, 1, &[0; 8]),
        (frame::SETTINGS, 0, 0, &[0; 5]),
        (frame::SETTINGS, 0, 1, &[]),
        (frame::SETTINGS, 1, 0, &[0; 6]),
        (frame::WINDOW_UPDATE, 0, 0, &[0; 4]),
        (frame::WINDOW_UPDATE, 0, 9, &[0, 0, 0, 1]),
        (frame::RST_STREAM, 0, 9, &[0; 4]),
        (frame::RST_STREAM, 0, 0, &[0; 4]),
        (frame::PRIORITY, 0, 1, &[0; 4]),
        (frame::DATA, 0, 0, &[0]),
        (frame::DATA, 0, 1, &[0]),
        (frame::DATA, 8, 0, &[9]),
        (frame::HEADERS, 4, 0, &[]),
        (frame::HEADERS, 4, 2, &[]),
        (frame::HEADERS, 12, 1, &[9]),
        (frame::HEADERS, 0x24, 1, &[0, 0, 0, 1, 0]),
        (frame::HEADERS, 4, 1, &[0x80]),
        (frame::PUSH_PROMISE, 4, 1, &[0, 0, 0, 2]),
        (frame::CONTINUATION, 4, 1, &[]),
        (frame::GOAWAY, 0, 0, &[0; 7]),
        (frame::SETTINGS, 0, 0, &[0, 4, 0x80, 0, 0, 0]),
        (frame::SETTINGS, 0, 0, &[0, 5, 0, 0, 0, 1]),
        (frame::SETTINGS, 0, 0, &[0, 2, 0, 0, 0, 2]),
    ] {
        let mut session = server(Options::new(true));
        let events = feed(&mut session, &make(kind, flags, stream, payload));
        let ended = events.iter().any(|event| matches!(event, Event::Terminated { .. } | Event::Error { .. }));
        assert!(ended, "{kind} {flags} {stream} {payload:?}: {events:?}");
        assert!(goaway(&drain(&mut session)).is_some());
        // Nothing is understood any more.
        assert_eq!(feed(&mut session, &make(frame::PING, 0, 0, &[0; 8])), []);
    }
}

#[test]
fn compression_bombs() {
    let mut options = Options::new(true);
    options.max_fields = 1_000_000;
    let mut session = server(options);
    session.submit_settings(&[(6, 65_536)]);
    feed(&mut session, &[make(frame::SETTINGS, 1, 0, &[]), make(frame::SETTINGS, 1, 0, &[])].concat());
    // One field of three kilobytes, then references to it: 15 KB become 45 MB.
    let mut bytes = block(&GET);
    let long = "v".repeat(3000);
    bytes.extend(block(&[("x-bomb", &long)]));
    let left = 15_000 - bytes.len().min(15_000);
    bytes.extend(vec![0xbe; left]);
    let events = feed(&mut session, &make(frame::HEADERS, 5, 1, &bytes));
    assert_eq!(events, [Event::Closed { stream: 1, code: frame::ENHANCE_YOUR_CALM }]);
    assert!(session.memory() < 100_000 && session.headers().0.len() < 80_000);
}

#[test]
fn many_fields() {
    let mut session = server(Options::new(true));
    let mut bytes = block(&GET);
    bytes.extend(vec![0x90; 1000]);
    let events = feed(&mut session, &make(frame::HEADERS, 5, 1, &bytes));
    assert_eq!(events, [Event::Closed { stream: 1, code: frame::ENHANCE_YOUR_CALM }]);
}

#[test]
fn continuation_floods() {
    let mut session = server(Options::new(true));
    let mut events = feed(&mut session, &make(frame::HEADERS, 1, 1, &block(&GET)));
    let mut sent = 0;
    while events.is_empty() && sent < 100_000 {
        events = feed(&mut session, &make(frame::CONTINUATION, 0, 1, &[0x90; 16_384]));
        sent += 1;
    }
    assert!(sent < 10 && session.memory() < 1 << 18);
    assert_eq!(goaway(&drain(&mut session)), Some(frame::ENHANCE_YOUR_CALM));
}

#[test]
fn rapid_resets() {
    let mut session = server(Options::new(true));
    let mut ended = 0;
    for i in 0..5000u32 {
        let id = i * 2 + 1;
        let mut bytes = make(frame::HEADERS, 5, id, &block(&GET));
        bytes.extend(make(frame::RST_STREAM, 0, id, &8u32.to_be_bytes()));
        let events = feed(&mut session, &bytes);
        drain(&mut session);
        if events.iter().any(|event| matches!(event, Event::Terminated { .. })) {
            ended = i;
            break;
        }
    }
    assert!((1000..1200).contains(&ended), "{ended}");
}

#[test]
fn pings_and_settings_that_are_never_read() {
    for flood in [make(frame::PING, 0, 0, &[1; 8]), make(frame::SETTINGS, 0, 0, &[])] {
        let mut session = server(Options::new(true));
        let mut events = Vec::new();
        for _ in 0..2000 {
            events.extend(feed(&mut session, &flood));
        }
        assert!(events.contains(&Event::Error { code: -904, invalid: false }));
    }
    let mut session = server(Options::new(true));
    let many = [0, 9, 0, 0, 0, 1].repeat(33);
    assert_eq!(feed(&mut session, &make(frame::SETTINGS, 0, 0, &many)).len(), 1);
    assert!(goaway(&drain(&mut session)).is_some());
}

#[test]
fn empty_frames() {
    let mut session = server(Options::new(true));
    feed(&mut session, &make(frame::HEADERS, 4, 1, &block(&[(":method", "POST"), GET[1], GET[2], GET[3]])));
    let mut events = Vec::new();
    for _ in 0..1100 {
        events.extend(feed(&mut session, &make(frame::DATA, 0, 1, &[])));
    }
    assert!(events.contains(&Event::Error { code: -902, invalid: true }));
}

#[test]
fn windows() {
    // Of the connection: no more than 2^31 - 1.
    let mut session = server(Options::new(true));
    feed(&mut session, &make(frame::WINDOW_UPDATE, 0, 0, &0x7fff_ffffu32.to_be_bytes()));
    assert_eq!(goaway(&drain(&mut session)), Some(frame::FLOW_CONTROL_ERROR));
    // Of a stream.
    let mut session = server(Options::new(true));
    feed(&mut session, &make(frame::HEADERS, 5, 1, &block(&GET)));
    let events = feed(&mut session, &make(frame::WINDOW_UPDATE, 0, 1, &0x7fff_ffffu32.to_be_bytes()));
    assert_eq!(events, [Event::Closed { stream: 1, code: frame::FLOW_CONTROL_ERROR }]);
    let out = drain(&mut session);
    let reset = frames(&out).into_iter().find(|(head, _)| head.kind == frame::RST_STREAM).unwrap();
    assert_eq!(read_u32(&reset.1), frame::FLOW_CONTROL_ERROR);
    // More than the window of a stream that nobody reads.
    let mut session = server(Options::new(true));
    feed(&mut session, &make(frame::HEADERS, 4, 1, &block(&[(":method", "POST"), GET[1], GET[2], GET[3]])));
    let mut events = Vec::new();
    for _ in 0..6 {
        events.extend(feed(&mut session, &make(frame::DATA, 0, 1, &[0; 16_000])));
    }
    assert!(events.contains(&Event::Closed { stream: 1, code: frame::FLOW_CONTROL_ERROR }));
    // A change of all windows that makes one of them too large.
    let mut session = server(Options::new(true));
    feed(&mut session, &make(frame::HEADERS, 5, 1, &block(&GET)));
    feed(&mut session, &make(frame::WINDOW_UPDATE, 0, 1, &1_000_000u32.to_be_bytes()));
    feed(&mut session, &make(frame::SETTINGS, 0, 0, &[0, 4, 0x7f, 0xff, 0xff, 0xff]));
    assert_eq!(goaway(&drain(&mut session)), Some(frame::FLOW_CONTROL_ERROR));
}

#[test]
fn bodies_that_are_not_as_announced() {
    for (announced, sent) in [("5", 3), ("2", 3)] {
        let mut session = server(Options::new(true));
        let fields = [(":method", "POST"), GET[1], GET[2], GET[3], ("content-length", announced)];
        feed(&mut session, &make(frame::HEADERS, 4, 1, &block(&fields)));
        let events = feed(&mut session, &make(frame::DATA, 1, 1, &vec![0; sent]));
        assert!(events.contains(&Event::Closed { stream: 1, code: frame::PROTOCOL_ERROR }), "{events:?}");
    }
}

/// Numbers that look random, and are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Feeds in pieces and answers what comes; the session must neither panic nor hold on to more than it may.
fn torture(session: &mut Session, input: &[u8], random: &mut Random) {
    let mut rest = input;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(1 + random.below(rest.len().min(4000)));
        rest = later;
        let mut at = 0;
        let mut steps = 0;
        while let Some(event) = session.step(piece, &mut at) {
            steps += 1;
            assert!(steps <= 4 * piece.len() + 10_000);
            match event {
                Event::Headers { stream, .. } => {
                    let how = SendHeaders { end: random.below(3) == 0, trailers: random.below(4) == 0 };
                    session.respond(stream, b":status\x00200\0a\0b", how);
                    session.write(stream, |queue| queue.extend_from_slice(&[1; 3000]));
                    if random.below(2) == 0 {
                        session.shut(stream);
                    }
                }
                Event::Data { stream, from, to } => {
                    assert!(from < to && to <= piece.len());
                    session.set_reading(stream, random.below(2) == 0);
                }
                Event::WantTrailers { stream } => {
                    session.trailers(stream, b"t\0v");
                }
                Event::Closed { stream, .. } if random.below(9) == 0 => session.abandon(stream),
                _ => {}
            }
        }
        drain(session);
        while session.next_event().is_some() {}
        assert!(session.memory() < 12_000_000);
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..2000 {
        let mut input: Vec<u8> = frame::PREFACE.to_vec();
        input.extend(make(frame::SETTINGS, 0, 0, &[]));
        for _ in 0..random.below(30) {
            // Frames with random heads reach deeper than noise.
            let length = random.below(60);
            let payload: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            input.extend(make(random.below(14) as u8, random.next() as u8, random.below(8) as u32, &payload));
        }
        input.extend((0..random.below(50)).map(|_| random.next() as u8));
        torture(&mut Session::new(Options::new(true)), &input, &mut random);
        torture(&mut Session::new(Options::new(false)), &input[frame::PREFACE.len()..], &mut random);
    }
}

#[test]
fn mutated_conversations() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let good = client_bytes(20, &[5; 900]);
    for _ in 0..3000 {
        let mut input = good.clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(input.len());
            match random.below(4) {
                0 => input[at] = random.next() as u8,
                1 => input[at] ^= 1 << random.below(8),
                2 => {
                    input.remove(at);
                }
                _ => input.insert(at, random.next() as u8),
            }
        }
        torture(&mut Session::new(Options::new(true)), &input, &mut random);
    }
}

#[test]
fn frames_for_streams_that_are_over() {
    let get = block(&GET);
    let closed = |session: &mut Session, id: u32| {
        feed(session, &make(frame::HEADERS, 5, id, &get));
        session.respond(id, b":status\x00200\0", SendHeaders { end: true, trailers: false });
        drain(session);
    };
    // The client has ended stream 5, reset 7 and left out 3.
    let open = || {
        let mut session = server(Options::new(true));
        closed(&mut session, 1);
        closed(&mut session, 5);
        feed(&mut session, &make(frame::HEADERS, 4, 7, &get));
        feed(&mut session, &make(frame::RST_STREAM, 0, 7, &[0, 0, 0, 8]));
        session
    };
    for (kind, flags, id, payload, code) in [
        (frame::DATA, 0, 5, &b"x"[..], frame::STREAM_CLOSED),
        (frame::HEADERS, 5, 5, &get, frame::STREAM_CLOSED),
        (frame::DATA, 0, 7, b"x", frame::STREAM_CLOSED),
        (frame::HEADERS, 5, 7, &get, frame::STREAM_CLOSED),
        (frame::HEADERS, 5, 3, &get, frame::PROTOCOL_ERROR),
        (frame::DATA, 0, 3, b"x", frame::PROTOCOL_ERROR),
        (frame::WINDOW_UPDATE, 0, 5, &[0; 4], frame::PROTOCOL_ERROR),
    ] {
        let mut session = open();
        feed(&mut session, &make(kind, flags, id, payload));
        assert_eq!(goaway(&drain(&mut session)), Some(code), "{kind} {id}");
    }
    // What was on its way when this side reset the stream is nobody's fault.
    let mut session = open();
    feed(&mut session, &make(frame::HEADERS, 4, 9, &get));
    session.reset(9, frame::CANCEL);
    feed(&mut session, &[]);
    drain(&mut session);
    assert_eq!(feed(&mut session, &make(frame::DATA, 1, 9, b"x")), []);
    assert_eq!(feed(&mut session, &make(frame::WINDOW_UPDATE, 0, 5, &[0, 0, 0, 1])), []);
    assert_eq!(goaway(&drain(&mut session)), None);
}

#[test]
fn names_in_upper_case() {
    let mut session = server(Options::new(true));
    let mut fields = GET.to_vec();
    fields.push(("X-Name", "x"));
    feed(&mut session, &make(frame::HEADERS, 5, 1, &block(&fields)));
    let sent = frames(&drain(&mut session));
    assert!(sent.iter().any(|(head, payload)| {
        head.kind == frame::RST_STREAM && head.stream == 1 && read_u32(payload) == frame::PROTOCOL_ERROR
    }));
}
