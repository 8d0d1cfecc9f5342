//! The hoisted tree: which dependency is placed in which node_modules directory.
//!
//! Breadth first from the project. A dependency goes as high as no other version of its name is in the way; a dependency that
//! finds its package above is not placed. bun.lock's keys are the paths of this tree with nothing filtered out
//! ([`Tree::build`] with a filter that accepts everything); what is installed is the tree of what this machine needs.

use crate::model::graph::{Behavior, DepId, Graph, PackageId, Span};
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::Spec;
use rustc_hash::FxHashMap;
use semver::{Range, Version};
use std::collections::VecDeque;

/// One node_modules directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub parent: u32,
    /// The dependency whose package holds it; [`NO_ID`] for the root.
    pub dep: DepId,
    /// The package whose own directory it is; 0 for the root.
    pub package: PackageId,
    pub depth: u16,
    /// Dependencies whose packages are placed in it.
    pub placed: Vec<DepId>,
}

/// The result: parents before children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub directories: Vec<Directory>,
}

/// A folder is copied below each package that depends on it, as in Bun. Folders that all depend on each other would make more copies
/// than a disk holds: in a tree of this many directories they are hoisted like other packages.
const MOST_DIRECTORIES_TO_NEST_FOLDERS: usize = 4096;

enum Outcome {
    /// Another version is in the way: stay below.
    Conflict,
    /// The package, or an acceptable one, is above.
    Found,
    /// An optional peer finds this package.
    Resolve(PackageId),
    /// Takes the place of an optional peer that had no package.
    Replace(u32, DepId),
    /// An optional peer beside another one without package.
    Later,
    Place(u32),
}

struct Builder<'g> {
    graph: &'g mut Graph,
    /// Members above whose node_modules nothing of theirs goes.
    self_contained: &'g [PackageId],
    directories: Vec<Directory>,
    /// Optional peers, by name, that wait for a package of the name.
    pending: FxHashMap<u64, Vec<DepId>>,
    queue: VecDeque<(u32, DepId, u32)>,
    root_deps: std::ops::Range<u32>,
    /// name hash → dependency placed there, for each directory.
    index: Vec<FxHashMap<u64, u32>>,
    /// Peers of the package that is being placed.
    probes: Vec<Probe>,
}

/// A required peer of the package that is being placed.
#[derive(Clone, Copy)]
struct Probe {
    name: u64,
    dep: DepId,
    /// A directory below has a version in range.
    settled: bool,
}

impl Tree {
    /// Computes the tree. `skip(graph, dependency, parent)` filters; targets of optional peers are set where the tree has a package
    /// for them.
    pub(crate) fn build(graph: &mut Graph, skip: impl FnMut(&Graph, DepId, PackageId) -> bool) -> Tree {
        Self::build_with(graph, &[], skip)
    }

    /// The same; nothing that a member in `self_contained` depends on is placed above its own node_modules.
    pub(crate) fn build_with(
        graph: &mut Graph,
        self_contained: &[PackageId],
        mut skip: impl FnMut(&Graph, DepId, PackageId) -> bool,
    ) -> Tree {
        let root_deps = graph.packages.deps[0].ids();
        let mut builder = Builder {
            graph,
            directories: Vec::new(),
            pending: FxHashMap::default(),
            queue: VecDeque::new(),
            root_deps,
            index: Vec::new(),
            probes: Vec::new(),
            self_contained,
        };
        builder.subtree(NO_ID, NO_ID, 0, &mut skip);
        while let Some((parent, dep, hoist_root)) = builder.queue.pop_front() {
            builder.subtree(parent, dep, hoist_root, &mut skip);
        }
        let targets = &builder.graph.deps.target;
        for directory in &mut builder.directories {
            directory.placed.retain(|&dep| targets[dep as usize] != NO_ID);
        }
        Tree { directories: builder.directories }
    }
}

