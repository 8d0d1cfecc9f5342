//! Errors of the transpiler as JavaScript's.

use engine::{OpError, Scope};
use transpile::Diagnostic;

/// Throws a SyntaxError for the first of `errors`, with place and excerpt for the report.
pub fn throw_diagnostics(scope: &mut Scope<'_>, errors: &[Diagnostic]) -> engine::Exc {
    let Some(first) = errors.first() else { return scope.throw_error("transpilation failed without a reason") };
    let error = match OpError::syntax_error(first.message.clone()).to_js(scope) {
        Ok(error) => error,
        Err(exc) => return exc,
    };
    let place = format!("{}:{}:{}", first.file, first.line, first.column);
    let width = (first.length.max(1) as usize).min(first.excerpt.chars().count().max(1));
    let caret = format!("{}{}", " ".repeat(first.excerpt_column as usize), "^".repeat(width));
    let stack = format!("{place}\n{}\n{caret}\n\nSyntaxError: {}\n    at {place}", first.excerpt, first.message);
    let result = (|| {
        let text = scope.string(&stack)?;
        scope.define(error, "stack", text, engine::PropertyAttributes::HIDDEN)?;
        let reported = scope.boolean(true);
        // Tells the uncaught-error report that the stack already carries the excerpt.
        scope.define(error, "\u{0}excerpt", reported, engine::PropertyAttributes::HIDDEN)
    })();
    match result {
        Ok(()) => scope.throw(error),
        Err(exc) => exc,
    }
}
