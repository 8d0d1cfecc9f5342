//! Functions of JavaScript as functions of C.
//!
//! The address that C gets is a stub whose word leads to a [`Slot`]. Slots are never freed: a call of a closed callback finds that it is closed.
//! They are used again only after a thousand others have been closed. On its own thread a callback calls JavaScript at once. Any other
//! thread finds either a queue, where it leaves its arguments for the loop of the callback's thread, or nothing: it never touches the engine.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use engine::{Global, JsResult, Local, OpError, Primitive, Resource, Scope, op};
use runtime_core::event_loop::{Arrival, Inbox};
use runtime_core::{errors, turns};

use crate::abi::{self, Received};
use crate::code::{self, Stub};
use crate::thread::Thread;
use crate::types::{Kind, Signature};
use crate::values::{from_word, primitive, text_at, to_word};

/// So many closed slots rest before the first of them is used again.
const RESTING: usize = 1024;
/// Callbacks of so many arguments are called without an allocation, if all are numbers or the like.
const FEW: usize = 8;
/// So many calls of other threads in a turn of the loop.
const MOST_CALLS: usize = 1000;

/// What a stub leads to.
pub(crate) struct Slot {
    address: u64,
    /// The thread that may call JavaScript directly, see [`token`]; 0 for none.
    owner: AtomicUsize,
    /// For that thread: a reference of an `Rc`.
    own: Cell<*const Own>,
    /// For all threads.
    queue: Mutex<Option<Arc<Queue>>>,
    /// Whether a wrong call was reported.
    has_complained: AtomicBool,
}

// SAFETY: `own` is for the thread that `owner` names.
unsafe impl Sync for Slot {}

thread_local! {
    static TOKEN: u8 = const { 0 };
}

/// A number that stands for this thread while it lives, not 0.
fn token() -> usize {
    TOKEN.with(|token| ptr::from_ref(token).addr())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Slots that no callback has.
#[derive(Default)]
struct Pool {
    fresh: Vec<&'static Slot>,
    resting: VecDeque<&'static Slot>,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

fn take_slot() -> std::io::Result<&'static Slot> {
    let mut pool = lock(&POOL);
    let pool = pool.get_or_insert_default();
    if pool.resting.len() > RESTING
        && let Some(slot) = pool.resting.pop_front()
    {
        return Ok(slot);
    }
    if pool.fresh.is_empty() {
        for Stub { address, word } in code::stubs(abi::entry as *const ())? {
            let slot: &'static Slot = Box::leak(Box::new(Slot {
                address,
                owner: AtomicUsize::new(0),
                own: Cell::new(ptr::null()),
                queue: Mutex::new(None),
                has_complained: AtomicBool::new(false),
            }));
            // SAFETY: the stub's own word, which nobody has called yet.
            unsafe { word.write(ptr::from_ref(slot) as u64) };
            pool.fresh.push(slot);
        }
    }
    pool.fresh.pop().ok_or_else(|| std::io::Error::from_raw_os_error(libc::ENOMEM))
}

/// The half of a callback that belongs to its thread.
pub(crate) struct Own {
    function: Global,
    signature: Signature,
    thread: Rc<Thread>,
    /// Strings that the last call has returned to C.
    returned: RefCell<Vec<Vec<u8>>>,
}

/// A call that another thread has asked for.
struct Call {
    words: Box<[u64]>,
    /// Texts by the index of their argument: they may be gone when the call is made.
    texts: Vec<(usize, Vec<u8>)>,
}

/// The half of a callback that other threads see.
pub(crate) struct Queue {
    id: u64,
    signature: Signature,
    inbox: Inbox,
    calls: Mutex<VecDeque<Call>>,
    is_scheduled: AtomicBool,
    is_closed: AtomicBool,
}

/// A callback that is open, or closed with calls waiting.
pub(crate) struct Open {
    own: Rc<Own>,
    queue: Option<Arc<Queue>>,
    slot: &'static Slot,
    is_closed: Cell<bool>,
}

impl Open {
    /// From now on C that calls gets 0.
    pub(crate) fn shut(&self) {
        if self.is_closed.replace(true) {
            return;
        }
        self.slot.owner.store(0, Ordering::Release);
        let own = self.slot.own.replace(ptr::null());
        if !own.is_null() {
            // SAFETY: the reference that `callback` has put there.
            unsafe { Rc::decrement_strong_count(own) };
        }
        lock(&self.slot.queue).take();
        if let Some(queue) = &self.queue {
            queue.is_closed.store(true, Ordering::Release);
        }
        lock(&POOL).get_or_insert_default().resting.push_back(self.slot);
    }
}

