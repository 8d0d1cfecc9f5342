//! Bindings of aws-lc's libssl (BoringSSL's API; its header `openssl/ssl.h` documents every function): what ext/net/native uses, and
//! no more. Objects of the crypto library are those of `aws_lc_sys`. The library is compiled by build.rs; check.cc compares constants.

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "names as in the headers of the library"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};

pub use aws_lc_sys as crypto;
use aws_lc_sys::{
    BIO, EVP_PKEY, OPENSSL_STACK, X509, X509_STORE, X509_STORE_CTX, stack_st_CRYPTO_BUFFER, stack_st_X509_NAME,
};

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])*
        #[repr(C)]
        pub struct $name {
            private: [u8; 0],
        })*
    };
}

opaque! {
    /// One connection.
    SSL,
    /// What connections have in common.
    SSL_CTX,
    /// What a connection can be resumed by.
    SSL_SESSION,
    /// TLS, as opposed to DTLS.
    SSL_METHOD,
    /// A cipher suite; constant.
    SSL_CIPHER,
}

/// A ClientHello that is being answered.
#[repr(C)]
pub struct SSL_CLIENT_HELLO {
    pub ssl: *mut SSL,
    pub client_hello: *const u8,
    pub client_hello_len: usize,
    pub version: u16,
    pub random: *const u8,
    pub random_len: usize,
    pub session_id: *const u8,
    pub session_id_len: usize,
    pub cipher_suites: *const u8,
    pub cipher_suites_len: usize,
    pub compression_methods: *const u8,
    pub compression_methods_len: usize,
    pub extensions: *const u8,
    pub extensions_len: usize,
}

/// How TLS hands over to QUIC what records would carry (RFC 9001); see the header. Functions return 1, or 0 to end the handshake.
#[repr(C)]
pub struct SSL_QUIC_METHOD {
    pub set_read_secret: Option<QuicSecretCallback>,
    pub set_write_secret: Option<QuicSecretCallback>,
    pub add_handshake_data: Option<QuicDataCallback>,
    pub flush_flight: Option<unsafe extern "C" fn(ssl: *mut SSL) -> c_int>,
    pub send_alert: Option<unsafe extern "C" fn(ssl: *mut SSL, level: c_int, alert: u8) -> c_int>,
}

/// See [`SSL_QUIC_METHOD`].
pub type QuicSecretCallback = unsafe extern "C" fn(
    ssl: *mut SSL,
    level: c_int,
    cipher: *const SSL_CIPHER,
    secret: *const u8,
    length: usize,
) -> c_int;
/// See [`SSL_QUIC_METHOD`].
pub type QuicDataCallback = unsafe extern "C" fn(ssl: *mut SSL, level: c_int, data: *const u8, length: usize) -> c_int;

pub const ssl_encryption_initial: c_int = 0;
pub const ssl_encryption_early_data: c_int = 1;
pub const ssl_encryption_handshake: c_int = 2;
pub const ssl_encryption_application: c_int = 3;
pub const SSL_ERROR_WANT_READ: c_int = 2;
pub const SSL_ERROR_ZERO_RETURN: c_int = 6;
pub const SSL_ERROR_PENDING_CERTIFICATE: c_int = 12;
pub const SSL_VERIFY_NONE: c_int = 0;
pub const SSL_VERIFY_PEER: c_int = 1;
pub const SSL_VERIFY_FAIL_IF_NO_PEER_CERT: c_int = 2;
pub const SSL_SESS_CACHE_OFF: c_int = 0;
pub const SSL_SESS_CACHE_BOTH: c_int = 3;
pub const SSL_SESS_CACHE_NO_INTERNAL: c_int = 0x300;
pub const SSL_OP_NO_TICKET: u32 = 0x4000;
pub const SSL_OP_CIPHER_SERVER_PREFERENCE: u32 = 0x40_0000;
pub const SSL_OP_NO_TLSv1: u32 = 0x400_0000;
pub const SSL_OP_NO_TLSv1_2: u32 = 0x800_0000;
pub const SSL_OP_NO_TLSv1_1: u32 = 0x1000_0000;
pub const SSL_OP_NO_TLSv1_3: u32 = 0x2000_0000;
pub const SSL_TLSEXT_ERR_OK: c_int = 0;
pub const SSL_TLSEXT_ERR_ALERT_FATAL: c_int = 2;
pub const SSL_TLSEXT_ERR_NOACK: c_int = 3;
pub const SSL_SELECT_CERT_SUCCESS: c_int = 1;
pub const SSL_SELECT_CERT_RETRY: c_int = 0;
pub const SSL_SELECT_CERT_ERROR: c_int = -1;
pub const TLSEXT_TYPE_STATUS_REQUEST: u16 = 5;
pub const TLSEXT_TYPE_ALPN: u16 = 16;
pub const TLSEXT_TYPE_SESSION_TICKET: u16 = 35;
pub const TLSEXT_NAMETYPE_HOST_NAME: c_int = 0;

