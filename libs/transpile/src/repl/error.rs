//! The first syntax error of a text, in the words of V8, which users of Node's REPL know, and whether more text could mend it.

use oxc_diagnostics::OxcDiagnostic;
use oxc_syntax::identifier::{is_identifier_part, is_identifier_start};
use oxc_syntax::keyword::is_reserved_keyword;

use super::Goal;
use crate::diagnostic::{floor_boundary, utf16_len};

const UNEXPECTED_END: &str = "Unexpected end of input";
const INVALID_TOKEN: &str = "Invalid or unexpected token";
const ILLEGAL_RETURN: &str = "Illegal return statement";
const NO_IMPORT: &str = "Cannot use import statement outside a module";

const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// A mistake in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub message: String,
    /// Where the mistake begins, in UTF-16 code units from the start of the text.
    pub start: u32,
    /// Where it ends; greater than `start`.
    pub end: u32,
    /// Whether the text ends too early: more of it could make it valid.
    pub incomplete: bool,
}

impl SyntaxError {
    /// The first of the parser's errors; `None` if there are none.
    pub(super) fn first<'e>(
        code: &str,
        errors: impl IntoIterator<Item = &'e OxcDiagnostic>,
        goal: Goal,
    ) -> Option<Self> {
        let start = |error: &OxcDiagnostic| error.labels.first().map_or(0, |label| label.offset());
        // `{ a = 1` may become a pattern, so that what it lacks comes first.
        let rank = |error: &OxcDiagnostic| (error.message == "Invalid assignment in object literal", start(error));
        let error = errors.into_iter().min_by_key(|error| rank(error))?;
        // V8 sees these keywords before it sees anything else that is wrong.
        let first = Token::at(code, 0);
        if goal != Goal::Session && first.is_import(code) {
            return Some(Self::module_syntax(code, first.start));
        }
        if goal == Goal::Script && first.text == "return" {
            return Some(first.error(code, ILLEGAL_RETURN));
        }
        Some(Self::from_oxc(code, error))
    }

    /// An error for the bytes `start..end`.
    pub(super) fn at(code: &str, start: u32, end: u32, message: impl Into<String>) -> Self {
        let before = utf16_len(&code[..start as usize]);
        let length = utf16_len(&code[start as usize..end.max(start) as usize]).max(1);
        SyntaxError { message: message.into(), start: before, end: before + length, incomplete: false }
    }

    /// The error for an import or export declaration at byte `start`.
    pub(super) fn module_syntax(code: &str, start: u32) -> Self {
        let token = Token::at(code, start);
        if token.text == "import" { token.error(code, NO_IMPORT) } else { token.unexpected_error(code) }
    }

    fn from_oxc(code: &str, error: &OxcDiagnostic) -> Self {
        let label = error.labels.first().map_or((0, 0), |label| (label.offset(), label.offset() + label.len()));
        let start = floor_boundary(code, label.0 as usize) as u32;
        let end = floor_boundary(code, label.1.max(start) as usize) as u32;
        if let Some(error) = Self::in_literal(code, start, end, &error.message) {
            return error;
        }
        if let Some(before) = code.trim_end().strip_suffix(['@', '\\']) {
            // V8 has no decorators, and a backslash begins an escape: neither begins what more input could end.
            return Self::at(code, before.len() as u32, before.len() as u32 + 1, INVALID_TOKEN);
        }
        let mut token = Token::at(code, start);
        let next = Token::at(code, end);
        let after = Token::at(code, token.end());
        if token.text == "?." || token.text == "=>" && after.text.is_empty() {
            // What has to follow these is what lacks.
            token = after;
        }
        let says = |message: &str| Self::at(code, start, end, message);
        match &*error.message {
            "Empty parenthesized expression" if next.text.is_empty() => Self::end_of_input(code),
            "Empty parenthesized expression" => Self::at(code, end - 1, end, "Unexpected token ')'"),
            _ if token.text.is_empty() => Self::end_of_input(code),
            "Expected function body" => next.unexpected_error(code),
            "Expected function name" if token.text == "(" => {
                token.error(code, "Function statements require a function name")
            }
            "Unexpected token" | "Expected function name" | "Encountered diff marker" => token.unexpected_error(code),
            message if message.starts_with("Expected `,` or `)`") && follows_call(code, error) => {
                token.error(code, "missing ) after argument list")
            }
            message if message.starts_with("Expected ") || message.starts_with("Identifier expected") => {
                token.unexpected_error(code)
            }
            message @ "Missing initializer in const declaration" => {
                Self { incomplete: next.text.is_empty(), ..next.error(code, message) }
            }
            message @ "Missing initializer in destructuring declaration" => {
                Self { incomplete: next.text.is_empty(), ..says(message) }
            }
            "Cannot assign to this expression" | "Invalid left-hand side in assignment" => {
                Self::no_target(code, start, end)
            }
            "A 'return' statement can only be used within a function body." => token.error(code, ILLEGAL_RETURN),
            "Missing catch or finally clause" | "Illegal newline after throw" if next.text.is_empty() => {
                Self::end_of_input(code)
            }
            "Missing catch or finally clause" => next.error(code, "Missing catch or finally after try"),
            message @ "Illegal newline after throw" => next.error(code, message),
            "Unexpected import.meta expression" => says("Cannot use 'import.meta' outside a module"),
            "Invalid assignment in object literal" => says("Invalid shorthand property initializer"),
            "Keywords cannot contain escape characters" => says("Keyword must not contain escaped characters"),
            message if message.starts_with("`await` is only") || message.starts_with("`for await` loops are only") => {
                says("await is only valid in async functions and the top level bodies of modules")
            }
            message => says(message),
        }
    }

    /// The error for a comment, a literal or a character that is no token; `None` if `message` is about something else.
    fn in_literal(code: &str, start: u32, end: u32, message: &str) -> Option<Self> {
        let marked = &code[start as usize..end as usize];
        // The parser's mark goes to the next line, the literal does not.
        let marked_end = start + marked.trim_end_matches(LINE_ENDS).len() as u32;
        let says = |message: &str| Self::at(code, start, marked_end, message);
        Some(match message {
            "Unterminated multiline comment" => Self { incomplete: true, ..says(INVALID_TOKEN) },
            "Unterminated string" if marked.starts_with(['"', '\'']) => {
                // A backslash at the end of a line continues the string on the next line.
                let open = marked.strip_suffix("\r\n").or_else(|| marked.strip_suffix(LINE_ENDS));
                let continues = end as usize == code.len() && open.is_some_and(|text| text.ends_with('\\'));
                Self { incomplete: continues, ..says(INVALID_TOKEN) }
            }
            "Unterminated string" => Self { incomplete: true, ..says("Unterminated template literal") },
            "Unterminated regular expression" => says("Invalid regular expression: missing /"),
            "Unexpected end of file" | "Invalid characters after number" => says(INVALID_TOKEN),
            _ if message.starts_with("Invalid Character") => says(INVALID_TOKEN),
            _ => return None,
        })
    }

    fn end_of_input(code: &str) -> Self {
        let end = code.len() as u32;
        Self { incomplete: true, ..Self::at(code, end, end, UNEXPECTED_END) }
    }

    /// The error for `start..end`, to which nothing can be assigned.
    fn no_target(code: &str, start: u32, end: u32) -> Self {
        let next = Token::at(code, end);
        let before = code[..start as usize].trim_end();
        if next.text == "++" || next.text == "--" {
            return Self::at(code, start, end, "Invalid left-hand side expression in postfix operation");
        }
        if before.ends_with("++") || before.ends_with("--") {
            let incomplete = next.text.is_empty();
            let message = "Invalid left-hand side expression in prefix operation";
            return Self { incomplete, ..Self::at(code, start, end, message) };
        }
        Self::at(code, start, end, "Invalid left-hand side in assignment")
    }
}

