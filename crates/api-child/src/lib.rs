//! Native half of `node:child_process` and `Bun.spawn`: processes, their pipes, their exits. Linux only so far: it
//! relies on clone(2) and pidfds.
//!
//! Processes and pipes are numbers in JavaScript, counted per thread. Errors that Node reports as numbers are returned
//! as numbers (negative errno), everything else is thrown.

mod convert;
mod pipe;
mod process;
mod stdio;
mod strings;
mod sync;

use std::collections::HashMap;
use std::future::Future;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::rc::Rc;
use std::time::Duration;

use engine::{__native, AsyncCompletion, AsyncWork, Exc, F64Array, IntoJs, Local, OpError, Scope, begin_async, op, ops};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use convert::Inputs;
use pipe::Pipe;
use process::{Exit, Process};
use stdio::{End, Stdio};

/// The processes and pipes of a thread.
#[derive(Default)]
struct Children {
    next: u32,
    processes: HashMap<u32, Rc<Process>>,
    pipes: HashMap<u32, Rc<Pipe>>,
}

impl Children {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn add_pipe(&mut self, end: End) -> u32 {
        let id = self.number();
        self.pipes.insert(id, Rc::new(Pipe::new(end)));
        id
    }
}

fn children<'a>(scope: &'a mut Scope<'_>) -> &'a mut Children {
    scope.state().get_or_default::<Children>()
}

fn pipe_of(scope: &mut Scope<'_>, id: u32) -> Result<Rc<Pipe>, OpError> {
    let closed = || OpError::errno(libc::EBADF, "pipe");
    children(scope).pipes.get(&id).cloned().ok_or_else(closed)
}

fn errno_of(error: &std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Starts `future` on the loop of the thread; `callback(error, value)` is called with what comes of it.
fn begin<'s, T, F>(scope: &mut Scope<'s>, callback: Local<'s>, future: F) -> Result<Local<'s>, Exc>
where
    T: IntoJs + Send + 'static,
    F: Future<Output = Result<T, OpError>> + 'static,
{
    let work = async move {
        let result = future.await;
        let completion: AsyncCompletion = Box::new(move |scope| __native::OpReturn::finish(result, scope));
        completion
    };
    begin_async(scope, callback, AsyncWork::Future(Box::pin(work)))
}

/// How a process ended, for JavaScript: `[code, signal, usage]`.
type ExitNumbers = (i32, i32, F64Array);

fn exit_numbers(exit: &Exit) -> ExitNumbers {
    (exit.code, exit.signal, F64Array(exit.usage.to_vec()))
}

/// Waits for the end of a process and reaps it.
async fn wait(process: Rc<Process>) -> Result<ExitNumbers, OpError> {
    let failed = |error| OpError::io(error, "wait");
    let end = AsyncFd::with_interest(process.end(), Interest::READABLE).map_err(failed)?;
    loop {
        let mut ready = end.readable().await.map_err(failed)?;
        if let Some(exit) = process.try_reap().map_err(failed)? {
            return Ok(exit_numbers(&exit));
        }
        ready.clear_ready();
    }
}

/// Starts a process.
///
/// - `file`: name or path; `args`: all arguments joined by NUL, argv[0] included; `env`: `name=value` joined by NUL,
///   empty for none, undefined for the environment of this process; `cwd`: working directory.
/// - `stdio`: two numbers per descriptor of the child, see [`Stdio`].
/// - `flags`: 1 makes the process the leader of a new session.
/// - `callback(error, [code, signal, usage])` is called once when the process has ended; not if it was not started.
///   `usage`: user and system time (µs), largest resident set (bytes), shared memory, swaps, blocks in and out,
///   messages sent and received, signals, voluntary and involuntary context switches.
///
/// Returns `[error, process, pid, pipes]`: 0 or a negative errno; the number of the process; a pipe number for each
/// piped entry, -1 for others (pipes exist also where the program could not be executed).
#[op]
#[allow(clippy::too_many_arguments)]
fn spawn<'s>(
    scope: &mut Scope<'s>,
    file: String,
    args: String,
    env: Option<String>,
    cwd: Option<String>,
    stdio: Vec<f64>,
    flags: u32,
    uid: Option<i32>,
    gid: Option<i32>,
    callback: Local<'s>,
) -> Result<Result<(i32, u32, i32, Vec<i32>), Exc>, OpError> {
    let entries = convert::stdio(&stdio)?;
    let command = convert::command(file, args, env, cwd, flags, uid, gid)?;
    let opened = match stdio::open(&entries) {
        Ok(opened) => opened,
        Err(error) => return Ok(Ok((-errno_of(&error), 0, 0, Vec::new()))),
    };
    let started = process::start(&command, &opened.child);
    let mut opened = opened;
    let ours = std::mem::take(&mut opened.ours);
    drop(opened);
    let state = children(scope);
    let pipes = ours.into_iter().map(|end| end.map_or(-1, |end| state.add_pipe(end) as i32)).collect();
    match started {
        Err(error) => Ok(Ok((-errno_of(&error), 0, 0, pipes))),
        Ok(process) => {
            let process = Rc::new(process);
            let id = state.number();
            state.processes.insert(id, process.clone());
            let pid = process.pid;
            Ok(begin(scope, callback, wait(process)).map(|_| (0, id, pid, pipes)))
        }
    }
}

