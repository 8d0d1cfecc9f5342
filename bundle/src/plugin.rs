//! The plugin of rolldown through which a build is Bun's: virtual files, plugins of the program, externals, loaders.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arcstr::ArcStr;
use oxc::codegen::{CodegenOptions, CommentOptions, LegalComment};
use oxc::mangler::MangleOptions;
use oxc::minifier::TreeShakeOptions;
use rolldown_common::{
    EmittedChunk, ExportsKind, ImportKind, ModuleInfo, ModuleType, NormalModule, OutputFormat, RawCompressOptions,
    RawMangleOptions, ResolvedExternal, side_effects::HookSideEffects,
};
use rolldown_plugin::{
    HookBuildStartArgs, HookLoadArgs, HookLoadOutput, HookLoadReturn, HookNoopReturn, HookRenderChunkArgs,
    HookRenderChunkOutput, HookRenderChunkReturn, HookResolveIdArgs, HookResolveIdOutput, HookResolveIdReturn,
    HookTransformAstArgs, HookTransformAstReturn, HookTransformOutputMap, HookUsage, Plugin, PluginContext,
    PluginContextResolveOptions, SharedLoadPluginContext,
};
use rolldown_sourcemap::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::archived::{self, Archives};
use crate::assets::{Assets, clean};
use crate::external::Externals;
use crate::hooks::{Deferral, Expanded, Filters, Hooks};
use crate::job::Artifact;
use crate::messages::{Message, Position, position_at};
use crate::minify::{self, Plan};
use crate::options::{BuildOptions, LegalComments, Loader, Target};
use crate::pages::{self, Page};
use crate::progress::Progress;
use crate::settings::Entry;
use crate::transpile_data::json_module;
use crate::{disposal, loop_variables, rewrite, rules};

/// Between a path and the loader that an import attribute asks for.
pub(crate) const LOADER_MARK: &str = "?bao-loader=";

/// What the graph of modules remembers of one, beside rolldown's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub bytes: usize,
    pub loader: Option<Loader>,
    /// Modules that it imports, in order; those that it imports later stand in `dynamic`.
    pub imports: Vec<String>,
    pub dynamic: Vec<String>,
    /// Its imports as they are written, if the metafile is wanted.
    pub records: Vec<Record>,
    /// `esm` or `cjs`, if it is clear.
    pub format: Option<&'static str>,
    /// The text of a module of JavaScript or TypeScript, which rolldown has, too.
    pub text: Option<ArcStr>,
}

/// An import as it is written, for the metafile.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    pub specifier: String,
    /// Bun's name for the way of the import.
    pub kind: &'static str,
    /// The module that it leads to; empty if it is none of the build's.
    pub id: String,
}

/// What is shared by the hooks of a build, and by its several bundles if entry points are built apart.
#[derive(Debug)]
pub(crate) struct Shared {
    pub options: BuildOptions,
    pub root: PathBuf,
    pub assets: Assets,
    pub hooks: Option<Arc<dyn Hooks>>,
    pub resolve_filters: Filters,
    pub load_filters: Filters,
    pub externals: Externals,
    pub archives: Archives,
    pub seen: Mutex<FxHashMap<String, Seen>>,
    pub progress: Arc<Progress>,
    /// What plugins have thrown and files that cannot be read, which say more than rolldown's messages about them.
    pub failures: Mutex<Vec<Message>>,
    /// What is not quite right about files that are bundled all the same.
    pub warnings: Mutex<Vec<Message>>,
    /// The texts of modules by id, for messages and CSS.
    pub texts: Mutex<BTreeMap<String, String>>,
    /// Pages that are entry points, and what has become of their references.
    pub page_entries: FxHashSet<String>,
    pub pages: Mutex<BTreeMap<String, Page>>,
    /// Results of the builds of pages that modules for servers import.
    pub nested: Mutex<Vec<Artifact>>,
    /// The modules of packages that have one for `require` and one for `import`, by their package.json.
    pub mains: Mutex<FxHashMap<PathBuf, Option<Mains>>>,
}

/// The fields `main` and `module` of a package.json without `exports`, as paths.
#[derive(Debug, Clone)]
pub(crate) struct Mains {
    main: PathBuf,
    module: PathBuf,
}

