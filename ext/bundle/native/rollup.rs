//! What plugins of Rollup ask about the modules of a build, and `this.parse`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bundle::{Graph, NewChunk};
use engine::{OpError, Scope, op};
use runtime_core::RuntimeState;
use runtime_core::event_loop::Inbox;
use serde_json::{Value, json};

use crate::{call, threads};

/// The graphs of builds whose plugins may still ask, the newest last: entry points that are bundled apart have one each.
static GRAPHS: Mutex<Option<HashMap<u32, Vec<Graph>>>> = Mutex::new(None);

fn with_graphs<T>(act: impl FnOnce(&mut HashMap<u32, Vec<Graph>>) -> T) -> T {
    act(GRAPHS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Makes a graph known to the plugins of a build.
pub(crate) fn begin(build: u32, graph: Graph) {
    with_graphs(|graphs| graphs.entry(build).or_default().push(graph));
}

fn graphs_of(build: u32) -> Vec<Graph> {
    with_graphs(|graphs| graphs.get(&build).cloned().unwrap_or_default())
}

fn newest(build: u32) -> Result<Graph, OpError> {
    graphs_of(build).pop().ok_or_else(|| OpError::error("the build has not begun or has ended"))
}

/// What is known of a module of a build, as JSON (see `Graph::module_info`); null if it is none of it.
#[op]
pub(crate) fn module_info(build: u32, id: String) -> Option<String> {
    graphs_of(build).iter().rev().find_map(|graph| graph.module_info(&id)).map(|info| info.to_string())
}

/// The code of a module of a build; null as long as it has not been parsed.
#[op]
pub(crate) fn module_code(build: u32, id: String) -> Option<String> {
    graphs_of(build).iter().rev().find_map(|graph| graph.module_code(&id))
}

/// The ids of all modules of a build that are known.
#[op]
pub(crate) fn module_ids(build: u32) -> Vec<String> {
    let mut ids: Vec<String> = graphs_of(build).iter().flat_map(Graph::module_ids).collect();
    ids.sort();
    ids.dedup();
    ids
}

/// Adds a chunk to a build and gives its reference. `chunk` is JSON: `{ id, importer, name, fileName, signature }`.
///
/// # Errors
/// The modules have all been read, or the build has ended.
#[op]
pub(crate) fn emit_chunk(build: u32, chunk: String) -> Result<String, OpError> {
    let chunk: Value = serde_json::from_str(&chunk).map_err(|error| OpError::type_error(error.to_string()))?;
    let text = |name: &str| chunk[name].as_str().map(String::from);
    let chunk = NewChunk {
        id: text("id").unwrap_or_default(),
        importer: text("importer"),
        name: text("name"),
        file_name: text("fileName"),
        signature: text("signature"),
    };
    newest(build)?.emit_chunk(chunk).map_err(OpError::error)
}

/// Makes the name of a file known to a build and gives its reference.
///
/// # Errors
/// A name that no file may have; the build has ended.
#[op]
pub(crate) fn emit_asset(build: u32, file_name: String) -> Result<String, OpError> {
    newest(build)?.emit_asset(file_name).map_err(OpError::error)
}

/// The name of the file of a reference that [`emit_chunk`] or [`emit_asset`] has given.
///
/// # Errors
/// A reference that is none, and a chunk that has no name yet.
#[op]
pub(crate) fn emitted_name(build: u32, reference: String) -> Result<String, OpError> {
    let mut failure = "the build has not begun or has ended".to_string();
    for graph in graphs_of(build).iter().rev() {
        match graph.file_name(&reference) {
            Ok(name) => return Ok(name),
            Err(text) => failure = text,
        }
    }
    Err(OpError::error(failure))
}

/// Calls `ask(ticket, "told", answer)` of a build, JSON: `{ value }` or `{ error }`.
fn tell(inbox: &Inbox, build: u32, ticket: u32, answer: Result<Value, String>) {
    let text = match answer {
        Ok(value) => json!({ "value": value }),
        Err(error) => json!({ "error": error }),
    };
    call(inbox, build, ticket, "told", vec![text.to_string()]);
}

/// Reads a module of a build, `with_imports` also until its imports have been resolved; `ask(ticket, "told", answer)` is called then.
///
/// # Errors
/// The build has ended.
#[op]
pub(crate) fn load_module(
    scope: &mut Scope<'_>,
    build: u32,
    ticket: u32,
    id: String,
    side_effects: Option<bool>,
    with_imports: bool,
) -> Result<(), OpError> {
    let graph = newest(build)?;
    let inbox = RuntimeState::of(scope).event_loop.inbox.clone();
    threads()?.spawn(async move {
        let answer = graph.load(&id, side_effects, with_imports).await.map(|()| Value::Null);
        tell(&inbox, build, ticket, answer);
    });
    Ok(())
}

/// Looks where a specifier leads by all but plugins; `ask(ticket, "told", answer)` is called with `{ id, external }` or null.
///
/// # Errors
/// The build has ended.
#[op]
pub(crate) fn resolve_module(
    scope: &mut Scope<'_>,
    build: u32,
    ticket: u32,
    specifier: String,
    importer: Option<String>,
    is_entry: bool,
) -> Result<(), OpError> {
    let graph = newest(build)?;
    let inbox = RuntimeState::of(scope).event_loop.inbox.clone();
    threads()?.spawn(async move {
        let answer = graph.resolve(&specifier, importer.as_deref(), is_entry).await;
        tell(&inbox, build, ticket, answer.map(|found| found.unwrap_or(Value::Null)));
    });
    Ok(())
}

/// Lets go of the modules of a build: nobody asks any more.
#[op]
pub(crate) fn release_modules(build: u32) {
    drop(with_graphs(|graphs| graphs.remove(&build)));
}

/// The syntax tree of JavaScript by the standard ESTree, as JSON: `{ tree, fixes }`, where `fixes` leads to the values of bigints and
/// regular expressions, which JSON has not; or `{ error, start }` about a text that is none, with its place in UTF-16 code units.
/// `jsx` and `is_return_allowed` are Rollup's options.
#[op]
pub(crate) fn parse_module(code: String, jsx: bool, is_return_allowed: bool) -> String {
    bundle::estree(&code, jsx, is_return_allowed)
}
