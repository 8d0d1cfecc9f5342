//! The check of a peer's certificate (RFC 5280), by the crypto library: what it comes to is noted and never ends the handshake. And whom
//! a context trusts that names nobody: Mozilla's roots, of which those are parsed that a chain asks for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_long, c_void};
use std::ptr;
use std::sync::OnceLock;

use engine::OpError;
use ssl::crypto as lc;

use super::context::{Certificate, certificates};
use super::error;

/// A set of trusted certificates; counted by the library.
pub(super) struct Store(*mut lc::X509_STORE);

impl Store {
    /// A set without any.
    pub(super) fn new() -> Store {
        // SAFETY: no conditions.
        let store = unsafe { lc::X509_STORE_new() };
        assert!(!store.is_null(), "out of memory");
        Store(store)
    }

    /// A set of these.
    fn with(certificates: &[Certificate]) -> Store {
        let store = Store::new();
        for certificate in certificates {
            // SAFETY: live objects; the set counts the certificate.
            unsafe { lc::X509_STORE_add_cert(store.get(), certificate.get()) };
        }
        store
    }

    /// One of the library's, which counts the new owner.
    pub(super) fn of(store: *mut lc::X509_STORE) -> Store {
        // SAFETY: the caller has a live one.
        unsafe { lc::X509_STORE_up_ref(store) };
        Store(store)
    }

    /// The library's object, which stays owned.
    pub(super) fn get(&self) -> *mut lc::X509_STORE {
        self.0
    }

    /// The object for a function that takes a reference over.
    pub(super) fn counted(&self) -> *mut lc::X509_STORE {
        // SAFETY: a live object.
        unsafe { lc::X509_STORE_up_ref(self.0) };
        self.0
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // SAFETY: one reference is ours.
        unsafe { lc::X509_STORE_free(self.0) };
    }
}

/// Whom contexts of this thread trust that name nobody: a set, and whether Mozilla's roots belong to it.
struct Trust {
    store: Store,
    /// What is in the set.
    certificates: Vec<Certificate>,
    mozilla: bool,
}

impl Trust {
    fn new(mozilla: bool, certificates: Vec<Certificate>) -> Trust {
        Trust { store: Store::with(&certificates), certificates, mozilla }
    }
}

thread_local! {
    static DEFAULT: RefCell<Option<Trust>> = const { RefCell::new(None) };
}

/// The set of contexts that name nobody, and whether Mozilla's roots belong to it.
pub(super) fn default_trust() -> (Store, bool) {
    DEFAULT.with_borrow_mut(|trust| {
        let trust = trust.get_or_insert_with(|| Trust::new(true, Vec::new()));
        (Store::of(trust.store.get()), trust.mozilla)
    })
}

/// The same as a set of its own, which can be added to.
pub(super) fn copied_trust() -> (Store, bool) {
    DEFAULT.with_borrow_mut(|trust| {
        let trust = trust.get_or_insert_with(|| Trust::new(true, Vec::new()));
        (Store::with(&trust.certificates), trust.mozilla)
    })
}

/// Whom contexts made from now on trust that name nobody: Mozilla's roots or not, and the certificates of a PEM text.
pub(crate) fn set_default_trust(mozilla: bool, pem: &[u8]) -> Result<(), OpError> {
    DEFAULT.set(Some(Trust::new(mozilla, certificates(pem)?)));
    error::clear();
    Ok(())
}

/// Contents of the first element of DER, the element, and what follows it.
fn der_element(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let first = *bytes.get(1)?;
    let (length, header) = match first {
        0..=0x7f => (usize::from(first), 2),
        0x81..=0x84 => {
            let count = usize::from(first & 0x7f);
            let length = bytes[2..].get(..count)?.iter().fold(0usize, |n, &b| n << 8 | usize::from(b));
            (length, 2 + count)
        }
        _ => return None,
    };
    let end = header.checked_add(length)?;
    Some((bytes.get(header..end)?, &bytes[..end], &bytes[end..]))
}

/// The name of a certificate's subject, in DER.
fn subject(certificate: &[u8]) -> Option<&[u8]> {
    let (certificate, ..) = der_element(certificate)?;
    let (mut rest, ..) = der_element(certificate)?;
    if rest.first() == Some(&0xa0) {
        rest = der_element(rest)?.2;
    }
    // Behind serial number, signature algorithm, issuer and validity.
    for _ in 0..4 {
        rest = der_element(rest)?.2;
    }
    Some(der_element(rest)?.1)
}

