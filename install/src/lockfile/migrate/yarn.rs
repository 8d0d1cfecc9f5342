//! yarn.lock of Yarn 1: blocks of `name@range, name@range:` with indented fields, close to YAML and none
//! (classic.yarnpkg.com/docs/yarn-lock; the grammar is that of yarn's own lockfile/parse.js).

use super::builder::{Builder, Found, NewDep};
use crate::error::Result;
use crate::lockfile::Loaded;
use crate::model::extras::Extras;
use crate::model::graph::{Behavior, PackageId};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::{Spec, valid_name};
use crate::model::string_arena::hash;
use crate::project::Manifest;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// One block.
#[derive(Default)]
struct Entry<'t> {
    patterns: Vec<Cow<'t, str>>,
    version: Cow<'t, str>,
    resolved: Cow<'t, str>,
    integrity: Cow<'t, str>,
    deps: Vec<(Cow<'t, str>, Cow<'t, str>, u8)>,
    line: usize,
}

/// Reads the file's text for the members of a project. `extras`: the overrides of package.json, which yarn has followed.
///
/// # Errors
/// A line is not of the format, or an entry has a name or version that cannot be one.
pub(crate) fn read(text: &str, manifests: &[Manifest], extras: &Extras) -> Result<Loaded> {
    let entries = parse(text)?;
    let mut builder = Builder::new(entries.len(), text.len());
    let mut patterns: FxHashMap<u64, PackageId> = FxHashMap::default();
    let mut pending: Vec<(PackageId, usize)> = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let (id, new) = add(&mut builder, entry)?;
        for pattern in &entry.patterns {
            patterns.insert(hash(pattern), id);
        }
        if new {
            pending.push((id, at));
        }
    }
    let mut key = String::new();
    let mut find = |name: &str, literal: &str| {
        key.clear();
        key.push_str(name);
        key.push('@');
        key.push_str(literal);
        patterns.get(&hash(&key)).copied()
    };
    let mut list: Vec<NewDep<'_>> = Vec::new();
    for &(id, at) in &pending {
        list.clear();
        for (name, literal, behavior) in &entries[at].deps {
            let target = find(name, literal).unwrap_or(NO_ID);
            list.push(NewDep { name, literal, behavior: *behavior, target });
        }
        builder.dependencies(id, &list)?;
    }
    builder.members(manifests, |_, name, literal, _| find(name, literal))?;
    // `resolutions` that name a parent lead from that parent's dependency to a block of their own.
    if extras.overrides.iter().any(|rule| !rule.parent.is_empty()) {
        for &(owner, _) in &pending {
            for dep in builder.graph.packages.deps[owner as usize].ids() {
                let wanted = crate::model::overrides::effective(&builder.graph, extras, dep, owner);
                let name = builder.graph.str(builder.graph.deps.name[dep as usize]);
                if let Some(found) = find(name, &wanted) {
                    builder.graph.deps.target[dep as usize] = found;
                }
            }
        }
    }
    Ok(builder.finish(0))
}

/// The name and the range of a pattern.
fn split(pattern: &str) -> (&str, &str) {
    let scope = usize::from(pattern.starts_with('@'));
    match pattern[scope..].find('@') {
        Some(at) => (&pattern[..at + scope], &pattern[at + scope + 1..]),
        None => (pattern, ""),
    }
}

