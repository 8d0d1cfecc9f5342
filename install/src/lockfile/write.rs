//! The writer. Every byte matters: Bun compares, and so do people's diffs.

use json::{quote, quote_bare};

use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, Bin, FLAG_INSTALL_SCRIPT, Graph, PackageId};
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, LIBC, OS};
use crate::model::registry_url::DEFAULT_REGISTRY;

const GROUPS: [(&str, u8); 4] = [
    ("dependencies", Behavior::PROD),
    ("devDependencies", Behavior::DEV),
    ("optionalDependencies", Behavior::OPTIONAL),
    ("peerDependencies", Behavior::PEER),
];

fn indent(out: &mut String, levels: usize) {
    for _ in 0..levels {
        out.push_str("  ");
    }
}

/// Whether a dependency is listed in the group with this bit; an optional peer is a peer.
fn in_group(behavior: Behavior, bit: u8) -> bool {
    behavior.has(bit)
        && !(bit == Behavior::OPTIONAL && behavior.has(Behavior::PEER))
        && !behavior.has(Behavior::WORKSPACE)
}

/// The text of bun.lock. `tree` is the tree with nothing filtered out; `members` has the root first.
pub(crate) fn write(graph: &Graph, tree: &Tree, members: &[Member], extras: &Extras) -> String {
    let mut out = String::with_capacity(graph.len() * 256 + 1024);
    out.push_str("{\n  \"lockfileVersion\": ");
    out.push_str(&version(graph, tree, extras).to_string());
    out.push_str(",\n  \"configVersion\": ");
    out.push_str(&extras.config_version.to_string());
    out.push_str(",\n  \"workspaces\": {\n");
    let mut sorted: Vec<&Member> = members.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    for (place, member) in sorted.iter().enumerate() {
        if place > 0 {
            out.push('\n');
        }
        workspace(graph, member, &mut out);
    }
    out.push_str("\n  },\n");
    lists(graph, tree, extras, &mut out);
    packages(graph, tree, &mut out);
    out.push_str("}\n");
    out
}

/// A file keeps the version that it has; 1 is for what version 2 readers would refuse.
fn version(graph: &Graph, tree: &Tree, extras: &Extras) -> u32 {
    let scoped = extras.overrides.iter().any(|rule| !rule.parent.is_empty() || !rule.range.is_empty());
    if !scoped && (1..3).contains(&extras.version) {
        return extras.version;
    }
    for directory in &tree.directories {
        for &dep in &directory.placed {
            let package = graph.deps.target[dep as usize];
            let resolution = &graph.packages.resolution[package as usize];
            if resolution.kind == Kind::Npm
                && graph.packages.integrity[package as usize].is_none()
                && !registry_field(graph.str(resolution.extra)).is_empty()
            {
                return 1;
            }
        }
    }
    if scoped { 3 } else { 2 }
}

/// What the second element of a registry package is for a tarball URL: empty for those of the default registry.
fn registry_field(url: &str) -> &str {
    let base = DEFAULT_REGISTRY.trim_end_matches('/');
    match url.strip_prefix(base) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => "",
        _ => url,
    }
}

fn workspace(graph: &Graph, member: &Member, out: &mut String) {
    indent(out, 2);
    quote(&member.path, out);
    out.push_str(": {");
    let root = member.package == 0;
    let name = graph.name(member.package);
    let mut any = false;
    if !root || !name.is_empty() {
        out.push('\n');
        indent(out, 3);
        out.push_str("\"name\": ");
        quote(name, out);
        any = true;
    }
    if !root {
        if !member.version.is_empty() {
            out.push_str(",\n");
            indent(out, 3);
            out.push_str("\"version\": ");
            quote(graph.str(member.version), out);
        }
        let bin = graph.packages.bin[member.package as usize];
        if bin != Bin::None {
            out.push_str(",\n");
            indent(out, 3);
            out.push_str(if matches!(bin, Bin::Dir(_)) { "\"binDir\": " } else { "\"bin\": " });
            write_bin(graph, bin, Some(3), out);
        }
    }
    let span = graph.packages.deps[member.package as usize];
    let mut optional_peers = Vec::new();
    for (group, bit) in GROUPS {
        let mut first = true;
        for dep in span.ids() {
            let behavior = graph.deps.behavior[dep as usize];
            if !in_group(behavior, bit) {
                continue;
            }
            if behavior.is_optional_peer() {
                optional_peers.push(graph.deps.name[dep as usize]);
            }
            if first {
                if any {
                    out.push(',');
                }
                out.push('\n');
                indent(out, 3);
                quote(group, out);
                out.push_str(": {\n");
                (any, first) = (true, false);
            } else {
                out.push_str(",\n");
            }
            indent(out, 4);
            quote(graph.str(graph.deps.name[dep as usize]), out);
            out.push_str(": ");
            quote(graph.str(graph.deps.literal[dep as usize]), out);
        }
        if !first {
            out.push_str(",\n");
            indent(out, 3);
            out.push('}');
        }
    }
    if !optional_peers.is_empty() {
        out.push_str(",\n");
        indent(out, 3);
        out.push_str("\"optionalPeers\": [\n");
        for name in optional_peers {
            indent(out, 4);
            quote(graph.str(name), out);
            out.push_str(",\n");
        }
        indent(out, 3);
        out.push(']');
    }
    if any {
        out.push_str(",\n");
        indent(out, 2);
    }
    out.push_str("},");
}

