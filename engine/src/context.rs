//! Engine start, contexts, and what belongs to a context.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::{Arc, Mutex, Once, OnceLock};

use mozjs::glue::{CallValueRootTracer, CreateJobQueue, DeleteJobQueue, JobQueueTraps, RustJobQueue};
use mozjs::jsapi::{
    BuildIdCharVector, InitSelfHostedCode, JS, JS_AddInterruptCallback, JS_DestroyContext, JS_GC, JS_GetContextPrivate,
    JS_Init, JS_NewContext, JS_RequestInterruptCallback, JS_SetContextPrivate, JS_SetGCParameter,
    JS_SetGlobalJitCompilerOption, JS_SetNativeStackQuota, JSContext as RawContext, JSGCParamKey, JSJitCompilerOption,
    JSTracer, SetProcessBuildIdOp, Value,
};
use mozjs::jsval::{ObjectValue, UndefinedValue};
use mozjs_sys::jsgc::{Rootable, Rooted};
use mozjs_sys::trace::Traceable;

use crate::bindings::ByteSpan;
use crate::error::JsResult;
use crate::external::ExternalMemory;
use crate::handles::{Global, HandleStack, Local, PersistentTable, Scope};
use crate::memory::Trims;
use crate::module::ImportRequest;
use crate::native::{AsyncCompletion, BlockingJob, Waiter};

mod callbacks;

use crate::tasks::{Dispatch, TaskSender};
use callbacks::{
    collected, finalization, host_defined_data, host_defined_global, interrupt, promise_rejection, run_jobs,
    trace_nothing,
};

/// What a context asks of the program that embeds it. All calls come on the context's own thread.
pub trait Host {
    /// Runs `job` on the blocking pool; it must come back through [`crate::finish_job`].
    fn spawn_blocking(&self, token: u64, job: Box<dyn BlockingJob>);
    /// Calls [`crate::finish_ready`] in the next turn of the loop.
    fn complete_later(&self, token: u64);
    /// Whether few enough of these wait that another may.
    fn may_complete_now(&self) -> bool;
    /// Runs `future` on the thread's loop; its completion must come back through [`crate::finish_async`].
    fn spawn_local(&self, token: u64, future: Pin<Box<dyn Future<Output = AsyncCompletion>>>);
    /// HostLoadImportedModule: the module object for a request of the module or script `referrer` (the number it was
    /// compiled with, if any), or a promise of it.
    fn load_module<'s>(
        &self,
        scope: &mut Scope<'s>,
        referrer: Option<u32>,
        request: &ImportRequest,
    ) -> JsResult<Local<'s>>;
    /// The module object of a number that [`Scope::instantiate_module`] was given; `None` for scripts.
    fn module_object<'s>(&self, scope: &mut Scope<'s>, module: u32) -> Option<Local<'s>>;
    /// Fills `import.meta` of the module with that number.
    fn import_meta(&self, scope: &mut Scope<'_>, module: u32, meta: Local<'_>) -> JsResult<()>;
    /// A promise was rejected without a handler (`handled` false) or got its first handler afterwards (true).
    fn promise_rejection(&self, scope: &mut Scope<'_>, promise: Local<'_>, handled: bool);
    /// The value of a lazy global on its first use.
    fn resolve_global<'s>(&self, scope: &mut Scope<'s>, name: &str) -> JsResult<Option<Local<'s>>>;
    /// A finalization registry has work: `cleanup` is to be called as a task.
    fn finalization(&self, cleanup: Global);
    /// Whether nothing is to reach what runs in an async context any more: ops that were started in it end silently.
    fn is_abandoned(&self, _scope: &mut Scope<'_>, _context: Local<'_>) -> bool {
        false
    }
    /// Whether an object that the engine cannot transfer is one that the host can.
    fn can_transfer(&self, _scope: &mut Scope<'_>, _object: Local<'_>) -> bool {
        false
    }
    /// Transfers such an object: it is of no use here from then on.
    fn transfer(&self, scope: &mut Scope<'_>, _object: Local<'_>) -> JsResult<crate::clone::Transferred> {
        Err(scope.throw_error("the object cannot be transferred"))
    }
    /// The object of what [`Host::transfer`] gave, in this context.
    fn receive<'s>(&self, scope: &mut Scope<'s>, _taken: crate::clone::Transferred) -> JsResult<Local<'s>> {
        Err(scope.throw_error("the object cannot be received"))
    }
    /// An interrupt was requested; false ends execution with an uncatchable exception.
    fn interrupt(&self, scope: &mut Scope<'_>) -> bool;
    /// What takes engine tasks for this context's thread.
    fn engine_task_sender(&self) -> TaskSender;
}

