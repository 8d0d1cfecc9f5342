//! Which files a package's tarball has: the rules of npm (npm-packlist), with Bun's additions to what is left out.
//!
//! Each directory has up to four sets of rules in this order: the defaults, `files` of package.json, `.npmignore` (else `.gitignore`),
//! and what nothing can change. A later rule wins over an earlier one, a deeper directory over its parents.

use crate::error::{Error, Result};
use glob::{Extent, PathGlob, PathOptions};
use json::{Node, Value};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Left out unless something asks for them. `bunfig.toml` and `.env.production` are Bun's.
const DEFAULTS: &[&str] = &[
    ".npmignore",
    ".gitignore",
    "**/.git",
    "**/.svn",
    "**/.hg",
    "**/CVS",
    "**/.git/**",
    "**/.svn/**",
    "**/.hg/**",
    "**/CVS/**",
    "/.lock-wscript",
    "/.wafpickle-*",
    "/build/config.gypi",
    "npm-debug.log",
    "**/.npmrc",
    ".*.swp",
    ".DS_Store",
    "**/.DS_Store/**",
    "._*",
    "**/._*/**",
    "*.orig",
    "/archived-packages/**",
    "bunfig.toml",
    ".env.production",
];

/// At the root, whatever `files` and the ignore files say.
const STRICT: &[&str] = &[
    "/.git",
    "!/package.json",
    "!/readme{,.*[^~$]}",
    "!/copying{,.*[^~$]}",
    "!/license{,.*[^~$]}",
    "!/licence{,.*[^~$]}",
    "/.git",
    "/node_modules",
    ".npmrc",
    "/package-lock.json",
    "/yarn.lock",
    "/pnpm-lock.yaml",
    "/bun.lockb",
    "/bun.lock",
];

struct Rule {
    /// Brings back what it matches.
    negated: bool,
    glob: PathGlob,
    relative: bool,
}

fn rule(line: &str) -> Rule {
    let bare = line.trim_start_matches('!');
    let glob = PathGlob::new(bare, PathOptions::npm());
    Rule { negated: (line.len() - bare.len()) % 2 == 1, relative: glob.is_one_name(), glob }
}

fn rules<'a>(lines: impl IntoIterator<Item = &'a str>) -> Rc<[Rule]> {
    lines.into_iter().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(rule).collect()
}

/// A directory on the way down.
struct Level {
    name: String,
    /// Rules in their order.
    sets: Vec<Rc<[Rule]>>,
    /// The directory itself was asked for: parents that leave it out do not count for its entries.
    exact: bool,
}

/// A path in segments, seen from one level: `/a/b`, `a/b`, and both with a slash at the end.
struct Seen<'a> {
    parts: Vec<&'a str>,
}

impl Seen<'_> {
    /// Runs `test` with the four spellings that count.
    fn hit(&mut self, glob: &PathGlob, slash: bool, extent: Extent) -> bool {
        // parts[0] is empty: with it the path is absolute.
        if slash {
            self.parts.push("");
        }
        let hit = glob.matches_names(&self.parts, extent) || glob.matches_names(&self.parts[1..], extent);
        if slash {
            self.parts.pop();
        }
        hit
    }
}

/// Whether an entry of the innermost level passes. `partial`: as a directory that may hold what passes.
fn passes(levels: &[Level], path: &[&str], partial: bool) -> bool {
    let (inner, above) = levels.split_last().unwrap_or_else(|| unreachable!("the root is a level"));
    let mut included = true;
    if !above.is_empty() {
        let mut longer: Vec<&str> = Vec::with_capacity(path.len() + 1);
        longer.push(&inner.name);
        longer.extend_from_slice(path);
        included = passes(above, &longer, partial);
        if !included && !inner.exact {
            return false;
        }
    }
    let nested = path.len() > 1;
    let mut whole = Seen { parts: Vec::with_capacity(path.len() + 2) };
    whole.parts.push("");
    whole.parts.extend_from_slice(path);
    let name = path.iter().rev().find(|part| !part.is_empty()).copied().unwrap_or_default();
    let mut base = Seen { parts: vec!["", name] };
    for rule in inner.sets.iter().flat_map(|set| set.iter()) {
        // A rule that brings back what is in, or leaves out what is out, changes nothing.
        if rule.negated == included {
            continue;
        }
        let hit = whole.hit(&rule.glob, false, Extent::Whole)
            || partial
                && (whole.hit(&rule.glob, true, Extent::Whole)
                    || rule.negated && whole.hit(&rule.glob, false, Extent::MayHold)
                    || nested
                        && rule.relative
                        && (base.hit(&rule.glob, true, Extent::Whole)
                            || rule.negated && base.hit(&rule.glob, false, Extent::MayHold)));
        if hit {
            included = rule.negated;
        }
    }
    included
}

