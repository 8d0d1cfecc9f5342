//! yarn.lock of Yarn 2 and newer ("berry"), `__metadata.version` 3 to 10: YAML, an entry for each locator with the descriptors that
//! lead to it (yarnpkg.com/advanced/lexicon; the fields are those that yarn's Project.generateLockfile writes).
//!
//! `checksum` is that of yarn's own archive, not of the tarball: digests come from the manifests. A `patch:` entry is the package that
//! it patches; the patch itself goes to `patchedDependencies`, unless it is one of yarn's own.

use super::builder::{Builder, Found, NewDep};
use super::settings::{Json, Target, YarnRc};
use crate::error::Result;
use crate::lockfile::Loaded;
use crate::model::graph::{Behavior, Bin, PackageId};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, Collector, LIBC, OS};
use crate::model::spec::{Spec, valid_name};
use crate::model::string_arena::hash;
use crate::net::url::decode;
use crate::project::Manifest;
use json::{Node, Value};
use rustc_hash::FxHashMap;
use semver::Version;
use yaml::Yaml;

const FILE: &str = "yarn.lock";
const GROUPS: [&str; 5] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "resolutions"];

/// Whether a yarn.lock is of this format and not of Yarn 1.
pub(crate) fn is_berry(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("__metadata:"))
}

/// Name and what follows the `@`; the name keeps its scope.
fn split(text: &str) -> Option<(&str, &str)> {
    let at = text.get(1..)?.find('@')? + 1;
    Some((&text[..at], &text[at + 1..]))
}

/// A reference without what follows `::`, and the value of one of those parameters, decoded.
fn parameter(reference: &str, key: &str) -> (String, Option<String>) {
    let (head, tail) = reference.split_once("::").unwrap_or((reference, ""));
    let value = tail.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
    (head.to_owned(), value.map(decode))
}

/// `npm:^1.0.0` is `^1.0.0`; an alias, `npm:other@^1`, stays.
fn bare(range: &str) -> &str {
    match range.strip_prefix("npm:") {
        Some(rest) if split(rest).is_some_and(|(name, _)| valid_name(name)) => range,
        Some(rest) if valid_name(rest) && semver::Range::parse(rest).is_none() && rest.starts_with('@') => range,
        Some(rest) => rest,
        None => range,
    }
}

/// What a `patch:` reference patches (`name@npm:1.0.0`) and the patch (`~/.yarn/patches/x.patch`), both decoded.
fn patch_parts(reference: &str) -> Option<(String, String)> {
    let rest = reference.strip_prefix("patch:")?;
    let rest = rest.split("::").next().unwrap_or(rest);
    let (inner, source) = rest.split_once('#').unwrap_or((rest, ""));
    Some((decode(inner), decode(source)))
}

/// What this program reads in place of a range that only yarn knows.
fn readable(range: &str) -> Option<String> {
    if let Some((inner, _)) = patch_parts(range) {
        let reference = split(&inner).map_or(inner.as_str(), |(_, reference)| reference);
        let head = reference.split("::").next().unwrap_or(reference);
        return Some(bare(head).to_owned());
    }
    if let Some(path) = range.strip_prefix("portal:") {
        return Some(format!("file:{path}"));
    }
    let plain = bare(range);
    (plain != range).then(|| plain.to_owned())
}

/// A manifest whose ranges were rewritten.
pub(crate) struct Rewritten {
    pub text: String,
    /// Name and the range as yarn knows it.
    pub originals: Vec<(String, String)>,
}

/// Rewrites the ranges of a package.json that only yarn understands; nothing where there are none.
pub(crate) fn rewrite(text: &str) -> Option<Rewritten> {
    let value = Value::parse(text.as_bytes()).ok()?;
    let mut target = Target::new(text);
    let mut originals = Vec::new();
    for group in GROUPS {
        for member in value.get(group).map_or(&[][..], Value::members) {
            let Some(new) = member.value.str().and_then(readable) else { continue };
            target.set(&[group, &member.key], &Json::Text(new));
            if group != "resolutions" {
                originals.push((member.key.to_string(), member.value.str().unwrap_or("").to_owned()));
            }
        }
    }
    target.finish().map(|text| Rewritten { text, originals })
}

struct Entry<'y> {
    value: &'y Yaml<'y>,
    name: &'y str,
    /// What follows the name in `resolution`.
    reference: &'y str,
}

/// The file, indexed.
pub(crate) struct Lock<'y> {
    entries: Vec<Entry<'y>>,
    /// Descriptor → entry.
    descriptors: FxHashMap<u64, usize>,
    /// `name@reference` without parameters → entry.
    locators: FxHashMap<u64, usize>,
}

