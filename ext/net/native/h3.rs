//! HTTP/3 on datagram sockets: an [`Endpoint`] has the socket, the clock and the connections of QUIC; each connection is an [`H3`], an
//! [`http3::Session`] between them and JavaScript.
//!
//! What comes is told event by event with one call each. What is to be sent is gathered, and goes to the kernel at the end of a batch of
//! datagrams, or when JavaScript says so ([`H3::flush`]).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use engine::{JsResult, Local, Scope};
use http3::keys::TokenKey;
use http3::quic::{self, ConnectionHandle, DatagramEvent, Transmit, TransportConfig};
use http3::session::{Category, client_config, endpoint_config, server_config};
use http3::tls::{Carrier, Config};
use http3::{Event, Options, Session};
use poll::{Key, Ready, Source};

use crate::h3_socket::{self, Inbox};
use crate::net::{Net, Resource, last_errno};
use crate::tls::{self, Ask, Context};

/// What JavaScript is told; the third argument of the callback is the stream (0: the connection).
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Everything that came of one batch has been told.
    Done,
    /// `(flags, text)`; flags: category (0 a request, 1 an answer, 3 trailers), 4 the end, 8 a new stream.
    Headers,
    /// `(ArrayBuffer)`
    Data,
    End,
    /// `(code)`
    Closed,
    Written,
    Goaway,
    /// The peer has all that was sent.
    Drained,
    /// The handshake is done. For a server's endpoint: `stream` is the number of the new session.
    Connected,
    /// `(how, code, reason)`, see [`http3::session::Lost`].
    Lost,
}

/// Datagrams that are joined to one message.
const SEGMENTS: usize = 16;
/// Batches of datagrams before other sources get their turn.
const ROUNDS: usize = 8;
/// Messages that wait for the kernel before connections are asked for no more.
const MAX_QUEUED: usize = 64;
/// Handshakes under way from which on an address has to be proven before the next one costs anything.
const MANY: usize = 500;
/// How long one may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// What a server does for new connections.
struct Server {
    context: Rc<Context>,
    names: Vec<(String, Rc<Context>)>,
    ask: Ask,
    transport: Arc<TransportConfig>,
    token_key: Arc<TokenKey>,
    open: Cell<bool>,
}

/// A socket and the connections on it.
pub struct Endpoint {
    net: Rc<Net>,
    pub id: u32,
    fd: Cell<RawFd>,
    key: Cell<Option<Key>>,
    timer: Cell<RawFd>,
    timer_key: Cell<Option<Key>>,
    quic: RefCell<quic::Endpoint>,
    connections: RefCell<HashMap<ConnectionHandle, Rc<H3>>>,
    server: Option<Server>,
    ipv6: bool,
    deadlines: RefCell<BTreeSet<(Instant, usize)>>,
    armed: Cell<Option<Instant>>,
    queue: RefCell<VecDeque<(SocketAddr, Option<IpAddr>, Vec<u8>, Option<usize>)>>,
    inbox: RefCell<Inbox>,
    touched: RefCell<Vec<Rc<H3>>>,
    /// A server's connections whose handshake has begun, and when.
    handshakes: RefCell<VecDeque<(Instant, ConnectionHandle)>>,
    refed: Cell<bool>,
    counted: Cell<bool>,
    /// The kernel, or the device, cuts messages into datagrams.
    segments: Cell<bool>,
}

/// A connection.
pub struct H3 {
    net: Rc<Net>,
    pub id: u32,
    endpoint: Rc<Endpoint>,
    handle: ConnectionHandle,
    pub session: RefCell<Session>,
    pub tls: Rc<RefCell<tls::Session>>,
    deadline: Cell<Option<Instant>>,
    driving: Cell<bool>,
    touched: Cell<bool>,
    told: Cell<bool>,
    freed: Cell<bool>,
    announced: Cell<bool>,
    began: Instant,
    pub watched: Cell<bool>,
}

struct Clock(Rc<Endpoint>);

/// What a server is made of.
pub(crate) struct ServerTerms {
    pub context: Rc<Context>,
    pub names: Vec<(String, Rc<Context>)>,
    pub ask: Ask,
    pub transport: TransportConfig,
}

