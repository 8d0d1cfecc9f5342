//! File status, with the birth time where the system tells it.

use std::ffi::CStr;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, CWD, Statx, StatxFlags};
use rustix::io::Errno;

use super::virt::{self, Seen};

/// How many values a status has: dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, and the times atime,
/// mtime, ctime, birthtime.
pub(crate) const FIELDS: usize = 14;

/// A file's status. Times are seconds and nanoseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status {
    pub dev: u64,
    pub mode: u32,
    pub nlink: u64,
    pub uid: u32,
    pub gid: u32,
    pub rdev: u64,
    pub blksize: u64,
    pub ino: u64,
    pub size: u64,
    pub blocks: u64,
    /// atime, mtime, ctime, birthtime.
    pub times: [(i64, u32); 4],
}

impl Status {
    /// The fourteen values as doubles, the times in milliseconds (with fractions).
    pub(crate) fn doubles(&self) -> [f64; FIELDS] {
        let time = |(seconds, nanos): (i64, u32)| seconds as f64 * 1e3 + f64::from(nanos) / 1e6;
        [
            self.dev as f64,
            f64::from(self.mode),
            self.nlink as f64,
            f64::from(self.uid),
            f64::from(self.gid),
            self.rdev as f64,
            self.blksize as f64,
            self.ino as f64,
            self.size as f64,
            self.blocks as f64,
            time(self.times[0]),
            time(self.times[1]),
            time(self.times[2]),
            time(self.times[3]),
        ]
    }

    /// The fourteen values as integers, the times in nanoseconds.
    pub(crate) fn integers(&self) -> [i64; FIELDS] {
        let time = |(seconds, nanos): (i64, u32)| seconds.wrapping_mul(1_000_000_000).wrapping_add(i64::from(nanos));
        [
            self.dev as i64,
            i64::from(self.mode),
            self.nlink as i64,
            i64::from(self.uid),
            i64::from(self.gid),
            self.rdev as i64,
            self.blksize as i64,
            self.ino as i64,
            self.size as i64,
            self.blocks as i64,
            time(self.times[0]),
            time(self.times[1]),
            time(self.times[2]),
            time(self.times[3]),
        ]
    }

    /// The values as the bytes of a Float64Array, or of a BigInt64Array.
    pub(crate) fn bytes(&self, integers: bool) -> [u8; FIELDS * 8] {
        let mut out = [0; FIELDS * 8];
        let words = if integers { self.integers().map(i64::to_ne_bytes) } else { self.doubles().map(f64::to_ne_bytes) };
        for (slot, word) in out.chunks_exact_mut(8).zip(words) {
            slot.copy_from_slice(&word);
        }
        out
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFDIR
    }
}

impl From<Statx> for Status {
    fn from(s: Statx) -> Self {
        let time = |t: rustix::fs::StatxTimestamp| (t.tv_sec, t.tv_nsec);
        Status {
            dev: rustix::fs::makedev(s.stx_dev_major, s.stx_dev_minor),
            mode: u32::from(s.stx_mode),
            nlink: u64::from(s.stx_nlink),
            uid: s.stx_uid,
            gid: s.stx_gid,
            rdev: rustix::fs::makedev(s.stx_rdev_major, s.stx_rdev_minor),
            blksize: u64::from(s.stx_blksize),
            ino: s.stx_ino,
            size: s.stx_size,
            blocks: s.stx_blocks,
            times: [time(s.stx_atime), time(s.stx_mtime), time(s.stx_ctime), time(s.stx_btime)],
        }
    }
}

impl From<rustix::fs::Stat> for Status {
    fn from(s: rustix::fs::Stat) -> Self {
        // The types of these fields differ between architectures.
        #[allow(clippy::unnecessary_cast, reason = "the types of these fields differ between architectures")]
        Status {
            dev: s.st_dev as u64,
            mode: s.st_mode as u32,
            nlink: s.st_nlink as u64,
            uid: s.st_uid,
            gid: s.st_gid,
            rdev: s.st_rdev as u64,
            blksize: s.st_blksize as u64,
            ino: s.st_ino as u64,
            size: s.st_size as u64,
            blocks: s.st_blocks as u64,
            times: [
                (s.st_atime as i64, s.st_atime_nsec as u32),
                (s.st_mtime as i64, s.st_mtime_nsec as u32),
                (s.st_ctime as i64, s.st_ctime_nsec as u32),
                // Without statx there is no birth time; libuv shows the change time.
                (s.st_ctime as i64, s.st_ctime_nsec as u32),
            ],
        }
    }
}

