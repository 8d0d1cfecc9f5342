//! .npmrc: an INI file with `${VARIABLE}` in its values.

use super::{Config, Credential, Registry, basic};
use crate::error::{Error, Result};
use crate::model::plan::Linker;
use std::path::{Path, PathBuf};

/// Credentials as they come, one key at a time.
#[derive(Default)]
pub(super) struct Auth {
    entries: Vec<(String, Entry)>,
}

#[derive(Default)]
struct Entry {
    token: Option<String>,
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

impl Auth {
    fn entry(&mut self, prefix: &str) -> &mut Entry {
        let mut prefix = prefix.trim_start_matches("//").to_owned();
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        if let Some(at) = self.entries.iter().position(|(known, _)| *known == prefix) {
            return &mut self.entries[at].1;
        }
        self.entries.push((prefix, Entry::default()));
        let last = self.entries.len() - 1;
        &mut self.entries[last].1
    }

    pub(super) fn finish(self, config: &mut Config) {
        for (prefix, entry) in self.entries {
            let authorization = if let Some(token) = entry.token {
                format!("Bearer {token}")
            } else if let Some(auth) = entry.auth {
                format!("Basic {auth}")
            } else if let (Some(user), Some(password)) = (entry.username, entry.password) {
                let mut plain = vec![0u8; password.len()];
                let length = crate::model::integrity::unbase64(&password, &mut plain).unwrap_or(0);
                basic(&format!("{user}:{}", String::from_utf8_lossy(&plain[..length])))
            } else {
                continue;
            };
            config.credentials.push(Credential { prefix, authorization });
        }
    }
}

/// Replaces `${NAME}` and `${NAME?}`. An unset variable stays as it is, with `?` it becomes nothing.
fn expand(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let escaped = rest[..at].ends_with('\\');
        let Some(end) = rest[at..].find('}').map(|end| at + end) else { break };
        out.push_str(if escaped { &rest[..at - 1] } else { &rest[..at] });
        let name = &rest[at + 2..end];
        let optional = name.strip_suffix('?');
        match std::env::var(optional.unwrap_or(name)) {
            Ok(value) if !escaped => out.push_str(&value),
            _ if optional.is_some() && !escaped => {}
            _ => out.push_str(&rest[at..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn truth(value: &str) -> bool {
    value != "false" && value != "0"
}

/// Reads one file; a missing one is no error.
pub(super) fn apply(config: &mut Config, auth: &mut Auth, path: &Path) -> Result<()> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(());
        }
        Err(error) => return Err(Error::io("cannot read", path, error)),
    };
    apply_text(config, auth, &text);
    Ok(())
}

/// Takes the settings of a file's text.
pub(super) fn apply_text(config: &mut Config, auth: &mut Auth, text: &str) {
    let mut bare = None;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#', '[']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let value = value.trim();
        let quoted = value.len() >= 2
            && (value.starts_with('"') && value.ends_with('"') || value.starts_with('\'') && value.ends_with('\''));
        let value = if quoted { &value[1..value.len() - 1] } else { value };
        let value = expand(value).replace("\\n", "\n");
        let key = expand(key.trim());
        match key.as_str() {
            "_authToken" => bare = Some(format!("Bearer {value}")),
            "_auth" => bare = Some(format!("Basic {value}")),
            _ => set(config, auth, &key, &value),
        }
    }
    // Without a host it belongs to the registry of the same file, whichever of the two lines comes first.
    if bare.is_some() {
        config.registry.authorization = bare;
    }
}

fn set(config: &mut Config, auth: &mut Auth, key: &str, value: &str) {
    if key.starts_with("//") {
        if let Some((prefix, field)) = key.rsplit_once(':') {
            let entry = auth.entry(prefix);
            let value = Some(value.to_owned());
            match field {
                "_authToken" => entry.token = value,
                "_auth" => entry.auth = value,
                "username" => entry.username = value,
                "_password" => entry.password = value,
                _ => {}
            }
        }
        return;
    }
    if let Some(scope) = key.strip_suffix(":registry")
        && scope.starts_with('@')
    {
        config.scopes.retain(|(known, _)| known != scope);
        config.scopes.push((scope.to_owned(), Registry::new(value)));
        return;
    }
    let omit = |config: &mut Config, what: &str, on: bool| match what {
        "dev" => config.omit_dev = on,
        "optional" => config.omit_optional = on,
        "peer" => config.omit_peer = on,
        _ => {}
    };
    match key {
        "registry" => {
            let before = std::mem::replace(&mut config.registry, Registry::new(value));
            if before.url == config.registry.url && config.registry.authorization.is_none() {
                config.registry.authorization = before.authorization;
            }
        }
        "cache" => config.cache_dir = PathBuf::from(value),
        "cafile" => config.net.trust.files.push(value.to_owned()),
        "ca" | "ca[]" => config.net.trust.inline.push(value.to_owned()),
        "strict-ssl" => config.net.trust.insecure = !truth(value),
        "https-proxy" => config.net.https_proxy = Some(value.to_owned()),
        "proxy" | "http-proxy" => {
            config.net.http_proxy = Some(value.to_owned());
            if config.net.https_proxy.is_none() {
                config.net.https_proxy = Some(value.to_owned());
            }
        }
        "noproxy" | "no-proxy" => config.net.no_proxy = value.to_owned(),
        "maxsockets" => config.net.connections = value.parse().unwrap_or(config.net.connections).clamp(1, 1024),
        "save-exact" => config.exact = truth(value),
        "engine-strict" => config.engine_strict = truth(value),
        "loglevel" => {
            config.silent = value == "silent";
            config.verbose = matches!(value, "verbose" | "silly");
        }
        "progress" => config.progress = truth(value),
        "ignore-scripts" => config.ignore_scripts = truth(value),
        "dry-run" => config.dry_run = truth(value),
        "link-workspace-packages" => config.link_workspaces = truth(value),
        "omit" | "omit[]" => value.split([',', ' ']).for_each(|what| omit(config, what.trim(), true)),
        "include" | "include[]" => value.split([',', ' ']).for_each(|what| omit(config, what.trim(), false)),
        "production" => config.omit_dev = truth(value),
        "offline" => config.offline = truth(value),
        "prefer-offline" => config.prefer_offline = truth(value),
        "install-strategy" => {
            config.linker = match value {
                "linked" => Some(Linker::Isolated),
                "hoisted" => Some(Linker::Hoisted),
                _ => config.linker,
            }
        }
        "node-linker" => {
            config.linker = match value {
                "isolated" => Some(Linker::Isolated),
                "hoisted" => Some(Linker::Hoisted),
                _ => config.linker,
            }
        }
        "hoist-pattern" | "hoist-pattern[]" => config.hoist_pattern.push(value.to_owned()),
        "hoist" => config.hoist = truth(value),
        "public-hoist-pattern" | "public-hoist-pattern[]" => config.public_hoist_pattern.push(value.to_owned()),
        "provenance" => config.provenance = truth(value),
        "min-release-age" => {
            // npm counts days, pnpm minutes; the key with dashes is npm's.
            config.minimum_release_age = value.parse::<u64>().map_or(config.minimum_release_age, |days| days * 86_400);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables() {
        assert_eq!(expand("a${BAO_NO_SUCH}b"), "a${BAO_NO_SUCH}b");
        assert_eq!(expand("a${BAO_NO_SUCH?}b"), "ab");
        assert_eq!(expand("x${"), "x${");
    }
}
