//! Hexadecimal.

use std::mem::MaybeUninit;

use hex_simd::{AsOut, AsciiCase};

use crate::js_strings::{Chars, Text, TooLong};

/// Digits that are decoded at once.
const BLOCK: usize = 4096;

/// Two lower-case digits per byte.
pub(crate) fn encode(bytes: &[u8]) -> Result<Text<'static>, TooLong> {
    Text::latin1_with(bytes.len() * 2, |out| {
        // The output has exactly the size that is asked for, the one condition of this function.
        hex_simd::encode(bytes, out.as_out(), AsciiCase::Lower).len()
    })
}

fn digit(char: u8) -> Option<u8> {
    (char as char).to_digit(16).map(|value| value as u8)
}

/// Writes the bytes of pairs of digits until a pair that is none, the end of the text or of `out`; returns how many.
///
/// Only the low byte of each character counts, as in Node.
pub(crate) fn decode(chars: Chars<'_>, out: &mut [MaybeUninit<u8>]) -> usize {
    match chars {
        Chars::Latin1(digits) => {
            let count = (digits.len() / 2).min(out.len());
            let mut written = 0;
            // A block is checked first: a failed attempt would leave bytes behind that nobody asked for. Both passes find
            // it in the nearest cache.
            for block in digits[..count * 2].chunks(BLOCK) {
                let out = &mut out[written..];
                if hex_simd::check(block).is_ok() && hex_simd::decode(block, out[..block.len() / 2].as_out()).is_ok() {
                    written += block.len() / 2;
                    continue;
                }
                return written + decode_pairs(block.chunks_exact(2).map(|pair| (pair[0], pair[1])), out);
            }
            written
        }
        Chars::Utf16(units) => decode_pairs(units.chunks_exact(2).map(|pair| (pair[0] as u8, pair[1] as u8)), out),
    }
}

fn decode_pairs(pairs: impl Iterator<Item = (u8, u8)>, out: &mut [MaybeUninit<u8>]) -> usize {
    let mut written = 0;
    for (to, (high, low)) in out.iter_mut().zip(pairs) {
        let (Some(high), Some(low)) = (digit(high), digit(low)) else { break };
        to.write(high << 4 | low);
        written += 1;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chars: Chars<'_>, out: &mut [u8]) -> usize {
        super::decode(chars, crate::js_strings::as_uninit(out))
    }

    #[test]
    fn round_trip() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = encode(&bytes).unwrap().to_utf16();
        assert_eq!(String::from_utf16(&text[..8]).unwrap(), "00010203");
        let mut out = [0; 256];
        assert_eq!(decode(Chars::Utf16(&text), &mut out), 256);
        assert_eq!(out[..], bytes[..]);
        let digits: Vec<u8> = text.iter().map(|&unit| (unit as u8).to_ascii_uppercase()).collect();
        assert_eq!(decode(Chars::Latin1(&digits), &mut out), 256);
        assert_eq!(out[..], bytes[..]);
    }

    #[test]
    fn blocks() {
        let bytes: Vec<u8> = (0..5000).map(|i| (i * 7) as u8).collect();
        let units = encode(&bytes).unwrap().to_utf16();
        let mut digits: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
        let mut out = vec![0; 5000];
        assert_eq!(decode(Chars::Latin1(&digits), &mut out), 5000);
        assert_eq!(out, bytes);
        for wrong in [0, 4095, 4096, 9999] {
            let kept = std::mem::replace(&mut digits[wrong], b'x');
            let mut out = vec![0xaa; 5000];
            assert_eq!(decode(Chars::Latin1(&digits), &mut out), wrong / 2);
            assert_eq!(out[..wrong / 2], bytes[..wrong / 2]);
            assert!(out[wrong / 2..].iter().all(|&byte| byte == 0xaa));
            digits[wrong] = kept;
        }
    }

    #[test]
    fn stops_where_the_digits_end() {
        let mut out = [0; 8];
        assert_eq!(decode(Chars::Latin1(b"616"), &mut out), 1);
        assert_eq!(decode(Chars::Latin1(b"6162zz63"), &mut out), 2);
        assert_eq!(decode(Chars::Latin1(b"6 1"), &mut out), 0);
        assert_eq!(decode(Chars::Latin1(b"616263"), &mut out[..2]), 2);
        assert_eq!(decode(Chars::Utf16(&[0x136, 0x131]), &mut out), 1);
        assert_eq!(out[..2], *b"ab");
    }
}
