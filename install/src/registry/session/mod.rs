//! What an install has open: the manifests (memory, disk, network), the downloads, the store.

mod repositories;

use crate::config::{Config, Registry};
use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;
use crate::model::registry_url::usual_tarball;
use crate::model::string_arena::hash;
use crate::net::url::Url;
use crate::net::{BodyPipe, Client, Net, Request, Response, with_gunzipped};
use crate::registry::manifest::cache::Cache;
use crate::registry::manifest::workers::Workers;
use crate::registry::manifest::{self, Manifest};
use crate::store::{Done, Store, TarballJob};
use crate::ui::progress::{self, Count};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Something that arrived.
pub(crate) enum Event {
    Manifest(u64, Result<Manifest>),
    /// A tarball is in the store, or could not be unpacked.
    Unpacked(Done),
    /// A tarball could not be downloaded.
    Failed(String, Error),
    /// An archive whose content says what it is, by key.
    Archive(String, Result<Vec<u8>>),
    /// A commit is in the store, or could not be had; by key.
    Git(String, Result<crate::store::git::Checkout>),
}

/// State of a manifest.
#[derive(Clone)]
pub(crate) enum Lookup {
    Ready(Manifest),
    Pending,
    Failed(Error),
}

/// A manifest is not asked for again within this many seconds.
const FRESH_SECONDS: u64 = 300;

pub(crate) struct Session<'c> {
    pub config: &'c Config,
    /// Directory of the project.
    pub root: std::path::PathBuf,
    sender: UnboundedSender<Event>,
    receiver: UnboundedReceiver<Event>,
    net: OnceCell<Net>,
    manifests: FxHashMap<u64, Lookup>,
    disk: Option<Arc<Cache>>,
    store: OnceCell<Arc<Store>>,
    workers: Rc<Workers>,
    /// Seconds since 1970.
    pub now: u64,
    /// Cache folders whose tarballs were asked for.
    requested: FxHashSet<String>,
    /// Tarballs that were asked for and are not in the store yet.
    pub downloading: usize,
    /// Errors of downloads, by cache folder.
    pub failed: FxHashMap<String, Error>,
    pub downloaded: usize,
    /// Set by `update`: exact and fresh entries are asked for too.
    pub revalidate: bool,
    /// Repositories: what was asked for and what came.
    pub remote: crate::registry::repositories::Remotes,
    git: Option<crate::store::git::Pool>,
}

impl Drop for Session<'_> {
    /// Downloads end, and with them what is unpacked while it arrives; then the store closes.
    fn drop(&mut self) {
        self.net.take();
        if let Some(store) = self.store.get() {
            store.close();
        }
    }
}

