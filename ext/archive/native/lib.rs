//! Native half of `Bun.Archive` (family `archive`), on `libs/tar`, which the package manager unpacks with as well, and `libs/zip`.
//!
//! An archive is bytes: tar, tar compressed with gzip, or zip. [`list`] gives files in memory, [`names`] what is there, [`read`] one file,
//! [`extract`] writes entries below a directory, [`header`] makes what stands before the content of a new file in a tar archive, and
//! [`zip`] a whole zip archive.

mod extract;
mod list;
mod names;
mod reader;
mod single;

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
    if ::zip::is_zip(bytes) {
        return open_zip(bytes)?.walk(sink);
    }
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

/// Reads the directory of a zip archive.
fn open_zip(bytes: &[u8]) -> Result<::zip::Archive<'_>, Error> {
    ::zip::Archive::open(bytes, Limits { entries: MAX_ENTRIES, ..Limits::for_tarball(bytes.len()) })
}

/// Adds bytes of an archive to those that are there.
///
/// # Errors
/// The memory is full.
pub(crate) fn append(content: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Failure> {
    let too_much = |_| Failure::Io(std::io::ErrorKind::OutOfMemory.into(), "malloc", String::new());
    content.try_reserve(bytes.len()).map_err(too_much)?;
    content.extend_from_slice(bytes);
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

/// What an archive holds, as far as `globs` let it through: names, kinds (`"file"`, `"directory"` or `"link"`), sizes in bytes, and times in
/// milliseconds. Of a zip archive only the directory is read.
#[op(blocking)]
fn names(
    bytes: PinnedBytes,
    globs: Vec<String>,
) -> Result<(Vec<String>, Vec<&'static str>, Vec<f64>, Vec<f64>), OpError> {
    let mut names = single::Names::new(names::Filter::new(&globs));
    if ::zip::is_zip(bytes.as_slice()) {
        for entry in open_zip(bytes.as_slice()).map_err(Failure::from)?.entries() {
            names.add_zip(entry);
        }
    } else {
        walk(bytes.as_slice(), &mut names)?;
    }
    Ok(names.finish())
}

/// One file of an archive: its content and its time in milliseconds; undefined if there is no file of this name. Of several the last one
/// counts. Of a zip archive nothing else is inflated.
#[op(blocking)]
fn read(bytes: PinnedBytes, name: String) -> Result<Option<(Vec<u8>, f64)>, OpError> {
    if ::zip::is_zip(bytes.as_slice()) {
        let mut archive = open_zip(bytes.as_slice()).map_err(Failure::from)?;
        let is_it = |entry: &::zip::Entry| entry.kind == ::zip::EntryKind::File && entry.name == name.as_bytes();
        let Some(place) = archive.entries().iter().rposition(is_it) else { return Ok(None) };
        let modified = archive.entries()[place].modified as f64 * 1000.0;
        return Ok(Some((archive.read(place).map_err(Failure::from)?, modified)));
    }
    let mut single = single::Single::new(name.into_bytes());
    walk(bytes.as_slice(), &mut single)?;
    Ok(single.finish())
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

/// A zip archive of files whose contents lie one after the other in `contents`. `modified` is in seconds since 1970, `level` 0 (not
/// compressed) to 12.
#[op(blocking)]
fn zip(
    names: Vec<String>,
    sizes: Vec<f64>,
    contents: PinnedBytes,
    modified: f64,
    level: u32,
) -> Result<Vec<u8>, OpError> {
    let mut writer = ::zip::Writer::new(level.min(12) as u8);
    let mut rest = contents.as_slice();
    for (name, size) in names.iter().zip(&sizes) {
        let split = rest.split_at_checked(*size as usize);
        let (content, behind) = split.ok_or_else(|| OpError::range_error("the sizes are larger than the contents"))?;
        rest = behind;
        if !writer.file(name, content, 0o644, modified as i64) {
            return Err(OpError::type_error("Archive: the name of an entry is longer than 65,535 bytes"));
        }
    }
    Ok(writer.finish())
}

engine::ops!(pub fn family "archive" {
    list, names, read, extract, header, zip, reader::open_reader, reader::reader_format, reader::reader_count,
    reader::reader_find, reader::reader_entry, reader::reader_children, reader::reader_read, reader::reader_read_later,
    reader::reader_verify,
});
