//! `add`, `remove`, `update`, `dedupe`: package.json is edited, then installed.

use super::install::{self, Change};
use crate::config::{Config, Options, Save};
use crate::edit::Document;
use crate::error::{Code, Error, Result};
use crate::graph::{Behavior, Graph, NewPackage};
use crate::json::Value;
use crate::lockfile::Member;
use crate::plan::{Kind, NONE};
use crate::project::Project;
use crate::semver::Range;
use crate::session::Session;
use crate::spec::{Spec, split_argument, valid_name};
use crate::text::Str;
use std::path::Path;
use std::time::Instant;

/// Loads the project, and says which manifest the current directory belongs to.
fn load(root: &Path, own: &Path) -> Result<(Project, usize)> {
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
    let extras = crate::lockfile::Extras::default();
    let mut session = Session::new(config, root);
    session.remote = change.remotes.take();
    let report = crate::resolve::Resolver::new(&mut session, &mut graph, &members, &extras, false).run()?;
    change.remotes.set(std::mem::take(&mut session.remote).settled());
    if let Some(error) = report.errors.into_iter().next() {
        return Err(error);
    }
    match graph.deps.target[dep as usize] {
        NONE => Err(Error::new(Code::NoVersion, format!("{literal} could not be resolved"))),
        package => Ok(graph.name(package).to_owned()),
    }
}

/// The global project of `-g`.
fn global_root(config: &Config) -> Result<std::path::PathBuf> {
    let dir = &config.global_dir;
    std::fs::create_dir_all(dir).map_err(|error| Error::io("cannot make", dir, error))?;
    let manifest = dir.join("package.json");
    if !manifest.exists() {
        std::fs::write(&manifest, "{}\n").map_err(|error| Error::io("cannot write", &manifest, error))?;
    }
    Ok(dir.clone())
}

/// `add` and `install <package>`.
pub fn add(options: &Options) -> Result<u8> {
    let start = Instant::now();
    if options.positionals.is_empty() {
        return Err(Error::new(Code::Usage, "no package specified to add").hint("bao add react@19 -d"));
    }
    let (mut root, mut own, config) = super::context(options)?;
    if config.global {
        root = global_root(&config)?;
        own.clone_from(&root);
    }
    if !root.join("package.json").exists() {
        let manifest = root.join("package.json");
        std::fs::write(&manifest, "{}\n").map_err(|error| Error::io("cannot write", &manifest, error))?;
    }
    let (mut project, manifest) = load(&root, &own)?;
    let mut document = Document::new(&project.manifests[manifest].text);
    let mut change = Change { manifest, write: true, ..Change::default() };
    let mut unpinned = Vec::new();
    for argument in &options.positionals {
        let (name, wanted) = split_argument(argument);
        let (name, mut literal) = if name.is_empty() {
            (name_of(wanted, &config, &root, &change)?, wanted.to_owned())
        } else {
            (name.to_owned(), wanted.to_owned())
        };
        if !valid_name(&name) {
            return Err(Error::new(Code::Usage, format!("unrecognised dependency format: {argument}"))
                .hint("name, name@range, name@tag, user/repo, a URL of a .tgz, ./directory"));
        }
        let group = match options.save_to {
            Save::Default => ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]
                .into_iter()
                .find(|group| document.get(group, &name).is_some())
                .unwrap_or("dependencies"),
            Save::Prod => "dependencies",
            Save::Dev => "devDependencies",
            Save::Optional => "optionalDependencies",
            Save::Peer => "peerDependencies",
        };
        let spec = Spec::parse(&literal);
        let is_tag = matches!(spec, Spec::Tag { .. }) || literal.is_empty();
        if is_tag || (config.exact && spec.is_registry()) {
            if literal.is_empty() {
                literal = "latest".to_owned();
            }
            change.pin.push((name.clone(), if config.exact { String::new() } else { "^".to_owned() }));
        }
        if let Some(group) = &options.catalog {
            let at = if group.is_empty() { "catalog".to_owned() } else { format!("catalogs.{group}") };
            return Err(Error::new(Code::NotImplemented, format!("--catalog: {name} cannot be put into {at} yet")));
        }
        document.set_dependency(group, &name, &literal);
        unpinned.push(name.clone());
        change.added.push(name);
    }
    if config.trust {
        let trusted = document_list(&document, "trustedDependencies");
        let mut all = trusted;
        all.extend(change.added.iter().cloned());
        all.sort();
        all.dedup();
        document.set(&["trustedDependencies"], &list_json(&all), false);
    }
    change.unpinned = Some(unpinned);
    project.manifests[manifest].text = document.text;
    install::run(&mut project, &config, "add", start, &change)
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
        crate::json::quote(item, &mut out);
        out.push_str(if place + 1 < list.len() { ",\n" } else { "\n" });
    }
    out.push_str("  ]");
    out
}

/// `remove`.
pub fn remove(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (mut root, mut own, config) = super::context(options)?;
    if config.global {
        root = global_root(&config)?;
        own.clone_from(&root);
    }
    if options.positionals.is_empty() {
        return Err(Error::new(Code::Usage, "no package specified to remove"));
    }
    let (mut project, manifest) = load(&root, &own)?;
    let mut document = Document::new(&project.manifests[manifest].text);
    let mut change = Change { manifest, write: true, ..Change::default() };
    for argument in &options.positionals {
        let (name, _) = split_argument(argument);
        let mut found = false;
        for group in crate::edit::GROUPS {
            found |= document.remove(&[group, name]);
        }
        if found {
            change.removed.push(name.to_owned());
        } else {
            eprintln!("warn: {argument} is not a dependency");
        }
    }
    if change.removed.is_empty() {
        return Ok(0);
    }
    project.manifests[manifest].text = document.text;
    install::run(&mut project, &config, "remove", start, &change)
}

