//! A build from its options to its results.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rolldown::{Bundle, BundleFactory, BundleFactoryOptions, BundleOutput, Bundler, BundlerOptions};
use rolldown_common::{BundleMode, ChunkOptimizationOption, InjectImport, Output, ScanMode, StrOrBytes, TsConfig};
use rolldown_error::{BatchedBuildDiagnostic, BuildDiagnostic};
use rolldown_utils::xxhash::xxhash_with_base;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::assets::{Parts, hash_of, name_of};
use crate::hooks::Hooks;
use crate::messages::{self, Message, Unresolved};
use crate::options::{BuildOptions, Loader, Sourcemap};
use crate::pages::Part;
use crate::plugin::BaoPlugin;
use crate::rebuild::{self, Relay};
use crate::settings::{self, Entry};
use crate::shared::{Shared, join, parts_of};
use crate::tsconfig_choice::TsConfigChoice;
use crate::type_exports::Missing;
use crate::{archived, css, declarations, fold, graph, metafile, own, pages, panics, sloppy, split, type_exports};

/// What a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactKind {
    EntryPoint,
    Chunk,
    Asset,
    Sourcemap,
}

impl ArtifactKind {
    /// Bun's name.
    pub fn name(self) -> &'static str {
        match self {
            ArtifactKind::EntryPoint => "entry-point",
            ArtifactKind::Chunk => "chunk",
            ArtifactKind::Asset => "asset",
            ArtifactKind::Sourcemap => "sourcemap",
        }
    }
}

/// One file of the results.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// Relative to the output folder, with `/`.
    pub path: String,
    pub kind: ArtifactKind,
    pub loader: Loader,
    pub hash: String,
    pub bytes: Vec<u8>,
    /// The name of the source map, if it is a file of its own.
    pub sourcemap: Option<String>,
    /// The file that it was made from: an entry point's or an asset's.
    pub source: Option<String>,
    /// Whether it is the result of an entry point; style sheets of entry points are assets by their kind, as in Bun.
    pub is_entry: bool,
    /// A chunk as plugins of Rollup see it, as JSON, if there are any.
    pub description: Option<String>,
    /// What the metafile says of it.
    pub(crate) details: metafile::Details,
}

/// What a build gives. It has failed if a message is an error; there are no results then.
#[derive(Debug, Default)]
pub struct Built {
    pub artifacts: Vec<Artifact>,
    pub messages: Vec<Message>,
    /// The metafile as JSON, if it was asked for.
    pub metafile: Option<String>,
    /// The files that the build has read, for watching.
    pub inputs: Vec<String>,
    /// Whether these are those of the build before, and are left out.
    pub has_same_inputs: bool,
    /// The bytes of the code and of its map, if they are kept (see [`crate::with_texts`]) and the artifacts have none.
    pub kept_bytes: Option<(usize, usize)>,
}

impl Built {
    /// Whether there is no error among the messages.
    pub fn is_success(&self) -> bool {
        !self.messages.iter().any(Message::is_error)
    }

    fn failed(text: impl Into<String>) -> Built {
        Built { messages: vec![Message::error(text)], ..Built::default() }
    }
}

/// The entry points, found and named.
fn entries(options: &BuildOptions) -> Result<(Vec<Entry>, PathBuf), Vec<Message>> {
    if let Some(root) = options.root.as_ref().filter(|root| !root.is_dir()) {
        return Err(vec![Message::error(format!("FileNotFound: failed to open root directory: {}", root.display()))]);
    }
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for specifier in &options.entrypoints {
        let place = join(&options.cwd, specifier);
        let path = [String::new()]
            .into_iter()
            .chain(
                ["tsx", "ts", "jsx", "js", "mjs", "cjs", "mts", "cts", "json", "css", "html"]
                    .map(|extension| format!(".{extension}")),
            )
            .map(|ending| PathBuf::from(format!("{}{ending}", place.display())))
            .find(|path| store::is_file(path) || options.files.contains_key(path));
        found.push((specifier.clone(), path));
    }
    let root = options.root.clone().unwrap_or_else(|| {
        let folders = found.iter().filter_map(|(_, path)| path.as_deref()?.parent().map(Path::to_path_buf));
        folders
            .reduce(|a, b| a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect())
            .unwrap_or_else(|| options.cwd.clone())
    });
    let mut entries: Vec<Entry> = Vec::new();
    for (specifier, path) in found {
        match path {
            Some(path) => {
                let entry = Entry {
                    parts: Parts::of_file(&root, &path),
                    specifier: path.to_string_lossy().into_owned(),
                    is_page: false,
                    name: None,
                };
                // The same file twice is one result.
                if !entries.contains(&entry) {
                    entries.push(entry);
                }
            }
            // A package, or what a plugin resolves.
            None if !specifier.starts_with('.') && !specifier.starts_with('/')
                || !options.resolve_filters.is_empty() =>
            {
                let parts =
                    Parts::of_file(Path::new("/"), Path::new(&format!("/{}", specifier.trim_start_matches("./"))));
                let name = if parts.name.is_empty() { "index".to_string() } else { parts.name };
                let parts = Parts { dir: String::new(), name, ext: parts.ext };
                entries.push(Entry { specifier, parts, is_page: false, name: None });
            }
            None => errors.push(Message {
                unresolved: Some(Unresolved {
                    specifier: specifier.clone(),
                    referrer: String::new(),
                    kind: "entry-point-build",
                }),
                ..Message::error(format!("ModuleNotFound resolving \"{specifier}\" (entry point)"))
            }),
        }
    }
    if let (Some(first), Some(name)) = (entries.first_mut(), &options.executable) {
        first.name = Some(name.clone());
    }
    if errors.is_empty() { Ok((entries, root)) } else { Err(errors) }
}

