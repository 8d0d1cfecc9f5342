//! The `[install]` table of bunfig.toml.

use super::{Backend, Config, Registry, duration};
use crate::error::{Code, Error, Result};
use crate::model::plan::Linker;
use std::path::{Path, PathBuf};
use toml::Value;

fn registry(value: &Value) -> Option<Registry> {
    if let Some(url) = value.as_str() {
        return Some(Registry::new(&crate_expand(url)));
    }
    let table = value.as_table()?;
    let text = |key: &str| table.get(key).and_then(Value::as_str).map(crate_expand);
    let mut registry = Registry::new(&text("url")?);
    if let Some(token) = text("token") {
        registry.authorization = Some(format!("Bearer {token}"));
    } else if let (Some(user), Some(password)) = (text("username"), text("password")) {
        registry.authorization = Some(super::basic(&format!("{user}:{password}")));
    }
    Some(registry)
}

/// `$NAME` as a whole value.
fn crate_expand(text: &str) -> String {
    match text.strip_prefix('$') {
        Some(name) => {
            std::env::var(name.trim_start_matches('{').trim_end_matches('}')).unwrap_or_else(|_| text.to_owned())
        }
        None => text.to_owned(),
    }
}

/// Reads one file. A missing one is an error only where it was asked for.
pub fn apply(config: &mut Config, path: &Path, required: bool) -> Result<()> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error)
            if !required
                && matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(());
        }
        Err(error) => return Err(Error::io("cannot read", path, error)),
    };
    if !text.contains("install") {
        return Ok(());
    }
    let table: toml::Table = text
        .parse()
        .map_err(|error| Error::new(Code::Parse, format!("{} is not valid TOML", path.display())).cause(error))?;
    let Some(install) = table.get("install").and_then(Value::as_table) else { return Ok(()) };
    let wrong = |key: &str, want: &str| {
        Err(Error::new(Code::Parse, format!("{}: install.{key} must be {want}", path.display())))
    };
    for (key, value) in install {
        let flag = value.as_bool();
        macro_rules! flag {
            ($place:expr) => {
                match flag {
                    Some(value) => $place = value,
                    None => return wrong(key, "true or false"),
                }
            };
            (not $place:expr) => {
                match flag {
                    Some(value) => $place = !value,
                    None => return wrong(key, "true or false"),
                }
            };
        }
        let list = || -> Vec<String> {
            match value {
                Value::Array(items) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
                Value::String(one) => vec![one.clone()],
                _ => Vec::new(),
            }
        };
        match key.as_str() {
            "optional" => flag!(not config.omit_optional),
            "dev" => flag!(not config.omit_dev),
            "peer" => flag!(config.peer),
            "production" => flag!(config.production),
            "exact" => flag!(config.exact),
            "engineStrict" => flag!(config.engine_strict),
            "ignoreScripts" => flag!(config.ignore_scripts),
            "frozenLockfile" => flag!(config.frozen),
            "dryRun" => flag!(config.dry_run),
            "linkWorkspacePackages" => flag!(config.link_workspaces),
            "globalStore" => flag!(config.global_store),
            "saveTextLockfile" if flag == Some(false) => {
                return Err(Error::new(
                    Code::NotImplemented,
                    "install.saveTextLockfile = false: the binary bun.lockb is not written",
                )
                .hint("remove the key; bun.lock is the format that every current Bun reads"));
            }
            "prefer" => match value.as_str() {
                Some("offline") => config.prefer_offline = true,
                Some("online" | "latest") => config.prefer_offline = false,
                _ => return wrong(key, "\"offline\", \"online\" or \"latest\""),
            },
            "concurrentScripts" => match value.as_integer() {
                Some(count @ 1..=4096) => config.concurrent_scripts = count as usize,
                _ => return wrong(key, "a number of 1 or more"),
            },
            "globalDir" | "globalBinDir" => match value.as_str() {
                Some(dir) if key == "globalDir" => config.global_dir = PathBuf::from(crate_expand(dir)),
                Some(dir) => config.global_bin = PathBuf::from(crate_expand(dir)),
                None => return wrong(key, "a directory"),
            },
            "registry" => match registry(value) {
                Some(found) => config.registry = found,
                None => return wrong(key, "a URL or a table with `url`"),
            },
            "scopes" => {
                for (scope, value) in value.as_table().into_iter().flatten() {
                    let scope = if scope.starts_with('@') { scope.clone() } else { format!("@{scope}") };
                    let Some(found) = registry(value) else {
                        return wrong(&format!("scopes.{scope}"), "a URL or a table with `url`");
                    };
                    config.scopes.retain(|(known, _)| *known != scope);
                    config.scopes.push((scope, found));
                }
            }
            "ca" => config.net.trust.inline.extend(list()),
            "cafile" => config.net.trust.files.extend(list()),
            "cache" => match value {
                Value::String(dir) => config.cache_dir = PathBuf::from(dir),
                Value::Boolean(false) => config.no_cache = true,
                Value::Table(table) => {
                    if let Some(dir) = table.get("dir").and_then(Value::as_str) {
                        config.cache_dir = PathBuf::from(dir);
                    }
                    config.no_cache |= table.get("disableManifest").and_then(Value::as_bool).unwrap_or(false);
                    config.no_cache |= table.get("disable").and_then(Value::as_bool).unwrap_or(false);
                }
                _ => {}
            },
            "lockfile" => {
                if let Some(table) = value.as_table() {
                    if let Some(save) = table.get("save").and_then(Value::as_bool) {
                        config.save_lockfile = save;
                    }
                    match table.get("print").map(Value::as_str) {
                        None => {}
                        Some(Some("yarn")) => config.yarn = true,
                        Some(_) => return wrong("lockfile.print", "\"yarn\""),
                    }
                    if let Some(text) = table.get("saveTextLockfile").and_then(Value::as_bool) {
                        config.save_text = text;
                    }
                }
            }
            "linker" => {
                config.linker = match value.as_str() {
                    Some("hoisted") => Some(Linker::Hoisted),
                    Some("isolated") => Some(Linker::Isolated),
                    _ => return wrong(key, "\"hoisted\" or \"isolated\""),
                }
            }
            "backend" => {
                config.backend = match value.as_str() {
                    Some("hardlink") => Backend::Hardlink,
                    Some("copyfile") => Backend::Copyfile,
                    Some("symlink") => Backend::Symlink,
                    _ => Backend::Clonefile,
                }
            }
            "publicHoistPattern" | "hoistPattern" => {
                let known = match value {
                    Value::String(_) => true,
                    Value::Array(items) => items.iter().all(Value::is_str),
                    _ => false,
                };
                if !known {
                    return wrong(key, "a string or an array of strings");
                }
                match key.as_str() {
                    // An empty list lets nothing through.
                    "hoistPattern" => {
                        config.hoist_pattern =
                            Some(list()).filter(|list| !list.is_empty()).unwrap_or_else(|| vec!["!*".to_owned()]);
                    }
                    _ => config.public_hoist_pattern = list(),
                }
            }
            "hoist" => config.hoist = value.as_bool().unwrap_or(config.hoist),
            "minimumReleaseAge" => {
                let seconds = value.as_integer().and_then(|seconds| u64::try_from(seconds).ok());
                match seconds.or_else(|| value.as_str().and_then(duration)) {
                    Some(seconds) => config.minimum_release_age = seconds,
                    None => return wrong(key, "seconds, or a duration such as \"3d\""),
                }
            }
            "security" => {
                config.scanner = match value.get("scanner").map(Value::as_str) {
                    Some(Some(scanner)) => Some(scanner.to_owned()).filter(|scanner| !scanner.is_empty()),
                    Some(None) => return wrong("security.scanner", "the name of a package or a path"),
                    None => None,
                }
            }
            "minimumReleaseAgeExcludes" => config.minimum_release_age_excludes = list(),
            "logLevel" => {
                config.verbose |= value.as_str() == Some("debug");
                config.silent |= value.as_str() == Some("error");
            }
            _ => {}
        }
    }
    Ok(())
}
