//! Contextified objects of node:vm: a realm whose global names are the properties of an object of the program's.
//!
//! Three objects stand for such a realm's global one. The *global object* is the engine's own and holds the language's names;
//! its class sends what is defined or deleted there on to the program's object (the *sandbox*). Its prototype, the *names*, is
//! a proxy that answers for everything it does not hold: code finds the sandbox's properties there, by the engine's ordinary
//! lookup of a free name. The *view* is what `this` and `globalThis` are, as a browser's WindowProxy: all properties of the
//! sandbox, then those of the realm.
//!
//! The language's names are found on the global object first, where compiled code may remember them. The sandbox comes before
//! them, so one that it has is *uncovered*: moved from the global object to a side table which is asked after the sandbox.
//! That happens whenever a name is defined through the view, and before each script for what the program has put into its
//! object meanwhile. Afterwards what code has assigned to a name of the language moves to the sandbox.

mod names;
mod view;

use std::ptr;
use std::sync::OnceLock;

use mozjs::glue::{
    CreateProxyHandler, CreateWrapperProxyHandler, GetProxyPrivate, GetWindowProxyClass, JS_GetReservedSlot,
    NewProxyObject, NewWindowProxy, ProxyTraps,
};
use mozjs::jsapi::js::detail::ToWindowProxyIfWindowSlow;
use mozjs::jsapi::js::{ObjectOps, SetWindowProxy, SetWindowProxyClass, ToWindowIfWindowProxy};
use mozjs::jsapi::{
    Handle, HandleId, HandleObject, JS_AlreadyHasOwnPropertyById, JS_AtomizeAndPinStringN, JS_DefinePropertyById,
    JS_DefinePropertyById2, JS_DeletePropertyById, JS_ForwardSetPropertyTo, JS_GetClassObject,
    JS_GetOwnPropertyDescriptorById, JS_GetPropertyById, JS_GetPrototype, JS_HasOwnPropertyById, JS_HasPropertyById,
    JS_IdToProtoKey, JS_IsExtensible, JS_SetPropertyById, JS_SetPrototype, JS_SetReservedSlot, JSContext as RawContext,
    JSErrNum, JSObject, JSProtoKey, MutableHandleValue, ObjectOpResult, PropertyDescriptor, Value, jsid,
};
use mozjs::jsval::{ObjectValue, UndefinedValue};
use mozjs::rooted;

use crate::bindings::{NativeDefineProperty, NativeDeleteProperty};
use crate::context::ContextState;
use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::realm::{OPTIONS_SLOT, OWN_NAMES_SLOT, SANDBOX_IS_PROXY, SANDBOX_SLOT};

/// What the class of a contextified realm's global object does differently.
pub(crate) static GLOBAL_OPS: ObjectOps = ObjectOps {
    lookupProperty: None,
    defineProperty: Some(global_define),
    hasProperty: None,
    getProperty: None,
    setProperty: None,
    getOwnPropertyDescriptor: None,
    deleteProperty: Some(global_delete),
    getElements: None,
    funToString: None,
};

const OWN_KEYS: u32 = mozjs::jsapi::JSITER_OWNONLY | mozjs::jsapi::JSITER_HIDDEN | mozjs::jsapi::JSITER_SYMBOLS;

/// The objects behind one of the three, as they are now: whoever calls the engine roots what it goes on with.
#[derive(Clone, Copy)]
struct Parts {
    global: *mut JSObject,
    /// Null until the realm is contextified.
    sandbox: *mut JSObject,
    /// The language's names that have been uncovered; null while there are none.
    own_names: *mut JSObject,
    /// Whether the sandbox was made by `new Proxy`.
    proxied: bool,
}

unsafe fn slot_object(object: *mut JSObject, slot: u32) -> *mut JSObject {
    let mut value = UndefinedValue();
    // SAFETY: the caller's object has the slot.
    unsafe { JS_GetReservedSlot(object, slot, &mut value) };
    if value.is_object() { value.to_object() } else { ptr::null_mut() }
}

