//! Web Locks (https://w3c.github.io/web-locks/) of all threads of the process: who holds what and who waits, in order. What a request means
//! is ext/worker/web/locks.ts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{Exc, Global, JsResult, Local, Scope, op, ops};
use runtime_core::RuntimeState;
use runtime_core::event_loop::{Arrival, Inbox};

/// A lock that is held, or the request for one.
struct Entry {
    id: u32,
    thread: u32,
    exclusive: bool,
    inbox: Inbox,
}

#[derive(Default)]
struct Queue {
    held: Vec<Entry>,
    waiting: VecDeque<Entry>,
}

#[derive(Default)]
struct Manager {
    last: u32,
    queues: HashMap<String, Queue>,
}

static MANAGER: Mutex<Option<Manager>> = Mutex::new(None);

fn manager() -> MutexGuard<'static, Option<Manager>> {
    MANAGER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread is told of one of its entries.
const GRANTED: i32 = 0;
const STOLEN: i32 = 1;

/// Who is told in this thread: `listener(id, what)`.
#[derive(Default)]
struct Listener(RefCell<Option<Global>>);

fn tell(entry: &Entry, what: i32) {
    let id = entry.id;
    entry.inbox.send(Arrival::Call(Box::new(move |scope| {
        let listener = scope.state().get_or_default::<Rc<Listener>>().clone();
        let Some(function) = listener.0.borrow().as_ref().map(|function| function.get(scope)) else {
            return Ok(());
        };
        let (id, what) = (scope.number(id.into()), scope.int(what));
        scope.call_function(function, &[id, what]).map(drop)
    })));
}

impl Queue {
    fn is_free(&self, exclusive: bool) -> bool {
        if exclusive { self.held.is_empty() } else { self.held.iter().all(|entry| !entry.exclusive) }
    }

    /// Grants what can be granted, in order: a request waits for all before it. Those of `thread` are the result, others are told.
    fn advance(&mut self, thread: u32) -> Vec<u32> {
        let mut own = Vec::new();
        while self.waiting.front().is_some_and(|first| self.is_free(first.exclusive)) {
            let Some(entry) = self.waiting.pop_front() else { break };
            if entry.thread == thread {
                own.push(entry.id);
            } else {
                tell(&entry, GRANTED);
            }
            self.held.push(entry);
        }
        own
    }
}

/// From now on `listener(id, what)` is called when a request of this thread is granted (0) or a lock of it stolen (1) by another thread.
#[op]
fn listen<'s>(scope: &mut Scope<'s>, listener: Local<'s>) {
    let listener = scope.global(listener);
    let known = scope.state().get_or_default::<Rc<Listener>>().clone();
    *known.0.borrow_mut() = Some(listener);
}

/// `[id, granted, stolen...]`: the number of the request, 1 where it holds the lock already, and entries of this thread that it has stolen it from.
/// `id` is 0 where it was to be had only if nobody had to be waited for.
#[op]
fn request(
    scope: &mut Scope<'_>,
    name: String,
    exclusive: bool,
    if_available: bool,
    steal: bool,
) -> Result<Vec<u32>, Exc> {
    let state = RuntimeState::of(scope);
    let thread = state.thread;
    let mut manager = manager();
    let manager = manager.get_or_insert_default();
    manager.last += 1;
    let id = manager.last;
    let queue = manager.queues.entry(name).or_default();
    let entry = Entry { id, thread, exclusive, inbox: state.event_loop.inbox.clone() };
    if if_available && (!queue.waiting.is_empty() || !queue.is_free(exclusive)) {
        return Ok(vec![0, 0]);
    }
    let mut result = vec![id, 1];
    if steal {
        for old in queue.held.drain(..) {
            if old.thread == thread {
                result.push(old.id);
            } else {
                tell(&old, STOLEN);
            }
        }
        queue.held.push(entry);
        return Ok(result);
    }
    queue.waiting.push_back(entry);
    result[1] = u32::from(queue.advance(thread).contains(&id));
    Ok(result)
}

/// Gives a lock back, or takes a request back: the requests of this thread that hold the lock now.
#[op]
fn release(scope: &mut Scope<'_>, name: String, id: u32) -> Vec<u32> {
    let thread = RuntimeState::of(scope).thread;
    let mut manager = manager();
    let Some(manager) = &mut *manager else { return Vec::new() };
    let Some(queue) = manager.queues.get_mut(&name) else { return Vec::new() };
    queue.held.retain(|entry| entry.id != id);
    queue.waiting.retain(|entry| entry.id != id);
    let own = queue.advance(thread);
    if queue.held.is_empty() && queue.waiting.is_empty() {
        manager.queues.remove(&name);
    }
    own
}

/// `[name, exclusive, thread, held]` of all of them, one after the other.
#[op(ts(returns = "[name: string, exclusive: boolean, thread: number, held: boolean][]"))]
fn query<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let mut rows = Vec::new();
    if let Some(manager) = &*manager() {
        for (name, queue) in &manager.queues {
            rows.extend(queue.held.iter().map(|entry| (name.clone(), entry.exclusive, entry.thread, true)));
            rows.extend(queue.waiting.iter().map(|entry| (name.clone(), entry.exclusive, entry.thread, false)));
        }
    }
    let rows: Vec<_> = rows.into_iter().map(|row| row_of(scope, row)).collect::<JsResult<_>>()?;
    scope.new_array(&rows)
}

fn row_of<'s>(
    scope: &mut Scope<'s>,
    (name, exclusive, thread, held): (String, bool, u32, bool),
) -> JsResult<Local<'s>> {
    let name = scope.string(&name)?;
    let (exclusive, held) = (scope.boolean(exclusive), scope.boolean(held));
    let thread = scope.number(thread.into());
    scope.new_array(&[name, exclusive, thread, held])
}

/// A thread has ended: what it held is free, and it waits for nothing any more.
pub(crate) fn release_thread(thread: u32) {
    if let Some(manager) = &mut *manager() {
        manager.queues.retain(|_, queue| {
            queue.held.retain(|entry| entry.thread != thread);
            queue.waiting.retain(|entry| entry.thread != thread);
            queue.advance(thread);
            !queue.held.is_empty() || !queue.waiting.is_empty()
        });
    }
}

ops!(pub fn family "locks" { listen, request, release, query });
