//! Hashes of passwords: Argon2 (RFC 9106) and bcrypt, in the text forms that other software reads and writes.

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use engine::OpError;

/// The most bytes of a password that bcrypt looks at.
const BCRYPT_MAX: usize = 72;

fn failed(error: impl std::fmt::Display) -> OpError {
    OpError::error(format!("Password hashing failed: {error}"))
}

fn random<const N: usize>() -> Result<[u8; N], OpError> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())
            .map_err(|error| OpError::io(error.into(), "getrandom"))?;
    }
    Ok(bytes)
}

/// A password that is longer than bcrypt can use is replaced by its SHA-512, as in Bun.
fn bcrypt_input(password: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if password.len() > BCRYPT_MAX { sha512(password).to_vec().into() } else { password.into() }
}

fn sha512(data: &[u8]) -> [u8; 64] {
    let mut out = [0; 64];
    // SAFETY: the bytes of a slice, and room for the 64 bytes of the result.
    unsafe { aws_lc_sys::SHA512(data.as_ptr(), data.len(), out.as_mut_ptr()) };
    out
}

/// Hashes a password. `algorithm`: argon2id, argon2i, argon2d or bcrypt. `memory` in KiB and `time` in passes are for
/// Argon2, `cost` (2^cost rounds) is for bcrypt.
pub(crate) fn hash(algorithm: &str, password: &[u8], memory: u32, time: u32, cost: u32) -> Result<String, OpError> {
    if algorithm == "bcrypt" {
        let parts = bcrypt::hash_with_salt(bcrypt_input(password), cost, random()?).map_err(failed)?;
        return Ok(parts.format_for_version(bcrypt::Version::TwoB));
    }
    let algorithm = Algorithm::new(algorithm).map_err(failed)?;
    let params = Params::new(memory, time, 1, Some(32)).map_err(failed)?;
    let salt = SaltString::encode_b64(&random::<32>()?).map_err(failed)?;
    let hasher = Argon2::new(algorithm, Version::V0x13, params);
    Ok(hasher.hash_password(password, &salt).map_err(failed)?.to_string())
}

/// What a hash was made with, by its beginning.
fn algorithm_of(hash: &str) -> Option<&'static str> {
    let name = hash.strip_prefix('$')?.split('$').next()?;
    match name {
        "2" | "2a" | "2b" | "2x" | "2y" | "bcrypt" => Some("bcrypt"),
        "argon2id" => Some("argon2id"),
        "argon2i" => Some("argon2i"),
        "argon2d" => Some("argon2d"),
        _ => None,
    }
}

/// Whether `hash` is one of the password. With `algorithm`, it must have been made with that one.
pub(crate) fn verify(password: &[u8], hash: &str, algorithm: Option<&str>) -> Result<bool, OpError> {
    let unsupported = || OpError::error("Password verification failed with error \"UnsupportedAlgorithm\"");
    let found = algorithm_of(hash).ok_or_else(|| unsupported().code("PASSWORD_UNSUPPORTED_ALGORITHM"))?;
    if algorithm.is_some_and(|wanted| wanted != found) {
        return Ok(false);
    }
    let invalid = || {
        OpError::error("Password verification failed with error \"InvalidEncoding\"").code("PASSWORD_INVALID_ENCODING")
    };
    if found == "bcrypt" {
        return bcrypt::verify(bcrypt_input(password), hash).map_err(|_| invalid());
    }
    let parsed = PasswordHash::new(hash).map_err(|_| invalid())?;
    Ok(Argon2::default().verify_password(password, &parsed).is_ok())
}
