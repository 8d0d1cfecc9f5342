//! Native functions of HTTP/2. A session is a number; see `h2` for what it tells.

use std::rc::Rc;

use engine::{Exc, Local, OpError, Scope, op, ts_constants};
use http2::session::SendHeaders;
use http2::{Options, Padding, Session};

use crate::h2::H2;
use crate::net::Net;
use crate::ops::bad_chunk;

/// The session's number is not in use.
const GONE: i32 = -510;

fn h2(scope: &mut Scope<'_>, id: u32) -> Option<Rc<H2>> {
    Net::of(scope).h2(id)
}

/// Sets the function that is told what happens.
#[op]
pub(crate) fn h2_callback<'s>(scope: &mut Scope<'s>, function: Local<'s>) {
    let function = scope.global(function);
    *Net::of(scope).h2_callback.borrow_mut() = Some(function);
}

/// A session: its number. `limits`: fifteen numbers in the order of `http2::Options`, NaN for what is usual, then settings of the peer
/// that are of interest.
#[op]
pub(crate) fn h2_create(scope: &mut Scope<'_>, server: bool, limits: Vec<f64>) -> u32 {
    let mut options = Options::new(server);
    let given = |index: usize| limits.get(index).copied().filter(|value| !value.is_nan());
    if let Some(value) = given(0) {
        options.max_deflate_table = value as u32;
    }
    if let Some(value) = given(1) {
        options.max_reserved_streams = value as u32;
    }
    if let Some(value) = given(2) {
        options.max_send_block = value as usize;
    }
    if let Some(value) = given(3) {
        options.peer_max_streams = value as u32;
    }
    if let Some(value) = given(4) {
        options.padding = match value as u32 {
            1 => Padding::Aligned,
            2 => Padding::Max,
            _ => Padding::None,
        };
    }
    if let Some(value) = given(5) {
        options.max_fields = (value as usize).max(if server { 4 } else { 1 });
    }
    if let Some(value) = given(6) {
        options.max_pings = value as usize;
    }
    if let Some(value) = given(7) {
        options.max_pending_settings = value as usize;
    }
    if let Some(value) = given(8) {
        options.max_memory = (value * 1e6) as usize;
    }
    if let Some(value) = given(9) {
        options.max_settings = value as usize;
    }
    if let Some(value) = given(10) {
        options.reset_burst = value;
    }
    if let Some(value) = given(11) {
        options.reset_rate = value;
    }
    if let Some(value) = given(12) {
        options.strict_whitespace = value != 0.0;
    }
    if let Some(value) = given(13) {
        options.max_invalid_frames = value as u32;
    }
    if let Some(value) = given(14) {
        options.max_rejected_streams = value as u32;
    }
    options.remote_custom = limits.iter().skip(15).map(|id| *id as u16).collect();
    H2::create(&Net::of(scope), Session::new(options))
}

/// Has a session read from and write to a socket. False where there is no such socket.
#[op]
pub(crate) fn h2_consume(scope: &mut Scope<'_>, id: u32, socket: u32) -> bool {
    let net = Net::of(scope);
    match (net.h2(id), net.stream(socket)) {
        (Some(h2), Some(stream)) => {
            h2.consume(stream);
            true
        }
        _ => false,
    }
}

/// Gives bytes that came by another way to a session.
#[op]
pub(crate) fn h2_feed<'s>(scope: &mut Scope<'s>, id: u32, data: Local<'s>) -> Result<(), OpError> {
    let Some(h2) = h2(scope, id) else { return Ok(()) };
    let bytes = scope.bytes(data).ok_or_else(bad_chunk)?.to_vec();
    Ok(h2.feed(scope, &bytes, false)?)
}

/// Sends what there is.
#[op]
pub(crate) fn h2_flush(scope: &mut Scope<'_>, id: u32) -> Result<(), Exc> {
    match h2(scope, id) {
        Some(h2) => h2.flush(scope),
        None => Ok(()),
    }
}

/// What was given to JavaScript to be written has been.
#[op]
pub(crate) fn h2_written(scope: &mut Scope<'_>, id: u32) -> Result<(), Exc> {
    match h2(scope, id) {
        Some(h2) => h2.drained(scope),
        None => Ok(()),
    }
}

/// Ends a session, with a last GOAWAY where `send` is set. The number stays until [`h2_free`].
#[op]
pub(crate) fn h2_close(scope: &mut Scope<'_>, id: u32, code: u32, send: bool) -> Result<(), Exc> {
    match h2(scope, id) {
        Some(h2) => h2.close(scope, code, send),
        None => Ok(()),
    }
}

