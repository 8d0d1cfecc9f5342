//! The tree that the text formats are read into, and its way to JSON.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// A value of JSON, JSONC, JSON5, TOML or YAML. Objects keep the order of the text; of two equal keys the
/// last one wins when the tree is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Number(f64),
    /// A number whose text is valid JSON already; kept so that nothing is rounded or re-printed.
    NumberText(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Value<'a>>),
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
    /// A date or time of TOML: kind and text.
    Temporal(SpecialValue),
    /// A YAML collection with an anchor, by number.
    Anchored(usize, Box<Value<'a>>),
    /// A YAML alias to the collection with that anchor.
    Alias(usize),
}

impl<'a> Value<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&Value<'a>> {
        match self {
            Value::Object(entries) => entries.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_u32(&self) -> Option<u32> {
        match self {
            Value::Number(number) => Some(*number as u32),
            Value::NumberText(text) => text.parse::<f64>().ok().map(|n| n as u32),
            _ => None,
        }
    }
}

/// One step from the root of a value to a place inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment {
    /// Property name.
    Key(String),
    /// Array index.
    Index(u32),
}

/// A value that JSON cannot hold. The JSON has `null` in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecialValue {
    /// `Infinity`
    Infinity,
    /// `-Infinity`
    NegativeInfinity,
    /// `NaN`
    NaN,
    /// TOML offset date-time (RFC 3339). Bun makes it a `Temporal.Instant`.
    OffsetDateTime(String),
    /// TOML local date-time. Bun: `Temporal.PlainDateTime`.
    LocalDateTime(String),
    /// TOML local date. Bun: `Temporal.PlainDate`.
    LocalDate(String),
    /// TOML local time. Bun: `Temporal.PlainTime`.
    LocalTime(String),
    /// A YAML alias: the very same object or array as the one at this path.
    SameAs(Vec<PathSegment>),
}

/// A [`SpecialValue`] and its path in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Special {
    pub path: Vec<PathSegment>,
    pub value: SpecialValue,
}

/// Text converted to JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Json {
    /// Valid JSON (RFC 8259). A key `__proto__` is an ordinary key, as `JSON.parse` treats it.
    pub text: String,
    /// What has to be put in after `JSON.parse`, in this order. Usually empty.
    pub specials: Vec<Special>,
}

/// Writes trees as JSON and records what does not fit.
#[derive(Default)]
pub(crate) struct Writer {
    out: String,
    path: Vec<PathSegment>,
    specials: Vec<Special>,
    aliases: Vec<(Vec<PathSegment>, usize)>,
    anchors: FxHashMap<usize, Vec<PathSegment>>,
}

impl Writer {
    pub(crate) fn finish(value: &Value<'_>) -> Json {
        let mut writer = Self::default();
        writer.value(value);
        for (path, anchor) in writer.aliases {
            // An anchor on a mapping key has no path; its alias stays `null`.
            if let Some(target) = writer.anchors.get(&anchor) {
                writer.specials.push(Special { path, value: SpecialValue::SameAs(target.clone()) });
            }
        }
        Json { text: writer.out, specials: writer.specials }
    }

    fn special(&mut self, value: SpecialValue) {
        self.out.push_str("null");
        self.specials.push(Special { path: self.path.clone(), value });
    }

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::NumberText(text) => self.out.push_str(text),
            Value::Number(number) if number.is_nan() => self.special(SpecialValue::NaN),
            Value::Number(f64::INFINITY) => self.special(SpecialValue::Infinity),
            Value::Number(f64::NEG_INFINITY) => self.special(SpecialValue::NegativeInfinity),
            Value::Number(number) => write_number(&mut self.out, *number),
            Value::String(text) => write_string(&mut self.out, text),
            Value::Temporal(special) => self.special(special.clone()),
            Value::Anchored(anchor, inner) => {
                self.anchors.insert(*anchor, self.path.clone());
                self.value(inner);
            }
            Value::Alias(anchor) => {
                self.out.push_str("null");
                self.aliases.push((self.path.clone(), *anchor));
            }
            Value::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.path.push(PathSegment::Index(index as u32));
                    self.value(item);
                    self.path.pop();
                }
                self.out.push(']');
            }
            Value::Object(entries) => {
                self.out.push('{');
                for (index, (key, item)) in entries.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    write_string(&mut self.out, key);
                    self.out.push(':');
                    self.path.push(PathSegment::Key(key.clone().into_owned()));
                    self.value(item);
                    self.path.pop();
                }
                self.out.push('}');
            }
        }
    }
}

/// The text of a finite number as JavaScript prints it.
pub(crate) fn number_text(number: f64) -> String {
    let mut out = String::new();
    write_number(&mut out, number);
    if out == "-0" {
        out.remove(0);
    }
    out
}

/// Shortest text that reads back as the same double, in JSON syntax.
fn write_number(out: &mut String, number: f64) {
    use std::fmt::Write;
    if number == 0.0 {
        out.push_str(if number.is_sign_negative() { "-0" } else { "0" });
    } else if number.abs() >= 1e21 || number.abs() < 1e-6 {
        // JavaScript writes the sign of the exponent: 1e+21.
        let text = format!("{number:e}");
        match text.split_once('e') {
            Some((mantissa, exponent)) if !exponent.starts_with('-') => {
                let _ = write!(out, "{mantissa}e+{exponent}");
            }
            _ => out.push_str(&text),
        }
    } else {
        let _ = write!(out, "{number}");
    }
}

/// Appends `text` as a JSON string literal.
pub(crate) fn write_string(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    let mut plain = 0;
    for (index, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[plain..index]);
        if escape.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
        plain = index + 1;
    }
    out.push_str(&text[plain..]);
    out.push('"');
}