impl Mains {
    /// What a package.json says; `None` if it does not have both.
    fn of_manifest(file: &Path) -> Option<Mains> {
        let text = std::fs::read_to_string(file).ok()?;
        let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
        if manifest.get("exports").is_some() {
            return None;
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        let path = |name: &str| manifest[name].as_str().map(|path| join(folder, path));
        Some(Mains { main: path("main")?, module: path("module")? })
    }
}

impl Shared {
    /// What a build begins with; paths of results start at `root`.
    ///
    /// # Errors
    /// The text about a filter of a plugin that is no regular expression.
    pub(crate) fn new(options: BuildOptions, root: PathBuf, hooks: Option<Arc<dyn Hooks>>) -> Result<Shared, String> {
        Ok(Shared {
            root,
            assets: Assets::default(),
            hooks,
            resolve_filters: Filters::new(&options.resolve_filters)?,
            load_filters: Filters::new(&options.load_filters)?,
            externals: Externals::new(&options),
            archives: Default::default(),
            failures: Default::default(),
            seen: Default::default(),
            progress: Default::default(),
            warnings: Default::default(),
            texts: Default::default(),
            page_entries: Default::default(),
            pages: Default::default(),
            nested: Default::default(),
            mains: Default::default(),
            options,
        })
    }

    /// The loader of a path: an import attribute's, an option's or that of the extension.
    pub(crate) fn loader_of(&self, path: &str, forced: Option<Loader>) -> Loader {
        if let Some(loader) = forced {
            return loader;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        // `.d.ts` before `.ts`: the longest extension that an option names.
        for (at, _) in name.match_indices('.') {
            if let Some(loader) = self.options.loader.get(&name[at..]) {
                return *loader;
            }
        }
        name.rfind('.').map_or(Loader::File, |at| Loader::of_extension(&name[at..]))
    }

    /// Keeps an error about a file, and gives the one that rolldown carries.
    pub(crate) fn failed(&self, text: String, namespace: &str, file: &str) -> anyhow::Error {
        let position = Position {
            file: file.to_string(),
            namespace: namespace.to_string(),
            line: 0,
            column: 0,
            length: 0,
            offset: 0,
            line_text: String::new(),
        };
        self.failed_with(Message { position: (!file.is_empty()).then_some(position), ..Message::error(text) })
    }

    /// The text of a file: UTF-8, or UTF-16 with its mark. What is neither is told, and what cannot be read is replaced.
    pub(crate) fn text_of(&self, bytes: &[u8], file: &str) -> String {
        let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
            let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        };
        match bytes {
            [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
            [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
            _ => {}
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => text.to_string(),
            Err(error) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let at = error.valid_up_to();
                let warning = Message {
                    is_error: false,
                    position: Some(position_at(&text, "file", file, at, at + 1)),
                    ..Message::error("The file is not UTF-8: what cannot be read is replaced by U+FFFD")
                };
                let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
                // A sheet that others compose of is read for its names, and again for its rules.
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                text
            }
        }
    }

    /// Keeps an error, and gives the one that rolldown carries.
    fn failed_with(&self, message: Message) -> anyhow::Error {
        let text = message.text.clone();
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        anyhow::Error::msg(text)
    }

    /// Keeps what is wrong in a module's text, and gives the error that rolldown carries.
    fn found(&self, findings: Vec<rules::Finding>, source: &str, namespace: &str, file: &str) -> anyhow::Error {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let first = findings.first().map(|finding| finding.text.clone()).unwrap_or_default();
        for rules::Finding { text, span, notes } in findings {
            let position = position_at(source, namespace, file, span.start as usize, span.end as usize);
            failures.push(Message { position: Some(position), notes, ..Message::error(text) });
        }
        anyhow::Error::msg(first)
    }

    pub(crate) fn note<T>(&self, id: &str, change: impl FnOnce(&mut Seen) -> T) -> T {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        change(seen.entry(id.to_string()).or_default())
    }

    /// The path in a result that stands for an asset.
    fn public(&self, name: &str) -> String {
        if self.options.public_path.is_empty() {
            format!("./{name}")
        } else {
            format!("{}{name}", self.options.public_path)
        }
    }

    /// A virtual file that a path stands for, with the endings that may be left out.
    fn virtual_file(&self, path: &Path) -> Option<PathBuf> {
        if self.options.files.is_empty() {
            return None;
        }
        if self.options.files.contains_key(path) {
            return Some(path.to_path_buf());
        }
        ["tsx", "ts", "jsx", "js", "mjs", "cjs", "json", "css"].iter().find_map(|extension| {
            let mut name = path.as_os_str().to_os_string();
            name.push(format!(".{extension}"));
            let whole = PathBuf::from(name);
            self.options.files.contains_key(&whole).then_some(whole)
        })
    }
}

/// An id taken apart: namespace, path, loader of the import attribute.
pub(crate) fn parts_of(id: &str) -> (&str, &str, Option<Loader>) {
    let (id, loader) = match id.split_once(LOADER_MARK) {
        Some((path, name)) => (path, Loader::of_name(name)),
        None => (id, None),
    };
    match id.strip_prefix('\0').and_then(|rest| rest.split_once(':')) {
        Some((namespace, path)) => (namespace, path, loader),
        None => ("file", id, loader),
    }
}

/// Whether an id is that of a module that rolldown or oxc brings along.
fn is_of_bundler(id: &str) -> bool {
    id.starts_with("\0rolldown") || id.starts_with("rolldown:") || id.starts_with("\0@oxc-project")
}

/// The id of a path in a namespace. A NUL begins those that are no files, which keeps rolldown from reading them as paths.
fn id_of(namespace: &str, path: &str) -> String {
    if namespace.is_empty() || namespace == "file" { path.to_string() } else { format!("\0{namespace}:{path}") }
}

/// Bun's name for the way of an import.
fn kind_name(args: &HookResolveIdArgs<'_>) -> &'static str {
    if args.is_entry {
        return "entry-point-build";
    }
    match args.kind {
        ImportKind::Import | ImportKind::HotAccept | ImportKind::NewUrl => "import-statement",
        ImportKind::DynamicImport => "dynamic-import",
        ImportKind::Require => "require-call",
        ImportKind::AtImport => "import-rule",
        ImportKind::UrlImport => "url-token",
    }
}

/// The plugin, for one bundle.
#[derive(Debug)]
pub(crate) struct BaoPlugin {
    pub shared: Arc<Shared>,
    /// Entry points beside the first, for bundles that share their modules.
    pub further: Vec<(String, Entry)>,
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

    /// The module in an archive of the store that a specifier means.
    fn archived(&self, args: &HookResolveIdArgs<'_>, specifier: &str) -> Option<HookResolveIdOutput> {
        let (namespace, importer, _) = parts_of(args.importer?);
        let importer = importer.split(['?', '#']).next().unwrap_or(importer);
        if namespace != "file" {
            return None;
        }
        self.shared.archives.resolve(&self.shared.options, specifier, importer, args.kind)
    }

    /// The text of a module with the results of its macros; `None` if it has none.
    async fn expanded(&self, path: &str, bytes: &[u8], loader: Loader) -> anyhow::Result<Option<String>> {
        let (true, Some(hooks), Ok(text)) = (is_code(loader), &self.shared.hooks, std::str::from_utf8(bytes)) else {
            return Ok(None);
        };
        if !transpile::mentions_macros(text) {
            return Ok(None);
        }
        match hooks.expand_macros(path, text, loader).await {
            Ok(Expanded::None) => Ok(None),
            Ok(Expanded::Text(text)) => Ok(Some(text)),
            Ok(Expanded::Failed(message)) => Err(self.shared.failed_with(message)),
            Err(text) => Err(self.shared.failed(text, "file", path)),
        }
    }

    /// Where a specifier leads, by all that is not rolldown's own business.
    async fn find(&self, ctx: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
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
            return Ok(None);
        }
        if let Some(target) = shared.options.alias.get(specifier) {
            let resolved = ctx.resolve(target, args.importer, None).await?;
            return Ok(resolved.ok().map(HookResolveIdOutput::from_resolved_id));
        }
        // The database is opened where the program runs, and need not be there yet.
        if loader == Some(Loader::Sqlite) && shared.options.target != Target::Browser {
            return Ok(Some(HookResolveIdOutput::from_id(id_of(SQLITE, specifier))));
        }
        if shared.externals.is_external(specifier) {
            return Ok(Some(Self::external(specifier)));
        }
        if shared.options.target == Target::Browser && (specifier == "bun" || specifier.starts_with("bun:")) {
            let text = format!(
                "Browser build cannot {} Bun builtin: \"{specifier}\". When bundling for Bun, set target to 'bun'",
                if args.kind == ImportKind::Require { "require()" } else { "import" }
            );
            return Err(shared.failed(text, "file", args.importer.unwrap_or_default()));
        }
        if let Some(empty) = shared.externals.builtin(specifier) {
            // A package of the same name comes first in browsers: "buffer", "events", ...
            if shared.options.target == Target::Browser {
                let options =
                    PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
                let package = format!("{specifier}/");
                if let Some(found) = self.archived(args, &package).filter(|found| found.id.starts_with('/')) {
                    return Ok(Some(found));
                }
                if let Ok(found) = ctx.resolve(&package, args.importer, Some(options)).await?
                    && found.id.starts_with('/')
                {
                    return Ok(Some(HookResolveIdOutput::from_resolved_id(found)));
                }
                return Ok(Some(HookResolveIdOutput {
                    id: empty.into(),
                    side_effects: Some(HookSideEffects::False),
                    ..Default::default()
                }));
            }
            // The import that rolldown's own helpers begin with goes if nobody uses it.
            let side_effects = args.importer.is_some_and(is_of_bundler).then_some(HookSideEffects::False);
            return Ok(Some(HookResolveIdOutput { side_effects, ..Self::external(specifier) }));
        }
        if let Some(found) = self.archived(args, specifier) {
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
        if let Some(found) = self.main_of_package(ctx, args, specifier).await? {
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

    /// For `require` of a package that has ES modules beside its `main`: the latter, which is what `module.exports` are of.
    async fn main_of_package(
        &self,
        ctx: &PluginContext,
        args: &HookResolveIdArgs<'_>,
        specifier: &str,
    ) -> HookResolveIdReturn {
        let slashes = usize::from(specifier.starts_with('@'));
        let is_name = !specifier.starts_with(['.', '/', '#']) && specifier.matches('/').count() == slashes;
        if !matches!(args.kind, ImportKind::Require) || !is_name {
            return Ok(None);
        }
        let options = || PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
        let Ok(found) = ctx.resolve(specifier, args.importer, Some(options())).await? else { return Ok(None) };
        let Some(file) = found.package_json.as_ref().map(|package| package.realpath().to_path_buf()) else {
            return Ok(None);
        };
        let known = self.shared.mains.lock().unwrap_or_else(PoisonError::into_inner).get(&file).cloned();
        let mains = known.unwrap_or_else(|| {
            let mains = Mains::of_manifest(&file);
            self.shared.mains.lock().unwrap_or_else(PoisonError::into_inner).insert(file, mains.clone());
            mains
        });
        let Some(Mains { main, module }) = mains else { return Ok(None) };
        if module != Path::new(found.id.as_str()) {
            return Ok(None);
        }
        let main = ctx.resolve(&main.to_string_lossy(), args.importer, Some(options())).await?;
        Ok(main.ok().map(HookResolveIdOutput::from_resolved_id))
    }

    /// Asks the program's plugins; `None` if none of them answers.
    async fn asked(
        &self,
        args: &HookResolveIdArgs<'_>,
        specifier: &str,
    ) -> anyhow::Result<Option<HookResolveIdOutput>> {
        let Some(hooks) = &self.shared.hooks else { return Ok(None) };
        // What rolldown's own helpers import is not the program's.
        if args.importer.is_some_and(is_of_bundler) {
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

    /// The bytes of a module, the loader that a plugin chose for it, and the map of what plugins have changed.
    pub(crate) async fn contents(&self, id: &str) -> anyhow::Result<(Vec<u8>, Loader, Option<SourceMap>)> {
        let (bytes, loader) = self.read(id).await?;
        let (namespace, path, _) = parts_of(id);
        let Some(hooks) = self.shared.hooks.as_ref().filter(|_| self.shared.options.has_transform) else {
            return Ok((bytes, loader, None));
        };
        // Only texts can be transformed.
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Ok((error.into_bytes(), loader, None)),
        };
        let changed = hooks.transform(path, namespace, text.clone(), loader).await;
        let Some(changed) = changed.map_err(|text| self.shared.failed(text, namespace, path))? else {
            return Ok((text.into_bytes(), loader, None));
        };
        // What a plugin has made of a file of no known kind is code, as in Rollup, and so is a module that it has made of data.
        let is_made = loader == Loader::File || !is_code(loader) && rules::is_module(&changed.code);
        let loader = changed.loader.unwrap_or(if is_made { Loader::Js } else { loader });
        let map = map_of(&changed.maps);
        Ok((changed.code.into_bytes(), loader, map))
    }

    /// The bytes of a module and its loader, as a plugin, the program or the file system has them.
    async fn read(&self, id: &str) -> anyhow::Result<(Vec<u8>, Loader)> {
        let shared = &self.shared;
        let (namespace, path, forced) = parts_of(id);
        let mut loader = shared.loader_of(path, forced);
        if let Some(hooks) = &shared.hooks
            && shared.load_filters.match_any(path, namespace)
            && let Some(loaded) = hooks
                .load(path, namespace, loader, Deferral::new(shared.progress.clone(), id))
                .await
                .map_err(|text| shared.failed(text, namespace, path))?
        {
            // What a plugin gives for a file of no known kind is code.
            let known = if namespace == "file" && loader != Loader::File { loader } else { Loader::Js };
            loader = loaded.loader.unwrap_or(known);
            return Ok((loaded.contents, loader));
        }
        if namespace != "file" {
            let text = format!("no plugin has loaded \"{path}\" of the namespace \"{namespace}\"");
            return Err(shared.failed(text, namespace, path));
        }
        if let Some(text) = shared.options.files.get(Path::new(path)) {
            return Ok((text.clone().into_bytes(), loader));
        }
        // A query behind a path is the program's business, not the file system's.
        let is_whole = Path::new(path).exists() || store::is_file(Path::new(path));
        let file = if is_whole { path } else { path.split(['?', '#']).next().unwrap_or(path) };
        match archived::read(Path::new(file)) {
            Ok(bytes) => Ok((bytes, loader)),
            Err(error) => Err(shared.failed(format!("cannot read \"{path}\": {error}"), namespace, path)),
        }
    }

    /// A module as rolldown takes it.
    async fn module(&self, id: &str) -> anyhow::Result<HookLoadOutput> {
        let shared = &self.shared;
        let (mut bytes, loader, map) = self.contents(id).await?;
        let (_, path, _) = parts_of(id);
        if let Some(expanded) = self.expanded(path, &bytes, loader).await? {
            bytes = expanded.into_bytes();
        }
        shared.note(id, |seen| {
            seen.bytes = bytes.len();
            seen.loader = Some(loader);
        });
        let text = || shared.text_of(&bytes, path);
        let default_of =
            |value: String| output(format!("export default {};", serde_json::Value::String(value)), ModuleType::Js);
        let made = match loader {
            // What has no JSX needs no pass that looks for it.
            Loader::Js | Loader::Jsx => {
                let text = text();
                let kind = if loader == Loader::Jsx && may_have_jsx(text.as_bytes()) {
                    ModuleType::Jsx
                } else {
                    ModuleType::Js
                };
                output(text, kind)
            }
            Loader::Ts => output(text(), ModuleType::Ts),
            Loader::Tsx => output(text(), ModuleType::Tsx),
            Loader::Json | Loader::Jsonc | Loader::Json5 | Loader::Toml | Loader::Yaml => {
                let (code, kind) = json_module(&text(), path, loader).map_err(|message| shared.failed_with(message))?;
                output(code, kind)
            }
            Loader::Text | Loader::Md => output(text(), ModuleType::Text),
            Loader::Empty => output(String::new(), ModuleType::Empty),
            Loader::Base64 => default_of(rolldown_utils::base64::to_standard_base64(&bytes)),
            Loader::Dataurl => default_of(data_url(path, &bytes)?),
            Loader::Binary => {
                let mut code = String::from("export default new Uint8Array([");
                for byte in &bytes {
                    let _ = write!(code, "{byte},");
                }
                code.push_str("]);");
                output(code, ModuleType::Js)
            }
            Loader::Css => {
                let css = text();
                shared.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_string(), css.clone());
                let names = crate::css::module_of(shared, path, &css).map_err(|message| shared.failed_with(message))?;
                // The sheet itself goes into the CSS of the chunk; only modules of CSS give names to JavaScript.
                HookLoadOutput {
                    side_effects: Some(HookSideEffects::True),
                    ..match names {
                        Some(names) => output(names, ModuleType::Js),
                        None => output(String::new(), ModuleType::Empty),
                    }
                }
            }
            Loader::Html if shared.page_entries.contains(id) => {
                let code = pages::script_of(shared, path, text())?;
                HookLoadOutput { side_effects: Some(HookSideEffects::True), ..output(code, ModuleType::Js) }
            }
            // A page has nothing to import in a browser.
            Loader::Html if shared.options.target == Target::Browser => {
                output("export {};".to_string(), ModuleType::Js)
            }
            Loader::Html => output(pages::manifest_of(shared, path).await?, ModuleType::Js),
            Loader::File | Loader::Wasm | Loader::Sqlite | Loader::SqliteEmbedded | Loader::Napi => {
                let name =
                    shared.assets.add(&shared.options.naming.asset, &shared.root, Path::new(path), bytes, loader);
                let place = shared.public(&name);
                if loader == Loader::Napi && shared.options.target != Target::Browser {
                    // A `require` that stays, beside the result.
                    output(
                        format!(
                            "import {{ createRequire }} from \"node:module\"; module.exports = createRequire(import.meta.url)({place:?});"
                        ),
                        ModuleType::Js,
                    )
                } else if loader == Loader::SqliteEmbedded && shared.options.target != Target::Browser {
                    output(
                        format!(
                            "import {{ readFileSync }} from \"node:fs\"; import {{ Database }} from \"bun:sqlite\"; \
                             export default Database.deserialize(readFileSync({}));",
                            place_expression(&place)
                        ),
                        ModuleType::Js,
                    )
                } else {
                    output(serde_json::Value::String(place).to_string(), ModuleType::Json)
                }
            }
        };
        if is_code(loader) {
            shared.note(id, |seen| seen.text = Some(made.code.clone()));
        }
        Ok(HookLoadOutput { map, ..made })
    }
}

impl Plugin for BaoPlugin {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("bao")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::BuildStart
            | HookUsage::ResolveId
            | HookUsage::Load
            | HookUsage::TransformAst
            | HookUsage::ModuleParsed
            | HookUsage::RenderChunk
    }

    async fn build_start(&self, ctx: &PluginContext, _args: &HookBuildStartArgs<'_>) -> HookNoopReturn {
        for (name, entry) in &self.further {
            ctx.emit_chunk(EmittedChunk {
                name: Some(name.as_str().into()),
                id: entry.specifier.clone(),
                ..EmittedChunk::default()
            })?;
        }
        Ok(())
    }

    async fn resolve_id(&self, ctx: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
        let shared = &self.shared;
        if args.specifier.starts_with('\0')
            || args.specifier.starts_with("rolldown:")
            || args.specifier.starts_with("@oxc-project/")
        {
            return Ok(None);
        }
        // The place of the import among those of its module is that of the question, not of the answer.
        let place = args.importer.filter(|_| shared.options.metafile).map(|importer| {
            let specifier = args.specifier.split(LOADER_MARK).next().unwrap_or_default().to_string();
            shared.note(importer, |seen| {
                seen.records.push(Record { specifier, kind: kind_name(args), id: String::new() });
                (importer, seen.records.len() - 1)
            })
        });
        let _resolving = shared.progress.resolve();
        let mut found = self.find(ctx, args).await?;
        if let Some((importer, index)) = place {
            if found.is_none() {
                let options =
                    PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
                let resolved = ctx.resolve(args.specifier, args.importer, Some(options)).await?;
                found = resolved.ok().map(HookResolveIdOutput::from_resolved_id);
            }
            if let Some(found) = found.as_ref().filter(|found| !stays(found)) {
                let id = found.id.to_string();
                shared.note(importer, |seen| seen.records[index].id = id);
            }
        }
        if let Some(found) = found.as_ref().filter(|found| stays(found)) {
            shared.progress.is_outside(found.id.as_str());
        }
        Ok(found)
    }

    async fn load(&self, _ctx: SharedLoadPluginContext, args: &HookLoadArgs<'_>) -> HookLoadReturn {
        let shared = &self.shared;
        if is_of_bundler(args.id) {
            return Ok(None);
        }
        if args.id.starts_with("\0bao-empty:") {
            return Ok(Some(output("module.exports = {};".to_string(), ModuleType::Js)));
        }
        if let (SQLITE, specifier, _) = parts_of(args.id) {
            return Ok(Some(output(sqlite_module(specifier, shared.options.executable.is_some()), ModuleType::Js)));
        }
        shared.progress.begin(args.id);
        let made = self.module(args.id).await;
        match &made {
            Ok(_) => shared.progress.loaded(args.id),
            Err(_) => shared.progress.failed(args.id),
        }
        made.map(Some)
    }

    async fn transform_ast(&self, _ctx: &PluginContext, args: HookTransformAstArgs<'_>) -> HookTransformAstReturn {
        let (namespace, path, _) = parts_of(args.id);
        if is_of_bundler(args.id)
            || !matches!(args.module_type, ModuleType::Js | ModuleType::Jsx | ModuleType::Ts | ModuleType::Tsx)
        {
            return Ok(args.ast);
        }
        let place = if namespace == "file" { Path::new(path) } else { Path::new("") };
        let mut ast = args.ast;
        if matches!(args.module_type, ModuleType::Ts | ModuleType::Tsx) {
            rules::remove_ambient(&mut ast);
            ast.program.with_mut(|fields| transpile::qualify_namespaces(fields.allocator, fields.program));
        }
        if matches!(args.module_type, ModuleType::Jsx | ModuleType::Tsx) {
            let source = ast.source().clone();
            let warnings = rules::jsx_warnings(&ast).into_iter().map(|finding| {
                let (start, end) = (finding.span.start as usize, finding.span.end as usize);
                let position = Some(position_at(&source, namespace, path, start, end));
                Message { is_error: false, position, notes: finding.notes, ..Message::error(finding.text) }
            });
            self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(warnings);
        }
        let findings = rules::apply(&mut ast, &self.shared.options);
        if !findings.is_empty() {
            let source = ast.source().clone();
            self.shared.progress.failed(args.id);
            return Err(self.shared.found(findings, &source, namespace, path));
        }
        let mut ast = rewrite::rewrite(ast, place, &self.shared.options, LOADER_MARK);
        disposal::lower(&mut ast, place);
        loop_variables::hoist(&mut ast);
        Ok(ast)
    }

    async fn module_parsed(
        &self,
        _ctx: &PluginContext,
        info: Arc<ModuleInfo>,
        _module: &NormalModule,
    ) -> HookNoopReturn {
        self.shared.note(info.id.as_str(), |seen| {
            seen.imports = info.imported_ids.iter().map(ToString::to_string).collect();
            seen.dynamic = info.dynamically_imported_ids.iter().map(ToString::to_string).collect();
            seen.format = match info.input_format {
                ExportsKind::Esm => Some("esm"),
                ExportsKind::CommonJs => Some("cjs"),
                ExportsKind::None => None,
            };
        });
        let imports = info.imported_ids.iter().chain(&info.dynamically_imported_ids).map(|id| id.as_str());
        self.shared.progress.parsed(info.id.as_str(), imports);
        Ok(())
    }

    async fn render_chunk(&self, _ctx: &PluginContext, args: &HookRenderChunkArgs<'_>) -> HookRenderChunkReturn {
        let shared = &self.shared;
        let mut changed: Option<(String, Option<SourceMap>)> = None;
        if let Some(hooks) = shared.hooks.as_ref().filter(|_| shared.options.has_render_chunk) {
            let chunk = &args.chunk;
            let description = serde_json::json!({
                "name": chunk.name.as_str(),
                "isEntry": chunk.is_entry,
                "isDynamicEntry": chunk.is_dynamic_entry,
                "facadeModuleId": chunk.facade_module_id.as_ref().map(|id| id.as_str()),
                "fileName": chunk.filename.as_str(),
                "moduleIds": chunk.module_ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(),
                "exports": chunk.exports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
                "imports": chunk.imports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
                "dynamicImports": chunk.dynamic_imports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
            });
            let answer = hooks.render_chunk(args.code.to_string(), description.to_string()).await;
            changed = answer
                .map_err(|text| shared.failed(text, "file", ""))?
                .map(|changed| (changed.code, map_of(&changed.maps)));
        }
        let options = shared.options.minify;
        if options.whitespace || options.syntax || options.identifiers {
            let code = changed.as_ref().map_or(args.code.as_str(), |(code, _)| code.as_str());
            let minified = minify::minify(code, &self.plan(args));
            let map = match (changed.take().and_then(|(_, map)| map), minified.map) {
                (Some(first), Some(second)) => Some(rolldown_sourcemap::collapse_sourcemaps(&[&first, &second])),
                (first, second) => second.or(first),
            };
            changed = Some((minified.code, map));
        }
        Ok(changed.map(|(code, map)| HookRenderChunkOutput {
            code,
            map: map.map_or(HookTransformOutputMap::Null, |map| HookTransformOutputMap::Sourcemap(Box::new(map))),
        }))
    }
}

impl BaoPlugin {
    /// Remembers a style sheet that no module of JavaScript imports.
    pub(crate) fn note_sheet(&self, path: &str, bytes: usize) {
        self.shared.note(path, |seen| {
            seen.bytes = bytes;
            seen.loader = Some(Loader::Css);
        });
    }

    /// How a chunk is minified.
    fn plan(&self, args: &HookRenderChunkArgs<'_>) -> Plan {
        let options = &self.shared.options;
        let (minify, output) = (options.minify, args.options);
        let keep_names = minify.keep_names;
        let compress = minify.syntax.then(|| {
            RawCompressOptions::default().into_compress_options(
                output.transform_options.target.clone(),
                keep_names,
                TreeShakeOptions::from(&output.treeshake),
            )
        });
        let mangle: Option<MangleOptions> =
            minify.identifiers.then(|| RawMangleOptions::default().into_mangle_options(keep_names, output.format));
        let legal = options.legal_comments != LegalComments::None;
        Plan {
            source_type: output.format.source_type().with_jsx(true),
            compress,
            mangle,
            codegen: CodegenOptions {
                minify: minify.whitespace,
                comments: CommentOptions {
                    normal: !minify.whitespace,
                    jsdoc: false,
                    annotation: options.emit_dce_annotations.unwrap_or(!minify.whitespace),
                    legal: if legal { LegalComment::Inline } else { LegalComment::None },
                },
                ..CodegenOptions::default()
            },
            sourcemap: output.sourcemap.is_some(),
            may_split: !keep_names && !matches!(output.format, OutputFormat::Iife),
        }
    }
}

/// Whether files of a loader are modules of JavaScript or TypeScript.
fn is_code(loader: Loader) -> bool {
    matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx)
}

/// Whether what a specifier leads to stays an import.
fn stays(found: &HookResolveIdOutput) -> bool {
    !matches!(found.external, None | Some(ResolvedExternal::Bool(false)))
}

/// One source map of several changes after each other; `None` if there are none, or one cannot be read.
fn map_of(texts: &[String]) -> Option<SourceMap> {
    let maps: Vec<SourceMap> = texts
        .iter()
        .map(|text| oxc_sourcemap::SourceMap::from_json_string(text).map(oxc_sourcemap::SourceMap::into_owned))
        .collect::<Result<_, _>>()
        .ok()?;
    match maps.as_slice() {
        [] => None,
        [map] => Some(map.clone()),
        _ => Some(rolldown_sourcemap::collapse_sourcemaps(&maps.iter().collect::<Vec<_>>())),
    }
}

/// Whether a text may have JSX: every element ends with `/>` or `</`, perhaps with white space or comments between.
fn may_have_jsx(text: &[u8]) -> bool {
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    memchr::memchr_iter(b'<', text).any(|at| text[at + 1..].iter().find(|byte| !is_space(byte)) == Some(&b'/'))
        || memchr::memchr_iter(b'>', text).any(|at| text[..at].iter().rev().find(|byte| !is_space(byte)) == Some(&b'/'))
}

fn output(code: String, kind: ModuleType) -> HookLoadOutput {
    HookLoadOutput { code: code.into(), module_type: Some(kind), ..Default::default() }
}

/// The namespace of databases that are opened by their specifier.
const SQLITE: &str = "bao-sqlite";

/// An expression for the place of an asset: a path, or the file beside the module.
fn place_expression(place: &str) -> String {
    let quoted = serde_json::Value::String(place.to_string());
    if place.starts_with('/') { quoted.to_string() } else { format!("new URL({quoted}, import.meta.url)") }
}

/// A module whose default export is the database that a specifier names: relative to the module, or in an executable, which has no
/// place of its own, to the current directory.
fn sqlite_module(specifier: &str, is_executable: bool) -> String {
    let quoted = serde_json::Value::String(specifier.to_string());
    let place = match is_executable || !specifier.starts_with('.') {
        true => quoted.to_string(),
        false => format!("fileURLToPath(new URL({quoted}, import.meta.url))"),
    };
    format!(
        "import {{ fileURLToPath }} from \"node:url\"; import {{ Database, constants }} from \"bun:sqlite\"; \
         export default new Database({place}, constants.SQLITE_OPEN_READWRITE);"
    )
}

/// A path below a folder, without `.` and `..`.
pub(crate) fn join(base: &Path, path: &str) -> PathBuf {
    let whole = base.join(path);
    let mut parts: Vec<String> = Vec::new();
    for part in whole.to_string_lossy().split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name.to_string()),
        }
    }
    PathBuf::from(format!("/{}", clean(&parts.join("/"))))
}

fn data_url(path: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let mime = rolldown_utils::mime::guess_mime(Path::new(path), bytes)?;
    Ok(rolldown_utils::dataurl::encode_as_shortest_dataurl(&mime, bytes))
}
