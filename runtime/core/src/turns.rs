//! Turns of the event loop, in Node's phase order: timers, completions (I/O), immediates, close.

use std::time::{Duration, Instant};

use engine::{JsResult, Scope};

use crate::event_loop::Arrival;
use crate::state::RuntimeState;
use crate::{builtins, errors, signals};

/// After a callback: microtasks, and the nextTick queue where it is not empty (Node's order: ticks first, which
/// ext/core/task_queues sees to).
pub fn drain(scope: &mut Scope<'_>, state: &RuntimeState) {
    // Nothing runs after process.exit() or the end of a worker.
    if state.exit.get().is_some() {
        return;
    }
    let tick_info = &state.event_loop.tick_info;
    let idle = || tick_info.get(0) == 0 && tick_info.get(1) == 0;
    if idle() {
        run_microtasks(scope, state);
        if idle() {
            scope.clear_kept_objects();
            return;
        }
    }
    let result = scope.escape(|scope| {
        let known = state.event_loop.process_ticks.borrow().as_ref().map(|function| function.get(scope));
        let process = match known {
            Some(process) => process,
            None => {
                let queues = builtins::require(scope, "internal/core/task_queues")?;
                let process = scope.get(queues, "processTicksAndRejections")?;
                *state.event_loop.process_ticks.borrow_mut() = Some(scope.global(process));
                process
            }
        };
        scope.call_function(process, &[])
    });
    if let Err(exc) = result {
        errors::uncaught(scope, state, exc);
    }
    scope.clear_kept_objects();
}

/// Runs the microtask queue; an error thrown by a queued function is an uncaught exception. Then tells JavaScript of the
/// rejections that are left without a handler.
pub fn run_microtasks(scope: &mut Scope<'_>, state: &RuntimeState) {
    if scope.has_microtasks() {
        scope.run_microtasks(&mut |scope, error| errors::trigger_uncaught(scope, state, error, false));
        if scope.is_terminated() {
            errors::recover(scope, state);
        }
    }
    tell_rejections(scope, state);
}

fn tell_rejections(scope: &mut Scope<'_>, state: &RuntimeState) {
    let rejections = std::mem::take(&mut *state.rejections.borrow_mut());
    if rejections.is_empty() {
        return;
    }
    let saved = scope.async_context();
    for (promise, handled, context) in rejections {
        let result = scope.escape(|scope| {
            let context = context.get(scope);
            scope.set_async_context(context);
            let kind = scope.int(i32::from(handled));
            let promise = promise.get(scope);
            let reason = match scope.promise_state(promise) {
                Some((_, reason)) => reason,
                None => scope.undefined(),
            };
            builtins::call(scope, "internal/process/promises", "promiseRejectHandler", &[kind, promise, reason])
        });
        if let Err(exc) = result {
            errors::uncaught(scope, state, exc);
        }
    }
    scope.set_async_context(saved);
}

fn call_export(scope: &mut Scope<'_>, state: &RuntimeState, module: &str, export: &str, args: &[f64]) -> Option<f64> {
    let result = scope.escape(|scope| {
        let args: Vec<_> = args.iter().map(|n| scope.number(*n)).collect();
        builtins::call(scope, module, export, &args)
    });
    match result {
        Ok(value) => value.as_number(),
        Err(exc) => {
            errors::uncaught(scope, state, exc);
            None
        }
    }
}

fn run_timers(scope: &mut Scope<'_>, state: &RuntimeState) {
    let event_loop = &state.event_loop;
    let Some(due) = event_loop.timer_due.get() else { return };
    let now = event_loop.update_now();
    if due > now {
        return;
    }
    event_loop.timer_due.set(None);
    let next = call_export(scope, state, "internal/core/timers", "processTimers", &[now]).unwrap_or(0.0);
    if next != 0.0 {
        let now = event_loop.now.get();
        event_loop.timer_due.set(Some(now + (next.abs() - now).max(1.0)));
    }
    drain(scope, state);
}

fn run_arrivals(scope: &mut Scope<'_>, state: &RuntimeState) {
    let event_loop = &state.event_loop;
    let done = || event_loop.pending.set(event_loop.pending.get() - 1);
    let mut arrivals = event_loop.inbox.take(event_loop.spare.take());
    while let Some(arrival) = arrivals.pop_front() {
        scope.nested(|scope| {
            let result = match arrival {
                Arrival::Op { token, completion } => {
                    done();
                    engine::finish_async(scope, token, completion)
                }
                Arrival::Job { token, job } => {
                    done();
                    engine::finish_job(scope, token, job)
                }
                Arrival::Engine(task) => {
                    task.run(scope);
                    Ok(())
                }
                Arrival::EngineLater(task, due) => {
                    event_loop.delayed.borrow_mut().push((due, task));
                    Ok(())
                }
                Arrival::Messages(mailbox) => mailbox.deliver(scope),
                Arrival::Call(call) | Arrival::Aside(call) => call(scope),
            };
            if let Err(exc) = result {
                errors::uncaught(scope, state, exc);
            }
            drain(scope, state);
        });
        if state.exit.get().is_some() {
            event_loop.inbox.put_back(arrivals);
            return;
        }
    }
    event_loop.spare.replace(arrivals);
    // Those that are called from here on have their turn in the next one.
    for token in event_loop.ready.take() {
        scope.nested(|scope| {
            done();
            if let Err(exc) = engine::finish_ready(scope, token) {
                errors::uncaught(scope, state, exc);
            }
            drain(scope, state);
        });
        if state.exit.get().is_some() {
            return;
        }
    }
}

