//! `packageExtensions` of the root's package.json: dependencies that registry packages have forgotten to declare.
//!
//! What a package declares itself is never changed, except that a required peer can be made optional. An added dependency is like
//! any other afterwards; bun.lock lists in a section of its own which ones were added, so that they can be taken out again.

use crate::model::extras::{Extension, Extras};
use crate::model::graph::{Applied, Behavior, Graph, PackageId};
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::{Spec, split_argument};
use crate::model::string_arena::{Str, hash};
use json::Value;
use semver::{Range, Version};

/// A dependency before it is in the graph.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row {
    name: Str,
    literal: Str,
    behavior: Behavior,
    target: PackageId,
}

/// Reads the field into `extras`; what cannot be used is left out with a warning.
pub(crate) fn read(manifest: &Value<'_>, extras: &mut Extras) {
    for member in manifest.get("packageExtensions").map_or(&[][..], Value::members) {
        match extension(&member.key, &member.value) {
            Ok(extension) => extras.extensions.push(extension),
            Err(why) => {
                extras
                    .warnings
                    .push(format!("package.json: ignored \"{}\" in \"packageExtensions\": {why}", member.key));
            }
        }
    }
}

fn extension(key: &str, value: &Value<'_>) -> Result<Extension, &'static str> {
    let (name, range) = split_argument(key);
    if !crate::model::spec::valid_name(name) || (range.is_empty() && key.len() > name.len()) {
        return Err("expected a package name with or without a range");
    }
    if !range.is_empty() && Range::parse(range).is_none() {
        return Err("what follows the name is no range");
    }
    let mut extension = Extension { name: name.to_owned(), range: range.to_owned(), ..Extension::default() };
    let optional = |name: &str| {
        value.get("peerDependenciesMeta").and_then(|meta| meta.get(name)?.get("optional")?.bool()) == Some(true)
    };
    let groups = [
        ("optionalDependencies", Behavior::OPTIONAL),
        ("dependencies", Behavior::PROD),
        ("peerDependencies", Behavior::PEER),
    ];
    for (group, bit) in groups {
        for member in value.get(group).map_or(&[][..], Value::members) {
            let literal = member.value.str().unwrap_or("workspace:");
            let usable = matches!(
                Spec::parse(literal),
                Spec::Range { .. } | Spec::Tag { .. } | Spec::Git { .. } | Spec::GitHub { .. } | Spec::TarballUrl(_)
            );
            if !usable || !crate::model::spec::valid_name(&member.key) {
                return Err("expected a version, a tag, a git repository or a tarball URL for every dependency");
            }
            if extension.deps.iter().any(|(known, ..)| *known == member.key) {
                continue;
            }
            let optional = if bit == Behavior::PEER && optional(&member.key) { Behavior::OPTIONAL } else { 0 };
            extension.deps.push((member.key.to_string(), literal.to_owned(), Behavior(bit | optional)));
        }
    }
    for member in value.get("peerDependenciesMeta").map_or(&[][..], Value::members) {
        if member.value.get("optional").and_then(Value::bool) == Some(true) {
            extension.optional.push(member.key.to_string());
        }
    }
    Ok(extension)
}

/// Adds what the extensions say to the declared dependencies of `name`@`version`.
fn extend(
    graph: &mut Graph,
    extensions: &[Extension],
    (name, version): (&str, &Version<'_>),
    rows: &mut Vec<Row>,
) -> Applied {
    let mut applied = Applied::default();
    let declared = rows.len();
    for extension in extensions {
        let fits = extension.name == name
            && (extension.range.is_empty()
                || Range::parse(&extension.range).is_some_and(|range| range.is_any() || range.contains(version)));
        if !fits {
            continue;
        }
        for (name, literal, behavior) in &extension.deps {
            let name_at = graph.text.add(name);
            if rows.iter().any(|row| row.name == name_at) {
                continue;
            }
            let literal = graph.text.add(literal);
            rows.push(Row { name: name_at, literal, behavior: *behavior, target: NO_ID });
            let list = if behavior.has(Behavior::PEER) { &mut applied.peers } else { &mut applied.deps };
            list.push(name.clone());
        }
        for name in &extension.optional {
            let name_at = graph.text.add(name);
            match rows.iter().position(|row| row.name == name_at) {
                Some(at) if rows[at].behavior == Behavior(Behavior::PEER) => {
                    rows[at].behavior.0 |= Behavior::OPTIONAL;
                    if at < declared {
                        applied.optional.push(name.clone());
                    }
                }
                Some(_) => {}
                None => {
                    let literal = graph.text.add("*");
                    let behavior = Behavior(Behavior::PEER | Behavior::OPTIONAL);
                    rows.push(Row { name: name_at, literal, behavior, target: NO_ID });
                    applied.peers.push(name.clone());
                }
            }
        }
    }
    applied.deps.sort_unstable();
    applied.peers.sort_unstable();
    applied.optional.sort_unstable();
    applied
}

fn rows_of(graph: &Graph, package: PackageId) -> Vec<Row> {
    let deps = &graph.deps;
    let row = |dep: u32| {
        let at = dep as usize;
        Row { name: deps.name[at], literal: deps.literal[at], behavior: deps.behavior[at], target: deps.target[at] }
    };
    graph.packages.deps[package as usize].ids().map(row).collect()
}

fn replace(graph: &mut Graph, package: PackageId, rows: &[Row]) {
    let off = graph.begin_deps();
    for row in rows {
        let dep = graph.add_dep(row.name, row.literal, row.behavior);
        graph.deps.target[dep as usize] = row.target;
    }
    graph.end_deps(package, off);
}

/// Extends a package that has just come from the registry. Its dependencies are its own.
pub(crate) fn apply(graph: &mut Graph, extras: &Extras, package: PackageId) {
    let name = graph.name(package);
    if !extras.extensions.iter().any(|extension| extension.name == name) {
        return;
    }
    let (name, version) = (name.to_owned(), graph.value(package).to_owned());
    let Some(version) = Version::parse(&version) else { return };
    let mut rows = rows_of(graph, package);
    let applied = extend(graph, &extras.extensions, (&name, &version), &mut rows);
    if applied != Applied::default() {
        replace(graph, package, &rows);
        graph.extended.push((package, applied));
    }
}

/// Brings the packages of a lockfile to what package.json says now. True where something is different.
pub(crate) fn reapply(graph: &mut Graph, extras: &Extras) -> bool {
    let before = std::mem::take(&mut graph.extended);
    if before.is_empty() && extras.extensions.is_empty() {
        return false;
    }
    let mut changed = false;
    for package in 1..graph.len() as PackageId {
        if graph.kind(package) != Kind::Npm {
            continue;
        }
        let old = before.iter().find(|(id, _)| *id == package).map(|(_, applied)| applied);
        let name = graph.name(package).to_owned();
        if old.is_none() && !extras.extensions.iter().any(|extension| extension.name == name) {
            continue;
        }
        let version = graph.value(package).to_owned();
        let Some(version) = Version::parse(&version) else { continue };
        let now = rows_of(graph, package);
        // What the package declares itself.
        let mut rows = now.clone();
        if let Some(old) = old {
            let known = |list: &[String], name: Str| list.iter().any(|other| other == graph.str(name));
            rows.retain(|row| !known(&old.deps, row.name) && !known(&old.peers, row.name));
            rows.iter_mut()
                .filter(|row| known(&old.optional, row.name))
                .for_each(|row| row.behavior.0 &= !Behavior::OPTIONAL);
        }
        let applied = extend(graph, &extras.extensions, (&name, &version), &mut rows);
        for row in rows.iter_mut().filter(|row| row.target == NO_ID) {
            if let Some(same) = now.iter().find(|known| known.name == row.name && known.literal == row.literal) {
                row.target = same.target;
            }
        }
        let same = now.len() == rows.len() && rows.iter().all(|row| now.contains(row));
        if !same || old.is_some_and(|old| *old != applied) || (old.is_none() && applied != Applied::default()) {
            changed = true;
            replace(graph, package, &rows);
        }
        if applied != Applied::default() {
            graph.extended.push((package, applied));
        }
    }
    changed
}

/// Reads one entry of bun.lock's section.
pub(crate) fn from_lockfile(value: &Value<'_>) -> Applied {
    let list = |name: &str| {
        let items = value.get(name).map_or(&[][..], Value::items);
        items.iter().filter_map(|item| item.str().map(str::to_owned)).collect()
    };
    Applied { deps: list("dependencies"), peers: list("peerDependencies"), optional: list("optionalPeers") }
}

/// bun.lock's section; `placed` tells which packages the file has.
pub(crate) fn write(graph: &Graph, placed: impl Fn(PackageId) -> bool, out: &mut String) {
    let mut entries: Vec<(String, &Applied)> = graph
        .extended
        .iter()
        .filter(|(package, _)| placed(*package))
        .map(|(package, applied)| (graph.label(*package), applied))
        .collect();
    if entries.is_empty() {
        return;
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    out.push_str("  \"packageExtensions\": {\n");
    for (label, applied) in entries {
        out.push_str("    ");
        json::quote(&label, out);
        out.push_str(": {");
        let lists = [
            ("dependencies", &applied.deps),
            ("peerDependencies", &applied.peers),
            ("optionalPeers", &applied.optional),
        ];
        let mut separator = " ";
        for (title, names) in lists {
            if names.is_empty() {
                continue;
            }
            out.push_str(separator);
            separator = ", ";
            json::quote(title, out);
            out.push_str(": [");
            for (place, name) in names.iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                json::quote(name, out);
            }
            out.push(']');
        }
        out.push_str(" },\n");
    }
    out.push_str("  },\n");
}

/// The packages that bun.lock's section names.
pub(crate) fn resolve_labels(
    entries: Vec<(String, Applied)>,
    find: impl Fn(u64) -> Option<PackageId>,
) -> Vec<(PackageId, Applied)> {
    entries.into_iter().filter_map(|(label, applied)| Some((find(hash(&label))?, applied))).collect()
}
