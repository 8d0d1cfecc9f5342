//! Objects with a word of foreign code in them: instances of foreign classes, external values, and the marks that any
//! other object can be given without a trace that a program could see.

use std::ffi::c_void;
use std::ptr;

use mozjs::jsapi::{
    JS, JS_DefinePropertyById2, JS_DefinePropertyById4, JS_FreezeObject, JS_HasOwnPropertyById, JS_HasPropertyById,
    JS_IdToValue, JS_NewObject, JS_NewObjectWithGivenProto, JS_SetReservedSlot, JSObject, ObjectOpResult,
};
use mozjs::jsval::{Int32Value, ObjectValue, UndefinedValue};
use mozjs::rooted;

use super::functions::{StaticClass, plain_class, set_word, slot, word};
use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::value::PropertyAttributes;

/// Object with marks of its own; for instances and externals, so that the usual way is two loads.
const MARKS_SLOT: u32 = 0;
pub(super) const CLASS_SLOT: u32 = 1;
const DATA_SLOT: u32 = 1;

/// Instances of foreign classes: marks, class.
pub(super) static INSTANCE: StaticClass = plain_class(c"Object", 2);
/// External values: marks, and the word in two halves.
pub(super) static EXTERNAL: StaticClass = plain_class(c"External", 3);
/// Marks: two halves of the wrapped word, whether there is one, whether there is a tag, the tag in four parts.
static MARKS: StaticClass = plain_class(c"Object", 8);
const WRAP: u32 = 0;
const HAS_WRAP: u32 = 2;
const HAS_TAG: u32 = 3;
const TAG: u32 = 4;

/// A number of 128 bits that says of what type an object's word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeTag {
    pub lower: u64,
    pub upper: u64,
}

impl TypeTag {
    fn parts(self) -> [i32; 4] {
        [self.lower as i32, (self.lower >> 32) as i32, self.upper as i32, (self.upper >> 32) as i32]
    }
}

/// Which keys [`Scope::property_keys`] gives.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    /// Those of prototypes as well.
    pub inherited: bool,
    pub strings: bool,
    pub symbols: bool,
    /// Only properties that are writable, enumerable, configurable.
    pub writable: bool,
    pub enumerable: bool,
    pub configurable: bool,
    /// Indices as strings instead of numbers.
    pub index_strings: bool,
}

fn class_is(object: *mut JSObject, class: &StaticClass) -> bool {
    // SAFETY: a live object.
    unsafe { ptr::eq(mozjs::rust::get_object_class(object), &class.0) }
}

/// Whether an object is an external value.
pub(crate) fn is_external(object: *mut JSObject) -> bool {
    class_is(object, &EXTERNAL)
}

