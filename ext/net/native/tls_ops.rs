//! Native functions of TLS connections.

use engine::{Exc, OpError, PinnedBytes, Scope, op, ts_constants};

use crate::net::Net;
use crate::stream::Stream;
use crate::tls::{Ask, ClientTerms, Session};

/// Marks of a connection that begins.
#[ts_constants]
mod tls_mark {
    /// New sessions are told of.
    pub(super) const TELL_SESSIONS: u32 = 1;
    /// Lines for key logs are told of.
    pub(super) const TELL_KEYS: u32 = 2;
    /// A client asks for a status of the certificate (OCSP).
    pub(super) const WANTS_STATUS: u32 = 4;
    /// A client's sessions are kept by its context.
    pub(super) const KEEPS: u32 = 8;
    /// A server asks for a certificate.
    pub(super) const ASKS: u32 = 16;
    /// A server refuses clients without a certificate.
    pub(super) const REQUIRES: u32 = 32;
    /// There are pre-shared keys.
    pub(super) const SHARED_KEYS: u32 = 64;
    /// What is sent and received is said on standard error.
    pub(super) const TRACED: u32 = 128;
}

fn protocols(list: &[String]) -> Vec<Vec<u8>> {
    // Names are bytes, which are characters up to U+00FF.
    list.iter().map(|name| name.chars().map(|c| c as u8).collect()).collect()
}

/// Begins a handshake as the client: 0 or a negative errno. `name`: of the server, to tell it (SNI), or empty; `marks`: the sum of 1 (tell
/// of sessions), 2 (of keys), 4 (ask for OCSP), 8 (the context keeps sessions, under `key`), 64 (pre-shared keys: the event of kind 5 asks
/// for [`tls_answer`]), 128 (trace); `session`: one to resume. Throws if the context asks for TLS 1.3 and there are pre-shared keys.
#[op]
pub(crate) fn tls_start_client(
    scope: &mut Scope<'_>,
    socket: u32,
    context: u32,
    name: String,
    alpn: Vec<String>,
    marks: u32,
    key: Option<String>,
    session: Option<PinnedBytes>,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let (Some(stream), Some(context)) = (net.stream(socket), net.tls_context(context)) else {
        return Ok(-libc::EBADF);
    };
    let terms = ClientTerms {
        name: &name,
        protocols: &protocols(&alpn),
        session: session.as_ref().map(PinnedBytes::as_slice),
        keep: key.filter(|_| marks & tls_mark::KEEPS != 0),
        status: marks & tls_mark::WANTS_STATUS != 0,
        sessions: marks & tls_mark::TELL_SESSIONS != 0,
        keys: marks & tls_mark::TELL_KEYS != 0,
        shared_keys: marks & tls_mark::SHARED_KEYS != 0,
        traced: marks & tls_mark::TRACED != 0,
    };
    let session = Session::client(&context, terms)?;
    Ok(stream.start_tls(session))
}

/// Waits for a ClientHello: 0 or a negative errno. The TLS event of kind 2 asks for [`tls_choose`]. `marks`: as for clients, and 16 (ask for a
/// certificate), 32 (refuse clients without one). `hint`: what clients are told about the pre-shared key; EINVAL if it is too long.
#[op]
pub(crate) fn tls_start_server(
    scope: &mut Scope<'_>,
    socket: u32,
    context: u32,
    marks: u32,
    hint: Option<String>,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let (Some(stream), Some(context)) = (net.stream(socket), net.tls_context(context)) else {
        return Ok(-libc::EBADF);
    };
    let ask = match (marks & tls_mark::ASKS != 0, marks & tls_mark::REQUIRES != 0) {
        (false, _) => Ask::Nothing,
        (true, false) => Ask::Certificate,
        (true, true) => Ask::Required,
    };
    let mut session = Session::server(&context, ask);
    session.tell(marks & tls_mark::TELL_SESSIONS != 0, marks & tls_mark::TELL_KEYS != 0);
    if marks & tls_mark::TRACED != 0 {
        session.trace();
    }
    if marks & tls_mark::SHARED_KEYS != 0 {
        session.use_keys()?;
        if hint.is_some_and(|hint| !session.set_hint(&hint)) {
            return Ok(-libc::EINVAL);
        }
    }
    Ok(stream.start_tls(session))
}

