//! The module map of a thread: every file, built-in and data URL that has been loaded, by key and by number.

use std::collections::HashMap;
use std::sync::Arc;

use engine::{
    CompileOptions, Global, ImportRequest, JsResult, Local, ModuleKind as AttributeKind, OpError, PromiseState,
    PropertyAttributes, Scope,
};
use resolve::{FileClass, Kind, Options, Resolution, ResolveError, ResolvedFile, Resolver, Target};
use transpile::{Define, ModuleKind, SourceMap};
use tsconfig::TsConfig;

use crate::builtins;
use crate::source::{self, FileKind};
use crate::state::{RunOptions, RuntimeState};

mod data;
mod data_url;
mod failures;
mod namespaces;
mod wrappers;

pub use data::{data_of_text, data_value, parsed_data};
use data_url::load_data_url;
use failures::locate_failure;
pub use failures::throw_resolve_error;
use wrappers::{add_wrapper_text, load_builtin_for, load_bytes, wrap_commonjs, wrap_value, wrapper_text};
pub use wrappers::{load_builtin, wrap_exports, wrap_value_as};

/// What a record's code is.
#[derive(Clone)]
enum Body {
    /// An ES module of the program.
    Esm,
    /// A CommonJS module or script: only a referrer of imports.
    CommonJs,
    /// An ES module around a built-in module.
    Builtin(&'static str),
    /// An ES module around a CommonJS module.
    WrappedCommonJs,
    /// A script of node:vm without a callback for `import()`: whether the program's own loader answers instead.
    Vm(bool),
    /// An ES module around a value.
    Data(Global),
}

/// One loaded module.
struct Record {
    /// Path of the file, or the specifier of what is no file.
    path: Arc<str>,
    url: Arc<str>,
    body: Body,
    module: Option<Global>,
    is_main: bool,
    /// Names that a wrapper exports.
    names: Vec<String>,
}

/// The modules of a thread.
pub struct ModuleMap {
    records: Vec<Record>,
    by_key: HashMap<String, u32>,
    resolver: Option<Resolver>,
    /// Maps of transpiled files, by the name in stack traces.
    maps: HashMap<Arc<str>, Arc<SourceMap>>,
    tsconfigs: HashMap<String, Option<Arc<TsConfig>>>,
    /// Places of errors in tsconfig files that have been told.
    warned: Vec<String>,
    pub define: Option<Arc<Define>>,
    main_path: Option<Arc<str>>,
    production: bool,
    fixed_tsconfig: Option<String>,
    /// `--drop`.
    pub drop: Vec<String>,
    jsx: crate::state::JsxOverride,
    /// Files by path, as resolved.
    files: HashMap<Arc<str>, Arc<ResolvedFile>>,
    /// Names requested by importers of CommonJS modules: (specifier, names) by importer.
    requests: HashMap<String, Vec<(String, Vec<String>)>>,
    /// Path and text of the ES module that was compiled last, whose imports come next.
    last_text: Option<(Arc<str>, String)>,
    /// The main file's prepared text, read to learn its module system.
    prepared_main: Option<source::Source>,
}

impl ModuleMap {
    pub fn new(options: &RunOptions) -> Result<Self, String> {
        let define = if options.define.is_empty() {
            None
        } else {
            Some(Arc::new(Define::new(&options.define).map_err(|error| format!("--define: {error}"))?))
        };
        if let Some(path) = &options.tsconfig {
            std::fs::metadata(path).map_err(|error| format!("--tsconfig-override: cannot read {path}: {error}"))?;
        }
        Ok(ModuleMap {
            records: Vec::new(),
            by_key: HashMap::new(),
            resolver: None,
            maps: HashMap::new(),
            tsconfigs: HashMap::new(),
            warned: Vec::new(),
            define,
            main_path: None,
            production: std::env::var("NODE_ENV").is_ok_and(|v| v == "production"),
            fixed_tsconfig: options.tsconfig.clone(),
            drop: options.drop.clone(),
            jsx: options.jsx.clone(),
            files: HashMap::new(),
            requests: HashMap::new(),
            last_text: None,
            prepared_main: None,
        })
    }

    fn add(&mut self, key: Option<String>, record: Record) -> u32 {
        let number = self.records.len() as u32;
        self.records.push(record);
        if let Some(key) = key {
            self.by_key.insert(key, number);
        }
        number
    }

