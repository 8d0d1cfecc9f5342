//! Flags that all commands of the package manager have.

use bunfig::duration;

use super::{Backend, Config, Registry};
use crate::error::{Code, Error, Result};
use crate::model::plan::Linker;
use crate::model::platform::{CPU, Collector, LIBC, Names, OS};
use std::path::PathBuf;

/// The group of package.json that `add` writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Save {
    #[default]
    Default,
    Prod,
    Dev,
    Optional,
    Peer,
}

/// A parsed command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is no flag.
    pub positionals: Vec<String>,
    pub config: Option<String>,
    pub cwd: Option<String>,
    pub save_to: Save,
    pub latest: bool,
    pub interactive: bool,
    pub recursive: bool,
    pub json: bool,
    pub all: bool,
    pub top: bool,
    pub depth: Option<u32>,
    pub help: bool,
    pub catalog: Option<String>,
    pub env_files: Vec<String>,
    pub no_env_file: bool,
    /// (flag, value) in order, for [`Options::apply`].
    flags: Vec<(&'static str, Option<String>)>,
}

/// Name, short form, whether it takes a value.
const FLAGS: &[(&str, char, bool)] = &[
    ("config", 'c', true),
    ("yarn", 'y', false),
    ("production", 'p', false),
    ("save", '\0', false),
    ("no-save", '\0', false),
    ("ca", '\0', true),
    ("cafile", '\0', true),
    ("dry-run", '\0', false),
    ("frozen-lockfile", '\0', false),
    ("force", 'f', false),
    ("cache-dir", '\0', true),
    ("no-cache", '\0', false),
    ("silent", '\0', false),
    ("quiet", '\0', false),
    ("verbose", '\0', false),
    ("no-progress", '\0', false),
    ("no-summary", '\0', false),
    ("no-verify", '\0', false),
    ("engine-strict", '\0', false),
    ("ignore-engines", '\0', false),
    ("offline", '\0', false),
    ("prefer-offline", '\0', false),
    ("ignore-scripts", '\0', false),
    ("trust", '\0', false),
    ("global", 'g', false),
    ("cwd", '\0', true),
    ("backend", '\0', true),
    ("registry", '\0', true),
    ("concurrent-scripts", '\0', true),
    ("network-concurrency", '\0', true),
    ("save-text-lockfile", '\0', false),
    ("omit", '\0', true),
    ("lockfile-only", '\0', false),
    ("linker", '\0', true),
    ("minimum-release-age", '\0', true),
    ("minimum-release-age-excludes", '\0', true),
    ("cpu", '\0', true),
    ("os", '\0', true),
    ("libc", '\0', true),
    ("use-system-ca", '\0', false),
    ("help", 'h', false),
    ("dev", 'd', false),
    ("optional", '\0', false),
    ("peer", '\0', false),
    ("save-prod", '\0', false),
    ("exact", 'E', false),
    ("filter", 'F', true),
    ("analyze", 'a', false),
    ("only-missing", '\0', false),
    ("latest", 'L', false),
    ("interactive", 'i', false),
    ("recursive", 'r', false),
    ("json", '\0', false),
    ("all", '\0', false),
    ("top", '\0', false),
    ("depth", '\0', true),
    ("check", '\0', false),
    ("env-file", '\0', true),
    ("no-env-file", '\0', false),
    ("audit-level", '\0', true),
    ("ignore", '\0', true),
    ("max-age", '\0', true),
    ("trusted", '\0', false),
    ("long", '\0', false),
    ("stat", '\0', false),
    ("name-only", '\0', false),
    ("raw", '\0', false),
    ("minify", '\0', false),
    ("unminify", '\0', false),
    ("unified", 'U', true),
    ("ignore-all-space", 'w', false),
    ("diff", '\0', true),
];

