//! UTF-8: https://encoding.spec.whatwg.org/#utf-8. Malformed bytes decode to U+FFFD, one per maximal part of a
//! character; lone surrogates encode as U+FFFD.

use encoding_rs::mem;

#[cfg(target_arch = "x86_64")]
use crate::avx512;
use crate::js_strings::{Chars, Text, TooLong, as_uninit, check_length, filled};
use crate::simd;

/// Text of bytes that should be UTF-8. A byte order mark is kept.
pub(crate) fn decode(bytes: &[u8]) -> Result<Text<'_>, TooLong> {
    let plain = simd::ascii_prefix(bytes);
    if plain == bytes.len() {
        return Text::latin1(bytes);
    }
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => decode_valid(text),
        Err(_) => {
            let mut units = vec![0; bytes.len() + 1];
            let written = mem::convert_utf8_to_utf16(bytes, &mut units);
            check_length(written)?;
            units.truncate(written);
            Ok(Text::Utf16(units))
        }
    }
}

fn decode_valid(text: &str) -> Result<Text<'_>, TooLong> {
    let bytes = text.as_bytes();
    // 0xc3 is the lead of the last characters of Latin-1.
    let max = bytes.iter().fold(0, |max, &byte| max.max(byte));
    #[cfg(target_arch = "x86_64")]
    if avx512::available() {
        if max <= 0xc3 {
            // Each character that is not ASCII takes two bytes.
            // SAFETY: the instructions are there.
            let len = bytes.len() - unsafe { avx512::count_high(bytes) } / 2;
            // SAFETY: as above.
            return Text::latin1_with(len, |out| unsafe { avx512::utf8_to_latin1(text, out) });
        }
        // SAFETY: as above.
        let len = unsafe { avx512::count_units(bytes) };
        check_length(len)?;
        // SAFETY: as above.
        return Ok(Text::Utf16(filled(len, |out| unsafe { avx512::utf8_to_utf16(text, out) })));
    }
    if max <= 0xc3 {
        let leads = simd::count_leads(bytes);
        let mut chars = vec![0; bytes.len() - leads];
        let (read, mut written) = simd::utf8_to_latin1(text, &mut chars);
        for char in text[read..].chars() {
            chars[written] = char as u8;
            written += 1;
        }
        check_length(written)?;
        return Ok(Text::Latin1(chars));
    }
    let len = simd::count_units(bytes);
    check_length(len)?;
    // The conversion of blocks wants some room behind the result.
    let mut units = vec![0; len + simd::UTF16_ROOM];
    let (read, mut written) = simd::utf8_to_utf16(text, &mut units);
    for char in text[read..].chars() {
        written += char.encode_utf16(&mut units[written..]).len();
    }
    units.truncate(len);
    Ok(Text::Utf16(units))
}

/// Whether the bytes are well-formed UTF-8.
pub(crate) fn is_valid(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// The bytes without the byte order mark they may begin with.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Number of bytes that `chars` take in UTF-8.
pub(crate) fn length(chars: Chars<'_>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if avx512::available() {
        // SAFETY: the instructions are there.
        return unsafe {
            match chars {
                Chars::Latin1(bytes) => bytes.len() + avx512::count_high(bytes),
                Chars::Utf16(units) => avx512::count_utf8(units),
            }
        };
    }
    match chars {
        Chars::Latin1(bytes) => bytes.len() + simd::count_high(bytes),
        Chars::Utf16(units) => utf16_length(units),
    }
}

fn utf16_length(units: &[u16]) -> usize {
    let mut total = units.len();
    // Sums of 16-bit lanes, short enough not to overflow, so that the compiler can use vector instructions.
    for chunk in units.chunks(1 << 14) {
        let more: u16 = chunk.iter().map(|&unit| u16::from(unit >= 0x80) + u16::from(unit >= 0x800)).sum();
        total += usize::from(more);
    }
    // Each half of a pair was counted as three bytes, and a pair takes four.
    for (first, second) in units.chunks(1 << 14).zip(units.get(1..).unwrap_or(&[]).chunks(1 << 14)) {
        let pairs: u16 = first
            .iter()
            .zip(second)
            .map(|(&high, &low)| u16::from(high & 0xfc00 == 0xd800) & u16::from(low & 0xfc00 == 0xdc00))
            .sum();
        total -= 2 * usize::from(pairs);
    }
    total
}

/// The UTF-8 bytes of `chars`.
pub(crate) fn encode(chars: Chars<'_>) -> Vec<u8> {
    if let Chars::Latin1(bytes) = chars
        && bytes.is_ascii()
    {
        return bytes.to_vec();
    }
    let mut out = vec![0; length(chars)];
    encode_into(chars, &mut out);
    out
}

/// Writes as many whole characters as fit into `out`; returns the units read and the bytes written.
pub(crate) fn encode_into(chars: Chars<'_>, out: &mut [u8]) -> (usize, usize) {
    match chars {
        Chars::Latin1(bytes) => encode_latin1(bytes, out),
        Chars::Utf16(units) => {
            let (mut read, mut written) = utf16_blocks(units, out);
            while read < units.len() {
                let (char, used) = simd::utf16_char(&units[read..]);
                if out.len() - written < char.len_utf8() {
                    break;
                }
                written += char.encode_utf8(&mut out[written..]).len();
                read += used;
            }
            (read, written)
        }
    }
}