    /// The map of a transpiled file.
    pub fn map_for(&self, name: &str) -> Option<Arc<SourceMap>> {
        self.maps.get(name).cloned()
    }

    /// Path of the program's main file.
    pub fn main_path(&self) -> Option<Arc<str>> {
        self.main_path.clone()
    }

    pub fn set_main_path(&mut self, path: &str) {
        self.main_path = Some(path.into());
    }

    /// Options for a file by its tsconfig; files in node_modules have none.
    pub fn transpile_options(&mut self, path: &str, class: FileClass) -> transpile::Options {
        let wants = class.is_typescript() || class == FileClass::Jsx || class == FileClass::Js;
        let config = if wants && !path.contains("/node_modules/") { self.tsconfig(path) } else { None };
        let mut options = transpile::Options::default().with_tsconfig(config.as_deref(), self.production);
        options.drop.clone_from(&self.drop);
        match self.jsx.runtime.as_deref() {
            Some("classic") => options.jsx.mode = transpile::JsxMode::Classic,
            Some(_) if self.jsx.development => options.jsx.mode = transpile::JsxMode::AutomaticDev,
            Some(_) => options.jsx.mode = transpile::JsxMode::Automatic,
            None => {}
        }
        if self.jsx.import_source.is_some() {
            options.jsx.import_source.clone_from(&self.jsx.import_source);
        }
        if self.jsx.factory.is_some() {
            options.jsx.factory.clone_from(&self.jsx.factory);
        }
        if self.jsx.fragment.is_some() {
            options.jsx.fragment.clone_from(&self.jsx.fragment);
        }
        options
    }

    /// Says once for each file that a tsconfig.json cannot be used; the program runs without it, as in Bun.
    fn warn_tsconfig(&mut self, error: &tsconfig::Error) {
        let place = format!("{}:{}:{}", error.file, error.line, error.column);
        if !self.warned.contains(&place) {
            eprintln!("warn: {place}: {}; the file is ignored", error.message);
            self.warned.push(place);
        }
    }

    fn tsconfig(&mut self, path: &str) -> Option<Arc<TsConfig>> {
        let dir = path.rsplit_once('/').map_or("/", |(dir, _)| dir).to_string();
        if let Some(known) = self.tsconfigs.get(&dir) {
            return known.clone();
        }
        let found = match &self.fixed_tsconfig {
            Some(fixed) => TsConfig::load_file(std::path::Path::new(fixed)).map(Some),
            None => TsConfig::load(std::path::Path::new(&dir)),
        };
        let found = match found {
            Ok(found) => found.map(Arc::new),
            Err(error) => {
                self.warn_tsconfig(&error);
                None
            }
        };
        self.tsconfigs.insert(dir, found.clone());
        found
    }

    fn resolver(&mut self, options: &RunOptions) -> &mut Resolver {
        let fixed = self.fixed_tsconfig.clone();
        self.resolver.get_or_insert_with(|| {
            let exposed = options.node_options.iter().any(|(name, _)| name == "--expose-internals");
            let mut settings = Options::runtime(if exposed {
                Box::new(|specifier| builtins::public_id(specifier).or_else(|| builtins::exposed_id(specifier)))
            } else {
                Box::new(builtins::public_id)
            });
            settings.add_conditions(options.conditions.iter().map(String::as_str));
            settings.preserve_symlinks = options.preserve_symlinks;
            settings.preserve_symlinks_main = options.preserve_symlinks_main;
            let cwd = std::env::current_dir().map(|p| p.to_string_lossy().into_owned()).unwrap_or_else(|_| "/".into());
            if let Ok(value) = std::env::var("NODE_PATH") {
                settings.set_node_path(&value, &cwd);
            }
            settings.cwd = Some(cwd.into());
            settings.tsconfig = match fixed {
                Some(path) => match TsConfig::load_file(std::path::Path::new(&path)) {
                    Ok(config) => resolve::TsConfig::Fixed(config.paths),
                    Err(_) => resolve::TsConfig::None,
                },
                None => resolve::TsConfig::Nearest(Box::new(|path| {
                    TsConfig::load_file(std::path::Path::new(path)).ok().map(|config| config.paths)
                })),
            };
            Resolver::os(settings)
        })
    }

