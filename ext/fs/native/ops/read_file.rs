//! Reading whole files.
//!
//! Bytes come in two steps: `readStart` reads the file and says how many bytes there are, `take…` hands them over. A small
//! file waits in the thread's buffer in between, so that JavaScript makes the view: one that it makes is a young object
//! with its bytes, one that native code makes is an old one with an ArrayBuffer beside it, which takes three times as
//! long and a full collection to go.

use std::cell::RefCell;
use std::os::fd::OwnedFd;

use engine::{Exc, IntoJs, JsResult, Local, OpError, Scope, op, ts_constants};

use crate::convert::{AsyncPath, PathArg};
use crate::sys::error::FsResult;
use crate::sys::file::{self, MAX_WHOLE_READ};
use crate::sys::read_small::{self, Attempt, Content};
use crate::sys::text::{Text, decode_utf8};

/// What has been read and not been taken.
#[derive(Default)]
enum Waiting {
    #[default]
    Nothing,
    /// So many bytes in the thread's buffer.
    Small(usize),
    Large(Vec<u8>),
    /// A file opened by an attempt to read it at once.
    Opened(OwnedFd),
}

thread_local! {
    static WAITING: RefCell<Waiting> = const { RefCell::new(Waiting::Nothing) };
}

fn wait(waiting: Waiting) {
    WAITING.with_borrow_mut(|place| *place = waiting);
}

fn take() -> Waiting {
    WAITING.take()
}

/// Above this many bytes, zeroing a view that JavaScript makes takes longer than making one here.
const FEW: usize = 8 * 1024;
/// What `read_start` gives back, unless it is a length.
#[ts_constants]
mod read_start {
    /// There are more bytes, for `take_bytes`.
    pub(super) const MANY: i32 = -1;
    /// Only the thread pool can tell.
    pub(super) const ELSEWHERE: i32 = -2;
}

fn length_for_js(length: usize) -> i32 {
    if length <= FEW { length as i32 } else { read_start::MANY }
}

/// Reads a file. So many bytes are there for `take_into`, or -1: more are, for `take_bytes`.
#[op]
pub(super) fn read_start_sync(path: PathArg, flags: i32) -> Result<i32, OpError> {
    match read_small::with_buffer(|buffer| read_small::read(&path.0, flags, MAX_WHOLE_READ, buffer))? {
        Content::Small(length) => {
            wait(Waiting::Small(length));
            Ok(length_for_js(length))
        }
        Content::Large(bytes) => {
            wait(Waiting::Large(bytes));
            Ok(read_start::MANY)
        }
    }
}

/// The same for a file that can be read without waiting for a device; -2 where it cannot, and for all errors: then
/// `read_file`, called next with the same path, gets them.
#[op]
pub(super) fn read_start(scope: &mut Scope<'_>, path: PathArg) -> i32 {
    if !scope.may_complete_now() {
        return read_start::ELSEWHERE;
    }
    match read_small::with_buffer(|buffer| read_small::try_now(&path.0, buffer)) {
        Attempt::Done(length) => {
            wait(Waiting::Small(length));
            length_for_js(length)
        }
        Attempt::Opened(fd) => {
            wait(Waiting::Opened(fd));
            read_start::ELSEWHERE
        }
        Attempt::Elsewhere => {
            wait(Waiting::Nothing);
            read_start::ELSEWHERE
        }
    }
}

/// Copies what was read into a view of that length.
#[op]
pub(super) fn take_into(view: &mut [u8]) {
    if let Waiting::Small(length) = take() {
        let length = length.min(view.len());
        read_small::with_buffer(|buffer| view[..length].copy_from_slice(&buffer[..length]));
    }
}

/// What was read.
#[op]
pub(super) fn take_bytes() -> Vec<u8> {
    match take() {
        Waiting::Small(length) => read_small::with_buffer(|buffer| buffer[..length].to_vec()),
        Waiting::Large(bytes) => bytes,
        Waiting::Opened(_) | Waiting::Nothing => Vec::new(),
    }
}

/// What was read, as text; `strip`: without byte order mark.
#[op(ts(returns = "string"))]
pub(super) fn take_text<'s>(scope: &mut Scope<'s>, strip: bool) -> JsResult<Local<'s>> {
    match take() {
        Waiting::Small(length) => read_small::with_buffer(|buffer| text_of(scope, stripped(&buffer[..length], strip))),
        Waiting::Large(bytes) => text_of(scope, stripped(&bytes, strip)),
        Waiting::Opened(_) | Waiting::Nothing => scope.string(""),
    }
}

