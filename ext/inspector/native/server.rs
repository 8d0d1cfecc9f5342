//! The server that debuggers connect to: the addresses under `/json` and WebSockets (RFC 6455), as Node's inspector has them
//! (https://chromedevtools.github.io/devtools-protocol/#endpoints). It has threads of its own, one that accepts and two for
//! each client, so that it answers while the program's thread is busy or stopped.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::target::{Incoming, Outgoing, Sink, Target};

/// Most bytes of a request's head.
const MOST_HEAD: usize = 16 << 10;
/// Most bytes of a message.
const MOST_MESSAGE: usize = 256 << 20;

/// What `/json/protocol` gives.
const PROTOCOL: &str = include_str!("../protocol.json");

/// The server of a thread.
pub(crate) struct Server {
    pub host: String,
    pub port: u16,
    ends: Arc<AtomicBool>,
}

impl Server {
    /// Listens on an address for clients of a thread; port 0 takes a free one. `product` is what `/json/version` says.
    ///
    /// # Errors
    /// That of the system.
    pub(crate) fn start(host: &str, port: u16, target: Arc<Target>, product: String) -> io::Result<Self> {
        let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        let listener = TcpListener::bind(&addresses[..])?;
        let port = listener.local_addr()?.port();
        let ends = Arc::new(AtomicBool::new(false));
        let site = Arc::new(Site { target, product, ends: ends.clone() });
        spawn(move || {
            for stream in listener.incoming() {
                if site.ends.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let site = site.clone();
                spawn(move || {
                    let _ = serve(stream, &site);
                });
            }
        });
        Ok(Server { host: host.to_string(), port, ends })
    }

    /// Host and port as they stand in a URL.
    pub(crate) fn authority(&self) -> String {
        authority(&self.host, self.port)
    }

    /// Stops to listen.
    pub(crate) fn stop(&self) {
        self.ends.store(true, Ordering::SeqCst);
        // The thread that accepts sees it when it has accepted once more.
        let host = match self.host.parse::<IpAddr>() {
            Ok(ip) if ip.is_unspecified() && ip.is_ipv6() => "::1",
            Ok(ip) if ip.is_unspecified() => "127.0.0.1",
            _ => &self.host,
        };
        if let Ok(mut addresses) = (host, self.port).to_socket_addrs()
            && let Some(address) = addresses.next()
        {
            let _ = TcpStream::connect_timeout(&address, std::time::Duration::from_millis(200));
        }
    }
}

