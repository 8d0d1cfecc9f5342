//! The environment of an addon in a thread: `napi_env`.
//!
//! Each loading of an addon makes one. It lives until its thread's environments are torn down; the functions of the
//! interface find their context through it.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_void};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::foreign::Anchor;
use engine::{Global, JsResult, Local, Scope};
use runtime_core::RuntimeState;

use crate::references::Tracked;
use crate::status::{ErrorInfo, Fail, Outcome, Status};
use crate::thread::Thread;

/// `NAPI_VERSION_EXPERIMENTAL`
pub const EXPERIMENTAL: i32 = i32::MAX;
/// The newest version of the interface that is stable.
pub const NEWEST_VERSION: i32 = 10;

/// `napi_value`: the address of a slot (engine::foreign).
pub type Handle = *mut c_void;
/// `napi_finalize`
pub type Finalize = unsafe extern "C" fn(env: *const Env, data: *mut c_void, hint: *mut c_void);

pub type L = Local<'static>;
pub type S = Scope<'static>;

/// `napi_env`
pub struct Env {
    pub last_error: Cell<ErrorInfo>,
    /// Number in its thread.
    pub id: u64,
    /// Set at the environment's end, for what may outlive it.
    pub is_ended: Arc<AtomicBool>,
    pub anchor: Anchor,
    pub state: Rc<RuntimeState>,
    pub thread: Rc<Thread>,
    /// Version of the interface that the addon was made for.
    pub version: i32,
    /// `file:` URL of the addon.
    pub url: CString,
    /// The exception that JavaScript gets when the native function returns.
    exception: RefCell<Option<Global>>,
    /// Execution was ended by something that nothing can catch.
    terminated: Cell<bool>,
    pub open_handle_scopes: Cell<u32>,
    pub open_callback_scopes: Cell<u32>,
    /// Set while a finalizer runs that must not touch the heap.
    pub in_basic_finalizer: Cell<bool>,
    /// The addon's environment is being torn down: JavaScript must not run.
    pub ending: Cell<bool>,
    pub tracked: Tracked,
    /// What `napi_set_instance_data` was given, as a record of `tracked`.
    pub instance_data: Cell<*mut crate::references::Reference>,
    pub external_bytes: Cell<i64>,
    /// The thread that it belongs to, see [`token`].
    owner: usize,
}

thread_local! {
    static TOKEN: u8 = const { 0 };
}

/// A number that stands for this thread while it lives.
#[inline(always)]
fn token() -> usize {
    TOKEN.with(|token| ptr::from_ref(token).addr())
}

impl Env {
    pub fn new(scope: &mut Scope<'_>, thread: Rc<Thread>, version: i32, url: CString) -> Env {
        let none = ErrorInfo {
            message: ptr::null(),
            engine_reserved: ptr::null_mut(),
            engine_error_code: 0,
            error_code: Status::Ok,
        };
        Env {
            last_error: Cell::new(none),
            id: thread.new_id(),
            is_ended: Arc::default(),
            anchor: scope.anchor(),
            state: RuntimeState::of(scope),
            thread,
            version,
            url,
            exception: RefCell::default(),
            terminated: Cell::new(false),
            open_handle_scopes: Cell::new(0),
            open_callback_scopes: Cell::new(0),
            in_basic_finalizer: Cell::new(false),
            ending: Cell::new(false),
            tracked: Tracked::default(),
            instance_data: Cell::new(ptr::null_mut()),
            external_bytes: Cell::new(0),
            owner: token(),
        }
    }

    /// A scope on top of what is open.
    #[inline]
    pub fn scope(&self) -> ManuallyDrop<S> {
        // SAFETY: the functions of the interface are called on the environment's thread, inside of a call, of module
        // start or of a turn of the loop, all of which have a scope open and the realm entered.
        unsafe { self.anchor.scope() }
    }

    /// Whether finalizers run at once, and may call little.
    pub fn is_experimental(&self) -> bool {
        self.version == EXPERIMENTAL
    }

    #[inline]
    pub fn set_last_error(&self, status: Status) -> Status {
        let mut info = self.last_error.get();
        info.error_code = status;
        info.engine_error_code = 0;
        info.engine_reserved = ptr::null_mut();
        info.message = ptr::null();
        self.last_error.set(info);
        status
    }

    #[inline]
    pub fn has_exception(&self) -> bool {
        self.exception.borrow().is_some() || self.terminated.get()
    }

    pub fn can_run_js(&self) -> bool {
        !self.ending.get() && self.state.exit.get().is_none()
    }

