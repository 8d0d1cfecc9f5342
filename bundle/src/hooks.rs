//! What a build asks of its plugins. The plugins are JavaScript; ext/bundle carries the questions to their thread.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use rolldown_utils::js_regex::HybridRegex;
use serde_json::Value;

use crate::graph::Graph;
use crate::messages::Message;
use crate::options::{Filter, Loader};
pub use crate::progress::Deferral;

/// An answer that comes later; the error is the plugin's own text.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send>>;

/// Where a specifier leads, by `onResolve`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved {
    pub path: String,
    /// `file` if it is empty.
    pub namespace: String,
    pub external: bool,
    pub side_effects: Option<bool>,
}

/// The text of a module, by `onLoad`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    pub contents: Vec<u8>,
    pub loader: Option<Loader>,
    /// Whether the module does something when it runs, if the plugin says.
    pub side_effects: Option<bool>,
}

/// Code that a plugin has changed, by Rollup's `transform` and `renderChunk`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub code: String,
    /// The source maps of the changes in their order, as JSON; empty if positions are as before or nobody knows.
    pub maps: Vec<String>,
    /// What the code is now, if the plugin says.
    pub loader: Option<Loader>,
    /// Whether the module does something when it runs, if the plugin says.
    pub side_effects: Option<bool>,
}

/// What became of the macros of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expanded {
    /// There are none.
    None,
    /// The text with the results in it.
    Text(String),
    /// The first that has failed.
    Failed(Message),
}

/// Reads the bytes of a module; the error has been told.
pub type Fetch<'a> = dyn FnMut() -> Result<Vec<u8>, ()> + 'a;

/// What native plugins have said about a module.
#[derive(Debug, Default)]
pub struct Prepared {
    /// What the module is now; `None` if it is as it was.
    pub loaded: Option<Loaded>,
    pub messages: Vec<Message>,
    /// Whether the module could not be read when a plugin has asked for it.
    pub is_unreadable: bool,
}

/// The plugins of a build, and its macros.
pub trait Hooks: Debug + Send + Sync {
    /// Asks where a specifier leads; `None` if no plugin says.
    ///
    /// `importer` is a path (empty for entry points) in `namespace`; `kind` is Bun's name of the way of the import.
    fn resolve(&self, specifier: &str, importer: &str, namespace: &str, kind: &'static str)
    -> Answer<Option<Resolved>>;
    /// Asks for the text of a module; `None` if no plugin says. `loader` is what its extension stands for. `deferral` is for
    /// a plugin that waits for all other modules before it answers.
    fn load(&self, path: &str, namespace: &str, loader: Loader, deferral: Deferral) -> Answer<Option<Loaded>>;
    /// Gives a module to native plugins before it is parsed, on this thread: those of `which`, by their places among
    /// `before_parse_filters`, until one has changed it. `fetch` is called at most once.
    fn before_parse(
        &self,
        which: &[usize],
        path: &str,
        namespace: &str,
        loader: Loader,
        fetch: &mut Fetch<'_>,
    ) -> Prepared;
    /// Gives the text of a module to be changed; `None` if it stays. `loader` is what it is before.
    fn transform(&self, path: &str, namespace: &str, code: String, loader: Loader) -> Answer<Option<Changed>>;
    /// Gives a chunk to be changed, which `chunk` describes as JSON in Rollup's form; `None` if it stays.
    fn render_chunk(&self, code: String, chunk: String) -> Answer<Option<Changed>>;
    /// Tells that a bundle begins, about whose modules plugins of Rollup may ask from now on.
    fn begin(&self, graph: Graph);
    /// Calls a hook of Rollup's plugins by its name, with what it is about; `None` if none of them answers.
    fn call(&self, hook: &'static str, about: Value) -> Answer<Option<Value>>;
    /// Makes the calls of macros in the text of a module.
    fn expand_macros(&self, path: &str, text: &str, loader: Loader) -> Answer<Expanded>;
}

/// Filters, compiled.
#[derive(Debug, Default)]
pub(crate) struct Filters(Vec<(HybridRegex, Option<String>)>);

impl Filters {
    /// # Errors
    /// The text of the engine of regular expressions about one that it cannot read.
    pub(crate) fn new(filters: &[Filter]) -> Result<Filters, String> {
        let compile = |filter: &Filter| {
            // What a flag changes about a test without a position: case, lines, dots, Unicode.
            let flags: String = filter.flags.chars().filter(|flag| "imsu".contains(*flag)).collect();
            HybridRegex::with_flags(&filter.source, &flags)
                .map(|regex| (regex, filter.namespace.clone()))
                .map_err(|error| format!("the filter /{}/{} cannot be read: {error}", filter.source, filter.flags))
        };
        filters.iter().map(compile).collect::<Result<_, _>>().map(Filters)
    }

    /// Whether a plugin wants to be asked about a text in a namespace.
    pub(crate) fn match_any(&self, text: &str, namespace: &str) -> bool {
        self.matching(text, namespace).next().is_some()
    }

    /// The places of the filters by which plugins want to be asked about a text in a namespace.
    pub(crate) fn matching(&self, text: &str, namespace: &str) -> impl Iterator<Item = usize> {
        let accepts = move |(regex, wanted): &(HybridRegex, Option<String>)| {
            wanted.as_deref().is_none_or(|wanted| wanted == namespace || (wanted.is_empty() && namespace == "file"))
                && regex.matches(text)
        };
        self.0.iter().enumerate().filter(move |(_, filter)| accepts(filter)).map(|(place, _)| place)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
