//! Parsing what was read.

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

/// How a file is parsed; nothing for one that is not.
pub(crate) fn type_of(name: &str) -> Option<SourceType> {
    if name.ends_with(".json") { None } else { SourceType::from_path(name).ok() }
}

/// Parses a file with oxc; how many statements it has (and one more, so that something was done). JSON is not parsed.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> usize {
    let Some(kind) = type_of(name) else { return 0 };
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    let allocator = Allocator::default();
    1 + Parser::new(&allocator, text, kind).parse().program.body.len()
}
