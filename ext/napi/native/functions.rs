//! Functions, classes and calls in both directions.

use std::ffi::{c_char, c_void};

use engine::foreign::{Callee, ForeignCall, FunctionKind};
use engine::{JsResult, Local, OpError, Scope};

use crate::env::{Env, Handle, L, S, function, handle, optional, out, put, script, simple, text, value};
use crate::objects::{Descriptor, define, list};
use crate::status::{Fail, Status};

/// `napi_callback`
pub type Callback = unsafe extern "C" fn(env: *const Env, info: *mut CallbackInfo<'_>) -> Handle;

/// `napi_callback_info`: a call of an addon's function while it lasts.
pub struct CallbackInfo<'a> {
    call: &'a mut ForeignCall,
}

/// The addon's functions as callees: their words are the environment, the callback, its data.
struct AddonFunction;

impl Callee for AddonFunction {
    #[inline]
    fn call<'s>(scope: &mut Scope<'s>, call: &mut ForeignCall) -> JsResult<Option<Local<'s>>> {
        let [env, callback, _] = call.data;
        // SAFETY: the words that `new_function` has given. Environments outlive the JavaScript of their context.
        let (env, callback) = unsafe { (&*env.cast::<Env>(), std::mem::transmute::<*mut c_void, Callback>(callback)) };
        let mut info = CallbackInfo { call };
        let info = (&raw mut info).cast();
        // SAFETY: the addon's own function, with handles that live through the call.
        let result = env.enter(scope, |env| unsafe { callback(env, info) })?;
        // SAFETY: a handle of a scope that is open until the engine has its value.
        Ok(std::ptr::NonNull::new(result).map(|address| unsafe { Local::at(address) }))
    }
}

/// A JavaScript function for a callback. `class`: only instances of that class may be its receiver.
pub fn new_function(
    env: &Env,
    scope: &mut S,
    name: Option<L>,
    callback: Callback,
    data: *mut c_void,
    class: Option<u32>,
) -> Result<L, Fail> {
    let kind = class.map_or(FunctionKind::Plain, FunctionKind::Method);
    make(env, scope, name, callback, data, kind)
}

fn make(
    env: &Env,
    scope: &mut S,
    name: Option<L>,
    callback: Callback,
    data: *mut c_void,
    kind: FunctionKind,
) -> Result<L, Fail> {
    let words = [(&raw const *env).cast_mut().cast(), callback as *mut c_void, data];
    let name = match name {
        Some(name) => name,
        None => scope.latin1_string(b"")?,
    };
    Ok(scope.foreign_function::<AddonFunction>(name, words, kind)?)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_function(
    env: *const Env,
    name: *const c_char,
    length: usize,
    callback: Option<Callback>,
    data: *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let callback = callback.ok_or(Status::InvalidArg)?;
        let name = if name.is_null() { None } else { Some(scope.string_lossy(text(name.cast(), length)?)?) };
        result.write(handle(new_function(env, scope, name, callback, data, None)?));
        Ok(())
    })
}

/// `argc`: room of `argv`, then the number of arguments; places beyond them are undefined.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_cb_info(
    env: *const Env,
    info: *mut CallbackInfo<'_>,
    argc: *mut usize,
    argv: *mut Handle,
    this: *mut Handle,
    data: *mut *mut c_void,
) -> Status {
    simple(env, |_, scope| {
        // SAFETY: null, or what the running call was given.
        let info = unsafe { info.as_ref() }.ok_or(Status::InvalidArg)?;
        let passed = info.call.len();
        if !argv.is_null() {
            if argc.is_null() {
                return Err(Status::InvalidArg.into());
            }
            // SAFETY: room for that many handles, as the caller says.
            unsafe {
                let room = *argc;
                for index in 0..passed.min(room) {
                    argv.add(index).write(info.call.argument(index).as_ptr());
                }
                if room > passed {
                    let none = handle(scope.undefined());
                    for index in passed..room {
                        argv.add(index).write(none);
                    }
                }
            }
        }
        put(argc, passed);
        if !this.is_null() {
            put(this, info.call.this(scope)?.as_ptr());
        }
        put(data, info.call.data[2]);
        Ok(())
    })
}

/// Null in a call without `new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_new_target(
    env: *const Env,
    info: *mut CallbackInfo<'_>,
    result: *mut Handle,
) -> Status {
    simple(env, |_, _| {
        // SAFETY: as above.
        let info = unsafe { info.as_ref() }.ok_or(Status::InvalidArg)?;
        out(result)?.write(info.call.new_target().map_or(std::ptr::null_mut(), |slot| slot.as_ptr()));
        Ok(())
    })
}