/// Takes the documents that [`yaml::parse`] gave.
///
/// # Errors
/// It is no lockfile of a known version; an entry has no resolution.
pub(crate) fn index<'y>(documents: &'y [Yaml<'y>]) -> Result<Lock<'y>> {
    let Some(root) = documents.first().filter(|root| root.is_map()) else {
        return Err(super::invalid(FILE, "it is no mapping"));
    };
    let version = root.get("__metadata").map_or("", |metadata| metadata.text("version"));
    match version.parse::<u32>() {
        Ok(3..=10) => {}
        Ok(_) => return Err(super::unsupported(FILE, version, "yarn install --mode=update-lockfile")),
        Err(_) => return Err(super::invalid(FILE, "it has no __metadata.version")),
    }
    let count = root.entries().len();
    let mut lock =
        Lock { entries: Vec::with_capacity(count), descriptors: FxHashMap::default(), locators: FxHashMap::default() };
    for (key, value) in root.entries() {
        if key == "__metadata" {
            continue;
        }
        let Some((name, reference)) = split(value.text("resolution")) else {
            return Err(super::invalid(FILE, &format!("the entry \"{key}\" has no resolution")));
        };
        let at = lock.entries.len();
        for descriptor in key.split(',') {
            lock.descriptors.insert(hash(descriptor.trim()), at);
        }
        let (head, _) = parameter(reference, "");
        lock.locators.insert(hash(&format!("{name}@{}", decode(&head))), at);
        lock.entries.push(Entry { value, name, reference });
    }
    Ok(lock)
}

impl Lock<'_> {
    /// The path of the workspace that a `::locator=` parameter names.
    fn base(locator: Option<String>) -> String {
        let path = locator.as_deref().and_then(split).and_then(|(_, reference)| reference.strip_prefix("workspace:"));
        path.filter(|path| *path != ".").unwrap_or("").to_owned()
    }

    fn patched_entry(&self, entry: &Entry<'_>) -> Option<usize> {
        let (inner, _) = patch_parts(entry.reference)?;
        let inner = inner.split("::").next().unwrap_or(&inner).to_owned();
        let key = if split(&inner).is_some() { inner } else { format!("{}@{inner}", entry.name) };
        self.locators.get(&hash(&key)).copied()
    }

    /// `name@version` and path of the project's own patches.
    pub(crate) fn patches(&self) -> Vec<(String, String)> {
        let mut list: Vec<(String, String)> = Vec::new();
        for entry in &self.entries {
            let Some((_, source)) = patch_parts(entry.reference) else { continue };
            let source = source.strip_prefix("optional!").unwrap_or(&source);
            let Some(real) = self.patched_entry(entry) else { continue };
            let real = &self.entries[real];
            let Some(version) = real.reference.strip_prefix("npm:") else { continue };
            if source.is_empty() || source.contains("builtin<") {
                continue;
            }
            let path = match source.strip_prefix("~/") {
                Some(path) => path.to_owned(),
                None => crate::model::paths::normalize(&Self::base(parameter(entry.reference, "locator").1), source),
            };
            let label = format!("{}@{}", real.name, version.split("::").next().unwrap_or(version));
            if !list.iter().any(|(known, _)| *known == label) {
                list.push((label, path));
            }
        }
        list
    }
}

/// What the graph is made from besides the lockfile.
pub(crate) struct Context<'c> {
    /// With rewritten ranges.
    pub manifests: &'c [Manifest],
    /// Ranges of the members before they were rewritten: index of the manifest, name, range.
    pub originals: &'c [(usize, String, String)],
    /// `resolutions` of the root before they were rewritten.
    pub resolutions: &'c [(String, String)],
    pub yarnrc: &'c YarnRc,
    /// URL of a registry package's tarball as the graph has it.
    pub archive: &'c dyn Fn(&str, &str) -> String,
}

/// A `resolutions` key: the parent, the name, the range of the dependency (the last two of a path of them).
fn pattern(key: &str) -> (&str, &str, &str) {
    let mut segments: Vec<&str> = Vec::new();
    let mut start = 0;
    let bytes = key.as_bytes();
    let mut at = 0;
    while at <= bytes.len() {
        if at == bytes.len() || bytes[at] == b'/' {
            let segment = &key[start..at];
            if !(segment.starts_with('@') && !segment.contains('/') && at < bytes.len()) {
                segments.push(segment);
                start = at + 1;
            }
        }
        at += 1;
    }
    let last = segments.pop().unwrap_or("");
    let parent = segments.pop().filter(|parent| *parent != "**").unwrap_or("");
    let parent = split(parent).map_or(parent, |(name, _)| name);
    match split(last) {
        Some((name, range)) => (parent, name, range),
        None => (parent, last, ""),
    }
}

