//! The view: what is at a path, if it is below a `node_modules` whose packages are in archives.
//!
//! A path is walked as the kernel walks it: part by part, following links, `..` after links. Where nothing of a project's index is
//! met, the answer is [`Place::Os`], and the system is asked as if this module were not there. Projects and archives stay open for
//! the rest of the process, so that what is read of them needs no owner.

use std::borrow::Cow;
use std::collections::hash_map::Entry as Slot;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

use memchr::memmem;
use rustc_hash::{FxBuildHasher, FxHashMap};
use rustix::io::Errno;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::archive::{Archive, Entry, Kind};
use crate::embedded;

/// Name of a project's index below `node_modules`.
pub const INDEX: &str = ".bao-store";

/// Permission bits of a directory of an index that the disk has nothing of: what is not in the index is not there, and the system
/// need not be asked.
pub const CLOSED: u32 = 0o555;

/// As many links as the kernel follows in one path.
const MAX_LINKS: u32 = 40;

const MODULES: &[u8] = b"node_modules";

/// A directory with a `node_modules` whose packages are in archives.
pub(crate) struct Project {
    /// Its path without links.
    pub(crate) root: Vec<u8>,
    pub(crate) index: Archive,
    /// By entry of the index; nothing for an archive that cannot be used.
    archives: Vec<OnceLock<Option<&'static Archive>>>,
}

pub(crate) static ACTIVE: AtomicBool = AtomicBool::new(false);
/// Whether a project with archives was met.
static MET: AtomicBool = AtomicBool::new(false);
/// By the text of a path before `/node_modules`, also through links.
static PROJECTS: RwLock<FxHashMap<Vec<u8>, Option<&'static Project>>> =
    RwLock::new(FxHashMap::with_hasher(FxBuildHasher));
/// How many of them are none: a program that names ever new paths must not fill the memory.
static MISSES: AtomicUsize = AtomicUsize::new(0);
/// With so many, they are forgotten and looked for again.
const MAX_MISSES: usize = 4096;
/// By path of the file.
static ARCHIVES: RwLock<FxHashMap<Vec<u8>, Option<&'static Archive>>> =
    RwLock::new(FxHashMap::with_hasher(FxBuildHasher));

/// Whether the process has met a project with archives, or has files in its executable. Everything else here is asked only then.
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// Whether packages of this program are in archives, and this executable is bao and not a program that was built.
pub(crate) fn has_project() -> bool {
    MET.load(Ordering::Relaxed) && !embedded::is_used()
}

/// Whether the packages that a program in `dir` finds are in archives: those of the nearest directory that has any.
pub fn are_packages_of(dir: &Path) -> bool {
    let modules = dir.ancestors().map(|dir| dir.join("node_modules")).find(|modules| modules.is_dir());
    modules.is_some_and(|modules| modules.join(INDEX).is_file())
}

/// Whether a path may lead into an archive: the cheap question before [`find`]. While no project with archives was met, it may only
/// if it names a `node_modules`, so that a program without them pays a search in the text of the path and nothing else.
pub fn concerns(path: &[u8]) -> bool {
    is_active() || modules_in(path, 0).is_some()
}

/// Where the text `node_modules` is in a path, from `from` on.
fn modules_in(path: &[u8], from: usize) -> Option<usize> {
    static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(MODULES));
    FINDER.find(path.get(from..)?).map(|at| from + at)
}

/// Looks at a directory and all above it: for a working directory below a `node_modules`, where paths relative to it lead into
/// archives without naming any.
pub fn discover(dir: &Path) {
    if modules_in(dir.as_os_str().as_encoded_bytes(), 0).is_none() {
        return;
    }
    for dir in dir.ancestors() {
        discover_at(dir.as_os_str().as_encoded_bytes());
    }
}

/// Looks whether `dir/node_modules` is such a project; what is known of it is not looked at again.
pub fn discover_at(dir: &[u8]) {
    // Below a project there is no other one.
    if matches!(find(dir, true), Place::Os) {
        project_at(dir);
    }
}

pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

