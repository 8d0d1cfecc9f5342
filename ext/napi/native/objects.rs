//! Objects, arrays and their properties; freezing, prototypes, type tags.

use std::ffi::{c_char, c_void};

use engine::PropertyAttributes;
use engine::foreign::{Keys, TypeTag};

use crate::env::{
    Env, Handle, L, S, handle, object, optional, out, put, script, simple, text, thrown_to_object, value,
};
use crate::functions::{self, Callback};
use crate::status::{Fail, Outcome, Status};

/// `napi_property_descriptor`
#[repr(C)]
pub struct Descriptor {
    pub utf8_name: *const c_char,
    pub name: Handle,
    pub method: Option<Callback>,
    pub getter: Option<Callback>,
    pub setter: Option<Callback>,
    pub value: Handle,
    pub attributes: u32,
    pub data: *mut c_void,
}

const WRITABLE: u32 = 1;
const ENUMERABLE: u32 = 2;
const CONFIGURABLE: u32 = 4;
const STATIC: u32 = 1 << 10;

impl Descriptor {
    pub fn is_static(&self) -> bool {
        self.attributes & STATIC != 0
    }

    pub fn attributes(&self) -> PropertyAttributes {
        let has = |flag| self.attributes & flag != 0;
        PropertyAttributes::of(has(WRITABLE), has(ENUMERABLE), has(CONFIGURABLE))
    }

    /// Its name, if it is C's text and not a value.
    pub fn c_name(&self) -> Option<&std::ffi::CStr> {
        // SAFETY: the addon says that a text with a zero at its end is there.
        (!self.utf8_name.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(self.utf8_name) })
    }

    /// The key of the property.
    ///
    /// # Errors
    /// `napi_name_expected` where it is neither a string nor a symbol.
    pub fn key(&self, scope: &mut S) -> Result<L, Fail> {
        if !self.utf8_name.is_null() {
            return Ok(scope.string_lossy(text(self.utf8_name.cast(), usize::MAX)?)?);
        }
        let name = optional(self.name).ok_or(Status::NameExpected)?;
        if name.is_string() || name.is_symbol() { Ok(name) } else { Err(Status::NameExpected.into()) }
    }
}

