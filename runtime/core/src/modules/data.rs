//! Data files: JSON, JSONC, JSON5, TOML and YAML as values.

use engine::{JsResult, Local, PropertyAttributes, Scope};

use crate::diagnostics::throw_diagnostics;
use crate::prepare;
use crate::source::{self, FileKind};

/// Reads and parses a data file.
pub fn data_value<'s>(scope: &mut Scope<'s>, path: &str, kind: FileKind) -> JsResult<Local<'s>> {
    let text = prepare::read_text(scope, path)?;
    data_of_text(scope, &text, path, kind)
}

/// Parses the text of a data file; `path` is for messages.
pub fn data_of_text<'s>(scope: &mut Scope<'s>, text: &str, path: &str, kind: FileKind) -> JsResult<Local<'s>> {
    if kind == FileKind::Json {
        // The engine's own parser; what it refuses may still be JSON with comments, which Bun reads in the files of some names.
        let json = scope.string(text)?;
        match scope.parse_json(json) {
            Ok(value) => return Ok(value),
            Err(exc) if source::has_comments(path) => drop(scope.take_exception(exc)),
            Err(exc) => return Err(name_json_error(scope, exc, text, path)),
        }
    }
    // A file that nobody has written to yet is an empty object in Bun.
    let text = if matches!(kind, FileKind::Json | FileKind::Jsonc) && text.trim().is_empty() { "{}" } else { text };
    match source::data_to_json(kind, text, path) {
        Ok(data) => parsed_data(scope, &data),
        Err(error) => Err(throw_diagnostics(scope, &[error])),
    }
}

/// The engine's error of a JSON file, with the file in its message as in Node's, and the place in its stack.
fn name_json_error(scope: &mut Scope<'_>, exc: engine::Exc, text: &str, path: &str) -> engine::Exc {
    let Some(error) = scope.take_exception(exc) else { return exc };
    let message = match scope.get(error, "message") {
        Ok(message) => format!("{path}: {}", scope.display(message)),
        Err(exc) => return exc,
    };
    match transpile::data::json_mistake(text, path) {
        Some(mistake) => throw_diagnostics(scope, &[transpile::Diagnostic { message, ..mistake }]),
        None => scope.throw(error),
    }
}

/// The value of a data file that was converted to JSON.
pub fn parsed_data<'s>(scope: &mut Scope<'s>, data: &transpile::data::Json) -> JsResult<Local<'s>> {
    let json = scope.string(&data.text)?;
    let value = scope.parse_json(json)?;
    let holder = scope.new_object()?;
    scope.set(holder, "value", value)?;
    for special in &data.specials {
        put_special(scope, holder, special)?;
    }
    scope.get(holder, "value")
}

/// Puts a value that JSON cannot express (infinities, dates, aliases) where it belongs.
pub(super) fn put_special(
    scope: &mut Scope<'_>,
    holder: Local<'_>,
    special: &transpile::data::Special,
) -> JsResult<()> {
    use transpile::data::SpecialValue;
    scope.nested(|scope| {
        let value = match &special.value {
            SpecialValue::Infinity => scope.number(f64::INFINITY),
            SpecialValue::NegativeInfinity => scope.number(f64::NEG_INFINITY),
            SpecialValue::NaN => scope.number(f64::NAN),
            SpecialValue::SameAs(path) => {
                let root = scope.get(holder, "value")?;
                walk(scope, root, path)?
            }
            SpecialValue::OffsetDateTime(text) => temporal(scope, "Instant", text)?,
            SpecialValue::LocalDateTime(text) => temporal(scope, "PlainDateTime", text)?,
            SpecialValue::LocalDate(text) => temporal(scope, "PlainDate", text)?,
            SpecialValue::LocalTime(text) => temporal(scope, "PlainTime", text)?,
        };
        let Some((last, parents)) = special.path.split_last() else { return scope.set(holder, "value", value) };
        let root = scope.get(holder, "value")?;
        let parent = walk(scope, root, parents)?;
        match last {
            transpile::data::PathSegment::Key(key) => scope.define(parent, key, value, PropertyAttributes::ALL),
            transpile::data::PathSegment::Index(index) => scope.set_index(parent, *index, value),
        }
    })
}

/// `Temporal.CLASS.from(text)`: TOML's dates, as Bun gives them.
pub(super) fn temporal<'s>(scope: &mut Scope<'s>, class: &str, text: &str) -> JsResult<Local<'s>> {
    let global = scope.global_object();
    let namespace = scope.get(global, "Temporal")?;
    let class = scope.get(namespace, class)?;
    let from = scope.get(class, "from")?;
    let text = scope.string(text)?;
    scope.call(from, class, &[text])
}

pub(super) fn walk<'s>(
    scope: &mut Scope<'s>,
    root: Local<'s>,
    path: &[transpile::data::PathSegment],
) -> JsResult<Local<'s>> {
    let mut value = root;
    for segment in path {
        value = match segment {
            transpile::data::PathSegment::Key(key) => scope.get(value, key)?,
            transpile::data::PathSegment::Index(index) => scope.get_index(value, *index)?,
        };
    }
    Ok(value)
}
