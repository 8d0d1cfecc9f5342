//! Resolution: every dependency of the graph gets a package.
//!
//! Breadth first in the order of the graph's arrays, one dependency at a time, whatever the order of arrival from the network: the
//! same input gives the same graph. Manifests of everything in the queue are fetched ahead. A dependency gets the best version of
//! its range; [`crate::resolve::dedupe`] then removes versions that are not needed. Peer dependencies come when nothing else is left: what
//! an ancestor depends on wins (with a warning where it is out of range), else one version does for all.

pub(crate) mod dedupe;
pub(crate) mod update_scope;

mod ahead;
mod aliases;
mod git;
mod link;
mod peers;
mod sources;

use crate::error::{Code, Error, Result};
use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, DepId, FLAG_INSTALL_SCRIPT, FLAG_LOADED, Graph, NewPackage, PackageId};
use crate::model::overrides::effective;
use crate::model::plan::{Kind, NO_ID};
use crate::model::registry_url::usual_tarball;
use crate::model::spec::{Spec, is_folder_name};
use crate::model::string_arena::{Str, hash};
use crate::registry::manifest::{self, AgeLimit, Manifest, NotFound};
use crate::registry::session::{Event, Lookup, Session};
use crate::resolve::update_scope::UpdateScope;
use rustc_hash::{FxHashMap, FxHashSet};
use semver::{Range, Version};
use std::collections::VecDeque;

/// What came out beside the graph.
#[derive(Default)]
pub(crate) struct Report {
    pub errors: Vec<Error>,
    pub warnings: Vec<String>,
    /// What to try about the warnings.
    pub hints: Vec<String>,
}

pub(crate) struct Resolver<'s, 'c> {
    pub session: &'s mut Session<'c>,
    pub graph: &'s mut Graph,
    members: &'s [Member],
    extras: &'s Extras,
    queue: VecDeque<DepId>,
    /// Packages whose dependencies are settled or queued.
    visited: Vec<bool>,
    peers: VecDeque<DepId>,
    /// By which package another one came into the graph first.
    introduced_by: FxHashMap<PackageId, PackageId>,
    /// Specifiers and versions that [`Resolver::speculate`] has dealt with.
    speculated: FxHashSet<(u64, u64)>,
    /// Specifiers that wait for the manifest of a name.
    expected: FxHashMap<u64, Vec<(String, String)>>,
    /// Packages that were chosen for peers.
    for_peers: Vec<PackageId>,
    /// Registry packages that the project or a member depends on itself, and whether one of them wants exactly this version.
    direct: FxHashMap<PackageId, bool>,
    /// Workspace members by hash of their name.
    workspaces: FxHashMap<u64, PackageId>,
    /// [`aliases::list`].
    aliases: FxHashMap<u64, DepId>,
    /// Which package declares a dependency, for messages and paths.
    owners: FxHashMap<DepId, PackageId>,
    limit: AgeLimit<'c>,
    report: Report,
    /// Packages that are in the place of a peer and not in its range.
    conflicts: Vec<PackageId>,
    /// Tarballs are fetched as soon as a package is chosen.
    prefetch: bool,
    /// Optional dependencies that the lockfile has no package for are tried again.
    pub retry_missing: bool,
    /// What does not keep the lockfile's version (`update`).
    pub released: Option<UpdateScope>,
    /// The lockfile is that of another tool, which may leave peers without a package.
    pub migrated: bool,
}

enum Step {
    Done,
    Wait,
}

impl<'s, 'c> Resolver<'s, 'c> {
    pub(crate) fn new(
        session: &'s mut Session<'c>,
        graph: &'s mut Graph,
        members: &'s [Member],
        extras: &'s Extras,
        prefetch: bool,
    ) -> Self {
        let limit = AgeLimit::new(session.config, session.now);
        let workspaces = members
            .iter()
            .skip(1)
            .map(|member| (graph.packages.name_hash[member.package as usize], member.package))
            .collect();
        let aliases = aliases::list(graph, extras, members);
        Self {
            session,
            graph,
            members,
            extras,
            queue: VecDeque::new(),
            visited: Vec::new(),
            peers: VecDeque::new(),
            introduced_by: FxHashMap::default(),
            speculated: FxHashSet::default(),
            expected: FxHashMap::default(),
            for_peers: Vec::new(),
            direct: FxHashMap::default(),
            workspaces,
            aliases,
            owners: FxHashMap::default(),
            limit,
            report: Report::default(),
            conflicts: Vec::new(),
            prefetch,
            retry_missing: false,
            released: None,
            migrated: false,
        }
    }

