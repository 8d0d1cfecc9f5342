//! Builds of a command line that watches where rolldown links (own.rs has those of bao's own core): the modules of the last build
//! are kept, and only those that have changed are read and parsed again. What is linked and printed is the whole, as a module may
//! change what others are. Imports of the others lead where they have led, also if there is a new file that would be found first.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arcstr::ArcStr;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rolldown::Bundle;
use rustc_hash::FxHashSet;
use serde_json::Value;
use tsconfig::TsConfig;

use crate::graph::Graph;
use crate::hooks::{Answer, Changed, Deferral, Expanded, Fetch, Hooks, Loaded, Prepared, Resolved};
use crate::job::{self, Built};
use crate::options::{BuildOptions, Loader};
use crate::settings::Entry;
use crate::shared::{Shared, parts_of};

/// The last build of the process that may be taken up again.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
/// With more changes than this all is built anew: it is a switch of branches rather than an edit.
const MOST_CHANGES: usize = 64;
/// The system's clock for files is that much behind at most.
const CLOCK_STEP: Duration = Duration::from_millis(20);

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A build with all that it has read.
struct Kept {
    shared: Arc<Shared>,
    entries: Vec<Entry>,
    relay: Arc<Relay>,
    /// When it began: what has been written since may not be what it has read.
    begun: SystemTime,
    /// To see when a file of settings is gone or another one has its name.
    read: Read,
}

/// What a build goes on with.
#[derive(Default)]
pub(crate) struct State {
    /// The bundler of the last build.
    bundle: Mutex<Option<Bundle>>,
    /// The modules that it reads again.
    changed: Mutex<Vec<ArcStr>>,
    is_again: AtomicBool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("changed", &*lock(&self.changed)).finish_non_exhaustive()
    }
}

impl State {
    /// The bundler with the ids of the modules that it has to read again; `None` for a first build.
    pub(crate) fn take(&self) -> Option<(Bundle, Vec<ArcStr>)> {
        let bundle = lock(&self.bundle).take()?;
        self.is_again.store(true, Ordering::Relaxed);
        Some((bundle, std::mem::take(&mut *lock(&self.changed))))
    }

    /// Whether an earlier build is taken up, whose changed modules are resolved as if they were entry points.
    pub(crate) fn is_again(&self) -> bool {
        self.is_again.load(Ordering::Relaxed)
    }

    /// Whether there is a bundler of the last build.
    pub(crate) fn is_kept(&self) -> bool {
        lock(&self.bundle).is_some()
    }

    pub(crate) fn keep(&self, bundle: Bundle) {
        *lock(&self.bundle) = Some(bundle);
    }
}

/// Asks the hooks of the build that is under way, as the modules outlive those of the build that has read them.
#[derive(Debug)]
pub(crate) struct Relay(Mutex<Arc<dyn Hooks>>);

impl Relay {
    pub(crate) fn new(hooks: Arc<dyn Hooks>) -> Relay {
        Relay(Mutex::new(hooks))
    }

    fn hooks(&self) -> Arc<dyn Hooks> {
        lock(&self.0).clone()
    }
}

impl Hooks for Relay {
    fn resolve(
        &self,
        specifier: &str,
        importer: &str,
        namespace: &str,
        kind: &'static str,
    ) -> Answer<Option<Resolved>> {
        self.hooks().resolve(specifier, importer, namespace, kind)
    }

    fn load(&self, path: &str, namespace: &str, loader: Loader, deferral: Deferral) -> Answer<Option<Loaded>> {
        self.hooks().load(path, namespace, loader, deferral)
    }

    fn before_parse(
        &self,
        which: &[usize],
        path: &str,
        namespace: &str,
        loader: Loader,
        fetch: &mut Fetch<'_>,
    ) -> Prepared {
        self.hooks().before_parse(which, path, namespace, loader, fetch)
    }

    fn transform(&self, path: &str, namespace: &str, code: String, loader: Loader) -> Answer<Option<Changed>> {
        self.hooks().transform(path, namespace, code, loader)
    }

    fn render_chunk(&self, code: String, chunk: String) -> Answer<Option<Changed>> {
        self.hooks().render_chunk(code, chunk)
    }

    fn begin(&self, graph: Graph) {
        self.hooks().begin(graph);
    }

    fn call(&self, hook: &'static str, about: Value) -> Answer<Option<Value>> {
        self.hooks().call(hook, about)
    }

