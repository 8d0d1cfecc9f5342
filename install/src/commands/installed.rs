//! What an install with the project's lockfile puts where: shared by the commands that look at node_modules.

use crate::commands::audit;
use crate::config::{Config, Options};
use crate::error::Result;
use crate::model::graph::Behavior;
use crate::model::plan::{Kind, Linker, PackageId, Plan};
use crate::registry::session::Session;
use rustc_hash::FxHashMap;
use std::path::Path;

/// The plan of an install, its members, and which packages bundle others.
pub(super) struct Wanted {
    pub plan: Plan,
    /// Package, path and name; the project itself first.
    pub members: Vec<(PackageId, String, String)>,
    pub bundling: Vec<bool>,
}

/// Whether node_modules has the isolated layout.
pub(super) fn isolated(root: &Path) -> bool {
    root.join("node_modules/.bun").is_dir()
}

/// Whether the packages are in archives.
pub(super) fn archived(root: &Path) -> bool {
    root.join("node_modules").join(packages::INDEX).is_file()
}

/// What `node_modules/.bun` has for packages, on the disk and in archives.
pub(super) fn entries(root: &Path) -> Vec<String> {
    let dir = root.join("node_modules/.bun");
    let on_disk = std::fs::read_dir(&dir).into_iter().flatten().flatten();
    let on_disk = on_disk.filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut out: Vec<String> = on_disk.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    out.extend(packages::names_in(dir.as_os_str().as_encoded_bytes()));
    out.retain(|name| !name.starts_with('.') && name != "node_modules");
    out.sort();
    out.dedup();
    out
}

/// `@types+node@1.0.0+0123456789abcdef` of `.bun`: without the hash of the peers.
pub(super) fn without_peers(entry: &str) -> &str {
    match entry.rsplit_once('+') {
        Some((base, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => base,
        _ => entry,
    }
}

/// The plan with these settings. `what` is the command, for the error where there is no lockfile.
pub(super) fn plan(options: &Options, config: &Config, linker: Linker, what: &str) -> Result<Wanted> {
    let (root, _, mut resolved) = audit::open(options, what)?;
    let graph = &mut resolved.graph;
    let bundling = (0..graph.len())
        .map(|id| graph.packages.deps[id].ids().any(|dep| graph.deps.behavior[dep as usize].has(Behavior::BUNDLED)))
        .collect();
    let members = resolved
        .members
        .iter()
        .map(|member| (member.package, member.path.clone(), graph.name(member.package).to_owned()))
        .collect();
    let session = Session::new(config, &root);
    let selection = crate::assemble::Selection { config, members: None, root: true };
    let plan =
        crate::assemble::assemble(&root, graph, &resolved.members, &resolved.extras, &session, &selection, linker);
    Ok(Wanted { plan, members, bundling })
}

/// The plan for the layout that is there.
pub(super) fn present(options: &Options, config: &Config, root: &Path, what: &str) -> Result<Wanted> {
    let linker = match isolated(root) {
        _ if archived(root) => Linker::Store,
        true => Linker::Isolated,
        false => Linker::Hoisted,
    };
    plan(options, config, linker, what)
}

/// Where packages are, relative to the project, in the plan's order: registry packages and other copies, no links.
pub(super) fn places(plan: &Plan) -> Vec<(PackageId, String)> {
    let copied = |id: PackageId| {
        !matches!(plan.packages[id as usize].kind, Kind::Root | Kind::Workspace | Kind::Link)
            && plan.packages[id as usize].flags & crate::model::plan::DISABLED == 0
    };
    let mut out = Vec::new();
    if plan.linker == Linker::Hoisted {
        for tree in &plan.trees {
            for placement in plan.placements_of(tree).iter().filter(|placement| copied(placement.package)) {
                out.push((placement.package, format!("{}/{}", plan.str(tree.path), plan.str(placement.folder))));
            }
        }
        return out;
    }
    // What made the tree may have another hash for the peers: the names that are there count.
    let mut there: FxHashMap<String, Vec<String>> = FxHashMap::default();
    for name in entries(&plan.root) {
        there.entry(without_peers(&name).to_owned()).or_default().push(name);
    }
    let mut entries = crate::link::entries(plan);
    entries.sort();
    for (id, base) in entries {
        let mut names = there.remove(without_peers(&base)).unwrap_or_default();
        names.sort();
        for name in names {
            out.push((
                id,
                format!("node_modules/.bun/{name}/node_modules/{}", plan.str(plan.packages[id as usize].name)),
            ));
        }
    }
    out
}