/// Mozilla's roots by the names of their subjects.
fn roots() -> &'static HashMap<&'static [u8], Vec<&'static [u8]>> {
    static ROOTS: OnceLock<HashMap<&'static [u8], Vec<&'static [u8]>>> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut map: HashMap<_, Vec<&'static [u8]>> = HashMap::new();
        for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
            if let Some(name) = subject(certificate.as_ref()) {
                map.entry(name).or_default().push(certificate.as_ref());
            }
        }
        map
    })
}

/// Mozilla's roots, in DER.
pub(crate) fn mozilla_roots() -> impl Iterator<Item = &'static [u8]> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(AsRef::as_ref)
}

/// Adds those of Mozilla's roots to a set that have issued a certificate.
pub(super) fn add_issuers(store: *mut lc::X509_STORE, certificate: *const lc::X509) {
    // SAFETY: live objects; the bytes of the name are copied and freed, those of the roots are constant.
    unsafe {
        let mut data = ptr::null_mut();
        let length = lc::i2d_X509_NAME(lc::X509_get_issuer_name(certificate), &raw mut data);
        let Ok(length) = usize::try_from(length) else { return };
        if data.is_null() {
            return;
        }
        let found = roots().get(std::slice::from_raw_parts(data, length));
        lc::OPENSSL_free(data.cast());
        for root in found.into_iter().flatten() {
            let mut from = root.as_ptr();
            let parsed = lc::d2i_X509(ptr::null_mut(), &raw mut from, root.len() as _);
            if !parsed.is_null() {
                // One that is there already is not added again.
                lc::X509_STORE_add_cert(store, parsed);
                lc::X509_free(parsed);
            }
        }
        lc::ERR_clear_error();
    }
}

/// Checks a chain. A handshake goes on whatever comes of it; `argument` is not null where Mozilla's roots are trusted.
pub(super) unsafe extern "C" fn check(context: *mut lc::X509_STORE_CTX, argument: *mut c_void) -> c_int {
    // SAFETY: the library calls this with a prepared context, whose certificates live during the call.
    unsafe {
        if !argument.is_null() {
            let store = lc::X509_STORE_CTX_get0_store(context);
            add_issuers(store, lc::X509_STORE_CTX_get0_cert(context));
            let chain = lc::X509_STORE_CTX_get0_untrusted(context).cast::<lc::OPENSSL_STACK>();
            if !chain.is_null() {
                for index in 0..lc::OPENSSL_sk_num(chain) {
                    add_issuers(store, lc::OPENSSL_sk_value(chain, index).cast());
                }
            }
        }
        lc::X509_verify_cert(context);
        1
    }
}

/// Every failure is noted, the last one stays: as Node has it.
pub(super) unsafe extern "C" fn note(_: c_int, _: *mut lc::X509_STORE_CTX) -> c_int {
    1
}

/// OpenSSL's name of a result of the check; empty where it was passed.
pub(super) fn name(result: c_long) -> &'static str {
    const NAMES: [&str; 29] = [
        "",
        "UNSPECIFIED",
        "UNABLE_TO_GET_ISSUER_CERT",
        "UNABLE_TO_GET_CRL",
        "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
        "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
        "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
        "CERT_SIGNATURE_FAILURE",
        "CRL_SIGNATURE_FAILURE",
        "CERT_NOT_YET_VALID",
        "CERT_HAS_EXPIRED",
        "CRL_NOT_YET_VALID",
        "CRL_HAS_EXPIRED",
        "ERROR_IN_CERT_NOT_BEFORE_FIELD",
        "ERROR_IN_CERT_NOT_AFTER_FIELD",
        "ERROR_IN_CRL_LAST_UPDATE_FIELD",
        "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
        "OUT_OF_MEM",
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "CERT_CHAIN_TOO_LONG",
        "CERT_REVOKED",
        "INVALID_CA",
        "PATH_LENGTH_EXCEEDED",
        "INVALID_PURPOSE",
        "CERT_UNTRUSTED",
        "CERT_REJECTED",
    ];
    usize::try_from(result).ok().and_then(|index| NAMES.get(index)).copied().unwrap_or("UNSPECIFIED")
}

#[cfg(test)]
mod tests {
    use super::{name, roots, subject};

    #[test]
    fn roots_have_names() {
        let known: usize = roots().values().map(Vec::len).sum();
        assert_eq!(known, webpki_root_certs::TLS_SERVER_ROOT_CERTS.len());
        assert!(subject(&[0x30, 0x82]).is_none());
    }

    #[test]
    fn names_of_results() {
        assert_eq!(name(0), "");
        assert_eq!(name(18), "DEPTH_ZERO_SELF_SIGNED_CERT");
        assert_eq!(name(28), "CERT_REJECTED");
        assert_eq!(name(50), "UNSPECIFIED");
    }
}
