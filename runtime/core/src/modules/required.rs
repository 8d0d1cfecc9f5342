//! `require` of ES modules, and where a graph of modules waits.

use std::collections::HashSet;
use std::sync::Arc;

use engine::{JsResult, Local, ModuleStatus, OpError, PromiseState, Scope};
use resolve::{ModuleFormat, ResolvedFile};

use super::wrappers::add_wrapper_text;
use super::{compile_commonjs, evaluate, existing, load_file};
use crate::errors;
use crate::module_map::Body;
use crate::prepare;
use crate::source;
use crate::state::RuntimeState;

/// The error of a graph that cannot be evaluated at once; ext/module/cjs.ts says who requires it.
fn awaits(path: &str) -> OpError {
    OpError::error(format!("require() cannot be used on an ESM graph with top-level await: {path}"))
        .code("ERR_REQUIRE_ASYNC_MODULE")
}

/// A walk over the graph of a module, each module of the loader's once.
struct Walk<'s> {
    seen: HashSet<u32>,
    next: Vec<(Local<'s>, u32)>,
}

impl<'s> Walk<'s> {
    fn new(scope: &mut Scope<'s>, root: Local<'_>) -> JsResult<Walk<'s>> {
        let mut walk = Walk { seen: HashSet::new(), next: Vec::new() };
        let root = scope.copy(root);
        walk.add(scope, root)?;
        Ok(walk)
    }

    /// Comes to a module later, unless it has been met, or is not one of the loader's.
    fn add(&mut self, scope: &mut Scope<'s>, module: Local<'s>) -> JsResult<()> {
        if let Some(number) = scope.module_number(module)?
            && self.seen.insert(number)
        {
            self.next.push((module, number));
        }
        Ok(())
    }
}

/// Refuses, before any of it runs, a graph that `require` cannot evaluate: one with a module that is being evaluated
/// (https://tc39.es/ecma262/#sec-moduleevaluation knows no way to evaluate a part of a cycle) or, unless `may_wait`, with a
/// top-level await. What is evaluated already does not count, as in Bun.
fn check_graph(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    module: Local<'_>,
    path: &str,
    may_wait: bool,
) -> JsResult<()> {
    scope.nested(|scope| {
        if scope.module_status(module)? == ModuleStatus::Evaluating {
            let message = format!("Cannot require() ES Module {path} in a cycle.");
            return Err(scope.throw_op_error(&OpError::error(message).code("ERR_REQUIRE_CYCLE_MODULE")));
        }
        let mut walk = Walk::new(scope, module)?;
        let mut has_await = false;
        while let Some((module, number)) = walk.next.pop() {
            match scope.module_status(module)? {
                ModuleStatus::Evaluated | ModuleStatus::Errored => continue,
                ModuleStatus::EvaluatingAsync => has_await = true,
                _ => has_await |= scope.module_has_await(module)?,
            }
            let mut index = 0;
            while let Some(other) = scope.loaded_module(module, index)? {
                if scope.module_status(other)? == ModuleStatus::Evaluating {
                    let specifier = scope.module_requests(module)?.swap_remove(index).specifier;
                    let from = state.modules.borrow().records[number as usize].path.clone();
                    let message = format!("Cannot import Module {specifier} in a cycle. (from {from})");
                    return Err(scope.throw_op_error(&OpError::error(message).code("ERR_REQUIRE_CYCLE_MODULE")));
                }
                walk.add(scope, other)?;
                index += 1;
            }
        }
        if has_await && !may_wait { Err(scope.throw_op_error(&awaits(path))) } else { Ok(()) }
    })
}

/// Where the modules of a graph wait in top-level awaits, as Node shows it: URL and line, the line's text, and a mark below it.
/// None without the engine's overlay.
///
/// # Errors
/// None of the program's.
pub fn unsettled_awaits(scope: &mut Scope<'_>, state: &RuntimeState, module: Local<'_>) -> JsResult<Vec<String>> {
    scope.nested(|scope| {
        let mut places = Vec::new();
        let mut walk = Walk::new(scope, module)?;
        while let Some((module, number)) = walk.next.pop() {
            if scope.module_status(module)? != ModuleStatus::EvaluatingAsync {
                continue;
            }
            if let Some((line, column)) = scope.module_await(module)? {
                let url = state.modules.borrow().records[number as usize].url.clone();
                places.push(errors::await_place(state, &url, line, column));
            }
            let mut index = 0;
            while let Some(other) = scope.loaded_module(module, index)? {
                walk.add(scope, other)?;
                index += 1;
            }
        }
        Ok(places)
    })
}

/// `require()` of an ES module: its namespace, which must be there at once.
pub fn require_esm<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    file: &Arc<ResolvedFile>,
    suffix: &str,
) -> JsResult<Local<'s>> {
    if state.options.node_option("--no-experimental-require-module").is_some() {
        let path = &file.path;
        if file.module_format() == ModuleFormat::Detect && !file.class.is_typescript() {
            // Only its text says that it is an ES module: as in Node it is CommonJS then, with the error of that.
            let text = prepare::read_text(scope, path)?;
            compile_commonjs(scope, state, path, &text)?;
        }
        let message = format!(
            "require() of ES Module {path} not supported.\nInstead change the require of {path} to a dynamic import() which is available in all CommonJS modules."
        );
        return Err(scope.throw_op_error(&OpError::error(message).code("ERR_REQUIRE_ESM")));
    }
    let module = load_file(scope, state, file, suffix, None)?;
    require_module(scope, state, module, &format!("{}{suffix}", file.path), &file.path)
}

/// Evaluates a module for `require()`. `key`: its key in the module map; `path`: what errors call it.
///
/// A module that exports a default gets `__esModule` for those that ask the exports of a module whether they come from one, as
/// in Node: what `require` gives then is the namespace of a facade before it.
pub fn require_module<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    module: Local<'s>,
    key: &str,
    path: &str,
) -> JsResult<Local<'s>> {
    let prints = state.options.node_option("--experimental-print-required-tla").is_some();
    // Where it has to be waited for, the evaluation below is not over.
    if scope.load_graph(module)?.is_none() {
        check_graph(scope, state, module, path, prints)?;
    }
    let promise = evaluate(scope, module)?;
    match scope.promise_state(promise) {
        Some((PromiseState::Rejected, reason)) => {
            scope.mark_handled(promise)?;
            Err(scope.throw(reason))
        }
        Some((PromiseState::Pending, _)) => {
            // What it comes to nobody waits for.
            scope.mark_handled(promise)?;
            if prints {
                for place in unsettled_awaits(scope, state, module)? {
                    base::stderr::say(&format!("Error: unexpected top-level await at {place}"));
                }
            }
            Err(scope.throw_op_error(&awaits(path)))
        }
        _ => {
            let namespace = scope.module_namespace(module)?;
            if scope.has(namespace, "module.exports")? {
                return scope.get(namespace, "module.exports");
            }
            if !scope.has(namespace, "default")? || scope.has(namespace, "__esModule")? {
                return Ok(namespace);
            }
            let facade_key = format!("{}:{key}", source::REQUIRED);
            let facade = match existing(scope, state, &facade_key) {
                Some(facade) => facade,
                None => {
                    let specifier = source::REQUIRED;
                    let text = format!(
                        "export * from \"{specifier}\"; export {{ default }} from \"{specifier}\"; export const __esModule = true;"
                    );
                    add_wrapper_text(scope, state, facade_key, key.into(), path.into(), Body::Esm, Vec::new(), &text)?
                }
            };
            evaluate(scope, facade)?;
            scope.module_namespace(facade)
        }
    }
}