/// See `SSL_set_verify`.
pub type VerifyCallback = unsafe extern "C" fn(ok: c_int, context: *mut X509_STORE_CTX) -> c_int;
/// See `SSL_CTX_set_cert_verify_callback`.
pub type CertVerifyCallback = unsafe extern "C" fn(context: *mut X509_STORE_CTX, argument: *mut c_void) -> c_int;
/// See `SSL_CTX_set_select_certificate_cb`.
pub type SelectCallback = unsafe extern "C" fn(hello: *const SSL_CLIENT_HELLO) -> c_int;
/// See `SSL_CTX_set_alpn_select_cb`.
pub type AlpnCallback = unsafe extern "C" fn(
    ssl: *mut SSL,
    out: *mut *const u8,
    out_len: *mut u8,
    offered: *const u8,
    offered_len: c_uint,
    argument: *mut c_void,
) -> c_int;
/// See `SSL_CTX_sess_set_new_cb`.
pub type NewSessionCallback = unsafe extern "C" fn(ssl: *mut SSL, session: *mut SSL_SESSION) -> c_int;
/// See `SSL_CTX_sess_set_get_cb`.
pub type GetSessionCallback =
    unsafe extern "C" fn(ssl: *mut SSL, id: *const u8, length: c_int, copy: *mut c_int) -> *mut SSL_SESSION;
/// See `SSL_CTX_set_keylog_callback`.
pub type KeylogCallback = unsafe extern "C" fn(ssl: *const SSL, line: *const c_char);
/// See `SSL_set_psk_client_callback`.
pub type PskClientCallback = unsafe extern "C" fn(
    ssl: *mut SSL,
    hint: *const c_char,
    identity: *mut c_char,
    max_identity: c_uint,
    psk: *mut u8,
    max_psk: c_uint,
) -> c_uint;
/// See `SSL_set_psk_server_callback`.
pub type PskServerCallback =
    unsafe extern "C" fn(ssl: *mut SSL, identity: *const c_char, psk: *mut u8, max_psk: c_uint) -> c_uint;
/// See `SSL_set_msg_callback`.
pub type MessageCallback = unsafe extern "C" fn(
    is_write: c_int,
    version: c_int,
    content_type: c_int,
    data: *const c_void,
    length: usize,
    ssl: *mut SSL,
    argument: *mut c_void,
);