/// Values by type, one of each: the state of an API family in a context.
#[derive(Default)]
pub struct OpState {
    values: HashMap<TypeId, Box<dyn Any>, std::hash::BuildHasherDefault<TypeHasher>>,
}

/// A type's id is a hash already; nearly every op looks its state up by one.
#[derive(Default)]
struct TypeHasher(u64);

impl std::hash::Hasher for TypeHasher {
    fn write(&mut self, bytes: &[u8]) {
        // Not called for a TypeId of today's standard library; right for one that is hashed otherwise.
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl OpState {
    /// The value of type `T`, made by default on first use.
    pub fn get_or_default<T: Default + 'static>(&mut self) -> &mut T {
        self.values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Box::new(T::default()))
            .downcast_mut()
            .expect("stored under its own type")
    }

    /// Stores a value, replacing one of the same type.
    pub fn put<T: 'static>(&mut self, value: T) {
        self.values.insert(TypeId::of::<T>(), Box::new(value));
    }

    /// The value of type `T`, if stored.
    pub fn get<T: 'static>(&mut self) -> Option<&mut T> {
        self.values.get_mut(&TypeId::of::<T>())?.downcast_mut()
    }

    /// Takes the value of type `T` out.
    pub fn take<T: 'static>(&mut self) -> Option<T> {
        self.values.remove(&TypeId::of::<T>())?.downcast().ok().map(|value| *value)
    }
}

/// Async ops under way: who waits, by token. A token is a place in the table and how often the place was used before.
#[derive(Default)]
pub(crate) struct PendingOps {
    entries: Vec<(u32, Option<Waiter>)>,
    free: Vec<u32>,
}

impl PendingOps {
    pub(crate) fn insert(&mut self, waiter: Waiter) -> u64 {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.entries.push((0, None));
                (self.entries.len() - 1) as u32
            }
        };
        let (generation, entry) = &mut self.entries[index as usize];
        *entry = Some(waiter);
        u64::from(*generation) << 32 | u64::from(index)
    }

    pub(crate) fn remove(&mut self, token: u64) -> Option<Waiter> {
        let index = token as u32;
        let (generation, entry) = self.entries.get_mut(index as usize)?;
        if u64::from(*generation) != token >> 32 {
            return None;
        }
        let waiter = entry.take()?;
        *generation = generation.wrapping_add(1);
        self.free.push(index);
        Some(waiter)
    }

    /// Forgets all, at the end of the context.
    fn clear(&mut self) {
        self.entries.clear();
        self.free.clear();
    }
}

/// Everything that belongs to one context; reached from the engine through its private pointer.
pub(crate) struct ContextState {
    pub(crate) handles: HandleStack,
    pub(crate) persistents: Rc<PersistentTable>,
    pub(crate) pins: Arc<crate::pins::PinTable>,
    pub(crate) pending_ops: RefCell<PendingOps>,
    pub(crate) external: Arc<ExternalMemory>,
    pub(crate) weak: crate::foreign::WeakTable,
    /// Objects' marks: see [`crate::foreign`]. Undefined until there are any.
    pub(crate) marks: Cell<Value>,
    pub(crate) terminated: Cell<bool>,
    host: RefCell<Option<Rc<dyn Host>>>,
    ops: UnsafeCell<OpState>,
    /// The async context, undefined where there is none; a root. The engine's loop over microtasks writes it as well.
    async_context: Cell<Value>,
    /// Whether an async context was ever set; until then promise jobs carry nothing.
    pub(crate) context_used: Cell<bool>,
    /// Microtasks taken from the queue so far.
    pub(crate) dequeued: Cell<u64>,
    /// Whether any realm has a microtask queue of its own.
    pub(crate) own_microtasks: Cell<bool>,
    /// What hears of promises: see [`crate::promise_hook`].
    pub(crate) promise_hooks: RefCell<crate::promise_hook::PromiseHooks>,
    /// Whether there is one.
    pub(crate) promises_hooked: Cell<bool>,
    /// Whether microtasks are run one by one from here, for one of the two above.
    pub(crate) one_by_one: Cell<bool>,
    /// Contexts of jobs queued for promises that were settled already, by the job's number: the engine does not keep
    /// host data with those.
    pub(crate) settled: RefCell<std::collections::VecDeque<(u64, Global)>>,
    global: Cell<u32>,
    stress: Cell<u32>,
    stress_every: u32,
    /// Collections in a row between which a nearly full heap could hardly grow.
    futile_collections: Cell<u32>,
    /// Bytes of the heap after the last collection.
    used_after: Cell<u32>,
    /// See [`crate::vm_context`]; made by the first contextified realm.
    pub(crate) language_names: std::cell::OnceCell<Rc<crate::vm_context::LanguageNames>>,
    /// Collections since somebody wanted to know.
    pub(crate) gc_log: RefCell<Option<crate::memory::GcLog>>,
    /// [`Scope::stay_small`] was called: when memory was given back to the system.
    trims: Cell<Option<Trims>>,
    /// Set when there were too many of these; the next interrupt ends execution.
    heap_exhausted: Cell<bool>,
    /// What [`Scope::layout`](crate::Scope) has found out, once it was asked.
    pub(crate) layout: Cell<Option<Option<crate::object_layout::Layout>>>,
    /// The same of [`Scope::view_layout`](crate::Scope::view_layout).
    pub(crate) view_layout: Cell<Option<Option<crate::object_layout::ViewLayout>>>,
    /// Counts beginnings and ends of full collections.
    pub(crate) collections: Cell<u32>,
    /// What `JSON.stringify` keeps.
    pub(crate) json_memory: Cell<Option<Box<crate::json::Memory>>>,
    /// See [`crate::debugger`].
    pub(crate) hook_microtasks: RefCell<Vec<Global>>,
    /// See [`Scope::share_string`](crate::Scope::share_string).
    pub(crate) shared_texts: Cell<crate::shared::Remembered>,
    /// What cloning plain data keeps from one message to the next.
    pub(crate) clones: Cell<crate::clone::Known>,
}

