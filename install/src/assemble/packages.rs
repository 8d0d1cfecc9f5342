//! The packages of a plan: their place in the cache, commands, edges, flags.

use super::Selection;
use super::selection::edge_kind;
use super::trust::trusts;
use crate::link::bins;
use crate::linked_packages;
use crate::model::extras::Extras;
use crate::model::graph::{self, FLAG_INSTALL_SCRIPT, Graph, PackageId};
use crate::model::plan::{self, Edge, Kind, NO_ID, PlanPackage};
use crate::model::platform::{CPU, OS};
use crate::model::string_arena::Str;
use crate::registry::repositories::{github_cache_dir, github_url, tarball_cache_dir};
use crate::registry::session::Session;
use std::ops::Range;
use std::path::Path;

/// Where a plan's packages come from, besides the graph.
pub(super) struct Sources<'a, 'c> {
    /// Directory of the project.
    pub(super) root: &'a Path,
    pub(super) extras: &'a Extras,
    pub(super) session: &'a Session<'c>,
    pub(super) selection: &'a Selection<'a>,
}

/// Three arrays of a plan.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) packages: Vec<PlanPackage>,
    pub(super) bins: Vec<plan::Bin>,
    pub(super) edges: Vec<Edge>,
}

/// A package's place in the cache, on the disk and in the network.
struct Location {
    version: Str,
    cache_dir: Str,
    url: Str,
    path: Str,
}

/// Lists the packages of `graph` under their numbers.
pub(super) fn list(sources: &Sources<'_, '_>, graph: &mut Graph) -> Listed {
    let needed = needed(graph, sources.selection);
    let trusted = trusts(graph, sources.extras, sources.session.config);
    let mut listed = Listed { packages: Vec::with_capacity(graph.len()), ..Listed::default() };
    listed.edges.reserve(graph.deps.name.len());
    for id in 0..graph.len() as PackageId {
        let at = id as usize;
        let (bins, bin_dir) = listed.add_bins(graph, at);
        let edges = listed.add_edges(graph, id, sources.selection);
        let Location { version, cache_dir, url, path } = sources.locate(graph, at);
        let flags = sources.flags(graph, at, trusted[at], needed[at]);
        let (patch, patch_hash) = sources.patch(graph, id);
        listed.packages.push(PlanPackage {
            name: graph.packages.name[at],
            version,
            kind: graph.packages.resolution[at].kind,
            cache_dir,
            path,
            url,
            integrity: graph.packages.integrity[at],
            bins,
            bin_dir,
            edges,
            flags,
            patch,
            patch_hash,
            peers: 0,
        });
    }
    listed
}

/// Packages that are reached without an optional edge: their failure is an error.
fn needed(graph: &Graph, selection: &Selection<'_>) -> Vec<bool> {
    let mut needed = vec![false; graph.len()];
    let mut reached = vec![false; graph.len()];
    let mut stack = vec![(0, true)];
    while let Some((package, required)) = stack.pop() {
        let seen = package as usize;
        if reached[seen] && (needed[seen] || !required) {
            continue;
        }
        reached[seen] = true;
        needed[seen] |= required;
        for dep in graph.packages.deps[seen].ids() {
            let target = graph.deps.target[dep as usize];
            if target != NO_ID && !selection.skips(graph, dep, package) {
                stack.push((target, required && !graph.deps.behavior[dep as usize].is_optional()));
            }
        }
    }
    needed
}

impl Listed {
    /// Adds the commands of a package: their range, and the directory that holds them if the package names one.
    fn add_bins(&mut self, graph: &mut Graph, at: usize) -> (Range<u32>, Str) {
        let first = self.bins.len() as u32;
        let mut bin_dir = Str::EMPTY;
        match graph.packages.bin[at] {
            graph::Bin::None => {}
            graph::Bin::File(path) => self.bins.push(plan::Bin { name: Str::EMPTY, path }),
            graph::Bin::Named(name, path) => self.bins.push(plan::Bin { name, path }),
            graph::Bin::Map(off, len) => {
                for &(name, path) in &graph.bin_entries[off as usize..(off + len) as usize] {
                    // A scope in a command's name is no directory.
                    let last = graph.text.get(name).rsplit('/').next().unwrap_or("").to_owned();
                    let name = graph.text.add(&last);
                    self.bins.push(plan::Bin { name, path });
                }
            }
            graph::Bin::Dir(dir) => bin_dir = dir,
        }
        (first..self.bins.len() as u32, bin_dir)
    }