/// Frees a session's number.
#[op]
pub(crate) fn h2_free(scope: &mut Scope<'_>, id: u32) {
    if let Some(h2) = h2(scope, id) {
        h2.free();
    }
}

/// Whether something is still to be sent.
#[op]
pub(crate) fn h2_pending(scope: &mut Scope<'_>, id: u32) -> bool {
    h2(scope, id).is_some_and(|h2| h2.is_pending())
}

/// What JavaScript wants to hear of beside the rest: 1 priorities, 2 when nothing is left to be sent.
#[op]
pub(crate) fn h2_watch(scope: &mut Scope<'_>, id: u32, bits: u32) {
    if let Some(h2) = h2(scope, id) {
        h2.watched.set(bits);
    }
}

/// Writes to the socket so far.
#[op]
pub(crate) fn h2_writes(scope: &mut Scope<'_>, id: u32) -> u32 {
    h2(scope, id).map_or(0, |h2| h2.writes.get())
}

/// Sends settings: identifiers and values in turn. False where too many wait for an answer.
#[op]
pub(crate) fn h2_settings(scope: &mut Scope<'_>, id: u32, list: Vec<f64>) -> bool {
    let pairs: Vec<(u16, u32)> = list.chunks_exact(2).map(|pair| (pair[0] as u16, pair[1] as u32)).collect();
    h2(scope, id).is_some_and(|h2| h2.session.borrow_mut().submit_settings(&pairs))
}

/// The settings in force of this side, or of the peer: table size, push, window, frame size, streams, header list, connect protocol, then
/// others as identifiers and values.
#[op]
pub(crate) fn h2_settings_of(scope: &mut Scope<'_>, id: u32, remote: bool) -> Vec<f64> {
    let Some(h2) = h2(scope, id) else { return Vec::new() };
    let session = h2.session.borrow();
    if remote { session.remote_settings().list() } else { session.local_settings().list() }
}

/// Sends a ping of eight bytes; false where too many wait for an answer.
#[op]
pub(crate) fn h2_ping(scope: &mut Scope<'_>, id: u32, payload: Vec<u8>) -> bool {
    match (h2(scope, id), <[u8; 8]>::try_from(payload)) {
        (Some(h2), Ok(payload)) => h2.session.borrow_mut().submit_ping(&payload),
        _ => false,
    }
}

/// Sends a GOAWAY, with bytes for whoever looks into it.
#[op]
pub(crate) fn h2_goaway(scope: &mut Scope<'_>, id: u32, code: u32, last: u32, data: Option<Vec<u8>>) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().submit_goaway(code, last, data.as_deref().unwrap_or(&[]));
    }
}

/// Sends an ALTSVC frame.
#[op]
pub(crate) fn h2_altsvc<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    stream: u32,
    origin: Local<'s>,
    value: Local<'s>,
) -> Result<(), Exc> {
    let (mut from, mut text) = (Vec::new(), Vec::new());
    scope.append_latin1(origin, &mut from)?;
    scope.append_latin1(value, &mut text)?;
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().submit_altsvc(stream, &from, &text);
    }
    Ok(())
}

/// Sends an ORIGIN frame.
#[op]
pub(crate) fn h2_origin(scope: &mut Scope<'_>, id: u32, origins: Vec<String>) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().submit_origin(origins.iter().map(String::as_bytes));
    }
}

/// See `Session::state`.
#[op]
pub(crate) fn h2_state(scope: &mut Scope<'_>, id: u32) -> Vec<f64> {
    h2(scope, id).map_or_else(Vec::new, |h2| h2.session.borrow().state().to_vec())
}

/// See `Session::stream_state`.
#[op]
pub(crate) fn h2_stream_state(scope: &mut Scope<'_>, id: u32, stream: u32) -> Vec<f64> {
    h2(scope, id).map_or_else(Vec::new, |h2| h2.session.borrow().stream_state(stream).to_vec())
}

/// The window of the connection.
#[op]
pub(crate) fn h2_window(scope: &mut Scope<'_>, id: u32, size: u32) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().set_local_window(size);
    }
}

/// Chooses the next stream; false where that cannot be.
#[op]
pub(crate) fn h2_next_id(scope: &mut Scope<'_>, id: u32, next: u32) -> bool {
    h2(scope, id).is_some_and(|h2| h2.session.borrow_mut().set_next_id(next))
}

/// How header blocks are sent.
#[ts_constants]
mod h2_block {
    /// A request, on a new stream.
    pub(super) const REQUEST: u32 = 0;
    /// An answer.
    pub(super) const RESPOND: u32 = 1;
    /// What comes before the answer.
    pub(super) const INFO: u32 = 2;
    pub(super) const TRAILERS: u32 = 3;
    /// A promise on a stream.
    pub(super) const PUSH: u32 = 4;
}