/// Answers the question for a pre-shared key: with the identity (a client's, else empty) and the key, or without a key.
#[op]
pub(crate) fn tls_answer(
    scope: &mut Scope<'_>,
    socket: u32,
    identity: String,
    key: Option<PinnedBytes>,
) -> Result<(), Exc> {
    let Some(stream) = Net::of(scope).stream(socket) else { return Ok(()) };
    let received = stream.with_tls(|tls| tls.answer(&identity, key.as_ref().map(PinnedBytes::as_slice)));
    // Functions of the program are called now, which may transfer what they have given.
    drop(key);
    match received {
        Some(received) => stream.received(scope, received),
        None => Ok(()),
    }
}

/// Says on standard error what TLS sends and receives from now on.
#[op]
pub(crate) fn tls_trace(scope: &mut Scope<'_>, socket: u32) {
    ask(scope, socket, |tls| tls.trace());
}

/// Before [`tls_choose`]: the session that was found for the one that a client names, and a status of the certificate (OCSP, DER).
#[op]
pub(crate) fn tls_prepare(
    scope: &mut Scope<'_>,
    socket: u32,
    session: Option<PinnedBytes>,
    status: Option<PinnedBytes>,
) {
    if let Some(stream) = Net::of(scope).stream(socket) {
        let (session, status) =
            (session.as_ref().map(PinnedBytes::as_slice), status.as_ref().map(PinnedBytes::as_slice));
        stream.with_tls(|tls| tls.prepare(session, status));
    }
}

/// Goes on with a handshake, with this context and these protocols.
#[op]
pub(crate) fn tls_choose(scope: &mut Scope<'_>, socket: u32, context: u32, alpn: Vec<String>) -> Result<(), Exc> {
    let net = Net::of(scope);
    let (Some(stream), Some(context)) = (net.stream(socket), net.tls_context(context)) else { return Ok(()) };
    match stream.with_tls(|tls| tls.choose(&context, protocols(&alpn))) {
        Some(received) => stream.received(scope, received),
        None => Ok(()),
    }
}

/// JavaScript agrees to who the peer is; until then nothing that was written is sent.
#[op]
pub(crate) fn tls_release(scope: &mut Scope<'_>, socket: u32) {
    if let Some(stream) = Net::of(scope).stream(socket) {
        stream.release_tls();
    }
}

/// Two connected sockets, for TLS over something that is no socket: `[0, number, number]` or `[errno, …]`.
#[op]
pub(crate) fn socket_pair(scope: &mut Scope<'_>) -> (i32, u32, u32) {
    let net = Net::of(scope);
    let mut pair = [0i32; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: writes two integers.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) } < 0 {
        return (-crate::net::last_errno(), 0, 0);
    }
    (0, Stream::adopt(&net, pair[0], true).id, Stream::adopt(&net, pair[1], true).id)
}

/// What a connection's TLS says; the default where there is none.
fn ask<T: Default>(scope: &mut Scope<'_>, socket: u32, f: impl FnOnce(&mut Session) -> T) -> T {
    let net = Net::of(scope);
    if let Some(h3) = net.h3(socket) {
        return f(&mut h3.tls.borrow_mut());
    }
    net.stream(socket).and_then(|stream| stream.with_tls(f)).unwrap_or_default()
}

/// `[protocol, cipher suite, ALPN protocol, server name, failure of the peer's certificate, standard name of the suite]`
#[op]
pub(crate) fn tls_describe(scope: &mut Scope<'_>, socket: u32) -> Vec<String> {
    ask(scope, socket, |tls| tls.describe())
}

/// The peer's certificates (DER), its own first; behind them those of issuers that a context trusts, where one is given.
#[op]
pub(crate) fn tls_peer(scope: &mut Scope<'_>, socket: u32, context: Option<u32>) -> Vec<Vec<u8>> {
    let context = context.and_then(|context| Net::of(scope).tls_context(context));
    ask(scope, socket, |tls| tls.peer_certificates(context.as_deref()))
}

