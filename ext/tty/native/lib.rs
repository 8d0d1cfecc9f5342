//! Native half of `node:tty`: what is a terminal, how large it is, and its raw mode.
//!
//! Reading and writing are not here: ext/tty/node/tty.ts uses the descriptor ops of the family "process".

mod mode;

use engine::{OpError, op, ops};

pub use mode::restore;

/// Whether `fd` is a terminal.
#[op]
fn is_tty(fd: i32) -> bool {
    // SAFETY: isatty accepts any number; one that is no descriptor is no terminal.
    unsafe { libc::isatty(fd) == 1 }
}

/// Size of the terminal `fd` as (columns, rows); both 0 where the terminal does not know. Errors as ioctl does
/// (ENOTTY, EBADF).
#[op]
fn get_window_size(fd: i32) -> Result<(u32, u32), OpError> {
    // SAFETY: winsize is plain integers, for which zeroes are valid.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: TIOCGWINSZ writes one winsize, which lives until after the call.
        if unsafe { libc::ioctl(fd, libc::TIOCGWINSZ, &raw mut size) } == 0 {
            return Ok((u32::from(size.ws_col), u32::from(size.ws_row)));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(OpError::io(error, "getWindowSize"));
        }
    }
}

/// Switches raw mode of the terminal `fd` on or off. Off brings back the mode from before it was switched on first, and
/// so does [`restore`] at the end of the process. Errors as tcgetattr and tcsetattr do (ENOTTY, EBADF, EIO).
#[op]
fn set_raw_mode(fd: i32, raw: bool) -> Result<(), OpError> {
    let result = if raw { mode::make_raw(fd) } else { mode::make_cooked(fd) };
    result.map_err(|error| OpError::io(error, "setRawMode"))
}

ops!(pub fn family "tty" { is_tty, get_window_size, set_raw_mode });