/// Flags of npm, yarn and pnpm: what they mean here. An empty name: accepted, without effect here.
const TRANSLATED: &[(&str, &str, Option<&str>)] = &[
    ("save-dev", "dev", None),
    ("save-optional", "optional", None),
    ("save-peer", "peer", None),
    ("save-exact", "exact", None),
    ("development", "dev", None),
    ("no-optional", "omit", Some("optional")),
    ("ignore-optional", "omit", Some("optional")),
    ("only=prod", "production", None),
    ("only=production", "production", None),
    ("prod", "production", None),
    ("package-lock-only", "lockfile-only", None),
    ("immutable", "frozen-lockfile", None),
    ("location=global", "global", None),
    ("shamefully-hoist", "linker", Some("hoisted")),
    ("install-strategy=linked", "linker", Some("isolated")),
    ("install-strategy=hoisted", "linker", Some("hoisted")),
    ("node-linker=hoisted", "linker", Some("hoisted")),
    ("node-linker=isolated", "linker", Some("isolated")),
    ("progress=false", "no-progress", None),
    ("loglevel=silent", "silent", None),
    ("loglevel=verbose", "verbose", None),
    ("no-audit", "", None),
    ("audit", "", None),
    ("no-fund", "", None),
    ("fund", "", None),
    ("legacy-peer-deps", "", None),
    ("strict-peer-deps", "", None),
    ("unsafe-perm", "", None),
    ("prefer-frozen-lockfile", "", None),
    ("no-frozen-lockfile", "", None),
    ("ci", "", None),
    ("network-timeout", "", None),
    ("non-interactive", "", None),
    ("loglevel", "", None),
    ("use-openssl-ca", "", None),
    ("use-bundled-ca", "", None),
    ("no-package-lock", "no-save-lockfile", None),
];

/// Whether the next word belongs to this flag, as far as the common flags are concerned.
pub(super) fn takes_value(argument: &str) -> bool {
    match argument.strip_prefix("--") {
        Some(long) => FLAGS.iter().any(|(name, _, takes)| *takes && *name == long),
        None => argument.strip_prefix('-').is_some_and(|letters| {
            letters.chars().last().is_some_and(|last| FLAGS.iter().any(|(_, short, takes)| *takes && *short == last))
        }),
    }
}

/// The long names of all flags.
#[cfg(test)]
pub(crate) fn flag_names() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().map(|(name, ..)| *name)
}

/// Reads the arguments after the command's name.
pub(crate) fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut list = arguments.iter();
    let mut only_positionals = false;
    while let Some(argument) = list.next() {
        if only_positionals || !argument.starts_with('-') || argument == "-" {
            options.positionals.push(argument.clone());
            continue;
        }
        if argument == "--" {
            only_positionals = true;
            continue;
        }
        let Some(long) = argument.strip_prefix("--") else {
            // -D is npm's form of -d.
            for (at, short) in argument.char_indices().skip(1) {
                let letter = if short == 'D' { 'd' } else { short };
                let Some(&(name, _, takes)) = FLAGS.iter().find(|(_, known, _)| *known == letter) else {
                    return Err(unknown(argument));
                };
                // A value may stand right behind its letter: -U1.
                let attached = &argument[at + short.len_utf8()..];
                if takes && !attached.is_empty() {
                    options.flag(name, Some(attached.trim_start_matches('=').to_owned()))?;
                    break;
                }
                let value = if takes { Some(list.next().ok_or_else(|| missing(argument))?.clone()) } else { None };
                options.flag(name, value)?;
            }
            continue;
        };
        let (name, inline) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value.to_owned())));
        if name == "catalog" {
            options.catalog = Some(inline.unwrap_or_default());
            continue;
        }
        if let Some(&(name, _, takes)) = FLAGS.iter().find(|(known, _, _)| *known == name) {
            let value = match (takes, inline) {
                (true, Some(value)) => Some(value),
                (true, None) => Some(list.next().ok_or_else(|| missing(argument))?.clone()),
                (false, Some(value)) if value == "false" => continue,
                (false, _) => None,
            };
            options.flag(name, value)?;
            continue;
        }
        let translated = TRANSLATED.iter().find(|(theirs, _, _)| *theirs == long || *theirs == name);
        match translated {
            Some((_, "", _)) => {}
            Some((_, ours, value)) => options.flag(ours, value.map(str::to_owned))?,
            None => return Err(unknown(argument)),
        }
    }
    Ok(options)
}

