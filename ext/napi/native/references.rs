//! References, wrapped pointers, finalizers and instance data: everything whose life follows an object's, or ends with
//! the environment at the latest.
//!
//! A [`Reference`] is strong while its count is above 0. Below that the engine keeps it weak and tells when the object
//! is gone, after the collection and in the middle of what a program does; the addon's finalizer is called by the loop, as
//! in Node, so that it may run JavaScript. Addons made for the experimental version have theirs called at once: they may
//! not touch the heap.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;

use engine::foreign::WeakId;
use engine::{Global, JsResult, Local, Scope};
use runtime_core::event_loop::Arrival;

use crate::env::{EXPERIMENTAL, Env, Finalize, Handle, L, S, basic, handle, out, put, script, simple, value};
use crate::status::{Fail, Status};

/// What a reference holds.
enum Held {
    Strong(Global),
    Weak(WeakId),
    /// A JavaScript `WeakRef`, for symbols.
    WeakSymbol(Global),
    /// The value is gone, or there never was one.
    Nothing,
}

/// Who frees a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Bao, once its finalizer was called.
    Runtime,
    /// The addon, by `napi_delete_reference`.
    Addon,
}

/// `napi_ref`, and every other thing with a finalizer.
pub struct Reference {
    env: *const Env,
    held: Held,
    /// Whether the value can be held weakly: objects and symbols can.
    can_be_weak: bool,
    count: u32,
    owner: Owner,
    finalize: Option<Finalize>,
    data: *mut c_void,
    hint: *mut c_void,
    /// The object wraps `data` by this reference.
    is_wrap: bool,
    /// In the queue of finalizers to be called.
    is_queued: bool,
    previous: *mut Reference,
    next: *mut Reference,
}

/// The references of an environment, the newest first, and those whose finalizers are to be called.
#[derive(Default)]
pub struct Tracked {
    /// With a finalizer.
    finalizing: Cell<Link>,
    /// Without.
    plain: Cell<Link>,
    queue: RefCell<VecDeque<*mut Reference>>,
    is_scheduled: Cell<bool>,
}

#[derive(Clone, Copy)]
struct Link(*mut Reference);

impl Default for Link {
    fn default() -> Self {
        Link(ptr::null_mut())
    }
}

impl Tracked {
    fn list(&self, has_finalizer: bool) -> &Cell<Link> {
        if has_finalizer { &self.finalizing } else { &self.plain }
    }
}

/// What a new reference is.
pub struct Made {
    pub count: u32,
    pub owner: Owner,
    pub finalize: Option<Finalize>,
    pub data: *mut c_void,
    pub hint: *mut c_void,
}

impl Made {
    /// A reference without a value whose finalizer is called at the environment's end.
    pub fn record(finalize: Option<Finalize>, data: *mut c_void, hint: *mut c_void) -> Made {
        Made { count: 0, owner: Owner::Runtime, finalize, data, hint }
    }
}

/// Makes a reference to a value, or one without.
pub fn new_reference(env: &Env, scope: &mut Scope<'_>, to: Option<Local<'_>>, made: Made) -> *mut Reference {
    let reference = Box::into_raw(Box::new(Reference {
        env,
        held: Held::Nothing,
        can_be_weak: to.is_some_and(|to| to.is_object() || to.is_symbol()),
        count: made.count,
        owner: made.owner,
        finalize: made.finalize,
        data: made.data,
        hint: made.hint,
        is_wrap: false,
        is_queued: false,
        previous: ptr::null_mut(),
        next: ptr::null_mut(),
    }));
    // SAFETY: just made; the lists hold live references only.
    unsafe {
        let list = env.tracked.list(made.finalize.is_some());
        let first = list.get().0;
        (*reference).next = first;
        if let Some(first) = first.as_mut() {
            first.previous = reference;
        }
        list.set(Link(reference));
        if let Some(to) = to {
            (*reference).held = hold(scope, to, made.count > 0, reference);
        }
    }
    reference
}

