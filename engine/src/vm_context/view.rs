//! The view: `this` and `globalThis` of a contextified realm.

use std::collections::HashSet;
use std::ptr;

use mozjs::glue::{
    AppendToIdVector, CreateRootedIdVector, DestroyRootedIdVector, GetIdVectorAddress, ProxyTraps, SliceRootedIdVector,
};
use mozjs::jsapi::{
    GetPropertyKeys, HandleId, HandleObject, HandleValue, JS_DefinePropertyById2, JS_ForwardGetPropertyTo,
    JS_ForwardSetPropertyTo, JS_GetOwnPropertyDescriptorById, JS_GetPrototype, JS_HasPropertyById, JS_IsExtensible,
    JSContext as RawContext, JSErrNum, JSObject, JSPROP_ENUMERATE, MutableHandle, MutableHandleIdVector,
    MutableHandleObject, MutableHandleValue, ObjectOpResult, PropertyDescriptor, jsid,
};
use mozjs::jsval::ObjectValue;
use mozjs::rooted;

use super::names::{below, names_own_descriptor};
use super::{
    NO_TRAPS, OWN_KEYS, assigned, extensible, fail, not_sealed, parts_of_proxy, proxy_define, proxy_delete,
    sandbox_has, succeed, uncover,
};
use crate::bindings::NativeDefineProperty;

unsafe extern "C" fn view_own_descriptor(
    cx: *mut RawContext,
    proxy: HandleObject,
    id: HandleId,
    desc: MutableHandle<PropertyDescriptor>,
    none: *mut bool,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        rooted!(in(cx) let global = parts_of_proxy(proxy).global);
        if !names_own_descriptor(cx, proxy, id, desc, none) {
            return false;
        }
        !*none || JS_GetOwnPropertyDescriptorById(cx, global.handle().into(), id, desc, none)
    }
}

unsafe extern "C" fn view_has_own(cx: *mut RawContext, proxy: HandleObject, id: HandleId, found: *mut bool) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        rooted!(in(cx) let mut desc = PropertyDescriptor::default());
        let mut none = true;
        if !view_own_descriptor(cx, proxy, id, desc.handle_mut().into(), &mut none) {
            return false;
        }
        *found = !none;
        true
    }
}

unsafe extern "C" fn view_has(cx: *mut RawContext, proxy: HandleObject, id: HandleId, found: *mut bool) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let parts = parts_of_proxy(proxy);
        if parts.proxied {
            rooted!(in(cx) let global = parts.global);
            return JS_HasPropertyById(cx, global.handle().into(), id, found);
        }
        // As in V8, `in` does not see what the sandbox inherits, though reading does.
        if !view_has_own(cx, proxy, id, found) {
            return false;
        }
        if *found {
            return true;
        }
        rooted!(in(cx) let mut proto = ptr::null_mut::<JSObject>());
        view_prototype(cx, proxy, proto.handle_mut().into())
            && (proto.is_null() || JS_HasPropertyById(cx, proto.handle().into(), id, &mut *found))
    }
}

unsafe extern "C" fn view_get(
    cx: *mut RawContext,
    proxy: HandleObject,
    receiver: HandleValue,
    id: HandleId,
    out: MutableHandleValue,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        rooted!(in(cx) let global = parts_of_proxy(proxy).global);
        JS_ForwardGetPropertyTo(cx, global.handle().into(), id, receiver, out)
    }
}

unsafe extern "C" fn view_set(
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
        rooted!(in(cx) let global = parts.global);
        rooted!(in(cx) let sandbox = parts.sandbox);
        if !(*receiver.ptr).is_object() {
            return fail(result, JSErrNum::JSMSG_SET_NON_OBJECT_RECEIVER);
        }
        rooted!(in(cx) let target = (*receiver.ptr).to_object());
        if target.get() != *proxy.ptr {
            // An object that inherits from the view.
            if !JS_DefinePropertyById2(cx, target.handle().into(), id, value, u32::from(JSPROP_ENUMERATE)) {
                return false;
            }
            return succeed(result);
        }
        let mut found = false;
        if !sandbox_has(cx, sandbox.handle().into(), parts.proxied, id, &mut found) {
            return false;
        }
        if !found {
            // As in V8, what code puts there under a symbol stays inside.
            let mut extensible = true;
            if !(*id.ptr).is_symbol() && !JS_IsExtensible(cx, sandbox.handle().into(), &mut extensible) {
                return false;
            }
            if (*id.ptr).is_symbol() || !extensible {
                rooted!(in(cx) let desc = assigned(*value.ptr, true));
                return NativeDefineProperty(cx, global.handle().into(), id, desc.handle().into(), result);
            }
            let mut fixed = false;
            if !uncover(cx, global.handle().into(), id, &mut fixed) {
                return false;
            }
            if fixed {
                return fail(result, JSErrNum::JSMSG_READ_ONLY);
            }
        }
        rooted!(in(cx) let this = ObjectValue(sandbox.get()));
        JS_ForwardSetPropertyTo(cx, sandbox.handle().into(), id, value, this.handle().into(), result)
    }
}

/// A list of keys for the time of one call.
struct Keys(*mut mozjs::jsapi::PersistentRootedIdVector);

