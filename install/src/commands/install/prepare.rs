//! From package.json and bun.lock to a graph: what did not change since the lockfile was written keeps its packages.

use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::lockfile::{self, Loaded, LoadedDep, LoadedMember};
use crate::model::extras::{Extras, Override};
use crate::model::graph::{Behavior, Graph, Member, NewPackage};
use crate::model::package_extensions;
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::Spec;
use crate::model::string_arena::{Str, hash};
use crate::project::{self, Project};
use crate::resolve::Report;
use json::Value;
use rustc_hash::FxHashMap;
use semver::{Range, Version};
use std::collections::BTreeSet;
use std::path::Path;

/// A project whose dependencies are all resolved.
pub(crate) struct Resolved {
    pub graph: Graph,
    pub members: Vec<Member>,
    pub extras: Extras,
    pub report: Report,
    /// Something differs from the lockfile that was read, or it is that of another tool.
    pub changed: bool,
    /// Something differs from what the lockfile says, whose ever it is.
    pub differs: bool,
    /// The text of the lockfile that was read.
    pub old_text: Option<String>,
    /// First difference, for `--frozen-lockfile`.
    pub difference: Option<String>,
    /// No edge of the lockfile was kept, because overrides changed.
    pub reset: bool,
    /// The lockfile that was read is that of another tool.
    pub migrated: bool,
}

/// Reads bun.lock or bun.lockb of the project, if there is one; the text of the latter is empty. A file that cannot be read is an error
/// with `--frozen-lockfile`, else a warning.
pub(crate) fn load_lockfile(root: &Path, config: &Config) -> Result<Option<(String, Loaded)>> {
    let text = load_text_lockfile(root, config)?;
    let path = root.join("bun.lockb");
    if text.is_some() || config.skip_lockfile || root.join("bun.lock").exists() || !path.exists() {
        return Ok(text);
    }
    let bytes = std::fs::read(&path).map_err(|error| Error::io("cannot read", &path, error))?;
    match lockfile::migrate::lockb::read(&bytes, &Project::load(root)?.manifests) {
        Ok(loaded) => Ok(Some((String::new(), loaded))),
        Err(error) if config.frozen => Err(error),
        Err(error) => {
            base::stderr_line!("warn: {error}\nwarn: Ignoring lockfile");
            Ok(None)
        }
    }
}

/// The same of bun.lock alone.
pub(super) fn load_text_lockfile(root: &Path, config: &Config) -> Result<Option<(String, Loaded)>> {
    if config.skip_lockfile {
        return Ok(None);
    }
    let path = root.join("bun.lock");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("cannot read", &path, error)),
    };
    if lockfile::merge::has_conflict(&text) {
        if config.frozen {
            return Err(Error::new(Code::Frozen, "bun.lock has merge conflicts, but lockfile is frozen")
                .hint("run `bao install` without --frozen-lockfile: it merges both sides and keeps their versions"));
        }
        match lockfile::merge::read_conflicted(&text) {
            Ok(loaded) => {
                if !config.silent {
                    base::stderr_line!("bun.lock has merge conflicts: both sides were merged, their versions are kept");
                }
                return Ok(Some((text, loaded)));
            }
            Err(error) => {
                base::stderr_line!("warn: the sides of the merge conflict cannot be read one by one: {error}");
            }
        }
    }
    match lockfile::read(&text) {
        Ok(loaded) => Ok(Some((text, loaded))),
        Err(error) if config.frozen => Err(error),
        Err(error) => {
            base::stderr_line!("warn: {error}\nwarn: Ignoring lockfile");
            Ok(None)
        }
    }
}

