//! What an install computes with: the graph, what package.json and bun.lock say of it, specifiers, and the plan for the linkers.
//!
//! Nothing here reads a file or asks a registry.

pub mod extras;
pub mod graph;
pub mod hoisted_tree;
pub mod integrity;
pub mod overrides;
pub mod package_extensions;
pub mod paths;
pub mod plan;
pub mod platform;
pub mod registry_url;
pub mod spec;
pub mod string_arena;
