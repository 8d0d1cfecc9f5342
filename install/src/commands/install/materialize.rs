//! From a plan to node_modules: packages are downloaded while the linker works.

use crate::config::{Backend, Config};
use crate::error::{Code, Error, Result};
use crate::link::{self, LinkOptions, Linked};
use crate::model::plan::{self, Kind, Linker, Plan};
use crate::registry::session::{Event, Session};
use crate::store::TarballJob;
use crate::ui::progress;

/// The linker's settings.
pub(crate) fn link_options(config: &Config) -> LinkOptions {
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
        materialize: config.materialize.clone(),
        own_cache: config.own_cache,
        global_bin: config.global.then(|| config.global_bin.clone()),
        ..LinkOptions::default()
    }
}

/// Shows what the linker reports: progress, and with `--verbose` what scripts print.
pub(crate) struct Printer {
    pub(crate) verbose: bool,
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
            base::stderr_line!("{text}");
        }
    }
}

/// Downloads what the plan needs and makes node_modules, both at once.
///
/// # Errors
/// Downloads, unpacking, the file system. A package that turns out to be damaged in the cache is downloaded again, once.
pub(crate) fn materialize(plan: &Plan, session: &mut Session<'_>) -> Result<Linked> {
    match materialize_once(plan, session) {
        Err(error) if error.code == Code::Damaged && !session.config.offline => {
            if !session.config.silent {
                base::stderr_line!("warn: {error}");
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
pub(crate) fn request(plan: &Plan, session: &mut Session<'_>) -> Result<()> {
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
pub(crate) fn wanted(plan: &Plan) -> Vec<bool> {
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
