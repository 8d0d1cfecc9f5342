//! Requests and answers between a client and a server.

mod common;

use common::Pair;
use http3::frame::code;
use http3::session::{Category, Lost};
use http3::{Event, Options};

const GET: &[u8] = b":method\0GET\0:scheme\0https\0:authority\0localhost\0:path\0/\0";
const POST: &[u8] = b":method\0POST\0:scheme\0https\0:authority\0localhost\0:path\0/\0";

fn body(events: &[(Event, Vec<u8>)]) -> Vec<u8> {
    let pieces = events.iter().filter_map(|(event, _)| match event {
        Event::Data { bytes, .. } => Some(bytes.clone()),
        _ => None,
    });
    pieces.flatten().collect()
}

#[test]
fn a_request_and_its_answer() {
    let mut pair = Pair::new();
    let number = pair.client().request(GET, true).unwrap();
    pair.run();
    let [(Event::Headers { stream, category: Category::Request, end: true, fresh: true }, fields)] =
        &pair.server.events[..]
    else {
        panic!("{:?}", pair.server.events);
    };
    assert_eq!(fields, GET);
    let stream = *stream;
    pair.server.events.clear();
    assert!(pair.server().respond(stream, b":status\x00200\0content-type\0text/plain\0", false));
    assert!(!pair.server().respond(stream, b":status\x00200\0", false));
    pair.server().finish(stream, b"hello".to_vec());
    pair.run();
    assert_eq!(pair.server.events, [(Event::Closed { stream, code: code::NO_ERROR }, vec![])]);
    let events = &pair.client.events;
    assert_eq!(
        events[0],
        (
            Event::Headers { stream: number, category: Category::Response, end: false, fresh: true },
            b":status\x00200\0content-type\0text/plain\0".to_vec()
        )
    );
    assert_eq!(body(events), b"hello");
    assert_eq!(events.last().unwrap().0, Event::Closed { stream: number, code: code::NO_ERROR });
    assert!(pair.server().is_drained());
    assert!(pair.client().is_drained());
}

