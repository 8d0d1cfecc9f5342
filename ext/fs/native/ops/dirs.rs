//! Reading directories.

use engine::{OpError, op};

use crate::convert::{AsyncPath, Names, Opened, PathArg};
use crate::sys::dir;
use crate::sys::error::FsResult;
use crate::sys::path::FsPath;

fn list(path: &FsPath, recursive: bool, types: bool) -> FsResult<(Names, Vec<u8>)> {
    let listing = if recursive { dir::read_dir_recursive(path)? } else { dir::read_dir(path, types)? };
    let (names, kinds) = listing.joined();
    Ok((Names(names), kinds))
}

/// The names in a directory, sorted, with NUL between them (an empty string for an empty directory); a Uint8Array
/// instead of a string when they are not all UTF-8.
#[op]
pub(super) fn readdir_sync(path: PathArg) -> Result<Names, OpError> {
    Ok(list(&path.0, false, false)?.0)
}

#[op(quick)]
pub(super) fn readdir(path: AsyncPath) -> Result<Names, OpError> {
    Ok(list(&path.0, false, false)?.0)
}

/// Those of the names that begin and end with a text, and are at least as long as both.
#[op(quick)]
pub(super) fn readdir_between(path: AsyncPath, start: String, end: String) -> Result<Names, OpError> {
    let listing = dir::read_dir_between(&path.0, start.as_bytes(), end.as_bytes())?;
    Ok(Names(listing.joined().0))
}

/// Names as above, and their types (UV_DIRENT_*). `recursive`: relative paths of everything below.
#[op]
pub(super) fn readdir_types_sync(path: PathArg, recursive: bool) -> Result<(Names, Vec<u8>), OpError> {
    Ok(list(&path.0, recursive, true)?)
}

#[op(blocking)]
pub(super) fn readdir_types(path: AsyncPath, recursive: bool) -> Result<(Names, Vec<u8>), OpError> {
    Ok(list(&path.0, recursive, true)?)
}

/// Opens a directory for `dir_read`; the descriptor, to be closed with `close`.
#[op]
pub(super) fn opendir_sync(path: PathArg) -> Result<Opened, OpError> {
    Ok(Opened(dir::open_dir_for_program(&path.0)?))
}

#[op(quick)]
pub(super) fn opendir(path: AsyncPath) -> Result<Opened, OpError> {
    Ok(Opened(dir::open_dir_for_program(&path.0)?))
}

/// About `count` further names and types, in the file system's order; none at the end.
#[op]
pub(super) fn dir_read_sync(fd: i32, count: u32) -> Result<(Names, Vec<u8>), OpError> {
    Ok(read_piece(fd, count)?)
}

#[op(quick)]
pub(super) fn dir_read(fd: i32, count: u32) -> Result<(Names, Vec<u8>), OpError> {
    Ok(read_piece(fd, count)?)
}

fn read_piece(fd: i32, count: u32) -> FsResult<(Names, Vec<u8>)> {
    // Records of common names take 32 bytes each.
    let (names, kinds) = dir::read_some(fd, count as usize * 32)?.joined();
    Ok((Names(names), kinds))
}
