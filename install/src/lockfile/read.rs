//! The reader: JSONC text straight into the arrays of a graph.

use crate::error::{Code, Error, Result};
use crate::model::extras::{Extras, Override};
use crate::model::graph::{Behavior, Bin, FLAG_INSTALL_SCRIPT, FLAG_LOADED, Graph, NewPackage};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, Collector, LIBC, OS};
use crate::model::string_arena::{Str, hash};
use json::{Cursor, Flavor, Node};
use rustc_hash::FxHashMap;

/// A dependency of a workspace member as the file has it.
#[derive(Clone, Copy, Debug)]
pub struct LoadedDep {
    pub name: Str,
    pub literal: Str,
    pub behavior: Behavior,
    pub target: u32,
}

/// A workspace member as the file has it.
#[derive(Clone, Debug, Default)]
pub struct LoadedMember {
    pub path: String,
    pub name: String,
    pub version: String,
    pub deps: Vec<LoadedDep>,
}

/// What a file holds. The graph's package 0 is the root without dependencies, workspace members are not in it as packages.
pub struct Loaded {
    pub graph: Graph,
    pub members: Vec<LoadedMember>,
    pub extras: Extras,
}

const NEWEST: u32 = 3;

fn group(key: &[u8]) -> Option<u8> {
    Some(match key {
        b"dependencies" => Behavior::PROD,
        b"devDependencies" => Behavior::DEV,
        b"optionalDependencies" => Behavior::OPTIONAL,
        b"peerDependencies" => Behavior::PEER,
        _ => return None,
    })
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    graph: Graph,
    members: Vec<LoadedMember>,
    extras: Extras,
    /// hash of a key → package.
    keys: FxHashMap<u64, u32>,
    labels: FxHashMap<u64, u32>,
    /// The first key of each package.
    first_key: Vec<(u32, String)>,
    bundled: Vec<u64>,
    /// Pending list of the package that is being read.
    deps: Vec<(Str, Str, u8)>,
    optional_peers: Vec<Str>,
    /// Workspace members by key of `packages`: name → path.
    workspace_keys: Vec<(String, String)>,
    extended: Vec<(String, crate::model::graph::Applied)>,
    /// Why reading stopped, where it was not the syntax.
    refused: Option<String>,
}

/// Reads a lockfile.
///
/// # Errors
/// Syntax, a newer version, and names, versions or commits that could not be parts of a path: a lockfile decides where files are written.
pub fn read(text: &str) -> Result<Loaded> {
    let mut reader = Reader {
        cursor: Cursor::of(text, Flavor::Jsonc),
        graph: Graph::with_capacity(text.len() / 300 + 16, text.len()),
        members: Vec::new(),
        extras: Extras::default(),
        keys: FxHashMap::default(),
        labels: FxHashMap::default(),
        first_key: Vec::new(),
        bundled: Vec::new(),
        deps: Vec::new(),
        optional_peers: Vec::new(),
        workspace_keys: Vec::new(),
        extended: Vec::new(),
        refused: None,
    };
    reader.graph.add_package(NewPackage::new(Str::EMPTY, Kind::Root, Str::EMPTY));
    match reader.document() {
        Some(()) => {}
        None => {
            let at = reader.cursor.at.min(text.len());
            let line = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let reason = reader.refused.unwrap_or_else(|| "that is not the syntax of a lockfile".to_owned());
            return Err(Error::new(Code::Parse, format!("bun.lock cannot be read: line {line}: {reason}"))
                .hint("restore it from version control, or remove it to resolve everything again"));
        }
    }
    if reader.extras.version > NEWEST {
        return Err(Error::new(Code::Parse, format!("Unsupported lockfile version {}", reader.extras.version))
            .hint("the file was written by a newer version of the package manager"));
    }
    let extended = std::mem::take(&mut reader.extended);
    reader.graph.extended =
        crate::model::package_extensions::resolve_labels(extended, |label| reader.labels.get(&label).copied());
    reader.link();
    if let Some(reason) = reader.refused {
        return Err(Error::new(Code::Parse, format!("bun.lock cannot be used: {reason}"))
            .hint("only the project, its workspaces and overrides may name paths; remove the lockfile to resolve everything again"));
    }
    Ok(Loaded { graph: reader.graph, members: reader.members, extras: reader.extras })
}

