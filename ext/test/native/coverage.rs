//! `bao test --coverage`: which files are counted, and their counters.
//!
//! A file is counted by code that is put into its text ([`transpile::coverage`]): nothing else is any slower, and compiled code of
//! whatever is not counted comes from the cache. The counters of a file are memory of this process, one array for each thread that
//! loads it, so that those of a worker are there when it is gone.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Counters, JsResult, PropertyAttributes, Scope};
use glob::Pattern;
use runtime_core::loader_hooks::ScriptText;
use transpile::coverage::{Counted, Instrumented, Place, Shape};
use transpile::{Loader, ModuleHint};

static ENABLED: AtomicBool = AtomicBool::new(false);
static COUNTS: Mutex<Option<Counts>> = Mutex::new(None);

struct Counts {
    /// Below which patterns are relative.
    cwd: String,
    /// Paths that are not counted: test files.
    left_out: HashSet<String>,
    ignored: Vec<Pattern>,
    /// If there are any, only what matches one of them is counted.
    included: Vec<Pattern>,
    files: Vec<File>,
    by_path: HashMap<String, usize>,
}

/// A text that is counted.
struct File {
    path: String,
    text: String,
    /// The name of the counters in the code.
    array: String,
    instrumented: Arc<Instrumented>,
    counters: Vec<Counters>,
}

/// What is counted: `left_out` are paths, the patterns globs of paths relative to `cwd`.
pub(crate) struct Selection {
    pub cwd: String,
    pub left_out: Vec<String>,
    pub ignored: Vec<String>,
    pub included: Vec<String>,
}

fn patterns(texts: &[String]) -> Vec<Pattern> {
    texts.iter().map(|text| Pattern::new(text)).collect()
}

fn with_counts<T>(work: impl FnOnce(&mut Counts) -> T) -> Option<T> {
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(work)
}

/// Counts the files that are loaded from now on, in all threads.
pub(crate) fn start(selection: Selection) {
    let counts = Counts {
        cwd: selection.cwd,
        left_out: selection.left_out.into_iter().collect(),
        ignored: patterns(&selection.ignored),
        included: patterns(&selection.included),
        files: Vec::new(),
        by_path: HashMap::new(),
    };
    *COUNTS.lock().unwrap_or_else(PoisonError::into_inner) = Some(counts);
    ENABLED.store(true, Ordering::Relaxed);
}

impl Counts {
    fn wants(&self, path: &str) -> bool {
        if path.contains("/node_modules/") || self.left_out.contains(path) {
            return false;
        }
        let relative = relative(&self.cwd, path);
        let matches = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(relative.as_bytes()));
        !matches(&self.ignored) && (self.included.is_empty() || matches(&self.included))
    }
}

/// `path` as seen from `cwd`.
fn relative(cwd: &str, path: &str) -> String {
    let from: Vec<&str> = cwd.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - same];
    parts.extend(&to[same..]);
    parts.join("/")
}

/// Whether files are counted in this process.
pub(crate) fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// The text of a file with counters that are there when it runs, and how it was made; `None` if it is not counted. `own` are the numbers
/// of the files whose counters this thread has.
pub(crate) fn counted(
    scope: &mut Scope<'_>,
    own: &RefCell<HashSet<usize>>,
    script: &ScriptText<'_>,
) -> JsResult<Option<Arc<Instrumented>>> {
    let ScriptText { path, loader, hint, text } = *script;
    if !is_enabled() {
        return Ok(None);
    }
    let number = with_counts(|counts| {
        if !counts.wants(path) {
            return None;
        }
        if let Some(&number) = counts.by_path.get(path)
            && counts.files[number].text == text
        {
            return Some(number);
        }
        let number = counts.files.len();
        let mut array = format!("__bao{number}");
        while text.contains(&array) {
            array.push('_');
        }
        let instrumented = Arc::new(transpile::coverage::instrument(text, path, loader, hint, &array)?);
        counts.files.push(File {
            path: path.to_string(),
            text: text.to_string(),
            array,
            instrumented,
            counters: Vec::new(),
        });
        counts.by_path.insert(path.to_string(), number);
        Some(number)
    });
    let Some(Some(number)) = number else { return Ok(None) };
    let made = own.borrow_mut().insert(number);
    let found = with_counts(|counts| {
        let file = &mut counts.files[number];
        let counters = made.then(|| {
            let counters = Counters::new(file.instrumented.shape.counters as usize);
            file.counters.push(counters.clone());
            (counters, file.array.clone())
        });
        (file.instrumented.clone(), counters)
    });
    let Some((instrumented, counters)) = found else { return Ok(None) };
    if let Some((counters, array)) = counters {
        scope.escape(|scope| {
            let value = scope.counters_array(&counters)?;
            let global = scope.global_object();
            scope.define(global, &array, value, PropertyAttributes::FIXED)?;
            Ok(value)
        })?;
    }
    Ok(Some(instrumented))
}

