//! The isolated linker: every package in `node_modules/.bun/<name>@<version>/node_modules/<name>` with links to exactly what it
//! depends on beside it. With the global store that directory is in the cache (`links/`), shared by all projects, and the project's
//! entry is a link to it.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fs::{Access, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Error, Result};
use crate::link::bins::{self, Beside};
use crate::link::tree_writer::{Job, TreeWriter, c_path, check_folder, identity, io, link_at};
use crate::model::paths::relative;
use crate::model::plan::{DISABLED, EdgeKind, Kind, Linker, NO_ID, PackageId, Plan, PlanPackage, TRUSTED};
use crate::model::string_arena::hash;
use crate::store::fs;

/// Names of entries are cut to this many bytes of version text.
const LONGEST_VERSION: usize = 80;

/// Rounds of hashing for the keys of the global store.
const ROUNDS: usize = 24;

/// One package's directory below `.bun`.
struct Entry {
    /// `react-dom@18.3.1+f4eacebf2041cd4f`
    name: String,
    /// Name below `links/` of the cache, where the entry is in the global store.
    global: Option<String>,
}

struct Layout<'a> {
    plan: &'a Plan,
    /// By package; nothing for what has no directory of its own.
    entries: Vec<Option<Entry>>,
    /// Packages with an entry, in the order of their ids.
    used: Vec<PackageId>,
    /// Projects: the root and the workspace members, with their directory.
    projects: Vec<(PackageId, String)>,
}

/// `/`, `:` and the like become `+`.
fn plain(text: &str) -> String {
    text.chars()
        .map(|char| if matches!(char, '/' | '\\' | ':' | '#' | '?' | '*' | ' ' | '\0') { '+' } else { char })
        .collect()
}

/// The address of a repository without user and password, which are no part of a directory's name; their hash takes their place.
fn without_user(version: &str) -> std::borrow::Cow<'_, str> {
    let parts = || {
        let (scheme, rest) = version.split_once("://").filter(|_| version.starts_with("git+"))?;
        let (address, commit) = rest.rsplit_once('#')?;
        let at = address[..address.find('/').unwrap_or(address.len())].rfind('@')?;
        Some(format!("{scheme}://{}+{:016x}#{commit}", &address[at + 1..], hash(address)))
    };
    parts().map_or(version.into(), Into::into)
}

pub(super) fn is_copied(package: &PlanPackage) -> bool {
    !matches!(package.kind, Kind::Root | Kind::Workspace | Kind::Link) && package.flags & DISABLED == 0
}

/// Edges that become links beside a package.
pub(super) fn linked(plan: &Plan, id: PackageId) -> impl Iterator<Item = (&str, PackageId)> {
    let package = &plan.packages[id as usize];
    plan.edges_of(package)
        .iter()
        .filter(|edge| {
            edge.kind != EdgeKind::Bundled
                && plan.packages.get(edge.package as usize).is_some_and(|to| to.flags & DISABLED == 0)
        })
        .map(|edge| (plan.str(edge.name), edge.package))
}

/// An entry's name without the hash of its peers.
fn base_name(plan: &Plan, id: PackageId) -> String {
    let package = &plan.packages[id as usize];
    let version = plan.str(package.version);
    let mut version = match package.kind {
        Kind::Folder => plain(&format!("file:{version}")),
        // The content decides: an address may lead to something else tomorrow.
        Kind::TarballUrl | Kind::TarballFile if !package.integrity.is_none() => {
            let digest: String = package.integrity.digest().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("{}+{digest}", plain(version))
        }
        _ => plain(&without_user(version)),
    };
    if version.len() > LONGEST_VERSION {
        let mut end = LONGEST_VERSION - 17;
        while !version.is_char_boundary(end) {
            end -= 1;
        }
        version = format!("{}+{:016x}", &version[..end], hash(&version));
    }
    format!("{}@{version}", plain(plan.str(package.name)))
}

