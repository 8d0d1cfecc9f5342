//! `--filter`: which packages of a project a command is about. What the patterns mean is [`workspace::select`].

use crate::error::{Code, Error, Result};
use crate::project::{Manifest, Project};
use json::Value;
use workspace::{Edges, FilterOptions, Graph, Package, matches};

/// What a list of filters chooses.
#[derive(Debug)]
pub(crate) struct Selected {
    /// One for each manifest of the project, the root first.
    pub chosen: Vec<bool>,
    /// Patterns that fit nothing.
    pub unmatched: Vec<String>,
}

impl Selected {
    /// Indexes of the chosen manifests.
    pub(crate) fn indexes(&self) -> Vec<usize> {
        (0..self.chosen.len()).filter(|&at| self.chosen[at]).collect()
    }

    /// Warns of patterns that fit nothing, in Bun's words.
    pub(crate) fn warn(&self) {
        for pattern in &self.unmatched {
            crate::warn_line!("<yellow>warn<r>: No workspace packages matched the filter \"{pattern}\"");
        }
    }

    /// An error where nothing at all was chosen.
    pub(crate) fn require(&self) -> Result<()> {
        if self.chosen.contains(&true) {
            self.warn();
            return Ok(());
        }
        let list: Vec<String> = self.unmatched.iter().map(|pattern| format!("\"{pattern}\"")).collect();
        let pattern = if list.is_empty() { "of --filter".to_owned() } else { list.join(", ") };
        Err(Error::new(Code::Usage, format!("No workspace packages matched the filter {pattern}")))
    }
}

/// The packages of a project as filters see them.
fn packages<'a>(project: &'a Project, parsed: &'a [Option<Value<'a>>]) -> Vec<Package<'a>> {
    let list = |value: &'a Value<'a>, group| value.get(group).map_or(&[][..], Value::members).iter();
    let package = |(manifest, value): (&'a Manifest, &'a Option<Value<'a>>)| {
        let Some(value) = value else { return Package { path: &manifest.path, ..Package::default() } };
        let groups = json::GROUPS.iter().flat_map(|group| list(value, group));
        Package {
            name: Some(value.text("name")),
            path: &manifest.path,
            version: value.text("version"),
            dependencies: groups.map(|member| (&*member.key, member.value.str().unwrap_or(""))).collect(),
        }
    };
    project.manifests.iter().zip(parsed).map(package).collect()
}

/// What `filters` choose in a project. Without filters everything is chosen.
pub(crate) fn select(project: &Project, filters: &[String]) -> Selected {
    if filters.is_empty() {
        return Selected { chosen: vec![true; project.manifests.len()], unmatched: Vec::new() };
    }
    let parsed: Vec<Option<Value<'_>>> =
        project.manifests.iter().map(|manifest| Value::parse(manifest.text.as_bytes()).ok()).collect();
    let packages = packages(project, &parsed);
    let here = std::env::current_dir().unwrap_or_else(|_| project.root.clone());
    let options = FilterOptions { root: &project.root, here: &here, root_is_member: true };
    let found = workspace::select(&packages, &Graph::new(&packages, Edges::Versions), filters, options);
    Selected { chosen: found.chosen, unmatched: found.unmatched }
}

/// Manifests that `add`, `remove` and `update` edit: those of the filters, else the one of the current directory. A glob that is only
/// stars does not mean the root.
pub(crate) fn targets(project: &Project, filters: &[String], own: usize) -> Result<Vec<usize>> {
    if filters.is_empty() {
        return Ok(vec![own]);
    }
    let mut selected = select(project, filters);
    if project.manifests.len() > 1 && !filters.iter().any(|filter| workspace::is_exact(filter)) {
        selected.chosen[0] = false;
    }
    selected.require()?;
    Ok(selected.indexes())
}

/// Whether a name is meant by patterns (globs, `!` takes away; none, or only such, mean all). Later ones win.
pub(crate) fn names(patterns: &[String], name: &str) -> bool {
    let mut hit = patterns.iter().all(|pattern| pattern.starts_with('!'));
    for pattern in patterns {
        let (negated, pattern) = pattern.strip_prefix('!').map_or((false, pattern.as_str()), |rest| (true, rest));
        if matches(pattern, name) {
            hit = !negated;
        }
    }
    hit
}
