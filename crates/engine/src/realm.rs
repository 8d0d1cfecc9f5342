//! Further realms of a context, and scripts that run with an object of the program's in front of the global one: what
//! node:vm is made of. All realms of a context share one compartment, so their objects meet without wrappers.

use std::ptr;

use mozjs::jsapi::{
    InstantiateGlobalStencil, JS, JS_ExecuteScript2, JS_GlobalObjectTraceHook, JS_MayResolveStandardClass,
    JS_NewEnumerateStandardClasses, JS_NewGlobalObject, JS_NewRealmOptions, JS_ResolveStandardClass, JSClass,
    JSClassOps, OnNewGlobalHookOption,
};
use mozjs::jsapi::{JSCLASS_GLOBAL_SLOT_COUNT, JSCLASS_IS_GLOBAL, JSCLASS_RESERVED_SLOTS_MASK};
use mozjs::jsval::Int32Value;
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::stencil::Stencil;

/// A global object with the language's own names only.
static CLASS_OPS: JSClassOps = JSClassOps {
    addProperty: None,
    delProperty: None,
    enumerate: None,
    newEnumerate: Some(JS_NewEnumerateStandardClasses),
    resolve: Some(JS_ResolveStandardClass),
    mayResolve: Some(JS_MayResolveStandardClass),
    finalize: None,
    call: None,
    construct: None,
    trace: Some(JS_GlobalObjectTraceHook),
};

struct PlainClass(JSClass);
// SAFETY: immutable data.
unsafe impl Sync for PlainClass {}

static CLASS: PlainClass = PlainClass(JSClass {
    name: c"Object".as_ptr(),
    flags: JSCLASS_IS_GLOBAL
        | ((JSCLASS_GLOBAL_SLOT_COUNT & JSCLASS_RESERVED_SLOTS_MASK) << mozjs::jsapi::JSCLASS_RESERVED_SLOTS_SHIFT),
    cOps: &CLASS_OPS,
    spec: ptr::null(),
    ext: ptr::null(),
    oOps: ptr::null(),
});

impl<'s> Scope<'s> {
    /// Makes a realm that has the language's globals and nothing else; gives its global object.
    pub fn new_realm(&mut self) -> JsResult<Local<'s>> {
        // SAFETY: the options live until the realm is made; the result is rooted at once.
        unsafe {
            let options = JS_NewRealmOptions();
            (*options).creationOptions_.sharedMemoryAndAtomics_ = true;
            (*options).creationOptions_.defineSharedArrayBufferConstructor_ = true;
            crate::sys::set_existing_compartment(&mut (*options).creationOptions_, JS::CurrentGlobalOrNull(self.cx));
            let global = JS_NewGlobalObject(
                self.cx,
                &CLASS.0,
                ptr::null_mut(),
                OnNewGlobalHookOption::FireOnNewGlobalHook,
                options,
            );
            mozjs::jsapi::DeleteRealmOptions(options);
            self.checked_object(global)
        }
    }

    /// Runs `f` in the realm that an object belongs to.
    pub fn in_realm_of<R>(&mut self, object: Local<'_>, f: impl FnOnce(&mut Scope<'s>) -> R) -> R {
        match object.object() {
            Some(object) => {
                // The realm is left when the guard goes.
                let _realm = mozjs::jsapi::JSAutoRealm::new(self.cx, object);
                f(self)
            }
            None => f(self),
        }
    }

    /// Runs `f` in the realm that the context was made with. What the engine asks of the host while another realm runs must
    /// not load bao's own modules into that one.
    pub fn in_main_realm<R>(&mut self, f: impl FnOnce(&mut Scope<'s>) -> R) -> R {
        let main = self.main_global();
        self.in_realm_of(main, f)
    }

    /// Runs a script compiled with [`crate::CompileOptions::environment`] in the current realm, its free names looked up in
    /// `environment` before the global object. Its top-level `let`, `const` and `class` are kept for further scripts with the
    /// same object; `module` as in [`Scope::run_script`].
    pub fn run_script_with(
        &mut self,
        stencil: &Stencil,
        environment: Local<'_>,
        module: Option<u32>,
    ) -> JsResult<Local<'s>> {
        let object = self.expect_object(environment)?;
        let out = self.undefined();
        // SAFETY: rooted handles; the chain is deleted after the call, in the reverse order of its roots.
        unsafe {
            rooted!(in(self.cx) let object = object);
            let options = Self::instantiate_options();
            let script = InstantiateGlobalStencil(self.cx, &options, stencil.raw(), ptr::null_mut());
            if script.is_null() {
                return Err(Exc::pending());
            }
            rooted!(in(self.cx) let script = script);
            if let Some(module) = module {
                JS::SetScriptPrivate(script.get(), &Int32Value(module as i32));
            }
            let chain = mozjs::jsapi::glue::NewEnvironmentChain(self.cx, JS::SupportUnscopables::No);
            mozjs::jsapi::glue::AppendToEnvironmentChain(chain, object.get());
            let ok = JS_ExecuteScript2(self.cx, chain, script.handle().into(), Scope::out(out));
            mozjs::jsapi::glue::DeleteEnvironmentChain(chain);
            if !ok {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }
}