fn project_at(prefix: &[u8]) -> Option<&'static Project> {
    if let Some(known) = PROJECTS.read().unwrap_or_else(PoisonError::into_inner).get(prefix) {
        return *known;
    }
    let mut file = prefix.to_vec();
    file.extend_from_slice(b"/node_modules/");
    file.extend_from_slice(INDEX.as_bytes());
    let found = match Archive::open(&path_of(&file)) {
        Ok(index) => Some(index),
        Err(error) => {
            if error.kind() == std::io::ErrorKind::InvalidData {
                base::stderr_line!(
                    "warn: {} cannot be used: {error}; run `bao install --force`",
                    path_of(&file).display()
                );
            }
            None
        }
    };
    let project = found.and_then(|index| {
        use std::os::unix::ffi::OsStringExt as _;
        let before = if prefix.is_empty() { PathBuf::from("/") } else { path_of(prefix) };
        let mut root = std::fs::canonicalize(before).ok()?.into_os_string().into_vec();
        if root == b"/" {
            root.clear();
        }
        let archives = (0..index.len()).map(|_| OnceLock::new()).collect();
        Some(&*Box::leak(Box::new(Project { root, index, archives })))
    });
    let mut projects = PROJECTS.write().unwrap_or_else(PoisonError::into_inner);
    if project.is_none() && MISSES.fetch_add(1, Ordering::Relaxed) >= MAX_MISSES {
        projects.retain(|_, known| known.is_some());
        MISSES.store(1, Ordering::Relaxed);
    }
    match projects.entry(prefix.to_vec()) {
        // Another thread was first.
        Slot::Occupied(known) => *known.get(),
        Slot::Vacant(place) => {
            place.insert(project);
            if project.is_some() {
                MET.store(true, Ordering::Relaxed);
                ACTIVE.store(true, Ordering::Relaxed);
            }
            project
        }
    }
}

/// The projects that were met, and that of `path`.
pub(crate) fn projects_with(path: &[u8]) -> Vec<&'static Project> {
    let own = modules_in(path, 0).and_then(|first| project_of(path, first)).map(|(project, _)| project);
    let met = PROJECTS.read().unwrap_or_else(PoisonError::into_inner);
    let mut all: Vec<&'static Project> = Vec::new();
    for project in own.into_iter().chain(met.values().copied().flatten()) {
        if !all.iter().any(|known| std::ptr::eq(*known, project)) {
            all.push(project);
        }
    }
    all
}

impl Project {
    pub(crate) fn archive(&'static self, mount: &Entry) -> Option<&'static Archive> {
        *self.archives.get(mount.number as usize)?.get_or_init(|| {
            let path = self.index.content(mount).ok()?;
            if let Some(known) = ARCHIVES.read().unwrap_or_else(PoisonError::into_inner).get(path) {
                return *known;
            }
            let file = path_of(path);
            let opened = match crate::record::archive(path).map_or_else(|| Archive::open(&file), Ok) {
                Ok(archive) => {
                    let archive = &*Box::leak(Box::new(archive));
                    crate::record::opened(path, archive);
                    Some(archive)
                }
                Err(error) => {
                    let name = String::from_utf8_lossy(self.index.name(mount)).into_owned();
                    base::stderr_line!(
                        "warn: node_modules/{name} cannot be read: {}: {error}; run `bao install --force`",
                        file.display()
                    );
                    None
                }
            };
            ARCHIVES.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_vec(), opened);
            opened
        })
    }
}

/// Something that is in an archive, or a directory or link of a project's index.
#[derive(Clone)]
pub struct Node {
    /// Its path without links.
    pub path: Vec<u8>,
    pub entry: Entry,
    pub(crate) archive: &'static Archive,
    /// A directory of the index: files that others put there are in it, too.
    pub shared: bool,
    /// In an archive, and not of the index.
    pub(crate) is_packaged: bool,
}

impl Node {
    pub fn is_dir(&self) -> bool {
        self.kind() == Kind::Dir
    }

    /// File, directory or link: archives and what is on the disk are directories.
    pub fn kind(&self) -> Kind {
        match self.entry.kind {
            Kind::Mount | Kind::Real => Kind::Dir,
            kind => kind,
        }
    }

    /// Type and permission bits. Nothing can be written to.
    pub fn mode(&self) -> u32 {
        u32::from(self.kind().bits()) | (if self.kind() == Kind::Link { 0o777 } else { self.entry.mode & !0o222 })
    }

    pub fn size(&self) -> u64 {
        if self.is_dir() { 4096 } else { self.entry.size }
    }

    /// When the archive was made, in seconds since the epoch.
    pub fn modified(&self) -> i64 {
        self.archive.modified
    }

    /// A number that stands for the path, as an inode's does.
    pub fn inode(&self) -> u64 {
        xxh3_64(&self.path) >> 11
    }

