//! Where specifiers lead: virtual files, plugins of the program, aliases, externals, packages.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rolldown_common::{ImportKind, ResolvedExternal, side_effects::HookSideEffects};
use rolldown_plugin::{
    HookResolveIdArgs, HookResolveIdOutput, HookResolveIdReturn, PluginContext, PluginContextResolveOptions,
};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::archived::{self, Archived};
use crate::external::browser_packages;
use crate::graph::IsAsked;
use crate::loading::SQLITE;
use crate::options::{BuildOptions, Loader, Target};
use crate::plugin::BaoPlugin;
use crate::polyfills;
use crate::shared::{LOADER_MARK, id_of, is_of_bundler, join, kind_name, parts_of};

/// The fields `main` and `module` of a package.json without `exports`, as paths.
#[derive(Debug, Clone)]
pub(crate) struct Mains {
    main: PathBuf,
    module: PathBuf,
}

/// Which of their two modules packages are, where a build asks for them both ways. Both would be two instances of one package.
#[derive(Debug, Default)]
pub(crate) struct DualPackages {
    /// What each package.json says.
    known: Mutex<FxHashMap<PathBuf, Option<Mains>>>,
    /// Packages that are required, and those that are imported, as their ES module.
    required: Mutex<FxHashSet<PathBuf>>,
    imported: Mutex<FxHashSet<PathBuf>>,
    /// Packages that are their `main` for imports, too.
    pub(crate) by_main: FxHashSet<PathBuf>,
}

impl DualPackages {
    fn mains_of(&self, manifest: &Path) -> Option<Mains> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(manifest.to_path_buf()).or_insert_with(|| Mains::of_manifest(manifest)).clone()
    }

    fn note(packages: &Mutex<FxHashSet<PathBuf>>, manifest: PathBuf) {
        packages.lock().unwrap_or_else(PoisonError::into_inner).insert(manifest);
    }

    /// What an import or a `require` of a package means instead of `found`, the module that its package.json names for ES modules:
    /// its `main`, for `require`, and for an import of what is required as well. Notes that the package is asked for this way.
    pub(crate) fn main_for(&self, kind: ImportKind, manifest: PathBuf, found: &Path) -> Option<PathBuf> {
        let Mains { main, .. } = self.mains_of(&manifest).filter(|mains| mains.module == found)?;
        if matches!(kind, ImportKind::Require) {
            Self::note(&self.required, manifest);
        } else if !self.by_main.contains(&manifest) {
            Self::note(&self.imported, manifest);
            return None;
        }
        Some(main)
    }

    /// What another has noted, too.
    pub(crate) fn take_over(&self, other: &DualPackages) {
        for (own, others) in [(&self.required, &other.required), (&self.imported, &other.imported)] {
            let others = std::mem::take(&mut *others.lock().unwrap_or_else(PoisonError::into_inner));
            own.lock().unwrap_or_else(PoisonError::into_inner).extend(others);
        }
    }

    /// Packages that were taken both ways.
    pub(crate) fn found(&self) -> Vec<PathBuf> {
        let required = self.required.lock().unwrap_or_else(PoisonError::into_inner);
        let imported = self.imported.lock().unwrap_or_else(PoisonError::into_inner);
        required.intersection(&imported).cloned().collect()
    }
}