impl<'c> Session<'c> {
    pub(crate) fn new(config: &'c Config, root: &std::path::Path) -> Self {
        let (sender, receiver) = unbounded_channel();
        Self {
            config,
            root: root.to_owned(),
            sender,
            receiver,
            net: OnceCell::new(),
            manifests: FxHashMap::default(),
            disk: None,
            store: OnceCell::new(),
            workers: Rc::default(),
            now: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs()),
            requested: FxHashSet::default(),
            downloading: 0,
            failed: FxHashMap::default(),
            downloaded: 0,
            revalidate: false,
            remote: crate::registry::repositories::Remotes::default(),
            git: None,
        }
    }

    /// The network, started at the first use.
    pub(crate) fn net(&self) -> Result<&Net> {
        if let Some(net) = self.net.get() {
            return Ok(net);
        }
        let mut settings = self.config.net.clone();
        settings.verbose = self.config.verbose;
        let net = Net::new(settings)?;
        Ok(self.net.get_or_init(|| net))
    }

    /// The store, opened at the first use.
    pub(crate) fn store(&self) -> Result<&Arc<Store>> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let sender = self.sender.clone();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let store = Store::open(
            &self.config.cache_dir,
            threads,
            Box::new(move |done| {
                let _ = sender.send(Event::Unpacked(done));
            }),
        )?;
        store.replace.store(self.config.force, std::sync::atomic::Ordering::Relaxed);
        if self.config.linker == Some(crate::model::plan::Linker::Store) {
            store.take_archives();
        }
        Ok(self.store.get_or_init(|| store))
    }

    /// Packages may be asked for again: one of them is not in the store any more.
    pub(crate) fn forget_requests(&mut self) {
        self.requested.clear();
    }

    /// The store, if anything has opened it.
    pub(crate) fn store_if_open(&self) -> Option<&Arc<Store>> {
        self.store.get()
    }

    fn disk(&mut self) -> Option<Arc<Cache>> {
        if self.disk.is_none() {
            use rustix::fs::{Mode, OFlags, open};
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let dir = open(&self.config.cache_dir, flags, Mode::empty()).or_else(|_| {
                let _ = std::fs::create_dir_all(&self.config.cache_dir);
                open(&self.config.cache_dir, flags, Mode::empty())
            });
            self.disk = Some(Arc::new(Cache::new(dir.ok()?)));
        }
        self.disk.clone()
    }

    /// Opens a connection to the default registry while other things are being read.
    pub(crate) fn preconnect(&self) {
        if let Ok(net) = self.net() {
            let (client, url) = (net.client.clone(), self.config.registry.url.clone());
            net.spawn(async move { client.preconnect(&url).await });
            // As far as the system's part: the lookup goes on beside us, the connection is on its way.
            net.run(tokio::task::yield_now());
        }
    }

    /// The manifest of a package; starts to fetch it where it is neither in memory nor on disk. `enough(manifest)` tells that a stale
    /// one from the disk will do (it has the exact version that is wanted).
    pub(crate) fn manifest(&mut self, name: &str, enough: impl FnOnce(&Manifest) -> bool) -> Lookup {
        let key = hash(name);
        if let Some(found) = self.manifests.get(&key) {
            return found.clone();
        }
        let found = self.load(name, key, enough);
        self.manifests.insert(key, found.clone());
        found
    }

    fn load(&mut self, name: &str, key: u64, enough: impl FnOnce(&Manifest) -> bool) -> Lookup {
        if !crate::model::spec::valid_name(name) {
            return Lookup::Failed(Error::new(Code::Usage, format!("\"{name}\" is not a package name")));
        }
        let registry = self.config.registry_for(name).clone();
        let full =
            self.config.minimum_release_age > 0 || ["linux", "musl", "glibc"].iter().any(|part| name.contains(part));
        let disk = self.disk();
        let stored =
            if self.config.no_cache { None } else { disk.as_ref().and_then(|disk| disk.load(&registry.url, name)) };
        let stored = stored.filter(|stored| !full || stored.is_full() || self.config.offline);
        if let Some(stored) = &stored {
            let age = self.now.saturating_sub(stored.checked());
            if self.config.offline
                || self.config.prefer_offline
                || (!self.revalidate && (age < FRESH_SECONDS || enough(stored)))
            {
                return Lookup::Ready(stored.clone());
            }
        }
        if self.config.offline {
            return Lookup::Failed(
                Error::new(Code::Network, format!("no manifest of {name} in the cache"))
                    .url(manifest_url(&registry, name))
                    .hint("run once without --offline"),
            );
        }
        if let Err(error) = check_registry(&registry, name) {
            return Lookup::Failed(error);
        }
        let request = self.manifest_request(&registry, name, full, stored.as_ref());
        let (name, sender) = (name.to_owned(), self.sender.clone());
        let keep = !self.config.no_cache;
        let fetch = ManifestFetch { key, name, registry, full, now: self.now, stored, disk, keep, sender };
        match self.net() {
            Ok(net) => {
                progress::add(Count::Asked);
                net.spawn(fetch.run(net.client.clone(), request, self.workers.clone()));
                Lookup::Pending
            }
            Err(error) => Lookup::Failed(error),
        }
    }

    /// The request for a manifest, `full` or abbreviated; if one is `stored`, for a newer one.
    fn manifest_request(&self, registry: &Registry, name: &str, full: bool, stored: Option<&Manifest>) -> Request {
        let mut request = Request::document(manifest_url(registry, name));
        request.package = name.to_owned();
        request.authorization = registry.authorization.clone();
        request.raw = true;
        request.headers.push((
            "accept",
            if full {
                "application/json".to_owned()
            } else {
                "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*".to_owned()
            },
        ));
        request.headers.push(("accept-encoding", "gzip".to_owned()));
        request.headers.push(("user-agent", self.config.net.user_agent.clone()));
        if request.authorization.is_some() {
            // As Bun says it: a token of a file, not of a login in a browser.
            request.headers.push(("npm-auth-type", "legacy".to_owned()));
        }
        if let Some(stored) = stored {
            if !stored.etag().is_empty() {
                request.headers.push(("if-none-match", stored.etag().to_owned()));
            } else if !stored.modified().is_empty() {
                request.headers.push(("if-modified-since", stored.modified().to_owned()));
            }
        }
        request
    }

    /// The manifest of a package if this run has it in memory.
    pub(crate) fn known(&self, name: &str) -> Option<&Manifest> {
        match self.manifests.get(&hash(name)) {
            Some(Lookup::Ready(manifest)) => Some(manifest),
            _ => None,
        }
    }

    /// Downloads a tarball into the store, unless it is there or on its way.
    pub(crate) fn download(&mut self, mut job: TarballJob, authorization: Option<String>) -> Result<()> {
        if !self.config.verify {
            job.integrity = Integrity::None;
        }
        if self.requested.contains(&job.cache_dir) {
            return Ok(());
        }
        self.requested.insert(job.cache_dir.clone());
        let store = self.store()?.clone();
        store.expect_integrity(&job.cache_dir, &job.integrity);
        if !self.config.force && !job.want_manifest && store.contains(&job.cache_dir) {
            return Ok(());
        }
        store.expect(&job.cache_dir);
        if self.config.offline {
            let error = Error::new(Code::Network, "the tarball is not in the cache")
                .package(&job.name, &job.version)
                .url(&job.url)
                .hint("run once without --offline");
            store.failed(&job.cache_dir, error.clone());
            self.failed.insert(job.cache_dir, error);
            return Ok(());
        }
        self.downloading += 1;
        progress::add(Count::Wanted);
        let (client, sender) = (self.net()?.client.clone(), self.sender.clone());
        let mut request = Request::get(job.url.clone());
        request.package = format!("{}@{}", job.name, job.version);
        request.authorization = authorization;
        request.bulk = true;
        request.headers.push(("accept", "*/*".to_owned()));
        request.headers.push(("user-agent", self.config.net.user_agent.clone()));
        let job = Rc::new(job);
        let (large, whole) = (store.clone(), job.clone());
        request.body_pipe = Some(BodyPipe(Rc::new(move |length| large.stream(&whole, length))));
        self.net()?.spawn(async move {
            let fail = |error: Error| {
                store.failed(&job.cache_dir, error.clone());
                let _ = sender.send(Event::Failed(job.cache_dir.clone(), error));
            };
            let answer = client.send(request).await;
            progress::add(Count::Arrived);
            match answer {
                Ok(response) if response.taken => {}
                Ok(response) if response.status == 200 => store.submit(TarballJob::clone(&job), response.body),
                Ok(response) => fail(status_error(response.status, &job.url, &job.name, &response.body)),
                Err(error) => fail(error),
            }
        });
        Ok(())
    }

    /// Unpacks a tarball that is a file.
    pub(crate) fn unpack(&mut self, job: TarballJob, bytes: Vec<u8>) -> Result<()> {
        if self.requested.insert(job.cache_dir.clone()) {
            self.unpack_anew(job, bytes)?;
        }
        Ok(())
    }

    /// The same, whether it was asked for before or not.
    pub(crate) fn unpack_anew(&mut self, job: TarballJob, bytes: Vec<u8>) -> Result<()> {
        self.requested.insert(job.cache_dir.clone());
        let store = self.store()?.clone();
        store.expect(&job.cache_dir);
        self.downloading += 1;
        store.submit(job, bytes);
        Ok(())
    }

    /// Waits for an event and takes note of it. What the caller has to look at is returned.
    pub(crate) fn wait(&mut self) -> Result<Event> {
        let event = match self.receiver.try_recv() {
            Ok(event) => Some(event),
            Err(_) => match self.net.get() {
                Some(net) => net.run(self.receiver.recv()),
                None => self.receiver.blocking_recv(),
            },
        };
        let event = event.ok_or_else(|| Error::new(Code::Network, "the event queue was closed"))?;
        match &event {
            Event::Manifest(key, result) => {
                progress::add(Count::Known);
                let found = match result {
                    Ok(manifest) => Lookup::Ready(manifest.clone()),
                    Err(error) => Lookup::Failed(error.clone()),
                };
                self.manifests.insert(*key, found);
            }
            Event::Unpacked(done) => {
                self.downloading -= 1;
                progress::add(Count::Unpacked);
                match &done.result {
                    Ok(_) => self.downloaded += 1,
                    Err(error) => {
                        self.failed.insert(done.cache_dir.clone(), error.clone());
                    }
                }
            }
            Event::Failed(dir, error) => {
                self.downloading -= 1;
                progress::add(Count::Unpacked);
                self.failed.insert(dir.clone(), error.clone());
            }
            Event::Archive(..) => {}
            Event::Git(..) => self.downloading -= 1,
        }
        self.note_remote(&event)?;
        Ok(event)
    }

    /// Fetches an archive; it arrives as [`Event::Archive`].
    pub(crate) fn archive(&self, key: String, request: Request) -> Result<()> {
        let (client, sender) = (self.net()?.client.clone(), self.sender.clone());
        self.net()?.spawn(async move {
            let url = request.url.clone();
            let package = request.package.clone();
            let result = match client.send(request).await {
                Ok(response) if response.status == 200 => Ok(response.body),
                Ok(response) => Err(status_error(response.status, &url, &package, &response.body)),
                Err(error) => Err(error),
            };
            let _ = sender.send(Event::Archive(key, result));
        });
        Ok(())
    }

    /// Brings a commit of a git repository into the store; it arrives as [`Event::Git`]. `cache_dir`: the linker waits for it.
    pub(crate) fn git(&mut self, key: String, job: crate::store::git::Job, cache_dir: Option<String>) -> Result<()> {
        let store = self.store()?.clone();
        if let Some(dir) = &cache_dir {
            store.expect(dir);
        }
        progress::add(Count::Wanted);
        self.downloading += 1;
        let sender = self.sender.clone();
        let pool = self.git.get_or_insert_with(|| crate::store::git::Pool::new(store.clone()));
        pool.submit(
            job,
            Box::new(move |result| {
                if let (Some(dir), Err(error)) = (&cache_dir, &result) {
                    store.failed(dir, error.clone());
                }
                let _ = sender.send(Event::Git(key, result));
            }),
        );
        Ok(())
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn send(&self, request: Request) -> Result<Response> {
        let net = self.net()?;
        net.run(net.client.send(request))
    }

    /// The URL of a registry package's tarball.
    pub(crate) fn tarball_url(&self, name: &str, version: &str, explicit: &str) -> String {
        if explicit.is_empty() {
            usual_tarball(&self.config.registry_for(name).url, name, version)
        } else {
            explicit.to_owned()
        }
    }

    /// The job that brings a registry package into the store.
    pub(crate) fn npm_job(&self, name: &str, version: &str, explicit: &str, integrity: Integrity) -> TarballJob {
        TarballJob {
            cache_dir: self.npm_cache_dir(name, version),
            name: name.to_owned(),
            version: version.to_owned(),
            url: self.tarball_url(name, version, explicit),
            integrity,
            want_manifest: false,
            want_integrity: false,
        }
    }

    /// Folder of a registry package: `name@version@@@1`, with the host where the registry is not the default one.
    pub(crate) fn npm_cache_dir(&self, name: &str, version: &str) -> String {
        let registry = &self.config.registry_for(name).url;
        if registry == crate::model::registry_url::DEFAULT_REGISTRY {
            return format!("{name}@{version}@@@1");
        }
        let host = Url::parse(registry).map_or("", |url| url.authority).replace([':', '/'], "_");
        format!("{name}@{version}@@{host}@@@1")
    }
}

