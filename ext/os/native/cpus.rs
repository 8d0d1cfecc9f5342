//! Processors: what they are, and how many of them this process may keep busy.

use std::io;

/// One logical CPU. Times are milliseconds since boot.
pub(crate) struct Cpu {
    pub model: String,
    pub mhz: f64,
    pub user: f64,
    pub nice: f64,
    pub sys: f64,
    pub idle: f64,
    pub irq: f64,
}

/// See the op.
pub(crate) fn available_parallelism() -> u32 {
    let allowed = allowed_cpus();
    match quota() {
        Some(cpus) if cpus < f64::from(allowed) => (cpus as u32).max(1),
        _ => allowed.max(1),
    }
}

/// CPUs in the affinity mask, or all that are online.
#[cfg(target_os = "linux")]
fn allowed_cpus() -> u32 {
    // SAFETY: all-zero bytes are a valid set, which the call fills.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) == 0 {
            return libc::CPU_COUNT(&set) as u32;
        }
    }
    online_cpus()
}

#[cfg(not(target_os = "linux"))]
fn allowed_cpus() -> u32 {
    online_cpus()
}

fn online_cpus() -> u32 {
    // SAFETY: plain query.
    unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as u32
}

/// The CPU time a control group allows, in CPUs; None without a limit.
#[cfg(target_os = "linux")]
fn quota() -> Option<f64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    cgroup::quota(&groups, |path| std::fs::read_to_string(path).ok())
}

#[cfg(not(target_os = "linux"))]
fn quota() -> Option<f64> {
    None
}

