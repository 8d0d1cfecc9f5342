//! Pseudo-terminals (pty(7)): the master side is a pipe of this process, the slave side a terminal for children.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A new pseudo-terminal of that size: master (non-blocking) and slave, both closed on exec. Its modes are those of a
/// terminal emulator for UTF-8 text.
pub(crate) fn open(columns: u16, rows: u16) -> io::Result<(OwnedFd, OwnedFd)> {
    // SAFETY: each descriptor is owned as soon as it exists; the ioctls get numbers and a live integer.
    let (master, slave) = unsafe {
        let master = OwnedFd::from_raw_fd(check(libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC))?);
        let unlocked = 0i32;
        check(libc::ioctl(master.as_raw_fd(), libc::TIOCSPTLCK, &raw const unlocked))?;
        let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
        let slave = OwnedFd::from_raw_fd(check(libc::ioctl(master.as_raw_fd(), libc::TIOCGPTPEER, flags))?);
        (master, slave)
    };
    let mut modes = modes(slave.as_raw_fd())?;
    modes.c_iflag |= libc::BRKINT | libc::IXANY | libc::IMAXBEL | libc::IUTF8;
    modes.c_cflag |= libc::HUPCL;
    set_modes(slave.as_raw_fd(), &modes)?;
    resize(master.as_raw_fd(), columns, rows)?;
    crate::stdio::set_nonblocking(master.as_raw_fd())?;
    Ok((master, slave))
}

/// Changes the size; processes in the terminal get SIGWINCH.
pub(crate) fn resize(fd: RawFd, columns: u16, rows: u16) -> io::Result<()> {
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: reads a live structure.
    check(unsafe { libc::ioctl(fd, libc::TIOCSWINSZ, &raw const size) }).map(drop)
}

/// The modes of a terminal, through either side.
pub(crate) fn modes(fd: RawFd) -> io::Result<libc::termios> {
    let mut modes = MaybeUninit::uninit();
    // SAFETY: tcgetattr fills the structure where it succeeds.
    unsafe {
        check(libc::tcgetattr(fd, modes.as_mut_ptr()))?;
        Ok(modes.assume_init())
    }
}

/// Sets the modes at once.
pub(crate) fn set_modes(fd: RawFd, modes: &libc::termios) -> io::Result<()> {
    // SAFETY: reads a live structure.
    check(unsafe { libc::tcsetattr(fd, libc::TCSANOW, modes) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_modes_go_through() {
        let (master, slave) = open(100, 30).unwrap();
        // SAFETY: winsize is plain integers; the call writes one.
        let size = unsafe {
            let mut size: libc::winsize = std::mem::zeroed();
            assert_eq!(libc::ioctl(slave.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size), 0);
            size
        };
        assert_eq!((size.ws_col, size.ws_row), (100, 30));
        let mut changed = modes(master.as_raw_fd()).unwrap();
        changed.c_lflag &= !libc::ECHO;
        set_modes(master.as_raw_fd(), &changed).unwrap();
        assert_eq!(modes(slave.as_raw_fd()).unwrap().c_lflag & libc::ECHO, 0);
    }
}
