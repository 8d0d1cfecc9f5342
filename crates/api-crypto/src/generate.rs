//! New keys.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::dh;
use crate::keys::{self, Key};
use crate::sign::digest;
use crate::ssl::{Bn, PkeyCtx, check, clear_errors};

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
                let pss = kind == "rsa-pss";
                let context = context(if pss { lc::EVP_PKEY_RSA_PSS } else { lc::EVP_PKEY_RSA })?;
                check(lc::EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), number(0)))?;
                let exponent = Bn::from_bytes(bytes)?;
                check(lc::EVP_PKEY_CTX_set_rsa_keygen_pubexp(context.get(), exponent.get()))?;
                // The context owns it from now on.
                exponent.release();
                if pss {
                    if number(1) >= 0 {
                        check(lc::EVP_PKEY_CTX_set_rsa_pss_keygen_md(context.get(), digest(number(1) as u8)?))?;
                    }
                    let mask = if number(2) >= 0 { number(2) } else { number(1) };
                    if mask >= 0 {
                        check(lc::EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md(context.get(), digest(mask as u8)?))?;
                    }
                    if number(3) >= 0 {
                        check(lc::EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(context.get(), number(3)))?;
                    }
                }
                finish(context)
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
                let nid = keys::post_quantum(kind).ok_or_else(|| OpError::error("Invalid key type"))?;
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

/// A new pair; see `generate` for the arguments.
#[op]
pub fn key_generate(kind: String, name: String, numbers: Vec<f64>, bytes: Vec<u8>) -> Result<Resource<Key>, OpError> {
    generate(&kind, &name, &numbers, &bytes).map(Resource::new)
}

/// The same off the thread.
#[op(blocking)]
pub fn key_generate_later(
    kind: String,
    name: String,
    numbers: Vec<f64>,
    bytes: Vec<u8>,
) -> Result<Resource<Key>, OpError> {
    generate(&kind, &name, &numbers, &bytes).map(Resource::new)
}
