//! Native half of workers and messages between threads.
//!
//! - `worker`: threads with a context, a loop and a module map of their own.
//! - `ports`: message ports, and how objects travel in messages.
//! - `locks`: Web Locks of all threads of the process.

mod locks;
mod ports;
mod worker;

pub use locks::family as locks_family;
pub use ports::{PortTransfers, family as ports_family};
pub use worker::{Runner, WorkerThread, family};
