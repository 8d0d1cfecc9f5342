//! Signatures, and RSA as a cipher.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::aws_lc::{self, Bn, PkeyCtx, check, clear_errors, last_error, owned};
use crate::digest::Algorithm;
use crate::keys::{Key, md_context};

owned!(EcdsaSig, lc::ECDSA_SIG, lc::ECDSA_SIG_free);

/// How to sign, from a list of numbers of JavaScript: [hash or -1, padding or 0, salt length or `NO_SALT`, whether the
/// data is a digest already, whether signatures of DSA and ECDSA are r and s one after the other instead of DER].
struct Options {
    hash: Option<*const lc::EVP_MD>,
    padding: c_int,
    salt: Option<c_int>,
    digested: bool,
    plain: bool,
}

const NO_SALT: f64 = 1e9;

impl Options {
    fn new(numbers: &[f64]) -> Result<Options, OpError> {
        let [hash, padding, salt, digested, plain] = numbers[..] else {
            return Err(OpError::type_error("wrong options"));
        };
        let hash = if hash < 0.0 { None } else { Some(digest(hash as u8)?) };
        let salt = (salt != NO_SALT).then_some(salt as c_int);
        Ok(Options { hash, padding: padding as c_int, salt, digested: digested != 0.0, plain: plain != 0.0 })
    }

    /// Sets what RSA has to know.
    fn prepare(&self, key: &Key, context: *mut lc::EVP_PKEY_CTX) -> Result<(), OpError> {
        if key.rsa().is_none() {
            return Ok(());
        }
        let pss = key.id() == lc::EVP_PKEY_RSA_PSS;
        let padding = match self.padding {
            0 if pss => lc::RSA_PKCS1_PSS_PADDING,
            0 => lc::RSA_PKCS1_PADDING,
            padding => padding,
        };
        // SAFETY: a live context that is ready to sign or to verify with a key of this type.
        unsafe {
            check(lc::EVP_PKEY_CTX_set_rsa_padding(context, padding))?;
            if padding == lc::RSA_PKCS1_PSS_PADDING
                && let Some(salt) = self.salt
            {
                check(lc::EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt))?;
            }
        }
        Ok(())
    }
}

/// The digest of a number, for signatures.
pub(crate) fn digest(number: u8) -> Result<*const lc::EVP_MD, OpError> {
    Algorithm::from_number(number)
        .and_then(Algorithm::for_signatures)
        .ok_or_else(|| OpError::error("Invalid digest").code("ERR_CRYPTO_INVALID_DIGEST"))
}

/// Bytes of r and of s in a plain signature of DSA or ECDSA; 0 for other keys.
fn half(key: &Key) -> usize {
    // SAFETY: a live key of the type that was asked for.
    unsafe {
        match key.id() {
            lc::EVP_PKEY_DSA => lc::BN_num_bytes(lc::DSA_get0_q(lc::EVP_PKEY_get0_DSA(key.get()))) as usize,
            lc::EVP_PKEY_EC => {
                key.ec().map_or(0, |ec| (lc::EC_GROUP_order_bits(lc::EC_KEY_get0_group(ec)) as usize).div_ceil(8))
            }
            _ => 0,
        }
    }
}

fn to_plain(key: &Key, signature: &[u8]) -> Result<Vec<u8>, OpError> {
    let length = half(key);
    let (mut r, mut s) = (ptr::null(), ptr::null());
    // SAFETY: live objects; the numbers are copied while they live. DER of DSA has the form of that of ECDSA.
    unsafe {
        let parsed = EcdsaSig::own(lc::ECDSA_SIG_from_bytes(signature.as_ptr(), signature.len()))?;
        lc::ECDSA_SIG_get0(parsed.get(), &mut r, &mut s);
        Ok([aws_lc::bn_padded(r, length)?, aws_lc::bn_padded(s, length)?].concat())
    }
}

