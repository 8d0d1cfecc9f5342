//! What the modules on aws-lc share: owners of its objects, its errors, big numbers and bytes.

use std::ffi::{CStr, c_int, c_void};

use aws_lc_sys as lc;
use engine::OpError;

/// Declares an owner of an object of the library, which it frees.
macro_rules! owned {
    ($(#[$doc:meta])* $name:ident, $type:ty, $free:path) => {
        $(#[$doc])*
        pub(crate) struct $name(*mut $type);

        impl $name {
            /// Takes over an object that a function of the library made; null is an error, told by the library's queue.
            pub(crate) fn own(pointer: *mut $type) -> Result<Self, OpError> {
                if pointer.is_null() { Err(last_error()) } else { Ok($name(pointer)) }
            }

            /// The object, which is still owned.
            pub(crate) fn get(&self) -> *mut $type {
                self.0
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: made by the library, and owned by nobody else.
                unsafe { $free(self.0) };
            }
        }
    };
}
pub(crate) use owned;

owned!(Bn, lc::BIGNUM, lc::BN_clear_free);
owned!(BnCtx, lc::BN_CTX, lc::BN_CTX_free);
owned!(Rsa, lc::RSA, lc::RSA_free);
owned!(EcKey, lc::EC_KEY, lc::EC_KEY_free);
owned!(EcPoint, lc::EC_POINT, lc::EC_POINT_free);
owned!(Dh, lc::DH, lc::DH_free);
owned!(Bio, lc::BIO, lc::BIO_free_all);
owned!(PkeyCtx, lc::EVP_PKEY_CTX, lc::EVP_PKEY_CTX_free);
owned!(MdCtx, lc::EVP_MD_CTX, lc::EVP_MD_CTX_free);

impl Bn {
    /// The number, which the caller (or the object that takes it over) owns from now on.
    pub(crate) fn release(self) -> *mut lc::BIGNUM {
        let pointer = self.0;
        std::mem::forget(self);
        pointer
    }

    /// The number of big-endian bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Bn, OpError> {
        // SAFETY: a slice with its length.
        Bn::own(unsafe { lc::BN_bin2bn(bytes.as_ptr(), bytes.len(), std::ptr::null_mut()) })
    }

    /// The big-endian bytes of a number, without leading zeros.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        bn_bytes(self.0)
    }
}

/// The big-endian bytes of a number of the library; none for null.
pub(crate) fn bn_bytes(number: *const lc::BIGNUM) -> Vec<u8> {
    if number.is_null() {
        return Vec::new();
    }
    // SAFETY: a live number, and as many bytes as it has.
    unsafe {
        let mut out = vec![0; lc::BN_num_bytes(number) as usize];
        lc::BN_bn2bin(number, out.as_mut_ptr());
        out
    }
}

/// The same with leading zeros up to a length.
pub(crate) fn bn_padded(number: *const lc::BIGNUM, length: usize) -> Result<Vec<u8>, OpError> {
    let mut out = vec![0; length];
    // SAFETY: a live number and a slice with its length.
    check(unsafe { lc::BN_bn2bin_padded(out.as_mut_ptr(), length, number) })?;
    Ok(out)
}

impl Bio {
    /// A source of bytes.
    pub(crate) fn reading(bytes: &[u8]) -> Result<Bio, OpError> {
        // SAFETY: the callers read from it while the slice is borrowed.
        Bio::own(unsafe { lc::BIO_new_mem_buf(bytes.as_ptr().cast(), bytes.len() as lc::ossl_ssize_t) })
    }

    /// A sink for bytes.
    pub(crate) fn writing() -> Result<Bio, OpError> {
        // SAFETY: the method is a constant.
        Bio::own(unsafe { lc::BIO_new(lc::BIO_s_mem()) })
    }

    /// What was written.
    pub(crate) fn contents(&self) -> Vec<u8> {
        let (mut data, mut length) = (std::ptr::null(), 0);
        // SAFETY: a memory object; the bytes are copied before anything else happens to it.
        unsafe {
            if lc::BIO_mem_contents(self.0, &mut data, &mut length) != 1 || data.is_null() {
                return Vec::new();
            }
            std::slice::from_raw_parts(data, length).to_vec()
        }
    }
}

/// The DER form that an `i2d` function of the library writes.
pub(crate) fn der(write: impl Fn(*mut *mut u8) -> c_int) -> Result<Vec<u8>, OpError> {
    let mut data = std::ptr::null_mut();
    let length = write(&mut data);
    if length < 0 || data.is_null() {
        return Err(last_error());
    }
    Ok(take(data, length as usize))
}

/// Copies bytes that the library allocated, and frees them.
pub(crate) fn take(data: *mut u8, length: usize) -> Vec<u8> {
    if data.is_null() {
        return Vec::new();
    }
    // SAFETY: allocated by the library with that many bytes.
    unsafe {
        let out = std::slice::from_raw_parts(data, length).to_vec();
        lc::OPENSSL_free(data.cast::<c_void>());
        out
    }
}

/// An error if a function of the library did not give 1.
pub(crate) fn check(result: c_int) -> Result<(), OpError> {
    if result == 1 { Ok(()) } else { Err(last_error()) }
}

/// Forgets what the library has noted on this thread.
pub(crate) fn clear_errors() {
    // SAFETY: no conditions.
    unsafe { lc::ERR_clear_error() };
}

