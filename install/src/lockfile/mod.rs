//! bun.lock, as Bun 1.4 writes it.

pub mod migrate;

mod hash;
pub mod merge;
mod read;
mod write;
pub mod yarn;

pub use hash::{meta_hash, meta_string, wyhash, wyhash11};
pub use read::{Loaded, LoadedDep, LoadedMember, read};
pub use write::{DEFAULT_REGISTRY, write};

use crate::model::string_arena::Str;

/// What the file has besides the packages.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Read from the lockfile of another tool; overrides and catalogs are those of package.json then.
    pub migrated: bool,
    /// The version that was read; 0 for a new file.
    pub version: u32,
    pub config_version: u32,
    /// Nothing where package.json has no such field.
    pub trusted: Option<Vec<String>>,
    /// `name@version` and patch file.
    pub patched: Vec<(String, String)>,
    pub overrides: Vec<Override>,
    pub catalog: Vec<(String, String)>,
    /// Name of the group and its entries.
    pub catalogs: Vec<(String, Vec<(String, String)>)>,
    /// `packageExtensions` of package.json.
    pub extensions: Vec<crate::model::package_extensions::Extension>,
    /// Members whose dependencies stay in their own node_modules.
    pub self_contained: Vec<u32>,
    /// What of package.json could not be used, for people.
    pub warnings: Vec<String>,
    /// What of package.json is so wrong that nothing is installed.
    pub invalid: Option<String>,
}

/// One override. `parent` and `range` are empty for the simple kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Override {
    /// `name` or `name@range` of the package whose dependencies are meant.
    pub parent: String,
    pub name: String,
    /// Only dependencies whose range is this, or whose version is in it.
    pub range: String,
    pub value: String,
}

/// A workspace member's place in the graph.
#[derive(Clone, Debug)]
pub struct Member {
    /// Relative directory, empty for the root.
    pub path: String,
    pub package: u32,
    pub version: Str,
}
