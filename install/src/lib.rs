//! The package manager: resolution, bun.lock, the registry client, the store, the linkers, and the commands.
//!
//! Rooms, each knows only those above it:
//!
//! | room | holds |
//! |---|---|
//! | error, json, edit, ui | errors, formats, what people see |
//! | model | the graph, specifiers, what package.json says, the plan for the linkers |
//! | net | HTTP/1 and HTTP/2 over TLS |
//! | store | the cache: tarballs, repositories of git, files |
//! | config, project, filter, linked_packages | settings, package.json files on disk |
//! | registry | manifests, and the session that fetches them |
//! | lockfile | bun.lock, and the lockfiles of other tools |
//! | resolve | from dependencies to packages |
//! | assemble | from packages to the plan |
//! | link | node_modules and lifecycle scripts |
//! | pack | a package's tarball |
//! | commands | the command lines; commands/install is the conductor |

/// Prints a line; a closed pipe is no error.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout().lock(), $($part)*);
    }};
}

mod assemble;
mod atomic_write;
#[doc(hidden)]
pub mod bench;
mod commands;
mod config;
mod error;
mod filter;
pub mod fuzz;
mod link;
mod linked_packages;
mod lockfile;
mod model;
mod net;
mod pack;
mod project;
mod registry;
mod resolve;
mod store;
#[cfg(test)]
mod testing;
mod ui;

pub use commands::exec::Outcome;
pub use commands::start;
