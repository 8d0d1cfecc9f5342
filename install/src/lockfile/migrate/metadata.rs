//! What a foreign lockfile does not say about its packages, from their manifests: bins, install scripts and, where asked, platforms
//! and digests.

use crate::error::Result;
use crate::model::graph::{Behavior, FLAG_INSTALL_SCRIPT, Graph};
use crate::model::plan::Kind;
use crate::registry::manifest::{self, Manifest};
use crate::registry::session::{Lookup, Session};
use semver::Version;

/// What is missing.
#[derive(Clone, Copy, Default)]
pub(super) struct Missing {
    pub platforms: bool,
    pub integrity: bool,
    pub scripts: bool,
    /// Optional peers that only `peerDependenciesMeta` names.
    pub peers: bool,
}

/// Completes the registry packages of `graph` for which `wanted` is true. All manifests are asked for at once; one that cannot be had
/// leaves its packages as they are, as in Bun, with a warning.
///
/// # Errors
/// The network could not be started.
pub(super) fn complete(
    graph: &mut Graph,
    session: &mut Session<'_>,
    missing: Missing,
    wanted: impl Fn(&Graph, u32) -> bool,
) -> Result<()> {
    let ids: Vec<u32> =
        (1..graph.len() as u32).filter(|&id| graph.kind(id) == Kind::Npm && wanted(graph, id)).collect();
    let mut failed = 0;
    for ask in [false, true] {
        for &id in &ids {
            let name = graph.name(id).to_owned();
            let value = graph.value(id).to_owned();
            let Some(version) = Version::parse(&value) else { continue };
            let manifest = loop {
                match session.manifest(&name, |stored| stored.find(&version).is_some()) {
                    Lookup::Ready(manifest) => break Some(manifest),
                    Lookup::Failed(error) => {
                        if ask {
                            failed += 1;
                            if failed == 1 || session.config.verbose {
                                base::stderr_line!(
                                    "warn: bins and platforms of {name} are not known: {}",
                                    error.message
                                );
                            }
                        }
                        break None;
                    }
                    Lookup::Pending if ask => {
                        session.wait()?;
                    }
                    Lookup::Pending => break None,
                }
            };
            if ask
                && let Some(manifest) = manifest
                && let Some(index) = manifest.find(&version)
            {
                fill(graph, id, &manifest, index, missing);
            }
        }
    }
    Ok(())
}

fn fill(graph: &mut Graph, id: u32, manifest: &Manifest, index: u32, missing: Missing) {
    let record = manifest.record(index);
    let at = id as usize;
    graph.packages.bin[at] = manifest.add_bin(record, graph);
    if missing.scripts && record.flags & manifest::VERSION_INSTALL_SCRIPT != 0 {
        graph.packages.flags[at] |= FLAG_INSTALL_SCRIPT;
    }
    if missing.platforms {
        let columns = &mut graph.packages;
        if columns.os[at] == crate::model::platform::OS.all() {
            columns.os[at] = record.os;
        }
        if columns.cpu[at] == crate::model::platform::CPU.all() {
            columns.cpu[at] = record.cpu;
        }
        if columns.libc[at] == crate::model::platform::LIBC.all() {
            columns.libc[at] = record.libc;
        }
    }
    if missing.peers {
        optional_peers(graph, id, manifest, index);
    }
    if missing.integrity && graph.packages.integrity[at].is_none() {
        graph.packages.integrity[at] = manifest.integrity(record);
    }
}

/// Adds the optional peers of a manifest that the package has not. The list of dependencies moves to the end of the columns.
fn optional_peers(graph: &mut Graph, id: u32, manifest: &Manifest, index: u32) {
    let span = graph.packages.deps[id as usize];
    let has = |graph: &Graph, name: &str| span.ids().any(|dep| graph.str(graph.deps.name[dep as usize]) == name);
    let new: Vec<_> = manifest
        .deps(manifest.record(index))
        .iter()
        .filter(|dep| Behavior(dep.behavior as u8).is_optional_peer() && !has(graph, manifest.str(dep.name)))
        .collect();
    if new.is_empty() {
        return;
    }
    let off = graph.begin_deps();
    for old in span.ids() {
        let old = old as usize;
        let (name, literal) = (graph.deps.name[old], graph.deps.literal[old]);
        let dep = graph.add_dep(name, literal, graph.deps.behavior[old]);
        graph.deps.target[dep as usize] = graph.deps.target[old];
    }
    for dep in new {
        let (name, range) = (graph.text.add(manifest.str(dep.name)), graph.text.add(manifest.str(dep.range)));
        graph.add_dep(name, range, Behavior(dep.behavior as u8));
    }
    graph.end_deps(id, off);
}
