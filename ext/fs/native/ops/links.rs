//! Names: links, renames, directories made and removed, modes, owners, times, status, copies.

use std::os::fd::RawFd;

use base::permission::Area;
use engine::{OpError, op, ts_constants};
use rustix::io::Errno;

use crate::convert::{AsyncPath, PathArg, PathText};
use crate::sys::error::{Context, FsError, FsResult, permitted};
use crate::sys::file::borrow_for;
use crate::sys::path::FsPath;
use crate::sys::stat::{self, Status};
use crate::sys::{copy, links, open_beneath, realpath, remove};

/// Values of the `flags` of the status ops.
#[ts_constants]
mod status {
    /// The result is a BigInt64Array's bytes, with times in nanoseconds.
    pub(super) const BIGINT: u32 = 1;
    /// A symbolic link's own status.
    pub(super) const NO_FOLLOW: u32 = 2;
    /// A missing file is no error.
    pub(super) const MAYBE: u32 = 4;
}

fn status_of(path: &FsPath, flags: u32) -> FsResult<Option<Status>> {
    permitted(Area::Read, path)?;
    let no_follow = flags & status::NO_FOLLOW != 0;
    let found = if no_follow { stat::lstat(path.c_str()) } else { stat::stat(path.c_str()) };
    match found {
        Ok(status) => Ok(Some(status)),
        Err(Errno::NOENT | Errno::NOTDIR) if flags & status::MAYBE != 0 => Ok(None),
        Err(errno) => Err(FsError::new(errno, if no_follow { "lstat" } else { "stat" }).path(path.bytes())),
    }
}

fn store(status: &Status, out: &mut [u8], flags: u32) -> Result<(), OpError> {
    let bytes = status.bytes(flags & status::BIGINT != 0);
    match out.get_mut(..bytes.len()) {
        Some(out) => {
            out.copy_from_slice(&bytes);
            Ok(())
        }
        None => Err(OpError::error("the array for a file's status is too short")),
    }
}

/// Status of a path into `out`, a Float64Array or BigInt64Array of at least 14 (the order is that of
/// [`stat::FIELDS`]). False: missing, with the flag MAYBE.
#[op]
pub(super) fn stat_sync(path: PathArg, out: &mut [u8], flags: u32) -> Result<bool, OpError> {
    match status_of(&path.0, flags)? {
        Some(status) => store(&status, out, flags).map(|()| true),
        None => Ok(false),
    }
}

/// The same as the bytes of a new array; undefined when missing with the flag MAYBE.
#[op(quick)]
pub(super) fn stat(path: AsyncPath, flags: u32) -> Result<Option<Vec<u8>>, OpError> {
    Ok(status_of(&path.0, flags)?.map(|status| status.bytes(flags & status::BIGINT != 0).to_vec()))
}

fn status_of_fd(fd: RawFd) -> FsResult<Status> {
    stat::fstat(borrow_for(fd, "fstat")?).during("fstat")
}

/// Status of an open file into `out`.
#[op]
pub(super) fn fstat_sync(fd: i32, out: &mut [u8], flags: u32) -> Result<(), OpError> {
    store(&status_of_fd(fd)?, out, flags)
}

#[op(quick)]
pub(super) fn fstat(fd: i32, flags: u32) -> Result<Vec<u8>, OpError> {
    Ok(status_of_fd(fd)?.bytes(flags & status::BIGINT != 0).to_vec())
}

/// type, bsize, blocks, bfree, bavail, files, ffree: doubles, or the bytes of a BigInt64Array.
fn file_system_of(path: &FsPath, bigint: bool) -> Result<Vec<u8>, OpError> {
    permitted(Area::Read, path)?;
    let values = stat::statfs(path.c_str()).on("statfs", path.bytes())?;
    let word = |value: u64| if bigint { (value as i64).to_ne_bytes() } else { (value as f64).to_ne_bytes() };
    Ok(values.into_iter().flat_map(word).collect())
}

#[op]
pub(super) fn statfs_sync(path: PathArg, bigint: bool) -> Result<Vec<u8>, OpError> {
    file_system_of(&path.0, bigint)
}

#[op(quick)]
pub(super) fn statfs(path: AsyncPath, bigint: bool) -> Result<Vec<u8>, OpError> {
    file_system_of(&path.0, bigint)
}

#[op]
pub(super) fn exists_sync(path: PathArg) -> Result<bool, OpError> {
    permitted(Area::Read, &path.0)?;
    Ok(links::exists(&path.0))
}

#[op(quick)]
pub(super) fn exists(path: AsyncPath) -> bool {
    links::exists(&path.0)
}

#[op]
pub(super) fn access_sync(path: PathArg, mode: u32) -> Result<(), OpError> {
    Ok(links::access(&path.0, mode)?)
}

#[op(quick)]
pub(super) fn access(path: AsyncPath, mode: u32) -> Result<(), OpError> {
    Ok(links::access(&path.0, mode)?)
}

#[op]
pub(super) fn rename_sync(from: PathArg, to: PathArg) -> Result<(), OpError> {
    Ok(links::rename(&from.0, &to.0)?)
}

