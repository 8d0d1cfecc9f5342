//! pnpm-lock.yaml, lockfileVersion 6 to 9: `importers` with what the project and its members ask for, `packages` with digests and
//! platforms, and the resolved edges, which are in `packages` too up to version 6 and in `snapshots` from then on
//! (github.com/pnpm/spec/tree/master/lockfile).
//!
//! A key is `name@version(peer@version)…`: one package can be there several times with other peers. bun.lock has it once. pnpm keeps
//! no ranges of what packages depend on, so the exact versions stand in their place.

use super::builder::{Builder, Found};
use super::npm::names_set;
use crate::error::Result;
use crate::lockfile::Loaded;
use crate::model::extras::Extras;
use crate::model::graph::{Behavior, DepId, Graph, PackageId};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, LIBC, Names, OS};
use crate::model::spec::{Spec, valid_name};
use crate::model::string_arena::hash;
use crate::project::Manifest;
use json::{Node, Value};
use rustc_hash::FxHashMap;
use semver::{Range, Version};
use std::path::Path;
use yaml::Yaml;

const FILE: &str = "pnpm-lock.yaml";

/// What a file gives besides the graph.
pub(crate) struct Read {
    pub loaded: Loaded,
    /// Packages whose manifests are needed, by id; `None` for all of them.
    pub wanted: Option<Vec<bool>>,
    /// `name@version` of each package that pnpm has patched, with the hash that the lockfile gives the patch.
    pub patched: Vec<(String, String)>,
    pub warnings: Vec<String>,
}

/// What the reader has to know of the project.
pub(crate) struct Context<'c> {
    pub root: &'c Path,
    pub manifests: &'c [Manifest],
    pub extras: &'c Extras,
    /// URL of a registry package's tarball as the graph has it: name, version, what the lockfile says.
    pub archive: &'c dyn Fn(&str, &str, &str) -> String,
}

/// The key without the peers and the patch, and what was cut off.
fn split_suffix(key: &str) -> (&str, &str) {
    let mut end = key.len();
    while key[..end].ends_with(')') {
        let mut depth = 0;
        let open = key[..end].bytes().rposition(|byte| {
            depth += i32::from(byte == b')') - i32::from(byte == b'(');
            byte == b'(' && depth == 0
        });
        match open {
            Some(open) if open > 0 => end = open,
            _ => break,
        }
    }
    (&key[..end], &key[end..])
}

/// Name and what follows the `@`.
fn split_name(key: &str) -> Option<(&str, &str)> {
    let at = key.get(1..)?.find('@')? + 1;
    Some((&key[..at], &key[at + 1..]))
}

/// An edge whose package is looked for when all packages are known.
struct Edge {
    dep: DepId,
    owner: PackageId,
    /// What the lockfile says, without suffix; empty for a peer without package.
    reference: String,
}

struct Reader<'y, 'c> {
    context: &'c Context<'c>,
    builder: Builder,
    /// Key without suffix → package; [`NO_ID`] for a member of the workspace.
    keys: FxHashMap<u64, PackageId>,
    edges: Vec<Edge>,
    infos: FxHashMap<&'y str, &'y Yaml<'y>>,
    wanted: Vec<bool>,
    patched: Vec<(String, String)>,
    /// Version 6 and older: the manifests that matter are known from the lockfile.
    precise: bool,
}

