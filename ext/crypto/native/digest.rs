//! Hash functions. MD4, MD5, SHA-1, SHA-2 and RIPEMD-160 are aws-lc's, and for signatures SHA-3, too; the permutations and
//! compression functions of the others are RustCrypto's.
//!
//! A hash in progress is plain data. JavaScript keeps it as the bytes of a buffer of its own, so that it is freed with
//! its owner, and copied by copying the buffer; [`Digest::load`] and [`Digest::store`] go between the two.

use std::ffi::{c_int, c_void};

use aws_lc_sys as lc;

use crate::keccak::Keccak;
use crate::rustcrypto::{Blake2b, Blake2s, Sm3};

/// A hash function. JavaScript knows them by number, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Md4,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha512_224,
    Sha512_256,
    Ripemd160,
    /// MD5 and SHA-1 one after the other, as old TLS signed.
    Md5Sha1,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Shake128,
    Shake256,
    Blake2b256,
    Blake2b512,
    Blake2s256,
    Sm3,
}

use Algorithm::*;

const ALL: [Algorithm; 21] = [
    Md4, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256, Ripemd160, Md5Sha1, Sha3_224, Sha3_256,
    Sha3_384, Sha3_512, Shake128, Shake256, Blake2b256, Blake2b512, Blake2s256, Sm3,
];

impl Algorithm {
    /// The algorithm of a number.
    pub(crate) fn from_number(number: u8) -> Option<Algorithm> {
        ALL.get(usize::from(number)).copied()
    }

    /// Bytes of the result; for SHAKE the number that Node takes if none is asked for.
    pub(crate) fn output_length(self) -> usize {
        match self {
            Md4 | Md5 | Shake128 => 16,
            Sha1 | Ripemd160 => 20,
            Sha224 | Sha512_224 | Sha3_224 => 28,
            Sha256 | Sha512_256 | Sha3_256 | Shake256 | Blake2b256 | Blake2s256 | Sm3 => 32,
            Md5Sha1 => 36,
            Sha384 | Sha3_384 => 48,
            Sha512 | Sha3_512 | Blake2b512 => 64,
        }
    }

    /// Bytes of a block, to which HMAC pads its key.
    pub(crate) fn block_length(self) -> usize {
        match self {
            Sha384 | Sha512 | Sha512_224 | Sha512_256 | Blake2b256 | Blake2b512 => 128,
            Sha3_224 => 144,
            Sha3_256 | Shake256 => 136,
            Sha3_384 => 104,
            Sha3_512 => 72,
            Shake128 => 168,
            _ => 64,
        }
    }

    /// Whether the result may have any length.
    pub(crate) fn is_extendable(self) -> bool {
        matches!(self, Shake128 | Shake256)
    }

    /// The digest object of aws-lc, where it has one that its key derivation functions know.
    pub(crate) fn evp(self) -> Option<*const lc::EVP_MD> {
        // SAFETY: these give pointers to constants.
        unsafe {
            Some(match self {
                Md5 => lc::EVP_md5(),
                Sha1 => lc::EVP_sha1(),
                Sha224 => lc::EVP_sha224(),
                Sha256 => lc::EVP_sha256(),
                Sha384 => lc::EVP_sha384(),
                Sha512 => lc::EVP_sha512(),
                Sha512_224 => lc::EVP_sha512_224(),
                Sha512_256 => lc::EVP_sha512_256(),
                _ => return None,
            })
        }
    }
}

impl Algorithm {
    /// The digest object of aws-lc for signatures, where it has one.
    pub(crate) fn for_signatures(self) -> Option<*const lc::EVP_MD> {
        // SAFETY: these give pointers to constants.
        unsafe {
            Some(match self {
                Md4 => lc::EVP_md4(),
                Ripemd160 => lc::EVP_ripemd160(),
                Md5Sha1 => lc::EVP_md5_sha1(),
                Sha3_224 => lc::EVP_sha3_224(),
                Sha3_256 => lc::EVP_sha3_256(),
                Sha3_384 => lc::EVP_sha3_384(),
                Sha3_512 => lc::EVP_sha3_512(),
                other => return other.evp(),
            })
        }
    }
}

