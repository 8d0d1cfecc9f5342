//! Promises and the microtask queue.

use mozjs::jsapi::{JS, JSObject};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

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
        unsafe { JS::HasAnyMicroTasks(self.cx) }
    }

    /// Runs microtasks until none is left. An exception of one goes to `report`, the others still run; stops early
    /// where execution was terminated.
    pub fn run_microtasks(&mut self, report: &mut dyn FnMut(&mut Scope<'_>, Local<'_>)) {
        // SAFETY: tasks are rooted from the moment they leave the queue; JavaScript jobs run in their own realm.
        unsafe {
            while JS::HasAnyMicroTasks(self.cx) {
                let mut scope = Scope::enter(self.cx);
                let cx = scope.cx;
                let task = scope.undefined();
                mozjs::glue::JS_DequeueNextMicroTask(cx, Scope::out(task));
                if task.is_null() {
                    break;
                }
                let number = scope.ctx().dequeued.get();
                scope.ctx().dequeued.set(number + 1);
                let ok = if JS::IsJSMicroTask(task.handle().ptr) {
                    rooted!(in(cx) let job = JS::ToUnwrappedJSMicroTask(task.handle().ptr));
                    if job.is_null() {
                        continue;
                    }
                    let realm = JS::GetExecutionGlobalFromJSMicroTask(job.get());
                    if realm.is_null() {
                        continue;
                    }
                    let saved = scope.async_context();
                    rooted!(in(cx) let mut incumbent = std::ptr::null_mut::<JSObject>());
                    rooted!(in(cx) let mut data = std::ptr::null_mut::<JSObject>());
                    JS::MaybeGetHostDefinedDataFromJSMicroTask(
                        job.get(),
                        incumbent.handle_mut().into(),
                        data.handle_mut().into(),
                    );
                    let noted = scope.take_settled_context(number);
                    let context = match noted {
                        Some(noted) if data.get().is_null() && !incumbent.get().is_null() => noted.get(&mut scope),
                        _ if data.get().is_null() => scope.undefined(),
                        _ => scope.local_object(data.get()),
                    };
                    scope.set_async_context(context);
                    let ok = {
                        let _realm = mozjs::jsapi::JSAutoRealm::new(cx, realm);
                        JS::RunJSMicroTask(cx, job.handle().into())
                    };
                    scope.set_async_context(saved);
                    ok
                } else {
                    scope.call_function(task, &[]).is_ok()
                };
                if !ok {
                    match scope.take_exception(Exc::pending()) {
                        Some(error) => report(&mut scope, error),
                        None => return,
                    }
                }
            }
        }
    }
}
