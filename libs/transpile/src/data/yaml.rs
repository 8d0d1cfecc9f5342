//! YAML: the events of the crate `saphyr-parser`, made into values here.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::value::Value;
use crate::diagnostic::Diagnostic;

/// Deepest nesting of collections; conversion to JSON is recursive.
const MAX_DEPTH: usize = 1_000;
/// Most values that merge keys may copy, so that a small file cannot grow without bounds.
const MAX_COPIES: usize = 500_000;

pub(super) fn parse<'a>(text: &'a str, file: &str) -> Result<Value<'a>, Diagnostic> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    let at = |marker: Marker, message: String| {
        // Markers count characters.
        let offset = text.char_indices().nth(marker.index()).map_or(text.len(), |(at, _)| at) as u32;
        Diagnostic::at(text, file, offset, offset + 1, message)
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error: ScanError| at(*error.marker(), error.info().to_owned()))?;
        builder.event(event).map_err(|message| at(span.start, message.to_owned()))?;
    }
    Ok(match builder.documents.len() {
        0 => Value::Null,
        1 => builder.documents.remove(0),
        _ => Value::Array(builder.documents),
    })
}

/// A collection that is not complete yet.
enum Open<'a> {
    Sequence { anchor: usize, items: Vec<Value<'a>> },
    Mapping { anchor: usize, entries: Entries<'a>, key: Option<Key<'a>> },
}

/// A mapping key.
enum Key<'a> {
    Name(Cow<'a, str>),
    /// A plain `<<`.
    Merge,
}

#[derive(Default)]
struct Builder<'a> {
    documents: Vec<Value<'a>>,
    open: Vec<Open<'a>>,
    /// Complete values with an anchor, for scalars and merges. A collection is absent while it is open.
    anchors: FxHashMap<usize, Value<'a>>,
    copies: usize,
    /// A document has begun and has no value yet.
    pending: bool,
}

impl<'a> Builder<'a> {
    fn event(&mut self, event: Event<'a>) -> Result<(), &'static str> {
        match event {
            Event::DocumentStart(_) => self.pending = true,
            Event::DocumentEnd if self.pending => {
                self.documents.push(Value::Null);
                self.pending = false;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let merge = plain && text == "<<";
                let value = scalar(text, style, tag.as_deref());
                if anchor > 0 {
                    self.anchors.insert(anchor, value.clone());
                }
                return self.add(value, merge);
            }
            Event::Alias(anchor) => {
                let value = match self.anchors.get(&anchor) {
                    Some(Value::Anchored(..)) | None => Value::Alias(anchor),
                    Some(scalar) => scalar.clone(),
                };
                return self.add(value, false);
            }
            Event::SequenceStart(anchor, _) => self.start(Open::Sequence { anchor, items: Vec::new() })?,
            Event::MappingStart(anchor, _) => {
                self.start(Open::Mapping { anchor, entries: Entries::default(), key: None })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (anchor, value) = match self.open.pop() {
                    Some(Open::Sequence { anchor, items }) => (anchor, Value::Array(items)),
                    Some(Open::Mapping { anchor, entries, .. }) => (anchor, Value::Object(entries.list)),
                    None => return Ok(()),
                };
                let value = if anchor > 0 {
                    let value = Value::Anchored(anchor, Box::new(value));
                    self.anchors.insert(anchor, value.clone());
                    value
                } else {
                    value
                };
                return self.add(value, false);
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, open: Open<'a>) -> Result<(), &'static str> {
        if self.open.len() == MAX_DEPTH {
            return Err("Nested too deeply");
        }
        self.open.push(open);
        Ok(())
    }

    /// Adds a complete value to the open collection. `merge`: the value is a plain `<<`.
    fn add(&mut self, value: Value<'a>, merge: bool) -> Result<(), &'static str> {
        match self.open.last_mut() {
            None => {
                self.documents.push(value);
                self.pending = false;
            }
            Some(Open::Sequence { items, .. }) => items.push(value),
            Some(Open::Mapping { entries, key, .. }) => match key.take() {
                None => *key = Some(if merge { Key::Merge } else { Key::Name(key_text(value, &self.anchors)) }),
                Some(Key::Name(name)) => entries.set(name, value),
                Some(Key::Merge) => {
                    let mut budget = MAX_COPIES - self.copies;
                    let merged = mergeable(&value, &self.anchors, &mut budget);
                    self.copies = MAX_COPIES - budget;
                    if budget == 0 {
                        return Err("Merge keys copy too much");
                    }
                    match merged {
                        Some(merged) => merged.into_iter().for_each(|(name, value)| entries.set_default(name, value)),
                        None => entries.set(Cow::Borrowed("<<"), value),
                    }
                }
            },
        }
        Ok(())
    }
}

/// Entries of a mapping, with the place of each name.
#[derive(Default)]
struct Entries<'a> {
    list: Vec<(Cow<'a, str>, Value<'a>)>,
    places: FxHashMap<Cow<'a, str>, (usize, bool)>,
}

impl<'a> Entries<'a> {
    /// An entry of the mapping itself: replaces earlier ones.
    fn set(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        match self.places.get_mut(&name) {
            Some((place, own)) => {
                self.list[*place].1 = value;
                *own = true;
            }
            None => {
                self.places.insert(name.clone(), (self.list.len(), true));
                self.list.push((name, value));
            }
        }
    }

    /// A merged entry: entries of the mapping itself and earlier merges win.
    fn set_default(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        if !self.places.contains_key(&name) {
            self.places.insert(name.clone(), (self.list.len(), false));
            self.list.push((name, value));
        }
    }
}

/// The entries that a merge key brings in, or `None` if its value is neither a mapping nor a list of mappings.
fn mergeable<'a>(
    value: &Value<'a>,
    anchors: &FxHashMap<usize, Value<'a>>,
    budget: &mut usize,
) -> Option<Vec<(Cow<'a, str>, Value<'a>)>> {
    match value {
        Value::Alias(anchor) => mergeable(anchors.get(anchor)?, anchors, budget),
        Value::Anchored(_, inner) => mergeable(inner, anchors, budget),
        Value::Object(entries) => {
            *budget = budget.saturating_sub(entries.iter().map(|(_, value)| size(value)).sum());
            if *budget == 0 {
                return Some(Vec::new());
            }
            // The copy must not take the place of the anchored original.
            Some(entries.iter().map(|(name, value)| (name.clone(), without_anchors(value))).collect())
        }
        Value::Array(items) => {
            let lists = items.iter().map(|item| mergeable(item, anchors, budget)).collect::<Option<Vec<_>>>()?;
            Some(lists.into_iter().flatten().collect())
        }
        _ => None,
    }
}

fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(entries) => 1 + entries.iter().map(|(_, value)| size(value)).sum::<usize>(),
        Value::Anchored(_, inner) => size(inner),
        _ => 1,
    }
}

fn without_anchors<'a>(value: &Value<'a>) -> Value<'a> {
    match value {
        // The same object, as it would be with an alias.
        Value::Anchored(anchor, _) => Value::Alias(*anchor),
        Value::Array(items) => Value::Array(items.iter().map(without_anchors).collect()),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(name, value)| (name.clone(), without_anchors(value))).collect())
        }
        other => other.clone(),
    }
}

