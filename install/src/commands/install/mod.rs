//! `install`, `add`, `ci`, and what the other commands share: from package.json and bun.lock to node_modules.
//!
//! An install is a sequence of phases, each a method of [`Install`]:
//!
//! | phase | from | to |
//! |---|---|---|
//! | load | bun.lock | what was [`Found`] |
//! | migrate | the lockfile of another tool, if there is no bun.lock | the same |
//! | prepare | package.json files, what was found | a graph whose unchanged parts are resolved |
//! | resolve | the registry | a graph that is resolved |
//! | check | the security scanner | go on, or not |
//! | save | the graph | bun.lock, yarn.lock, package.json |
//! | plan | the graph, this machine, `--filter` | which package goes where |
//! | link | the plan, the store, the registry | node_modules, scripts run |
//! | report | | what people read |

mod change;
pub(crate) mod engines;
mod explain;
mod lifecycle;
mod materialize;
pub(crate) mod pins;
pub(crate) mod prepare;
mod resolution;
pub(crate) mod save;
pub(crate) mod scanner;
pub(crate) mod summary;

pub(crate) use change::Change;
pub(crate) use materialize::{link_options, materialize, request, wanted};
pub(crate) use resolution::{dedupe, linker_of, print_report, resolve};

use crate::assemble::{Selection, assemble};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::link::Linked;
use crate::lockfile::{Loaded, migrate};
use crate::model::graph::Member;
use crate::model::paths::relative_to;
use crate::model::plan::Plan;
use crate::project::Project;
use crate::registry::session::Session;
use crate::ui::progress::{self, Progress};
use materialize::Printer;
use prepare::{Resolved, forget_optional_peers, load_text_lockfile, prepare};
use save::Saved;
use std::path::PathBuf;
use std::time::Instant;
use summary::Locked;

/// The command lines `install` and `ci`.
pub(crate) fn command(options: &Options, name: &str) -> Result<u8> {
    let start = Instant::now();
    let (root, own, mut config) = super::context(options)?;
    if name == "ci" {
        config.frozen = true;
    }
    let mut project = Project::load(&root)?;
    let here = relative_to(&root.to_string_lossy(), &own.to_string_lossy());
    run(&mut project, &config, name, start, &Change { here, ..Change::default() })
}

/// From package.json to node_modules: the phases in their order. The exit code; 1 after errors that were printed.
///
/// # Errors
/// Those of the phases.
pub(crate) fn run(project: &mut Project, config: &Config, name: &str, start: Instant, change: &Change) -> Result<u8> {
    let mut install = Install::begin(project, config, name, start, change)?;
    let mut found = install.load()?;
    install.migrate(&mut found)?;
    let before = install.versions_before(&found);
    let mut resolved = install.prepare(&mut found)?;
    if !install.resolve(&mut resolved)? || !install.check(&resolved)? {
        return Ok(1);
    }
    let after = summary::of_graph(&resolved.graph, &resolved.members, change.updating);
    let dropped = summary::dropped(&before, &after, &resolved.members);
    let saved = install.save(&mut resolved, &found)?;
    if config.lockfile_only || config.dry_run || config.skip_install {
        install.report_saved(&resolved, saved, &before, &after);
        return Ok(0);
    }
    let planned = install.plan(&mut resolved);
    let linked = install.link(&planned)?;
    install.report(&planned, &linked, saved, &before, &after, dropped);
    Ok(0)
}

/// An install under way.
struct Install<'a> {
    project: &'a mut Project,
    config: &'a Config,
    change: &'a Change,
    start: Instant,
    /// Directory of the project.
    root: PathBuf,
    session: Session<'a>,
    progress: Progress,
}

/// The lockfile that there was.
#[derive(Default)]
struct Found {
    /// bun.lock's text (empty for bun.lockb and another tool's file) and what it says.
    lockfile: Option<(String, Loaded)>,
    /// package.json files that a migration has edited; they are written with bun.lock.
    edited: Vec<PathBuf>,
    /// Text of a bun.lock whose versions do not count.
    replaced: Option<String>,
    /// What a migration has to tell.
    notes: Vec<String>,
    /// It was a bun.lockb.
    binary: bool,
}