/// The lists between `workspaces` and `packages`.
fn lists(graph: &Graph, tree: &Tree, extras: &Extras, out: &mut String) {
    if let Some(trusted) = &extras.trusted {
        let mut found: Vec<(u64, &str)> = Vec::new();
        for directory in &tree.directories {
            for &dep in &directory.placed {
                let name = graph.str(graph.deps.name[dep as usize]);
                if trusted.iter().any(|wanted| wanted == name) && !found.iter().any(|(_, other)| *other == name) {
                    found.push((super::hash::name_hash(name), name));
                }
            }
        }
        let found = super::hash::written_order(found, trusted.len());
        if !found.is_empty() || trusted.is_empty() {
            out.push_str("  \"trustedDependencies\": [");
            if !found.is_empty() {
                out.push('\n');
            }
            for name in &found {
                indent(out, 2);
                quote(name, out);
                out.push_str(",\n");
            }
            out.push_str(if found.is_empty() { "],\n" } else { "  ],\n" });
        }
    }
    // In the order in which the tree has them: it decides between entries that want the same place of Bun's table.
    let mut patched: Vec<(u64, &(String, String))> = Vec::new();
    if !extras.patched.is_empty() {
        for directory in &tree.directories {
            for &dep in &directory.placed {
                let label = graph.label(graph.deps.target[dep as usize]);
                if let Some(entry) = extras.patched.iter().find(|(known, _)| *known == label)
                    && !patched.iter().any(|(_, other)| other.0 == label)
                {
                    patched.push((super::hash::name_hash(&label), entry));
                }
            }
        }
    }
    let patched = super::hash::written_order(patched, extras.patched.len());
    pairs("patchedDependencies", patched.iter().map(|entry| (entry.0.as_str(), entry.1.as_str())), 1, out);
    overrides(extras, out);
    pairs("catalog", extras.catalog.iter().map(|(name, range)| (name.as_str(), range.as_str())), 1, out);
    if !extras.catalogs.is_empty() {
        out.push_str("  \"catalogs\": {\n");
        for (name, entries) in &extras.catalogs {
            indent(out, 2);
            quote(name, out);
            out.push_str(": {\n");
            for (name, range) in entries {
                indent(out, 3);
                quote(name, out);
                out.push_str(": ");
                quote(range, out);
                out.push_str(",\n");
            }
            out.push_str("    },\n");
        }
        out.push_str("  },\n");
    }
    if !graph.extended.is_empty() {
        let mut placed = vec![false; graph.len()];
        for &dep in tree.directories.iter().flat_map(|directory| &directory.placed) {
            if let Some(placed) = placed.get_mut(graph.deps.target[dep as usize] as usize) {
                *placed = true;
            }
        }
        crate::model::package_extensions::write(graph, |package| placed[package as usize], out);
    }
}

fn pairs<'a>(title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>, level: usize, out: &mut String) {
    let mut first = true;
    for (key, value) in entries {
        if first {
            indent(out, level);
            quote(title, out);
            out.push_str(": {\n");
            first = false;
        }
        indent(out, level + 1);
        quote(key, out);
        out.push_str(": ");
        quote(value, out);
        out.push_str(",\n");
    }
    if !first {
        indent(out, level);
        out.push_str("},\n");
    }
}

