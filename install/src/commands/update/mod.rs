//! `update`: newer versions within the ranges, or the latest ones; how a range was written (`^`, `~`, exact) stays.

mod interactive;

use crate::commands::add::{Addition, put};
use crate::commands::install::pins::{self, Pin, Place};
use crate::commands::install::{self, Change};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::spec::{Spec, split_argument, valid_name};
use crate::project::Project;
use crate::resolve::update_scope::{Names, UpdateScope};
use json::{Document, Value};
use semver::Range;
use std::time::Instant;

/// Groups that `update` looks at. Peer ranges are a promise to others and stay.
pub(crate) const GROUPS: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];

/// A dependency of one of the project's own packages.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub manifest: usize,
    pub group: &'static str,
    pub name: String,
    pub literal: String,
}

/// The dependencies of some manifests, in the order of the files.
pub(crate) fn listed(project: &Project, manifests: &[usize]) -> Result<Vec<Listed>> {
    let mut list = Vec::new();
    for &manifest in manifests {
        let at = &project.manifests[manifest];
        let value = crate::project::parse(&at.text, &project.root.join(&at.path).join("package.json"))?;
        for group in GROUPS {
            for member in value.get(group).map_or(&[][..], Value::members) {
                let literal = member.value.str().unwrap_or("").to_owned();
                list.push(Listed { manifest, group, name: member.key.to_string(), literal });
            }
        }
    }
    Ok(list)
}

/// Names that overrides of the root decide: their ranges in package.json are left alone.
fn overridden(project: &Project) -> Vec<String> {
    let Ok(value) = Value::parse(project.manifests[0].text.as_bytes()) else { return Vec::new() };
    ["overrides", "resolutions"]
        .iter()
        .flat_map(|field| value.get(field).map_or(&[][..], Value::members))
        .filter(|member| member.value.str().is_some())
        .map(|member| split_argument(member.key.trim_start_matches("**/")).0.to_owned())
        .collect()
}

/// What stands before the version of a range: `^`, `~`, nothing for an exact version; no answer for other ranges and tags.
fn style(range: &str) -> Option<&'static str> {
    let prefix = ["^", "~"].into_iter().find(|prefix| range.starts_with(prefix));
    let rest = range.trim_start_matches(['^', '~']).trim_start();
    let one = !rest.is_empty() && !rest.contains([' ', '|', '<', '>', '*', 'x', 'X']);
    let parsed = Range::parse(range)?;
    match prefix {
        Some(prefix) if one && parsed.first().is_some() => Some(prefix),
        None if parsed.exact().is_some() => Some(""),
        _ => None,
    }
}

/// What becomes of one specifier.
enum Edit {
    /// It stays.
    Keep,
    /// It is resolved as it is (or as the new text) and the version found is written, with what stands before it.
    Pin(Option<String>, &'static str),
    /// It is replaced.
    Set(String),
}

/// `wanted`: what stood behind the name on the command line.
fn edit(literal: &str, wanted: &str, latest: bool, exact: bool) -> Edit {
    let (alias, range) = match Spec::parse(literal) {
        Spec::Range { name, range } => (name, range),
        Spec::Tag { name, tag } => (name, tag),
        _ => return Edit::Keep,
    };
    let with_alias = |what: &str| if alias.is_empty() { what.to_owned() } else { format!("npm:{alias}@{what}") };
    let own = style(range);
    let prefix = |own: Option<&'static str>| if exact { "" } else { own.unwrap_or("^") };
    if !wanted.is_empty() {
        return match Spec::parse(wanted) {
            Spec::Range { .. } => Edit::Pin(Some(with_alias(wanted)), prefix(own)),
            _ => Edit::Set(with_alias(wanted)),
        };
    }
    let is_tag = matches!(Spec::parse(literal), Spec::Tag { .. });
    if latest && !is_tag {
        return Edit::Pin(Some(with_alias("latest")), prefix(own));
    }
    match own {
        Some("") | None => Edit::Keep,
        Some(own) => Edit::Pin(None, if exact { "" } else { own }),
    }
}

/// Which dependencies the command line means.
pub(crate) struct Chosen<'a> {
    patterns: Vec<(bool, &'a str, &'a str)>,
    dev_only: bool,
    prod_only: bool,
    no_optional: bool,
}

