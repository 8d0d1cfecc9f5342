//! HMAC and the key derivation functions on it; scrypt.

use aws_lc_sys as lc;

use crate::digest::{Algorithm, Digest};

/// An HMAC in progress (RFC 2104).
#[derive(Clone)]
pub(crate) struct Hmac {
    algorithm: Algorithm,
    inner: Digest,
    outer: Digest,
}

impl Hmac {
    /// Starts an HMAC.
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Self {
        // No function has longer blocks than SHAKE128 and its like.
        let mut padded = [0u8; 168];
        let padded = &mut padded[..algorithm.block_length()];
        if key.len() > padded.len() {
            let mut digest = Digest::new(algorithm);
            digest.update(key);
            digest.finish(&mut padded[..algorithm.output_length()]);
        } else {
            padded[..key.len()].copy_from_slice(key);
        }
        let mut start = |pad: u8| {
            padded.iter_mut().for_each(|byte| *byte ^= pad);
            let mut digest = Digest::new(algorithm);
            digest.update(padded);
            padded.iter_mut().for_each(|byte| *byte ^= pad);
            digest
        };
        Hmac { algorithm, inner: start(0x36), outer: start(0x5c) }
    }

    /// Takes in bytes.
    pub(crate) fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// Gives the code.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = self.algorithm.output_length();
        let inner = self.inner.finish_vec(length);
        self.outer.update(&inner);
        self.outer.finish_vec(length)
    }

    /// Writes the states of the inner and the outer hash one after the other, as [`Hmac::load`] takes them; `false` where
    /// `out` has another length.
    pub(crate) fn store_into(&self, out: &mut [u8]) -> bool {
        let (inner, outer) = out.split_at_mut(out.len() / 2);
        if !self.inner.fits(inner) || !self.outer.fits(outer) {
            return false;
        }
        self.inner.store_into(inner);
        self.outer.store_into(outer);
        true
    }

    /// An HMAC in progress from its bytes; `None` if they are not such.
    pub(crate) fn load(algorithm: Algorithm, bytes: &[u8]) -> Option<Hmac> {
        let (inner, outer) = bytes.split_at(bytes.len() / 2);
        Some(Hmac { algorithm, inner: Digest::load(algorithm, inner)?, outer: Digest::load(algorithm, outer)? })
    }

    /// The code of some bytes.
    pub(crate) fn once(algorithm: Algorithm, key: &[u8], data: &[u8]) -> Vec<u8> {
        let mut hmac = Hmac::new(algorithm, key);
        hmac.update(data);
        hmac.finish()
    }
}

/// PBKDF2 (RFC 8018) with HMAC; `length` bytes.
pub(crate) fn pbkdf2(algorithm: Algorithm, password: &[u8], salt: &[u8], iterations: u32, length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    if let Some(md) = algorithm.evp() {
        // SAFETY: slices with their lengths, and a digest of the library.
        let done = unsafe {
            lc::PKCS5_PBKDF2_HMAC(
                password.as_ptr().cast(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                iterations,
                md,
                length,
                out.as_mut_ptr(),
            )
        };
        if done == 1 {
            return out;
        }
    }
    pbkdf2_general(algorithm, password, salt, iterations, &mut out);
    out
}

/// PBKDF2 with hash functions that aws-lc lacks.
fn pbkdf2_general(algorithm: Algorithm, password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
    let keyed = Hmac::new(algorithm, password);
    for (index, block) in out.chunks_mut(algorithm.output_length()).enumerate() {
        let mut hmac = keyed.clone();
        hmac.update(salt);
        hmac.update(&(index as u32 + 1).to_be_bytes());
        let mut round = hmac.finish();
        let mut sum = round.clone();
        for _ in 1..iterations {
            let mut hmac = keyed.clone();
            hmac.update(&round);
            round = hmac.finish();
            for (total, byte) in sum.iter_mut().zip(&round) {
                *total ^= byte;
            }
        }
        block.copy_from_slice(&sum[..block.len()]);
    }
}

/// HKDF (RFC 5869): extract and expand; `out` is at most 255 hashes long.
pub(crate) fn hkdf_into(algorithm: Algorithm, key: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) {
    if let Some(md) = algorithm.evp() {
        // SAFETY: slices with their lengths, and a digest of the library.
        let done = unsafe {
            lc::HKDF(
                out.as_mut_ptr(),
                out.len(),
                md,
                key.as_ptr(),
                key.len(),
                salt.as_ptr(),
                salt.len(),
                info.as_ptr(),
                info.len(),
            )
        };
        if done == 1 {
            return;
        }
    }
    hkdf_general(algorithm, key, salt, info, out);
}

/// HKDF with hash functions that aws-lc lacks.
fn hkdf_general(algorithm: Algorithm, key: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) {
    // An HMAC with an empty key is one with a key of zeros, which is what an absent salt stands for.
    let extracted = Hmac::once(algorithm, salt, key);
    let keyed = Hmac::new(algorithm, &extracted);
    let mut last = Vec::new();
    let mut counter = 0u8;
    for block in out.chunks_mut(algorithm.output_length()) {
        counter = counter.wrapping_add(1);
        let mut hmac = keyed.clone();
        hmac.update(&last);
        hmac.update(info);
        hmac.update(&[counter]);
        last = hmac.finish();
        block.copy_from_slice(&last[..block.len()]);
    }
}

/// Whether scrypt can run with these parameters within `max_memory` bytes, as OpenSSL decides it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScryptCheck {
    Good,
    /// N is not a power of two above 1, or a parameter is 0.
    Invalid,
    /// Too large by themselves, or for the memory.
    Memory,
}

