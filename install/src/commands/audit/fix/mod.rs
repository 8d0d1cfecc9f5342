//! `audit fix`: moves vulnerable packages of bun.lock to the lowest version that no advisory covers.
//!
//! A dependency whose range holds that version just gets it. An exact pin of the project (package.json, catalog, override) is
//! raised where `^pin` holds the version, any other range of the project with `--latest` only. Other packages' ranges are never
//! changed: they block. The chosen versions are audited before they are taken, the result once more after the install.

mod apply;

use crate::commands::audit::{self, Advisory, Answer, Filter, Skipped};
use crate::commands::style::{Style, banner, count};
use crate::config::Options;
use crate::error::{Code, Error, Result};
use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, DepId, Graph, PackageId};
use crate::model::plan::Kind;
use crate::model::spec::Spec;
use crate::registry::manifest::{AgeLimit, Manifest};
use crate::registry::session::{Lookup, Session};
use json::quote;
use rustc_hash::FxHashMap;
use semver::{Range, Version};
use std::fmt::Write;
use std::time::Instant;

/// A change of a package.json.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    /// Index of the manifest, the root's is 0.
    pub manifest: usize,
    /// `package.json`, `packages/a/package.json`.
    pub file: String,
    /// Name of the catalog's group; `default` for the one without.
    pub catalog: Option<String>,
    /// `name`, `parent>name`.
    pub rule: Option<String>,
    pub key: String,
    pub from: String,
    pub to: String,
}

/// A dependency that cannot take the safe version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blocker {
    /// `name@version`, or the file.
    pub dependent: String,
    pub range: String,
    pub bundled: bool,
    pub rule: Option<String>,
}

/// What happens to one vulnerable version.
#[derive(Clone, Debug)]
pub(super) struct Fix {
    pub name: String,
    pub from: String,
    pub to: String,
    pub downgrade: bool,
    /// The version is younger than --minimum-release-age.
    pub young: bool,
    /// Dependencies go to the version.
    pub moved: bool,
    pub edits: Vec<Edit>,
    pub blockers: Vec<Blocker>,
    /// `--latest` would change a blocker.
    pub latest_fixes: bool,
}

/// A vulnerable version in the graph.
struct Vulnerable {
    package: PackageId,
    name: String,
    version: String,
}

/// Everything that is reported.
#[derive(Default)]
struct Outcome {
    dry: bool,
    total: usize,
    checked: usize,
    fixed: usize,
    remaining: usize,
    fixes: Vec<Fix>,
    /// Name, version, advisories.
    unfixable: Vec<(String, String, Vec<String>)>,
    /// Name, version, word for the error.
    unavailable: Vec<(String, String, String)>,
    /// Name and range of advisories that cover nothing that is installed.
    unmatched: Vec<(String, String)>,
    skipped: Vec<Skipped>,
    after: Vec<(String, String, Vec<String>)>,
}

/// Which dependency goes where: (label or path of its owner, name) → version.
pub(super) type Moves = FxHashMap<(String, String), String>;

