//! A caching npm registry on loopback, for `bench/install`.
//!
//! ```text
//! registry --cache DIR --port-file FILE [--upstream URL] [--latency MS] [--cert FILE --key FILE]
//! ```
//!
//! Documents are kept in DIR as they came; with `--upstream` what is missing is fetched from there once, without it the answer is 404:
//! the registry is frozen. Tarball URLs in manifests are rewritten to this registry when a manifest is first asked for; the text, its
//! gzip and its ETag stay in memory from then on, so that a measured run costs the server one read and one write a request.
//! `--latency` delays the answer to every request, and the first answer of a connection twice that (a TCP handshake; three times with
//! TLS): a round trip in milliseconds. With `--cert` and `--key` it speaks TLS, and HTTP/2 to who offers it.

mod document;

use document::Document;
use install::bench::{Client, Net, Request, Settings};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

struct Registry {
    folder: PathBuf,
    upstream: Option<String>,
    origin: String,
    latency: Duration,
    net: Rc<Client>,
    memory: RefCell<FxHashMap<String, Option<Rc<Document>>>>,
    filled: Cell<u32>,
}

/// An answer that was chosen for a request.
enum Answer {
    Full(Rc<Document>, bool),
    Unchanged(Rc<Document>),
    Missing,
}

impl Registry {
    /// The document of a path. Manifests have two variants, of which the client's `accept` chooses.
    async fn document(&self, path: &str, full: bool) -> Option<Rc<Document>> {
        let manifest = !path.contains("/-/");
        let name = path.trim_start_matches('/').replace("%2f", "/").replace("%2F", "/");
        if name.is_empty() || name.contains("..") || name.contains('\0') || name.starts_with('-') {
            return None;
        }
        let file = name.trim_end_matches(".tgz").replace('/', "!");
        let key = format!(
            "{file}{}",
            if !manifest {
                ".tgz"
            } else if full {
                ".full"
            } else {
                ""
            }
        );
        if let Some(found) = self.memory.borrow().get(&key) {
            return found.clone();
        }
        let file = self.folder.join(format!("{file}.{}", if manifest { "json" } else { "tgz" }));
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => Some(bytes),
            Err(_) => self.fill(&file, &name, manifest).await,
        };
        let upstream = self.upstream.as_deref().unwrap_or_default();
        let document = bytes.and_then(|bytes| {
            if manifest {
                Document::manifest(&bytes, !full, upstream, &self.origin)
            } else {
                Some(Document::tarball(bytes))
            }
        });
        let document = document.map(Rc::new);
        self.memory.borrow_mut().insert(key, document.clone());
        document
    }

    async fn fill(&self, file: &Path, name: &str, manifest: bool) -> Option<Vec<u8>> {
        let upstream = self.upstream.as_ref()?;
        let path = if manifest { name.replace('/', "%2f") } else { name.to_owned() };
        let mut request = Request::get(format!("{upstream}/{path}"));
        request.headers.push(("accept", if manifest { "application/json" } else { "*/*" }.to_owned()));
        if manifest {
            request.headers.push(("accept-encoding", "gzip".to_owned()));
        }
        request.headers.push(("user-agent", "bao-bench-registry".to_owned()));
        let response = match self.net.send(request).await {
            Ok(response) if response.status == 200 => response,
            Ok(response) => {
                eprintln!("registry: {path}: status {}", response.status);
                return None;
            }
            Err(error) => {
                eprintln!("registry: {path}: {error}");
                return None;
            }
        };
        self.filled.set(self.filled.get() + 1);
        let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
        if let Err(error) = std::fs::write(&temporary, &response.body).and_then(|()| std::fs::rename(&temporary, file))
        {
            eprintln!("registry: {}: {error}", file.display());
        }
        Some(response.body)
    }

    async fn answer(&self, path: &str, accept: &str, encoding: &str, condition: &str) -> Answer {
        let full = !accept.contains("application/vnd.npm.install-v1+json");
        match self.document(path, full).await {
            None => Answer::Missing,
            Some(document) if condition == document.etag => Answer::Unchanged(document),
            Some(document) => {
                let gzip = encoding.contains("gzip") && document.gzip.is_some();
                Answer::Full(document, gzip)
            }
        }
    }
}