/// Forgets a process that has ended.
#[op]
fn release(scope: &mut Scope<'_>, process: u32) {
    children(scope).processes.remove(&process);
}

/// Sends a signal: 0, or a negative errno (ESRCH where the process has ended).
#[op]
fn kill(scope: &mut Scope<'_>, process: u32, signal: i32) -> i32 {
    match children(scope).processes.get(&process) {
        Some(process) => process.kill(signal).map_or_else(|errno| -errno, |()| 0),
        None => -libc::ESRCH,
    }
}

/// Runs a process to its end; parameters as those of [`spawn`], and:
///
/// - `inputs`: per descriptor the bytes to write to it, or undefined.
/// - `timeout`: milliseconds, 0 for none; `max_output`: bytes of all pipes together, 0 for any number; when one of
///   them is exceeded, the process gets `kill_signal`.
///
/// Returns `[error, pid, exit, output]`: 0 or a negative errno (ETIMEDOUT, ENOBUFS, EPIPE, or why it could not be
/// started, then pid is 0); `[code, signal, usage]` or undefined; per descriptor a Uint8Array or undefined.
#[op]
#[allow(clippy::too_many_arguments)]
fn spawn_sync(
    file: String,
    args: String,
    env: Option<String>,
    cwd: Option<String>,
    stdio: Vec<f64>,
    flags: u32,
    uid: Option<i32>,
    gid: Option<i32>,
    inputs: Inputs,
    timeout: f64,
    max_output: f64,
    kill_signal: i32,
) -> Result<(i32, i32, Option<ExitNumbers>, Vec<Option<Vec<u8>>>), OpError> {
    let entries = convert::stdio(&stdio)?;
    let command = convert::command(file, args, env, cwd, flags, uid, gid)?;
    let limits = sync::Limits {
        timeout: (timeout > 0.0).then(|| Duration::try_from_secs_f64(timeout / 1000.0).ok()).flatten(),
        max_output,
        kill_signal,
    };
    let inputs: Vec<sync::Input<'_>> = inputs.0.iter().map(|bytes| bytes.as_ref().map(|b| b.as_slice())).collect();
    Ok(match sync::run(&command, &entries, &inputs, &limits) {
        Ok(outcome) => (-outcome.error, outcome.pid, outcome.exit.as_ref().map(exit_numbers), outcome.output),
        Err(error) => (-errno_of(&error), 0, None, Vec::new()),
    })
}

