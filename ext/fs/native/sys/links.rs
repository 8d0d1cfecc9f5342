//! Names in directories and what hangs on them: links, renames, new directories, modes, owners, times.

use std::ffi::{CStr, CString};
use std::os::fd::RawFd;

use base::permission::{self, Area};
use rustix::fs::{Access, AtFlags, CWD, Gid, Mode, Timespec, Timestamps, Uid};
use rustix::io::{Errno, retry_on_intr};

use super::error::{Context, FsError, FsResult, permitted, permitted_links};
use super::file::borrow_for;
use super::path::FsPath;
use super::stat;
use super::virt::{self, Seen};

/// Whether the process may use `path` in the way of `mode` (F_OK, R_OK, W_OK, X_OK bits), by its real user id.
pub(crate) fn access(path: &FsPath, mode: u32) -> FsResult<()> {
    permitted(Area::Read, path)?;
    let system =
        |path: &FsPath| rustix::fs::accessat(CWD, path.c_str(), Access::from_bits_retain(mode), AtFlags::empty());
    let answer = match virt::see(path.bytes(), true) {
        Ok(Seen::Os) => system(path),
        Ok(Seen::At(to)) => system(&to),
        Ok(Seen::Node(node)) => virt::access(&node, mode),
        Err(errno) => Err(errno),
    };
    answer.on("access", path.bytes())
}

/// Whether `path` leads to something.
pub(crate) fn exists(path: &FsPath) -> bool {
    if permitted(Area::Read, path).is_err() {
        return false;
    }
    access(path, 0).is_ok()
}

pub(crate) fn rename(from: &FsPath, to: &FsPath) -> FsResult<()> {
    permitted(Area::Read, from)?;
    permitted(Area::Write, from)?;
    permitted(Area::Write, to)?;
    virt::refuse(from.bytes()).and_then(|()| virt::refuse(to.bytes())).between("rename", from.bytes(), to.bytes())?;
    rustix::fs::renameat(CWD, from.c_str(), CWD, to.c_str()).between("rename", from.bytes(), to.bytes())
}

pub(crate) fn link(existing: &FsPath, new: &FsPath) -> FsResult<()> {
    // The new name leads to no more than the old one.
    permitted(Area::Read, existing)?;
    permitted(Area::Write, existing)?;
    permitted(Area::Write, new)?;
    virt::refuse(existing.bytes()).and_then(|()| virt::refuse(new.bytes())).between(
        "link",
        existing.bytes(),
        new.bytes(),
    )?;
    rustix::fs::linkat(CWD, existing.c_str(), CWD, new.c_str(), AtFlags::empty()).between(
        "link",
        existing.bytes(),
        new.bytes(),
    )
}

pub(crate) fn symlink(target: &FsPath, path: &FsPath) -> FsResult<()> {
    permitted_links(path)?;
    virt::refuse(path.bytes()).between("symlink", target.bytes(), path.bytes())?;
    rustix::fs::symlinkat(target.c_str(), CWD, path.c_str()).between("symlink", target.bytes(), path.bytes())
}

/// The target of a symbolic link.
pub(crate) fn readlink(path: &FsPath) -> FsResult<Vec<u8>> {
    permitted(Area::Read, path)?;
    let system =
        |path: &FsPath| rustix::fs::readlinkat(CWD, path.c_str(), Vec::with_capacity(256)).map(CString::into_bytes);
    let target = match virt::see(path.bytes(), false) {
        Ok(Seen::Os) => system(path),
        Ok(Seen::At(to)) => system(&to),
        Ok(Seen::Node(node)) if node.kind() == store::Kind::Link => node.content().map(<[u8]>::to_vec),
        Ok(Seen::Node(_)) => Err(Errno::INVAL),
        Err(errno) => Err(errno),
    };
    target.on("readlink", path.bytes())
}

pub(crate) fn unlink(path: &FsPath) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("unlink", path.bytes())?;
    rustix::fs::unlinkat(CWD, path.c_str(), AtFlags::empty()).on("unlink", path.bytes())
}

pub(crate) fn rmdir(path: &FsPath) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("rmdir", path.bytes())?;
    rustix::fs::unlinkat(CWD, path.c_str(), AtFlags::REMOVEDIR).on("rmdir", path.bytes())
}

