//! What a message holds beside its words: objects that two threads can share.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use mozjs::jsapi::{JS, JSContext as RawContext, JSObject};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::resource::SharedResource;

/// One of them. A message may be read several times.
pub(super) enum Held {
    Module(WasmModule),
    Resource(Box<dyn SharedResource>),
}

impl Held {
    /// What stands for `object` in a message; `None` where it is no object that can be shared.
    pub(super) fn of(scope: &mut Scope<'_>, object: Local<'_>) -> Option<Held> {
        if let Some(resource) = scope.shared_resource(object) {
            return Some(Held::Resource(resource));
        }
        rooted!(in(scope.cx) let raw = object.object()?);
        // SAFETY: a rooted handle.
        unsafe {
            JS::IsWasmModuleObject(raw.handle().into()).then(|| Held::Module(WasmModule::of(raw.handle().into())))
        }
    }

    /// An object of this context for it.
    pub(super) fn object<'s>(&self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match self {
            Held::Module(module) => module.object(scope),
            Held::Resource(resource) => resource.object(scope),
        }
    }
}

/// A reference to a compiled WebAssembly module, `JS::WasmModule` (js/public/WasmModule.h).
pub(super) struct WasmModule(NonNull<Layout>);

// SAFETY: made for this: the count is atomic, the code does not change.
unsafe impl Send for WasmModule {}

#[repr(C)]
struct Layout {
    functions: *const Functions,
    references: AtomicUsize,
}

/// The virtual functions in the order of their declaration; a destructor has two entries.
#[repr(C)]
struct Functions {
    destroy: unsafe extern "C" fn(*mut Layout),
    _delete: *const c_void,
    create_object: unsafe extern "C" fn(*const Layout, *mut RawContext) -> *mut JSObject,
}

unsafe extern "C" {
    // Gives a `RefPtr`, which the caller makes room for.
    #[link_name = "_ZN2JS13GetWasmModuleENS_6HandleIP8JSObjectEE"]
    fn get_wasm_module(out: *mut *mut Layout, object: JS::HandleObject) -> *mut *mut Layout;
}

impl WasmModule {
    /// # Safety
    /// A rooted WebAssembly.Module.
    unsafe fn of(object: JS::HandleObject) -> Self {
        let mut module = std::ptr::null_mut();
        // SAFETY: as the caller says; the reference that the engine gives is ours.
        unsafe {
            get_wasm_module(&mut module, object);
            WasmModule(NonNull::new(module).expect("a module object has a module"))
        }
    }

    fn object<'s>(&self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        // SAFETY: a live module; the object is rooted at once.
        unsafe {
            let module = self.0.as_ref();
            let object = ((*module.functions).create_object)(module, scope.cx);
            if object.is_null() {
                return Err(Exc::pending());
            }
            Ok(scope.local_object(object))
        }
    }
}

impl Drop for WasmModule {
    fn drop(&mut self) {
        // SAFETY: a live module; the last reference destroys it as the engine does.
        unsafe {
            if self.0.as_ref().references.fetch_sub(1, Ordering::AcqRel) == 1 {
                ((*self.0.as_ref().functions).destroy)(self.0.as_ptr());
                libc::free(self.0.as_ptr().cast());
            }
        }
    }
}
