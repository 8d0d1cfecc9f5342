//! The library's errors in the words of OpenSSL 3, which programs compare with.

use std::ffi::{CStr, c_char};

use engine::OpError;
use ssl::crypto as lc;

/// A failure: `code` as Node has it, and `LIBRARY::REASON`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub code: String,
    pub text: String,
}

/// Reasons of this library that OpenSSL has other names for.
const RENAMED: &[(&str, &str)] = &[
    ("TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV13_ALERT_CERTIFICATE_REQUIRED"),
    ("TLSV1_CERTIFICATE_REQUIRED", "TLSV13_ALERT_CERTIFICATE_REQUIRED"),
    ("HANDSHAKE_FAILURE_ON_CLIENT_HELLO", "SSL/TLS_ALERT_HANDSHAKE_FAILURE"),
    ("NO_CERTIFICATE_SET", "NO_SHARED_CIPHER"),
    ("NO_COMMON_SIGNATURE_ALGORITHMS", "NO_SHARED_SIGNATURE_ALGORITHMS"),
    ("NO_SUPPORTED_VERSIONS_ENABLED", "NO_PROTOCOLS_AVAILABLE"),
    ("UNEXPECTED_RECORD", "UNEXPECTED_MESSAGE"),
    ("UNKNOWN_PROTOCOL", "WRONG_VERSION_NUMBER"),
    ("INVALID_ALPN_PROTOCOL", "BAD_EXTENSION"),
    ("BAD_DECRYPT", "DECRYPTION_FAILED_OR_BAD_RECORD_MAC"),
];

/// Errors of the crypto library about certificates and keys: this library's reason, then number, library and reason of OpenSSL and the
/// code without `ERR_OSSL_`.
const MATERIAL: &[(&str, &str, &str, &str, &str)] = &[
    ("NO_START_LINE", "0480006C", "PEM routines", "no start line", "PEM_NO_START_LINE"),
    ("BAD_BASE64_DECODE", "04800064", "PEM routines", "bad base64 decode", "PEM_BAD_BASE64_DECODE"),
    ("BAD_END_LINE", "04800066", "PEM routines", "bad end line", "PEM_BAD_END_LINE"),
    ("KEY_VALUES_MISMATCH", "05800074", "x509 certificate routines", "key values mismatch", "X509_KEY_VALUES_MISMATCH"),
    ("KEY_TYPE_MISMATCH", "05800073", "x509 certificate routines", "key type mismatch", "X509_KEY_TYPE_MISMATCH"),
    (
        "BAD_PASSWORD_READ",
        "07880109",
        "common libcrypto routines",
        "interrupted or cancelled",
        "INTERRUPTED_OR_CANCELLED",
    ),
    (
        "PROBLEMS_GETTING_PASSWORD",
        "07880109",
        "common libcrypto routines",
        "interrupted or cancelled",
        "INTERRUPTED_OR_CANCELLED",
    ),
    ("BAD_DECRYPT", "1C800064", "Provider routines", "bad decrypt", "BAD_DECRYPT"),
    ("INCORRECT_PASSWORD", "11800071", "PKCS12 routines", "mac verify failure", "PKCS12_MAC_VERIFY_FAILURE"),
    ("DECODE_ERROR", "1E08010C", "DECODER routines", "unsupported", "UNSUPPORTED"),
    ("UNSUPPORTED_ALGORITHM", "1E08010C", "DECODER routines", "unsupported", "UNSUPPORTED"),
];

/// A constant text of the library.
pub(super) fn constant(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: a terminated text that stays.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Forgets what the library has noted on this thread.
pub(super) fn clear() {
    // SAFETY: no conditions.
    unsafe { lc::ERR_clear_error() };
}

/// Number, library and reason of the first error noted on this thread; the queue is empty afterwards.
fn take() -> (u32, String, String) {
    // SAFETY: the texts are constants.
    let taken = unsafe {
        let number = lc::ERR_get_error();
        (number, constant(lc::ERR_lib_error_string(number)), constant(lc::ERR_reason_error_string(number)))
    };
    clear();
    taken
}

/// OpenSSL's name for a reason.
fn renamed(reason: &str) -> String {
    if let Some((_, theirs)) = RENAMED.iter().find(|(ours, _)| *ours == reason) {
        return (*theirs).to_string();
    }
    // The name of the older protocol is gone from alerts since OpenSSL 3.2.
    reason.strip_prefix("SSLV3_ALERT_").map_or_else(|| reason.to_string(), |alert| format!("SSL/TLS_ALERT_{alert}"))
}

/// Why a connection has failed.
pub(super) fn failure() -> Failure {
    let (number, _, reason) = take();
    let reason = if number == 0 { "SSL_ERROR".to_string() } else { reason };
    let name = renamed(&reason);
    let words = name.to_lowercase().replace('_', " ");
    Failure {
        code: format!("ERR_SSL_{}", name.to_uppercase().replace(' ', "_")),
        text: format!("SSL routines::{words}"),
    }
}

/// Why a context cannot be made so.
pub(super) fn material() -> OpError {
    let (number, library, reason) = take();
    if let Some((_, number, library, words, code)) = MATERIAL.iter().find(|known| known.0 == reason) {
        return described(number, library, words, &format!("ERR_OSSL_{code}"));
    }
    let words = reason.to_lowercase().replace('_', " ");
    if library.starts_with("SSL") {
        let name = renamed(&reason);
        return described(
            "0A000000",
            "SSL routines",
            &name.to_lowercase().replace('_', " "),
            &format!("ERR_SSL_{name}"),
        );
    }
    described(
        &format!("{number:08X}"),
        &library,
        &words,
        &format!("ERR_OSSL_{}", reason.replace(' ', "_").to_uppercase()),
    )
}

/// OpenSSL's error with these words.
pub(super) fn described(number: &str, library: &str, reason: &str, code: &str) -> OpError {
    OpError::error(format!("error:{number}:{library}::{reason}"))
        .field("library", library)
        .field("reason", reason)
        .code(code)
}