impl ContextState {
    fn new(host: Rc<dyn Host>, gc_stress: u32) -> Self {
        let persistents = PersistentTable::new();
        let global = persistents.insert(UndefinedValue());
        ContextState {
            handles: HandleStack::new(),
            pins: crate::pins::PinTable::new(persistents.clone()),
            persistents,
            pending_ops: RefCell::new(PendingOps::default()),
            external: ExternalMemory::new(),
            weak: crate::foreign::WeakTable::default(),
            marks: Cell::new(UndefinedValue()),
            terminated: Cell::new(false),
            host: RefCell::new(Some(host)),
            ops: UnsafeCell::new(OpState::default()),
            async_context: Cell::new(UndefinedValue()),
            context_used: Cell::new(false),
            dequeued: Cell::new(0),
            own_microtasks: Cell::new(false),
            promise_hooks: RefCell::default(),
            promises_hooked: Cell::new(false),
            one_by_one: Cell::new(false),
            settled: RefCell::default(),
            global: Cell::new(global),
            stress: Cell::new(0),
            stress_every: gc_stress,
            futile_collections: Cell::new(0),
            used_after: Cell::new(0),
            language_names: std::cell::OnceCell::new(),
            gc_log: RefCell::default(),
            trims: Cell::default(),
            heap_exhausted: Cell::new(false),
            layout: Cell::new(None),
            view_layout: Cell::new(None),
            collections: Cell::new(0),
            json_memory: Cell::default(),
            hook_microtasks: RefCell::default(),
            shared_texts: Cell::default(),
            clones: Cell::default(),
        }
    }

    pub(crate) unsafe fn of(cx: *mut RawContext) -> NonNull<ContextState> {
        // SAFETY: set right after the context is made.
        unsafe { NonNull::new_unchecked(JS_GetContextPrivate(cx).cast()) }
    }

    pub(crate) fn host(&self) -> Rc<dyn Host> {
        self.host.borrow().clone().expect("the host is set before any script runs")
    }

    /// In stress mode, collects at every n-th native call or allocation of one, so that a value held without a root
    /// shows at once. Calls of ops without a scope, which can hold no value, do not count.
    #[inline]
    pub(crate) fn gc_stress(&self) {
        if self.stress_every != 0 {
            self.stress_step();
        }
    }

    #[cold]
    fn stress_step(&self) {
        let count = self.stress.get().wrapping_add(1);
        self.stress.set(count);
        if !count.is_multiple_of(self.stress_every) {
            return;
        }
        let cx = CURRENT_STRESS.get();
        if cx.is_null() {
            return;
        }
        // SAFETY: the context of this thread.
        unsafe {
            if (count / self.stress_every).is_multiple_of(8) {
                // Moves old objects as well, not only young ones.
                JS::PrepareForFullGC(cx);
                JS::NonIncrementalGC(cx, JS::GCOptions::Shrink, mozjs::jsapi::GCReason::API);
            } else {
                JS_GC(cx, mozjs::jsapi::GCReason::API);
            }
        }
    }
}

