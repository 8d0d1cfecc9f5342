//! Family "console": standard output and error.

use base::stdio::write_all;
use engine::{JsStr, OpError, op, ops};

/// Writes text to a descriptor, waiting as long as it takes.
#[op]
fn write(fd: i32, text: JsStr<'_>) -> Result<(), OpError> {
    let result = if text.is_latin1() {
        let bytes = text.latin1();
        if bytes.is_ascii() {
            write_all(fd, bytes)
        } else {
            let text: String = bytes.iter().map(|&b| b as char).collect();
            write_all(fd, text.as_bytes())
        }
    } else {
        write_all(fd, String::from_utf16_lossy(text.utf16()).as_bytes())
    };
    result.map_err(|error| OpError::io(error, "write"))
}

/// Whether a descriptor is a terminal.
#[op]
fn is_tty(fd: i32) -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::isatty(fd) == 1 }
}

ops!(pub fn family "console" { write, is_tty });
