//! Whether the other side of an idle connection is still there, and room for the answers of many connections.

use engine::{JsResult, Local, Scope, op};

/// Bytes of new objects: with what 100 connections get at a time, few of them are there when it is full.
const NURSERY: u32 = 8 << 20;

/// Whether the socket of a descriptor is open in both directions as far as the kernel knows. Does not wait and reads nothing.
#[op]
pub(crate) fn is_open(fd: i32) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: one entry that lives as long as the call; a number that is no descriptor is told as POLLNVAL.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready == 0 || poll.revents & (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) == 0
}

/// Many queries are under way at the same time. Each is older than its rows, which a collection would keep for its sake.
#[op(ts(returns = "void"))]
pub(crate) fn expect_many<'s>(scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
    scope.keep_nursery(NURSERY);
    Ok(scope.undefined())
}
