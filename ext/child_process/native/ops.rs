//! The ops of the family "child".

use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::rc::Rc;
use std::time::Duration;

use engine::{Exc, Local, OpError, Scope, op, ops};
use poll::Poller;

use crate::callback::Callback;
use crate::child::{Child, ExitNumbers, exit_numbers};
use crate::convert::{self, ByteText, Inputs};
use crate::pipe::Pipe;
use crate::stdio::{self, End};
use crate::{Children, errno_of, process, sync, terminal};

fn pipe_of(scope: &mut Scope<'_>, id: u32) -> Option<Rc<Pipe>> {
    Children::of(scope).pipes.get(&id).cloned()
}

/// 0 or a negative errno; EBADF where there is no such pipe.
fn on_pipe(scope: &mut Scope<'_>, id: u32, action: impl FnOnce(&Rc<Pipe>) -> io::Result<()>) -> i32 {
    match pipe_of(scope, id) {
        Some(pipe) => action(&pipe).map_or_else(|error| -errno_of(&error), |()| 0),
        None => -libc::EBADF,
    }
}

/// What [`spawn`] returns.
type Spawned = (i32, u32, i32, Vec<i32>);

/// What [`spawn_sync`] returns.
type Finished = (i32, i32, Option<ExitNumbers>, Vec<Option<Vec<u8>>>);

/// Starts a process.
///
/// - `file`: name or path; `args`: all arguments joined by NUL, argv[0] included; `env`: `name=value` joined by NUL,
///   empty for none, undefined for the environment of this process; `cwd`: working directory.
/// - `stdio`: two numbers per descriptor of the child, see [`stdio::Stdio`].
/// - `flags`: 1 makes the process the leader of a new session; 2 does so, and makes descriptor 0 its terminal.
/// - `cgroup`: a descriptor of the file cgroup.procs of the control group that the process joins, or -1.
/// - `ended(code, signal, usage)` is called once when the process has ended; not if it was not started. `code` is -1
///   where somebody else has waited for it. `usage`: user and system time (µs), largest resident set (bytes), shared
///   memory, swaps, blocks in and out, messages sent and received, signals, voluntary and involuntary context switches.
///
/// Returns `[error, process, pid, pipes]`: 0 or a negative errno; the number of the process; a pipe number for each
/// piped entry, -1 for others (pipes exist also where the program could not be executed).
#[op]
#[allow(clippy::too_many_arguments, reason = "they are the fields of one call from JavaScript")]
fn spawn<'s>(
    scope: &mut Scope<'s>,
    file: String,
    args: ByteText,
    env: Option<ByteText>,
    cwd: Option<String>,
    stdio: Vec<f64>,
    flags: u32,
    uid: Option<i32>,
    gid: Option<i32>,
    cgroup: i32,
    ended: Local<'s>,
) -> Result<Spawned, OpError> {
    base::stderr::release();
    let entries = convert::stdio(&stdio)?;
    let command = convert::command(file, args, env, cwd, (flags, cgroup), (uid, gid))?;
    let ended = Callback::checked(scope, ended)?;
    let mut opened = match stdio::open(&entries) {
        Ok(opened) => opened,
        Err(error) => return Ok((-errno_of(&error), 0, 0, Vec::new())),
    };
    let started = process::start(&command, &opened.child);
    let ours = std::mem::take(&mut opened.ours);
    drop(opened);
    let poller = Poller::of(scope);
    let started = started.and_then(|process| Child::watch(poller.clone(), process, ended));
    let state = Children::of(scope);
    let pipes = ours.into_iter().map(|end| end.map_or(-1, |end| state.add_pipe(&poller, end) as i32)).collect();
    Ok(match started {
        Err(error) => (-errno_of(&error), 0, 0, pipes),
        Ok(child) => {
            let id = state.number();
            let pid = child.process.pid;
            state.processes.insert(id, child);
            (0, id, pid, pipes)
        }
    })
}

/// Forgets a process that has ended.
#[op]
fn release(scope: &mut Scope<'_>, process: u32) {
    Children::of(scope).processes.remove(&process);
}