fn overrides(extras: &Extras, out: &mut String) {
    if extras.overrides.is_empty() {
        return;
    }
    out.push_str("  \"overrides\": {\n");
    // Group: the parent, or the name with its range. A simple rule of the same name becomes the group's ".".
    type Rule<'a> = (&'a str, String, &'a str);
    let mut groups: std::collections::BTreeMap<(&str, &str), Vec<Rule<'_>>> = std::collections::BTreeMap::new();
    let mut simple: std::collections::BTreeMap<&str, &str> = std::collections::BTreeMap::new();
    for rule in &extras.overrides {
        if rule.parent.is_empty() && rule.range.is_empty() {
            simple.insert(&rule.name, &rule.value);
        } else if rule.parent.is_empty() {
            groups.entry((&rule.name, &rule.range)).or_default().push((".", String::new(), &rule.value));
        } else {
            let (name, range) = crate::model::spec::split_argument(&rule.parent);
            let key = if rule.range.is_empty() { rule.name.clone() } else { format!("{}@{}", rule.name, rule.range) };
            groups.entry((name, range)).or_default().push(("", key, &rule.value));
        }
    }
    let mut keys: Vec<(&str, &str, bool)> = groups.keys().map(|(name, range)| (*name, *range, true)).collect();
    keys.extend(simple.keys().filter(|name| !groups.contains_key(&(**name, ""))).map(|name| (*name, "", false)));
    keys.sort_unstable();
    for (name, range, group) in keys {
        indent(out, 2);
        if range.is_empty() {
            quote(name, out);
        } else {
            quote(&format!("{name}@{range}"), out);
        }
        if !group {
            out.push_str(": ");
            quote(simple[name], out);
            out.push_str(",\n");
            continue;
        }
        out.push_str(": {\n");
        let entries = &groups[&(name, range)];
        let own = entries.iter().find(|entry| entry.0 == ".").map(|entry| entry.2);
        let own = own.or_else(|| if range.is_empty() { simple.get(name).copied() } else { None });
        if let Some(value) = own {
            out.push_str("      \".\": ");
            quote(value, out);
            out.push_str(",\n");
        }
        let mut children: Vec<_> = entries.iter().filter(|entry| entry.0.is_empty()).collect();
        children.sort_by(|a, b| a.1.cmp(&b.1));
        for (_, key, value) in children {
            indent(out, 3);
            quote(key, out);
            out.push_str(": ");
            quote(value, out);
            out.push_str(",\n");
        }
        out.push_str("    },\n");
    }
    out.push_str("  },\n");
}

fn packages(graph: &Graph, tree: &Tree, out: &mut String) {
    let mut order: Vec<(u16, String, u32)> = Vec::with_capacity(tree.directories.len());
    for (at, directory) in tree.directories.iter().enumerate() {
        if !directory.placed.is_empty() {
            let mut path = String::new();
            tree.path(graph, at as u32, &mut path);
            order.push((directory.depth, path, at as u32));
        }
    }
    order.sort();
    out.push_str("  \"packages\": {");
    let mut first = true;
    let mut placed: Vec<u32> = Vec::new();
    for (depth, path, at) in &order {
        placed.clear();
        placed.extend_from_slice(&tree.directories[*at as usize].placed);
        placed.sort_by(|a, b| graph.str(graph.deps.name[*a as usize]).cmp(graph.str(graph.deps.name[*b as usize])));
        for &dep in &placed {
            let package = graph.deps.target[dep as usize];
            if package == NO_ID {
                continue;
            }
            out.push_str(if first { "\n    \"" } else { ",\n\n    \"" });
            first = false;
            quote_bare(path, out);
            if *depth != 0 {
                out.push('/');
            }
            quote_bare(graph.str(graph.deps.name[dep as usize]), out);
            out.push_str("\": ");
            entry(graph, package, graph.deps.behavior[dep as usize], out);
        }
    }
    if !first {
        out.push_str(",\n  ");
    }
    out.push_str("}\n");
}

fn entry(graph: &Graph, package: PackageId, behavior: Behavior, out: &mut String) {
    let resolution = &graph.packages.resolution[package as usize];
    let integrity = &graph.packages.integrity[package as usize];
    out.push_str("[\"");
    let mut label = String::new();
    graph.write_label(package, &mut label);
    quote_bare(&label, out);
    out.push('"');
    match resolution.kind {
        Kind::Workspace => {
            out.push(']');
            return;
        }
        Kind::Root => {
            let bin = graph.packages.bin[package as usize];
            out.push_str(", {");
            if bin != Bin::None {
                out.push_str(if matches!(bin, Bin::Dir(_)) { " \"binDir\": " } else { " \"bin\": " });
                write_bin(graph, bin, None, out);
                out.push(' ');
            }
            out.push_str("}]");
            return;
        }
        Kind::Npm => {
            out.push_str(", ");
            quote(registry_field(graph.str(resolution.extra)), out);
        }
        _ => {}
    }
    out.push_str(", ");
    info(graph, package, behavior, out);
    if matches!(resolution.kind, Kind::Git | Kind::GitHub) {
        out.push_str(", ");
        quote(graph.str(resolution.tag), out);
    }
    match resolution.kind {
        Kind::Npm => {
            out.push_str(", \"");
            out.push_str(&integrity.to_string());
            out.push('"');
        }
        Kind::Folder | Kind::Link => {}
        _ if integrity.is_none() => {}
        _ => {
            out.push_str(", \"");
            out.push_str(&integrity.to_string());
            out.push('"');
        }
    }
    out.push(']');
}

