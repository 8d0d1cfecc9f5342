//! One package directory: its directories are made, its files linked, package.json last.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::link::backend::Method;
use crate::link::parallel_package::SharedPackages;
use crate::store::fs;
use crate::store::index::Names;
use crate::store::tarball::extract::{self, CRLF_SHEBANG, EXECUTABLE, Listing, UNKNOWN, write_all};

/// Where a package's files come from.
pub(super) struct From<'a, 's> {
    /// The package is the directory `dir` below `at`.
    pub at: BorrowedFd<'a>,
    pub dir: &'a CStr,
    pub names: &'a Names<'s>,
    /// The threads that share out a large package.
    pub shared: &'a SharedPackages<'s>,
    /// Symbolic links in the package and their targets.
    pub links: &'a [(CString, CString)],
    /// The directory's path, for links that name it.
    pub path: &'a Path,
}

/// A package of at most this many entries is put in its place by whole paths: opening and closing its two directories would cost more
/// than it saves.
const FEW_ENTRIES: usize = 3;

/// Makes the directory `path` below `at` with the content of `from`. With `made` the directory is there already and may hold a
/// node_modules directory, but nothing of the package.
///
/// The order is the safety: a directory without package.json is not whole, and the next install makes it anew.
///
/// # Errors
/// `NOENT` where the source is not what the listing says; anything the file system refuses.
pub(super) fn make(
    method: &Arc<Method>,
    at: BorrowedFd<'_>,
    path: &CStr,
    made: bool,
    from: &From<'_, '_>,
) -> Result<(), Errno> {
    let begun = from.shared.begin(from.names.count());
    if !made {
        make_dir(at, path)?;
    }
    let entries = extract::dirs(from.names.dirs()).take(FEW_ENTRIES + 1).count() + from.names.count() as usize;
    if entries + usize::from(from.names.manifest()) <= FEW_ENTRIES && !method.symlinks() && from.links.is_empty() {
        return make_few(method, at, path, made, from);
    }
    let to = fs::open_path(at, path)?;
    for dir in extract::dirs(from.names.dirs()) {
        match rustix::fs::mkdirat(&to, dir, Mode::from_raw_mode(0o755)) {
            // A bundled dependency's directory may be there.
            Err(Errno::EXIST) if made => {}
            result => result?,
        }
    }
    for (name, target) in from.links {
        rustix::fs::symlinkat(target, &to, name)?;
    }
    if method.symlinks() {
        for name in extract::files(from.names.files()).map(|(_, name)| name).chain(manifest(from.names)) {
            let target = joined(from.path.as_os_str().as_encoded_bytes(), name)?;
            rustix::fs::symlinkat(target.as_c_str(), &to, name)?;
        }
        return Ok(());
    }
    let source = fs::open_path(from.at, from.dir)?;
    if begun.is_some() {
        from.shared.link(method, &source, &to, from.names)?;
    } else {
        method.files(source.as_fd(), to.as_fd(), from.names.files())?;
    }
    for name in manifest(from.names) {
        method.file(source.as_fd(), name, to.as_fd(), name)?;
    }
    Ok(())
}

/// Whether a name in a package is one of `folders` or below it.
pub(crate) fn is_below(name: &[u8], folders: &[String]) -> bool {
    let is_in =
        |folder: &String| name.strip_prefix(folder.as_bytes()).is_some_and(|rest| matches!(rest, [] | [b'/', ..]));
    folders.iter().any(is_in)
}

/// The listing without what is in `folders`, which are in the package's own node_modules; nothing if the package brings none of them.
/// A package that bundles some of its dependencies may bring copies of others, which the plan puts there itself.
pub(crate) fn without(names: &Names<'_>, folders: &[String]) -> Option<Listing> {
    extract::dirs(names.dirs()).find(|dir| is_below(dir.to_bytes(), folders))?;
    let mut listing = Listing { manifest: names.manifest(), ..Listing::default() };
    for dir in extract::dirs(names.dirs()).filter(|dir| !is_below(dir.to_bytes(), folders)) {
        listing.push_dir(dir.to_bytes());
    }
    for (flags, name) in extract::files(names.files()).filter(|(_, name)| !is_below(name.to_bytes(), folders)) {
        listing.push_file(flags, name.to_bytes());
    }
    Some(listing)
}

fn manifest<'a>(names: &Names<'_>) -> impl Iterator<Item = &'a CStr> + use<'a> {
    names.manifest().then_some(c"package.json").into_iter()
}

fn joined(dir: &[u8], name: &CStr) -> Result<CString, Errno> {
    CString::new([dir, b"/", name.to_bytes()].concat()).map_err(|_| Errno::INVAL)
}