impl Endpoint {
    /// An endpoint on a socket that is bound: its number, or a negative errno. The socket is taken over.
    pub(crate) fn create(
        net: &Rc<Net>,
        fd: RawFd,
        ipv6: bool,
        server: Option<ServerTerms>,
    ) -> Result<Rc<Endpoint>, i32> {
        h3_socket::prepare(fd, ipv6);
        // SAFETY: a plain system call.
        let timer = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC) };
        if timer < 0 {
            return Err(-last_errno());
        }
        let server = server.map(|terms| Server {
            context: terms.context,
            names: terms.names,
            ask: terms.ask,
            transport: Arc::new(terms.transport),
            token_key: Arc::new(TokenKey::random()),
            open: Cell::new(true),
        });
        let config = server.as_ref().map(|server| {
            Arc::new(server_config(Config::default(), server.token_key.clone(), server.transport.clone()))
        });
        let quic = quic::Endpoint::new(Arc::new(endpoint_config()), config, true, None);
        let mut made = None;
        net.insert(|id| {
            let endpoint = Rc::new(Endpoint {
                net: net.clone(),
                id,
                fd: Cell::new(fd),
                key: Cell::new(None),
                timer: Cell::new(timer),
                timer_key: Cell::new(None),
                quic: RefCell::new(quic),
                connections: RefCell::default(),
                server,
                ipv6,
                deadlines: RefCell::default(),
                armed: Cell::new(None),
                queue: RefCell::default(),
                inbox: RefCell::new(Inbox::new()),
                touched: RefCell::default(),
                handshakes: RefCell::default(),
                refed: Cell::new(true),
                counted: Cell::new(false),
                segments: Cell::new(true),
            });
            made = Some(endpoint.clone());
            Resource::H3Endpoint(endpoint)
        });
        let endpoint = made.expect("made by the call above");
        let added = net.poller.add_readable(fd, endpoint.clone()).and_then(|key| {
            endpoint.key.set(Some(key));
            net.poller
                .add_readable(timer, Rc::new(Clock(endpoint.clone())))
                .map(|key| endpoint.timer_key.set(Some(key)))
        });
        if let Err(error) = added {
            endpoint.close();
            return Err(crate::net::negative(&error));
        }
        endpoint.account();
        Ok(endpoint)
    }

    /// The descriptor, -1 when closed.
    pub fn fd(&self) -> RawFd {
        self.fd.get()
    }

    fn account(&self) {
        let wanted = self.refed.get() && self.fd.get() >= 0;
        if wanted != self.counted.replace(wanted) {
            self.net.poller.count_refs(if wanted { 1 } else { -1 });
        }
    }

    /// Whether the loop waits for it.
    pub fn set_ref(&self, on: bool) {
        self.refed.set(on);
        self.account();
    }

    /// Takes no more connections.
    pub fn refuse(&self) {
        if let Some(server) = &self.server {
            server.open.set(false);
        }
    }

    /// Closes the socket; connections end without a word.
    pub fn close(&self) {
        let fd = self.fd.replace(-1);
        if fd < 0 {
            return;
        }
        let timer = self.timer.replace(-1);
        for (key, fd) in [(self.key.take(), fd), (self.timer_key.take(), timer)] {
            if let Some(key) = key {
                self.net.poller.remove(key, fd);
            }
            // SAFETY: ours, and forgotten.
            unsafe { libc::close(fd) };
        }
        self.account();
        self.connections.borrow_mut().clear();
        self.deadlines.borrow_mut().clear();
        self.queue.borrow_mut().clear();
        self.net.release(self.id);
    }

    /// Begins a connection: its session's number, or a negative errno.
    pub(crate) fn connect(
        self: &Rc<Self>,
        to: SocketAddr,
        tls: tls::Session,
        transport: TransportConfig,
    ) -> Result<u32, String> {
        let to = match to {
            SocketAddr::V4(v4) if self.ipv6 => SocketAddr::from((v4.ip().to_ipv6_mapped(), v4.port())),
            other => other,
        };
        let tls = Rc::new(RefCell::new(tls));
        // SAFETY: the connection lives as long as its owner and is used by this thread only; contexts know TLS 1.3.
        let carrier = unsafe { Carrier::new(tls.borrow().get(), tls.clone()) };
        let config = client_config(Config::new(carrier), Arc::new(transport));
        let now = Instant::now();
        let connected = self.quic.borrow_mut().connect(now, config, to, "");
        let (handle, connection) = connected.map_err(|error| error.to_string())?;
        let session = Session::new(connection, Options::new(false), now);
        Ok(self.insert(handle, session, tls, now).id)
    }

    fn insert(
        self: &Rc<Self>,
        handle: ConnectionHandle,
        session: Session,
        tls: Rc<RefCell<tls::Session>>,
        began: Instant,
    ) -> Rc<H3> {
        let mut made = None;
        self.net.insert(|id| {
            let h3 = Rc::new(H3 {
                net: self.net.clone(),
                id,
                endpoint: self.clone(),
                handle,
                session: RefCell::new(session),
                tls,
                deadline: Cell::new(None),
                driving: Cell::new(false),
                touched: Cell::new(false),
                told: Cell::new(false),
                freed: Cell::new(false),
                announced: Cell::new(false),
                began,
                watched: Cell::new(false),
            });
            made = Some(h3.clone());
            Resource::H3(h3)
        });
        let h3 = made.expect("made by the call above");
        self.connections.borrow_mut().insert(handle, h3.clone());
        h3
    }

    fn touch(&self, handle: ConnectionHandle) -> Option<Rc<H3>> {
        let h3 = self.connections.borrow().get(&handle).cloned()?;
        if !h3.touched.replace(true) {
            self.touched.borrow_mut().push(h3.clone());
        }
        Some(h3)
    }

    /// A datagram has come.
    fn datagram(self: &Rc<Self>, now: Instant, from: SocketAddr, local: Option<IpAddr>, bytes: &[u8]) {
        let mut answer = Vec::new();
        // The answer goes to where the datagram went to, unless the whole world is listened to by one address anyway.
        let event = self.quic.borrow_mut().handle(now, from, local, None, BytesMut::from(bytes), &mut answer);
        match event {
            None => {}
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some(h3) = self.touch(handle) {
                    h3.session.borrow_mut().connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(now, incoming),
            Some(DatagramEvent::Response(transmit)) => self.send(&transmit, &answer),
        }
    }

    fn accept(self: &Rc<Self>, now: Instant, incoming: quic::Incoming) {
        let mut answer = Vec::new();
        let Some(server) = self.server.as_ref().filter(|server| server.open.get()) else {
            let transmit = self.quic.borrow_mut().refuse(incoming, &mut answer);
            self.send(&transmit, &answer);
            return;
        };
        self.end_handshakes(now);
        if self.handshakes.borrow().len() >= MANY && !incoming.remote_address_validated() && incoming.may_retry() {
            let retried = self.quic.borrow_mut().retry(incoming, &mut answer);
            if let Ok(transmit) = retried {
                self.send(&transmit, &answer);
            }
            return;
        }
        let session = tls::Session::quic_server(&server.context, server.names.clone(), server.ask);
        let tls = Rc::new(RefCell::new(session));
        // SAFETY: see `connect`.
        let carrier = unsafe { Carrier::new(tls.borrow().get(), tls.clone()) };
        let config = server_config(Config::new(carrier), server.token_key.clone(), server.transport.clone());
        let accepted = self.quic.borrow_mut().accept(incoming, now, &mut answer, Some(Arc::new(config)));
        match accepted {
            Ok((handle, connection)) => {
                let session = Session::new(connection, Options::new(true), now);
                self.insert(handle, session, tls, now);
                self.handshakes.borrow_mut().push_back((now, handle));
                self.touch(handle);
            }
            Err(error) => {
                if let Some(transmit) = error.response {
                    self.send(&transmit, &answer);
                }
            }
        }
    }

    /// Gives up handshakes that have taken too long.
    fn end_handshakes(self: &Rc<Self>, now: Instant) {
        loop {
            let Some((since, handle)) = self.handshakes.borrow().front().copied() else { return };
            let h3 = self.connections.borrow().get(&handle).cloned();
            let open = h3.filter(|h3| !h3.announced.get() && h3.began == since);
            match open {
                // Those behind it are younger.
                Some(_) if now.saturating_duration_since(since) < HANDSHAKE => return,
                Some(h3) => h3.close(http3::frame::code::NO_ERROR),
                None => {}
            }
            self.handshakes.borrow_mut().pop_front();
        }
    }

    fn send(&self, transmit: &Transmit, bytes: &[u8]) {
        let bytes = &bytes[..transmit.size];
        if !self.queue.borrow().is_empty() {
            self.queue_up(transmit.destination, transmit.src_ip, bytes, transmit.segment_size);
            return;
        }
        self.send_now(transmit.destination, transmit.src_ip, bytes, transmit.segment_size);
    }

    /// False: the kernel has no room.
    fn send_now(&self, to: SocketAddr, from: Option<IpAddr>, bytes: &[u8], size: Option<usize>) -> bool {
        let segmented = size.is_some_and(|size| size < bytes.len());
        if segmented && !self.segments.get() {
            let size = size.unwrap_or(bytes.len());
            for (index, piece) in bytes.chunks(size).enumerate() {
                if h3_socket::send(self.fd.get(), &to, from, piece, None) == Err(-libc::EAGAIN) {
                    self.queue_up(to, from, &bytes[index * size..], Some(size));
                    return false;
                }
            }
            return true;
        }
        match h3_socket::send(self.fd.get(), &to, from, bytes, size) {
            Err(errno) if errno == -libc::EAGAIN => {
                self.queue_up(to, from, bytes, size);
                false
            }
            // A device that cannot cut messages; where the address is what is wrong, they are lost like any others.
            Err(errno) if segmented && (errno == -libc::EIO || errno == -libc::EINVAL) => {
                self.segments.set(false);
                self.send_now(to, from, bytes, size)
            }
            // As if it was lost on its way.
            Err(_) | Ok(()) => true,
        }
    }

    fn queue_up(&self, to: SocketAddr, from: Option<IpAddr>, bytes: &[u8], size: Option<usize>) {
        let mut queue = self.queue.borrow_mut();
        if queue.len() < 2 * MAX_QUEUED {
            queue.push_back((to, from, bytes.to_vec(), size));
        }
        drop(queue);
        self.watch();
    }

    fn watch(&self) {
        if let Some(key) = self.key.get() {
            // What goes wrong here goes wrong for every other source.
            let _ = self.net.poller.modify(key, self.fd.get(), true, !self.queue.borrow().is_empty());
        }
    }

    /// The kernel has room again.
    fn resume(self: &Rc<Self>) {
        loop {
            let Some((to, from, bytes, size)) = self.queue.borrow_mut().pop_front() else { break };
            if h3_socket::send(self.fd.get(), &to, from, &bytes, size.filter(|_| self.segments.get()))
                == Err(-libc::EAGAIN)
            {
                self.queue.borrow_mut().push_front((to, from, bytes, size));
                return;
            }
        }
        self.watch();
        let handles: Vec<_> = self.connections.borrow().keys().copied().collect();
        for handle in handles {
            self.touch(handle);
        }
    }

    fn drive_touched(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        loop {
            let list = std::mem::take(&mut *self.touched.borrow_mut());
            if list.is_empty() {
                return Ok(());
            }
            let mut result = Ok(());
            for h3 in list {
                h3.touched.set(false);
                let driven = scope.nested(|scope| h3.drive(scope));
                if result.is_ok() {
                    result = driven;
                }
            }
            result?;
        }
    }

    /// Notes when a connection wants to be woken.
    fn set_deadline(&self, h3: &H3, next: Option<Instant>) {
        let before = h3.deadline.replace(next);
        if before == next || self.fd.get() < 0 {
            return;
        }
        let mut deadlines = self.deadlines.borrow_mut();
        if let Some(before) = before {
            deadlines.remove(&(before, h3.handle.0));
        }
        if let Some(next) = next {
            deadlines.insert((next, h3.handle.0));
        }
        drop(deadlines);
        self.arm();
    }

    /// Sets the clock to the first deadline; one that is set to an earlier time stays, and finds nothing to do then.
    fn arm(&self) {
        let Some((first, _)) = self.deadlines.borrow().first().copied() else { return };
        if self.armed.get().is_some_and(|armed| armed <= first) {
            return;
        }
        self.armed.set(Some(first));
        let wait = first.saturating_duration_since(Instant::now()).max(Duration::from_micros(1));
        // SAFETY: all zeros is a valid value of this plain struct, which the call reads.
        unsafe {
            let mut spec: libc::itimerspec = std::mem::zeroed();
            spec.it_value.tv_sec = wait.as_secs() as _;
            spec.it_value.tv_nsec = wait.subsec_nanos().into();
            libc::timerfd_settime(self.timer.get(), 0, &raw const spec, std::ptr::null_mut());
        }
    }

    fn due(self: &Rc<Self>) {
        let now = Instant::now();
        self.armed.set(None);
        loop {
            let Some((at, handle)) = self.deadlines.borrow().first().copied() else { break };
            if at > now {
                break;
            }
            self.deadlines.borrow_mut().pop_first();
            if let Some(h3) = self.touch(ConnectionHandle(handle)) {
                h3.deadline.set(None);
                h3.session.borrow_mut().connection.handle_timeout(now);
            }
        }
    }
}

