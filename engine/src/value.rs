//! Making, testing and converting values; properties and calls.

use std::ptr;

#[cfg(not(engine_overlay))]
use mozjs::jsapi::Call;
use mozjs::jsapi::{
    Construct, HandleValueArray, JS, JS_AtomizeStringN, JS_DefinePropertyById2, JS_DeletePropertyById,
    JS_GetClassObject, JS_GetElement, JS_GetPropertyById, JS_GetPrototype, JS_HasOwnPropertyById, JS_HasPropertyById,
    JS_IdToValue, JS_NewPlainObject, JS_ParseJSON1, JS_SetElement, JS_SetPropertyById, JS_SetPrototype, JS_ValueToId,
    JSContext, JSObject, JSProtoKey, NewArrayObject, ObjectOpResult, Value,
};
use mozjs::jsval::{BooleanValue, DoubleValue, Int32Value, NullValue, ObjectValue, StringValue, UndefinedValue};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

#[cfg(engine_overlay)]
unsafe extern "C" {
    /// JS::Call, by a shorter way into machine code (overlay/src/bao/Call.h).
    fn BaoCall(
        cx: *mut JSContext,
        this: JS::HandleValue,
        callee: JS::HandleValue,
        argc: usize,
        args: *const Value,
        out: JS::MutableHandleValue,
    ) -> bool;
}

/// Attributes of a defined property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyAttributes(u32);

impl PropertyAttributes {
    /// Writable, enumerable, configurable: as by assignment.
    pub const ALL: Self = PropertyAttributes(mozjs::jsapi::JSPROP_ENUMERATE as u32);
    /// Writable and configurable: as a method of a class.
    pub const HIDDEN: Self = PropertyAttributes(0);
    /// Nothing of these.
    pub const FIXED: Self = PropertyAttributes((mozjs::jsapi::JSPROP_READONLY | mozjs::jsapi::JSPROP_PERMANENT) as u32);
    /// Enumerable only.
    pub const CONSTANT: Self = PropertyAttributes(
        (mozjs::jsapi::JSPROP_ENUMERATE | mozjs::jsapi::JSPROP_READONLY | mozjs::jsapi::JSPROP_PERMANENT) as u32,
    );

    /// Any of them.
    pub const fn of(writable: bool, enumerable: bool, configurable: bool) -> Self {
        let mut flags = 0;
        if !writable {
            flags |= mozjs::jsapi::JSPROP_READONLY as u32;
        }
        if enumerable {
            flags |= mozjs::jsapi::JSPROP_ENUMERATE as u32;
        }
        if !configurable {
            flags |= mozjs::jsapi::JSPROP_PERMANENT as u32;
        }
        PropertyAttributes(flags)
    }

    pub(crate) fn flags(self) -> u32 {
        self.0
    }
}

/// The internal class of an object, independent of its prototype.
pub type ClassName = &'static str;

impl Local<'_> {
    #[inline]
    pub fn is_undefined(self) -> bool {
        self.value().is_undefined()
    }
    #[inline]
    pub fn is_null(self) -> bool {
        self.value().is_null()
    }
    #[inline]
    pub fn is_nullish(self) -> bool {
        self.value().is_null_or_undefined()
    }
    #[inline]
    pub fn is_boolean(self) -> bool {
        self.value().is_boolean()
    }
    #[inline]
    pub fn is_number(self) -> bool {
        self.value().is_number()
    }
    #[inline]
    pub fn is_string(self) -> bool {
        self.value().is_string()
    }
    pub fn is_symbol(self) -> bool {
        self.value().is_symbol()
    }
    pub fn is_bigint(self) -> bool {
        self.value().is_bigint()
    }
    #[inline]
    pub fn is_object(self) -> bool {
        self.value().is_object()
    }

    pub fn is_callable(self) -> bool {
        // SAFETY: the pointer is used at once and the test does not collect.
        self.value().is_object() && unsafe { JS::IsCallable(self.value().to_object()) }
    }

    /// The value if it is a boolean primitive.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        let value = self.value();
        value.is_boolean().then(|| value.to_boolean())
    }

    /// The value if it is a number primitive.
    #[inline]
    pub fn as_number(self) -> Option<f64> {
        let value = self.value();
        value.is_number().then(|| value.to_number())
    }

    /// JavaScript's ToBoolean.
    pub fn truthy(self) -> bool {
        // SAFETY: ToBoolean neither collects nor calls out.
        unsafe { mozjs::rust::ToBoolean(mozjs::rust::HandleValue::from_raw(self.handle())) }
    }

    /// Whether both are the same object or identical primitive bits (no number or string comparison).
    pub fn same(self, other: Local<'_>) -> bool {
        self.value().asBits_ == other.value().asBits_
    }

    #[inline]
    pub(crate) fn object(self) -> Option<*mut JSObject> {
        let value = self.value();
        value.is_object().then(|| value.to_object())
    }
}

