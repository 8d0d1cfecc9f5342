//! Putting packages in their place, on several threads: those first whose files are in the store, the others as they come.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Code, Error, Result};
use crate::link::package::{self, From};
use crate::link::tree_writer::{Job, TreeWriter, c_path, identity, io, link_at};
use crate::link::{bins, isolated, patch, scripts};
use crate::model::plan::{HAS_INSTALL_SCRIPT, Kind, NO_ID, OPTIONAL, PackageId, TRUSTED};
use crate::store::index::Names;
use crate::store::{Lookup, Source, fs};

/// Links that are one piece of work.
const CHUNK: usize = 32;
/// Longest wait for any of the packages that are still to come.
const PATIENCE: Duration = Duration::from_secs(600);

/// Unpacked packages that one thread takes at a time.
const BATCH: usize = 4;

/// What the threads share that wait for packages.
struct Arrivals {
    /// Keys that are still to come, with their places.
    waiting: Mutex<FxHashMap<Box<str>, Vec<usize>>>,
    absent: Mutex<Vec<PackageId>>,
    error: Mutex<Option<Error>>,
    last: Mutex<Instant>,
    stop: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl TreeWriter<'_> {
    /// The directory and the listing of a package of the store, patched where the plan says so.
    pub(crate) fn source(&self, id: PackageId) -> Result<(String, Source)> {
        let package = self.package(id);
        let key = self.plan.str(package.cache_dir);
        // What is needed of a package that is still to come (its listing, for the commands of a directory) is waited for.
        let base = match self.store.settled(key, PATIENCE) {
            Lookup::Ready(source) => source,
            Lookup::Failed(error) => return Err(error),
            Lookup::Expected | Lookup::Missing => {
                return Err(self.named(
                    Error::new(Code::Io, format!("The package is not in the cache ({key})"))
                        .hint("run the install again, without --offline"),
                    id,
                ));
            }
        };
        if package.patch.is_empty() {
            return Ok((key.to_owned(), base));
        }
        if let Some(found) = self.patched[id as usize].get() {
            return Ok(found.clone());
        }
        let found = patch::ensure(self.store, self.plan, id, &base)?;
        Ok(self.patched[id as usize].get_or_init(|| found).clone())
    }

    fn put(&self, job: &Job) -> Result<()> {
        if let Some((dir, links)) = &job.above {
            let own = self.plan.str(self.package(job.package).name);
            rustix::fs::mkdirat(&self.root, dir, Mode::from_raw_mode(0o755))
                .or_else(|error| if error == Errno::EXIST { Ok(()) } else { Err(error) })
                .and_then(|()| {
                    isolated::put_siblings(
                        self.root.as_fd(),
                        &format!("{}/node_modules", dir.to_string_lossy()),
                        own,
                        links,
                    )
                })
                .map_err(|error| {
                    self.named(
                        io("Could not install to", Path::new(dir.to_string_lossy().as_ref()), error),
                        job.package,
                    )
                })?;
        }
        self.place(self.root.as_fd(), &job.path, job.nested, job.package)
    }

    /// The folders that the plan puts into a package's own node_modules, as `node_modules/NAME`.
    fn nested_folders(&self, nested: u32) -> Vec<String> {
        let Some(level) = self.plan.trees.get(nested as usize) else { return Vec::new() };
        let placements = self.plan.placements_of(level).iter();
        placements.map(|placement| format!("node_modules/{}", self.plan.str(placement.folder))).collect()
    }

