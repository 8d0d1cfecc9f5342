//! Bare specifiers: packages in `node_modules`, `exports`, `imports`, self-reference, path mapping.

use crate::dirs::{DirId, Located, Manifest, Slot};
use crate::error::ErrorKind;
use crate::exports::{Exports, MapError, Mapped};
use crate::file::{Resolution, Target};
use crate::lookup::{builtin, encoded_separator, error, imported_from, importing};
use crate::package_json::PackageJson;
use crate::paths;
use crate::resolver::{Fallible, Missing, Request, Resolver};

/// A bare specifier taken apart.
struct Bare<'s> {
    /// All of it, without query and hash.
    text: &'s str,
    name: &'s str,
    /// Empty, or `/...`.
    rest: &'s str,
    /// Whether Node takes the name as that of a package.
    valid: bool,
    suffix: &'s str,
}

impl<'s> Bare<'s> {
    fn new(text: &'s str, suffix: &'s str) -> Self {
        let (name, rest, valid) = paths::parse_package_name(text);
        Bare { text, name, rest, valid, suffix }
    }

    /// Key into `exports`: `.` or `./...`.
    fn subpath(&self) -> String {
        format!(".{}", self.rest)
    }
}

impl Resolver {
    pub(crate) fn bare(&mut self, request: &Request<'_>) -> Fallible<Option<Resolution>> {
        let specifier = request.specifier;
        if specifier.is_empty() {
            return Ok(None);
        }
        if let Some(scheme) = paths::url_scheme(specifier) {
            if let Some(found) = self.mapped(request, specifier, "")? {
                return Ok(Some(found));
            }
            // `require` knows no URLs in Node and these in Bun.
            let loadable = matches!(scheme, "data" | "http" | "https" | "blob");
            if loadable || !request.is_require() {
                return Ok(Some(Resolution { target: Target::Url(specifier.into()), suffix: None, symlinked: false }));
            }
        }
        // The first character may be the `#` of a package import.
        let first = specifier.chars().next().map_or(0, char::len_utf8);
        let split = |split: fn(&str) -> (&str, &str)| {
            let (_, suffix) = split(&specifier[first..]);
            specifier.split_at(specifier.len() - suffix.len())
        };
        let by_query = split(paths::split_query);
        if request.is_require() {
            let whole = self.without_suffix(request, specifier, "");
            if by_query.1.is_empty() || matches!(whole, Ok(Some(_))) {
                return whole;
            }
            return match self.without_suffix(request, by_query.0, by_query.1) {
                Ok(Some(found)) => Ok(Some(found)),
                _ => whole,
            };
        }
        let by_url = if first == 1 && specifier.starts_with('#') { by_query } else { split(paths::split_suffix) };
        let found = self.without_suffix(request, by_url.0, by_url.1);
        if by_url != by_query && !matches!(found, Ok(Some(_))) {
            // A package path with a `#` in a file name.
            if let Ok(Some(found)) = self.without_suffix(request, by_query.0, by_query.1) {
                return Ok(Some(found));
            }
        }
        found
    }

    fn without_suffix(&mut self, request: &Request<'_>, specifier: &str, suffix: &str) -> Fallible<Option<Resolution>> {
        if let Some(found) = self.mapped(request, specifier, suffix)? {
            return Ok(Some(found));
        }
        let bare = Bare::new(specifier, suffix);
        let found = if specifier.starts_with('#') {
            self.package_import(request, &bare)?
        } else {
            self.package(request, request.from, &bare)?
        };
        if found.is_none() && self.dirs.get(request.from).in_node_modules {
            // Bun maps paths for installed packages too; here only what would fail otherwise.
            return self.mapped_from(request, specifier, suffix);
        }
        if found.is_none() && !bare.valid && !request.is_require() && !specifier.starts_with('#') {
            let message = format!(
                "Invalid module \"{}\" is not a valid package name{}",
                request.specifier,
                imported_from(request)
            );
            return Err(error(request, ErrorKind::InvalidModuleSpecifier, message));
        }
        Ok(found)
    }

