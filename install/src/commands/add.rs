//! `add`, `remove`, `dedupe`: package.json is edited, then installed.

use json::{Document, GROUPS, Value};

use super::install::{self, Change};
use crate::commands::install::pins::{self, Pin, Place};
use crate::config::{Config, Options, Save};
use crate::error::{Code, Error, Result};
use crate::model::graph::Member;
use crate::model::graph::{Behavior, FLAG_INSTALL_SCRIPT, FLAG_LOADED, Graph, NewPackage};
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::{Spec, split_argument, valid_name};
use crate::model::string_arena::Str;
use crate::project::Project;
use crate::registry::session::Session;
use crate::resolve::update_scope::UpdateScope;
use std::path::Path;
use std::time::Instant;

/// Loads the project, and says which manifest the current directory belongs to.
pub(super) fn load(root: &Path, own: &Path) -> Result<(Project, usize)> {
    let project = Project::load(root)?;
    let relative = own.strip_prefix(root).unwrap_or(own).to_string_lossy().into_owned();
    let manifest = project.manifests.iter().position(|manifest| manifest.path == relative).unwrap_or(0);
    Ok((project, manifest))
}

/// Finds the name of something that is not in a registry by fetching it.
fn name_of(literal: &str, config: &Config, root: &Path, change: &Change) -> Result<String> {
    let mut graph = Graph::default();
    graph.add_package(NewPackage::new(Str::EMPTY, Kind::Root, Str::EMPTY));
    let off = graph.begin_deps();
    let (name, literal_at) = (graph.text.add("new-dependency"), graph.text.add(literal));
    let dep = graph.add_dep(name, literal_at, Behavior(Behavior::PROD));
    graph.end_deps(0, off);
    let members = [Member { path: String::new(), package: 0, version: Str::EMPTY }];
    let extras = crate::model::extras::Extras::default();
    let mut session = Session::new(config, root);
    session.remote = change.remotes.take();
    let report = crate::resolve::Resolver::new(&mut session, &mut graph, &members, &extras, false).run()?;
    change.remotes.set(std::mem::take(&mut session.remote).settled());
    if let Some(error) = report.errors.into_iter().next() {
        return Err(error);
    }
    match graph.deps.target[dep as usize] {
        NO_ID => Err(Error::new(Code::NoVersion, format!("{literal} could not be resolved"))),
        package => Ok(graph.name(package).to_owned()),
    }
}

/// The group that an added dependency goes to.
fn group_of(document: &Document, name: &str, save: Save) -> &'static str {
    match save {
        Save::Default => GROUPS.into_iter().find(|group| document.get(group, name).is_some()).unwrap_or(GROUPS[0]),
        Save::Prod => "dependencies",
        Save::Dev => "devDependencies",
        Save::Optional => "optionalDependencies",
        Save::Peer => "peerDependencies",
    }
}

/// What is to be done about one argument of `add` in one manifest.
pub(super) struct Addition<'a> {
    pub manifest: usize,
    pub name: &'a str,
    /// What was asked for; empty for whatever is the latest.
    pub wanted: &'a str,
    /// `--catalog`.
    pub catalog: Option<&'a str>,
}

/// Edits the manifests for one dependency. Whether it is resolved anew.
pub(super) fn put(
    project: &mut Project,
    change: &mut Change,
    addition: &Addition<'_>,
    save: Save,
    exact: bool,
) -> bool {
    let &Addition { manifest, name, wanted, catalog } = addition;
    let mut document = Document::new(&project.manifests[manifest].text);
    let group = group_of(&document, name, save);
    let spec = Spec::parse(wanted);
    let is_tag = matches!(spec, Spec::Tag { .. }) || wanted.is_empty();
    let pinned = is_tag || (exact && spec.is_registry());
    let literal = if wanted.is_empty() { "latest" } else { wanted };
    let pin = |manifest, place| Pin {
        manifest,
        place,
        name: name.to_owned(),
        prefix: if exact { String::new() } else { "^".to_owned() },
    };
    // A dependency that is in a catalog already stays in that one.
    let own = document.get(group, name).and_then(|own| own.strip_prefix("catalog:").map(|own| own.trim().to_owned()));
    let root = Document::new(&project.manifests[0].text);
    let catalog = match catalog {
        Some(asked) => Some(own.unwrap_or_else(|| asked.to_owned())),
        None if wanted.is_empty() && pins::catalog_entry(&root, "", name).is_some() => Some(String::new()),
        None => None,
    };
    let mut anew = true;
    match catalog {
        Some(catalog) => {
            document.set_dependency(group, name, &format!("catalog:{catalog}"));
            document.sort(group);
            project.manifests[manifest].text = document.text;
            let mut root = Document::new(&project.manifests[0].text);
            let entry = pins::catalog_entry(&root, &catalog, name);
            if wanted.is_empty() && entry.is_some() {
                anew = false;
            } else {
                if let Some(entry) = &entry
                    && entry != literal
                {
                    change.notes.push(format!("catalog entry {name} changed from \"{entry}\" to \"{literal}\""));
                }
                pins::set_catalog(&mut root, &catalog, name, literal);
                project.manifests[0].text = root.text;
                if pinned {
                    change.pins.push(pin(0, Place::Catalog(catalog)));
                }
                change.edited.push(0);
            }
        }
        None => {
            document.set_dependency(group, name, literal);
            document.sort(group);
            project.manifests[manifest].text = document.text;
            if pinned {
                change.pins.push(pin(manifest, Place::Group(group)));
            }
        }
    }
    change.edited.push(manifest);
    anew
}

