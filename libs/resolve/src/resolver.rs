//! The resolver: caches, retries, and turning what was found into a [`Resolution`].

use crate::cache::{Asked, Cache};
use crate::dirs::{DirId, Dirs, Manifest, Place, Slot};
use crate::error::{ErrorKind, ResolveError};
use crate::file::{FileClass, Resolution, ResolvedFile, Target};
use crate::options::{BuiltinLookup, CallOptions, Embedded, ExtensionOrder, Installs, Kind, Options, TsConfig};
use crate::package_json::PackageJson;
use crate::paths;
use crate::vfs::Vfs;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;
use tsconfig::Paths as TsConfigPaths;

pub(crate) type Fallible<T> = Result<T, Box<ResolveError>>;

/// Settings that do not change while a resolver lives.
pub(crate) struct Config {
    pub import_conditions: Vec<Box<str>>,
    pub require_conditions: Vec<Box<str>>,
    pub main_fields: Vec<Box<str>>,
    /// How many of `main_fields` come before `index` files.
    pub fields_before_index: usize,
    pub extensions: ExtensionOrder,
    pub ts_rewrite: bool,
    preserve_symlinks: bool,
    preserve_symlinks_main: bool,
    node_path: Vec<Box<str>>,
    cwd: Option<Box<str>>,
}

/// One call, while it is worked on.
pub(crate) struct Request<'a> {
    pub specifier: &'a str,
    pub importer: &'a str,
    pub from: DirId,
    /// Directories that stand in for `from` in lookups (`require.resolve`'s `paths`).
    pub bases: &'a [DirId],
    pub kind: Kind,
    pub conditions: &'a [Box<str>],
    /// Whether `conditions` are the resolver's own, so that results may be kept.
    pub cacheable: bool,
    pub config: &'a Config,
}

impl Request<'_> {
    pub(crate) fn is_require(&self) -> bool {
        self.kind.is_require()
    }

    fn asked_of_package(&self) -> Asked {
        if self.is_require() { Asked::PackageRequire } else { Asked::PackageImport }
    }
}

/// A file found by its logical path.
pub(crate) struct Hit {
    pub dir: DirId,
    pub slot: Slot,
    pub place: Place,
    /// Set when `place` does not tell it.
    pub name: Option<Box<str>>,
}

/// A path that was resolved to; its index is [`ResolvedFile::id`].
struct Known {
    path: Arc<str>,
    file: Option<Arc<ResolvedFile>>,
}

/// A resolution in one number: either a file without suffix, or the place in `others`.
#[derive(Clone, Copy)]
struct Packed(u32);

impl Packed {
    const OTHER: u32 = 1 << 31;

    fn file(id: u32, symlinked: bool) -> Packed {
        Packed(id << 1 | u32::from(symlinked))
    }
}

/// What is known of a specifier among the files that are on no disk.
enum Found {
    Here(Resolution),
    /// Nothing; this is the importer that counts on the disk.
    Elsewhere(String),
    Unknown,
}

/// What a failing resolution looked at; only collected on the way to an error.
#[derive(Default)]
pub(crate) struct Record {
    pub tried: Vec<PathBuf>,
    /// The package entry or subpath that was missing in the first place that was searched.
    pub missing: Option<Missing>,
    /// A directory that was found and had nothing to load.
    pub empty_dir: Option<String>,
}

pub(crate) enum Missing {
    /// Entry point of a package: the path, and whether a `main` field names it.
    Main {
        path: String,
        declared: bool,
    },
    Subpath(String),
}

