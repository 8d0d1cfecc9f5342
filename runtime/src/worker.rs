//! The whole life of a worker, on its thread.

use std::time::Instant;

use ext_worker::WorkerThread;
use runtime_core::{coverage, cpu_profile, errors};

use crate::{program, thread};

/// Runs a worker. Its parent hears of its end before memory is freed: that has to wait for operations under way.
pub(crate) fn live(worker: WorkerThread) {
    worker.begin();
    let start = Instant::now();
    let (state, mut context) = match thread::make(worker.options.clone(), start, worker.id) {
        Ok(made) => made,
        Err(message) => {
            base::stderr_line!("error: {message}");
            worker.leave();
            return worker.tell_end(1, false);
        }
    };
    worker.set_reach(&mut context, &state);
    let (code, out_of_memory) = context.with(|scope| {
        if worker.is_stopped() {
            return (1, false);
        }
        let code = thread::enter(scope, &state, live, |scope| {
            if let Err(exc) = worker.set_up(scope) {
                errors::uncaught(scope, &state, exc);
                return state.exit.get().unwrap_or(1);
            }
            program::run(scope, &state, &worker.program)
        });
        // Debuggers may look at what has ended, unless nobody wants to wait for that.
        if !worker.is_stopped()
            && let Some(finish) = state.on_exit.get()
        {
            finish(scope);
        }
        scope.clear_terminated();
        coverage::write_last(scope);
        cpu_profile::write_last(scope);
        ext_inspector::write_heap_profile(scope);
        ext_inspector::leave(scope);
        ext_ffi::tear_down(scope);
        ext_napi::tear_down(scope);
        // Whoever is at the other end of a connection hears of it now.
        ext_net::close_all(scope);
        state.event_loop.poller.clear();
        state.event_loop.abandon_tasks(scope);
        (code, scope.heap_exhausted())
    });
    worker.leave();
    // What the worker held is gone when its parent hears of its end, unless jobs of the pool are still at work on its memory.
    if !state.event_loop.is_busy() {
        state.event_loop.finish();
        drop(context);
        return worker.tell_end(code, out_of_memory);
    }
    worker.tell_end(code, out_of_memory);
    state.event_loop.finish();
    drop(context);
}