/// What a `JSCallback` holds.
pub(crate) struct Handle {
    id: u64,
    thread: Rc<Thread>,
}

/// Makes a callback: what closes it, and its address. `args` and `result` are numbers of types.
///
/// # Errors
/// An error of the system where it gives no memory for code.
#[op]
pub(crate) fn callback(
    scope: &mut Scope<'_>,
    function: Global,
    args: Vec<u8>,
    result: u8,
    threadsafe: bool,
) -> Result<(Resource<Handle>, f64), OpError> {
    let thread = Thread::of(scope);
    let signature = Signature::of(&args, result).ok_or_else(|| OpError::type_error("invalid ABI type"))?;
    let slot = take_slot().map_err(|error| OpError::io(error, "mprotect"))?;
    let id = thread.new_id();
    let own =
        Rc::new(Own { function, signature: signature.clone(), thread: thread.clone(), returned: RefCell::default() });
    slot.has_complained.store(false, Ordering::Relaxed);
    let queue = threadsafe.then(|| {
        Arc::new(Queue {
            id,
            signature,
            inbox: thread.state.event_loop.inbox.clone(),
            calls: Mutex::default(),
            is_scheduled: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        })
    });
    if queue.is_some() {
        lock(&slot.queue).clone_from(&queue);
    } else {
        slot.own.set(Rc::into_raw(own.clone()));
        slot.owner.store(token(), Ordering::Release);
    }
    thread.callbacks.borrow_mut().insert(id, Open { own, queue, slot, is_closed: Cell::new(false) });
    Ok((Resource::new(Handle { id, thread }), slot.address as f64))
}

/// Closes a callback. Calls of other threads that wait are still made.
#[op]
pub(crate) fn close_callback(callback: &Resource<Handle>) {
    let mut callbacks = callback.thread.callbacks.borrow_mut();
    let Some(open) = callbacks.get(&callback.id) else { return };
    open.shut();
    // The loop takes what has been asked for; it removes the callback afterwards.
    if open.queue.as_ref().is_some_and(|queue| !lock(&queue.calls).is_empty()) {
        return;
    }
    let open = callbacks.remove(&callback.id);
    drop(callbacks);
    drop(open);
}

/// What C's call of a stub comes to; the word of the result.
pub(crate) unsafe extern "C" fn called(slot: *const Slot, registers: *const u64, stack: *const u64) -> u64 {
    // SAFETY: the word of the stub, which `take_slot` has written, and what the entry passes.
    let (slot, mut received) = unsafe { (&*slot, Received::new(registers, stack)) };
    if slot.owner.load(Ordering::Acquire) == token() {
        let own = slot.own.get();
        // SAFETY: set before `owner`, and taken by this thread only. The callback may close itself meanwhile.
        let own = unsafe {
            Rc::increment_strong_count(own);
            Rc::from_raw(own)
        };
        return catch_unwind(AssertUnwindSafe(|| own.run(&mut received))).unwrap_or(0);
    }
    let queue = lock(&slot.queue).clone();
    match queue {
        Some(queue) => queue.add(&mut received),
        None => complain(slot),
    }
    0
}

/// A call that cannot be made: there is nobody to throw to. C is below, so a standard error that is gone may not panic.
#[cold]
fn complain(slot: &Slot) {
    if slot.has_complained.swap(true, Ordering::Relaxed) {
        return;
    }
    if slot.owner.load(Ordering::Acquire) == 0 {
        base::stderr::say("error: C has called a JSCallback that is closed; it gets 0\n");
    } else {
        base::stderr::say(
            "error: C has called a JSCallback from another thread than the one that made it; it gets 0. \
             Make it with `threadsafe: true`\n",
        );
    }
}

