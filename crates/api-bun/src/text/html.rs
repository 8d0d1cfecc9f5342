//! Text as HTML.

use super::ansi::Unit;

/// The text with `"&'<>` as entities; `None` if there are none.
pub fn escape<T: Unit>(text: &[T]) -> Option<Vec<T>> {
    const BLOCK: usize = 64;
    let first = text
        .chunks(BLOCK)
        .position(|block| T::any_needs_entity(block))?
        * BLOCK;
    let mut out = Vec::with_capacity(text.len() + text.len() / 2 + 16);
    out.extend_from_slice(&text[..first]);
    for block in text[first..].chunks(BLOCK) {
        if !T::any_needs_entity(block) {
            out.extend_from_slice(block);
            continue;
        }
        // Room for the longest entity in place of each.
        out.reserve(BLOCK * 6);
        let mut copied = 0;
        for (at, unit) in block.iter().enumerate() {
            let Some(entity) = unit.entity() else {
                continue;
            };
            out.extend_from_slice(&block[copied..at]);
            out.extend_from_slice(entity);
            copied = at + 1;
        }
        out.extend_from_slice(&block[copied..]);
    }
    Some(out)
}
