//! Calls into JavaScript from outside of it: async contexts, callback scopes, `napi_make_callback`.
//!
//! What `node:async_hooks` sees of them is TypeScript (ext/napi/async.ts).

use std::rc::Rc;

use engine::{Global, JsResult, Local, Scope, op};
use runtime_core::{builtins, turns};

use crate::env::{Env, Handle, S, function, handle, optional, out, put, script, simple, value};
use crate::functions::with_arguments;
use crate::status::{Fail, Status};
use crate::thread::Thread;

const MODULE: &str = "internal/napi/async";

/// An async resource: `napi_async_context`, and that of works and thread-safe functions.
#[derive(Clone)]
pub struct Context {
    /// What `internal/napi/async` has made; `None` where execution was ended meanwhile.
    made: Option<Rc<Global>>,
}

/// What [`Context::leave`] is to be given.
pub struct Entered(Option<Global>);

impl Context {
    /// `resource`: an object, made where there is none. `name`: anything, its text is the type.
    /// That the thread is being ended is no failure: the addon gets what it asked for, and its caller ends.
    pub fn new(
        env: &Env,
        scope: &mut S,
        resource: Option<Local<'static>>,
        name: Local<'static>,
    ) -> Result<Context, Fail> {
        let resource = match resource {
            Some(resource) if !resource.is_undefined() => scope.to_object(resource)?,
            _ => scope.undefined(),
        };
        let name = scope.to_js_string(name)?;
        let made = match builtins::call(scope, MODULE, "init", &[resource, name]) {
            Ok(made) => Some(Rc::new(scope.global(made))),
            Err(exc) => match scope.take_exception(exc) {
                Some(error) => return Err(scope.throw(error).into()),
                None => {
                    env.note_termination();
                    None
                }
            },
        };
        Ok(Context { made })
    }

    /// Enters the context, for callbacks that run in it.
    pub fn enter(&self, scope: &mut Scope<'_>) -> JsResult<Entered> {
        let Some(made) = &self.made else { return Ok(Entered(None)) };
        scope.nested(|scope| {
            let made = made.get(scope);
            let entered = builtins::call(scope, MODULE, "enter", &[made])?;
            Ok(Entered(Some(scope.global(entered))))
        })
    }

    /// Leaves it; an exception that is pending stays so.
    pub fn leave(&self, scope: &mut Scope<'_>, entered: Entered) -> JsResult<()> {
        let (Some(made), Some(entered)) = (&self.made, entered.0) else { return Ok(()) };
        scope.nested(|scope| {
            let (made, entered) = (made.get(scope), entered.get(scope));
            scope.while_pending(|scope| builtins::call(scope, MODULE, "leave", &[made, entered]).map(drop))
        })
    }

    /// Tells the hooks that it is over.
    pub fn destroy(&self, env: &Env, scope: &mut S) {
        let Some(made) = &self.made else { return };
        let made = made.get(scope);
        if let Err(exc) = builtins::call(scope, MODULE, "destroy", &[made])
            && scope.take_exception(exc).is_none()
        {
            env.note_termination();
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_async_init(
    env: *const Env,
    resource: Handle,
    name: Handle,
    result: *mut *mut Context,
) -> Status {
    simple(env, |env, scope| {
        let name = value(name)?;
        let result = out(result)?;
        let context = Context::new(env, scope, optional(resource), name)?;
        result.write(Box::into_raw(Box::new(context)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_async_destroy(env: *const Env, context: *mut Context) -> Status {
    simple(env, |env, scope| {
        if context.is_null() {
            return Err(Status::InvalidArg.into());
        }
        // SAFETY: the box of `napi_async_init`, given back once.
        unsafe { Box::from_raw(context) }.destroy(env, scope);
        Ok(())
    })
}

/// Has `napi_make_callback` enter the domain of the object that it calls a function on; for `node:domain`.
#[op]
pub fn use_domains(scope: &mut Scope<'_>) {
    Thread::of(scope).uses_domains.set(true);
}

/// After the outermost callback: ticks and microtasks.
fn after(env: &Env, scope: &mut S) {
    if env.thread.outside.get() {
        turns::drain(scope, &env.state);
    }
}

/// Calls a function as the loop does: in its async context, and with ticks and microtasks after it unless JavaScript is
/// on the stack already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_make_callback(
    env: *const Env,
    context: *mut Context,
    this: Handle,
    callee: Handle,
    argc: usize,
    argv: *const Handle,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let this = value(this)?;
        let this = scope.to_object(this)?;
        let callee = function(callee)?;
        // SAFETY: null, or a context that was not destroyed.
        // Kept: the function may destroy it.
        let context = unsafe { context.as_ref() }.cloned();
        let context = context.as_ref();
        let returned = with_arguments(argv, argc, |arguments| {
            Ok(env.thread.inside_js(|| {
                let entered = context.map(|context| context.enter(scope)).transpose()?;
                let returned = if env.thread.uses_domains.get() {
                    let all: Vec<_> = [this, callee].iter().chain(arguments).copied().collect();
                    builtins::call(scope, MODULE, "callInDomain", &all)
                } else {
                    scope.call(callee, this, arguments)
                };
                if let (Some(context), Some(entered)) = (context, entered) {
                    context.leave(scope, entered)?;
                }
                returned
            })?)
        })?;
        put(result, handle(returned));
        after(env, scope);
        Ok(())
    })
}

/// `napi_callback_scope`
pub struct CallbackScope {
    context: Option<Context>,
    entered: Option<Entered>,
    outside: bool,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_open_callback_scope(
    env: *const Env,
    _resource: Handle,
    context: *mut Context,
    result: *mut *mut CallbackScope,
) -> Status {
    simple(env, |env, scope| {
        let result = out(result)?;
        // SAFETY: null, or a context that was not destroyed.
        let context = unsafe { context.as_ref() }.cloned();
        let entered = context.as_ref().map(|context| context.enter(scope)).transpose()?;
        let outside = env.thread.outside.replace(false);
        env.open_callback_scopes.set(env.open_callback_scopes.get() + 1);
        result.write(Box::into_raw(Box::new(CallbackScope { context, entered, outside })));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_close_callback_scope(env: *const Env, opened: *mut CallbackScope) -> Status {
    simple(env, |env, scope| {
        if opened.is_null() {
            return Err(Status::InvalidArg.into());
        }
        if env.open_callback_scopes.get() == 0 {
            return Err(Status::CallbackScopeMismatch.into());
        }
        env.open_callback_scopes.set(env.open_callback_scopes.get() - 1);
        // SAFETY: the box of `napi_open_callback_scope`, given back once.
        let opened = *unsafe { Box::from_raw(opened) };
        if let (Some(context), Some(entered)) = (opened.context, opened.entered) {
            context.leave(scope, entered)?;
        }
        env.thread.outside.set(opened.outside);
        after(env, scope);
        Ok(())
    })
}