/// A manifest that is on its way from the registry.
struct ManifestFetch {
    key: u64,
    name: String,
    registry: Registry,
    /// The whole packument was asked for, not the abbreviated one.
    full: bool,
    /// Seconds since 1970.
    now: u64,
    /// What the disk has; the registry may answer that it is current.
    stored: Option<Manifest>,
    disk: Option<Arc<Cache>>,
    /// The disk keeps what arrives.
    keep: bool,
    sender: UnboundedSender<Event>,
}

impl ManifestFetch {
    /// Fetches it and reports the result as an [`Event::Manifest`].
    async fn run(mut self, client: Rc<Client>, request: Request, workers: Rc<Workers>) {
        let url = request.url.clone();
        let result = match (client.send(request).await, self.stored.take()) {
            (Ok(response), Some(stored)) if response.status == 304 => {
                if let Some(disk) = &self.disk {
                    disk.confirm(&self.registry.url, &stored, self.now);
                }
                Ok(stored)
            }
            (Ok(response), _) if response.status == 200 => {
                // The network goes on meanwhile.
                workers.run(move || {
                    let result = self.read(response, url);
                    let _ = self.sender.send(Event::Manifest(self.key, result));
                });
                return;
            }
            (Ok(response), _) => Err(status_error(response.status, &url, &self.name, &response.body)),
            (Err(error), _) => Err(error),
        };
        let _ = self.sender.send(Event::Manifest(self.key, result));
    }

