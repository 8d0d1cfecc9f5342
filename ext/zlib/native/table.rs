//! The streams of a thread, by number. JavaScript keeps the number in an ArrayBuffer: when the buffer is collected, the
//! stream goes, whether or not it was closed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use engine::{FromJsAsync, JsResult, Local, OpError, Scope};

use crate::codec::{Codec, Failure};

/// A stream and the failure that JavaScript has not asked for yet.
pub(crate) struct Entry {
    pub codec: Box<dyn Codec>,
    /// Comes with the next step.
    pub pending: Option<Failure>,
    /// Came with the last step.
    pub failure: Option<Failure>,
}

#[derive(Default)]
struct Slots {
    last: u32,
    entries: HashMap<u32, Arc<Mutex<Entry>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// All streams of a context.
#[derive(Default, Clone)]
pub(crate) struct Table(Arc<Mutex<Slots>>);

/// What the ArrayBuffer of a stream owns. Dropped on the thread of the context.
struct Lifetime {
    table: Table,
    id: u32,
    bytes: [u8; 4],
}

impl AsMut<[u8]> for Lifetime {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Lifetime {
    fn drop(&mut self) {
        self.table.remove(self.id);
    }
}

impl Table {
    /// Takes a stream in; the result is an ArrayBuffer of four bytes, the number of the stream.
    pub(crate) fn insert<'s>(&self, scope: &mut Scope<'s>, codec: Box<dyn Codec>) -> JsResult<Local<'s>> {
        let mut slots = lock(&self.0);
        slots.last = slots.last.wrapping_add(1);
        let id = slots.last;
        slots.entries.insert(id, Arc::new(Mutex::new(Entry { codec, pending: None, failure: None })));
        drop(slots);
        scope.external_array_buffer(Lifetime { table: self.clone(), id, bytes: id.to_ne_bytes() })
    }

    /// Frees a stream; one that is at work goes when it is through.
    pub(crate) fn remove(&self, id: u32) {
        let entry = lock(&self.0).entries.remove(&id);
        drop(entry);
    }
}

/// A stream as an argument.
pub(crate) struct Stream(Arc<Mutex<Entry>>);

impl Stream {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Entry> {
        lock(&self.0)
    }
}

/// In TypeScript: `number`.
impl FromJsAsync for Stream {
    fn from_js_async(scope: &mut Scope<'_>, value: Local<'_>) -> Result<Self, OpError> {
        let id = u32::from_js_async(scope, value)?;
        let table = scope.state().get_or_default::<Table>().clone();
        let entry = lock(&table.0).entries.get(&id).cloned();
        entry.map(Stream).ok_or_else(|| OpError::error("the compression stream is closed"))
    }
}
