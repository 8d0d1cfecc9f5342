//! One script, or one binary, in the foreground.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};

use base::descendants;

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
        let mut command = step.command(session);
        match wait(&mut command).map_err(|error| cannot_start(&command, &error))? {
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

/// Starts a command and waits for its end.
///
/// # Errors
/// If it cannot be started.
fn wait(command: &mut Command) -> std::io::Result<End> {
    leave_no_orphans(command);
    let mut child = command.spawn()?;
    signals::forward_to(child.id());
    // Waits without reaping, so that a signal in between cannot go to a process that took over the number.
    let (of, which) = if descendants::is_enabled() { (libc::P_ALL, 0) } else { (libc::P_PID, child.id()) };
    loop {
        // SAFETY: siginfo is plain data, with room for the result.
        let (ended, pid, error) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let ended = libc::waitid(of, which, &raw mut info, libc::WEXITED | libc::WNOWAIT) == 0;
            (ended, info.si_pid(), std::io::Error::last_os_error())
        };
        if ended && pid != child.id() as i32 {
            // One of those adopted, for which nobody else waits.
            // SAFETY: a plain system call.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) };
        } else if ended || error.kind() != std::io::ErrorKind::Interrupted {
            break;
        }
    }
    signals::stop_forwarding();
    Ok(child.wait()?.into())
}

/// With `--no-orphans`: the script ends with this process, and what it leaves stays below this process.
pub(crate) fn leave_no_orphans(command: &mut Command) {
    if !descendants::is_enabled() {
        return;
    }
    descendants::adopt();
    let parent = std::process::id() as libc::pid_t;
    let prepare = move || {
        descendants::die_with(parent);
        Ok(())
    };
    // SAFETY: makes system calls only.
    unsafe { command.pre_exec(prepare) };
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    match command.get_current_dir() {
        Some(dir) if !dir.is_dir() => Failure::io(format!("cannot enter {}", dir.display()), error),
        _ => Failure::io(format!("cannot start {program}"), error),
    }
}

/// Runs a package's binary or a program of the system, in the place of this process: nobody stays behind to wait for it. With
/// `--no-orphans` this process stays, because it has to end what the program leaves; then the exit code is given.
pub(crate) fn become_program(session: &Session<'_>, program: &Path, args: &[String]) -> Outcome<i32> {
    let mut command = Command::new(program);
    command.args(args).envs(session.variables(&session.cwd));
    become_command(command, program)
}

/// The same of a command that is ready to start; `program` is for messages.
pub(crate) fn become_command(mut command: Command, program: &Path) -> Outcome<i32> {
    let error = if descendants::is_enabled() {
        signals::start_forwarding();
        match wait(&mut command) {
            Ok(End::Code(code)) => return Ok(code),
            Ok(End::Signal(signal)) => return Ok(signals::die_by(signal)),
            Err(error) => error,
        }
    } else {
        command.exec()
    };
    let failure = Failure::io(format!("cannot run {}", program.display()), &error);
    Err(match error.kind() {
        // The file is there: what its first line names is not.
        std::io::ErrorKind::NotFound => {
            failure.code(127).hint("its first line (#!) names a program that does not exist")
        }
        _ => failure.code(126),
    })
}
