//! What connections have in common: certificates, keys, whom to trust, versions and cipher suites.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;

use engine::OpError;
use ssl::crypto as lc;

use super::callbacks::{self, Kept};
use super::error;
use super::verify::{self, Store};

/// A certificate of the library's, counted.
pub struct Certificate(*mut lc::X509);

impl Certificate {
    /// Takes a reference over; nothing for null.
    pub fn own(pointer: *mut lc::X509) -> Option<Certificate> {
        (!pointer.is_null()).then_some(Certificate(pointer))
    }

    /// The library's object, which stays owned.
    pub fn get(&self) -> *mut lc::X509 {
        self.0
    }

    /// The certificate in DER.
    pub fn der(&self) -> Vec<u8> {
        // SAFETY: a live certificate; the library's bytes are copied and freed.
        unsafe {
            let mut data = ptr::null_mut();
            let length = lc::i2d_X509(self.0, &raw mut data);
            if length < 0 || data.is_null() {
                return Vec::new();
            }
            let bytes = std::slice::from_raw_parts(data, length as usize).to_vec();
            lc::OPENSSL_free(data.cast());
            bytes
        }
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        // SAFETY: one reference is ours.
        unsafe { lc::X509_free(self.0) };
    }
}

/// A source of the library's that reads bytes while `f` runs.
fn with_source<T>(bytes: &[u8], f: impl FnOnce(*mut lc::BIO) -> T) -> T {
    // SAFETY: the source is freed before the bytes go.
    unsafe {
        let bio = lc::BIO_new_mem_buf(bytes.as_ptr().cast(), bytes.len() as _);
        assert!(!bio.is_null(), "out of memory");
        let result = f(bio);
        lc::BIO_free(bio);
        result
    }
}

/// No passphrase: without this the library would ask the terminal.
unsafe extern "C" fn no_passphrase(_: *mut c_char, _: c_int, _: c_int, _: *mut c_void) -> c_int {
    -1
}

/// Gives the passphrase, which is a `&[u8]` behind the pointer.
unsafe extern "C" fn passphrase(buffer: *mut c_char, size: c_int, _: c_int, data: *mut c_void) -> c_int {
    // SAFETY: `private_key` passes a slice that lives during the call; the buffer has `size` bytes.
    unsafe {
        let text = &*data.cast::<&[u8]>();
        if text.len() > size as usize {
            return -1;
        }
        ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len());
        text.len() as c_int
    }
}

/// The certificates of a PEM text, in order; what follows the last one is not looked at. An error where one is broken.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, OpError> {
    with_source(pem, |bio| {
        let mut list = Vec::new();
        loop {
            // SAFETY: a live source.
            let next = unsafe { lc::PEM_read_bio_X509_AUX(bio, ptr::null_mut(), Some(no_passphrase), ptr::null_mut()) };
            match Certificate::own(next) {
                Some(certificate) => list.push(certificate),
                None if ended() => break,
                None => return Err(error::material()),
            }
        }
        error::clear();
        Ok(list)
    })
}

/// Whether the last error is that no further item begins.
fn ended() -> bool {
    // SAFETY: no conditions.
    let number = unsafe { lc::ERR_peek_last_error() };
    // Macros of the header: the library in the highest eight bits, the reason in the lowest twelve.
    let (library, reason) = ((number >> 24) as c_int, (number & 0xfff) as c_int);
    library == lc::ERR_LIB_PEM as c_int && reason == lc::PEM_R_NO_START_LINE
}

fn no_start_line() -> OpError {
    error::described("0480006C", "PEM routines", "no start line", "ERR_OSSL_PEM_NO_START_LINE")
}

fn text(value: &str) -> Result<CString, OpError> {
    CString::new(value).map_err(|_| OpError::error("A NUL character in an option of TLS"))
}

/// A context under construction and in use; counted by its connections.
pub struct Context {
    ctx: *mut ssl::SSL_CTX,
    /// Its trusted certificates are its own, and not those of contexts that name nobody.
    own_trust: Cell<bool>,
    mozilla: Cell<bool>,
    /// Certificates that were given, each with those of its issuers.
    chains: RefCell<Vec<Vec<Certificate>>>,
    /// What clients were given to resume by.
    pub kept: Rc<Kept>,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: connections count it themselves.
        unsafe { ssl::SSL_CTX_free(self.ctx) };
    }
}

