//! What is wrong with a text of JSON5, in the words of Bun's `JSON5.parse`: programs show them, and tests compare them.

use crate::cursor::{KEY, VALUE};
use crate::error::Problem;
use crate::numbers;

pub(crate) const PROPERTY_NAME: &str = "a property name";

/// The message for `problem` at offset `at`.
#[cold]
pub(crate) fn message(bytes: &[u8], at: usize, problem: Problem) -> &'static str {
    let rest = &bytes[at.min(bytes.len())..];
    match problem {
        Problem::Message("Unterminated comment") => "Unterminated multi-line comment",
        Problem::Message("Invalid escape in property name") => UNICODE,
        Problem::Message("Bad escaped character") => match rest.get(1) {
            Some(b'0'..=b'9') => "Octal escape sequences are not allowed in JSON5",
            Some(b'x') => "Invalid hex escape",
            Some(_) => UNICODE,
            None => CUT_ESCAPE,
        },
        // A line end, the only control character that a string may not have.
        Problem::Message("Bad control character in string literal") => "Unterminated string",
        Problem::Message("Unterminated string") if bytes.ends_with(b"\\") => CUT_ESCAPE,
        Problem::Message(message) => message,
        Problem::Wanted(wanted) => unexpected(rest, wanted),
    }
}

const UNICODE: &str = "Invalid unicode escape: expected 4 hex digits";
const CUT_ESCAPE: &str = "Unexpected end of input in escape sequence";
const END: &str = "Unexpected end of input";

/// The message where `wanted` should stand and `rest` does.
fn unexpected(rest: &[u8], wanted: &str) -> &'static str {
    let ended = rest.is_empty();
    match wanted {
        "':'" if ended || begins_token(rest) => "Expected ':' after object key",
        "',' or '}'" if ended => "Unterminated object",
        "',' or ']'" if ended => "Unterminated array",
        _ if ended => END,
        _ if !begins_token(rest) => "Unexpected character",
        "',' or '}'" if rest[0] == b']' => "Expected '}'",
        "',' or ']'" if rest[0] == b'}' => "Expected ']'",
        "',' or '}'" | "',' or ']'" => "Expected ','",
        PROPERTY_NAME | KEY => "Invalid identifier start character",
        VALUE => "Unexpected token",
        _ => "Unexpected token after JSON5 value",
    }
}

/// Whether the first character can begin a token of JSON5.
fn begins_token(rest: &[u8]) -> bool {
    match rest.first() {
        Some(
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b'\'' | b'+' | b'-' | b'.' | b'$' | b'_' | b'\\' | 0x80..,
        ) => true,
        Some(byte) => byte.is_ascii_alphanumeric(),
        None => false,
    }
}

/// How many bytes of `word`, which is not a number, are one, so that what follows is the mistake. An error is the message for the
/// number itself.
#[cold]
pub(crate) fn number_prefix(word: &[u8], at_end: bool) -> Result<usize, &'static str> {
    let rest = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"+")).unwrap_or(word);
    match rest {
        [] if at_end => return Err(END),
        [] | [b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-', ..] => return Err("Unexpected character"),
        [b'0', b'x' | b'X', more @ ..] if !more.first().is_some_and(u8::is_ascii_hexdigit) => {
            return Err("Invalid hex number");
        }
        [b'0', b'0'..=b'9', ..] => return Err("Leading zeros are not allowed in JSON5"),
        _ => {}
    }
    let length = (1..word.len()).rev().find(|&length| numbers::is_number(&word[..length], crate::Flavor::Json5));
    match length {
        // An exponent without digits belongs to the number.
        Some(length) if !matches!(word[length], b'e' | b'E') => Ok(length),
        _ => Err("Invalid number"),
    }
}
