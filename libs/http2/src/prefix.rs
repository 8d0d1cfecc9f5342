//! Integers and strings behind a prefix of bits: the form that HPACK (RFC 7541, section 5) and QPACK (RFC 9204, section 4.1) share.

use crate::huffman;

/// Longest name or value that is decoded, in bytes.
pub const MAX_STRING: usize = 65_536;

/// A block that cannot be decoded: the connection is lost (COMPRESSION_ERROR, QPACK_DECOMPRESSION_FAILED).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Reads an integer whose first `bits` bits are the last of the byte at `at`, and moves `at` behind it.
pub fn read_int(input: &[u8], at: &mut usize, bits: u32) -> Result<usize, Malformed> {
    let mask = (1u64 << bits) - 1;
    let mut value = u64::from(*input.get(*at).ok_or(Malformed)?) & mask;
    *at += 1;
    let mut shift = 0;
    while value >= mask {
        let byte = *input.get(*at).ok_or(Malformed)?;
        *at += 1;
        // More than 62 bits are never needed.
        if shift > 56 {
            return Err(Malformed);
        }
        value = value.checked_add(u64::from(byte & 0x7f) << shift).ok_or(Malformed)?;
        if byte & 0x80 == 0 {
            break;
        }
        shift += 7;
    }
    usize::try_from(value).map_err(|_| Malformed)
}

/// Writes an integer with its first `bits` bits behind those of `first`.
pub fn write_int(out: &mut Vec<u8>, first: u8, bits: u32, mut value: usize) {
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

/// Reads a string into `out`, which loses what it had. Its length has `bits` bits in the byte at `at`, below the mark of Huffman's code.
pub fn read_string(input: &[u8], at: &mut usize, bits: u32, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let coded = input.get(*at).ok_or(Malformed)? & (1 << bits) != 0;
    let length = read_int(input, at, bits)?;
    let end = at.checked_add(length).filter(|end| *end <= input.len()).ok_or(Malformed)?;
    let text = &input[*at..end];
    *at = end;
    out.clear();
    if !coded {
        if text.len() > MAX_STRING {
            return Err(Malformed);
        }
        out.extend_from_slice(text);
        return Ok(());
    }
    // A symbol has at least five bits: what cannot fit is not decoded.
    if text.len() / 5 * 8 > 2 * MAX_STRING || !huffman::decode(text, out) || out.len() > MAX_STRING {
        return Err(Malformed);
    }
    Ok(())
}

/// Writes a string, in Huffman's code if that is shorter, with its length's `bits` bits behind those of `first`.
pub fn write_string(out: &mut Vec<u8>, first: u8, bits: u32, text: &[u8]) {
    let coded = huffman::encoded_len(text);
    if coded < text.len() {
        write_int(out, first | 1 << bits, bits, coded);
        huffman::encode(text, out);
    } else {
        write_int(out, first, bits, text.len());
        out.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_come_back() {
        // RFC 7541, C.1.2.
        let mut out = Vec::new();
        write_int(&mut out, 0xe0, 5, 1337);
        assert_eq!(out, [0xff, 0x9a, 0x0a]);
        for bits in 3..=8 {
            for value in [0, 1, 6, 7, 8, 126, 127, 128, 254, 255, 256, 16_383, 1 << 28, 1 << 40] {
                let mut out = Vec::new();
                write_int(&mut out, 0, bits, value);
                let mut at = 0;
                assert_eq!(read_int(&out, &mut at, bits), Ok(value));
                assert_eq!(at, out.len());
                for end in 0..out.len() {
                    assert_eq!(read_int(&out[..end], &mut 0, bits), Err(Malformed));
                }
            }
        }
        assert_eq!(
            read_int(&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], &mut 0, 7),
            Err(Malformed)
        );
    }
}