/// The entries of `.bun` that a plan needs: packages and names, each without the hash of its peers.
pub(crate) fn entries(plan: &Plan) -> Vec<(PackageId, String)> {
    let mut seen = vec![false; plan.packages.len()];
    let mut queue = vec![0u32];
    let mut out = Vec::new();
    while let Some(id) = queue.pop() {
        if std::mem::replace(&mut seen[id as usize], true) {
            continue;
        }
        if is_copied(&plan.packages[id as usize]) {
            out.push((id, base_name(plan, id)));
        }
        queue.extend(linked(plan, id).map(|(_, to)| to));
    }
    out
}

/// The name of a package's directory below `.bun`.
pub(super) fn entry_name(plan: &Plan, id: PackageId) -> String {
    let mut name = base_name(plan, id);
    let package = &plan.packages[id as usize];
    if package.peers != 0 {
        name.push_str(&format!("+{:016x}", package.peers));
    }
    name
}

/// Where packages are in an isolated tree: the name under which a package is found, its path, and the package. The dependencies of the
/// project and its members come first, then every package's own directory.
pub(crate) fn places(plan: &Plan) -> Vec<(String, String, PackageId)> {
    let mut list = Vec::new();
    for (id, package) in plan.packages.iter().enumerate() {
        if matches!(package.kind, Kind::Root | Kind::Workspace) {
            let dir = if package.kind == Kind::Root { "" } else { plan.str(package.path) };
            for (name, to) in linked(plan, id as u32) {
                if is_copied(&plan.packages[to as usize]) {
                    list.push((name.to_owned(), format!("{}/{name}", modules(dir)), to));
                }
            }
        }
    }
    // Members' own links come after the project's packages: the latter are found without knowing a member.
    let members = list.iter().position(|(_, path, _)| !path.starts_with("node_modules/")).unwrap_or(list.len());
    let of_members = list.split_off(members);
    for (id, package) in plan.packages.iter().enumerate().filter(|(_, package)| is_copied(package)) {
        let name = plan.str(package.name).to_owned();
        let path = format!("node_modules/.bun/{}/node_modules/{name}", entry_name(plan, id as u32));
        list.push((name, path, id as u32));
    }
    list.extend(of_members);
    list
}