#[op(quick_change)]
pub(super) fn rename(from: AsyncPath, to: AsyncPath) -> Result<(), OpError> {
    Ok(links::rename(&from.0, &to.0)?)
}

#[op]
pub(super) fn link_sync(existing: PathArg, new: PathArg) -> Result<(), OpError> {
    Ok(links::link(&existing.0, &new.0)?)
}

#[op(quick_change)]
pub(super) fn link(existing: AsyncPath, new: AsyncPath) -> Result<(), OpError> {
    Ok(links::link(&existing.0, &new.0)?)
}

#[op]
pub(super) fn symlink_sync(target: PathArg, path: PathArg) -> Result<(), OpError> {
    Ok(links::symlink(&target.0, &path.0)?)
}

#[op(quick_change)]
pub(super) fn symlink(target: AsyncPath, path: AsyncPath) -> Result<(), OpError> {
    Ok(links::symlink(&target.0, &path.0)?)
}

#[op]
pub(super) fn readlink_sync(path: PathArg) -> Result<PathText, OpError> {
    Ok(PathText(links::readlink(&path.0)?))
}

#[op(quick)]
pub(super) fn readlink(path: AsyncPath) -> Result<PathText, OpError> {
    Ok(PathText(links::readlink(&path.0)?))
}

fn real(path: &FsPath, native: bool) -> FsResult<PathText> {
    let resolve = if native { realpath::native } else { realpath::walking };
    resolve(path).map(PathText)
}

/// `native`: errors as realpath(3) reports them; otherwise as a walk along the path would.
#[op]
pub(super) fn realpath_sync(path: PathArg, native: bool) -> Result<PathText, OpError> {
    Ok(real(&path.0, native)?)
}

#[op(quick)]
pub(super) fn realpath(path: AsyncPath, native: bool) -> Result<PathText, OpError> {
    Ok(real(&path.0, native)?)
}

#[op]
pub(super) fn unlink_sync(path: PathArg) -> Result<(), OpError> {
    Ok(links::unlink(&path.0)?)
}

#[op(quick_change)]
pub(super) fn unlink(path: AsyncPath) -> Result<(), OpError> {
    Ok(links::unlink(&path.0)?)
}

#[op]
pub(super) fn rmdir_sync(path: PathArg) -> Result<(), OpError> {
    Ok(links::rmdir(&path.0)?)
}

#[op(quick_change)]
pub(super) fn rmdir(path: AsyncPath) -> Result<(), OpError> {
    Ok(links::rmdir(&path.0)?)
}

#[op]
pub(super) fn mkdir_sync(path: PathArg, mode: u32) -> Result<(), OpError> {
    Ok(links::mkdir(&path.0, mode)?)
}

#[op(quick_change)]
pub(super) fn mkdir(path: AsyncPath, mode: u32) -> Result<(), OpError> {
    Ok(links::mkdir(&path.0, mode)?)
}

/// mkdir -p; the first directory made, undefined when there was nothing to make.
#[op]
pub(super) fn mkdir_all_sync(path: PathArg, mode: u32) -> Result<Option<PathText>, OpError> {
    Ok(links::mkdir_all(&path.0, mode)?.map(PathText))
}

#[op(quick_change)]
pub(super) fn mkdir_all(path: AsyncPath, mode: u32) -> Result<Option<PathText>, OpError> {
    Ok(links::mkdir_all(&path.0, mode)?.map(PathText))
}

/// A new directory named `prefix` and six random characters; its path.
#[op]
pub(super) fn mkdtemp_sync(prefix: PathArg) -> Result<PathText, OpError> {
    Ok(PathText(links::mkdtemp(&prefix.0)?))
}

#[op(quick)]
pub(super) fn mkdtemp(prefix: AsyncPath) -> Result<PathText, OpError> {
    Ok(PathText(links::mkdtemp(&prefix.0)?))
}

#[op]
pub(super) fn chmod_sync(path: PathArg, mode: u32) -> Result<(), OpError> {
    Ok(links::chmod(&path.0, mode)?)
}

#[op(quick_change)]
pub(super) fn chmod(path: AsyncPath, mode: u32) -> Result<(), OpError> {
    Ok(links::chmod(&path.0, mode)?)
}

#[op]
pub(super) fn fchmod_sync(fd: i32, mode: u32) -> Result<(), OpError> {
    Ok(links::fchmod(fd, mode)?)
}

#[op(quick_change)]
pub(super) fn fchmod(fd: i32, mode: u32) -> Result<(), OpError> {
    Ok(links::fchmod(fd, mode)?)
}

/// Ids of -1 (4294967295) leave things as they are.
#[op]
pub(super) fn chown_sync(path: PathArg, uid: u32, gid: u32) -> Result<(), OpError> {
    Ok(links::chown(&path.0, uid, gid)?)
}

#[op(quick_change)]
pub(super) fn chown(path: AsyncPath, uid: u32, gid: u32) -> Result<(), OpError> {
    Ok(links::chown(&path.0, uid, gid)?)
}

