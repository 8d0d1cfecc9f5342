//! Errors on both sides of the boundary: pending exceptions, and errors of ops that become JavaScript errors.

use std::fmt;
use std::io;

use mozjs::jsapi::{JS_ClearPendingException, JS_GetPendingException, JS_IsExceptionPending, JSProtoKey};

use crate::handles::{Local, Scope};

/// Proof that an exception is pending on the context. Whoever receives it passes it on or calls
/// [`Scope::take_exception`].
#[derive(Debug, Clone, Copy)]
pub struct Exc(());

impl Exc {
    pub(crate) fn pending() -> Exc {
        Exc(())
    }
}

/// A value, or a pending exception.
pub type JsResult<T> = Result<T, Exc>;

/// Which JavaScript constructor an [`OpError`] uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    Error,
    TypeError,
    RangeError,
    SyntaxError,
}

/// An error of a native function, turned into a JavaScript error with Node's properties.
#[derive(Debug)]
pub struct OpError {
    kind: ErrorKind,
    message: String,
    code: Option<String>,
    io: Option<Box<IoDetails>>,
    /// Further properties of the JavaScript error.
    fields: Vec<(&'static str, String)>,
    origin: Origin,
}

/// What becomes of an [`OpError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A new JavaScript error.
    Native,
    /// The exception that is pending already.
    Pending,
    /// The end of execution, see [`OpError::ended`].
    Ended,
}

#[derive(Debug)]
struct IoDetails {
    errno: i32,
    syscall: &'static str,
    path: Option<String>,
    dest: Option<String>,
}

impl OpError {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        OpError { kind, message: message.into(), code: None, io: None, fields: Vec::new(), origin: Origin::Native }
    }

    /// A wait was ended with its thread (`base::cancel`): no error, but the end of execution, which nothing can catch.
    pub fn ended() -> Self {
        OpError { origin: Origin::Ended, ..Self::new(ErrorKind::Error, "the thread has ended") }
    }

    /// A plain `Error`.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Error, message)
    }

    /// A `TypeError`.
    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::TypeError, message)
    }

    /// A `RangeError`.
    pub fn range_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::RangeError, message)
    }

    /// A `SyntaxError`.
    pub fn syntax_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::SyntaxError, message)
    }

    /// A failed system call, in the shape of Node's system errors: `code`, `errno` (negative), `syscall`.
    pub fn io(error: io::Error, syscall: &'static str) -> Self {
        Self::errno(error.raw_os_error().unwrap_or(libc::EIO), syscall)
    }

    /// The same from a positive errno number.
    pub fn errno(errno: i32, syscall: &'static str) -> Self {
        OpError {
            kind: ErrorKind::Error,
            message: String::new(),
            code: None,
            io: Some(Box::new(IoDetails { errno, syscall, path: None, dest: None })),
            fields: Vec::new(),
            origin: Origin::Native,
        }
    }

    /// Adds the `code` property.
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Adds a property with a text.
    pub fn field(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.fields.push((name, text.into()));
        self
    }

    /// Adds the `path` property of a system error.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        if let Some(io) = &mut self.io {
            io.path = Some(path.into());
        }
        self
    }

    /// Adds the `dest` property of a system error.
    pub fn dest(mut self, dest: impl Into<String>) -> Self {
        if let Some(io) = &mut self.io {
            io.dest = Some(dest.into());
        }
        self
    }

    /// The text of the JavaScript error's `message`.
    pub fn message(&self) -> String {
        let Some(io) = &self.io else { return self.message.clone() };
        let (code, text) = errno_name(io.errno);
        let mut message = format!("{code}: {text}, {}", io.syscall);
        if let Some(path) = &io.path {
            message.push_str(&format!(" '{path}'"));
        }
        if let Some(dest) = &io.dest {
            message.push_str(&format!(" -> '{dest}'"));
        }
        message
    }

    /// Makes the JavaScript error object. Not for an error that was made of a pending exception.
    pub fn to_js<'s>(&self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        let error = scope.new_error(self.kind, &self.message())?;
        for (name, text) in &self.fields {
            let text = scope.string(text)?;
            scope.set(error, name, text)?;
        }
        if let Some(io) = &self.io {
            let errno = scope.number(f64::from(-io.errno));
            scope.set(error, "errno", errno)?;
            let code = scope.string(self.code.as_deref().unwrap_or(errno_name(io.errno).0))?;
            scope.set(error, "code", code)?;
            let syscall = scope.string(io.syscall)?;
            scope.set(error, "syscall", syscall)?;
            if let Some(path) = &io.path {
                let path = scope.string(path)?;
                scope.set(error, "path", path)?;
            }
            if let Some(dest) = &io.dest {
                let dest = scope.string(dest)?;
                scope.set(error, "dest", dest)?;
            }
        } else if let Some(code) = &self.code {
            let code = scope.string(code)?;
            scope.set(error, "code", code)?;
        }
        Ok(error)
    }
}

