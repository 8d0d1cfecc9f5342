//! What the heap is made of, realm by realm.

use std::collections::HashMap;
use std::ffi::c_void;
use std::time::{Duration, Instant};

use mozjs::jsapi::{JS, JS_SetGCParameter, JSContext as RawContext, JSGCParamKey, JSObject};

use crate::bindings::{FinishGC, IterateHeapUnbarriered, IterateRealms};
use crate::context::GcKind;
use crate::handles::Scope;

/// Bytes of the heap's cells. What objects keep outside of it (elements of large arrays, contents of buffers) is not counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct HeapByRealm {
    /// Of objects of the current realm.
    pub current: u64,
    /// Of objects of each further realm ([`Scope::new_realm`]).
    pub further: Vec<u64>,
    /// Of everything together: also what belongs to no realm, as strings and shapes.
    pub total: u64,
}

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeapSizes {
    /// What the heap has of the system, the nursery included.
    pub total: u64,
    /// Of that, parts that hold nothing.
    pub unused: u64,
    /// Of that, pages with objects, outside the nursery.
    pub used: u64,
    /// The area of new objects.
    pub nursery: u64,
    /// What the heap may grow to.
    pub limit: u64,
    /// Number of realms.
    pub realms: u64,
}

/// Times at which the allocator's free pages go back to the system. What threads that compile have used stays with the
/// allocator otherwise, and so does what a burst of requests has left behind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trims {
    /// Not again before.
    next: Instant,
}

/// The area of new objects of a context that prefers a small heap to speed.
pub(crate) const SMALL_NURSERY: u32 = 1 << 20;

/// Least time between two trims.
const TRIM_PAUSE: Duration = Duration::from_secs(1);
/// A trim takes less than this part of the time, without the page faults behind it.
const TRIM_SHARE: u32 = 500;

impl Trims {
    pub(crate) fn new() -> Self {
        Trims { next: Instant::now() + TRIM_PAUSE }
    }

    /// After a collection: trims, if it is time for that.
    pub(crate) fn collected(self) -> Self {
        if Instant::now() < self.next { self } else { Self::trim() }
    }

    /// Trims now.
    pub(crate) fn trim() -> Self {
        let begin = Instant::now();
        // SAFETY: allowed at any time, on any thread.
        unsafe { libc::malloc_trim(0) };
        let end = Instant::now();
        Trims { next: end + TRIM_PAUSE.max((end - begin) * TRIM_SHARE) }
    }
}

/// One full collection.
#[derive(Debug, Clone, Copy)]
pub struct Collection {
    /// From its beginning to its end, with what ran in between where it was done in slices.
    pub microseconds: u64,
    /// Bytes in use at its beginning and at its end.
    pub before: u64,
    pub after: u64,
}

/// Collections while somebody wants to know.
#[derive(Default)]
pub(crate) struct GcLog {
    begun: Option<(Instant, u32)>,
    done: Vec<Collection>,
}

impl GcLog {
    pub(crate) fn note(&mut self, end: bool, used: u32) {
        if !end {
            self.begun = Some((Instant::now(), used));
        } else if let Some((start, before)) = self.begun.take() {
            let microseconds = start.elapsed().as_micros() as u64;
            self.done.push(Collection { microseconds, before: u64::from(before), after: u64::from(used) });
        }
    }
}

#[derive(Default)]
struct Counts {
    realms: HashMap<usize, u64>,
    total: u64,
}

unsafe extern "C" fn ignore_zone(_: *mut c_void, _: *mut c_void, _: *mut c_void, _: *const c_void) {}

unsafe extern "C" fn ignore_arena(_: *mut c_void, _: *mut c_void, _: *mut c_void, _: u8, _: usize, _: *const c_void) {}

unsafe extern "C" fn note_realm(_: *mut RawContext, data: *mut c_void, realm: *mut JS::Realm, _: *const c_void) {
    // SAFETY: the data of the call below.
    unsafe { (*data.cast::<Counts>()).realms.entry(realm as usize).or_default() };
}