struct Reader<'y, 'c> {
    lock: &'c Lock<'y>,
    context: &'c Context<'c>,
    /// Package of each entry.
    packages: Vec<PackageId>,
    patterns: Vec<(&'c str, &'c str, &'c str, &'c str)>,
}

/// The graph.
///
/// # Errors
/// A package has a name or version that cannot be one; a dependency of a package has no entry.
pub(crate) fn build(
    lock: &Lock<'_>,
    text: usize,
    context: &Context<'_>,
    warn: &mut dyn FnMut(String),
) -> Result<Loaded> {
    let mut builder = Builder::new(lock.entries.len(), text);
    let mut reader = Reader {
        lock,
        context,
        packages: vec![NO_ID; lock.entries.len()],
        patterns: context
            .resolutions
            .iter()
            .map(|(key, target)| {
                let (parent, name, range) = pattern(key);
                (parent, name, range, target.as_str())
            })
            .collect(),
    };
    let mut pending: Vec<(PackageId, usize)> = Vec::new();
    for (at, entry) in lock.entries.iter().enumerate() {
        if let Some((id, new)) = reader.package(&mut builder, entry, warn)? {
            reader.packages[at] = id;
            if new {
                pending.push((id, at));
            }
        }
    }
    for (at, entry) in lock.entries.iter().enumerate() {
        if entry.reference.starts_with("patch:") {
            match lock.patched_entry(entry) {
                Some(real) => reader.packages[at] = reader.packages[real],
                None => warn(format!("skipped the patch {}: what it patches is not in {FILE}", entry.reference)),
            }
        }
    }
    for (id, at) in pending {
        reader.dependencies(&mut builder, id, &lock.entries[at])?;
    }
    builder.members(context.manifests, |path, name, literal, behavior| {
        let place = context.manifests.iter().position(|manifest| manifest.path == path)?;
        let original = context.originals.iter().find(|(at, known, _)| *at == place && known == name);
        let literal = original.map_or(literal, |(_, _, range)| range.as_str());
        let own = if path.is_empty() { "." } else { path };
        let found = reader.find("", name, literal, Some(own));
        // A path in the workspace needs no package here: the resolver reads it.
        match found {
            None if literal.starts_with("link:") || literal.starts_with("portal:") => Some(NO_ID),
            None if behavior.has(Behavior::PEER) => None,
            found => found,
        }
    })?;
    Ok(builder.finish(0))
}

