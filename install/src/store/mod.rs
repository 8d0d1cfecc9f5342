//! The store: unpacked packages below the cache directory, with Bun's names (`react@19.3.1@@@1`, `@T@…`, `@GH@…`).
//!
//! A package is unpacked into `.tmp/` and renamed to its place, so its directory is whole or absent whenever a process is killed, and of
//! two processes that unpack the same package the second one finds it there. A cache that cannot be written to is only read; what it
//! lacks is unpacked to a private directory that lives as long as the [`Store`].

pub(crate) mod git;
pub(crate) mod tarball;

pub(crate) mod archives;
pub(crate) mod fs;
pub(crate) mod index;
mod stream;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use tar::{Inflater, Limits};

use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;
use crate::model::string_arena::hash;
use crate::store::index::{Index, Names, Stamp};
use crate::store::tarball::extract::Listing;
use crate::store::tarball::{digest, extract};

/// A downloaded tarball and what is known about it.
#[derive(Clone)]
pub struct TarballJob {
    /// Folder below the cache.
    pub cache_dir: String,
    pub name: String,
    pub version: String,
    pub url: String,
    pub integrity: Integrity,
    /// Give back the bytes of package.json.
    pub want_manifest: bool,
    /// Compute the SHA-512 of the tarball.
    pub want_integrity: bool,
}

/// The end of one job.
pub struct Done {
    pub cache_dir: String,
    pub result: Result<Unpacked>,
}

pub struct Unpacked {
    pub integrity: Option<Integrity>,
    pub package_json: Option<Vec<u8>>,
    pub files: u32,
    pub bytes: u64,
}

/// Which directory holds a package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Cache,
    /// The private directory beside a cache that cannot be written to.
    Overlay,
    /// Not a directory: an archive (`--linker=store`).
    Archive,
}

/// A package directory that is whole.
#[derive(Clone)]
pub struct Source {
    place: Place,
    stamp: Stamp,
    listing: Option<Arc<Listing>>,
}

enum Slot {
    /// A download or an unpacking is under way.
    Expected,
    Ready(Source),
    Failed(Error),
}

/// What the store knows of a package.
pub enum Lookup {
    Ready(Source),
    /// [`Store::wait`] will report it.
    Expected,
    Failed(Error),
    Missing,
}

#[derive(Default)]
struct State {
    slots: FxHashMap<Box<str>, Slot>,
    queue: VecDeque<(TarballJob, Vec<u8>)>,
    /// Packages that became ready or failed since somebody waited.
    finished: Vec<Box<str>>,
    records: Vec<u8>,
    workers: usize,
    idle: usize,
    /// How many are in [`Store::wait`], and in [`Store::settled`].
    waiting: usize,
    watching: usize,
    /// Unpacking or queued.
    busy: usize,
    closing: bool,
}

type Notify = Box<dyn Fn(Done) + Send + Sync>;

pub struct Store {
    path: PathBuf,
    cache: OwnedFd,
    index: OnceLock<Index>,
    threads: usize,
    done: Notify,
    state: Mutex<State>,
    /// A job was queued.
    work: Condvar,
    /// A package was finished.
    progress: Condvar,
    /// The same, for those who wait for one package.
    settled: Condvar,
    /// The directory in which packages are unpacked, made with the first one; and the private one.
    staging: OnceLock<Result<OwnedFd, Errno>>,
    overlay: OnceLock<Result<(OwnedFd, PathBuf)>>,
    counter: AtomicU64,
    /// Tarballs that are unpacked while they arrive.
    streams: AtomicUsize,
    process: u32,
    /// What is unpacked takes the place of what is there (`--force`).
    pub replace: AtomicBool,
    /// The archives, if the linker takes packages from there.
    archives: OnceLock<archives::Archives>,
}

/// Rejects a folder name that does not stay directly below the cache.
fn check_key(cache_dir: &str) -> Result<()> {
    let parts = || cache_dir.split('/');
    let safe = !cache_dir.is_empty()
        && !cache_dir.contains('\0')
        && parts().all(|part| !part.is_empty() && part != "." && part != "..")
        && (parts().count() == 1 || cache_dir.starts_with('@'))
        && cache_dir.len() < 3000;
    if safe {
        Ok(())
    } else {
        Err(Error::new(
            Code::Parse,
            format!("The package name or version is not valid: \"{}\"", cache_dir.escape_debug()),
        ))
    }
}

