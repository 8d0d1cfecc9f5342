//! Small looks at the source text around syntax nodes.

use oxc_span::Span;

/// A source text, by byte offset.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    pub source: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn byte(self, at: u32) -> Option<u8> {
        self.source.as_bytes().get(at as usize).copied()
    }

    /// The offset of the next token at or after `at`: skips white space and comments.
    pub(super) fn skip(self, at: u32) -> u32 {
        let bytes = self.source.as_bytes();
        let mut at = at as usize;
        while let Some(&byte) = bytes.get(at) {
            let rest = &bytes[at..];
            at += match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => 1,
                b'/' if rest.get(1) == Some(&b'/') => memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
                b'/' if rest.get(1) == Some(&b'*') => {
                    memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |length| length + 4)
                }
                0x80.. => match self.source[at..].chars().next() {
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => c.len_utf8(),
                    _ => break,
                },
                _ => break,
            };
        }
        at as u32
    }

    /// The ASCII word that starts at `at`, possibly empty.
    pub(super) fn word(self, at: u32) -> &'a str {
        let rest = &self.source[at as usize..];
        let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'$'));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Whether the word at `at` would make a declaration of a statement that starts with it.
    pub(super) fn is_declaration_word(self, at: u32) -> bool {
        matches!(self.word(at), "function" | "class" | "let" | "async")
    }

    pub(super) fn has_line_break(self, span: Span) -> bool {
        let text = &self.source[span.start as usize..span.end as usize];
        memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some() || text.contains(['\u{2028}', '\u{2029}'])
    }
}
