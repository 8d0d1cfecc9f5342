//! `[install]`: <https://bun.com/docs/runtime/bunfig#package-manager>.

use toml::de::{DeTable, DeValue};

use crate::reader::{Outcome, Reader, Value, integer, text};

/// How packages are put into node_modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linker {
    Hoisted,
    Isolated,
    /// Packages stay in archives of the cache; node_modules is an index of them.
    Store,
}

/// How files come from the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Hardlink,
    Copyfile,
    Symlink,
    Clonefile,
}

/// `logLevel`, as far as it changes what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    Debug,
    Error,
}

/// A registry as it is written: `$NAME` is not replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    pub url: String,
    pub token: Option<String>,
    pub username: Option<String>,
    pub password: Option<String>,
}

/// The keys of `[install]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Install {
    pub optional: Option<bool>,
    pub dev: Option<bool>,
    pub peer: Option<bool>,
    pub production: Option<bool>,
    pub exact: Option<bool>,
    pub engine_strict: Option<bool>,
    pub ignore_scripts: Option<bool>,
    pub frozen_lockfile: Option<bool>,
    pub dry_run: Option<bool>,
    pub link_workspace_packages: Option<bool>,
    pub global_store: Option<bool>,
    pub hoist: Option<bool>,
    /// `saveTextLockfile` of the table itself.
    pub text_lockfile: Option<bool>,
    /// `prefer = "offline"`; `false` for the other values.
    pub prefer_offline: Option<bool>,
    pub concurrent_scripts: Option<usize>,
    pub global_dir: Option<String>,
    pub global_bin_dir: Option<String>,
    pub registry: Option<Registry>,
    /// Scope with its `@`, each once.
    pub scopes: Vec<(String, Registry)>,
    /// Certificates as text.
    pub ca: Vec<String>,
    /// Files of certificates.
    pub cafile: Vec<String>,
    pub cache_dir: Option<String>,
    /// `cache.disableManifest`.
    pub no_cache: bool,
    /// `cache = false` or `cache.disable`: the cache is one of the project's own.
    pub own_cache: bool,
    /// `lockfile.save`.
    pub save_lockfile: Option<bool>,
    /// `lockfile.print = "yarn"`.
    pub print_yarn: bool,
    /// `lockfile.saveTextLockfile`.
    pub save_text_lockfile: Option<bool>,
    pub linker: Option<Linker>,
    pub backend: Option<Backend>,
    pub hoist_pattern: Option<Vec<String>>,
    pub public_hoist_pattern: Option<Vec<String>>,
    /// Seconds.
    pub minimum_release_age: Option<u64>,
    pub minimum_release_age_excludes: Option<Vec<String>>,
    /// `[install.security] scanner`; empty text takes away what another file says.
    pub scanner: Option<String>,
    pub log_level: Option<LogLevel>,
}

/// Which packages a program has installed by importing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoInstall {
    /// Where no directory above has a `node_modules`.
    Auto,
    /// What is not found.
    Fallback,
    /// All.
    Force,
    /// None.
    Disable,
}

impl AutoInstall {
    /// Names and what they mean.
    pub const NAMES: [(&str, AutoInstall); 4] = [
        ("auto", AutoInstall::Auto),
        ("fallback", AutoInstall::Fallback),
        ("force", AutoInstall::Force),
        ("disable", AutoInstall::Disable),
    ];

    /// The name that the option has for it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("auto", |(name, _)| name)
    }

    /// What a name means.
    pub fn of(name: &str) -> Option<AutoInstall> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }
}

/// `90`, `90m`, `3d`, `2 weeks` in seconds.
pub fn duration(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit = match text[end..].trim().to_ascii_lowercase().trim_end_matches('s') {
        "" | "sec" | "second" => 1.0,
        "m" | "min" | "minute" => 60.0,
        "h" | "hr" | "hour" => 3600.0,
        "d" | "day" => 86_400.0,
        "w" | "week" => 604_800.0,
        _ => return None,
    };
    Some((number * unit) as u64)
}

