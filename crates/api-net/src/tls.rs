//! TLS over a connection (rustls on aws-lc): contexts, and the state of one connection.
//!
//! Certificates of peers are checked, but a failed check does not end the handshake: lib/ decides, as Node does
//! (`rejectUnauthorized`, `authorizationError`). Signatures of the handshake itself are always enforced.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{Accepted, Acceptor, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, Connection, DigitallySignedStruct, DistinguishedName, Error,
    OtherError, RootCertStore, ServerConfig, SignatureScheme, SupportedProtocolVersion,
};

fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER.get_or_init(|| Arc::new(aws_lc_rs::default_provider())).clone()
}

fn mozilla_roots() -> Arc<RootCertStore> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    ROOTS.get_or_init(|| Arc::new(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })).clone()
}

/// Certificates, keys and limits for connections.
pub struct Context {
    certified: Option<Arc<CertifiedKey>>,
    roots: Arc<RootCertStore>,
    /// Trusted certificates in full: a server may present one of them itself.
    trusted: Vec<CertificateDer<'static>>,
    versions: Vec<&'static SupportedProtocolVersion>,
    /// What encrypts, with the suites of this context.
    provider: Arc<CryptoProvider>,
    honor_order: bool,
    client: RefCell<Option<ClientConfig>>,
}

/// What a context is made of; PEM texts may hold several items.
#[derive(Default)]
pub struct ContextParts {
    pub cert: Option<String>,
    pub key: Option<String>,
    pub ca: Option<String>,
    /// 12 or 13.
    pub min_version: u32,
    pub max_version: u32,
    /// Names of cipher suites as rustls writes them, in order of preference; all where there are none.
    pub suites: Option<Vec<String>>,
    /// A server goes by its own order of them.
    pub honor_order: bool,
}

/// The provider with these suites only.
fn limited(names: &[String]) -> Arc<CryptoProvider> {
    let mut limited = (*provider()).clone();
    let all = std::mem::take(&mut limited.cipher_suites);
    for name in names {
        limited.cipher_suites.extend(all.iter().find(|suite| format!("{:?}", suite.suite()) == *name));
    }
    Arc::new(limited)
}

impl Context {
    /// Makes a context; the error is OpenSSL's text for the same mistake, as programs know it.
    pub fn new(parts: &ContextParts) -> Result<Context, String> {
        let mut certified = None;
        if let Some(cert) = &parts.cert {
            let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(cert.as_bytes())
                .collect::<Result<_, _>>()
                .map_err(|_| "error:0480006C:PEM routines::no start line".to_string())?;
            if chain.is_empty() {
                return Err("error:0480006C:PEM routines::no start line".into());
            }
            if let Some(key) = &parts.key {
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
                    .map_err(|_| "error:1E08010C:DECODER routines::unsupported".to_string())?;
                let signing = provider().key_provider.load_private_key(key).map_err(|error| error.to_string())?;
                let pair = CertifiedKey::new(chain, signing);
                if let Err(Error::InconsistentKeys(rustls::InconsistentKeys::KeyMismatch)) = pair.keys_match() {
                    return Err("error:05800074:x509 certificate routines::key values mismatch".into());
                }
                certified = Some(Arc::new(pair));
            }
        }
        let (mut roots, mut trusted) = (mozilla_roots(), Vec::new());
        if let Some(ca) = &parts.ca {
            let mut store = RootCertStore::empty();
            for item in CertificateDer::pem_slice_iter(ca.as_bytes()) {
                let der = item.map_err(|_| "error:0480006C:PEM routines::no start line".to_string())?;
                // One that webpki cannot use as a root may still be what the server presents.
                let _ = store.add(der.clone());
                trusted.push(der);
            }
            roots = Arc::new(store);
        }
        let mut versions = Vec::new();
        if parts.max_version >= 13 {
            versions.push(&rustls::version::TLS13);
        }
        if parts.min_version <= 12 {
            versions.push(&rustls::version::TLS12);
        }
        if versions.is_empty() {
            return Err("error:0A0000BF:SSL routines::no protocols available".into());
        }
        let provider = parts.suites.as_deref().map_or_else(provider, limited);
        // A version without a suite would be refused later, and with other words.
        versions.retain(|version| provider.cipher_suites.iter().any(|suite| suite.version() == *version));
        if versions.is_empty() {
            return Err("error:0A0000B9:SSL routines::no cipher match".into());
        }
        let honor_order = parts.honor_order;
        Ok(Context { certified, roots, trusted, versions, provider, honor_order, client: RefCell::default() })
    }

