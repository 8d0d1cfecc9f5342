//! `pm <name>`: the cache, licenses, trust, and what the registry's commands do under this name.

mod cache;
mod diff;
mod files;
mod licenses;
pub(super) mod materialize;
mod migrate;
mod trust;

use crate::config::Options;
use crate::error::{Code, Error, Result};

/// `pm <name> <rest>`.
pub(super) fn pm(name: &str, options: &Options, rest: &[String]) -> Result<u8> {
    match name {
        "view" => crate::commands::info::info(options, rest),
        "cache" => cache::cache(options, rest),
        "diff" => diff::diff(options, rest),
        "migrate" => migrate::migrate(options),
        "fetch" => cache::fetch(options),
        "scan" => crate::commands::install::scanner::scan(options),
        "untrusted" => trust::untrusted(options),
        "trust" => trust::trust(options, rest),
        "files" => files::files(options, rest),
        "materialize" => materialize::materialize(options, rest),
        "licenses" => licenses::licenses(options, rest),
        _ => Err(Error::new(Code::NotImplemented, format!("pm {name}"))),
    }
}
