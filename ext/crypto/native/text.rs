//! Bytes of strings and strings of bytes, for results that are made in one call.

use std::borrow::Cow;

use engine::JsStr;

/// UTF-8 of a string; unpaired surrogates become U+FFFD. Nothing is copied for ASCII.
pub(crate) fn utf8<'a>(text: &JsStr<'a>) -> Cow<'a, [u8]> {
    if !text.is_latin1() {
        return String::from_utf16_lossy(text.utf16()).into_bytes().into();
    }
    let bytes = text.latin1();
    if bytes.is_ascii() {
        return bytes.into();
    }
    bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes().into()
}

/// Text of bytes: 0 hex, 1 base64, 2 base64url (without padding), anything else Latin-1.
pub(crate) fn encode(bytes: Vec<u8>, encoding: u8) -> Vec<u8> {
    match encoding {
        0 => hex(&bytes),
        1 => base64(&bytes, b"+/", true),
        2 => base64(&bytes, b"-_", false),
        _ => bytes,
    }
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|&byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

fn base64(bytes: &[u8], last: &[u8; 2], pad: bool) -> Vec<u8> {
    let digit = |value: u32| match (value & 63) as u8 {
        v @ 0..=25 => b'A' + v,
        v @ 26..=51 => b'a' + v - 26,
        v @ 52..=61 => b'0' + v - 52,
        v => last[usize::from(v - 62)],
    };
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        for index in 0..4 {
            if index <= chunk.len() {
                out.push(digit(group >> (18 - 6 * index)));
            } else if pad {
                out.push(b'=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        let text = |bytes: &[u8], encoding| String::from_utf8(encode(bytes.to_vec(), encoding)).unwrap();
        assert_eq!(text(&[0, 255, 16], 0), "00ff10");
        assert_eq!(text(b"", 1), "");
        assert_eq!(text(b"f", 1), "Zg==");
        assert_eq!(text(b"fo", 1), "Zm8=");
        assert_eq!(text(b"foobar", 1), "Zm9vYmFy");
        assert_eq!(text(&[0xfb, 0xff], 1), "+/8=");
        assert_eq!(text(&[0xfb, 0xff], 2), "-_8");
    }
}
