//! Small files in one go, on the calling thread: for them a trip to another thread takes longer than the reading.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;

/// Opens a file for reading. As `std::fs::File::open`, which would refuse descriptors' special cases later.
fn open(path: &str) -> io::Result<File> {
    let path = CString::new(path).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    // SAFETY: a string that ends with a zero byte; the descriptor is owned by the file made of it.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(File::from_raw_fd(fd)) }
    }
}

/// What came of an attempt.
pub enum Attempt {
    Read(Vec<u8>),
    /// It is no regular file, or larger.
    Unsuitable,
}

/// Reads a regular file of at most `max` bytes; the first status call is the only one besides open, read and close.
pub fn read(path: &str, max: u64) -> io::Result<Attempt> {
    let mut file = open(path)?;
    let metadata = file.metadata()?;
    // A file of no size may be one of those that the system makes up when they are read.
    if !metadata.is_file() || metadata.len() > max || metadata.len() == 0 {
        return Ok(Attempt::Unsuitable);
    }
    let size = metadata.len() as usize;
    let mut bytes = vec![0; size];
    let mut filled = 0;
    while filled < size {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(Attempt::Read(bytes))
}
