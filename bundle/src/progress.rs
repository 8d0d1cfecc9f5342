//! Which modules of a build are still to come, for plugins that wait for all others (`defer()` of `onLoad`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

/// How long nothing may happen before modules that nobody loads count as loaded: what an index file passes on is known and
/// not always read, which rolldown tells nobody. Work that is under way is counted, and nothing is quiet as long as there is some.
const QUIET: Duration = Duration::from_millis(200);

/// The same while texts are there that have not been parsed: rolldown is silent about those with a syntax error, too.
const QUIET_WHILE_PARSING: Duration = Duration::from_secs(2);

type Callback = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    /// Ids of modules that something imports.
    known: FxHashSet<String>,
    /// Ids of modules that have been parsed, or are none of the build's.
    settled: FxHashSet<String>,
    /// Ids of modules whose text is awaited.
    loading: FxHashSet<String>,
    /// Ids of modules whose text is there.
    parsing: FxHashSet<String>,
    /// How many specifiers are being resolved: each may lead to a further module.
    resolving: usize,
    /// Modules whose plugins wait, with what wakes them.
    waiting: Vec<(String, Callback)>,
    last: Option<Instant>,
    is_watched: bool,
}

impl State {
    fn is_waiting(&self, id: &str) -> bool {
        self.waiting.iter().any(|(waiting, _)| waiting == id)
    }

    fn is_quiet(&self) -> bool {
        let needed = if self.parsing.is_empty() { QUIET } else { QUIET_WHILE_PARSING };
        self.resolving == 0
            && self.last.is_none_or(|last| last.elapsed() >= needed)
            && self.loading.iter().all(|id| self.is_waiting(id))
    }

    /// What can be woken now.
    fn take_ready(&mut self) -> Vec<Callback> {
        if self.waiting.is_empty() || self.known.iter().any(|id| !self.settled.contains(id) && !self.is_waiting(id)) {
            return Vec::new();
        }
        std::mem::take(&mut self.waiting).into_iter().map(|(_, callback)| callback).collect()
    }
}

/// The modules of one build.
#[derive(Default)]
pub(crate) struct Progress(Mutex<State>);

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.lock();
        f.debug_struct("Progress").field("known", &state.known.len()).field("settled", &state.settled.len()).finish()
    }
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A specifier is being resolved, until what this gives is dropped.
    pub(crate) fn resolve(&self) -> Resolving<'_> {
        self.lock().resolving += 1;
        Resolving(self)
    }

    /// A module's text is asked for.
    pub(crate) fn begin(&self, id: &str) {
        let mut state = self.lock();
        state.known.insert(id.to_string());
        state.loading.insert(id.to_string());
        state.last = Some(Instant::now());
    }

    /// A module's text is there, and is parsed now.
    pub(crate) fn loaded(&self, id: &str) {
        let mut state = self.lock();
        state.loading.remove(id);
        state.parsing.insert(id.to_string());
        state.last = Some(Instant::now());
    }

    /// A module's text cannot be had, or is wrong.
    pub(crate) fn failed(&self, id: &str) {
        self.lock().loading.remove(id);
        self.parsed(id, std::iter::empty());
    }

    /// A module has been parsed, and imports others.
    pub(crate) fn parsed<'i>(&self, id: &str, imports: impl Iterator<Item = &'i str>) {
        let mut state = self.lock();
        state.known.extend(imports.map(str::to_string));
        state.parsing.remove(id);
        state.settled.insert(id.to_string());
        state.last = Some(Instant::now());
        let ready = state.take_ready();
        drop(state);
        ready.into_iter().for_each(|callback| callback());
    }

    /// An id that no module has: an import that stays.
    pub(crate) fn is_outside(&self, id: &str) {
        self.lock().settled.insert(id.to_string());
    }
}

/// A specifier that is being resolved.
#[derive(Debug)]
pub(crate) struct Resolving<'p>(&'p Progress);

impl Drop for Resolving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.resolving -= 1;
        state.last = Some(Instant::now());
    }
}

/// What a plugin that loads a module can wait for.
#[derive(Debug, Clone)]
pub struct Deferral {
    progress: Arc<Progress>,
    id: String,
}

impl Deferral {
    pub(crate) fn new(progress: Arc<Progress>, id: &str) -> Deferral {
        Deferral { progress, id: id.to_string() }
    }

    /// Calls `callback` when all modules have been parsed but those whose plugins wait. Needs tokio's runtime.
    pub fn wait(&self, callback: impl FnOnce() + Send + 'static) {
        let mut state = self.progress.lock();
        state.waiting.push((self.id.clone(), Box::new(callback)));
        state.last = Some(Instant::now());
        let ready = state.take_ready();
        let watch = ready.is_empty() && !std::mem::replace(&mut state.is_watched, true);
        drop(state);
        ready.into_iter().for_each(|callback| callback());
        if watch {
            let progress = self.progress.clone();
            tokio::spawn(async move { progress.watch().await });
        }
    }
}

impl Progress {
    /// Wakes what waits when nothing has happened for a while.
    async fn watch(&self) {
        loop {
            tokio::time::sleep(QUIET).await;
            let mut state = self.lock();
            if !state.waiting.is_empty() && !state.is_quiet() {
                continue;
            }
            state.is_watched = false;
            let ready = std::mem::take(&mut state.waiting);
            drop(state);
            ready.into_iter().for_each(|(_, callback)| callback());
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[tokio::test]
    async fn a_plugin_waits_for_all_others() {
        let progress = Arc::new(Progress::default());
        progress.begin("a");
        progress.begin("late");
        let woken = Arc::new(AtomicBool::new(false));
        let flag = woken.clone();
        Deferral::new(progress.clone(), "late").wait(move || flag.store(true, Ordering::Relaxed));
        progress.parsed("a", ["b", "fs"].into_iter());
        progress.is_outside("fs");
        assert!(!woken.load(Ordering::Relaxed));
        progress.parsed("b", std::iter::empty());
        assert!(woken.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn a_module_that_fails_keeps_nobody_waiting() {
        let progress = Arc::new(Progress::default());
        progress.begin("wrong");
        progress.begin("late");
        let woken = Arc::new(AtomicBool::new(false));
        let flag = woken.clone();
        Deferral::new(progress.clone(), "late").wait(move || flag.store(true, Ordering::Relaxed));
        assert!(!woken.load(Ordering::Relaxed));
        progress.failed("wrong");
        assert!(woken.load(Ordering::Relaxed));
    }

    #[test]
    fn nothing_is_quiet_while_a_specifier_is_being_resolved() {
        let progress = Progress::default();
        let first = progress.resolve();
        let second = progress.resolve();
        drop(first);
        progress.lock().last = None;
        assert!(!progress.lock().is_quiet());
        drop(second);
        progress.lock().last = None;
        assert!(progress.lock().is_quiet());
    }
}
