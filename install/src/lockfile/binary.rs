//! The writer of bun.lockb, Bun's binary lockfile in format 3: for projects that have one, and where `saveTextLockfile = false` asks
//! for it. [`super::migrate::lockb`] reads it, and says how it is laid out.
//!
//! Bun compares the hash of all versions ([`super::meta_hash`]) and the meaning of what it reads, not the bytes: packages stand in the
//! order in which they are reached.

use rustc_hash::FxHashMap;

use super::hash::{meta_digest, wyhash11};
use super::migrate::lockb::{CONFIG_VERSION, CPU_BITS, HEADER, LIBC_BITS, OS_BITS};
use super::migrate::lockb::{FOLDER, GIT, GITHUB, LOCAL_TARBALL, NPM, REMOTE_TARBALL, ROOT, SYMLINK, WORKSPACE};
use crate::model::extras::Extras;
use crate::model::graph::{Behavior, Bin, DepId, FLAG_INSTALL_SCRIPT, Graph, Member, PackageId};
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, LIBC, Names, OS};
use crate::model::registry_url::usual_tarball;
use crate::model::spec::Spec;
use semver::Version;

const FORMAT: u32 = 3;
const ALIGNMENT: usize = 8;
/// Zeros behind the end, as many as the largest alignment that Bun knew once.
const PADDING: usize = 144;
/// What the root directory of the tree has in place of a dependency.
const ROOT_DEPENDENCY: u32 = u32::MAX - 1;
/// Bytes of the column for scripts; zeros mean that package.json has them.
const SCRIPTS: usize = 49;
/// Where an origin is a registry.
const ORIGIN_REGISTRY: u8 = 1;

/// The bytes of bun.lockb. `tree` is the tree with nothing filtered out; `members` has the root first; `registry` is the URL of the
/// registry of a name.
pub(crate) fn write<'c>(
    graph: &Graph,
    tree: &Tree,
    members: &[Member],
    extras: &Extras,
    registry: &dyn Fn(&str) -> &'c str,
) -> Vec<u8> {
    let mut writer = Writer::new(graph, members);
    let columns = writer.packages(registry);
    let dependencies = writer.dependencies();
    let (trees, hoisted) = writer.trees(tree);
    let resolutions = writer.resolutions();
    // Behind the strings, but their own strings are among them.
    let rest = writer.settings(members, extras);

    let mut file = File { bytes: HEADER.to_vec() };
    file.bytes.extend_from_slice(&FORMAT.to_le_bytes());
    file.bytes.extend_from_slice(&meta_digest(graph, tree));
    let end = file.bytes.len();
    file.u64(0);
    for number in [writer.order.len(), ALIGNMENT, columns.len()] {
        file.u64(number as u64);
    }
    let range = file.bytes.len();
    file.u64(0);
    file.u64(0);
    file.align();
    file.put(range, file.bytes.len());
    columns.iter().for_each(|column| file.bytes.extend_from_slice(column));
    file.put(range + 8, file.bytes.len());
    file.array("install.lockfile.Tree", 20, 4, &trees);
    file.array("u32", 4, 4, &hoisted);
    file.array("u32", 4, 4, &resolutions);
    file.array("[26]u8", 26, 1, &dependencies);
    file.array("semver.ExternalString.ExternalString", 16, 8, &writer.extern_strings);
    file.array("u8", 1, 1, &writer.strings);
    file.u64(0);
    for (tag, arrays) in &rest {
        file.bytes.extend_from_slice(*tag);
        for (name, size, alignment, bytes) in arrays {
            file.array(name, *size, *alignment, bytes);
        }
    }
    file.bytes.extend_from_slice(CONFIG_VERSION);
    file.u64(u64::from(extras.config_version));
    file.put(end, file.bytes.len());
    file.bytes.resize(file.bytes.len() + PADDING, 0);
    file.bytes
}

/// A section behind the arrays: its mark, and arrays as (type, size and alignment of an element, bytes).
type Section = (&'static [u8; 8], Vec<(&'static str, usize, usize, Vec<u8>)>);

struct File {
    bytes: Vec<u8>,
}