    /// The content of a file, or the target of a link.
    ///
    /// # Errors
    /// EIO, and a message on standard error, if it is damaged.
    pub fn content(&self) -> Result<&'static [u8], Errno> {
        self.archive.content(&self.entry).map_err(|damage| {
            let hint = if embedded::holds(&self.path) { "" } else { "; run `bao install --force`" };
            base::stderr_line!("warn: {} cannot be read: {damage}{hint}", path_of(&self.path).display());
            Errno::IO
        })
    }

    /// What is in a directory: names and kinds, sorted by name. What the disk has in a shared one is not among them.
    pub fn children(&self) -> impl Iterator<Item = (&'static [u8], Kind)> + '_ {
        let archive = self.archive;
        archive.children(&self.entry).map(move |entry| {
            let name = archive.name(&entry);
            let kind = if matches!(entry.kind, Kind::Mount | Kind::Real) { Kind::Dir } else { entry.kind };
            (&name[memchr::memrchr(b'/', name).map_or(0, |at| at + 1)..], kind)
        })
    }
}

/// What is at a path.
pub enum Place {
    /// Not below such a `node_modules`, or something there that others made: the system knows.
    Os,
    /// The same at another path, behind links of the index.
    At(Vec<u8>),
    Node(Node),
    /// Where only an archive can be: it is not there (ENOENT), is below a file (ENOTDIR), or cannot be read (EIO, ELOOP).
    Missing(Errno),
}

/// What is at `path`. Links on the way are followed, and one at the end with `follow`.
pub fn find(path: &[u8], follow: bool) -> Place {
    if path.first() == Some(&b'/') {
        return find_absolute(path, follow);
    }
    if path.is_empty() || !concerns(path) {
        return Place::Os;
    }
    let Ok(cwd) = rustix::process::getcwd(Vec::new()) else { return Place::Os };
    let mut whole = cwd.into_bytes();
    whole.push(b'/');
    whole.extend_from_slice(path);
    find_absolute(&whole, follow)
}

fn find_absolute(path: &[u8], follow: bool) -> Place {
    let first = modules_in(path, 0);
    if first.is_none() && !is_active() {
        return Place::Os;
    }
    if let Some(place) = embedded::find(path) {
        return place;
    }
    match first.and_then(|first| project_of(path, first)) {
        Some(found) => walk(path, found, follow),
        None => Place::Os,
    }
}

/// The first project of which the path names the `node_modules`, and what follows that. `first` is where the path has that text for the
/// first time.
fn project_of(path: &[u8], first: usize) -> Option<(&'static Project, usize)> {
    let mut next = Some(first);
    while let Some(start) = next {
        let end = start + MODULES.len();
        if start > 0 && path[start - 1] == b'/' && path.get(end).is_none_or(|&byte| byte == b'/') {
            let mut before = start - 1;
            while before > 0 && path[before - 1] == b'/' {
                before -= 1;
            }
            if !is_isolated(&path[..before])
                && let Some(project) = project_at(&path[..before])
            {
                return Some((project, end));
            }
        }
        next = modules_in(path, end);
    }
    None
}

/// Whether a directory is one that the isolated linker made for a package (`node_modules/.bun/NAME@VERSION`): its `node_modules` has
/// no index, and there are many of them.
fn is_isolated(dir: &[u8]) -> bool {
    memchr::memrchr(b'/', dir).is_some_and(|at| dir[..at].ends_with(b"/node_modules/.bun"))
}