/// Runs the engine's tasks whose time has come.
fn run_delayed(scope: &mut Scope<'_>, state: &RuntimeState) {
    let now = Instant::now();
    loop {
        let due = {
            let mut delayed = state.event_loop.delayed.borrow_mut();
            delayed.iter().position(|(due, _)| *due <= now).map(|index| delayed.remove(index))
        };
        let Some((_, task)) = due else { return };
        scope.nested(|scope| task.run(scope));
        drain(scope, state);
    }
}

fn run_cleanups(scope: &mut Scope<'_>, state: &RuntimeState) {
    let cleanups = std::mem::take(&mut *state.event_loop.cleanups.borrow_mut());
    for cleanup in cleanups {
        let function = cleanup.get(scope);
        if let Err(exc) = scope.call_function(function, &[]) {
            errors::uncaught(scope, state, exc);
        }
        drain(scope, state);
    }
}

/// One turn: timers, arrivals (waiting where nothing else is due), immediates.
fn turn(scope: &mut Scope<'_>, state: &RuntimeState) {
    let event_loop = &state.event_loop;
    if event_loop.turns.get() == 0 {
        event_loop.inbox.note_start(state.start);
    }
    event_loop.turns.set(event_loop.turns.get() + 1);
    event_loop.update_now();
    run_timers(scope, state);
    if state.exit.get().is_some() {
        return;
    }
    if !event_loop.delayed.borrow().is_empty() {
        run_delayed(scope, state);
        if state.exit.get().is_some() {
            return;
        }
    }
    run_cleanups(scope, state);
    let may_wait = event_loop.immediate_info.get(0) == 0
        && event_loop.ready.borrow().is_empty()
        && event_loop.alive()
        && !event_loop.poller.has_work();
    let timeout = if may_wait {
        let timers = event_loop.timer_due.get().map(|due| {
            // The loop clock is in whole milliseconds; waking a little late is better than spinning.
            let elapsed = event_loop.start.elapsed().as_secs_f64() * 1000.0;
            Duration::from_secs_f64(((due - elapsed).max(0.0)) / 1000.0)
        });
        let delayed = event_loop.delayed.borrow().iter().map(|(due, _)| *due).min();
        let delayed = delayed.map(|due| due.saturating_duration_since(Instant::now()));
        let companion = event_loop.companion.borrow().as_ref().and_then(|companion| companion.timeout());
        timers.into_iter().chain(delayed).chain(companion).min()
    } else {
        Some(Duration::ZERO)
    };
    event_loop.wait(timeout);
    run_arrivals(scope, state);
    if state.exit.get().is_some() {
        return;
    }
    let mut after = |scope: &mut Scope<'_>, result: JsResult<()>| {
        if let Err(exc) = result {
            errors::uncaught(scope, state, exc);
        }
        drain(scope, state);
        state.exit.get().is_none()
    };
    event_loop.poller.dispatch(scope, &mut after);
    if state.exit.get().is_some() {
        return;
    }
    let companion = event_loop.companion.borrow().clone();
    if let Some(companion) = companion {
        companion.run(scope);
        drain(scope, state);
        if state.exit.get().is_some() {
            return;
        }
    }
    if event_loop.immediate_info.get(0) > 0 {
        call_export(scope, state, "internal/core/timers", "processImmediates", &[]);
        drain(scope, state);
    }
    event_loop.poller.dispatch_closed(scope, &mut after);
}

/// Waits for what other threads have for this one, `limit` at most, and takes it: for the end of a thread, when its loop does
/// not run any more.
pub fn run_calls(scope: &mut Scope<'_>, state: &RuntimeState, limit: Duration) {
    state.event_loop.wait(Some(limit));
    let arrivals = state.event_loop.inbox.take(std::collections::VecDeque::new());
    for arrival in arrivals {
        if let Arrival::Call(call) | Arrival::Aside(call) = arrival
            && let Err(exc) = scope.nested(|scope| call(scope))
        {
            errors::uncaught(scope, state, exc);
        }
    }
}

/// Runs until `stop` says so after a turn, or until nothing keeps the loop alive; without `beforeExit`.
pub fn run_until(scope: &mut Scope<'_>, state: &RuntimeState, stop: &mut dyn FnMut(&mut Scope<'_>) -> bool) {
    while state.exit.get().is_none() && !stop(scope) && state.event_loop.alive() {
        turn(scope, state);
    }
}

/// Runs until nothing keeps the loop alive, `beforeExit` included, or until `stop` says so after a turn.
pub fn run(scope: &mut Scope<'_>, state: &RuntimeState, stop: &mut dyn FnMut(&mut Scope<'_>) -> bool) {
    // A signal that came before the end is told, as by Bun; only the main thread hears of signals.
    let is_signalled = || !state.is_worker() && signals::are_undelivered();
    loop {
        while state.event_loop.alive() || is_signalled() {
            turn(scope, state);
            if state.exit.get().is_some() || stop(scope) {
                return;
            }
        }
        run_cleanups(scope, state);
        // Without a process object there can be no listener.
        if !state.process_used.get() {
            return;
        }
        call_export(scope, state, "internal/process/execution", "emitBeforeExit", &[]);
        drain(scope, state);
        if state.exit.get().is_some() || stop(scope) || !state.event_loop.alive() {
            return;
        }
    }
}
