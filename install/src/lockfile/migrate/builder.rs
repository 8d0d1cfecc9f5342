//! What all readers share: a graph under construction in which a package is stored once per `name@resolution`.

use crate::error::{Code, Error, Result};
use crate::lockfile::{Loaded, LoadedDep, LoadedMember};
use crate::model::extras::Extras;
use crate::model::graph::{Behavior, FLAG_LOADED, Graph, NewPackage, PackageId};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::spec::valid_name;
use crate::model::string_arena::{Str, hash};
use crate::project::Manifest;
use rustc_hash::FxHashMap;

/// A package as a foreign lockfile has it, before it is in the graph.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub name: &'a str,
    pub kind: Kind,
    /// Version, path or URL, as [`crate::model::graph::Resolution::value`].
    pub value: &'a str,
    /// Tarball URL of a registry package, or the commit.
    pub extra: &'a str,
    pub integrity: Integrity,
}

/// A dependency before its list is complete.
pub(super) struct NewDep<'a> {
    pub name: &'a str,
    pub literal: &'a str,
    pub behavior: u8,
    pub target: PackageId,
}

pub(super) struct Builder {
    pub graph: Graph,
    labels: FxHashMap<u64, PackageId>,
    pub members: Vec<LoadedMember>,
}

impl Builder {
    pub(super) fn new(packages: usize, text: usize) -> Self {
        let mut graph = Graph::with_capacity(packages + 1, text);
        graph.add_package(NewPackage::new(Str::EMPTY, Kind::Root, Str::EMPTY));
        Self { graph, labels: FxHashMap::default(), members: Vec::new() }
    }

    /// The package with this label, and whether it is new. A digest that only a later copy has is taken over.
    pub(super) fn package(&mut self, found: &Found<'_>) -> (PackageId, bool) {
        let graph = &mut self.graph;
        let name = graph.text.add(found.name);
        let value = graph.text.add(found.value);
        let mut new = NewPackage::new(name, found.kind, value);
        new.resolution.extra = graph.text.add(found.extra);
        if matches!(found.kind, Kind::Git | Kind::GitHub) {
            new.resolution.tag = new.resolution.extra;
        }
        let mut label = String::with_capacity(64);
        label.push_str(found.name);
        label.push('@');
        graph.write_resolution(&new.resolution, &mut label);
        let key = hash(&label);
        if let Some(&known) = self.labels.get(&key) {
            let known_integrity = &mut graph.packages.integrity[known as usize];
            if known_integrity.is_none() {
                *known_integrity = found.integrity;
                graph.packages.resolution[known as usize].extra = new.resolution.extra;
            }
            return (known, false);
        }
        new.integrity = found.integrity;
        new.flags = FLAG_LOADED;
        let id = graph.add_package(new);
        self.labels.insert(key, id);
        (id, true)
    }

    /// Gives a package its dependencies. Of two with one name the one that comes first in the list of groups stays, and an
    /// optional dependency wins over an ordinary one.
    ///
    /// # Errors
    /// A name cannot be one: it would be a path out of node_modules.
    pub(super) fn dependencies(&mut self, package: PackageId, list: &[NewDep<'_>]) -> Result<()> {
        let off = self.graph.begin_deps();
        for (at, dep) in list.iter().enumerate() {
            // Lists this long are nobody's; they must not take quadratic time.
            let rivals = if list.len() <= 1024 { list } else { &[][..] };
            let shadowed = rivals.iter().enumerate().any(|(other_at, other)| {
                other.name == dep.name
                    && other_at != at
                    && other.behavior & Behavior::PEER == dep.behavior & Behavior::PEER
                    && (if other.behavior == dep.behavior {
                        other_at < at
                    } else {
                        dep.behavior & Behavior::OPTIONAL == 0 && other.behavior & Behavior::OPTIONAL != 0
                    })
            });
            if shadowed {
                continue;
            }
            if !valid_name(dep.name) {
                let what =
                    format!("\"{}\", a dependency of {}, is not a package name", dep.name, self.graph.label(package));
                return Err(Error::new(Code::Parse, format!("the lockfile cannot be migrated: {what}")));
            }
            let name = self.graph.text.add(dep.name);
            let literal = self.graph.text.add(dep.literal);
            let id = self.graph.add_dep(name, literal, Behavior(dep.behavior));
            self.graph.deps.target[id as usize] = dep.target;
        }
        self.graph.end_deps(package, off);
        Ok(())
    }

    /// The members of the project as their package.json have them. `target(member, name, literal, behavior)` finds a package;
    /// [`NO_ID`] leaves the dependency to the resolver. A dependency without a package is not listed, as if it had been added to
    /// package.json since; unless it need not have one, or leads to another member.
    pub(super) fn members(
        &mut self,
        manifests: &[Manifest],
        mut target: impl FnMut(&str, &str, &str, Behavior) -> Option<PackageId>,
    ) -> Result<()> {
        let mut names = Vec::new();
        for manifest in manifests {
            let value = crate::project::parse(&manifest.text, std::path::Path::new("package.json"))?;
            names.push(value.text("name").to_owned());
        }
        for manifest in manifests {
            let path = std::path::Path::new(&manifest.path).join("package.json");
            let value = crate::project::parse(&manifest.text, &path)?;
            let mut scratch = Graph::default();
            crate::project::add_dependencies(&mut scratch, &value, true);
            let mut member = LoadedMember {
                path: manifest.path.clone(),
                name: value.text("name").to_owned(),
                version: value.text("version").to_owned(),
                deps: Vec::new(),
            };
            for at in 0..scratch.deps.name.len() {
                let (name, literal) = (scratch.str(scratch.deps.name[at]), scratch.str(scratch.deps.literal[at]));
                let behavior = scratch.deps.behavior[at];
                let found = target(&manifest.path, name, literal, behavior);
                let local = |prefix| literal.starts_with(prefix);
                if found.is_none()
                    && behavior.0 & (Behavior::OPTIONAL | Behavior::PEER) == 0
                    && !local("workspace:")
                    && !local("link:")
                    && !names.iter().any(|known| known == name)
                {
                    continue;
                }
                let dep = LoadedDep {
                    name: self.graph.text.add(name),
                    literal: self.graph.text.add(literal),
                    behavior,
                    target: found.unwrap_or(NO_ID),
                };
                member.deps.push(dep);
            }
            self.members.push(member);
        }
        Ok(())
    }

    /// The result. `config_version` as Bun writes it for this kind of migration.
    pub(super) fn finish(self, config_version: u32) -> Loaded {
        self.finish_with(Extras { config_version, ..Extras::default() })
    }

    /// The same, with what else the file says.
    pub(super) fn finish_with(self, extras: Extras) -> Loaded {
        let extras = Extras { migrated: true, ..extras };
        Loaded { graph: self.graph, members: self.members, extras }
    }
}

impl Builder {
    /// A package of a GitHub repository `owner/repo` at a whole commit, which is its folder's name too, as in Bun: the lockfiles do not
    /// know the name that an archive would have.
    pub(super) fn github(&mut self, name: &str, repo: &str, commit: &str, integrity: Integrity) -> (PackageId, bool) {
        self.package(&Found { name, kind: Kind::GitHub, value: repo, extra: commit, integrity })
    }
}
