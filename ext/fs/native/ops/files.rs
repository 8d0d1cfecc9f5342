//! Open files, and writing whole files. Descriptors are plain numbers, as in Node; positions are bytes from the start, and a
//! negative position means the file's own.

use std::collections::BTreeSet;

use engine::{JsStr, OpError, PinnedBytes, Scope, op};

use crate::convert::{AsyncPath, Opened, PathArg, PinnedList, utf8_of, window, window_mut};
use crate::sys::error::{Context, FsResult};
use crate::sys::file;

/// Opens `path` with O_* bits and the permission bits of a new file; the descriptor.
#[op]
pub(super) fn open_sync(path: PathArg, flags: i32, mode: u32) -> Result<Opened, OpError> {
    Ok(Opened(file::open_for_program(&path.0, flags, mode)?))
}

#[op(quick)]
pub(super) fn open(path: AsyncPath, flags: i32, mode: u32) -> Result<Opened, OpError> {
    Ok(Opened(file::open_for_program(&path.0, flags, mode)?))
}

#[op]
pub(super) fn close_sync(fd: i32) -> Result<(), OpError> {
    Ok(file::close(fd)?)
}

#[op(quick)]
pub(super) fn close(fd: i32) -> Result<(), OpError> {
    Ok(file::close(fd)?)
}

/// Descriptors that a thread closes when it ends.
#[derive(Default)]
struct Tracked(BTreeSet<i32>);

impl Drop for Tracked {
    fn drop(&mut self) {
        for fd in &self.0 {
            // One that is closed already is nothing to report.
            let _ = file::close(*fd);
        }
    }
}

/// Notes that `fd` is to be closed at the end of this thread; false where it was noted before.
#[op]
pub(super) fn track_fd(scope: &mut Scope<'_>, fd: i32) -> bool {
    scope.state().get_or_default::<Tracked>().0.insert(fd)
}

/// Takes that back; false where it was not noted.
#[op]
pub(super) fn untrack_fd(scope: &mut Scope<'_>, fd: i32) -> bool {
    scope.state().get_or_default::<Tracked>().0.remove(&fd)
}

/// Waits for what a read at a descriptor's own position waits for, so that the end of a worker can end it.
fn wait_to_read(fd: i32, position: i64) -> Result<(), OpError> {
    if position >= 0 || base::cancel::wait_to_read(fd) { Ok(()) } else { Err(OpError::ended()) }
}

/// One read into `buffer[offset..offset + length]`; how many bytes came, 0 at the end.
#[op]
pub(super) fn read_sync(fd: i32, buffer: &mut [u8], offset: f64, length: f64, position: i64) -> Result<f64, OpError> {
    wait_to_read(fd, position)?;
    Ok(file::read(fd, window_mut(buffer, offset, length)?, position)? as f64)
}

#[op(blocking)]
pub(super) fn read(fd: i32, mut buffer: PinnedBytes, offset: f64, length: f64, position: i64) -> Result<f64, OpError> {
    Ok(file::read(fd, window_mut(buffer.as_mut_slice(), offset, length)?, position)? as f64)
}

/// One write of `buffer[offset..offset + length]`; how many bytes went.
#[op]
pub(super) fn write_sync(fd: i32, buffer: &[u8], offset: f64, length: f64, position: i64) -> Result<f64, OpError> {
    Ok(file::write(fd, window(buffer, offset, length)?, position)? as f64)
}

#[op(change)]
pub(super) fn write(fd: i32, buffer: PinnedBytes, offset: f64, length: f64, position: i64) -> Result<f64, OpError> {
    Ok(file::write(fd, window(buffer.as_slice(), offset, length)?, position)? as f64)
}

/// One write of a string as UTF-8; how many bytes went.
#[op]
pub(super) fn write_text_sync(fd: i32, text: JsStr<'_>, position: i64) -> Result<f64, OpError> {
    Ok(file::write(fd, &utf8_of(&text), position)? as f64)
}

#[op(change)]
pub(super) fn write_text(fd: i32, text: String, position: i64) -> Result<f64, OpError> {
    Ok(file::write(fd, text.as_bytes(), position)? as f64)
}

fn read_vector(fd: i32, mut buffers: PinnedList, position: i64) -> FsResult<f64> {
    let mut parts: Vec<&mut [u8]> = buffers.0.iter_mut().map(PinnedBytes::as_mut_slice).collect();
    Ok(file::read_vectored(fd, &mut parts, position)? as f64)
}

fn write_vector(fd: i32, buffers: PinnedList, position: i64) -> FsResult<f64> {
    let parts: Vec<&[u8]> = buffers.0.iter().map(PinnedBytes::as_slice).collect();
    Ok(file::write_vectored(fd, &parts, position)? as f64)
}

