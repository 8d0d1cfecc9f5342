//! The processes below this one, and `--no-orphans`: none of them outlives it, and it does not outlive the process that started it
//! (<https://bun.com/docs/runtime/bunfig#run-noorphans-don't-leave-orphan-processes-behind>).
//!
//! - [`enable`] watches the parent; [`end_all`] at the end of the process ends what is below it.
//! - [`die_with`] is for a child between its start and its program: SIGKILL of this process reaches the child too.
//! - [`adopt`] keeps processes whose parents end below this one, so that [`kill`] finds them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that asks for all this. [`enable`] sets it, so that bao started by a script obeys it as well.
pub const VARIABLE: &str = "BUN_FEATURE_FLAG_NO_ORPHANS";

/// The exit code of a process whose parent has gone: that of SIGHUP in shells.
const PARENT_GONE: i32 = 128 + libc::SIGHUP;

/// How often new processes are looked for. Those that stand still start none: only a tree that grows at its edge needs a second look.
const ROUNDS: usize = 16;

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether processes are to leave no others behind.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Whether the environment asks for it.
pub fn is_asked_for() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1" || value == "true")
}

/// From now on this process ends when its parent does, and [`end_all`] ends what is below it. To be called where [`std::env::set_var`]
/// may be: the environment gets [`VARIABLE`]. The thread that this starts does not touch the environment.
pub fn enable() {
    if ENABLED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { std::env::set_var(VARIABLE, "1") };
    // SAFETY: a plain system call.
    let parent = unsafe { libc::getppid() };
    // Started by the system's first process, or left already: nobody to watch.
    if parent <= 1 {
        return;
    }
    if !watch(parent) {
        // A kernel without pidfds, or no thread to be had: the kernel ends this process, and nobody what is below it.
        // SAFETY: plain system calls.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
    }
    // SAFETY: a plain system call. Another parent: the old one went before it was watched.
    if unsafe { libc::getppid() } != parent {
        leave();
    }
}

/// Starts the thread that waits for the end of the parent; whether that came off.
fn watch(parent: libc::pid_t) -> bool {
    // SAFETY: plain system calls. A parent that is itself bao has the kernel send SIGKILL to this process (`die_with`), which would leave no time to
    // end what is below it.
    let parent = unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, parent, 0) as i32;
        if fd < 0 {
            return false;
        }
        fd
    };
    // SAFETY: sets of signals are plain data; the calls get pointers to live values. No handler of a program runs on the thread.
    let started = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
        let thread = std::thread::Builder::new().name("bao-orphans".into()).stack_size(256 << 10);
        let started = thread.spawn(move || {
            let mut polled = libc::pollfd { fd: parent, events: libc::POLLIN, revents: 0 };
            while libc::poll(&raw mut polled, 1, -1) < 1 {}
            leave();
        });
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut());
        started
    };
    if started.is_ok() {
        // SAFETY: a plain system call.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, 0, 0, 0, 0) };
    }
    started.is_ok()
}

fn leave() -> ! {
    end_all();
    crate::stderr::write();
    // SAFETY: ends the process.
    unsafe { libc::_exit(PARENT_GONE) }
}

/// Ends what is below this process, which is about to end itself, where [`enable`] was called.
pub fn end_all() {
    if is_enabled() {
        kill(false);
    }
}

/// Has SIGKILL sent to the calling process, a child of `parent` that has not executed its program yet, when the thread ends that started it.
/// Makes system calls only.
pub fn die_with(parent: libc::pid_t) {
    // SAFETY: plain system calls. Another parent: that one has gone, and with it whoever waits for this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if libc::getppid() != parent {
            libc::_exit(PARENT_GONE);
        }
    }
}

/// From now on processes whose parents end become children of this one, so that [`kill`] finds them; somebody has to wait for them.
pub fn adopt() {
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Ends all processes below this one, or those of them in its process group, by SIGKILL; how many there were.
///
/// They are stopped first. A process that stands still starts no others and keeps its number, so that what is killed is what was found.
/// What another user runs (a program that sets its user ID) goes on: this one may not end it, and does not wait for it.
pub fn kill(of_group: bool) -> u32 {
    let send = |pid: i32, signal: i32| {
        // SAFETY: a plain system call.
        unsafe { libc::kill(pid, signal) == 0 }
    };
    let mut stopped = HashSet::new();
    let mut found = below(of_group);
    for _ in 0..ROUNDS {
        let new: Vec<i32> = found.iter().copied().filter(|pid| !stopped.contains(pid)).collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            send(pid, libc::SIGSTOP);
            stopped.insert(pid);
        }
        found = below(of_group);
    }
    let found: HashSet<i32> = found.into_iter().collect();
    for pid in stopped.difference(&found) {
        // What is not below this process any more ended before it was stopped, and another has its number.
        send(*pid, libc::SIGCONT);
    }
    // Among them what still starts others after all these looks, as it runs.
    let killed: Vec<i32> = found.into_iter().filter(|pid| send(*pid, libc::SIGKILL)).collect();
    for pid in &killed {
        // Those adopted have nobody else to wait for them.
        // SAFETY: waits for a child that has been killed; for what is not a child of this one it returns at once.
        unsafe { libc::waitpid(*pid, std::ptr::null_mut(), 0) };
    }
    u32::try_from(killed.len()).unwrap_or(u32::MAX)
}

/// Processes below this one that run.
fn below(of_group: bool) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parents: HashMap<i32, (i32, i32)> = entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            // The name may have spaces, brackets and bytes that are no text.
            let stat = String::from_utf8_lossy(&stat);
            // After the name: state, parent and group.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let state = fields.next()?;
            let parent = fields.next()?.parse().ok()?;
            let group: i32 = fields.next()?.parse().ok()?;
            (state != "Z" && state != "X").then_some((pid, (parent, group)))
        })
        .collect();
    let own = std::process::id() as i32;
    // SAFETY: a plain system call.
    let own_group = unsafe { libc::getpgrp() };
    let is_below = |mut pid: i32| {
        // The entries are not of one moment: a circle of parents must not keep this going.
        for _ in 0..parents.len() {
            match parents.get(&pid) {
                Some((parent, _)) if *parent == own => return true,
                Some((parent, _)) => pid = *parent,
                None => return false,
            }
        }
        false
    };
    let chosen = parents.iter().filter(|(_, (_, group))| !of_group || *group == own_group);
    chosen.map(|(pid, _)| *pid).filter(|pid| is_below(*pid)).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn processes_below() {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", "sleep 1000 & echo; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut byte = [0];
        std::io::Read::read_exact(shell.stdout.as_mut().expect("a pipe"), &mut byte).expect("its word");
        let found = below(false);
        assert!(found.contains(&(shell.id() as i32)));
        assert!(found.len() >= 2, "{found:?}");
        assert!(kill(false) >= 2);
        assert!(!below(false).contains(&(shell.id() as i32)));
        // It has been waited for.
        assert!(shell.wait().is_err());
    }
}
