//! Functions that events call.

use engine::{Exc, Global, JsResult, Local, Scope};

/// A JavaScript function, with the async context in which it was given (that of `AsyncLocalStorage`).
#[derive(Clone)]
pub(crate) struct Callback {
    function: Global,
    context: Global,
}

impl Callback {
    /// Keeps `function`, which has to be callable.
    pub(crate) fn new(scope: &mut Scope<'_>, function: Local<'_>) -> Self {
        let function = scope.global(function);
        let context = scope.async_context();
        Callback { function, context: scope.global(context) }
    }

    /// The same, for an argument of an op: throws a TypeError where it is no function.
    pub(crate) fn checked(scope: &mut Scope<'_>, function: Local<'_>) -> Result<Self, Exc> {
        if function.is_callable() {
            Ok(Self::new(scope, function))
        } else {
            Err(scope.throw_type_error("native function expected a callback"))
        }
    }

    /// Calls it.
    pub(crate) fn call(&self, scope: &mut Scope<'_>, arguments: &[Local<'_>]) -> JsResult<()> {
        scope.nested(|scope| {
            let function = self.function.get(scope);
            let context = self.context.get(scope);
            let saved = scope.async_context();
            scope.set_async_context(context);
            let result = scope.call_function(function, arguments);
            // As in `engine::finish_async`.
            if result.is_ok() {
                scope.set_async_context(saved);
            }
            result.map(drop)
        })
    }
}