/// Sends a signal: 0, or a negative errno (ESRCH where the process has ended).
#[op]
fn kill(scope: &mut Scope<'_>, process: u32, signal: i32) -> i32 {
    match Children::of(scope).processes.get(&process) {
        Some(child) => child.process.kill(signal).map_or_else(|errno| -errno, |()| 0),
        None => -libc::ESRCH,
    }
}

/// Whether a process that runs keeps the loop alive; it does at first.
#[op]
fn set_ref(scope: &mut Scope<'_>, process: u32, on: bool) {
    if let Some(child) = Children::of(scope).processes.get(&process) {
        child.set_referenced(on);
    }
}

/// Runs a process to its end; parameters as those of [`spawn`], and:
///
/// - `inputs`: per descriptor the bytes to write to it, or undefined.
/// - `timeout`: milliseconds, 0 for none; `max_output`: bytes of all pipes together, 0 for any number; when one of them is
///   exceeded, the process gets `kill_signal`.
///
/// Returns `[error, pid, exit, output]`: 0 or a negative errno (ETIMEDOUT, ENOBUFS, EPIPE, or why it could not be
/// started, then pid is 0); `[code, signal, usage]` or undefined; per descriptor a Uint8Array or undefined.
#[op]
#[allow(clippy::too_many_arguments, reason = "they are the fields of one call from JavaScript")]
fn spawn_sync(
    file: String,
    args: ByteText,
    env: Option<ByteText>,
    cwd: Option<String>,
    stdio: Vec<f64>,
    flags: u32,
    uid: Option<i32>,
    gid: Option<i32>,
    cgroup: i32,
    inputs: Inputs,
    timeout: f64,
    max_output: f64,
    kill_signal: i32,
) -> Result<Finished, OpError> {
    base::stderr::release();
    let entries = convert::stdio(&stdio)?;
    let command = convert::command(file, args, env, cwd, (flags, cgroup), (uid, gid))?;
    let limits = sync::Limits {
        timeout: (timeout > 0.0).then(|| Duration::try_from_secs_f64(timeout / 1000.0).ok()).flatten(),
        max_output,
        kill_signal,
    };
    let inputs: Vec<sync::Input<'_>> = inputs.0.iter().map(|bytes| bytes.as_ref().map(|b| b.as_slice())).collect();
    Ok(match sync::run(&command, &entries, &inputs, &limits) {
        Ok(outcome) if outcome.ended => return Err(OpError::ended()),
        Ok(outcome) => (-outcome.error, outcome.pid, outcome.exit.as_ref().map(exit_numbers), outcome.output),
        Err(error) => (-errno_of(&error), 0, None, Vec::new()),
    })
}

/// Takes over a descriptor that this process was started with: it becomes non-blocking, is closed on exec and belongs
/// to the pipe whose number is returned. `channel`: descriptors may come with its bytes. EBADF where it is not open.
#[op]
fn pipe_open(scope: &mut Scope<'_>, fd: i32, channel: bool) -> Result<u32, OpError> {
    let failed = |error| OpError::io(error, "open");
    stdio::set_nonblocking(fd).map_err(failed)?;
    // SAFETY: plain system calls; the descriptor is open, as was just seen. Whoever passes its number gives it away.
    let (fd, socket) = unsafe {
        libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        (OwnedFd::from_raw_fd(fd), is_socket(fd))
    };
    let poller = Poller::of(scope);
    Ok(Children::of(scope).add_pipe(&poller, End { fd, socket, channel: channel && socket }))
}

fn is_socket(fd: RawFd) -> bool {
    let mut kind = 0i32;
    let mut size = size_of::<i32>() as libc::socklen_t;
    // SAFETY: writes one integer and its size.
    unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &raw mut size) == 0 }
}

/// The descriptor of a pipe, -1 where it is closed.
#[op]
fn pipe_fd(scope: &mut Scope<'_>, pipe: u32) -> i32 {
    pipe_of(scope, pipe).map_or(-1, |pipe| pipe.fd())
}

/// Calls `callback(errno, bytes, descriptors)` for each piece that arrives, in a turn of its own: undefined for bytes
/// at the end, a negative errno where reading failed (nothing comes after either); an array of the descriptors that
/// came along, or undefined. Returns 0 or a negative errno.
#[op]
fn pipe_read<'s>(scope: &mut Scope<'s>, pipe: u32, callback: Local<'s>) -> Result<i32, Exc> {
    let callback = Callback::checked(scope, callback)?;
    Ok(on_pipe(scope, pipe, |pipe| pipe.read(callback)))
}

