//! package-lock.json and npm-shrinkwrap.json, lockfileVersion 2 to 4: the object `packages`, whose keys are the places of the
//! packages below the project (docs.npmjs.com, "package-lock.json").

use super::builder::{Builder, Found, NewDep};
use crate::error::Result;
use crate::lockfile::{Loaded, LoadedDep, LoadedMember};
use crate::model::graph::{Behavior, Bin, FLAG_INSTALL_SCRIPT, PackageId};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, Collector, LIBC, Names, OS};
use crate::model::spec::{Spec, valid_name};
use crate::model::string_arena::hash;
use json::Value;
use rustc_hash::FxHashMap;

const GROUPS: [(&str, u8); 4] = [
    ("dependencies", Behavior::PROD),
    ("devDependencies", Behavior::DEV),
    ("optionalDependencies", Behavior::OPTIONAL),
    ("peerDependencies", Behavior::PEER),
];

struct Entry<'v> {
    path: &'v str,
    value: &'v Value<'v>,
    /// The package in the graph; [`NO_ID`] for members, links and what nothing depends on.
    package: PackageId,
}

/// Reads the file's text. `members`: the directories of the project's workspace members.
///
/// # Errors
/// The text is no JSON or no lockfile of version 2 to 4; a package has a name or version that cannot be one.
pub(crate) fn read(text: &str, file: &str, members: &[&str]) -> Result<Loaded> {
    let root = Value::parse(text.as_bytes()).map_err(|error| super::damaged(file, text, error.at))?;
    let Some(version) = root.get("lockfileVersion").and_then(Value::number) else {
        return Err(super::invalid(file, "it has no lockfileVersion"));
    };
    if !(2.0..5.0).contains(&version) {
        let hint = "npm install --package-lock-only --lockfile-version=3";
        return Err(super::unsupported(file, &version.to_string(), hint));
    }
    let packages = root.get("packages").map_or(&[][..], Value::members);
    if packages.is_empty() {
        return Err(super::invalid(file, "it has no packages"));
    }
    let mut entries: Vec<Entry<'_>> = Vec::with_capacity(packages.len());
    let mut index: FxHashMap<u64, u32> = FxHashMap::default();
    for member in packages {
        if !member.value.is_object() {
            return Err(super::invalid(file, &format!("the entry \"{}\" is no object", member.key)));
        }
        if member.value.get("extraneous").and_then(Value::bool) == Some(true) {
            continue;
        }
        index.insert(hash(&member.key), entries.len() as u32);
        entries.push(Entry { path: &member.key, value: &member.value, package: NO_ID });
    }
    if !index.contains_key(&hash("")) {
        return Err(super::invalid(file, "it has no entry for the project itself"));
    }
    let mut reader = Reader {
        builder: Builder::new(entries.len(), text.len() / 2),
        entries,
        index,
        members,
        file,
        pending: Vec::new(),
        buffer: String::new(),
    };
    reader.run()?;
    Ok(reader.builder.finish(0))
}

