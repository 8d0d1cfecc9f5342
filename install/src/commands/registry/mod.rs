//! Commands about what a registry knows of packages, and what a project may do with them.

mod audit;
mod audit_apply;
mod audit_fix;
mod cache;
mod diff;
mod info;
mod installed;
mod licenses;
mod lines;
mod prune;
pub mod scan;
mod style;
mod trust;

use crate::config::Options;
use crate::error::{Code, Error, Result};

/// A command of this family.
pub fn run(name: &str, options: &Options) -> Result<u8> {
    match name {
        "info" | "view" => info::info(options, &options.positionals),
        "audit" => audit::audit(options),
        "prune" => prune::prune(options),
        _ => Err(Error::new(Code::NotImplemented, format!("the command {name} does not exist yet"))),
    }
}

/// `pm <name> <rest>`.
pub fn pm(name: &str, options: &Options, rest: &[String]) -> Result<u8> {
    match name {
        "view" => info::info(options, rest),
        "cache" => cache::cache(options, rest),
        "diff" => diff::diff(options, rest),
        "fetch" => cache::fetch(options),
        "scan" => scan::scan(options),
        "untrusted" => trust::untrusted(options),
        "trust" => trust::trust(options, rest),
        "licenses" => licenses::licenses(options, rest),
        _ => Err(Error::new(Code::NotImplemented, format!("pm {name}"))),
    }
}
