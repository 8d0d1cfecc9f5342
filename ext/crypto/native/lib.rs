//! Native half of `node:crypto` and WebCrypto (family `crypto`).
//!
//! Hash functions are told by number ([`digest::Algorithm`]); ext/crypto/hashes.ts has the names. Hashes in
//! progress live in buffers of JavaScript, see [`digest`]. Texts of results are told by number, too: [`text::encode`].
//! Keys of pairs are resource objects ([`keys`]), secret ones are bytes of JavaScript.

mod asn1;
mod aws_lc;
mod blocks;
mod cipher;
mod curve448;
mod derive;
mod dh;
mod digest;
mod generate;
mod keccak;
mod key_export;
mod keys;
mod ocb;
mod pbes2;
mod post_quantum;
mod random;
mod rustcrypto;
mod sign;
mod text;
mod x509;

use derive::{Hmac, ScryptCheck};
use digest::{Algorithm, Digest};
use engine::{JsStr, Latin1String, OpError, PinnedBytes, Scope, op, ops};

fn algorithm(number: u8) -> Result<Algorithm, OpError> {
    Algorithm::from_number(number).ok_or_else(|| OpError::type_error("no such hash function"))
}

fn broken_state() -> OpError {
    OpError::error("the state of a hash is damaged")
}

/// `[bytes of a result, bytes of a state, whether any length may be asked for]` of a hash function.
#[op]
fn hash_info(number: u8) -> Result<(u32, u32, bool), OpError> {
    let algorithm = algorithm(number)?;
    let state = Digest::new(algorithm).store().len();
    Ok((algorithm.output_length() as u32, state as u32, algorithm.is_extendable()))
}

/// The state of a hash of nothing.
#[op]
fn hash_start(number: u8) -> Result<Vec<u8>, OpError> {
    Ok(Digest::new(algorithm(number)?).store())
}

/// Writes the state of a hash of some bytes, which is as long as that of any other data.
#[op]
fn hash_start_with(number: u8, state: &mut [u8], data: &[u8]) -> Result<(), OpError> {
    let mut digest = Digest::new(algorithm(number)?);
    digest.update(data);
    if !digest.fits(state) {
        return Err(broken_state());
    }
    digest.store_into(state);
    Ok(())
}

/// Takes bytes into a state.
#[op]
fn hash_update(number: u8, state: &mut [u8], data: &[u8]) -> Result<(), OpError> {
    let mut digest = Digest::load(algorithm(number)?, state).ok_or_else(broken_state)?;
    digest.update(data);
    digest.store_into(state);
    Ok(())
}

/// Takes the UTF-8 of a string into a state.
#[op]
fn hash_update_text(number: u8, state: &mut [u8], data: JsStr<'_>) -> Result<(), OpError> {
    let mut digest = Digest::load(algorithm(number)?, state).ok_or_else(broken_state)?;
    digest.update(&text::utf8(&data));
    digest.store_into(state);
    Ok(())
}

/// The hash of a state, which stays as it is; `length` bytes, which only SHAKE can choose.
#[op]
fn hash_finish(number: u8, state: &[u8], length: u32) -> Result<Vec<u8>, OpError> {
    let digest = Digest::load(algorithm(number)?, state).ok_or_else(broken_state)?;
    Ok(digest.finish_vec(length as usize))
}

/// The same as text.
#[op]
fn hash_finish_text(number: u8, state: &[u8], length: u32, encoding: u8) -> Result<Latin1String, OpError> {
    let digest = Digest::load(algorithm(number)?, state).ok_or_else(broken_state)?;
    Ok(Latin1String(text::encode(digest.finish_vec(length as usize), encoding)))
}

fn hash(number: u8, data: &[u8], length: u32) -> Result<Vec<u8>, OpError> {
    let mut digest = Digest::new(algorithm(number)?);
    digest.update(data);
    Ok(digest.finish_vec(length as usize))
}

/// The hash of bytes.
#[op]
fn hash_bytes(number: u8, data: &[u8], length: u32) -> Result<Vec<u8>, OpError> {
    hash(number, data, length)
}

