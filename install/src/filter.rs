//! `--filter`: which packages of a workspace a command is about.
//!
//! | pattern | chooses |
//! |---|---|
//! | `name`, `@scope/*` | packages by a glob over their names |
//! | `./dir`, `../dir`, `.`, `./packages/*` | packages by a glob over their directories, from the current one |
//! | `{dir}` | the same with the directory in braces; without `./` from the current directory, too |
//! | `p...`, `p^...` | what `p` chooses with (without itself: `^`) everything of the workspace that it depends on |
//! | `...p`, `...^p` | what `p` chooses with (without itself) everything of the workspace that depends on it |
//! | `!p` | takes what `p` chooses away; with nothing but such patterns all others are chosen |

use crate::error::{Code, Error, Result};
use crate::project::{Project, matches};
use json::Value;
use rustc_hash::FxHashMap;
use semver::{Range, Version};
use std::path::Path;

/// What a list of filters chooses.
#[derive(Debug)]
pub struct Selected {
    /// One for each manifest of the project, the root first.
    pub chosen: Vec<bool>,
    /// Patterns that fit nothing.
    pub unmatched: Vec<String>,
}

impl Selected {
    /// Indexes of the chosen manifests.
    pub fn indexes(&self) -> Vec<usize> {
        (0..self.chosen.len()).filter(|&at| self.chosen[at]).collect()
    }

    /// Warns of patterns that fit nothing, in Bun's words.
    pub fn warn(&self) {
        for pattern in &self.unmatched {
            crate::warn_line!("<yellow>warn<r>: No workspace packages matched the filter \"{pattern}\"");
        }
    }

    /// An error where nothing at all was chosen.
    pub fn require(&self) -> Result<()> {
        if self.chosen.contains(&true) {
            self.warn();
            return Ok(());
        }
        let list: Vec<String> = self.unmatched.iter().map(|pattern| format!("\"{pattern}\"")).collect();
        let pattern = if list.is_empty() { "of --filter".to_owned() } else { list.join(", ") };
        Err(Error::new(Code::Usage, format!("No workspace packages matched the filter {pattern}")))
    }
}

/// A package of a workspace as filters see it.
struct Member<'a> {
    name: String,
    /// Relative to the root, empty for it.
    path: &'a str,
    version: String,
    /// Indexes of the members it depends on.
    needs: Vec<usize>,
}

/// A pattern taken apart.
struct Pattern<'a> {
    negated: bool,
    /// `p...`: what it needs.
    needs: bool,
    /// `...p`: what needs it.
    needed_by: bool,
    /// With `^`: not itself.
    without: bool,
    text: &'a str,
}

impl<'a> Pattern<'a> {
    fn parse(text: &'a str) -> Self {
        let (negated, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
        let (mut needs, mut needed_by, mut without) = (false, false, false);
        let mut rest = text;
        if let Some(text) = rest.strip_suffix("...") {
            needs = true;
            rest = text;
            if let Some(text) = rest.strip_suffix('^') {
                without = true;
                rest = text;
            }
        }
        if let Some(text) = rest.strip_prefix("...") {
            needed_by = true;
            rest = text;
            if let Some(text) = rest.strip_prefix('^') {
                without = true;
                rest = text;
            }
        }
        Self { negated, needs, needed_by, without, text: rest }
    }

    /// Whether it chooses a member by itself. `here` is the current directory relative to the root.
    fn fits(&self, member: &Member<'_>, here: &str) -> bool {
        let dir = self.text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let is_path = dir.is_some()
            || self.text == "."
            || self.text == ".."
            || self.text.starts_with("./")
            || self.text.starts_with("../");
        if !is_path {
            return matches(self.text, &member.name) && !self.text.is_empty();
        }
        let path = crate::model::paths::normalize(here, dir.unwrap_or(self.text));
        path == member.path || (!path.is_empty() && matches(&path, member.path))
    }
}

/// Follows edges from the members in `from`; those found are set in `into`.
fn follow(from: &[usize], edges: &[Vec<usize>], into: &mut [bool]) {
    let mut stack = from.to_vec();
    let mut seen = vec![false; edges.len()];
    while let Some(at) = stack.pop() {
        for &next in &edges[at] {
            if !std::mem::replace(&mut seen[next], true) {
                into[next] = true;
                stack.push(next);
            }
        }
    }
}

/// Whether a specifier in package.json means the member of that name.
fn means(literal: &str, version: &str) -> bool {
    if literal.starts_with("workspace:") || literal.starts_with("catalog:") {
        return true;
    }
    Range::parse(literal)
        .is_some_and(|range| range.is_any() || Version::parse(version).is_some_and(|version| range.contains(&version)))
}

fn members(project: &Project) -> Vec<Member<'_>> {
    let parsed: Vec<Option<Value<'_>>> =
        project.manifests.iter().map(|manifest| Value::parse(manifest.text.as_bytes()).ok()).collect();
    let mut list: Vec<Member<'_>> = project
        .manifests
        .iter()
        .zip(&parsed)
        .map(|(manifest, value)| Member {
            name: value.as_ref().map_or(String::new(), |value| value.text("name").to_owned()),
            path: &manifest.path,
            version: value.as_ref().map_or(String::new(), |value| value.text("version").to_owned()),
            needs: Vec::new(),
        })
        .collect();
    let by_name: FxHashMap<String, usize> =
        list.iter().enumerate().skip(1).map(|(at, member)| (member.name.clone(), at)).collect();
    for (at, value) in parsed.iter().enumerate() {
        let Some(value) = value else { continue };
        for group in json::GROUPS {
            for dependency in value.get(group).map_or(&[][..], Value::members) {
                let literal = dependency.value.str().unwrap_or("");
                let alias =
                    literal.strip_prefix("workspace:").map_or("", |rest| crate::model::spec::split_argument(rest).0);
                let found = by_name.get(alias).or_else(|| by_name.get(&*dependency.key)).copied();
                if let Some(found) = found
                    && found != at
                    && means(literal, &list[found].version)
                    && !list[at].needs.contains(&found)
                {
                    list[at].needs.push(found);
                }
            }
        }
    }
    list
}