/// A package of very few entries, none of which is a link.
fn make_few(method: &Method, at: BorrowedFd<'_>, path: &CStr, made: bool, from: &From<'_, '_>) -> Result<(), Errno> {
    for dir in extract::dirs(from.names.dirs()) {
        match rustix::fs::mkdirat(at, joined(path.to_bytes(), dir)?.as_c_str(), Mode::from_raw_mode(0o755)) {
            Err(Errno::EXIST) if made => {}
            result => result?,
        }
    }
    for name in extract::files(from.names.files()).map(|(_, name)| name).chain(manifest(from.names)) {
        method.file(from.at, &joined(from.dir.to_bytes(), name)?, at, &joined(path.to_bytes(), name)?)?;
    }
    Ok(())
}

/// Makes one directory; something else with its name is removed first.
fn make_dir(at: BorrowedFd<'_>, path: &CStr) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(0o755);
    match rustix::fs::mkdirat(at, path, mode) {
        Err(Errno::EXIST) => {
            fs::remove(at, path)?;
            rustix::fs::mkdirat(at, path, mode)
        }
        result => result,
    }
}

/// The flags of a file in a listing.
pub(super) fn flags(names: &Names<'_>, file: &[u8]) -> u8 {
    extract::files(names.files()).find(|(_, name)| name.to_bytes() == file).map_or(UNKNOWN, |(flags, _)| flags)
}

/// Makes a bin's file executable and takes CR off its `#!` line, as npm does. `known` are the flags of its listing. Where its inode is not
/// `own` (the store's or the project's) it may have other names elsewhere, whose mode stays as it is: the file becomes a copy.
pub(super) fn fix_bin(at: BorrowedFd<'_>, file: &CStr, known: u8, own: bool) -> Result<(), Errno> {
    if known & UNKNOWN == 0 && known & EXECUTABLE != 0 && known & CRLF_SHEBANG == 0 {
        return Ok(());
    }
    let stat = match rustix::fs::statat(at, file, AtFlags::empty()) {
        Ok(stat) => stat,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mode = stat.st_mode;
    if rustix::fs::FileType::from_raw_mode(mode) != rustix::fs::FileType::RegularFile {
        return Ok(());
    }
    if known & (UNKNOWN | CRLF_SHEBANG) != 0 && strip_shebang(at, file)? {
        return Ok(());
    }
    if mode & 0o111 == 0o111 {
        return Ok(());
    }
    let mode = (mode | 0o111) & 0o777;
    if own || stat.st_nlink < 2 {
        return rustix::fs::chmodat(at, file, Mode::from_raw_mode(mode), AtFlags::empty());
    }
    let source = rustix::fs::openat(at, file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let content = read_all(source.as_fd())?;
    replace(at, file, &content, mode)
}

/// Where the CR is in a `#!` line that ends in CR LF.
pub(super) fn shebang_cr(head: &[u8]) -> Option<usize> {
    let end = head.starts_with(b"#!").then(|| memchr::memchr(b'\n', head)).flatten()?;
    (head[end - 1] == b'\r').then_some(end - 1)
}

/// Replaces a file whose `#!` line ends in CR LF by a copy without the CR: the store's file may share its inode.
fn strip_shebang(at: BorrowedFd<'_>, name: &CStr) -> Result<bool, Errno> {
    let file = rustix::fs::openat(at, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut head = [0u8; 1024];
    let count = rustix::io::pread(&file, &mut head, 0)?;
    let Some(at_cr) = shebang_cr(&head[..count]) else {
        return Ok(false);
    };
    let mut content = read_all(file.as_fd())?;
    content.remove(at_cr);
    replace(at, name, &content, 0o755)?;
    Ok(true)
}

fn read_all(file: BorrowedFd<'_>) -> Result<Vec<u8>, Errno> {
    let mut content = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match rustix::io::read(file, &mut buffer)? {
            0 => return Ok(content),
            count => content.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Puts a new file in the place of another.
fn replace(at: BorrowedFd<'_>, name: &CStr, content: &[u8], mode: u32) -> Result<(), Errno> {
    let temporary = CString::new([name.to_bytes(), b".bao-fix"].concat()).map_err(|_| Errno::INVAL)?;
    // A package may have a file of that name, which is the store's as well.
    match rustix::fs::unlinkat(at, &temporary, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let target = rustix::fs::openat(at, &temporary, flags, Mode::from_raw_mode(mode))?;
    write_all(target.as_fd(), content)
        .map_err(|error| error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error))?;
    rustix::fs::renameat(at, &temporary, at, name)
}
