//! What every function of the interface returns (js_native_api_types.h), and how a function body ends with it.

use std::ffi::{CStr, c_char, c_void};

use engine::Exc;

/// `napi_status`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[expect(dead_code, reason = "the numbers are the interface's; Node does not use all of them either")]
pub enum Status {
    Ok,
    InvalidArg,
    ObjectExpected,
    StringExpected,
    NameExpected,
    FunctionExpected,
    NumberExpected,
    BooleanExpected,
    ArrayExpected,
    GenericFailure,
    PendingException,
    Cancelled,
    EscapeCalledTwice,
    HandleScopeMismatch,
    CallbackScopeMismatch,
    QueueFull,
    Closing,
    BigintExpected,
    DateExpected,
    ArraybufferExpected,
    DetachableArraybufferExpected,
    WouldDeadlock,
    NoExternalBuffersAllowed,
    CannotRunJs,
}

impl Status {
    /// The text that `napi_get_last_error_info` gives; none for success.
    pub fn message(self) -> Option<&'static CStr> {
        Some(match self {
            Status::Ok => return None,
            Status::InvalidArg => c"Invalid argument",
            Status::ObjectExpected => c"An object was expected",
            Status::StringExpected => c"A string was expected",
            Status::NameExpected => c"A string or symbol was expected",
            Status::FunctionExpected => c"A function was expected",
            Status::NumberExpected => c"A number was expected",
            Status::BooleanExpected => c"A boolean was expected",
            Status::ArrayExpected => c"An array was expected",
            Status::GenericFailure => c"Unknown failure",
            Status::PendingException => c"An exception is pending",
            Status::Cancelled => c"The async work item was cancelled",
            Status::EscapeCalledTwice => c"napi_escape_handle already called on scope",
            Status::HandleScopeMismatch => c"Invalid handle scope usage",
            Status::CallbackScopeMismatch => c"Invalid callback scope usage",
            Status::QueueFull => c"Thread-safe function queue is full",
            Status::Closing => c"Thread-safe function handle is closing",
            Status::BigintExpected => c"A bigint was expected",
            Status::DateExpected => c"A date was expected",
            Status::ArraybufferExpected => c"An arraybuffer was expected",
            Status::DetachableArraybufferExpected => c"A detachable arraybuffer was expected",
            Status::WouldDeadlock => c"Main thread would deadlock",
            Status::NoExternalBuffersAllowed => c"External buffers are not allowed",
            Status::CannotRunJs => c"Cannot run JavaScript",
        })
    }
}

/// `napi_extended_error_info`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ErrorInfo {
    pub message: *const c_char,
    pub engine_reserved: *mut c_void,
    pub engine_error_code: u32,
    pub error_code: Status,
}

/// How a function of the interface fails.
#[derive(Debug, Clone, Copy)]
pub enum Fail {
    Status(Status),
    /// A JavaScript exception is pending in the engine.
    Threw(Exc),
    /// The same, told by another status than `napi_pending_exception`.
    ThrewAs(Exc, Status),
}

impl From<Status> for Fail {
    fn from(status: Status) -> Self {
        Fail::Status(status)
    }
}

impl From<Exc> for Fail {
    fn from(exc: Exc) -> Self {
        Fail::Threw(exc)
    }
}

pub type Outcome = Result<(), Fail>;