unsafe fn parts_of_global(global: *mut JSObject) -> Parts {
    // SAFETY: a global object of the class in realm.rs.
    unsafe {
        let mut options = UndefinedValue();
        JS_GetReservedSlot(global, OPTIONS_SLOT, &mut options);
        Parts {
            global,
            sandbox: slot_object(global, SANDBOX_SLOT),
            own_names: slot_object(global, OWN_NAMES_SLOT),
            proxied: options.is_int32() && options.to_int32() & SANDBOX_IS_PROXY != 0,
        }
    }
}

/// The same of a view or of the names: both keep the global object as their private value.
unsafe fn parts_of_proxy(proxy: HandleObject) -> Parts {
    let mut global = UndefinedValue();
    // SAFETY: called by a handler with its proxy.
    unsafe {
        GetProxyPrivate(*proxy.ptr, &mut global);
        parts_of_global(global.to_object())
    }
}

fn fail(result: *mut ObjectOpResult, code: JSErrNum) -> bool {
    // SAFETY: the engine's out parameter.
    unsafe { (*result).fail(code) }
}

fn succeed(result: *mut ObjectOpResult) -> bool {
    // SAFETY: as above.
    unsafe { (*result).succeed() }
}

/// Whether the sandbox answers for a name. One that is a proxy does wherever it gives a value: V8 asks no other trap, and
/// programs count on `get` alone.
unsafe fn sandbox_has(
    cx: *mut RawContext,
    sandbox: HandleObject,
    proxied: bool,
    id: HandleId,
    found: &mut bool,
) -> bool {
    // SAFETY: rooted handles of the caller's.
    unsafe {
        if proxied {
            rooted!(in(cx) let mut value = UndefinedValue());
            if !JS_GetPropertyById(cx, sandbox, id, value.handle_mut().into()) {
                return false;
            }
            if !value.get().is_undefined() {
                *found = true;
                return true;
            }
        }
        JS_HasPropertyById(cx, sandbox, id, found)
    }
}

/// Reads a name of the sandbox: false in `found` where it does not answer for it.
unsafe fn sandbox_get(
    cx: *mut RawContext,
    sandbox: HandleObject,
    proxied: bool,
    id: HandleId,
    out: MutableHandleValue,
    found: &mut bool,
) -> bool {
    // SAFETY: rooted handles of the caller's.
    unsafe {
        if !JS_GetPropertyById(cx, sandbox, id, out) {
            return false;
        }
        if !(*out.ptr).is_undefined() {
            *found = true;
            return true;
        }
        proxied || JS_HasPropertyById(cx, sandbox, id, found)
    }
}

unsafe fn own_name(cx: *mut RawContext, own_names: HandleObject, id: HandleId, found: &mut bool) -> bool {
    *found = false;
    // SAFETY: rooted handles; a plain object.
    unsafe { (*own_names.ptr).is_null() || JS_AlreadyHasOwnPropertyById(cx, own_names, id, found) }
}

/// Moves a configurable property of the global object to the side table, so that the sandbox is asked first. `fixed` says
/// that it is not configurable: `undefined`, `NaN` and `Infinity`.
unsafe fn uncover(cx: *mut RawContext, global: HandleObject, id: HandleId, fixed: &mut bool) -> bool {
    *fixed = false;
    // SAFETY: rooted handles; the calls that define and delete go past the class's own operations.
    unsafe {
        let mut found = false;
        // Resolves a name of the language that nothing has used so far.
        if !JS_HasOwnPropertyById(cx, global, id, &mut found) {
            return false;
        }
        if !found {
            return true;
        }
        rooted!(in(cx) let mut desc = PropertyDescriptor::default());
        let mut none = false;
        if !JS_GetOwnPropertyDescriptorById(cx, global, id, desc.handle_mut().into(), &mut none) {
            return false;
        }
        if none {
            return true;
        }
        if desc.hasConfigurable_() && !desc.configurable_() {
            *fixed = true;
            return true;
        }
        rooted!(in(cx) let mut own_names = slot_object(*global.ptr, OWN_NAMES_SLOT));
        if own_names.is_null() {
            own_names.set(mozjs::jsapi::JS_NewObjectWithGivenProto(cx, ptr::null(), HandleObject::null()));
            if own_names.is_null() {
                return false;
            }
            JS_SetReservedSlot(*global.ptr, OWN_NAMES_SLOT, &ObjectValue(own_names.get()));
        }
        let mut result = ObjectOpResult::default();
        JS_DefinePropertyById(cx, own_names.handle().into(), id, desc.handle().into(), &mut result)
            && NativeDeleteProperty(cx, global, id, &mut result)
    }
}

