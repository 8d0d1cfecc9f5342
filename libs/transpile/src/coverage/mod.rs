//! Source text with counters in it: for the coverage of `bao test`.
//!
//! What is a statement, a function and a branch is what Istanbul counts (and with it Jest, nyc and vitest, whose v8 provider puts
//! the engine's counts to the same places). Counters are put into the text that the author wrote, before TypeScript is taken out
//! of it: so places need no source map, and no line moves. A counter is an element of an array with a global name.

mod hints;
mod insert;
pub mod v8;

use oxc_allocator::Allocator;
use oxc_ast_visit::VisitJs;

use crate::depth::{self, Nesting, Walk};
use crate::options::{Loader, ModuleHint};
use crate::parse;
use crate::sourcemap::{Original, SourceMap, Token};
use insert::Counter;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 0, in UTF-16 code units.
    pub column: u32,
}

/// A counted range: its start and end in the source, and the number of its counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub start: Place,
    pub end: Place,
    pub counter: u32,
}

/// A function: its name, where it is declared and its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedFunction {
    pub name: String,
    pub declared: Place,
    pub body: Counted,
}

/// What Istanbul calls the kinds of branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    If,
    Conditional,
    Logical,
    Switch,
    Default,
}

impl BranchKind {
    /// The name in Istanbul's files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BranchKind::If => "if",
            BranchKind::Conditional => "cond-expr",
            BranchKind::Logical => "binary-expr",
            BranchKind::Switch => "switch",
            BranchKind::Default => "default-arg",
        }
    }
}

/// A branch: a place with several ways to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub kind: BranchKind,
    pub start: Place,
    pub end: Place,
    /// The ways. The first one of an `if`, and an `else` that is not there, begin and end with the statement.
    pub ways: Vec<Counted>,
    /// Where the body of an `if` begins and ends, if its first way is that: not what Istanbul says, but what does not run.
    pub body: Option<(Place, Place)>,
}

/// Everything that is counted in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    pub statements: Vec<Counted>,
    pub functions: Vec<CountedFunction>,
    pub branches: Vec<Branch>,
    /// How many counters there are.
    pub counters: u32,
}

/// A text with counters.
#[derive(Debug, Clone)]
pub struct Instrumented {
    pub code: String,
    /// Positions of `code` in the text.
    pub map: SourceMap,
    pub shape: Shape,
}

/// `source` with counters: elements of the array that is called `array` there. `None` if the text cannot be parsed or says of
/// itself that it is not to be counted (`/* istanbul ignore file */`).
#[must_use]
pub fn instrument(
    source: &str,
    path: &str,
    loader: Loader,
    extension: ModuleHint,
    array: &str,
) -> Option<Instrumented> {
    depth::run(Nesting::of(source), Walk::Recursive, || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, source, path, loader, extension).ok()?;
        let hints = hints::Hints::of(&parsed.program)?;
        let mut counter = Counter::new(source, hints);
        counter.visit_program(&parsed.program);
        Some(counter.finish(path, array))
    })
    .flatten()
}

/// The offsets at which the lines of a text begin.
struct Lines<'s> {
    source: &'s str,
    starts: Vec<u32>,
    ascii: bool,
}

impl<'s> Lines<'s> {
    fn of(source: &'s str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at as u32 + 1));
        Self { source, starts, ascii: source.is_ascii() }
    }

    fn place(&self, at: u32) -> Place {
        let line = self.starts.partition_point(|&start| start <= at);
        let start = self.starts[line - 1];
        let column = if self.ascii { at - start } else { utf16_len(&self.source[start as usize..at as usize]) };
        Place { line: line as u32, column }
    }
}

fn utf16_len(text: &str) -> u32 {
    if text.is_ascii() { text.len() as u32 } else { text.encode_utf16().count() as u32 }
}

/// The map of a text into which others were put, `(place, length)` each, in order and without line breaks.
fn shifted(lines: &Lines<'_>, path: &str, insertions: &[(Place, u32)]) -> SourceMap {
    let mut tokens = Vec::with_capacity(lines.starts.len() + insertions.len());
    let mut rest = insertions.iter().peekable();
    for line in 0..lines.starts.len() as u32 {
        let token = |generated_column, column| Token {
            generated_line: line,
            generated_column,
            original: Some(Original { source: 0, line, column, name: None }),
        };
        tokens.push(token(0, 0));
        let mut moved = 0;
        while let Some((place, length)) = rest.next_if(|(place, _)| place.line == line + 1) {
            moved += length;
            tokens.push(token(place.column + moved, place.column));
        }
    }
    SourceMap::from_tokens(tokens, vec![path.to_string()], Vec::new(), Vec::new()).with_distances()
}

#[cfg(test)]
mod tests;