/// `audit fix`.
pub(super) fn fix(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let filter = Filter::new(options)?;
    if !options.json {
        banner("audit fix");
    }
    let (root, mut config, resolved) = audit::open(options, "audit")?;
    if config.frozen {
        return Err(Error::new(Code::Frozen, "audit fix changes bun.lock, but lockfile is frozen")
            .hint("run it without --frozen-lockfile, or `bao audit` to look only"));
    }
    // The whole lockfile is fixed, whatever is installed.
    (config.production, config.omit_dev, config.omit_optional, config.omit_peer) = (false, false, false, false);
    let graph = &resolved.graph;
    let packages = audit::installed(graph, &config);
    let mut session = Session::new(&config, &root);
    let answer = audit::ask(&session, graph, &packages)?;
    let Answer { advisories, checked, skipped, .. } = answer;
    let (advisories, below, ignored) = filter.apply(advisories);
    let mut outcome = Outcome { dry: config.dry_run, checked, skipped, ..Outcome::default() };
    if advisories.is_empty() {
        if options.json {
            crate::say!("{}", outcome.json());
        } else {
            audit::clean(checked, &outcome.skipped, &filter, below, ignored, start);
        }
        return Ok(0);
    }
    outcome.total = advisories.len();
    let vulnerable = vulnerable(graph, &packages, &advisories, &mut outcome);
    let manifests = manifests(&mut session, &vulnerable, &mut outcome)?;
    let targets = targets(&session, &filter, &advisories, &vulnerable, &manifests)?;
    let planner = Planner {
        graph,
        members: &resolved.members,
        extras: &resolved.extras,
        packages: &packages,
        latest: options.latest,
        root: &root,
    };
    let mut moves = Moves::default();
    for (one, target) in vulnerable.iter().zip(&targets) {
        match target {
            Some(target) => outcome.fixes.push(planner.plan(one, target, &mut moves)),
            None if manifests.contains_key(&one.name) => {
                let ids = covering(&advisories, &one.name, &one.version);
                outcome.unfixable.push((one.name.clone(), one.version.clone(), ids));
            }
            None => {}
        }
    }
    outcome.fixed = advisories
        .iter()
        .filter(|advisory| {
            let mut covered =
                vulnerable.iter().filter(|one| one.name == advisory.name && advisory.covers(&one.version)).peekable();
            covered.peek().is_some()
                && covered.all(|one| {
                    let fix = outcome.fixes.iter().find(|fix| fix.name == one.name && fix.from == one.version);
                    fix.is_some_and(|fix| fix.moved && fix.blockers.is_empty())
                })
        })
        .count();
    outcome.remaining = outcome.total - outcome.fixed;
    if !config.dry_run && outcome.fixes.iter().any(|fix| fix.moved) {
        drop(session);
        let after = apply::apply(&root, &config, &outcome.fixes, &moves, start)?;
        let (post, _, _) = filter.apply(after.advisories);
        let same = |one: &Advisory, other: &Advisory| one.name == other.name && one.id == other.id;
        outcome.fixed = advisories.iter().filter(|one| !post.iter().any(|other| same(one, other))).count();
        outcome.remaining = post.len();
        outcome.skipped = after.skipped;
        for (name, version) in after.versions {
            let ids = covering(&post, &name, &version);
            if !ids.is_empty() && !vulnerable.iter().any(|one| one.name == name && one.version == version) {
                outcome.after.push((name, version, ids));
            }
        }
        outcome.after.sort();
    }
    if options.json {
        crate::say!("{}", outcome.json());
    } else {
        outcome.print(start);
    }
    Ok(u8::from(outcome.remaining > 0))
}

fn covering(advisories: &[Advisory], name: &str, version: &str) -> Vec<String> {
    let own = advisories.iter().filter(|advisory| advisory.name == name && advisory.covers(version));
    own.map(|advisory| advisory.label().to_owned()).collect()
}

fn vulnerable(
    graph: &Graph,
    packages: &[PackageId],
    advisories: &[Advisory],
    outcome: &mut Outcome,
) -> Vec<Vulnerable> {
    let mut by_name: FxHashMap<&str, Vec<&Advisory>> = FxHashMap::default();
    advisories.iter().for_each(|advisory| by_name.entry(&advisory.name).or_default().push(advisory));
    let mut found: Vec<Vulnerable> = Vec::new();
    let mut matched: Vec<*const Advisory> = Vec::new();
    for &package in packages {
        let (name, version) = (graph.name(package), graph.value(package));
        let Some(own) = by_name.get(name) else { continue };
        let covering: Vec<&&Advisory> = own.iter().filter(|advisory| advisory.covers(version)).collect();
        if !covering.is_empty() {
            matched.extend(covering.iter().map(|advisory| std::ptr::from_ref(**advisory)));
            found.push(Vulnerable { package, name: name.to_owned(), version: version.to_owned() });
        }
    }
    for advisory in advisories {
        if !matched.contains(&std::ptr::from_ref(advisory)) {
            outcome.unmatched.push((advisory.name.clone(), advisory.range.clone()));
        }
    }
    outcome.unmatched.sort();
    found.sort_by(|a, b| {
        let version = |one: &'_ Vulnerable| Version::parse(&one.version).map(|v| (v.major, v.minor, v.patch));
        a.name.cmp(&b.name).then_with(|| version(a).cmp(&version(b))).then_with(|| a.version.cmp(&b.version))
    });
    found
}