/// The DER form of a plain signature; `None` where the length is wrong.
fn from_plain(key: &Key, signature: &[u8]) -> Option<Vec<u8>> {
    let length = half(key);
    if length == 0 || signature.len() != 2 * length {
        return None;
    }
    let r = Bn::from_bytes(&signature[..length]).ok()?;
    let s = Bn::from_bytes(&signature[length..]).ok()?;
    let (mut out, mut count) = (ptr::null_mut(), 0);
    // SAFETY: the numbers go over to the object where it took them.
    unsafe {
        let whole = EcdsaSig::own(lc::ECDSA_SIG_new()).ok()?;
        if lc::ECDSA_SIG_set0(whole.get(), r.get(), s.get()) != 1 {
            return None;
        }
        r.release();
        s.release();
        if lc::ECDSA_SIG_to_bytes(&mut out, &mut count, whole.get()) != 1 {
            clear_errors();
            return None;
        }
    }
    Some(aws_lc::take(out, count))
}

/// Throws ERR_OUT_OF_RANGE for a context that is too long.
fn check_context(context: Option<&[u8]>) -> Result<(), OpError> {
    if context.is_none_or(|context| context.len() <= 255) {
        return Ok(());
    }
    Err(OpError::range_error("context string must be at most 255 bytes").code("ERR_OUT_OF_RANGE"))
}

fn sign(key: &Key, numbers: &[f64], context: Option<&[u8]>, data: &[u8]) -> Result<Vec<u8>, OpError> {
    clear_errors();
    check_context(context)?;
    if let Some(other) = &key.other {
        return other.sign(context.unwrap_or_default(), data);
    }
    let options = Options::new(numbers)?;
    // SAFETY: live objects and slices with their lengths; the length of the result is asked for first.
    let mut out = unsafe {
        let mut length = 0;
        if options.digested {
            let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(key.get(), ptr::null_mut()))?;
            check(lc::EVP_PKEY_sign_init(context.get()))?;
            options.prepare(key, context.get())?;
            if let Some(hash) = options.hash {
                check(lc::EVP_PKEY_CTX_set_signature_md(context.get(), hash))?;
            }
            check(lc::EVP_PKEY_sign(context.get(), ptr::null_mut(), &mut length, data.as_ptr(), data.len()))?;
            let mut out = vec![0; length];
            check(lc::EVP_PKEY_sign(context.get(), out.as_mut_ptr(), &mut length, data.as_ptr(), data.len()))?;
            out.truncate(length);
            out
        } else {
            let md = md_context()?;
            let mut inner = ptr::null_mut();
            let hash = options.hash.unwrap_or(ptr::null());
            check(lc::EVP_DigestSignInit(md.get(), &mut inner, hash, ptr::null_mut(), key.get()))?;
            options.prepare(key, inner)?;
            if let Some(context) = context {
                check(lc::EVP_PKEY_CTX_set_signature_context(inner, context.as_ptr(), context.len()))?;
            }
            check(lc::EVP_DigestSign(md.get(), ptr::null_mut(), &mut length, data.as_ptr(), data.len()))?;
            let mut out = vec![0; length];
            check(lc::EVP_DigestSign(md.get(), out.as_mut_ptr(), &mut length, data.as_ptr(), data.len()))?;
            out.truncate(length);
            out
        }
    };
    if options.plain && half(key) > 0 {
        out = to_plain(key, &out)?;
    }
    Ok(out)
}

fn verify(key: &Key, numbers: &[f64], context: Option<&[u8]>, data: &[u8], signature: &[u8]) -> Result<bool, OpError> {
    clear_errors();
    check_context(context)?;
    if let Some(other) = &key.other {
        return other.verify(context.unwrap_or_default(), data, signature);
    }
    let options = Options::new(numbers)?;
    let converted;
    let mut signature = signature;
    if options.plain && half(key) > 0 {
        match from_plain(key, signature) {
            Some(bytes) => converted = bytes,
            None => return Ok(false),
        }
        signature = &converted;
    }
    // SAFETY: live objects and slices with their lengths.
    let result = unsafe {
        if options.digested {
            let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(key.get(), ptr::null_mut()))?;
            check(lc::EVP_PKEY_verify_init(context.get()))?;
            options.prepare(key, context.get())?;
            if let Some(hash) = options.hash {
                check(lc::EVP_PKEY_CTX_set_signature_md(context.get(), hash))?;
            }
            lc::EVP_PKEY_verify(context.get(), signature.as_ptr(), signature.len(), data.as_ptr(), data.len())
        } else {
            let md = md_context()?;
            let mut inner = ptr::null_mut();
            let hash = options.hash.unwrap_or(ptr::null());
            check(lc::EVP_DigestVerifyInit(md.get(), &mut inner, hash, ptr::null_mut(), key.get()))?;
            options.prepare(key, inner)?;
            if let Some(context) = context {
                check(lc::EVP_PKEY_CTX_set_signature_context(inner, context.as_ptr(), context.len()))?;
            }
            lc::EVP_DigestVerify(md.get(), signature.as_ptr(), signature.len(), data.as_ptr(), data.len())
        }
    };
    clear_errors();
    Ok(result == 1)
}

