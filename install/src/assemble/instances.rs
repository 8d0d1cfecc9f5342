//! Instances of packages for the isolated linker: a package has one directory for every set of packages that its peers, and those
//! of what it depends on, find.
//!
//! A peer is looked for among what the packages above depend on, nearest first; a version out of its range counts too. Where nobody
//! above has it, it is the package that the resolver chose. An instance is identified by its package and by what the names that are
//! open below it (wanted by a peer, not provided on the way) are bound to. The first instance of a package is the package itself in
//! the plan; others are appended as copies with edges of their own.

use super::Selection;
use super::selection::edge_kind;
use crate::model::graph::{Behavior, DepId, Graph, PackageId};
use crate::model::plan::{Edge, INSTANCE, Kind, NO_ID, PlanPackage};
use rustc_hash::FxHashMap;

/// A name that is bound: hash of the name, the package, and the instance whose dependency it is.
#[derive(Clone, Copy)]
struct Binding {
    name: u64,
    package: PackageId,
    provider: u32,
}

struct Instance {
    package: PackageId,
    /// Sorted by name.
    bindings: Vec<Binding>,
    edges: Vec<Edge>,
}

struct Maker<'g> {
    graph: &'g Graph,
    selection: &'g Selection<'g>,
    /// By package: hashes of the names that are open below it, sorted.
    open: Vec<Vec<u64>>,
    instances: Vec<Instance>,
    known: FxHashMap<(PackageId, Vec<(u64, PackageId)>), u32>,
}

/// More instances than a project can have; what is above shares the first one of its package.
const MOST_INSTANCES: usize = 1_000_000;

/// Replaces the edges of the plan's packages by those of their instances.
pub(super) fn expand(graph: &Graph, selection: &Selection<'_>, packages: &mut Vec<PlanPackage>, edges: &mut Vec<Edge>) {
    let peers = graph.deps.behavior.iter().any(|behavior| behavior.has(Behavior::PEER));
    if !peers {
        return;
    }
    let open = open_names(graph, selection);
    let mut maker = Maker { graph, selection, open, instances: Vec::new(), known: FxHashMap::default() };
    for package in 0..graph.len() as PackageId {
        if is_project(graph, package) {
            maker.instance(package, Vec::new());
        }
    }
    let mut at = 0;
    while at < maker.instances.len() {
        maker.link(at as u32);
        at += 1;
    }
    // The first instance of a package keeps its number. Those whose peers are the same packages, some found above and some chosen by the
    // resolver, are one directory.
    let mut numbers = Vec::with_capacity(maker.instances.len());
    let mut seen = vec![false; packages.len()];
    let mut by_peers: FxHashMap<(PackageId, u64), u32> = FxHashMap::default();
    let mut kept = Vec::with_capacity(maker.instances.len());
    for instance in &maker.instances {
        let peers = maker.peer_hash(instance);
        if let Some(&same) = by_peers.get(&(instance.package, peers)) {
            numbers.push(same);
            continue;
        }
        let first = !std::mem::replace(&mut seen[instance.package as usize], true);
        let number = if first {
            instance.package
        } else {
            let mut copy = packages[instance.package as usize].clone();
            copy.flags |= INSTANCE;
            packages.push(copy);
            packages.len() as u32 - 1
        };
        by_peers.insert((instance.package, peers), number);
        numbers.push(number);
        kept.push((instance, number, peers));
    }
    edges.clear();
    for package in packages.iter_mut() {
        package.edges = 0..0;
    }
    for (instance, number, peers) in kept {
        let first = edges.len() as u32;
        edges.extend(instance.edges.iter().map(|edge| Edge { package: numbers[edge.package as usize], ..*edge }));
        let package = &mut packages[number as usize];
        package.edges = first..edges.len() as u32;
        package.peers = peers;
    }
}

fn is_project(graph: &Graph, package: PackageId) -> bool {
    matches!(graph.kind(package), Kind::Root | Kind::Workspace)
}