    /// Resolves a specifier.
    pub fn resolve(
        &mut self,
        options: &RunOptions,
        specifier: &str,
        importer: &str,
        kind: Kind,
    ) -> Result<Resolution, Box<ResolveError>> {
        let resolution = self.resolver(options).resolve(specifier, importer, kind)?;
        self.remember(&resolution);
        Ok(resolution)
    }

    /// Keeps the file of a resolution, so that loading it by its path needs no second resolution.
    pub fn remember(&mut self, resolution: &Resolution) {
        if let Some(file) = resolution.file() {
            self.files.entry(file.path.clone()).or_insert_with(|| file.clone());
        }
    }

    /// Paths of the files that have become modules.
    pub fn loaded_files(&self) -> Vec<String> {
        let files = self.records.iter().filter(|record| !matches!(record.body, Body::Builtin(_)));
        files.filter(|record| record.path.starts_with('/')).map(|record| record.path.to_string()).collect()
    }

    /// Forgets the program's modules, so that they are loaded anew (`--hot`). Those under evaluation live on by themselves.
    pub fn reset(&mut self) {
        let records = &self.records;
        self.by_key.retain(|_, number| matches!(records[*number as usize].body, Body::Builtin(_)));
        self.tsconfigs.clear();
        self.files.clear();
        self.requests.clear();
        self.prepared_main = None;
        if let Some(resolver) = &mut self.resolver {
            resolver.invalidate_all();
        }
    }

    /// The same for a run of tests: no file has changed, so that what is known of them stays.
    pub fn renew(&mut self) {
        let records = &self.records;
        self.by_key.retain(|_, number| matches!(records[*number as usize].body, Body::Builtin(_)));
        self.prepared_main = None;
    }

    /// How many records there are.
    pub fn count(&self) -> u32 {
        self.records.len() as u32
    }

    /// Forgets the program's modules that were made when there were `mark` records already.
    pub fn forget_since(&mut self, mark: u32) {
        let records = &self.records;
        self.by_key.retain(|_, number| *number < mark || matches!(records[*number as usize].body, Body::Builtin(_)));
    }

    /// Forgets the module of a file.
    pub fn forget(&mut self, path: &str) {
        let records = &self.records;
        self.by_key.retain(|_, number| *records[*number as usize].path != *path);
    }

    /// A file that has been resolved before.
    pub fn file(&self, path: &str) -> Option<Arc<ResolvedFile>> {
        self.files.get(path).cloned()
    }

    /// Keeps the main file's text for its loading.
    pub fn keep_main(&mut self, prepared: source::Source) {
        self.prepared_main = Some(prepared);
    }

    /// The main file's text, once.
    pub fn take_main(&mut self, path: &str) -> Option<source::Source> {
        if self.main_path.as_deref() == Some(path) { self.prepared_main.take() } else { None }
    }

    /// Access to the resolver for `require.resolve` and friends.
    pub fn with_resolver<R>(&mut self, options: &RunOptions, f: impl FnOnce(&mut Resolver) -> R) -> R {
        f(self.resolver(options))
    }

