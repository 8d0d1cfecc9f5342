//! The lockfiles of other package managers, read once: at the first install without bun.lock.
//!
//! A reader gives the same arrays that a bun.lock gives ([`Loaded`]), so that everything behind it is the ordinary install. Versions
//! and digests are those of the source. What a source does not record (the bins of pnpm and yarn, yarn 1's platforms and peers) comes
//! from the manifests of just those packages.

mod builder;
mod metadata;
pub mod npm;
pub mod yarn;

use crate::error::{Code, Error, Result};
use crate::lockfile::{Extras, Loaded};
use crate::project::Project;
use crate::session::Session;
use metadata::Missing;
use std::time::Instant;

/// Files in the order in which they are looked for.
const FILES: [&str; 3] = ["npm-shrinkwrap.json", "package-lock.json", "yarn.lock"];

/// Reads the lockfile of another tool, if the project has one. A file that cannot be migrated is an error.
///
/// # Errors
/// The file cannot be read, is damaged, or is of a version that is not known.
pub fn run(project: &mut Project, session: &mut Session<'_>) -> Result<Option<Loaded>> {
    let start = Instant::now();
    for file in FILES {
        let path = project.root.join(file);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        };
        let loaded = read(project, session, file, bytes)?;
        if !session.config.silent {
            eprintln!("[{}] migrated lockfile from {file}", crate::commands::install::elapsed(start));
        }
        return Ok(Some(loaded));
    }
    Ok(None)
}

fn read(project: &mut Project, session: &mut Session<'_>, file: &str, bytes: Vec<u8>) -> Result<Loaded> {
    let text = String::from_utf8(bytes).map_err(|error| {
        invalid(file, &format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
    })?;
    if crate::lockfile::merge::has_conflict(&text) {
        return Err(
            invalid(file, "it has merge conflicts").hint("resolve them with the tool that wrote it, then migrate")
        );
    }
    if file == "yarn.lock" {
        let mut loaded = yarn::read(&text, &project.manifests, &root_extras(project)?)?;
        let missing = Missing { platforms: true, scripts: true, integrity: false };
        metadata::complete(&mut loaded.graph, session, missing, |_, _| true)?;
        return Ok(loaded);
    }
    let members: Vec<&str> = project.manifests.iter().skip(1).map(|manifest| manifest.path.as_str()).collect();
    npm::read(&text, file, &members)
}

/// What the root's package.json says.
fn root_extras(project: &Project) -> Result<Extras> {
    let value = crate::project::parse(&project.manifests[0].text, &project.root.join("package.json"))?;
    Ok(crate::project::extras(&value))
}

/// The error of a file that is no lockfile of its kind.
fn invalid(file: &str, what: &str) -> Error {
    Error::new(Code::Parse, format!("{file} cannot be migrated: {what}"))
        .hint("let the tool that wrote it write it again, or remove it to resolve everything anew")
}

/// The error of a text that stops being of its format at a byte.
fn damaged(file: &str, text: &str, at: usize) -> Error {
    let line = text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    invalid(file, &format!("it is not valid from line {line} on"))
}

/// Tarball URL of a registry package as the graph has it: nothing for the default registry (or yarn's name for it).
fn archive(url: &str) -> &str {
    let default = ["https://registry.npmjs.org/", "https://registry.yarnpkg.com/"];
    if default.iter().any(|base| url.starts_with(base)) { "" } else { url }
}

/// URL and commit of a git reference, `git+ssh://git@host/x.git#<commit>` and the like.
fn git_reference(text: &str) -> Option<(&str, &str)> {
    let git = ["git+", "git://", "git@", "ssh://"].iter().any(|prefix| text.starts_with(prefix));
    let (url, commit) = text.rsplit_once('#')?;
    let known = git || url.ends_with(".git");
    let sane = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (known && sane).then(|| (url.strip_prefix("git+").unwrap_or(url), commit))
}
