//! Fewer versions: of the versions of a package that a graph has, the smallest set that satisfies every dependency is kept.
//!
//! Per name, a greedy cover: what must stay (a bundled dependency, a tag, a patched package) is taken first, then again and again
//! the version that satisfies most of the rest, of equals the highest. Only dependencies whose version is dropped move. A version
//! that the project itself depends on is kept where that costs nothing (after a first resolution: always). Packages that the pass removes must not have a say in it,
//! so it is repeated without them until the outcome agrees with the voters. Bun does the same after a first resolution, and as a
//! command.

use crate::model::graph::{Behavior, DepId, Graph, PackageId};
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::Spec;
use semver::{Range, Version};

/// One dropped version.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub name: String,
    pub version: String,
    /// Where its dependents went, lowest first; empty where it had none left.
    pub to: Vec<String>,
}

struct Pass<'g> {
    graph: &'g Graph,
    /// Candidates of each name, highest version first.
    groups: Vec<Vec<PackageId>>,
    /// Group of a package, or [`NO_ID`].
    group_of: Vec<u32>,
    pinned: &'g dyn Fn(PackageId) -> bool,
    /// The specifier that counts for a dependency.
    literal: &'g dyn Fn(DepId) -> String,
    /// What the project and its members depend on stays as it is.
    keep_direct: bool,
    /// By package: something other than the archive that holds it depends on it.
    outside: Vec<bool>,
}

/// A dependency that has a say in a group.
#[derive(Clone, Copy)]
struct Vote {
    dep: DepId,
    /// Of the project or a member.
    direct: bool,
    /// Of a package that only an archive holds.
    inside: bool,
}

/// Packages that dependencies lead to. With `bundles` also those that come in the archive of another one.
fn reachable(graph: &Graph, targets: &[PackageId], bundles: bool) -> Vec<bool> {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![0u32];
    while let Some(package) = stack.pop() {
        if std::mem::replace(&mut seen[package as usize], true) {
            continue;
        }
        stack.extend(
            graph.packages.deps[package as usize]
                .ids()
                .filter(|dep| bundles || !graph.deps.behavior[*dep as usize].has(Behavior::BUNDLED))
                .map(|dep| targets[dep as usize])
                .filter(|target| *target != NO_ID),
        );
    }
    seen
}

/// Changes the targets of `graph`. `pinned` packages keep their dependents. `literal` gives the specifier after overrides and catalogs. `keep_direct`:
/// direct dependencies do not move, as after a first resolution; the command moves them too.
pub(crate) fn dedupe(
    graph: &mut Graph,
    pinned: &dyn Fn(PackageId) -> bool,
    literal: &dyn Fn(&Graph, DepId) -> String,
    keep_direct: bool,
) -> Vec<Dropped> {
    let before = graph.deps.target.clone();
    let (after, alive, dead) = {
        let graph = &*graph;
        let mut groups: Vec<Vec<PackageId>> = Vec::new();
        let mut group_of = vec![NO_ID; graph.len()];
        let mut names: Vec<&u64> = graph.by_name.keys().collect();
        names.sort_unstable();
        for name in names {
            let candidates: Vec<PackageId> =
                graph.by_name[name].iter().copied().filter(|&id| graph.kind(id) == Kind::Npm).collect();
            if candidates.len() < 2 {
                continue;
            }
            for &id in &candidates {
                group_of[id as usize] = groups.len() as u32;
            }
            groups.push(candidates);
        }
        if groups.is_empty() {
            return Vec::new();
        }
        let by_graph = |dep: DepId| literal(graph, dep);
        let outside = reachable(graph, &before, false);
        let pass = Pass { graph, groups, group_of, pinned, literal: &by_graph, keep_direct, outside };
        let mut current = before.clone();
        let mut live = reachable(graph, &current, true);
        let first = live.clone();
        for _ in 0..32 {
            let next = pass.settle(&current, &live);
            if next == current {
                break;
            }
            current = next;
            live = reachable(graph, &current, true);
        }
        (current, live, first)
    };
    let mut dropped = Vec::new();
    for id in 0..graph.len() {
        if !dead[id] || alive[id] || graph.kind(id as u32) != Kind::Npm {
            continue;
        }
        let mut to: Vec<PackageId> = Vec::new();
        #[allow(clippy::needless_range_loop, reason = "the index is the package id")]
        for package in 0..graph.len() {
            if !alive[package] {
                continue;
            }
            for dep in graph.packages.deps[package].ids() {
                if before[dep as usize] == id as u32 && !to.contains(&after[dep as usize]) {
                    to.push(after[dep as usize]);
                }
            }
        }
        to.retain(|target| *target != NO_ID);
        let mut to: Vec<String> = to.into_iter().map(|target| graph.value(target).to_owned()).collect();
        to.sort_by(|a, b| match (Version::parse(a), Version::parse(b)) {
            (Some(a), Some(b)) => a.order(&b),
            _ => a.cmp(b),
        });
        dropped.push(Dropped {
            name: graph.name(id as u32).to_owned(),
            version: graph.value(id as u32).to_owned(),
            to,
        });
    }
    dropped.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    graph.deps.target = after;
    dropped
}