    /// Adds the dependencies of a package that are installed.
    fn add_edges(&mut self, graph: &Graph, id: PackageId, selection: &Selection<'_>) -> Range<u32> {
        let first = self.edges.len() as u32;
        for dep in graph.packages.deps[id as usize].ids() {
            let target = graph.deps.target[dep as usize];
            if target != NO_ID && !selection.skips(graph, dep, id) {
                let kind = edge_kind(graph.deps.behavior[dep as usize]);
                self.edges.push(Edge { name: graph.deps.name[dep as usize], package: target, kind });
            }
        }
        first..self.edges.len() as u32
    }
}

impl Sources<'_, '_> {
    fn locate(&self, graph: &mut Graph, at: usize) -> Location {
        let resolution = graph.packages.resolution[at];
        let name = graph.str(graph.packages.name[at]).to_owned();
        let [value, extra, tag] =
            [resolution.value, resolution.extra, resolution.tag].map(|at| graph.str(at).to_owned());
        let [mut cache_dir, mut url, mut path] = [Str::EMPTY; 3];
        let mut version = resolution.value;
        match resolution.kind {
            Kind::Npm => {
                cache_dir = graph.text.add(&self.session.npm_cache_dir(&name, &value));
                url = graph.text.add(&self.session.tarball_url(&name, &value, &extra));
            }
            Kind::TarballUrl | Kind::TarballFile => {
                let digest = &graph.packages.integrity[at];
                cache_dir = graph.text.add(&tarball_cache_dir(self.root, &value, resolution.kind, digest));
                (url, path) = (resolution.value, resolution.value);
            }
            Kind::GitHub => {
                cache_dir = graph.text.add(&github_cache_dir(&tag));
                url = graph.text.add(&github_url(&value, &extra));
            }
            Kind::Git => cache_dir = graph.text.add(&format!("@G@{extra}")),
            Kind::Workspace | Kind::Folder => path = resolution.value,
            Kind::Link => path = graph.text.add(&linked_packages::target(self.root, self.session.config, &value)),
            Kind::Root => version = Str::EMPTY,
        }
        if matches!(resolution.kind, Kind::Git | Kind::GitHub) {
            let mut label = String::new();
            graph.write_resolution(&resolution, &mut label);
            version = graph.text.add(&label);
        }
        Location { version, cache_dir, url, path }
    }

    fn flags(&self, graph: &Graph, at: usize, trusted: bool, needed: bool) -> u16 {
        let packages = &graph.packages;
        let excluded = self.selection.config.target.excludes(packages.os[at], packages.cpu[at], packages.libc[at]);
        let set = |flag: u16, on: bool| if on { flag } else { 0 };
        let name = graph.str(packages.name[at]);
        let listed = |list: &Option<Vec<String>>| list.as_ref().map(|list| list.iter().any(|other| other == name));
        let ignored = listed(&self.extras.ignored_scripts);
        let for_system = packages.os[at] != OS.all() && packages.cpu[at] != CPU.all();
        set(plan::HAS_INSTALL_SCRIPT, packages.flags[at] & FLAG_INSTALL_SCRIPT != 0)
            | set(plan::TRUSTED, trusted)
            | set(plan::DISABLED, excluded)
            | set(plan::OPTIONAL, !needed)
            | set(plan::NATIVE, listed(&self.extras.native).unwrap_or_else(|| bins::NATIVE.contains(&name)))
            | set(plan::FOR_SYSTEM, for_system)
            | set(plan::NEEDS_NO_SCRIPT, ignored == Some(true))
            | set(plan::KEEPS_SCRIPT, ignored == Some(false))
    }

    /// The patch of a package and the hash of its text.
    fn patch(&self, graph: &mut Graph, id: PackageId) -> (Str, u64) {
        if self.extras.patched.is_empty() {
            return (Str::EMPTY, 0);
        }
        let (label, name) = (graph.label(id), graph.name(id));
        let Some((_, file)) = self.extras.patched.iter().find(|(key, _)| *key == label || *key == name) else {
            return (Str::EMPTY, 0);
        };
        let hash = std::fs::read(self.root.join(file)).map_or(0, |bytes| xxhash_rust::xxh3::xxh3_64(&bytes));
        (graph.text.add(file), hash)
    }
}
