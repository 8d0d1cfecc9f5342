//! Family "loop": timers, microtasks, async context, uncaught errors.

use engine::{Exc, F64Array, JsResult, Local, PropertyAttributes, Scope, op, ops};
use runtime_core::{RuntimeState, errors, turns};

/// Adds the shared number arrays to the family's object.
///
/// In TypeScript, of "loop": `readonly tickInfo: Uint32Array`
/// In TypeScript, of "loop": `readonly immediateInfo: Uint32Array`
/// In TypeScript, of "loop": `readonly timerInfo: Int32Array`
pub fn define_fields(scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<()> {
    let state = RuntimeState::of(scope);
    let event_loop = &state.event_loop;
    for (name, cells, signed) in [
        ("tickInfo", &event_loop.tick_info, false),
        ("immediateInfo", &event_loop.immediate_info, false),
        ("timerInfo", &event_loop.timer_info, true),
    ] {
        let array = scope.cells_array(cells, signed)?;
        scope.define(object, name, array, PropertyAttributes::ALL)?;
    }
    Ok(())
}

/// Loop time in whole milliseconds as of this turn.
#[op]
fn now(scope: &mut Scope<'_>) -> f64 {
    RuntimeState::of(scope).event_loop.now()
}

/// Reads the clock anew.
#[op]
fn update_now(scope: &mut Scope<'_>) -> f64 {
    RuntimeState::of(scope).event_loop.update_now()
}

/// Arms the one native timer, `ms` from now.
#[op]
fn schedule_timer(scope: &mut Scope<'_>, ms: f64) {
    RuntimeState::of(scope).event_loop.schedule_timer(ms);
}

/// A full collection (`--expose-gc`).
#[op]
pub fn gc(scope: &mut Scope<'_>) {
    scope.gc(engine::GcKind::Full);
}

#[op]
fn run_microtasks(scope: &mut Scope<'_>) {
    let state = RuntimeState::of(scope);
    turns::run_microtasks(scope, &state);
}

#[op(ts(callback = "() => void"))]
fn enqueue_microtask<'s>(scope: &mut Scope<'s>, callback: Local<'s>) -> Result<(), Exc> {
    scope.enqueue_microtask(callback)
}

/// The same by the engine itself, where it can.
mod queue {
    #[allow(non_upper_case_globals, reason = "ops! finds it by this name")]
    pub(super) const OP_enqueue_microtask: engine::OpDecl = engine::enqueue_microtask_op(super::OP_enqueue_microtask);
}

/// A pending promise without resolving functions, which are what makes `new Promise` slow.
#[op(ts(generic = "T", returns = "Promise<T>"))]
fn new_promise<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    scope.new_promise()
}

/// Resolves a promise of [`new_promise`].
#[op(ts(generic = "T", promise = "Promise<T>", value = "T"))]
fn resolve_promise<'s>(scope: &mut Scope<'s>, promise: Local<'s>, value: Local<'s>) -> Result<(), Exc> {
    scope.resolve_promise(promise, value)
}

/// Rejects a promise of [`new_promise`].
#[op(ts(promise = "Promise<unknown>"))]
fn reject_promise<'s>(scope: &mut Scope<'s>, promise: Local<'s>, reason: Local<'s>) -> Result<(), Exc> {
    scope.reject_promise(promise, reason)
}

/// Calls one of two functions in a microtask once a promise (nothing else) is settled; makes no promise as `then` does.
#[op(ts(
    promise = "Promise<unknown>",
    on_fulfilled = "(value: never) => void",
    on_rejected = "(reason: unknown) => void"
))]
fn when_settled<'s>(
    scope: &mut Scope<'s>,
    promise: Local<'s>,
    on_fulfilled: Local<'s>,
    on_rejected: Local<'s>,
) -> Result<(), Exc> {
    scope.when_settled(promise, on_fulfilled, on_rejected)
}

