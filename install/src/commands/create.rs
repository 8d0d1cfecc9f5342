//! `create`: a new project from an npm package (`create-NAME`, run as `x` does), a GitHub repository, or a template on this machine.

use json::{Document, Value};

use super::exec::{self, Outcome};
use super::{foreground, install};
use crate::config::command_flags::{self, Flag};
use crate::config::{Config, Options, parse_args};
use crate::error::{Code, Error, Result};
use crate::model::spec::{Spec, split_argument};
use crate::net::Request;
use crate::project::{self, Project};
use crate::registry::session::Session;
use crate::store::tarball::extract;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tar::{Inflater, Limits};

const FLAGS: &[Flag] = &[
    ("no-install", '\0', false),
    ("no-git", '\0', false),
    ("no-package-json", '\0', false),
    ("open", '\0', false),
    ("help", 'h', false),
];

const USAGE: &str = "Usage:
  bao create <template> [...flags] dest
  bao create <github-org/repo> [...flags] dest

Flags (before or after the template, for templates of this machine and GitHub):
  --force              Overwrite files that are there
  --no-install         Do not install dependencies
  --ignore-scripts     Do not run the template's preinstall and postinstall
  --no-git             Do not make a git repository
  --open               Open the project's page in a browser when it is done

Environment variables:
  GITHUB_TOKEN         A token for private repositories and a higher rate limit
  GITHUB_API_DOMAIN    GitHub's API, where it is not api.github.com
  NPM_CLIENT           The program that installs dependencies, in place of bao
  BUN_CREATE_DIR       Templates of this user, in place of ~/.bun-create

Templates:
  npm                  Runs `bao x create-<template>` with the given arguments
  GitHub               Takes the files of a repository
  This machine         $BUN_CREATE_DIR/<name>, ./.bun-create/<name> or ~/.bun-create/<name>";

/// Where a template comes from.
enum Template {
    Local(PathBuf),
    GitHub {
        owner: String,
        repo: String,
        reference: String,
    },
    /// The package `create-…` with its version.
    Npm(String),
}

/// `vite@1` as `create-vite@1`, `@s/x` as `@s/create-x`, `@s` as `@s/create`.
fn package(name: &str) -> String {
    let Some(rest) = name.strip_prefix('@') else { return format!("create-{name}") };
    if let Some((scope, name)) = rest.split_once('/') {
        return format!("@{scope}/create-{name}");
    }
    match rest.split_once('@') {
        Some((scope, version)) => format!("@{scope}/create@{version}"),
        None => format!("@{rest}/create"),
    }
}

