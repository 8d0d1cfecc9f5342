//! Where the built-in modules are: every TypeScript file of `ext/` is one, and its place gives its id.
//!
//! | file | id |
//! |---|---|
//! | `ext/FAMILY/node/X.ts` | `node:X` |
//! | `ext/FAMILY/web/X.ts` | `web/X` |
//! | `ext/FAMILY/bun/X.ts` | `bun/X` |
//! | `ext/FAMILY/X.ts` | `internal/FAMILY/X` |
//!
//! Used by the build script, which compiles them, and by `BAO_LIB`, which reads them when they are loaded.

use std::io;
use std::path::{Path, PathBuf};

/// All built-in modules below `root` as (id, file), sorted by id. `visit` is told every folder and file that was looked at.
pub(crate) fn collect(root: &Path, visit: &mut dyn FnMut(&Path)) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    collect_below(root, root, visit, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect_below(
    root: &Path,
    folder: &Path,
    visit: &mut dyn FnMut(&Path),
    files: &mut Vec<(String, PathBuf)>,
) -> io::Result<()> {
    visit(folder);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            // The native half of a family.
            if path.file_name().is_some_and(|name| name != "native") {
                collect_below(root, &path, visit, files)?;
            }
            continue;
        }
        let relative = path.strip_prefix(root).map_err(io::Error::other)?.to_string_lossy().into_owned();
        if let Some(place) = relative.strip_suffix(".ts")
            && !place.ends_with(".d")
            && let Some(id) = id_of(place)
        {
            visit(&path);
            files.push((id, path));
        }
    }
    Ok(())
}

/// The id of the module at a place below `ext/` (without the ending); `None` for a file outside of a family.
fn id_of(place: &str) -> Option<String> {
    let (_, rest) = place.split_once('/')?;
    if let Some(rest) = rest.strip_prefix("node/") {
        return Some(format!("node:{rest}"));
    }
    if rest.starts_with("web/") || rest.starts_with("bun/") {
        return Some(rest.to_string());
    }
    Some(format!("internal/{place}"))
}
