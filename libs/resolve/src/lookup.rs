//! Finding files by path: exact names, left-out extensions, TypeScript sources behind JavaScript
//! names, directories with `main` and `index`.

use crate::dirs::{DirId, Located, Manifest, Place};
use crate::error::{ErrorKind, ResolveError};
use crate::file::{Resolution, Target};
use crate::options::Kind;
use crate::paths::{self, FileUrl};
use crate::resolver::{Fallible, Hit, Missing, Request, Resolver};
use std::path::PathBuf;

impl Resolver {
    /// Resolves a request once. Nothing found is not an error here, so that the caller may look
    /// again.
    pub(crate) fn attempt(&mut self, request: &Request<'_>) -> Fallible<Option<Resolution>> {
        let specifier = request.specifier;
        if request.kind == Kind::Entry {
            let path = match specifier.strip_prefix("file:") {
                Some(_) => return self.file_url(request, specifier),
                None => specifier,
            };
            return self.by_path(request, request.from, path, "");
        }
        if let Some(id) = (self.builtins)(specifier) {
            return Ok(Some(builtin(id)));
        }
        if ["node:", "bun:", "bao:"].iter().any(|scheme| specifier.starts_with(scheme)) {
            if request.kind == Kind::RequireResolve {
                return Ok(None);
            }
            let message = format!("No such built-in module: {specifier}");
            return Err(error(request, ErrorKind::UnknownBuiltinModule, message));
        }
        if paths::is_relative(specifier) {
            for &base in request.bases {
                if let Some(found) = self.specified_path(request, base, specifier)? {
                    return Ok(Some(found));
                }
            }
            return Ok(None);
        }
        if specifier.starts_with('/') {
            if let Some(found) = self.mapped(request, specifier, "")? {
                return Ok(Some(found));
            }
            return self.specified_path(request, DirId::ROOT, specifier);
        }
        if specifier.starts_with("file:") {
            return self.file_url(request, specifier);
        }
        self.bare(request)
    }

