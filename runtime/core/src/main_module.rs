//! The program's first module: finding it, running it, and what follows when its evaluation is over.

use engine::{CompileOptions, Global, JsResult, Local, OpError, PromiseState, Scope};
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
    let given = match state.options.node_option("--entry-url") {
        Some(_) if !state.is_worker() => {
            let path = scope.string(path)?;
            let path = builtins::call(scope, "internal/module/preload", "entryPath", &[path])?;
            scope.to_string(path)?
        }
        _ => path.to_owned(),
    };
    let path = given.as_str();
    // An absolute path counts from nowhere else.
    let cwd = if path.starts_with('/') && !state.hooks_active.get() { "/".to_string() } else { cwd() };
    if !state.is_worker() {
        begin_record(state, path);
    }
    let base = format!("{cwd}/[entry]");
    let answer = hooks::answer(scope, state, path, &base, "entry-point-run", None)?;
    if scope.promise_state(answer).is_some() {
        // The hooks answer later, and then what follows here goes on.
        let path = scope.string(path)?;
        let evaluation = builtins::call(scope, "internal/module/loader_hooks", "startEntry", &[answer, path])?;
        scope.mark_handled(evaluation)?;
        *promise = Some(scope.global(evaluation));
        return Ok(());
    }
    start_answered(scope, state, path, answer, promise)
}

/// Goes on with the main file once the hooks have answered: undefined if they have no opinion.
///
/// # Errors
/// Those of [`start_file`].
pub fn start_answered(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    answer: Local<'_>,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    let cwd = cwd();
    let answer = scope.copy(answer);
    let mut path = std::borrow::Cow::Borrowed(path);
    if !answer.is_nullish() {
        let file = scope.get(answer, "file")?;
        if file.is_nullish() {
            let module = hooks::module_of(scope, state, answer, &path, &cwd)?;
            return keep_evaluation(scope, state, module, promise);
        }
        path = scope.to_string(file)?.into();
    }
    let path = &*path;
    let resolution = {
        let mut map = state.modules.borrow_mut();
        map.resolve(&state.options, path, &cwd, Kind::Entry)
    };
    let file = match resolution {
        Ok(resolution) => match resolution.file() {
            Some(file) => file.clone(),
            // `--entry-url data:...`
            None if state.options.node_option("--entry-url").is_some() => {
                let module = modules::load_unhooked(scope, state, path, &cwd, None, true)?;
                return keep_evaluation(scope, state, module, promise);
            }
            None => return Err(scope.throw_error(&format!("'{path}' is not a file that can be run"))),
        },
        Err(error) => return Err(modules::throw_resolve_error(scope, &error, Kind::Entry)),
    };
    modules::set_main(state, &file.path);
    if !state.is_worker() {
        base::permission::allow_read(&file.path);
    }
    // As in Node and Bun, a main file of an unknown kind is a script; one that is imported is its path, as in Bun.
    let is_unknown = file.class == FileClass::Other && prepare::overridden(state, file.extension()).is_none();
    if source::file_kind(file.class) == FileKind::Script || is_unknown {
        let prepared = prepare::script(scope, state, &file)?;
        let kind = prepared.kind;
        if state.options.node_option("--check").is_some() {
            return check_syntax(scope, state, &file.path, &prepared);
        }
        state.modules.borrow_mut().keep_main(prepared);
        // A preloaded module may have put its own handlers in `require.extensions`, to which an ES module is text as any other.
        let is_open = kind == ModuleKind::Esm && file.module_format() == ModuleFormat::Detect;
        if kind == ModuleKind::Cjs || (is_open && is_hooked(scope, &file.path)?) {
            let path = scope.string(&file.path)?;
            builtins::call(scope, "internal/module/cjs", "runMain", &[path])?;
            return Ok(());
        }
    }
    if state.options.node_option("--input-type").is_some() && !state.is_worker() {
        let message = "--input-type can only be used with string input via --eval, --print, or STDIN";
        return Err(scope.throw_op_error(&OpError::error(message).code("ERR_INPUT_TYPE_NOT_ALLOWED")));
    }
    let module = modules::load_file(scope, state, &file, "", is_unknown.then_some(FileKind::Script))?;
    keep_evaluation(scope, state, module, promise)
}

