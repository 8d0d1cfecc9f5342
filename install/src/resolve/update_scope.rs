//! What `update` lets go of: which dependencies do not keep the version that the lockfile has.

use crate::model::graph::Member;
use crate::model::graph::{Behavior, Graph};
use crate::model::plan::{Kind, NO_ID};
use semver::{Range, Version};

/// Which names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    Only(Vec<String>),
    AllBut(Vec<String>),
}

impl Names {
    /// A dependency is known under its own name and, for an alias, that of the package.
    pub(crate) fn has(&self, name: &str, real: &str) -> bool {
        let listed = |list: &[String]| list.iter().any(|other| other == name || other == real);
        match self {
            Names::Only(list) => listed(list),
            Names::AllBut(list) => !listed(list),
        }
    }
}

/// Dependencies that are resolved anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpdateScope {
    /// Of the project's own packages.
    pub direct: Names,
    /// Of all other packages.
    pub transitive: Names,
    /// The project's own packages that are meant, as places among the manifests; nothing for all.
    pub members: Option<Vec<usize>>,
    /// Of the project's own dependencies only these: place of the manifest and name.
    pub pairs: Option<Vec<(usize, String)>>,
}

impl UpdateScope {
    /// Dependencies of the project's own packages by name; an empty list means all.
    pub(crate) fn direct(names: Vec<String>) -> Self {
        let direct = if names.is_empty() { Names::AllBut(Vec::new()) } else { Names::Only(names) };
        Self { direct, transitive: Names::Only(Vec::new()), members: None, pairs: None }
    }

    /// Whether a dependency is resolved anew. `own`: one of the project's own packages declares it.
    pub(crate) fn has(&self, own: bool, name: &str, real: &str) -> bool {
        if own { self.direct.has(name, real) } else { self.transitive.has(name, real) }
    }

    /// Takes the packages from the dependencies that are to be resolved anew.
    pub(crate) fn let_go(&self, graph: &mut Graph, members: &[Member]) {
        for package in 0..graph.len() as u32 {
            let own = members.iter().position(|member| member.package == package);
            if let (Some(at), Some(only)) = (own, &self.members)
                && !only.contains(&at)
            {
                continue;
            }
            for dep in graph.packages.deps[package as usize].ids() {
                let at = dep as usize;
                let target = graph.deps.target[at];
                let local = graph.deps.behavior[at].has(Behavior::WORKSPACE)
                    || (target != NO_ID && matches!(graph.kind(target), Kind::Root | Kind::Workspace));
                let real = if target == NO_ID { "" } else { graph.name(target) };
                let name = graph.str(graph.deps.name[at]);
                let paired = match (own, &self.pairs) {
                    (Some(own), Some(pairs)) => pairs.iter().any(|(at, other)| *at == own && other == name),
                    _ => true,
                };
                // Nothing newer would be taken for an exact version; what the minimum release age has since come to forbid stays, too.
                let exact = target != NO_ID
                    && graph.kind(target) == Kind::Npm
                    && Version::parse(graph.value(target)).is_some_and(|version| {
                        let range = Range::parse(graph.str(graph.deps.literal[at]));
                        range.is_some_and(|range| range.exact().is_some_and(|exact| exact.order(&version).is_eq()))
                    });
                if !local && !exact && paired && self.has(own.is_some(), name, real) {
                    graph.deps.target[at] = NO_ID;
                }
            }
        }
    }
}
