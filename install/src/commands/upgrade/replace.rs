//! Putting another executable into the place of the one that runs, so that at every moment there is a whole one under its name.

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{FallocateFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::error::{Code, Error, Result};

/// Begins the names of files that are not complete yet.
const UNFINISHED: &str = ".bao-upgrade-";

/// The executable that runs, with its directory locked against other upgrades.
pub(super) struct Place {
    executable: PathBuf,
    dir: PathBuf,
    /// Open and locked as long as this lives.
    dir_fd: OwnedFd,
}

/// A file that is removed at the end if nothing took its place.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Who else replaces this file, and the command that does so.
fn owner(executable: &Path) -> Option<(&'static str, String)> {
    if executable.components().any(|part| part.as_os_str() == "node_modules") {
        return Some(("a package manager", "npm install -g bao@latest (or `bao add`, `pnpm add`, ...)".to_owned()));
    }
    let list = std::fs::read_to_string("/var/lib/dpkg/info/bao.list").unwrap_or_default();
    let path = executable.to_string_lossy();
    list.lines().any(|line| line == path).then(|| ("dpkg", "dpkg --install bao_VERSION_ARCH.deb".to_owned()))
}

impl Place {
    /// Finds this executable.
    ///
    /// # Errors
    /// It is gone, belongs to a package manager, its directory cannot be written to, or another upgrade is under way there.
    pub(super) fn find() -> Result<Self> {
        let executable = std::env::current_exe()
            .map_err(|error| Error::new(Code::Io, "cannot find the file of this program").cause(error))?;
        if !executable.exists() {
            return Err(Error::new(Code::Io, format!("the file of this program is gone: {}", executable.display()))
                .hint("another upgrade has replaced it; try again"));
        }
        if let Some((who, command)) = owner(&executable) {
            return Err(Error::new(Code::Usage, format!("{} was installed by {who}", executable.display()))
                .hint(format!("that has to replace it: {command}")));
        }
        let dir = executable.parent().unwrap_or(Path::new("/")).to_owned();
        let writable = |error: Errno| {
            Error::io("cannot write to", &dir, std::io::Error::from(error))
                .hint("run `bao upgrade` as the user who owns it (sudo)")
        };
        rustix::fs::access(&dir, rustix::fs::Access::WRITE_OK).map_err(writable)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir_fd = rustix::fs::open(&dir, flags, Mode::empty()).map_err(writable)?;
        rustix::fs::flock(&dir_fd, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
            Errno::WOULDBLOCK => Error::new(Code::Io, format!("another upgrade is under way in {}", dir.display())),
            error => Error::io("cannot lock", &dir, std::io::Error::from(error)),
        })?;
        let place = Self { executable, dir, dir_fd };
        place.sweep();
        Ok(place)
    }

    /// Removes what upgrades that were killed have left: the lock says that none of them still runs.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// `bao.previous` beside `bao`.
    pub(super) fn previous(&self) -> PathBuf {
        let mut name = self.executable.file_name().map(OsString::from).unwrap_or_default();
        name.push(".previous");
        self.dir.join(name)
    }

    fn unfinished(&self, what: &str) -> Unfinished {
        Unfinished(self.dir.join(format!("{UNFINISHED}{}-{what}", std::process::id())))
    }

    /// Puts an executable into its place, once it has shown that it runs here and is of `version`. The one that was there is kept as
    /// [`Place::previous`].
    ///
    /// # Errors
    /// The disk is full, or the executable does not run: then everything is as it was.
    pub(super) fn install(&self, bytes: &[u8], version: &str) -> Result<()> {
        let new = self.unfinished("new");
        self.write(&new.0, bytes).map_err(|error| {
            let full = error.raw_os_error() == Some(libc::ENOSPC) || error.raw_os_error() == Some(libc::EDQUOT);
            let failed = Error::io("cannot write", &new.0, error);
            if full {
                failed.hint(format!("{} MB are needed there; nothing has changed", bytes.len() >> 20))
            } else {
                failed
            }
        })?;
        let told = version_of(&new.0)
            .map_err(|why| Error::new(Code::Integrity, format!("the new executable does not run here: {why}")))?;
        if told != version {
            return Err(Error::new(
                Code::Integrity,
                format!("the new executable says that it is {told}, not {version}"),
            ));
        }
        self.keep()?;
        let failed = |error| Error::io("cannot replace", &self.executable, error);
        std::fs::rename(&new.0, &self.executable).map_err(failed)?;
        self.sync();
        Ok(())
    }

    /// Writes a file to the disk, with the owner and permissions of the executable.
    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        // A disk that is too small says so before anything is written; not every file system can reserve.
        match rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, bytes.len() as u64) {
            Err(error) if error != Errno::OPNOTSUPP && error != Errno::NOSYS => return Err(error.into()),
            _ => {}
        }
        file.write_all(bytes)?;
        let old = std::fs::metadata(&self.executable)?;
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(std::fs::Permissions::from_mode(old.mode() & 0o7777 | 0o500))?;
        file.sync_all()
    }

    /// Makes the executable that is there known as the previous one, too.
    fn keep(&self) -> Result<()> {
        let link = self.unfinished("old");
        let made = match std::fs::hard_link(&self.executable, &link.0) {
            // A file system without hard links.
            Err(_) => std::fs::copy(&self.executable, &link.0).map(drop),
            made => made,
        };
        made.and_then(|()| std::fs::rename(&link.0, self.previous()))
            .map_err(|error| Error::io("cannot keep this version as", self.previous(), error))
    }

    /// Exchanges the executable with the previous one. Gives both versions: the one that is in its place now, and the one that was.
    ///
    /// # Errors
    /// There is no previous one, or it does not run.
    pub(super) fn roll_back(&self) -> Result<String> {
        let previous = self.previous();
        if !previous.exists() {
            return Err(Error::new(
                Code::Usage,
                format!("there is no version to go back to: no {}", previous.display()),
            )
            .hint("`bao upgrade` keeps one"));
        }
        let version = version_of(&previous)
            .map_err(|why| Error::new(Code::Integrity, format!("{} does not run: {why}", previous.display())))?;
        let failed = |error| Error::io("cannot replace", &self.executable, error);
        let exchanged =
            rustix::fs::renameat_with(&self.dir_fd, &previous, &self.dir_fd, &self.executable, RenameFlags::EXCHANGE);
        match exchanged {
            Ok(()) => {}
            // A file system that cannot exchange names: the one that was there has another name for a moment, and two at the end.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let back = self.unfinished("back");
                std::fs::hard_link(&previous, &back.0).map_err(failed)?;
                self.keep()?;
                std::fs::rename(&back.0, &self.executable).map_err(failed)?;
            }
            Err(error) => return Err(failed(error.into())),
        }
        self.sync();
        Ok(version)
    }

    /// Names are on the disk once their directory is.
    fn sync(&self) {
        let _ = rustix::fs::fsync(&self.dir_fd);
    }

    /// Where it is.
    pub(super) fn executable(&self) -> &Path {
        &self.executable
    }
}

/// What an executable prints for `--version`.
fn version_of(executable: &Path) -> Result<String, String> {
    let output = Command::new(executable)
        .arg("--version")
        .env_remove("BUN_OPTIONS")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(if said.is_empty() { output.status.to_string() } else { said });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
