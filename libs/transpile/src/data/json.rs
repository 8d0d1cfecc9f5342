//! JSON, JSONC and JSON5 in one parser.
//!
//! JSON: RFC 8259. JSONC: JSON with `//` and `/* */` comments and trailing commas (as tsconfig.json and
//! bun.lock have them). JSON5: <https://spec.json5.org>. A leading byte order mark is skipped everywhere.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::value::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// Source maps; nothing but JSON.
    Json,
    Jsonc,
    Json5,
}

/// Deepest nesting of arrays and objects. The parser is recursive; no file that a person wrote comes close.
const MAX_DEPTH: u32 = 1_000;

/// An error: message and byte offset.
pub(crate) type Failure = (String, u32);

/// Parses a whole text.
pub(crate) fn parse(text: &str, flavor: Flavor) -> Result<Value<'_>, Failure> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, flavor, depth: 0 };
    if text.starts_with('\u{feff}') {
        parser.at = 3;
    }
    parser.skip_space()?;
    let value = parser.value()?;
    parser.skip_space()?;
    if parser.at < text.len() {
        return Err(parser.unexpected("end of input"));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    flavor: Flavor,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err((message.into(), self.at as u32))
    }

    fn unexpected(&self, wanted: &str) -> Failure {
        let found = match self.text[self.at..].chars().next() {
            Some(c) => format!("'{}'", c.escape_debug()),
            None => "end of input".to_owned(),
        };
        (format!("Expected {wanted} but found {found}"), self.at as u32)
    }

    fn skip_space(&mut self) -> Result<(), Failure> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') if self.flavor != Flavor::Json => self.skip_comment()?,
                Some(0x0b | 0x0c) if self.flavor == Flavor::Json5 => self.at += 1,
                Some(0x80..) if self.flavor == Flavor::Json5 => {
                    let c = self.text[self.at..].chars().next().unwrap_or_default();
                    if !c.is_whitespace() && c != '\u{feff}' {
                        return Ok(());
                    }
                    self.at += c.len_utf8();
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Failure> {
        match self.bytes.get(self.at + 1) {
            Some(b'/') => {
                let rest = &self.bytes[self.at..];
                self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                Ok(())
            }
            Some(b'*') => match memchr::memmem::find(&self.bytes[self.at + 2..], b"*/") {
                Some(length) => {
                    self.at += length + 4;
                    Ok(())
                }
                None => self.fail("Unterminated comment"),
            },
            _ => Err(self.unexpected("a value")),
        }
    }

    fn value(&mut self) -> Result<Value<'a>, Failure> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::String(self.string(b'"')?)),
            Some(b'\'') if self.flavor == Flavor::Json5 => Ok(Value::String(self.string(b'\'')?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'+' | b'.' | b'I' | b'N') if self.flavor == Flavor::Json5 => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Value<'a>, Failure>) -> Result<Value<'a>, Failure> {
        if self.depth == MAX_DEPTH {
            return self.fail("Nested too deeply");
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Failure> {
        let end = self.at + word.len();
        let whole = self.bytes[self.at..].starts_with(word.as_bytes())
            && !self.bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$');
        if !whole {
            return Err(self.unexpected("a value"));
        }
        self.at = end;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value<'a>, Failure> {
        let mut items = Vec::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some(b']') && (items.is_empty() || self.flavor != Flavor::Json) {
                break;
            }
            items.push(self.value()?);
            self.skip_space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    fn object(&mut self) -> Result<Value<'a>, Failure> {
        let mut entries = Vec::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some(b'}') && (entries.is_empty() || self.flavor != Flavor::Json) {
                break;
            }
            let key = match self.peek() {
                Some(b'"') => self.string(b'"')?,
                Some(b'\'') if self.flavor == Flavor::Json5 => self.string(b'\'')?,
                Some(_) if self.flavor == Flavor::Json5 => self.identifier()?,
                _ => return Err(self.unexpected("a property name in double quotes")),
            };
            self.skip_space()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            self.skip_space()?;
            let value = self.value()?;
            entries.push((key, value));
            self.skip_space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("',' or '}'")),
            }
        }
        self.at += 1;
        if self.flavor == Flavor::Json5 {
            // Paths to special values need unique keys; the last one counts, as in `JSON.parse`.
            keep_last(&mut entries);
        }
        Ok(Value::Object(entries))
    }

    /// An ECMAScript 5.1 identifier name, with `\uXXXX` escapes.
    fn identifier(&mut self) -> Result<Cow<'a, str>, Failure> {
        let start = self.at;
        let mut owned: Option<String> = None;
        loop {
            let first = self.at == start;
            let Some(c) = self.text[self.at..].chars().next() else {
                break;
            };
            let from = self.at;
            let c = if c == '\\' {
                if self.bytes.get(self.at + 1) != Some(&b'u') {
                    return self.fail("Invalid escape in property name");
                }
                self.at += 2;
                let unit = self.hex(4)?;
                let Some(c) = char::from_u32(unit) else {
                    return self.fail("Invalid escape in property name");
                };
                owned.get_or_insert_with(|| self.text[start..from].to_owned());
                c
            } else {
                self.at += c.len_utf8();
                c
            };
            let fits = c == '$'
                || c == '_'
                || if first { c.is_alphabetic() } else { c.is_alphanumeric() || "\u{200c}\u{200d}".contains(c) };
            if !fits {
                self.at = from;
                break;
            }
            if let Some(owned) = &mut owned {
                owned.push(c);
            }
        }
        if self.at == start {
            return Err(self.unexpected("a property name"));
        }
        Ok(owned.map_or(Cow::Borrowed(&self.text[start..self.at]), Cow::Owned))
    }

    fn hex(&mut self, digits: usize) -> Result<u32, Failure> {
        let Some(text) = self.text.get(self.at..self.at + digits) else {
            return self.fail("Invalid escape");
        };
        if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return self.fail("Invalid escape");
        }
        self.at += digits;
        Ok(u32::from_str_radix(text, 16).unwrap_or(0))
    }

    fn string(&mut self, quote: u8) -> Result<Cow<'a, str>, Failure> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        let mut plain = start;
        loop {
            let rest = &self.bytes[self.at..];
            // Control characters below 0x20 are errors in JSON; they are checked piece by piece.
            let Some(length) = memchr::memchr2(quote, b'\\', rest) else {
                self.at = open;
                return self.fail("Unterminated string");
            };
            self.check_controls(length)?;
            self.at += length;
            if self.bytes[self.at] == quote {
                let piece = &self.text[plain..self.at];
                self.at += 1;
                return Ok(match owned {
                    None => Cow::Borrowed(piece),
                    Some(mut text) => {
                        text.push_str(piece);
                        Cow::Owned(text)
                    }
                });
            }
            let text = owned.get_or_insert_default();
            text.push_str(&self.text[plain..self.at]);
            self.at += 1;
            self.escape(owned.as_mut().expect("set above"))?;
            plain = self.at;
        }
    }

    fn check_controls(&mut self, length: usize) -> Result<(), Failure> {
        let piece = &self.bytes[self.at..self.at + length];
        let bad = match self.flavor {
            Flavor::Json5 => piece.iter().position(|b| matches!(b, b'\n' | b'\r')),
            _ => piece.iter().position(|b| *b < 0x20),
        };
        if let Some(index) = bad {
            self.at += index;
            return self.fail("Unterminated string");
        }
        Ok(())
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Failure> {
        let Some(c) = self.text[self.at..].chars().next() else {
            return self.fail("Unterminated string");
        };
        self.at += c.len_utf8();
        let json5 = self.flavor == Flavor::Json5;
        match c {
            '"' | '\\' | '/' => out.push(c),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let unit = self.hex(4)?;
                out.push(self.surrogate(unit)?);
            }
            'v' if json5 => out.push('\u{b}'),
            '0' if json5 && !self.peek().is_some_and(|b| b.is_ascii_digit()) => out.push('\0'),
            'x' if json5 => {
                let unit = self.hex(2)?;
                out.push(char::from_u32(unit).unwrap_or_default());
            }
            '\r' if json5 => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
            }
            '\n' | '\u{2028}' | '\u{2029}' if json5 => {}
            '1'..='9' | '0' => return self.fail("Invalid escape"),
            _ if json5 => out.push(c),
            _ => return self.fail("Invalid escape"),
        }
        Ok(())
    }

    /// Completes a surrogate pair; a lone surrogate becomes U+FFFD because Rust strings cannot hold it.
    fn surrogate(&mut self, unit: u32) -> Result<char, Failure> {
        if (0xd800..0xdc00).contains(&unit) && self.bytes[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.hex(4)?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn number(&mut self) -> Result<Value<'a>, Failure> {
        let start = self.at;
        let json5 = self.flavor == Flavor::Json5;
        let mut negative = false;
        if let Some(sign @ (b'-' | b'+')) = self.peek() {
            negative = sign == b'-';
            self.at += 1;
        }
        if json5 {
            let sign = if negative { -1.0 } else { 1.0 };
            match self.peek() {
                Some(b'I') => return self.word("Infinity", Value::Number(sign * f64::INFINITY)),
                Some(b'N') => return self.word("NaN", Value::Number(f64::NAN)),
                Some(b'0') if matches!(self.bytes.get(self.at + 1), Some(b'x' | b'X')) => {
                    self.at += 2;
                    return self.hexadecimal(sign);
                }
                _ => {}
            }
        }
        let whole = self.digits();
        if whole > 1 && self.bytes[self.at - whole] == b'0' {
            return self.fail("Numbers must not start with a zero");
        }
        let mut fraction = 0;
        let has_point = self.peek() == Some(b'.');
        if has_point {
            self.at += 1;
            fraction = self.digits();
        }
        let plain_json = whole > 0 && (!has_point || fraction > 0) && self.bytes[start] != b'+';
        if whole + fraction == 0 || (!json5 && !plain_json) {
            return Err(self.unexpected("a digit"));
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'-' | b'+') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.unexpected("a digit"));
            }
        }
        let text = &self.text[start..self.at];
        if json5 && self.text[self.at..].chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            return Err(self.unexpected("the end of a number"));
        }
        if plain_json {
            return Ok(Value::NumberText(text));
        }
        // Rust reads `.5`, `5.` and `+5` as JSON5 does.
        Ok(Value::Number(text.parse().unwrap_or(f64::NAN)))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn hexadecimal(&mut self, sign: f64) -> Result<Value<'a>, Failure> {
        let mut value = 0.0;
        let start = self.at;
        while let Some(digit) = self.peek().and_then(|b| (b as char).to_digit(16)) {
            value = value * 16.0 + f64::from(digit);
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected("a hexadecimal digit"));
        }
        Ok(Value::Number(sign * value))
    }
}

fn keep_last(entries: &mut Vec<(Cow<'_, str>, Value<'_>)>) {
    let mut seen = FxHashSet::default();
    let keep = entries.iter().rev().map(|(key, _)| seen.insert(key.as_ref())).collect::<Vec<_>>();
    let mut keep = keep.into_iter().rev();
    entries.retain(|_| keep.next().unwrap_or(true));
}
