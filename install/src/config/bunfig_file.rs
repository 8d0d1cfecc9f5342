//! `[install]` of bunfig.toml over the settings.

use std::path::{Path, PathBuf};

use bunfig::{Bunfig, Install, LogLevel, Tables};

use super::{Config, Registry};
use crate::error::{Code, Error, Result};

/// Reads one file. A missing one is an error only if it was asked for.
///
/// # Errors
/// The file cannot be read, or a key has a value that it cannot have.
pub(super) fn apply(config: &mut Config, path: &Path, required: bool) -> Result<()> {
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
    let bunfig = Bunfig::parse(&text, path, Tables::Install).map_err(|error| Error::new(Code::Parse, error.message))?;
    config.save_binary |= bunfig.install.text_lockfile == Some(false);
    flags(config, &bunfig.install);
    places(config, &bunfig.install);
    layout(config, bunfig.install);
    Ok(())
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// What is true or false.
fn flags(config: &mut Config, install: &Install) {
    set(&mut config.omit_optional, install.optional.map(|on| !on));
    set(&mut config.omit_dev, install.dev.map(|on| !on));
    set(&mut config.peer, install.peer);
    set(&mut config.production, install.production);
    set(&mut config.exact, install.exact);
    set(&mut config.engine_strict, install.engine_strict);
    set(&mut config.ignore_scripts, install.ignore_scripts);
    set(&mut config.frozen, install.frozen_lockfile);
    set(&mut config.dry_run, install.dry_run);
    set(&mut config.link_workspaces, install.link_workspace_packages);
    set(&mut config.global_store, install.global_store);
    set(&mut config.hoist, install.hoist);
    set(&mut config.prefer_offline, install.prefer_offline);
    set(&mut config.save_lockfile, install.save_lockfile);
    set(&mut config.save_text, install.save_text_lockfile);
    config.yarn |= install.print_yarn;
    config.no_cache |= install.no_cache;
    config.own_cache |= install.own_cache;
    config.verbose |= install.log_level == Some(LogLevel::Debug);
    config.silent |= install.log_level == Some(LogLevel::Error);
}

/// Registries, certificates and directories.
fn places(config: &mut Config, install: &Install) {
    set(&mut config.registry, install.registry.as_ref().map(registry));
    for (scope, found) in &install.scopes {
        config.scopes.retain(|(known, _)| known != scope);
        let mut registry = registry(found);
        if found.url.is_empty() {
            registry.url.clear();
        }
        config.scopes.push((scope.clone(), registry));
    }
    config.net.trust.inline.extend_from_slice(&install.ca);
    config.net.trust.files.extend_from_slice(&install.cafile);
    let dir = |text: &String| PathBuf::from(expand(text));
    set(&mut config.global_dir, install.global_dir.as_ref().map(dir));
    set(&mut config.global_bin, install.global_bin_dir.as_ref().map(dir));
    set(&mut config.cache_dir, install.cache_dir.as_ref().map(PathBuf::from));
}

/// What node_modules looks like, and what may be installed.
fn layout(config: &mut Config, install: Install) {
    set(&mut config.concurrent_scripts, install.concurrent_scripts);
    config.linker = install.linker.or(config.linker);
    set(&mut config.backend, install.backend);
    set(&mut config.public_hoist_pattern, install.public_hoist_pattern);
    // An empty list lets nothing through.
    let pattern = install.hoist_pattern.map(|list| if list.is_empty() { vec!["!*".to_owned()] } else { list });
    set(&mut config.hoist_pattern, pattern);
    set(&mut config.minimum_release_age, install.minimum_release_age);
    set(&mut config.minimum_release_age_excludes, install.minimum_release_age_excludes);
    set(&mut config.scanner, install.scanner.map(|scanner| Some(scanner).filter(|scanner| !scanner.is_empty())));
}

fn registry(registry: &bunfig::Registry) -> Registry {
    let mut found = Registry::new(&expand(&registry.url));
    if let Some(token) = &registry.token {
        found.authorization = Some(format!("Bearer {}", expand(token)));
    } else if let (Some(user), Some(password)) = (&registry.username, &registry.password) {
        found.authorization = Some(super::basic(&format!("{}:{}", expand(user), expand(password))));
    }
    found
}

/// `$NAME` as a whole value.
fn expand(text: &str) -> String {
    match text.strip_prefix('$') {
        Some(name) => {
            std::env::var(name.trim_start_matches('{').trim_end_matches('}')).unwrap_or_else(|_| text.to_owned())
        }
        None => text.to_owned(),
    }
}
