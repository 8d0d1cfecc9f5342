//! Packages whose scripts may run.

use crate::config::Config;
use crate::model::extras::Extras;
use crate::model::graph::Graph;
use crate::model::plan::Kind;
use crate::model::registry_url::usual_tarball;

/// Packages whose scripts run where package.json says nothing else.
pub(crate) fn default_trusted() -> impl Iterator<Item = &'static str> {
    include_str!("trusted.txt").lines()
}

/// Packages whose scripts may run: those that `trustedDependencies` names, else those of the list that come from where the registry
/// has them. Aliases do not count: a package chooses those of its own dependencies.
pub(crate) fn trusts(graph: &Graph, extras: &Extras, config: &Config) -> Vec<bool> {
    let ids = 0..graph.len() as u32;
    if let Some(list) = &extras.trusted {
        return ids.map(|id| list.iter().any(|one| one == graph.name(id))).collect();
    }
    let known: Vec<&str> = default_trusted().collect();
    let is_genuine = |id: u32| {
        let (name, url) = (graph.name(id), graph.str(graph.packages.resolution[id as usize].extra));
        url.is_empty() || url == usual_tarball(&config.registry_for(name).url, name, graph.value(id))
    };
    ids.map(|id| graph.kind(id) == Kind::Npm && known.binary_search(&graph.name(id)).is_ok() && is_genuine(id))
        .collect()
}
