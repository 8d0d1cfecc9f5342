//! HTTP/2 without input and output: a [`session::Session`] is fed bytes and gives events, takes commands and gives bytes.
//! It knows neither sockets nor JavaScript, so node:http2, Bun.serve and fetch stand on one core, and a test can feed it
//! whatever it likes.

pub mod frame;
pub mod hpack;
mod huffman;
pub mod message;
pub mod prefix;
mod receive;
pub mod session;
mod settings;
mod stream;

pub use session::{Event, Options, Padding, Session};
pub use settings::Settings;