/// `add` and `install <package>`.
pub(crate) fn add(options: &Options) -> Result<u8> {
    let start = Instant::now();
    if options.positionals.is_empty() {
        return Err(Error::new(Code::Usage, "no package specified to add").hint("bao add react@19 -d"));
    }
    let (root, own, mut config) = super::context(options)?;
    if !config.silent && config.summary {
        crate::ui::header("add");
    }

    if !root.join("package.json").exists() {
        let manifest = root.join("package.json");
        std::fs::write(&manifest, "{}\n").map_err(|error| Error::io("cannot write", &manifest, error))?;
    }
    let (mut project, own) = load(&root, &own)?;
    let filters = std::mem::take(&mut config.filter);
    let targets = crate::filter::targets(&project, &filters, own)?;
    if options.catalog.is_some() && !project.manifests[0].text.contains("\"workspaces\"") {
        return Err(Error::new(Code::Usage, "--catalog requires a \"workspaces\" field in the root package.json"));
    }
    let arguments = if options.has("analyze") {
        super::analyze::packages(&options.positionals)?
    } else {
        options.positionals.clone()
    };
    let originals = project.manifests.iter().map(|manifest| manifest.text.clone()).collect();
    let here = project.manifests[own].path.clone();
    let mut change = Change { write: true, here, originals, quiet_header: true, ..Change::default() };
    let mut anew = Vec::new();
    let mut trusted = Vec::new();
    for argument in &arguments {
        let (name, wanted) = split_argument(argument);
        let unrecognised = || {
            Error::new(Code::Usage, format!("unrecognised dependency format: {argument}"))
                .hint("name, name@range, name@tag, user/repo, a URL of a .tgz, ./directory")
        };
        if name.is_empty() && matches!(Spec::parse(wanted), Spec::Range { name: "", .. } | Spec::Tag { name: "", .. }) {
            return Err(unrecognised());
        }
        let name = if name.is_empty() { name_of(wanted, &config, &root, &change)? } else { name.to_owned() };
        if !valid_name(&name) {
            return Err(unrecognised());
        }
        let mut added = false;
        for &manifest in &targets {
            let text = &project.manifests[manifest].text;
            if options.has("only-missing") || options.has("analyze") {
                let document = Document { text: text.clone() };
                if GROUPS.iter().any(|group| document.get(group, &name).is_some()) {
                    continue;
                }
            }
            let addition = Addition { manifest, name: &name, wanted, catalog: options.catalog.as_deref() };
            if put(&mut project, &mut change, &addition, options.save_to, config.exact) {
                anew.push(name.clone());
            }
            added = true;
        }
        if added {
            // Trust is in a package, not in a name that it goes by here.
            let real = wanted.strip_prefix("npm:").map_or("", |package| split_argument(package).0);
            trusted.push(if real.is_empty() { name.clone() } else { real.to_owned() });
            change.added.push(name);
        }
    }
    if config.trust && !change.added.is_empty() {
        let mut document = Document::new(&project.manifests[0].text);
        let mut all = document_list(&document, "trustedDependencies");
        trusted.retain(|name| !all.contains(name));
        all.extend(trusted.iter().cloned());
        change.trusted = trusted;
        all.sort();
        all.dedup();
        document.set(&["trustedDependencies"], &list_json(&all), false);
        project.manifests[0].text = document.text;
        change.edited.push(0);
    }
    change.edited.sort_unstable();
    change.edited.dedup();
    if !anew.is_empty() {
        change.release = Some(UpdateScope { members: Some(targets), ..UpdateScope::direct(anew) });
    }
    let code = install::run(&mut project, &config, "add", start, &change)?;
    if config.global && code == 0 && !config.silent {
        super::global::advise(&project.root, &change.added, &config);
    }
    Ok(code)
}

/// Takes packages out of `trustedDependencies` that `--trust` has put there and that turn out to have no install scripts. Of a package that
/// the lockfile had already, nothing is known about that.
pub(crate) fn distrust(change: &Change, project: &mut Project, resolved: &mut install::prepare::Resolved) {
    let graph = &resolved.graph;
    let has_none = |name: &&String| {
        let mut found = (1..graph.len() as u32).filter(|&id| graph.name(id) == **name).peekable();
        let flags = FLAG_INSTALL_SCRIPT | FLAG_LOADED;
        let known = |id| graph.kind(id) == Kind::Npm && graph.packages.flags[id as usize] & flags == 0;
        found.peek().is_some() && found.all(known)
    };
    let dropped: Vec<&String> = change.trusted.iter().filter(has_none).collect();
    if dropped.is_empty() {
        return;
    }
    let mut document = Document::new(&project.manifests[0].text);
    let mut left = document_list(&document, "trustedDependencies");
    left.retain(|name| !dropped.contains(&name));
    let had_list = change.originals.first().is_some_and(|text| {
        Value::parse(text.as_bytes()).is_ok_and(|value| value.get("trustedDependencies").is_some())
    });
    if left.is_empty() && !had_list {
        document.remove(&["trustedDependencies"]);
        resolved.extras.trusted = None;
    } else {
        document.set(&["trustedDependencies"], &list_json(&left), false);
        resolved.extras.trusted = Some(left);
    }
    project.manifests[0].text = document.text;
}

