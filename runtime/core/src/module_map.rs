//! The module map of a thread: every file, built-in and data URL that has been loaded, by key and by number; and what the loader
//! keeps between two of them, the resolver, tsconfig files and source maps.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use engine::Global;
use resolve::{FileClass, Kind, Options, Resolution, ResolveError, ResolvedFile, Resolver};
use run_options::{Jsx, RunOptions};
use transpile::{Define, ImportRequest, SourceMap};
use tsconfig::TsConfig;

use crate::auto_install;
use crate::builtins;
use crate::embedded;
use crate::graphs::Graphs;
use crate::source::{Source, file_url};

/// What a record's code is.
#[derive(Clone)]
pub(crate) enum Body {
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
    /// The same once its graph is disposed.
    Released,
}

/// One loaded module.
pub(crate) struct Record {
    /// Path of the file, or the specifier of what is no file.
    pub(crate) path: Arc<str>,
    pub(crate) url: Arc<str>,
    pub(crate) body: Body,
    pub(crate) module: Option<Global>,
    pub(crate) is_main: bool,
    /// Names that a wrapper exports.
    pub(crate) names: Vec<String>,
}

impl Record {
    /// Forgets all but what imports in the module's code ask for.
    fn release(&mut self) {
        self.module = None;
        self.names = Vec::new();
        if matches!(self.body, Body::Data(_)) {
            self.body = Body::Released;
        }
    }
}

/// What the text of an ES module imports.
pub(crate) struct Importer {
    pub(crate) imports: Vec<ImportRequest>,
    /// Members of the namespaces that it imports, by specifier, once they were looked for.
    pub(crate) members: Option<Vec<(String, Vec<String>)>>,
}

impl Importer {
    /// The names imported from a specifier; `None` if they are not known, or all of them (`import * as`, `export * from`).
    pub(crate) fn names_of(&self, specifier: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let mut found = false;
        for request in self.imports.iter().filter(|request| request.specifier == specifier) {
            if request.namespace || request.star {
                return None;
            }
            found = true;
            names.extend(request.names.iter().cloned());
        }
        found.then_some(names)
    }
}

/// The modules of a thread.
pub struct ModuleMap {
    pub(crate) records: Vec<Record>,
    pub(crate) by_key: HashMap<String, u32>,
    /// Records that were forgotten last: of those before them nothing is kept but what imports in their code ask for.
    forgotten: Vec<u32>,
    resolver: Option<Resolver>,
    /// Maps of transpiled files, by the name in stack traces.
    pub(crate) maps: HashMap<Arc<str>, Arc<SourceMap>>,
    tsconfigs: HashMap<String, Option<Arc<TsConfig>>>,
    /// Places of errors in tsconfig files that have been told.
    warned: Vec<String>,
    pub define: Option<Arc<Define>>,
    pub(crate) main_path: Option<Arc<str>>,
    production: bool,
    fixed_tsconfig: Option<String>,
    /// `--drop`.
    pub drop: Vec<String>,
    jsx: Jsx,
    /// Files by path, as resolved.
    files: HashMap<Arc<str>, Arc<ResolvedFile>>,
    /// What ES modules import, by path: those whose texts were parsed.
    pub(crate) importers: HashMap<Arc<str>, Importer>,
    /// Path and text of the ES module that was compiled last, whose imports come next.
    pub(crate) last_text: Option<(Arc<str>, Rc<String>)>,
    /// The main file's prepared text, read to learn its module system.
    prepared_main: Option<Source>,
    /// `import.meta` of the modules around built-in modules, see `modules::sync_builtins`.
    pub(crate) builtin_metas: Vec<Global>,
    /// The other instances of the program's modules.
    pub(crate) graphs: Graphs,
}