impl<'a> Chosen<'a> {
    pub(crate) fn new(options: &'a Options, config: &Config) -> Self {
        let patterns = options
            .positionals
            .iter()
            .map(|pattern| {
                let (negated, pattern) =
                    pattern.strip_prefix('!').map_or((false, pattern.as_str()), |rest| (true, rest));
                let (name, range) = split_argument(pattern);
                (negated, if name.is_empty() { pattern } else { name }, range)
            })
            .collect();
        Self {
            patterns,
            dev_only: options.save_to == crate::config::Save::Dev,
            prod_only: config.production,
            no_optional: config.omit_optional,
        }
    }

    /// What stands behind the name on the command line, empty for nothing; no answer where the name is not meant.
    fn name(&self, name: &str) -> Option<&'a str> {
        let mut hit = self.patterns.iter().all(|(negated, ..)| *negated).then_some("");
        for &(negated, pattern, range) in &self.patterns {
            if workspace::matches(pattern, name) {
                hit = (!negated).then_some(range);
            }
        }
        hit
    }

    fn group(&self, group: &str) -> bool {
        match group {
            "devDependencies" => !self.prod_only,
            "optionalDependencies" => !self.dev_only && !self.no_optional,
            _ => !self.dev_only,
        }
    }

    /// Whether only some groups are meant; what others depend on stays then.
    fn some_groups(&self) -> bool {
        self.dev_only || self.prod_only || self.no_optional
    }
}

/// `update`.
pub(crate) fn update(options: &Options) -> Result<u8> {
    let start = Instant::now();
    if let Some(depth) = options.depth
        && depth != 0
    {
        return Err(Error::new(
            Code::Usage,
            format!(
                "bao update --depth only accepts 0 (update direct dependencies, keep transitive dependencies locked), got '{depth}'"
            ),
        ));
    }
    let (root, own, mut config) = crate::commands::context(options)?;
    if !root.join("package.json").exists() {
        return Err(Error::new(Code::Usage, "No package.json, so nothing to update"));
    }
    if options.interactive {
        return interactive::run(options, &root, &own, config);
    }
    let chosen = Chosen::new(options, &config);
    // `-p` and `--no-optional` say what is updated, not what is installed.
    let (production, no_optional) = (config.production, config.omit_optional);
    if production {
        (config.production, config.omit_dev) = (false, false);
    }
    config.omit_optional &= !no_optional;
    let (mut project, own) = crate::commands::add::load(&root, &own)?;
    let targets = if options.recursive {
        (0..project.manifests.len()).collect()
    } else {
        let filters = std::mem::take(&mut config.filter);
        crate::filter::targets(&project, &filters, own)?
    };
    let all = listed(&project, &targets)?;
    let wanted: Vec<(Listed, &str)> = all
        .into_iter()
        .filter(|entry| chosen.group(entry.group))
        .filter_map(|entry| chosen.name(&entry.name).map(|range| (entry, range)))
        .collect();
    let unknown = unknown_names(&chosen, &wanted, &project, &targets, &config)?;
    let mut change = Change::default();
    prepare(&mut project, &mut change, &wanted, options.latest, config.exact);
    let mut names: Vec<String> = wanted.iter().map(|(entry, _)| entry.name.clone()).collect();
    // A package that the project does not have yet is added.
    for (name, wanted) in unknown {
        for &manifest in &targets {
            let addition = Addition { manifest, name, wanted, catalog: None };
            put(&mut project, &mut change, &addition, options.save_to, config.exact);
        }
        change.added.push(name.to_owned());
        names.push(name.to_owned());
    }
    change.edited.sort_unstable();
    change.edited.dedup();
    let everything = chosen.patterns.is_empty() && !chosen.some_groups();
    let whole = targets.len() == project.manifests.len();
    // With a minimum release age the lockfile is needed: exact versions in it stay, however young.
    let aged = config.minimum_release_age > 0;
    change.fresh = everything && options.depth.is_none() && whole && !aged && patched(&project).is_empty();
    let excluded: Vec<String> =
        chosen.patterns.iter().filter(|(negated, ..)| *negated).map(|(_, name, _)| (*name).to_owned()).collect();
    let transitive = if options.depth.is_some() || chosen.some_groups() {
        Names::Only(Vec::new())
    } else if chosen.patterns.iter().all(|(negated, ..)| *negated) {
        Names::AllBut(excluded)
    } else {
        // Patterns reach packages that only others depend on, too.
        Names::Only(lockfile_names(&root, &config, &chosen)?)
    };
    change.release = Some(UpdateScope { direct: Names::Only(names), transitive, members: Some(targets), pairs: None });
    install::run(&mut project, &config, "update", start, &change)
}

