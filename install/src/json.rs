//! JSON and JSONC: a cursor for formats that are read in one pass, and a small tree for package.json.

use std::borrow::Cow;

/// A position in a document. Methods give nothing at the first thing that is not JSON.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// The same where all of it is UTF-8: checked once instead of for every string.
    text: Option<&'a str>,
    pub at: usize,
    /// Comments and trailing commas are allowed.
    lenient: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, text: std::str::from_utf8(bytes).ok(), at: 0, lenient: false }
    }

    /// For JSONC: comments and trailing commas.
    pub fn lenient(bytes: &'a [u8]) -> Self {
        Self { bytes, text: std::str::from_utf8(bytes).ok(), at: 0, lenient: true }
    }

    /// The next byte that is no white space, not consumed; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&byte) if byte > b' ' && byte != b'/' => byte,
            _ => self.peek_further(),
        }
    }

    fn peek_further(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(b'/') if self.lenient => match self.bytes.get(self.at + 1) {
                    Some(b'/') => {
                        self.at += memchr::memchr(b'\n', &self.bytes[self.at..]).unwrap_or(self.bytes.len() - self.at);
                    }
                    Some(b'*') => {
                        let rest = &self.bytes[self.at + 2..];
                        self.at += 2 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                    }
                    _ => return b'/',
                },
                Some(&byte) => return byte,
                None => return 0,
            }
        }
    }

    /// Consumes `byte` after white space.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        if self.peek() == byte && self.at < self.bytes.len() {
            self.at += 1;
            return true;
        }
        false
    }

    /// Where the text between the quotes begins and ends, and whether it has escapes.
    #[inline]
    fn raw(&mut self) -> Option<(usize, usize, bool)> {
        if !self.eat(b'"') {
            return None;
        }
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += quote_or_escape(&self.bytes[self.at..])?;
            if self.bytes[self.at] == b'"' {
                let end = self.at;
                self.at += 1;
                return Some((start, end, escaped));
            }
            escaped = true;
            self.at += 2;
            if self.at > self.bytes.len() {
                return None;
            }
        }
    }

    /// A string.
    pub fn string(&mut self) -> Option<Cow<'a, str>> {
        let (start, end, escaped) = self.raw()?;
        let text = match self.text {
            Some(text) => text.get(start..end)?,
            None => std::str::from_utf8(&self.bytes[start..end]).ok()?,
        };
        if escaped { Some(Cow::Owned(unescape(text)?)) } else { Some(Cow::Borrowed(text)) }
    }

    /// A key as raw bytes, with its colon. For comparing with known names.
    #[inline]
    pub fn key(&mut self) -> Option<&'a [u8]> {
        let (start, end, _) = self.raw()?;
        self.eat(b':').then_some(&self.bytes[start..end])
    }

    /// A key that may have escapes, with its colon.
    pub fn key_text(&mut self) -> Option<Cow<'a, str>> {
        let key = self.string()?;
        self.eat(b':').then_some(key)
    }

    /// After `{` or a member: consumes the comma or the end; whether another member follows. `first` is set by the caller.
    pub fn more(&mut self, close: u8, first: &mut bool) -> Option<bool> {
        if self.peek() == close {
            if !*first && !self.lenient && self.last_significant() == b',' {
                return None;
            }
            self.at += 1;
            return Some(false);
        }
        if *first {
            *first = false;
            return (self.at < self.bytes.len()).then_some(true);
        }
        if !self.eat(b',') {
            return None;
        }
        if self.peek() == close {
            if !self.lenient {
                return None;
            }
            self.at += 1;
            return Some(false);
        }
        Some(true)
    }

    fn last_significant(&self) -> u8 {
        self.bytes[..self.at].iter().rev().copied().find(|byte| !byte.is_ascii_whitespace()).unwrap_or(0)
    }

    /// Skips a value of any kind without looking into it.
    pub fn skip(&mut self) -> Option<()> {
        match self.peek() {
            b'"' => self.raw().map(|_| ()),
            b'{' | b'[' => {
                let mut depth = 0usize;
                loop {
                    if self.lenient {
                        self.peek();
                    }
                    let rest = &self.bytes[self.at..];
                    let next = rest.iter().position(|byte| {
                        matches!(byte, b'"' | b'{' | b'}' | b'[' | b']') || (self.lenient && *byte == b'/')
                    })?;
                    self.at += next;
                    match self.bytes[self.at] {
                        b'"' => {
                            self.raw()?;
                        }
                        b'/' => {
                            if self.peek() == b'/' {
                                return None;
                            }
                        }
                        b'{' | b'[' => {
                            depth += 1;
                            self.at += 1;
                        }
                        _ => {
                            depth -= 1;
                            self.at += 1;
                            if depth == 0 {
                                return Some(());
                            }
                        }
                    }
                }
            }
            0 => None,
            _ => {
                let rest = &self.bytes[self.at..];
                let length = rest
                    .iter()
                    .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')))
                    .unwrap_or(rest.len());
                self.at += length;
                (length > 0).then_some(())
            }
        }
    }

    /// A whole number.
    pub fn integer(&mut self) -> Option<u64> {
        self.peek();
        let start = self.at;
        self.skip()?;
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    pub fn boolean(&mut self) -> Option<bool> {
        self.peek();
        let start = self.at;
        self.skip()?;
        match &self.bytes[start..self.at] {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// The value at the cursor as a tree. At most 200 levels deep.
    pub fn value(&mut self) -> Option<Value<'a>> {
        self.value_at(0)
    }

    fn value_at(&mut self, depth: usize) -> Option<Value<'a>> {
        if depth > 200 {
            return None;
        }
        let start = {
            self.peek();
            self.at
        };
        let node = match self.peek() {
            b'"' => Node::String(self.string()?),
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                let mut first = true;
                while self.more(b'}', &mut first)? {
                    self.peek();
                    let key_at = self.at;
                    let key = self.key_text()?;
                    members.push(Member { key, key_at, value: self.value_at(depth + 1)? });
                }
                Node::Object(members)
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                let mut first = true;
                while self.more(b']', &mut first)? {
                    items.push(self.value_at(depth + 1)?);
                }
                Node::Array(items)
            }
            _ => {
                self.skip()?;
                match &self.bytes[start..self.at] {
                    b"true" => Node::Bool(true),
                    b"false" => Node::Bool(false),
                    b"null" => Node::Null,
                    text => Node::Number(std::str::from_utf8(text).ok()?.parse().ok()?),
                }
            }
        };
        Some(Value { node, start, end: self.at })
    }
}

