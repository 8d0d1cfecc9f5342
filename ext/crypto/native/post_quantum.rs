//! Keys of ML-DSA (FIPS 204) and ML-KEM (FIPS 203). PKCS#8 of them (RFC 9881, RFC 9935) holds a seed, the key that comes of it, or
//! both; aws-lc writes seeds only.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::OpError;

use crate::asn1::{self, element};
use crate::aws_lc::{PkeyCtx, check, clear_errors, undecodable};
use crate::keys::{Key, bytes};

struct Kind {
    name: &'static str,
    nid: c_int,
    /// The end of the object identifier, behind [`PREFIX`].
    id: [u8; 2],
    /// Bytes of a seed, a private key and a public key.
    seed: usize,
    private: usize,
    public: usize,
}

const fn kind(name: &'static str, nid: c_int, id: [u8; 2], [seed, private, public]: [usize; 3]) -> Kind {
    Kind { name, nid, id, seed, private, public }
}

const KINDS: [Kind; 6] = [
    kind("ml-dsa-44", lc::NID_MLDSA44, [3, 17], [32, 2560, 1312]),
    kind("ml-dsa-65", lc::NID_MLDSA65, [3, 18], [32, 4032, 1952]),
    kind("ml-dsa-87", lc::NID_MLDSA87, [3, 19], [32, 4896, 2592]),
    kind("ml-kem-512", lc::NID_MLKEM512, [4, 1], [64, 1632, 800]),
    kind("ml-kem-768", lc::NID_MLKEM768, [4, 2], [64, 2400, 1184]),
    kind("ml-kem-1024", lc::NID_MLKEM1024, [4, 3], [64, 3168, 1568]),
];

/// NIST's algorithms.
const PREFIX: [u8; 7] = [0x60, 0x86, 0x48, 1, 0x65, 3, 4];
/// The tag of a seed that stands alone.
const SEED: u8 = 0x80;

/// The number of an algorithm.
pub(crate) fn number(name: &str) -> Option<c_int> {
    KINDS.iter().find(|kind| kind.name == name).map(|kind| kind.nid)
}

fn kind_of(key: &Key) -> Option<&'static Kind> {
    // SAFETY: a live key of the type that was asked for.
    let nid = unsafe {
        match key.id() {
            lc::EVP_PKEY_KEM => lc::EVP_PKEY_kem_get_type(key.get()),
            lc::EVP_PKEY_PQDSA => lc::EVP_PKEY_pqdsa_get_type(key.get()),
            _ => return None,
        }
    };
    KINDS.iter().find(|kind| kind.nid == nid)
}

/// The name of the algorithm of a key; `None` for other keys.
pub(crate) fn name(key: &Key) -> Option<&'static str> {
    kind_of(key).map(|kind| kind.name)
}

fn is_dsa(kind: &Kind) -> bool {
    kind.id[0] == 3
}

/// A public key of its bytes.
pub(crate) fn from_public(name: &str, bytes: &[u8]) -> Option<Result<Key, OpError>> {
    let kind = KINDS.iter().find(|kind| kind.name == name)?;
    let new = if is_dsa(kind) { lc::EVP_PKEY_pqdsa_new_raw_public_key } else { lc::EVP_PKEY_kem_new_raw_public_key };
    // SAFETY: a slice with its length.
    Some(Key::own(unsafe { new(kind.nid, bytes.as_ptr(), bytes.len()) }))
}

/// A private key of its seed.
pub(crate) fn from_seed(name: &str, seed: &[u8]) -> Option<Result<Key, OpError>> {
    KINDS.iter().find(|kind| kind.name == name).map(|kind| pair_of_seed(kind, seed))
}

fn pair_of_seed(kind: &Kind, seed: &[u8]) -> Result<Key, OpError> {
    if seed.len() != kind.seed {
        return Err(undecodable());
    }
    // SAFETY: a live context, a slice with its length.
    unsafe {
        if is_dsa(kind) {
            return Key::own(lc::EVP_PKEY_pqdsa_new_raw_private_key(kind.nid, seed.as_ptr(), seed.len()));
        }
        let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new_id(lc::EVP_PKEY_KEM, ptr::null_mut()))?;
        check(lc::EVP_PKEY_keygen_init(context.get()))?;
        check(lc::EVP_PKEY_CTX_kem_set_params(context.get(), kind.nid))?;
        let (mut key, mut length) = (ptr::null_mut(), seed.len());
        check(lc::EVP_PKEY_keygen_deterministic(context.get(), &mut key, seed.as_ptr(), &mut length))?;
        Key::own(key)
    }
}

