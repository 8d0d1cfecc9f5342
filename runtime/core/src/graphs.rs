//! `Bun.ModuleGraph`: further instances of the program's modules in its realm. Each has a module map of its own, its own main module and
//! names of its own; built-in modules, the resolver and source maps are those of the program. ext/module/graph.ts has what a graph opens.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use engine::{CompileOptions, JsResult, Local, Scope};
use resolve::Kind;

use crate::builtins;
use crate::modules;
use crate::source;
use crate::state::RuntimeState;

/// One graph.
struct Graph {
    by_key: HashMap<String, u32>,
    records: Vec<u32>,
    main: Option<Arc<str>>,
    names: Rc<[String]>,
}

/// The graphs of a thread. A graph's number is above 0, which stands for the program itself.
#[derive(Default)]
pub(crate) struct Graphs {
    last: u32,
    /// The graph whose modules are looked up now.
    current: u32,
    /// Those that are not disposed.
    alive: HashMap<u32, Graph>,
    /// The graphs of records.
    of_record: HashMap<u32, u32>,
}

impl Graphs {
    /// Whether the modules of a graph are looked up now, and not those of the program.
    pub(crate) fn is_inside(&self) -> bool {
        self.current != 0
    }

    /// The graph of a record; 0 for the program's.
    pub(crate) fn of_record(&self, number: u32) -> u32 {
        self.of_record.get(&number).copied().unwrap_or(0)
    }

    /// Whether any graph has been disposed.
    pub(crate) fn has_disposed(&self) -> bool {
        self.last as usize != self.alive.len()
    }

    pub(crate) fn is_disposed(&self, graph: u32) -> bool {
        graph != 0 && !self.alive.contains_key(&graph)
    }

    /// Enters a new record in the graph that is current; false if that is the program.
    pub(crate) fn add(&mut self, number: u32, key: Option<&str>) -> bool {
        if self.current == 0 {
            return false;
        }
        self.of_record.insert(number, self.current);
        if let Some(graph) = self.alive.get_mut(&self.current) {
            graph.records.push(number);
            if let Some(key) = key {
                graph.by_key.insert(key.to_owned(), number);
            }
        }
        true
    }

    /// The record with a key in the graph that is current.
    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        self.alive.get(&self.current)?.by_key.get(key).copied()
    }

    /// The path of the current graph's main module.
    pub(crate) fn main(&self) -> Option<&Arc<str>> {
        self.alive.get(&self.current)?.main.as_ref()
    }

    /// Ends a graph; its records.
    pub(crate) fn dispose(&mut self, graph: u32) -> Vec<u32> {
        self.alive.remove(&graph).map(|graph| graph.records).unwrap_or_default()
    }

    /// The names of the current graph.
    fn names(&self) -> Option<Rc<[String]>> {
        let names = &self.alive.get(&self.current)?.names;
        (!names.is_empty()).then(|| names.clone())
    }
}

/// Looks modules up in a graph, or with 0 in the program, while `work` runs.
pub fn within<R>(state: &RuntimeState, graph: u32, work: impl FnOnce() -> R) -> R {
    let before = std::mem::replace(&mut state.modules.borrow_mut().graphs.current, graph);
    let result = work();
    state.modules.borrow_mut().graphs.current = before;
    result
}

/// The names that modules which are loaded now have beside the global object's.
pub fn names(state: &RuntimeState) -> Option<Rc<[String]>> {
    state.modules.borrow().graphs.names()
}

/// Makes a graph with names of its own, which are identifiers; its number.
pub fn create(state: &RuntimeState, names: Vec<String>) -> u32 {
    let graphs = &mut state.modules.borrow_mut().graphs;
    graphs.last += 1;
    graphs
        .alive
        .insert(graphs.last, Graph { by_key: HashMap::new(), records: Vec::new(), main: None, names: names.into() });
    graphs.last
}

/// The number of the current graph; 0 for the program.
pub fn current_number(state: &RuntimeState) -> u32 {
    state.modules.borrow().graphs.current
}

/// The same for TypeScript.
pub(crate) fn current<'s>(scope: &mut Scope<'s>, state: &RuntimeState) -> Local<'s> {
    let graph = current_number(state);
    scope.number(f64::from(graph))
}

/// The number of a record's graph for TypeScript.
pub(crate) fn of_record<'s>(scope: &mut Scope<'s>, state: &RuntimeState, number: u32) -> Local<'s> {
    let graph = state.modules.borrow().graphs.of_record(number);
    scope.number(f64::from(graph))
}

/// An import in code of a graph that was disposed: an error, or a promise that is never settled for what the graph left behind.
pub(crate) fn refuse<'s>(scope: &mut Scope<'s>, graph: u32) -> JsResult<Local<'s>> {
    let graph = scope.number(f64::from(graph));
    builtins::call(scope, "internal/module/graph", "refuseImport", &[graph])
}

/// The module that gives a graph's modules its names, see [`source::add_graph_scope`].
pub(crate) fn scope_module<'s>(scope: &mut Scope<'s>, state: &RuntimeState) -> JsResult<Local<'s>> {
    if let Some(module) = modules::existing(scope, state, source::GRAPH_SCOPE) {
        return Ok(module);
    }
    let graph = current(scope, state);
    let values = builtins::call(scope, "internal/module/graph", "globalsOf", &[graph])?;
    let name: Arc<str> = source::GRAPH_SCOPE.into();
    modules::wrap_exports(scope, state, source::GRAPH_SCOPE.into(), &name, name.clone(), values)
}

/// Calls the function of the current graph's names that stands around code of its modules; gives the code back if the graph has none.
pub fn call_with_names<'s>(scope: &mut Scope<'s>, state: &RuntimeState, function: Local<'s>) -> JsResult<Local<'s>> {
    let Some(names) = names(state) else { return Ok(function) };
    let graph = current(scope, state);
    let values = builtins::call(scope, "internal/module/graph", "globalsOf", &[graph])?;
    let mut arguments = Vec::with_capacity(names.len());
    for name in names.iter() {
        arguments.push(scope.get(values, name)?);
    }
    scope.call_function(function, &arguments)
}

/// `import()` of a graph by the program: the promise of the namespace. The first file that is imported is the graph's main module.
///
/// # Errors
/// The engine's; that of a module that is not found rejects the promise.
pub fn import<'s>(scope: &mut Scope<'s>, state: &RuntimeState, graph: u32, specifier: &str) -> JsResult<Local<'s>> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let importer = format!("{}/[module-graph]", cwd.display());
    let resolved = state.modules.borrow_mut().resolve(&state.options, specifier, &importer, Kind::Import);
    if let Ok(resolution) = resolved
        && let Some(file) = resolution.file()
        && let Some(graph) = state.modules.borrow_mut().graphs.alive.get_mut(&graph)
    {
        graph.main.get_or_insert_with(|| file.path.clone());
    }
    let number = within(state, graph, || state.modules.borrow_mut().referrer(&importer));
    let stencil =
        scope.compile_script("(specifier) => import(specifier)", &CompileOptions::new("internal/module/graph"))?;
    let function = scope.run_script(&stencil, Some(number))?;
    let specifier = scope.string(specifier)?;
    scope.call_function(function, &[specifier])
}

/// The path of the main module of a graph.
pub fn main_of(state: &RuntimeState, graph: u32) -> Option<Arc<str>> {
    state.modules.borrow().graphs.alive.get(&graph)?.main.clone()
}
