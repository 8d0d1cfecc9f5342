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
pub mod commands;
pub mod config;
pub mod dedupe;
pub mod edit;
pub mod engines;
pub mod error;
pub mod extensions;
pub mod filter;
pub mod fuzz;
pub mod git;
pub mod graph;
pub mod instances;
pub mod integrity;
pub mod json;
pub mod link;
pub mod links;
pub mod lockfile;
pub mod manifest;
pub mod migrate;
pub mod net;
pub mod overrides;
pub mod pack;
pub mod plan;
pub mod platform;
pub mod project;
pub mod release;
pub mod remote;
pub mod resolve;
pub mod session;
pub mod spec;
pub mod store;
pub mod tarball;
#[cfg(test)]
mod testing;
pub mod text;
pub mod tree;
pub mod ui;
pub mod write;
