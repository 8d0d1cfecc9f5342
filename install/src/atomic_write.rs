//! Files that are whole or absent, whenever the process ends.

use crate::error::{Error, Result};
use std::path::Path;

/// Writes a file beside its place and renames it; the permissions of one that was there stay.
///
/// # Errors
/// `what path` with the system's reason; the file is as it was, and nothing is left beside it.
pub(crate) fn write_as(what: &str, path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    std::fs::write(&beside, bytes)
        .and_then(|()| {
            if let Ok(metadata) = std::fs::metadata(path) {
                let _ = std::fs::set_permissions(&beside, metadata.permissions());
            }
            std::fs::rename(&beside, path)
        })
        .map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            Error::io(what, path, error)
        })
}

/// [`write_as`] for files that are no special ones.
pub(crate) fn write_atomic(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    write_as("cannot write", path, bytes.as_ref())
}
