//! The node_modules directories of the hoisted linker.

use crate::model::graph::{Behavior, Graph, Member};
use crate::model::hoisted_tree::{self, Directory};
use crate::model::plan::{Kind, NO_ID, Placement, Tree};

/// Lists directories and what is placed in them. Directories without entries are dropped.
pub(super) fn list(graph: &mut Graph, members: &[Member], tree: &hoisted_tree::Tree) -> (Vec<Tree>, Vec<Placement>) {
    let mut trees: Vec<Tree> = Vec::with_capacity(tree.directories.len());
    let mut placements: Vec<Placement> = Vec::new();
    // Old index → new index.
    let mut renumbered = vec![NO_ID; tree.directories.len()];
    for (at, directory) in tree.directories.iter().enumerate() {
        let gone = directory.parent != NO_ID && renumbered[directory.parent as usize] == NO_ID;
        if (directory.placed.is_empty() && at != 0) || is_link(graph, directory) || gone {
            continue;
        }
        let id = trees.len() as u32;
        renumbered[at] = id;
        let workspace = directory.parent != NO_ID && graph.kind(directory.package) == Kind::Workspace;
        let parent = if directory.parent == NO_ID { NO_ID } else { renumbered[directory.parent as usize] };
        let (path, owner) = locate(graph, members, directory, trees.get(parent as usize), &placements);
        if owner != NO_ID {
            placements[owner as usize].children = id;
        }
        let first = placements.len() as u32;
        placements.extend(sorted(graph, directory).into_iter().map(|dep| Placement {
            folder: graph.deps.name[dep as usize],
            package: graph.deps.target[dep as usize],
            tree: id,
            children: NO_ID,
        }));
        trees.push(Tree {
            parent,
            owner: if workspace { NO_ID } else { owner },
            path: graph.text.add(&path),
            first,
            len: placements.len() as u32 - first,
            depth: directory.depth,
            workspace: if workspace { directory.package } else { NO_ID },
        });
    }
    (trees, placements)
}

/// Whether a directory is that of a link below another one: to the project itself, to a folder elsewhere, or to a member, whose content is decided
/// in its own place.
fn is_link(graph: &Graph, directory: &Directory) -> bool {
    directory.dep != NO_ID
        && match graph.kind(directory.package) {
            Kind::Root | Kind::Link => true,
            Kind::Workspace => !graph.deps.behavior[directory.dep as usize].has(Behavior::WORKSPACE),
            _ => false,
        }
}

/// Path of a directory, and the placement of the package that it belongs to.
fn locate(
    graph: &Graph,
    members: &[Member],
    directory: &Directory,
    parent: Option<&Tree>,
    placements: &[Placement],
) -> (String, u32) {
    if directory.parent == NO_ID {
        return ("node_modules".to_owned(), NO_ID);
    }
    let name = graph.str(graph.deps.name[directory.dep as usize]);
    let mut places = parent.map_or(0..0, |tree| tree.first..tree.first + tree.len);
    let owner = places.find(|&place| graph.str(placements[place as usize].folder) == name).unwrap_or(NO_ID);
    if graph.kind(directory.package) == Kind::Workspace {
        let member = members.iter().find(|member| member.package == directory.package);
        return (format!("{}/node_modules", member.map_or("", |member| member.path.as_str())), owner);
    }
    let above = parent.map_or("node_modules", |tree| graph.str(tree.path));
    (format!("{above}/{name}/node_modules"), owner)
}

/// What is placed in a directory, by name.
fn sorted(graph: &Graph, directory: &Directory) -> Vec<u32> {
    let name = |dep: u32| graph.str(graph.deps.name[dep as usize]);
    let mut placed = directory.placed.clone();
    placed.sort_by(|a, b| name(*a).cmp(name(*b)));
    placed
}
