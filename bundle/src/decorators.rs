//! Decorators and `accessor` fields, which rolldown leaves in the code and no engine runs
//! (https://github.com/tc39/proposal-decorators), and the fields of TypeScript's older ones.

use std::path::Path;
use std::sync::PoisonError;

use rolldown_sourcemap::SourceMap;
use transpile::{Decorators, JsxMode, Options};
use tsconfig::TsConfig;

use crate::loading::map_of;
use crate::options::Loader;
use crate::shared::Shared;

/// What the tsconfig.json of a file says, read once for a folder; files that are not of the disk have that of where the build runs.
fn options_of(shared: &Shared, path: &str) -> Options {
    let options = &shared.options;
    let folder = Path::new(path).parent().filter(|folder| folder.is_absolute()).unwrap_or(&options.cwd);
    let mut known = shared.class_settings.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(folder) {
        return found.clone();
    }
    let config = match &options.tsconfig {
        Some(file) => TsConfig::load_file(file).ok(),
        None => TsConfig::load(folder).ok().flatten(),
    };
    // Mistakes in it are told by rolldown.
    let found = Options::default().with_tsconfig(config.as_ref(), false);
    known.insert(folder.to_path_buf(), found.clone());
    found
}

/// What a file with TypeScript's older decorators asks for.
pub(crate) struct Legacy {
    /// Whether fields without decorators are defined.
    pub defines: bool,
    /// Whether `null` is a type of its own.
    pub strict: bool,
}

/// How a file's older decorators are lowered. `None` if its decorators are those of the language.
pub(crate) fn legacy(shared: &Shared, path: &str) -> Option<Legacy> {
    let options = options_of(shared, path);
    match options.decorators {
        Decorators::Legacy { strict_null_checks, .. } => {
            Some(Legacy { defines: options.use_define_for_class_fields, strict: strict_null_checks })
        }
        _ => None,
    }
}

/// A file without decorators and without types, its loader and the map to what it was; `None` if there is nothing to lower.
///
/// # Errors
/// The text about decorators that only TypeScript's older ones could be.
pub(crate) fn lowered(
    shared: &Shared,
    path: &str,
    text: &str,
    loader: Loader,
) -> Result<Option<(String, Loader, Option<SourceMap>)>, String> {
    if !transpile::mentions_decorators(text) {
        return Ok(None);
    }
    let (is_typescript, after) = match loader {
        Loader::Ts => (true, Loader::Js),
        Loader::Tsx => (true, Loader::Jsx),
        _ => (false, loader),
    };
    let mut settings = options_of(shared, path);
    if is_typescript && matches!(settings.decorators, Decorators::Legacy { .. }) {
        return Ok(None);
    }
    settings.loader = transpile::Loader::of_name(loader.name());
    settings.jsx.mode = JsxMode::Preserve;
    settings.only_decorators = true;
    settings.source_map = shared.options.sourcemap != crate::options::Sourcemap::None;
    match transpile::transpile(text, path, &settings) {
        Ok(output) => Ok(output.code.map(|code| {
            let mut map = output.map.and_then(|map| map_of(&[map.to_json(None)]));
            if let Some(map) = &mut map {
                map.set_source_contents(vec![Some(text)]);
            }
            (code, after, map)
        })),
        Err(errors) => match errors.iter().find(|error| error.message.contains("experimentalDecorators")) {
            Some(error) => Err(error.message.clone()),
            // What cannot be parsed is told by rolldown.
            None => Ok(None),
        },
    }
}