/// Reads the file's text.
///
/// # Errors
/// The text is no YAML or no lockfile of version 6 or newer; a package has a name or resolution that cannot be one.
pub(crate) fn read(text: &str, context: &Context<'_>) -> Result<Read> {
    let documents = yaml::parse(text, yaml::Options::TEXT).map_err(|error| super::invalid(FILE, &error.to_string()))?;
    // pnpm 11 puts a document of its own environment first.
    let Some(root) = documents.last().filter(|root| root.is_map()) else {
        return Err(super::invalid(FILE, "it is no mapping"));
    };
    let written = root.text("lockfileVersion");
    let version: f64 = match written.parse() {
        Ok(version) => version,
        Err(_) => return Err(super::invalid(FILE, "it has no lockfileVersion")),
    };
    if version < 6.0 {
        return Err(super::unsupported(FILE, written, "pnpm install --lockfile-only"));
    }
    let mut warnings = Vec::new();
    if version >= 10.0 {
        warnings.push(format!("{FILE} is lockfileVersion {written}; migrating it as 9.0"));
    }
    let empty = Yaml::Map(Vec::new());
    let packages = root.get("packages").unwrap_or(&empty);
    let snapshots = root.get("snapshots");
    if version >= 9.0 && snapshots.is_none() && !packages.entries().is_empty() {
        return Err(super::invalid(FILE, "it has packages and no snapshots"));
    }
    let mut reader = Reader {
        context,
        builder: Builder::new(packages.entries().len(), text.len() / 2),
        keys: FxHashMap::default(),
        edges: Vec::new(),
        infos: packages.entries().iter().rev().map(|(key, value)| (split_suffix(key).0, value)).collect(),
        wanted: Vec::new(),
        patched: Vec::new(),
        precise: snapshots.is_none(),
    };
    for (key, snapshot) in snapshots.unwrap_or(packages).entries() {
        reader.snapshot(key, snapshot)?;
    }
    reader.link()?;
    let root_importer = match root.get("importers") {
        Some(importers) => importers,
        None if version < 9.0 => root,
        None => return Err(super::invalid(FILE, "it has no importers")),
    };
    reader.members(root_importer, root.get("importers").is_some())?;
    reader.platforms();
    let wanted = if reader.precise { Some(reader.wanted) } else { None };
    Ok(Read { loaded: reader.builder.finish(1), wanted, patched: reader.patched, warnings })
}