impl Mains {
    /// What a package.json says; `None` if it has no ES module beside its `main`.
    fn of_manifest(file: &Path) -> Option<Mains> {
        let text = archived::read_to_string(file).ok()?;
        let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
        if manifest.get("exports").is_some() {
            return None;
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        let path = |name: &str| manifest[name].as_str().map(|path| join(folder, path));
        Some(Mains { main: path("main").unwrap_or_else(|| folder.join("index")), module: path("module")? })
    }
}

/// Whether a specifier is the name of a package and is imported or required.
pub(crate) fn may_be_dual(kind: ImportKind, specifier: &str) -> bool {
    let slashes = usize::from(specifier.starts_with('@'));
    !specifier.starts_with(['.', '/', '#'])
        && specifier.matches('/').count() == slashes
        && matches!(kind, ImportKind::Require | ImportKind::Import | ImportKind::DynamicImport)
}

/// What the longest alias of a specifier makes of it: an alias stands for its name and for all below it, as `@` for `@/a/b`
/// (https://esbuild.github.io/api/#alias). Paths are relative to where the build runs.
fn aliased(options: &BuildOptions, specifier: &str) -> Option<String> {
    let rest_of = |name: &str| specifier.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let (name, target) =
        options.alias.iter().filter(|(name, _)| rest_of(name).is_some()).max_by_key(|(name, _)| name.len())?;
    let rest = rest_of(name).unwrap_or_default();
    let is_relative = target == "." || target == ".." || target.starts_with("./") || target.starts_with("../");
    let target = if is_relative { join(&options.cwd, target).to_string_lossy().into_owned() } else { target.clone() };
    Some(format!("{}{rest}", if rest.is_empty() { &target } else { target.trim_end_matches('/') }))
}

impl BaoPlugin {
    fn external(id: &str) -> HookResolveIdOutput {
        HookResolveIdOutput {
            id: id.into(),
            external: Some(ResolvedExternal::Bool(true)),
            normalize_external_id: Some(false),
            ..Default::default()
        }
    }

    /// The same, which goes if nobody uses it and it does nothing.
    fn external_of(&self, specifier: &str) -> HookResolveIdOutput {
        let side_effects = (!self.shared.externals.have_effects(specifier)).then_some(HookSideEffects::False);
        HookResolveIdOutput { side_effects, ..Self::external(specifier) }
    }

    /// A module that stands for one of Node's.
    fn polyfill(module: &polyfills::Module) -> HookResolveIdOutput {
        HookResolveIdOutput {
            id: id_of(polyfills::NAMESPACE, module.id).into(),
            side_effects: Some(HookSideEffects::False),
            ..Default::default()
        }
    }

    /// The entry point in an archive of the store that a specifier means: a path, or a package as the working directory has it.
    fn archived_entry(&self, specifier: &str) -> Option<Archived> {
        let options = &self.shared.options;
        let path = Path::new(specifier);
        let from = if path.is_absolute() { path.to_path_buf() } else { options.cwd.join("entry") };
        self.shared.archives.resolve(options, specifier, from.to_str()?, ImportKind::Import)
    }

    /// The module in an archive of the store that a specifier means.
    fn archived(&self, args: &HookResolveIdArgs<'_>, specifier: &str) -> Option<Archived> {
        let (namespace, importer, _) = parts_of(args.importer?);
        let importer = importer.split(['?', '#']).next().unwrap_or(importer);
        if namespace != "file" {
            return None;
        }
        self.shared.archives.resolve(&self.shared.options, specifier, importer, args.kind)
    }

