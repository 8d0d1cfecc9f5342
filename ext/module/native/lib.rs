//! Family "loader": what ext/module/cjs.ts and node:module need of the module loader.

mod source_map;

pub use source_map::family as source_map_family;

use std::sync::Arc;

use engine::{CompileOptions, Exc, JsResult, Local, OpError, Scope, op, ops};
use resolve::{CallOptions, FileClass, Kind, ModuleFormat, ResolvedFile, Target};
use runtime_core::compile_cache::Outcome;
use runtime_core::modules::{
    self, closes_wrapper, commonjs_error, commonjs_stencil, compile_commonjs, hooks, run_commonjs,
};
use runtime_core::source::{self, FileKind};
use runtime_core::{RuntimeState, builtins, coverage, embedded, errors, graphs, main_module, prepare};
use transpile::{Loader, MacroSource, ModuleKind};

/// Resolves for `require`: `["builtin", id]` or `["file", path, query and hash if any]`. `paths` are directories to start from instead,
/// `conditions` those of package exports instead of the usual ones.
#[op(ts(returns = "[kind: \"builtin\" | \"file\" | \"url\", name: string, suffix: string | undefined]"))]
fn resolve<'s>(
    scope: &mut Scope<'s>,
    specifier: String,
    importer: String,
    resolve_only: bool,
    paths: Option<Vec<String>>,
    conditions: Option<Vec<String>>,
) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let kind = if resolve_only { Kind::RequireResolve } else { Kind::Require };
    let result = {
        let mut map = state.modules.borrow_mut();
        map.with_resolver(&state.options, |resolver| {
            let paths: Option<Vec<&str>> = paths.as_ref().map(|list| list.iter().map(String::as_str).collect());
            let conditions: Option<Vec<&str>> =
                conditions.as_ref().map(|list| list.iter().map(String::as_str).collect());
            let call = CallOptions { paths: paths.as_deref(), conditions: conditions.as_deref() };
            resolver.resolve_with(&specifier, &importer, kind, &call)
        })
    };
    match result {
        Ok(resolution) => {
            state.modules.borrow_mut().remember(&resolution);
            let (kind, name) = match &resolution.target {
                Target::Builtin(id) => ("builtin", (*id).to_string()),
                Target::File(file) => ("file", file.path.to_string()),
                Target::Url(url) => ("url", url.to_string()),
            };
            let kind = scope.string(kind)?;
            let name = scope.string(&name)?;
            let suffix = match &resolution.suffix {
                Some(suffix) => scope.string(suffix)?,
                None => scope.undefined(),
            };
            scope.new_array(&[kind, name, suffix])
        }
        Err(error) => Err(modules::throw_resolve_error(scope, &error, kind)),
    }
}

/// `import.meta.resolve`: the URL of a specifier for an importer. `conditions`: those of package exports instead of the usual ones.
#[op]
fn resolve_url(
    scope: &mut Scope<'_>,
    specifier: String,
    importer: String,
    conditions: Option<Vec<String>>,
) -> Result<String, Exc> {
    let state = RuntimeState::of(scope);
    let result = {
        let mut map = state.modules.borrow_mut();
        map.with_resolver(&state.options, |resolver| {
            let conditions: Option<Vec<&str>> =
                conditions.as_ref().map(|list| list.iter().map(String::as_str).collect());
            let call = CallOptions { conditions: conditions.as_deref(), ..CallOptions::default() };
            resolver.resolve_with(&specifier, &importer, Kind::Import, &call)
        })
    };
    if let Ok(resolution) = &result {
        state.modules.borrow_mut().remember(resolution);
    }
    match result {
        Ok(resolution) => Ok(match &resolution.target {
            Target::Builtin(id) => builtins::public_specifier(id).into_owned(),
            Target::Url(url) => url.to_string(),
            Target::File(file) => {
                format!("{}{}", source::file_url(&file.path), resolution.suffix.as_deref().unwrap_or(""))
            }
        }),
        Err(error) => Err(modules::throw_resolve_error(scope, &error, Kind::Import)),
    }
}