fn unknown(argument: &str) -> Error {
    let word = argument.trim_start_matches('-').split('=').next().unwrap_or("");
    let near = text::suggest::nearest(word, FLAGS.iter().map(|(name, _, _)| *name));
    let error = Error::new(Code::Usage, format!("unknown flag {argument}"));
    match near {
        Some(name) => error.hint(format!("did you mean --{name}?")),
        None => error.hint("--help lists the flags"),
    }
}

fn missing(argument: &str) -> Error {
    Error::new(Code::Usage, format!("{argument} needs a value"))
}

impl Options {
    fn flag(&mut self, name: &'static str, value: Option<String>) -> Result<()> {
        match name {
            "config" => self.config = value,
            "cwd" => self.cwd = value,
            "dev" => self.save_to = Save::Dev,
            "optional" => self.save_to = Save::Optional,
            "peer" => self.save_to = Save::Peer,
            "save-prod" => self.save_to = Save::Prod,
            "latest" => self.latest = true,
            "interactive" => self.interactive = true,
            "recursive" => self.recursive = true,
            "json" => self.json = true,
            "all" => self.all = true,
            "top" => self.top = true,
            "help" => self.help = true,
            "env-file" => self.env_files.extend(value),
            "no-env-file" => self.no_env_file = true,
            "depth" => {
                let text = value.unwrap_or_default();
                self.depth =
                    Some(text.parse().map_err(|_| Error::new(Code::Usage, format!("--depth {text} is no number")))?);
            }
            _ => self.flags.push((name, value)),
        }
        Ok(())
    }

    /// Whether a flag was given.
    pub fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(known, _)| *known == name)
    }

    /// The last value of a flag.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(known, _)| *known == name).and_then(|(_, value)| value.as_deref())
    }

    /// All values of a flag, in order.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.flags.iter().filter(move |(known, _)| *known == name).filter_map(|(_, value)| value.as_deref())
    }

    /// Sets what the flags say.
    ///
    /// # Errors
    /// A value is not among those of its flag.
    pub fn apply(&self, config: &mut Config) -> Result<()> {
        for (name, value) in &self.flags {
            match SWITCHES.iter().find(|(known, ..)| known == name) {
                Some((_, place, on)) => *place(config) = *on,
                None => set(config, name, value.as_deref().unwrap_or(""))?,
            }
        }
        for (name, names, place) in [
            ("os", &OS, &mut config.target.os),
            ("cpu", &CPU, &mut config.target.cpu),
            ("libc", &LIBC, &mut config.target.libc),
        ] {
            if self.has(name) {
                *place = platforms(name, names, self.values(name))?;
            }
        }
        if config.production {
            config.omit_dev = true;
        }
        Ok(())
    }
}

/// Where a flag without a value is kept.
type Place = fn(&mut Config) -> &mut bool;

/// Flags without a value: what they set, and to what.
const SWITCHES: &[(&str, Place, bool)] = &[
    ("production", |config| &mut config.production, true),
    ("save", |config| &mut config.save, true),
    ("no-save", |config| &mut config.save, false),
    ("no-save-lockfile", |config| &mut config.save_lockfile, false),
    ("dry-run", |config| &mut config.dry_run, true),
    ("frozen-lockfile", |config| &mut config.frozen, true),
    ("save-text-lockfile", |config| &mut config.save_text, true),
    ("yarn", |config| &mut config.yarn, true),
    ("force", |config| &mut config.force, true),
    ("no-cache", |config| &mut config.no_cache, true),
    ("silent", |config| &mut config.silent, true),
    ("quiet", |config| &mut config.quiet, true),
    ("no-verify", |config| &mut config.verify, false),
    ("engine-strict", |config| &mut config.engine_strict, true),
    ("ignore-engines", |config| &mut config.ignore_engines, true),
    ("verbose", |config| &mut config.verbose, true),
    ("no-progress", |config| &mut config.progress, false),
    ("no-summary", |config| &mut config.summary, false),
    ("offline", |config| &mut config.offline, true),
    ("prefer-offline", |config| &mut config.prefer_offline, true),
    ("ignore-scripts", |config| &mut config.ignore_scripts, true),
    ("trust", |config| &mut config.trust, true),
    ("global", |config| &mut config.global, true),
    ("exact", |config| &mut config.exact, true),
    ("lockfile-only", |config| &mut config.lockfile_only, true),
];

