//! Helpers of the tests: frames, two sessions that talk to each other.
#![allow(dead_code, reason = "each test file uses a part of it")]

use http2::frame;
use http2::session::SendHeaders;
use http2::{Event, Options, Session};

/// A frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::head(&mut out, payload.len(), kind, flags, stream);
    out.extend_from_slice(payload);
    out
}

/// A server that has read a client's preface and settings.
pub(crate) fn server(options: Options) -> Session {
    let mut session = Session::new(options);
    session.submit_settings(&[]);
    let mut hello = frame::PREFACE.to_vec();
    hello.extend(frame(frame::SETTINGS, 0, 0, &[]));
    feed(&mut session, &hello);
    drain(&mut session);
    session
}

/// All events of an input.
pub(crate) fn feed(session: &mut Session, input: &[u8]) -> Vec<Event> {
    let mut at = 0;
    let mut events = Vec::new();
    while let Some(event) = session.step(input, &mut at) {
        events.push(event);
    }
    assert_eq!(at, input.len());
    events
}

/// What is to be sent now.
pub(crate) fn drain(session: &mut Session) -> Vec<u8> {
    session.pump(usize::MAX);
    let mut out = Vec::new();
    session.take_output(&mut out);
    out
}

/// Types, flags and streams of frames in an output (without a preface).
pub(crate) fn frames(bytes: &[u8]) -> Vec<(frame::Head, Vec<u8>)> {
    let mut rest = bytes.strip_prefix(frame::PREFACE).unwrap_or(bytes);
    let mut list = Vec::new();
    while !rest.is_empty() {
        let head = frame::Head::read(rest);
        list.push((head, rest[9..9 + head.length].to_vec()));
        rest = &rest[9 + head.length..];
    }
    list
}

/// The code of the last GOAWAY.
pub(crate) fn goaway(bytes: &[u8]) -> Option<u32> {
    let list = frames(bytes);
    list.iter().rev().find(|(head, _)| head.kind == frame::GOAWAY).map(|(_, payload)| frame::read_u32(&payload[4..]))
}

/// Moves bytes between two sessions until nothing is left; events of both.
pub(crate) fn exchange(client: &mut Session, server: &mut Session) -> (Vec<Event>, Vec<Event>) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        let to_server = drain(client);
        while let Some(event) = client.next_event() {
            first.push(event);
        }
        second.extend(feed(server, &to_server));
        let to_client = drain(server);
        while let Some(event) = server.next_event() {
            second.push(event);
        }
        first.extend(feed(client, &to_client));
        if to_server.is_empty() && to_client.is_empty() {
            break;
        }
    }
    (first, second)
}

pub(crate) const GET: &[u8] = b":method\0GET\0:scheme\0http\0:path\0/\0:authority\0a";
pub(crate) const POST: &[u8] = b":method\0POST\0:scheme\0http\0:path\0/\0:authority\0a";

/// Frames of a client: preface, settings, and one request of each list of fields.
pub(crate) fn client_bytes(requests: usize, body: &[u8]) -> Vec<u8> {
    let mut client = Session::new(Options::new(false));
    client.submit_settings(&[]);
    for _ in 0..requests {
        let id = client.request(POST, SendHeaders::default()) as u32;
        client.write(id, |queue| queue.extend_from_slice(body));
        client.shut(id);
    }
    drain(&mut client)
}
