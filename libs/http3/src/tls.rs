//! The handshake of QUIC (RFC 9001) by aws-lc's libssl: what records would carry goes through CRYPTO frames, and secrets become the keys
//! of packets. Who the peer may be, and what certificate this side shows, is set up by whoever makes the library's connection.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::io::Cursor;
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use quinn_proto::crypto::{self, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, UnsupportedVersion};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError, TransportErrorCode};
use ssl::{SSL, crypto as lc};

use crate::keys::{self, Secret, Suite};

/// Levels of encryption, of which the second, early data, is not used.
const LEVELS: usize = 4;
const INITIAL: usize = ssl::ssl_encryption_initial as usize;
const HANDSHAKE: usize = ssl::ssl_encryption_handshake as usize;
const APPLICATION: usize = ssl::ssl_encryption_application as usize;

/// Handshake data that may wait to be sent.
const MAX_WAITING: usize = 1 << 20;

/// A connection of the library's, and what keeps it alive.
pub struct Carrier {
    ssl: *mut SSL,
    #[expect(dead_code, reason = "held so that the connection lives")]
    owner: Rc<dyn Any>,
}

// SAFETY: quinn-proto asks for these because its users may have threads. A connection of bao's stays on the thread that has made it: what
// holds it (`Session` and the endpoint beside it) holds `Rc`s and is neither `Send` nor `Sync`.
unsafe impl Send for Carrier {}
// SAFETY: as above.
unsafe impl Sync for Carrier {}

impl Carrier {
    /// A connection that has not begun its handshake.
    ///
    /// # Safety
    /// `ssl` is set up for one side, lives as long as `owner`, and is used on this thread only; its context knows TLS 1.3.
    pub unsafe fn new(ssl: *mut SSL, owner: Rc<dyn Any>) -> Carrier {
        Carrier { ssl, owner }
    }
}

/// What the library has said in the middle of a call.
#[derive(Default)]
struct State {
    /// What is to be sent, by level.
    out: [Vec<u8>; LEVELS],
    /// Secrets by level: for reading, and for writing.
    read: [Option<Secret>; LEVELS],
    write: [Option<Secret>; LEVELS],
    alert: Option<u8>,
}

/// The place of the state in the library's connections.
fn place() -> c_int {
    static PLACE: OnceLock<c_int> = OnceLock::new();
    *PLACE.get_or_init(|| {
        // SAFETY: no conditions; there is nothing to free.
        unsafe { ssl::SSL_get_ex_new_index(0, ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut()) }
    })
}

unsafe fn state<'a>(ssl: *const SSL) -> Option<&'a RefCell<State>> {
    // SAFETY: a live connection; the pointer is null or was put there by `Tls::new`, whose state lives as long as it is there.
    unsafe { ssl::SSL_get_ex_data(ssl, place()).cast::<RefCell<State>>().cast_const().as_ref() }
}

unsafe fn keep(
    ssl: *mut SSL,
    level: c_int,
    cipher: *const ssl::SSL_CIPHER,
    secret: *const u8,
    length: usize,
    write: bool,
) -> c_int {
    // SAFETY: the library calls this with a cipher suite and a secret of that length.
    let (state, number, bytes) = unsafe {
        let Some(state) = state(ssl) else { return 0 };
        (state, ssl::SSL_CIPHER_get_protocol_id(cipher), std::slice::from_raw_parts(secret, length))
    };
    let (Some(suite), Ok(level)) = (Suite::of(number), usize::try_from(level)) else { return 0 };
    let mut state = state.borrow_mut();
    let list = if write { &mut state.write } else { &mut state.read };
    let Some(place) = list.get_mut(level) else { return 0 };
    *place = Some(Secret::new(suite, bytes));
    1
}

unsafe extern "C" fn set_read_secret(
    ssl: *mut SSL,
    level: c_int,
    cipher: *const ssl::SSL_CIPHER,
    secret: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: handed on.
    unsafe { keep(ssl, level, cipher, secret, length, false) }
}

unsafe extern "C" fn set_write_secret(
    ssl: *mut SSL,
    level: c_int,
    cipher: *const ssl::SSL_CIPHER,
    secret: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: handed on.
    unsafe { keep(ssl, level, cipher, secret, length, true) }
}

