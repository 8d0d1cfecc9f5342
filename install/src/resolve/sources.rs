//! Dependencies that are not in a registry: workspace members, folders, tarballs, repositories.

use super::{Resolver, Step};
use crate::error::{Code, Error, Result};
use crate::model::graph::{DepId, FLAG_INSTALL_SCRIPT, NewPackage, PackageId};
use crate::model::paths::{normalize, relative_to};
use crate::model::plan::Kind;
use crate::model::string_arena::hash;
use semver::{Range, Version};

impl Resolver<'_, '_> {
    pub(super) fn workspace(&mut self, dep: DepId, wanted: &str) -> Result<Step> {
        // `workspace:name@range` is an alias.
        let (alias, range) = crate::model::spec::split_argument(wanted);
        let is_range = Range::parse(wanted).is_some() || matches!(wanted, "^" | "~" | "*" | "");
        // Any other word is the name of no package: the dependency's own name counts, as in Bun.
        let name = if is_range || alias.is_empty() || alias.len() == wanted.len() {
            self.dep_name(dep).to_owned()
        } else {
            alias.to_owned()
        };
        let by_path = self
            .members
            .iter()
            .skip(1)
            .find(|member| !is_range && member.path == wanted.trim_start_matches("./").trim_end_matches('/'));
        if let Some(member) = by_path {
            let package = member.package;
            self.bind(dep, package);
            return Ok(Step::Done);
        }
        if let Some(&package) = self.workspaces.get(&hash(&name)) {
            let range = if alias.len() < wanted.len() && !is_range { range } else { wanted };
            let version = self.member_version(package);
            let fits = matches!(range, "^" | "~" | "*" | "")
                || Range::parse(range).is_none_or(|range| {
                    range.is_any() || Version::parse(&version).is_some_and(|version| range.contains(&version))
                });
            if !fits {
                return Err(Error::new(
                    Code::NoVersion,
                    format!("No matching version for workspace dependency \"{name}\". Version: \"workspace:{wanted}\""),
                )
                .hint(match version.as_str() {
                    "" => "its package.json has no version; `workspace:*` takes any".to_owned(),
                    version => format!("the workspace has {version}; `workspace:*` takes any"),
                }));
            }
            self.bind(dep, package);
            return Ok(Step::Done);
        }
        if self.graph.name(0) == name {
            self.bind(dep, 0);
            return Ok(Step::Done);
        }
        Err(Error::new(Code::NoVersion, format!("Workspace dependency \"{name}\" not found"))
            .hint("its directory must match `workspaces` of the root's package.json, and its name this one"))
    }

    /// The directory, relative to the root, against which a path in package.json is meant.
    pub(super) fn base(&self, dep: DepId) -> String {
        let owner = self.owners.get(&dep).copied().unwrap_or(0);
        match self.graph.kind(owner) {
            Kind::Workspace | Kind::Folder => self.graph.value(owner).to_owned(),
            _ => String::new(),
        }
    }

    /// Refuses a path or a workspace member that a package from elsewhere names: it would choose which directories of this machine
    /// are imported. What an override or a catalog says is the project's own.
    pub(super) fn may_name_paths(&self, dep: DepId, literal: &str) -> Result<()> {
        let owner = self.owners.get(&dep).copied().unwrap_or(0);
        let local = matches!(self.graph.kind(owner), Kind::Root | Kind::Workspace | Kind::Folder | Kind::Link);
        let overridden = self.graph.str(self.graph.deps.literal[dep as usize]) != literal
            || self.extras.overrides.iter().any(|other| other.name == self.dep_name(dep));
        if local || overridden {
            return Ok(());
        }
        let (name, owner) = (self.dep_name(dep), self.graph.label(owner));
        let what = if literal.trim_start().starts_with("workspace:") { "a workspace" } else { "a path" };
        Err(Error::new(Code::NoVersion, format!("\"{name}\" of {owner} is {what}: \"{literal}\"")).hint(
            "only the project, its workspaces, folders and overrides may name paths; an override can say what is meant",
        ))
    }

