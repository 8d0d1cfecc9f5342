//! TLS over a connection (aws-lc's libssl): contexts, and the state of one connection.
//!
//! Certificates of peers are checked, but a failed check does not end the handshake: JavaScript decides, as Node does
//! (`rejectUnauthorized`, `authorizationError`). Signatures of the handshake itself are always enforced.

mod callbacks;
mod context;
mod error;
mod psk;
mod trace;
mod verify;
mod wire;

use std::ffi::{CString, c_int};
use std::ptr;
use std::rc::Rc;

use engine::OpError;
use ssl::crypto as lc;

pub(crate) use callbacks::Hello;
use callbacks::{Choice, Link};
pub(crate) use context::{Certificate, Context, cipher_names};
pub(crate) use error::Failure;
pub(crate) use psk::Question;
pub(crate) use verify::{mozilla_roots, set_default_trust};

/// TLS of one connection. It does no input or output: bytes are put in and taken out.
pub struct Session {
    ssl: *mut ssl::SSL,
    link: Rc<Link>,
    state: State,
    /// JavaScript has agreed to who the peer is. Nothing of the program's is sent before.
    released: bool,
    /// The end of a client's handshake waits for that, too: over TLS 1.3 it has the client's certificate in it, and it tells the
    /// server that it was accepted.
    withheld: bool,
    /// Plaintext that waits for that.
    early: Vec<u8>,
    /// Ciphertext that came while JavaScript was choosing.
    held: Vec<u8>,
    close_wanted: bool,
    /// The session that a client's ClientHello names.
    named: Vec<u8>,
    /// Bytes of plaintext that came, and that were to be sent.
    counts: (u64, u64),
    /// The program has pre-shared keys.
    has_keys: bool,
    /// Looks for the message that a key is needed for.
    watch: Option<psk::Watch>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Handshake,
    /// A server whose context JavaScript is choosing.
    Choosing,
    /// JavaScript is asked for a pre-shared key.
    Asking,
    Open,
    Failed,
}

/// What [`Session::receive`] came to; in this order.
#[derive(Default)]
pub struct Received {
    /// A ClientHello that waits for a context.
    pub hello: Option<Hello>,
    /// A pre-shared key is needed: [`Session::answer`].
    pub question: Option<Question>,
    /// Lines for key logs.
    pub keys: Vec<String>,
    /// [`Session::take_sessions`] has some.
    pub sessions: bool,
    pub secured: bool,
    pub plaintext: Vec<u8>,
    /// The peer has ended its half.
    pub ended: bool,
    pub failure: Option<Failure>,
}

/// What a client asks for.
#[derive(Default)]
pub struct ClientTerms<'a> {
    /// The name of the server that it is told (SNI); empty for none.
    pub name: &'a str,
    pub protocols: &'a [Vec<u8>],
    /// A session to resume, as [`Session::session`] gave it.
    pub session: Option<&'a [u8]>,
    /// The name under which the context keeps sessions for clients that keep none themselves.
    pub keep: Option<String>,
    /// A status of the server's certificate is asked for (OCSP).
    pub status: bool,
    /// See [`Session::tell`].
    pub sessions: bool,
    pub keys: bool,
    /// See [`Session::use_keys`].
    pub shared_keys: bool,
    /// See [`Session::trace`].
    pub traced: bool,
}

/// Whether a server asks for a certificate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    Nothing,
    Certificate,
    /// And a client without one is refused by the library.
    Required,
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: ours; what it refers to in `link` goes after it.
        unsafe { ssl::SSL_free(self.ssl) };
    }
}

impl Session {
    fn make(context: &Context) -> Session {
        let link = Rc::new(Link::new());
        // SAFETY: the state does not move and lives longer than the connection, see `drop`; one source for both directions is taken over
        // once.
        let ssl = unsafe {
            let ssl = ssl::SSL_new(context.get());
            assert!(!ssl.is_null(), "out of memory");
            ssl::SSL_set_ex_data(ssl, 0, Rc::as_ptr(&link).cast_mut().cast());
            let bio = link.wire.bio();
            ssl::SSL_set_bio(ssl, bio, bio);
            ssl
        };
        Session {
            ssl,
            link,
            state: State::Handshake,
            released: false,
            withheld: false,
            early: Vec::new(),
            held: Vec::new(),
            close_wanted: false,
            named: Vec::new(),
            counts: (0, 0),
            has_keys: false,
            watch: None,
        }
    }

