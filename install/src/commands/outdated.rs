//! `outdated`: dependencies for which the registry has something newer.

use crate::commands::install::prepare::Resolved;
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::graph::Behavior;
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::Spec;
use crate::project::Project;
use crate::registry::manifest::{AgeLimit, NotFound};
use crate::registry::session::{Lookup, Session};
use semver::{Range, Version};

/// A dependency that is behind.
pub(crate) struct Row {
    /// Place among the manifests.
    pub member: usize,
    pub name: String,
    /// 0 dependencies, 1 dev, 2 peer, 3 optional.
    pub group: u8,
    pub current: String,
    /// The newest version within the range.
    pub update: String,
    pub latest: String,
    /// A newer version within the range is younger than the minimum release age.
    pub update_held: bool,
    /// What `latest` names is younger than the minimum release age.
    pub latest_held: bool,
    /// The catalog that decides, empty for the default one.
    pub catalog: Option<String>,
}

/// Finds what is behind among the dependencies of `members`. `wanted` chooses by name.
pub(crate) fn collect(
    session: &mut Session<'_>,
    resolved: &Resolved,
    members: &[usize],
    wanted: &dyn Fn(&str, Behavior) -> bool,
) -> Result<Vec<Row>> {
    let graph = &resolved.graph;
    let mut deps: Vec<(usize, u32)> = Vec::new();
    for &member in members {
        let package = resolved.members[member].package;
        for dep in graph.packages.deps[package as usize].ids() {
            let target = graph.deps.target[dep as usize];
            let behavior = graph.deps.behavior[dep as usize];
            if target != NO_ID
                && graph.kind(target) == Kind::Npm
                && wanted(graph.str(graph.deps.name[dep as usize]), behavior)
            {
                deps.push((member, dep));
                // All are under way before the first is waited for.
                let _ = session.manifest(graph.name(target), |_| false);
            }
        }
    }
    let limit = AgeLimit::new(session.config, session.now);
    let mut rows = Vec::new();
    for (member, dep) in deps {
        let at = dep as usize;
        let target = graph.deps.target[at];
        let real = graph.name(target).to_owned();
        let manifest = loop {
            match session.manifest(&real, |_| false) {
                Lookup::Ready(manifest) => break manifest,
                Lookup::Failed(error) => return Err(error),
                Lookup::Pending => {
                    session.wait()?;
                }
            }
        };
        let Some(newest) = manifest.latest() else { continue };
        let current = Version::parse(graph.value(target)).unwrap_or_default();
        let owner = resolved.members[member].package;
        let literal = crate::model::overrides::effective(graph, &resolved.extras, dep, owner);
        // What is held back by its age is told by a star, also where nothing else is newer.
        let (latest, latest_held) = match manifest.best_tag("latest", limit) {
            Ok(at) => (manifest.version(at).to_string(), at != newest),
            Err(_) => (current.to_string(), true),
        };
        let (update, update_held) = match Spec::parse(&literal) {
            Spec::Range { range, .. } => match Range::parse(range).map(|range| {
                (manifest.best(&range, limit), manifest.best(&range, AgeLimit::default()), range.exact().is_some())
            }) {
                Some((Ok(at), all, _)) => (manifest.version(at).to_string(), Ok(at) != all),
                Some((Err(why), _, exact)) => (current.to_string(), why == NotFound::TooRecent && !exact),
                None => (current.to_string(), false),
            },
            Spec::Tag { tag, .. } => match manifest.best_tag(tag, limit) {
                Ok(at) => (manifest.version(at).to_string(), Some(at) != manifest.tag(tag)),
                Err(why) => (current.to_string(), why == NotFound::TooRecent),
            },
            _ => (current.to_string(), false),
        };
        let held = latest_held || update_held;
        if !held && current.order(&manifest.version(newest)).is_ge() {
            continue;
        }
        let behavior = graph.deps.behavior[at];
        let group = if behavior.has(Behavior::DEV) {
            1
        } else if behavior.has(Behavior::PEER) {
            2
        } else if behavior.has(Behavior::OPTIONAL) {
            3
        } else {
            0
        };
        let own = graph.str(graph.deps.literal[at]);
        rows.push(Row {
            member,
            name: graph.str(graph.deps.name[at]).to_owned(),
            group,
            current: current.to_string(),
            update,
            latest,
            update_held,
            latest_held,
            catalog: own.strip_prefix("catalog:").map(|name| name.trim().to_owned()),
        });
    }
    Ok(rows)
}

/// The project with its lockfile, and the manifests that the command line means.
pub(crate) fn open(
    options: &Options,
    root: &std::path::Path,
    own: &std::path::Path,
    config: &Config,
) -> Result<Opened> {
    if !root.join("package.json").exists() {
        return Err(Error::new(Code::Usage, "missing package.json, nothing outdated"));
    }
    let (project, own) = super::add::load(root, own)?;
    let members: Vec<usize> = if !config.filter.is_empty() {
        let selected = crate::filter::select(&project, &config.filter);
        selected.warn();
        selected.indexes()
    } else if options.recursive {
        (0..project.manifests.len()).collect()
    } else {
        vec![own]
    };
    let Some(loaded) = crate::commands::install::prepare::load_lockfile(root, config)? else {
        return Err(Error::new(Code::Usage, "missing lockfile, nothing outdated").hint("run `bao install` first"));
    };
    let resolved = crate::commands::install::prepare::prepare(&project, Some(loaded))?;
    let wide = options.recursive || !config.filter.is_empty();
    Ok(Opened { project, resolved, members, wide })
}

