//! Family "inspect": what values are inside, and stacks.

mod text_ops;

pub use text_ops::family as text_family;

use engine::{Exc, JsResult, Local, PromiseState, Scope, StackFrame, TreeRules, op, ops};
use runtime_core::{RuntimeState, errors};

/// `[state, result]`: 0 pending, 1 fulfilled, 2 rejected; undefined for other values.
#[op(ts(returns = "[state: 0 | 1 | 2, result: unknown] | undefined"))]
fn promise_details<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> Result<Local<'s>, Exc> {
    let Some((state, result)) = scope.promise_state(value) else { return Ok(scope.undefined()) };
    let number = match state {
        PromiseState::Pending => 0,
        PromiseState::Fulfilled => 1,
        PromiseState::Rejected => 2,
    };
    let number = scope.int(number);
    scope.new_array(&[number, result])
}

/// `[target, handler]` of a proxy; undefined for other values.
#[op(ts(returns = "[target: object | null, handler: object | null] | undefined"))]
fn proxy_details<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> Result<Local<'s>, Exc> {
    match scope.proxy_details(value) {
        Some((target, handler)) => {
            // A revoked proxy has lost both.
            let target = if target.is_object() { target } else { scope.null() };
            let handler = if handler.is_object() { handler } else { scope.null() };
            scope.new_array(&[target, handler])
        }
        None => Ok(scope.undefined()),
    }
}

/// Internal class of an object as a number; the list stands in ext/util/types.ts.
#[op]
fn class_of<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> Result<i32, Exc> {
    Ok(match scope.class_of(value)? {
        "Map" => 1,
        "Set" => 2,
        "MapIterator" => 3,
        "SetIterator" => 4,
        "WeakMap" => 5,
        "WeakSet" => 6,
        "Promise" => 7,
        "Date" => 8,
        "RegExp" => 9,
        "Error" => 10,
        "ArrayBuffer" => 11,
        "SharedArrayBuffer" => 12,
        "Arguments" => 13,
        "Boolean" => 14,
        "Number" => 15,
        "String" => 16,
        "Symbol" => 17,
        "BigInt" => 18,
        "ModuleNamespace" => 19,
        "Generator" | "AsyncGenerator" => 20,
        "Proxy" => 21,
        "External" => 22,
        "WeakRef" => 23,
        _ => 0,
    })
}

/// Own keys that are no array indices, symbols included.
#[op(ts(object = "object", returns = "(string | symbol)[]"))]
fn own_non_index_keys<'s>(scope: &mut Scope<'s>, object: Local<'s>, only_enumerable: bool) -> Result<Local<'s>, Exc> {
    scope.own_non_index_keys(object, only_enumerable)
}

/// Whether two objects are equal in all that is in them, as far as that can be said without running JavaScript:
/// see `Scope::compare_trees`. `rules`: 0 loose, 1 strict, 3 strict without prototypes (the numbers of
/// ext/util/comparisons.ts), 4 as Bun, 5 as Bun, strict.
#[op(ts(returns = "boolean | unknown[] | undefined"))]
fn compare_trees<'s>(
    scope: &mut Scope<'s>,
    a: Local<'s>,
    b: Local<'s>,
    rules: u32,
    outer: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let rules = match rules {
        0 => TreeRules::Loose,
        1 => TreeRules::Strict,
        3 => TreeRules::StrictWithoutPrototypes,
        4 => TreeRules::Lenient,
        5 => TreeRules::LenientStrict,
        _ => return Ok(scope.undefined()),
    };
    scope.compare_trees(a, b, rules, outer)
}

/// What an iterator or weak collection holds: the engine does not tell without changing the iterator, so undefined.
#[op(ts(returns = "[items: unknown[], arePairs: boolean] | undefined"))]
fn preview_entries<'s>(scope: &mut Scope<'s>, _value: Local<'s>) -> Result<Local<'s>, Exc> {
    Ok(scope.undefined())
}

pub fn frames_array<'s>(scope: &mut Scope<'s>, frames: &[StackFrame]) -> JsResult<Local<'s>> {
    let out = scope.new_array(&[])?;
    for (index, frame) in frames.iter().enumerate() {
        let function = scope.string(&frame.function)?;
        let source = scope.string(&frame.source)?;
        let line = scope.number(f64::from(frame.line));
        let column = scope.number(f64::from(frame.column));
        let is_async = scope.boolean(frame.is_async);
        let item = scope.new_array(&[function, source, line, column, is_async])?;
        scope.set_index(out, index as u32, item)?;
    }
    Ok(out)
}

/// Frames `[function, source, line, column, isAsync]` of the running code, mapped to original positions, without the
/// frames of bao's own modules.
#[op(ts(returns = "[function: string, source: string, line: number, column: number, isAsync: boolean][]"))]
fn current_stack<'s>(scope: &mut Scope<'s>, limit: u32) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let frames = scope.current_stack(128)?;
    let mut frames = errors::visible_frames(&state, frames);
    frames.truncate(limit as usize);
    frames_array(scope, &frames)
}

/// The same for an error object; undefined for other values.
#[op(ts(returns = "[function: string, source: string, line: number, column: number, isAsync: boolean][] | undefined"))]
fn error_frames<'s>(scope: &mut Scope<'s>, error: Local<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    match errors::error_frames(scope, error)? {
        Some(frames) => {
            let frames = errors::visible_frames(&state, frames);
            frames_array(scope, &frames)
        }
        None => Ok(scope.undefined()),
    }
}

ops!(pub fn family "inspect" {
    promise_details, proxy_details, class_of, own_non_index_keys, compare_trees, preview_entries, current_stack,
    error_frames
});