impl Context {
    /// A context for versions from `min` to `max` (0x0301 is TLS 1.0, 0x0304 TLS 1.3), with OpenSSL's options of which the library knows
    /// some; the others ask for what it does anyway.
    pub fn new(min: u16, max: u16, options: u32) -> Result<Context, OpError> {
        const KNOWN: u32 = ssl::SSL_OP_NO_TICKET
            | ssl::SSL_OP_CIPHER_SERVER_PREFERENCE
            | ssl::SSL_OP_NO_TLSv1
            | ssl::SSL_OP_NO_TLSv1_1
            | ssl::SSL_OP_NO_TLSv1_2
            | ssl::SSL_OP_NO_TLSv1_3;
        // SAFETY: a new object; the callbacks are functions that stay.
        unsafe {
            let ctx = ssl::SSL_CTX_new(ssl::TLS_method());
            assert!(!ctx.is_null(), "out of memory");
            let context = Context {
                ctx,
                own_trust: Cell::new(false),
                mozilla: Cell::new(false),
                chains: RefCell::default(),
                kept: Rc::default(),
            };
            if ssl::SSL_CTX_set_min_proto_version(ctx, min) != 1 || ssl::SSL_CTX_set_max_proto_version(ctx, max) != 1 {
                return Err(error::material());
            }
            ssl::SSL_CTX_set_options(ctx, options & KNOWN);
            ssl::SSL_CTX_set_session_cache_mode(ctx, ssl::SSL_SESS_CACHE_BOTH | ssl::SSL_SESS_CACHE_NO_INTERNAL);
            callbacks::install(ctx);
            let (store, mozilla) = verify::default_trust();
            context.trust(&store, mozilla);
            context.own_trust.set(false);
            Ok(context)
        }
    }

    /// The library's object, which stays owned.
    pub fn get(&self) -> *mut ssl::SSL_CTX {
        self.ctx
    }

    fn trust(&self, store: &Store, mozilla: bool) {
        // SAFETY: live objects; the context takes the reference over. The argument of the check is a mark and is not followed.
        unsafe {
            ssl::SSL_CTX_set_cert_store(self.ctx, store.counted());
            let mark = if mozilla { ptr::without_provenance_mut(1) } else { ptr::null_mut() };
            ssl::SSL_CTX_set_cert_verify_callback(self.ctx, Some(verify::check), mark);
        }
        self.own_trust.set(true);
        self.mozilla.set(mozilla);
    }

    fn check(result: c_int) -> Result<(), OpError> {
        if result == 1 { Ok(()) } else { Err(error::material()) }
    }

    /// Uses a certificate and those of its issuers. Without issuers they are those among the certificates that the context itself
    /// trusts, as in OpenSSL.
    fn use_chain(&self, leaf: &Certificate, chain: &[Certificate]) -> Result<(), OpError> {
        let found = if chain.is_empty() && self.own_trust.get() { self.issuers(leaf) } else { Vec::new() };
        let chain = if chain.is_empty() { &found[..] } else { chain };
        // SAFETY: live objects, which the context counts.
        unsafe {
            Self::check(ssl::SSL_CTX_use_certificate(self.ctx, leaf.get()))?;
            Self::check(ssl::SSL_CTX_clear_chain_certs(self.ctx))?;
            for issuer in chain {
                Self::check(ssl::SSL_CTX_add1_chain_cert(self.ctx, issuer.get()))?;
            }
        }
        Ok(())
    }

    /// A certificate and those of its issuers, PEM; one for each kind of key may be given.
    pub fn add_certificate(&self, pem: &[u8]) -> Result<(), OpError> {
        let list = certificates(pem)?;
        let Some((leaf, chain)) = list.split_first() else { return Err(no_start_line()) };
        self.use_chain(leaf, chain)?;
        self.chains.borrow_mut().push(list);
        Ok(())
    }

    /// The key of a certificate, PEM, perhaps encrypted.
    pub fn add_key(&self, pem: &[u8], secret: Option<&[u8]>) -> Result<(), OpError> {
        // Without one, the empty one is tried, as in Node.
        let secret = secret.unwrap_or_default();
        // SAFETY: a live source; the passphrase is read during the call.
        let key = with_source(pem, |bio| unsafe {
            let data = ptr::from_ref::<&[u8]>(&secret).cast_mut().cast();
            lc::PEM_read_bio_PrivateKey(bio, ptr::null_mut(), Some(passphrase), data)
        });
        if key.is_null() {
            // A text that is no key is for OpenSSL one in an unknown form.
            if ended() {
                error::clear();
                return Err(error::described("1E08010C", "DECODER routines", "unsupported", "ERR_OSSL_UNSUPPORTED"));
            }
            return Err(error::material());
        }
        let chosen = self.choose_for(key);
        // SAFETY: a live key, which the context counts.
        let result = unsafe {
            let result = if chosen.is_ok() { ssl::SSL_CTX_use_PrivateKey(self.ctx, key) } else { 0 };
            lc::EVP_PKEY_free(key);
            result
        };
        chosen?;
        Self::check(result)
    }

