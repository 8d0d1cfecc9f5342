//! Text for people at a terminal: what is left of it without escape sequences, how many columns it takes, in which lines two
//! texts differ, and which word somebody may have meant.
//!
//! Node and Bun count columns differently on purpose: [`width::utf16`] counts grapheme clusters, as `Bun.stringWidth` does,
//! [`width::code_points`] counts code points one by one, as `util.inspect` and `console.table` of Node do. There is one
//! table of characters; where Node's values are others they stand beside it.
//!
//! ```
//! use text::{ansi, diff, suggest, width};
//!
//! assert_eq!(ansi::strip(b"\x1b[31mred\x1b[0m").as_deref(), Some(&b"red"[..]));
//! assert_eq!(width::utf16(&"日本".encode_utf16().collect::<Vec<_>>(), false, true), 4);
//! assert_eq!(suggest::nearest("biuld", ["test", "build"]), Some("build"));
//! let script = diff::script(2, 2, diff::Limits::default(), |a, b| ["x", "y"][a] == ["x", "z"][b]);
//! assert_eq!(script.as_deref(), Some(&[diff::Edit::Keep, diff::Edit::Delete, diff::Edit::Insert][..]));
//! ```
//!
//! | to | use |
//! |---|---|
//! | remove escape sequences (ECMA-48) | [`ansi::strip`], [`ansi::find`], [`ansi::skip`] |
//! | count columns as Bun does | [`width::latin1`], [`width::utf16`], [`width::clusters`], [`width::cluster_columns`] |
//! | count columns as Node does | [`width::code_points`] |
//! | compare two lists of lines or characters | [`diff::script`] |
//! | write the difference of two texts as a patch | [`patch::patch`] |
//! | find the word that was meant | [`suggest::nearest`], [`suggest::distance`] |
//!
//! The rooms: `ansi`, `width` with its tables in `width_table`, `diff` (Myers' algorithm), `patch` (unified hunks), `suggest`.

pub mod ansi;
pub mod diff;
pub mod patch;
pub mod suggest;
pub mod width;
mod width_table;
