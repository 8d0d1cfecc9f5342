//! YAML as the lockfiles and settings of pnpm and Yarn use it: mappings with text keys, sequences, scalars as text.

use saphyr_parser::{Event, Parser};
use std::borrow::Cow;

/// Deepest nesting.
const MAX_DEPTH: usize = 64;
/// Most values that aliases may copy, so that a small file cannot grow without bounds.
const MAX_COPIES: usize = 100_000;

/// A value. Numbers, booleans and null stay text, because versions and ranges look like them.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml<'t> {
    Text(Cow<'t, str>),
    List(Vec<Yaml<'t>>),
    Map(Vec<(Cow<'t, str>, Yaml<'t>)>),
}

impl<'t> Yaml<'t> {
    pub fn get(&self, key: &str) -> Option<&Yaml<'t>> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    pub fn entries(&self) -> &[(Cow<'t, str>, Yaml<'t>)] {
        match self {
            Yaml::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Yaml<'t>] {
        match self {
            Yaml::List(items) => items,
            _ => &[],
        }
    }

    pub fn str(&self) -> Option<&str> {
        match self {
            Yaml::Text(text) => Some(text),
            _ => None,
        }
    }

    /// `get(key)` as text, or empty.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Yaml::str).unwrap_or("")
    }

    pub fn is_map(&self) -> bool {
        matches!(self, Yaml::Map(_))
    }

    fn size(&self) -> usize {
        1 + match self {
            Yaml::Text(_) => 0,
            Yaml::List(items) => items.iter().map(Yaml::size).sum(),
            Yaml::Map(entries) => entries.iter().map(|(_, value)| value.size()).sum(),
        }
    }
}

enum Open<'t> {
    List(usize, Vec<Yaml<'t>>),
    Map(usize, Vec<(Cow<'t, str>, Yaml<'t>)>, Option<Cow<'t, str>>),
}

/// The documents of a text.
///
/// # Errors
/// What is wrong, and in which line (from 1).
pub fn parse(text: &str) -> Result<Vec<Yaml<'_>>, (String, usize)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut documents = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut anchors: Vec<(usize, Yaml<'_>)> = Vec::new();
    let mut copies = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| (error.info().to_owned(), error.marker().line()))?;
        let fail = |what: &str| Err((what.to_owned(), span.start.line()));
        let (value, anchor) = match event {
            Event::Scalar(text, _, anchor, _) => (Yaml::Text(text), anchor),
            Event::Alias(wanted) => {
                let Some((_, value)) = anchors.iter().find(|(known, _)| *known == wanted) else {
                    return fail("an alias stands inside of what it names");
                };
                copies += value.size();
                if copies > MAX_COPIES {
                    return fail("aliases copy too much");
                }
                (value.clone(), 0)
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) if open.len() >= MAX_DEPTH => {
                let _ = anchor;
                return fail("nested too deeply");
            }
            Event::SequenceStart(anchor, _) => {
                open.push(Open::List(anchor, Vec::new()));
                continue;
            }
            Event::MappingStart(anchor, _) => {
                open.push(Open::Map(anchor, Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(anchor, items)) => (Yaml::List(items), anchor),
                Some(Open::Map(anchor, entries, _)) => (Yaml::Map(entries), anchor),
                None => return fail("a collection ends that did not begin"),
            },
            _ => continue,
        };
        if anchor > 0 {
            anchors.push((anchor, value.clone()));
        }
        match open.last_mut() {
            None => documents.push(value),
            Some(Open::List(_, items)) => items.push(value),
            Some(Open::Map(_, entries, key)) => match key.take() {
                Some(name) => entries.push((name, value)),
                None => match value {
                    Yaml::Text(name) => *key = Some(name),
                    _ => return fail("a key is no text"),
                },
            },
        }
    }
    Ok(documents)
}