    /// Makes the certificate of a key the one that is being talked about, where several were given.
    fn choose_for(&self, key: *mut lc::EVP_PKEY) -> Result<(), OpError> {
        let chains = self.chains.borrow();
        if chains.len() < 2 {
            return Ok(());
        }
        for list in chains.iter() {
            // SAFETY: live objects.
            let fits = list.first().is_some_and(|leaf| unsafe { lc::X509_check_private_key(leaf.get(), key) } == 1);
            error::clear();
            if let (true, Some((leaf, chain))) = (fits, list.split_first()) {
                return self.use_chain(leaf, chain);
            }
        }
        Ok(())
    }

    /// Certificates to trust, PEM, instead of those of contexts that name nobody. Servers name them when they ask for a certificate.
    pub fn add_ca(&self, pem: &[u8]) -> Result<(), OpError> {
        if !self.own_trust.get() {
            self.trust(&Store::new(), false);
        }
        for certificate in certificates(pem)? {
            self.add_trusted(&certificate);
        }
        error::clear();
        Ok(())
    }

    /// Whom contexts trust that name nobody becomes a set of this context, which can be changed.
    fn copy_trust(&self) {
        if !self.own_trust.get() {
            let (store, mozilla) = verify::copied_trust();
            self.trust(&store, mozilla);
        }
    }

    /// Trusts the certificates of a PEM text beside whom the context trusts already.
    pub fn add_further_ca(&self, pem: &[u8]) -> Result<(), OpError> {
        let list = certificates(pem)?;
        self.copy_trust();
        list.iter().for_each(|certificate| self.add_trusted(certificate));
        error::clear();
        Ok(())
    }

    fn add_trusted(&self, certificate: &Certificate) {
        // SAFETY: live objects, which are counted.
        unsafe {
            lc::X509_STORE_add_cert(ssl::SSL_CTX_get_cert_store(self.ctx), certificate.get());
            ssl::SSL_CTX_add_client_CA(self.ctx, certificate.get());
        }
    }

    /// Lists of revoked certificates, PEM; from then on every certificate of a chain is looked up.
    pub fn add_crl(&self, pem: &[u8]) -> Result<(), OpError> {
        self.copy_trust();
        with_source(pem, |bio| {
            let mut any = false;
            loop {
                // SAFETY: live objects; the set counts the list.
                unsafe {
                    let list = lc::PEM_read_bio_X509_CRL(bio, ptr::null_mut(), Some(no_passphrase), ptr::null_mut());
                    if list.is_null() {
                        break;
                    }
                    any = true;
                    let store = ssl::SSL_CTX_get_cert_store(self.ctx);
                    lc::X509_STORE_add_crl(store, list);
                    lc::X509_CRL_free(list);
                    lc::X509_STORE_set_flags(store, (lc::X509_V_FLAG_CRL_CHECK | lc::X509_V_FLAG_CRL_CHECK_ALL) as _);
                }
            }
            error::clear();
            if any { Ok(()) } else { Err(OpError::error("Failed to parse CRL").code("ERR_CRYPTO_OPERATION_FAILED")) }
        })
    }

    /// Trusts chains that end in a trusted certificate that is not its own issuer.
    pub fn allow_partial_chains(&self) {
        self.copy_trust();
        // SAFETY: live objects.
        unsafe {
            lc::X509_STORE_set_flags(ssl::SSL_CTX_get_cert_store(self.ctx), lc::X509_V_FLAG_PARTIAL_CHAIN as _);
        }
    }

    /// Checks parameters of Diffie-Hellman, PEM; the library has no suites that use them.
    pub fn check_parameters(pem: &[u8]) -> Result<(), OpError> {
        // SAFETY: a live source; the parameters are freed.
        let bits = with_source(pem, |bio| unsafe {
            let parameters = lc::PEM_read_bio_DHparams(bio, ptr::null_mut(), Some(no_passphrase), ptr::null_mut());
            let bits = if parameters.is_null() { 0 } else { lc::DH_bits(parameters) };
            lc::DH_free(parameters);
            bits
        });
        match bits {
            0 => Err(error::material()),
            1..1024 => Err(OpError::error("DH parameter is less than 1024 bits").code("ERR_INVALID_ARG_VALUE")),
            _ => Ok(()),
        }
    }

