//! Text as HTML.

use super::ansi::{LONGEST_ENTITY, Unit};

/// The text with `"&'<>` as entities; `None` if there are none.
pub fn escape<T: Unit>(text: &[T]) -> Option<Vec<T>> {
    const BLOCK: usize = 64;
    let first = text.chunks(BLOCK).position(|block| T::any_needs_entity(block))? * BLOCK;
    let mut out = Vec::with_capacity(text.len() + text.len() / 2 + BLOCK * LONGEST_ENTITY);
    out.extend_from_slice(&text[..first]);
    // Room for a block of nothing but entities.
    let mut buffer = [T::default(); BLOCK * LONGEST_ENTITY];
    for block in text[first..].chunks(BLOCK) {
        if !T::any_needs_entity(block) {
            out.extend_from_slice(block);
            continue;
        }
        let mut length = 0;
        for unit in block {
            match unit.entity() {
                None => {
                    buffer[length] = *unit;
                    length += 1;
                }
                Some((entity, size)) => {
                    buffer[length..length + LONGEST_ENTITY].copy_from_slice(entity);
                    length += size;
                }
            }
        }
        out.extend_from_slice(&buffer[..length]);
    }
    Some(out)
}