unsafe extern "C" fn add_handshake_data(ssl: *mut SSL, level: c_int, data: *const u8, length: usize) -> c_int {
    // SAFETY: the library calls this with bytes of that length.
    let (state, bytes) = unsafe {
        let Some(state) = state(ssl) else { return 0 };
        (state, if length == 0 { &[] } else { std::slice::from_raw_parts(data, length) })
    };
    let mut state = state.borrow_mut();
    let Some(out) = usize::try_from(level).ok().and_then(|level| state.out.get_mut(level)) else { return 0 };
    if out.len() + bytes.len() > MAX_WAITING {
        return 0;
    }
    out.extend_from_slice(bytes);
    1
}

unsafe extern "C" fn flush_flight(_: *mut SSL) -> c_int {
    1
}

unsafe extern "C" fn send_alert(ssl: *mut SSL, _: c_int, alert: u8) -> c_int {
    // SAFETY: a live connection.
    let Some(state) = (unsafe { state(ssl) }) else { return 0 };
    state.borrow_mut().alert = Some(alert);
    1
}

static METHOD: ssl::SSL_QUIC_METHOD = ssl::SSL_QUIC_METHOD {
    set_read_secret: Some(set_read_secret),
    set_write_secret: Some(set_write_secret),
    add_handshake_data: Some(add_handshake_data),
    flush_flight: Some(flush_flight),
    send_alert: Some(send_alert),
};

/// A handshake.
struct Tls {
    side: Side,
    state: Box<RefCell<State>>,
    /// The level at which this side sends.
    level: usize,
    done: bool,
    told: bool,
    /// Secrets after the next update of keys, for writing and reading.
    next: Option<[Secret; 2]>,
    carrier: Carrier,
}

// SAFETY: see `Carrier`.
unsafe impl Send for Tls {}
// SAFETY: see `Carrier`.
unsafe impl Sync for Tls {}

impl Drop for Tls {
    fn drop(&mut self) {
        // SAFETY: the connection is alive by its owner; the state goes away.
        unsafe { ssl::SSL_set_ex_data(self.carrier.ssl, place(), ptr::null_mut()) };
    }
}

impl Tls {
    fn new(carrier: Carrier, side: Side, params: &TransportParameters) -> Result<Tls, TransportError> {
        let state = Box::new(RefCell::new(State::default()));
        let mut bytes = Vec::new();
        params.write(&mut bytes);
        // SAFETY: a live connection; the method is constant, the state outlives its place (see `drop`), the bytes are copied.
        let good = unsafe {
            let ssl = carrier.ssl;
            ssl::SSL_set_ex_data(ssl, place(), ptr::from_ref(&*state).cast_mut().cast::<c_void>());
            ssl::SSL_set_min_proto_version(ssl, 0x0304) == 1
                && ssl::SSL_set_max_proto_version(ssl, 0x0304) == 1
                && ssl::SSL_set_quic_method(ssl, &raw const METHOD) == 1
                && ssl::SSL_set_quic_transport_params(ssl, bytes.as_ptr(), bytes.len()) == 1
        };
        let mut tls = Tls { side, state, level: INITIAL, done: false, told: false, next: None, carrier };
        if !good {
            return Err(tls.failure());
        }
        if side.is_client() {
            tls.advance()?;
        }
        Ok(tls)
    }

    /// Why the library has stopped.
    fn failure(&self) -> TransportError {
        // SAFETY: texts of the library are constants.
        let reason = unsafe {
            let number = lc::ERR_get_error();
            lc::ERR_clear_error();
            let text = lc::ERR_reason_error_string(number);
            if text.is_null() { String::new() } else { std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned() }
        };
        let code = match self.state.borrow().alert {
            Some(alert) => TransportErrorCode::crypto(alert),
            None => TransportErrorCode::INTERNAL_ERROR,
        };
        TransportError { code, frame: None, reason }
    }

    /// Goes as far as the input reaches.
    fn advance(&mut self) -> Result<(), TransportError> {
        // SAFETY: a live connection.
        unsafe {
            lc::ERR_clear_error();
            if self.done {
                return if ssl::SSL_process_quic_post_handshake(self.carrier.ssl) == 1 {
                    Ok(())
                } else {
                    Err(self.failure())
                };
            }
            let result = ssl::SSL_do_handshake(self.carrier.ssl);
            if result == 1 {
                self.done = true;
                return Ok(());
            }
            match ssl::SSL_get_error(self.carrier.ssl, result) {
                ssl::SSL_ERROR_WANT_READ => Ok(()),
                _ => Err(self.failure()),
            }
        }
    }
}