/// The manifests of the vulnerable packages; a missing one is reported and its package stays.
fn manifests(
    session: &mut Session<'_>,
    vulnerable: &[Vulnerable],
    outcome: &mut Outcome,
) -> Result<FxHashMap<String, Manifest>> {
    for one in vulnerable {
        let _ = session.manifest(&one.name, |_| false);
    }
    let mut found: FxHashMap<String, Manifest> = FxHashMap::default();
    for one in vulnerable {
        loop {
            match session.manifest(&one.name, |_| false) {
                Lookup::Ready(manifest) => {
                    found.insert(one.name.clone(), manifest);
                    break;
                }
                Lookup::Failed(error) => {
                    let word = match error.code {
                        Code::Status => error.message.rsplit(" - ").next().unwrap_or("unknown").to_owned(),
                        _ => error.cause.clone().unwrap_or_else(|| error.message.clone()),
                    };
                    crate::warn_line!(
                        "<r><yellow>warn<r>: {}@{} was not checked for updates: {}",
                        one.name,
                        one.version,
                        error.message
                    );
                    outcome.unavailable.push((one.name.clone(), one.version.clone(), word));
                    break;
                }
                Lookup::Pending => {
                    session.wait()?;
                }
            }
        }
    }
    Ok(found)
}

/// Where a vulnerable version goes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    version: String,
    downgrade: bool,
    young: bool,
}

/// The lowest higher version that nothing covers, else the highest lower one. Versions of the right age come first.
fn target(manifest: &Manifest, from: &str, advisories: &[Advisory], limit: AgeLimit<'_>) -> Option<Target> {
    let current = Version::parse(from)?;
    let own: Vec<&Advisory> = advisories.iter().filter(|advisory| advisory.name == manifest.name()).collect();
    let releases = manifest.releases();
    let mut candidates: Vec<u32> = (0..manifest.header_versions())
        .filter(|&at| {
            let version = manifest.version(at);
            let text = version.to_string();
            (at < releases || (!current.pre.is_empty() && version.same_numbers(&current)))
                && !own.iter().any(|advisory| advisory.covers(&text))
        })
        .collect();
    candidates.sort_by(|a, b| manifest.version(*a).order(&manifest.version(*b)));
    let limit = limit.of_package(manifest.name());
    let young = |at: &u32| manifest.young(*at, limit);
    let higher: Vec<u32> =
        candidates.iter().copied().filter(|&at| manifest.version(at).order(&current).is_gt()).collect();
    let lower: Vec<u32> =
        candidates.iter().rev().copied().filter(|&at| manifest.version(at).order(&current).is_lt()).collect();
    for (list, downgrade) in [(higher, false), (lower, true)] {
        if let Some(&at) = list.iter().find(|at| !young(at)).or_else(|| list.first()) {
            return Some(Target { version: manifest.version(at).to_string(), downgrade, young: young(&at) });
        }
    }
    None
}

