//! The store linker: packages stay in the archives of the cache. Each `node_modules` of the project and its members gets one file,
//! `.bao-store`, which says which path is which archive, laid out as the isolated linker lays out directories and links, and `.bin`.
//!
//! What programs other than bao have to open is put on the disk by the isolated linker, with all that it depends on: packages with
//! machine code, trusted install scripts or patches, those that are of no registry, those that `bao pm materialize` names, and those
//! that a program has tried to write into.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use packages::{Archive, CLOSED, INDEX, Kind as Entry, Writer, write_atomically};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Code, Error, Result};
use crate::link::isolated::{entry_name, is_copied, linked, matches};
use crate::link::tree_writer::{TreeWriter, c_path, check_folder};
use crate::link::{Events, LinkOptions, bins, scripts};
use crate::model::paths::relative;
use crate::model::plan::{DISABLED, EdgeKind, HAS_INSTALL_SCRIPT, Kind, OPTIONAL, PackageId, Plan, TRUSTED};
use crate::store::archives::mark_used;
use crate::store::{Lookup, Store};

/// Longest wait for one package.
const PATIENCE: Duration = Duration::from_secs(600);
/// An install that changes nothing marks the archives as used if none has for so long.
const MARK_EVERY: Duration = Duration::from_secs(86_400);
/// Entry of an index: the names that `bao pm materialize` was given, and those of packages that programs write into, one in each line.
const CHOSEN: &[u8] = b".bao-materialized";
/// The second line of every launcher begins with it.
const MARK: &str = "# bao: ";

/// What an install with archives is made of.
pub(super) struct Archived {
    /// The plan of what is put on the disk: other packages are switched off in it.
    pub(super) on_disk: Plan,
    /// The plan of everything.
    plan: Plan,
    /// Packages that are there, in the order of their ids, and whether they are archives.
    used: Vec<(PackageId, bool)>,
    archives: FxHashMap<PackageId, std::path::PathBuf>,
    chosen: Vec<String>,
    /// The archives of the last install.
    before: FxHashSet<Vec<u8>>,
}

fn modules(plan: &Plan, project: PackageId) -> String {
    let package = &plan.packages[project as usize];
    let dir = plan.str(package.path).trim_start_matches("./").trim_end_matches('/');
    if package.kind == Kind::Root || dir.is_empty() { "node_modules".to_owned() } else { format!("{dir}/node_modules") }
}

fn index_of(root: &Path) -> Option<Archive> {
    Archive::open(&root.join("node_modules").join(INDEX)).ok()
}

/// Removes the indexes: another linker writes the packages.
pub(super) fn remove_indexes(plan: &Plan) {
    if std::fs::remove_file(plan.root.join("node_modules").join(INDEX)).is_err() {
        return;
    }
    for (id, _) in plan.packages.iter().enumerate().filter(|(_, package)| package.kind == Kind::Workspace) {
        let _ = std::fs::remove_file(plan.root.join(modules(plan, id as PackageId)).join(INDEX));
    }
}

/// Whether the index is there and so are all archives that it names. Their directories are listed, so that the number of packages
/// does not count.
pub(super) fn holds(root: &Path) -> bool {
    let Some(index) = index_of(root) else { return false };
    let mut listed: FxHashMap<Vec<u8>, FxHashSet<Vec<u8>>> = FxHashMap::default();
    let mounts = || index.entries().filter(|entry| entry.kind == Entry::Mount);
    let held = mounts().all(|entry| {
        let Ok(path) = index.content(&entry) else { return false };
        let at = memchr::memrchr(b'/', path).unwrap_or(0);
        let (dir, name) = (&path[..at], path.get(at + 1..).unwrap_or(&[]));
        if !listed.contains_key(dir) {
            let files = std::fs::read_dir(Path::new(&*String::from_utf8_lossy(dir))).into_iter().flatten().flatten();
            listed.insert(dir.to_vec(), files.map(|file| file.file_name().into_encoded_bytes()).collect());
        }
        listed.get(dir).is_some_and(|files| files.contains(name))
    });
    if held {
        let archives = mounts().filter_map(|entry| index.content(&entry).ok());
        mark_old(&root.join("node_modules").join(INDEX), archives);
    }
    held
}