/// Old kernels lack statx, and some container sandboxes forbid it.
fn lacks_statx(errno: Errno) -> bool {
    matches!(errno, Errno::NOSYS | Errno::PERM | Errno::OPNOTSUPP)
}

const WANTED: StatxFlags = StatxFlags::BASIC_STATS.union(StatxFlags::BTIME);

fn stat_at(path: &CStr, flags: AtFlags) -> Result<Status, Errno> {
    match rustix::fs::statx(CWD, path, flags, WANTED) {
        Ok(status) => Ok(status.into()),
        Err(errno) if lacks_statx(errno) => rustix::fs::statat(CWD, path, flags).map(Status::from),
        Err(errno) => Err(errno),
    }
}

/// What the system says of a path, whatever is in archives.
pub(crate) fn system(path: &CStr, follow: bool) -> Result<Status, Errno> {
    stat_at(path, if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW })
}

fn look(path: &CStr, follow: bool) -> Result<Status, Errno> {
    match virt::see(path.to_bytes(), follow)? {
        Seen::Os => system(path, follow),
        Seen::At(path) => system(path.c_str(), follow),
        Seen::Node(node) => Ok(virt::status(&node)),
    }
}

/// The status of what `path` leads to.
pub(crate) fn stat(path: &CStr) -> Result<Status, Errno> {
    look(path, true)
}

/// The status of `path` itself, also when it is a symbolic link.
pub(crate) fn lstat(path: &CStr) -> Result<Status, Errno> {
    look(path, false)
}

/// The status of an open file.
pub(crate) fn fstat(fd: BorrowedFd<'_>) -> Result<Status, Errno> {
    match rustix::fs::statx(fd, c"", AtFlags::EMPTY_PATH, WANTED) {
        Ok(status) => Ok(virt::opened_status(status.into())),
        Err(errno) if lacks_statx(errno) => rustix::fs::fstat(fd).map(Status::from),
        Err(errno) => Err(errno),
    }
}

/// type, bsize, blocks, bfree, bavail, files, ffree of the file system that holds `path`: for what is in an archive that of the nearest
/// directory above it which is on the disk.
pub(crate) fn statfs(path: &CStr) -> Result<[u64; 7], Errno> {
    let s = match virt::see(path.to_bytes(), true)? {
        Seen::Os => rustix::fs::statfs(path)?,
        Seen::At(path) => rustix::fs::statfs(path.c_str())?,
        Seen::Node(node) => {
            let path = std::path::Path::new(std::ffi::OsStr::from_bytes(&node.path));
            path.ancestors().find_map(|dir| rustix::fs::statfs(dir).ok()).ok_or(Errno::NOENT)?
        }
    };
    #[allow(clippy::unnecessary_cast, reason = "the types of these fields differ between architectures")]
    Ok([
        s.f_type as u64,
        s.f_bsize as u64,
        s.f_blocks as u64,
        s.f_bfree as u64,
        s.f_bavail as u64,
        s.f_files as u64,
        s.f_ffree as u64,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn agrees_with_std() {
        use std::os::unix::fs::MetadataExt;
        let meta = std::fs::metadata("/etc/passwd").unwrap();
        let ours = stat(c"/etc/passwd").unwrap();
        assert_eq!((ours.dev, ours.ino, ours.mode, ours.size), (meta.dev(), meta.ino(), meta.mode(), meta.len()));
        assert_eq!(ours.times[1], (meta.mtime(), meta.mtime_nsec() as u32));
        let file = std::fs::File::open("/etc/passwd").unwrap();
        assert_eq!(fstat(file.as_fd()).unwrap().ino, ours.ino);
        assert!(stat(c"/").unwrap().is_dir() && !ours.is_dir());
        assert_eq!(ours.doubles()[8], meta.len() as f64);
        assert_eq!(stat(c"/nonexistent").unwrap_err(), Errno::NOENT);
        assert!(statfs(c"/").unwrap()[1] > 0);
    }
}