pub(crate) struct Opened {
    pub project: Project,
    pub resolved: Resolved,
    pub members: Vec<usize>,
    /// More than the current package is meant.
    pub wide: bool,
}

impl Opened {
    /// Name of a package of the project.
    pub(crate) fn member_name(&self, member: usize) -> &str {
        self.resolved.graph.name(self.resolved.members[member].package)
    }
}

/// `outdated`.
pub(crate) fn outdated(options: &Options) -> Result<u8> {
    let (root, own, config) = super::context(options)?;

    if !config.silent {
        crate::ui::header("outdated");
    }
    let opened = open(options, &root, &own, &config)?;
    let mut session = Session::new(&config, &root);
    let mut progress = crate::ui::progress::Progress::start(config.progress && !config.silent && !config.verbose);
    let wanted = |name: &str, behavior: Behavior| {
        let left_out = (config.omit_dev && behavior.has(Behavior::DEV) && !behavior.has(Behavior::PROD))
            || (config.omit_optional && behavior.is_optional() && !behavior.has(Behavior::PEER))
            || (config.omit_peer && behavior.has(Behavior::PEER));
        !left_out && crate::filter::names(&options.positionals, name)
    };
    let rows = collect(&mut session, &opened.resolved, &opened.members, &wanted)?;
    progress.stop();
    table(&lines(rows, &opened), opened.wide);
    Ok(0)
}

/// The cells of a line of the table.
type Line = [String; 5];

/// Rows in the order of the groups, those of catalogs behind the others of their group; a catalog's entry is one line for all who use it.
fn lines(rows: Vec<Row>, opened: &Opened) -> Vec<Line> {
    let mut out: Vec<((u8, bool), Line)> = Vec::new();
    let mut catalogs: Vec<(u8, String, String, Vec<String>, Line)> = Vec::new();
    for row in rows {
        let suffix = [" ", " (dev)", " (peer)", " (optional)"][usize::from(row.group)].trim_end();
        let label = format!("{}{suffix}", row.name);
        let workspace = opened.member_name(row.member).to_owned();
        let star = |version: String, held: bool| if held { version + " *" } else { version };
        let (update, latest) = (star(row.update, row.update_held), star(row.latest, row.latest_held));
        let line = [label, row.current, update, latest, workspace.clone()];
        match row.catalog {
            Some(catalog) if opened.wide => {
                let known = catalogs.iter_mut().find(|known| {
                    known.0 == row.group && known.1 == catalog && known.2 == row.name && known.4[1] == line[1]
                });
                match known {
                    Some(known) => known.3.push(workspace),
                    None => catalogs.push((row.group, catalog, row.name, vec![workspace], line)),
                }
            }
            _ => out.push(((row.group, false), line)),
        }
    }
    for (group, catalog, _, users, mut line) in catalogs {
        let catalog = if catalog.is_empty() { "catalog".to_owned() } else { format!("catalog:{catalog}") };
        line[4] = format!("{catalog} ({})", users.join(", "));
        out.push(((group, true), line));
    }
    out.sort_by_key(|line| line.0);
    out.into_iter().map(|(_, line)| line).collect()
}

fn table(rows: &[Line], wide: bool) {
    if rows.is_empty() {
        return;
    }
    let titles = ["Package", "Current", "Update", "Latest", "Workspace"];
    // The first column is as wide as Bun's, one more than its title.
    let least = ["Packages", "Current", "Update", "Latest", "Workspace"];
    let count = if wide { 5 } else { 4 };
    let widths: Vec<usize> = (0..count)
        .map(|column| rows.iter().map(|line| line[column].len()).chain([least[column].len()]).max().unwrap_or(0))
        .collect();
    let total: usize = widths.iter().map(|width| width + 3).sum::<usize>() - 1;
    let line = |cells: &[&str], bold: bool| {
        let mut out = "|".to_owned();
        for (cell, width) in cells.iter().zip(&widths) {
            let (on, off) = if bold { ("<b><cyan>", "<r>") } else { ("", "") };
            out.push_str(&format!(" {on}{cell}{off}{} |", " ".repeat(width - cell.len())));
        }
        crate::tell!("{out}");
    };
    crate::say!("|{}|", "-".repeat(total));
    line(&titles[..count], true);
    let rule = format!("|{}", widths.iter().map(|width| format!("{}|", "-".repeat(width + 2))).collect::<String>());
    crate::say!("{rule}");
    for (place, cells) in rows.iter().enumerate() {
        if place > 0 {
            crate::say!("{rule}");
        }
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        line(&cells[..count], false);
    }
    crate::say!("|{}|", "-".repeat(total));
    if rows.iter().any(|line| line[2].ends_with('*') || line[3].ends_with('*')) {
        crate::tell!("<d><b>Note:<r> <d>The * indicates that version isn't true latest due to minimum release age<r>");
    }
}