/// Errors whose text programs look at, in the words of OpenSSL 3: the library's own reason, then number, library and reason.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    ("BAD_DECRYPT", "1C800064", "Provider routines", "bad decrypt"),
    ("WRONG_FINAL_BLOCK_LENGTH", "1C80006B", "Provider routines", "wrong final block length"),
    ("DATA_NOT_MULTIPLE_OF_BLOCK_LENGTH", "1C80006B", "Provider routines", "wrong final block length"),
    ("DATA_TOO_LARGE_FOR_KEY_SIZE", "0200006E", "rsa routines", "data too large for key size"),
    ("DATA_TOO_SMALL_FOR_KEY_SIZE", "0200007A", "rsa routines", "data too small for key size"),
    ("DIGEST_TOO_BIG_FOR_RSA_KEY", "02000070", "rsa routines", "digest too big for rsa key"),
    ("PKCS_DECODING_ERROR", "02000079", "rsa routines", "oaep decoding error"),
    ("OAEP_DECODING_ERROR", "02000079", "rsa routines", "oaep decoding error"),
    ("NO_START_LINE", "1E08010C", "DECODER routines", "unsupported"),
    ("INVALID_ENCODING", "08000066", "elliptic curve routines", "invalid encoding"),
    ("UNSUPPORTED_ALGORITHM", "1E08010C", "DECODER routines", "unsupported"),
    ("DECODE_ERROR", "1E08010C", "DECODER routines", "unsupported"),
    ("WRONG_TAG", "068000A8", "asn1 encoding routines", "wrong tag"),
    ("HEADER_TOO_LONG", "0680007B", "asn1 encoding routines", "header too long"),
    ("TOO_LONG", "0680007B", "asn1 encoding routines", "too long"),
    ("BAD_PASSWORD_READ", "07880109", "common libcrypto routines", "interrupted or cancelled"),
    ("SMALL_SUBGROUP", "02800000", "Diffie-Hellman routines", "invalid public key"),
    ("MODULUS_TOO_SMALL", "0280007E", "Diffie-Hellman routines", "modulus too small"),
    ("MODULUS_TOO_LARGE", "02800067", "Diffie-Hellman routines", "modulus too large"),
    ("BAD_GENERATOR", "02800065", "Diffie-Hellman routines", "bad generator"),
    ("KEY_SIZE_TOO_SMALL", "1C8000AB", "Provider routines", "key size too small"),
    ("BLOCK_TYPE_IS_NOT_01", "0200006A", "rsa routines", "block type is not 01"),
    ("BLOCK_TYPE_IS_NOT_02", "02000077", "rsa routines", "pkcs decoding error"),
    ("NOT_ENOUGH_DATA", "0680008E", "asn1 encoding routines", "not enough data"),
    ("UNSUPPORTED_CIPHER", "03000080", "digital envelope routines", "unsupported cipher"),
    ("BAD_E_VALUE", "02000065", "rsa routines", "bad e value"),
    ("POINT_IS_NOT_ON_CURVE", "0800006B", "elliptic curve routines", "point is not on curve"),
    ("DIFFERENT_PARAMETERS", "1C8000CB", "Provider routines", "mismatching domain parameters"),
    ("INVALID_PADDING_MODE", "1C8000A5", "Provider routines", "invalid padding mode"),
    ("INVALID_PSS_SALTLEN", "1C8000AC", "Provider routines", "pss saltlen too small"),
    ("INVALID_PEER_KEY", "1C8000A4", "Provider routines", "failed during derivation"),
    ("INVALID_PSS_MD", "1C8000AE", "Provider routines", "digest not allowed"),
    ("UNKNOWN_PADDING_TYPE", "02000076", "rsa routines", "unknown padding type"),
];

/// The last error that the library noted on this thread, in the form of Node: `error:NUMBER:LIBRARY::REASON` with the
/// properties `library`, `reason` and `code`. The queue is empty afterwards.
pub(crate) fn last_error() -> OpError {
    // SAFETY: the texts are constants of the library.
    let (number, library, reason) = unsafe {
        // The first entry is the cause; those after it say which functions it went through.
        let number = lc::ERR_get_error();
        let text = |pointer: *const std::ffi::c_char| {
            if pointer.is_null() { String::new() } else { CStr::from_ptr(pointer).to_string_lossy().into_owned() }
        };
        (number, text(lc::ERR_lib_error_string(number)), text(lc::ERR_reason_error_string(number)))
    };
    clear_errors();
    if number == 0 {
        return OpError::error("Operation failed").code("ERR_CRYPTO_OPERATION_FAILED");
    }
    if let Some(&(_, number, library, said)) = KNOWN.iter().find(|known| known.0 == reason) {
        return described(number, library, said);
    }
    described(&format!("{number:08X}"), &library, &reason.to_lowercase().replace('_', " "))
}

/// The prefix of the code of an error, by library; others have none.
fn prefix(library: &str) -> &'static str {
    let library = library.to_ascii_lowercase();
    match library.strip_suffix(" routines").unwrap_or(&library) {
        "rsa" => "RSA_",
        "diffie-hellman" => "DH_",
        "digital envelope" | "public key" => "EVP_",
        "pem" => "PEM_",
        "dsa" => "DSA_",
        "x509" | "x.509 certificate" => "X509_",
        "asn1 encoding" | "asn.1 encoding" => "ASN1_",
        "common libcrypto" => "CRYPTO_",
        "elliptic curve" => "EC_",
        "bignum" => "BN_",
        "pkcs12" | "pkcs#8" => "PKCS12_",
        _ => "",
    }
}

/// An error of OpenSSL with these words.
pub(crate) fn described(number: &str, library: &str, reason: &str) -> OpError {
    let code = format!("ERR_OSSL_{}{}", prefix(library), reason.to_uppercase().replace([' ', '-'], "_"));
    OpError::error(format!("error:{number}:{library}::{reason}"))
        .field("library", library)
        .field("reason", reason)
        .code(code)
}

/// What OpenSSL says of a key that it cannot read.
pub(crate) fn undecodable() -> OpError {
    clear_errors();
    described("1E08010C", "DECODER routines", "unsupported")
}
