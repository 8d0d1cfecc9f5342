//! Replies as JavaScript values. What is read here has been scanned: it is whole and well-formed.

use engine::{JsResult, Local, Scope};

use crate::scan::{double, integer, line_end};

/// Reads the values of one reply, from its first byte on.
pub(crate) struct Values<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// What a list says by its first element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Message {
    /// A subscription has begun or ended; so many are there now.
    Subscriptions(f64),
    /// A message that somebody has published.
    News,
    Other,
}

/// What a reply begins with: its kind and the rest of its first line.
struct Head<'b> {
    kind: u8,
    line: &'b [u8],
}

impl<'b> Values<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Values { bytes, at: 0 }
    }

    /// The kind of the value that is next, behind its attributes, of which nobody asks.
    pub(crate) fn kind(&mut self) -> u8 {
        loop {
            let kind = self.bytes.get(self.at).copied().unwrap_or(b'_');
            if kind != b'|' {
                return kind;
            }
            let count = count_of(&self.head());
            for _ in 0..count * 2 {
                self.skip();
            }
        }
    }

    fn head(&mut self) -> Head<'b> {
        let kind = self.bytes.get(self.at).copied().unwrap_or(b'_');
        let from = self.at + 1;
        let end = line_end(self.bytes, from).ok().flatten().unwrap_or(from);
        self.at = end + 2;
        Head { kind, line: self.bytes.get(from..end).unwrap_or_default() }
    }

    /// The bytes of a string whose head has been read; `None` for the null of RESP2.
    fn string(&mut self, head: &Head<'_>) -> Option<&'b [u8]> {
        let length = integer(head.line).unwrap_or(-1.0);
        if length < 0.0 {
            return None;
        }
        let from = self.at;
        let to = from + length as usize;
        self.at = to + 2;
        Some(self.bytes.get(from..to).unwrap_or_default())
    }

    /// Goes over a value; its depth is limited by the scan.
    fn skip(&mut self) {
        self.kind();
        let head = self.head();
        match head.kind {
            b'$' | b'!' | b'=' => {
                self.string(&head);
            }
            b'*' | b'~' | b'>' => (0..count_of(&head)).for_each(|_| self.skip()),
            b'%' => (0..count_of(&head) * 2).for_each(|_| self.skip()),
            _ => {}
        }
    }

    /// What the next value says if it is a list; nothing is read.
    pub(crate) fn message(&mut self) -> Message {
        let before = self.at;
        let found = self.read_message();
        self.at = before;
        found
    }

    fn read_message(&mut self) -> Message {
        self.kind();
        let head = self.head();
        if !matches!(head.kind, b'>' | b'*') || count_of(&head) < 3 {
            return Message::Other;
        }
        match self.raw_string() {
            Some(b"message" | b"pmessage" | b"smessage") => Message::News,
            Some(b"subscribe" | b"psubscribe" | b"ssubscribe" | b"unsubscribe" | b"punsubscribe" | b"sunsubscribe") => {
                self.skip();
                match self.kind() {
                    b':' => Message::Subscriptions(integer(self.head().line).unwrap_or(0.0)),
                    _ => Message::Other,
                }
            }
            _ => Message::Other,
        }
    }

    /// The text of an error; `None` for every other value, of which nothing is read then.
    pub(crate) fn error(&mut self) -> Option<&'b [u8]> {
        match self.kind() {
            b'-' => Some(self.head().line),
            b'!' => {
                let head = self.head();
                self.string(&head)
            }
            _ => None,
        }
    }

    /// The bytes of the next value if it is a string, else `None`, and nothing is read.
    pub(crate) fn raw_string(&mut self) -> Option<&'b [u8]> {
        let before = self.at;
        let found = match self.kind() {
            b'+' => Some(self.head().line),
            b'$' | b'=' => {
                let head = self.head();
                let skipped = if head.kind == b'=' { 4 } else { 0 };
                self.string(&head).and_then(|bytes| bytes.get(skipped..))
            }
            _ => None,
        };
        if found.is_none() {
            self.at = before;
        }
        found
    }

    /// The next value. `error_of` makes an error of a text, for errors within aggregates.
    pub(crate) fn read<'s>(&mut self, scope: &mut Scope<'s>, error_of: Local<'_>) -> JsResult<Local<'s>> {
        self.kind();
        let head = self.head();
        match head.kind {
            b'$' => match self.string(&head) {
                Some(bytes) => scope.string_lossy(bytes),
                None => Ok(scope.null()),
            },
            b'+' => scope.string_lossy(head.line),
            b':' => Ok(scope.number(integer(head.line).unwrap_or(f64::NAN))),
            b'#' => Ok(scope.boolean(head.line == b"t")),
            b',' => Ok(scope.number(double(head.line).unwrap_or(f64::NAN))),
            // What fits into 64 bits is a number.
            b'(' => match std::str::from_utf8(head.line).ok().and_then(|text| text.parse::<i64>().ok()) {
                Some(number) => Ok(scope.number(number as f64)),
                None => scope.string_lossy(head.line),
            },
            b'=' => {
                let text = self.string(&head).and_then(|bytes| bytes.get(4..)).unwrap_or_default();
                scope.string_lossy(text)
            }
            b'-' => make_error(scope, error_of, head.line),
            b'!' => {
                let text = self.string(&head).unwrap_or_default();
                make_error(scope, error_of, text)
            }
            b'*' if head.line == b"-1" => Ok(scope.null()),
            b'*' | b'~' | b'>' => self.array(scope, count_of(&head), error_of),
            b'%' => self.map(scope, count_of(&head), error_of),
            _ => Ok(scope.null()),
        }
    }

    fn array<'s>(&mut self, scope: &mut Scope<'s>, count: u64, error_of: Local<'_>) -> JsResult<Local<'s>> {
        let mut left = count;
        scope.collect_array(0, |scope| {
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            self.read(scope, error_of).map(Some)
        })
    }

    /// A map is an object without a prototype; of keys that are the same the last counts.
    fn map<'s>(&mut self, scope: &mut Scope<'s>, count: u64, error_of: Local<'_>) -> JsResult<Local<'s>> {
        let map = scope.new_object()?;
        let null = scope.null();
        scope.set_prototype(map, null)?;
        for _ in 0..count {
            scope.nested(|scope| {
                let key = self.read(scope, error_of)?;
                // Keys that are aggregates have no name that says what they are.
                let key = if key.is_object() && !key.is_callable() {
                    scope.string("[object]")?
                } else {
                    scope.to_js_string(key)?
                };
                let value = self.read(scope, error_of)?;
                scope.set_value(map, key, value)
            })?;
        }
        Ok(map)
    }
}

fn count_of(head: &Head<'_>) -> u64 {
    integer(head.line).unwrap_or(0.0).max(0.0) as u64
}

pub(crate) fn make_error<'s>(scope: &mut Scope<'s>, error_of: Local<'_>, text: &[u8]) -> JsResult<Local<'s>> {
    let text = scope.string_lossy(text)?;
    scope.call_function(error_of, &[text])
}
