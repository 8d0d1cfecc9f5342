//! What an install prints at its end.

use crate::commands::install::Change;
use crate::lockfile::Loaded;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, Graph};
use crate::model::plan::{INSTANCE, Kind, Linker, NO_ID, Plan};
use crate::registry::manifest::AgeLimit;
use crate::registry::session::Session;
use crate::tell;
use crate::ui::paint;
use rustc_hash::FxHashSet;
use semver::Version;
use std::time::Instant;

/// A dependency of the project's own packages with the version it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Locked {
    /// Directory of the workspace member, empty for the root.
    pub member: String,
    pub name: String,
    /// The package's own name.
    pub real: String,
    /// As bun.lock has it behind the name.
    pub version: String,
}

fn locked(graph: &Graph, member: &str, name: &str, target: u32) -> Locked {
    let version = graph.label(target)[graph.name(target).len() + 1..].to_owned();
    Locked { member: member.to_owned(), name: name.to_owned(), real: graph.name(target).to_owned(), version }
}

/// Stands for the directory of packages that others depend on.
const ELSEWHERE: &str = "\0";

/// Of a lockfile; with `all` every registry package of it, too.
pub(crate) fn of_lockfile(loaded: &Loaded, all: bool) -> Vec<Locked> {
    let graph = &loaded.graph;
    let mut list = Vec::new();
    if all {
        let packages = (1..graph.len() as u32).filter(|&id| graph.kind(id) == Kind::Npm);
        list.extend(packages.map(|id| locked(graph, ELSEWHERE, graph.name(id), id)));
    }
    for member in &loaded.members {
        for dep in member.deps.iter().filter(|dep| dep.target != NO_ID && dep.target != 0) {
            list.push(locked(graph, &member.path, graph.str(dep.name), dep.target));
        }
    }
    list
}

/// Packages that something depends on; others are left from the lockfile and go.
pub(crate) fn reachable(graph: &Graph) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![0u32];
    while let Some(package) = stack.pop() {
        if std::mem::replace(&mut seen[package as usize], true) {
            continue;
        }
        let targets = graph.packages.deps[package as usize].ids().map(|dep| graph.deps.target[dep as usize]);
        stack.extend(targets.filter(|&target| target != NO_ID));
    }
    (0..graph.len() as u32).filter(|&id| seen[id as usize]).collect()
}

/// Of a graph; with `all` every registry package of it, too.
pub(crate) fn of_graph(graph: &Graph, members: &[Member], all: bool) -> Vec<Locked> {
    let mut list = Vec::new();
    if all {
        let packages = reachable(graph).into_iter().filter(|&id| graph.kind(id) == Kind::Npm);
        list.extend(packages.map(|id| locked(graph, ELSEWHERE, graph.name(id), id)));
    }
    for member in members {
        for dep in graph.packages.deps[member.package as usize].ids() {
            let target = graph.deps.target[dep as usize];
            if target != NO_ID && target != 0 {
                list.push(locked(graph, &member.path, graph.str(graph.deps.name[dep as usize]), target));
            }
        }
    }
    list
}

/// How many dependencies the manifests have lost since the lockfile; a workspace member that is gone counts once.
pub(crate) fn dropped(before: &[Locked], after: &[Locked], members: &[Member]) -> u32 {
    let named = |locked: &'_ Locked| (locked.member.clone(), locked.name.clone());
    let kept: FxHashSet<(String, String)> = after.iter().map(named).collect();
    let gone: FxHashSet<(&str, &str)> = before
        .iter()
        .filter(|old| old.member != ELSEWHERE)
        .filter_map(|old| match members.iter().any(|member| member.path == old.member) {
            true => (!kept.contains(&named(old))).then_some((old.member.as_str(), old.name.as_str())),
            false => Some((old.member.as_str(), "")),
        })
        .collect();
    gone.len() as u32
}

/// Name and package of what the root, or another of the project's own packages, depends on.
pub(crate) fn direct(graph: &Graph, package: u32) -> Vec<(String, u32)> {
    graph.packages.deps[package as usize]
        .ids()
        .filter(|dep| {
            let at = *dep as usize;
            graph.deps.target[at] != NO_ID && !graph.deps.behavior[at].has(Behavior::WORKSPACE)
        })
        .map(|dep| (graph.str(graph.deps.name[dep as usize]).to_owned(), graph.deps.target[dep as usize]))
        .collect()
}

/// ` (v2.0.0 available)` where the manifest is at hand and its latest version is newer than `version` of the package `real`.
fn available(session: &Session<'_>, real: &str, version: &str) -> String {
    let newer = || {
        let manifest = session.known(real)?;
        let limit = AgeLimit::new(session.config, session.now);
        let latest = manifest.version(manifest.best_tag("latest", limit).ok()?);
        let current = Version::parse(version)?;
        latest.order(&current).is_gt().then(|| format!(" <d>(<cyan>v{latest}<r><d> available)<r>"))
    };
    newer().unwrap_or_default()
}