/// Builds the graph of a project on top of its lockfile: what did not change keeps its package.
///
/// # Errors
/// A package.json is not JSON, two members have one name, a setting is so wrong that nothing is installed.
pub(crate) fn prepare(project: &Project, loaded: Option<(String, Loaded)>) -> Result<Resolved> {
    let parsed: Vec<Value<'_>> = project
        .manifests
        .iter()
        .map(|manifest| project::parse(&manifest.text, &project.root.join(&manifest.path).join("package.json")))
        .collect::<Result<_>>()?;
    let mut preparation = Preparation::new(project::extras(&parsed[0]), loaded);
    preparation.compare_settings();
    preparation.add_members(project, &parsed)?;
    preparation.settings_of_members(&parsed)?;
    for (place, value) in parsed.iter().enumerate() {
        preparation.add_dependencies(place, value);
        preparation.keep_resolutions(place, value);
    }
    if preparation.old_members.len() > preparation.members.len() {
        preparation.differs(|| "a workspace was removed".to_owned());
    }
    preparation.prefer_members();
    Ok(preparation.finish())
}

/// What of an old dependency list a new dependency matches.
enum Match {
    /// The same dependency: name, specifier and group.
    Same(LoadedDep),
    /// An edited range that holds the locked version.
    Kept(LoadedDep),
    None,
}

/// A graph that is being made from package.json files and a lockfile.
struct Preparation {
    graph: Graph,
    members: Vec<Member>,
    extras: Extras,
    old_text: Option<String>,
    old_members: Vec<LoadedMember>,
    old_extras: Option<Extras>,
    /// Overrides are those of the lockfile, so that its edges count.
    keep: bool,
    /// Catalogs are those of the lockfile.
    catalogs_same: bool,
    /// Something was edited that is no reason for --frozen-lockfile to fail.
    edited: bool,
    difference: Option<String>,
}

impl Preparation {
    fn new(mut extras: Extras, loaded: Option<(String, Loaded)>) -> Self {
        let (old_text, graph, old_members, old_extras) = match loaded {
            Some((text, loaded)) => (Some(text), loaded.graph, loaded.members, Some(loaded.extras)),
            None => {
                let mut graph = Graph::with_capacity(256, 64 << 10);
                graph.add_package(NewPackage::new(Str::EMPTY, Kind::Root, Str::EMPTY));
                (None, graph, Vec::new(), None)
            }
        };
        let old = old_extras.as_ref();
        let unknown = |old: &Extras| old.migrated && !old.settings;
        // bun.lockb has no place for rules about some dependencies of a name.
        let rules = |of: &Extras, all: bool| {
            let is_told = |rule: &&Override| all || rule.parent.is_empty() && rule.range.is_empty();
            of.overrides.iter().filter(is_told).cloned().collect::<BTreeSet<_>>()
        };
        let keep = old.is_none_or(|old| unknown(old) || rules(old, !old.settings) == rules(&extras, !old.settings));
        let catalogs_same =
            old.is_some_and(|old| unknown(old) || (old.catalog == extras.catalog && old.catalogs == extras.catalogs));
        if let Some(old) = old {
            (extras.version, extras.config_version) = (old.version, old.config_version);
        }
        let (members, edited, difference) = (Vec::new(), false, None);
        Self { graph, members, extras, old_text, old_members, old_extras, keep, catalogs_same, edited, difference }
    }

    /// Notes the first difference to the lockfile.
    fn differs(&mut self, what: impl FnOnce() -> String) {
        self.difference.get_or_insert_with(what);
    }

    /// Compares what the root says besides dependencies; brings packages to its `packageExtensions`.
    fn compare_settings(&mut self) {
        let Some(old) = &self.old_extras else {
            self.differs(|| "there is no bun.lock".to_owned());
            package_extensions::reapply(&mut self.graph, &self.extras);
            return;
        };
        // Never a reason for --frozen-lockfile to fail.
        let sorted = |list: &[(String, String)]| BTreeSet::from_iter(list.to_vec());
        self.edited |= !old.migrated && sorted(&old.patched) != sorted(&self.extras.patched);
        if !self.keep {
            self.differs(|| "overrides".to_owned());
        }
        if !self.catalogs_same {
            self.differs(|| "catalogs".to_owned());
        }
        if package_extensions::reapply(&mut self.graph, &self.extras) {
            self.differs(|| "packageExtensions".to_owned());
        }
    }

