//! Compression of fields (RFC 9204) without a dynamic table: this side announces that it has none, and uses none of the peer's. No block
//! waits for another stream then, and no peer can make this side hold memory.

use std::collections::HashMap;
use std::sync::OnceLock;

pub use http2::prefix::Malformed;
use http2::prefix::{read_int, read_string, write_int, write_string};

/// Appendix A.
const STATIC: [(&str, &str); 99] = [
    (":authority", ""),
    (":path", "/"),
    ("age", "0"),
    ("content-disposition", ""),
    ("content-length", "0"),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("referer", ""),
    ("set-cookie", ""),
    (":method", "CONNECT"),
    (":method", "DELETE"),
    (":method", "GET"),
    (":method", "HEAD"),
    (":method", "OPTIONS"),
    (":method", "POST"),
    (":method", "PUT"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "103"),
    (":status", "200"),
    (":status", "304"),
    (":status", "404"),
    (":status", "503"),
    ("accept", "*/*"),
    ("accept", "application/dns-message"),
    ("accept-encoding", "gzip, deflate, br"),
    ("accept-ranges", "bytes"),
    ("access-control-allow-headers", "cache-control"),
    ("access-control-allow-headers", "content-type"),
    ("access-control-allow-origin", "*"),
    ("cache-control", "max-age=0"),
    ("cache-control", "max-age=2592000"),
    ("cache-control", "max-age=604800"),
    ("cache-control", "no-cache"),
    ("cache-control", "no-store"),
    ("cache-control", "public, max-age=31536000"),
    ("content-encoding", "br"),
    ("content-encoding", "gzip"),
    ("content-type", "application/dns-message"),
    ("content-type", "application/javascript"),
    ("content-type", "application/json"),
    ("content-type", "application/x-www-form-urlencoded"),
    ("content-type", "image/gif"),
    ("content-type", "image/jpeg"),
    ("content-type", "image/png"),
    ("content-type", "text/css"),
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/plain"),
    ("content-type", "text/plain;charset=utf-8"),
    ("range", "bytes=0-"),
    ("strict-transport-security", "max-age=31536000"),
    ("strict-transport-security", "max-age=31536000; includesubdomains"),
    ("strict-transport-security", "max-age=31536000; includesubdomains; preload"),
    ("vary", "accept-encoding"),
    ("vary", "origin"),
    ("x-content-type-options", "nosniff"),
    ("x-xss-protection", "1; mode=block"),
    (":status", "100"),
    (":status", "204"),
    (":status", "206"),
    (":status", "302"),
    (":status", "400"),
    (":status", "403"),
    (":status", "421"),
    (":status", "425"),
    (":status", "500"),
    ("accept-language", ""),
    ("access-control-allow-credentials", "FALSE"),
    ("access-control-allow-credentials", "TRUE"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-methods", "get"),
    ("access-control-allow-methods", "get, post, options"),
    ("access-control-allow-methods", "options"),
    ("access-control-expose-headers", "content-length"),
    ("access-control-request-headers", "content-type"),
    ("access-control-request-method", "get"),
    ("access-control-request-method", "post"),
    ("alt-svc", "clear"),
    ("authorization", ""),
    ("content-security-policy", "script-src 'none'; object-src 'none'; base-uri 'none'"),
    ("early-data", "1"),
    ("expect-ct", ""),
    ("forwarded", ""),
    ("if-range", ""),
    ("origin", ""),
    ("purpose", "prefetch"),
    ("server", ""),
    ("timing-allow-origin", "*"),
    ("upgrade-insecure-requests", "1"),
    ("user-agent", ""),
    ("x-forwarded-for", ""),
    ("x-frame-options", "deny"),
    ("x-frame-options", "sameorigin"),
];

fn entry(index: usize) -> Result<(&'static [u8], &'static [u8]), Malformed> {
    let (name, value) = STATIC.get(index).ok_or(Malformed)?;
    Ok((name.as_bytes(), value.as_bytes()))
}

/// Decodes a block: each field goes to `sink`, with whether it must never be indexed. What the sink answers false to is the last.
pub fn decode(input: &[u8], mut sink: impl FnMut(&[u8], &[u8], bool) -> bool) -> Result<(), Malformed> {
    let mut at = 0;
    let required = read_int(input, &mut at, 8)?;
    let base = read_int(input, &mut at, 7)?;
    if required != 0 || base != 0 {
        return Err(Malformed);
    }
    let (mut name, mut value) = (Vec::new(), Vec::new());
    while let Some(&first) = input.get(at) {
        let go_on = if first & 0xc0 == 0xc0 {
            let (name, value) = entry(read_int(input, &mut at, 6)?)?;
            sink(name, value, false)
        } else if first & 0xd0 == 0x50 {
            let (name, _) = entry(read_int(input, &mut at, 4)?)?;
            read_string(input, &mut at, 7, &mut value)?;
            sink(name, &value, first & 0x20 != 0)
        } else if first & 0xe0 == 0x20 {
            read_string(input, &mut at, 3, &mut name)?;
            read_string(input, &mut at, 7, &mut value)?;
            sink(&name, &value, first & 0x10 != 0)
        } else {
            // The dynamic table, of which there is none.
            return Err(Malformed);
        };
        if !go_on {
            break;
        }
    }
    Ok(())
}

/// Index of a field in the static table, and that of a name.
struct Index {
    fields: HashMap<(&'static str, &'static str), usize>,
    names: HashMap<&'static str, usize>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut made = Index { fields: HashMap::new(), names: HashMap::new() };
        for (at, (name, value)) in STATIC.iter().enumerate() {
            made.fields.insert((name, value), at);
            made.names.entry(name).or_insert(at);
        }
        made
    })
}

