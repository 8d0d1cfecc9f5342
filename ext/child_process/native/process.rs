//! Starting a process, learning of its end, sending it signals.
//!
//! The child shares the parent's memory until it executes the new program (clone with CLONE_VM and CLONE_VFORK, which
//! is how the C library's posix_spawn works): no page table is copied, whatever the size of the JavaScript heap. What
//! runs in between does nothing but system calls.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::strings::{CStrings, SHELL, candidates, own_environment, own_variable};

/// What to start.
pub(crate) struct Command {
    /// Name or path of the program; names are looked up in the child's PATH.
    pub file: String,
    /// All arguments, the first (argv[0]) included.
    pub args: CStrings,
    /// `name=value` each; the environment of this process where it is `None`.
    pub env: Option<CStrings>,
    /// Working directory of the child.
    pub cwd: Option<CString>,
    /// Makes the child the leader of a new session.
    pub detached: bool,
    /// Makes descriptor 0 the terminal of that session.
    pub terminal: bool,
    /// Descriptor of the cgroup.procs of a control group that the child joins.
    pub cgroup: Option<RawFd>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exit {
    /// Exit code; 0 where a signal ended it.
    pub code: i32,
    /// Number of the signal that ended it, or 0.
    pub signal: i32,
    /// What it has used, with the processes it has waited for.
    pub usage: [f64; 12],
}

/// A child process.
pub(crate) struct Process {
    pub pid: libc::pid_t,
    /// Readable once the process has ended: its pidfd, or where the kernel has none (before 5.2), the read end of a
    /// pipe whose other end a waiting thread closes.
    end: OwnedFd,
    is_pidfd: bool,
    reaped: Cell<bool>,
}

/// What the child needs between clone and exec; all of it is made before.
struct Plan<'a> {
    candidates: &'a [*const c_char],
    argv: *const *const c_char,
    /// argv of a shell that runs the candidate put into its second place.
    shell_argv: *mut *const c_char,
    envp: *const *const c_char,
    cwd: *const c_char,
    /// Descriptor for each number of the child, -1 for none. The child writes to it.
    fds: *mut RawFd,
    fd_count: usize,
    detached: bool,
    terminal: bool,
    cgroup: Option<RawFd>,
    uid: Option<u32>,
    gid: Option<u32>,
    /// `--no-orphans`: this process, without which the child ends.
    parent: Option<libc::pid_t>,
    /// errno of the step that failed.
    error: &'a AtomicI32,
}

/// Stack of a child until it executes its program. Below the size from which on free() tidies up the heap.
const STACK_SIZE: usize = 32 << 10;

/// Starts a process. `fds[n]` becomes descriptor n of the child: a descriptor of this process, or -1 for nothing
/// (/dev/null for 0, 1 and 2). Errors of exec and of the steps before it are returned from here.
pub(crate) fn start(command: &Command, fds: &[RawFd]) -> io::Result<Process> {
    take_care_of_sigchld();
    let (envp, path) = match &command.env {
        Some(env) => (env.as_ptr(), env.variable(b"PATH")),
        None => (own_environment(), own_variable(c"PATH")),
    };
    let files = candidates(&command.file, path);
    let mut shell_argv: Vec<*const c_char> = vec![SHELL.as_ptr(), std::ptr::null()];
    shell_argv.extend(command.args.pointers().iter().skip(1));
    shell_argv.push(std::ptr::null());
    let mut fds = fds.to_vec();
    let error = AtomicI32::new(0);
    let plan = Plan {
        candidates: files.pointers(),
        argv: command.args.as_ptr(),
        shell_argv: shell_argv.as_mut_ptr(),
        envp,
        cwd: command.cwd.as_ref().map_or(std::ptr::null(), |cwd| cwd.as_ptr()),
        fd_count: fds.len(),
        fds: fds.as_mut_ptr(),
        detached: command.detached,
        terminal: command.terminal,
        cgroup: command.cgroup,
        uid: command.uid,
        gid: command.gid,
        parent: parent_to_die_with(),
        error: &error,
    };
    let (pid, pidfd) = clone_child(&plan)?;
    let failure = error.load(Ordering::SeqCst);
    if failure != 0 {
        reap(pid, 0)?;
        return Err(io::Error::from_raw_os_error(failure));
    }
    let (end, is_pidfd) = match pidfd {
        Some(fd) => (fd, true),
        None => (wait_on_thread(pid)?, false),
    };
    Ok(Process { pid, end, is_pidfd, reaped: Cell::new(false) })
}

/// With `--no-orphans` this process, if the calling thread lives as long as it: the kernel tells of the end of the thread that started the
/// child, and that of a worker is not the end of the program.
fn parent_to_die_with() -> Option<libc::pid_t> {
    // SAFETY: plain system calls.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    (base::descendants::is_enabled() && process == thread).then_some(process)
}

