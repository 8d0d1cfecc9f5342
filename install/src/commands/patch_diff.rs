//! The difference of two folders as git writes it. Only what differs is given to `git diff --no-index`, in two folders that are called
//! `a` and `b`; so its output needs no more than the other side's name in the first line of a file that is new or gone.

use crate::error::{Code, Error, Result};
use crate::store::git::{Failure, git, run};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Files of a folder by relative path; symbolic links are `None`.
type Files = BTreeMap<String, Option<std::fs::Metadata>>;

fn list(dir: &Path, below: &str, out: &mut Files) -> Result<()> {
    let failed = |error| Error::io("cannot read", dir, error);
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().into_string().map_err(|name| {
            Error::new(Code::Usage, format!("the name {} is not UTF-8", name.display())).hint("a patch cannot hold it")
        })?;
        // Nested packages and the marks of package managers are not the package's.
        if below.is_empty() && (name == "node_modules" || name.starts_with(".bun-tag") || name == ".bao-patch") {
            continue;
        }
        let path = format!("{below}{name}");
        let metadata = entry.metadata().map_err(failed)?;
        if metadata.is_dir() {
            list(&entry.path(), &format!("{path}/"), out)?;
        } else {
            out.insert(path, metadata.is_file().then_some(metadata));
        }
    }
    Ok(())
}

fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.mode() & 0o100 != 0
}

/// Whether two files are the same for git: content and the bit for executing.
fn same(old: &Path, a: &std::fs::Metadata, new: &Path, b: &std::fs::Metadata) -> std::io::Result<bool> {
    if is_executable(a) != is_executable(b) {
        return Ok(false);
    }
    if (a.dev(), a.ino()) == (b.dev(), b.ino()) {
        return Ok(true);
    }
    Ok(a.len() == b.len() && std::fs::read(old)? == std::fs::read(new)?)
}

/// The patch that makes `original` into `edited`; empty where they are equal.
///
/// # Errors
/// git is missing, a binary file differs, a file cannot be read.
pub(super) fn diff(root: &Path, original: &Path, edited: &Path, shown: &str, patience: Duration) -> Result<Vec<u8>> {
    let (mut before, mut after) = (Files::new(), Files::new());
    list(original, "", &mut before)?;
    list(edited, "", &mut after)?;
    if let Some((name, _)) =
        after.iter().find(|(name, kind)| kind.is_none() && !matches!(before.get(*name), Some(None)))
    {
        return Err(Error::new(
            Code::Usage,
            format!("patches cannot contain symbolic links. found in {shown}: {name}"),
        )
        .hint("replace the link by a file, then commit again"));
    }
    let staging = Staging(root.join("node_modules").join(format!(".bao-patch-{}", std::process::id())));
    let _ = std::fs::remove_dir_all(&staging.0);
    let mut any = false;
    let mut put = |side: &str, from: &Path, name: &str| -> Result<()> {
        any = true;
        let to = staging.0.join(side).join(name);
        let failed = |error| Error::io("cannot copy", from, error);
        std::fs::create_dir_all(to.parent().unwrap_or(&staging.0)).map_err(failed)?;
        std::fs::copy(from.join(name), &to).map_err(failed)?;
        Ok(())
    };
    for (name, old) in &before {
        let Some(old) = old else { continue };
        match after.get(name) {
            Some(Some(new)) => {
                let equal = same(&original.join(name), old, &edited.join(name), new)
                    .map_err(|error| Error::io("cannot read", edited.join(name), error))?;
                if !equal {
                    put("a", original, name)?;
                    put("b", edited, name)?;
                }
            }
            _ => put("a", original, name)?,
        }
    }
    for (name, _) in after.iter().filter(|(name, kind)| kind.is_some() && !before.contains_key(*name)) {
        put("b", edited, name)?;
    }
    if !any {
        return Ok(Vec::new());
    }
    for side in ["a", "b"] {
        let dir = staging.0.join(side);
        std::fs::create_dir_all(&dir).map_err(|error| Error::io("cannot make", &dir, error))?;
    }
    let mut command = git();
    // The user's settings must not reach the file.
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", &staging.0)
        .env("XDG_CONFIG_HOME", &staging.0)
        .env("GIT_CEILING_DIRECTORIES", root.join("node_modules"))
        .env_remove("GIT_EXTERNAL_DIFF")
        .env_remove("GIT_DIFF_OPTS")
        .args([
            "-c",
            "core.safecrlf=false",
            "-c",
            "core.autocrlf=false",
            "-c",
            "core.quotePath=false",
            "diff",
            "--no-color",
            "--no-ext-diff",
        ])
        .args(["--src-prefix=", "--dst-prefix=", "--ignore-cr-at-eol", "--irreversible-delete", "--full-index"])
        .args(["--no-index", "a", "b"])
        .current_dir(&staging.0);
    match run(command, patience) {
        // Only ends of lines differ.
        Ok(_) => Ok(Vec::new()),
        Err(Failure::Differs(out)) => finish(&out, shown),
        Err(Failure::Spawn(error)) => {
            Err(Error::new(Code::Io, "git must be installed to use `bao patch --commit`").cause(error))
        }
        Err(Failure::Silent(_)) => Err(Error::new(Code::Io, "git did not end comparing the folders")),
        Err(Failure::Exit(said)) => Err(Error::new(Code::Io, "failed to make diff").cause(said)),
    }
}