    fn client_config(&self, verdict: &Verdict, alpn: &[Vec<u8>]) -> Result<ClientConfig, Error> {
        let mut slot = self.client.borrow_mut();
        if slot.is_none() {
            let verifier = Arc::new(Peer {
                roots: self.roots.clone(),
                trusted: self.trusted.clone(),
                verdict: Verdict::default(),
            });
            let builder = ClientConfig::builder_with_provider(self.provider.clone())
                .with_protocol_versions(&self.versions)?
                .dangerous()
                .with_custom_certificate_verifier(verifier);
            *slot = Some(match &self.certified {
                None => builder.with_no_client_auth(),
                Some(pair) => builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from((**pair).clone()))),
            });
        }
        let mut config = slot.clone().ok_or(Error::HandshakeNotComplete)?;
        let verifier = Peer { roots: self.roots.clone(), trusted: self.trusted.clone(), verdict: verdict.clone() };
        config.dangerous().set_certificate_verifier(Arc::new(verifier));
        config.alpn_protocols = alpn.to_vec();
        Ok(config)
    }

    fn server_config(&self, verdict: &Verdict, alpn: &[Vec<u8>], request_cert: bool) -> Result<ServerConfig, Error> {
        let builder =
            ServerConfig::builder_with_provider(self.provider.clone()).with_protocol_versions(&self.versions)?;
        let builder = if request_cert {
            let verifier = Peer { roots: self.roots.clone(), trusted: self.trusted.clone(), verdict: verdict.clone() };
            builder.with_client_cert_verifier(Arc::new(verifier))
        } else {
            builder.with_no_client_auth()
        };
        let Some(pair) = &self.certified else { return Err(Error::General("no certificate".into())) };
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from((**pair).clone())));
        config.alpn_protocols = alpn.to_vec();
        config.ignore_client_order = self.honor_order;
        Ok(config)
    }
}

/// What the check of a peer's certificate came to: nothing for none made or passed, else OpenSSL's name for the failure.
type Verdict = Arc<Mutex<Option<String>>>;

struct Peer {
    roots: Arc<RootCertStore>,
    trusted: Vec<CertificateDer<'static>>,
    verdict: Verdict,
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Peer")
    }
}

/// The first element of a DER sequence's content and what follows it.
fn der_element(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let first = *bytes.get(1)?;
    let rest = &bytes[2..];
    let (length, header) = match first {
        0..=0x7f => (usize::from(first), 2),
        0x81..=0x84 => {
            let count = usize::from(first & 0x7f);
            let length = rest.get(..count)?.iter().fold(0usize, |n, &b| n << 8 | usize::from(b));
            (length, 2 + count)
        }
        _ => return None,
    };
    let content = bytes.get(header..header.checked_add(length)?)?;
    Some((content, &bytes[..header + length], &bytes[header + length..]))
}

/// Whether issuer and subject of a certificate are the same name.
fn self_issued(certificate: &[u8]) -> bool {
    let names = || {
        let (certificate, ..) = der_element(certificate)?;
        let (mut tbs, ..) = der_element(certificate)?;
        if tbs.first() == Some(&0xa0) {
            tbs = der_element(tbs)?.2;
        }
        // Serial number, signature algorithm; then issuer, validity, subject.
        tbs = der_element(der_element(tbs)?.2)?.2;
        let (_, issuer, rest) = der_element(tbs)?;
        let (_, subject, _) = der_element(der_element(rest)?.2)?;
        Some(issuer == subject)
    };
    names().unwrap_or(false)
}

