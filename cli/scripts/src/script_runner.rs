//! Several scripts at once or in a row, their output prefixed line by line.

use std::io::{PipeReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::environment::Session;
use crate::output::{self, Failure, Outcome};
use crate::script::{End, leave_no_orphans};
use crate::signals;
use crate::steps::Step;

/// A script with its pre and post scripts.
pub(crate) struct Task<'a> {
    /// What stands before its lines.
    pub label: String,
    pub steps: Vec<Step<'a>>,
    /// Tasks that end before this one starts.
    pub after: Vec<usize>,
}

/// How to run and show tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `--filter`, `--workspaces`: `label script: line`. A failure does not stop the others. On a terminal, and where colours
    /// are asked for, only the last `elide` lines of each script are shown; 0 shows all.
    Packages { elide: usize },
    /// `--parallel`, `--sequential`: `label | line`. A failure stops the others, unless `keep_going`.
    Group { sequential: bool, keep_going: bool },
}

/// Lines longer than this are cut: a program that never ends a line must not fill the memory.
const LINE_LIMIT: usize = 1 << 20;
/// How long a script may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
const COLORS: [&str; 6] = ["\x1b[36m", "\x1b[33m", "\x1b[32m", "\x1b[35m", "\x1b[34m", "\x1b[31m"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sink {
    Out,
    Err,
}

struct Stream {
    pipe: PipeReader,
    sink: Sink,
    partial: Vec<u8>,
    open: bool,
}

struct Running {
    task: usize,
    step: usize,
    child: Child,
    streams: Vec<Stream>,
    started: Instant,
    end: Option<End>,
    /// The last lines, if they are held back (`elide`), and the number of all lines.
    held: std::collections::VecDeque<Vec<u8>>,
    lines: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Ended(End),
    /// Another's failure, or a signal, came first.
    Skipped,
}

struct Runner<'a> {
    session: &'a Session<'a>,
    tasks: &'a [Task<'a>],
    style: Style,
    silent: bool,
    states: Vec<State>,
    running: Vec<Running>,
    /// The failure that stops the others.
    failure: Option<End>,
    /// When scripts were asked to end.
    stopping: Option<Instant>,
    interrupted: Option<i32>,
    width: usize,
    colors: bool,
    elide: usize,
    out: Vec<u8>,
    err: Vec<u8>,
}

/// Runs the tasks; gives the exit code. `silent` leaves out the lines about how each script ended.
pub(crate) fn run(session: &Session<'_>, tasks: &[Task<'_>], style: Style, silent: bool) -> Outcome<i32> {
    let wake = signals::wake_on_signals().map_err(|error| Failure::io("cannot make a pipe", &error))?;
    let colors = output::colors(&std::io::stdout());
    let mut runner = Runner {
        session,
        tasks,
        style,
        silent,
        states: vec![State::Waiting; tasks.len()],
        running: Vec::new(),
        failure: None,
        stopping: None,
        interrupted: None,
        width: tasks.iter().map(|task| task.label.chars().count()).max().unwrap_or(0),
        colors,
        elide: match style {
            // As in Bun: what asks for colours is shown to people.
            Style::Packages { elide } if colors => elide,
            _ => 0,
        },
        out: Vec::new(),
        err: Vec::new(),
    };
    runner.start_ready()?;
    while !runner.running.is_empty() {
        runner.turn(wake)?;
        runner.start_ready()?;
    }
    runner.flush();
    if let Some(signal) = runner.interrupted {
        return Ok(signals::die_by(signal));
    }
    let failed = |state: &State| match state {
        State::Ended(end) if end.code() != 0 => Some(end.code()),
        _ => None,
    };
    Ok(match style {
        // All of them have run: the first one in order counts, whichever was first to end.
        Style::Group { keep_going: true, .. } => runner.states.iter().find_map(failed).unwrap_or(0),
        Style::Group { .. } => runner.failure.map_or(0, End::code),
        Style::Packages { .. } => runner.states.iter().rev().find_map(failed).unwrap_or(0),
    })
}

