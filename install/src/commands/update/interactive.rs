//! `update --interactive`: what is outdated as a list to choose from, then an update of that.

use crate::commands::install::{self, Change};
use crate::commands::outdated;
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

/// The list, then the update. `config` is the project's at `root`; `own` is the current package's directory.
pub fn run(options: &Options, root: &Path, own: &Path, mut config: Config) -> Result<u8> {
    crate::ui::header("update --interactive");
    if !select::possible() {
        return Err(Error::new(Code::Usage, "bao update --interactive requires an interactive terminal")
            .hint("`bao update` updates without questions, `bao outdated` lists what is available"));
    }
    let opened = outdated::open(options, root, own, &config)?;
    let dev = options.save_to == crate::config::Save::Dev;
    let (production, no_optional) = (config.production, config.omit_optional);
    let wanted = |name: &str, behavior: Behavior| {
        let group = if behavior.has(Behavior::DEV) {
            !production
        } else if behavior.has(Behavior::PEER) {
            // Peer ranges are not edited.
            false
        } else if behavior.has(Behavior::OPTIONAL) {
            !dev && !no_optional
        } else {
            !dev
        };
        group && crate::filter::names(&options.positionals, name)
    };
    let mut rows = {
        let mut session = Session::new(&config, root);
        let mut progress = crate::ui::progress::Progress::start(config.progress && !config.silent && !config.verbose);
        let rows = outdated::collect(&mut session, &opened.resolved, &opened.members, &wanted)?;
        progress.stop();
        rows
    };
    // What only the minimum release age holds back cannot be chosen.
    rows.retain(|row| row.update != row.current || row.latest != row.current);
    rows.sort_by(|a, b| (a.group, &a.name, a.member).cmp(&(b.group, &b.name, b.member)));
    // The entry of a catalog is one line, whoever uses it.
    let mut users: Vec<Vec<String>> = Vec::new();
    let mut lines: Vec<outdated::Row> = Vec::new();
    for row in rows {
        let same = lines.iter().position(|other| {
            row.catalog.is_some() && other.catalog == row.catalog && other.name == row.name && other.group == row.group
        });
        let user = opened.member_name(row.member).to_owned();
        match same {
            Some(at) => users[at].push(user),
            None => {
                lines.push(row);
                users.push(vec![user]);
            }
        }
    }
    if lines.is_empty() {
        crate::tell!("<green>✓<r> All packages are up to date!");
        return Ok(0);
    }
    let mut items: Vec<Item> = lines
        .iter()
        .zip(&users)
        .map(|(row, users)| Item {
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
            use_latest: options.latest || row.update == row.current,
        })
        .collect();
    if select::choose(&mut items, opened.wide)? == Answer::Cancelled {
        crate::tell!("<red>x<r> Cancelled");
        return Ok(0);
    }
    let chosen: Vec<usize> = (0..items.len()).filter(|&at| items[at].selected).collect();
    if chosen.is_empty() {
        crate::tell!("<yellow>!<r> No packages selected for update");
        return Ok(0);
    }
    let count = chosen.len();
    crate::tell!("<green>✓<r> Selected {count} package{} to update", if count == 1 { "" } else { "s" });
    crate::tell!("\n<cyan>Installing updates...<r>");
    let start = Instant::now();
    let mut project = opened.project;
    let all = super::listed(&project, &opened.members)?;
    let mut change = Change { quiet_header: true, ..Change::default() };
    let mut pairs = Vec::new();
    for latest in [false, true] {
        let wanted: Vec<(super::Listed, &str)> = all
            .iter()
            .filter(|entry| {
                chosen.iter().any(|&at| {
                    let row = &lines[at];
                    let member = row.member == entry.manifest || row.catalog.is_some();
                    items[at].use_latest == latest
                        && member
                        && row.name == entry.name
                        && TITLES[usize::from(row.group)] == entry.group
                })
            })
            .map(|entry| (entry.clone(), ""))
            .collect();
        pairs.extend(wanted.iter().map(|(entry, _)| (entry.manifest, entry.name.clone())));
        super::prepare(&mut project, &mut change, &wanted, latest, config.exact);
    }
    let direct = Names::Only(pairs.iter().map(|(_, name)| name.clone()).collect());
    change.release =
        Some(UpdateScope { direct, transitive: Names::Only(Vec::new()), members: None, pairs: Some(pairs) });
    config.filter.clear();
    if production {
        (config.production, config.omit_dev) = (false, false);
    }
    config.omit_optional &= !no_optional;
    install::run(&mut project, &config, "update", start, &change)
}
