//! The fuzz entries without coverage feedback, where building the cargo-fuzz targets takes too long: makes inputs from pieces and mutates them at
//! random for a number of seconds. `mutate messages 60`. The input of a crash is left in /tmp/mutate-TARGET.

#[path = "lib.rs"]
mod entries;

const MESSAGES: &[&str] = &[
    "GET / HTTP/1.1\r\n", "POST /a?b HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.0 304 Not Modified\r\n", "CONNECT h:1 HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n",
    "Host: h\r\n", "Content-Length: 5\r\n", "content-length: 0\r\n", "Content-Length: 18446744073709551616\r\n", "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, gzip\r\n", "Connection: close\r\n", "Connection: keep-alive, Upgrade\r\n", "Upgrade: websocket\r\n",
    "Expect: 100-continue\r\n", "X: y\r\n z\r\n", "A : b\r\n", ": b\r\n", "A: \t b \t\r\n", "A:\r\n", "\r\n", "\n", "\r", "5\r\nhello\r\n", "0\r\n\r\n", "0\r\nT: v\r\n\r\n",
    "5;ext=\"a\\\"b\"\r\nhello\r\n", "ffffffffffffffff\r\n", "fffffffffffffffff\r\n", "-1\r\n", "hello", "\0", "\u{ff}",
];
const FRAMES: &[&[u8]] = &[
    &[0x81, 0x80, 1, 2, 3, 4], &[0x81, 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[0x82, 5, 1, 2, 3, 4, 5], &[0x82, 126, 0, 130], &[0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], &[0x88, 2, 3, 232],
    &[0x89, 0x80, 0, 0, 0, 0], &[0x8a, 0], &[1, 0x81, 9, 9, 9, 9, 9], &[0, 0], &[0x80, 0x80, 1, 1, 1, 1], &[0xc1, 1, 1], &[0x82, 255, 255, 255, 255, 255, 255, 255, 255, 255], &[0; 70],
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, target, seconds] = arguments.as_slice() else { panic!("target, seconds") };
    let (run, pieces): (fn(&[u8]), Vec<&[u8]>) = match target.as_str() {
        "messages" => (entries::messages, MESSAGES.iter().map(|text| text.as_bytes()).collect()),
        "frames" => (entries::frames, FRAMES.to_vec()),
        _ => panic!("unknown target {target}"),
    };
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ u64::from(std::process::id());
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let end = std::time::Instant::now() + std::time::Duration::from_secs(seconds.parse().expect("seconds"));
    let (mut count, mut slowest) = (0u64, std::time::Duration::ZERO);
    while std::time::Instant::now() < end {
        let mut input = vec![below(256) as u8];
        for _ in 0..1 + below(14) {
            input.extend_from_slice(pieces[below(pieces.len())]);
        }
        for _ in 0..below(4) {
            let at = below(input.len());
            match below(6) {
                0 => input.truncate(at.max(1)),
                1 => drop(input.drain(at..(at + below(8)).min(input.len()))),
                2 => input[at] ^= 1 << below(8),
                3 => input[at] = below(256) as u8,
                4 => input.insert(at, b" \t\r\n:,;=\0\x7f0aF-+"[below(15)]),
                _ => {
                    let byte = input[at];
                    let most = if below(50) == 0 { 20_000 } else { 20 };
                    input.splice(at..at, std::iter::repeat_n(byte, below(most)));
                }
            }
            if input.is_empty() {
                input.push(1);
            }
        }
        let result = std::panic::catch_unwind(|| {
            let start = std::time::Instant::now();
            run(&input);
            start.elapsed()
        });
        match result {
            Ok(time) => slowest = slowest.max(time),
            Err(_) => {
                let saved = format!("/tmp/mutate-{target}");
                std::fs::write(&saved, &input).expect("saving");
                panic!("{target}: the input is in {saved}");
            }
        }
        count += 1;
    }
    println!("{target}: {count} inputs, the slowest took {slowest:?}");
}
