//! Strings and keys: quotes, escapes, and the identifiers that JSON5 has as keys.

use std::borrow::Cow;

use crate::cursor::{Cursor, Flavor, KEY};
use crate::json5;

/// What stands between two quotes.
pub(crate) struct Raw {
    pub start: usize,
    pub end: usize,
    pub escaped: bool,
}

impl<'a> Cursor<'a> {
    /// Reads a string without its escapes.
    #[inline]
    pub(crate) fn raw(&mut self) -> Option<Raw> {
        if !self.eat(b'"') {
            return self.other_quote();
        }
        let start = self.at;
        let mut escaped = false;
        loop {
            let rest = &self.bytes[self.at..];
            let found = if self.checked { end_or_special::<true>(rest) } else { end_or_special::<false>(rest) };
            let Some(length) = found else { return self.unterminated(start) };
            self.at += length;
            match self.bytes[self.at] {
                b'"' => {
                    let end = self.at;
                    self.at += 1;
                    return Some(Raw { start, end, escaped });
                }
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                    if self.at > self.bytes.len() {
                        return self.unterminated(start);
                    }
                }
                _ => self.control()?,
            }
        }
    }

    /// Steps over the control character at the cursor if it may stand in a string.
    #[cold]
    fn control(&mut self) -> Option<()> {
        let allowed = match self.bytes[self.at] {
            _ if !self.checked => true,
            // The second half of a line continuation.
            b'\n' => self.flavor == Flavor::Json5 && self.bytes[self.at - 1] == b'\r',
            b'\r' => false,
            _ => self.flavor == Flavor::Json5,
        };
        if !allowed {
            return self.fail(self.at, "Bad control character in string literal");
        }
        self.at += 1;
        Some(())
    }

    #[cold]
    fn unterminated<T>(&mut self, start: usize) -> Option<T> {
        self.fail(start - 1, "Unterminated string")
    }

    /// A string of JSON5 in single quotes.
    #[cold]
    fn other_quote(&mut self) -> Option<Raw> {
        if self.flavor != Flavor::Json5 || !self.eat(b'\'') {
            return self.wanted("a string");
        }
        let start = self.at;
        let mut escaped = false;
        loop {
            match self.bytes.get(self.at) {
                Some(b'\'') => {
                    let end = self.at;
                    self.at += 1;
                    return Some(Raw { start, end, escaped });
                }
                Some(b'\\') if self.at + 1 < self.bytes.len() => {
                    escaped = true;
                    self.at += 2;
                }
                Some(b'\\') | None => return self.unterminated(start),
                Some(0..0x20) => self.control()?,
                Some(_) => self.at += 1,
            }
        }
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self) -> Option<Cow<'a, str>> {
        let Raw { start, end, escaped } = self.raw()?;
        let text = match self.text {
            Some(text) => text.get(start..end)?,
            None => self.decoded(start, end)?,
        };
        if escaped { self.unescape(text, start).map(Cow::Owned) } else { Some(Cow::Borrowed(text)) }
    }

    #[cold]
    fn decoded(&mut self, start: usize, end: usize) -> Option<&'a str> {
        match std::str::from_utf8(&self.bytes[start..end]) {
            Ok(text) => Some(text),
            Err(error) => self.fail(start + error.valid_up_to(), "Not UTF-8"),
        }
    }

    /// Reads a string that nobody wants.
    pub(crate) fn skip_string(&mut self) -> Option<()> {
        let Raw { start, end, escaped } = self.raw()?;
        if self.text.is_none() {
            self.decoded(start, end)?;
        }
        if escaped {
            let text = std::str::from_utf8(&self.bytes[start..end]).ok()?;
            self.unescape(text, start)?;
        }
        Some(())
    }

    /// Reads a key and its colon, as raw bytes: for comparing with known names. A key with escapes is given with them.
    #[inline]
    pub fn key(&mut self) -> Option<&'a [u8]> {
        let Raw { start, end, .. } = self.raw()?;
        self.colon()?;
        Some(&self.bytes[start..end])
    }

    /// Reads a key, which may have escapes, and its colon.
    #[inline]
    pub fn key_text(&mut self) -> Option<Cow<'a, str>> {
        let key = if self.peek() == b'"' { self.string()? } else { self.other_key()? };
        self.colon()?;
        Some(key)
    }

    pub(crate) fn skip_key(&mut self) -> Option<()> {
        if self.peek() == b'"' {
            self.skip_string()?;
        } else {
            self.other_key()?;
        }
        self.colon()
    }

    #[cold]
    fn other_key(&mut self) -> Option<Cow<'a, str>> {
        if self.flavor != Flavor::Json5 {
            return self.wanted(KEY);
        }
        if self.peek() == b'\'' { self.string() } else { self.identifier() }
    }

    /// An ECMAScript 5.1 identifier name, with `\uXXXX` escapes.
    fn identifier(&mut self) -> Option<Cow<'a, str>> {
        let start = self.at;
        let mut owned: Option<String> = None;
        while let Some(c) = self.char() {
            let from = self.at;
            let c = if c == '\\' {
                let digits =
                    self.text.and_then(|text| text[from + 1..].strip_prefix('u')).and_then(|rest| hex(rest, 4));
                let Some(c) = digits.and_then(char::from_u32) else {
                    return self.fail(from, "Invalid escape in property name");
                };
                owned.get_or_insert_with(|| self.text.unwrap_or_default()[start..from].to_owned());
                self.at += 6;
                c
            } else {
                self.at += c.len_utf8();
                c
            };
            let begins = c == '$' || c == '_' || c.is_alphabetic();
            if !begins && (from == start || !(c.is_alphanumeric() || matches!(c, '\u{200c}' | '\u{200d}'))) {
                self.at = from;
                break;
            }
            if let Some(owned) = &mut owned {
                owned.push(c);
            }
        }
        if self.at == start {
            return self.wanted(json5::PROPERTY_NAME);
        }
        match owned {
            Some(name) => Some(Cow::Owned(name)),
            None => self.text.map(|text| Cow::Borrowed(&text[start..self.at])),
        }
    }

    /// Resolves the escapes of `text`, which begins at offset `start`; half a surrogate pair becomes U+FFFD.
    #[cold]
    fn unescape(&mut self, text: &str, start: usize) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            let place = start + (text.len() - rest.len()) + at;
            match escape(&rest[at + 1..], self.flavor == Flavor::Json5) {
                Some((c, length)) => {
                    out.extend(c);
                    rest = &rest[at + 1 + length..];
                }
                None => return self.fail(place, "Bad escaped character"),
            }
        }
        out.push_str(rest);
        Some(out)
    }
}

