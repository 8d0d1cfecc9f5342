//! Text as HTML.

/// A code unit of a string: a Latin-1 byte or a UTF-16 unit.
pub(crate) trait Unit: Copy + Default + 'static {
    /// Whether a block has a unit that HTML needs an entity for: one of `"&'<>`.
    fn any_needs_entity(block: &[Self]) -> bool;
    /// The entity for a unit that needs one, and its length; what follows in the array is padding, so that copies have a
    /// fixed size.
    fn entity(self) -> Option<(&'static [Self; LONGEST_ENTITY], usize)>;
}

/// Length of `&quot;`.
const LONGEST_ENTITY: usize = 6;

/// ASCII text in units of another size.
const fn widened<const N: usize>(text: &[u8; N]) -> [u16; N] {
    let mut units = [0; N];
    let mut at = 0;
    while at < N {
        units[at] = text[at] as u16;
        at += 1;
    }
    units
}

macro_rules! unit {
    ($($type:ty, $text:ident);*) => {$(
        impl Unit for $type {
            fn entity(self) -> Option<(&'static [Self; LONGEST_ENTITY], usize)> {
                Some(match self {
                    0x22 => (const { &$text(b"&quot;") }, 6),
                    0x26 => (const { &$text(b"&amp; ") }, 5),
                    0x27 => (const { &$text(b"&#x27;") }, 6),
                    0x3c => (const { &$text(b"&lt;  ") }, 4),
                    0x3e => (const { &$text(b"&gt;  ") }, 4),
                    _ => return None,
                })
            }
            fn any_needs_entity(block: &[Self]) -> bool {
                // The ampersand and the apostrophe differ in the lowest bit, the angle brackets in the second.
                let test = |unit: $type| {
                    <$type>::from(unit == 0x22) | <$type>::from(unit | 1 == 0x27) | <$type>::from(unit | 2 == 0x3e)
                };
                block.iter().fold(0, |found: $type, &unit| found | test(unit)) != 0
            }
        }
    )*};
}
/// ASCII text as it is.
const fn same<const N: usize>(text: &[u8; N]) -> [u8; N] {
    *text
}

unit!(u8, same; u16, widened);

/// The text with `"&'<>` as entities; `None` if there are none.
pub(crate) fn escape<T: Unit>(text: &[T]) -> Option<Vec<T>> {
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
