//! The module loader: imports of ES modules, what `require` needs of it, and the modules it writes around other things.

use std::rc::Rc;
use std::sync::Arc;

use engine::{
    CompileOptions, ImportRequest, JsResult, Local, ModuleKind as AttributeKind, OpError, PropertyAttributes, Scope,
};
use resolve::{FileClass, Kind, ResolvedFile, Target};
use transpile::{ModuleKind, SourceMap};

use crate::builtins;
use crate::graphs;
use crate::module_map::{Body, Importer, Record};
use crate::prepare;
use crate::source::{self, FileKind};
use crate::state::RuntimeState;

mod commonjs;
mod data;
mod data_url;
mod failures;
pub mod hooks;
mod namespaces;
mod required;
mod source_phase;
mod wrappers;

pub use commonjs::{
    closes_wrapper, commonjs_error, commonjs_stencil, commonjs_stencil_of, compile_commonjs, run_commonjs,
};
pub use data::{data_of_text, data_value, parsed_data};
use data_url::load_data_url;
use failures::locate_failure;
pub use failures::throw_resolve_error;
pub use required::{require_esm, require_module, unsettled_awaits};
use wrappers::{add_wrapper_text, load_builtin_for, load_bytes, wrap_commonjs, wrap_value, wrapper_text};
pub use wrappers::{load_builtin, wrap_exports, wrap_value_as};

/// HostLoadImportedModule.
pub fn load<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    referrer: Option<u32>,
    request: &ImportRequest,
) -> JsResult<Local<'s>> {
    let graph = referrer.map_or(0, |number| state.modules.borrow().graphs.of_record(number));
    if state.modules.borrow().graphs.is_disposed(graph) {
        return graphs::refuse(scope, graph);
    }
    graphs::within(state, graph, || {
        load_requested(scope, state, referrer, request)
            .map_err(|exc| if request.dynamic { exc } else { locate_failure(scope, state, exc, referrer, request) })
    })
}

fn load_requested<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    referrer: Option<u32>,
    request: &ImportRequest,
) -> JsResult<Local<'s>> {
    let importer: Arc<str> = match referrer {
        Some(number) => state.modules.borrow().records[number as usize].path.clone(),
        None => {
            let cwd = std::env::current_dir().unwrap_or_default();
            format!("{}/[eval]", cwd.display()).into()
        }
    };
    if request.specifier == source::MODULE_SCOPE {
        return module_scope(scope, state, &importer);
    }
    if request.specifier == source::GRAPH_SCOPE {
        return graphs::scope_module(scope, state);
    }
    if request.specifier == source::REQUIRED
        && let Some(module) = existing(scope, state, &importer)
    {
        return Ok(module);
    }
    if let Some(number) = referrer
        && matches!(state.modules.borrow().records[number as usize].body, Body::Vm(false))
    {
        return Err(scope.throw_op_error(
            &OpError::type_error("A dynamic import callback was not specified.")
                .code("ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING"),
        ));
    }
    if request.source_phase {
        return source_phase::load(scope, state, &request.specifier, &importer);
    }
    if state.hooks_active.get() {
        let kind = if request.dynamic { "dynamic-import" } else { "import-statement" };
        let attribute = match request.kind {
            AttributeKind::JavaScript => None,
            AttributeKind::Json => Some("json"),
            AttributeKind::Css => Some("css"),
            AttributeKind::Bytes => Some("bytes"),
            AttributeKind::Text => Some("text"),
            AttributeKind::Other => Some("other"),
        };
        if let Some(module) = hooks::ask(scope, state, &request.specifier, &importer, kind, attribute)? {
            return Ok(module);
        }
    }
    load_unhooked(scope, state, &request.specifier, &importer, Some(request.kind), request.dynamic)
}

/// `require`, `__dirname` and `__filename` of an ES module that uses them, see [`source::MODULE_SCOPE`].
fn module_scope<'s>(scope: &mut Scope<'s>, state: &RuntimeState, importer: &Arc<str>) -> JsResult<Local<'s>> {
    let key = format!("{}:{importer}", source::MODULE_SCOPE);
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    let path = scope.string(importer)?;
    let graph = graphs::current(scope, state);
    let names = builtins::call(scope, "internal/module/cjs", "moduleScope", &[path, graph])?;
    wrap_exports(scope, state, key, importer, importer.clone(), names)
}