fn add(builder: &mut Builder, entry: &Entry<'_>) -> Result<(PackageId, bool)> {
    let fail = |what: String| super::invalid("yarn.lock", &format!("{what} (line {})", entry.line));
    let (name, range) = split(&entry.patterns[0]);
    let (url, fragment) = entry.resolved.split_once('#').unwrap_or((&entry.resolved, ""));
    let spec = Spec::parse(range);
    let mut integrity = Integrity::parse(&entry.integrity);
    if integrity.is_none() {
        integrity = Integrity::shasum(fragment);
    }
    let real = match spec {
        Spec::Range { name: real, .. } | Spec::Tag { name: real, .. } if !real.is_empty() => real,
        _ => name,
    };
    if !valid_name(real) {
        return Err(fail(format!("\"{real}\" is not a package name")));
    }
    let mut found = Found { name: real, kind: Kind::Npm, value: &entry.version, extra: "", integrity };
    let codeload = url
        .strip_prefix("https://codeload.github.com/")
        .and_then(|rest| rest.split_once("/tar.gz/"))
        .filter(|(repo, _)| repo.matches('/').count() == 1);
    if let Some((repo, commit)) = codeload {
        return Ok(builder.github(real, repo, commit, Integrity::None));
    }
    if let Some((url, commit)) = super::git_reference(&entry.resolved) {
        if let Some(repo) = super::github_repository(url, range) {
            return Ok(builder.github(real, repo, commit, Integrity::None));
        }
        found = Found { kind: Kind::Git, value: url, extra: commit, integrity: Integrity::None, ..found };
        return Ok(builder.package(&found));
    }
    let path;
    match spec {
        Spec::Folder(at) | Spec::TarballFile(at) => {
            path = crate::model::paths::normalize("", at.strip_prefix("file:").unwrap_or(at));
            let kind = if matches!(spec, Spec::Folder(_)) { Kind::Folder } else { Kind::TarballFile };
            found = Found { kind, value: &path, ..found };
            if kind == Kind::Folder {
                found.integrity = Integrity::None;
            }
        }
        Spec::TarballUrl(_) => found = Found { kind: Kind::TarballUrl, value: url, ..found },
        _ => {
            if semver::Version::parse(&entry.version).is_none() {
                return Err(fail(format!("\"{}\" is not a version of {real}", entry.version)));
            }
            found.extra = super::archive(url);
        }
    }
    Ok(builder.package(&found))
}

fn parse(text: &str) -> Result<Vec<Entry<'_>>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut entries: Vec<Entry<'_>> = Vec::with_capacity(text.len() / 200);
    let mut group = None;
    for (number, line) in text.lines().enumerate() {
        let bad = || super::invalid("yarn.lock", &format!("line {} is not of the format", number + 1));
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let body = body.trim_end();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if indent == 0 {
            let Some(list) = body.strip_suffix(':') else {
                return Err(bad());
            };
            let mut entry = Entry { line: number + 1, ..Entry::default() };
            let mut rest = list;
            loop {
                let (pattern, after) = token(rest, b',').ok_or_else(bad)?;
                if pattern.is_empty() {
                    return Err(bad());
                }
                entry.patterns.push(pattern);
                match after.trim_start().strip_prefix(',') {
                    Some(after) => rest = after.trim_start(),
                    None if after.trim().is_empty() => break,
                    None => return Err(bad()),
                }
            }
            entries.push(entry);
            group = None;
            continue;
        }
        let entry = entries.last_mut().ok_or_else(bad)?;
        if indent <= 2 {
            group = match body {
                "dependencies:" => Some(Behavior::PROD),
                "optionalDependencies:" => Some(Behavior::OPTIONAL),
                _ => None,
            };
            if group.is_some() || body.ends_with(':') {
                continue;
            }
            let (key, rest) = token(body, b' ').ok_or_else(bad)?;
            let (value, _) = token(rest.trim_start(), b' ').ok_or_else(bad)?;
            match &*key {
                "version" => entry.version = value,
                "resolved" => entry.resolved = value,
                "integrity" => entry.integrity = Cow::Borrowed(rest.trim().trim_matches('"')),
                _ => {}
            }
        } else if let Some(bit) = group {
            let (name, rest) = token(body, b' ').ok_or_else(bad)?;
            let (literal, _) = token(rest.trim_start(), b' ').ok_or_else(bad)?;
            entry.deps.push((name, literal, bit));
        }
    }
    Ok(entries)
}

/// A quoted string, or what stands before `end`; and the rest.
fn token(text: &str, end: u8) -> Option<(Cow<'_, str>, &str)> {
    if let Some(rest) = text.strip_prefix('"') {
        let mut escaped = false;
        let close = rest.bytes().position(|byte| match byte {
            _ if escaped => {
                escaped = false;
                false
            }
            b'\\' => {
                escaped = true;
                false
            }
            byte => byte == b'"',
        })?;
        let (inner, after) = (&rest[..close], &rest[close + 1..]);
        if !inner.contains('\\') {
            return Some((Cow::Borrowed(inner), after));
        }
        let mut cursor = json::Cursor::of(&text[..close + 2], json::Flavor::Json);
        return Some((Cow::Owned(cursor.string()?.into_owned()), after));
    }
    let at = text.bytes().position(|byte| byte == end).unwrap_or(text.len());
    Some((Cow::Borrowed(text[..at].trim_end()), &text[at..]))
}