/// As far as whole blocks go.
fn utf16_blocks(units: &[u16], out: &mut [u8]) -> simd::Progress {
    #[cfg(target_arch = "x86_64")]
    if avx512::available() {
        // SAFETY: the instructions are there.
        return unsafe { avx512::utf16_to_utf8(units, as_uninit(out)) };
    }
    simd::utf16_to_utf8(units, out)
}

fn latin1_blocks(chars: &[u8], out: &mut [u8]) -> simd::Progress {
    #[cfg(target_arch = "x86_64")]
    if avx512::available() {
        // SAFETY: the instructions are there.
        return unsafe { avx512::latin1_to_utf8(chars, as_uninit(out)) };
    }
    simd::latin1_to_utf8(chars, out)
}

fn encode_latin1(bytes: &[u8], out: &mut [u8]) -> (usize, usize) {
    let most = bytes.len().min(out.len());
    if bytes[..most].is_ascii() {
        out[..most].copy_from_slice(&bytes[..most]);
        return (most, most);
    }
    let (read, written) = latin1_blocks(bytes, out);
    let (more_read, more_written) = mem::convert_latin1_to_utf8_partial(&bytes[read..], &mut out[written..]);
    (read + more_read, written + more_written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn samples() -> Vec<Vec<u16>> {
        let mut all: Vec<Vec<u16>> =
            ["", "a", "é", "€", "😀", "aé€😀b", "日本語テキスト", "\u{feff}x"].iter().map(|t| units(t)).collect();
        all.push(vec![0xd800]);
        all.push(vec![0xdc00, 0x61, 0xd83d]);
        all.push(vec![0xd83d, 0xd83d, 0xde00, 0xde00]);
        all.push(units(&"é日😀a".repeat(12)));
        all.push(units(&"éa".repeat(40)));
        let mut long = units(&"x😀é".repeat(9000));
        long.push(0xdfff);
        all.push(long);
        all
    }

    #[test]
    fn lengths_and_bytes_agree_with_rust() {
        for sample in samples() {
            let expected = String::from_utf16_lossy(&sample);
            assert_eq!(length(Chars::Utf16(&sample)), expected.len());
            assert_eq!(encode(Chars::Utf16(&sample)), expected.as_bytes());
            if sample.iter().all(|&unit| unit < 256) {
                let latin1: Vec<u8> = sample.iter().map(|&unit| unit as u8).collect();
                assert_eq!(length(Chars::Latin1(&latin1)), expected.len());
                assert_eq!(encode(Chars::Latin1(&latin1)), expected.as_bytes());
            }
        }
    }

    #[test]
    fn partial_writes_stop_between_characters() {
        for sample in samples() {
            if sample.len() > 100 {
                continue;
            }
            let expected = String::from_utf16_lossy(&sample);
            for room in 0..expected.len() + 2 {
                let mut fits = 0;
                let mut taken = 0;
                for character in expected.chars() {
                    if fits + character.len_utf8() > room {
                        break;
                    }
                    fits += character.len_utf8();
                    taken += character.len_utf16();
                }
                let latin1: Vec<u8> = sample.iter().map(|&unit| unit as u8).collect();
                let mut forms = vec![Chars::Utf16(&sample)];
                if sample.iter().all(|&unit| unit < 256) {
                    forms.push(Chars::Latin1(&latin1));
                }
                for chars in forms {
                    let mut out = vec![0xaa; room];
                    let (read, written) = encode_into(chars, &mut out);
                    assert_eq!((read, written), (taken, fits), "{sample:x?} in {room}");
                    assert_eq!(&out[..written], &expected.as_bytes()[..written]);
                    assert!(out[written..].iter().all(|&byte| byte == 0xaa), "{sample:x?} in {room}");
                }
            }
        }
    }

    #[test]
    fn decoding() {
        for text in [
            "",
            "plain",
            "na\u{ef}ve caf\u{e9}",
            "\u{20ac}",
            "a😀b",
            &"ü".repeat(100),
            &"a".repeat(100),
            &"日本 ru жук 😀 é".repeat(9),
            &"plain and then é".repeat(9),
        ] {
            assert_eq!(decode(text.as_bytes()).unwrap().to_utf16(), units(text));
        }
        assert!(matches!(decode("ü".repeat(100).as_bytes()), Ok(Text::Latin1(_))));
        for bytes in
            [&b"\xff"[..], b"a\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x82\xe2\x82\xac"]
        {
            assert_eq!(decode(bytes).unwrap().to_utf16(), units(&String::from_utf8_lossy(bytes)));
            assert!(!is_valid(bytes));
        }
        assert_eq!(without_bom(b"\xef\xbb\xbfab"), b"ab");
        assert_eq!(without_bom(b"\xef\xbb"), b"\xef\xbb");
    }
}