impl<'a> Layout<'a> {
    fn new(tree: &TreeWriter<'a>) -> Result<Self> {
        let plan = tree.plan;
        let mut layout = Self { plan, entries: Vec::new(), used: Vec::new(), projects: Vec::new() };
        layout.entries.resize_with(plan.packages.len(), || None);
        let mut seen = vec![false; plan.packages.len()];
        // From the root, which has an edge to each member that is installed (`--filter` leaves some out).
        let mut queue = vec![0u32];
        seen[0] = true;
        if plan.linker == Linker::Store {
            // What is left on in the plan is wanted, whoever depends on it.
            for id in (1..plan.packages.len()).filter(|&id| is_copied(&plan.packages[id])) {
                seen[id] = true;
                queue.push(id as u32);
            }
        }
        while let Some(id) = queue.pop() {
            for (name, to) in linked(plan, id) {
                check_folder(name).map_err(|error| tree.named(error, to))?;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    queue.push(to);
                }
            }
        }
        for (id, package) in plan.packages.iter().enumerate() {
            if seen[id] && matches!(package.kind, Kind::Root | Kind::Workspace) {
                let dir = plan.str(package.path).trim_start_matches("./").trim_end_matches('/');
                layout
                    .projects
                    .push((id as u32, if package.kind == Kind::Root { String::new() } else { dir.to_owned() }));
            }
        }
        for id in 1..plan.packages.len() as u32 {
            let package = tree.package(id);
            if seen[id as usize] && is_copied(package) {
                check_folder(plan.str(package.name)).map_err(|error| tree.named(error, id))?;
                layout.entries[id as usize] = Some(Entry { name: layout.entry_name(id), global: None });
                layout.used.push(id);
            }
        }
        if tree.options.global_store && is_writable(tree) {
            layout.choose_global(tree);
        }
        Ok(layout)
    }

    fn entry_name(&self, id: PackageId) -> String {
        entry_name(self.plan, id)
    }

    /// Which entries may be shared: what they and all below them consist of is the same for every project. Not so for patched packages,
    /// those with scripts that run, and those that reach a workspace member, a folder or a link.
    fn choose_global(&mut self, tree: &TreeWriter<'_>) {
        let plan = self.plan;
        let count = plan.packages.len();
        let mut local: Vec<bool> = (0..count as u32)
            .map(|id| {
                let package = tree.package(id);
                // A trusted package without scripts may have a binding.gyp, which is built.
                let scripted = package.flags & TRUSTED != 0;
                !is_copied(package) || package.kind == Kind::Folder || !package.patch.is_empty() || scripted
            })
            .collect();
        let mut users: Vec<Vec<PackageId>> = vec![Vec::new(); count];
        for &id in &self.used {
            for (_, to) in linked(plan, id) {
                users[to as usize].push(id);
            }
        }
        let mut queue: Vec<PackageId> = (0..count as u32).filter(|&id| local[id as usize]).collect();
        while let Some(id) = queue.pop() {
            for &user in &users[id as usize] {
                if !std::mem::replace(&mut local[user as usize], true) {
                    queue.push(user);
                }
            }
        }
        // The key of an entry covers everything that can be reached from it: each round carries names and content one edge further, and
        // the set of all that is reached covers what is deeper. Circles need no special care.
        let edges: Vec<Vec<(u64, PackageId)>> = (0..count as u32)
            .map(|id| {
                let mut list: Vec<_> = linked(plan, id).map(|(name, to)| (hash(name), to)).collect();
                list.sort_unstable();
                list
            })
            .collect();
        let mut keys: Vec<u64> = (0..count as u32).map(|id| identity(plan, tree.package(id))).collect();
        let mut bytes = Vec::new();
        for _ in 0..ROUNDS {
            let next = edges.iter().zip(&keys).map(|(list, key)| {
                bytes.clear();
                bytes.extend_from_slice(&key.to_le_bytes());
                for (name, to) in list {
                    bytes.extend_from_slice(&name.to_le_bytes());
                    bytes.extend_from_slice(&keys[*to as usize].to_le_bytes());
                }
                xxhash_rust::xxh3::xxh3_64(&bytes)
            });
            keys = next.collect();
        }
        let reach = self.reachable_hashes(tree);
        for &id in &self.used {
            if !local[id as usize]
                && let Some(entry) = &mut self.entries[id as usize]
            {
                entry.global = Some(format!("{}-{:016x}", entry.name, keys[id as usize] ^ reach[id as usize]));
            }
        }
    }

    /// For each package a hash of the set of packages that can be reached from it.
    fn reachable_hashes(&self, tree: &TreeWriter<'_>) -> Vec<u64> {
        let plan = self.plan;
        let mut out = vec![0; plan.packages.len()];
        let mut seen = vec![0u32; plan.packages.len()];
        for &id in &self.used {
            let (mut stack, mut all) = (vec![id], Vec::new());
            while let Some(at) = stack.pop() {
                if seen[at as usize] == id {
                    continue;
                }
                seen[at as usize] = id;
                all.push(identity(plan, tree.package(at)));
                stack.extend(linked(plan, at).map(|(_, to)| to));
            }
            all.sort_unstable();
            let bytes: Vec<u8> = all.iter().flat_map(|key| key.to_le_bytes()).collect();
            out[id as usize] = xxhash_rust::xxh3::xxh3_64(&bytes);
        }
        out
    }

    fn entry(&self, id: PackageId) -> Option<&Entry> {
        self.entries[id as usize].as_ref()
    }

    /// Where the package's directory is, relative to the project.
    fn package_path(&self, id: PackageId) -> Option<String> {
        let package = &self.plan.packages[id as usize];
        match package.kind {
            Kind::Root => Some(".".to_owned()),
            Kind::Workspace | Kind::Link => Some(self.plan.str(package.path).to_owned()),
            _ => {
                Some(format!("node_modules/.bun/{}/node_modules/{}", self.entry(id)?.name, self.plan.str(package.name)))
            }
        }
    }

    /// The links in the entry's node_modules, relative to it: names and targets, sorted. `global` gives those of the shared directory.
    fn siblings(&self, tree: &TreeWriter<'_>, id: PackageId, global: bool) -> Result<Vec<(String, String)>> {
        let plan = self.plan;
        let own = plan.str(plan.packages[id as usize].name);
        let mut list = Vec::new();
        let mut beside = Vec::new();
        let from =
            self.entry(id).map(|entry| format!("node_modules/.bun/{}/node_modules", entry.name)).unwrap_or_default();
        let mut taken: FxHashSet<&str> = FxHashSet::default();
        for (name, to) in linked(plan, id) {
            if name == own || tree.missing.contains(&to) || !taken.insert(name) {
                continue;
            }
            let parent = name.rsplit_once('/').map_or_else(String::new, |(scope, _)| format!("/{scope}"));
            let target = match self.entry(to) {
                Some(Entry { global: Some(name), .. }) if global => {
                    let up = if parent.is_empty() { "../.." } else { "../../.." };
                    format!("{up}/{name}/node_modules/{}", plan.str(plan.packages[to as usize].name))
                }
                _ => match self.package_path(to) {
                    Some(path) => relative(&format!("{from}{parent}"), &path),
                    None => continue,
                },
            };
            list.push((name.to_owned(), target));
            beside.push((name.to_owned(), to));
        }
        let native = |to| match self.entry(to) {
            Some(Entry { global: Some(entry), .. }) if global => {
                let name = plan.str(plan.packages[to as usize].name);
                Some(format!("../../../{entry}/node_modules/{name}"))
            }
            _ => Some(relative(&format!("{from}/.bin"), &self.package_path(to)?)),
        };
        let mut beside: Vec<Beside<'_>> = beside
            .iter()
            .map(|(name, id)| Beside { path: format!("../{name}"), package: *id, direct: false, native: &native })
            .collect();
        // The package's own commands win over those of what it depends on.
        beside.push(Beside { path: format!("../{own}"), package: id, direct: true, native: &native });
        for (name, target) in bins::commands(tree, &beside)? {
            list.push((format!(".bin/{name}"), target));
        }
        list.sort_unstable();
        Ok(list)
    }
}

