//! The second half of `audit fix`: package.json files are edited, the graph is resolved with the chosen versions, both are written
//! together, and the result is installed and audited.

use json::{Document, GROUPS, Value};

use crate::commands::audit::fix::{Edit, Fix, Moves, owner_key, rule_name};
use crate::commands::audit::{self, Skipped};
use crate::commands::install::{self, Change};
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::model::extras::Override;
use crate::model::graph::Member;
use crate::model::graph::{Behavior, FLAG_LOADED};
use crate::model::hoisted_tree::Tree;
use crate::model::plan::NO_ID;
use crate::project::Project;
use crate::registry::session::Session;
use std::path::Path;
use std::time::Instant;

/// What the audit after the install said.
pub(super) struct After {
    pub advisories: Vec<audit::Advisory>,
    pub skipped: Vec<Skipped>,
    /// Everything that is installed now.
    pub versions: Vec<(String, String)>,
}

/// Whether package.json has the text that an edit replaces. It has not where the override is a `$reference`, or the catalog stands
/// in another file.
pub(super) fn possible(root: &Path, edit: &Edit, members: &[Member]) -> bool {
    members.get(edit.manifest).is_some_and(|member| {
        let text = crate::project::read_manifest(&root.join(&member.path)).ok().flatten().unwrap_or_default();
        Value::parse(text.as_bytes()).is_ok_and(|value| !places(&value, edit).is_empty())
    })
}

/// Where package.json has what an edit replaces: keys of nested objects.
fn places(manifest: &Value<'_>, edit: &Edit) -> Vec<Vec<String>> {
    let own = |path: &[&str]| -> Option<Vec<String>> {
        let mut at = manifest;
        for key in path {
            at = at.get(key)?;
        }
        (at.str() == Some(edit.from.as_str())).then(|| path.iter().map(|key| (*key).to_owned()).collect())
    };
    let key = edit.key.as_str();
    if let Some(rule) = &edit.rule {
        let mut found = Vec::new();
        for field in ["resolutions", "overrides"] {
            if let Some(value) = manifest.get(field) {
                rules(value, &mut vec![field.to_owned()], "", rule, &edit.from, &mut found);
            }
        }
        return found;
    }
    if let Some(group) = &edit.catalog {
        let paths: [&[&str]; 4] = if group == "default" {
            [&["workspaces", "catalog", key], &["catalog", key], &[], &[]]
        } else {
            [&["workspaces", "catalogs", group, key], &["catalogs", group, key], &[], &[]]
        };
        return paths.iter().filter(|path| !path.is_empty()).find_map(|path| own(path)).into_iter().collect();
    }
    GROUPS.iter().filter_map(|group| own(&[group, key])).collect()
}

/// Paths of an override: the same forms as [`crate::project::extras`] reads.
fn rules(value: &Value<'_>, path: &mut Vec<String>, parent: &str, rule: &str, from: &str, out: &mut Vec<Vec<String>>) {
    for member in value.members() {
        let key = member.key.trim_start_matches("**/");
        let (mut above, mut name) = match key.rsplit_once('>') {
            Some((above, key)) if !above.is_empty() => (above, key),
            _ => (parent, key),
        };
        if above.is_empty() {
            let slash = if name.starts_with('@') {
                name.match_indices('/').nth(1).map(|found| found.0)
            } else {
                name.find('/')
            };
            if let Some(at) = slash {
                (above, name) = (&name[..at], &name[at + 1..]);
            }
        }
        let (plain, range) = crate::model::spec::split_argument(name);
        let plain = if plain.is_empty() { name } else { plain };
        let this = Override {
            parent: above.to_owned(),
            name: plain.to_owned(),
            range: range.to_owned(),
            value: String::new(),
        };
        path.push(member.key.to_string());
        if rule_name(&this) == rule {
            if member.value.str() == Some(from) {
                out.push(path.clone());
            } else if member.value.get(".").and_then(Value::str) == Some(from) {
                path.push(".".to_owned());
                out.push(path.clone());
                path.pop();
            }
        }
        if parent.is_empty() && member.value.is_object() {
            rules(&member.value, path, &member.key, rule, from, out);
        }
        path.pop();
    }
}

