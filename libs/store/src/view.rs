//! The packages of a project as files, for programs that are not bao: a read-only file system in user space over `node_modules`, which
//! shows what is in archives and what is on the disk below it.
//!
//! The kernel's protocol is that of `linux/fuse.h`, version 7.31; of its requests those are answered that reading needs. The mount is in
//! a mount namespace of its own, which an unprivileged user may have with a user namespace; it goes with the last process in it.

use std::collections::HashMap;
use std::ffi::CString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::archive::Kind;
use crate::mounts::{Node, Place, discover_at, find};

/// Requests that are answered: `enum fuse_opcode`.
mod op {
    pub(super) const LOOKUP: u32 = 1;
    pub(super) const FORGET: u32 = 2;
    pub(super) const GETATTR: u32 = 3;
    pub(super) const READLINK: u32 = 5;
    pub(super) const OPEN: u32 = 14;
    pub(super) const READ: u32 = 15;
    pub(super) const STATFS: u32 = 17;
    pub(super) const RELEASE: u32 = 18;
    pub(super) const INIT: u32 = 26;
    pub(super) const OPENDIR: u32 = 27;
    pub(super) const READDIR: u32 = 28;
    pub(super) const RELEASEDIR: u32 = 29;
    pub(super) const INTERRUPT: u32 = 36;
    pub(super) const DESTROY: u32 = 38;
    pub(super) const BATCH_FORGET: u32 = 42;
    /// Requests that would change something: SETATTR to LINK, WRITE, CREATE, and those of extended attributes.
    pub(super) const CHANGES: &[u32] = &[4, 6, 8, 9, 10, 11, 12, 13, 16, 21, 24, 35, 43, 45];
}

/// `struct fuse_in_header`.
const IN_HEADER: usize = 40;
/// A request is at most this long: nothing is written, so that names are the longest there is.
const REQUEST: usize = 64 << 10;
/// How long the kernel may keep what it was told, in seconds: nothing in an archive changes.
const FOREVER: u64 = 86_400;
/// What is on the disk may change at any time.
const NOT_AT_ALL: u64 = 0;
const ROOT: u64 = 1;

/// An open file or directory.
enum Open {
    Archived(&'static [u8]),
    File(File),
    /// The records of a listing: inode, type, name.
    Listing(Vec<(u64, u32, Vec<u8>)>),
}

/// One mounted `node_modules`.
struct Server {
    device: File,
    /// Its path.
    path: Vec<u8>,
    /// The directory that is below the mount.
    below: OwnedFd,
    /// Paths relative to it, by number less one; numbers stay as long as the mount.
    paths: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u64>,
    open: HashMap<u64, Open>,
    next: u64,
}

/// What is at a path, without following a link at its end.
enum Seen {
    Archived(Node),
    Disk(rustix::fs::Stat),
}

fn c_path(bytes: &[u8]) -> Result<CString, Errno> {
    CString::new(bytes).map_err(|_| Errno::INVAL)
}

impl Server {
    fn whole(&self, path: &[u8]) -> Vec<u8> {
        if path.is_empty() { self.path.clone() } else { [&self.path, &b"/"[..], path].concat() }
    }

    /// A path for calls relative to the directory below the mount.
    fn relative(path: &[u8]) -> Result<CString, Errno> {
        c_path(if path.is_empty() { b"." } else { path })
    }

    fn see(&self, path: &[u8]) -> Result<Seen, Errno> {
        let on_disk = || rustix::fs::statat(&self.below, Self::relative(path)?, AtFlags::SYMLINK_NOFOLLOW);
        match find(&self.whole(path), false) {
            Place::Node(node) if node.shared => Ok(on_disk().map_or(Seen::Archived(node), Seen::Disk)),
            Place::Node(node) => Ok(Seen::Archived(node)),
            // The paths that come are without links: there is no other place.
            Place::Os | Place::At(_) => on_disk().map(Seen::Disk),
            Place::Missing(errno) => Err(errno),
        }
    }

    fn number(&mut self, path: Vec<u8>) -> u64 {
        if let Some(&number) = self.numbers.get(&path) {
            return number;
        }
        self.paths.push(path.clone());
        let number = self.paths.len() as u64;
        self.numbers.insert(path, number);
        number
    }