/// What the summary looks at.
pub(crate) struct Done<'a, 'c> {
    pub plan: &'a Plan,
    pub linked: &'a crate::link::Linked,
    /// What the package depends on that the command runs in.
    pub direct: &'a [(String, u32)],
    /// The same of the package that `add` was about.
    pub target: &'a [(String, u32)],
    pub change: &'a Change,
    pub before: &'a [Locked],
    pub after: &'a [Locked],
    /// How many dependencies the manifests have lost: [`dropped`].
    pub dropped: u32,
    pub session: &'a Session<'c>,
    /// package.json was written with other ranges.
    pub synced: bool,
}

/// Prints what changed.
pub(crate) fn print(done: &Done<'_, '_>, start: Instant) {
    let Done { plan, linked, change, .. } = *done;
    crate::say!("");
    let updating = change.updating;
    let mut any = false;
    if updating {
        any = updates(change, done.before, done.after, done.session) > 0;
    }
    let mut told = FxHashSet::default();
    for (name, id) in done.direct {
        let requested = change.added.iter().any(|added| added == name);
        // A name can be in two groups (`peerDependencies`, `devDependencies`).
        if requested || !told.insert(name) || linked.changed.binary_search(id).is_err() {
            continue;
        }
        let package = &plan.packages[*id as usize];
        let version = plan.str(package.version);
        // An update has told of it already.
        let known = |other: &Locked| other.member.is_empty() && other.name == *name && !other.version.is_empty();
        let repository = matches!(package.kind, Kind::Git | Kind::GitHub);
        if updating && !repository && done.before.iter().any(known) {
            continue;
        }
        let newer = match package.kind {
            // As in Bun an alias is told without.
            Kind::Npm if plan.str(package.name) == name => available(done.session, name, version),
            _ => String::new(),
        };
        tell!("<green>+<r> <b>{name}<r><d>@{}<r>{newer}", shown(plan, package.kind, version));
        any = true;
    }
    if any {
        crate::say!("");
    }
    for name in &change.added {
        let Some((_, id)) = done.target.iter().find(|(other, _)| other == name) else { continue };
        let package = &plan.packages[*id as usize];
        let version = shown(plan, package.kind, plan.str(package.version));
        let bins = plan.bins_of(package);
        if bins.is_empty() {
            tell!("<green>installed<r> <b>{name}<r><d>@{version}<r>");
        } else {
            tell!("<green>installed<r> <b>{name}<r><d>@{version}<r> with binaries:");
            for bin in bins {
                let folder = name.rsplit('/').next().unwrap_or(name);
                tell!(" <d>-<r> <b>{}<r>", if bin.name.is_empty() { folder } else { plan.str(bin.name) });
            }
        }
    }
    if !change.added.is_empty() {
        crate::say!("");
    }
    // As in Bun each package counts once, in however many places it is.
    let installed = linked.changed.len() as u32;
    if installed > 0 {
        tell!("<green>{installed}<r> {} installed {}", plural(installed, "package"), time(start));
        // As in Bun dependencies are counted, not directories: those of the other linker are no packages that somebody has lost.
        if done.dropped > 0 && !updating {
            tell!("Removed: <cyan>{}<r>", done.dropped);
        }
    } else if linked.removed > 0 {
        for name in &change.removed {
            tell!("<red>-<r> {name}");
        }
        // Without a change of the manifests (`--production`, a filter) the packages that are gone from the disk.
        let count = if done.dropped > 0 { done.dropped } else { linked.removed };
        tell!("<b>{count}<r> {} removed {}", plural(count, "package"), time(start));
    } else if change.added.is_empty() && change.removed.is_empty() && plan.packages.len() > 1 {
        let installs = match plan.linker {
            Linker::Hoisted => plan.placements.len(),
            Linker::Isolated | Linker::Store => {
                crate::commands::install::wanted(plan).iter().filter(|wanted| **wanted).count()
            }
        };
        let packages = plan.packages.iter().filter(|package| package.flags & INSTANCE == 0).count();
        let across = format!("{packages} {}", plural(packages as u32, "package"));
        if installs == packages && !done.synced {
            tell!("<green>Done<r>! Checked {across} <d>(no changes)<r> {}", time(start));
        } else {
            let note = if done.synced { "up to date, package.json synced" } else { "no changes" };
            let installs = format!("{installs} {}", plural(installs as u32, "install"));
            tell!("Checked <green>{installs}<r> across {across} <d>({note})<r> {}", time(start));
        }
    } else {
        for name in &change.removed {
            tell!("<red>-<r> {name}");
        }
        tell!("{} done", time(start));
    }
    if installed > 0 && !linked.blocked_scripts.is_empty() {
        let count = linked.blocked_count;
        tell!(
            "\n<yellow>Blocked {count} {}<r>. Run `{} pm untrusted` for details.",
            plural(count, "postinstall"),
            crate::ui::product()
        );
    }
}

