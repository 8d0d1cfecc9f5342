//! New keys.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::asn1::{self, element};
use crate::aws_lc::{self, Bn, PkeyCtx, check, clear_errors};
use crate::curve448::Curve448;
use crate::dh;
use crate::digest::Algorithm;
use crate::keys::{self, Key};
use crate::post_quantum;

/// What a pair is made of. `numbers`: RSA [modulus bits, hash or -1, hash of the mask or -1, salt length or -1]; DSA
/// [modulus bits, divisor bits or -1]; Diffie-Hellman [prime bits or 0, generator]. `name`: curve of "ec". `bytes`: public
/// exponent of RSA, prime of Diffie-Hellman.
fn generate(kind: &str, name: &str, numbers: &[f64], bytes: &[u8]) -> Result<Key, OpError> {
    clear_errors();
    let number = |index: usize| numbers.get(index).copied().unwrap_or(-1.0) as c_int;
    // SAFETY: live objects of the library throughout.
    unsafe {
        let context = |id: c_int| {
            let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new_id(id, ptr::null_mut()))?;
            check(lc::EVP_PKEY_keygen_init(context.get()))?;
            Ok::<_, OpError>(context)
        };
        let finish = |context: PkeyCtx| {
            let mut key = ptr::null_mut();
            check(lc::EVP_PKEY_keygen(context.get(), &mut key))?;
            Key::own(key)
        };
        match kind {
            "rsa" | "rsa-pss" => {
                // The library would round it down and say nothing.
                if number(0) % 128 != 0 {
                    return Err(OpError::error(format!(
                        "RSA moduli of {} bits are not implemented in bao: take a multiple of 128",
                        number(0)
                    )));
                }
                let pss = kind == "rsa-pss";
                let context = context(if pss { lc::EVP_PKEY_RSA_PSS } else { lc::EVP_PKEY_RSA })?;
                check(lc::EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), number(0)))?;
                let exponent = Bn::from_bytes(bytes)?;
                check(lc::EVP_PKEY_CTX_set_rsa_keygen_pubexp(context.get(), exponent.get()))?;
                // The context owns it from now on.
                exponent.release();
                let key = finish(context)?;
                if pss && (number(1) >= 0 || number(2) >= 0 || number(3) >= 0) {
                    return restricted(&key, number(1), number(2), number(3));
                }
                Ok(key)
            }
            "ec" => {
                let ec = keys::ec_key(name)?;
                check(lc::EC_KEY_generate_key(ec.get()))?;
                Key::from_ec(ec)
            }
            "ed25519" => finish(context(lc::EVP_PKEY_ED25519)?),
            "x25519" => finish(context(lc::EVP_PKEY_X25519)?),
            "dsa" => {
                let parameters = PkeyCtx::own(lc::EVP_PKEY_CTX_new_id(lc::EVP_PKEY_DSA, ptr::null_mut()))?;
                check(lc::EVP_PKEY_paramgen_init(parameters.get()))?;
                check(lc::EVP_PKEY_CTX_set_dsa_paramgen_bits(parameters.get(), number(0)))?;
                if number(1) > 0 {
                    check(lc::EVP_PKEY_CTX_set_dsa_paramgen_q_bits(parameters.get(), number(1)))?;
                }
                let mut template = ptr::null_mut();
                check(lc::EVP_PKEY_paramgen(parameters.get(), &mut template))?;
                let template = Key::own(template)?;
                let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(template.get(), ptr::null_mut()))?;
                check(lc::EVP_PKEY_keygen_init(context.get()))?;
                finish(context)
            }
            "dh" => dh::generate_key(bytes, number(0), number(1)),
            _ => {
                if let Some(key) = Curve448::generate(kind) {
                    return Key::from_other(key);
                }
                let nid = post_quantum::number(kind).ok_or_else(|| OpError::error("Invalid key type"))?;
                if kind.starts_with("ml-dsa") {
                    let context = context(lc::EVP_PKEY_PQDSA)?;
                    check(lc::EVP_PKEY_CTX_pqdsa_set_params(context.get(), nid))?;
                    finish(context)
                } else {
                    let context = context(lc::EVP_PKEY_KEM)?;
                    check(lc::EVP_PKEY_CTX_kem_set_params(context.get(), nid))?;
                    finish(context)
                }
            }
        }
    }
}

/// The object identifiers of the hash functions that RSA-PSS can be restricted to, by their numbers.
fn hash_oid(number: c_int) -> Option<Vec<u8>> {
    let last = match number {
        2 => return Some(vec![0x2b, 0x0e, 3, 2, 0x1a]),
        3..=8 => [4, 1, 2, 3, 5, 6][number as usize - 3],
        _ => return None,
    };
    Some(vec![0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last])
}

/// The same key with parameters of RSA-PSS (RFC 4055), which the library does not make but read.
fn restricted(key: &Key, hash: c_int, mask: c_int, salt: c_int) -> Result<Key, OpError> {
    const MGF1: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 8];
    const SHA1: c_int = 2;
    let hash = if hash < 0 { SHA1 } else { hash };
    let mask = if mask < 0 { hash } else { mask };
    let salt = if salt < 0 {
        Algorithm::from_number(hash as u8).map_or(20, |hash| hash.output_length() as c_int)
    } else {
        salt
    };
    let invalid = || OpError::error("Invalid digest").code("ERR_CRYPTO_INVALID_DIGEST");
    let algorithm = |number: c_int| {
        let oid = hash_oid(number).ok_or_else(invalid)?;
        Ok::<_, OpError>(element(asn1::SEQUENCE, &[&element(asn1::OBJECT, &[&oid]), &[5, 0]]))
    };
    let mut parameters = Vec::new();
    if hash != SHA1 {
        parameters.extend(element(0xa0, &[&algorithm(hash)?]));
    }
    if mask != SHA1 {
        parameters
            .extend(element(0xa1, &[&element(asn1::SEQUENCE, &[&element(asn1::OBJECT, &[&MGF1]), &algorithm(mask)?])]));
    }
    if salt != 20 {
        parameters.extend(element(0xa2, &[&asn1::integer(&(salt as u32).to_be_bytes())]));
    }
    let rsa = key.rsa().ok_or_else(|| OpError::error("not an RSA key"))?;
    // SAFETY: a live key.
    let inner = aws_lc::der(|out| unsafe { lc::i2d_RSAPrivateKey(rsa, out) })?;
    keys::private_key_of_der(&asn1::pkcs8(asn1::RSA_PSS, &element(asn1::SEQUENCE, &[&parameters]), &inner))
}

/// A new pair; see `generate` for the arguments.
#[op]
pub(crate) fn key_generate(
    kind: String,
    name: String,
    numbers: Vec<f64>,
    bytes: Vec<u8>,
) -> Result<Resource<Key>, OpError> {
    generate(&kind, &name, &numbers, &bytes).map(Resource::new)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn key_generate_later(
    kind: String,
    name: String,
    numbers: Vec<f64>,
    bytes: Vec<u8>,
) -> Result<Resource<Key>, OpError> {
    generate(&kind, &name, &numbers, &bytes).map(Resource::new)
}
