//! Further realms of a context, and scripts that run with an object of the program's in front of the global one: what
//! node:vm is made of. All realms of a context share one compartment, so their objects meet without wrappers.

use std::ptr;

use mozjs::jsapi::js::{ObjectOps, ToWindowIfWindowProxy};
use mozjs::jsapi::{
    InstantiateGlobalStencil, JS, JS_ExecuteScript2, JS_GlobalObjectTraceHook, JS_MayResolveStandardClass,
    JS_NewEnumerateStandardClasses, JS_NewGlobalObject, JS_NewRealmOptions, JS_ResolveStandardClass,
    JS_SetReservedSlot, JSClass, JSClassOps, JSObject, JSProtoKey, JSSecurityCallbacks, OnNewGlobalHookOption,
};
use mozjs::jsapi::{JSCLASS_GLOBAL_SLOT_COUNT, JSCLASS_IS_GLOBAL, JSCLASS_RESERVED_SLOTS_MASK};
use mozjs::jsval::Int32Value;
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::module::Referrer;
use crate::stencil::Stencil;
use crate::vm_context::GLOBAL_OPS;

/// A global object with the language's own names only.
static CLASS_OPS: JSClassOps = CLASS_OPS_TEMPLATE;

const CLASS_OPS_TEMPLATE: JSClassOps = JSClassOps {
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

/// The same for contextified realms.
static CONTEXTIFIED_OPS: JSClassOps = JSClassOps { resolve: Some(crate::vm_context::resolve), ..CLASS_OPS_TEMPLATE };

struct PlainClass(JSClass);
// SAFETY: immutable data.
unsafe impl Sync for PlainClass {}

const fn class(hooks: &'static JSClassOps, operations: *const ObjectOps) -> PlainClass {
    PlainClass(JSClass {
        name: c"Object".as_ptr(),
        flags: JSCLASS_IS_GLOBAL
            | ((JSCLASS_GLOBAL_SLOT_COUNT & JSCLASS_RESERVED_SLOTS_MASK) << mozjs::jsapi::JSCLASS_RESERVED_SLOTS_SHIFT),
        cOps: hooks,
        spec: ptr::null(),
        ext: ptr::null(),
        oOps: operations,
    })
}

static CLASS: PlainClass = class(&CLASS_OPS, ptr::null());
/// The same for realms with an object of the program's in front.
static CONTEXTIFIED_CLASS: PlainClass = class(&CONTEXTIFIED_OPS, &GLOBAL_OPS);

/// The class of a global object with the language's own names only.
pub(crate) fn plain_class() -> &'static JSClass {
    &CLASS.0
}

/// What sets a realm apart; all of it holds for the realm's whole life.
#[derive(Debug, Default, Clone, Copy)]
pub struct RealmOptions {
    /// `eval` and `Function` throw an EvalError.
    pub no_eval: bool,
    /// Compiling WebAssembly throws a CompileError.
    pub no_wasm: bool,
    /// Its microtasks wait for [`Scope::run_realm_microtasks`]; [`Scope::run_microtasks`] leaves them alone.
    pub own_microtasks: bool,
    /// Can be contextified by [`Scope::contextify`].
    pub contextified: bool,
    /// Not for programs: debuggers are not told of it.
    pub hidden: bool,
}

// Reserved slots of a realm's global object, of those that the engine leaves to the embedder.
pub(crate) const OPTIONS_SLOT: u32 = 0;
const MICROTASKS_SLOT: u32 = 1;
/// Of a contextified realm: the object of the program's.
pub(crate) const SANDBOX_SLOT: u32 = 2;
/// Of a contextified realm: names of the language that come after that object's.
pub(crate) const OWN_NAMES_SLOT: u32 = 3;
/// Answers `import()` calls of code that has no referrer.
const IMPORT_HOLDER_SLOT: u32 = 4;

const NO_EVAL: i32 = 1;
const NO_WASM: i32 = 2;
const OWN_MICROTASKS: i32 = 4;
pub(crate) const SANDBOX_IS_PROXY: i32 = 8;

/// Whether a global object is that of a further realm, which has our slots.
pub(crate) unsafe fn is_further(global: *mut JSObject) -> bool {
    // SAFETY: a live object; the realm of the context itself has another class.
    unsafe {
        let class = mozjs::rust::get_object_class(global);
        ptr::eq(class, &raw const CLASS.0) || ptr::eq(class, &raw const CONTEXTIFIED_CLASS.0)
    }
}

/// The options of the realm with this global object, as bits.
pub(crate) unsafe fn options_of(global: *mut JSObject) -> i32 {
    // SAFETY: a live global object.
    unsafe {
        if global.is_null() || !is_further(global) {
            return 0;
        }
        let mut options = mozjs::jsval::UndefinedValue();
        mozjs::glue::JS_GetReservedSlot(global, OPTIONS_SLOT, &mut options);
        if options.is_int32() { options.to_int32() } else { 0 }
    }
}

struct Callbacks(JSSecurityCallbacks);
// SAFETY: immutable data.
unsafe impl Sync for Callbacks {}

