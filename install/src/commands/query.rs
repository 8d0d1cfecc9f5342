//! Commands that only look: `outdated`, `why`, `pm ls`, `pm hash` and the like.

use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::graph::{Behavior, Graph};
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::Spec;
use crate::project::Project;
use semver::Range;
use std::path::PathBuf;
use workspace::matches;

/// The project with its lockfile, nothing resolved anew.
fn open(options: &Options) -> Result<(PathBuf, Config, Project, crate::commands::install::prepare::Resolved)> {
    let (root, _own, config) = super::context(options)?;
    let project = Project::load(&root)?;
    let Some(loaded) = crate::commands::install::prepare::load_lockfile(&root, &config)? else {
        return Err(Error::new(Code::Usage, "missing lockfile").hint("run `bao install` first"));
    };
    let resolved = crate::commands::install::prepare::prepare(&project, Some(loaded))?;
    Ok((root, config, project, resolved))
}

/// `why`: who depends on a package.
pub(crate) fn why(options: &Options, names: &[String]) -> Result<u8> {
    let Some(pattern) = names.first() else {
        return Err(Error::new(Code::Usage, "which package?").hint("bao why <package>[@version]"));
    };
    let (_root, _config, _project, resolved) = open(options)?;
    let mut graph = resolved.graph;
    Tree::build(&mut graph, |_, _, _| false);
    let mut dependents: Vec<Vec<(u32, u32)>> = vec![Vec::new(); graph.len()];
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![0u32];
    while let Some(package) = stack.pop() {
        if std::mem::replace(&mut seen[package as usize], true) {
            continue;
        }
        for dep in graph.packages.deps[package as usize].ids() {
            let target = graph.deps.target[dep as usize];
            if target != NO_ID {
                dependents[target as usize].push((package, dep));
                stack.push(target);
            }
        }
    }
    for list in &mut dependents {
        let own = |id: u32| matches!(graph.kind(id), Kind::Root | Kind::Workspace);
        list.sort_by(|a, b| {
            own(a.0).cmp(&own(b.0)).then_with(|| graph.name(a.0).cmp(graph.name(b.0))).then(a.1.cmp(&b.1))
        });
    }
    let (name, version) = crate::model::spec::split_argument(pattern);
    let mut found: Vec<u32> = (0..graph.len() as u32)
        .filter(|&id| {
            seen[id as usize]
                && id != 0
                && matches(name, graph.name(id))
                && (version.is_empty()
                    || Range::parse(version).is_some_and(|range| {
                        semver::Version::parse(graph.value(id)).is_some_and(|version| range.contains(&version))
                    }))
        })
        .collect();
    if found.is_empty() {
        return Err(Error::new(Code::NoVersion, format!("No packages matching '{pattern}' found in lockfile")));
    }
    found.sort_by(|a, b| {
        graph.name(*a).cmp(graph.name(*b)).then_with(|| {
            let version = |id: u32| semver::Version::parse(graph.value(id)).unwrap_or_default();
            version(*b).order(&version(*a))
        })
    });
    let depth = if options.top { 1 } else { options.depth.unwrap_or(u32::MAX) };
    for id in found {
        crate::say!("{}", graph.label(id));
        let mut printer =
            Why { graph: &graph, dependents: &dependents, path: vec![id], done: vec![false; graph.len()], depth };
        printer.print(id, "  ", 1);
        crate::say!("");
    }
    Ok(0)
}

struct Why<'a> {
    graph: &'a Graph,
    dependents: &'a [Vec<(u32, u32)>],
    path: Vec<u32>,
    done: Vec<bool>,
    depth: u32,
}

impl Why<'_> {
    fn print(&mut self, package: u32, indent: &str, level: u32) {
        let list = &self.dependents[package as usize];
        for (place, &(owner, dep)) in list.iter().enumerate() {
            let last = place + 1 == list.len();
            let behavior = self.graph.deps.behavior[dep as usize];
            let kind = if behavior.is_optional_peer() {
                "optional peer "
            } else if behavior.has(Behavior::PEER) {
                "peer "
            } else if behavior.has(Behavior::DEV) {
                "dev "
            } else if behavior.has(Behavior::OPTIONAL) {
                "optional "
            } else {
                ""
            };
            let label = if owner == 0 {
                let name = self.graph.name(0);
                if name.is_empty() { "(root)".to_owned() } else { name.to_owned() }
            } else {
                self.graph.label(owner)
            };
            let literal = self.graph.str(self.graph.deps.literal[dep as usize]);
            crate::say!("{indent}{} {kind}{label} (requires {literal})", if last { "└─" } else { "├─" });
            let below = format!("{indent}{}  ", if last { " " } else { "│" });
            if owner == 0 || level >= self.depth {
                continue;
            }
            if self.path.contains(&owner) {
                crate::say!("{below}└─ *circular");
            } else if self.done[owner as usize] && self.dependents[owner as usize].iter().any(|(other, _)| *other != 0)
            {
                crate::say!("{below}└─ *deduped");
            } else {
                self.done[owner as usize] = true;
                self.path.push(owner);
                self.print(owner, &below, level + 1);
                self.path.pop();
            }
        }
    }
}

