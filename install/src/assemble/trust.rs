//! Packages whose scripts may run.

use crate::model::extras::Extras;
use crate::model::graph::Graph;
use crate::model::plan::{Kind, NO_ID};

/// Packages whose scripts run where package.json says nothing else.
pub(crate) fn default_trusted() -> impl Iterator<Item = &'static str> {
    include_str!("trusted.txt").lines()
}

/// Packages whose scripts may run: those that `trustedDependencies` names, by their own name or an alias, else those of the list.
pub(crate) fn trusts(graph: &Graph, extras: &Extras) -> Vec<bool> {
    let Some(list) = &extras.trusted else {
        let known: Vec<&str> = default_trusted().collect();
        let fits = |id: u32| graph.kind(id) == Kind::Npm && known.binary_search(&graph.name(id)).is_ok();
        return (0..graph.len() as u32).map(fits).collect();
    };
    let mut out: Vec<bool> = (0..graph.len() as u32).map(|id| list.iter().any(|one| one == graph.name(id))).collect();
    for (dep, &target) in graph.deps.target.iter().enumerate() {
        if target != NO_ID && !out[target as usize] {
            out[target as usize] = list.iter().any(|one| one == graph.str(graph.deps.name[dep]));
        }
    }
    out
}
