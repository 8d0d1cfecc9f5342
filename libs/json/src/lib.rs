//! JSON in its three flavours: read in one pass or as a tree, written, and edited in place.
//!
//! package.json, tsconfig.json, lockfiles, registry documents, source maps and data that programs import are all read
//! here, so that a text that one part of the program accepts means the same to every other part. JSON is RFC 8259; JSONC
//! is JSON with `//` and `/* */` comments and trailing commas; JSON5 is <https://spec.json5.org>. A leading byte order
//! mark is skipped in all of them.
//!
//! ```
//! use json::{Cursor, Flavor, Value};
//!
//! // A tree, with the place of every value.
//! let value = Value::parse(br#"{ "name": "a", "files": ["x", "y",] } // JSONC"#)?;
//! assert_eq!(value.text("name"), "a");
//!
//! // One pass: what nobody asks for is checked and skipped, and nothing is built.
//! let mut cursor = Cursor::new(br#"{"scripts": {"a": 1}, "name": "b"}"#, Flavor::Json);
//! let mut name = None;
//! cursor.object(|cursor, key| match &*key {
//!     "name" => { name = cursor.string_value()?; Some(()) }
//!     _ => cursor.skip(),
//! });
//! assert_eq!(name.as_deref(), Some("b"));
//! # Ok::<(), json::Error>(())
//! ```
//!
//! | entry | what it is for |
//! |---|---|
//! | [`Cursor`] | formats that are read in one pass: the fastest way, nothing is allocated that is not asked for |
//! | [`Value`] | the whole document as a tree with positions |
//! | [`Document`], [`GROUPS`] | a text under edit that keeps its indentation, order, line ends and comments |
//! | [`quote`], [`quote_bare`], [`write_number`] | the text of strings and numbers, as `JSON.stringify` writes it |
//! | [`Error`] | where and why a text is not JSON |
//!
//! How a document is read, from cheap to expensive: [`Cursor::unchecked`] trusts the machine that wrote it and skips by
//! brackets; [`Cursor::skip`] checks what it skips; [`Cursor::value`] builds a tree. All three walk without recursion.
//! Objects and arrays may nest [`MAX_DEPTH`] levels. Strings are UTF-8: half a surrogate pair becomes U+FFFD.
//!
//! The rooms: `cursor` walks, `strings` and `numbers` read those two, `tree` builds, `write` writes, `edit` and
//! `dependencies` change a text, `error` says what is wrong with it, `json5` in the words for JSON5.

mod cursor;
mod dependencies;
mod edit;
mod error;
mod json5;
mod numbers;
mod strings;
mod tree;
mod write;

#[cfg(test)]
mod tests;

pub use cursor::{Cursor, Flavor, MAX_DEPTH};
pub use dependencies::GROUPS;
pub use edit::{Document, Slots, pretty, style};
pub use error::Error;
pub use numbers::is_json_number;
pub use tree::{Member, Node, Value, unique};
pub use write::{number_text, quote, quote_bare, write_number};
