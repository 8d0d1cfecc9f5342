//! `workspace:` and `catalog:` mean something within a workspace only: in a tarball they are replaced by versions and ranges.

use json::{GROUPS, Value, quote};

use crate::error::{Code, Error, Result};
use crate::project::{self, Project};
use std::path::Path;

/// The workspace around a package, read where something needs it.
struct Workspace {
    root: std::path::PathBuf,
    /// Path, name, version.
    members: Vec<(String, String, String)>,
    extras: crate::model::extras::Extras,
}

impl Workspace {
    fn load(dir: &Path) -> Result<Self> {
        let (root, _) = Project::find(dir)?.unwrap_or_else(|| (dir.to_owned(), dir.to_owned()));
        let project = Project::load(&root)?;
        let mut members = Vec::new();
        let mut extras = crate::model::extras::Extras::default();
        for (place, manifest) in project.manifests.iter().enumerate() {
            let value = project::parse(&manifest.text, &root.join(&manifest.path).join("package.json"))?;
            members.push((manifest.path.clone(), value.text("name").to_owned(), value.text("version").to_owned()));
            if place == 0 {
                extras = project::extras(&value);
            }
        }
        Ok(Self { root, members, extras })
    }

    fn version(&self, name: &str) -> Option<&str> {
        let found = self.members.iter().find(|(_, known, version)| known == name && !version.is_empty());
        found.map(|(_, _, version)| version.as_str())
    }

    fn catalog(&self, group: &str, name: &str) -> Option<&str> {
        let list = match group {
            "" | "default" if !self.extras.catalog.is_empty() || group.is_empty() => &self.extras.catalog,
            _ => &self.extras.catalogs.iter().find(|(known, _)| known == group)?.1,
        };
        list.iter().find(|(known, _)| known == name).map(|(_, range)| range.as_str())
    }

    /// What stands in the tarball for `workspace:<wanted>`.
    fn range(&self, name: &str, wanted: &str) -> Option<String> {
        let of = |name: &str, wanted: &str| match wanted {
            "^" | "~" => Some(format!("{wanted}{}", self.version(name)?)),
            "" | "*" => Some(self.version(name)?.to_owned()),
            range => Some(range.to_owned()),
        };
        // Another member under this name: `workspace:real@^`.
        if let Some(at) = wanted.get(1..).and_then(|rest| rest.rfind('@')).map(|at| at + 1) {
            let real = &wanted[..at];
            return Some(format!("npm:{real}@{}", of(real, &wanted[at + 1..])?));
        }
        if wanted.starts_with('.') || wanted.contains('/') {
            let path = super::list::normal(wanted);
            let found = self.members.iter().find(|(known, _, _)| *known == path);
            return Some(found.map(|(_, _, version)| version.as_str()).or_else(|| self.version(name))?.to_owned());
        }
        of(name, wanted)
    }
}

/// The text of a package.json with its `workspace:` and `catalog:` entries replaced; everything else keeps its bytes.
///
/// # Errors
/// A member or a catalog's entry does not exist.
pub(crate) fn rewrite(text: &str, manifest: &Value<'_>, dir: &Path) -> Result<String> {
    let mut workspace: Option<Workspace> = None;
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for group in GROUPS {
        for member in manifest.get(group).map_or(&[][..], Value::members) {
            let Some(literal) = member.value.str() else { continue };
            let (kind, wanted) = match literal.split_once(':') {
                Some((kind @ ("workspace" | "catalog"), wanted)) => (kind, wanted.trim()),
                _ => continue,
            };
            if workspace.is_none() {
                workspace = Some(Workspace::load(dir)?);
            }
            let Some(workspace) = &workspace else { continue };
            let (found, why) = if kind == "workspace" {
                let why = format!(
                    "\"{}\" has no workspace named \"{}\", or its package.json has no version",
                    workspace.root.join("package.json").display(),
                    member.key
                );
                (workspace.range(&member.key, wanted), why)
            } else {
                let found = workspace.catalog(wanted, &member.key).map(str::to_owned);
                (found, "no matching catalog dependency".to_owned())
            };
            let Some(found) = found else {
                return Err(Error::new(
                    Code::Usage,
                    format!("Failed to resolve {kind} version for \"{}\" in `{group}` ({why}).", member.key),
                ));
            };
            let mut json = String::new();
            quote(&found, &mut json);
            edits.push((member.value.start, member.value.end, json));
        }
    }
    let mut out = text.to_owned();
    edits.sort_unstable();
    for (start, end, json) in edits.into_iter().rev() {
        out.replace_range(start..end, &json);
    }
    Ok(out)
}