/// What the root of a package says about its files.
pub(crate) struct Root<'a> {
    pub dir: &'a Path,
    /// package.json
    pub manifest: &'a Value<'a>,
    /// Directories of workspace members below the root, which are packages of their own.
    pub members: Vec<String>,
    /// An unpacked dependency: its ignore files have had their effect when it was published.
    pub bundled: bool,
    /// Ignore files of the directories between a workspace's root and this member.
    pub outer_ignores: Vec<String>,
}

fn clean_path(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches('/')
}

/// Paths of `bin`, relative to the root; those outside are left out.
pub(crate) fn bins(manifest: &Value<'_>) -> Vec<String> {
    let entries = match manifest.get("bin").map(|value| &value.node) {
        Some(Node::String(path)) => vec![path.as_ref()],
        Some(Node::Object(members)) => members.iter().filter_map(|member| member.value.str()).collect(),
        _ => Vec::new(),
    };
    entries
        .into_iter()
        .map(normal)
        .filter(|path| !path.is_empty() && path != ".." && !path.starts_with("../"))
        .collect()
}

/// Without `.`, `..` and doubled slashes, as far as that is possible.
pub(crate) fn normal(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if out.last().is_some_and(|last| *last != "..") => drop(out.pop()),
            part => out.push(part),
        }
    }
    out.join("/")
}

/// Paths (with `/`, relative to the root) of the files to pack, in no order. package.json is among them.
///
/// # Errors
/// `files` is no list of strings; a directory or an ignore file cannot be read: packing without its rules could publish secrets.
pub(crate) fn files(root: &Root<'_>) -> Result<Vec<String>> {
    let mut required: Vec<String> = Vec::new();
    let mut own = Vec::new();
    let mut strict: Vec<String> = Vec::new();
    let listed = root.manifest.get("files");
    if let Some(field) = listed {
        let Node::Array(items) = &field.node else { return Err(wrong_files()) };
        own.push(rule("*"));
        for item in items {
            let Some(text) = item.str() else { return Err(wrong_files()) };
            let mut file = text.strip_prefix('.').filter(|rest| rest.starts_with('/')).unwrap_or(text).to_owned();
            if file.ends_with("/*") {
                file.push('*');
            }
            let inverse = format!("!{file}");
            let bare = file.trim_start_matches('!');
            match std::fs::symlink_metadata(root.dir.join(clean_path(bare))) {
                Ok(found) if found.is_file() => {
                    strict.insert(0, inverse);
                    required.push(file.trim_start_matches('/').to_owned());
                }
                Ok(found) if found.is_dir() => {
                    own.push(rule(&inverse));
                    own.push(rule(&format!("{}/**", inverse.trim_end_matches('/'))));
                }
                Ok(_) => {}
                Err(_) => own.push(rule(&inverse)),
            }
        }
    }
    strict.extend(STRICT.iter().map(|line| (*line).to_owned()));
    for field in ["browser", "main"] {
        let path = root.manifest.text(field);
        if !path.is_empty() {
            strict.push(format!("!/{}", normal(path)));
        }
    }
    strict.extend(bins(root.manifest).into_iter().map(|path| format!("!/{path}")));
    let mut level = Level { name: String::new(), sets: Vec::new(), exact: false };
    let defaults: Rc<[Rule]> = DEFAULTS.iter().map(|line| rule(line)).collect();
    if !root.bundled {
        level.sets.push(defaults.clone());
        level.sets.push(root.members.iter().map(|member| rule(&format!("/{member}"))).collect());
        level.sets.extend(root.outer_ignores.iter().map(|text| rules(text.lines())));
    }
    if listed.is_some() {
        level.sets.push(own.into());
    } else if !root.bundled
        && let Some(text) = ignore_file(root.dir)?
    {
        level.sets.push(rules(text.lines()));
    }
    level.sets.push(rules(strict.iter().map(String::as_str)));
    let mut walker = Walker { levels: vec![level], out: Vec::new(), bundled: root.bundled, defaults };
    let required: Vec<&str> = required.iter().map(String::as_str).collect();
    walker.directory(&mut root.dir.to_owned(), "", &required)?;
    if let Some(dir) = root.manifest.get("directories").and_then(|value| value.get("bin")).and_then(Value::str)
        && root.manifest.get("bin").is_none()
    {
        bin_directory(root.dir, &normal(dir), &mut walker.out);
    }
    Ok(walker.out)
}

