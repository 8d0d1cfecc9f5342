//! Watching files and directories with inotify.
//!
//! One inotify instance serves all watchers of a JavaScript thread, because the number of instances per user is small
//! (128 by default). Which watch descriptor belongs to which `fs.watch` is known to ext/fs/watchers.ts alone.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use base::permission::Area;
use rustix::fs::CWD;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use std::os::fd::AsFd;

use super::dir::{self, dirent};
use super::error::{Context, FsError, FsResult, permitted};
use super::path::{FsPath, join};
use super::virt::{self, Seen};

/// What a watcher is told of: the events of libuv.
const EVENTS: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CREATE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);

/// A new inotify instance; reads of it do not block.
pub(crate) fn init() -> FsResult<OwnedFd> {
    inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).during("watch")
}

/// Watches `path`. Watching the same file again gives the same descriptor, and so do all paths in archives, of which no event ever comes.
pub(crate) fn add(instance: BorrowedFd<'_>, path: &FsPath) -> FsResult<i32> {
    permitted(Area::Read, path)?;
    add_as(instance, path, EVENTS).on("watch", path.bytes())
}

/// What stands for everything in an archive: a file without a name that nobody can reach. It stays open as long as the process, since
/// its end would be an event.
fn still() -> Result<String, Errno> {
    static STILL: Mutex<Option<OwnedFd>> = Mutex::new(None);
    let mut still = STILL.lock().unwrap_or_else(PoisonError::into_inner);
    let file = match still.take() {
        Some(file) => file,
        None => rustix::fs::memfd_create(c"archive", rustix::fs::MemfdFlags::CLOEXEC)?,
    };
    Ok(format!("/proc/self/fd/{}", still.insert(file).as_raw_fd()))
}

fn add_as(instance: BorrowedFd<'_>, path: &FsPath, events: WatchFlags) -> Result<i32, Errno> {
    match virt::see(path.bytes(), true)? {
        Seen::Os => inotify::add_watch(instance, path.c_str(), events),
        Seen::At(path) => inotify::add_watch(instance, path.c_str(), events),
        Seen::Node(node) if events.contains(WatchFlags::ONLYDIR) && !node.is_dir() => Err(Errno::NOTDIR),
        Seen::Node(node) => {
            // A directory that is on the disk, too, changes there.
            let on_disk =
                if node.shared { inotify::add_watch(instance, path.c_str(), events) } else { Err(Errno::NOENT) };
            match on_disk {
                Err(Errno::NOENT) => inotify::add_watch(instance, still()?, events - WatchFlags::ONLYDIR),
                watch => watch,
            }
        }
    }
}

/// Ends a watch; a last event (IN_IGNORED) follows.
pub(crate) fn remove(instance: BorrowedFd<'_>, watch: i32) -> FsResult<()> {
    inotify::remove_watch(instance, watch).during("watch")
}

/// What has been found below a directory that is being watched with everything in it.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The directories, relative to the root, each followed by NUL; in the order of `watches`. `start` itself is first.
    pub dirs: Vec<u8>,
    pub watches: Vec<f64>,
    /// Every entry below `start`, relative to the root, each followed by NUL.
    pub entries: Vec<u8>,
}

/// Watches `start` (relative to `root`, empty for the root itself) and all directories below. Links are not followed.
/// Directories that vanish or cannot be read meanwhile are left out; only the limit on watches is an error, and `start`
/// itself when it cannot be watched.
pub(crate) fn add_tree(instance: BorrowedFd<'_>, root: &FsPath, start: &FsPath) -> FsResult<Tree> {
    permitted(Area::Read, root)?;
    let mut tree = Tree::default();
    let mut queue = vec![start.bytes().to_vec()];
    while let Some(relative) = queue.pop() {
        let full = if relative.is_empty() { root.bytes().to_vec() } else { join(root.bytes(), &relative) };
        let on = |errno: Errno| FsError::new(errno, "watch").path(&full);
        let path = FsPath::from_bytes(&full).map_err(|_| on(Errno::INVAL))?;
        // Watched before it is read: what is created in between is seen twice rather than never.
        let watch = match add_as(instance, &path, EVENTS | WatchFlags::ONLYDIR) {
            Ok(watch) => watch,
            Err(errno) if errno == Errno::NOSPC || relative == start.bytes() => return Err(on(errno)),
            Err(_) => continue,
        };
        tree.dirs.extend_from_slice(&relative);
        tree.dirs.push(0);
        tree.watches.push(f64::from(watch));
        let read = dir::open_dir(CWD, path.c_str()).and_then(|dir| dir::read_entries(dir.as_fd(), true));
        let Ok(mut entries) = read else { continue };
        entries.sort();
        for (name, entry_kind) in entries.iter() {
            let below = join(&relative, name);
            tree.entries.extend_from_slice(&below);
            tree.entries.push(0);
            if entry_kind == dirent::DIR {
                queue.push(below);
            }
        }
    }
    Ok(tree)
}

/// Events read in one go.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Events {
    /// Two numbers for each event: watch descriptor and mask (IN_* bits).
    pub heads: Vec<f64>,
    /// The name of each event's file in the watched directory, empty where the watched file itself is meant; each
    /// followed by NUL.
    pub names: Vec<u8>,
}

/// The events that wait; none when there are none.
pub(crate) fn read_events(instance: BorrowedFd<'_>) -> FsResult<Events> {
    let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
    let mut reader = inotify::Reader::new(instance, &mut buffer);
    let mut events = Events::default();
    loop {
        match reader.next() {
            Ok(event) => {
                events.heads.push(f64::from(event.wd()));
                events.heads.push(f64::from(event.events().bits()));
                if let Some(name) = event.file_name() {
                    events.names.extend_from_slice(name.to_bytes());
                }
                events.names.push(0);
                if reader.is_buffer_empty() {
                    return Ok(events);
                }
            }
            Err(Errno::INTR) => continue,
            Err(Errno::AGAIN) => return Ok(events),
            Err(errno) => return Err(errno).during("watch"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    #[test]
    fn tells_of_changes() {
        let dir = TempDir::new();
        std::fs::create_dir_all(dir.text("a/b")).unwrap();
        std::fs::write(dir.text("a/f"), "").unwrap();
        let instance = init().unwrap();
        let empty = FsPath::from_bytes(b"").unwrap();
        let tree = add_tree(instance.as_fd(), &dir.path(""), &empty).unwrap();
        assert_eq!((tree.dirs.as_slice(), tree.watches.len()), (&b"\0a\0a/b\0"[..], 3));
        assert_eq!(tree.entries, b"a\0a/b\0a/f\0".to_vec().as_slice());
        assert_eq!(read_events(instance.as_fd()).unwrap(), Events::default());
        std::fs::write(dir.text("a/b/new"), "").unwrap();
        let events = read_events(instance.as_fd()).unwrap();
        assert_eq!(events.heads[..2], [tree.watches[2], f64::from(WatchFlags::CREATE.bits())]);
        assert!(events.names.starts_with(b"new\0"));
        remove(instance.as_fd(), tree.watches[1] as i32).unwrap();
        let events = read_events(instance.as_fd()).unwrap();
        assert_eq!(events.heads, [tree.watches[1], f64::from(libc::IN_IGNORED)]);
        let error = add(instance.as_fd(), &dir.path("none")).unwrap_err();
        assert_eq!((error.errno, error.syscall), (Errno::NOENT, "watch"));
    }
}
