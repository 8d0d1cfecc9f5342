//! Dependencies on repositories.

use super::{Resolver, Step};
use crate::error::Result;
use crate::model::graph::{DepId, FLAG_INSTALL_SCRIPT, NewPackage, PackageId};
use crate::model::plan::Kind;
use crate::model::spec::{Spec, valid_name};
use crate::model::string_arena::hash;
use crate::registry::repositories::Remote;
use crate::store::git::{canonical, repository_name};

/// Scripts that make a package of a repository one with install scripts: it is not packed, so `prepare` is among them.
const SCRIPTS: [&str; 6] = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];

/// What a specifier asks for: the key of the session's table, the repository and the reference.
enum Wanted {
    Git { key: String, url: String, reference: String },
    GitHub { key: String, repository: String, reference: String },
}

impl Wanted {
    fn of(spec: Spec<'_>) -> Option<Self> {
        let git = |url: String, reference: &str| Self::Git {
            key: format!("git+{url}#{reference}"),
            url,
            reference: reference.to_owned(),
        };
        Some(match spec {
            Spec::Git { url, reference } => git(canonical(url), reference),
            // The API has no ranges; the repository's tags are looked at with git.
            Spec::GitHub { owner, repo, reference } if reference.starts_with("semver:") => {
                git(format!("https://github.com/{owner}/{repo}.git"), reference)
            }
            Spec::GitHub { owner, repo, reference } => {
                let repository = format!("{owner}/{repo}");
                Self::GitHub {
                    key: format!("github:{repository}#{reference}"),
                    repository,
                    reference: reference.to_owned(),
                }
            }
            _ => return None,
        })
    }
}

impl Resolver<'_, '_> {
    /// Starts the download of a repository or a tarball that will be needed. What goes wrong is told when it is its turn.
    pub(super) fn want_repository(&mut self, dep: DepId, literal: &str) {
        let name = self.dep_name(dep).to_owned();
        if let Spec::TarballUrl(url) = Spec::parse(literal) {
            let _ = self.session.want_tarball(&format!("tarball:{url}"), &name, url, Kind::TarballUrl);
            return;
        }
        let _ = match Wanted::of(Spec::parse(literal)) {
            Some(Wanted::Git { key, url, reference }) => self.session.want_git(&key, &name, &url, &reference),
            Some(Wanted::GitHub { key, repository, reference }) => {
                self.session.want_github(&key, &name, &repository, &reference)
            }
            None => Ok(()),
        };
    }

    pub(super) fn git(&mut self, dep: DepId, url: &str, reference: &str) -> Result<Step> {
        self.repository(dep, Spec::Git { url, reference })
    }

    pub(super) fn github(&mut self, dep: DepId, owner: &str, repo: &str, reference: &str) -> Result<Step> {
        self.repository(dep, Spec::GitHub { owner, repo, reference })
    }

    fn repository(&mut self, dep: DepId, spec: Spec<'_>) -> Result<Step> {
        let name = self.dep_name(dep).to_owned();
        match Wanted::of(spec) {
            Some(Wanted::Git { key, url, reference }) => {
                self.session.want_git(&key, &name, &url, &reference)?;
                let Some(Some(remote)) = self.session.remote.get(&key) else { return Ok(Step::Wait) };
                let remote = remote?;
                let commit = remote.tag.clone();
                self.add_repository(dep, Kind::Git, &url, &commit, &remote)
            }
            Some(Wanted::GitHub { key, repository, reference }) => {
                self.session.want_github(&key, &name, &repository, &reference)?;
                let Some(Some(remote)) = self.session.remote.get(&key) else { return Ok(Step::Wait) };
                let remote = remote?;
                let commit = remote.tag.rsplit('-').next().unwrap_or("").to_owned();
                self.add_repository(dep, Kind::GitHub, &repository, &commit, &remote)
            }
            None => Ok(Step::Done),
        }
    }

    fn add_repository(&mut self, dep: DepId, kind: Kind, value: &str, commit: &str, remote: &Remote) -> Result<Step> {
        let text = String::from_utf8_lossy(if remote.package_json.is_empty() { b"{}" } else { &remote.package_json });
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let path = format!("{value}/package.json");
        let manifest = crate::project::parse(text, std::path::Path::new(&path))?;
        let own = manifest.text("name");
        let own = if valid_name(own) { own } else { repository_name(value) };
        let own = if valid_name(own) { own.to_owned() } else { self.dep_name(dep).to_owned() };
        let id = match self.same_commit(&own, kind, value, commit) {
            Some(id) => id,
            None => {
                let name = self.graph.text.add(&own);
                let value = self.graph.text.add(value);
                let mut new = NewPackage::new(name, kind, value);
                new.integrity = remote.integrity;
                new.resolution.extra = self.graph.text.add(commit);
                new.resolution.tag = self.graph.text.add(&remote.tag);
                let scripts = manifest.get("scripts");
                let scripted = SCRIPTS.iter().any(|name| scripts.is_some_and(|scripts| scripts.get(name).is_some()));
                if scripted || remote.gyp {
                    new.flags |= FLAG_INSTALL_SCRIPT;
                }
                self.add_local(new, &manifest, false)
            }
        };
        self.bind(dep, id);
        Ok(Step::Done)
    }

    fn same_commit(&self, name: &str, kind: Kind, value: &str, commit: &str) -> Option<PackageId> {
        self.graph.by_name.get(&hash(name))?.iter().copied().find(|&id| {
            let resolution = &self.graph.packages.resolution[id as usize];
            resolution.kind == kind
                && self.graph.str(resolution.value) == value
                && self.graph.str(resolution.extra) == commit
        })
    }
}