/// `*` stands for any text; a pattern with `!` in front takes names out again, of all names where no other pattern is there.
pub(super) fn matches(patterns: &[String], name: &str) -> bool {
    fn one(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern.first(), name.first()) {
            (None, None) => true,
            (Some(b'*'), _) => one(&pattern[1..], name) || (!name.is_empty() && one(pattern, &name[1..])),
            (Some(a), Some(b)) => a == b && one(&pattern[1..], &name[1..]),
            _ => false,
        }
    }
    let mut found = patterns.iter().all(|pattern| pattern.starts_with('!'));
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(pattern) => found &= !one(pattern.as_bytes(), name.as_bytes()),
            None => found |= one(pattern.as_bytes(), name.as_bytes()),
        }
    }
    found
}

pub(super) fn link(tree: &mut TreeWriter<'_>) -> Result<()> {
    let plan = tree.plan;
    if tree.existed && !tree.has_state() {
        // What another tool made is laid out alike, but its entries may have other links: they are made anew.
        tree.discard_if_there(c"node_modules/.bun")?;
    }
    tree.container(c_path("node_modules")?)?;
    tree.container(c_path("node_modules/.bun")?)?;
    let layout = Layout::new(tree)?;
    let old_state = tree.old_state();
    let old = old_state.by_path();
    let mut jobs = Vec::new();
    let (shared, own): (Vec<PackageId>, Vec<PackageId>) =
        layout.used.iter().partition(|&&id| layout.entry(id).is_some_and(|entry| entry.global.is_some()));
    let siblings = all_siblings(tree, &layout, &own, false)?;
    for (&id, links) in own.iter().zip(siblings) {
        let Some(entry) = layout.entry(id) else {
            continue;
        };
        let dir = format!("node_modules/.bun/{}", entry.name);
        let path = c_path(&format!("{dir}/node_modules/{}", plan.str(tree.package(id).name)))?;
        let mut bytes = Vec::new();
        for (name, target) in &links {
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(target.as_bytes());
            bytes.push(b'\n');
        }
        let salt = xxhash_rust::xxh3::xxh3_64(&bytes);
        if tree.existed {
            let (right, _) = tree.is_right_with(&old, &path, id, salt);
            if right {
                tree.kept_with(path, id, salt);
                continue;
            }
            tree.discard_if_there(&c_path(&dir)?)?;
        }
        jobs.push(Job { path, package: id, nested: NO_ID, above: Some((c_path(&dir)?, links)), salt });
    }
    drop(old);
    if !shared.is_empty() {
        link_shared(tree, &layout, &shared)?;
    }
    // The names for packages are links that need nothing but their directory: they are made while packages are linked.
    let projects = link_projects(tree, &layout)?;
    link_hidden(tree, &layout)?;
    tree.run(jobs)?;
    remove_dangling(tree, &layout)?;
    link_namesakes(tree, &layout, &own)?;
    link_bins(tree, &layout, &projects)
}

