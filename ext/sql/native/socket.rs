//! Whether the other side of an idle connection is still there.

use engine::op;

/// Whether the socket of a descriptor is open in both directions as far as the kernel knows. Does not wait and reads nothing.
#[op]
pub(crate) fn is_open(fd: i32) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: one entry that lives as long as the call; a number that is no descriptor is told as POLLNVAL.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready == 0 || poll.revents & (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) == 0
}
