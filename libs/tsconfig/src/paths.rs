//! `compilerOptions.paths` and `baseUrl`, ready for matching.

use std::path::Path;
use std::sync::Arc;

use crate::config::normalize;

/// Path mapping of one `tsconfig.json` (with what it extends already merged in).
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The file this came from, for the caller's own use.
    pub path: Arc<str>,
    base_url: Option<Box<str>>,
    paths_base: Box<str>,
    exact: Vec<(Box<str>, Vec<Box<str>>)>,
    /// Longest part before the star first.
    wildcards: Vec<Wildcard>,
}

#[derive(Clone, Debug)]
struct Wildcard {
    before: Box<str>,
    after: Box<str>,
    targets: Vec<Box<str>>,
}

impl Paths {
    /// `base_url`: absolute directory of `baseUrl` if set. `paths_base`: absolute directory that
    /// relative targets start from (TypeScript: `base_url`, or the directory of the file that holds
    /// `paths`). `paths`: patterns with at most one `*` and their targets in order of preference;
    /// patterns with more stars match nothing.
    pub fn new<P, T>(
        path: &str,
        base_url: Option<&str>,
        paths_base: &str,
        paths: impl IntoIterator<Item = (P, Vec<T>)>,
    ) -> Self
    where
        P: AsRef<str>,
        T: AsRef<str>,
    {
        let mut out = Paths {
            path: path.into(),
            base_url: base_url.map(|b| absolute("/", b)),
            paths_base: absolute("/", paths_base),
            ..Default::default()
        };
        for (pattern, targets) in paths {
            let pattern = pattern.as_ref();
            let targets = targets.iter().map(|t| t.as_ref().into()).collect();
            match pattern.split_once('*') {
                None => out.exact.push((pattern.into(), targets)),
                Some((before, after)) if !after.contains('*') => {
                    out.wildcards.push(Wildcard { before: before.into(), after: after.into(), targets });
                }
                Some(_) => {}
            }
        }
        // Stable: of two patterns with equal prefixes the first one written wins, as in TypeScript.
        out.wildcards.sort_by_key(|w| std::cmp::Reverse(w.before.len()));
        out
    }

    /// Directory that bare specifiers are looked up in after `paths`.
    pub fn base_url(&self) -> Option<&str> {
        self.base_url.as_deref()
    }

    /// Whether there is nothing to map.
    pub fn is_empty(&self) -> bool {
        self.base_url.is_none() && self.exact.is_empty() && self.wildcards.is_empty()
    }

    /// Absolute paths to try for a specifier, in order. An exact pattern wins, then the wildcard with
    /// the longest prefix; other patterns are not tried. Targets that are declaration files (`.d.ts`)
    /// describe something that is loaded in another way and are left out.
    pub fn candidates(&self, specifier: &str) -> Vec<String> {
        let make = |targets: &[Box<str>], star: Option<&str>| {
            let targets = targets.iter().filter(|t| !is_declaration(t));
            targets
                .map(|target| match star {
                    Some(star) => target.replacen('*', star, 1),
                    None => target.to_string(),
                })
                .map(|target| absolute(&self.paths_base, &target).into())
                .collect()
        };
        if let Some((_, targets)) = self.exact.iter().find(|(p, _)| **p == *specifier) {
            return make(targets, None);
        }
        for Wildcard { before, after, targets } in &self.wildcards {
            if specifier.len() >= before.len() + after.len()
                && specifier.starts_with(&**before)
                && specifier.ends_with(&**after)
            {
                let star = &specifier[before.len()..specifier.len() - after.len()];
                return make(targets, Some(star));
            }
        }
        Vec::new()
    }
}

/// `path` seen from `base`, without `.` and `..`.
fn absolute(base: &str, path: &str) -> Box<str> {
    normalize(&Path::new(base).join(path)).to_string_lossy().into()
}

fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|e| path.ends_with(e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapping() {
        let t = Paths::new(
            "/p/tsconfig.json",
            None,
            "/p",
            [
                ("*", vec!["vendor/*"]),
                ("@/*", vec!["src/*", "./gen/*"]),
                ("@/lib/*-end", vec!["lib/*"]),
                ("exact", vec!["/abs/x.ts", "types.d.ts", "../up"]),
                ("a*b*c", vec!["no"]),
            ],
        );
        assert_eq!(t.candidates("@/a/b"), ["/p/src/a/b", "/p/gen/a/b"]);
        assert_eq!(t.candidates("@/lib/q-end"), ["/p/lib/q"]);
        assert_eq!(t.candidates("@/lib/q"), ["/p/src/lib/q", "/p/gen/lib/q"]);
        assert_eq!(t.candidates("exact"), ["/abs/x.ts", "/up"]);
        assert_eq!(t.candidates("react"), ["/p/vendor/react"]);
        assert!(Paths::default().is_empty() && !t.is_empty());
    }
}