/// Everything counted so far in this process, as JSON: a list of files as [`file_json`] writes them.
pub(crate) fn report() -> String {
    with_counts(|counts| {
        let mut out = String::from("[");
        for file in &counts.files {
            if out.len() > 1 {
                out.push(',');
            }
            let count =
                |counter: u32| -> u64 { file.counters.iter().map(|counters| u64::from(counters.get(counter))).sum() };
            file_json(&mut out, &file.path, &file.instrumented.shape, count);
        }
        out.push(']');
        out
    })
    .unwrap_or_else(|| "[]".to_string())
}

/// What there is to count in a file that was not loaded; `None` where it is not counted or cannot be parsed.
pub(crate) fn shape(path: &str, loader: Loader, text: &str) -> Option<String> {
    with_counts(|counts| counts.wants(path)).filter(|wants| *wants)?;
    let found = transpile::coverage::instrument(text, path, loader, ModuleHint::Unknown, "_")?;
    let mut out = String::new();
    file_json(&mut out, path, &found.shape, |_| 0);
    Some(out)
}

/// `{"path", "statements", "functions", "branches"}`. Places are a line (from 1) and a column (from 0, in UTF-16 code units); a
/// statement is its start, its end and its count; a function its name, its declaration, its body and its count; a branch its kind,
/// its start and end, a list of its ways like statements, and the start and end of an `if`'s body.
fn file_json(out: &mut String, path: &str, shape: &Shape, count: impl Fn(u32) -> u64) {
    out.push_str("{\"path\":");
    quote(out, path);
    out.push_str(",\"statements\":[");
    list(out, &shape.statements, |out, one| counted_json(out, one, &count));
    out.push_str("],\"functions\":[");
    list(out, &shape.functions, |out, one| {
        out.push('[');
        quote(out, &one.name);
        place(out, one.declared);
        out.push(',');
        counted_json(out, &one.body, &count);
        out.push(']');
    });
    out.push_str("],\"branches\":[");
    list(out, &shape.branches, |out, one| {
        let _ = write!(out, "[\"{}\"", one.kind.name());
        place(out, one.start);
        place(out, one.end);
        out.push_str(",[");
        list(out, &one.ways, |out, one| counted_json(out, one, &count));
        out.push(']');
        if let Some((start, end)) = one.body {
            place(out, start);
            place(out, end);
        }
        out.push(']');
    });
    out.push_str("]}");
}

fn list<T>(out: &mut String, items: &[T], each: impl Fn(&mut String, &T)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        each(out, item);
    }
}

fn place(out: &mut String, place: Place) {
    let _ = write!(out, ",{},{}", place.line, place.column);
}

fn counted_json(out: &mut String, one: &Counted, count: &impl Fn(u32) -> u64) {
    let (start, end) = (one.start, one.end);
    let _ = write!(out, "{},{},{},{},{}", start.line, start.column, end.line, end.column, count(one.counter));
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths() {
        assert_eq!(relative("/a/b", "/a/b/c/d.ts"), "c/d.ts");
        assert_eq!(relative("/a/b", "/a/x.ts"), "../x.ts");
        assert_eq!(relative("/", "/x.ts"), "x.ts");
    }

    #[test]
    fn quoting() {
        let mut out = String::new();
        quote(&mut out, "a\"\\\n");
        assert_eq!(out, r#""a\"\\\u000a""#);
    }
}
