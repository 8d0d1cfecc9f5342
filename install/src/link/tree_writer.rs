//! What both linkers share: which directories are right already, links, removal, and the state that is left.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use json::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Code, Error, Result};
use crate::link::backend::{Backend, Method};
use crate::link::parallel_package::SharedPackages;
use crate::link::saved_state::{Known, State};
use crate::link::{Events, LinkOptions, Linked, fingerprint, state_home};
use crate::model::plan::{HAS_INSTALL_SCRIPT, Kind, PackageId, Plan, PlanPackage, TRUSTED};
use crate::model::spec::is_folder_name;
use crate::store::index::Stamp;
use crate::store::{Source, Store, fs};

const TRASH: &str = "node_modules/.bao-trash";

/// A failed operation of the system on a path, with the advice that fits.
pub(super) fn io(what: &str, path: &Path, error: Errno) -> Error {
    let out = Error::io(what, path, std::io::Error::from(error));
    match error {
        Errno::NOSPC | Errno::DQUOT => {
            out.hint("the disk is full; free some space and run the install again: it continues where it stopped")
        }
        Errno::ACCESS | Errno::PERM | Errno::ROFS => out.hint("the directory cannot be written to by this user"),
        _ => out,
    }
}

/// A path that may hold no NUL.
pub(super) fn c_path(path: &str) -> Result<CString> {
    CString::new(path).map_err(|_| Error::new(Code::Parse, format!("A name holds a NUL: \"{}\"", path.escape_debug())))
}

/// Rejects a folder name of node_modules that is none: `react` or `@scope/name`, without a way out.
pub(super) fn check_folder(name: &str) -> Result<()> {
    if is_folder_name(name) {
        Ok(())
    } else {
        Err(Error::new(Code::Parse, format!("The package name is not valid: \"{}\"", name.escape_debug())))
    }
}

/// One package to put in one place.
pub(crate) struct Job {
    /// Relative to the project.
    pub path: CString,
    pub package: PackageId,
    /// The level of the plan in the package's own node_modules, for which its directory was made already; else [`NO_ID`].
    pub(crate) nested: u32,
    /// Isolated linker: the entry's directory, in whose node_modules these links (name, target) come before the package.
    pub above: Option<(CString, Vec<(String, String)>)>,
    /// Part of the directory's identity beside the package: those links.
    pub salt: u64,
}

pub(crate) struct TreeWriter<'a> {
    pub plan: &'a Plan,
    pub store: &'a Arc<Store>,
    pub options: &'a LinkOptions,
    pub events: &'a dyn Events,
    pub root: OwnedFd,
    /// node_modules was there before.
    pub existed: bool,
    pub method: Arc<Method>,
    /// For packages whose scripts run: they may write to their files, which must not be the store's.
    pub(super) copies: Arc<Method>,
    /// The large packages of which several threads link the files.
    pub(super) shared: SharedPackages<'a>,
    pub linked: Linked,
    /// What the new state will list, and the links among it.
    pub(super) dirs: Vec<(CString, u64)>,
    links: Vec<(CString, u64)>,
    watched: Vec<(CString, u64)>,
    pub(super) later: Vec<(CString, CString)>,
    old: Option<Arc<State>>,
    discarded: Vec<CString>,
    /// The patched copies, by package.
    pub(super) patched: Vec<OnceLock<(String, Source)>>,
    /// Packages put in place that have install scripts.
    pub scripted: Vec<(CString, PackageId)>,
    /// Optional packages that could not be had.
    pub missing: FxHashSet<PackageId>,
}

/// What makes a directory the right one: never 0.
pub(super) fn identity(plan: &Plan, package: &PlanPackage) -> u64 {
    let text = format!(
        "{:?}\0{}\0{}\0{}\0{:x}\0{}",
        package.kind,
        plan.str(package.cache_dir),
        plan.str(package.path),
        plan.str(package.patch),
        package.patch_hash,
        plan.str(package.version)
    );
    crate::model::string_arena::hash(&text) | 1
}

