//! Counters that code adds to and another thread may read: for `bao test --coverage`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::JsResult;
use crate::handles::{Local, Scope};

/// Counts, from 0. The code of one thread adds to them.
#[derive(Clone)]
pub struct Counters {
    counts: Arc<[AtomicU32]>,
}

struct Bytes(Arc<[AtomicU32]>);

impl AsMut<[u8]> for Bytes {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: only the address and the length are used, to make the buffer; atomics may be written through them.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr().cast_mut().cast(), self.0.len() * 4) }
    }
}

impl Counters {
    /// `count` zeros.
    pub fn new(count: usize) -> Self {
        Counters { counts: (0..count).map(|_| AtomicU32::new(0)).collect() }
    }

    /// How often it was counted.
    pub fn get(&self, index: usize) -> u32 {
        self.counts.get(index).map_or(0, |count| count.load(Ordering::Relaxed))
    }
}

impl<'s> Scope<'s> {
    /// An `Int32Array` on counters: its elements are added to fastest. (What overflows is read right as unsigned.)
    pub fn counters_array(&mut self, counters: &Counters) -> JsResult<Local<'s>> {
        let buffer = self.external_array_buffer(Bytes(counters.counts.clone()))?;
        let length = counters.counts.len() as i64;
        // SAFETY: a rooted handle.
        unsafe {
            mozjs::rooted!(in(self.cx) let raw = buffer.value().to_object());
            let view = mozjs::jsapi::JS_NewInt32ArrayWithBuffer(self.cx, raw.handle().into(), 0, length);
            self.checked_object(view)
        }
    }
}
