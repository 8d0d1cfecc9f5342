//! Globs: `Bun.Glob`.

pub mod pattern;
pub mod walk;
