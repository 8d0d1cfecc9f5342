//! SHA-3 and SHAKE (FIPS 202), cSHAKE and KMAC (NIST SP 800-185) on the permutation of the keccak crate.
//!
//! The hashers of the sha3 crate that is linked cannot be stored as bytes, see [`crate::digest`].

use keccak::f1600;

/// A sponge that takes in bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Keccak {
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
    pub(crate) fn sha3(bits: u32) -> Self {
        Self::new(200 - bits / 4, 0x06)
    }

    /// SHAKE`bits`.
    pub(crate) fn shake(bits: u32) -> Self {
        Self::new(200 - bits / 4, 0x1f)
    }

    fn new(rate: u32, suffix: u64) -> Self {
        Keccak { lanes: [0; 25], rate, filled: 0, suffix }
    }

    /// Whether the numbers are such as `new` and `update` leave.
    pub(crate) fn is_sane(&self) -> bool {
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
    pub(crate) fn update(&mut self, mut data: &[u8]) {
        let rate = self.rate as usize;
        while !data.is_empty() {
            if self.filled == 0 && data.len() >= rate {
                let (block, rest) = data.split_at(rate);
                for (lane, bytes) in self.lanes.iter_mut().zip(block.chunks_exact(8)) {
                    *lane ^= u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                }
                f1600(&mut self.lanes);
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
                f1600(&mut self.lanes);
                self.filled = 0;
            }
        }
    }

    /// Gives the first bytes of the output.
    pub(crate) fn finish(mut self, out: &mut [u8]) {
        self.xor_byte(self.filled, self.suffix as u8);
        self.xor_byte(self.rate - 1, 0x80);
        for block in out.chunks_mut(self.rate as usize) {
            f1600(&mut self.lanes);
            for (bytes, lane) in block.chunks_mut(8).zip(self.lanes) {
                let lane = lane.to_le_bytes();
                bytes.copy_from_slice(&lane[..bytes.len()]);
            }
        }
    }
}

/// A length as `left_encode` of NIST SP 800-185 writes it: number of bytes, then the bytes.
fn left_encode(value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let skipped = bytes.iter().take(7).take_while(|&&byte| byte == 0).count();
    let mut out = vec![(8 - skipped) as u8];
    out.extend_from_slice(&bytes[skipped..]);
    out
}

/// The same with the number of bytes at the end.
fn right_encode(value: u64) -> Vec<u8> {
    let mut out = left_encode(value);
    out.rotate_left(1);
    out
}

fn encode_string(text: &[u8]) -> Vec<u8> {
    [left_encode(text.len() as u64 * 8), text.to_vec()].concat()
}

fn bytepad(mut data: Vec<u8>, width: usize) -> Vec<u8> {
    data.splice(0..0, left_encode(width as u64));
    data.resize(data.len().next_multiple_of(width), 0);
    data
}

/// cSHAKE128 or cSHAKE256 (NIST SP 800-185).
pub(crate) fn cshake(bits: u32, name: &[u8], custom: &[u8], data: &[u8], length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    let mut sponge = Keccak::shake(bits);
    if !name.is_empty() || !custom.is_empty() {
        sponge.suffix = 0x04;
        sponge.update(&bytepad([encode_string(name), encode_string(custom)].concat(), sponge.rate as usize));
    }
    sponge.update(data);
    sponge.finish(&mut out);
    out
}

/// KMAC128 or KMAC256 of the same standard; without `fixed` it is KMACXOF.
pub(crate) fn kmac(bits: u32, key: &[u8], custom: &[u8], data: &[u8], length: usize, fixed: bool) -> Vec<u8> {
    let rate = Keccak::shake(bits).rate as usize;
    let mut whole = bytepad(encode_string(key), rate);
    whole.extend_from_slice(data);
    whole.extend(right_encode(if fixed { length as u64 * 8 } else { 0 }));
    cshake(bits, b"KMAC", custom, &whole, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::hex;

    /// Samples of NIST SP 800-185.
    #[test]
    fn derived_functions() {
        let out = cshake(128, b"", b"Email Signature", &[0, 1, 2, 3], 32);
        assert_eq!(hex(&out), "c1c36925b6409a04f1b504fcbca9d82b4017277cb5ed2b2065fc1d3814d5aaf5");
        let key: Vec<u8> = (0x40..0x60).collect();
        let out = kmac(128, &key, b"", &[0, 1, 2, 3], 32, true);
        assert_eq!(hex(&out), "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e");
    }
}
