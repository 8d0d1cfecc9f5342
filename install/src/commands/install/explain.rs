//! What `--verbose` says: where settings come from, why each version, which linker, what was left out. Everything is told afterwards
//! from what is there; a run without the flag does nothing for it.

use crate::config::{Backend, Config};
use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, FLAG_LOADED, Graph};
use crate::model::plan::{self, Kind, Linker, NO_ID, Plan};
use crate::model::platform::{CPU, LIBC, OS};
use crate::registry::session::Session;
use std::path::Path;

/// The project, its lockfile, the cache and the registries.
pub(super) fn settings(root: &Path, config: &Config, lockfile: bool) {
    base::stderr_line!("project {}", root.display());
    base::stderr_line!(
        "bun.lock {}",
        if lockfile { "was read: its versions stay" } else { "is not there: everything is resolved" }
    );
    base::stderr_line!(
        "cache {}{}",
        config.cache_dir.display(),
        if config.no_cache { " (manifests are not used)" } else { "" }
    );
    base::stderr_line!("registry {}", config.registry.url);
    for (scope, registry) in &config.scopes {
        base::stderr_line!("registry {} for {scope}", registry.url);
    }
    if config.minimum_release_age > 0 {
        base::stderr_line!("versions younger than {} seconds are not taken", config.minimum_release_age);
    }
}

/// Why each package of the graph has the version it has.
pub(super) fn versions(graph: &Graph, members: &[Member], extras: &Extras, session: &Session<'_>) {
    let mut seen = vec![false; graph.len()];
    let mut queue: std::collections::VecDeque<u32> = members.iter().map(|member| member.package).collect();
    queue.iter().for_each(|&package| seen[package as usize] = true);
    while let Some(owner) = queue.pop_front() {
        for dep in graph.packages.deps[owner as usize].ids() {
            let at = dep as usize;
            let target = graph.deps.target[at];
            let behavior = graph.deps.behavior[at];
            if target == NO_ID {
                if behavior.is_optional() {
                    let name = graph.str(graph.deps.name[at]);
                    let peer = if behavior.has(Behavior::PEER) { "optional peer" } else { "optional dependency" };
                    base::stderr_line!("{name} is left out: an {peer} of {}", label(graph, owner));
                }
                continue;
            }
            if std::mem::replace(&mut seen[target as usize], true) {
                continue;
            }
            queue.push_back(target);
            let own = graph.str(graph.deps.literal[at]);
            let effective = crate::model::overrides::effective(graph, extras, dep, owner);
            let mut why = format!("{} wants {own}", label(graph, owner));
            if effective != own {
                let what = if own.starts_with("catalog:") { "the catalog says" } else { "an override says" };
                why.push_str(&format!(", {what} {effective}"));
            }
            if graph.packages.flags[target as usize] & FLAG_LOADED != 0 {
                why.push_str("; from bun.lock");
            } else if graph.kind(target) == Kind::Npm {
                why.push_str(&from_registry(graph, target, session));
            }
            base::stderr_line!("{}: {why}", label(graph, target));
        }
    }
}

fn label(graph: &Graph, package: u32) -> String {
    match graph.name(0) {
        "" if package == 0 => "package.json".to_owned(),
        name if package == 0 => name.to_owned(),
        _ => graph.label(package),
    }
}

fn from_registry(graph: &Graph, package: u32, session: &Session<'_>) -> String {
    let name = graph.name(package);
    let Some(manifest) = session.known(name) else { return String::new() };
    let place = if manifest.checked() >= session.now { "the registry" } else { "the manifest in the cache" };
    let latest = manifest.latest().map(|latest| manifest.version(latest).to_string()).unwrap_or_default();
    if latest == graph.value(package) {
        format!("; the latest, says {place}")
    } else {
        format!("; chosen by {place}, where {latest} is the latest")
    }
}

/// Which linker makes node_modules, how, and what does not come into it.
pub(super) fn linking(plan: &Plan, graph_os: &[(u32, [u16; 3])], config: &Config, extras: &Extras, members: &[Member]) {
    let (linker, why) = match (plan.linker, config.linker) {
        (Linker::Isolated, Some(_)) => ("isolated", "it was asked for"),
        (Linker::Isolated, None) => ("isolated", "the default of a workspace"),
        (Linker::Store, _) => ("store", "it was asked for"),
        (Linker::Hoisted, Some(_)) => ("hoisted", "it was asked for"),
        (Linker::Hoisted, None) if members.len() > 1 && extras.config_version == 0 => {
            ("hoisted", "bun.lock has configVersion 0")
        }
        (Linker::Hoisted, None) => ("hoisted", "the default without workspaces"),
    };
    let backend = match config.backend {
        _ if plan.linker == Linker::Store => "archives",
        Backend::Hardlink => "hard links",
        Backend::Clonefile => "clones",
        Backend::Copyfile => "copies",
        Backend::Symlink => "symbolic links",
    };
    let store = if config.global_store && plan.linker == Linker::Isolated { ", from the global store" } else { "" };
    base::stderr_line!("linker {linker}: {why}; files as {backend}{store}");
    let omitted: Vec<&str> = [
        (config.omit_dev, "devDependencies"),
        (config.omit_optional, "optionalDependencies"),
        (config.omit_peer, "peerDependencies"),
    ]
    .iter()
    .filter_map(|(omitted, what)| omitted.then_some(*what))
    .collect();
    if !omitted.is_empty() {
        base::stderr_line!("left out: {}", omitted.join(", "));
    }
    for (id, [os, cpu, libc]) in graph_os {
        let package = &plan.packages[*id as usize];
        let mut wants = Vec::new();
        for (field, names, set, here) in [
            ("os", &OS, *os, config.target.os),
            ("cpu", &CPU, *cpu, config.target.cpu),
            ("libc", &LIBC, *libc, config.target.libc),
        ] {
            if set & here == 0 && here != 0 {
                wants.push(format!("{field} {}", names.list(set)));
            }
        }
        base::stderr_line!(
            "{}@{} is left out: for {}",
            plan.str(package.name),
            plan.str(package.version),
            wants.join(", ")
        );
    }
}

/// Packages of the graph that are not for this system, with what they are for.
pub(super) fn excluded(graph: &Graph, config: &Config) -> Vec<(u32, [u16; 3])> {
    let at = &graph.packages;
    crate::commands::install::summary::reachable(graph)
        .into_iter()
        .filter(|&id| config.target.excludes(at.os[id as usize], at.cpu[id as usize], at.libc[id as usize]))
        .map(|id| (id, [at.os[id as usize], at.cpu[id as usize], at.libc[id as usize]]))
        .collect()
}

/// What came from where, and whose scripts did not run.
pub(super) fn done(plan: &Plan, linked: &crate::link::Linked, session: &Session<'_>) {
    base::stderr_line!(
        "{} put in place, {} were right already; {} downloaded, the others were in the cache",
        linked.installed,
        linked.skipped,
        session.downloaded
    );
    for &id in &linked.blocked_scripts {
        let package = &plan.packages[id as usize];
        let (name, version) = (plan.str(package.name), plan.str(package.version));
        let why = if package.flags & plan::TRUSTED == 0 { "it is not trusted" } else { "they are not needed" };
        base::stderr_line!("scripts of {name}@{version} did not run: {why}");
    }
}
