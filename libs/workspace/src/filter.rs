//! `--filter`: which packages of a workspace a command is about.
//!
//! | pattern | chooses |
//! |---|---|
//! | `name`, `@scope/*`, `*` | packages by a glob over their names; `*` alone means all names |
//! | `./dir`, `../dir`, `.`, `./packages/*`, `/w/dir` | packages by a glob over their directories, from the current one |
//! | `{dir}` | the same with the directory in braces; without `./` from the current directory, too |
//! | `p...`, `p^...` | what `p` chooses with (without itself: `^`) everything of the workspace that it depends on |
//! | `...p`, `...^p` | what `p` chooses with (without itself) everything of the workspace that depends on it |
//! | `!p` | takes what `p` chooses away, wherever it stands; with nothing but such patterns all others are chosen |

use std::path::Path;

use glob::is_pattern;

use crate::graph::{Graph, Package};
use crate::members::resolve;

/// Where a filter is used, and by what.
#[derive(Debug, Clone, Copy)]
pub struct FilterOptions<'a> {
    /// The directory of the workspace, absolute.
    pub root: &'a Path,
    /// The current directory, absolute.
    pub here: &'a Path,
    /// Globs over names, and filters that only take away, mean the root like any other package: so for the package
    /// manager. A script of the root that runs scripts by a filter must not call itself; it is chosen by its own name
    /// or path only.
    pub root_is_member: bool,
}

/// What a list of filters chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    /// One for each package.
    pub chosen: Vec<bool>,
    /// Filters that fit nothing; those that take away are not among them.
    pub unmatched: Vec<String>,
}

/// A filter taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Filter<'a> {
    negated: bool,
    /// `...p`
    dependents: bool,
    /// `p...`
    dependencies: bool,
    /// `^`: without the match itself.
    only_others: bool,
    pattern: &'a str,
}

impl<'a> Filter<'a> {
    fn parse(text: &'a str) -> Self {
        let strip = |text: &'a str, found: Option<&'a str>| found.map_or((false, text), |rest| (true, rest));
        let (negated, text) = strip(text, text.strip_prefix('!'));
        let (dependents, text) = strip(text, text.strip_prefix("..."));
        let (dependencies, text) = strip(text, text.strip_suffix("..."));
        let (mut pattern, mut only_others) = (text, false);
        if dependents && let Some(rest) = pattern.strip_prefix('^') {
            (only_others, pattern) = (true, rest);
        }
        if dependencies && let Some(rest) = pattern.strip_suffix('^') {
            (only_others, pattern) = (true, rest);
        }
        Filter { negated, dependents, dependencies, only_others, pattern }
    }

    /// The pattern, if it is one for directories.
    fn directory(&self) -> Option<&'a str> {
        let braced = self.pattern.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        braced.or_else(|| self.pattern.starts_with(['.', '/']).then_some(self.pattern))
    }

    /// Whether it chooses a package by itself.
    fn matches(&self, package: &Package<'_>, options: FilterOptions<'_>) -> bool {
        let is_root = package.path.is_empty();
        if let Some(directory) = self.directory() {
            let (base, rest) = split_directory(options.here, directory);
            let path = resolve(&options.root.to_string_lossy(), package.path);
            let below = match path.strip_prefix(&base) {
                Some("") => "",
                Some(below) if base == "/" => below,
                Some(below) if below.starts_with('/') => &below[1..],
                _ => return false,
            };
            return if rest.is_empty() { below.is_empty() } else { !is_root && crate::matches(&rest, below) };
        }
        let Some(name) = package.name else { return false };
        if is_pattern(self.pattern) {
            (!is_root || options.root_is_member) && (self.pattern == "*" || crate::matches(self.pattern, name))
        } else {
            self.pattern == name && !name.is_empty()
        }
    }
}

