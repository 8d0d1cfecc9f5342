//! Which tsconfig.json rolldown reads. Its resolver gives up on one whose `extends` or `references` lead nowhere, which other
//! projects than the one that is built are often the reason of; Bun goes on without them. Nor does it take a backslash for a slash, as
//! TypeScript does on every system. Such a file is read here, and rolldown gets a copy without what is missing, and with slashes.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rolldown_common::TsConfig;
use serde_json::Value;
use transpile::data;

use crate::options::BuildOptions;
use crate::settings::Entry;
use crate::shared::join;

/// The choice; a copy is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TsConfigChoice {
    file: Option<PathBuf>,
    is_copy: bool,
}

impl TsConfigChoice {
    /// The choice for some entry points, by the folder of the first.
    pub(crate) fn of(options: &BuildOptions, entries: &[Entry]) -> TsConfigChoice {
        if let Some(given) = &options.tsconfig {
            return Self::copied(given).unwrap_or(TsConfigChoice { file: Some(given.clone()), is_copy: false });
        }
        let folder = entries.first().and_then(|entry| Path::new(&entry.specifier).parent());
        let above = folder.filter(|folder| folder.is_absolute()).map(Path::ancestors).into_iter().flatten();
        let mut files = above.map(|folder| folder.join("tsconfig.json")).filter(|file| file.is_file());
        let none = TsConfigChoice { file: None, is_copy: false };
        let Some(nearest) = files.next() else { return none };
        if let Some(copied) = Self::copied(&nearest) {
            return copied;
        }
        // rolldown looks further up for files that the nearest does not include; Bun does not.
        let is_missing_above = files.any(|file| mended(&file).is_some());
        if is_missing_above { TsConfigChoice { file: Some(nearest), is_copy: false } } else { none }
    }

    /// A copy of a file that rolldown would not take as it is.
    fn copied(file: &Path) -> Option<TsConfigChoice> {
        let copy = write_copy(&mended(file)?).ok()?;
        Some(TsConfigChoice { file: Some(copy), is_copy: true })
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

/// Writes a copy under a name of its own, since builds at the same time may have the same text, and gives its place.
///
/// # Errors
/// Those of the system.
fn write_copy(text: &str) -> io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("bao-tsconfig-{}-{number}.json", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
            Ok(mut copy) => {
                if let Err(error) = copy.write_all(text.as_bytes()) {
                    // The error is told; what is there of the copy is of no use.
                    let _ = std::fs::remove_file(&file);
                    return Err(error);
                }
                return Ok(file);
            }
            // What a process of the same number has left behind.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// The text of a tsconfig.json without `extends` and `references` that lead nowhere, with absolute paths and slashes; `None` if it says
/// the same as it is, or the file cannot be read.
fn mended(file: &Path) -> Option<String> {
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
        .filter_map(|one| tsconfig::find_extended(one, folder))
        // rolldown's resolver reads the disk only, not archives of the store.
        .filter(|(base, _)| base.is_file())
        .map(|(base, _)| base.to_string_lossy().into_owned().into())
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
    if !is_missing && !has_backslashes(object.get("compilerOptions")) {
        return None;
    }
    if let Some(Value::Object(compiler)) = object.get_mut("compilerOptions") {
        // The copy is elsewhere, so that `${configDir}` has to be the folder of the file.
        let join = |origin: &Path, path: &str| {
            let path = path.replace('\\', "/");
            match path.strip_prefix("${configDir}") {
                Some(rest) => join(folder, rest.trim_start_matches('/')),
                None => join(origin, &path),
            }
        };
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

/// Whether a place that `compilerOptions` name has a backslash.
fn has_backslashes(compiler: Option<&Value>) -> bool {
    let Some(compiler) = compiler else { return false };
    let targets = compiler["paths"].as_object().into_iter().flat_map(serde_json::Map::values);
    let targets = targets.filter_map(Value::as_array).flatten();
    targets.chain(compiler.get("baseUrl")).filter_map(Value::as_str).any(|place| place.contains('\\'))
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
        let copy: Value = serde_json::from_str(&mended(&file).unwrap()).unwrap();
        assert!(copy.get("extends").is_none());
        assert_eq!(copy["compilerOptions"]["paths"]["@/*"][0], folder.join("src/*").to_string_lossy().as_ref());
        std::fs::write(&file, r#"{ "compilerOptions": {} }"#).unwrap();
        assert!(mended(&file).is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn backslashes_are_slashes() {
        let folder = std::env::temp_dir().join(format!("tsconfig-backslashes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tsconfig.json");
        let text = r#"{ "compilerOptions": { "baseUrl": "${configDir}", "paths": { "w/*": ["win\\*", "${configDir}\\src\\*"] } } }"#;
        std::fs::write(&file, text).unwrap();
        let copy: Value = serde_json::from_str(&mended(&file).unwrap()).unwrap();
        let place = |path: &str| folder.join(path).to_string_lossy().into_owned();
        assert_eq!(copy["compilerOptions"]["paths"]["w/*"], serde_json::json!([place("win/*"), place("src/*")]));
        assert_eq!(copy["compilerOptions"]["baseUrl"], folder.to_string_lossy().as_ref());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_there_of_packages_stays() {
        let folder = std::env::temp_dir().join(format!("tsconfig-packages-{}", std::process::id()));
        let package = folder.join("node_modules/base");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("package.json"), r#"{ "tsconfig": "./strict.json" }"#).unwrap();
        std::fs::write(package.join("strict.json"), "{}").unwrap();
        let file = folder.join("tsconfig.json");
        std::fs::write(&file, r#"{ "extends": ["base", "gone"] }"#).unwrap();
        let copy: Value = serde_json::from_str(&mended(&file).unwrap()).unwrap();
        assert_eq!(copy["extends"], serde_json::json!([package.join("strict.json")]));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn each_copy_has_its_own_name() {
        let copies = [write_copy("{}").unwrap(), write_copy("{}").unwrap()];
        assert_ne!(copies[0], copies[1]);
        std::fs::remove_file(&copies[0]).unwrap();
        assert_eq!(std::fs::read_to_string(&copies[1]).unwrap(), "{}");
        std::fs::remove_file(&copies[1]).unwrap();
    }
}