impl Source for Endpoint {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, ready: Ready) -> JsResult<()> {
        if ready.writable() && !self.queue.borrow().is_empty() {
            self.resume();
        }
        if ready.readable() {
            for _ in 0..ROUNDS {
                let fd = self.fd.get();
                if fd < 0 {
                    return Ok(());
                }
                let now = Instant::now();
                let mut inbox = self.inbox.borrow_mut();
                let more = h3_socket::receive(fd, &mut inbox, |arrived| {
                    for bytes in arrived.bytes.chunks(arrived.size) {
                        self.datagram(now, arrived.from, arrived.local, bytes);
                    }
                });
                drop(inbox);
                self.drive_touched(scope)?;
                if more != Ok(true) {
                    break;
                }
            }
        }
        self.drive_touched(scope)
    }
}

impl Source for Clock {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, _: Ready) -> JsResult<()> {
        let mut count = 0u64;
        // SAFETY: reads eight bytes from a descriptor that does not block.
        unsafe { libc::read(self.0.timer.get(), (&raw mut count).cast(), 8) };
        self.0.due();
        self.0.end_handshakes(Instant::now());
        let result = self.0.drive_touched(scope);
        self.0.arm();
        result
    }
}

impl H3 {
    /// The peer's address.
    pub fn remote(&self) -> SocketAddr {
        let address = self.session.borrow().connection.remote_address();
        SocketAddr::new(address.ip().to_canonical(), address.port())
    }

