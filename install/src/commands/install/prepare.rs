//! From package.json and bun.lock to a graph: what did not change since the lockfile was written keeps its packages.

use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::json::Value;
use crate::lockfile::{self, Loaded};
use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, Graph, NewPackage};
use crate::model::plan::{Kind, NONE};
use crate::model::spec::Spec;
use crate::model::string_arena::Str;
use crate::project::{self, Project};
use crate::resolve::Report;
use crate::semver::{Range, Version};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A project whose dependencies are all resolved.
pub struct Resolved {
    pub graph: Graph,
    pub members: Vec<Member>,
    pub extras: Extras,
    pub report: Report,
    /// Something differs from the lockfile that was read.
    pub changed: bool,
    /// The text of the lockfile that was read.
    pub old_text: Option<String>,
    /// First difference, for `--frozen-lockfile`.
    pub difference: Option<String>,
    /// No edge of the lockfile was kept, because overrides changed.
    pub reset: bool,
    /// The lockfile that was read is that of another tool.
    pub migrated: bool,
}

/// Reads bun.lock of the project, if there is one. A file that cannot be read is an error with `--frozen-lockfile`, else a warning.
pub fn load_lockfile(root: &Path, config: &Config) -> Result<Option<(String, Loaded)>> {
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
                    eprintln!("bun.lock has merge conflicts: both sides were merged, their versions are kept");
                }
                return Ok(Some((text, loaded)));
            }
            Err(error) => eprintln!("warn: the sides of the merge conflict cannot be read one by one: {error}"),
        }
    }
    match lockfile::read(&text) {
        Ok(loaded) => Ok(Some((text, loaded))),
        Err(error) if config.frozen => Err(error),
        Err(error) => {
            eprintln!("warn: {error}\nwarn: Ignoring lockfile");
            Ok(None)
        }
    }
}

