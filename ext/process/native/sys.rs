//! Family "process", the part that is plain system calls.

use std::ffi::{CStr, CString};
use std::io;

use engine::{F64Array, OpError, op};

fn c_string(text: &str) -> Result<CString, OpError> {
    CString::new(text).map_err(|_| OpError::errno(libc::EINVAL, "string"))
}

fn check(result: i32, syscall: &'static str) -> Result<(), OpError> {
    if result == 0 { Ok(()) } else { Err(OpError::io(io::Error::last_os_error(), syscall)) }
}

#[op]
pub(crate) fn pid() -> u32 {
    std::process::id()
}

#[op]
pub(crate) fn ppid() -> u32 {
    std::os::unix::process::parent_id()
}

#[op]
pub(crate) fn arch() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" }
}

#[op]
pub(crate) fn platform() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { "linux" }
}

#[op]
pub(crate) fn getenv(name: String) -> Option<String> {
    if name.contains(['=', '\0']) || name.is_empty() {
        return None;
    }
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

#[op]
pub(crate) fn setenv(name: String, value: String) {
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        return;
    }
    // SAFETY: libc's environment lock does not cover C code that reads it; bao's own threads read the environment
    // through std, which takes the same lock.
    unsafe { std::env::set_var(&name, value) };
    time_zone_changed(&name);
}

/// `TZ` counts from the moment it is set, as in Node.
fn time_zone_changed(name: &str) {
    if name == "TZ" {
        engine::reset_time_zone();
    }
}

#[op]
pub(crate) fn unsetenv(name: String) {
    if name.is_empty() || name.contains(['=', '\0']) {
        return;
    }
    // SAFETY: as in `setenv`.
    unsafe { std::env::remove_var(&name) };
    time_zone_changed(&name);
}

/// Flat `[name, value, ...]`.
#[op]
pub(crate) fn env_entries() -> Vec<String> {
    std::env::vars_os()
        .flat_map(|(name, value)| [name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()])
        .collect()
}

#[op]
pub(crate) fn cwd() -> Result<String, OpError> {
    let dir = std::env::current_dir().map_err(|error| OpError::io(error, "uv_cwd"))?;
    Ok(dir.to_string_lossy().into_owned())
}

#[op]
pub(crate) fn chdir(path: String) -> Result<(), OpError> {
    use base::permission::{Area, check, has};
    check(Area::Read, path.as_bytes()).map_err(|denied| runtime_core::permission::error_of(&denied))?;
    let before = std::env::current_dir().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    let may_write = has(Area::Write, path.as_bytes());
    store::enter(path.as_ref(), may_write).map_err(|error| OpError::io(error, "chdir").path(before).dest(path))?;
    if let Ok(dir) = std::env::current_dir() {
        store::discover(&dir);
    }
    Ok(())
}

#[op]
pub(crate) fn umask(mask: i32) -> u32 {
    // SAFETY: plain system calls; reading means setting and setting back.
    unsafe {
        if mask < 0 {
            let old = libc::umask(0);
            libc::umask(old);
            old
        } else {
            libc::umask(mask as u32)
        }
    }
}

/// 0 or a negative errno.
#[op]
pub(crate) fn kill(pid: i32, signal: i32) -> i32 {
    // SAFETY: a plain system call.
    if unsafe { libc::kill(pid, signal) } == 0 { 0 } else { -io::Error::last_os_error().raw_os_error().unwrap_or(0) }
}

/// Ends the process with a core, as `abort(3)`.
#[op]
pub(crate) fn abort() {
    // The engine puts its own abort(3) in the place of the system's; that one ends the process by SIGSEGV.
    // SAFETY: the default action of SIGABRT is the end of the process.
    unsafe {
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::raise(libc::SIGABRT);
    }
    std::process::abort();
}

/// Writes monotonic time: u64 nanoseconds at 0, u32 seconds at 8, u32 rest at 12.
#[op]
pub(crate) fn hrtime(out: &mut [u8]) {
    // SAFETY: a valid timespec.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        now
    };
    if out.len() >= 16 {
        let total = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
        out[..8].copy_from_slice(&total.to_ne_bytes());
        out[8..12].copy_from_slice(&(now.tv_sec as u32).to_ne_bytes());
        out[12..16].copy_from_slice(&(now.tv_nsec as u32).to_ne_bytes());
    }
}

fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0.0);
    // SAFETY: a plain call.
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as f64
}

/// Resident bytes.
#[op]
pub(crate) fn rss() -> f64 {
    resident()
}

pub(crate) fn resident_bytes() -> f64 {
    resident()
}

fn usage(who: i32) -> libc::rusage {
    // SAFETY: a valid out pointer.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &mut usage);
        usage
    }
}

fn micros(time: libc::timeval) -> f64 {
    time.tv_sec as f64 * 1e6 + time.tv_usec as f64
}

#[op]
pub(crate) fn cpu_usage() -> F64Array {
    let usage = usage(libc::RUSAGE_SELF);
    F64Array(vec![micros(usage.ru_utime), micros(usage.ru_stime)])
}

#[op]
pub(crate) fn thread_cpu_usage() -> F64Array {
    let usage = usage(libc::RUSAGE_THREAD);
    F64Array(vec![micros(usage.ru_utime), micros(usage.ru_stime)])
}

#[op]
pub(crate) fn resource_usage() -> F64Array {
    let u = usage(libc::RUSAGE_SELF);
    F64Array(vec![
        micros(u.ru_utime),
        micros(u.ru_stime),
        u.ru_maxrss as f64,
        u.ru_ixrss as f64,
        u.ru_idrss as f64,
        u.ru_isrss as f64,
        u.ru_minflt as f64,
        u.ru_majflt as f64,
        u.ru_nswap as f64,
        u.ru_inblock as f64,
        u.ru_oublock as f64,
        u.ru_msgsnd as f64,
        u.ru_msgrcv as f64,
        u.ru_nsignals as f64,
        u.ru_nvcsw as f64,
        u.ru_nivcsw as f64,
    ])
}

fn cgroup_limit() -> Option<f64> {
    let group = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group.lines().find_map(|line| line.strip_prefix("0::"))?;
    let text = std::fs::read_to_string(format!("/sys/fs/cgroup{path}/memory.max")).ok()?;
    text.trim().parse().ok()
}

/// The cgroup's memory limit in bytes; 0 where there is none.
#[op]
pub(crate) fn constrained_memory() -> f64 {
    cgroup_limit().unwrap_or(0.0)
}

/// Bytes that can still be allocated.
#[op]
pub(crate) fn available_memory() -> f64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(0.0, |kib| kib * 1024.0);
    match cgroup_limit() {
        Some(limit) => available.min((limit - resident()).max(0.0)),
        None => available,
    }
}

/// The id of the process's user.
#[op]
pub(crate) fn getuid() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::getuid() }
}

#[op]
pub(crate) fn setuid(id: u32) -> Result<(), OpError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::setuid(id) }, "setuid")
}

/// The id of the process's effective user.
#[op]
pub(crate) fn geteuid() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::geteuid() }
}

#[op]
pub(crate) fn seteuid(id: u32) -> Result<(), OpError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::seteuid(id) }, "seteuid")
}

/// The id of the process's group.
#[op]
pub(crate) fn getgid() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::getgid() }
}

#[op]
pub(crate) fn setgid(id: u32) -> Result<(), OpError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::setgid(id) }, "setgid")
}

/// The id of the process's effective group.
#[op]
pub(crate) fn getegid() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::getegid() }
}

#[op]
pub(crate) fn setegid(id: u32) -> Result<(), OpError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::setegid(id) }, "setegid")
}

#[op]
pub(crate) fn getgroups() -> Result<Vec<u32>, OpError> {
    // SAFETY: first the number, then as many.
    unsafe {
        let count = libc::getgroups(0, std::ptr::null_mut());
        let mut groups = vec![0; count.max(0) as usize];
        if libc::getgroups(count, groups.as_mut_ptr()) < 0 {
            return Err(OpError::io(io::Error::last_os_error(), "getgroups"));
        }
        Ok(groups)
    }
}