/// Edits, resolves, writes, installs, audits.
pub(super) fn apply(root: &Path, config: &Config, fixes: &[Fix], moves: &Moves, start: Instant) -> Result<After> {
    let mut project = Project::load(root)?;
    let mut touched = vec![false; project.manifests.len()];
    for edit in fixes.iter().filter(|fix| fix.moved).flat_map(|fix| &fix.edits) {
        let manifest = &mut project.manifests[edit.manifest];
        let paths = {
            let value = crate::project::parse(&manifest.text, &root.join(&manifest.path).join("package.json"))?;
            places(&value, edit)
        };
        let mut document = Document::new(&manifest.text);
        let mut json = String::new();
        json::quote(&edit.to, &mut json);
        for path in paths {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            document.set(&path, &json, false);
        }
        manifest.text = document.text;
        touched[edit.manifest] = true;
    }
    let mut session = Session::new(config, root);
    let Some(loaded) = install::prepare::load_lockfile(root, config)? else {
        return Err(Error::new(Code::Io, "bun.lock went away during the audit"));
    };
    let mut resolved = install::prepare::prepare(&project, Some(loaded))?;
    let graph = &mut resolved.graph;
    let fixed = |name: &str, version: &str| {
        fixes.iter().any(|fix| fix.moved && fix.blockers.is_empty() && fix.name == name && fix.from == version)
    };
    let mut literals = Vec::new();
    for package in 0..graph.len() as u32 {
        let owner = owner_key(graph, &resolved.members, package);
        for dep in graph.packages.deps[package as usize].ids() {
            let at = dep as usize;
            let behavior = graph.deps.behavior[at];
            if behavior.has(Behavior::PEER) {
                let target = graph.deps.target[at];
                if target != NO_ID && fixed(graph.name(target), graph.value(target)) {
                    graph.deps.target[at] = NO_ID;
                }
                continue;
            }
            if behavior.has(Behavior::WORKSPACE) {
                continue;
            }
            let key = (owner.clone(), graph.str(graph.deps.name[at]).to_owned());
            let Some(version) = moves.get(&key) else { continue };
            // For the time of the resolution the dependency asks for just this version.
            let own = graph.deps.literal[at];
            let effective = crate::model::overrides::effective(graph, &resolved.extras, dep, package);
            let exact = match crate::model::spec::Spec::parse(&effective) {
                crate::model::spec::Spec::Range { name, .. } if !name.is_empty() => format!("npm:{name}@{version}"),
                _ => version.clone(),
            };
            literals.push((at, own));
            graph.deps.literal[at] = graph.text.add(&exact);
            graph.deps.target[at] = NO_ID;
        }
    }
    // New dependencies do not go back to what was just left.
    for package in 0..graph.len() as u32 {
        if graph.kind(package) == crate::model::plan::Kind::Npm && fixed(graph.name(package), graph.value(package)) {
            graph.packages.flags[package as usize] &= !FLAG_LOADED;
        }
    }
    install::resolve(&mut resolved, &mut session, false, None)?;
    if install::print_report(&resolved.report, config) {
        return Err(Error::new(Code::NoVersion, "the fixed versions could not be resolved; nothing was changed"));
    }
    for (at, literal) in literals {
        resolved.graph.deps.literal[at] = literal;
    }
    if config.save {
        for (manifest, _) in project.manifests.iter().zip(&touched).filter(|(_, touched)| **touched) {
            crate::atomic_write::write_atomic(&root.join(&manifest.path).join("package.json"), &manifest.text)?;
        }
    }
    if config.save && config.save_lockfile {
        install::save::rewrite_lockfile(root, config, &mut resolved)?;
    } else {
        Tree::build(&mut resolved.graph, |_, _, _| false);
    }
    let graph = &resolved.graph;
    let packages = audit::installed(graph, config);
    let versions = packages.iter().map(|&id| (graph.name(id).to_owned(), graph.value(id).to_owned())).collect();
    let quiet = Config { silent: true, summary: false, progress: false, ..config.clone() };
    let code = install::run(&mut project, &quiet, "install", start, &Change::default())?;
    if code != 0 {
        return Err(Error::new(Code::Io, "bun.lock has the fixed versions, but they could not be installed")
            .hint("run `bao install`"));
    }
    let answer = audit::ask(&session, graph, &packages)?;
    Ok(After { advisories: answer.advisories, skipped: answer.skipped, versions })
}