pub(crate) fn mkdir(path: &FsPath, mode: u32) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("mkdir", path.bytes())?;
    rustix::fs::mkdirat(CWD, path.c_str(), Mode::from_raw_mode(mode)).on("mkdir", path.bytes())
}

/// Makes `path` and the directories above it that are missing. Returns the first one made, spelled as a prefix of
/// `path`; `None` when `path` is a directory already.
pub(crate) fn mkdir_all(path: &FsPath, mode: u32) -> FsResult<Option<Vec<u8>>> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("mkdir", path.bytes())?;
    let whole = path.bytes();
    let failed = |errno| FsError::new(errno, "mkdir").path(whole);
    // The prefixes still to be made, the longest first; the usual call makes one directory, or none.
    let mut lengths = vec![whole.len()];
    let mut first_made = None;
    // Whether what is above exists: then a name that is missing cannot be made at all, as in /proc.
    let mut found = false;
    while let Some(&len) = lengths.last() {
        let prefix = &whole[..len];
        let made = match FsPath::from_bytes(prefix) {
            Ok(prefix) => rustix::fs::mkdirat(CWD, prefix.c_str(), Mode::from_raw_mode(mode)),
            Err(_) => Err(Errno::INVAL),
        };
        match made {
            Ok(()) => {
                first_made.get_or_insert(len);
                lengths.pop();
            }
            // Nothing was made yet, so something above is missing, or is a link to nothing.
            Err(Errno::NOENT) if first_made.is_none() && !found => match parent_len(prefix) {
                Some(parent) => lengths.push(parent),
                None => return Err(failed(Errno::NOENT)),
            },
            Err(errno @ (Errno::ACCESS | Errno::NOTDIR | Errno::PERM | Errno::NOENT)) => return Err(failed(errno)),
            Err(errno) => {
                let there = FsPath::from_bytes(prefix).map_err(|_| failed(Errno::INVAL))?;
                match stat::stat(there.c_str()) {
                    Ok(status) if status.is_dir() => {
                        found = true;
                        lengths.pop();
                    }
                    Ok(_) if errno == Errno::EXIST && lengths.len() > 1 => return Err(failed(Errno::NOTDIR)),
                    Ok(_) => return Err(failed(Errno::EXIST)),
                    Err(_) if !matches!(errno, Errno::EXIST) => return Err(failed(errno)),
                    Err(why) => return Err(failed(why)),
                }
            }
        }
    }
    Ok(first_made.map(|len| whole[..len].to_vec()))
}

/// The length of the parent's part of `path`; `None` when it has none ("a", "/", "").
fn parent_len(path: &[u8]) -> Option<usize> {
    let trimmed = path.len() - path.iter().rev().take_while(|&&b| b == b'/').count();
    let slash = path[..trimmed].iter().rposition(|&b| b == b'/')?;
    let parent = slash - path[..slash].iter().rev().take_while(|&&b| b == b'/').count();
    (parent > 0).then_some(parent)
}

/// Makes a directory with a new name: `prefix` and six random letters or digits, mode 0700. Returns its path.
pub(crate) fn mkdtemp(prefix: &FsPath) -> FsResult<Vec<u8>> {
    permission::check(Area::Write, &[prefix.bytes(), b"XXXXXX"].concat())?;
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    virt::refuse(prefix.bytes()).on("mkdtemp", prefix.bytes())?;
    let mut name = prefix.bytes().to_vec();
    let start = name.len();
    name.extend_from_slice(b"XXXXXX");
    let failed = |errno| {
        let mut template = prefix.bytes().to_vec();
        template.extend_from_slice(b"XXXXXX");
        FsError::new(errno, "mkdtemp").path(&template)
    };
    for _ in 0..1000 {
        for (slot, random) in name[start..].iter_mut().zip(random_bytes().map_err(failed)?) {
            *slot = LETTERS[random as usize % LETTERS.len()];
        }
        let path = FsPath::from_bytes(&name).map_err(|_| failed(Errno::INVAL))?;
        match rustix::fs::mkdirat(CWD, path.c_str(), Mode::RWXU) {
            Ok(()) => return Ok(name),
            Err(Errno::EXIST) => continue,
            Err(errno) => return Err(failed(errno)),
        }
    }
    Err(failed(Errno::EXIST))
}