impl Builder<'_> {
    fn subtree(
        &mut self,
        parent: u32,
        dep: DepId,
        hoist_root: u32,
        skip: &mut impl FnMut(&Graph, DepId, PackageId) -> bool,
    ) {
        let package = if dep == NO_ID { 0 } else { self.graph.deps.target[dep as usize] };
        let span = self.graph.packages.deps[package as usize];
        if span.len == 0 {
            return;
        }
        let id = self.directories.len() as u32;
        let depth = if parent == NO_ID { 0 } else { self.directories[parent as usize].depth + 1 };
        self.directories.push(Directory { parent, dep, package, depth, placed: Vec::new() });
        self.index.push(FxHashMap::default());
        let barrier = dep != NO_ID
            && self.graph.deps.behavior[dep as usize].has(Behavior::WORKSPACE)
            && self.self_contained.contains(&package);
        let hoist_root = if barrier { id } else { hoist_root };
        for dep in span.ids() {
            let behavior = self.graph.deps.behavior[dep as usize];
            let target = self.graph.deps.target[dep as usize];
            if skip(self.graph, dep, package) {
                continue;
            }
            if target == NO_ID && !behavior.is_optional_peer() {
                continue;
            }
            // Listed as a development dependency too: that one decides.
            if self.graph.is_shadowed(package, dep) {
                continue;
            }
            // The root's own dependency of that name has the place of a member that it does not lead to. The member has no link
            // then, but what it depends on is installed in its directory.
            if behavior.has(Behavior::WORKSPACE) && self.displaced(span, dep) {
                if self.graph.packages.deps[target as usize].len > 0 {
                    self.queue.push_back((id, dep, hoist_root));
                }
                continue;
            }
            let bundled = behavior.has(Behavior::BUNDLED);
            let folder = target != NO_ID && self.graph.kind(target) == Kind::Folder;
            // A folder inside of itself finds itself above, or has no directories of its own there: circles of folders end.
            let inside = folder && self.is_inside(id, target);
            let nested = folder && !inside && self.directories.len() < MOST_DIRECTORIES_TO_NEST_FOLDERS;
            let outcome = if bundled || nested {
                Outcome::Place(id)
            } else {
                // An optional peer takes what is there; only a lockfile of another tool brings one with a package of its own.
                self.begin_probes(if behavior.is_optional_peer() { NO_ID } else { target }, package);
                self.hoist(id, hoist_root, target, dep, span, true)
            };
            match outcome {
                Outcome::Conflict | Outcome::Found => {}
                Outcome::Resolve(found) => {
                    self.graph.deps.target[dep as usize] = found;
                    self.settle(dep, found);
                }
                Outcome::Replace(place, waiting) => {
                    self.graph.deps.target[waiting as usize] = target;
                    self.settle(dep, target);
                    for placed in &mut self.directories[place as usize].placed {
                        if *placed == waiting {
                            *placed = dep;
                        }
                    }
                    let name = self.graph.deps.name_hash[dep as usize];
                    self.index[place as usize].insert(name, dep);
                    if self.graph.packages.deps[target as usize].len > 0 {
                        self.queue.push_back((place, dep, hoist_root));
                    }
                }
                Outcome::Later => {
                    let name = self.graph.deps.name_hash[dep as usize];
                    self.pending.entry(name).or_default().push(dep);
                }
                Outcome::Place(place) => {
                    self.directories[place as usize].placed.push(dep);
                    let name = self.graph.deps.name_hash[dep as usize];
                    self.index[place as usize].entry(name).or_insert(dep);
                    if target != NO_ID && !inside && self.graph.packages.deps[target as usize].len > 0 {
                        self.queue.push_back((place, dep, if bundled { place } else { hoist_root }));
                    }
                }
            }
        }
        if self.directories[id as usize].placed.is_empty() && id as usize + 1 == self.directories.len() && id != 0 {
            self.directories.pop();
            self.index.pop();
        }
    }

    /// Whether the directory is that of `package`, or below it.
    fn is_inside(&self, mut directory: u32, package: PackageId) -> bool {
        while directory != NO_ID {
            let at = &self.directories[directory as usize];
            if at.package == package {
                return true;
            }
            directory = at.parent;
        }
        false
    }

    /// Whether a package lists the name of its member `dep` as a dependency, too, that was resolved to another package.
    fn displaced(&self, span: Span, dep: DepId) -> bool {
        let deps = &self.graph.deps;
        let (name, target) = (deps.name_hash[dep as usize], deps.target[dep as usize]);
        span.ids().map(|other| other as usize).any(|other| {
            deps.name_hash[other] == name
                && deps.target[other] != target
                && deps.target[other] != NO_ID
                && !deps.behavior[other].has(Behavior::WORKSPACE)
        })
    }

    /// Optional peers of this name that waited get the package.
    fn settle(&mut self, dep: DepId, package: PackageId) {
        let name = self.graph.deps.name_hash[dep as usize];
        for waiting in self.pending.remove(&name).unwrap_or_default() {
            self.graph.deps.target[waiting as usize] = package;
        }
    }

    fn begin_probes(&mut self, package: PackageId, owner: PackageId) {
        self.probes.clear();
        // A member is a link: what it finds is decided in its own directory.
        if package == NO_ID || self.graph.kind(package) == Kind::Workspace {
            return;
        }
        for dep in self.graph.packages.deps[package as usize].ids().rev() {
            let behavior = self.graph.deps.behavior[dep as usize];
            if !behavior.has(Behavior::PEER) {
                break;
            }
            if !behavior.is_optional_peer() {
                let name = self.graph.deps.name_hash[dep as usize];
                // What the owner itself depends on will be beside the package, or above where nothing else is in the way.
                let settled = self.graph.packages.deps[owner as usize].ids().any(|own| {
                    let target = self.graph.deps.target[own as usize];
                    self.graph.deps.name_hash[own as usize] == name && target != NO_ID && self.satisfies(target, dep)
                });
                self.probes.push(Probe { name, dep, settled });
            }
        }
    }

    /// Whether a peer that is right below `at` would be wrong from `at`.
    fn peer_in_the_way(&mut self, at: u32) -> bool {
        let mut probes = std::mem::take(&mut self.probes);
        let mut blocked = false;
        probes.retain_mut(|probe| {
            let Some(&other) = self.index[at as usize].get(&probe.name) else { return true };
            let found = self.graph.deps.target[other as usize];
            if found == NO_ID {
                return true;
            }
            // A version that is there for other peers only is no replacement for the one that the owner depends on.
            let for_peers = self.graph.deps.behavior[other as usize].has(Behavior::PEER);
            let same = found == self.graph.deps.target[probe.dep as usize];
            if self.satisfies(found, probe.dep) && (same || !for_peers || !probe.settled) {
                probe.settled = true;
                return true;
            }
            blocked |= probe.settled && self.graph.kind(found) == Kind::Npm;
            false
        });
        self.probes = probes;
        blocked
    }

    fn hoist(&mut self, at: u32, hoist_root: u32, package: PackageId, dep: DepId, span: Span, own: bool) -> Outcome {
        if !self.probes.is_empty() && self.peer_in_the_way(at) {
            return Outcome::Conflict;
        }
        let deps = &self.graph.deps;
        if let Some(&other) = self.index[at as usize].get(&deps.name_hash[dep as usize]) {
            let found = deps.target[other as usize];
            if found == NO_ID && package == NO_ID {
                return Outcome::Later;
            }
            if found == NO_ID {
                return Outcome::Replace(at, other);
            }
            if package == NO_ID {
                return Outcome::Resolve(found);
            }
            if found == package {
                return Outcome::Found;
            }
            // The same package lists the name in another group.
            if span.ids().contains(&other) {
                return Outcome::Found;
            }
            let behavior = deps.behavior[dep as usize];
            if behavior.has(Behavior::PEER) && (self.satisfies(found, dep) || self.root_deps.contains(&other)) {
                return Outcome::Found;
            }
            return Outcome::Conflict;
        }
        let parent = self.directories[at as usize].parent;
        if parent != NO_ID && at != hoist_root {
            let outcome = self.hoist(parent, hoist_root, package, dep, span, false);
            if !own || !matches!(outcome, Outcome::Conflict) {
                return outcome;
            }
        }
        Outcome::Place(at)
    }

    fn satisfies(&self, package: PackageId, dep: DepId) -> bool {
        let graph = &*self.graph;
        graph.kind(package) == Kind::Npm
            && matches!(Spec::parse(graph.str(graph.deps.literal[dep as usize])), Spec::Range { range, .. }
            if Version::parse(graph.value(package)).is_some_and(|version| {
                Range::parse(range).is_some_and(|range| range.contains(&version))
            }))
    }
}

impl Tree {
    /// Key of the directory in bun.lock: the names down to it, with slashes.
    pub(crate) fn path(&self, graph: &Graph, at: u32, out: &mut String) {
        let directory = &self.directories[at as usize];
        if directory.parent == NO_ID {
            return;
        }
        self.path(graph, directory.parent, out);
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(graph.str(graph.deps.name[directory.dep as usize]));
    }
}