/// Chooses versions until the registry has no advisory for any of them.
fn targets(
    session: &Session<'_>,
    filter: &Filter,
    advisories: &[Advisory],
    vulnerable: &[Vulnerable],
    manifests: &FxHashMap<String, Manifest>,
) -> Result<Vec<Option<Target>>> {
    let limit = AgeLimit::new(session.config, session.now);
    let mut known = advisories.to_vec();
    let mut asked: Vec<(String, String)> = Vec::new();
    let mut chosen: Vec<Option<Target>> = Vec::new();
    for _ in 0..16 {
        chosen = vulnerable.iter().map(|one| target(manifests.get(&one.name)?, &one.version, &known, limit)).collect();
        let mut question: Vec<(String, String)> = vulnerable
            .iter()
            .zip(&chosen)
            .filter_map(|(one, target)| Some((one.name.clone(), target.as_ref()?.version.clone())))
            .filter(|pair| !asked.contains(pair))
            .collect();
        question.sort();
        question.dedup();
        if question.is_empty() {
            break;
        }
        let (fresh, _, _) = filter.apply(audit::ask_versions(session, &question)?.advisories);
        asked.extend(question);
        let before = known.len();
        for advisory in fresh {
            if !known
                .iter()
                .any(|one| one.name == advisory.name && one.id == advisory.id && one.range == advisory.range)
            {
                known.push(advisory);
            }
        }
        if known.len() == before {
            break;
        }
    }
    Ok(chosen)
}

struct Planner<'a> {
    graph: &'a Graph,
    members: &'a [Member],
    extras: &'a Extras,
    packages: &'a [PackageId],
    latest: bool,
    root: &'a std::path::Path,
}