/// Resolves specifiers to files, built-in modules and URLs.
///
/// One per thread: every method takes `&mut self` and all caches are inside. What was read from the
/// file system stays remembered until [`invalidate`](Resolver::invalidate) is called, with one
/// exception: before a specifier is reported as not found, the directories involved are looked at
/// again, so that files created by the running program are found.
pub struct Resolver {
    pub(crate) dirs: Dirs,
    config: Arc<Config>,
    pub(crate) builtins: BuiltinLookup,
    tsconfig: TsConfig,
    embedded: Option<Embedded>,
    pub(crate) installs: Option<Installs>,
    /// Why the last package that was to be installed was not.
    pub(crate) install_failure: Option<String>,
    pub(crate) node_path: Vec<DirId>,
    tsconfigs: FxHashMap<DirId, Option<Arc<TsConfigPaths>>>,
    cache: Cache,
    /// Resolutions that [`Packed`] cannot express by itself.
    others: Vec<Resolution>,
    files: Vec<Known>,
    file_ids: FxHashMap<Arc<str>, u32>,
    /// The last importer, as a module's imports come one after the other.
    last: (String, DirId),
    pub(crate) name_buffer: String,
    pub(crate) record: Option<Record>,
}

impl Resolver {
    /// A resolver on a file system of the caller's.
    pub fn new(vfs: Box<dyn Vfs>, options: Options) -> Self {
        let fields = options.main_fields;
        let main = fields.iter().position(|f| &**f == "main");
        let config = Config {
            import_conditions: options.import_conditions,
            require_conditions: options.require_conditions,
            fields_before_index: main.map_or(fields.len(), |at| at + 1),
            main_fields: fields.clone(),
            extensions: options.extensions,
            ts_rewrite: options.ts_rewrite,
            preserve_symlinks: options.preserve_symlinks,
            preserve_symlinks_main: options.preserve_symlinks_main,
            node_path: options.node_path,
            cwd: options.cwd,
        };
        let mut resolver = Resolver {
            dirs: Dirs::new(vfs, fields),
            config: Arc::new(config),
            builtins: options.builtins,
            tsconfig: options.tsconfig,
            embedded: options.embedded,
            installs: options.installs,
            install_failure: None,
            node_path: Vec::new(),
            tsconfigs: FxHashMap::default(),
            cache: Cache::default(),
            others: Vec::new(),
            files: Vec::new(),
            file_ids: FxHashMap::default(),
            last: (String::new(), DirId::ROOT),
            name_buffer: String::new(),
            record: None,
        };
        resolver.dirs.reads_packages = options.packages;
        let config = resolver.config.clone();
        for entry in &config.node_path {
            let dir = resolver.dirs.intern_any(entry);
            resolver.node_path.push(dir);
        }
        resolver.assume_cwd();
        resolver
    }

    /// A resolver on the operating system's file system.
    #[cfg(unix)]
    pub fn os(options: Options) -> Self {
        Self::new(Box::new(crate::vfs::OsVfs), options)
    }

    fn assume_cwd(&mut self) {
        if let Some(cwd) = &self.config.clone().cwd {
            self.dirs.assume_real(&paths::normalize(cwd));
        }
    }

    /// Resolves `specifier` as used in the file `importer`.
    ///
    /// `importer` is an absolute path; the file need not exist (`/cwd/[eval]` stands for code from the
    /// command line). For [`Kind::Entry`] it is the directory that the specifier is relative to.
    ///
    /// Follows Node's "Modules: CommonJS modules" and "ECMAScript modules" resolution algorithms,
    /// extended as in Bun: `import` may leave out extensions and name directories, `./x.js` may mean
    /// `./x.ts`, and both systems keep a query. Where Node and Bun disagree on what an existing file
    /// is called, Node's reading is tried first.
    ///
    /// A file that was removed since it was last resolved is still found: when opening it fails, tell
    /// [`invalidate`](Self::invalidate) and resolve again.
    ///
    /// # Errors
    /// [`ResolveError`] with Node's code and message.
    pub fn resolve(&mut self, specifier: &str, importer: &str, kind: Kind) -> Result<Resolution, Box<ResolveError>> {
        self.resolve_with(specifier, importer, kind, &CallOptions::default())
    }