    fn expand_macros(&self, path: &str, text: &str, loader: Loader) -> Answer<Expanded> {
        self.hooks().expand_macros(path, text, loader)
    }
}

fn is_code(loader: Loader) -> bool {
    matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx)
}

/// Whether nothing but modules of code and data makes up a build: sheets, pages and assets are made anew each time, and a plugin
/// may answer otherwise.
fn is_plain(shared: &Shared) -> bool {
    let options = &shared.options;
    let is_data = |loader: Loader| {
        matches!(
            loader,
            Loader::Json | Loader::Jsonc | Loader::Json5 | Loader::Toml | Loader::Yaml | Loader::Text | Loader::Md
        )
    };
    options.resolve_filters.is_empty()
        && options.load_filters.is_empty()
        && options.before_parse_filters.is_empty()
        && !options.has_rollup
        && !options.has_transform
        && !options.has_render_chunk
        && !options.metafile
        && !options.declarations
        && !options.standalone
        && options.executable.is_none()
        && shared.page_entries.is_empty()
        && lock(&shared.seen).values().all(|seen| seen.loader.is_none_or(|loader| is_code(loader) || is_data(loader)))
}

/// Whether a build has found what the next one has to know from its beginning.
fn has_found(shared: &Shared) -> bool {
    !lock(&shared.missing).is_empty() || !lock(&shared.found_sloppy).is_empty() || !shared.dual.found().is_empty()
}

/// Files that say how the modules below their folder are read, and where imports lead.
const SETTINGS: [&str; 3] = ["package.json", "tsconfig.json", "jsconfig.json"];

/// When a file has been written, or got its name: what is renamed to another file's name keeps the time of its contents.
fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    let named = UNIX_EPOCH + Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
    let named = named + Duration::from_nanos(u64::try_from(metadata.ctime_nsec()).ok()?);
    Some(metadata.modified().ok()?.max(named))
}

/// Where the settings of some modules may be: in their folders and above.
fn settings_places(ids: &[String]) -> Vec<PathBuf> {
    let mut folders: FxHashSet<&Path> = FxHashSet::default();
    for id in ids {
        // What is above a folder that is known is known.
        let above = Path::new(parts_of(id).1).ancestors().skip(1);
        above.take_while(|folder| folders.insert(folder)).for_each(drop);
    }
    folders.iter().flat_map(|folder| SETTINGS.iter().map(|name| folder.join(name))).collect()
}

/// The settings at some places, that of the options, and what these extend, with the times of their changes.
fn settings_of(places: &[PathBuf], given: Option<&Path>) -> Vec<(PathBuf, SystemTime)> {
    let with_time = |file: PathBuf| {
        let at = changed_at(&file.metadata().ok()?)?;
        Some((file, at))
    };
    let given = given.map(Path::to_path_buf);
    let mut found: Vec<_> = places.iter().cloned().chain(given).filter_map(with_time).collect();
    // Mistakes in them are told by the build that reads them anew.
    let configs = found.iter().filter(|(file, _)| !file.ends_with("package.json"));
    let extended: Vec<PathBuf> =
        configs.filter_map(|(file, _)| TsConfig::load_file(file).ok()).flat_map(|config| config.files).collect();
    found.extend(extended.into_iter().filter_map(with_time));
    found.sort_unstable();
    found.dedup();
    found
}

/// The ids of the files of a build.
fn files_of(shared: &Shared) -> Vec<String> {
    lock(&shared.seen).keys().filter(|id| is_file(id)).cloned().collect()
}

fn is_file(id: &str) -> bool {
    parts_of(id).0 == "file"
}

/// Whether a file has been written since a time; `None` if it is not there.
fn is_newer(path: &str, time: SystemTime) -> Option<bool> {
    // Files in archives never change.
    let Ok(metadata) = Path::new(path).metadata() else {
        return store::is_file(Path::new(path)).then_some(false);
    };
    Some(changed_at(&metadata)? >= time)
}

/// What a build has read: its files, and the settings that these were read by, which were looked for in some places.
pub(crate) struct Read {
    /// How many modules there were, of files and others.
    modules: usize,
    files: Vec<String>,
    places: Vec<PathBuf>,
    settings: Vec<(PathBuf, SystemTime)>,
}

