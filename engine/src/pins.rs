//! Buffers that native work is done on: while it lasts they can be neither detached nor resized.
//!
//! A buffer that a program transfers gives its memory away, and the next collection frees it: a job of the pool would read and
//! write what belongs to somebody else by then. The engine's flag against that is one per buffer, several jobs may share a
//! buffer, so the jobs of each are counted here. What a program does with such a buffer meanwhile (`transfer()`, `resize()`,
//! `postMessage` with a transfer list) throws; a WebAssembly memory does not grow.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use mozjs::jsapi::JS;
use mozjs::jsval::ObjectValue;

use crate::handles::PersistentTable;

/// The pinned buffers of a context.
pub(crate) struct PinTable {
    /// That of the context.
    thread: ThreadId,
    /// Pins that ended where the engine could not be told.
    ended: Mutex<Vec<usize>>,
    /// For `thread` only.
    live: RefCell<Live>,
}

// SAFETY: other threads reach `ended` only, which is locked; `live` is used after a comparison with `thread`. The last reference
// may go on any thread: `close` has emptied `live` by then.
unsafe impl Send for PinTable {}
// SAFETY: as above.
unsafe impl Sync for PinTable {}

struct Live {
    /// `None` after the context's end.
    persistents: Option<Rc<PersistentTable>>,
    /// By the address of their memory, which stays the same while they are here; their objects move.
    buffers: HashMap<usize, Pinned, BuildHasherDefault<AddressHasher>>,
}

/// Addresses are the allocator's choice, not a program's: they need no keyed hash.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // The low bits of an address are equal, and so are those of the product.
        self.0.rotate_left(32)
    }
}

struct Pinned {
    /// The buffer in the table of persistents.
    buffer: u32,
    /// How many jobs use it.
    count: u32,
}

impl PinTable {
    pub(crate) fn new(persistents: Rc<PersistentTable>) -> Arc<Self> {
        let live = Live { persistents: Some(persistents), buffers: HashMap::default() };
        Arc::new(PinTable { thread: thread::current().id(), ended: Mutex::default(), live: RefCell::new(live) })
    }

    /// Pins `buffer`, an ArrayBuffer or SharedArrayBuffer whose memory at `address` is outside of the object. False where that
    /// memory is known as another buffer's.
    ///
    /// # Safety
    /// On the context's thread, with a live object and its address.
    pub(crate) unsafe fn pin(&self, buffer: *mut mozjs::jsapi::JSObject, address: usize, shared: bool) -> bool {
        let live = &mut *self.live.borrow_mut();
        let Some(persistents) = &live.persistents else { return false };
        if let Some(pinned) = live.buffers.get_mut(&address) {
            // Each object of shared memory keeps all of it.
            if !shared && persistents.get(pinned.buffer).to_object() != buffer {
                return false;
            }
            pinned.count += 1;
            return true;
        }
        // SAFETY: a live object; this sets a flag. Shared memory has none: it never goes or shrinks.
        unsafe { JS::PinArrayBufferOrViewLength(buffer, true) };
        let buffer = persistents.insert(ObjectValue(buffer));
        live.buffers.insert(address, Pinned { buffer, count: 1 });
        true
    }

    /// Whether anything is pinned. On the context's thread, as what follows.
    pub(crate) fn has_any(&self) -> bool {
        !self.live.borrow().buffers.is_empty()
    }

    /// Whether a buffer is pinned whose memory begins at `address`.
    pub(crate) fn is_pinned(&self, address: usize) -> bool {
        self.live.borrow().buffers.contains_key(&address)
    }

    /// A job does not use the memory at `address` any more. On any thread.
    pub(crate) fn unpin(&self, address: usize) {
        // SAFETY: reads a field of the thread's. In a collection objects are not where the table says.
        if thread::current().id() == self.thread && unsafe { JS::RuntimeHeapState() } == JS::HeapState::Idle {
            self.end(address);
        } else {
            self.ended.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(address);
        }
    }

    /// Unpins what ended on other threads; on the context's, where nothing collects.
    pub(crate) fn settle(&self) {
        let ended = std::mem::take(&mut *self.ended.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        for address in ended {
            self.end(address);
        }
    }

    fn end(&self, address: usize) {
        let live = &mut *self.live.borrow_mut();
        let Some(persistents) = &live.persistents else { return };
        let Some(pinned) = live.buffers.get_mut(&address) else { return };
        pinned.count -= 1;
        if pinned.count > 0 {
            return;
        }
        let buffer = pinned.buffer;
        // SAFETY: a rooted object; this clears a flag.
        unsafe { JS::PinArrayBufferOrViewLength(persistents.get(buffer).to_object(), false) };
        persistents.remove(buffer);
        live.buffers.remove(&address);
    }

    /// The context ends; its objects are gone for those whose jobs end later.
    pub(crate) fn close(&self) {
        let live = &mut *self.live.borrow_mut();
        live.persistents = None;
        live.buffers = HashMap::default();
    }
}
