//! The names: the prototype of a contextified realm's global object, where code finds the sandbox's properties.

use std::ptr;

use mozjs::glue::ProxyTraps;
use mozjs::jsapi::js::detail::ToWindowProxyIfWindowSlow;
use mozjs::jsapi::{
    GetPropertyKeys, HandleId, HandleObject, HandleValue, JS_ForwardGetPropertyTo, JS_ForwardSetPropertyTo,
    JS_GetOwnPropertyDescriptorById, JS_GetPropertyById, JS_HasPropertyById, JSContext as RawContext, JSObject,
    MutableHandle, MutableHandleIdVector, MutableHandleObject, MutableHandleValue, ObjectOpResult, PropertyDescriptor,
};
use mozjs::jsval::{ObjectValue, UndefinedValue};
use mozjs::rooted;

use super::{
    NO_TRAPS, OWN_KEYS, extensible, not_sealed, own_name, parts_of_proxy, proxy_define, proxy_delete, sandbox_get,
    sandbox_has,
};

pub(super) unsafe extern "C" fn names_own_descriptor(
    cx: *mut RawContext,
    proxy: HandleObject,
    id: HandleId,
    desc: MutableHandle<PropertyDescriptor>,
    none: *mut bool,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_proxy(proxy);
        rooted!(in(cx) let sandbox = parts.sandbox);
        rooted!(in(cx) let own_names = parts.own_names);
        if !JS_GetOwnPropertyDescriptorById(cx, sandbox.handle().into(), id, desc, none) {
            return false;
        }
        !*none || own_names.is_null() || JS_GetOwnPropertyDescriptorById(cx, own_names.handle().into(), id, desc, none)
    }
}

unsafe extern "C" fn names_own_keys(cx: *mut RawContext, proxy: HandleObject, keys: MutableHandleIdVector) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        rooted!(in(cx) let sandbox = parts_of_proxy(proxy).sandbox);
        GetPropertyKeys(cx, sandbox.handle().into(), OWN_KEYS, keys)
    }
}

unsafe extern "C" fn names_prototype(
    cx: *mut RawContext,
    proxy: HandleObject,
    ordinary: *mut bool,
    out: MutableHandleObject,
) -> bool {
    // SAFETY: engine callback; the prototype of the names never changes.
    unsafe {
        *ordinary = true;
        *out.ptr = below(cx, proxy);
    }
    true
}

/// What is asked after the sandbox and the language's names: kept as the first reserved slot of the names.
pub(super) unsafe fn below(_cx: *mut RawContext, names: HandleObject) -> *mut JSObject {
    let mut value = UndefinedValue();
    // SAFETY: proxies have reserved slots; ours holds an object or null.
    unsafe { mozjs::glue::GetProxyReservedSlot(*names.ptr, 0, &mut value) };
    if value.is_object() { value.to_object() } else { ptr::null_mut() }
}

unsafe extern "C" fn names_has(cx: *mut RawContext, proxy: HandleObject, id: HandleId, found: *mut bool) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_proxy(proxy);
        rooted!(in(cx) let sandbox = parts.sandbox);
        rooted!(in(cx) let own_names = parts.own_names);
        rooted!(in(cx) let below = below(cx, proxy));
        let found = &mut *found;
        if !sandbox_has(cx, sandbox.handle().into(), parts.proxied, id, found) {
            return false;
        }
        if *found {
            return true;
        }
        if !own_name(cx, own_names.handle().into(), id, found) {
            return false;
        }
        *found || below.is_null() || JS_HasPropertyById(cx, below.handle().into(), id, found)
    }
}

unsafe extern "C" fn names_get(
    cx: *mut RawContext,
    proxy: HandleObject,
    receiver: HandleValue,
    id: HandleId,
    out: MutableHandleValue,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_proxy(proxy);
        rooted!(in(cx) let sandbox = parts.sandbox);
        rooted!(in(cx) let own_names = parts.own_names);
        rooted!(in(cx) let below = below(cx, proxy));
        rooted!(in(cx) let global = parts.global);
        let mut found = false;
        if !sandbox_get(cx, sandbox.handle().into(), parts.proxied, id, out, &mut found) {
            return false;
        }
        if found {
            // A program that puts its object into itself (`window`) means the global one.
            if (*out.ptr).is_object() && (*out.ptr).to_object() == sandbox.get() {
                *out.ptr = ObjectValue(ToWindowProxyIfWindowSlow(global.get()));
            }
            return true;
        }
        if !own_name(cx, own_names.handle().into(), id, &mut found) {
            return false;
        }
        if found {
            return JS_GetPropertyById(cx, own_names.handle().into(), id, out);
        }
        *out.ptr = UndefinedValue();
        below.is_null() || JS_ForwardGetPropertyTo(cx, below.handle().into(), id, receiver, out)
    }
}

/// Assignment to a name that [`names_has`] has found.
unsafe extern "C" fn names_set(
    cx: *mut RawContext,
    proxy: HandleObject,
    id: HandleId,
    value: HandleValue,
    receiver: HandleValue,
    result: *mut ObjectOpResult,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_proxy(proxy);
        rooted!(in(cx) let sandbox = parts.sandbox);
        rooted!(in(cx) let own_names = parts.own_names);
        rooted!(in(cx) let below = below(cx, proxy));
        let mut found = false;
        if !sandbox_has(cx, sandbox.handle().into(), parts.proxied, id, &mut found) {
            return false;
        }
        if !found && !own_name(cx, own_names.handle().into(), id, &mut found) {
            return false;
        }
        if found || below.is_null() {
            rooted!(in(cx) let this = ObjectValue(sandbox.get()));
            return JS_ForwardSetPropertyTo(cx, sandbox.handle().into(), id, value, this.handle().into(), result);
        }
        JS_ForwardSetPropertyTo(cx, below.handle().into(), id, value, receiver, result)
    }
}

pub(super) static NAMES: ProxyTraps = ProxyTraps {
    getOwnPropertyDescriptor: Some(names_own_descriptor),
    defineProperty: Some(proxy_define),
    ownPropertyKeys: Some(names_own_keys),
    delete_: Some(proxy_delete),
    getPrototypeIfOrdinary: Some(names_prototype),
    preventExtensions: Some(not_sealed),
    isExtensible: Some(extensible),
    has: Some(names_has),
    get: Some(names_get),
    set: Some(names_set),
    ..NO_TRAPS
};
