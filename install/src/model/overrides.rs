//! Overrides and catalogs: what package.json says about them, and which specifier of a dependency counts.
//!
//! Forms: npm's `{"a": {".": "1", "b": "2"}}` (one level), pnpm's `a>b` and `a@^4>b`, yarn's `a/b` and `**/b`, each name with a
//! selector `@range` behind it. `overrides` are read alone where there are any, else `resolutions`; both in the root only.

use crate::model::extras::{Extras, Override};
use crate::model::graph::{DepId, Graph, PackageId};
use crate::model::spec::{Spec, split_argument};
use json::{Node, Value};
use semver::{Range, Version};

/// A key taken apart: `parent` and `range` may be empty.
struct Selector<'k> {
    parent: &'k str,
    name: &'k str,
    range: &'k str,
}

/// Name and selector of one part of a key. `npm:` before a range is left out; before a name it makes an alias.
fn part(text: &str) -> Option<(&str, &str)> {
    let (name, range) = split_argument(text);
    let (name, range) = if name.is_empty() { (text, "") } else { (name, range) };
    let bare = range.strip_prefix("npm:").filter(|bare| Range::parse(bare).is_some()).unwrap_or(range);
    let incomplete = bare.is_empty() && name.len() < text.len();
    (crate::model::spec::valid_name(name) && !incomplete).then_some((name, bare))
}

/// pnpm's delimiter: a `>` that belongs to no range.
fn delimiter(key: &str) -> Option<usize> {
    key.bytes()
        .enumerate()
        .skip(1)
        .position(|(at, byte)| byte == b'>' && !matches!(key.as_bytes()[at - 1], b' ' | b'|' | b'@'))
        .map(|at| at + 1)
}

/// The error is a message.
fn selector<'k>(key: &'k str, field: &str) -> Result<Selector<'k>, String> {
    let deep = || Err(format!("only one level of nested \"{field}\" is supported: \"{key}\""));
    let invalid = || format!("\"{key}\" in \"{field}\" names no package");
    if let Some(at) = delimiter(key) {
        let (parent, child) = (key[..at].trim(), key[at + 1..].trim());
        if delimiter(child).is_some() {
            return deep();
        }
        part(parent).ok_or_else(invalid)?;
        let (name, range) = part(child).ok_or_else(invalid)?;
        return Ok(Selector { parent, name, range });
    }
    // Yarn's path; a scope's slash separates nothing, and what follows the `@` of a range neither.
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = key;
    while !rest.is_empty() {
        let scope = if rest.starts_with('@') { rest.find('/').map_or(rest.len(), |at| at + 1) } else { 0 };
        let end = rest[scope..].find('/').map_or(rest.len(), |at| scope + at);
        let end = if rest[scope..end].contains('@') { rest.len() } else { end };
        if &rest[..end] != "**" {
            parts.push(&rest[..end]);
        }
        rest = rest.get(end + 1..).unwrap_or("");
    }
    let (parent, child) = match parts.as_slice() {
        [child] => ("", *child),
        [parent, child] => (*parent, *child),
        [] => return Err(invalid()),
        _ => return deep(),
    };
    let (name, range) = part(child).ok_or_else(invalid)?;
    if !parent.is_empty() {
        part(parent).ok_or_else(invalid)?;
    }
    Ok(Selector { parent, name, range })
}

/// Reads `overrides` or `resolutions` of the root's package.json into `extras`. What cannot be used is left out with a warning.
pub(crate) fn read(manifest: &Value<'_>, extras: &mut Extras) {
    let (field, name) = match (manifest.get("overrides"), manifest.get("resolutions")) {
        (Some(field), _) => (field, "overrides"),
        (None, Some(field)) => (field, "resolutions"),
        (None, None) => return,
    };
    if !field.is_object() {
        extras.invalid = Some(format!("\"{name}\" expects a map of package names to versions"));
        return;
    }
    for member in field.members() {
        if let Err(message) = rule(&member.key, &member.value, name, manifest, extras) {
            extras.warnings.push(format!("package.json: {message}"));
        }
    }
    extras.overrides.sort();
}