    /// Sends what there is, and tells what has come.
    pub fn flush(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        self.drive(scope)
    }

    fn drive(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        // What is being told ends with this.
        if self.driving.replace(true) {
            return Ok(());
        }
        let result = self.tell_all(scope);
        self.driving.set(false);
        self.transmit();
        result?;
        if self.told.replace(false) && !self.freed.get() {
            self.call(scope, Kind::Done, 0, &[])?;
        }
        if self.watched.get() && !self.freed.get() && self.session.borrow_mut().is_drained() {
            self.call(scope, Kind::Drained, 0, &[])?;
        }
        Ok(())
    }

    fn tell_all(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        let now = Instant::now();
        loop {
            let event = {
                let mut session = self.session.borrow_mut();
                session.pump(now);
                session.step(now)
            };
            let Some(event) = event else { return Ok(()) };
            if !self.freed.get() {
                scope.nested(|scope| self.tell(scope, event))?;
            }
        }
    }

    /// Gives QUIC's packets to the kernel.
    fn transmit(self: &Rc<Self>) {
        let endpoint = &self.endpoint;
        if endpoint.fd.get() < 0 {
            return;
        }
        let now = Instant::now();
        let mut buffer = self.net.out.take();
        let mut session = self.session.borrow_mut();
        while let Some(event) = session.connection.poll_endpoint_events() {
            let answer = endpoint.quic.borrow_mut().handle_event(self.handle, event);
            if let Some(event) = answer {
                session.connection.handle_event(event);
            }
        }
        while endpoint.queue.borrow().len() < MAX_QUEUED {
            buffer.clear();
            let segments = if endpoint.segments.get() { SEGMENTS } else { 1 };
            let Some(transmit) = session.connection.poll_transmit(now, segments, &mut buffer) else { break };
            endpoint.send(&transmit, &buffer);
        }
        let (next, gone) = (session.connection.poll_timeout(), session.connection.is_drained());
        // Draining may have told the endpoint something.
        while let Some(event) = session.connection.poll_endpoint_events() {
            endpoint.quic.borrow_mut().handle_event(self.handle, event);
        }
        drop(session);
        if buffer.capacity() <= 1 << 20 {
            *self.net.out.borrow_mut() = buffer;
        }
        endpoint.set_deadline(self, if gone { None } else { next });
        if gone {
            endpoint.connections.borrow_mut().remove(&self.handle);
            // Nobody has heard of one that ended before its handshake.
            if endpoint.server.is_some() && !self.announced.get() {
                self.free();
            }
        }
    }