impl ModuleMap {
    pub fn new(options: &RunOptions) -> Result<Self, String> {
        let define = if options.define.is_empty() {
            None
        } else {
            Some(Arc::new(Define::new(&options.define).map_err(|error| format!("--define: {error}"))?))
        };
        let mut fixed_tsconfig = None;
        if let Some(path) = &options.tsconfig {
            let failed = |error| format!("--tsconfig-override: cannot read {path}: {error}");
            std::fs::metadata(path).map_err(failed)?;
            // What the file names is relative to its folder, wherever that is from here.
            fixed_tsconfig = Some(std::path::absolute(path).map_err(failed)?.to_string_lossy().into_owned());
        }
        Ok(ModuleMap {
            records: Vec::new(),
            by_key: HashMap::new(),
            forgotten: Vec::new(),
            resolver: None,
            maps: HashMap::new(),
            tsconfigs: HashMap::new(),
            warned: Vec::new(),
            define,
            main_path: None,
            production: std::env::var("NODE_ENV").is_ok_and(|v| v == "production"),
            fixed_tsconfig,
            drop: options.drop.clone(),
            jsx: options.jsx.clone(),
            files: HashMap::new(),
            importers: HashMap::new(),
            last_text: None,
            prepared_main: None,
            builtin_metas: Vec::new(),
            graphs: Graphs::default(),
        })
    }

    pub(crate) fn add(&mut self, key: Option<String>, record: Record) -> u32 {
        let number = self.records.len() as u32;
        // Built-in modules are there once, for the program and all graphs.
        let is_shared = matches!(record.body, Body::Builtin(_));
        self.records.push(record);
        let is_own = is_shared || !self.graphs.add(number, key.as_deref());
        if is_own && let Some(key) = key {
            self.by_key.insert(key, number);
        }
        number
    }

