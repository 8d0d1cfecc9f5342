//! Who depends on whom in a workspace.

use std::collections::HashMap;

use semver::{Range, Version};

/// A package of a workspace, as its package.json says.
#[derive(Debug, Clone, Default)]
pub struct Package<'a> {
    pub name: Option<&'a str>,
    /// The directory relative to the root, with slashes; empty for the root.
    pub path: &'a str,
    /// Empty if it has none.
    pub version: &'a str,
    /// Names and specifiers of all packages that it depends on in any way.
    pub dependencies: Vec<(&'a str, &'a str)>,
}

/// Which dependencies are on other packages of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// All that have their names, as `bun run` has it.
    Names,
    /// Those whose specifier means the version in the workspace, or names the workspace or a catalog: others
    /// come from the registry, which is what `bun install` goes by.
    Versions,
}

/// The dependencies between the packages of a workspace, which are known by their places in the list.
#[derive(Debug)]
pub struct Graph {
    /// Places of the packages that each depends on.
    pub dependencies: Vec<Vec<usize>>,
    /// Places of the packages that depend on each.
    pub dependents: Vec<Vec<usize>>,
}

impl Graph {
    /// Finds out who depends on whom. The root, whose path is empty, has no dependents unless only names count.
    pub fn new(packages: &[Package<'_>], edges: Edges) -> Graph {
        let by_name: HashMap<&str, usize> = packages
            .iter()
            .enumerate()
            .filter(|(_, package)| edges == Edges::Names || !package.path.is_empty())
            .filter_map(|(place, package)| Some((package.name?, place)))
            .collect();
        let mut graph =
            Graph { dependencies: vec![Vec::new(); packages.len()], dependents: vec![Vec::new(); packages.len()] };
        for (place, package) in packages.iter().enumerate() {
            for &(name, specifier) in &package.dependencies {
                let alias = if edges == Edges::Versions { alias(specifier) } else { None };
                let found = alias.and_then(|alias| by_name.get(alias)).or_else(|| by_name.get(name)).copied();
                let Some(found) = found.filter(|found| *found != place) else { continue };
                if edges == Edges::Versions && !means(specifier, packages[found].version)
                    || graph.dependencies[place].contains(&found)
                {
                    continue;
                }
                graph.dependencies[place].push(found);
                graph.dependents[found].push(place);
            }
        }
        graph
    }

    /// Marks everything that `edges` (one of the lists of the graph) lead to from `start`, without `start` itself.
    pub fn reach(edges: &[Vec<usize>], start: usize, marks: &mut [bool]) {
        let mut seen = vec![false; edges.len()];
        seen[start] = true;
        let mut stack = vec![start];
        while let Some(at) = stack.pop() {
            for &next in &edges[at] {
                if !std::mem::replace(&mut seen[next], true) {
                    marks[next] = true;
                    stack.push(next);
                }
            }
        }
    }

    /// All packages, each after those that it depends on; in a cycle one has to be first.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.dependencies.len());
        let mut seen = vec![false; self.dependencies.len()];
        for start in 0..seen.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            // A package and how many of its dependencies have been looked at.
            let mut stack = vec![(start, 0)];
            while let Some((place, next)) = stack.last_mut() {
                match self.dependencies[*place].get(*next) {
                    Some(&dependency) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[dependency], true) {
                            stack.push((dependency, 0));
                        }
                    }
                    None => {
                        order.push(*place);
                        stack.pop();
                    }
                }
            }
        }
        order
    }
}

/// The name in `workspace:name@range`.
fn alias(specifier: &str) -> Option<&str> {
    let rest = specifier.strip_prefix("workspace:")?;
    let scope = usize::from(rest.starts_with('@'));
    let end = rest[scope..].find('@').map_or(rest.len(), |at| at + scope);
    Some(&rest[..end])
}

/// Whether a specifier means the version of the workspace.
fn means(specifier: &str, version: &str) -> bool {
    if specifier.starts_with("workspace:") || specifier.starts_with("catalog:") {
        return true;
    }
    Range::parse(specifier)
        .is_some_and(|range| range.is_any() || Version::parse(version).is_some_and(|version| range.contains(&version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(dependencies: &[&[(&'static str, &'static str)]], edges: Edges) -> Graph {
        let names = ["a", "b", "@s/c"];
        let packages: Vec<Package<'_>> = dependencies
            .iter()
            .enumerate()
            .map(|(place, list)| Package {
                name: Some(names[place]),
                path: names[place],
                version: "1.5.0",
                dependencies: list.to_vec(),
            })
            .collect();
        Graph::new(&packages, edges)
    }

    #[test]
    fn versions_count_for_the_package_manager_only() {
        let list: &[&[(&str, &str)]] =
            &[&[("b", "^2.0.0"), ("x", "workspace:@s/c@*")], &[("@s/c", "1.x"), ("a", "latest")], &[("a", "catalog:")]];
        assert_eq!(graph(list, Edges::Names).dependencies, [vec![1], vec![2, 0], vec![0]]);
        assert_eq!(graph(list, Edges::Versions).dependencies, [vec![2], vec![2], vec![0]]);
    }

    #[test]
    fn order() {
        assert_eq!(graph(&[&[("b", "*")], &[("@s/c", "*")], &[]], Edges::Names).order(), [2, 1, 0]);
        assert_eq!(graph(&[&[("b", "*")], &[("a", "*")]], Edges::Names).order(), [1, 0]);
        let mut marks = [false; 3];
        Graph::reach(
            &graph(&[&[("b", "*")], &[("@s/c", "*"), ("a", "*")], &[]], Edges::Names).dependencies,
            0,
            &mut marks,
        );
        assert_eq!(marks, [false, true, true]);
    }
}
