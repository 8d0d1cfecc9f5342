//! Native half of `node:path` and `fs.glob` (family `path`): globs as Node has them. The rest of paths is ext/path/*.ts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use engine::{JsStr, Resource, op, ops};
use glob::{Name, PathGlob, PathOptions, Segment};

/// Patterns that [`matches_glob`] keeps.
const KEPT: usize = 128;

thread_local! {
    static COMPILED: RefCell<HashMap<(String, bool), Rc<PathGlob>>> = RefCell::default();
}

/// Node's options: names have no case on macOS and Windows.
fn options(windows: bool) -> PathOptions {
    PathOptions { nocase: cfg!(any(target_os = "macos", windows)), windows, ..PathOptions::node() }
}

fn text(text: &JsStr<'_>) -> String {
    if text.is_latin1() {
        text.latin1().iter().map(|&byte| char::from(byte)).collect()
    } else {
        String::from_utf16_lossy(text.utf16())
    }
}

/// Whether all of a path matches a pattern. `windows`: "\" separates the names of the path, too. Patterns are compiled once
/// while they are in use.
#[op]
fn matches_glob(path: JsStr<'_>, pattern: JsStr<'_>, windows: bool) -> bool {
    let key = (text(&pattern), windows);
    let compiled = COMPILED.with_borrow_mut(|compiled| {
        if let Some(known) = compiled.get(&key) {
            return known.clone();
        }
        if compiled.len() >= KEPT {
            compiled.clear();
        }
        let fresh = Rc::new(PathGlob::new(&key.0, options(windows)));
        compiled.insert(key, fresh.clone());
        fresh
    });
    compiled.matches(&text(&path))
}

/// What stands between two slashes of a pattern: 0 `**`; 1 a name, which is the text; 2 a pattern for [`match_name`].
type Part = (u8, String, Option<Resource<Name>>);

/// The alternatives (by braces) of a pattern, each a list of its parts.
#[op]
fn compile_glob(pattern: String, windows: bool) -> Vec<Vec<Part>> {
    let part = |segment| match segment {
        Segment::Any => (0, String::new(), None),
        Segment::Exact(text) => (1, text, None),
        Segment::Name(name) => (2, String::new(), Some(Resource::new(name))),
    };
    let alternatives = PathGlob::new(&pattern, options(windows)).into_alternatives();
    alternatives.into_iter().map(|segments| segments.into_iter().map(part).collect()).collect()
}

/// Whether a name matches a part of a pattern.
#[op]
fn match_name(pattern: &Resource<Name>, name: JsStr<'_>) -> bool {
    pattern.matches(&text(&name))
}

ops!(pub fn family "path" { matches_glob, compile_glob, match_name });