impl Read {
    /// What has been read after `earlier`, which is all of it if there are as many modules: none goes.
    pub(crate) fn of(shared: &Shared, earlier: Option<Read>) -> Read {
        let modules = lock(&shared.seen).len();
        if let Some(earlier) = earlier
            && earlier.modules == modules
        {
            shared.has_same_files.store(true, Ordering::Relaxed);
            return earlier;
        }
        let files = files_of(shared);
        let places = settings_places(&files);
        let settings = settings_of(&places, shared.options.tsconfig.as_deref());
        Read { modules, files, places, settings }
    }
}

/// The files among those of a build that began at a time that have changed since: those that are told, and unless these are all,
/// those that are newer. `None` if one is gone or settings have changed.
pub(crate) fn edits(
    read: &Read,
    options: &BuildOptions,
    begun: SystemTime,
    told: &[String],
) -> Option<FxHashSet<String>> {
    let since = begun - CLOCK_STEP;
    let settings = settings_of(&read.places, options.tsconfig.as_deref());
    if settings != read.settings || settings.iter().any(|(_, at)| *at >= since) {
        return None;
    }
    if options.changed_is_all {
        let are_there = told.iter().all(|path| is_newer(path, since).is_some());
        return are_there.then(|| told.iter().cloned().collect());
    }
    let files = &read.files;
    let newer: Option<Vec<&String>> = files
        .par_iter()
        .with_min_len(64)
        .filter_map(|id| match is_newer(parts_of(id).1, since) {
            Some(false) => None,
            newer => Some(newer.map(|_| id)),
        })
        .collect();
    Some(newer?.into_iter().chain(told).cloned().collect())
}

impl Kept {
    /// The modules of code that have changed: those that are told, and those whose files are newer than the build. `None` if another
    /// module has, one is gone, too many have, or settings have.
    fn changes(&self, told: &[String]) -> Option<Vec<String>> {
        let options = &self.shared.options;
        let files = &self.read.files;
        let changed = edits(&self.read, options, self.begun, told)?;
        let seen = lock(&self.shared.seen);
        let is_code = |id: &String| seen.get(id).and_then(|seen| seen.loader).is_some_and(is_code);
        // A file that is code and something else, too, is two modules.
        let has_one_form = |id: &String| files.iter().filter(|file| parts_of(file).1 == id.as_str()).count() == 1;
        let is_edit = !changed.is_empty() && changed.len() <= MOST_CHANGES;
        (is_edit && changed.iter().all(|id| is_code(id) && has_one_form(id))).then(|| changed.into_iter().collect())
    }

    /// What some modules import.
    fn imports_of(&self, ids: &[String]) -> FxHashSet<String> {
        let seen = lock(&self.shared.seen);
        let modules = ids.iter().filter_map(|id| seen.get(id));
        modules.flat_map(|seen| seen.imports.iter().chain(&seen.dynamic)).cloned().collect()
    }

    /// The bundler knows the build by its plugin: without this neither would ever go.
    fn discard(&self) {
        job::drop_later(false, self.shared.again.take());
    }
}

/// Keeps a build that has succeeded for the next one, if it may be taken up again. `begun` is when it has begun.
pub(crate) fn keep(shared: &Arc<Shared>, entries: &[Entry], relay: &Arc<Relay>, begun: SystemTime) {
    if !shared.again.is_kept() {
        return;
    }
    let read = Read::of(shared, None);
    let kept = Kept { shared: shared.clone(), entries: entries.to_vec(), relay: relay.clone(), begun, read };
    if is_plain(shared) && !has_found(shared) {
        *lock(&KEPT) = Some(kept);
    } else {
        kept.discard();
    }
}

/// Takes the last build up again: `told` are the paths of files that have changed since. `None` if it cannot be, has failed, or
/// imports less than before: all has to be built then, which also tells what is wrong, and what is no part of the build any more.
pub(crate) async fn again(told: &[String], hooks: &Arc<dyn Hooks>) -> Option<Built> {
    let kept = lock(&KEPT).take()?;
    let begun = SystemTime::now();
    let Some(changed) = kept.changes(told) else {
        kept.discard();
        return None;
    };
    let before = kept.imports_of(&changed);
    *lock(&kept.relay.0) = hooks.clone();
    *lock(&kept.shared.again.changed) = changed.iter().map(|path| ArcStr::from(path.as_str())).collect();
    let built = job::attempt(kept.shared.clone(), kept.entries.clone()).await;
    if !built.is_success() || has_found(&kept.shared) || !before.is_subset(&kept.imports_of(&changed)) {
        kept.discard();
        return None;
    }
    keep(&kept.shared, &kept.entries, &kept.relay, begun);
    Some(built)
}
