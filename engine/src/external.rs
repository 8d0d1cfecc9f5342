//! Memory outside the heap that belongs to its objects: what the collector is told of it, and how Rust values that
//! objects owned are dropped.
//!
//! The engine frees the contents of a dead buffer on a thread of its own, and runs finalizers in the middle of any call
//! that allocates. Owners may be tied to their thread (`Rc`) and may need what an op has borrowed just then, so they are
//! queued and dropped on the thread of the context between tasks ([`crate::Scope::clear_kept_objects`]), before a new
//! one is made, and after a collection that was asked for; at the latest when the context ends.

use std::any::Any;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use mozjs::glue::CallObjectRootTracer;
use mozjs::jsapi::{JS, JSObject, JSTracer};

const MEMORY: JS::MemoryUse = JS::MemoryUse::Embedding1;

/// A value to be dropped at home.
struct Returned(#[expect(dead_code, reason = "dropped, never read")] Box<dyn Any>);
// SAFETY: never touched before it is back on the thread that it was made on.
unsafe impl Send for Returned {}

/// The external memory of one context.
pub(crate) struct ExternalMemory {
    /// The global object: the collector counts external memory by zone, and wants an object to tell the zone by. Null
    /// before there is one and while the context is destroyed.
    account: AtomicPtr<JSObject>,
    returned: Mutex<Vec<Returned>>,
    any_returned: AtomicBool,
}

impl ExternalMemory {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(ExternalMemory {
            account: AtomicPtr::new(ptr::null_mut()),
            returned: Mutex::default(),
            any_returned: AtomicBool::new(false),
        })
    }

    pub(crate) fn set_account(&self, global: *mut JSObject) {
        self.account.store(global, Ordering::Release);
    }

    /// # Safety
    /// Called by the collector only.
    pub(crate) unsafe fn trace(&self, trc: *mut JSTracer) {
        let before = self.account.load(Ordering::Acquire);
        if before.is_null() {
            return;
        }
        let mut account = before;
        // SAFETY: a live object, which may be told its new place.
        unsafe { CallObjectRootTracer(trc, &mut account, c"external memory".as_ptr()) };
        // Other threads may read meanwhile: written only where it changes, which is never while they sweep.
        if account != before {
            self.account.store(account, Ordering::Release);
        }
    }

    fn add(&self, bytes: usize) {
        let account = self.account.load(Ordering::Acquire);
        if !account.is_null() {
            // SAFETY: the live global.
            unsafe { JS::AddAssociatedMemory(account, bytes, MEMORY) };
        }
    }

    /// Adds to, or takes from, what was added.
    pub(crate) fn adjust(&self, bytes: i64) {
        let size = usize::try_from(bytes.unsigned_abs()).unwrap_or(usize::MAX);
        if bytes < 0 { self.remove(size) } else { self.add(size) }
    }

    /// From any thread.
    fn remove(&self, bytes: usize) {
        let account = self.account.load(Ordering::Acquire);
        if !account.is_null() {
            // SAFETY: the live global; the counts are atomic.
            unsafe { JS::RemoveAssociatedMemory(account, bytes, MEMORY) };
        }
    }

    fn queue(&self) -> MutexGuard<'_, Vec<Returned>> {
        self.returned.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Queues a value to be dropped; from any thread, but a value of this context's thread only.
    pub(crate) fn give_back(&self, value: Box<dyn Any>) {
        self.queue().push(Returned(value));
        self.any_returned.store(true, Ordering::Release);
    }

    /// Drops the values that have come home; on the context's thread.
    #[inline]
    pub(crate) fn drop_returned(&self) {
        if self.any_returned.swap(false, Ordering::AcqRel) {
            // Not under the lock: a drop may do anything.
            let returned = std::mem::take(&mut *self.queue());
            drop(returned);
        }
    }
}

/// The owner of a buffer's contents, as the engine holds it.
pub(crate) struct Owner {
    value: Box<dyn Any>,
    bytes: usize,
    home: Arc<ExternalMemory>,
}

impl Owner {
    /// Reports `bytes` to the collector and gives the pointer that [`Owner::free`] takes.
    pub(crate) fn hand_over(value: Box<dyn Any>, bytes: usize, home: Arc<ExternalMemory>) -> *mut Owner {
        home.add(bytes);
        Box::into_raw(Box::new(Owner { value, bytes, home }))
    }

    /// The engine's callback for contents that are no longer needed; from any thread.
    pub(crate) unsafe extern "C" fn free(_contents: *mut std::ffi::c_void, owner: *mut std::ffi::c_void) {
        // SAFETY: the box of `hand_over`, given back once.
        let Owner { value, bytes, home } = *unsafe { Box::from_raw(owner.cast::<Owner>()) };
        home.remove(bytes);
        home.give_back(value);
    }
}