impl Planner<'_> {
    fn plan(&self, one: &Vulnerable, target: &Target, moves: &mut Moves) -> Fix {
        let mut fix = Fix {
            name: one.name.clone(),
            from: one.version.clone(),
            to: target.version.clone(),
            downgrade: target.downgrade,
            young: target.young,
            moved: false,
            edits: Vec::new(),
            blockers: Vec::new(),
            latest_fixes: false,
        };
        let mut peers = false;
        let owners = self.members.iter().map(|member| member.package).chain(self.packages.iter().copied());
        for owner in owners {
            for dep in self.graph.packages.deps[owner as usize].ids() {
                if self.graph.deps.target[dep as usize] != one.package {
                    continue;
                }
                if self.graph.deps.behavior[dep as usize].has(Behavior::PEER) {
                    // A peer follows what is there.
                    peers = true;
                    continue;
                }
                if self.takes(owner, dep, &mut fix) {
                    fix.moved = true;
                    let name = self.graph.str(self.graph.deps.name[dep as usize]).to_owned();
                    moves.insert((owner_key(self.graph, self.members, owner), name), fix.to.clone());
                }
            }
        }
        fix.moved |= peers && fix.blockers.is_empty();
        fix
    }

    /// Whether a dependency can take the version, perhaps after an edit; else it is noted as a blocker.
    fn takes(&self, owner: PackageId, dep: DepId, fix: &mut Fix) -> bool {
        let graph = self.graph;
        let member = self.members.iter().position(|member| member.package == owner);
        let file = |member: usize| match self.members[member].path.as_str() {
            "" => "package.json".to_owned(),
            path => format!("{path}/package.json"),
        };
        let own = graph.str(graph.deps.literal[dep as usize]).to_owned();
        let key = graph.str(graph.deps.name[dep as usize]).to_owned();
        let literal = crate::model::overrides::effective(graph, self.extras, dep, owner);
        let rule = self.rule(owner, &key, &own);
        let catalog = match Spec::parse(rule.as_ref().map_or(own.as_str(), |(_, value)| value)) {
            Spec::Catalog(group) => Some(if group.is_empty() { "default".to_owned() } else { group.to_owned() }),
            _ => None,
        };
        let project = rule.is_some() || catalog.is_some() || member.is_some();
        let manifest = if rule.is_some() || catalog.is_some() { 0 } else { member.unwrap_or(0) };
        let rule = rule.map(|(name, _)| name);
        let mut block = |bundled: bool, range: &str| {
            let dependent = if project && !bundled { file(manifest) } else { graph.label(owner) };
            let blocker = Blocker { dependent, range: range.to_owned(), bundled, rule: rule.clone() };
            if !fix.blockers.contains(&blocker) {
                fix.blockers.push(blocker);
            }
            false
        };
        if graph.deps.behavior[dep as usize].has(Behavior::BUNDLED) {
            return block(true, &own);
        }
        let (alias, text) = match Spec::parse(&literal) {
            Spec::Range { name, range } => (name.to_owned(), range.to_owned()),
            Spec::Tag { .. } => return true,
            _ => return block(false, &literal),
        };
        let (Some(range), Some(to)) = (Range::parse(&text), Version::parse(&fix.to)) else {
            return block(false, &literal);
        };
        if range.contains(&to) {
            return true;
        }
        if !project {
            return block(false, &literal);
        }
        let exact = range.exact().map(|version| version.to_string());
        let near = exact.as_ref().is_some_and(|version| {
            !fix.downgrade && Range::parse(&format!("^{version}")).is_some_and(|range| range.contains(&to))
        });
        let edit = Edit {
            manifest,
            file: file(manifest),
            catalog: if rule.is_none() { catalog } else { None },
            rule: rule.clone(),
            key,
            from: literal.clone(),
            to: {
                let trimmed = text.trim_start();
                let prefix = ["^", "~", "="].into_iter().find(|prefix| trimmed.starts_with(prefix));
                let prefix = prefix.unwrap_or(if exact.is_some() { "" } else { "^" });
                let alias = if alias.is_empty() { String::new() } else { format!("npm:{alias}@") };
                format!("{alias}{prefix}{}", fix.to)
            },
        };
        let possible = apply::possible(self.root, &edit, self.members);
        if !(near || self.latest) || !possible {
            fix.latest_fixes |= possible;
            return block(false, &literal);
        }
        if !fix.edits.contains(&edit) {
            fix.edits.push(edit);
        }
        true
    }

    /// The override that decides about a dependency, as `parent>name`, and its value.
    fn rule(&self, owner: PackageId, key: &str, own: &str) -> Option<(String, String)> {
        if own.starts_with("workspace:") {
            return None;
        }
        let name = self.graph.name(owner);
        let fits = |rule: &&crate::model::extras::Override| {
            let by_range = rule.range.is_empty()
                || own == rule.range
                || Range::parse(&rule.range).is_some_and(|range| {
                    Range::parse(own)
                        .and_then(|own| own.first().map(|(_, version)| range.contains(&version)))
                        .unwrap_or(false)
                });
            let parent = crate::model::spec::split_argument(&rule.parent).0;
            rule.name == key && by_range && (rule.parent.is_empty() || parent == name)
        };
        let rules: Vec<_> = self.extras.overrides.iter().filter(fits).collect();
        let rule = rules.iter().find(|rule| !rule.parent.is_empty()).or_else(|| rules.first())?;
        Some((rule_name(rule), rule.value.clone()))
    }
}

/// `parent>name@range`.
pub(super) fn rule_name(rule: &crate::model::extras::Override) -> String {
    let mut out = String::new();
    if !rule.parent.is_empty() {
        out.push_str(&rule.parent);
        out.push('>');
    }
    out.push_str(&rule.name);
    if !rule.range.is_empty() {
        out.push('@');
        out.push_str(&rule.range);
    }
    out
}

/// A name for a package that a second resolution knows too.
pub(super) fn owner_key(graph: &Graph, members: &[Member], owner: PackageId) -> String {
    match graph.kind(owner) {
        Kind::Root | Kind::Workspace => {
            let member = members.iter().find(|member| member.package == owner);
            member.map_or_else(String::new, |member| member.path.clone())
        }
        _ => graph.label(owner),
    }
}

