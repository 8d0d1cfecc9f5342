//! The engine through its safe API, with a small host. One executable, since each is linked with the whole engine.
//!
//! Most tests run twice, the second time with a collection at every native call.

mod buffers;
mod clones;
mod deep_equal;
mod embedding;
mod errors;
mod handles;
mod modules;
mod op_types;
mod promises;
mod resources;
mod stencils;
mod strings;
mod support;
