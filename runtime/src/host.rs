//! What the engine asks of the runtime.

use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};

use engine::{AsyncCompletion, BlockingJob, Global, Host, ImportRequest, JsResult, Local, Scope, TaskSender};

use crate::state::RuntimeState;
use crate::{globals, modules, pool, ports};

/// The [`Host`] of a JavaScript thread.
pub struct RuntimeHost {
    pub state: Weak<RuntimeState>,
    pub inbox: crate::event_loop::Inbox,
}

/// At most so many ops that were done when they were called wait for the loop's next turn. (The time that it takes to read
/// as many small files is about what a timer may be late.)
const MOST_READY: usize = 256;

impl RuntimeHost {
    fn state(&self) -> Rc<RuntimeState> {
        self.state.upgrade().expect("the state outlives the context")
    }
}

impl Host for RuntimeHost {
    fn spawn_blocking(&self, token: u64, job: Box<dyn BlockingJob>) {
        let state = self.state();
        state.event_loop.pending.set(state.event_loop.pending.get() + 1);
        self.inbox.expect_job(job.is_quick());
        pool::spawn(pool::Task { token, job, inbox: self.inbox.clone() });
    }

    fn complete_later(&self, token: u64) {
        let state = self.state();
        state.event_loop.pending.set(state.event_loop.pending.get() + 1);
        state.event_loop.ready.borrow_mut().push(token);
    }

    fn may_complete_now(&self) -> bool {
        self.state().event_loop.ready.borrow().len() < MOST_READY
    }

    fn spawn_local(&self, token: u64, future: Pin<Box<dyn Future<Output = AsyncCompletion>>>) {
        let state = self.state();
        state.event_loop.pending.set(state.event_loop.pending.get() + 1);
        state.event_loop.spawn_local(token, future);
    }

    fn load_module<'s>(
        &self,
        scope: &mut Scope<'s>,
        referrer: Option<u32>,
        request: &ImportRequest,
    ) -> JsResult<Local<'s>> {
        // A script of node:vm may ask from a realm of its own.
        scope.in_main_realm(|scope| modules::load(scope, &self.state(), referrer, request))
    }

    fn module_object<'s>(&self, scope: &mut Scope<'s>, module: u32) -> Option<Local<'s>> {
        modules::module_object(scope, &self.state(), module)
    }

    fn import_meta(&self, scope: &mut Scope<'_>, module: u32, meta: Local<'_>) -> JsResult<()> {
        scope.in_main_realm(|scope| modules::import_meta(scope, &self.state(), module, meta))
    }

    fn promise_rejection(&self, scope: &mut Scope<'_>, promise: Local<'_>, handled: bool) {
        // Only noted: this is called from wherever the promise was rejected, which may be too deep on the stack for
        // more JavaScript.
        let state = self.state();
        if handled {
            // Most rejections get their handler in the same turn and then concern nobody.
            let mut rejections = state.rejections.borrow_mut();
            let from = rejections.len().saturating_sub(16);
            let known = (from..rejections.len()).rev().find(|&index| {
                let (noted, was_handled, _) = &rejections[index];
                !was_handled && noted.get(scope).same(promise)
            });
            if let Some(index) = known {
                rejections.remove(index);
                return;
            }
        }
        let promise = scope.global(promise);
        let context = scope.async_context();
        let context = scope.global(context);
        state.rejections.borrow_mut().push((promise, handled, context));
    }

    fn resolve_global<'s>(&self, scope: &mut Scope<'s>, name: &str) -> JsResult<Option<Local<'s>>> {
        globals::resolve(scope, &self.state(), name)
    }

    fn finalization(&self, cleanup: Global) {
        self.state().event_loop.cleanups.borrow_mut().push(cleanup);
    }

    fn can_transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> bool {
        scope.in_main_realm(|scope| ports::can_transfer(scope, &self.state(), object))
    }

    fn transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<engine::Transferred> {
        scope.in_main_realm(|scope| ports::transfer(scope, &self.state(), object))
    }

    fn receive<'s>(&self, scope: &mut Scope<'s>, taken: engine::Transferred) -> JsResult<Local<'s>> {
        scope.in_main_realm(|scope| ports::receive_transferred(scope, &self.state(), taken))
    }

    fn interrupt(&self, scope: &mut Scope<'_>) -> bool {
        let state = self.state();
        if state.worker.as_ref().is_some_and(crate::worker::Own::is_stopped) {
            state.exit.set(Some(1));
            // Whatever runs next in this thread ends at once as well.
            scope.request_interrupt();
        }
        state.exit.get().is_none()
            && state.vm_deadline.get().is_none_or(|deadline| std::time::Instant::now() < deadline)
            && !state.watchdog.borrow().as_ref().is_some_and(|watchdog| watchdog.is_over())
            && !state
                .vm_interrupted
                .borrow()
                .as_ref()
                .is_some_and(|flag| flag.load(std::sync::atomic::Ordering::SeqCst))
    }

    fn engine_task_sender(&self) -> TaskSender {
        let inbox = self.inbox.clone();
        Box::new(move |task, delay| inbox.send_task(task, delay))
    }
}
