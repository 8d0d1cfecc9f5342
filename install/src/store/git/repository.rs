//! Bare repositories in the cache and checkouts of commits.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Code, Error, Result};
use crate::store::git::process::{self, Failure, git};
use crate::store::git::url::{attempts, masked};
use crate::store::tarball::extract::{Listing, write_all};
use crate::store::{Store, fs};
use semver::{Range, Version};

/// What is wanted of a repository.
#[derive(Clone, Debug)]
pub(crate) enum Want {
    /// What stands after `#`: a branch, a tag, a commit, `semver:<range>`; empty for the default branch.
    Reference(String),
    /// The commit of a lockfile.
    Commit(String),
}

/// A piece of work for a [`super::Pool`].
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// As [`super::canonical`] gives it.
    pub url: String,
    pub want: Want,
    /// Name of the dependency, for messages.
    pub name: String,
    /// The network must not be used.
    pub offline: bool,
    /// What is in the cache will do.
    pub prefer_cache: bool,
    /// Longest time without a sign of life from git.
    pub patience: Duration,
}

/// A commit whose files are in the store as `@G@<commit>`.
#[derive(Clone, Debug)]
pub(crate) struct Checkout {
    pub commit: String,
    pub package_json: Option<Vec<u8>>,
    /// A binding.gyp is there: npm's default install script builds it.
    pub gyp: bool,
}

/// Folder of a commit below the cache.
pub(super) fn cache_dir(commit: &str) -> String {
    format!("@G@{commit}")
}

/// A whole commit id.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Longest wait for another process that works in the same repository.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(900);

/// Brings a commit into the store, with as few calls of git as possible: none where the commit is known and its files are there, no
/// network where the commit is known and the bare repository has it.
///
/// # Errors
/// git is not installed, the repository cannot be reached or has no such commit, the file system refused something.
pub(crate) fn obtain(store: &Store, job: &Job) -> Result<Checkout> {
    let known = match &job.want {
        Want::Commit(commit) => Some(commit.clone()),
        Want::Reference(reference) => is_commit(reference).then(|| reference.clone()),
    };
    if let Some(commit) = &known
        && store.contains(&cache_dir(commit))
    {
        return found(store, commit);
    }
    let bare = Bare::open(store, job)?;
    let commit = match known {
        Some(commit) => {
            if bare.exists() && bare.checkout(store, job, &commit)? {
                return found(store, &commit);
            }
            bare.ensure(job, || Ok(false))?;
            commit
        }
        None => {
            let Want::Reference(reference) = &job.want else { return Err(no_commit(job, "")) };
            let prefer = job.offline || job.prefer_cache;
            bare.ensure(job, || Ok(prefer && bare.resolve(job, reference)?.is_some()))?;
            bare.resolve(job, reference)?.ok_or_else(|| no_commit(job, reference))?
        }
    };
    if !store.contains(&cache_dir(&commit)) && !bare.checkout(store, job, &commit)? {
        return Err(no_commit(job, &commit));
    }
    found(store, &commit)
}

fn found(store: &Store, commit: &str) -> Result<Checkout> {
    let dir = cache_dir(commit);
    let package_json = store.read_file(&dir, "package.json")?;
    Ok(Checkout { commit: commit.to_owned(), package_json, gyp: store.has_file(&dir, "binding.gyp") })
}

fn named(error: Error, job: &Job) -> Error {
    let want = match &job.want {
        Want::Reference(text) | Want::Commit(text) if !text.is_empty() => format!("#{text}"),
        _ => String::new(),
    };
    error.package(&job.name, "").url(format!("git+{}{want}", masked(&job.url)))
}

fn no_commit(job: &Job, reference: &str) -> Error {
    let message = format!("no commit matching \"{reference}\" found for \"{}\" (but repository exists)", job.name);
    named(
        Error::new(Code::NoVersion, message)
            .hint("what follows # must be a branch, a tag, a commit of the repository, or semver:<range>"),
        job,
    )
}

