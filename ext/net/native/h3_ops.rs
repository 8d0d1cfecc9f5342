//! Native functions of HTTP/3. Endpoints and sessions are numbers; see `h3` for what they tell.

use std::rc::Rc;
use std::time::Duration;

use engine::{Exc, Local, OpError, Scope, op};
use http3::session::transport;

use crate::addr::Address;
use crate::h3::{Endpoint, H3, ServerTerms};
use crate::h3_socket::of_address;
use crate::net::Net;
use crate::ops::{bad_chunk, bind, bind_to, open_socket, set_int};
use crate::tls::{self, Ask, ClientTerms};

/// Quiet connections of a client say that they are there after this time, while requests are under way.
const ALIVE: Duration = Duration::from_secs(15);

fn h3(scope: &mut Scope<'_>, id: u32) -> Option<Rc<H3>> {
    Net::of(scope).h3(id)
}

/// Sets the function that is told what happens.
#[op]
pub(crate) fn h3_callback<'s>(scope: &mut Scope<'s>, function: Local<'s>) {
    let function = scope.global(function);
    *Net::of(scope).h3_callback.borrow_mut() = Some(function);
}

fn bound(address: &Address, flags: u32) -> Result<i32, i32> {
    let fd = open_socket(address.family(), libc::SOCK_DGRAM)?;
    let mut errno = 0;
    if address.family() == libc::AF_INET6 {
        errno = set_int(fd, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, i32::from(flags & bind::IPV6_ONLY != 0));
    }
    if errno == 0 && flags & bind::REUSE_PORT != 0 {
        errno = set_int(fd, libc::SOL_SOCKET, libc::SO_REUSEPORT, 1);
    }
    if errno == 0 {
        errno = bind_to(fd, address);
    }
    if errno < 0 {
        // SAFETY: made above, and known to nobody else.
        unsafe { libc::close(fd) };
        return Err(errno);
    }
    Ok(fd)
}

/// A server's endpoint: its number, or a negative errno. `contexts` of TLS: the first is for names that are not among `names`, which has
/// one (or a wildcard) for each. `ask`: for a certificate. `idle`: milliseconds of silence before a connection ends, 0 for any number.
#[op]
pub(crate) fn h3_listen(
    scope: &mut Scope<'_>,
    address: String,
    port: u16,
    flags: u32,
    contexts: Vec<u32>,
    names: Vec<String>,
    ask: bool,
    idle: u32,
) -> i32 {
    let net = Net::of(scope);
    let Some(address) = Address::ip(&address, port) else { return -libc::EINVAL };
    let known: Vec<_> = contexts.iter().filter_map(|id| net.tls_context(*id)).collect();
    let Some(context) = known.first().cloned() else { return -libc::EINVAL };
    let names = names.into_iter().zip(known).filter(|(name, _)| !name.is_empty()).collect();
    let fd = match bound(&address, flags) {
        Ok(fd) => fd,
        Err(errno) => return errno,
    };
    let idle = (idle > 0).then(|| Duration::from_millis(u64::from(idle)));
    let terms = ServerTerms {
        context,
        names,
        ask: if ask { Ask::Certificate } else { Ask::Nothing },
        transport: transport(true, idle, None),
    };
    match Endpoint::create(&net, fd, address.family() == libc::AF_INET6, Some(terms)) {
        Ok(endpoint) => endpoint.id as i32,
        Err(errno) => errno,
    }
}

/// An endpoint for clients' connections: its number, or a negative errno.
#[op]
pub(crate) fn h3_open(scope: &mut Scope<'_>) -> i32 {
    let net = Net::of(scope);
    let both = Address::ip("::", 0).map_or(Err(-libc::EINVAL), |address| bound(&address, 0).map(|fd| (fd, true)));
    let found = both.or_else(|_| {
        Address::ip("0.0.0.0", 0).map_or(Err(-libc::EINVAL), |address| bound(&address, 0).map(|fd| (fd, false)))
    });
    match found.and_then(|(fd, ipv6)| Endpoint::create(&net, fd, ipv6, None)) {
        Ok(endpoint) => endpoint.id as i32,
        Err(errno) => errno,
    }
}

/// Closes an endpoint; with `refuse`, it only takes no more connections.
#[op]
pub(crate) fn h3_close_endpoint(scope: &mut Scope<'_>, id: u32, refuse: bool) {
    if let Some(endpoint) = Net::of(scope).h3_endpoint(id) {
        if refuse {
            endpoint.refuse();
        } else {
            endpoint.close();
        }
    }
}

/// Begins a connection to an address: the number of its session. `name`: of the server, to tell it (SNI), or empty; `key`: what sessions of
/// TLS are kept under; `idle`: milliseconds of silence before the connection ends.
#[op]
pub(crate) fn h3_connect(
    scope: &mut Scope<'_>,
    endpoint: u32,
    address: String,
    port: u16,
    context: u32,
    name: String,
    key: Option<String>,
    idle: u32,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let (Some(endpoint), Some(context)) = (net.h3_endpoint(endpoint), net.tls_context(context)) else {
        return Ok(-libc::EBADF);
    };
    let Some(address) = Address::ip(&address, port).as_ref().and_then(of_address) else { return Ok(-libc::EINVAL) };
    let terms = ClientTerms { name: &name, protocols: &[b"h3".to_vec()], keep: key, ..ClientTerms::default() };
    let tls = tls::Session::quic_client(&context, terms)?;
    let idle = Duration::from_millis(u64::from(idle));
    match endpoint.connect(address, tls, transport(false, Some(idle), Some(ALIVE))) {
        Ok(id) => Ok(id as i32),
        Err(text) => Err(OpError::error(text)),
    }
}