thread_local! {
    /// Whether this thread has a context.
    static OCCUPIED: Cell<bool> = const { Cell::new(false) };
    /// Context to collect in stress mode; only set there.
    static CURRENT_STRESS: Cell<*mut RawContext> = const { Cell::new(ptr::null_mut()) };
}

/// What kind of collection to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GcKind {
    /// When the engine thinks it is worth it.
    Maybe,
    /// Everything, now.
    Full,
    /// Everything, and memory given back.
    Shrink,
}

/// Options of a new context.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Bytes of native stack that scripts may use; 0 for a default of 1 MiB.
    pub stack_quota: usize,
    /// Prefer a small heap to speed.
    pub small: bool,
    /// For programs of which little stays: collect after 8 MB (12 MB outside of the heap) instead of the engine's 27 and 38, with
    /// new objects in 8 MB at most.
    pub frugal: bool,
    /// Collect at every n-th native call or allocation of one (tests).
    pub gc_stress: u32,
    /// Upper bound of the heap in MiB; 0 for the engine's own limit.
    pub max_heap_mib: u32,
}

/// Has collections come after `heap` MiB of objects, or `outside` MiB of memory that they hold outside of the heap, instead of
/// after the engine's 27 and 38 (times up to 3 where they follow each other), and keeps the area of
/// new objects at `nursery` bytes. A heap in which more than that stays grows as any other.
///
/// # Safety
/// `cx` is the context of this thread, and runs nothing that holds raw pointers to objects.
unsafe fn limit_garbage(cx: *mut RawContext, heap: u32, outside: u32, nursery: u32) {
    // SAFETY: as above; parameters within the engine's bounds.
    unsafe {
        JS_SetGCParameter(cx, JSGCParamKey::JSGC_ALLOCATION_THRESHOLD, heap);
        JS_SetGCParameter(cx, JSGCParamKey::JSGC_MALLOC_THRESHOLD_BASE, outside);
        if mozjs::jsapi::JS_GetGCParameter(cx, JSGCParamKey::JSGC_MAX_NURSERY_BYTES) > nursery {
            JS_SetGCParameter(cx, JSGCParamKey::JSGC_MAX_NURSERY_BYTES, nursery);
        }
    }
}

static SELF_HOSTED: OnceLock<&'static [u8]> = OnceLock::new();
static COLLECTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static BUILD_ID: OnceLock<Vec<u8>> = OnceLock::new();

/// Cores that this process may run on. (`available_parallelism` reads the files of control groups as well, which costs
/// more than it is worth at every start.)
fn usable_cores() -> usize {
    // SAFETY: a plain system call with a valid out pointer.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of_val(&set), &mut set) == 0 { libc::CPU_COUNT(&set) as usize } else { 2 }
    }
}

/// Native stack of a helper thread: what the engine gives its own.
pub(crate) const HELPER_STACK: usize = 2 << 20;

/// Starts the engine; once in a process, before any context. `build_id` names the build in serialised code: code of
/// another build is refused. `self_hosted` is what [`self_hosted_cache`] gave at build time; empty compiles the
/// engine's own library anew.
///
/// False where the system refuses the engine its address space (2 GiB for compiled code alone).
#[must_use]
pub fn initialize(build_id: &str, self_hosted: &'static [u8]) -> bool {
    static START: Once = Once::new();
    static STARTED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    START.call_once(|| {
        let _ = BUILD_ID.set(build_id.as_bytes().to_vec());
        let _ = SELF_HOSTED.set(self_hosted);
        unsafe extern "C" fn write_build_id(out: *mut BuildIdCharVector) -> bool {
            let id = BUILD_ID.get().map(Vec::as_slice).unwrap_or_default();
            // SAFETY: the engine's vector and our bytes.
            unsafe { mozjs::glue::SetBuildId(out, id.as_ptr().cast(), id.len()) }
        }
        // SAFETY: first call into the engine; the build id must be known before any transcoding.
        unsafe {
            SetProcessBuildIdOp(Some(write_build_id));
            // The engine would start a thread, read two files of /proc and wait for it, only to learn when the process
            // began; told that the process was restarted, it takes the present time.
            let restarted = c"MOZ_APP_RESTART".as_ptr();
            let absent = libc::getenv(restarted).is_null();
            libc::setenv(restarted, c"1".as_ptr(), 0);
            crate::faults::end_by_sent_signals();
            let ready = JS_Init();
            if absent {
                libc::unsetenv(restarted);
            }
            if !ready {
                return;
            }
            STARTED.store(true, std::sync::atomic::Ordering::Release);
            // The engine would start its helper threads now; with a pool of ours they start with their first task.
            let cores = usable_cores();
            crate::bindings::SetHelperThreadTaskCallback(
                crate::helper_threads::run_task,
                cores.clamp(2, 8),
                HELPER_STACK,
            );
        }
    });
    STARTED.load(std::sync::atomic::Ordering::Acquire)
}

