//! Random bytes.

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
    fn comparing() {
        assert!(equal(b"abc", b"abc") && equal(b"", b""));
        assert!(!equal(b"abc", b"abd") && !equal(b"abc", b"ab"));
    }
}
