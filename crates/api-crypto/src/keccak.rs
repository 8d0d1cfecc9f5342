//! SHA-3 and SHAKE (FIPS 202).

const ROUND_CONSTANTS: [u64; 24] = round_constants();

/// The constants of the iota step, made by their linear feedback shift register.
const fn round_constants() -> [u64; 24] {
    let mut out = [0; 24];
    let mut register: u8 = 1;
    let mut round = 0;
    while round < 24 {
        let mut bit = 0;
        while bit < 7 {
            if register & 1 == 1 {
                out[round] |= 1 << ((1u32 << bit) - 1);
            }
            register = (register << 1) ^ (if register & 0x80 != 0 { 0x71 } else { 0 });
            bit += 1;
        }
        round += 1;
    }
    out
}

/// Rotations of the rho step and the lanes of the pi step, in the order in which pi visits the lanes from lane 1.
const ROTATIONS: [u32; 24] =
    [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const LANES: [usize; 24] = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

fn permute(a: &mut [u64; 25]) {
    for constant in ROUND_CONSTANTS {
        let mut c = [0; 5];
        for x in 0..5 {
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        }
        for x in 0..5 {
            let d = c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1);
            for y in 0..5 {
                a[x + 5 * y] ^= d;
            }
        }
        let mut moved = a[1];
        for (lane, rotation) in LANES.into_iter().zip(ROTATIONS) {
            let kept = a[lane];
            a[lane] = moved.rotate_left(rotation);
            moved = kept;
        }
        for row in a.chunks_exact_mut(5) {
            let old = [row[0], row[1], row[2], row[3], row[4]];
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        a[0] ^= constant;
    }
}

/// A sponge that takes in bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Keccak {
    lanes: [u64; 25],
    /// Bytes per block.
    rate: u32,
    /// Bytes of the current block that are in.
    filled: u32,
    /// First byte of the padding, which tells SHA-3 from SHAKE.
    suffix: u64,
}

impl Keccak {
    /// SHA3-`bits`.
    pub fn sha3(bits: u32) -> Self {
        Self::new(200 - bits / 4, 0x06)
    }

    /// SHAKE`bits`.
    pub fn shake(bits: u32) -> Self {
        Self::new(200 - bits / 4, 0x1f)
    }

    fn new(rate: u32, suffix: u64) -> Self {
        Keccak { lanes: [0; 25], rate, filled: 0, suffix }
    }

    /// Whether the numbers are such as `new` and `update` leave.
    pub fn is_sane(&self) -> bool {
        self.rate <= 168
            && self.rate >= 72
            && self.rate.is_multiple_of(8)
            && self.filled < self.rate
            && self.suffix < 256
    }

    fn xor_byte(&mut self, at: u32, byte: u8) {
        self.lanes[at as usize / 8] ^= u64::from(byte) << (at % 8 * 8);
    }

    /// Takes in bytes.
    pub fn update(&mut self, mut data: &[u8]) {
        let rate = self.rate as usize;
        while !data.is_empty() {
            if self.filled == 0 && data.len() >= rate {
                let (block, rest) = data.split_at(rate);
                for (lane, bytes) in self.lanes.iter_mut().zip(block.chunks_exact(8)) {
                    *lane ^= u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                }
                permute(&mut self.lanes);
                data = rest;
                continue;
            }
            let count = data.len().min(rate - self.filled as usize);
            for &byte in &data[..count] {
                self.xor_byte(self.filled, byte);
                self.filled += 1;
            }
            data = &data[count..];
            if self.filled == self.rate {
                permute(&mut self.lanes);
                self.filled = 0;
            }
        }
    }

    /// Gives the first bytes of the output.
    pub fn finish(mut self, out: &mut [u8]) {
        self.xor_byte(self.filled, self.suffix as u8);
        self.xor_byte(self.rate - 1, 0x80);
        for block in out.chunks_mut(self.rate as usize) {
            permute(&mut self.lanes);
            for (bytes, lane) in block.chunks_mut(8).zip(self.lanes) {
                let lane = lane.to_le_bytes();
                bytes.copy_from_slice(&lane[..bytes.len()]);
            }
        }
    }
}
