//! The JavaScript runtime: the core and the native halves of all families put together, and a program run with them.
//!
//! | room | what it is |
//! |---|---|
//! | `run` | the process: what is set up once, and its end |
//! | `program` | a program on its thread, from its first module to its exit code |
//! | `thread` | a JavaScript thread: state, context, the list of families, the realm |
//! | `worker` | the life of a worker's thread |
//! | `image` | the built-in modules, compiled by build.rs |

mod builtin_files;
mod image;
mod program;
mod run;
mod thread;
mod worker;

pub use run::run;
pub use runtime_core::versions::{BUN_VERSION, NODE_VERSION};
