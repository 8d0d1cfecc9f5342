//! A client and a server with a network of memory between them.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::VecDeque;
use std::ffi::{c_int, c_uint, c_void};
use std::net::SocketAddr;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use http3::keys::TokenKey;
use http3::quic::{ConnectionHandle, DatagramEvent, Endpoint, Transmit};
use http3::session::{client_config, endpoint_config, server_config, transport};
use http3::tls::{Carrier, Config};
use http3::{Event, Options, Session};
use ssl::crypto as lc;

struct Library {
    ctx: *mut ssl::SSL_CTX,
    ssl: *mut ssl::SSL,
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: both are ours.
        unsafe {
            ssl::SSL_free(self.ssl);
            lc_free_ctx(self.ctx);
        }
    }
}

unsafe fn lc_free_ctx(ctx: *mut ssl::SSL_CTX) {
    // SAFETY: the caller has one reference.
    unsafe { ssl::SSL_CTX_free(ctx) };
}

unsafe extern "C" fn alpn(
    _: *mut ssl::SSL,
    out: *mut *const u8,
    out_len: *mut u8,
    offered: *const u8,
    _: c_uint,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the client of these tests offers one protocol, "h3".
    unsafe {
        *out = offered.add(1);
        *out_len = 2;
    }
    ssl::SSL_TLSEXT_ERR_OK
}

fn pem(bytes: &'static [u8]) -> *mut lc::BIO {
    // SAFETY: constant bytes.
    unsafe { lc::BIO_new_mem_buf(bytes.as_ptr().cast(), bytes.len() as _) }
}

fn carrier(server: bool) -> Carrier {
    // SAFETY: what is made is owned by `Library`.
    unsafe {
        let ctx = ssl::SSL_CTX_new(ssl::TLS_method());
        if server {
            let bio = pem(include_bytes!("../../../../tests/http/support/cert.pem"));
            let certificate = lc::PEM_read_bio_X509(bio, ptr::null_mut(), None, ptr::null_mut());
            lc::BIO_free(bio);
            let bio = pem(include_bytes!("../../../../tests/http/support/key.pem"));
            let key = lc::PEM_read_bio_PrivateKey(bio, ptr::null_mut(), None, ptr::null_mut());
            lc::BIO_free(bio);
            assert_eq!(ssl::SSL_CTX_use_certificate(ctx, certificate), 1);
            assert_eq!(ssl::SSL_CTX_use_PrivateKey(ctx, key), 1);
            lc::X509_free(certificate);
            lc::EVP_PKEY_free(key);
            ssl::SSL_CTX_set_alpn_select_cb(ctx, Some(alpn), ptr::null_mut());
        }
        let ssl = ssl::SSL_new(ctx);
        if server {
            ssl::SSL_set_accept_state(ssl);
        } else {
            ssl::SSL_set_connect_state(ssl);
            ssl::SSL_set_alpn_protos(ssl, b"\x02h3".as_ptr(), 3);
        }
        Carrier::new(ssl, Rc::new(Library { ctx, ssl }))
    }
}

pub(crate) struct Side {
    pub(crate) endpoint: Endpoint,
    pub(crate) handle: Option<ConnectionHandle>,
    pub(crate) session: Option<Session>,
    pub(crate) address: SocketAddr,
    pub(crate) events: Vec<(Event, Vec<u8>)>,
}

pub(crate) struct Pair {
    pub(crate) client: Side,
    pub(crate) server: Side,
    pub(crate) now: Instant,
    token_key: Arc<TokenKey>,
    flying: VecDeque<(bool, BytesMut)>,
    options: Options,
}

impl Pair {
    pub(crate) fn new() -> Pair {
        Pair::with(Options::new(true))
    }

