//! What the library asks in the middle of a call: each answer is found in the connection's own state.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use ssl::SSL;

use super::context::Context;
use super::error;
use super::psk;
use super::wire::Wire;

/// A ClientHello that waits for a context.
#[derive(Default)]
pub struct Hello {
    /// The server's name that it asks for; empty for none.
    pub name: String,
    /// The protocols that it offers (ALPN), with commas between.
    pub protocols: String,
    pub session_id: Vec<u8>,
    /// It would resume by a ticket.
    pub has_ticket: bool,
    /// It asks for a status of the certificate.
    pub wants_status: bool,
}

/// What a server has decided about a ClientHello.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Open,
    Made,
}

/// A session that is owned.
pub struct Resumable(*mut ssl::SSL_SESSION);

impl Resumable {
    /// Takes a reference to a live session over.
    pub fn owned(session: *mut ssl::SSL_SESSION) -> Resumable {
        Resumable(session)
    }

    /// The library's object, which stays owned.
    pub fn get(&self) -> *mut ssl::SSL_SESSION {
        self.0
    }
}

impl Drop for Resumable {
    fn drop(&mut self) {
        // SAFETY: one reference is ours.
        unsafe { ssl::SSL_SESSION_free(self.0) };
    }
}

/// Sessions of clients that keep none themselves, by the name of the server. Each is used once (RFC 8446, appendix C.4).
#[derive(Default)]
pub struct Kept(RefCell<HashMap<String, Resumable>>);

impl Kept {
    /// Servers of which one context remembers sessions.
    const MAX_SERVERS: usize = 256;

    fn put(&self, name: &str, session: Resumable) {
        let mut map = self.0.borrow_mut();
        if map.len() >= Self::MAX_SERVERS && !map.contains_key(name) {
            map.clear();
        }
        map.insert(name.to_string(), session);
    }

    /// Takes the session with a server out.
    pub fn take(&self, name: &str) -> Option<Resumable> {
        self.0.borrow_mut().remove(name)
    }
}

/// State of a connection that callbacks look at; it does not move while the connection exists.
pub(super) struct Link {
    pub wire: Wire,
    pub hello: RefCell<Option<Hello>>,
    pub choice: Cell<Choice>,
    /// Protocols that a server speaks, in order of preference.
    pub protocols: RefCell<Vec<Vec<u8>>>,
    /// Sessions are to be told of, and lines for key logs.
    pub wants_sessions: Cell<bool>,
    pub wants_keys: Cell<bool>,
    /// `[identification, session]` of new sessions.
    pub sessions: RefCell<Vec<[Vec<u8>; 2]>>,
    pub keys: RefCell<Vec<String>>,
    /// The last session that a client was given.
    pub latest: RefCell<Option<Resumable>>,
    /// The session that a client has offered.
    pub offered: RefCell<Option<Resumable>>,
    /// Where sessions are kept for the next connection, and under which name.
    pub keep: RefCell<Option<(Rc<Kept>, String)>>,
    /// The session that JavaScript has found for the one that a client names.
    pub found: RefCell<Option<Vec<u8>>>,
    /// What the program has answered to a question about keys.
    pub key: RefCell<Option<psk::Answer>>,
    /// Contexts that a server chooses from by itself, by the name that a client asks for.
    pub names: RefCell<Vec<(String, Rc<Context>)>>,
}

impl Link {
    /// A connection that has not begun.
    pub(super) fn new() -> Link {
        Link {
            wire: Wire::default(),
            hello: RefCell::default(),
            choice: Cell::new(Choice::Open),
            protocols: RefCell::default(),
            wants_sessions: Cell::new(false),
            wants_keys: Cell::new(false),
            sessions: RefCell::default(),
            keys: RefCell::default(),
            latest: RefCell::default(),
            offered: RefCell::default(),
            keep: RefCell::default(),
            found: RefCell::default(),
            key: RefCell::default(),
            names: RefCell::default(),
        }
    }
}

/// Whether a name of a server, possibly with a wildcard, is the one that a client asks for.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(rest) if rest.starts_with('.') => {
            name.split_once('.').is_some_and(|(first, _)| !first.is_empty() && &name[first.len()..] == rest)
        }
        _ => pattern == name,
    }
}

/// Has a connection go on with another context.
///
/// # Safety
/// Both are alive.
pub(super) unsafe fn change_context(ssl: *mut SSL, ctx: *mut ssl::SSL_CTX, keys: bool) {
    // SAFETY: live objects, as the caller says; the connection counts the context.
    unsafe {
        if ssl::SSL_get_SSL_CTX(ssl) == ctx {
            return;
        }
        ssl::SSL_set_SSL_CTX(ssl, ctx);
        ssl::SSL_set_min_proto_version(ssl, ssl::SSL_CTX_get_min_proto_version(ctx));
        ssl::SSL_set_max_proto_version(ssl, ssl::SSL_CTX_get_max_proto_version(ctx));
        ssl::SSL_set_options(ssl, ssl::SSL_CTX_get_options(ctx));
        let names = ssl::SSL_CTX_get_client_CA_list(ctx);
        if !names.is_null() {
            ssl::SSL_set_client_CA_list(ssl, ssl::SSL_dup_CA_list(names));
        }
        if keys {
            log_keys(ctx);
        }
    }
}