/// Names with a patch.
fn patched(project: &Project) -> Vec<String> {
    let Ok(value) = Value::parse(project.manifests[0].text.as_bytes()) else { return Vec::new() };
    let list = value.get("patchedDependencies").map_or(&[][..], Value::members);
    list.iter().map(|member| split_argument(&member.key).0.to_owned()).collect()
}

/// Packages of the lockfile whose names the command line means.
fn lockfile_names(root: &std::path::Path, config: &Config, chosen: &Chosen<'_>) -> Result<Vec<String>> {
    let Some((_, loaded)) = install::prepare::load_lockfile(root, config)? else {
        return Ok(Vec::new());
    };
    let graph = &loaded.graph;
    let mut names: Vec<String> = (1..graph.len() as u32)
        .map(|id| graph.name(id).to_owned())
        .filter(|name| chosen.name(name).is_some())
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The names on the command line, and what stands behind them, that are neither in the manifests nor in the lockfile.
///
/// # Errors
/// Only another package of the workspace has the dependency, or a pattern fits none.
fn unknown_names<'a>(
    chosen: &Chosen<'a>,
    wanted: &[(Listed, &str)],
    project: &Project,
    targets: &[usize],
    config: &Config,
) -> Result<Vec<(&'a str, &'a str)>> {
    let mut locked: Option<Vec<String>> = None;
    let mut unknown = Vec::new();
    for &(negated, pattern, range) in &chosen.patterns {
        if negated || wanted.iter().any(|(entry, _)| workspace::matches(pattern, &entry.name)) {
            continue;
        }
        let elsewhere: Vec<usize> = (0..project.manifests.len()).filter(|at| !targets.contains(at)).collect();
        if let Some(other) = listed(project, &elsewhere)?.iter().find(|entry| workspace::matches(pattern, &entry.name))
        {
            let value = Value::parse(project.manifests[other.manifest].text.as_bytes());
            let name = value.map_or(String::new(), |value| value.text("name").to_owned());
            return Err(Error::new(Code::Usage, format!("\"{pattern}\" is not a dependency of this workspace"))
                .hint(format!("bao update -r {pattern}\n        bao update --filter {name} {pattern}")));
        }
        if locked.is_none() {
            locked = Some(lockfile_names(&project.root, config, chosen)?);
        }
        let found = locked.iter().flatten().any(|name| workspace::matches(pattern, name));
        if found {
            continue;
        }
        if !valid_name(pattern) {
            return Err(Error::new(Code::Usage, format!("\"{pattern}\" is not in bun.lock")));
        }
        // A name that stands twice is added once, with its last range.
        unknown.retain(|(known, _)| *known != pattern);
        unknown.push((pattern, range));
    }
    Ok(unknown)
}

