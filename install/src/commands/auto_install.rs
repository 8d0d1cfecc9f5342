//! `pm auto-install`: puts a package that a running program imports where `x` puts its packages, and prints that directory. The runtime calls it
//! (runtime/core/src/auto_install.rs) in the directory of the importing module.
//!
//! Which version: the one that the specifier named, that of the project's bun.lock, that of the nearest package.json with the package among
//! its dependencies, the latest (<https://bun.com/docs/runtime/auto-install#version-resolution>).

use super::exec;
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::spec::Spec;
use crate::net::was_unreachable;
use crate::project::{Project, read_manifest};
use json::Value;
use std::path::Path;

/// The exit code where it is the network that is missing, and not the package: EX_UNAVAILABLE of sysexits.h.
const UNAVAILABLE: u8 = 69;

const TABLES: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// `pm auto-install <name> [version or tag]`.
pub(crate) fn command(options: &Options, words: &[String]) -> Result<u8> {
    let (name, version) = match words {
        [name] => (name, None),
        [name, version] => (name, Some(version)),
        _ => return Err(Error::new(Code::Usage, "pm auto-install needs a package, and may have a version")),
    };
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let root = Project::find(&here)?.map_or_else(|| here.clone(), |(root, _)| root);
    if Config::load(&root, options)?.scanner.is_some_and(|scanner| !scanner.is_empty()) {
        return Err(Error::new(Code::Usage, "packages are not installed by programs where a security scanner is set"));
    }
    let literal = match version {
        Some(version) => version.clone(),
        None => locked(&root, name).or_else(|| declared(&here, name)).unwrap_or_else(|| "latest".to_owned()),
    };
    if !matches!(Spec::parse(&literal), Spec::Range { .. } | Spec::Tag { .. }) {
        return Err(Error::new(Code::Usage, format!("{name}@{literal} does not come from a registry"))
            .hint("`bao install` puts it into node_modules"));
    }
    // With a command of its own: the names of commands that stand for other packages are not those of imports.
    let command = name.rsplit('/').next().unwrap_or(name);
    let wanted = exec::wanted(&format!("{name}@{literal}"), Some(command))?;
    let dir = exec::cache_dir(&wanted, true)?;
    // Another process, or thread, may be about to install the same.
    let lock = dir.join(".lock");
    let lock = std::fs::File::create(&lock)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| Error::io("cannot lock", &lock, error))?;
    let is_there = || dir.join("node_modules").join(&wanted.name).join("package.json").is_file();
    if !is_there() || !exec::fresh(&dir, &wanted) {
        let done = exec::install(&dir, &wanted, options, &here);
        // What is there is old, but better than nothing: without a network it has to do.
        if !is_there() {
            let code = if was_unreachable() { UNAVAILABLE } else { 1 };
            return match done {
                Ok(_) => Ok(code),
                Err(mut error) => {
                    error.exit = code;
                    Err(error)
                }
            };
        }
    }
    drop(lock);
    crate::say!("{}", dir.display());
    Ok(0)
}

/// The version of a package in the project's lockfile.
fn locked(root: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(root.join("bun.lock")).ok()?;
    let value = Value::parse(text.as_bytes()).ok()?;
    let label = value.get("packages")?.get(name)?.items().first()?.str()?;
    let at = label.get(1..)?.find('@')? + 1;
    let (package, version) = (&label[..at], &label[at + 1..]);
    semver::Version::parse(version)?;
    Some(if package == name { version.to_owned() } else { format!("npm:{label}") })
}

/// What the nearest package.json with the package among its dependencies says.
fn declared(here: &Path, name: &str) -> Option<String> {
    here.ancestors().find_map(|dir| {
        let text = read_manifest(dir).ok()??;
        let value = Value::parse(text.as_bytes()).ok()?;
        TABLES.iter().find_map(|table| Some(value.get(table)?.get(name)?.str()?.to_owned()))
    })
}