    pub(super) fn folder(&mut self, dep: DepId, path: &str) -> Result<Step> {
        let root = self.root();
        let relative = match path.starts_with('/') {
            true => relative_to(&root.to_string_lossy(), path),
            false => normalize(&self.base(dep), path),
        };
        let directory = root.join(&relative);
        if relative.is_empty()
            || directory.canonicalize().is_ok_and(|path| root.canonicalize().is_ok_and(|root| root == path))
        {
            // The project itself: a link to it, not a copy that holds another copy.
            self.bind(dep, 0);
            return Ok(Step::Done);
        }
        let Some(text) = crate::project::read_manifest(&directory)? else {
            let message =
                format!("package.json not found for \"file:{relative}\" dependency \"{}\"", self.dep_name(dep));
            return Err(Error::new(Code::Io, message)
                .hint("a `file:` dependency is a directory with a package.json, or a .tgz"));
        };
        let value = crate::project::parse(&text, &directory.join("package.json"))?;
        let own = value.text("name");
        let name = if own.is_empty() { self.graph.deps.name[dep as usize] } else { self.graph.text.add(own) };
        let at = self.graph.text.add(&relative);
        if let Some(member) = self.members.iter().skip(1).find(|member| member.path == relative) {
            let package = member.package;
            self.bind(dep, package);
            return Ok(Step::Done);
        }
        let id = match self.same_resolution(name, Kind::Folder, at) {
            Some(id) => id,
            None => self.add_local(NewPackage::new(name, Kind::Folder, at), &value, true),
        };
        self.bind(dep, id);
        Ok(Step::Done)
    }

    pub(super) fn root(&self) -> std::path::PathBuf {
        self.session.root.clone()
    }

    /// Adds a package whose package.json is at hand.
    pub(super) fn add_local(&mut self, mut new: NewPackage, manifest: &json::Value<'_>, dev: bool) -> PackageId {
        new.bin = crate::project::bin(self.graph, manifest);
        let scripts = manifest.get("scripts");
        if ["preinstall", "install", "postinstall"]
            .iter()
            .any(|name| scripts.is_some_and(|scripts| scripts.get(name).is_some()))
        {
            new.flags |= FLAG_INSTALL_SCRIPT;
        }
        let id = self.graph.add_package(new);
        let off = self.graph.begin_deps();
        crate::project::add_dependencies(self.graph, manifest, dev);
        self.graph.end_deps(id, off);
        self.enqueue(id);
        id
    }

    pub(super) fn tarball(&mut self, dep: DepId, at: &str, kind: Kind) -> Result<Step> {
        let dep_name = self.dep_name(dep).to_owned();
        let value = match kind {
            // The project's own are kept as they are written.
            Kind::TarballFile if self.base(dep).is_empty() => at.to_owned(),
            Kind::TarballFile => {
                let path = normalize(&self.base(dep), at);
                if path.starts_with("..") || path.starts_with('/') { path } else { format!("./{path}") }
            }
            _ => at.to_owned(),
        };
        let key = format!("tarball:{value}");
        self.session.want_tarball(&key, &dep_name, &value, kind)?;
        let Some(Some(found)) = self.session.remote.get(&key) else { return Ok(Step::Wait) };
        let found = found?;
        let id = self.add_fetched(dep, kind, &value, &found.package_json, found.integrity)?;
        self.bind(dep, id);
        Ok(Step::Done)
    }

    fn add_fetched(
        &mut self,
        dep: DepId,
        kind: Kind,
        value: &str,
        package_json: &[u8],
        integrity: crate::model::integrity::Integrity,
    ) -> Result<PackageId> {
        let text = String::from_utf8_lossy(if package_json.is_empty() { b"{}" } else { package_json }).into_owned();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let manifest = crate::project::parse(text, std::path::Path::new(&format!("{value}/package.json")))?;
        let own = manifest.text("name");
        let name = if crate::model::spec::valid_name(own) {
            self.graph.text.add(own)
        } else {
            self.graph.deps.name[dep as usize]
        };
        let value = self.graph.text.add(value);
        // The same address with another content is another package.
        if let Some(id) = self.same_resolution(name, kind, value)
            && [integrity, crate::model::integrity::Integrity::None]
                .contains(&self.graph.packages.integrity[id as usize])
        {
            return Ok(id);
        }
        let mut new = NewPackage::new(name, kind, value);
        new.integrity = integrity;
        Ok(self.add_local(new, &manifest, false))
    }
}
