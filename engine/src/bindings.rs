//! Engine functions that the `mozjs` crate does not bind, by their C++ names.

use std::ffi::c_void;

use crate::tasks::UniqueTask;
use mozjs::jsapi::{Handle, HandleId, HandleObject, JS, JSContext, JSObject, ObjectOpResult, PropertyDescriptor};

/// The most frames the engine records with an error.
pub(crate) const MAX_STACK_FRAMES: u32 = 128;

/// `mozilla::Vector<uint8_t, 0, MallocAllocPolicy>` (mfbt/Vector.h), as far as the encoder needs it.
#[repr(C)]
pub(crate) struct TranscodeBuffer {
    begin: *mut u8,
    length: usize,
    capacity: usize,
}

impl TranscodeBuffer {
    pub(crate) fn new() -> Self {
        // An empty vector points at its (zero-sized) inline storage: an address of sizeof(T).
        TranscodeBuffer { begin: std::ptr::without_provenance_mut(1), length: 0, capacity: 0 }
    }

    /// The bytes of somebody else, for an engine that only reads them.
    pub(crate) fn lent(bytes: &mut [u8]) -> Self {
        // Without a capacity nobody frees it.
        TranscodeBuffer { begin: bytes.as_mut_ptr(), length: bytes.len(), capacity: 0 }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: `length` bytes written by the engine, or lent.
        unsafe { std::slice::from_raw_parts(self.begin, self.length) }
    }
}

impl Drop for TranscodeBuffer {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: allocated by the engine with malloc.
            unsafe { libc::free(self.begin.cast::<c_void>()) };
        }
    }
}

/// `JS::HelperThreadTask`, known to the engine only.
#[repr(C)]
pub(crate) struct HelperThreadTask {
    _private: [u8; 0],
}

/// `RealmCreationOptions::setExistingCompartment`: the realm shares the compartment of `object`.
///
/// # Safety
/// `object` is a live object.
pub(crate) unsafe fn set_existing_compartment(options: &mut JS::RealmCreationOptions, object: *mut JSObject) {
    // SAFETY: as for the caller.
    unsafe { SetExistingCompartment(options, object) };
}