fn document_list(document: &Document, key: &str) -> Vec<String> {
    Value::parse(document.text.as_bytes())
        .ok()
        .and_then(|value| {
            Some(value.get(key)?.items().iter().filter_map(|item| item.str().map(str::to_owned)).collect())
        })
        .unwrap_or_default()
}

fn list_json(list: &[String]) -> String {
    let mut out = "[\n".to_owned();
    for (place, item) in list.iter().enumerate() {
        out.push_str("    ");
        json::quote(item, &mut out);
        out.push_str(if place + 1 < list.len() { ",\n" } else { "\n" });
    }
    out.push_str("  ]");
    out
}

/// `remove`.
pub(crate) fn remove(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (root, own, mut config) = super::context(options)?;

    if options.positionals.is_empty() {
        return Err(Error::new(Code::Usage, "no package specified to remove"));
    }
    if !root.join("package.json").exists() {
        return Err(Error::new(Code::Usage, "No package.json, so nothing to remove"));
    }
    let (mut project, own) = load(&root, &own)?;
    let filters = std::mem::take(&mut config.filter);
    let targets = crate::filter::targets(&project, &filters, own)?;
    let has_group = |&manifest: &usize| {
        let text = project.manifests[manifest].text.as_bytes();
        Value::parse(text).is_ok_and(|value| GROUPS.iter().any(|group| value.get(group).is_some()))
    };
    if !targets.iter().any(has_group) {
        if !config.silent && config.summary {
            crate::ui::header("remove");
        }
        crate::warn_line!("package.json doesn't have dependencies, there's nothing to remove!");
        return Ok(0);
    }
    let originals = project.manifests.iter().map(|manifest| manifest.text.clone()).collect();
    let here = project.manifests[own].path.clone();
    let mut change = Change { write: true, here, originals, ..Change::default() };
    for argument in &options.positionals {
        let (name, _) = split_argument(argument);
        let mut found = false;
        for &manifest in &targets {
            let mut document = Document::new(&project.manifests[manifest].text);
            let mut here = false;
            for group in GROUPS {
                here |= document.remove(&[group, name]);
            }
            if here {
                project.manifests[manifest].text = document.text;
                change.edited.push(manifest);
                found = true;
            }
        }
        if found {
            change.removed.push(name.to_owned());
        } else {
            crate::warn_line!("<yellow>warn<r>: {argument} is not a dependency");
        }
    }
    if change.removed.is_empty() {
        if !config.silent && config.summary {
            crate::ui::header("remove");
            crate::say!("\n{} done", install::summary::time(start));
        }
        return Ok(0);
    }
    change.edited.sort_unstable();
    change.edited.dedup();
    let code = install::run(&mut project, &config, "remove", start, &change)?;
    if config.global && code == 0 {
        super::global::tidy(&config);
    }
    Ok(code)
}

/// `dedupe`: versions that are not needed leave the lockfile.
pub(crate) fn dedupe(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (root, _own, config) = super::context(options)?;
    let mut project = Project::load(&root)?;
    let Some(loaded) = install::prepare::load_lockfile(&root, &config)? else {
        return Err(Error::new(Code::Usage, "there is no bun.lock to deduplicate").hint("run `bao install` first"));
    };
    let mut resolved = install::prepare::prepare(&project, Some(loaded))?;
    install::prepare::forget_optional_peers(&mut resolved.graph);
    let checked = resolved.graph.len();
    let dropped = install::dedupe(&mut resolved.graph, &resolved.extras, false);
    crate::say!("{} dedupe {}", crate::ui::product(), crate::ui::version());
    if dropped.is_empty() {
        crate::say!("No duplicates: checked {checked} packages in bun.lock [{}]", crate::ui::elapsed(start));
        return Ok(0);
    }
    for entry in &dropped {
        let to = if entry.to.is_empty() { "(removed)".to_owned() } else { entry.to.join(", ") };
        crate::say!("~ {} {} -> {to}", entry.name, entry.version);
    }
    if config.dry_run || options.has("check") || config.frozen {
        crate::say!("\n{} duplicate versions can be removed (checked {checked} packages in bun.lock)", dropped.len());
        return Ok(u8::from(options.has("check") || config.frozen));
    }
    install::save::rewrite_lockfile(&root, &config, &mut resolved)?;
    crate::say!("\n{} duplicate versions removed (checked {checked} packages in bun.lock)", dropped.len());
    if config.lockfile_only {
        return Ok(0);
    }
    install::run(&mut project, &config, "install", start, &Change::default())
}
