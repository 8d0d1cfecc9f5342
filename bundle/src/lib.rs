//! The bundler behind `bao build` and `Bun.build` (https://bun.com/docs/bundler).
//!
//! rolldown scans, links and prints the modules of JavaScript; this crate gives it Bun's options, loaders and names, and
//! makes what rolldown does not: assets, style sheets, the metafile, Bun's messages. It knows no engine: what plugins of a
//! program answer comes through [`Hooks`].

mod assets;
mod css;
mod external;
mod hooks;
mod job;
mod messages;
mod metafile;
mod minify;
mod options;
mod plugin;
mod rewrite;
mod settings;
mod transpile_data;

pub use hooks::{Answer, Expanded, Hooks, Loaded, Resolved};
pub use job::{Artifact, ArtifactKind, Built, build};
pub use messages::{Message, Position, Unresolved};
pub use minify::minify;
pub use options::{BuildOptions, Filter, Format, Jsx, LegalComments, Loader, Minify, Naming, Sourcemap, Target};
