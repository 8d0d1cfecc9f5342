//! The packages of a monorepo: finding them, choosing some by `--filter`, ordering them by their dependencies.

use std::path::{Component, Path, PathBuf};

use glob::Pattern;

use crate::manifest::{self, Manifest};
use crate::output::{Failure, Outcome};

pub struct Workspace {
    pub root: Manifest,
    /// In the order of the patterns, by path within each.
    pub packages: Vec<Manifest>,
}

/// Loads the workspace that `cwd` is in: the nearest `package.json` upwards with `workspaces`. Without one, the nearest
/// `package.json` is a workspace of one package.
pub fn load(cwd: &Path) -> Outcome<Workspace> {
    let mut single = None;
    for dir in cwd.ancestors() {
        let Some(found) = manifest::read(dir)? else { continue };
        if !found.may_name("workspaces") && single.is_some() {
            continue;
        }
        let root = found.parse()?;
        match &root.workspaces {
            Some(patterns) => {
                let packages = members(&root.dir, patterns)?;
                return Ok(Workspace { root, packages });
            }
            None => single = single.or(Some(root)),
        }
    }
    match single {
        Some(root) => Ok(Workspace { root, packages: Vec::new() }),
        None => Err(Failure::new(format!("no package.json in {} or above", cwd.display()))
            .hint("--filter and --workspaces run scripts of the packages that a package.json lists in \"workspaces\"")),
    }
}

fn members(root: &Path, patterns: &[String]) -> Outcome<Vec<Manifest>> {
    let clean = |pattern: &str| pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/').to_string();
    let excluded: Vec<Pattern> =
        patterns.iter().filter_map(|p| p.strip_prefix('!')).map(|p| Pattern::new(&clean(p))).collect();
    let mut packages: Vec<Manifest> = Vec::new();
    for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
        for pattern in glob::spread(&clean(pattern)) {
            let mut dirs = Vec::new();
            let segments: Vec<&str> = pattern.split('/').filter(|segment| *segment != ".").collect();
            expand(root, &segments, &mut dirs);
            dirs.sort();
            for dir in dirs {
                let relative = relative(root, &dir);
                if dir == root
                    || packages.iter().any(|known| known.dir == dir)
                    || excluded.iter().any(|pattern| pattern.matches(relative.as_bytes()))
                {
                    continue;
                }
                if let Some(found) = manifest::read(&dir)? {
                    packages.push(found.parse()?);
                }
            }
        }
    }
    Ok(packages)
}

/// Collects the directories that a pattern, cut at its slashes, names below `dir`.
fn expand(dir: &Path, segments: &[&str], out: &mut Vec<PathBuf>) {
    let Some((segment, rest)) = segments.split_first() else {
        out.push(dir.to_path_buf());
        return;
    };
    if *segment == "**" {
        expand(dir, rest, out);
        for name in subdirectories(dir) {
            expand(&dir.join(name), segments, out);
        }
    } else if *segment == ".." {
        if let Some(parent) = dir.parent() {
            expand(parent, rest, out);
        }
    } else if glob::is_pattern(segment) {
        let pattern = Pattern::new(segment);
        for name in subdirectories(dir) {
            if pattern.matches(name.as_bytes()) {
                expand(&dir.join(name), rest, out);
            }
        }
    } else {
        expand(&dir.join(segment), rest, out);
    }
}

/// Names of the directories that may hold packages; links to directories count.
fn subdirectories(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry)))
        .filter(|(name, _)| name != "node_modules" && !name.starts_with('.'))
        .filter(|(_, entry)| {
            entry.file_type().is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()))
        })
        .map(|(name, _)| name)
        .collect()
}

fn relative(base: &Path, path: &Path) -> String {
    path.strip_prefix(base).unwrap_or(path).to_string_lossy().into_owned()
}

/// One `--filter`: `[!][...[^]]NAME-OR-PATH[[^]...]`.
#[derive(Debug, PartialEq, Eq)]
struct Filter<'a> {
    negated: bool,
    /// Starts with `...`: also what depends on the match.
    dependents: bool,
    /// Ends with `...`: also what the match depends on.
    dependencies: bool,
    /// `^`: without the match itself.
    only_others: bool,
    pattern: &'a str,
}