    /// Where a specifier leads, by all that is not rolldown's own business.
    pub(crate) async fn find(&self, ctx: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
        let shared = &self.shared;
        let (specifier, loader) = match args.specifier.split_once(LOADER_MARK) {
            Some((path, name)) => (path, Loader::of_name(name)),
            None => (args.specifier, None),
        };
        if let Some(found) = self.asked(args, specifier).await? {
            return Ok(Some(found));
        }
        let with_loader = |id: &str| match loader {
            Some(loader) => format!("{id}{LOADER_MARK}{}", loader.name()),
            None => id.to_string(),
        };
        // Virtual files, by absolute path or relative to a file or to the working directory.
        if !shared.options.files.is_empty() {
            let base = args.importer.map_or(shared.options.cwd.as_path(), |importer| {
                Path::new(parts_of(importer).1).parent().unwrap_or(Path::new("/"))
            });
            let is_path = args.is_entry || specifier.starts_with('.') || specifier.starts_with('/');
            if is_path && let Some(found) = shared.virtual_file(&join(base, specifier)) {
                return Ok(Some(HookResolveIdOutput::from_id(with_loader(&found.to_string_lossy()))));
            }
        }
        if args.is_entry {
            let found = self.archived_entry(specifier).map(|Archived { found, .. }| found);
            return Ok(found.map(|found| HookResolveIdOutput { id: with_loader(&found.id).into(), ..found }));
        }
        if let Some((polyfills::NAMESPACE, importer, _)) = args.importer.map(parts_of)
            && let Some(module) = polyfills::required(importer, specifier)
        {
            return Ok(Some(Self::polyfill(module)));
        }
        if let Some(target) = aliased(&shared.options, specifier) {
            if shared.externals.is_external(&target) {
                return Ok(Some(Self::external(&target)));
            }
            let resolved = ctx.resolve(&target, args.importer, None).await?;
            return Ok(resolved.ok().map(HookResolveIdOutput::from_resolved_id));
        }
        // The database is opened where the program runs, and need not be there yet.
        if loader == Some(Loader::Sqlite) && shared.options.target != Target::Browser {
            return Ok(Some(HookResolveIdOutput::from_id(id_of(SQLITE, specifier))));
        }
        if shared.externals.is_external(specifier) {
            return Ok(Some(self.external_of(specifier)));
        }
        if shared.options.target == Target::Browser && (specifier == "bun" || specifier.starts_with("bun:")) {
            let text = format!(
                "Browser build cannot {} Bun builtin: \"{specifier}\". When bundling for Bun, set target to 'bun'",
                if args.kind == ImportKind::Require { "require()" } else { "import" }
            );
            return Err(shared.failed(text, "file", args.importer.unwrap_or_default()));
        }
        if let Some(empty) = shared.externals.builtin(specifier) {
            // In browsers the field `browser` of package.json comes first, then packages: "buffer", "crypto-browserify", ...
            if shared.options.target == Target::Browser {
                let nothing = HookResolveIdOutput {
                    id: empty.into(),
                    side_effects: Some(HookSideEffects::False),
                    ..Default::default()
                };
                for package in browser_packages(specifier) {
                    if let Some(Archived { found, .. }) = self.archived(args, &package) {
                        return Ok(Some(found));
                    }
                    let options =
                        PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
                    match ctx.resolve(&package, args.importer, Some(options)).await? {
                        Ok(found) if found.id.is_path() => {
                            return Ok(Some(HookResolveIdOutput::from_resolved_id(found)));
                        }
                        Ok(found) if found.id.is_empty_module() => return Ok(Some(nothing)),
                        _ => {}
                    }
                }
                if let Some(module) = polyfills::of_builtin(specifier) {
                    return Ok(Some(Self::polyfill(module)));
                }
                return Ok(Some(nothing));
            }
            return Ok(Some(self.external_of(specifier)));
        }
        if let Some(archived) = self.archived(args, specifier) {
            let found = self.main_of_archived(args, specifier, archived);
            let is_optimized = shared.options.optimize_imports.iter().any(|name| name == specifier);
            let side_effects = if is_optimized { Some(HookSideEffects::False) } else { found.side_effects };
            return Ok(Some(HookResolveIdOutput { id: with_loader(&found.id).into(), side_effects, ..found }));
        }
        if shared.options.optimize_imports.iter().any(|name| name == specifier) {
            let options = PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
            if let Ok(found) = ctx.resolve(specifier, args.importer, Some(options)).await? {
                let found = HookResolveIdOutput::from_resolved_id(found);
                return Ok(Some(HookResolveIdOutput { side_effects: Some(HookSideEffects::False), ..found }));
            }
        }
        if loader.is_none()
            && let Some(found) = self.main_of_package(ctx, args, specifier).await?
        {
            return Ok(Some(found));
        }
        if loader.is_some() || specifier.contains('?') {
            let options = PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
            if let Ok(found) = ctx.resolve(specifier, args.importer, Some(options)).await? {
                let id = with_loader(&found.id);
                return Ok(Some(HookResolveIdOutput { id: id.into(), ..HookResolveIdOutput::from_resolved_id(found) }));
            }
        }
        // What a program puts together may be there only when it runs: `import(a + "/b")` with a constant, which the scan evaluates.
        if matches!(args.kind, ImportKind::DynamicImport | ImportKind::Require) && self.is_computed(args, specifier) {
            let options = PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
            if ctx.resolve(specifier, args.importer, Some(options)).await?.is_err() {
                return Ok(Some(Self::external(specifier)));
            }
        }
        Ok(None)
    }

