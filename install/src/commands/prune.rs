//! `prune`: takes out of node_modules what bun.lock does not put there, and with `--production` what only development needs.
//!
//! Both layouts. What a folder has to hold comes from the same plan that an install follows; files, names that begin with a dot and
//! what is inside packages that bundle their dependencies stay. Links are removed, never followed.

use crate::commands::installed::{plan, without_peers};
use crate::commands::style::{Style, banner, count};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::plan::{Kind, Linker};
use json::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One thing that goes.
struct Extra {
    /// Below the project.
    path: String,
    name: String,
    version: String,
    /// The node_modules folder, where it is not the project's.
    folder: String,
}

/// What is found on the disk, compared with what belongs there.
struct Walk<'a> {
    root: &'a Path,
    extras: Vec<Extra>,
    checked: usize,
    /// node_modules folders that exist, relative to the project.
    folders: Vec<String>,
}

/// Names in a node_modules folder: packages and scoped packages, sorted. Nothing where there is no such folder.
fn names(dir: &Path) -> Result<Option<Vec<(String, bool)>>> {
    let read = |dir: &Path| match std::fs::read_dir(dir) {
        Ok(entries) => Ok(Some(entries)),
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Error::io("cannot read", dir, error)),
    };
    let Some(entries) = read(dir)? else { return Ok(None) };
    let mut out = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') || kind.is_file() {
            continue;
        }
        if name.starts_with('@') && kind.is_dir() {
            for inner in read(&entry.path())?.into_iter().flatten().flatten() {
                let Ok(below) = inner.file_name().into_string() else { continue };
                let Ok(kind) = inner.file_type() else { continue };
                if !below.starts_with('.') && !kind.is_file() {
                    out.push((format!("{name}/{below}"), kind.is_symlink()));
                }
            }
            continue;
        }
        out.push((name, kind.is_symlink()));
    }
    out.sort();
    Ok(Some(out))
}

fn version_of(dir: &Path) -> String {
    let text = crate::project::read_manifest(dir).ok().flatten().unwrap_or_default();
    Value::parse(text.as_bytes()).map_or_else(|_| String::new(), |value| value.text("version").to_owned())
}

/// Name and version of an entry of `.bun`.
fn entry_label(entry: &str) -> (String, String) {
    let base = without_peers(entry);
    let at = base[1.min(base.len())..].find('@').map_or(base.len(), |at| at + 1);
    let version = base.get(at + 1..).unwrap_or("").to_owned();
    let name = &base[..at];
    (if name.starts_with('@') { name.replacen('+', "/", 1) } else { name.to_owned() }, version)
}

impl Walk<'_> {
    fn add(&mut self, folder: &str, name: &str, version: String) {
        let shown = if folder == "node_modules" { "" } else { folder };
        self.extras.push(Extra {
            path: format!("{folder}/{name}"),
            name: name.to_owned(),
            version,
            folder: shown.to_owned(),
        });
    }

    /// A folder of the hoisted layout and those in its packages.
    fn hoisted(
        &mut self,
        folder: &str,
        wanted: &FxHashMap<&str, FxHashMap<&str, u32>>,
        bundling: &[bool],
    ) -> Result<()> {
        let Some(found) = names(&self.root.join(folder))? else { return Ok(()) };
        self.folders.push(folder.to_owned());
        let own = wanted.get(folder);
        for (name, link) in found {
            self.checked += 1;
            let path = format!("{folder}/{name}");
            match own.and_then(|own| own.get(name.as_str())) {
                Some(&package) => {
                    if !link && !bundling[package as usize] {
                        self.hoisted(&format!("{path}/node_modules"), wanted, bundling)?;
                    }
                }
                None => {
                    let version = if link { String::new() } else { version_of(&self.root.join(&path)) };
                    self.add(folder, &name, version);
                }
            }
        }
        Ok(())
    }

    /// `node_modules/.bun`.
    fn entries(&mut self, wanted: &FxHashSet<String>) -> Result<()> {
        let folder = "node_modules/.bun";
        let dir = self.root.join(folder);
        match std::fs::read_dir(&dir) {
            Ok(_) => {}
            // Of the store linker everything may be in archives.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && packages::is_dir(&dir) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("cannot read", &dir, error)),
        }
        self.folders.push(folder.to_owned());
        for name in crate::commands::installed::entries(self.root) {
            self.checked += 1;
            if !wanted.contains(without_peers(&name)) {
                let (label, mut version) = entry_label(&name);
                version.push_str(&name[without_peers(&name).len()..]);
                let path = format!("{folder}/{name}");
                self.extras.push(Extra { path, name: label, version, folder: String::new() });
            }
        }
        Ok(())
    }

    /// A project's folder of the isolated layout.
    fn isolated(
        &mut self,
        folder: &str,
        wanted: &FxHashSet<&str>,
        removed: &FxHashSet<String>,
        keep_links: bool,
    ) -> Result<Vec<String>> {
        let mut silent = Vec::new();
        let Some(found) = names(&self.root.join(folder))? else { return Ok(silent) };
        self.folders.push(folder.to_owned());
        for (name, link) in found {
            self.checked += 1;
            let path = self.root.join(folder).join(&name);
            let target = if link { std::fs::read_link(&path).unwrap_or_default() } else { PathBuf::new() };
            let target = target.to_string_lossy().into_owned();
            let entry = target.split_once(".bun/").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
            if wanted.contains(name.as_str()) || (keep_links && entry.is_some_and(|entry| !removed.contains(entry))) {
                continue;
            }
            match entry {
                // The package itself is on the list.
                Some(entry) if removed.contains(entry) => silent.push(format!("{folder}/{name}")),
                Some(entry) => self.add(folder, &name, entry_label(entry).1),
                None if link => self.add(folder, &name, String::new()),
                None => self.add(folder, &name, version_of(&path)),
            }
        }
        Ok(silent)
    }
}