impl Own {
    /// Calls JavaScript with what C has passed.
    fn run(&self, received: &mut Received) -> u64 {
        let thread = &*self.thread;
        // Nothing runs between an exception and the function that it is for.
        if thread.cells.pending.get() != 0 || thread.state.exit.get().is_some() {
            return 0;
        }
        // SAFETY: on the thread of the context, in a native call or a turn of the loop, and everything is made in an inner scope.
        let mut scope = unsafe { thread.anchor.scope() };
        scope.nested(|scope| {
            scope.stress();
            match self.call(scope, received) {
                Ok(word) => word,
                Err(exc) => {
                    if thread.cells.depth.get() == 0 {
                        errors::uncaught(scope, &thread.state, exc);
                    } else {
                        let error = scope.take_exception(exc);
                        thread.leave_pending(error.map(|error| scope.global(error)));
                    }
                    0
                }
            }
        })
    }

    fn call(&self, scope: &mut Scope<'_>, received: &mut Received) -> JsResult<u64> {
        let kinds = &self.signature.args;
        let mut words = [0; FEW];
        let mut quick = [Primitive::undefined(); FEW];
        let count = kinds.len();
        if count <= FEW {
            let mut are_primitive = true;
            for ((word, value), &kind) in words.iter_mut().zip(&mut quick).zip(kinds) {
                // SAFETY: the program says that C passes these.
                *word = unsafe { received.next(kind) };
                match primitive(*word, kind) {
                    Some(made) => *value = made,
                    None => are_primitive = false,
                }
            }
            if are_primitive {
                let function = self.function.get(scope);
                let result = scope.call_with_primitives(function, &quick[..count])?;
                return self.to_word(scope, result);
            }
        }
        let mut values = Vec::with_capacity(count);
        for (index, &kind) in kinds.iter().enumerate() {
            // SAFETY: as above.
            let word = if count <= FEW { words[index] } else { unsafe { received.next(kind) } };
            values.push(from_word(scope, word, kind)?);
        }
        let function = self.function.get(scope);
        let result = scope.call_function(function, &values)?;
        self.to_word(scope, result)
    }

    fn to_word(&self, scope: &mut Scope<'_>, result: Local<'_>) -> JsResult<u64> {
        let mut kept = Vec::new();
        let word = to_word(scope, result, self.signature.returns, &mut kept)?;
        if !kept.is_empty() {
            *self.returned.borrow_mut() = kept;
        }
        Ok(word)
    }
}

impl Queue {
    /// Leaves a call for the loop; on any thread.
    fn add(self: &Arc<Self>, received: &mut Received) {
        let mut texts = Vec::new();
        let words = self.signature.args.iter().enumerate().map(|(index, &kind)| {
            // SAFETY: the program says that C passes these, and texts with their end.
            unsafe {
                let word = received.next(kind);
                if kind == Kind::CString && word != 0 {
                    texts.push((index, text_at(word).to_vec()));
                }
                word
            }
        });
        let words = words.collect();
        lock(&self.calls).push_back(Call { words, texts });
        self.send();
    }

    fn send(self: &Arc<Self>) {
        if !self.is_scheduled.swap(true, Ordering::AcqRel) {
            let queue = self.clone();
            self.inbox.send(Arrival::Call(Box::new(move |scope| {
                queue.dispatch(scope);
                Ok(())
            })));
        }
    }

    fn dispatch(self: &Arc<Self>, scope: &mut Scope<'_>) {
        self.is_scheduled.store(false, Ordering::Release);
        let thread = Thread::of(scope);
        for _ in 0..MOST_CALLS {
            let own = thread.callbacks.borrow().get(&self.id).map(|open| open.own.clone());
            let (Some(own), Some(call)) = (own, lock(&self.calls).pop_front()) else {
                if self.is_closed.load(Ordering::Acquire) {
                    let open = thread.callbacks.borrow_mut().remove(&self.id);
                    drop(open);
                }
                return;
            };
            if thread.state.exit.get().is_some() {
                return;
            }
            scope.nested(|scope| {
                if let Err(exc) = call.make(scope, &own) {
                    errors::uncaught(scope, &thread.state, exc);
                }
            });
            turns::drain(scope, &thread.state);
        }
        self.send();
    }
}

impl Call {
    fn make(mut self, scope: &mut Scope<'_>, own: &Own) -> JsResult<()> {
        let mut values = Vec::with_capacity(self.words.len());
        for (index, (&word, &kind)) in self.words.iter().zip(&own.signature.args).enumerate() {
            let text = self.texts.iter_mut().find(|(of, _)| *of == index);
            values.push(match text {
                Some((_, text)) => scope.string_lossy(text)?,
                None => from_word(scope, word, kind)?,
            });
        }
        let function = own.function.get(scope);
        scope.call_function(function, &values).map(drop)
    }
}