fn random_bytes() -> Result<[u8; 6], Errno> {
    let mut bytes = [0; 6];
    // SAFETY: the buffer is live and of the given length; getrandom gives up to 256 bytes whole.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if got == bytes.len() as isize { Ok(bytes) } else { Err(Errno::IO) }
}

pub(crate) fn chmod(path: &FsPath, mode: u32) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("chmod", path.bytes())?;
    rustix::fs::chmodat(CWD, path.c_str(), Mode::from_raw_mode(mode), AtFlags::empty()).on("chmod", path.bytes())
}

/// The model knows no path of a descriptor, so only who may write everything changes what it leads to, as in Node.
pub(crate) fn fchmod(fd: RawFd, mode: u32) -> FsResult<()> {
    permission::check_all(Area::Write, b"")?;
    rustix::fs::fchmod(borrow_for(fd, "fchmod")?, Mode::from_raw_mode(mode)).during("fchmod")
}

/// An id of `u32::MAX` (-1) leaves the owner, or the group, as it is.
fn ids(uid: u32, gid: u32) -> (Option<Uid>, Option<Gid>) {
    ((uid != u32::MAX).then(|| Uid::from_raw(uid)), (gid != u32::MAX).then(|| Gid::from_raw(gid)))
}

pub(crate) fn chown(path: &FsPath, uid: u32, gid: u32) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("chown", path.bytes())?;
    let (uid, gid) = ids(uid, gid);
    rustix::fs::chownat(CWD, path.c_str(), uid, gid, AtFlags::empty()).on("chown", path.bytes())
}

pub(crate) fn lchown(path: &FsPath, uid: u32, gid: u32) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("lchown", path.bytes())?;
    let (uid, gid) = ids(uid, gid);
    rustix::fs::chownat(CWD, path.c_str(), uid, gid, AtFlags::SYMLINK_NOFOLLOW).on("lchown", path.bytes())
}

/// Under the permission model as [`fchmod`].
pub(crate) fn fchown(fd: RawFd, uid: u32, gid: u32) -> FsResult<()> {
    permission::check_all(Area::Write, b"")?;
    let (uid, gid) = ids(uid, gid);
    rustix::fs::fchown(borrow_for(fd, "fchown")?, uid, gid).during("fchown")
}

/// Seconds since the epoch to the kernel's form, cut to microseconds as libuv does.
fn timespec(seconds: f64) -> Timespec {
    if seconds.is_infinite() {
        return Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
    }
    if seconds.is_nan() {
        return Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    }
    let mut whole = seconds as i64;
    let mut nanos = ((seconds - whole as f64) * 1e9) as i64;
    nanos -= nanos % 1000;
    if nanos < 0 {
        nanos += 1_000_000_000;
        whole -= 1;
    }
    Timespec { tv_sec: whole, tv_nsec: nanos as _ }
}

fn timestamps(atime: f64, mtime: f64) -> Timestamps {
    Timestamps { last_access: timespec(atime), last_modification: timespec(mtime) }
}

/// Sets access and modification time (seconds since the epoch).
pub(crate) fn utimes(path: &FsPath, atime: f64, mtime: f64) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("utime", path.bytes())?;
    rustix::fs::utimensat(CWD, path.c_str(), &timestamps(atime, mtime), AtFlags::empty()).on("utime", path.bytes())
}

/// The same without following a symbolic link at the end.
pub(crate) fn lutimes(path: &FsPath, atime: f64, mtime: f64) -> FsResult<()> {
    permitted(Area::Write, path)?;
    virt::refuse(path.bytes()).on("lutime", path.bytes())?;
    rustix::fs::utimensat(CWD, path.c_str(), &timestamps(atime, mtime), AtFlags::SYMLINK_NOFOLLOW)
        .on("lutime", path.bytes())
}

/// Under the permission model as [`fchmod`].
pub(crate) fn futimes(fd: RawFd, atime: f64, mtime: f64) -> FsResult<()> {
    permission::check_all(Area::Write, b"")?;
    handle_utimes(fd, atime, mtime)
}

/// The same for a `FileHandle`, which the permission model lets through, as in Node.
pub(crate) fn handle_utimes(fd: RawFd, atime: f64, mtime: f64) -> FsResult<()> {
    let file = borrow_for(fd, "futime")?;
    retry_on_intr(|| rustix::fs::futimens(file, &timestamps(atime, mtime))).during("futime")
}