impl Outcome {
    fn print(&self, start: Instant) {
        let style = Style::stdout();
        let Style { reset: r, dim: d, bold: b, cyan, red, .. } = style;
        let (arrow, up) = style.arrows();
        let mut out = String::new();
        let head = |fix: &Fix, colour: &str| {
            let sign = match (fix.downgrade, style.on) {
                (false, _) => up,
                (true, true) => "↓",
                (true, false) => "v",
            };
            let note = if fix.downgrade { " (downgrade)" } else { "" };
            let (on, off) = if colour.is_empty() { ("", "") } else { (colour, r) };
            let Fix { name, from, to, .. } = fix;
            format!("  {on}{sign}{off} {b}{name}{r} {d}{from} {arrow}{r} {b}{on}{to}{r}{note}\n")
        };
        if self.fixes.iter().any(|fix| fix.moved) {
            out.push_str("fixing:\n");
            for fix in self.fixes.iter().filter(|fix| fix.moved) {
                out.push_str(&head(fix, cyan));
                for edit in &fix.edits {
                    let note = match (&edit.catalog, &edit.rule) {
                        (Some(group), _) if group == "default" => " (catalog)".to_owned(),
                        (Some(group), _) => format!(" (catalog {group})"),
                        (None, Some(rule)) if *rule == edit.key => " (overrides)".to_owned(),
                        (None, Some(rule)) => format!(" (overrides {rule})"),
                        (None, None) => String::new(),
                    };
                    let _ = writeln!(out, "    {}{note}: {d}{} {arrow}{r} {}", edit.file, edit.from, edit.to);
                }
                if fix.young {
                    let _ = writeln!(out, "    {d}published within the minimum release age{r}");
                }
            }
            out.push('\n');
        }
        if self.fixes.iter().any(|fix| !fix.blockers.is_empty()) {
            out.push_str("blocked by a dependent's range:\n");
            for fix in self.fixes.iter().filter(|fix| !fix.blockers.is_empty()) {
                out.push_str(&head(fix, ""));
                for blocker in &fix.blockers {
                    let verb = match (blocker.bundled, &blocker.rule) {
                        (true, _) => "bundles",
                        (false, Some(_)) => "overrides",
                        (false, None) => "depends on",
                    };
                    let _ = writeln!(out, "    {} {verb} {}@{}", blocker.dependent, fix.name, blocker.range);
                }
                if fix.latest_fixes {
                    let _ = writeln!(out, "    {cyan}{} audit fix --latest{r}", crate::ui::product());
                }
            }
            out.push('\n');
        }
        if !self.unfixable.is_empty() {
            out.push_str("no published version fixes:\n");
            for (name, version, ids) in &self.unfixable {
                let _ = writeln!(out, "  {name}@{version}  {}", ids.join(", "));
                let _ = writeln!(
                    out,
                    "    {cyan}{} audit fix --ignore {}{r}",
                    crate::ui::product(),
                    ids.join(" --ignore ")
                );
            }
            out.push('\n');
        }
        if !self.unmatched.is_empty() {
            out.push_str("not matched to an installed version:\n");
            for (name, range) in &self.unmatched {
                let _ =
                    writeln!(out, "  {}@{}", crate::commands::style::safe(name), crate::commands::style::safe(range));
            }
            out.push('\n');
        }
        if !self.after.is_empty() {
            out.push_str("vulnerable after install:\n");
            for (name, version, ids) in &self.after {
                let _ = writeln!(out, "  {name}@{version}  {}", ids.join(", "));
            }
            out.push('\n');
        }
        let time = format!("{r}{d}[{r}{b}{}{r}{d}]{r}", crate::ui::elapsed(start));
        let checked = format!("{d}(checked {}){r}", self.checked);
        let mut names: Vec<&str> = self.fixes.iter().filter(|fix| fix.moved).map(|fix| fix.name.as_str()).collect();
        names.dedup();
        if names.is_empty() {
            let _ = writeln!(out, "Fixed 0 of {} {checked} {time}", count(self.total, "vulnerability"));
        } else {
            let verb = if self.dry { "Would fix" } else { "Fixed" };
            let word = count(self.fixed, "vulnerability");
            let word = word.split_once(' ').map_or("", |(_, word)| word);
            let packages = count(names.len(), "package");
            let _ = writeln!(out, "{verb} {b}{}{r} {word} in {packages} {checked} {time}", self.fixed);
        }
        if self.remaining > 0 {
            let word = if self.remaining == 1 { "vulnerability" } else { "vulnerabilities" };
            let _ = writeln!(out, "{red}{}{r} {word} remaining", self.remaining);
        }
        crate::say!("{}", out.trim_end_matches('\n'));
    }

