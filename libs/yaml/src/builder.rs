//! Events made into values.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use crate::scalar::scalar;
use crate::{Aliases, Error, Options, Schema, TEXT_OF_COPY, Yaml};

/// Deepest nesting of collections; what takes values apart is recursive.
const MAX_DEPTH: usize = 1_000;
/// Most that merge keys, aliases and keys may copy, as [`Yaml::size`] counts: a small file cannot grow without bounds.
const MAX_COPIES: usize = 500_000;

const TOO_DEEP: &str = "Nested too deeply";
const TOO_MANY_ALIASES: &str = "Aliases copy too much";

/// The documents of a text.
///
/// # Errors
/// The first mistake in the syntax; too much nesting or copying; what `options` refuse.
pub fn parse(text: &str, options: Options) -> Result<Vec<Yaml<'_>>, Error> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::new(options);
    // Markers count characters. The character looked for last and its byte: to count from the start each time would be quadratic.
    let mut seen = (0_usize, 0_usize);
    let mut offset = |marker: Marker| {
        let index = marker.index();
        if index < seen.0 {
            seen = (0, 0);
        }
        let rest = &body[seen.1..];
        let skipped = rest.char_indices().nth(index - seen.0).map_or(rest.len(), |(at, _)| at);
        seen = (index, seen.1 + skipped);
        seen.1
    };
    let failed = |marker: Marker, offset: usize, message: String| Error {
        message,
        at: text.len() - body.len() + offset,
        line: marker.line(),
    };
    let ends_in_spaces = body.ends_with(' ') && last_line(body).bytes().all(|byte| byte == b' ');
    for event in Parser::new_from_str(body) {
        let (event, span) = event.map_err(|error: ScanError| {
            let marker = *error.marker();
            failed(marker, offset(marker), error.info().to_owned())
        })?;
        let event = match event {
            Event::Scalar(value, style @ (ScalarStyle::Literal | ScalarStyle::Folded), anchor, tag)
                if value.bytes().all(|byte| byte == b'\n') =>
            {
                let value = without_content(&body[offset(span.start)..]).map_or(value, Cow::Owned);
                Event::Scalar(value, style, anchor, tag)
            }
            Event::Scalar(value, style @ (ScalarStyle::Literal | ScalarStyle::Folded), anchor, tag)
                if ends_in_spaces
                    && value.ends_with("\n\n")
                    && body[offset(span.end)..].trim_matches([' ', '\n']).is_empty() =>
            {
                Event::Scalar(Cow::Owned(without_last_spaces(&value, body)), style, anchor, tag)
            }
            other => other,
        };
        builder.event(event).map_err(|message| failed(span.start, offset(span.start), message.to_owned()))?;
    }
    Ok(builder.documents)
}

/// The value of a block scalar that has no content up to the end of the text, if `rest` begins with its header: the parser takes the
/// header's own line end for the scalar's (8.1.1.2).
fn without_content(rest: &str) -> Option<String> {
    if !rest.starts_with(['|', '>']) {
        return None;
    }
    let (header, body) = rest.split_once('\n').unwrap_or((rest, ""));
    let keeps = header.split('#').next().unwrap_or_default().contains('+');
    // Spaces at the end of the text are a line of their own.
    let last = usize::from(last_line(body).starts_with(' '));
    Some(if keeps { "\n".repeat(body.matches('\n').count() + last) } else { String::new() })
}

/// The text behind the last line end.
fn last_line(text: &str) -> &str {
    text.rsplit_once('\n').map_or(text, |(_, last)| last)
}

