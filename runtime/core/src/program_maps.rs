//! Source maps that a program's own files name (ECMA-426), by which stacks show what was written: of files that were bundled for Bun,
//! which begin with `// @bun`, as in Bun; of all files if source maps are enabled (`--enable-source-maps`,
//! `process.setSourceMapsEnabled`), as in Node. Maps of what the runtime has transpiled itself are in the module map.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::Read as _;
use std::sync::Arc;

use resolve::paths;
use run_options::RunOptions;
use transpile::SourceMap;

use crate::prepare;

/// What a bundle for Bun begins with, behind a `#!` line.
const MARK: &[u8] = b"// @bun";
/// How much of a file is looked at for the mark, in bytes.
const HEAD: u64 = 512;

/// A file that was in a stack.
struct Found {
    is_marked: bool,
    /// Its map, once it has been looked for.
    map: Option<Option<Arc<SourceMap>>>,
}

/// The maps of a thread's files, by the name that these have in stacks.
#[derive(Default)]
pub struct ProgramMaps {
    /// Whether maps of all files count; `None` until the program says so.
    enabled: Cell<Option<bool>>,
    found: RefCell<HashMap<String, Found>>,
}

impl ProgramMaps {
    /// `process.setSourceMapsEnabled`.
    pub fn enable(&self, enabled: bool) {
        self.enabled.set(Some(enabled));
    }

    /// Whether maps of all files count: as the program has said, else by the thread's options, which have those of `NODE_OPTIONS`.
    pub fn are_enabled(&self, options: &RunOptions) -> bool {
        self.enabled.get().unwrap_or_else(|| options.node_option("--enable-source-maps").is_some())
    }

    /// The map that counts for a file, by its path or URL in stacks. The names of its sources are paths, but for those with a scheme.
    pub(crate) fn map_for(&self, name: &str, options: &RunOptions) -> Option<Arc<SourceMap>> {
        let enabled = self.are_enabled(options);
        let mut all = self.found.borrow_mut();
        let path = path_of(name)?;
        let found = match all.get_mut(name) {
            Some(found) => found,
            None => {
                let is_marked = is_marked(&path).unwrap_or(false);
                all.entry(name.to_string()).or_insert(Found { is_marked, map: None })
            }
        };
        if !enabled && !found.is_marked {
            return None;
        }
        found.map.get_or_insert_with(|| read(&path, found.is_marked).map(Arc::new)).clone()
    }

    /// The text of a source, if a map that was asked for has it.
    pub(crate) fn text_of(&self, source: &str) -> Option<Vec<u8>> {
        self.found.borrow().values().find_map(|found| {
            let map = found.map.as_ref()?.as_ref()?;
            let at = map.sources().iter().position(|name| name == source)?;
            Some(map.source_content(at as u32)?.as_bytes().to_vec())
        })
    }
}

/// The path of a file in a stack.
fn path_of(name: &str) -> Option<String> {
    match name.strip_prefix("file://") {
        Some(rest) => Some(paths::percent_decode(paths::split_suffix(rest).0).into_owned()),
        None => name.starts_with('/').then(|| name.to_string()),
    }
}

fn is_marked(path: &str) -> Option<bool> {
    let mut head = Vec::new();
    std::fs::File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let text = match head.strip_prefix(b"#!") {
        Some(rest) => &rest[rest.iter().position(|byte| *byte == b'\n')? + 1..],
        None => &head,
    };
    Some(text.starts_with(MARK))
}

/// The map that a file names, or the one beside a bundle for Bun that names none, as `--sourcemap=external` writes it.
fn read(path: &str, is_marked: bool) -> Option<SourceMap> {
    let text = prepare::text_of(path)?;
    let (json, place) = match transpile::source_mapping_url(&text) {
        Some(url) => match transpile::decode_data_url(url) {
            Some(json) => (json.into_owned(), path.to_string()),
            None => {
                let url = paths::percent_decode(url.strip_prefix("file://").unwrap_or(url));
                let place = paths::join(paths::parent(path)?, &url);
                (prepare::text_of(&place)?, place)
            }
        },
        None if is_marked => {
            let place = format!("{path}.map");
            (prepare::text_of(&place)?, place)
        }
        None => return None,
    };
    let mut map = SourceMap::from_json(&json).ok()?;
    let folder = paths::parent(&place)?;
    map.map_sources(|source| match paths::url_scheme(source) {
        // A source without a name has no place.
        _ if source.is_empty() => String::new(),
        Some("file") => path_of(source).unwrap_or_else(|| source.to_string()),
        Some(_) => source.to_string(),
        None => paths::join(folder, source),
    });
    Some(map)
}