impl File {
    fn u64(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Overwrites the number at `at`.
    fn put(&mut self, at: usize, number: usize) {
        self.bytes[at..at + 8].copy_from_slice(&(number as u64).to_le_bytes());
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
    }

    /// Begin and end, a line for people, and the elements.
    fn array(&mut self, name: &str, size: usize, alignment: usize, elements: &[u8]) {
        let at = self.bytes.len();
        self.u64(0);
        self.u64(0);
        self.bytes.extend_from_slice(format!("\n<{name}> {size} sizeof, {alignment} alignof\n").as_bytes());
        if !elements.is_empty() {
            self.align();
        }
        self.put(at, self.bytes.len());
        self.bytes.extend_from_slice(elements);
        self.put(at + 8, self.bytes.len());
    }
}

struct Writer<'g> {
    graph: &'g Graph,
    /// Packages as they stand in the file, and the place of each ([`NO_ID`]: nothing leads to it).
    order: Vec<PackageId>,
    places: Vec<u32>,
    /// Where the dependencies of each package of `order` begin.
    begins: Vec<u32>,
    /// The place of each dependency.
    dep_places: Vec<u32>,
    strings: Vec<u8>,
    known: FxHashMap<String, u32>,
    extern_strings: Vec<u8>,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph, members: &[Member]) -> Self {
        let mut order = vec![0];
        let mut places = vec![NO_ID; graph.len()];
        places[0] = 0;
        let mut reach = |package: PackageId, order: &mut Vec<PackageId>| {
            if package != NO_ID && places[package as usize] == NO_ID {
                places[package as usize] = order.len() as u32;
                order.push(package);
            }
        };
        members.iter().for_each(|member| reach(member.package, &mut order));
        let mut at = 0;
        while let Some(&package) = order.get(at) {
            for dep in graph.packages.deps[package as usize].ids() {
                reach(graph.deps.target[dep as usize], &mut order);
            }
            at += 1;
        }
        let mut dep_places = vec![NO_ID; graph.deps.name.len()];
        let (mut begins, mut next) = (Vec::with_capacity(order.len()), 0);
        for &package in &order {
            begins.push(next);
            for dep in graph.packages.deps[package as usize].ids() {
                dep_places[dep as usize] = next;
                next += 1;
            }
        }
        Self {
            graph,
            order,
            places,
            begins,
            dep_places,
            strings: Vec::new(),
            known: FxHashMap::default(),
            extern_strings: Vec::new(),
        }
    }

    /// The dependencies of all packages, as they stand in the file.
    fn deps(&self) -> impl Iterator<Item = DepId> {
        self.order.iter().flat_map(|&package| self.graph.packages.deps[package as usize].ids())
    }

    /// Up to eight bytes stand in place of their range in the buffer of strings, whose last bit is set.
    fn string(&mut self, text: &str) -> [u8; 8] {
        let mut out = [0; 8];
        if text.len() < 8 || (text.len() == 8 && text.as_bytes()[7] < 0x80) {
            out[..text.len()].copy_from_slice(text.as_bytes());
            return out;
        }
        let off = match self.known.get(text) {
            Some(off) => *off,
            None => {
                let off = self.strings.len() as u32;
                self.strings.extend_from_slice(text.as_bytes());
                self.known.insert(text.to_owned(), off);
                off
            }
        };
        out[..4].copy_from_slice(&off.to_le_bytes());
        out[4..].copy_from_slice(&(text.len() as u32 | 1 << 31).to_le_bytes());
        out
    }

    /// A string with its hash; zeros for an empty one.
    fn extern_string(&mut self, text: &str) -> [u8; 16] {
        let mut out = [0; 16];
        if !text.is_empty() {
            out[..8].copy_from_slice(&self.string(text));
            out[8..].copy_from_slice(&wyhash11(text.as_bytes()).to_le_bytes());
        }
        out
    }

    /// Three numbers, what follows the hyphen, what follows the plus sign.
    fn version(&mut self, version: &Version<'_>) -> [u8; 56] {
        let mut out = [0; 56];
        for (place, number) in [version.major, version.minor, version.patch].into_iter().enumerate() {
            out[8 * place..8 * place + 8].copy_from_slice(&number.to_le_bytes());
        }
        out[24..40].copy_from_slice(&self.extern_string(version.pre));
        out[40..].copy_from_slice(&self.extern_string(version.build));
        out
    }

    fn packages<'c>(&mut self, registry: &dyn Fn(&str) -> &'c str) -> [Vec<u8>; 8] {
        let graph = self.graph;
        let mut columns: [Vec<u8>; 8] = Default::default();
        for (place, package) in self.order.clone().into_iter().enumerate() {
            let at = package as usize;
            let name = graph.name(package);
            columns[0].extend_from_slice(&self.string(name));
            columns[1].extend_from_slice(&wyhash11(name.as_bytes()).to_le_bytes());
            let resolution = self.resolution(package, registry);
            columns[2].extend_from_slice(&resolution);
            for slice in [3, 4] {
                columns[slice].extend_from_slice(&self.begins[place].to_le_bytes());
                columns[slice].extend_from_slice(&graph.packages.deps[at].len.to_le_bytes());
            }
            columns[5].extend_from_slice(&meta(graph, package, place as u32));
            let bin = self.bin(graph.packages.bin[at]);
            columns[6].extend_from_slice(&bin);
        }
        columns[7] = vec![0; SCRIPTS * self.order.len()];
        columns
    }

    /// A kind and what it says: a URL and a version, a path or URL, or a repository.
    fn resolution<'c>(&mut self, package: PackageId, registry: &dyn Fn(&str) -> &'c str) -> [u8; 72] {
        let graph = self.graph;
        let resolution = &graph.packages.resolution[package as usize];
        let (value, extra, tag) = (graph.value(package), graph.str(resolution.extra), graph.str(resolution.tag));
        let mut out = [0; 72];
        let mut fill = |at: usize, bytes: &[u8]| out[8 + at..8 + at + bytes.len()].copy_from_slice(bytes);
        let kind = match resolution.kind {
            Kind::Root => ROOT,
            Kind::Npm => {
                let name = graph.name(package);
                let url = match extra {
                    "" => usual_tarball(registry(name), name, value),
                    url => url.to_owned(),
                };
                fill(0, &self.string(&url));
                fill(8, &self.version(&Version::parse(value).unwrap_or_default()));
                NPM
            }
            Kind::Git | Kind::GitHub => {
                let github = resolution.kind == Kind::GitHub;
                let (owner, repo) = if github { value.split_once('/').unwrap_or(("", value)) } else { ("", value) };
                let resolved = if tag.is_empty() { extra } else { tag };
                for (place, text) in [owner, repo, extra, resolved].into_iter().enumerate() {
                    fill(8 * place, &self.string(text));
                }
                if github { GITHUB } else { GIT }
            }
            kind => {
                fill(0, &self.string(value));
                match kind {
                    Kind::Workspace => WORKSPACE,
                    Kind::Folder => FOLDER,
                    Kind::Link => SYMLINK,
                    Kind::TarballFile => LOCAL_TARBALL,
                    _ => REMOTE_TARBALL,
                }
            }
        };
        out[0] = kind;
        out
    }

    fn bin(&mut self, bin: Bin) -> [u8; 20] {
        let graph = self.graph;
        let mut out = [0; 20];
        let (tag, first, second) = match bin {
            Bin::None => return out,
            Bin::File(path) => (1, self.string(graph.str(path)), [0; 8]),
            Bin::Named(name, path) => (2, self.string(graph.str(name)), self.string(graph.str(path))),
            Bin::Dir(path) => (3, self.string(graph.str(path)), [0; 8]),
            Bin::Map(start, len) => {
                let off = (self.extern_strings.len() / 16) as u32;
                for &(name, path) in &graph.bin_entries[start as usize..(start + len) as usize] {
                    for text in [name, path] {
                        let string = self.extern_string(graph.str(text));
                        self.extern_strings.extend_from_slice(&string);
                    }
                }
                let mut range = [0; 8];
                range[..4].copy_from_slice(&off.to_le_bytes());
                range[4..].copy_from_slice(&(len * 2).to_le_bytes());
                (4, range, [0; 8])
            }
        };
        out[0] = tag;
        out[4..12].copy_from_slice(&first);
        out[12..].copy_from_slice(&second);
        out
    }

    fn dependencies(&mut self) -> Vec<u8> {
        let graph = self.graph;
        let mut out = Vec::with_capacity(26 * graph.deps.name.len());
        for dep in self.deps().collect::<Vec<_>>() {
            let at = dep as usize;
            let (behavior, target) = (graph.deps.behavior[at], graph.deps.target[at]);
            // An edge from the project to a member has the member's path.
            let literal = match behavior.has(Behavior::WORKSPACE) && target != NO_ID {
                true => (graph.value(target), Some(Spec::Workspace(""))),
                false => (graph.str(graph.deps.literal[at]), None),
            };
            let bytes = self.dependency(graph.str(graph.deps.name[at]), literal.0, literal.1, behavior);
            out.extend_from_slice(&bytes);
        }
        out
    }

    /// A name with its hash, the groups, the kind of specifier (that of the text if `spec` is not given), the specifier.
    fn dependency(&mut self, name: &str, literal: &str, spec: Option<Spec<'_>>, behavior: Behavior) -> [u8; 26] {
        let mut out = [0; 26];
        out[..8].copy_from_slice(&self.string(name));
        out[8..16].copy_from_slice(&wyhash11(name.as_bytes()).to_le_bytes());
        out[16] = behavior.0 << 1;
        out[17] = match spec.unwrap_or_else(|| Spec::parse(literal)) {
            Spec::Range { .. } => 1,
            Spec::Tag { .. } => 2,
            Spec::TarballUrl(_) | Spec::TarballFile(_) => 3,
            Spec::Folder(_) => 4,
            Spec::Link(_) => 5,
            Spec::Workspace(_) => 6,
            Spec::Git { .. } => 7,
            Spec::GitHub { .. } => 8,
            Spec::Catalog(_) => 9,
        };
        out[18..].copy_from_slice(&self.string(literal));
        out
    }

    /// The package of each dependency.
    fn resolutions(&self) -> Vec<u8> {
        let place = |dep: DepId| self.places.get(self.graph.deps.target[dep as usize] as usize).copied();
        self.deps().flat_map(|dep| place(dep).unwrap_or(NO_ID).to_le_bytes()).collect()
    }

    /// The directories of the tree, and the dependencies that are placed in them.
    fn trees(&self, tree: &Tree) -> (Vec<u8>, Vec<u8>) {
        let (mut trees, mut hoisted) = (Vec::new(), Vec::new());
        for (id, directory) in tree.directories.iter().enumerate() {
            let (dep, parent) = match id {
                0 => (ROOT_DEPENDENCY, NO_ID),
                _ => (self.dep_places[directory.dep as usize], directory.parent),
            };
            let placed = directory.placed.iter().map(|&dep| self.dep_places[dep as usize]);
            let off = (hoisted.len() / 4) as u32;
            for number in [id as u32, dep, parent, off, directory.placed.len() as u32] {
                trees.extend_from_slice(&number.to_le_bytes());
            }
            hoisted.extend(placed.flat_map(u32::to_le_bytes));
        }
        (trees, hoisted)
    }

    /// Members, trusted packages, overrides, patches and catalogs, each if there are any.
    fn settings(&mut self, members: &[Member], extras: &Extras) -> Vec<Section> {
        let mut out: Vec<Section> = Vec::new();
        self.members(members, &mut out);
        let hash = |text: &str| wyhash11(text.as_bytes());
        match extras.trusted.as_deref() {
            None => {}
            Some([]) => out.push((b"eMpTrUsT", Vec::new())),
            Some(names) => {
                let hashes = names.iter().flat_map(|name| (hash(name) as u32).to_le_bytes()).collect();
                out.push((b"tRuStEDd", vec![("u32", 4, 4, hashes)]));
            }
        }
        // Rules for some dependencies of a name only have no place in the file.
        let rules: Vec<_> =
            extras.overrides.iter().filter(|rule| rule.parent.is_empty() && rule.range.is_empty()).collect();
        if !rules.is_empty() {
            let hashes = rules.iter().flat_map(|rule| hash(&rule.name).to_le_bytes()).collect();
            let values =
                rules.iter().flat_map(|rule| self.dependency(&rule.name, &rule.value, None, Behavior(0))).collect();
            out.push((b"oVeRriDs", vec![("u64", 8, 8, hashes), ("[26]u8", 26, 1, values)]));
        }
        if !extras.patched.is_empty() {
            let hashes = extras.patched.iter().flat_map(|(label, _)| hash(label).to_le_bytes()).collect();
            let mut paths = Vec::new();
            for (_, path) in &extras.patched {
                paths.extend_from_slice(&self.string(path));
                // Seven zeros, and that the hash of the patch, which would follow, is not known.
                paths.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 1]);
                paths.extend_from_slice(&[0; 8]);
            }
            out.push((b"pAtChEdD", vec![("u64", 8, 8, hashes), ("install.lockfile.PatchedDep", 24, 8, paths)]));
        }
        if !extras.catalog.is_empty() || !extras.catalogs.is_empty() {
            let mut arrays = Vec::new();
            self.catalog(&extras.catalog, &mut arrays);
            let names = extras.catalogs.iter().flat_map(|(name, _)| self.string(name)).collect();
            arrays.push((STRING, 8, 1, names));
            for (_, entries) in &extras.catalogs {
                self.catalog(entries, &mut arrays);
            }
            out.push((b"cAtAlOgS", arrays));
        }
        out
    }

    fn catalog(&mut self, entries: &[(String, String)], arrays: &mut Vec<(&'static str, usize, usize, Vec<u8>)>) {
        let names = entries.iter().flat_map(|(name, _)| self.string(name)).collect();
        let values = entries.iter().flat_map(|(name, value)| self.dependency(name, value, None, Behavior(0))).collect();
        arrays.extend([(STRING, 8, 1, names), ("[26]u8", 26, 1, values)]);
    }

    /// Versions and paths of members by the hashes of their names.
    fn members(&mut self, members: &[Member], out: &mut Vec<Section>) {
        let graph = self.graph;
        let (mut versioned, mut versions, mut named, mut paths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for member in &members[1..] {
            let hash = wyhash11(graph.name(member.package).as_bytes()).to_le_bytes();
            if let Some(version) = Version::parse(graph.str(member.version)) {
                versioned.extend_from_slice(&hash);
                versions.extend_from_slice(&self.version(&version));
            }
            named.extend_from_slice(&hash);
            paths.extend_from_slice(&self.string(&member.path));
        }
        // Bun has both lists or none.
        if !versioned.is_empty() {
            let version = ("semver.Version.VersionType(u64)", 56, 8, versions);
            out.push((
                b"wOrKsPaC",
                vec![("u64", 8, 8, versioned), version, ("u64", 8, 8, named), (STRING, 8, 1, paths)],
            ));
        }
    }
}

const STRING: &str = "semver.SemverString.String";

/// Where a package comes from, its platforms, place, digest, and whether it has install scripts.
fn meta(graph: &Graph, package: PackageId, place: u32) -> [u8; 88] {
    let at = package as usize;
    let set = |set: u16, names: &Names, known: &[&str]| {
        let bits = known.iter().enumerate().filter(|(_, name)| set == names.all() || set & names.bit(name) != 0);
        bits.fold(0u16, |bits, (place, _)| bits | 2 << place)
    };
    let mut out = [0; 88];
    if !matches!(graph.kind(package), Kind::Root | Kind::Workspace) {
        out[0] = ORIGIN_REGISTRY;
    }
    out[2..4].copy_from_slice(&set(graph.packages.cpu[at], &CPU, &CPU_BITS).to_le_bytes());
    out[4..6].copy_from_slice(&set(graph.packages.os[at], &OS, &OS_BITS).to_le_bytes());
    if graph.packages.libc[at] != LIBC.all() {
        out[6] = set(graph.packages.libc[at], &LIBC, &LIBC_BITS) as u8;
    }
    out[8..12].copy_from_slice(&place.to_le_bytes());
    let integrity = &graph.packages.integrity[at];
    let digest = integrity.digest();
    if !digest.is_empty() {
        out[20] = integrity.tag();
        out[21..21 + digest.len()].copy_from_slice(digest);
    }
    out[85] = if graph.packages.flags[at] & FLAG_INSTALL_SCRIPT != 0 { 2 } else { 1 };
    out
}