static CALLBACKS: Callbacks = Callbacks(JSSecurityCallbacks {
    contentSecurityPolicyAllows: Some(may_compile),
    codeForEvalGets: None,
    subsumes: None,
});

/// Whether the current realm may make code at run time; throws V8's errors where not.
unsafe extern "C" fn may_compile(
    cx: *mut mozjs::jsapi::JSContext,
    kind: JS::RuntimeCode,
    _code: JS::Handle<*mut mozjs::jsapi::JSString>,
    _compilation: JS::CompilationType,
    _parameters: JS::Handle<JS::StackGCVector<*mut mozjs::jsapi::JSString, mozjs::jsapi::js::TempAllocPolicy>>,
    _body: JS::Handle<*mut mozjs::jsapi::JSString>,
    _parameter_args: JS::Handle<JS::StackGCVector<JS::Value, mozjs::jsapi::js::TempAllocPolicy>>,
    _body_arg: JS::Handle<JS::Value>,
    allowed: *mut bool,
) -> bool {
    // SAFETY: engine callback on the context's thread; `allowed` is the engine's.
    unsafe {
        let options = options_of(JS::CurrentGlobalOrNull(cx));
        let (bit, key, message) = match kind {
            JS::RuntimeCode::JS => {
                (NO_EVAL, JSProtoKey::JSProto_EvalError, "Code generation from strings disallowed for this context")
            }
            JS::RuntimeCode::WASM => {
                (NO_WASM, JSProtoKey::JSProto_CompileError, "Wasm code generation disallowed by embedder")
            }
        };
        *allowed = options & bit == 0;
        if *allowed {
            return true;
        }
        let mut scope = Scope::enter(cx);
        if let Ok(error) = scope.new_error_of(key, message) {
            scope.throw(error);
        }
        false
    }
}

