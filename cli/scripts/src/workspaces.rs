//! The packages of a monorepo: finding them, choosing some by `--filter`, ordering them by their dependencies.

use std::path::Path;

use workspace::{Edges, FilterOptions, Graph, Package};

use crate::manifest::{self, Manifest};
use crate::output::{self, Failure, Outcome};

pub(crate) struct Workspace {
    pub root: Manifest,
    /// In the order of the patterns, by path within each.
    pub packages: Vec<Manifest>,
}

/// Loads the workspace that `cwd` is in: the nearest `package.json` upwards with `workspaces`. Without one, the nearest
/// `package.json` is a workspace of one package.
pub(crate) fn load(cwd: &Path) -> Outcome<Workspace> {
    let mut single = None;
    for dir in cwd.ancestors() {
        let Some(found) = manifest::read(dir)? else { continue };
        if !found.may_name("workspaces") && single.is_some() {
            continue;
        }
        let root = found.parse()?;
        match &root.workspaces {
            Some(patterns) => {
                let packages = members(&root.dir, patterns);
                return Ok(Workspace { root, packages });
            }
            None => single = single.or(Some(root)),
        }
    }
    match single {
        Some(root) => Ok(Workspace { root, packages: Vec::new() }),
        None => scattered(cwd),
    }
}

/// Most directories that are looked at for packages that no `package.json` lists.
const MAX_DIRECTORIES: usize = 20_000;

/// The packages below a directory that belongs to no package itself, as in Bun: all of them are members.
fn scattered(cwd: &Path) -> Outcome<Workspace> {
    let mut packages = Vec::new();
    let mut pending = vec![cwd.to_path_buf()];
    let mut seen = 0;
    while let Some(dir) = pending.pop() {
        seen += 1;
        if seen > MAX_DIRECTORIES {
            return Err(Failure::new(format!("more than {MAX_DIRECTORIES} directories below {}", cwd.display()))
                .hint("a package.json with \"workspaces\" says where the packages are"));
        }
        packages.extend(member(&dir));
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        let mut below: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| entry.file_name() != "node_modules" && entry.file_name() != ".git")
            .map(|entry| entry.path())
            .collect();
        below.sort_unstable_by(|one, other| other.cmp(one));
        pending.append(&mut below);
    }
    if packages.is_empty() {
        return Err(Failure::new(format!("no package.json in {} or above", cwd.display())).hint(
            "--filter and --workspaces run scripts of the packages that a package.json lists in \"workspaces\"",
        ));
    }
    Ok(Workspace { root: Manifest::parse(cwd, "{}")?, packages })
}

fn members(root: &Path, patterns: &[String]) -> Vec<Manifest> {
    let mut packages = Vec::new();
    for found in workspace::members(root, patterns) {
        let dir = workspace::resolve(&root.to_string_lossy(), &found.path);
        packages.extend(member(Path::new(&dir)));
    }
    packages
}

/// The package in a directory. A broken one must not keep the others from running, as in Bun.
fn member(dir: &Path) -> Option<Manifest> {
    match manifest::read(dir).and_then(|found| found.map(|found| found.parse()).transpose()) {
        Ok(package) => package,
        Err(failure) => {
            output::warn(&format!("{}; this workspace package is skipped", failure.message));
            None
        }
    }
}

fn relative(base: &Path, path: &Path) -> String {
    path.strip_prefix(base).unwrap_or(path).to_string_lossy().into_owned()
}

fn as_package<'a>(package: &'a Manifest, path: &'a str) -> Package<'a> {
    Package {
        name: package.name.as_deref(),
        path,
        version: package.version.as_deref().unwrap_or_default(),
        dependencies: package.dependencies.iter().map(|name| (name.as_str(), "")).collect(),
    }
}

/// A package chosen to run scripts in.
#[derive(Debug, PartialEq)]
pub(crate) struct Chosen<'a> {
    pub package: &'a Manifest,
    /// What to call it: its name, else its path from the root.
    pub label: String,
    /// Places in the list of those that come first because it depends on them.
    pub after: Vec<usize>,
}