    /// A server's side, which waits for a ClientHello. `context` is the one that it begins with.
    pub fn server(context: &Context, ask: Ask) -> Session {
        let session = Session::make(context);
        // SAFETY: a live connection.
        unsafe { ssl::SSL_set_accept_state(session.ssl) };
        session.ask(ask);
        session
    }

    fn ask(&self, ask: Ask) {
        let mode = match ask {
            Ask::Nothing => ssl::SSL_VERIFY_NONE,
            Ask::Certificate => ssl::SSL_VERIFY_PEER,
            Ask::Required => ssl::SSL_VERIFY_PEER | ssl::SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
        };
        // SAFETY: a live connection and a function that stays.
        unsafe { ssl::SSL_set_verify(self.ssl, mode, Some(verify::note)) };
    }

    /// A server's side for QUIC, which asks nobody: its context is the first, or the one of the name that a client asks for.
    pub fn quic_server(context: &Context, names: Vec<(String, Rc<Context>)>, ask: Ask) -> Session {
        let session = Session::server(context, ask);
        *session.link.protocols.borrow_mut() = vec![b"h3".to_vec()];
        *session.link.names.borrow_mut() = names;
        session.link.choice.set(Choice::Made);
        session
    }

    /// A client's side for QUIC, which has not begun.
    pub fn quic_client(context: &Context, terms: ClientTerms<'_>) -> Result<Session, OpError> {
        Session::prepared(context, terms)
    }

    /// The library's object, which stays owned.
    pub fn get(&self) -> *mut ssl::SSL {
        self.ssl
    }

    /// The handshake was done by QUIC.
    pub fn opened(&mut self) {
        self.state = State::Open;
        self.released = true;
    }

    /// A client's side, which has begun.
    pub fn client(context: &Context, terms: ClientTerms<'_>) -> Result<Session, OpError> {
        let mut session = Session::prepared(context, terms)?;
        let mut begun = Received::default();
        session.advance(&mut begun);
        match begun.failure {
            Some(failure) => {
                let (library, reason) = failure.text.split_once("::").unwrap_or(("SSL routines", &failure.text));
                Err(error::described("0A000000", library, reason, &failure.code))
            }
            None => Ok(session),
        }
    }

    fn prepared(context: &Context, terms: ClientTerms<'_>) -> Result<Session, OpError> {
        let mut session = Session::make(context);
        let ssl = session.ssl;
        let name = CString::new(terms.name).map_err(|_| OpError::error("A NUL character in the name of a server"))?;
        // In TLS's form: names behind their lengths.
        let protocols: Vec<u8> = terms
            .protocols
            .iter()
            .flat_map(|name| std::iter::once(name.len() as u8).chain(name.iter().copied()))
            .collect();
        // SAFETY: a live connection, and slices with their lengths, which the library copies.
        unsafe {
            ssl::SSL_set_connect_state(ssl);
            ssl::SSL_set_verify(ssl, ssl::SSL_VERIFY_PEER, Some(verify::note));
            if !terms.name.is_empty() {
                ssl::SSL_set_tlsext_host_name(ssl, name.as_ptr());
            }
            if !protocols.is_empty() {
                ssl::SSL_set_alpn_protos(ssl, protocols.as_ptr(), protocols.len());
            }
            if terms.status {
                ssl::SSL_enable_ocsp_stapling(ssl);
            }
        }
        if let Some(bytes) = terms.session {
            session.resume(bytes);
        }
        if let Some(name) = terms.keep {
            if let Some(kept) = context.kept.take(&name) {
                // SAFETY: live objects; the connection counts the session.
                unsafe { ssl::SSL_set_session(ssl, kept.get()) };
            }
            *session.link.keep.borrow_mut() = Some((context.kept.clone(), name));
        }
        session.tell(terms.sessions, terms.keys);
        if terms.shared_keys {
            session.use_keys()?;
            session.watch = Some(psk::Watch::default());
        }
        if terms.traced {
            session.trace();
        }
        Ok(session)
    }

    /// Offers a session that [`Session::session`] gave; one that cannot be read is not.
    fn resume(&self, bytes: &[u8]) {
        // SAFETY: live objects; the connection counts the session.
        unsafe {
            let session = ssl::SSL_SESSION_from_bytes(bytes.as_ptr(), bytes.len(), ssl::SSL_get_SSL_CTX(self.ssl));
            if !session.is_null() {
                ssl::SSL_set_session(self.ssl, session);
                *self.link.offered.borrow_mut() = Some(callbacks::Resumable::owned(session));
            }
        }
        error::clear();
    }

