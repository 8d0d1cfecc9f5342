//! The path of a file with all symbolic links resolved.

use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};

use base::permission::Area;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::error::{FsError, FsResult, permitted};
use super::path::FsPath;
use super::stat;
use super::virt::{self, Seen};

/// As many links as the kernel follows in one path.
const MAX_LINKS: u32 = 40;

/// Paths of more parts than this are left to the kernel as a whole; shorter ones are quicker looked at part by part.
const FEW_PARTS: usize = 8;

/// realpath(3): errors carry `path` as given and the name "realpath".
pub(crate) fn native(path: &FsPath) -> FsResult<Vec<u8>> {
    permitted(Area::Read, path)?;
    let failed = |errno| FsError::new(errno, "realpath").path(path.bytes());
    if path.bytes().is_empty() {
        return Err(failed(Errno::NOENT));
    }
    match virt::see(path.bytes(), true) {
        Ok(Seen::Os) => by_descriptor(path).map_err(failed),
        Ok(Seen::At(to)) => by_descriptor(&to).map_err(failed),
        Ok(Seen::Node(node)) => Ok(node.path),
        Err(errno) => Err(failed(errno)),
    }
}

/// What `fs.realpath` of JavaScript does: an error names the first part of the path that could not be looked at, with
/// "lstat" (or "stat", for a link that leads nowhere).
pub(crate) fn walking(path: &FsPath) -> FsResult<Vec<u8>> {
    permitted(Area::Read, path)?;
    let redirected;
    let mut path = path;
    match virt::see(path.bytes(), true) {
        Ok(Seen::Os) => {}
        Ok(Seen::At(to)) => {
            redirected = to;
            path = &redirected;
        }
        Ok(Seen::Node(node)) => return Ok(node.path),
        Err(errno) => return Err(FsError::new(errno, "lstat").path(path.bytes())),
    }
    // JavaScript's realpath resolves ".." by name, before it follows links.
    let up = || path.bytes().split(|&b| b == b'/').any(|part| part == b"..");
    let parts = path.bytes().iter().filter(|&&b| b == b'/').count();
    if parts <= FEW_PARTS || up() {
        return walk(path, true);
    }
    by_descriptor(path).or_else(|_| walk(path, true))
}

