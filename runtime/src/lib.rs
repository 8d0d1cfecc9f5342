//! The JavaScript runtime: the core and the native halves of all families put together, and a program run with them.
//!
//! | room | what it is |
//! |---|---|
//! | `run` | a program from its start to its exit code |
//! | `thread` | a JavaScript thread: state, context, the list of families, the realm |
//! | `worker` | the life of a worker's thread |
//! | `image` | the built-in modules, compiled by build.rs |

mod builtin_files;
mod image;
mod run;
mod thread;
mod worker;

pub use run::run;
pub use runtime_core::options::{JsxOverride, NodeOption, Program, RunOptions};
pub use runtime_core::versions::{BUN_VERSION, NODE_VERSION};
