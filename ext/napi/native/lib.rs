//! Node-API: the C functions that native addons call (<https://nodejs.org/api/n-api.html>), and how addons are loaded.
//!
//! The functions are exported from the executable by the list in `exports.list`, which `exports.rs` and build.rs follow.
//! Every one is `unsafe extern "C"`: the addon answers for its pointers, as the interface's manual says. They check
//! what can be checked (null, kinds of values) and give a status, never a panic.

#![expect(unreachable_pub, reason = "addons reach the functions by their names, not by paths")]

mod async_work;
mod buffers;
mod callbacks;
mod cleanup;
mod crash;
mod elf;
mod env;
mod errors;
mod exports;
mod ffi;
mod files;
mod functions;
mod modules;
mod objects;
mod plugins;
mod promises;
mod references;
mod scopes;
mod status;
mod thread;
mod threadsafe;
mod uv;
mod values;
mod versions;

pub use ffi::ForeignEnv;
pub use modules::family;
pub use plugins::PluginFunction;
pub use thread::{flush, tear_down};