fn template(word: &str) -> Result<Template> {
    let component = [".tsx", ".jsx"].iter().any(|end| word.ends_with(end));
    if component && Path::new(word).is_file() {
        return Err(Error::new(
            Code::NotImplemented,
            format!("bao create {word}: projects around a component are not implemented yet"),
        )
        .hint("`bao init --react` makes a React project to put it into"));
    }
    if Path::new(word).is_absolute() && Path::new(word).is_dir() {
        return Ok(Template::Local(PathBuf::from(word)));
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let dirs = [
        std::env::var_os("BUN_CREATE_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from),
        std::env::current_dir().ok().map(|here| here.join(".bun-create")),
        Some(home.join(".bun-create")),
    ];
    // A name stays within the directory of templates.
    if !word.split('/').any(|part| matches!(part, "" | "." | ".."))
        && let Some(found) = dirs.into_iter().flatten().map(|dir| dir.join(word)).find(|dir| dir.is_dir())
    {
        return Ok(Template::Local(found));
    }
    let github = word.starts_with("https://")
        || word.starts_with("github:")
        || word.starts_with("github.com/")
        || (!word.starts_with('@') && word.contains('/'));
    if github {
        let text = word.strip_prefix("github.com/").unwrap_or(word);
        let text = text.trim_end_matches('/');
        // user/repo@ref is accepted beside user/repo#ref.
        let (text, at) = match text.rsplit_once('@') {
            Some((text, reference)) if !reference.contains(['/', ':']) => (text, reference),
            _ => (text, ""),
        };
        return match Spec::parse(text) {
            Spec::GitHub { owner, repo, reference } => Ok(Template::GitHub {
                owner: owner.to_owned(),
                repo: repo.to_owned(),
                reference: if at.is_empty() { reference } else { at }.to_owned(),
            }),
            _ => Err(Error::new(Code::Usage, format!("\"{word}\" is not a template"))
                .hint("a name, user/repo, or https://github.com/user/repo")),
        };
    }
    let (name, _) = split_argument(word);
    if name.is_empty() && !word.starts_with('@') {
        return Err(Error::new(Code::Usage, format!("\"{word}\" is not a template"))
            .hint("a name, user/repo, or https://github.com/user/repo"));
    }
    Ok(Template::Npm(package(word)))
}

/// `create`. `arguments` follow the command's name.
pub(crate) fn prepare(arguments: &[String]) -> Result<Outcome> {
    let first = arguments.iter().position(|word| !word.starts_with('-'));
    let Some(first) = first else {
        if arguments.iter().any(|word| word == "--help" || word == "-h") {
            crate::say!("{}", crate::ui::named(USAGE));
            return Ok(Outcome::Exit(0));
        }
        base::stderr_line!("{}", crate::ui::named(USAGE));
        // As Bun has it: only a command without anything is a mistake.
        return Ok(Outcome::Exit(u8::from(arguments.is_empty())));
    };
    if arguments[first].is_empty() {
        base::stderr_line!("{}", crate::ui::named(USAGE));
        return Ok(Outcome::Exit(0));
    }
    match template(&arguments[first])? {
        Template::Npm(package) => {
            // Flags before the template are those of `x`, what follows it belongs to the package.
            let mut words = arguments[..first].to_vec();
            words.push(package);
            words.extend_from_slice(&arguments[first + 1..]);
            exec::prepare(&words)
        }
        source => {
            let rest = [&arguments[..first], &arguments[first + 1..]].concat();
            from_files(&source, &arguments[first], &rest).map(Outcome::Exit)
        }
    }
}

/// Makes a project of a directory's or repository's files.
fn from_files(source: &Template, shown: &str, arguments: &[String]) -> Result<u8> {
    let start = Instant::now();
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    if own.has("help") {
        crate::say!("{}", crate::ui::named(USAGE));
        return Ok(0);
    }
    let options = super::enter(parse_args(&rest)?)?;
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let last = match source {
        Template::Local(dir) => dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        Template::GitHub { repo, .. } => repo.clone(),
        Template::Npm(package) => package.clone(),
    };
    let place = match options.positionals.as_slice() {
        [] => last,
        [place] => place.clone(),
        _ => return Err(Error::new(Code::Usage, "one destination at a time")),
    };
    let dest = here.join(&place);
    let config = Config::load(&here, &options)?;
    // All files are gathered beside the destination first: a template that cannot be read leaves nothing behind.
    let stage = Stage::new(&dest)?;
    match source {
        Template::Local(dir) => copy(dir, &stage.0)?,
        Template::GitHub { owner, repo, reference } => download(owner, repo, reference, &stage.0, &config)?,
        Template::Npm(_) => {}
    }
    let hidden = stage.0.join("gitignore");
    if hidden.is_file() && !stage.0.join(".gitignore").exists() {
        let _ = std::fs::rename(&hidden, stage.0.join(".gitignore"));
    }
    let mut files = Vec::new();
    walk(&stage.0, "", &mut files)?;
    let conflicts: Vec<&String> = files.iter().filter(|file| dest.join(file).symlink_metadata().is_ok()).collect();
    if !conflicts.is_empty() && !config.force {
        let list = conflicts.iter().take(20).map(|file| format!("\n    {file}")).collect::<String>();
        return Err(Error::new(
            Code::Usage,
            format!("The directory {place}/ contains files that could conflict:{list}"),
        )
        .hint("To overwrite them, use --force"));
    }
    let tasks = if own.has("no-package-json") { Tasks::default() } else { edit_manifest(&stage.0, &dest)? };
    for file in &files {
        let to = dest.join(file);
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Error::io("cannot make", parent, error))?;
        }
        std::fs::rename(stage.0.join(file), &to).map_err(|error| Error::io("cannot write", &to, error))?;
    }
    drop(stage);
    let has_manifest = dest.join("package.json").is_file();
    let quiet = config.silent;
    let run = |lines: &[String], name: &str| -> Result<()> {
        if config.ignore_scripts {
            return Ok(());
        }
        let text = project::read_manifest(&dest)?.unwrap_or_else(|| "{}".to_owned());
        let manifest = project::parse(&text, &dest.join("package.json"))?;
        for line in lines {
            foreground::run_line(&dest, &manifest, name, line, "create", quiet, &[])?;
        }
        Ok(())
    };
    run(&tasks.before, "preinstall")?;
    let mut installed = false;
    if has_manifest && !own.has("no-install") {
        install_in(&dest, &options)?;
        installed = true;
    }
    run(&tasks.after, "postinstall")?;
    let git = !own.has("no-git") && make_repository(&dest);
    crate::say!("\nCreated {shown} project successfully [{}]\n", crate::ui::elapsed(start));
    if git {
        crate::say!(
            "A local git repository was created for you{}.\n",
            if installed { " and dependencies were installed" } else { "" }
        );
    }
    crate::say!("# To get started, run:\n\n  cd {place}");
    if let Some(line) = tasks.start.as_ref().or(tasks.script.as_ref()) {
        crate::say!("  {line}");
    }
    if own.has("open")
        && let Some(line) = tasks.start.as_ref().or(tasks.script.as_ref())
    {
        return open(&dest, line);
    }
    Ok(0)
}