/// The hash of bytes as text.
#[op]
fn hash_bytes_text(number: u8, data: &[u8], length: u32, encoding: u8) -> Result<Latin1String, OpError> {
    Ok(Latin1String(text::encode(hash(number, data, length)?, encoding)))
}

/// The hash of a string's UTF-8.
#[op]
fn hash_string(number: u8, data: JsStr<'_>, length: u32) -> Result<Vec<u8>, OpError> {
    hash(number, &text::utf8(&data), length)
}

/// The hash of a string's UTF-8 as text.
#[op]
fn hash_string_text(number: u8, data: JsStr<'_>, length: u32, encoding: u8) -> Result<Latin1String, OpError> {
    Ok(Latin1String(text::encode(hash(number, &text::utf8(&data), length)?, encoding)))
}

/// The hash of bytes, off the thread.
#[op(blocking)]
fn hash_later(number: u8, data: Vec<u8>, length: u32) -> Result<Vec<u8>, OpError> {
    hash(number, &data, length)
}

/// HMAC in one call.
#[op]
fn hmac_bytes(number: u8, key: &[u8], data: &[u8]) -> Result<Vec<u8>, OpError> {
    Ok(Hmac::once(algorithm(number)?, key, data))
}

/// The same off the thread.
#[op(blocking)]
fn hmac_later(number: u8, key: Vec<u8>, data: Vec<u8>) -> Result<Vec<u8>, OpError> {
    Ok(Hmac::once(algorithm(number)?, &key, &data))
}

/// cSHAKE (NIST SP 800-185): `bits` 128 or 256.
#[op]
fn cshake(bits: u32, name: &[u8], custom: &[u8], data: &[u8], length: u32) -> Vec<u8> {
    keccak::cshake(bits, name, custom, data, length as usize)
}

/// KMAC of the same standard; `fixed`: whether the length goes into the code, as it does but for KMACXOF.
#[op]
fn kmac(bits: u32, key: &[u8], custom: &[u8], data: &[u8], length: u32, fixed: bool) -> Vec<u8> {
    keccak::kmac(bits, key, custom, data, length as usize, fixed)
}

/// Argon2 (RFC 9106): `numbers` are [0 argon2d, 1 argon2i, 2 argon2id; lanes; bytes of the key; kibibytes; passes].
fn run_argon2(message: &[u8], nonce: &[u8], numbers: &[u32], secret: &[u8], ad: &[u8]) -> Result<Vec<u8>, OpError> {
    derive::argon2(message, nonce, numbers, secret, ad)
        .ok_or_else(|| OpError::error("Argon2 failed").code("ERR_CRYPTO_OPERATION_FAILED"))
}

#[op]
fn argon2_sync(message: &[u8], nonce: &[u8], numbers: Vec<u32>, secret: &[u8], ad: &[u8]) -> Result<Vec<u8>, OpError> {
    run_argon2(message, nonce, &numbers, secret, ad)
}

/// The same off the thread.
#[op(blocking)]
fn argon2(
    message: Vec<u8>,
    nonce: Vec<u8>,
    numbers: Vec<u32>,
    secret: Vec<u8>,
    ad: Vec<u8>,
) -> Result<Vec<u8>, OpError> {
    run_argon2(&message, &nonce, &numbers, &secret, &ad)
}

/// Writes the state of an HMAC of nothing: that of the inner hash, then that of the outer one.
#[op]
fn hmac_start(number: u8, state: &mut [u8], key: &[u8]) -> Result<(), OpError> {
    if Hmac::new(algorithm(number)?, key).store_into(state) { Ok(()) } else { Err(broken_state()) }
}

fn hmac_feed(number: u8, state: &mut [u8], data: &[u8]) -> Result<(), OpError> {
    // Data goes into the inner hash only.
    let inner = state.len() / 2;
    let mut digest = Digest::load(algorithm(number)?, &state[..inner]).ok_or_else(broken_state)?;
    digest.update(data);
    digest.store_into(&mut state[..inner]);
    Ok(())
}