/// Serves HTTP/1.1 on a connection until it ends.
async fn serve(registry: Rc<Registry>, mut stream: impl AsyncRead + AsyncWrite + Unpin, round_trips: u32) {
    let mut buffer: Vec<u8> = Vec::with_capacity(4096);
    let mut pause = registry.latency * round_trips;
    let mut head = Vec::with_capacity(512);
    loop {
        let (used, path, accept, encoding, condition) = loop {
            let mut headers = [httparse::EMPTY_HEADER; 48];
            let mut parsed = httparse::Request::new(&mut headers);
            match parsed.parse(&buffer) {
                Ok(httparse::Status::Complete(used)) => {
                    let value = |name: &str| {
                        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
                        found.map_or(String::new(), |header| String::from_utf8_lossy(header.value).into_owned())
                    };
                    let length: usize = value("content-length").parse().unwrap_or(0);
                    let path =
                        if parsed.method == Some("GET") { parsed.path.unwrap_or("/").to_owned() } else { "/-".into() };
                    break (used + length, path, value("accept"), value("accept-encoding"), value("if-none-match"));
                }
                Ok(httparse::Status::Partial) => {}
                Err(_) => return,
            }
            match stream.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        };
        while buffer.len() < used {
            match stream.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
        buffer.drain(..used);
        let answer = registry.answer(&path, &accept, &encoding, &condition).await;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        pause = registry.latency;
        head.clear();
        let body: &[u8] = match &answer {
            Answer::Missing => {
                head.extend_from_slice(
                    b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n",
                );
                b"{}"
            }
            Answer::Unchanged(document) => {
                let _ = write!(head, "HTTP/1.1 304 Not Modified\r\netag: {}\r\n\r\n", document.etag);
                b""
            }
            Answer::Full(document, gzip) => {
                let body = document.gzip.as_ref().filter(|_| *gzip).unwrap_or(&document.plain);
                let _ = write!(
                    head,
                    "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\netag: {}\r\ncache-control: public, max-age=300\r\n{}\r\n",
                    document.kind,
                    body.len(),
                    document.etag,
                    if *gzip { "content-encoding: gzip\r\n" } else { "" }
                );
                body
            }
        };
        let mut parts = [std::io::IoSlice::new(&head), std::io::IoSlice::new(body)];
        let mut parts = &mut parts[..];
        while !parts.is_empty() {
            match stream.write_vectored(parts).await {
                Ok(0) | Err(_) => return,
                Ok(count) => std::io::IoSlice::advance_slices(&mut parts, count),
            }
        }
        if stream.flush().await.is_err() {
            return;
        }
    }
}

/// Serves HTTP/2 on a connection until it ends.
async fn serve2(registry: Rc<Registry>, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let Ok(mut connection) = h2::server::Builder::new()
        .initial_window_size(1 << 20)
        .max_concurrent_streams(256)
        .max_send_buffer_size(1 << 20)
        .handshake::<_, bytes::Bytes>(stream)
        .await
    else {
        return;
    };
    let mut pause = registry.latency * 3;
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let registry = registry.clone();
        let wait = std::mem::replace(&mut pause, registry.latency);
        tokio::task::spawn_local(async move {
            let value = |name: &str| {
                request
                    .headers()
                    .get(name)
                    .map_or(String::new(), |v| String::from_utf8_lossy(v.as_bytes()).into_owned())
            };
            let (accept, encoding, condition) = (value("accept"), value("accept-encoding"), value("if-none-match"));
            let answer = registry.answer(request.uri().path(), &accept, &encoding, &condition).await;
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            let response = http::Response::builder();
            let (response, body) = match &answer {
                Answer::Missing => (response.status(404), &b"{}"[..]),
                Answer::Unchanged(document) => (response.status(304).header("etag", &document.etag), &b""[..]),
                Answer::Full(document, gzip) => {
                    let body = document.gzip.as_ref().filter(|_| *gzip).unwrap_or(&document.plain);
                    let mut response = response
                        .status(200)
                        .header("content-type", document.kind)
                        .header("content-length", body.len())
                        .header("etag", &document.etag);
                    if *gzip {
                        response = response.header("content-encoding", "gzip");
                    }
                    (response, &body[..])
                }
            };
            let Ok(response) = response.body(()) else { return };
            let Ok(mut out) = respond.send_response(response, body.is_empty()) else { return };
            let mut body = bytes::Bytes::copy_from_slice(body);
            while !body.is_empty() {
                out.reserve_capacity(body.len());
                let Some(Ok(room)) = std::future::poll_fn(|context| out.poll_capacity(context)).await else { return };
                let part = body.split_to(room.min(body.len()));
                if out.send_data(part, body.is_empty()).is_err() {
                    return;
                }
            }
        });
    }
}

