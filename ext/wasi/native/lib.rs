//! Native half of `node:wasi`: what WASI asks of descriptors and `node:fs` does not have.

use std::io;
use std::time::Duration;

use base::cancel::{self, Woken};
use engine::{OpError, op, ops};

/// The result of a call that tells by -1 that it failed.
fn check(result: i64, call: &'static str) -> Result<i64, OpError> {
    if result < 0 { Err(OpError::io(io::Error::last_os_error(), call)) } else { Ok(result) }
}

/// Waits until one of `fds` is ready for its `events` (those of poll(2)) or `milliseconds` are over, below zero: for ever; in a worker
/// until it is ended. Returns what each is ready for.
#[op]
fn wait(fds: Vec<u32>, events: Vec<u32>, milliseconds: f64) -> Result<Vec<i32>, OpError> {
    let mut polled: Vec<libc::pollfd> = fds
        .iter()
        .zip(&events)
        .map(|(&fd, &events)| libc::pollfd { fd: fd as i32, events: events as i16, revents: 0 })
        .collect();
    let timeout =
        (milliseconds >= 0.0).then(|| Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX));
    // What is later than a clock can say is never.
    let timeout = timeout.filter(|timeout| timeout.as_secs() < 1 << 40);
    match cancel::wait(&mut polled, timeout) {
        Ok(Woken::Cancelled) => Err(OpError::ended()),
        Ok(_) => Ok(polled.iter().map(|entry| entry.revents.into()).collect()),
        Err(error) => Err(OpError::io(error, "ppoll")),
    }
}

/// Bytes that can be read from a pipe, a socket or a terminal without waiting.
#[op]
fn readable(fd: i32) -> Result<i32, OpError> {
    let mut count: libc::c_int = 0;
    // SAFETY: FIONREAD writes one int, which lives until after the call.
    check(unsafe { libc::ioctl(fd, libc::FIONREAD, &raw mut count) }.into(), "ioctl")?;
    Ok(count)
}

/// lseek(2); `whence`: 0 from the start, 1 from where it is, 2 from the end. Returns the new offset.
#[op]
fn seek(fd: i32, offset: f64, whence: i32) -> Result<f64, OpError> {
    // SAFETY: the call takes any numbers.
    check(unsafe { libc::lseek(fd, offset as i64, whence) }, "lseek").map(|at| at as f64)
}

/// The status flags of an open file, as F_GETFL of fcntl(2) gives them.
#[op]
fn status_flags(fd: i32) -> Result<i32, OpError> {
    // SAFETY: the call takes any numbers.
    check(unsafe { libc::fcntl(fd, libc::F_GETFL) }.into(), "fcntl").map(|flags| flags as i32)
}

/// Sets O_APPEND and O_NONBLOCK of an open file and leaves its other flags.
#[op]
fn set_status_flags(fd: i32, append: bool, nonblock: bool) -> Result<(), OpError> {
    let mut flags = status_flags(fd)? & !(libc::O_APPEND | libc::O_NONBLOCK);
    flags |= if append { libc::O_APPEND } else { 0 } | if nonblock { libc::O_NONBLOCK } else { 0 };
    // SAFETY: the call takes any numbers.
    check(unsafe { libc::fcntl(fd, libc::F_SETFL, flags) }.into(), "fcntl").map(drop)
}

/// posix_fallocate(3): space for a range of a file.
#[op]
fn allocate(fd: i32, offset: f64, length: f64) -> Result<(), OpError> {
    // SAFETY: the call takes any numbers.
    match unsafe { libc::posix_fallocate(fd, offset as i64, length as i64) } {
        0 => Ok(()),
        error => Err(OpError::io(io::Error::from_raw_os_error(error), "posix_fallocate")),
    }
}

/// posix_fadvise(2); WASI's advice has the numbers of Linux.
#[op]
fn advise(fd: i32, offset: f64, length: f64, advice: i32) -> Result<(), OpError> {
    // SAFETY: the call takes any numbers.
    match unsafe { libc::posix_fadvise(fd, offset as i64, length as i64, advice) } {
        0 => Ok(()),
        error => Err(OpError::io(io::Error::from_raw_os_error(error), "posix_fadvise")),
    }
}

/// The time of a clock of clock_gettime(2) as (seconds, nanoseconds).
#[op]
fn clock_time(clock: i32) -> Result<(f64, f64), OpError> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec, which lives until after it.
    check(unsafe { libc::clock_gettime(clock, &raw mut time) }.into(), "clock_gettime")?;
    Ok((time.tv_sec as f64, time.tv_nsec as f64))
}

/// The resolution of a clock as (seconds, nanoseconds).
#[op]
fn clock_resolution(clock: i32) -> Result<(f64, f64), OpError> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec, which lives until after it.
    check(unsafe { libc::clock_getres(clock, &raw mut time) }.into(), "clock_getres")?;
    Ok((time.tv_sec as f64, time.tv_nsec as f64))
}

ops!(pub fn family "wasi" { wait, readable, seek, status_flags, set_status_flags, allocate, advise, clock_time, clock_resolution });