#[op]
pub(super) fn lchown_sync(path: PathArg, uid: u32, gid: u32) -> Result<(), OpError> {
    Ok(links::lchown(&path.0, uid, gid)?)
}

#[op(quick_change)]
pub(super) fn lchown(path: AsyncPath, uid: u32, gid: u32) -> Result<(), OpError> {
    Ok(links::lchown(&path.0, uid, gid)?)
}

#[op]
pub(super) fn fchown_sync(fd: i32, uid: u32, gid: u32) -> Result<(), OpError> {
    Ok(links::fchown(fd, uid, gid)?)
}

#[op(quick_change)]
pub(super) fn fchown(fd: i32, uid: u32, gid: u32) -> Result<(), OpError> {
    Ok(links::fchown(fd, uid, gid)?)
}

/// Times are seconds since the epoch.
#[op]
pub(super) fn utimes_sync(path: PathArg, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::utimes(&path.0, atime, mtime)?)
}

#[op(quick_change)]
pub(super) fn utimes(path: AsyncPath, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::utimes(&path.0, atime, mtime)?)
}

#[op]
pub(super) fn lutimes_sync(path: PathArg, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::lutimes(&path.0, atime, mtime)?)
}

#[op(quick_change)]
pub(super) fn lutimes(path: AsyncPath, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::lutimes(&path.0, atime, mtime)?)
}

#[op]
pub(super) fn futimes_sync(fd: i32, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::futimes(fd, atime, mtime)?)
}

#[op(quick_change)]
pub(super) fn futimes(fd: i32, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::futimes(fd, atime, mtime)?)
}

/// `FileHandle.utimes`.
#[op(quick_change)]
pub(super) fn handle_utimes(fd: i32, atime: f64, mtime: f64) -> Result<(), OpError> {
    Ok(links::handle_utimes(fd, atime, mtime)?)
}

/// `mode`: COPYFILE_* bits.
#[op]
pub(super) fn copy_file_sync(source: PathArg, dest: PathArg, mode: u32) -> Result<(), OpError> {
    Ok(copy::copy_file(&source.0, &dest.0, mode)?)
}

#[op(change)]
pub(super) fn copy_file(source: AsyncPath, dest: AsyncPath, mode: u32) -> Result<(), OpError> {
    Ok(copy::copy_file(&source.0, &dest.0, mode)?)
}

fn remove_path(path: &FsPath, force: bool, recursive: bool, retries: u32, retry_delay: u32) -> Result<bool, OpError> {
    let options = remove::Options { force, recursive, retries, retry_delay };
    Ok(remove::remove(path, options)? == remove::Outcome::Removed)
}

/// Removes a file, or with `recursive` a tree. `retry_delay`: milliseconds. False: it is a directory and stays.
#[op]
pub(super) fn rm_sync(
    path: PathArg,
    force: bool,
    recursive: bool,
    retries: u32,
    retry_delay: u32,
) -> Result<bool, OpError> {
    remove_path(&path.0, force, recursive, retries, retry_delay)
}

#[op(change)]
pub(super) fn rm(
    path: AsyncPath,
    force: bool,
    recursive: bool,
    retries: u32,
    retry_delay: u32,
) -> Result<bool, OpError> {
    remove_path(&path.0, force, recursive, retries, retry_delay)
}

/// The numbers of an unknown path, for callers that need no error: 0 file, 1 directory, negative when it cannot be
/// looked at.
#[op]
pub(super) fn kind_of_sync(path: PathArg) -> i32 {
    if permitted(Area::Read, &path.0).is_err() {
        return -libc::EACCES;
    }
    match stat::stat(path.0.c_str()) {
        Ok(status) => i32::from(status.is_dir()),
        Err(errno) => -errno.raw_os_error(),
    }
}

/// Looks for `path` below the directory `root`, out of which neither `..` nor a link leads (see [`open_beneath::find`]):
/// `[kind, size, time of the last change in ms, path | undefined]`. Kind: 0 a regular file, 1 a directory, 2 something else, or a
/// negative errno. The path is where symbolic links have led, as bytes in UTF-8; undefined where there were none.
#[op]
pub(super) fn find_inside(root: PathArg, path: PathArg) -> (i32, f64, f64, Option<String>) {
    match open_beneath::find(&root.0, &path.0) {
        Ok(found) => {
            let kind = match found.status.st_mode & libc::S_IFMT {
                libc::S_IFREG => 0,
                libc::S_IFDIR => 1,
                _ => 2,
            };
            let changed = found.status.st_mtime as f64 * 1e3 + (found.status.st_mtime_nsec as f64 / 1e6).floor();
            match found.target.map(String::from_utf8) {
                // A path that is no text cannot be opened by one.
                Some(Err(_)) => (-libc::ENOENT, 0.0, 0.0, None),
                target => (kind, found.status.st_size as f64, changed, target.and_then(Result::ok)),
            }
        }
        Err(error) => (-error.errno.raw_os_error(), 0.0, 0.0, None),
    }
}