/// What the linker is to do.
struct Planned {
    plan: Plan,
    /// Members whose own scripts run, as places among the manifests.
    places: Vec<usize>,
    /// The root's own dependencies are installed.
    root: bool,
    /// What the project's packages depend on.
    own: Vec<u32>,
    /// Dependencies of the root, or of the member that the command runs in: name and package.
    direct: Vec<(String, u32)>,
    /// The same of the package that `add` is about.
    target: Vec<(String, u32)>,
}

impl<'a> Install<'a> {
    /// Prints the header, checks what the project asks of its tools, opens the session.
    fn begin(
        project: &'a mut Project,
        config: &'a Config,
        name: &str,
        start: Instant,
        change: &'a Change,
    ) -> Result<Self> {
        if !config.silent && config.summary && !change.quiet_header {
            crate::ui::header(if name == "ci" { "install" } else { name });
        }
        if !config.silent {
            for note in &change.notes {
                crate::warn_line!("<cyan>note<r>: {note}");
            }
        }
        engines::check(project, config)?;
        let progress = Progress::start(config.progress && !config.silent && !config.verbose);
        let root = project.root.clone();
        let mut session = Session::new(config, &root);
        session.remote = change.remotes.take();
        Ok(Self { project, config, change, start, root, session, progress })
    }

    /// The summary is printed.
    fn told(&self) -> bool {
        !self.config.silent && self.config.summary
    }

    /// Reads bun.lock.
    fn load(&self) -> Result<Found> {
        let lockfile = if self.change.migrating { None } else { load_text_lockfile(&self.root, self.config)? };
        Ok(Found { lockfile, ..Found::default() })
    }

    /// Without a bun.lock: reads the lockfile of another tool.
    fn migrate(&mut self, found: &mut Found) -> Result<()> {
        if found.lockfile.is_none()
            && let Some(migrated) = migrate::run(self.project, &mut self.session, self.change.migrating)?
        {
            // An empty text: the file is written, and what was read stays as it is.
            found.lockfile = migrated.loaded.map(|loaded| (String::new(), loaded));
            (found.edited, found.notes, found.binary) = (migrated.edited, migrated.notes, migrated.binary);
        }
        let config = self.config;
        if config.verbose {
            explain::settings(&self.root, config, found.lockfile.is_some());
        }
        if found.lockfile.is_none() && !config.offline && !config.frozen {
            self.session.preconnect();
        }
        if found.lockfile.is_none() && config.frozen {
            return Err(frozen("lockfile not found, but lockfile is frozen".to_owned()));
        }
        Ok(())
    }

    /// The versions that the lockfile has, before package.json was edited.
    fn versions_before(&self, found: &Found) -> Vec<Locked> {
        let loaded = found.lockfile.as_ref();
        loaded.map_or_else(Vec::new, |(_, loaded)| summary::of_lockfile(loaded, self.change.updating))
    }

    /// Builds the graph on top of the lockfile and lets go of what the command resolves anew.
    fn prepare(&mut self, found: &mut Found) -> Result<Resolved> {
        let change = self.change;
        let mut resolved = match found.lockfile.take() {
            Some((text, loaded)) if change.fresh => {
                found.replaced = Some(text);
                let mut resolved = prepare(self.project, None)?;
                resolved.extras.version = loaded.extras.version;
                resolved.extras.config_version = loaded.extras.config_version;
                resolved
            }
            lockfile => prepare(self.project, lockfile)?,
        };
        if self.config.frozen
            && let Some(what) = &resolved.difference
        {
            return Err(frozen(format!("lockfile had changes, but lockfile is frozen: {what}")));
        }
        if change.release.is_some() || change.fresh {
            forget_optional_peers(&mut resolved.graph);
        }
        if let Some(release) = &change.release {
            release.let_go(&mut resolved.graph, &resolved.members);
        }
        Ok(resolved)
    }

    /// Resolves what has no package; false after errors that were printed.
    fn resolve(&mut self, resolved: &mut Resolved) -> Result<bool> {
        let (config, change) = (self.config, self.change);
        // What a security scanner may refuse is not fetched before it has seen it.
        let prefetch = !config.lockfile_only && !config.dry_run && config.scanner.is_none();
        // `add` believes a manifest of the last minutes, as Bun does; `update` asks.
        let renews = change.updating || (change.release.is_some() && change.added.is_empty());
        self.session.revalidate = renews || change.fresh || self.config.force;
        resolve(resolved, &mut self.session, prefetch, change.release.clone())?;
        if print_report(&resolved.report, config) {
            return Ok(false);
        }
        if config.verbose {
            explain::versions(&resolved.graph, &resolved.members, &resolved.extras, &self.session);
        }
        pins::apply(&change.pins, self.project, resolved);
        super::add::distrust(change, self.project, resolved);
        Ok(true)
    }