/// `pm ls`, `list`: the project's dependencies, the whole tree, or every place of some names.
pub(crate) fn list(options: &Options, names: &[String]) -> Result<u8> {
    let (here, _own, config) = super::context(options)?;
    if config.global && !["bun.lock", "bun.lockb"].iter().any(|file| config.global_dir.join(file).is_file()) {
        crate::say!("{} node_modules (0 installed)", config.global_dir.display());
        return Ok(0);
    }
    let root = if config.global { config.global_dir.clone() } else { here };
    let project = Project::load(&root)?;
    let Some(loaded) = crate::commands::install::prepare::load_lockfile(&root, &config)? else {
        return Err(Error::new(Code::Usage, "missing lockfile").hint("run `bao install` first"));
    };
    let resolved = crate::commands::install::prepare::prepare(&project, Some(loaded))?;
    let mut graph = resolved.graph;
    let trusts = crate::assemble::trusts(&graph, &resolved.extras, &config);
    let selection = crate::assemble::Selection { config: &config, members: None, root: true };
    let tree = Tree::build(&mut graph, |graph, dep, parent| selection.skips(graph, dep, parent));
    let text = |dep: u32| {
        let target = graph.deps.target[dep as usize];
        let label = graph.label(target);
        let at = graph.name(target).len() + 1;
        let what = label[at..].strip_prefix("file:").unwrap_or(&label[at..]);
        format!("{}@{what}", graph.str(graph.deps.name[dep as usize]))
    };
    let name = |dep: u32| graph.str(graph.deps.name[dep as usize]);
    let trusted = |dep: u32| trusts[graph.deps.target[dep as usize] as usize];
    let print = |list: &[u32]| {
        for (place, dep) in list.iter().enumerate() {
            crate::say!("{} {}", if place + 1 == list.len() { "└──" } else { "├──" }, text(*dep));
        }
    };
    let only_trusted = options.has("trusted");
    if !names.is_empty() || (options.all && only_trusted) {
        crate::say!("{} node_modules", root.display());
        let real = |dep: u32| graph.name(graph.deps.target[dep as usize]);
        let fits = |dep: u32| names.is_empty() || names.iter().any(|one| one == name(dep) || one == real(dep));
        let placed = tree.directories.iter().flat_map(|directory| directory.placed.iter().copied());
        let mut found: Vec<u32> = placed.filter(|&dep| fits(dep) && (!only_trusted || trusted(dep))).collect();
        if found.is_empty() && !names.is_empty() {
            return Err(Error::new(Code::NoVersion, format!("no packages match: {}", names.join(", "))));
        }
        found.sort_by(|a, b| name(*a).cmp(name(*b)));
        let mut seen = rustc_hash::FxHashSet::default();
        found.retain(|&dep| seen.insert(text(dep)));
        print(&found);
        return Ok(0);
    }
    if options.all {
        crate::say!("{} node_modules", root.display());
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.directories.len()];
        for (at, directory) in tree.directories.iter().enumerate() {
            if directory.parent != NO_ID {
                children[directory.parent as usize].push(at as u32);
            }
        }
        print_tree(&graph, &tree, &children, 0, "", &text);
        return Ok(0);
    }
    let total: usize = tree.directories.iter().map(|directory| directory.placed.len()).sum();
    crate::say!("{} node_modules ({total} installed)", root.display());
    let mut direct: Vec<u32> =
        graph.packages.deps[0].ids().filter(|dep| graph.deps.target[*dep as usize] != NO_ID).collect();
    direct.retain(|dep| !selection.skips(&graph, *dep, 0) && (!only_trusted || trusted(*dep)));
    direct.sort_by(|a, b| name(*a).cmp(name(*b)));
    direct.dedup_by_key(|dep| graph.deps.name[*dep as usize]);
    print(&direct);
    Ok(0)
}

fn print_tree(graph: &Graph, tree: &Tree, children: &[Vec<u32>], at: u32, indent: &str, text: &dyn Fn(u32) -> String) {
    let mut placed = tree.directories[at as usize].placed.clone();
    placed.sort_by(|a, b| graph.str(graph.deps.name[*a as usize]).cmp(graph.str(graph.deps.name[*b as usize])));
    for (place, &dep) in placed.iter().enumerate() {
        let last = place + 1 == placed.len();
        crate::say!("{indent}{} {}", if last { "└──" } else { "├──" }, text(dep));
        let child = children[at as usize].iter().find(|&&child| {
            graph.deps.name[tree.directories[child as usize].dep as usize] == graph.deps.name[dep as usize]
        });
        if let Some(&child) = child {
            print_tree(graph, tree, children, child, &format!("{indent}{}   ", if last { " " } else { "│" }), text);
        }
    }
}

