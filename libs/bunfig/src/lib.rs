//! bunfig.toml (<https://bun.com/docs/runtime/bunfig>) as one typed struct.
//!
//! The command line takes the keys for programs, scripts and tests, the package manager takes `[install]`, the bundler
//! takes `[serve.static]`, `bao fmt` takes `[fmt]`; all from this reader, with one style of error: the file, the line, the
//! column, the key, what it must be and what it is.
//!
//! ```
//! use bunfig::{Bunfig, Tables};
//! use std::path::Path;
//!
//! let text = "smol = true\n[install]\nlinker = \"isolated\"\n";
//! let bunfig = Bunfig::parse(text, Path::new("bunfig.toml"), Tables::Program)?;
//! assert_eq!(bunfig.smol, Some(true));
//! let error = Bunfig::parse("smol = 'x'", Path::new("bunfig.toml"), Tables::Program).unwrap_err();
//! assert_eq!(error.message, "bunfig.toml:1:8: smol must be true or false, not string");
//! # Ok::<(), bunfig::Error>(())
//! ```
//!
//! | entry | what it is for |
//! |---|---|
//! | [`Bunfig::parse`] | the text of a file; [`Tables`] says which of it counts |
//! | [`Bunfig`], [`Run`], [`Test`] | keys for programs |
//! | [`Install`], [`Registry`] | `[install]` |
//! | [`Pages`] | `[serve.static]` |
//! | [`Fmt`] | `[fmt]` |
//! | [`LOADERS`], [`COVERAGE_REPORTERS`], [`duration`] | what values are good, for the command line too |
//!
//! A key that is not set is `None`, empty or `false`: defaults are the caller's. Unknown keys are passed over, as in Bun, but
//! those of `[serve.static]` and `[fmt]`, which are mistakes.
//!
//! The rooms: `program`, `install`, `pages` and `fmt` read the tables, `reader` reads values and makes errors.

mod fmt;
mod install;
mod pages;
mod program;
mod reader;

#[cfg(test)]
mod tests;

use std::path::Path;

use run_options::Jsx;

pub use fmt::Fmt;
pub use install::{AutoInstall, Backend, Install, Linker, LogLevel, Registry, duration};
pub use pages::{Minify, Pages};
pub use program::{Run, Test};
pub use reader::Error;

/// Loaders by the names that Bun has for them.
pub const LOADERS: &[&str] =
    &["js", "jsx", "ts", "tsx", "json", "jsonc", "json5", "toml", "yaml", "text", "file", "wasm", "napi"];

/// Reporters of coverage.
pub const COVERAGE_REPORTERS: &[&str] = &["text", "html", "lcov", "json", "json-summary"];

/// What a file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bunfig {
    /// Modules to load before the program.
    pub preload: Vec<String>,
    pub smol: Option<bool>,
    /// `env = false`: no automatic `.env` files.
    pub no_env_file: bool,
    /// Name, and the text that replaces it.
    pub define: Vec<(String, String)>,
    /// Extension with its dot, and one of [`LOADERS`].
    pub loaders: Vec<(String, String)>,
    pub console_depth: Option<u32>,
    pub jsx: Jsx,
    /// `[serve] port`.
    pub port: Option<u16>,
    /// `[install] auto`, for programs.
    pub auto_install: Option<AutoInstall>,
    /// `[install] prefer = "offline"`, for programs.
    pub prefer_offline: bool,
    pub run: Run,
    pub test: Test,
    pub install: Install,
    pub pages: Pages,
    pub fmt: Fmt,
}

/// Which tables count. A mistake in those of another command is that command's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Everything for programs, scripts and tests.
    Program,
    /// `[install]`.
    Install,
    /// `[serve.static]`.
    Pages,
    /// `[fmt]`.
    Fmt,
}

impl Bunfig {
    /// Reads the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// The text is not TOML, or a key has a value that it cannot have.
    pub fn parse(text: &str, path: &Path, tables: Tables) -> Result<Bunfig, Error> {
        reader::parse(text, path, tables)
    }
}
