//! Ops of HTTP/1.1 and WebSocket on sockets: whole responses, files, parsers, frames.

use std::rc::Rc;

use engine::{Exc, Local, OpError, Scope, op, ts_constants};

use crate::http::Messages;
use crate::http::frames::{self, Frames};
use crate::http::parse::{Kind, METHODS};
use crate::net::Net;
use crate::ops::{LARGE, bad_chunk, written};
use crate::stream::{Stream, Written};

/// Flags of [`http_respond`].
#[ts_constants]
mod respond {
    pub(super) const NO_LENGTH: u32 = 1;
    pub(super) const NO_BODY: u32 = 2;
    pub(super) const NO_DATE: u32 = 4;
}

/// Answers a request: a head (Latin-1: status line and headers, each with its line end), the Date (not with flag 4) and
/// Content-Length (not with flag 1), then a body: undefined, a string or bytes. Flag 2: only the length of the body is sent.
/// Results as of [`write`].
#[op]
pub(crate) fn http_respond<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    head: Local<'s>,
    body: Local<'s>,
    flags: u32,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok(-libc::EBADF) };
    let mut out = net.out.take();
    out.clear();
    scope.append_latin1(head, &mut out)?;
    if flags & respond::NO_DATE == 0 {
        net.date.borrow_mut().append(&mut out);
    }
    let outcome = if body.is_string() {
        // Where the length ends up is only known once the string is bytes: room is left for its digits.
        if flags & respond::NO_LENGTH == 0 {
            out.extend_from_slice(b"Content-Length: ");
        }
        let digits = out.len();
        out.extend_from_slice(if flags & respond::NO_LENGTH == 0 { b"0000000000\r\n\r\n" } else { b"\r\n" });
        let from = out.len();
        scope.append_utf8(body, &mut out)?;
        let start = if flags & respond::NO_LENGTH == 0 { fill_length(&mut out, digits, from) } else { 0 };
        let end = if flags & respond::NO_BODY == 0 { out.len() } else { from };
        stream.write(&out[start..end])
    } else {
        let bytes = if body.is_undefined() { &[][..] } else { scope.bytes(body).ok_or_else(bad_chunk)? };
        if flags & respond::NO_LENGTH == 0 {
            let mut digits = [0u8; 20];
            out.extend_from_slice(b"Content-Length: ");
            out.extend_from_slice(decimal(bytes.len(), &mut digits));
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        if flags & respond::NO_BODY != 0 || bytes.is_empty() {
            stream.write(&out)
        } else if bytes.len() >= LARGE {
            stream.write_both(&out, bytes)
        } else {
            out.extend_from_slice(bytes);
            stream.write(&out)
        }
    };
    if out.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = out;
    }
    Ok(written(outcome))
}

/// Files up to this size are read and sent in one go over TLS.
const SMALL_FILE: u64 = 1 << 20;

/// From this size on the kernel sends a file by itself, see docs/decisions.md.
const SEND_FILE: u64 = 96 << 10;

/// Opens a file to be sent. A pipe without a writer would have the thread wait.
fn open_file(path: &str) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;

    // The socket sends files of the system.
    let real = match store::find(path.as_bytes(), true) {
        store::Place::Node(node) if !node.shared && !node.is_dir() => Some(store::extract(&node)?),
        store::Place::At(path) => String::from_utf8(path).ok().map(Into::into),
        _ => None,
    };
    let path = real.as_deref().unwrap_or(std::path::Path::new(path));
    std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)
}

/// The head before a file, in the buffer of writes: `head`, the date unless `flags` say no, and the length.
fn file_head(scope: &mut Scope<'_>, net: &Net, head: Local<'_>, length: u64, flags: u32) -> Result<Vec<u8>, Exc> {
    let mut out = net.out.take();
    out.clear();
    scope.append_latin1(head, &mut out)?;
    if flags & respond::NO_DATE == 0 {
        net.date.borrow_mut().append(&mut out);
    }
    let mut digits = [0u8; 20];
    out.extend_from_slice(b"Content-Length: ");
    out.extend_from_slice(decimal(length as usize, &mut digits));
    out.extend_from_slice(b"\r\n\r\n");
    Ok(out)
}