/// What a dependency that counts leads to. An optional peer may have no package of its own.
fn counts(graph: &Graph, selection: &Selection<'_>, dep: DepId, package: PackageId) -> bool {
    !selection.skips(graph, dep, package) && !graph.deps.behavior[dep as usize].has(Behavior::BUNDLED)
}

fn open_names(graph: &Graph, selection: &Selection<'_>) -> Vec<Vec<u64>> {
    let count = graph.len();
    let mut open: Vec<Vec<u64>> = vec![Vec::new(); count];
    let mut users: Vec<Vec<PackageId>> = vec![Vec::new(); count];
    let mut queue = Vec::new();
    for package in 0..count as PackageId {
        if is_project(graph, package) {
            continue;
        }
        for dep in graph.packages.deps[package as usize].ids() {
            if !counts(graph, selection, dep, package) {
                continue;
            }
            let at = dep as usize;
            if graph.deps.behavior[at].has(Behavior::PEER) {
                open[package as usize].push(graph.deps.name_hash[at]);
            }
            if graph.deps.target[at] != NO_ID {
                users[graph.deps.target[at] as usize].push(package);
            }
        }
        if !open[package as usize].is_empty() {
            queue.push(package);
        }
    }
    for names in &mut open {
        names.sort_unstable();
        names.dedup();
    }
    while let Some(package) = queue.pop() {
        for &user in &users[package as usize] {
            let provided = |name: u64| {
                graph.packages.deps[user as usize].ids().any(|dep| {
                    graph.deps.name_hash[dep as usize] == name
                        && !graph.deps.behavior[dep as usize].has(Behavior::PEER)
                        && graph.deps.target[dep as usize] != NO_ID
                })
            };
            let known = &open[user as usize];
            let new: Vec<u64> = open[package as usize]
                .iter()
                .copied()
                .filter(|name| known.binary_search(name).is_err() && !provided(*name))
                .collect();
            if !new.is_empty() {
                open[user as usize].extend(new);
                open[user as usize].sort_unstable();
                queue.push(user);
            }
        }
    }
    open
}