    /// A key, its certificate, and certificates to trust, PKCS #12 (RFC 7292).
    pub fn add_pfx(&self, der: &[u8], secret: &str) -> Result<(), OpError> {
        let secret = text(secret)?;
        let (mut key, mut leaf, mut others) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: a slice with its length; what the library makes is taken over below.
        unsafe {
            let mut from = der.as_ptr();
            let bundle = lc::d2i_PKCS12(ptr::null_mut(), &raw mut from, der.len());
            if bundle.is_null() {
                error::clear();
                return Err(OpError::error("not enough data"));
            }
            let parsed = lc::PKCS12_parse(bundle, secret.as_ptr(), &raw mut key, &raw mut leaf, &raw mut others);
            lc::PKCS12_free(bundle);
            if parsed != 1 {
                let failure = error::material();
                // Node's own words for this one.
                return Err(if failure.message().contains("mac verify") {
                    OpError::error("mac verify failure")
                } else {
                    failure
                });
            }
        }
        let mut list = Vec::new();
        if !others.is_null() {
            let stack = others.cast::<lc::OPENSSL_STACK>();
            // SAFETY: a live list of certificates, whose references go over to the owners.
            unsafe {
                list.extend(
                    (0..lc::OPENSSL_sk_num(stack))
                        .filter_map(|i| Certificate::own(lc::OPENSSL_sk_value(stack, i).cast())),
                );
                lc::OPENSSL_sk_free(stack);
            }
        }
        let leaf = Certificate::own(leaf);
        let result = match &leaf {
            None => Err(OpError::error("Unable to load private key from PFX data")),
            Some(leaf) => self.use_chain(leaf, &list),
        };
        // SAFETY: a live key, which the context counts.
        let used = unsafe {
            let used = if key.is_null() { 0 } else { ssl::SSL_CTX_use_PrivateKey(self.ctx, key) };
            lc::EVP_PKEY_free(key);
            used
        };
        result?;
        Self::check(used)?;
        if !list.is_empty() {
            self.copy_trust();
        }
        for certificate in &list {
            self.add_trusted(certificate);
        }
        Ok(())
    }

    /// Suites before TLS 1.3, as OpenSSL writes lists of them.
    pub fn set_ciphers(&self, list: &str) -> Result<(), OpError> {
        let list = text(list)?;
        // SAFETY: a terminated text.
        Self::check(unsafe { ssl::SSL_CTX_set_cipher_list(self.ctx, list.as_ptr()) })
    }

    /// Suites of TLS 1.3, with colons between.
    pub fn set_suites(&self, list: &str) -> Result<(), OpError> {
        let list = text(list)?;
        // SAFETY: a terminated text.
        Self::check(unsafe { ssl::SSL_CTX_set_ciphersuites(self.ctx, list.as_ptr()) })
    }

    /// Groups for the exchange of keys, with colons between.
    pub fn set_groups(&self, list: &str) -> Result<(), OpError> {
        let list = text(list)?;
        // SAFETY: a terminated text.
        let result = unsafe { ssl::SSL_CTX_set1_groups_list(self.ctx, list.as_ptr()) };
        error::clear();
        if result == 1 {
            Ok(())
        } else {
            Err(OpError::error("Failed to set ECDH curve").code("ERR_CRYPTO_OPERATION_FAILED"))
        }
    }

    /// Algorithms of signatures, with colons between.
    pub fn set_sigalgs(&self, list: &str) -> Result<(), OpError> {
        let list = text(list)?;
        // SAFETY: a terminated text.
        Self::check(unsafe { ssl::SSL_CTX_set1_sigalgs_list(self.ctx, list.as_ptr()) })
    }

    /// Sessions are resumed by servers with the same identification only; and how long they last, in seconds.
    pub fn set_session_terms(&self, identification: &[u8], seconds: u32) -> Result<(), OpError> {
        // SAFETY: a slice with its length.
        unsafe {
            if seconds != 0 {
                ssl::SSL_CTX_set_timeout(self.ctx, seconds);
            }
            Self::check(ssl::SSL_CTX_set_session_id_context(self.ctx, identification.as_ptr(), identification.len()))
        }
    }