    /// A number for code of `path` that is no ES module, so that its `import()` calls know where they stand.
    pub fn referrer(&mut self, path: &str) -> u32 {
        let key = format!("cjs:{path}");
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        let record = Record {
            path: path.into(),
            url: source::file_url(path),
            body: Body::CommonJs,
            module: None,
            is_main: false,
            names: Vec::new(),
        };
        self.add(Some(key), record)
    }
}

/// HostLoadImportedModule.
pub fn load<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    referrer: Option<u32>,
    request: &ImportRequest,
) -> JsResult<Local<'s>> {
    load_requested(scope, state, referrer, request)
        .map_err(|exc| if request.dynamic { exc } else { locate_failure(scope, state, exc, referrer, request) })
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
    if let Some(number) = referrer
        && matches!(state.modules.borrow().records[number as usize].body, Body::Vm(false))
    {
        return Err(scope.throw_op_error(
            &OpError::type_error("A dynamic import callback was not specified.")
                .code("ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING"),
        ));
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
        if let Some(module) = crate::hooks::ask(scope, state, &request.specifier, &importer, kind, attribute)? {
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
    let exports = builtins::require(scope, state, "internal/module/cjs")?;
    let make = scope.get(exports, "moduleScope")?;
    let path = scope.string(importer)?;
    let names = scope.call_function(make, &[path])?;
    wrap_exports(scope, state, key, importer, importer.clone(), names)
}

/// A number for scripts of node:vm without a callback, see [`Body::Vm`].
pub fn vm_referrer(state: &RuntimeState, filename: &str, default_loader: bool) -> u32 {
    let mut map = state.modules.borrow_mut();
    // Without a loader nobody asks for the name.
    let key = if default_loader { format!("vm:{filename}") } else { "vm:".to_string() };
    if let Some(number) = map.by_key.get(&key) {
        return *number;
    }
    let url = if filename.starts_with('/') { source::file_url(filename) } else { filename.into() };
    let path = filename.into();
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
        return load_data_url(scope, state, specifier, body);
    }
    if specifier.starts_with("blob:") {
        return match existing(scope, state, specifier) {
            Some(module) => Ok(module),
            None => crate::hooks::blob(scope, state, specifier),
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
        Err(error) => return Err(throw_resolve_error(scope, &error, false)),
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
                AttributeKind::Css => Some(FileKind::File),
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
        let Some(number) = map.by_key.get(&key) else { return Ok(module) };
        let record = &map.records[*number as usize];
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
    let text = wrapper_text(&names, found..strict, specifier);
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

/// The names that an importer's text asks of a specifier; read once per importer.
fn requested_names(state: &RuntimeState, importer: &str, specifier: &str) -> Vec<String> {
    let known = state.modules.borrow().requests.contains_key(importer);
    if !known {
        let mut requests = Vec::new();
        if let Ok(text) = std::fs::read_to_string(importer) {
            let class = FileClass::from_extension(resolve::paths::extension(importer));
            let options = state.modules.borrow_mut().transpile_options(importer, class);
            if let Ok(output) = transpile::transpile(&text, importer, &options) {
                requests = output.info.imports.into_iter().map(|r| (r.specifier, r.names)).collect();
                requests.extend(namespaces::members(&text));
            }
        }
        state.modules.borrow_mut().requests.insert(importer.to_string(), requests);
    }
    let map = state.modules.borrow();
    map.requests
        .get(importer)
        .into_iter()
        .flatten()
        .filter(|(wanted, _)| wanted == specifier)
        .flat_map(|(_, names)| names.iter().cloned())
        .collect()
}

/// The `type` attribute of a request that the engine does not know, read from the importer's text.
fn attribute_in_source(state: &RuntimeState, importer: &str, specifier: &str) -> Option<FileKind> {
    let text = std::fs::read_to_string(importer).ok()?;
    let class = FileClass::from_extension(resolve::paths::extension(importer));
    let options = state.modules.borrow_mut().transpile_options(importer, class);
    let output = transpile::transpile(&text, importer, &options).ok()?;
    let request = output.info.imports.iter().find(|r| r.specifier == specifier && !r.attributes.is_empty())?;
    let (_, value) = request.attributes.iter().find(|(key, _)| key == "type")?;
    source::attribute_kind(value)
}

/// The module record of a file, loaded once per path, suffix and loader.
pub fn load_file<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    file: &Arc<ResolvedFile>,
    suffix: &str,
    kind: Option<FileKind>,
) -> JsResult<Local<'s>> {
    let natural = match source::overridden(state, file.extension()) {
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
                None => {
                    let text = source::read_text(scope, &file.path)?;
                    source::prepare(scope, state, file, text)?
                }
            };
            if prepared.kind == ModuleKind::Esm {
                let url: Arc<str> = format!("{}{suffix}", source::file_url(&file.path)).into();
                let mut prepared = prepared;
                if !suffix.is_empty() && (prepared.stencil.is_some() || prepared.key.is_some()) {
                    // Compiled code carries its name, so what the cache has is for the file without a query.
                    let text = source::read_text(scope, &file.path)?;
                    prepared = source::prepare_as(scope, state, &file.path, file.class, file.module_format(), text)?;
                }
                return add_esm(scope, state, Some(key), file.path.clone(), url, prepared);
            }
            // The names of its exports are read from its text: that of compiled code is not JavaScript, and counters are in the way.
            let code = if prepared.counted || (prepared.stencil.is_some() && file.class.is_typescript()) {
                let text = source::read_text(scope, &file.path)?;
                source::prepare_as(scope, state, &file.path, file.class, file.module_format(), text)?.code
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
            let bytes = source::read(scope, &file.path)?;
            let value = scope.string_lossy(&bytes)?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::File => {
            let value = scope.string(&file.path)?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::Wasm => {
            let value = scope.escape(|scope| {
                let exports = builtins::require(scope, state, "internal/module/wasm")?;
                let function = scope.get(exports, "load")?;
                let path = scope.string(&file.path)?;
                scope.call_function(function, &[path])
            })?;
            wrap_value(scope, state, key, &file.path, value)
        }
        FileKind::Addon => Err(scope.throw_op_error(
            &OpError::error(format!("Node-API addons are not implemented in bao yet: cannot load {}", file.path))
                .code("ERR_DLOPEN_FAILED"),
        )),
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
        let number = *map.by_key.get(key)?;
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
                Err(exc) => match prepared.second_reading(state, &path) {
                    Some(second) => {
                        scope.take_exception(exc);
                        prepared = second;
                        scope.compile_module(&prepared.code, &CompileOptions::new(&url))?
                    }
                    None => return Err(exc),
                },
            };
            prepared.store(scope, state, &stencil)?;
            stencil
        }
    };
    let number = {
        let mut map = state.modules.borrow_mut();
        if let Some(source_map) = prepared.map {
            map.maps.insert(url.clone(), Arc::new(source_map));
        }
        let is_main = map.main_path.as_deref() == Some(&*path);
        map.last_text = Some((path.clone(), prepared.code));
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
            let exports = builtins::require(scope, state, "internal/module/import_meta")?;
            let fill = scope.get(exports, "fill")?;
            let meta = scope.copy(meta);
            let name = scope.string(&path)?;
            let url = scope.string(&url)?;
            let is_main = scope.boolean(is_main);
            scope.call_function(fill, &[meta, name, url, is_main])?;
        }
        Body::Builtin(id) => {
            let value = builtins::require(scope, state, id)?;
            scope.define(meta, "value", value, PropertyAttributes::ALL)?;
        }
        Body::Data(value) => {
            let value = value.get(scope);
            scope.define(meta, "value", value, PropertyAttributes::ALL)?;
        }
        Body::WrappedCommonJs => {
            let exports = builtins::require(scope, state, "internal/module/cjs")?;
            let require = scope.get(exports, "requirePath")?;
            let name = scope.string(&path)?;
            let value = scope.call_function(require, &[name])?;
            scope.define(meta, "value", value, PropertyAttributes::ALL)?;
        }
    }
    if state.assignable.get() {
        let exports = builtins::require(scope, state, "internal/test/bun_test/module_mock")?;
        let note = scope.get(exports, "addMeta")?;
        let path = scope.string(&path)?;
        let meta = scope.copy(meta);
        scope.call_function(note, &[meta, path])?;
    }
    Ok(())
}