impl<'y> Reader<'y, '_> {
    fn snapshot(&mut self, key: &'y str, snapshot: &'y Yaml<'y>) -> Result<()> {
        let (base, suffix) = split_suffix(key);
        let Some(&info) = self.infos.get(base).or(if self.precise { None } else { Some(&snapshot) }) else {
            return Ok(());
        };
        let bare = base.strip_prefix('/').unwrap_or(base);
        if let Some(&known) = self.keys.get(&hash(bare)) {
            self.variant(known, snapshot);
            return Ok(());
        }
        let (name, reference) = match split_name(bare) {
            Some((name, rest)) if valid_name(name) => (name, rest),
            _ => (info.text("name"), bare),
        };
        if reference.starts_with("runtime:") {
            return Ok(());
        }
        if !valid_name(name) {
            return Err(super::invalid(FILE, &format!("the package \"{key}\" has no name")));
        }
        let Some((id, new)) = self.package(name, reference, info)? else {
            self.keys.insert(hash(bare), NO_ID);
            return Ok(());
        };
        self.keys.insert(hash(bare), id);
        if let Some(patch) = suffix.strip_prefix("(patch_hash=").and_then(|rest| rest.split(')').next()) {
            self.patched.push((self.builder.graph.label(id), patch.to_owned()));
        }
        if new {
            self.wanted.resize(id as usize + 1, false);
            self.wanted[id as usize] = info.text("hasBin") == "true" || info.text("requiresBuild") == "true";
            self.dependencies(id, info, snapshot)?;
        }
        Ok(())
    }

    /// Adds a package; nothing for a directory that is a member of the workspace.
    fn package(&mut self, name: &str, reference: &str, info: &Yaml<'_>) -> Result<Option<(PackageId, bool)>> {
        let empty = Yaml::Map(Vec::new());
        let resolution = info.get("resolution").unwrap_or(&empty);
        let tarball = resolution.text("tarball");
        let integrity = Integrity::parse(resolution.text("integrity"));
        let found = |kind, value, extra, integrity| Found { name, kind, value, extra, integrity };
        if !resolution.text("path").is_empty() {
            let what = format!("{name} is a directory of a git repository, which is not supported");
            return Err(super::invalid(FILE, &what));
        }
        if resolution.text("type") == "git" && !resolution.text("repo").is_empty() {
            let url = resolution.text("repo");
            let url = url.strip_prefix("git+").unwrap_or(url);
            return Ok(Some(self.builder.package(&found(Kind::Git, url, resolution.text("commit"), Integrity::None))));
        }
        let local = if resolution.text("type") == "directory" {
            Some(resolution.text("directory"))
        } else {
            tarball.strip_prefix("file:").or_else(|| reference.strip_prefix("file:"))
        };
        if let Some(path) = local {
            let path = crate::model::paths::normalize("", path);
            if matches!(Spec::parse(&format!("file:{path}")), Spec::TarballFile(_)) {
                return Ok(Some(self.builder.package(&found(Kind::TarballFile, &path, "", integrity))));
            }
            if self.context.manifests.iter().skip(1).any(|manifest| manifest.path == path) {
                return Ok(None);
            }
            return Ok(Some(self.builder.package(&found(Kind::Folder, &path, "", Integrity::None))));
        }
        // `work:1.0.0` is a version of another registry, `1.0.0` of the usual one; version 6 may have a name and nothing else.
        let version = match reference.split_once(':') {
            Some((registry, version))
                if version.starts_with(|c: char| c.is_ascii_digit())
                    && registry.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)) =>
            {
                version
            }
            _ => reference,
        };
        if Version::parse(version).is_some() {
            let archive = (self.context.archive)(name, version, tarball);
            return Ok(Some(self.builder.package(&found(Kind::Npm, version, &archive, integrity))));
        }
        let url = if tarball.is_empty() { reference } else { tarball };
        let codeload = url
            .strip_prefix("https://codeload.github.com/")
            .and_then(|rest| rest.split_once("/tar.gz/"))
            .filter(|(repo, _)| repo.matches('/').count() == 1);
        if let Some((repo, commit)) = codeload {
            return Ok(Some(self.builder.github(name, repo, commit, integrity)));
        }
        if let Some((url, commit)) = super::git_reference(url) {
            return Ok(Some(self.builder.package(&found(Kind::Git, url, commit, Integrity::None))));
        }
        if url.starts_with("https://") || url.starts_with("http://") {
            return Ok(Some(self.builder.package(&found(Kind::TarballUrl, url, "", integrity))));
        }
        Err(super::invalid(FILE, &format!("the package \"{name}@{reference}\" has an unknown resolution")))
    }

    /// The dependencies of a new package. pnpm lists resolved peers among the others.
    fn dependencies(&mut self, id: PackageId, info: &Yaml<'_>, snapshot: &Yaml<'_>) -> Result<()> {
        struct Peer<'p> {
            name: &'p str,
            range: &'p str,
            optional: bool,
            seen: bool,
        }
        let mut peers: Vec<Peer<'_>> = Vec::new();
        for (name, range) in info.get("peerDependencies").map_or(&[][..], Yaml::entries) {
            peers.push(Peer { name, range: range.str().unwrap_or("*"), optional: false, seen: false });
        }
        for (name, meta) in info.get("peerDependenciesMeta").map_or(&[][..], Yaml::entries) {
            if meta.text("optional") != "true" {
                continue;
            }
            match peers.iter_mut().find(|peer| peer.name == name) {
                Some(peer) => peer.optional = true,
                None => peers.push(Peer { name, range: "*", optional: true, seen: false }),
            }
        }
        // The package.json of a directory is at hand, with the ranges that the lockfile lacks.
        let own = self.ranges(id);
        let graph = &mut self.builder.graph;
        let off = graph.begin_deps();
        let mut references: Vec<(u64, String)> = Vec::new();
        let peer_bits = |optional| Behavior::PEER | if optional { Behavior::OPTIONAL } else { 0 };
        for (group, bit) in [("dependencies", Behavior::PROD), ("optionalDependencies", Behavior::OPTIONAL)] {
            for (name, value) in snapshot.get(group).map_or(&[][..], Yaml::entries) {
                let Some(value) = value.str() else { continue };
                if !valid_name(name) {
                    return Err(super::invalid(FILE, &format!("\"{name}\" is not a package name")));
                }
                let reference = split_suffix(value).0;
                let key = graph.text.add(name);
                references.push((hash(name), reference.to_owned()));
                if let Some(peer) = peers.iter_mut().find(|peer| peer.name == name && !peer.seen) {
                    peer.seen = true;
                    if !reference.starts_with("link:") {
                        let range = graph.text.add(peer.range);
                        graph.add_dep(key, range, Behavior(peer_bits(peer.optional)));
                        continue;
                    }
                }
                let literal = match own.iter().find(|(known, _)| known == name) {
                    Some((_, range)) => graph.text.add(range),
                    None => graph.text.add(&literal(name, reference)),
                };
                graph.add_dep(key, literal, Behavior(bit));
            }
        }
        for peer in peers.iter().filter(|peer| !peer.seen && valid_name(peer.name)) {
            let (name, range) = (graph.text.add(peer.name), graph.text.add(peer.range));
            graph.add_dep(name, range, Behavior(peer_bits(peer.optional)));
        }
        graph.end_deps(id, off);
        for dep in graph.packages.deps[id as usize].ids() {
            let name = graph.deps.name_hash[dep as usize];
            let reference = references.iter().find(|(known, _)| *known == name);
            let reference = reference.map_or(String::new(), |(_, reference)| reference.clone());
            self.edges.push(Edge { dep, owner: id, reference });
        }
        Ok(())
    }

    fn ranges(&self, id: PackageId) -> Vec<(String, String)> {
        if self.builder.graph.kind(id) != Kind::Folder {
            return Vec::new();
        }
        let directory = self.context.root.join(self.builder.graph.value(id));
        let Ok(Some(text)) = crate::project::read_manifest(&directory) else { return Vec::new() };
        let Ok(value) = Value::parse(text.as_bytes()) else { return Vec::new() };
        ["dependencies", "optionalDependencies"]
            .iter()
            .flat_map(|group| value.get(group).map_or(&[][..], Value::members))
            .filter_map(|member| Some((member.key.to_string(), member.value.str()?.to_owned())))
            .collect()
    }

    /// Another entry of a known package has peers that the first one had not.
    fn variant(&mut self, package: PackageId, snapshot: &Yaml<'_>) {
        if package == NO_ID {
            return;
        }
        let graph = &self.builder.graph;
        let span = graph.packages.deps[package as usize];
        for edge in self.edges.iter_mut().rev().skip_while(|edge| edge.owner != package) {
            if edge.owner != package || !span.ids().contains(&edge.dep) {
                break;
            }
            if !edge.reference.is_empty() || !graph.deps.behavior[edge.dep as usize].has(Behavior::PEER) {
                continue;
            }
            let name = graph.str(graph.deps.name[edge.dep as usize]);
            let found = ["dependencies", "optionalDependencies"]
                .iter()
                .find_map(|group| snapshot.get(group)?.get(name)?.str())
                .map(|value| split_suffix(value).0)
                .filter(|reference| !reference.starts_with("link:"));
            if let Some(found) = found {
                edge.reference = found.to_owned();
            }
        }
    }

    fn find(&self, name: &str, reference: &str) -> Option<PackageId> {
        let reference = reference.strip_prefix("npm:").unwrap_or(reference);
        let bare = reference.strip_prefix('/').unwrap_or(reference);
        let joined = format!("{name}@{bare}");
        self.keys.get(&hash(&joined)).or_else(|| self.keys.get(&hash(bare))).copied()
    }

    fn link(&mut self) -> Result<()> {
        for edge in std::mem::take(&mut self.edges) {
            let at = edge.dep as usize;
            let behavior = self.builder.graph.deps.behavior[at];
            if behavior.has(Behavior::PEER)
                && let Some(found) = peer(&self.builder.graph, self.context.extras, edge.dep, edge.owner)
            {
                self.builder.graph.deps.target[at] = found;
                continue;
            }
            if edge.reference.is_empty() || edge.reference.starts_with("link:") {
                continue;
            }
            let name = self.builder.graph.str(self.builder.graph.deps.name[at]);
            match self.find(name, &edge.reference) {
                Some(found) => self.builder.graph.deps.target[at] = found,
                None if behavior.has(Behavior::OPTIONAL) => {}
                None => {
                    let owner = self.builder.graph.label(edge.owner);
                    let what = format!("it has no entry {name}@{}, which {owner} depends on", edge.reference);
                    return Err(super::invalid(FILE, &what));
                }
            }
        }
        Ok(())
    }

    fn members(&mut self, importers: &Yaml<'_>, listed: bool) -> Result<()> {
        let context = self.context;
        let mut builder = std::mem::replace(&mut self.builder, Builder::new(0, 0));
        let graph = std::mem::take(&mut builder.graph);
        let result = builder.members(context.manifests, |path, name, literal, behavior| {
            if behavior.has(Behavior::PEER) {
                let range = Range::parse(literal)?;
                return newest(&graph, hash(name), &range);
            }
            let importer =
                if listed { importers.get(if path.is_empty() { "." } else { path })? } else { importers };
            let entry = ["dependencies", "devDependencies", "optionalDependencies"]
                .iter()
                .find_map(|group| importer.get(group)?.get(name))?;
            let reference = split_suffix(entry.text("version")).0;
            let found = self.find(name, reference)?;
            // The specifier is another one where an override has changed it, or where package.json was edited since.
            let same = entry.text("specifier") == literal || found == NO_ID;
            let overridden = context.extras.overrides.iter().any(|rule| rule.name == name);
            let fits = || {
                matches!(Spec::parse(literal), Spec::Range { range, .. }
                    if Range::parse(range).is_some_and(|range| Version::parse(graph.value(found)).is_some_and(|version| range.contains(&version))))
            };
            (same || overridden || fits()).then_some(found)
        });
        // Strings of the members went to the text of an empty graph: they are moved over.
        let scratch = std::mem::replace(&mut builder.graph, graph);
        for member in &mut builder.members {
            for dep in &mut member.deps {
                dep.name = builder.graph.text.add(scratch.str(dep.name));
                dep.literal = builder.graph.text.add(scratch.str(dep.literal));
            }
        }
        self.builder = builder;
        result
    }

    /// Platforms of the registry packages; others are installed everywhere.
    fn platforms(&mut self) {
        let infos: Vec<(PackageId, &Yaml<'_>)> = self
            .infos
            .iter()
            .filter_map(|(key, info)| Some((*self.keys.get(&hash(key.strip_prefix('/').unwrap_or(key)))?, *info)))
            .collect();
        let columns = &mut self.builder.graph.packages;
        for (id, info) in infos {
            let at = id as usize;
            if id == NO_ID || columns.resolution[at].kind != Kind::Npm {
                continue;
            }
            let set = |key: &str, names: &Names| info.get(key).map_or(names.all(), |value| set_of(value, names));
            columns.os[at] = set("os", &OS);
            columns.cpu[at] = set("cpu", &CPU);
            columns.libc[at] = set("libc", &LIBC);
        }
    }
}

