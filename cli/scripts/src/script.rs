//! One script, or one binary, in the foreground.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::environment::Session;
use crate::manifest::Manifest;
use crate::output::{self, Failure, Outcome};
use crate::signals;
use crate::steps::{self, Step};

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Code(i32),
    Signal(i32),
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> End {
        match status.signal() {
            Some(signal) => End::Signal(signal),
            None => End::Code(status.code().unwrap_or(1)),
        }
    }
}

impl End {
    /// The exit code that shells give.
    pub(crate) fn code(self) -> i32 {
        match self {
            End::Code(code) => code,
            End::Signal(signal) => 128 + signal,
        }
    }
}

/// Runs a script with what goes before and after it. Gives the exit code; a script that a signal ended ends bao in the
/// same way. `None` if the package has no such script.
pub(crate) fn run(
    session: &Session<'_>,
    package: &Manifest,
    name: &str,
    args: &[String],
    silent: bool,
) -> Outcome<Option<i32>> {
    let Some(steps) = steps::steps(session, package, name, args) else { return Ok(None) };
    signals::start_forwarding();
    for step in &steps {
        if !silent {
            output::echo_command(&step.shown);
        }
        match wait(step.command(session))? {
            End::Code(0) => {}
            End::Code(code) => {
                if !silent && !signals::came(libc::SIGINT) {
                    output::error(&format!("script \"{}\" exited with code {code}", step.event));
                }
                return Ok(Some(code));
            }
            End::Signal(signal) => {
                if !silent && signal != libc::SIGINT {
                    terminated(step, signal);
                }
                return Ok(Some(signals::die_by(signal)));
            }
        }
    }
    Ok(Some(0))
}

fn terminated(step: &Step<'_>, signal: i32) {
    output::error(&format!("script \"{}\" was terminated by signal {}", step.event, signals::name(signal)));
}

fn wait(mut command: Command) -> Outcome<End> {
    let mut child = command.spawn().map_err(|error| cannot_start(&command, &error))?;
    signals::forward_to(child.id());
    // Waits without reaping, so that a signal in between cannot go to a process that took over the number.
    // SAFETY: room for the result; the child is ours.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        while libc::waitid(libc::P_PID, child.id(), &mut info, libc::WEXITED | libc::WNOWAIT) != 0
            && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
        {}
    }
    signals::stop_forwarding();
    let status = child.wait().map_err(|error| Failure::io("waiting for a script failed", &error))?;
    Ok(status.into())
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    match command.get_current_dir() {
        Some(dir) if !dir.is_dir() => Failure::io(format!("cannot enter {}", dir.display()), error),
        _ => Failure::io(format!("cannot start {program}"), error),
    }
}

/// Becomes a package's binary or a program of the system: no process stays behind to wait for it. Returns only if that
/// fails.
pub(crate) fn become_program(session: &Session<'_>, program: &Path, args: &[String]) -> Failure {
    let mut command = Command::new(program);
    command.args(args).envs(session.variables(&session.cwd));
    let error = command.exec();
    let failure = Failure::io(format!("cannot run {}", program.display()), &error);
    match error.kind() {
        // The file is there: what its first line names is not.
        std::io::ErrorKind::NotFound => {
            failure.code(127).hint("its first line (#!) names a program that does not exist")
        }
        _ => failure.code(126),
    }
}