/// The signature of data, or of a digest; see [`Options`] for the numbers. Throws OpenSSL's errors.
#[op]
pub(crate) fn sign_sync(
    key: &Resource<Key>,
    options: Vec<f64>,
    context: Option<Vec<u8>>,
    data: &[u8],
) -> Result<Vec<u8>, OpError> {
    sign(key, &options, context.as_deref(), data)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn sign_later(
    key: Resource<Key>,
    options: Vec<f64>,
    context: Option<Vec<u8>>,
    data: Vec<u8>,
) -> Result<Vec<u8>, OpError> {
    sign(&key, &options, context.as_deref(), &data)
}

/// Whether a signature is that of data, or of a digest.
#[op]
pub(crate) fn verify_sync(
    key: &Resource<Key>,
    options: Vec<f64>,
    context: Option<Vec<u8>>,
    data: &[u8],
    signature: &[u8],
) -> Result<bool, OpError> {
    verify(key, &options, context.as_deref(), data, signature)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn verify_later(
    key: Resource<Key>,
    options: Vec<f64>,
    context: Option<Vec<u8>>,
    data: Vec<u8>,
    signature: Vec<u8>,
) -> Result<bool, OpError> {
    verify(&key, &options, context.as_deref(), &data, &signature)
}

type Crypt = unsafe extern "C" fn(*mut lc::EVP_PKEY_CTX, *mut u8, *mut usize, *const u8, usize) -> c_int;

fn crypt(key: &Key, numbers: &[f64], label: Option<&[u8]>, data: &[u8]) -> Result<Vec<u8>, OpError> {
    clear_errors();
    let [operation, padding, hash, mgf] = numbers[..] else { return Err(OpError::type_error("wrong options")) };
    let (init, run): (unsafe extern "C" fn(*mut lc::EVP_PKEY_CTX) -> c_int, Crypt) = match operation as u8 {
        0 => (lc::EVP_PKEY_encrypt_init, lc::EVP_PKEY_encrypt),
        1 => (lc::EVP_PKEY_decrypt_init, lc::EVP_PKEY_decrypt),
        2 => (lc::EVP_PKEY_sign_init, lc::EVP_PKEY_sign),
        _ => (lc::EVP_PKEY_verify_recover_init, lc::EVP_PKEY_verify_recover),
    };
    // SAFETY: live objects and slices with their lengths; the label goes over to the context, which frees it.
    unsafe {
        let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(key.get(), ptr::null_mut()))?;
        check(init(context.get()))?;
        check(lc::EVP_PKEY_CTX_set_rsa_padding(context.get(), padding as c_int))?;
        if padding as c_int == lc::RSA_PKCS1_OAEP_PADDING {
            check(lc::EVP_PKEY_CTX_set_rsa_oaep_md(context.get(), digest(hash as u8)?))?;
            check(lc::EVP_PKEY_CTX_set_rsa_mgf1_md(context.get(), digest(mgf as u8)?))?;
            if let Some(label) = label.filter(|label| !label.is_empty()) {
                let copy = lc::OPENSSL_malloc(label.len()).cast::<u8>();
                if copy.is_null() {
                    return Err(last_error());
                }
                ptr::copy_nonoverlapping(label.as_ptr(), copy, label.len());
                if lc::EVP_PKEY_CTX_set0_rsa_oaep_label(context.get(), copy, label.len()) != 1 {
                    lc::OPENSSL_free(copy.cast());
                    return Err(last_error());
                }
            }
        }
        let mut length = 0;
        check(run(context.get(), ptr::null_mut(), &mut length, data.as_ptr(), data.len()))?;
        let mut out = vec![0; length];
        if run(context.get(), out.as_mut_ptr(), &mut length, data.as_ptr(), data.len()) != 1 {
            // Why a text is none of OAEP is not told.
            if operation == 1.0 && padding as c_int == lc::RSA_PKCS1_OAEP_PADDING {
                clear_errors();
                return Err(aws_lc::described("02000079", "rsa routines", "oaep decoding error"));
            }
            return Err(last_error());
        }
        out.truncate(length);
        Ok(out)
    }
}

/// RSA as a cipher. `options`: [0 publicEncrypt, 1 privateDecrypt, 2 privateEncrypt, 3 publicDecrypt; padding; hash of OAEP;
/// hash of its mask].
#[op]
pub(crate) fn rsa_crypt_sync(
    key: &Resource<Key>,
    options: Vec<f64>,
    label: Option<Vec<u8>>,
    data: &[u8],
) -> Result<Vec<u8>, OpError> {
    crypt(key, &options, label.as_deref(), data)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn rsa_crypt_later(
    key: Resource<Key>,
    options: Vec<f64>,
    label: Option<Vec<u8>>,
    data: Vec<u8>,
) -> Result<Vec<u8>, OpError> {
    crypt(&key, &options, label.as_deref(), &data)
}

fn derive(private: &Key, public: &Key) -> Result<Vec<u8>, OpError> {
    clear_errors();
    if let (Some(private), Some(public)) = (&private.other, &public.other) {
        return private.derive(public);
    }
    // SAFETY: live keys; the length of the result is asked for first.
    unsafe {
        let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(private.get(), ptr::null_mut()))?;
        check(lc::EVP_PKEY_derive_init(context.get()))?;
        check(lc::EVP_PKEY_derive_set_peer(context.get(), public.get()))?;
        let mut length = 0;
        check(lc::EVP_PKEY_derive(context.get(), ptr::null_mut(), &mut length))?;
        let mut out = vec![0; length];
        check(lc::EVP_PKEY_derive(context.get(), out.as_mut_ptr(), &mut length))?;
        out.truncate(length);
        if private.id() == lc::EVP_PKEY_DH {
            // As long as the prime, as OpenSSL has it.
            let missing = (lc::EVP_PKEY_size(private.get()) as usize).saturating_sub(length);
            out.splice(..0, std::iter::repeat_n(0, missing));
        }
        Ok(out)
    }
}

/// The shared secret of a private and a public key (ECDH, X25519, X448, Diffie-Hellman).
#[op]
pub(crate) fn key_derive(private: &Resource<Key>, public: &Resource<Key>) -> Result<Vec<u8>, OpError> {
    derive(private, public)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn key_derive_later(private: Resource<Key>, public: Resource<Key>) -> Result<Vec<u8>, OpError> {
    derive(&private, &public)
}

/// A fresh shared secret for a public key of a key encapsulation mechanism: [ciphertext, secret].
#[op]
pub(crate) fn key_encapsulate(public: &Resource<Key>) -> Result<(Vec<u8>, Vec<u8>), OpError> {
    clear_errors();
    // SAFETY: live objects; the lengths are asked for first.
    unsafe {
        let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(public.get(), ptr::null_mut()))?;
        let (mut a, mut b) = (0, 0);
        check(lc::EVP_PKEY_encapsulate(context.get(), ptr::null_mut(), &mut a, ptr::null_mut(), &mut b))?;
        let (mut text, mut secret) = (vec![0; a], vec![0; b]);
        check(lc::EVP_PKEY_encapsulate(context.get(), text.as_mut_ptr(), &mut a, secret.as_mut_ptr(), &mut b))?;
        Ok((text, secret))
    }
}

/// The shared secret in a ciphertext.
#[op]
pub(crate) fn key_decapsulate(private: &Resource<Key>, ciphertext: &[u8]) -> Result<Vec<u8>, OpError> {
    clear_errors();
    // SAFETY: as above.
    unsafe {
        let context = PkeyCtx::own(lc::EVP_PKEY_CTX_new(private.get(), ptr::null_mut()))?;
        let mut length = 0;
        let (text, count) = (ciphertext.as_ptr(), ciphertext.len());
        check(lc::EVP_PKEY_decapsulate(context.get(), ptr::null_mut(), &mut length, text, count))?;
        let mut secret = vec![0; length];
        check(lc::EVP_PKEY_decapsulate(context.get(), secret.as_mut_ptr(), &mut length, text, count))?;
        Ok(secret)
    }
}
