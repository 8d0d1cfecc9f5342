//! `install`, `add`, `ci`, and what the other commands share: from package.json and bun.lock to node_modules.

use super::pins::{self, Pin};
use super::summary;
use super::{explain, lifecycle};
use crate::assemble::{Selection, assemble};
use crate::config::{Backend, Config, Options};
use crate::engines;
use crate::error::{Code, Error, Result};
use crate::graph::{Behavior, Graph, NewPackage};
use crate::json::Value;
use crate::link::{self, LinkOptions, Linked};
use crate::lockfile::{self, Extras, Loaded, Member};
use crate::plan::{self, Kind, Linker, NONE, Plan};
use crate::project::{self, Project};
use crate::release::Release;
use crate::resolve::{Report, Resolver};
use crate::semver::{Range, Version};
use crate::session::{Event, Session};
use crate::spec::Spec;
use crate::store::TarballJob;
use crate::text::Str;
use crate::tree::Tree;
use crate::ui::progress::{self, Progress};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::time::Instant;

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
    if crate::extensions::reapply(&mut graph, &extras) {
        differ("packageExtensions".to_owned());
    }
    let keep = old_extras.as_ref().is_none_or(|old| old.migrated || old.overrides == extras.overrides);
    let catalogs_same = old_extras
        .as_ref()
        .is_some_and(|old| old.migrated || (old.catalog == extras.catalog && old.catalogs == extras.catalogs));
    // The root is package 0, members follow.
    let name = graph.text.add(parsed[0].text("name"));
    graph.packages.name[0] = name;
    graph.packages.name_hash[0] = crate::text::hash(parsed[0].text("name"));
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

/// Resolves what has no package yet.
pub fn resolve(
    resolved: &mut Resolved,
    session: &mut Session<'_>,
    prefetch: bool,
    released: Option<Release>,
) -> Result<()> {
    let mut graph = std::mem::take(&mut resolved.graph);
    let mut resolver = Resolver::new(session, &mut graph, &resolved.members, &resolved.extras, prefetch);
    resolver.retry_missing = released.is_some() || resolved.reset;
    resolver.released = released;
    resolver.migrated = resolved.migrated;
    let report = resolver.run()?;
    if resolved.old_text.is_none() && report.errors.is_empty() {
        dedupe(&mut graph, &resolved.extras, true);
    }
    resolved.graph = graph;
    resolved.report = report;
    Ok(())
}

/// Removes versions that the graph can do without. `keep_direct`: not those that the project itself depends on.
pub fn dedupe(graph: &mut Graph, extras: &Extras, keep_direct: bool) -> Vec<crate::dedupe::Dropped> {
    let mut owners = vec![0u32; graph.deps.name.len()];
    for package in 0..graph.len() {
        for dep in graph.packages.deps[package].ids() {
            owners[dep as usize] = package as u32;
        }
    }
    let patched: Vec<u32> = if extras.patched.is_empty() {
        Vec::new()
    } else {
        (0..graph.len() as u32)
            .filter(|&id| extras.patched.iter().any(|(label, _)| *label == graph.label(id)))
            .collect()
    };
    let literal = |graph: &Graph, dep: u32| crate::overrides::effective(graph, extras, dep, owners[dep as usize]);
    crate::dedupe::dedupe(graph, &|id| patched.contains(&id), &literal, keep_direct)
}

/// Writes a file beside its place and renames it.
pub fn write_atomic(path: &Path, text: &str) -> Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&temporary, text)
        .and_then(|()| {
            if let Ok(metadata) = std::fs::metadata(path) {
                let _ = std::fs::set_permissions(&temporary, metadata.permissions());
            }
            std::fs::rename(&temporary, path)
        })
        .map_err(|error| {
            let _ = std::fs::remove_file(&temporary);
            Error::io("cannot write", path, error)
        })
}

/// Which linker a project gets.
pub fn linker_of(config: &Config, extras: &Extras, members: &[Member]) -> Linker {
    config.linker.unwrap_or(if extras.config_version >= 1 && members.len() > 1 {
        Linker::Isolated
    } else {
        Linker::Hoisted
    })
}

