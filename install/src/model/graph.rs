//! The dependency graph in flat arrays.
//!
//! A package is an index into the columns of [`Packages`], a dependency an index into those of [`Deps`]; the dependencies of a
//! package are one contiguous range, sorted by [`Behavior::rank`] and name. All text is in one [`Text`]. Package 0 is the project.
//!
//! The hoisted tree ([`crate::model::hoisted_tree`]) is computed here, not in the linkers: a list of node_modules directories, each with the ids
//! of the dependencies that are placed in it. Its breadth-first order and its rules are Bun's, because bun.lock's keys are the
//! paths of that tree.

use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::string_arena::{Str, Text, hash};
use rustc_hash::FxHashMap;

pub(crate) type PackageId = u32;
pub(crate) type DepId = u32;

/// How a dependency was declared, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Behavior(pub u8);

impl Behavior {
    pub const PROD: u8 = 1;
    pub const OPTIONAL: u8 = 2;
    pub const DEV: u8 = 4;
    pub const PEER: u8 = 8;
    pub const WORKSPACE: u8 = 16;
    pub const BUNDLED: u8 = 32;

    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    pub fn is_optional_peer(self) -> bool {
        self.has(Self::PEER) && self.has(Self::OPTIONAL)
    }

    /// Optional, and no peer.
    pub fn is_optional(self) -> bool {
        self.has(Self::OPTIONAL) && !self.has(Self::PEER)
    }

    /// Order of the groups: workspace members, dev, optional, production, peer.
    pub fn rank(self) -> u8 {
        if self.has(Self::WORKSPACE) {
            0
        } else if self.has(Self::DEV) {
            1
        } else if self.is_optional() {
            2
        } else if self.has(Self::PROD) {
            3
        } else {
            4
        }
    }
}

/// A range of dependency ids.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    pub off: u32,
    pub len: u32,
}

impl Span {
    pub fn ids(self) -> std::ops::Range<u32> {
        self.off..self.off + self.len
    }
}

/// What a package was resolved to.
#[derive(Clone, Copy, Debug)]
pub struct Resolution {
    pub kind: Kind,
    /// Npm: the version. Others: path, URL, or `owner/repo` (GitHub).
    pub value: Str,
    /// Npm: tarball URL, empty for the registry's usual one. Git, GitHub: the commit.
    pub extra: Str,
    /// Git, GitHub: the name of the folder (`.bun-tag`), the third element in bun.lock.
    pub tag: Str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bin {
    #[default]
    None,
    /// One file under the package's own name.
    File(Str),
    /// One file under another name.
    Named(Str, Str),
    /// Range of [`Graph::bin_entries`].
    Map(u32, u32),
    /// `directories.bin`.
    Dir(Str),
}

pub(crate) const FLAG_INSTALL_SCRIPT: u8 = 1;
/// The package was in the lockfile that was read.
pub(crate) const FLAG_LOADED: u8 = 2;
/// Dependencies are known.
pub(crate) const FLAG_FILLED: u8 = 8;

/// Columns of the packages.
#[derive(Default, Clone)]
pub struct Packages {
    pub name: Vec<Str>,
    pub name_hash: Vec<u64>,
    pub resolution: Vec<Resolution>,
    pub deps: Vec<Span>,
    pub integrity: Vec<Integrity>,
    pub bin: Vec<Bin>,
    pub os: Vec<u16>,
    pub cpu: Vec<u16>,
    pub libc: Vec<u16>,
    pub flags: Vec<u8>,
}

/// Columns of the dependencies.
#[derive(Default, Clone)]
pub struct Deps {
    pub name: Vec<Str>,
    pub name_hash: Vec<u64>,
    /// As written in package.json.
    pub literal: Vec<Str>,
    pub behavior: Vec<Behavior>,
    /// The package it was resolved to, or [`NO_ID`].
    pub target: Vec<PackageId>,
}

/// A package before it has an id.
#[derive(Clone)]
pub struct NewPackage {
    pub name: Str,
    pub resolution: Resolution,
    pub integrity: Integrity,
    pub bin: Bin,
    pub os: u16,
    pub cpu: u16,
    pub libc: u16,
    pub flags: u8,
}

impl NewPackage {
    pub fn new(name: Str, kind: Kind, value: Str) -> Self {
        Self {
            name,
            resolution: Resolution { kind, value, extra: Str::EMPTY, tag: Str::EMPTY },
            integrity: Integrity::None,
            bin: Bin::None,
            os: crate::model::platform::OS.all(),
            cpu: crate::model::platform::CPU.all(),
            libc: crate::model::platform::LIBC.all(),
            flags: 0,
        }
    }
}

/// A workspace member's place in the graph.
#[derive(Clone, Debug)]
pub struct Member {
    /// Relative directory, empty for the root.
    pub path: String,
    pub package: u32,
    pub version: Str,
}

/// What `packageExtensions` added to one package: names, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    pub deps: Vec<String>,
    pub peers: Vec<String>,
    /// Declared peers that were made optional.
    pub optional: Vec<String>,
}

