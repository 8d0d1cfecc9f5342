//! `x`: runs a package's command, from the project, from the search path, or installed for this purpose.
//!
//! What is installed stays for the next call in `<temporary directory>/bunx-<user>-<name>@<version>`, Bun's place, and is renewed once a
//! day unless the version is exact.

use super::install;
use crate::config::command_flags::{self, Flag};
use crate::config::{Config, Options, parse_args};
use crate::error::{Code, Error, Result};
use crate::model::plan::Linker;
use crate::model::spec::{Spec, split_argument, valid_name};
use crate::pack::list;
use crate::project::{self, Project};
use json::{Value, quote};
use semver::Range;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A program that this process is to become.
#[derive(Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// `--bun`: scripts for node run by this program.
    pub bun: bool,
    /// Directories in front of the search path.
    pub path: Vec<PathBuf>,
    /// What was asked for, for `npm_lifecycle_script`.
    pub package: String,
    /// `--env-file`
    pub env_files: Vec<String>,
}

/// What a command comes to.
#[derive(Debug)]
pub enum Outcome {
    Exit(u8),
    Launch(Box<Launch>),
}

const FLAGS: &[Flag] = &[
    ("bun", 'b', false),
    ("package", 'p', true),
    ("no-install", '\0', false),
    // As npx has them: bao never asks and says nothing about installing unless `--verbose` is given, and `--no` is `--no-install`.
    ("yes", '\0', false),
    ("no", '\0', false),
    ("quiet", 'q', false),
    ("env-file", '\0', true),
    ("version", 'v', false),
    ("revision", '\0', false),
    ("help", 'h', false),
];

/// How long an installation is used without asking whether there is a newer version.
const FRESH_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Commands whose packages have other names: what npm has under the command's own name is something unrelated.
const ALIASES: &[(&str, &str)] = &[("tsc", "typescript"), ("claude", "@anthropic-ai/claude-code")];

const USAGE: &str = "Usage: bao x [flags] <package>[@version] [flags and arguments for the package]
Runs a command of an npm package; it is installed into a cache if the project does not have it.

Flags:
  --bun                       Run it by bao even if it asks for node
  -p, --package <package>     The package, where the command has another name
  --no-install                Only run what is there
  --cwd <path>                Change to this directory first
  --env-file <file>           Read environment variables from a file
  --minimum-release-age <n>   Only versions that are at least this old
  --registry <url>            Install from this registry
  --ca <cert>, --cafile <path>  Trust a certificate authority
  --trust                     Run the install scripts of all packages that are installed
  --ignore-scripts            Run no install scripts
  --verbose, --silent         More, or nothing, about the installation

Examples:
  bao x prettier foo.js
  bao x -p @angular/cli ng new my-app
  bao x --bun vite dev";

/// Flags before the package's name, and what follows.
fn split(arguments: &[String]) -> (&[String], &[String]) {
    let takes = |argument: &str| {
        command_flags::takes_value(argument)
            || FLAGS.iter().any(|(name, short, takes)| {
                *takes
                    && (argument.strip_prefix("--") == Some(name)
                        || argument.strip_prefix('-').is_some_and(|rest| rest.len() == 1 && rest.starts_with(*short)))
            })
    };
    let mut at = 0;
    while at < arguments.len() && arguments[at].starts_with('-') {
        if arguments[at] == "--" {
            return (&arguments[..at], &arguments[at + 1..]);
        }
        at += 1 + usize::from(takes(&arguments[at]));
    }
    let at = at.min(arguments.len());
    (&arguments[..at], &arguments[at..])
}

/// What is to be run.
pub(super) struct Wanted {
    /// The argument.
    text: String,
    /// The directory in node_modules.
    pub(super) name: String,
    /// What package.json says for it.
    literal: String,
    /// Given with the name.
    explicit: bool,
    /// `-p`: the command's name is known.
    binary: Option<String>,
    /// The command's name before the package is known.
    guess: String,
    /// The guess is the last part of a scoped name: a program of the system with this name is something else.
    scoped: bool,
}

