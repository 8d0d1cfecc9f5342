//! Facts about the whole machine, and priorities.

use std::ffi::CStr;
use std::io;

/// The fields of uname(2) that Node shows.
pub(crate) struct Names {
    pub sysname: String,
    pub version: String,
    pub release: String,
    pub machine: String,
}

/// uname(2).
pub(crate) fn uname() -> io::Result<Names> {
    // SAFETY: all-zero bytes are a valid utsname, which the call then fills with terminated strings.
    let raw = unsafe {
        let mut raw: libc::utsname = std::mem::zeroed();
        if libc::uname(&mut raw) != 0 {
            return Err(io::Error::last_os_error());
        }
        raw
    };
    let text = |field: &[libc::c_char]| {
        // SAFETY: terminated within the field.
        unsafe { CStr::from_ptr(field.as_ptr()) }.to_string_lossy().into_owned()
    };
    Ok(Names {
        sysname: text(&raw.sysname),
        version: text(&raw.version),
        release: text(&raw.release),
        machine: text(&raw.machine),
    })
}

/// gethostname(2).
pub(crate) fn hostname() -> io::Result<String> {
    let mut buffer = [0u8; 257];
    // SAFETY: the length leaves room for a terminator that is always there.
    if unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let end = buffer.iter().position(|&b| b == 0).unwrap_or(buffer.len());
    Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
}

/// Load averages over 1, 5 and 15 minutes; zeros where the system has none.
pub(crate) fn load_average() -> [f64; 3] {
    let mut load = [0.0; 3];
    // SAFETY: room for the three numbers asked for.
    if unsafe { libc::getloadavg(load.as_mut_ptr(), 3) } != 3 {
        return [0.0; 3];
    }
    load
}

/// Seconds since boot, time asleep included; hundredths where the system tells them.
#[cfg(target_os = "linux")]
pub(crate) fn uptime() -> io::Result<f64> {
    if let Ok(text) = std::fs::read_to_string("/proc/uptime")
        && let Some(seconds) = text.split(' ').next().and_then(|first| first.parse().ok())
    {
        return Ok(seconds);
    }
    // SAFETY: all-zero bytes are a valid timespec, which the call fills.
    unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        if libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(now.tv_sec as f64)
    }
}

/// Seconds since boot.
#[cfg(target_os = "macos")]
pub fn uptime() -> io::Result<f64> {
    let mut boot = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let mut size = size_of::<libc::timeval>();
    // SAFETY: a terminated name and a buffer of the size given.
    unsafe {
        let to = (&raw mut boot).cast();
        if libc::sysctlbyname(c"kern.boottime".as_ptr(), to, &mut size, std::ptr::null_mut(), 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((libc::time(std::ptr::null_mut()) - boot.tv_sec) as f64)
    }
}

/// Total and available memory in bytes.
#[cfg(target_os = "linux")]
pub(crate) fn memory() -> (f64, f64) {
    if let Some(pair) = std::fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(parse_meminfo) {
        return pair;
    }
    // SAFETY: all-zero bytes are a valid sysinfo, which the call fills.
    unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        if libc::sysinfo(&mut info) != 0 {
            return (0.0, 0.0);
        }
        let unit = f64::from(info.mem_unit);
        (info.totalram as f64 * unit, info.freeram as f64 * unit)
    }
}

#[cfg(target_os = "linux")]
fn parse_meminfo(text: &str) -> Option<(f64, f64)> {
    let kilobytes = |name: &str| -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    };
    Some((kilobytes("MemTotal:")? * 1024.0, kilobytes("MemAvailable:")? * 1024.0))
}

/// Total and free memory in bytes.
#[cfg(target_os = "macos")]
pub fn memory() -> (f64, f64) {
    let mut total = 0u64;
    let mut size = size_of::<u64>();
    let mut pages = 0u32;
    let mut pages_size = size_of::<u32>();
    // SAFETY: terminated names and buffers of the sizes given.
    unsafe {
        let none = std::ptr::null_mut();
        libc::sysctlbyname(c"hw.memsize".as_ptr(), (&raw mut total).cast(), &mut size, none, 0);
        let name = c"vm.page_free_count".as_ptr();
        libc::sysctlbyname(name, (&raw mut pages).cast(), &mut pages_size, none, 0);
        (total as f64, f64::from(pages) * libc::sysconf(libc::_SC_PAGESIZE) as f64)
    }
}

/// getpriority(2), which signals errors only through errno.
pub(crate) fn get_priority(pid: i32) -> io::Result<i32> {
    // SAFETY: plain system call; errno is thread-local.
    unsafe {
        *errno_location() = 0;
        let value = libc::getpriority(libc::PRIO_PROCESS, pid as libc::id_t);
        if value == -1 && *errno_location() != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(value)
    }
}

/// setpriority(2).
pub(crate) fn set_priority(pid: i32, priority: i32) -> io::Result<()> {
    // SAFETY: plain system call.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, pid as libc::id_t, priority) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(target_os = "linux")]
unsafe fn errno_location() -> *mut i32 {
    // SAFETY: no preconditions.
    unsafe { libc::__errno_location() }
}

#[cfg(target_os = "macos")]
unsafe fn errno_location() -> *mut i32 {
    // SAFETY: no preconditions.
    unsafe { libc::__error() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_facts() {
        assert!(!hostname().unwrap().is_empty());
        assert_eq!(uname().unwrap().sysname, if cfg!(target_os = "linux") { "Linux" } else { "Darwin" });
        assert!(uptime().unwrap() > 0.0);
        let (total, free) = memory();
        assert!(total > free && free > 0.0);
        assert!(get_priority(0).is_ok());
        assert_eq!(get_priority(i32::MAX).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn meminfo() {
        let text = "MemTotal:       16 kB\nMemFree: 1 kB\nMemAvailable:   8 kB\n";
        assert_eq!(parse_meminfo(text), Some((16384.0, 8192.0)));
        assert_eq!(parse_meminfo("MemTotal: 16 kB\n"), None);
    }
}