    /// Whether the importer does not have a specifier as it is in its text.
    fn is_computed(&self, args: &HookResolveIdArgs<'_>, specifier: &str) -> bool {
        let Some(importer) = args.importer else { return false };
        let seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let text = seen.get(importer).and_then(|seen| seen.text.clone());
        drop(seen);
        let Some(text) = text else { return false };
        !['"', '\'', '`'].iter().any(|quote| text.contains(&format!("{quote}{specifier}{quote}")))
    }

    /// For `require` of a package that has ES modules beside its `main`: the latter, which is what `module.exports` are of. For an
    /// import of a package that is required, too: the same one.
    async fn main_of_package(
        &self,
        ctx: &PluginContext,
        args: &HookResolveIdArgs<'_>,
        specifier: &str,
    ) -> HookResolveIdReturn {
        if !may_be_dual(args.kind, specifier) {
            return Ok(None);
        }
        let options = || PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
        let Ok(found) = ctx.resolve(specifier, args.importer, Some(options())).await? else { return Ok(None) };
        let Some(file) = found.package_json.as_ref().map(|package| package.realpath().to_path_buf()) else {
            return Ok(None);
        };
        let Some(main) = self.shared.dual.main_for(args.kind, file, Path::new(found.id.as_str())) else {
            return Ok(Some(HookResolveIdOutput::from_resolved_id(found)));
        };
        let main = ctx.resolve(&main.to_string_lossy(), args.importer, Some(options())).await?;
        Ok(main.ok().map(HookResolveIdOutput::from_resolved_id))
    }

    /// The same for a package that is in an archive.
    fn main_of_archived(
        &self,
        args: &HookResolveIdArgs<'_>,
        specifier: &str,
        archived: Archived,
    ) -> HookResolveIdOutput {
        let Archived { found, manifest } = archived;
        let manifest = manifest.filter(|_| may_be_dual(args.kind, specifier));
        let main = manifest.and_then(|manifest| self.shared.dual.main_for(args.kind, manifest, Path::new(&*found.id)));
        let main = main.and_then(|main| self.archived(args, main.to_str()?));
        main.map_or(found, |Archived { found, .. }| found)
    }

    /// Asks the program's plugins; `None` if none of them answers.
    pub(crate) async fn asked(
        &self,
        args: &HookResolveIdArgs<'_>,
        specifier: &str,
    ) -> anyhow::Result<Option<HookResolveIdOutput>> {
        let Some(hooks) = &self.shared.hooks else { return Ok(None) };
        // What rolldown's own helpers import is not the program's.
        if args.importer.is_some_and(is_of_bundler) || args.custom.contains_key(&IsAsked) {
            return Ok(None);
        }
        let (namespace, importer, _) = args.importer.map_or(("file", "", None), parts_of);
        if !self.shared.resolve_filters.match_any(specifier, namespace) {
            return Ok(None);
        }
        let answer = hooks.resolve(specifier, importer, namespace, kind_name(args)).await;
        let answer = answer.map_err(|text| self.shared.failed(text, namespace, importer))?;
        Ok(answer.map(|found| {
            if found.external {
                return Self::external(&found.path);
            }
            HookResolveIdOutput {
                id: id_of(&found.namespace, &found.path).into(),
                side_effects: found
                    .side_effects
                    .map(|has| if has { HookSideEffects::True } else { HookSideEffects::False }),
                ..Default::default()
            }
        }))
    }
}
