//! BLAKE2b and BLAKE2s (RFC 7693), without keys.

/// Message word orders of the rounds; BLAKE2b's rounds 10 and 11 are 0 and 1 again.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Which four words each of the eight mixings of a round works on.
const MIXINGS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

macro_rules! blake2 {
    ($name:ident, $word:ty, $wide:ty, $word_bytes:literal, $block:literal, $rounds:literal, $rotations:expr, $iv:expr, $about:literal) => {
        #[doc = $about]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $name {
            hash: [$word; 8],
            /// Bytes compressed so far.
            count: [$word; 2],
            buffer: [u8; $block],
            /// Bytes in the buffer.
            filled: $word,
            /// Bytes of the result.
            size: $word,
        }

        impl $name {
            /// Starts a hash of `size` bytes.
            pub fn new(size: usize) -> Self {
                let mut hash: [$word; 8] = $iv;
                hash[0] ^= 0x0101_0000 ^ size as $word;
                $name { hash, count: [0; 2], buffer: [0; $block], filled: 0, size: size as $word }
            }

            /// Whether the numbers are such as `new` and `update` leave.
            pub fn is_sane(&self) -> bool {
                self.filled <= $block && self.size <= 8 * $word_bytes
            }

            fn compress(&mut self, added: $word, last: bool) {
                let count = (self.count[0] as $wide | (self.count[1] as $wide) << <$word>::BITS) + added as $wide;
                self.count = [count as $word, (count >> <$word>::BITS) as $word];
                let mut m: [$word; 16] = [0; 16];
                for (word, bytes) in m.iter_mut().zip(self.buffer.chunks_exact($word_bytes)) {
                    *word = <$word>::from_le_bytes(bytes.try_into().expect("the bytes of a word"));
                }
                let iv: [$word; 8] = $iv;
                let mut v: [$word; 16] = [0; 16];
                v[..8].copy_from_slice(&self.hash);
                v[8..].copy_from_slice(&iv);
                v[12] ^= self.count[0];
                v[13] ^= self.count[1];
                if last {
                    v[14] = !v[14];
                }
                let [r1, r2, r3, r4]: [u32; 4] = $rotations;
                for round in 0..$rounds {
                    let order = &SIGMA[round % 10];
                    for (index, [a, b, c, d]) in MIXINGS.into_iter().enumerate() {
                        v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[order[2 * index]]);
                        v[d] = (v[d] ^ v[a]).rotate_right(r1);
                        v[c] = v[c].wrapping_add(v[d]);
                        v[b] = (v[b] ^ v[c]).rotate_right(r2);
                        v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[order[2 * index + 1]]);
                        v[d] = (v[d] ^ v[a]).rotate_right(r3);
                        v[c] = v[c].wrapping_add(v[d]);
                        v[b] = (v[b] ^ v[c]).rotate_right(r4);
                    }
                }
                for i in 0..8 {
                    self.hash[i] ^= v[i] ^ v[i + 8];
                }
            }

            /// Takes in bytes.
            pub fn update(&mut self, mut data: &[u8]) {
                while !data.is_empty() {
                    // A full buffer waits until it is certain not to be the last block.
                    if self.filled as usize == $block {
                        self.compress($block, false);
                        self.filled = 0;
                    }
                    let filled = self.filled as usize;
                    let count = data.len().min($block - filled);
                    self.buffer[filled..filled + count].copy_from_slice(&data[..count]);
                    self.filled += count as $word;
                    data = &data[count..];
                }
            }

            /// Gives the hash.
            pub fn finish(mut self, out: &mut [u8]) {
                let filled = self.filled as usize;
                self.buffer[filled..].fill(0);
                self.compress(self.filled, true);
                let bytes = self.hash.into_iter().flat_map(<$word>::to_le_bytes);
                for (place, byte) in out.iter_mut().zip(bytes) {
                    *place = byte;
                }
            }
        }
    };
}

blake2!(
    Blake2b,
    u64,
    u128,
    8,
    128,
    12,
    [32, 24, 16, 63],
    [
        0x6a09e667f3bcc908,
        0xbb67ae8584caa73b,
        0x3c6ef372fe94f82b,
        0xa54ff53a5f1d36f1,
        0x510e527fade682d1,
        0x9b05688c2b3e6c1f,
        0x1f83d9abfb41bd6b,
        0x5be0cd19137e2179,
    ],
    "BLAKE2b in progress."
);

blake2!(
    Blake2s,
    u32,
    u64,
    4,
    64,
    10,
    [16, 12, 8, 7],
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
    "BLAKE2s in progress."
);