/// Makes the engine read the time zone of the process (`TZ`) anew.
pub fn reset_time_zone() {
    // SAFETY: a plain call, allowed at any time.
    unsafe { JS::ResetTimeZone() };
}

/// Ends the engine; after all contexts are gone, in programs that return from `main`.
pub fn shutdown() {
    // SAFETY: documented to be called last.
    unsafe { mozjs::jsapi::JS_ShutDown() };
}

/// The engine's library as compiled code, for [`initialize`] of later processes. Makes and drops a context.
pub fn self_hosted_cache() -> Vec<u8> {
    unsafe extern "C" fn write(_: *mut RawContext, span: ByteSpan) -> bool {
        // SAFETY: a span of bytes that lives during the call.
        let bytes = unsafe { std::slice::from_raw_parts(span.data, span.len) };
        COLLECTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend_from_slice(bytes);
        true
    }
    // SAFETY: as in `Context::new`; the writer has the C++ signature (a span is two words in registers).
    unsafe {
        let cx = JS_NewContext(64 << 20, ptr::null_mut());
        assert!(!cx.is_null(), "out of memory while starting the JavaScript engine");
        let writer: unsafe extern "C" fn(*mut RawContext, ByteSpan) -> bool = write;
        let span: mozjs::jsapi::SelfHostedCache = std::mem::transmute(ByteSpan { data: ptr::null(), len: 0 });
        #[allow(clippy::missing_transmute_annotations, reason = "the source type is the line above")]
        let writer = std::mem::transmute::<_, mozjs::jsapi::SelfHostedWriter>(Some(writer));
        assert!(InitSelfHostedCode(cx, span, writer));
        JS_DestroyContext(cx);
    }
    std::mem::take(&mut COLLECTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// One JavaScript thread: heap, realm and microtask queue.
pub struct Context {
    cx: *mut RawContext,
    // Kept after `cx` is destroyed: finalizers may still look at it.
    state: Box<ContextState>,
    job_queue: *mut RustJobQueue,
    roots: Box<Rooted<RootsOf>>,
    /// What the engine's own threads call with tasks for this one.
    dispatch: *mut Dispatch,
}

/// The roots that a context's state holds, as one entry of the engine's root stack.
struct RootsOf(*const ContextState);

impl Rootable for RootsOf {}

// SAFETY: traces all values that the state roots; the state outlives its entry.
unsafe impl Traceable for RootsOf {
    unsafe fn trace(&self, trc: *mut JSTracer) {
        // SAFETY: the collector calls this with its tracer, and the state outlives its entry.
        unsafe {
            (*self.0).handles.trace(trc);
            (*self.0).persistents.trace(trc);
            CallValueRootTracer(trc, (*self.0).async_context.as_ptr(), c"async context".as_ptr());
            CallValueRootTracer(trc, (*self.0).marks.as_ptr(), c"marks of objects".as_ptr());
            (*self.0).external.trace(trc);
        }
    }
}

/// Requests interrupts of a context from any thread.
#[derive(Clone)]
pub struct InterruptHandle {
    cx: Arc<Mutex<Option<usize>>>,
}

impl InterruptHandle {
    /// Makes the context call [`Host::interrupt`] soon, also from inside a loop.
    pub fn request(&self) {
        if let Some(cx) = *self.cx.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            // SAFETY: documented as callable from any thread; the context is alive while the lock holds it.
            unsafe { JS_RequestInterruptCallback(cx as *mut RawContext) };
        }
    }
}

struct InterruptSlot(Arc<Mutex<Option<usize>>>);

/// Stack and heap of a context.
///
/// # Safety
/// The context is new: it has no realm yet.
unsafe fn set_limits(cx: *mut RawContext, options: &ContextOptions) {
    // SAFETY: the caller's.
    unsafe {
        let quota = if options.stack_quota == 0 { 1 << 20 } else { options.stack_quota };
        JS_SetNativeStackQuota(cx, quota, quota - (10 << 10), quota - (110 << 10));
        let max = if options.max_heap_mib == 0 { u32::MAX } else { options.max_heap_mib.min(4095) << 20 };
        JS_SetGCParameter(cx, JSGCParamKey::JSGC_MAX_BYTES, max);
        if options.small {
            JS_SetGCParameter(cx, JSGCParamKey::JSGC_MAX_NURSERY_BYTES, crate::memory::SMALL_NURSERY);
        }
        if options.frugal {
            limit_garbage(cx, 8, 12, 8 << 20);
        }
    }
}

/// # Safety
/// The context is new: it has no realm yet.
unsafe fn set_compiler_options(cx: *mut RawContext) {
    // SAFETY: the caller's.
    unsafe {
        // One process runs one program: there is nobody in it to protect from speculative reads, and Node's and
        // Bun's engines run without these as well.
        for option in [
            JSJitCompilerOption::JSJITCOMPILER_SPECTRE_INDEX_MASKING,
            JSJitCompilerOption::JSJITCOMPILER_SPECTRE_OBJECT_MITIGATIONS,
            JSJitCompilerOption::JSJITCOMPILER_SPECTRE_STRING_MITIGATIONS,
            JSJitCompilerOption::JSJITCOMPILER_SPECTRE_VALUE_MASKING,
            JSJitCompilerOption::JSJITCOMPILER_SPECTRE_JIT_TO_CXX_CALLS,
        ] {
            JS_SetGlobalJitCompilerOption(cx, option, 0);
        }
        // Machine code pages stay writable, as in Node and Bun: flipping their protection at each new inline cache
        // is two system calls each time.
        JS_SetGlobalJitCompilerOption(cx, JSJitCompilerOption::JSJITCOMPILER_WRITE_PROTECT_CODE, 0);
        crate::jit_policy::apply(cx);
    }
}

/// # Safety
/// The context has its private and no job queue; the queue is freed after the context.
unsafe fn install_job_queue(cx: *mut RawContext) -> *mut RustJobQueue {
    let traps = JobQueueTraps {
        getHostDefinedData: Some(host_defined_data),
        getHostDefinedGlobal: Some(host_defined_global),
        runJobs: Some(run_jobs),
        traceNonGCThingMicroTask: Some(trace_nothing),
    };
    // SAFETY: the caller's; the traps are copied.
    unsafe {
        let job_queue = CreateJobQueue(&traps);
        JS::SetJobQueue(cx, job_queue.cast());
        job_queue
    }
}

/// Gives a context the engine's library that is written in JavaScript, compiled if [`initialize`] was given it so.
///
/// # Safety
/// The context is new: it has no realm yet.
unsafe fn load_self_hosted(cx: *mut RawContext) {
    let cached = SELF_HOSTED.get().copied().unwrap_or_default();
    // SAFETY: the caller's; a span is two words on both sides.
    unsafe {
        let span: mozjs::jsapi::SelfHostedCache =
            std::mem::transmute(ByteSpan { data: cached.as_ptr(), len: cached.len() });
        assert!(InitSelfHostedCode(cx, span, None), "the JavaScript engine's library could not be loaded");
    }
}

/// Has the engine call us for modules, rejected promises, finalizers, interrupts and collections.
///
/// # Safety
/// The context has its library; the state lives as long as it does.
unsafe fn install_hooks(cx: *mut RawContext, state: &ContextState) {
    // SAFETY: the caller's.
    unsafe {
        // A stack captured for every await makes it ten times slower.
        (*JS::ContextOptionsRef(cx)).set_asyncStack_(false);
        mozjs::jsapi::SetStackFormat(cx, mozjs::jsapi::StackFormat::V8);
        JS::SetPromiseRejectionTrackerCallback(cx, Some(promise_rejection), ptr::null_mut());
        JS::SetHostCleanupFinalizationRegistryCallback(cx, Some(finalization), (&raw const *state).cast_mut().cast());
        crate::module::install_hooks(cx);
        JS_AddInterruptCallback(cx, Some(interrupt));
        mozjs::jsapi::JS_SetGCCallback(cx, Some(collected), ptr::null_mut());
    }
}

impl Context {
    /// Makes a context with one realm for this thread. Panics where the thread has one already.
    pub fn new(options: &ContextOptions, host: Rc<dyn Host>) -> Context {
        assert!(!OCCUPIED.replace(true), "a thread has one JavaScript context at a time");
        let state = Box::new(ContextState::new(host, options.gc_stress));
        // SAFETY: the usual order of an embedding: context, private, stack quota, library, hooks, realm.
        unsafe {
            let cx = JS_NewContext(64 << 20, ptr::null_mut());
            assert!(!cx.is_null(), "out of memory while starting the JavaScript engine");
            JS_SetContextPrivate(cx, (&raw const *state).cast_mut().cast());
            crate::promise::start(&state.async_context);
            // `Atomics.wait` blocks any thread of Node's and Bun's, the main one included.
            mozjs::jsapi::JS_SetFutexCanWait(cx);
            set_limits(cx, options);
            set_compiler_options(cx);
            // At the bottom of the engine's root stack for the life of the context. (Tracers added for "extra roots" are
            // left out of minor collections, which move what the handles point to.)
            let mut roots = Box::new(Rooted::new_unrooted(RootsOf(&raw const *state)));
            Rooted::add_to_root_stack(&raw mut *roots, cx);
            let job_queue = install_job_queue(cx);
            load_self_hosted(cx);
            install_hooks(cx, &state);
            let dispatch = crate::tasks::install(cx, state.host().engine_task_sender());
            let context = Context { cx, state, job_queue, roots, dispatch };
            if options.gc_stress != 0 {
                CURRENT_STRESS.with(|cell| cell.set(cx));
            }
            let global = crate::global::new_global(cx);
            context.state.persistents.remove(context.state.global.get());
            context.state.external.set_account(global);
            context.state.global.set(context.state.persistents.insert(ObjectValue(global)));
            context
        }
    }

    /// Runs `f` with the realm entered.
    pub fn with<R>(&mut self, f: impl for<'s> FnOnce(&mut Scope<'s>) -> R) -> R {
        let global = self.state.persistents.get(self.state.global.get());
        // SAFETY: this is the context's thread (the type is not Send) and the global is rooted.
        unsafe {
            let _realm = mozjs::jsapi::JSAutoRealm::new(self.cx, global.to_object());
            let mut scope = Scope::enter(self.cx);
            f(&mut scope)
        }
    }

    /// A handle for interrupting this context from other threads.
    pub fn interrupt_handle(&mut self) -> InterruptHandle {
        self.with(|scope| scope.interrupt_handle())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: nothing of this context is in use; roots are cleared first so that the last collection frees all.
        unsafe {
            if let Some(slot) = (*self.state.ops.get()).take::<InterruptSlot>() {
                slot.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
            }
            self.state.pending_ops.borrow_mut().clear();
            self.state.settled.borrow_mut().clear();
            (*self.state.ops.get()).values.clear();
            self.state.weak.clear();
            self.state.marks.set(UndefinedValue());
            self.state.pins.close();
            self.state.persistents.clear();
            self.state.external.set_account(ptr::null_mut());
            CURRENT_STRESS.with(|cell| cell.set(ptr::null_mut()));
            self.roots.remove_from_root_stack();
            JS_DestroyContext(self.cx);
            DeleteJobQueue(self.job_queue);
            // The engine has waited for its tasks on other threads, which call under the lock that it takes for that.
            drop(Box::from_raw(self.dispatch));
        }
        self.state.external.drop_returned();
        self.state.host.borrow_mut().take();
        OCCUPIED.set(false);
    }
}