/// An error for a git command that failed.
fn failed(what: &str, failure: Failure, job: &Job) -> Error {
    let error = match failure {
        Failure::Spawn(error) => {
            let missing = error.kind() == std::io::ErrorKind::NotFound;
            let error = Error::new(Code::Io, "git could not be started").cause(error);
            if missing {
                error.hint("git dependencies need git: install it and see that it is on the PATH")
            } else {
                error
            }
        }
        Failure::Silent(patience) => Error::new(
            Code::Network,
            format!("\"git {what}\" for \"{}\" said nothing for {} s", job.name, patience.as_secs()),
        )
        .hint("check that the host can be reached; BUN_CONFIG_HTTP_IDLE_TIMEOUT=<seconds> waits longer"),
        Failure::Differs(_) => Error::new(Code::Network, format!("\"git {what}\" for \"{}\" failed", job.name)),
        Failure::Exit(said) => {
            let said = said.replace(&job.url, &masked(&job.url));
            let hint = hint(&said);
            Error::new(Code::Network, format!("\"git {what}\" for \"{}\" failed", job.name)).cause(said).hint(hint)
        }
    };
    named(error, job)
}

/// What to try, by what git said.
fn hint(said: &str) -> &'static str {
    let has = |text: &str| said.contains(text);
    if has("terminal prompts disabled") || has("Authentication failed") || has("could not read Username") {
        "the repository wants credentials: set up a git credential helper, or use a git+ssh:// URL with a key"
    } else if has("Permission denied (publickey") || has("Host key verification failed") {
        "ssh was refused: check `ssh -T git@<host>`, that the key is loaded (ssh-add), or use a git+https:// URL"
    } else if has("dubious ownership") {
        "the repository belongs to another user: git config --global --add safe.directory <path>"
    } else if has("Could not resolve host") || has("Connection refused") || has("timed out") {
        "check the host's name and the network; a proxy is set with https_proxy"
    } else if has("not found") || has("does not exist") || has("does not appear to be a git repository") {
        "check the URL's spelling; a private repository that the credentials do not reach is \"not found\" too"
    } else if has("No space left") {
        "free some space, or choose another cache with --cache-dir or BUN_INSTALL_CACHE_DIR"
    } else {
        "try `git ls-remote` with the same URL"
    }
}

/// The bare repository of a URL.
struct Bare {
    path: PathBuf,
    /// Where a new one is made; the same file system as `path`.
    staging: PathBuf,
}

/// Keeps other installs out of a repository until it is dropped: the lock belongs to the descriptor.
struct RepositoryLock(
    #[allow(dead_code, reason = "held for its lock, which ends with the descriptor")] Option<std::os::fd::OwnedFd>,
);

impl Bare {
    fn open(store: &Store, job: &Job) -> Result<Self> {
        let name = format!("{:016x}.git", crate::model::string_arena::hash(&job.url));
        let staging = store.staging_path()?;
        let here = store.path().join(&name);
        // Where the cache cannot be written to, a repository that is not in it goes beside what is unpacked.
        let writable = staging.starts_with(store.path());
        let path = if writable || here.join("HEAD").exists() {
            here
        } else {
            staging.parent().map_or_else(|| here.clone(), |dir| dir.join(&name))
        };
        Ok(Self { path, staging })
    }

    fn exists(&self) -> bool {
        self.path.join("HEAD").exists()
    }

    fn command(&self) -> Command {
        let mut command = git();
        command.arg("--git-dir").arg(&self.path);
        command
    }

    /// Clones or fetches, unless `enough` finds that the repository has what is wanted.
    fn ensure(&self, job: &Job, enough: impl Fn() -> Result<bool>) -> Result<()> {
        if self.exists() && enough()? {
            return Ok(());
        }
        if job.offline {
            let what = if self.exists() { "the commit" } else { "the repository" };
            let error =
                Error::new(Code::Network, format!("{what} is not in the cache")).hint("run once without --offline");
            return Err(named(error, job));
        }
        if !self.exists() {
            return self.clone_bare(job);
        }
        let _turn = self.lock()?;
        if enough()? { Ok(()) } else { self.fetch(job) }
    }