impl<'a> TreeWriter<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        store: &'a Arc<Store>,
        options: &'a LinkOptions,
        events: &'a dyn Events,
        root: OwnedFd,
        existed: bool,
    ) -> Result<Self> {
        let old = existed.then(|| State::read(root.as_fd(), state_home(plan, options))).flatten().map(Arc::new);
        let mut writer = Self {
            plan,
            store,
            options,
            events,
            root,
            existed,
            method: Arc::new(Method::new(options.backend)),
            copies: Arc::new(Method::new(Backend::Clonefile)),
            shared: SharedPackages::default(),
            linked: Linked::default(),
            dirs: Vec::with_capacity(plan.placements.len() + plan.trees.len() + 8),
            links: Vec::new(),
            watched: Vec::new(),
            later: Vec::new(),
            old,
            discarded: Vec::new(),
            patched: Vec::new(),
            scripted: Vec::new(),
            missing: FxHashSet::default(),
        };
        writer.patched.resize_with(plan.packages.len(), OnceLock::new);
        Ok(writer)
    }

    pub(crate) fn package(&self, id: PackageId) -> &'a PlanPackage {
        &self.plan.packages[id as usize]
    }

    /// Adds name and version of a package to an error.
    pub(crate) fn named(&self, error: Error, id: PackageId) -> Error {
        let package = self.package(id);
        error.package(self.plan.str(package.name), self.plan.str(package.version))
    }

    /// What the last install left.
    pub(crate) fn old_state(&self) -> Arc<State> {
        self.old.clone().unwrap_or_default()
    }

    pub(crate) fn has_state(&self) -> bool {
        self.old.is_some()
    }

    /// True where the directory at `path` is the package already. The second value: it is unchanged since the last install.
    pub(crate) fn is_right(&self, old: &FxHashMap<&CStr, Known>, path: &CStr, id: PackageId) -> (bool, bool) {
        self.is_right_with(old, path, id, 0)
    }

    /// The same with something beside the package that has to be equal, too; it is known from the last install only.
    pub(crate) fn is_right_with(
        &self,
        old: &FxHashMap<&CStr, Known>,
        path: &CStr,
        id: PackageId,
        salt: u64,
    ) -> (bool, bool) {
        if self.options.force {
            return (false, false);
        }
        let package = self.package(id);
        if package.kind == Kind::Folder {
            return (false, false);
        }
        let Some(now) = fs::stamp(self.root.as_fd(), path) else {
            return (false, false);
        };
        match old.get(path) {
            Some(known) if known.identity != identity(self.plan, package) ^ salt => (false, false),
            Some(known) if known.stamp == now => (true, true),
            // Something was added or removed; the package is the same while its package.json is.
            Some(known) if known.stamp.inode == now.inode => (self.names_itself(path, package), false),
            // Another tool's directory (or one of an install that was killed) is taken over where only name and version decide.
            // One whose scripts may not have run is not.
            _ => {
                let scripted = package.flags & (TRUSTED | HAS_INSTALL_SCRIPT) == TRUSTED | HAS_INSTALL_SCRIPT;
                let plain = salt == 0
                    && package.kind == Kind::Npm
                    && package.patch.is_empty()
                    && (!scripted || self.options.ignore_scripts);
                (plain && self.names_itself(path, package), false)
            }
        }
    }

    /// True where the package.json in `path` has the package's name and version.
    fn names_itself(&self, path: &CStr, package: &PlanPackage) -> bool {
        let read = || -> Option<bool> {
            let path = CString::new([path.to_bytes(), b"/package.json"].concat()).ok()?;
            let file = rustix::fs::openat(&self.root, &path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
            let mut bytes = vec![0; 16 << 10];
            let mut filled = 0;
            loop {
                match rustix::io::read(&file, &mut bytes[filled..]).ok()? {
                    0 => break,
                    count => filled += count,
                }
                if filled == bytes.len() {
                    // A full read that ends here is one call; a larger file needs more room.
                    bytes.resize(filled * 4, 0);
                    if filled > 16 << 20 {
                        return None;
                    }
                } else if filled < 8 << 10 {
                    break;
                }
            }
            let bytes = bytes.get(..filled)?;
            let json = Value::parse(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()?;
            let version =
                |text: &str| text.trim_start_matches(['v', '=']).split('+').next().unwrap_or_default().to_owned();
            let same_name = json.text("name") == self.plan.str(package.name);
            let same_version =
                package.kind != Kind::Npm || version(json.text("version")) == version(self.plan.str(package.version));
            Some(same_name && same_version)
        };
        read().unwrap_or(false)
    }

    /// Makes a directory that holds others and notes it. A link in its place (or a file) is replaced: what is put into `.bin` or a
    /// scope must not land wherever a checkout has it point. node_modules itself may be a link, of the user's.
    pub(crate) fn container(&mut self, path: CString) -> Result<()> {
        let mode = Mode::from_raw_mode(0o755);
        let inner = memchr::memmem::find(path.to_bytes(), b"node_modules/").is_some();
        match rustix::fs::mkdirat(&self.root, &path, mode) {
            Ok(()) => {}
            Err(Errno::EXIST) if inner && fs::stamp(self.root.as_fd(), &path).is_none() => {
                self.discard(&path)?;
                rustix::fs::mkdirat(&self.root, &path, mode).map_err(|error| {
                    io("Could not make", &self.plan.root.join(path.to_string_lossy().as_ref()), error)
                })?;
            }
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => fs::make_dirs(self.root.as_fd(), &path.to_string_lossy())
                .map_err(|error| io("Could not make", &self.plan.root.join(path.to_string_lossy().as_ref()), error))?,
            Err(error) => {
                return Err(io("Could not make", &self.plan.root.join(path.to_string_lossy().as_ref()), error));
            }
        }
        self.dirs.push((path, 0));
        Ok(())
    }

    /// A directory that was found right.
    pub(crate) fn kept(&mut self, path: CString, id: PackageId) {
        self.kept_with(path, id, 0);
    }

    pub(crate) fn kept_with(&mut self, path: CString, id: PackageId, salt: u64) {
        self.linked.skipped += 1;
        self.dirs.push((path, identity(self.plan, self.package(id)) ^ salt));
    }

    /// A directory elsewhere that has to stay the same one, whatever is added to it.
    pub(crate) fn watch(&mut self, path: CString) {
        self.watched.push((path, 0));
    }

    /// Takes what is at `path` out of the tree; it is deleted at the end. Nothing there is no error.
    pub(crate) fn discard(&mut self, path: &CStr) -> Result<bool> {
        let count = self.discarded.len();
        let failed = |error| io("Could not remove", &self.plan.root.join(path.to_string_lossy().as_ref()), error);
        if count == 0 {
            // Made with the first one; what a killed install left in it goes with the rest.
            match rustix::fs::mkdirat(&self.root, TRASH, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let to = CString::new(format!("{TRASH}/{}-{count}", std::process::id())).unwrap_or_default();
        let gone = match rustix::fs::renameat(&self.root, path, &self.root, &to) {
            Ok(()) => true,
            Err(Errno::NOENT | Errno::NOTDIR) => false,
            Err(_) => fs::remove(self.root.as_fd(), path).map(|()| true).map_err(failed)?,
        };
        self.discarded.push(path.to_owned());
        Ok(gone)
    }

    /// [`Self::discard`] for a path where mostly nothing is.
    pub(crate) fn discard_if_there(&mut self, path: &CStr) -> Result<bool> {
        if rustix::fs::accessat(&self.root, path, rustix::fs::Access::EXISTS, AtFlags::SYMLINK_NOFOLLOW)
            == Err(Errno::NOENT)
        {
            return Ok(false);
        }
        self.discard(path)
    }

    /// The link `path` is made by [`Self::run`], on any of its threads; the directory that holds it has to be there.
    pub(crate) fn symlink_later(&mut self, path: CString, target: &str) -> Result<()> {
        self.links.push((path.clone(), crate::model::string_arena::hash(target) | 1));
        self.later.push((path, c_path(target)?));
        Ok(())
    }

    /// Removes the links made by this install whose target `gone` says is not there.
    pub(crate) fn forget_links(&mut self, gone: impl Fn(&str) -> bool) -> Result<()> {
        let root = self.root.as_fd();
        self.links.retain(|(path, _)| {
            let dangling =
                rustix::fs::readlinkat(root, path, Vec::new()).is_ok_and(|target| gone(&target.to_string_lossy()));
            if dangling {
                rustix::fs::unlinkat(root, path, AtFlags::empty()).ok();
            }
            !dangling
        });
        Ok(())
    }

    /// Notes that something else is in the place of a link for now.
    pub(crate) fn leave(&mut self, path: CString, target: &str) {
        self.linked.skipped += 1;
        self.links.push((path, crate::model::string_arena::hash(target) | 1));
    }

    /// Makes the symbolic link `path`, where it is not there already.
    pub(crate) fn symlink(&mut self, path: CString, target: &str) -> Result<bool> {
        let to = c_path(target)?;
        let made = link_at(self.root.as_fd(), &path, &to, self.existed).map_err(|error| {
            io("Could not make the link", &self.plan.root.join(path.to_string_lossy().as_ref()), error)
        })?;
        self.links.push((path, crate::model::string_arena::hash(target) | 1));
        Ok(made)
    }

    /// Writes the state for the next install.
    pub(crate) fn save(self) -> Linked {
        // Links are listed for their removal; their directories' times tell whether they are there.
        let fingerprint = fingerprint(self.plan, self.options);
        let root = self.root.as_fd();
        let home = state_home(self.plan, self.options);
        let state = State::write(root, home, fingerprint, self.dirs, self.watched, self.links);
        if let Err(error) = state {
            self.events.note(&format!("node_modules: .bao-state could not be written: {error}"));
        }
        self.linked
    }

    /// Whether what the old state has at `path` may be removed. The state is a file in node_modules, which may have come with the project from
    /// anywhere: only what lies in a node_modules of the project is this project's, and nothing that a symbolic link leads to now, for
    /// example the global store or a workspace member elsewhere. `members` are the directories that the new tree has a node_modules in.
    fn is_ours(&self, path: &CStr, members: &FxHashSet<Vec<u8>>) -> bool {
        let bytes = path.to_bytes();
        let Some((member, inside)) = in_modules(bytes) else { return false };
        let from = if members.contains(member) {
            // What the way to it leads through is where the new tree is, too.
            bytes.len() - inside.len() + MODULES.len()
        } else if is_plain(member) {
            0
        } else {
            return false;
        };
        is_plain(inside)
            && (from + 1..bytes.len())
                .filter(|&at| bytes[at] == b'/')
                .all(|at| CString::new(&bytes[..at]).is_ok_and(|above| fs::stamp(self.root.as_fd(), &above).is_some()))
    }

    /// Removes what earlier installs made and the plan does not have.
    ///
    /// # Errors
    /// The file system refused something.
    pub(crate) fn remove_stale(&mut self) -> Result<()> {
        self.remove_unplanned()?;
        self.linked.changed.sort_unstable();
        self.linked.changed.dedup();
        // What a killed install had taken out goes, too.
        if self.existed {
            fs::remove(self.root.as_fd(), c"node_modules/.bao-trash").ok();
        }
        Ok(())
    }

    fn remove_unplanned(&mut self) -> Result<()> {
        let Some(old) = self.old.take() else {
            return Ok(());
        };
        let stale: Vec<(CString, Known)> = {
            let now: FxHashSet<&CStr> =
                self.dirs.iter().chain(&self.watched).chain(&self.links).map(|(path, _)| path.as_c_str()).collect();
            old.dirs.iter().filter(|(path, _)| !now.contains(path.as_c_str())).cloned().collect()
        };
        let made = self.dirs.iter().chain(&self.links);
        let members: FxHashSet<Vec<u8>> =
            made.filter_map(|(path, _)| in_modules(path.to_bytes()).map(|(member, _)| member.to_vec())).collect();
        for (path, known) in stale.iter().filter(|(_, known)| known.identity != 0) {
            if self.discarded.iter().any(|above| is_below(path, above)) || !self.is_ours(path, &members) {
                continue;
            }
            if known.stamp == Stamp::default() {
                // A link: whatever else is there now is not ours.
                if rustix::fs::readlinkat(&self.root, path, Vec::new()).is_ok() {
                    rustix::fs::unlinkat(&self.root, path, AtFlags::empty()).ok();
                    // An entry of the global store is a package; the other links are names for one.
                    let entry =
                        path.to_bytes().strip_prefix(b"node_modules/.bun/").is_some_and(|name| !name.contains(&b'/'));
                    self.linked.removed += u32::from(entry);
                }
            } else if self.discard(&whole_entry(path))? {
                self.linked.removed += 1;
            }
        }
        if stale.iter().any(|(path, _)| path.as_c_str() == State::STORE_DIR) {
            State::leave_store(self.root.as_fd());
        }
        // Directories of the old tree that are empty now, inner ones first.
        for (path, _) in stale.iter().rev().filter(|(_, known)| known.identity == 0) {
            if self.is_ours(path, &members) {
                rustix::fs::unlinkat(&self.root, path, AtFlags::REMOVEDIR).ok();
            }
        }
        Ok(())
    }
}

const MODULES: &[u8] = b"node_modules";

/// A relative path as the directory that has the first node_modules of it, without a slash at its end, and the rest.
fn in_modules(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = memchr::memmem::find_iter(path, MODULES)
        .find(|&at| (at == 0 || path[at - 1] == b'/') && matches!(path.get(at + MODULES.len()), None | Some(b'/')))?;
    let member = &path[..start.saturating_sub(1)];
    (path[0] != b'/').then_some((member, &path[start..]))
}

/// Whether each part of a path is a name; that of nothing is plain.
fn is_plain(path: &[u8]) -> bool {
    path.is_empty() || path.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

/// Of a package of the isolated layout the entry's directory, which holds its links, too.
fn whole_entry(path: &CStr) -> CString {
    let prefix = b"node_modules/.bun/";
    let entry = path.to_bytes().strip_prefix(prefix).and_then(|rest| rest.split(|&byte| byte == b'/').next());
    match entry {
        Some(entry) if entry != b"node_modules" => CString::new([prefix, entry].concat()).unwrap_or_default(),
        _ => path.to_owned(),
    }
}

fn is_below(path: &CStr, above: &CStr) -> bool {
    path.to_bytes().strip_prefix(above.to_bytes()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// Makes a symbolic link; with `check` one that is right already stays. Anything else with that name is removed.
pub(super) fn link_at(at: BorrowedFd<'_>, path: &CStr, target: &CStr, check: bool) -> Result<bool, Errno> {
    if check && rustix::fs::readlinkat(at, path, Vec::new()).is_ok_and(|now| now.as_c_str() == target) {
        return Ok(false);
    }
    match rustix::fs::symlinkat(target, at, path) {
        Err(Errno::EXIST) => {
            if rustix::fs::readlinkat(at, path, Vec::new()).is_ok_and(|now| now.as_c_str() == target) {
                return Ok(false);
            }
            fs::remove(at, path)?;
            rustix::fs::symlinkat(target, at, path)?;
        }
        result => result?,
    }
    Ok(true)
}
