//! What the programs of bench/install take: measurements of parts, and the registry.

pub use crate::error::{Error, Result};
pub use crate::link::{LinkOptions, Silent, link, up_to_date};
pub use crate::lockfile::read as read_lockfile;
pub use crate::model::integrity::Integrity;
pub use crate::model::plan::{Kind, Linker, NO_ID, Placement, Plan, PlanPackage, Tree};
pub use crate::model::string_arena::Str;
pub use crate::net::{Client, Net, Request, Settings};
pub use crate::registry::manifest::Manifest;
pub use crate::registry::manifest::cache::{Cache, file_name};
pub use crate::store::Store;
pub use crate::store::fs::make_dirs;
pub use crate::store::tarball::{digest, extract};
pub use json::{Cursor, Value};
pub use tar::{Inflater, Limits, Parser, Sink};