impl<'s> Scope<'s> {
    /// Makes a realm that has the language's globals and nothing else; gives its global object.
    pub fn new_realm(&mut self) -> JsResult<Local<'s>> {
        self.new_realm_with(RealmOptions::default())
    }

    /// The same with options.
    pub fn new_realm_with(&mut self, options: RealmOptions) -> JsResult<Local<'s>> {
        let class = if options.contextified { &CONTEXTIFIED_CLASS } else { &CLASS };
        let global = self.plain_realm(class, options.hidden)?;
        let bits = if options.no_eval { NO_EVAL } else { 0 }
            | if options.no_wasm { NO_WASM } else { 0 }
            | if options.own_microtasks { OWN_MICROTASKS } else { 0 };
        if bits == 0 {
            return Ok(global);
        }
        // SAFETY: a global of our class; the array is rooted while it is stored. The callbacks are static.
        unsafe {
            JS_SetReservedSlot(global.value().to_object(), OPTIONS_SLOT, &Int32Value(bits));
            if bits & (NO_EVAL | NO_WASM) != 0 {
                mozjs::jsapi::JS_SetSecurityCallbacks(self.cx, &CALLBACKS.0);
            }
        }
        if options.own_microtasks {
            self.ctx().own_microtasks.set(true);
            self.choose_microtask_loop();
            self.new_realm_queue(global)?;
        }
        Ok(global)
    }

    /// Gives a realm an empty queue; what was in its queue before is the result's.
    fn new_realm_queue(&mut self, global: Local<'_>) -> JsResult<Local<'s>> {
        let queue = self.in_realm_of(global, |scope| scope.new_array(&[]))?;
        let before = self.undefined();
        // SAFETY: the caller's global has our class; both values are rooted.
        unsafe {
            let object = ToWindowIfWindowProxy(global.value().to_object());
            mozjs::glue::JS_GetReservedSlot(object, MICROTASKS_SLOT, Scope::out(before).ptr);
            JS_SetReservedSlot(object, MICROTASKS_SLOT, queue.handle().ptr);
        }
        Ok(before)
    }

    /// Puts a microtask of a realm with a queue of its own there, with its async context. False where the realm has none.
    pub(crate) fn keep_for_realm(
        &mut self,
        global: *mut JSObject,
        task: Local<'_>,
        context: Local<'_>,
    ) -> JsResult<bool> {
        // SAFETY: a live global; whatever can collect comes after its slot was read into a handle.
        unsafe {
            if options_of(global) & OWN_MICROTASKS == 0 {
                return Ok(false);
            }
            let queue = self.undefined();
            mozjs::glue::JS_GetReservedSlot(global, MICROTASKS_SLOT, Scope::out(queue).ptr);
            rooted!(in(self.cx) let object = queue.value().to_object());
            let length = self.array_length(queue)?;
            for (index, value) in [(length, task), (length + 1, context)] {
                // Defined, not set: the program may have put setters on its Array.prototype.
                let attributes = u32::from(mozjs::jsapi::JSPROP_ENUMERATE);
                if !mozjs::jsapi::JS_DefineElement(self.cx, object.handle().into(), index, value.handle(), attributes) {
                    return Err(Exc::pending());
                }
            }
        }
        Ok(true)
    }

    /// Whether a realm's microtasks wait for [`Scope::run_realm_microtasks`].
    pub fn has_own_microtasks(&mut self, global: Local<'_>) -> bool {
        // SAFETY: a live object.
        global.object().is_some_and(|object| unsafe { options_of(ToWindowIfWindowProxy(object)) } & OWN_MICROTASKS != 0)
    }

    /// Runs the microtasks of a realm with a queue of its own until none is left; those of other realms stay queued.
    /// `report` as in [`Scope::run_microtasks`].
    pub fn run_realm_microtasks(
        &mut self,
        global: Local<'_>,
        report: &mut dyn FnMut(&mut Scope<'_>, Local<'_>),
    ) -> JsResult<()> {
        if !self.has_own_microtasks(global) {
            return Ok(());
        }
        loop {
            self.sort_microtasks()?;
            // SAFETY: same context and thread; what is made in a round goes with it.
            let mut scope = unsafe { Scope::enter(self.cx) };
            let queue = scope.new_realm_queue(global)?;
            let length = scope.array_length(queue)?;
            if length == 0 {
                return Ok(());
            }
            for index in (0..length).step_by(2) {
                // SAFETY: as above.
                let mut scope = unsafe { Scope::enter(scope.cx) };
                let task = scope.get_index(queue, index)?;
                let context = scope.get_index(queue, index + 1)?;
                if !scope.run_microtask(task, context, report) {
                    return Err(Exc::pending());
                }
            }
        }
    }

    fn plain_realm(&mut self, class: &'static PlainClass, hidden: bool) -> JsResult<Local<'s>> {
        // SAFETY: the options live until the realm is made; the result is rooted at once.
        unsafe {
            let options = JS_NewRealmOptions();
            (*options).creationOptions_.sharedMemoryAndAtomics_ = true;
            (*options).creationOptions_.defineSharedArrayBufferConstructor_ = true;
            crate::bindings::set_existing_compartment(
                &mut (*options).creationOptions_,
                JS::CurrentGlobalOrNull(self.cx),
            );
            let hook = if hidden {
                OnNewGlobalHookOption::DontFireOnNewGlobalHook
            } else {
                OnNewGlobalHookOption::FireOnNewGlobalHook
            };
            let global = JS_NewGlobalObject(self.cx, &class.0, ptr::null_mut(), hook, options);
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

    /// What answers `import()` in code of a further realm that has no referrer, as in [`Referrer::Holder`]: code made of a
    /// string where no script runs. `global` is the realm's, or its view.
    pub fn set_import_holder(&mut self, global: Local<'_>, holder: Local<'_>) {
        if let Some(object) = global.object() {
            // SAFETY: a live object; only ours has the slot.
            unsafe {
                let object = ToWindowIfWindowProxy(object);
                if is_further(object) {
                    JS_SetReservedSlot(object, IMPORT_HOLDER_SLOT, holder.handle().ptr);
                }
            }
        }
    }

    /// What [`Scope::set_import_holder`] has set for the current realm.
    pub(crate) fn import_holder(&mut self) -> Option<Local<'s>> {
        let out = self.undefined();
        // SAFETY: the live global of the current realm; rooted out location.
        unsafe {
            let global = JS::CurrentGlobalOrNull(self.cx);
            if global.is_null() || !is_further(global) {
                return None;
            }
            mozjs::glue::JS_GetReservedSlot(global, IMPORT_HOLDER_SLOT, Scope::out(out).ptr);
        }
        out.is_object().then_some(out)
    }

    /// Runs a script compiled with [`crate::CompileOptions::environment`] in the current realm, its free names looked up in
    /// the `environments`, the last first, before the global object; `referrer` as in [`Scope::run_script`].
    pub fn run_script_with(
        &mut self,
        stencil: &Stencil,
        environments: &[Local<'_>],
        referrer: impl Into<Referrer<'s>>,
    ) -> JsResult<Local<'s>> {
        let out = self.undefined();
        // SAFETY: rooted handles; the chain is deleted after the call, in the reverse order of its roots.
        unsafe {
            let options = Self::instantiate_options();
            let script = InstantiateGlobalStencil(self.cx, &options, stencil.raw(), ptr::null_mut());
            if script.is_null() {
                return Err(Exc::pending());
            }
            rooted!(in(self.cx) let script = script);
            if let Some(value) = referrer.into().value() {
                JS::SetScriptPrivate(script.get(), &value);
            }
            let chain = mozjs::jsapi::glue::NewEnvironmentChain(self.cx, JS::SupportUnscopables::No);
            // The engine's list begins with the innermost.
            for object in environments.iter().rev().filter_map(|environment| environment.object()) {
                mozjs::jsapi::glue::AppendToEnvironmentChain(chain, object);
            }
            let ok = JS_ExecuteScript2(self.cx, chain, script.handle().into(), Scope::out(out));
            mozjs::jsapi::glue::DeleteEnvironmentChain(chain);
            if !ok {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }
}