    /// The root is package 0, members follow.
    fn add_members(&mut self, project: &Project, parsed: &[Value<'_>]) -> Result<()> {
        let graph = &mut self.graph;
        let name = graph.text.add(parsed[0].text("name"));
        graph.packages.name[0] = name;
        graph.packages.name_hash[0] = hash(parsed[0].text("name"));
        graph.packages.bin[0] = project::bin(graph, &parsed[0]);
        let mut members = vec![Member { path: String::new(), package: 0, version: Str::EMPTY }];
        for (manifest, value) in project.manifests.iter().zip(parsed).skip(1) {
            let name = graph.text.add(value.text("name"));
            let same = |other: &&Member| graph.packages.name[other.package as usize] == name;
            if let Some(other) = members.iter().skip(1).find(same) {
                return Err(Error::new(
                    Code::Usage,
                    format!("Workspace name \"{}\" already exists", value.text("name")),
                )
                .hint(format!("{} and {} have the same `name`", other.path, manifest.path)));
            }
            let path = graph.text.add(&manifest.path);
            let mut new = NewPackage::new(name, Kind::Workspace, path);
            new.bin = project::bin(graph, value);
            let package = graph.add_package(new);
            let version = value.text("version");
            let version = if Version::parse(version).is_some() { graph.text.add(version) } else { Str::EMPTY };
            members.push(Member { path: manifest.path.clone(), package, version });
        }
        self.members = members;
        Ok(())
    }

    /// Members whose dependencies stay with them; then all settings are read, and their faults are told.
    fn settings_of_members(&mut self, parsed: &[Value<'_>]) -> Result<()> {
        let rows = parsed.iter().zip(&self.members).skip(1);
        let rows = rows.map(|(value, member)| (value, member.path.as_str(), member.package));
        project::self_contained(&parsed[0], rows, &mut self.extras);
        if let Some(message) = self.extras.invalid.take() {
            return Err(Error::new(Code::Usage, message).hint("correct package.json"));
        }
        for warning in &self.extras.warnings {
            base::stderr_line!("warn: {warning}");
        }
        Ok(())
    }

    /// The dependencies of the manifest at `place`; the root depends on every member.
    fn add_dependencies(&mut self, place: usize, value: &Value<'_>) {
        let graph = &mut self.graph;
        let package = self.members[place].package;
        let off = graph.begin_deps();
        project::add_dependencies(graph, value, true);
        if package == 0 {
            for member in &self.members[1..] {
                let name = graph.packages.name[member.package as usize];
                let literal = graph.text.add(&format!("workspace:{}", member.path));
                let dep = graph.add_dep(name, literal, Behavior(Behavior::WORKSPACE));
                graph.deps.target[dep as usize] = member.package;
            }
        }
        graph.end_deps(package, off);
    }

    /// Gives the dependencies of the manifest at `place` the packages that the lockfile has for them.
    fn keep_resolutions(&mut self, place: usize, value: &Value<'_>) {
        let path = self.members[place].path.clone();
        let Some(old) = self.old_members.iter().position(|old| old.path == path) else {
            if self.old_extras.is_some() {
                self.differs(|| format!("the workspace {path}"));
            }
            return;
        };
        let mut matched = 0;
        for dep in self.graph.packages.deps[self.members[place].package as usize].ids() {
            let at = dep as usize;
            if self.graph.deps.behavior[at].has(Behavior::WORKSPACE) {
                continue;
            }
            match self.matching(&self.old_members[old], at) {
                Match::Same(known) => {
                    matched += 1;
                    let catalog = self.graph.str(known.literal).starts_with("catalog:");
                    if self.keep && (!catalog || self.catalogs_same) {
                        self.graph.deps.target[at] = known.target;
                    }
                }
                Match::Kept(known) if self.keep => {
                    matched += 1;
                    self.edited = true;
                    self.graph.deps.target[at] = known.target;
                }
                _ => {
                    let name = self.graph.str(self.graph.deps.name[at]).to_owned();
                    self.differs(|| format!("{name} in {}", place_name(&path)));
                }
            }
        }
        if matched != self.old_members[old].deps.len() {
            self.differs(|| format!("a dependency of {} was removed", place_name(&path)));
        }
        // What the root is called decides nothing: a renamed project is the same one, as in Bun.
        if !path.is_empty() && self.old_members[old].name != value.text("name") {
            self.differs(|| format!("the name of {}", place_name(&path)));
        }
    }

    /// The dependency of the lockfile's member that the one at `at` of the graph is.
    fn matching(&self, old: &LoadedMember, at: usize) -> Match {
        let (graph, deps) = (&self.graph, &self.graph.deps);
        let group = |behavior: Behavior| behavior.0 & !Behavior::BUNDLED;
        let same = |known: &&LoadedDep| {
            known.name == deps.name[at]
                && known.literal == deps.literal[at]
                && group(known.behavior) == group(deps.behavior[at])
        };
        if let Some(known) = old.deps.iter().find(same) {
            return Match::Same(*known);
        }
        let Some(known) = old.deps.iter().find(|known| known.name == deps.name[at] && known.target != NO_ID) else {
            return Match::None;
        };
        let Spec::Range { name: "", range } = Spec::parse(graph.str(deps.literal[at])) else { return Match::None };
        let holds = graph.kind(known.target) == Kind::Npm && holds(range, graph.value(known.target));
        if holds { Match::Kept(*known) } else { Match::None }
    }

    /// A member's name in the file's packages means the member.
    fn prefer_members(&mut self) {
        if self.old_extras.is_none() || !self.keep {
            return;
        }
        let graph = &mut self.graph;
        let members = self.members.iter().skip(1);
        let by_name: FxHashMap<u64, &Member> =
            members.map(|member| (graph.packages.name_hash[member.package as usize], member)).collect();
        for at in 0..graph.deps.name.len() {
            if graph.deps.target[at] == NO_ID
                && !graph.deps.behavior[at].is_optional_peer()
                && let Some(member) = by_name.get(&graph.deps.name_hash[at])
            {
                let literal = graph.str(graph.deps.literal[at]);
                let any = Range::parse(literal).is_some_and(|range| range.is_any());
                if any || literal.starts_with("workspace:") || holds(literal, graph.str(member.version)) {
                    graph.deps.target[at] = member.package;
                }
            }
        }
    }

    fn finish(mut self) -> Resolved {
        if !self.keep {
            // Overrides reach everywhere: every edge is looked at again, pins stay.
            self.graph.deps.target.iter_mut().zip(&self.graph.deps.behavior).for_each(|(target, behavior)| {
                if !behavior.has(Behavior::WORKSPACE) {
                    *target = NO_ID;
                }
            });
        }
        let conflicted = self.old_text.as_deref().is_some_and(lockfile::merge::has_conflict);
        let migrated = self.old_extras.as_ref().is_some_and(|old| old.migrated);
        let changed = self.difference.is_some() || conflicted || self.edited;
        if changed && !migrated {
            forget_optional_peers(&mut self.graph);
        }
        Resolved {
            graph: self.graph,
            members: self.members,
            extras: self.extras,
            report: Report::default(),
            changed: changed || migrated,
            differs: changed,
            old_text: self.old_text,
            difference: self.difference,
            reset: !self.keep,
            migrated,
        }
    }
}

/// Whether `range` is a range that holds `version`.
fn holds(range: &str, version: &str) -> bool {
    Range::parse(range).is_some_and(|range| Version::parse(version).is_some_and(|version| range.contains(&version)))
}

/// Optional peers get the package the new tree has for them: one that only they want leaves the lockfile.
pub(crate) fn forget_optional_peers(graph: &mut Graph) {
    for (target, behavior) in graph.deps.target.iter_mut().zip(&graph.deps.behavior) {
        if behavior.is_optional_peer() {
            *target = NO_ID;
        }
    }
}

fn place_name(path: &str) -> &str {
    if path.is_empty() { "package.json" } else { path }
}