/// Where a walk is.
enum At {
    /// In a directory of the index.
    Index,
    /// In an archive; how long the part of the path is that names its place in the index.
    Inside(&'static Archive, usize),
}

/// What is at `path`, of which [`project_of`] has found `found`.
fn walk(path: &[u8], found: (&'static Project, usize), follow: bool) -> Place {
    let mut path = Cow::Borrowed(path);
    let mut found = Some(found);
    let mut links = 0;
    // The path as it was asked for is left to the system as it is.
    let os = |path: Vec<u8>, links: u32| if links == 0 { Place::Os } else { Place::At(path) };
    'again: loop {
        let of_path = || modules_in(&path, 0).and_then(|first| project_of(&path, first));
        // None only behind a link.
        let Some((project, start)) = found.take().or_else(of_path) else { return Place::At(path.into_owned()) };
        let parts: Vec<&[u8]> = path[start..].split(|&byte| byte == b'/').collect();
        let slash = path.ends_with(b"/") || path.ends_with(b"/.");
        // Below node_modules, without links.
        let mut rel: Vec<u8> = Vec::new();
        let mut at = At::Index;
        let Some(mut entry) = project.index.root() else { return os(path.into_owned(), links) };
        let whole = |rel: &[u8], rest: &[&[u8]]| {
            let mut out = project.root.clone();
            out.push(b'/');
            out.extend_from_slice(MODULES);
            for part in [rel].into_iter().chain(rest.iter().copied()).filter(|part| !part.is_empty()) {
                out.push(b'/');
                out.extend_from_slice(part);
            }
            out
        };
        let mut next = 0;
        while next < parts.len() {
            let part = parts[next];
            next += 1;
            if part.is_empty() || part == b"." {
                continue;
            }
            if entry.kind != Kind::Dir {
                return Place::Missing(Errno::NOTDIR);
            }
            if part == b".." {
                if rel.is_empty() {
                    let mut above = project.root.clone();
                    for part in &parts[next..] {
                        above.push(b'/');
                        above.extend_from_slice(part);
                    }
                    if above.is_empty() {
                        above.push(b'/');
                    }
                    path = Cow::Owned(above);
                    links += 1;
                    if links > MAX_LINKS * 4 {
                        return Place::Missing(Errno::LOOP);
                    }
                    continue 'again;
                }
                rel.truncate(memchr::memrchr(b'/', &rel).unwrap_or(0));
                if let At::Inside(_, top) = at
                    && rel.len() < top
                {
                    at = At::Index;
                }
                let found = match &at {
                    At::Index => project.index.get(&rel),
                    At::Inside(archive, top) => archive.get(rel.get(top + 1..).unwrap_or(&[])),
                };
                let Some(found) = found else { return Place::Missing(Errno::NOENT) };
                entry = found;
                continue;
            }
            let before = rel.len();
            if before > 0 {
                rel.push(b'/');
            }
            rel.extend_from_slice(part);
            let (archive, found): (&'static Archive, _) = match &at {
                At::Index => (&project.index, project.index.get(&rel)),
                At::Inside(archive, top) => (archive, archive.get(rel.get(top + 1..).unwrap_or(&[]))),
            };
            let Some(found) = found else {
                return match at {
                    At::Index if entry.mode == CLOSED => Place::Missing(Errno::NOENT),
                    At::Index => os(whole(&rel, &parts[next..]), links),
                    At::Inside(..) => Place::Missing(Errno::NOENT),
                };
            };
            let last = parts[next..].iter().all(|part| part.is_empty());
            match found.kind {
                Kind::Link if last && !follow && !slash => {
                    let is_packaged = matches!(at, At::Inside(..));
                    let path = whole(&rel, &[]);
                    return Place::Node(Node { path, entry: found, archive, shared: false, is_packaged });
                }
                Kind::Link => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Place::Missing(Errno::LOOP);
                    }
                    let Ok(target) = archive.content(&found) else { return Place::Missing(Errno::IO) };
                    let mut to = if target.starts_with(b"/") { Vec::new() } else { whole(&rel[..before], &[]) };
                    if !target.starts_with(b"/") {
                        to.push(b'/');
                    }
                    to.extend_from_slice(target);
                    for part in &parts[next..] {
                        to.push(b'/');
                        to.extend_from_slice(part);
                    }
                    path = Cow::Owned(to);
                    continue 'again;
                }
                Kind::Mount => {
                    let Some(inside) = project.archive(&found) else { return Place::Missing(Errno::IO) };
                    let Some(root) = inside.root() else { return Place::Missing(Errno::IO) };
                    at = At::Inside(inside, rel.len());
                    entry = root;
                }
                Kind::Real => return os(whole(&rel, &parts[next..]), links),
                Kind::File | Kind::Dir => entry = found,
            }
        }
        if slash && entry.kind == Kind::File {
            return Place::Missing(Errno::NOTDIR);
        }
        let path = whole(&rel, &[]);
        return match at {
            At::Index => {
                let shared = entry.mode != CLOSED;
                Place::Node(Node { path, entry, archive: &project.index, shared, is_packaged: false })
            }
            At::Inside(archive, _) => Place::Node(Node { path, entry, archive, shared: false, is_packaged: true }),
        };
    }
}