/// Marks archives as used if the index that names them is as old as the last mark may be, and makes it new.
fn mark_old<'a>(index: &Path, archives: impl Iterator<Item = &'a [u8]>) {
    let age = std::fs::metadata(index).and_then(|status| status.modified()).ok().and_then(|time| time.elapsed().ok());
    if age.is_none_or(|age| age < MARK_EVERY) {
        return;
    }
    for archive in archives {
        mark_used(Path::new(OsStr::from_bytes(archive)));
    }
    if let Ok(file) = std::fs::File::open(index) {
        let _ = file.set_modified(SystemTime::now());
    }
}

impl Archived {
    /// Waits for all packages and decides which of them are put on the disk.
    pub(super) fn new(plan: &Plan, store: &Arc<Store>, options: &LinkOptions, events: &dyn Events) -> Result<Archived> {
        let old = index_of(&plan.root);
        let before = old.iter().flat_map(|index| {
            let mounts = index.entries().filter(|entry| entry.kind == Entry::Mount && !options.force);
            mounts.filter_map(|entry| index.content(&entry).ok().map(<[u8]>::to_vec))
        });
        let before = before.collect();
        let mut chosen: Vec<String> = old
            .as_ref()
            .and_then(|index| Some(String::from_utf8_lossy(index.content(&index.get(CHOSEN)?).ok()?).into_owned()))
            .map_or_else(Vec::new, |text| text.lines().map(str::to_owned).collect());
        let written = packages::written(&plan.root);
        let is_known =
            |name: &&String| *name == "*" || plan.packages.iter().any(|package| plan.str(package.name) == **name);
        for name in options.materialize.iter().chain(written.iter().filter(is_known)) {
            if !chosen.contains(name) {
                chosen.push(name.clone());
            }
        }
        let mut whole = plan.clone();
        let mut reached = crate::link::entries(plan);
        reached.sort_unstable();
        let mut archives = FxHashMap::default();
        let mut on_disk: Vec<PackageId> = Vec::new();
        let total = reached.len() as u32;
        for (done, (id, _)) in reached.iter().enumerate() {
            let package = &plan.packages[*id as usize];
            let named = |error: Error| error.package(plan.str(package.name), plan.str(package.version));
            check_folder(plan.str(package.name)).map_err(named)?;
            let key = plan.str(package.cache_dir);
            events.progress(done as u32, total);
            let archive = if key.is_empty() {
                None
            } else {
                match store.settled(key, PATIENCE) {
                    Lookup::Ready(source) => source.is_archive().then(|| store.archive_path(key)).flatten(),
                    Lookup::Failed(_) if package.flags & OPTIONAL != 0 => {
                        whole.packages[*id as usize].flags |= DISABLED;
                        continue;
                    }
                    Lookup::Failed(error) => return Err(error),
                    Lookup::Expected | Lookup::Missing => {
                        let error = Error::new(Code::Io, format!("The package is not in the cache ({key})"));
                        return Err(named(error.hint("run the install again, without --offline")));
                    }
                }
            };
            let scripted = package.flags & TRUSTED != 0
                && !options.ignore_scripts
                && !bins::needs_no_script(plan, package)
                && (package.flags & HAS_INSTALL_SCRIPT != 0 || archive.as_deref().is_some_and(is_built));
            let named = chosen.iter().any(|name| name == "*" || name == plan.str(package.name));
            match archive {
                Some(path)
                    if !scripted
                        && !named
                        && package.patch.is_empty()
                        && package.kind == Kind::Npm
                        // Its commands are links to executables, which are on the disk.
                        && bins::native(plan, package).is_none() =>
                {
                    archives.insert(*id, path);
                }
                _ => on_disk.push(*id),
            }
        }
        // What is on the disk finds there what it depends on.
        let mut real: FxHashSet<PackageId> = FxHashSet::default();
        while let Some(id) = on_disk.pop() {
            if real.insert(id) {
                on_disk
                    .extend(linked(&whole, id).map(|(_, to)| to).filter(|&to| is_copied(&whole.packages[to as usize])));
            }
        }
        let mut sub = whole.clone();
        let mut used = Vec::new();
        for (id, _) in reached {
            let package = &whole.packages[id as usize];
            if package.flags & DISABLED != 0 {
                continue;
            }
            let archived = !real.contains(&id);
            used.push((id, archived));
            if archived {
                continue;
            }
            archives.remove(&id);
            let key = whole.str(package.cache_dir);
            if !key.is_empty() && matches!(store.lookup(key), Lookup::Ready(source) if source.is_archive()) {
                store.unarchive(key)?;
            }
        }
        for id in 0..sub.packages.len() {
            if is_copied(&sub.packages[id]) && !real.contains(&(id as PackageId)) {
                sub.packages[id].flags |= DISABLED;
            }
        }
        Ok(Archived { on_disk: sub, plan: whole, used, archives, chosen, before })
    }

