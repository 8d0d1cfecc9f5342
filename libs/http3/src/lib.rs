//! HTTP/3 without input and output: a [`Session`] stands on a connection of quinn-proto, gives events and takes commands. It knows
//! neither sockets nor JavaScript. The cryptography that QUIC needs is [`tls`] (the handshake, by aws-lc's libssl) and [`keys`]
//! (packets, by its libcrypto), so that certificates and trust are those of every other connection of bao.

pub mod frame;
pub mod keys;
pub mod qpack;
mod receive;
pub mod session;
mod stream;
pub mod tls;

pub use quinn_proto as quic;
pub use session::{Event, Options, Session};