pub fn link_options(config: &Config) -> LinkOptions {
    LinkOptions {
        backend: match config.backend {
            Backend::Hardlink | Backend::Clonefile => link::Backend::Hardlink,
            Backend::Copyfile => link::Backend::Copyfile,
            Backend::Symlink => link::Backend::Symlink,
        },
        force: config.force,
        ignore_scripts: config.ignore_scripts,
        concurrent_scripts: config.concurrent_scripts,
        global_store: config.global_store,
        hoist_pattern: config.hoist_pattern.clone(),
        public_hoist_pattern: config.public_hoist_pattern.clone(),
        verbose: config.verbose,
        global_bin: config.global.then(|| config.global_bin.clone()),
        ..LinkOptions::default()
    }
}

/// Members that `--filter` chooses, and whether the root is one of them.
fn filtered(config: &Config, project: &Project, members: &[Member]) -> (Option<Vec<u32>>, bool) {
    if config.filter.is_empty() {
        return (None, true);
    }
    let selected = crate::filter::select(project, &config.filter);
    if !config.silent {
        selected.warn();
    }
    let list = selected.indexes().into_iter().skip_while(|&at| at == 0).map(|at| members[at].package).collect();
    (Some(list), selected.chosen[0])
}

struct Printer {
    verbose: bool,
}

impl link::Events for Printer {
    fn progress(&self, done: u32, total: u32) {
        progress::linked(done, total);
    }

    fn script_output(&self, _package: &str, _event: &str, bytes: &[u8]) {
        use std::io::Write;
        // What a script of a package says is of interest where it fails: the error has the end of it.
        if self.verbose {
            let _ = std::io::stderr().write_all(bytes);
        }
    }

    fn note(&self, text: &str) {
        if self.verbose {
            eprintln!("{text}");
        }
    }
}

/// Downloads what the plan needs and makes node_modules, both at once.
///
/// # Errors
/// Downloads, unpacking, the file system. A package that turns out to be damaged in the cache is downloaded again, once.
pub fn materialize(plan: &Plan, session: &mut Session<'_>) -> Result<Linked> {
    match materialize_once(plan, session) {
        Err(error) if error.code == Code::Damaged && !session.config.offline => {
            if !session.config.silent {
                eprintln!("warn: {error}");
            }
            session.forget_requests();
            materialize_once(plan, session)
        }
        result => result,
    }
}

fn materialize_once(plan: &Plan, session: &mut Session<'_>) -> Result<Linked> {
    let options = link_options(session.config);
    if link::up_to_date(plan, &options) {
        return Ok(Linked::default());
    }
    request(plan, session)?;
    let store = session.store()?.clone();
    let printer = Printer { verbose: session.config.verbose };
    if session.downloading == 0 {
        return link::link(plan, &store, &options, &printer);
    }
    // The linker waits for packages while this thread serves the network.
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| link::link(plan, &store, &options, &printer));
        while session.downloading > 0 && !worker.is_finished() {
            if let Err(error) = session.wait().map(|_: Event| ()) {
                store.failed("", error);
                break;
            }
        }
        worker.join().unwrap_or_else(|_| Err(Error::new(Code::Io, "the linker stopped unexpectedly")))
    })
}

/// Asks for everything that a plan needs and the store does not have.
pub fn request(plan: &Plan, session: &mut Session<'_>) -> Result<()> {
    let store = session.store()?.clone();
    let wanted: Vec<bool> = wanted(plan);
    for (id, package) in plan.packages.iter().enumerate() {
        // A link to nothing would be found out only when the package is used.
        if wanted[id] && package.kind == Kind::Link && !plan.root.join(plan.str(package.path)).is_dir() {
            return Err(crate::links::not_linked(plan.str(package.version)).package(plan.str(package.name), ""));
        }
    }
    for (id, package) in plan.packages.iter().enumerate() {
        if !wanted[id] || package.cache_dir.is_empty() || package.flags & plan::DISABLED != 0 {
            continue;
        }
        let job = TarballJob {
            cache_dir: plan.str(package.cache_dir).to_owned(),
            name: plan.str(package.name).to_owned(),
            version: plan.str(package.version).to_owned(),
            url: plan.str(package.url).to_owned(),
            integrity: package.integrity,
            want_manifest: false,
            want_integrity: package.kind == Kind::GitHub && package.integrity.is_none(),
        };
        match package.kind {
            Kind::TarballFile => {
                if !store.contains(&job.cache_dir) {
                    let path = plan.root.join(plan.str(package.path));
                    let bytes = std::fs::read(&path).map_err(|error| Error::io("cannot read", &path, error))?;
                    session.unpack(job, bytes)?;
                }
            }
            Kind::Git => session.want_commit(&job.cache_dir, &job.name, &job.version)?,
            Kind::GitHub => session.download(job, crate::remote::github_authorization())?,
            _ => {
                let registry = session.config.registry_for(&job.name);
                let authorization = session.config.authorization_for(&job.url, registry);
                session.download(job, authorization)?;
            }
        }
    }
    Ok(())
}