#[test]
fn bodies_of_both_sides() {
    let mut pair = Pair::new();
    let text: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
    let number = pair.client().request(POST, false).unwrap();
    pair.client().write(number, text.clone());
    pair.client().shut(number);
    pair.run();
    assert_eq!(body(&pair.server.events), text);
    assert!(pair.server.events.iter().any(|(event, _)| matches!(event, Event::End { .. })));
    assert!(pair.client.events.iter().any(|(event, _)| matches!(event, Event::Written { .. })));
    let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
    pair.server().info(stream, b":status\x00103\0link\0x\0");
    pair.server().respond(stream, b":status\x00200\0content-length\x003000000\0", false);
    pair.server().write(stream, text.clone());
    pair.server().trailers(stream, b"x-sum\x001\0");
    pair.run();
    assert_eq!(body(&pair.client.events), text);
    let blocks: Vec<_> = pair
        .client
        .events
        .iter()
        .filter_map(|(event, fields)| match event {
            Event::Headers { category, .. } => Some((*category, fields.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(blocks.len(), 3);
    assert_eq!(blocks[0].1, b":status\x00103\0link\0x\0");
    assert_eq!(blocks[2], (Category::Trailers, b"x-sum\x001\0".to_vec()));
}

#[test]
fn a_body_that_waits() {
    let mut pair = Pair::new();
    let number = pair.client().request(POST, false).unwrap();
    pair.run();
    let Event::Headers { stream, end: false, .. } = pair.server.events[0].0 else { panic!() };
    pair.server().set_reading(stream, false);
    pair.client().write(number, vec![7; 5_000_000]);
    pair.run();
    let first = body(&pair.server.events).len();
    // What is under way before the peer's window is used up stays in QUIC.
    assert!(first < 2000, "{first}");
    assert!(!pair.client.events.iter().any(|(event, _)| matches!(event, Event::Written { .. })));
    pair.server().set_reading(stream, true);
    pair.run();
    assert_eq!(body(&pair.server.events).len(), 5_000_000);
}

#[test]
fn more_requests_than_streams() {
    let mut pair = Pair::new();
    let numbers: Vec<_> = (0..600).map(|_| pair.client().request(GET, true).unwrap()).collect();
    for _ in 0..600 {
        pair.run();
        let events = std::mem::take(&mut pair.server.events);
        if events.is_empty() {
            break;
        }
        for (event, _) in events {
            if let Event::Headers { stream, .. } = event {
                pair.server().respond(stream, b":status\x00204\0", true);
            }
        }
    }
    let answered = pair.client.events.iter().filter(|(event, _)| matches!(event, Event::Headers { end: true, .. }));
    assert_eq!(answered.count(), numbers.len());
}

#[test]
fn streams_that_end_early() {
    let mut pair = Pair::new();
    // By the client.
    let number = pair.client().request(POST, false).unwrap();
    pair.run();
    let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
    pair.server.events.clear();
    pair.client().reset(number, code::REQUEST_CANCELLED);
    pair.run();
    assert_eq!(pair.server.events.last().unwrap().0, Event::Closed { stream, code: code::REQUEST_CANCELLED });
    // By the server, who has heard enough: the answer stays whole.
    let number = pair.client().request(POST, false).unwrap();
    pair.client().write(number, vec![1; 5_000_000]);
    pair.server.events.clear();
    pair.run();
    let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
    pair.server().respond(stream, b":status\x00413\0", true);
    pair.server().reset(stream, code::NO_ERROR);
    pair.client.events.clear();
    pair.run();
    assert!(
        matches!(
            pair.client.events[..],
            [.., (Event::Headers { end: true, .. }, _), (Event::Closed { code: code::NO_ERROR, .. }, _)]
        ),
        "{:?}",
        pair.client.events
    );
    // By a server that gives up.
    let number = pair.client().request(GET, true).unwrap();
    pair.server.events.clear();
    pair.run();
    let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
    pair.server().respond(stream, b":status\x00200\0", false);
    pair.server().write(stream, b"part".to_vec());
    pair.run();
    pair.server().reset(stream, code::INTERNAL_ERROR);
    pair.run();
    assert_eq!(pair.client.events.last().unwrap().0, Event::Closed { stream: number, code: code::INTERNAL_ERROR });
}

#[test]
fn going_away() {
    let mut pair = Pair::new();
    let first = pair.client().request(GET, true).unwrap();
    pair.run();
    let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
    pair.server().go_away();
    let second = pair.client().request(GET, true).unwrap();
    pair.run();
    assert!(pair.client.events.iter().any(|(event, _)| *event == Event::Goaway));
    assert!(pair.client.events.contains(&(Event::Closed { stream: second, code: code::REQUEST_REJECTED }, vec![])));
    assert_eq!(pair.client().request(GET, true), None);
    pair.server().respond(stream, b":status\x00204\0", true);
    pair.run();
    assert!(pair.client.events.contains(&(Event::Closed { stream: first, code: code::NO_ERROR }, vec![])));
    let now = pair.now;
    pair.server().close(now, code::NO_ERROR);
    pair.client.events.clear();
    pair.run();
    assert!(matches!(pair.client.events[..], [(Event::Lost { how: Lost::Closed, code: code::NO_ERROR, .. }, _)]));
}

#[test]
fn messages_that_are_none() {
    for (fields, good) in [
        (&b":method\0GET\0:scheme\0https\0:path\0/\0"[..], false),
        (b":method\0GET\0:scheme\0https\0:authority\0a\0:path\0/\0connection\0close\0", false),
        (b":method\0GET\0:scheme\0https\0:authority\0a\0:path\0/\0te\0trailers\0", true),
        (b":method\0POST\0:scheme\0https\0:authority\0a\0:path\0/\0content-length\x005\0", false),
    ] {
        let mut pair = Pair::new();
        let number = pair.client().request(fields, true).unwrap();
        pair.run();
        assert_eq!(!pair.server.events.is_empty() && matches!(pair.server.events[0].0, Event::Headers { .. }), good);
        if !good {
            assert_eq!(
                pair.client.events.last().unwrap().0,
                Event::Closed { stream: number, code: code::MESSAGE_ERROR }
            );
        }
    }
    // What is of requests only, and a length that is wrong.
    for (fields, text) in
        [(&b":status\x00200\0te\0trailers\0"[..], &b"x"[..]), (b":status\x00200\0content-length\x002\0", b"x")]
    {
        let mut pair = Pair::new();
        let number = pair.client().request(GET, true).unwrap();
        pair.run();
        let Event::Headers { stream, .. } = pair.server.events[0].0 else { panic!() };
        pair.server().respond(stream, fields, false);
        pair.server().finish(stream, text.to_vec());
        pair.run();
        assert_eq!(pair.client.events.last().unwrap().0, Event::Closed { stream: number, code: code::MESSAGE_ERROR });
    }
}

#[test]
fn fields_without_end() {
    let mut fields = GET.to_vec();
    for n in 0..3000 {
        fields.extend_from_slice(format!("x-{n}\0{n}\0").as_bytes());
    }
    let mut pair = Pair::new();
    pair.client().request(&fields, true).unwrap();
    pair.run();
    assert!(pair.server.events.is_empty(), "{:?}", pair.server.events);
    assert_eq!(pair.client.events[0].1, b":status\x00431\0");
    // One block that is larger than all that is allowed.
    let mut fields = GET.to_vec();
    fields.extend_from_slice(b"x\0");
    fields.resize(fields.len() + 200_000, b'~');
    fields.push(0);
    let mut pair = Pair::new();
    pair.client().request(&fields, true).unwrap();
    pair.run();
    assert!(pair.server.events.is_empty(), "{:?}", pair.server.events);
    assert_eq!(pair.client.events[0].1, b":status\x00431\0");
}

#[test]
fn floods_of_cancelled_requests() {
    let mut options = Options::new(true);
    options.reset_burst = 50.0;
    options.reset_rate = 1.0;
    let mut pair = Pair::with(options);
    for _ in 0..100 {
        let Some(number) = pair.client().request(POST, false) else { break };
        pair.run();
        pair.client().reset(number, code::REQUEST_CANCELLED);
        pair.run();
    }
    let last = pair.client.events.last().unwrap();
    assert!(matches!(last.0, Event::Lost { how: Lost::Closed, code: code::EXCESSIVE_LOAD, .. }), "{last:?}");
}