/// Place of the first `"` or backslash. Most strings are shorter than what the vector search is worth calling for.
#[inline]
fn quote_or_escape(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let (words, _) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().take(4).enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
        if found != 0 {
            return Some(place * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let from = words.len().min(4) * 8;
    memchr::memchr2(b'"', b'\\', &bytes[from..]).map(|at| from + at)
}

/// Resolves escapes; a lone surrogate becomes U+FFFD.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        let c = chars.next()?;
        rest = chars.as_str();
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '"' | '\\' | '/' => out.push(c),
            'u' => {
                let mut code = u32::from_str_radix(rest.get(..4)?, 16).ok()?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&code)
                    && rest.starts_with("\\u")
                    && let Some(low) = rest.get(2..6).and_then(|text| u32::from_str_radix(text, 16).ok())
                    && (0xdc00..0xe000).contains(&low)
                {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    rest = &rest[6..];
                }
                out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            _ => return None,
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Appends `text` as a JSON string with quotes.
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    quote_bare(text, out);
    out.push('"');
}

/// Appends `text` with JSON's escapes and without quotes.
pub fn quote_bare(text: &str, out: &mut String) {
    use std::fmt::Write;
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..0x20 | 0x7f => "",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        if escape.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// A value with its place in the text, so that an edit can replace just that.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    pub node: Node<'a>,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Debug)]
pub enum Node<'a> {
    Null,
    Bool(bool),
    Number(f64),
    String(Cow<'a, str>),
    Array(Vec<Value<'a>>),
    Object(Vec<Member<'a>>),
}

#[derive(Clone, Debug)]
pub struct Member<'a> {
    pub key: Cow<'a, str>,
    pub key_at: usize,
    pub value: Value<'a>,
}

impl<'a> Value<'a> {
    /// Reads a whole document (JSONC). The error is the offset where it stops being one.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, usize> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut cursor = Cursor::lenient(bytes);
        match cursor.value() {
            Some(value) if cursor.peek() == 0 && cursor.at >= bytes.len() => Ok(value),
            _ => Err(cursor.at),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        match &self.node {
            Node::Object(members) => members.iter().rev().find(|member| member.key == key).map(|member| &member.value),
            _ => None,
        }
    }

    pub fn str(&self) -> Option<&str> {
        match &self.node {
            Node::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn bool(&self) -> Option<bool> {
        match self.node {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn members(&self) -> &[Member<'a>] {
        match &self.node {
            Node::Object(members) => members,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Value<'a>] {
        match &self.node {
            Node::Array(items) => items,
            _ => &[],
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self.node, Node::Object(_))
    }

    /// `get(key)` as a string, or empty.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::str).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_with_comments_and_trailing_commas() {
        let text = br#"// head
        { "a": [1, 2,], /* x */ "b": {"c": "d\u0041\ud83d\ude00\n",}, "e": null, "f": true, }
        "#;
        let value = Value::parse(text).unwrap();
        assert_eq!(value.get("b").unwrap().text("c"), "dA\u{1f600}\n");
        assert_eq!(value.get("a").unwrap().items().len(), 2);
        for bad in ["{", "{\"a\"}", "[1 2]", "{\"a\":1}x", "\"abc", "{\"a\":}", "[,]"] {
            assert!(Value::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn skipping_stops_after_the_value() {
        let mut cursor = Cursor::new(br#"{"a":{"b":["}",{"\"":1}]},"c":-1.5e3} tail"#);
        cursor.skip().unwrap();
        assert_eq!(&cursor.bytes[cursor.at..], b" tail");
    }
}
