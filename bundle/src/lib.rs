//! The bundler behind `bao build` and `Bun.build` (https://bun.com/docs/bundler).
//!
//! Its own core (bundle/core) or, what that declines, rolldown scans, links and prints the modules of JavaScript; this crate
//! gives them Bun's options, loaders and names, and makes what they do not: assets, style sheets, the metafile, Bun's messages. It
//! knows no engine: what plugins of a program answer comes through [`Hooks`].

mod archived;
mod assets;
mod css;
mod css_join;
mod css_modules;
mod declarations;
mod decorators;
mod depth;
mod dev;
mod disposal;
mod entries;
mod estree;
mod external;
mod find;
mod fold;
mod function_names;
mod graph;
mod hooks;
mod html;
mod import_meta;
mod job;
mod loading;
mod loop_variables;
mod messages;
mod metafile;
mod minify;
mod options;
mod own;
mod pages;
mod panics;
mod plugin;
mod polyfills;
mod preload;
mod progress;
mod public;
mod rebuild;
mod rewrite;
mod rules;
mod settings;
mod shared;
mod sloppy;
mod split;
mod survey;
mod transpile_data;
mod tsconfig_choice;
mod type_exports;
mod wide_colors;

pub use depth::STACK_SIZE;
pub use dev::{DevResolver, DevSheet, Target as DevTarget, dev_polyfill, dev_sheet};
pub use estree::estree;
pub use graph::{Graph, NewChunk};
pub use hooks::{Answer, Changed, Deferral, Expanded, Fetch, Hooks, Loaded, Prepared, Resolved};
pub use html::{Change, Reference, ReferenceKind, rewrite as rewrite_page, scan as scan_page};
pub use job::{Artifact, ArtifactKind, Built, build};
pub use messages::{Level, Message, Position, Unresolved};
pub use minify::on_release;
pub use options::{
    BuildOptions, Filter, Format, Jsx, LegalComments, Loader, ManualChunk, Minify, Naming, Sourcemap, Target,
};
pub use own::with_texts;
