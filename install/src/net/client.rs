//! The pool: connections by origin, retries, redirects, proxies.

use super::Request;
use super::exchange::{Connection, Failure, Response, Stream, exchange};
use super::http2::{self, Shared};
use super::tls::{self, Trust};
use super::url::{Url, decode, join};
use crate::error::{Code, Error, Result};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

/// How the network is used.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Connections at a time.
    pub connections: usize,
    /// Further attempts after the first.
    pub retries: u32,
    /// First pause between attempts; doubled each time, at most 40 times this.
    pub backoff: Duration,
    /// Longest wait for a connection.
    pub connect: Duration,
    /// Longest wait for more bytes.
    pub idle: Duration,
    pub trust: Trust,
    pub http_proxy: Option<String>,
    pub https_proxy: Option<String>,
    /// Hosts that are reached directly, separated by commas.
    pub no_proxy: String,
    pub user_agent: String,
    pub verbose: bool,
    /// HTTP/2 is offered to servers that speak TLS.
    pub http2: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connections: 64,
            retries: 5,
            backoff: Duration::from_millis(50),
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(60),
            trust: Trust::default(),
            http_proxy: None,
            https_proxy: None,
            no_proxy: String::new(),
            user_agent: String::new(),
            verbose: false,
            http2: true,
        }
    }
}

/// See [`was_unreachable`].
static UNREACHABLE: AtomicBool = AtomicBool::new(false);

/// Whether this process has given a request up because a server could not be reached, or did not answer.
pub(crate) fn was_unreachable() -> bool {
    UNREACHABLE.load(Ordering::Relaxed)
}

type Addresses = Arc<OnceCell<Arc<[SocketAddr]>>>;

/// What is known of a server behind TLS.
#[derive(Default)]
struct Origin {
    /// A handshake is over: it is known what the server speaks.
    known: Cell<bool>,
    /// It spoke HTTP/2.
    two: Cell<bool>,
    /// Handshakes under way.
    opening: Cell<usize>,
    /// One of them is over.
    progress: Notify,
    shared: RefCell<Vec<Rc<Shared>>>,
}

impl Origin {
    /// The connection for streams with the fewest of them.
    fn shared(&self) -> Option<Rc<Shared>> {
        let mut list = self.shared.borrow_mut();
        list.retain(|shared| !shared.closed.get());
        list.iter().min_by_key(|shared| shared.active.get()).cloned()
    }
}

/// What a new connection is for.
enum Opened {
    Own(Connection),
    Shared(Rc<Shared>),
}

pub struct Client {
    settings: Settings,
    slots: Semaphore,
    bulk: Semaphore,
    idle: RefCell<FxHashMap<String, Vec<Connection>>>,
    names: RefCell<FxHashMap<String, Addresses>>,
    tls: OnceCell<Arc<ClientConfig>>,
    origins: RefCell<FxHashMap<String, Rc<Origin>>>,
    /// Requests sent, for --verbose.
    pub sent: Cell<u32>,
}

impl Client {
    pub fn new(settings: Settings) -> Self {
        let connections = settings.connections.max(1);
        Self {
            slots: Semaphore::new(connections),
            bulk: Semaphore::new((connections - connections / 8).max(1)),
            settings,
            idle: RefCell::default(),
            names: RefCell::default(),
            tls: OnceCell::new(),
            origins: RefCell::default(),
            sent: Cell::new(0),
        }
    }

    /// Looks the host up and opens a connection that a request will find.
    pub async fn preconnect(&self, url: &str) {
        if let Some(url) = Url::parse(url)
            && let Ok(_slot) = self.slots.acquire().await
            && let Ok(Opened::Own(connection)) = self.open(&url).await
        {
            self.keep(&url, connection);
        }
    }

    fn origin(&self, url: &Url<'_>) -> Option<Rc<Origin>> {
        if !url.tls || !self.settings.http2 {
            return None;
        }
        Some(self.origins.borrow_mut().entry(origin(url)).or_default().clone())
    }

    /// Opens a connection; one that streams can share is remembered.
    async fn open(&self, url: &Url<'_>) -> Result<Opened> {
        let Some(origin) = self.origin(url) else { return self.connect(url).await.map(|(c, _)| Opened::Own(c)) };
        origin.opening.set(origin.opening.get() + 1);
        let result = async {
            let (connection, two) = self.connect(url).await?;
            if !two {
                return Ok(Opened::Own(connection));
            }
            let starting = timeout(self.settings.connect, http2::start(connection.stream)).await;
            let shared = starting
                .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
                .map_err(|error| Error::new(Code::Network, "HTTP/2 could not be started").cause(error))?;
            let shared = Rc::new(shared);
            origin.shared.borrow_mut().push(shared.clone());
            origin.two.set(true);
            Ok(Opened::Shared(shared))
        }
        .await;
        origin.opening.set(origin.opening.get() - 1);
        origin.known.set(origin.known.get() || result.is_ok());
        origin.progress.notify_waiters();
        result
    }