/// What `filters` choose in a project. Later patterns win over earlier ones. Without filters everything is chosen.
pub fn select(project: &Project, filters: &[String]) -> Selected {
    let count = project.manifests.len();
    if filters.is_empty() {
        return Selected { chosen: vec![true; count], unmatched: Vec::new() };
    }
    let here = std::env::current_dir().unwrap_or_default();
    let here = here.strip_prefix(&project.root).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    select_from(&members(project), filters, &here)
}

fn select_from(members: &[Member<'_>], filters: &[String], here: &str) -> Selected {
    let edges: Vec<Vec<usize>> = members.iter().map(|member| member.needs.clone()).collect();
    let mut back = vec![Vec::new(); members.len()];
    for (at, needs) in edges.iter().enumerate() {
        needs.iter().for_each(|&need| back[need].push(at));
    }
    let mut chosen = vec![filters.iter().all(|filter| filter.starts_with('!')); members.len()];
    let mut unmatched = Vec::new();
    for filter in filters {
        let pattern = Pattern::parse(filter);
        let own: Vec<usize> = (0..members.len()).filter(|&at| pattern.fits(&members[at], here)).collect();
        if own.is_empty() && !pattern.negated {
            unmatched.push(filter.clone());
        }
        let mut found = vec![false; members.len()];
        if pattern.needs {
            follow(&own, &edges, &mut found);
        }
        if pattern.needed_by {
            follow(&own, &back, &mut found);
        }
        if !pattern.without {
            own.iter().for_each(|&at| found[at] = true);
        }
        for (at, hit) in found.into_iter().enumerate() {
            if hit {
                chosen[at] = !pattern.negated;
            }
        }
    }
    Selected { chosen, unmatched }
}

/// Manifests that `add`, `remove` and `update` edit: those of the filters, else the one of the current directory. A glob that is only
/// stars does not mean the root.
pub fn targets(project: &Project, filters: &[String], own: usize) -> Result<Vec<usize>> {
    if filters.is_empty() {
        return Ok(vec![own]);
    }
    let mut selected = select(project, filters);
    let named = |filter: &String| {
        let pattern = Pattern::parse(filter);
        !pattern.negated && !pattern.text.contains(['*', '?'])
    };
    if project.manifests.len() > 1 && !filters.iter().any(named) {
        selected.chosen[0] = false;
    }
    selected.require()?;
    Ok(selected.indexes())
}

/// Whether a name is meant by patterns (globs, `!` takes away; none, or only such, mean all). Later ones win.
pub fn names(patterns: &[String], name: &str) -> bool {
    let mut hit = patterns.iter().all(|pattern| pattern.starts_with('!'));
    for pattern in patterns {
        let (negated, pattern) = pattern.strip_prefix('!').map_or((false, pattern.as_str()), |rest| (true, rest));
        if matches(pattern, name) {
            hit = !negated;
        }
    }
    hit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(filters: &[&str], here: &str) -> String {
        let member = |name: &str, path: &'static str, needs: &[usize]| Member {
            name: name.to_owned(),
            path,
            version: String::new(),
            needs: needs.to_vec(),
        };
        let members = [
            member("app", "", &[]),
            member("one", "packages/one", &[2]),
            member("two", "packages/two", &[3]),
            member("@s/three", "libs/three", &[]),
        ];
        let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
        let selected = select_from(&members, &filters, here);
        let mut out: Vec<String> = selected.indexes().iter().map(|at| at.to_string()).collect();
        out.extend(selected.unmatched.iter().map(|pattern| format!("no {pattern}")));
        out.join(" ")
    }

    #[test]
    fn names() {
        assert_eq!(chosen(&["one"], ""), "1");
        assert_eq!(chosen(&["t*"], ""), "2");
        assert_eq!(chosen(&["@s/*"], ""), "3");
        assert_eq!(chosen(&["*"], ""), "0 1 2");
        assert_eq!(chosen(&["nosuch"], ""), "no nosuch");
    }

    #[test]
    fn paths() {
        assert_eq!(chosen(&["./packages/*"], ""), "1 2");
        assert_eq!(chosen(&["{packages/one}"], ""), "1");
        assert_eq!(chosen(&["."], ""), "0");
        assert_eq!(chosen(&["./"], ""), "0");
        assert_eq!(chosen(&["./*"], "packages"), "1 2");
        assert_eq!(chosen(&["../libs/**"], "packages"), "3");
        assert_eq!(chosen(&["packages/one"], ""), "no packages/one");
    }

    #[test]
    fn graph() {
        assert_eq!(chosen(&["one..."], ""), "1 2 3");
        assert_eq!(chosen(&["one^..."], ""), "2 3");
        assert_eq!(chosen(&["...@s/three"], ""), "1 2 3");
        assert_eq!(chosen(&["...^@s/three"], ""), "1 2");
        assert_eq!(chosen(&["{packages/*}..."], ""), "1 2 3");
        assert_eq!(chosen(&["...two..."], ""), "1 2 3");
        assert_eq!(chosen(&["one...two"], ""), "no one...two");
    }

    #[test]
    fn negated() {
        assert_eq!(chosen(&["!one"], ""), "0 2 3");
        assert_eq!(chosen(&["*", "!t*"], ""), "0 1");
        assert_eq!(chosen(&["!two..."], ""), "0 1");
        assert_eq!(chosen(&["!./packages/*"], ""), "0 3");
    }
}