    fn path_of(&self, number: u64) -> Result<Vec<u8>, Errno> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.paths.get(at)).cloned().ok_or(Errno::STALE)
    }

    /// `struct fuse_attr`, and how long it holds.
    fn attributes(seen: &Seen, number: u64) -> (Vec<u8>, u64) {
        let mut out = Vec::with_capacity(88);
        let mut longs = |values: &[u64]| values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        let (nanoseconds, small, valid) = match seen {
            Seen::Archived(node) => {
                let time = node.modified().cast_unsigned();
                longs(&[number, node.size(), node.size().div_ceil(512), time, time, time]);
                let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
                // A directory that is on the disk, too, may get files at any time.
                ([0; 3], [node.mode(), 1, user, group, 0, 4096], if node.shared { NOT_AT_ALL } else { FOREVER })
            }
            Seen::Disk(status) => {
                let times = [status.st_atime, status.st_mtime, status.st_ctime].map(i64::cast_unsigned);
                longs(&[number, status.st_size as u64, status.st_blocks as u64, times[0], times[1], times[2]]);
                let nanoseconds = [status.st_atime_nsec, status.st_mtime_nsec, status.st_ctime_nsec].map(|n| n as u32);
                let small = [status.st_mode & !0o222, status.st_nlink as u32, status.st_uid, status.st_gid, 0, 4096];
                (nanoseconds, small, NOT_AT_ALL)
            }
        };
        for value in nanoseconds.into_iter().chain(small).chain([0]) {
            out.extend_from_slice(&value.to_le_bytes());
        }
        (out, valid)
    }

    fn lookup(&mut self, parent: u64, name: &[u8]) -> Result<Vec<u8>, Errno> {
        let above = self.path_of(parent)?;
        let path = if above.is_empty() { name.to_vec() } else { [&above, &b"/"[..], name].concat() };
        let seen = self.see(&path)?;
        let number = self.number(path);
        let (attributes, valid) = Self::attributes(&seen, number);
        let mut out = Vec::with_capacity(128);
        for value in [number, 0, valid, valid] {
            out.extend_from_slice(&value.to_le_bytes());
        }
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&attributes);
        Ok(out)
    }

    fn keep(&mut self, open: Open) -> Vec<u8> {
        // FOPEN_KEEP_CACHE: what is in an archive never changes.
        let flags: u32 = if matches!(open, Open::Archived(_)) { 2 } else { 0 };
        self.next += 1;
        self.open.insert(self.next, open);
        [&self.next.to_le_bytes()[..], &flags.to_le_bytes(), &[0; 4]].concat()
    }

    fn open(&mut self, number: u64, body: &[u8]) -> Result<Vec<u8>, Errno> {
        let path = self.path_of(number)?;
        let flags = long(body, 0) as u32;
        if flags & libc::O_ACCMODE.cast_unsigned() != 0 {
            return Err(Errno::ROFS);
        }
        let open = match self.see(&path)? {
            Seen::Archived(node) => Open::Archived(node.content()?),
            Seen::Disk(_) => {
                let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
                Open::File(File::from(rustix::fs::openat(&self.below, Self::relative(&path)?, flags, Mode::empty())?))
            }
        };
        Ok(self.keep(open))
    }

    fn read(&self, body: &[u8]) -> Result<Vec<u8>, Errno> {
        let (at, size) = (long(body, 8), long(body, 16) as u32 as usize);
        match self.open.get(&long(body, 0)) {
            Some(Open::Archived(bytes)) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or(&[]);
                Ok(rest[..rest.len().min(size)].to_vec())
            }
            Some(Open::File(file)) => {
                let mut bytes = vec![0; size.min(8 << 20)];
                let mut done = 0;
                while done < bytes.len() {
                    match file.read_at(&mut bytes[done..], at + done as u64) {
                        Ok(0) => break,
                        Ok(count) => done += count,
                        Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
                    }
                }
                bytes.truncate(done);
                Ok(bytes)
            }
            _ => Err(Errno::BADF),
        }
    }

    fn open_directory(&mut self, number: u64) -> Result<Vec<u8>, Errno> {
        let path = self.path_of(number)?;
        let mut list: Vec<(u64, u32, Vec<u8>)> =
            vec![(number, u32::from(libc::DT_DIR), b".".to_vec()), (number, u32::from(libc::DT_DIR), b"..".to_vec())];
        let mut add = |kind: u8, name: &[u8]| {
            if !list.iter().skip(2).any(|(_, _, known)| known == name) {
                // The kernel asks for the number when it looks the name up; here any but 0 will do.
                list.push((u64::MAX >> 1, u32::from(kind), name.to_vec()));
            }
        };
        let mut on_disk = true;
        match find(&self.whole(&path), false) {
            Place::Node(node) if !node.is_dir() => return Err(Errno::NOTDIR),
            Place::Node(node) => {
                on_disk = node.shared;
                for (name, kind) in node.children() {
                    let kind = match kind {
                        Kind::File => libc::DT_REG,
                        Kind::Link => libc::DT_LNK,
                        _ => libc::DT_DIR,
                    };
                    add(kind, name);
                }
            }
            Place::Os | Place::At(_) => {}
            Place::Missing(errno) => return Err(errno),
        }
        if on_disk {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            match rustix::fs::openat(&self.below, Self::relative(&path)?, flags, Mode::empty()) {
                Ok(dir) => {
                    for entry in rustix::fs::Dir::read_from(dir)? {
                        let entry = entry?;
                        let name = entry.file_name().to_bytes();
                        if name != b"." && name != b".." {
                            let kind = match entry.file_type() {
                                rustix::fs::FileType::Directory => libc::DT_DIR,
                                rustix::fs::FileType::Symlink => libc::DT_LNK,
                                rustix::fs::FileType::RegularFile => libc::DT_REG,
                                _ => libc::DT_UNKNOWN,
                            };
                            add(kind, name);
                        }
                    }
                }
                Err(Errno::NOENT) if matches!(find(&self.whole(&path), false), Place::Node(_)) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(self.keep(Open::Listing(list)))
    }

    fn read_directory(&self, body: &[u8]) -> Result<Vec<u8>, Errno> {
        let Some(Open::Listing(list)) = self.open.get(&long(body, 0)) else { return Err(Errno::BADF) };
        let (from, size) = (long(body, 8), long(body, 16) as u32 as usize);
        let mut out = Vec::new();
        for (at, (number, kind, name)) in list.iter().enumerate().skip(usize::try_from(from).unwrap_or(usize::MAX)) {
            // `struct fuse_dirent`, padded to 8.
            let length = (24 + name.len()).next_multiple_of(8);
            if out.len() + length > size {
                break;
            }
            let end = out.len() + length;
            out.extend_from_slice(&number.to_le_bytes());
            out.extend_from_slice(&(at as u64 + 1).to_le_bytes());
            out.extend_from_slice(&(name.len() as u32).to_le_bytes());
            out.extend_from_slice(&kind.to_le_bytes());
            out.extend_from_slice(name);
            out.resize(end, 0);
        }
        Ok(out)
    }

    fn read_link(&self, number: u64) -> Result<Vec<u8>, Errno> {
        let path = self.path_of(number)?;
        match self.see(&path)? {
            Seen::Archived(node) if node.kind() == Kind::Link => Ok(node.content()?.to_vec()),
            Seen::Archived(_) => Err(Errno::INVAL),
            Seen::Disk(_) => Ok(rustix::fs::readlinkat(&self.below, Self::relative(&path)?, Vec::new())?.into_bytes()),
        }
    }

    /// The answer to a request; nothing for those that have none.
    fn answer(&mut self, operation: u32, number: u64, body: &[u8]) -> Option<Result<Vec<u8>, Errno>> {
        Some(match operation {
            op::LOOKUP => self.lookup(number, body.split(|&byte| byte == 0).next().unwrap_or(&[])),
            op::GETATTR => self.path_of(number).and_then(|path| self.see(&path)).map(|seen| {
                let (attributes, valid) = Self::attributes(&seen, number);
                [&valid.to_le_bytes()[..], &[0; 8], &attributes].concat()
            }),
            op::READLINK => self.read_link(number),
            op::OPEN => self.open(number, body),
            op::READ => self.read(body),
            op::OPENDIR => self.open_directory(number),
            op::READDIR => self.read_directory(body),
            op::RELEASE | op::RELEASEDIR => {
                self.open.remove(&long(body, 0));
                Ok(Vec::new())
            }
            // `struct fuse_kstatfs`: a full file system with names of 255 bytes.
            op::STATFS => {
                let mut out = vec![0; 80];
                out[40..44].copy_from_slice(&4096u32.to_le_bytes());
                out[44..48].copy_from_slice(&255u32.to_le_bytes());
                Ok(out)
            }
            op::INIT => {
                let mut out = Vec::with_capacity(64);
                let readahead = long(body, 8) as u32;
                // Version, readahead, flags (asynchronous reads, cached links), two background limits of 16 bits, longest write,
                // granularity of times.
                let flags: u32 = 1 | 1 << 23;
                for value in [7, 31, readahead, flags, 12 << 16 | 16, 4096, 1] {
                    out.extend_from_slice(&value.to_le_bytes());
                }
                out.resize(64, 0);
                Ok(out)
            }
            op::FORGET | op::BATCH_FORGET | op::INTERRUPT => return None,
            op::DESTROY => Ok(Vec::new()),
            operation if op::CHANGES.contains(&operation) => Err(Errno::ROFS),
            _ => Err(Errno::NOSYS),
        })
    }

    /// Answers until the file system is unmounted.
    fn serve(&mut self) -> std::io::Result<()> {
        let mut request = vec![0; REQUEST];
        loop {
            let length = match self.device.read(&mut request) {
                Ok(length) => length,
                Err(error) => match error.raw_os_error() {
                    // A request that was taken back before it could be read.
                    Some(libc::ENOENT | libc::EINTR | libc::EAGAIN) => continue,
                    Some(libc::ENODEV) => return Ok(()),
                    _ => return Err(error),
                },
            };
            if length < IN_HEADER {
                continue;
            }
            let (header, body) = request[..length].split_at(IN_HEADER);
            let (operation, unique, number) = (long(header, 0) >> 32, long(header, 8), long(header, 16));
            let Some(answer) = self.answer(operation as u32, number, body) else { continue };
            let (errno, bytes) = match answer {
                Ok(bytes) => (0, bytes),
                Err(errno) => (-errno.raw_os_error(), Vec::new()),
            };
            let mut out = Vec::with_capacity(16 + bytes.len());
            out.extend_from_slice(&(16 + bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(&errno.to_le_bytes());
            out.extend_from_slice(&unique.to_le_bytes());
            out.extend_from_slice(&bytes);
            match self.device.write_all(&out) {
                // The request was interrupted meanwhile.
                Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {}
                result => result?,
            }
        }
    }
}

/// Eight bytes of a request; zeros where it is too short.
fn long(bytes: &[u8], at: usize) -> u64 {
    crate::archive::u64_at(bytes, at).unwrap_or_else(|| crate::archive::u32_at(bytes, at).map_or(0, u64::from))
}

fn check(result: libc::c_int) -> std::io::Result<()> {
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// Moves this process into a mount namespace of its own, with a user namespace where it may not otherwise. The process must not have
/// started threads.
///
/// # Errors
/// The kernel does not let it.
pub fn enter_namespace() -> std::io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    // SAFETY: no pointers.
    if check(unsafe { libc::unshare(libc::CLONE_NEWNS) }).is_err() {
        // SAFETY: no pointers.
        check(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) })?;
        // The same user inside as outside.
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    // What is mounted here is not to be seen outside.
    // SAFETY: strings that end in NUL.
    check(unsafe {
        libc::mount(
            c"none".as_ptr(),
            c"/".as_ptr(),
            std::ptr::null(),
            libc::MS_REC | libc::MS_PRIVATE,
            std::ptr::null(),
        )
    })
}

/// Shows the packages of `dir/node_modules` as files, from a thread of this process, as long as it lives and the mount is used.
///
/// # Errors
/// There is no FUSE, or it may not be used.
pub fn mount(dir: &Path) -> std::io::Result<()> {
    let path = dir.join("node_modules");
    // Before the mount: afterwards the way to the index leads through it.
    discover_at(dir.as_os_str().as_bytes());
    let device = File::options().read(true).write(true).open("/dev/fuse")?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let below = rustix::fs::openat(rustix::fs::CWD, &path, flags, Mode::empty())?;
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let options =
        format!("fd={},rootmode=40000,user_id={user},group_id={group},default_permissions", device.as_raw_fd());
    let (target, options) = (c_path(path.as_os_str().as_bytes())?, c_path(options.as_bytes())?);
    // SAFETY: strings that end in NUL; the descriptor in the options is open.
    check(unsafe {
        libc::mount(
            c"bao".as_ptr(),
            target.as_ptr(),
            c"fuse.bao".as_ptr(),
            libc::MS_NOSUID | libc::MS_NODEV | libc::MS_RDONLY,
            options.as_ptr().cast(),
        )
    })?;
    let mut server = Server {
        device,
        path: path.as_os_str().as_bytes().to_vec(),
        below,
        paths: vec![Vec::new()],
        numbers: HashMap::from([(Vec::new(), ROOT)]),
        open: HashMap::new(),
        next: 0,
    };
    std::thread::Builder::new().name("view".to_owned()).spawn(move || {
        if let Err(error) = server.serve() {
            base::stderr_line!("warn: the view of {} ended: {error}", String::from_utf8_lossy(&server.path));
        }
    })?;
    Ok(())
}
