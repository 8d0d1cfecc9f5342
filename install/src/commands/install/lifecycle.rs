//! The scripts of the project's own packages around an install: the root's in the foreground, those of workspace members quietly.

use json::Value;

use crate::commands::foreground;
use crate::error::{Error, Result};
use crate::link::{Events, LinkOptions, scripts};
use crate::project::Project;

const BEFORE: &[&str] = &["preinstall"];
const AFTER: &[&str] = &["install", "postinstall", "preprepare", "prepare", "postprepare"];
const MEMBER: &[&str] = &["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];

/// The root's `preinstall`.
///
/// # Errors
/// It failed; the process ends with its exit code.
pub(super) fn before(project: &Project, options: &LinkOptions, silent: bool) -> Result<()> {
    root(project, BEFORE, options, silent)
}

/// The scripts of `members` (places among the manifests), then the root's where it is one of them.
///
/// # Errors
/// A script failed.
pub(super) fn after(
    project: &Project,
    members: &[usize],
    options: &LinkOptions,
    events: &dyn Events,
    silent: bool,
) -> Result<()> {
    if options.ignore_scripts {
        return Ok(());
    }
    for &at in members.iter().filter(|&&at| at != 0) {
        let manifest = &project.manifests[at];
        if manifest.text.contains("\"scripts\"") {
            scripts::project(&project.root.join(&manifest.path), &project.root, MEMBER, options, events)?;
        }
    }
    if members.contains(&0) { root(project, AFTER, options, silent) } else { Ok(()) }
}

fn root(project: &Project, events: &[&str], options: &LinkOptions, silent: bool) -> Result<()> {
    let text = &project.manifests[0].text;
    if options.ignore_scripts || !text.contains("\"scripts\"") {
        return Ok(());
    }
    let manifest = crate::project::parse(text, &project.root.join("package.json"))?;
    // A blank line before the first of them.
    let mut told = !events.contains(&"preinstall") && foreground::script(&manifest, "preinstall").is_some();
    for event in events {
        let Some(line) = foreground::script(&manifest, event) else { continue };
        if !silent && !std::mem::replace(&mut told, true) {
            base::stderr_line!();
        }
        foreground::run(&project.root, &manifest, event, "install", silent)
            .map_err(|error| named(error, &manifest, event, line))?;
    }
    Ok(())
}

/// The error of a script in the words of an install.
fn named(error: Error, manifest: &Value<'_>, event: &str, line: &str) -> Error {
    if error.code != crate::error::Code::Script {
        return error;
    }
    let what = error.message.split_once("\" ").map_or("failed", |(_, what)| what).replace("with code ", "with ");
    let mut named = Error::new(error.code, format!("{event} script from \"{}\" {what}", manifest.text("name")))
        .hint(format!("it is `{line}`; --ignore-scripts installs without running scripts"));
    named.exit = error.exit;
    named
}
