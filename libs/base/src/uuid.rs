//! Universally unique identifiers (RFC 9562).

/// Characters of a UUID.
pub const LENGTH: usize = 36;

/// A random UUID (version 4) from sixteen bytes.
pub fn v4(mut bytes: [u8; 16]) -> [u8; LENGTH] {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    text(&bytes)
}

/// A UUID of a time in milliseconds since 1970 (version 7) from sixteen bytes.
pub fn v7(mut bytes: [u8; 16], milliseconds: u64) -> [u8; LENGTH] {
    bytes[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    text(&bytes)
}

/// A random UUID (version 4) of the system's bytes.
///
/// # Panics
/// If the system gives no random bytes, which it always does once it has started.
pub fn random() -> String {
    let mut bytes = [0u8; 16];
    // SAFETY: fills the array, at most its length.
    let given = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(given, bytes.len() as isize, "getrandom(2) failed");
    v4(bytes).iter().map(|&byte| char::from(byte)).collect()
}

fn text(bytes: &[u8; 16]) -> [u8; LENGTH] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [b'-'; LENGTH];
    let mut at = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            at += 1;
        }
        text[at] = DIGITS[usize::from(byte >> 4)];
        text[at + 1] = DIGITS[usize::from(byte & 15)];
        at += 2;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(&v4([0xff; 16]), b"ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(&v7([0; 16], 0x0123_4567_89ab), b"01234567-89ab-7000-8000-000000000000");
        assert_ne!(random(), random());
    }
}
