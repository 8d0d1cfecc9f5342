//! What the hooks of a build share, and the ids of modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use arcstr::ArcStr;
use rolldown_common::ImportKind;
use rolldown_plugin::HookResolveIdArgs;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::archived::Archives;
use crate::assets::{Assets, clean};
use crate::external::Externals;
use crate::find::DualPackages;
use crate::graph::Loads;
use crate::hooks::{Filters, Hooks};
use crate::import_meta;
use crate::job::Artifact;
use crate::messages::{Level, Message, Position, position_at};
use crate::options::{BuildOptions, Loader, Target};
use crate::pages::Page;
use crate::progress::Progress;
use crate::rebuild;
use crate::rules;
use crate::split;
use crate::type_exports::Missing;

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
    /// Whether something happens when it runs, beside what its imports do.
    pub has_effects: bool,
    /// Whether it does something when it runs, if a plugin says.
    pub side_effects: Option<bool>,
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
    pub options: Arc<BuildOptions>,
    pub root: PathBuf,
    pub assets: Assets,
    pub hooks: Option<Arc<dyn Hooks>>,
    pub resolve_filters: Filters,
    pub load_filters: Filters,
    pub before_parse_filters: Filters,
    pub externals: Externals,
    pub archives: Archives,
    /// Whether small files stand in the sheets that refer to them, as in Bun's bundles and not in its development server.
    pub inlines: bool,
    pub seen: Mutex<FxHashMap<String, Seen>>,
    /// Ids that stay imports, for plugins of Rollup.
    pub outside: Mutex<FxHashSet<String>>,
    pub loads: Loads,
    /// Whether plugins of Rollup have been told that the build begins.
    pub has_begun: AtomicBool,
    /// `import.meta` and its properties in modules, which plugins of Rollup may replace.
    pub metas: Mutex<Vec<import_meta::Place>>,
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
    /// What modules do not pass on, as it is types.
    pub type_exports: Missing,
    /// What tsconfig.json says of classes, by folder.
    pub class_settings: Mutex<FxHashMap<PathBuf, transpile::Options>>,
    /// Modules that are scripts of sloppy mode, by id, and those that this build has found to be some.
    pub sloppy: FxHashSet<String>,
    pub found_sloppy: Mutex<FxHashSet<String>>,
    /// What a panic while a module was read has said, and who waits for one.
    pub panic: Mutex<Option<String>>,
    pub panicked: tokio::sync::Notify,
    /// What the next build of a command line that watches begins with.
    pub again: rebuild::State,
    /// The calls of `require` that load chunks, and whether rolldown has made no chunk of such a module.
    pub requires: split::Requires,
    pub is_unsplit: AtomicBool,
    /// Whether chunks may only hold what all that load them need, and whether rolldown has made one that runs another entry point.
    pub keeps_chunks: bool,
    pub runs_another: AtomicBool,
    /// Whether the results are a draft, of which only the names and the modules of the chunks are looked at.
    pub is_draft: AtomicBool,
    /// Whether the files that were read are those of the build before.
    pub has_same_files: AtomicBool,
    /// What was missing in this build and may be types, too.
    pub missing: Mutex<Missing>,
    /// Packages that have a module for `require` and one for `import`.
    pub dual: DualPackages,
}

impl Shared {
    /// Whether rolldown may put what several chunks need into one that all of them load. A chunk that is loaded while an entry point runs
    /// cannot import that.
    pub(crate) fn merges_chunks(&self) -> bool {
        self.requires.is_empty() && !self.keeps_chunks
    }

    /// Whether pages and `import()` ask at once for all that a chunk imports.
    pub(crate) fn preloads(&self) -> bool {
        let BuildOptions { target, splitting, module_preload, .. } = *self.options;
        target == Target::Browser && splitting && module_preload
    }

    /// What a build begins with; paths of results start at `root`.
    ///
    /// # Errors
    /// The text about a filter of a plugin that is no regular expression.
    pub(crate) fn new(
        options: Arc<BuildOptions>,
        root: PathBuf,
        hooks: Option<Arc<dyn Hooks>>,
    ) -> Result<Shared, String> {
        Ok(Shared {
            root,
            assets: Assets::default(),
            hooks,
            resolve_filters: Filters::new(&options.resolve_filters)?,
            load_filters: Filters::new(&options.load_filters)?,
            before_parse_filters: Filters::new(&options.before_parse_filters)?,
            externals: Externals::new(&options),
            archives: Default::default(),
            inlines: true,
            failures: Default::default(),
            seen: Default::default(),
            outside: Default::default(),
            loads: Default::default(),
            has_begun: Default::default(),
            metas: Default::default(),
            progress: Default::default(),
            warnings: Default::default(),
            texts: Default::default(),
            page_entries: Default::default(),
            pages: Default::default(),
            nested: Default::default(),
            type_exports: Default::default(),
            class_settings: Default::default(),
            sloppy: Default::default(),
            found_sloppy: Default::default(),
            panic: Default::default(),
            panicked: Default::default(),
            again: Default::default(),
            requires: Default::default(),
            is_unsplit: Default::default(),
            keeps_chunks: false,
            runs_another: Default::default(),
            is_draft: Default::default(),
            has_same_files: Default::default(),
            missing: Default::default(),
            dual: Default::default(),
            options,
        })
    }

