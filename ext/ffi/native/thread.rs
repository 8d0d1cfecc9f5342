//! What belongs to a JavaScript thread: whether C is running, the exception that a callback has left, the callbacks.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use engine::foreign::Anchor;
use engine::{Exc, Global, Scope};
use runtime_core::RuntimeState;

use crate::callback::Open;

/// Two numbers that machine code reads and writes.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Cells {
    /// Calls from JavaScript to C that are under way.
    pub(crate) depth: Cell<u32>,
    /// See [`Pending`]; 0 for nothing.
    pub(crate) pending: Cell<u32>,
}

/// What a call ends with instead of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Pending {
    /// The exception in [`Thread::thrown`].
    Thrown = 1,
    /// The end of execution, which nothing can catch.
    Terminated = 2,
    /// A read at an address where nothing can be.
    NullRead = 3,
}

/// See above.
pub(crate) struct Thread {
    pub(crate) cells: Cells,
    pub(crate) thrown: RefCell<Option<Global>>,
    pub(crate) anchor: Anchor,
    pub(crate) state: Rc<RuntimeState>,
    /// Callbacks that are not closed, or still have calls to make.
    pub(crate) callbacks: RefCell<HashMap<u64, Open>>,
    ids: Cell<u64>,
}

thread_local! {
    /// The cells of this thread, for C functions of our own.
    static CELLS: Cell<*const Cells> = const { Cell::new(std::ptr::null()) };
}

impl Thread {
    /// The one of this thread, made at the first use.
    pub(crate) fn of(scope: &mut Scope<'_>) -> Rc<Thread> {
        if let Some(thread) = scope.state().get::<Rc<Thread>>() {
            return thread.clone();
        }
        let thread = Rc::new(Thread {
            cells: Cells::default(),
            thrown: RefCell::default(),
            anchor: scope.anchor(),
            state: RuntimeState::of(scope),
            callbacks: RefCell::default(),
            ids: Cell::new(0),
        });
        CELLS.set(&raw const thread.cells);
        scope.state().put(thread.clone());
        thread
    }

    pub(crate) fn new_id(&self) -> u64 {
        self.ids.set(self.ids.get() + 1);
        self.ids.get()
    }

    /// Keeps what a callback ended with until C has returned; the end of execution where `error` is `None`.
    pub(crate) fn leave_pending(&self, error: Option<Global>) {
        let pending = if error.is_some() { Pending::Thrown } else { Pending::Terminated };
        *self.thrown.borrow_mut() = error;
        self.cells.pending.set(pending as u32);
    }

    /// Throws what is pending.
    pub(crate) fn check(&self, scope: &mut Scope<'_>) -> Result<(), Exc> {
        match self.cells.pending.replace(0) {
            0 => Ok(()),
            word if word == Pending::Terminated as u32 => Err(scope.terminate()),
            word if word == Pending::NullRead as u32 => {
                Err(scope.throw_op_error(&crate::values::invalid("ptr cannot be zero, nothing can be read there")))
            }
            _ => match self.thrown.borrow_mut().take() {
                Some(error) => {
                    let error = error.get(scope);
                    Err(scope.throw(error))
                }
                None => Err(scope.throw_error("an exception was lost")),
            },
        }
    }
}

/// Notes that the running C function of our own has been asked to read where nothing can be.
#[cold]
pub(crate) fn null_read() {
    // SAFETY: null, or the cells of this thread, whose owner lives as long as functions that could call this.
    if let Some(cells) = unsafe { CELLS.get().as_ref() } {
        cells.pending.set(Pending::NullRead as u32);
    }
}

/// Closes the callbacks of the thread, which ends: C that calls them later gets 0.
pub fn tear_down(scope: &mut Scope<'_>) {
    let Some(thread) = scope.state().get::<Rc<Thread>>().cloned() else { return };
    let open = std::mem::take(&mut *thread.callbacks.borrow_mut());
    for callback in open.into_values() {
        callback.shut();
    }
}
