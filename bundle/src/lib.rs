//! The bundler behind `bao build` and `Bun.build` (https://bun.com/docs/bundler).
//!
//! rolldown scans, links and prints the modules of JavaScript; this crate gives it Bun's options, loaders and names, and
//! makes what rolldown does not: assets, style sheets, the metafile, Bun's messages. It knows no engine: what plugins of a
//! program answer comes through [`Hooks`].

mod archived;
mod assets;
mod css;
mod declarations;
mod external;
mod hooks;
mod job;
mod messages;
mod metafile;
mod minify;
mod options;
mod plugin;
mod progress;
mod rewrite;
mod rules;
mod settings;
mod transpile_data;
mod tsconfig_choice;
mod wording;

pub use hooks::{Answer, Changed, Deferral, Hooks, Loaded, Resolved};
pub use job::{Artifact, ArtifactKind, Built, build};
pub use messages::{Message, Position, Unresolved};
pub use options::{BuildOptions, Filter, Format, Jsx, LegalComments, Loader, ManualChunk, Minify, Naming, Sourcemap, Target};
