//! Packages that are in archives of the store (`bao install --linker=store`): rolldown's own resolver looks at the disk, so that
//! what it cannot find there is resolved here, by the same resolver with the same settings over [`store::find`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oxc_resolver::{
    FileMetadata, FileSystem, FileSystemOs, PackageJson, ResolveError, ResolveOptions, ResolverGeneric,
    TsconfigDiscovery, TsconfigOptions, TsconfigReferences,
};
use rolldown_common::{ImportKind, side_effects::HookSideEffects};
use rolldown_plugin::HookResolveIdOutput;
use rustc_hash::FxHashSet;
use store::Place;

use crate::options::{BuildOptions, Target};
use crate::settings;

/// The content of a file, which may be in an archive.
///
/// # Errors
/// Those of the system; EISDIR and EIO for what is in an archive.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    match store::cat(path.as_os_str().as_encoded_bytes()) {
        Some(found) => Ok(found?.into_owned()),
        None => std::fs::read(path),
    }
}

/// The same as text.
///
/// # Errors
/// As [`read`]; `InvalidData` if it is not UTF-8.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// The disk and the archives.
#[derive(Clone)]
struct Files(Arc<FileSystemOs>);

impl Files {
    fn status(&self, path: &Path, follow: bool) -> io::Result<FileMetadata> {
        let system = |path: &Path| if follow { self.0.metadata(path) } else { self.0.symlink_metadata(path) };
        match store::find(path.as_os_str().as_encoded_bytes(), follow) {
            Place::Os => system(path),
            Place::At(path) => system(&path_of(path)),
            Place::Node(node) => {
                let kind = node.kind();
                Ok(FileMetadata::new(kind == store::Kind::File, kind == store::Kind::Dir, kind == store::Kind::Link))
            }
            Place::Missing(errno) => Err(errno.into()),
        }
    }
}

impl FileSystem for Files {
    fn new(yarn_pnp: bool) -> Self {
        Files(Arc::new(FileSystemOs::new(yarn_pnp)))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read(path)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        read_to_string(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.status(path, true)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.status(path, false)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        match store::find(path.as_os_str().as_encoded_bytes(), false) {
            Place::Os => self.0.read_link(path),
            Place::At(path) => self.0.read_link(&path_of(path)),
            Place::Node(node) if node.kind() == store::Kind::Link => {
                Ok(path_of(node.content().map_err(io::Error::from)?.to_vec()))
            }
            Place::Node(_) => Err(io::Error::from(io::ErrorKind::InvalidInput).into()),
            Place::Missing(errno) => Err(io::Error::from(errno).into()),
        }
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        store::real_path(path)
    }
}

struct Resolvers {
    import: ResolverGeneric<Files>,
    require: ResolverGeneric<Files>,
    /// Of style sheets and `new URL`.
    relative: ResolverGeneric<Files>,
}

/// A module in an archive.
pub(crate) struct Archived {
    pub found: HookResolveIdOutput,
    /// The package.json of its package, there.
    pub manifest: Option<PathBuf>,
}

/// The archives of a build.
#[derive(Default)]
pub(crate) struct Archives {
    resolvers: OnceLock<Resolvers>,
    /// Folders in which a project with archives was looked for.
    known: Mutex<FxHashSet<PathBuf>>,
}

impl std::fmt::Debug for Archives {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Archives")
    }
}

fn is_archived(path: &Path) -> bool {
    matches!(store::find(path.as_os_str().as_encoded_bytes(), true), Place::Node(_))
}