/// Answers as [`http_respond`] with what a file has, if that is a regular file: `(result of write, size)`, or 3 where the write event
/// will tell that the kernel has taken all of it and nothing may be written before, or 4 where that failed in the middle.
/// Otherwise nothing is sent, and the result is 2 (too large, or no file like that) or a negative errno of opening it.
#[op]
pub(crate) fn http_respond_file<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    head: Local<'s>,
    path: String,
    flags: u32,
) -> Result<(i32, f64), OpError> {
    use std::io::Read;

    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok((-libc::EBADF, 0.0)) };
    let mut file = match open_file(&path) {
        Ok(file) => file,
        Err(error) => return Ok((crate::net::negative(&error), 0.0)),
    };
    let size = match file.metadata() {
        Ok(status) if status.is_file() && (status.len() <= SMALL_FILE || !stream.is_secure()) => status.len(),
        _ => return Ok((2, 0.0)),
    };
    let mut out = file_head(scope, &net, head, size, flags)?;
    if size >= SEND_FILE && !stream.is_secure() {
        let outcome = match stream.write_before(&out) {
            Written::Failed(errno) => errno,
            _ => stream.send_file(file, 0, size),
        };
        *net.out.borrow_mut() = out;
        return Ok((
            if outcome == 0 {
                0
            } else if outcome == 1 {
                3
            } else {
                4
            },
            size as f64,
        ));
    }
    out.reserve(size as usize);
    let read = (&mut file).take(size).read_to_end(&mut out);
    let outcome = match read {
        // One that has become shorter meanwhile is not what was promised.
        Ok(count) if count as u64 == size => written(stream.write(&out)),
        Ok(_) => 2,
        Err(error) => crate::net::negative(&error),
    };
    if out.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = out;
    }
    Ok((outcome, size as f64))
}

/// Answers with a part of a file that the kernel sends by itself: the head as for [`http_respond`] (Content-Length is that of the
/// part), then `length` bytes from `start` on, at most what there is (undefined: to the end). `(result of write, length)`;
/// nothing was sent where the result is 2 (TLS, or no regular file) or a negative errno and the length is -1.
#[op]
pub(crate) fn http_send_file<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    head: Local<'s>,
    path: String,
    start: f64,
    length: Option<f64>,
    flags: u32,
) -> Result<(i32, f64), OpError> {
    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok((-libc::EBADF, -1.0)) };
    if stream.is_secure() {
        return Ok((2, -1.0));
    }
    let file = match open_file(&path) {
        Ok(file) => file,
        Err(error) => return Ok((crate::net::negative(&error), -1.0)),
    };
    let size = match file.metadata() {
        Ok(status) if status.is_file() => status.len(),
        _ => return Ok((2, -1.0)),
    };
    let start = start as u64;
    let rest = size.saturating_sub(start);
    let length = length.map_or(rest, |length| rest.min(length as u64));
    let out = file_head(scope, &net, head, length, flags)?;
    let head = stream.write_before(&out);
    let outcome = match head {
        Written::Failed(errno) => errno,
        _ => stream.send_file(file, start as i64, length),
    };
    *net.out.borrow_mut() = out;
    Ok((outcome, length as f64))
}

fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

/// Writes the length of what follows `from` to where ten digits have room, and moves what stands before it (`..digits`) up
/// to it: the message then begins at the number returned.
fn fill_length(out: &mut [u8], digits: usize, from: usize) -> usize {
    let mut buffer = [0u8; 20];
    let text = decimal(out.len() - from, &mut buffer);
    let gap = 10usize.saturating_sub(text.len());
    let first = digits + gap;
    out[first..first + text.len()].copy_from_slice(text);
    out.copy_within(0..digits, gap);
    gap
}

/// A parser of responses or requests: its number. `limit`: most bytes of a head; `lenient`: as `insecureHTTPParser`.
#[op]
pub(crate) fn http_create(scope: &mut Scope<'_>, response: bool, limit: u32, lenient: bool) -> u32 {
    let kind = if response { Kind::Response } else { Kind::Request };
    Messages::create(&Net::of(scope), kind, limit as usize, lenient)
}

/// Has the requests that come on a socket parsed, instead of read by JavaScript. The parser has the number of the socket, under which
/// JavaScript is told of both. `limit`: most bytes of a head. False where there is no such socket.
#[op]
pub(crate) fn http_serve(scope: &mut Scope<'_>, id: u32, limit: u32) -> bool {
    match Net::of(scope).stream(id) {
        None => false,
        Some(stream) => {
            Messages::serve(stream, limit as usize);
            true
        }
    }
}

/// What a parser of responses is to expect, see [`Messages::expect`].
#[op]
pub(crate) fn http_expect(scope: &mut Scope<'_>, parser: u32, bodyless: bool) {
    if let Some(messages) = Net::of(scope).messages(parser) {
        messages.expect(bodyless);
    }
}