    /// What is to be told apart from the bytes: new sessions, and lines for key logs.
    pub fn tell(&mut self, sessions: bool, keys: bool) {
        self.link.wants_sessions.set(sessions);
        self.link.wants_keys.set(keys);
        if keys {
            // SAFETY: a live connection's context.
            callbacks::log_keys(unsafe { ssl::SSL_get_SSL_CTX(self.ssl) });
        }
    }

    /// Says on standard error what is sent and received from now on.
    pub fn trace(&self) {
        // SAFETY: a live connection and a function that stays.
        unsafe { ssl::SSL_set_msg_callback(self.ssl, Some(trace::tell)) };
    }

    /// Lets the peers show by a key that both have who they are, up to TLS 1.2: the library knows none for 1.3.
    ///
    /// # Errors
    /// The context asks for TLS 1.3.
    pub fn use_keys(&mut self) -> Result<(), OpError> {
        // SAFETY: a live connection and functions that stay.
        unsafe {
            if ssl::SSL_CTX_get_min_proto_version(ssl::SSL_get_SSL_CTX(self.ssl)) > Self::LAST_WITH_KEYS {
                return Err(OpError::error("bao: pre-shared keys over TLS 1.3 (pskCallback) are not implemented"));
            }
            if ssl::SSL_is_server(self.ssl) == 1 {
                ssl::SSL_set_psk_server_callback(self.ssl, Some(psk::server));
            } else {
                ssl::SSL_set_psk_client_callback(self.ssl, Some(psk::client));
            }
            ssl::SSL_set_max_proto_version(self.ssl, Self::LAST_WITH_KEYS);
        }
        self.has_keys = true;
        Ok(())
    }

    /// TLS 1.2
    const LAST_WITH_KEYS: u16 = 0x0303;

    /// The hint that a server gives its clients; false if it cannot be one.
    pub fn set_hint(&mut self, hint: &str) -> bool {
        let Ok(hint) = CString::new(hint) else { return false };
        // SAFETY: a live connection and a terminated text, which is copied.
        let result = unsafe { ssl::SSL_use_psk_identity_hint(self.ssl, hint.as_ptr()) };
        error::clear();
        result == 1
    }

    /// Answers a [`Question`]: with the identity (of a client) and the key, or that there is none; what was held back is received.
    pub fn answer(&mut self, identity: &str, key: Option<&[u8]>) -> Received {
        if self.state != State::Asking {
            return Received::default();
        }
        let answer = CString::new(identity).ok().zip(key);
        *self.link.key.borrow_mut() = answer.map(|(identity, key)| psk::Answer { identity, key: key.to_vec() });
        self.state = State::Handshake;
        let held = std::mem::take(&mut self.held);
        self.receive(&held)
    }

    /// Takes ciphertext in.
    pub fn receive(&mut self, input: &[u8]) -> Received {
        if self.state == State::Handshake
            && let Some(watch) = &mut self.watch
            // SAFETY: a live connection.
            && let Some((length, question)) = unsafe { watch.look(self.ssl, input) }
        {
            self.watch = None;
            let mut received = self.take_in(&input[..length]);
            if self.state == State::Handshake {
                self.state = State::Asking;
                self.held.extend_from_slice(&input[length..]);
                received.question = Some(question);
            }
            return received;
        }
        self.take_in(input)
    }

    fn take_in(&mut self, input: &[u8]) -> Received {
        let mut received = Received::default();
        match self.state {
            State::Failed => {}
            State::Choosing | State::Asking => self.held.extend_from_slice(input),
            State::Handshake | State::Open => {
                let link = self.link.clone();
                let ((), left) = link.wire.reading(input, || self.advance(&mut received));
                if self.state == State::Choosing {
                    self.held.extend_from_slice(&input[input.len() - left..]);
                }
            }
        }
        received
    }