impl Peer {
    fn record(&self, leaf: &CertificateDer<'_>, chain: &[CertificateDer<'_>], result: Result<(), Error>) {
        let trusted = self.trusted.iter().any(|known| known.as_ref() == leaf.as_ref());
        let text = match result {
            Ok(()) => None,
            Err(Error::InvalidCertificate(error)) => match error {
                // Names are lib/'s business (checkServerIdentity).
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => None,
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => Some("CERT_HAS_EXPIRED"),
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    Some("CERT_NOT_YET_VALID")
                }
                CertificateError::Revoked => Some("CERT_REVOKED"),
                _ if trusted => None,
                CertificateError::BadSignature => Some("CERT_SIGNATURE_FAILURE"),
                CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
                    Some("INVALID_PURPOSE")
                }
                CertificateError::UnknownIssuer => Some(issuer_failure(leaf, chain)),
                CertificateError::Other(OtherError(_)) if self_issued(leaf) => Some("DEPTH_ZERO_SELF_SIGNED_CERT"),
                _ => Some("CERT_REJECTED"),
            },
            Err(_) if trusted => None,
            Err(_) if self.roots.is_empty() => Some(issuer_failure(leaf, chain)),
            Err(_) => Some("CERT_REJECTED"),
        };
        *self.verdict.lock().unwrap_or_else(|p| p.into_inner()) = text.map(str::to_string);
    }
}

fn issuer_failure(leaf: &CertificateDer<'_>, chain: &[CertificateDer<'_>]) -> &'static str {
    if self_issued(leaf) {
        return "DEPTH_ZERO_SELF_SIGNED_CERT";
    }
    match chain.last() {
        None => "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        Some(last) if self_issued(last) => "SELF_SIGNED_CERT_IN_CHAIN",
        Some(_) => "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    }
}

/// The signature of a handshake by the key of a certificate of version 1, which webpki does not read: whom it belongs to has been
/// judged before. Other failures stay what they are.
fn old_signature(
    error: Error,
    message: &[u8],
    cert: &CertificateDer<'_>,
    dss: &DigitallySignedStruct,
) -> Result<HandshakeSignatureValid, Error> {
    let Some((algorithm, key)) = old_public_key(cert) else { return Err(error) };
    let supported = provider().signature_verification_algorithms;
    let candidates = supported.mapping.iter().find(|(scheme, _)| *scheme == dss.scheme).map(|(_, list)| *list);
    for candidate in candidates.unwrap_or_default() {
        if candidate.public_key_alg_id().as_ref() == algorithm
            && candidate.verify_signature(key, message, dss.signature()).is_ok()
        {
            return Ok(HandshakeSignatureValid::assertion());
        }
    }
    Err(error)
}

/// Algorithm and bits of the public key of a certificate without a version, which is version 1.
fn old_public_key(certificate: &[u8]) -> Option<(&[u8], &[u8])> {
    let (certificate, ..) = der_element(certificate)?;
    let (tbs, ..) = der_element(certificate)?;
    if tbs.first() == Some(&0xa0) {
        return None;
    }
    // Behind serial number, signature algorithm, issuer, validity and subject.
    let mut rest = tbs;
    for _ in 0..5 {
        rest = der_element(rest)?.2;
    }
    let (info, ..) = der_element(rest)?;
    let (algorithm, _, bits) = der_element(info)?;
    let (bits, ..) = der_element(bits)?;
    Some((algorithm, bits.strip_prefix(&[0])?))
}

