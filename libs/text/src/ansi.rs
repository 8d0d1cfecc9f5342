//! Escape sequences of terminals (ECMA-48): where one ends, and text without them.

/// A code unit of a string: a Latin-1 byte or a UTF-16 unit.
///
/// The tests are made on the units' own type, so that the compiler can turn a loop of them into vector code.
pub trait Unit: Copy + Default + Into<u32> + 'static {
    /// Whether a block has a unit that may begin an escape sequence: ESC, or one of the C1 controls that do the same in
    /// one character. True for some that do not.
    fn any_introduces(block: &[Self]) -> bool;
}

macro_rules! unit {
    ($($type:ty),*) => {$(
        impl Unit for $type {
            fn any_introduces(block: &[Self]) -> bool {
                let test = |unit: $type| <$type>::from(unit == 0x1b) | <$type>::from(unit & !0xf == 0x90);
                block.iter().fold(0, |found: $type, &unit| found | test(unit)) != 0
            }
        }
    )*};
}

unit!(u8, u16);

/// Whether a unit begins an escape sequence.
pub fn introduces(unit: u32) -> bool {
    matches!(unit, 0x1b | 0x90 | 0x98 | 0x9b | 0x9d | 0x9e | 0x9f)
}

/// What the units of an unfinished sequence mean.
#[derive(Clone, Copy)]
enum State {
    /// After ESC.
    Escape,
    /// After ESC and an intermediate character: one more belongs to it.
    Intermediate,
    /// A control sequence: parameters up to a final character.
    Control,
    /// An operating system command: text up to BEL or ST.
    Command,
    /// Another control string: text up to ST.
    Text,
}

/// The end of the sequence that begins at `at`, an unfinished one takes the rest; `at` itself if none begins there.
pub fn skip<T: Unit>(units: &[T], at: usize) -> usize {
    let mut state = match units[at].into() {
        0x1b => State::Escape,
        0x9b => State::Control,
        0x9d => State::Command,
        0x90 | 0x98 | 0x9e | 0x9f => State::Text,
        _ => return at,
    };
    let mut at = at + 1;
    while at < units.len() {
        let unit: u32 = units[at].into();
        at += 1;
        // Cancelled, or begun anew.
        match unit {
            0x18 | 0x1a => return at,
            0x1b => {
                state = State::Escape;
                continue;
            }
            _ => {}
        }
        state = match (state, unit) {
            (State::Escape, 0x5b) => State::Control,
            (State::Escape, 0x5d) => State::Command,
            (State::Escape, 0x50 | 0x58 | 0x5e | 0x5f) => State::Text,
            (State::Escape, 0x20..=0x2f) => State::Intermediate,
            (State::Escape, 0x30..=0x7e | 0x9c) | (State::Intermediate, _) => return at,
            // No sequence: the unit is text, or begins one by itself.
            (State::Escape, _) => return at - 1,
            (State::Control, 0x40..=0x7e | 0x9c) | (State::Command, 0x07 | 0x9c) | (State::Text, 0x9c) => return at,
            (same, _) => same,
        };
    }
    at
}

/// The first unit that may begin a sequence.
pub fn find<T: Unit>(units: &[T]) -> Option<usize> {
    // In blocks without branches.
    let mut at = 0;
    for block in units.chunks(64) {
        if T::any_introduces(block)
            && let Some(offset) = block.iter().position(|&unit| introduces(unit.into()))
        {
            return Some(at + offset);
        }
        at += block.len();
    }
    None
}

/// The text without sequences; `None` if there are none.
pub fn strip<T: Unit>(units: &[T]) -> Option<Vec<T>> {
    let mut from = 0;
    let mut kept: Option<Vec<T>> = None;
    while let Some(offset) = find(&units[from..]) {
        let at = from + offset;
        let kept = kept.get_or_insert_with(|| Vec::with_capacity(units.len()));
        kept.extend_from_slice(&units[from..at]);
        from = skip(units, at);
    }
    if let Some(kept) = &mut kept {
        kept.extend_from_slice(&units[from..]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("x\u{1b}]8;;http://x\u{7}y\u{1b}]8;;\u{1b}\\z", "xyz"),
            ("x\u{1b}[31", "x"),
            ("x\u{1b}(Bz", "xz"),
            ("x\u{1b}\nz", "x\nz"),
            ("x\u{1b}[3\u{18}z", "xz"),
        ] {
            assert_eq!(strip(text.as_bytes()).as_deref(), Some(expected.as_bytes()), "{text:?}");
        }
        assert_eq!(strip(b"plain"), None);
    }
}
