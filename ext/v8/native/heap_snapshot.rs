//! Heap snapshots in V8's format (what Chrome's developer tools load), of the engine's own graph.
//!
//! Ids are numbers of one snapshot: cells have none that stays. Numbers are no cells here, so they are not in it.

use std::collections::HashMap;
use std::fmt::Write;

use engine::{CellKind, HeapGraph, Scope, op};

/// Names of node types, in the order of their numbers.
const NODE_TYPES: [&str; 15] = [
    "hidden",
    "array",
    "string",
    "object",
    "code",
    "closure",
    "regexp",
    "number",
    "native",
    "synthetic",
    "concatenated string",
    "sliced string",
    "symbol",
    "bigint",
    "object shape",
];
const HIDDEN: usize = 0;
const SYNTHETIC: usize = 9;

const EDGE_TYPES: [&str; 7] = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"];
const CONTEXT: usize = 0;
const ELEMENT: usize = 1;
const PROPERTY: usize = 2;
const INTERNAL: usize = 3;
const SHORTCUT: usize = 5;

const NODE_FIELDS: usize = 6;

/// Texts of a snapshot, each once.
#[derive(Default)]
struct Strings<'g> {
    numbers: HashMap<std::borrow::Cow<'g, str>, usize>,
}

impl<'g> Strings<'g> {
    fn number(&mut self, text: impl Into<std::borrow::Cow<'g, str>>) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(text.into()).or_insert(next)
    }

    /// In the order of their numbers.
    fn sorted(&self) -> Vec<&str> {
        let mut list = vec![""; self.numbers.len()];
        for (text, number) in &self.numbers {
            list[*number] = text;
        }
        list
    }
}

fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The end of the first edge of that name.
fn follow(graph: &HeapGraph, cell: usize, name: &str) -> Option<usize> {
    graph.edges[graph.cells[cell].edges.clone()].iter().find(|edge| graph.names[edge.name] == name).map(|edge| edge.to)
}

/// The name of the function that is `constructor` of the prototype of `cell`, as V8 calls objects.
fn constructor_name(graph: &HeapGraph, cell: usize) -> Option<&str> {
    let prototype = follow(graph, follow(graph, follow(graph, cell, "shape")?, "base")?, "baseshape_proto")?;
    let constructor = &graph.cells[follow(graph, prototype, "constructor")?];
    (constructor.kind == CellKind::Function && !constructor.name.is_empty()).then_some(constructor.name.as_str())
}

/// Type and name of a node.
fn describe(graph: &HeapGraph, number: usize, internals: bool) -> (usize, &str) {
    let cell = &graph.cells[number];
    let name = cell.name.as_str();
    match cell.kind {
        // Names of classes with a capital letter are the program's or the language's; the others are the engine's own.
        CellKind::Object if name == "Object" => (3, constructor_name(graph, number).unwrap_or("Object")),
        CellKind::Object => (3, name),
        CellKind::Function => (5, name),
        CellKind::String if name.starts_with("<rope: ") => (10, name),
        CellKind::String => (2, name),
        CellKind::Substring => (11, name),
        CellKind::Symbol => (12, name),
        CellKind::BigInt => (13, name),
        _ if !internals => (HIDDEN, "system"),
        CellKind::RegExp => (6, name),
        CellKind::Script | CellKind::Code => (4, name),
        CellKind::Shape => (14, name),
        CellKind::Internal => (HIDDEN, name),
    }
}

/// Type of an edge of the cell `from`, and the index where it is one of an element.
fn classify(graph: &HeapGraph, from: usize, name: &str, to: usize) -> (usize, Option<u64>) {
    if let Some(index) = name.strip_prefix("objectElements[").and_then(|rest| rest.strip_suffix(']')) {
        return index.parse().map_or((INTERNAL, None), |index| (ELEMENT, Some(index)));
    }
    let source = &graph.cells[from];
    let is_object = matches!(source.kind, CellKind::Object | CellKind::Function);
    let is_visible = !matches!(
        graph.cells[to].kind,
        CellKind::Shape | CellKind::Internal | CellKind::Script | CellKind::Code | CellKind::RegExp
    );
    if !is_object || !is_visible || name.starts_with("**") {
        return (INTERNAL, None);
    }
    if matches!(source.name.as_str(), "Call" | "LexicalEnvironment" | "ModuleEnvironmentObject") {
        return (CONTEXT, None);
    }
    (PROPERTY, None)
}

fn list(out: &mut String, items: &[&str]) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push_json_string(out, item);
    }
    out.push(']');
}