    /// Writes the indexes and the launchers.
    pub(super) fn write(&self, tree: &mut TreeWriter<'_>) -> Result<()> {
        let plan = &self.plan;
        let mut seen = vec![false; plan.packages.len()];
        let mut queue = vec![0u32];
        let mut projects = Vec::new();
        while let Some(id) = queue.pop() {
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            if matches!(plan.packages[id as usize].kind, Kind::Root | Kind::Workspace) {
                projects.push(id);
            }
            queue.extend(linked(plan, id).map(|(_, to)| to));
        }
        projects.sort_unstable();
        let launcher = launcher_of();
        for &project in &projects {
            let dir = modules(plan, project);
            let mut index = Writer::new();
            if project == 0 {
                self.packages(&mut index, &projects, &tree.options.hoist_pattern);
                index.add(CHOSEN, Entry::File, 0o644, self.chosen.join("\n").as_bytes());
            }
            let mut commands: FxHashMap<String, String> = FxHashMap::default();
            for (name, to) in self.names_in(project, &tree.options.public_hoist_pattern) {
                check_folder(name)?;
                self.link(&mut index, &dir, name, to);
                if self.archives.contains_key(&to) {
                    for (command, file) in self.commands(name, to) {
                        commands.entry(command).or_insert(format!("{name}/{file}"));
                    }
                }
            }
            if project != 0 && index.is_empty() {
                continue;
            }
            tree.container(c_path(&dir)?)?;
            self.launchers(tree, &dir, &commands, &launcher)?;
            let (head, data) = index.finish();
            let path = plan.root.join(&dir).join(INDEX);
            write_atomically(&path, &[&head, &data]).map_err(|error| Error::io("Could not write", &path, error))?;
        }
        for (&id, path) in self.archives.iter().filter(|_| !tree.options.ignore_scripts) {
            let package = &plan.packages[id as usize];
            if package.flags & (TRUSTED | HAS_INSTALL_SCRIPT) == HAS_INSTALL_SCRIPT
                && !bins::needs_no_script(plan, package)
            {
                let archive = Archive::open(path).ok();
                let text = archive.as_ref().and_then(|archive| archive.content(&archive.get(b"package.json")?).ok());
                tree.linked.blocked_scripts.push(id);
                tree.linked.blocked_count += text.map_or(1, scripts::count_in);
            }
        }
        for (&id, path) in &self.archives {
            mark_used(path);
            if self.before.contains(path.as_os_str().as_encoded_bytes()) {
                tree.linked.skipped += 1;
            } else {
                tree.linked.installed += 1;
                tree.linked.changed.push(id);
            }
        }
        packages::forget_written(&plan.root);
        Ok(())
    }

