//! `update --interactive`: what is outdated as a list to choose from, then an update of that.

use crate::commands::install::{self, Change};
use crate::commands::outdated::{self, Opened, Row};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::graph::Behavior;
use crate::registry::session::Session;
use crate::resolve::update_scope::{Names, UpdateScope};
use crate::ui::select::{self, Answer, Item};
use std::path::Path;
use std::time::Instant;

const TITLES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
const NOTES: [&str; 4] = ["", " dev", " peer", " optional"];

/// A line of the list: the entry of a catalog is one, whoever uses it.
struct Line {
    row: Row,
    /// Names of the packages that depend on it.
    users: Vec<String>,
}

/// The list, then the update. `config` is the project's at `root`; `own` is the current package's directory.
pub(super) fn run(options: &Options, root: &Path, own: &Path, config: Config) -> Result<u8> {
    crate::ui::header("update --interactive");
    if !select::possible() {
        return Err(Error::new(
            Code::Usage,
            crate::ui::named("bao update --interactive requires an interactive terminal"),
        )
        .hint("`bao update` updates without questions, `bao outdated` lists what is available"));
    }
    let opened = outdated::open(options, root, own, &config)?;
    let lines = merge_catalogs(collect(options, root, &config, &opened)?, &opened);
    if lines.is_empty() {
        crate::tell!("<green>✓<r> All packages are up to date!");
        return Ok(0);
    }
    let mut items: Vec<Item> = lines.iter().map(|line| item(line, options.latest)).collect();
    if select::choose(&mut items, opened.wide)? == Answer::Cancelled {
        crate::tell!("<red>x<r> Cancelled");
        return Ok(0);
    }
    let chosen: Vec<(&Row, bool)> = lines
        .iter()
        .zip(&items)
        .filter(|(_, item)| item.selected)
        .map(|(line, item)| (&line.row, item.use_latest))
        .collect();
    let count = chosen.len();
    if count == 0 {
        crate::tell!("<yellow>!<r> No packages selected for update");
        return Ok(0);
    }
    crate::tell!("<green>✓<r> Selected {count} package{} to update", if count == 1 { "" } else { "s" });
    crate::tell!("\n<cyan>Installing updates...<r>");
    update(&chosen, opened, config)
}

/// What is outdated and can be chosen, in the order of the list.
fn collect(options: &Options, root: &Path, config: &Config, opened: &Opened) -> Result<Vec<Row>> {
    let dev = options.save_to == crate::config::Save::Dev;
    let wanted = |name: &str, behavior: Behavior| {
        let group = if behavior.has(Behavior::DEV) {
            !config.production
        } else if behavior.has(Behavior::PEER) {
            // Peer ranges are not edited.
            false
        } else if behavior.has(Behavior::OPTIONAL) {
            !dev && !config.omit_optional
        } else {
            !dev
        };
        group && crate::filter::names(&options.positionals, name)
    };
    let mut session = Session::new(config, root);
    let mut progress = crate::ui::progress::Progress::start(config.progress && !config.silent && !config.verbose);
    let mut rows = outdated::collect(&mut session, &opened.resolved, &opened.members, &wanted)?;
    progress.stop();
    // What only the minimum release age holds back cannot be chosen.
    rows.retain(|row| row.update != row.current || row.latest != row.current);
    rows.sort_by(|a, b| (a.group, &a.name, a.member).cmp(&(b.group, &b.name, b.member)));
    Ok(rows)
}

/// Joins the rows that are the same entry of a catalog.
fn merge_catalogs(rows: Vec<Row>, opened: &Opened) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let user = opened.member_name(row.member).to_owned();
        let same = lines.iter_mut().find(|Line { row: other, .. }| {
            row.catalog.is_some() && other.catalog == row.catalog && other.name == row.name && other.group == row.group
        });
        match same {
            Some(line) => line.users.push(user),
            None => lines.push(Line { row, users: vec![user] }),
        }
    }
    lines
}

/// A line as it is shown. `latest`: the latest version is what it offers first.
fn item(Line { row, users }: &Line, latest: bool) -> Item {
    Item {
        group: TITLES[usize::from(row.group)],
        name: row.name.clone(),
        note: NOTES[usize::from(row.group)],
        current: row.current.clone(),
        target: row.update.clone(),
        latest: row.latest.clone(),
        workspace: match row.catalog.as_deref() {
            None if row.member == 0 => String::new(),
            None => users.join(", "),
            Some("") => format!("catalog ({})", users.join(", ")),
            Some(catalog) => format!("catalog:{catalog} ({})", users.join(", ")),
        },
        selected: false,
        use_latest: latest || row.update == row.current,
    }
}

/// Edits the manifests and installs. `chosen`: rows, and whether their latest version is wanted.
fn update(chosen: &[(&Row, bool)], opened: Opened, mut config: Config) -> Result<u8> {
    let start = Instant::now();
    let mut project = opened.project;
    let all = super::listed(&project, &opened.members)?;
    let mut change = Change { quiet_header: true, ..Change::default() };
    let mut pairs = Vec::new();
    for latest in [false, true] {
        let means = |(row, use_latest): &(&Row, bool), entry: &super::Listed| {
            *use_latest == latest
                && (row.member == entry.manifest || row.catalog.is_some())
                && row.name == entry.name
                && TITLES[usize::from(row.group)] == entry.group
        };
        let wanted: Vec<(super::Listed, &str)> = all
            .iter()
            .filter(|entry| chosen.iter().any(|choice| means(choice, entry)))
            .map(|entry| (entry.clone(), ""))
            .collect();
        pairs.extend(wanted.iter().map(|(entry, _)| (entry.manifest, entry.name.clone())));
        super::prepare(&mut project, &mut change, &wanted, latest, config.exact);
    }
    let direct = Names::Only(pairs.iter().map(|(_, name)| name.clone()).collect());
    change.release =
        Some(UpdateScope { direct, transitive: Names::Only(Vec::new()), members: None, pairs: Some(pairs) });
    // `-p`, `--no-optional` and `--filter` say what is updated, not what is installed.
    config.filter.clear();
    config.omit_optional = false;
    if config.production {
        (config.production, config.omit_dev) = (false, false);
    }
    install::run(&mut project, &config, "update", start, &change)
}