/// `update`: versions within the ranges, or the newest with `--latest`; what stands before a version in package.json stays.
pub fn update(options: &Options) -> Result<u8> {
    let start = Instant::now();
    if options.interactive {
        return Err(Error::new(Code::NotImplemented, "update --interactive"));
    }
    let (root, own, config) = super::context(options)?;
    let (mut project, manifest) = load(&root, &own)?;
    let targets: Vec<usize> = if options.recursive { (0..project.manifests.len()).collect() } else { vec![manifest] };
    let mut code = 0;
    for manifest in targets {
        let mut document = Document::new(&project.manifests[manifest].text);
        let original = Some(project.manifests[manifest].text.clone());
        let mut change = Change { manifest, write: true, updating: true, original, ..Change::default() };
        let listed: Vec<(String, String, String)> = {
            let value = Value::parse(document.text.as_bytes())
                .map_err(|_| Error::new(Code::Parse, "package.json is not valid"))?;
            crate::edit::GROUPS[..3]
                .iter()
                .flat_map(|group| {
                    let members = value.get(group).map_or(&[][..], Value::members);
                    members.iter().map(|member| {
                        ((*group).to_owned(), member.key.to_string(), member.value.str().unwrap_or("").to_owned())
                    })
                })
                .collect()
        };
        let wanted = |name: &str| {
            options.positionals.is_empty() || {
                let mut hit = options.positionals.iter().all(|pattern| pattern.starts_with('!'));
                for pattern in &options.positionals {
                    let (negated, pattern) =
                        pattern.strip_prefix('!').map_or((false, pattern.as_str()), |rest| (true, rest));
                    if crate::project::matches(split_argument(pattern).0, name) {
                        hit = !negated;
                    }
                }
                hit
            }
        };
        let mut names = Vec::new();
        for (group, name, literal) in &listed {
            if !wanted(name) {
                continue;
            }
            names.push(name.clone());
            let spec = Spec::parse(literal);
            let Spec::Range { range, .. } = spec else { continue };
            let prefix = ["^", "~", ">="].into_iter().find(|prefix| range.starts_with(prefix));
            // A whole version is a pin; `18` or `1.x` is a range.
            let exact = Range::parse(range).is_some_and(|range| range.exact().is_some());
            let prefix = prefix.unwrap_or(if exact { "" } else { "^" });
            let simple =
                Range::parse(range).and_then(|range| range.first().map(|_| ())).is_some() && !range.contains(' ');
            if options.latest {
                let alias = if let Some(rest) = literal.strip_prefix("npm:") {
                    let (real, _) = split_argument(rest);
                    format!("npm:{real}@latest")
                } else {
                    "latest".to_owned()
                };
                document.set_dependency(group, name, &alias);
                change.pin.push((name.clone(), prefix.to_owned()));
            } else if simple && !prefix.is_empty() {
                change.pin.push((name.clone(), prefix.to_owned()));
            }
        }
        for pattern in &options.positionals {
            if !pattern.starts_with('!') && !listed.iter().any(|(_, name, _)| wanted(name)) {
                return Err(Error::new(Code::Usage, format!("{pattern} is not a dependency of this package")));
            }
        }
        change.fresh = options.positionals.is_empty() && options.depth != Some(0);
        change.unpinned = Some(names);
        project.manifests[manifest].text = document.text;
        code = install::run(&mut project, &config, "update", start, &change)?;
    }
    Ok(code)
}

/// `dedupe`: versions that are not needed leave the lockfile.
pub fn dedupe(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (root, _own, config) = super::context(options)?;
    let mut project = Project::load(&root)?;
    let Some(loaded) = install::load_lockfile(&root, &config)? else {
        return Err(Error::new(Code::Usage, "there is no bun.lock to deduplicate").hint("run `bao install` first"));
    };
    let mut resolved = install::prepare(&project, Some(loaded))?;
    install::forget_optional_peers(&mut resolved.graph);
    let checked = resolved.graph.len();
    let dropped = install::dedupe(&mut resolved.graph, &resolved.extras);
    crate::say!("bao dedupe v{}", env!("CARGO_PKG_VERSION"));
    if dropped.is_empty() {
        crate::say!("No duplicates: checked {checked} packages in bun.lock [{}]", install::elapsed(start));
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
    crate::tree::Tree::build(&mut resolved.graph, |_, _, _| false);
    let tree = crate::tree::Tree::build(&mut resolved.graph, |_, _, _| false);
    let text = crate::lockfile::write(&resolved.graph, &tree, &resolved.members, &resolved.extras);
    install::write_atomic(&root.join("bun.lock"), &text)?;
    crate::say!("\n{} duplicate versions removed (checked {checked} packages in bun.lock)", dropped.len());
    if config.lockfile_only {
        return Ok(0);
    }
    install::run(&mut project, &config, "install", start, &Change::default())
}