/// Whether the bracket that an error's second label names opens the arguments of a call.
fn follows_call(code: &str, error: &OxcDiagnostic) -> bool {
    let Some(opening) = error.labels.get(1) else { return false };
    let before = code[..opening.offset() as usize].trim_end();
    let callee = before.strip_suffix("?.").unwrap_or(before).trim_end();
    let name_start = callee
        .rfind(|c: char| !is_identifier_part(c))
        .map_or(0, |at| at + callee[at..].chars().next().map_or(0, char::len_utf8));
    match &callee[name_start..] {
        "" => callee.ends_with([')', ']', '}', '`', '"', '\'']),
        "super" | "this" | "import" => true,
        name => {
            let is_function = callee[..name_start].trim_end().trim_end_matches('*').trim_end().ends_with("function");
            !is_function && name != "async" && !is_keyword(name)
        }
    }
}

/// Whether a word is never an identifier in sloppy mode.
fn is_keyword(word: &str) -> bool {
    const CONTEXTUAL: [&str; 10] =
        ["let", "static", "implements", "interface", "package", "private", "protected", "public", "await", "yield"];
    is_reserved_keyword(word) && !CONTEXTUAL.contains(&word)
}

/// The token at or after byte `from` of a text, with its first byte; empty at the end of the text.
#[must_use]
pub fn token_at(code: &str, from: u32) -> (u32, &str) {
    let token = Token::at(code, from);
    (token.start, token.text)
}

