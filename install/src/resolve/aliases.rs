//! Aliases that stand for their name everywhere: with `"react": "npm:@preact/compat@17"` in a package.json of the project, what others
//! want of `react` is that package if it is in their range, as in Bun and npm.

use super::Resolver;
use crate::model::extras::Extras;
use crate::model::graph::{DepId, Graph, Member, PackageId};
use crate::model::overrides::effective;
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::Spec;
use crate::model::string_arena::hash;
use rustc_hash::FxHashMap;
use semver::Range;

/// The aliases of ranges that the root and the members declare, by hash of the name that they stand for; of several the first.
pub(super) fn list(graph: &Graph, extras: &Extras, members: &[Member]) -> FxHashMap<u64, DepId> {
    let mut found = FxHashMap::default();
    for member in members {
        for dep in graph.packages.deps[member.package as usize].ids() {
            let name = graph.deps.name_hash[dep as usize];
            let literal = effective(graph, extras, dep, member.package);
            if matches!(Spec::parse(&literal), Spec::Range { name: real, .. } if !real.is_empty() && hash(real) != name)
            {
                found.entry(name).or_insert(dep);
            }
        }
    }
    found
}

impl Resolver<'_, '_> {
    /// The package of an alias that `dep`, which wants a range of its own name, gets. As in Bun a version that the alias names has to be in the
    /// range, so `npm:other@*` stands for nobody else; the package that was chosen has to be in it, too.
    pub(super) fn aliased(&self, dep: DepId, range: &Range<'_>) -> Option<PackageId> {
        let deps = &self.graph.deps;
        let &alias = self.aliases.get(&deps.name_hash[dep as usize])?;
        let target = deps.target[alias as usize];
        if alias == dep || target == NO_ID || self.graph.kind(target) != Kind::Npm {
            return None;
        }
        let literal = self.literal(alias);
        let Spec::Range { range: wanted, .. } = Spec::parse(&literal) else { return None };
        let named = Range::parse(wanted)?.versions().any(|version| range.contains(version));
        (named && self.fits(target, range)).then_some(target)
    }
}
