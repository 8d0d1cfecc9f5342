//! Native half of `node:os` (family `os`): facts about the machine and the user, and scheduling priorities.
//!
//! The modules hold plain functions; this file only turns them into ops. Failures carry libuv's name of the call as
//! `syscall` (`uv_os_getpriority`), because ext/os/node/os.ts reports it to programs the way Node does.

mod constants;
mod cpus;
mod network;
mod system;
mod users;

use engine::{F64Array, OpError, op, ops};

/// Host name.
#[op]
fn hostname() -> Result<String, OpError> {
    system::hostname().map_err(|error| OpError::io(error, "uv_os_gethostname"))
}

/// `[sysname, version, release, machine]` of uname(2).
#[op]
fn uname() -> Result<(String, String, String, String), OpError> {
    let names = system::uname().map_err(|error| OpError::io(error, "uv_os_uname"))?;
    Ok((names.sysname, names.version, names.release, names.machine))
}

/// The three load averages.
#[op]
fn loadavg() -> F64Array {
    F64Array(system::load_average().to_vec())
}

/// Seconds since the machine started.
#[op]
fn uptime() -> Result<f64, OpError> {
    system::uptime().map_err(|error| OpError::io(error, "uv_uptime"))
}

/// Bytes of memory.
#[op]
fn total_memory() -> f64 {
    system::memory().0
}

/// Bytes of memory that programs could still get (on Linux "MemAvailable").
#[op]
fn free_memory() -> f64 {
    system::memory().1
}

/// Number of threads worth starting: CPUs this process may use, within the limits of its control group. At least 1.
#[op]
fn available_parallelism() -> u32 {
    cpus::available_parallelism()
}

/// One `[model, MHz, user, nice, sys, idle, irq]` per CPU, times in milliseconds.
#[op]
fn cpus() -> Result<Vec<(String, f64, f64, f64, f64, f64, f64)>, OpError> {
    let list = cpus::list().map_err(|error| OpError::io(error, "uv_cpu_info"))?;
    Ok(list.into_iter().map(|c| (c.model, c.mhz, c.user, c.nice, c.sys, c.idle, c.irq)).collect())
}

/// One `[name, address, netmask, family (4 or 6), mac, internal, scope id, prefix length]` per address; the prefix
/// length is -1 where the mask is not contiguous.
#[op]
#[allow(clippy::type_complexity, reason = "the parts of the tuple are named in the comment of the op")]
fn network_interfaces() -> Result<Vec<(String, String, String, u8, String, bool, u32, i32)>, OpError> {
    let list = network::interfaces().map_err(|error| OpError::io(error, "uv_interface_addresses"))?;
    Ok(list
        .into_iter()
        .map(|i| (i.name, i.address, i.netmask, i.family, i.mac, i.internal, i.scope_id, i.prefix))
        .collect())
}

/// `[uid, gid, name, home directory, shell]` of the process's user; texts as bytes, for they need not be UTF-8.
#[op]
fn user_info() -> Result<(f64, f64, Vec<u8>, Vec<u8>, Vec<u8>), OpError> {
    let user = users::current().map_err(|error| OpError::io(error, "uv_os_get_passwd"))?;
    Ok((user.uid.into(), user.gid.into(), user.name, user.home, user.shell))
}

/// The home directory from the user database (the caller looks at HOME first).
#[op]
fn home_directory() -> Result<String, OpError> {
    let user = users::current().map_err(|error| OpError::io(error, "uv_os_homedir"))?;
    Ok(String::from_utf8_lossy(&user.home).into_owned())
}

/// Scheduling priority (nice value) of a process; 0 is this one.
#[op]
fn get_priority(pid: i32) -> Result<i32, OpError> {
    system::get_priority(pid).map_err(|error| OpError::io(error, "uv_os_getpriority"))
}

/// Sets the nice value of a process; 0 is this one.
#[op]
fn set_priority(pid: i32, priority: i32) -> Result<(), OpError> {
    system::set_priority(pid, priority).map_err(|error| OpError::io(error, "uv_os_setpriority"))
}

/// Names and values of one group of constants: "errno", "signals", "priority" or "dlopen", in Node's order.
#[op]
fn constants(group: String) -> Result<(Vec<&'static str>, Vec<i32>), OpError> {
    let list = match group.as_str() {
        "errno" => constants::errno(),
        "signals" => constants::signals(),
        "priority" => constants::priority(),
        "dlopen" => constants::dlopen(),
        _ => return Err(OpError::type_error(format!("no such group of constants: {group}"))),
    };
    Ok(list.iter().copied().unzip())
}

ops!(pub fn family "os" {
    hostname, uname, loadavg, uptime, total_memory, free_memory, available_parallelism, cpus, network_interfaces,
    user_info, home_directory, get_priority, set_priority, constants,
});
