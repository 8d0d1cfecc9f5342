//! The function that the text of a CommonJS module becomes the body of.

use engine::{CompileOptions, Exc, JsResult, Local, Scope};

use crate::diagnostics::throw_diagnostics;
use crate::graphs;
use crate::state::RuntimeState;

/// Parameters of the function a CommonJS module becomes. It stands on a line of its own, numbered 0.
const COMMONJS_PREFIX: &str = "(function (exports, require, module, __filename, __dirname) {\n";

/// The function of a CommonJS module's text.
pub fn compile_commonjs<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    path: &str,
    code: &str,
) -> JsResult<Local<'s>> {
    let stencil = commonjs_stencil(scope, path, code)?;
    run_commonjs(scope, state, path, &stencil)
}

/// The function of a compiled CommonJS module.
pub fn run_commonjs<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    path: &str,
    stencil: &engine::Stencil,
) -> JsResult<Local<'s>> {
    let number = state.modules.borrow_mut().referrer(path);
    let function = scope.run_script(stencil, Some(number))?;
    graphs::call_with_names(scope, state, function)
}

/// Compiles the function of a CommonJS module: in a graph with names of its own, inside of a function of these.
pub fn commonjs_stencil(scope: &mut Scope<'_>, path: &str, code: &str) -> JsResult<engine::Stencil> {
    commonjs_stencil_of(scope, path, code, false)
}

/// The same; with `all_functions` those inside are compiled, too.
pub fn commonjs_stencil_of(
    scope: &mut Scope<'_>,
    path: &str,
    code: &str,
    all_functions: bool,
) -> JsResult<engine::Stencil> {
    // A hashbang is no comment inside a function.
    let hashbang = if code.starts_with("#!") { "//" } else { "" };
    let (before, after) = match graphs::names(&RuntimeState::of(scope)) {
        Some(names) => (format!("(function ({}) {{ return ", names.join(", ")), "})"),
        None => (String::new(), ""),
    };
    let text = format!("{before}{COMMONJS_PREFIX}{hashbang}{code}\n}}){after}");
    scope.compile_script(&text, &CompileOptions { line: 0, all_functions, ..CompileOptions::new(path) })
}

/// Whether a text that compiles inside the function around a CommonJS module does so by ending that function early.
pub fn closes_wrapper(code: &str) -> bool {
    // Only where a brace closes more than was opened. Braces in strings, comments and regular expressions count too, so this
    // alone says nothing; our own parser, which knows the file without the function, decides.
    let mut depth = 0i64;
    let suspicious = code.bytes().any(|byte| {
        depth += i64::from(byte == b'{') - i64::from(byte == b'}');
        depth < 0
    });
    suspicious && transpile::transpile(code, "module.cjs", &transpile::Options::default()).is_err()
}

/// A syntax error of a CommonJS module: the engine's, unless it found it only at the end of the function around the module;
/// then that of our own parser, which knows the file alone.
pub fn commonjs_error(scope: &mut Scope<'_>, exc: Exc, code: &str, path: &str) -> Exc {
    let Some(error) = scope.take_exception(exc) else { return exc };
    let lines = code.split('\n').count() as f64;
    let line = scope.get(error, "lineNumber").ok().and_then(|line| line.as_number()).unwrap_or(0.0);
    if line < 1.0 || line > lines {
        let options = transpile::Options { package_type: transpile::ModuleHint::Cjs, ..transpile::Options::default() };
        if let Err(errors) = transpile::transpile(code, path, &options) {
            return throw_diagnostics(scope, &errors);
        }
    }
    scope.throw(error)
}