/// A number for scripts of node:vm without a callback, see [`Body::Vm`].
pub fn vm_referrer(state: &RuntimeState, filename: &str, default_loader: bool) -> u32 {
    let mut map = state.modules.borrow_mut();
    // Without a loader nobody asks for the name.
    let key = if default_loader { format!("vm:{filename}") } else { "vm:".to_string() };
    if let Some(number) = map.number(&key) {
        return number;
    }
    let url = if filename.starts_with('/') { source::file_url(filename) } else { filename.into() };
    // What it imports is looked for from the file of a URL.
    let path = match filename.strip_prefix("file://").filter(|rest| rest.starts_with('/')) {
        Some(rest) => resolve::paths::percent_decode(rest.split(['?', '#']).next().unwrap_or(rest)).into(),
        None => filename.into(),
    };
    let record = Record { path, url, body: Body::Vm(default_loader), module: None, is_main: false, names: Vec::new() };
    map.add(Some(key), record)
}

/// The same without asking plugins and hooks. `attribute` is `None` for a request whose hooks answered late.
pub fn load_unhooked<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    specifier: &str,
    importer: &str,
    attribute: Option<AttributeKind>,
    dynamic: bool,
) -> JsResult<Local<'s>> {
    if let Some(body) = specifier.strip_prefix("data:") {
        return load_data_url(scope, state, specifier, body, attribute);
    }
    if specifier.starts_with("blob:") {
        return match existing(scope, state, specifier) {
            Some(module) => Ok(module),
            None => hooks::blob(scope, specifier),
        };
    }
    // Modules that plugins made have names of their own; what they import is looked for from the working directory.
    let base: std::borrow::Cow<'_, str> = if importer.starts_with('/') {
        importer.into()
    } else {
        let cwd = std::env::current_dir().unwrap_or_default();
        format!("{}/[plugin]", cwd.display()).into()
    };
    let resolution = {
        let mut map = state.modules.borrow_mut();
        map.resolve(&state.options, specifier, &base, Kind::Import)
    };
    let resolution = match resolution {
        Ok(resolution) => resolution,
        Err(error) => return Err(throw_resolve_error(scope, &error, Kind::Import)),
    };
    match &resolution.target {
        Target::Builtin(id) if dynamic => load_builtin(scope, state, id),
        Target::Builtin(id) => load_builtin_for(scope, state, id, importer, specifier),
        Target::Url(url) => Err(scope.throw_op_error(
            &OpError::error(format!(
                "Only URLs with a scheme in: file, data, blob, and node are supported by the module loader. Received '{url}' imported from {importer}"
            ))
            .code("ERR_UNSUPPORTED_ESM_URL_SCHEME"),
        )),
        Target::File(file) => {
            let attribute = attribute.unwrap_or(AttributeKind::JavaScript);
            let kind = match attribute {
                AttributeKind::JavaScript => None,
                AttributeKind::Json => Some(match source::file_kind(file.class) {
                    // `type: "json"` on another data format keeps the format's own loader, as in Bun.
                    kind @ (FileKind::Jsonc | FileKind::Json5 | FileKind::Toml | FileKind::Yaml) => kind,
                    _ => FileKind::Json,
                }),
                AttributeKind::Text => Some(FileKind::Text),
                AttributeKind::Bytes => None,
                AttributeKind::Css => Some(FileKind::Sheet),
                AttributeKind::Other => attribute_in_source(state, importer, specifier),
            };
            if attribute == AttributeKind::Other && kind.is_none() {
                return Err(scope.throw_op_error(
                    &OpError::type_error(format!(
                        "Import attribute \"type\" of '{specifier}' in {importer} names a loader that bao does not have"
                    ))
                    .code("ERR_IMPORT_ATTRIBUTE_UNSUPPORTED"),
                ));
            }
            let suffix = resolution.suffix.as_deref().unwrap_or("");
            if attribute == AttributeKind::Bytes {
                return load_bytes(scope, state, file);
            }
            let module = load_file(scope, state, file, suffix, kind)?;
            if dynamic || kind.is_some() {
                return Ok(module);
            }
            with_requested_names(scope, state, file, suffix, importer, specifier, module)
        }
    }
}