/// The project of an archive that has `path`, or a directory above it, and the name of the package; nothing for other paths.
pub(crate) fn package_of(path: &[u8]) -> Option<(PathBuf, String)> {
    let mut above = path;
    let inside = loop {
        match find(above, true) {
            Place::Node(node) if !node.shared => break node.path,
            Place::Node(_) | Place::Os | Place::At(_) => return None,
            Place::Missing(_) => above = &above[..memchr::memrchr(b'/', above)?],
        }
    };
    let (project, start) = project_of(&inside, modules_in(&inside, 0)?)?;
    // `/.bun/NAME@VERSION/node_modules/NAME`: nothing else of an index is an archive.
    let rest = inside.get(start..)?.strip_prefix(b"/.bun/")?;
    let rest = &rest[memchr::memchr(b'/', rest)?..];
    let name = rest.strip_prefix(b"/node_modules/")?;
    let parts = if name.starts_with(b"@") { 2 } else { 1 };
    let name: Vec<&[u8]> = name.split(|&byte| byte == b'/').take(parts).collect();
    Some((path_of(&project.root), String::from_utf8(name.join(&b'/')).ok()?))
}

/// The content of a file that is in an archive; nothing if the system knows better.
///
/// # Errors
/// Those of [`Place::Missing`], EISDIR for a directory.
pub fn cat(path: &[u8]) -> Option<Result<Cow<'static, [u8]>, Errno>> {
    match find(path, true) {
        Place::Node(node) if node.shared => None,
        Place::Node(node) if node.is_dir() => Some(Err(Errno::ISDIR)),
        Place::Node(node) => Some(node.content().map(Cow::Borrowed)),
        Place::Missing(errno) => Some(Err(errno)),
        Place::At(path) => match std::fs::read(path_of(&path)) {
            Ok(bytes) => Some(Ok(Cow::Owned(bytes))),
            Err(error) => Some(Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))),
        },
        Place::Os => None,
    }
}

/// Names of what is in a directory of an archive or of an index, without what the disk has there; none for other paths.
pub fn names_in(path: &[u8]) -> Vec<String> {
    let Place::Node(node) = find(path, true) else { return Vec::new() };
    node.children().filter_map(|(name, _)| String::from_utf8(name.to_vec()).ok()).collect()
}

/// The same as [`Path::is_dir`], in archives, too.
pub fn is_dir(path: &Path) -> bool {
    match find(path.as_os_str().as_encoded_bytes(), true) {
        Place::Node(node) => node.is_dir(),
        Place::At(path) => path_of(&path).is_dir(),
        Place::Missing(_) => false,
        Place::Os => path.is_dir(),
    }
}

/// The same as [`Path::is_file`], in archives, too.
pub fn is_file(path: &Path) -> bool {
    match find(path.as_os_str().as_encoded_bytes(), true) {
        Place::Node(node) => node.kind() == Kind::File,
        Place::At(path) => path_of(&path).is_file(),
        Place::Missing(_) => false,
        Place::Os => path.is_file(),
    }
}

/// The same as [`std::fs::canonicalize`], in archives, too.
///
/// # Errors
/// Those of the system, and of [`Place::Missing`].
pub fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    match find(path.as_os_str().as_encoded_bytes(), true) {
        Place::Node(node) => Ok(path_of(&node.path)),
        Place::At(path) => std::fs::canonicalize(path_of(&path)),
        Place::Missing(errno) => Err(errno.into()),
        Place::Os => std::fs::canonicalize(path),
    }
}

/// A real file with the content of one that is in an archive, for what only the system can open (a library, a program): below the
/// temporary directory of this user, named by its content, so that it is written once.
///
/// # Errors
/// Those of the system.
pub fn extract(node: &Node) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    let content = node.content()?;
    let user = rustix::process::geteuid().as_raw();
    let dir = std::env::temp_dir().join(format!("bao-store-{user}"));
    match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // Somebody else's directory of that name would let them choose what runs here.
    let status = std::fs::symlink_metadata(&dir)?;
    if !status.is_dir() || status.uid() != user || status.mode() & 0o022 != 0 {
        return Err(std::io::Error::other(format!("{} is not a private directory of this user", dir.display())));
    }
    let name = path_of(&node.path);
    let base = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = dir.join(format!("{:032x}-{base}", xxh3_128(content)));
    if std::fs::metadata(&file).is_ok_and(|status| status.len() == content.len() as u64) {
        return Ok(file);
    }
    let beside = dir.join(format!(".tmp-{}-{:x}", std::process::id(), xxh3_64(&node.path)));
    std::fs::write(&beside, content)?;
    std::fs::set_permissions(&beside, std::fs::Permissions::from_mode(0o500))?;
    std::fs::rename(&beside, &file)?;
    Ok(file)
}