    /// What functions that may run JavaScript give when there is no more. Addons made for older versions know only the one status that
    /// says so.
    pub fn cannot_run(&self) -> Status {
        if self.version >= NEWEST_VERSION { Status::CannotRunJs } else { Status::PendingException }
    }

    /// Moves the engine's pending exception here.
    pub fn catch(&self, scope: &mut Scope<'_>, exc: engine::Exc) {
        match scope.take_exception(exc) {
            Some(error) => *self.exception.borrow_mut() = Some(scope.global(error)),
            None => self.terminated.set(true),
        }
    }

    /// Execution was ended by something that nothing can catch: the function that called the addon ends, too.
    pub fn note_termination(&self) {
        self.terminated.set(true);
    }

    /// Makes `error` the exception that is pending.
    pub fn set_exception(&self, scope: &mut Scope<'_>, error: Local<'_>) {
        *self.exception.borrow_mut() = Some(scope.global(error));
    }

    /// Takes the exception that is pending; `None` where there is none or execution was ended.
    pub fn take_exception<'s>(&self, scope: &mut Scope<'s>) -> Option<Local<'s>> {
        self.exception.borrow_mut().take().map(|error| error.get(scope))
    }

    /// Calls `f`, a way into the addon's code, and throws what it has left pending.
    ///
    /// # Errors
    /// The exception that the addon has thrown or not caught.
    #[inline]
    pub fn enter<R>(&self, scope: &mut Scope<'_>, f: impl FnOnce(&Env) -> R) -> JsResult<R> {
        let scopes = self.open_handle_scopes.get();
        self.set_last_error(Status::Ok);
        let result = f(self);
        if self.open_handle_scopes.get() != scopes {
            crate::errors::fatal("napi_env__::CallIntoModule", "Different number of open handle scopes");
        }
        if self.has_exception() {
            return Err(self.rethrow(scope));
        }
        Ok(result)
    }

    #[cold]
    fn rethrow(&self, scope: &mut Scope<'_>) -> engine::Exc {
        if self.terminated.replace(false) {
            self.exception.borrow_mut().take();
            return scope.terminate();
        }
        match self.take_exception(scope) {
            Some(error) => scope.throw(error),
            None => scope.throw_error("an exception was lost"),
        }
    }

    /// Ends the process if the addon calls from a thread that is not the environment's: what follows would break the heap.
    #[inline(always)]
    fn check_thread(&self) {
        if self.owner != token() {
            self.refuse_thread();
        }
    }

    #[cold]
    fn refuse_thread(&self) -> ! {
        let file = self.url.to_string_lossy();
        crate::errors::fatal_text(&format!(
            "{file} has called a function of Node-API on a thread that is not the one of its environment.\n\
             Use a thread-safe function (napi_create_threadsafe_function), or async work."
        ))
    }

    /// Ends the process if a finalizer that runs in a collection calls what it must not, or the thread is a wrong one.
    #[inline]
    fn check_access(&self) {
        self.check_thread();
        if self.in_basic_finalizer.get() {
            crate::errors::fatal_text(
                "Finalizer is calling a function that may affect GC state.\n\
                 The finalizers are run directly from GC and must not affect GC state.\n\
                 Use `node_api_post_finalizer` from inside of the finalizer to work around this issue.\n\
                 It schedules the call as a new task in the event loop.",
            );
        }
    }
}

#[inline]
fn finish(env: &Env, scope: &mut S, outcome: Outcome) -> Status {
    match outcome {
        Ok(()) => env.set_last_error(Status::Ok),
        Err(fail) => failed(env, scope, fail),
    }
}

#[cold]
fn failed(env: &Env, scope: &mut S, fail: Fail) -> Status {
    match fail {
        Fail::Status(status) => env.set_last_error(status),
        Fail::Threw(exc) => {
            env.catch(scope, exc);
            env.set_last_error(Status::PendingException)
        }
        Fail::ThrewAs(exc, status) => {
            env.catch(scope, exc);
            env.set_last_error(status)
        }
    }
}

/// The body of a function that cannot run JavaScript.
#[inline(always)]
pub fn simple(env: *const Env, f: impl FnOnce(&Env, &mut S) -> Outcome) -> Status {
    // SAFETY: null, or what `napi_env` is.
    let Some(env) = (unsafe { env.as_ref() }) else { return Status::InvalidArg };
    env.check_access();
    let mut scope = env.scope();
    let outcome = f(env, &mut scope);
    finish(env, &mut scope, outcome)
}