/// `--check`: compiles a text and runs nothing.
fn check_syntax(scope: &mut Scope<'_>, state: &RuntimeState, path: &str, prepared: &source::Source) -> JsResult<()> {
    if prepared.stencil.is_some() {
        return Ok(());
    }
    match prepared.kind {
        ModuleKind::Esm => scope.compile_module(&prepared.code, &CompileOptions::new(path)).map(drop),
        ModuleKind::Cjs => modules::compile_commonjs(scope, state, path, &prepared.code).map(drop),
    }
}

/// What the program reads of packages that are in archives comes from the record of its last run.
pub fn begin_record(state: &RuntimeState, main: &str) {
    let main = if main.starts_with('/') { main.to_string() } else { format!("{}/{main}", cwd()) };
    if let Some(file) = state.cache.record(&main) {
        store::record::begin(file);
    }
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

/// What the text of a program is by `--input-type`: TypeScript that says itself what it is, where that was not given. Only JSX has
/// ends of tags; without one, `<T>x` and `<T>(x) => x` are types.
fn text_format(state: &RuntimeState, text: &str) -> (FileClass, ModuleFormat) {
    let own = if text.contains("</") || text.contains("/>") { FileClass::Tsx } else { FileClass::Ts };
    match state.options.node_option("--input-type") {
        Some(NodeOption::Text(kind)) => match kind.as_str() {
            "module" => (FileClass::Mjs, ModuleFormat::Module),
            "module-typescript" => (FileClass::Mts, ModuleFormat::Module),
            "commonjs" => (FileClass::Cjs, ModuleFormat::CommonJs),
            "commonjs-typescript" => (FileClass::Cts, ModuleFormat::CommonJs),
            _ => (own, ModuleFormat::Detect),
        },
        _ => (own, ModuleFormat::Detect),
    }
}

/// Makes the text of a program known before it runs: its path, by which errors call it.
pub fn note_text(state: &RuntimeState, text: &str, name: &str) -> String {
    let path = format!("{}/{name}", cwd());
    *state.program_text.borrow_mut() = Some((path.clone(), text.to_string()));
    path
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
    let path = note_text(state, text, name);
    let (class, format) = text_format(state, text);
    let mut prepared = prepare::prepare_as(scope, state, &path, class, format, text.to_string())?;
    // A script cannot have `using` outside of blocks: as in Bun, and as with `await`, the text is a module then.
    if prepared.kind != ModuleKind::Esm
        && matches!(format, ModuleFormat::Detect)
        && transpile::has_outer_using(&prepared.code)
    {
        prepared = prepare::prepare_as(scope, state, &path, class, ModuleFormat::Module, text.to_string())?;
    }
    if state.options.node_option("--check").is_some() {
        return check_syntax(scope, state, &path, &prepared);
    }
    if prepared.kind == ModuleKind::Esm {
        if print && let Some(code) = transpile::export_completion(&prepared.code) {
            prepared.code = code;
        }
        let module = modules::load_text(scope, state, &path, prepared)?;
        return keep_evaluation(scope, state, module, promise);
    }
    // CommonJS by what it says (`module.exports`): in a block `using` may stand, and the last expression still is the value.
    if let Some(code) = transpile::enclose_outer_using(&prepared.code) {
        prepared.code = code;
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
                && let Err(exc) = scope.nested(|scope| {
                    if state.program_text.borrow().is_some() {
                        print_completion(scope, &module)?;
                    }
                    serve_default(scope, &module)
                })
            {
                errors::uncaught(scope, state, exc);
            }
        }
    }
}

/// `--print` of an ES module.
fn print_completion(scope: &mut Scope<'_>, module: &Global) -> JsResult<()> {
    let module = module.get(scope);
    let namespace = scope.module_namespace(module)?;
    if !scope.has_own(namespace, transpile::COMPLETION)? {
        return Ok(());
    }
    let value = scope.get(namespace, transpile::COMPLETION)?;
    builtins::call(scope, "internal/module/cjs", "print", &[value]).map(drop)
}

/// `export default { fetch }` or `{ app }` in the main module is a server (Bun.serve), unless it was started already.
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
        let app = scope.get(value, "app")?;
        if app.is_nullish() {
            return Ok(());
        }
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
