//! tsconfig.json and jsconfig.json: the compiler options that matter at run time, and path mappings.
//!
//! The transpiler takes what decides about the code (JSX, decorators, class fields), the resolver takes the paths; both
//! from one reading of the file and of everything that it extends.
//! Reference: <https://www.typescriptlang.org/tsconfig>.
//!
//! ```
//! use std::path::Path;
//! use tsconfig::TsConfig;
//!
//! let text = r#"{ "compilerOptions": { "jsx": "react", "paths": { "@/*": ["./src/*"] } } } // JSONC"#;
//! let config = TsConfig::from_text(text, Path::new("/app/tsconfig.json"))?;
//! assert_eq!(config.jsx, Some(tsconfig::JsxSetting::React));
//! assert_eq!(config.paths.candidates("@/a"), ["/app/src/a"]);
//! # Ok::<(), tsconfig::Error>(())
//! ```
//!
//! | entry | what it is for |
//! |---|---|
//! | [`TsConfig::load`] | the configuration of the files in a directory: the nearest file, going up |
//! | [`TsConfig::load_file`] | a certain file |
//! | [`TsConfig::from_text`] | a text, as if it were a file's |
//! | [`find_extended`] | the file that an item of `extends` means |
//! | [`Paths::candidates`] | the paths that a specifier may stand for |
//! | [`Error`] | where and why a file cannot be used |
//!
//! `extends` (a file, a package, a list) is followed; what goes wrong there is a warning, and the rest counts.
//!
//! The rooms: `config` merges files, `extends` finds them, `paths` maps specifiers.

mod config;
mod extends;
mod paths;

#[cfg(test)]
mod tests;

pub use config::{Error, JsxSetting, TsConfig};
pub use extends::find as find_extended;
pub use paths::Paths;
