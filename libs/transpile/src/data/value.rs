//! The tree that the text formats are read into, and its way to JSON.

use std::borrow::Cow;

use json::{Node, quote, write_number};
use rustc_hash::FxHashMap;
use yaml::Yaml;

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

impl<'a> From<json::Value<'a>> for Value<'a> {
    fn from(value: json::Value<'a>) -> Self {
        match value.node {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(value),
            Node::Number(text) if json::is_json_number(text) => Value::NumberText(text),
            Node::Number(_) => Value::Number(value.number().unwrap_or(f64::NAN)),
            Node::String(text) => Value::String(text),
            Node::Array(items) => Value::Array(items.into_iter().map(Into::into).collect()),
            // Paths to special values need unique keys.
            Node::Object(members) => {
                Value::Object(json::unique(members).into_iter().map(|it| (it.key, it.value.into())).collect())
            }
        }
    }
}

impl<'a> From<Yaml<'a>> for Value<'a> {
    fn from(value: Yaml<'a>) -> Self {
        match value {
            Yaml::Null => Value::Null,
            Yaml::Bool(value) => Value::Bool(value),
            Yaml::Number(number) => Value::Number(number),
            Yaml::Text(text) => Value::String(text),
            Yaml::List(items) => Value::Array(items.into_iter().map(Into::into).collect()),
            Yaml::Map(entries) => Value::Object(entries.into_iter().map(|(key, value)| (key, value.into())).collect()),
            Yaml::Anchored(anchor, inner) => Value::Anchored(anchor, Box::new((*inner).into())),
            Yaml::Alias(anchor) => Value::Alias(anchor),
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
            Value::Number(number) => write_number(*number, &mut self.out),
            Value::String(text) => quote(text, &mut self.out),
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
                    quote(key, &mut self.out);
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
