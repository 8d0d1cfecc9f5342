//! Random bytes and UUIDs.

use aws_lc_sys as lc;

/// Fills a buffer with random bytes.
pub(crate) fn fill(out: &mut [u8]) {
    // SAFETY: a slice with its length. The function does not fail: it ends the process if there is no randomness.
    unsafe { lc::RAND_bytes(out.as_mut_ptr(), out.len()) };
}

const POOL: usize = 4096;

/// Random bytes in stock, for UUIDs: asking for many at once is much cheaper than for sixteen.
pub(crate) struct Pool {
    bytes: [u8; POOL],
    used: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { bytes: [0; POOL], used: POOL }
    }
}

impl Pool {
    /// Sixteen bytes nobody has seen; they are wiped from the stock.
    pub(crate) fn take(&mut self) -> [u8; 16] {
        if self.used + 16 > POOL {
            fill(&mut self.bytes);
            self.used = 0;
        }
        let place = &mut self.bytes[self.used..self.used + 16];
        let taken: [u8; 16] = (&*place).try_into().expect("sixteen bytes");
        place.fill(0);
        self.used += 16;
        taken
    }
}

/// A random UUID (version 4 of RFC 9562) from sixteen bytes.
pub(crate) fn uuid_v4(mut bytes: [u8; 16]) -> Vec<u8> {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    uuid_text(&bytes)
}

/// A UUID of a time in milliseconds since 1970 (version 7) from sixteen bytes.
pub(crate) fn uuid_v7(mut bytes: [u8; 16], milliseconds: u64) -> Vec<u8> {
    bytes[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    uuid_text(&bytes)
}

fn uuid_text(bytes: &[u8; 16]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Vec::with_capacity(36);
    for (index, &byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push(b'-');
        }
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
    text
}

/// Compares bytes in a time that does not depend on where they differ. Different lengths are different.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    // SAFETY: both slices have that length.
    a.len() == b.len() && unsafe { lc::CRYPTO_memcmp(a.as_ptr().cast(), b.as_ptr().cast(), a.len()) } == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_random() {
        let mut a = [0; 32];
        let mut b = [0; 32];
        fill(&mut a);
        fill(&mut b);
        assert_ne!(a, b);
        fill(&mut []);
        let mut pool = Pool::default();
        let taken: Vec<_> = (0..1000).map(|_| pool.take()).collect();
        let unique: std::collections::HashSet<_> = taken.iter().collect();
        assert_eq!(unique.len(), 1000);
    }

    #[test]
    fn uuids() {
        assert_eq!(uuid_v4([0xff; 16]), b"ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(uuid_v7([0; 16], 0x0123_4567_89ab), b"01234567-89ab-7000-8000-000000000000");
    }

    #[test]
    fn comparing() {
        assert!(equal(b"abc", b"abc") && equal(b"", b""));
        assert!(!equal(b"abc", b"abd") && !equal(b"abc", b"ab"));
    }
}
