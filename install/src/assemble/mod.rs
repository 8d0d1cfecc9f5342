//! The plan of an install: what of the graph this machine needs, and where it goes.

mod instances;

use crate::config::Config;
use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, Bin, FLAG_INSTALL_SCRIPT, Graph};
use crate::model::plan::{self, Edge, EdgeKind, Kind, Linker, NONE, Placement, Plan, PlanPackage, Str, Tree};
use crate::registry::session::Session;
use std::path::Path;

/// Packages whose scripts run where package.json says nothing else.
pub fn default_trusted() -> impl Iterator<Item = &'static str> {
    include_str!("trusted.txt").lines()
}

/// Packages whose scripts may run: those that `trustedDependencies` names, by their own name or an alias, else those of the list.
pub fn trusts(graph: &Graph, extras: &Extras) -> Vec<bool> {
    let Some(list) = &extras.trusted else {
        let known: Vec<&str> = default_trusted().collect();
        let fits = |id: u32| graph.kind(id) == Kind::Npm && known.binary_search(&graph.name(id)).is_ok();
        return (0..graph.len() as u32).map(fits).collect();
    };
    let mut out: Vec<bool> = (0..graph.len() as u32).map(|id| list.iter().any(|one| one == graph.name(id))).collect();
    for (dep, &target) in graph.deps.target.iter().enumerate() {
        if target != NONE && !out[target as usize] {
            out[target as usize] = list.iter().any(|one| one == graph.str(graph.deps.name[dep]));
        }
    }
    out
}

/// Which dependencies are installed.
pub struct Selection<'a> {
    pub config: &'a Config,
    /// Workspace members that are installed; nothing for all.
    pub members: Option<Vec<u32>>,
    /// The root's own dependencies.
    pub root: bool,
}

impl Selection<'_> {
    /// Whether `dep` of `parent` is left out.
    pub fn skips(&self, graph: &Graph, dep: u32, parent: u32) -> bool {
        let at = dep as usize;
        let target = graph.deps.target[at];
        let behavior = graph.deps.behavior[at];
        if target == NONE {
            return !behavior.is_optional_peer();
        }
        let package = target as usize;
        if self.config.target.excludes(
            graph.packages.os[package],
            graph.packages.cpu[package],
            graph.packages.libc[package],
        ) {
            return true;
        }
        if behavior.has(Behavior::BUNDLED) {
            return true;
        }
        let local = matches!(graph.kind(parent), Kind::Root | Kind::Workspace | Kind::Folder);
        let wanted = behavior.has(Behavior::PROD)
            || behavior.has(Behavior::WORKSPACE)
            || (behavior.is_optional() && !self.config.omit_optional)
            || (behavior.has(Behavior::DEV) && local && !self.config.omit_dev)
            || (behavior.has(Behavior::PEER) && !self.config.omit_peer);
        if !wanted {
            return true;
        }
        if parent == 0 {
            if behavior.has(Behavior::WORKSPACE) {
                return self.members.as_ref().is_some_and(|members| !members.contains(&target));
            }
            return !self.root;
        }
        false
    }
}

pub(crate) fn edge_kind(behavior: Behavior) -> EdgeKind {
    if behavior.has(Behavior::BUNDLED) {
        EdgeKind::Bundled
    } else if behavior.has(Behavior::WORKSPACE) {
        EdgeKind::Workspace
    } else if behavior.is_optional_peer() {
        EdgeKind::OptionalPeer
    } else if behavior.has(Behavior::PEER) {
        EdgeKind::Peer
    } else if behavior.has(Behavior::OPTIONAL) {
        EdgeKind::Optional
    } else if behavior.has(Behavior::DEV) {
        EdgeKind::Dev
    } else {
        EdgeKind::Prod
    }
}