/// Plain data: integers without padding, of which any bytes are a value.
///
/// # Safety
/// Implementors are that.
unsafe trait Plain: Clone {}
// SAFETY: `repr(C)` structs of integers whose sizes add up to the size of the struct; checked by a test.
unsafe impl Plain for lc::MD4_CTX {}
// SAFETY: as above.
unsafe impl Plain for lc::MD5_CTX {}
// SAFETY: as above.
unsafe impl Plain for lc::SHA_CTX {}
// SAFETY: as above.
unsafe impl Plain for lc::SHA256_CTX {}
// SAFETY: as above.
unsafe impl Plain for lc::SHA512_CTX {}
// SAFETY: as above.
unsafe impl Plain for lc::RIPEMD160_CTX {}
// SAFETY: as above.
unsafe impl Plain for Keccak {}
// SAFETY: as above. The fields of the crates' structs are private: those of the versions that Cargo.toml names are integers.
unsafe impl Plain for Blake2b {}
// SAFETY: as above.
unsafe impl Plain for Blake2s {}
// SAFETY: as above.
unsafe impl Plain for Sm3 {}

fn bytes_of<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: plain data has no padding, so all its bytes are initialised.
    unsafe { std::slice::from_raw_parts((&raw const *value).cast(), size_of::<T>()) }
}