/// Takes bytes into such a state.
#[op]
fn hmac_update(number: u8, state: &mut [u8], data: &[u8]) -> Result<(), OpError> {
    hmac_feed(number, state, data)
}

/// Takes the UTF-8 of a string into such a state.
#[op]
fn hmac_update_text(number: u8, state: &mut [u8], data: JsStr<'_>) -> Result<(), OpError> {
    hmac_feed(number, state, &text::utf8(&data))
}

/// The code of a state.
#[op]
fn hmac_finish(number: u8, state: &[u8]) -> Result<Vec<u8>, OpError> {
    Ok(Hmac::load(algorithm(number)?, state).ok_or_else(broken_state)?.finish())
}

/// The same as text.
#[op]
fn hmac_finish_text(number: u8, state: &[u8], encoding: u8) -> Result<Latin1String, OpError> {
    let hmac = Hmac::load(algorithm(number)?, state).ok_or_else(broken_state)?;
    Ok(Latin1String(text::encode(hmac.finish(), encoding)))
}

/// PBKDF2 with HMAC.
#[op]
fn pbkdf2_sync(number: u8, password: &[u8], salt: &[u8], iterations: u32, length: u32) -> Result<Vec<u8>, OpError> {
    Ok(derive::pbkdf2(algorithm(number)?, password, salt, iterations, length as usize))
}

/// PBKDF2 with HMAC, off the thread.
#[op(blocking)]
fn pbkdf2(number: u8, password: Vec<u8>, salt: Vec<u8>, iterations: u32, length: u32) -> Result<Vec<u8>, OpError> {
    Ok(derive::pbkdf2(algorithm(number)?, &password, &salt, iterations, length as usize))
}

/// HKDF; `out`, at most 255 hashes, is other memory than the arguments.
#[op]
fn hkdf_sync(number: u8, key: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) -> Result<(), OpError> {
    derive::hkdf_into(algorithm(number)?, key, salt, info, out);
    Ok(())
}

/// HKDF, off the thread.
#[op(blocking)]
fn hkdf(number: u8, key: Vec<u8>, salt: Vec<u8>, info: Vec<u8>, length: u32) -> Result<Vec<u8>, OpError> {
    let mut out = vec![0; length as usize];
    derive::hkdf_into(algorithm(number)?, &key, &salt, &info, &mut out);
    Ok(out)
}

/// Whether scrypt can run: 0 yes, 1 a parameter is wrong, 2 it would take more than `max_memory` bytes.
#[op]
fn scrypt_check(n: f64, r: f64, p: f64, max_memory: f64) -> u8 {
    match derive::check_scrypt(n as u64, r as u64, p as u64, max_memory as u64) {
        ScryptCheck::Good => 0,
        ScryptCheck::Invalid => 1,
        ScryptCheck::Memory => 2,
    }
}

fn run_scrypt(password: &[u8], salt: &[u8], n: f64, r: f64, p: f64, length: u32) -> Result<Vec<u8>, OpError> {
    derive::scrypt(password, salt, n as u64, r as u64, p as u64, length as usize)
        .ok_or_else(|| OpError::error("Scrypt failed").code("ERR_CRYPTO_OPERATION_FAILED"))
}

/// scrypt with parameters that `scryptCheck` accepts.
#[op]
fn scrypt_sync(password: &[u8], salt: &[u8], n: f64, r: f64, p: f64, length: u32) -> Result<Vec<u8>, OpError> {
    run_scrypt(password, salt, n, r, p, length)
}

/// The same, off the thread.
#[op(blocking)]
fn scrypt(password: Vec<u8>, salt: Vec<u8>, n: f64, r: f64, p: f64, length: u32) -> Result<Vec<u8>, OpError> {
    run_scrypt(&password, &salt, n, r, p, length)
}

/// Random bytes.
#[op]
fn random_bytes(size: u32) -> Vec<u8> {
    let mut out = vec![0; size as usize];
    random::fill(&mut out);
    out
}