impl<'a> Filter<'a> {
    fn parse(text: &'a str) -> Filter<'a> {
        let (negated, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // `..` is a path.
        let (dependents, text) = match text.strip_prefix("...") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (dependencies, text) = match text.strip_suffix("...") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut pattern = text;
        let mut only_others = false;
        if dependents && let Some(rest) = pattern.strip_prefix('^') {
            (only_others, pattern) = (true, rest);
        }
        if dependencies && let Some(rest) = pattern.strip_suffix('^') {
            (only_others, pattern) = (true, rest);
        }
        Filter { negated, dependents, dependencies, only_others, pattern }
    }

    fn matches(&self, package: &Manifest, is_root: bool, cwd: &Path) -> bool {
        let pattern = self.pattern;
        if pattern.starts_with(['.', '/']) {
            let (base, rest) = split_path(cwd, pattern);
            return match package.dir.strip_prefix(&base) {
                // The root is in the tree of every pattern; a script that filters by one would call itself.
                Ok(relative) if !rest.is_empty() => {
                    !is_root && Pattern::new(&rest).matches(relative.to_string_lossy().as_bytes())
                }
                Ok(relative) => relative.as_os_str().is_empty(),
                Err(_) => false,
            };
        }
        let Some(name) = &package.name else { return false };
        if glob::is_pattern(pattern) {
            !is_root && (pattern == "*" || Pattern::new(pattern).matches(name.as_bytes()))
        } else {
            pattern == name
        }
    }
}

/// Cuts a path pattern into the directory that its plain beginning names and the rest, which starts with a glob.
fn split_path(cwd: &Path, pattern: &str) -> (PathBuf, String) {
    let mut base = if pattern.starts_with('/') { PathBuf::from("/") } else { cwd.to_path_buf() };
    let mut segments = pattern.split('/').filter(|segment| !segment.is_empty()).peekable();
    while let Some(segment) = segments.next_if(|segment| !glob::is_pattern(segment)) {
        match Path::new(segment).components().next() {
            Some(Component::ParentDir) => drop(base.pop()),
            Some(Component::CurDir) | None => {}
            _ => base.push(segment),
        }
    }
    (base, segments.collect::<Vec<_>>().join("/"))
}

/// A package chosen to run scripts in.
#[derive(Debug, PartialEq)]
pub struct Chosen<'a> {
    pub package: &'a Manifest,
    /// What to call it: its name, else its path from the root.
    pub label: String,
    /// Places in the list of those that come first because it depends on them.
    pub after: Vec<usize>,
}

impl Workspace {
    /// The packages that match, dependencies before dependents. Patterns that start with `!` take packages away from
    /// those that the others choose, or from all. No pattern at all chooses all.
    pub fn choose(&self, filters: &[String], cwd: &Path) -> Outcome<Vec<Chosen<'_>>> {
        let all: Vec<&Manifest> = self.packages.iter().chain(std::iter::once(&self.root)).collect();
        let root = all.len() - 1;
        let is_root = |index: usize| index == root;
        let graph = Graph::new(&all);
        let parsed: Vec<Filter<'_>> = filters.iter().map(|filter| Filter::parse(filter)).collect();
        let mut chosen = vec![false; all.len()];
        if parsed.iter().all(|filter| filter.negated) {
            for (index, package) in all.iter().enumerate() {
                chosen[index] = !is_root(index) && package.name.is_some();
            }
            // The only package of a project that is no monorepo.
            if self.root.workspaces.is_none() {
                chosen[root] = true;
            }
        }
        for filter in parsed.iter().filter(|filter| !filter.negated).chain(parsed.iter().filter(|f| f.negated)) {
            for (index, package) in all.iter().enumerate() {
                let lone = self.root.workspaces.is_none();
                if !filter.matches(package, is_root(index) && !lone, cwd) {
                    continue;
                }
                let mut hits = vec![false; all.len()];
                hits[index] = !filter.only_others;
                if filter.dependencies {
                    graph.reach(&graph.dependencies, index, &mut hits);
                }
                if filter.dependents {
                    graph.reach(&graph.dependents, index, &mut hits);
                }
                for (slot, hit) in chosen.iter_mut().zip(hits) {
                    if hit {
                        *slot = !filter.negated;
                    }
                }
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
        let mut order = Vec::new();
        let mut seen = vec![false; all.len()];
        for index in 0..all.len() {
            graph.visit(index, &mut seen, &mut order);
        }
        order.retain(|index| chosen[*index]);
        let place = |package: usize| order.iter().position(|index| *index == package);
        order
            .iter()
            .enumerate()
            .map(|(at, &index)| {
                let mut before = vec![false; all.len()];
                graph.reach(&graph.dependencies, index, &mut before);
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

/// Dependencies between packages, by index.
struct Graph {
    dependencies: Vec<Vec<usize>>,
    dependents: Vec<Vec<usize>>,
}

impl Graph {
    fn new(all: &[&Manifest]) -> Graph {
        let by_name: std::collections::HashMap<&str, usize> =
            all.iter().enumerate().filter_map(|(index, package)| Some((package.name.as_deref()?, index))).collect();
        let mut graph = Graph { dependencies: vec![Vec::new(); all.len()], dependents: vec![Vec::new(); all.len()] };
        for (index, package) in all.iter().enumerate() {
            for name in &package.dependencies {
                if let Some(&other) = by_name.get(name.as_str())
                    && other != index
                {
                    graph.dependencies[index].push(other);
                    graph.dependents[other].push(index);
                }
            }
        }
        graph
    }

    /// Marks everything that edges lead to from `index`, without `index` itself.
    fn reach(&self, edges: &[Vec<usize>], index: usize, marks: &mut [bool]) {
        let mut seen = vec![false; edges.len()];
        seen[index] = true;
        let mut stack = vec![index];
        while let Some(at) = stack.pop() {
            for &next in &edges[at] {
                if !std::mem::replace(&mut seen[next], true) {
                    marks[next] = true;
                    stack.push(next);
                }
            }
        }
    }

    /// Dependencies first.
    fn visit(&self, index: usize, seen: &mut [bool], order: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[index], true) {
            return;
        }
        for &dependency in &self.dependencies[index] {
            self.visit(dependency, seen, order);
        }
        order.push(index);
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
