//! What the engine asks of the runtime.

use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};

use engine::{
    AsyncCompletion, BlockingJob, Global, Host, ImportRequest, JsResult, Local, Scope, TaskSender, Transferred,
};

use crate::event_loop::Inbox;
use crate::state::RuntimeState;
use crate::{builtins, globals, modules, pool};

/// The [`Host`] of a JavaScript thread.
pub struct RuntimeHost {
    pub state: Weak<RuntimeState>,
    pub inbox: Inbox,
    pub transfers: &'static dyn Transfers,
}

/// How objects that are no data travel between threads; the platform's half is ext/worker.
pub trait Transfers {
    /// Whether an object may stand in the transfer list of a message.
    fn can_transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> bool;

    /// Takes an object of a transfer list away from this thread.
    ///
    /// # Errors
    /// A JavaScript exception if the object cannot be transferred now.
    fn transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<Transferred>;

    /// Makes the object in the thread that the message has come to.
    ///
    /// # Errors
    /// A JavaScript exception if it cannot be made there.
    fn receive<'s>(&self, scope: &mut Scope<'s>, taken: Transferred) -> JsResult<Local<'s>>;
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

    fn is_abandoned(&self, scope: &mut Scope<'_>, context: Local<'_>) -> bool {
        if !self.state().modules.borrow().graphs.has_disposed() {
            return false;
        }
        let answer = scope.escape(|scope| {
            let context = scope.copy(context);
            builtins::call(scope, "internal/events/ownership", "isAbandoned", &[context])
        });
        match answer {
            Ok(answer) => answer.truthy(),
            Err(exc) => {
                scope.take_exception(exc);
                false
            }
        }
    }

    fn can_transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> bool {
        scope.in_main_realm(|scope| self.transfers.can_transfer(scope, object))
    }

    fn transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<Transferred> {
        scope.in_main_realm(|scope| self.transfers.transfer(scope, object))
    }

    fn receive<'s>(&self, scope: &mut Scope<'s>, taken: Transferred) -> JsResult<Local<'s>> {
        scope.in_main_realm(|scope| self.transfers.receive(scope, taken))
    }

    fn interrupt(&self, scope: &mut Scope<'_>) -> bool {
        let state = self.state();
        let limits = state.limits.borrow().clone();
        let is_reached = limits.iter().any(|limit| limit.is_reached(scope));
        state.exit.get().is_none() && !is_reached
    }

    fn engine_task_sender(&self) -> TaskSender {
        let inbox = self.inbox.clone();
        Box::new(move |task, delay| inbox.send_task(task, delay))
    }
}