    /// The record with a key: of the graph that is current, else of the program.
    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        if !self.graphs.is_inside() {
            return self.by_key.get(key).copied();
        }
        let is_shared = |number: &u32| matches!(self.records[*number as usize].body, Body::Builtin(_));
        self.graphs.number(key).or_else(|| self.by_key.get(key).copied().filter(is_shared))
    }

    /// Whether a path is that of the main module, of the program or of the graph that is current.
    pub(crate) fn is_main(&self, path: &str) -> bool {
        let main = if self.graphs.is_inside() { self.graphs.main() } else { self.main_path.as_ref() };
        main.is_some_and(|main| **main == *path)
    }

    /// Gives free what the modules of a graph hold that nobody loads any more.
    pub fn dispose_graph(&mut self, graph: u32) {
        for number in self.graphs.dispose(graph) {
            self.records[number as usize].release();
        }
    }

    /// The map of a transpiled file, by its name in stack traces. That of a module of the executable is read when it is needed first.
    pub fn map_for(&mut self, name: &str) -> Option<Arc<SourceMap>> {
        if let Some(map) = self.maps.get(name) {
            return Some(map.clone());
        }
        let map = Arc::new(embedded::map(name)?);
        self.maps.insert(name.into(), map.clone());
        Some(map)
    }

    /// The text of a source file that is bundled into the executable, if a map that was asked for has it.
    pub fn original_text(&self, name: &str) -> Option<Vec<u8>> {
        standalone::current()?;
        self.maps.values().find_map(|map| {
            let at = map.sources().iter().position(|source| source == name)?;
            Some(map.source_content(at as u32)?.as_bytes().to_vec())
        })
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
        options.jsx.override_by(&self.jsx);
        options
    }

    /// Says once for each file that a tsconfig.json cannot be used; the program runs without it, as in Bun.
    fn warn_tsconfig(&mut self, error: &tsconfig::Error) {
        let place = format!("{}:{}:{}", error.file, error.line, error.column);
        if !self.warned.contains(&place) {
            base::stderr_line!("warn: {place}: {}; the file is ignored", error.message);
            self.warned.push(place);
        }
    }

    fn tsconfig(&mut self, path: &str) -> Option<Arc<TsConfig>> {
        let dir = path.rsplit_once('/').map_or("/", |(dir, _)| dir).to_string();
        if let Some(known) = self.tsconfigs.get(&dir) {
            return known.clone();
        }
        if self.fixed_tsconfig.is_none() && standalone::current().is_some_and(|program| !program.autoload().tsconfig) {
            return None;
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
            let are_denied = base::permission::is_on() && !base::permission::has_all(base::permission::Area::Addon);
            if are_denied || options.node_option("--no-addons").is_some() {
                settings.remove_condition("node-addons");
            }
            settings.preserve_symlinks = options.preserve_symlinks;
            settings.preserve_symlinks_main = options.preserve_symlinks_main;
            let cwd = std::env::current_dir().map_or_else(|_| "/".into(), |p| p.to_string_lossy().into_owned());
            if let Ok(value) = std::env::var("NODE_PATH") {
                settings.set_node_path(&value, &cwd);
            }
            settings.cwd = Some(cwd.into());
            let program = standalone::current();
            settings.embedded = program.map(embedded::lookup);
            settings.installs = auto_install::installs(options);
            settings.packages = program.is_none_or(|program| program.autoload().package_json);
            settings.tsconfig = match fixed {
                Some(path) => match TsConfig::load_file(std::path::Path::new(&path)) {
                    Ok(config) => resolve::TsConfig::Fixed(config.paths),
                    Err(_) => resolve::TsConfig::None,
                },
                None if program.is_some_and(|program| !program.autoload().tsconfig) => resolve::TsConfig::None,
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
        self.forget_all_but(|_, record| matches!(record.body, Body::Builtin(_)));
        self.tsconfigs.clear();
        self.files.clear();
        self.importers.clear();
        self.prepared_main = None;
        if let Some(resolver) = &mut self.resolver {
            resolver.invalidate_all();
        }
    }

    /// The same for a run of tests: no file has changed, so that what is known of them stays.
    pub fn renew(&mut self) {
        self.forget_all_but(|_, record| matches!(record.body, Body::Builtin(_)));
        self.prepared_main = None;
    }

    /// Forgets modules, and gives free what was forgotten the time before: a module that is still being linked or evaluated when it is
    /// forgotten asks for its record.
    fn forget_all_but(&mut self, is_kept: impl Fn(u32, &Record) -> bool) {
        for number in std::mem::take(&mut self.forgotten) {
            self.records[number as usize].release();
        }
        let (records, forgotten) = (&self.records, &mut self.forgotten);
        self.by_key.retain(|_, number| {
            let kept = is_kept(*number, &records[*number as usize]);
            if !kept {
                forgotten.push(*number);
            }
            kept
        });
    }

    /// How many records there are.
    pub fn count(&self) -> u32 {
        self.records.len() as u32
    }

    /// Forgets the program's modules that were made when there were `mark` records already.
    pub fn forget_since(&mut self, mark: u32) {
        self.forget_all_but(|number, record| number < mark || matches!(record.body, Body::Builtin(_)));
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
    pub fn keep_main(&mut self, prepared: Source) {
        self.prepared_main = Some(prepared);
    }

    /// The main file's text, once.
    pub fn take_main(&mut self, path: &str) -> Option<Source> {
        let is_main = !self.graphs.is_inside() && self.main_path.as_deref() == Some(path);
        if is_main { self.prepared_main.take() } else { None }
    }

    /// Access to the resolver for `require.resolve` and friends.
    pub fn with_resolver<R>(&mut self, options: &RunOptions, f: impl FnOnce(&mut Resolver) -> R) -> R {
        f(self.resolver(options))
    }

    /// A number for code of `path` that is no ES module, so that its `import()` calls know where they stand.
    pub fn referrer(&mut self, path: &str) -> u32 {
        let key = format!("cjs:{path}");
        if let Some(number) = self.number(&key) {
            return number;
        }
        let record = Record {
            path: path.into(),
            url: file_url(path),
            body: Body::CommonJs,
            module: None,
            is_main: false,
            names: Vec::new(),
        };
        self.add(Some(key), record)
    }
}
