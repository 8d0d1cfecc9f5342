//! The program's first module: finding it, running it, and what follows when its evaluation is over.

use engine::{Global, JsResult, Local, PromiseState, Scope};
use resolve::{FileClass, Kind, ModuleFormat};
use run_options::NodeOption;
use transpile::ModuleKind;

use crate::modules::{self, hooks};
use crate::source::FileKind;
use crate::state::RuntimeState;
use crate::{builtins, errors, prepare, source, turns};

/// Loads and runs the main file; `promise` is that of its evaluation if it is an ES module.
///
/// # Errors
/// A JavaScript exception if it is not found or cannot be loaded, and what a CommonJS module throws.
pub fn start_file(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    // An absolute path counts from nowhere else.
    let cwd = if path.starts_with('/') && !state.hooks_active.get() { "/".to_string() } else { cwd() };
    if let Some(dir) = std::path::Path::new(path).parent().filter(|dir| dir.is_absolute()) {
        store::discover(dir);
    }
    let base = format!("{cwd}/[entry]");
    if let Some(module) = hooks::ask(scope, state, path, &base, "entry-point-run", None)? {
        if scope.promise_state(module).is_none() {
            return keep_evaluation(scope, state, module, promise);
        }
        return Err(
            scope.throw_error(&format!("'{path}': the entry point cannot come from a plugin that answers later"))
        );
    }
    let resolution = {
        let mut map = state.modules.borrow_mut();
        map.resolve(&state.options, path, &cwd, Kind::Entry)
    };
    let file = match resolution {
        Ok(resolution) => match resolution.file() {
            Some(file) => file.clone(),
            None => return Err(scope.throw_error(&format!("'{path}' is not a file that can be run"))),
        },
        Err(error) => return Err(modules::throw_resolve_error(scope, &error, Kind::Entry)),
    };
    modules::set_main(state, &file.path);
    if source::file_kind(file.class) == FileKind::Script || file.extension().is_empty() {
        let prepared = prepare::script(scope, state, &file)?;
        let kind = prepared.kind;
        state.modules.borrow_mut().keep_main(prepared);
        // A preloaded module may have put its own handlers in `require.extensions`, to which an ES module is text as any other.
        let is_open = kind == ModuleKind::Esm && file.module_format() == ModuleFormat::Detect;
        if kind == ModuleKind::Cjs || (is_open && is_hooked(scope, &file.path)?) {
            let path = scope.string(&file.path)?;
            builtins::call(scope, "internal/module/cjs", "runMain", &[path])?;
            return Ok(());
        }
    }
    let module = modules::load_file(scope, state, &file, "", None)?;
    keep_evaluation(scope, state, module, promise)
}

/// Whether the program has put something of its own into the way of `require` for this file.
fn is_hooked(scope: &mut Scope<'_>, path: &str) -> JsResult<bool> {
    if !builtins::is_loaded(scope, "node:module") {
        return Ok(false);
    }
    let path = scope.string(path)?;
    let answer = builtins::call(scope, "internal/module/cjs", "isHooked", &[path])?;
    Ok(answer.truthy())
}

/// Evaluates the main module; its outcome is looked at by [`check_main`].
fn keep_evaluation(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    module: Local<'_>,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    let evaluation = modules::evaluate(scope, module)?;
    let kept = scope.global(module);
    *state.main_module.borrow_mut() = Some(kept);
    // Reported by `check_main`, not as an unhandled rejection.
    scope.mark_handled(evaluation)?;
    *promise = Some(scope.global(evaluation));
    Ok(())
}

/// What the text of a program is by `--input-type`: TypeScript that says itself what it is, where that was not given.
fn text_format(state: &RuntimeState) -> (FileClass, ModuleFormat) {
    match state.options.node_option("--input-type") {
        Some(NodeOption::Text(kind)) => match kind.as_str() {
            "module" => (FileClass::Mjs, ModuleFormat::Module),
            "module-typescript" => (FileClass::Mts, ModuleFormat::Module),
            "commonjs" => (FileClass::Cjs, ModuleFormat::CommonJs),
            "commonjs-typescript" => (FileClass::Cts, ModuleFormat::CommonJs),
            _ => (FileClass::Ts, ModuleFormat::Detect),
        },
        _ => (FileClass::Ts, ModuleFormat::Detect),
    }
}