unsafe extern "C" {
    pub fn TLS_method() -> *const SSL_METHOD;

    pub fn SSL_CTX_new(method: *const SSL_METHOD) -> *mut SSL_CTX;
    pub fn SSL_CTX_free(ctx: *mut SSL_CTX);
    pub fn SSL_CTX_set_min_proto_version(ctx: *mut SSL_CTX, version: u16) -> c_int;
    pub fn SSL_CTX_set_max_proto_version(ctx: *mut SSL_CTX, version: u16) -> c_int;
    pub fn SSL_CTX_get_min_proto_version(ctx: *const SSL_CTX) -> u16;
    pub fn SSL_CTX_get_max_proto_version(ctx: *const SSL_CTX) -> u16;
    pub fn SSL_CTX_set_options(ctx: *mut SSL_CTX, options: u32) -> u32;
    pub fn SSL_CTX_get_options(ctx: *const SSL_CTX) -> u32;
    pub fn SSL_CTX_set_cipher_list(ctx: *mut SSL_CTX, list: *const c_char) -> c_int;
    pub fn SSL_CTX_set_ciphersuites(ctx: *mut SSL_CTX, list: *const c_char) -> c_int;
    pub fn SSL_CTX_set1_groups_list(ctx: *mut SSL_CTX, groups: *const c_char) -> c_int;
    pub fn SSL_CTX_set1_sigalgs_list(ctx: *mut SSL_CTX, list: *const c_char) -> c_int;
    pub fn SSL_CTX_use_certificate(ctx: *mut SSL_CTX, certificate: *mut X509) -> c_int;
    pub fn SSL_CTX_use_PrivateKey(ctx: *mut SSL_CTX, key: *mut EVP_PKEY) -> c_int;
    pub fn SSL_CTX_clear_chain_certs(ctx: *mut SSL_CTX) -> c_int;
    pub fn SSL_CTX_add1_chain_cert(ctx: *mut SSL_CTX, certificate: *mut X509) -> c_int;
    pub fn SSL_CTX_get0_certificate(ctx: *const SSL_CTX) -> *mut X509;
    pub fn SSL_CTX_add_client_CA(ctx: *mut SSL_CTX, certificate: *mut X509) -> c_int;
    pub fn SSL_CTX_get_client_CA_list(ctx: *const SSL_CTX) -> *mut stack_st_X509_NAME;
    pub fn SSL_CTX_set_cert_store(ctx: *mut SSL_CTX, store: *mut X509_STORE);
    pub fn SSL_CTX_get_cert_store(ctx: *const SSL_CTX) -> *mut X509_STORE;
    pub fn SSL_CTX_set_cert_verify_callback(
        ctx: *mut SSL_CTX,
        callback: Option<CertVerifyCallback>,
        argument: *mut c_void,
    );
    pub fn SSL_CTX_set_select_certificate_cb(ctx: *mut SSL_CTX, callback: Option<SelectCallback>);
    pub fn SSL_CTX_set_alpn_select_cb(ctx: *mut SSL_CTX, callback: Option<AlpnCallback>, argument: *mut c_void);
    pub fn SSL_CTX_set_session_cache_mode(ctx: *mut SSL_CTX, mode: c_int) -> c_int;
    pub fn SSL_CTX_sess_set_new_cb(ctx: *mut SSL_CTX, callback: Option<NewSessionCallback>);
    pub fn SSL_CTX_sess_set_get_cb(ctx: *mut SSL_CTX, callback: Option<GetSessionCallback>);
    pub fn SSL_CTX_set_session_id_context(ctx: *mut SSL_CTX, context: *const u8, length: usize) -> c_int;
    pub fn SSL_CTX_set_timeout(ctx: *mut SSL_CTX, seconds: u32) -> u32;
    pub fn SSL_CTX_set_tlsext_ticket_keys(ctx: *mut SSL_CTX, keys: *const c_void, length: usize) -> c_int;
    pub fn SSL_CTX_get_tlsext_ticket_keys(ctx: *mut SSL_CTX, keys: *mut c_void, length: usize) -> c_int;
    pub fn SSL_CTX_set_keylog_callback(ctx: *mut SSL_CTX, callback: Option<KeylogCallback>);

    pub fn SSL_new(ctx: *mut SSL_CTX) -> *mut SSL;
    pub fn SSL_free(ssl: *mut SSL);
    pub fn SSL_set_bio(ssl: *mut SSL, reading: *mut BIO, writing: *mut BIO);
    pub fn SSL_set_connect_state(ssl: *mut SSL);
    pub fn SSL_set_accept_state(ssl: *mut SSL);
    pub fn SSL_set_ex_data(ssl: *mut SSL, index: c_int, data: *mut c_void) -> c_int;
    pub fn SSL_get_ex_data(ssl: *const SSL, index: c_int) -> *mut c_void;
    pub fn SSL_is_server(ssl: *const SSL) -> c_int;
    pub fn SSL_do_handshake(ssl: *mut SSL) -> c_int;
    pub fn SSL_read(ssl: *mut SSL, buffer: *mut c_void, length: c_int) -> c_int;
    pub fn SSL_write(ssl: *mut SSL, buffer: *const c_void, length: c_int) -> c_int;
    pub fn SSL_shutdown(ssl: *mut SSL) -> c_int;
    pub fn SSL_get_error(ssl: *const SSL, result: c_int) -> c_int;
    pub fn SSL_is_init_finished(ssl: *const SSL) -> c_int;
    pub fn SSL_set_SSL_CTX(ssl: *mut SSL, ctx: *mut SSL_CTX) -> *mut SSL_CTX;
    pub fn SSL_get_SSL_CTX(ssl: *const SSL) -> *mut SSL_CTX;
    pub fn SSL_set_min_proto_version(ssl: *mut SSL, version: u16) -> c_int;
    pub fn SSL_set_max_proto_version(ssl: *mut SSL, version: u16) -> c_int;
    pub fn SSL_set_options(ssl: *mut SSL, options: u32) -> u32;
    pub fn SSL_get_options(ssl: *const SSL) -> u32;
    pub fn SSL_get_ciphers(ssl: *const SSL) -> *mut OPENSSL_STACK;
    pub fn SSL_set_ciphersuites(ssl: *mut SSL, list: *const c_char) -> c_int;
    pub fn SSL_set_verify(ssl: *mut SSL, mode: c_int, callback: Option<VerifyCallback>);
    pub fn SSL_set_client_CA_list(ssl: *mut SSL, names: *mut stack_st_X509_NAME);
    pub fn SSL_dup_CA_list(names: *mut stack_st_X509_NAME) -> *mut stack_st_X509_NAME;
    pub fn SSL_get_verify_result(ssl: *const SSL) -> std::ffi::c_long;
    pub fn SSL_set_tlsext_host_name(ssl: *mut SSL, name: *const c_char) -> c_int;
    pub fn SSL_get_servername(ssl: *const SSL, kind: c_int) -> *const c_char;
    pub fn SSL_set_alpn_protos(ssl: *mut SSL, protocols: *const u8, length: usize) -> c_int;
    pub fn SSL_get0_alpn_selected(ssl: *const SSL, data: *mut *const u8, length: *mut c_uint);
    pub fn SSL_early_callback_ctx_extension_get(
        hello: *const SSL_CLIENT_HELLO,
        kind: u16,
        data: *mut *const u8,
        length: *mut usize,
    ) -> c_int;
    pub fn SSL_enable_ocsp_stapling(ssl: *mut SSL);
    pub fn SSL_get0_ocsp_response(ssl: *const SSL, data: *mut *const u8, length: *mut usize);
    pub fn SSL_set_ocsp_response(ssl: *mut SSL, data: *const u8, length: usize) -> c_int;
    pub fn SSL_get_version(ssl: *const SSL) -> *const c_char;
    pub fn SSL_get_current_cipher(ssl: *const SSL) -> *const SSL_CIPHER;
    pub fn SSL_CIPHER_get_name(cipher: *const SSL_CIPHER) -> *const c_char;
    pub fn SSL_CIPHER_standard_name(cipher: *const SSL_CIPHER) -> *const c_char;
    pub fn SSL_get_all_cipher_names(names: *mut *const c_char, max: usize) -> usize;
    pub fn SSL_get_curve_id(ssl: *const SSL) -> u16;
    pub fn SSL_get0_peer_certificates(ssl: *const SSL) -> *const stack_st_CRYPTO_BUFFER;
    pub fn SSL_get_certificate(ssl: *const SSL) -> *mut X509;
    pub fn SSL_get0_peer_verify_algorithms(ssl: *const SSL, algorithms: *mut *const u16) -> usize;
    pub fn SSL_get_signature_algorithm_name(algorithm: u16, include_curve: c_int) -> *const c_char;
    pub fn SSL_get_finished(ssl: *const SSL, buffer: *mut c_void, length: usize) -> usize;
    pub fn SSL_get_peer_finished(ssl: *const SSL, buffer: *mut c_void, length: usize) -> usize;
    pub fn SSL_export_keying_material(
        ssl: *mut SSL,
        out: *mut u8,
        out_len: usize,
        label: *const c_char,
        label_len: usize,
        context: *const u8,
        context_len: usize,
        use_context: c_int,
    ) -> c_int;
    pub fn SSL_set_psk_client_callback(ssl: *mut SSL, callback: Option<PskClientCallback>);
    pub fn SSL_set_psk_server_callback(ssl: *mut SSL, callback: Option<PskServerCallback>);
    pub fn SSL_use_psk_identity_hint(ssl: *mut SSL, hint: *const c_char) -> c_int;
    pub fn SSL_get_pending_cipher(ssl: *const SSL) -> *const SSL_CIPHER;
    pub fn SSL_get_cipher_by_value(value: u16) -> *const SSL_CIPHER;
    pub fn SSL_CIPHER_get_auth_nid(cipher: *const SSL_CIPHER) -> c_int;
    pub fn SSL_set_msg_callback(ssl: *mut SSL, callback: Option<MessageCallback>);
    pub fn SSL_set_max_send_fragment(ssl: *mut SSL, size: usize) -> c_int;
    pub fn SSL_get_session(ssl: *const SSL) -> *mut SSL_SESSION;
    pub fn SSL_set_session(ssl: *mut SSL, session: *mut SSL_SESSION) -> c_int;
    pub fn SSL_session_reused(ssl: *const SSL) -> c_int;
    pub fn SSL_SESSION_free(session: *mut SSL_SESSION);
    pub fn SSL_SESSION_to_bytes(session: *const SSL_SESSION, data: *mut *mut u8, length: *mut usize) -> c_int;
    pub fn SSL_SESSION_from_bytes(data: *const u8, length: usize, ctx: *const SSL_CTX) -> *mut SSL_SESSION;
    pub fn SSL_SESSION_get_id(session: *const SSL_SESSION, length: *mut c_uint) -> *const u8;
    pub fn SSL_SESSION_get0_ticket(session: *const SSL_SESSION, data: *mut *const u8, length: *mut usize);
    pub fn SSL_get_ex_data_X509_STORE_CTX_idx() -> c_int;

    pub fn SSL_get_ex_new_index(
        argl: std::ffi::c_long,
        argp: *mut c_void,
        unused: *mut c_void,
        dup_unused: *mut c_void,
        free_func: *mut c_void,
    ) -> c_int;
    pub fn SSL_CIPHER_get_protocol_id(cipher: *const SSL_CIPHER) -> u16;
    pub fn SSL_set_quic_method(ssl: *mut SSL, method: *const SSL_QUIC_METHOD) -> c_int;
    pub fn SSL_set_quic_transport_params(ssl: *mut SSL, params: *const u8, length: usize) -> c_int;
    pub fn SSL_get_peer_quic_transport_params(ssl: *const SSL, params: *mut *const u8, length: *mut usize);
    pub fn SSL_quic_read_level(ssl: *const SSL) -> c_int;
    pub fn SSL_provide_quic_data(ssl: *mut SSL, level: c_int, data: *const u8, length: usize) -> c_int;
    pub fn SSL_process_quic_post_handshake(ssl: *mut SSL) -> c_int;
}