/// Sets the callbacks of a context.
pub(super) fn install(ctx: *mut ssl::SSL_CTX) {
    // SAFETY: a live context, and functions that stay.
    unsafe {
        ssl::SSL_CTX_set_select_certificate_cb(ctx, Some(select));
        ssl::SSL_CTX_set_alpn_select_cb(ctx, Some(alpn), ptr::null_mut());
        ssl::SSL_CTX_sess_set_new_cb(ctx, Some(new_session));
        ssl::SSL_CTX_sess_set_get_cb(ctx, Some(get_session));
    }
}

/// Lines for key logs are made for connections of this context from now on.
pub(super) fn log_keys(ctx: *mut ssl::SSL_CTX) {
    // SAFETY: as above.
    unsafe { ssl::SSL_CTX_set_keylog_callback(ctx, Some(keylog)) };
}

/// The state of a connection.
pub(super) unsafe fn link<'a>(ssl: *const SSL) -> Option<&'a Link> {
    // SAFETY: a live connection; the pointer is null or was put there by `Session::make`, and its target lives as long.
    unsafe { ssl::SSL_get_ex_data(ssl, 0).cast::<Link>().cast_const().as_ref() }
}

/// A slice of the library's; empty for null.
unsafe fn slice<'a>(data: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: the caller has a pointer with that many bytes.
    if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data, length) } }
}

/// The names of a list of protocols in TLS's form, each behind its length.
pub(super) fn names(mut list: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some((&length, rest)) = list.split_first()
        && let Some((name, rest)) = rest.split_at_checked(usize::from(length))
    {
        found.push(name);
        list = rest;
    }
    found
}

unsafe extern "C" fn select(hello: *const ssl::SSL_CLIENT_HELLO) -> c_int {
    // SAFETY: the library calls this with a ClientHello, whose parts live during the call.
    unsafe {
        let given = &*hello;
        let Some(link) = link(given.ssl) else { return ssl::SSL_SELECT_CERT_ERROR };
        if link.choice.get() == Choice::Made {
            let contexts = link.names.borrow();
            if !contexts.is_empty() {
                let name = error::constant(ssl::SSL_get_servername(given.ssl, ssl::TLSEXT_NAMETYPE_HOST_NAME));
                let name = name.to_ascii_lowercase();
                if let Some((_, context)) = contexts.iter().find(|(pattern, _)| matches(pattern, &name)) {
                    ssl::SSL_set_SSL_CTX(given.ssl, context.get());
                }
            }
            prefer_own_suites(given);
            return ssl::SSL_SELECT_CERT_SUCCESS;
        }
        let extension = |kind| {
            let (mut data, mut length) = (ptr::null(), 0);
            let found = ssl::SSL_early_callback_ctx_extension_get(hello, kind, &raw mut data, &raw mut length) == 1;
            found.then(|| slice(data, length))
        };
        // Behind the length of the whole list.
        let offered = extension(ssl::TLSEXT_TYPE_ALPN).and_then(|list| list.get(2..)).unwrap_or_default();
        let protocols: Vec<String> =
            names(offered).iter().map(|name| name.iter().map(|&b| char::from(b)).collect()).collect();
        *link.hello.borrow_mut() = Some(Hello {
            name: error::constant(ssl::SSL_get_servername(given.ssl, ssl::TLSEXT_NAMETYPE_HOST_NAME)),
            protocols: protocols.join(","),
            session_id: slice(given.session_id, given.session_id_len).to_vec(),
            has_ticket: extension(ssl::TLSEXT_TYPE_SESSION_TICKET).is_some_and(|ticket| !ticket.is_empty()),
            wants_status: extension(ssl::TLSEXT_TYPE_STATUS_REQUEST).is_some(),
        });
        ssl::SSL_SELECT_CERT_RETRY
    }
}