impl Reader<'_, '_> {
    fn package(
        &self,
        builder: &mut Builder,
        entry: &Entry<'_>,
        warn: &mut dyn FnMut(String),
    ) -> Result<Option<(PackageId, bool)>> {
        let (head, archive) = parameter(entry.reference, "__archiveUrl");
        let name = entry.name;
        if head.starts_with("workspace:") || head.starts_with("patch:") {
            return Ok(None);
        }
        if !valid_name(name) {
            return Err(super::invalid(FILE, &format!("\"{name}\" is not a package name")));
        }
        let mut found = Found { name, kind: Kind::Npm, value: "", extra: "", integrity: Integrity::None };
        let url;
        let path;
        if let Some(version) = head.strip_prefix("npm:") {
            if Version::parse(version).is_none() {
                return Err(super::invalid(FILE, &format!("\"{version}\" is not a version of {name}")));
            }
            url = match archive {
                Some(url) => super::archive(&url).to_owned(),
                None => (self.context.archive)(name, version),
            };
            found = Found { value: version, extra: &url, ..found };
            let (id, new) = builder.package(&found);
            if new {
                details(builder, id, entry, true);
            }
            return Ok(Some((id, new)));
        }
        let local = ["file:", "portal:", "link:"].iter().find_map(|prefix| Some((*prefix, head.strip_prefix(prefix)?)));
        if let Some((prefix, rest)) = local {
            let rest = rest.split('#').next().unwrap_or(rest);
            if prefix == "link:" {
                return Ok(None);
            }
            path = crate::model::paths::normalize(&Lock::base(parameter(entry.reference, "locator").1), rest);
            if self.context.manifests.iter().skip(1).any(|manifest| manifest.path == path) {
                return Ok(None);
            }
            if prefix == "portal:" {
                warn(format!(
                    "migrating \"{name}@{head}\" as \"file:{path}\": folder is copied, not linked (make it a workspace to keep it linked)"
                ));
            }
            let tarball = matches!(Spec::parse(rest), Spec::TarballFile(_));
            found = Found { kind: if tarball { Kind::TarballFile } else { Kind::Folder }, value: &path, ..found };
        } else if let Some((url, fragment)) = head.split_once('#').filter(|(_, fragment)| fragment.contains("commit="))
        {
            let commit = fragment.split('&').find_map(|part| part.strip_prefix("commit=")).unwrap_or("");
            if !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(super::invalid(FILE, &format!("\"{commit}\" of {name} is not a commit")));
            }
            path = match url.strip_prefix("github:") {
                Some(repo) => format!("https://github.com/{repo}.git"),
                None => url.strip_prefix("git+").unwrap_or(url).to_owned(),
            };
            let (id, new) = builder.package(&Found { kind: Kind::Git, value: &path, extra: commit, ..found });
            if new {
                details(builder, id, entry, false);
            }
            return Ok(Some((id, new)));
        } else if head.starts_with("https://") || head.starts_with("http://") {
            found = Found { kind: Kind::TarballUrl, value: &head, ..found };
        } else {
            warn(format!("skipped \"{name}@{head}\" from {FILE}: unknown protocol (resolved from package.json)"));
            return Ok(None);
        }
        let (id, new) = builder.package(&found);
        if new {
            details(builder, id, entry, false);
        }
        Ok(Some((id, new)))
    }

    fn lookup(&self, key: &str) -> Option<PackageId> {
        self.lock.descriptors.get(&hash(key)).map(|&at| self.packages[at])
    }

    /// The package of a dependency of `owner` (a name; empty for a member). `member`: its path, against which paths are meant.
    fn find(&self, owner: &str, name: &str, literal: &str, member: Option<&str>) -> Option<PackageId> {
        for (parent, known, range, target) in &self.patterns {
            let fits = *known == name
                && !parent.is_empty()
                && *parent == owner
                && (range.is_empty() || bare(range) == bare(literal));
            if fits && let Some(found) = self.target(name, target) {
                return Some(found);
            }
        }
        let catalog = literal.strip_prefix("catalog:").and_then(|group| self.context.yarnrc.range(group, name));
        let literal = catalog.unwrap_or(literal);
        let protocol =
            literal.split_once(':').is_some_and(|(head, _)| head.bytes().all(|byte| byte.is_ascii_alphabetic()));
        let exact = format!("{name}@{literal}");
        if let Some(found) = self.lookup(&exact) {
            return Some(found);
        }
        if !protocol {
            let range = if literal.is_empty() { "*" } else { literal };
            let found = match Spec::parse(literal) {
                Spec::GitHub { .. } => self.lookup(&format!("{name}@github:{range}")),
                _ => self.lookup(&format!("{name}@npm:{range}")),
            };
            if found.is_some() {
                return found;
            }
        }
        if let Some(path) = member {
            // Relative paths are kept by the workspace that declares them, whose name only its own entry has.
            let suffix = format!("@workspace:{path}");
            let workspace = self.lock.entries.iter().find(|entry| entry.reference == &suffix[1..]);
            if let Some(workspace) = workspace {
                let mut locator = String::new();
                for byte in format!("{}{suffix}", workspace.name).bytes() {
                    match byte {
                        b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => locator.push(char::from(byte)),
                        byte if byte.is_ascii_alphanumeric() => locator.push(char::from(byte)),
                        byte => locator.push_str(&format!("%{byte:02X}")),
                    }
                }
                if let Some(found) = self.lookup(&format!("{exact}::locator={locator}")) {
                    return Some(found);
                }
            }
        }
        self.patterns
            .iter()
            .filter(|(parent, known, range, _)| {
                parent.is_empty() && *known == name && (range.is_empty() || bare(range) == bare(literal))
            })
            .find_map(|(_, _, _, target)| self.target(name, target))
    }

    /// The package that the value of a resolution means.
    fn target(&self, name: &str, target: &str) -> Option<PackageId> {
        if let Some((inner, _)) = patch_parts(target) {
            return self.lookup(&format!("{name}@{target}")).or_else(|| {
                self.lookup(&inner).or_else(|| self.lock.locators.get(&hash(&inner)).map(|&at| self.packages[at]))
            });
        }
        let keys = match target.strip_prefix("npm:") {
            Some(rest) if bare(target) == target => {
                [format!("{name}@{target}"), rest.replacen('@', "@npm:", 1 + usize::from(rest.starts_with('@')))]
            }
            Some(_) => [format!("{name}@{target}"), String::new()],
            None => [format!("{name}@npm:{target}"), format!("{name}@{target}")],
        };
        keys.iter().find_map(|key| {
            self.lookup(key).or_else(|| self.lock.locators.get(&hash(key)).map(|&at| self.packages[at]))
        })
    }

    fn dependencies(&self, builder: &mut Builder, id: PackageId, entry: &Entry<'_>) -> Result<()> {
        let optional = |meta: &str, name: &str| {
            entry.value.get(meta).and_then(|meta| meta.get(name)).is_some_and(|flags| flags.text("optional") == "true")
        };
        let mut list: Vec<NewDep<'_>> = Vec::new();
        for (name, range) in entry.value.get("dependencies").map_or(&[][..], Yaml::entries) {
            let Some(range) = range.str() else { continue };
            let is_optional = optional("dependenciesMeta", name);
            let target = match self.find(entry.name, name, range, None) {
                Some(found) => found,
                None if is_optional => NO_ID,
                None => {
                    let what = format!("it has no entry for {name}@{range}, a dependency of {}", entry.name);
                    return Err(super::invalid(FILE, &what));
                }
            };
            let behavior = if is_optional { Behavior::OPTIONAL } else { Behavior::PROD };
            list.push(NewDep { name, literal: bare(range), behavior, target });
        }
        let peers = entry.value.get("peerDependencies").map_or(&[][..], Yaml::entries);
        for (name, range) in peers {
            let Some(range) = range.str() else { continue };
            let flag = if optional("peerDependenciesMeta", name) { Behavior::OPTIONAL } else { 0 };
            let target = self.find(entry.name, name, range, None).unwrap_or(NO_ID);
            list.push(NewDep { name, literal: bare(range), behavior: Behavior::PEER | flag, target });
        }
        for (name, _) in entry.value.get("peerDependenciesMeta").map_or(&[][..], Yaml::entries) {
            if optional("peerDependenciesMeta", name) && !peers.iter().any(|(known, _)| known == name) {
                list.push(NewDep { name, literal: "*", behavior: Behavior::PEER | Behavior::OPTIONAL, target: NO_ID });
            }
        }
        builder.dependencies(id, &list)?;
        Ok(())
    }
}