impl crypto::Session for Tls {
    fn initial_keys(&self, dst_cid: &ConnectionId, side: Side) -> Keys {
        keys::initial(dst_cid, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        // Whoever has made the connection asks it.
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.side.is_client().then_some(false)
    }

    fn is_handshaking(&self) -> bool {
        !self.done
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        // SAFETY: a live connection and a slice with its length.
        let taken = unsafe {
            lc::ERR_clear_error();
            let level = ssl::SSL_quic_read_level(self.carrier.ssl);
            ssl::SSL_provide_quic_data(self.carrier.ssl, level, buf.as_ptr(), buf.len())
        };
        if taken != 1 {
            return Err(self.failure());
        }
        self.advance()?;
        Ok(self.done && !std::mem::replace(&mut self.told, true))
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        let (mut data, mut length) = (ptr::null(), 0);
        // SAFETY: a live connection; what it gives lives as long and is read at once.
        let bytes = unsafe {
            ssl::SSL_get_peer_quic_transport_params(self.carrier.ssl, &raw mut data, &raw mut length);
            if data.is_null() || length == 0 {
                return Ok(None);
            }
            std::slice::from_raw_parts(data, length)
        };
        Ok(Some(TransportParameters::read(self.side, &mut Cursor::new(bytes))?))
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let mut state = self.state.borrow_mut();
        buf.append(&mut state.out[self.level]);
        let next = match self.level {
            INITIAL => HANDSHAKE,
            HANDSHAKE => APPLICATION,
            _ => return None,
        };
        let (Some(read), Some(write)) = (&state.read[next], &state.write[next]) else { return None };
        self.level = next;
        if next == APPLICATION {
            self.next = Some([write.next(), read.next()]);
        }
        Some(keys::keys(write, read))
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        let [write, read] = self.next.as_mut()?;
        let pair = KeyPair { local: write.packet(), remote: read.packet() };
        (*write, *read) = (write.next(), read.next());
        Some(pair)
    }

    fn is_valid_retry(&self, orig_dst_cid: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        keys::is_retry_valid(orig_dst_cid, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        // SAFETY: slices with their lengths.
        let result = unsafe {
            ssl::SSL_export_keying_material(
                self.carrier.ssl,
                output.as_mut_ptr(),
                output.len(),
                label.as_ptr().cast(),
                label.len(),
                context.as_ptr(),
                context.len(),
                1,
            )
        };
        if result == 1 { Ok(()) } else { Err(ExportKeyingMaterialError) }
    }
}

/// The configuration of one connection, which is used up by it. A server's endpoint has one without a connection, for what is decided
/// before there is one.
#[derive(Default)]
pub struct Config(Mutex<Option<Carrier>>);

impl Config {
    /// For one connection.
    pub fn new(carrier: Carrier) -> Config {
        Config(Mutex::new(Some(carrier)))
    }

    fn take(&self) -> Option<Carrier> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl crypto::ClientConfig for Config {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn crypto::Session>, ConnectError> {
        if version != keys::VERSION {
            return Err(ConnectError::UnsupportedVersion);
        }
        let carrier = self.take().ok_or(ConnectError::EndpointStopping)?;
        match Tls::new(carrier, Side::Client, params) {
            Ok(tls) => Ok(Box::new(tls)),
            Err(error) => Err(ConnectError::InvalidServerName(error.reason)),
        }
    }
}

impl crypto::ServerConfig for Config {
    fn initial_keys(&self, version: u32, dst_cid: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        if version == keys::VERSION { Ok(keys::initial(dst_cid, Side::Server)) } else { Err(UnsupportedVersion) }
    }

    fn retry_tag(&self, _version: u32, orig_dst_cid: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        keys::retry_tag(orig_dst_cid, packet)
    }

    fn start_session(self: Arc<Self>, _version: u32, params: &TransportParameters) -> Box<dyn crypto::Session> {
        match self.take().map(|carrier| Tls::new(carrier, Side::Server, params)) {
            Some(Ok(tls)) => Box::new(tls),
            _ => Box::new(Refusing),
        }
    }
}

/// The handshake of a connection for which there is no TLS: it fails.
struct Refusing;

impl crypto::Session for Refusing {
    fn initial_keys(&self, dst_cid: &ConnectionId, side: Side) -> Keys {
        keys::initial(dst_cid, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        true
    }

    fn read_handshake(&mut self, _: &[u8]) -> Result<bool, TransportError> {
        Err(TransportErrorCode::INTERNAL_ERROR.into())
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(None)
    }

    fn write_handshake(&mut self, _: &mut Vec<u8>) -> Option<Keys> {
        None
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        None
    }

    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(&self, _: &mut [u8], _: &[u8], _: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}