/// readv: fills the views one after the other.
#[op]
pub(super) fn readv_sync(fd: i32, buffers: PinnedList, position: i64) -> Result<f64, OpError> {
    Ok(read_vector(fd, buffers, position)?)
}

#[op(blocking)]
pub(super) fn readv(fd: i32, buffers: PinnedList, position: i64) -> Result<f64, OpError> {
    Ok(read_vector(fd, buffers, position)?)
}

/// writev: writes the views one after the other, in as few calls as the system takes.
#[op]
pub(super) fn writev_sync(fd: i32, buffers: PinnedList, position: i64) -> Result<f64, OpError> {
    Ok(write_vector(fd, buffers, position)?)
}

#[op(change)]
pub(super) fn writev(fd: i32, buffers: PinnedList, position: i64) -> Result<f64, OpError> {
    Ok(write_vector(fd, buffers, position)?)
}

/// Opens, writes everything, (syncs,) closes.
#[op]
pub(super) fn write_file_sync(path: PathArg, data: &[u8], flags: i32, mode: u32, flush: bool) -> Result<(), OpError> {
    Ok(file::write_file(&path.0, data, flags, mode, flush)?)
}

#[op(quick_change)]
pub(super) fn write_file(
    path: AsyncPath,
    data: PinnedBytes,
    flags: i32,
    mode: u32,
    flush: bool,
) -> Result<(), OpError> {
    Ok(file::write_file(&path.0, data.as_slice(), flags, mode, flush)?)
}

/// The same for a string, written as UTF-8.
#[op]
pub(super) fn write_file_text_sync(
    path: PathArg,
    text: JsStr<'_>,
    flags: i32,
    mode: u32,
    flush: bool,
) -> Result<(), OpError> {
    Ok(file::write_file(&path.0, &utf8_of(&text), flags, mode, flush)?)
}

#[op(quick_change)]
pub(super) fn write_file_text(
    path: AsyncPath,
    text: String,
    flags: i32,
    mode: u32,
    flush: bool,
) -> Result<(), OpError> {
    Ok(file::write_file(&path.0, text.as_bytes(), flags, mode, flush)?)
}

/// Writes everything to an open file (and syncs).
#[op]
pub(super) fn write_all_sync(fd: i32, data: &[u8], flush: bool) -> Result<(), OpError> {
    Ok(file::write_all_fd(fd, data, flush)?)
}

#[op(change)]
pub(super) fn write_all(fd: i32, data: PinnedBytes, flush: bool) -> Result<(), OpError> {
    Ok(file::write_all_fd(fd, data.as_slice(), flush)?)
}

/// The same for a string, written as UTF-8.
#[op]
pub(super) fn write_all_text_sync(fd: i32, text: JsStr<'_>, flush: bool) -> Result<(), OpError> {
    Ok(file::write_all_fd(fd, &utf8_of(&text), flush)?)
}

/// Sets the length in bytes.
#[op]
pub(super) fn ftruncate_sync(fd: i32, len: u64) -> Result<(), OpError> {
    Ok(file::ftruncate(fd, len)?)
}

#[op(quick_change)]
pub(super) fn ftruncate(fd: i32, len: u64) -> Result<(), OpError> {
    Ok(file::ftruncate(fd, len)?)
}

#[op]
pub(super) fn truncate_sync(path: PathArg, len: u64) -> Result<(), OpError> {
    Ok(file::truncate(&path.0, len)?)
}

#[op(quick_change)]
pub(super) fn truncate(path: AsyncPath, len: u64) -> Result<(), OpError> {
    Ok(file::truncate(&path.0, len)?)
}

#[op]
pub(super) fn fsync_sync(fd: i32) -> Result<(), OpError> {
    Ok(file::fsync(fd)?)
}

#[op(change)]
pub(super) fn fsync(fd: i32) -> Result<(), OpError> {
    Ok(file::fsync(fd)?)
}

#[op]
pub(super) fn fdatasync_sync(fd: i32) -> Result<(), OpError> {
    Ok(file::fdatasync(fd)?)
}

#[op(change)]
pub(super) fn fdatasync(fd: i32) -> Result<(), OpError> {
    Ok(file::fdatasync(fd)?)
}

/// Moves bytes from one descriptor to another, see `sys::copy::transfer`. `start`: place in the source, -1 for where it
/// stands; `most`: number of bytes, or -1 for all. How many there were.
#[op(blocking)]
pub(super) fn transfer(from: i32, start: f64, to: i32, most: f64) -> Result<f64, OpError> {
    let source = file::borrow_for(from, "read")?;
    let sink = file::borrow_for(to, "write")?;
    let start = (start >= 0.0).then_some(start as u64);
    let most = if most >= 0.0 { most as u64 } else { u64::MAX };
    Ok(crate::sys::copy::transfer(source, start, sink, most).during("copy_file_range")? as f64)
}