/// Files of the system that may hold its certificate authorities.
const SYSTEM_CA: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Applies a flag that has a value. Flags that only commands know are left to them.
fn set(config: &mut Config, name: &str, text: &str) -> Result<()> {
    let usage = |expected: &str| Error::new(Code::Usage, format!("--{name}={text}: {expected}"));
    match name {
        "ca" => config.net.trust.inline.push(text.to_owned()),
        "cafile" => config.net.trust.files.push(text.to_owned()),
        "use-system-ca" => config.net.trust.optional_files.extend(SYSTEM_CA.map(str::to_owned)),
        "cache-dir" => config.cache_dir = PathBuf::from(text),
        "registry" => set_registry(config, text)?,
        "concurrent-scripts" => config.concurrent_scripts = count(name, text)?,
        "network-concurrency" => config.net.connections = connections(text)?,
        "filter" => config.filter.push(text.to_owned()),
        "omit" => match text {
            "dev" => config.omit_dev = true,
            "optional" => config.omit_optional = true,
            "peer" => config.omit_peer = true,
            _ => return Err(usage("dev, optional or peer")),
        },
        "backend" => {
            config.backend = match text {
                "hardlink" => Backend::Hardlink,
                "copyfile" => Backend::Copyfile,
                "symlink" => Backend::Symlink,
                "clonefile" | "clonefile_each_dir" => Backend::Clonefile,
                _ => return Err(usage("hardlink, symlink, copyfile or clonefile")),
            }
        }
        "linker" => {
            config.linker = match text {
                "hoisted" => Some(Linker::Hoisted),
                "isolated" => Some(Linker::Isolated),
                "store" => Some(Linker::Store),
                _ => return Err(usage("hoisted, isolated or store")),
            }
        }
        "minimum-release-age" => {
            config.minimum_release_age = duration(text).ok_or_else(|| {
                Error::new(Code::Usage, format!("--minimum-release-age {text}: seconds, or 90m, 3d, 2 weeks"))
            })?;
        }
        "minimum-release-age-excludes" => {
            config.minimum_release_age_excludes.extend(text.split(',').map(|name| name.trim().to_owned()));
        }
        _ => {}
    }
    Ok(())
}

/// The default registry. What authorises at the same URL in the configuration goes on to do so.
fn set_registry(config: &mut Config, url: &str) -> Result<()> {
    if !url.starts_with("https://") && !url.starts_with("http://") {
        let message = format!("Registry URL must start with 'https://' or 'http://': \"{url}\"");
        return Err(Error::new(Code::Usage, message));
    }
    let authorization = config.registry.authorization.take();
    let same = config.registry.url == Registry::new(url).url;
    config.registry = Registry::new(url);
    if same && config.registry.authorization.is_none() {
        config.registry.authorization = authorization;
    }
    Ok(())
}

/// `--network-concurrency`.
fn connections(text: &str) -> Result<usize> {
    let count = text.parse::<u16>().map_err(|_| {
        let message = format!("Expected --network-concurrency to be a number between 0 and 65535: {text}");
        Error::new(Code::Usage, message)
    })?;
    Ok(usize::from(count.clamp(1, 1024)))
}

/// A number of 1 or more.
fn count(name: &str, text: &str) -> Result<usize> {
    text.parse::<usize>()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| Error::new(Code::Usage, format!("--{name} {text}: a number of 1 or more is needed")))
}

/// The set that the values of `--os`, `--cpu` or `--libc` are; `*` is any.
fn platforms<'a>(name: &str, names: &Names, values: impl Iterator<Item = &'a str>) -> Result<u16> {
    let mut collector = Collector::default();
    for value in values {
        let value = if value == "*" { "any" } else { value };
        if value != "any" && names.bit(value.trim_start_matches('!')) == 0 {
            return Err(Error::new(Code::Usage, format!("--{name} {value} is not known")));
        }
        names.apply(&mut collector, value);
    }
    Ok(names.combine(collector))
}