/// Whether `path` leads to a directory.
pub(crate) fn is_dir(path: &CStr) -> bool {
    stat::stat(path).is_ok_and(|status| status.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    #[test]
    fn mkdir_all_returns_the_first_made() {
        let dir = TempDir::new();
        assert_eq!(mkdir_all(&dir.path("a/b/c"), 0o777).unwrap().unwrap(), dir.path("a").bytes());
        assert_eq!(mkdir_all(&dir.path("a/b//d/"), 0o777).unwrap().unwrap(), dir.path("a/b//d/").bytes());
        assert_eq!(mkdir_all(&dir.path("a/b/d/"), 0o777).unwrap(), None);
        assert_eq!(mkdir_all(&dir.path("x/../y/z"), 0o777).unwrap().unwrap(), dir.path("x").bytes());
        std::fs::write(dir.text("f"), "").unwrap();
        assert_eq!(mkdir_all(&dir.path("f"), 0o777).unwrap_err().errno, Errno::EXIST);
        assert_eq!(mkdir_all(&dir.path("f/a/b"), 0o777).unwrap_err().errno, Errno::NOTDIR);
        std::os::unix::fs::symlink("nowhere/x", dir.text("dangling")).unwrap();
        assert_eq!(mkdir_all(&dir.path("dangling"), 0o777).unwrap_err().errno, Errno::NOENT);
        assert_eq!(mkdir_all(&dir.path("dangling/x"), 0o777).unwrap_err().errno, Errno::NOENT);
        assert_eq!(mkdir_all(&FsPath::from_bytes(b"").unwrap(), 0o777).unwrap_err().errno, Errno::NOENT);
        assert_eq!(mkdir_all(&FsPath::from_bytes(b"/").unwrap(), 0o777).unwrap(), None);
    }

    #[test]
    fn parents() {
        assert_eq!(parent_len(b"a"), None);
        assert_eq!(parent_len(b"/a"), None);
        assert_eq!(parent_len(b"a/b"), Some(1));
        assert_eq!(parent_len(b"a//b//"), Some(1));
        assert_eq!(parent_len(b"/a/b"), Some(2));
        assert_eq!(parent_len(b""), None);
    }

    #[test]
    fn times() {
        let dir = TempDir::new();
        std::fs::write(dir.text("f"), "").unwrap();
        utimes(&dir.path("f"), 1.5, -0.25).unwrap();
        let status = stat::stat(dir.path("f").c_str()).unwrap();
        assert_eq!((status.times[0], status.times[1]), ((1, 500_000_000), (-1, 750_000_000)));
        utimes(&dir.path("f"), f64::NAN, 7.0).unwrap();
        let status = stat::stat(dir.path("f").c_str()).unwrap();
        assert_eq!((status.times[0], status.times[1]), ((1, 500_000_000), (7, 0)));
    }

    #[test]
    fn links_and_names() {
        let dir = TempDir::new();
        let temp = mkdtemp(&dir.path("t-")).unwrap();
        assert!(is_dir(FsPath::from_bytes(&temp).unwrap().c_str()) && temp.len() == dir.path("t-").bytes().len() + 6);
        assert_eq!(mkdtemp(&dir.path("no/t-")).unwrap_err().path.unwrap(), dir.path("no/t-XXXXXX").bytes());
        symlink(&FsPath::from_bytes(b"to").unwrap(), &dir.path("l")).unwrap();
        assert_eq!(readlink(&dir.path("l")).unwrap(), b"to");
        assert!(!exists(&dir.path("l")));
        std::fs::write(dir.text("to"), "x").unwrap();
        assert!(exists(&dir.path("l")));
        access(&dir.path("l"), libc::R_OK as u32).unwrap();
        link(&dir.path("to"), &dir.path("hard")).unwrap();
        rename(&dir.path("hard"), &dir.path("harder")).unwrap();
        chmod(&dir.path("harder"), 0o600).unwrap();
        assert_eq!(stat::stat(dir.path("to").c_str()).unwrap().mode & 0o777, 0o600);
        chown(&dir.path("to"), u32::MAX, u32::MAX).unwrap();
        unlink(&dir.path("l")).unwrap();
        assert_eq!(rmdir(&dir.path("to")).unwrap_err().errno, Errno::NOTDIR);
    }
}
