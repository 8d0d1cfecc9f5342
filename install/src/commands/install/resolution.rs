//! The resolution of a prepared project: the resolver's run, fewer versions, what is said about it.

use super::prepare::Resolved;
use crate::config::Config;
use crate::error::Result;
use crate::model::extras::Extras;
use crate::model::graph::{Graph, Member};
use crate::model::plan::Linker;
use crate::registry::session::Session;
use crate::resolve::update_scope::UpdateScope;
use crate::resolve::{Report, Resolver};

/// Resolves what has no package yet.
pub(crate) fn resolve(
    resolved: &mut Resolved,
    session: &mut Session<'_>,
    prefetch: bool,
    released: Option<UpdateScope>,
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
pub(crate) fn dedupe(graph: &mut Graph, extras: &Extras, keep_direct: bool) -> Vec<crate::resolve::dedupe::Dropped> {
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

/// Prints errors of a resolution; true where there are any.
pub(crate) fn print_report(report: &Report, config: &Config) -> bool {
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

/// Which linker a project gets.
pub(crate) fn linker_of(config: &Config, extras: &Extras, members: &[Member]) -> Linker {
    config.linker.unwrap_or(if extras.config_version >= 1 && members.len() > 1 {
        Linker::Isolated
    } else {
        Linker::Hoisted
    })
}
