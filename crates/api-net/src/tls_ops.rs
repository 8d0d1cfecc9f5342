//! Native functions of TLS.

use std::rc::Rc;

use engine::{Exc, OpError, PinnedBytes, Scope, op};

use crate::net::{Net, Resource};
use crate::stream::Stream;
use crate::tls::{Context, ContextParts, Session};

/// A context: certificate chain and key, trusted certificates (undefined: Mozilla's), all PEM; versions 12 or
/// 13, the highest with 1 << 16 for a server that goes by its own order of suites; names of suites (undefined: all). Throws
/// with OpenSSL's text where they cannot be used.
#[op]
pub fn tls_context(
    scope: &mut Scope<'_>,
    cert: Option<String>,
    key: Option<String>,
    ca: Option<String>,
    min_version: u32,
    max_version: u32,
    suites: Option<Vec<String>>,
) -> Result<u32, OpError> {
    let (max_version, honor_order) = (max_version & 0xff, max_version & 1 << 16 != 0);
    let parts = ContextParts { cert, key, ca, min_version, max_version, suites, honor_order };
    let context = Context::new(&parts).map_err(OpError::error)?;
    Ok(Net::of(scope).insert(|_| Resource::TlsContext(Rc::new(context))))
}

/// Frees a context; connections that use it go on.
#[op]
pub fn tls_context_free(scope: &mut Scope<'_>, context: u32) {
    let net = Net::of(scope);
    if net.tls_context(context).is_some() {
        net.release(context);
    }
}

fn protocols(list: &[String]) -> Vec<Vec<u8>> {
    list.iter().map(|name| name.as_bytes().to_vec()).collect()
}

/// Begins a handshake as the client: 0 or a negative errno. `name`: of the server; `send_name`: tell it (SNI).
#[op]
pub fn tls_start_client(
    scope: &mut Scope<'_>,
    socket: u32,
    context: u32,
    name: String,
    send_name: bool,
    alpn: Vec<String>,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let (Some(stream), Some(context)) = (net.stream(socket), net.tls_context(context)) else {
        return Ok(-libc::EBADF);
    };
    let session = Session::client(&context, &name, send_name, &protocols(&alpn)).map_err(OpError::error)?;
    Ok(stream.start_tls(session))
}

/// Waits for a ClientHello: 0 or a negative errno. The TLS event of kind 2 asks for [`tls_choose`].
#[op]
pub fn tls_start_server(scope: &mut Scope<'_>, socket: u32, request_cert: bool) -> i32 {
    match Net::of(scope).stream(socket) {
        Some(stream) => stream.start_tls(Session::server(request_cert)),
        None => -libc::EBADF,
    }
}

/// Goes on with a handshake, with this context and these protocols.
#[op]
pub fn tls_choose(scope: &mut Scope<'_>, socket: u32, context: u32, alpn: Vec<String>) -> Result<(), Exc> {
    let net = Net::of(scope);
    let (Some(stream), Some(context)) = (net.stream(socket), net.tls_context(context)) else { return Ok(()) };
    match stream.with_tls(|tls| tls.choose(&context, &protocols(&alpn))) {
        Some(received) => stream.received(scope, received),
        None => Ok(()),
    }
}

/// lib/ agrees to who the peer is; until then nothing that was written is sent.
#[op]
pub fn tls_release(scope: &mut Scope<'_>, socket: u32) {
    if let Some(stream) = Net::of(scope).stream(socket) {
        stream.with_tls(Session::release);
        // Who was told to wait for the handshake learns from lib/ that it is over.
        stream.sated();
    }
}

/// Two connected sockets, for TLS over something that is no socket: `[0, number, number]` or `[errno, …]`.
#[op]
pub fn socket_pair(scope: &mut Scope<'_>) -> (i32, u32, u32) {
    let net = Net::of(scope);
    let mut pair = [0i32; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: writes two integers.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) } < 0 {
        return (-crate::net::last_errno(), 0, 0);
    }
    (0, Stream::adopt(&net, pair[0], true).id, Stream::adopt(&net, pair[1], true).id)
}

/// `[protocol, cipher suite, ALPN protocol, server name, failure of the peer's certificate]`
#[op]
pub fn tls_describe(scope: &mut Scope<'_>, socket: u32) -> Vec<String> {
    let stream = Net::of(scope).stream(socket);
    stream.and_then(|stream| stream.with_tls(|tls| tls.describe())).unwrap_or_default()
}

/// The peer's certificates (DER), its own first.
#[op]
pub fn tls_peer(scope: &mut Scope<'_>, socket: u32) -> Vec<Vec<u8>> {
    let stream = Net::of(scope).stream(socket);
    stream.and_then(|stream| stream.with_tls(|tls| tls.peer_certificates())).unwrap_or_default()
}

/// Keying material (RFC 5705); undefined before the handshake has ended.
#[op]
pub fn tls_export(
    scope: &mut Scope<'_>,
    socket: u32,
    length: u32,
    label: String,
    context: Option<PinnedBytes>,
) -> Option<Vec<u8>> {
    let stream = Net::of(scope).stream(socket)?;
    let context = context.as_ref().map(PinnedBytes::as_slice);
    stream.with_tls(|tls| tls.export(label.as_bytes(), context, length as usize)).flatten()
}