impl<'s> Scope<'s> {
    /// The state of API families in this context.
    pub fn state(&mut self) -> &mut OpState {
        // SAFETY: the scope is borrowed mutably, and state is only reached through a scope.
        unsafe { &mut *self.ctx().ops.get() }
    }

    /// The embedding program.
    pub fn host(&self) -> Rc<dyn Host> {
        self.ctx().host()
    }

    /// Runs a collection.
    pub fn gc(&mut self, kind: GcKind) {
        // SAFETY: everything live is rooted; that is what this crate is for.
        unsafe {
            match kind {
                GcKind::Maybe => mozjs::jsapi::JS_MaybeGC(self.cx),
                GcKind::Full => JS_GC(self.cx, mozjs::jsapi::GCReason::API),
                GcKind::Shrink => {
                    JS::PrepareForFullGC(self.cx);
                    JS::NonIncrementalGC(self.cx, JS::GCOptions::Shrink, mozjs::jsapi::GCReason::API);
                }
            }
        }
        self.ctx().external.drop_returned();
    }

    /// Collects early from now on, and gives memory back after collections: for a program that runs for long and whose garbage
    /// is what short requests leave. See [`limit_garbage`].
    pub fn stay_small(&mut self) {
        if self.ctx().trims.get().is_none() {
            self.ctx().trims.set(Some(Trims::new()));
            // SAFETY: everything live is rooted.
            unsafe { limit_garbage(self.cx, 5, 5, 4 << 20) };
        }
    }