fn authority(host: &str, port: u16) -> String {
    if host.parse::<Ipv6Addr>().is_ok() { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// A thread with a small stack; without threads there is no debugging.
fn spawn(run: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().name("inspector".into()).stack_size(256 << 10).spawn(run);
}

/// What the connections of a server share.
struct Site {
    target: Arc<Target>,
    product: String,
    ends: Arc<AtomicBool>,
}

/// The head of a request.
struct Head {
    method: String,
    path: String,
    fields: Vec<(String, String)>,
}

impl Head {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads up to the end of a head; what comes behind it stays in `rest`. `None` if there is none.
fn read_head(stream: &mut TcpStream, rest: &mut Vec<u8>) -> io::Result<Option<Head>> {
    let end = loop {
        if let Some(end) = rest.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if rest.len() > MOST_HEAD || !fill(stream, rest)? {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&rest[..end]).into_owned();
    rest.drain(..end + 4);
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let fields = lines.filter_map(|line| line.split_once(':'));
    let fields = fields.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_string())).collect();
    Ok(Some(Head { method: method.to_string(), path: path.to_string(), fields }))
}

/// Reads more; false at the end.
fn fill(stream: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; 16 << 10];
    let read = stream.read(&mut chunk)?;
    into.extend_from_slice(&chunk[..read]);
    Ok(read > 0)
}

/// Whether a request may come by this name. Any other one may be a page's that has let its name point here (DNS rebinding).
fn is_allowed_host(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name.is_empty()
        || name.parse::<IpAddr>().is_ok()
        || ["localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6"].contains(&name.as_str())
}

fn serve(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut rest = Vec::new();
    loop {
        let Some(head) = read_head(&mut stream, &mut rest)? else { return Ok(()) };
        // A connection that was made before the server was stopped gets nothing after.
        if site.ends.load(Ordering::SeqCst) {
            return Ok(());
        }
        if !is_allowed_host(head.field("host").unwrap_or_default()) {
            return refuse(&mut stream, "400 Bad Request", "The name of the host is not allowed");
        }
        if let Some(key) = head.field("sec-websocket-key") {
            let target = site.find(head.path.trim_start_matches('/'));
            return match target {
                Some(target) => websocket(stream, rest, key, &target),
                None => refuse(&mut stream, "400 Bad Request", "WebSockets request was expected"),
            };
        }
        if head.method != "GET" {
            return refuse(&mut stream, "400 Bad Request", "WebSockets request was expected");
        }
        match site.answer(&head) {
            Some(body) => {
                let length = body.len();
                write!(
                    stream,
                    "HTTP/1.0 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nCache-Control: no-cache\r\nContent-Length: {length}\r\n\r\n{body}"
                )?;
            }
            None => return refuse(&mut stream, "400 Bad Request", "WebSockets request was expected"),
        }
    }
}

fn refuse(stream: &mut TcpStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.0 {status}\r\nContent-Type: text/html; charset=UTF-8\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

impl Site {
    fn find(&self, id: &str) -> Option<Arc<Target>> {
        (self.target.id() == id).then(|| self.target.clone())
    }

    /// The body for a path under `/json`.
    fn answer(&self, head: &Head) -> Option<String> {
        let path = head.path.split('?').next().unwrap_or_default();
        let what = path.strip_prefix("/json")?;
        match what.trim_end_matches('/') {
            "" | "/list" => Some(self.list(head.field("host").unwrap_or_default())),
            "/version" => {
                Some(format!("{{\n  \"Browser\": {},\n  \"Protocol-Version\": \"1.1\"\n}}\n\n", quoted(&self.product)))
            }
            "/protocol" => Some(PROTOCOL.to_string()),
            other => {
                let id = other.strip_prefix("/activate/")?;
                self.find(id).map(|_| "Target activated".to_string())
            }
        }
    }

    fn list(&self, host: &str) -> String {
        let target = &self.target;
        let address = format!("{host}/{}", target.id());
        let frontend = "devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=";
        let fields = [
            ("description", "bao instance".to_string()),
            ("devtoolsFrontendUrl", format!("{frontend}{address}")),
            ("devtoolsFrontendUrlCompat", format!("{}{address}", frontend.replace("js_app", "inspector"))),
            ("faviconUrl", "https://nodejs.org/static/images/favicons/favicon.ico".to_string()),
            ("id", target.id().to_string()),
            ("title", target.title.clone()),
            ("type", "node".to_string()),
            ("url", target.url.clone()),
            ("webSocketDebuggerUrl", format!("ws://{address}")),
        ];
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("  \"{name}\": {}", quoted(value))).collect();
        format!("[ {{\n{}\n}} ]\n\n", fields.join(",\n"))
    }
}

/// A string in JSON.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote(text, &mut out);
    out
}

// ------------------------------------------------------------------------------------------------------- WebSockets

const FIN: u8 = 0x80;
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// `Sec-WebSocket-Accept` for a key.
fn accept(key: &str) -> String {
    let text = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    let mut digest = [0; 20];
    // SAFETY: the length is that of the text, and SHA-1 gives 20 bytes.
    unsafe { aws_lc_sys::SHA1(text.as_ptr(), text.len(), digest.as_mut_ptr()) };
    base64_simd::STANDARD.encode_to_string(digest)
}