/// A CommonJS module gives what it turns out to export, also where its text does not tell (lodash): names that this
/// importer asks for beyond the ones found are looked up when the module has run, as Bun does. Node refuses them.
fn with_requested_names<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    file: &Arc<ResolvedFile>,
    suffix: &str,
    importer: &str,
    specifier: &str,
    module: Local<'s>,
) -> JsResult<Local<'s>> {
    let key = format!("{}{suffix}", file.path);
    let mut names = {
        let map = state.modules.borrow();
        let Some(number) = map.number(&key) else { return Ok(module) };
        let record = &map.records[number as usize];
        if !matches!(record.body, Body::WrappedCommonJs) {
            return Ok(module);
        }
        record.names.clone()
    };
    let requested = requested_names(state, importer, specifier);
    let found = names.len();
    let is_new = |names: &[String], name: &str| {
        name != "default" && name != "module.exports" && !names.iter().any(|known| known == name)
    };
    for name in requested.iter().filter(|name| !name.starts_with(OPTIONAL)) {
        if is_new(&names, name) {
            names.push(name.clone());
        }
    }
    let strict = names.len();
    for name in requested.iter().filter_map(|name| name.strip_prefix(OPTIONAL)) {
        if is_new(&names, name) {
            names.push(name.to_owned());
        }
    }
    if names.len() == found {
        return Ok(module);
    }
    let key = format!("{key}\0{}\0{}", strict - found, names[found..].join("\0"));
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    let text = wrapper_text(&names, found..strict, specifier, true, false);
    add_wrapper_text(
        scope,
        state,
        key,
        file.path.clone(),
        source::file_url(&file.path),
        Body::WrappedCommonJs,
        names,
        &text,
    )
}

/// Begins names that an importer asks for as members of a namespace: a module need not have them.
const OPTIONAL: char = '\0';

/// The text of an importer: that of the module compiled last, which is what imports now as a rule, or else its file's.
fn importer_text(state: &RuntimeState, importer: &str) -> Option<Rc<String>> {
    if let Some((path, text)) = &state.modules.borrow().last_text
        && **path == *importer
    {
        return Some(text.clone());
    }
    prepare::text_of(importer).map(Rc::new)
}

/// Looks at what an ES module imports. It is known from when the module was prepared, unless its text went to the engine as it was or
/// came from the cache: then the text is parsed here, once.
fn with_importer<R>(state: &RuntimeState, importer: &str, look: impl FnOnce(&mut Importer) -> R) -> R {
    if !state.modules.borrow().importers.contains_key(importer) {
        let imports = importer_text(state, importer).and_then(|text| {
            let class = FileClass::from_extension(resolve::paths::extension(importer));
            let options = state.modules.borrow_mut().transpile_options(importer, class);
            transpile::transpile(&text, importer, &options).ok()
        });
        let imports = imports.map(|output| output.info.imports).unwrap_or_default();
        state.modules.borrow_mut().importers.insert(importer.into(), Importer { imports, members: None });
    }
    look(state.modules.borrow_mut().importers.get_mut(importer).expect("it was put there"))
}

/// The names that an importer's text asks of a specifier; those that begin with [`OPTIONAL`] are members of its namespace.
fn requested_names(state: &RuntimeState, importer: &str, specifier: &str) -> Vec<String> {
    let (mut names, has_namespace, known) = with_importer(state, importer, |importer| {
        let requests = importer.imports.iter().filter(|request| request.specifier == specifier);
        let names: Vec<String> = requests.clone().flat_map(|request| request.names.iter().cloned()).collect();
        (names, requests.clone().any(|request| request.namespace), importer.members.is_some())
    });
    if has_namespace {
        if !known {
            let members = importer_text(state, importer).map(|text| namespaces::members(&text)).unwrap_or_default();
            with_importer(state, importer, |importer| importer.members = Some(members));
        }
        with_importer(state, importer, |importer| {
            let members = importer.members.iter().flatten().filter(|(wanted, _)| wanted == specifier);
            names.extend(members.flat_map(|(_, names)| names.iter().cloned()));
        });
    }
    names
}

/// The `type` attribute of a request that the engine does not know, from the importer's text.
fn attribute_in_source(state: &RuntimeState, importer: &str, specifier: &str) -> Option<FileKind> {
    with_importer(state, importer, |importer| {
        let mut requests = importer.imports.iter();
        let request = requests.find(|r| r.specifier == specifier && !r.attributes.is_empty())?;
        let (_, value) = request.attributes.iter().find(|(key, _)| key == "type")?;
        source::attribute_kind(value)
    })
}

