//! The cursor: one pass over a document, with nothing built that is not asked for.

use std::borrow::Cow;

use crate::error::{Error, Problem};
use crate::{json5, numbers};

/// The dialect of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// RFC 8259 and nothing else: registry documents, source maps.
    Json,
    /// JSON with comments and trailing commas: package.json, tsconfig.json, bun.lock.
    Jsonc,
    /// <https://spec.json5.org>.
    Json5,
}

/// Deepest nesting of arrays and objects. Bun's limit is its stack, which lasts for some ten thousand levels; trees of
/// this depth are still dropped on the 2 MB stack of a thread.
pub const MAX_DEPTH: usize = 10_000;

/// A position in a document.
///
/// Methods give `None` at the first thing that is not JSON, or not what the caller asked for; the cursor stays there and
/// [`Cursor::error`] says where that is and what is wrong.
pub struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    /// The same, if all of it is UTF-8: checked once and not for every string.
    pub(crate) text: Option<&'a str>,
    /// Offset of the next byte. Never beyond the end.
    pub at: usize,
    pub(crate) flavor: Flavor,
    /// Whether strings and skipped values are checked.
    pub(crate) checked: bool,
    /// Objects that [`Cursor::object`] is inside of.
    depth: usize,
    failure: Option<(usize, Problem)>,
}

impl<'a> Cursor<'a> {
    /// At the beginning of `bytes`, behind a byte order mark.
    pub fn new(bytes: &'a [u8], flavor: Flavor) -> Self {
        Self::start(bytes, std::str::from_utf8(bytes).ok(), flavor, true)
    }

    /// As [`Cursor::new`], for text that is known to be UTF-8.
    pub fn of(text: &'a str, flavor: Flavor) -> Self {
        Self::start(text.as_bytes(), Some(text), flavor, true)
    }

    /// For JSON that a machine wrote (the documents of a registry): values are skipped by their brackets alone, and
    /// control characters in strings pass.
    pub fn unchecked(bytes: &'a [u8]) -> Self {
        Self::start(bytes, std::str::from_utf8(bytes).ok(), Flavor::Json, false)
    }