    /// Puts the unresolved dependencies of a package in the queue.
    fn enqueue(&mut self, package: PackageId) {
        self.first_visit(package);
        for dep in self.graph.packages.deps[package as usize].ids() {
            self.owners.insert(dep, package);
            let behavior = self.graph.deps.behavior[dep as usize];
            let target = self.graph.deps.target[dep as usize];
            if target != NO_ID {
                self.introduced_by.entry(target).or_insert(package);
                continue;
            }
            if behavior.is_optional_peer() || self.graph.is_shadowed(package, dep) {
                continue;
            }
            // An optional dependency that the lockfile lists and has no package for could not be had then.
            if behavior.is_optional()
                && !self.retry_missing
                && self.graph.packages.flags[package as usize] & FLAG_LOADED != 0
            {
                continue;
            }
            if behavior.has(Behavior::PEER) {
                if self.session.config.peer {
                    self.peers.push_back(dep);
                }
            } else {
                self.queue.push_back(dep);
                self.ahead(dep);
            }
        }
    }

    fn dep_name(&self, dep: DepId) -> &str {
        self.graph.str(self.graph.deps.name[dep as usize])
    }

    fn literal(&self, dep: DepId) -> String {
        let owner = self.owners.get(&dep).copied().unwrap_or(0);
        effective(self.graph, self.extras, dep, owner)
    }

    /// Whether a package is seen for the first time.
    fn first_visit(&mut self, package: PackageId) -> bool {
        if self.visited.len() <= package as usize {
            self.visited.resize(self.graph.len(), false);
        }
        !std::mem::replace(&mut self.visited[package as usize], true)
    }

    /// What the lockfile has settled below some packages, breadth first; what it has not is queued on the way.
    fn visit(&mut self, mut order: Vec<PackageId>) {
        for &package in &order {
            self.first_visit(package);
        }
        let mut at = 0;
        while at < order.len() {
            for dep in self.graph.packages.deps[order[at] as usize].ids() {
                let target = self.graph.deps.target[dep as usize];
                if target != NO_ID && self.first_visit(target) {
                    order.push(target);
                }
            }
            at += 1;
        }
        for package in order {
            self.enqueue(package);
        }
    }

    /// Resolves everything that is reachable from the root.
    pub(crate) fn run(mut self) -> Result<Report> {
        self.visit(self.members.iter().map(|member| member.package).collect());
        loop {
            while let Some(dep) = self.queue.pop_front() {
                while self.graph.deps.target[dep as usize] == NO_ID {
                    match self.step(dep) {
                        Ok(Step::Done) => break,
                        Ok(Step::Wait) => self.wait()?,
                        Err(error) => {
                            self.fail(dep, error);
                            break;
                        }
                    }
                }
            }
            if self.peers.is_empty() {
                self.graph.settle_shadowed(self.members);
                self.hint_peers();
                return Ok(self.report);
            }
            let peers = std::mem::take(&mut self.peers);
            for &dep in &peers {
                if self.ancestor(dep).is_none() {
                    self.ahead(dep);
                }
            }
            self.queue = peers;
        }
    }