/// The module record of a file, loaded once per path, suffix and loader.
pub fn load_file<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    file: &Arc<ResolvedFile>,
    suffix: &str,
    kind: Option<FileKind>,
) -> JsResult<Local<'s>> {
    let natural = match prepare::overridden(state, file.extension()) {
        Some(kind) => kind,
        None if file.class == FileClass::Other && file.extension().is_empty() => FileKind::Script,
        None => source::file_kind(file.class),
    };
    let chosen = kind.unwrap_or(natural);
    let key =
        if chosen == natural { format!("{}{suffix}", file.path) } else { format!("{chosen:?}:{}{suffix}", file.path) };
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    match chosen {
        FileKind::Script => {
            let kept = state.modules.borrow_mut().take_main(&file.path);
            let prepared = match kept {
                Some(prepared) => prepared,
                None => prepare::script(scope, state, file)?,
            };
            if prepared.kind == ModuleKind::Esm {
                let url: Arc<str> = format!("{}{suffix}", source::file_url(&file.path)).into();
                let mut prepared = prepared;
                if !suffix.is_empty() && (prepared.stencil.is_some() || prepared.key.is_some()) {
                    // Compiled code carries its name, so what the cache has is for the file without a query.
                    let text = prepare::read_text(scope, &file.path)?;
                    prepared = prepare::prepare_as(scope, state, &file.path, file.class, file.module_format(), text)?;
                }
                return add_esm(scope, state, Some(key), file.path.clone(), url, prepared);
            }
            // The names of its exports are read from its text: that of compiled code is not JavaScript, and a test runner's
            // counters are in the way.
            let code = if prepared.replaced || (prepared.stencil.is_some() && file.class.is_typescript()) {
                let text = prepare::read_text(scope, &file.path)?;
                prepare::prepare_as(scope, state, &file.path, file.class, file.module_format(), text)?.code
            } else {
                prepared.code
            };
            wrap_commonjs(scope, state, key, file, &code)
        }
        FileKind::Json | FileKind::Jsonc | FileKind::Json5 | FileKind::Toml | FileKind::Yaml => {
            let value = data_value(scope, &file.path, chosen)?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::Text => {
            let bytes = prepare::read(scope, &file.path)?;
            let value = scope.string_lossy(&bytes)?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::Sheet => {
            let value = scope.new_object()?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::File => {
            let value = scope.string(&file.path)?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::Wasm => wrappers::wrap_wasm(scope, state, key, file),
        FileKind::Addon => {
            let value = scope.escape(|scope| {
                let path = scope.string(&file.path)?;
                let graph = graphs::current(scope, state);
                builtins::call(scope, "internal/module/cjs", "requirePath", &[path, graph])
            })?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::Sqlite => {
            let value = scope.escape(|scope| {
                let path = scope.string(&file.path)?;
                builtins::call(scope, "internal/sqlite/import", "open", &[path])
            })?;
            wrap_exports(scope, state, key, &file.path, source::file_url(&file.path), value)
        }
        FileKind::Page => {
            let value = scope.escape(|scope| {
                let path = scope.string(&file.path)?;
                builtins::call(scope, "internal/bundle/html_bundle", "bundleOf", &[path])
            })?;
            wrap_value(scope, state, key, &file.path, value)
        }
    }
}

/// The module object of a record.
pub fn module_object<'s>(scope: &mut Scope<'s>, state: &RuntimeState, number: u32) -> Option<Local<'s>> {
    let module = state.modules.borrow().records.get(number as usize)?.module.clone();
    module.map(|module| module.get(scope))
}

/// The module record of a key, if it has been made.
pub fn existing<'s>(scope: &mut Scope<'s>, state: &RuntimeState, key: &str) -> Option<Local<'s>> {
    let module = {
        let map = state.modules.borrow();
        let number = map.number(key)?;
        map.records[number as usize].module.clone()
    };
    module.map(|module| module.get(scope))
}

/// Compiles an ES module and enters it in the map.
pub fn add_esm<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: Option<String>,
    path: Arc<str>,
    url: Arc<str>,
    mut prepared: source::Source,
) -> JsResult<Local<'s>> {
    let stencil = match prepared.stencil.take() {
        Some(stencil) => stencil,
        None => {
            let stencil = match scope.compile_module(&prepared.code, &CompileOptions::new(&url)) {
                Ok(stencil) => stencil,
                Err(exc) => match prepare::second_reading(&prepared, state, &path) {
                    Some(second) => {
                        scope.take_exception(exc);
                        prepared = second;
                        scope.compile_module(&prepared.code, &CompileOptions::new(&url))?
                    }
                    None => return Err(exc),
                },
            };
            prepare::store(&prepared, scope, state, &stencil)?;
            stencil
        }
    };
    let number = {
        let mut map = state.modules.borrow_mut();
        if let Some(source_map) = prepared.map {
            map.maps.insert(url.clone(), Arc::new(source_map));
        }
        let is_main = map.is_main(&path);
        if let Some(imports) = prepared.imports {
            map.importers.insert(path.clone(), Importer { imports, members: None });
        }
        if !prepared.code.is_empty() {
            map.last_text = Some((path.clone(), Rc::new(prepared.code)));
        }
        map.add(key, Record { path, url, body: Body::Esm, module: None, is_main, names: Vec::new() })
    };
    finish(scope, state, number, &stencil)
}