/// Has the rest of a body gathered: it comes as one piece before its end, behind the bytes `early`. `expected`: how many bytes
/// the rest will be, or 0.
#[op]
pub(crate) fn http_collect<'s>(
    scope: &mut Scope<'s>,
    parser: u32,
    early: Local<'s>,
    expected: f64,
) -> Result<(), OpError> {
    if let Some(messages) = Net::of(scope).messages(parser) {
        messages.collect(scope.bytes(early).ok_or_else(bad_chunk)?, expected as usize);
    }
    Ok(())
}

/// Has a parser read from a socket, instead of JavaScript.
#[op]
pub(crate) fn http_consume(scope: &mut Scope<'_>, parser: u32, socket: u32) -> bool {
    let net = Net::of(scope);
    match (net.messages(parser), net.stream(socket)) {
        (Some(messages), Some(stream)) => {
            messages.consume(stream);
            true
        }
        _ => false,
    }
}

/// Gives the socket back to JavaScript.
#[op]
pub(crate) fn http_unconsume(scope: &mut Scope<'_>, parser: u32) {
    if let Some(messages) = Net::of(scope).messages(parser) {
        messages.detach();
    }
}

/// Parses bytes that come from elsewhere.
#[op]
pub(crate) fn http_execute<'s>(scope: &mut Scope<'s>, parser: u32, data: Local<'s>) -> Result<(), OpError> {
    let Some(messages) = Net::of(scope).messages(parser) else { return Ok(()) };
    let bytes = scope.bytes(data).ok_or_else(bad_chunk)?.to_vec();
    messages.feed(scope, &bytes)?;
    Ok(())
}

/// The connection has ended. Undefined, or `[code, reason]` where that is in the middle of a message.
#[op]
pub(crate) fn http_finish(scope: &mut Scope<'_>, parser: u32) -> Result<Option<(&'static str, &'static str)>, Exc> {
    let Some(messages) = Net::of(scope).messages(parser) else { return Ok(None) };
    Ok(messages.finish(scope)?.map(|error| (error.code, error.reason)))
}

/// `[ms since the message under way began or -1, whether its head is complete]`
#[op]
pub(crate) fn http_age(scope: &mut Scope<'_>, parser: u32) -> (f64, bool) {
    Net::of(scope).messages(parser).map_or((-1.0, false), |messages| messages.age())
}

/// Ends a parser; nothing happens where a socket has none (any more).
#[op]
pub(crate) fn http_free(scope: &mut Scope<'_>, parser: u32) {
    if let Some(messages) = Net::of(scope).messages(parser) {
        messages.free();
    }
}

/// Names of methods by their numbers.
#[op]
pub(crate) fn http_methods() -> Vec<String> {
    METHODS.iter().map(|method| (*method).to_string()).collect()
}

/// Sets the function that gets frames, see `Net::frame_callback`.
#[op]
pub(crate) fn ws_callback<'s>(scope: &mut Scope<'s>, function: Local<'s>) {
    let function = scope.global(function);
    *Net::of(scope).frame_callback.borrow_mut() = Some(function);
}

/// Has the frames of a WebSocket read from a socket from now on. `masked`: they must be, as those of clients; `limit`: most
/// bytes of one. False where there is no such socket.
#[op]
pub(crate) fn ws_start(scope: &mut Scope<'_>, id: u32, masked: bool, limit: f64) -> bool {
    match Net::of(scope).stream(id) {
        None => false,
        Some(stream) => {
            stream.read_frames(Frames::new(masked, limit as u64));
            true
        }
    }
}

/// Frames that came with the head of an answer.
#[op]
pub(crate) fn ws_feed<'s>(scope: &mut Scope<'s>, id: u32, data: Local<'s>) -> Result<(), OpError> {
    let Some(stream) = Net::of(scope).stream(id) else { return Ok(()) };
    let bytes = scope.bytes(data).ok_or_else(bad_chunk)?.to_vec();
    Ok(stream.feed_frames(scope, &bytes)?)
}