    /// Goes as far as the input reaches.
    fn advance(&mut self, received: &mut Received) {
        error::clear();
        let mut failed = None;
        if self.state == State::Handshake {
            // SAFETY: a live connection.
            let result = unsafe { ssl::SSL_do_handshake(self.ssl) };
            if result == 1 {
                self.state = State::Open;
                // SAFETY: a live connection.
                self.withheld = !self.released && unsafe { ssl::SSL_is_server(self.ssl) } == 0;
                received.secured = true;
            } else {
                failed = Some(result);
            }
        }
        while self.state == State::Open && failed.is_none() {
            let plaintext = &mut received.plaintext;
            plaintext.reserve(self.link.wire.left().clamp(2 << 10, 64 << 10));
            let spare = plaintext.spare_capacity_mut();
            let room = c_int::try_from(spare.len()).unwrap_or(c_int::MAX);
            // SAFETY: memory of that length; as many bytes of it are written as the result says.
            unsafe {
                let count = ssl::SSL_read(self.ssl, spare.as_mut_ptr().cast(), room);
                match usize::try_from(count) {
                    Ok(count) if count > 0 => {
                        plaintext.set_len(plaintext.len() + count);
                        self.counts.0 += count as u64;
                    }
                    _ => failed = Some(count),
                }
            }
        }
        if let Some(result) = failed {
            // SAFETY: a live connection.
            match unsafe { ssl::SSL_get_error(self.ssl, result) } {
                ssl::SSL_ERROR_WANT_READ => {}
                ssl::SSL_ERROR_ZERO_RETURN => received.ended = true,
                ssl::SSL_ERROR_PENDING_CERTIFICATE => {
                    self.state = State::Choosing;
                    received.hello = self.link.hello.take();
                }
                _ => {
                    self.state = State::Failed;
                    received.failure = Some(error::failure());
                }
            }
        }
        received.keys = self.link.keys.take();
        received.sessions = !self.link.sessions.borrow().is_empty();
    }

    /// The peer is who it should be: what was written meanwhile goes out.
    pub fn release(&mut self) {
        self.released = true;
        self.withheld = false;
        let early = std::mem::take(&mut self.early);
        self.encrypt(&early);
        if self.close_wanted {
            self.close();
        }
    }

    /// Chooses the context of a server's connection, with its protocols; what was held back is received.
    pub fn choose(&mut self, context: &Context, protocols: Vec<Vec<u8>>) -> Received {
        if self.state != State::Choosing {
            return Received::default();
        }
        // SAFETY: live objects.
        unsafe { callbacks::change_context(self.ssl, context.get(), self.link.wants_keys.get()) };
        *self.link.protocols.borrow_mut() = protocols;
        self.link.choice.set(Choice::Made);
        if self.has_keys {
            // SAFETY: a live connection, whose versions are those of the new context.
            unsafe { ssl::SSL_set_max_proto_version(self.ssl, Self::LAST_WITH_KEYS) };
            self.watch = Some(psk::Watch::default());
        }
        self.state = State::Handshake;
        let held = std::mem::take(&mut self.held);
        self.receive(&held)
    }

    /// Notes the session that a ClientHello names.
    pub fn remember_id(&mut self, id: Vec<u8>) {
        self.named = id;
    }

    /// The session that a ClientHello named; empty for none.
    pub fn named_session(&self) -> Vec<u8> {
        self.named.clone()
    }

    /// Before [`Session::choose`]: the session that a client names, and a status of the certificate (OCSP).
    pub fn prepare(&self, session: Option<&[u8]>, status: Option<&[u8]>) {
        *self.link.found.borrow_mut() = session.map(<[u8]>::to_vec);
        if let Some(status) = status {
            // SAFETY: a live connection and a slice with its length, which is copied.
            unsafe { ssl::SSL_set_ocsp_response(self.ssl, status.as_ptr(), status.len()) };
        }
    }

    /// Whether JavaScript has not agreed yet to who the peer is.
    pub fn is_waiting(&self) -> bool {
        !self.released
    }

    /// Whether what is sent is encrypted at once, not kept for the end of the handshake.
    pub fn is_open(&self) -> bool {
        self.released && self.state == State::Open
    }

    /// Takes plaintext in.
    pub fn send(&mut self, bytes: &[u8]) {
        self.counts.1 += bytes.len() as u64;
        self.encrypt(bytes);
    }

    fn encrypt(&mut self, bytes: &[u8]) {
        match self.state {
            State::Failed => {}
            State::Open if self.released => {
                for piece in bytes.chunks(1 << 30) {
                    // SAFETY: a live connection and a slice with its length. What is written always has room.
                    unsafe { ssl::SSL_write(self.ssl, piece.as_ptr().cast(), piece.len() as c_int) };
                }
                error::clear();
            }
            _ => self.early.extend_from_slice(bytes),
        }
    }