/// Packages that are placed, or reached for the isolated linker.
pub(super) fn wanted(plan: &Plan) -> Vec<bool> {
    let mut wanted = vec![false; plan.packages.len()];
    if plan.linker == Linker::Hoisted {
        for placement in &plan.placements {
            wanted[placement.package as usize] = true;
        }
        return wanted;
    }
    let mut stack = vec![0u32];
    while let Some(package) = stack.pop() {
        if std::mem::replace(&mut wanted[package as usize], true) {
            continue;
        }
        for edge in plan.edges_of(&plan.packages[package as usize]) {
            if edge.kind != plan::EdgeKind::Bundled && plan.packages[edge.package as usize].flags & plan::DISABLED == 0
            {
                stack.push(edge.package);
            }
        }
    }
    wanted
}

/// The command lines `install` and `ci`.
pub fn command(options: &Options, name: &str) -> Result<u8> {
    let start = Instant::now();
    if !options.positionals.is_empty() {
        return super::add::add(options);
    }
    let (root, _own, mut config) = super::context(options)?;
    if name == "ci" {
        config.frozen = true;
    }
    let mut project = Project::load(&root)?;
    run(&mut project, &config, name, start, &Change::default())
}

/// Prints errors of a resolution; true where there are any.
pub fn print_report(report: &Report, config: &Config) -> bool {
    if !config.silent {
        for warning in &report.warnings {
            crate::warn_line!("<yellow>warn<r>: {warning}");
        }
    }
    for error in &report.errors {
        crate::ui::error(error);
    }
    for error in &report.errors {
        if let Some(package) = &error.package {
            let package = crate::error::printable(package);
            crate::warn_line!("<r><red>error<r>: {package} failed to resolve");
        }
    }
    !report.errors.is_empty()
}

/// What a command changes on the way.
#[derive(Default)]
pub struct Change {
    /// Places of the manifests that are edited.
    pub edited: Vec<usize>,
    /// Specifiers that become versions after resolution.
    pub pins: Vec<Pin>,
    /// Dependencies that leave the lockfile's version.
    pub release: Option<Release>,
    /// The lockfile's versions do not count at all.
    pub fresh: bool,
    /// package.json is written back.
    pub write: bool,
    /// Names to report as installed.
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// The first line was printed already.
    pub quiet_header: bool,
    /// Told before anything else.
    pub notes: Vec<String>,
    /// The command is `pm migrate`: a lockfile that cannot be migrated is an error.
    pub migrating: bool,
    /// The command is `update`: versions that changed are listed.
    pub updating: bool,
    /// Repositories that were fetched to find out their names.
    pub remotes: std::cell::Cell<crate::remote::Remotes>,
    /// The manifests' texts before they were edited.
    pub originals: Vec<String>,
}