fn remove(path: &Path) -> Result<()> {
    let failed = |error| Error::io("cannot remove", path, error);
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path).map_err(failed),
        Ok(_) => std::fs::remove_file(path).map_err(failed),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// Removes links in a folder, and in the scopes in it, that lead nowhere; scopes that are empty then go too.
fn sweep(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let scope = entry.file_name().to_string_lossy().starts_with('@');
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() && std::fs::metadata(&path).is_err() => {
                let _ = std::fs::remove_file(&path);
            }
            Ok(kind) if kind.is_dir() && scope => {
                sweep(&path);
                // Fails where something is left.
                let _ = std::fs::remove_dir(&path);
            }
            _ => {}
        }
    }
}

/// `prune`.
pub(super) fn prune(options: &Options) -> Result<u8> {
    let start = Instant::now();
    if options.json {
        return Err(Error::new(Code::Usage, "bao prune has no --json flag.").hint("run `bao prune --help`"));
    }
    if !options.positionals.is_empty() {
        return Err(Error::new(
            Code::Usage,
            crate::ui::named("bao prune does not take arguments, it always prunes the whole node_modules"),
        )
        .hint("run `bao prune --help` for more information"));
    }
    let (root, _, config) = crate::commands::context(options)?;
    if !config.silent {
        banner("prune");
    }
    let archived = crate::commands::installed::archived(&root);
    let bun = crate::commands::installed::isolated(&root);
    let mixed = bun && names(&root.join("node_modules"))?.is_some_and(|found| found.iter().any(|(_, link)| !link));
    let linker = match config.linker {
        _ if archived => Linker::Store,
        Some(linker) if mixed || !bun => linker,
        _ if bun => Linker::Isolated,
        _ => Linker::Hoisted,
    };
    let wanted = plan(options, &config, linker, "prune")?;
    let chosen = chosen(&root, &config, &wanted.members)?;
    let mut walk = Walk { root: &root, extras: Vec::new(), checked: 0, folders: Vec::new() };
    let folder = |path: &str| if path.is_empty() { "node_modules".to_owned() } else { format!("{path}/node_modules") };
    // Links to packages that go, which are not listed on their own.
    let mut silent = Vec::new();
    let projects = wanted.members.iter().filter(|(package, _, _)| chosen.contains(package));
    if linker == Linker::Hoisted {
        let plan = &wanted.plan;
        let mut places: FxHashMap<&str, FxHashMap<&str, u32>> = FxHashMap::default();
        for tree in &plan.trees {
            let own = places.entry(plan.str(tree.path)).or_default();
            own.extend(
                plan.placements_of(tree).iter().map(|placement| (plan.str(placement.folder), placement.package)),
            );
        }
        for (_, path, _) in projects {
            walk.hoisted(&folder(path), &places, &wanted.bundling)?;
        }
    } else {
        // With --filter the shared entries stay as the other members need them.
        let whole = if config.filter.is_empty() {
            None
        } else {
            let mut all = config.clone();
            (all.production, all.omit_dev, all.omit_optional, all.omit_peer) = (false, false, false, false);
            Some(plan(options, &all, linker, "prune")?)
        };
        let plan = whole.as_ref().map_or(&wanted.plan, |whole| &whole.plan);
        let entries: FxHashSet<String> =
            crate::link::entries(plan).iter().map(|(_, name)| without_peers(name).to_owned()).collect();
        walk.entries(&entries)?;
        let removed: FxHashSet<String> = walk
            .extras
            .iter()
            .filter_map(|extra| extra.path.rsplit_once('/').map(|(_, name)| name.to_owned()))
            .collect();
        let plan = &wanted.plan;
        if linker == Linker::Store {
            // The links are in the index, which is written anew.
            if !(walk.extras.is_empty() || options.has("check") || config.dry_run) {
                crate::commands::pm::materialize::put_on_disk(plan, &config, &root, Vec::new())?;
            }
            return finish(&root, walk, &silent, options, &config, start);
        }
        for (package, path, _) in projects {
            let edges = plan.edges_of(&plan.packages[*package as usize]).iter();
            let own: FxHashSet<&str> = edges
                .filter(|edge| {
                    // A member that the root does not depend on by name is no link of its.
                    edge.kind != crate::model::plan::EdgeKind::Workspace
                        || plan.packages[edge.package as usize].kind == Kind::Workspace
                })
                .map(|edge| plan.str(edge.name))
                .collect();
            let hoisted = path.is_empty() && !config.public_hoist_pattern.is_empty();
            silent.extend(walk.isolated(&folder(path), &own, &removed, hoisted)?);
        }
    }
    finish(&root, walk, &silent, options, &config, start)
}

