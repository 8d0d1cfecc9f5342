//! Changes to a source text that keep the rest of it in place.

/// What replaces a span.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Replacement {
    /// As many spaces as the span has UTF-16 code units, line terminators kept. The first and the last
    /// character may be something else than a space.
    Blank { first: u8, last: u8 },
    /// Some other text. Columns behind it on the line move.
    Text(String),
}

#[derive(Debug, Clone)]
struct Edit {
    start: u32,
    end: u32,
    replacement: Replacement,
}

/// A list of changes, in any order. Of two changes that overlap, the one that was recorded later must lie
/// completely inside the other one or contain it; the outer one wins.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    list: Vec<Edit>,
}

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Blanks a span.
    pub(crate) fn blank(&mut self, start: u32, end: u32) {
        if start < end {
            self.list.push(Edit { start, end, replacement: Replacement::Blank { first: b' ', last: b' ' } });
        }
    }

    /// Blanks a span and puts ASCII characters at its ends.
    pub(crate) fn blank_with(&mut self, start: u32, end: u32, first: u8, last: u8) {
        debug_assert!(start < end);
        self.list.push(Edit { start, end, replacement: Replacement::Blank { first, last } });
    }

    /// Replaces a span (which may be empty) by a text.
    pub(crate) fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.list.push(Edit { start, end, replacement: Replacement::Text(text.into()) });
    }

    /// Number of changes so far, as a mark for [`Self::end_with_semicolon`].
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// If one of the changes since `mark` blanks the text up to `end`, writes a `;` where it starts.
    pub(crate) fn end_with_semicolon(&mut self, mark: usize, end: u32) {
        for edit in &mut self.list[mark..] {
            if edit.end == end
                && let Replacement::Blank { first, .. } = &mut edit.replacement
            {
                *first = b';';
                return;
            }
        }
    }

    /// The text with all changes made.
    pub(crate) fn apply(mut self, source: &str) -> String {
        // Of two changes at the same place, the longer one is the outer one; insertions keep their order.
        self.list.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        let mut out = String::with_capacity(source.len() + 16);
        let mut at = 0;
        for edit in &self.list {
            let (start, end) = (edit.start as usize, edit.end as usize);
            if end < at || (start < at) {
                continue;
            }
            out.push_str(&source[at..start]);
            match &edit.replacement {
                Replacement::Blank { first, last } => blank(&mut out, &source[start..end], *first, *last),
                Replacement::Text(text) => out.push_str(text),
            }
            at = end;
        }
        out.push_str(&source[at..]);
        out
    }
}

fn blank(out: &mut String, text: &str, first: u8, last: u8) {
    let start = out.len();
    if text.is_ascii() && !text.bytes().any(|b| matches!(b, b'\n' | b'\r')) {
        out.extend(std::iter::repeat_n(' ', text.len()));
    } else {
        for c in text.chars() {
            match c {
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push(c),
                _ => out.extend(std::iter::repeat_n(' ', c.len_utf16())),
            }
        }
    }
    // The ends are never line terminators: a span starts and ends with a token.
    let end = out.len() - 1;
    for (at, byte) in [(start, first), (end, last)] {
        if byte != b' ' && out.as_bytes()[at] == b' ' {
            out.replace_range(at..=at, char::from(byte).encode_utf8(&mut [0; 4]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_keep_positions() {
        let source = "a: ä😀\nb /*c*/;";
        let mut edits = Edits::default();
        edits.blank_with(1, source.find("/*").unwrap() as u32, b';', b')');
        let out = edits.apply(source);
        assert_eq!(out, "a;    \n )/*c*/;");
        assert_eq!(out.encode_utf16().count(), source.encode_utf16().count());
    }

    #[test]
    fn outer_wins_and_insertions_keep_order() {
        let mut edits = Edits::default();
        edits.blank(2, 3);
        edits.replace(0, 4, "X");
        edits.replace(4, 4, "1");
        edits.replace(4, 4, "2");
        assert_eq!(edits.apply("abcdef"), "X12ef");
    }
}
