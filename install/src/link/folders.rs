//! Whether the copies of `file:` directories are what the directories hold now: nothing else tells an install of a file that was added
//! or replaced there.

use std::ffi::{CStr, CString};
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use rustix::fs::{AtFlags, Mode, OFlags};

use crate::link::{isolated, package};
use crate::model::plan::{DISABLED, Kind, Linker, PackageId, Plan, TRUSTED};
use crate::store::fs;
use crate::store::index::Names;
use crate::store::tarball::extract;

/// True if every file of the directories is in their copies, the same or equal. What is in a copy alone is not looked at, nor are packages
/// whose scripts may run: these may write into the copy.
pub(super) fn are_current(plan: &Plan, root: BorrowedFd<'_>) -> bool {
    let is_checked = |id: PackageId| {
        let package = &plan.packages[id as usize];
        package.kind == Kind::Folder && package.flags & (TRUSTED | DISABLED) == 0
    };
    if !(0..plan.packages.len() as PackageId).any(is_checked) {
        return true;
    }
    copies(plan).iter().filter(|(_, id)| is_checked(*id)).all(|(copy, id)| {
        let source = plan.str(plan.packages[*id as usize].path);
        is_current(root, source, copy).unwrap_or(false)
    })
}

/// Where packages are put: paths relative to the project, and the packages.
fn copies(plan: &Plan) -> Vec<(String, PackageId)> {
    if plan.linker == Linker::Hoisted {
        let levels = plan.trees.iter().flat_map(|level| {
            let dir = plan.str(level.path);
            plan.placements_of(level).iter().map(move |placement| (dir, placement))
        });
        return levels
            .map(|(dir, placement)| (format!("{dir}/{}", plan.str(placement.folder)), placement.package))
            .collect();
    }
    let reached: FxHashSet<PackageId> = isolated::entries(plan).into_iter().map(|(id, _)| id).collect();
    let entries = isolated::places(plan).into_iter().filter(|(_, path, _)| path.starts_with("node_modules/.bun/"));
    entries.map(|(_, path, id)| (path, id)).filter(|(_, id)| reached.contains(id)).collect()
}

/// Nothing where one of the two cannot be read.
fn is_current(root: BorrowedFd<'_>, source: &str, copy: &str) -> Option<bool> {
    let open = |path: &str| fs::open_dir(root, &CString::new(path).ok()?).ok();
    let (source, copy) = (open(source)?, open(copy)?);
    let (listing, _) = fs::walk(source.as_fd(), &[c"node_modules", c".git"]).ok()?;
    let names = Names::Owned(Arc::new(listing));
    let manifest = names.manifest().then_some(c"package.json");
    let mut files = extract::files(names.files()).map(|(_, name)| name).chain(manifest);
    Some(files.all(|name| is_equal(source.as_fd(), copy.as_fd(), name).unwrap_or(false)))
}

/// True if the file `name` is the same file in both directories, or has the same content as far as an install leaves it as it is.
fn is_equal(source: BorrowedFd<'_>, copy: BorrowedFd<'_>, name: &CStr) -> Option<bool> {
    let own = rustix::fs::statat(source, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    // `--backend symlink` makes a link to the file.
    let other = rustix::fs::statat(copy, name, AtFlags::empty()).ok()?;
    if (own.st_dev, own.st_ino) == (other.st_dev, other.st_ino) {
        return Some(true);
    }
    // Commands lose the CR of their `#!` line.
    let is_shorter = own.st_size == other.st_size + 1;
    if own.st_size != other.st_size && !is_shorter {
        return Some(false);
    }
    let read = |at: BorrowedFd<'_>| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = rustix::fs::openat(at, name, flags, Mode::empty());
        let mut bytes = Vec::new();
        std::fs::File::from(file.ok()?).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let mut bytes = read(source)?;
    if is_shorter {
        bytes.remove(package::shebang_cr(&bytes)?);
    }
    Some(bytes == read(copy)?)
}