    fn file_url(&mut self, request: &Request<'_>, url: &str) -> Fallible<Option<Resolution>> {
        match paths::parse_file_url(url) {
            FileUrl::ForeignHost => Err(error(
                request,
                ErrorKind::InvalidFileUrlHost,
                format!(
                    "File URL host must be \"localhost\" or empty on {}",
                    if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS }
                ),
            )),
            FileUrl::Path(path, suffix) => self.url_path(request, DirId::ROOT, path, suffix),
        }
    }

    /// A relative or absolute specifier. `import` reads it as a URL reference (query, hash, percent
    /// escapes), `require` as a file name; what does not exist in that reading is tried in the other.
    fn specified_path(&mut self, request: &Request<'_>, base: DirId, specifier: &str) -> Fallible<Option<Resolution>> {
        if request.is_require() {
            if let Some(found) = self.by_path(request, base, specifier, "")? {
                return Ok(Some(found));
            }
            let (path, query) = paths::split_query(specifier);
            if query.is_empty() {
                return Ok(None);
            }
            return self.by_path(request, base, path, query);
        }
        let (path, suffix) = paths::split_suffix(specifier);
        match self.url_path(request, base, path, suffix) {
            // `./a#b.js` may be the name of a file.
            Ok(None) if specifier.contains('#') => {
                let (path, query) = paths::split_query(specifier);
                self.by_path(request, base, path, query)
            }
            other => other,
        }
    }

    /// A percent-encoded path, or a file that is really called so.
    pub(crate) fn url_path(
        &mut self,
        request: &Request<'_>,
        base: DirId,
        path: &str,
        suffix: &str,
    ) -> Fallible<Option<Resolution>> {
        if !path.contains('%') {
            return self.by_path(request, base, path, suffix);
        }
        let separator = paths::has_encoded_separator(path);
        if !separator {
            let decoded = paths::percent_decode(path);
            if let Some(found) = self.by_path(request, base, &decoded, suffix)? {
                return Ok(Some(found));
            }
        }
        let found = self.by_path(request, base, path, suffix)?;
        if separator && found.is_none() {
            let path = paths::join(self.dirs.path(base), path);
            return Err(encoded_separator(request, &path));
        }
        Ok(found)
    }

    /// A file name without escapes, relative to `base` or absolute.
    pub(crate) fn by_path(
        &mut self,
        request: &Request<'_>,
        base: DirId,
        path: &str,
        suffix: &str,
    ) -> Fallible<Option<Resolution>> {
        let found = match self.dirs.locate(base, path) {
            Located::Name(dir, name) => {
                if let Some(hit) = self.load_as_file(request, dir, name, false) {
                    return self.finish(request, hit, suffix).map(Some);
                }
                self.directory(dir, name)
            }
            Located::Dir(dir) => self.existing(dir),
        };
        let Some(found) = found else {
            return Ok(None);
        };
        match self.load_as_directory(request, found)? {
            Some(hit) => self.finish(request, hit, suffix).map(Some),
            None => {
                let path = self.dirs.path(found).to_string();
                if let Some(record) = &mut self.record {
                    record.empty_dir.get_or_insert(path);
                }
                Ok(None)
            }
        }
    }

    /// `dir/name` if it is a directory.
    pub(crate) fn directory(&mut self, dir: DirId, name: &str) -> Option<DirId> {
        let slot = self.dirs.entry(dir, name)?;
        slot.is_dir().then(|| self.dirs.child(dir, name))
    }

    /// `dir` if it is there.
    pub(crate) fn existing(&mut self, dir: DirId) -> Option<DirId> {
        let path = self.dirs.path(dir).clone();
        match self.dirs.get(dir).parent {
            Some(parent) => self.directory(parent, paths::base_name(&path)),
            None => Some(dir),
        }
    }

    /// `dir/name` if it is a file.
    pub(crate) fn exact_file(&mut self, dir: DirId, name: &str) -> Option<Hit> {
        match self.dirs.find(dir, name) {
            Some((slot, place)) if slot.is_file() => {
                let name = (place == Place::UNLISTED).then(|| name.into());
                Some(Hit { dir, slot, place, name })
            }
            _ => {
                if self.record.is_some() {
                    self.note_tried(dir, name);
                }
                None
            }
        }
    }

    #[cold]
    fn note_tried(&mut self, dir: DirId, name: &str) {
        if let Some(record) = &mut self.record {
            let path = PathBuf::from(&**self.dirs.path(dir)).join(name);
            if !record.tried.contains(&path) {
                record.tried.push(path);
            }
        }
    }

    /// Node's LOAD_AS_FILE: the name itself, with an extension added, or with its JavaScript
    /// extension read as the TypeScript one. `entry` is set for `main` and `index` files.
    pub(crate) fn load_as_file(&mut self, request: &Request<'_>, dir: DirId, name: &str, entry: bool) -> Option<Hit> {
        if name.is_empty() {
            return None;
        }
        if let Some(hit) = self.exact_file(dir, name) {
            return Some(hit);
        }
        if let Some(hit) = self.with_extension(request, dir, name, entry) {
            return Some(hit);
        }
        self.ts_source(request, dir, name)
    }

    pub(crate) fn with_extension(&mut self, request: &Request<'_>, dir: DirId, name: &str, entry: bool) -> Option<Hit> {
        let order = &request.config.extensions;
        let order = match (self.dirs.get(dir).in_node_modules, request.is_require()) {
            (false, false) => &order.import,
            (false, true) => &order.require,
            (true, false) if !entry => &order.packages_import,
            (true, _) => &order.packages_require,
        };
        self.first_with(dir, name, order.iter().map(|extension| &**extension))
    }

    /// The first of the files that adding an ending to `stem` gives.
    fn first_with<'e>(&mut self, dir: DirId, stem: &str, mut endings: impl Iterator<Item = &'e str>) -> Option<Hit> {
        let mut full = std::mem::take(&mut self.name_buffer);
        full.clear();
        full.push_str(stem);
        let hit = endings.find_map(|ending| {
            full.truncate(stem.len());
            full.push_str(ending);
            self.exact_file(dir, &full)
        });
        self.name_buffer = full;
        hit
    }

    /// The TypeScript file that compiles to `name`, which does not exist itself.
    pub(crate) fn ts_source(&mut self, request: &Request<'_>, dir: DirId, name: &str) -> Option<Hit> {
        if !request.config.ts_rewrite {
            return None;
        }
        let extension = paths::extension(name);
        let stem = &name[..name.len() - extension.len()];
        self.first_with(dir, stem, paths::typescript_sources(extension).iter().copied())
    }

    /// Node's LOAD_AS_DIRECTORY: entry fields of `package.json`, then `index` files.
    pub(crate) fn load_as_directory(&mut self, request: &Request<'_>, dir: DirId) -> Fallible<Option<Hit>> {
        let package = match self.dirs.manifest(dir) {
            Manifest::Read(package) => Some(package),
            Manifest::Unread | Manifest::None(_) => None,
            Manifest::Invalid(error) => {
                let by = importing(request);
                let (specifier, importer) = (request.specifier, request.importer);
                return Err(self.config_error(dir, &error, specifier, importer, &by));
            }
        };
        let fields = &request.config.main_fields;
        let (before, after) = fields.split_at(request.config.fields_before_index);
        if let Some(package) = &package {
            for value in before.iter().filter_map(|field| package.entry(field)) {
                if let Some(hit) = self.load_main(request, dir, value) {
                    return Ok(Some(hit));
                }
            }
        }
        if let Some(hit) = self.with_extension(request, dir, "index", true) {
            return Ok(Some(hit));
        }
        if let Some(package) = &package {
            for value in after.iter().filter_map(|field| package.entry(field)) {
                if let Some(hit) = self.load_main(request, dir, value) {
                    return Ok(Some(hit));
                }
            }
        }
        if self.record.is_some() {
            let main = package.as_ref().and_then(|p| p.main()).filter(|m| !m.is_empty());
            let path = paths::join(self.dirs.path(dir), main.unwrap_or("index.js"));
            self.note_missing(Missing::Main { path, declared: main.is_some() });
        }
        Ok(None)
    }

    pub(crate) fn note_missing(&mut self, missing: Missing) {
        if let Some(record) = &mut self.record {
            record.missing.get_or_insert(missing);
        }
    }

    fn load_main(&mut self, request: &Request<'_>, package: DirId, value: &str) -> Option<Hit> {
        // Node resolves the value as a path, which drops a trailing slash.
        let inner = match self.dirs.locate(package, value.trim_end_matches('/')) {
            Located::Name(dir, name) => {
                if let Some(hit) = self.load_as_file(request, dir, name, true) {
                    return Some(hit);
                }
                self.directory(dir, name)?
            }
            Located::Dir(dir) => dir,
        };
        if inner == package {
            // `"main": "."`: the index files are tried anyway.
            return None;
        }
        self.with_extension(request, inner, "index", true)
    }

    /// Candidates of `paths` and `baseUrl` of the applicable tsconfig.json, for modules outside
    /// `node_modules`.
    pub(crate) fn mapped(
        &mut self,
        request: &Request<'_>,
        specifier: &str,
        suffix: &str,
    ) -> Fallible<Option<Resolution>> {
        if self.dirs.get(request.from).in_node_modules {
            return Ok(None);
        }
        self.mapped_from(request, specifier, suffix)
    }

    pub(crate) fn mapped_from(
        &mut self,
        request: &Request<'_>,
        specifier: &str,
        suffix: &str,
    ) -> Fallible<Option<Resolution>> {
        for &base in request.bases {
            let Some(tsconfig) = self.tsconfig_of(base) else {
                continue;
            };
            for candidate in tsconfig.candidates(specifier) {
                if let Some(found) = self.by_path(request, DirId::ROOT, &candidate, suffix)? {
                    return Ok(Some(found));
                }
            }
            if let Some(base_url) = tsconfig.base_url()
                && !specifier.starts_with(['/', '#'])
            {
                let base_url = self.dirs.intern(base_url);
                if let Some(found) = self.by_path(request, base_url, specifier, suffix)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }
}

pub(crate) fn builtin(id: &'static str) -> Resolution {
    Resolution { target: Target::Builtin(id), suffix: None, symlinked: false }
}

/// `"specifier" from importer`, as Node names the import that met a broken package.json.
pub(crate) fn importing(request: &Request<'_>) -> String {
    if request.is_require() || request.kind == Kind::Entry {
        return String::new();
    }
    format!("\"{}\" from {}", request.specifier, request.importer)
}

/// ` imported from X` for `import`, nothing for `require`.
pub(crate) fn imported_from(request: &Request<'_>) -> String {
    match request.kind {
        Kind::Import => format!(" imported from {}", request.importer),
        _ => String::new(),
    }
}

pub(crate) fn error(request: &Request<'_>, kind: ErrorKind, message: String) -> Box<ResolveError> {
    Box::new(ResolveError {
        kind,
        message,
        specifier: request.specifier.into(),
        importer: request.importer.into(),
        tried: Vec::new(),
        suggestion: None,
        path: None,
        installation: None,
        position: None,
    })
}

pub(crate) fn encoded_separator(request: &Request<'_>, path: &str) -> Box<ResolveError> {
    let message = format!(
        "Invalid module \"{path}\" must not include encoded \"/\" or \"\\\" characters{}",
        imported_from(request)
    );
    error(request, ErrorKind::InvalidModuleSpecifier, message)
}