/// Bins and, of a registry package, `conditions`: `(os=linux | os=win32) & cpu=x64 & libc=glibc`.
fn details(builder: &mut Builder, id: PackageId, entry: &Entry<'_>, platforms: bool) {
    let graph = &mut builder.graph;
    let bins = entry.value.get("bin").map_or(&[][..], Yaml::entries);
    if !bins.is_empty() {
        let off = graph.bin_entries.len() as u32;
        for (name, path) in bins {
            let pair = (graph.text.add(name), graph.text.add(path.str().unwrap_or("")));
            graph.bin_entries.push(pair);
        }
        graph.packages.bin[id as usize] = Bin::Map(off, bins.len() as u32);
    }
    let conditions = entry.value.text("conditions");
    if !platforms || conditions.is_empty() {
        return;
    }
    for (key, names) in [("os=", &OS), ("cpu=", &CPU), ("libc=", &LIBC)] {
        let mut collector = Collector::default();
        conditions
            .split(['&', '|'])
            .filter_map(|term| term.trim_matches([' ', '(', ')']).strip_prefix(key))
            .for_each(|name| names.apply(&mut collector, name));
        let set = names.combine(collector);
        match key {
            "os=" => graph.packages.os[id as usize] = set,
            "cpu=" => graph.packages.cpu[id as usize] = set,
            _ => graph.packages.libc[id as usize] = set,
        }
    }
}

/// The `resolutions` of a package.json.
pub(crate) fn resolutions(text: &str) -> Vec<(String, String)> {
    let Ok(value) = Value::parse(text.as_bytes()) else { return Vec::new() };
    let members = value.get("resolutions").map_or(&[][..], Value::members);
    members
        .iter()
        .filter_map(|member| match &member.value.node {
            Node::String(target) => Some((member.key.to_string(), target.to_string())),
            _ => None,
        })
        .collect()
}

/// The documents of a text, with an error that names the file.
///
/// # Errors
/// The text is no YAML.
pub(crate) fn documents(text: &str) -> Result<Vec<Yaml<'_>>> {
    yaml::parse(text, yaml::Options::TEXT).map_err(|error| super::invalid(FILE, &error.to_string()))
}