    /// Collects all garbage and gives the allocator's free pages back, also if that was done a moment ago.
    pub fn give_memory_back(&mut self) {
        self.gc(GcKind::Full);
        let trims = Trims::trim();
        if self.ctx().trims.get().is_some() {
            self.ctx().trims.set(Some(trims));
        }
    }

    /// A number the collector keeps.
    pub fn gc_parameter(&self, key: JSGCParamKey) -> u32 {
        // SAFETY: a plain read.
        unsafe { mozjs::jsapi::JS_GetGCParameter(self.cx, key) }
    }

    /// Ends execution with an exception that nothing can catch.
    pub fn terminate(&mut self) -> crate::error::Exc {
        self.ctx().terminated.set(true);
        // SAFETY: a plain call; false without a pending exception is how the engine is told to stop.
        unsafe { mozjs::jsapi::JS_ClearPendingException(self.cx) };
        crate::error::Exc::pending()
    }

    /// Bytes of memory outside the heap that belong to its objects: contents of buffers and long strings, slots and
    /// elements of objects, what was reported for external buffers and resources.
    pub fn external_bytes(&mut self) -> u64 {
        self.nested(|scope| {
            // The engine gives this number as a property of an object only.
            // SAFETY: rooted at once.
            let info = unsafe { crate::bindings::NewMemoryInfoObject(scope.cx) };
            let info = scope.checked_object(info)?;
            let bytes = scope.get(info, "mallocBytes")?;
            Ok(bytes.as_number().unwrap_or(0.0) as u64)
        })
        .or_else(|exc| {
            self.take_exception(exc);
            Ok::<u64, crate::error::Exc>(0)
        })
        .unwrap_or(0)
    }

