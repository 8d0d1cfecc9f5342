//! The core of the runtime, which the native halves in ext/ stand on: what one JavaScript thread owns, its event loop and its
//! module loader. Which families there are, and how a program is run with them, is the crate above (`runtime`).
//!
//! From the ground up; a room uses only those before it:
//!
//! | room | what it is |
//! |---|---|
//! | [`versions`] | the interfaces bao implements |
//! | [`builtins`], [`globals`] | `require` and `native` for the TypeScript of ext/; the globals it makes |
//! | [`event_loop`], [`pool`], [`signals`] | what the loop waits for: the inbox of a thread, blocking jobs, signals |
//! | [`cache`], [`compile_cache`] | compiled code on disk |
//! | `auto_install` | packages that are installed when a program imports them |
//! | [`source`], [`module_map`], [`graphs`] | a file's text made ready to compile; the modules that have been loaded, once or in graphs |
//! | [`embedded`], [`bytecode_order`] | modules that are a part of the executable; which of their functions a run uses |
//! | [`limits`], [`loader_hooks`] | seams that upper rooms fill |
//! | [`coverage`] | counters in code, and the reports of them in V8's form |
//! | [`state`] | what a thread owns of all this |
//! | [`errors`], [`program_maps`] | stacks, uncaught errors, exit codes; the source maps that files of the program name |
//! | [`turns`] | turns of the loop |
//! | [`prepare`], [`modules`] | from a file to compiled code; imports, `require`, hooks of the program |
//! | [`main_module`] | the program's first module |
//! | [`host`] | what the engine asks of all this |

mod auto_install;
pub mod builtins;
pub mod bytecode;
pub mod bytecode_order;
pub mod cache;
pub mod compile_cache;
pub mod coverage;
pub mod cpu_profile;
pub mod diagnostics;
pub mod embedded;
pub mod errors;
pub mod event_loop;
pub mod globals;
pub mod graphs;
pub mod host;
pub mod limits;
pub mod loader_hooks;
pub mod main_module;
pub mod module_map;
pub mod modules;
pub mod permission;
pub mod pool;
pub mod prepare;
pub mod program_maps;
pub mod signals;
pub mod source;
pub mod state;
pub mod turns;
mod type_exports;
pub mod versions;

pub use state::RuntimeState;