/// Runs [`child_main`] in a new process that borrows this one's memory; comes back when it has executed the program
/// or ended.
fn clone_child(plan: &Plan<'_>) -> io::Result<(libc::pid_t, Option<OwnedFd>)> {
    let mut stack: Box<[MaybeUninit<u8>]> = Box::new_uninit_slice(STACK_SIZE);
    let top = stack.as_mut_ptr_range().end as usize & !15;
    let mut pidfd: c_int = -1;
    // SAFETY: signals are blocked around the call, so that no handler of this process runs in the child. The plan, the
    // stack and `pidfd` outlive the child's use of them, because CLONE_VFORK suspends this thread until the child is
    // done with the memory. The child only makes system calls.
    let (pid, error) = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = std::ptr::from_ref(plan) as *mut c_void;
        let mut pid = libc::clone(child_main, top as *mut c_void, flags | libc::CLONE_PIDFD, argument, &raw mut pidfd);
        if pid < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
            // A kernel that does not know CLONE_PIDFD.
            pid = libc::clone(child_main, top as *mut c_void, flags, argument);
        }
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut());
        (pid, error)
    };
    if pid < 0 {
        return Err(error);
    }
    // SAFETY: a descriptor that the kernel has just made for this process; nobody else knows it.
    Ok((pid, (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) })))
}

fn errno() -> i32 {
    // SAFETY: the address is valid for the thread.
    unsafe { *libc::__errno_location() }
}

extern "C" fn child_main(argument: *mut c_void) -> c_int {
    // SAFETY: the plan of `start`, whose thread waits for this function.
    let plan = unsafe { &*(argument as *const Plan<'_>) };
    let failure = prepare(plan).err().unwrap_or_else(|| execute(plan));
    plan.error.store(failure, Ordering::SeqCst);
    // SAFETY: ends the child without running anything of the parent's.
    unsafe { libc::_exit(127) }
}

/// All steps before exec; the error is an errno.
fn prepare(plan: &Plan<'_>) -> Result<(), i32> {
    fn check(result: c_int) -> Result<c_int, i32> {
        if result < 0 { Err(errno()) } else { Ok(result) }
    }
    // SAFETY: system calls with pointers to live values of the plan; all of them are async-signal-safe. `fds` has
    // `fd_count` items.
    unsafe {
        // Handlers go with exec, but ignored signals would stay ignored (SIGPIPE is, in this process).
        let mut default: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        for signal in 1..32 {
            libc::sigaction(signal, &raw const default, std::ptr::null_mut());
        }
        if let Some(fd) = plan.cgroup
            && libc::write(fd, c"0".as_ptr().cast(), 1) < 0
        {
            return Err(errno());
        }
        if plan.detached {
            libc::setsid();
        }
        let count = plan.fd_count;
        // Sources with a number that a later step overwrites move out of the way first.
        for target in 0..count {
            let source = plan.fds.add(target);
            if *source >= 0 && (*source as usize) < target {
                *source = check(libc::fcntl(*source, libc::F_DUPFD_CLOEXEC, count as c_int))?;
            }
        }
        for index in 0..count {
            let (source, target) = (*plan.fds.add(index), index as c_int);
            if source < 0 {
                if target > 2 {
                    continue;
                }
                let mode = if target == 0 { libc::O_RDONLY } else { libc::O_RDWR };
                let null = check(libc::open(c"/dev/null".as_ptr(), mode))?;
                if null != target {
                    check(libc::dup2(null, target))?;
                    libc::close(null);
                }
                continue;
            }
            if source == target {
                check(libc::fcntl(source, libc::F_SETFD, 0))?;
            } else {
                check(libc::dup2(source, target))?;
            }
            if target <= 2 {
                // Few programs expect their standard streams to be non-blocking.
                let flags = libc::fcntl(target, libc::F_GETFL);
                if flags >= 0 && flags & libc::O_NONBLOCK != 0 {
                    libc::fcntl(target, libc::F_SETFL, flags & !libc::O_NONBLOCK);
                }
            }
        }
        if plan.terminal {
            check(libc::ioctl(0, libc::TIOCSCTTY, 0))?;
        }
        if !plan.cwd.is_null() {
            check(libc::chdir(plan.cwd))?;
        }
        // The raw calls: those of the C library change the ids of all threads that it knows, the parent's.
        if plan.uid.is_some() || plan.gid.is_some() {
            // Only root can, and only root has to.
            libc::syscall(libc::SYS_setgroups, 0usize, std::ptr::null::<libc::gid_t>());
        }
        if let Some(gid) = plan.gid
            && libc::syscall(libc::SYS_setgid, gid) != 0
        {
            return Err(errno());
        }
        if let Some(uid) = plan.uid
            && libc::syscall(libc::SYS_setuid, uid) != 0
        {
            return Err(errno());
        }
        // Behind the change of ids, which takes it back.
        if let Some(parent) = plan.parent {
            base::descendants::die_with(parent);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    Ok(())
}

/// Tries the candidates as execvp does; comes back with an errno only.
fn execute(plan: &Plan<'_>) -> i32 {
    let mut denied = false;
    let mut failure = libc::ENOENT;
    for &file in plan.candidates {
        // SAFETY: NULL-terminated arrays of C strings that live in the parent, which waits. The shell's array has a
        // second place.
        unsafe {
            libc::execve(file, plan.argv, plan.envp);
            if errno() == libc::ENOEXEC {
                *plan.shell_argv.add(1) = file;
                libc::execve(SHELL.as_ptr(), plan.shell_argv, plan.envp);
            }
        }
        failure = errno();
        match failure {
            libc::EACCES => denied = true,
            libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
            _ => return failure,
        }
    }
    // A file that may not be executed says more than that the others do not exist.
    if denied { libc::EACCES } else { failure }
}

/// Sees to it that children can be waited for, even if this process was started with SIGCHLD ignored.
fn take_care_of_sigchld() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // SAFETY: sigaction is plain data; the calls get pointers to live values.
        unsafe {
            let mut current: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut current) == 0
                && current.sa_sigaction == libc::SIG_IGN
            {
                current.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(libc::SIGCHLD, &raw const current, std::ptr::null_mut());
            }
        }
    });
}

