//! The Huffman code of HPACK (RFC 7541, appendix B). The code is canonical: the lengths determine it.

use std::sync::OnceLock;

/// Bits of each symbol's code; the last one is the end of a string, which never stands in one.
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12,
    10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6,
    5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22,
    22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20,
    22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28,
    27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28,
    27, 27, 27, 27, 27, 26, 30,
];

const MAX_CODE_BITS: usize = 30;
/// Codes of up to this many bits are found by one table look-up.
const DIRECT: u32 = 9;

struct Codes {
    codes: [u32; 257],
    /// Symbol and length by the next bits; length 0 if the code is longer.
    direct: [(u8, u8); 1 << DIRECT],
    /// By length: the first code, the number of codes, and the index of their symbols in `order`.
    first: [(u32, u32, usize); MAX_CODE_BITS + 1],
    order: [u16; 257],
}

fn codes() -> &'static Codes {
    static CODES: OnceLock<Box<Codes>> = OnceLock::new();
    CODES.get_or_init(|| {
        let mut made = Box::new(Codes {
            codes: [0; 257],
            direct: [(0, 0); 1 << DIRECT],
            first: [(0, 0, 0); MAX_CODE_BITS + 1],
            order: [0; 257],
        });
        let (mut code, mut at) = (0u32, 0);
        for length in 1..=MAX_CODE_BITS {
            code <<= 1;
            made.first[length] = (code, 0, at);
            for symbol in 0..257u16 {
                if usize::from(LENGTHS[usize::from(symbol)]) != length {
                    continue;
                }
                made.codes[usize::from(symbol)] = code;
                made.order[at] = symbol;
                made.first[length].1 += 1;
                if length as u32 <= DIRECT && symbol < 256 {
                    let shift = DIRECT - length as u32;
                    for rest in 0..1usize << shift {
                        made.direct[((code as usize) << shift) | rest] = (symbol as u8, length as u8);
                    }
                }
                at += 1;
                code += 1;
            }
        }
        made
    })
}

/// Bytes that `text` takes when it is encoded.
pub(crate) fn encoded_len(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|byte| usize::from(LENGTHS[usize::from(*byte)])).sum();
    bits.div_ceil(8)
}

/// Appends `text`, encoded.
pub(crate) fn encode(text: &[u8], out: &mut Vec<u8>) {
    let table = codes();
    let (mut bits, mut count) = (0u64, 0u32);
    for byte in text {
        let length = u32::from(LENGTHS[usize::from(*byte)]);
        bits = bits << length | u64::from(table.codes[usize::from(*byte)]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    if count > 0 {
        // Padding is the beginning of the code that ends a string: ones.
        out.push((bits << (8 - count)) as u8 | (0xff >> count));
    }
}

/// The next `wanted` of `count` bits, filled up with ones as the padding is.
fn peek(bits: u64, count: u32, wanted: u32) -> u32 {
    let mask = (1u64 << wanted) - 1;
    if count >= wanted {
        (bits >> (count - wanted) & mask) as u32
    } else {
        ((bits << (wanted - count) | ((1u64 << (wanted - count)) - 1)) & mask) as u32
    }
}

/// Appends the decoded bytes of `text`; false if it is not a valid code.
pub(crate) fn decode(text: &[u8], out: &mut Vec<u8>) -> bool {
    let table = codes();
    let (mut bits, mut count) = (0u64, 0u32);
    let mut input = text.iter();
    loop {
        while count <= 48 {
            match input.next() {
                Some(byte) => {
                    bits = bits << 8 | u64::from(*byte);
                    count += 8;
                }
                None => break,
            }
        }
        if count == 0 {
            return true;
        }
        let (symbol, length) = table.direct[peek(bits, count, DIRECT) as usize];
        if length > 0 {
            if u32::from(length) > count {
                return count < 8 && peek(bits, count, count) == (1 << count) - 1;
            }
            out.push(symbol);
            count -= u32::from(length);
            continue;
        }
        let mut found = false;
        for length in DIRECT as usize + 1..=MAX_CODE_BITS {
            let (first, size, at) = table.first[length];
            let code = peek(bits, count, length as u32);
            if code < first || code - first >= size {
                continue;
            }
            if length as u32 > count {
                break;
            }
            let symbol = table.order[at + (code - first) as usize];
            if symbol == 256 {
                return false;
            }
            out.push(symbol as u8);
            count -= length as u32;
            found = true;
            break;
        }
        if !found {
            // Only padding may be left: fewer than eight bits, all ones.
            return count < 8 && peek(bits, count, count) == (1 << count) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_standard() {
        let mut out = Vec::new();
        encode(b"www.example.com", &mut out);
        assert_eq!(out, [0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff]);
        out.clear();
        encode(b"Mon, 21 Oct 2013 20:13:21 GMT", &mut out);
        assert_eq!(out.len(), encoded_len(b"Mon, 21 Oct 2013 20:13:21 GMT"));
        assert_eq!(out[..8], [0xd0, 0x7a, 0xbe, 0x94, 0x10, 0x54, 0xd4, 0x44]);
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        let mut coded = Vec::new();
        encode(&all, &mut coded);
        let mut out = Vec::new();
        assert!(decode(&coded, &mut out));
        assert_eq!(out, all);
    }

    #[test]
    fn wrong_codes() {
        let mut out = Vec::new();
        // The end of a string inside of one, padding of a whole byte, padding with zeros.
        assert!(!decode(&[0xff, 0xff, 0xff, 0xff], &mut out));
        assert!(!decode(&[0x1f, 0xff], &mut out));
        assert!(!decode(&[0x18], &mut out));
        assert!(decode(&[], &mut out));
    }
}