/// Builds the graph of a project on top of its lockfile: what did not change keeps its package.
pub fn prepare(project: &Project, loaded: Option<(String, Loaded)>) -> Result<Resolved> {
    let parsed: Vec<Value<'_>> = project
        .manifests
        .iter()
        .map(|manifest| project::parse(&manifest.text, &project.root.join(&manifest.path).join("package.json")))
        .collect::<Result<_>>()?;
    let mut extras = project::extras(&parsed[0]);
    let (old_text, mut graph, old_members, old_extras) = match loaded {
        Some((text, loaded)) => (Some(text), loaded.graph, loaded.members, Some(loaded.extras)),
        None => {
            let mut graph = Graph::with_capacity(256, 64 << 10);
            graph.add_package(NewPackage::new(Str::EMPTY, Kind::Root, Str::EMPTY));
            (None, graph, Vec::new(), None)
        }
    };
    let mut edited = false;
    let mut difference = None;
    let mut differ = |what: String| {
        if difference.is_none() {
            difference = Some(what);
        }
    };
    if let Some(old) = &old_extras {
        extras.version = old.version;
        extras.config_version = old.config_version;
        // Never a reason for --frozen-lockfile to fail.
        let sorted = |list: &[(String, String)]| std::collections::BTreeSet::from_iter(list.to_vec());
        edited |= !old.migrated && sorted(&old.patched) != sorted(&extras.patched);
        if !old.migrated && old.overrides != extras.overrides {
            differ("overrides".to_owned());
        }
        if !old.migrated && (old.catalog != extras.catalog || old.catalogs != extras.catalogs) {
            differ("catalogs".to_owned());
        }
    } else {
        differ("there is no bun.lock".to_owned());
    }
    if crate::model::package_extensions::reapply(&mut graph, &extras) {
        differ("packageExtensions".to_owned());
    }
    let keep = old_extras.as_ref().is_none_or(|old| old.migrated || old.overrides == extras.overrides);
    let catalogs_same = old_extras
        .as_ref()
        .is_some_and(|old| old.migrated || (old.catalog == extras.catalog && old.catalogs == extras.catalogs));
    // The root is package 0, members follow.
    let name = graph.text.add(parsed[0].text("name"));
    graph.packages.name[0] = name;
    graph.packages.name_hash[0] = crate::model::string_arena::hash(parsed[0].text("name"));
    graph.packages.bin[0] = project::bin(&mut graph, &parsed[0]);
    let mut members = vec![Member { path: String::new(), package: 0, version: Str::EMPTY }];
    for (manifest, value) in project.manifests.iter().zip(&parsed).skip(1) {
        let name = graph.text.add(value.text("name"));
        if let Some(other) = members.iter().skip(1).find(|other| graph.packages.name[other.package as usize] == name) {
            return Err(Error::new(Code::Usage, format!("Workspace name \"{}\" already exists", value.text("name")))
                .hint(format!("{} and {} have the same `name`", other.path, manifest.path)));
        }
        let path = graph.text.add(&manifest.path);
        let mut new = NewPackage::new(name, Kind::Workspace, path);
        new.bin = project::bin(&mut graph, value);
        let package = graph.add_package(new);
        let version = value.text("version");
        let version =
            if crate::semver::Version::parse(version).is_some() { graph.text.add(version) } else { Str::EMPTY };
        members.push(Member { path: manifest.path.clone(), package, version });
    }
    let rows = parsed.iter().zip(&members).skip(1).map(|(value, member)| (value, member.path.as_str(), member.package));
    project::self_contained(&parsed[0], rows, &mut extras);
    if let Some(message) = extras.invalid.take() {
        return Err(Error::new(Code::Usage, message).hint("correct package.json"));
    }
    for warning in &extras.warnings {
        eprintln!("warn: {warning}");
    }
    let packages: FxHashMap<u64, u32> = members
        .iter()
        .skip(1)
        .map(|member| (graph.packages.name_hash[member.package as usize], member.package))
        .collect();
    for (place, value) in parsed.iter().enumerate() {
        let package = members[place].package;
        let off = graph.begin_deps();
        project::add_dependencies(&mut graph, value, true);
        if package == 0 {
            for member in &members[1..] {
                let name = graph.packages.name[member.package as usize];
                let literal = graph.text.add(&format!("workspace:{}", member.path));
                let dep = graph.add_dep(name, literal, Behavior(Behavior::WORKSPACE));
                graph.deps.target[dep as usize] = member.package;
            }
        }
        graph.end_deps(package, off);
        let Some(old) = old_members.iter().find(|old| old.path == members[place].path) else {
            if old_extras.is_some() {
                differ(format!("the workspace {}", members[place].path));
            }
            continue;
        };
        let mut matched = 0;
        for dep in graph.packages.deps[package as usize].ids() {
            let at = dep as usize;
            if graph.deps.behavior[at].has(Behavior::WORKSPACE) {
                continue;
            }
            let known = old.deps.iter().find(|known| {
                known.name == graph.deps.name[at]
                    && known.literal == graph.deps.literal[at]
                    && known.behavior.0 & !Behavior::BUNDLED == graph.deps.behavior[at].0 & !Behavior::BUNDLED
            });
            match known {
                Some(known) => {
                    matched += 1;
                    let catalog = graph.str(known.literal).starts_with("catalog:");
                    if keep && (!catalog || catalogs_same) {
                        graph.deps.target[at] = known.target;
                    }
                }
                None => {
                    // An edited range that holds the locked version keeps it.
                    let kept = old.deps.iter().find(|known| known.name == graph.deps.name[at] && known.target != NONE).filter(|known| {
                        let literal = graph.str(graph.deps.literal[at]);
                        graph.kind(known.target) == Kind::Npm
                            && matches!(Spec::parse(literal), Spec::Range { name: "", range } if Range::parse(range).is_some_and(|range| {
                                Version::parse(graph.value(known.target)).is_some_and(|version| range.contains(&version))
                            }))
                    });
                    match kept {
                        Some(known) if keep => {
                            matched += 1;
                            edited = true;
                            graph.deps.target[at] = known.target;
                        }
                        _ => differ(format!(
                            "{} in {}",
                            graph.str(graph.deps.name[at]),
                            place_name(&members[place].path)
                        )),
                    }
                }
            }
        }
        if matched != old.deps.len() {
            differ(format!("a dependency of {} was removed", place_name(&members[place].path)));
        }
        if old.name != value.text("name") {
            differ(format!("the name of {}", place_name(&members[place].path)));
        }
    }
    if old_members.len() > members.len() {
        differ("a workspace was removed".to_owned());
    }
    // A member's name in the file's packages means the member.
    for at in 0..graph.deps.name.len() {
        if graph.deps.target[at] == NONE
            && !graph.deps.behavior[at].is_optional_peer()
            && let Some(&package) = packages.get(&graph.deps.name_hash[at])
            && old_extras.is_some()
            && keep
        {
            let literal = graph.str(graph.deps.literal[at]);
            let fits = literal.starts_with("workspace:")
                || crate::semver::Range::parse(literal).is_some_and(|range| {
                    let member = members.iter().find(|member| member.package == package);
                    range.is_any()
                        || member.is_some_and(|member| {
                            crate::semver::Version::parse(graph.str(member.version))
                                .is_some_and(|version| range.contains(&version))
                        })
                });
            if fits {
                graph.deps.target[at] = package;
            }
        }
    }
    if !keep {
        // Overrides reach everywhere: every edge is looked at again, pins stay.
        graph.deps.target.iter_mut().zip(&graph.deps.behavior).for_each(|(target, behavior)| {
            if !behavior.has(Behavior::WORKSPACE) {
                *target = NONE;
            }
        });
    }
    let conflicted = old_text.as_deref().is_some_and(lockfile::merge::has_conflict);
    let migrated = old_extras.as_ref().is_some_and(|old| old.migrated);
    let changed = difference.is_some() || conflicted || edited;
    if changed && !migrated {
        forget_optional_peers(&mut graph);
    }
    let changed = changed || migrated;
    Ok(Resolved {
        graph,
        members,
        extras,
        report: Report::default(),
        changed,
        old_text,
        difference,
        reset: !keep,
        migrated,
    })
}

/// Optional peers get the package the new tree has for them: one that only they want leaves the lockfile.
pub fn forget_optional_peers(graph: &mut Graph) {
    for (target, behavior) in graph.deps.target.iter_mut().zip(&graph.deps.behavior) {
        if behavior.is_optional_peer() {
            *target = NONE;
        }
    }
}

fn place_name(path: &str) -> &str {
    if path.is_empty() { "package.json" } else { path }
}
