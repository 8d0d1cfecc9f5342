//! Files as memory.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

use rustix::fs::{CWD, Mode, OFlags, fstat, openat};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Mapped pages; unmapped when dropped.
pub(crate) struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

impl AsMut<[u8]> for Mapping {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: mapped, readable and writable, for as long as `self` lives. Other processes may change the bytes, and
        // access behind the end of a file that was cut ends the process: both are what mapping a file means.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `open`, and nobody has the bytes any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast::<c_void>(), self.length) };
    }
}

/// Why there is no mapping: the call that failed, and its error.
pub(crate) type Failure = (&'static str, io::Error);

/// Maps `size` bytes of a file (or all from there on) from `offset`, which must be a multiple of the page size. Writes
/// go to the file if `shared`, else to a copy.
pub(crate) fn open(path: &str, offset: u64, size: Option<u64>, shared: bool) -> Result<Mapping, Failure> {
    let file = openat(CWD, path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).map_err(|e| ("open", e.into()))?;
    let status = fstat(&file).map_err(|e| ("fstat", e.into()))?;
    let rest = u64::try_from(status.st_size).unwrap_or(0).saturating_sub(offset);
    let length = size.map_or(rest, |size| size.min(rest)) as usize;
    let flags = if shared { MapFlags::SHARED } else { MapFlags::PRIVATE };
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the system chooses the place; nothing else is there.
    let start = unsafe { mmap(std::ptr::null_mut(), length, protection, flags, &file, offset) };
    let start = start.map_err(|e| ("mmap", io::Error::from(e)))?;
    let start = NonNull::new(start.cast::<u8>()).ok_or_else(|| ("mmap", io::Error::from_raw_os_error(libc::ENOMEM)))?;
    Ok(Mapping { start, length })
}