fn resolved_file(scope: &mut Scope<'_>, state: &RuntimeState, path: &str) -> JsResult<Arc<ResolvedFile>> {
    if let Some(file) = state.modules.borrow().file(path) {
        return Ok(file);
    }
    let result = {
        let mut map = state.modules.borrow_mut();
        map.with_resolver(&state.options, |resolver| resolver.resolve(path, path, Kind::Require))
    };
    match result {
        Ok(resolution) => match resolution.file() {
            Some(file) => Ok(file.clone()),
            None => Err(scope.throw_error(&format!("'{path}' is not a file"))),
        },
        // A path that the resolver does not know (made up by a program): by its extension.
        Err(error) if error.kind.is_not_found() => Ok(Arc::new(ResolvedFile {
            id: u32::MAX,
            path: path.into(),
            package: None,
            class: FileClass::from_extension(resolve::paths::extension(path)),
            in_node_modules: path.contains("/node_modules/"),
        })),
        Err(error) => Err(modules::throw_resolve_error(scope, &error, Kind::Require)),
    }
}

/// Loads a file for `require`: `[0, function]` for CommonJS, `[1, namespace]` for an ES module, `[2, value]` for data. `graph`: that of the
/// module that asks, if any.
#[op(ts(returns = "[0, Function] | [1 | 2, unknown]"))]
fn load<'s>(scope: &mut Scope<'s>, path: String, suffix: Option<String>, graph: Option<u32>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let suffix = suffix.unwrap_or_default();
    graphs::within(&state, graph.unwrap_or(0), || load_here(scope, &state, path, &suffix))
}

/// The same in the graph that is current.
fn load_here<'s>(scope: &mut Scope<'s>, state: &RuntimeState, path: String, suffix: &str) -> Result<Local<'s>, Exc> {
    let file = resolved_file(scope, state, &path)?;
    let kind = match (prepare::overridden(state, file.extension()), file.class) {
        (Some(kind), _) => kind,
        // In `require`, whatever has no loader of its own is JavaScript, as in Node.
        (None, FileClass::Other) => FileKind::Script,
        (None, class) => source::file_kind(class),
    };
    let (tag, value) = match kind {
        FileKind::Script => {
            let kept = state.modules.borrow_mut().take_main(&path);
            let mut prepared = match kept {
                Some(prepared) => prepared,
                None => prepare::script(scope, state, &file)?,
            };
            match prepared.kind {
                ModuleKind::Cjs => {
                    let function = match &prepared.stencil {
                        Some(stencil) => run_commonjs(scope, state, &path, stencil)?,
                        None => {
                            let stencil = match commonjs_stencil(scope, &path, &prepared.code) {
                                Ok(stencil) => stencil,
                                Err(exc) => match prepare::second_reading(&prepared, state, &path) {
                                    Some(second) => {
                                        scope.take_exception(exc);
                                        prepared = second;
                                        commonjs_stencil(scope, &path, &prepared.code)?
                                    }
                                    None => return Err(commonjs_error(scope, exc, &prepared.code, &path)),
                                },
                            };
                            if closes_wrapper(&prepared.code) {
                                let message = "Unexpected token '}': it closes the function around a CommonJS module";
                                return Err(scope.throw_op_error(&OpError::syntax_error(format!("{message} ({path})"))));
                            }
                            prepare::store(&prepared, scope, state, &stencil)?;
                            run_commonjs(scope, state, &path, &stencil)?
                        }
                    };
                    if let Some(map) = prepared.map {
                        modules::add_map(state, &path, map);
                    }
                    (0, function)
                }
                ModuleKind::Esm => (1, modules::require_esm(scope, state, &file, suffix)?),
            }
        }
        FileKind::Json | FileKind::Jsonc | FileKind::Json5 | FileKind::Toml | FileKind::Yaml => {
            (2, modules::data_value(scope, &path, kind)?)
        }
        FileKind::Text => {
            let bytes = prepare::read(scope, &path)?;
            (2, scope.string_lossy(&bytes)?)
        }
        FileKind::Sheet => {
            let exports = scope.new_object()?;
            let is_esm = scope.boolean(true);
            scope.set(exports, "__esModule", is_esm)?;
            let value = scope.new_object()?;
            scope.set(exports, "default", value)?;
            (2, exports)
        }
        FileKind::File => (2, scope.string(&path)?),
        FileKind::Wasm | FileKind::Addon | FileKind::Sqlite | FileKind::Page => {
            let module = modules::load_file(scope, state, &file, "", None)?;
            modules::evaluate(scope, module)?;
            let namespace = scope.module_namespace(module)?;
            (2, scope.get(namespace, "default")?)
        }
    };
    let tag = scope.int(tag);
    scope.new_array(&[tag, value])
}

/// `module._compile`: the function of CommonJS text, or `undefined` where the text is an ES module.
#[op(ts(returns = "Function"))]
fn compile_text<'s>(scope: &mut Scope<'s>, text: String, path: String, graph: Option<u32>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    graphs::within(&state, graph.unwrap_or(0), || compile_text_here(scope, &state, text, &path))
}