fn rule(key: &str, value: &Value<'_>, field: &str, manifest: &Value<'_>, extras: &mut Extras) -> Result<(), String> {
    let own = selector(key, field)?;
    match &value.node {
        Node::String(text) => push(own.parent, own.name, own.range, text, manifest, extras),
        Node::Object(children) => {
            for child in children {
                let Some(text) = child.value.str() else {
                    return Err(format!("only one level of nested \"{field}\" is supported: \"{key}\""));
                };
                if child.key == "." {
                    push(own.parent, own.name, own.range, text, manifest, extras)?;
                    continue;
                }
                let inner = selector(&child.key, field)?;
                if !inner.parent.is_empty() || !own.parent.is_empty() {
                    return Err(format!("only one level of nested \"{field}\" is supported: \"{key}\""));
                }
                push(key, inner.name, inner.range, text, manifest, extras)?;
            }
            Ok(())
        }
        _ => Err(format!("invalid override value for \"{key}\"")),
    }
}

fn push(
    parent: &str,
    name: &str,
    range: &str,
    value: &str,
    manifest: &Value<'_>,
    extras: &mut Extras,
) -> Result<(), String> {
    let value = match value.strip_prefix('$') {
        Some(reference) => ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]
            .iter()
            .find_map(|group| manifest.get(group)?.get(reference)?.str())
            .ok_or_else(|| format!("could not resolve \"{value}\": \"{reference}\" is not in dependencies"))?,
        None => value,
    };
    match value {
        "" => return Err(format!("missing override value for \"{name}\"")),
        "-" => return Err(format!("removing \"{name}\" with \"-\" is not supported")),
        _ if value.starts_with("patch:") => {
            return Err(format!("\"{name}\": a patch is no override; use `patchedDependencies`"));
        }
        _ => {}
    }
    extras.overrides.retain(|rule| !(rule.parent == parent && rule.name == name && rule.range == range));
    extras.overrides.push(Override {
        parent: parent.to_owned(),
        name: name.to_owned(),
        range: range.to_owned(),
        value: value.to_owned(),
    });
    Ok(())
}

/// The specifier of a dependency of `owner` that counts: overrides and catalogs applied. Of several overrides the one below a parent
/// counts, then the one with a selector.
pub(crate) fn effective(graph: &Graph, extras: &Extras, dep: DepId, owner: PackageId) -> String {
    let own = graph.str(graph.deps.literal[dep as usize]);
    let name = graph.str(graph.deps.name[dep as usize]);
    let mut literal = own;
    if !extras.overrides.is_empty() && !own.starts_with("workspace:") {
        let alias = matches!(Spec::parse(own), Spec::Range { name, .. } | Spec::Tag { name, .. } if !name.is_empty());
        let rank = |rule: &Override| {
            let fits = rule.name == name
                && (if rule.range.is_empty() { !alias } else { range_matches(own, &rule.range) })
                && (rule.parent.is_empty() || is_parent(graph, owner, &rule.parent));
            fits.then_some((!rule.parent.is_empty(), !rule.range.is_empty()))
        };
        // Rules are sorted: of equals the first.
        let best =
            extras.overrides.iter().rev().filter_map(|rule| Some((rank(rule)?, rule))).max_by_key(|found| found.0);
        if let Some((_, rule)) = best {
            literal = &rule.value;
        }
    }
    if let Spec::Catalog(group) = Spec::parse(literal) {
        let entries = if group.is_empty() {
            Some(&extras.catalog)
        } else {
            extras.catalogs.iter().find(|(known, _)| known == group).map(|(_, entries)| entries)
        };
        if let Some((_, found)) = entries.and_then(|entries| entries.iter().find(|(known, _)| known == name)) {
            return found.clone();
        }
    }
    literal.to_owned()
}

fn is_parent(graph: &Graph, owner: PackageId, parent: &str) -> bool {
    let (name, range) = split_argument(parent);
    graph.name(owner) == name
        && (range.is_empty()
            || Version::parse(graph.value(owner))
                .is_some_and(|version| Range::parse(range).is_some_and(|range| range.contains(&version))))
}

/// Whether an override's range covers a dependency's specifier.
fn range_matches(own: &str, range: &str) -> bool {
    own == range
        || Range::parse(range).is_some_and(|range| {
            Range::parse(own).and_then(|own| own.first()).is_some_and(|(_, version)| range.contains(&version))
        })
}
