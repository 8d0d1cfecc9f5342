//! AES-OCB (RFC 7253), which aws-lc lacks.
//!
//! The crate ocb3 takes whole messages only; a Cipher of node:crypto gives each block as soon as it is complete.

use aws_lc_sys as lc;

type Block = [u8; 16];

fn xor(a: &Block, b: &Block) -> Block {
    std::array::from_fn(|index| a[index] ^ b[index])
}

/// Multiplication by two in the field of the mode.
fn double(block: &Block) -> Block {
    let value = u128::from_be_bytes(*block);
    ((value << 1) ^ ((value >> 127) * 0x87)).to_be_bytes()
}

/// AES with a key, both ways.
struct Aes {
    encrypt: lc::AES_KEY,
    decrypt: lc::AES_KEY,
}

impl Aes {
    fn new(key: &[u8]) -> Option<Aes> {
        let bits = key.len() as u32 * 8;
        // SAFETY: zeros are a value of the struct of integers, and the functions read as many bytes as the key has.
        unsafe {
            let mut aes = Aes { encrypt: std::mem::zeroed(), decrypt: std::mem::zeroed() };
            let good = lc::AES_set_encrypt_key(key.as_ptr(), bits, &mut aes.encrypt) == 0
                && lc::AES_set_decrypt_key(key.as_ptr(), bits, &mut aes.decrypt) == 0;
            good.then_some(aes)
        }
    }

    fn encrypt(&self, block: &Block) -> Block {
        let mut out = [0; 16];
        // SAFETY: blocks of 16 bytes and a key schedule that was set up.
        unsafe { lc::AES_encrypt(block.as_ptr(), out.as_mut_ptr(), &self.encrypt) };
        out
    }

    fn decrypt(&self, block: &Block) -> Block {
        let mut out = [0; 16];
        // SAFETY: as above.
        unsafe { lc::AES_decrypt(block.as_ptr(), out.as_mut_ptr(), &self.decrypt) };
        out
    }
}

/// An encryption or decryption in progress.
pub(crate) struct Ocb {
    aes: Aes,
    encrypting: bool,
    star: Block,
    dollar: Block,
    /// L_0, L_1, …, as far as they were needed.
    doubles: Vec<Block>,
    offset: Block,
    checksum: Block,
    blocks: u64,
    /// Less than a block that waits for more.
    pending: Vec<u8>,
    associated: Block,
}

impl Ocb {
    /// Starts with a nonce of 1 to 15 bytes and a tag of at most 16; `None` for other lengths.
    pub(crate) fn new(key: &[u8], nonce: &[u8], tag_length: usize, encrypting: bool) -> Option<Ocb> {
        if nonce.is_empty() || nonce.len() > 15 || tag_length == 0 || tag_length > 16 {
            return None;
        }
        let aes = Aes::new(key)?;
        let star = aes.encrypt(&[0; 16]);
        let dollar = double(&star);
        let mut block = [0; 16];
        block[16 - nonce.len()..].copy_from_slice(nonce);
        block[15 - nonce.len()] |= 1;
        block[0] |= ((tag_length * 8 % 128) as u8) << 1;
        let bottom = u32::from(block[15] & 63);
        block[15] &= 0xc0;
        let top = u128::from_be_bytes(aes.encrypt(&block));
        // The 192 bits of "Stretch", of which 128 from the place `bottom` are taken.
        let more = ((top >> 64) as u64) ^ ((top >> 56) as u64);
        let offset = if bottom == 0 { top } else { (top << bottom) | (u128::from(more) >> (64 - bottom)) };
        Some(Ocb {
            aes,
            encrypting,
            star,
            dollar,
            doubles: vec![double(&dollar)],
            offset: offset.to_be_bytes(),
            checksum: [0; 16],
            blocks: 0,
            pending: Vec::new(),
            associated: [0; 16],
        })
    }

    fn double_at(&mut self, index: usize) -> Block {
        while self.doubles.len() <= index {
            let next = double(&self.doubles[self.doubles.len() - 1]);
            self.doubles.push(next);
        }
        self.doubles[index]
    }