    /// Puts one package at `path` below `at`. `nested`: see [`Job::nested`].
    pub(crate) fn place(&self, at: BorrowedFd<'_>, path: &CStr, nested: u32, id: PackageId) -> Result<()> {
        let made = nested != NO_ID;
        let failed =
            |error| self.named(io("Could not install to", Path::new(path.to_string_lossy().as_ref()), error), id);
        let package = self.package(id);
        let runs = package.flags & (TRUSTED | HAS_INSTALL_SCRIPT) == TRUSTED | HAS_INSTALL_SCRIPT
            && !self.options.ignore_scripts
            && !bins::needs_no_script(self.plan, package);
        let method = if runs { &self.copies } else { &self.method };
        if package.kind == Kind::Folder {
            let from = self.plan.root.join(self.plan.str(package.path));
            let dir = rustix::fs::open(&from, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
                .map_err(|error| self.named(io("Could not read the folder", &from, error), id))?;
            let (listing, links) = fs::walk(dir.as_fd(), &[c"node_modules", c".git"]).map_err(failed)?;
            let names = Names::Owned(Arc::new(listing));
            let from =
                From { at: dir.as_fd(), dir: c".", names: &names, shared: &self.shared, links: &links, path: &from };
            package::make(method, at, path, made, &from).map_err(failed)?;
            return self.fix_bins(at, path, id, &names).map_err(failed);
        }
        let mut again = false;
        loop {
            let (key, source) = self.source(id)?;
            let (mut names, mut links) = self.store.names(&key, &source)?;
            if made {
                let folders = self.nested_folders(nested);
                if let Some(listing) = package::without(&names, &folders) {
                    links.retain(|(name, _)| !package::is_below(name.to_bytes(), &folders));
                    names = Names::Owned(Arc::new(listing));
                }
            }
            let full = if method.symlinks() { self.store.path().join(&key) } else { std::path::PathBuf::new() };
            let dir = c_path(&key)?;
            let from = From {
                at: self.store.base(&source)?,
                dir: &dir,
                names: &names,
                shared: &self.shared,
                links: &links,
                path: &full,
            };
            match package::make(method, at, path, made, &from) {
                Ok(()) => return self.fix_bins(at, path, id, &names).map_err(failed),
                Err(Errno::NOENT) if self.store.lacks_files(&key, &source, &names) && self.store.discard(&key) => {
                    let what = format!("Files of the package were missing in the cache ({key})");
                    let error = Error::new(Code::Damaged, what).hint("it was taken out: the next install downloads it");
                    return Err(self.named(error, id));
                }
                // The directory is not what the index says, or files of an earlier attempt are there: once more from the directory itself.
                Err(Errno::NOENT | Errno::EXIST) if !again && !made => {
                    again = true;
                    fs::remove(at, path).map_err(failed)?;
                    self.store.reread(&key);
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    fn fix_bins(&self, at: BorrowedFd<'_>, path: &CStr, id: PackageId, names: &Names<'_>) -> Result<(), Errno> {
        let package = self.package(id);
        let fix = |file: &str| {
            let Some(file) = bins::inside(file) else {
                return Ok(());
            };
            let full = CString::new([path.to_bytes(), b"/", file.as_bytes()].concat()).map_err(|_| Errno::INVAL)?;
            // The files of a folder are the user's.
            let own = package.kind != Kind::Folder;
            package::fix_bin(at, &full, package::flags(names, file.as_bytes()), own)
        };
        for bin in self.plan.bins_of(package) {
            fix(self.plan.str(bin.path))?;
        }
        for file in bins::native_candidates(self.plan, id) {
            fix(file)?;
        }
        if !package.bin_dir.is_empty() {
            for (_, file) in bins::in_dir(names.files(), self.plan.str(package.bin_dir)) {
                fix(&file)?;
            }
        }
        Ok(())
    }

    /// Puts packages in place, on several threads, those first whose files are there; the others as they come.
    pub(crate) fn run(&mut self, jobs: Vec<Job>) -> Result<()> {
        let packages: Vec<PackageId> = jobs.iter().map(|job| job.package).collect();
        let later = std::mem::take(&mut self.later);
        let chunks: Vec<_> = later.chunks(CHUNK).collect();
        let absent = self.run_each(&packages, chunks.len(), &|place| match jobs.get(place) {
            Some(job) => self.put(job),
            None => chunks[place - jobs.len()].iter().try_for_each(|(path, target)| {
                link_at(self.root.as_fd(), path, target, self.existed).map(|_| ()).map_err(|error| {
                    io("Could not make the link", &self.plan.root.join(path.to_string_lossy().as_ref()), error)
                })
            }),
        })?;
        self.missing.extend(absent);
        for job in jobs {
            if self.missing.contains(&job.package) {
                if job.nested != NO_ID {
                    fs::remove(self.root.as_fd(), &job.path).ok();
                }
                continue;
            }
            self.linked.changed.push(job.package);
            if scripts::is_scripted(self.package(job.package).flags) {
                self.scripted.push((job.path.clone(), job.package));
            }
            self.linked.installed += 1;
            self.dirs.push((job.path, identity(self.plan, self.package(job.package)) ^ job.salt));
        }
        Ok(())
    }

    /// Calls `work` for each package once its files are in the store. Gives back the optional ones that could not be had.
    pub(crate) fn run_packages(
        &self,
        packages: &[PackageId],
        work: &(dyn Fn(PackageId) -> Result<()> + Sync),
    ) -> Result<Vec<PackageId>> {
        self.run_each(packages, 0, &|place| work(packages[place]))
    }

    /// `work` gets places in `packages`, and `extra` numbers beyond them, for work that waits for nothing.
    fn run_each(
        &self,
        packages: &[PackageId],
        extra: usize,
        work: &(dyn Fn(usize) -> Result<()> + Sync),
    ) -> Result<Vec<PackageId>> {
        let total = packages.len() as u32;
        let mut absent = Vec::new();
        let mut waiting: FxHashMap<Box<str>, Vec<usize>> = FxHashMap::default();
        let mut ready = Vec::with_capacity(packages.len());
        for (place, &id) in packages.iter().enumerate() {
            let package = self.package(id);
            let key = self.plan.str(package.cache_dir);
            match if package.kind == Kind::Folder { Lookup::Missing } else { self.store.lookup(key) } {
                Lookup::Expected => waiting.entry(key.into()).or_default().push(place),
                Lookup::Failed(error) => absent.push(self.give_up(id, error)?),
                Lookup::Ready(source) => ready.push((self.store.size_hint(key, &source), place)),
                Lookup::Missing => ready.push((0, place)),
            }
        }
        // The largest first: one that is begun last keeps a single thread busy while the others have nothing left to do.
        ready.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
        let mut ready: Vec<usize> = ready.into_iter().map(|(_, place)| place).collect();
        ready.extend(packages.len()..packages.len() + extra);
        let count = AtomicU32::new(0);
        self.run_ready(&ready, &|place| {
            work(place)?;
            self.events.progress(count.fetch_add(1, Ordering::Relaxed) + 1, total);
            Ok(())
        })?;
        let arrivals = Arrivals {
            waiting: Mutex::new(waiting),
            absent: Mutex::new(absent),
            error: Mutex::new(None),
            last: Mutex::new(Instant::now()),
            stop: AtomicBool::new(false),
        };
        if lock(&arrivals.waiting).is_empty() {
            return Ok(into(arrivals.absent));
        }
        let place = |place: usize| {
            work(place)?;
            self.events.progress(count.fetch_add(1, Ordering::Relaxed) + 1, total);
            Ok(())
        };
        let work = || {
            while !arrivals.stop.load(Ordering::Relaxed) {
                if let Err(error) = self.take_arrivals(&arrivals, packages, &place) {
                    lock(&arrivals.error).get_or_insert(error);
                    arrivals.stop.store(true, Ordering::Relaxed);
                }
            }
            self.store.wake();
        };
        self.on_threads(self.options.threads, &work);
        into(arrivals.error).map_or(Ok(()), Err)?;
        Ok(into(arrivals.absent))
    }

    /// Waits for packages to be unpacked and puts some of them in place. What was finished before the first call is reported, too.
    fn take_arrivals(
        &self,
        arrivals: &Arrivals,
        packages: &[PackageId],
        place: &dyn Fn(usize) -> Result<()>,
    ) -> Result<()> {
        let Some(finished) = self.store.wait(Duration::from_secs(5), &arrivals.stop, BATCH) else {
            let first = lock(&arrivals.waiting).values().flatten().next().copied();
            if let Some(first) = first
                && lock(&arrivals.last).elapsed() > PATIENCE
            {
                let error =
                    Error::new(Code::Network, "Nothing arrived for ten minutes; at least this package is missing");
                return Err(self.named(error, packages[first]));
            }
            return Ok(());
        };
        *lock(&arrivals.last) = Instant::now();
        for key in finished {
            let failure = match self.store.lookup(&key) {
                Lookup::Failed(error) => Some(error),
                _ => None,
            };
            // The end of the network as a whole.
            if key.is_empty()
                && let Some(error) = failure
            {
                return Err(error);
            }
            let Some(places) = lock(&arrivals.waiting).remove(&key) else {
                continue;
            };
            match failure {
                Some(error) => {
                    let id = self.give_up(packages[places[0]], error)?;
                    lock(&arrivals.absent).push(id);
                }
                None => places.into_iter().try_for_each(place)?,
            }
        }
        if lock(&arrivals.waiting).is_empty() {
            arrivals.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Runs `work` on this thread and on up to `threads - 1` others. Without a thread to be had, this one does it all.
    fn on_threads(&self, threads: usize, work: &(dyn Fn() + Sync)) {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                let _ =
                    std::thread::Builder::new().name("bao-link".into()).stack_size(256 << 10).spawn_scoped(scope, work);
            }
            work();
        });
    }

    /// An optional package is left out, any other is an error.
    fn give_up(&self, id: PackageId, error: Error) -> Result<PackageId> {
        let package = self.package(id);
        if package.flags & OPTIONAL == 0 {
            return Err(error);
        }
        self.events.note(&format!("optional package {} is left out: {error}", self.plan.str(package.name)));
        Ok(id)
    }

    /// The hot path: each thread takes the next package with one atomic addition.
    fn run_ready(&self, ready: &[usize], put: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let error: Mutex<Option<Error>> = Mutex::new(None);
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let Some(&place) = ready.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    return self.shared.help();
                };
                if let Err(failed) = put(place) {
                    stop.store(true, Ordering::Relaxed);
                    lock(&error).get_or_insert(failed);
                    return;
                }
            }
        };
        self.on_threads(self.options.threads.min(ready.len() / 8 + 1), &work);
        into(error).map_or(Ok(()), Err)
    }
}
