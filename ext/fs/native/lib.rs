//! Native half of `node:fs` (and of `node:fs/promises`): files, directories, links, status, watching.
//!
//! [`sys`] does the work in terms of bytes and descriptors; [`ops`] are the native functions over it. Validation of
//! arguments, options, classes and streams are TypeScript (ext/fs/node/fs.ts, ext/fs/).

mod convert;
mod ops;
mod sys;

pub use ops::family;