/// Makes the plan. `graph` is consumed in the sense that its text moves into the plan.
pub fn assemble(
    root: &Path,
    graph: &mut Graph,
    members: &[Member],
    extras: &Extras,
    session: &Session<'_>,
    selection: &Selection<'_>,
    linker: Linker,
) -> Plan {
    let tree = crate::model::hoisted_tree::Tree::build_with(graph, &extras.self_contained, |graph, dep, parent| {
        selection.skips(graph, dep, parent)
    });
    let count = graph.len();
    // Reached without an optional edge: its failure is an error.
    let mut needed = vec![false; count];
    let mut reached = vec![false; count];
    let mut stack = vec![(0u32, true)];
    while let Some((package, required)) = stack.pop() {
        let seen = package as usize;
        if reached[seen] && (needed[seen] || !required) {
            continue;
        }
        reached[seen] = true;
        needed[seen] |= required;
        for dep in graph.packages.deps[seen].ids() {
            let target = graph.deps.target[dep as usize];
            if target != NONE && !selection.skips(graph, dep, package) {
                stack.push((target, required && !graph.deps.behavior[dep as usize].is_optional()));
            }
        }
    }
    let trusted = |graph: &Graph, package: usize| {
        let name = graph.str(graph.packages.name[package]);
        match &extras.trusted {
            Some(list) => list.iter().any(|other| other == name),
            None => {
                graph.packages.resolution[package].kind == Kind::Npm && {
                    static LIST: std::sync::OnceLock<Vec<&str>> = std::sync::OnceLock::new();
                    LIST.get_or_init(|| default_trusted().collect()).binary_search(&name).is_ok()
                }
            }
        }
    };
    let aliases: Vec<(u32, String)> = if extras.trusted.is_some() {
        (0..graph.deps.name.len())
            .filter(|&dep| graph.deps.target[dep] != NONE)
            .map(|dep| (graph.deps.target[dep], graph.str(graph.deps.name[dep]).to_owned()))
            .collect()
    } else {
        Vec::new()
    };
    let mut packages = Vec::with_capacity(count);
    let mut bins = Vec::new();
    let mut edges = Vec::with_capacity(graph.deps.name.len());
    #[allow(clippy::needless_range_loop)] // the index is the package id, used in many columns
    for id in 0..count {
        let resolution = graph.packages.resolution[id];
        let first_bin = bins.len() as u32;
        let mut bin_dir = Str::EMPTY;
        match graph.packages.bin[id] {
            Bin::None => {}
            Bin::File(path) => bins.push(plan::Bin { name: Str::EMPTY, path }),
            Bin::Named(name, path) => bins.push(plan::Bin { name, path }),
            Bin::Map(off, len) => {
                for &(name, path) in &graph.bin_entries[off as usize..(off + len) as usize] {
                    // A scope in a command's name is no directory.
                    let last = graph.str(name).rsplit('/').next().unwrap_or("").to_owned();
                    let name = graph.text.add(&last);
                    bins.push(plan::Bin { name, path });
                }
            }
            Bin::Dir(dir) => bin_dir = dir,
        }
        let first_edge = edges.len() as u32;
        for dep in graph.packages.deps[id].ids() {
            let target = graph.deps.target[dep as usize];
            if target != NONE && !selection.skips(graph, dep, id as u32) {
                let kind = edge_kind(graph.deps.behavior[dep as usize]);
                edges.push(Edge { name: graph.deps.name[dep as usize], package: target, kind });
            }
        }
        let name = graph.str(graph.packages.name[id]).to_owned();
        let value = graph.str(resolution.value).to_owned();
        let (mut cache_dir, mut url, mut path) = (Str::EMPTY, Str::EMPTY, Str::EMPTY);
        let mut version = resolution.value;
        match resolution.kind {
            Kind::Npm => {
                cache_dir = graph.text.add(&session.npm_cache_dir(&name, &value));
                let explicit = graph.str(resolution.extra).to_owned();
                url = graph.text.add(&session.tarball_url(&name, &value, &explicit));
            }
            Kind::TarballUrl | Kind::TarballFile => {
                cache_dir = {
                    let digest = &graph.packages.integrity[id];
                    graph.text.add(&crate::registry::repositories::tarball_cache_dir(
                        root,
                        &value,
                        resolution.kind,
                        digest,
                    ))
                };
                url = resolution.value;
                path = resolution.value;
            }
            Kind::GitHub => {
                let tag = graph.str(resolution.tag).to_owned();
                cache_dir = graph.text.add(&format!("@GH@{tag}@@@1"));
                let commit = graph.str(resolution.extra).to_owned();
                url = graph.text.add(&crate::registry::repositories::github_url(&value, &commit));
            }
            Kind::Git => {
                let commit = graph.str(resolution.extra).to_owned();
                cache_dir = graph.text.add(&format!("@G@{commit}"));
            }
            Kind::Workspace | Kind::Folder => path = resolution.value,
            Kind::Link => path = graph.text.add(&crate::linked_packages::target(root, session.config, &value)),
            Kind::Root => version = Str::EMPTY,
        }
        if matches!(resolution.kind, Kind::Git | Kind::GitHub) {
            let mut label = String::new();
            graph.write_resolution(&resolution, &mut label);
            version = graph.text.add(&label);
        }
        let mut flags = 0;
        if graph.packages.flags[id] & FLAG_INSTALL_SCRIPT != 0 {
            flags |= plan::HAS_INSTALL_SCRIPT;
        }
        let alias_trusted = || {
            let list = extras.trusted.as_deref().unwrap_or_default();
            aliases.iter().any(|(target, alias)| *target == id as u32 && list.contains(alias))
        };
        if trusted(graph, id) || alias_trusted() {
            flags |= plan::TRUSTED;
        }
        let at = &graph.packages;
        if selection.config.target.excludes(at.os[id], at.cpu[id], at.libc[id]) {
            flags |= plan::DISABLED;
        }
        if !needed[id] {
            flags |= plan::OPTIONAL;
        }
        let (mut patch, mut patch_hash) = (Str::EMPTY, 0);
        if !extras.patched.is_empty() {
            let label = graph.label(id as u32);
            if let Some((_, file)) = extras.patched.iter().find(|(key, _)| *key == label || *key == name) {
                patch = graph.text.add(file);
                patch_hash = std::fs::read(root.join(file)).map_or(0, |bytes| xxhash_rust::xxh3::xxh3_64(&bytes));
            }
        }
        packages.push(PlanPackage {
            name: graph.packages.name[id],
            version,
            kind: resolution.kind,
            cache_dir,
            path,
            url,
            integrity: graph.packages.integrity[id],
            bins: first_bin..bins.len() as u32,
            bin_dir,
            edges: first_edge..edges.len() as u32,
            flags,
            patch,
            patch_hash,
            peers: 0,
        });
    }
    if linker == Linker::Isolated {
        crate::assemble::instances::expand(graph, selection, &mut packages, &mut edges);
    }
    let (trees, placements) = match linker {
        Linker::Hoisted => placements(graph, members, &tree),
        Linker::Isolated => (Vec::new(), Vec::new()),
    };
    let mut plan = Plan {
        root: root.to_owned(),
        text: std::mem::take(&mut graph.text).into_string(),
        packages,
        bins,
        trees,
        placements,
        edges,
        linker,
        fingerprint: 0,
    };
    plan.fingerprint = fingerprint(&plan);
    plan
}