#[op]
pub(crate) fn setgroups(groups: Vec<u32>) -> Result<(), OpError> {
    // SAFETY: reads as many as there are.
    check(unsafe { libc::setgroups(groups.len(), groups.as_ptr()) }, "setgroups")
}

#[op]
pub(crate) fn initgroups(user: String, group: u32) -> Result<(), OpError> {
    let user = c_string(&user)?;
    // SAFETY: a terminated string.
    check(unsafe { libc::initgroups(user.as_ptr(), group) }, "initgroups")
}

#[op]
pub(crate) fn lookup_user(name: String) -> Option<u32> {
    let name = CString::new(name).ok()?;
    // SAFETY: the result is read before the next call of the family.
    unsafe {
        let entry = libc::getpwnam(name.as_ptr());
        (!entry.is_null()).then(|| (*entry).pw_uid)
    }
}

#[op]
pub(crate) fn lookup_group(name: String) -> Option<u32> {
    let name = CString::new(name).ok()?;
    // SAFETY: as above.
    unsafe {
        let entry = libc::getgrnam(name.as_ptr());
        (!entry.is_null()).then(|| (*entry).gr_gid)
    }
}

#[op]
pub(crate) fn user_name(uid: u32) -> Option<String> {
    // SAFETY: as above.
    unsafe {
        let entry = libc::getpwuid(uid);
        (!entry.is_null()).then(|| CStr::from_ptr((*entry).pw_name).to_string_lossy().into_owned())
    }
}

/// Names this thread, as tools like top show it.
pub(crate) fn name_thread(title: &str) {
    if let Ok(title) = CString::new(title) {
        // SAFETY: a terminated string; the kernel copies 15 bytes of it.
        unsafe { libc::prctl(libc::PR_SET_NAME, title.as_ptr()) };
    }
}

/// What a descriptor is, in libuv's words.
#[op]
pub(crate) fn guess_handle_type(fd: i32) -> &'static str {
    // SAFETY: plain system calls with valid out pointers.
    unsafe {
        if libc::isatty(fd) == 1 {
            return "TTY";
        }
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(fd, &mut stat) != 0 {
            return "INVALID";
        }
        match stat.st_mode & libc::S_IFMT {
            libc::S_IFREG | libc::S_IFCHR => "FILE",
            libc::S_IFIFO => "PIPE",
            libc::S_IFSOCK => {
                let mut kind = 0i32;
                let mut length = 4;
                libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &mut length);
                let mut domain = 0i32;
                libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_DOMAIN, (&raw mut domain).cast(), &mut length);
                match (domain, kind) {
                    (libc::AF_UNIX, libc::SOCK_STREAM) => "PIPE",
                    (libc::AF_INET | libc::AF_INET6, libc::SOCK_STREAM) => "TCP",
                    (libc::AF_INET | libc::AF_INET6, libc::SOCK_DGRAM) => "UDP",
                    _ => "UNKNOWN",
                }
            }
            _ => "UNKNOWN",
        }
    }
}

/// Columns and rows of a terminal.
#[op]
pub(crate) fn window_size(fd: i32) -> Option<Vec<u32>> {
    // SAFETY: a valid out pointer.
    unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(fd, libc::TIOCGWINSZ, &mut size) == 0).then(|| vec![size.ws_col.into(), size.ws_row.into()])
    }
}

/// Replaces the process image; comes back only with an error.
#[op]
pub(crate) fn execve(file: String, args: Vec<String>, env: Vec<String>) -> Result<(), OpError> {
    let file_c = c_string(&file)?;
    let args = args.iter().map(|a| c_string(a)).collect::<Result<Vec<_>, _>>()?;
    let env = env.iter().map(|a| c_string(a)).collect::<Result<Vec<_>, _>>()?;
    let mut argv: Vec<*const libc::c_char> = args.iter().map(|a| a.as_ptr()).collect();
    argv.push(std::ptr::null());
    let mut envp: Vec<*const libc::c_char> = env.iter().map(|a| a.as_ptr()).collect();
    envp.push(std::ptr::null());
    // SAFETY: terminated arrays of terminated strings.
    unsafe { libc::execve(file_c.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    Err(OpError::io(io::Error::last_os_error(), "execve").path(file))
}