    /// Node's PACKAGE_IMPORTS_RESOLVE.
    fn package_import(&mut self, request: &Request<'_>, bare: &Bare<'_>) -> Fallible<Option<Resolution>> {
        let scope = match self.dirs.scope(request.from) {
            Ok(scope) => scope,
            Err((at, json)) => {
                return Err(self.invalid_config(request, at, &json, request.importer));
            }
        };
        let with_imports = scope.as_ref().filter(|package| package.has_imports());
        if with_imports.is_none()
            && request.is_require()
            && let Some(found) = self.package(request, request.from, bare)?
        {
            // CommonJS may still load a package called `#name`.
            return Ok(Some(found));
        }
        if with_imports.is_none() && request.is_require() {
            return Ok(None);
        }
        if bare.text == "#" || bare.text.ends_with('/') {
            let message = format!(
                "Invalid module \"{}\" is not a valid internal imports specifier name \
                 imported from {}",
                bare.text, request.importer
            );
            return Err(error(request, ErrorKind::InvalidModuleSpecifier, message));
        }
        let mapped = match with_imports.and_then(|package| package.imports.as_ref()) {
            Some(map) => map.resolve_import(bare.text, request.conditions),
            None => Err(MapError::NotDefined),
        };
        let package = scope.as_deref();
        match mapped {
            Ok(mapped) => {
                let dir = package.map_or("/", PackageJson::dir);
                let dir = self.dirs.intern(dir);
                match mapped {
                    Mapped::Path(path) => self.package_target(request, dir, &path, bare.suffix).map(Some),
                    Mapped::Package(specifier) => {
                        if let Some(id) = (self.builtins)(&specifier) {
                            return Ok(Some(builtin(id)));
                        }
                        let target = Bare::new(&specifier, bare.suffix);
                        match self.package(request, dir, &target)? {
                            Some(found) => Ok(Some(found)),
                            None => Err(self.missing_import(request, &target, dir)),
                        }
                    }
                }
            }
            Err(MapError::NotDefined) => {
                let place = package.map_or(String::new(), |p| format!(" in package {}", p.path()));
                let message = format!(
                    "Package import specifier \"{}\" is not defined{place} imported from {}",
                    bare.text, request.importer
                );
                Err(error(request, ErrorKind::PackageImportNotDefined, message))
            }
            Err(failure) => {
                let from = format!(" imported from {}", request.importer);
                Err(map_error(request, failure, bare.text, package, "imports", &from))
            }
        }
    }

    /// The package that an `imports` entry leads to is not installed.
    fn missing_import(&self, request: &Request<'_>, target: &Bare<'_>, dir: DirId) -> Box<crate::ResolveError> {
        if request.is_require() {
            let message = format!("Cannot find module '{}'", request.specifier);
            return error(request, ErrorKind::RequireNotFound, message);
        }
        let package = paths::join(self.dirs.path(dir), "package.json");
        let message = format!("Cannot find package '{}' imported from {package}", target.name);
        error(request, ErrorKind::ImportNotFound, message)
    }