pub(super) fn wanted(text: &str, binary: Option<&str>) -> Result<Wanted> {
    let (name, version) = split_argument(text);
    let mut name = name.to_owned();
    let explicit = !version.is_empty();
    let mut literal = if explicit { version.to_owned() } else { "latest".to_owned() };
    let alias = ALIASES.iter().find(|(command, _)| binary.is_none() && *command == name);
    let scoped = name.starts_with('@');
    let guess = match alias {
        Some((command, package)) => {
            name = (*package).to_owned();
            (*command).to_owned()
        }
        None if name.is_empty() => match Spec::parse(version) {
            Spec::GitHub { repo, .. } => repo.to_owned(),
            _ => version
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .and_then(|last| last.split(['#', '?']).next())
                .map(|last| last.trim_end_matches(".git").trim_end_matches(".tgz").to_owned())
                .unwrap_or_default(),
        },
        None if name == "typescript" => "tsc".to_owned(),
        None => name.rsplit('/').next().unwrap_or(&name).to_owned(),
    };
    if name.is_empty() {
        name.clone_from(&guess);
        version.clone_into(&mut literal);
        if let Spec::Folder(path) | Spec::TarballFile(path) = Spec::parse(version) {
            // Relative to here, not to the place of installation.
            let here = std::fs::canonicalize(path.trim_start_matches("file:"))
                .map_err(|error| Error::io("cannot read", path, error))?;
            literal = format!("file:{}", here.display());
        }
    }
    if !valid_name(&name) || !plain(binary.unwrap_or(&guess)) {
        let what = if valid_name(&name) { binary.unwrap_or(&guess) } else { text };
        return Err(Error::new(Code::Usage, format!("\"{what}\" is not a package or command"))
            .hint("name, name@version, @scope/name, github:user/repo or the URL of a .tgz"));
    }
    Ok(Wanted { text: text.to_owned(), name, literal, explicit, binary: binary.map(str::to_owned), guess, scoped })
}

/// Names of commands are names of files.
fn plain(name: &str) -> bool {
    !name.is_empty() && !matches!(name, "." | "..") && !name.contains(['/', '\\', '\0'])
}

fn executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The command of an installed package: the only one, the one with its name, else the first.
fn command_of(dir: &Path, guess: &str) -> Option<String> {
    let text = project::read_manifest(dir).ok()??;
    let value = Value::parse(text.as_bytes()).ok()?;
    let bin = value.get("bin");
    if bin.is_some_and(|bin| bin.str().is_some()) {
        let name = value.text("name");
        return name.rsplit('/').next().filter(|name| plain(name)).map(str::to_owned);
    }
    let unscope = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
    let mut names: Vec<String> =
        bin.map_or(&[][..], Value::members).iter().map(|member| unscope(&member.key)).collect();
    if names.is_empty()
        && let Some(place) = value.get("directories").and_then(|field| field.get("bin")).and_then(Value::str)
    {
        let place = dir.join(list::normal(place));
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten();
        names = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.extend(packages::names_in(place.as_os_str().as_encoded_bytes()));
        names.sort();
    }
    names.retain(|name| plain(name));
    let own = unscope(value.text("name"));
    let chosen = [guess, own.as_str()].iter().find_map(|name| names.iter().position(|known| known == name));
    names.into_iter().nth(chosen.unwrap_or(0))
}

/// A command of the project around `here`, or a program of the system.
fn existing(here: &Path, wanted: &Wanted) -> Option<PathBuf> {
    let dirs = || here.ancestors().filter(|dir| dir.file_name().is_none_or(|name| name != "node_modules"));
    if wanted.binary.is_none() {
        // The package itself knows its command's name best.
        for dir in dirs() {
            let modules = dir.join("node_modules");
            if let Some(command) = command_of(&modules.join(&wanted.name), &wanted.guess) {
                let path = modules.join(".bin").join(command);
                if executable(&path) {
                    return Some(path);
                }
            }
        }
    }
    let name = wanted.binary.as_deref().unwrap_or(&wanted.guess);
    let own = dirs().map(|dir| dir.join("node_modules/.bin").join(name)).find(|path| executable(path));
    own.or_else(|| {
        if wanted.scoped && wanted.binary.is_none() {
            return None;
        }
        std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| executable(path))
    })
}

/// The place of installation, for this user alone; made where `make` says so.
pub(super) fn cache_dir(wanted: &Wanted, make: bool) -> Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let mut tail = format!("{}@{}", wanted.name, wanted.literal);
    // A colon would part a search path, a slash would make directories of a URL.
    if wanted.literal.contains([':', '/']) || tail.len() > 200 {
        tail = format!("{}@{:x}", wanted.name, crate::model::string_arena::hash(&wanted.literal));
    }
    let base = std::env::temp_dir();
    let mut at = base;
    for part in format!("bunx-{user}-{tail}").split('/') {
        at.push(part);
        let made = if make {
            std::fs::DirBuilder::new().mode(0o700).create(&at)
        } else {
            std::fs::symlink_metadata(&at).and_then(|_| Err(std::io::ErrorKind::AlreadyExists.into()))
        };
        match made {
            Ok(()) => {}
            Err(error) if !make && error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let found = std::fs::symlink_metadata(&at).map_err(|error| Error::io("cannot read", &at, error))?;
                if !found.is_dir() || found.uid() != user || found.mode() & 0o022 != 0 {
                    return Err(Error::new(
                        Code::Io,
                        format!("refusing to use {}: it is not a directory of the current user alone", at.display()),
                    )
                    .hint("remove it, or set TMPDIR"));
                }
            }
            Err(error) => {
                return Err(Error::io("cannot make", &at, error).hint("set TMPDIR to a directory that can be written"));
            }
        }
    }
    Ok(at)
}

