//! A process started and waited for in one call, its pipes served meanwhile: child_process.spawnSync.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use base::cancel::{Woken, wait};

use crate::process::{Command, Exit, Process, start};
use crate::stdio::{End, PIPE_SIZE, Stdio, enlarge_pipe, open, read_some, write_some};

/// Limits of a run.
pub(crate) struct Limits {
    /// The process is killed after that.
    pub timeout: Option<Duration>,
    /// The process is killed when it has written more bytes than that, on all pipes together.
    pub max_output: f64,
    /// Signal to kill it with.
    pub kill_signal: i32,
}

/// What came of a run.
pub(crate) struct Outcome {
    pub pid: i32,
    /// `None` only if waiting failed.
    pub exit: Option<Exit>,
    /// 0, or the positive errno of what went wrong: ETIMEDOUT and ENOBUFS for the limits.
    pub error: i32,
    /// What the process wrote, per descriptor; `None` for those that were not read.
    pub output: Vec<Option<Vec<u8>>>,
    /// The thread that waited is to end; the process has been killed.
    pub ended: bool,
}

/// Bytes for the descriptor of the same index.
pub(crate) type Input<'a> = Option<&'a [u8]>;

struct Served<'a> {
    end: Option<End>,
    reads: bool,
    /// Much goes through it: it was enlarged.
    large: bool,
    output: Vec<u8>,
    input: &'a [u8],
}

/// Runs `command` to its end, and until all its pipes have ended. An error means that it could not be started.
pub(crate) fn run(command: &Command, stdio: &[Stdio], inputs: &[Input<'_>], limits: &Limits) -> io::Result<Outcome> {
    let opened = open(stdio)?;
    let begin = Instant::now();
    let process = start(command, &opened.child)?;
    let mut opened = opened;
    let ours = std::mem::take(&mut opened.ours);
    // The child's ends: as long as they are open here, the output does not end.
    drop(opened);
    let mut served: Vec<Served<'_>> = ours
        .into_iter()
        .enumerate()
        .map(|(index, end)| Served {
            end,
            reads: matches!(stdio[index], Stdio::Output | Stdio::Duplex | Stdio::Channel),
            large: false,
            output: Vec::new(),
            input: inputs.get(index).copied().flatten().unwrap_or(&[]),
        })
        .collect();
    for pipe in &mut served {
        if pipe.input.is_empty() {
            pipe.end_input();
        } else if let Some(end) = &pipe.end
            && pipe.input.len() > PIPE_SIZE
            && !end.socket
        {
            enlarge_pipe(end.fd.as_raw_fd());
        }
    }

    let mut run = Run { process: &process, limits, exit: None, error: 0, killed: false, ended: false };
    run.serve(&mut served, begin);
    let output = served
        .into_iter()
        .map(|pipe| {
            let mut output = pipe.output;
            output.shrink_to_fit();
            pipe.reads.then_some(output)
        })
        .collect();
    Ok(Outcome { pid: process.pid, exit: run.exit, error: run.error, output, ended: run.ended })
}

impl Served<'_> {
    /// Tells the child that there is no more input.
    fn end_input(&mut self) {
        self.input = &[];
        let Some(end) = &self.end else { return };
        if !self.reads {
            self.end = None;
        } else if end.socket {
            // SAFETY: a plain system call on an open descriptor; an error means that the peer is gone.
            unsafe { libc::shutdown(end.fd.as_raw_fd(), libc::SHUT_WR) };
        }
    }
}

struct Run<'a> {
    process: &'a Process,
    limits: &'a Limits,
    exit: Option<Exit>,
    error: i32,
    killed: bool,
    ended: bool,
}