impl<'s> Scope<'s> {
    #[inline]
    pub fn undefined(&mut self) -> Local<'s> {
        self.local(UndefinedValue())
    }
    #[inline]
    pub fn null(&mut self) -> Local<'s> {
        self.local(NullValue())
    }
    #[inline]
    pub fn boolean(&mut self, value: bool) -> Local<'s> {
        self.local(BooleanValue(value))
    }
    #[inline]
    pub fn number(&mut self, value: f64) -> Local<'s> {
        let int = value as i32;
        if f64::from(int).to_bits() == value.to_bits() {
            return self.local(Int32Value(int));
        }
        // A NaN with other bits would read as another kind of value.
        self.local(if value.is_nan() { DoubleValue(f64::NAN) } else { DoubleValue(value) })
    }
    #[inline]
    pub fn int(&mut self, value: i32) -> Local<'s> {
        self.local(Int32Value(value))
    }

    /// A BigInt of the same value.
    pub fn bigint_i64(&mut self, value: i64) -> JsResult<Local<'s>> {
        // SAFETY: the result is rooted at once.
        let big = unsafe { JS::detail::BigIntFromInt64(self.cx, value) };
        if big.is_null() {
            return Err(Exc::pending());
        }
        // SAFETY: a live BigInt.
        Ok(self.local(mozjs::jsval::BigIntValue(unsafe { &*big })))
    }

    /// A BigInt of the same value.
    pub fn bigint_u64(&mut self, value: u64) -> JsResult<Local<'s>> {
        // SAFETY: the result is rooted at once.
        let big = unsafe { JS::detail::BigIntFromUint64(self.cx, value) };
        if big.is_null() {
            return Err(Exc::pending());
        }
        // SAFETY: a live BigInt.
        Ok(self.local(mozjs::jsval::BigIntValue(unsafe { &*big })))
    }

    /// A copy of another local in this scope.
    pub fn copy(&mut self, value: Local<'_>) -> Local<'s> {
        self.local(value.value())
    }

    /// `{}`
    pub fn new_object(&mut self) -> JsResult<Local<'s>> {
        // SAFETY: rooted at once.
        let object = unsafe { JS_NewPlainObject(self.cx) };
        self.checked_object(object)
    }

    /// An array of the given values.
    pub fn new_array(&mut self, items: &[Local<'_>]) -> JsResult<Local<'s>> {
        let cx = self.cx;
        // SAFETY: the items are rooted as a sequence for the time of the call.
        unsafe {
            rooted!(in(cx) let roots = items.iter().map(|item| item.value()).collect::<Vec<Value>>());
            let array = HandleValueArray { length_: items.len(), elements_: (*roots).as_ptr() };
            let object = NewArrayObject(cx, &array);
            self.checked_object(object)
        }
    }

    pub(crate) fn checked_object(&mut self, object: *mut JSObject) -> JsResult<Local<'s>> {
        if object.is_null() {
            return Err(Exc::pending());
        }
        let local = self.local(ObjectValue(object));
        self.ctx().gc_stress();
        Ok(local)
    }

    /// The realm's original constructor of a standard class.
    pub(crate) fn class_object(&mut self, key: JSProtoKey) -> JsResult<Local<'s>> {
        // SAFETY: rooted out location.
        unsafe {
            rooted!(in(self.cx) let mut object = ptr::null_mut::<JSObject>());
            if !JS_GetClassObject(self.cx, key, object.handle_mut().into()) {
                return Err(Exc::pending());
            }
            Ok(self.local(ObjectValue(object.get())))
        }
    }

    /// `Symbol.toStringTag`
    pub(crate) fn string_tag(&mut self) -> Local<'s> {
        // SAFETY: well-known symbols are never collected.
        let symbol = unsafe { &*JS::GetWellKnownSymbol(self.cx, JS::SymbolCode::toStringTag) };
        self.local(mozjs::jsval::SymbolValue(symbol))
    }

    /// The global object of the current realm.
    pub fn global_object(&mut self) -> Local<'s> {
        // SAFETY: rooted at once.
        let global = unsafe { JS::CurrentGlobalOrNull(self.cx) };
        self.local_object(global)
    }

    pub(crate) fn with_id<R>(
        &mut self,
        name: &str,
        f: impl FnOnce(&mut Self, mozjs::jsapi::HandleId) -> JsResult<R>,
    ) -> JsResult<R> {
        if !name.is_ascii() {
            let key = self.string(name)?;
            return self.with_key(key, f);
        }
        // SAFETY: the atom becomes a rooted id at once; an atom's id is the atom itself.
        unsafe {
            let atom = JS_AtomizeStringN(self.cx, name.as_ptr().cast(), name.len());
            if atom.is_null() {
                return Err(Exc::pending());
            }
            rooted!(in(self.cx) let key = StringValue(&*atom));
            rooted!(in(self.cx) let mut id: mozjs::jsapi::jsid);
            if !JS_ValueToId(self.cx, key.handle().into(), id.handle_mut().into()) {
                return Err(Exc::pending());
            }
            self.ctx().gc_stress();
            f(self, id.handle().into())
        }
    }

    pub(crate) fn with_key<R>(
        &mut self,
        key: Local<'_>,
        f: impl FnOnce(&mut Self, mozjs::jsapi::HandleId) -> JsResult<R>,
    ) -> JsResult<R> {
        // SAFETY: rooted id.
        unsafe {
            rooted!(in(self.cx) let mut id: mozjs::jsapi::jsid);
            if !JS_ValueToId(self.cx, key.handle(), id.handle_mut().into()) {
                return Err(Exc::pending());
            }
            self.ctx().gc_stress();
            f(self, id.handle().into())
        }
    }

    pub(crate) fn expect_object(&mut self, value: Local<'_>) -> JsResult<*mut JSObject> {
        match value.object() {
            Some(object) => Ok(object),
            None => Err(self.throw_type_error("value is not an object")),
        }
    }

    fn get_id(&mut self, object: Local<'_>, id: mozjs::jsapi::HandleId) -> JsResult<Local<'s>> {
        let raw = self.expect_object(object)?;
        let out = self.undefined();
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            if !JS_GetPropertyById(self.cx, raw.handle().into(), id, Scope::out(out)) {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }

    /// `object[name]`
    pub fn get(&mut self, object: Local<'_>, name: &str) -> JsResult<Local<'s>> {
        self.with_id(name, |scope, id| scope.get_id(object, id))
    }

    /// `object[key]` with any key.
    pub fn get_value(&mut self, object: Local<'_>, key: Local<'_>) -> JsResult<Local<'s>> {
        self.with_key(key, |scope, id| scope.get_id(object, id))
    }

    fn set_id(&mut self, object: Local<'_>, id: mozjs::jsapi::HandleId, value: Local<'_>) -> JsResult<()> {
        let raw = self.expect_object(object)?;
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            if !JS_SetPropertyById(self.cx, raw.handle().into(), id, value.handle()) {
                return Err(Exc::pending());
            }
        }
        Ok(())
    }

    /// `object[name] = value`
    pub fn set(&mut self, object: Local<'_>, name: &str, value: Local<'_>) -> JsResult<()> {
        self.with_id(name, |scope, id| scope.set_id(object, id, value))
    }

    /// `object[key] = value` with any key.
    pub fn set_value(&mut self, object: Local<'_>, key: Local<'_>, value: Local<'_>) -> JsResult<()> {
        self.with_key(key, |scope, id| scope.set_id(object, id, value))
    }

    /// Defines an own data property.
    pub fn define(
        &mut self,
        object: Local<'_>,
        name: &str,
        value: Local<'_>,
        attributes: PropertyAttributes,
    ) -> JsResult<()> {
        self.with_id(name, |scope, id| {
            // After the name was made an atom: that can collect, and the object can move.
            let raw = scope.expect_object(object)?;
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                if !JS_DefinePropertyById2(scope.cx, raw.handle().into(), id, value.handle(), attributes.0) {
                    return Err(Exc::pending());
                }
            }
            Ok(())
        })
    }

    /// Defines an own accessor property, configurable and not enumerable.
    pub fn define_accessor(
        &mut self,
        object: Local<'_>,
        name: &str,
        getter: Local<'_>,
        setter: Local<'_>,
    ) -> JsResult<()> {
        self.with_id(name, |scope, id| {
            let raw = scope.expect_object(object)?;
            let getter = scope.expect_object(getter)?;
            let setter = scope.expect_object(setter)?;
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                rooted!(in(scope.cx) let getter = getter);
                rooted!(in(scope.cx) let setter = setter);
                if !mozjs::jsapi::JS_DefinePropertyById4(
                    scope.cx,
                    raw.handle().into(),
                    id,
                    getter.handle().into(),
                    setter.handle().into(),
                    0,
                ) {
                    return Err(Exc::pending());
                }
            }
            Ok(())
        })
    }

    /// `name in object`
    pub fn has(&mut self, object: Local<'_>, name: &str) -> JsResult<bool> {
        self.with_id(name, |scope, id| {
            // After the name was made an atom: that can collect, and the object can move.
            let raw = scope.expect_object(object)?;
            let mut found = false;
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                if !JS_HasPropertyById(scope.cx, raw.handle().into(), id, &mut found) {
                    return Err(Exc::pending());
                }
            }
            Ok(found)
        })
    }

    /// `Object.hasOwn(object, name)`
    pub fn has_own(&mut self, object: Local<'_>, name: &str) -> JsResult<bool> {
        self.with_id(name, |scope, id| {
            // After the name was made an atom: that can collect, and the object can move.
            let raw = scope.expect_object(object)?;
            let mut found = false;
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                if !JS_HasOwnPropertyById(scope.cx, raw.handle().into(), id, &mut found) {
                    return Err(Exc::pending());
                }
            }
            Ok(found)
        })
    }

    /// `delete object[name]`; false where the property cannot be deleted.
    pub fn delete(&mut self, object: Local<'_>, name: &str) -> JsResult<bool> {
        self.with_id(name, |scope, id| {
            // After the name was made an atom: that can collect, and the object can move.
            let raw = scope.expect_object(object)?;
            let mut result = ObjectOpResult { code_: 0 };
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                if !JS_DeletePropertyById(scope.cx, raw.handle().into(), id, &mut result) {
                    return Err(Exc::pending());
                }
            }
            Ok(result.code_ == 0)
        })
    }

    /// `object[index]`
    pub fn get_index(&mut self, object: Local<'_>, index: u32) -> JsResult<Local<'s>> {
        let raw = self.expect_object(object)?;
        let out = self.undefined();
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            if !JS_GetElement(self.cx, raw.handle().into(), index, Scope::out(out)) {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }

    /// `object[index] = value`
    pub fn set_index(&mut self, object: Local<'_>, index: u32, value: Local<'_>) -> JsResult<()> {
        let raw = self.expect_object(object)?;
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            if !JS_SetElement(self.cx, raw.handle().into(), index, value.handle()) {
                return Err(Exc::pending());
            }
        }
        Ok(())
    }

    /// The length of an array; 0 for anything else.
    pub fn array_length(&mut self, value: Local<'_>) -> JsResult<u32> {
        let Some(raw) = value.object() else { return Ok(0) };
        let mut length = 0;
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            let mut is_array = false;
            if !JS::IsArrayObject1(self.cx, raw.handle().into(), &mut is_array) {
                return Err(Exc::pending());
            }
            if is_array && !JS::GetArrayLength(self.cx, raw.handle().into(), &mut length) {
                return Err(Exc::pending());
            }
        }
        Ok(length)
    }

    /// The prototype of an object, or null.
    pub fn prototype_of(&mut self, object: Local<'_>) -> JsResult<Local<'s>> {
        let raw = self.expect_object(object)?;
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            rooted!(in(self.cx) let mut proto = ptr::null_mut::<JSObject>());
            if !JS_GetPrototype(self.cx, raw.handle().into(), proto.handle_mut().into()) {
                return Err(Exc::pending());
            }
            Ok(self.local_object(proto.get()))
        }
    }

    /// Sets the prototype of an object.
    pub fn set_prototype(&mut self, object: Local<'_>, prototype: Local<'_>) -> JsResult<()> {
        let raw = self.expect_object(object)?;
        let proto = prototype.object().unwrap_or(ptr::null_mut());
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            rooted!(in(self.cx) let proto = proto);
            if !JS_SetPrototype(self.cx, raw.handle().into(), proto.handle().into()) {
                return Err(Exc::pending());
            }
        }
        Ok(())
    }

    /// Calls `function` with `this` and `args`.
    pub fn call(&mut self, function: Local<'_>, this: Local<'_>, args: &[Local<'_>]) -> JsResult<Local<'s>> {
        let out = self.undefined();
        self.with_args(args, |scope, array| {
            // SAFETY: all handles rooted; the array lies on the handle stack.
            unsafe { scope.call_at(this, function, array.length_, array.elements_, out) }
        })?;
        Ok(out)
    }

    /// Calls `function`; the result goes to the slot of `out`. False if it has thrown.
    ///
    /// # Safety
    /// `count` values lie at `args`, rooted or nothing to the collector.
    pub(crate) unsafe fn call_at(
        &mut self,
        this: Local<'_>,
        function: Local<'_>,
        count: usize,
        args: *const Value,
        out: Local<'_>,
    ) -> bool {
        #[cfg(engine_overlay)]
        // SAFETY: the caller's; all handles are rooted.
        unsafe {
            BaoCall(self.cx, this.handle(), function.handle(), count, args, Scope::out(out))
        }
        #[cfg(not(engine_overlay))]
        // SAFETY: as above.
        unsafe {
            let array = HandleValueArray { length_: count, elements_: args };
            Call(self.cx, this.handle(), function.handle(), &array, Scope::out(out))
        }
    }

    /// Calls `function` with undefined as `this`.
    pub fn call_function(&mut self, function: Local<'_>, args: &[Local<'_>]) -> JsResult<Local<'s>> {
        let this = self.undefined();
        self.call(function, this, args)
    }

    /// `new constructor(...args)`
    pub fn construct(&mut self, constructor: Local<'_>, args: &[Local<'_>]) -> JsResult<Local<'s>> {
        let raw = self.expect_object(constructor)?;
        let out = self.undefined();
        let cx = self.cx;
        // SAFETY: all handles rooted.
        unsafe {
            rooted!(in(cx) let target = raw);
            rooted!(in(cx) let mut object = ptr::null_mut::<JSObject>());
            self.with_args(args, |scope, array| {
                Construct(scope.cx, constructor.handle(), target.handle().into(), array, object.handle_mut().into())
            })?;
            *Scope::out(out).ptr = ObjectValue(object.get());
        }
        Ok(out)
    }

    /// Lays out arguments as a contiguous rooted array for the time of a call.
    fn with_args(
        &mut self,
        args: &[Local<'_>],
        call: impl FnOnce(&mut Self, &HandleValueArray) -> bool,
    ) -> JsResult<()> {
        if let [only] = args {
            let array = HandleValueArray { length_: 1, elements_: only.handle().ptr };
            return if call(self, &array) { Ok(()) } else { Err(Exc::pending()) };
        }
        let height = self.ctx().handles.height();
        let ok = match self.ctx().handles.push_run(args) {
            Some(elements_) => call(self, &HandleValueArray { length_: args.len(), elements_ }),
            None => {
                rooted!(in(self.cx) let roots = args.iter().map(|arg| arg.value()).collect::<Vec<Value>>());
                let array = HandleValueArray { length_: args.len(), elements_: (*roots).as_ptr() };
                call(self, &array)
            }
        };
        // Inner scopes have ended; nothing above our run is live, and the result lies below it.
        self.ctx().handles.cut(height);
        if ok { Ok(()) } else { Err(Exc::pending()) }
    }

    /// Own enumerable and non-enumerable string keys of an object (no symbols).
    pub fn own_keys(&mut self, object: Local<'_>, only_enumerable: bool) -> JsResult<Vec<String>> {
        let raw = self.expect_object(object)?;
        let mut flags = mozjs::jsapi::JSITER_OWNONLY;
        if !only_enumerable {
            flags |= mozjs::jsapi::JSITER_HIDDEN;
        }
        // SAFETY: the id vector roots its content; each id becomes a rooted value before use.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            let vector = mozjs::glue::CreateRootedIdVector(self.cx);
            let ids = JS::MutableHandleIdVector { ptr: mozjs::glue::GetIdVectorAddress(vector) };
            let result = if mozjs::jsapi::GetPropertyKeys(self.cx, raw.handle().into(), flags, ids) {
                let mut length = 0;
                let start = mozjs::glue::SliceRootedIdVector(vector, &mut length);
                let mut keys = Vec::with_capacity(length);
                let mut failed = false;
                for index in 0..length {
                    rooted!(in(self.cx) let id = *start.add(index));
                    rooted!(in(self.cx) let mut key = UndefinedValue());
                    if !JS_IdToValue(self.cx, id.get(), key.handle_mut().into()) {
                        failed = true;
                        break;
                    }
                    let key = self.local(key.get());
                    match self.to_string(key) {
                        Ok(text) => keys.push(text),
                        Err(_) => {
                            failed = true;
                            break;
                        }
                    }
                }
                if failed { Err(Exc::pending()) } else { Ok(keys) }
            } else {
                Err(Exc::pending())
            };
            mozjs::glue::DestroyRootedIdVector(vector);
            result
        }
    }

    /// Own keys of an object that are no array indices, symbols included, as an array.
    pub fn own_non_index_keys(&mut self, object: Local<'_>, only_enumerable: bool) -> JsResult<Local<'s>> {
        let mut flags = mozjs::jsapi::JSITER_OWNONLY | mozjs::jsapi::JSITER_SYMBOLS;
        if !only_enumerable {
            flags |= mozjs::jsapi::JSITER_HIDDEN;
        }
        let out = self.new_array(&[])?;
        if only_enumerable && self.has_only_elements(object)? {
            return Ok(out);
        }
        let raw = self.expect_object(object)?;
        let mut count = 0;
        // SAFETY: the id vector roots its content; each id becomes a rooted value before use.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            let vector = mozjs::glue::CreateRootedIdVector(self.cx);
            let ids = JS::MutableHandleIdVector { ptr: mozjs::glue::GetIdVectorAddress(vector) };
            let mut result = Ok(());
            if mozjs::jsapi::GetPropertyKeys(self.cx, raw.handle().into(), flags, ids) {
                let mut length = 0;
                mozjs::glue::SliceRootedIdVector(vector, &mut length);
                for index in 0..length {
                    let mut ignored = 0;
                    let start = mozjs::glue::SliceRootedIdVector(vector, &mut ignored);
                    rooted!(in(self.cx) let id = *start.add(index));
                    if id.get().is_int() {
                        continue;
                    }
                    let key = self.undefined();
                    if !JS_IdToValue(self.cx, id.get(), Scope::out(key)) {
                        result = Err(Exc::pending());
                        break;
                    }
                    result = self.set_index(out, count, key);
                    if result.is_err() {
                        break;
                    }
                    count += 1;
                }
            } else {
                result = Err(Exc::pending());
            }
            mozjs::glue::DestroyRootedIdVector(vector);
            result.map(|()| out)
        }
    }

    /// JavaScript's ToNumber.
    pub fn to_number(&mut self, value: Local<'_>) -> JsResult<f64> {
        if let Some(number) = value.as_number() {
            return Ok(number);
        }
        let mut out = 0.0;
        // SAFETY: rooted handle.
        if unsafe { mozjs::jsapi::ToNumberSlow(self.cx, value.handle(), &mut out) } {
            Ok(out)
        } else {
            Err(Exc::pending())
        }
    }

    /// `JSON.parse(text)`
    pub fn parse_json(&mut self, text: Local<'_>) -> JsResult<Local<'s>> {
        let out = self.undefined();
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let string = text.value().to_string());
            if !JS_ParseJSON1(self.cx, string.handle().into(), Scope::out(out)) {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }
}
