//! Two sessions with each other.

mod common;

use common::{GET, POST, drain, exchange, feed};
use http2::session::SendHeaders;
use http2::{Event, Options, Padding, Session};

fn pair(options: impl Fn(&mut Options)) -> (Session, Session) {
    let (mut first, mut second) = (Options::new(false), Options::new(true));
    options(&mut first);
    options(&mut second);
    let (mut client, mut server) = (Session::new(first), Session::new(second));
    client.submit_settings(&[]);
    server.submit_settings(&[]);
    exchange(&mut client, &mut server);
    (client, server)
}

#[test]
fn a_request_and_its_answer() {
    let (mut client, mut server) = pair(|_| {});
    let id = client.request(GET, SendHeaders { end: true, trailers: false }) as u32;
    assert_eq!(id, 1);
    let (_, events) = exchange(&mut client, &mut server);
    assert_eq!(events, [Event::Headers { stream: 1, category: 0, end: true, fresh: true }]);
    assert_eq!(server.headers().0, [GET, b"\0"].concat());
    assert_eq!(server.respond(1, b":status\x00200", SendHeaders::default()), 0);
    server.finish(1, b"hello");
    let (events, other) = exchange(&mut client, &mut server);
    assert!(matches!(events[0], Event::Headers { stream: 1, category: 1, end: false, .. }));
    assert!(matches!(events[1], Event::Data { stream: 1, .. }));
    assert_eq!(events[2..], [Event::End { stream: 1 }, Event::Closed { stream: 1, code: 0 }]);
    assert_eq!(other, [Event::Closed { stream: 1, code: 0 }]);
}

#[test]
fn a_large_body_waits_for_windows() {
    for padding in [Padding::None, Padding::Aligned, Padding::Max] {
        let (mut client, mut server) = pair(|options| options.padding = padding);
        let id = client.request(POST, SendHeaders::default()) as u32;
        let body: Vec<u8> = (0..300_000u32).map(|i| i as u8).collect();
        client.write(id, |queue| queue.extend_from_slice(&body));
        client.shut(id);
        let mut got = Vec::new();
        let mut ended = false;
        for _ in 0..100 {
            let bytes = drain(&mut client);
            let mut at = 0;
            while let Some(event) = server.step(&bytes, &mut at) {
                match event {
                    Event::Headers { stream, .. } => server.set_reading(stream, true),
                    Event::Data { from, to, .. } => got.extend_from_slice(&bytes[from..to]),
                    Event::End { .. } => ended = true,
                    _ => {}
                }
            }
            let bytes = drain(&mut server);
            feed(&mut client, &bytes);
            if ended {
                break;
            }
        }
        assert!(ended && got == body, "{padding:?}: {} bytes", got.len());
    }
}

#[test]
fn nobody_reads() {
    let (mut client, mut server) = pair(|_| {});
    let id = client.request(POST, SendHeaders::default()) as u32;
    client.write(id, |queue| queue.extend_from_slice(&[7; 200_000]));
    let (_, events) = exchange(&mut client, &mut server);
    let came: usize =
        events.iter().map(|event| if let Event::Data { from, to, .. } = event { to - from } else { 0 }).sum();
    assert_eq!(came, 65_535);
    server.set_reading(id, true);
    let (_, events) = exchange(&mut client, &mut server);
    let came: usize =
        events.iter().map(|event| if let Event::Data { from, to, .. } = event { to - from } else { 0 }).sum();
    assert_eq!(came, 200_000 - 65_535);
}

#[test]
fn trailers_and_promises() {
    let (mut client, mut server) = pair(|_| {});
    client.request(GET, SendHeaders { end: true, trailers: false });
    exchange(&mut client, &mut server);
    let promised =
        server.push(1, b":method\0GET\0:scheme\0http\0:path\0/pushed\0:authority\0a", SendHeaders::default());
    assert_eq!(promised, 2);
    server.respond(2, b":status\x00200", SendHeaders { end: true, trailers: false });
    server.respond(1, b":status\x00200", SendHeaders { end: false, trailers: true });
    server.write(1, |queue| queue.extend_from_slice(b"x"));
    server.shut(1);
    let (events, other) = exchange(&mut client, &mut server);
    assert!(events.contains(&Event::Headers { stream: 2, category: 0, end: false, fresh: true }));
    assert!(events.contains(&Event::Headers { stream: 2, category: 2, end: true, fresh: false }));
    assert!(other.contains(&Event::WantTrailers { stream: 1 }));
    server.trailers(1, b"sum\x001");
    let (events, _) = exchange(&mut client, &mut server);
    assert!(events.contains(&Event::Headers { stream: 1, category: 3, end: true, fresh: false }));
    assert!(events.contains(&Event::Closed { stream: 1, code: 0 }));
}

#[test]
fn more_requests_than_the_server_allows() {
    let (mut client, mut server) = pair(|_| {});
    server.submit_settings(&[(3, 2)]);
    exchange(&mut client, &mut server);
    for _ in 0..5 {
        client.request(GET, SendHeaders { end: true, trailers: false });
    }
    let mut answered = 0;
    for _ in 0..10 {
        let (_, events) = exchange(&mut client, &mut server);
        let fresh: Vec<u32> = events
            .iter()
            .filter_map(|event| if let Event::Headers { stream, .. } = event { Some(*stream) } else { None })
            .collect();
        assert!(fresh.len() <= 2);
        for stream in fresh {
            server.respond(stream, b":status\x00204", SendHeaders { end: true, trailers: false });
            answered += 1;
        }
    }
    assert_eq!(answered, 5);
}

#[test]
fn long_header_blocks_take_several_frames() {
    let (mut client, mut server) = pair(|_| {});
    let long = vec![b'~'; 40_000];
    let fields = [GET, b"\0x-long\0", &long].concat();
    client.request(&fields, SendHeaders { end: true, trailers: false });
    exchange(&mut client, &mut server);
    assert_eq!(server.headers().0, [&fields[..], b"\0"].concat());
}
