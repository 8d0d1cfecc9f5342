//! What a command asks of an install besides the install itself.

use super::pins::Pin;
use crate::registry::repositories::Remotes;
use crate::resolve::update_scope::UpdateScope;

/// What a command changes on the way.
#[derive(Default)]
pub(crate) struct Change {
    /// Places of the manifests that are edited.
    pub edited: Vec<usize>,
    /// Specifiers that become versions after resolution.
    pub pins: Vec<Pin>,
    /// Dependencies that leave the lockfile's version.
    pub release: Option<UpdateScope>,
    /// The lockfile's versions do not count at all.
    pub fresh: bool,
    /// package.json is written back.
    pub write: bool,
    /// The directory of the member whose own dependencies are reported, relative to the root; empty: the root's.
    pub here: String,
    /// Names to report as installed.
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Packages that `--trust` has put into the root's `trustedDependencies`.
    pub trusted: Vec<String>,
    /// The first line was printed already.
    pub quiet_header: bool,
    /// Told before anything else.
    pub notes: Vec<String>,
    /// The command is `pm migrate`: a lockfile that cannot be migrated is an error.
    pub migrating: bool,
    /// The command is `update`: versions that changed are listed.
    pub updating: bool,
    /// Repositories that were fetched to find out their names.
    pub remotes: std::cell::Cell<Remotes>,
    /// The manifests' texts before they were edited.
    pub originals: Vec<String>,
}
