//! What is known about directories: listings, link targets, `package.json` files.
//!
//! Two ways of asking whether a name exists are mixed. A single question about a directory is one
//! `lstat`. Once a directory is asked about more often (probing extensions asks ten times), it is
//! listed and further questions cost no system call. How much of a directory may be listed grows with
//! the number of questions asked, so that one import out of a directory with a hundred thousand
//! entries does not read them all.
//!
//! A file that is created later must not stay invisible: before a failed resolution is reported, the
//! resolver calls [`Dirs::refresh`] on the directories that answered "not there" and tries again when
//! any of them changed.

pub(crate) use crate::listing::Slot;
use crate::listing::{BLANK, Listing, Name};
use crate::package_json::PackageJson;
use crate::paths;
use crate::vfs::{DirStamp, EntryKind, ListEnd, Vfs};
use rustc_hash::FxHashMap;
use std::io;
use std::sync::Arc;

/// Index of a directory in [`Dirs`]. The directory need not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DirId(u32);

impl DirId {
    pub(crate) const ROOT: DirId = DirId(0);

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn from_number(number: u32) -> DirId {
        DirId(number)
    }
}

/// Place of a name in its directory's listing; [`UNLISTED`](Place::UNLISTED) when there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

impl Place {
    pub(crate) const UNLISTED: Place = Place(u32::MAX);
}

/// What a path means by its form.
pub(crate) enum Located<'p> {
    /// A name in a directory.
    Name(DirId, &'p str),
    /// The path ends in `/`, `.` or `..`, or is the root.
    Dir(DirId),
}

enum Entries {
    /// Not listed yet, or too large to list for the questions asked so far.
    Unlisted,
    Listed(Listing),
    /// Not there (or not a directory), found out during this turn.
    Missing(u32),
    /// Cannot be listed (no permission); single questions may still work.
    Closed,
}

/// A `package.json` that may be there.
#[derive(Clone)]
pub(crate) enum Manifest {
    Unread,
    /// None, found out during this turn.
    None(u32),
    Read(Arc<PackageJson>),
    Invalid(Arc<json::Error>),
}

pub(crate) struct Dir {
    pub path: Arc<str>,
    pub parent: Option<DirId>,
    /// Whether the directory is a `node_modules` or below one.
    pub in_node_modules: bool,
    is_node_modules: bool,
    entries: Entries,
    /// Names found by single questions.
    known: FxHashMap<Box<str>, Slot>,
    questions: u32,
    /// Number of questions at which listing is tried.
    list_at: u32,
    real: Option<DirId>,
    manifest: Manifest,
    /// Nearest package, memoised, and the turn of the memo.
    scope: Option<(Option<Arc<PackageJson>>, u32)>,
    /// Nearest `node_modules` of this directory or a parent, likewise.
    modules: Option<(Option<DirId>, u32)>,
}

/// Questions about a directory that are answered one by one before it is listed: more for
/// `node_modules`, which are large and asked about a few packages.
fn first_listing(is_node_modules: bool) -> u32 {
    if is_node_modules { 24 } else { 2 }
}

/// A listing may always read this many entries.
const SMALL_LISTING: usize = 512;
/// How many entries a listing may read per question asked so far.
const ENTRIES_PER_QUESTION: usize = 8;
/// Links followed before a chain counts as a loop (Linux's limit).
const MAX_LINKS: u32 = 40;

pub(crate) struct Dirs {
    vfs: Box<dyn Vfs>,
    all: Vec<Dir>,
    by_path: FxHashMap<Arc<str>, DirId>,
    entry_fields: Vec<Box<str>>,
    scratch: String,
    /// Counts resolutions, so that facts found during the current one are not checked again.
    pub turn: u32,
    /// Directories that answered "not there" from an earlier turn's knowledge.
    doubted: Vec<DirId>,
    /// Whether `package.json` files count.
    pub reads_packages: bool,
}

