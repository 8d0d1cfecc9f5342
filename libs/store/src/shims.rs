//! Directories with links to bao for the search path of scripts and children: `node` and `npx` for programs whose packages are in
//! archives, which nothing but bao reads, and for `--bun`; `bao` and `bun` for scripts that call those that are not installed.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::mounts::{are_packages_of, has_project};

/// The directories, below one of this user and this executable in the directory for temporary files.
pub struct Shims {
    pub node: PathBuf,
    pub npx: PathBuf,
    pub bao: PathBuf,
}

fn fnv(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Makes what is missing. The names are predictable and the place is shared, so nothing is used that another user could
/// have put there.
///
/// # Errors
/// Those of the system; a directory of that name belongs to somebody else.
pub fn ensure(executable: &str) -> std::io::Result<Shims> {
    // SAFETY: cannot fail.
    let user = unsafe { libc::geteuid() };
    let base = std::env::temp_dir().join(format!("bao-shims-{user}-{:x}", fnv(executable.as_bytes())));
    let shims = Shims { node: base.join("node"), npx: base.join("npx"), bao: base.join("bao") };
    for dir in [&base, &shims.node, &shims.npx, &shims.bao] {
        own_directory(dir, user)?;
    }
    link(executable, &shims.node, "node")?;
    link(executable, &shims.npx, "npx")?;
    for name in ["bao", "baox", "bun", "bunx"] {
        link(executable, &shims.bao, name)?;
    }
    Ok(shims)
}

/// Whether children of this process get bao as `node` and `npx`: it has met packages in archives, or those of the directory in which
/// it starts its first child are. Not for a program that was built as an executable, which is not bao.
pub fn are_wanted() -> bool {
    static HERE: OnceLock<bool> = OnceLock::new();
    let of_directory = || !crate::embedded::is_used() && std::env::current_dir().is_ok_and(|dir| are_packages_of(&dir));
    has_project() || *HERE.get_or_init(of_directory)
}

/// Environment variables, joined with NUL, for a child of a program whose packages are in archives: with `node` and `npx` as bao in front
/// of the search path. Nothing if the program has none, or the search path has them already.
pub fn variables_for_child(variables: &[u8]) -> Option<Vec<u8>> {
    static FRONT: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    if !are_wanted() {
        return None;
    }
    let front = FRONT.get_or_init(|| {
        let shims = ensure(std::env::current_exe().ok()?.to_str()?).ok()?;
        Some([shims.node.as_os_str().as_bytes(), b":", shims.npx.as_os_str().as_bytes()].concat())
    });
    let front = front.as_ref()?;
    let mut list: Vec<Vec<u8>> = variables.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    // The last one counts.
    let path = list.iter_mut().rfind(|one| one.starts_with(b"PATH="))?;
    if path[5..].starts_with(front) {
        return None;
    }
    *path = [b"PATH=", &front[..], b":", &path[5..]].concat();
    Some(list.join(&0))
}

fn own_directory(dir: &Path, user: u32) -> std::io::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = std::fs::symlink_metadata(dir)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(std::io::Error::other(format!("{} belongs to somebody else; remove it or set TMPDIR", dir.display())))
}

fn link(executable: &str, dir: &Path, name: &str) -> std::io::Result<()> {
    let path = dir.join(name);
    if std::fs::read_link(&path).is_ok_and(|target| target == Path::new(executable)) {
        return Ok(());
    }
    // Put in place in one step: other scripts may be starting.
    let fresh = dir.join(format!(".{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&fresh);
    symlink(executable, &fresh)?;
    std::fs::rename(&fresh, &path)
}
