//! YAML 1.2 (<https://yaml.org/spec/1.2.2/>) as values.
//!
//! The syntax is read by the crate `saphyr-parser`; what its events mean is decided here, once for the files that
//! programs import, for `Bun.YAML` and for the lockfiles and settings of pnpm and Yarn. What these want differently
//! has a name in [`Options`].
//!
//! ```
//! use yaml::{Options, Yaml};
//!
//! let text = "version: 9.0\nfiles: &f [a, b]\nagain: *f\n";
//! let documents = yaml::parse(text, Options::TEXT)?;
//! assert_eq!(documents[0].text("version"), "9.0");
//! assert_eq!(documents[0].get("again").unwrap().items().len(), 2);
//!
//! let documents = yaml::parse(text, Options::DATA)?;
//! assert_eq!(documents[0].get("version"), Some(&Yaml::Number(9.0)));
//! assert_eq!(documents[0].get("again"), Some(&Yaml::Alias(1)));
//! # Ok::<(), yaml::Error>(())
//! ```
//!
//! | entry | what it is for |
//! |---|---|
//! | [`parse`] | the documents of a text |
//! | [`Yaml`] | a value |
//! | [`Options`] | which schema, and what becomes of aliases |
//!
//! Of two equal keys the last one counts and keeps the place of the first. A text cannot grow without bounds: what
//! aliases and merge keys copy has a limit, as nesting has.
//!
//! The rooms: `builder` makes values of events, `scalar` knows the core schema.

mod builder;
mod scalar;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use builder::parse;

/// Bytes of text that count as much as a value where copies are counted.
pub(crate) const TEXT_OF_COPY: usize = 128;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml<'t> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'t, str>),
    List(Vec<Yaml<'t>>),
    /// Keys that are not text are what JavaScript's `String(key)` gives.
    Map(Vec<(Cow<'t, str>, Yaml<'t>)>),
    /// A collection with an anchor, by number. Only with [`Aliases::Shared`].
    Anchored(usize, Box<Yaml<'t>>),
    /// An alias to the collection with that anchor, which may be one that the alias stands in. Only with
    /// [`Aliases::Shared`].
    Alias(usize),
}

/// How scalars are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// The core schema: null, booleans and numbers. `yes`, `no`, `on`, `off` and dates are text, as in Bun. Merge keys
    /// (`<<`) of YAML 1.1 work.
    Core,
    /// The failsafe schema: all scalars are text, because versions and ranges look like numbers. Keys must be scalars,
    /// and `<<` is a key as any other.
    Failsafe,
}

/// What becomes of an alias to a collection. One to a scalar is always a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aliases {
    /// It stays an alias, for whoever can make two references to one object.
    Shared,
    /// It is a copy. An alias inside of what it names is an error.
    Copied,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub schema: Schema,
    pub aliases: Aliases,
}

impl Options {
    /// Data for programs.
    pub const DATA: Options = Options { schema: Schema::Core, aliases: Aliases::Shared };
    /// Lockfiles and settings of package managers.
    pub const TEXT: Options = Options { schema: Schema::Failsafe, aliases: Aliases::Copied };
}

/// The first mistake of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub message: String,
    /// Offset in bytes.
    pub at: usize,
    /// From 1.
    pub line: usize,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (line {})", self.message, self.line)
    }
}

impl std::error::Error for Error {}

impl<'t> Yaml<'t> {
    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Yaml<'t>> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The entries of a mapping; nothing for other values.
    pub fn entries(&self) -> &[(Cow<'t, str>, Yaml<'t>)] {
        match self {
            Yaml::Map(entries) => entries,
            Yaml::Anchored(_, inner) => inner.entries(),
            _ => &[],
        }
    }

    /// The items of a sequence; nothing for other values.
    pub fn items(&self) -> &[Yaml<'t>] {
        match self {
            Yaml::List(items) => items,
            Yaml::Anchored(_, inner) => inner.items(),
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
        match self {
            Yaml::Map(_) => true,
            Yaml::Anchored(_, inner) => inner.is_map(),
            _ => false,
        }
    }

    /// Values in this one, itself counted; each [`TEXT_OF_COPY`] bytes of a text or of a key count as one more.
    pub(crate) fn size(&self) -> usize {
        match self {
            Yaml::List(items) => 1 + items.iter().map(Yaml::size).sum::<usize>(),
            Yaml::Map(entries) => {
                1 + entries.iter().map(|(key, value)| key.len() / TEXT_OF_COPY + value.size()).sum::<usize>()
            }
            Yaml::Anchored(_, inner) => inner.size(),
            Yaml::Text(text) => 1 + text.len() / TEXT_OF_COPY,
            _ => 1,
        }
    }
}
