//! Finding the files that match a pattern (`Bun.Glob.scan`).
//!
//! A pattern is a list of parts, one for each name of a path. A directory is read once, with the set of parts that its
//! names may match; directories in which nothing can match are not entered.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, fstat, openat, statat};

use glob::Pattern;

/// What to look for besides the pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Names that begin with a dot are found without being asked for.
    pub dot: bool,
    /// Symbolic links are what they point to.
    pub follow: bool,
    /// A link to nothing is an error.
    pub broken_is_error: bool,
    /// Directories, links and the like are not found.
    pub only_files: bool,
}

/// An error of the system, and the path that it is about.
#[derive(Debug)]
pub(crate) struct Failure {
    pub error: io::Error,
    pub path: String,
}

enum Part {
    /// `**`
    Any,
    /// A name as it is, "." and ".." among them.
    Name(Vec<u8>),
    Glob(Pattern),
}

impl Part {
    fn new(text: &str) -> Self {
        if text == "**" {
            return Part::Any;
        }
        let pattern = Pattern::new(text);
        match pattern.literal() {
            Some(name) => Part::Name(name.to_vec()),
            None => Part::Glob(pattern),
        }
    }

    fn matches(&self, name: &[u8], dot: bool) -> bool {
        match self {
            Part::Any => dot || name[0] != b'.',
            Part::Name(own) => own == name,
            Part::Glob(pattern) => (dot || name[0] != b'.' || pattern.begins_with_dot()) && pattern.matches(name),
        }
    }
}

/// All paths below `cwd` that match, as UTF-8 with a zero byte after each. They are relative to `cwd`, unless the pattern
/// or `prefix` is absolute; `prefix` is put before each.
pub(crate) fn scan(pattern: &str, cwd: &str, prefix: &str, options: Options) -> Result<Vec<u8>, Failure> {
    let patterns = glob::spread(pattern);
    let mut walker =
        Walker { parts: Vec::new(), options, only_dirs: false, out: Vec::new(), path: Vec::new(), trail: Vec::new() };
    for (index, pattern) in patterns.iter().enumerate() {
        let absolute = pattern.starts_with('/');
        let start = if absolute {
            "/"
        } else if cwd.is_empty() {
            "."
        } else {
            cwd
        };
        walker.path.clear();
        walker.path.extend_from_slice(if absolute { b"/" } else { prefix.as_bytes() });
        walker.parts = pattern.split('/').filter(|part| !part.is_empty()).map(Part::new).collect();
        walker.only_dirs = pattern.ends_with('/');
        if walker.only_dirs && options.only_files || walker.parts.is_empty() {
            continue;
        }
        let dir = open_dir(CWD, start.as_bytes()).map_err(|error| Failure { error, path: cwd.to_owned() })?;
        let before = walker.out.len();
        walker.enter(&dir, &[0])?;
        if index > 0 {
            forget_repeated(&mut walker.out, before);
        }
    }
    Ok(walker.out)
}

/// Drops paths after `from` that stand before it already.
fn forget_repeated(out: &mut Vec<u8>, from: usize) {
    let fresh = out.split_off(from);
    let known: std::collections::HashSet<Vec<u8>> = out.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    for path in fresh.split(|&byte| byte == 0).filter(|path| !path.is_empty() && !known.contains(*path)) {
        out.extend_from_slice(path);
        out.push(0);
    }
}

fn open_dir(at: BorrowedFd<'_>, path: &[u8]) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(at, path, flags, Mode::empty())?)
}

struct Walker {
    parts: Vec<Part>,
    options: Options,
    /// The pattern ends with a slash: only directories match.
    only_dirs: bool,
    out: Vec<u8>,
    /// The directory being read, with a slash at its end.
    path: Vec<u8>,
    /// Device and number of the directories above, where links are followed.
    trail: Vec<(u64, u64)>,
}

impl Walker {
    fn failure(&self, error: io::Error, name: &[u8]) -> Failure {
        let mut path = self.path.clone();
        path.extend_from_slice(name);
        Failure { error, path: String::from_utf8_lossy(&path).into_owned() }
    }

    fn accepts(&self, kind: FileType) -> bool {
        match kind {
            FileType::RegularFile => !self.only_dirs,
            FileType::Directory => !self.options.only_files,
            _ => !self.options.only_files && !self.only_dirs,
        }
    }

