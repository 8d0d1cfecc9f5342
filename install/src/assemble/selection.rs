//! Which dependencies an install is about, and of which kind they are.

use crate::config::Config;
use crate::model::graph::{Behavior, Graph};
use crate::model::plan::{EdgeKind, Kind, NO_ID};

/// Which dependencies are installed.
pub(crate) struct Selection<'a> {
    pub config: &'a Config,
    /// Workspace members that are installed; nothing for all.
    pub members: Option<Vec<u32>>,
    /// The root's own dependencies.
    pub root: bool,
}

impl Selection<'_> {
    /// Whether `dep` of `parent` is left out.
    pub(crate) fn skips(&self, graph: &Graph, dep: u32, parent: u32) -> bool {
        let at = dep as usize;
        let target = graph.deps.target[at];
        let behavior = graph.deps.behavior[at];
        if target == NO_ID {
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