/// Runs a build. Nothing is written.
///
/// The future needs tokio's runtime with several threads. A bug of the bundler is a message, not a panic.
pub async fn build(options: BuildOptions, hooks: Option<Arc<dyn Hooks>>) -> Built {
    let (entries, root) = match entries(&options) {
        Ok(found) => found,
        Err(messages) => return Built { messages, ..Built::default() },
    };
    let begun = SystemTime::now();
    let relay = options.changed.as_ref().and(hooks.as_ref()).map(|hooks| Arc::new(Relay::new(hooks.clone())));
    if let (Some(changed), Some(hooks)) = (&options.changed, &hooks)
        && let Some(built) = rebuild::again(changed, hooks).await
    {
        return built;
    }
    let hooks = match &relay {
        Some(relay) => Some(relay.clone() as Arc<dyn Hooks>),
        None => hooks,
    };
    let options = Arc::new(options);
    let mut types = Missing::default();
    let mut by_main = FxHashSet::default();
    let mut sloppy = FxHashSet::default();
    let mut requires = split::Requires::default();
    let mut may_split = split::is_wanted(&options);
    let mut keeps_chunks = false;
    // Once more with what is required as chunks, without chunks that run what they should not, and each time there is more that modules do not pass on, that packages are taken for two, or that is a script of sloppy mode.
    loop {
        let mut shared = match Shared::new(options.clone(), root.clone(), hooks.clone()) {
            Ok(shared) => shared,
            Err(text) => return Built::failed(text),
        };
        shared.type_exports = types.clone();
        shared.dual.by_main = by_main.clone();
        shared.sloppy = sloppy.clone();
        shared.requires = requires.clone();
        shared.keeps_chunks = keeps_chunks;
        let mut entries = entries.clone();
        for entry in &mut entries {
            if shared.loader_of(&entry.specifier, None) == Loader::Html {
                entry.is_page = true;
                // Modules are named by their paths without links.
                if let Ok(real) = store::real_path(Path::new(&entry.specifier)) {
                    entry.specifier = real.to_string_lossy().into_owned();
                }
                shared.page_entries.insert(entry.specifier.clone());
            }
        }
        let shared = Arc::new(shared);
        let built = attempt(shared.clone(), entries.clone()).await;
        let missing = std::mem::take(&mut *shared.missing.lock().unwrap_or_else(PoisonError::into_inner));
        let before = by_main.len();
        by_main.extend(shared.dual.found());
        let scripts = sloppy.len();
        sloppy.extend(std::mem::take(&mut *shared.found_sloppy.lock().unwrap_or_else(PoisonError::into_inner)));
        let is_known = !type_exports::extend(&mut types, missing) && by_main.len() == before && sloppy.len() == scripts;
        let is_right = !shared.runs_another.load(Ordering::Relaxed);
        keeps_chunks |= !is_right;
        let is_split = !may_split || !is_known || !is_right || {
            if shared.is_unsplit.load(Ordering::Relaxed) {
                may_split = false;
                requires.clear();
                false
            } else {
                may_split = built.is_success() && requires.is_empty();
                if may_split {
                    requires = split::find(&shared, &entries);
                }
                !may_split || requires.is_empty()
            }
        };
        if is_known && is_split && is_right {
            match relay.filter(|_| built.is_success()) {
                Some(relay) => rebuild::keep(&shared, &entries, &relay, begun),
                None => drop(shared.again.take()),
            }
            return built;
        }
        drop(shared.again.take());
    }
}

/// One run of the bundler. A bug of it is a message.
pub(crate) async fn attempt(shared: Arc<Shared>, entries: Vec<Entry>) -> Built {
    panics::watch();
    let task = tokio::spawn(AssertUnwindSafe(run(shared.clone(), entries)).0);
    let (told, handle) = (shared.clone(), task.abort_handle());
    let watcher = tokio::spawn(async move {
        told.panicked.notified().await;
        handle.abort();
    });
    let ended = task.await;
    watcher.abort();
    if let Some(text) = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Built::failed(text);
    }
    match ended {
        Ok(built) => built,
        Err(error) => {
            let text = error.try_into_panic().map_or_else(
                |error| error.to_string(),
                |panic| {
                    let text = panic.downcast_ref::<String>().cloned();
                    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
                },
            );
            Built::failed(format!("the bundler has a bug, please report it with these sources: {text}"))
        }
    }
}