/// Takes over a descriptor that this process was started with: it becomes non-blocking, is closed on exec and belongs
/// to the pipe whose number is returned. EBADF where it is not open.
#[op]
fn pipe_open(scope: &mut Scope<'_>, fd: i32) -> Result<u32, OpError> {
    let failed = |error| OpError::io(error, "open");
    stdio::set_nonblocking(fd).map_err(failed)?;
    // SAFETY: plain system calls; the descriptor is open, as was just seen. Whoever passes its number gives it away.
    let (fd, socket) = unsafe {
        libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        (OwnedFd::from_raw_fd(fd), is_socket(fd))
    };
    Ok(children(scope).add_pipe(End { fd, socket }))
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
    children(scope).pipes.get(&pipe).map_or(-1, |pipe| pipe.fd())
}

/// Waits for data: `callback(error, bytes)`, undefined at the end. ECANCELED where the pipe is closed meanwhile. Only
/// one at a time.
#[op]
fn pipe_read<'s>(scope: &mut Scope<'s>, pipe: u32, callback: Local<'s>) -> Result<Result<Local<'s>, Exc>, OpError> {
    let pipe = pipe_of(scope, pipe)?;
    pipe.begin_read();
    Ok(begin(scope, callback, async move { pipe.read().await.map_err(|error| OpError::io(error, "read")) }))
}

/// Ends the read under way with ECANCELED; there has to be one.
#[op]
fn pipe_cancel_read(scope: &mut Scope<'_>, pipe: u32) {
    if let Some(pipe) = children(scope).pipes.get(&pipe) {
        pipe.cancel_read();
    }
}

/// Writes what fits now: the number of bytes, or a negative errno.
#[op]
fn pipe_try_write<'s>(scope: &mut Scope<'s>, pipe: u32, data: Local<'s>) -> Result<i32, OpError> {
    let pipe = pipe_of(scope, pipe)?;
    let bytes = scope.bytes(data).ok_or_else(convert::no_bytes)?;
    Ok(match pipe.try_write(&bytes[..bytes.len().min(i32::MAX as usize)]) {
        Ok(count) => count as i32,
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
        Err(error) => -errno_of(&error),
    })
}

/// Writes all bytes of `data` from `offset` on: `callback(error)`. ECANCELED where the pipe is closed meanwhile. Only
/// one at a time.
#[op]
fn pipe_write<'s>(
    scope: &mut Scope<'s>,
    pipe: u32,
    data: Local<'s>,
    offset: f64,
    callback: Local<'s>,
) -> Result<Result<Local<'s>, Exc>, OpError> {
    let pipe = pipe_of(scope, pipe)?;
    let bytes = scope.pin_bytes(data).ok_or_else(convert::no_bytes)?;
    Ok(begin(scope, callback, async move {
        let rest = bytes.as_slice().get(offset as usize..).unwrap_or(&[]);
        pipe.write_all(rest).await.map_err(|error| OpError::io(error, "write"))
    }))
}

/// Ends the writing side of a duplex pipe: 0 or a negative errno.
#[op]
fn pipe_shutdown(scope: &mut Scope<'_>, pipe: u32) -> i32 {
    match children(scope).pipes.get(&pipe) {
        Some(pipe) => pipe.shutdown().map_or_else(|error| -errno_of(&error), |()| 0),
        None => -libc::EBADF,
    }
}

/// Closes a pipe; what waits on it ends with ECANCELED.
#[op]
fn pipe_close(scope: &mut Scope<'_>, pipe: u32) {
    if let Some(pipe) = children(scope).pipes.remove(&pipe) {
        pipe.close();
    }
}

ops!(pub fn family "child" {
    spawn, spawn_sync, release, kill, pipe_open, pipe_fd, pipe_read, pipe_cancel_read, pipe_try_write, pipe_write,
    pipe_shutdown, pipe_close
});