    /// What a peer of the project or a member takes: of the packages of the name that are in the range the newest one that a member
    /// depends on, or the first one that came into the graph; else what it depends on itself under the name, else what a member that
    /// depends on it has.
    fn member_peer(&self, dep: DepId, name: u64, range: Option<&Range<'_>>) -> Option<PackageId> {
        let owner = self.owner_of(dep);
        if !matches!(self.graph.kind(owner), Kind::Root | Kind::Workspace) {
            return None;
        }
        if let Some(range) = range
            && let Some(known) = self.graph.by_name.get(&name)
        {
            let fits = |id: &PackageId| self.graph.kind(*id) == Kind::Npm && self.fits(*id, range);
            let direct = known.iter().copied().find(|id| self.direct.contains_key(id) && fits(id));
            if let Some(found) = direct.or_else(|| known.iter().copied().filter(fits).min()) {
                return Some(found);
            }
        }
        let deps = &self.graph.deps;
        let folder = deps.name_hash[dep as usize];
        let own = |package: PackageId| {
            self.graph.packages.deps[package as usize]
                .ids()
                .find(|&other| {
                    deps.name_hash[other as usize] == folder && !deps.behavior[other as usize].has(Behavior::PEER)
                })
                .map(|other| deps.target[other as usize])
                .filter(|target| *target != NO_ID)
        };
        own(owner).or_else(|| {
            let users = self.members.iter().skip(1).map(|member| member.package).filter(|&package| {
                self.graph.packages.deps[package as usize].ids().any(|other| deps.target[other as usize] == owner)
            });
            users.into_iter().find_map(own)
        })
    }

    /// What the nearest ancestor of a peer's owner has under the peer's name.
    fn ancestor(&self, dep: DepId) -> Option<PackageId> {
        let name = self.graph.deps.name_hash[dep as usize];
        let mut at = self.owners.get(&dep).copied()?;
        for _ in 0..10_000 {
            if at == 0 {
                return None;
            }
            let above = self.introduced_by.get(&at).copied().unwrap_or(0);
            for other in self.graph.packages.deps[above as usize].ids() {
                let target = self.graph.deps.target[other as usize];
                if target == NO_ID {
                    continue;
                }
                if self.graph.deps.name_hash[other as usize] == name {
                    return Some(target);
                }
            }
            at = above;
        }
        None
    }

    /// Whether a package is in a range.
    fn fits(&self, found: PackageId, range: &Range<'_>) -> bool {
        match self.graph.kind(found) {
            Kind::Npm => Version::parse(self.graph.value(found)).is_some_and(|version| range.contains(&version)),
            Kind::Root => false,
            _ => true,
        }
    }

    fn wait(&mut self) -> Result<()> {
        // What came for repositories and tarballs is in the session's table.
        match self.session.wait()? {
            Event::Unpacked(_) | Event::Failed(..) | Event::Archive(..) | Event::Git(..) => {}
            Event::Manifest(key, _) => {
                if let Some(list) = self.expected.remove(&key) {
                    self.speculate(list);
                }
            }
        }
        Ok(())
    }

    fn fail(&mut self, dep: DepId, error: Error) {
        let behavior = self.graph.deps.behavior[dep as usize];
        let name = self.dep_name(dep).to_owned();
        let literal = self.graph.str(self.graph.deps.literal[dep as usize]).to_owned();
        if behavior.has(Behavior::OPTIONAL) || behavior.has(Behavior::PEER) {
            if self.session.config.verbose {
                base::stderr_line!("optional dependency {name}@{literal} is left out: {}", error.message);
            } else if error.code == Code::Usage && !self.report.warnings.contains(&error.message) {
                // A wrong setting, which would leave out all others, too.
                self.report.warnings.push(error.message.clone());
            }
            return;
        }
        let mut error = error.package(&name, &crate::store::git::masked(&literal));
        let owner = self.owners.get(&dep).copied().unwrap_or(0);
        if owner != 0 && error.hint.is_none() {
            error.hint = Some(format!("it is required by {}", self.graph.label(owner)));
        }
        self.report.errors.push(error);
    }

    fn bind(&mut self, dep: DepId, package: PackageId) {
        self.graph.deps.target[dep as usize] = package;
        let owner = self.owners.get(&dep).copied().unwrap_or(0);
        self.introduced_by.entry(package).or_insert(owner);
        if self.graph.deps.behavior[dep as usize].has(Behavior::PEER) && !self.for_peers.contains(&package) {
            self.for_peers.push(package);
        }
        // A package of the lockfile that nothing settled led to may have dependencies without a package (after an override changed).
        if self.first_visit(package) {
            self.visit(vec![package]);
        }
    }