/// What a package depends on under its own name, most often an earlier version of itself, is found in the package: beside it the name is
/// its own.
fn link_namesakes(tree: &mut TreeWriter<'_>, layout: &Layout<'_>, ids: &[PackageId]) -> Result<()> {
    let plan = tree.plan;
    for &id in ids {
        let own = plan.str(tree.package(id).name);
        let found = linked(plan, id).find(|(name, to)| *name == own && *to != id && !tree.missing.contains(to));
        let (Some((_, to)), Some(path)) = (found, layout.package_path(id)) else { continue };
        let Some(target) = layout.package_path(to) else { continue };
        let dir = format!("{path}/node_modules");
        tree.container(c_path(&dir)?)?;
        let parent = own.rsplit_once('/').map_or_else(|| dir.clone(), |(scope, _)| format!("{dir}/{scope}"));
        if parent != dir {
            tree.container(c_path(&parent)?)?;
        }
        tree.symlink(c_path(&format!("{dir}/{own}"))?, &relative(&parent, &target))?;
    }
    Ok(())
}

/// The links beside each of `ids`, computed on several threads.
fn all_siblings(
    tree: &TreeWriter<'_>,
    layout: &Layout<'_>,
    ids: &[PackageId],
    global: bool,
) -> Result<Vec<Vec<(String, String)>>> {
    type Links = Result<Vec<(String, String)>>;
    let results: Vec<OnceLock<Links>> = ids.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(slot) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            results.get(at).zip(ids.get(at))
        } {
            let _ = slot.0.set(layout.siblings(tree, *slot.1, global));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..tree.options.threads.min(ids.len() / 100 + 1) {
            let _ = std::thread::Builder::new().name("bao-link".into()).spawn_scoped(scope, work);
        }
        work();
    });
    results.into_iter().map(|slot| slot.into_inner().unwrap_or_else(|| Ok(Vec::new()))).collect()
}

/// Names for optional packages that could not be had were made before that was known.
fn remove_dangling(tree: &mut TreeWriter<'_>, layout: &Layout<'_>) -> Result<()> {
    if tree.missing.is_empty() {
        return Ok(());
    }
    let gone: Vec<String> = tree.missing.iter().filter_map(|&id| layout.package_path(id)).collect();
    tree.forget_links(|target| gone.iter().any(|path| target.ends_with(path.trim_start_matches("node_modules/"))))
}