impl Run<'_> {
    fn fail(&mut self, errno: i32) {
        if self.error == 0 {
            self.error = errno;
        }
    }

    /// Ends the run early. Afterwards only the end of the process is waited for: its pipes may be held open by others.
    fn kill(&mut self, served: &mut [Served<'_>]) {
        if !self.killed {
            self.killed = true;
            if self.exit.is_none()
                && let Err(errno) = self.process.kill(self.limits.kill_signal)
                && errno != libc::ESRCH
            {
                self.fail(errno);
                let _ = self.process.kill(libc::SIGKILL);
            }
        }
        served.iter_mut().for_each(|pipe| pipe.end = None);
    }

    fn serve(&mut self, served: &mut [Served<'_>], begin: Instant) {
        let deadline = self.limits.timeout.map(|timeout| begin + timeout);
        let mut polled: Vec<libc::pollfd> = Vec::new();
        // Index in `served` of each polled descriptor; the process's own is the last, if it is there.
        let mut owners: Vec<usize> = Vec::new();
        loop {
            polled.clear();
            owners.clear();
            for (index, pipe) in served.iter().enumerate() {
                let Some(end) = &pipe.end else { continue };
                let mut events = if pipe.reads { libc::POLLIN } else { 0 };
                if !pipe.input.is_empty() {
                    events |= libc::POLLOUT;
                }
                polled.push(libc::pollfd { fd: end.fd.as_raw_fd(), events, revents: 0 });
                owners.push(index);
            }
            if self.exit.is_none() {
                polled.push(libc::pollfd { fd: self.process.end(), events: libc::POLLIN, revents: 0 });
            }
            if polled.is_empty() {
                return;
            }
            let left =
                deadline.filter(|_| !self.killed).map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match wait(&mut polled, left) {
                Ok(Woken::Cancelled) => {
                    // The worker that waits is terminated: nobody would hear of the process any more.
                    let _ = self.process.kill(libc::SIGKILL);
                    self.ended = true;
                    self.exit = self.process.reap_killed().ok().flatten();
                    return;
                }
                Ok(Woken::Ready | Woken::TimedOut) => {}
                Err(error) => {
                    self.fail(error.raw_os_error().unwrap_or(libc::EIO));
                    self.kill(served);
                    return;
                }
            }
            for (polled, &index) in polled.iter().zip(&owners) {
                if polled.revents != 0 {
                    self.serve_pipe(&mut served[index], polled.revents, polled.fd);
                }
            }
            let total: usize = served.iter().map(|pipe| pipe.output.len()).sum();
            if self.limits.max_output > 0.0 && total as f64 > self.limits.max_output && !self.killed {
                self.fail(libc::ENOBUFS);
                self.kill(served);
            }
            if self.exit.is_none() && polled.last().is_some_and(|last| last.revents != 0) {
                match self.process.try_reap() {
                    Ok(exit) => self.exit = exit,
                    Err(error) => {
                        self.fail(error.raw_os_error().unwrap_or(libc::EIO));
                        served.iter_mut().for_each(|pipe| pipe.end = None);
                        return;
                    }
                }
            }
            let left = self.exit.is_none() || served.iter().any(|pipe| pipe.end.is_some());
            if left && !self.killed && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.fail(libc::ETIMEDOUT);
                self.kill(served);
            }
        }
    }

    fn serve_pipe(&mut self, pipe: &mut Served<'_>, events: i16, fd: RawFd) {
        let Some(end) = &pipe.end else { return };
        let socket = end.socket;
        if !pipe.input.is_empty() && events & (libc::POLLOUT | libc::POLLERR | libc::POLLHUP) != 0 {
            match write_some(fd, socket, pipe.input) {
                Ok(count) => {
                    pipe.input = &pipe.input[count..];
                    if pipe.input.is_empty() {
                        pipe.end_input();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    // Node tells of input that nobody reads as an error of the run, the process goes on.
                    self.fail(error.raw_os_error().unwrap_or(libc::EIO));
                    pipe.end_input();
                }
            }
        }
        if pipe.reads && events & (libc::POLLIN | libc::POLLERR | libc::POLLHUP) != 0 {
            // Small outputs do not need much room; large ones are read in large pieces.
            let room = pipe.output.len().clamp(4 << 10, 1 << 20);
            match read_some(fd, &mut pipe.output, room) {
                Ok(0) => pipe.end = None,
                Ok(count) => {
                    if count >= PIPE_SIZE && !pipe.large {
                        pipe.large = true;
                        enlarge_pipe(fd);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    if error.kind() != io::ErrorKind::ConnectionReset {
                        self.fail(error.raw_os_error().unwrap_or(libc::EIO));
                    }
                    pipe.end = None;
                }
            }
        }
    }
}
