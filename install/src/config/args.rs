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
pub fn takes_value(argument: &str) -> bool {
    match argument.strip_prefix("--") {
        Some(long) => FLAGS.iter().any(|(name, _, takes)| *takes && *name == long),
        None => argument.strip_prefix('-').is_some_and(|letters| {
            letters.chars().last().is_some_and(|last| FLAGS.iter().any(|(_, short, takes)| *takes && *short == last))
        }),
    }
}

/// The long names of all flags.
#[cfg(test)]
pub fn flag_names() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().map(|(name, ..)| *name)
}

/// Reads the arguments after the command's name.
pub fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut list = arguments.iter().peekable();
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

    pub fn apply(&self, config: &mut Config) -> Result<()> {
        let mut sets: [(&str, &Names, Vec<&str>); 3] =
            [("os", &OS, vec![]), ("cpu", &CPU, vec![]), ("libc", &LIBC, vec![])];
        for (name, value) in &self.flags {
            let text = value.as_deref().unwrap_or("");
            let number = || {
                text.parse::<usize>()
                    .ok()
                    .filter(|count| *count > 0)
                    .ok_or_else(|| Error::new(Code::Usage, format!("--{name} {text}: a number of 1 or more is needed")))
            };
            match *name {
                "production" => config.production = true,
                "save" => config.save = true,
                "no-save" => config.save = false,
                "no-save-lockfile" => config.save_lockfile = false,
                "ca" => config.net.trust.inline.push(text.to_owned()),
                "cafile" => config.net.trust.files.push(text.to_owned()),
                "dry-run" => config.dry_run = true,
                "frozen-lockfile" => config.frozen = true,
                "save-text-lockfile" => config.save_text = true,
                "yarn" => config.yarn = true,
                "force" => config.force = true,
                "cache-dir" => config.cache_dir = PathBuf::from(text),
                "no-cache" => config.no_cache = true,
                "silent" => config.silent = true,
                "quiet" => config.quiet = true,
                "no-verify" => config.verify = false,
                "engine-strict" => config.engine_strict = true,
                "ignore-engines" => config.ignore_engines = true,
                "verbose" => config.verbose = true,
                "no-progress" => config.progress = false,
                "no-summary" => config.summary = false,
                "offline" => config.offline = true,
                "prefer-offline" => config.prefer_offline = true,
                "ignore-scripts" => config.ignore_scripts = true,
                "trust" => config.trust = true,
                "global" => config.global = true,
                "exact" => config.exact = true,
                "lockfile-only" => config.lockfile_only = true,
                "registry" => {
                    let authorization = config.registry.authorization.take();
                    let same = config.registry.url == Registry::new(text).url;
                    config.registry = Registry::new(text);
                    if same && config.registry.authorization.is_none() {
                        config.registry.authorization = authorization;
                    }
                }
                "concurrent-scripts" => config.concurrent_scripts = number()?,
                "network-concurrency" => config.net.connections = number()?.min(1024),
                "filter" => config.filter.push(text.to_owned()),
                "use-system-ca" => config.net.trust.optional_files.extend(
                    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
                        .map(str::to_owned),
                ),
                "omit" => match text {
                    "dev" => config.omit_dev = true,
                    "optional" => config.omit_optional = true,
                    "peer" => config.omit_peer = true,
                    _ => return Err(Error::new(Code::Usage, format!("--omit={text}: dev, optional or peer"))),
                },
                "backend" => {
                    config.backend = match text {
                        "hardlink" => Backend::Hardlink,
                        "copyfile" => Backend::Copyfile,
                        "symlink" => Backend::Symlink,
                        "clonefile" | "clonefile_each_dir" => Backend::Clonefile,
                        _ => {
                            return Err(Error::new(
                                Code::Usage,
                                format!("--backend={text}: hardlink, symlink, copyfile or clonefile"),
                            ));
                        }
                    }
                }
                "linker" => {
                    config.linker = match text {
                        "hoisted" => Some(Linker::Hoisted),
                        "isolated" => Some(Linker::Isolated),
                        _ => return Err(Error::new(Code::Usage, format!("--linker={text}: hoisted or isolated"))),
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
                "os" | "cpu" | "libc" => {
                    for set in &mut sets {
                        if set.0 == *name {
                            set.2.push(text);
                        }
                    }
                }
                _ => {}
            }
        }
        for (name, names, values) in &sets {
            if values.is_empty() {
                continue;
            }
            let mut collector = Collector::default();
            for value in values {
                let value = if *value == "*" { "any" } else { value };
                if value != "any" && names.bit(value.trim_start_matches('!')) == 0 {
                    return Err(Error::new(Code::Usage, format!("--{name} {value} is not known")));
                }
                names.apply(&mut collector, value);
            }
            let set = names.combine(collector);
            match *name {
                "os" => config.target.os = set,
                "cpu" => config.target.cpu = set,
                _ => config.target.libc = set,
            }
        }
        if config.production {
            config.omit_dev = true;
        }
        Ok(())
    }
}