fn finish<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    number: u32,
    stencil: &engine::Stencil,
) -> JsResult<Local<'s>> {
    let module = scope.instantiate_module(stencil, number)?;
    let kept = scope.global(module);
    state.modules.borrow_mut().records[number as usize].module = Some(kept);
    Ok(module)
}

/// Runs code as an ES module that is no file (`-e`, stdin).
pub fn load_text<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    path: &str,
    prepared: source::Source,
) -> JsResult<Local<'s>> {
    state.modules.borrow_mut().set_main_path(path);
    add_esm(scope, state, None, path.into(), source::file_url(path), prepared)
}

/// Makes the record of the main module known (`import.meta.main`).
pub fn set_main(state: &RuntimeState, path: &str) {
    state.modules.borrow_mut().set_main_path(path);
}

/// Fills `import.meta`.
pub fn import_meta(scope: &mut Scope<'_>, state: &RuntimeState, number: u32, meta: Local<'_>) -> JsResult<()> {
    let (path, url, body, is_main) = {
        let map = state.modules.borrow();
        let record = &map.records[number as usize];
        (record.path.clone(), record.url.clone(), record.body.clone(), record.is_main)
    };
    match body {
        Body::Esm | Body::CommonJs | Body::Vm(_) => {
            let meta = scope.copy(meta);
            let name = scope.string(&path)?;
            let url = scope.string(&url)?;
            let is_main = scope.boolean(is_main);
            let graph = graphs::of_record(scope, state, number);
            builtins::call(scope, "internal/module/import_meta", "fill", &[meta, name, url, is_main, graph])?;
        }
        Body::Builtin(id) => {
            let value = builtins::require(scope, id)?;
            scope.define(meta, "value", value, PropertyAttributes::ALL)?;
            let kept = scope.global(meta);
            state.modules.borrow_mut().builtin_metas.push(kept);
        }
        Body::Data(value) => {
            let value = value.get(scope);
            scope.define(meta, "value", value, PropertyAttributes::ALL)?;
        }
        // Only a module that was still to be evaluated asks.
        Body::Released => {
            builtins::call(scope, "internal/module/graph", "refuseValue", &[])?;
        }
        Body::WrappedCommonJs => {
            let name = scope.string(&path)?;
            let graph = graphs::of_record(scope, state, number);
            let value = builtins::call(scope, "internal/module/cjs", "requirePath", &[name, graph])?;
            scope.define(meta, "value", value, PropertyAttributes::ALL)?;
        }
    }
    let hooks = state.loader_hooks.borrow().clone();
    match hooks {
        Some(hooks) => hooks.module_made(scope, &path, meta),
        None => Ok(()),
    }
}

/// `module.syncBuiltinESMExports`: the exports of built-in modules that ES modules have imported become what the properties are now.
///
/// # Errors
/// None of the program's: a getter that throws leaves the export as it was.
pub fn sync_builtins(scope: &mut Scope<'_>, state: &RuntimeState) -> JsResult<()> {
    let metas: Vec<_> = state.modules.borrow().builtin_metas.clone();
    for meta in metas {
        let meta = meta.get(scope);
        let sync = scope.get(meta, "sync")?;
        if sync.is_callable() {
            scope.call_function(sync, &[])?;
        }
    }
    Ok(())
}

/// Loads, links and evaluates a module; gives its evaluation promise.
pub fn evaluate<'s>(scope: &mut Scope<'s>, module: Local<'_>) -> JsResult<Local<'s>> {
    scope.run_module(module)
}

/// Remembers the map of a transpiled CommonJS file.
pub fn add_map(state: &RuntimeState, name: &str, map: SourceMap) {
    state.modules.borrow_mut().maps.insert(name.into(), Arc::new(map));
}
