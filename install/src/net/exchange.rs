//! One request and its answer on a connection.

use super::Request;
use super::body::{Chunked, gunzip};
use super::url::Url;
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// A byte stream: TCP, or TLS over it.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Stream for T {}

/// A connection with what was read but not used.
pub(super) struct Connection {
    pub stream: Box<dyn Stream>,
    pub buffer: Vec<u8>,
    /// It has served a request before: the server may have closed it since.
    pub reused: bool,
    /// A proxy that wants the whole URL in the request line.
    pub absolute: bool,
    /// Value of `proxy-authorization`.
    pub proxy_authorization: Option<String>,
}

/// An answer with its whole body.
#[derive(Debug, Default)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
    /// The body is packed (only where the request asked for it raw).
    pub gzip: bool,
    /// Somebody took the body while it arrived; `body` is empty.
    pub taken: bool,
    pub etag: String,
    pub modified: String,
    pub location: String,
    pub retry_after: String,
    pub authenticate: String,
    pub notice: String,
    /// Where it came from after redirects.
    pub url: String,
}

/// What stopped an exchange.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nothing had been received: on a reused connection that is no error yet.
    Stale,
    Io(io::Error),
    Timeout(&'static str),
    Malformed(String),
    /// Who took the body has failed, and has said why.
    Abandoned,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

/// Most bytes of any body.
pub(super) const MAX_BODY: u64 = 2 << 30;

pub(super) fn too_large(limit: u64) -> Failure {
    Failure::Malformed(format!("a body of more than {} MiB", limit >> 20))
}

/// Waits for an answer's bytes, and notices where they come, but hardly: a server that sends a byte now and then would hold an install for
/// days. What counts is the time spent waiting here, not that in which nobody asked for bytes.
pub(super) struct Pace {
    wait: Duration,
    spent: Duration,
    reads: u32,
    bytes: usize,
}

impl Pace {
    /// Fewer bytes than this in `wait` are too few...
    const LEAST: usize = 1024;
    /// ...where they came in at least so many pieces: a short answer after a long time is none of those.
    const PIECES: u32 = 8;

    /// `wait`: how long there may be nothing at all.
    pub(super) fn new(wait: Duration) -> Self {
        Pace { wait, spent: Duration::ZERO, reads: 0, bytes: 0 }
    }

    /// The result of a read, `size` of which are its bytes.
    pub(super) async fn read<T>(
        &mut self,
        reading: impl Future<Output = T>,
        size: impl Fn(&T) -> usize,
        what: &'static str,
    ) -> Result<T, Failure> {
        let begun = Instant::now();
        let Ok(result) = timeout(self.wait, reading).await else { return Err(Failure::Timeout(what)) };
        self.spent += begun.elapsed();
        self.reads += 1;
        self.bytes += size(&result);
        if self.bytes >= Self::LEAST {
            *self = Pace::new(self.wait);
        } else if self.spent >= self.wait && self.reads >= Self::PIECES {
            return Err(Failure::Timeout("reading an answer of which a few bytes came now and then"));
        }
        Ok(result)
    }
}

/// The bytes of a read from a stream.
fn count(result: &io::Result<usize>) -> usize {
    *result.as_ref().unwrap_or(&0)
}

/// What headers say about the body and the connection.
#[derive(Default)]
pub(super) struct BodyFraming {
    pub length: Option<u64>,
    pub chunked: bool,
    pub gzip: bool,
    pub close: bool,
}

impl BodyFraming {
    /// Takes note of one header.
    pub(super) fn read(&mut self, response: &mut Response, name: &str, value: &[u8]) -> Result<(), Failure> {
        let value = || String::from_utf8_lossy(value).trim().to_owned();
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("content-length") {
            self.length = Some(value().parse::<u64>().map_err(|_| Failure::Malformed("content-length".into()))?);
        } else if is("transfer-encoding") {
            self.chunked = value().to_ascii_lowercase().ends_with("chunked");
        } else if is("content-encoding") {
            match value().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => self.gzip = true,
                "identity" | "" => {}
                other => {
                    return Err(Failure::Malformed(format!("the encoding {other}, which was not asked for")));
                }
            }
        } else if is("connection") {
            self.close |= value().to_ascii_lowercase().contains("close");
        } else if is("etag") {
            response.etag = value();
        } else if is("last-modified") {
            response.modified = value();
        } else if is("location") {
            response.location = value();
        } else if is("retry-after") {
            response.retry_after = value();
        } else if is("www-authenticate") {
            response.authenticate = value();
        } else if is("npm-notice") {
            response.notice = value();
        }
        Ok(())
    }

    /// Gives the response its body, unpacked unless it was asked for raw.
    pub(super) fn unpack(&self, response: &mut Response, body: Vec<u8>, raw: bool) -> Result<(), Failure> {
        response.body = if self.gzip && raw && response.status == 200 {
            response.gzip = true;
            body
        } else if self.gzip && !body.is_empty() {
            gunzip(&body).ok_or_else(|| Failure::Malformed("gzip".into()))?
        } else {
            body
        };
        Ok(())
    }
}

