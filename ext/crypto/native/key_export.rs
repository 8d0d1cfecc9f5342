//! Keys of asymmetric algorithms as text and bytes.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::asn1;
use crate::aws_lc::{self, Bio, check, clear_errors, der, last_error};
use crate::curve448::Curve448;
use crate::keys::{Key, key_encoding, not_of_type};
use crate::pbes2;
use crate::post_quantum;

fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let text = crate::text::encode(der.to_vec(), 1);
    let mut out = format!("-----BEGIN {label}-----\n").into_bytes();
    for line in text.chunks(64) {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.extend_from_slice(format!("-----END {label}-----\n").as_bytes());
    out
}

/// The encoding of a public key: `kind` 1 PKCS#1, 4 SPKI; PEM text or DER.
#[op]
pub(crate) fn key_export_public(key: &Resource<Key>, as_pem: bool, kind: u8) -> Result<Vec<u8>, OpError> {
    clear_errors();
    if kind == key_encoding::PKCS1 {
        let rsa = key.rsa().ok_or_else(|| not_of_type("an RSA key"))?;
        // SAFETY: a live key.
        let bytes = der(|out| unsafe { lc::i2d_RSAPublicKey(rsa, out) })?;
        return Ok(if as_pem { pem("RSA PUBLIC KEY", &bytes) } else { bytes });
    }
    let bytes = match key.id() {
        _ if key.other.is_some() => key.other.as_ref().map(Curve448::spki).unwrap_or_default(),
        lc::EVP_PKEY_RSA_PSS => {
            let rsa = key.rsa().ok_or_else(|| not_of_type("an RSA key"))?;
            // SAFETY: a live key.
            let inner = der(|out| unsafe { lc::i2d_RSAPublicKey(rsa, out) })?;
            asn1::spki(asn1::RSA_PSS, &key.parameters, &inner)
        }
        lc::EVP_PKEY_DH => crate::dh::der_of_key(key, false),
        // SAFETY: a live key.
        _ => der(|out| unsafe { lc::i2d_PUBKEY(key.get(), out) })?,
    };
    Ok(if as_pem { pem("PUBLIC KEY", &bytes) } else { bytes })
}

fn unsupported_cipher() -> OpError {
    aws_lc::described("03000080", "digital envelope routines", "unsupported cipher")
}

/// The PKCS#8 form of a private key, not encrypted.
fn pkcs8(key: &Key) -> Result<Vec<u8>, OpError> {
    if let Some(other) = &key.other {
        return other.pkcs8().ok_or_else(|| not_of_type("a private key"));
    }
    if let Some(bytes) = post_quantum::pkcs8(key, false) {
        return bytes;
    }
    match key.id() {
        lc::EVP_PKEY_RSA_PSS => {
            let rsa = key.rsa().ok_or_else(|| not_of_type("an RSA key"))?;
            // SAFETY: a live key.
            let inner = der(|out| unsafe { lc::i2d_RSAPrivateKey(rsa, out) })?;
            return Ok(asn1::pkcs8(asn1::RSA_PSS, &key.parameters, &inner));
        }
        lc::EVP_PKEY_DH => return Ok(crate::dh::der_of_key(key, true)),
        _ => {}
    }
    let mut cbb = std::mem::MaybeUninit::<lc::CBB>::uninit();
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the builder is initialised first, and finished or cleaned up.
    unsafe {
        lc::CBB_init(cbb.as_mut_ptr(), 256);
        if lc::EVP_marshal_private_key(cbb.as_mut_ptr(), key.get()) != 1
            || lc::CBB_finish(cbb.as_mut_ptr(), &mut data, &mut length) != 1
        {
            lc::CBB_cleanup(cbb.as_mut_ptr());
            return Err(last_error());
        }
    }
    Ok(aws_lc::take(data, length))
}

/// The encoding of a private key: `kind` 1 PKCS#1, 2 PKCS#8, 3 SEC1, 5 PKCS#8 with the seed only (ML-DSA, ML-KEM); with a cipher and a passphrase encrypted.
#[op]
pub(crate) fn key_export_private(
    key: &Resource<Key>,
    as_pem: bool,
    kind: u8,
    cipher: Option<String>,
    passphrase: Option<Vec<u8>>,
) -> Result<Vec<u8>, OpError> {
    clear_errors();
    let Some(cipher) = cipher else {
        let (label, bytes) = match kind {
            key_encoding::PKCS1 => {
                let rsa = key.rsa().ok_or_else(|| not_of_type("an RSA key"))?;
                // SAFETY: a live key.
                ("RSA PRIVATE KEY", der(|out| unsafe { lc::i2d_RSAPrivateKey(rsa, out) })?)
            }
            key_encoding::SEC1 => {
                let ec = key.ec().ok_or_else(|| not_of_type("an EC key"))?;
                // SAFETY: a live key.
                ("EC PRIVATE KEY", der(|out| unsafe { lc::i2d_ECPrivateKey(ec, out) })?)
            }
            key_encoding::PKCS8_SEED => {
                let form = post_quantum::pkcs8(key, true).ok_or_else(|| not_of_type("made of a seed"))?;
                ("PRIVATE KEY", form?)
            }
            _ => ("PRIVATE KEY", pkcs8(key)?),
        };
        return Ok(if as_pem { pem(label, &bytes) } else { bytes });
    };
    let name = cipher;
    let cipher = crate::cipher::evp_by_name(&name)
        .ok_or_else(|| OpError::error("Unknown cipher").code("ERR_CRYPTO_UNKNOWN_CIPHER"))?;
    let passphrase = passphrase.unwrap_or_default();
    let out = Bio::writing()?;
    let (secret, length, none) = (passphrase.as_ptr(), passphrase.len() as c_int, ptr::null_mut());
    // SAFETY: live keys, a slice with its length.
    check(unsafe {
        match kind {
            key_encoding::PKCS1 => {
                let rsa = key.rsa().ok_or_else(|| not_of_type("an RSA key"))?;
                lc::PEM_write_bio_RSAPrivateKey(out.get(), rsa, cipher, secret, length, None, none)
            }
            key_encoding::SEC1 => {
                let ec = key.ec().ok_or_else(|| not_of_type("an EC key"))?;
                lc::PEM_write_bio_ECPrivateKey(out.get(), ec, cipher, secret, length, None, none)
            }
            _ => {
                let bytes = pbes2::seal(&name, &pkcs8(key)?, &passphrase).ok_or_else(unsupported_cipher)?;
                return Ok(if as_pem { pem("ENCRYPTED PRIVATE KEY", &bytes) } else { bytes });
            }
        }
    })?;
    Ok(out.contents())
}
