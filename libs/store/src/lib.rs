//! Packages as indexed archives, and a `node_modules` that is never written.
//!
//! An archive is one immutable file that holds all files of a package, uncompressed, behind an index that is used as it lies on
//! the disk (`docs/store.md` has the format). [`Archive`] reads one over a mapping, [`Writer`] makes one. A project whose packages
//! are in archives has one small file more, `node_modules/.bao-store`: an archive itself, whose entries say which path below
//! `node_modules` is which archive. [`find`] answers for a path what a file system would: the module resolver, the module loader
//! and `node:fs` ask it before they ask the system, where a path [`concerns`] it. What a program read the last time it ran is in one
//! file more, see [`record`].
//!
//! The same answers for the files of a program that is a part of the executable, see [`embed`].

mod ahead;
mod archive;
mod embedded;
mod mounts;
mod on_disk;
pub mod record;
pub mod shims;
#[cfg(target_os = "linux")]
pub mod view;
mod writer;
mod written;

#[cfg(test)]
mod tests;

pub use archive::{Archive, Damage, Entry, Kind, exercise};
pub use embedded::{embed, holds as is_embedded};
pub use mounts::{
    CLOSED, INDEX, Node, Place, are_packages_of, cat, concerns, discover, discover_at, extract, find, is_active,
    is_dir, is_file, names_in, real_path,
};
pub use on_disk::{directory_on_disk, enter, place_on_disk, prepare_program};
pub use writer::{Writer, write_atomically};
pub use written::{forget_written, note_write, written};