/// Whether a further entry point of an executable is a file that it brings along, and no code.
fn is_file(shared: &Shared, entry: &Entry) -> bool {
    let loader = shared.loader_of(&entry.specifier, None);
    entry.name.is_none()
        && store::is_file(Path::new(&entry.specifier))
        && !matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx | Loader::Css)
}

async fn run(shared: Arc<Shared>, entries: Vec<Entry>) -> Built {
    let mut built = Built::default();
    let (files, entries) = if shared.options.executable.is_some() {
        entries.into_iter().partition(|entry| is_file(&shared, entry))
    } else {
        (Vec::new(), entries)
    };
    for Entry { specifier, .. } in &files {
        match archived::read(Path::new(specifier)) {
            Ok(bytes) => {
                let loader = shared.loader_of(specifier, None);
                shared.assets.add(&shared.options.naming.asset, &shared.root, Path::new(specifier), bytes, loader);
            }
            Err(error) => built.messages.push(Message::error(format!("cannot read \"{specifier}\": {error}"))),
        }
    }
    let is_script = |entry: &&Entry| !matches!(shared.loader_of(&entry.specifier, None), Loader::Css);
    let scripts: Vec<Entry> = entries.iter().filter(is_script).cloned().collect();
    let injected = match settings::injected(&shared.options) {
        Ok(injected) => injected,
        Err(text) => return Built::failed(text),
    };
    let mut artifacts = Vec::new();
    let mut sheets: Vec<(Parts, Vec<String>, String)> = Vec::new();
    if !scripts.is_empty() {
        match bundle(shared.clone(), &scripts, injected).await {
            Ok(bundles) => {
                for (group, outputs) in bundles {
                    messages_of(&shared, outputs.warnings, false, &mut built.messages);
                    collect(&shared, group, outputs.assets, &mut artifacts, &mut sheets, &mut built.kept_bytes);
                }
            }
            Err(batch) => {
                let diagnostics = batch.into_vec();
                find_scripts(&shared, &diagnostics);
                let missing = type_exports::of(&shared, &diagnostics);
                *shared.missing.lock().unwrap_or_else(PoisonError::into_inner) = missing;
                messages_of(&shared, diagnostics, true, &mut built.messages);
            }
        }
    }
    built.messages.append(&mut shared.warnings.lock().unwrap_or_else(PoisonError::into_inner));
    if shared.options.declarations && built.is_success() {
        declare(&shared, &mut artifacts, &mut built.messages);
    }
    if !built.is_success() {
        return Built { inputs: inputs(&shared), ..built };
    }
    for entry in &entries {
        if !is_script(&entry) {
            sheets.push((entry.parts.clone(), vec![entry.specifier.clone()], entry.specifier.clone()));
        }
    }
    // Pages that have the same sheets have one result of them.
    let mut page_sheets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut named: BTreeMap<String, String> = BTreeMap::new();
    // Of pages that are one file.
    let mut sheet_texts: BTreeMap<String, String> = BTreeMap::new();
    let loader = BaoPlugin::new(shared.clone(), Vec::new());
    let mut shared_sheets: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for (parts, paths, source) in sheets {
        if let Some(name) = shared_sheets.get(&paths) {
            let of_source = |artifact: &&mut Artifact| artifact.source.as_ref() == Some(&source);
            artifacts.iter_mut().filter(of_source).for_each(|artifact| artifact.details.takes_sheet(name));
            continue;
        }
        // The error is among the failures.
        if css::load(&loader, &paths).await.is_err() {
            messages_of(&shared, Vec::new(), true, &mut built.messages);
            continue;
        }
        match css::bundle(&shared, &paths) {
            Ok(sheet) => {
                let is_page = shared.page_entries.contains(&source);
                if is_page && let Some(name) = named.get(&sheet.code) {
                    page_sheets.entry(source).or_default().push(name.clone());
                    continue;
                }
                let code = sheet.code.clone();
                let artifact = sheet_artifact(&shared, &parts, &source, sheet.code);
                // Pages have sheets in common anyway.
                if shared.options.css_chunking && !is_page {
                    shared_sheets.insert(paths, artifact.path.clone());
                }
                if is_page {
                    page_sheets.entry(source).or_default().push(artifact.path.clone());
                    named.insert(code, artifact.path.clone());
                }
                if is_page && shared.options.standalone {
                    sheet_texts.insert(artifact.path.clone(), text_of(artifact));
                } else {
                    artifacts.push(artifact);
                }
            }
            Err(mut messages) => built.messages.append(&mut messages),
        }
    }
    for entry in entries.iter().filter(|entry| entry.is_page) {
        if !built.is_success() {
            break;
        }
        let place = artifacts.iter().position(|artifact| {
            artifact.kind == ArtifactKind::EntryPoint && artifact.source.as_ref() == Some(&entry.specifier)
        });
        let sheets = page_sheets.remove(&entry.specifier).unwrap_or_default();
        let (script, sheets) = if shared.options.standalone {
            let script = place.map(|place| Part::Text(text_of(artifacts.remove(place))));
            (script, sheets.iter().filter_map(|name| sheet_texts.get(name).cloned().map(Part::Text)).collect())
        } else {
            let script = place.map(|place| Part::Name(artifacts[place].path.clone()));
            (script, sheets.into_iter().map(Part::Name).collect::<Vec<_>>())
        };
        let preloaded = match &script {
            Some(Part::Name(script)) if shared.preloads() => metafile::loaded_with(&artifacts, script),
            _ => Vec::new(),
        };
        match pages::artifact(&shared, &entry.specifier, &entry.parts, script.as_ref(), &sheets, &preloaded) {
            Ok(page) => artifacts.push(page),
            Err(text) => built.messages.push(Message::error(text)),
        }
    }
    // What was found in sheets that no module of JavaScript imports.
    built.messages.append(&mut shared.warnings.lock().unwrap_or_else(PoisonError::into_inner));
    for artifact in std::mem::take(&mut *shared.nested.lock().unwrap_or_else(PoisonError::into_inner)) {
        if !artifacts.iter().any(|known| known.path == artifact.path && known.bytes == artifact.bytes) {
            artifacts.push(artifact);
        }
    }
    for (path, asset) in shared.assets.take() {
        if artifacts.iter().any(|known| known.path == path && known.bytes == asset.bytes) {
            continue;
        }
        artifacts.push(Artifact {
            path,
            kind: ArtifactKind::Asset,
            loader: asset.loader,
            hash: asset.hash,
            bytes: asset.bytes,
            sourcemap: None,
            details: metafile::Details::of_source(&asset.source),
            source: Some(asset.source),
            is_entry: false,
            description: None,
        });
    }
    if !built.is_success() {
        return Built { inputs: inputs(&shared), ..built };
    }
    if let Some(twice) = overwritten(&artifacts) {
        built
            .messages
            .push(Message::error(format!("Multiple files share the same output path: \"{twice}\"; try `naming`")));
        return built;
    }
    artifacts.sort_by_key(|artifact| match artifact.kind {
        ArtifactKind::EntryPoint => 0,
        ArtifactKind::Chunk => 1,
        ArtifactKind::Asset => 2,
        ArtifactKind::Sourcemap => 3,
    });
    if shared.options.metafile {
        built.metafile = Some(metafile::write(&shared, &artifacts));
    }
    built.has_same_inputs = shared.has_same_files.load(Ordering::Relaxed);
    if !built.has_same_inputs {
        built.inputs = inputs(&shared);
    }
    built.artifacts = artifacts;
    built
}