/// The body of a function that may also be called by finalizers in a collection: it does not touch the heap.
#[inline(always)]
pub fn basic(env: *const Env, f: impl FnOnce(&Env) -> Outcome) -> Status {
    // SAFETY: as above.
    let Some(env) = (unsafe { env.as_ref() }) else { return Status::InvalidArg };
    match f(env) {
        Ok(()) => env.set_last_error(Status::Ok),
        Err(Fail::Status(status)) => env.set_last_error(status),
        Err(fail @ (Fail::Threw(_) | Fail::ThrewAs(..))) => {
            let mut scope = env.scope();
            failed(env, &mut scope, fail)
        }
    }
}

/// The body of a function that may run JavaScript: not while an exception is pending or the environment ends.
#[inline(always)]
pub fn script(env: *const Env, f: impl FnOnce(&Env, &mut S) -> Outcome) -> Status {
    // SAFETY: as above.
    let Some(env) = (unsafe { env.as_ref() }) else { return Status::InvalidArg };
    env.check_access();
    if env.has_exception() {
        return env.set_last_error(Status::PendingException);
    }
    if !env.can_run_js() {
        return env.set_last_error(env.cannot_run());
    }
    let mut scope = env.scope();
    let outcome = f(env, &mut scope);
    finish(env, &mut scope, outcome)
}

/// The value of a handle.
///
/// # Errors
/// `napi_invalid_arg` for null.
#[inline(always)]
pub fn value(handle: Handle) -> Result<L, Fail> {
    match NonNull::new(handle) {
        // SAFETY: what an addon passes is a handle that it was given and whose scope is open.
        Some(address) => Ok(unsafe { Local::at(address) }),
        None => Err(Status::InvalidArg.into()),
    }
}

/// The same where null stands for none.
pub fn optional(handle: Handle) -> Option<L> {
    value(handle).ok()
}

/// Where a result goes.
///
/// # Errors
/// `napi_invalid_arg` for null.
#[inline(always)]
pub fn out<'a, T>(place: *mut T) -> Result<&'a mut MaybeUninit<T>, Fail> {
    // SAFETY: null, or memory of the addon's that is not read before it is written; it is used for the time of the call.
    unsafe { place.cast::<MaybeUninit<T>>().as_mut() }.ok_or(Fail::Status(Status::InvalidArg))
}

/// Writes to a place unless it is null.
#[inline(always)]
pub fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: memory of the addon's for such a value.
        unsafe { place.write(value) };
    }
}

/// The handle of a value.
#[inline(always)]
pub fn handle(value: Local<'_>) -> Handle {
    value.address().as_ptr()
}

/// The bytes of a C string: `length` of them, or up to its end where that is `NAPI_AUTO_LENGTH`.
///
/// # Errors
/// `napi_invalid_arg` where there is none and `length` is not 0, or where it is too long.
pub fn text<'a, T: Copy + Default + PartialEq>(chars: *const T, length: usize) -> Result<&'a [T], Fail> {
    const AUTO: usize = usize::MAX;
    if chars.is_null() {
        return if length == 0 { Ok(&[]) } else { Err(Status::InvalidArg.into()) };
    }
    let length = if length == AUTO {
        // SAFETY: a string with an end, as the caller says.
        (0..).take_while(|&index| unsafe { *chars.add(index) } != T::default()).count()
    } else {
        length
    };
    if length > i32::MAX as usize {
        return Err(Status::InvalidArg.into());
    }
    // SAFETY: that many characters, as the caller says.
    Ok(unsafe { std::slice::from_raw_parts(chars, length) })
}

/// The object of a value as ToObject gives it.
///
/// # Errors
/// `napi_object_expected` for undefined and null.
#[inline]
pub fn object(scope: &mut S, handle: Handle) -> Result<L, Fail> {
    let value = value(handle)?;
    if value.is_object() {
        return Ok(value);
    }
    if value.is_nullish() {
        return Err(Status::ObjectExpected.into());
    }
    Ok(scope.to_object(value)?)
}

/// The same in functions that may run JavaScript, where the TypeError that ToObject throws is left pending, too.
pub fn thrown_to_object(scope: &mut S, handle: Handle) -> Result<L, Fail> {
    let value = value(handle)?;
    if value.is_nullish() {
        let exc = scope.throw_type_error("Cannot convert undefined or null to object");
        return Err(Fail::ThrewAs(exc, Status::ObjectExpected));
    }
    object(scope, handle)
}

/// A function.
///
/// # Errors
/// `napi_invalid_arg` for other values.
pub fn function(handle: Handle) -> Result<L, Fail> {
    let value = value(handle)?;
    if value.is_callable() { Ok(value) } else { Err(Status::InvalidArg.into()) }
}