impl<'s> Scope<'s> {
    /// An object without prototype or properties that holds a word.
    pub fn new_external(&mut self, data: *mut c_void) -> JsResult<Local<'s>> {
        // SAFETY: rooted at once; the class has these slots.
        unsafe {
            let object = JS_NewObjectWithGivenProto(self.cx, &EXTERNAL.0, JS::HandleObject::null());
            let object = self.checked_object(object)?;
            set_word(object.value().to_object(), DATA_SLOT, data.expose_provenance());
            Ok(object)
        }
    }

    /// The word of an external value; `None` for other values.
    #[inline]
    pub fn external_data(&self, value: Local<'_>) -> Option<*mut c_void> {
        let object = value.object()?;
        // SAFETY: a live object of that class.
        class_is(object, &EXTERNAL).then(|| unsafe { word(object, DATA_SLOT) })
    }

    /// The marks of an object, if it has any.
    fn marks(&mut self, object: Local<'_>) -> JsResult<Option<*mut JSObject>> {
        let Some(raw) = object.object() else { return Ok(None) };
        if class_is(raw, &INSTANCE) || class_is(raw, &EXTERNAL) {
            // SAFETY: both classes have the slot.
            let marks = unsafe { slot(raw, MARKS_SLOT) };
            return Ok(marks.is_object().then(|| marks.to_object()));
        }
        let table = self.ctx().marks.get();
        if !table.is_object() {
            return Ok(None);
        }
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let table = table.to_object());
            rooted!(in(self.cx) let mut marks = UndefinedValue());
            if !JS::GetWeakMapEntry(self.cx, table.handle().into(), object.handle(), marks.handle_mut().into()) {
                return Err(Exc::pending());
            }
            Ok(marks.get().is_object().then(|| marks.get().to_object()))
        }
    }

    /// The same, made where there are none.
    fn own_marks(&mut self, object: Local<'_>) -> JsResult<*mut JSObject> {
        if let Some(marks) = self.marks(object)? {
            return Ok(marks);
        }
        // SAFETY: rooted at once; the class has these slots. All handles rooted.
        unsafe {
            let marks = JS_NewObject(self.cx, &MARKS.0);
            let marks = self.checked_object(marks)?;
            let raw = self.expect_object(object)?;
            if class_is(raw, &INSTANCE) || class_is(raw, &EXTERNAL) {
                JS_SetReservedSlot(raw, MARKS_SLOT, marks.handle().ptr);
                return Ok(marks.value().to_object());
            }
            if !self.ctx().marks.get().is_object() {
                let table = self.in_main_realm(|scope| {
                    let table = JS::NewWeakMapObject(scope.cx);
                    scope.checked_object(table)
                })?;
                self.ctx().marks.set(table.value());
            }
            rooted!(in(self.cx) let table = self.ctx().marks.get().to_object());
            if !JS::SetWeakMapEntry(self.cx, table.handle().into(), object.handle(), marks.handle()) {
                return Err(Exc::pending());
            }
            Ok(marks.value().to_object())
        }
    }

    /// The word that an object wraps.
    pub fn wrapped(&mut self, object: Local<'_>) -> JsResult<Option<*mut c_void>> {
        let Some(marks) = self.marks(object)? else { return Ok(None) };
        // SAFETY: an object of the class of marks.
        Ok(unsafe { slot(marks, HAS_WRAP).is_int32().then(|| word(marks, WRAP)) })
    }

    /// Sets or takes away the word that an object wraps.
    pub fn set_wrapped(&mut self, object: Local<'_>, data: Option<*mut c_void>) -> JsResult<()> {
        let marks = self.own_marks(object)?;
        // SAFETY: an object of the class of marks.
        unsafe {
            match data {
                Some(data) => {
                    set_word(marks, WRAP, data.expose_provenance());
                    JS_SetReservedSlot(marks, HAS_WRAP, &Int32Value(1));
                }
                None => JS_SetReservedSlot(marks, HAS_WRAP, &UndefinedValue()),
            }
        }
        Ok(())
    }

    /// The tag of an object.
    pub fn type_tag(&mut self, object: Local<'_>) -> JsResult<Option<TypeTag>> {
        let Some(marks) = self.marks(object)? else { return Ok(None) };
        // SAFETY: an object of the class of marks.
        unsafe {
            if !slot(marks, HAS_TAG).is_int32() {
                return Ok(None);
            }
            let [a, b, c, d] = [0, 1, 2, 3].map(|index| u64::from(slot(marks, TAG + index).to_int32() as u32));
            Ok(Some(TypeTag { lower: b << 32 | a, upper: d << 32 | c }))
        }
    }

    /// Tags an object.
    pub fn set_type_tag(&mut self, object: Local<'_>, tag: TypeTag) -> JsResult<()> {
        let marks = self.own_marks(object)?;
        // SAFETY: an object of the class of marks.
        unsafe {
            for (index, part) in tag.parts().into_iter().enumerate() {
                JS_SetReservedSlot(marks, TAG + index as u32, &Int32Value(part));
            }
            JS_SetReservedSlot(marks, HAS_TAG, &Int32Value(1));
        }
        Ok(())
    }

    /// `key in object`
    pub fn has_value(&mut self, object: Local<'_>, key: Local<'_>) -> JsResult<bool> {
        self.with_key(key, |scope, id| {
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

    /// `Object.hasOwn(object, key)`
    pub fn has_own_value(&mut self, object: Local<'_>, key: Local<'_>) -> JsResult<bool> {
        self.with_key(key, |scope, id| {
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

    /// `delete object[key]`; false where the property cannot be deleted.
    pub fn delete_value(&mut self, object: Local<'_>, key: Local<'_>) -> JsResult<bool> {
        self.with_key(key, |scope, id| {
            let raw = scope.expect_object(object)?;
            let mut result = ObjectOpResult { code_: 0 };
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                if !mozjs::jsapi::JS_DeletePropertyById(scope.cx, raw.handle().into(), id, &mut result) {
                    return Err(Exc::pending());
                }
            }
            Ok(result.code_ == 0)
        })
    }

    /// Defines an own data property with any key; throws where the object does not let it.
    pub fn define_value(
        &mut self,
        object: Local<'_>,
        key: Local<'_>,
        value: Local<'_>,
        attributes: PropertyAttributes,
    ) -> JsResult<()> {
        self.with_key(key, |scope, id| {
            let raw = scope.expect_object(object)?;
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                if JS_DefinePropertyById2(scope.cx, raw.handle().into(), id, value.handle(), attributes.flags()) {
                    Ok(())
                } else {
                    Err(Exc::pending())
                }
            }
        })
    }

    /// Defines an own accessor with any key; undefined for a half that is not there.
    pub fn define_accessor_value(
        &mut self,
        object: Local<'_>,
        key: Local<'_>,
        getter: Local<'_>,
        setter: Local<'_>,
        attributes: PropertyAttributes,
    ) -> JsResult<()> {
        /// Of an accessor, "read-only" means nothing and is not to be given.
        const READONLY: u32 = mozjs::jsapi::JSPROP_READONLY as u32;
        self.with_key(key, |scope, id| {
            let raw = scope.expect_object(object)?;
            // SAFETY: all handles rooted.
            unsafe {
                rooted!(in(scope.cx) let raw = raw);
                rooted!(in(scope.cx) let getter = getter.object().unwrap_or(ptr::null_mut()));
                rooted!(in(scope.cx) let setter = setter.object().unwrap_or(ptr::null_mut()));
                if JS_DefinePropertyById4(
                    scope.cx,
                    raw.handle().into(),
                    id,
                    getter.handle().into(),
                    setter.handle().into(),
                    attributes.flags() & !READONLY,
                ) {
                    Ok(())
                } else {
                    Err(Exc::pending())
                }
            }
        })
    }

    /// `Object.freeze(object)`
    pub fn freeze(&mut self, object: Local<'_>) -> JsResult<()> {
        let raw = self.expect_object(object)?;
        // SAFETY: rooted handle.
        unsafe {
            rooted!(in(self.cx) let raw = raw);
            if JS_FreezeObject(self.cx, raw.handle().into()) { Ok(()) } else { Err(Exc::pending()) }
        }
    }

    /// `Object.seal(object)`
    pub fn seal(&mut self, object: Local<'_>) -> JsResult<()> {
        let constructor = self.class_object(mozjs::jsapi::JSProtoKey::JSProto_Object)?;
        let seal = self.get(constructor, "seal")?;
        self.call_function(seal, &[object]).map(drop)
    }

    /// An array of keys of `object`.
    pub fn property_keys(&mut self, object: Local<'_>, which: Keys) -> JsResult<Local<'s>> {
        let out = self.new_array(&[])?;
        let mut count = 0;
        self.own_keys_into(object, which, out, &mut count, 0)?;
        let mut from = if which.inherited { self.prototype_of(object)? } else { self.null() };
        while from.is_object() {
            let known = count;
            self.own_keys_into(from, which, out, &mut count, known)?;
            from = self.prototype_of(from)?;
        }
        Ok(out)
    }

    /// `known`: so many of `out` are of objects before this one.
    fn own_keys_into(
        &mut self,
        object: Local<'_>,
        which: Keys,
        out: Local<'_>,
        count: &mut u32,
        known: u32,
    ) -> JsResult<()> {
        let mut flags = mozjs::jsapi::JSITER_OWNONLY;
        if !which.enumerable {
            flags |= mozjs::jsapi::JSITER_HIDDEN;
        }
        if which.symbols {
            flags |= mozjs::jsapi::JSITER_SYMBOLS;
        }
        if !which.strings {
            flags |= mozjs::jsapi::JSITER_SYMBOLSONLY;
        }
        let raw = self.expect_object(object)?;
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
                    rooted!(in(self.cx) let id = *mozjs::glue::SliceRootedIdVector(vector, &mut ignored).add(index));
                    result = self.nested(|scope| {
                        let key = scope.undefined();
                        if !JS_IdToValue(scope.cx, id.get(), Scope::out(key)) {
                            return Err(Exc::pending());
                        }
                        scope.add_key(object, key, which, (out, known), count)
                    });
                    if result.is_err() {
                        break;
                    }
                }
            } else {
                result = Err(Exc::pending());
            }
            mozjs::glue::DestroyRootedIdVector(vector);
            result
        }
    }

    /// Adds a key of `object` to `out` if its property has the attributes that are wanted and it is not there yet.
    fn add_key(
        &mut self,
        object: Local<'_>,
        key: Local<'_>,
        which: Keys,
        (out, known): (Local<'_>, u32),
        count: &mut u32,
    ) -> JsResult<()> {
        if which.writable || which.configurable {
            let constructor = self.class_object(mozjs::jsapi::JSProtoKey::JSProto_Object)?;
            let describe = self.get(constructor, "getOwnPropertyDescriptor")?;
            let text = if key.is_symbol() { self.copy(key) } else { self.to_js_string(key)? };
            let description = self.call_function(describe, &[object, text])?;
            if !description.is_object() {
                return Ok(());
            }
            for (wanted, name) in [(which.writable, "writable"), (which.configurable, "configurable")] {
                if wanted && !self.get(description, name)?.truthy() {
                    return Ok(());
                }
            }
        }
        let key = if key.is_number() && which.index_strings { self.to_js_string(key)? } else { self.copy(key) };
        for index in 0..known {
            let is_same = self.nested(|scope| {
                let other = scope.get_index(out, index)?;
                scope.strictly_equal(key, other)
            })?;
            if is_same {
                return Ok(());
            }
        }
        self.set_index(out, *count, key)?;
        *count += 1;
        Ok(())
    }

    /// Whether the object was made by a foreign constructor.
    pub(crate) fn is_foreign_instance(object: *mut JSObject) -> bool {
        class_is(object, &INSTANCE)
    }

    /// An object with the given prototype (null or an object).
    pub fn new_object_with_prototype(&mut self, prototype: Local<'_>) -> JsResult<Local<'s>> {
        // SAFETY: rooted handles; the result is rooted at once.
        unsafe {
            rooted!(in(self.cx) let prototype = prototype.object().unwrap_or(ptr::null_mut()));
            let object = JS_NewObjectWithGivenProto(self.cx, ptr::null(), prototype.handle().into());
            self.checked_object(object)
        }
    }

    /// JavaScript's ToObject.
    pub fn to_object(&mut self, value: Local<'_>) -> JsResult<Local<'s>> {
        if value.is_object() {
            return Ok(self.copy(value));
        }
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let mut object = ptr::null_mut::<JSObject>());
            if !mozjs::jsapi::JS_ValueToObject(self.cx, value.handle(), object.handle_mut().into()) {
                return Err(Exc::pending());
            }
            if object.get().is_null() {
                return Err(self.throw_type_error("Cannot convert undefined or null to object"));
            }
            Ok(self.local(ObjectValue(object.get())))
        }
    }
}