/// Notes the modules that cannot be parsed as strict code, but as scripts: if one is, all that are, as each time that there are
/// more the build begins again.
fn find_scripts(shared: &Shared, diagnostics: &[BuildDiagnostic]) {
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let is_script = |id: &str| {
        let (_, path, _) = parts_of(id);
        let is_code = matches!(shared.loader_of(path, None), Loader::Js | Loader::Jsx);
        let text = seen.get(id).and_then(|seen| seen.text.as_ref()).filter(|_| is_code && !shared.sloppy.contains(id));
        text.is_some_and(|text| !sloppy::is_strict_code(text) && sloppy::strict_text(text, path).is_some())
    };
    if diagnostics.iter().filter_map(messages::unparsed).any(|id| is_script(&id)) {
        let found: Vec<String> = seen.par_iter().map(|(id, _)| id).filter(|id| is_script(id)).cloned().collect();
        shared.found_sloppy.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
    }
}

fn text_of(artifact: Artifact) -> String {
    String::from_utf8_lossy(&artifact.bytes).into_owned()
}

/// The bundles of the entry points: one with splitting, else one for each, since it has all that it needs, also what others
/// have. Each comes with the entry points among which its chunks are named.
async fn bundle(
    shared: Arc<Shared>,
    entries: &[Entry],
    injected: Vec<InjectImport>,
) -> Result<Vec<(&[Entry], BundleOutput)>, BatchedBuildDiagnostic> {
    let tsconfig = TsConfigChoice::of(&shared.options, entries);
    if shared.options.splitting || entries.len() == 1 {
        return Ok(vec![(entries, alone(shared, entries, injected, tsconfig.option()).await?)]);
    }
    let together = together(shared.clone(), entries.to_vec(), injected.clone(), tsconfig.option());
    match tokio::spawn(together).await {
        Ok(result) => result.map(|outputs| outputs.into_iter().map(|output| (entries, output)).collect()),
        // rolldown makes several bundles of one scan only for its watcher: a bug there costs time, not the build.
        Err(_) => {
            let mut outputs = Vec::with_capacity(entries.len());
            for entry in entries {
                let one = std::slice::from_ref(entry);
                outputs.push((one, alone(shared.clone(), one, injected.clone(), tsconfig.option()).await?));
            }
            Ok(outputs)
        }
    }
}