unsafe extern "C" {
    #[link_name = "\u{1}_ZN2JS20RealmCreationOptions22setExistingCompartmentEP8JSObject"]
    fn SetExistingCompartment(
        options: *mut JS::RealmCreationOptions,
        object: *mut JSObject,
    ) -> *mut JS::RealmCreationOptions;

    #[link_name = "\u{1}_ZN2js2gc19NewMemoryInfoObjectEP9JSContext"]
    pub(crate) fn NewMemoryInfoObject(cx: *mut JSContext) -> *mut JSObject;

    #[link_name = "\u{1}_ZN2JS27SetHelperThreadTaskCallbackEPFvPNS_16HelperThreadTaskEEmm"]
    pub(crate) fn SetHelperThreadTaskCallback(
        callback: unsafe extern "C" fn(*mut HelperThreadTask),
        thread_count: usize,
        stack_size: usize,
    );

    #[link_name = "\u{1}_ZN2JS19RunHelperThreadTaskEPNS_16HelperThreadTaskE"]
    pub(crate) fn RunHelperThreadTask(task: *mut HelperThreadTask);

    // Members of `js::ModuleObject`, which has no public counterpart of them; `module` is one.
    #[link_name = "\u{1}_ZNK2js12ModuleObject6statusEv"]
    pub(crate) fn ModuleObjectStatus(module: *const JSObject) -> i8;

    #[link_name = "\u{1}_ZNK2js12ModuleObject18hadEvaluationErrorEv"]
    pub(crate) fn ModuleObjectHadError(module: *const JSObject) -> bool;

    #[link_name = "\u{1}_ZNK2js12ModuleObject16hasTopLevelAwaitEv"]
    pub(crate) fn ModuleObjectHasAwait(module: *const JSObject) -> bool;

    #[link_name = "\u{1}_ZNK2js12ModuleObject16requestedModulesEv"]
    pub(crate) fn ModuleObjectRequests(module: *const JSObject) -> ByteSpan;

    // The vector is only read.
    #[link_name = "\u{1}_ZN2JS25CompileWasmModuleAsSourceEP9JSContextRKNS_22ReadOnlyCompileOptionsERN7mozilla6VectorIhLm0EN2js17MallocAllocPolicyEEE"]
    pub(crate) fn CompileWasmModuleAsSource(
        cx: *mut JSContext,
        options: *const mozjs::jsapi::ReadOnlyCompileOptions,
        bytes: *mut TranscodeBuffer,
    ) -> *mut JSObject;

    // Past the operations that an object's class has of its own; `object` is a native one.
    #[link_name = "\u{1}_ZN2js20NativeDefinePropertyEP9JSContextN2JS6HandleIPNS_12NativeObjectEEENS3_INS2_11PropertyKeyEEENS3_INS2_18PropertyDescriptorEEERNS2_14ObjectOpResultE"]
    pub(crate) fn NativeDefineProperty(
        cx: *mut JSContext,
        object: HandleObject,
        id: HandleId,
        desc: Handle<PropertyDescriptor>,
        result: *mut ObjectOpResult,
    ) -> bool;

    #[link_name = "\u{1}_ZN2js20NativeDeletePropertyEP9JSContextN2JS6HandleIPNS_12NativeObjectEEENS3_INS2_11PropertyKeyEEERNS2_14ObjectOpResultE"]
    pub(crate) fn NativeDeleteProperty(
        cx: *mut JSContext,
        object: HandleObject,
        id: HandleId,
        result: *mut ObjectOpResult,
    ) -> bool;

    #[link_name = "\u{1}_ZN2JS13IterateRealmsEP9JSContextPvPFvS1_S2_PNS_5RealmERKNS_15AutoRequireNoGCEE"]
    pub(crate) fn IterateRealms(
        cx: *mut JSContext,
        data: *mut c_void,
        realm: unsafe extern "C" fn(*mut JSContext, *mut c_void, *mut JS::Realm, *const c_void),
    );

    // Ends a collection under way, that of its background thread too.
    #[link_name = "\u{1}_ZN2js2gc8FinishGCEP9JSContextN2JS8GCReasonE"]
    pub(crate) fn FinishGC(cx: *mut JSContext, reason: JS::GCReason);

    // Calls back for every zone, realm, arena and cell of the heap outside the nursery. `session` is a proof that nothing
    // collects meanwhile, which is only handed on to the callbacks.
    #[link_name = "\u{1}_ZN2js22IterateHeapUnbarrieredEP9JSContextPvPFvP9JSRuntimeS2_PN2JS4ZoneERKNS5_15AutoRequireNoGCEEPFvS1_S2_PNS5_5RealmESA_EPFvS4_S2_PNS_2gc5ArenaENS5_9TraceKindEmSA_EPFvS4_S2_NS5_9GCCellPtrEmSA_ERKNSH_16AutoTraceSessionE"]
    pub(crate) fn IterateHeapUnbarriered(
        cx: *mut JSContext,
        data: *mut c_void,
        zone: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *const c_void),
        realm: unsafe extern "C" fn(*mut JSContext, *mut c_void, *mut JS::Realm, *const c_void),
        arena: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, u8, usize, *const c_void),
        cell: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize, *const c_void),
        session: *const c_void,
    );

    // js/public/Promise.h. A reference to a `js::UniquePtr` is one to its pointer; the last argument of `Run` is 1 at the context's end.
    #[link_name = "\u{1}_ZN2JS22InitAsyncTaskCallbacksEP9JSContextPFbPvOSt10unique_ptrINS_12DispatchableENS_12DeletePolicyIS4_EEEEPFbS2_S8_jEPFvS2_PS4_ESF_S2_"]
    pub(crate) fn InitAsyncTaskCallbacks(
        cx: *mut JSContext,
        now: unsafe extern "C" fn(*mut c_void, *mut UniqueTask) -> bool,
        later: unsafe extern "C" fn(*mut c_void, *mut UniqueTask, u32) -> bool,
        started: unsafe extern "C" fn(*mut c_void, *mut c_void),
        finished: unsafe extern "C" fn(*mut c_void, *mut c_void),
        closure: *mut c_void,
    );

    #[link_name = "\u{1}_ZN2JS12Dispatchable3RunEP9JSContextOSt10unique_ptrIS0_NS_12DeletePolicyIS0_EEENS0_17MaybeShuttingDownE"]
    pub(crate) fn RunDispatchable(cx: *mut JSContext, task: *mut UniqueTask, shutting_down: u32);

    #[link_name = "\u{1}_ZN2JS12Dispatchable17ReleaseFailedTaskEOSt10unique_ptrIS0_NS_12DeletePolicyIS0_EEE"]
    pub(crate) fn ReleaseFailedTask(task: *mut UniqueTask);

    /// The table of virtual functions of `js::WaitAsyncNotifyTask`.
    #[link_name = "\u{1}_ZTVN2js19WaitAsyncNotifyTaskE"]
    pub(crate) static WAIT_ASYNC_VTABLE: c_void;

    /// Describes the whole heap in words; `nursery` 0: new objects are moved out of the nursery first.
    #[link_name = "\u{1}_ZN2js8DumpHeapEP9JSContextP8_IO_FILENS_24DumpHeapNurseryBehaviourEPFmPKvE"]
    pub(crate) fn DumpHeap(
        cx: *mut JSContext,
        stream: *mut libc::FILE,
        nursery: u32,
        size_of_allocation: Option<unsafe extern "C" fn(*const c_void) -> usize>,
    );

    #[link_name = "\u{1}_ZN2JS13EncodeStencilEP9JSContextPN2js8frontend32InitialStencilAndDelazificationsERN7mozilla6VectorIhLm0ENS6_17MallocAllocPolicyEEE"]
    pub(crate) fn EncodeStencil(
        cx: *mut JSContext,
        stencil: *mut JS::Stencil,
        buffer: *mut TranscodeBuffer,
    ) -> JS::TranscodeResult;
}

/// `mozilla::Span<const uint8_t>`: its extent, then its data; passed by value in two registers.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ByteSpan {
    pub(crate) len: usize,
    pub(crate) data: *const u8,
}
