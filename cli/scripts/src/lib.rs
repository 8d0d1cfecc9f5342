//! Everything of the command line that needs no engine: reading arguments, `.env` and `bunfig.toml`, running
//! `package.json` scripts in one package or across workspaces, `--watch`.
//!
//! `start` does the whole job for everything but a JavaScript program; for that it gives back the program and its
//! options, which the executable hands to the runtime. A program that is named by its path costs one `stat`, the reads of `.env*` and
//! `bunfig.toml` in the working directory, and no parsing of anything that is not there.

pub mod args;
pub mod commands;
pub mod completions;
mod environment;
mod find;
pub mod flags;
pub mod help;
mod listing;
mod manifest;
mod output;
mod package_binary;
mod quote;
mod rewrite;
mod script;
mod script_runner;
mod signals;
mod start;
mod steps;
mod test_command;
mod tools;
mod watch;
mod workspaces;

pub use output::{Failure, Outcome};
pub use package_binary::{PackageBinary, launch};
pub use start::{Identity, Product, Start, start};
pub use watch::report as report_loaded;