/// The command in a place of installation, if it is there.
fn installed(dir: &Path, wanted: &Wanted) -> Option<PathBuf> {
    let command = match &wanted.binary {
        Some(binary) => binary.clone(),
        None => command_of(&dir.join("node_modules").join(&wanted.name), &wanted.guess)?,
    };
    let path = dir.join("node_modules/.bin").join(command);
    executable(&path).then_some(path)
}

/// Whether the last installation is young enough.
pub(super) fn fresh(dir: &Path, wanted: &Wanted) -> bool {
    let exact = Range::parse(&wanted.literal).is_some_and(|range| range.exact().is_some());
    let written = std::fs::metadata(dir.join("package.json")).and_then(|found| found.modified());
    let age = written.ok().and_then(|written| SystemTime::now().duration_since(written).ok());
    age.is_some_and(|age| exact || age < FRESH_FOR)
}

fn write(path: &Path, text: &str) -> Result<()> {
    crate::atomic_write::write_atomic(path, text)
}

/// Installs the package into `dir`. Settings are those of the project around `here`, for registries and certificates.
///
/// # Errors
/// As an installation has them. False: it failed and has said why.
pub(super) fn install(dir: &Path, wanted: &Wanted, options: &Options, here: &Path) -> Result<bool> {
    let root = Project::find(here)?.map_or_else(|| here.to_owned(), |(root, _)| root);
    let mut config = Config::load(&root, options)?;
    config.silent = !config.verbose;
    config.summary = false;
    config.production = false;
    config.frozen = false;
    config.dry_run = false;
    config.lockfile_only = false;
    config.save_lockfile = true;
    config.save_binary = false;
    config.global = false;
    config.filter.clear();
    config.linker = Some(Linker::Hoisted);
    let manifest = dir.join("package.json");
    // What an earlier call has found is forgotten: that is what makes it stale.
    for file in ["bun.lock", "bun.lockb"] {
        let _ = std::fs::remove_file(dir.join(file));
    }
    let text = |trusted: &[String]| {
        let mut text = "{\n  \"dependencies\": {\n    ".to_owned();
        quote(&wanted.name, &mut text);
        text.push_str(": ");
        quote(&wanted.literal, &mut text);
        text.push_str("\n  }");
        for (place, name) in trusted.iter().enumerate() {
            text.push_str(if place == 0 { ",\n  \"trustedDependencies\": [" } else { ", " });
            quote(name, &mut text);
        }
        text.push_str(if trusted.is_empty() { "\n}\n" } else { "]\n}\n" });
        text
    };
    write(&manifest, &text(&[]))?;
    let change = install::Change::default();
    let run = |config: &Config| -> Result<bool> {
        let mut project = Project::load(dir)?;
        Ok(install::run(&mut project, config, "install", Instant::now(), &change)? == 0)
    };
    let all = if config.trust && !config.ignore_scripts {
        // Names are known after resolving.
        config.lockfile_only = true;
        let resolved = run(&config)?;
        config.lockfile_only = false;
        if !resolved {
            let _ = std::fs::remove_file(&manifest);
            return Ok(false);
        }
        let lock = std::fs::read_to_string(dir.join("bun.lock")).unwrap_or_default();
        names_in(&lock)
    } else {
        Vec::new()
    };
    config.trust = false;
    if !all.is_empty() {
        write(&manifest, &text(&all))?;
    }
    let result = run(&config);
    if !matches!(result, Ok(true)) {
        // The next call must not take a part for the whole.
        let _ = std::fs::remove_file(&manifest);
    }
    result
}

