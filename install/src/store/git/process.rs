//! One git process: no shell, no terminal, no prompt, and an end to every wait.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// More output than this is no answer to anything that is asked here.
const MAX_OUTPUT: usize = 256 << 20;

/// Why a process gave no answer.
pub(crate) enum Failure {
    /// It could not be started.
    Spawn(std::io::Error),
    /// Nothing was heard of it for this long.
    Silent(Duration),
    /// It ended with an error; what it said.
    Exit(String),
    /// It ended with 1 and printed something without a complaint: what `diff` does where it found differences.
    Differs(Vec<u8>),
}

/// `git` with the settings that all calls have. Variables that lead to another repository (a hook sets them) are taken away.
pub(crate) fn git() -> Command {
    let mut command = Command::new("git");
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_CEILING_DIRECTORIES",
        "GIT_SHALLOW_FILE",
    ] {
        command.env_remove(name);
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .env_remove("SSH_ASKPASS")
        .env("SSH_ASKPASS_REQUIRE", "never")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false", "-c", "gc.auto=0"])
        .args(["-c", "maintenance.auto=false"]);
    command
}

/// Runs a command to its end and gives back what it printed. `patience` is the longest silence.
pub(crate) fn run(mut command: Command, patience: Duration) -> Result<Vec<u8>, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: between fork and exec only two system calls are made; both are async-signal-safe and touch no memory.
    unsafe {
        command.pre_exec(|| {
            // A session of its own: no terminal that anything could prompt on, and a group that can be ended as a whole.
            rustix::process::setsid()?;
            // If the install is killed, git does not go on alone.
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
            Ok(())
        });
    }
    let mut child = command.spawn().map_err(Failure::Spawn)?;
    let mut pipes: [Option<OwnedFd>; 2] =
        [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let mut texts = [Vec::new(), Vec::new()];
    let mut last = Instant::now();
    while pipes.iter().any(Option::is_some) {
        let left = patience.saturating_sub(last.elapsed());
        if left.is_zero() || texts[0].len() > MAX_OUTPUT {
            end(&mut child);
            return Err(Failure::Silent(patience));
        }
        let ready: Vec<bool> = {
            let mut list: Vec<PollFd<'_>> =
                pipes.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            match poll(&mut list, Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => {
                    end(&mut child);
                    return Err(Failure::Spawn(error.into()));
                }
            }
            let mut heard = list.iter().map(|entry| !entry.revents().is_empty());
            pipes.iter().map(|pipe| pipe.is_some() && heard.next() == Some(true)).collect()
        };
        for (place, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            let Some(pipe) = &pipes[place] else { continue };
            let mut buffer = [0u8; 16 << 10];
            match rustix::io::read(pipe.as_fd(), &mut buffer) {
                Ok(0) => pipes[place] = None,
                Ok(count) => {
                    last = Instant::now();
                    texts[place].extend_from_slice(&buffer[..count]);
                    // Progress goes on for as long as the transfer does; only its end is of interest.
                    if place == 1 && texts[1].len() > 128 << 10 {
                        let cut = texts[1].len() - (32 << 10);
                        texts[1].drain(..cut);
                    }
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => pipes[place] = None,
            }
        }
    }
    let status = child.wait().map_err(Failure::Spawn)?;
    let [out, said] = texts;
    if status.success() {
        Ok(out)
    } else if status.code() == Some(1) && !out.is_empty() {
        Err(Failure::Differs(out))
    } else {
        Err(Failure::Exit(messages(&said)))
    }
}

/// Ends the process and what it has started.
fn end(child: &mut Child) {
    if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// What was said without the progress lines, at most the last twelve lines.
fn messages(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("").trim_end())
        .filter(|line| !line.is_empty() && !line.starts_with("Cloning into ") && !line.contains("% ("))
        .collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn ends_and_errors() {
        assert!(matches!(run(shell("echo a; echo b >&2"), Duration::from_secs(20)), Ok(out) if out == b"a\n"));
        let failed = run(shell("printf 'Receiving: 1%% (1/2)\\rfatal: no\\n' >&2; exit 3"), Duration::from_secs(20));
        assert!(matches!(failed, Err(Failure::Exit(text)) if text == "fatal: no"));
        let silent = run(shell("sleep 50 & sleep 50"), Duration::from_millis(50));
        assert!(matches!(silent, Err(Failure::Silent(_))));
        // There is no terminal to prompt on.
        let prompt = run(shell("read answer < /dev/tty"), Duration::from_secs(20));
        assert!(matches!(prompt, Err(Failure::Exit(_))));
    }
}