fn compile_text_here<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    text: String,
    path: &str,
) -> Result<Local<'s>, Exc> {
    let class = FileClass::from_extension(resolve::paths::extension(path));
    if class.is_typescript() || class == FileClass::Jsx {
        let prepared = prepare::prepare_text(scope, state, path, class, ModuleFormat::CommonJs, text)?;
        if let Some(map) = prepared.map {
            modules::add_map(state, path, map);
        }
        return compile_commonjs(scope, state, path, &prepared.code);
    }
    match coverage::count_mapped(scope, state, path, &text, coverage::Unit::Body)? {
        Some(code) => compile_commonjs(scope, state, path, &code),
        None => compile_commonjs(scope, state, path, &text),
    }
}

/// Runs text as a classic script (`-e`): its declarations become globals; gives the completion value.
#[op(ts(returns = "unknown"))]
fn run_script<'s>(scope: &mut Scope<'s>, text: String, path: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let number = state.modules.borrow_mut().referrer(&path);
    let stencil = scope.compile_script(&text, &CompileOptions::new(&path))?;
    scope.run_script(&stencil, Some(number))
}

/// From now on the loader asks ext/module/loader_hooks.
#[op]
fn activate_hooks(scope: &mut Scope<'_>) {
    RuntimeState::of(scope).hooks_active.set(true);
}

/// Paths of the program's files that are ES modules, or were imported by some.
#[op]
fn loaded_files(scope: &mut Scope<'_>) -> Vec<String> {
    RuntimeState::of(scope).modules.borrow().loaded_files()
}

/// Forgets the program's modules (`--hot`).
#[op]
fn reset_modules(scope: &mut Scope<'_>) {
    RuntimeState::of(scope).modules.borrow_mut().reset();
}

/// Runs the main file again: the promise of its evaluation, or undefined where it is CommonJS.
#[op(ts(returns = "Promise<unknown> | undefined"))]
fn run_main<'s>(scope: &mut Scope<'s>, path: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    main_module::run_again(scope, &state, &path)
}

/// Goes on with the main file `path` once asynchronous hooks have answered `answer` for it: the promise of its evaluation, or undefined if
/// it is CommonJS.
#[op(ts(returns = "Promise<unknown> | undefined"))]
fn run_entry<'s>(scope: &mut Scope<'s>, path: String, answer: Local<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let mut promise = None;
    main_module::start_answered(scope, &state, &path, answer, &mut promise)?;
    Ok(match promise {
        Some(promise) => promise.get(scope),
        None => scope.undefined(),
    })
}

/// Makes `path` that of the program's main module (`import.meta.main`).
#[op]
fn set_main(scope: &mut Scope<'_>, path: String) {
    let state = RuntimeState::of(scope);
    modules::set_main(&state, &path);
}

/// `module.syncBuiltinESMExports`
#[op]
fn sync_builtins(scope: &mut Scope<'_>) -> Result<(), Exc> {
    let state = RuntimeState::of(scope);
    modules::sync_builtins(scope, &state)
}

/// Prints an error as an uncaught one is printed.
#[op]
fn report<'s>(scope: &mut Scope<'s>, error: Local<'s>) {
    let state = RuntimeState::of(scope);
    errors::report(scope, &state, error);
}

/// Whether `--hot` clears the screen before it loads anew; undefined without `--hot`.
#[op]
fn hot_clears_screen(scope: &mut Scope<'_>) -> Option<bool> {
    RuntimeState::of(scope).options.hot
}

/// The module record of a source that hooks gave; of none, that of `specifier`.
#[op(ts(returns = "object"))]
fn hooked_module<'s>(
    scope: &mut Scope<'s>,
    source: Local<'s>,
    specifier: String,
    importer: String,
    graph: Option<u32>,
) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    graphs::within(&state, graph.unwrap_or(0), || hooks::module_of(scope, &state, source, &specifier, &importer))
}

/// The number of the graph that modules are looked up in now; 0 for the program.
#[op]
fn current_graph(scope: &mut Scope<'_>) -> u32 {
    graphs::current_number(&RuntimeState::of(scope))
}

/// Makes a graph of modules whose modules have `names`, which are identifiers, beside the global object's; its number.
#[op]
fn create_graph(scope: &mut Scope<'_>, names: Vec<String>) -> u32 {
    graphs::create(&RuntimeState::of(scope), names)
}

/// `import()` into a graph.
#[op(ts(returns = "Promise<object>"))]
fn import_into<'s>(scope: &mut Scope<'s>, graph: u32, specifier: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    graphs::import(scope, &state, graph, &specifier)
}

