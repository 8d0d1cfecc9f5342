//! Async work: a function for the pool of threads, and one for the loop when it is done.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use engine::{BlockingJob, JsResult, Local, Scope};
use runtime_core::event_loop::{Arrival, Inbox};
use runtime_core::pool;

use crate::callbacks::Context;
use crate::env::{Env, Handle, basic, out, simple, value};
use crate::status::Status;
use crate::thread;

type Execute = unsafe extern "C" fn(env: *const Env, data: *mut c_void);
type Complete = unsafe extern "C" fn(env: *const Env, status: Status, data: *mut c_void);

const IDLE: u8 = 0;
const QUEUED: u8 = 1;
const RUNNING: u8 = 2;
const CANCELLED: u8 = 3;

struct Inner {
    env: *const Env,
    env_id: u64,
    execute: Execute,
    complete: Option<Complete>,
    data: *mut c_void,
    state: AtomicU8,
    /// For the loop's thread only.
    context: Context,
}

// SAFETY: other threads read what does not change and the state; the context is used on the loop's thread, which drops it.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// `napi_async_work`
pub struct Work(Arc<Inner>);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_async_work(
    env: *const Env,
    resource: Handle,
    name: Handle,
    execute: Option<Execute>,
    complete: Option<Complete>,
    data: *mut c_void,
    result: *mut *mut Work,
) -> Status {
    simple(env, |env, scope| {
        let execute = execute.ok_or(Status::InvalidArg)?;
        let result = out(result)?;
        let name = value(name)?;
        let context = Context::new(env, scope, crate::env::optional(resource), name)?;
        result.write(Box::into_raw(Box::new(Work(Arc::new(Inner {
            env,
            env_id: env.id,
            execute,
            complete,
            data,
            state: AtomicU8::new(IDLE),
            context,
        })))));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_delete_async_work(env: *const Env, work: *mut Work) -> Status {
    simple(env, |env, scope| {
        if work.is_null() {
            return Err(Status::InvalidArg.into());
        }
        // SAFETY: the box of `napi_create_async_work`, given back once.
        let work = unsafe { Box::from_raw(work) };
        work.0.context.destroy(env, scope);
        Ok(())
    })
}

/// The way of a work through the pool and back. Both halves hold it until the loop is done with it.
struct Job {
    inner: Option<Arc<Inner>>,
    inbox: Inbox,
}

impl BlockingJob for Job {
    fn run(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        if inner.state.compare_exchange(QUEUED, RUNNING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            // SAFETY: the addon's own function; Node calls it on a thread of the pool as well.
            unsafe { (inner.execute)(inner.env, inner.data) };
        }
        if inner.state.load(Ordering::Acquire) == RUNNING {
            self.inbox.send(completion(inner, Status::Ok));
        } else {
            // The loop's thread has it back, for whom it must be dropped.
            self.inbox.send(Arrival::Call(Box::new(move |_| {
                drop(inner);
                Ok(())
            })));
        }
    }

    fn finish<'s>(&mut self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        Ok(scope.undefined())
    }

    fn is_quick(&self) -> bool {
        false
    }

    fn changes(&self) -> bool {
        false
    }
}

fn completion(inner: Arc<Inner>, status: Status) -> Arrival {
    Arrival::Call(Box::new(move |scope| {
        inner.state.store(IDLE, Ordering::Release);
        let Some(env) = thread::find(scope, inner.env_id) else { return Ok(()) };
        let Some(complete) = inner.complete else { return Ok(()) };
        let data = inner.data;
        let entered = inner.context.enter(scope)?;
        // The callback usually deletes the work.
        let context = inner.context.clone();
        drop(inner);
        let result = env.enter(scope, |env| {
            // SAFETY: the addon's own function with what it goes with.
            unsafe { complete(env, status, data) }
        });
        context.leave(scope, entered)?;
        result
    }))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_queue_async_work(env: *const Env, work: *mut Work) -> Status {
    /// Of no op: nobody waits for it but the loop.
    const NO_TOKEN: u64 = u64::MAX;
    basic(env, |env| {
        // SAFETY: null, or a work that was not deleted.
        let work = unsafe { work.as_ref() }.ok_or(Status::InvalidArg)?;
        work.0.state.store(QUEUED, Ordering::Release);
        let event_loop = &env.state.event_loop;
        event_loop.pending.set(event_loop.pending.get() + 1);
        event_loop.inbox.expect_job(false);
        let job = Box::new(Job { inner: Some(work.0.clone()), inbox: event_loop.inbox.clone() });
        pool::spawn(pool::Task { token: NO_TOKEN, job, inbox: event_loop.inbox.clone() });
        Ok(())
    })
}

/// Fails where the work runs or is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_cancel_async_work(env: *const Env, work: *mut Work) -> Status {
    basic(env, |env| {
        // SAFETY: as above.
        let work = unsafe { work.as_ref() }.ok_or(Status::InvalidArg)?;
        if work.0.state.compare_exchange(QUEUED, CANCELLED, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return Err(Status::GenericFailure.into());
        }
        env.state.event_loop.inbox.send(completion(work.0.clone(), Status::Cancelled));
        Ok(())
    })
}
