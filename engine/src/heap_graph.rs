//! The graph of everything in the heap: its cells, and what refers to what by which name.

use std::collections::HashMap;
use std::ffi::c_void;

use crate::bindings::DumpHeap;
use crate::handles::Scope;

/// What a cell is, by the words that the engine has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    Object,
    Function,
    String,
    /// A piece of another string.
    Substring,
    Symbol,
    BigInt,
    RegExp,
    Script,
    Code,
    Shape,
    /// Anything else that only the engine sees.
    Internal,
}

/// One cell.
#[derive(Debug, Clone)]
pub struct HeapCell {
    pub kind: CellKind,
    /// The class of an object, the name of a function, the characters of a string (not more than some 32,000), else what the engine calls it.
    pub name: String,
    /// Bytes, with what belongs to the cell outside of the heap.
    pub size: u64,
    /// Its edges in [`HeapGraph::edges`].
    pub edges: std::ops::Range<usize>,
}

/// From one cell to another.
#[derive(Debug, Clone, Copy)]
pub struct HeapEdge {
    /// In [`HeapGraph::names`].
    pub name: usize,
    /// In [`HeapGraph::cells`].
    pub to: usize,
}

/// See [`Scope::heap_graph`].
#[derive(Debug, Default)]
pub struct HeapGraph {
    pub cells: Vec<HeapCell>,
    pub edges: Vec<HeapEdge>,
    /// What is alive by itself.
    pub roots: Vec<HeapEdge>,
    /// Names of edges, each once.
    pub names: Vec<String>,
}

unsafe extern "C" fn size_of_allocation(pointer: *const c_void) -> usize {
    // SAFETY: the engine asks for blocks of malloc only.
    unsafe { libc::malloc_usable_size(pointer.cast_mut()) }
}

impl Scope<'_> {
    /// Everything in the heap. Empty where there is no memory for the engine's description of it, some 100 bytes for an edge.
    pub fn heap_graph(&mut self) -> HeapGraph {
        let mut text: *mut libc::c_char = std::ptr::null_mut();
        let mut length = 0;
        // SAFETY: the stream writes to both until it is closed.
        unsafe {
            let stream = libc::open_memstream(&mut text, &mut length);
            if stream.is_null() {
                return HeapGraph::default();
            }
            DumpHeap(self.cx, stream, 0, Some(size_of_allocation));
            let complete = libc::fclose(stream) == 0;
            let graph = if complete && !text.is_null() {
                parse(std::slice::from_raw_parts(text.cast::<u8>(), length))
            } else {
                HeapGraph::default()
            };
            libc::free(text.cast());
            graph
        }
    }
}

/// `ADDRESS COLOUR REST` of a line; an address is hexadecimal.
fn fields(line: &[u8]) -> Option<(u64, &[u8])> {
    let line = line.strip_prefix(b"0x")?;
    let end = line.iter().position(|byte| *byte == b' ')?;
    let address = u64::from_str_radix(std::str::from_utf8(&line[..end]).ok()?, 16).ok()?;
    // A letter between spaces.
    Some((address, line.get(end + 3..)?))
}

