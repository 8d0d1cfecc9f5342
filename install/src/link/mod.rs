//! node_modules: the hoisted and the isolated linker, bins, patches and lifecycle scripts.

mod archived;
pub(crate) mod backend;
pub(crate) mod bins;
mod editing;
mod folders;
mod hoisted;
mod isolated;
mod package;
mod parallel_package;
pub(crate) mod patch;
mod place_packages;
pub(crate) mod saved_state;
pub(crate) mod scripts;
mod tree_writer;

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod tests;

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

pub(crate) use crate::link::backend::Backend;
pub(crate) use crate::link::editing::{attach, detach};
pub(crate) use crate::link::isolated::{entries, places as isolated_places};

use crate::error::{Code, Error, Result};
use crate::model::plan::{INSTANCE, Linker, PackageId, Plan};
use crate::store::Store;

/// Choices that are not part of the plan.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    pub backend: Backend,
    /// Install every package anew, whatever is there.
    pub force: bool,
    pub ignore_scripts: bool,
    /// How many lifecycle scripts run at once.
    pub concurrent_scripts: usize,
    /// Isolated linker: packages live in the cache (`links/`) and projects link their directories.
    pub global_store: bool,
    /// Isolated linker: which packages are found below `.bun/node_modules`; empty means all.
    pub hoist_pattern: Vec<String>,
    /// Isolated linker: which packages are found in the project's node_modules although it does not depend on them.
    pub public_hoist_pattern: Vec<String>,
    /// Directory for the bins of the project's direct dependencies (`-g`).
    pub global_bin: Option<PathBuf>,
    pub threads: usize,
    pub verbose: bool,
    /// Store linker: packages that are put on the disk for tools that are not bao, beside those of the last install; `*`: all.
    pub materialize: Vec<String>,
    /// The cache is `node_modules/.cache`: the state of the install is in it.
    pub own_cache: bool,
}

impl Default for LinkOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            backend: Backend::Hardlink,
            force: false,
            ignore_scripts: false,
            concurrent_scripts: threads * 2,
            global_store: false,
            hoist_pattern: Vec::new(),
            public_hoist_pattern: Vec::new(),
            global_bin: None,
            threads,
            verbose: false,
            materialize: Vec::new(),
            own_cache: false,
        }
    }
}

/// Receives what happens, from several threads.
pub trait Events: Sync {
    /// `done` of `total` packages are in their place.
    fn progress(&self, _done: u32, _total: u32) {}
    /// A lifecycle script begins.
    fn script_start(&self, _package: &str, _event: &str, _command: &str) {}
    /// A lifecycle script printed something (both streams, as it comes).
    fn script_output(&self, _package: &str, _event: &str, _bytes: &[u8]) {}
    /// A decision, for `--verbose`.
    fn note(&self, _text: &str) {}
}

/// An [`Events`] that drops everything.
pub struct Silent;
impl Events for Silent {}

/// What [`link`] did.
#[derive(Default, Debug)]
pub struct Linked {
    /// Directories and links made, removed, and found right.
    pub installed: u32,
    pub removed: u32,
    pub skipped: u32,
    /// Packages whose scripts were not run because they are not trusted.
    pub blocked_scripts: Vec<PackageId>,
    /// How many scripts those are.
    pub blocked_count: u32,
    /// Packages that were put in place, sorted, each once.
    pub changed: Vec<PackageId>,
}

/// Fingerprint of the plan and of the options that decide the tree.
fn fingerprint(plan: &Plan, options: &LinkOptions) -> u64 {
    let mut text =
        format!("{:x} {:?} {}", plan.fingerprint, plan.linker, options.global_store && plan.linker == Linker::Isolated);
    if options.backend == Backend::Symlink {
        text.push_str(" symlink");
    }
    for pattern in options.hoist_pattern.iter().chain([&String::from("\n")]).chain(&options.public_hoist_pattern) {
        text.push(' ');
        text.push_str(pattern);
    }
    crate::model::string_arena::hash(&text)
}

fn open_root(plan: &Plan) -> Result<OwnedFd> {
    rustix::fs::open(&plan.root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| Error::io("Could not open", &plan.root, std::io::Error::from(error)))
}

/// Where the state of an install is kept.
fn state_home(plan: &Plan, options: &LinkOptions) -> saved_state::Home {
    match plan.linker {
        _ if options.own_cache => saved_state::Home::Cache,
        Linker::Isolated => saved_state::Home::Store,
        Linker::Hoisted | Linker::Store => saved_state::Home::Modules,
    }
}