/// Cuts a pattern for directories into the directory that its plain beginning names, absolute, and the rest, which starts
/// with a glob.
fn split_directory(here: &Path, pattern: &str) -> (String, String) {
    let plain = pattern.split('/').take_while(|segment| !is_pattern(segment)).count();
    let segments: Vec<&str> = pattern.split('/').collect();
    let start = segments[..plain].join("/");
    let start = if pattern.starts_with('/') { format!("/{start}") } else { start };
    let rest: Vec<&str> = segments[plain..].iter().copied().filter(|segment| !segment.is_empty()).collect();
    (resolve(&here.to_string_lossy(), &start), rest.join("/"))
}

/// Whether a filter names one package: it is no glob and does not take away.
pub fn is_exact(filter: &str) -> bool {
    let filter = Filter::parse(filter);
    !filter.negated && !is_pattern(filter.directory().unwrap_or(filter.pattern))
}

/// What `filters` choose. Without filters everything is chosen.
pub fn select(packages: &[Package<'_>], graph: &Graph, filters: &[String], options: FilterOptions<'_>) -> Selected {
    let parsed: Vec<Filter<'_>> = filters.iter().map(|filter| Filter::parse(filter)).collect();
    let mut selected = Selected { chosen: vec![filters.is_empty(); packages.len()], unmatched: Vec::new() };
    if !filters.is_empty() && parsed.iter().all(|filter| filter.negated) {
        for (slot, package) in selected.chosen.iter_mut().zip(packages) {
            *slot = if package.path.is_empty() { options.root_is_member } else { package.name.is_some() };
        }
    }
    // What is taken away stays away, wherever the filter stands.
    let (negated, positive): (Vec<_>, Vec<_>) = parsed.iter().zip(filters).partition(|(filter, _)| filter.negated);
    for (filter, text) in positive.into_iter().chain(negated) {
        let mut fits = false;
        for (place, package) in packages.iter().enumerate() {
            if !filter.matches(package, options) {
                continue;
            }
            fits = true;
            let mut hits = vec![false; packages.len()];
            hits[place] = !filter.only_others;
            if filter.dependencies {
                Graph::reach(&graph.dependencies, place, &mut hits);
            }
            if filter.dependents {
                Graph::reach(&graph.dependents, place, &mut hits);
            }
            for (slot, hit) in selected.chosen.iter_mut().zip(hits) {
                if hit {
                    *slot = !filter.negated;
                }
            }
        }
        if !fits && !filter.negated {
            selected.unmatched.push(text.clone());
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edges;

    const LIST: [(&str, &str, &[&str]); 5] = [
        ("app", "", &[]),
        ("one", "packages/one", &["two"]),
        ("two", "packages/two", &["@s/three"]),
        ("@s/three", "libs/three", &[]),
        ("", "libs/unnamed", &["one"]),
    ];

    fn chosen_as(root_is_member: bool, filters: &[&str], here: &str) -> String {
        let packages: Vec<Package<'_>> = LIST
            .iter()
            .map(|(name, path, needs)| Package {
                name: Some(*name).filter(|name| !name.is_empty()),
                path,
                version: "",
                dependencies: needs.iter().map(|name| (*name, "workspace:*")).collect(),
            })
            .collect();
        let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
        let here = Path::new("/w").join(here);
        let options = FilterOptions { root: Path::new("/w"), here: &here, root_is_member };
        let selected = select(&packages, &Graph::new(&packages, Edges::Versions), &filters, options);
        let chosen = (0..packages.len()).filter(|at| selected.chosen[*at]).map(|at| at.to_string());
        chosen.chain(selected.unmatched.iter().map(|filter| format!("no {filter}"))).collect::<Vec<_>>().join(" ")
    }

    fn run(filters: &[&str], here: &str) -> String {
        chosen_as(false, filters, here)
    }

    #[test]
    fn names() {
        assert_eq!(run(&["one"], ""), "1");
        assert_eq!(run(&["t*"], ""), "2");
        assert_eq!(run(&["@s/*"], ""), "3");
        assert_eq!(run(&["*"], ""), "1 2 3");
        assert_eq!(run(&["**"], ""), "1 2 3");
        assert_eq!(run(&["*/three"], ""), "3");
        assert_eq!(run(&["@s*"], ""), "no @s*");
        assert_eq!(run(&["@(one|two)"], ""), "1 2");
        assert_eq!(run(&["nosuch"], ""), "no nosuch");
        assert_eq!(run(&["app"], ""), "0");
        assert_eq!(run(&["a*"], ""), "no a*");
        assert_eq!(run(&[], ""), "0 1 2 3 4");
    }

    #[test]
    fn paths() {
        assert_eq!(run(&["./packages/*"], ""), "1 2");
        assert_eq!(run(&["{packages/one}"], ""), "1");
        assert_eq!(run(&["{./packages/one}"], ""), "1");
        assert_eq!(run(&["{packages/*}"], ""), "1 2");
        assert_eq!(run(&["{libs/**}"], ""), "3 4");
        assert_eq!(run(&["./packages/{one,two}"], ""), "1 2");
        assert_eq!(run(&["."], ""), "0");
        assert_eq!(run(&["./"], ""), "0");
        assert_eq!(run(&["./**"], ""), "1 2 3 4");
        assert_eq!(run(&["./*"], "packages"), "1 2");
        assert_eq!(run(&["."], "packages/one"), "1");
        assert_eq!(run(&["../libs/**"], "packages"), "3 4");
        assert_eq!(run(&["../two", "/w/libs/three/"], "packages/one"), "2 3");
        assert_eq!(run(&["/w/*/one"], "libs"), "1");
        assert_eq!(run(&["./libs/../packages/*"], ""), "1 2");
        assert_eq!(run(&["packages/one"], ""), "no packages/one");
        assert_eq!(run(&["./packages"], ""), "no ./packages");
        assert_eq!(run(&["./pack"], ""), "no ./pack");
    }

    #[test]
    fn relations() {
        assert_eq!(run(&["one..."], ""), "1 2 3");
        assert_eq!(run(&["one^..."], ""), "2 3");
        assert_eq!(run(&["...@s/three"], ""), "1 2 3 4");
        assert_eq!(run(&["...^@s/three"], ""), "1 2 4");
        assert_eq!(run(&["{packages/*}..."], ""), "1 2 3");
        assert_eq!(run(&["...two..."], ""), "1 2 3 4");
        assert_eq!(run(&["one...two"], ""), "no one...two");
    }

    #[test]
    fn what_is_taken_away_stays_away() {
        assert_eq!(run(&["!one"], ""), "2 3");
        assert_eq!(run(&["!one", "!two"], ""), "3");
        assert_eq!(run(&["!one", "one"], ""), "");
        assert_eq!(run(&["one", "!one"], ""), "");
        assert_eq!(run(&["!one", "*"], ""), "2 3");
        assert_eq!(run(&["!t*", "two", "!one", "*"], ""), "3");
        assert_eq!(run(&["!two..."], ""), "1");
        assert_eq!(run(&["!./packages/*"], ""), "3");
        assert_eq!(run(&["!{packages/one}", "one"], ""), "");
    }

    #[test]
    fn the_root_in_the_package_manager() {
        let install = |filters| chosen_as(true, filters, "");
        assert_eq!(install(&["*"]), "0 1 2 3");
        assert_eq!(install(&["a*"]), "0");
        assert_eq!(install(&["!one"]), "0 2 3");
        assert_eq!(install(&["!app"]), "1 2 3");
        assert_eq!(install(&["./**"]), "1 2 3 4");
        assert_eq!(install(&["."]), "0");
        assert_eq!(install(&["!./packages/*"]), "0 3");
    }

    #[test]
    fn exact() {
        assert!(is_exact("one") && is_exact("{packages/one}") && is_exact("./a...") && is_exact("...@s/three"));
        assert!(!is_exact("!one") && !is_exact("t*") && !is_exact("{packages/*}"));
    }
}