fn wait_on_thread(pid: libc::pid_t) -> io::Result<OwnedFd> {
    let (reader, writer) = io::pipe()?;
    std::thread::Builder::new().name("bao-child".into()).stack_size(64 << 10).spawn(move || {
        // SAFETY: siginfo is plain data. WNOWAIT leaves the process to be reaped by its owner.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOWAIT;
            while libc::waitid(libc::P_PID, pid as libc::id_t, &raw mut info, flags) != 0
                && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
            {}
        }
        drop(writer);
    })?;
    Ok(reader.into())
}

/// wait4 with `flags`: `None` where the process still runs and WNOHANG was given.
fn reap(pid: libc::pid_t, flags: c_int) -> io::Result<Option<Exit>> {
    let mut status: c_int = 0;
    // SAFETY: rusage is plain integers, for which zeroes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live values.
        let result = unsafe { libc::wait4(pid, &raw mut status, flags, &raw mut usage) };
        if result == pid {
            break;
        }
        if result == 0 {
            return Ok(None);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let micros = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    Ok(Some(Exit {
        code: if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 0 },
        signal: if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { 0 },
        usage: [
            micros(usage.ru_utime),
            micros(usage.ru_stime),
            usage.ru_maxrss as f64 * 1024.0,
            usage.ru_ixrss as f64,
            usage.ru_nswap as f64,
            usage.ru_inblock as f64,
            usage.ru_oublock as f64,
            usage.ru_msgsnd as f64,
            usage.ru_msgrcv as f64,
            usage.ru_nsignals as f64,
            usage.ru_nvcsw as f64,
            usage.ru_nivcsw as f64,
        ],
    }))
}

impl Process {
    /// Descriptor that is readable once the process has ended.
    pub(crate) fn end(&self) -> RawFd {
        self.end.as_raw_fd()
    }

    /// How the process ended, `None` while it runs. The process is gone after that.
    pub(crate) fn try_reap(&self) -> io::Result<Option<Exit>> {
        self.reap(libc::WNOHANG)
    }

    /// The same of a process that was sent SIGKILL: its end is waited for.
    pub(crate) fn reap_killed(&self) -> io::Result<Option<Exit>> {
        self.reap(0)
    }

    fn reap(&self, flags: c_int) -> io::Result<Option<Exit>> {
        let exit = reap(self.pid, flags)?;
        if exit.is_some() {
            self.reaped.set(true);
        }
        Ok(exit)
    }

    /// Sends a signal; the error is a positive errno, ESRCH where the process has ended.
    pub(crate) fn kill(&self, signal: i32) -> Result<(), i32> {
        if self.reaped.get() {
            return Err(libc::ESRCH);
        }
        // Through the pidfd where there is one: not even a reused pid could be hit.
        // SAFETY: plain system calls.
        let result = unsafe {
            if self.is_pidfd {
                libc::syscall(
                    libc::SYS_pidfd_send_signal,
                    self.end.as_raw_fd(),
                    signal,
                    std::ptr::null::<libc::siginfo_t>(),
                    0,
                ) as c_int
            } else {
                libc::kill(self.pid, signal)
            }
        };
        if result == 0 { Ok(()) } else { Err(errno()) }
    }
}