impl Workspace {
    /// The packages that match, dependencies before dependents. Patterns that start with `!` take packages away from
    /// those that the others choose, or from all. No pattern at all chooses all.
    pub(crate) fn choose(&self, filters: &[String], cwd: &Path) -> Outcome<Vec<Chosen<'_>>> {
        let all: Vec<&Manifest> = self.packages.iter().chain(std::iter::once(&self.root)).collect();
        let paths: Vec<String> = all.iter().map(|package| relative(&self.root.dir, &package.dir)).collect();
        let packages: Vec<Package<'_>> =
            all.iter().zip(&paths).map(|(package, path)| as_package(package, path)).collect();
        let graph = Graph::new(&packages, Edges::Names);
        let lone = self.root.workspaces.is_none();
        let options = FilterOptions { root: &self.root.dir, here: cwd, root_is_member: lone };
        let mut chosen = workspace::select(&packages, &graph, filters, options).chosen;
        if filters.is_empty() {
            // The root runs the others.
            for (slot, package) in chosen.iter_mut().zip(&packages) {
                *slot = if package.path.is_empty() { lone } else { package.name.is_some() };
            }
        }
        if !chosen.contains(&true) {
            let list: Vec<String> = filters.iter().map(|filter| format!("\"{filter}\"")).collect();
            let failure = match list.len() {
                0 => Failure::new("this workspace has no packages"),
                1 => Failure::new(format!("No workspace packages matched the filter {}", list[0])),
                _ => Failure::new(format!("No workspace packages matched the filters {}", list.join(", "))),
            };
            let names: Vec<&str> = all.iter().filter_map(|package| package.name.as_deref()).collect();
            return Err(failure.hint(format!(
                "packages of {}: {}",
                self.root.dir.display(),
                if names.is_empty() { "none with a name".to_string() } else { names.join(", ") }
            )));
        }
        Ok(self.ordered(&all, &graph, &chosen))
    }

    fn ordered<'a>(&self, all: &[&'a Manifest], graph: &Graph, chosen: &[bool]) -> Vec<Chosen<'a>> {
        let mut order = graph.order();
        order.retain(|index| chosen[*index]);
        let place = |package: usize| order.iter().position(|index| *index == package);
        order
            .iter()
            .enumerate()
            .map(|(at, &index)| {
                let mut before = vec![false; all.len()];
                Graph::reach(&graph.dependencies, index, &mut before);
                let mut after: Vec<usize> = (0..all.len()).filter(|i| before[*i]).filter_map(place).collect();
                // In a cycle someone has to be first.
                after.retain(|other| *other < at);
                after.sort_unstable();
                let label = match &all[index].name {
                    Some(name) => name.clone(),
                    None => relative(&self.root.dir, &all[index].dir),
                };
                Chosen { package: all[index], label, after }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(dir: &str, name: Option<&str>, dependencies: &[&str]) -> Manifest {
        Manifest {
            dir: dir.into(),
            name: name.map(str::to_string),
            dependencies: dependencies.iter().map(|d| d.to_string()).collect(),
            ..Manifest::default()
        }
    }

    fn workspace() -> Workspace {
        Workspace {
            root: Manifest { workspaces: Some(vec![]), ..package("/w", Some("root"), &[]) },
            packages: vec![
                package("/w/packages/a", Some("@x/a"), &["c"]),
                package("/w/packages/b", Some("@x/b"), &["@x/a"]),
                package("/w/packages/c", Some("c"), &[]),
                package("/w/apps/web", None, &["@x/b"]),
            ],
        }
    }

    fn chosen(filters: &[&str], cwd: &str) -> Vec<String> {
        let filters: Vec<String> = filters.iter().map(|f| f.to_string()).collect();
        let workspace = workspace();
        let list = workspace.choose(&filters, Path::new(cwd));
        list.map(|list| list.into_iter().map(|c| c.label).collect()).unwrap_or_default()
    }

    #[test]
    fn filters() {
        assert_eq!(chosen(&["*"], "/w"), ["c", "@x/a", "@x/b"]);
        assert_eq!(chosen(&["**"], "/w"), ["c", "@x/a", "@x/b"]);
        assert_eq!(chosen(&["@x/*"], "/w"), ["@x/a", "@x/b"]);
        assert_eq!(chosen(&["@x*"], "/w"), [""; 0]);
        assert_eq!(chosen(&["*/a"], "/w"), ["@x/a"]);
        assert_eq!(chosen(&["./packages/*"], "/w"), ["c", "@x/a", "@x/b"]);
        assert_eq!(chosen(&["./**"], "/w"), ["c", "@x/a", "@x/b", "apps/web"]);
        assert_eq!(chosen(&["./apps/*"], "/w"), ["apps/web"]);
        assert_eq!(chosen(&["./packages/{a,b}"], "/w"), ["@x/a", "@x/b"]);
        assert_eq!(chosen(&["../b", "/w/packages/c/"], "/w/packages/a"), ["c", "@x/b"]);
        assert_eq!(chosen(&["."], "/w/packages/a"), ["@x/a"]);
        assert_eq!(chosen(&["packages/*"], "/w"), [""; 0]);
        assert_eq!(chosen(&["./packages"], "/w"), [""; 0]);
        assert_eq!(chosen(&["root"], "/w"), ["root"]);
        assert_eq!(chosen(&["@x/*", "c"], "/w"), ["c", "@x/a", "@x/b"]);
    }

    #[test]
    fn negation() {
        assert_eq!(chosen(&["!c"], "/w"), ["@x/a", "@x/b"]);
        assert_eq!(chosen(&["!c", "!@x/a"], "/w"), ["@x/b"]);
        assert_eq!(chosen(&["!c", "c"], "/w"), [""; 0]);
        assert_eq!(chosen(&["*", "!./packages/a"], "/w"), ["c", "@x/b"]);
    }

    #[test]
    fn relations() {
        assert_eq!(chosen(&["@x/b..."], "/w"), ["c", "@x/a", "@x/b"]);
        assert_eq!(chosen(&["@x/b^..."], "/w"), ["c", "@x/a"]);
        assert_eq!(chosen(&["...@x/a"], "/w"), ["@x/a", "@x/b", "apps/web"]);
        assert_eq!(chosen(&["...^@x/a"], "/w"), ["@x/b", "apps/web"]);
        let workspace = workspace();
        let list = workspace.choose(&["./**".into()], Path::new("/w")).expect("some");
        let after: Vec<&[usize]> = list.iter().map(|c| c.after.as_slice()).collect();
        assert_eq!(after, [&[][..], &[0], &[0, 1], &[0, 1, 2]]);
        // A package in between that was not chosen still keeps the order.
        let list = workspace.choose(&["c".into(), "@x/b".into()], Path::new("/w")).expect("some");
        assert_eq!(list[1].after, [0]);
    }

    #[test]
    fn cycles_end() {
        let workspace = Workspace {
            root: Manifest { workspaces: Some(vec![]), ..package("/w", None, &[]) },
            packages: vec![package("/w/a", Some("a"), &["b"]), package("/w/b", Some("b"), &["a"])],
        };
        let list = workspace.choose(&["*".into()], Path::new("/w")).expect("some");
        assert_eq!(list.iter().map(|c| (c.label.as_str(), c.after.len())).collect::<Vec<_>>(), [("b", 0), ("a", 1)]);
    }

    #[test]
    fn nothing_matches() {
        let error = workspace().choose(&["nope".into()], Path::new("/w")).expect_err("none");
        assert_eq!(error.message, "No workspace packages matched the filter \"nope\"");
        assert_eq!(error.hints, ["packages of /w: @x/a, @x/b, c, root"]);
    }
}
