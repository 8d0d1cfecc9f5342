// Constants of src/lib.rs, compared with the library's headers when it is compiled.

#include <stddef.h>

#include <openssl/ssl.h>

static_assert(SSL_ERROR_WANT_READ == 2 && SSL_ERROR_ZERO_RETURN == 6, "results of input and output");
static_assert(SSL_ERROR_PENDING_CERTIFICATE == 12, "results of input and output");
static_assert(SSL_VERIFY_NONE == 0 && SSL_VERIFY_PEER == 1 && SSL_VERIFY_FAIL_IF_NO_PEER_CERT == 2, "modes of verification");
static_assert(SSL_SESS_CACHE_OFF == 0 && SSL_SESS_CACHE_BOTH == 3 && SSL_SESS_CACHE_NO_INTERNAL == 0x300, "session caches");
static_assert(SSL_OP_NO_TICKET == 0x4000 && SSL_OP_CIPHER_SERVER_PREFERENCE == 0x400000, "options");
static_assert(SSL_OP_NO_TLSv1 == 0x4000000 && SSL_OP_NO_TLSv1_2 == 0x8000000, "options");
static_assert(SSL_OP_NO_TLSv1_1 == 0x10000000 && SSL_OP_NO_TLSv1_3 == 0x20000000, "options");
static_assert(SSL_TLSEXT_ERR_OK == 0 && SSL_TLSEXT_ERR_ALERT_FATAL == 2 && SSL_TLSEXT_ERR_NOACK == 3, "answers of callbacks");
static_assert(ssl_select_cert_success == 1 && ssl_select_cert_retry == 0 && ssl_select_cert_error == -1, "answers of callbacks");
static_assert(sizeof(enum ssl_select_cert_result_t) == sizeof(int), "answers of callbacks");
static_assert(TLSEXT_TYPE_status_request == 5 && TLSEXT_TYPE_session_ticket == 35, "extensions");
static_assert(TLSEXT_TYPE_application_layer_protocol_negotiation == 16 && TLSEXT_NAMETYPE_host_name == 0, "extensions");
static_assert(TLS1_VERSION == 0x0301 && TLS1_3_VERSION == 0x0304, "versions");
static_assert(offsetof(SSL_CLIENT_HELLO, session_id) == 6 * sizeof(void *), "ClientHello");
static_assert(sizeof(SSL_CLIENT_HELLO) == 14 * sizeof(void *), "ClientHello");
static_assert(ssl_encryption_initial == 0 && ssl_encryption_early_data == 1, "levels of encryption");
static_assert(ssl_encryption_handshake == 2 && ssl_encryption_application == 3, "levels of encryption");
static_assert(sizeof(enum ssl_encryption_level_t) == sizeof(int), "levels of encryption");
static_assert(sizeof(SSL_QUIC_METHOD) == 5 * sizeof(void *) && offsetof(SSL_QUIC_METHOD, send_alert) == 4 * sizeof(void *), "QUIC");
