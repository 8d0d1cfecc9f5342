//! HTTP/2 (RFC 9113): requests that share a connection.
//!
//! Which protocol a server speaks is known after the first handshake (ALPN). Until then at most [`MAX_CONNECTIONS`] connections to an origin are
//! opened and other requests wait; afterwards they either get connections of their own (HTTP/1.1), or streams on the few that are open.

use super::Request;
use super::exchange::{BodyFraming, Failure, Pace, READING, Response, Stream, too_large};
use super::pipe::Writer;
use super::url::Url;
use bytes::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::timeout;

/// Connections that are opened before it is known what the server speaks, and the most that carry streams.
pub(super) const MAX_CONNECTIONS: usize = 4;
/// What a server may send of one body before we have read from it. Large enough for 300 Mbit/s at a round trip of 100 ms.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 64 << 20;
const FRAME: u32 = 128 << 10;

/// A connection that many requests use at once.
pub(super) struct Shared {
    sender: SendRequest<Bytes>,
    /// Requests under way.
    pub active: Cell<usize>,
    /// It has answered before: a failure may only mean that the server has closed it since.
    served: Cell<bool>,
    pub closed: Rc<Cell<bool>>,
}

/// Begins HTTP/2 on a fresh connection; a task drives it from then on.
pub(super) async fn start(stream: Box<dyn Stream>) -> io::Result<Shared> {
    let (sender, connection) = h2::client::Builder::new()
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(FRAME)
        .enable_push(false)
        .handshake::<_, Bytes>(stream)
        .await
        .map_err(io::Error::other)?;
    let closed = Rc::new(Cell::new(false));
    let flag = closed.clone();
    tokio::task::spawn_local(async move {
        let _ = connection.await;
        flag.set(true);
    });
    Ok(Shared { sender, active: Cell::new(0), served: Cell::new(false), closed })
}

/// Counts a request as long as it lives.
struct Active<'a>(&'a Cell<usize>);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Shared {
    /// Sends a request and reads the answer.
    pub(super) async fn exchange(&self, request: &Request, url: &Url<'_>, wait: Duration) -> Result<Response, Failure> {
        self.active.set(self.active.get() + 1);
        let _active = Active(&self.active);
        let answer = self.send(request, url, wait).await?;
        let (head, stream) = match timeout(wait, answer).await {
            Ok(answer) => answer.map_err(|error| self.failure(error))?.into_parts(),
            Err(_) => return Err(Failure::Timeout("waiting for the answer")),
        };
        let mut response = Response { status: head.status.as_u16(), ..Response::default() };
        let mut framing = BodyFraming::default();
        for (name, value) in &head.headers {
            framing.read(&mut response, name.as_str(), value.as_bytes())?;
        }
        if framing.length.is_some_and(|length| length > request.limit) {
            return Err(too_large(request.limit));
        }
        let writer = match (framing.length, &request.body_pipe) {
            (Some(length), Some(pipe)) if response.status == 200 && !framing.gzip => (pipe.0)(length),
            _ => None,
        };
        let body = self.receive_body(stream, request, framing.length, writer.as_ref(), wait).await?;
        self.served.set(true);
        match writer {
            Some(writer) => {
                writer.finish();
                response.taken = true;
            }
            None => framing.unpack(&mut response, body, request.raw)?,
        }
        Ok(response)
    }

    /// What an error of the connection means for a request.
    fn failure(&self, error: h2::Error) -> Failure {
        // Refused streams were not looked at; of a connection that was closed between two requests nothing can be told.
        let refused = error.reason() == Some(h2::Reason::REFUSED_STREAM) || error.is_go_away();
        if refused || error.is_io() {
            self.closed.set(true);
            if self.served.get() || refused {
                return Failure::Stale;
            }
        }
        Failure::Io(io::Error::other(error))
    }

    /// Sends a request with its body; the answer is what is returned.
    async fn send(&self, request: &Request, url: &Url<'_>, wait: Duration) -> Result<ResponseFuture, Failure> {
        let head = head(request, url)?;
        let mut sender = match timeout(wait, self.sender.clone().ready()).await {
            Ok(sender) => sender.map_err(|error| self.failure(error))?,
            Err(_) => return Err(Failure::Timeout("waiting for a free stream")),
        };
        let (answer, out) = sender.send_request(head, request.body.is_empty()).map_err(|error| self.failure(error))?;
        if !request.body.is_empty() {
            match timeout(wait, send_body(out, &request.body)).await {
                Ok(result) => result.map_err(|error| self.failure(error))?,
                Err(_) => return Err(Failure::Timeout("sending the request")),
            }
        }
        Ok(answer)
    }

    /// Reads a body of `length` bytes, if that was announced, into `writer` or into what is returned.
    async fn receive_body(
        &self,
        mut stream: RecvStream,
        request: &Request,
        length: Option<u64>,
        writer: Option<&Writer>,
        wait: Duration,
    ) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::with_capacity(match (writer, length) {
            (None, Some(length)) => length as usize,
            _ => 0,
        });
        let mut total = 0u64;
        let mut pace = Pace::new(wait);
        loop {
            let size = |piece: &Option<Result<Bytes, h2::Error>>| {
                piece.as_ref().and_then(|piece| piece.as_ref().ok()).map_or(0, Bytes::len)
            };
            let Some(piece) = pace.read(stream.data(), size, READING).await? else { break };
            let piece = piece.map_err(|error| match self.failure(error) {
                // The answer had begun: that is an attempt.
                Failure::Stale => Failure::Malformed(format!("the connection ended after {total} bytes of the body")),
                other => other,
            })?;
            total += piece.len() as u64;
            if total > request.limit {
                return Err(too_large(request.limit));
            }
            match writer {
                Some(writer) => {
                    if !writer.write(piece.to_vec()).await {
                        return Err(Failure::Abandoned);
                    }
                }
                None => body.extend_from_slice(&piece),
            }
            let _ = stream.flow_control().release_capacity(piece.len());
        }
        if length.is_some_and(|length| length != total) && request.method != "HEAD" {
            return Err(Failure::Malformed(format!("{total} bytes of body instead of those announced")));
        }
        Ok(body)
    }
}

/// The head of a request.
fn head(request: &Request, url: &Url<'_>) -> Result<http::Request<()>, Failure> {
    let mut head = http::Request::builder()
        .method(request.method)
        .uri(format!("https://{}{}", url.authority, url.path))
        .version(http::Version::HTTP_2);
    for (name, value) in &request.headers {
        head = head.header(*name, value);
    }
    if let Some(value) = &request.authorization {
        head = head.header("authorization", value);
    }
    if !request.body.is_empty() || request.method != "GET" {
        head = head.header("content-length", request.body.len());
    }
    head.body(()).map_err(|error| Failure::Malformed(error.to_string()))
}

/// Sends a body as fast as the server makes room for it.
async fn send_body(mut out: SendStream<Bytes>, body: &[u8]) -> Result<(), h2::Error> {
    let mut rest = Bytes::copy_from_slice(body);
    while !rest.is_empty() {
        out.reserve_capacity(rest.len());
        match std::future::poll_fn(|context| out.poll_capacity(context)).await {
            Some(Ok(room)) => {
                let part = rest.split_to(room.min(rest.len()));
                out.send_data(part, rest.is_empty())?;
            }
            Some(Err(error)) => return Err(error),
            // The server has answered without reading the rest.
            None => return Ok(()),
        }
    }
    Ok(())
}
