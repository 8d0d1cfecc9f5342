//! Peer dependencies that got a version outside their range: what is said of them, and what would be right.

use super::Resolver;
use crate::model::graph::{Behavior, DepId, PackageId};
use crate::model::plan::Kind;
use crate::registry::session::Lookup;
use crate::semver::Range;
use std::collections::BTreeMap;

impl Resolver<'_, '_> {
    /// `found` is not what the peer dependency `dep` asks for.
    pub(super) fn warn_peer(&mut self, dep: DepId, found: PackageId) {
        let warning = format!(
            "incorrect peer dependency \"{}\": {} wants {}@{}",
            self.graph.label(found),
            self.graph.name(self.owner_of(dep)),
            self.dep_name(dep),
            self.graph.str(self.graph.deps.literal[dep as usize]),
        );
        if !self.report.warnings.contains(&warning) {
            self.report.warnings.push(warning);
            self.conflicts.push(found);
        }
    }

    /// For each package that is no right peer: the newest version that all would take, or that there is none.
    pub(super) fn hint_peers(&mut self) {
        let mut conflicts = std::mem::take(&mut self.conflicts);
        conflicts.sort_unstable();
        conflicts.dedup();
        for found in conflicts {
            if self.graph.kind(found) == Kind::Npm
                && let Some(hint) = self.hint_peer(found)
            {
                self.report.hints.push(hint);
            }
        }
    }

    fn hint_peer(&mut self, found: PackageId) -> Option<String> {
        let name = self.graph.name(found).to_owned();
        let key = self.graph.packages.name_hash[found as usize];
        // Range to the first package that wants it.
        let mut wanted: BTreeMap<String, String> = BTreeMap::new();
        let mut direct = false;
        for package in 0..self.graph.len() as PackageId {
            let own = matches!(self.graph.kind(package), Kind::Root | Kind::Workspace);
            for dep in self.graph.packages.deps[package as usize].ids() {
                if self.graph.deps.name_hash[dep as usize] != key {
                    continue;
                }
                let behavior = self.graph.deps.behavior[dep as usize];
                if behavior.has(Behavior::PEER) && !behavior.is_optional_peer() {
                    let range = self.graph.str(self.graph.deps.literal[dep as usize]).to_owned();
                    wanted.entry(range).or_insert_with(|| self.graph.name(package).to_owned());
                }
                direct |= own && self.graph.deps.target[dep as usize] == found;
            }
        }
        let ranges: Vec<Range<'_>> = wanted.keys().filter_map(|range| Range::parse(range)).collect();
        let Lookup::Ready(manifest) = self.session.manifest(&name, |_| true) else {
            return None;
        };
        let newest = (0..manifest.header_versions()).rev().map(|index| manifest.version(index)).find(|version| {
            version.pre.is_empty() && ranges.len() == wanted.len() && ranges.iter().all(|range| range.contains(version))
        });
        Some(match newest {
            Some(version) if direct => format!("every one of them takes {name}@{version}: bao add {name}@{version}"),
            Some(version) => format!(
                "every one of them takes {name}@{version}: \"overrides\": {{ \"{name}\": \"{version}\" }} in package.json"
            ),
            None => {
                let of_all: Vec<String> =
                    wanted.iter().take(3).map(|(range, owner)| format!("{owner} {range}")).collect();
                format!(
                    "no version of {name} is right for all ({}): another version of one of them may be, see bao why {name}",
                    of_all.join(", ")
                )
            }
        })
    }
}