/// One bundle.
async fn alone(
    shared: Arc<Shared>,
    entries: &[Entry],
    injected: Vec<InjectImport>,
    tsconfig: TsConfig,
) -> Result<BundleOutput, BatchedBuildDiagnostic> {
    let out = shared.options.outdir.clone().unwrap_or_else(|| shared.options.cwd.clone());
    if let [entry] = entries {
        let (shared, entry, tsconfig, out) = (shared.clone(), entry.clone(), tsconfig.clone(), out.clone());
        let made = tokio::task::spawn_blocking(move || own::bundle(&shared, &entry, tsconfig, &out)).await;
        // A bug of the core costs time, not the build.
        if let Ok(Some(output)) = made {
            return Ok(output);
        }
    }
    let mut options = settings::of(&shared.options, entries, injected, tsconfig, &shared.root, &out);
    if !shared.merges_chunks() {
        options.experimental.get_or_insert_default().chunk_optimization = Some(ChunkOptimizationOption::Bool(false));
    }
    let is_last = shared.options.is_last;
    if shared.options.folds() {
        return folded(&shared, options).await;
    }
    if shared.options.changed.is_some() {
        return watched(&shared, options).await;
    }
    let plugin = Arc::new(BaoPlugin::new(shared, Vec::new()));
    let mut bundler = Bundler::with_plugins(options, vec![plugin])?;
    let output = bundler.generate().await;
    drop_later(is_last, bundler);
    output
}

/// A bundle that keeps its modules, so that results can be made of them again.
fn kept(options: BundlerOptions, plugin: BaoPlugin) -> Result<Bundle, BatchedBuildDiagnostic> {
    let mut factory = BundleFactory::new(BundleFactoryOptions {
        bundler_options: options,
        plugins: vec![Arc::new(plugin)],
        session: None,
        disable_tracing_setup: true,
    })?;
    factory.create_bundle(BundleMode::IncrementalFullBuild, Some(Default::default()))
}

/// One bundle whose small chunks are put into others: they are known when there is a draft of the results.
async fn folded(shared: &Arc<Shared>, mut options: BundlerOptions) -> Result<BundleOutput, BatchedBuildDiagnostic> {
    let groups = fold::Groups::default();
    options.code_splitting = Some(fold::splitting(options.code_splitting.take(), groups.clone()));
    let mut bundle = kept(options, BaoPlugin::new(shared.clone(), Vec::new()))?;
    let modules = bundle.scan_modules(ScanMode::Full).await?;
    shared.is_draft.store(true, Ordering::Relaxed);
    let draft = bundle.bundle_generate(modules).await;
    shared.is_draft.store(false, Ordering::Relaxed);
    *groups.lock().unwrap_or_else(PoisonError::into_inner) = fold::groups(shared, &draft?.assets);
    // Nothing has changed: a copy of what the scan has found.
    let modules = bundle.scan_modules(ScanMode::Partial(Vec::new())).await?;
    bundle.bundle_generate(modules).await
}

/// One bundle of a command line that watches, whose modules are kept for the next.
async fn watched(shared: &Arc<Shared>, options: BundlerOptions) -> Result<BundleOutput, BatchedBuildDiagnostic> {
    let (mut bundle, mode) = match shared.again.take() {
        Some((bundle, changed)) => (bundle, ScanMode::Partial(changed)),
        None => (kept(options, BaoPlugin::new(shared.clone(), Vec::new()))?, ScanMode::Full),
    };
    let modules = bundle.scan_modules(mode).await?;
    let output = bundle.bundle_generate(modules).await?;
    shared.again.keep(bundle);
    Ok(output)
}

/// Frees something large in another thread, as nobody waits for it, or never, if the process ends with the build.
pub(crate) fn drop_later(is_last: bool, value: impl Send + 'static) {
    if is_last {
        std::mem::forget(value);
    } else {
        rayon::spawn(move || drop(value));
    }
}

