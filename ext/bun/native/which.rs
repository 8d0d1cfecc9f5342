//! Finding programs as a shell does.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

fn is_executable(path: &Path) -> bool {
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: a string that ends with a zero byte.
    let allowed = unsafe { libc::access(name.as_ptr(), libc::X_OK) } == 0;
    allowed && path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// The path of the program `name`: where it has a slash, from `cwd`; else in the directories of `path`.
pub(crate) fn which(name: &str, path: &str, cwd: &str) -> Option<String> {
    let found = |candidate: PathBuf| is_executable(&candidate).then(|| candidate.to_string_lossy().into_owned());
    if name.is_empty() || name.len() > 4096 {
        return None;
    }
    if name.contains('/') {
        let relative = name.strip_prefix("./").unwrap_or(name);
        return found(Path::new(cwd).join(relative));
    }
    path.split(':').filter(|dir| !dir.is_empty()).find_map(|dir| found(Path::new(cwd).join(dir).join(name)))
}
