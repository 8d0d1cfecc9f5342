//! What native halves share that needs no JavaScript engine.
//!
//! - [`stderr`]: standard error that a report is buffered for.
//! - [`stdio`]: writing to the standard streams.
//! - [`cancel`]: waits of native functions that another thread can end.
//! - [`descendants`]: the processes below this one, and `--no-orphans`.
//! - [`permission`]: what the process may do (`--permission`).
//! - [`uuid`]: universally unique identifiers.

pub mod cancel;
pub mod descendants;
pub mod permission;
pub mod stderr;
pub mod stdio;
pub mod uuid;