/// Names of all packages of a lockfile.
fn names_in(lock: &str) -> Vec<String> {
    let Ok(value) = Value::parse(lock.as_bytes()) else { return Vec::new() };
    let entries = value.get("packages").map_or(&[][..], Value::members);
    let mut names: Vec<String> = entries
        .iter()
        .filter_map(|entry| entry.value.items().first()?.str())
        .filter_map(|label| Some(label[..label.get(1..)?.find('@')? + 1].to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// `x`. `arguments` follow the command's name.
pub(crate) fn prepare(arguments: &[String]) -> Result<Outcome> {
    let (flags, words) = split(arguments);
    let (own, rest) = command_flags::split(flags, FLAGS)?;
    let Some((first, others)) = words.split_first() else {
        if own.has("version") || own.has("revision") {
            crate::say!("{}", env!("CARGO_PKG_VERSION"));
            return Ok(Outcome::Exit(0));
        }
        if own.has("help") {
            crate::say!("{}", crate::ui::named(USAGE));
            return Ok(Outcome::Exit(0));
        }
        if own.has("package") {
            return Err(Error::new(Code::Usage, "When using --package, you must specify the binary to run")
                .hint("bao x --package=<package> <command> [arguments]"));
        }
        base::stderr_line!("{}", crate::ui::named(USAGE));
        return Ok(Outcome::Exit(1));
    };
    if own.value("package").is_some_and(str::is_empty) {
        return Err(Error::new(Code::Usage, "--package requires a non-empty package name"));
    }
    let options = super::enter(parse_args(&rest)?)?;
    let installs = !own.has("no-install") && !own.has("no");
    let wanted = match own.value("package") {
        Some(package) => wanted(package, Some(first))?,
        None => wanted(first, None)?,
    };
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let launch = |program: PathBuf, path: Vec<PathBuf>| {
        Ok(Outcome::Launch(Box::new(Launch {
            program,
            arguments: others.to_vec(),
            bun: own.has("bun"),
            path,
            package: first.clone(),
            env_files: own.value("env-file").map(str::to_owned).into_iter().collect(),
        })))
    };
    if !wanted.explicit
        && let Some(program) = existing(&here, &wanted)
    {
        return launch(program, Vec::new());
    }
    let dir = cache_dir(&wanted, false)?;
    let bins = || vec![dir.join("node_modules/.bin")];
    // A tag that was named is asked for every time.
    let tag = wanted.explicit && matches!(Spec::parse(&wanted.literal), Spec::Tag { .. });
    let cached = installed(&dir, &wanted);
    if let Some(program) = cached.clone().filter(|_| !installs || !tag && fresh(&dir, &wanted)) {
        return launch(program, bins());
    }
    if !installs {
        let name = wanted.binary.as_ref().unwrap_or(&wanted.guess);
        return Err(Error::new(
            Code::Usage,
            format!("Could not find an existing '{name}' binary to run. Stopping because --no-install was passed."),
        ));
    }
    cache_dir(&wanted, true)?;
    let done = install(&dir, &wanted, &options, &here);
    if !matches!(done, Ok(true)) {
        // What is there is old, but better than nothing: without a network it has to do.
        return match (cached.filter(|_| installed(&dir, &wanted).is_some()), done) {
            (Some(program), _) => {
                base::stderr_line!("warn: {} could not be renewed; running what was installed before", wanted.text);
                launch(program, bins())
            }
            (None, Err(error)) => Err(error),
            (None, Ok(_)) => Ok(Outcome::Exit(1)),
        };
    }
    match installed(&dir, &wanted) {
        Some(program) => launch(program, bins()),
        None => match &wanted.binary {
            Some(binary) => Err(Error::new(
                Code::Usage,
                format!("Package {} does not provide a binary named {binary}", wanted.name),
            )
            .hint(format!("try running without --package to install and run {binary} directly"))),
            None => Err(Error::new(
                Code::Usage,
                format!("could not determine executable to run for package {}", wanted.text),
            )
            .hint("its package.json has no `bin`: it is a library")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn flags_end_at_the_name() {
        let all = words("--bun --registry http://x -p a ng --version -p b");
        let (flags, rest) = split(&all);
        assert_eq!((flags.len(), rest.join(" ")), (5, "ng --version -p b".to_owned()));
        let all = words("-p=typescript tsc --noEmit");
        assert_eq!(split(&all).1.join(" "), "tsc --noEmit");
        let all = words("--bun -- cowsay -x");
        assert_eq!(split(&all).1.join(" "), "cowsay -x");
    }

    #[test]
    fn packages() {
        let of = |text: &str| {
            let found = wanted(text, None).unwrap();
            (found.name, found.literal, found.guess)
        };
        let three = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(of("cowsay"), three("cowsay", "latest", "cowsay"));
        assert_eq!(of("@angular/cli@^17"), three("@angular/cli", "^17", "cli"));
        assert_eq!(of("tsc"), three("typescript", "latest", "tsc"));
        assert_eq!(of("github:user/repo#v1"), three("repo", "github:user/repo#v1", "repo"));
        assert!(wanted("../../no/such", None).is_err() && wanted("a", Some("../b")).is_err());
    }
}