/// The exception stays pending: [`Scope::throw_op_error`], which `#[op]` calls, passes it on.
impl From<Exc> for OpError {
    fn from(_: Exc) -> Self {
        OpError { origin: Origin::Pending, ..Self::new(ErrorKind::Error, "an exception is pending") }
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for OpError {}

/// One frame of a captured stack.
#[derive(Debug, Clone)]
pub struct StackFrame {
    /// Function name as the engine displays it; empty for top-level code.
    pub function: String,
    /// Script URL or path as given at compilation.
    pub source: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in UTF-16 units.
    pub column: u32,
    /// Set on frames reached through `await`.
    pub is_async: bool,
}

impl<'s> Scope<'s> {
    /// Makes an error object of `kind` with `message`; its stack is that of the running code.
    pub fn new_error(&mut self, kind: ErrorKind, message: &str) -> JsResult<Local<'s>> {
        let key = match kind {
            ErrorKind::Error => JSProtoKey::JSProto_Error,
            ErrorKind::TypeError => JSProtoKey::JSProto_TypeError,
            ErrorKind::RangeError => JSProtoKey::JSProto_RangeError,
            ErrorKind::SyntaxError => JSProtoKey::JSProto_SyntaxError,
        };
        self.new_error_of(key, message)
    }

    /// The same by the key of the error's class.
    pub(crate) fn new_error_of(&mut self, key: JSProtoKey, message: &str) -> JsResult<Local<'s>> {
        let message = self.string(message)?;
        // The realm's own constructor, whatever a program has put on `globalThis` in its place.
        let constructor = self.class_object(key)?;
        self.construct(constructor, &[message])
    }

    /// Makes `value` the pending exception.
    pub fn throw(&mut self, value: Local<'_>) -> Exc {
        // SAFETY: the handle is rooted.
        unsafe {
            mozjs::jsapi::JS_SetPendingException(
                self.cx,
                value.handle(),
                mozjs::jsapi::ExceptionStackBehavior::Capture,
            );
        };
        Exc::pending()
    }

    /// Throws an op error.
    pub fn throw_op_error(&mut self, error: &OpError) -> Exc {
        match error.origin {
            Origin::Ended => self.terminate(),
            Origin::Pending => Exc::pending(),
            Origin::Native => match error.to_js(self) {
                Ok(value) => self.throw(value),
                Err(exc) => exc,
            },
        }
    }

    /// Throws a `TypeError` with `message`.
    pub fn throw_type_error(&mut self, message: &str) -> Exc {
        self.throw_op_error(&OpError::type_error(message))
    }

    /// Throws an `Error` with `message`.
    pub fn throw_error(&mut self, message: &str) -> Exc {
        self.throw_op_error(&OpError::error(message))
    }

    /// Takes the pending exception. `None` means that execution was stopped without one (termination by an
    /// interrupt), which nothing can catch.
    pub fn take_exception(&mut self, _exc: Exc) -> Option<Local<'s>> {
        let out = self.undefined();
        // SAFETY: plain engine calls with rooted out location.
        unsafe {
            if !JS_IsExceptionPending(self.cx) {
                return None;
            }
            let got = JS_GetPendingException(self.cx, Scope::out(out));
            JS_ClearPendingException(self.cx);
            got.then_some(out)
        }
    }
}

/// Node's name and text for an errno number (libuv's tables).
pub(crate) fn errno_name(errno: i32) -> (&'static str, &'static str) {
    macro_rules! table {
        ($($name:ident $text:literal),* $(,)?) => {
            match errno {
                $(libc::$name => (stringify!($name), $text),)*
                _ => ("UNKNOWN", "unknown error"),
            }
        };
    }
    table! {
        E2BIG "argument list too long", EACCES "permission denied", EADDRINUSE "address already in use",
        EADDRNOTAVAIL "address not available", EAFNOSUPPORT "address family not supported",
        EAGAIN "resource temporarily unavailable", EALREADY "connection already in progress",
        EBADF "bad file descriptor", EBUSY "resource busy or locked", ECANCELED "operation canceled",
        ECONNABORTED "software caused connection abort", ECONNREFUSED "connection refused",
        ECONNRESET "connection reset by peer", EDESTADDRREQ "destination address required",
        EEXIST "file already exists", EFAULT "bad address in system call argument", EFBIG "file too large",
        EHOSTUNREACH "host is unreachable", EINTR "interrupted system call", EINVAL "invalid argument",
        EIO "i/o error", EISCONN "socket is already connected", EISDIR "illegal operation on a directory",
        ELOOP "too many symbolic links encountered", EMFILE "too many open files", EMSGSIZE "message too long",
        ENAMETOOLONG "name too long", ENETDOWN "network is down", ENETUNREACH "network is unreachable",
        ENFILE "file table overflow", ENOBUFS "no buffer space available", ENODEV "no such device",
        ENOENT "no such file or directory", ENOMEM "not enough memory", ENOPROTOOPT "protocol not available",
        ENOSPC "no space left on device", ENOSYS "function not implemented", ENOTCONN "socket is not connected",
        ENOTDIR "not a directory", ENOTEMPTY "directory not empty", ENOTSOCK "socket operation on non-socket",
        ENOTSUP "operation not supported on socket", EOVERFLOW "value too large for defined data type",
        EPERM "operation not permitted", EPIPE "broken pipe", EPROTO "protocol error",
        EPROTONOSUPPORT "protocol not supported", EPROTOTYPE "protocol wrong type for socket",
        ERANGE "result too large", EROFS "read-only file system", ESHUTDOWN "cannot send after transport endpoint shutdown",
        ESPIPE "invalid seek", ESRCH "no such process", ETIMEDOUT "connection timed out", ETXTBSY "text file is busy",
        EXDEV "cross-device link not permitted", ENXIO "no such device or address", EMLINK "too many links",
        ENOTTY "inappropriate ioctl for device", EILSEQ "illegal byte sequence", EDQUOT "disk quota exceeded",
        ENOEXEC "exec format error", EDOM "numerical argument out of domain", ECHILD "no child processes",
        ENODATA "no data available",
    }
}