/// Runs text (`-e`, standard input) that errors call `name`; with `print`, prints its completion value.
///
/// # Errors
/// A JavaScript exception: of its syntax, or what a script throws.
pub fn start_text(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    text: &str,
    name: &str,
    print: bool,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    let path = format!("{}/{name}", cwd());
    *state.program_text.borrow_mut() = Some((path.clone(), text.to_string()));
    let (class, format) = text_format(state);
    let prepared = prepare::prepare_as(scope, state, &path, class, format, text.to_string())?;
    if prepared.kind == ModuleKind::Esm {
        let module = modules::load_text(scope, state, &path, prepared)?;
        return keep_evaluation(scope, state, module, promise);
    }
    let text = scope.string(&prepared.code)?;
    let path = scope.string(&path)?;
    let print = scope.boolean(print);
    builtins::call(scope, "internal/module/cjs", "runText", &[text, path, print])?;
    Ok(())
}
/// Looks whether the main module's evaluation has ended; a rejection is an uncaught error.
pub fn check_main(scope: &mut Scope<'_>, state: &RuntimeState, watch: &mut Option<Global>) {
    let Some(promise) = &*watch else { return };
    let outcome = scope.nested(|scope| {
        let promise = promise.get(scope);
        match scope.promise_state(promise) {
            Some((PromiseState::Pending, _)) => None,
            Some((PromiseState::Rejected, reason)) => Some(Some(scope.global(reason))),
            _ => Some(None),
        }
    });
    match outcome {
        None => {}
        Some(rejection) => {
            *watch = None;
            let module = state.main_module.take();
            if let Some(reason) = rejection {
                scope.nested(|scope| {
                    let reason = reason.get(scope);
                    errors::trigger_uncaught(scope, state, reason, true);
                });
            } else if let Some(module) = module
                && let Err(exc) = scope.nested(|scope| serve_default(scope, &module))
            {
                errors::uncaught(scope, state, exc);
            }
        }
    }
}

/// `export default { fetch }` in the main module is a server (Bun.serve), unless it was started already.
fn serve_default(scope: &mut Scope<'_>, module: &Global) -> JsResult<()> {
    let module = module.get(scope);
    let namespace = scope.module_namespace(module)?;
    if !scope.has_own(namespace, "default")? {
        return Ok(());
    }
    let value = scope.get(namespace, "default")?;
    if !value.is_object() {
        return Ok(());
    }
    let fetch = scope.get(value, "fetch")?;
    if !fetch.is_callable() {
        return Ok(());
    }
    builtins::call(scope, "internal/serve/default_export", "start", &[value]).map(drop)
}

/// Loads a module before the program (`--import`, `--require`, `--preload`).
///
/// # Errors
/// What loading and running it throw.
pub fn preload(scope: &mut Scope<'_>, state: &RuntimeState, specifier: &str) -> JsResult<()> {
    scope.nested(|scope| {
        let specifier = scope.string(specifier)?;
        builtins::call(scope, "internal/module/cjs", "preload", &[specifier])?;
        turns::drain(scope, state);
        Ok(())
    })
}

/// Runs the main file once more (`--hot`): the promise of its evaluation, if it is an ES module.
pub fn run_again<'s>(scope: &mut Scope<'s>, state: &RuntimeState, path: &str) -> JsResult<Local<'s>> {
    let mut promise = None;
    start_file(scope, state, path, &mut promise)?;
    Ok(match promise {
        Some(promise) => promise.get(scope),
        None => scope.undefined(),
    })
}

fn cwd() -> String {
    std::env::current_dir().map_or_else(|_| "/".into(), |p| p.to_string_lossy().into_owned())
}
