//! Settings: command line over environment over .npmrc and bunfig.toml over defaults.

mod args;
mod bunfig_file;
pub(crate) mod command_flags;
mod env_files;
mod npmrc;
mod release_age;

#[cfg(test)]
pub(crate) use args::flag_names;
pub(crate) use bunfig::Backend;

pub(crate) use args::{Options, Save, parse as parse_args};

use crate::error::Result;
use crate::model::plan::Linker;
use crate::net::Settings;
use crate::net::url::Url;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    /// With a slash at the end.
    pub url: String,
    /// Value of `authorization`.
    pub authorization: Option<String>,
}

impl Registry {
    pub fn new(url: &str) -> Self {
        let mut url = url.trim().to_owned();
        let mut authorization = None;
        if let Some(parsed) = Url::parse(&url)
            && !parsed.credentials.is_empty()
        {
            authorization = Some(basic(&crate::net::url::decode(parsed.credentials)));
            let scheme = if parsed.tls { "https" } else { "http" };
            url = format!("{scheme}://{}{}", parsed.authority, parsed.path);
        }
        // What is no URL stays as it was written, for the message about it.
        if !url.ends_with('/') && Url::parse(&url).is_some() {
            url.push('/');
        }
        Self { url, authorization }
    }
}

/// `Basic` credentials for `user:password`.
pub(crate) fn basic(pair: &str) -> String {
    let mut value = "Basic ".to_owned();
    crate::model::integrity::base64(pair.as_bytes(), &mut value);
    value
}

/// Credentials for everything below `host/path/`.
#[derive(Clone, Debug)]
pub struct Credential {
    /// `host[:port]/path/`
    pub prefix: String,
    pub authorization: String,
}

/// Everything that a command needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    pub registry: Registry,
    /// Scope with `@`, and its registry. Until all settings are read, an empty URL is that of `registry`.
    pub scopes: Vec<(String, Registry)>,
    pub credentials: Vec<Credential>,
    pub cache_dir: PathBuf,
    pub global_dir: PathBuf,
    pub global_bin: PathBuf,
    pub net: Settings,
    pub production: bool,
    pub omit_dev: bool,
    pub omit_optional: bool,
    pub omit_peer: bool,
    pub exact: bool,
    pub frozen: bool,
    pub dry_run: bool,
    /// `pm materialize`: packages that the store linker puts on the disk; `*`: all.
    pub materialize: Vec<String>,
    pub save: bool,
    pub lockfile_only: bool,
    pub save_lockfile: bool,
    /// bun.lockb is replaced by bun.lock, also where the lockfile is frozen.
    pub save_text: bool,
    /// `saveTextLockfile = false`: a new lockfile is a bun.lockb.
    pub save_binary: bool,
    /// yarn.lock is written beside bun.lock.
    pub yarn: bool,
    pub ignore_scripts: bool,
    pub force: bool,
    pub offline: bool,
    pub prefer_offline: bool,
    pub no_cache: bool,
    /// `cache.disable` in bunfig.toml: the cache is `node_modules/.cache` of the project.
    pub own_cache: bool,
    pub silent: bool,
    /// Only what another program would read (`pack`, `publish`).
    pub quiet: bool,
    pub verbose: bool,
    /// Mismatches of `engines` and `packageManager` are errors.
    pub engine_strict: bool,
    pub ignore_engines: bool,
    /// Integrity of downloads is checked.
    pub verify: bool,
    /// bun.lock is not read (BUN_CONFIG_SKIP_LOAD_LOCKFILE).
    pub skip_lockfile: bool,
    /// Nothing is put into node_modules (BUN_CONFIG_SKIP_INSTALL_PACKAGES).
    pub skip_install: bool,
    pub progress: bool,
    pub summary: bool,
    pub trust: bool,
    pub global: bool,
    pub link_workspaces: bool,
    pub linker: Option<Linker>,
    pub backend: Backend,
    pub global_store: bool,
    /// `false`: nothing is put in `node_modules/.bun/node_modules`, whatever the pattern says.
    pub hoist: bool,
    pub hoist_pattern: Vec<String>,
    pub public_hoist_pattern: Vec<String>,
    pub concurrent_scripts: usize,
    /// Seconds.
    pub minimum_release_age: u64,
    pub minimum_release_age_excludes: Vec<String>,
    /// `[install.security] scanner`: a module that looks at packages before they are installed.
    pub scanner: Option<String>,
    pub filter: Vec<String>,
    pub target: crate::model::platform::Target,
    /// Peer dependencies are installed (`peer = false` in bunfig.toml turns it off).
    pub peer: bool,
    /// `provenance` of .npmrc, which `publish` refuses.
    pub provenance: bool,
}

/// The cache of a project that uses no shared one.
const OWN_CACHE: &str = "node_modules/.cache";