/// js/public/HeapAPI.h: a cell's address with its kind in the low three bits; that of objects is 0.
unsafe extern "C" fn count_cell(_: *mut c_void, data: *mut c_void, cell: usize, size: usize, _: *const c_void) {
    // SAFETY: the data of the call below; a live cell.
    unsafe {
        let counts = &mut *data.cast::<Counts>();
        counts.total += size as u64;
        if cell & 7 == 0 {
            let realm = JS::GetObjectRealmOrNull(cell as *mut JSObject);
            if !realm.is_null() {
                *counts.realms.entry(realm as usize).or_default() += size as u64;
            }
        }
    }
}

impl Scope<'_> {
    /// Has the area of new objects be at least so large, unless the context is a small one: for programs in which much waits at the same
    /// time, and would be moved out of an area that is full often, together with all that it gets.
    pub fn keep_nursery(&mut self, bytes: u32) {
        let most = self.gc_parameter(JSGCParamKey::JSGC_MAX_NURSERY_BYTES);
        if most <= SMALL_NURSERY {
            return;
        }
        // SAFETY: parameters within the engine's bounds.
        unsafe {
            JS_SetGCParameter(self.cx, JSGCParamKey::JSGC_MAX_NURSERY_BYTES, most.max(bytes));
            JS_SetGCParameter(self.cx, JSGCParamKey::JSGC_MIN_NURSERY_BYTES, bytes);
        }
    }

    /// How large the heap is.
    pub fn heap_sizes(&mut self) -> HeapSizes {
        let value = |key| u64::from(self.gc_parameter(key));
        let chunk = value(JSGCParamKey::JSGC_CHUNK_BYTES);
        let sizes = HeapSizes {
            total: value(JSGCParamKey::JSGC_TOTAL_CHUNKS) * chunk,
            unused: value(JSGCParamKey::JSGC_UNUSED_CHUNKS) * chunk,
            used: value(JSGCParamKey::JSGC_BYTES),
            nursery: value(JSGCParamKey::JSGC_NURSERY_BYTES),
            limit: value(JSGCParamKey::JSGC_MAX_BYTES),
            realms: 0,
        };
        let mut counts = Counts::default();
        // SAFETY: the callback only counts.
        unsafe { IterateRealms(self.cx, (&raw mut counts).cast(), note_realm) };
        HeapSizes { realms: counts.realms.len() as u64, ..sizes }
    }

    /// Starts to note full collections.
    pub fn start_gc_log(&mut self) {
        *self.ctx().gc_log.borrow_mut() = Some(GcLog::default());
    }

    /// Ends that, and gives what was noted.
    pub fn stop_gc_log(&mut self) -> Vec<Collection> {
        self.ctx().gc_log.take().map_or_else(Vec::new, |log| log.done)
    }

    /// Collects everything that can be and counts what is left.
    pub fn heap_by_realm(&mut self) -> HeapByRealm {
        self.gc(GcKind::Full);
        let mut counts = Counts::default();
        let proof = 0u64;
        // SAFETY: the nursery is empty after the collection; the callbacks allocate nothing on the heap.
        unsafe {
            FinishGC(self.cx, JS::GCReason::API);
            IterateHeapUnbarriered(
                self.cx,
                (&raw mut counts).cast(),
                ignore_zone,
                note_realm,
                ignore_arena,
                count_cell,
                (&raw const proof).cast(),
            );
        }
        let mut heap = HeapByRealm { total: counts.total, ..HeapByRealm::default() };
        let here = self.global_object();
        for (realm, bytes) in counts.realms {
            // SAFETY: realms that were seen just now; nothing has been collected since.
            let global = unsafe { JS::GetRealmGlobalOrNull(realm as *mut JS::Realm) };
            if global.is_null() {
                continue;
            }
            if here.object() == Some(global) {
                heap.current = bytes;
            // SAFETY: a live global object.
            } else if unsafe { crate::realm::is_further(global) } {
                heap.further.push(bytes);
            }
        }
        heap.further.sort_unstable();
        heap
    }
}