/// `pm <command>`.
pub(crate) fn pm(options: &Options) -> Result<u8> {
    let (name, rest) = options.positionals.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    match name {
        "ls" | "list" => list(options, rest),
        "why" => why(options, rest),
        "hash" | "hash-string" | "hash-print" => {
            let (_root, _config, _project, resolved) = open(options)?;
            let mut graph = resolved.graph;
            let tree = Tree::build(&mut graph, |_, _, _| false);
            if name == "hash-string" {
                print!("{}", crate::lockfile::meta_string(&graph, &tree));
            } else {
                crate::say!("{}", crate::lockfile::meta_hash(&graph, &tree));
            }
            Ok(0)
        }
        "auto-install" => super::auto_install::command(options, rest),
        "bin" => {
            let (root, _own, config) = super::context(options)?;
            let dir = if config.global { config.global_bin } else { root.join("node_modules/.bin") };
            crate::say!("{}", dir.display());
            Ok(0)
        }
        "merge-lock" => {
            // git's merge driver: %O %A %B; the result goes to %A.
            let [_, ours, theirs] = rest else {
                return Err(Error::new(Code::Usage, "pm merge-lock needs three files")
                    .hint("git config merge.bao.driver 'bao pm merge-lock %O %A %B', and `bun.lock merge=bao` in .gitattributes"));
            };
            let read = |path: &String| {
                std::fs::read_to_string(path)
                    .map_err(|error| Error::io("cannot read", path, error))
                    .and_then(|text| crate::lockfile::read(&text))
            };
            let merged = crate::lockfile::merge::merge(read(ours)?, read(theirs)?);
            let text = write_merged(merged)?;
            crate::atomic_write::write_atomic(std::path::Path::new(ours), &text)?;
            Ok(0)
        }
        "default-trusted" => {
            let all: Vec<&str> = crate::assemble::default_trusted().collect();
            crate::say!("Default trusted dependencies ({}):", all.len());
            all.iter().for_each(|name| crate::say!(" - {name}"));
            Ok(0)
        }
        "" => Err(Error::new(Code::Usage, "pm needs a command")
            .hint("ls, why, hash, hash-string, cache, cache rm, bin, default-trusted")),
        _ => crate::commands::pm::pm(name, options, rest),
    }
}

/// The text of a merged lockfile, without a look at package.json: dependencies get the highest pin that they accept.
pub(crate) fn write_merged(merged: crate::lockfile::Loaded) -> Result<String> {
    use crate::model::graph::Member;
    use crate::model::graph::NewPackage;
    let crate::lockfile::Loaded { mut graph, members, extras } = merged;
    let mut list = Vec::new();
    let mut packages = Vec::new();
    for member in &members {
        let name = graph.text.add(&member.name);
        let version = graph.text.add(&member.version);
        let package = if member.path.is_empty() {
            graph.packages.name[0] = name;
            0
        } else {
            let path = graph.text.add(&member.path);
            graph.add_package(NewPackage::new(name, Kind::Workspace, path))
        };
        packages.push((member.name.clone(), package));
        list.push(Member { path: member.path.clone(), package, version });
    }
    for (place, member) in members.iter().enumerate() {
        let off = graph.begin_deps();
        for dep in &member.deps {
            let id = graph.add_dep(dep.name, dep.literal, dep.behavior);
            graph.deps.target[id as usize] = dep.target;
        }
        if list[place].package == 0 {
            for other in list.iter().filter(|other| other.package != 0) {
                let name = graph.packages.name[other.package as usize];
                let literal = graph.text.add(&format!("workspace:{}", other.path));
                let id = graph.add_dep(name, literal, Behavior(Behavior::WORKSPACE));
                graph.deps.target[id as usize] = other.package;
            }
        }
        graph.end_deps(list[place].package, off);
    }
    for dep in 0..graph.deps.name.len() {
        if graph.deps.target[dep] != NO_ID || graph.deps.behavior[dep].is_optional_peer() {
            continue;
        }
        let name = graph.str(graph.deps.name[dep]).to_owned();
        if let Some((_, package)) = packages.iter().find(|(other, package)| *other == name && *package != 0) {
            graph.deps.target[dep] = *package;
            continue;
        }
        let literal = graph.str(graph.deps.literal[dep]);
        let Spec::Range { name: alias, range } = Spec::parse(literal) else { continue };
        let key = crate::model::string_arena::hash(if alias.is_empty() { &name } else { alias });
        let range = Range::parse(range).unwrap_or_default();
        let found = graph.by_name.get(&key).and_then(|list| {
            list.iter()
                .copied()
                .find(|&id| semver::Version::parse(graph.value(id)).is_some_and(|version| range.contains(&version)))
        });
        graph.deps.target[dep] = found.unwrap_or(NO_ID);
    }
    Tree::build(&mut graph, |_, _, _| false);
    let tree = Tree::build(&mut graph, |_, _, _| false);
    Ok(crate::lockfile::write(&graph, &tree, &list, &extras))
}