/// `.bun/node_modules`: every package once, for code that requires what it does not depend on.
fn link_hidden(tree: &mut TreeWriter<'_>, layout: &Layout<'_>) -> Result<()> {
    let plan = tree.plan;
    // The names under which packages are depended on, aliases too; of several packages of one name the first.
    let mut names: FxHashMap<&str, PackageId> = FxHashMap::default();
    for &from in layout.projects.iter().map(|(id, _)| id).chain(&layout.used) {
        for (name, id) in linked(plan, from) {
            let folder = tree.package(id).kind == Kind::Folder;
            if layout.entry(id).is_some() && !folder && !tree.missing.contains(&id) {
                names.entry(name).and_modify(|known| *known = id.min(*known)).or_insert(id);
            }
        }
    }
    let patterns = &tree.options.hoist_pattern;
    names.retain(|name, _| patterns.is_empty() || matches(patterns, name));
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_unstable();
    link_names(tree, layout, "node_modules/.bun/node_modules", names)
}

fn link_names(tree: &mut TreeWriter<'_>, layout: &Layout<'_>, dir: &str, names: Vec<(&str, PackageId)>) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    tree.container(c_path(dir)?)?;
    let mut scope = "";
    for (name, id) in names {
        if let Some((its, _)) = name.split_once('/')
            && its != scope
        {
            scope = its;
            tree.container(c_path(&format!("{dir}/{its}"))?)?;
        }
        let path = format!("{dir}/{name}");
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let Some(target) = layout.package_path(id) else {
            continue;
        };
        let target = relative(parent, &target);
        tree.symlink_later(c_path(&path)?, &target)?;
    }
    Ok(())
}

/// A cache that cannot be written to has no room for a global store: the project then has its packages itself.
fn is_writable(tree: &TreeWriter<'_>) -> bool {
    let may_write = |name: &str| {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::accessat(tree.store.cache_fd(), name, access, AtFlags::EACCESS)
    };
    match may_write("links") {
        Err(Errno::NOENT) => may_write(".").is_ok(),
        result => result.is_ok(),
    }
}

type Names<'a> = Vec<(&'a str, PackageId)>;

/// node_modules of the project and of each workspace member: its direct dependencies. Gives back which those are.
fn link_projects<'a>(tree: &mut TreeWriter<'a>, layout: &Layout<'a>) -> Result<Vec<Names<'a>>> {
    let plan = tree.plan;
    let mut all = Vec::new();
    for (project, dir) in &layout.projects {
        // As in Bun a member has a link in the root only where the root depends on it.
        let only_member = |name: &str, to: PackageId| {
            let mut edges = plan.edges_of(tree.package(*project)).iter();
            edges.all(|edge| edge.package != to || edge.kind == EdgeKind::Workspace || plan.str(edge.name) != name)
        };
        let mut names: Names<'a> =
            linked(plan, *project).filter(|(name, to)| !tree.missing.contains(to) && !only_member(name, *to)).collect();
        if *project == 0 && !tree.options.public_hoist_pattern.is_empty() {
            for &id in &layout.used {
                let name = plan.str(tree.package(id).name);
                if matches(&tree.options.public_hoist_pattern, name) {
                    names.push((name, id));
                }
            }
        }
        let mut taken = FxHashSet::default();
        names.retain(|(name, _)| taken.insert(*name));
        names.sort_unstable();
        link_names(tree, layout, &modules(dir), names.clone())?;
        all.push(names);
    }
    Ok(all)
}

fn modules(dir: &str) -> String {
    if dir.is_empty() { "node_modules".to_owned() } else { format!("{dir}/node_modules") }
}