    /// A package of the name that the lockfile has and that is in the range, or exactly the version that is asked for.
    fn existing(&self, name: u64, range: &Range<'_>) -> Option<PackageId> {
        let exact = range.exact();
        self.graph.by_name.get(&name)?.iter().copied().find(|&id| {
            self.graph.kind(id) == Kind::Npm
                && Version::parse(self.graph.value(id)).is_some_and(|version| {
                    exact.is_some_and(|exact| exact.order(&version).is_eq())
                        || (self.graph.packages.flags[id as usize] & FLAG_LOADED != 0 && range.contains(&version))
                })
        })
    }

    fn step(&mut self, dep: DepId) -> Result<Step> {
        let name = self.dep_name(dep);
        if !self.graph.deps.behavior[dep as usize].has(Behavior::WORKSPACE) && !is_folder_name(name) {
            return Err(Error::new(Code::NoVersion, format!("invalid dependency name \"{}\"", name.escape_debug())));
        }
        let literal = self.literal(dep);
        let spec = Spec::parse(&literal);
        if matches!(spec, Spec::Folder(_) | Spec::Link(_) | Spec::TarballFile(_) | Spec::Workspace(_)) {
            self.may_name_paths(dep, &literal)?;
        }
        match spec {
            Spec::Range { name: alias, range } => {
                let name = self.target_name(dep, alias);
                // An empty range of a member's name is a tag, as in Bun: only the root's leads to the member.
                if range.trim().is_empty() && self.workspaces.contains_key(&hash(&name)) {
                    return self.registry(dep, &name, None, "latest");
                }
                let range = Range::parse(range).unwrap_or_default();
                if alias.is_empty()
                    && !self.graph.deps.behavior[dep as usize].has(Behavior::PEER)
                    && let Some(found) = self.aliased(dep, &range)
                {
                    self.bind(dep, found);
                    return Ok(Step::Done);
                }
                self.registry(dep, &name, Some(&range), "")
            }
            Spec::Tag { name, tag } => {
                let name = self.target_name(dep, name);
                self.registry(dep, &name, None, tag)
            }
            Spec::Workspace(wanted) => self.workspace(dep, wanted),
            Spec::Folder(path) => self.folder(dep, path),
            Spec::Link(path) => self.linked(dep, path),
            Spec::TarballUrl(url) => self.tarball(dep, url, Kind::TarballUrl),
            Spec::TarballFile(path) => self.tarball(dep, path, Kind::TarballFile),
            Spec::Catalog(group) => {
                let what = if group.is_empty() { "the catalog".to_owned() } else { format!("the catalog \"{group}\"") };
                Err(Error::new(Code::NoVersion, format!("{} is not in {what}", self.dep_name(dep)))
                    .hint("add it to `catalog` or `catalogs` of the root's package.json"))
            }
            Spec::GitHub { owner, repo, reference } => self.github(dep, owner, repo, reference),
            Spec::Git { url, reference } => self.git(dep, url, reference),
        }
    }

    fn target_name(&self, dep: DepId, alias: &str) -> String {
        if alias.is_empty() { self.dep_name(dep).to_owned() } else { alias.to_owned() }
    }

    fn same_resolution(&self, name: Str, kind: Kind, value: Str) -> Option<PackageId> {
        let key = hash(self.graph.str(name));
        self.graph.by_name.get(&key)?.iter().copied().find(|&id| {
            let resolution = &self.graph.packages.resolution[id as usize];
            resolution.kind == kind && self.graph.str(resolution.value) == self.graph.str(value)
        })
    }