/// The value of a block scalar at the end of a text that ends in spaces: where they are as many as the scalar is indented by, the parser
/// takes them for a line without text, though no line end follows. A value has no more line ends at its end than the text has there.
fn without_last_spaces(value: &str, text: &str) -> String {
    let most = text[text.trim_end_matches([' ', '\n']).len()..].matches('\n').count();
    let content = value.trim_end_matches('\n');
    format!("{content}{}", "\n".repeat(most.min(value.len() - content.len())))
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
    /// Complete values with an anchor, for scalars, merges and keys; with [`Aliases::Shared`] those in them are aliases. A collection is
    /// absent while it is open.
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
                return match self.options.aliases {
                    _ if anchor == 0 => self.add(value, false),
                    Aliases::Shared => {
                        // Without what has an anchor of its own: of collections in each other each would be copied with all others.
                        self.anchors.insert(anchor, Yaml::Anchored(anchor, Box::new(without_anchors(&value))));
                        self.add(Yaml::Anchored(anchor, Box::new(value)), false)
                    }
                    Aliases::Copied => {
                        spend(&mut self.copies, value.size())?;
                        self.anchors.insert(anchor, value.clone());
                        self.add(value, false)
                    }
                };
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
                spend(&mut self.copies, value.size())?;
                Ok(value.clone())
            }
        }
    }

    fn start(&mut self, open: Open<'a>) -> Result<(), &'static str> {
        if self.open.len() == MAX_DEPTH {
            return Err(TOO_DEEP);
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
                    (value, Schema::Core) => {
                        let mut writer = KeyWriter::new(&self.anchors, &mut self.copies);
                        writer.write(&value, 0)?;
                        *key = Some(Key::Name(Cow::Owned(writer.text)));
                    }
                    (_, Schema::Failsafe) => return Err("A key is no text"),
                },
                Some(Key::Name(name)) => entries.set(name, value),
                Some(Key::Merge) => {
                    let merged = mergeable(&value, &self.anchors, &mut self.copies)?;
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

/// Counts `size` more copies.
fn spend(copies: &mut usize, size: usize) -> Result<(), &'static str> {
    *copies = copies.saturating_add(size);
    if *copies > MAX_COPIES { Err(TOO_MANY_ALIASES) } else { Ok(()) }
}

/// The entries that a merge key brings in, or `None` if its value is neither a mapping nor a list. Of a list, what is no mapping is passed
/// over, as in Bun.
fn mergeable<'a>(
    value: &Yaml<'a>,
    anchors: &FxHashMap<usize, Yaml<'a>>,
    copies: &mut usize,
) -> Result<Option<Vec<(Cow<'a, str>, Yaml<'a>)>>, &'static str> {
    let value = target(value, anchors)?;
    let sources = match value {
        Yaml::List(items) => items.as_slice(),
        Yaml::Map(_) => std::slice::from_ref(value),
        _ => return Ok(None),
    };
    let mut merged = Vec::new();
    for source in sources {
        let source = target(source, anchors)?;
        spend(copies, source.size()).map_err(|_| "Merge keys copy too much")?;
        if let Yaml::Map(entries) = source {
            // The copy must not take the place of the anchored original.
            merged.extend(entries.iter().map(|(name, value)| (name.clone(), without_anchors(value))));
        }
    }
    Ok(Some(merged))
}

/// What a value of a merge key is, itself or by an alias.
fn target<'v, 'a>(value: &'v Yaml<'a>, anchors: &'v FxHashMap<usize, Yaml<'a>>) -> Result<&'v Yaml<'a>, &'static str> {
    let value = match value {
        Yaml::Alias(anchor) => anchors.get(anchor).ok_or("Merge key cannot reference an enclosing node")?,
        value => value,
    };
    Ok(if let Yaml::Anchored(_, inner) = value { inner } else { value })
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

/// Writes a key as a property name: what JavaScript's `String(value)` gives.
struct KeyWriter<'b, 'a> {
    text: String,
    anchors: &'b FxHashMap<usize, Yaml<'a>>,
    /// Only what aliases stand for counts.
    copies: &'b mut usize,
    is_copy: bool,
    /// Anchors of the collections around what is written.
    open: Vec<usize>,
}

impl<'b, 'a> KeyWriter<'b, 'a> {
    fn new(anchors: &'b FxHashMap<usize, Yaml<'a>>, copies: &'b mut usize) -> Self {
        Self { text: String::new(), anchors, copies, is_copy: false, open: Vec::new() }
    }

    fn write(&mut self, value: &Yaml<'_>, depth: usize) -> Result<(), &'static str> {
        if depth > MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        if self.is_copy {
            let size = match value {
                Yaml::List(items) => items.len(),
                Yaml::Text(text) => text.len() / TEXT_OF_COPY,
                _ => 0,
            };
            spend(self.copies, 1 + size)?;
        }
        match value {
            Yaml::Text(text) => self.text.push_str(text),
            Yaml::Null => self.text.push_str("null"),
            Yaml::Bool(flag) => self.text.push_str(if *flag { "true" } else { "false" }),
            Yaml::Number(number) if number.is_nan() => self.text.push_str("NaN"),
            Yaml::Number(f64::INFINITY) => self.text.push_str("Infinity"),
            Yaml::Number(f64::NEG_INFINITY) => self.text.push_str("-Infinity"),
            Yaml::Number(number) => self.text.push_str(&json::number_text(*number)),
            Yaml::Map(_) => self.text.push_str("[object Object]"),
            Yaml::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.text.push(',');
                    }
                    if *item != Yaml::Null {
                        self.write(item, depth + 1)?;
                    }
                }
            }
            Yaml::Anchored(anchor, inner) => {
                self.open.push(*anchor);
                self.write(inner, depth + 1)?;
                self.open.pop();
            }
            // A list in itself is empty there.
            Yaml::Alias(anchor) if self.open.contains(anchor) => {}
            Yaml::Alias(anchor) => match self.anchors.get(anchor) {
                Some(value) => {
                    let was_copy = std::mem::replace(&mut self.is_copy, true);
                    self.write(value, depth + 1)?;
                    self.is_copy = was_copy;
                }
                // A collection that is not complete.
                None => self.text.push_str("[object Object]"),
            },
        }
        Ok(())
    }
}