    fn start(bytes: &'a [u8], text: Option<&'a str>, flavor: Flavor, checked: bool) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, text, at, flavor, checked, depth: 0, failure: None }
    }

    /// Why the last method gave `None`. If that was no mistake of the syntax but a value of another kind than the
    /// caller asked for, the place is where the cursor stands.
    #[cold]
    pub fn error(&self) -> Error {
        let (at, problem) = self.failure.unwrap_or((self.at, Problem::Wanted("something else")));
        Error::new(self.bytes, at, problem, self.flavor)
    }

    #[cold]
    pub(crate) fn fail<T>(&mut self, at: usize, message: &'static str) -> Option<T> {
        self.failure = Some((at, Problem::Message(message)));
        self.at = at;
        None
    }

    /// Notes what should stand at the cursor, unless the white space before it is the problem.
    #[cold]
    pub(crate) fn wanted<T>(&mut self, what: &'static str) -> Option<T> {
        if !matches!(self.failure, Some((at, Problem::Message(_))) if at == self.at) {
            self.failure = Some((self.at, Problem::Wanted(what)));
        }
        None
    }

    /// The next byte that is no white space and no comment, not consumed; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&byte) if byte > b' ' && byte < 0x80 && byte != b'/' => byte,
            _ => self.peek_further(),
        }
    }

    fn peek_further(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(b'/') if self.flavor != Flavor::Json => {
                    if !self.comment() {
                        return b'/';
                    }
                }
                Some(0x0b | 0x0c) if self.flavor == Flavor::Json5 => self.at += 1,
                Some(&byte @ 0x80..) if self.flavor == Flavor::Json5 => match self.char() {
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
                    _ => return byte,
                },
                Some(&byte) => return byte,
                None => return 0,
            }
        }
    }

    /// Skips the comment at the cursor; false if it is none or has no end.
    fn comment(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        match rest.get(1) {
            Some(b'/') => {
                let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                // The other line ends of ECMAScript, which JSON5 shares: U+2028 and U+2029.
                let separator =
                    || rest[..end].windows(3).position(|three| matches!(three, b"\xe2\x80\xa8" | b"\xe2\x80\xa9"));
                self.at += if self.flavor == Flavor::Json5 { separator().unwrap_or(end) } else { end };
                true
            }
            Some(b'*') => match memchr::memmem::find(&rest[2..], b"*/") {
                Some(length) => {
                    self.at += length + 4;
                    true
                }
                None => {
                    self.fail::<()>(self.at, "Unterminated comment");
                    false
                }
            },
            _ => false,
        }
    }

    /// The character at the cursor. `None` at the end, and in text that is not UTF-8.
    pub(crate) fn char(&self) -> Option<char> {
        self.text?.get(self.at..)?.chars().next()
    }

    /// Consumes `byte`, after white space.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        if self.peek() == byte && self.at < self.bytes.len() {
            self.at += 1;
            return true;
        }
        false
    }

    #[inline]
    pub(crate) fn colon(&mut self) -> Option<()> {
        if self.eat(b':') { Some(()) } else { self.wanted("':'") }
    }

    /// Checks that nothing but white space follows.
    pub fn end(&mut self) -> Option<()> {
        self.peek();
        if self.at < self.bytes.len() { self.wanted("the end of the document") } else { Some(()) }
    }

    /// After an opening bracket or an element: consumes the comma or the bracket `close`; whether another element
    /// follows. `first` is set by the caller after the opening bracket, and cleared here.
    #[inline]
    pub fn more(&mut self, close: u8, first: &mut bool) -> Option<bool> {
        let next = self.peek();
        if *first {
            *first = false;
            if next != close {
                return Some(true);
            }
        } else if next == b',' {
            self.at += 1;
            if self.peek() != close {
                return Some(true);
            }
            if self.flavor == Flavor::Json {
                return self.wanted(if close == b'}' { KEY } else { VALUE });
            }
        } else if next != close {
            return self.wanted(if close == b'}' { "',' or '}'" } else { "',' or ']'" });
        }
        self.at += 1;
        Some(false)
    }

    /// Reads an object, giving each key to `member`, which must read or skip the value.
    pub fn object(&mut self, mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>) -> Option<()> {
        if !self.eat(b'{') {
            return self.wanted("an object");
        }
        self.depth += 1;
        let mut first = true;
        while self.more(b'}', &mut first)? {
            let key = self.key_text()?;
            member(self, key)?;
        }
        self.depth -= 1;
        Some(())
    }

    /// Skips a value of any kind.
    #[inline]
    pub fn skip(&mut self) -> Option<()> {
        if self.checked { self.walk(&mut Skip::default()) } else { self.pass() }
    }

    /// Skips a value by its brackets alone, without a look at what is between them.
    fn pass(&mut self) -> Option<()> {
        match self.peek() {
            b'"' => self.raw().map(|_| ()),
            b'{' | b'[' => {
                let mut depth = 0usize;
                loop {
                    let rest = &self.bytes[self.at..];
                    let Some(next) = rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
                    else {
                        self.at = self.bytes.len();
                        return self.wanted(VALUE);
                    };
                    self.at += next;
                    match self.bytes[self.at] {
                        b'"' => {
                            self.raw()?;
                            continue;
                        }
                        b'{' | b'[' => depth += 1,
                        _ => depth -= 1,
                    }
                    self.at += 1;
                    if depth == 0 {
                        return Some(());
                    }
                }
            }
            _ => {
                let length = self.word().len();
                self.at += length;
                if length == 0 { self.wanted(VALUE) } else { Some(()) }
            }
        }
    }

    /// The characters of a number or a name that stand at the cursor.
    fn word(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Reads a number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<Scalar<'a>> {
        let mut word = self.word();
        let scalar = match word {
            b"true" => Scalar::Bool(true),
            b"false" => Scalar::Bool(false),
            b"null" => Scalar::Null,
            _ if numbers::is_number(word, self.flavor) => Scalar::Number(std::str::from_utf8(word).unwrap_or_default()),
            [b'0'..=b'9' | b'-' | b'+' | b'.', ..] if self.flavor == Flavor::Json5 => {
                match json5::number_prefix(word, self.at + word.len() == self.bytes.len()) {
                    Ok(length) => {
                        word = &word[..length];
                        Scalar::Number(std::str::from_utf8(word).unwrap_or_default())
                    }
                    Err(message) => return self.fail(self.at, message),
                }
            }
            [b'0'..=b'9' | b'-' | b'+' | b'.', ..] => return self.fail(self.at, "Invalid number"),
            _ => return self.wanted(VALUE),
        };
        self.at += word.len();
        Some(scalar)
    }

    /// Reads a value of any kind and tells `sink` what it consists of.
    pub(crate) fn walk(&mut self, sink: &mut impl Sink<'a>) -> Option<()> {
        let mut depth = self.depth;
        loop {
            let next = self.peek();
            let start = self.at;
            let mut element = match next {
                b'{' | b'[' => {
                    if depth == MAX_DEPTH {
                        return self.fail(start, "Nested too deeply");
                    }
                    depth += 1;
                    self.at += 1;
                    sink.open(next == b'{', start);
                    true
                }
                b'"' => {
                    sink.string(self)?;
                    false
                }
                b'\'' if self.flavor == Flavor::Json5 => {
                    sink.string(self)?;
                    false
                }
                _ => {
                    let scalar = self.scalar()?;
                    sink.scalar(scalar, start, self.at);
                    false
                }
            };
            // After a value: the brackets that close here, up to the next value.
            loop {
                let Some(object) = sink.in_object() else { return Some(()) };
                let close = if object { b'}' } else { b']' };
                if self.more(close, &mut element)? {
                    if object {
                        sink.key(self)?;
                    }
                    break;
                }
                depth -= 1;
                sink.close(self.at);
            }
        }
    }

    /// A value that is a string; a value of another kind is skipped and is an inner `None`.
    pub fn string_value(&mut self) -> Option<Option<Cow<'a, str>>> {
        match self.peek() {
            b'"' => self.string().map(Some),
            b'\'' if self.flavor == Flavor::Json5 => self.string().map(Some),
            _ => self.skip().map(|()| None),
        }
    }

    /// A whole number from 0 to 2^64 - 1.
    pub fn integer(&mut self) -> Option<u64> {
        self.peek();
        let start = self.at;
        self.skip()?;
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    /// `true` or `false`; a value of another kind is skipped and is `None`.
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
}

