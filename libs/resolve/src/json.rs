//! A JSON reader for `package.json`: JSON plus comments and trailing commas (JSONC), key order
//! kept, positions in errors. Values that the caller does not need are checked and skipped without being built,
//! which is what makes reading the large manifests of published packages cheap.

use std::borrow::Cow;
use std::fmt;

/// A value that keeps the order of object keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// As written.
    Number(Box<str>),
    String(Box<str>),
    Array(Vec<Json>),
    /// A repeated key keeps its first place and its last value, as in JavaScript.
    Object(Vec<(Box<str>, Json)>),
}

/// Where and why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.message, self.line, self.column)
    }
}

/// Objects and arrays nested deeper than this are refused rather than risking the stack.
const MAX_DEPTH: u32 = 512;

type Read<T> = Result<T, JsonError>;

pub(crate) struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Reader { text, bytes: text.as_bytes(), at: 0, depth: 0 }
    }

    #[cold]
    fn error<T>(&self, at: usize, message: impl Into<String>) -> Read<T> {
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        Err(JsonError {
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
            message: message.into(),
        })
    }

    #[cold]
    fn unexpected<T>(&self) -> Read<T> {
        match self.text[self.text.floor_char_boundary(self.at)..].chars().next() {
            None => self.error(self.at, "Unexpected end of JSON input"),
            Some(c) => self.error(self.at, format!("Unexpected token '{c}'")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Read<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(b'/') => match self.bytes.get(self.at + 1) {
                    Some(b'/') => {
                        let rest = &self.bytes[self.at..];
                        let len = rest.iter().position(|&b| b == b'\n');
                        self.at += len.unwrap_or(rest.len());
                    }
                    Some(b'*') => match self.text[self.at + 2..].find("*/") {
                        Some(len) => self.at += len + 4,
                        None => return self.error(self.at, "Unterminated comment"),
                    },
                    _ => return self.unexpected(),
                },
                _ => return Ok(()),
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Read<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            self.unexpected()
        }
    }

    fn enter(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(self.at, "Nested too deeply");
        }
        Ok(())
    }

    /// Whether the value that follows is an object; leaves it unread.
    pub fn at_object(&mut self) -> Read<bool> {
        self.space()?;
        Ok(self.peek() == Some(b'{'))
    }

    /// Reads an object, giving each key to `field`, which must read or skip its value.
    pub fn object(&mut self, mut field: impl FnMut(&mut Self, Cow<'a, str>) -> Read<()>) -> Read<()> {
        self.space()?;
        self.expect(b'{')?;
        self.enter()?;
        loop {
            self.space()?;
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') => {}
                _ => return self.unexpected(),
            }
            let key = self.string()?;
            self.space()?;
            self.expect(b':')?;
            field(self, key)?;
            self.space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.unexpected(),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self, mut item: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        self.expect(b'[')?;
        self.enter()?;
        loop {
            self.space()?;
            if self.peek() == Some(b']') {
                break;
            }
            item(self)?;
            self.space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.unexpected(),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// Checks that nothing but space follows.
    pub fn end(&mut self) -> Read<()> {
        self.space()?;
        if self.at < self.bytes.len() {
            return self.unexpected();
        }
        Ok(())
    }

    /// Reads and drops a value.
    pub fn skip(&mut self) -> Read<()> {
        self.space()?;
        match self.peek() {
            Some(b'{') => self.object(|r, _| r.skip()),
            Some(b'[') => self.array(Self::skip),
            Some(b'"') => self.string().map(drop),
            _ => self.scalar().map(drop),
        }
    }

    /// Reads a value.
    pub fn value(&mut self) -> Read<Json> {
        self.space()?;
        match self.peek() {
            Some(b'{') => {
                let mut fields: Vec<(Box<str>, Json)> = Vec::new();
                self.object(|r, key| {
                    let value = r.value()?;
                    match fields.iter_mut().find(|(k, _)| **k == *key) {
                        Some(field) => field.1 = value,
                        None => fields.push((key.into(), value)),
                    }
                    Ok(())
                })?;
                Ok(Json::Object(fields))
            }
            Some(b'[') => {
                let mut items = Vec::new();
                self.array(|r| {
                    items.push(r.value()?);
                    Ok(())
                })?;
                Ok(Json::Array(items))
            }
            Some(b'"') => Ok(Json::String(self.string()?.into())),
            _ => self.scalar(),
        }
    }

    /// Reads a value and gives it back when it is a string.
    pub fn string_value(&mut self) -> Read<Option<Box<str>>> {
        self.space()?;
        if self.peek() == Some(b'"') {
            return Ok(Some(self.string()?.into()));
        }
        self.skip()?;
        Ok(None)
    }

    fn scalar(&mut self) -> Read<Json> {
        let start = self.at;
        while matches!(self.peek(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        match word {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            _ if is_number(word) => Ok(Json::Number(word.into())),
            _ => {
                self.at = start;
                self.unexpected()
            }
        }
    }

    fn string(&mut self) -> Read<Cow<'a, str>> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Cow::Borrowed(&self.text[start..at]));
                }
                Some(b'\\') => break,
                Some(0..0x20) => return self.error(at, "Bad control character in string literal"),
                Some(_) => at += 1,
                None => return self.error(at, "Unterminated string"),
            }
        }
        self.escaped_string(start, at)
    }

    #[cold]
    fn escaped_string(&mut self, start: usize, first_escape: usize) -> Read<Cow<'a, str>> {
        let mut out = self.text[start..first_escape].to_owned();
        let mut at = first_escape;
        loop {
            let run = at;
            while !matches!(self.bytes.get(at), Some(b'"' | b'\\' | 0..0x20) | None) {
                at += 1;
            }
            out.push_str(&self.text[run..at]);
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => {
                    let plain = match self.bytes.get(at + 1) {
                        Some(b'u') => {
                            at = self.unicode_escape(at, &mut out)?;
                            continue;
                        }
                        Some(b'n') => '\n',
                        Some(b't') => '\t',
                        Some(b'r') => '\r',
                        Some(b'b') => '\u{8}',
                        Some(b'f') => '\u{c}',
                        Some(&c @ (b'"' | b'\\' | b'/')) => c as char,
                        _ => return self.error(at, "Bad escaped character"),
                    };
                    out.push(plain);
                    at += 2;
                }
                Some(_) => return self.error(at, "Bad control character in string literal"),
                None => return self.error(at, "Unterminated string"),
            }
        }
    }

    /// Reads `\uXXXX` (and the second half of a surrogate pair) at `at`; gives where it ends.
    fn unicode_escape(&self, at: usize, out: &mut String) -> Read<usize> {
        let unit = |at: usize| -> Option<u32> {
            let head = self.bytes.get(at..at + 2)?;
            let digits = self.text.get(at + 2..at + 6)?;
            if head != b"\\u" || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            u32::from_str_radix(digits, 16).ok()
        };
        let Some(high) = unit(at) else {
            return self.error(at, "Bad Unicode escape");
        };
        if (0xd800..0xdc00).contains(&high)
            && let Some(low @ 0xdc00..0xe000) = unit(at + 6)
        {
            let point = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            out.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
            return Ok(at + 12);
        }
        out.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(at + 6)
    }
}