/// Lets the server's order decide between the suites of TLS 1.3 (`honorCipherOrder`), for which the library always takes the
/// client's: of those that both have only the server's first one is left.
///
/// # Safety
/// `hello` is one that the library calls with.
unsafe fn prefer_own_suites(hello: &ssl::SSL_CLIENT_HELLO) {
    // SAFETY: a live connection, whose lists live during the call; names of suites are constants.
    unsafe {
        if ssl::SSL_get_options(hello.ssl) & ssl::SSL_OP_CIPHER_SERVER_PREFERENCE == 0 {
            return;
        }
        let (offered, _) = slice(hello.cipher_suites, hello.cipher_suites_len).as_chunks::<2>();
        let own = ssl::SSL_get_ciphers(hello.ssl);
        for index in 0..ssl::crypto::OPENSSL_sk_num(own) {
            let suite = ssl::crypto::OPENSSL_sk_value(own, index).cast::<ssl::SSL_CIPHER>();
            let id = ssl::SSL_CIPHER_get_protocol_id(suite);
            // Suites of TLS 1.3 have these numbers (RFC 8446, B.4), and stand in front.
            if id >> 8 != 0x13 {
                return;
            }
            if offered.contains(&id.to_be_bytes()) {
                if ssl::SSL_set_ciphersuites(hello.ssl, ssl::SSL_CIPHER_standard_name(suite)) != 1 {
                    error::clear();
                }
                return;
            }
        }
    }
}

unsafe extern "C" fn alpn(
    ssl: *mut SSL,
    out: *mut *const u8,
    out_len: *mut u8,
    offered: *const u8,
    offered_len: c_uint,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the library calls this with its list; what is chosen is a part of that.
    unsafe {
        let Some(link) = link(ssl) else { return ssl::SSL_TLSEXT_ERR_NOACK };
        let own = link.protocols.borrow();
        if own.is_empty() {
            return ssl::SSL_TLSEXT_ERR_NOACK;
        }
        let list = names(slice(offered, offered_len as usize));
        let chosen = own.iter().find_map(|name| list.iter().find(|other| **other == name.as_slice()));
        let Some(name) = chosen else { return ssl::SSL_TLSEXT_ERR_ALERT_FATAL };
        *out = name.as_ptr();
        *out_len = name.len() as u8;
        ssl::SSL_TLSEXT_ERR_OK
    }
}

/// A session in the library's form of storage.
pub(super) unsafe fn session_bytes(session: *const ssl::SSL_SESSION) -> Vec<u8> {
    // SAFETY: the caller has a live session; the library's bytes are copied and freed.
    unsafe {
        let (mut data, mut length) = (ptr::null_mut(), 0);
        if ssl::SSL_SESSION_to_bytes(session, &raw mut data, &raw mut length) != 1 {
            error::clear();
            return Vec::new();
        }
        let bytes = slice(data, length).to_vec();
        ssl::crypto::OPENSSL_free(data.cast());
        bytes
    }
}

unsafe extern "C" fn new_session(ssl: *mut SSL, session: *mut ssl::SSL_SESSION) -> c_int {
    // SAFETY: the library calls this with a live session, which stays its own.
    unsafe {
        let Some(link) = link(ssl) else { return 0 };
        if let Some((kept, name)) = &*link.keep.borrow() {
            kept.put(name, Resumable(session));
            // Taken over.
            return 1;
        }
        if link.wants_sessions.get() {
            let mut length = 0;
            let id = ssl::SSL_SESSION_get_id(session, &raw mut length);
            link.sessions.borrow_mut().push([slice(id, length as usize).to_vec(), session_bytes(session)]);
        }
        if ssl::SSL_is_server(ssl) == 0 {
            *link.latest.borrow_mut() = Some(Resumable(session));
            return 1;
        }
        0
    }
}

unsafe extern "C" fn get_session(ssl: *mut SSL, _: *const u8, _: c_int, copy: *mut c_int) -> *mut ssl::SSL_SESSION {
    // SAFETY: the library calls this with a live connection; the new session is the library's.
    unsafe {
        *copy = 0;
        let found = link(ssl).and_then(|link| link.found.borrow_mut().take());
        found.map_or(ptr::null_mut(), |bytes| {
            ssl::SSL_SESSION_from_bytes(bytes.as_ptr(), bytes.len(), ssl::SSL_get_SSL_CTX(ssl))
        })
    }
}

unsafe extern "C" fn keylog(ssl: *const SSL, line: *const c_char) {
    // SAFETY: the library calls this with a terminated text.
    unsafe {
        if let Some(link) = link(ssl)
            && link.wants_keys.get()
        {
            link.keys.borrow_mut().push(CStr::from_ptr(line).to_string_lossy().into_owned() + "\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{matches, names};

    #[test]
    fn names_of_servers() {
        assert!(matches("a.b", "a.b"));
        assert!(matches("*.b.c", "a.b.c"));
        assert!(!matches("*.b.c", "b.c"));
        assert!(!matches("*.b.c", ".b.c"));
        assert!(!matches("*.b.c", "x.a.b.c"));
    }

    #[test]
    fn lists_of_protocols() {
        assert_eq!(names(b"\x02h2\x08http/1.1"), [b"h2".as_slice(), b"http/1.1"]);
        assert_eq!(names(b"\x02h2\x09http/1.1"), [b"h2".as_slice()]);
        assert!(names(b"").is_empty());
    }
}