/// A directory that is removed at the end.
struct Stage(PathBuf);

impl Stage {
    fn new(dest: &Path) -> Result<Self> {
        let parent = dest.parent().unwrap_or(dest);
        std::fs::create_dir_all(parent).map_err(|error| Error::io("cannot make", parent, error))?;
        let path = parent.join(format!(".bao-create-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).map_err(|error| Error::io("cannot make", &path, error))?;
        Ok(Self(path))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Never part of a template.
const SKIPPED: &[&str] = &["node_modules", ".git", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"];

/// Copies a directory's files; links are copied as links.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in std::fs::read_dir(from).map_err(|error| Error::io("cannot read", from, error))? {
        let entry = entry.map_err(|error| Error::io("cannot read", from, error))?;
        let name = entry.file_name();
        if SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        let kind = entry.file_type().map_err(|error| Error::io("cannot read", &source, error))?;
        let failed = |error| Error::io("cannot copy", &source, error);
        if kind.is_dir() {
            std::fs::create_dir(&target).map_err(failed)?;
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            let link = std::fs::read_link(&source).map_err(failed)?;
            std::os::unix::fs::symlink(link, &target).map_err(failed)?;
        } else if kind.is_file() {
            std::fs::copy(&source, &target).map_err(failed)?;
        }
    }
    Ok(())
}

/// Paths of all files below a directory, sorted.
fn walk(dir: &Path, prefix: &str, out: &mut Vec<String>) -> Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|error| Error::io("cannot read", dir, error))? {
        let entry = entry.map_err(|error| Error::io("cannot read", dir, error))?;
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry
            .file_name()
            .into_string()
            .map_err(|_| Error::io("cannot read", entry.path(), "its name is not UTF-8"))?;
        names.push((name, is_dir));
    }
    names.sort();
    for (name, is_dir) in names {
        if is_dir {
            walk(&dir.join(&name), &format!("{prefix}{name}/"), out)?;
        } else {
            out.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

/// Takes the archive of a repository from GitHub.
fn download(owner: &str, repo: &str, reference: &str, to: &Path, config: &Config) -> Result<()> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let base = match variable("GITHUB_API_DOMAIN") {
        Some(domain) if domain.contains("://") => domain,
        Some(domain) => format!("https://{domain}"),
        None => variable("GITHUB_API_URL").unwrap_or_else(|| "https://api.github.com".to_owned()),
    };
    let tail = if reference.is_empty() { String::new() } else { format!("/{reference}") };
    let mut request = Request::get(format!("{}/repos/{owner}/{repo}/tarball{tail}", base.trim_end_matches('/')));
    request.package = format!("{owner}/{repo}");
    request.authorization =
        variable("GITHUB_TOKEN").or_else(|| variable("GITHUB_ACCESS_TOKEN")).map(|token| format!("Bearer {token}"));
    request.headers.push(("accept", "application/vnd.github+json".to_owned()));
    request.headers.push(("user-agent", config.net.user_agent.clone()));
    let url = request.url.clone();
    let response = Session::new(config, to).send(request)?;
    if response.status != 200 {
        let error = Error::new(Code::Status, format!("GET {url} - {}", response.status))
            .package(&format!("{owner}/{repo}"), "");
        return Err(match response.status {
            404 => error.hint("check the name; a private repository needs GITHUB_TOKEN"),
            401 => error.hint("GITHUB_TOKEN is not valid"),
            403 | 429 => error.hint("GitHub limits requests without a token: set GITHUB_TOKEN"),
            _ => error.hint("try again later"),
        });
    }
    let dir =
        rustix::fs::open(to, rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())
            .map_err(|error| Error::io("cannot open", to, std::io::Error::from(error)))?;
    let limits = Limits::for_tarball(response.body.len());
    let unpacked =
        extract::extract(&mut Inflater::new(), &response.body, std::os::fd::AsFd::as_fd(&dir), limits, false);
    unpacked.map_err(|error| error.package(&format!("{owner}/{repo}"), "").url(url))?;
    Ok(())
}

/// What the template's `bun-create` says.
#[derive(Default)]
struct Tasks {
    before: Vec<String>,
    after: Vec<String>,
    start: Option<String>,
    /// `bao run dev` or `bao start`, where the template says nothing.
    script: Option<String>,
}

fn lines(value: Option<&Value<'_>>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    let one = value.str().map(str::to_owned);
    one.into_iter().chain(value.items().iter().filter_map(|item| item.str().map(str::to_owned))).collect()
}

/// Gives package.json the project's name and takes `bun-create` out of it.
fn edit_manifest(stage: &Path, dest: &Path) -> Result<Tasks> {
    let Some(text) = project::read_manifest(stage)? else { return Ok(Tasks::default()) };
    let path = stage.join("package.json");
    let value = project::parse(&text, &path)?;
    let own = value.get("bun-create");
    let field = |name: &str| own.and_then(|own| own.get(name));
    let script = |name: &str| value.get("scripts").and_then(|scripts| scripts.get(name)).is_some();
    let tasks = Tasks {
        before: lines(field("preinstall")),
        after: lines(field("postinstall")),
        start: lines(field("start")).into_iter().next(),
        script: if script("dev") {
            Some("bao dev".to_owned())
        } else {
            script("start").then(|| "bao start".to_owned())
        },
    };
    let mut document = Document { text: text.clone() };
    document.remove(&["bun-create"]);
    let name = dest.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if value.get("name").is_some() && crate::model::spec::valid_name(&name) {
        let mut json = String::new();
        json::quote(&name, &mut json);
        document.set(&["name"], &json, false);
    }
    std::fs::write(&path, &document.text).map_err(|error| Error::io("cannot write", &path, error))?;
    Ok(tasks)
}

/// Installs in a directory, by `NPM_CLIENT` where it is set.
pub(crate) fn install_in(dir: &Path, options: &Options) -> Result<()> {
    if let Some(client) = std::env::var_os("NPM_CLIENT").filter(|client| !client.is_empty()) {
        let status = Command::new(&client)
            .arg("install")
            .current_dir(dir)
            .status()
            .map_err(|error| Error::io("cannot run NPM_CLIENT", Path::new(&client), error))?;
        if status.success() {
            return Ok(());
        }
        return Err(Error::new(Code::Script, format!("{} install failed", client.to_string_lossy())));
    }
    let mut project = Project::load(dir)?;
    let mut config = Config::load(dir, options)?;
    config.force = false;
    match install::run(&mut project, &config, "install", Instant::now(), &install::Change::default())? {
        0 => Ok(()),
        _ => Err(Error::new(Code::NoVersion, "the dependencies could not be installed")
            .hint(format!("correct {}/package.json, then run `bao install` there", dir.display()))),
    }
}

/// `git init` and a first commit, where git is there and the directory is in no repository. Whether there is one now.
fn make_repository(dir: &Path) -> bool {
    let git = |arguments: &[&str]| {
        let quiet = Stdio::null;
        let status = Command::new("git")
            .arg("-C")
            .arg(dir)
            .args(arguments)
            .stdin(quiet())
            .stdout(quiet())
            .stderr(quiet())
            .status();
        status.is_ok_and(|status| status.success())
    };
    if dir.join(".git").exists() || !git(&["init", "--quiet"]) {
        return false;
    }
    // Without an author git refuses the commit: the files are staged then.
    git(&["add", "-A"]);
    git(&["commit", "--quiet", "-m", "Initial commit (via bao create)"]);
    true
}

/// Starts the project and the browser.
fn open(dir: &Path, line: &str) -> Result<u8> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let _ = Command::new(opener).arg("http://localhost:3000/").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let text = project::read_manifest(dir)?.unwrap_or_else(|| "{}".to_owned());
    let manifest = project::parse(&text, &dir.join("package.json"))?;
    foreground::run_line(dir, &manifest, "start", line, "create", false, &[])?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages() {
        for (name, want) in [
            ("vite", "create-vite"),
            ("vite@latest", "create-vite@latest"),
            ("@s/x", "@s/create-x"),
            ("@s/x@1", "@s/create-x@1"),
            ("@s", "@s/create"),
            ("@s@2", "@s/create@2"),
        ] {
            assert_eq!(package(name), want);
        }
    }

    #[test]
    fn sources() {
        let github = |word: &str| match template(word) {
            Ok(Template::GitHub { owner, repo, reference }) => format!("{owner}/{repo}#{reference}"),
            _ => String::new(),
        };
        for (word, want) in [
            ("user/repo", "user/repo#"),
            ("user/repo@v1", "user/repo#v1"),
            ("github:user/repo#x", "user/repo#x"),
            ("https://github.com/user/repo", "user/repo#"),
            ("github.com/user/repo/", "user/repo#"),
        ] {
            assert_eq!(github(word), want, "{word}");
        }
        assert!(template("https://example.org/x/y/z").is_err() && template("../x").is_err());
    }
}