pub(crate) const KEY: &str = "a property name in double quotes";
pub(crate) const VALUE: &str = "a value";

/// A value that is no string and holds no others.
#[derive(Clone, Copy)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    /// As written.
    Number(&'a str),
}

/// What a walk over a value tells. The sink remembers which brackets are open.
pub(crate) trait Sink<'a> {
    /// A bracket at offset `start`.
    fn open(&mut self, object: bool, start: usize);
    /// Reads the key that stands at the cursor, and its colon.
    fn key(&mut self, cursor: &mut Cursor<'a>) -> Option<()>;
    /// Reads the string that stands at the cursor.
    fn string(&mut self, cursor: &mut Cursor<'a>) -> Option<()>;
    fn scalar(&mut self, scalar: Scalar<'a>, start: usize, end: usize);
    /// The last open bracket closed before offset `end`.
    fn close(&mut self, end: usize);
    /// Whether the innermost open bracket is an object's; `None` if all are closed.
    fn in_object(&self) -> Option<bool>;
}

/// Checks and drops. One bit for each open bracket; the first 64 cost no memory.
#[derive(Default)]
struct Skip {
    objects: u64,
    depth: usize,
    full: Vec<u64>,
}

impl<'a> Sink<'a> for Skip {
    fn open(&mut self, object: bool, _: usize) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full.push(self.objects);
        }
        self.objects = self.objects << 1 | u64::from(object);
        self.depth += 1;
    }

    fn key(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        cursor.skip_key()
    }

    fn string(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        cursor.skip_string()
    }

    fn scalar(&mut self, _: Scalar<'a>, _: usize, _: usize) {}

    fn close(&mut self, _: usize) {
        self.objects >>= 1;
        self.depth -= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.objects = self.full.pop().unwrap_or_default();
        }
    }

    fn in_object(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.objects & 1 == 1)
    }
}
