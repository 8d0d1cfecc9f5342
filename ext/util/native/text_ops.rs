//! Family "util": columns of text as Node counts them, and the difference of two lists.

use engine::{JsStr, op, ops};
use text::diff::{Edit, Limits, script};
use text::width;

/// Columns that a text after NFC takes in a terminal: those of its code points, escape sequences like any other text.
#[op]
fn columns(text: JsStr<'_>) -> f64 {
    let columns =
        if text.is_latin1() { width::latin1_code_points(text.latin1()) } else { width::code_points(text.utf16()) };
    columns as f64
}

/// The numbers of a Uint32Array.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect()
}

/// A shortest script of edits from one list to another, whose items are given as numbers: 0 keep, 1 delete, 2 insert.
/// `comma` has for each number the one of the same text with a comma at its end, which counts as the same; empty if none
/// does. Undefined if it takes more than `most` edits.
#[op]
fn diff(old: &[u8], next: &[u8], comma: &[u8], most: f64) -> Option<Vec<u8>> {
    let (old, next, comma) = (numbers(old), numbers(next), numbers(comma));
    let with_comma = |item: u32| comma.get(item as usize).copied();
    let same = |a: usize, b: usize| {
        let (a, b) = (old[a], next[b]);
        a == b || !comma.is_empty() && (with_comma(a) == Some(b) || with_comma(b) == Some(a))
    };
    let limits = Limits { edits: Some(most as usize), keep_ends: false };
    let edits = script(old.len(), next.len(), limits, same)?;
    let number = |edit| match edit {
        Edit::Keep => 0,
        Edit::Delete => 1,
        Edit::Insert => 2,
    };
    Some(edits.into_iter().map(number).collect())
}

ops!(pub fn family "util" { columns, diff });