/// Defines a property of the realm. `declared`: by a declaration or an assignment of code, which in V8 gives a property that
/// can be deleted again.
unsafe fn define(
    cx: *mut RawContext,
    parts: Parts,
    id: HandleId,
    desc: Handle<PropertyDescriptor>,
    result: *mut ObjectOpResult,
    declared: bool,
) -> bool {
    // SAFETY: everything is rooted before the first call.
    unsafe {
        rooted!(in(cx) let global = parts.global);
        rooted!(in(cx) let sandbox = parts.sandbox);
        let mut fixed = false;
        if !uncover(cx, global.handle().into(), id, &mut fixed) {
            return false;
        }
        if fixed {
            return NativeDefineProperty(cx, global.handle().into(), id, desc, result);
        }
        if declared {
            if parts.proxied && (*desc.ptr).hasValue_() {
                // The program may have a trap for it.
                rooted!(in(cx) let this = ObjectValue(sandbox.get()));
                rooted!(in(cx) let value = (*desc.ptr).value_);
                return JS_ForwardSetPropertyTo(
                    cx,
                    sandbox.handle().into(),
                    id,
                    value.handle().into(),
                    this.handle().into(),
                    result,
                );
            }
            if (*desc.ptr).hasConfigurable_()
                && !(*desc.ptr).configurable_()
                && !note_variable(cx, Parts { global: global.get(), ..parts }, id)
            {
                return false;
            }
            let mut extensible = true;
            let mut own = false;
            if !JS_IsExtensible(cx, sandbox.handle().into(), &mut extensible) {
                return false;
            }
            // What the program has frozen takes nothing up: the realm itself does.
            let bare = (*desc.ptr).hasValue_() && (*desc.ptr).value_.is_undefined();
            if bare || !extensible {
                if !JS_HasOwnPropertyById(cx, sandbox.handle().into(), id, &mut own) {
                    return false;
                }
                // `var x` where there is one.
                if own && bare {
                    return succeed(result);
                }
                if !own && !extensible {
                    return NativeDefineProperty(cx, global.handle().into(), id, desc, result);
                }
            }
            let mut open = *desc.ptr;
            if open.hasConfigurable_() {
                open.set_configurable_(true);
            }
            rooted!(in(cx) let open = open);
            return JS_DefinePropertyById(cx, sandbox.handle().into(), id, open.handle().into(), result);
        }
        JS_DefinePropertyById(cx, sandbox.handle().into(), id, desc, result)
    }
}

/// The object that has the names of a realm's variables as keys: kept in a reserved slot of the view. Null while there are none.
unsafe fn variables_of(parts: Parts) -> *mut JSObject {
    let mut value = UndefinedValue();
    // SAFETY: a contextified realm has a view, and that the slot.
    unsafe { mozjs::glue::GetProxyReservedSlot(ToWindowProxyIfWindowSlow(parts.global), 0, &mut value) };
    if value.is_object() { value.to_object() } else { ptr::null_mut() }
}

