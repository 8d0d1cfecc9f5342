//! Which files are test files: https://bun.com/docs/test/discovery

use std::path::Path;

use glob::Pattern;

use bunfig::Test;

use super::{TestOptions, root};
use crate::find;
use crate::output::{Failure, Outcome};

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Absolute path, and path as it is shown.
    pub files: Vec<(String, String)>,
    /// Files and directories that were looked at.
    pub searched: usize,
    /// The last path that was named and does not exist.
    pub missing: Option<String>,
}

/// Finds the test files that the options ask for, in the order in which they run.
pub(crate) fn discover(options: &TestOptions, config: &Test, cwd: &Path) -> Outcome<Found> {
    let ignored = if options.path_ignore_patterns.is_empty() {
        &config.path_ignore_patterns
    } else {
        &options.path_ignore_patterns
    };
    let mut search = Search {
        cwd: cwd.to_string_lossy().into_owned(),
        ignored: ignored.iter().map(|text| Pattern::new(text.strip_prefix("./").unwrap_or(text))).collect(),
        filters: &[],
        found: Found::default(),
    };
    // One path among the words makes paths of all of them.
    let is_path = |word: &String| word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
    if !options.filters.iter().any(is_path) {
        search.filters = &options.filters;
        let root = root(config, cwd);
        if !Path::new(&root).is_dir() {
            return Err(Failure::new(format!("Failed to scan non-existent root directory for tests: \"{root}\"")));
        }
        search.walk(root);
        return Ok(search.found);
    }
    for word in &options.filters {
        let path = find::absolute(cwd, word);
        match std::fs::metadata(&path) {
            Ok(entry) if entry.is_dir() => search.walk(path),
            Ok(_) => search.named(path),
            Err(_) if options.filters.len() > 1 => {}
            Err(_) => search.found.missing = Some(word.clone()),
        }
    }
    Ok(search.found)
}

struct Search<'a> {
    cwd: String,
    ignored: Vec<Pattern>,
    filters: &'a [String],
    found: Found,
}

impl Search<'_> {
    /// Breadth first: the files of a directory before those below it.
    fn walk(&mut self, root: String) {
        let mut level = vec![root];
        while !level.is_empty() {
            let mut next = Vec::new();
            for dir in level {
                self.directory(&dir, &mut next);
            }
            level = next;
        }
    }

    fn directory(&mut self, dir: &str, below: &mut Vec<String>) {
        let Ok(entries) = std::fs::read_dir(dir) else { return };
        let mut entries: Vec<(String, bool)> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let kind = entry.file_type().ok()?;
                // A link to a directory may lead back up; one to a file is a file.
                let is_dir = kind.is_dir();
                if kind.is_symlink() && !std::fs::metadata(entry.path()).is_ok_and(|target| target.is_file()) {
                    return None;
                }
                Some((name, is_dir))
            })
            .collect();
        entries.sort_by_cached_key(|(name, _)| (name.to_lowercase(), name.clone()));
        for (name, is_dir) in entries {
            let path = if dir == "/" { format!("/{name}") } else { format!("{dir}/{name}") };
            if is_dir {
                if name.starts_with('.') || name == "node_modules" || self.is_ignored(&path) {
                    continue;
                }
                self.found.searched += 1;
                below.push(path);
            } else {
                self.found.searched += 1;
                if is_test_name(&name) && self.matches(&path) && !self.is_ignored(&path) {
                    self.add(path);
                }
            }
        }
    }

    /// A file that was named: its extension is all that matters.
    fn named(&mut self, path: String) {
        if has_extension(&path).is_some() && !self.is_ignored(&path) {
            self.add(path);
        }
    }

    fn add(&mut self, path: String) {
        if !self.found.files.iter().rev().take(64).any(|(known, _)| *known == path) {
            let title = relative(&self.cwd, &path);
            self.found.files.push((path, title));
        }
    }

    fn matches(&self, path: &str) -> bool {
        if self.filters.is_empty() {
            return true;
        }
        let title = relative(&self.cwd, path);
        self.filters.iter().any(|filter| title.contains(filter.as_str()))
    }

    fn is_ignored(&self, path: &str) -> bool {
        if self.ignored.is_empty() {
            return false;
        }
        let title = relative(&self.cwd, path);
        self.ignored.iter().any(|pattern| pattern.matches(title.as_bytes()))
    }
}

/// The name without its extension, if that is one of source files.
fn has_extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    matches!(extension.to_ascii_lowercase().as_str(), "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts")
        .then_some(stem)
}

/// Whether a file of this name is a test file.
pub(super) fn is_test_name(name: &str) -> bool {
    let Some(stem) = has_extension(name) else { return false };
    let stem = stem.to_ascii_lowercase();
    [".test", "_test", ".spec", "_spec"].iter().any(|ending| stem.ends_with(ending))
}

/// `path` as seen from `cwd`; both are absolute and normal.
pub(super) fn relative(cwd: &str, path: &str) -> String {
    let from: Vec<&str> = cwd.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - same];
    parts.extend(&to[same..]);
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["a.test.ts", "a_test.mjs", "b.spec.cts", "b_spec.jsx", "_test.js", ".9.test.js", "10.TEST.js"] {
            assert!(is_test_name(name), "{name}");
        }
        for name in ["test.js", "a.tests.js", "a.test.json", "atest.js", "a.test", "a.test.d"] {
            assert!(!is_test_name(name), "{name}");
        }
    }

    #[test]
    fn paths() {
        assert_eq!(relative("/a/b", "/a/b/c.js"), "c.js");
        assert_eq!(relative("/a/b", "/a/c/d.js"), "../c/d.js");
        assert_eq!(relative("/", "/a.js"), "a.js");
    }

    #[test]
    fn finds() {
        let dir = std::env::temp_dir().join(format!("bao-discover-{}", std::process::id()));
        for name in [
            "b/2.test.ts",
            "b/z/1.test.ts",
            "a/3.spec.tsx",
            "node_modules/p/4.test.js",
            ".h/5.test.js",
            "Z.test.js",
            "a.test.js",
            "x.js",
        ] {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
            std::fs::write(path, "").expect("written");
        }
        let titles = |filters: &[&str], ignored: &[&str]| {
            let options = TestOptions {
                filters: filters.iter().map(|text| text.to_string()).collect(),
                path_ignore_patterns: ignored.iter().map(|text| text.to_string()).collect(),
                ..TestOptions::default()
            };
            let found = discover(&options, &Test::default(), &dir).expect("found");
            found.files.into_iter().map(|(_, title)| title).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(titles(&[], &[]), "a.test.js Z.test.js a/3.spec.tsx b/2.test.ts b/z/1.test.ts");
        assert_eq!(titles(&["b/"], &[]), "b/2.test.ts b/z/1.test.ts");
        assert_eq!(titles(&[], &["b/**", "*.test.js"]), "a/3.spec.tsx");
        assert_eq!(titles(&["./x.js", "a"], &[]), "x.js a/3.spec.tsx");
        let options = TestOptions { filters: vec!["./no".into()], ..TestOptions::default() };
        let found = discover(&options, &Test::default(), &dir).expect("found");
        assert_eq!(found.missing.as_deref(), Some("./no"));
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
