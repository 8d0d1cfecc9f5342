//! `.bin` directories: a symbolic link for each command of the packages beside it.

use std::ffi::CString;
use std::os::fd::AsFd;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::link::tree_writer::{TreeWriter, c_path, io, link_at};
use crate::model::plan::{
    self, DISABLED, EdgeKind, FOR_SYSTEM, KEEPS_SCRIPT, Kind, NEEDS_NO_SCRIPT, OPTIONAL, PackageId, Plan, PlanPackage,
};
use crate::store::tarball::extract;

/// Cleans a path inside of a package: without `.`, `..` and leading slashes. Nothing where it leaves the package or is the package.
pub(crate) fn inside(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty() && !path.contains('\0')).then(|| parts.join("/"))
}

/// Name of a command as npm takes it: the last component. Nothing where that is no file name.
pub(crate) fn command(name: &str) -> Option<&str> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    (!name.is_empty() && name != "." && name != ".." && !name.contains('\0')).then_some(name)
}

/// The files directly in `dir` of a listing, with the name each has as a command.
pub(crate) fn in_dir(files: &[u8], dir: &str) -> Vec<(String, String)> {
    let Some(dir) = inside(dir) else {
        return Vec::new();
    };
    extract::files(files)
        .filter_map(|(_, name)| {
            let name = name.to_str().ok()?;
            let rest = name.strip_prefix(&dir)?.strip_prefix('/')?;
            (!rest.contains('/') && !rest.starts_with('.')).then(|| (rest.to_owned(), name.to_owned()))
        })
        .collect()
}

/// What `nativeDependencies` of package.json names if it is absent: packages whose only work at install time is to replace their command by
/// the executable of an optional dependency for this system. The link goes to the executable directly, and the script is not needed.
pub(crate) const NATIVE: &[&str] = &["esbuild", "@anthropic-ai/claude-code"];

/// The package for this system that has the executables of `package`.
pub(crate) fn native(plan: &Plan, package: &PlanPackage) -> Option<PackageId> {
    if package.flags & plan::NATIVE == 0
        || std::env::var_os("BUN_FEATURE_FLAG_DISABLE_NATIVE_DEPENDENCY_LINKER").is_some_and(|value| value == "1")
    {
        return None;
    }
    let fits = |id: PackageId| {
        plan.packages.get(id as usize).is_some_and(|target| target.flags & (FOR_SYSTEM | DISABLED) == FOR_SYSTEM)
    };
    plan.edges_of(package)
        .iter()
        .find(|edge| edge.kind == EdgeKind::Optional && fits(edge.package))
        .map(|edge| edge.package)
}

/// The file that the command `name` is in the package `id` for this system: what has the path that `bin` of the package names that depends
/// on it, or the command's name. Nothing where it has neither.
fn native_file(tree: &TreeWriter<'_>, id: PackageId, name: &str, path: &str) -> Option<String> {
    // Known without waiting for the package.
    if path == "bin/esbuild" && tree.plan.str(tree.package(id).name).starts_with("@esbuild/") {
        return Some(path.to_owned());
    }
    let (key, source) = tree.source(id).ok()?;
    let (names, _) = tree.store.names(&key, &source).ok()?;
    let has = |file: &&str| extract::files(names.files()).any(|(_, other)| other.to_bytes() == file.as_bytes());
    [path, name].into_iter().find(has).map(str::to_owned)
}

/// The paths that commands of others may have in the package `id`: [`native_file`] chooses among them.
pub(crate) fn native_candidates(plan: &Plan, id: PackageId) -> Vec<&str> {
    if plan.packages[id as usize].flags & FOR_SYSTEM == 0 {
        return Vec::new();
    }
    let users = plan.packages.iter().filter(|user| native(plan, user) == Some(id));
    users
        .flat_map(|user| plan.bins_of(user).iter().map(move |bin| (user, bin)))
        .flat_map(|(user, bin)| {
            let name = if bin.name.is_empty() { user.name } else { bin.name };
            [Some(plan.str(bin.path)), command(plan.str(name))]
        })
        .flatten()
        .collect()
}

/// Packages whose install script only looks whether a package for this system is there, and builds from source where it is not.
const CHECKED: &[(&str, &str)] = &[("sharp", "@img/sharp-")];

