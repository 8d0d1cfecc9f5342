//! What is in archives put on the disk, for what only the system can do: a directory as the working directory of a process, files that
//! machine code opens by itself.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::archive::{Archive, Damage, Kind};
use crate::embedded;
use crate::mounts::{Node, Place, Project, find, path_of, projects_with};
use crate::written::{note_all, note_write};

/// What is at `path` as the system has it, if the path leads into an archive or to a directory of the index of a project; nothing for
/// other paths. What is missing is written: the files of the package, at the place where the index has its archive, so that the path
/// is the same for programs that see archives and for those that do not. The next install puts what the package depends on beside it.
///
/// # Errors
/// Those of the system; `InvalidData` for an archive that is damaged.
pub fn place_on_disk(path: &[u8]) -> Option<std::io::Result<PathBuf>> {
    match find(path, true) {
        Place::Node(node) if !embedded::holds(&node.path) => {
            let place = path_of(&node.path);
            Some(put(&node, &place).map(|()| place))
        }
        Place::At(path) => Some(Ok(path_of(&path))),
        _ => None,
    }
}

/// The same for a directory; nothing for what is none.
///
/// # Errors
/// As [`place_on_disk`].
pub fn directory_on_disk(path: &[u8]) -> Option<std::io::Result<PathBuf>> {
    match find(path, true) {
        Place::Node(node) if !node.is_dir() => None,
        _ => place_on_disk(path),
    }
}

fn put(node: &Node, place: &Path) -> std::io::Result<()> {
    if std::fs::symlink_metadata(place).is_ok() {
        return Ok(());
    }
    if !node.is_packaged {
        return if node.is_dir() { std::fs::create_dir_all(place) } else { Err(ErrorKind::NotFound.into()) };
    }
    let inside = node.archive.name(&node.entry).len();
    let top = node.path.len() - if inside == 0 { 0 } else { inside + 1 };
    note_write(&node.path);
    write(node.archive, &path_of(&node.path[..top]))
}

/// Prepares the start of the executable `program`. If it is machine code of a package, such as esbuild's, it may read other packages, which
/// the system has to know then: all packages of the projects that this process has met, and of that of the executable, are put on the
/// disk, with the links of their indexes, once. They stay there: the next install does the same in its way. Nothing is done for
/// other programs, and without packages in archives.
///
/// # Errors
/// Those of the system, and of damaged archives.
pub fn prepare_program(program: &Path) -> std::io::Result<()> {
    // Projects that were put there or could not be. Held meanwhile: nobody else starts such a program before all is there.
    static DONE: Mutex<Vec<&'static Project>> = Mutex::new(Vec::new());
    let Ok(real) = std::fs::canonicalize(program) else { return Ok(()) };
    let path = real.as_os_str().as_bytes();
    if !concerns_package(path) || !is_machine_code(&real) {
        return Ok(());
    }
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_new = false;
    for project in projects_with(path) {
        if !done.iter().any(|known| std::ptr::eq(*known, project)) {
            done.push(project);
            is_new |= project.put_on_disk()?;
        }
    }
    if is_new {
        let name = real.display();
        base::stderr_line!(
            "note: {name} is started, which cannot read archives: all packages are put on the disk, as by `bao pm materialize`"
        );
    }
    Ok(())
}

/// Whether the name of an entry leads to what is below its archive, as those that bao writes do.
fn is_inside(name: &Path) -> bool {
    name.components().all(|part| matches!(part, Component::Normal(_)))
}

fn concerns_package(path: &[u8]) -> bool {
    memchr::memmem::find(path, b"/node_modules/").is_some()
}

fn is_machine_code(file: &Path) -> bool {
    use std::io::Read as _;
    let mut magic = [0; 4];
    std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && &magic == b"\x7fELF"
}

impl Project {
    /// Whether anything was missing.
    fn put_on_disk(&'static self) -> std::io::Result<bool> {
        let modules = path_of(&self.root).join("node_modules");
        let mut is_new = false;
        for entry in self.index.entries().skip(1) {
            let name = Path::new(OsStr::from_bytes(self.index.name(&entry)));
            if !is_inside(name) {
                return Err(Error::new(ErrorKind::InvalidData, Damage::Index.to_string()));
            }
            let place = modules.join(name);
            if std::fs::symlink_metadata(&place).is_ok() {
                continue;
            }
            let damaged = || Error::new(ErrorKind::InvalidData, Damage::Content.to_string());
            match entry.kind {
                Kind::Mount => {
                    is_new = true;
                    write(self.archive(&entry).ok_or_else(damaged)?, &place)?;
                }
                Kind::Link => {
                    let target = self.index.content(&entry).map_err(|_| damaged())?;
                    place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                    match symlink(OsStr::from_bytes(target), &place) {
                        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                        _ => {}
                    }
                }
                Kind::Dir | Kind::File | Kind::Real => {}
            }
        }
        if is_new {
            note_all(&path_of(&self.root));
        }
        Ok(is_new)
    }
}

/// Makes `dir` the working directory of this process. One that is in an archive is put on the disk first, with `may_write`.
///
/// # Errors
/// Those of the system and of [`directory_on_disk`].
pub fn enter(dir: &Path, may_write: bool) -> std::io::Result<()> {
    match std::env::set_current_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound && may_write => {
            match directory_on_disk(dir.as_os_str().as_encoded_bytes()) {
                Some(place) => std::env::set_current_dir(place?),
                None => Err(error),
            }
        }
        changed => changed,
    }
}

/// Writes all of an archive to `top`, which is there at once or not at all.
fn write(archive: &Archive, top: &Path) -> std::io::Result<()> {
    let parent = top.parent().ok_or(ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(parent)?;
    let fresh = parent.join(format!(".tmp-{}-{:?}", std::process::id(), std::thread::current().id()));
    let _ = std::fs::remove_dir_all(&fresh);
    let done =
        std::fs::create_dir(&fresh).and_then(|()| archive.unpack(&fresh)).and_then(|()| std::fs::rename(&fresh, top));
    if done.is_err() {
        let _ = std::fs::remove_dir_all(&fresh);
    }
    // Somebody else may have been first.
    if top.is_dir() { Ok(()) } else { done }
}

impl Archive {
    /// Writes everything that is in the archive below `dir`, which is empty.
    ///
    /// # Errors
    /// Those of the system; `InvalidData` for what is damaged and for names that lead out of the archive, which no writer of bao makes.
    pub fn unpack(&self, dir: &Path) -> std::io::Result<()> {
        use std::io::Write as _;
        let damaged = |damage: Damage| Error::new(ErrorKind::InvalidData, damage.to_string());
        let mut links = Vec::new();
        for entry in self.entries().skip(1) {
            let name = Path::new(OsStr::from_bytes(self.name(&entry)));
            if !is_inside(name) || matches!(entry.kind, Kind::Mount | Kind::Real) {
                return Err(damaged(Damage::Index));
            }
            let place = dir.join(name);
            if entry.kind == Kind::Dir {
                std::fs::create_dir_all(place)?;
                continue;
            }
            if let Some(above) = place.parent() {
                std::fs::create_dir_all(above)?;
            }
            let content = self.content(&entry).map_err(damaged)?;
            if entry.kind == Kind::Link {
                links.push((content, place));
                continue;
            }
            let mode = if entry.mode & 0o111 == 0 { 0o666 } else { 0o777 };
            std::fs::File::options().write(true).create_new(true).mode(mode).open(place)?.write_all(content)?;
        }
        // Last, so that nothing is written through one.
        links.into_iter().try_for_each(|(target, place)| symlink(OsStr::from_bytes(target), place))
    }
}