/// Sends `request` and reads the answer. True: the connection can be used again.
pub(super) async fn exchange(
    connection: &mut Connection,
    request: &Request,
    url: &Url<'_>,
    wait: Duration,
) -> Result<(Response, bool), Failure> {
    let mut head = String::with_capacity(512);
    head.push_str(request.method);
    head.push(' ');
    if connection.absolute {
        head.push_str("http://");
        head.push_str(url.authority);
    }
    head.push_str(url.path);
    head.push_str(" HTTP/1.1\r\nhost: ");
    head.push_str(url.authority);
    head.push_str("\r\nconnection: keep-alive\r\n");
    let authorization = request.authorization.as_deref().map(|value| ("authorization", value));
    let proxy = connection.proxy_authorization.as_deref().map(|value| ("proxy-authorization", value));
    let own = request.headers.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in own.chain(authorization).chain(proxy) {
        // A value from a configuration file must not end the header.
        if value.bytes().any(|byte| byte == b'\r' || byte == b'\n' || byte == 0) {
            return Err(Failure::Malformed(format!("the value of the header {name} has a line break")));
        }
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    }
    if !request.body.is_empty() || request.method != "GET" {
        head.push_str(&format!("content-length: {}\r\n", request.body.len()));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&request.body);
    let sent = async {
        connection.stream.write_all(&bytes).await?;
        connection.stream.flush().await
    };
    match timeout(wait, sent).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) if connection.reused => return Err(Failure::Stale),
        Ok(Err(error)) => return Err(Failure::Io(error)),
        Err(_) => return Err(Failure::Timeout("sending the request")),
    }
    receive(connection, request, wait).await
}

/// What is said of a body that does not come.
pub(super) const READING: &str = "reading the body";

/// Pieces in which a taken body is read.
const PIECE: usize = 192 << 10;

/// The head of an answer.
struct Head {
    response: Response,
    framing: BodyFraming,
    /// The connection may be used again after the body.
    keep: bool,
}

/// Reads an answer. True: the connection can be used again.
async fn receive(connection: &mut Connection, request: &Request, wait: Duration) -> Result<(Response, bool), Failure> {
    let mut pace = Pace::new(wait);
    let Head { mut response, framing, mut keep } = receive_head(connection, &mut pace).await?;
    let bodyless = request.method == "HEAD" || response.status == 204 || response.status == 304;
    let body = if bodyless {
        Vec::new()
    } else if framing.chunked {
        receive_chunked(connection, request.limit, &mut pace).await?
    } else if let Some(length) = framing.length {
        if length > request.limit {
            return Err(too_large(request.limit));
        }
        let pipe = request.body_pipe.as_ref().filter(|_| response.status == 200 && !framing.gzip);
        if let Some(writer) = pipe.and_then(|pipe| (pipe.0)(length)) {
            pour(connection, length, &writer, &mut pace).await?;
            writer.finish();
            response.taken = true;
            return Ok((response, keep));
        }
        receive_length(connection, length as usize, &mut pace).await?
    } else {
        keep = false;
        receive_to_end(connection, request.limit, &mut pace).await?
    };
    framing.unpack(&mut response, body, request.raw)?;
    Ok((response, keep))
}

/// Reads up to the end of the head; what came behind it stays in the buffer.
async fn receive_head(connection: &mut Connection, pace: &mut Pace) -> Result<Head, Failure> {
    let buffer = &mut connection.buffer;
    loop {
        if let Some(head) = take_head(buffer)? {
            // Information about a request that is still being worked on; the answer follows.
            if (100..200).contains(&head.response.status) && head.response.status != 101 {
                continue;
            }
            return Ok(head);
        }
        if buffer.len() > 256 << 10 {
            return Err(Failure::Malformed("more than 256 KiB of headers".into()));
        }
        buffer.reserve(16 << 10);
        let nothing = buffer.is_empty() && connection.reused;
        match pace.read(connection.stream.read_buf(buffer), count, "waiting for the answer").await? {
            Ok(0) => {
                let error = io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection");
                return Err(if nothing { Failure::Stale } else { Failure::Io(error) });
            }
            Ok(_) => {}
            Err(_) if nothing => return Err(Failure::Stale),
            Err(error) => return Err(Failure::Io(error)),
        }
    }
}

