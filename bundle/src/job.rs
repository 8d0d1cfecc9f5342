//! A build from its options to its results.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use rolldown::Bundler;
use rolldown_common::Output;
use rolldown_error::{BatchedBuildDiagnostic, BuildDiagnostic};
use rustc_hash::FxHashSet;

use crate::assets::{Assets, Parts, hash_of, name_of};
use crate::external::Externals;
use crate::hooks::{Filters, Hooks};
use crate::messages::{self, Message, Unresolved};
use crate::options::{BuildOptions, Loader, Sourcemap};
use crate::plugin::{BaoPlugin, Shared, join, parts_of};
use crate::settings::{self, Entry};
use crate::{css, metafile};

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
}

impl Built {
    /// Whether there is no error among the messages.
    pub fn is_success(&self) -> bool {
        !self.messages.iter().any(|message| message.is_error)
    }

    fn failed(text: impl Into<String>) -> Built {
        Built { messages: vec![Message::error(text)], ..Built::default() }
    }
}

/// The entry points, found and named.
fn entries(options: &BuildOptions) -> Result<(Vec<Entry>, PathBuf), Vec<Message>> {
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
            .find(|path| path.is_file() || options.files.contains_key(path));
        found.push((specifier.clone(), path));
    }
    let root = options.root.clone().unwrap_or_else(|| {
        let folders = found.iter().filter_map(|(_, path)| path.as_deref()?.parent().map(Path::to_path_buf));
        folders
            .reduce(|a, b| a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect())
            .unwrap_or_else(|| options.cwd.clone())
    });
    let mut entries = Vec::new();
    for (specifier, path) in found {
        match path {
            Some(path) => {
                let parts = Parts::of_file(&root, &path);
                entries.push(Entry { specifier: path.to_string_lossy().into_owned(), parts, name: None });
            }
            // A package, or what a plugin resolves.
            None if !specifier.starts_with('.') && !specifier.starts_with('/')
                || !options.resolve_filters.is_empty() =>
            {
                let parts =
                    Parts::of_file(Path::new("/"), Path::new(&format!("/{}", specifier.trim_start_matches("./"))));
                let name = if parts.name.is_empty() { "index".to_string() } else { parts.name };
                let parts = Parts { dir: String::new(), name, ext: parts.ext };
                entries.push(Entry { specifier, parts, name: None });
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
    let filters = Filters::new(&options.resolve_filters)
        .and_then(|resolve| Filters::new(&options.load_filters).map(|load| (resolve, load)));
    let (resolve_filters, load_filters) = match filters {
        Ok(filters) => filters,
        Err(text) => return Built::failed(text),
    };
    let externals = Externals::new(&options);
    let shared = Arc::new(Shared {
        root,
        assets: Assets::default(),
        hooks,
        resolve_filters,
        load_filters,
        externals,
        failures: Default::default(),
        seen: Default::default(),
        texts: Default::default(),
        options,
    });
    let task = tokio::spawn(AssertUnwindSafe(run(shared, entries)).0);
    match task.await {
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
        && Path::new(&entry.specifier).is_file()
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
        match std::fs::read(specifier) {
            Ok(bytes) => {
                let loader = shared.loader_of(specifier, None);
                shared.assets.add(&shared.options.naming.asset, &shared.root, Path::new(specifier), bytes, loader);
            }
            Err(error) => built.messages.push(Message::error(format!("cannot read \"{specifier}\": {error}"))),
        }
    }
    let is_script = |entry: &&Entry| !matches!(shared.loader_of(&entry.specifier, None), Loader::Css);
    let scripts: Vec<Entry> = entries.iter().filter(is_script).cloned().collect();
    // Without splitting every entry point has all that it needs, also what others have.
    let groups: Vec<Vec<Entry>> = if shared.options.splitting {
        if scripts.is_empty() { Vec::new() } else { vec![scripts] }
    } else {
        scripts.into_iter().map(|entry| vec![entry]).collect()
    };
    let mut bundles = Vec::new();
    for group in groups {
        bundles.push((tokio::spawn(bundle(shared.clone(), group.clone())), group));
    }
    let mut artifacts = Vec::new();
    let mut sheets: Vec<(Parts, Vec<String>, String)> = Vec::new();
    for (task, group) in bundles {
        let outputs = match task.await {
            Ok(Ok(outputs)) => outputs,
            Ok(Err(batch)) => {
                messages_of(&shared, batch.into_vec(), true, &mut built.messages);
                continue;
            }
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        messages_of(&shared, outputs.warnings, false, &mut built.messages);
        collect(&shared, &group, outputs.assets, &mut artifacts, &mut sheets);
    }
    if !built.is_success() {
        return Built { inputs: inputs(&shared), ..built };
    }
    for entry in &entries {
        if !is_script(&entry) {
            sheets.push((entry.parts.clone(), vec![entry.specifier.clone()], entry.specifier.clone()));
        }
    }
    for (parts, paths, source) in sheets {
        match css::bundle(&shared, &paths) {
            Ok(sheet) => artifacts.push(sheet_artifact(&shared, &parts, &source, sheet.code)),
            Err(text) => built.messages.push(Message::error(text)),
        }
    }
    for (path, asset) in shared.assets.take() {
        artifacts.push(Artifact {
            path,
            kind: ArtifactKind::Asset,
            loader: asset.loader,
            hash: asset.hash,
            bytes: asset.bytes,
            sourcemap: None,
            details: metafile::Details::of_source(&asset.source),
            source: Some(asset.source),
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
    built.inputs = inputs(&shared);
    built.artifacts = artifacts;
    built
}

/// One bundle of rolldown's.
async fn bundle(shared: Arc<Shared>, group: Vec<Entry>) -> Result<rolldown::BundleOutput, BatchedBuildDiagnostic> {
    let out = shared.options.outdir.clone().unwrap_or_else(|| shared.options.cwd.clone());
    let options = settings::of(&shared.options, &group, &out);
    let mut bundler = Bundler::with_plugins(options, vec![Arc::new(BaoPlugin { shared })])?;
    bundler.generate().await
}

/// Takes rolldown's results over, and finds which style sheets belong to which chunk.
fn collect(
    shared: &Shared,
    group: &[Entry],
    outputs: Vec<Output>,
    artifacts: &mut Vec<Artifact>,
    sheets: &mut Vec<(Parts, Vec<String>, String)>,
) {
    for output in outputs {
        match output {
            Output::Chunk(chunk) => {
                let facade = chunk.facade_module_id.as_ref().map(|id| id.as_str().to_string());
                let bytes = chunk.code.clone().into_bytes();
                let kind = if chunk.is_entry { ArtifactKind::EntryPoint } else { ArtifactKind::Chunk };
                if let Some(id) = facade.as_deref().filter(|_| chunk.is_entry || chunk.is_dynamic_entry) {
                    let paths = sheets_below(shared, id);
                    if !paths.is_empty() {
                        let parts = if chunk.is_entry {
                            group
                                .iter()
                                .find(|entry| entry.specifier == id)
                                .or(group.first())
                                .map(|entry| entry.parts.clone())
                        } else {
                            None
                        };
                        let parts = parts
                            .unwrap_or_else(|| Parts::of_file(Path::new("/"), Path::new(&format!("/{}", chunk.name))));
                        sheets.push((parts, paths, id.to_string()));
                    }
                }
                let loader = facade.as_deref().map_or(Loader::Js, |id| shared.loader_of(parts_of(id).1, None));
                artifacts.push(Artifact {
                    path: chunk.filename.to_string(),
                    kind,
                    loader,
                    hash: hash_of(&bytes),
                    sourcemap: chunk
                        .sourcemap_filename
                        .clone()
                        .filter(|_| matches!(shared.options.sourcemap, Sourcemap::Linked | Sourcemap::External)),
                    details: metafile::Details::of_chunk(&chunk),
                    source: facade,
                    bytes,
                });
            }
            Output::Asset(asset) => {
                let bytes = asset.source.as_bytes().to_vec();
                let kind = if asset.filename.ends_with(".map") { ArtifactKind::Sourcemap } else { ArtifactKind::Asset };
                artifacts.push(Artifact {
                    path: asset.filename.to_string(),
                    kind,
                    loader: Loader::File,
                    hash: hash_of(&bytes),
                    bytes,
                    sourcemap: None,
                    source: None,
                    details: metafile::Details::default(),
                });
            }
        }
    }
}

/// The style sheets that a module brings, in the order of its imports.
fn sheets_below(shared: &Shared, id: &str) -> Vec<String> {
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut visited = FxHashSet::default();
    let mut paths = Vec::new();
    // What is still to visit: a module, or a sheet whose own imports come first.
    let mut stack = vec![id.to_string()];
    while let Some(id) = stack.pop() {
        if !visited.insert(id.clone()) {
            continue;
        }
        let Some(module) = seen.get(&id) else { continue };
        if module.loader == Some(Loader::Css) {
            paths.push(parts_of(&id).1.to_string());
            continue;
        }
        let later = if shared.options.splitting { [].iter() } else { module.dynamic.iter() };
        stack.extend(module.imports.iter().chain(later).rev().cloned());
    }
    paths
}

fn sheet_artifact(shared: &Shared, parts: &Parts, source: &str, code: String) -> Artifact {
    let hash = hash_of(code.as_bytes());
    let parts = Parts { ext: "css".into(), ..parts.clone() };
    let is_entry = shared.loader_of(source, None) == Loader::Css;
    Artifact {
        path: name_of(&shared.options.naming.entry, &parts, &hash),
        kind: if is_entry { ArtifactKind::EntryPoint } else { ArtifactKind::Asset },
        loader: Loader::Css,
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
        shared.options.files.get(Path::new(path)).cloned().or_else(|| std::fs::read_to_string(path).ok())
    };
    let mut failures = std::mem::take(&mut *shared.failures.lock().unwrap_or_else(PoisonError::into_inner));
    for diagnostic in diagnostics {
        // The plugin's own words, once, instead of rolldown's about them.
        if are_errors && messages::is_of_plugin(&diagnostic) {
            if !failures.is_empty() {
                messages.append(&mut failures);
                continue;
            }
            if messages.iter().any(|message| message.is_error) {
                continue;
            }
        }
        // What rolldown remarks about code that Bun takes as it is.
        if !are_errors && !messages::is_shown(&diagnostic) {
            continue;
        }
        // An import that leads nowhere is a mistake, as nothing would find it later; a `require` may stand in a `try`.
        let is_unresolved = messages::is_unresolved(&diagnostic);
        let message = messages::of_diagnostic(&diagnostic, are_errors || is_unresolved, &shared.options.cwd, &source);
        if !are_errors && is_unresolved && messages::is_about_require(&message) {
            continue;
        }
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
}