    /// Says goodbye; nothing is told any more.
    pub fn close(self: &Rc<Self>, code: u64) {
        self.session.borrow_mut().close(Instant::now(), code);
        self.transmit();
    }

    /// JavaScript has no use for it any more.
    pub fn free(&self) {
        if !self.freed.replace(true) {
            self.net.release(self.id);
        }
    }

    fn call(&self, scope: &mut Scope<'_>, kind: Kind, stream: u32, args: &[Local<'_>]) -> JsResult<()> {
        let id = scope.int(self.id as i32);
        self.call_for(scope, id, kind, stream, args)
    }

    fn call_for(
        &self,
        scope: &mut Scope<'_>,
        id: Local<'_>,
        kind: Kind,
        stream: u32,
        args: &[Local<'_>],
    ) -> JsResult<()> {
        let kind = scope.int(kind as i32);
        let stream = scope.int(stream as i32);
        let undefined = scope.undefined();
        let mut all = [id, kind, stream, undefined, undefined, undefined];
        for (place, value) in all[3..].iter_mut().zip(args) {
            *place = *value;
        }
        self.net.call_h3(scope, &all)
    }

    fn tell(self: &Rc<Self>, scope: &mut Scope<'_>, event: Event) -> JsResult<()> {
        if self.endpoint.server.is_some() && !self.announced.get() && event != Event::Connected {
            // Of a handshake that came to nothing.
            return Ok(());
        }
        self.told.set(true);
        match event {
            Event::Connected => {
                self.tls.borrow_mut().opened();
                if self.endpoint.server.is_none() {
                    return self.call(scope, Kind::Connected, 0, &[]);
                }
                self.announced.set(true);
                let endpoint = scope.int(self.endpoint.id as i32);
                self.call_for(scope, endpoint, Kind::Connected, self.id, &[])
            }
            Event::Headers { stream, category, end, fresh } => {
                let category = match category {
                    Category::Request => 0,
                    Category::Response => 1,
                    Category::Trailers => 3,
                };
                let flags = category | if end { 4 } else { 0 } | if fresh { 8 } else { 0 };
                let text = {
                    let session = self.session.borrow();
                    let text = session.fields();
                    scope.latin1_string(text.strip_suffix(&[0]).unwrap_or(text))?
                };
                let args = [scope.int(flags), text];
                self.call(scope, Kind::Headers, stream, &args)
            }
            Event::Data { stream, bytes } => {
                let bytes = scope.array_buffer(bytes)?;
                self.call(scope, Kind::Data, stream, &[bytes])
            }
            Event::End { stream } => self.call(scope, Kind::End, stream, &[]),
            Event::Closed { stream, code } => {
                let code = scope.number(code as f64);
                self.call(scope, Kind::Closed, stream, &[code])
            }
            Event::Written { stream } => self.call(scope, Kind::Written, stream, &[]),
            Event::Goaway => self.call(scope, Kind::Goaway, 0, &[]),
            Event::Lost { how, code, reason } => {
                let args = [scope.int(how as i32), scope.number(code as f64), scope.string(&reason)?];
                self.call(scope, Kind::Lost, 0, &args)
            }
        }
    }
}
