//! The encodings without tables: latin1, ascii and utf16le, and the reversal of byte order.

use crate::js_strings::{Chars, Text, TooLong, check_length};

/// Text of Latin-1 bytes.
pub(crate) fn decode_latin1(bytes: &[u8]) -> Result<Text<'_>, TooLong> {
    Text::latin1(bytes)
}

/// Text of bytes whose eighth bit is dropped.
pub(crate) fn decode_ascii(bytes: &[u8]) -> Result<Text<'_>, TooLong> {
    Text::latin1_with(bytes.len(), |out| {
        for (to, from) in out.iter_mut().zip(bytes) {
            to.write(from & 0x7f);
        }
        bytes.len()
    })
}

/// Text of UTF-16LE bytes; an odd byte at the end is left out.
pub(crate) fn decode_ucs2(bytes: &[u8]) -> Result<Text<'_>, TooLong> {
    check_length(bytes.len() / 2)?;
    Ok(Text::Utf16(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()))
}

/// Writes the low byte of each unit; returns the number of bytes written.
pub(crate) fn encode_latin1(chars: Chars<'_>, out: &mut [u8]) -> usize {
    match chars {
        Chars::Latin1(bytes) => {
            let count = bytes.len().min(out.len());
            out[..count].copy_from_slice(&bytes[..count]);
            count
        }
        Chars::Utf16(units) => {
            let count = units.len().min(out.len());
            for (to, from) in out.iter_mut().zip(units) {
                *to = *from as u8;
            }
            count
        }
    }
}

/// Writes whole units, low byte first; returns the number of bytes written.
pub(crate) fn encode_ucs2(chars: Chars<'_>, out: &mut [u8]) -> usize {
    let pairs = out.chunks_exact_mut(2);
    let count = match chars {
        Chars::Latin1(bytes) => {
            let count = bytes.len().min(pairs.len());
            for (to, &from) in pairs.zip(bytes) {
                to.copy_from_slice(&u16::from(from).to_le_bytes());
            }
            count
        }
        Chars::Utf16(units) => {
            let count = units.len().min(pairs.len());
            for (to, from) in pairs.zip(units) {
                to.copy_from_slice(&from.to_le_bytes());
            }
            count
        }
    };
    count * 2
}

/// Reverses the bytes of each group of `unit` (2, 4 or 8) bytes; an incomplete group at the end stays as it is.
pub(crate) fn swap(bytes: &mut [u8], unit: u32) {
    match unit {
        2 => swap_groups::<2>(bytes),
        4 => swap_groups::<4>(bytes),
        8 => swap_groups::<8>(bytes),
        _ => {}
    }
}

fn swap_groups<const N: usize>(bytes: &mut [u8]) {
    for group in bytes.as_chunks_mut::<N>().0 {
        group.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin1_and_ascii() {
        assert_eq!(decode_latin1(b"\xe9a").unwrap().to_utf16(), [0xe9, 0x61]);
        assert_eq!(decode_ascii(b"\xe9a").unwrap().to_utf16(), [0x69, 0x61]);
        assert_eq!(decode_ascii(&[0xc1; 100]).unwrap(), Text::Latin1(vec![0x41; 100]));
        let mut out = [0; 4];
        assert_eq!(encode_latin1(Chars::Utf16(&[0x20ac, 0x41]), &mut out), 2);
        assert_eq!(out, [0xac, 0x41, 0, 0]);
        assert_eq!(encode_latin1(Chars::Latin1(b"abcdef"), &mut out), 4);
        assert_eq!(&out, b"abcd");
    }

    #[test]
    fn ucs2() {
        assert_eq!(decode_ucs2(&[0x3d, 0xd8, 0x00, 0xde, 0x41]).unwrap(), Text::Utf16(vec![0xd83d, 0xde00]));
        let mut out = [9; 5];
        assert_eq!(encode_ucs2(Chars::Latin1(b"abc"), &mut out), 4);
        assert_eq!(out, [0x61, 0, 0x62, 0, 9]);
        assert_eq!(encode_ucs2(Chars::Utf16(&[0xd83d]), &mut out), 2);
        assert_eq!(out, [0x3d, 0xd8, 0x62, 0, 9]);
    }

    #[test]
    fn swapping() {
        let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        swap(&mut bytes, 2);
        assert_eq!(bytes, [2, 1, 4, 3, 6, 5, 8, 7]);
        swap(&mut bytes, 8);
        assert_eq!(bytes, [7, 8, 5, 6, 3, 4, 1, 2]);
        swap(&mut bytes[..6], 4);
        assert_eq!(bytes, [6, 5, 8, 7, 3, 4, 1, 2]);
    }
}
