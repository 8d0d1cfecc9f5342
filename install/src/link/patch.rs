//! Patches in git's format (`patchedDependencies`): applied once to a copy in the store, which projects then link like any package.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Code, Error, Result};
use crate::link::bins::inside;
use crate::model::plan::{PackageId, Plan};
use crate::store::tarball::extract::{self, Listing, write_all};
use crate::store::{Lookup, Source, Store, fs};

/// One line of a hunk: its kind (` `, `-`, `+`) and its bytes with the end of line, where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    kind: u8,
    text: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    /// First line in the old file, from 1; 0 for an empty file.
    start: usize,
    lines: Vec<Line>,
}

/// The change of one file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Change {
    /// Nothing for a new file.
    from: Option<String>,
    /// Nothing for a deleted file.
    to: Option<String>,
    mode: Option<u32>,
    hunks: Vec<Hunk>,
}

fn wrong(why: impl std::fmt::Display) -> Error {
    Error::new(Code::Parse, format!("The patch is malformed: {why}"))
}

/// A file name of a header: `a/` or `b/` is dropped, `/dev/null` is nothing, a quoted name is unquoted.
fn file_name(field: &[u8]) -> Result<Option<String>> {
    let text = String::from_utf8(field.to_vec()).map_err(|_| wrong("a file name is not UTF-8"))?;
    let text = text.trim_end_matches(['\r', '\n']);
    let text = text.split('\t').next().unwrap_or(text);
    if text == "/dev/null" {
        return Ok(None);
    }
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map_or_else(|| text.to_owned(), unquote);
    let name = text.strip_prefix("a/").or_else(|| text.strip_prefix("b/")).unwrap_or(&text);
    if name.starts_with('/') || name.split('/').any(|part| part == "..") {
        return Err(wrong(format!("\"{name}\" is outside of the package")));
    }
    inside(name).map(Some).ok_or_else(|| wrong("a file name is empty"))
}

/// C escapes, as git quotes names.
fn unquote(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(first @ b'0'..=b'7') => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    if let Some(digit @ b'0'..=b'7') = bytes.peek().copied() {
                        value = value * 8 + u32::from(digit - b'0');
                        bytes.next();
                    }
                }
                out.push(value as u8);
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

fn parse(patch: &[u8]) -> Result<Vec<Change>> {
    let lines = patch.split_inclusive(|&byte| byte == b'\n').collect();
    let mut reader = Reader { lines, at: 0, after_git_header: false, changes: Vec::new() };
    while let Some(line) = reader.next() {
        reader.read(line)?;
    }
    let changes = reader.changes;
    if changes.iter().any(|change| change.from.is_none() && change.to.is_none()) {
        return Err(wrong("it names no file"));
    }
    if changes.is_empty() && !patch.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong("it holds no change"));
    }
    Ok(changes)
}

/// A patch that is being read.
struct Reader<'p> {
    lines: Vec<&'p [u8]>,
    /// Place of the next line.
    at: usize,
    /// A `diff --git` line has begun a change whose `---` and `+++` lines have not come yet.
    after_git_header: bool,
    changes: Vec<Change>,
}