    fn registry(&mut self, dep: DepId, name: &str, range: Option<&Range<'_>>, tag: &str) -> Result<Step> {
        let key = hash(name);
        let peer = self.graph.deps.behavior[dep as usize].has(Behavior::PEER);
        if let Some(workspace) = self.linked_member(dep, key, range) {
            self.bind(dep, workspace);
            return Ok(Step::Done);
        }
        if peer && self.present_peer(dep, key, range) {
            return Ok(Step::Done);
        }
        let updating = self.is_updating(dep, name);
        if let Some(range) = range
            && !updating
            && !peer
            && let Some(found) = self.existing(key, range)
        {
            self.bind(dep, found);
            return Ok(Step::Done);
        }
        let exact = range.and_then(Range::exact);
        let manifest =
            match self.session.manifest(name, |stored| exact.is_some_and(|exact| stored.find(&exact).is_some())) {
                Lookup::Ready(manifest) => manifest,
                Lookup::Pending => return Ok(Step::Wait),
                Lookup::Failed(error) => return Err(error),
            };
        let found = match range {
            Some(range) => manifest.best(range, self.limit),
            None => manifest.best_tag(if tag.is_empty() { "latest" } else { tag }, self.limit),
        };
        let index = match found {
            Ok(index) => index,
            Err(why) => {
                if range.is_none()
                    && let Some(&workspace) = self.workspaces.get(&key)
                {
                    self.bind(dep, workspace);
                    return Ok(Step::Done);
                }
                if peer {
                    return Ok(Step::Done);
                }
                return Err(self.no_version(dep, name, &manifest, range.is_none(), tag, &why));
            }
        };
        let best = manifest.version(index);
        let direct = matches!(self.graph.kind(self.owner_of(dep)), Kind::Root | Kind::Workspace);
        let shared = if direct && !peer && !updating { self.shared(key, range, &best) } else { None };
        let package = match shared.or_else(|| self.same_version(key, &best)) {
            Some(found) => found,
            None => self.add_npm(&manifest, index, name)?,
        };
        if direct && !peer {
            *self.direct.entry(package).or_default() |= exact.is_some();
        }
        self.bind(dep, package);
        Ok(Step::Done)
    }

    /// The member of the workspace that a dependency means instead of a package of the registry: one whose version the range
    /// contains, or, from the root, any if no range is given.
    fn linked_member(&self, dep: DepId, key: u64, range: Option<&Range<'_>>) -> Option<PackageId> {
        let &workspace = self.workspaces.get(&key)?;
        let linked = match range {
            Some(range) => {
                self.session.config.link_workspaces
                    && (range.is_any()
                        || Version::parse(&self.member_version(workspace))
                            .is_some_and(|version| range.contains(&version)))
            }
            None => self.owner_of(dep) == 0,
        };
        linked.then_some(workspace)
    }

    /// Whether `update` may change what a dependency is bound to.
    fn is_updating(&self, dep: DepId, name: &str) -> bool {
        self.released.as_ref().is_some_and(|released| {
            let own = matches!(self.graph.kind(self.owner_of(dep)), Kind::Root | Kind::Workspace);
            released.has(own, self.dep_name(dep), name)
        })
    }

    /// Binds a peer dependency to a package that is in the graph already. False: the registry decides.
    fn present_peer(&mut self, dep: DepId, key: u64, range: Option<&Range<'_>>) -> bool {
        if let Some(found) = self.member_peer(dep, key, range).or_else(|| self.ancestor(dep)) {
            if range.is_some_and(|range| !self.fits(found, range)) {
                self.warn_peer(dep, found);
            }
            self.bind(dep, found);
            return true;
        }
        let chosen = self.for_peers.iter().copied().find(|&id| {
            self.graph.packages.name_hash[id as usize] == key && range.is_some_and(|range| self.fits(id, range))
        });
        if let Some(found) = chosen {
            self.bind(dep, found);
            return true;
        }
        // The other tool has not installed a package for this peer: neither is one fetched now.
        let owner = self.owner_of(dep);
        let left_out = self.migrated && self.graph.packages.flags[owner as usize] & FLAG_LOADED != 0;
        if left_out && let Some(found) = range.and_then(|range| self.existing(key, range)) {
            self.bind(dep, found);
        }
        left_out
    }

    /// A version that the project or a member depends on, for another member: they share one if it has the major number of the
    /// `best` one, or if the other accepts nothing else.
    fn shared(&self, name: u64, range: Option<&Range<'_>>, best: &Version<'_>) -> Option<PackageId> {
        let range = range?;
        self.graph.by_name.get(&name)?.iter().copied().find(|id| {
            let Some(&exact) = self.direct.get(id) else { return false };
            Version::parse(self.graph.value(*id))
                .is_some_and(|version| range.contains(&version) && (exact || version.major == best.major))
        })
    }

    fn owner_of(&self, dep: DepId) -> PackageId {
        self.owners.get(&dep).copied().unwrap_or(0)
    }