/// An error nobody caught: handlers, report, exit. Comes back where a handler took it, else throws the uncatchable
/// end of execution.
#[op]
fn trigger_uncaught_exception<'s>(scope: &mut Scope<'s>, error: Local<'s>, from_promise: bool) -> Result<(), Exc> {
    let state = RuntimeState::of(scope);
    errors::trigger_uncaught(scope, &state, error, from_promise);
    match state.exit.get() {
        Some(_) => Err(scope.terminate()),
        None => Ok(()),
    }
}

#[op(ts(returns = "unknown"))]
fn get_async_context<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    Ok(scope.async_context())
}

#[op]
fn set_async_context<'s>(scope: &mut Scope<'s>, value: Local<'s>) {
    scope.set_async_context(value);
}

/// Has functions called with each promise: when it is made (and its parent), around each of its jobs, and when it is settled;
/// undefined is none. False if this build's engine cannot tell.
#[op(ts(
    init = "((promise: Promise<unknown>, parent: Promise<unknown> | undefined) => void) | undefined",
    before = "((promise: Promise<unknown>) => void) | undefined",
    after = "((promise: Promise<unknown>) => void) | undefined",
    settled = "((promise: Promise<unknown>) => void) | undefined"
))]
fn set_promise_hooks<'s>(
    scope: &mut Scope<'s>,
    init: Local<'s>,
    before: Local<'s>,
    after: Local<'s>,
    settled: Local<'s>,
) -> bool {
    scope.set_promise_hooks(init, before, after, settled)
}

#[op]
fn active_resources(scope: &mut Scope<'_>) -> Vec<String> {
    let pending = RuntimeState::of(scope).event_loop.pending.get();
    vec!["FSReqCallback".to_string(); pending.max(0) as usize]
}

/// Changes the number of operations that keep the loop alive, for operations that stop or start to count.
#[op]
fn keep_alive(scope: &mut Scope<'_>, delta: i32) {
    let pending = &RuntimeState::of(scope).event_loop.pending;
    pending.set(pending.get() + delta as isize);
}

/// `[idle ms, loop start, turns, events, events waiting]`
#[op]
fn loop_metrics(scope: &mut Scope<'_>) -> F64Array {
    let state = RuntimeState::of(scope);
    let event_loop = &state.event_loop;
    let turns = event_loop.turns.get() as f64;
    let (idle, started) = event_loop.inbox.times();
    F64Array(vec![idle, started, turns, turns, 0.0])
}

/// A copy of a string, of an object of plain data, or of an error of the language. Another object: 1, or 2 where one of bao's own may be
/// in it.
#[op(ts(returns = "unknown"))]
fn clone_plain<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> Result<Local<'s>, Exc> {
    if let Some(copy) = scope.clone_date(value)? {
        return Ok(copy);
    }
    match scope.serialize_plain(value)? {
        engine::Serialized::Done(buffer) => scope.deserialize_once(buffer),
        engine::Serialized::Not { host } => {
            Ok(scope.clone_error(value)?.unwrap_or_else(|| scope.int(1 + i32::from(host))))
        }
    }
}

/// `[true, clone]`, or `[false, message]` where the value cannot be cloned.
#[op(ts(transfer = "readonly unknown[] | undefined", returns = "[true, unknown] | [false, string]"))]
fn structured_clone<'s>(scope: &mut Scope<'s>, value: Local<'s>, transfer: Local<'s>) -> Result<Local<'s>, Exc> {
    let (ok, result) = match scope.serialize(value, transfer) {
        Ok(buffer) => (true, scope.deserialize_once(buffer)?),
        Err(engine::CloneError::DataClone(message)) => (false, scope.string(&message)?),
        Err(engine::CloneError::Exception(exc)) => return Err(exc),
    };
    let ok = scope.boolean(ok);
    scope.new_array(&[ok, result])
}

ops!(pub fn family "loop" {
    clone_plain, structured_clone, gc,
    now, update_now, schedule_timer, run_microtasks, queue::enqueue_microtask, new_promise, resolve_promise, reject_promise, when_settled, trigger_uncaught_exception,
    get_async_context, set_async_context, set_promise_hooks, active_resources, loop_metrics, keep_alive
});