    /// What is directly in the `node_modules` of a project, each name once: what it depends on, and in the root what `hoisted` matches.
    fn names_in(&self, project: PackageId, hoisted: &[String]) -> Vec<(&str, PackageId)> {
        let plan = &self.plan;
        // A member has a link in the root only where the root depends on it.
        let only_member = |name: &str, to: PackageId| {
            let mut edges = plan.edges_of(&plan.packages[0]).iter();
            edges.all(|edge| edge.package != to || edge.kind == EdgeKind::Workspace || plan.str(edge.name) != name)
        };
        let mut names: Vec<(&str, PackageId)> = linked(plan, project)
            .filter(|&(name, to)| {
                project != 0 || plan.packages[to as usize].kind != Kind::Workspace || !only_member(name, to)
            })
            .collect();
        if project == 0 && !hoisted.is_empty() {
            let all = self.used.iter().map(|(id, _)| (plan.str(plan.packages[*id as usize].name), *id));
            names.extend(all.filter(|(name, _)| matches(hoisted, name)));
        }
        let mut taken = FxHashSet::default();
        names.retain(|(name, _)| taken.insert(*name));
        names
    }

    /// The path of a package relative to the project.
    fn path(&self, id: PackageId) -> String {
        let package = &self.plan.packages[id as usize];
        match package.kind {
            Kind::Root => ".".to_owned(),
            Kind::Workspace | Kind::Link => self.plan.str(package.path).trim_start_matches("./").to_owned(),
            _ => {
                format!("node_modules/.bun/{}/node_modules/{}", entry_name(&self.plan, id), self.plan.str(package.name))
            }
        }
    }

    /// A link `name` in the directory `dir` of the project, in the index of the `node_modules` that it is or is in.
    fn link(&self, index: &mut Writer, dir: &str, name: &str, to: PackageId) {
        let own = dir.find("node_modules").map_or(dir, |at| &dir[at + "node_modules".len()..]).trim_start_matches('/');
        let place = if own.is_empty() { name.to_owned() } else { format!("{own}/{name}") };
        let parent = match name.rsplit_once('/') {
            Some((scope, _)) => format!("{dir}/{scope}"),
            None => dir.to_owned(),
        };
        index.add(place.as_bytes(), Entry::Link, 0o777, relative(&parent, &self.path(to)).as_bytes());
    }

    /// Every package with the links beside it, and `.bun/node_modules` with what `hoisted` matches (all, if there are no patterns).
    fn packages(&self, index: &mut Writer, projects: &[PackageId], hoisted: &[String]) {
        let plan = &self.plan;
        for (id, archived) in &self.used {
            let own = plan.str(plan.packages[*id as usize].name);
            let dir = format!("node_modules/.bun/{}/node_modules", entry_name(plan, *id));
            let place = format!("{}/{own}", &dir["node_modules/".len()..]);
            let above = format!(".bun/{}", entry_name(plan, *id));
            match self.archives.get(id).filter(|_| *archived) {
                Some(path) => {
                    // Nobody else puts anything there.
                    index.add(above.as_bytes(), Entry::Dir, CLOSED, b"");
                    index.add(&dir.as_bytes()["node_modules/".len()..], Entry::Dir, CLOSED, b"");
                    index.add(place.as_bytes(), Entry::Mount, 0o755, path.as_os_str().as_encoded_bytes());
                }
                None => {
                    index.add(place.as_bytes(), Entry::Real, 0o755, b"");
                }
            }
            for (name, to) in linked(plan, *id).filter(|(name, _)| *name != own && check_folder(name).is_ok()) {
                self.link(index, &dir, name, to);
            }
        }
        // For code that requires what it does not depend on: of several packages of one name the first.
        let mut names: FxHashMap<&str, PackageId> = FxHashMap::default();
        for from in projects.iter().copied().chain(self.used.iter().map(|(id, _)| *id)) {
            for (name, to) in linked(plan, from).filter(|(_, to)| is_copied(&plan.packages[*to as usize])) {
                names.entry(name).and_modify(|known| *known = to.min(*known)).or_insert(to);
            }
        }
        let is_hoisted = |name: &str| hoisted.is_empty() || matches(hoisted, name);
        for (name, to) in names.into_iter().filter(|(name, _)| check_folder(name).is_ok() && is_hoisted(name)) {
            self.link(index, "node_modules/.bun/node_modules", name, to);
        }
    }

