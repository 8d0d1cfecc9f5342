//! `install`, `add`, `ci`, and what the other commands share: from package.json and bun.lock to node_modules.

pub mod engines;
pub mod explain;
pub mod lifecycle;
pub mod pins;
pub mod prepare;
pub mod scanner;
pub mod summary;

use crate::assemble::{Selection, assemble};
use crate::atomic_write::write_atomic;
use crate::commands::install::prepare::{Resolved, forget_optional_peers, load_lockfile, prepare};
use crate::config::{Backend, Config, Options};
use crate::error::{Code, Error, Result};
use crate::link::{self, LinkOptions, Linked};
use crate::lockfile::{self};
use crate::model::extras::Extras;
use crate::model::graph::Graph;
use crate::model::graph::Member;
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{self, Kind, Linker, Plan};
use crate::project::Project;
use crate::registry::session::{Event, Session};
use crate::resolve::update_scope::Release;
use crate::resolve::{Report, Resolver};
use crate::store::TarballJob;
use crate::ui::progress::{self, Progress};
use pins::Pin;
use std::time::Instant;

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
pub fn dedupe(graph: &mut Graph, extras: &Extras, keep_direct: bool) -> Vec<crate::resolve::dedupe::Dropped> {
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
    let literal =
        |graph: &Graph, dep: u32| crate::model::overrides::effective(graph, extras, dep, owners[dep as usize]);
    crate::resolve::dedupe::dedupe(graph, &|id| patched.contains(&id), &literal, keep_direct)
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
            return Err(
                crate::linked_packages::not_linked(plan.str(package.version)).package(plan.str(package.name), "")
            );
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
            Kind::GitHub => session.download(job, crate::registry::repositories::github_authorization())?,
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
        for hint in &report.hints {
            crate::warn_line!("  <d>hint:<r> {hint}");
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
    pub remotes: std::cell::Cell<crate::registry::repositories::Remotes>,
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
        if let Some(migrated) = crate::lockfile::migrate::run(project, &mut session, change.migrating)? {
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
        && !crate::commands::install::scanner::guard(
            scanner,
            &root,
            &graph,
            &members,
            &extras,
            &mut session,
            &change.added,
        )?
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