impl Dirs {
    pub(crate) fn new(vfs: Box<dyn Vfs>, entry_fields: Vec<Box<str>>) -> Self {
        let mut dirs = Dirs {
            vfs,
            all: Vec::new(),
            by_path: FxHashMap::default(),
            entry_fields,
            scratch: String::new(),
            turn: 0,
            doubted: Vec::new(),
            reads_packages: true,
        };
        dirs.add("/", None);
        dirs.all[0].real = Some(DirId::ROOT);
        dirs
    }

    pub(crate) fn get(&self, dir: DirId) -> &Dir {
        &self.all[dir.0 as usize]
    }

    fn get_mut(&mut self, dir: DirId) -> &mut Dir {
        &mut self.all[dir.0 as usize]
    }

    pub(crate) fn path(&self, dir: DirId) -> &Arc<str> {
        &self.get(dir).path
    }

    fn add(&mut self, path: &str, parent: Option<DirId>) -> DirId {
        let id = DirId(self.all.len() as u32);
        let path: Arc<str> = path.into();
        let is_node_modules = paths::base_name(&path) == "node_modules";
        let above = parent.is_some_and(|p| self.get(p).in_node_modules);
        self.by_path.insert(path.clone(), id);
        self.all.push(Dir {
            path,
            parent,
            in_node_modules: is_node_modules || above,
            is_node_modules,
            entries: Entries::Unlisted,
            known: FxHashMap::default(),
            questions: 0,
            list_at: first_listing(is_node_modules),
            real: None,
            manifest: Manifest::Unread,
            scope: None,
            modules: None,
        });
        id
    }

    /// Id of the directory at an absolute path as callers give it.
    pub(crate) fn intern_any(&mut self, path: &str) -> DirId {
        match self.by_path.get(path) {
            Some(&id) => id,
            None => self.intern(&paths::normalize(path)),
        }
    }

    /// Id of the directory at an absolute, normalised path.
    pub(crate) fn intern(&mut self, path: &str) -> DirId {
        if let Some(&id) = self.by_path.get(path) {
            return id;
        }
        let parent = paths::parent(path).map(|parent| self.intern(parent));
        self.add(path, parent)
    }

    /// Id of `dir/name`.
    pub(crate) fn child(&mut self, dir: DirId, name: &str) -> DirId {
        let mut path = std::mem::take(&mut self.scratch);
        paths::join_into(&mut path, &self.get(dir).path, name);
        let id = match self.by_path.get(path.as_str()) {
            Some(&id) => id,
            None => self.add(&path, Some(dir)),
        };
        self.scratch = path;
        id
    }

