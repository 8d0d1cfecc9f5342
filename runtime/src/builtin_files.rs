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

/// Families that join several of the former folders keep their ids for now: place below `ext/` and former id.
const FORMER: &[(&str, &str)] = &[
    ("internal/child_process/cluster/", "internal/cluster/"),
    ("internal/core/call_sites", "internal/call_sites"),
    ("internal/core/errors", "internal/errors"),
    ("internal/core/errors_text", "internal/errors_text"),
    ("internal/core/priority_queue", "internal/priority_queue"),
    ("internal/core/task_queues", "internal/task_queues"),
    ("internal/core/timers", "internal/timers"),
    ("internal/core/util", "internal/util"),
    ("internal/core/uv_errors", "internal/uv_errors"),
    ("internal/core/validators", "internal/validators"),
    ("internal/events/async_context", "internal/async_context"),
    ("internal/events/async_ids", "internal/async_ids"),
    ("internal/events/diagnostics", "internal/diagnostics"),
    ("internal/events/shared", "internal/events_shared"),
    ("internal/fetch/websocket/", "internal/websocket/"),
    ("internal/http/http2/", "internal/http2/"),
    ("internal/module/cjs", "internal/cjs"),
    ("internal/module/hot", "internal/hot"),
    ("internal/module/import_meta", "internal/import_meta"),
    ("internal/module/inside_node_modules", "internal/inside_node_modules"),
    ("internal/module/loader_hooks", "internal/loader_hooks"),
    ("internal/module/source_map", "internal/source_map"),
    ("internal/module/wasm", "internal/wasm"),
    ("internal/module/wasm_streaming", "internal/wasm_streaming"),
    ("internal/net/dns/", "internal/dns/"),
    ("internal/net/sockets/", "internal/sockets/"),
    ("internal/net/tls/", "internal/tls/"),
    ("internal/node_internals/", "internal/exposed/"),
    ("internal/repl/readline/", "internal/readline/"),
    ("internal/repl/session", "internal/repl"),
    ("internal/streams/webstreams/", "internal/webstreams/"),
    ("internal/test/bun_test/", "internal/bun_test/"),
    ("internal/test/node_test/", "internal/test/"),
    ("internal/tty/keys", "internal/tty"),
    ("internal/url/url", "internal/url"),
    ("internal/url/url_context", "internal/url_context"),
    ("internal/url/url_legacy", "internal/url_legacy"),
    ("internal/url/url_legacy_resolve", "internal/url_legacy_resolve"),
    ("internal/url/url_pattern/", "internal/url_pattern/"),
    ("internal/util/assert/", "internal/assert/"),
    ("internal/worker/messaging/", "internal/messaging/"),
    ("internal/core/globals", "internal/globals"),
    ("internal/worker/untransferable", "internal/untransferable"),
];

/// All built-in modules below `root` as (id, file), sorted by id. `visit` is told every folder and file that was looked at.
pub fn collect(root: &Path, visit: &mut dyn FnMut(&Path)) -> io::Result<Vec<(String, PathBuf)>> {
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
    let id = format!("internal/{place}");
    let former = FORMER.iter().find_map(|(now, former)| {
        let rest = id.strip_prefix(now)?;
        (rest.is_empty() || now.ends_with('/')).then(|| format!("{former}{rest}"))
    });
    Some(former.unwrap_or(id))
}