struct Reader<'v> {
    builder: Builder,
    entries: Vec<Entry<'v>>,
    index: FxHashMap<u64, u32>,
    members: &'v [&'v str],
    file: &'v str,
    /// Packages that are in the graph and have no dependencies yet, with the entry that they come from.
    pending: Vec<(PackageId, u32)>,
    buffer: String,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<()> {
        let roots: Vec<u32> = std::iter::once("")
            .chain(self.members.iter().copied())
            .filter_map(|path| self.index.get(&hash(path)).copied())
            .collect();
        for at in roots {
            let entry = &self.entries[at as usize];
            let (path, value) = (entry.path, entry.value);
            let name = value.text("name");
            let mut member = LoadedMember {
                path: path.to_owned(),
                name: if name.is_empty() && !path.is_empty() { name_of(path) } else { name }.to_owned(),
                version: value.text("version").to_owned(),
                deps: Vec::new(),
            };
            for (name, literal, behavior) in dependencies(value) {
                let target = self.target(path, name, literal)?;
                let graph = &mut self.builder.graph;
                member.deps.push(LoadedDep {
                    name: graph.text.add(name),
                    literal: graph.text.add(literal),
                    behavior: Behavior(behavior),
                    target: target.unwrap_or(NO_ID),
                });
            }
            self.builder.members.push(member);
        }
        let mut done = 0;
        while done < self.pending.len() {
            let (package, at) = self.pending[done];
            done += 1;
            let entry = &self.entries[at as usize];
            let (path, value) = (entry.path, entry.value);
            let bundled = value.get("bundleDependencies").or_else(|| value.get("bundledDependencies"));
            let mut list: Vec<NewDep<'_>> = Vec::new();
            for (name, literal, behavior) in dependencies(value) {
                let found = self.target(path, name, literal)?;
                // A name that stands among the dependencies too is no peer; a peer that npm has not placed (--legacy-peer-deps)
                // is not installed. What is optional and missing stays listed.
                let peer = behavior & Behavior::PEER != 0;
                if (peer && list.iter().any(|other| other.name == name))
                    || (found.is_none() && behavior & Behavior::OPTIONAL == 0)
                {
                    continue;
                }
                let is_bundled = behavior & Behavior::PEER == 0
                    && bundled.is_some_and(|list| {
                        list.bool() == Some(true) || list.items().iter().any(|item| item.str() == Some(name))
                    });
                let behavior = if is_bundled { behavior | Behavior::BUNDLED } else { behavior };
                list.push(NewDep { name, literal, behavior, target: found.unwrap_or(NO_ID) });
            }
            self.builder.dependencies(package, &list)?;
        }
        Ok(())
    }

    /// The package that `name` means for the package at `path`. Nothing where it is not in the tree; [`NO_ID`] for a workspace member.
    fn target(&mut self, path: &str, name: &str, literal: &str) -> Result<Option<PackageId>> {
        let mut prefix = path;
        loop {
            self.buffer.clear();
            self.buffer.push_str(prefix);
            if !prefix.is_empty() {
                self.buffer.push('/');
            }
            self.buffer.push_str("node_modules/");
            self.buffer.push_str(name);
            if let Some(&at) = self.index.get(&hash(&self.buffer)) {
                return self.package(at, name, literal).map(Some);
            }
            if prefix.is_empty() {
                return Ok(None);
            }
            prefix = match prefix.rfind('/') {
                Some(slash) => prefix[..slash].strip_suffix("/node_modules").unwrap_or(&prefix[..slash]),
                None => "",
            };
            if prefix == "node_modules" {
                prefix = "";
            }
        }
    }

    /// Puts an entry into the graph. `literal` is the specifier of the dependency that led here.
    fn package(&mut self, at: u32, name: &str, literal: &str) -> Result<PackageId> {
        let entry = &self.entries[at as usize];
        if entry.package != NO_ID {
            return Ok(entry.package);
        }
        let (path, value) = (entry.path, entry.value);
        let resolved = value.text("resolved");
        if value.get("link").and_then(Value::bool) == Some(true) {
            if self.members.contains(&resolved) || resolved.is_empty() {
                return Ok(NO_ID);
            }
            let Some(&real) = self.index.get(&hash(resolved)) else { return Ok(NO_ID) };
            if self.entries[real as usize].value.get("link").is_some() {
                return Err(super::invalid(self.file, &format!("\"{path}\" is a link to a link")));
            }
            return self.package(real, name, literal);
        }
        if !path.contains("node_modules/") {
            if self.members.contains(&path) || path.is_empty() {
                return Ok(NO_ID);
            }
            return self.folder(at, name, path);
        }
        let own = value.text("name");
        let own = if own.is_empty() { name_of(path) } else { own };
        if !valid_name(own) {
            return Err(super::invalid(self.file, &format!("\"{own}\" is not a package name")));
        }
        let version = value.text("version");
        let integrity = Integrity::parse(value.text("integrity"));
        let spec = Spec::parse(literal);
        let mut found = Found { name: own, kind: Kind::Npm, value: version, extra: "", integrity };
        let bundled = value.get("inBundle").and_then(Value::bool) == Some(true);
        if let Some((url, commit)) = super::git_reference(resolved) {
            if let Some(repo) = super::github_repository(url, literal) {
                found = Found { kind: Kind::GitHub, value: repo, extra: commit, ..found };
            } else {
                found = Found { kind: Kind::Git, value: url, extra: commit, integrity: Integrity::None, ..found };
            }
        } else if let Some(file) = resolved.strip_prefix("file:") {
            if matches!(Spec::parse(resolved), Spec::Folder(_)) {
                return self.folder(at, name, file);
            }
            found = Found { kind: Kind::TarballFile, value: file, ..found };
        } else if matches!(spec, Spec::TarballUrl(_)) && !resolved.is_empty() {
            found = Found { kind: Kind::TarballUrl, value: resolved, ..found };
        } else if resolved.is_empty() && matches!(spec, Spec::Folder(_)) && !bundled {
            return self.folder(at, name, path);
        } else {
            if semver::Version::parse(version).is_none() {
                return Err(super::invalid(self.file, &format!("\"{version}\" of {path} is not a version")));
            }
            found.extra = super::archive(resolved);
        }
        let (id, new) = self.builder.package(&found);
        self.entries[at as usize].package = id;
        if new {
            self.pending.push((id, at));
            self.details(id, value, own, found.kind == Kind::Npm);
        }
        Ok(id)
    }

    fn folder(&mut self, at: u32, name: &str, path: &str) -> Result<PackageId> {
        let value = self.entries[at as usize].value;
        let own = value.text("name");
        let own = if valid_name(own) { own } else { name };
        let path = crate::model::paths::normalize("", path);
        let found = Found { name: own, kind: Kind::Folder, value: &path, extra: "", integrity: Integrity::None };
        let (id, new) = self.builder.package(&found);
        self.entries[at as usize].package = id;
        if new {
            self.pending.push((id, at));
            self.details(id, value, own, false);
        }
        Ok(id)
    }

    /// Bins, install scripts and, of a registry package, platforms.
    fn details(&mut self, id: PackageId, value: &Value<'_>, name: &str, platforms: bool) {
        let graph = &mut self.builder.graph;
        let at = id as usize;
        if value.get("hasInstallScript").and_then(Value::bool) == Some(true) {
            graph.packages.flags[at] |= FLAG_INSTALL_SCRIPT;
        }
        // npm makes a map of every `bin`; one entry with the package's name is what a string would have been.
        graph.packages.bin[at] = match value.get("bin").map_or(&[][..], Value::members) {
            [] => match value.get("bin").and_then(Value::str) {
                Some(path) if !path.is_empty() => Bin::File(graph.text.add(path)),
                _ => Bin::None,
            },
            [one] if one.key == name => one.value.str().map_or(Bin::None, |path| Bin::File(graph.text.add(path))),
            entries => {
                let off = graph.bin_entries.len() as u32;
                for entry in entries {
                    if let Some(path) = entry.value.str() {
                        let pair = (graph.text.add(&entry.key), graph.text.add(path));
                        graph.bin_entries.push(pair);
                    }
                }
                Bin::Map(off, graph.bin_entries.len() as u32 - off)
            }
        };
        if platforms {
            let set = |key: &str, names: &Names| value.get(key).map_or(names.all(), |value| names_set(value, names));
            graph.packages.os[at] = set("os", &OS);
            graph.packages.cpu[at] = set("cpu", &CPU);
            graph.packages.libc[at] = set("libc", &LIBC);
        }
    }
}