    /// How many bytes of plaintext have come, and were given to [`Session::send`].
    pub fn counts(&self) -> (u64, u64) {
        self.counts
    }

    /// Says that nothing more will be sent; after the handshake where that is under way.
    pub fn close(&mut self) {
        if !self.released {
            self.close_wanted = true;
            return;
        }
        if self.state == State::Open {
            // SAFETY: a live connection.
            unsafe { ssl::SSL_shutdown(self.ssl) };
            error::clear();
        }
    }

    /// Ciphertext to send. What tells of a failure is never withheld.
    pub fn take_output(&mut self, out: &mut Vec<u8>) {
        if !self.withheld || self.state == State::Failed {
            self.link.wire.take(out);
        }
    }

    fn begun(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// `[protocol, cipher suite, ALPN protocol, server name, failure of the check of the peer's certificate, the suite's name in the
    /// standards]`, empty where there is none.
    pub fn describe(&self) -> Vec<String> {
        let mut parts = vec![String::new(); 6];
        // SAFETY: a live connection; the texts are copied at once.
        unsafe {
            if self.begun() {
                parts[0] = error::constant(ssl::SSL_get_version(self.ssl));
                let cipher = ssl::SSL_get_current_cipher(self.ssl);
                if !cipher.is_null() {
                    parts[1] = error::constant(ssl::SSL_CIPHER_get_name(cipher));
                    parts[5] = error::constant(ssl::SSL_CIPHER_standard_name(cipher));
                }
                let (mut data, mut length) = (ptr::null(), 0);
                ssl::SSL_get0_alpn_selected(self.ssl, &raw mut data, &raw mut length);
                if !data.is_null() {
                    let name = std::slice::from_raw_parts(data, length as usize);
                    parts[2] = name.iter().map(|&b| char::from(b)).collect();
                }
                // Who has the key needs no certificate.
                if !psk::is_used(self.ssl) {
                    parts[4] = verify::name(ssl::SSL_get_verify_result(self.ssl)).to_string();
                }
            }
            parts[3] = error::constant(ssl::SSL_get_servername(self.ssl, ssl::TLSEXT_NAMETYPE_HOST_NAME));
        }
        parts
    }

    /// The peer's certificates in DER, its own first; with `issuers`, trusted ones that follow behind them, too.
    pub fn peer_certificates(&self, context: Option<&Context>) -> Vec<Vec<u8>> {
        // SAFETY: a live connection; the certificates are copied.
        let mut list: Vec<Vec<u8>> = unsafe {
            let stack = ssl::SSL_get0_peer_certificates(self.ssl).cast::<lc::OPENSSL_STACK>();
            let count = if stack.is_null() { 0 } else { lc::OPENSSL_sk_num(stack) };
            (0..count)
                .map(|index| {
                    let buffer = lc::OPENSSL_sk_value(stack, index).cast_const().cast::<lc::CRYPTO_BUFFER>();
                    std::slice::from_raw_parts(lc::CRYPTO_BUFFER_data(buffer), lc::CRYPTO_BUFFER_len(buffer)).to_vec()
                })
                .collect()
        };
        let Some(context) = context else { return list };
        // No chain is longer than OpenSSL's limit for them.
        while let Some(last) = list.last()
            && list.len() < 100
        {
            let mut from = last.as_ptr();
            // SAFETY: a slice with its length; the certificate is owned.
            let parsed = unsafe { lc::d2i_X509(ptr::null_mut(), &raw mut from, last.len() as _) };
            let Some(certificate) = Certificate::own(parsed) else { break };
            let Some(issuer) = context.issuer(&certificate) else { break };
            let der = issuer.der();
            if list.contains(&der) {
                break;
            }
            list.push(der);
        }
        error::clear();
        list
    }

    /// The own certificate in use, in DER.
    pub fn own_certificate(&self) -> Option<Vec<u8>> {
        // SAFETY: a live connection; the certificate is counted for the owner.
        unsafe {
            let certificate = ssl::SSL_get_certificate(self.ssl);
            if !certificate.is_null() {
                lc::X509_up_ref(certificate);
            }
            Certificate::own(certificate).map(|certificate| certificate.der())
        }
    }

    /// Keying material for `label` (RFC 5705); `None` before the handshake has ended.
    pub fn export(&self, label: &[u8], context: Option<&[u8]>, length: usize) -> Option<Vec<u8>> {
        if !self.begun() {
            return None;
        }
        let mut out = vec![0; length];
        let given = context.unwrap_or_default();
        // SAFETY: slices with their lengths.
        let result = unsafe {
            ssl::SSL_export_keying_material(
                self.ssl,
                out.as_mut_ptr(),
                length,
                label.as_ptr().cast(),
                label.len(),
                given.as_ptr(),
                given.len(),
                c_int::from(context.is_some()),
            )
        };
        error::clear();
        (result == 1).then_some(out)
    }

    /// `[identification, session]` of sessions that have come up since the last call.
    pub fn take_sessions(&mut self) -> Vec<Vec<u8>> {
        self.link.sessions.take().into_iter().flatten().collect()
    }

    /// The session that the peer can be met again by: the last that it has given, else the one that was resumed (the library makes
    /// another of it, whose secret is of no use without a ticket), else the one in use; null where there is none.
    fn current(&self) -> *mut ssl::SSL_SESSION {
        let mut latest = self.link.latest.borrow().as_ref().map(callbacks::Resumable::get);
        if latest.is_none() && self.is_resumed() {
            latest = self.link.offered.borrow().as_ref().map(callbacks::Resumable::get);
        }
        // SAFETY: a live connection.
        latest.unwrap_or_else(|| unsafe { ssl::SSL_get_session(self.ssl) })
    }

    /// The session, to be resumed by another connection; empty where there is none.
    pub fn session(&self) -> Vec<u8> {
        let session = self.current();
        // SAFETY: the session lives as long as the connection.
        if session.is_null() { Vec::new() } else { unsafe { callbacks::session_bytes(session) } }
    }

    /// The ticket of the session; empty where there is none.
    pub fn ticket(&self) -> Vec<u8> {
        let session = self.current();
        let (mut data, mut length) = (ptr::null(), 0);
        if session.is_null() {
            return Vec::new();
        }
        // SAFETY: the session lives as long as the connection; the bytes are copied.
        unsafe {
            ssl::SSL_SESSION_get0_ticket(session, &raw mut data, &raw mut length);
            if data.is_null() { Vec::new() } else { std::slice::from_raw_parts(data, length).to_vec() }
        }
    }

    /// Whether the session was resumed.
    pub fn is_resumed(&self) -> bool {
        // SAFETY: a live connection.
        unsafe { ssl::SSL_session_reused(self.ssl) == 1 }
    }

    /// The number of the group that keys were exchanged in (RFC 8446, 4.2.7); 0 for none.
    pub fn group(&self) -> u16 {
        // SAFETY: a live connection.
        unsafe { ssl::SSL_get_curve_id(self.ssl) }
    }

    /// Names of the algorithms of signatures that the peer takes.
    pub fn peer_algorithms(&self) -> Vec<String> {
        // SAFETY: a live connection; the names are constants.
        unsafe {
            let mut list = ptr::null();
            let count = ssl::SSL_get0_peer_verify_algorithms(self.ssl, &raw mut list);
            (0..count)
                .map(|index| error::constant(ssl::SSL_get_signature_algorithm_name(*list.add(index), 0)))
                .collect()
        }
    }

    /// The last Finished message that was sent, or that has come; empty where there is none.
    pub fn finished(&self, peer: bool) -> Vec<u8> {
        let mut out = vec![0; 64];
        // SAFETY: a slice with its length.
        let length = unsafe {
            if peer {
                ssl::SSL_get_peer_finished(self.ssl, out.as_mut_ptr().cast(), out.len())
            } else {
                ssl::SSL_get_finished(self.ssl, out.as_mut_ptr().cast(), out.len())
            }
        };
        out.truncate(length);
        out
    }

    /// The status of the server's certificate that has come (OCSP); `None` where there is none.
    pub fn status(&self) -> Option<Vec<u8>> {
        let (mut data, mut length) = (ptr::null(), 0);
        // SAFETY: a live connection; the bytes are copied.
        unsafe {
            ssl::SSL_get0_ocsp_response(self.ssl, &raw mut data, &raw mut length);
            (!data.is_null()).then(|| std::slice::from_raw_parts(data, length).to_vec())
        }
    }

    /// Sends at most so many bytes of plaintext in a record (512 to 16384); false for other numbers.
    pub fn set_max_fragment(&mut self, size: usize) -> bool {
        // SAFETY: a live connection. The library takes other numbers for the nearest of these.
        (512..=16384).contains(&size) && unsafe { ssl::SSL_set_max_send_fragment(self.ssl, size) } == 1
    }
}