    fn found(&mut self, name: &[u8]) {
        self.out.extend_from_slice(&self.path);
        self.out.extend_from_slice(name);
        self.out.push(0);
    }

    /// Looks for the parts at `active` in a directory.
    fn enter(&mut self, dir: &OwnedFd, active: &[usize]) -> Result<(), Failure> {
        let last = self.parts.len() - 1;
        let given = active;
        // `**` may stand for no name at all.
        let mut active = active.to_vec();
        let mut at = 0;
        while at < active.len() {
            let next = active[at] + 1;
            if matches!(self.parts[active[at]], Part::Any) && next < self.parts.len() && !active.contains(&next) {
                active.push(next);
            }
            at += 1;
        }
        if let [only] = active[..]
            && let Part::Name(name) = &self.parts[only]
        {
            // Nothing to search for: one name, which links are followed for.
            let name = name.clone();
            let Ok(status) = statat(dir, &name[..], AtFlags::empty()) else {
                return Ok(());
            };
            let kind = FileType::from_raw_mode(status.st_mode);
            if only < last {
                if kind == FileType::Directory {
                    self.descend(dir, &name, &[only + 1])?;
                }
            } else if !matches!(&name[..], b"." | b"..") && self.accepts(kind) {
                self.found(&name);
            }
            return Ok(());
        }
        // "." and ".." are no entries; after `**` they would lead everywhere.
        for &index in given {
            if let Part::Name(name) = &self.parts[index]
                && matches!(&name[..], b"." | b"..")
                && index < last
            {
                let name = name.clone();
                self.descend(dir, &name, &[index + 1])?;
            }
        }
        self.search(dir, &active)
    }

    fn search(&mut self, dir: &OwnedFd, active: &[usize]) -> Result<(), Failure> {
        let last = self.parts.len() - 1;
        let mut below: Vec<(Vec<u8>, Vec<usize>)> = Vec::new();
        let mut buffer = Vec::with_capacity(32 * 1024);
        let mut entries = RawDir::new(dir, buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| self.failure(error.into(), b""))?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let mut matched = false;
            let mut by_name = false;
            let mut next = Vec::new();
            for &index in active {
                let part = &self.parts[index];
                if !part.matches(name, self.options.dot) {
                    continue;
                }
                matched |= index == last;
                by_name |= matches!(part, Part::Name(_));
                let following = if matches!(part, Part::Any) { index } else { index + 1 };
                if following <= last && !next.contains(&following) {
                    next.push(following);
                }
            }
            if !matched && next.is_empty() {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |status| FileType::from_raw_mode(status.st_mode));
            }
            if kind == FileType::Symlink && (self.options.follow || by_name) {
                match statat(dir, name, AtFlags::empty()) {
                    Ok(status) => kind = FileType::from_raw_mode(status.st_mode),
                    Err(error) if self.options.broken_is_error && self.options.follow => {
                        return Err(self.failure(error.into(), name));
                    }
                    Err(_) => {}
                }
            }
            if matched && self.accepts(kind) {
                self.found(name);
            }
            if kind == FileType::Directory && !next.is_empty() {
                below.push((name.to_vec(), next));
            }
        }
        drop(buffer);
        for (name, next) in below {
            self.descend(dir, &name, &next)?;
        }
        Ok(())
    }

    fn descend(&mut self, dir: &OwnedFd, name: &[u8], active: &[usize]) -> Result<(), Failure> {
        let child = match open_dir(dir.as_fd(), name) {
            Ok(child) => child,
            // Gone since, or none of our business.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP)) => {
                return Ok(());
            }
            Err(error) => return Err(self.failure(error, name)),
        };
        if self.options.follow {
            let status = fstat(&child).map_err(|error| self.failure(error.into(), name))?;
            let identity = (status.st_dev, status.st_ino);
            // Around in a circle.
            if self.trail.contains(&identity) {
                return Ok(());
            }
            self.trail.push(identity);
        }
        let length = self.path.len();
        self.path.extend_from_slice(name);
        self.path.push(b'/');
        let result = self.enter(&child, active);
        self.path.truncate(length);
        if self.options.follow {
            self.trail.pop();
        }
        result
    }
}