/// A bundle for each entry point out of one scan, so that each module is parsed once.
async fn together(
    shared: Arc<Shared>,
    entries: Vec<Entry>,
    injected: Vec<InjectImport>,
    tsconfig: TsConfig,
) -> Result<Vec<BundleOutput>, BatchedBuildDiagnostic> {
    let out = shared.options.outdir.clone().unwrap_or_else(|| shared.options.cwd.clone());
    let options = settings::of(&shared.options, &entries, injected, tsconfig, &shared.root, &out);
    let named = |at: usize| format!("entry{at}");
    let further = entries.iter().enumerate().skip(1).map(|(at, entry)| (named(at), entry.clone())).collect();
    let mut bundle = kept(options, BaoPlugin::new(shared, further))?;
    let mut modules = bundle.scan_modules(ScanMode::Full).await?;
    let mut outputs = Vec::with_capacity(entries.len());
    for at in 0..entries.len() {
        let name = named(at);
        modules.entry_points.retain(|entry| entry.name.as_deref() == Some(name.as_str()));
        modules.user_defined_entry_modules = modules.entry_points.iter().map(|entry| entry.idx).collect();
        outputs.push(bundle.bundle_generate(modules).await?);
        if at + 1 == entries.len() {
            break;
        }
        // Nothing has changed: a copy of what the scan has found.
        modules = bundle.scan_modules(ScanMode::Partial(Vec::new())).await?;
    }
    Ok(outputs)
}

/// Adds the types of the modules.
fn declare(shared: &Shared, artifacts: &mut Vec<Artifact>, messages: &mut Vec<Message>) {
    for path in inputs(shared) {
        if path.contains("/node_modules/") {
            continue;
        }
        let Some(name) = declarations::name_of(&shared.root, Path::new(&path)) else { continue };
        let known = shared.options.files.get(Path::new(&path)).cloned();
        let Some(source) = known.or_else(|| std::fs::read_to_string(&path).ok()) else { continue };
        match declarations::of_module(&source, &path) {
            Ok(code) => artifacts.push(Artifact {
                path: name,
                kind: ArtifactKind::Asset,
                loader: Loader::Ts,
                hash: hash_of(code.as_bytes()),
                bytes: code.into_bytes(),
                sourcemap: None,
                details: metafile::Details::of_source(&path),
                source: Some(path),
                is_entry: false,
                description: None,
            }),
            Err(mut errors) => messages.append(&mut errors),
        }
    }
}

/// Takes rolldown's results over, and finds which style sheets belong to which chunk. `group`: the entry points of the bundle.
fn collect(
    shared: &Shared,
    group: &[Entry],
    outputs: Vec<Output>,
    artifacts: &mut Vec<Artifact>,
    sheets: &mut Vec<(Parts, Vec<String>, String)>,
    kept_bytes: &mut Option<(usize, usize)>,
) {
    // The maps come as files without the comments that name them, see `linked`.
    let mut maps: FxHashMap<String, String> = FxHashMap::default();
    let mut chunks = Vec::new();
    for output in outputs {
        match output {
            Output::Chunk(chunk) => chunks.push(chunk),
            Output::Asset(asset) => {
                // As a rule nobody else has it.
                let asset = Arc::unwrap_or_clone(asset);
                let path = asset.filename.to_string();
                let bytes = match asset.source {
                    StrOrBytes::Str(text) if path.ends_with(".map") => {
                        maps.insert(path, text);
                        continue;
                    }
                    StrOrBytes::Str(text) => text.into_bytes(),
                    StrOrBytes::Bytes(bytes) => bytes,
                };
                artifacts.push(Artifact {
                    path,
                    kind: ArtifactKind::Asset,
                    loader: Loader::File,
                    hash: hash_of(&bytes),
                    bytes,
                    sourcemap: None,
                    source: None,
                    is_entry: false,
                    description: None,
                    details: metafile::Details::default(),
                });
            }
        }
    }
    let is_apart = !shared.options.splitting && group.len() > 1;
    for chunk in chunks {
        // What one scan finds beside the first entry point comes as a chunk.
        let is_entry = chunk.is_entry || is_apart && settings::place_of(&chunk.name).is_some();
        let facade = chunk.facade_module_id.as_ref().map(|id| id.as_str().to_string());
        if let Some(id) = facade.as_deref().filter(|_| is_entry || chunk.is_dynamic_entry) {
            let paths = sheets_below(shared, id);
            if !paths.is_empty() {
                let parts = if is_entry {
                    // settings.rs names them by their place.
                    settings::place_of(&chunk.name).and_then(|place| group.get(place)).map(|entry| entry.parts.clone())
                } else {
                    None
                };
                let parts =
                    parts.unwrap_or_else(|| Parts::of_file(Path::new("/"), Path::new(&format!("/{}", chunk.name))));
                sheets.push((parts, paths, id.to_string()));
            }
        }
        let map = chunk.sourcemap_filename.as_ref().and_then(|name| Some((name.clone(), maps.remove(name)?)));
        let (path, details) = (chunk.filename.to_string(), metafile::Details::of_chunk(&chunk));
        let description = shared.options.has_rollup.then(|| graph::output_chunk(&chunk, is_entry).to_string());
        let hash_in_name = hash_in_name(&chunk.preliminary_filename, &path);
        let mut code = match Arc::try_unwrap(chunk) {
            Ok(mut chunk) => {
                // Large, and quickly freed: what comes now finds room there.
                chunk.map = None;
                let code = std::mem::take(&mut chunk.code);
                drop_later(shared.options.is_last, chunk);
                code
            }
            Err(chunk) => chunk.code.clone(),
        };
        if settings::has_wrapper(&shared.options) {
            code.truncate(code.trim_end().len());
            let has_comment = code.lines().next_back().is_some_and(|line| line.contains("//"));
            code.push_str(if has_comment { "\n})\n" } else { "})\n" });
        }
        let Linked { code, map, debug_id } = linked(shared, code, map);
        // The `debugId` is a hash of both texts already.
        let (hash, map_hash) = match debug_id {
            Some(id) => (hash_of(id.as_bytes()), hash_of(format!("{id}.map").as_bytes())),
            None => (hash_of(code.as_bytes()), String::new()),
        };
        let hash = hash_in_name.unwrap_or(hash);
        let (code, map) = kept_texts(shared, code, map, kept_bytes);
        let bytes = code.into_bytes();
        artifacts.push(Artifact {
            path,
            kind: if is_entry { ArtifactKind::EntryPoint } else { ArtifactKind::Chunk },
            loader: facade.as_deref().map_or(Loader::Js, |id| shared.loader_of(parts_of(id).1, None)),
            hash,
            sourcemap: map.as_ref().map(|(name, _)| name.clone()),
            details,
            source: facade,
            is_entry,
            description,
            bytes,
        });
        if let Some((path, map)) = map {
            artifacts.push(Artifact {
                path,
                kind: ArtifactKind::Sourcemap,
                loader: Loader::File,
                hash: map_hash,
                bytes: map.into_bytes(),
                sourcemap: None,
                source: None,
                is_entry: false,
                description: None,
                details: metafile::Details::default(),
            });
        }
    }
}