/// Notes a variable: its property of the sandbox can be configured, but code inside cannot delete it.
unsafe fn note_variable(cx: *mut RawContext, parts: Parts, id: HandleId) -> bool {
    // SAFETY: everything is rooted before the first call.
    unsafe {
        rooted!(in(cx) let view = ToWindowProxyIfWindowSlow(parts.global));
        rooted!(in(cx) let mut variables = variables_of(parts));
        if variables.is_null() {
            variables.set(mozjs::jsapi::JS_NewObjectWithGivenProto(cx, ptr::null(), HandleObject::null()));
            if variables.is_null() {
                return false;
            }
            mozjs::glue::SetProxyReservedSlot(view.get(), 0, &ObjectValue(variables.get()));
        }
        rooted!(in(cx) let value = UndefinedValue());
        JS_DefinePropertyById2(cx, variables.handle().into(), id, value.handle().into(), 0)
    }
}

unsafe fn delete(cx: *mut RawContext, parts: Parts, id: HandleId, result: *mut ObjectOpResult) -> bool {
    // SAFETY: everything is rooted before the first call.
    unsafe {
        rooted!(in(cx) let global = parts.global);
        rooted!(in(cx) let variables = variables_of(parts));
        let mut variable = false;
        if !own_name(cx, variables.handle().into(), id, &mut variable) {
            return false;
        }
        if variable {
            return fail(result, JSErrNum::JSMSG_CANT_DELETE);
        }
        rooted!(in(cx) let sandbox = parts.sandbox);
        rooted!(in(cx) let own_names = parts.own_names);
        if !JS_DeletePropertyById(cx, sandbox.handle().into(), id, result) {
            return false;
        }
        if !(*result).ok() {
            return true;
        }
        if !own_names.is_null() {
            let mut ignored = ObjectOpResult::default();
            if !JS_DeletePropertyById(cx, own_names.handle().into(), id, &mut ignored) {
                return false;
            }
        }
        NativeDeleteProperty(cx, global.handle().into(), id, result)
    }
}

// The global object's own operations.

unsafe extern "C" fn global_define(
    cx: *mut RawContext,
    object: HandleObject,
    id: HandleId,
    desc: Handle<PropertyDescriptor>,
    result: *mut ObjectOpResult,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_global(*object.ptr);
        // The engine defines the language's names when they are first used.
        if parts.sandbox.is_null() || (*desc.ptr).resolving_() {
            return NativeDefineProperty(cx, object, id, desc, result);
        }
        define(cx, parts, id, desc, result, true)
    }
}

unsafe extern "C" fn global_delete(
    cx: *mut RawContext,
    object: HandleObject,
    id: HandleId,
    result: *mut ObjectOpResult,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_global(*object.ptr);
        if parts.sandbox.is_null() {
            return NativeDeleteProperty(cx, object, id, result);
        }
        delete(cx, parts, id, result)
    }
}

// What the names and the view share.

unsafe extern "C" fn proxy_define(
    cx: *mut RawContext,
    proxy: HandleObject,
    id: HandleId,
    desc: Handle<PropertyDescriptor>,
    result: *mut ObjectOpResult,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe { define(cx, parts_of_proxy(proxy), id, desc, result, false) }
}

unsafe extern "C" fn proxy_delete(
    cx: *mut RawContext,
    proxy: HandleObject,
    id: HandleId,
    result: *mut ObjectOpResult,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe { delete(cx, parts_of_proxy(proxy), id, result) }
}

unsafe extern "C" fn not_sealed(_cx: *mut RawContext, _proxy: HandleObject, result: *mut ObjectOpResult) -> bool {
    fail(result, JSErrNum::JSMSG_CANT_PREVENT_EXTENSIONS)
}

unsafe extern "C" fn extensible(_cx: *mut RawContext, _proxy: HandleObject, extensible: *mut bool) -> bool {
    // SAFETY: the engine's out parameter.
    unsafe { *extensible = true };
    true
}

/// Reserved slot of the names: the sandbox's shape when the language's names were last compared with it.
const SHAPE_SLOT: u32 = 1;