    /// An empty table for the same build.
    pub(crate) fn like(mut self, other: &Shared) -> Shared {
        self.type_exports = other.type_exports.clone();
        self.sloppy = other.sloppy.clone();
        self.dual.by_main = other.dual.by_main.clone();
        self
    }

    /// Adds what another table of the same build has noted.
    pub(crate) fn take_over(&self, other: &Shared) {
        let seen = std::mem::take(&mut *other.seen.lock().unwrap_or_else(PoisonError::into_inner));
        let mut own = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if own.is_empty() {
            *own = seen;
        } else {
            own.extend(seen);
        }
        drop(own);
        let warnings = std::mem::take(&mut *other.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(warnings);
        self.dual.take_over(&other.dual);
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
        match name.rfind('.') {
            Some(at) => Loader::of_extension(&name[at..]),
            // Node and Bun run what packages have without an extension (yargs/yargs), and a copy of it would be of no use.
            None if path.contains("/node_modules/") => Loader::Js,
            None => Loader::File,
        }
    }

    /// Whether plugins of Rollup have a hook.
    pub(crate) fn calls(&self, hook: &str) -> bool {
        self.options.rollup_hooks.iter().any(|known| known == hook)
    }

    /// Calls a hook of Rollup's plugins; `None` if none of them answers.
    ///
    /// # Errors
    /// What a plugin has thrown.
    pub(crate) async fn call(&self, hook: &'static str, about: Value) -> anyhow::Result<Option<Value>> {
        let Some(hooks) = &self.hooks else { return Ok(None) };
        hooks.call(hook, about).await.map_err(|text| self.failed(text, "file", ""))
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
                    level: Level::Warning,
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
    pub(crate) fn failed_with(&self, message: Message) -> anyhow::Error {
        let text = message.text.clone();
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        anyhow::Error::msg(text)
    }

    /// Keeps what is wrong in a module's text, and gives the error that rolldown carries.
    pub(crate) fn found(
        &self,
        findings: Vec<rules::Finding>,
        source: &str,
        namespace: &str,
        file: &str,
    ) -> anyhow::Error {
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

    /// Adds a file to the results and gives its name with `tail`, a query or a fragment. In a page that is one file it is no
    /// result, but a `data:` URL.
    ///
    /// # Errors
    /// The error of a file of which no kind can be told.
    pub(crate) fn add_file(&self, file: &Path, bytes: Vec<u8>, tail: &str) -> anyhow::Result<String> {
        if !self.options.standalone {
            return Ok(self.assets.add(&self.options.naming.asset, &self.root, file, bytes, Loader::File) + tail);
        }
        data_url(file, &bytes, tail)
    }

    /// The path in a result that stands for an asset.
    pub(crate) fn public(&self, name: &str) -> String {
        if is_data_url(name) {
            return name.to_string();
        }
        if self.options.public_path.is_empty() {
            format!("./{name}")
        } else {
            format!("{}{name}", self.options.public_path)
        }
    }

    /// A virtual file that a path stands for, with the endings that may be left out.
    pub(crate) fn virtual_file(&self, path: &Path) -> Option<PathBuf> {
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

/// A file as a URL, with the fragment that `tail` may be.
///
/// # Errors
/// The error of a file of which no kind can be told.
pub(crate) fn data_url(file: &Path, bytes: &[u8], tail: &str) -> anyhow::Result<String> {
    let mime = rolldown_utils::mime::guess_mime(file, bytes)?.to_string();
    let kind = mime.split(';').next().unwrap_or_default();
    let text = rolldown_utils::base64::to_standard_base64(bytes);
    Ok(format!("data:{kind};base64,{text}{}", if tail.starts_with('#') { tail } else { "" }))
}

/// Whether the name of an asset is the asset itself.
pub(crate) fn is_data_url(name: &str) -> bool {
    name.starts_with("data:") && name.contains(";base64,")
}

/// An id taken apart: namespace, path, loader of the import attribute.
pub(crate) fn parts_of(id: &str) -> (&str, &str, Option<Loader>) {
    // Few ids have a mark, and the search for one begins with more work than that for a byte.
    let marked = memchr::memchr(b'?', id.as_bytes()).and_then(|_| id.split_once(LOADER_MARK));
    let (id, loader) = match marked {
        Some((path, name)) => (path, Loader::of_name(name)),
        None => (id, None),
    };
    match id.strip_prefix('\0').and_then(|rest| rest.split_once(':')) {
        Some((namespace, path)) => (namespace, path, loader),
        None => ("file", id, loader),
    }
}

/// Whether an id is that of a module that rolldown or oxc brings along.
pub(crate) fn is_of_bundler(id: &str) -> bool {
    id.starts_with("\0rolldown") || id.starts_with("rolldown:") || id.starts_with("\0@oxc-project")
}

/// The id of a path in a namespace. A NUL begins those that are no files, which keeps rolldown from reading them as paths.
pub(crate) fn id_of(namespace: &str, path: &str) -> String {
    if namespace.is_empty() || namespace == "file" { path.to_string() } else { format!("\0{namespace}:{path}") }
}

/// Bun's name for the way of an import.
pub(crate) fn kind_name(args: &HookResolveIdArgs<'_>) -> &'static str {
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
