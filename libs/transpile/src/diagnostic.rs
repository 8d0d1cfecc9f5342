//! Errors with a position that a person can find: file, 1-based line and column, and the text of the line.

use std::fmt;

use oxc_diagnostics::OxcDiagnostic;

/// Longest piece of a source line that a diagnostic carries, in characters. A minified file has lines of
/// megabytes, too much for a terminal.
const EXCERPT_CHARS: usize = 160;

/// One error in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, without file name or position.
    pub message: String,
    /// A hint how to fix it, when the parser has one.
    pub help: Option<String>,
    /// The path that was passed in, unchanged.
    pub file: String,
    /// Byte offset of the error in the source.
    pub offset: u32,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in UTF-16 code units (the unit of JavaScript stack frames).
    pub column: u32,
    /// Length of the marked text in UTF-16 code units; it never extends past the end of the line. At least 1.
    pub length: u32,
    /// Text of the line (a window of it when the line is very long), without line terminator.
    pub excerpt: String,
    /// 0-based column in UTF-16 code units at which the marked text starts inside `excerpt`.
    pub excerpt_column: u32,
}

impl Diagnostic {
    /// A diagnostic that marks the bytes `start..end` of `source`. Offsets are clamped to the source.
    #[must_use]
    pub fn at(source: &str, file: &str, start: u32, end: u32, message: impl Into<String>) -> Self {
        let written = source.trim_end().len();
        // What is missing at the end of a file is shown behind its last line, not on the empty one that follows.
        let (start, end) =
            if start as usize > written && written > 0 { (written as u32, written as u32) } else { (start, end) };
        let start = floor_boundary(source, start as usize);
        let end = floor_boundary(source, (end as usize).max(start));
        let line_start = memchr::memrchr2(b'\n', b'\r', &source.as_bytes()[..start]).map_or(0, |i| i + 1);
        let rest = &source.as_bytes()[start..];
        let line_end = start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let marked = &source[start..end.min(line_end)];
        let (excerpt, excerpt_column) = window(source, line_start, start, line_end);
        Self {
            message: message.into(),
            help: None,
            file: file.to_owned(),
            offset: start as u32,
            line: line_number(source.as_bytes(), start),
            column: utf16_len(&source[line_start..start]) + 1,
            length: utf16_len(marked).max(1),
            excerpt,
            excerpt_column,
        }
    }

    /// A diagnostic for what is no JSON in `source`.
    pub(crate) fn of_json(source: &str, file: &str, error: json::Error) -> Self {
        Self::at(source, file, error.at as u32, error.at as u32 + 1, error.message)
    }

    /// A diagnostic about the file as a whole.
    #[must_use]
    pub fn whole_file(file: &str, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            file: file.to_owned(),
            offset: 0,
            line: 1,
            column: 1,
            length: 1,
            excerpt: String::new(),
            excerpt_column: 0,
        }
    }

    /// Converts a diagnostic of oxc. The first label gives the position.
    pub(crate) fn from_oxc(source: &str, file: &str, error: &OxcDiagnostic) -> Self {
        let (start, end) = error.labels.first().map_or((0, 0), |label| {
            let start = label.offset();
            (start, start + label.len())
        });
        let mut diagnostic = Self::at(source, file, start, end, error.message.to_string());
        diagnostic.help = error.help.as_ref().map(ToString::to_string);
        diagnostic
    }

    pub(crate) fn from_oxc_all<'e>(
        source: &str,
        file: &str,
        errors: impl IntoIterator<Item = &'e OxcDiagnostic>,
    ) -> Vec<Self> {
        // A broken file can yield thousands of follow-up errors; the first few are the useful ones.
        errors.into_iter().take(20).map(|error| Self::from_oxc(source, file, error)).collect()
    }
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: message`, then the line and a caret below the marked text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if !self.excerpt.is_empty() {
            let caret = "^".repeat(self.length.min(80) as usize);
            write!(f, "\n{}\n{:pad$}{caret}", self.excerpt, "", pad = self.excerpt_column as usize)?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n{help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// Number of UTF-16 code units of `text`.
pub(crate) fn utf16_len(text: &str) -> u32 {
    if text.is_ascii() {
        return text.len() as u32;
    }
    text.chars().map(|c| c.len_utf16() as u32).sum()
}

/// 1-based number of the line that contains byte `offset`. `\r\n` counts once, a lone `\r` counts as well.
pub(crate) fn line_number(bytes: &[u8], offset: usize) -> u32 {
    let before = &bytes[..offset];
    let mut line = 1 + memchr::memchr_iter(b'\n', before).count();
    line += memchr::memchr_iter(b'\r', before).filter(|&i| bytes.get(i + 1) != Some(&b'\n')).count();
    line as u32
}

/// The start of the character at byte `offset`, which may be behind the end.
pub(crate) fn floor_boundary(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The part of the line that is worth showing, and where in it the error starts (UTF-16 units).
fn window(source: &str, line_start: usize, at: usize, line_end: usize) -> (String, u32) {
    if line_end - line_start <= EXCERPT_CHARS * 2 {
        return (source[line_start..line_end].to_owned(), utf16_len(&source[line_start..at]));
    }
    let before = source[line_start..at].char_indices().rev().nth(EXCERPT_CHARS / 2 - 1);
    let from = before.map_or(line_start, |(i, _)| line_start + i);
    let after = source[at..line_end].char_indices().nth(EXCERPT_CHARS / 2);
    let to = after.map_or(line_end, |(i, _)| at + i);
    (source[from..to].to_owned(), utf16_len(&source[from..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_excerpt() {
        let d = Diagnostic::at("a\nlet é = ;\r\nb", "f.js", 11, 12, "boom");
        assert_eq!((d.line, d.column, d.length), (2, 9, 1));
        assert_eq!((d.excerpt.as_str(), d.excerpt_column), ("let é = ;", 8));
        assert!(d.to_string().starts_with("f.js:2:9: boom\nlet é = ;\n        ^"));
    }

    #[test]
    fn long_lines_are_cut() {
        let source = "x".repeat(1_000_000);
        let d = Diagnostic::at(&source, "f.js", 500_000, 500_003, "boom");
        assert_eq!((d.line, d.column, d.length), (1, 500_001, 3));
        assert!(d.excerpt.len() <= EXCERPT_CHARS + 2);
        assert_eq!(d.excerpt_column, 80);
    }

    #[test]
    fn offsets_are_clamped() {
        let d = Diagnostic::at("é", "f.js", 1, 99, "boom");
        assert_eq!((d.offset, d.line, d.column), (0, 1, 1));
        assert_eq!(Diagnostic::at("", "f.js", 5, 9, "x").line, 1);
    }
}