/// Reads to the end and calls `callback(errno, bytes)` once. Without a callback, reads ahead into memory for a
/// [`pipe_read`] or [`pipe_read_all`] to come; that does not keep the loop alive. Returns 0 or a negative errno.
#[op]
fn pipe_read_all<'s>(scope: &mut Scope<'s>, pipe: u32, callback: Local<'s>) -> Result<i32, Exc> {
    let callback = if callback.is_nullish() { None } else { Some(Callback::checked(scope, callback)?) };
    Ok(on_pipe(scope, pipe, |pipe| pipe.read_all(callback)))
}

/// Takes all that [`pipe_read_all`] has read ahead, where the end has come and nobody has asked for it: the pipe is gone
/// then. Undefined otherwise.
#[op]
fn pipe_take(scope: &mut Scope<'_>, pipe: u32) -> Option<Vec<u8>> {
    let bytes = pipe_of(scope, pipe)?.take_all()?;
    pipe_close(scope, pipe);
    Some(bytes)
}

/// Calls `exceeded()` once when more than `bytes` have been read from a pipe in all.
#[op]
fn pipe_limit<'s>(scope: &mut Scope<'s>, pipe: u32, bytes: f64, exceeded: Local<'s>) -> Result<i32, Exc> {
    let exceeded = Callback::checked(scope, exceeded)?;
    Ok(on_pipe(scope, pipe, |pipe| {
        pipe.set_limit(bytes as u64, exceeded);
        Ok(())
    }))
}

/// Takes the descriptor of a pipe out: it belongs to the program from now on. -1 where the pipe is closed.
#[op]
fn pipe_detach(scope: &mut Scope<'_>, pipe: u32) -> i32 {
    Children::of(scope).pipes.remove(&pipe).map_or(-1, |pipe| pipe.detach())
}

/// No more reads until [`pipe_resume`]; nothing is lost.
#[op]
fn pipe_stop(scope: &mut Scope<'_>, pipe: u32) {
    on_pipe(scope, pipe, |pipe| {
        pipe.stop();
        Ok(())
    });
}

/// Goes on with the callback given before. Returns 0 or a negative errno.
#[op]
fn pipe_resume(scope: &mut Scope<'_>, pipe: u32) -> i32 {
    on_pipe(scope, pipe, Pipe::resume)
}

/// Writes `data`, along with a copy of the descriptor `passed` where that is 0 or more. Returns 0 where all is written,
/// 1 where `done(errno)` will be called when it is (errno 0 or negative; ECANCELED where the pipe is closed before), or
/// a negative errno.
#[op]
fn pipe_write<'s>(
    scope: &mut Scope<'s>,
    pipe: u32,
    data: Local<'s>,
    passed: i32,
    done: Local<'s>,
) -> Result<i32, OpError> {
    if !done.is_callable() {
        return Err(scope.throw_type_error("native function expected a callback").into());
    }
    if scope.bytes(data).is_none() {
        return Err(convert::no_bytes());
    }
    let Some(pipe) = pipe_of(scope, pipe) else { return Ok(-libc::EBADF) };
    let passed = match (passed >= 0).then(|| duplicate(passed)).transpose() {
        Ok(passed) => passed,
        Err(error) => return Ok(-errno_of(&error)),
    };
    Ok(match pipe.write(scope, data, passed, done) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => -errno_of(&error),
    })
}

/// Writes one of many messages, a string (as UTF-8) or bytes. Returns as [`pipe_write`] does; where it has to wait, it is
/// copied and `done(errno, messages)` tells of several at once, in order: all calls for a pipe have to give the same
/// function.
#[op]
fn pipe_send<'s>(scope: &mut Scope<'s>, pipe: u32, data: Local<'s>, done: Local<'s>) -> Result<i32, OpError> {
    if !done.is_callable() {
        return Err(scope.throw_type_error("native function expected a callback").into());
    }
    if !data.is_string() && scope.bytes(data).is_none() {
        return Err(convert::no_bytes());
    }
    let Some(pipe) = pipe_of(scope, pipe) else { return Ok(-libc::EBADF) };
    Ok(match pipe.send(scope, data, done)? {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => -errno_of(&error),
    })
}

fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the call fails with EBADF where it is not open.
    unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()
}

/// Whether reading from a pipe keeps the loop alive; it does at first.
#[op]
fn pipe_set_ref(scope: &mut Scope<'_>, pipe: u32, on: bool) {
    on_pipe(scope, pipe, |pipe| {
        pipe.set_referenced(on);
        Ok(())
    });
}

/// Ends the writing side of a duplex pipe: 0 or a negative errno.
#[op]
fn pipe_shutdown(scope: &mut Scope<'_>, pipe: u32) -> i32 {
    on_pipe(scope, pipe, |pipe| pipe.shutdown())
}

/// Closes a pipe; writes under way end with ECANCELED.
#[op]
fn pipe_close(scope: &mut Scope<'_>, pipe: u32) {
    if let Some(pipe) = Children::of(scope).pipes.remove(&pipe) {
        pipe.close();
    }
}

/// Makes a pseudo-terminal of that size: `[error, pipe, slave]`, 0 or a negative errno, the number of a pipe for the
/// master side, and the descriptor of the slave side, which belongs to the caller.
#[op]
fn terminal_open(scope: &mut Scope<'_>, columns: u16, rows: u16) -> (i32, u32, i32) {
    match terminal::open(columns, rows) {
        Ok((master, slave)) => {
            let poller = Poller::of(scope);
            let end = End { fd: master, socket: false, channel: false };
            (0, Children::of(scope).add_pipe(&poller, end), slave.into_raw_fd())
        }
        Err(error) => (-errno_of(&error), 0, -1),
    }
}

/// Changes the size of a pseudo-terminal: 0 or a negative errno.
#[op]
fn terminal_resize(scope: &mut Scope<'_>, pipe: u32, columns: u16, rows: u16) -> i32 {
    on_pipe(scope, pipe, |pipe| terminal::resize(pipe.fd(), columns, rows))
}

/// The flags of a terminal's modes, `[input, output, local, control]` as termios(3) has them; empty where it is closed.
#[op]
fn terminal_flags(scope: &mut Scope<'_>, pipe: u32) -> Vec<u32> {
    let modes = pipe_of(scope, pipe).and_then(|pipe| terminal::modes(pipe.fd()).ok());
    modes.map_or(Vec::new(), |modes| vec![modes.c_iflag, modes.c_oflag, modes.c_lflag, modes.c_cflag])
}

/// Sets them, in the same order: 0 or a negative errno.
#[op]
fn terminal_set_flags(scope: &mut Scope<'_>, pipe: u32, input: u32, output: u32, local: u32, control: u32) -> i32 {
    on_pipe(scope, pipe, |pipe| {
        let mut modes = terminal::modes(pipe.fd())?;
        (modes.c_iflag, modes.c_oflag, modes.c_lflag, modes.c_cflag) = (input, output, local, control);
        terminal::set_modes(pipe.fd(), &modes)
    })
}

/// Makes a pipe whose ends wait and are closed on exec: `[error, reader, writer]`, 0 or a negative errno, and descriptors
/// that belong to the caller.
#[op]
fn pipe_pair() -> (i32, i32, i32) {
    match stdio::pipe() {
        Ok((reader, writer)) => (0, reader.into_raw_fd(), writer.into_raw_fd()),
        Err(error) => (-errno_of(&error), -1, -1),
    }
}

/// Closes a descriptor that came through a channel and that nobody wants.
#[op]
fn close_descriptor(fd: i32) {
    // SAFETY: whoever passes the number gives the descriptor away.
    unsafe { libc::close(fd) };
}

ops!(pub fn family "child" {
    spawn, spawn_sync, release, kill, set_ref, pipe_open, pipe_fd, pipe_read, pipe_read_all, pipe_take, pipe_limit, pipe_detach, pipe_stop, pipe_resume,
    pipe_write, pipe_send, pipe_set_ref, pipe_shutdown, pipe_close, pipe_pair,
    close_descriptor, terminal_open, terminal_resize, terminal_flags, terminal_set_flags
});
