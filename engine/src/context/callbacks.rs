//! What the engine calls in a context: microtask data, rejections, finalization, collections, interrupts, tasks of other threads.

use std::ffi::c_void;
use std::ptr;

use mozjs::jsapi::{
    JS, JS_RequestInterruptCallback, JSContext as RawContext, JSFunction, JSGCParamKey, JSObject, JSTracer, Value,
};
use mozjs::jsval::ObjectValue;

use super::ContextState;
use crate::handles::{Global, Scope};

pub(super) unsafe extern "C" fn trace_nothing(_: *mut JSTracer, _: *mut Value) {}

pub(super) unsafe extern "C" fn run_jobs(cx: *mut RawContext) {
    // Asked for by the debugger only, after each of its hooks; bao drains the queue itself between callbacks.
    // SAFETY: engine callback on the context's thread.
    unsafe { Scope::enter(cx) }.keep_microtasks_of_hook();
}

pub(super) unsafe extern "C" fn host_defined_data(
    cx: *mut RawContext,
    incumbent: JS::MutableHandleObject,
    data: JS::MutableHandleObject,
) -> bool {
    // SAFETY: engine callback on the context's thread.
    unsafe {
        let state = ContextState::of(cx).as_ref();
        let context = state.async_context.get();
        if context.is_object() {
            // The engine keeps data only together with a global.
            *incumbent.ptr = JS::CurrentGlobalOrNull(cx);
            *data.ptr = context.to_object();
        } else {
            *incumbent.ptr = ptr::null_mut();
            *data.ptr = ptr::null_mut();
        }
    }
    true
}

/// Asked for when a job is queued for a promise that is settled already, where the engine keeps no host data: the
/// context is noted under the number that the job will have in the queue. With the overlay each job keeps its data.
pub(super) unsafe extern "C" fn host_defined_global(cx: *mut RawContext, data: JS::MutableHandleObject) -> bool {
    // SAFETY: engine callback on the context's thread with a rooted out location.
    unsafe {
        let state = ContextState::of(cx).as_ref();
        if cfg!(engine_overlay) || !state.context_used.get() {
            *data.ptr = ptr::null_mut::<JSObject>();
            return true;
        }
        let number = state.dequeued.get() + JS::GetRegularMicroTaskCount(cx) as u64;
        let context = Global::from_value(&state.persistents, state.async_context.get());
        let mut settled = state.settled.borrow_mut();
        // The constructor of finalization registries asks as well without queueing anything.
        if settled.back().is_some_and(|(last, _)| *last == number) {
            settled.pop_back();
        }
        settled.push_back((number, context));
        *data.ptr = JS::CurrentGlobalOrNull(cx);
    }
    true
}

pub(super) unsafe extern "C" fn promise_rejection(
    cx: *mut RawContext,
    _muted: bool,
    promise: JS::HandleObject,
    state: JS::PromiseRejectionHandlingState,
    _data: *mut c_void,
) {
    // SAFETY: engine callback on the context's thread.
    unsafe {
        let mut scope = Scope::enter(cx);
        let promise = scope.local_object(*promise.ptr);
        let host = scope.host();
        host.promise_rejection(&mut scope, promise, state == JS::PromiseRejectionHandlingState::Handled);
    }
}

pub(super) unsafe extern "C" fn finalization(cleanup: *mut JSFunction, _global: *mut JSObject, data: *mut c_void) {
    // SAFETY: called during a collection: the function is only stored. `data` is the context's state.
    unsafe {
        let state = &*data.cast::<ContextState>();
        let object = mozjs::jsapi::JS_GetFunctionObject(cleanup);
        let cleanup = Global::from_value(&state.persistents, ObjectValue(object));
        state.host().finalization(cleanup);
    }
}

/// Notices that collecting no longer helps: near the heap's limit every few allocations start a full collection that frees
/// next to nothing, and a program would crawl for minutes before an allocation fails. Node ends a program then as well.
pub(super) unsafe extern "C" fn collected(
    cx: *mut RawContext,
    status: mozjs::jsapi::JSGCStatus,
    _reason: mozjs::jsapi::GCReason,
    _data: *mut c_void,
) {
    const TOO_MANY: u32 = 10;
    // SAFETY: plain reads, and a request that is allowed from anywhere.
    unsafe {
        let used = mozjs::jsapi::JS_GetGCParameter(cx, JSGCParamKey::JSGC_BYTES);
        let limit = mozjs::jsapi::JS_GetGCParameter(cx, JSGCParamKey::JSGC_MAX_BYTES);
        let state = ContextState::of(cx);
        let state = state.as_ref();
        state.collections.set(state.collections.get().wrapping_add(1));
        if let Some(log) = &mut *state.gc_log.borrow_mut() {
            log.note(status == mozjs::jsapi::JSGCStatus::JSGC_END, used);
        }
        if status != mozjs::jsapi::JSGCStatus::JSGC_END {
            let grown = used.saturating_sub(state.used_after.get());
            let futile = used > limit / 4 * 3 && grown < limit / 200;
            state.futile_collections.set(if futile { state.futile_collections.get() + 1 } else { 0 });
            return;
        }
        state.used_after.set(used);
        state.weak.tell();
        drop(state.shared_texts.take());
        state.trims.set(state.trims.get().map(crate::memory::Trims::collected));
        if state.futile_collections.get() >= TOO_MANY {
            state.futile_collections.set(0);
            state.heap_exhausted.set(true);
            JS_RequestInterruptCallback(cx);
        }
    }
}

pub(super) unsafe extern "C" fn interrupt(cx: *mut RawContext) -> bool {
    // SAFETY: engine callback on the context's thread.
    unsafe {
        if ContextState::of(cx).as_ref().heap_exhausted.get() {
            // Like Node: nothing can catch this, for whatever did would run into it again.
            ContextState::of(cx).as_ref().terminated.set(true);
            return false;
        }
    }
    // SAFETY: as above.
    unsafe {
        let mut scope = Scope::enter(cx);
        scope.queue_microtasks_of_hooks();
        let host = scope.host();
        let go_on = host.interrupt(&mut scope);
        if !go_on {
            scope.ctx().terminated.set(true);
        }
        go_on
    }
}
