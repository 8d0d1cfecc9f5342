//! Which tsconfig.json rolldown reads. Its resolver gives up on one whose `extends` or `references` lead nowhere, which other
//! projects than the one that is built are often the reason of; Bun goes on without them. Such a file is read here, and rolldown
//! gets a copy without what is missing.

use std::path::{Path, PathBuf};

use rolldown_common::TsConfig;
use rolldown_utils::xxhash::xxhash_with_base;
use serde_json::Value;
use transpile::data;

use crate::options::BuildOptions;
use crate::plugin::join;
use crate::settings::Entry;

/// The choice; a copy is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TsConfigChoice {
    file: Option<PathBuf>,
    is_copy: bool,
}

impl TsConfigChoice {
    /// The choice for some entry points, by the folder of the first.
    pub(crate) fn of(options: &BuildOptions, entries: &[Entry]) -> TsConfigChoice {
        let given = options.tsconfig.clone();
        let found = given.clone().or_else(|| {
            let folder = Path::new(&entries.first()?.specifier).parent().filter(|folder| folder.is_absolute())?;
            folder.ancestors().map(|folder| folder.join("tsconfig.json")).find(|file| file.is_file())
        });
        let copy = found.and_then(|file| without_missing(&file)).and_then(|text| {
            let name = format!("bao-tsconfig-{}-{}.json", std::process::id(), xxhash_with_base(text.as_bytes(), 36));
            let file = std::env::temp_dir().join(name);
            std::fs::write(&file, text).ok().map(|()| file)
        });
        match copy {
            Some(file) => TsConfigChoice { file: Some(file), is_copy: true },
            None => TsConfigChoice { file: given, is_copy: false },
        }
    }

    /// As rolldown takes it.
    pub(crate) fn option(&self) -> TsConfig {
        self.file.clone().map_or(TsConfig::Auto(true), TsConfig::Manual)
    }
}

impl Drop for TsConfigChoice {
    fn drop(&mut self) {
        if let Some(file) = self.file.as_ref().filter(|_| self.is_copy) {
            // Nothing is lost if it stays: the system cleans its folder.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// The text of a tsconfig.json without `extends` and `references` that lead nowhere, with absolute paths; `None` if nothing is
/// missing, or the file cannot be read.
fn without_missing(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let json = data::jsonc_to_json(&text, &file.to_string_lossy()).ok()?;
    let mut config: Value = serde_json::from_str(&json.text).ok()?;
    let folder = file.parent()?;
    let object = config.as_object_mut()?;
    let mut is_missing = false;
    let extends: Vec<String> = match object.get("extends") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => all.iter().filter_map(|one| one.as_str().map(String::from)).collect(),
        _ => Vec::new(),
    };
    let found: Vec<Value> = extends
        .iter()
        .filter_map(|one| base_of(folder, one).map(|base| base.to_string_lossy().into_owned().into()))
        .collect();
    if found.len() != extends.len() {
        is_missing = true;
    }
    object.remove("extends");
    if !found.is_empty() {
        object.insert("extends".into(), Value::Array(found));
    }
    if let Some(Value::Array(references)) = object.remove("references") {
        is_missing |= references.iter().any(|reference| {
            let place = reference["path"].as_str().map(|path| join(folder, path));
            !place.is_some_and(|place| place.is_file() || place.join("tsconfig.json").is_file())
        });
    }
    if !is_missing {
        return None;
    }
    if let Some(Value::Object(compiler)) = object.get_mut("compilerOptions") {
        let base = compiler.get("baseUrl").and_then(Value::as_str).map(|base| join(folder, base));
        let origin = base.clone().unwrap_or_else(|| folder.to_path_buf());
        if let Some(base) = base {
            compiler.insert("baseUrl".into(), base.to_string_lossy().into_owned().into());
        }
        if let Some(Value::Object(paths)) = compiler.get_mut("paths") {
            for target in paths.values_mut().filter_map(Value::as_array_mut).flatten() {
                if let Some(path) = target.as_str() {
                    *target = join(&origin, path).to_string_lossy().into_owned().into();
                }
            }
        }
    }
    Some(config.to_string())
}

/// The file that an `extends` names.
fn base_of(folder: &Path, name: &str) -> Option<PathBuf> {
    let with_endings = |place: PathBuf| {
        let text = place.to_string_lossy().into_owned();
        [place.clone(), PathBuf::from(format!("{text}.json")), place.join("tsconfig.json")]
            .into_iter()
            .find(|file| file.is_file())
    };
    if name.starts_with('.') || name.starts_with('/') {
        return with_endings(join(folder, name));
    }
    folder.ancestors().find_map(|folder| with_endings(folder.join("node_modules").join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_left_out() {
        let folder = std::env::temp_dir().join(format!("tsconfig-choice-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tsconfig.json");
        std::fs::write(
            &file,
            r#"{ "extends": "./gone.json", "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }"#,
        )
        .unwrap();
        let copy: Value = serde_json::from_str(&without_missing(&file).unwrap()).unwrap();
        assert!(copy.get("extends").is_none());
        assert_eq!(copy["compilerOptions"]["paths"]["@/*"][0], folder.join("src/*").to_string_lossy().as_ref());
        std::fs::write(&file, r#"{ "compilerOptions": {} }"#).unwrap();
        assert!(without_missing(&file).is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