fn hold(scope: &mut Scope<'_>, value: Local<'_>, strong: bool, reference: *mut Reference) -> Held {
    if strong {
        return Held::Strong(scope.global(value));
    }
    if value.is_symbol() {
        return scope.nested(|scope| match weak_symbol(scope, value) {
            Ok(weak) => Held::WeakSymbol(weak),
            Err(exc) => {
                // That of the registry (`Symbol.for`), which never goes.
                scope.take_exception(exc);
                Held::Strong(scope.global(value))
            }
        });
    }
    scope.new_weak(value, reference.expose_provenance()).map_or(Held::Nothing, Held::Weak)
}

fn weak_symbol(scope: &mut Scope<'_>, symbol: Local<'_>) -> JsResult<Global> {
    let global = scope.main_global();
    let constructor = scope.get(global, "WeakRef")?;
    let weak = scope.construct(constructor, &[symbol])?;
    Ok(scope.global(weak))
}

/// # Safety
/// A live reference of `env`, which stays allocated.
unsafe fn unlink(env: &Env, reference: *mut Reference) {
    // SAFETY: the lists hold live references only.
    unsafe {
        let (previous, next) = ((*reference).previous, (*reference).next);
        if let Some(next) = next.as_mut() {
            next.previous = previous;
        }
        match previous.as_mut() {
            Some(previous) => previous.next = next,
            None => {
                for list in [&env.tracked.finalizing, &env.tracked.plain] {
                    if list.get().0 == reference {
                        list.set(Link(next));
                    }
                }
            }
        }
        (*reference).previous = ptr::null_mut();
        (*reference).next = ptr::null_mut();
        if (*reference).is_queued {
            (*reference).is_queued = false;
            env.tracked.queue.borrow_mut().retain(|queued| *queued != reference);
        }
    }
}

/// # Safety
/// A live reference that nobody uses afterwards.
unsafe fn free(env: &Env, reference: *mut Reference) {
    // SAFETY: the caller's.
    unsafe {
        unlink(env, reference);
        if let Held::Weak(id) = (*reference).held {
            env.scope().remove_weak(id);
        }
        drop(Box::from_raw(reference));
    }
}

/// Frees a reference that bao owns before its time.
///
/// # Safety
/// As for `free`.
pub unsafe fn discard(env: &Env, reference: *mut Reference) {
    // SAFETY: the caller's.
    unsafe { free(env, reference) };
}

/// Told by the engine of a reference whose object is gone. Touches nothing of the engine's.
pub fn object_gone(address: usize) {
    let reference: *mut Reference = ptr::with_exposed_provenance_mut(address);
    // SAFETY: a reference that is freed ends its weak reference, so this one is alive, and so is its environment.
    unsafe {
        let env = &*(*reference).env;
        if let Held::Weak(id) = std::mem::replace(&mut (*reference).held, Held::Nothing) {
            env.scope().remove_weak(id);
        }
        if (*reference).finalize.is_none() {
            if (*reference).owner == Owner::Runtime {
                free(env, reference);
            }
        } else if env.is_experimental() {
            env.in_basic_finalizer.set(true);
            finalize(env, reference);
            env.in_basic_finalizer.set(false);
        } else if !(*reference).is_queued {
            (*reference).is_queued = true;
            env.tracked.queue.borrow_mut().push_back(reference);
            schedule(env);
        }
    }
}

/// Calls a reference's finalizer, once, and frees it if bao owns it.
///
/// # Safety
/// A live reference of `env`.
unsafe fn finalize(env: &Env, reference: *mut Reference) {
    // SAFETY: the caller's. The finalizer may free the reference if the addon owns it, so it is not used after that.
    unsafe {
        unlink(env, reference);
        let (callback, data, hint) = ((*reference).finalize.take(), (*reference).data, (*reference).hint);
        let owner = (*reference).owner;
        if owner == Owner::Addon {
            // Still to be found at the environment's end.
            let first = env.tracked.plain.get().0;
            (*reference).next = first;
            if let Some(first) = first.as_mut() {
                first.previous = reference;
            }
            env.tracked.plain.set(Link(reference));
        }
        if let Some(callback) = callback {
            callback(env, data, hint);
        }
        if owner == Owner::Runtime {
            if env.instance_data.get() == reference {
                env.instance_data.set(ptr::null_mut());
            }
            free(env, reference);
        }
    }
}