fn stripped(bytes: &[u8], strip: bool) -> &[u8] {
    if strip { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes }
}

fn text_of<'s>(scope: &mut Scope<'s>, bytes: &[u8]) -> JsResult<Local<'s>> {
    if bytes.is_ascii() { scope.latin1_string(bytes) } else { decode_utf8(bytes.to_vec()).into_js(scope) }
}

/// Gives `value` to the callback, or to the promise that is returned, in the next turn of the loop: the end of reading
/// a file that `read_start` has read.
#[op(ts(generic = "T", value = "T", callback = "Native.Callback<T> | undefined", returns = "Promise<T>"))]
pub(super) fn later<'s>(scope: &mut Scope<'s>, value: Local<'s>, callback: Local<'s>) -> JsResult<Local<'s>> {
    scope.complete_later(callback, value)
}

fn read_elsewhere(opened: Option<OwnedFd>, path: &AsyncPath, flags: i32) -> FsResult<Vec<u8>> {
    match opened {
        Some(fd) => read_small::read_opened(fd, MAX_WHOLE_READ),
        None => file::read_file(&path.0, flags, MAX_WHOLE_READ),
    }
}

/// The whole of a file as bytes, read on the thread pool. What `read_start` has opened is not opened again.
#[op(ts(
    callback = "Native.Callback<Uint8Array<ArrayBuffer>> | undefined",
    returns = "Promise<Uint8Array<ArrayBuffer>>"
))]
pub(super) fn read_file<'s>(
    scope: &mut Scope<'s>,
    path: AsyncPath,
    flags: i32,
    callback: Local<'s>,
) -> JsResult<Local<'s>> {
    let opened = match take() {
        Waiting::Opened(fd) => Some(fd),
        _ => None,
    };
    scope.run_blocking(callback, move || -> Result<Vec<u8>, OpError> { Ok(read_elsewhere(opened, &path, flags)?) })
}

/// The rest of an open file as bytes.
#[op]
pub(super) fn read_file_fd_sync(fd: i32) -> Result<Vec<u8>, OpError> {
    Ok(file::read_file_fd(fd, MAX_WHOLE_READ)?)
}

#[op(blocking)]
pub(super) fn read_file_fd(fd: i32) -> Result<Vec<u8>, OpError> {
    Ok(file::read_file_fd(fd, MAX_WHOLE_READ)?)
}

/// The whole of a file as text, decoded as UTF-8.
#[op(ts(returns = "string"))]
pub(super) fn read_text_sync<'s>(scope: &mut Scope<'s>, path: PathArg, flags: i32) -> Result<Local<'s>, Exc> {
    read_small::with_buffer(|buffer| match read_small::read(&path.0, flags, MAX_WHOLE_READ, buffer) {
        Ok(Content::Small(length)) => text_of(scope, &buffer[..length]),
        Ok(Content::Large(bytes)) => decode_utf8(bytes).into_js(scope),
        Err(error) => Err(scope.throw_op_error(&error.into())),
    })
}

/// The same without waiting: at once where no device is needed, else on the thread pool.
#[op(ts(callback = "Native.Callback<string> | undefined", returns = "Promise<string>"))]
pub(super) fn read_text<'s>(
    scope: &mut Scope<'s>,
    path: PathArg,
    flags: i32,
    callback: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let mut opened = None;
    if flags == 0 && scope.may_complete_now() {
        let text = read_small::with_buffer(|buffer| match read_small::try_now(&path.0, buffer) {
            Attempt::Done(length) => text_of(scope, &buffer[..length]).map(Some),
            Attempt::Opened(fd) => {
                opened = Some(fd);
                Ok(None)
            }
            Attempt::Elsewhere => Ok(None),
        });
        if let Some(text) = text? {
            return scope.complete_later(callback, text);
        }
    }
    let path = AsyncPath(path.0);
    scope.run_blocking(callback, move || -> Result<Text, OpError> {
        Ok(decode_utf8(read_elsewhere(opened, &path, flags)?))
    })
}

#[op]
pub(super) fn read_text_fd_sync(fd: i32) -> Result<Text, OpError> {
    Ok(decode_utf8(file::read_file_fd(fd, MAX_WHOLE_READ)?))
}

#[op(blocking)]
pub(super) fn read_text_fd(fd: i32) -> Result<Text, OpError> {
    Ok(decode_utf8(file::read_file_fd(fd, MAX_WHOLE_READ)?))
}
