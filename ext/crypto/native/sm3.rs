//! SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018).

const IV: [u32; 8] = [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e];

/// SM3 in progress.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Sm3 {
    hash: [u32; 8],
    buffer: [u8; 64],
    /// Bytes in the buffer.
    filled: u64,
    /// Bytes taken in.
    count: u64,
}

fn p0(x: u32) -> u32 {
    x ^ x.rotate_left(9) ^ x.rotate_left(17)
}

fn p1(x: u32) -> u32 {
    x ^ x.rotate_left(15) ^ x.rotate_left(23)
}

impl Sm3 {
    /// Starts a hash.
    pub fn new() -> Self {
        Sm3 { hash: IV, buffer: [0; 64], filled: 0, count: 0 }
    }

    /// Whether the numbers are such as `new` and `update` leave.
    pub fn is_sane(&self) -> bool {
        self.filled < 64
    }

    fn compress(&mut self) {
        let mut w = [0u32; 68];
        for (word, bytes) in w.iter_mut().zip(self.buffer.chunks_exact(4)) {
            *word = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
        }
        for j in 16..68 {
            w[j] = p1(w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15)) ^ w[j - 13].rotate_left(7) ^ w[j - 6];
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.hash;
        for j in 0..64 {
            let constant: u32 = if j < 16 { 0x79cc4519 } else { 0x7a879d8a };
            let ss1 =
                a.rotate_left(12).wrapping_add(e).wrapping_add(constant.rotate_left(j as u32 % 32)).rotate_left(7);
            let ss2 = ss1 ^ a.rotate_left(12);
            let (ff, gg) =
                if j < 16 { (a ^ b ^ c, e ^ f ^ g) } else { ((a & b) | (a & c) | (b & c), (e & f) | (!e & g)) };
            let tt1 = ff.wrapping_add(d).wrapping_add(ss2).wrapping_add(w[j] ^ w[j + 4]);
            let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w[j]);
            (d, c, b, a) = (c, b.rotate_left(9), a, tt1);
            (h, g, f, e) = (g, f.rotate_left(19), e, p0(tt2));
        }
        for (word, mixed) in self.hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word ^= mixed;
        }
    }

    /// Takes in bytes.
    pub fn update(&mut self, mut data: &[u8]) {
        self.count = self.count.wrapping_add(data.len() as u64);
        while !data.is_empty() {
            let filled = self.filled as usize;
            let count = data.len().min(64 - filled);
            self.buffer[filled..filled + count].copy_from_slice(&data[..count]);
            self.filled += count as u64;
            data = &data[count..];
            if self.filled == 64 {
                self.compress();
                self.filled = 0;
            }
        }
    }

    /// Gives the hash.
    pub fn finish(mut self, out: &mut [u8]) {
        let bits = self.count.wrapping_mul(8);
        self.update(&[0x80]);
        while self.filled != 56 {
            self.update(&[0]);
        }
        self.update(&bits.to_be_bytes());
        for (bytes, word) in out.chunks_mut(4).zip(self.hash) {
            bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
        }
    }
}