fn placements(
    graph: &mut Graph,
    members: &[Member],
    tree: &crate::model::hoisted_tree::Tree,
) -> (Vec<Tree>, Vec<Placement>) {
    let mut trees: Vec<Tree> = Vec::with_capacity(tree.directories.len());
    let mut placements: Vec<Placement> = Vec::new();
    // Old index → new index; directories without entries are dropped.
    let mut renumbered = vec![NONE; tree.directories.len()];
    for (at, directory) in tree.directories.iter().enumerate() {
        // A member below another one is a link to its directory, whose content is decided in its own place.
        let linked = directory.dep != NONE
            && graph.kind(directory.package) == Kind::Workspace
            && !graph.deps.behavior[directory.dep as usize].has(Behavior::WORKSPACE);
        let gone = directory.parent != NONE && renumbered[directory.parent as usize] == NONE;
        if (directory.placed.is_empty() && at != 0) || linked || gone {
            continue;
        }
        let id = trees.len() as u32;
        renumbered[at] = id;
        let workspace = directory.parent != NONE && graph.kind(directory.package) == Kind::Workspace;
        let (path, parent, owner) = if directory.parent == NONE {
            ("node_modules".to_owned(), NONE, NONE)
        } else {
            let parent = renumbered[directory.parent as usize];
            let name = graph.str(graph.deps.name[directory.dep as usize]);
            let above = trees.get(parent as usize).map_or("node_modules", |tree| graph.str(tree.path));
            let owner = trees.get(parent as usize).map_or(NONE, |tree| {
                (tree.first..tree.first + tree.len)
                    .find(|&place| graph.str(placements[place as usize].folder) == name)
                    .unwrap_or(NONE)
            });
            if workspace {
                let member = members.iter().find(|member| member.package == directory.package);
                (format!("{}/node_modules", member.map_or("", |member| member.path.as_str())), parent, owner)
            } else {
                (format!("{above}/{name}/node_modules"), parent, owner)
            }
        };
        if owner != NONE {
            placements[owner as usize].children = id;
        }
        let mut placed = directory.placed.clone();
        placed.sort_by(|a, b| graph.str(graph.deps.name[*a as usize]).cmp(graph.str(graph.deps.name[*b as usize])));
        let first = placements.len() as u32;
        for dep in placed {
            placements.push(Placement {
                folder: graph.deps.name[dep as usize],
                package: graph.deps.target[dep as usize],
                tree: id,
                children: NONE,
            });
        }
        trees.push(Tree {
            parent,
            owner: if workspace { NONE } else { owner },
            path: graph.text.add(&path),
            first,
            len: placements.len() as u32 - first,
            depth: directory.depth,
            workspace: if workspace { directory.package } else { NONE },
        });
    }
    (trees, placements)
}

/// A hash of what decides the tree.
fn fingerprint(plan: &Plan) -> u64 {
    use std::hash::Hasher;
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    for package in &plan.packages {
        for text in [package.name, package.version, package.cache_dir, package.path, package.bin_dir, package.patch] {
            hasher.update(plan.str(text).as_bytes());
            hasher.update(b"\0");
        }
        hasher.update(&[package.kind as u8]);
        hasher.update(&package.flags.to_le_bytes());
        hasher.update(&package.patch_hash.to_le_bytes());
        hasher.update(&package.peers.to_le_bytes());
        hasher.update(package.integrity.digest());
        for bin in plan.bins_of(package) {
            hasher.update(plan.str(bin.name).as_bytes());
            hasher.update(b"\0");
            hasher.update(plan.str(bin.path).as_bytes());
            hasher.update(b"\0");
        }
        for edge in plan.edges_of(package) {
            hasher.update(plan.str(edge.name).as_bytes());
            hasher.update(&[edge.kind as u8]);
            hasher.update(&edge.package.to_le_bytes());
        }
        hasher.update(b"\n");
    }
    for tree in &plan.trees {
        hasher.update(plan.str(tree.path).as_bytes());
        hasher.update(b"\n");
        for placement in plan.placements_of(tree) {
            hasher.update(plan.str(placement.folder).as_bytes());
            hasher.update(&placement.package.to_le_bytes());
        }
    }
    hasher.finish()
}