    fn lock(&self) -> Result<RepositoryLock> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(dir) = rustix::fs::open(&self.path, flags, Mode::empty()) else { return Ok(RepositoryLock(None)) };
        let start = Instant::now();
        while let Err(error) = rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive) {
            if !matches!(error, Errno::AGAIN | Errno::INTR) {
                return Ok(RepositoryLock(None));
            }
            if start.elapsed() > MAX_LOCK_WAIT {
                let path = self.path.display();
                return Err(Error::new(
                    Code::Io,
                    format!("Another install has been fetching into {path} for 15 minutes"),
                )
                .hint("end that process, then try again"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(RepositoryLock(Some(dir)))
    }

    /// Calls `one` with each way to reach the repository until one works.
    fn each_attempt(
        &self,
        job: &Job,
        first: Option<String>,
        one: impl Fn(Command, &str) -> Command,
        what: &str,
    ) -> Result<()> {
        let mut urls = attempts(&job.url);
        if let Some(at) = first.and_then(|first| urls.iter().position(|url| *url == first)) {
            urls.swap(0, at);
        }
        let mut error = None;
        for url in urls {
            let mut command = git();
            // A transfer that stalls is given up by git itself, too: it then says why.
            let seconds = job.patience.as_secs().max(1);
            command.arg("-c").arg("http.lowSpeedLimit=1").arg("-c").arg(format!("http.lowSpeedTime={seconds}"));
            if !url.starts_with("http") && !url.starts_with("file:") && !url.starts_with("git:") {
                ssh(&mut command, job.patience);
            }
            match process::run(one(command, &url), job.patience) {
                Ok(_) => return Ok(()),
                Err(failure) => error = Some(failed(what, failure, job)),
            }
        }
        Err(error.unwrap_or_else(|| no_commit(job, "")))
    }

    fn clone_bare(&self, job: &Job) -> Result<()> {
        let result = self.each_attempt(
            job,
            None,
            |mut command, url| {
                let _ = std::fs::remove_dir_all(&self.staging);
                command.args(["clone", "--bare", "--progress", "--template=", "--"]).arg(url).arg(&self.staging);
                command
            },
            "clone",
        );
        let result = result.and_then(|()| match std::fs::rename(&self.staging, &self.path) {
            // Another process was first.
            Err(_) if self.exists() => Ok(()),
            result => {
                result.map_err(|error| Error::io("Could not put the repository into the cache as", &self.path, error))
            }
        });
        let _ = std::fs::remove_dir_all(&self.staging);
        result
    }

    /// All branches and tags, and the remote's idea of the default branch, are brought up to date.
    fn fetch(&self, job: &Job) -> Result<()> {
        let result = self.each_attempt(
            job,
            self.origin(),
            |mut command, url| {
                command.arg("--git-dir").arg(&self.path);
                command.args(["fetch", "--progress", "--prune", "--no-recurse-submodules", "--"]);
                command.arg(url);
                command.args([
                    "+HEAD*:refs/remotes/origin/HEAD*",
                    "+refs/heads/*:refs/heads/*",
                    "+refs/tags/*:refs/tags/*",
                ]);
                command
            },
            "fetch",
        );
        let lines = |error: &Error| error.cause.as_deref().unwrap_or_default().to_owned();
        match result {
            // A cache that cannot be written to: the repository is cloned beside it.
            Err(error)
                if ["Permission denied", "Read-only file system", "insufficient permission"]
                    .iter()
                    .any(|text| lines(&error).contains(text) && !lines(&error).contains("publickey")) =>
            {
                Err(error.hint(
                    "the cache cannot be written to: choose another one with --cache-dir or BUN_INSTALL_CACHE_DIR",
                ))
            }
            result => result,
        }
    }

    /// The URL that worked when the repository was cloned.
    fn origin(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.path.join("config")).ok()?;
        let url = text.lines().find_map(|line| line.trim().strip_prefix("url = "))?;
        Some(url.trim_matches('"').to_owned())
    }

    fn ask(&self, job: &Job, arguments: &[&str]) -> Result<Option<String>> {
        let mut command = self.command();
        command.args(arguments);
        match process::run(command, job.patience) {
            Ok(out) => Ok(Some(String::from_utf8_lossy(&out).trim().to_owned()).filter(|out| !out.is_empty())),
            Err(Failure::Exit(_) | Failure::Differs(_)) => Ok(None),
            Err(failure) => Err(failed(arguments[0], failure, job)),
        }
    }

    /// The commit that a reference means, in what the repository has now.
    fn resolve(&self, job: &Job, reference: &str) -> Result<Option<String>> {
        let commit = |name: &str| -> Result<Option<String>> {
            // Never an option, whatever package.json says.
            if name.starts_with('-') {
                return Ok(None);
            }
            let out = self.ask(job, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])?;
            Ok(out.filter(|out| is_commit(out)))
        };
        if reference.is_empty() {
            let head = commit("refs/remotes/origin/HEAD")?;
            return if head.is_some() { Ok(head) } else { commit("HEAD") };
        }
        if let Some(range) = reference.strip_prefix("semver:") {
            let tags = self.ask(job, &["for-each-ref", "--format=%(refname)", "refs/tags/"])?.unwrap_or_default();
            return match best_tag(tags.lines(), range) {
                Some(tag) => commit(tag),
                None => Ok(None),
            };
        }
        commit(reference)
    }

    /// Writes the files of a commit into the store; false where the repository has no such commit.
    fn checkout(&self, store: &Store, job: &Job, commit: &str) -> Result<bool> {
        let mut list = self.command();
        list.args(["ls-tree", "-r", "-z", commit]);
        let list = match process::run(list, job.patience) {
            Err(Failure::Exit(_) | Failure::Differs(_)) => return Ok(false),
            list => list.map_err(|failure| failed("ls-tree", failure, job))?,
        };
        store.stage_at(&cache_dir(commit), |root, path| {
            let index = path.with_extension("index");
            let mut restore = self.command();
            restore
                .arg("--work-tree")
                .arg(path)
                .args(["-c", "core.symlinks=false", "restore", "--quiet", "--worktree"])
                .arg(format!("--source={commit}"))
                .args(["--", "."])
                .env("GIT_INDEX_FILE", &index)
                .current_dir(path);
            let restored = process::run(restore, job.patience);
            let _ = std::fs::remove_file(&index);
            restored.map_err(|failure| failed("restore", failure, job))?;
            let tree = Tree::parse(&list);
            let io = |error: std::io::Error| Error::io("Could not write the checkout", path, error);
            tree.replace_links(path).map_err(io)?;
            finish(root, commit).map_err(|error| io(error.into()))
        })?;
        Ok(true)
    }
}

