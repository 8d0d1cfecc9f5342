//! Module resolution for Node and Bun programs: what file, built-in module or URL a specifier means.
//!
//! The runtime uses it; it knows no engine. The rules
//! are Node's ("Modules: CommonJS modules", "ECMAScript modules", "Modules: Packages") with Bun's
//! extensions; [`Resolver::resolve`] says which.
//!
//! ```
//! use resolve::{sorted_builtins, Kind, Options, Resolver};
//!
//! let builtins = sorted_builtins(&[("fs", "node:fs"), ("node:fs", "node:fs")]);
//! let mut resolver = Resolver::os(Options::runtime(builtins));
//! let found = resolver.resolve("fs", "/app/main.ts", Kind::Import)?;
//! assert_eq!(found.name(), "node:fs");
//! # Ok::<(), Box<resolve::ResolveError>>(())
//! ```
//!
//! The rooms: `paths` is lexical, `vfs` is the file system, `dirs` and `listing` remember
//! what directories hold, `package_json` and `exports` read packages, `lookup` finds files by path,
//! `packages` finds packages by name, `install` has missing packages installed,
//! `resolver` and `cache` hold what is known, `diagnose` writes the errors.

mod cache;
mod diagnose;
mod dirs;
mod error;
mod exports;
mod file;
mod install;
mod listing;
mod lookup;
mod options;
mod package_json;
mod packages;
pub mod paths;
mod resolver;
mod vfs;

pub use error::{ErrorKind, ResolveError};
pub use file::{FileClass, ModuleFormat, Resolution, ResolvedFile, Target};
pub use options::{
    BuiltinLookup, BundleTarget, CallOptions, Embedded, EmbeddedLookup, ExtensionOrder, InstallMode, Installer,
    Installs, Kind, Options, TsConfig, TsConfigLoader, sorted_builtins,
};
pub use package_json::{PackageJson, PackageType};
pub use paths::node_modules_paths;
pub use resolver::Resolver;
pub use tsconfig::Paths as TsConfigPaths;
pub use vfs::{DirStamp, EntryKind, ListEnd, OsVfs, Vfs};