/// An object's shape as a number: the first word of an object, an address of 48 bits.
unsafe fn shape_of(object: *mut JSObject) -> Value {
    // SAFETY: a live object.
    mozjs::jsval::DoubleValue(unsafe { *object.cast::<usize>() } as f64 + 0.5)
}

/// The descriptor of a writable, configurable property.
fn assigned(value: Value, enumerable: bool) -> PropertyDescriptor {
    let mut desc = PropertyDescriptor::default();
    desc.set_hasConfigurable_(true);
    desc.set_configurable_(true);
    desc.set_hasEnumerable_(true);
    desc.set_enumerable_(enumerable);
    desc.set_hasWritable_(true);
    desc.set_writable_(true);
    desc.set_hasValue_(true);
    desc.value_ = value;
    desc
}

const NO_TRAPS: ProxyTraps = ProxyTraps {
    enter: None,
    getOwnPropertyDescriptor: None,
    defineProperty: None,
    ownPropertyKeys: None,
    delete_: None,
    enumerate: None,
    getPrototypeIfOrdinary: None,
    getPrototype: None,
    setPrototype: None,
    setImmutablePrototype: None,
    preventExtensions: None,
    isExtensible: None,
    has: None,
    get: None,
    set: None,
    call: None,
    construct: None,
    hasOwn: None,
    getOwnEnumerablePropertyKeys: None,
    nativeCall: None,
    objectClassIs: None,
    className: None,
    fun_toString: None,
    boxedValue_unbox: None,
    defaultValue: None,
    trace: None,
    finalize: None,
    objectMoved: None,
    isCallable: None,
    isConstructor: None,
};

/// Handlers of the two kinds of proxy; made once and kept.
struct Handlers {
    names: *const std::ffi::c_void,
    view: *const std::ffi::c_void,
}
// SAFETY: immutable tables of functions.
unsafe impl Send for Handlers {}
// SAFETY: as above.
unsafe impl Sync for Handlers {}

fn handlers() -> &'static Handlers {
    static HANDLERS: OnceLock<Handlers> = OnceLock::new();
    // SAFETY: the traps are static.
    HANDLERS.get_or_init(|| unsafe {
        Handlers { names: CreateProxyHandler(&names::NAMES, ptr::null()), view: CreateWrapperProxyHandler(&view::VIEW) }
    })
}

/// The language's names, as keys whose strings the engine keeps for good.
pub(crate) struct LanguageNames {
    all: Vec<jsid>,
    /// The bits of all of them, sorted: asked at every use of a name of the sandbox's.
    bits: Vec<usize>,
    /// Those that stand for a constructor or a namespace object.
    classes: Vec<(jsid, JSProtoKey)>,
}

/// The class's resolve hook. The engine's own compares a name with all that there are, and is asked at every use of a name of
/// the sandbox's.
pub(crate) unsafe extern "C" fn resolve(
    cx: *mut RawContext,
    object: HandleObject,
    id: HandleId,
    resolved: *mut bool,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let state = ContextState::of(cx);
        if let Some(names) = state.as_ref().language_names.get()
            && names.bits.binary_search(&(*id.ptr).asBits_).is_err()
        {
            *resolved = false;
            return true;
        }
        mozjs::jsapi::JS_ResolveStandardClass(cx, object, id, resolved)
    }
}