/// A token of a text, found without any knowledge of what comes before it.
struct Token<'c> {
    start: u32,
    /// Empty at the end of the text.
    text: &'c str,
}

impl<'c> Token<'c> {
    /// The first token at or after byte `from`.
    fn at(code: &'c str, from: u32) -> Self {
        let start = skip_trivia(code, from);
        let rest = &code[start as usize..];
        let Some(first) = rest.chars().next() else { return Self { start, text: "" } };
        let is_word = |c: char| is_identifier_part(c) || c == '\\';
        let run = |is: &dyn Fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let length = match first {
            '"' | '\'' => string_length(rest, first),
            '#' => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
            c if c.is_ascii_digit() || is_fraction(rest) => run(&|c| c == '.' || is_word(c)),
            c if is_identifier_start(c) || c == '\\' => run(&is_word),
            c => PUNCTUATION.iter().find(|mark| rest.starts_with(**mark)).map_or(c.len_utf8(), |mark| mark.len()),
        };
        Self { start, text: &rest[..length] }
    }

    /// Whether it is the keyword of an import declaration.
    fn is_import(&self, code: &str) -> bool {
        self.text == "import" && !matches!(Token::at(code, self.end()).text, "(" | "." | "")
    }

    fn end(&self) -> u32 {
        self.start + self.text.len() as u32
    }

    /// An error for this token.
    fn error(&self, code: &str, message: &str) -> SyntaxError {
        SyntaxError::at(code, self.start, self.end(), message)
    }

    /// The error for a token that may not be where it is.
    fn unexpected_error(&self, code: &str) -> SyntaxError {
        let text = self.text;
        let message = match text.chars().next() {
            None => return SyntaxError::end_of_input(code),
            Some(quote @ ('"' | '\'')) if text.len() > 1 && text.ends_with(quote) => "Unexpected string".to_owned(),
            Some('"' | '\'') => INVALID_TOKEN.to_owned(),
            Some('`') => "Unexpected template string".to_owned(),
            Some(c) if c.is_ascii_digit() || is_fraction(text) => "Unexpected number".to_owned(),
            Some(c) if (is_identifier_start(c) || c == '#' || c == '\\') && !is_keyword(text) => {
                format!("Unexpected identifier '{text}'")
            }
            Some(_) => format!("Unexpected token '{text}'"),
        };
        self.error(code, &message)
    }
}

/// Whether a text begins with a number that begins with a dot.
fn is_fraction(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Marks of more than one character, of which none begins a later one.
const PUNCTUATION: [&str; 33] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
];

/// Bytes of the string literal at the start of a text.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' | '\r' => return at,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The first byte at or after `from` that belongs neither to white space nor to a comment.
fn skip_trivia(code: &str, from: u32) -> u32 {
    let mut rest = &code[from as usize..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find(LINE_ENDS).map_or("", |at| &comment[at..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |at| &comment[at + 2..]);
        } else {
            return (code.len() - rest.len()) as u32;
        }
    }
}