/// Takes a head out of the buffer if it is there as a whole.
fn take_head(buffer: &mut Vec<u8>) -> Result<Option<Head>, Failure> {
    let mut headers = [httparse::EMPTY_HEADER; 96];
    let mut parsed = httparse::Response::new(&mut headers);
    match parsed.parse(buffer) {
        Ok(httparse::Status::Complete(end)) => {
            let mut response = Response { status: parsed.code.unwrap_or(0), ..Response::default() };
            let mut framing = BodyFraming::default();
            for header in parsed.headers.iter() {
                framing.read(&mut response, header.name, header.value)?;
            }
            let keep = parsed.version == Some(1) && !framing.close;
            buffer.drain(..end);
            Ok(Some(Head { response, framing, keep }))
        }
        Ok(httparse::Status::Partial) => Ok(None),
        Err(error) => Err(Failure::Malformed(error.to_string())),
    }
}

/// A body in chunks.
async fn receive_chunked(connection: &mut Connection, limit: u64, pace: &mut Pace) -> Result<Vec<u8>, Failure> {
    let buffer = &mut connection.buffer;
    let mut body = Vec::new();
    let mut state = Chunked::default();
    loop {
        let used = state.feed(buffer, &mut body).ok_or_else(|| Failure::Malformed("chunked body".into()))?;
        buffer.drain(..used);
        if state.done() {
            return Ok(body);
        }
        if body.len() as u64 > limit {
            return Err(too_large(limit));
        }
        buffer.reserve(64 << 10);
        read_more(&mut connection.stream, buffer, pace).await?;
    }
}

/// A body of `length` bytes.
async fn receive_length(connection: &mut Connection, length: usize, pace: &mut Pace) -> Result<Vec<u8>, Failure> {
    let buffer = &mut connection.buffer;
    let have = buffer.len().min(length);
    let mut body = Vec::with_capacity(length);
    body.extend_from_slice(&buffer[..have]);
    buffer.drain(..have);
    while body.len() < length {
        let left = length - body.len();
        let mut limited = (&mut connection.stream).take(left as u64);
        if pace.read(limited.read_buf(&mut body), count, READING).await?? == 0 {
            return Err(Failure::Malformed(format!("the connection ended {left} bytes before the end of the body")));
        }
    }
    Ok(body)
}

/// A body that the end of the connection ends.
async fn receive_to_end(connection: &mut Connection, limit: u64, pace: &mut Pace) -> Result<Vec<u8>, Failure> {
    let mut body = std::mem::take(&mut connection.buffer);
    loop {
        body.reserve(64 << 10);
        if pace.read(connection.stream.read_buf(&mut body), count, READING).await?? == 0 {
            return Ok(body);
        }
        if body.len() as u64 > limit {
            return Err(too_large(limit));
        }
    }
}

/// Reads a body of `length` bytes into a pipe. Who reads from it may be slow, which is no failure of the network.
async fn pour(
    connection: &mut Connection,
    length: u64,
    writer: &super::pipe::Writer,
    pace: &mut Pace,
) -> Result<(), Failure> {
    let mut left = length;
    let mut piece = std::mem::take(&mut connection.buffer);
    if piece.len() as u64 > left {
        connection.buffer = piece.split_off(left as usize);
    }
    loop {
        left -= piece.len() as u64;
        // A reader that gave up has reported why; the rest is read only where that is less than a new connection.
        if !writer.write(piece).await {
            return Err(Failure::Abandoned);
        }
        if left == 0 {
            return Ok(());
        }
        piece = Vec::with_capacity((left as usize).min(PIECE));
        while piece.len() < piece.capacity() && (piece.len() as u64) < left {
            let room = (left - piece.len() as u64).min((piece.capacity() - piece.len()) as u64);
            let mut limited = (&mut connection.stream).take(room);
            if pace.read(limited.read_buf(&mut piece), count, READING).await?? == 0 {
                return Err(Failure::Malformed(format!(
                    "the connection ended {} bytes before the end of the body",
                    left - piece.len() as u64
                )));
            }
        }
    }
}

async fn read_more(stream: &mut Box<dyn Stream>, buffer: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Failure> {
    match pace.read(stream.read_buf(buffer), count, READING).await? {
        Ok(0) => Err(Failure::Malformed("the connection ended before the end of the body".into())),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Io(error)),
    }
}
