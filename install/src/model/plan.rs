//! What the linkers get: every package that has to be on disk and every place where it has to be.
//!
//! A plan is flat: indices instead of references, one string for all text. Trees are Bun's: `trees[0]` is `node_modules` of the
//! project, parents come before children, a workspace member is a placement of kind `Workspace` (a symbolic link) whose own
//! dependencies, where they could not be hoisted, are in a tree with the path `packages/a/node_modules`.

pub use bunfig::Linker;

use std::ops::Range;
use std::path::PathBuf;

pub(crate) use crate::model::integrity::Integrity;
pub(crate) use crate::model::string_arena::Str;

pub(crate) type PackageId = u32;
pub(crate) type TreeId = u32;
/// "No such index", for any of the indices here.
pub const NO_ID: u32 = u32::MAX;

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    Root,
    Npm,
    Workspace,
    Folder,
    Link,
    TarballUrl,
    TarballFile,
    Git,
    GitHub,
}

/// How one package depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EdgeKind {
    Prod,
    Dev,
    Optional,
    Peer,
    OptionalPeer,
    Workspace,
    Bundled,
}

pub(crate) const HAS_INSTALL_SCRIPT: u16 = 1;
/// Its lifecycle scripts may run.
pub(crate) const TRUSTED: u16 = 2;
/// For another operating system, processor or C library.
pub(crate) const DISABLED: u16 = 4;
/// Reached through optional dependencies only: a failure to fetch or build it is no error.
pub(crate) const OPTIONAL: u16 = 8;
/// A further instance of a package (isolated linker): its peers find other packages.
pub(crate) const INSTANCE: u16 = 16;
/// Its commands may be executables of a package for this system among its optional dependencies (`nativeDependencies`).
pub(crate) const NATIVE: u16 = 32;
/// For certain operating systems and processors only.
pub(crate) const FOR_SYSTEM: u16 = 64;
/// Its install scripts have nothing to do (`ignoreScripts`).
pub(crate) const NEEDS_NO_SCRIPT: u16 = 128;
/// Its install scripts run although they are known to have nothing to do: `ignoreScripts` does not name it.
pub(crate) const KEEPS_SCRIPT: u16 = 256;

#[derive(Clone, Debug)]
pub struct PlanPackage {
    /// The real name; an alias is only in the placement.
    pub name: Str,
    /// `1.2.3`, or what the lockfile has after the `@`.
    pub version: Str,
    pub kind: Kind,
    /// Folder below the cache; empty for what is not in the cache.
    pub cache_dir: Str,
    /// Workspace, folder, link: directory relative to the root; local tarball: the file.
    pub path: Str,
    /// Where the tarball is.
    pub url: Str,
    pub integrity: Integrity,
    /// Range of [`Plan::bins`].
    pub bins: Range<u32>,
    /// `directories.bin`.
    pub bin_dir: Str,
    /// Range of [`Plan::edges`].
    pub edges: Range<u32>,
    pub flags: u16,
    /// Patch file relative to the root, or empty.
    pub patch: Str,
    pub patch_hash: u64,
    /// Hash of the packages that its peers find (isolated linker), or 0.
    pub peers: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Bin {
    /// Name of the command; empty for the only one of a package, which has the name of the folder it is in.
    pub name: Str,
    /// File in the package.
    pub path: Str,
}

/// One node_modules directory.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    pub parent: TreeId,
    /// The placement that holds it; [`NO_ID`] for the root's and for a workspace member's.
    pub owner: u32,
    /// Relative to the root: `node_modules/a/node_modules`.
    pub path: Str,
    /// Range of [`Plan::placements`].
    pub first: u32,
    pub len: u32,
    pub depth: u16,
    /// The workspace member whose own directory this is, or [`NO_ID`].
    pub workspace: PackageId,
}

/// A package in a node_modules directory.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// `react`, `@scope/name`, or an alias.
    pub folder: Str,
    pub package: PackageId,
    pub tree: TreeId,
    /// Its own node_modules directory, or [`NO_ID`].
    pub children: TreeId,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The name by which it is required.
    pub name: Str,
    pub package: PackageId,
    pub kind: EdgeKind,
}

#[derive(Clone, Debug)]
pub struct Plan {
    /// Absolute directory of the project.
    pub root: PathBuf,
    pub text: String,
    /// `[0]` is the project itself.
    pub packages: Vec<PlanPackage>,
    pub bins: Vec<Bin>,
    /// Hoisted linker only.
    pub trees: Vec<Tree>,
    /// Hoisted linker only; grouped by tree, sorted by folder.
    pub placements: Vec<Placement>,
    pub edges: Vec<Edge>,
    pub linker: Linker,
    /// Equal fingerprints mean equal node_modules directories.
    pub fingerprint: u64,
}

impl Plan {
    pub fn str(&self, at: Str) -> &str {
        at.of(&self.text)
    }

    pub fn placements_of(&self, tree: &Tree) -> &[Placement] {
        &self.placements[tree.first as usize..(tree.first + tree.len) as usize]
    }

    pub fn bins_of(&self, package: &PlanPackage) -> &[Bin] {
        &self.bins[package.bins.start as usize..package.bins.end as usize]
    }

    pub fn edges_of(&self, package: &PlanPackage) -> &[Edge] {
        &self.edges[package.edges.start as usize..package.edges.end as usize]
    }
}
