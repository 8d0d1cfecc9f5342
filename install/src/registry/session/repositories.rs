//! What a session asks for repositories: commits by git, archives of GitHub, tarballs by address or path.

use super::{Event, Session};
use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;
use crate::model::plan::Kind;
use crate::net::Request;
use crate::registry::repositories::{
    Remote, github_authorization, github_cache_dir, github_url, is_tag, tag_of, tarball_cache_dir,
};
use crate::store::TarballJob;
use crate::store::git::{self, Job, Want};
use crate::store::tarball;
use crate::ui::progress::{self, Count};

impl Session<'_> {
    /// Asks for a repository with git, once.
    pub(crate) fn want_git(&mut self, key: &str, name: &str, url: &str, reference: &str) -> Result<()> {
        if self.remote.found.contains_key(key) {
            return Ok(());
        }
        self.remote.found.insert(key.to_owned(), None);
        let job = self.git_job(name, url, Want::Reference(reference.to_owned()));
        self.git(key.to_owned(), job, None)
    }

    /// A job of git with the session's settings.
    pub(crate) fn git_job(&self, name: &str, url: &str, want: Want) -> Job {
        Job {
            url: url.to_owned(),
            want,
            name: name.to_owned(),
            offline: self.config.offline,
            prefer_cache: self.config.prefer_offline && !self.revalidate,
            patience: self.config.net.idle,
        }
    }

    /// Asks for an archive of GitHub, once.
    pub(crate) fn want_github(&mut self, key: &str, name: &str, repository: &str, reference: &str) -> Result<()> {
        if self.remote.found.contains_key(key) {
            return Ok(());
        }
        self.remote.found.insert(key.to_owned(), None);
        let url = github_url(repository, reference);
        if self.config.offline {
            let error = Error::new(Code::Network, "what a GitHub reference means is not known without the network")
                .package(name, "")
                .url(url)
                .hint("run once without --offline; with its entry in bun.lock it installs from the cache");
            self.remote.found.insert(key.to_owned(), Some(Err(error)));
            return Ok(());
        }
        let mut request = Request::get(url.clone());
        request.package = name.to_owned();
        request.authorization = github_authorization();
        request.headers.push(("accept", "*/*".to_owned()));
        request.headers.push(("user-agent", self.config.net.user_agent.clone()));
        self.remote.asked.insert(key.to_owned(), (name.to_owned(), repository.to_owned(), url));
        self.archive(key.to_owned(), request)
    }

    /// Asks for a tarball by address or path, once.
    pub(crate) fn want_tarball(&mut self, key: &str, name: &str, value: &str, kind: Kind) -> Result<()> {
        if self.remote.found.contains_key(key) {
            return Ok(());
        }
        self.remote.found.insert(key.to_owned(), None);
        if kind == Kind::TarballFile {
            let path = self.root.join(value);
            let bytes = std::fs::read(&path).map_err(|error| Error::io("cannot read", &path, error))?;
            self.remote.asked.insert(key.to_owned(), (name.to_owned(), value.to_owned(), value.to_owned()));
            return self.unpack_tarball(key, &bytes);
        }
        if self.config.offline {
            let error = Error::new(Code::Network, "the tarball is not in the cache")
                .package(name, "")
                .url(value)
                .hint("run once without --offline");
            self.remote.found.insert(key.to_owned(), Some(Err(error)));
            return Ok(());
        }
        let mut request = Request::get(value);
        request.package = name.to_owned();
        request.authorization = self.config.authorization_for(value, &self.config.registry);
        request.headers.push(("accept", "*/*".to_owned()));
        request.headers.push(("user-agent", self.config.net.user_agent.clone()));
        self.remote.asked.insert(key.to_owned(), (name.to_owned(), value.to_owned(), value.to_owned()));
        self.archive(key.to_owned(), request)
    }

    /// A tarball is there: its digest decides where it goes.
    fn unpack_tarball(&mut self, key: &str, bytes: &[u8]) -> Result<()> {
        let (name, value, url) = self.remote.asked.remove(key).unwrap_or_default();
        let integrity = tarball::digest::sha512(bytes);
        let cache_dir = tarball_cache_dir(&self.root, &value, Kind::TarballUrl, &integrity);
        let job =
            TarballJob { cache_dir, name, version: value, url, integrity, want_manifest: false, want_integrity: true };
        self.unpack_named(key, job, bytes)
    }

    /// Unpacks into a folder that is named by the content, unless it is there or on its way.
    fn unpack_named(&mut self, key: &str, job: TarballJob, bytes: &[u8]) -> Result<()> {
        if self.store()?.contains(&job.cache_dir) && !self.config.force {
            let found = self.archived(&job.cache_dir, tarball::digest::sha512(bytes));
            self.remote.found.insert(key.to_owned(), Some(found));
            return Ok(());
        }
        let waiting = self.remote.unpacking.entry(job.cache_dir.clone()).or_default();
        waiting.push(key.to_owned());
        if waiting.len() > 1 { Ok(()) } else { self.unpack_anew(job, bytes.to_vec()) }
    }

    /// Takes note of what arrived for repositories.
    pub(crate) fn note_remote(&mut self, event: &Event) -> Result<()> {
        match event {
            Event::Archive(key, Err(error)) => {
                let error = if key.starts_with("github:") { github_hint(error.clone()) } else { error.clone() };
                self.remote.found.insert(key.clone(), Some(Err(error)));
            }
            Event::Archive(key, Ok(bytes)) if key.starts_with("tarball:") => self.unpack_tarball(key, bytes)?,
            Event::Archive(key, Ok(bytes)) => self.unpack_archive(key, bytes)?,
            Event::Git(key, result) => {
                progress::add(Count::Unpacked);
                let found = result.clone().map(|checkout| Remote {
                    tag: checkout.commit,
                    package_json: checkout.package_json.unwrap_or_default(),
                    gyp: checkout.gyp,
                    integrity: Integrity::None,
                });
                self.remote.found.insert(key.clone(), Some(found));
            }
            Event::Unpacked(done) => {
                if let Ok(unpacked) = &done.result
                    && let Some(integrity) = unpacked.integrity
                    && done.cache_dir.starts_with("@GH@")
                {
                    self.remote.learned.push((done.cache_dir.clone(), integrity));
                }
                for key in self.remote.unpacking.remove(&done.cache_dir).unwrap_or_default() {
                    let found = match &done.result {
                        Ok(unpacked) => self.archived(&done.cache_dir, unpacked.integrity.unwrap_or_default()),
                        Err(error) => Err(error.clone()),
                    };
                    self.remote.found.insert(key, Some(found));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An archive is there: its name decides where it goes.
    fn unpack_archive(&mut self, key: &str, bytes: &[u8]) -> Result<()> {
        let (name, repository, url) = self.remote.asked.remove(key).unwrap_or_default();
        let Some(tag) = tarball::top_directory(bytes).filter(|tag| is_tag(tag)) else {
            let error = Error::new(Code::Tarball, "the answer is no archive of a repository")
                .package(&name, "")
                .url(url)
                .hint("GITHUB_API_URL must be the address of GitHub's API");
            self.remote.found.insert(key.to_owned(), Some(Err(error)));
            return Ok(());
        };
        let cache_dir = github_cache_dir(&tag);
        let commit = tag.rsplit('-').next().unwrap_or("").to_owned();
        let job = TarballJob {
            cache_dir,
            name,
            version: format!("github:{repository}#{commit}"),
            url,
            integrity: Integrity::None,
            want_manifest: false,
            want_integrity: true,
        };
        self.unpack_named(key, job, bytes)
    }

    fn archived(&self, cache_dir: &str, integrity: Integrity) -> Result<Remote> {
        let store = self.store()?;
        let tag = tag_of(cache_dir).unwrap_or(cache_dir);
        Ok(Remote {
            tag: tag.to_owned(),
            package_json: store.read_file(cache_dir, "package.json")?.unwrap_or_default(),
            gyp: store.has_file(cache_dir, "binding.gyp"),
            integrity,
        })
    }

    /// Brings the commit of a plan's git package into the store, unless it is there.
    pub(crate) fn want_commit(&mut self, cache_dir: &str, name: &str, version: &str) -> Result<()> {
        if self.store()?.contains(cache_dir) && !self.config.force {
            return Ok(());
        }
        let rest = version.strip_prefix("git+").unwrap_or(version);
        let (url, commit) = rest.rsplit_once('#').unwrap_or((rest, ""));
        if !git::is_commit(commit) {
            return Err(Error::new(Code::Parse, "bun.lock has no whole commit for a git dependency")
                .package(name, version)
                .hint("`bao update` resolves it again"));
        }
        let job = self.git_job(name, url, Want::Commit(commit.to_owned()));
        self.git(cache_dir.to_owned(), job, Some(cache_dir.to_owned()))
    }
}

fn github_hint(mut error: Error) -> Error {
    if error.code == Code::Status {
        error.hint = Some(if github_authorization().is_some() {
            "check the repository's name and what follows #, and that GITHUB_TOKEN may read it".to_owned()
        } else {
            "check the repository's name and what follows #; a private one, and many requests, need GITHUB_TOKEN"
                .to_owned()
        });
    }
    error
}