/// The hash in the name of a chunk, which rolldown puts in the place of one that is as long (`!~{001}~`), if it has one.
fn hash_in_name(before: &str, name: &str) -> Option<String> {
    let start = before.find("!~{")?;
    let end = start + before[start..].find("}~")? + 2;
    name.get(start..end).map(str::to_string)
}

/// The code of a chunk with the comments that name its map, and the map with its name if it is a file.
struct Linked {
    code: String,
    map: Option<(String, String)>,
    debug_id: Option<String>,
}

/// Puts the comments that name a chunk's map behind its code. Both have the same `debugId`, by which
/// tools that keep maps elsewhere find them (https://github.com/tc39/ecma426/blob/main/proposals/debug-id.md).
fn linked(shared: &Shared, mut code: String, map: Option<(String, String)>) -> Linked {
    let Some((name, mut map)) = map else { return Linked { code, map: None, debug_id: None } };
    let half = |text: &str| {
        let hash = xxhash_with_base(text.as_bytes(), 16).to_ascii_uppercase();
        hash[hash.len() - 16..].to_string()
    };
    let (of_code, of_map) = rayon::join(|| half(&code), || half(&map));
    let id = of_code + &of_map;
    map.truncate(map.trim_end().len());
    if map.ends_with('}') {
        map.pop();
    }
    map.push_str(&format!(",\"debugId\":\"{id}\"}}"));
    if !code.ends_with('\n') {
        code.push('\n');
    }
    code.push_str(&format!("\n//# debugId={id}\n"));
    let url = match shared.options.sourcemap {
        Sourcemap::None | Sourcemap::External => {
            return Linked { code, map: Some((name, map)), debug_id: Some(id) };
        }
        Sourcemap::Inline => {
            format!("data:application/json;base64,{}", rolldown_utils::base64::to_standard_base64(map.as_bytes()))
        }
        Sourcemap::Linked if shared.options.public_path.is_empty() => {
            name.rsplit('/').next().unwrap_or(&name).to_string()
        }
        Sourcemap::Linked => format!("{}{name}", shared.options.public_path),
    };
    code.push_str(&format!("//# sourceMappingURL={url}\n"));
    let is_file = shared.options.sourcemap == Sourcemap::Linked;
    Linked { code, map: is_file.then_some((name, map)), debug_id: Some(id) }
}

/// Leaves the texts of a result with what is kept of the build, if they need not go on from here; there is nothing in them then.
fn kept_texts(
    shared: &Shared,
    code: String,
    map: Option<(String, String)>,
    kept_bytes: &mut Option<(usize, usize)>,
) -> (String, Option<(String, String)>) {
    let options = &shared.options;
    let is_whole = options.sourcemap == Sourcemap::None || map.is_some();
    if !options.keeps_texts || !is_whole || settings::has_wrapper(options) {
        return (code, map);
    }
    let sizes = (code.len(), map.as_ref().map_or(0, |(_, text)| text.len()));
    let (name, text) = map.unzip();
    match own::give_back(code, text) {
        Ok(()) => {
            *kept_bytes = Some(sizes);
            (String::new(), name.map(|name| (name, String::new())))
        }
        Err((code, text)) => (code, name.zip(text)),
    }
}