impl Runner<'_> {
    fn start_ready(&mut self) -> Outcome<()> {
        for task in 0..self.tasks.len() {
            if self.states[task] != State::Waiting {
                continue;
            }
            let one_by_one = matches!(self.style, Style::Group { sequential: true, .. });
            if self.stopping.is_some() {
                self.states[task] = State::Skipped;
                continue;
            }
            if one_by_one && !self.running.is_empty() {
                return Ok(());
            }
            let settled = |other: &usize| matches!(self.states[*other], State::Ended(_) | State::Skipped);
            if self.tasks[task].after.iter().all(settled) {
                self.states[task] = State::Running;
                self.start(task, 0)?;
            }
        }
        Ok(())
    }

    fn start(&mut self, task: usize, step: usize) -> Outcome<()> {
        let Some(next) = self.tasks[task].steps.get(step) else {
            self.states[task] = State::Ended(End::Code(0));
            return Ok(());
        };
        let mut command = next.command(self.session);
        let no_pipe = |error: std::io::Error| Failure::io("cannot make a pipe", &error);
        let (out, out_end) = std::io::pipe().map_err(no_pipe)?;
        let mut pipes = vec![(out, Sink::Out)];
        match self.style {
            // One pipe for both keeps the order in which the script wrote.
            Style::Packages { .. } => {
                command.stderr(out_end.try_clone().map_err(no_pipe)?);
            }
            Style::Group { .. } => {
                let (err, err_end) = std::io::pipe().map_err(no_pipe)?;
                pipes.push((err, Sink::Err));
                command.stderr(err_end);
            }
        }
        command.stdout(out_end).stdin(Stdio::null());
        // A group of its own: what the script started can be ended together with it.
        command.process_group(0);
        leave_no_orphans(&mut command);
        let child = command.spawn().map_err(|error| {
            Failure::io(format!("cannot start {} in {}", next.event, next.package.dir.display()), &error)
        })?;
        let streams = pipes
            .into_iter()
            .map(|(pipe, sink)| {
                // SAFETY: a plain system call on a descriptor that is ours.
                unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
                Stream { pipe, sink, partial: Vec::new(), open: true }
            })
            .collect();
        self.running.push(Running {
            task,
            step,
            child,
            streams,
            started: Instant::now(),
            end: None,
            held: Default::default(),
            lines: 0,
        });
        Ok(())
    }

    /// Waits for output, the end of a script or a signal, and handles what came.
    fn turn(&mut self, wake: i32) -> Outcome<()> {
        let mut polled = vec![libc::pollfd { fd: wake, events: libc::POLLIN, revents: 0 }];
        for stream in self.running.iter().flat_map(|running| &running.streams) {
            // A negative descriptor is skipped.
            let fd = if stream.open { stream.pipe.as_raw_fd() } else { -1 };
            polled.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        }
        let timeout = match self.stopping {
            Some(since) => GRACE.saturating_sub(since.elapsed()).as_millis() as i32 + 1,
            None => -1,
        };
        // SAFETY: the array lives through the call.
        unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as _, timeout) };
        if self.stopping.is_some_and(|since| since.elapsed() >= GRACE) {
            self.kill(libc::SIGKILL);
        }
        for signal in signals::take(wake) {
            if !signal.ends() {
                self.kill(signal.number);
                continue;
            }
            // A second one is meant.
            let again = self.interrupted.is_some();
            self.interrupted = Some(signal.number);
            self.stopping.get_or_insert_with(Instant::now);
            self.kill(if again { libc::SIGKILL } else { signal.number });
        }
        for at in 0..self.running.len() {
            for stream in 0..self.running[at].streams.len() {
                self.read(at, stream);
            }
            if let Ok(Some(status)) = self.running[at].child.try_wait() {
                self.running[at].end = Some(status.into());
            }
        }
        if base::descendants::is_enabled() {
            self.reap_adopted();
        }
        let mut at = 0;
        while at < self.running.len() {
            if self.running[at].end.is_some() {
                self.finish(at)?;
            } else {
                at += 1;
            }
        }
        self.flush();
        Ok(())
    }

    /// Waits for processes that scripts have left and that have ended, for which nobody else waits.
    fn reap_adopted(&self) {
        loop {
            // SAFETY: siginfo is plain data, with room for the result.
            let pid = unsafe {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let flags = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
                if libc::waitid(libc::P_ALL, 0, &raw mut info, flags) != 0 {
                    return;
                }
                info.si_pid()
            };
            // Scripts are waited for by who started them.
            if pid == 0 || self.running.iter().any(|running| running.child.id() as i32 == pid) {
                return;
            }
            // SAFETY: a plain system call.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) };
        }
    }

    /// Reads what a stream has now.
    fn read(&mut self, at: usize, stream: usize) {
        let mut buffer = [0u8; 1 << 16];
        // Not for ever: a script that never stops writing must not keep the others, and signals, waiting.
        for _ in 0..16 {
            if !self.running[at].streams[stream].open {
                return;
            }
            let stream = &mut self.running[at].streams[stream];
            match stream.pipe.read(&mut buffer) {
                Ok(0) => stream.open = false,
                Ok(len) => {
                    stream.partial.extend_from_slice(&buffer[..len]);
                    let sink = stream.sink;
                    let Some(end) = stream.partial.iter().rposition(|b| *b == b'\n') else {
                        if stream.partial.len() > LINE_LIMIT {
                            let line = std::mem::take(&mut stream.partial);
                            self.line(at, sink, &line);
                        }
                        continue;
                    };
                    let rest = stream.partial.split_off(end + 1);
                    let lines = std::mem::replace(&mut stream.partial, rest);
                    for line in lines[..end].split(|b| *b == b'\n') {
                        self.line(at, sink, line);
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    /// Shows a line of a script's output, or holds it back.
    fn line(&mut self, at: usize, sink: Sink, line: &[u8]) {
        let running = &mut self.running[at];
        running.lines += 1;
        if self.elide > 0 {
            if running.held.len() == self.elide {
                running.held.pop_front();
            }
            running.held.push_back(line.to_vec());
            return;
        }
        let (task, step) = (running.task, running.step);
        self.prefixed(task, step, sink, line);
    }

    fn prefixed(&mut self, task: usize, step: usize, sink: Sink, line: &[u8]) {
        let label = &self.tasks[task].label;
        let prefix = match self.style {
            Style::Packages { .. } => {
                let event = &self.tasks[task].steps[step].event;
                if self.colors {
                    format!("{}{label}\x1b[0m \x1b[2m{event}\x1b[0m: ", COLORS[task % COLORS.len()])
                } else {
                    format!("{label} {event}: ")
                }
            }
            Style::Group { .. } => {
                let pad = " ".repeat(self.width - label.chars().count());
                if self.colors {
                    format!("{}{label}{pad}\x1b[0m | ", COLORS[task % COLORS.len()])
                } else {
                    format!("{label}{pad} | ")
                }
            }
        };
        let buffer = if sink == Sink::Out { &mut self.out } else { &mut self.err };
        buffer.extend_from_slice(prefix.as_bytes());
        buffer.extend_from_slice(line);
        buffer.push(b'\n');
    }

    /// A step has ended: shows the rest of its output and how it ended, goes on with the next.
    fn finish(&mut self, at: usize) -> Outcome<()> {
        for stream in 0..self.running[at].streams.len() {
            self.read(at, stream);
            let open = &mut self.running[at].streams[stream];
            if !open.partial.is_empty() {
                let (line, sink) = (std::mem::take(&mut open.partial), open.sink);
                self.line(at, sink, &line);
            }
        }
        let running = self.running.remove(at);
        let (task, step) = (running.task, running.step);
        if running.lines > running.held.len() && self.elide > 0 {
            let note = format!("[{} lines elided]", running.lines - running.held.len());
            self.prefixed(task, step, Sink::Out, note.as_bytes());
        }
        for line in &running.held {
            self.prefixed(task, step, Sink::Out, line);
        }
        let end = running.end.unwrap_or(End::Code(0));
        if !self.silent {
            let (sink, note) = match (self.style, end) {
                (Style::Packages { .. }, End::Code(code)) => (Sink::Out, format!("Exited with code {code}")),
                (Style::Packages { .. }, End::Signal(signal)) => {
                    (Sink::Out, format!("Signaled: {}", signals::name(signal)))
                }
                (_, End::Code(0)) => (Sink::Err, format!("Done in {}", output::duration(running.started.elapsed()))),
                (_, End::Code(code)) => (Sink::Err, format!("Exited with code {code}")),
                (_, End::Signal(signal)) => (Sink::Err, format!("Signaled: {}", signals::name(signal))),
            };
            self.prefixed(task, step, sink, note.as_bytes());
        }
        // So that what a script wrote to standard error stands where it was written, as far as two pipes allow.
        self.flush();
        if end == End::Code(0) && self.stopping.is_none() {
            return self.start(task, step + 1);
        }
        self.states[task] = State::Ended(end);
        if end != End::Code(0) {
            self.failure.get_or_insert(end);
            if matches!(self.style, Style::Group { keep_going: false, .. }) && self.stopping.is_none() {
                self.stopping = Some(Instant::now());
                self.kill(libc::SIGINT);
            }
        }
        Ok(())
    }

    /// Sends a signal to all scripts and what they started.
    fn kill(&self, signal: i32) {
        for running in self.running.iter().filter(|running| running.end.is_none()) {
            // SAFETY: a plain system call; the group is the child's, which is not reaped yet.
            unsafe { libc::kill(-(running.child.id() as i32), signal) };
        }
    }

    fn flush(&mut self) {
        let mut broken = false;
        if !self.out.is_empty() {
            broken |= std::io::stdout().lock().write_all(&self.out).and_then(|()| std::io::stdout().flush()).is_err();
            self.out.clear();
        }
        if !self.err.is_empty() {
            let _ = std::io::stderr().lock().write_all(&self.err);
            self.err.clear();
        }
        // Nobody reads any more (`bao run --filter '*' dev | head`): what would be written to nobody need not run.
        if broken && self.stopping.is_none() {
            self.interrupted = Some(libc::SIGPIPE);
            self.stopping = Some(Instant::now());
            self.kill(libc::SIGTERM);
        }
    }
}