/// See [`ScryptCheck`].
pub(crate) fn check_scrypt(n: u64, r: u64, p: u64, max_memory: u64) -> ScryptCheck {
    if r == 0 || p == 0 || n < 2 || !n.is_power_of_two() {
        return ScryptCheck::Invalid;
    }
    let too_large = r >= 1 << 30
        || p > ((1 << 30) - 1) / r
        || (16 * r <= 63 && n >= 1 << (16 * r))
        // One block per lane, N blocks of table and two of scratch.
        || u128::from(128 * r) * (u128::from(p) + u128::from(n) + 2) > u128::from(max_memory);
    if too_large { ScryptCheck::Memory } else { ScryptCheck::Good }
}

/// scrypt (RFC 7914) with checked parameters; `None` if there is not enough memory.
pub(crate) fn scrypt(password: &[u8], salt: &[u8], n: u64, r: u64, p: u64, length: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; length];
    // SAFETY: slices with their lengths. The limit was checked by the caller.
    let done = unsafe {
        lc::EVP_PBE_scrypt(
            password.as_ptr().cast(),
            password.len(),
            salt.as_ptr(),
            salt.len(),
            n,
            r,
            p,
            usize::MAX,
            out.as_mut_ptr(),
            length,
        )
    };
    (done == 1).then_some(out)
}

/// Argon2 (RFC 9106); `numbers`: [0 argon2d, 1 argon2i, 2 argon2id; lanes; bytes of the result; kibibytes; passes].
/// `None` where they are out of range.
pub(crate) fn argon2(message: &[u8], nonce: &[u8], numbers: &[u32], secret: &[u8], ad: &[u8]) -> Option<Vec<u8>> {
    use argon2::{Algorithm, Argon2, AssociatedData, Block, ParamsBuilder, Version};
    let [kind, lanes, length, memory, passes] = numbers[..] else { return None };
    let kind = [Algorithm::Argon2d, Algorithm::Argon2i, Algorithm::Argon2id][kind.min(2) as usize];
    let mut builder = ParamsBuilder::new();
    builder.m_cost(memory).t_cost(passes).p_cost(lanes).output_len(length as usize);
    if !ad.is_empty() {
        builder.data(AssociatedData::new(ad).ok()?);
    }
    let params = builder.build().ok()?;
    let mut blocks = vec![Block::default(); params.block_count()];
    let context = Argon2::new_with_secret(secret, kind, Version::V0x13, params).ok()?;
    let mut out = vec![0; length as usize];
    context.hash_password_into_with_memory(message, nonce, &mut out, &mut blocks).ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::hex;

    #[test]
    fn hmac_vectors() {
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(hex(&Hmac::once(Algorithm::Md5, b"key", text)), "80070713463e7749b90c2dc24911e275");
        let expected = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
        assert_eq!(hex(&Hmac::once(Algorithm::Sha256, b"key", text)), expected);
        // RFC 4231 case 6: a key longer than a block.
        let code =
            Hmac::once(Algorithm::Sha256, &[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First");
        assert_eq!(hex(&code), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
        let mut hmac = Hmac::new(Algorithm::Sha1, b"Node");
        hmac.update(b"some data");
        let mut state = vec![0; 2 * Digest::new(Algorithm::Sha1).store().len()];
        assert!(hmac.store_into(&mut state) && !hmac.store_into(&mut [0; 7]));
        let mut hmac = Hmac::load(Algorithm::Sha1, &state).unwrap();
        hmac.update(b"to hmac");
        assert_eq!(hex(&hmac.finish()), "19fd6e1ba73d9ed2224dd5094a71babe85d9a892");
    }

    #[test]
    fn pbkdf2_vectors() {
        let key =
            pbkdf2(Algorithm::Sha256, b"passwordPASSWORDpassword", b"saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25);
        assert_eq!(hex(&key), "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c");
        let key = pbkdf2(Algorithm::Sha1, b"password", b"salt", 2, 20);
        assert_eq!(hex(&key), "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
        assert!(pbkdf2(Algorithm::Sha256, b"", b"", 1, 0).is_empty());
        // The general way agrees with the library's.
        let mut general = [0; 70];
        pbkdf2_general(Algorithm::Sha512, b"p", b"s", 5, &mut general);
        assert_eq!(pbkdf2(Algorithm::Sha512, b"p", b"s", 5, 70), general);
    }

    #[test]
    fn hkdf_vector() {
        // RFC 5869, test case 1.
        let salt: Vec<u8> = (0..13).collect();
        let info: Vec<u8> = (0xf0..0xfa).collect();
        let expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
        for derive in [hkdf_into, hkdf_general] {
            let mut key = [0; 42];
            derive(Algorithm::Sha256, &[0x0b; 22], &salt, &info, &mut key);
            assert_eq!(hex(&key), expected);
        }
    }

    #[test]
    fn scrypt_vector() {
        let key = scrypt(b"password", b"NaCl", 1024, 8, 16, 64).unwrap();
        assert!(hex(&key).starts_with("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"));
        assert_eq!(check_scrypt(16384, 8, 1, 32 << 20), ScryptCheck::Good);
        assert_eq!(check_scrypt(3, 1, 1, 32 << 20), ScryptCheck::Invalid);
        assert_eq!(check_scrypt(1 << 16, 1, 1, 32 << 20), ScryptCheck::Memory);
        assert_eq!(check_scrypt(2, 1, 1 << 30, 32 << 20), ScryptCheck::Memory);
        assert_eq!(check_scrypt(1 << 20, 8, 1, 32 << 20), ScryptCheck::Memory);
    }
}
