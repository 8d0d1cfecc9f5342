//! Native functions of TLS contexts.

use std::rc::Rc;

use engine::{OpError, PinnedBytes, Scope, op};

use crate::net::{Net, Resource};
use crate::tls::{self, Context};

fn context(scope: &mut Scope<'_>, id: u32) -> Result<Rc<Context>, OpError> {
    Net::of(scope).tls_context(id).ok_or_else(|| OpError::error("no TLS context"))
}

/// A new context for versions from `min` to `max` (0x0301 is TLS 1.0, 0x0304 TLS 1.3) with OpenSSL's options (`SSL_OP_…`).
#[op]
pub(crate) fn tls_context(scope: &mut Scope<'_>, min: u32, max: u32, options: u32) -> Result<u32, OpError> {
    let context = Context::new(min as u16, max as u16, options)?;
    Ok(Net::of(scope).insert(|_| Resource::TlsContext(Rc::new(context))))
}

/// Frees a context; connections that use it go on.
#[op]
pub(crate) fn tls_context_free(scope: &mut Scope<'_>, context: u32) {
    let net = Net::of(scope);
    if net.tls_context(context).is_some() {
        net.release(context);
    }
}

/// Adds material to a context, by `kind`: 0 a certificate with those of its issuers, 1 a key, 2 certificates to trust, 3 lists of
/// revoked certificates (all PEM), 4 a PKCS #12 bundle, 5 parameters of Diffie-Hellman, which are checked only, 6 certificates to trust
/// beside whom the context trusts already (PEM). `secret` is the passphrase of a key or bundle. Throws OpenSSL's errors.
#[op]
pub(crate) fn tls_add(
    scope: &mut Scope<'_>,
    id: u32,
    kind: u32,
    bytes: PinnedBytes,
    secret: Option<String>,
) -> Result<(), OpError> {
    let context = context(scope, id)?;
    let bytes = bytes.as_slice();
    match kind {
        0 => context.add_certificate(bytes),
        1 => context.add_key(bytes, secret.as_deref().map(str::as_bytes)),
        2 => context.add_ca(bytes),
        3 => context.add_crl(bytes),
        5 => Context::check_parameters(bytes),
        6 => context.add_further_ca(bytes),
        _ => context.add_pfx(bytes, secret.as_deref().unwrap_or_default()),
    }
}

/// Limits a context, by `kind`: 0 to suites before TLS 1.3 (OpenSSL's list), 1 to suites of TLS 1.3, 2 to groups, 3 to algorithms of
/// signatures (with colons between). 4 lets chains end in any trusted certificate. Throws OpenSSL's errors.
#[op]
pub(crate) fn tls_limit(scope: &mut Scope<'_>, id: u32, kind: u32, list: String) -> Result<(), OpError> {
    let context = context(scope, id)?;
    match kind {
        0 => context.set_ciphers(&list),
        1 => context.set_suites(&list),
        2 => context.set_groups(&list),
        3 => context.set_sigalgs(&list),
        _ => {
            context.allow_partial_chains();
            Ok(())
        }
    }
}

/// Identification of a server's sessions (at most 32 bytes), and how many seconds they last (0: two hours).
#[op]
pub(crate) fn tls_session_terms(
    scope: &mut Scope<'_>,
    id: u32,
    identification: PinnedBytes,
    seconds: u32,
) -> Result<(), OpError> {
    context(scope, id)?.set_session_terms(identification.as_slice(), seconds)
}

/// The 48 bytes of a context's ticket keys, after setting them where some are given.
#[op]
pub(crate) fn tls_ticket_keys(scope: &mut Scope<'_>, id: u32, keys: Option<PinnedBytes>) -> Result<Vec<u8>, OpError> {
    let context = context(scope, id)?;
    if let Some(keys) = keys {
        context.set_ticket_keys(keys.as_slice())?;
    }
    context.ticket_keys()
}

/// A context's certificate and that of its issuer, as far as they are known (DER).
#[op]
pub(crate) fn tls_own_certificates(scope: &mut Scope<'_>, id: u32) -> Result<Vec<Vec<u8>>, OpError> {
    Ok(context(scope, id)?.own_certificates())
}

/// Whom contexts made from now on trust that name nobody: Mozilla's roots or not, and certificates (PEM).
#[op]
pub(crate) fn tls_default_trust(mozilla: bool, pem: PinnedBytes) -> Result<(), OpError> {
    tls::set_default_trust(mozilla, pem.as_slice())
}

/// Mozilla's root certificates (DER).
#[op]
pub(crate) fn tls_roots() -> Vec<Vec<u8>> {
    tls::mozilla_roots().map(<[u8]>::to_vec).collect()
}

/// Names of all cipher suites, as OpenSSL has them.
#[op]
pub(crate) fn tls_ciphers() -> Vec<String> {
    tls::cipher_names()
}