impl Archives {
    /// Whether the module `importer`, a file, can see archives.
    fn concern(&self, importer: &Path) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for dir in importer.ancestors().skip(1) {
            if !known.insert(dir.to_path_buf()) {
                break;
            }
            store::discover_at(dir.as_os_str().as_encoded_bytes());
        }
        store::is_active()
    }

    /// The module that a specifier means, if it is in an archive or is imported there. `importer` is a file.
    pub(crate) fn resolve(
        &self,
        options: &BuildOptions,
        specifier: &str,
        importer: &str,
        kind: ImportKind,
    ) -> Option<Archived> {
        let importer = Path::new(importer);
        if !importer.is_absolute() || !self.concern(importer) {
            return None;
        }
        let inside = is_archived(importer);
        // A path from the disk into an archive says so.
        if !inside && specifier.starts_with(['.', '/']) && !specifier.contains("node_modules") {
            return None;
        }
        let all = self.resolvers.get_or_init(|| resolvers(options));
        let resolver = match kind {
            ImportKind::Import | ImportKind::DynamicImport | ImportKind::HotAccept => &all.import,
            ImportKind::Require => &all.require,
            ImportKind::NewUrl | ImportKind::AtImport | ImportKind::UrlImport => &all.relative,
        };
        let found = match resolver.resolve_file(importer, specifier) {
            Ok(found) => found,
            // `false` in the field `browser` of a package.
            Err(ResolveError::Ignored(path)) if inside || is_archived(&path) => {
                let found = HookResolveIdOutput {
                    id: format!("\0bao-empty:{}", path.display()).into(),
                    side_effects: Some(HookSideEffects::False),
                    ..Default::default()
                };
                return Some(Archived { found, manifest: None });
            }
            Err(_) => return None,
        };
        if !inside && !is_archived(found.path()) {
            return None;
        }
        let manifest = found.package_json();
        let output = HookResolveIdOutput {
            id: found.full_path().to_str()?.into(),
            side_effects: manifest.and_then(|manifest| side_effects(manifest, found.path())),
            package_json_path: manifest.and_then(|manifest| manifest_file(&manifest.realpath)),
            ..Default::default()
        };
        Some(Archived { found: output, manifest: manifest.map(|manifest| manifest.realpath.clone()) })
    }
}

/// What the field `sideEffects` of a package says of a module.
fn side_effects(manifest: &PackageJson, module: &Path) -> Option<HookSideEffects> {
    let inside = module.strip_prefix(manifest.realpath.parent()?).ok()?;
    let has = rolldown_common::PackageJson::from_oxc_pkg_json(manifest).check_side_effects_for(inside.to_str()?)?;
    Some(if has { HookSideEffects::True } else { HookSideEffects::False })
}

/// A file of the disk with the content of a package.json: rolldown reads the module system of a package from it by itself.
fn manifest_file(path: &Path) -> Option<String> {
    let file = match store::find(path.as_os_str().as_encoded_bytes(), true) {
        Place::Node(node) => store::extract(&node).ok()?,
        Place::At(path) => path_of(path),
        Place::Os => path.to_path_buf(),
        Place::Missing(_) => return None,
    };
    file.to_str().map(str::to_owned)
}

/// Resolvers with the settings that rolldown gives its own.
fn resolvers(options: &BuildOptions) -> Resolvers {
    let own = settings::resolution(options);
    let browser = options.target == Target::Browser;
    let with = |first: Option<&str>| {
        let mut names: Vec<String> = first.into_iter().map(str::to_owned).collect();
        names.push("default".to_owned());
        names.extend(own.condition_names.iter().flatten().cloned());
        names.push(if browser { "browser" } else { "node" }.to_owned());
        names
    };
    let base = ResolveOptions {
        cwd: Some(options.cwd.clone()),
        tsconfig: Some(match &options.tsconfig {
            None => TsconfigDiscovery::Auto,
            Some(file) => TsconfigDiscovery::Manual(TsconfigOptions {
                config_file: file.clone(),
                references: TsconfigReferences::Auto,
            }),
        }),
        alias_fields: if browser { vec![vec!["browser".to_owned()]] } else { Vec::new() },
        condition_names: with(None),
        extension_alias: own.extension_alias.unwrap_or_default(),
        extensions: own.extensions.clone().unwrap_or_default(),
        main_fields: own.main_fields.clone().unwrap_or_default(),
        builtin_modules: !browser,
        module_type: true,
        ..ResolveOptions::default()
    };
    let import = ResolveOptions { condition_names: with(Some("import")), ..base.clone() };
    let require = ResolveOptions { condition_names: with(Some("require")), ..base.clone() };
    let import = ResolverGeneric::new_with_file_system(Files::new(false), import);
    Resolvers {
        require: import.clone_with_options(require),
        relative: import.clone_with_options(base.with_prefer_relative(true)),
        import,
    }
}
