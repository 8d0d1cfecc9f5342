//! The global object: standard classes and bao's own globals, each made on first use.

use std::collections::HashMap;
use std::ptr;
use std::sync::OnceLock;

use mozjs::jsapi::jsid;
use mozjs::jsapi::{
    JS, JS_DefinePropertyById2, JS_GlobalObjectTraceHook, JS_MayResolveStandardClass, JS_NewEnumerateStandardClasses,
    JS_NewGlobalObject, JS_NewRealmOptions, JS_ResolveStandardClass, JSAtomState, JSClass, JSClassOps,
    JSContext as RawContext, JSObject, OnNewGlobalHookOption,
};
use mozjs::jsapi::{JSCLASS_GLOBAL_SLOT_COUNT, JSCLASS_IS_GLOBAL, JSCLASS_RESERVED_SLOTS_MASK};

use crate::handles::Scope;

/// Names of lazy globals and whether they are enumerable. The same for all contexts of a process.
pub struct LazyGlobals {
    names: HashMap<&'static str, bool>,
}

static LAZY: OnceLock<LazyGlobals> = OnceLock::new();

impl LazyGlobals {
    /// Declares the lazy globals; once in a process, before the first context. `(name, enumerable)`.
    pub fn declare(names: &[(&'static str, bool)]) {
        let _ = LAZY.set(LazyGlobals { names: names.iter().copied().collect() });
    }
}

/// The name of an id if it is a lazy global.
unsafe fn lazy_name(id: jsid) -> Option<(&'static str, bool)> {
    let table = &LAZY.get()?.names;
    if !id.is_string() {
        return None;
    }
    // SAFETY: an id's string is an atom: linear, and its characters are read without anything running.
    unsafe {
        let string = id.to_string();
        if !mozjs::jsapi::JS_DeprecatedStringHasLatin1Chars(string) {
            return None;
        }
        let mut length = 0;
        let chars = mozjs::jsapi::JS_GetLatin1StringCharsAndLength(ptr::null_mut(), ptr::null(), string, &mut length);
        let bytes = std::slice::from_raw_parts(chars, length);
        let text = std::str::from_utf8(bytes).ok()?;
        table.get_key_value(text).map(|(name, enumerable)| (*name, *enumerable))
    }
}

unsafe extern "C" fn resolve(
    cx: *mut RawContext,
    object: JS::HandleObject,
    id: JS::HandleId,
    resolved: *mut bool,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        if let Some((name, enumerable)) = lazy_name(*id.ptr) {
            // A standard object that the host adds to (WebAssembly) has to be in place when the host looks for it.
            let mut standard = false;
            if !JS_ResolveStandardClass(cx, object, id, &mut standard) {
                return false;
            }
            *resolved = standard;
            let mut scope = Scope::enter(cx);
            let host = scope.host();
            match host.resolve_global(&mut scope, name) {
                Err(_) => return false,
                Ok(None) => {}
                Ok(Some(value)) => {
                    let mut attributes = mozjs::jsapi::JSPROP_RESOLVING;
                    if enumerable {
                        attributes |= u32::from(mozjs::jsapi::JSPROP_ENUMERATE);
                    }
                    if !JS_DefinePropertyById2(cx, object, id, value.handle(), attributes) {
                        return false;
                    }
                    *resolved = true;
                    return true;
                }
            }
        }
        if !JS_ResolveStandardClass(cx, object, id, resolved) {
            return false;
        }
        if *resolved && is_named(*id.ptr, b"JSON") {
            let mut scope = Scope::enter(cx);
            let global = scope.local_object(*object.ptr);
            let Ok(json) = scope.get(global, "JSON") else { return false };
            return scope.install_stringify(json).is_ok();
        }
        if *resolved && is_named(*id.ptr, b"Atomics") {
            let mut scope = Scope::enter(cx);
            let global = scope.local_object(*object.ptr);
            let Ok(atomics) = scope.get(global, "Atomics") else { return false };
            // An old name of `notify` that the language does not have any more.
            return scope.delete(atomics, "wake").is_ok();
        }
        true
    }
}

/// Whether the id is this name.
unsafe fn is_named(id: jsid, name: &[u8]) -> bool {
    // SAFETY: as in `lazy_name`.
    unsafe {
        id.is_string()
            && matches!(crate::object_layout::linear(id.to_string()), Some(crate::string::Chars::Latin1(known)) if known == name)
    }
}

unsafe extern "C" fn may_resolve(names: *const JSAtomState, id: jsid, object: *mut JSObject) -> bool {
    // SAFETY: a pure test.
    unsafe { lazy_name(id).is_some() || JS_MayResolveStandardClass(names, id, object) }
}

unsafe extern "C" fn enumerate(
    cx: *mut RawContext,
    object: JS::HandleObject,
    ids: JS::MutableHandleIdVector,
    enumerable_only: bool,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        if let Some(lazy) = LAZY.get() {
            // Resolving is what makes a name appear: the engine lists own properties afterwards.
            for (name, enumerable) in &lazy.names {
                if enumerable_only && !enumerable {
                    continue;
                }
                let mut found = false;
                let text = std::ffi::CString::new(*name).unwrap_or_default();
                if !mozjs::jsapi::JS_HasProperty(cx, object, text.as_ptr(), &mut found) {
                    return false;
                }
            }
        }
        JS_NewEnumerateStandardClasses(cx, object, ids, enumerable_only)
    }
}

static CLASS_OPS: JSClassOps = JSClassOps {
    addProperty: None,
    delProperty: None,
    enumerate: None,
    newEnumerate: Some(enumerate),
    resolve: Some(resolve),
    mayResolve: Some(may_resolve),
    finalize: None,
    call: None,
    construct: None,
    trace: Some(JS_GlobalObjectTraceHook),
};

static CLASS: GlobalClass = GlobalClass(JSClass {
    name: c"global".as_ptr(),
    flags: JSCLASS_IS_GLOBAL
        | ((JSCLASS_GLOBAL_SLOT_COUNT & JSCLASS_RESERVED_SLOTS_MASK) << mozjs::jsapi::JSCLASS_RESERVED_SLOTS_SHIFT),
    cOps: &CLASS_OPS,
    spec: ptr::null(),
    ext: ptr::null(),
    oOps: ptr::null(),
});

struct GlobalClass(JSClass);
// SAFETY: immutable data.
unsafe impl Sync for GlobalClass {}

/// Makes a realm and returns its global object.
pub(crate) unsafe fn new_global(cx: *mut RawContext) -> *mut JSObject {
    // SAFETY: called while the context is being set up; the result is rooted by the caller before anything collects.
    unsafe {
        let options = JS_NewRealmOptions();
        (*options).creationOptions_.sharedMemoryAndAtomics_ = true;
        (*options).creationOptions_.defineSharedArrayBufferConstructor_ = true;
        let global =
            JS_NewGlobalObject(cx, &CLASS.0, ptr::null_mut(), OnNewGlobalHookOption::FireOnNewGlobalHook, options);
        mozjs::jsapi::DeleteRealmOptions(options);
        assert!(!global.is_null(), "out of memory while making the global object");
        global
    }
}