    fn json(&self) -> String {
        let mut out = format!("{{\"dryRun\":{},\"fixed\":{},\"remaining\":{}", self.dry, self.fixed, self.remaining);
        let text = |value: &str| {
            let mut out = String::new();
            quote(value, &mut out);
            out
        };
        let maybe = |value: &Option<String>| value.as_deref().map_or_else(|| "null".to_owned(), text);
        let list = |values: &[String]| values.iter().map(|value| text(value)).collect::<Vec<_>>().join(",");
        let mut section = |key: &str, items: Vec<String>| {
            let _ = write!(out, ",\"{key}\":[{}]", items.join(","));
        };
        let head = |fix: &Fix| {
            let (name, from, to) = (text(&fix.name), text(&fix.from), text(&fix.to));
            format!("{{\"name\":{name},\"from\":{from},\"to\":{to},\"downgrade\":{}", fix.downgrade)
        };
        let edit = |edit: &Edit| {
            format!(
                "{{\"file\":{},\"catalog\":{},\"override\":{},\"key\":{},\"from\":{},\"to\":{}}}",
                text(&edit.file),
                maybe(&edit.catalog),
                maybe(&edit.rule),
                text(&edit.key),
                text(&edit.from),
                text(&edit.to)
            )
        };
        let blocker = |one: &Blocker| {
            format!(
                "{{\"dependent\":{},\"range\":{},\"bundled\":{},\"override\":{}}}",
                text(&one.dependent),
                text(&one.range),
                one.bundled,
                maybe(&one.rule)
            )
        };
        let moved = self.fixes.iter().filter(|fix| fix.moved).map(|fix| {
            let edits: Vec<String> = fix.edits.iter().map(edit).collect();
            let head = head(fix);
            format!("{head},\"newerThanMinimumReleaseAge\":{},\"packageJson\":[{}]}}", fix.young, edits.join(","))
        });
        section("fixes", moved.collect());
        let blocked = self.fixes.iter().filter(|fix| !fix.blockers.is_empty()).map(|fix| {
            let blockers: Vec<String> = fix.blockers.iter().map(blocker).collect();
            let head = head(fix);
            format!("{head},\"latestFixes\":{},\"blockers\":[{}]}}", fix.latest_fixes, blockers.join(","))
        });
        section("blocked", blocked.collect());
        let three = |version: &'static str| {
            move |(name, at, ids): &(String, String, Vec<String>)| {
                format!("{{\"name\":{},\"{version}\":{},\"advisories\":[{}]}}", text(name), text(at), list(ids))
            }
        };
        section("unfixable", self.unfixable.iter().map(three("from")).collect());
        let unavailable = self.unavailable.iter().map(|(name, from, word)| {
            format!("{{\"name\":{},\"from\":{},\"error\":{}}}", text(name), text(from), text(word))
        });
        section("manifestUnavailable", unavailable.collect());
        let unmatched = self.unmatched.iter();
        section(
            "unmatched",
            unmatched.map(|(name, range)| format!("{{\"name\":{},\"range\":{}}}", text(name), text(range))).collect(),
        );
        let skipped = self.skipped.iter().map(|one| {
            format!(
                "{{\"registry\":{},\"packages\":[{}],\"reason\":{}}}",
                text(&one.registry),
                list(&one.packages),
                text(&one.reason)
            )
        });
        section("unaudited", skipped.collect());
        section("vulnerableAfterInstall", self.after.iter().map(three("version")).collect());
        out.push('}');
        out
    }
}