    /// [`resolve`](Self::resolve) with settings for this call only.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_with(
        &mut self,
        specifier: &str,
        importer: &str,
        kind: Kind,
        options: &CallOptions<'_>,
    ) -> Result<Resolution, Box<ResolveError>> {
        let outside = match self.embedded(specifier, importer) {
            Found::Here(resolution) => return Ok(resolution),
            Found::Elsewhere(importer) => Some(importer),
            Found::Unknown => None,
        };
        let importer = outside.as_deref().unwrap_or(importer);
        let from = match kind {
            Kind::Entry => self.dirs.intern_any(importer),
            _ => self.importer_dir(importer),
        };
        let cacheable = options.conditions.is_none();
        let keep = cacheable && options.paths.is_none() && kind != Kind::Entry;
        let asked = if kind.is_require() { Asked::Require } else { Asked::Import };
        if keep
            && let Some(packed) = self.cache.get(from, asked, specifier)
            && let Some(known) = self.unpack(Packed(packed))
        {
            return Ok(known);
        }
        let config = self.config.clone();
        let own: Vec<Box<str>>;
        let conditions = match options.conditions {
            Some(names) => {
                own = names.iter().map(|c| (*c).into()).collect();
                &own
            }
            None if kind.is_require() => &config.require_conditions,
            None => &config.import_conditions,
        };
        let given: Vec<DirId>;
        let bases = match options.paths {
            Some(paths) => {
                given = paths.iter().map(|p| self.dirs.intern_any(p)).collect();
                &given[..]
            }
            None => &[from],
        };
        let request = Request { specifier, importer, from, bases, kind, conditions, cacheable, config: &config };
        let resolution = self.with_retries(&request)?;
        if keep {
            let packed = self.pack(&resolution);
            self.cache.insert(from, asked, specifier, packed.0);
        }
        Ok(resolution)
    }

    /// Looks among the files that are on no disk.
    fn embedded(&self, specifier: &str, importer: &str) -> Found {
        let Some(Embedded { root, lookup }) = &self.embedded else { return Found::Unknown };
        let below = |path: &str| path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
        let local = match specifier.strip_prefix("file://") {
            Some(path) => paths::percent_decode(path),
            None => specifier.into(),
        };
        if !below(importer) && !below(&local) {
            return Found::Unknown;
        }
        let (path, suffix) = paths::split_suffix(&local);
        match lookup(path, importer) {
            Some((path, class)) => Found::Here(Resolution {
                target: Target::File(Arc::new(ResolvedFile {
                    id: u32::MAX,
                    path: path.into(),
                    package: None,
                    class,
                    in_node_modules: false,
                })),
                suffix: (!suffix.is_empty()).then(|| suffix.into()),
                symlinked: false,
            }),
            None if below(importer) => {
                Found::Elsewhere(format!("{}/[embedded]", self.config.cwd.as_deref().unwrap_or_default()))
            }
            None => Found::Unknown,
        }
    }

    fn with_retries(&mut self, request: &Request<'_>) -> Fallible<Resolution> {
        self.dirs.begin();
        self.install_failure = None;
        if self.installs_always()
            && let Some(found) = self.installed(request)?
        {
            return Ok(found);
        }
        let mut result = self.attempt(request);
        if may_be_stale(&result) && self.dirs.refresh(request.from) {
            result = self.attempt(request);
        }
        if let Ok(Some(resolution)) = result {
            return Ok(resolution);
        }
        if matches!(result, Ok(None))
            && !self.installs_always()
            && let Some(found) = self.installed(request)?
        {
            return Ok(found);
        }
        // Once more, now writing down what is looked at.
        self.record = Some(Record::default());
        let result = self.attempt(request);
        let record = self.record.take().unwrap_or_default();
        match result {
            Ok(Some(resolution)) => Ok(resolution),
            Ok(None) => Err(self.not_found(request, record)),
            Err(error) => Err(self.complete(error, record)),
        }
    }

    fn importer_dir(&mut self, importer: &str) -> DirId {
        if self.last.0 != importer {
            self.last.1 = self.dirs.intern_any(paths::parent(importer).unwrap_or("/"));
            self.last.0.clear();
            self.last.0.push_str(importer);
        }
        self.last.1
    }

    fn pack(&mut self, resolution: &Resolution) -> Packed {
        if let (Target::File(file), None) = (&resolution.target, &resolution.suffix) {
            return Packed::file(file.id, resolution.symlinked);
        }
        self.others.push(resolution.clone());
        Packed((self.others.len() - 1) as u32 | Packed::OTHER)
    }

    /// Nothing when the file was forgotten since.
    fn unpack(&self, packed: Packed) -> Option<Resolution> {
        if packed.0 & Packed::OTHER != 0 {
            let other = self.others.get((packed.0 & !Packed::OTHER) as usize);
            return other.cloned();
        }
        let file = self.files.get((packed.0 >> 1) as usize)?.file.as_ref()?;
        Some(Resolution { target: Target::File(file.clone()), suffix: None, symlinked: packed.0 & 1 != 0 })
    }

    /// A package found earlier in a `node_modules` directory.
    pub(crate) fn known_package(&self, request: &Request<'_>, modules: DirId, specifier: &str) -> Option<Resolution> {
        if !request.cacheable {
            return None;
        }
        let known = self.cache.get(modules, request.asked_of_package(), specifier)?;
        self.unpack(Packed(known))
    }

    pub(crate) fn remember_package(
        &mut self,
        request: &Request<'_>,
        modules: DirId,
        specifier: &str,
        resolution: &Resolution,
    ) {
        if request.cacheable {
            let packed = self.pack(resolution);
            self.cache.insert(modules, request.asked_of_package(), specifier, packed.0);
        }
    }

    /// Follows links from the place where a file was found and looks up its package.
    pub(crate) fn finish(&mut self, request: &Request<'_>, hit: Hit, suffix: &str) -> Fallible<Resolution> {
        let ordinary = request.kind != Kind::Entry;
        let note = self.dirs.note(hit.dir, hit.place).filter(|_| ordinary);
        let mut resolution = match note.and_then(|note| self.unpack(Packed(note))) {
            Some(known) => known,
            None => {
                let (dir, place) = (hit.dir, hit.place);
                let resolution = self.follow_links(request, hit)?;
                if ordinary {
                    let packed = self.pack(&resolution);
                    self.dirs.set_note(dir, place, packed.0);
                }
                resolution
            }
        };
        if !suffix.is_empty() {
            resolution.suffix = Some(suffix.into());
        }
        Ok(resolution)
    }

    fn follow_links(&mut self, request: &Request<'_>, hit: Hit) -> Fallible<Resolution> {
        let Hit { dir, slot, place, name } = hit;
        let name = name.unwrap_or_else(|| self.dirs.name_at(dir, place).into());
        let preserve = match request.kind {
            Kind::Entry => request.config.preserve_symlinks_main,
            _ => request.config.preserve_symlinks,
        };
        let (real_dir, real_name) = if preserve {
            (dir, name.clone())
        } else if slot.is_link() {
            self.dirs.real_file(dir, &name)
        } else {
            (self.dirs.real(dir), name.clone())
        };
        Ok(Resolution {
            target: Target::File(self.file(request, real_dir, &real_name)?),
            suffix: None,
            symlinked: real_dir != dir || real_name != name,
        })
    }

    fn file(&mut self, request: &Request<'_>, dir: DirId, name: &str) -> Fallible<Arc<ResolvedFile>> {
        let mut path = String::with_capacity(self.dirs.path(dir).len() + name.len() + 1);
        paths::join_into(&mut path, self.dirs.path(dir), name);
        let known = self.file_ids.get(path.as_str()).copied();
        if let Some(id) = known
            && let Some(file) = &self.files[id as usize].file
        {
            return Ok(file.clone());
        }
        let class = FileClass::of_name(name);
        let package = match self.dirs.scope(dir) {
            Ok(package) => package,
            // Only files whose meaning hangs on `type` suffer from a broken package.json.
            Err(_) if !needs_type(class) => None,
            Err((at, error)) => {
                return Err(self.invalid_config(request, at, &error, &path));
            }
        };
        let id = known.unwrap_or_else(|| {
            let id = self.files.len() as u32;
            let path: Arc<str> = path.into();
            self.file_ids.insert(path.clone(), id);
            self.files.push(Known { path, file: None });
            id
        });
        let entry = &mut self.files[id as usize];
        let file = Arc::new(ResolvedFile {
            id,
            path: entry.path.clone(),
            package,
            class,
            in_node_modules: self.dirs.get(dir).in_node_modules,
        });
        entry.file = Some(file.clone());
        Ok(file)
    }

    /// The path mapping for modules in `dir`.
    pub(crate) fn tsconfig_of(&mut self, dir: DirId) -> Option<Arc<TsConfigPaths>> {
        match &self.tsconfig {
            TsConfig::None => return None,
            TsConfig::Fixed(paths) => return Some(paths.clone()),
            TsConfig::Nearest(_) => {}
        }
        if let Some(known) = self.tsconfigs.get(&dir) {
            return known.clone();
        }
        // Files of that name that packages ship are about how they were built.
        let own = if self.dirs.get(dir).in_node_modules {
            None
        } else {
            ["tsconfig.json", "jsconfig.json"]
                .into_iter()
                .find(|name| self.dirs.entry(dir, name).is_some_and(Slot::is_file))
        };
        let found = match (own, self.dirs.get(dir).parent) {
            (Some(name), _) => {
                let mut path = String::new();
                paths::join_into(&mut path, self.dirs.path(dir), name);
                match &mut self.tsconfig {
                    TsConfig::Nearest(load) => load(&path),
                    _ => None,
                }
            }
            (None, Some(parent)) => self.tsconfig_of(parent),
            (None, None) => None,
        };
        self.tsconfigs.insert(dir, found.clone());
        found
    }

    /// Path mapping that applies to the file at `path`.
    pub fn tsconfig_for(&mut self, path: &str) -> Option<Arc<TsConfigPaths>> {
        self.dirs.begin();
        let dir = self.dirs.intern_any(paths::parent(path).unwrap_or("/"));
        self.tsconfig_of(dir)
    }

    /// Nearest `package.json` above the file at `path`, not looking past a `node_modules` directory
    /// (Node's LOOKUP_PACKAGE_SCOPE).
    ///
    /// # Errors
    /// `ERR_INVALID_PACKAGE_CONFIG` when it is not JSON.
    pub fn package_scope(&mut self, path: &str) -> Result<Option<Arc<PackageJson>>, Box<ResolveError>> {
        self.dirs.begin();
        let dir = self.dirs.intern_any(paths::parent(path).unwrap_or("/"));
        let scope = self.dirs.scope(dir);
        scope.map_err(|(at, error)| self.config_error(at, &error, "", path, ""))
    }

    /// The `package.json` directly in the directory `dir`.
    ///
    /// # Errors
    /// `ERR_INVALID_PACKAGE_CONFIG` when it is not JSON.
    pub fn package_json(&mut self, dir: &str) -> Result<Option<Arc<PackageJson>>, Box<ResolveError>> {
        self.dirs.begin();
        let id = self.dirs.intern_any(dir);
        match self.dirs.manifest(id) {
            Manifest::Read(package) => Ok(Some(package)),
            Manifest::Invalid(error) => Err(self.config_error(id, &error, "", dir, "")),
            Manifest::Unread | Manifest::None(_) => Ok(None),
        }
    }

    /// The directories `require` searches for a bare specifier from a module in `dir`: those of
    /// [`node_modules_paths`](crate::paths::node_modules_paths), then `NODE_PATH`.
    pub fn lookup_paths(&self, dir: &str) -> Vec<String> {
        let mut out = paths::node_modules_paths(dir);
        out.extend(self.config.node_path.iter().map(ToString::to_string));
        out
    }

    /// What `require.resolve.paths(specifier)` gives in the file `importer`: nothing for built-in
    /// modules, the importer's directory for relative specifiers, else
    /// [`lookup_paths`](Self::lookup_paths).
    pub fn require_resolve_paths(&self, specifier: &str, importer: &str) -> Option<Vec<String>> {
        if (self.builtins)(specifier).is_some() {
            return None;
        }
        let dir = paths::parent(importer).unwrap_or("/");
        if paths::is_relative(specifier) {
            return Some(vec![paths::normalize(dir).into_owned()]);
        }
        Some(self.lookup_paths(dir))
    }

    /// The path without symbolic links in its directories and last name. Parts that do not exist
    /// stay as they are.
    pub fn realpath(&mut self, path: &str) -> String {
        self.dirs.begin();
        let path = paths::normalize(path);
        let Some(parent) = paths::parent(&path) else {
            return path.into_owned();
        };
        let dir = self.dirs.intern(parent);
        let name = paths::base_name(&path);
        match self.dirs.entry(dir, name) {
            Some(slot) if slot.is_dir() => {
                let dir = self.dirs.child(dir, name);
                let real = self.dirs.real(dir);
                self.dirs.path(real).to_string()
            }
            _ => {
                let (dir, name) = self.dirs.real_file(dir, name);
                paths::join(self.dirs.path(dir), &name)
            }
        }
    }

    /// Tells that something at or below `path` was created, changed or removed.
    pub fn invalidate(&mut self, path: &str) {
        let path = paths::normalize(path).into_owned();
        self.dirs.forget(&path);
        self.forget_results();
    }

    /// Tells that anything may have changed.
    pub fn invalidate_all(&mut self) {
        self.dirs.forget_all();
        self.forget_results();
    }

    fn forget_results(&mut self) {
        self.cache.clear();
        self.others.clear();
        self.tsconfigs.clear();
        for known in &mut self.files {
            known.file = None;
        }
        self.assume_cwd();
    }

    /// `ERR_INVALID_PACKAGE_CONFIG` for a file whose package is broken.
    pub(crate) fn invalid_config(
        &self,
        request: &Request<'_>,
        dir: DirId,
        error: &json::Error,
        file: &str,
    ) -> Box<ResolveError> {
        let by = if request.is_require() { "" } else { file };
        self.config_error(dir, error, request.specifier, request.importer, by)
    }

    /// `ERR_INVALID_PACKAGE_CONFIG` for the package.json in `dir`; `by` says what wanted it.
    pub(crate) fn config_error(
        &self,
        dir: DirId,
        error: &json::Error,
        specifier: &str,
        importer: &str,
        by: &str,
    ) -> Box<ResolveError> {
        let mut path = String::new();
        paths::join_into(&mut path, self.dirs.path(dir), "package.json");
        let by = if by.is_empty() { String::new() } else { format!(" while importing {by}") };
        Box::new(ResolveError {
            kind: ErrorKind::InvalidPackageConfig,
            message: format!("Invalid package config {path}{by}. {error}"),
            specifier: specifier.into(),
            importer: importer.into(),
            tried: Vec::new(),
            suggestion: None,
            path: Some(path),
            installation: None,
            position: Some((error.line, error.column)),
        })
    }
}

fn needs_type(class: FileClass) -> bool {
    matches!(class, FileClass::Js | FileClass::Jsx | FileClass::Ts | FileClass::Tsx)
}

/// Whether looking at the disk again could turn this into a success.
fn may_be_stale(result: &Fallible<Option<Resolution>>) -> bool {
    match result {
        Ok(found) => found.is_none(),
        Err(error) => error.kind.is_not_found() || error.kind == ErrorKind::UnsupportedDirImport,
    }
}