    /// Keys of session tickets, 48 bytes.
    pub fn ticket_keys(&self) -> Result<Vec<u8>, OpError> {
        let mut keys = vec![0; 48];
        // SAFETY: a slice with its length.
        Self::check(unsafe { ssl::SSL_CTX_get_tlsext_ticket_keys(self.ctx, keys.as_mut_ptr().cast(), keys.len()) })?;
        Ok(keys)
    }

    /// See [`Context::ticket_keys`].
    pub fn set_ticket_keys(&self, keys: &[u8]) -> Result<(), OpError> {
        // SAFETY: a slice with its length.
        Self::check(unsafe { ssl::SSL_CTX_set_tlsext_ticket_keys(self.ctx, keys.as_ptr().cast(), keys.len()) })
    }

    /// The certificate in use and, where it is known, that of its issuer, in DER.
    pub fn own_certificates(&self) -> Vec<Vec<u8>> {
        // SAFETY: a live context; the certificate is counted for the owner.
        let leaf = unsafe {
            let leaf = ssl::SSL_CTX_get0_certificate(self.ctx);
            if !leaf.is_null() {
                lc::X509_up_ref(leaf);
            }
            Certificate::own(leaf)
        };
        let Some(leaf) = leaf else { return Vec::new() };
        let issuer = self.issuer(&leaf);
        std::iter::once(leaf.der()).chain(issuer.map(|issuer| issuer.der())).collect()
    }

    /// Trusted certificates up to the one that has issued itself, as far as they are known.
    fn issuers(&self, leaf: &Certificate) -> Vec<Certificate> {
        let (mut list, mut known) = (Vec::<Certificate>::new(), vec![leaf.der()]);
        // No chain is longer than OpenSSL's limit for them.
        while list.len() < 100
            && let Some(issuer) = self.issuer(list.last().unwrap_or(leaf))
        {
            let der = issuer.der();
            if known.contains(&der) {
                break;
            }
            known.push(der);
            list.push(issuer);
        }
        list
    }

    /// A trusted certificate whose holder has issued another one.
    pub fn issuer(&self, certificate: &Certificate) -> Option<Certificate> {
        // SAFETY: live objects; the context of the check is freed, and what it finds is counted for the owner.
        unsafe {
            let store = ssl::SSL_CTX_get_cert_store(self.ctx);
            if self.mozilla.get() {
                verify::add_issuers(store, certificate.get());
            }
            let search = lc::X509_STORE_CTX_new();
            let mut found = ptr::null_mut();
            if lc::X509_STORE_CTX_init(search, store, ptr::null_mut(), ptr::null_mut()) == 1 {
                lc::X509_STORE_CTX_get1_issuer(&raw mut found, search, certificate.get());
            }
            lc::X509_STORE_CTX_free(search);
            error::clear();
            Certificate::own(found)
        }
    }
}

/// Names of all cipher suites of the library, as OpenSSL has them.
pub(crate) fn cipher_names() -> Vec<String> {
    // SAFETY: as many constant texts as were counted.
    unsafe {
        let count = ssl::SSL_get_all_cipher_names(ptr::null_mut(), 0);
        let mut names = vec![ptr::null(); count];
        ssl::SSL_get_all_cipher_names(names.as_mut_ptr(), count);
        names.into_iter().map(error::constant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Context;

    #[test]
    fn suites() {
        let context = Context::new(0x0303, 0x0304, 0).unwrap();
        assert!(context.set_ciphers("ECDHE-RSA-AES128-GCM-SHA256:!aNULL").is_ok());
        assert!(context.set_ciphers("none").is_err());
        assert!(context.set_suites("TLS_AES_256_GCM_SHA384").is_ok());
        assert!(context.set_groups("P-256:X25519").is_ok());
        assert!(context.set_groups("nothing").is_err());
    }

    #[test]
    fn tickets() {
        let context = Context::new(0x0303, 0x0304, 0).unwrap();
        context.set_ticket_keys(&[7; 48]).unwrap();
        assert_eq!(context.ticket_keys().unwrap(), [7; 48]);
        assert!(context.set_ticket_keys(&[7; 47]).is_err());
    }

    #[test]
    fn no_certificate() {
        let context = Context::new(0x0303, 0x0304, 0).unwrap();
        assert!(context.add_certificate(b"nothing").is_err());
        assert!(context.add_ca(b"nothing").is_ok());
        assert!(context.own_certificates().is_empty());
    }
}