/// What is printed where nothing is installed (`--lockfile-only`, `--dry-run`). `saved`: the lockfile that was written.
pub(crate) fn short(
    graph: &Graph,
    change: &Change,
    before: &[Locked],
    after: &[Locked],
    session: &Session<'_>,
    saved: Option<&str>,
    start: Instant,
) {
    let dry = session.config.dry_run;
    let count = reachable(graph).len() as u32;
    let packages = format!("{count} {}", plural(count, "package"));
    crate::say!("");
    let updated = updates(change, before, after, session) as u32;
    if updated > 0 {
        crate::say!("");
    }
    for added in change.added.iter().filter(|_| dry) {
        if let Some(locked) = after.iter().find(|locked| locked.name == *added) {
            tell!("<green>installed<r> <b>{added}<r><d>@{}<r>\n", locked.version);
        }
    }
    match (dry, saved) {
        (true, _) if updated > 0 => {
            tell!("{updated} {} would be updated {}", plural(updated, "package"), time(start));
        }
        (true, _) => tell!("{} done", time(start)),
        (_, Some(file)) => tell!("Saved <green>{file}<r> ({packages}) {}", time(start)),
        _ => tell!("<green>Done<r>! Checked {packages} <d>(no changes)<r> {}", time(start)),
    }
}

/// A version as it is shown: a directory keeps its path.
fn shown<'a>(plan: &Plan, kind: Kind, version: &'a str) -> std::borrow::Cow<'a, str> {
    let _ = plan;
    match kind {
        Kind::Workspace => format!("workspace:{version}").into(),
        Kind::Link => format!("link:{version}").into(),
        Kind::Git => crate::store::git::masked(version).into(),
        _ => version.into(),
    }
}

/// `^ name old -> new` for each package whose version is another one now: those that the project depends on first. How many.
pub(crate) fn updates(change: &Change, before: &[Locked], after: &[Locked], session: &Session<'_>) -> usize {
    if !change.updating {
        return 0;
    }
    let mut told: Vec<(&str, &str, &str)> = Vec::new();
    let mut real: Vec<&str> = Vec::new();
    // A repository has no version that could be compared: it is listed as installed.
    let has_version = |new: &&Locked| !new.version.starts_with("git+") && !new.version.starts_with("github:");
    for new in after.iter().filter(|new| new.member != ELSEWHERE).filter(has_version) {
        let Some(old) = before.iter().find(|old| old.member == new.member && old.name == new.name) else {
            continue;
        };
        let entry = (new.name.as_str(), old.version.as_str(), new.version.as_str());
        if old.version != new.version && !told.contains(&entry) {
            told.push(entry);
            real.push(&new.real);
        }
    }
    // Versions of a name that went and came, each with the one at the same place.
    let elsewhere = |list: &'_ [Locked], name: &str| {
        let mut versions: Vec<usize> =
            (0..list.len()).filter(|&at| list[at].member == ELSEWHERE && list[at].name == name).collect();
        let order = |at: usize| Version::parse(&list[at].version).unwrap_or_default();
        versions.sort_by(|&a, &b| order(a).order(&order(b)));
        versions
    };
    let mut names: Vec<&str> =
        before.iter().filter(|old| old.member == ELSEWHERE).map(|old| old.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        if real.contains(&name) {
            continue;
        }
        let (old, new) = (elsewhere(before, name), elsewhere(after, name));
        let gone = old.iter().filter(|&&at| !new.iter().any(|&other| after[other].version == before[at].version));
        let came = new.iter().filter(|&&at| !old.iter().any(|&other| before[other].version == after[at].version));
        for (&gone, &came) in gone.zip(came) {
            told.push((name, &before[gone].version, &after[came].version));
            real.push(name);
        }
    }
    for ((name, old, new), real) in told.iter().zip(real) {
        let newer = available(session, real, new);
        if crate::ui::out_colours() {
            tell!("<cyan>↑<r> <b>{name}<r> <d>{old} →<r> <b><cyan>{new}<r>{newer}");
        } else {
            tell!("^ {name} {old} -> {new}{newer}");
        }
    }
    told.len()
}

fn plural(count: u32, what: &str) -> String {
    format!("{what}{}", if count == 1 { "" } else { "s" })
}

/// `[12.34ms]`
pub(crate) fn time(start: Instant) -> String {
    paint(&format!("<d>[<b>{}<r><d>]<r>", crate::ui::elapsed(start)), crate::ui::out_colours())
}
