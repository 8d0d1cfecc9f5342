//! Types that a TypeScript file exports from another one without saying `type`: `export { Draft, freeze } from "./internal"`.
//!
//! TypeScript drops them, because it knows the other file; a transpiler that sees one file at a time cannot, and the engine
//! refuses a name that the other module does not have. So the other files are looked at, by their text alone: a name that is
//! found as a type and not as a value gets its `type`. In doubt a name stays what it is.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// `text`, TypeScript of the file `path`, with `type` before the names it exports from other files that are types there.
/// Lines stay what they were.
pub(crate) fn mark(path: &str, text: String) -> String {
    if !text.contains("export {") && !text.contains("export{") {
        return text;
    }
    let mut places = Vec::new();
    for list in lists(&text) {
        let Some(source) = list.source else { continue };
        if list.is_type {
            continue;
        }
        let Some(target) = file_of(path, source) else { continue };
        for (at, name, _) in &list.names {
            if is_type(&target, name, &mut HashSet::new()) == Some(true) {
                places.push(*at);
            }
        }
    }
    if places.is_empty() {
        return text;
    }
    let mut marked = String::with_capacity(text.len() + places.len() * 5);
    let mut from = 0;
    for at in places {
        marked.push_str(&text[from..at]);
        marked.push_str("type ");
        from = at;
    }
    marked.push_str(&text[from..]);
    marked
}

/// `export { a, b as c } from "x"`, or without `from`.
struct List<'t> {
    /// Where a name stands, the name, and what it is exported as.
    names: Vec<(usize, &'t str, &'t str)>,
    source: Option<&'t str>,
    is_type: bool,
}

/// The export lists of a text. Those with comments inside are left out.
fn lists(text: &str) -> Vec<List<'_>> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("export") {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        // Behind another statement, a comment, or a counter of coverage.
        let before = text[line..start].trim();
        if !before.is_empty() && !before.ends_with(';') && !before.ends_with("*/") {
            continue;
        }
        let rest = text[start + 6..].trim_start();
        let (is_type, rest) = match rest.strip_prefix("type") {
            Some(after) if after.trim_start().starts_with('{') => (true, after.trim_start()),
            _ => (false, rest),
        };
        let Some(inner) = rest.strip_prefix('{') else { continue };
        let Some(end) = inner.find('}') else { continue };
        let body = &inner[..end];
        if body.contains("//") || body.contains("/*") {
            continue;
        }
        let base = inner.as_ptr() as usize - text.as_ptr() as usize;
        let mut names = Vec::new();
        let mut at = base;
        for item in body.split(',') {
            let trimmed = item.trim();
            let place = at + (item.len() - item.trim_start().len());
            at += item.len() + 1;
            let mut words = trimmed.split_whitespace();
            let (Some(name), exported) = (words.next(), words.nth(1)) else { continue };
            // Names that say `type` themselves need nothing.
            if name != "type" || exported.is_none() && trimmed == "type" {
                names.push((place, name, exported.unwrap_or(name)));
            }
        }
        found.push(List { names, source: source_after(&inner[end + 1..]), is_type });
    }
    found
}

/// The specifier of ` from "x"` at the start of a text.
fn source_after(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix("from")?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &rest[1..];
    Some(&inner[..inner.find(quote)?])
}

/// The TypeScript file that a relative specifier means.
fn file_of(importer: &str, specifier: &str) -> Option<PathBuf> {
    if !specifier.starts_with("./") && !specifier.starts_with("../") && specifier != "." && specifier != ".." {
        return None;
    }
    let base = Path::new(importer).parent()?.join(specifier);
    let text = base.to_str()?;
    let stem = text.strip_suffix(".js").or_else(|| text.strip_suffix(".jsx")).unwrap_or(text);
    let candidates = [
        text.to_owned(),
        format!("{stem}.ts"),
        format!("{stem}.tsx"),
        format!("{}.mts", text.strip_suffix(".mjs").unwrap_or(text)),
        format!("{text}/index.ts"),
        format!("{text}/index.tsx"),
    ];
    let is_source = |path: &str| [".ts", ".tsx", ".mts", ".cts"].iter().any(|end| path.ends_with(end));
    candidates.into_iter().find(|path| is_source(path) && Path::new(path).is_file()).map(PathBuf::from)
}

/// Whether `name`, as the file `path` exports it, is a type (or a value). `None` where that does not show.
fn is_type(path: &Path, name: &str, seen: &mut HashSet<PathBuf>) -> Option<bool> {
    if seen.len() > 100 || !seen.insert(path.to_owned()) {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    if let Some(answer) = declared(&text, name, true) {
        return Some(answer);
    }
    let importer = path.to_str()?;
    for list in lists(&text) {
        let Some((_, local, _)) = list.names.iter().find(|(_, _, exported)| *exported == name) else { continue };
        if list.is_type {
            return Some(true);
        }
        return match list.source {
            Some(source) => is_type(&file_of(importer, source)?, local, seen),
            None => declared(&text, local, false),
        };
    }
    for (start, _) in text.match_indices("export") {
        let Some(rest) = text[start + 6..].trim_start().strip_prefix('*') else { continue };
        let Some(target) = source_after(rest).and_then(|source| file_of(importer, source)) else { continue };
        if let Some(answer) = is_type(&target, name, seen) {
            return Some(answer);
        }
    }
    None
}

/// Whether a text declares `name` as a type and nothing else; `None` where it does not declare it.
fn declared(text: &str, name: &str, exported: bool) -> Option<bool> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut answer = None;
    for (at, _) in text.match_indices(name) {
        if text[at + name.len()..].chars().next().is_some_and(is_word)
            || text[..at].chars().next_back().is_some_and(is_word)
        {
            continue;
        }
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let words: Vec<&str> = text[line..at].split_whitespace().collect();
        let words = match words.as_slice() {
            ["export", rest @ ..] => rest,
            rest if !exported => rest,
            _ => continue,
        };
        let words = if let ["declare", rest @ ..] = words { rest } else { words };
        match words {
            ["type" | "interface"] => answer = answer.or(Some(true)),
            ["const" | "let" | "var" | "function" | "function*" | "class" | "enum" | "namespace" | "module"]
            | ["async", "function" | "function*"]
            | ["abstract", "class"]
            | ["const", "enum"] => return Some(false),
            _ => {}
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_types_elsewhere_say_so() {
        let folder = std::env::temp_dir().join(format!("bao-type-exports-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("all.ts", "export * from './deep'\nexport { type Said, Local, Renamed as Other } from './more.js'\n");
        write("deep/index.ts", "export type A<T> = T\nexport interface B {}\nexport class C {}\n");
        write(
            "more.ts",
            "type Local = 1\ninterface Renamed {}\nexport type { Local, Renamed }\nexport type D = 1\nexport const D = 2\n",
        );
        let path = folder.join("index.ts");
        let text = "export {\n  A,\n  B as Z, C, Local, Other,\n  Missing\n} from './all';\nexport { D } from './more'; export { x } from 'pkg'\n";
        let marked = mark(path.to_str().unwrap(), text.to_owned());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            marked,
            "export {\n  type A,\n  type B as Z, C, type Local, type Other,\n  Missing\n} from './all';\nexport { D } from './more'; export { x } from 'pkg'\n"
        );
    }
}