impl ServerCertVerifier for Peer {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let result = WebPkiServerVerifier::builder_with_provider(self.roots.clone(), provider())
            .build()
            .map_err(|error| Error::General(error.to_string()))
            .and_then(|v| v.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now));
        self.record(end_entity, intermediates, result.map(drop));
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &provider().signature_verification_algorithms)
            .or_else(|error| old_signature(error, message, cert, dss))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &provider().signature_verification_algorithms)
            .or_else(|error| old_signature(error, message, cert, dss))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Peer {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let result = WebPkiClientVerifier::builder_with_provider(self.roots.clone(), provider())
            .build()
            .map_err(|error| Error::General(error.to_string()))
            .and_then(|v| v.verify_client_cert(end_entity, intermediates, now));
        self.record(end_entity, intermediates, result.map(drop));
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &provider().signature_verification_algorithms)
            .or_else(|error| old_signature(error, message, cert, dss))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &provider().signature_verification_algorithms)
            .or_else(|error| old_signature(error, message, cert, dss))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}

enum State {
    /// A server that has not seen the whole ClientHello.
    Accepting(Box<Acceptor>),
    /// A server whose context lib/ is choosing.
    Choosing(Box<Accepted>),
    Open(Box<Connection>),
    Failed,
}

/// TLS of one connection. It does no input or output: bytes are put in and taken out.
pub struct Session {
    state: State,
    verdict: Verdict,
    request_cert: bool,
    handshaking: bool,
    /// lib/ has agreed to who the peer is. Nothing of the program's is sent before.
    released: bool,
    /// Plaintext that waits for that.
    early: Vec<u8>,
    /// Ciphertext that came while lib/ was choosing.
    held: Vec<u8>,
    close_wanted: bool,
    server_name: Option<String>,
}

/// What [`Session::receive`] came to; in this order.
#[derive(Default)]
pub struct Received {
    /// Name and protocols (comma-separated) of a ClientHello that waits for a context.
    pub hello: Option<(String, String)>,
    pub secured: bool,
    pub plaintext: Vec<u8>,
    /// The peer has ended its half.
    pub ended: bool,
    /// Code and text.
    pub failure: Option<(String, String)>,
}