fn info(graph: &Graph, package: PackageId, behavior: Behavior, out: &mut String) {
    let at = package as usize;
    let mut ids: Vec<u32> = graph.packages.deps[at].ids().collect();
    ids.sort_by(|a, b| graph.str(graph.deps.name[*a as usize]).cmp(graph.str(graph.deps.name[*b as usize])));
    let mut optional_peers = Vec::new();
    let mut any = false;
    out.push('{');
    for (group, bit) in GROUPS {
        let mut first = true;
        for &dep in &ids {
            let behavior = graph.deps.behavior[dep as usize];
            if !in_group(behavior, bit) {
                continue;
            }
            if behavior.is_optional_peer() {
                optional_peers.push(graph.deps.name[dep as usize]);
            }
            if first {
                if any {
                    out.push(',');
                }
                out.push(' ');
                quote(group, out);
                out.push_str(": { ");
                (first, any) = (false, true);
            } else {
                out.push_str(", ");
            }
            quote(graph.str(graph.deps.name[dep as usize]), out);
            out.push_str(": ");
            quote(graph.str(graph.deps.literal[dep as usize]), out);
        }
        if !first {
            out.push_str(" }");
        }
    }
    if !optional_peers.is_empty() {
        out.push_str(", \"optionalPeers\": [");
        for (place, name) in optional_peers.iter().enumerate() {
            if place > 0 {
                out.push_str(", ");
            }
            quote(graph.str(*name), out);
        }
        out.push(']');
    }
    let mut field = |out: &mut String, name: &str| {
        if any {
            out.push(',');
        }
        any = true;
        out.push(' ');
        quote(name, out);
        out.push_str(": ");
    };
    if behavior.has(Behavior::BUNDLED) {
        field(out, "bundled");
        out.push_str("true");
    }
    if graph.packages.os[at] != OS.all() {
        field(out, "os");
        OS.write(graph.packages.os[at], out);
    }
    if graph.packages.cpu[at] != CPU.all() {
        field(out, "cpu");
        CPU.write(graph.packages.cpu[at], out);
    }
    if graph.packages.libc[at] != LIBC.all() {
        field(out, "libc");
        LIBC.write(graph.packages.libc[at], out);
    }
    if graph.packages.flags[at] & FLAG_INSTALL_SCRIPT != 0 {
        field(out, "hasInstallScript");
        out.push_str("true");
    }
    let bin = graph.packages.bin[at];
    if bin != Bin::None {
        field(out, if matches!(bin, Bin::Dir(_)) { "binDir" } else { "bin" });
        write_bin(graph, bin, None, out);
    }
    out.push_str(if any { " }" } else { "}" });
}

/// `"file.js"`, or `{ "name": "file.js" }`; on several lines where `level` is given.
fn write_bin(graph: &Graph, bin: Bin, level: Option<usize>, out: &mut String) {
    let entries: &[(crate::model::string_arena::Str, crate::model::string_arena::Str)] = match bin {
        Bin::None => return,
        Bin::File(path) | Bin::Dir(path) => {
            quote(graph.str(path), out);
            return;
        }
        Bin::Named(name, path) => &[(name, path)],
        Bin::Map(off, len) => &graph.bin_entries[off as usize..(off + len) as usize],
    };
    out.push('{');
    for (place, (name, path)) in entries.iter().enumerate() {
        match level {
            Some(level) => {
                out.push('\n');
                indent(out, level + 1);
            }
            None => out.push_str(if place == 0 { " " } else { ", " }),
        }
        quote(graph.str(*name), out);
        out.push_str(": ");
        quote(graph.str(*path), out);
        if level.is_some() {
            out.push(',');
        }
    }
    match level {
        Some(level) => {
            out.push('\n');
            indent(out, level);
            out.push('}');
        }
        None => out.push_str(" }"),
    }
}
