//! Text formats that programs import as data, converted to JSON text that the engine parses.
//!
//! JSON cannot hold everything that these formats can (`Infinity`, dates, shared objects). Such values are
//! `null` in [`Json::text`] and listed in [`Json::specials`], to be put in place after `JSON.parse`.

mod toml;
pub(crate) mod value;

#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostic;
use json::Flavor;
pub use value::{Json, PathSegment, Special, SpecialValue};
use value::{Value, Writer};

/// JSON with `//` and `/* */` comments and trailing commas (tsconfig.json, bun.lock, `.jsonc`) to JSON.
///
/// # Errors
/// The first thing that is no JSONC, with its position. `file` is only used in the diagnostic.
pub fn jsonc_to_json(text: &str, file: &str) -> Result<Json, Diagnostic> {
    flavored(text, file, Flavor::Jsonc)
}

/// The first thing in a text that is no JSON (RFC 8259); `None` if it is JSON.
pub fn json_mistake(text: &str, file: &str) -> Option<Diagnostic> {
    json::Value::read(text, Flavor::Json).err().map(|error| Diagnostic::of_json(text, file, error))
}

/// JSON5 (<https://spec.json5.org>) to JSON. `Infinity` and `NaN` are specials.
///
/// # Errors
/// The first thing that is no JSON5, with its position.
pub fn json5_to_json(text: &str, file: &str) -> Result<Json, Diagnostic> {
    flavored(text, file, Flavor::Json5)
}

fn flavored(text: &str, file: &str, flavor: Flavor) -> Result<Json, Diagnostic> {
    match json::Value::read(text, flavor) {
        Ok(value) => Ok(Writer::finish(&value.into())),
        Err(error) => Err(Diagnostic::of_json(text, file, error)),
    }
}

/// TOML 1.1 (<https://toml.io/en/v1.1.0>) to JSON. `inf`, `nan`, dates and times are specials. Integers beyond
/// ±(2^53 - 1) are errors, as in Bun, because a JavaScript number cannot hold them.
///
/// # Errors
/// The first mistake, with its position.
pub fn toml_to_json(text: &str, file: &str) -> Result<Json, Diagnostic> {
    toml::parse(text, file).map(|value| Writer::finish(&value))
}

/// YAML 1.2 with the core schema to JSON, as Bun's `YAML.parse` reads it: one document is its value, several
/// are an array, none is `null`. Merge keys (`<<`) of YAML 1.1 work; `yes`, `no`, `on` and `off` are strings,
/// and so are dates. An alias to a collection is [`SpecialValue::SameAs`], which also expresses cycles.
///
/// # Errors
/// The first mistake, with its position.
pub fn yaml_to_json(text: &str, file: &str) -> Result<Json, Diagnostic> {
    let mut documents = yaml::parse(text, yaml::Options::DATA).map_err(|error| {
        let at = error.at as u32;
        Diagnostic::at(text, file, at, at + 1, error.message)
    })?;
    let value = match documents.len() {
        0 => Value::Null,
        1 => documents.remove(0).into(),
        _ => Value::Array(documents.into_iter().map(Into::into).collect()),
    };
    Ok(Writer::finish(&value))
}
