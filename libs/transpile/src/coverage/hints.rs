//! Comments that take code out of the count: `istanbul ignore next`, `if`, `else`, `file`; the same of `c8`, `v8` and
//! `node:coverage`, with `start` and `stop`, `disable` and `enable`, and with a number of lines.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::VisitJs;
use oxc_span::GetSpan;
use rustc_hash::FxHashMap;

/// What the comments of a file say.
#[derive(Default)]
pub(super) struct Hints {
    /// Spans that are not counted.
    pub ignored: Vec<(u32, u32)>,
    /// `if` statements of which one way is not counted, by their start: whether it is the `else`.
    pub ways: FxHashMap<u32, bool>,
}

enum Hint {
    File,
    Next(Option<u32>),
    Way(bool),
    Start,
    Stop,
}

fn read(text: &str) -> Option<Hint> {
    let text = text.trim_start_matches('*').trim_start();
    let rest = ["istanbul", "c8", "v8", "node:coverage"].iter().find_map(|tool| text.strip_prefix(tool))?;
    let mut words = rest.split_whitespace().map(|word| word.trim_end_matches("--"));
    match (words.next()?, words.next()) {
        ("ignore", Some("file")) => Some(Hint::File),
        ("ignore", Some("next")) => Some(Hint::Next(words.next().and_then(|word| word.parse().ok()))),
        ("ignore", Some("if")) => Some(Hint::Way(false)),
        ("ignore", Some("else")) => Some(Hint::Way(true)),
        ("ignore", Some("start")) | ("disable", _) => Some(Hint::Start),
        ("ignore", Some("stop")) | ("enable", _) => Some(Hint::Stop),
        _ => None,
    }
}

impl Hints {
    /// `None`: nothing of the file is counted.
    pub(super) fn of(program: &Program<'_>) -> Option<Self> {
        let source = program.source_text;
        let mut hints = Hints::default();
        let mut next = FxHashMap::default();
        let mut begun = None;
        for comment in &program.comments {
            let span = comment.content_span();
            match read(&source[span.start as usize..span.end as usize]) {
                None => {}
                Some(Hint::File) => return None,
                Some(Hint::Next(None)) => {
                    next.insert(comment.attached_to, 0);
                }
                Some(Hint::Next(Some(lines))) => {
                    let rest = &source[comment.span.end as usize..];
                    // The lines after that of the comment.
                    let length = rest.match_indices('\n').nth(lines as usize).map_or(rest.len(), |(at, _)| at);
                    hints.ignored.push((comment.span.end, comment.span.end + length as u32));
                }
                Some(Hint::Way(other)) => {
                    hints.ways.insert(comment.attached_to, other);
                }
                Some(Hint::Start) => begun = begun.or(Some(comment.span.start)),
                Some(Hint::Stop) => hints.ignored.extend(begun.take().map(|start| (start, comment.span.end))),
            }
        }
        hints.ignored.extend(begun.map(|start| (start, source.len() as u32)));
        if !next.is_empty() {
            let mut ends = Ends { ends: next };
            ends.visit_program(program);
            hints.ignored.extend(ends.ends);
        }
        Some(hints)
    }

    pub(super) fn ignores(&self, at: u32) -> bool {
        self.ignored.iter().any(|&(start, end)| start <= at && at < end)
    }
}

/// Finds the end of the largest node that begins at a place.
struct Ends {
    ends: FxHashMap<u32, u32>,
}

impl<'a> VisitJs<'a> for Ends {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if matches!(kind, AstKind::Program(_)) {
            return;
        }
        let span = kind.span();
        if let Some(end) = self.ends.get_mut(&span.start) {
            *end = (*end).max(span.end);
        }
    }
}
