//! Calls of test functions, timed and with a limit.

use std::rc::Rc;
use std::time::Instant;

use engine::{Exc, GcKind, Local, OpError, PromiseState, Scope, op};
use runtime_core::{RuntimeState, errors, turns};

use crate::state::TestState;
use crate::watchdog::{self, NO_DEADLINE};

/// While this lives, [`call`] runs the microtasks, which sees by itself that they were ended.
struct OwnMicrotasks(Rc<TestState>);

impl OwnMicrotasks {
    fn new(state: Rc<TestState>) -> OwnMicrotasks {
        state.runs_microtasks.set(true);
        OwnMicrotasks(state)
    }
}

impl Drop for OwnMicrotasks {
    fn drop(&mut self) {
        self.0.runs_microtasks.set(false);
    }
}

/// What the second number of [`call_cells`] says of the last [`call`].
mod outcome {
    /// Microtasks have to be run.
    pub(super) const PLAIN: u32 = 0;
    /// It is over, and microtasks have run.
    pub(super) const OVER: u32 = 1;
    /// A promise was returned, and what came back is the reason of its rejection.
    pub(super) const REJECTED: u32 = 2;
}

/// Numbers of the last [`call`]: its duration in microseconds, and one of [`outcome`].
#[op(ts(returns = "Uint32Array"))]
pub(crate) fn call_cells<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let state = TestState::of(scope);
    scope.cells_array(&state.cells, false)
}

/// Calls `function(argument)`, or `function()` where the argument is undefined. One that runs for longer than `ms` milliseconds
/// (0: the limit of [`arm`](crate::arm)) without coming back is ended, whatever it catches; then this throws an error with the code
/// ERR_TEST_TIMEOUT.
///
/// Microtasks run before this returns where nothing was returned that may be a thenable, or where a promise was returned that
/// this alone waits for (nothing was passed), unless ticks or rejections wait, which JavaScript has to see to. Is such a promise
/// settled then, no one has to wait for it: undefined or the reason is returned, see [`call_cells`].
#[op(ts(function = "Function", returns = "unknown"))]
pub(crate) fn call<'s>(
    scope: &mut Scope<'s>,
    function: Local<'s>,
    ms: f64,
    argument: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let (runtime, state) = (RuntimeState::of(scope), TestState::of(scope));
    let began = Instant::now();
    state.cells.set(1, outcome::PLAIN);
    let outer = match &*state.watchdog.borrow() {
        Some(watchdog) if ms > 0.0 => watchdog.arm(began, ms),
        Some(watchdog) => watchdog.deadline(),
        None => NO_DEADLINE,
    };
    let mut result = if argument.is_undefined() {
        scope.call_function(function, &[])
    } else {
        scope.call_function(function, &[argument])
    };
    let idle = || runtime.event_loop.tick_info.get(0) == 0 && runtime.event_loop.tick_info.get(1) == 0;
    if let Ok(value) = result
        && idle()
    {
        let _own = OwnMicrotasks::new(state.clone());
        if !value.is_object() {
            turns::run_microtasks(scope, &runtime);
            state.cells.set(1, if idle() { outcome::OVER } else { outcome::PLAIN });
        } else if argument.is_undefined() {
            result = settle(scope, &runtime, &state, value);
        }
    }
    let now = Instant::now();
    let over = {
        let watchdog = state.watchdog.borrow();
        watchdog.as_ref().is_some_and(|watchdog| {
            let over = watchdog.is_over_at(now);
            // What did come back in time to be spared goes on under the limit around it.
            watchdog.restore(if over && scope.is_terminated() && ms <= 0.0 { NO_DEADLINE } else { outer });
            over
        })
    };
    state.cells.set(0, u32::try_from(now.duration_since(began).as_micros()).unwrap_or(u32::MAX));
    let was_ended = scope.is_terminated() && runtime.exit.get().is_none();
    if was_ended && result.is_ok() && watchdog::is_stopped() {
        errors::recover(scope, &runtime);
        return result;
    }
    if result.is_err() && nearly_full(scope) {
        // The engine does not collect for every allocation that fails, and whoever handles this error allocates.
        scope.gc(GcKind::Full);
    }
    if was_ended && watchdog::take_short() && !scope.heap_exhausted() {
        scope.clear_exhausted();
        return Err(scope.throw_op_error(&memory_is_short()));
    }
    if (was_ended || result.is_err()) && scope.heap_exhausted() && runtime.exit.get().is_none() {
        scope.clear_exhausted();
        let limit = scope.heap_limit() >> 20;
        let message = format!("out of memory: the JavaScript heap has reached its limit ({limit} MiB)");
        return Err(scope.throw_op_error(&OpError::error(message).code("ERR_OUT_OF_MEMORY")));
    }
    if over && was_ended && !watchdog::is_stopped() {
        scope.clear_terminated();
        return Err(
            scope.throw_op_error(&OpError::error("the test function did not come back").code("ERR_TEST_TIMEOUT"))
        );
    }
    if let Err(exc) = &result {
        *state.thrown.borrow_mut() = scope.thrown_stack(exc);
    }
    result
}

/// The second half of [`call`] where an object was returned: runs microtasks if it is a promise of the language that is not
/// rejected yet. What was rejected already was told of as unhandled, and only a handler takes that back.
fn settle<'s>(
    scope: &mut Scope<'s>,
    runtime: &RuntimeState,
    state: &TestState,
    value: Local<'s>,
) -> Result<Local<'s>, Exc> {
    match scope.promise_state(value) {
        None | Some((PromiseState::Rejected, _)) => return Ok(value),
        Some((PromiseState::Pending, _)) => scope.mark_handled(value)?,
        Some((PromiseState::Fulfilled, _)) => {}
    }
    turns::run_microtasks(scope, runtime);
    match scope.promise_state(value) {
        Some((PromiseState::Fulfilled, _)) => {
            let idle = runtime.event_loop.tick_info.get(0) == 0 && runtime.event_loop.tick_info.get(1) == 0;
            state.cells.set(1, if idle { outcome::OVER } else { outcome::PLAIN });
            Ok(scope.undefined())
        }
        Some((PromiseState::Rejected, reason)) => {
            state.cells.set(1, outcome::REJECTED);
            Ok(reason)
        }
        _ => Ok(value),
    }
}

/// Whether the heap is nearly as large as it may get.
fn nearly_full(scope: &mut Scope<'_>) -> bool {
    scope.heap_bytes() > u64::from(scope.heap_limit()) / 10 * 9
}

fn memory_is_short() -> OpError {
    OpError::error("out of memory: next to nothing is left of the machine's").code("ERR_OUT_OF_MEMORY")
}

/// Frames of the place where the last function of [`call`] threw: as `inspect.errorFrames` gives them.
#[op(ts(returns = "[function: string, source: string, line: number, column: number, isAsync: boolean][]"))]
pub(crate) fn thrown_frames<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let frames = TestState::of(scope).thrown.take();
    let frames = errors::visible_frames(&RuntimeState::of(scope), frames);
    ext_util::frames_array(scope, &frames)
}
