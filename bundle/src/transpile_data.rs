//! Data formats as modules: what reads them is libs/transpile.

use rolldown_common::ModuleType;
use transpile::data;

use crate::messages::{Message, position_at};
use crate::options::Loader;

/// A file of data as the text of a module, with its kind.
///
/// # Errors
/// The first mistake, with its line and column.
pub(crate) fn json_module(text: &str, path: &str, loader: Loader) -> Result<(String, ModuleType), Message> {
    let converted = match loader {
        Loader::Toml => data::toml_to_json(text, path),
        Loader::Yaml => data::yaml_to_json(text, path),
        Loader::Json5 => data::json5_to_json(text, path),
        _ if text.trim().is_empty() => return Ok(("{}".to_string(), ModuleType::Json)),
        _ => data::jsonc_to_json(text, path),
    };
    let json = converted.map_err(|error| {
        let start = error.offset as usize;
        let position = position_at(text, "file", path, start, start + error.length as usize);
        Message { position: Some(position), notes: error.help.into_iter().collect(), ..Message::error(error.message) }
    })?;
    if !json.specials.is_empty() {
        let position = position_at(text, "file", path, 0, 0);
        let text = "dates, infinities and aliases to collections cannot be bundled";
        return Err(Message { position: Some(position), ..Message::error(text) });
    }
    Ok((json.text, ModuleType::Json))
}