impl<'p> Reader<'p> {
    fn peek(&self) -> Option<&'p [u8]> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'p [u8]> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// Reads what one line begins.
    fn read(&mut self, line: &'p [u8]) -> Result<()> {
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            self.after_git_header = true;
            self.changes.push(change_of(names));
        } else if line.starts_with(b"Binary files ") || line.starts_with(b"GIT binary patch") {
            return Err(wrong("it changes a binary file, which is not supported"));
        } else if let Some(from) = line.strip_prefix(b"--- ")
            && let Some(to) = self.peek().and_then(|next| next.strip_prefix(b"+++ "))
        {
            self.at += 1;
            if !self.after_git_header {
                self.changes.push(Change::default());
            }
            self.after_git_header = false;
            let (from, to) = (file_name(from)?, file_name(to)?);
            if let Some(change) = self.changes.last_mut() {
                (change.from, change.to) = (from, to);
            }
        } else if let Some(ranges) = line.strip_prefix(b"@@ -") {
            let hunk = self.hunk(ranges)?;
            self.changes.last_mut().ok_or_else(|| wrong("a hunk has no file"))?.hunks.push(hunk);
        } else if let Some(change) = self.changes.last_mut() {
            change.extended_header(line)?;
        }
        Ok(())
    }

    /// The lines of a hunk. `ranges`: what stands behind `@@ -`.
    fn hunk(&mut self, ranges: &[u8]) -> Result<Hunk> {
        let text = String::from_utf8_lossy(ranges);
        let mut fields = text.split(' ');
        let (old, new) =
            (fields.next().and_then(range), fields.next().and_then(|field| range(field.strip_prefix('+')?)));
        let (Some((start, mut old)), Some((_, mut new))) = (old, new) else {
            return Err(wrong("a hunk has no line numbers"));
        };
        let mut hunk = Hunk { start, lines: Vec::new() };
        while old > 0 || new > 0 {
            let line = self.next().ok_or_else(|| wrong("a hunk ends too early"))?;
            // Editors take the space off empty context lines.
            let (kind, text) = match line.first() {
                Some(&kind @ (b' ' | b'-' | b'+')) => (kind, line[1..].to_vec()),
                Some(b'\n' | b'\r') => (b' ', line.to_vec()),
                Some(b'\\') => {
                    no_newline(&mut hunk);
                    continue;
                }
                _ => return Err(wrong("a hunk ends too early")),
            };
            let counts = match kind {
                b' ' => [&mut old, &mut new].map(Some),
                b'-' => [Some(&mut old), None],
                _ => [Some(&mut new), None],
            };
            for count in counts.into_iter().flatten() {
                *count = count.checked_sub(1).ok_or_else(|| wrong("a hunk has more lines than it says"))?;
            }
            hunk.lines.push(Line { kind, text });
        }
        if self.peek().is_some_and(|line| line.starts_with(b"\\")) {
            self.at += 1;
            no_newline(&mut hunk);
        }
        Ok(hunk)
    }
}

/// The change that a `diff --git` line begins. Names without spaces can be had from it (for a change of the mode alone); the lines
/// below are the authority.
fn change_of(names: &[u8]) -> Change {
    let names = String::from_utf8_lossy(names);
    let names = names.trim_end_matches(['\r', '\n']);
    // If both names are the same, the middle is between them, whatever spaces they hold.
    let middle = names.len() / 2;
    let same = names.len() % 2 == 1
        && names.as_bytes()[middle] == b' '
        && names.get(..middle).map(|name| name.replacen("a/", "b/", 1)).as_deref() == names.get(middle + 1..);
    let sides = if same { Some((&names[..middle], &names[middle + 1..])) } else { names.split_once(' ') };
    let name = |side: &str| file_name(side.as_bytes()).ok().flatten();
    sides.map_or_else(Change::default, |(from, to)| Change { from: name(from), to: name(to), ..Change::default() })
}

impl Change {
    /// A line between `diff --git` and the first hunk. Lines of other kinds mean nothing.
    fn extended_header(&mut self, line: &[u8]) -> Result<()> {
        let mode = || {
            let text = String::from_utf8_lossy(line);
            text.trim_end().rsplit(' ').next().and_then(|mode| u32::from_str_radix(mode, 8).ok())
        };
        if line.starts_with(b"new file mode ") {
            (self.from, self.mode) = (None, mode());
            if self.mode.is_some_and(|mode| mode & 0o170_000 != 0o100_000) {
                return Err(wrong("it adds something that is no file"));
            }
        } else if line.starts_with(b"deleted file mode ") {
            self.to = None;
        } else if line.starts_with(b"new mode ") {
            self.mode = mode();
        } else if let Some(name) = line.strip_prefix(b"rename from ") {
            self.from = file_name(name)?;
        } else if let Some(name) = line.strip_prefix(b"rename to ") {
            self.to = file_name(name)?;
        }
        Ok(())
    }
}

/// `\ No newline at end of file` is about the line before it.
fn no_newline(hunk: &mut Hunk) {
    if let Some(line) = hunk.lines.last_mut()
        && line.text.ends_with(b"\n")
    {
        line.text.pop();
    }
}

/// A line without the CR before its end.
fn without_cr(line: &[u8]) -> impl Iterator<Item = &u8> {
    let end = line.strip_suffix(b"\n").unwrap_or(line);
    let body = end.strip_suffix(b"\r").unwrap_or(end);
    body.iter().chain(&line[end.len()..])
}

/// Whether a patch can be read.
///
/// # Errors
/// It is malformed, or holds what cannot be applied.
pub(crate) fn check(patch: &[u8]) -> Result<()> {
    parse(patch).map(|_| ())
}