fn set_of(value: &Yaml<'_>, names: &Names) -> u16 {
    let text = |text: &str| Value { node: Node::String(text.to_owned().into()), start: 0, end: 0 };
    match value.str() {
        Some(one) => names_set(&text(one), names),
        None => {
            let items = value.items().iter().filter_map(Yaml::str).map(text).collect();
            names_set(&Value { node: Node::Array(items), start: 0, end: 0 }, names)
        }
    }
}

/// What stands for a dependency's range: the exact version, with the name where it is an alias.
fn literal(name: &str, reference: &str) -> String {
    let bare = reference.strip_prefix('/').unwrap_or(reference);
    match split_name(bare) {
        // A colon or slash before the `@` is a URL or a path.
        Some((real, rest)) if valid_name(real) => {
            if real == name || Version::parse(rest).is_none() {
                rest.to_owned()
            } else {
                format!("npm:{real}@{rest}")
            }
        }
        _ => reference.to_owned(),
    }
}

/// The newest package of a name in a range.
fn newest(graph: &Graph, name: u64, range: &Range<'_>) -> Option<PackageId> {
    graph.by_name.get(&name)?.iter().copied().find(|&id| {
        graph.kind(id) == Kind::Npm && Version::parse(graph.value(id)).is_some_and(|version| range.contains(&version))
    })
}

/// The package for a peer: as when a bun.lock is read, the newest that the lockfile has in the range.
fn peer(graph: &Graph, extras: &Extras, dep: DepId, owner: PackageId) -> Option<PackageId> {
    let literal = crate::model::overrides::effective(graph, extras, dep, owner);
    match Spec::parse(&literal) {
        Spec::Range { name, range } => {
            let range = Range::parse(range)?;
            let name = if name.is_empty() { graph.deps.name_hash[dep as usize] } else { hash(name) };
            newest(graph, name, &range)
        }
        _ => None,
    }
}