/// Takes out what no package has, writes `.bun-tag`, and lists what is left.
fn finish(root: BorrowedFd<'_>, commit: &str) -> Result<Listing, Errno> {
    fs::remove(root, c"node_modules")?;
    fs::remove(root, c".git")?;
    fs::remove(root, c".bun-tag")?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let tag = rustix::fs::openat(root, c".bun-tag", flags, Mode::from_raw_mode(0o644))?;
    write_all(tag.as_fd(), commit.as_bytes()).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let dir = fs::open_dir(root, c".")?;
    Ok(fs::walk(dir.as_fd(), &[])?.0)
}

/// ssh as it is to be called, unless the user has said otherwise.
fn ssh(command: &mut Command, patience: Duration) {
    if ["GIT_SSH_COMMAND", "GIT_SSH"].iter().any(|name| std::env::var_os(name).is_some()) {
        return;
    }
    let mut config = git();
    config.args(["config", "--get", "core.sshCommand"]);
    if process::run(config, patience).is_ok() {
        return;
    }
    let seconds = patience.as_secs().clamp(1, 60);
    command.env(
        "GIT_SSH_COMMAND",
        format!("ssh -oStrictHostKeyChecking=accept-new -oBatchMode=yes -oConnectTimeout={seconds}"),
    );
}

/// Of tags that end in a version (`v1.2.3`, `pkg-1.2.3`) the highest whose version is in the range.
fn best_tag<'t>(tags: impl Iterator<Item = &'t str>, range: &str) -> Option<&'t str> {
    let range = Range::parse(range)?;
    let version = |tag: &'t str| {
        let start = tag
            .char_indices()
            .find(|(at, char)| {
                char.is_ascii_digit()
                    && !tag[..*at].ends_with(|before: char| before.is_ascii_digit() || before == '.')
                    && Version::parse(&tag[*at..]).is_some()
            })?
            .0;
        Version::parse(&tag[start..])
    };
    tags.filter_map(|tag| Some((version(tag)?, tag)))
        .filter(|(version, _)| range.contains(version))
        .max_by(|a, b| a.0.order(&b.0))
        .map(|(_, tag)| tag)
}

/// Files of a commit: path and whether it is a link, a file or one that is executable.
struct Tree<'a> {
    entries: BTreeMap<&'a [u8], u32>,
}

