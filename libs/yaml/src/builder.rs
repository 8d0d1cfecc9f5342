//! Events made into values.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use crate::scalar::scalar;
use crate::{Aliases, Error, Options, Schema, Yaml};

/// Deepest nesting of collections; what takes values apart is recursive.
const MAX_DEPTH: usize = 1_000;
/// Most values that merge keys and aliases may copy, so that a small file cannot grow without bounds.
const MAX_COPIES: usize = 500_000;

/// The documents of a text.
///
/// # Errors
/// The first mistake in the syntax; too much nesting or copying; what `options` refuse.
pub fn parse(text: &str, options: Options) -> Result<Vec<Yaml<'_>>, Error> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::new(options);
    let at = |marker: Marker, message: String| {
        // Markers count characters.
        let offset = body.char_indices().nth(marker.index()).map_or(body.len(), |(at, _)| at);
        Error { message, at: text.len() - body.len() + offset, line: marker.line() }
    };
    for event in Parser::new_from_str(body) {
        let (event, span) = event.map_err(|error: ScanError| at(*error.marker(), error.info().to_owned()))?;
        let event = match event {
            Event::Scalar(value, style @ (ScalarStyle::Literal | ScalarStyle::Folded), anchor, tag)
                if value.bytes().all(|byte| byte == b'\n') =>
            {
                let value = without_content(body, span.start.index()).map_or(value, Cow::Owned);
                Event::Scalar(value, style, anchor, tag)
            }
            other => other,
        };
        builder.event(event).map_err(|message| at(span.start, message.to_owned()))?;
    }
    Ok(builder.documents)
}

/// The value of a block scalar that has no content up to the end of the text, if its header is at that character of `text`: the parser
/// takes the header's own line end for the scalar's (8.1.1.2).
fn without_content(text: &str, index: usize) -> Option<String> {
    let (start, _) = text.char_indices().nth(index)?;
    let rest = &text[start..];
    if !rest.starts_with(['|', '>']) {
        return None;
    }
    let (header, body) = rest.split_once('\n').unwrap_or((rest, ""));
    let keeps = header.split('#').next().unwrap_or_default().contains('+');
    Some(if keeps { "\n".repeat(body.matches('\n').count()) } else { String::new() })
}

/// A collection that is not complete yet.
enum Open<'a> {
    Sequence { anchor: usize, items: Vec<Yaml<'a>> },
    Mapping { anchor: usize, entries: Entries<'a>, key: Option<Key<'a>> },
}

/// A mapping key.
enum Key<'a> {
    Name(Cow<'a, str>),
    /// A plain `<<`.
    Merge,
}

struct Builder<'a> {
    options: Options,
    documents: Vec<Yaml<'a>>,
    open: Vec<Open<'a>>,
    /// Complete values with an anchor, for scalars and merges. A collection is absent while it is open.
    anchors: FxHashMap<usize, Yaml<'a>>,
    copies: usize,
    /// A document has begun and has no value yet.
    pending: bool,
}

impl<'a> Builder<'a> {
    fn new(options: Options) -> Self {
        let anchors = FxHashMap::default();
        Self { options, documents: Vec::new(), open: Vec::new(), anchors, copies: 0, pending: false }
    }

