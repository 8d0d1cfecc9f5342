//! Errors of modules that were not found, with Node's codes and the place of the import.

use engine::{ImportRequest, JsResult, Local, OpError, PropertyAttributes, Scope};
use resolve::{Kind, ResolveError};

use crate::builtins;
use crate::source;
use crate::state::{FailedImport, RuntimeState};

/// Throws a resolution error with Node's code. `kind` is how the specifier was used.
pub fn throw_resolve_error(scope: &mut Scope<'_>, error: &ResolveError, kind: Kind) -> engine::Exc {
    let require = matches!(kind, Kind::Require | Kind::RequireResolve);
    let mut message = error.message.clone();
    if require && error.kind.is_not_found() {
        message = error.with_require_stack(&[error.importer.as_str()]);
    }
    if let Some(hint) = error.hint() {
        message.push('\n');
        message.push_str(&hint);
    }
    let value = if error.kind.is_type_error() {
        OpError::type_error(message).code(error.code()).to_js(scope)
    } else {
        resolve_message(scope, error, &message, kind)
    };
    let value = match value {
        Ok(value) => value,
        Err(exc) => return exc,
    };
    if !require && let Err(exc) = name_code_in_stack(scope, value, error) {
        return exc;
    }
    let failed = FailedImport {
        error: scope.global(value),
        place: None,
        tried: error.tried.iter().map(|path| path.display().to_string()).collect(),
    };
    *RuntimeState::of(scope).failed_import.borrow_mut() = Some(failed);
    scope.throw(value)
}

/// A `ResolveMessage`: an Error with Node's text and code that says what was looked for, by whom and how.
fn resolve_message<'s>(scope: &mut Scope<'s>, error: &ResolveError, message: &str, kind: Kind) -> JsResult<Local<'s>> {
    let import_kind = match kind {
        Kind::Import => "import-statement",
        Kind::Require => "require-call",
        Kind::RequireResolve => "require-resolve",
        Kind::Entry => "entry-point-run",
    };
    let message = scope.string(message)?;
    let code = scope.string(error.code())?;
    let specifier = scope.string(&error.specifier)?;
    let referrer = scope.string(&error.importer)?;
    let import_kind = scope.string(import_kind)?;
    builtins::call(scope, "bun/messages", "resolveMessage", &[message, code, specifier, referrer, import_kind])
}

/// Gives the error of an import what Node's has: the code in the first line of its stack, and `url`.
fn name_code_in_stack(scope: &mut Scope<'_>, value: Local<'_>, error: &ResolveError) -> JsResult<()> {
    let stack = scope.get(value, "stack")?;
    let stack = scope.display(stack);
    if let Some(colon) = stack.find(':') {
        let text = scope.string(&format!("{} [{}]{}", &stack[..colon], error.code(), &stack[colon..]))?;
        scope.define(value, "stack", text, PropertyAttributes::HIDDEN)?;
    }
    if let Some(path) = &error.path
        && error.kind.has_url()
    {
        let url = scope.string(&format!("{}{}", source::file_url(path), error.query()))?;
        scope.define(value, "url", url, PropertyAttributes::ALL)?;
    }
    Ok(())
}

/// Tells the error of a static import where that import stands. Nothing runs when it is thrown, so it has no stack.
pub(super) fn locate_failure(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    exc: engine::Exc,
    referrer: Option<u32>,
    request: &ImportRequest,
) -> engine::Exc {
    let Some(value) = scope.take_exception(exc) else { return exc };
    let known = state
        .failed_import
        .borrow()
        .as_ref()
        .is_some_and(|failed| failed.place.is_none() && failed.error.get(scope).same(value));
    let importer = referrer.map(|number| {
        let mut map = state.modules.borrow_mut();
        let record = &map.records[number as usize];
        let (path, url) = (record.path.clone(), record.url.clone());
        let source_map = map.map_for(&url);
        (path, url, source_map)
    });
    if known
        && request.line > 0
        && let Some((path, url, map)) = importer
    {
        let (mut line, mut column) = (request.line, request.column.max(1));
        if let Some(original) = map.as_ref().and_then(|map| map.lookup(line - 1, column - 1)) {
            (line, column) = (original.line + 1, original.column + 1);
        }
        let located = (|| {
            let stack = scope.get(value, "stack")?;
            let text = format!("{}\n    at {url}:{line}:{column}", scope.display(stack).trim_end());
            let text = scope.string(&text)?;
            scope.define(value, "stack", text, PropertyAttributes::HIDDEN)
        })();
        if let Err(exc) = located {
            return exc;
        }
        if let Some(failed) = &mut *state.failed_import.borrow_mut() {
            failed.place = Some((path.to_string(), line, column));
        }
    }
    scope.throw(value)
}