/// The commands of the direct dependencies.
fn link_bins(tree: &mut TreeWriter<'_>, layout: &Layout<'_>, projects: &[Names<'_>]) -> Result<()> {
    for ((project, dir), names) in layout.projects.iter().zip(projects) {
        let modules = modules(dir);
        let native = |id| layout.package_path(id).map(|path| relative(&format!("{modules}/.bin"), &path));
        let beside: Vec<Beside<'_>> = names
            .iter()
            .map(|(name, id)| Beside { path: format!("../{name}"), package: *id, direct: true, native: &native })
            .collect();
        bins::link(tree, &modules, &beside)?;
        if *project == 0 {
            bins::link_global(tree, &beside)?;
        }
    }
    Ok(())
}

/// The global store: entries that are not there are made beside it and renamed, then the project's entries are links to them.
fn link_shared(tree: &mut TreeWriter<'_>, layout: &Layout<'_>, ids: &[PackageId]) -> Result<()> {
    let shared: Vec<(PackageId, String)> =
        ids.iter().filter_map(|&id| Some((id, layout.entry(id)?.global.clone()?))).collect();
    let links_path = tree.store.path().join("links");
    let failed = |error| io("Could not write to the global store", &links_path, error);
    let editing = if tree.existed { super::editing::entries(&tree.plan.root) } else { FxHashSet::default() };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = || rustix::fs::openat(tree.store.cache_fd(), "links", flags, Mode::empty());
    let links = match open() {
        Err(Errno::NOENT) => {
            rustix::fs::mkdirat(tree.store.cache_fd(), "links", Mode::from_raw_mode(0o755))
                .or_else(exists)
                .map_err(failed)?;
            open()
        }
        result => result,
    }
    .map_err(failed)?;
    let known = listed(links.as_fd(), shared.len());
    let missing: Vec<(PackageId, &String)> = shared
        .iter()
        .filter(|(_, name)| match &known {
            // What is there may be damaged.
            _ if tree.options.force => true,
            Some(known) => !known.contains(name.as_bytes()),
            None => CString::new(name.as_str()).is_ok_and(|name| fs::stamp(links.as_fd(), &name).is_none()),
        })
        .map(|(id, name)| (*id, name))
        .collect();
    let wanted: Vec<PackageId> = missing.iter().map(|(id, _)| *id).collect();
    let siblings = all_siblings(tree, layout, &wanted, true)?;
    let made: Vec<_> =
        missing.iter().zip(siblings).map(|((id, name), siblings)| (*id, (*name).clone(), siblings)).collect();
    let writer = Shared { links: &links, counter: AtomicU64::new(0) };
    let tree_ref: &TreeWriter<'_> = tree;
    let by_id: FxHashMap<PackageId, usize> = made.iter().enumerate().map(|(at, (id, ..))| (*id, at)).collect();
    let absent = tree_ref.run_packages(&wanted, &|id| {
        let (_, name, siblings) = &made[by_id[&id]];
        writer.make(tree_ref, id, name, siblings)
    })?;
    tree.missing.extend(absent);
    for (id, global) in &shared {
        if tree.missing.contains(id) {
            continue;
        }
        let Some(entry) = layout.entry(*id) else {
            continue;
        };
        let path = c_path(&format!("node_modules/.bun/{}", entry.name))?;
        let target = links_path.join(global);
        let target = target.to_string_lossy();
        if editing.contains(&entry.name) {
            tree.leave(path, &target);
            continue;
        }
        if !tree.existed {
            tree.symlink_later(path, &target)?;
        } else if !tree.symlink(path, &target)? {
            tree.linked.skipped += 1;
            continue;
        }
        tree.linked.installed += 1;
        tree.linked.changed.push(*id);
    }
    // Only that the store is still the same directory: other projects add to it.
    tree.watch(c_path(&links_path.to_string_lossy())?);
    Ok(())
}

fn exists(error: Errno) -> Result<(), Errno> {
    if error == Errno::EXIST { Ok(()) } else { Err(error) }
}

/// The names in the store, where there are not many more than are wanted; then one look at each is cheaper.
fn listed(links: BorrowedFd<'_>, wanted: usize) -> Option<FxHashSet<Vec<u8>>> {
    let dir = fs::open_dir(links, c".").ok()?;
    let mut names = FxHashSet::default();
    let most = wanted * 8 + 1000;
    let mut staged = Vec::new();
    fs::entries(dir.as_fd(), |name, _| {
        if name.to_bytes().starts_with(b".tmp-") {
            staged.push(name.to_owned());
        }
        names.insert(name.to_bytes().to_vec());
        if names.len() > most { Err(Errno::TOOBIG) } else { Ok(()) }
    })
    .ok()?;
    // What killed processes left more than an hour ago.
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i64);
    for name in staged {
        if fs::stamp(links, &name).is_some_and(|stamp| now - stamp.time > 3_600_000_000_000) {
            let _ = fs::remove(links, &name);
        }
    }
    Some(names)
}