/// Scratch of one group's cover.
struct Cover {
    /// edge × candidate.
    satisfies: Vec<bool>,
    candidates: usize,
    required: Vec<bool>,
}

impl Cover {
    /// The chosen candidates.
    fn run(&self) -> (Vec<bool>, usize) {
        let n = self.candidates;
        let edges = self.satisfies.len() / n;
        let mut chosen = self.required.clone();
        let mut covered = vec![false; edges];
        let mark = |chosen: usize, covered: &mut Vec<bool>| {
            for (edge, done) in covered.iter_mut().enumerate() {
                *done |= self.satisfies[edge * n + chosen];
            }
        };
        let mut size = 0;
        for (candidate, _) in self.required.iter().enumerate().filter(|(_, required)| **required) {
            size += 1;
            mark(candidate, &mut covered);
        }
        while covered.iter().any(|done| !done) {
            let mut best = None;
            let mut most = 0usize;
            for (candidate, chosen) in chosen.iter().enumerate() {
                let count = (0..edges).filter(|&edge| !covered[edge] && self.satisfies[edge * n + candidate]).count();
                if !chosen && count > most {
                    (best, most) = (Some(candidate), count);
                }
            }
            let Some(best) = best else { break };
            chosen[best] = true;
            size += 1;
            mark(best, &mut covered);
        }
        (chosen, size)
    }
}