/// Whether `key` is a path of package names: what stands before an entry of `packages`.
fn is_key(key: &str) -> bool {
    let mut parts = key.split('/');
    while let Some(part) = parts.next() {
        let scoped = part.starts_with('@') && part.len() > 1;
        let name = if scoped { parts.next().unwrap_or("") } else { part };
        if !crate::model::spec::valid_name(name) {
            return false;
        }
    }
    true
}

/// Whether `text` can be the name of a folder in the cache, and no option of git.
fn is_folder(text: &str) -> bool {
    !text.starts_with(['.', '-']) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

impl Reader<'_> {
    fn refuse<T>(&mut self, reason: String) -> Option<T> {
        self.refused = Some(reason);
        None
    }

    fn object(&mut self, mut member: impl FnMut(&mut Self, String) -> Option<()>) -> Option<()> {
        if !self.cursor.eat(b'{') {
            return None;
        }
        let mut first = true;
        while self.cursor.more(b'}', &mut first)? {
            let key = self.cursor.key_text()?.into_owned();
            member(self, key)?;
        }
        Some(())
    }

    fn pairs(&mut self) -> Option<Vec<(String, String)>> {
        let mut list = Vec::new();
        self.object(|reader, key| {
            let value = reader.cursor.string()?.into_owned();
            list.push((key, value));
            Some(())
        })?;
        Some(list)
    }

    fn document(&mut self) -> Option<()> {
        let mut seen_version = false;
        self.object(|reader, key| {
            match key.as_str() {
                "lockfileVersion" => {
                    reader.extras.version = u32::try_from(reader.cursor.integer()?).ok()?;
                    seen_version = true;
                }
                "configVersion" => reader.extras.config_version = u32::try_from(reader.cursor.integer()?).ok()?,
                "workspaces" => reader.object(Self::workspace)?,
                "trustedDependencies" => {
                    let value = reader.cursor.value()?;
                    reader.extras.trusted =
                        Some(value.items().iter().filter_map(|item| item.str().map(str::to_owned)).collect());
                }
                "patchedDependencies" => reader.extras.patched = reader.pairs()?,
                "catalog" => reader.extras.catalog = reader.pairs()?,
                "catalogs" => {
                    let mut groups = Vec::new();
                    reader.object(|reader, key| {
                        let entries = reader.pairs()?;
                        groups.push((key, entries));
                        Some(())
                    })?;
                    reader.extras.catalogs = groups;
                }
                "overrides" => {
                    let value = reader.cursor.value()?;
                    for member in value.members() {
                        match &member.value.node {
                            Node::String(text) => reader.extras.overrides.push(Override {
                                name: member.key.to_string(),
                                value: text.to_string(),
                                ..Override::default()
                            }),
                            Node::Object(children) => {
                                let (name, range) = crate::model::spec::split_argument(&member.key);
                                for child in children {
                                    let text = child.value.str()?.to_owned();
                                    reader.extras.overrides.push(if child.key == "." {
                                        Override {
                                            parent: String::new(),
                                            name: name.into(),
                                            range: range.into(),
                                            value: text,
                                        }
                                    } else {
                                        let (child, range) = crate::model::spec::split_argument(&child.key);
                                        Override {
                                            parent: member.key.to_string(),
                                            name: child.into(),
                                            range: range.into(),
                                            value: text,
                                        }
                                    });
                                }
                            }
                            _ => return None,
                        }
                    }
                }
                "packageExtensions" => {
                    let value = reader.cursor.value()?;
                    let entry = |member: &json::Member<'_>| {
                        (member.key.to_string(), crate::model::package_extensions::from_lockfile(&member.value))
                    };
                    reader.extended = value.members().iter().map(entry).collect();
                }
                "packages" => reader.object(|reader, key| reader.package(&key))?,
                _ => reader.cursor.skip()?,
            }
            Some(())
        })?;
        self.cursor.end()?;
        seen_version.then_some(())
    }

    fn dependencies(&mut self, bit: u8) -> Option<()> {
        if !self.cursor.eat(b'{') {
            return None;
        }
        let mut first = true;
        while self.cursor.more(b'}', &mut first)? {
            let name = self.cursor.key_text()?;
            let name = self.graph.text.add(&name);
            let literal = self.cursor.string()?;
            let literal = self.graph.text.add(&literal);
            self.deps.push((name, literal, bit));
        }
        Some(())
    }

    fn names(&mut self) -> Option<()> {
        if !self.cursor.eat(b'[') {
            return None;
        }
        let mut first = true;
        while self.cursor.more(b']', &mut first)? {
            let name = self.cursor.string()?;
            let name = self.graph.text.add(&name);
            self.optional_peers.push(name);
        }
        Some(())
    }

    fn behavior(&self, name: Str, bit: u8) -> Behavior {
        let optional = bit == Behavior::PEER && self.optional_peers.contains(&name);
        Behavior(if optional { bit | Behavior::OPTIONAL } else { bit })
    }

    fn workspace(&mut self, path: String) -> Option<()> {
        let mut member = LoadedMember { path, ..LoadedMember::default() };
        self.deps.clear();
        self.optional_peers.clear();
        self.object(|reader, key| {
            match key.as_str() {
                "name" => member.name = reader.cursor.string()?.into_owned(),
                "version" => member.version = reader.cursor.string()?.into_owned(),
                "optionalPeers" => reader.names()?,
                other => match group(other.as_bytes()) {
                    Some(bit) => reader.dependencies(bit)?,
                    None => reader.cursor.skip()?,
                },
            }
            Some(())
        })?;
        for &(name, literal, bit) in &self.deps {
            let behavior = self.behavior(name, bit);
            member.deps.push(LoadedDep { name, literal, behavior, target: NO_ID });
        }
        self.members.push(member);
        Some(())
    }

    fn package(&mut self, key: &str) -> Option<()> {
        if !self.cursor.eat(b'[') {
            return None;
        }
        let label = self.cursor.string()?.into_owned();
        if !is_key(key) {
            return self.refuse(format!("\"{key}\" is no path of package names"));
        }
        let scope = usize::from(label.starts_with('@'));
        let Some(at) = label[scope..].find('@').map(|at| at + scope) else {
            return self.refuse(format!("\"{label}\" names no version"));
        };
        let (name, value) = (&label[..at], &label[at + 1..]);
        if !crate::model::spec::valid_name(name) && !name.is_empty() {
            return self.refuse(format!("\"{name}\" is not a package name"));
        }
        if let Some(path) = value.strip_prefix("workspace:") {
            self.workspace_keys.push((key.to_owned(), path.to_owned()));
            return self.end_tuple();
        }
        let label_key = hash(&label);
        if let Some(&known) = self.labels.get(&label_key) {
            self.keys.insert(hash(key), known);
            return self.rest(key, known, false);
        }
        let name = self.graph.text.add(name);
        let mut add = |kind, value: &str, extra: &str| {
            let value = self.graph.text.add(value);
            let mut new = NewPackage::new(name, kind, value);
            new.resolution.extra = self.graph.text.add(extra);
            new.flags = FLAG_LOADED;
            self.graph.add_package(new)
        };
        let id = if let Some(rest) = value.strip_prefix("file:") {
            add(Kind::Folder, rest, "")
        } else if let Some(rest) = value.strip_prefix("link:") {
            add(Kind::Link, rest, "")
        } else if value == "root:" {
            self.keys.insert(hash(key), 0);
            return self.rest(key, 0, false);
        } else if let Some(rest) = value.strip_prefix("git+") {
            let (url, commit) = rest.split_once('#').unwrap_or((rest, ""));
            if !is_folder(commit) {
                return self.refuse(format!("\"{commit}\" is no commit"));
            }
            add(Kind::Git, url, commit)
        } else if let Some(rest) = value.strip_prefix("github:") {
            let (repo, commit) = rest.split_once('#').unwrap_or((rest, ""));
            if !is_folder(commit) {
                return self.refuse(format!("\"{commit}\" is no commit"));
            }
            add(Kind::GitHub, repo, commit)
        } else if value.starts_with("http://") || value.starts_with("https://") {
            add(Kind::TarballUrl, value, "")
        } else if semver::Version::parse(value).is_some() {
            add(Kind::Npm, value, "")
        } else if value.ends_with(".tgz") || value.ends_with(".tar.gz") {
            add(Kind::TarballFile, value, "")
        } else {
            return self.refuse(format!("\"{value}\" is no version and no place of a package"));
        };
        self.labels.insert(label_key, id);
        self.keys.insert(hash(key), id);
        self.first_key.push((id, key.to_owned()));
        self.rest(key, id, true)
    }

    fn end_tuple(&mut self) -> Option<()> {
        let mut first = false;
        while self.cursor.more(b']', &mut first)? {
            self.cursor.skip()?;
        }
        Some(())
    }

    /// The elements after the label. `new` is false where the package is known from another key.
    fn rest(&mut self, key: &str, id: u32, new: bool) -> Option<()> {
        let kind = self.graph.kind(id);
        let mut place = 0;
        let mut first = false;
        while self.cursor.more(b']', &mut first)? {
            match self.cursor.peek() {
                b'{' => self.info(key, id, new)?,
                b'"' => {
                    let text = self.cursor.string()?;
                    if matches!((kind, place), (Kind::Git | Kind::GitHub, 1)) && !is_folder(&text) {
                        let text = text.into_owned();
                        return self.refuse(format!("\"{text}\" is no commit"));
                    }
                    if new {
                        let resolution = &mut self.graph.packages.resolution[id as usize];
                        match (kind, place) {
                            (Kind::Npm, 0) => resolution.extra = self.graph.text.add(&text),
                            (Kind::Git | Kind::GitHub, 1) => resolution.tag = self.graph.text.add(&text),
                            _ => self.graph.packages.integrity[id as usize] = Integrity::parse(&text),
                        }
                    }
                }
                _ => self.cursor.skip()?,
            }
            place += 1;
        }
        Some(())
    }

    fn info(&mut self, key: &str, id: u32, new: bool) -> Option<()> {
        self.deps.clear();
        self.optional_peers.clear();
        let at = id as usize;
        self.object(|reader, field| {
            match field.as_str() {
                "bundled" => {
                    if reader.cursor.boolean()? {
                        reader.bundled.push(hash(key));
                    }
                }
                "hasInstallScript" => {
                    if reader.cursor.boolean()? {
                        reader.graph.packages.flags[at] |= FLAG_INSTALL_SCRIPT;
                    }
                }
                "optionalPeers" => reader.names()?,
                "os" | "cpu" | "libc" => {
                    let names = match field.as_str() {
                        "os" => &OS,
                        "cpu" => &CPU,
                        _ => &LIBC,
                    };
                    let value = reader.cursor.value()?;
                    let mut collector = Collector::default();
                    match value.str() {
                        Some(one) => names.apply(&mut collector, one),
                        None => value
                            .items()
                            .iter()
                            .filter_map(|item| item.str())
                            .for_each(|one| names.apply(&mut collector, one)),
                    }
                    let set = names.combine(collector);
                    match field.as_str() {
                        "os" => reader.graph.packages.os[at] = set,
                        "cpu" => reader.graph.packages.cpu[at] = set,
                        _ => reader.graph.packages.libc[at] = set,
                    }
                }
                "binDir" => {
                    let dir = reader.cursor.string()?;
                    reader.graph.packages.bin[at] = Bin::Dir(reader.graph.text.add(&dir));
                }
                "bin" => {
                    if reader.cursor.peek() == b'"' {
                        let path = reader.cursor.string()?;
                        reader.graph.packages.bin[at] = Bin::File(reader.graph.text.add(&path));
                    } else {
                        let entries = reader.pairs()?;
                        let off = reader.graph.bin_entries.len() as u32;
                        for (name, path) in &entries {
                            let entry = (reader.graph.text.add(name), reader.graph.text.add(path));
                            reader.graph.bin_entries.push(entry);
                        }
                        reader.graph.packages.bin[at] = Bin::Map(off, entries.len() as u32);
                    }
                }
                other => match group(other.as_bytes()) {
                    Some(bit) => reader.dependencies(bit)?,
                    None => reader.cursor.skip()?,
                },
            }
            Some(())
        })?;
        if new {
            let off = self.graph.begin_deps();
            for place in 0..self.deps.len() {
                let (name, literal, bit) = self.deps[place];
                let behavior = self.behavior(name, bit);
                self.graph.add_dep(name, literal, behavior);
            }
            self.graph.end_deps(id, off);
        }
        Some(())
    }

    /// Finds the target of every dependency by walking up the keys.
    fn link(&mut self) {
        let mut buffer = String::new();
        for (id, key) in std::mem::take(&mut self.first_key) {
            for dep in self.graph.packages.deps[id as usize].ids() {
                let at = dep as usize;
                let name = self.graph.deps.name[at];
                let (target, found_at) = self.find(&key, name, &mut buffer);
                if self.reaches_outside(id, target, dep) {
                    if !self.graph.deps.behavior[at].has(Behavior::OPTIONAL) {
                        let (owner, path) = (self.graph.label(id), self.graph.label(target));
                        let name = self.graph.str(name);
                        self.refused.get_or_insert(format!("\"{name}\" of {owner} is bound to a path: \"{path}\""));
                    }
                    continue;
                }
                self.graph.deps.target[at] = target;
                if found_at == Some(0) && self.bundled.contains(&hash(&buffer)) {
                    self.graph.deps.behavior[at].0 |= Behavior::BUNDLED;
                }
            }
        }
        let mut members = std::mem::take(&mut self.members);
        for member in &mut members {
            let key = if member.path.is_empty() { "" } else { member.name.as_str() };
            for dep in &mut member.deps {
                dep.target = self.find(key, dep.name, &mut buffer).0;
            }
        }
        self.members = members;
    }

    /// Whether a package of a registry or repository is bound to a directory or file of this machine that no override names. Only the
    /// project may say so. An optional dependency that was not found stays open, and peers take what is there.
    fn reaches_outside(&self, owner: u32, target: u32, dep: u32) -> bool {
        let at = dep as usize;
        target != NO_ID
            && matches!(self.graph.kind(target), Kind::Folder | Kind::Link | Kind::TarballFile)
            && matches!(self.graph.kind(owner), Kind::Npm | Kind::TarballUrl | Kind::Git | Kind::GitHub)
            && !self.graph.deps.behavior[at].has(Behavior::PEER)
            && !self.extras.overrides.iter().any(|other| other.name == self.graph.str(self.graph.deps.name[at]))
    }

    /// The package that `name` means below `key`, and how many levels up it is.
    fn find(&self, key: &str, name: Str, buffer: &mut String) -> (u32, Option<usize>) {
        let name = self.graph.text.get(name);
        let mut prefix = key;
        let mut up = 0;
        loop {
            buffer.clear();
            buffer.push_str(prefix);
            if !prefix.is_empty() {
                buffer.push('/');
            }
            buffer.push_str(name);
            if let Some(&found) = self.keys.get(&hash(buffer)) {
                return (found, Some(up));
            }
            if prefix.is_empty() || self.workspace_keys.iter().any(|(key, _)| key == buffer.as_str()) {
                return (NO_ID, None);
            }
            up += 1;
            // Drops one name; a scoped one has a slash of its own.
            prefix = match prefix.rfind('/') {
                None => "",
                Some(at) => {
                    let before = prefix[..at].rfind('/').map_or(0, |slash| slash + 1);
                    if prefix[before..].starts_with('@') {
                        prefix[..before].trim_end_matches('/')
                    } else {
                        &prefix[..at]
                    }
                }
            };
        }
    }
}