/// Members that `--filter` chooses; all without it.
fn chosen(root: &Path, config: &Config, members: &[(u32, String, String)]) -> Result<Vec<u32>> {
    let all = members.iter().map(|(package, _, _)| *package);
    if config.filter.is_empty() {
        return Ok(all.collect());
    }
    let project = crate::project::Project::load(root)?;
    let selected = crate::filter::select(&project, &config.filter);
    let found: Vec<u32> =
        all.zip(&selected.chosen).filter(|(_, chosen)| **chosen).map(|(package, _)| package).collect();
    if found.is_empty() {
        return Err(Error::new(
            Code::Usage,
            format!("No workspace packages matched the filter \"{}\"", config.filter.join("\", \"")),
        ));
    }
    Ok(found)
}

fn finish(
    root: &Path,
    mut walk: Walk<'_>,
    silent: &[String],
    options: &Options,
    config: &Config,
    start: Instant,
) -> Result<u8> {
    let Style { reset: r, dim: d, bold: b, red, cyan, .. } = Style::stdout();
    let time = format!("{r}{d}[{r}{b}{}{r}{d}]{r}", crate::ui::elapsed(start));
    let check = options.has("check");
    let number = walk.extras.len();
    if walk.folders.is_empty() {
        if !config.silent {
            crate::say!("Done! No node_modules folder {d}(nothing to prune){r} {time}");
        }
        return Ok(0);
    }
    if number == 0 && silent.is_empty() {
        if !config.silent {
            let installed = count(walk.checked, "installed package");
            let folders = count(walk.folders.len(), "folder");
            crate::say!("Done! Checked {installed} across {folders} {d}(nothing to prune){r} {time}");
        }
        return Ok(0);
    }
    walk.extras.sort_by(|a, b| (&a.name, &a.version, &a.folder).cmp(&(&b.name, &b.version, &b.folder)));
    let mut out = String::new();
    for extra in &walk.extras {
        let _ = write!(out, "{red}-{r} {}", extra.name);
        if !extra.version.is_empty() {
            let _ = write!(out, "{d}@{}{r}", extra.version);
        }
        if !extra.folder.is_empty() {
            let _ = write!(out, " {d}({}){r}", extra.folder);
        }
        out.push('\n');
    }
    let word = if number == 1 { "package" } else { "packages" };
    let checked = format!("{d}(checked {}){r}", count(walk.checked, "installed package"));
    if check || config.dry_run {
        let _ = writeln!(out, "{b}{number}{r} {word} can be removed {checked} {time}");
        let flags: Vec<String> =
            std::env::args().skip(1).filter(|argument| !matches!(argument.as_str(), "--dry-run" | "--check")).collect();
        let _ = write!(out, "  {cyan}{} {}{r}", crate::ui::product(), flags.join(" "));
        if !config.silent {
            crate::say!("{out}");
        }
        return Ok(u8::from(check));
    }
    for path in walk.extras.iter().map(|extra| extra.path.as_str()).chain(silent.iter().map(String::as_str)) {
        remove(&root.join(path))?;
    }
    for folder in walk.folders.iter().rev() {
        let dir = root.join(folder);
        sweep(&dir);
        sweep(&dir.join(".bin"));
        if folder == "node_modules/.bun" {
            sweep(&dir.join("node_modules"));
        }
    }
    let time = format!("{r}{d}[{r}{b}{}{r}{d}]{r}", crate::ui::elapsed(start));
    let _ = write!(out, "{b}{number}{r} {word} removed {checked} {time}");
    if !config.silent {
        crate::say!("{out}");
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_entries() {
        assert_eq!(entry_label("@types+node@26.6.6"), ("@types/node".to_owned(), "26.6.6".to_owned()));
        assert_eq!(entry_label("debug@4.4.3+759ce506b1ed1a42"), ("debug".to_owned(), "4.4.3".to_owned()));
        assert_eq!(entry_label("a@1.0.0+build"), ("a".to_owned(), "1.0.0+build".to_owned()));
        assert_eq!(entry_label(""), (String::new(), String::new()));
    }
}