impl Reader<'_> {
    pub(crate) fn install(&self, install: &mut Install, table: &DeTable<'_>) -> Outcome<()> {
        for (key, value) in table {
            let key = key.get_ref().as_ref();
            let name = format!("install.{key}");
            match flag(install, key) {
                Some(place) => *place = Some(self.boolean(value, &name)?),
                None => self.install_key(install, key, &name, value)?,
            }
        }
        Ok(())
    }

    fn install_key(&self, install: &mut Install, key: &str, name: &str, value: &Value<'_>) -> Outcome<()> {
        match key {
            "prefer" => match text(value) {
                Some("offline") => install.prefer_offline = Some(true),
                Some("online" | "latest") => install.prefer_offline = Some(false),
                _ => return Err(self.wrong(value, name, "\"offline\", \"online\" or \"latest\"")),
            },
            "concurrentScripts" => match integer(value) {
                Some(count @ 1..=4096) => install.concurrent_scripts = Some(count as usize),
                _ => return Err(self.wrong(value, name, "a number of 1 or more")),
            },
            "globalDir" => install.global_dir = Some(self.directory(value, name)?),
            "globalBinDir" => install.global_bin_dir = Some(self.directory(value, name)?),
            "registry" => install.registry = Some(self.registry(value, name, true)?),
            "scopes" => self.scopes(&mut install.scopes, value)?,
            "ca" => install.ca = known_strings(value),
            "cafile" => install.cafile = known_strings(value),
            "cache" => cache(install, value),
            "lockfile" => self.lockfile(install, value)?,
            "linker" => match text(value) {
                Some("hoisted") => install.linker = Some(Linker::Hoisted),
                Some("isolated") => install.linker = Some(Linker::Isolated),
                Some("store") => install.linker = Some(Linker::Store),
                _ => return Err(self.wrong(value, name, "\"hoisted\", \"isolated\" or \"store\"")),
            },
            "backend" => {
                install.backend = Some(match text(value) {
                    Some("hardlink") => Backend::Hardlink,
                    Some("copyfile") => Backend::Copyfile,
                    Some("symlink") => Backend::Symlink,
                    _ => Backend::Clonefile,
                });
            }
            "publicHoistPattern" => install.public_hoist_pattern = Some(self.strings(value, name)?),
            "hoistPattern" => install.hoist_pattern = Some(self.strings(value, name)?),
            "hoist" => install.hoist = value.get_ref().as_bool().or(install.hoist),
            "minimumReleaseAge" => install.minimum_release_age = Some(self.age(value, name)?),
            "minimumReleaseAgeExcludes" => install.minimum_release_age_excludes = Some(known_strings(value)),
            "security" => self.security(install, value)?,
            "logLevel" => {
                install.log_level = match text(value) {
                    Some("debug") => Some(LogLevel::Debug),
                    Some("error") => Some(LogLevel::Error),
                    _ => None,
                };
            }
            _ => {}
        }
        Ok(())
    }

    fn directory(&self, value: &Value<'_>, name: &str) -> Outcome<String> {
        text(value).map(str::to_owned).ok_or_else(|| self.expected(value, name, "a directory"))
    }

    /// A URL, or a table of `url`, `token`, `username` and `password`. A scope without a URL (an empty one in the answer) is one of
    /// the default registry.
    fn registry(&self, value: &Value<'_>, name: &str, needs_url: bool) -> Outcome<Registry> {
        let wrong = || self.wrong(value, name, "a URL or a table with `url`");
        if let Some(url) = text(value) {
            return Ok(Registry { url: url.to_owned(), ..Registry::default() });
        }
        let DeValue::Table(table) = value.get_ref() else { return Err(wrong()) };
        let field = |key: &str| table.get(key).and_then(text).map(str::to_owned);
        Ok(Registry {
            url: match field("url") {
                Some(url) => url,
                None if needs_url => return Err(wrong()),
                None => String::new(),
            },
            token: field("token"),
            username: field("username"),
            password: field("password"),
        })
    }

    fn scopes(&self, scopes: &mut Vec<(String, Registry)>, value: &Value<'_>) -> Outcome<()> {
        let DeValue::Table(table) = value.get_ref() else { return Ok(()) };
        for (scope, value) in table {
            let scope = scope.get_ref();
            let scope = if scope.starts_with('@') { scope.to_string() } else { format!("@{scope}") };
            let registry = self.registry(value, &format!("install.scopes.{scope}"), false)?;
            scopes.retain(|(known, _)| *known != scope);
            scopes.push((scope, registry));
        }
        Ok(())
    }

    fn lockfile(&self, install: &mut Install, value: &Value<'_>) -> Outcome<()> {
        let DeValue::Table(table) = value.get_ref() else { return Ok(()) };
        let flag = |key: &str| table.get(key).and_then(|value| value.get_ref().as_bool());
        install.save_lockfile = flag("save");
        install.save_text_lockfile = flag("saveTextLockfile");
        if let Some(print) = table.get("print") {
            if text(print) != Some("yarn") {
                return Err(self.wrong(print, "install.lockfile.print", "\"yarn\""));
            }
            install.print_yarn = true;
        }
        Ok(())
    }

    fn age(&self, value: &Value<'_>, name: &str) -> Outcome<u64> {
        let seconds = integer(value).and_then(|seconds| u64::try_from(seconds).ok());
        let seconds = seconds.or_else(|| text(value).and_then(duration));
        seconds.ok_or_else(|| self.wrong(value, name, "seconds, or a duration such as \"3d\""))
    }

    fn security(&self, install: &mut Install, value: &Value<'_>) -> Outcome<()> {
        let DeValue::Table(table) = value.get_ref() else { return Ok(()) };
        install.scanner = match table.get("scanner") {
            Some(scanner) => match text(scanner) {
                Some(name) => Some(name.to_owned()),
                None => {
                    return Err(self.expected(scanner, "install.security.scanner", "the name of a package or a path"));
                }
            },
            None => Some(String::new()),
        };
        Ok(())
    }
}

