//! Bytes to text in the form the engine keeps: Latin-1 where the text allows it, UTF-16 otherwise.

/// Decoded text. The engine stores strings in one of these two forms, so no further conversion follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Latin1(Vec<u8>),
    Utf16(Vec<u16>),
}

/// Decodes UTF-8; each ill-formed sequence becomes U+FFFD by the WHATWG rule. ASCII is returned as it came, uncopied.
pub(crate) fn decode_utf8(bytes: Vec<u8>) -> Text {
    if bytes.is_ascii() {
        return Text::Latin1(bytes);
    }
    let ascii = ascii_prefix(&bytes);
    decode_valid(&bytes, ascii).unwrap_or_else(|| {
        let repaired = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
        // The repaired text is valid, so this does not fail.
        decode_valid(&repaired, ascii).unwrap_or(Text::Latin1(Vec::new()))
    })
}

/// Decodes and validates in one pass. `ascii`: so many bytes at the start are known to be ASCII. `None`: ill-formed.
fn decode_valid(bytes: &[u8], ascii: usize) -> Option<Text> {
    // Never more units than bytes.
    let mut units = vec![0u16; bytes.len()];
    let mut rest = bytes;
    let mut to = 0;
    // All units or'ed together: tells whether one is above U+00FF.
    let mut seen = 0;
    let mut run = ascii;
    loop {
        for (unit, &byte) in units.get_mut(to..to + run)?.iter_mut().zip(rest) {
            *unit = u16::from(byte);
        }
        to += run;
        rest = rest.get(run..)?;
        // Characters that are not ASCII come in runs, too.
        loop {
            let (unit, used) = match *rest {
                [] => return Some(finish(units, to, seen)),
                [0..0x80, ..] => break,
                [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => ((u32::from(a) & 0x1F) << 6 | u32::from(b) & 0x3F, 2),
                [a @ 0xE0..=0xEF, b @ 0x80..=0xBF, c @ 0x80..=0xBF, ..] => {
                    let unit = (u32::from(a) & 0x0F) << 12 | (u32::from(b) & 0x3F) << 6 | u32::from(c) & 0x3F;
                    if unit < 0x800 || (0xD800..0xE000).contains(&unit) {
                        return None;
                    }
                    (unit, 3)
                }
                [a @ 0xF0..=0xF4, b @ 0x80..=0xBF, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ..] => {
                    let high = (u32::from(a) & 7) << 18 | (u32::from(b) & 0x3F) << 12;
                    let point = high | (u32::from(c) & 0x3F) << 6 | u32::from(d) & 0x3F;
                    if !(0x10000..0x110000).contains(&point) {
                        return None;
                    }
                    *units.get_mut(to)? = (0xD7C0 + (point >> 10)) as u16;
                    to += 1;
                    (0xDC00 | point & 0x3FF, 4)
                }
                _ => return None,
            };
            seen |= unit;
            *units.get_mut(to)? = unit as u16;
            to += 1;
            rest = &rest[used..];
        }
        run = ascii_prefix(rest);
    }
}

fn finish(mut units: Vec<u16>, length: usize, seen: u32) -> Text {
    units.truncate(length);
    if seen <= 0xFF { Text::Latin1(units.into_iter().map(|unit| unit as u8).collect()) } else { Text::Utf16(units) }
}

/// How many bytes at the start are ASCII, eight at a time.
fn ascii_prefix(bytes: &[u8]) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    for chunk in bytes.chunks_exact(8) {
        // The chunk has eight bytes by construction.
        let word = u64::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7]]);
        if word & HIGH != 0 {
            return at + ((word & HIGH).trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + bytes[at..].iter().take_while(|b| b.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Text {
        Text::Utf16(text.encode_utf16().collect())
    }

    #[test]
    fn forms() {
        assert_eq!(decode_utf8(b"plain".to_vec()), Text::Latin1(b"plain".to_vec()));
        assert_eq!(decode_utf8("é ÿ".as_bytes().to_vec()), Text::Latin1(b"\xe9 \xff".to_vec()));
        for text in ["€", "a long ascii run, then € and 😀 and more ascii", "é€", "\u{100}", "1234567é€", "\u{FFFF}a"]
        {
            assert_eq!(decode_utf8(text.as_bytes().to_vec()), utf16(text));
        }
        assert_eq!(decode_utf8(b"a\xffb".to_vec()), utf16("a\u{FFFD}b"));
        assert_eq!(decode_utf8(b"\xe2\x82".to_vec()), utf16("\u{FFFD}"));
        for wrong in [
            &b"\xc0\x80"[..],
            b"\xc1\xbf",
            b"\xe0\x80\x80",
            b"\xf5\x80\x80\x80",
            b"\xf0\x80\x80\x80",
            b"\xf4\x90\x80\x80",
            b"x\x80",
        ] {
            assert_eq!(decode_utf8(wrong.to_vec()), utf16(&String::from_utf8_lossy(wrong)));
        }
        assert_eq!(decode_utf8(b"\xed\xa0\x80".to_vec()), utf16("\u{FFFD}\u{FFFD}\u{FFFD}"));
    }
}
