//! Manifests fetched ahead of the decisions that will need them.

use super::Resolver;
use crate::model::graph::{Behavior, DepId};
use crate::model::spec::Spec;
use crate::model::string_arena::hash;
use crate::registry::manifest::Manifest;
use crate::registry::session::Lookup;
use semver::Range;

impl Resolver<'_, '_> {
    /// Starts what the dependency will need.
    pub(super) fn ahead(&mut self, dep: DepId) {
        let literal = self.literal(dep);
        let (name, _) = match Spec::parse(&literal) {
            Spec::Range { name, range } => (name, range),
            Spec::Tag { name, tag } => (name, tag),
            Spec::Git { .. } | Spec::GitHub { .. } | Spec::TarballUrl(_) => return self.want_repository(dep, &literal),
            _ => return,
        };
        let name = if name.is_empty() { self.dep_name(dep).to_owned() } else { name.to_owned() };
        self.speculate(vec![(name, literal)]);
    }

    /// Fetches the manifests that these specifiers will need, and those that the versions chosen for them will need, as far as
    /// manifests are there. What has to be waited for goes on when it arrives. Only the network is used; nothing is decided.
    pub(super) fn speculate(&mut self, mut list: Vec<(String, String)>) {
        while let Some((name, literal)) = list.pop() {
            let key = hash(&name);
            if self.workspaces.contains_key(&key) || !self.speculated.insert((key, hash(&literal))) {
                continue;
            }
            let (range, tag) = match Spec::parse(&literal) {
                // Most likely the package of that alias.
                Spec::Range { name: "", .. } if self.aliases.contains_key(&key) => continue,
                Spec::Range { range, .. } => (Range::parse(range), ""),
                Spec::Tag { tag, .. } => (None, tag),
                _ => continue,
            };
            if let Some(range) = &range
                && self.released.is_none()
                && self.existing(key, range).is_some()
            {
                continue;
            }
            let exact = range.as_ref().and_then(Range::exact);
            let enough = |stored: &Manifest| exact.is_some_and(|exact| stored.find(&exact).is_some());
            match self.session.manifest(&name, enough) {
                Lookup::Pending => {
                    self.speculated.remove(&(key, hash(&literal)));
                    self.expected.entry(key).or_default().push((name, literal));
                }
                Lookup::Failed(_) => {}
                Lookup::Ready(manifest) => {
                    let found = match &range {
                        Some(range) => manifest.best(range, self.limit),
                        None => manifest.best_tag(tag, self.limit),
                    };
                    let Ok(index) = found else { continue };
                    if !self.speculated.insert((key, u64::from(index))) {
                        continue;
                    }
                    for dep in manifest.deps(manifest.record(index)) {
                        if dep.behavior as u8 & Behavior::PEER != 0 {
                            continue;
                        }
                        let literal = manifest.str(dep.range);
                        let real = match Spec::parse(literal) {
                            Spec::Range { name, .. } | Spec::Tag { name, .. } if !name.is_empty() => name,
                            Spec::Range { .. } | Spec::Tag { .. } => manifest.str(dep.name),
                            _ => continue,
                        };
                        list.push((real.to_owned(), literal.to_owned()));
                    }
                }
            }
        }
    }
}
