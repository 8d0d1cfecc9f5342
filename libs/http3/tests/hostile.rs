//! Peers that do not keep to the rules: each has its connection, or its stream, closed with the code that the standard names.

mod common;

use common::Pair;
use http3::frame::{code, write_head, write_varint};
use http3::quic::{Dir, StreamId};
use http3::session::Lost;
use http3::{Event, qpack};

const GET: &[u8] = b":method\0GET\0:scheme\0https\0:authority\0localhost\0:path\0/\0";

fn frame(kind: u64, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_head(&mut out, kind, content.len());
    out.extend_from_slice(content);
    out
}

fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    qpack::begin(&mut out);
    for (name, value) in fields {
        qpack::encode(name.as_bytes(), value.as_bytes(), false, &mut out);
    }
    frame(1, &out)
}

fn get() -> Vec<u8> {
    block(&[(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/")])
}

/// Writes bytes to a new stream of the client, or the server.
fn send(pair: &mut Pair, server: bool, dir: Dir, bytes: &[u8], end: bool) -> StreamId {
    let session = if server { pair.server() } else { pair.client() };
    let id = session.connection.streams().open(dir).unwrap();
    let mut stream = session.connection.send_stream(id);
    assert_eq!(stream.write(bytes).unwrap(), bytes.len());
    if end {
        stream.finish().unwrap();
    }
    pair.run();
    id
}

/// The code with which the other side has closed the connection.
fn closed(pair: &Pair, server: bool) -> Option<u64> {
    let events = if server { &pair.server.events } else { &pair.client.events };
    events.iter().find_map(|(event, _)| match event {
        Event::Lost { how: Lost::Closed, code, .. } => Some(*code),
        _ => None,
    })
}

#[test]
fn frames_on_streams_of_requests() {
    for (bytes, end, expected) in [
        (frame(0, b"early"), false, Some(code::FRAME_UNEXPECTED)),
        (frame(3, &[0]), false, Some(code::FRAME_UNEXPECTED)),
        (frame(4, &[]), false, Some(code::FRAME_UNEXPECTED)),
        (frame(5, &[0]), false, Some(code::FRAME_UNEXPECTED)),
        (frame(7, &[0]), false, Some(code::FRAME_UNEXPECTED)),
        (frame(13, &[0]), false, Some(code::FRAME_UNEXPECTED)),
        (frame(2, &[]), false, Some(code::FRAME_UNEXPECTED)),
        (frame(9, &[]), false, Some(code::FRAME_UNEXPECTED)),
        ([get(), frame(4, &[])].concat(), false, Some(code::FRAME_UNEXPECTED)),
        // Trailers, and then more.
        ([get(), block(&[("x", "y")]), frame(0, b"late")].concat(), false, Some(code::FRAME_UNEXPECTED)),
        ([get(), block(&[("x", "y")]), block(&[("x", "y")])].concat(), false, Some(code::FRAME_UNEXPECTED)),
        // The end in the middle of a frame, and of its head.
        ([get(), vec![0, 5, b'a']].concat(), true, Some(code::FRAME_ERROR)),
        ([get(), vec![0x40]].concat(), true, Some(code::FRAME_ERROR)),
        (vec![1, 0x40], true, Some(code::FRAME_ERROR)),
        // Fields that refer to a table, and none at all.
        (frame(1, &[1, 0, 0x80]), false, Some(code::QPACK_DECOMPRESSION_FAILED)),
        (frame(1, &[]), false, Some(code::QPACK_DECOMPRESSION_FAILED)),
        (frame(1, &[0, 0, 0xff, 0xff, 0xff, 0xff]), false, Some(code::QPACK_DECOMPRESSION_FAILED)),
        // What nobody knows is nobody's business.
        ([frame(0x21, b"grease"), get()].concat(), true, None),
        ([get(), frame(0x40 * 0x1f + 0x21, &[0; 3000])].concat(), true, None),
    ] {
        let mut pair = Pair::new();
        send(&mut pair, false, Dir::Bi, &bytes, end);
        assert_eq!(closed(&pair, false), expected, "{bytes:?}");
    }
}

#[test]
fn one_way_streams() {
    let control = |content: &[u8]| [vec![0], content.to_vec()].concat();
    let settings = frame(4, &[]);
    for (bytes, end, expected) in [
        // The client has a control stream already.
        (control(&settings), false, Some(code::STREAM_CREATION_ERROR)),
        (vec![1, 0], false, Some(code::STREAM_CREATION_ERROR)),
        // Instructions for tables that are not there.
        (vec![2, 0x3f, 0xe1, 0x1f], false, Some(code::QPACK_ENCODER_STREAM_ERROR)),
        (vec![2, 0xc0, 1, b'x'], false, Some(code::QPACK_ENCODER_STREAM_ERROR)),
        (vec![2, 0x41, b'a', 0], false, Some(code::QPACK_ENCODER_STREAM_ERROR)),
        (vec![2, 0x20], false, None),
        (vec![3, 0x80], false, Some(code::QPACK_DECODER_STREAM_ERROR)),
        (vec![3, 0x01], false, Some(code::QPACK_DECODER_STREAM_ERROR)),
        (vec![3, 0x44], false, None),
        (vec![2], true, Some(code::CLOSED_CRITICAL_STREAM)),
        (vec![3], true, Some(code::CLOSED_CRITICAL_STREAM)),
        // An unknown type.
        (vec![0x21, 1, 2, 3], false, None),
        (vec![0x40], true, None),
    ] {
        let mut pair = Pair::new();
        send(&mut pair, false, Dir::Uni, &bytes, end);
        assert_eq!(closed(&pair, false), expected, "{bytes:?}");
    }
}

/// Writes more on the control stream of one side, which is its first one-way stream.
fn on_control(pair: &mut Pair, server: bool, bytes: &[u8]) {
    let side = if server { http3::quic::Side::Server } else { http3::quic::Side::Client };
    let session = if server { pair.server() } else { pair.client() };
    let id = StreamId::new(side, Dir::Uni, 0);
    assert_eq!(session.connection.send_stream(id).write(bytes).unwrap(), bytes.len());
    pair.run();
}

#[test]
fn frames_on_the_control_stream() {
    for (server, bytes, expected) in [
        (false, frame(4, &[]), Some(code::FRAME_UNEXPECTED)),
        (false, frame(0, b"x"), Some(code::FRAME_UNEXPECTED)),
        (false, frame(1, b"x"), Some(code::FRAME_UNEXPECTED)),
        (false, frame(5, b"x"), Some(code::FRAME_UNEXPECTED)),
        (false, frame(6, b"x"), Some(code::FRAME_UNEXPECTED)),
        (false, frame(7, b""), Some(code::FRAME_ERROR)),
        (false, frame(7, &[0, 0]), Some(code::FRAME_ERROR)),
        (false, [frame(7, &[4]), frame(7, &[8])].concat(), Some(code::ID_ERROR)),
        (false, frame(3, &[0]), Some(code::ID_ERROR)),
        (false, [frame(13, &[8]), frame(13, &[4])].concat(), Some(code::ID_ERROR)),
        (false, frame(13, &[8]), None),
        (false, frame(0x21, &[0; 2000]), None),
        (true, frame(13, &[8]), Some(code::FRAME_UNEXPECTED)),
        (true, frame(7, &[1]), Some(code::ID_ERROR)),
        (true, frame(7, &[4]), None),
    ] {
        let mut pair = Pair::new();
        on_control(&mut pair, server, &bytes);
        assert_eq!(closed(&pair, server), expected, "{server} {bytes:?}");
    }
    // A frame that would be kept whole, and frames without end.
    let mut pair = Pair::new();
    let mut head = Vec::new();
    write_varint(&mut head, 7);
    write_varint(&mut head, 1 << 40);
    on_control(&mut pair, false, &head);
    assert_eq!(closed(&pair, false), Some(code::EXCESSIVE_LOAD));
    let mut pair = Pair::new();
    on_control(&mut pair, false, &frame(0x21, b"").repeat(1100));
    assert_eq!(closed(&pair, false), Some(code::EXCESSIVE_LOAD));
}

#[test]
fn what_servers_must_not_do() {
    // A push that nobody allowed.
    let mut pair = Pair::new();
    send(&mut pair, true, Dir::Uni, &[1, 0], false);
    assert_eq!(closed(&pair, true), Some(code::ID_ERROR));
    let mut pair = Pair::new();
    pair.client().request(GET, true).unwrap();
    pair.run();
    let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
    assert!(pair.server().write(stream, b"a body before its head".to_vec()));
    pair.run();
    assert_eq!(closed(&pair, true), Some(code::FRAME_UNEXPECTED));
}

#[test]
fn bombs() {
    // A block of one-byte fields that grows fifty times.
    let mut content = vec![0, 0];
    content.resize(60_000, 0xc0 | 38);
    let mut pair = Pair::new();
    send(&mut pair, false, Dir::Bi, &frame(1, &content), true);
    assert!(pair.server.events.is_empty(), "{:?}", pair.server.events);
    assert_eq!(closed(&pair, false), None);
    // A length that is a lie.
    let mut head = Vec::new();
    write_varint(&mut head, 1);
    write_varint(&mut head, (1 << 62) - 1);
    let mut pair = Pair::new();
    send(&mut pair, false, Dir::Bi, &head, false);
    assert!(pair.server.events.is_empty(), "{:?}", pair.server.events);
    assert_eq!(pair.server().open_streams(), 0);
    // Frames without content.
    let mut pair = Pair::new();
    send(&mut pair, false, Dir::Bi, &[get(), frame(0, b"").repeat(1100)].concat(), false);
    assert_eq!(closed(&pair, false), Some(code::EXCESSIVE_LOAD));
}

#[test]
fn bytes_without_sense() {
    // Whatever comes, nothing panics, and the connection ends or goes on.
    let mut seed = 0x1234_5678u32;
    for round in 0..60 {
        let mut pair = Pair::new();
        for _ in 0..4 {
            let length = 1 + round * 7;
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
                    (seed >> 24) as u8 & if round % 2 == 0 { 0xff } else { 0x0f }
                })
                .collect();
            if pair.client().is_over() {
                break;
            }
            send(&mut pair, false, if round % 3 == 0 { Dir::Uni } else { Dir::Bi }, &bytes, round % 5 == 0);
        }
    }
}