/// Characters as the engine writes them (PutEscapedString): ASCII, with `\n`, `\xHH`, `\uHHHH` and the like.
fn text(bytes: &[u8]) -> String {
    let written = String::from_utf8_lossy(bytes);
    if !written.contains('\\') {
        return written.into_owned();
    }
    let mut units = Vec::with_capacity(written.len());
    let mut rest = written.encode_utf16();
    while let Some(unit) = rest.next() {
        if unit != u16::from(b'\\') {
            units.push(unit);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let digits = match u8::try_from(escape) {
            Ok(b'x') => 2,
            Ok(b'u') => 4,
            _ => 0,
        };
        let number = (0..digits).filter_map(|_| rest.next()).fold(0, |number, digit| {
            number << 4 | char::from_u32(digit.into()).and_then(|digit| digit.to_digit(16)).unwrap_or(0) as u16
        });
        units.push(match u8::try_from(escape) {
            Ok(b'x' | b'u') => number,
            Ok(b'n') => 10,
            Ok(b't') => 9,
            Ok(b'r') => 13,
            Ok(b'b') => 8,
            Ok(b'f') => 12,
            Ok(b'v') => 11,
            _ => escape,
        });
    }
    String::from_utf16_lossy(&units)
}

/// A cell from its description (js/src/gc/Tracer.cpp, GetTraceThingInfo).
fn cell(description: &[u8]) -> HeapCell {
    let (what, size) = match description.windows(7).rposition(|window| window == b" SIZE::") {
        Some(at) => {
            let digits = std::str::from_utf8(&description[at + 7..]).unwrap_or_default();
            (&description[..at], digits.trim().parse().unwrap_or(0))
        }
        None => (description, 0),
    };
    let first = what.split(|byte| *byte == b' ').next().unwrap_or_default();
    let rest = what.get(first.len() + 1..).unwrap_or_default();
    // `<length N> characters`, with words for the kind of string in front of the length.
    let characters = || match rest.windows(2).position(|window| window == b"> ") {
        Some(at) if rest.starts_with(b"<") => text(&rest[at + 2..]),
        _ => text(rest),
    };
    let (kind, name) = match first {
        b"string" => (CellKind::String, characters()),
        b"substring" => (CellKind::Substring, characters()),
        b"symbol" => (CellKind::Symbol, text(rest)),
        b"BigInt" => (CellKind::BigInt, "bigint".to_owned()),
        b"reg_exp_shared" => (CellKind::RegExp, text(first)),
        b"script" => (CellKind::Script, text(rest)),
        b"jitcode" => (CellKind::Code, text(first)),
        b"shape" | b"base_shape" | b"prop_map" => (CellKind::Shape, text(first)),
        b"scope" | b"getter_setter" | b"null_pointer" | b"INVALID" => (CellKind::Internal, text(first)),
        b"Function" => (CellKind::Function, text(rest)),
        _ => {
            // `CLASS 0:Private(0x…)…` or `CLASS <unknown object>`; names of classes may have spaces.
            let end = what.windows(17).position(|window| window == b" <unknown object>");
            let private = what
                .windows(9)
                .position(|window| window == b":Private(")
                .and_then(|at| what[..at].iter().rposition(|byte| *byte == b' '));
            (CellKind::Object, text(&what[..private.or(end).unwrap_or(what.len())]))
        }
    };
    HeapCell { kind, name, size, edges: 0..0 }
}

/// The engine's description: roots, weak maps, a line of `=`, then every cell with its edges after it.
fn parse(dump: &[u8]) -> HeapGraph {
    let mut graph = HeapGraph::default();
    let mut names: HashMap<&[u8], usize> = HashMap::new();
    let mut cells: HashMap<u64, usize> = HashMap::new();
    // Ends of edges as addresses, until all cells are known.
    let (mut roots, mut edges) = (Vec::new(), Vec::new());
    let mut in_heap = false;
    for line in dump.split(|byte| *byte == b'\n') {
        if line.starts_with(b"==========") {
            in_heap = true;
            continue;
        }
        let is_edge = !in_heap || line.starts_with(b"> ");
        let Some((address, rest)) = fields(line.strip_prefix(b"> ").unwrap_or(line)) else { continue };
        if is_edge {
            let next = names.len();
            let name = *names.entry(rest).or_insert(next);
            if in_heap { edges.push((name, address)) } else { roots.push((name, address)) }
        } else {
            if let Some(last) = graph.cells.last_mut() {
                last.edges.end = edges.len();
            }
            cells.insert(address, graph.cells.len());
            graph.cells.push(HeapCell { edges: edges.len()..edges.len(), ..cell(rest) });
        }
    }
    if let Some(last) = graph.cells.last_mut() {
        last.edges.end = edges.len();
    }
    graph.names = vec![String::new(); names.len()];
    for (name, number) in names {
        graph.names[number] = text(name);
    }
    // Cells of other threads (permanent atoms) are edges' ends without being in this heap.
    let end = |(name, address): &(usize, u64)| cells.get(address).map(|to| HeapEdge { name: *name, to: *to });
    graph.roots = roots.iter().filter_map(end).collect();
    let mut kept = Vec::with_capacity(edges.len());
    for cell in &mut graph.cells {
        let start = kept.len();
        kept.extend(edges[cell.edges.clone()].iter().filter_map(end));
        cell.edges = start..kept.len();
    }
    graph.edges = kept;
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions() {
        let dump = b"# Roots.\n0x10 B global\n# Weak maps.\nWeakMapEntry map=0x1 key=0x2 keyDelegate=(nil) value=0x3\n==========\n# zone 0x1\n\
            0x10 B Map Iterator 0:Private(0x5) SIZE:: 48\n> 0x20 B shape\n> 0x30 W a b\n> 0x99 W elsewhere\n\
            0x20 B shape SIZE:: 24\n0x30 W string <EXTENSIBLE: length 7> a > b\\n\\xe9 SIZE:: 32\n0x40 W Function SIZE:: 40\n> 0x30 W a b\n";
        let graph = parse(dump);
        let cells: Vec<_> = graph.cells.iter().map(|cell| (cell.kind, cell.name.as_str(), cell.size)).collect();
        assert_eq!(
            cells,
            [
                (CellKind::Object, "Map Iterator", 48),
                (CellKind::Shape, "shape", 24),
                (CellKind::String, "a > b\né", 32),
                (CellKind::Function, "", 40),
            ]
        );
        let edges = |cell: usize| -> Vec<_> {
            graph.edges[graph.cells[cell].edges.clone()]
                .iter()
                .map(|edge| (graph.names[edge.name].as_str(), edge.to))
                .collect()
        };
        assert_eq!(edges(0), [("shape", 1), ("a b", 2)]);
        assert_eq!(edges(3), [("a b", 2)]);
        assert_eq!(graph.roots.iter().map(|edge| edge.to).collect::<Vec<_>>(), [0]);
    }
}
