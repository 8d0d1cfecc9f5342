//! Weak references to objects, and who hears of their end.
//!
//! The collector asks for every weak reference whether its object is still there. What it clears is noted and told to the
//! context's one listener when the collection is over: on the context's thread, in the middle of whatever allocated.

use std::cell::{Cell, RefCell};

use mozjs::jsapi::{JS, JS_AddWeakPointerZonesCallback, JS_UpdateWeakPointerAfterGC, JSObject, JSTracer};
use mozjs::jsval::ObjectValue;

use crate::context::ContextState;
use crate::handles::{Local, Scope};

/// A weak reference; see [`Scope::new_weak`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeakId(u32);

struct Entry {
    /// Its address is known to the collector while it holds an object.
    object: Box<JS::Heap<*mut JSObject>>,
    data: usize,
    is_told: bool,
}

/// The weak references of one context.
#[derive(Default)]
pub(crate) struct WeakTable {
    entries: RefCell<Vec<Option<Entry>>>,
    free: RefCell<Vec<u32>>,
    /// Places of references whose objects died in the collection under way or just over. What a place holds is looked at
    /// again before the listener is told: programs run between the slices of a collection, and the listener itself ends
    /// references.
    dead: RefCell<Vec<u32>>,
    is_registered: Cell<bool>,
    listener: Cell<Option<fn(usize)>>,
}

impl WeakTable {
    /// Tells the listener of the dead; after a collection, on the context's thread.
    pub(crate) fn tell(&self) {
        let Some(listener) = self.listener.get() else { return };
        for place in self.dead.take() {
            let data = match self.entries.borrow_mut().get_mut(place as usize) {
                Some(Some(entry)) if !entry.is_told && entry.object.get().is_null() => {
                    entry.is_told = true;
                    entry.data
                }
                _ => continue,
            };
            listener(data);
        }
    }

    /// Forgets all, before the context ends.
    pub(crate) fn clear(&self) {
        self.listener.set(None);
        drop(self.entries.take());
        self.free.borrow_mut().clear();
    }
}

unsafe extern "C" {
    #[link_name = "\u{1}_ZN2js2gc29PerformIncrementalReadBarrierEN2JS9GCCellPtrE"]
    fn PerformIncrementalReadBarrier(cell: usize);
}

unsafe extern "C" fn sweep(trc: *mut JSTracer, data: *mut std::ffi::c_void) {
    // SAFETY: the state that was registered, which lives as long as its context.
    let table = unsafe { &(*data.cast::<ContextState>()).weak };
    let entries = table.entries.borrow();
    for (place, entry) in entries.iter().enumerate() {
        let Some(entry) = entry else { continue };
        if entry.object.get().is_null() {
            continue;
        }
        // SAFETY: the collector's own tracer; the reference is where it was registered.
        unsafe { JS_UpdateWeakPointerAfterGC(trc, (&raw const *entry.object).cast_mut()) };
        if entry.object.get().is_null() {
            table.dead.borrow_mut().push(place as u32);
        }
    }
}

impl<'s> Scope<'s> {
    /// A weak reference to `object`; the listener is given `data` once the object is gone. `None` for what is no object.
    pub fn new_weak(&mut self, object: Local<'_>, data: usize) -> Option<WeakId> {
        let object = object.object()?;
        let state = self.ctx();
        if !state.weak.is_registered.replace(true) {
            // SAFETY: the state lives as long as the context.
            unsafe { JS_AddWeakPointerZonesCallback(self.cx, Some(sweep), (&raw const *state).cast_mut().cast()) };
        }
        let entry = Some(Entry { object: JS::Heap::boxed(object), data, is_told: false });
        let mut entries = state.weak.entries.borrow_mut();
        Some(WeakId(match state.weak.free.borrow_mut().pop() {
            Some(index) => {
                entries[index as usize] = entry;
                index
            }
            None => {
                entries.push(entry);
                (entries.len() - 1) as u32
            }
        }))
    }

    /// The object of a weak reference; `None` where it is gone.
    pub fn weak_object(&mut self, id: WeakId) -> Option<Local<'s>> {
        let object = self.ctx().weak.entries.borrow().get(id.0 as usize)?.as_ref()?.object.get();
        if object.is_null() {
            return None;
        }
        // SAFETY: a live object. A collection under way in slices must not take for dead what is looked at now; an
        // object's kind is 0 in a `GCCellPtr`.
        unsafe {
            if JS::IsIncrementalGCInProgress(self.cx) && !is_young(object) {
                PerformIncrementalReadBarrier(object.addr());
            }
        }
        Some(self.local(ObjectValue(object)))
    }

    /// Ends a weak reference. Its data is not told any more.
    pub fn remove_weak(&mut self, id: WeakId) {
        let weak = &self.ctx().weak;
        if let Some(entry) = weak.entries.borrow_mut().get_mut(id.0 as usize)
            && entry.take().is_some()
        {
            weak.free.borrow_mut().push(id.0);
        }
    }

    /// Sets who is told the data of each weak reference whose object is gone. It must not touch the engine but for weak
    /// references.
    pub fn on_weak_end(&mut self, listener: fn(usize)) {
        self.ctx().weak.listener.set(Some(listener));
    }
}

/// Whether an object lies in the nursery: the word before its chunk's cells is not null (js/public/HeapAPI.h).
unsafe fn is_young(object: *mut JSObject) -> bool {
    const CHUNK_MASK: usize = (1 << 20) - 1;
    // SAFETY: cells lie in chunks of a megabyte that begin with the address of a store buffer or null.
    unsafe { *((object.addr() & !CHUNK_MASK) as *const usize) != 0 }
}
