//! Writing to the standard streams.

use std::io;

/// Writes all bytes to a descriptor, after what is buffered for standard error; waits if it is non-blocking and full.
///
/// # Errors
/// Those of write(2).
pub fn write_all(fd: i32, mut bytes: &[u8]) -> io::Result<()> {
    crate::stderr::release();
    while !bytes.is_empty() {
        // SAFETY: a valid buffer of that length.
        let written = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if written >= 0 {
            bytes = &bytes[written as usize..];
            continue;
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EAGAIN) => {
                let mut poll = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
                // SAFETY: one valid pollfd.
                unsafe { libc::poll(&mut poll, 1, -1) };
            }
            _ => return Err(error),
        }
    }
    Ok(())
}