/// A scalar in the core schema.
fn scalar<'a>(text: Cow<'a, str>, style: ScalarStyle, tag: Option<&Tag>) -> Value<'a> {
    let core = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    let resolve = match core {
        Some("str" | "binary" | "timestamp") => false,
        Some("int" | "float" | "bool" | "null") => true,
        // `! text` is a string whatever it looks like.
        _ if tag.is_some_and(|tag| tag.handle.is_empty() && tag.suffix == "!") => false,
        _ => style == ScalarStyle::Plain,
    };
    let resolved = if resolve { resolve_plain(&text) } else { None };
    resolved.unwrap_or(Value::String(text))
}

fn resolve_plain<'a>(text: &str) -> Option<Value<'a>> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Value::Number(f64::NAN),
        _ => Value::Number(number(text)?),
    })
}

fn number(text: &str) -> Option<f64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Some(sign * f64::INFINITY);
    }
    let radix = |digits: &str, radix: u32| {
        let mut value = 0.0;
        for c in digits.chars() {
            value = value * f64::from(radix) + f64::from(c.to_digit(radix)?);
        }
        (!digits.is_empty()).then_some(value)
    };
    if let Some(octal) = text.strip_prefix("0o") {
        return radix(octal, 8);
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return radix(hexadecimal, 16);
    }
    // Rust also reads "inf", "nan" and "infinity", which are strings here.
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    let fits = is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    if !fits || !exponent_fits {
        return None;
    }
    digits.parse::<f64>().ok().map(|value| sign * value)
}

/// A key as a property name: what JavaScript's `String(value)` gives.
fn key_text<'a>(value: Value<'a>, anchors: &FxHashMap<usize, Value<'a>>) -> Cow<'a, str> {
    match value {
        Value::String(text) => text,
        Value::Null => Cow::Borrowed("null"),
        Value::Bool(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
        Value::Number(number) if number.is_nan() => Cow::Borrowed("NaN"),
        Value::Number(f64::INFINITY) => Cow::Borrowed("Infinity"),
        Value::Number(f64::NEG_INFINITY) => Cow::Borrowed("-Infinity"),
        Value::Number(number) => Cow::Owned(super::value::number_text(number)),
        Value::Anchored(_, inner) => key_text(*inner, anchors),
        Value::Array(items) => {
            let texts = items.into_iter().map(|item| match item {
                Value::Null => Cow::Borrowed(""),
                other => key_text(other, anchors),
            });
            Cow::Owned(texts.collect::<Vec<_>>().join(","))
        }
        Value::Alias(anchor) => match anchors.get(&anchor) {
            Some(value) => key_text(value.clone(), anchors),
            None => Cow::Borrowed("[object Object]"),
        },
        Value::Object(_) | Value::Temporal(_) | Value::NumberText(_) => Cow::Borrowed("[object Object]"),
    }
}