    /// Bytes of the JavaScript heap in use.
    pub fn heap_bytes(&self) -> u64 {
        u64::from(self.gc_parameter(JSGCParamKey::JSGC_BYTES))
    }

    /// The async context (AsyncLocalStorage's frame) of the running code; undefined where none is set.
    pub fn async_context(&mut self) -> Local<'s> {
        let value = self.ctx().async_context.get();
        self.local(value)
    }

    /// Sets the async context; promise jobs created from now on carry it. Objects only; others mean none.
    pub fn set_async_context(&mut self, value: Local<'_>) {
        let value = if value.is_object() { value.value() } else { UndefinedValue() };
        if value.is_object() {
            self.ctx().context_used.set(true);
        }
        self.ctx().async_context.set(value);
    }

    /// Lets a stopped microtask wait no longer keep weak references alive; call after each task.
    pub fn clear_kept_objects(&mut self) {
        // SAFETY: a plain call.
        unsafe { JS::ClearKeptObjects(self.cx) };
        self.ctx().external.drop_returned();
    }

    /// The global object of the realm that the context was made with.
    pub fn main_global(&mut self) -> Local<'s> {
        let value = self.ctx().persistents.get(self.ctx().global.get());
        self.local(value)
    }

    /// A handle for interrupting this context from other threads.
    pub fn interrupt_handle(&mut self) -> InterruptHandle {
        let cx = self.cx as usize;
        let ops = self.state();
        if ops.get::<InterruptSlot>().is_none() {
            ops.put(InterruptSlot(Arc::new(Mutex::new(Some(cx)))));
        }
        InterruptHandle { cx: ops.get::<InterruptSlot>().expect("just stored").0.clone() }
    }

    /// Asks for [`Host::interrupt`] at the next loop or call of JavaScript.
    pub fn request_interrupt(&mut self) {
        // SAFETY: allowed at any time.
        unsafe { JS_RequestInterruptCallback(self.cx) };
    }

    /// Takes back the mark that execution was ended by an interrupt: the embedder has handled it.
    pub fn clear_terminated(&mut self) {
        self.ctx().terminated.set(false);
    }

    /// Goes on after the heap was full: what filled it is expected to be garbage by now.
    pub fn clear_exhausted(&mut self) {
        self.ctx().heap_exhausted.set(false);
        self.clear_terminated();
    }

    /// Lets the heap grow by so many bytes more, at most to what the engine can count.
    pub fn raise_heap_limit(&mut self, bytes: u32) {
        let limit = self.heap_limit().saturating_add(bytes);
        // SAFETY: a plain setting, read at allocations and collections.
        unsafe { JS_SetGCParameter(self.cx, JSGCParamKey::JSGC_MAX_BYTES, limit) };
    }

    /// Bytes that the heap may grow to.
    pub fn heap_limit(&self) -> u32 {
        self.gc_parameter(JSGCParamKey::JSGC_MAX_BYTES)
    }

    /// Whether execution was ended because the heap is full.
    pub fn heap_exhausted(&self) -> bool {
        self.ctx().heap_exhausted.get()
    }

    /// Whether execution was ended by an interrupt.
    pub fn is_terminated(&self) -> bool {
        self.ctx().terminated.get()
    }
}