/// A list of platforms, or one, as a set.
pub(crate) fn names_set(value: &Value<'_>, names: &Names) -> u16 {
    let mut collector = Collector::default();
    match value.str() {
        Some(one) => names.apply(&mut collector, one),
        None => value.items().iter().filter_map(Value::str).for_each(|one| names.apply(&mut collector, one)),
    }
    names.combine(collector)
}

/// The declared dependencies: name, specifier, behavior.
fn dependencies<'v>(value: &'v Value<'v>) -> impl Iterator<Item = (&'v str, &'v str, u8)> {
    let meta = value.get("peerDependenciesMeta");
    GROUPS.into_iter().flat_map(move |(group, bit)| {
        value.get(group).map_or(&[][..], Value::members).iter().filter_map(move |member| {
            let optional = bit == Behavior::PEER
                && meta
                    .and_then(|meta| meta.get(&member.key))
                    .and_then(|entry| entry.get("optional"))
                    .and_then(Value::bool)
                    == Some(true);
            let literal = member.value.str()?;
            Some((&*member.key, literal, if optional { bit | Behavior::OPTIONAL } else { bit }))
        })
    })
}

/// The name that a place implies: what follows the last `node_modules/`, else the last part of the path with its scope.
fn name_of(path: &str) -> &str {
    if let Some(at) = path.rfind("node_modules/") {
        return &path[at + "node_modules/".len()..];
    }
    let Some(slash) = path.rfind('/') else { return path };
    let parent = path[..slash].rfind('/').map_or(0, |at| at + 1);
    if path[parent..].starts_with('@') { &path[parent..] } else { &path[slash + 1..] }
}