    /// `base` joined with `rel` (relative or absolute), lexically.
    pub(crate) fn locate<'p>(&mut self, base: DirId, rel: &'p str) -> Located<'p> {
        let (head, last) = match rel.rfind('/') {
            Some(0) => ("/", &rel[1..]),
            Some(at) => rel.split_at(at + 1),
            None => ("", rel),
        };
        match last {
            "" | "." | ".." => Located::Dir(self.descend(base, rel)),
            name => Located::Name(self.descend(base, head), name),
        }
    }

    /// The directory that `rel` names from `base`.
    pub(crate) fn descend(&mut self, base: DirId, rel: &str) -> DirId {
        let mut at = if rel.starts_with('/') { DirId::ROOT } else { base };
        let mut segments = rel.split('/');
        // Going up follows the parents; only what goes down makes a path to look up.
        let first = loop {
            match segments.next() {
                None => return at,
                Some("" | ".") => {}
                Some("..") => at = self.get(at).parent.unwrap_or(at),
                Some(name) => break name,
            }
        };
        let mut path = std::mem::take(&mut self.scratch);
        paths::join_into(&mut path, &self.get(at).path, first);
        for segment in segments {
            match segment {
                "" | "." => {}
                ".." => path.truncate(path.rfind('/').unwrap_or(0)),
                name => {
                    path.push('/');
                    path.push_str(name);
                }
            }
        }
        let id = self.intern(if path.is_empty() { "/" } else { &path });
        self.scratch = path;
        id
    }

    /// Notes that no part of this path is a link, as holds for the result of `getcwd`.
    pub(crate) fn assume_real(&mut self, path: &str) {
        let mut at = Some(self.intern(path));
        while let Some(dir) = at {
            self.get_mut(dir).real = Some(dir);
            at = self.get(dir).parent;
        }
    }

    fn doubt(&mut self, dir: DirId) {
        if self.doubted.last() != Some(&dir) {
            self.doubted.push(dir);
        }
    }

    /// What `name` in `dir` is; links are followed.
    pub(crate) fn entry(&mut self, dir: DirId, name: &str) -> Option<Slot> {
        self.find(dir, name).map(|(slot, _)| slot)
    }

    /// [`entry`](Self::entry) and its place in the listing.
    pub(crate) fn find(&mut self, dir: DirId, name: &str) -> Option<(Slot, Place)> {
        let turn = self.turn;
        if matches!(self.get(dir).entries, Entries::Unlisted) {
            if let Some(&slot) = self.get(dir).known.get(name) {
                return self.follow(dir, name, slot, Place::UNLISTED);
            }
            let entry = self.get_mut(dir);
            entry.questions += 1;
            if entry.questions > entry.list_at {
                self.list(dir);
            }
        }
        let doubtful = match &self.get(dir).entries {
            Entries::Listed(listing) => match listing.find(name) {
                Some(index) => {
                    let place = Place(index as u32);
                    return self.follow(dir, name, listing.names[index].slot, place);
                }
                None if listing.may_hold(name) => return self.ask(dir, name),
                None => listing.turn != turn,
            },
            Entries::Missing(when) => *when != turn,
            Entries::Unlisted | Entries::Closed => return self.ask(dir, name),
        };
        if doubtful {
            self.doubt(dir);
        }
        None
    }

    /// Name at a place of a listing.
    pub(crate) fn name_at(&self, dir: DirId, place: Place) -> &str {
        match &self.get(dir).entries {
            Entries::Listed(listing) => listing.text_of(&listing.names[place.0 as usize]),
            _ => "",
        }
    }

    /// What was noted about the file at a place.
    pub(crate) fn note(&self, dir: DirId, place: Place) -> Option<u32> {
        match &self.get(dir).entries {
            Entries::Listed(listing) if place != Place::UNLISTED => {
                Some(listing.names[place.0 as usize].note).filter(|note| *note != BLANK)
            }
            _ => None,
        }
    }

    /// Notes a number about the file at a place; [`forget`](Self::forget) erases all notes.
    pub(crate) fn set_note(&mut self, dir: DirId, place: Place, note: u32) {
        if let Entries::Listed(listing) = &mut self.get_mut(dir).entries
            && place != Place::UNLISTED
        {
            listing.names[place.0 as usize].note = note;
        }
    }

    /// One `lstat`.
    fn ask(&mut self, dir: DirId, name: &str) -> Option<(Slot, Place)> {
        if let Some(&slot) = self.get(dir).known.get(name) {
            return self.follow(dir, name, slot, Place::UNLISTED);
        }
        let mut path = std::mem::take(&mut self.scratch);
        paths::join_into(&mut path, &self.get(dir).path, name);
        let kind = self.vfs.entry_kind(&path);
        self.scratch = path;
        let slot = Slot::of(kind.ok()?);
        self.get_mut(dir).known.insert(name.into(), slot);
        self.follow(dir, name, slot, Place::UNLISTED)
    }

    fn list(&mut self, dir: DirId) {
        let turn = self.turn;
        let entry = &self.all[dir.0 as usize];
        let limit = SMALL_LISTING.max(entry.questions as usize * ENTRIES_PER_QUESTION);
        let mut text = String::new();
        let mut names = Vec::new();
        let end = self.vfs.list(&entry.path, limit, &mut |name, kind| {
            // Longer names exist on no supported file system.
            if let Ok(len) = u8::try_from(name.len()) {
                names.push(Name { start: text.len() as u32, note: BLANK, len, slot: Slot::of(kind) });
                text.push_str(name);
            }
        });
        let entry = self.get_mut(dir);
        match end {
            Ok(ListEnd::Complete(stamp)) => {
                entry.known = FxHashMap::default();
                entry.entries = Entries::Listed(Listing::new(text, names, stamp, turn));
            }
            Ok(ListEnd::Truncated) => entry.list_at = entry.questions * 2 + 64,
            Err(error) if is_absence(&error) => entry.entries = Entries::Missing(turn),
            Err(_) => entry.entries = Entries::Closed,
        }
    }

    /// Finds out what a link or an entry of unknown kind is, and remembers it.
    fn follow(&mut self, dir: DirId, name: &str, slot: Slot, place: Place) -> Option<(Slot, Place)> {
        match slot {
            Slot::LinkBroken => None,
            Slot::Link | Slot::Unknown => self.settle(dir, name, slot, place),
            settled => Some((settled, place)),
        }
    }

    #[cold]
    fn settle(&mut self, dir: DirId, name: &str, slot: Slot, place: Place) -> Option<(Slot, Place)> {
        let mut path = std::mem::take(&mut self.scratch);
        paths::join_into(&mut path, &self.get(dir).path, name);
        let slot = match slot {
            Slot::Unknown => self.vfs.entry_kind(&path).map_or(Slot::LinkBroken, Slot::of),
            other => other,
        };
        let slot = match slot {
            Slot::Link => match self.vfs.kind(&path) {
                Ok(EntryKind::Dir) => Slot::LinkDir,
                Ok(_) => Slot::LinkFile,
                Err(_) => Slot::LinkBroken,
            },
            other => other,
        };
        self.scratch = path;
        let entry = self.get_mut(dir);
        match &mut entry.entries {
            Entries::Listed(listing) if place != Place::UNLISTED => {
                listing.names[place.0 as usize].slot = slot;
            }
            _ => {
                entry.known.insert(name.into(), slot);
            }
        }
        (slot != Slot::LinkBroken).then_some((slot, place))
    }

    /// The directory without symbolic links in its path.
    pub(crate) fn real(&mut self, dir: DirId) -> DirId {
        self.real_within(dir, 0)
    }

    fn real_within(&mut self, dir: DirId, links: u32) -> DirId {
        if let Some(real) = self.get(dir).real {
            return real;
        }
        let Some(parent) = self.get(dir).parent else {
            return dir;
        };
        let real_parent = self.real_within(parent, links);
        let path = self.get(dir).path.clone();
        let name = paths::base_name(&path);
        let real = if real_parent != parent {
            let moved = self.child(real_parent, name);
            self.real_within(moved, links)
        } else {
            match self.link_target(parent, name) {
                Some(target) if links < MAX_LINKS => self.walk(parent, &target, links + 1),
                _ => dir,
            }
        };
        self.get_mut(dir).real = Some(real);
        real
    }

    /// Target of the link `dir/name`; `None` if it is not a link.
    fn link_target(&mut self, dir: DirId, name: &str) -> Option<String> {
        let entry = self.get(dir);
        let slot = match &entry.entries {
            Entries::Listed(listing) => listing.find(name).map(|i| listing.names[i].slot),
            _ => entry.known.get(name).copied(),
        };
        // An unlisted name is read as a link right away: that answers both questions in one call.
        if matches!(slot, Some(Slot::File | Slot::Dir | Slot::Other)) {
            return None;
        }
        let mut path = std::mem::take(&mut self.scratch);
        paths::join_into(&mut path, &self.get(dir).path, name);
        let target = self.vfs.read_link(&path).ok();
        self.scratch = path;
        target
    }

    /// Follows a link target from the real directory it was found in; the result is real.
    fn walk(&mut self, from: DirId, target: &str, links: u32) -> DirId {
        let mut at = if target.starts_with('/') { DirId::ROOT } else { from };
        for segment in target.split('/') {
            match segment {
                "" | "." => {}
                ".." => at = self.get(at).parent.unwrap_or(at),
                name => {
                    let next = self.child(at, name);
                    at = self.real_within(next, links);
                }
            }
        }
        at
    }

    /// Real directory and name of the file `dir/name`, which exists and may be a link.
    pub(crate) fn real_file(&mut self, dir: DirId, name: &str) -> (DirId, Box<str>) {
        let mut at = self.real(dir);
        let mut name: Box<str> = name.into();
        for links in 1..=MAX_LINKS {
            let Some(target) = self.link_target(at, &name) else {
                break;
            };
            let target = target.trim_end_matches('/');
            let (head, last) = target.rsplit_once('/').unwrap_or(("", target));
            let absolute = target.starts_with('/');
            if matches!(last, "" | "." | "..") {
                break;
            }
            at = if absolute && head.is_empty() { DirId::ROOT } else { self.walk(at, head, links) };
            name = last.into();
        }
        (at, name)
    }

    /// The `package.json` in `dir`.
    pub(crate) fn manifest(&mut self, dir: DirId) -> Manifest {
        let turn = self.turn;
        if !self.reads_packages {
            return Manifest::None(turn);
        }
        match &self.get(dir).manifest {
            Manifest::Unread => {}
            Manifest::None(when) => {
                if *when != turn {
                    self.doubt(dir);
                }
                return Manifest::None(turn);
            }
            read => return read.clone(),
        }
        let absent = match &self.get(dir).entries {
            Entries::Listed(listing) => {
                let absent = listing.find("package.json").is_none() && !listing.may_hold("package.json");
                absent.then_some(listing.turn)
            }
            Entries::Missing(when) => Some(*when),
            Entries::Unlisted | Entries::Closed => None,
        };
        let manifest = match absent {
            Some(when) => {
                if when != turn {
                    self.doubt(dir);
                }
                Manifest::None(when)
            }
            None => {
                let mut path = String::new();
                paths::join_into(&mut path, &self.get(dir).path, "package.json");
                match self.vfs.read(&path) {
                    Ok(bytes) => match PackageJson::parse(path.into(), &bytes, &self.entry_fields) {
                        Ok(package) => Manifest::Read(Arc::new(package)),
                        Err(error) => Manifest::Invalid(Arc::new(error)),
                    },
                    Err(_) => Manifest::None(turn),
                }
            }
        };
        self.get_mut(dir).manifest = manifest.clone();
        manifest
    }

    /// Nearest `package.json` of `dir` and its parents, not looking past a `node_modules` directory.
    ///
    /// # Errors
    /// The directory and error of a `package.json` on the way that is not JSON.
    pub(crate) fn scope(&mut self, dir: DirId) -> Result<Option<Arc<PackageJson>>, (DirId, Arc<json::Error>)> {
        if let Some((scope, when)) = &self.get(dir).scope {
            let scope = scope.clone();
            if scope.is_none() && *when != self.turn {
                self.doubt(dir);
            }
            return Ok(scope);
        }
        let scope = if self.get(dir).is_node_modules {
            None
        } else {
            match self.manifest(dir) {
                Manifest::Read(package) => Some(package),
                Manifest::Invalid(error) => return Err((dir, error)),
                Manifest::Unread | Manifest::None(_) => match self.get(dir).parent {
                    Some(parent) => self.scope(parent)?,
                    None => None,
                },
            }
        };
        self.get_mut(dir).scope = Some((scope.clone(), self.turn));
        Ok(scope)
    }

    /// Nearest existing `node_modules` directory that a module in `dir` searches.
    pub(crate) fn nearest_modules(&mut self, dir: DirId) -> Option<DirId> {
        if let Some((found, when)) = self.get(dir).modules {
            if when != self.turn {
                self.doubt(dir);
            }
            return found;
        }
        let own = if self.get(dir).is_node_modules {
            None
        } else {
            let there = self.entry(dir, "node_modules").is_some_and(Slot::is_dir);
            there.then(|| {
                self.vfs.met_modules(&self.get(dir).path);
                self.child(dir, "node_modules")
            })
        };
        let found = match (own, self.get(dir).parent) {
            (Some(own), _) => Some(own),
            (None, Some(parent)) => self.nearest_modules(parent),
            (None, None) => None,
        };
        self.get_mut(dir).modules = Some((found, self.turn));
        found
    }

    /// The `node_modules` directory searched after `modules`.
    pub(crate) fn next_modules(&mut self, modules: DirId) -> Option<DirId> {
        let owner = self.get(modules).parent?;
        let above = self.get(owner).parent?;
        self.nearest_modules(above)
    }

    /// Starts a resolution.
    pub(crate) fn begin(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        self.doubted.clear();
    }

    /// Checks the directories that answered "not there" from older knowledge, and the parents of
    /// `importer`, against the file system. Gives whether anything was forgotten, in which case the
    /// resolution is worth another try.
    pub(crate) fn refresh(&mut self, importer: DirId) -> bool {
        let mut doubted = std::mem::take(&mut self.doubted);
        let mut at = Some(importer);
        while let Some(dir) = at {
            doubted.push(dir);
            at = self.get(dir).parent;
        }
        doubted.sort_unstable();
        doubted.dedup();
        let mut changed = false;
        for dir in doubted {
            changed |= self.refresh_dir(dir);
        }
        changed
    }

    fn refresh_dir(&mut self, dir: DirId) -> bool {
        let turn = self.turn;
        let stale = match &self.get(dir).entries {
            Entries::Listed(listing) if listing.turn != turn => {
                let now = self.vfs.stamp(&self.get(dir).path);
                !now.is_ok_and(|now| now == listing.stamp && is_settled(now))
            }
            Entries::Missing(when) => *when != turn,
            _ => false,
        };
        let entry = self.get_mut(dir);
        let mut changed = stale;
        if stale {
            entry.entries = Entries::Unlisted;
            entry.list_at = first_listing(entry.is_node_modules);
            entry.questions = 0;
        }
        // Without a listing to vouch for it, a missing package.json is looked for again.
        let vouched = matches!(entry.entries, Entries::Listed(_));
        if matches!(entry.manifest, Manifest::None(when) if when != turn) && !vouched {
            entry.manifest = Manifest::Unread;
            changed = true;
        }
        if entry.scope.as_ref().is_some_and(|(_, when)| *when != turn) {
            entry.scope = None;
            changed |= !vouched;
        }
        if entry.modules.is_some_and(|(_, when)| when != turn) {
            entry.modules = None;
            changed |= !vouched;
        }
        changed
    }

    /// Forgets what depends on the entry at `path` and on everything below it.
    pub(crate) fn forget(&mut self, path: &str) {
        for dir in &mut self.all {
            dir.forget_conclusions();
            let below = dir.path.strip_prefix(path).is_some_and(|r| r.is_empty() || r.starts_with('/'));
            if below || paths::parent(path) == Some(&*dir.path) {
                dir.forget_entries();
            }
        }
        self.all[0].real = Some(DirId::ROOT);
    }

    /// Forgets everything read from the file system.
    pub(crate) fn forget_all(&mut self) {
        for dir in &mut self.all {
            dir.forget_conclusions();
            dir.forget_entries();
        }
        self.all[0].real = Some(DirId::ROOT);
    }

    /// Names in `dir`, for suggestions; none when it is too large or cannot be read.
    pub(crate) fn names(&mut self, dir: DirId) -> Vec<String> {
        let mut out = Vec::new();
        let path = self.get(dir).path.clone();
        let end = self.vfs.list(&path, 2000, &mut |name, _| out.push(name.to_owned()));
        if matches!(end, Ok(ListEnd::Complete(_))) { out } else { Vec::new() }
    }
}

impl Dir {
    fn forget_conclusions(&mut self) {
        self.scope = None;
        self.modules = None;
        self.real = None;
        if let Entries::Listed(listing) = &mut self.entries {
            for name in &mut listing.names {
                name.note = BLANK;
            }
        }
    }

    fn forget_entries(&mut self) {
        self.entries = Entries::Unlisted;
        self.known.clear();
        self.questions = 0;
        self.list_at = first_listing(self.is_node_modules);
        self.manifest = Manifest::Unread;
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a directory was last changed long enough ago for the clock that stamps it to have moved
/// on since: a later change is then sure to give another stamp.
fn is_settled(stamp: DirStamp) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i128);
    // Kernel ticks are at most 10 ms; network file systems may round to seconds.
    stamp.modified + 2_000_000_000 < now
}
