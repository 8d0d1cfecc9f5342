//! Processes that tests have started and left.

use engine::op;

/// From now on processes whose parents end become children of this one, so that [`kill_descendants`] finds them.
#[op]
pub(crate) fn adopt_descendants() {
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Ends all processes below this one, or those of them in its process group; how many there were.
#[op]
pub(crate) fn kill_descendants(of_group: bool) -> u32 {
    let mut killed = 0;
    // What is started meanwhile is found the next time.
    for _ in 0..8 {
        let found = descendants(of_group);
        if found.is_empty() {
            break;
        }
        for pid in &found {
            // SAFETY: a plain system call; the process is below this one and was not waited for, so that the number is its own.
            unsafe { libc::kill(*pid, libc::SIGKILL) };
        }
        killed += u32::try_from(found.len()).unwrap_or(u32::MAX);
        // Those adopted have nobody else to wait for them, and the next look would find them again.
        for pid in found {
            // SAFETY: waits for a child that has been killed; for what is not a child of this one it returns at once.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
        }
    }
    killed
}

/// Processes below this one that run.
fn descendants(of_group: bool) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parents: std::collections::HashMap<i32, (i32, i32)> = entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name, which may have spaces and brackets: state and parent.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let state = fields.next()?;
            let parent = fields.next()?.parse().ok()?;
            let group: i32 = fields.next()?.parse().ok()?;
            (state != "Z").then_some((pid, (parent, group)))
        })
        .collect();
    let own = std::process::id() as i32;
    // SAFETY: a plain system call.
    let own_group = unsafe { libc::getpgrp() };
    let is_below = |mut pid: i32| {
        while let Some((parent, _)) = parents.get(&pid) {
            if *parent == own {
                return true;
            }
            pid = *parent;
        }
        false
    };
    let chosen = parents.iter().filter(|(_, (_, group))| !of_group || *group == own_group);
    chosen.map(|(pid, _)| *pid).filter(|pid| is_below(*pid)).collect()
}