    /// Self-reference, `node_modules` from `from` upwards, `NODE_PATH`.
    fn package(&mut self, request: &Request<'_>, from: DirId, bare: &Bare<'_>) -> Fallible<Option<Resolution>> {
        let scope = match self.dirs.scope(from) {
            Ok(scope) => scope,
            Err((at, json)) => {
                return Err(self.invalid_config(request, at, &json, request.importer));
            }
        };
        if let Some(own) = scope
            && bare.valid
            && own.name() == Some(bare.name)
            && own.has_exports()
        {
            let dir = self.dirs.intern(own.dir());
            let from = format!(" imported from {}", request.importer);
            return self.exported(request, dir, &own, bare, &from).map(Some);
        }
        let bases = if from == request.from { request.bases } else { &[from] };
        for &base in bases {
            let mut modules = self.dirs.nearest_modules(base);
            while let Some(dir) = modules {
                if let Some(found) = self.in_modules(request, dir, bare)? {
                    return Ok(Some(found));
                }
                modules = self.dirs.next_modules(dir);
            }
        }
        for at in 0..self.node_path.len() {
            let dir = self.node_path[at];
            if let Some(found) = self.in_modules(request, dir, bare)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn in_modules(&mut self, request: &Request<'_>, modules: DirId, bare: &Bare<'_>) -> Fallible<Option<Resolution>> {
        let known = match self.known_package(request, modules, bare.text) {
            Some(known) => Some(known),
            None => {
                let found = self.look_in_modules(request, modules, bare)?;
                if let Some(found) = &found {
                    self.remember_package(request, modules, bare.text, found);
                }
                found
            }
        };
        Ok(known.map(|mut found| {
            found.suffix = joined(found.suffix.as_deref(), bare.suffix);
            found
        }))
    }

    /// Looks for a package in one `node_modules` directory. The suffix is left to the caller.
    fn look_in_modules(
        &mut self,
        request: &Request<'_>,
        modules: DirId,
        bare: &Bare<'_>,
    ) -> Fallible<Option<Resolution>> {
        let (dir, name) = match bare.name.split_once('/') {
            Some((scope, name)) => (self.dirs.child(modules, scope), name),
            None => (modules, bare.name),
        };
        if name.is_empty() || matches!(name, "." | "..") {
            return Ok(None);
        }
        let slot = self.dirs.entry(dir, name);
        if !slot.is_some_and(Slot::is_dir) {
            if !bare.rest.is_empty() {
                return Ok(None);
            }
            // A file right in `node_modules`.
            return match self.load_as_file(request, dir, name, true) {
                Some(hit) => self.finish(request, hit, "").map(Some),
                None => Ok(None),
            };
        }
        let package_dir = self.dirs.child(dir, name);
        match self.dirs.manifest(package_dir) {
            Manifest::Read(package) if bare.valid && package.has_exports() => {
                let from = imported_from(request);
                let bare = Bare { suffix: "", ..*bare };
                return self.exported(request, package_dir, &package, &bare, &from).map(Some);
            }
            Manifest::Invalid(json) => {
                let by = importing(request);
                let (specifier, importer) = (request.specifier, request.importer);
                return Err(self.config_error(package_dir, &json, specifier, importer, &by));
            }
            _ => {}
        }
        if !matches!(bare.rest, "" | "/") {
            return self.below_package(request, package_dir, bare.rest);
        }
        // `require("x")` prefers node_modules/x.js to node_modules/x/, `import "x"` the package.
        let file_first = request.is_require() && bare.rest.is_empty();
        if file_first && let Some(hit) = self.with_extension(request, dir, name, true) {
            return self.finish(request, hit, "").map(Some);
        }
        if let Some(hit) = self.load_as_directory(request, package_dir)? {
            return self.finish(request, hit, "").map(Some);
        }
        if !file_first
            && bare.rest.is_empty()
            && let Some(hit) = self.with_extension(request, dir, name, true)
        {
            return self.finish(request, hit, "").map(Some);
        }
        Ok(None)
    }

    /// `name/rest` in a package without `exports`.
    fn below_package(&mut self, request: &Request<'_>, package: DirId, rest: &str) -> Fallible<Option<Resolution>> {
        let rest = &rest[1..];
        let found = if request.is_require() {
            self.by_path(request, package, &format!("./{rest}"), "")?
        } else {
            self.url_path(request, package, &format!("./{rest}"), "")?
        };
        if found.is_none() && self.record.is_some() {
            let path = paths::join(self.dirs.path(package), &paths::percent_decode(rest));
            self.note_missing(Missing::Subpath(path));
        }
        Ok(found)
    }

    /// Node's PACKAGE_EXPORTS_RESOLVE and the check of what it yields. `from` is the end of messages.
    fn exported(
        &mut self,
        request: &Request<'_>,
        dir: DirId,
        package: &PackageJson,
        bare: &Bare<'_>,
        from: &str,
    ) -> Fallible<Resolution> {
        let subpath = bare.subpath();
        let Some(exports) = &package.exports else {
            let message = not_exported(&subpath, package, from);
            return Err(error(request, ErrorKind::PackagePathNotExported, message));
        };
        match exports.resolve(&subpath, request.conditions) {
            Ok(Mapped::Path(path) | Mapped::Package(path)) => self.package_target(request, dir, &path, bare.suffix),
            Err(MapError::NotDefined) => {
                // Bun lets every package.json be read; tools ask for it to learn the version.
                if subpath == "./package.json"
                    && let Some(hit) = self.exact_file(dir, "package.json")
                {
                    return self.finish(request, hit, bare.suffix);
                }
                let message = not_exported(&subpath, package, from);
                let mut failure = error(request, ErrorKind::PackagePathNotExported, message);
                failure.path = Some(package.path().to_string());
                if self.record.is_some() {
                    failure.suggestion = self.similar_export(exports, dir, bare, request);
                }
                Err(failure)
            }
            Err(failure) => {
                let field = "exports";
                Err(map_error(request, failure, &subpath, Some(package), field, from))
            }
        }
    }

    /// The file a target of `exports` or `imports` names: exactly that file, or the TypeScript file
    /// it is compiled from.
    fn package_target(
        &mut self,
        request: &Request<'_>,
        package: DirId,
        target: &str,
        suffix: &str,
    ) -> Fallible<Resolution> {
        let (path, own_suffix) = paths::split_suffix(target);
        if paths::has_encoded_separator(path) {
            let path = paths::join(self.dirs.path(package), path);
            return Err(encoded_separator(request, &path));
        }
        let path = paths::percent_decode(path);
        let is_dir = match self.dirs.locate(package, &path) {
            Located::Name(dir, name) => {
                let hit = match self.exact_file(dir, name) {
                    Some(hit) => Some(hit),
                    None => self.ts_source(request, dir, name),
                };
                if let Some(hit) = hit {
                    // A query in the target is part of the URL, and `require` has no URLs.
                    let keep = !own_suffix.is_empty() && !request.is_require();
                    let own = joined(keep.then_some(own_suffix), suffix);
                    return self.finish(request, hit, own.as_deref().unwrap_or(""));
                }
                self.directory(dir, name).is_some()
            }
            Located::Dir(dir) => self.existing(dir).is_some(),
        };
        let slash = if paths::names_directory(&path) { "/" } else { "" };
        let path = paths::join(self.dirs.path(package), &path) + slash;
        let (kind, message) = if request.is_require() {
            (ErrorKind::RequireNotFound, format!("Cannot find module '{path}'"))
        } else if is_dir {
            (ErrorKind::UnsupportedDirImport, dir_import(request, &path))
        } else {
            let message = format!("Cannot find module '{path}'{}", imported_from(request));
            (ErrorKind::ImportNotFound, message)
        };
        let mut failure = error(request, kind, message);
        failure.path = Some(path);
        Err(failure)
    }

    /// The same subpath with another ending that the package does export and have.
    fn similar_export(
        &mut self,
        exports: &Exports,
        dir: DirId,
        bare: &Bare<'_>,
        request: &Request<'_>,
    ) -> Option<String> {
        let rest = bare.rest.trim_end_matches('/');
        let stem = &rest[..rest.len() - paths::extension(rest).len()];
        let endings = ["", ".js", ".mjs", ".cjs", ".json", "/index.js"];
        endings.iter().find_map(|ending| {
            let candidate = format!("{stem}{ending}");
            if candidate == bare.rest {
                return None;
            }
            let mapped = exports.resolve(&format!(".{candidate}"), request.conditions);
            let Ok(Mapped::Path(path)) = mapped else {
                return None;
            };
            let Located::Name(dir, name) = self.dirs.locate(dir, &path) else {
                return None;
            };
            self.exact_file(dir, name)?;
            Some(format!("{}{candidate}", bare.name))
        })
    }
}

pub(crate) fn dir_import(request: &Request<'_>, path: &str) -> String {
    format!("Directory import '{path}' is not supported resolving ES modules imported from {}", request.importer)
}

fn joined(first: Option<&str>, second: &str) -> Option<std::sync::Arc<str>> {
    match (first, second) {
        (None, "") => None,
        (Some(first), "") => Some(first.into()),
        (None, second) => Some(second.into()),
        (Some(first), second) => Some(format!("{first}{second}").into()),
    }
}

fn not_exported(subpath: &str, package: &PackageJson, from: &str) -> String {
    let path = package.path();
    if subpath == "." {
        format!("No \"exports\" main defined in {path}{from}")
    } else {
        format!("Package subpath '{subpath}' is not defined by \"exports\" in {path}{from}")
    }
}

fn map_error(
    request: &Request<'_>,
    failure: MapError,
    asked: &str,
    package: Option<&PackageJson>,
    field: &str,
    from: &str,
) -> Box<crate::ResolveError> {
    let path = package.map_or("package.json", |p| p.path());
    let (kind, message) = match failure {
        MapError::NotDefined => (
            ErrorKind::PackagePathNotExported,
            format!("Package subpath '{asked}' is not defined by \"{field}\" in {path}{from}"),
        ),
        MapError::InvalidTarget { key, target } => {
            let outside = field == "exports" && !target.is_empty() && !target.starts_with("./");
            let rule = if outside { "; targets must start with \"./\"" } else { "" };
            let text = quote(&target);
            let message = if &*key == "." {
                format!(
                    "Invalid \"{field}\" main target {text} defined in the package config \
                     {path}{from}{rule}"
                )
            } else {
                format!(
                    "Invalid \"{field}\" target {text} defined for '{key}' in the package config \
                     {path}{from}{rule}"
                )
            };
            (ErrorKind::InvalidPackageTarget, message)
        }
        MapError::InvalidMatch { key } => (
            ErrorKind::InvalidModuleSpecifier,
            format!(
                "Invalid module \"{asked}\" request is not a valid match in pattern \"{key}\" for \
                 the \"{field}\" resolution of {path}{from}"
            ),
        ),
        MapError::InvalidConfig(reason) => {
            let by = match request.is_require() {
                true => String::new(),
                false => format!(" while importing file://{}", request.importer),
            };
            (ErrorKind::InvalidPackageConfig, format!("Invalid package config {path}{by}. {reason}"))
        }
    };
    let mut failure = error(request, kind, message);
    failure.path = Some(path.to_string());
    failure
}

/// `JSON.stringify` of a string.
fn quote(text: &str) -> String {
    let mut out = String::new();
    json::quote(text, &mut out);
    out
}