fn tls(cert: &str, key: &str) -> Arc<ServerConfig> {
    use rustls_pki_types::pem::PemObject;
    use rustls_pki_types::{CertificateDer, PrivateKeyDer};
    let chain = CertificateDer::pem_file_iter(cert).expect("--cert").map(|found| found.expect("--cert")).collect();
    let key = PrivateKeyDer::from_pem_file(key).expect("--key");
    let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("TLS versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("certificate and key");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Arc::new(config)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut options: FxHashMap<String, String> = FxHashMap::default();
    while let Some(name) = arguments.next() {
        options.insert(name, arguments.next().unwrap_or_default());
    }
    let option = |name: &str| options.get(name).cloned();
    let (Some(cache), Some(port_file)) = (option("--cache"), option("--port-file")) else {
        eprintln!("registry --cache DIR --port-file FILE [--upstream URL] [--latency MS] [--cert FILE --key FILE]");
        std::process::exit(1);
    };
    let folder = PathBuf::from(cache);
    std::fs::create_dir_all(&folder).expect("--cache");
    let acceptor = option("--cert").map(|cert| TlsAcceptor::from(tls(&cert, &option("--key").expect("--key"))));
    let mut settings = Settings { connections: 24, ..Settings::default() };
    settings.trust.optional_files =
        ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].iter().filter_map(|name| std::env::var(name).ok()).collect();
    let net = Net::new(settings).expect("network");
    let client = net.client.clone();
    net.run(async move {
        let wanted: u16 = option("--port").and_then(|port| port.parse().ok()).unwrap_or(0);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", wanted)).await.expect("listen");
        let port = listener.local_addr().expect("address").port();
        let secure = acceptor.is_some();
        let host = if secure { "localhost" } else { "127.0.0.1" };
        let registry = Rc::new(Registry {
            folder,
            upstream: option("--upstream").map(|url| url.trim_end_matches('/').to_owned()),
            origin: format!("http{}://{host}:{port}", if secure { "s" } else { "" }),
            latency: Duration::from_micros(
                (option("--latency").and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) * 1000.0) as u64,
            ),
            net: client,
            memory: RefCell::default(),
            filled: Cell::new(0),
        });
        std::fs::write(&port_file, port.to_string()).expect("--port-file");
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            let (registry, acceptor) = (registry.clone(), acceptor.clone());
            tokio::task::spawn_local(async move {
                match acceptor {
                    None => serve(registry, stream, 2).await,
                    Some(acceptor) => {
                        let Ok(stream) = acceptor.accept(stream).await else { return };
                        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                            serve2(registry, stream).await;
                        } else {
                            serve(registry, stream, 3).await;
                        }
                    }
                }
            });
        }
    });
}
