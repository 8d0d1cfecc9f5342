//! Single key presses on the terminal, read while the watched program does not run.

use std::io::IsTerminal;

/// The terminal in a mode in which keys come one by one and are not shown. Dropping it restores the former mode.
pub(super) struct Keys {
    before: libc::termios,
}

impl Keys {
    /// `None` if standard input is not a terminal, or this process is not in its foreground.
    pub(super) fn new() -> Option<Keys> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        // SAFETY: plain system calls on a descriptor that is open; the structure is filled before it is read.
        unsafe {
            if libc::tcgetpgrp(0) != libc::getpgrp() {
                return None;
            }
            let mut before: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(0, &mut before) != 0 {
                return None;
            }
            let mut mode = before;
            // Signals stay: Ctrl+C ends as ever.
            mode.c_lflag &= !(libc::ICANON | libc::ECHO);
            mode.c_cc[libc::VMIN] = 1;
            mode.c_cc[libc::VTIME] = 0;
            (libc::tcsetattr(0, libc::TCSAFLUSH, &mode) == 0).then_some(Keys { before })
        }
    }

    /// The key that was pressed; `None` when the terminal is gone.
    pub(super) fn read(&self) -> Option<u8> {
        let mut key = [0u8; 16];
        // SAFETY: reads into the buffer.
        let len = unsafe { libc::read(0, key.as_mut_ptr().cast(), key.len()) };
        (len > 0).then_some(key[0])
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // SAFETY: the mode is one that the terminal had.
        unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &self.before) };
    }
}
