//! Values of TOML as the types that keys want, and errors that name the place.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Bunfig, Tables};

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// With the file, the line and the column, both from 1, in front.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

impl Error {
    pub(crate) fn hint(mut self, hint: String) -> Self {
        self.hint = Some(hint);
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub(crate) type Outcome<T> = Result<T, Error>;
pub(crate) type Value<'a> = Spanned<DeValue<'a>>;

/// The text that is read, for the places in errors.
pub(crate) struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
}

pub(crate) fn parse(text: &str, path: &Path, tables: Tables) -> Outcome<Bunfig> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let reader = Reader { text, path };
    let table = DeTable::parse(text).map_err(|error| reader.error(error.span().unwrap_or(0..0), error.message()))?;
    let mut bunfig = Bunfig::default();
    for (key, value) in table.get_ref() {
        match (tables, key.get_ref().as_ref()) {
            (Tables::Program, key) => reader.program(&mut bunfig, key, value)?,
            (Tables::Install, "install") => {
                if let DeValue::Table(table) = value.get_ref() {
                    reader.install(&mut bunfig.install, table)?;
                }
            }
            (Tables::Pages, "serve") => {
                if let Some(table) = reader.table(value, "serve")?.get("static") {
                    reader.pages(&mut bunfig.pages, reader.table(table, "serve.static")?)?;
                }
            }
            (Tables::Fmt, "fmt") => reader.fmt(&mut bunfig.fmt, reader.table(value, "fmt")?)?,
            (Tables::Install | Tables::Pages | Tables::Fmt, _) => {}
        }
    }
    Ok(bunfig)
}

impl Reader<'_> {
    pub(crate) fn error(&self, span: Range<usize>, message: &str) -> Error {
        let before = &self.text[..self.text.floor_char_boundary(span.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Error { message: format!("{}:{line}:{column}: {message}", self.path.display()), hint: None }
    }

    /// The error for a value of the wrong type.
    pub(crate) fn expected(&self, value: &Value<'_>, key: &str, what: &str) -> Error {
        let got = value.get_ref().type_str();
        self.error(value.span(), &format!("{key} must be {what}, not {got}"))
    }

    /// The error for a value of the right type that is not one of those that count.
    pub(crate) fn wrong(&self, value: &Value<'_>, key: &str, what: &str) -> Error {
        self.error(value.span(), &format!("{key} must be {what}"))
    }

    pub(crate) fn string(&self, value: &Value<'_>, key: &str) -> Outcome<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.expected(value, key, "a string")),
        }
    }

    /// An array of strings, or one string.
    pub(crate) fn strings(&self, value: &Value<'_>, key: &str) -> Outcome<Vec<String>> {
        match value.get_ref() {
            DeValue::String(text) => Ok(vec![text.to_string()]),
            DeValue::Array(items) => items.iter().map(|item| self.item(item, key)).collect(),
            _ => Err(self.expected(value, key, "a string or array of strings")),
        }
    }

    fn item(&self, value: &Value<'_>, key: &str) -> Outcome<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            other => {
                let message = format!("{key} array must contain only strings, not {}", other.type_str());
                Err(self.error(value.span(), &message))
            }
        }
    }

    pub(crate) fn boolean(&self, value: &Value<'_>, key: &str) -> Outcome<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.expected(value, key, "true or false"))
    }

    pub(crate) fn integer(&self, value: &Value<'_>, key: &str) -> Outcome<u32> {
        let number = integer(value).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.expected(value, key, "a whole number of at least 0"))
    }

    pub(crate) fn table<'v>(&self, value: &'v Value<'_>, key: &str) -> Outcome<&'v DeTable<'v>> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.expected(value, key, "a table")),
        }
    }
}

/// A whole number, in any notation of TOML.
pub(crate) fn integer(value: &Value<'_>) -> Option<i64> {
    match value.get_ref() {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

/// The string that a value is, for keys whose other values do not count.
pub(crate) fn text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    value.get_ref().as_str()
}