impl<'s> Scope<'s> {
    /// Puts an object in front of a realm made with [`crate::RealmOptions::contextified`]: gives what `globalThis` is there from
    /// now on. `own_names` is an object with further names of the realm's, or undefined.
    pub fn contextify(&mut self, global: Local<'_>, sandbox: Local<'_>, own_names: Local<'_>) -> JsResult<Local<'s>> {
        let proxied = self.class_of(sandbox)? == "Proxy";
        let sandbox = self.expect_object(sandbox)?;
        let cx = self.cx;
        // SAFETY: rooted handles; the handlers live for ever.
        unsafe {
            rooted!(in(cx) let sandbox = sandbox);
            rooted!(in(cx) let global = global.value().to_object());
            let _realm = mozjs::jsapi::JSAutoRealm::new(cx, global.get());
            SetWindowProxyClass(cx, GetWindowProxyClass());
            rooted!(in(cx) let mut proto = ptr::null_mut::<JSObject>());
            if !JS_GetPrototype(cx, global.handle().into(), proto.handle_mut().into()) {
                return Err(Exc::pending());
            }
            rooted!(in(cx) let private = ObjectValue(global.get()));
            let names = NewProxyObject(cx, handlers().names, private.handle().into(), proto.get(), ptr::null(), false);
            let names = self.checked_object(names)?;
            let below = if proto.is_null() { mozjs::jsval::NullValue() } else { ObjectValue(proto.get()) };
            mozjs::glue::SetProxyReservedSlot(names.value().to_object(), 0, &below);
            let view = NewWindowProxy(cx, global.handle().into(), handlers().view);
            let view = self.checked_object(view)?;
            rooted!(in(cx) let raw_view = view.value().to_object());
            SetWindowProxy(cx, global.handle().into(), raw_view.handle().into());
            rooted!(in(cx) let raw_names = names.value().to_object());
            if !JS_SetPrototype(cx, global.handle().into(), raw_names.handle().into()) {
                return Err(Exc::pending());
            }
            JS_SetReservedSlot(global.get(), SANDBOX_SLOT, &ObjectValue(sandbox.get()));
            JS_SetReservedSlot(global.get(), OWN_NAMES_SLOT, own_names.handle().ptr);
            if proxied {
                let options = crate::realm::options_of(global.get()) | SANDBOX_IS_PROXY;
                JS_SetReservedSlot(global.get(), OPTIONS_SLOT, &mozjs::jsval::Int32Value(options));
            }
            if proxied {
                // Its traps may answer for any name.
                for &name in &self.language_names()?.all {
                    rooted!(in(cx) let id = name);
                    let mut fixed = false;
                    if !uncover(cx, global.handle().into(), id.handle().into(), &mut fixed) {
                        return Err(Exc::pending());
                    }
                }
            }
            Ok(view)
        }
    }

    /// The names that every realm has, as keys: those of a realm made for the purpose, once in a thread.
    fn language_names(&mut self) -> JsResult<std::rc::Rc<LanguageNames>> {
        if let Some(kept) = self.ctx().language_names.get() {
            return Ok(kept.clone());
        }
        let global = self.new_realm_with(crate::RealmOptions { hidden: true, ..Default::default() })?;
        let mut names = LanguageNames { all: Vec::new(), bits: Vec::new(), classes: Vec::new() };
        for name in self.own_keys(global, false)? {
            // SAFETY: pinned atoms are neither moved nor collected.
            unsafe {
                let atom = JS_AtomizeAndPinStringN(self.cx, name.as_ptr().cast(), name.len());
                if atom.is_null() {
                    return Err(Exc::pending());
                }
                rooted!(in(self.cx) let value = mozjs::jsval::StringValue(&*atom));
                rooted!(in(self.cx) let mut id: jsid);
                if !mozjs::jsapi::JS_ValueToId(self.cx, value.handle().into(), id.handle_mut().into()) {
                    return Err(Exc::pending());
                }
                names.all.push(id.get());
                names.bits.push(id.get().asBits_);
                let key = JS_IdToProtoKey(self.cx, id.handle().into());
                if key != JSProtoKey::JSProto_Null {
                    names.classes.push((id.get(), key));
                }
            }
        }
        names.bits.sort_unstable();
        let names = std::rc::Rc::new(names);
        let _ = self.ctx().language_names.set(names.clone());
        Ok(names)
    }

    /// The global object of a contextified realm by its view; `None` for everything else.
    fn contextified(&mut self, view: Local<'_>) -> Option<*mut JSObject> {
        let object = view.object()?;
        // SAFETY: a live object.
        let global = unsafe { ToWindowIfWindowProxy(object) };
        (global != object).then_some(global)
    }

    /// To be called before code runs in a contextified realm; `view` is its `globalThis`. Does nothing for other realms.
    pub fn enter_contextified(&mut self, view: Local<'_>) -> JsResult<()> {
        let Some(global) = self.contextified(view) else { return Ok(()) };
        let names = self.language_names()?;
        let cx = self.cx;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(cx) let global = ToWindowIfWindowProxy(view.object().unwrap_or(global)));
            let parts = parts_of_global(global.get());
            if parts.proxied {
                return Ok(());
            }
            rooted!(in(cx) let sandbox = parts.sandbox);
            rooted!(in(cx) let mut names_object = ptr::null_mut::<JSObject>());
            if !JS_GetPrototype(cx, global.handle().into(), names_object.handle_mut().into()) {
                return Err(Exc::pending());
            }
            // Every property that an object gets gives it another shape, which lives as long as it is in use.
            let shape = shape_of(sandbox.get());
            let mut seen = UndefinedValue();
            mozjs::glue::GetProxyReservedSlot(names_object.get(), SHAPE_SLOT, &mut seen);
            if seen.is_double() && seen.to_double().to_bits() == shape.to_double().to_bits() {
                return Ok(());
            }
            mozjs::glue::SetProxyReservedSlot(names_object.get(), SHAPE_SLOT, &shape);
            let _realm = mozjs::jsapi::JSAutoRealm::new(cx, global.get());
            for &name in &names.all {
                rooted!(in(cx) let id = name);
                let mut found = false;
                if !JS_HasPropertyById(cx, sandbox.handle().into(), id.handle().into(), &mut found) {
                    return Err(Exc::pending());
                }
                let mut fixed = false;
                if found && !uncover(cx, global.handle().into(), id.handle().into(), &mut fixed) {
                    return Err(Exc::pending());
                }
            }
        }
        Ok(())
    }

    /// To be called after code has run there.
    pub fn leave_contextified(&mut self, view: Local<'_>) -> JsResult<()> {
        if self.contextified(view).is_none() {
            return Ok(());
        }
        let names = self.language_names()?;
        let cx = self.cx;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(cx) let global = ToWindowIfWindowProxy(view.value().to_object()));
            rooted!(in(cx) let sandbox = parts_of_global(global.get()).sandbox);
            let _realm = mozjs::jsapi::JSAutoRealm::new(cx, global.get());
            for &(name, key) in &names.classes {
                rooted!(in(cx) let id = name);
                rooted!(in(cx) let mut value = UndefinedValue());
                let mut found = false;
                if !JS_AlreadyHasOwnPropertyById(cx, global.handle().into(), id.handle().into(), &mut found) {
                    return Err(Exc::pending());
                }
                if !found {
                    continue;
                }
                if !JS_GetPropertyById(cx, global.handle().into(), id.handle().into(), value.handle_mut().into()) {
                    return Err(Exc::pending());
                }
                rooted!(in(cx) let mut class = ptr::null_mut::<JSObject>());
                if !JS_GetClassObject(cx, key, class.handle_mut().into()) {
                    return Err(Exc::pending());
                }
                if class.is_null() || (value.get().is_object() && value.get().to_object() == class.get()) {
                    continue;
                }
                rooted!(in(cx) let original = ObjectValue(class.get()));
                // The language's own value goes to the side table, and what code has put in its place to the sandbox.
                let mut result = ObjectOpResult::default();
                rooted!(in(cx) let desc = assigned(original.get(), false));
                let mut fixed = false;
                if !NativeDefineProperty(
                    cx,
                    global.handle().into(),
                    id.handle().into(),
                    desc.handle().into(),
                    &mut result,
                ) || !uncover(cx, global.handle().into(), id.handle().into(), &mut fixed)
                    || !JS_SetPropertyById(cx, sandbox.handle().into(), id.handle().into(), value.handle().into())
                {
                    return Err(Exc::pending());
                }
            }
        }
        Ok(())
    }
}
