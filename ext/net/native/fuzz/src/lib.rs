//! Entries for fuzzers: any bytes give a result or an error, and the same one however they are cut into pieces. The two files are
//! taken as they are, without the engine that the rest of the crate needs.
#![expect(dead_code, reason = "the files have more than these entries call")]

#[path = "../../http/parse.rs"]
mod parse;
#[path = "../../http/wire.rs"]
mod wire;

use parse::{Head, Kind, Parser, Step};

const LIMIT: usize = 16 << 10;

/// What a parser finds in `input`, cut by `next`, up to an error.
///
/// # Panics
/// A promise of the parser is broken.
fn parse_all(kind: Kind, lenient: bool, input: &[u8], mut next: impl FnMut() -> usize) -> Found {
    let mut parser = Parser::new(kind, LIMIT, lenient);
    let (mut found, mut body) = (Vec::new(), Vec::new());
    let mut from = 0;
    while from < input.len() {
        let piece = &input[from..(from + next().max(1)).min(input.len())];
        from += piece.len();
        let mut at = 0;
        // More steps than bytes would be a circle.
        let mut steps = piece.len() * 2 + 16;
        loop {
            steps -= 1;
            assert!(steps > 0, "the parser goes in circles");
            let (used, step) = match parser.step(&piece[at..]) {
                Ok(outcome) => outcome,
                Err(error) => return (found, Some(error.code)),
            };
            assert!(used <= piece.len() - at, "more was used than there was");
            at += used;
            match step {
                Step::More => {
                    assert_eq!(at, piece.len(), "bytes were left");
                    break;
                }
                Step::Head(head) => {
                    check(kind, lenient, &head, parser.text());
                    found.push(format!("head {head:?} {}", String::from_utf8_lossy(parser.text())));
                }
                Step::Body { len } => {
                    assert!(len <= used && len > 0, "a body of other bytes");
                    body.extend_from_slice(&piece[at - len..at]);
                }
                Step::End => {
                    found.push(format!("end {body:?} {}", String::from_utf8_lossy(parser.text())));
                    body.clear();
                }
            }
        }
    }
    (found, parser.finish().err().map(|error| error.code))
}

fn check(kind: Kind, lenient: bool, head: &Head, text: &[u8]) {
    assert!(text.len() <= LIMIT + 64, "a head above the limit");
    assert!(!text.contains(&b'\n') && !text.contains(&b'\r'), "a line end inside of a header");
    assert!(text.split(|&byte| byte == 0).count() % 2 == 1, "a separator inside of a header");
    if !lenient && kind == Kind::Request {
        assert!(!(head.chunked && head.content_length.is_some()), "a message with two lengths");
        assert!((head.number as usize) < parse::METHODS.len());
    }
}

type Found = (Vec<String>, Option<&'static str>);

/// What of an outcome cannot depend on how the input was cut: a line may be wrong in two ways, of which the one that is seen first is said.
fn settled((found, error): &Found) -> (&[String], bool) {
    (found, error.is_some())
}

/// Requests and responses, strict and lenient, whole and in pieces.
///
/// # Panics
/// What is found depends on how the input was cut, or a promise of the parser is broken.
pub fn messages(bytes: &[u8]) {
    let Some((&seed, input)) = bytes.split_first() else { return };
    for kind in [Kind::Request, Kind::Response] {
        for lenient in [false, true] {
            let whole = parse_all(kind, lenient, input, || usize::MAX);
            let mut state = u32::from(seed) | 1;
            let pieces = parse_all(kind, lenient, input, || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as usize % 40
            });
            assert_eq!(settled(&whole), settled(&pieces), "{kind:?} in pieces");
            let bytes = parse_all(kind, lenient, input, || 1);
            assert_eq!(settled(&whole), settled(&bytes), "{kind:?} byte by byte");
        }
    }
}

/// Frames of clients and of servers: headers do not change their minds when more bytes come, and what is written is read again.
///
/// # Panics
/// They do, or it is not.
pub fn frames(bytes: &[u8]) {
    const MAX_FRAME: u64 = 1 << 20;
    for masked in [false, true] {
        let mut at = 0;
        while let Ok(Some(header)) = wire::header(&bytes[at..], masked, MAX_FRAME) {
            assert!(header.length <= 14 && header.size <= MAX_FRAME);
            for cut in 0..header.length {
                assert_eq!(wire::header(&bytes[at..at + cut], masked, MAX_FRAME), Ok(None), "a header of fewer bytes");
            }
            let Some(payload) = bytes[at + header.length..].get(..header.size as usize) else { break };
            let mut plain = payload.to_vec();
            wire::mask(&mut plain, header.key);
            let mut out = Vec::new();
            wire::begin(&mut out);
            out.extend_from_slice(&plain);
            let start = wire::finish(&mut out, header.first, plain.len(), masked.then_some(header.key));
            let again = wire::header(&out[start..], masked, MAX_FRAME).expect("a frame of our own").expect("all of it");
            assert_eq!((again.first, again.size, again.key), (header.first, header.size, header.key));
            assert_eq!(&out[start + again.length..], payload);
            at += header.length + payload.len();
        }
    }
}
