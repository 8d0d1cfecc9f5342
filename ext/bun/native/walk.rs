//! Finding the files that match a pattern (`Bun.Glob.scan`).
//!
//! A pattern is a list of parts, one for each name of a path. A directory is read once, with the set of parts that its
//! names may match; directories in which nothing can match are not entered. Packages that are in archives are found as if they were
//! on the disk ([`Dir`]).

use std::collections::HashSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, fstat, openat, statat};

use glob::Pattern;
use store::{Kind, Node, Place};

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
        let dir = Dir::open(None, start.as_bytes()).map_err(|error| Failure { error, path: cwd.to_owned() })?;
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
    let known: HashSet<Vec<u8>> = out.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    for path in fresh.split(|&byte| byte == 0).filter(|path| !path.is_empty() && !known.contains(*path)) {
        out.extend_from_slice(path);
        out.push(0);
    }
}

/// A directory that is read: one of the system, one in an archive of the store, or both, where others put files beside an index.
struct Dir {
    fd: Option<OwnedFd>,
    node: Option<Node>,
    /// Its path, for what only the store knows.
    place: Vec<u8>,
}

fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::File => FileType::RegularFile,
        Kind::Link => FileType::Symlink,
        _ => FileType::Directory,
    }
}

impl Dir {
    /// The directory `name` in `parent`, or at a path.
    fn open(parent: Option<&Dir>, name: &[u8]) -> io::Result<Dir> {
        let place = parent.map_or_else(|| name.to_vec(), |parent| parent.place_of(name));
        if !store::concerns(&place) {
            let at = parent.and_then(|parent| parent.fd.as_ref());
            return Dir::of_system(at, if at.is_some() { name } else { &place }).map(|fd| Dir {
                fd,
                node: None,
                place,
            });
        }
        match store::find(&place, true) {
            Place::Os => Dir::of_system(None, &place).map(|fd| Dir { fd, node: None, place }),
            Place::At(place) => Dir::of_system(None, &place).map(|fd| Dir { fd, node: None, place }),
            Place::Missing(errno) => Err(errno.into()),
            Place::Node(node) if !node.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
            Place::Node(node) => {
                let fd = if node.shared { Dir::of_system(None, &place).unwrap_or_default() } else { None };
                Ok(Dir { fd, node: Some(node), place })
            }
        }
    }

    fn of_system(at: Option<&OwnedFd>, path: &[u8]) -> io::Result<Option<OwnedFd>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Some(openat(at.map_or(CWD, AsFd::as_fd), path, flags, Mode::empty())?))
    }

    fn place_of(&self, name: &[u8]) -> Vec<u8> {
        [&self.place, &b"/"[..], name].concat()
    }

    /// What `name` in it is.
    fn kind(&self, name: &[u8], follow: bool) -> io::Result<FileType> {
        let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let place = self.place_of(name);
        let found = if store::concerns(&place) { store::find(&place, follow) } else { Place::Os };
        let status = match (found, &self.fd) {
            (Place::Os, Some(fd)) => statat(fd, name, flags),
            (Place::Os, None) => statat(CWD, &place[..], flags),
            (Place::At(place), _) => statat(CWD, &place[..], flags),
            (Place::Missing(errno), _) => Err(errno),
            (Place::Node(node), _) => return Ok(file_type(node.kind())),
        };
        Ok(FileType::from_raw_mode(status?.st_mode))
    }

    /// Numbers that no other directory has.
    fn identity(&self) -> io::Result<(u64, u64)> {
        match (&self.node, &self.fd) {
            (None, Some(fd)) => fstat(fd).map(|status| (status.st_dev, status.st_ino)).map_err(Into::into),
            (node, _) => Ok((u64::MAX, node.as_ref().map_or(0, Node::inode))),
        }
    }

    /// Calls `each` with every name and what it is, links as links.
    fn read(&self, mut each: impl FnMut(&[u8], FileType) -> Result<(), Failure>, path: &[u8]) -> Result<(), Failure> {
        let mut known = HashSet::new();
        if let Some(fd) = &self.fd {
            let mut buffer = Vec::with_capacity(32 * 1024);
            let mut entries = RawDir::new(fd, buffer.spare_capacity_mut());
            while let Some(entry) = entries.next() {
                let entry = entry.map_err(|error| failure(error.into(), path, b""))?;
                let name = entry.file_name().to_bytes();
                if matches!(name, b"." | b"..") {
                    continue;
                }
                if self.node.is_some() {
                    known.insert(name.to_vec());
                }
                each(name, entry.file_type())?;
            }
        }
        for (name, kind) in self.node.iter().flat_map(Node::children) {
            if !known.contains(name) {
                each(name, file_type(kind))?;
            }
        }
        Ok(())
    }
}

fn is_no_directory(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP))
        || error.kind() == io::ErrorKind::NotADirectory
}

fn failure(error: io::Error, path: &[u8], name: &[u8]) -> Failure {
    Failure { error, path: String::from_utf8_lossy(&[path, name].concat()).into_owned() }
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
        failure(error, &self.path, name)
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
    fn enter(&mut self, dir: &Dir, active: &[usize]) -> Result<(), Failure> {
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
            let Ok(kind) = dir.kind(&name, true) else {
                return Ok(());
            };
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

    fn search(&mut self, dir: &Dir, active: &[usize]) -> Result<(), Failure> {
        let last = self.parts.len() - 1;
        let mut below: Vec<(Vec<u8>, Vec<usize>)> = Vec::new();
        let path = self.path.clone();
        let each = |name: &[u8], kind: FileType| {
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
                return Ok(());
            }
            let mut kind = kind;
            if kind == FileType::Unknown {
                kind = dir.kind(name, false).unwrap_or(FileType::Unknown);
            }
            if kind == FileType::Symlink && (self.options.follow || by_name) {
                match dir.kind(name, true) {
                    Ok(target) => kind = target,
                    Err(error) if self.options.broken_is_error && self.options.follow => {
                        return Err(self.failure(error, name));
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
            Ok(())
        };
        dir.read(each, &path)?;
        for (name, next) in below {
            self.descend(dir, &name, &next)?;
        }
        Ok(())
    }

    fn descend(&mut self, dir: &Dir, name: &[u8], active: &[usize]) -> Result<(), Failure> {
        let child = match Dir::open(Some(dir), name) {
            Ok(child) => child,
            // Gone since, or none of our business.
            Err(error) if is_no_directory(&error) => {
                return Ok(());
            }
            Err(error) => return Err(self.failure(error, name)),
        };
        if self.options.follow {
            let identity = child.identity().map_err(|error| self.failure(error, name))?;
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