/// The snapshot of `graph` as JSON. Without `internals`, what only the engine sees has no names.
fn snapshot(graph: &HeapGraph, internals: bool) -> String {
    let mut strings = Strings::default();
    let (mut nodes, mut edges) = (String::new(), String::new());
    let mut count = 0usize;
    let mut edge = |edges: &mut String, kind: usize, name: usize, to: usize| {
        let comma = if count == 0 { "" } else { ",\n" };
        count += 1;
        let _ = write!(edges, "{comma}{kind},{name},{}", to * NODE_FIELDS);
    };
    // The first node is the root; the second holds what the engine keeps alive. Cells come after them.
    let globals: Vec<usize> = graph
        .roots
        .iter()
        .map(|root| root.to)
        .filter(|to| graph.cells[*to].kind == CellKind::Object && graph.cells[*to].name == "global")
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let empty = strings.number("");
    let roots = strings.number("(GC roots)");
    let _ = write!(nodes, "{SYNTHETIC},{empty},1,0,{},0", 1 + globals.len());
    let _ = write!(nodes, ",\n{SYNTHETIC},{roots},3,0,{},0", graph.roots.len());
    let global = strings.number("global");
    for to in &globals {
        edge(&mut edges, SHORTCUT, global, to + 2);
    }
    edge(&mut edges, ELEMENT, 1, 1);
    for root in &graph.roots {
        let name = strings.number(graph.names[root.name].as_str());
        edge(&mut edges, INTERNAL, name, root.to + 2);
    }
    for (number, cell) in graph.cells.iter().enumerate() {
        let (kind, name) = describe(graph, number, internals);
        let name = strings.number(name);
        let _ = write!(nodes, ",\n{kind},{name},{},{},{},0", number * 2 + 5, cell.size, cell.edges.len());
        for one in &graph.edges[cell.edges.clone()] {
            let name = graph.names[one.name].as_str();
            let (kind, index) = classify(graph, number, name, one.to);
            let name = index.map_or_else(|| strings.number(name), |index| index as usize);
            edge(&mut edges, kind, name, one.to + 2);
        }
    }
    let mut out = String::with_capacity(nodes.len() + edges.len() + (1 << 16));
    out.push_str(
        "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],\"node_types\":[",
    );
    list(&mut out, &NODE_TYPES);
    out.push_str(
        ",\"string\",\"number\",\"number\",\"number\",\"number\"],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[",
    );
    list(&mut out, &EDGE_TYPES);
    out.push_str(
        ",\"string_or_number\",\"node\"],\
         \"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\",\"column\"],\
         \"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"],\
         \"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],\
         \"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]}",
    );
    let _ = write!(
        out,
        ",\"node_count\":{},\"edge_count\":{count},\"trace_function_count\":0,\"extra_native_bytes\":0}},\n\"nodes\":[",
        graph.cells.len() + 2
    );
    out.push_str(&nodes);
    out.push_str("],\n\"edges\":[");
    out.push_str(&edges);
    out.push_str(
        "],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n\"strings\":",
    );
    list(&mut out, &strings.sorted());
    out.push_str("}\n");
    out
}

/// Everything in this thread's heap, as the text of a `.heapsnapshot` file. `internals`: with the names of what only the engine sees.
#[op]
pub(crate) fn heap_snapshot(scope: &mut Scope<'_>, internals: bool) -> String {
    scope.gc(engine::GcKind::Full);
    let graph = scope.heap_graph();
    snapshot(&graph, internals)
}

/// The name that a cell is counted under: the class of an object, "string" and the like; `None` for what only the engine sees.
fn type_name(graph: &HeapGraph, number: usize) -> Option<&str> {
    Some(match graph.cells[number].kind {
        CellKind::Object => describe(graph, number, false).1,
        CellKind::Function => "Function",
        CellKind::String | CellKind::Substring => "string",
        CellKind::Symbol => "symbol",
        CellKind::BigInt => "BigInt",
        _ => return None,
    })
}

fn counted<'g>(graph: &'g HeapGraph, cells: impl Iterator<Item = usize>) -> Vec<(String, f64)> {
    let mut counts: HashMap<&'g str, f64> = HashMap::new();
    for name in cells.filter_map(|number| type_name(graph, number)) {
        *counts.entry(name).or_default() += 1.0;
    }
    let mut list: Vec<(String, f64)> = counts.into_iter().map(|(name, count)| (name.to_string(), count)).collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    list
}

/// What lives after a full collection, by the names of classes and the most frequent first: everything, and what native code
/// holds on to.
#[op]
pub(crate) fn heap_type_counts(scope: &mut Scope<'_>) -> (Vec<(String, f64)>, Vec<(String, f64)>) {
    scope.gc(engine::GcKind::Full);
    let graph = scope.heap_graph();
    let held: std::collections::BTreeSet<usize> = graph.roots.iter().map(|root| root.to).collect();
    (counted(&graph, 0..graph.cells.len()), counted(&graph, held.into_iter()))
}