/// The place of a key that is true or false and must not be anything else.
fn flag<'i>(install: &'i mut Install, key: &str) -> Option<&'i mut Option<bool>> {
    Some(match key {
        "optional" => &mut install.optional,
        "dev" => &mut install.dev,
        "peer" => &mut install.peer,
        "production" => &mut install.production,
        "exact" => &mut install.exact,
        "engineStrict" => &mut install.engine_strict,
        "ignoreScripts" => &mut install.ignore_scripts,
        "frozenLockfile" => &mut install.frozen_lockfile,
        "dryRun" => &mut install.dry_run,
        "linkWorkspacePackages" => &mut install.link_workspace_packages,
        "globalStore" => &mut install.global_store,
        "saveTextLockfile" => &mut install.text_lockfile,
        _ => return None,
    })
}

fn cache(install: &mut Install, value: &Value<'_>) {
    match value.get_ref() {
        DeValue::String(dir) => install.cache_dir = Some(dir.to_string()),
        DeValue::Boolean(on) => install.own_cache = !on,
        DeValue::Table(table) => {
            install.cache_dir = table.get("dir").and_then(text).map(str::to_owned);
            let on = |key: &str| table.get(key).is_some_and(|value| value.get_ref().as_bool() == Some(true));
            install.no_cache = on("disableManifest");
            install.own_cache = on("disable");
        }
        _ => {}
    }
}

/// The strings of an array, or one string; other values do not count.
fn known_strings(value: &Value<'_>) -> Vec<String> {
    match value.get_ref() {
        DeValue::String(one) => vec![one.to_string()],
        DeValue::Array(items) => items.iter().filter_map(text).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