/// OpenSSL's name and text for a failure, where programs look for one.
fn describe(error: &Error) -> (String, String) {
    let alert = |name: &str, text: &str| (format!("ERR_SSL_{name}"), format!("SSL routines::{text}"));
    match error {
        Error::InvalidMessage(_) => alert("WRONG_VERSION_NUMBER", "wrong version number"),
        Error::AlertReceived(description) => {
            let name = format!("{description:?}");
            let mut snake = String::new();
            for c in name.chars() {
                if c.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(c.to_uppercase());
            }
            let text = snake.to_lowercase().replace('_', " ");
            (format!("ERR_SSL_TLSV1_ALERT_{snake}"), format!("SSL routines::tlsv1 alert {text}"))
        }
        Error::NoApplicationProtocol => alert("TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "no application protocol"),
        Error::PeerIncompatible(_) => alert("NO_SHARED_CIPHER", "no shared cipher"),
        other => ("ERR_SSL_SSL_ERROR".into(), format!("SSL routines::{other}")),
    }
}

impl Session {
    /// A server's side.
    pub fn server(request_cert: bool) -> Session {
        Session {
            state: State::Accepting(Box::default()),
            verdict: Verdict::default(),
            request_cert,
            handshaking: true,
            released: false,
            early: Vec::new(),
            held: Vec::new(),
            close_wanted: false,
            server_name: None,
        }
    }

    /// A client's side; `name`: what the server is to present itself as.
    pub fn client(context: &Context, name: &str, send_name: bool, alpn: &[Vec<u8>]) -> Result<Session, String> {
        let verdict = Verdict::default();
        let mut config = context.client_config(&verdict, alpn).map_err(|error| error.to_string())?;
        config.enable_sni = send_name;
        let name = match ServerName::try_from(name.to_string()) {
            Ok(name) => name,
            Err(_) => {
                // No name of a host: who the peer is, is lib/'s business; it is not told another name.
                config.enable_sni = false;
                ServerName::try_from("invalid.invalid".to_string()).map_err(|error| error.to_string())?
            }
        };
        let mut connection = ClientConnection::new(Arc::new(config), name).map_err(|error| error.to_string())?;
        connection.set_buffer_limit(None);
        let mut session = Session::server(false);
        session.state = State::Open(Box::new(Connection::Client(connection)));
        session.verdict = verdict;
        Ok(session)
    }

    /// Takes ciphertext in.
    pub fn receive(&mut self, mut input: &[u8]) -> Received {
        let mut received = Received::default();
        while !input.is_empty() {
            match &mut self.state {
                State::Failed => break,
                State::Choosing(_) => {
                    self.held.extend_from_slice(input);
                    break;
                }
                State::Accepting(acceptor) => {
                    if let Err(error) = acceptor.read_tls(&mut input) {
                        received.failure = Some(("ERR_SSL_SSL_ERROR".into(), error.to_string()));
                        self.state = State::Failed;
                        break;
                    }
                    match acceptor.accept() {
                        Ok(None) => {}
                        Ok(Some(accepted)) => {
                            let hello = accepted.client_hello();
                            let name = hello.server_name().unwrap_or_default().to_string();
                            let alpn: Vec<String> = hello
                                .alpn()
                                .map(|list| list.map(|p| String::from_utf8_lossy(p).into_owned()).collect())
                                .unwrap_or_default();
                            self.server_name = Some(name.clone()).filter(|name| !name.is_empty());
                            received.hello = Some((name, alpn.join(",")));
                            self.state = State::Choosing(Box::new(accepted));
                        }
                        Err((error, mut alert)) => {
                            let _ = alert.write_all(&mut self.held);
                            received.failure = Some(describe(&error));
                            self.state = State::Failed;
                        }
                    }
                }
                State::Open(connection) => {
                    let outcome = match connection.read_tls(&mut input) {
                        Ok(_) => connection.process_new_packets(),
                        Err(error) => Err(Error::General(error.to_string())),
                    };
                    let end = Self::drain(connection, &mut received);
                    if self.handshaking && !connection.is_handshaking() {
                        self.handshaking = false;
                        received.secured = true;
                    }
                    if let Err(error) = outcome {
                        received.failure = Some(describe(&error));
                        break;
                    }
                    if end {
                        received.ended = true;
                        break;
                    }
                }
            }
        }
        received
    }

    /// The peer is who it should be: what was written meanwhile goes out.
    pub fn release(&mut self) {
        self.released = true;
        let early = std::mem::take(&mut self.early);
        self.send(&early);
        if self.close_wanted {
            self.close();
        }
    }

    /// Plaintext that is ready; true at its end.
    fn drain(connection: &mut Connection, received: &mut Received) -> bool {
        let mut buffer = [0; 16 << 10];
        loop {
            match connection.reader().read(&mut buffer) {
                Ok(0) => return true,
                Ok(count) => received.plaintext.extend_from_slice(&buffer[..count]),
                Err(_) => return false,
            }
        }
    }

    /// Chooses the context of a server's connection; what was held back is received.
    pub fn choose(&mut self, context: &Context, alpn: &[Vec<u8>]) -> Received {
        let State::Choosing(accepted) = std::mem::replace(&mut self.state, State::Failed) else {
            return Received::default();
        };
        let config = match context.server_config(&self.verdict, alpn, self.request_cert) {
            Ok(config) => config,
            Err(_) => {
                return Received {
                    failure: Some(("ERR_SSL_NO_SHARED_CIPHER".into(), "SSL routines::no shared cipher".into())),
                    ..Received::default()
                };
            }
        };
        match accepted.into_connection(Arc::new(config)) {
            Ok(mut connection) => {
                connection.set_buffer_limit(None);
                let connection = Connection::Server(connection);
                self.state = State::Open(Box::new(connection));
                let held = std::mem::take(&mut self.held);
                self.receive(&held)
            }
            Err((error, mut alert)) => {
                let _ = alert.write_all(&mut self.held);
                Received { failure: Some(describe(&error)), ..Received::default() }
            }
        }
    }

    /// Whether what is sent is encrypted at once, not kept for the end of the handshake.
    pub fn is_open(&self) -> bool {
        self.released && matches!(self.state, State::Open(_))
    }

    /// Takes plaintext in.
    pub fn send(&mut self, bytes: &[u8]) {
        match &mut self.state {
            State::Failed => {}
            State::Open(connection) if self.released => {
                let _ = connection.writer().write_all(bytes);
            }
            _ => self.early.extend_from_slice(bytes),
        }
    }

    /// Says that nothing more will be sent; after the handshake where that is under way.
    pub fn close(&mut self) {
        if !self.released {
            self.close_wanted = true;
            return;
        }
        if let State::Open(connection) = &mut self.state {
            connection.send_close_notify();
        }
    }

    /// Ciphertext to send.
    pub fn take_output(&mut self, out: &mut Vec<u8>) {
        match &mut self.state {
            State::Open(connection) => {
                while connection.wants_write() {
                    if connection.write_tls(out).is_err() {
                        break;
                    }
                }
            }
            // An alert.
            State::Failed => out.append(&mut self.held),
            _ => {}
        }
    }

    /// `[protocol, cipher suite, ALPN protocol, server name, failure of the check of the peer's certificate]`, empty
    /// where there is none.
    pub fn describe(&self) -> Vec<String> {
        let mut parts = vec![String::new(); 5];
        if let State::Open(connection) = &self.state {
            parts[0] = match connection.protocol_version() {
                Some(rustls::ProtocolVersion::TLSv1_3) => "TLSv1.3".into(),
                Some(rustls::ProtocolVersion::TLSv1_2) => "TLSv1.2".into(),
                _ => String::new(),
            };
            if let Some(suite) = connection.negotiated_cipher_suite() {
                parts[1] = format!("{:?}", suite.suite());
            }
            parts[2] = connection.alpn_protocol().map(|p| String::from_utf8_lossy(p).into_owned()).unwrap_or_default();
        }
        parts[3] = self.server_name.clone().unwrap_or_default();
        parts[4] = self.verdict.lock().unwrap_or_else(|p| p.into_inner()).clone().unwrap_or_default();
        parts
    }

    /// The peer's certificates, its own first.
    pub fn peer_certificates(&self) -> Vec<Vec<u8>> {
        match &self.state {
            State::Open(connection) => {
                connection.peer_certificates().unwrap_or_default().iter().map(|der| der.as_ref().to_vec()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Keying material for `label` (RFC 5705); `None` before the handshake has ended.
    pub fn export(&self, label: &[u8], context: Option<&[u8]>, length: usize) -> Option<Vec<u8>> {
        match &self.state {
            State::Open(connection) => connection.export_keying_material(vec![0; length], label, context).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, ContextParts};

    fn context(names: &[&str], min_version: u32) -> Result<Context, String> {
        let suites = Some(names.iter().map(ToString::to_string).collect());
        Context::new(&ContextParts { suites, min_version, max_version: 13, ..ContextParts::default() })
    }

    #[test]
    fn suites() {
        let both = context(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS13_AES_128_GCM_SHA256"], 12).unwrap();
        assert_eq!((both.provider.cipher_suites.len(), both.versions.len()), (2, 2));
        let newer = context(&["TLS13_AES_256_GCM_SHA384"], 12).unwrap();
        assert_eq!((newer.provider.cipher_suites.len(), newer.versions.len()), (1, 1));
        assert!(context(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"], 13).is_err());
        assert!(context(&["none"], 12).is_err());
    }
}
