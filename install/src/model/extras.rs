//! What package.json and bun.lock say besides dependencies: overrides, catalogs, patches, trust, extensions.

use crate::model::graph::Behavior;

/// What the file has besides the packages.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Read from the lockfile of another tool; overrides and catalogs are those of package.json then.
    pub migrated: bool,
    /// `migrated`, and overrides and catalogs are those of the file all the same (bun.lockb).
    pub settings: bool,
    /// The version that was read; 0 for a new file.
    pub version: u32,
    pub config_version: u32,
    /// Nothing where package.json has no such field.
    pub trusted: Option<Vec<String>>,
    /// `nativeDependencies` of package.json: packages whose commands are executables of other packages. Nothing where there is no list.
    pub native: Option<Vec<String>>,
    /// `ignoreScripts` of package.json: packages whose install scripts have nothing to do. Nothing where there is no list.
    pub ignored_scripts: Option<Vec<String>>,
    /// `name@version` and patch file.
    pub patched: Vec<(String, String)>,
    pub overrides: Vec<Override>,
    pub catalog: Vec<(String, String)>,
    /// Name of the group and its entries.
    pub catalogs: Vec<(String, Vec<(String, String)>)>,
    /// `packageExtensions` of package.json.
    pub extensions: Vec<Extension>,
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

/// What one key of `packageExtensions` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extension {
    pub name: String,
    /// Empty for every version.
    pub range: String,
    /// Name, specifier, behavior.
    pub deps: Vec<(String, String, Behavior)>,
    /// Peers that are optional.
    pub optional: Vec<String>,
}