/// Edits the manifests for an update of `wanted` and notes what is to be written when versions are known.
pub(crate) fn prepare(
    project: &mut Project,
    change: &mut Change,
    wanted: &[(Listed, &str)],
    latest: bool,
    exact: bool,
) {
    change.write = true;
    change.updating = true;
    if change.originals.is_empty() {
        change.originals = project.manifests.iter().map(|manifest| manifest.text.clone()).collect();
    }
    change.edited.push(0);
    let held = overridden(project);
    let members: Vec<String> = project
        .manifests
        .iter()
        .skip(1)
        .filter_map(|manifest| Some(Value::parse(manifest.text.as_bytes()).ok()?.text("name").to_owned()))
        .collect();
    for (entry, range) in wanted {
        // A member of the workspace has no other version.
        if held.contains(&entry.name) || members.contains(&entry.name) {
            continue;
        }
        let group = entry.literal.strip_prefix("catalog:").map(str::trim);
        let (manifest, place) = match group {
            Some(group) => (0, Place::Catalog(if group == "default" { String::new() } else { group.to_owned() })),
            None => (entry.manifest, Place::Group(entry.group)),
        };
        let mut document = Document::new(&project.manifests[manifest].text);
        let literal = match &place {
            Place::Catalog(group) => pins::catalog_entry(&document, group, &entry.name).unwrap_or_default(),
            Place::Group(_) => entry.literal.clone(),
        };
        let mut set = |literal: &str| match &place {
            Place::Catalog(group) => pins::set_catalog(&mut document, group, &entry.name, literal),
            Place::Group(group) => {
                let mut json = String::new();
                json::quote(literal, &mut json);
                document.set(&[group, &entry.name], &json, true);
            }
        };
        let pin =
            |prefix: &str| Pin { manifest, place: place.clone(), name: entry.name.clone(), prefix: prefix.to_owned() };
        // A catalog entry that several packages use is edited once.
        if change
            .pins
            .iter()
            .any(|known| known.manifest == manifest && known.place == place && known.name == entry.name)
        {
            continue;
        }
        match edit(&literal, range, latest, exact) {
            Edit::Keep => continue,
            Edit::Set(literal) => set(&literal),
            Edit::Pin(literal, prefix) => {
                change.pins.push(pin(prefix));
                if let Some(literal) = literal {
                    set(&literal);
                }
            }
        }
        project.manifests[manifest].text = document.text;
        if !change.edited.contains(&manifest) {
            change.edited.push(manifest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(literal: &str, wanted: &str, latest: bool, exact: bool) -> String {
        match edit(literal, wanted, latest, exact) {
            Edit::Keep => "keep".to_owned(),
            Edit::Set(literal) => format!("set {literal}"),
            Edit::Pin(literal, prefix) => format!("pin {} {prefix}", literal.unwrap_or_default()),
        }
    }

    #[test]
    fn ranges_keep_their_style() {
        assert_eq!(told("^1.0.0", "", false, false), "pin  ^");
        assert_eq!(told("~1.2", "", false, false), "pin  ~");
        assert_eq!(told("^1.0.0", "", false, true), "pin  ");
        for other in ["1.0.0", "1", "1.x", ">=0.1.0", "^1 || ^2", "latest", "*", "file:./x", "workspace:*"] {
            assert_eq!(told(other, "", false, false), "keep", "{other}");
        }
        assert_eq!(told("1.x", "", true, false), "pin latest ^");
        assert_eq!(told("1.0.0", "", true, false), "pin latest ");
        assert_eq!(told("~1.0.0", "", true, false), "pin latest ~");
        assert_eq!(told("next", "", true, false), "keep");
        assert_eq!(told("npm:real@~1.0.0", "", true, false), "pin npm:real@latest ~");
        assert_eq!(told("~1.0.0", "1.3.0", false, false), "pin 1.3.0 ~");
        assert_eq!(told("~1.0.0", "beta", false, false), "set beta");
    }
}