/// True if node_modules is exactly this plan already: one small file is read and each directory looked at, of `file:` directories each
/// file.
pub fn up_to_date(plan: &Plan, options: &LinkOptions) -> bool {
    if options.force {
        return false;
    }
    let Ok(root) = open_root(plan) else {
        return false;
    };
    if plan.linker == Linker::Store
        && (!options.materialize.is_empty()
            || !archived::holds(&plan.root)
            || !packages::written(&plan.root).is_empty())
    {
        return false;
    }
    saved_state::State::read(root.as_fd(), state_home(plan, options))
        .is_some_and(|state| state.fingerprint == fingerprint(plan, options) && state.holds(root.as_fd()))
        && folders::are_current(plan, root.as_fd())
}

/// Makes node_modules as the plan says. It may start while downloads are under way: packages the store expects are waited for.
/// What earlier installs put there and the plan does not have is removed; what others put there stays.
///
/// # Errors
/// A package failed to download or unpack, the file system refused something, a script failed. What is in place then is whole, and the
/// next call does the rest.
pub fn link(plan: &Plan, store: &Arc<Store>, options: &LinkOptions, events: &dyn Events) -> Result<Linked> {
    let archived = match plan.linker {
        Linker::Store => Some(archived::Archived::new(plan, store, options, events)?),
        _ => None,
    };
    let plan = archived.as_ref().map_or(plan, |archived| &archived.on_disk);
    let root = open_root(plan)?;
    let made = match rustix::fs::mkdirat(&root, "node_modules", Mode::from_raw_mode(0o755)) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => {
            return Err(tree_writer::io("Could not make", &plan.root.join("node_modules"), error));
        }
    };
    // Two installs of one project take turns.
    let lock =
        rustix::fs::openat(&root, "node_modules", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| tree_writer::io("Could not open", &plan.root.join("node_modules"), error))?;
    take_turn(plan, &lock, events)?;
    // Another install may have had its turn between the making and the locking.
    let existed = !made || !is_empty(&lock);
    if existed && plan.linker != Linker::Store {
        archived::remove_indexes(plan);
    }
    let mut tree = tree_writer::TreeWriter::new(plan, store, options, events, root, existed)?;
    match plan.linker {
        Linker::Hoisted => hoisted::link(&mut tree)?,
        Linker::Isolated => isolated::link(&mut tree)?,
        Linker::Store => {
            isolated::link(&mut tree)?;
            if let Some(archived) = &archived {
                archived.write(&mut tree)?;
            }
        }
    }
    store.save_index();
    tree.remove_stale()?;
    scripts::run(&mut tree)?;
    let mut linked = tree.save();
    drop(lock);
    // Further directories of a package are no packages of their own for people.
    let is_instance =
        |id: &PackageId| plan.packages.get(*id as usize).is_some_and(|package| package.flags & INSTANCE != 0);
    let before = linked.changed.len();
    linked.changed.retain(|id| !is_instance(id));
    linked.installed = linked.installed.saturating_sub((before - linked.changed.len()) as u32);
    linked.blocked_scripts.retain(|id| !is_instance(id));
    Ok(linked)
}

fn is_empty(dir: &OwnedFd) -> bool {
    let mut any = false;
    let listed = crate::store::fs::entries(dir.as_fd(), |_, _| {
        any = true;
        Ok(())
    });
    listed.is_ok() && !any
}

/// Longest wait for another install of the same project.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(900);

/// Locks the open node_modules directory; the lock goes with the descriptor, also when the process is killed.
fn take_turn(plan: &Plan, lock: &OwnedFd, events: &dyn Events) -> Result<()> {
    let start = Instant::now();
    let mut told = false;
    while let Err(error) = rustix::fs::flock(lock, FlockOperation::NonBlockingLockExclusive) {
        if !matches!(error, Errno::AGAIN | Errno::INTR) {
            // A file system without locks: installs there do not protect each other, as with every other tool.
            return Ok(());
        }
        if start.elapsed() > MAX_LOCK_WAIT {
            return Err(Error::new(
                Code::Io,
                format!("Another install has been working in {} for 15 minutes", plan.root.display()),
            )
            .hint("end that process, then try again"));
        }
        if !std::mem::replace(&mut told, true) {
            events.note("waiting for another install of this project");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