/// Fills a buffer or view with random bytes.
#[op]
fn random_fill_sync(buffer: &mut [u8]) {
    random::fill(buffer);
}

/// The same, off the thread.
#[op(blocking)]
fn random_fill(buffer: PinnedBytes) {
    let mut buffer = buffer;
    random::fill(buffer.as_mut_slice());
}

/// A random UUID (version 4). With `fresh`, not from the stock of random bytes.
#[op]
fn random_uuid(scope: &mut Scope<'_>, fresh: bool) -> Latin1String {
    Latin1String(base::uuid::v4(sixteen(scope, fresh)).to_vec())
}

/// A UUID of a time in milliseconds since 1970 (version 7).
#[op]
fn random_uuid_v7(scope: &mut Scope<'_>, milliseconds: f64, fresh: bool) -> Latin1String {
    Latin1String(base::uuid::v7(sixteen(scope, fresh), milliseconds as u64).to_vec())
}

fn sixteen(scope: &mut Scope<'_>, fresh: bool) -> [u8; 16] {
    if fresh {
        let mut bytes = [0; 16];
        random::fill(&mut bytes);
        return bytes;
    }
    scope.state().get_or_default::<random::Pool>().take()
}

/// Compares bytes without telling by the time it takes where they differ. Throws where there are not as many of both.
#[op]
fn timing_safe_equal(a: &[u8], b: &[u8]) -> Result<bool, OpError> {
    if a.len() != b.len() {
        return Err(OpError::range_error("Input buffers must have the same byte length"));
    }
    Ok(random::equal(a, b))
}

ops!(pub fn family "crypto" {
    hash_info, hash_start, hash_start_with, hash_update, hash_update_text, hash_finish, hash_finish_text, hash_bytes, hash_bytes_text,
    hash_string, hash_string_text, hash_later, hmac_bytes, hmac_later, cshake, kmac, argon2_sync, argon2, hmac_start, hmac_update, hmac_update_text, hmac_finish, hmac_finish_text, pbkdf2_sync, pbkdf2, hkdf_sync,
    hkdf, scrypt_check, scrypt_sync, scrypt, random_bytes, random_fill_sync, random_fill, random_uuid, random_uuid_v7,
    timing_safe_equal,
    keys::key_import, key_export::key_export_public, key_export::key_export_private, keys::key_equal, keys::key_info,
    keys::key_rsa_parts, keys::key_rsa_import, keys::key_ec_parts, keys::key_ec_import, keys::key_ec_from_point,
    keys::key_ec_point, keys::key_raw, keys::key_raw_import, generate::key_generate, generate::key_generate_later,
    sign::sign_sync, sign::sign_later, sign::verify_sync, sign::verify_later, sign::rsa_crypt_sync,
    sign::rsa_crypt_later, sign::key_derive, sign::key_derive_later, sign::key_encapsulate, sign::key_decapsulate,
    cipher::cipher_info, cipher::cipher_names, cipher::cipher_start, cipher::cipher_restart, cipher::cipher_update, cipher::cipher_update_into, cipher::cipher_final,
    cipher::cipher_associate, cipher::cipher_set_tag, cipher::cipher_set_padding, cipher::aes_wrap,
    cipher::aead_sync, cipher::aead_later, cipher::cipher_sync, cipher::cipher_later,
    dh::dh_generate, dh::dh_compute, dh::dh_check, dh::dh_prime, dh::dh_known_prime, dh::curve_names,
    dh::ecdh_generate, dh::ecdh_convert, dh::ecdh_compute, dh::prime_sync, dh::prime_later, dh::check_prime_sync,
    dh::check_prime_later,
    x509::x509_parse, x509::x509_text, x509::x509_times, x509::x509_raw, x509::x509_key, x509::x509_key_usage,
    x509::x509_name, x509::x509_check_host, x509::x509_check_email, x509::x509_check_ip, x509::x509_check_issued,
    x509::x509_check_private_key, x509::x509_verify, x509::x509_is_ca, x509::curve_nist_name, x509::spkac_verify,
    x509::spkac_key, x509::spkac_challenge,
});