/// A private key without its seed.
fn pair_of_private(kind: &Kind, private: &[u8]) -> Result<Key, OpError> {
    if private.len() != kind.private {
        return Err(undecodable());
    }
    let (bytes, length) = (private.as_ptr(), private.len());
    // SAFETY: slices with their lengths.
    unsafe {
        if is_dsa(kind) {
            return Key::own(lc::EVP_PKEY_pqdsa_new_raw_private_key(kind.nid, bytes, length));
        }
        // The public key is in the middle: behind the secret vector, before two hashes.
        let public = &private[(length - 96) / 2..][..kind.public];
        Key::own(lc::EVP_PKEY_kem_new_raw_key(kind.nid, public.as_ptr(), public.len(), bytes, length))
    }
}

/// A private key of the parts of PKCS#8. `None`: a key of something else; an error: one of these that is broken.
pub(crate) fn from_parts((id, parameters, key): (&[u8], &[u8], &[u8])) -> Option<Result<Key, OpError>> {
    let end = id.strip_prefix(&PREFIX)?;
    let kind = KINDS.iter().find(|kind| kind.id == end)?;
    let read = || {
        let mut rest = key;
        let (tag, content) = asn1::read(&mut rest).filter(|_| rest.is_empty() && parameters.is_empty())?;
        match tag {
            SEED => pair_of_seed(kind, content).ok(),
            asn1::OCTET_STRING => pair_of_private(kind, content).ok(),
            asn1::SEQUENCE => {
                let mut both = content;
                let seed = asn1::expect(&mut both, asn1::OCTET_STRING)?;
                let private = asn1::expect(&mut both, asn1::OCTET_STRING)?;
                let key = pair_of_seed(kind, seed).ok()?;
                (both.is_empty() && private_bytes(&key).ok()? == private).then_some(key)
            }
            _ => None,
        }
    };
    Some(read().ok_or_else(undecodable))
}

fn private_bytes(key: &Key) -> Result<Vec<u8>, OpError> {
    bytes(key, lc::EVP_PKEY_get_raw_private_key)
}

/// The seed of a private key; an error where it is not known.
pub(crate) fn seed(key: &Key) -> Result<Vec<u8>, OpError> {
    bytes(key, lc::EVP_PKEY_get_private_seed).map_err(|_| {
        clear_errors();
        OpError::error("Failed to get raw seed").code("ERR_CRYPTO_OPERATION_FAILED")
    })
}

/// PKCS#8: the seed only, as WebCrypto has it, or what there is. `None` for other keys.
pub(crate) fn pkcs8(key: &Key, seed_only: bool) -> Option<Result<Vec<u8>, OpError>> {
    let kind = kind_of(key)?;
    let content = || {
        if seed_only {
            return Ok(element(SEED, &[&seed(key)?]));
        }
        let private = element(asn1::OCTET_STRING, &[&private_bytes(key)?]);
        Ok(match seed(key) {
            Ok(seed) => element(asn1::SEQUENCE, &[&element(asn1::OCTET_STRING, &[&seed]), &private]),
            Err(_) => private,
        })
    };
    Some(content().map(|content| asn1::pkcs8(&[&PREFIX[..], &kind.id].concat(), &[], &content)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for kind in &KINDS {
            let key = from_seed(kind.name, &vec![7; kind.seed]).unwrap().unwrap();
            let private = private_bytes(&key).unwrap();
            assert_eq!((name(&key), private.len()), (Some(kind.name), kind.private));
            let id = [&PREFIX[..], &kind.id].concat();
            let alone = asn1::pkcs8(&id, &[], &element(asn1::OCTET_STRING, &[&private]));
            for (der, has_seed) in [
                (pkcs8(&key, true).unwrap().unwrap(), true),
                (pkcs8(&key, false).unwrap().unwrap(), true),
                (alone, false),
            ] {
                let again = from_parts(asn1::parts(&der, true).unwrap()).unwrap().unwrap();
                assert_eq!(private_bytes(&again).unwrap(), private);
                assert_eq!(seed(&again).is_ok(), has_seed);
                assert_eq!(pkcs8(&again, true).unwrap().is_ok(), has_seed);
            }
        }
    }
}