/// Has the queue of finalizers run in the loop's next turn.
fn schedule(env: &Env) {
    if env.tracked.is_scheduled.replace(true) {
        return;
    }
    let id = env.id;
    env.state.event_loop.inbox.send(Arrival::Call(Box::new(move |scope| {
        if let Some(env) = crate::thread::find(scope, id) {
            run_queue(&env, scope);
        }
        Ok(())
    })));
}

fn run_queue(env: &Env, scope: &mut Scope<'_>) {
    env.tracked.is_scheduled.set(false);
    loop {
        let next = env.tracked.queue.borrow_mut().pop_front();
        let Some(reference) = next else { return };
        // SAFETY: a reference in the queue is alive; freeing it takes it out.
        unsafe {
            (*reference).is_queued = false;
            finalize_in(env, scope, reference);
        }
    }
}

/// Calls a finalizer in a scope of its own; what it throws is an uncaught exception.
unsafe fn finalize_in(env: &Env, scope: &mut Scope<'_>, reference: *mut Reference) {
    scope.nested(|scope| {
        // SAFETY: the caller's.
        let result = env.enter(scope, |env| unsafe { finalize(env, reference) });
        if let Err(exc) = result {
            crate::errors::uncaught(env, scope, exc);
        }
    });
}

/// Has a finalizer called that goes with no value: at once for the experimental version, else by the loop.
pub fn finalize_soon(env: *const Env, callback: Finalize, data: *mut c_void, hint: *mut c_void) {
    // SAFETY: an environment that has not ended: its end takes what is lent to the engine.
    let env = unsafe { &*env };
    if env.version == EXPERIMENTAL {
        env.in_basic_finalizer.set(true);
        // SAFETY: the addon's own function with what it goes with.
        unsafe { callback(env, data, hint) };
        env.in_basic_finalizer.set(false);
        return;
    }
    post(env, callback, data, hint);
}

fn post(env: &Env, callback: Finalize, data: *mut c_void, hint: *mut c_void) {
    let mut scope = env.scope();
    let reference = new_reference(env, &mut scope, None, Made::record(Some(callback), data, hint));
    // SAFETY: just made.
    unsafe { (*reference).is_queued = true };
    env.tracked.queue.borrow_mut().push_back(reference);
    schedule(env);
}

/// The same for a record that the environment has already.
///
/// # Safety
/// A live reference of `env`, which bao owns.
pub unsafe fn finalize_record_soon(env: &Env, record: *mut Reference) {
    // SAFETY: the caller's.
    unsafe {
        if env.is_experimental() {
            env.in_basic_finalizer.set(true);
            finalize(env, record);
            env.in_basic_finalizer.set(false);
        } else if !(*record).is_queued {
            (*record).is_queued = true;
            env.tracked.queue.borrow_mut().push_back(record);
            schedule(env);
        }
    }
}

/// Calls all finalizers that are left, the newest first, and frees the references.
pub fn tear_down(env: &Env, scope: &mut Scope<'_>) {
    loop {
        let reference = env.tracked.finalizing.get().0;
        if reference.is_null() {
            break;
        }
        // SAFETY: the lists hold live references only.
        unsafe { finalize_in(env, scope, reference) };
    }
    for (callback, chars, hint) in crate::values::release_strings(env) {
        scope.nested(|scope| {
            // SAFETY: the addon's own function with what it goes with.
            let result = env.enter(scope, |env| unsafe { callback(env, chars, hint) });
            if let Err(exc) = result {
                crate::errors::uncaught(env, scope, exc);
            }
        });
    }
    loop {
        let reference = env.tracked.plain.get().0;
        if reference.is_null() {
            break;
        }
        // SAFETY: as above. References of the addon's own are left to it: they only stop to hold a value.
        unsafe {
            if (*reference).owner == Owner::Runtime {
                free(env, reference);
            } else {
                unlink(env, reference);
                if let Held::Weak(id) = (*reference).held {
                    env.scope().remove_weak(id);
                }
                (*reference).held = Held::Nothing;
            }
        }
    }
}

