//! Base64 as `Buffer` reads and writes it, and the stricter reading of `atob`.

use std::mem::MaybeUninit;

use base64_simd::{AsOut, Base64, STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::js_strings::{Chars, Text, TooLong};

/// Characters that are decoded at once: whole groups of four.
const BLOCK: usize = 4096;

/// Standard alphabet, padded.
pub(crate) fn encode(bytes: &[u8]) -> Result<Text<'static>, TooLong> {
    encode_with(&STANDARD, bytes)
}

/// URL-safe alphabet, not padded.
pub(crate) fn encode_url(bytes: &[u8]) -> Result<Text<'static>, TooLong> {
    encode_with(&URL_SAFE_NO_PAD, bytes)
}

fn encode_with(codec: &Base64, bytes: &[u8]) -> Result<Text<'static>, TooLong> {
    Text::latin1_with(codec.encoded_length(bytes.len()), |out| {
        // The output has exactly the size that is asked for.
        codec.encode(bytes, out.as_out()).len()
    })
}

const INVALID: u8 = 0xff;

/// Values of both alphabets' characters.
const VALUES: [u8; 256] = {
    let mut table = [INVALID; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut i = 0;
    while i < 64 {
        table[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    table[b'-' as usize] = 62;
    table[b'_' as usize] = 63;
    table
};

/// Writes the bytes that base64 text in either alphabet stands for, as many as `out` has room for; returns how many.
///
/// As in Node, characters outside the alphabets are skipped, the text ends at the first `=`, an incomplete group
/// gives its complete bytes, and only the low byte of each character counts.
pub(crate) fn decode(chars: Chars<'_>, out: &mut [MaybeUninit<u8>]) -> usize {
    match chars {
        Chars::Latin1(text) => {
            // Nearly all text is clean: one group after another, padding only at the end.
            let body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
            if decoded_size(body.len()) > out.len() {
                return decode_loosely(text.iter().copied(), out);
            }
            let (mut read, mut written) = (0, 0);
            while read < body.len() {
                let block = &body[read..body.len().min(read + BLOCK)];
                let to = &mut out[written..];
                let Some(count) = decode_block(block, to) else {
                    return written + decode_loosely(text[read..].iter().copied(), to);
                };
                read += block.len();
                written += count;
            }
            written
        }
        Chars::Utf16(units) => decode_loosely(units.iter().map(|&unit| unit as u8), out),
    }
}

/// Bytes that clean text of this length, without padding, stands for.
fn decoded_size(chars: usize) -> usize {
    chars / 4 * 3 + [0, 0, 1, 2][chars % 4]
}

/// Clean text of one of the alphabets; `None` for other text, of which nothing is written.
fn decode_block(text: &[u8], out: &mut [MaybeUninit<u8>]) -> Option<usize> {
    for codec in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        // Checked first: a failed attempt would leave bytes behind that nobody asked for. Both passes find the block in
        // the nearest cache.
        if codec.check(text).is_ok()
            && let Ok(bytes) = codec.decode(text, out[..decoded_size(text.len())].as_out())
        {
            return Some(bytes.len());
        }
    }
    None
}

fn decode_loosely(text: impl Iterator<Item = u8>, out: &mut [MaybeUninit<u8>]) -> usize {
    let mut written = 0;
    let mut bits = 0u32;
    let mut count = 0;
    for char in text {
        if char == b'=' {
            break;
        }
        let value = VALUES[usize::from(char)];
        if value == INVALID {
            continue;
        }
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            if written == out.len() {
                return written;
            }
            count -= 8;
            out[written].write((bits >> count) as u8);
            written += 1;
        }
    }
    written
}

/// `btoa`: base64 of characters up to U+00FF; `None` if there are others.
pub(crate) fn btoa(chars: Chars<'_>) -> Option<Result<Text<'static>, TooLong>> {
    match chars {
        Chars::Latin1(bytes) => Some(encode(bytes)),
        Chars::Utf16(units) => {
            let bytes: Option<Vec<u8>> = units.iter().map(|&unit| u8::try_from(unit).ok()).collect();
            Some(encode(&bytes?))
        }
    }
}

/// `atob`: the "forgiving-base64 decode" of https://infra.spec.whatwg.org; `None` for text that is not accepted.
pub(crate) fn atob(chars: Chars<'_>) -> Option<Result<Text<'static>, TooLong>> {
    let Chars::Latin1(text) = chars else {
        let Chars::Utf16(units) = chars else { return None };
        let bytes: Option<Vec<u8>> = units.iter().map(|&unit| u8::try_from(unit).ok()).collect();
        return atob(Chars::Latin1(&bytes?));
    };
    // Most text is without whitespace and strictly correct.
    if let Some(body) = without_padding(text)
        && STANDARD_NO_PAD.check(body).is_ok()
    {
        return Some(decode_body(body));
    }
    let text: Vec<u8> = text.iter().copied().filter(|&char| !is_space(char)).collect();
    let body = without_padding(&text)?;
    let clean = body.iter().all(|&char| char.is_ascii_alphanumeric() || matches!(char, b'+' | b'/'));
    clean.then(|| decode_body(body))
}

/// The text less what padding it may have; `None` if what is left cannot be base64 by its length.
fn without_padding(text: &[u8]) -> Option<&[u8]> {
    let mut body = text;
    if text.len().is_multiple_of(4) {
        body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    }
    (body.len() % 4 != 1).then_some(body)
}

fn decode_body(body: &[u8]) -> Result<Text<'static>, TooLong> {
    Text::latin1_with(body.len() * 3 / 4, |out| decode(Chars::Latin1(body), out))
}

/// ASCII whitespace of the standard: tab, line feed, form feed, carriage return, space.
fn is_space(char: u8) -> bool {
    matches!(char, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chars: Chars<'_>, out: &mut [u8]) -> usize {
        super::decode(chars, crate::js_strings::as_uninit(out))
    }

    fn decoded(text: &str) -> Vec<u8> {
        let mut out = vec![0; 100];
        let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let written = decode(Chars::Latin1(&latin1), &mut out);
        out.truncate(written);
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut again = vec![0; 100];
        let count = decode(Chars::Utf16(&units), &mut again);
        assert_eq!(again[..count], out[..]);
        out
    }

    #[test]
    fn what_node_makes_of_text() {
        // Recorded from Node 20.
        for (text, expected) in [
            ("YQ==YQ==", "a"),
            ("=YQ==", ""),
            ("YQ=YQ", "a"),
            ("Y=Q==", ""),
            ("YWJj=ZGVm", "abc"),
            ("YW=Jj", "a"),
            ("YWJj\nZGVm", "abcdef"),
            ("YWJjZ GVm", "abcdef"),
            ("YWJj*ZGVm", "abcdef"),
            ("Y", ""),
            ("YW", "a"),
            ("YWJ", "ab"),
            ("YWJjZ", "abc"),
            ("=bad=bad", ""),
            ("YWJ*=ZGVm", "ab"),
            ("YQ= =", "a"),
            ("YWJjÿ", "abc"),
        ] {
            assert_eq!(decoded(text), expected.as_bytes(), "{text}");
        }
        assert_eq!(decoded("YW_-+/"), [0x61, 0x6f, 0xfe, 0xfb]);
        assert_eq!(decoded("YR"), b"a");
        let mut out = [0; 2];
        assert_eq!(decode(Chars::Latin1(b"YWJj"), &mut out), 2);
        assert_eq!(&out, b"ab");
        assert_eq!(decode(Chars::Utf16(&[0x159, 0x157, 0x4a, 0x6a]), &mut [0; 3]), 3);
    }

    #[test]
    fn round_trip() {
        for len in 0..200 {
            let bytes: Vec<u8> = (0..len).map(|i: u8| i.wrapping_mul(73) ^ 0xa5).collect();
            for text in [encode(&bytes).unwrap(), encode_url(&bytes).unwrap()] {
                let text = String::from_utf16(&text.to_utf16()).unwrap();
                let mut out = vec![0; 300];
                let written = decode(Chars::Latin1(text.as_bytes()), &mut out);
                assert_eq!(out[..written], bytes[..]);
            }
        }
    }

    #[test]
    fn blocks() {
        let bytes: Vec<u8> = (0..10000).map(|i| ((i * 7) ^ (i >> 8)) as u8).collect();
        for text in [encode(&bytes).unwrap(), encode_url(&bytes).unwrap()] {
            let mut text: Vec<u8> = text.to_utf16().iter().map(|&unit| unit as u8).collect();
            let mut out = vec![0; 10000];
            assert_eq!(decode(Chars::Latin1(&text), &mut out), 10000);
            assert_eq!(out, bytes);
            // A line break in the second block, padding in the third.
            text.insert(5000, b'\n');
            out.fill(0);
            assert_eq!(decode(Chars::Latin1(&text), &mut out), 10000);
            assert_eq!(out, bytes);
            text[9001] = b'=';
            assert_eq!(decode(Chars::Latin1(&text), &mut out), 6750);
        }
    }

    #[test]
    fn forgiving() {
        let atob = |text: &str| {
            let decoded = atob(Chars::Latin1(text.as_bytes()))?.unwrap();
            Some(decoded.to_utf16().iter().map(|&unit| unit as u8).collect::<Vec<_>>())
        };
        assert_eq!(atob("  Y\x0cW\tJ\njZ A=\r= "), Some(b"abcd".to_vec()));
        assert_eq!(atob("YQ"), Some(b"a".to_vec()));
        assert_eq!(atob("YR=="), Some(b"a".to_vec()));
        assert_eq!(atob(""), Some(vec![]));
        for bad in ["Y", "YQ=", "YQ===", "=", "Y-", "Y_", "YQ==YQ==", "A\u{b}"] {
            assert_eq!(atob(bad), None, "{bad}");
        }
        assert_eq!(btoa(Chars::Utf16(&[0x100])), None);
        assert_eq!(
            btoa(Chars::Latin1(b"abcd")).unwrap().unwrap().to_utf16(),
            "YWJjZA==".encode_utf16().collect::<Vec<_>>()
        );
    }
}
