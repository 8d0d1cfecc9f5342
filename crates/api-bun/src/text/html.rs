//! Text as HTML.

use super::ansi::Unit;

fn entity(unit: u32) -> Option<&'static [u8]> {
    Some(match unit {
        0x22 => b"&quot;",
        0x26 => b"&amp;",
        0x27 => b"&#x27;",
        0x3c => b"&lt;",
        0x3e => b"&gt;",
        _ => return None,
    })
}

/// The text with `"&'<>` as entities; `None` if there are none.
pub fn escape<T: Unit + From<u8>>(text: &[T]) -> Option<Vec<T>> {
    let mut out: Option<Vec<T>> = None;
    // Up to here the text is in `out`, once there is one.
    let mut copied = 0;
    let mut at = 0;
    for block in text.chunks(64) {
        // Without branches.
        if block.iter().fold(false, |found, &unit| found | unit.needs_entity()) {
            for (offset, &unit) in block.iter().enumerate() {
                let Some(entity) = entity(unit.into()) else {
                    continue;
                };
                let out =
                    out.get_or_insert_with(|| Vec::with_capacity(text.len() + text.len() / 4 + 16));
                out.extend_from_slice(&text[copied..at + offset]);
                out.extend(entity.iter().map(|&byte| T::from(byte)));
                copied = at + offset + 1;
            }
        }
        at += block.len();
    }
    if let Some(out) = &mut out {
        out.extend_from_slice(&text[copied..]);
    }
    out
}
