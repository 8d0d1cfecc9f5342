//! Between JavaScript values and what [`crate::sys`] works with.

use std::os::fd::{IntoRawFd, OwnedFd};

use engine::{FromJs, FromJsAsync, IntoJs, JsResult, JsStr, Local, OpError, PinnedBytes, Scope};

use crate::sys::error::FsError;
use crate::sys::path::{FsPath, NulInPath};
use crate::sys::text::{Text, decode_utf8};

impl From<FsError> for OpError {
    fn from(error: FsError) -> Self {
        if let Some(denied) = &error.denied {
            return OpError::error(denied.message())
                .code("ERR_ACCESS_DENIED")
                .field("permission", denied.area.name())
                .field("resource", denied.resource.as_str());
        }
        if let Some(size) = error.too_large {
            return OpError::range_error(format!("File size ({size}) is greater than 2 GiB"))
                .code("ERR_FS_FILE_TOO_LARGE");
        }
        let mut op_error = OpError::errno(error.errno.raw_os_error(), error.syscall);
        if let Some(path) = &error.path {
            op_error = op_error.path(String::from_utf8_lossy(path));
        }
        if let Some(dest) = &error.dest {
            op_error = op_error.dest(String::from_utf8_lossy(dest));
        }
        op_error
    }
}

/// A NUL gets here only past ext/fs/utils.ts, which says so in better words.
fn nul_error(_: NulInPath) -> OpError {
    OpError::type_error("a path must not contain null bytes").code("ERR_INVALID_ARG_VALUE")
}

/// A path argument of a synchronous op: read off the string without a detour.
pub(crate) struct PathArg(pub FsPath);

/// In TypeScript: `string`.
impl<'a> FromJs<'a> for PathArg {
    fn from_js(scope: &mut Scope<'a>, value: Local<'a>) -> Result<Self, OpError> {
        let text = JsStr::from_js(scope, value)?;
        let path = if text.is_latin1() { FsPath::from_latin1(text.latin1()) } else { FsPath::from_utf16(text.utf16()) };
        path.map(PathArg).map_err(nul_error)
    }
}

/// A path argument of an op that runs elsewhere.
pub(crate) struct AsyncPath(pub FsPath);

/// In TypeScript: `string`.
impl FromJsAsync for AsyncPath {
    fn from_js_async(scope: &mut Scope<'_>, value: Local<'_>) -> Result<Self, OpError> {
        let text = String::from_js_async(scope, value)?;
        FsPath::from_text(&text).map(AsyncPath).map_err(nul_error)
    }
}

/// An array of buffers or views, each kept in place.
pub(crate) struct PinnedList(pub Vec<PinnedBytes>);

/// In TypeScript: `readonly Native.Bytes[]`.
impl FromJsAsync for PinnedList {
    fn from_js_async(scope: &mut Scope<'_>, value: Local<'_>) -> Result<Self, OpError> {
        let broken = || OpError::type_error("native function expected an array of views");
        scope.nested(|scope| {
            let length = scope.array_length(value).map_err(|exc| {
                scope.take_exception(exc);
                broken()
            })?;
            let mut list = Vec::with_capacity(length as usize);
            for index in 0..length {
                let item = scope.get_index(value, index).map_err(|exc| {
                    scope.take_exception(exc);
                    broken()
                })?;
                list.push(scope.pin_bytes(item).ok_or_else(broken)?);
            }
            Ok(PinnedList(list))
        })
    }
}

/// In TypeScript: `string`.
impl IntoJs for Text {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match self {
            Text::Latin1(chars) => scope.latin1_string(&chars),
            Text::Utf16(units) => scope.utf16_string(&units),
        }
    }
}

/// A path as a result: an ordinary string, or U+0000 and the bytes where they are not UTF-8 (see
/// [`crate::sys::path`]).
pub(crate) struct PathText(pub Vec<u8>);

/// In TypeScript: `string`.
impl IntoJs for PathText {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => scope.string(text),
            Err(_) => {
                let mut marked = Vec::with_capacity(self.0.len() + 1);
                marked.push(0);
                marked.extend_from_slice(&self.0);
                scope.latin1_string(&marked)
            }
        }
    }
}

/// Names with NUL between them: a string, or the bytes where one of them is not UTF-8.
pub(crate) struct Names(pub Vec<u8>);

/// In TypeScript: `string | Uint8Array<ArrayBuffer>`.
impl IntoJs for Names {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        if self.0.is_ascii() || std::str::from_utf8(&self.0).is_ok() {
            decode_utf8(self.0).into_js(scope)
        } else {
            self.0.into_js(scope)
        }
    }
}

/// A descriptor for a program, which owns the number from then on. One that does not get there, because who waits for it has ended, is
/// closed.
pub(crate) struct Opened(pub OwnedFd);

/// In TypeScript: `number`.
impl IntoJs for Opened {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        self.0.into_raw_fd().into_js(scope)
    }
}

/// Text for the file system: UTF-8 of a string's characters, borrowed where they are ASCII.
pub(crate) fn utf8_of<'a>(text: &JsStr<'a>) -> std::borrow::Cow<'a, [u8]> {
    if !text.is_latin1() {
        return String::from_utf16_lossy(text.utf16()).into_bytes().into();
    }
    let chars = text.latin1();
    if chars.is_ascii() {
        return chars.into();
    }
    chars.iter().map(|&c| c as char).collect::<String>().into_bytes().into()
}

/// The part of a buffer that `offset` and `length` name (bytes).
pub(crate) fn window(whole: &[u8], offset: f64, length: f64) -> Result<&[u8], OpError> {
    let (from, to) = bounds(whole.len(), offset, length)?;
    Ok(&whole[from..to])
}

/// The same, to be written to.
pub(crate) fn window_mut(whole: &mut [u8], offset: f64, length: f64) -> Result<&mut [u8], OpError> {
    let (from, to) = bounds(whole.len(), offset, length)?;
    Ok(&mut whole[from..to])
}

fn bounds(size: usize, offset: f64, length: f64) -> Result<(usize, usize), OpError> {
    let (from, length) = (offset as usize, length as usize);
    match from.checked_add(length) {
        Some(to) if to <= size && offset >= 0.0 => Ok((from, to)),
        _ => Err(OpError::range_error("the range is outside of the buffer").code("ERR_OUT_OF_RANGE")),
    }
}