/// Whether the scripts of a package have nothing to do: what they would fetch or build is an optional dependency that is installed.
pub(crate) fn needs_no_script(plan: &Plan, package: &PlanPackage) -> bool {
    if std::env::var_os("BUN_FEATURE_FLAG_DISABLE_IGNORE_SCRIPTS").is_some_and(|value| value == "1") {
        return false;
    }
    if package.flags & NEEDS_NO_SCRIPT != 0 || native(plan, package).is_some() {
        return true;
    }
    if package.flags & KEEPS_SCRIPT != 0 {
        return false;
    }
    let name = plan.str(package.name);
    CHECKED.iter().filter(|(known, _)| *known == name).any(|(_, prefix)| {
        plan.edges_of(package).iter().any(|edge| {
            let target = plan.packages.get(edge.package as usize);
            target.is_some_and(|target| {
                let other = plan.str(target.name);
                // sharp-libvips-… is the library without the binding.
                target.flags & DISABLED == 0 && other.starts_with(prefix) && !other.contains("libvips")
            })
        })
    })
}

/// A package beside a `.bin` directory.
pub(crate) struct Beside<'a> {
    /// Its path relative to the `.bin` directory, as `../react`.
    pub path: String,
    pub package: PackageId,
    /// Depended on directly: its commands win over those of others.
    pub direct: bool,
    /// Where a platform package is, relative to the `.bin` directory.
    pub native: &'a dyn Fn(PackageId) -> Option<String>,
}

/// The commands of packages: name and target, sorted by name, one for each name.
pub(crate) fn commands(tree: &TreeWriter<'_>, packages: &[Beside<'_>]) -> Result<Vec<(String, String)>> {
    let plan = tree.plan;
    let mut found: FxHashMap<String, (bool, String)> = FxHashMap::default();
    for beside in packages {
        let package = tree.package(beside.package);
        if tree.missing.contains(&beside.package) || (package.bins.is_empty() && package.bin_dir.is_empty()) {
            continue;
        }
        let native = native(plan, package)
            .filter(|id| !tree.missing.contains(id))
            .and_then(|id| Some((id, (beside.native)(id)?)));
        let mut add = |name: &str, file: &str| {
            let (Some(name), Some(file)) = (command(name), inside(file)) else {
                return;
            };
            let there = native.as_ref().and_then(|(id, path)| Some((path, native_file(tree, *id, name, &file)?)));
            let target = match there {
                Some((path, file)) => format!("{path}/{file}"),
                None => format!("{}/{file}", beside.path),
            };
            match found.get_mut(name) {
                Some(other) if other.0 || !beside.direct => {}
                Some(other) => *other = (beside.direct, target),
                None => {
                    found.insert(name.to_owned(), (beside.direct, target));
                }
            }
        };
        for bin in plan.bins_of(package) {
            // A single command is called like the folder that the package is in.
            let name = if bin.name.is_empty() { beside.path.as_str() } else { plan.str(bin.name) };
            add(name, plan.str(bin.path));
        }
        if !package.bin_dir.is_empty() && package.kind != Kind::Workspace {
            let (key, source) = match tree.source(beside.package) {
                Ok(found) => found,
                // Left out, which is said where it is put in its place.
                Err(_) if package.flags & OPTIONAL != 0 => continue,
                Err(error) => return Err(error),
            };
            let (names, _) = tree.store.names(&key, &source)?;
            for (name, file) in in_dir(names.files(), plan.str(package.bin_dir)) {
                add(&name, &file);
            }
        }
    }
    let mut list: Vec<_> = found.into_iter().map(|(name, (_, target))| (name, target)).collect();
    list.sort_unstable();
    Ok(list)
}

/// Makes `<dir>/.bin` with the commands of `packages`.
pub(crate) fn link(tree: &mut TreeWriter<'_>, dir: &str, packages: &[Beside<'_>]) -> Result<()> {
    let list = commands(tree, packages)?;
    if list.is_empty() {
        return Ok(());
    }
    tree.container(c_path(&format!("{dir}/.bin"))?)?;
    for (name, target) in list {
        tree.symlink(c_path(&format!("{dir}/.bin/{name}"))?, &target)?;
    }
    Ok(())
}

/// Links the commands of the project's direct dependencies into a directory for commands (`-g`).
pub(crate) fn link_global(tree: &TreeWriter<'_>, packages: &[Beside<'_>]) -> Result<()> {
    let Some(dir) = &tree.options.global_bin else {
        return Ok(());
    };
    std::fs::create_dir_all(dir).map_err(|error| crate::error::Error::io("Could not make", dir, error))?;
    for (name, target) in commands(tree, packages)? {
        let base = tree.plan.root.join("node_modules").join(target.trim_start_matches("../"));
        let failed = |error| io("Could not make the command", &dir.join(&name), error);
        let (path, to) = (dir.join(&name), c_path(&base.to_string_lossy())?);
        let path = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| failed(rustix::io::Errno::INVAL))?;
        link_at(rustix::fs::CWD.as_fd(), &path, &to, true).map_err(failed)?;
    }
    Ok(())
}
