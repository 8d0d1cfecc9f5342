//! The plan of an install: what of the graph this machine needs, and where it goes.

mod instances;
mod packages;
mod placements;
mod selection;
mod trust;

pub(crate) use selection::Selection;
pub(crate) use trust::{default_trusted, trusts};

use crate::model::extras::Extras;
use crate::model::graph::{Graph, Member};
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{Linker, Plan};
use crate::registry::session::Session;
use std::path::Path;

/// Makes the plan. `graph` is consumed in the sense that its text moves into the plan.
pub(crate) fn assemble(
    root: &Path,
    graph: &mut Graph,
    members: &[Member],
    extras: &Extras,
    session: &Session<'_>,
    selection: &Selection<'_>,
    linker: Linker,
) -> Plan {
    let tree =
        Tree::build_with(graph, &extras.self_contained, |graph, dep, parent| selection.skips(graph, dep, parent));
    let sources = packages::Sources { root, extras, session, selection };
    let packages::Listed { mut packages, bins, mut edges } = packages::list(&sources, graph);
    if linker != Linker::Hoisted {
        instances::expand(graph, selection, &mut packages, &mut edges);
    }
    let (trees, placements) = match linker {
        Linker::Hoisted => placements::list(graph, members, &tree),
        Linker::Isolated | Linker::Store => (Vec::new(), Vec::new()),
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