impl Pass<'_> {
    fn settle(&self, current: &[PackageId], live: &[bool]) -> Vec<PackageId> {
        let mut voters = live.to_vec();
        let mut best: Option<Vec<PackageId>> = None;
        loop {
            let (next, mut voted) = self.vote(current, live, &voters);
            let after = reachable(self.graph, &next, true);
            if after.iter().zip(&voters).any(|(after, voter)| *after && !*voter) {
                return best.unwrap_or(next);
            }
            voted.iter_mut().zip(&after).for_each(|(voted, after)| *voted &= !*after);
            if !voted.iter().any(|voted| *voted) {
                return next;
            }
            voters.iter_mut().zip(&voted).for_each(|(voter, voted)| *voter &= !*voted);
            best = Some(next);
        }
    }

    /// One round: new targets, and who had a say.
    fn vote(&self, current: &[PackageId], live: &[bool], voters: &[bool]) -> (Vec<PackageId>, Vec<bool>) {
        let graph = self.graph;
        let mut edges: Vec<Vec<Vote>> = vec![Vec::new(); self.groups.len()];
        let mut voted = vec![false; graph.len()];
        for package in 0..graph.len() {
            if !voters[package] {
                continue;
            }
            let direct = matches!(graph.kind(package as u32), Kind::Root | Kind::Workspace);
            for dep in graph.packages.deps[package].ids() {
                let target = current[dep as usize];
                if target != NO_ID && self.group_of[target as usize] != NO_ID {
                    let inside = !self.outside[package];
                    edges[self.group_of[target as usize] as usize].push(Vote { dep, direct, inside });
                    voted[package] = true;
                }
            }
        }
        let mut next = current.to_vec();
        for (group, edges) in self.groups.iter().zip(&edges) {
            let candidates: Vec<PackageId> = group.iter().copied().filter(|&id| live[id as usize]).collect();
            if edges.is_empty() || candidates.len() < 2 {
                continue;
            }
            self.vote_on(&candidates, edges, current, &mut next);
        }
        (next, voted)
    }

    fn vote_on(&self, candidates: &[PackageId], edges: &[Vote], current: &[PackageId], next: &mut [PackageId]) {
        let graph = self.graph;
        let n = candidates.len();
        let versions: Vec<Version<'_>> =
            candidates.iter().map(|&id| Version::parse(graph.value(id)).unwrap_or_default()).collect();
        let mut cover = Cover { satisfies: vec![false; edges.len() * n], candidates: n, required: vec![false; n] };
        let mut movable = vec![false; edges.len()];
        let mut at = vec![0usize; edges.len()];
        let is_bundled = |dep: DepId| graph.deps.behavior[dep as usize].has(Behavior::BUNDLED);
        let bundled: Vec<PackageId> =
            edges.iter().filter(|vote| is_bundled(vote.dep)).map(|vote| current[vote.dep as usize]).collect();
        for (edge, &Vote { dep, direct, inside }) in edges.iter().enumerate() {
            let target = current[dep as usize];
            at[edge] = candidates.iter().position(|&id| id == target).unwrap_or(0);
            // In a first resolution what an archive holds stays as it is there, whatever becomes of the others of its name; and so
            // does a package under another name.
            let alias = graph.deps.name_hash[dep as usize] != graph.packages.name_hash[target as usize];
            if self.keep_direct && (is_bundled(dep) || inside && bundled.contains(&target) || alias && !direct) {
                continue;
            }
            let literal = (self.literal)(dep);
            let behavior = graph.deps.behavior[dep as usize];
            let fixed = (self.pinned)(target) || behavior.has(Behavior::BUNDLED) || (direct && self.keep_direct);
            let range = match Spec::parse(&literal) {
                Spec::Range { range, .. } if !fixed => Range::parse(range),
                _ => None,
            };
            // A peer that an ancestor gave a version out of its range stays with it.
            let range = range.filter(|range| range.contains(&versions[at[edge]]));
            match range {
                Some(range) => {
                    movable[edge] = true;
                    for (candidate, version) in versions.iter().enumerate() {
                        cover.satisfies[edge * n + candidate] = range.contains(version);
                    }
                }
                None => {
                    cover.satisfies[edge * n + at[edge]] = true;
                    cover.required[at[edge]] = true;
                }
            }
        }
        // What has to stay whatever the rest wants; after a first resolution the rest moves to it.
        let fixed = if self.keep_direct { cover.required.clone() } else { vec![false; n] };
        let (mut survivors, size) = cover.run();
        let placement = |cover: &Cover, survivors: &[bool], edge: usize| {
            (0..n).find(|&c| survivors[c] && cover.satisfies[edge * n + c])
        };
        let mut protected: Vec<usize> = (0..edges.len())
            .filter(|&edge| edges[edge].direct && movable[edge] && !survivors[at[edge]])
            .filter(|&edge| placement(&cover, &survivors, edge).is_some_and(|place| place > at[edge]))
            .map(|edge| at[edge])
            .collect();
        protected.sort_unstable();
        protected.dedup();
        for candidate in protected {
            if survivors[candidate] {
                continue;
            }
            cover.required[candidate] = true;
            let (chosen, other) = cover.run();
            if other == size {
                survivors = chosen;
            } else {
                cover.required[candidate] = false;
            }
        }
        for (edge, &Vote { dep, .. }) in edges.iter().enumerate() {
            if !movable[edge] || fixed[at[edge]] {
                continue;
            }
            let place = placement(&cover, &fixed, edge).or_else(|| match survivors[at[edge]] {
                true => None,
                false => placement(&cover, &survivors, edge),
            });
            if let Some(place) = place {
                next[dep as usize] = candidates[place];
            }
        }
    }
}
