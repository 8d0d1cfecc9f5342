//! Errors: making, throwing, the exception that is pending, the last error, the end of the process.

use std::ffi::{CStr, c_char};

use engine::{ErrorKind, Scope};
use run_options::NodeOption;
use runtime_core::{builtins, errors as runtime_errors};

use crate::env::{Env, Handle, L, S, basic, handle, optional, out, script, simple, text, value};
use crate::status::{ErrorInfo, Fail, Outcome, Status};

/// Handles the exception of a callback that the loop has called: an uncaught one.
pub fn uncaught(env: &Env, scope: &mut Scope<'_>, exc: engine::Exc) {
    runtime_errors::uncaught(scope, &env.state, exc);
}

/// The same for callbacks whose exceptions Node only warns of where the addon is made for a version below 10, unless an
/// option says otherwise.
pub fn callback_failed(env: &Env, scope: &mut Scope<'_>, exc: engine::Exc) {
    const OPTION: &str = "--force-node-api-uncaught-exceptions-policy";
    let options = &env.state.options.node_options;
    let is_forced = options.iter().any(|(name, value)| name == OPTION && matches!(value, NodeOption::Flag(true)));
    if env.version >= 10 || is_forced {
        return uncaught(env, scope, exc);
    }
    if scope.take_exception(exc).is_none() {
        return uncaught(env, scope, exc);
    }
    let warned = scope.nested(|scope| {
        let text = format!(
            "Uncaught N-API callback exception detected, please run node with option {OPTION}=true to handle those \
             exceptions properly."
        );
        let (text, kind, code) = (scope.string(&text)?, scope.string("DeprecationWarning")?, scope.string("DEP0168")?);
        builtins::call(scope, "internal/process/warning", "emitWarning", &[text, kind, code]).map(drop)
    });
    if let Err(exc) = warned {
        uncaught(env, scope, exc);
    }
}

/// Ends the process with a message, as `napi_fatal_error` does.
pub fn fatal(place: &str, message: &str) -> ! {
    fatal_text(&format!("{place} {message}"))
}

/// The same with one text.
pub fn fatal_text(text: &str) -> ! {
    let text = format!("FATAL ERROR: {text}\n");
    // SAFETY: plain calls with a valid text. The engine has an `abort` of its own, which ends with another signal.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::raise(libc::SIGABRT);
        libc::_exit(128 + libc::SIGABRT)
    }
}

fn lossy(chars: *const c_char, length: usize) -> String {
    text(chars.cast::<u8>(), length).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(bytes).into_owned())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_fatal_error(
    place: *const c_char,
    place_length: usize,
    message: *const c_char,
    message_length: usize,
) -> ! {
    fatal(&lossy(place, place_length), &lossy(message, message_length))
}

/// The error of the last call; valid until the next one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_last_error_info(env: *const Env, result: *mut *const ErrorInfo) -> Status {
    // SAFETY: null, or what `napi_env` is.
    let Some(env) = (unsafe { env.as_ref() }) else { return Status::InvalidArg };
    let Ok(result) = out(result) else { return env.set_last_error(Status::InvalidArg) };
    let mut info = env.last_error.get();
    info.message = info.error_code.message().map_or(std::ptr::null(), CStr::as_ptr);
    if info.error_code == Status::Ok {
        info.engine_error_code = 0;
        info.engine_reserved = std::ptr::null_mut();
    }
    env.last_error.set(info);
    result.write(env.last_error.as_ptr());
    Status::Ok
}

fn set_code(scope: &mut S, error: L, code: Option<L>) -> Result<(), Fail> {
    if let Some(code) = code {
        if !code.is_string() {
            return Err(Status::StringExpected.into());
        }
        scope.set(error, "code", code)?;
    }
    Ok(())
}

fn create(env: *const Env, kind: ErrorKind, code: Handle, message: Handle, result: *mut Handle) -> Status {
    simple(env, |_, scope| {
        let message = value(message)?;
        let result = out(result)?;
        if !message.is_string() {
            return Err(Status::StringExpected.into());
        }
        let error = scope.new_error_with(kind, message)?;
        set_code(scope, error, optional(code))?;
        result.write(handle(error));
        Ok(())
    })
}

/// The body of a function that throws. In a worker that was told to end nobody would get the error, and the addon is told so, even where the
/// worker has not noticed it yet.
fn throwing(env: *const Env, f: impl FnOnce(&Env, &mut S) -> Outcome) -> Status {
    script(env, |env, scope| if env.state.is_ending() { Err(Fail::Status(env.cannot_run())) } else { f(env, scope) })
}

fn throw(env: *const Env, kind: ErrorKind, code: *const c_char, message: *const c_char) -> Status {
    throwing(env, |env, scope| {
        let string = |scope: &mut S, chars: *const c_char| -> Result<L, Fail> {
            Ok(scope.string_lossy(text(chars.cast::<u8>(), if chars.is_null() { 0 } else { usize::MAX })?)?)
        };
        let message = string(scope, message)?;
        let error = scope.new_error_with(kind, message)?;
        let code = if code.is_null() { None } else { Some(string(scope, code)?) };
        set_code(scope, error, code)?;
        env.set_exception(scope, error);
        Ok(())
    })
}

macro_rules! errors {
    ($($create:ident $throw:ident $kind:ident;)*) => {$(
        /// `code`: null, or a string that becomes a property.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create(env: *const Env, code: Handle, message: Handle, result: *mut Handle) -> Status {
            create(env, ErrorKind::$kind, code, message, result)
        }
        /// `code`: null, or a text that becomes a property.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $throw(env: *const Env, code: *const c_char, message: *const c_char) -> Status {
            throw(env, ErrorKind::$kind, code, message)
        }
    )*};
}

errors! {
    napi_create_error napi_throw_error Error;
    napi_create_type_error napi_throw_type_error TypeError;
    napi_create_range_error napi_throw_range_error RangeError;
    node_api_create_syntax_error node_api_throw_syntax_error SyntaxError;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_throw(env: *const Env, error: Handle) -> Status {
    throwing(env, |env, scope| {
        let error = value(error)?;
        env.set_exception(scope, error);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_error(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.is_error(of)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_exception_pending(env: *const Env, result: *mut bool) -> Status {
    basic(env, |env| {
        out(result)?.write(env.has_exception());
        Ok(())
    })
}

/// Undefined where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_and_clear_last_exception(env: *const Env, result: *mut Handle) -> Status {
    simple(env, |env, scope| {
        let result = out(result)?;
        let error = match env.take_exception(scope) {
            Some(error) => error,
            None => scope.undefined(),
        };
        result.write(handle(error));
        Ok(())
    })
}

/// Treats an error as one that nobody has caught.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_fatal_exception(env: *const Env, error: Handle) -> Status {
    script(env, |env, scope| {
        let error = value(error)?;
        runtime_errors::trigger_uncaught(scope, &env.state, error, false);
        Ok(())
    })
}