/// The new content of a file. A hunk that does not fit at its line is looked for before and after it, as git does.
fn apply(old: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, usize> {
    let lines: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
    let mut out = Vec::with_capacity(old.len() + 256);
    let mut next = 0usize;
    let mut shift = 0isize;
    for (number, hunk) in hunks.iter().enumerate() {
        let before: Vec<&[u8]> =
            hunk.lines.iter().filter(|line| line.kind != b'+').map(|line| line.text.as_slice()).collect();
        let stated = if before.is_empty() { hunk.start } else { hunk.start.saturating_sub(1) };
        let expected = usize::try_from(stated as isize + shift).unwrap_or(0);
        // A patch may have been made without regard to CR at the ends of lines.
        let fits = |at: usize| {
            at >= next
                && lines.get(at..at + before.len()).is_some_and(|found| {
                    found.iter().zip(&before).all(|(a, b)| a == b || without_cr(a).eq(without_cr(b)))
                })
        };
        let found = (0..=lines.len())
            .flat_map(|away| [expected.checked_add(away), expected.checked_sub(away)])
            .flatten()
            .find(|&at| fits(at))
            .ok_or(number + 1)?;
        shift += found as isize - expected as isize;
        lines[next..found].iter().for_each(|line| out.extend_from_slice(line));
        let mut theirs = found;
        for line in &hunk.lines {
            match line.kind {
                b'+' => out.extend_from_slice(&line.text),
                kind => {
                    if kind == b' ' {
                        out.extend_from_slice(lines[theirs]);
                    }
                    theirs += 1;
                }
            }
        }
        next = found + before.len();
    }
    lines[next..].iter().for_each(|line| out.extend_from_slice(line));
    Ok(out)
}

fn read(at: BorrowedFd<'_>, path: &str) -> Result<Vec<u8>, Errno> {
    let file = rustix::fs::openat(at, path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty())?;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match rustix::io::read(&file, &mut buffer)? {
            0 => return Ok(bytes),
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// The patched copy of a package: its key below the cache and its directory. It is made where it is not there yet.
///
/// # Errors
/// The patch cannot be read, is malformed or does not apply; the error names the file and the hunk.
pub(crate) fn ensure(store: &Store, plan: &Plan, id: PackageId, base: &Source) -> Result<(String, Source)> {
    let package = &plan.packages[id as usize];
    let path = plan.root.join(plan.str(package.patch));
    let named = |error: Error| error.package(plan.str(package.name), plan.str(package.version));
    let label = || format!("{}@{}", plan.str(package.name), plan.str(package.version));
    let patch = std::fs::read(&path).map_err(|error| {
        if error.kind() != std::io::ErrorKind::NotFound {
            return named(Error::io("Could not read the patch", &path, error));
        }
        let label = label();
        Error::new(Code::Io, format!("patch file not found: '{}'", plan.str(package.patch))).hint(format!(
            "to recreate it from the patched package in node_modules, run `bao patch --commit {label}`; to install without \
             the patch, remove \"{label}\" from \"patchedDependencies\" in package.json"
        ))
    })?;
    let cache_dir = plan.str(package.cache_dir);
    let hash = crate::lockfile::wyhash(&patch);
    let key = format!("{cache_dir}_patch_hash={hash:016x}");
    if let Lookup::Ready(found) = store.lookup(&key) {
        return Ok((key, found));
    }
    let changes = parse(&patch).map_err(|mut error| {
        error.message = format!("{} ({})", error.message, path.display());
        named(error)
    })?;
    let from = store.open_package(cache_dir, base)?;
    let (names, links) = store.names(cache_dir, base)?;
    let done = store.stage(&key, |root| {
        let io = |error: Errno| Error::io("Could not write the patched package", &path, std::io::Error::from(error));
        let touched: Vec<&str> = changes.iter().filter_map(|change| change.from.as_deref()).collect();
        for dir in extract::dirs(names.dirs()) {
            rustix::fs::mkdirat(root, dir, Mode::from_raw_mode(0o755)).map_err(io)?;
        }
        let manifest = names.manifest().then_some(c"package.json");
        for name in extract::files(names.files()).map(|(_, name)| name).chain(manifest) {
            if !touched.iter().any(|path| path.as_bytes() == name.to_bytes()) {
                rustix::fs::linkat(&from, name, root, name, AtFlags::empty()).map_err(io)?;
            }
        }
        for (name, target) in &links {
            rustix::fs::symlinkat(target, root, name).map_err(io)?;
        }
        for change in &changes {
            change_file(from.as_fd(), root, change).map_err(|why| {
                let file = change.from.as_deref().or(change.to.as_deref()).unwrap_or_default();
                named(Error::new(Code::Parse, format!("The patch {} does not apply to {file}: {why}", path.display())).hint(
                    "the package may have changed since the patch was made; make it anew with `bao patch` and `bao patch --commit`",
                ))
            })?;
        }
        // Which patch it is, for people and for the next `patch --commit`.
        let tag = CString::new(format!(".bun-tag-{hash:016x}")).unwrap_or_default();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        rustix::fs::openat(root, &tag, flags, Mode::from_raw_mode(0o644)).map_err(io)?;
        // Read back: the stage's listing has to be what is there now.
        let dir = fs::open_dir(root, c".").map_err(io)?;
        let (listing, _): (Listing, _) = fs::walk(dir.as_fd(), &[]).map_err(io)?;
        Ok(listing)
    })?;
    Ok((key, done))
}

fn change_file(from: BorrowedFd<'_>, root: BorrowedFd<'_>, change: &Change) -> Result<(), String> {
    let text = |error: Errno| std::io::Error::from(error).to_string();
    let (old, mode) = match &change.from {
        Some(path) => {
            let mode =
                rustix::fs::statat(from, path.as_str(), AtFlags::SYMLINK_NOFOLLOW).map_err(text)?.st_mode & 0o777;
            (read(from, path).map_err(text)?, mode)
        }
        None => (Vec::new(), 0o644),
    };
    let new = apply(&old, &change.hunks).map_err(|number| {
        let line = change.hunks[number - 1].start;
        format!("hunk #{number} does not apply (expected at line {line})")
    })?;
    // git leaves the content out where it was asked to.
    if change.to.is_none() && change.hunks.is_empty() {
        return Ok(());
    }
    let Some(to) = &change.to else {
        return if new.is_empty() { Ok(()) } else { Err("it deletes the file, which has other content".into()) };
    };
    if let Some((dir, _)) = to.rsplit_once('/') {
        fs::make_dirs(root, dir).map_err(text)?;
    }
    let path = CString::new(to.as_str()).map_err(|_| "its name holds a NUL".to_owned())?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mode = change.mode.map_or(mode, |mode| if mode & 0o111 == 0 { 0o644 } else { 0o755 });
    let file = rustix::fs::openat(root, &path, flags, Mode::from_raw_mode(mode)).map_err(text)?;
    write_all(file.as_fd(), &new).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_adds_deletes() {
        let patch = b"diff --git a/index.js b/index.js\nindex 1..2 100644\n--- a/index.js\n+++ b/index.js\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\
diff --git a/new.js b/new.js\nnew file mode 100755\n--- /dev/null\n+++ b/new.js\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n\
diff --git a/old.js b/old.js\ndeleted file mode 100644\n--- a/old.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        let changes = parse(patch).expect("parses");
        assert_eq!(changes.len(), 3);
        let bare = parse(b"diff --git a/bin it.js b/bin it.js\ndeleted file mode 100755\nindex 1..0\ndiff --git a/e f b/e f\nnew file mode 100644\nindex 0..1\n").expect("parses");
        assert_eq!((bare[0].from.as_deref(), bare[0].to.as_deref()), (Some("bin it.js"), None));
        assert_eq!((bare[1].from.as_deref(), bare[1].to.as_deref()), (None, Some("e f")));
        assert_eq!(apply(b"a\r\nb\r\nc\r\n", &changes[0].hunks), Ok(b"a\r\nB\nc\r\n".to_vec()));
        assert!(parse(b"diff --git a/l b/l\nnew file mode 120000\n").is_err());
        assert_eq!(apply(b"a\nb\nc\n", &changes[0].hunks), Ok(b"a\nB\nc\n".to_vec()));
        // Found two lines further down.
        assert_eq!(apply(b"0\n0\na\nb\nc\n", &changes[0].hunks), Ok(b"0\n0\na\nB\nc\n".to_vec()));
        assert_eq!(apply(b"a\nq\nc\n", &changes[0].hunks), Err(1));
        assert_eq!(
            (changes[1].from.as_deref(), changes[1].to.as_deref(), changes[1].mode),
            (None, Some("new.js"), Some(0o100_755))
        );
        assert_eq!(apply(b"", &changes[1].hunks), Ok(b"x".to_vec()));
        assert_eq!((changes[2].from.as_deref(), changes[2].to.as_deref()), (Some("old.js"), None));
    }

    #[test]
    fn refuses_ways_out() {
        for name in ["../x", "/etc/passwd", "a/../../x"] {
            let patch = format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n");
            assert!(parse(patch.replace("a//", "/").replace("b//", "/").as_bytes()).is_err(), "{name}");
        }
        assert!(parse(b"hello").is_err());
    }
}