    /// Reads a manifest that has arrived and stores it.
    fn read(&self, response: Response, url: String) -> Result<Manifest> {
        let source = manifest::Source {
            etag: &response.etag,
            modified: &response.modified,
            now: self.now,
            full: self.full,
            registry: &self.registry.url,
        };
        let parsed = if response.gzip {
            with_gunzipped(&response.body, |text| manifest::parse(text, &self.name, source))
                .unwrap_or_else(|| Err("not the gzip it was said to be".to_owned()))
        } else {
            manifest::parse(&response.body, &self.name, source)
        };
        drop(response.body);
        match parsed {
            Ok(manifest) => {
                if self.keep
                    && let Some(disk) = &self.disk
                {
                    disk.store(&self.registry.url, &manifest);
                }
                Ok(manifest)
            }
            Err(what) => Err(Error::new(Code::Parse, format!("the manifest of {} is {what}", self.name))
                .url(url)
                .hint("the registry did not answer with a manifest: check its URL")),
        }
    }
}

fn manifest_url(registry: &Registry, name: &str) -> String {
    format!("{}{}", registry.url, name.replace('/', "%2f"))
}

/// Bun's words for a registry of which no URL of the package `name` can be made.
fn check_registry(registry: &Registry, name: &str) -> Result<()> {
    let url = &registry.url;
    if Url::parse(url).is_some() {
        return Ok(());
    }
    let other = url.split_once(":/").is_some_and(|(scheme, _)| {
        !matches!(scheme, "http" | "https")
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    });
    Err(Error::new(
        Code::Usage,
        match other {
            true => format!("Registry URL must be http:// or https://\nReceived: \"{url}{name}\""),
            false => format!("Failed to join registry \"{url}\" and package \"{name}\" URLs"),
        },
    ))
}

/// An answer that is no success, with what to try.
fn status_error(status: u16, url: &str, package: &str, body: &[u8]) -> Error {
    let error = Error::new(Code::Status, format!("GET {url} - {status}")).package(package, "");
    let detail = json::Value::parse(body).ok().and_then(|value| {
        let text = value.text("error");
        let text = if text.is_empty() { value.text("message") } else { text };
        (!text.is_empty() && text.len() < 300).then(|| text.to_owned())
    });
    let error = match detail {
        Some(detail) => error.cause(detail),
        None => error,
    };
    match status {
        401 | 403 => {
            error.hint("the registry wants credentials: set //host/:_authToken in .npmrc, or BUN_CONFIG_TOKEN")
        }
        404 => error.hint("check the name's spelling, and which registry its scope is mapped to"),
        429 => error.hint("the registry limits requests: try again later, or lower --network-concurrency"),
        500.. => error.hint("the registry has a problem: try again later"),
        _ => error,
    }
}