/// Begins a block.
pub fn begin(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, 0]);
}

/// Adds a field to a block. `sensitive`: nobody on the way may put it into a table.
pub fn encode(name: &[u8], value: &[u8], sensitive: bool, out: &mut Vec<u8>) {
    let index = index();
    let text = std::str::from_utf8(name).ok();
    if !sensitive
        && let (Some(name), Ok(value)) = (text, std::str::from_utf8(value))
        && let Some(&at) = index.fields.get(&(name, value))
    {
        write_int(out, 0xc0, 6, at);
        return;
    }
    match text.and_then(|name| index.names.get(name)) {
        Some(&at) => write_int(out, if sensitive { 0x70 } else { 0x50 }, 4, at),
        None => write_string(out, if sensitive { 0x30 } else { 0x20 }, 3, name),
    }
    write_string(out, 0, 7, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Result<Vec<(String, String, bool)>, Malformed> {
        let mut list = Vec::new();
        decode(input, |name, value, sensitive| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            list.push((text(name), text(value), sensitive));
            true
        })?;
        Ok(list)
    }

    #[test]
    fn example_of_the_standard() {
        // RFC 9204, B.1.
        let mut input = vec![0, 0, 0x51, 0x0b];
        input.extend_from_slice(b"/index.html");
        assert_eq!(all(&input).unwrap(), [(":path".into(), "/index.html".into(), false)]);
    }

    #[test]
    fn what_is_encoded_comes_back() {
        let long = "x".repeat(5000);
        let fields = [
            (":status", "200", false),
            ("content-type", "text/html", false),
            ("x-frame-options", "sameorigin", false),
            ("x-own", "a value", false),
            ("a-name-that-is-longer-than-seven-bytes", long.as_str(), false),
            ("authorization", "secret", true),
            ("x-secret", "\u{1}\u{7f}", true),
            ("empty", "", false),
        ];
        let mut out = Vec::new();
        begin(&mut out);
        for (name, value, sensitive) in fields {
            encode(name.as_bytes(), value.as_bytes(), sensitive, &mut out);
        }
        let back = all(&out).unwrap();
        assert_eq!(back.len(), fields.len());
        for (one, (name, value, sensitive)) in back.iter().zip(fields) {
            assert_eq!((one.0.as_str(), one.1.as_str(), one.2), (name, value, sensitive));
        }
        // Every part of a block is a block that ends too early, or a shorter one.
        for end in 0..out.len() {
            let _ = all(&out[..end]);
        }
    }

    #[test]
    fn malformed_blocks() {
        for input in [
            &[][..],
            // A dynamic table that there is none of.
            &[1, 0],
            &[0, 1],
            &[0, 0, 0x80],
            &[0, 0, 0x10],
            &[0, 0, 0x40, 0],
            &[0, 0, 0x00, 0],
            // Beyond the static table.
            &[0, 0, 0xff, 36],
            // Strings and integers without an end.
            &[0, 0, 0x51, 5, b'a'],
            &[0, 0, 0x27, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            &[0, 0, 0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            // Huffman's code with a wrong end.
            &[0, 0, 0x51, 0x81, 0x00],
        ] {
            assert_eq!(all(input), Err(Malformed), "{input:?}");
        }
    }

    #[test]
    fn a_block_that_grows() {
        // One byte a field: the sink decides when it is enough.
        let mut input = vec![0, 0];
        input.resize(100_000, 0xc0 | 38);
        let mut count = 0;
        decode(&input, |_, _, _| {
            count += 1;
            count < 100
        })
        .unwrap();
        assert_eq!(count, 100);
    }
}