/// From package.json to node_modules.
pub fn run(project: &mut Project, config: &Config, name: &str, start: Instant, change: &Change) -> Result<u8> {
    if !config.silent && config.summary && !change.quiet_header {
        crate::ui::header(if name == "ci" { "install" } else { name });
    }
    if !config.silent {
        for note in &change.notes {
            crate::warn_line!("<cyan>note<r>: {note}");
        }
    }
    engines::check(project, config)?;
    let mut progress = Progress::start(config.progress && !config.silent && !config.verbose);
    let root = project.root.clone();
    let mut session = Session::new(config, &root);
    session.remote = change.remotes.take();
    let mut loaded = if change.migrating { None } else { load_lockfile(&root, config)? };
    let (mut manifests, mut notes, mut binary) = (Vec::new(), Vec::new(), false);
    if loaded.is_none() {
        // An empty text: the file is written, and what was read stays as it is.
        if let Some(migrated) = crate::migrate::run(project, &mut session, change.migrating)? {
            loaded = migrated.loaded.map(|loaded| (String::new(), loaded));
            (manifests, notes, binary) = (migrated.edited, migrated.notes, migrated.binary);
        }
    }
    if config.verbose {
        explain::settings(&root, config, loaded.is_some());
    }
    if loaded.is_none() && !config.offline && !config.frozen {
        session.preconnect();
    }
    if loaded.is_none() && config.frozen {
        return Err(Error::new(Code::Frozen, "lockfile not found, but lockfile is frozen")
            .hint("run `bao install` without --frozen-lockfile and commit bun.lock"));
    }
    // Before package.json was edited.
    let before = loaded.as_ref().map_or_else(Vec::new, |(_, loaded)| summary::of_lockfile(loaded, change.updating));
    let (old_text, loaded) = match loaded {
        Some((text, mut loaded)) if change.fresh => {
            let extras = std::mem::take(&mut loaded.extras);
            (Some(text), Err(extras))
        }
        Some((text, loaded)) => (Some(text.clone()), Ok(Some((text, loaded)))),
        None => (None, Ok(None)),
    };
    let mut resolved = match loaded {
        Ok(loaded) => prepare(project, loaded)?,
        Err(old) => {
            let mut resolved = prepare(project, None)?;
            (resolved.extras.version, resolved.extras.config_version) = (old.version, old.config_version);
            resolved
        }
    };
    if config.frozen && resolved.difference.is_some() {
        let what = resolved.difference.as_deref().unwrap_or("package.json");
        return Err(Error::new(Code::Frozen, format!("lockfile had changes, but lockfile is frozen: {what}"))
            .hint("run `bao install` without --frozen-lockfile and commit bun.lock"));
    }
    if change.release.is_some() || change.fresh {
        forget_optional_peers(&mut resolved.graph);
    }
    if let Some(release) = &change.release {
        release.let_go(&mut resolved.graph, &resolved.members);
    }
    let prefetch = !config.lockfile_only && !config.dry_run;
    // `add` believes a manifest of the last minutes, as Bun does; `update` asks.
    session.revalidate = (change.release.is_some() && change.added.is_empty()) || change.fresh;
    resolve(&mut resolved, &mut session, prefetch, change.release.clone())?;
    if print_report(&resolved.report, config) {
        return Ok(1);
    }
    if config.verbose {
        explain::versions(&resolved.graph, &resolved.members, &resolved.extras, &session);
    }
    pins::apply(&change.pins, project, &mut resolved);
    let Resolved { mut graph, members, extras, changed, .. } = resolved;
    if let Some(scanner) = config.scanner.as_deref().filter(|_| !config.dry_run)
        && !super::registry::scan::guard(scanner, &root, &graph, &members, &extras, &mut session, &change.added)?
    {
        return Ok(1);
    }
    let after = summary::of_graph(&graph, &members, change.updating);
    let mut saved = false;
    // A bun.lockb becomes a bun.lock of the same content: that is allowed where nothing else is.
    let convert = binary && config.save_text;
    if (changed && (!config.frozen || convert)) || change.release.is_some() || change.fresh || old_text.is_none() {
        // Twice: the first tree finds packages for optional peers, which then have a place of their own in the second.
        Tree::build(&mut graph, |_, _, _| false);
        let tree = Tree::build(&mut graph, |_, _, _| false);
        let text = lockfile::write(&graph, &tree, &members, &extras);
        let empty = graph.packages.deps[0].len == 0 && members.len() == 1;
        let writes = config.save && config.save_lockfile && !config.dry_run && (!config.frozen || convert);
        if empty && old_text.is_some() && writes {
            match std::fs::remove_file(root.join("bun.lock")) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("cannot remove", "bun.lock", error));
                }
                _ => {}
            }
            if !config.silent && config.summary {
                crate::warn_line!("\npackage.json has no dependencies! Deleted empty lockfile");
            }
        } else if old_text.as_deref() != Some(text.as_str()) && !(empty && old_text.is_none()) {
            if config.frozen && !convert {
                return Err(Error::new(Code::Frozen, "lockfile had changes, but lockfile is frozen"));
            }
            if writes {
                for manifest in &project.manifests {
                    let path = root.join(&manifest.path).join("package.json");
                    if manifests.contains(&path) {
                        write_atomic(&path, &manifest.text)?;
                    }
                }
                if !config.silent && !notes.is_empty() {
                    eprintln!("{}", notes.join("\n"));
                }
                write_atomic(&root.join("bun.lock"), &text)?;
                saved = true;
                if convert {
                    let path = root.join("bun.lockb");
                    std::fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))?;
                } else if binary && !config.silent {
                    eprintln!("note: bun.lockb is not read any more now that there is a bun.lock: remove it");
                }
            }
        }
    }
    if config.yarn && config.save && !config.lockfile_only && !config.dry_run {
        let tree = Tree::build(&mut graph, |_, _, _| false);
        let text = lockfile::yarn::write(&graph, &tree, &members, &|name| &config.registry_for(name).url);
        let path = root.join("yarn.lock");
        if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            write_atomic(&path, &text)?;
        }
    }
    let mut synced = false;
    if change.write && config.save && !config.dry_run {
        for &at in &change.edited {
            let manifest = &project.manifests[at];
            if change.originals.get(at).is_some_and(|text| *text == manifest.text) {
                continue;
            }
            synced |= change.updating;
            write_atomic(&root.join(&manifest.path).join("package.json"), &manifest.text)?;
        }
    }
    if saved && !config.silent && config.summary {
        crate::warn_line!("Saved lockfile");
    }
    if config.lockfile_only || config.dry_run || config.skip_install {
        progress.stop();
        if !config.silent && config.summary {
            summary::short(&graph, change, &before, &after, &session, saved, start);
        }
        return Ok(0);
    }
    let (chosen, root_too) = filtered(config, project, &members);
    let selection = Selection { config, members: chosen, root: root_too };
    let linker = linker_of(config, &extras, &members);
    let direct = summary::direct(&graph, 0);
    let target = summary::direct(&graph, change.edited.last().map_or(0, |&at| members[at].package));
    let packages: Vec<u32> = members.iter().map(|member| member.package).collect();
    if !config.silent {
        engines::platforms(&graph, &packages, config);
    }
    let mut own: Vec<u32> =
        packages.iter().flat_map(|&package| summary::direct(&graph, package)).map(|(_, id)| id).collect();
    own.sort_unstable();
    own.dedup();
    let excluded = if config.verbose { explain::excluded(&graph, config) } else { Vec::new() };
    let plan = assemble(&root, &mut graph, &members, &extras, &session, &selection, linker);
    if config.verbose {
        explain::linking(&plan, &excluded, config, &extras, &members);
    }
    let printer = Printer { verbose: config.verbose };
    let options = link_options(config);
    if selection.root {
        progress::around(|| lifecycle::before(project, &options, config.silent))?;
    }
    let linked = materialize(&plan, &mut session)?;
    progress.stop();
    if config.verbose {
        explain::done(&plan, &linked, &session);
    }
    if config.save && config.save_lockfile && !config.frozen {
        session.remote.complete_lockfile(&root)?;
    }
    engines::installed(&plan, &linked.changed, &own, config)?;
    let places: Vec<usize> = (0..members.len())
        .filter(|&at| match &selection.members {
            _ if at == 0 => selection.root,
            Some(chosen) => chosen.contains(&members[at].package),
            None => true,
        })
        .collect();
    lifecycle::after(project, &places, &options, &printer, config.silent)?;
    if let Some(store) = session.store_if_open() {
        store.close();
    }
    if !config.silent && config.summary {
        let (plan, linked, direct, target, before, after) = (&plan, &linked, &direct, &target, &before, &after);
        summary::print(
            &summary::Done { plan, linked, direct, target, change, before, after, session: &session, config, synced },
            start,
        );
    }
    Ok(0)
}

pub fn elapsed(start: Instant) -> String {
    let time = start.elapsed();
    if time.as_secs() >= 1 {
        format!("{:.2}s", time.as_secs_f64())
    } else {
        format!("{:.2}ms", time.as_secs_f64() * 1000.0)
    }
}