    /// Sends a request, with retries and redirects, and gives whatever final status came.
    pub async fn send(&self, mut request: Request) -> Result<Response> {
        let _bulk = if request.bulk { self.bulk.acquire().await.ok() } else { None };
        let first = request.url.clone();
        let mut redirects = 0;
        loop {
            let mut response = self.attempts(&request).await?;
            if !matches!(response.status, 301 | 302 | 303 | 307 | 308) || response.location.is_empty() {
                response.url = request.url;
                return Ok(response);
            }
            redirects += 1;
            let fail = |what: &str| {
                Err(Error::new(Code::Network, what.to_owned())
                    .package(&request.package, "")
                    .url(first.clone())
                    .hint(format!("the last redirect went to {}", response.location)))
            };
            if redirects > 10 {
                return fail("more than 10 redirects");
            }
            let Some(next) = join(&request.url, &response.location) else {
                return fail("a redirect without a usable address");
            };
            let same = match (Url::parse(&request.url), Url::parse(&next)) {
                (Some(from), Some(to)) => {
                    if from.tls && !to.tls {
                        return fail("a redirect from https to http");
                    }
                    from.same_origin(&to)
                }
                _ => return fail("a redirect to something that is no http(s) URL"),
            };
            if !same {
                request.authorization = None;
            }
            request.url = next;
        }
    }

    /// One URL, up to the number of attempts.
    async fn attempts(&self, request: &Request) -> Result<Response> {
        let Some(url) = Url::parse(&request.url) else {
            return Err(Error::new(Code::Usage, "not an http(s) URL").package(&request.package, "").url(&request.url));
        };
        let mut attempt = 0;
        loop {
            let outcome = {
                let _slot = self.slots.acquire().await;
                self.once(request, &url).await
            };
            let (pause, error) = match outcome {
                Ok(response) if matches!(response.status, 408 | 425 | 429) || response.status >= 500 => {
                    if attempt >= self.settings.retries {
                        return Ok(response);
                    }
                    (retry_after(&response.retry_after), format!("status {}", response.status))
                }
                Ok(response) => return Ok(response),
                Err(error) => {
                    if attempt >= self.settings.retries || error.code != Code::Network {
                        UNREACHABLE.fetch_or(error.code == Code::Network, Ordering::Relaxed);
                        return Err(error.package(&request.package, "").url(&request.url));
                    }
                    (None, error.to_string())
                }
            };
            let pause = pause.unwrap_or(self.settings.backoff * (1u32 << attempt.min(20)).min(40));
            attempt += 1;
            if self.settings.verbose {
                base::stderr_line!(
                    "[{attempt}/{}] {} again in {} ms: {error}",
                    self.settings.retries,
                    request.url,
                    pause.as_millis()
                );
            }
            sleep(pause).await;
        }
    }

    async fn once(&self, request: &Request, url: &Url<'_>) -> Result<Response> {
        loop {
            let known = self.origin(url);
            let found = self.idle.borrow_mut().get_mut(&origin(url)).and_then(Vec::pop);
            let opened = match (found, &known) {
                (Some(connection), _) => Opened::Own(connection),
                (None, None) => self.open(url).await?,
                (None, Some(server)) => match server.shared() {
                    Some(shared) => Opened::Shared(shared),
                    None if (server.two.get() || !server.known.get())
                        && server.opening.get() >= http2::MAX_CONNECTIONS =>
                    {
                        server.progress.notified().await;
                        continue;
                    }
                    None => self.open(url).await?,
                },
            };
            self.sent.set(self.sent.get() + 1);
            let mut own = None;
            let outcome = match opened {
                Opened::Own(connection) => exchange(own.insert(connection), request, url, self.settings.idle).await,
                Opened::Shared(shared) => {
                    shared.exchange(request, url, self.settings.idle).await.map(|response| (response, true))
                }
            };
            match outcome {
                Ok((response, keep)) => {
                    if keep && let Some(mut connection) = own {
                        connection.reused = true;
                        self.keep(url, connection);
                    }
                    return Ok(response);
                }
                // The server had closed the idle connection: that is no attempt.
                Err(Failure::Stale) => {}
                Err(Failure::Io(error)) => return Err(Error::new(Code::Network, "the connection failed").cause(error)),
                Err(Failure::Timeout(what)) => {
                    return Err(Error::new(
                        Code::Network,
                        format!("no progress for {} s while {what}", self.settings.idle.as_secs()),
                    )
                    .hint("check the network and the registry; HTTPS_PROXY and --registry choose another way"));
                }
                Err(Failure::Abandoned) => return Ok(Response { status: 200, taken: true, ..Response::default() }),
                Err(Failure::Malformed(what)) => {
                    return Err(Error::new(Code::Network, format!("the server's answer is not usable: {what}")));
                }
            }
        }
    }