fn wrong_files() -> Error {
    Error::new(crate::error::Code::Parse, "expected `files` to be an array of string values")
}

/// Files of `directories.bin` that the rules have left out.
fn bin_directory(root: &Path, dir: &str, out: &mut Vec<String>) {
    if dir.is_empty() || dir.starts_with("..") {
        return;
    }
    for entry in std::fs::read_dir(root.join(dir)).into_iter().flatten().flatten() {
        let path = format!("{dir}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_file()) && !out.contains(&path) {
            out.push(path);
        }
    }
}

/// `.npmignore`, else `.gitignore`, of a directory.
pub(crate) fn ignore_file(dir: &Path) -> Result<Option<String>> {
    for name in [".npmignore", ".gitignore"] {
        let path = dir.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => return Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        }
    }
    Ok(None)
}

struct Walker {
    levels: Vec<Level>,
    out: Vec<String>,
    bundled: bool,
    defaults: Rc<[Rule]>,
}

impl Walker {
    fn directory(&mut self, dir: &mut PathBuf, prefix: &str, required: &[&str]) -> Result<()> {
        let entries = std::fs::read_dir(&*dir).map_err(|error| Error::io("cannot read", &*dir, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::io("cannot read", &*dir, error))?;
            let kind = entry.file_type().map_err(|error| Error::io("cannot read", entry.path(), error))?;
            if !kind.is_file() && !kind.is_dir() {
                continue;
            }
            let Ok(name) = entry.file_name().into_string() else {
                return Err(Error::io("cannot pack", entry.path(), "its name is not UTF-8"));
            };
            if kind.is_file() {
                if passes(&self.levels, &[&name], false) {
                    self.out.push(format!("{prefix}{name}"));
                }
                continue;
            }
            if !passes(&self.levels, &[&name], true) {
                continue;
            }
            let exact = passes(&self.levels, &[&name], false) || passes(&self.levels, &[&name, ""], false);
            let inside: Vec<&str> =
                required.iter().filter_map(|path| path.strip_prefix(name.as_str())?.strip_prefix('/')).collect();
            let mut level = Level { name: name.clone(), sets: Vec::new(), exact };
            dir.push(&name);
            // The defaults apply in every directory anew, those with a slash in front too, as npm has it.
            level.sets.push(self.defaults.clone());
            if !self.bundled
                && let Some(text) = ignore_file(dir)?
            {
                level.sets.push(rules(text.lines()));
            }
            let below: Vec<String> = inside.iter().map(|path| format!("!{path}")).collect();
            level.sets.push(rules(std::iter::once("/.git").chain(below.iter().map(String::as_str))));
            self.levels.push(level);
            let result = self.directory(dir, &format!("{prefix}{name}/"), &inside);
            self.levels.pop();
            dir.pop();
            result?;
        }
        Ok(())
    }
}
