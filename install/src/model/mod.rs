//! What an install computes with: the graph, what package.json and bun.lock say of it, specifiers, and the plan for the linkers.
//!
//! Nothing here reads a file or asks a registry.

pub(crate) mod extras;
pub(crate) mod graph;
pub(crate) mod hoisted_tree;
pub(crate) mod integrity;
pub(crate) mod overrides;
pub(crate) mod package_extensions;
pub(crate) mod paths;
pub(crate) mod plan;
pub(crate) mod platform;
pub(crate) mod registry_url;
pub(crate) mod spec;
pub(crate) mod string_arena;