/// Lets the kernel resolve: open without access, then ask /proc where that is. Three calls, however deep the path.
fn by_descriptor(path: &FsPath) -> Result<Vec<u8>, Errno> {
    let file = rustix::fs::openat(CWD, path.c_str(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    match place_of(&file) {
        Some(place) => Ok(place),
        // No /proc, a pipe, a deleted file, or one outside the process's root.
        None => walk(path, false).map_err(|error| error.errno),
    }
}

fn place_of(file: &OwnedFd) -> Option<Vec<u8>> {
    let mut name = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let digits = file.as_raw_fd().to_string();
    name[14..14 + digits.len()].copy_from_slice(digits.as_bytes());
    let name = std::ffi::CStr::from_bytes_until_nul(&name).ok()?;
    let place = rustix::fs::readlinkat(CWD, name, Vec::with_capacity(256)).ok()?;
    let bytes = place.as_bytes();
    if bytes.first() != Some(&b'/') {
        return None;
    }
    if bytes.ends_with(b" (deleted)") {
        // A file may be called that; then the place leads back to the same file.
        let there = stat::lstat(&place).ok()?;
        let here = stat::fstat(std::os::fd::AsFd::as_fd(file)).ok()?;
        if (there.dev, there.ino) != (here.dev, here.ino) {
            return None;
        }
    }
    Some(place.into_bytes())
}

/// Part by part, as a program would; `by_name`: "." and ".." are resolved before links are.
fn walk(path: &FsPath, by_name: bool) -> FsResult<Vec<u8>> {
    let cwd = || rustix::process::getcwd(Vec::new()).map(CString::into_bytes);
    let mut done: Vec<u8> = match path.bytes().first() {
        Some(b'/') => Vec::new(),
        _ => cwd().map_err(|errno| FsError::new(errno, "uv_cwd"))?,
    };
    if done == b"/" {
        done.clear();
    }
    // What is left to look at, the next part last.
    let mut left: Vec<Vec<u8>> = Vec::new();
    push_parts(&mut left, path.bytes());
    if by_name {
        left = collapse(&mut done, left);
    }
    let mut links = 0;
    while let Some(part) = left.pop() {
        match part.as_slice() {
            b"." => continue,
            b".." => {
                let up = done.iter().rposition(|&b| b == b'/').unwrap_or(0);
                done.truncate(up);
                continue;
            }
            _ => {}
        }
        let here = done.len();
        done.push(b'/');
        done.extend_from_slice(&part);
        let failed = |errno, syscall| FsError::new(errno, syscall).path(&done);
        let place = FsPath::from_bytes(&done).map_err(|_| failed(Errno::INVAL, "lstat"))?;
        let target = match rustix::fs::readlinkat(CWD, place.c_str(), Vec::with_capacity(256)) {
            Ok(target) => target,
            // Not a link. ("f/x" where f is a file: the next part fails with ENOTDIR, as it should.)
            Err(Errno::INVAL) => continue,
            Err(errno) => return Err(failed(errno, "lstat")),
        };
        stat::stat(place.c_str()).map_err(|errno| failed(errno, "stat"))?;
        links += 1;
        if links > MAX_LINKS {
            return Err(failed(Errno::LOOP, "stat"));
        }
        let target = target.into_bytes();
        match target.first() {
            Some(b'/') => done.clear(),
            _ => done.truncate(here),
        }
        if is_pseudo(&target) {
            // /proc/self/fd/0 -> pipe:[123]: a name that exists nowhere; it is the answer.
            done.push(b'/');
            done.extend_from_slice(&target);
            continue;
        }
        push_parts(&mut left, &target);
    }
    if done.is_empty() {
        done.push(b'/');
    }
    Ok(done)
}

fn is_pseudo(target: &[u8]) -> bool {
    [&b"pipe:["[..], b"socket:[", b"anon_inode:"].iter().any(|start| target.starts_with(start))
}

fn push_parts(left: &mut Vec<Vec<u8>>, path: &[u8]) {
    left.extend(path.split(|&b| b == b'/').rev().filter(|part| !part.is_empty()).map(<[u8]>::to_vec));
}

/// Resolves "." and ".." in `left` (next part last) against `done` by name only.
fn collapse(done: &mut Vec<u8>, left: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = done.split(|&b| b == b'/').filter(|p| !p.is_empty()).map(<[u8]>::to_vec).collect();
    for part in left.into_iter().rev() {
        match part.as_slice() {
            b"." => {}
            b".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    done.clear();
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    #[test]
    fn resolves() {
        let dir = TempDir::new();
        let root = std::fs::canonicalize(&dir.0).unwrap().display().to_string();
        std::fs::create_dir_all(dir.text("a/b")).unwrap();
        std::fs::write(dir.text("a/b/f (deleted)"), "").unwrap();
        std::os::unix::fs::symlink("a/b", dir.text("l")).unwrap();
        std::os::unix::fs::symlink("nowhere", dir.text("dangling")).unwrap();
        std::os::unix::fs::symlink("loop", dir.text("loop")).unwrap();
        for resolve in [native, walking, |path: &FsPath| walk(path, false)] {
            let real = |name: &str| resolve(&dir.path(name)).map(|p| String::from_utf8(p).unwrap());
            assert_eq!(real("l/f (deleted)").unwrap(), format!("{root}/a/b/f (deleted)"));
            assert_eq!(real("l/").unwrap(), format!("{root}/a/b"));
            assert_eq!(real("l/.").unwrap(), format!("{root}/a/b"));
            assert_eq!(real("none").unwrap_err().errno, Errno::NOENT);
            assert_eq!(real("dangling").unwrap_err().errno, Errno::NOENT);
            assert_eq!(real("loop").unwrap_err().errno, Errno::LOOP);
            assert_eq!(real("l/f (deleted)/x").unwrap_err().errno, Errno::NOTDIR);
        }
        assert_eq!(native(&dir.path("l/..")).unwrap(), format!("{root}/a").as_bytes());
        assert_eq!(walk(&dir.path("l/.."), false).unwrap(), format!("{root}/a").as_bytes());
        assert_eq!(walking(&dir.path("l/..")).unwrap(), root.as_bytes());
        let error = walking(&dir.path("l/none/x")).unwrap_err();
        assert_eq!((error.syscall, error.path.unwrap()), ("lstat", format!("{root}/a/b/none").into_bytes()));
        assert_eq!(walking(&dir.path("dangling")).unwrap_err().syscall, "stat");
        assert_eq!(native(&FsPath::from_bytes(b"/").unwrap()).unwrap(), b"/");
        let cwd = std::env::current_dir().unwrap();
        assert_eq!(walking(&FsPath::from_bytes(b"").unwrap()).unwrap(), cwd.display().to_string().as_bytes());
    }
}