#[derive(Default, Clone)]
pub struct Graph {
    pub text: Text,
    pub packages: Packages,
    pub deps: Deps,
    pub bin_entries: Vec<(Str, Str)>,
    /// Packages that `packageExtensions` have changed.
    pub extended: Vec<(PackageId, Applied)>,
    /// Packages of a name, newest version first.
    pub by_name: FxHashMap<u64, Vec<PackageId>>,
}

impl Graph {
    pub fn with_capacity(packages: usize, text: usize) -> Self {
        let mut graph = Self { text: Text::with_capacity(text), ..Self::default() };
        let columns = &mut graph.packages;
        columns.name.reserve(packages);
        columns.name_hash.reserve(packages);
        columns.resolution.reserve(packages);
        columns.deps.reserve(packages);
        columns.integrity.reserve(packages);
        columns.flags.reserve(packages);
        graph
    }

    pub fn len(&self) -> usize {
        self.packages.name.len()
    }

    pub fn is_empty(&self) -> bool {
        self.packages.name.is_empty()
    }

    pub fn str(&self, at: Str) -> &str {
        self.text.get(at)
    }

    pub fn name(&self, package: PackageId) -> &str {
        self.text.get(self.packages.name[package as usize])
    }

    pub fn kind(&self, package: PackageId) -> Kind {
        self.packages.resolution[package as usize].kind
    }

    /// Version of a registry package, path or URL of another.
    pub fn value(&self, package: PackageId) -> &str {
        self.text.get(self.packages.resolution[package as usize].value)
    }

    /// Appends a package and indexes it by name.
    pub fn add_package(&mut self, new: NewPackage) -> PackageId {
        let id = self.len() as u32;
        let name_hash = hash(self.text.get(new.name));
        let columns = &mut self.packages;
        columns.name.push(new.name);
        columns.name_hash.push(name_hash);
        columns.resolution.push(new.resolution);
        columns.deps.push(Span::default());
        columns.integrity.push(new.integrity);
        columns.bin.push(new.bin);
        columns.os.push(new.os);
        columns.cpu.push(new.cpu);
        columns.libc.push(new.libc);
        columns.flags.push(new.flags);
        let list = self.by_name.entry(name_hash).or_default();
        let at = if new.resolution.kind == Kind::Npm && !list.is_empty() {
            let version = semver::Version::parse(self.text.get(new.resolution.value)).unwrap_or_default();
            list.iter()
                .position(|&other| {
                    let other = &self.packages.resolution[other as usize];
                    other.kind == Kind::Npm
                        && semver::Version::parse(self.text.get(other.value))
                            .is_some_and(|other| other.order(&version).is_lt())
                })
                .unwrap_or(list.len())
        } else {
            list.len()
        };
        list.insert(at, id);
        id
    }

    /// Starts the list of dependencies of the next package; give the result to [`Graph::end_deps`].
    pub fn begin_deps(&self) -> u32 {
        self.deps.name.len() as u32
    }

