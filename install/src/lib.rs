//! The package manager.
#![allow(clippy::module_name_repetitions)]

/// Prints a line; a closed pipe is no error.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout().lock(), $($part)*);
    }};
}

pub mod assemble;
pub mod atomic_write;
pub mod commands;
pub mod config;
pub mod edit;
pub mod error;
pub mod filter;
pub mod fuzz;
pub mod json;
pub mod link;
pub mod linked_packages;
pub mod lockfile;
pub mod model;
pub mod net;
pub mod pack;
pub mod project;
pub mod registry;
pub mod resolve;
pub mod semver;
pub mod store;
#[cfg(test)]
mod testing;
pub mod ui;
