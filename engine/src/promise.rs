//! Promises and the microtask queue.

use std::cell::Cell;

use mozjs::jsapi::{HandleValueArray, JS, JSObject, Value};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::native::OpDecl;

/// The engine's own loop over microtasks (overlay/src/bao/MicroTasks.h).
#[cfg(engine_overlay)]
mod overlay {
    use std::ffi::c_int;

    use mozjs::jsapi::{JSContext, Value};

    unsafe extern "C" {
        /// Takes the place of the async context, and forgets what the thread remembers of a runtime that is gone.
        pub(super) fn BaoStart(async_context: *mut Value);
        /// Runs microtasks; adds to `taken` and looks at `stop` before each.
        pub(super) fn BaoRunMicroTasks(cx: *mut JSContext, taken: *mut u64, stop: *const bool) -> c_int;
        /// A native function of JavaScript: puts its argument, a function, on the queue.
        pub(super) fn BaoEnqueueMicroTask(cx: *mut JSContext, argc: u32, vp: *mut Value) -> bool;
    }

    /// `bao::LoopEnd`.
    pub(super) const EMPTY: c_int = 0;
    pub(super) const UNKNOWN: c_int = 1;
    pub(super) const FAILED: c_int = 2;
    pub(super) const STOPPED: c_int = 3;
}

/// Prepares the thread for a new context; to be called once it has been made. The place of its async context must be a root
/// that lives as long.
pub(crate) fn start(async_context: &Cell<Value>) {
    // SAFETY: it sets variables of the thread, which nothing reads after the context is gone.
    #[cfg(engine_overlay)]
    unsafe {
        overlay::BaoStart(async_context.as_ptr());
    }
    #[cfg(not(engine_overlay))]
    let _ = async_context;
}

/// The op that puts a function on the microtask queue: the engine's own, which needs no scope, where there is one; `op` otherwise.
pub const fn enqueue_microtask_op(op: OpDecl) -> OpDecl {
    #[cfg(engine_overlay)]
    return OpDecl { native: Some(overlay::BaoEnqueueMicroTask), ..op };
    #[cfg(not(engine_overlay))]
    op
}

/// How far the engine has come with the microtasks.
#[cfg_attr(not(engine_overlay), expect(dead_code, reason = "without the overlay it never begins"))]
enum Progress {
    /// None is left, or execution was terminated.
    Ended,
    /// The next one is for the loop here.
    Next,
    /// One has ended with an exception, which was reported.
    Failed,
}

/// State of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromiseState {
    Pending,
    Fulfilled,
    Rejected,
}