    /// The commands of a package that is an archive, with their files.
    fn commands(&self, folder: &str, id: PackageId) -> Vec<(String, String)> {
        let plan = &self.plan;
        let package = &plan.packages[id as usize];
        let mut out = Vec::new();
        for bin in plan.bins_of(package) {
            let name = if bin.name.is_empty() { folder } else { plan.str(bin.name) };
            if let (Some(name), Some(file)) = (bins::command(name), bins::inside(plan.str(bin.path))) {
                out.push((name.to_owned(), file));
            }
        }
        if let Some(dir) = bins::inside(plan.str(package.bin_dir)).filter(|_| !package.bin_dir.is_empty())
            && let Some(archive) = self.archives.get(&id).and_then(|path| Archive::open(path).ok())
            && let Some(dir) = archive.get(dir.as_bytes())
        {
            for entry in archive.children(&dir).filter(|entry| entry.kind == Entry::File) {
                let file = String::from_utf8_lossy(archive.name(&entry)).into_owned();
                if let Some(name) = bins::command(&file).filter(|name| !name.starts_with('.')) {
                    out.push((name.to_owned(), file.clone()));
                }
            }
        }
        out
    }

    /// Makes `.bin`, and removes launchers of earlier installs that are not wanted any more.
    fn launchers(
        &self,
        tree: &mut TreeWriter<'_>,
        dir: &str,
        commands: &FxHashMap<String, String>,
        launcher: &str,
    ) -> Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let bin = self.plan.root.join(dir).join(".bin");
        let is_ours = |path: &Path| {
            std::fs::symlink_metadata(path).is_ok_and(|status| status.is_file() && status.len() < 4096)
                && std::fs::read_to_string(path)
                    .is_ok_and(|text| text.lines().nth(1).is_some_and(|line| line.starts_with(MARK)))
        };
        if tree.existed {
            for entry in std::fs::read_dir(&bin).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if !commands.contains_key(&name) && is_ours(&entry.path()) {
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
        if commands.is_empty() {
            return Ok(());
        }
        tree.container(c_path(&format!("{dir}/.bin"))?)?;
        let mut sorted: Vec<_> = commands.iter().collect();
        sorted.sort_unstable();
        for (name, target) in sorted {
            let path = bin.join(name);
            let text = format!("#!/bin/sh\n{MARK}{target}\n{}", launcher.replace("TARGET", &quoted(target)));
            let failed = |error| Error::io("Could not make the command", &path, error);
            if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) && is_ours(&path) {
                continue;
            }
            // A link there leads to a file that is not ours to write.
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
            std::fs::write(&path, text).map_err(failed)?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).map_err(failed)?;
        }
        Ok(())
    }
}

/// Whether a package is built by node-gyp although no script says so.
fn is_built(archive: &Path) -> bool {
    Archive::open(archive).is_ok_and(|archive| archive.get(b"binding.gyp").is_some())
}

/// For the inside of double quotes of a shell.
fn quoted(text: &str) -> String {
    text.chars()
        .flat_map(|char| matches!(char, '"' | '\\' | '$' | '`').then_some('\\').into_iter().chain([char]))
        .collect()
}

/// The end of a launcher: this executable if it is still there, else the one on the search path.
fn launcher_of() -> String {
    let own = std::env::current_exe().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let own = own.replace('\'', "'\\''");
    format!("bao='{own}'\n[ -x \"$bao\" ] || bao=bao\nexec \"$bao\" \"${{0%/.bin/*}}/TARGET\" \"$@\"\n")
}