/// The path of a graph's main module, once one was imported.
#[op]
fn main_of_graph(scope: &mut Scope<'_>, graph: u32) -> Option<String> {
    graphs::main_of(&RuntimeState::of(scope), graph).map(|path| path.to_string())
}

/// Forgets the modules of a graph; imports in its code end in `refuseImport` of ext/module/graph.ts.
#[op]
fn dispose_graph(scope: &mut Scope<'_>, graph: u32) {
    RuntimeState::of(scope).modules.borrow_mut().dispose_graph(graph);
}

/// Loads a source that hooks gave for `require`, as `load` does a file.
#[op(ts(returns = "[0, Function] | [1 | 2, unknown]"))]
fn load_hooked<'s>(scope: &mut Scope<'s>, source: Local<'s>, graph: Option<u32>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let loaded = graphs::within(&state, graph.unwrap_or(0), || hooks::load_for_require(scope, &state, source));
    let (tag, value) = loaded?;
    let tag = scope.int(tag);
    scope.new_array(&[tag, value])
}

/// The module system of a script file, `module` or `commonjs`, as loading it would find.
#[op]
fn module_kind(scope: &mut Scope<'_>, path: String) -> Result<&'static str, Exc> {
    let state = RuntimeState::of(scope);
    let file = resolved_file(scope, &state, &path)?;
    let prepared = prepare::script(scope, &state, &file)?;
    Ok(if prepared.kind == ModuleKind::Esm { "module" } else { "commonjs" })
}

/// Parses a JSON file's text for `require`, naming the file in errors.
#[op(ts(returns = "unknown"))]
fn load_json<'s>(scope: &mut Scope<'s>, path: String) -> Result<Local<'s>, Exc> {
    modules::data_value(scope, &path, FileKind::Json)
}

/// `module.paths` of a directory.
#[op]
fn lookup_paths(scope: &mut Scope<'_>, dir: String) -> Vec<String> {
    let state = RuntimeState::of(scope);
    let mut map = state.modules.borrow_mut();
    map.with_resolver(&state.options, |resolver| resolver.lookup_paths(&dir))
}

/// `require.resolve.paths`.
#[op]
fn resolve_paths(scope: &mut Scope<'_>, specifier: String, importer: String) -> Option<Vec<String>> {
    let state = RuntimeState::of(scope);
    let mut map = state.modules.borrow_mut();
    map.with_resolver(&state.options, |resolver| resolver.require_resolve_paths(&specifier, &importer))
}

/// Path of the package.json whose scope a file is in.
#[op]
fn package_json_path(scope: &mut Scope<'_>, path: String) -> Option<String> {
    let state = RuntimeState::of(scope);
    let mut map = state.modules.borrow_mut();
    map.with_resolver(&state.options, |resolver| {
        resolver.package_scope(&path).ok().flatten().map(|package| package.path().to_string())
    })
}

/// Names of public built-in modules.
#[op]
fn builtin_names() -> Vec<String> {
    builtins::public_names()
}

/// Id of a public built-in module for a specifier.
#[op(ts(returns = "BuiltinId | undefined"))]
fn builtin_id(specifier: String) -> Option<&'static str> {
    builtins::public_id(&specifier)
}

/// Names and sizes of the files in the executable that are no modules; undefined if it has no program (`bao build --compile`).
#[op(ts(returns = "[name: string, size: number][] | undefined"))]
fn embedded_files<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let Some(files) = embedded::files() else { return Ok(scope.undefined()) };
    let list = scope.new_array(&[])?;
    for (at, (name, size)) in files.iter().enumerate() {
        let name = scope.string(name)?;
        let size = scope.number(*size as f64);
        let item = scope.new_array(&[name, size])?;
        scope.set_index(list, at as u32, item)?;
    }
    Ok(list)
}

/// The path of the module in the executable that a worker's specifier means.
#[op]
fn embedded_worker(specifier: String) -> Option<String> {
    embedded::worker(&specifier)
}

fn script_loader(name: &str) -> Loader {
    Loader::of_name(name).unwrap_or(Loader::Js)
}

fn macro_sources(parts: &[String]) -> Vec<MacroSource> {
    let source =
        |part: &[String]| MacroSource { module: part[0].clone(), name: part[1].clone(), target: part[2].clone() };
    parts.chunks_exact(3).map(source).collect()
}