/// What the escape means whose backslash stands before `rest`, and how long it is. A line continuation of JSON5 means
/// nothing.
fn escape(rest: &str, json5: bool) -> Option<(Option<char>, usize)> {
    let c = rest.chars().next()?;
    let after = &rest[c.len_utf8()..];
    let plain = match c {
        '"' | '\\' | '/' => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(after),
        _ if !json5 => return None,
        'v' => '\u{b}',
        '0' if !after.starts_with(|next: char| next.is_ascii_digit()) => '\0',
        '0'..='9' => return None,
        'x' => return Some((char::from_u32(hex(after, 2)?), 3)),
        '\r' => return Some((None, if after.starts_with('\n') { 2 } else { 1 })),
        '\n' | '\u{2028}' | '\u{2029}' => return Some((None, c.len_utf8())),
        _ => c,
    };
    Some((Some(plain), c.len_utf8()))
}

/// The character of `\u` and the digits in `after`, and of the second half of a surrogate pair if there is one.
fn unicode(after: &str) -> Option<(Option<char>, usize)> {
    let unit = hex(after, 4)?;
    if (0xd800..0xdc00).contains(&unit)
        && let Some(low @ 0xdc00..0xe000) = after[4..].strip_prefix("\\u").and_then(|rest| hex(rest, 4))
    {
        let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return Some((char::from_u32(code), 11));
    }
    Some((Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)), 5))
}

fn hex(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

/// Place of the first `"` or backslash; of the first control character too if `CONTROLS`. Most strings are shorter than what
/// the vector search is worth calling for.
#[inline]
fn end_or_special<const CONTROLS: bool>(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    let (words, _) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().take(4).enumerate() {
        let word = u64::from_le_bytes(*word);
        let mut found = below(word ^ (ONES * u64::from(b'"')), 1) | below(word ^ (ONES * u64::from(b'\\')), 1);
        if CONTROLS {
            found |= below(word, 0x20);
        }
        if found != 0 {
            return Some(place * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let from = words.len().min(4) * 8;
    let rest = &bytes[from..];
    let length = memchr::memchr2(b'"', b'\\', rest);
    let rest = &rest[..length.unwrap_or(rest.len())];
    // Without an early end, so that it takes many bytes at a time.
    if CONTROLS && rest.iter().fold(false, |found, byte| found | (*byte < 0x20)) {
        return rest.iter().position(|byte| *byte < 0x20).map(|at| from + at);
    }
    length.map(|at| from + at)
}