    pub fn add_dep(&mut self, name: Str, literal: Str, behavior: Behavior) -> DepId {
        let id = self.deps.name.len() as u32;
        self.deps.name.push(name);
        self.deps.name_hash.push(hash(self.text.get(name)));
        self.deps.literal.push(literal);
        self.deps.behavior.push(behavior);
        self.deps.target.push(NO_ID);
        id
    }

    /// Ends the list: sorts it by group and name and gives it to `package`.
    pub fn end_deps(&mut self, package: PackageId, off: u32) {
        let len = self.deps.name.len() as u32 - off;
        let text = &self.text;
        let deps = &self.deps;
        let order = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            deps.behavior[a]
                .rank()
                .cmp(&deps.behavior[b].rank())
                .then_with(|| text.get(deps.name[a]).cmp(text.get(deps.name[b])))
        };
        let range = off..off + len;
        if !range.clone().is_sorted_by(|a, b| order(*a, *b).is_le()) {
            let mut ids: Vec<u32> = range.collect();
            ids.sort_by(|a, b| order(*a, *b));
            let rows: Vec<_> = ids
                .iter()
                .map(|&id| {
                    let id = id as usize;
                    (deps.name[id], deps.name_hash[id], deps.literal[id], deps.behavior[id], deps.target[id])
                })
                .collect();
            for (place, row) in rows.into_iter().enumerate() {
                let at = off as usize + place;
                (self.deps.name[at], self.deps.name_hash[at], self.deps.literal[at]) = (row.0, row.1, row.2);
                (self.deps.behavior[at], self.deps.target[at]) = (row.3, row.4);
            }
        }
        self.packages.deps[package as usize] = Span { off, len };
        self.packages.flags[package as usize] |= FLAG_FILLED;
    }

    /// Whether a dependency of a project or a member is also among its development dependencies: those decide.
    pub fn is_shadowed(&self, package: PackageId, dep: DepId) -> bool {
        self.shadowing(package, dep).is_some()
    }

    fn shadowing(&self, package: PackageId, dep: DepId) -> Option<DepId> {
        if !self.deps.behavior[dep as usize].has(Behavior::PROD)
            || !matches!(self.kind(package), Kind::Root | Kind::Workspace)
        {
            return None;
        }
        let name = self.deps.name_hash[dep as usize];
        // Development dependencies come before production dependencies.
        (self.packages.deps[package as usize].off..dep).find(|&other| {
            self.deps.behavior[other as usize].has(Behavior::DEV) && self.deps.name_hash[other as usize] == name
        })
    }

    /// Gives dependencies that are listed twice the package of the development dependency.
    pub fn settle_shadowed(&mut self, members: &[Member]) {
        for member in members {
            for dep in self.packages.deps[member.package as usize].ids() {
                if let Some(other) = self.shadowing(member.package, dep) {
                    self.deps.target[dep as usize] = self.deps.target[other as usize];
                }
            }
        }
    }

    /// `name@resolution` as bun.lock's first element has it.
    pub fn label(&self, package: PackageId) -> String {
        let mut out = String::new();
        self.write_label(package, &mut out);
        out
    }

    pub fn write_label(&self, package: PackageId, out: &mut String) {
        let resolution = &self.packages.resolution[package as usize];
        out.push_str(self.name(package));
        out.push('@');
        self.write_resolution(resolution, out);
    }

    /// What stands after the `@`.
    pub fn write_resolution(&self, resolution: &Resolution, out: &mut String) {
        let value = self.text.get(resolution.value);
        out.push_str(match resolution.kind {
            Kind::Root => "root:",
            Kind::Workspace => "workspace:",
            Kind::Folder => "file:",
            Kind::Link => "link:",
            Kind::Git => "git+",
            Kind::GitHub => "github:",
            Kind::Npm | Kind::TarballUrl | Kind::TarballFile => "",
        });
        out.push_str(value);
        if matches!(resolution.kind, Kind::Git | Kind::GitHub) && !resolution.extra.is_empty() {
            out.push('#');
            out.push_str(self.text.get(resolution.extra));
        }
    }
}