/// Removed with its content, whatever happens.
struct Staging(PathBuf);

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Gives both sides of a file that is new or gone their names.
fn finish(out: &[u8], shown: &str) -> Result<Vec<u8>> {
    let mut text = Vec::with_capacity(out.len() + 256);
    // Lines of a hunk that are still to come, of the old and of the new file.
    let (mut old, mut new) = (0usize, 0usize);
    let mut binary = Vec::new();
    for line in out.split_inclusive(|byte| *byte == b'\n') {
        if old > 0 || new > 0 {
            match line.first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            text.extend_from_slice(line);
            continue;
        }
        if line.starts_with(b"@@ -") {
            let head = String::from_utf8_lossy(line).into_owned();
            let mut fields = head.split(' ').skip(1);
            let count = |field: Option<&str>| {
                field.and_then(|field| field[1..].split_once(',').map_or(Some(1), |(_, count)| count.parse().ok()))
            };
            (old, new) = (count(fields.next()).unwrap_or(0), count(fields.next()).unwrap_or(0));
        } else if line.starts_with(b"Binary files ") {
            binary.push(String::from_utf8_lossy(line).trim_end().to_owned());
        } else if let Some(rest) = line.strip_prefix(b"diff --git ") {
            text.extend_from_slice(b"diff --git ");
            text.extend_from_slice(&both_sides(rest));
            continue;
        }
        text.extend_from_slice(line);
    }
    if binary.is_empty() {
        return Ok(text);
    }
    let list = binary.join("\n  ");
    Err(Error::new(Code::Usage, format!("patches cannot contain binary file changes. found in {shown}:\n  {list}"))
        .hint("undo the changes to these files, then commit again"))
}

/// `a/x a/x` and `b/x b/x` are `a/x b/x`; names may be quoted and hold spaces.
fn both_sides(names: &[u8]) -> Vec<u8> {
    let mut out = names.to_vec();
    let length = names.len().saturating_sub(usize::from(names.ends_with(b"\n")));
    let half = length / 2;
    if length % 2 == 1 && names.get(half) == Some(&b' ') {
        let at = usize::from(names.first() == Some(&b'"'));
        let right = half + 1 + usize::from(names.get(half + 1) == Some(&b'"'));
        if names.get(at + 1) == Some(&b'/') && names.get(right + 1) == Some(&b'/') {
            (out[at], out[right]) = (b'a', b'b');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_have_names() {
        let text =
            b"diff --git b/new file b/new file\nnew file mode 100644\n--- /dev/null\n+++ b/new file\n@@ -0,0 +1,2 @@\n\
+diff --git b/x b/x\n+--- a\ndiff --git \"a/\\303\\244\" \"a/\\303\\244\"\ndeleted file mode 100644\n";
        let done = String::from_utf8(finish(text, "x").unwrap()).unwrap();
        assert!(done.starts_with("diff --git a/new file b/new file\n"));
        assert!(done.contains("\n+diff --git b/x b/x\n"));
        assert!(done.contains("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n"));
        assert!(finish(b"diff --git a/x b/x\nBinary files a/x and b/x differ\n", "x").is_err());
    }
}