/// The header of a frame that is not masked.
fn frame_head(opcode: u8, length: usize) -> Vec<u8> {
    let mut head = vec![FIN | opcode];
    match length {
        0..126 => head.push(length as u8),
        126..=0xffff => {
            head.push(126);
            head.extend_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            head.push(127);
            head.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    head
}

fn write_frame(stream: &mut TcpStream, opcode: u8, payload: &[u8]) -> io::Result<()> {
    let mut frame = frame_head(opcode, payload.len());
    frame.extend_from_slice(payload);
    stream.write_all(&frame)
}

/// Writes to a client until it has gone.
fn write_all(mut stream: TcpStream, outgoing: &Receiver<Outgoing>) {
    for next in outgoing {
        let written = match next {
            Outgoing::Text(text) => write_frame(&mut stream, TEXT, text.as_bytes()),
            Outgoing::Pong(payload) => write_frame(&mut stream, PONG, &payload),
            Outgoing::Close => {
                // Without a status, as Node's: clients look for just these two bytes.
                let _ = write_frame(&mut stream, CLOSE, &[]);
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return;
            }
        };
        if written.is_err() {
            return;
        }
    }
}

/// A frame of a client.
struct Frame {
    first: u8,
    payload: Vec<u8>,
}

/// Reads a frame; `None` at the end, and for what is none: unmasked, compressed, too large.
fn read_frame(stream: &mut TcpStream, rest: &mut Vec<u8>) -> io::Result<Option<Frame>> {
    let need = |stream: &mut TcpStream, count: usize, rest: &mut Vec<u8>| -> io::Result<bool> {
        while rest.len() < count {
            if !fill(stream, rest)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    if !need(stream, 2, rest)? {
        return Ok(None);
    }
    let (first, second) = (rest[0], rest[1]);
    if second & 0x80 == 0 || first & 0x70 != 0 {
        return Ok(None);
    }
    let (mut at, size) = match second & 0x7f {
        126 if need(stream, 4, rest)? => (4, u64::from(u16::from_be_bytes([rest[2], rest[3]]))),
        127 if need(stream, 10, rest)? => {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&rest[2..10]);
            (10, u64::from_be_bytes(bytes))
        }
        126 | 127 => return Ok(None),
        size => (2, u64::from(size)),
    };
    let size = match usize::try_from(size) {
        Ok(size) if size <= MOST_MESSAGE => size,
        _ => return Ok(None),
    };
    if !need(stream, at + 4 + size, rest)? {
        return Ok(None);
    }
    let key = [rest[at], rest[at + 1], rest[at + 2], rest[at + 3]];
    at += 4;
    let mut payload = rest[at..at + size].to_vec();
    rest.drain(..at + size);
    payload.iter_mut().zip(key.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Ok(Some(Frame { first, payload }))
}

fn websocket(mut stream: TcpStream, mut rest: Vec<u8>, key: &str, target: &Arc<Target>) -> io::Result<()> {
    let accept = accept(key);
    write!(
        stream,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )?;
    let (sender, receiver) = channel();
    let writer = stream.try_clone()?;
    spawn(move || write_all(writer, &receiver));
    base::stderr::say("Debugger attached.\n");
    let Some(number) = target.admit(Sink::Socket(sender.clone())) else { return Ok(()) };
    target.push(Incoming::Connected(number));
    let mut message = Vec::new();
    while let Ok(Some(frame)) = read_frame(&mut stream, &mut rest) {
        match frame.first & 15 {
            TEXT | CONTINUATION => {
                if message.is_empty() {
                    message = frame.payload;
                } else {
                    message.extend_from_slice(&frame.payload);
                }
                if message.len() > MOST_MESSAGE {
                    break;
                }
                if frame.first & FIN != 0 {
                    let Ok(text) = String::from_utf8(std::mem::take(&mut message)) else { break };
                    target.push(Incoming::Message(number, text));
                }
            }
            PING => {
                let _ = sender.send(Outgoing::Pong(frame.payload));
            }
            PONG => {}
            // A client that closes, and what is not text.
            _ => break,
        }
    }
    let _ = sender.send(Outgoing::Close);
    target.push(Incoming::Disconnected(number));
    Ok(())
}