impl Maker<'_> {
    fn instance(&mut self, package: PackageId, bindings: Vec<Binding>) -> u32 {
        // What is below a package and wants the package itself has it above.
        let others = bindings.iter().filter(|binding| binding.package != package);
        let key = (package, others.map(|binding| (binding.name, binding.package)).collect());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        if self.instances.len() >= MOST_INSTANCES
            && let Some(first) = self.instances.iter().position(|instance| instance.package == package)
        {
            return first as u32;
        }
        let id = self.instances.len() as u32;
        self.instances.push(Instance { package, bindings, edges: Vec::new() });
        self.known.insert(key, id);
        id
    }

    fn bound(&self, instance: u32, name: u64) -> Option<Binding> {
        let bindings = &self.instances[instance as usize].bindings;
        bindings.binary_search_by_key(&name, |binding| binding.name).ok().map(|at| bindings[at])
    }

    /// What a dependency of a package leads to. The project is above its members: their peers are what it depends on.
    fn target(&self, package: PackageId, dep: DepId) -> PackageId {
        let deps = &self.graph.deps;
        let at = dep as usize;
        if package == 0 || self.graph.kind(package) != Kind::Workspace || !deps.behavior[at].has(Behavior::PEER) {
            return deps.target[at];
        }
        let above = self.graph.packages.deps[0].ids().find(|&other| {
            deps.name_hash[other as usize] == deps.name_hash[at]
                && deps.target[other as usize] != NO_ID
                && !deps.behavior[other as usize].has(Behavior::PEER)
                && counts(self.graph, self.selection, other, 0)
        });
        above.map_or(deps.target[at], |other| deps.target[other as usize])
    }

    /// What something below `instance` finds under a name: its own dependencies, then what is bound above.
    fn find(&self, instance: u32, name: u64) -> Option<Binding> {
        let package = self.instances[instance as usize].package;
        let project = is_project(self.graph, package);
        let own = self.graph.packages.deps[package as usize].ids().find(|&dep| {
            let at = dep as usize;
            self.graph.deps.name_hash[at] == name
                && self.graph.deps.target[at] != NO_ID
                && (project || !self.graph.deps.behavior[at].has(Behavior::PEER))
                && counts(self.graph, self.selection, dep, package)
        });
        let own = own.map(|dep| self.target(package, dep));
        own.map(|package| Binding { name, package, provider: instance }).or_else(|| self.bound(instance, name))
    }

    /// The instance of `package` that something in `frame` depends on.
    fn within(&mut self, frame: u32, package: PackageId) -> u32 {
        if is_project(self.graph, package) || self.graph.kind(package) == Kind::Link {
            return self.instance(package, Vec::new());
        }
        let names = std::mem::take(&mut self.open[package as usize]);
        let bindings = names.iter().filter_map(|&name| self.find(frame, name)).collect();
        self.open[package as usize] = names;
        self.instance(package, bindings)
    }

    fn link(&mut self, id: u32) {
        let package = self.instances[id as usize].package;
        let project = is_project(self.graph, package);
        let mut edges = Vec::new();
        for dep in self.graph.packages.deps[package as usize].ids() {
            let at = dep as usize;
            if self.selection.skips(self.graph, dep, package) {
                continue;
            }
            let behavior = self.graph.deps.behavior[at];
            let bound = if behavior.has(Behavior::PEER) && !project {
                self.bound(id, self.graph.deps.name_hash[at])
            } else {
                None
            };
            let (frame, target) = match bound {
                Some(binding) => (binding.provider, binding.package),
                None => (id, self.target(package, dep)),
            };
            if target == NO_ID {
                continue;
            }
            let to = self.within(frame, target);
            edges.push(Edge { name: self.graph.deps.name[at], package: to, kind: edge_kind(behavior) });
        }
        self.instances[id as usize].edges = edges;
    }

    /// Bun's hash of the packages that peers lead to; 0 where there are none.
    fn peer_hash(&self, instance: &Instance) -> u64 {
        if is_project(self.graph, instance.package) {
            return 0;
        }
        let mut peers: Vec<PackageId> = instance.bindings.iter().map(|binding| binding.package).collect();
        // Names that nobody above has: what the resolver chose for them.
        let bound = |name: u64| instance.bindings.binary_search_by_key(&name, |binding| binding.name).is_ok();
        let unbound: Vec<u64> =
            self.open[instance.package as usize].iter().copied().filter(|name| !bound(*name)).collect();
        if !unbound.is_empty() {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut stack = vec![instance.package];
            while let Some(package) = stack.pop() {
                if !seen.insert(package) || is_project(self.graph, package) {
                    continue;
                }
                for dep in self.graph.packages.deps[package as usize].ids() {
                    let (name, target) =
                        (self.graph.deps.name_hash[dep as usize], self.graph.deps.target[dep as usize]);
                    if target == NO_ID || !counts(self.graph, self.selection, dep, package) {
                        continue;
                    }
                    if self.graph.deps.behavior[dep as usize].has(Behavior::PEER) && unbound.contains(&name) {
                        peers.push(target);
                    }
                    if !self.open[target as usize].is_empty() {
                        stack.push(target);
                    }
                }
            }
        }
        peers.retain(|peer| *peer != instance.package);
        if peers.is_empty() {
            return 0;
        }
        let key = |package: &PackageId| (self.graph.name(*package), self.graph.value(*package), *package);
        peers.sort_by(|a, b| key(a).cmp(&key(b)));
        peers.dedup();
        let mut text = String::new();
        for package in peers {
            text.push_str(self.graph.name(package));
            self.graph.write_resolution(&self.graph.packages.resolution[package as usize], &mut text);
        }
        crate::lockfile::wyhash11(text.as_bytes())
    }
}