/// Sends one frame: its first byte, and a string or bytes (undefined for none). The number of bytes of the payload, -1 where
/// they wait for the kernel (the write event tells), less than -1 where they cannot be sent.
#[op]
pub(crate) fn ws_send<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    first: u8,
    payload: Local<'s>,
    masked: bool,
) -> Result<f64, OpError> {
    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok(-2.0) };
    let key = if masked { Some(frames::next_key(&net)?) } else { None };
    let mut out = net.out.take();
    frames::begin(&mut out);
    let empty = out.len();
    let (size, outcome) = if payload.is_string() {
        scope.append_utf8(payload, &mut out)?;
        let size = out.len() - empty;
        let start = frames::finish(&mut out, first, size, key);
        (size, stream.write(&out[start..]))
    } else {
        let bytes = if payload.is_undefined() { &[][..] } else { scope.bytes(payload).ok_or_else(bad_chunk)? };
        if bytes.len() >= LARGE && !masked {
            let start = frames::finish(&mut out, first, bytes.len(), None);
            (bytes.len(), stream.write_both(&out[start..], bytes))
        } else {
            out.extend_from_slice(bytes);
            let start = frames::finish(&mut out, first, bytes.len(), key);
            (bytes.len(), stream.write(&out[start..]))
        }
    };
    if out.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = out;
    }
    Ok(match outcome {
        Written::All => size as f64,
        Written::Later => -1.0,
        Written::Failed(_) => -2.0,
    })
}

/// What became of a published frame for one socket, if it is not simply on its way.
#[ts_constants]
mod published {
    /// It waits for the kernel: the write event tells.
    pub(super) const WAITS: u32 = 1;
    /// So much waits already that it was left out.
    pub(super) const DROPPED: u32 = 2;
    pub(super) const FAILED: u32 = 3;
}

/// Bytes of published frames that a socket keeps until the end of the turn.
const MAX_KEPT: usize = 64 << 10;

/// Sends one frame, made once, to many sockets: their numbers in a Uint32Array, without `except` (-1 for none). What is published
/// in one turn goes out together with [`ws_flush`]. A socket of which `limit` bytes (0 for any number) would wait for the kernel is
/// left out. Gives the number of bytes of the payload, then number and outcome (see `published`) of each socket that has one.
#[op]
pub(crate) fn ws_publish<'s>(
    scope: &mut Scope<'s>,
    ids: Local<'s>,
    except: f64,
    first: u8,
    payload: Local<'s>,
    limit: f64,
) -> Result<Vec<u32>, OpError> {
    let net = Net::of(scope);
    let mut frame = net.out.take();
    frames::begin(&mut frame);
    let empty = frame.len();
    if payload.is_string() {
        scope.append_utf8(payload, &mut frame)?;
    } else {
        frame.extend_from_slice(scope.bytes(payload).ok_or_else(bad_chunk)?);
    }
    let size = frame.len() - empty;
    let start = frames::finish(&mut frame, first, size, None);
    let bytes = &frame[start..];
    let mut outcomes = vec![u32::try_from(size).unwrap_or(u32::MAX)];
    let list = scope.bytes(ids).ok_or_else(bad_chunk)?;
    let mut kept = net.published.borrow_mut();
    for id in list.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)) {
        if f64::from(id) == except {
            continue;
        }
        let outcome = match net.stream(id) {
            None => published::FAILED,
            Some(stream) => publish(&stream, bytes, limit, &mut kept),
        };
        if outcome != 0 {
            outcomes.extend([id, outcome]);
        }
    }
    drop(kept);
    if frame.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = frame;
    }
    Ok(outcomes)
}

/// Writes a frame to one socket of many: 0 or a number of `published`.
fn publish(stream: &Rc<Stream>, frame: &[u8], limit: f64, kept: &mut Vec<Rc<Stream>>) -> u32 {
    let blocked = stream.is_writing() && !stream.is_corked();
    if blocked && limit > 0.0 && (stream.queued() + frame.len()) as f64 > limit {
        return published::DROPPED;
    }
    if !blocked && !stream.is_corked() && !stream.is_secure() {
        stream.set_cork(true);
        kept.push(stream.clone());
    }
    match stream.write(frame) {
        Written::Failed(_) => published::FAILED,
        Written::Later => published::WAITS,
        Written::All if stream.is_corked() && stream.queued() > MAX_KEPT => match stream.set_cork(false) {
            0 => 0,
            1 => published::WAITS,
            _ => published::FAILED,
        },
        Written::All => 0,
    }
}

/// Sends what was published since the last call: the numbers of sockets whose part waits for the kernel.
#[op]
pub(crate) fn ws_flush(scope: &mut Scope<'_>) -> Vec<u32> {
    let kept = Net::of(scope).published.take();
    kept.iter().filter(|stream| stream.is_corked() && stream.set_cork(false) == 1).map(|stream| stream.id).collect()
}