/// `count` elements of an array of the addon's.
///
/// # Errors
/// `napi_invalid_arg` where there is no array.
pub fn list<'a, T>(items: *const T, count: usize) -> Result<&'a [T], Fail> {
    if count == 0 {
        return Ok(&[]);
    }
    if items.is_null() {
        return Err(Status::InvalidArg.into());
    }
    // SAFETY: that many elements, as the caller says.
    Ok(unsafe { std::slice::from_raw_parts(items, count) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_object(env: *const Env, result: *mut Handle) -> Status {
    simple(env, |_, scope| {
        out(result)?.write(handle(scope.new_object()?));
        Ok(())
    })
}

/// `prototype`: null for the usual one, or an object or JavaScript's null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_create_object_with_properties(
    env: *const Env,
    prototype: Handle,
    names: *const Handle,
    values: *const Handle,
    count: usize,
    result: *mut Handle,
) -> Status {
    simple(env, |_, scope| {
        let result = out(result)?;
        let (names, values) = (list(names, count)?, list(values, count)?);
        let made = match optional(prototype) {
            Some(prototype) if prototype.is_null() || prototype.is_object() => {
                scope.new_object_with_prototype(prototype)?
            }
            Some(_) => return Err(Status::ObjectExpected.into()),
            None => scope.new_object()?,
        };
        for (name, item) in names.iter().zip(values) {
            let (name, item) = (value(*name)?, value(*item)?);
            if !name.is_string() && !name.is_symbol() {
                return Err(Status::NameExpected.into());
            }
            scope.define_value(made, name, item, PropertyAttributes::ALL)?;
        }
        result.write(handle(made));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_array(env: *const Env, result: *mut Handle) -> Status {
    simple(env, |_, scope| {
        out(result)?.write(handle(scope.new_array(&[])?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_array_with_length(env: *const Env, length: usize, result: *mut Handle) -> Status {
    simple(env, |_, scope| {
        let result = out(result)?;
        // An int in V8: what does not fit is none.
        let length = (length as i32).max(0) as usize;
        result.write(handle(scope.new_array_of_length(length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_array(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.is_array(of)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_array_length(env: *const Env, of: Handle, result: *mut u32) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        let result = out(result)?;
        if !scope.is_array(of)? {
            return Err(Status::ArrayExpected.into());
        }
        result.write(scope.array_length(of)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_prototype(env: *const Env, of: Handle, result: *mut Handle) -> Status {
    simple(env, |_, scope| {
        let result = out(result)?;
        let of = object(scope, of)?;
        result.write(handle(scope.prototype_of(of)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_set_prototype(env: *const Env, of: Handle, prototype: Handle) -> Status {
    script(env, |_, scope| {
        let prototype = value(prototype)?;
        let of = object(scope, of)?;
        Ok(scope.set_prototype(of, prototype)?)
    })
}

// --- properties by key ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_set_property(env: *const Env, of: Handle, key: Handle, item: Handle) -> Status {
    script(env, |_, scope| {
        let (key, item) = (value(key)?, value(item)?);
        let of = thrown_to_object(scope, of)?;
        Ok(scope.set_value(of, key, item)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_has_property(env: *const Env, of: Handle, key: Handle, result: *mut bool) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        let key = value(key)?;
        let of = thrown_to_object(scope, of)?;
        result.write(scope.has_value(of, key)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_property(env: *const Env, of: Handle, key: Handle, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let key = value(key)?;
        let result = out(result)?;
        let of = thrown_to_object(scope, of)?;
        result.write(handle(scope.get_value(of, key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_delete_property(env: *const Env, of: Handle, key: Handle, result: *mut bool) -> Status {
    script(env, |_, scope| {
        let key = value(key)?;
        let of = thrown_to_object(scope, of)?;
        put(result, scope.delete_value(of, key)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_has_own_property(env: *const Env, of: Handle, key: Handle, result: *mut bool) -> Status {
    script(env, |_, scope| {
        let key = value(key)?;
        let result = out(result)?;
        let of = thrown_to_object(scope, of)?;
        if !key.is_string() && !key.is_symbol() {
            return Err(Status::NameExpected.into());
        }
        result.write(scope.has_own_value(of, key)?);
        Ok(())
    })
}

/// Calls `f` with an object and the key that a C string names.
fn named(env: *const Env, of: Handle, name: *const c_char, f: impl FnOnce(&mut S, L, L) -> Outcome) -> Status {
    script(env, |_, scope| {
        let of = thrown_to_object(scope, of)?;
        if name.is_null() {
            return Err(Status::InvalidArg.into());
        }
        let key = scope.string_lossy(text(name.cast(), usize::MAX)?)?;
        f(scope, of, key)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_set_named_property(
    env: *const Env,
    of: Handle,
    name: *const c_char,
    item: Handle,
) -> Status {
    named(env, of, name, |scope, of, key| {
        let item = value(item)?;
        Ok(scope.set_value(of, key, item)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_has_named_property(
    env: *const Env,
    of: Handle,
    name: *const c_char,
    result: *mut bool,
) -> Status {
    named(env, of, name, |scope, of, key| {
        let result = out(result)?;
        result.write(scope.has_value(of, key)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_named_property(
    env: *const Env,
    of: Handle,
    name: *const c_char,
    result: *mut Handle,
) -> Status {
    named(env, of, name, |scope, of, key| {
        let result = out(result)?;
        result.write(handle(scope.get_value(of, key)?));
        Ok(())
    })
}

// --- elements ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_set_element(env: *const Env, of: Handle, index: u32, item: Handle) -> Status {
    script(env, |_, scope| {
        let item = value(item)?;
        let of = object(scope, of)?;
        Ok(scope.set_index(of, index, item)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_has_element(env: *const Env, of: Handle, index: u32, result: *mut bool) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        let of = object(scope, of)?;
        let key = scope.number(f64::from(index));
        result.write(scope.has_value(of, key)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_element(env: *const Env, of: Handle, index: u32, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        let of = object(scope, of)?;
        result.write(handle(scope.get_index(of, index)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_delete_element(env: *const Env, of: Handle, index: u32, result: *mut bool) -> Status {
    script(env, |_, scope| {
        let of = object(scope, of)?;
        let key = scope.number(f64::from(index));
        put(result, scope.delete_value(of, key)?);
        Ok(())
    })
}

// --- keys ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_property_names(env: *const Env, of: Handle, result: *mut Handle) -> Status {
    const ENUMERABLE_STRINGS: u32 = 1 << 1 | 1 << 4;
    // SAFETY: the caller's; with prototypes, indices as strings.
    unsafe { napi_get_all_property_names(env, of, 0, ENUMERABLE_STRINGS, 1, result) }
}

/// `mode`: 0 with prototypes, 1 own keys. `filter`: writable, enumerable, configurable, no strings, no symbols.
/// `conversion`: 0 indices as numbers, 1 as strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_all_property_names(
    env: *const Env,
    of: Handle,
    mode: u32,
    filter: u32,
    conversion: u32,
    result: *mut Handle,
) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        let of = object(scope, of)?;
        if mode > 1 || conversion > 1 {
            return Err(Status::InvalidArg.into());
        }
        let keys = scope.property_keys(
            of,
            Keys {
                inherited: mode == 0,
                strings: filter & 1 << 3 == 0,
                symbols: filter & 1 << 4 == 0,
                writable: filter & 1 != 0,
                enumerable: filter & 1 << 1 != 0,
                configurable: filter & 1 << 2 != 0,
                index_strings: conversion == 1,
            },
        )?;
        result.write(handle(keys));
        Ok(())
    })
}

// --- definitions ---

/// Defines one property of `of`. `class`: methods are for instances of that class only; accessors take any receiver, as in
/// Node.
pub fn define(env: &Env, scope: &mut S, of: L, property: &Descriptor, class: Option<u32>) -> Outcome {
    let key = property.key(scope)?;
    let attributes = property.attributes();
    if property.getter.is_some() || property.setter.is_some() {
        let mut half = |callback: Option<Callback>| match callback {
            Some(callback) => functions::new_function(env, scope, None, callback, property.data, Some(0)),
            None => Ok(scope.undefined()),
        };
        let (getter, setter) = (half(property.getter)?, half(property.setter)?);
        return Ok(scope.define_accessor_value(of, key, getter, setter, attributes)?);
    }
    let item = match property.method {
        Some(method) => {
            let name = key.is_string().then_some(key);
            functions::new_function(env, scope, name, method, property.data, class)?
        }
        None => value(property.value)?,
    };
    Ok(scope.define_value(of, key, item, attributes)?)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_define_properties(
    env: *const Env,
    of: Handle,
    count: usize,
    properties: *const Descriptor,
) -> Status {
    script(env, |env, scope| {
        let properties = list(properties, count)?;
        let of = value(of)?;
        if !of.is_object() {
            return Err(Status::ObjectExpected.into());
        }
        for property in properties {
            define(env, scope, of, property, None).map_err(|fail| refused(scope, of, fail))?;
        }
        Ok(())
    })
}

/// V8 says of a property that an object does not let define only that, without an exception; what a trap of a proxy throws
/// is one.
fn refused(scope: &mut S, of: L, fail: Fail) -> Fail {
    match fail {
        Fail::Threw(exc) if scope.proxy_details(of).is_none() => {
            scope.take_exception(exc);
            Status::InvalidArg.into()
        }
        fail => fail,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_object_freeze(env: *const Env, of: Handle) -> Status {
    script(env, |_, scope| {
        let of = object(scope, of)?;
        Ok(scope.freeze(of)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_object_seal(env: *const Env, of: Handle) -> Status {
    script(env, |_, scope| {
        let of = object(scope, of)?;
        Ok(scope.seal(of)?)
    })
}

// --- type tags ---

/// `napi_type_tag`
#[repr(C)]
pub struct Tag {
    lower: u64,
    upper: u64,
}

fn tag_of(tag: *const Tag) -> Result<TypeTag, Fail> {
    // SAFETY: null, or a tag of the addon's.
    let tag = unsafe { tag.as_ref() }.ok_or(Status::InvalidArg)?;
    Ok(TypeTag { lower: tag.lower, upper: tag.upper })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_type_tag_object(env: *const Env, of: Handle, tag: *const Tag) -> Status {
    script(env, |_, scope| {
        let of = object(scope, of)?;
        let tag = tag_of(tag)?;
        if scope.type_tag(of)?.is_some() {
            return Err(Status::InvalidArg.into());
        }
        Ok(scope.set_type_tag(of, tag)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_check_object_type_tag(
    env: *const Env,
    of: Handle,
    tag: *const Tag,
    result: *mut bool,
) -> Status {
    script(env, |_, scope| {
        let of = object(scope, of)?;
        let tag = tag_of(tag)?;
        let result = out(result)?;
        result.write(scope.type_tag(of)? == Some(tag));
        Ok(())
    })
}
