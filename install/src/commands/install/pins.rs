//! Versions that go into package.json once they are known: `^1.2.3` for `latest`, and catalog entries of the root.

use json::{Document, Value, quote};

use crate::commands::install::prepare::Resolved;
use crate::model::graph::Behavior;
use crate::model::plan::{Kind, NO_ID};
use crate::project::Project;

/// A specifier to be replaced by a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    /// Place of the manifest; 0 for a catalog.
    pub manifest: usize,
    pub place: Place,
    pub name: String,
    /// What stands before the version: `^`, `~` or nothing.
    pub prefix: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A group of package.json.
    Group(&'static str),
    /// A catalog of the root; empty for the default one.
    Catalog(String),
}

/// Where a catalog is in the root's package.json, and the key of an entry in it. A new one is put beside those that are there: inside
/// `workspaces` where that is an object.
pub(crate) fn catalog_path(manifest: &Value<'_>, group: &str, name: &str) -> Vec<String> {
    let top = if group.is_empty() { "catalog" } else { "catalogs" };
    let mut path = Vec::new();
    let inside = manifest.get("workspaces").filter(|field| field.is_object());
    if inside.is_some_and(|field| field.get(top).is_some() || manifest.get(top).is_none()) {
        path.push("workspaces".to_owned());
    }
    path.push(top.to_owned());
    if !group.is_empty() {
        path.push(group.to_owned());
    }
    path.push(name.to_owned());
    path
}

/// The entry of a catalog in the root's package.json.
pub(crate) fn catalog_entry(document: &Document, group: &str, name: &str) -> Option<String> {
    let value = Value::parse(document.text.as_bytes()).ok()?;
    let mut at = &value;
    for key in catalog_path(&value, group, name) {
        at = at.get(&key)?;
    }
    at.str().map(str::to_owned)
}

/// Writes an entry of a catalog.
pub(crate) fn set_catalog(document: &mut Document, group: &str, name: &str, literal: &str) {
    let path = match Value::parse(document.text.as_bytes()) {
        Ok(value) => catalog_path(&value, group, name),
        Err(_) => return,
    };
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let mut json = String::new();
    quote(literal, &mut json);
    document.set(&path, &json, true);
}

fn bit(group: &str) -> u8 {
    match group {
        "devDependencies" => Behavior::DEV,
        "optionalDependencies" => Behavior::OPTIONAL,
        "peerDependencies" => Behavior::PEER,
        _ => Behavior::PROD,
    }
}

/// Puts the versions that were found into the manifests' texts, and into the graph and catalogs that the lockfile is written from.
pub(crate) fn apply(pins: &[Pin], project: &mut Project, resolved: &mut Resolved) {
    for pin in pins {
        let graph = &resolved.graph;
        let catalog = match &pin.place {
            Place::Group(_) => None,
            Place::Catalog(group) => Some(format!("catalog:{group}")),
        };
        let wanted = |dep: u32| {
            let at = dep as usize;
            let behavior = graph.deps.behavior[at];
            let fits = match (&pin.place, &catalog) {
                (Place::Group("peerDependencies"), _) => behavior.has(Behavior::PEER),
                (Place::Group(group), _) => behavior.has(bit(group)) && !behavior.has(Behavior::PEER),
                (_, Some(literal)) => graph.str(graph.deps.literal[at]).trim_end() == literal,
                _ => false,
            };
            fits && graph.str(graph.deps.name[at]) == pin.name && graph.deps.target[at] != NO_ID
        };
        let owners: Vec<u32> = match pin.place {
            Place::Group(_) => vec![resolved.members[pin.manifest].package],
            Place::Catalog(_) => resolved.members.iter().map(|member| member.package).collect(),
        };
        let found = owners.iter().flat_map(|owner| graph.packages.deps[*owner as usize].ids()).find(|dep| wanted(*dep));
        let Some(dep) = found else { continue };
        let target = graph.deps.target[dep as usize];
        if graph.kind(target) != Kind::Npm {
            continue;
        }
        let version = graph.value(target);
        let version = version.split('+').next().unwrap_or(version);
        let number = format!("{}{version}", pin.prefix);
        let alias = |own: &str| {
            if own.starts_with("npm:") { format!("npm:{}@{number}", graph.name(target)) } else { number.clone() }
        };
        let mut document = Document { text: std::mem::take(&mut project.manifests[pin.manifest].text) };
        match &pin.place {
            Place::Group(group) => {
                let literal = alias(graph.str(graph.deps.literal[dep as usize]));
                let mut json = String::new();
                quote(&literal, &mut json);
                document.set(&[group, &pin.name], &json, true);
                let literal = resolved.graph.text.add(&literal);
                resolved.graph.deps.literal[dep as usize] = literal;
            }
            Place::Catalog(group) => {
                let own = catalog_entry(&document, group, &pin.name).unwrap_or_default();
                let literal = alias(&own);
                set_catalog(&mut document, group, &pin.name, &literal);
                let extras = &mut resolved.extras;
                let entries = if group.is_empty() {
                    Some(&mut extras.catalog)
                } else {
                    extras.catalogs.iter_mut().find(|(known, _)| known == group).map(|(_, entries)| entries)
                };
                if let Some((_, entry)) =
                    entries.and_then(|entries| entries.iter_mut().find(|(known, _)| *known == pin.name))
                {
                    *entry = literal;
                }
            }
        }
        project.manifests[pin.manifest].text = document.text;
    }
}
