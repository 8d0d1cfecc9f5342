//! Workspaces: which directories the `workspaces` of a package.json names, which packages `--filter` chooses, and in which
//! order they come.
//!
//! The package manager and the runner of scripts read the same projects and take the same filters. Both hand over what they
//! have read of each package.json as [`Package`]; nothing here knows how it was read. Results are those of Bun 1.4.5;
//! in what `bun install` and `bun run` differ is named in [`FilterOptions`] and [`Edges`].
//!
//! ```
//! use std::path::Path;
//! use workspace::{Edges, FilterOptions, Graph, Package, select};
//!
//! let package = |name, path, needs: &[&'static str]| Package {
//!     name: Some(name),
//!     path,
//!     version: "1.0.0",
//!     dependencies: needs.iter().map(|name| (*name, "workspace:*")).collect(),
//! };
//! let packages = [package("app", "", &[]), package("a", "packages/a", &["b"]), package("b", "packages/b", &[])];
//! let graph = Graph::new(&packages, Edges::Names);
//! let options = FilterOptions { root: Path::new("/w"), here: Path::new("/w"), root_is_member: false };
//! let selected = select(&packages, &graph, &["a...".to_owned()], options);
//! assert_eq!(selected.chosen, [false, true, true]);
//! assert_eq!(graph.order(), [0, 2, 1]);
//! ```
//!
//! | to | use |
//! |---|---|
//! | find the directories of the members | [`members`] |
//! | ask whether a directory would be one | [`is_member`] |
//! | choose packages by `--filter` | [`select`], [`Selected`] |
//! | order packages by their dependencies | [`Graph::order`], [`Graph::reach`] |
//! | compare a name or path with a pattern | [`matches`], [`is_pattern`] |
//!
//! The rooms: `members`, `filter`, `graph`.

mod filter;
mod graph;
mod members;

pub use filter::{FilterOptions, Selected, is_exact, select};
pub use glob::is_pattern;
pub use graph::{Edges, Graph, Package};
pub use members::{Member, is_member, members, resolve};

/// Whether a name or a path is one of those that a pattern stands for.
pub fn matches(pattern: &str, text: &str) -> bool {
    glob::Pattern::new(pattern).matches(text.as_bytes())
}