/// Loads, links and evaluates a module; gives its evaluation promise.
pub fn evaluate<'s>(scope: &mut Scope<'s>, module: Local<'_>) -> JsResult<Local<'s>> {
    scope.run_module(module)
}

/// `require()` of an ES module: its namespace, which must be there at once.
pub fn require_esm<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    file: &Arc<ResolvedFile>,
    suffix: &str,
) -> JsResult<Local<'s>> {
    let module = load_file(scope, state, file, suffix, None)?;
    require_module(scope, module, &file.path)
}

/// Evaluates a module for `require()`.
pub fn require_module<'s>(scope: &mut Scope<'s>, module: Local<'s>, path: &str) -> JsResult<Local<'s>> {
    let promise = evaluate(scope, module)?;
    match scope.promise_state(promise) {
        Some((PromiseState::Rejected, reason)) => {
            scope.mark_handled(promise)?;
            Err(scope.throw(reason))
        }
        Some((PromiseState::Pending, _)) => Err(scope.throw_op_error(
            &OpError::error(format!(
                "require() cannot be used on an ESM graph with top-level await. Use import() instead. To see where the top-level await comes from, look at {path} and what it imports."
            ))
            .code("ERR_REQUIRE_ASYNC_MODULE"),
        )),
        _ => {
            let namespace = scope.module_namespace(module)?;
            if scope.has_own(namespace, "module.exports")? {
                return scope.get(namespace, "module.exports");
            }
            Ok(namespace)
        }
    }
}

/// Remembers the map of a transpiled CommonJS file.
pub fn add_map(state: &RuntimeState, name: &str, map: SourceMap) {
    state.modules.borrow_mut().maps.insert(name.into(), Arc::new(map));
}