    fn same_version(&self, name: u64, version: &Version<'_>) -> Option<PackageId> {
        self.graph.by_name.get(&name)?.iter().copied().find(|&id| {
            self.graph.kind(id) == Kind::Npm
                && Version::parse(self.graph.value(id)).is_some_and(|other| other.order(version).is_eq())
        })
    }

    fn member_version(&self, package: PackageId) -> String {
        let member = self.members.iter().find(|member| member.package == package);
        member.map_or(String::new(), |member| self.graph.str(member.version).to_owned())
    }

    fn no_version(
        &self,
        dep: DepId,
        name: &str,
        manifest: &Manifest,
        is_tag: bool,
        tag: &str,
        why: &NotFound,
    ) -> Error {
        let wanted = self.literal(dep);
        let registry = &self.session.config.registry_for(name).url;
        if *why == NotFound::TooRecent {
            let what = if is_tag {
                format!("Package \"{name}\" with tag \"{tag}\" not found")
            } else {
                format!("No version matching \"{wanted}\" found for specifier \"{}\"", self.dep_name(dep))
            };
            let all = if is_tag { "all versions " } else { "" };
            let seconds = self.session.config.minimum_release_age;
            return Error::new(
                Code::NoVersion,
                format!("{what} ({all}blocked by minimum-release-age: {seconds} seconds)"),
            )
            .url(format!("{registry}{name}"))
            .hint(format!("--minimum-release-age-excludes {name} lets this package through"));
        }
        let latest = manifest.latest().map(|latest| manifest.version(latest).to_string()).unwrap_or_default();
        let known: Vec<String> =
            (0..manifest.header_versions()).rev().take(5).map(|index| manifest.version(index).to_string()).collect();
        let message = if is_tag {
            format!("Package \"{name}\" with tag \"{tag}\" not found, but package exists")
        } else {
            format!(
                "No version matching \"{wanted}\" found for specifier \"{}\" (but package exists)",
                self.dep_name(dep)
            )
        };
        Error::new(Code::NoVersion, message)
            .url(format!("{registry}{name}"))
            .hint(format!("latest is {latest}; the newest are {}", known.join(", ")))
    }

    /// Adds a version of a registry package to the graph and starts its download.
    fn add_npm(&mut self, manifest: &Manifest, index: u32, name: &str) -> Result<PackageId> {
        let record = manifest.record(index);
        let version = manifest.version(index).to_string();
        let integrity = manifest.integrity(record);
        let graph = &mut *self.graph;
        let name_at = graph.text.add(name);
        let value = graph.text.add(&version);
        let mut new = NewPackage::new(name_at, Kind::Npm, value);
        let registry = &self.session.config.registry_for(name).url;
        let explicit = manifest.str(record.tarball);
        let explicit = if explicit.is_empty() && registry != crate::model::registry_url::DEFAULT_REGISTRY {
            usual_tarball(registry, name, &version)
        } else {
            explicit.to_owned()
        };
        new.resolution.extra = graph.text.add(&explicit);
        new.integrity = integrity;
        (new.os, new.cpu, new.libc) = (record.os, record.cpu, record.libc);
        if record.flags & manifest::VERSION_INSTALL_SCRIPT != 0 {
            new.flags |= FLAG_INSTALL_SCRIPT;
        }
        new.bin = manifest.add_bin(record, graph);
        let excluded = self.session.config.target.excludes(new.os, new.cpu, new.libc);
        let id = graph.add_package(new);
        let off = graph.begin_deps();
        for dep in manifest.deps(record) {
            let name = graph.text.add(manifest.str(dep.name));
            let range = graph.text.add(manifest.str(dep.range));
            graph.add_dep(name, range, Behavior(dep.behavior as u8));
        }
        graph.end_deps(id, off);
        crate::model::package_extensions::apply(graph, self.extras, id);
        if self.prefetch && !excluded {
            let job = self.session.npm_job(name, &version, &explicit, integrity);
            let authorization = self.session.config.authorization_for(&job.url, self.session.config.registry_for(name));
            self.session.download(job, authorization)?;
        }
        self.enqueue(id);
        Ok(id)
    }
}