/// Sends a header block: fields as `name NUL value NUL`, with a 1 before names that must never be indexed. `kind`: 0 a request, 1 an
/// answer, 2 before the answer, 3 trailers, 4 a promise on `stream`. `flags`: 1 nothing follows, 2 trailers will. The number of a new
/// stream, 0, or what is wrong (nghttp2's number).
#[op]
pub(crate) fn h2_headers<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    kind: u32,
    stream: u32,
    headers: Local<'s>,
    flags: u32,
) -> Result<i32, Exc> {
    let net = Net::of(scope);
    let Some(h2) = net.h2(id) else { return Ok(GONE) };
    let mut text = net.out.take();
    text.clear();
    scope.append_latin1(headers, &mut text)?;
    let how = SendHeaders { end: flags & 1 != 0, trailers: flags & 2 != 0 };
    let result = {
        let mut session = h2.session.borrow_mut();
        // Fields are separated, not ended, where they are parsed.
        let fields = text.strip_suffix(&[0]).unwrap_or(&text);
        match kind {
            h2_block::REQUEST => session.request(fields, how),
            h2_block::RESPOND => session.respond(stream, fields, how),
            h2_block::INFO => session.info(stream, fields),
            h2_block::TRAILERS => session.trailers(stream, fields),
            h2_block::PUSH => session.push(stream, fields, how),
            _ => GONE,
        }
    };
    *net.out.borrow_mut() = text;
    Ok(result)
}

/// Queues a string (`encoding`: 1 Latin-1, else UTF-8) or bytes on a stream, and with `end` its end. False where there is no such stream.
#[op]
pub(crate) fn h2_write<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    stream: u32,
    chunk: Local<'s>,
    encoding: u32,
    end: bool,
) -> Result<bool, OpError> {
    let Some(h2) = h2(scope, id) else { return Ok(false) };
    let mut outcome = Ok(());
    let known = if chunk.is_string() {
        h2.session.borrow_mut().write(stream, |queue| {
            outcome = if encoding == 1 { scope.append_latin1(chunk, queue) } else { scope.append_utf8(chunk, queue) };
        })
    } else {
        let bytes = scope.bytes(chunk).ok_or_else(bad_chunk)?;
        h2.session.borrow_mut().write(stream, |queue| queue.extend_from_slice(bytes))
    };
    if end {
        h2.session.borrow_mut().shut(stream);
    }
    outcome?;
    Ok(known)
}

/// Answers a request in one call: fields as of [`h2_headers`], then the whole body: undefined, a string or bytes. `quiet`: that the
/// stream is closed then is only told where it came to a bad end.
#[op]
pub(crate) fn h2_reply<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    stream: u32,
    headers: Local<'s>,
    body: Local<'s>,
    quiet: bool,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let Some(h2) = net.h2(id) else { return Ok(GONE) };
    let mut text = net.out.take();
    text.clear();
    scope.append_latin1(headers, &mut text)?;
    let empty = body.is_undefined();
    let result = {
        let fields = text.strip_suffix(&[0]).unwrap_or(&text);
        let mut session = h2.session.borrow_mut();
        if quiet {
            session.hush(stream);
        }
        session.respond(stream, fields, SendHeaders { end: empty, trailers: false })
    };
    if result == 0 && !empty {
        text.clear();
        let bytes = if body.is_string() {
            scope.append_utf8(body, &mut text)?;
            &text[..]
        } else {
            scope.bytes(body).ok_or_else(bad_chunk)?
        };
        h2.session.borrow_mut().finish(stream, bytes);
    }
    if text.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = text;
    }
    Ok(result)
}

/// Ends the writing side of a stream.
#[op]
pub(crate) fn h2_shut(scope: &mut Scope<'_>, id: u32, stream: u32) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().shut(stream);
    }
}

/// Whether what comes on a stream is wanted.
#[op]
pub(crate) fn h2_reading(scope: &mut Scope<'_>, id: u32, stream: u32, on: bool) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().set_reading(stream, on);
    }
}

/// Ends a stream with a code.
#[op]
pub(crate) fn h2_reset(scope: &mut Scope<'_>, id: u32, stream: u32, code: u32) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().reset(stream, code);
    }
}

/// Nobody has use for a stream any more.
#[op]
pub(crate) fn h2_abandon(scope: &mut Scope<'_>, id: u32, stream: u32) {
    if let Some(h2) = h2(scope, id) {
        h2.session.borrow_mut().abandon(stream);
    }
}
