//! Source text with the counters that V8's block coverage has: for `NODE_V8_COVERAGE` and the inspector's `Profiler` domain.
//!
//! V8 counts while it runs bytecode, and gives each counter a range of the source by rules of its parser
//! ([Block code coverage in V8](https://v8.dev/blog/javascript-code-coverage)). Here the same counters are put into the text, and
//! the same passes make ranges of their counts. Offsets are UTF-16 code units of the text that was given, in which types still stand.

mod insert;
mod names;
mod report;

use oxc_allocator::Allocator;
use oxc_ast_visit::VisitJs;

use super::{Lines, shifted};
use crate::depth::{self, Nesting, Walk};
use crate::options::{Loader, ModuleHint};
use crate::parse;
use crate::sourcemap::SourceMap;
pub use report::{Mode, Reported, ReportedFunction};

/// What a text is, which decides where its counters go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A module, or the body of a function (that of a CommonJS module).
    Body,
    /// A script whose last value somebody may want (`vm.runInThisContext`).
    Script,
}

/// A counted range of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    start: i32,
    /// [`OPEN`]: where the next range begins, or the one around it ends.
    end: i32,
    /// `None`: nothing that is counted, as what comes after `return`.
    counter: Option<u32>,
}

/// The end of a range that is not known yet.
const OPEN: i32 = -1;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Function {
    name: String,
    start: i32,
    end: i32,
    counter: u32,
    blocks: Vec<Block>,
    /// Whether V8 compiles it with the code around it, and knows its blocks before it runs.
    is_eager: bool,
}

/// Everything that is counted in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blocks {
    /// In the order of their places, outer ones first.
    functions: Vec<Function>,
    /// How many counters there are.
    pub counters: u32,
}

/// A text with counters.
#[derive(Debug, Clone)]
pub struct Instrumented {
    pub code: String,
    /// Positions of `code` in the text.
    pub map: SourceMap,
    pub blocks: Blocks,
}

/// `source` with counters: elements of the array that is called `array` there. `None` if the text cannot be parsed.
///
/// `has_bare_fields`: whether fields without a value stay in what becomes of TypeScript (`useDefineForClassFields`).
#[must_use]
pub fn instrument(
    source: &str,
    path: &str,
    loader: Loader,
    hint: ModuleHint,
    unit: Unit,
    has_bare_fields: bool,
    array: &str,
) -> Option<Instrumented> {
    depth::run(Nesting::of(source), Walk::Recursive, || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, source, path, loader, hint).ok()?;
        let mut counter = insert::Counter::new(source, unit, has_bare_fields, array);
        counter.visit_program(&parsed.program);
        Some(counter.finish(path))
    })
    .flatten()
}

/// `code`, or a part of it, without the counters of `array`: for `Function.prototype.toString`.
#[must_use]
pub fn without_counters(code: &str, array: &str) -> String {
    // What was put in is between two marks; between two of the other kind is a name in quotes.
    let text: String = code.split(&format!("/*{array}*/")).step_by(2).collect();
    let mark = format!("/*{array}.*/");
    let parts = text.split(&mark).enumerate();
    parts.map(|(index, part)| if index % 2 == 0 { part } else { part.split('"').nth(1).unwrap_or("") }).collect()
}

/// Byte offsets to offsets in UTF-16 code units.
struct Units {
    /// For each character of several bytes: its end in bytes, and how much less that is in code units. Empty for ASCII.
    shifts: Vec<(u32, u32)>,
}

impl Units {
    fn of(source: &str) -> Self {
        let mut shifts = Vec::new();
        if !source.is_ascii() {
            let mut less = 0;
            for (at, character) in source.char_indices().filter(|(_, character)| !character.is_ascii()) {
                less += (character.len_utf8() - character.len_utf16()) as u32;
                shifts.push(((at + character.len_utf8()) as u32, less));
            }
        }
        Self { shifts }
    }

    fn at(&self, byte: i32) -> i32 {
        if byte < 0 || self.shifts.is_empty() {
            return byte;
        }
        let index = self.shifts.partition_point(|&(end, _)| end as i32 <= byte);
        byte - index.checked_sub(1).map_or(0, |index| self.shifts[index].1 as i32)
    }
}

#[cfg(test)]
mod tests;