    /// Takes in the whole of the associated data.
    pub(crate) fn associate(&mut self, data: &[u8]) {
        let (mut offset, mut sum) = ([0; 16], [0; 16]);
        let mut chunks = data.chunks_exact(16);
        for (index, chunk) in chunks.by_ref().enumerate() {
            let step = self.double_at((index as u64 + 1).trailing_zeros() as usize);
            offset = xor(&offset, &step);
            let block: Block = chunk.try_into().expect("sixteen bytes");
            sum = xor(&sum, &self.aes.encrypt(&xor(&block, &offset)));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            offset = xor(&offset, &self.star);
            sum = xor(&sum, &self.aes.encrypt(&xor(&padded(rest), &offset)));
        }
        self.associated = sum;
    }

    /// Bytes that are complete when so many more go in.
    pub(crate) fn output_length(&self, length: usize) -> usize {
        (self.pending.len() + length) / 16 * 16
    }

    /// Takes in data, and gives what is complete.
    pub(crate) fn update(&mut self, data: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(data);
        let input = std::mem::take(&mut self.pending);
        let mut out = Vec::with_capacity(input.len());
        let mut chunks = input.chunks_exact(16);
        for chunk in chunks.by_ref() {
            self.blocks += 1;
            let step = self.double_at(self.blocks.trailing_zeros() as usize);
            self.offset = xor(&self.offset, &step);
            let block: Block = chunk.try_into().expect("sixteen bytes");
            let masked = xor(&block, &self.offset);
            let result =
                xor(&self.offset, &if self.encrypting { self.aes.encrypt(&masked) } else { self.aes.decrypt(&masked) });
            self.checksum = xor(&self.checksum, if self.encrypting { &block } else { &result });
            out.extend_from_slice(&result);
        }
        self.pending = chunks.remainder().to_vec();
        out
    }

    /// The last bytes, and the tag of which the caller takes as much as it wants.
    pub(crate) fn finish(&mut self) -> (Vec<u8>, Block) {
        let rest = std::mem::take(&mut self.pending);
        let mut out = Vec::new();
        if !rest.is_empty() {
            self.offset = xor(&self.offset, &self.star);
            let pad = self.aes.encrypt(&self.offset);
            out = rest.iter().zip(pad).map(|(byte, mask)| byte ^ mask).collect();
            self.checksum = xor(&self.checksum, &padded(if self.encrypting { &rest } else { &out }));
        }
        let tag = self.aes.encrypt(&xor(&xor(&self.checksum, &self.offset), &self.dollar));
        (out, xor(&tag, &self.associated))
    }
}

/// Less than a block, then a one bit and zeros.
fn padded(rest: &[u8]) -> Block {
    let mut block = [0; 16];
    block[..rest.len()].copy_from_slice(rest);
    block[rest.len()] = 0x80;
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::hex;

    /// The samples of RFC 7253, appendix A.
    #[test]
    fn vectors() {
        let key: Vec<u8> = (0..16).collect();
        let data: Vec<u8> = (0..40).collect();
        for (last, associated, length, expected) in [
            (0, 0, 0, "785407bfffc8ad9edcc5520ac9111ee6"),
            (1, 8, 8, "6820b3657b6f615a5725bda0d3b4eb3a257c9af1f8f03009"),
            (4, 16, 16, "571d535b60b277188be5147170a9a22c3ad7a4ff3835b8c5701c1ccec8fc3358"),
            (
                0x0d,
                40,
                40,
                "d5ca91748410c1751ff8a2f618255b68a0a12e093ff454606e59f9c1d0ddc54b65e8628e568bad7aed07ba06a4a69483a7035490c5769e60",
            ),
        ] {
            let mut nonce: Vec<u8> = (0..12).map(|index: u8| 0xbb_u8.wrapping_sub(0x11 * index)).collect();
            nonce[11] = last;
            let mut ocb = Ocb::new(&key, &nonce, 16, true).unwrap();
            ocb.associate(&data[..associated]);
            let mut out = ocb.update(&data[..length]);
            let (rest, tag) = ocb.finish();
            out.extend(rest);
            let mut back = Ocb::new(&key, &nonce, 16, false).unwrap();
            back.associate(&data[..associated]);
            let mut plain = back.update(&out);
            let (rest, again) = back.finish();
            plain.extend(rest);
            assert_eq!((plain.as_slice(), again), (&data[..length], tag));
            out.extend(tag);
            assert_eq!(hex(&out), expected);
        }
    }
}