fn home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Config {
    fn defaults() -> Self {
        let base = variable("BUN_INSTALL").map_or_else(|| home().join(".bun"), PathBuf::from);
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            registry: Registry::new(crate::model::registry_url::DEFAULT_REGISTRY),
            scopes: Vec::new(),
            credentials: Vec::new(),
            cache_dir: base.join("install/cache"),
            global_dir: base.join("install/global"),
            global_bin: base.join("bin"),
            net: Settings::default(),
            production: false,
            omit_dev: false,
            omit_optional: false,
            omit_peer: false,
            exact: false,
            frozen: false,
            dry_run: false,
            materialize: Vec::new(),
            save: true,
            lockfile_only: false,
            save_lockfile: true,
            save_binary: false,
            save_text: false,
            yarn: false,
            ignore_scripts: false,
            force: false,
            offline: false,
            prefer_offline: false,
            no_cache: false,
            own_cache: false,
            silent: false,
            quiet: false,
            verbose: false,
            engine_strict: false,
            ignore_engines: false,
            verify: true,
            skip_lockfile: false,
            skip_install: false,
            progress: true,
            summary: true,
            trust: false,
            global: false,
            link_workspaces: true,
            linker: None,
            backend: Backend::Hardlink,
            global_store: false,
            hoist: true,
            hoist_pattern: Vec::new(),
            public_hoist_pattern: Vec::new(),
            concurrent_scripts: cores * 2,
            minimum_release_age: 0,
            minimum_release_age_excludes: Vec::new(),
            scanner: None,
            filter: Vec::new(),
            target: crate::model::platform::Target::here(),
            peer: true,
            provenance: false,
        }
    }

    /// Settings for the project at `root`.
    pub fn load(root: &Path, options: &Options) -> Result<Self> {
        env_files::load(root, &options.env_files, options.no_env_file)?;
        let mut config = Self::defaults();
        let mut auth = npmrc::Auth::default();
        let user_npmrc = variable("NPM_CONFIG_USERCONFIG").or_else(|| variable("npm_config_userconfig"));
        npmrc::apply(&mut config, &mut auth, &user_npmrc.map_or_else(|| home().join(".npmrc"), PathBuf::from))?;
        npmrc::apply(&mut config, &mut auth, &root.join(".npmrc"))?;
        auth.finish(&mut config);
        let global = variable("XDG_CONFIG_HOME")
            .map_or_else(|| home().join(".bunfig.toml"), |dir| Path::new(&dir).join(".bunfig.toml"));
        bunfig_file::apply(&mut config, &global, false)?;
        match &options.config {
            Some(path) => bunfig_file::apply(&mut config, Path::new(path), true)?,
            None => bunfig_file::apply(&mut config, &root.join("bunfig.toml"), false)?,
        }
        config.environment();
        options.apply(&mut config)?;
        if config.own_cache {
            config.cache_dir = root.join(OWN_CACHE);
        }
        release_age::check_excludes(&mut config.minimum_release_age_excludes);
        if !config.hoist {
            config.hoist_pattern = vec!["!*".to_owned()];
        }
        config.attach();
        Ok(config)
    }

    /// The settings of one .npmrc over the defaults.
    pub fn from_npmrc(text: &str) -> Self {
        let mut config = Self::defaults();
        let mut auth = npmrc::Auth::default();
        npmrc::apply_text(&mut config, &mut auth, text);
        auth.finish(&mut config);
        config.attach();
        config
    }

    fn environment(&mut self) {
        let either = |names: &[&str]| names.iter().find_map(|name| variable(name));
        if let Some(url) = either(&["BUN_CONFIG_REGISTRY", "NPM_CONFIG_REGISTRY", "npm_config_registry"]) {
            self.registry = Registry::new(&url);
        }
        if let Some(token) = either(&["BUN_CONFIG_TOKEN", "NPM_CONFIG_TOKEN", "npm_config_token"]) {
            self.registry.authorization = Some(format!("Bearer {token}"));
        }
        if let Some(dir) = variable("BUN_INSTALL_CACHE_DIR") {
            self.cache_dir = PathBuf::from(dir);
        }
        if let Some(dir) = variable("BUN_INSTALL_GLOBAL_DIR") {
            self.global_dir = PathBuf::from(dir);
        }
        if let Some(dir) = variable("BUN_INSTALL_BIN") {
            self.global_bin = PathBuf::from(dir);
        }
        let number = |name: &str| variable(name).and_then(|value| value.parse::<u32>().ok());
        if let Some(on) = number("BAO_CONFIG_HTTP2") {
            self.net.http2 = on != 0;
        }
        if let Some(count) = number("BUN_CONFIG_MAX_HTTP_REQUESTS") {
            self.net.connections = count.clamp(1, 1024) as usize;
        }
        if let Some(count) = number("BUN_CONFIG_HTTP_RETRY_COUNT") {
            self.net.retries = count;
        }
        if let Some(pause) = number("BUN_CONFIG_HTTP_RETRY_BACKOFF") {
            self.net.backoff = Duration::from_millis(u64::from(pause));
        }
        if let Some(seconds) = number("BUN_CONFIG_HTTP_IDLE_TIMEOUT") {
            self.net.idle = Duration::from_secs(u64::from(seconds.max(1)));
        }
        let on = |name: &str| variable(name).is_some_and(|value| value != "0" && value != "false");
        self.yarn |= on("BUN_CONFIG_YARN_LOCKFILE");
        self.save_lockfile &= !on("BUN_CONFIG_SKIP_SAVE_LOCKFILE");
        self.skip_lockfile |= on("BUN_CONFIG_SKIP_LOAD_LOCKFILE");
        self.skip_install |= on("BUN_CONFIG_SKIP_INSTALL_PACKAGES");
        self.engine_strict |= on("NPM_CONFIG_ENGINE_STRICT") || on("npm_config_engine_strict");
        self.ignore_scripts |= on("NPM_CONFIG_IGNORE_SCRIPTS") || on("npm_config_ignore_scripts");
        if variable("BUN_INSTALL_GLOBAL_STORE").is_some() {
            self.global_store = on("BUN_INSTALL_GLOBAL_STORE");
        }
        self.net.https_proxy = either(&["https_proxy", "HTTPS_PROXY"]).or_else(|| self.net.https_proxy.take());
        self.net.http_proxy = either(&["http_proxy", "HTTP_PROXY"]).or_else(|| self.net.http_proxy.take());
        if let Some(list) = either(&["no_proxy", "NO_PROXY"]) {
            self.net.no_proxy = list;
        }
        for name in ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] {
            if let Some(file) = variable(name)
                && !self.net.trust.optional_files.contains(&file)
            {
                self.net.trust.optional_files.push(file);
            }
        }
        if let Some(list) = variable("SSL_CERT_DIR") {
            self.net.trust.directories.extend(list.split(':').filter(|dir| !dir.is_empty()).map(str::to_owned));
        }
        if variable("NODE_TLS_REJECT_UNAUTHORIZED").as_deref() == Some("0") {
            self.net.trust.insecure = true;
        }
        self.progress &= variable("CI").is_none() && variable("GITHUB_ACTIONS").is_none();
        self.net.user_agent =
            format!("bao/{} npm/? node/v25.8.0 {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS, "x64");
    }

    /// Gives the scopes that have only credentials the URL of the registry, and the registries theirs.
    fn attach(&mut self) {
        for (_, registry) in &mut self.scopes {
            if registry.url.is_empty() {
                registry.url.clone_from(&self.registry.url);
            }
        }
        let find = |credentials: &[Credential], url: &str| {
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            credentials
                .iter()
                .filter(|credential| rest.starts_with(&credential.prefix))
                .max_by_key(|credential| credential.prefix.len())
                .map(|credential| credential.authorization.clone())
        };
        if self.registry.authorization.is_none() {
            self.registry.authorization = find(&self.credentials, &self.registry.url);
        }
        for (_, registry) in &mut self.scopes {
            if registry.authorization.is_none() {
                registry.authorization = find(&self.credentials, &registry.url);
            }
        }
    }

    /// The registry of a package.
    pub fn registry_for(&self, name: &str) -> &Registry {
        if name.starts_with('@')
            && let Some((scope, _)) = name.split_once('/')
            && let Some((_, registry)) = self.scopes.iter().find(|(known, _)| known == scope)
        {
            return registry;
        }
        &self.registry
    }

    /// Credentials for a tarball: those of the longest prefix, else those of the registry where it is on the same host.
    pub fn authorization_for(&self, url: &str, registry: &Registry) -> Option<String> {
        let there = Url::parse(url)?;
        let known = std::iter::once(registry).chain([&self.registry]).chain(self.scopes.iter().map(|(_, one)| one));
        for one in known {
            // What is configured for https is not sent in the clear because a manifest says http.
            if let Some(here) = Url::parse(&one.url)
                && here.tls
                && !there.tls
                && here.host.eq_ignore_ascii_case(there.host)
            {
                return None;
            }
        }
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let own = self
            .credentials
            .iter()
            .filter(|credential| rest.starts_with(&credential.prefix))
            .max_by_key(|credential| credential.prefix.len())
            .map(|credential| credential.authorization.clone());
        let here = Url::parse(&registry.url)?;
        own.or_else(|| if there.same_origin(&here) { registry.authorization.clone() } else { None })
    }
}