// --- references ---

fn reference<'a>(reference: *mut Reference) -> Result<&'a mut Reference, Fail> {
    // SAFETY: null, or a reference that the addon has not deleted; used for the time of the call.
    unsafe { reference.as_mut() }.ok_or(Fail::Status(Status::InvalidArg))
}

/// Before version 10 only objects, functions and symbols can be referred to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_reference(
    env: *const Env,
    to: Handle,
    count: u32,
    result: *mut *mut Reference,
) -> Status {
    simple(env, |env, scope| {
        let to = value(to)?;
        let result = out(result)?;
        if env.version < 10 && !to.is_object() && !to.is_symbol() {
            return Err(Status::InvalidArg.into());
        }
        let made = Made { count, owner: Owner::Addon, finalize: None, data: ptr::null_mut(), hint: ptr::null_mut() };
        result.write(new_reference(env, scope, Some(to), made));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_delete_reference(env: *const Env, of: *mut Reference) -> Status {
    basic(env, |env| {
        let found = reference(of)?;
        if found.is_wrap && !env.in_basic_finalizer.get() {
            // The object must not lead to freed memory.
            let mut scope = env.scope();
            if let Some(object) = current(found, &mut scope) {
                scope.set_wrapped(object, None)?;
            }
        }
        // SAFETY: the addon's own reference.
        unsafe { free(env, of) };
        Ok(())
    })
}

fn current(reference: &Reference, scope: &mut S) -> Option<L> {
    match &reference.held {
        Held::Strong(value) => Some(value.get(scope)),
        Held::Weak(id) => scope.weak_object(*id),
        Held::WeakSymbol(weak) => {
            let weak = weak.get(scope);
            let found = scope.get(weak, "deref").and_then(|deref| scope.call(deref, weak, &[]));
            match found {
                Ok(symbol) => symbol.is_symbol().then_some(symbol),
                Err(exc) => {
                    scope.take_exception(exc);
                    None
                }
            }
        }
        Held::Nothing => None,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_reference_ref(env: *const Env, of: *mut Reference, result: *mut u32) -> Status {
    simple(env, |_, scope| {
        let found = reference(of)?;
        let Some(held) = current(found, scope) else {
            put(result, 0);
            return Ok(());
        };
        found.count += 1;
        if found.count == 1 && found.can_be_weak {
            if let Held::Weak(id) = found.held {
                scope.remove_weak(id);
            }
            found.held = Held::Strong(scope.global(held));
        }
        put(result, found.count);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_reference_unref(env: *const Env, of: *mut Reference, result: *mut u32) -> Status {
    simple(env, |_, scope| {
        let found = reference(of)?;
        if found.count == 0 {
            return Err(Status::GenericFailure.into());
        }
        let Some(held) = current(found, scope) else {
            put(result, 0);
            return Ok(());
        };
        found.count -= 1;
        if found.count == 0 {
            found.held = hold(scope, held, false, of);
        }
        put(result, found.count);
        Ok(())
    })
}

/// Null where the value is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_reference_value(env: *const Env, of: *mut Reference, result: *mut Handle) -> Status {
    simple(env, |_, scope| {
        let found = reference(of)?;
        out(result)?.write(current(found, scope).map_or(ptr::null_mut(), handle));
        Ok(())
    })
}

// --- wrapped pointers ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_wrap(
    env: *const Env,
    of: Handle,
    data: *mut c_void,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut *mut Reference,
) -> Status {
    script(env, |env, scope| {
        let of = value(of)?;
        if !of.is_object() {
            return Err(Status::ObjectExpected.into());
        }
        if scope.wrapped(of)?.is_some() {
            return Err(Status::InvalidArg.into());
        }
        let owner = if result.is_null() { Owner::Runtime } else { Owner::Addon };
        let made = new_reference(env, scope, Some(of), Made { count: 0, owner, finalize, data, hint });
        // SAFETY: just made.
        unsafe { (*made).is_wrap = true };
        scope.set_wrapped(of, Some(made.cast()))?;
        put(result, made);
        Ok(())
    })
}

/// Calls `f` with the reference that an object is wrapped by.
fn unwrap(env: *const Env, of: Handle, f: impl FnOnce(&Env, &mut S, L, *mut Reference) -> Result<(), Fail>) -> Status {
    script(env, |env, scope| {
        let of = value(of)?;
        if !of.is_object() {
            return Err(Status::ObjectExpected.into());
        }
        let Some(word) = scope.wrapped(of)? else { return Err(Status::InvalidArg.into()) };
        f(env, scope, of, word.cast())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_unwrap(env: *const Env, of: Handle, result: *mut *mut c_void) -> Status {
    unwrap(env, of, |_, _, _, wrap| {
        // SAFETY: an object leads to a live reference: freeing one takes the way away.
        out(result)?.write(unsafe { (*wrap).data });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_remove_wrap(env: *const Env, of: Handle, result: *mut *mut c_void) -> Status {
    unwrap(env, of, |env, scope, of, wrap| {
        scope.set_wrapped(of, None)?;
        // SAFETY: as above.
        unsafe {
            put(result, (*wrap).data);
            (*wrap).is_wrap = false;
            if (*wrap).owner == Owner::Runtime {
                free(env, wrap);
            } else {
                (*wrap).finalize = None;
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_add_finalizer(
    env: *const Env,
    of: Handle,
    data: *mut c_void,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut *mut Reference,
) -> Status {
    simple(env, |env, scope| {
        let of = value(of)?;
        if finalize.is_none() {
            return Err(Status::InvalidArg.into());
        }
        if !of.is_object() {
            return Err(Status::InvalidArg.into());
        }
        let owner = if result.is_null() { Owner::Runtime } else { Owner::Addon };
        let made = new_reference(env, scope, Some(of), Made { count: 0, owner, finalize, data, hint });
        put(result, made);
        Ok(())
    })
}

/// Calls a function from the loop, outside of collections; from finalizers too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_post_finalizer(
    env: *const Env,
    finalize: Option<Finalize>,
    data: *mut c_void,
    hint: *mut c_void,
) -> Status {
    basic(env, |env| {
        post(env, finalize.ok_or(Status::InvalidArg)?, data, hint);
        Ok(())
    })
}

// --- external values ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_external(
    env: *const Env,
    data: *mut c_void,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let external = scope.new_external(data)?;
        if finalize.is_some() {
            let made = Made { count: 0, owner: Owner::Runtime, finalize, data, hint };
            new_reference(env, scope, Some(external), made);
        }
        result.write(handle(external));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_external(env: *const Env, of: Handle, result: *mut *mut c_void) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        let result = out(result)?;
        result.write(scope.external_data(of).ok_or(Status::InvalidArg)?);
        Ok(())
    })
}

// --- instance data ---

/// One pointer for the environment, in the place of what it had before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_set_instance_data(
    env: *const Env,
    data: *mut c_void,
    finalize: Option<Finalize>,
    hint: *mut c_void,
) -> Status {
    basic(env, |env| {
        let old = env.instance_data.get();
        if !old.is_null() {
            // SAFETY: the record made below, freed once.
            unsafe { discard(env, old) };
        }
        let mut scope = env.scope();
        env.instance_data.set(new_reference(env, &mut scope, None, Made::record(finalize, data, hint)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_instance_data(env: *const Env, result: *mut *mut c_void) -> Status {
    basic(env, |env| {
        // SAFETY: null, or a live record.
        let data = unsafe { env.instance_data.get().as_ref() }.map_or(ptr::null_mut(), |record| record.data);
        out(result)?.write(data);
        Ok(())
    })
}