struct Shared<'a> {
    links: &'a OwnedFd,
    counter: AtomicU64,
}

impl Shared<'_> {
    fn make(&self, tree: &TreeWriter<'_>, id: PackageId, name: &str, siblings: &[(String, String)]) -> Result<()> {
        let failed =
            |error| tree.named(io("Could not write to the global store", &tree.store.path().join("links"), error), id);
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        let staged = c_path(&format!(".tmp-{}-{count}", std::process::id()))?;
        fs::remove(self.links.as_fd(), &staged).map_err(failed)?;
        rustix::fs::mkdirat(self.links, &staged, Mode::from_raw_mode(0o755)).map_err(failed)?;
        let result = (|| -> Result<(), Error> {
            let dir = fs::open_path(self.links.as_fd(), &staged).map_err(failed)?;
            put_siblings(dir.as_fd(), "node_modules", tree.plan.str(tree.package(id).name), siblings)
                .map_err(failed)?;
            let path = c_path(&format!("node_modules/{}", tree.plan.str(tree.package(id).name)))?;
            tree.place(dir.as_fd(), &path, NO_ID, id)?;
            let name = c_path(name)?;
            match rustix::fs::renameat(self.links, &staged, self.links, &name) {
                Err(Errno::EXIST | Errno::NOTEMPTY) if tree.options.force => {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(self.links, &staged, self.links, &name, exchange).map_err(failed)?;
                    fs::remove(self.links.as_fd(), &staged).map_err(failed)
                }
                // Another process was first.
                Err(Errno::EXIST | Errno::NOTEMPTY) => fs::remove(self.links.as_fd(), &staged).map_err(failed),
                result => result.map_err(failed),
            }
        })();
        if result.is_err() {
            let _ = fs::remove(self.links.as_fd(), &staged);
        }
        result
    }
}

/// Makes `dir` below `at` with the links of an entry, and the scope directory of the package itself.
pub(super) fn put_siblings(
    at: BorrowedFd<'_>,
    dir: &str,
    own: &str,
    siblings: &[(String, String)],
) -> Result<(), Errno> {
    fs::make_dirs(at, dir)?;
    let mode = Mode::from_raw_mode(0o755);
    let mut scopes: Vec<&str> = Vec::new();
    for name in siblings.iter().map(|(name, _)| name.as_str()).chain([own]) {
        if let Some((scope, _)) = name.split_once('/')
            && !scopes.contains(&scope)
        {
            scopes.push(scope);
            rustix::fs::mkdirat(at, format!("{dir}/{scope}"), mode).or_else(exists)?;
        }
    }
    for (name, target) in siblings {
        let (path, target) = (CString::new(format!("{dir}/{name}")), CString::new(target.as_str()));
        let (Ok(path), Ok(target)) = (path, target) else {
            return Err(Errno::INVAL);
        };
        link_at(at, &path, &target, false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{matches, plain, without_user};

    #[test]
    fn patterns() {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        assert!(matches(&list(&["*eslint*"]), "@types/eslint-x"));
        assert!(!matches(&list(&["*eslint*", "!@types/*"]), "@types/eslint-x"));
        assert!(!matches(&list(&["react"]), "react-dom"));
        assert_eq!(plain("file:./a b"), "file+.+a+b");
        assert_eq!(without_user("git+https://h.org/r.git#abc"), "git+https://h.org/r.git#abc");
        let hidden = without_user("git+https://me:secret@h.org/r.git#abc");
        assert!(hidden.starts_with("git+https://h.org/r.git+") && hidden.ends_with("#abc"), "{hidden}");
    }
}
