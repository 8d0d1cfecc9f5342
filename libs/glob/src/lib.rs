//! Globs: whether a path or a name is one of those that a pattern stands for.
//!
//! Two dialects are in use, and each has one type. [`Pattern`] is Bun's (`Bun.Glob`, workspaces, `--filter`, script names,
//! patterns of `bao test`): a path is one text, a leading `!` negates, names with a dot are like any other. [`PathGlob`] is
//! minimatch's (`path.matchesGlob` and `fs.glob` of Node, `files` and `.npmignore` of npm): a path is a list of names, and
//! [`PathOptions`] says how dots, case, backslashes and patterns without a slash are meant.
//!
//! The patterns come from programs, packages and the network. No text makes matching slow: it takes time proportional to
//! the length of the pattern times that of the text (`!(...)` of [`Pattern`]: times the length of one name), and
//! the results of brace expansion are bounded.
//!
//! ```
//! use glob::{PathGlob, PathOptions, Pattern};
//!
//! assert!(Pattern::new("src/**/*.{js,ts}").matches(b"src/a/b.ts"));
//! assert!(Pattern::new("!*.js").matches(b"a.css"));
//!
//! let node = PathGlob::new("**/*.js", PathOptions::node());
//! assert!(node.matches("a/b.js") && !node.matches("a/.b.js"));
//! assert!(PathGlob::new("*.JS", PathOptions::npm()).matches("a/b.js"));
//! ```
//!
//! | to | use |
//! |---|---|
//! | match whole paths as Bun does | [`Pattern::new`], [`Pattern::matches`] |
//! | search directories for a [`Pattern`], name by name | [`spread`], then one [`Pattern`] a name; [`Pattern::literal`] |
//! | match paths as Node or npm do | [`PathGlob::new`], [`PathGlob::matches`] |
//! | match paths that are split already, or directories that may hold matches | [`PathGlob::matches_names`], [`Extent`] |
//! | search directories for a [`PathGlob`] | [`PathGlob::alternatives`], [`Segment`] |
//!
//! The rooms: `braces` expands `{a,b}`, `parse` reads patterns, `backtrack` matches those without groups, `automaton` those
//! with groups, `name` is one name of a path, `pattern` and `path` are the two dialects.

mod automaton;
mod backtrack;
mod braces;
mod name;
mod parse;
mod path;
mod pattern;

pub use name::Name;
pub use path::{Extent, PathGlob, PathOptions, Segment};
pub use pattern::{Pattern, is_pattern, spread};