/// Writes `.bun-tag` of an archive of a repository, in place of one that the repository may hold.
fn write_tag(root: BorrowedFd<'_>, tag: &str) -> Result<(), Errno> {
    let _ = rustix::fs::unlinkat(root, ".bun-tag", AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::openat(root, ".bun-tag", flags, Mode::from_raw_mode(0o644))?;
    extract::write_all(&file, tag.as_bytes()).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn cannot_write(error: Errno) -> bool {
    matches!(error, Errno::ROFS | Errno::ACCESS | Errno::PERM)
}

fn io(what: &str, path: impl AsRef<Path>, error: Errno) -> Error {
    let error_text = std::io::Error::from(error);
    let out = Error::io(what, path, error_text);
    match error {
        Errno::NOSPC | Errno::DQUOT => {
            out.hint("free some space, or choose another cache with --cache-dir or BUN_INSTALL_CACHE_DIR")
        }
        _ => out,
    }
}

impl Store {
    /// Opens the cache directory, making it where it is absent. `threads` is the most that unpack at once; none is started before the
    /// first tarball comes. `done` is called on one of them once per submitted job.
    ///
    /// # Errors
    /// The directory neither exists nor can be made.
    pub fn open(cache: &Path, threads: usize, done: Notify) -> Result<Arc<Self>> {
        // SAFETY: only changes when the allocator gives memory back. Without it one tarball of 20 MB raises the limit below which freed
        // memory is kept, for the rest of the process.
        #[cfg(target_env = "gnu")]
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10);
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || rustix::fs::open(cache, flags, Mode::empty());
        let (path, fd) = match open() {
            Ok(fd) => (cache.to_owned(), fd),
            Err(Errno::NOENT) => match std::fs::create_dir_all(cache) {
                Ok(()) => (cache.to_owned(), open().map_err(|error| io("Could not open the cache", cache, error))?),
                Err(error) => {
                    return Err(Error::io("Could not make the cache directory", cache, error)
                        .hint("choose another one with --cache-dir or BUN_INSTALL_CACHE_DIR"));
                }
            },
            Err(error) => {
                return Err(io("Could not open the cache", cache, error)
                    .hint("choose another one with --cache-dir or BUN_INSTALL_CACHE_DIR"));
            }
        };
        Ok(Arc::new(Self {
            path,
            cache: fd,
            index: OnceLock::new(),
            threads: threads.max(1),
            done,
            state: Mutex::default(),
            work: Condvar::new(),
            progress: Condvar::new(),
            settled: Condvar::new(),
            staging: OnceLock::new(),
            overlay: OnceLock::new(),
            counter: AtomicU64::new(0),
            streams: AtomicUsize::new(0),
            process: std::process::id(),
            replace: AtomicBool::new(false),
            archives: OnceLock::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cache directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor of the cache directory.
    pub fn cache_fd(&self) -> BorrowedFd<'_> {
        self.cache.as_fd()
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::open(self.cache.as_fd()))
    }

    /// Looks at the disk only: one call where the index knows the directory, two otherwise.
    fn probe(&self, cache_dir: &str) -> Option<Source> {
        check_key(cache_dir).ok()?;
        let path = CString::new(cache_dir).ok()?;
        let stamp = fs::stamp(self.cache.as_fd(), &path)?;
        let source = Source { place: Place::Cache, stamp, listing: None };
        if self.index().get(hash(cache_dir), stamp).is_some() {
            return Some(source);
        }
        let manifest = CString::new(format!("{cache_dir}/package.json")).ok()?;
        rustix::fs::accessat(&self.cache, manifest.as_c_str(), rustix::fs::Access::EXISTS, AtFlags::empty()).ok()?;
        Some(source)
    }

    /// True where the whole package is there.
    pub fn contains(&self, cache_dir: &str) -> bool {
        match self.lock().slots.get(cache_dir) {
            Some(Slot::Ready(_)) => return true,
            Some(Slot::Failed(_)) => return false,
            _ => {}
        }
        let Some(source) = self.find_source(cache_dir) else {
            return false;
        };
        self.lock().slots.insert(cache_dir.into(), Slot::Ready(source));
        true
    }

    /// Announces a download, so that [`Store::wait`] waits for it.
    pub fn expect(&self, cache_dir: &str) {
        self.lock().slots.insert(cache_dir.into(), Slot::Expected);
    }

    /// The download failed: whoever waits for the package gets this error.
    pub fn failed(&self, cache_dir: &str, error: Error) {
        self.finish(cache_dir, Slot::Failed(error));
    }

    fn finish(&self, cache_dir: &str, slot: Slot) {
        let mut state = self.lock();
        state.slots.insert(cache_dir.into(), slot);
        state.finished.push(cache_dir.into());
        let (waiting, watching) = (state.waiting > 0, state.watching > 0);
        drop(state);
        if waiting {
            self.progress.notify_one();
        }
        if watching {
            self.settled.notify_all();
        }
    }

    /// Queues a downloaded tarball to be verified, unpacked and put in its place. Never blocks.
    pub fn submit(self: &Arc<Self>, job: TarballJob, tarball: Vec<u8>) {
        let mut state = self.lock();
        state.slots.insert(job.cache_dir.as_str().into(), Slot::Expected);
        state.queue.push_back((job, tarball));
        state.busy += 1;
        if state.idle > 0 {
            drop(state);
            self.work.notify_one();
            return;
        }
        if state.workers == self.threads {
            return;
        }
        state.workers += 1;
        drop(state);
        let store = Arc::downgrade(self);
        let spawned = std::thread::Builder::new().name("bao-unpack".into()).spawn(move || {
            let mut inflater = Inflater::new();
            while let Some(store) = store.upgrade() {
                if !store.work_once(&mut inflater) {
                    return;
                }
            }
        });
        if spawned.is_err() {
            // No thread to be had: the job is done here and now.
            self.lock().workers -= 1;
            self.work_once(&mut Inflater::new());
        }
    }

    /// Takes one job, waiting at most a moment for one; false where the store closes.
    fn work_once(&self, inflater: &mut Inflater) -> bool {
        let mut state = self.lock();
        while state.queue.is_empty() {
            if state.closing {
                state.workers -= 1;
                return false;
            }
            state.idle += 1;
            let (woken, timeout) =
                self.work.wait_timeout(state, Duration::from_secs(2)).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.queue.is_empty() {
                // The worker ends (and with it its hold on the store); the next job starts another.
                state.workers -= 1;
                return false;
            }
        }
        let Some((job, tarball)) = state.queue.pop_front() else {
            return true;
        };
        drop(state);
        let result = self.unpack(inflater, &job, &tarball);
        drop(tarball);
        let result = match result {
            Ok((unpacked, source)) => {
                self.finish(&job.cache_dir, Slot::Ready(source));
                Ok(unpacked)
            }
            Err(error) => {
                let error = error.package(&job.name, &job.version).url(job.url.as_str());
                self.finish(&job.cache_dir, Slot::Failed(error.clone()));
                Err(error)
            }
        };
        (self.done)(Done { cache_dir: job.cache_dir, result });
        let mut state = self.lock();
        state.busy -= 1;
        if state.closing {
            self.settled.notify_all();
        }
        true
    }

    /// The directory for unpacking: `.tmp` of the cache, or of the overlay where the cache cannot be written to.
    fn staging(&self) -> Result<(&OwnedFd, Place)> {
        let staging = self.staging.get_or_init(|| {
            match rustix::fs::mkdirat(&self.cache, ".tmp", Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            rustix::fs::accessat(
                &self.cache,
                ".tmp",
                rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
                AtFlags::EACCESS,
            )?;
            let dir = fs::open_path(self.cache.as_fd(), c".tmp")?;
            self.sweep();
            Ok(dir)
        });
        match staging {
            Ok(fd) => Ok((fd, Place::Cache)),
            Err(error) if cannot_write(*error) => Ok((&self.overlay()?.0, Place::Overlay)),
            Err(error) => Err(io("Could not write to the cache", &self.path, *error)),
        }
    }

    fn overlay(&self) -> Result<&(OwnedFd, PathBuf)> {
        let overlay = self.overlay.get_or_init(|| {
            let unique =
                std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
            let path = std::env::temp_dir().join(format!("bao-store-{}-{unique:x}", std::process::id()));
            rustix::fs::mkdir(&path, Mode::from_raw_mode(0o700)).map_err(|error| io("Could not make", &path, error))?;
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let fd =
                rustix::fs::open(&path, flags, Mode::empty()).map_err(|error| io("Could not open", &path, error))?;
            Ok((fd, path))
        });
        overlay.as_ref().map_err(Clone::clone)
    }

    /// Removes what killed processes left in `.tmp` more than an hour ago.
    fn sweep(&self) {
        let Ok(dir) = fs::open_dir(self.cache.as_fd(), c".tmp") else {
            return;
        };
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i64);
        let mut old = Vec::new();
        let _ = fs::entries(dir.as_fd(), |name, _| {
            if name.to_bytes().starts_with(b"bao-")
                && fs::stamp(dir.as_fd(), name).is_some_and(|stamp| now - stamp.time > 3_600_000_000_000)
            {
                old.push(name.to_owned());
            }
            Ok(())
        });
        for name in old {
            let _ = fs::remove(dir.as_fd(), &name);
        }
    }

    fn fd(&self, place: Place) -> Result<BorrowedFd<'_>> {
        match place {
            Place::Cache | Place::Archive => Ok(self.cache.as_fd()),
            Place::Overlay => Ok(self.overlay()?.0.as_fd()),
        }
    }

    /// A new name below the staging directory.
    fn staged_name(&self) -> CString {
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        let time =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        CString::new(format!("bao-{:x}-{count:x}-{time:x}", self.process)).unwrap_or_default()
    }

    fn unpack(&self, inflater: &mut Inflater, job: &TarballJob, tarball: &[u8]) -> Result<(Unpacked, Source)> {
        check_key(&job.cache_dir)?;
        digest::verify(&job.integrity, tarball)?;
        if let Some(packed) = self.pack(inflater, job, tarball)? {
            return Ok(packed);
        }
        let integrity = job.want_integrity.then(|| match job.integrity {
            Integrity::Sha512(_) => job.integrity,
            _ => digest::sha512(tarball),
        });
        let mut kept = None;
        let source = self.stage(&job.cache_dir, |root| {
            let mut limits = Limits::for_tarball(tarball.len());
            let repository = job.cache_dir.strip_prefix("@GH@").and_then(|rest| rest.strip_suffix("@@@1"));
            limits.links &= repository.is_none();
            let digest = || match job.integrity {
                Integrity::Sha512(_) => job.integrity.to_string(),
                _ => digest::sha512(tarball).to_string(),
            };
            // What a package of no registry was made of.
            let tag = match repository {
                Some(tag) => Some(tag.to_owned()),
                None => job.cache_dir.starts_with("@T@").then(digest),
            };
            let mut extracted = extract::extract(inflater, tarball, root, limits, job.want_manifest)?;
            if let Some(tag) = tag {
                write_tag(root, &tag).map_err(|error| io("Could not write to the cache", &self.path, error))?;
                extracted.listing.push_file(0, b".bun-tag");
            }
            kept = Some((extracted.package_json, extracted.files, extracted.bytes));
            Ok(extracted.listing)
        })?;
        let (package_json, files, bytes) = kept.unwrap_or_default();
        Ok((Unpacked { integrity, package_json, files, bytes }, source))
    }

    /// Fills a new directory and moves it to `cache_dir` in one step.
    ///
    /// # Errors
    /// Those of `fill` and of the file system; nothing is left behind then.
    pub fn stage(&self, cache_dir: &str, fill: impl FnOnce(BorrowedFd<'_>) -> Result<Listing>) -> Result<Source> {
        self.stage_in(cache_dir, |root, _| fill(root))
    }

    /// The same for a directory that another program fills, which needs its path; the package is ready then.
    pub fn stage_at(&self, cache_dir: &str, fill: impl FnOnce(BorrowedFd<'_>, &Path) -> Result<Listing>) -> Result<()> {
        let source = self.stage_in(cache_dir, |root, name| {
            let staging = self.staging_dir()?;
            fill(root, &staging.join(name))
        })?;
        self.finish(cache_dir, Slot::Ready(source));
        Ok(())
    }

    fn staging_dir(&self) -> Result<PathBuf> {
        match self.staging()?.1 {
            Place::Cache | Place::Archive => Ok(self.path.join(".tmp")),
            Place::Overlay => Ok(self.overlay()?.1.clone()),
        }
    }

    /// A path of nothing yet, below the directory in which packages are made.
    pub fn staging_path(&self) -> Result<PathBuf> {
        Ok(self.staging_dir()?.join(self.staged_name().to_string_lossy().as_ref()))
    }

    /// A file of a package that is in the store; nothing where the package has no such file.
    pub fn read_file(&self, cache_dir: &str, name: &str) -> Result<Option<Vec<u8>>> {
        let Lookup::Ready(source) = self.lookup(cache_dir) else { return Ok(None) };
        let path = self.place_path(source.place)?.join(cache_dir).join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("Could not read", &path, error)),
        }
    }

    /// Whether a package that is in the store has a file.
    pub fn has_file(&self, cache_dir: &str, name: &str) -> bool {
        let Lookup::Ready(source) = self.lookup(cache_dir) else { return false };
        self.place_path(source.place).is_ok_and(|path| path.join(cache_dir).join(name).is_file())
    }

    fn place_path(&self, place: Place) -> Result<PathBuf> {
        match place {
            Place::Cache | Place::Archive => Ok(self.path.clone()),
            Place::Overlay => Ok(self.overlay()?.1.clone()),
        }
    }

    fn stage_in(&self, cache_dir: &str, fill: impl FnOnce(BorrowedFd<'_>, &str) -> Result<Listing>) -> Result<Source> {
        let (staging, place) = self.staging()?;
        let name = self.staged_name();
        let failed = |error| io("Could not write to the cache", &self.path, error);
        rustix::fs::mkdirat(staging, &name, Mode::from_raw_mode(0o755)).map_err(failed)?;
        let result = (|| {
            let root = fs::open_path(staging.as_fd(), &name).map_err(failed)?;
            let listing = fill(root.as_fd(), &name.to_string_lossy())?;
            let stamp = fs::stamp(root.as_fd(), c".").ok_or_else(|| failed(Errno::NOENT))?;
            let source = Source { place, stamp, listing: Some(Arc::new(listing)) };
            self.publish(staging.as_fd(), &name, cache_dir, source)
        })();
        if result.is_err() {
            let _ = fs::remove(staging.as_fd(), &name);
        }
        result
    }

    fn publish(&self, staging: BorrowedFd<'_>, name: &CString, cache_dir: &str, source: Source) -> Result<Source> {
        let to = self.fd(source.place)?;
        let failed = |error| io("Could not put the package into the cache as", self.path.join(cache_dir), error);
        let target = CString::new(cache_dir).map_err(|_| failed(Errno::INVAL))?;
        let rename = || rustix::fs::renameat(staging, name, to, &target);
        let mut result = rename();
        if result == Err(Errno::NOENT)
            && let Some((scope, _)) = cache_dir.rsplit_once('/')
        {
            fs::make_dirs(to, scope).map_err(failed)?;
            result = rename();
        }
        match result {
            Ok(()) => {}
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {
                let kept = source.place == Place::Cache && !self.replace.load(Ordering::Relaxed);
                if let Some(theirs) = kept.then(|| self.probe(cache_dir)).flatten() {
                    // Another process was first; its directory has the same content.
                    let _ = fs::remove(staging, name);
                    return Ok(theirs);
                }
                // Something that is not a whole package: the two change places and the old one goes.
                rustix::fs::renameat_with(staging, name, to, &target, RenameFlags::EXCHANGE).map_err(failed)?;
                let _ = fs::remove(staging, name);
            }
            Err(error) => return Err(failed(error)),
        }
        if source.place == Place::Cache
            && let Some(listing) = &source.listing
        {
            index::record(hash(cache_dir), source.stamp, listing, &mut self.lock().records);
        }
        Ok(source)
    }

    /// What is known of a package, after a look at the disk where that is nothing.
    pub fn lookup(&self, cache_dir: &str) -> Lookup {
        match self.lock().slots.get(cache_dir) {
            Some(Slot::Ready(source)) => return Lookup::Ready(source.clone()),
            Some(Slot::Expected) => return Lookup::Expected,
            Some(Slot::Failed(error)) => return Lookup::Failed(error.clone()),
            None => {}
        }
        if self.contains(cache_dir) { self.lookup(cache_dir) } else { Lookup::Missing }
    }

    /// The same, after waiting up to `patience` for a package that is expected. It is reported by [`Store::wait`] all the same.
    pub fn settled(&self, cache_dir: &str, patience: Duration) -> Lookup {
        let mut state = self.lock();
        if matches!(state.slots.get(cache_dir), Some(Slot::Expected)) {
            state.watching += 1;
            (state, _) = self
                .settled
                .wait_timeout_while(state, patience, |state| matches!(state.slots.get(cache_dir), Some(Slot::Expected)))
                .unwrap_or_else(PoisonError::into_inner);
            state.watching -= 1;
        }
        drop(state);
        self.lookup(cache_dir)
    }

    /// Takes up to `most` keys of packages that became ready or failed, waiting for the first one. None where nothing came for `patience`,
    /// or `stop` was set (and [`Store::wake`] called).
    pub fn wait(&self, patience: Duration, stop: &AtomicBool, most: usize) -> Option<Vec<Box<str>>> {
        let mut state = self.lock();
        if state.finished.is_empty() {
            state.waiting += 1;
            (state, _) = self
                .progress
                .wait_timeout_while(state, patience, |state| state.finished.is_empty() && !stop.load(Ordering::Relaxed))
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        let count = state.finished.len().min(most);
        let taken: Vec<_> = state.finished.drain(..count).collect();
        if !state.finished.is_empty() && state.waiting > 0 {
            self.progress.notify_one();
        }
        (!taken.is_empty()).then_some(taken)
    }

    /// Wakes everybody in [`Store::wait`].
    pub fn wake(&self) {
        if self.lock().waiting > 0 {
            self.progress.notify_all();
        }
    }

    /// The directory in which the package's folder is: the cache, or the private one beside a cache that cannot be written to.
    pub fn base(&self, source: &Source) -> Result<BorrowedFd<'_>> {
        self.fd(source.place)
    }

    /// The directory of a package, open as a starting point for names.
    pub fn open_package(&self, cache_dir: &str, source: &Source) -> Result<OwnedFd> {
        let path = CString::new(cache_dir).map_err(|_| Error::new(Code::Parse, "A package name holds a NUL"))?;
        fs::open_path(self.fd(source.place)?, &path)
            .map_err(|error| io("Could not open", self.path.join(cache_dir), error))
    }

    /// About how many files the package has, 0 where nothing says so without reading its directory.
    pub fn size_hint(&self, cache_dir: &str, source: &Source) -> u32 {
        match &source.listing {
            Some(listing) => listing.file_count,
            None => self.index().size_hint(hash(cache_dir)).unwrap_or(0),
        }
    }

    /// The files of a package: from memory or the index, otherwise read from its directory (and noted for the next time). Symbolic links
    /// in it are the second part.
    pub fn names(&self, cache_dir: &str, source: &Source) -> Result<(Names<'_>, Vec<(CString, CString)>)> {
        if let Some(listing) = &source.listing
            && !listing.links
        {
            return Ok((Names::Owned(listing.clone()), Vec::new()));
        }
        let key = hash(cache_dir);
        if source.place == Place::Cache
            && let Some(names) = self.index().get(key, source.stamp)
        {
            return Ok((names, Vec::new()));
        }
        let path = CString::new(cache_dir).map_err(|_| Error::new(Code::Parse, "A package name holds a NUL"))?;
        let (listing, links) = fs::open_dir(self.fd(source.place)?, &path)
            .and_then(|dir| fs::walk(dir.as_fd(), &[]))
            .map_err(|error| io("Could not read", self.path.join(cache_dir), error))?;
        if source.place == Place::Cache {
            index::record(key, source.stamp, &listing, &mut self.lock().records);
        }
        Ok((Names::Owned(Arc::new(listing)), links))
    }

    /// True where the package's directory is still the one that was found, but files of `names` are not in it: somebody deleted them.
    pub fn lacks_files(&self, cache_dir: &str, source: &Source, names: &Names<'_>) -> bool {
        let lacks = || {
            let path = CString::new(cache_dir).ok()?;
            let base = self.fd(source.place).ok()?;
            let same = fs::stamp(base, &path)? == source.stamp;
            let dir = fs::open_path(base, &path).ok()?;
            let absent = |name: &std::ffi::CStr| {
                rustix::fs::accessat(&dir, name, rustix::fs::Access::EXISTS, AtFlags::SYMLINK_NOFOLLOW)
                    == Err(Errno::NOENT)
            };
            Some(same && extract::files(names.files()).any(|(_, name)| absent(name)))
        };
        lacks().unwrap_or(false)
    }

    /// Takes a damaged package out of the cache, so that it is downloaded again. False where the cache cannot be written to.
    pub fn discard(&self, cache_dir: &str) -> bool {
        let (Ok((staging, Place::Cache)), Ok(path)) = (self.staging(), CString::new(cache_dir)) else {
            return false;
        };
        let name = self.staged_name();
        if rustix::fs::renameat(&self.cache, &path, staging, &name).is_err() {
            return false;
        }
        let _ = fs::remove(staging.as_fd(), &name);
        self.lock().slots.remove(cache_dir);
        true
    }

    /// Reads the directory of a package anew: it turned out to hold something else than the index says.
    pub fn reread(&self, cache_dir: &str) {
        self.lock().slots.remove(cache_dir);
        let fresh = || {
            let path = CString::new(cache_dir).ok()?;
            let stamp = fs::stamp(self.cache.as_fd(), &path)?;
            let dir = fs::open_dir(self.cache.as_fd(), &path).ok()?;
            let (listing, _) = fs::walk(dir.as_fd(), &[]).ok()?;
            listing.manifest.then(|| Source { place: Place::Cache, stamp, listing: Some(Arc::new(listing)) })
        };
        if let Some(source) = fresh() {
            let mut state = self.lock();
            if let Some(listing) = &source.listing {
                index::record(hash(cache_dir), source.stamp, listing, &mut state.records);
            }
            state.slots.insert(cache_dir.into(), Slot::Ready(source));
        }
    }

    /// Writes the index of what was unpacked or read since.
    pub fn save_index(&self) {
        let records = std::mem::take(&mut self.lock().records);
        if !records.is_empty() {
            self.index().save(self.cache.as_fd(), &records);
        }
    }
}

/// How long [`Store::close`] waits for packages that are being unpacked.
const LAST_WAIT: Duration = Duration::from_secs(10);

impl Store {
    /// Writes the index, lets workers end and removes the private directory. What is queued is dropped; what is being unpacked is waited
    /// for, since an exit in the middle would leave its temporary file behind. Call it before the process exits, after the end of the
    /// network where downloads are under way.
    pub fn close(&self) {
        self.stop();
        let until = Instant::now() + LAST_WAIT;
        let mut state = self.lock();
        while state.busy > 0 || self.streams.load(Ordering::Relaxed) > 0 {
            if Instant::now() > until {
                break;
            }
            // Streams do not tell: their end is looked for.
            state = self
                .settled
                .wait_timeout(state, Duration::from_millis(5))
                .map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
    }

    fn stop(&self) {
        self.save_index();
        let mut state = self.lock();
        state.closing = true;
        state.busy -= state.queue.len();
        state.queue.clear();
        drop(state);
        self.work.notify_all();
        if let Some(Ok((_, path))) = self.overlay.get() {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Nobody unpacks any more, or it is a worker that drops the store.
        self.stop();
    }
}
