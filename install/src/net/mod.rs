//! HTTP to registries: a keep-alive pool, HTTP/2 where a server speaks it, TLS, proxies, retries. Everything runs on the thread that calls [`Net::run`].

mod body;
mod client;
mod exchange;
mod http2;
pub(crate) mod pipe;
mod tls;
pub(crate) mod url;

pub(crate) use body::with_gunzipped;
pub(crate) use client::was_unreachable;
pub use client::{Client, Settings};
pub(crate) use exchange::Response;

use crate::error::Result;
use std::future::Future;
use std::rc::Rc;

/// One request. Sending it again must do no harm.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    pub url: String,
    /// Name and value; no `host`, no `connection`.
    pub headers: Vec<(&'static str, String)>,
    /// Value of `authorization`; not sent to another origin after a redirect.
    pub authorization: Option<String>,
    pub body: Vec<u8>,
    /// What it is for, for messages: `react@^19`.
    pub package: String,
    /// Large answer that nothing waits for: leaves an eighth of the connections to the others.
    pub bulk: bool,
    /// The body is given as it came: [`Response::gzip`] tells whether it has to be unpacked.
    pub raw: bool,
    /// Takes a large body while it arrives.
    pub body_pipe: Option<BodyPipe>,
    /// Most bytes of the body.
    pub limit: u64,
}

/// Is asked for a body of `length` bytes whether it works on it from a pipe.
#[derive(Clone)]
pub struct BodyPipe(pub Rc<dyn Fn(u64) -> Option<pipe::Writer>>);

impl std::fmt::Debug for BodyPipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BodyPipe")
    }
}

impl Request {
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: "GET",
            url: url.into(),
            headers: Vec::new(),
            authorization: None,
            body: Vec::new(),
            package: String::new(),
            bulk: false,
            raw: false,
            body_pipe: None,
            limit: exchange::MAX_BODY,
        }
    }

    /// The answer is a document, not an archive: the largest manifests are some dozens of megabytes.
    pub fn document(url: impl Into<String>) -> Self {
        Self { limit: 128 << 20, ..Self::get(url) }
    }
}

/// The event loop of the network. `E` is what its tasks report; the channel exists without it.
pub struct Net {
    runtime: tokio::runtime::Runtime,
    local: tokio::task::LocalSet,
    pub client: Rc<Client>,
}

impl Net {
    /// Makes the loop; nothing is connected yet.
    pub fn new(settings: Settings) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(4)
            .build()
            .map_err(|error| {
                crate::error::Error::new(crate::error::Code::Network, "cannot start the network").cause(error)
            })?;
        Ok(Self { runtime, local: tokio::task::LocalSet::new(), client: Rc::new(Client::new(settings)) })
    }

    /// Starts a task; it makes progress while [`Net::run`] runs.
    pub fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        let _entered = self.runtime.enter();
        self.local.spawn_local(task);
    }

    /// Runs one future to its end, and the tasks beside it.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(self.local.run_until(future))
    }
}
