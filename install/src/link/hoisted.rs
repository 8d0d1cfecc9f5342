//! The hoisted linker: node_modules as npm and Bun lay it out, each package a directory of links to the store.

use std::os::fd::AsFd;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use rustix::fs::{FileType, Mode};
use rustix::io::Errno;

use crate::error::Result;
use crate::link::bins::{self, Beside};
use crate::link::saved_state::State;
use crate::link::tree_writer::{Job, TreeWriter, c_path, check_folder, io};
use crate::model::paths::relative;
use crate::model::plan::{DISABLED, EdgeKind, Kind, NO_ID, Placement, Tree};
use crate::store::fs;

fn join(dir: &str, name: &str) -> String {
    let mut path = String::with_capacity(dir.len() + 1 + name.len());
    path.push_str(dir);
    path.push('/');
    path.push_str(name);
    path
}

struct Pass {
    old: Arc<State>,
    jobs: Vec<Job>,
    /// For each placement: put anew (what is below is new, too).
    renewed: Vec<bool>,
}

pub(super) fn link(tree: &mut TreeWriter<'_>) -> Result<()> {
    let plan = tree.plan;
    let mut pass = Pass {
        old: tree.old_state(),
        jobs: Vec::with_capacity(plan.placements.len()),
        renewed: vec![false; plan.placements.len()],
    };
    if tree.existed {
        // The entries of an isolated tree, ours or another tool's.
        tree.discard_if_there(c"node_modules/.bun")?;
    }
    let old = pass.old.clone();
    let old = old.by_path();
    for level in &plan.trees {
        let renewed = !tree.existed || (level.owner != NO_ID && pass.renewed[level.owner as usize]);
        one_tree(tree, level, renewed, &old, &mut pass)?;
    }
    drop(old);
    tree.run(std::mem::take(&mut pass.jobs))?;
    let direct: FxHashSet<&str> = plan
        .packages
        .first()
        .map(|root| plan.edges_of(root))
        .unwrap_or_default()
        .iter()
        .map(|edge| plan.str(edge.name))
        .collect();
    for (index, level) in plan.trees.iter().enumerate() {
        let dir = plan.str(level.path);
        let placements = plan.placements_of(level);
        // Beside the package that wants it, or nested in that package.
        let native = |id| {
            let at = |list: &[Placement]| {
                list.iter().find(|other| other.package == id).map(|other| plan.str(other.folder).to_owned())
            };
            at(placements).map(|folder| format!("../{folder}")).or_else(|| {
                placements.iter().filter(|holder| holder.children != NO_ID).find_map(|holder| {
                    let nested = at(plan.placements_of(&plan.trees[holder.children as usize]))?;
                    Some(format!("../{}/node_modules/{nested}", plan.str(holder.folder)))
                })
            })
        };
        let beside: Vec<Beside<'_>> = placements
            .iter()
            .filter(|placement| tree.package(placement.package).flags & DISABLED == 0)
            .map(|placement| {
                let folder = plan.str(placement.folder);
                let direct = index == 0 && direct.contains(folder);
                Beside { path: format!("../{folder}"), package: placement.package, direct, native: &native }
            })
            .collect();
        bins::link(tree, dir, &beside)?;
        if index == 0 {
            let direct: Vec<_> = beside.into_iter().filter(|beside| beside.direct).collect();
            bins::link_global(tree, &direct)?;
        }
    }
    Ok(())
}

fn one_tree(
    tree: &mut TreeWriter<'_>,
    level: &Tree,
    renewed: bool,
    old: &rustc_hash::FxHashMap<&std::ffi::CStr, crate::link::saved_state::Known>,
    pass: &mut Pass,
) -> Result<()> {
    let plan = tree.plan;
    let dir = plan.str(level.path);
    if level.len == 0 {
        return Ok(());
    }
    tree.container(c_path(dir)?)?;
    let mut scope = "";
    for (offset, placement) in plan.placements_of(level).iter().enumerate() {
        let package = tree.package(placement.package);
        if package.flags & DISABLED != 0 {
            continue;
        }
        let folder = plan.str(placement.folder);
        check_folder(folder).map_err(|error| tree.named(error, placement.package))?;
        if let Some((its, _)) = folder.split_once('/')
            && its != scope
        {
            scope = its;
            tree.container(c_path(&join(dir, its))?)?;
        }
        let path = join(dir, folder);
        if matches!(package.kind, Kind::Workspace | Kind::Link | Kind::Root) {
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            let target = relative(parent, plan.str(package.path));
            if tree.symlink(c_path(&path)?, &target)? {
                tree.linked.installed += 1;
                tree.linked.changed.push(placement.package);
            }
            continue;
        }
        let path = c_path(&path)?;
        if !renewed {
            let (right, untouched) = tree.is_right(old, &path, placement.package);
            if right {
                if !untouched {
                    remove_strays(tree, placement)?;
                }
                tree.kept(path, placement.package);
                continue;
            }
            tree.discard_if_there(&path)?;
        }
        pass.renewed[level.first as usize + offset] = true;
        if placement.children != NO_ID {
            rustix::fs::mkdirat(&tree.root, &path, Mode::from_raw_mode(0o755))
                .map_err(|error| io("Could not make", &plan.root.join(path.to_string_lossy().as_ref()), error))?;
        }
        pass.jobs.push(Job { path, package: placement.package, nested: placement.children, above: None, salt: 0 });
    }
    Ok(())
}

/// A package of another tool's tree, or one that was touched, may have nested packages the plan does not have: they would be found
/// instead of the right ones.
fn remove_strays(tree: &mut TreeWriter<'_>, placement: &Placement) -> Result<()> {
    let plan = tree.plan;
    let package = tree.package(placement.package);
    if plan.edges_of(package).iter().any(|edge| edge.kind == EdgeKind::Bundled) {
        return Ok(());
    }
    let holder = &plan.trees[placement.tree as usize];
    let nested = format!("{}/{}/node_modules", plan.str(holder.path), plan.str(placement.folder));
    let Ok(open) = fs::open_dir(tree.root.as_fd(), &c_path(&nested)?) else {
        return Ok(());
    };
    let wanted: FxHashSet<&str> = match placement.children {
        NO_ID => FxHashSet::default(),
        children => {
            plan.placements_of(&plan.trees[children as usize]).iter().map(|inner| plan.str(inner.folder)).collect()
        }
    };
    let mut strays = Vec::new();
    let listed: Result<(), Errno> = fs::entries(open.as_fd(), |name, kind| {
        let Ok(name) = name.to_str() else {
            return Ok(());
        };
        if name.starts_with('.') {
            return Ok(());
        }
        if name.starts_with('@')
            && fs::kind(open.as_fd(), &std::ffi::CString::new(name).unwrap_or_default(), kind) == FileType::Directory
        {
            let inner = fs::open_dir(open.as_fd(), &std::ffi::CString::new(name).unwrap_or_default())?;
            let mut below = Vec::new();
            // The buffer of `entries` is taken by the outer loop; a second one is made.
            fs::entries(inner.as_fd(), |inner, _| {
                below.push(format!("{name}/{}", inner.to_string_lossy()));
                Ok(())
            })?;
            strays.extend(below.into_iter().filter(|name| !wanted.contains(name.as_str())));
        } else if !wanted.contains(name) {
            strays.push(name.to_owned());
        }
        Ok(())
    });
    if listed.is_ok() {
        for stray in strays {
            if tree.discard(&c_path(&format!("{nested}/{stray}"))?)? {
                tree.linked.removed += 1;
            }
        }
    }
    Ok(())
}