/// The own certificate in use (DER).
#[op]
pub(crate) fn tls_own_certificate(scope: &mut Scope<'_>, socket: u32) -> Option<Vec<u8>> {
    ask(scope, socket, |tls| tls.own_certificate())
}

/// Keying material (RFC 5705); undefined before the handshake has ended.
#[op]
pub(crate) fn tls_export(
    scope: &mut Scope<'_>,
    socket: u32,
    length: u32,
    label: String,
    context: Option<PinnedBytes>,
) -> Option<Vec<u8>> {
    let context = context.as_ref().map(PinnedBytes::as_slice);
    ask(scope, socket, |tls| tls.export(label.as_bytes(), context, length as usize))
}

/// Sessions that have come up since the last call: identification and session by turns.
#[op]
pub(crate) fn tls_sessions(scope: &mut Scope<'_>, socket: u32) -> Vec<Vec<u8>> {
    ask(scope, socket, Session::take_sessions)
}

/// The session; with `named`, the identification of the one that the ClientHello names. Empty where there is none.
#[op]
pub(crate) fn tls_session(scope: &mut Scope<'_>, socket: u32, named: bool) -> Vec<u8> {
    ask(scope, socket, |tls| if named { tls.named_session() } else { tls.session() })
}

/// The ticket of the session; empty where there is none.
#[op]
pub(crate) fn tls_ticket(scope: &mut Scope<'_>, socket: u32) -> Vec<u8> {
    ask(scope, socket, |tls| tls.ticket())
}

/// Whether the session was resumed.
#[op]
pub(crate) fn tls_is_resumed(scope: &mut Scope<'_>, socket: u32) -> bool {
    ask(scope, socket, |tls| tls.is_resumed())
}

/// The group that keys were exchanged in, by its number (RFC 8446, 4.2.7).
#[op]
pub(crate) fn tls_group(scope: &mut Scope<'_>, socket: u32) -> u32 {
    ask(scope, socket, |tls| u32::from(tls.group()))
}

/// Algorithms of signatures that the peer takes.
#[op]
pub(crate) fn tls_peer_algorithms(scope: &mut Scope<'_>, socket: u32) -> Vec<String> {
    ask(scope, socket, |tls| tls.peer_algorithms())
}

/// The last Finished message that was sent or, with `peer`, that has come; empty where there is none.
#[op]
pub(crate) fn tls_finished(scope: &mut Scope<'_>, socket: u32, peer: bool) -> Vec<u8> {
    ask(scope, socket, |tls| tls.finished(peer))
}

/// The status of the server's certificate that has come (OCSP, DER).
#[op]
pub(crate) fn tls_status(scope: &mut Scope<'_>, socket: u32) -> Option<Vec<u8>> {
    ask(scope, socket, |tls| tls.status())
}

/// Sends at most so many bytes of plaintext in a record: whether that number is allowed.
#[op]
pub(crate) fn tls_max_fragment(scope: &mut Scope<'_>, socket: u32, size: u32) -> bool {
    ask(scope, socket, |tls| tls.set_max_fragment(size as usize))
}

/// Tells of new sessions and lines for key logs from now on, or no more.
#[op]
pub(crate) fn tls_tell(scope: &mut Scope<'_>, socket: u32, sessions: bool, keys: bool) {
    ask(scope, socket, |tls| tls.tell(sessions, keys));
}

/// Takes in ciphertext that has come by another way than the connection, before what comes there.
#[op]
pub(crate) fn tls_feed(scope: &mut Scope<'_>, socket: u32, bytes: PinnedBytes) -> Result<(), Exc> {
    let Some(stream) = Net::of(scope).stream(socket) else { return Ok(()) };
    let received = stream.with_tls(|tls| tls.receive(bytes.as_slice()));
    // Functions of the program are called now, which may transfer what they have given.
    drop(bytes);
    match received {
        Some(received) => stream.received(scope, received),
        None => Ok(()),
    }
}