impl<'a> Tree<'a> {
    /// Reads `git ls-tree -r -z`.
    fn parse(list: &'a [u8]) -> Self {
        let mut entries = BTreeMap::new();
        for line in list.split(|byte| *byte == 0) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
            let mode = std::str::from_utf8(&line[..tab]).ok().and_then(|head| head.split(' ').next());
            if let Some(mode) = mode.and_then(|mode| u32::from_str_radix(mode, 8).ok()) {
                entries.insert(&line[tab + 1..], mode);
            }
        }
        Self { entries }
    }

    /// git wrote links as files that hold their targets. Those that lead to a file of the commit become a copy of it, the others go:
    /// a link could lead anywhere once the files are in a project.
    fn replace_links(&self, root: &Path) -> std::io::Result<()> {
        let file = |path: &[u8]| root.join(OsStr::from_bytes(path));
        let mut targets: BTreeMap<&[u8], Vec<u8>> = BTreeMap::new();
        for (path, _) in self.entries.iter().filter(|(_, mode)| **mode == 0o120_000) {
            targets.insert(path, std::fs::read(file(path))?);
        }
        let plans: Vec<(&[u8], Option<Vec<u8>>)> =
            targets.keys().map(|path| (*path, self.follow(path, &targets, &mut 0))).collect();
        for (path, target) in plans {
            std::fs::remove_file(file(path))?;
            if let Some(target) = target {
                std::fs::copy(file(&target), file(path))?;
            }
        }
        Ok(())
    }

    /// The file of the commit that the link at `path` leads to.
    fn follow(&self, path: &[u8], targets: &BTreeMap<&[u8], Vec<u8>>, steps: &mut u32) -> Option<Vec<u8>> {
        let end = self.walk(path, targets, steps)?;
        matches!(self.entries.get(end.as_slice()), Some(0o100_644 | 0o100_755 | 0o100_664)).then_some(end)
    }

    fn walk(&self, path: &[u8], targets: &BTreeMap<&[u8], Vec<u8>>, steps: &mut u32) -> Option<Vec<u8>> {
        let mut done: Vec<u8> = Vec::new();
        // Parts still to come, the next one last.
        let mut left: Vec<&[u8]> = path.split(|byte| *byte == b'/').rev().collect();
        while let Some(part) = left.pop() {
            match part {
                b"" | b"." => continue,
                b".." => {
                    if done.is_empty() {
                        return None;
                    }
                    let end = done.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                    done.truncate(end);
                    continue;
                }
                _ => {}
            }
            let before = done.len();
            if before > 0 {
                done.push(b'/');
            }
            done.extend_from_slice(part);
            if let Some(target) = targets.get(done.as_slice()) {
                *steps += 1;
                if *steps > 40 || target.is_empty() || target[0] == b'/' || target.contains(&0) {
                    return None;
                }
                done.truncate(before);
                left.extend(target.split(|byte| *byte == b'/').rev());
            }
        }
        Some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_by_range() {
        let tags =
            ["refs/tags/v1.0.0", "refs/tags/1.2.0", "refs/tags/pkg-1.10.0", "refs/tags/v2.0.0-rc.1", "refs/tags/x1"];
        let best = |range| best_tag(tags.iter().copied(), range);
        assert_eq!(best("^1.0.0"), Some("refs/tags/pkg-1.10.0"));
        assert_eq!(best("~1.2"), Some("refs/tags/1.2.0"));
        assert_eq!(best("^3"), None);
    }

    #[test]
    fn links_lead_to_files_of_the_commit() {
        let modes =
            b"100644 blob a\tdir/f.txt\x00120000 blob a\tfile\x00120000 blob a\tdirlink\x00120000 blob a\tthrough\x00\
120000 blob a\tloop\x00120000 blob a\tout\x00120000 blob a\tdir/up\x00";
        let tree = Tree::parse(modes);
        let targets: BTreeMap<&[u8], Vec<u8>> = [
            (&b"file"[..], &b"dir/f.txt"[..]),
            (b"dirlink", b"dir"),
            (b"through", b"dirlink/../dirlink/f.txt"),
            (b"loop", b"loop"),
            (b"out", b"../f.txt"),
            (b"dir/up", b"../file"),
        ]
        .into_iter()
        .map(|(path, target)| (path, target.to_vec()))
        .collect();
        let follow = |path: &[u8]| tree.follow(path, &targets, &mut 0);
        for path in [&b"file"[..], b"through", b"dir/up"] {
            assert_eq!(follow(path).as_deref(), Some(&b"dir/f.txt"[..]), "{}", path.escape_ascii());
        }
        for path in [&b"dirlink"[..], b"loop", b"out"] {
            assert_eq!(follow(path), None, "{}", path.escape_ascii());
        }
    }
}