    fn keep(&self, url: &Url<'_>, connection: Connection) {
        self.idle.borrow_mut().entry(origin(url)).or_default().push(connection);
    }

    fn proxy(&self, url: &Url<'_>) -> Option<&str> {
        let proxy = if url.tls { &self.settings.https_proxy } else { &self.settings.http_proxy };
        let proxy = proxy.as_deref().filter(|text| !text.is_empty())?;
        (!bypassed(&self.settings.no_proxy, url)).then_some(proxy)
    }

    /// True: the server wants HTTP/2 on it.
    async fn connect(&self, url: &Url<'_>) -> Result<(Connection, bool)> {
        let connecting = async {
            let mut absolute = false;
            let mut proxy_authorization = None;
            let tcp = match self.proxy(url) {
                None => self.stream(url.host, url.port, url.tls).await?,
                Some(text) => {
                    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
                    let proxy = Url::parse(&full)
                        .ok_or_else(|| Error::new(Code::Usage, format!("the proxy {text} is not a URL")))?;
                    let mut stream = self.stream(proxy.host, proxy.port, proxy.tls || url.tls).await?;
                    if proxy.tls {
                        stream = self.handshake(stream, proxy.host, false).await?.0;
                    }
                    if !proxy.credentials.is_empty() {
                        let mut value = "Basic ".to_owned();
                        crate::model::integrity::base64(decode(proxy.credentials).as_bytes(), &mut value);
                        proxy_authorization = Some(value);
                    }
                    if url.tls {
                        tunnel(&mut stream, url, proxy_authorization.take().as_deref()).await?;
                    } else {
                        absolute = true;
                    }
                    stream
                }
            };
            let (stream, two) =
                if url.tls { self.handshake(tcp, url.host, self.settings.http2).await? } else { (tcp, false) };
            Ok((Connection { stream, buffer: Vec::new(), reused: false, absolute, proxy_authorization }, two))
        };
        match timeout(self.settings.connect, connecting).await {
            Ok(result) => result,
            Err(_) => Err(Error::new(
                Code::Network,
                format!("timed out: no connection to {} within {} s", url.authority, self.settings.connect.as_secs()),
            )
            .hint("check the network, a firewall, or whether a proxy is needed (HTTPS_PROXY)")),
        }
    }

    /// True: the server has chosen HTTP/2, which is offered where `two`.
    async fn handshake(&self, stream: Box<dyn Stream>, host: &str, two: bool) -> Result<(Box<dyn Stream>, bool)> {
        let config = self.tls.get_or_try_init(|| async { tls::config(&self.settings.trust) }).await?;
        let mut offers = vec![b"http/1.1".to_vec()];
        if two {
            offers.insert(0, b"h2".to_vec());
        }
        let name = rustls_pki_types::ServerName::try_from(host.to_owned())
            .map_err(|error| Error::new(Code::Network, format!("{host} is no host name for TLS")).cause(error))?;
        let stream =
            TlsConnector::from(config.clone()).with_alpn(offers).connect(name, stream).await.map_err(|error| {
                let certificate = error.get_ref().is_some_and(|inner| inner.to_string().contains("certificate"));
                let wrapped =
                    Error::new(if certificate { Code::Io } else { Code::Network }, format!("TLS with {host} failed"))
                        .cause(&error);
                if certificate {
                    wrapped
                        .hint("a company's certificate authority goes into `cafile`, --cafile or NODE_EXTRA_CA_CERTS")
                } else {
                    wrapped
                }
            })?;
        let two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok((Box::new(stream), two))
    }

    /// A TCP connection; below TLS, which reads a record at a time, with a buffer.
    async fn stream(&self, host: &str, port: u16, tls: bool) -> Result<Box<dyn Stream>> {
        let tcp = self.tcp(host, port).await?;
        Ok(if tls { Box::new(BufReader::with_capacity(64 << 10, tcp)) } else { Box::new(tcp) })
    }