/// The values of an array of handles.
fn values(argv: *const Handle, argc: usize) -> Result<Vec<L>, Fail> {
    list(argv, argc)?.iter().map(|item| value(*item)).collect()
}

/// Runs `f` with the arguments, without an allocation where they are few.
pub fn with_arguments<R>(argv: *const Handle, argc: usize, f: impl FnOnce(&[L]) -> Result<R, Fail>) -> Result<R, Fail> {
    match *list(argv, argc)? {
        [] => f(&[]),
        [a] => f(&[value(a)?]),
        [a, b] => f(&[value(a)?, value(b)?]),
        [a, b, c] => f(&[value(a)?, value(b)?, value(c)?]),
        _ => f(&values(argv, argc)?),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_call_function(
    env: *const Env,
    this: Handle,
    callee: Handle,
    argc: usize,
    argv: *const Handle,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let this = value(this)?;
        let callee = function(callee)?;
        let returned = with_arguments(argv, argc, |arguments| {
            Ok(env.thread.inside_js(|| scope.call(callee, this, arguments))?)
        })?;
        put(result, handle(returned));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_new_instance(
    env: *const Env,
    constructor: Handle,
    argc: usize,
    argv: *const Handle,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let constructor = value(constructor)?;
        let result = out(result)?;
        if !constructor.is_callable() {
            return Err(Status::FunctionExpected.into());
        }
        let made = with_arguments(argv, argc, |arguments| {
            Ok(env.thread.inside_js(|| scope.construct(constructor, arguments))?)
        })?;
        result.write(handle(made));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_instanceof(
    env: *const Env,
    of: Handle,
    constructor: Handle,
    result: *mut bool,
) -> Status {
    script(env, |_, scope| {
        let of = value(of)?;
        let result = out(result)?;
        result.write(false);
        let Some(constructor) = optional(constructor) else { return Err(Status::InvalidArg.into()) };
        let constructor = match constructor.is_nullish() {
            true => return Err(Status::ObjectExpected.into()),
            false => scope.to_object(constructor)?,
        };
        if !constructor.is_callable() {
            let error = OpError::type_error("Constructor must be a function").code("ERR_NAPI_CONS_FUNCTION");
            let exc = scope.throw_op_error(&error);
            return Err(exc.into());
        }
        result.write(scope.instance_of(of, constructor)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_define_class(
    env: *const Env,
    name: *const c_char,
    length: usize,
    constructor: Option<Callback>,
    data: *mut c_void,
    count: usize,
    properties: *const Descriptor,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let constructor = constructor.ok_or(Status::InvalidArg)?;
        let properties = list(properties, count)?;
        let name = if name.is_null() {
            return Err(Status::InvalidArg.into());
        } else {
            scope.string_lossy(text(name.cast(), length)?)?
        };
        let class = env.thread.new_class();
        let made = make(env, scope, Some(name), constructor, data, FunctionKind::Class(class))?;
        let prototype = scope.get(made, "prototype")?;
        for (index, property) in properties.iter().enumerate() {
            // V8's templates take the last of two properties by one name.
            if is_named_again(scope, property, &properties[index + 1..])? {
                continue;
            }
            if property.is_static() {
                define(env, scope, made, property, None)?;
            } else {
                define_instance(env, scope, prototype, property, class)?;
            }
        }
        result.write(handle(made));
        Ok(())
    })
}

/// Whether one of `later` has the name of a property, in the same place.
fn is_named_again(scope: &mut S, property: &Descriptor, later: &[Descriptor]) -> Result<bool, Fail> {
    for other in later.iter().filter(|other| other.is_static() == property.is_static()) {
        let is_same = match (property.c_name(), other.c_name()) {
            (Some(name), Some(other)) => name == other,
            _ => {
                let (name, other) = (property.key(scope)?, other.key(scope)?);
                scope.strictly_equal(name, other)?
            }
        };
        if is_same {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A property that instances have by their prototype. Values are there as well, as V8's templates have them.
fn define_instance(env: &Env, scope: &mut S, prototype: L, property: &Descriptor, class: u32) -> Result<(), Fail> {
    define(env, scope, prototype, property, Some(class))
}

/// Runs text as a classic script.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_run_script(env: *const Env, script_text: Handle, result: *mut Handle) -> Status {
    script(env, |env, scope| {
        let source = value(script_text)?;
        let result = out(result)?;
        if !source.is_string() {
            return Err(Status::StringExpected.into());
        }
        let source = scope.to_string(source)?;
        let stencil = scope.compile_script(&source, &engine::CompileOptions::new(""))?;
        result.write(handle(env.thread.inside_js(|| scope.run_script(&stencil, None))?));
        Ok(())
    })
}
