//! Native half of `Bun.Archive` (family `archive`), on `libs/tar`, which the package manager unpacks with as well.
//!
//! An archive is bytes, compressed with gzip or not. [`list`] gives files in memory, [`extract`] writes entries below a directory,
//! [`headers`] makes what stands before the content of a new file.

mod extract;
mod list;
mod names;
mod reader;

use engine::{OpError, PinnedBytes, op};
use tar::{Error, Inflater, Kind, Limits, Parser, Sink};

/// Entries of an archive that is read.
const MAX_ENTRIES: u32 = 10_000_000;

/// Why reading ends: the archive, or what is done with its entries.
pub(crate) enum Failure {
    Archive(Error),
    Io(std::io::Error, &'static str, String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Archive(error)
    }
}

impl From<Failure> for OpError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Io(error, call, path) => OpError::io(error, call).path(path),
            Failure::Archive(error) => {
                let code = match error.kind {
                    Kind::Damaged => "ERR_ARCHIVE_DAMAGED",
                    Kind::Bomb | Kind::Entries => "ERR_ARCHIVE_TOO_LARGE",
                    Kind::Refused => "ERR_ARCHIVE_REFUSED",
                };
                OpError::error(error.message.replace("The tarball", "The archive")).code(code)
            }
        }
    }
}

/// Walks an archive.
fn walk<S: Sink<Error = Failure>>(bytes: &[u8], sink: &mut S) -> Result<(), Failure> {
    // An archive that is not compressed is as large as it is.
    let limits = Limits { entries: MAX_ENTRIES, ..Limits::for_tarball(bytes.len()) };
    let limits = if tar::is_gzip(bytes) { limits } else { Limits { bytes: u64::MAX, ..limits } };
    let mut parser = Parser::new(limits);
    let mut length = 0;
    let mut first = true;
    let fed = Inflater::new().inflate(bytes, limits.bytes, &mut |piece| {
        length += piece.len();
        let fed = parser.feed(piece, sink);
        // Damage in the first header: these bytes never were an archive.
        if first && parser.entries() == 0 && matches!(&fed, Err(Failure::Archive(error)) if error.kind == Kind::Damaged)
        {
            return Err(unrecognized());
        }
        first = false;
        fed
    });
    fed?;
    if parser.entries() > 0 {
        parser.finish()?;
    } else if length < 512 {
        return Err(unrecognized());
    }
    Ok(())
}

fn unrecognized() -> Failure {
    Failure::Archive(Error { message: "Unrecognized archive format".to_owned(), cause: None, kind: Kind::Damaged })
}

/// The files of an archive that `globs` let through (all if there are none): names, their times in milliseconds, their sizes, and their
/// contents one after the other.
#[op(blocking)]
fn list(bytes: PinnedBytes, globs: Vec<String>) -> Result<(Vec<String>, Vec<f64>, Vec<f64>, Vec<u8>), OpError> {
    let mut files = list::Files::new(names::Filter::new(&globs));
    walk(bytes.as_slice(), &mut files)?;
    Ok(files.finish())
}

/// Writes the entries of an archive that `globs` let through below `directory`, which is made if it is not there. Gives how many.
#[op(blocking)]
fn extract(bytes: PinnedBytes, directory: String, globs: Vec<String>) -> Result<u32, OpError> {
    let mut writer = extract::Writer::new(directory, names::Filter::new(&globs))?;
    walk(bytes.as_slice(), &mut writer)?;
    Ok(writer.finish()?)
}

/// What stands before the content of a file of `size` bytes; `modified` is in seconds since 1970.
#[op]
fn header(name: String, size: f64, modified: f64) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    tar::write::file_header(&name, size as u64, 0o644, modified as u64, "PaxHeader/path", &mut out);
    out
}

engine::ops!(pub fn family "archive" {
    list, extract, header, reader::open_reader, reader::reader_format, reader::reader_count, reader::reader_find,
    reader::reader_entry, reader::reader_children, reader::reader_read, reader::reader_read_later, reader::reader_verify,
});