fn from_bytes<T: Plain>(bytes: &[u8]) -> Option<T> {
    // SAFETY: as many bytes as the type has, and any bytes are a value.
    (bytes.len() == size_of::<T>()).then(|| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

#[derive(Clone)]
enum State {
    Md4(lc::MD4_CTX),
    Md5(lc::MD5_CTX),
    Sha1(lc::SHA_CTX),
    Sha256(lc::SHA256_CTX),
    Sha512(lc::SHA512_CTX),
    Ripemd160(lc::RIPEMD160_CTX),
    Md5Sha1(lc::MD5_CTX, lc::SHA_CTX),
    Keccak(Keccak),
    Blake2b(Blake2b),
    Blake2s(Blake2s),
    Sm3(Sm3),
}

/// Makes a context of aws-lc with its init function.
fn started<T: Plain>(init: unsafe extern "C" fn(*mut T) -> c_int) -> T {
    // SAFETY: zeros are a value of plain data, and the function of this type fills it.
    unsafe {
        let mut context: T = std::mem::zeroed();
        init(&mut context);
        context
    }
}

type Update<T> = unsafe extern "C" fn(*mut T, *const c_void, usize) -> c_int;
type Final<T> = unsafe extern "C" fn(*mut u8, *mut T) -> c_int;

fn feed<T: Plain>(context: &mut T, data: &[u8], update: Update<T>) {
    // SAFETY: a context that `started` made, and the bytes of a slice.
    unsafe { update(context, data.as_ptr().cast(), data.len()) };
}

/// Finishes into a buffer that is large enough for every function, and copies what is asked for.
fn close<T: Plain>(mut context: T, out: &mut [u8], end: Final<T>) {
    let mut result = [0u8; 64];
    // SAFETY: a context that `started` made; no function writes more than 64 bytes.
    unsafe { end(result.as_mut_ptr(), &mut context) };
    let count = out.len().min(result.len());
    out[..count].copy_from_slice(&result[..count]);
}

/// A hash in progress.
#[derive(Clone)]
pub(crate) struct Digest {
    algorithm: Algorithm,
    state: State,
}

impl Digest {
    /// Starts a hash.
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        let state = match algorithm {
            Md4 => State::Md4(started(lc::MD4_Init)),
            Md5 => State::Md5(started(lc::MD5_Init)),
            Sha1 => State::Sha1(started(lc::SHA1_Init)),
            Sha224 => State::Sha256(started(lc::SHA224_Init)),
            Sha256 => State::Sha256(started(lc::SHA256_Init)),
            Sha384 => State::Sha512(started(lc::SHA384_Init)),
            Sha512 => State::Sha512(started(lc::SHA512_Init)),
            Sha512_224 => State::Sha512(started(lc::SHA512_224_Init)),
            Sha512_256 => State::Sha512(started(lc::SHA512_256_Init)),
            Ripemd160 => State::Ripemd160(started(lc::RIPEMD160_Init)),
            Md5Sha1 => State::Md5Sha1(started(lc::MD5_Init), started(lc::SHA1_Init)),
            Sha3_224 => State::Keccak(Keccak::sha3(224)),
            Sha3_256 => State::Keccak(Keccak::sha3(256)),
            Sha3_384 => State::Keccak(Keccak::sha3(384)),
            Sha3_512 => State::Keccak(Keccak::sha3(512)),
            Shake128 => State::Keccak(Keccak::shake(128)),
            Shake256 => State::Keccak(Keccak::shake(256)),
            Blake2b256 => State::Blake2b(Blake2b::new(32).expect("at most 64 bytes")),
            Blake2b512 => State::Blake2b(Blake2b::new(64).expect("at most 64 bytes")),
            Blake2s256 => State::Blake2s(Blake2s::new(32).expect("at most 32 bytes")),
            Sm3 => State::Sm3(Sm3::new()),
        };
        Digest { algorithm, state }
    }

    /// Takes in bytes.
    pub(crate) fn update(&mut self, data: &[u8]) {
        match &mut self.state {
            State::Md4(c) => feed(c, data, lc::MD4_Update),
            State::Md5(c) => feed(c, data, lc::MD5_Update),
            State::Sha1(c) => feed(c, data, lc::SHA1_Update),
            // One function serves both lengths.
            State::Sha256(c) => feed(c, data, lc::SHA256_Update),
            State::Sha512(c) => feed(c, data, lc::SHA512_Update),
            State::Ripemd160(c) => feed(c, data, lc::RIPEMD160_Update),
            State::Md5Sha1(md5, sha1) => {
                feed(md5, data, lc::MD5_Update);
                feed(sha1, data, lc::SHA1_Update);
            }
            State::Keccak(c) => c.update(data),
            State::Blake2b(c) => c.update(data),
            State::Blake2s(c) => c.update(data),
            State::Sm3(c) => c.update(data),
        }
    }

    /// Ends the hash and fills `out`, whose length is that of the result (any length for SHAKE).
    pub(crate) fn finish(self, out: &mut [u8]) {
        match self.state {
            State::Md4(c) => close(c, out, lc::MD4_Final),
            State::Md5(c) => close(c, out, lc::MD5_Final),
            State::Sha1(c) => close(c, out, lc::SHA1_Final),
            State::Sha256(c) if self.algorithm == Sha224 => close(c, out, lc::SHA224_Final),
            State::Sha256(c) => close(c, out, lc::SHA256_Final),
            State::Sha512(c) => {
                let end = match self.algorithm {
                    Sha384 => lc::SHA384_Final,
                    Sha512_224 => lc::SHA512_224_Final,
                    Sha512_256 => lc::SHA512_256_Final,
                    _ => lc::SHA512_Final,
                };
                close(c, out, end);
            }
            State::Ripemd160(c) => close(c, out, lc::RIPEMD160_Final),
            State::Md5Sha1(md5, sha1) => {
                let middle = out.len().min(16);
                let (first, second) = out.split_at_mut(middle);
                close(md5, first, lc::MD5_Final);
                close(sha1, second, lc::SHA1_Final);
            }
            State::Keccak(c) => c.finish(out),
            State::Blake2b(c) => c.finish(out),
            State::Blake2s(c) => c.finish(out),
            State::Sm3(c) => c.finish(out),
        }
    }

    /// Ends the hash; gives `length` bytes (the algorithm's own length, except for SHAKE).
    pub(crate) fn finish_vec(self, length: usize) -> Vec<u8> {
        let mut out = vec![0; length];
        self.finish(&mut out);
        out
    }

    /// The bytes of the state; there are two contexts behind one of the algorithms.
    fn parts(&self) -> [&[u8]; 2] {
        match &self.state {
            State::Md4(c) => [bytes_of(c), &[]],
            State::Md5(c) => [bytes_of(c), &[]],
            State::Sha1(c) => [bytes_of(c), &[]],
            State::Sha256(c) => [bytes_of(c), &[]],
            State::Sha512(c) => [bytes_of(c), &[]],
            State::Ripemd160(c) => [bytes_of(c), &[]],
            State::Md5Sha1(md5, sha1) => [bytes_of(md5), bytes_of(sha1)],
            State::Keccak(c) => [bytes_of(c), &[]],
            State::Blake2b(c) => [bytes_of(c), &[]],
            State::Blake2s(c) => [bytes_of(c), &[]],
            State::Sm3(c) => [bytes_of(c), &[]],
        }
    }

    /// The bytes that [`Digest::load`] takes.
    pub(crate) fn store(&self) -> Vec<u8> {
        self.parts().concat()
    }

    /// Whether a buffer has as many bytes as the state.
    pub(crate) fn fits(&self, out: &[u8]) -> bool {
        let [first, second] = self.parts();
        out.len() == first.len() + second.len()
    }

    /// Writes the bytes to the front of a buffer that is at least as long.
    pub(crate) fn store_into(&self, out: &mut [u8]) {
        let [first, second] = self.parts();
        out[..first.len()].copy_from_slice(first);
        out[first.len()..first.len() + second.len()].copy_from_slice(second);
    }

    /// A hash in progress from its bytes; `None` if they are not such.
    pub(crate) fn load(algorithm: Algorithm, bytes: &[u8]) -> Option<Digest> {
        let state = match algorithm {
            Md4 => State::Md4(from_bytes(bytes).filter(|c: &lc::MD4_CTX| c.num < 64)?),
            Md5 => State::Md5(from_bytes(bytes).filter(|c: &lc::MD5_CTX| c.num < 64)?),
            Sha1 => State::Sha1(from_bytes(bytes).filter(|c: &lc::SHA_CTX| c.num < 64)?),
            Sha224 | Sha256 => {
                State::Sha256(from_bytes(bytes).filter(|c: &lc::SHA256_CTX| c.num < 64 && c.md_len <= 32)?)
            }
            Sha384 | Sha512 | Sha512_224 | Sha512_256 => {
                State::Sha512(from_bytes(bytes).filter(|c: &lc::SHA512_CTX| c.num < 128 && c.md_len <= 64)?)
            }
            Ripemd160 => State::Ripemd160(from_bytes(bytes).filter(|c: &lc::RIPEMD160_CTX| c.num < 64)?),
            Md5Sha1 => {
                let (md5, sha1) = bytes.split_at_checked(size_of::<lc::MD5_CTX>())?;
                State::Md5Sha1(
                    from_bytes(md5).filter(|c: &lc::MD5_CTX| c.num < 64)?,
                    from_bytes(sha1).filter(|c: &lc::SHA_CTX| c.num < 64)?,
                )
            }
            Sha3_224 | Sha3_256 | Sha3_384 | Sha3_512 | Shake128 | Shake256 => {
                State::Keccak(from_bytes(bytes).filter(Keccak::is_sane)?)
            }
            Blake2b256 | Blake2b512 => State::Blake2b(from_bytes(bytes).filter(Blake2b::is_sane)?),
            Blake2s256 => State::Blake2s(from_bytes(bytes).filter(Blake2s::is_sane)?),
            Sm3 => State::Sm3(from_bytes(bytes).filter(Sm3::is_sane)?),
        };
        Some(Digest { algorithm, state })
    }
}

#[cfg(test)]
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes of "abc", from the standards (blake2b-256 and md5-sha1: by OpenSSL).
    const ABC: [(Algorithm, &str); 21] = [
        (Md4, "a448017aaf21d8525fc10ae87aa6729d"),
        (Md5, "900150983cd24fb0d6963f7d28e17f72"),
        (Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (Sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (Sha384, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
        (
            Sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        (Sha512_224, "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"),
        (Sha512_256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (Ripemd160, "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
        (Md5Sha1, "900150983cd24fb0d6963f7d28e17f72a9993e364706816aba3e25717850c26c9cd0d89d"),
        (Sha3_224, "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        (Sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (Sha3_384, "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"),
        (
            Sha3_512,
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
        ),
        (Shake128, "5881092dd818bf5cf8a3ddb793fbcba7"),
        (Shake256, "483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739"),
        (Blake2b256, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
        (
            Blake2b512,
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
        ),
        (Blake2s256, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
        (Sm3, "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
    ];

    fn hashed(algorithm: Algorithm, data: &[u8]) -> Vec<u8> {
        let mut digest = Digest::new(algorithm);
        digest.update(data);
        digest.finish_vec(algorithm.output_length())
    }

    #[test]
    fn known_hashes() {
        for (index, (algorithm, expected)) in ABC.into_iter().enumerate() {
            assert_eq!(Algorithm::from_number(index as u8), Some(algorithm));
            assert_eq!(hex(&hashed(algorithm, b"abc")), expected, "{algorithm:?}");
        }
        assert_eq!(Algorithm::from_number(21), None);
    }

    #[test]
    fn pieces_and_stored_states() {
        let data: Vec<u8> = (0..1000u32).map(|i| (i * 7) as u8).collect();
        for (algorithm, _) in ABC {
            let whole = hashed(algorithm, &data);
            let mut bytes = Digest::new(algorithm).store();
            let mut at = 0;
            for size in [0, 1, 63, 64, 65, 128, 200, 479] {
                let mut digest = Digest::load(algorithm, &bytes).unwrap();
                digest.update(&data[at..at + size]);
                digest.store_into(&mut bytes);
                assert_eq!(bytes, digest.store());
                at += size;
            }
            assert_eq!(at, data.len());
            let digest = Digest::load(algorithm, &bytes).unwrap();
            assert_eq!(digest.finish_vec(algorithm.output_length()), whole, "{algorithm:?}");
            assert!(Digest::load(algorithm, &bytes[1..]).is_none());
            assert!(Digest::load(algorithm, &vec![0xff; bytes.len()]).is_none());
        }
    }

    #[test]
    fn contexts_have_no_padding() {
        assert_eq!(size_of::<lc::MD4_CTX>(), 16 + 8 + 64 + 4);
        assert_eq!(size_of::<lc::MD5_CTX>(), 16 + 8 + 64 + 4);
        assert_eq!(size_of::<lc::SHA_CTX>(), 20 + 8 + 64 + 4);
        assert_eq!(size_of::<lc::SHA256_CTX>(), 32 + 8 + 64 + 8);
        assert_eq!(size_of::<lc::SHA512_CTX>(), 64 + 16 + 128 + 8);
        assert_eq!(size_of::<lc::RIPEMD160_CTX>(), 20 + 8 + 64 + 4);
        assert_eq!(size_of::<Keccak>(), 200 + 8 + 8);
        assert_eq!(size_of::<Blake2b>(), 64 + 8 + 16 + 128);
        assert_eq!(size_of::<Blake2s>(), 32 + 8 + 16 + 64);
        assert_eq!(size_of::<Sm3>(), 32 + 8 + 16 + 64);
    }

    #[test]
    fn extendable_output() {
        let mut out = vec![0; 500];
        Digest::new(Shake128).finish(&mut out);
        assert!(hex(&out).starts_with("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
        assert_eq!(&out[..16], hashed(Shake128, b""));
    }
}