#[cfg(target_os = "linux")]
mod cgroup {
    /// Reads the limit from `/proc/self/cgroup`'s text and the files that `read` gives. The tightest limit of the group
    /// and the groups around it counts.
    pub(super) fn quota(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<f64> {
        for line in groups.lines() {
            let mut fields = line.splitn(3, ':');
            let (Some(hierarchy), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            if hierarchy == "0" && controllers.is_empty() {
                if let Some(limit) = tightest("/sys/fs/cgroup", path, |directory| v2_limit(&read, directory)) {
                    return Some(limit);
                }
            } else if controllers.split(',').any(|name| name == "cpu") {
                let mount = format!("/sys/fs/cgroup/{controllers}");
                if let Some(limit) = tightest(&mount, path, |directory| v1_limit(&read, directory)) {
                    return Some(limit);
                }
            }
        }
        None
    }

    /// Walks from a group up to the mount point. In a container the path in /proc may be that of the host and not
    /// exist; the mount point itself is then the container's group.
    fn tightest(mount: &str, path: &str, limit: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let mut best: Option<f64> = None;
        let mut path = path.trim_end_matches('/');
        loop {
            if let Some(cpus) = limit(&format!("{mount}{path}")) {
                best = Some(best.map_or(cpus, |known| known.min(cpus)));
            }
            match path.rfind('/') {
                Some(cut) => path = &path[..cut],
                None => return best,
            }
        }
    }

    fn v2_limit(read: impl Fn(&str) -> Option<String>, directory: &str) -> Option<f64> {
        let text = read(&format!("{directory}/cpu.max"))?;
        let mut fields = text.split_whitespace();
        let quota: f64 = fields.next()?.parse().ok()?; // "max" is no number: no limit
        let period: f64 = fields.next()?.parse().ok()?;
        (period > 0.0).then_some(quota / period)
    }

    fn v1_limit(read: impl Fn(&str) -> Option<String>, directory: &str) -> Option<f64> {
        let number = |name: &str| read(&format!("{directory}/{name}"))?.trim().parse::<f64>().ok();
        let quota = number("cpu.cfs_quota_us")?;
        let period = number("cpu.cfs_period_us")?;
        (quota > 0.0 && period > 0.0).then_some(quota / period)
    }

    #[cfg(test)]
    mod tests {
        use super::quota;

        fn files<'a>(list: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
            move |path| list.iter().find(|(name, _)| *name == path).map(|(_, text)| text.to_string())
        }

        #[test]
        fn version_2() {
            let list =
                [("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"), ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n")];
            assert_eq!(quota("0::/a/b\n", files(&list)), Some(1.5));
            let list = [("/sys/fs/cgroup/cpu.max", "50000 100000\n")];
            assert_eq!(quota("0::/\n", files(&list)), Some(0.5));
            assert_eq!(quota("0::/\n", files(&[("/sys/fs/cgroup/cpu.max", "max 100000\n")])), None);
        }

        #[test]
        fn version_1() {
            let list = [
                ("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "200000\n"),
                ("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n"),
                ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
                ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ];
            let groups = "12:memory:/x\n4:cpu,cpuacct:/x\n0::/y\n";
            assert_eq!(quota(groups, files(&list)), Some(2.0));
            assert_eq!(quota("1:cpu:/\n", files(&[])), None);
        }
    }
}

/// All CPUs that are online.
#[cfg(target_os = "linux")]
pub(crate) fn list() -> io::Result<Vec<Cpu>> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    // SAFETY: plain query.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64;
    let frequency = |cpu: u32| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
        std::fs::read_to_string(path).ok()?.trim().parse::<f64>().ok().map(|kilohertz| kilohertz / 1000.0)
    };
    Ok(parse(&stat, &info, 1000.0 / ticks, frequency))
}

/// Joins the lines of /proc/stat with the models in /proc/cpuinfo (whose fields differ between architectures).
#[cfg(target_os = "linux")]
fn parse(stat: &str, info: &str, milliseconds: f64, frequency: impl Fn(u32) -> Option<f64>) -> Vec<Cpu> {
    let mut models: std::collections::HashMap<u32, String> = Default::default();
    let mut current = None;
    for line in info.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        match key.trim_end() {
            "processor" => current = value.trim().parse().ok(),
            "model name" | "CPU part" | "cpu model" => {
                if let Some(cpu) = current {
                    models.entry(cpu).or_insert_with(|| value.trim().to_owned());
                }
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    for line in stat.lines() {
        let Some(rest) = line.strip_prefix("cpu") else { continue };
        let mut fields = rest.split(' ');
        let Some(cpu) = fields.next().and_then(|number| number.parse::<u32>().ok()) else { continue };
        let times: Vec<f64> = fields.filter_map(|field| field.parse::<f64>().ok()).map(|t| t * milliseconds).collect();
        let time = |index: usize| times.get(index).copied().unwrap_or(0.0);
        out.push(Cpu {
            model: models.get(&cpu).cloned().unwrap_or_else(|| "unknown".into()),
            mhz: frequency(cpu).unwrap_or(0.0).trunc(),
            user: time(0),
            nice: time(1),
            sys: time(2),
            idle: time(3),
            irq: time(5), // index 4 is the time waiting for I/O
        });
    }
    out
}

/// CPUs by sysctl; macOS tells times per CPU only through Mach, which is not asked: they are 0.
#[cfg(target_os = "macos")]
pub fn list() -> io::Result<Vec<Cpu>> {
    let mut buffer = [0u8; 512];
    let mut size = buffer.len();
    // SAFETY: a terminated name and a buffer of the size given.
    let name = unsafe {
        let to = buffer.as_mut_ptr().cast();
        let name = c"machdep.cpu.brand_string".as_ptr();
        if libc::sysctlbyname(name, to, &mut size, std::ptr::null_mut(), 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        String::from_utf8_lossy(&buffer[..size]).trim_end_matches('\0').to_owned()
    };
    Ok((0..online_cpus())
        .map(|_| Cpu { model: name.clone(), mhz: 0.0, user: 0.0, nice: 0.0, sys: 0.0, idle: 0.0, irq: 0.0 })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine() {
        assert!(available_parallelism() >= 1);
        assert!(!list().unwrap().is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn stat_and_info() {
        let stat = "cpu  3 0 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu2 10 0 0 0 0 0\nintr 5\n";
        let info = "processor\t: 0\nmodel name\t: One\n\nprocessor\t: 2\nmodel name\t: Two\n";
        let cpus = parse(stat, info, 10.0, |cpu| (cpu == 2).then_some(2400.7));
        assert_eq!(cpus.len(), 2);
        assert_eq!((cpus[0].model.as_str(), cpus[0].mhz, cpus[0].irq), ("One", 0.0, 60.0));
        assert_eq!((cpus[1].model.as_str(), cpus[1].mhz, cpus[1].user), ("Two", 2400.0, 100.0));
    }
}