/// The style sheets that a module brings, in the order of its imports; what a sheet is composed of comes before it.
fn sheets_below(shared: &Shared, id: &str) -> Vec<String> {
    enum Step {
        Enter(String),
        Leave(String),
    }
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut visited = FxHashSet::default();
    let mut paths = Vec::new();
    let mut stack = vec![Step::Enter(id.to_string())];
    while let Some(step) = stack.pop() {
        let id = match step {
            Step::Leave(sheet) => {
                paths.push(sheet);
                continue;
            }
            Step::Enter(id) => id,
        };
        if !visited.insert(id.clone()) {
            continue;
        }
        let Some(module) = seen.get(&id) else { continue };
        if module.loader == Some(Loader::Css) {
            stack.push(Step::Leave(parts_of(&id).1.to_string()));
        }
        let later = if shared.options.splitting { [].iter() } else { module.dynamic.iter() };
        stack.extend(module.imports.iter().chain(later).rev().cloned().map(Step::Enter));
    }
    paths
}

fn sheet_artifact(shared: &Shared, parts: &Parts, source: &str, code: String) -> Artifact {
    let hash = hash_of(code.as_bytes());
    let mut parts = Parts { ext: "css".into(), ..parts.clone() };
    let is_entry = shared.loader_of(source, None) == Loader::Css;
    let naming = &shared.options.naming;
    let is_page = shared.page_entries.contains(source);
    let template = if is_page {
        parts.dir = String::new();
        &naming.chunk
    } else {
        &naming.entry
    };
    let mut path = name_of(template, &parts, &hash);
    if !is_entry && !path.ends_with(".css") {
        // A template without [ext] names the code.
        path = Path::new(&path).with_extension("css").to_string_lossy().into_owned();
    }
    Artifact {
        path,
        kind: ArtifactKind::Asset,
        is_entry,
        description: None,
        // What a page brings has the page's loader, as in Bun.
        loader: if is_page { Loader::Html } else { Loader::Css },
        hash,
        bytes: code.into_bytes(),
        sourcemap: None,
        source: Some(source.to_string()),
        details: metafile::Details::of_source(source),
    }
}

/// The files that were read.
fn inputs(shared: &Shared) -> Vec<String> {
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut files: Vec<String> =
        seen.keys().filter(|id| parts_of(id).0 == "file").map(|id| parts_of(id).1.to_string()).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// A name that two results have.
fn overwritten(artifacts: &[Artifact]) -> Option<&str> {
    let mut names: BTreeMap<&str, &[u8]> = BTreeMap::new();
    artifacts.iter().find_map(|artifact| {
        let before = names.insert(&artifact.path, &artifact.bytes)?;
        (before != artifact.bytes.as_slice()).then_some(artifact.path.as_str())
    })
}

fn messages_of(shared: &Shared, diagnostics: Vec<BuildDiagnostic>, are_errors: bool, messages: &mut Vec<Message>) {
    let source = |path: &str| {
        let (_, path, _) = parts_of(path);
        shared.options.files.get(Path::new(path)).cloned().or_else(|| archived::read_to_string(Path::new(path)).ok())
    };
    let mut failures = std::mem::take(&mut *shared.failures.lock().unwrap_or_else(PoisonError::into_inner));
    if diagnostics.is_empty() {
        messages.append(&mut failures);
    }
    for diagnostic in diagnostics {
        // The plugin's own words, once, instead of rolldown's about them.
        if are_errors && messages::is_of_plugin(&diagnostic) {
            if !failures.is_empty() {
                messages.append(&mut failures);
                continue;
            }
            if messages.iter().any(Message::is_error) {
                continue;
            }
        }
        // What rolldown remarks about code that Bun takes as it is.
        if !are_errors && !messages::is_shown(&diagnostic) {
            continue;
        }
        // An import that leads nowhere is a mistake, as nothing would find it later; a `require` may stand in a `try`.
        let is_unresolved = messages::is_unresolved(&diagnostic);
        let mut message =
            messages::of_diagnostic(&diagnostic, are_errors || is_unresolved, &shared.options.cwd, &source);
        // Places in the module of a page are none in the page.
        if let Some(position) = &mut message.position
            && shared.page_entries.contains(&position.file)
        {
            position.line = 0;
            position.line_text.clear();
        }
        if !are_errors
            && is_unresolved
            && let Some(text) = message.position.as_ref().and_then(|position| source(&position.file))
            && messages::may_fail(&message, &text)
        {
            continue;
        }
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
}