    /// Asks the security scanner; false if nothing is to be installed.
    fn check(&mut self, resolved: &Resolved) -> Result<bool> {
        let Some(scanner) = self.config.scanner.as_deref().filter(|_| !self.config.dry_run) else { return Ok(true) };
        let Resolved { graph, members, extras, .. } = resolved;
        scanner::guard(scanner, &self.root, graph, members, extras, &mut self.session, &self.change.added)
    }

    /// Decides what of the graph goes where. The graph's text moves into the plan.
    fn plan(&self, resolved: &mut Resolved) -> Planned {
        let config = self.config;
        let Resolved { graph, members, extras, .. } = resolved;
        let (chosen, root) = filtered(config, self.project, members);
        let places = (0..members.len())
            .filter(|&at| match &chosen {
                _ if at == 0 => root,
                Some(chosen) => chosen.contains(&members[at].package),
                None => true,
            })
            .collect();
        let selection = Selection { config, members: chosen, root };
        let linker = linker_of(config, extras, members);
        let here = members.iter().find(|member| member.path == self.change.here);
        let direct = summary::direct(graph, here.map_or(0, |member| member.package));
        let target = summary::direct(graph, self.change.edited.last().map_or(0, |&at| members[at].package));
        let packages: Vec<u32> = members.iter().map(|member| member.package).collect();
        if !config.silent {
            engines::platforms(graph, &packages, config);
        }
        let mut own: Vec<u32> =
            packages.iter().flat_map(|&package| summary::direct(graph, package)).map(|(_, id)| id).collect();
        own.sort_unstable();
        own.dedup();
        let excluded = if config.verbose { explain::excluded(graph, config) } else { Vec::new() };
        let plan = assemble(&self.root, graph, members, extras, &self.session, &selection, linker);
        if config.verbose {
            explain::linking(&plan, &excluded, config, extras, members);
        }
        Planned { plan, places, root, own, direct, target }
    }

    /// Makes node_modules and runs the project's own scripts before and after.
    fn link(&mut self, planned: &Planned) -> Result<Linked> {
        let config = self.config;
        let printer = Printer { verbose: config.verbose };
        let options = link_options(config);
        if planned.root {
            progress::around(|| lifecycle::before(self.project, &options, config.silent))?;
        }
        let linked = materialize(&planned.plan, &mut self.session)?;
        self.progress.stop();
        if config.verbose {
            explain::done(&planned.plan, &linked, &self.session);
        }
        if config.save && config.save_lockfile && !config.frozen {
            self.session.remote.complete_lockfile(&self.root)?;
        }
        engines::installed(&planned.plan, &linked.changed, &planned.own, config)?;
        lifecycle::after(self.project, &planned.places, &options, &printer, config.silent)?;
        if let Some(store) = self.session.store_if_open() {
            store.close();
        }
        Ok(linked)
    }

    /// The report of an install that ends with bun.lock.
    fn report_saved(&mut self, resolved: &Resolved, saved: Saved, before: &[Locked], after: &[Locked]) {
        self.progress.stop();
        if self.told() {
            let (change, session) = (self.change, &self.session);
            summary::short(&resolved.graph, change, before, after, session, saved.lockfile, self.start);
        }
    }

    /// The report of a whole install.
    fn report(
        &self,
        planned: &Planned,
        linked: &Linked,
        saved: Saved,
        before: &[Locked],
        after: &[Locked],
        dropped: u32,
    ) {
        if !self.told() {
            return;
        }
        let Planned { plan, direct, target, .. } = planned;
        let (change, session, synced) = (self.change, &self.session, saved.manifests);
        summary::print(
            &summary::Done { plan, linked, direct, target, change, before, after, dropped, session, synced },
            self.start,
        );
    }
}

fn frozen(message: String) -> Error {
    Error::new(Code::Frozen, message).hint("run `bao install` without --frozen-lockfile and commit bun.lock")
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
