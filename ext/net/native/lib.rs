//! Native half of node:net, node:http, node:dgram and node:dns. Linux only so far.
//!
//! Two layers, so that Bun.serve and fetch can stand beside node:http on the same core:
//!
//! - The core knows nothing of Node. [`stream::Stream`] is a connection: one edge-triggered registration with the
//!   thread's [`poll::Poller`], reads into one buffer per thread, writes tried at once and queued only where the kernel
//!   does not take them. [`listener::Listener`] accepts, [`udp::Udp`] is a datagram socket,
//!   [`tls::Session`] is TLS without input and output, which a Stream puts between the kernel and its reader. [`http::parse::Parser`] turns
//!   bytes into heads, pieces of bodies and ends; it pulls and calls nobody.
//! - [`http::Messages`] and `ops` are what JavaScript sees: a resource is a small number, an event is one call of a function
//!   that JavaScript registered once ([`net::Callback`]), with the number, plain values and an ArrayBuffer. There are no handles
//!   to JavaScript objects per socket: JavaScript finds its object in an array under the number.
//!
//! A request to a server: epoll_wait → recv → parse → one call (`Head` with the complete bit: method and flags in an
//! integer, URL and headers in one string that JavaScript splits when somebody looks) → the handler → one op ([`ops::write`]
//! with the head as a Latin-1 string and the body) → send. Two system calls beside the shared epoll_wait.
//!
//! After each event the loop runs ticks and microtasks, as Node does after each callback from libuv; calls from one
//! chunk of input (head, body, end) have none between them, again as in Node.

mod addr;
mod dns;
mod executable;
mod h2;
mod h2_ops;
mod h3;
mod h3_ops;
mod h3_socket;
pub mod http;
mod http_ops;
mod listener;
mod net;
mod ops;
mod stream;
mod tls;
mod tls_context_ops;
mod tls_ops;
mod udp;
mod udp_ops;

use std::rc::Rc;

use engine::{Scope, ops};

pub use stream::{Reader, Stream, Written};

/// The connection with this number in this thread.
pub fn stream_of(scope: &mut Scope<'_>, id: u32) -> Option<Rc<Stream>> {
    net::Net::of(scope).stream(id)
}

/// Closes all sockets of a thread that ends.
pub fn close_all(scope: &mut Scope<'_>) {
    if let Some(net) = scope.state().get::<Rc<net::Net>>().cloned() {
        net.close_all();
    }
}

ops!(pub fn family "net" {
    ops::set_callbacks, ops::connect_tcp, ops::connect_unix, ops::bind_tcp, ops::bind_unix, ops::open_listener,
    ops::open_stream, ops::listen, ops::keep_heap_small, ops::forget_bodies, ops::forget_executable, ops::socket_fd, ops::socket_address, ops::set_option, ops::get_option,
    ops::set_keep_alive, ops::read_start, ops::read_stop, ops::write, ops::write_many, http_ops::http_respond, http_ops::http_respond_file, http_ops::http_send_file, ops::write_some, ops::shutdown_read,
    ops::queued, ops::shutdown,
    ops::close, ops::set_ref, ops::has_ref, ops::byte_counts, ops::program_bytes,
    http_ops::http_create, http_ops::http_serve, http_ops::http_expect, http_ops::http_collect, http_ops::http_consume, http_ops::http_unconsume, http_ops::http_execute, http_ops::http_finish,
    http_ops::ws_callback, http_ops::ws_start, http_ops::ws_feed, http_ops::ws_send, http_ops::ws_publish, http_ops::ws_flush, ops::cork, http_ops::http_age, http_ops::http_free, http_ops::http_methods,
    tls_context_ops::tls_context, tls_context_ops::tls_context_free, tls_context_ops::tls_add, tls_context_ops::tls_limit,
    tls_context_ops::tls_session_terms, tls_context_ops::tls_ticket_keys, tls_context_ops::tls_own_certificates,
    tls_context_ops::tls_default_trust, tls_context_ops::tls_roots, tls_context_ops::tls_ciphers,
    tls_ops::tls_start_client, tls_ops::tls_start_server, tls_ops::tls_prepare, tls_ops::tls_choose, tls_ops::tls_answer, tls_ops::tls_trace, tls_ops::tls_release,
    tls_ops::socket_pair,
    tls_ops::tls_describe, tls_ops::tls_peer, tls_ops::tls_own_certificate, tls_ops::tls_export, tls_ops::tls_sessions, tls_ops::tls_session,
    tls_ops::tls_ticket, tls_ops::tls_is_resumed, tls_ops::tls_group, tls_ops::tls_peer_algorithms, tls_ops::tls_finished, tls_ops::tls_status,
    tls_ops::tls_max_fragment, tls_ops::tls_tell, tls_ops::tls_feed,
    h2_ops::h2_callback, h2_ops::h2_create, h2_ops::h2_consume, h2_ops::h2_feed, h2_ops::h2_flush, h2_ops::h2_written, h2_ops::h2_close,
    h2_ops::h2_free, h2_ops::h2_pending, h2_ops::h2_watch, h2_ops::h2_writes, h2_ops::h2_settings, h2_ops::h2_settings_of, h2_ops::h2_ping,
    h2_ops::h2_goaway, h2_ops::h2_altsvc, h2_ops::h2_origin, h2_ops::h2_state, h2_ops::h2_stream_state, h2_ops::h2_window,
    h2_ops::h2_next_id, h2_ops::h2_headers, h2_ops::h2_write, h2_ops::h2_reply, h2_ops::h2_shut, h2_ops::h2_reading, h2_ops::h2_reset,
    h2_ops::h2_abandon,
    h3_ops::h3_callback, h3_ops::h3_listen, h3_ops::h3_open, h3_ops::h3_close_endpoint, h3_ops::h3_connect, h3_ops::h3_address, h3_ops::h3_flush, h3_ops::h3_close,
    h3_ops::h3_free, h3_ops::h3_watch, h3_ops::h3_goaway, h3_ops::h3_headers, h3_ops::h3_write, h3_ops::h3_reply, h3_ops::h3_shut,
    h3_ops::h3_reading, h3_ops::h3_reset,
    dns::get_addr_info, dns::get_addr_info_now, dns::get_name_info,
    udp_ops::udp_open, udp_ops::udp_adopt, udp_ops::udp_bind, udp_ops::udp_connect, udp_ops::udp_receive,
    udp_ops::udp_send, udp_ops::udp_send_some, udp_ops::udp_queued, udp_ops::udp_membership, udp_ops::udp_multicast_interface
});