impl Keys {
    unsafe fn new(cx: *mut RawContext) -> Keys {
        // SAFETY: on the context's thread; freed by `drop`.
        Keys(unsafe { CreateRootedIdVector(cx) })
    }

    fn handle(&self) -> MutableHandleIdVector {
        // SAFETY: a live vector.
        MutableHandleIdVector { ptr: unsafe { GetIdVectorAddress(self.0) } }
    }

    /// The ids as they are now. Atoms and symbols of property keys do not move.
    fn get(&self) -> &[jsid] {
        let mut length = 0;
        // SAFETY: a live vector.
        unsafe {
            let start = SliceRootedIdVector(self.0, &mut length);
            if length == 0 { &[] } else { std::slice::from_raw_parts(start, length) }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        unsafe { DestroyRootedIdVector(self.0) };
    }
}

unsafe fn view_keys(cx: *mut RawContext, proxy: HandleObject, out: MutableHandleIdVector, enumerable: bool) -> bool {
    // SAFETY: engine callback with rooted handles; the vectors root what they hold.
    unsafe {
        let parts = parts_of_proxy(proxy);
        rooted!(in(cx) let global = parts.global);
        rooted!(in(cx) let sandbox = parts.sandbox);
        rooted!(in(cx) let own_names = parts.own_names);
        let keys = Keys::new(cx);
        if !GetPropertyKeys(cx, sandbox.handle().into(), OWN_KEYS, keys.handle())
            || !GetPropertyKeys(cx, global.handle().into(), OWN_KEYS, keys.handle())
            || !(own_names.is_null() || GetPropertyKeys(cx, own_names.handle().into(), OWN_KEYS, keys.handle()))
        {
            return false;
        }
        let mut seen = HashSet::new();
        for index in 0..keys.get().len() {
            rooted!(in(cx) let id = keys.get()[index]);
            if !seen.insert(id.get().asBits_) {
                continue;
            }
            if enumerable {
                if id.get().is_symbol() {
                    continue;
                }
                rooted!(in(cx) let mut desc = PropertyDescriptor::default());
                let mut none = true;
                let handle = id.handle().into();
                if !view_own_descriptor(cx, proxy, handle, desc.handle_mut().into(), &mut none) {
                    return false;
                }
                if none || !desc.enumerable_() {
                    continue;
                }
            }
            if !AppendToIdVector(out, id.handle().into()) {
                return false;
            }
        }
        true
    }
}

unsafe extern "C" fn view_own_keys(cx: *mut RawContext, proxy: HandleObject, keys: MutableHandleIdVector) -> bool {
    // SAFETY: engine callback.
    unsafe { view_keys(cx, proxy, keys, false) }
}

unsafe extern "C" fn view_enumerable_keys(
    cx: *mut RawContext,
    proxy: HandleObject,
    keys: MutableHandleIdVector,
) -> bool {
    // SAFETY: engine callback.
    unsafe { view_keys(cx, proxy, keys, true) }
}

/// For `for`-`in`.
unsafe extern "C" fn view_enumerate(cx: *mut RawContext, proxy: HandleObject, keys: MutableHandleIdVector) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        if !view_keys(cx, proxy, keys, true) {
            return false;
        }
        rooted!(in(cx) let mut proto = ptr::null_mut::<JSObject>());
        view_prototype(cx, proxy, proto.handle_mut().into())
            && (proto.is_null() || GetPropertyKeys(cx, proto.handle().into(), 0, keys))
    }
}

/// The names do not show.
unsafe extern "C" fn view_prototype(cx: *mut RawContext, proxy: HandleObject, out: MutableHandleObject) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        rooted!(in(cx) let global = parts_of_proxy(proxy).global);
        rooted!(in(cx) let mut names = ptr::null_mut::<JSObject>());
        if !JS_GetPrototype(cx, global.handle().into(), names.handle_mut().into()) {
            return false;
        }
        *out.ptr = below(cx, names.handle().into());
        true
    }
}

unsafe extern "C" fn view_set_prototype(
    cx: *mut RawContext,
    proxy: HandleObject,
    proto: HandleObject,
    result: *mut ObjectOpResult,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        rooted!(in(cx) let global = parts_of_proxy(proxy).global);
        rooted!(in(cx) let mut names = ptr::null_mut::<JSObject>());
        if !JS_GetPrototype(cx, global.handle().into(), names.handle_mut().into()) {
            return false;
        }
        let value = if (*proto.ptr).is_null() { mozjs::jsval::NullValue() } else { ObjectValue(*proto.ptr) };
        mozjs::glue::SetProxyReservedSlot(names.get(), 0, &value);
        succeed(result)
    }
}

pub(super) static VIEW: ProxyTraps = ProxyTraps {
    getOwnPropertyDescriptor: Some(view_own_descriptor),
    defineProperty: Some(proxy_define),
    ownPropertyKeys: Some(view_own_keys),
    delete_: Some(proxy_delete),
    enumerate: Some(view_enumerate),
    getPrototype: Some(view_prototype),
    setPrototype: Some(view_set_prototype),
    preventExtensions: Some(not_sealed),
    isExtensible: Some(extensible),
    has: Some(view_has),
    get: Some(view_get),
    set: Some(view_set),
    hasOwn: Some(view_has_own),
    getOwnEnumerablePropertyKeys: Some(view_enumerable_keys),
    ..NO_TRAPS
};