    fn event(&mut self, event: Event<'a>) -> Result<(), &'static str> {
        match event {
            Event::DocumentStart(_) => self.pending = true,
            Event::DocumentEnd if self.pending => {
                self.documents.push(Yaml::Null);
                self.pending = false;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let core = self.options.schema == Schema::Core;
                let merge = core && style == ScalarStyle::Plain && tag.is_none() && text == "<<";
                let value = if core { scalar(text, style, tag.as_deref()) } else { Yaml::Text(text) };
                if anchor > 0 {
                    self.anchors.insert(anchor, value.clone());
                }
                return self.add(value, merge);
            }
            Event::Alias(anchor) => {
                let value = self.aliased(anchor)?;
                return self.add(value, false);
            }
            Event::SequenceStart(anchor, _) => self.start(Open::Sequence { anchor, items: Vec::new() })?,
            Event::MappingStart(anchor, _) => {
                self.start(Open::Mapping { anchor, entries: Entries::default(), key: None })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (anchor, value) = match self.open.pop() {
                    Some(Open::Sequence { anchor, items }) => (anchor, Yaml::List(items)),
                    Some(Open::Mapping { anchor, entries, .. }) => (anchor, Yaml::Map(entries.list)),
                    None => return Ok(()),
                };
                let value = match self.options.aliases {
                    Aliases::Shared if anchor > 0 => Yaml::Anchored(anchor, Box::new(value)),
                    _ => value,
                };
                if anchor > 0 {
                    self.anchors.insert(anchor, value.clone());
                }
                return self.add(value, false);
            }
            _ => {}
        }
        Ok(())
    }

    /// What an alias stands for.
    fn aliased(&mut self, anchor: usize) -> Result<Yaml<'a>, &'static str> {
        match (self.anchors.get(&anchor), self.options.aliases) {
            (Some(Yaml::Anchored(..)) | None, Aliases::Shared) => Ok(Yaml::Alias(anchor)),
            (None, Aliases::Copied) => Err("An alias stands inside of what it names"),
            (Some(value), _) => {
                self.copies += value.size();
                if self.copies > MAX_COPIES { Err("Aliases copy too much") } else { Ok(value.clone()) }
            }
        }
    }

    fn start(&mut self, open: Open<'a>) -> Result<(), &'static str> {
        if self.open.len() == MAX_DEPTH {
            return Err("Nested too deeply");
        }
        self.open.push(open);
        Ok(())
    }

    /// Puts a complete value where it belongs. `merge`: it is a plain `<<`.
    fn add(&mut self, value: Yaml<'a>, merge: bool) -> Result<(), &'static str> {
        match self.open.last_mut() {
            None => {
                self.documents.push(value);
                self.pending = false;
            }
            Some(Open::Sequence { items, .. }) => items.push(value),
            Some(Open::Mapping { entries, key, .. }) => match key.take() {
                None if merge => *key = Some(Key::Merge),
                None => match (value, self.options.schema) {
                    (Yaml::Text(name), _) => *key = Some(Key::Name(name)),
                    (value, Schema::Core) => *key = Some(Key::Name(key_text(value, &self.anchors))),
                    (_, Schema::Failsafe) => return Err("A key is no text"),
                },
                Some(Key::Name(name)) => entries.set(name, value),
                Some(Key::Merge) => {
                    let mut budget = MAX_COPIES.saturating_sub(self.copies);
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
    list: Vec<(Cow<'a, str>, Yaml<'a>)>,
    places: FxHashMap<Cow<'a, str>, (usize, bool)>,
}

impl<'a> Entries<'a> {
    /// An entry of the mapping itself: replaces earlier ones.
    fn set(&mut self, name: Cow<'a, str>, value: Yaml<'a>) {
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
    fn set_default(&mut self, name: Cow<'a, str>, value: Yaml<'a>) {
        if !self.places.contains_key(&name) {
            self.places.insert(name.clone(), (self.list.len(), false));
            self.list.push((name, value));
        }
    }
}

/// The entries that a merge key brings in, or `None` if its value is neither a mapping nor a list of mappings.
fn mergeable<'a>(
    value: &Yaml<'a>,
    anchors: &FxHashMap<usize, Yaml<'a>>,
    budget: &mut usize,
) -> Option<Vec<(Cow<'a, str>, Yaml<'a>)>> {
    match value {
        Yaml::Alias(anchor) => mergeable(anchors.get(anchor)?, anchors, budget),
        Yaml::Anchored(_, inner) => mergeable(inner, anchors, budget),
        Yaml::Map(entries) => {
            *budget = budget.saturating_sub(entries.iter().map(|(_, value)| value.size()).sum());
            if *budget == 0 {
                return Some(Vec::new());
            }
            // The copy must not take the place of the anchored original.
            Some(entries.iter().map(|(name, value)| (name.clone(), without_anchors(value))).collect())
        }
        Yaml::List(items) => {
            let lists = items.iter().map(|item| mergeable(item, anchors, budget)).collect::<Option<Vec<_>>>()?;
            Some(lists.into_iter().flatten().collect())
        }
        _ => None,
    }
}

fn without_anchors<'a>(value: &Yaml<'a>) -> Yaml<'a> {
    match value {
        // The same object, as it would be with an alias.
        Yaml::Anchored(anchor, _) => Yaml::Alias(*anchor),
        Yaml::List(items) => Yaml::List(items.iter().map(without_anchors).collect()),
        Yaml::Map(entries) => {
            Yaml::Map(entries.iter().map(|(name, value)| (name.clone(), without_anchors(value))).collect())
        }
        other => other.clone(),
    }
}

/// A key as a property name: what JavaScript's `String(value)` gives.
fn key_text<'a>(value: Yaml<'a>, anchors: &FxHashMap<usize, Yaml<'a>>) -> Cow<'a, str> {
    match value {
        Yaml::Text(text) => text,
        Yaml::Null => Cow::Borrowed("null"),
        Yaml::Bool(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
        Yaml::Number(number) if number.is_nan() => Cow::Borrowed("NaN"),
        Yaml::Number(f64::INFINITY) => Cow::Borrowed("Infinity"),
        Yaml::Number(f64::NEG_INFINITY) => Cow::Borrowed("-Infinity"),
        Yaml::Number(number) => Cow::Owned(json::number_text(number)),
        Yaml::Anchored(_, inner) => key_text(*inner, anchors),
        Yaml::List(items) => {
            let texts = items.into_iter().map(|item| match item {
                Yaml::Null => Cow::Borrowed(""),
                other => key_text(other, anchors),
            });
            Cow::Owned(texts.collect::<Vec<_>>().join(","))
        }
        Yaml::Alias(anchor) => match anchors.get(&anchor) {
            Some(value) => key_text(value.clone(), anchors),
            None => Cow::Borrowed("[object Object]"),
        },
        Yaml::Map(_) => Cow::Borrowed("[object Object]"),
    }
}