/// Address, port and family of a session's peer.
#[op]
pub(crate) fn h3_address(scope: &mut Scope<'_>, id: u32) -> Option<(String, u16, u8)> {
    h3(scope, id).map(|h3| {
        let address = h3.remote();
        (address.ip().to_string(), address.port(), if address.is_ipv6() { 6 } else { 4 })
    })
}

/// Sends what there is.
#[op]
pub(crate) fn h3_flush(scope: &mut Scope<'_>, id: u32) -> Result<(), Exc> {
    match h3(scope, id) {
        Some(h3) => h3.flush(scope),
        None => Ok(()),
    }
}

/// Ends a session with a code: the peer is told. The number stays until [`h3_free`].
#[op]
pub(crate) fn h3_close(scope: &mut Scope<'_>, id: u32, code: u32) {
    if let Some(h3) = h3(scope, id) {
        h3.close(u64::from(code));
    }
}

/// Frees a session's number.
#[op]
pub(crate) fn h3_free(scope: &mut Scope<'_>, id: u32) {
    if let Some(h3) = h3(scope, id) {
        h3.free();
    }
}

/// Whether JavaScript wants to hear when the peer has all that was sent.
#[op]
pub(crate) fn h3_watch(scope: &mut Scope<'_>, id: u32, on: bool) {
    if let Some(h3) = h3(scope, id) {
        h3.watched.set(on);
    }
}

/// Takes no more requests.
#[op]
pub(crate) fn h3_goaway(scope: &mut Scope<'_>, id: u32) {
    if let Some(h3) = h3(scope, id) {
        h3.session.borrow_mut().go_away();
    }
}

/// Sends a header block: fields as `name NUL value NUL`, pseudo-fields first, by `kind` as for HTTP/2. `flags`: 1 nothing follows. The number
/// of a new stream, 0, or -1 where that cannot be.
#[op]
pub(crate) fn h3_headers<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    kind: u32,
    stream: u32,
    headers: Local<'s>,
    flags: u32,
) -> Result<i32, Exc> {
    let net = Net::of(scope);
    let Some(h3) = net.h3(id) else { return Ok(-1) };
    let mut text = Vec::new();
    scope.append_latin1(headers, &mut text)?;
    let end = flags & 1 != 0;
    let mut session = h3.session.borrow_mut();
    let done = match kind {
        0 => return Ok(session.request(&text, end).map_or(-1, |stream| stream as i32)),
        1 => session.respond(stream, &text, end),
        2 => session.info(stream, &text),
        _ => session.trailers(stream, &text),
    };
    Ok(if done { 0 } else { -1 })
}

/// The bytes of a string, as UTF-8, or of a view.
fn content<'s>(scope: &mut Scope<'s>, chunk: Local<'s>) -> Result<Vec<u8>, OpError> {
    if chunk.is_string() {
        let mut bytes = Vec::new();
        scope.append_utf8(chunk, &mut bytes)?;
        return Ok(bytes);
    }
    Ok(scope.bytes(chunk).ok_or_else(bad_chunk)?.to_vec())
}

/// Queues a string or bytes on a stream, and with `end` its end. False where there is no such stream.
#[op]
pub(crate) fn h3_write<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    stream: u32,
    chunk: Local<'s>,
    end: bool,
) -> Result<bool, OpError> {
    let Some(h3) = h3(scope, id) else { return Ok(false) };
    let bytes = content(scope, chunk)?;
    let mut session = h3.session.borrow_mut();
    let known = session.write(stream, bytes);
    if end {
        session.shut(stream);
    }
    Ok(known)
}

/// Answers a request in one call: fields as of [`h3_headers`], then the whole body: undefined, a string or bytes. `quiet`: that the stream is
/// closed then is only told where it came to a bad end.
#[op]
pub(crate) fn h3_reply<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    stream: u32,
    headers: Local<'s>,
    body: Local<'s>,
    quiet: bool,
) -> Result<i32, OpError> {
    let Some(h3) = h3(scope, id) else { return Ok(-1) };
    let mut text = Vec::new();
    scope.append_latin1(headers, &mut text)?;
    let body = if body.is_undefined() { None } else { Some(content(scope, body)?) };
    let mut session = h3.session.borrow_mut();
    if quiet {
        session.hush(stream);
    }
    if !session.respond(stream, &text, body.is_none()) {
        return Ok(-1);
    }
    if let Some(bytes) = body {
        session.finish(stream, bytes);
    }
    Ok(0)
}

/// Ends the writing side of a stream.
#[op]
pub(crate) fn h3_shut(scope: &mut Scope<'_>, id: u32, stream: u32) {
    if let Some(h3) = h3(scope, id) {
        h3.session.borrow_mut().shut(stream);
    }
}

/// Whether what comes on a stream is wanted.
#[op]
pub(crate) fn h3_reading(scope: &mut Scope<'_>, id: u32, stream: u32, on: bool) {
    if let Some(h3) = h3(scope, id) {
        h3.session.borrow_mut().set_reading(stream, on);
    }
}

/// Ends a stream with a code.
#[op]
pub(crate) fn h3_reset(scope: &mut Scope<'_>, id: u32, stream: u32, code: u32) {
    if let Some(h3) = h3(scope, id) {
        h3.session.borrow_mut().reset(stream, u64::from(code));
    }
}
