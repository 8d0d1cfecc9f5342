//! Overrides and catalogs: which specifier of a dependency counts.

use crate::graph::{DepId, Graph, PackageId};
use crate::lockfile::Extras;
use crate::semver::{Range, Version};
use crate::spec::Spec;

/// The specifier of a dependency of `owner` that counts: overrides and catalogs applied.
pub fn effective(graph: &Graph, extras: &Extras, dep: DepId, owner: PackageId) -> String {
    let own = graph.str(graph.deps.literal[dep as usize]);
    let name = graph.str(graph.deps.name[dep as usize]);
    let mut literal = own;
    if !extras.overrides.is_empty() && !own.starts_with("workspace:") {
        for rule in &extras.overrides {
            if rule.name != name || (!rule.range.is_empty() && !range_matches(own, &rule.range)) {
                continue;
            }
            if !rule.parent.is_empty() {
                let (parent, range) = crate::spec::split_argument(&rule.parent);
                let fits = graph.name(owner) == parent
                    && (range.is_empty()
                        || Version::parse(graph.value(owner))
                            .is_some_and(|version| Range::parse(range).is_some_and(|range| range.contains(&version))));
                if fits {
                    literal = &rule.value;
                    break;
                }
                continue;
            }
            literal = &rule.value;
            if !rule.range.is_empty() {
                break;
            }
        }
    }
    if let Spec::Catalog(group) = Spec::parse(literal) {
        let entries = if group.is_empty() {
            Some(&extras.catalog)
        } else {
            extras.catalogs.iter().find(|(known, _)| known == group).map(|(_, entries)| entries)
        };
        if let Some((_, found)) = entries.and_then(|entries| entries.iter().find(|(known, _)| known == name)) {
            return found.clone();
        }
    }
    literal.to_owned()
}

/// Whether an override's range covers a dependency's specifier.
fn range_matches(own: &str, range: &str) -> bool {
    own == range
        || Range::parse(range).is_some_and(|range| {
            Range::parse(own).and_then(|own| own.first()).is_some_and(|(_, version)| range.contains(&version))
        })
}