    pub(crate) fn with(options: Options) -> Pair {
        let now = Instant::now();
        let token_key = Arc::new(TokenKey::random());
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let config = server_config(Config::default(), token_key.clone(), Arc::new(transport(true, None, None)));
        let side = |server, address| Side {
            endpoint: Endpoint::new(Arc::new(endpoint_config()), server, true, None),
            handle: None,
            session: None,
            address,
            events: Vec::new(),
        };
        let mut pair = Pair {
            client: side(None, at(1)),
            server: side(Some(Arc::new(config)), at(2)),
            now,
            token_key,
            flying: VecDeque::new(),
            options,
        };
        let tls = Config::new(carrier(false));
        let config = client_config(tls, Arc::new(transport(false, Some(Duration::from_secs(30)), None)));
        let (handle, connection) = pair.client.endpoint.connect(now, config, at(2), "localhost").unwrap();
        pair.client.handle = Some(handle);
        pair.client.session = Some(Session::new(connection, Options::new(false), now));
        pair.run();
        assert!(pair.client.events.iter().any(|(event, _)| *event == Event::Connected), "{:?}", pair.client.events);
        assert!(pair.server.events.iter().any(|(event, _)| *event == Event::Connected), "{:?}", pair.server.events);
        pair.client.events.clear();
        pair.server.events.clear();
        pair
    }

    pub(crate) fn client(&mut self) -> &mut Session {
        self.client.session.as_mut().unwrap()
    }

    pub(crate) fn server(&mut self) -> &mut Session {
        self.server.session.as_mut().unwrap()
    }

    /// Lets both sides go on until nothing is on its way.
    pub(crate) fn run(&mut self) {
        for _ in 0..100_000 {
            let before = self.flying.len();
            for server in [false, true] {
                self.drive(server);
            }
            let Some((to_server, bytes)) = self.flying.pop_front() else {
                if before == 0 {
                    // Acknowledgements may be waited for.
                    if !self.wait() {
                        return;
                    }
                }
                continue;
            };
            self.deliver(to_server, bytes);
        }
        panic!("the two talk without an end");
    }

    /// Goes to the next timer, if it comes soon.
    fn wait(&mut self) -> bool {
        let mut next: Option<Instant> = None;
        for side in [&mut self.client, &mut self.server] {
            let timeout = side.session.as_mut().and_then(|session| session.connection.poll_timeout());
            next = [next, timeout].into_iter().flatten().min();
        }
        let Some(next) = next.filter(|next| *next < self.now + Duration::from_millis(500)) else { return false };
        self.now = next.max(self.now);
        let now = self.now;
        for side in [&mut self.client, &mut self.server] {
            if let Some(session) = &mut side.session {
                session.connection.handle_timeout(now);
            }
        }
        true
    }

    fn deliver(&mut self, to_server: bool, bytes: BytesMut) {
        let now = self.now;
        let from = if to_server { self.client.address } else { self.server.address };
        let side = if to_server { &mut self.server } else { &mut self.client };
        let mut buffer = Vec::new();
        match side.endpoint.handle(now, from, None, None, bytes, &mut buffer) {
            None => {}
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                side.session.as_mut().unwrap().connection.handle_event(event);
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                let tls = Config::new(carrier(true));
                let quic = Arc::new(transport(true, Some(Duration::from_secs(30)), None));
                let config = Arc::new(server_config(tls, self.token_key.clone(), quic));
                match side.endpoint.accept(incoming, now, &mut buffer, Some(config)) {
                    Ok((handle, connection)) => {
                        side.handle = Some(handle);
                        side.session = Some(Session::new(connection, self.options.clone(), now));
                    }
                    Err(error) => panic!("{:?}", error.cause),
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.send(!to_server, &transmit, &buffer),
        }
    }

    fn send(&mut self, to_server: bool, transmit: &Transmit, buffer: &[u8]) {
        let size = transmit.segment_size.unwrap_or(transmit.size).max(1);
        for datagram in buffer[..transmit.size].chunks(size) {
            self.flying.push_back((to_server, BytesMut::from(datagram)));
        }
    }

    fn drive(&mut self, server: bool) {
        let now = self.now;
        let side = if server { &mut self.server } else { &mut self.client };
        let Some(session) = &mut side.session else { return };
        loop {
            session.pump(now);
            let Some(event) = session.step(now) else { break };
            let fields = if matches!(event, Event::Headers { .. }) { session.fields().to_vec() } else { Vec::new() };
            side.events.push((event, fields));
        }
        while let Some(event) = session.connection.poll_endpoint_events() {
            if let Some(event) = side.endpoint.handle_event(side.handle.unwrap(), event) {
                session.connection.handle_event(event);
            }
        }
        let mut list = Vec::new();
        loop {
            let mut buffer = Vec::new();
            let Some(transmit) = session.connection.poll_transmit(now, 10, &mut buffer) else { break };
            list.push((transmit, buffer));
        }
        for (transmit, buffer) in list {
            self.send(!server, &transmit, &buffer);
        }
    }
}
