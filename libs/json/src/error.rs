//! Where and why a text is not JSON.

use std::borrow::Cow;
use std::fmt;

use crate::cursor::Flavor;
use crate::json5;

/// The first place where a text stops being JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Offset in bytes.
    pub at: usize,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// One sentence without a full stop, and without the place.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.message, self.line, self.column)
    }
}

impl std::error::Error for Error {}

/// What a cursor notes when it stops.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Problem {
    /// The whole message.
    Message(&'static str),
    /// What should have been there.
    Wanted(&'static str),
}

impl Error {
    /// The error for `problem` at offset `at` of `bytes`.
    #[cold]
    pub(crate) fn new(bytes: &[u8], at: usize, problem: Problem, flavor: Flavor) -> Self {
        let at = at.min(bytes.len());
        let text = |bytes| -> Cow<'_, str> { String::from_utf8_lossy(bytes) };
        let line_start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
        let found = &bytes[at..bytes.len().min(at + 4)];
        let message = match problem {
            _ if flavor == Flavor::Json5 => json5::message(bytes, at, problem).to_owned(),
            Problem::Message(message) => message.to_owned(),
            // The words of `JSON.parse`.
            Problem::Wanted(_) if found.is_empty() => "Unexpected end of JSON input".to_owned(),
            Problem::Wanted(wanted) => {
                let found = text(found).chars().next().unwrap_or_default();
                format!("Expected {wanted} but found {}", shown(found))
            }
        };
        Error {
            at,
            line: memchr::memchr_iter(b'\n', &bytes[..at]).count() as u32 + 1,
            column: text(&bytes[line_start..at]).chars().count() as u32 + 1,
            message,
        }
    }
}

/// The character between quotes, on one line.
fn shown(c: char) -> String {
    if c == '"' { r#"'"'"#.to_owned() } else { format!("'{}'", c.escape_debug()) }
}