/// The calls of macros in a text, six texts each: module, export, arguments (see `transpile::MacroCall`), line, column, text of the
/// line. Undefined if it imports no macros. `loader`: js, jsx, ts or tsx. `sources`: functions that are macros wherever they are
/// imported, in threes: module and name as imported, module that has it.
///
/// # Errors
/// A SyntaxError about arguments that are not known before the program runs.
#[op]
fn find_macros(
    scope: &mut Scope<'_>,
    text: String,
    path: String,
    loader: String,
    sources: Vec<String>,
) -> Result<Option<Vec<String>>, Exc> {
    // Few texts have any: the others are not parsed.
    if sources.is_empty() && !transpile::mentions_macros(&text) {
        return Ok(None);
    }
    match transpile::find_macros(&text, &path, script_loader(&loader), &macro_sources(&sources)) {
        Ok(calls) => Ok(calls.map(|calls| {
            let parts = calls.into_iter().flat_map(|call| {
                let (line, column) = (call.line.to_string(), call.column.to_string());
                [call.specifier, call.name, call.arguments, line, column, call.line_text]
            });
            parts.collect()
        })),
        Err(errors) => Err(runtime_core::diagnostics::throw_diagnostics(scope, &errors)),
    }
}

/// The text with JavaScript expressions in the places of its macros' calls.
///
/// # Errors
/// As [`find_macros`].
#[op]
fn expand_macros(
    scope: &mut Scope<'_>,
    text: String,
    path: String,
    loader: String,
    sources: Vec<String>,
    results: Vec<String>,
) -> Result<String, Exc> {
    transpile::expand_macros(&text, &path, script_loader(&loader), &macro_sources(&sources), &results)
        .map_err(|errors| runtime_core::diagnostics::throw_diagnostics(scope, &errors))
}

/// Exports of a public built-in module.
#[op(ts(generic = "K extends BuiltinId", id = "K", returns = "BuiltinModules[K]"))]
fn require_builtin<'s>(scope: &mut Scope<'s>, id: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    if id == "node:process" {
        state.process_used.set(true);
    }
    builtins::require(scope, &id)
}

/// Path of the program.
#[op]
fn main_path(scope: &mut Scope<'_>) -> Option<String> {
    let state = RuntimeState::of(scope);
    let path = state.modules.borrow().main_path();
    path.map(|p| p.to_string())
}

/// TypeScript to JavaScript for `module.stripTypeScriptTypes`.
#[op]
fn strip_types(text: String) -> Result<String, OpError> {
    let options = transpile::Options { loader: Some(Loader::Ts), ..transpile::Options::default() };
    match transpile::transpile(&text, "<strip>.ts", &options) {
        Ok(output) => Ok(output.code.unwrap_or(text)),
        Err(errors) => {
            let message = errors.first().map(|e| e.message.clone()).unwrap_or_default();
            Err(OpError::syntax_error(message).code("ERR_INVALID_TYPESCRIPT_SYNTAX"))
        }
    }
}

/// `module.enableCompileCache`: 0 failed, 1 enabled, 2 enabled before, 3 switched off by the environment; and the folder, or what
/// went wrong.
#[op]
fn enable_compile_cache(scope: &mut Scope<'_>, dir: String, portable: bool) -> (u32, Option<String>) {
    match RuntimeState::of(scope).compile_cache.enable(std::path::Path::new(&dir), portable) {
        Outcome::Failed(message) => (0, Some(message)),
        Outcome::Enabled(dir) => (1, Some(dir)),
        Outcome::Already(dir) => (2, Some(dir)),
        Outcome::Disabled => (3, Some("Disabled by NODE_DISABLE_COMPILE_CACHE".to_string())),
    }
}

/// The folder of the compile cache; undefined while there is none.
#[op]
fn compile_cache_dir(scope: &mut Scope<'_>) -> Option<String> {
    RuntimeState::of(scope).compile_cache.dir()
}

/// Writes what the compile cache has noted.
#[op]
fn flush_compile_cache(scope: &mut Scope<'_>) {
    RuntimeState::of(scope).compile_cache.flush();
}

ops!(pub fn family "loader" {
    resolve, resolve_url, load, compile_text, run_script, load_json, lookup_paths, resolve_paths, package_json_path, builtin_names,
    enable_compile_cache, compile_cache_dir, flush_compile_cache, builtin_id, require_builtin, main_path, strip_types, activate_hooks, hooked_module, load_hooked,
    module_kind, embedded_files, embedded_worker, find_macros, expand_macros, loaded_files, reset_modules,
    run_main, report, hot_clears_screen, run_entry, set_main, sync_builtins,
    current_graph, create_graph, import_into, main_of_graph, dispose_graph
});
