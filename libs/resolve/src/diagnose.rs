//! What a failed resolution says: Node's message, and what may have been meant.

use crate::dirs::{DirId, Located};
use crate::error::{ErrorKind, ResolveError};
use crate::lookup::error;
use crate::options::Kind;
use crate::packages::dir_import;
use crate::paths;
use crate::resolver::{Missing, Record, Request, Resolver};
use text::suggest::distance;

impl Resolver {
    /// The error for a specifier that leads nowhere.
    pub(crate) fn not_found(&mut self, request: &Request<'_>, record: Record) -> Box<ResolveError> {
        let specifier = request.specifier;
        let mut failure = match request.kind {
            Kind::Import => self.import_not_found(request, &record),
            Kind::Entry => self.entry_not_found(request, &record),
            Kind::Require | Kind::RequireResolve => match &record.missing {
                Some(Missing::Main { path, declared: true }) => {
                    let message = format!(
                        "Cannot find module '{path}'. Please verify that the package.json has a \
                         valid \"main\" entry"
                    );
                    let mut failure = error(request, ErrorKind::RequireNotFound, message);
                    failure.path = Some(path.clone());
                    failure
                }
                _ => {
                    let message = format!("Cannot find module '{specifier}'");
                    error(request, ErrorKind::RequireNotFound, message)
                }
            },
        };
        failure.suggestion = self.suggest(request);
        failure.installation = self.install_failure.take();
        failure.tried = record.tried;
        failure
    }

    /// Adds to an error what was learnt on the way to it.
    pub(crate) fn complete(&mut self, mut failure: Box<ResolveError>, record: Record) -> Box<ResolveError> {
        if failure.kind.is_not_found() || failure.kind == ErrorKind::UnsupportedDirImport {
            failure.tried = record.tried;
        }
        if failure.suggestion.is_none()
            && let Some(path) = failure.path.clone()
            && failure.kind.is_not_found()
        {
            // A package leads to a file that is not there.
            let dir = self.dirs.intern(paths::parent(&path).unwrap_or("/"));
            let near = self.similar_name(dir, paths::base_name(&path));
            failure.suggestion = near.map(|name| paths::join(self.dirs.path(dir), &name));
        }
        failure
    }

    fn is_path(&self, specifier: &str) -> bool {
        paths::is_relative(specifier) || specifier.starts_with('/') || specifier.starts_with("file:")
    }

    fn import_not_found(&mut self, request: &Request<'_>, record: &Record) -> Box<ResolveError> {
        let specifier = request.specifier;
        let from = request.importer;
        if self.is_path(specifier) {
            let (path, _) = paths::split_suffix(specifier.strip_prefix("file://").unwrap_or(specifier));
            let path = paths::percent_decode(path);
            // A trailing slash asks for a directory, whatever is there.
            let names_directory = paths::names_directory(&path);
            let mut full = paths::join(self.dirs.path(request.from), &path);
            if names_directory && full != "/" {
                full.push('/');
            }
            let (kind, message) = if record.empty_dir.is_some() || names_directory {
                (ErrorKind::UnsupportedDirImport, dir_import(request, &full))
            } else {
                let message = format!("Cannot find module '{full}' imported from {from}");
                (ErrorKind::ImportNotFound, message)
            };
            let mut failure = error(request, kind, message);
            failure.path = Some(full);
            return failure;
        }
        let (message, path) = match &record.missing {
            Some(Missing::Main { path, .. }) => {
                (format!("Cannot find package '{path}' imported from {from}"), Some(path.clone()))
            }
            Some(Missing::Subpath(path)) => {
                (format!("Cannot find module '{path}' imported from {from}"), Some(path.clone()))
            }
            None => {
                let (bare, _) = paths::split_suffix(specifier);
                let (name, _, _) = paths::parse_package_name(bare);
                (format!("Cannot find package '{name}' imported from {from}"), None)
            }
        };
        let mut failure = error(request, ErrorKind::ImportNotFound, message);
        failure.path = path;
        failure
    }

    fn entry_not_found(&mut self, request: &Request<'_>, record: &Record) -> Box<ResolveError> {
        let path = paths::join(self.dirs.path(request.from), request.specifier);
        let message = match (&record.empty_dir, &record.missing) {
            (Some(_), Some(Missing::Main { path: main, declared: true })) => format!(
                "Cannot find module '{main}'. Please verify that the package.json has a valid \
                 \"main\" entry"
            ),
            (Some(dir), _) => {
                format!("Cannot run directory '{dir}': it has no \"main\" entry and no index file")
            }
            (None, _) => format!("Cannot find module '{path}'"),
        };
        let mut failure = error(request, ErrorKind::RequireNotFound, message);
        failure.path = Some(path);
        failure
    }

    /// A specifier close to the one that was not found and that leads to something.
    fn suggest(&mut self, request: &Request<'_>) -> Option<String> {
        let specifier = request.specifier;
        if specifier.starts_with("file:") || paths::names_directory(specifier) {
            return None;
        }
        if request.kind == Kind::Entry || self.is_path(specifier) {
            let Located::Name(dir, name) = self.dirs.locate(request.from, specifier) else {
                return None;
            };
            let best = self.similar_name(dir, name)?;
            let head = &specifier[..specifier.rfind('/').map_or(0, |at| at + 1)];
            return Some(format!("{head}{best}"));
        }
        if specifier.starts_with('#') {
            return None;
        }
        // `import "foo.js"` for a file next to the importing one.
        if let Located::Name(dir, name) = self.dirs.locate(request.from, specifier)
            && self.load_as_file(request, dir, name, false).is_some()
        {
            return Some(format!("./{specifier}"));
        }
        let (name, rest, _) = paths::parse_package_name(specifier);
        let mut modules = self.dirs.nearest_modules(request.from);
        while let Some(dir) = modules {
            let best = match name.split_once('/') {
                Some((scope, name)) => {
                    let dir = self.dirs.child(dir, scope);
                    self.similar_name(dir, name).map(|best| format!("{scope}/{best}"))
                }
                None => self.similar_name(dir, name),
            };
            if let Some(best) = best
                && best != name
            {
                return Some(format!("{best}{rest}"));
            }
            modules = self.dirs.next_modules(dir);
        }
        None
    }

    /// The name in `dir` closest to `name`: another case, another extension, a slip of the keyboard.
    fn similar_name(&mut self, dir: DirId, name: &str) -> Option<String> {
        let stem = |name: &str| name[..name.len() - paths::extension(name).len()].to_lowercase();
        let wanted = name.to_lowercase();
        let wanted_stem = stem(name);
        let allowed = match wanted_stem.chars().count() {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        let names = self.dirs.names(dir).into_iter();
        let scored = names.filter(|n| !n.starts_with('.') && n != name).filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let score = if lower == wanted {
                0
            } else if stem(&candidate) == wanted_stem {
                1
            } else {
                let whole = distance(&lower, &wanted, allowed);
                let stems = distance(&stem(&candidate), &wanted_stem, allowed).map(|d| d + 1);
                whole.into_iter().chain(stems).min()? + 1
            };
            Some((score, candidate))
        });
        scored.min().map(|(_, candidate)| candidate)
    }
}
