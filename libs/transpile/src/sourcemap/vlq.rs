//! Base64, and the variable-length numbers that source map v3 makes of it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const DIGITS: [u8; 256] = {
    let mut table = [0xff; 256];
    let mut index = 0;
    while index < 64 {
        table[ALPHABET[index] as usize] = index as u8;
        index += 1;
    }
    // The URL-safe variant, which some producers of data URLs use.
    table[b'-' as usize] = 62;
    table[b'_' as usize] = 63;
    table
};

/// Reads one signed number at the start of `text` and steps over it. `None` at a byte that is not a digit.
pub(super) fn take_vlq(text: &mut &[u8]) -> Option<i64> {
    let mut value = 0i64;
    let mut shift = 0;
    loop {
        let (&byte, rest) = text.split_first()?;
        let digit = DIGITS[byte as usize];
        if digit == 0xff || shift > 55 {
            return None;
        }
        *text = rest;
        value |= i64::from(digit & 31) << shift;
        shift += 5;
        if digit < 32 {
            break;
        }
    }
    Some(if value & 1 == 0 { value >> 1 } else { -(value >> 1) })
}

/// Appends one signed number.
pub(super) fn put_vlq(out: &mut String, value: i64) {
    let mut rest = value.unsigned_abs() << 1 | u64::from(value < 0);
    loop {
        let digit = (rest & 31) as usize;
        rest >>= 5;
        out.push(ALPHABET[digit | if rest > 0 { 32 } else { 0 }] as char);
        if rest == 0 {
            return;
        }
    }
}

/// Decodes base64; white space and padding are skipped.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        if byte == b'=' || byte.is_ascii_whitespace() {
            continue;
        }
        let digit = DIGITS[byte as usize];
        if digit == 0xff {
            return None;
        }
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
