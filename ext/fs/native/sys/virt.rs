//! Packages that are in archives (`bao install --linker=store`): what the calls of this folder answer for paths in them. Everything
//! asks here first, which costs a search in the text of the path unless the process has met a project with archives.

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use store::{Kind, Node, Place};

use super::path::FsPath;
use super::stat::{self, Status};

/// What is at a path.
pub(crate) enum Seen {
    /// The system knows.
    Os,
    /// The same, at this path.
    At(FsPath),
    Node(Node),
}

/// Looks at `path`.
///
/// # Errors
/// Only an archive could have it, and has it not.
pub(crate) fn see(path: &[u8], follow: bool) -> Result<Seen, Errno> {
    match store::find(path, follow) {
        Place::Os => Ok(Seen::Os),
        Place::At(path) => FsPath::from_bytes(&path).map(Seen::At).map_err(|_| Errno::INVAL),
        Place::Node(node) => Ok(Seen::Node(node)),
        Place::Missing(errno) => Err(errno),
    }
}

/// EROFS for what is in an archive, or would be, and a hint the first time. A directory that others put files into, too, is the
/// system's to change.
pub(crate) fn refuse(path: &[u8]) -> Result<(), Errno> {
    match store::find(path, false) {
        Place::Os | Place::At(_) => Ok(()),
        Place::Node(node) if node.shared => Ok(()),
        Place::Node(_) | Place::Missing(_) => Err(read_only(path)),
    }
}

fn read_only(path: &[u8]) -> Errno {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if store::is_embedded(path) {
        return Errno::ROFS;
    }
    let later = if store::note_write(path) { ", and so does the next `bao install`" } else { "" };
    if !TOLD.swap(true, Ordering::Relaxed) {
        base::stderr::release();
        let path = String::from_utf8_lossy(path);
        let name = path.rsplit_once("node_modules/").map_or("", |(_, rest)| rest);
        let parts = if name.starts_with('@') { 2 } else { 1 };
        let name = name.split('/').take(parts).collect::<Vec<_>>().join("/");
        base::stderr_line!(
            "note: {path} is in an archive of the store, which is read-only; `bao pm materialize {name}` puts the package on the disk{later}"
        );
    }
    Errno::ROFS
}

/// The status of something in an archive. A directory that is on the disk, too, has that one's.
pub(crate) fn status(node: &Node) -> Status {
    if node.shared
        && let Ok(path) = FsPath::from_bytes(&node.path)
        && let Ok(status) = stat::system(path.c_str(), true)
    {
        return status;
    }
    let time = (node.modified(), 0);
    Status {
        dev: u64::from_le_bytes(*b"baostore") >> 16,
        mode: node.mode(),
        nlink: 1,
        uid: rustix::process::getuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        rdev: 0,
        blksize: 4096,
        ino: node.inode(),
        size: node.size(),
        blocks: node.size().div_ceil(512),
        times: [time; 4],
    }
}

/// The status of files that were opened by [`open`], by device and inode of what stands for them.
static OPENED: Mutex<Option<HashMap<(u64, u64), Status>>> = Mutex::new(None);

/// A descriptor that reads a file, or one whose bytes `dir` are. It is of the system, so that all calls take it.
fn descriptor(name: &[u8], content: &[u8]) -> Result<OwnedFd, Errno> {
    let name = std::ffi::CString::new(&name[name.len().saturating_sub(60)..]).map_err(|_| Errno::INVAL)?;
    let memory = rustix::fs::memfd_create(&name, rustix::fs::MemfdFlags::CLOEXEC)?;
    super::file::write_all(memory.as_fd(), content).map_err(|error| error.errno)?;
    // The descriptor of a program reads only.
    let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&memory));
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
    rustix::fs::openat(rustix::fs::CWD, link, flags, rustix::fs::Mode::empty())
}

/// Opens a file of an archive.
///
/// # Errors
/// EISDIR for a directory, EROFS for writing.
pub(crate) fn open(node: &Node, flags: i32) -> Result<OwnedFd, Errno> {
    if node.is_dir() {
        return Err(Errno::ISDIR);
    }
    if node.kind() == Kind::Link {
        return Err(Errno::LOOP);
    }
    if writes(flags) {
        return Err(if flags & libc::O_EXCL != 0 { Errno::EXIST } else { read_only(&node.path) });
    }
    let file = descriptor(&node.path, node.content()?)?;
    let there = stat::fstat(file.as_fd())?;
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.get_or_insert_default().insert((there.dev, there.ino), status(node));
    Ok(file)
}

/// Whether flags of open(2) ask for more than reading.
pub(crate) fn writes(flags: i32) -> bool {
    flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_CREAT | libc::O_TRUNC) != 0
}

/// The error for opening a path that only an archive could have.
pub(crate) fn cannot_open(path: &[u8], errno: Errno, flags: i32) -> Errno {
    if errno == Errno::NOENT && flags & libc::O_CREAT != 0 { read_only(path) } else { errno }
}

/// The status of an open file: that of the file in the archive where `there` stands for one.
pub(crate) fn opened_status(there: Status) -> Status {
    if !store::is_active() {
        return there;
    }
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.as_ref().and_then(|opened| opened.get(&(there.dev, there.ino))).copied().unwrap_or(there)
}

/// A descriptor that gives `listing` to `dir::read_some`: the kind (and one) and the name of each entry, with NUL behind it.
pub(crate) fn open_listing(listing: &[u8]) -> Result<OwnedFd, Errno> {
    descriptor(b"directory", listing)
}

/// access(2) for something in an archive.
pub(crate) fn access(node: &Node, mode: u32) -> Result<(), Errno> {
    const WRITE: u32 = libc::W_OK as u32;
    const EXECUTE: u32 = libc::X_OK as u32;
    if mode & WRITE != 0 && !node.shared {
        return Err(Errno::ROFS);
    }
    if mode & EXECUTE != 0 && !node.is_dir() && node.mode() & 0o111 == 0 {
        return Err(Errno::ACCESS);
    }
    Ok(())
}