impl<'s> Scope<'s> {
    /// State and result of a promise; `None` where `value` is not one.
    pub fn promise_state(&mut self, value: Local<'_>) -> Option<(PromiseState, Local<'s>)> {
        let object = value.object()?;
        let out = self.undefined();
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let promise = object);
            if !JS::IsPromiseObject(promise.handle().into()) {
                return None;
            }
            let state = match JS::GetPromiseState(promise.handle().into()) {
                JS::PromiseState::Pending => return Some((PromiseState::Pending, out)),
                JS::PromiseState::Fulfilled => PromiseState::Fulfilled,
                JS::PromiseState::Rejected => PromiseState::Rejected,
            };
            mozjs::glue::JS_GetPromiseResult(promise.handle().into(), Scope::out(out));
            Some((state, out))
        }
    }

    /// A promise settled from outside by [`Scope::resolve_promise`] and [`Scope::reject_promise`].
    pub fn new_promise(&mut self) -> JsResult<Local<'s>> {
        // SAFETY: rooted at once.
        let object = unsafe { JS::NewPromiseObject(self.cx, JS::HandleObject::null()) };
        self.checked_object(object)
    }

    /// The realm's own `Promise`, whatever a program has put in its place since.
    pub fn promise_constructor(&mut self) -> JsResult<Local<'s>> {
        // SAFETY: rooted at once.
        let object = unsafe { JS::GetPromiseConstructor(self.cx) };
        self.checked_object(object)
    }

    /// Resolves a pending promise.
    pub fn resolve_promise(&mut self, promise: Local<'_>, value: Local<'_>) -> JsResult<()> {
        let object = self.expect_object(promise)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let promise = object);
            if JS::ResolvePromise(self.cx, promise.handle().into(), value.handle()) {
                Ok(())
            } else {
                Err(Exc::pending())
            }
        }
    }

    /// Rejects a pending promise.
    pub fn reject_promise(&mut self, promise: Local<'_>, reason: Local<'_>) -> JsResult<()> {
        let object = self.expect_object(promise)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let promise = object);
            if JS::RejectPromise(self.cx, promise.handle().into(), reason.handle()) {
                Ok(())
            } else {
                Err(Exc::pending())
            }
        }
    }

    /// Calls one of two functions in a microtask once a promise is settled, as its `then` would, but makes no other promise.
    pub fn when_settled(
        &mut self,
        promise: Local<'_>,
        on_fulfilled: Local<'_>,
        on_rejected: Local<'_>,
    ) -> JsResult<()> {
        let promise = self.expect_object(promise)?;
        let on_fulfilled = self.expect_object(on_fulfilled)?;
        let on_rejected = self.expect_object(on_rejected)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let promise = promise);
            rooted!(in(self.cx) let on_fulfilled = on_fulfilled);
            rooted!(in(self.cx) let on_rejected = on_rejected);
            if !JS::IsPromiseObject(promise.handle().into()) {
                return Err(self.throw_type_error("value is not a promise"));
            }
            if JS::AddPromiseReactions(
                self.cx,
                promise.handle().into(),
                on_fulfilled.handle().into(),
                on_rejected.handle().into(),
            ) {
                Ok(())
            } else {
                Err(Exc::pending())
            }
        }
    }

    /// Marks a rejection as handled, so that it is not reported.
    pub fn mark_handled(&mut self, promise: Local<'_>) -> JsResult<()> {
        let object = self.expect_object(promise)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let promise = object);
            if JS::SetAnyPromiseIsHandled(self.cx, promise.handle().into()) { Ok(()) } else { Err(Exc::pending()) }
        }
    }

    /// Puts a function on the microtask queue (HTML's queueMicrotask).
    pub fn enqueue_microtask(&mut self, function: Local<'_>) -> JsResult<()> {
        let value = function.value();
        // SAFETY: the queue roots the value.
        if unsafe { JS::EnqueueMicroTask(self.cx, &value) } { Ok(()) } else { Err(Exc::pending()) }
    }

    /// The context noted for the job with this number, if any; older notes are dropped.
    fn take_settled_context(&mut self, number: u64) -> Option<crate::handles::Global> {
        let mut settled = self.ctx().settled.borrow_mut();
        while settled.front().is_some_and(|(first, _)| *first < number) {
            settled.pop_front();
        }
        if settled.front().is_some_and(|(first, _)| *first == number) {
            return settled.pop_front().map(|(_, context)| context);
        }
        None
    }

    /// Whether microtasks wait.
    pub fn has_microtasks(&self) -> bool {
        // SAFETY: a plain test.
        unsafe { JS::HasAnyMicroTasks(self.cx) || !self.ctx().hook_microtasks.borrow().is_empty() }
    }

    /// Takes the next microtask of the engine's queue; `None` where none is left.
    pub(crate) fn dequeue_microtask(&mut self) -> Option<Local<'s>> {
        let cx = self.cx;
        // SAFETY: the task is rooted from the moment it leaves the queue.
        unsafe {
            if !JS::HasAnyMicroTasks(cx) {
                return None;
            }
            let task = self.undefined();
            mozjs::glue::JS_DequeueNextMicroTask(cx, Scope::out(task));
            if task.is_null() {
                return None;
            }
            let number = &self.ctx().dequeued;
            number.set(number.get() + 1);
            Some(task)
        }
    }

    /// The async context of the task that was dequeued last.
    fn context_of_dequeued(&mut self, task: Local<'_>) -> Local<'s> {
        if !self.ctx().context_used.get() {
            return self.undefined();
        }
        let number = self.ctx().dequeued.get() - 1;
        let noted = self.take_settled_context(number);
        let cx = self.cx;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(cx) let job = JS::ToUnwrappedJSMicroTask(task.handle().ptr));
            if job.get().is_null() {
                return self.undefined();
            }
            rooted!(in(cx) let mut incumbent = std::ptr::null_mut::<JSObject>());
            rooted!(in(cx) let mut data = std::ptr::null_mut::<JSObject>());
            JS::MaybeGetHostDefinedDataFromJSMicroTask(
                job.get(),
                incumbent.handle_mut().into(),
                data.handle_mut().into(),
            );
            match noted {
                Some(noted) if data.get().is_null() && !incumbent.get().is_null() => noted.get(self),
                _ if data.get().is_null() => self.undefined(),
                _ => self.local_object(data.get()),
            }
        }
    }

    /// The next microtask of the engine's queue with the async context it belongs to.
    fn next_microtask(&mut self) -> Option<(Local<'s>, Local<'s>)> {
        let task = self.dequeue_microtask()?;
        let context = self.context_of_dequeued(task);
        Some((task, context))
    }

    /// Runs one microtask. An exception goes to `report`; false where execution was terminated.
    pub(crate) fn run_microtask(
        &mut self,
        task: Local<'_>,
        context: Local<'_>,
        report: &mut dyn FnMut(&mut Scope<'_>, Local<'_>),
    ) -> bool {
        let cx = self.cx;
        // SAFETY: rooted handles; JavaScript jobs run in their own realm.
        unsafe {
            let job = self.local_object(JS::ToUnwrappedJSMicroTask(task.handle().ptr));
            let ok = if job.is_null() {
                let arguments = HandleValueArray { length_: 0, elements_: std::ptr::null() };
                let this = self.undefined();
                let out = self.undefined();
                JS::Call(cx, this.handle(), task.handle(), &arguments, Scope::out(out))
            } else {
                rooted!(in(cx) let job = job.value().to_object());
                let realm = JS::GetExecutionGlobalFromJSMicroTask(job.get());
                if realm.is_null() {
                    return true;
                }
                let _realm = mozjs::jsapi::JSAutoRealm::new(cx, realm);
                if self.ctx().context_used.get() {
                    let saved = self.async_context();
                    self.set_async_context(context);
                    let ok = JS::RunJSMicroTask(cx, job.handle().into());
                    self.set_async_context(saved);
                    ok
                } else {
                    let ok = JS::RunJSMicroTask(cx, job.handle().into());
                    if self.ctx().context_used.get() {
                        // The first context of all was entered in this task and ends with it.
                        let none = self.undefined();
                        self.set_async_context(none);
                    }
                    ok
                }
            };
            if !ok {
                match self.take_exception(Exc::pending()) {
                    Some(error) => report(self, error),
                    None => return false,
                }
            }
        }
        true
    }

    /// Moves a microtask to the queue of its realm, where that has one of its own.
    fn moved_to_realm(&mut self, task: Local<'_>, context: Local<'_>) -> JsResult<bool> {
        if !self.ctx().own_microtasks.get() {
            return Ok(false);
        }
        // SAFETY: the task is rooted; the realm's global is used before anything can collect.
        unsafe {
            if !JS::IsJSMicroTask(task.handle().ptr) {
                return Ok(false);
            }
            let job = JS::ToUnwrappedJSMicroTask(task.handle().ptr);
            if job.is_null() {
                return Ok(false);
            }
            let global = JS::GetExecutionGlobalFromJSMicroTask(job);
            if global.is_null() {
                return Ok(false);
            }
            self.keep_for_realm(global, task, context)
        }
    }

    /// Takes the microtasks of realms with queues of their own out of the engine's queue; the others keep their order.
    pub(crate) fn sort_microtasks(&mut self) -> JsResult<()> {
        // SAFETY: plain reads; the queue roots what is put back.
        unsafe {
            let count = JS::GetRegularMicroTaskCount(self.cx);
            for _ in 0..count {
                let mut scope = Scope::enter(self.cx);
                let Some((task, context)) = scope.next_microtask() else { return Ok(()) };
                if scope.moved_to_realm(task, context)? {
                    continue;
                }
                // Behind the others, so that after one round all are in their order again. The engine asks for no context
                // here, so a task's own is noted under its new number.
                if context.is_object() {
                    let number = scope.ctx().dequeued.get() + JS::GetRegularMicroTaskCount(scope.cx) as u64;
                    let noted = scope.global(context);
                    scope.ctx().settled.borrow_mut().push_back((number, noted));
                }
                let value = task.value();
                if !JS::EnqueueMicroTask(scope.cx, &value) {
                    return Err(Exc::pending());
                }
            }
        }
        Ok(())
    }

    /// Has the engine run microtasks as far as it can: not if a realm has a queue of its own, or with a promise hook.
    #[cfg(engine_overlay)]
    fn run_microtasks_in_engine(&mut self, report: &mut dyn FnMut(&mut Scope<'_>, Local<'_>)) -> Progress {
        if self.ctx().one_by_one.get() {
            return Progress::Next;
        }
        let (taken, stop) = (self.ctx().dequeued.as_ptr(), self.ctx().one_by_one.as_ptr());
        // SAFETY: the cells live as long as the context, and nobody borrows from a cell.
        let end = unsafe { overlay::BaoRunMicroTasks(self.cx, taken, stop) };
        match end {
            overlay::EMPTY => Progress::Ended,
            overlay::FAILED => match self.take_exception(Exc::pending()) {
                Some(error) => {
                    report(self, error);
                    Progress::Failed
                }
                None => Progress::Ended,
            },
            overlay::UNKNOWN | overlay::STOPPED => Progress::Next,
            _ => unreachable!("BaoRunMicroTasks gives a bao::LoopEnd"),
        }
    }

    #[cfg(not(engine_overlay))]
    fn run_microtasks_in_engine(&mut self, _: &mut dyn FnMut(&mut Scope<'_>, Local<'_>)) -> Progress {
        Progress::Next
    }

    /// Runs microtasks until none is left. An exception of one goes to `report`, the others still run; stops early
    /// where execution was terminated.
    pub fn run_microtasks(&mut self, report: &mut dyn FnMut(&mut Scope<'_>, Local<'_>)) {
        loop {
            self.queue_microtasks_of_hooks();
            self.run_queued_microtasks(report);
            if self.is_terminated() || self.ctx().hook_microtasks.borrow().is_empty() {
                return;
            }
        }
    }

    fn run_queued_microtasks(&mut self, report: &mut dyn FnMut(&mut Scope<'_>, Local<'_>)) {
        loop {
            // SAFETY: same context and thread; what a task makes goes with it.
            let mut scope = unsafe { Scope::enter(self.cx) };
            match scope.run_microtasks_in_engine(report) {
                Progress::Ended => return,
                Progress::Failed => continue,
                Progress::Next => {}
            }
            let Some(task) = scope.dequeue_microtask() else { return };
            let context = scope.context_of_dequeued(task);
            if scope.ctx().own_microtasks.get() {
                match scope.moved_to_realm(task, context) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(exc) => {
                        match scope.take_exception(exc) {
                            Some(error) => report(&mut scope, error),
                            None => return,
                        }
                        continue;
                    }
                }
            }
            if !scope.run_microtask(task, context, report) {
                return;
            }
        }
    }
}