    async fn tcp(&self, host: &str, port: u16) -> Result<TcpStream> {
        let key = format!("{host}:{port}");
        let cell = self.names.borrow_mut().entry(key).or_default().clone();
        let addresses = cell
            .get_or_try_init(|| async {
                let found: Vec<SocketAddr> = match host.parse() {
                    Ok(address) => vec![SocketAddr::new(address, port)],
                    Err(_) => tokio::net::lookup_host((host, port)).await?.collect(),
                };
                std::io::Result::Ok(Arc::from(found))
            })
            .await
            .map_err(|error| {
                Error::new(Code::Network, format!("the name {host} cannot be looked up"))
                    .cause(error)
                    .hint("check the registry's URL and the network; --offline works from the cache")
            })?
            .clone();
        let mut last = None;
        for address in addresses.iter() {
            match timeout(Duration::from_secs(5), TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = Some(std::io::Error::new(std::io::ErrorKind::TimedOut, "timed out")),
            }
        }
        let error = last.unwrap_or_else(|| std::io::Error::new(std::io::ErrorKind::NotFound, "no address"));
        Err(Error::new(Code::Network, format!("cannot connect to {host}:{port}")).cause(error))
    }
}

fn origin(url: &Url<'_>) -> String {
    format!("{}{}:{}", if url.tls { "s" } else { "" }, url.host, url.port)
}

/// Asks a proxy for a tunnel.
async fn tunnel(stream: &mut Box<dyn Stream>, url: &Url<'_>, authorization: Option<&str>) -> Result<()> {
    let target = format!("{}:{}", url.host, url.port);
    let mut head = format!("CONNECT {target} HTTP/1.1\r\nhost: {target}\r\n");
    if let Some(value) = authorization {
        head.push_str(&format!("proxy-authorization: {value}\r\n"));
    }
    head.push_str("\r\n");
    let fail = |error: std::io::Error| Error::new(Code::Network, "the proxy failed").cause(error);
    stream.write_all(head.as_bytes()).await.map_err(fail)?;
    stream.flush().await.map_err(fail)?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        // Byte by byte: what follows belongs to TLS.
        let byte = stream.read_u8().await.map_err(fail)?;
        answer.push(byte);
        if answer.len() > 16 << 10 {
            break;
        }
    }
    let line = String::from_utf8_lossy(&answer);
    let line = line.lines().next().unwrap_or("");
    match line.split(' ').nth(1) {
        Some("200") => Ok(()),
        _ => Err(Error::new(Code::Network, format!("the proxy refused a tunnel to {target}: {line}"))
            .hint("check HTTPS_PROXY and its user and password, or add the host to NO_PROXY")),
    }
}

/// `NO_PROXY`: `*`, host, `.suffix`, host:port, address or CIDR.
fn bypassed(list: &str, url: &Url<'_>) -> bool {
    list.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        let (host, port) = match entry.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !host.contains(':') => {
                (host, port.parse().ok())
            }
            _ => (entry, None),
        };
        if port.is_some_and(|port: u16| port != url.port) {
            return false;
        }
        if let Some((network, bits)) = host.split_once('/') {
            return in_network(network, bits, url.host).unwrap_or(false);
        }
        let suffix = host.trim_start_matches('*').trim_start_matches('.').to_ascii_lowercase();
        let wanted = url.host.to_ascii_lowercase();
        wanted == suffix || wanted.strip_suffix(&suffix).is_some_and(|rest| rest.ends_with('.'))
    })
}

fn in_network(network: &str, bits: &str, host: &str) -> Option<bool> {
    use std::net::IpAddr;
    let bits: u32 = bits.parse().ok()?;
    match (network.parse().ok()?, host.parse().ok()?) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let mask = u32::MAX.checked_shl(32u32.checked_sub(bits)?).unwrap_or(0);
            Some(u32::from(a) & mask == u32::from(b) & mask)
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let mask = u128::MAX.checked_shl(128u32.checked_sub(bits)?).unwrap_or(0);
            Some(u128::from(a) & mask == u128::from(b) & mask)
        }
        _ => Some(false),
    }
}

/// Seconds of a `retry-after` header, at most 60.
fn retry_after(value: &str) -> Option<Duration> {
    value.trim().parse::<u64>().ok().map(|seconds| Duration::from_secs(seconds.min(60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_need_no_proxy() {
        let url = Url::parse("https://a.corp.org:8443/").unwrap();
        for list in ["*", "a.corp.org", ".corp.org", "corp.org", "x, corp.org:8443", "*.corp.org"] {
            assert!(bypassed(list, &url), "{list}");
        }
        for list in ["", "orp.org", "corp.org:443", "b.corp.org"] {
            assert!(!bypassed(list, &url), "{list}");
        }
        let url = Url::parse("http://10.1.2.3/").unwrap();
        assert!(bypassed("10.0.0.0/8", &url) && !bypassed("11.0.0.0/8", &url));
    }
}