/// The number grammar of RFC 8259.
fn is_number(word: &str) -> bool {
    let digits = |s: &mut &[u8]| {
        let len = s.iter().take_while(|b| b.is_ascii_digit()).count();
        *s = &s[len..];
        len
    };
    let mut s = word.as_bytes();
    if let [b'-', rest @ ..] = s {
        s = rest;
    }
    let leading_zero = s.first() == Some(&b'0');
    let whole = digits(&mut s);
    if whole == 0 || (leading_zero && whole > 1) {
        return false;
    }
    if let [b'.', rest @ ..] = s {
        s = rest;
        if digits(&mut s) == 0 {
            return false;
        }
    }
    if let [b'e' | b'E', rest @ ..] = s {
        s = rest;
        if let [b'+' | b'-', rest @ ..] = s {
            s = rest;
        }
        if digits(&mut s) == 0 {
            return false;
        }
    }
    s.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Read<Json> {
        let mut reader = Reader::new(text);
        let value = reader.value()?;
        reader.end()?;
        Ok(value)
    }

    #[test]
    fn values() {
        let json = parse(
            r#" // c
            { "a": [1, -2.5e3, true, null,], /* x */ "b": "q\"\u0041\ud83d\ude00\n", "a": {}, } "#,
        );
        assert_eq!(
            json,
            Ok(Json::Object(vec![("a".into(), Json::Object(vec![])), ("b".into(), Json::String("q\"A😀\n".into())),]))
        );
        assert_eq!(parse("\u{feff}[]"), Ok(Json::Array(vec![])));
    }

    #[test]
    fn positions() {
        let at = |text| {
            let error = parse(text).unwrap_err();
            (error.line, error.column, error.message)
        };
        assert_eq!(at(""), (1, 1, "Unexpected end of JSON input".into()));
        assert_eq!(at("{\n \"é\": }"), (2, 7, "Unexpected token '}'".into()));
        assert_eq!(at("{\"a\": 01}"), (1, 7, "Unexpected token '0'".into()));
        assert_eq!(at("[1 2]"), (1, 4, "Unexpected token '2'".into()));
        assert_eq!(at("{} x"), (1, 4, "Unexpected token 'x'".into()));
        assert_eq!(at("\"a"), (1, 3, "Unterminated string".into()));
        assert_eq!(at("/* a"), (1, 1, "Unterminated comment".into()));
        assert_eq!(at("{a:1}"), (1, 2, "Unexpected token 'a'".into()));
        assert_eq!(at("\"\\x\""), (1, 2, "Bad escaped character".into()));
        assert_eq!(at("[,]"), (1, 2, "Unexpected token ','".into()));
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        let text = "[".repeat(100_000);
        assert_eq!(parse(&text).unwrap_err().message, "Nested too deeply");
        let mut reader = Reader::new(&text);
        assert!(reader.skip().is_err());
    }

    #[test]
    fn numbers() {
        for good in ["0", "-0", "10", "1.5", "1e9", "1E-9", "-1.0e+2"] {
            assert!(is_number(good), "{good}");
        }
        for bad in ["", "-", "01", "1.", ".5", "1e", "+1", "0x1", "1a"] {
            assert!(!is_number(bad), "{bad}");
        }
    }
}
