//! Compression of fields (RFC 9204) without a dynamic table: this side announces that it has none, and uses none of the peer's. No block
//! waits for another stream then, and no peer can make this side hold memory.

use std::collections::HashMap;
use std::sync::OnceLock;

use http2::huffman;

/// Longest name or value that is decoded, in bytes.
const MAX_STRING: usize = 65_536;

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

/// A block that cannot be decoded: the connection is lost (QPACK_DECOMPRESSION_FAILED).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Reads an integer whose first `bits` bits are the last of the next byte (section 4.1.1).
pub fn read_int(input: &[u8], at: &mut usize, bits: u32) -> Option<u64> {
    let mask = (1u64 << bits) - 1;
    let mut value = u64::from(*input.get(*at)?) & mask;
    *at += 1;
    if value < mask {
        return Some(value);
    }
    let mut shift = 0;
    loop {
        let byte = *input.get(*at)?;
        *at += 1;
        // More than 62 bits are never needed.
        if shift > 56 {
            return None;
        }
        value = value.checked_add(u64::from(byte & 0x7f) << shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
    }
}

fn write_int(out: &mut Vec<u8>, first: u8, bits: u32, mut value: usize) {
    let mask = (1usize << bits) - 1;
    if value < mask {
        out.push(first | value as u8);
        return;
    }
    out.push(first | mask as u8);
    value -= mask;
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a string whose length has `bits` bits in the next byte, below the mark of Huffman's code.
fn read_string(input: &[u8], at: &mut usize, bits: u32, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let coded = input.get(*at).ok_or(Malformed)? & (1 << bits) != 0;
    let length = read_int(input, at, bits).ok_or(Malformed)? as usize;
    let end = at.checked_add(length).filter(|end| *end <= input.len()).ok_or(Malformed)?;
    let text = &input[*at..end];
    *at = end;
    if !coded {
        if text.len() > MAX_STRING {
            return Err(Malformed);
        }
        out.extend_from_slice(text);
        return Ok(());
    }
    // A symbol has at least five bits.
    if text.len() / 5 * 8 > 2 * MAX_STRING || !huffman::decode(text, out) || out.len() > MAX_STRING {
        return Err(Malformed);
    }
    Ok(())
}

/// Writes a string with its length's `bits` bits behind those of `first`.
fn write_string(out: &mut Vec<u8>, first: u8, bits: u32, text: &[u8]) {
    let coded = huffman::encoded_len(text);
    if coded < text.len() {
        write_int(out, first | 1 << bits, bits, coded);
        huffman::encode(text, out);
    } else {
        write_int(out, first, bits, text.len());
        out.extend_from_slice(text);
    }
}

fn entry(index: u64) -> Result<(&'static [u8], &'static [u8]), Malformed> {
    let (name, value) = usize::try_from(index).ok().and_then(|index| STATIC.get(index)).ok_or(Malformed)?;
    Ok((name.as_bytes(), value.as_bytes()))
}

/// Decodes a block: each field goes to `sink`, with whether it must never be indexed. What the sink answers false to is the last.
pub fn decode(input: &[u8], mut sink: impl FnMut(&[u8], &[u8], bool) -> bool) -> Result<(), Malformed> {
    let mut at = 0;
    let required = read_int(input, &mut at, 8).ok_or(Malformed)?;
    let base = read_int(input, &mut at, 7).ok_or(Malformed)?;
    if required != 0 || base != 0 {
        return Err(Malformed);
    }
    let (mut name, mut value) = (Vec::new(), Vec::new());
    while let Some(&first) = input.get(at) {
        let go_on = if first & 0xc0 == 0xc0 {
            let (name, value) = entry(read_int(input, &mut at, 6).ok_or(Malformed)?)?;
            sink(name, value, false)
        } else if first & 0xd0 == 0x50 {
            let (name, _) = entry(read_int(input, &mut at, 4).ok_or(Malformed)?)?;
            value.clear();
            read_string(input, &mut at, 7, &mut value)?;
            sink(name, &value, first & 0x20 != 0)
        } else if first & 0xe0 == 0x20 {
            name.clear();
            value.clear();
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
