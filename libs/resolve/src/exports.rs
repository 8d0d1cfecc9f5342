//! The `exports` and `imports` fields of `package.json`: compiled once per package, then matched.
//!
//! Follows the resolution algorithm in Node's "Modules: Packages" and "ECMAScript modules" pages
//! (PACKAGE_EXPORTS_RESOLVE, PACKAGE_IMPORTS_RESOLVE, PACKAGE_TARGET_RESOLVE). Nothing here reads
//! files: the result is the target as a URL path relative to the package, or a package specifier.

use crate::paths::{percent_decode, url_scheme};
use json::{Member, Node, Value, unique};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A value on the right of an `exports` or `imports` key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    String(Box<str>),
    Array(Box<[Target]>),
    Conditions(Box<[(Box<str>, Target)]>),
    /// An object with array-index keys, which Node refuses once it gets there.
    NumericKeys,
    Null,
    /// A number or boolean, as `String(value)` prints it.
    Invalid(Box<str>),
}

/// Key with one `*`.
#[derive(Clone, Debug)]
struct Pattern {
    key: Box<str>,
    star: usize,
    target: Target,
}

/// Subpath keys, ready for matching.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subpaths {
    exact: FxHashMap<Box<str>, Target>,
    /// Most specific first.
    patterns: Vec<Pattern>,
    /// Keys ending in `/`, longest first: dropped by Node 17 and still read by Bun. Only asked when
    /// nothing else matches.
    folders: Vec<(Box<str>, Target)>,
}

/// The `exports` field.
#[derive(Clone, Debug)]
pub(crate) enum Exports {
    /// A string, array or object of conditions stands for `{ ".": ... }`.
    Main(Target),
    Subpaths(Subpaths),
    /// Keys with and without a leading dot side by side.
    Mixed,
}

/// The target of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mapped<'a> {
    /// `./...` below the package directory, percent-encoded, possibly with a query or hash.
    Path(Cow<'a, str>),
    /// A specifier to resolve as if the package itself imported it (`imports` only).
    Package(Cow<'a, str>),
}

/// Why a key leads nowhere. `key` is the matched key of the map.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MapError {
    NotDefined,
    InvalidTarget {
        key: Box<str>,
        target: Box<str>,
    },
    /// What `*` stood for holds `.`, `..` or `node_modules` segments.
    InvalidMatch {
        key: Box<str>,
    },
    /// The field itself cannot be used.
    InvalidConfig(&'static str),
}

pub(crate) const MIXED_KEYS: &str = "\"exports\" cannot contain some keys starting with '.' and \
     some not. The exports object must either be an object of package subpath keys or an object of \
     main entry condition name keys only.";
pub(crate) const NUMERIC_KEYS: &str = "\"exports\" cannot contain numeric property keys.";

impl Target {
    fn compile(json: Value<'_>) -> Target {
        match json.node {
            Node::Null => Target::Null,
            Node::Bool(b) => Target::Invalid(b.to_string().into()),
            Node::Number(n) => Target::Invalid(n.into()),
            Node::String(s) => Target::String(s.into()),
            Node::Array(items) => Target::Array(items.into_iter().map(Self::compile).collect()),
            Node::Object(fields) => {
                if fields.iter().any(|field| is_array_index(&field.key)) {
                    return Target::NumericKeys;
                }
                let compile = |field: Member<'_>| (field.key.into(), Self::compile(field.value));
                Target::Conditions(unique(fields).into_iter().map(compile).collect())
            }
        }
    }
}

/// `0`, `1`, ... `4294967294` in canonical form.
fn is_array_index(key: &str) -> bool {
    key.parse::<u32>().is_ok_and(|n| n != u32::MAX) && (key == "0" || !key.starts_with(['0', '+']))
}

impl Subpaths {
    fn compile(fields: Vec<Member<'_>>) -> Self {
        let mut out = Subpaths::default();
        for Member { key, value, .. } in unique(fields) {
            let key: Box<str> = key.into();
            let target = Target::compile(value);
            match key.find('*') {
                // A second star makes the key match nothing.
                Some(star) if key.rfind('*') == Some(star) => {
                    out.patterns.push(Pattern { key, star, target });
                }
                Some(_) => {}
                None if key.ends_with('/') => out.folders.push((key, target)),
                None => {
                    out.exact.insert(key, target);
                }
            }
        }
        // PATTERN_KEY_COMPARE: the longer part before the star wins, then the longer key.
        out.patterns.sort_by_key(|p| std::cmp::Reverse((p.star, p.key.len())));
        out.folders.sort_by_key(|(key, _)| std::cmp::Reverse(key.len()));
        out
    }

    /// Compiles an `imports` field; anything but an object counts as absent.
    pub(crate) fn from_imports(json: Value<'_>) -> Option<Self> {
        match json.node {
            Node::Object(fields) => Some(Self::compile(fields)),
            _ => None,
        }
    }

    fn resolve(&self, key: &str, query: &Query<'_>) -> Result<Mapped<'_>, MapError> {
        let found = |outcome| match outcome {
            Outcome::Found(mapped) => Ok(mapped),
            Outcome::None | Outcome::Null => Err(MapError::NotDefined),
        };
        if !key.contains('*')
            && !key.ends_with('/')
            && let Some(target) = self.exact.get(key)
        {
            return found(query.target(target, key, None)?);
        }
        for pattern in &self.patterns {
            let before = &pattern.key[..pattern.star];
            let after = &pattern.key[pattern.star + 1..];
            if key.len() >= pattern.key.len() && key.starts_with(before) && key.ends_with(after) {
                let star = &key[before.len()..key.len() - after.len()];
                return found(query.target(&pattern.target, &pattern.key, Some(Star::Pattern(star)))?);
            }
        }
        for (folder, target) in &self.folders {
            if let Some(rest) = key.strip_prefix(&**folder)
                && !rest.is_empty()
            {
                return found(query.target(target, folder, Some(Star::Folder(rest)))?);
            }
        }
        Err(MapError::NotDefined)
    }

    /// PACKAGE_IMPORTS_RESOLVE for a specifier such as `#name/x`.
    pub(crate) fn resolve_import(&self, specifier: &str, conditions: &[Box<str>]) -> Result<Mapped<'_>, MapError> {
        let query = Query { conditions, imports: true };
        self.resolve(specifier, &query)
    }
}

impl Exports {
    /// Compiles an `exports` field; `null` counts as absent.
    pub(crate) fn compile(json: Value<'_>) -> Option<Self> {
        match json.node {
            Node::Null => None,
            Node::String(_) | Node::Array(_) => Some(Exports::Main(Target::compile(json))),
            Node::Object(ref fields) => {
                let dotted = fields.iter().filter(|field| field.key.starts_with('.')).count();
                if dotted == fields.len() {
                    Subpaths::from_imports(json).map(Exports::Subpaths)
                } else if dotted == 0 {
                    Some(Exports::Main(Target::compile(json)))
                } else {
                    Some(Exports::Mixed)
                }
            }
            // Not usable, but present: the package exports nothing.
            Node::Bool(_) | Node::Number(_) => Some(Exports::Subpaths(Subpaths::default())),
        }
    }

    /// PACKAGE_EXPORTS_RESOLVE for a subpath, which is `.` or starts with `./`.
    pub(crate) fn resolve(&self, subpath: &str, conditions: &[Box<str>]) -> Result<Mapped<'_>, MapError> {
        let query = Query { conditions, imports: false };
        match self {
            Exports::Mixed => Err(MapError::InvalidConfig(MIXED_KEYS)),
            Exports::Main(target) if subpath == "." => match query.target(target, ".", None)? {
                Outcome::Found(mapped) => Ok(mapped),
                Outcome::None | Outcome::Null => Err(MapError::NotDefined),
            },
            Exports::Main(_) => Err(MapError::NotDefined),
            Exports::Subpaths(map) => map.resolve(subpath, &query),
        }
    }
}

#[derive(Clone, Copy)]
enum Star<'k> {
    Pattern(&'k str),
    Folder(&'k str),
}

enum Outcome<'a> {
    Found(Mapped<'a>),
    /// No condition matched: the search goes on.
    None,
    /// An explicit `null`: the search ends.
    Null,
}

struct Query<'q> {
    conditions: &'q [Box<str>],
    imports: bool,
}

impl Query<'_> {
    /// PACKAGE_TARGET_RESOLVE.
    fn target<'t>(&self, target: &'t Target, key: &str, star: Option<Star<'_>>) -> Result<Outcome<'t>, MapError> {
        match target {
            Target::Null => Ok(Outcome::Null),
            Target::Invalid(text) => Err(MapError::InvalidTarget { key: key.into(), target: text.clone() }),
            Target::NumericKeys => Err(MapError::InvalidConfig(NUMERIC_KEYS)),
            Target::String(text) => self.string(text, key, star),
            Target::Conditions(fields) => {
                for (condition, target) in fields {
                    if &**condition == "default" || self.conditions.contains(condition) {
                        match self.target(target, key, star)? {
                            Outcome::None => {}
                            outcome => return Ok(outcome),
                        }
                    }
                }
                Ok(Outcome::None)
            }
            Target::Array(targets) => {
                // The last failure counts, and `null` is a failure that is not an error.
                let mut last = Ok(if targets.is_empty() { Outcome::Null } else { Outcome::None });
                for target in targets {
                    match self.target(target, key, star) {
                        Ok(Outcome::None) => {}
                        Ok(Outcome::Null) => last = Ok(Outcome::Null),
                        Err(error @ MapError::InvalidTarget { .. }) => last = Err(error),
                        other => return other,
                    }
                }
                last
            }
        }
    }

    fn string<'t>(&self, text: &'t str, key: &str, star: Option<Star<'_>>) -> Result<Outcome<'t>, MapError> {
        let invalid = || MapError::InvalidTarget { key: key.into(), target: text.into() };
        let substituted = || match star {
            None => Cow::Borrowed(text),
            Some(Star::Pattern(star)) => Cow::Owned(text.replace('*', star)),
            Some(Star::Folder(rest)) => Cow::Owned(format!("{text}{rest}")),
        };
        if matches!(star, Some(Star::Folder(_))) && !text.ends_with('/') {
            // Not a folder mapping, and Node does not look at the key at all.
            return Ok(Outcome::None);
        }
        let Some(inner) = text.strip_prefix("./") else {
            // Built-in modules may be targets of `imports` by their scheme, as in Bun.
            let package = self.imports
                && !text.is_empty()
                && !text.starts_with("../")
                && !text.starts_with('/')
                && matches!(url_scheme(text), None | Some("node" | "bun"));
            return if package { Ok(Outcome::Found(Mapped::Package(substituted()))) } else { Err(invalid()) };
        };
        if has_forbidden_segment(inner) {
            return Err(invalid());
        }
        if let Some(Star::Pattern(star) | Star::Folder(star)) = star
            && has_forbidden_segment(star)
        {
            return Err(MapError::InvalidMatch { key: key.into() });
        }
        Ok(Outcome::Found(Mapped::Path(substituted())))
    }
}

/// Whether a segment between `/` or `\` is `.`, `..` or `node_modules`, in any case and percent
/// encoding. Empty segments are allowed, as Node only warns about them.
fn has_forbidden_segment(path: &str) -> bool {
    // A segment to refuse starts with a dot, an escape or an n; most paths stop here.
    path.split(['/', '\\']).any(|segment| {
        let first = segment.as_bytes().first();
        matches!(first, Some(b'.' | b'%' | b'n' | b'N')) && {
            let plain = percent_decode(segment);
            matches!(&*plain, "." | "..") || plain.eq_ignore_ascii_case("node_modules")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value<'_> {
        Value::parse(text.as_bytes()).unwrap()
    }

    fn run(exports: &str, subpath: &str, conditions: &[&str]) -> Result<String, MapError> {
        let conditions: Vec<Box<str>> = conditions.iter().map(|c| (*c).into()).collect();
        let exports = Exports::compile(json(exports)).unwrap();
        match exports.resolve(subpath, &conditions)? {
            Mapped::Path(p) | Mapped::Package(p) => Ok(p.into_owned()),
        }
    }

    fn ok(exports: &str, subpath: &str) -> String {
        run(exports, subpath, &["node", "import"]).unwrap()
    }

    fn err(exports: &str, subpath: &str) -> MapError {
        run(exports, subpath, &["node", "import"]).unwrap_err()
    }

    #[test]
    fn sugar() {
        assert_eq!(ok(r#""./a.js""#, "."), "./a.js");
        assert_eq!(err(r#""./a.js""#, "./b"), MapError::NotDefined);
        assert_eq!(ok(r#"["x", "./a.js"]"#, "."), "./a.js");
        assert_eq!(ok(r#"{"import":"./i.js","default":"./d.js"}"#, "."), "./i.js");
        assert_eq!(err("{}", "."), MapError::NotDefined);
        assert_eq!(err("5", "."), MapError::NotDefined);
        assert!(Exports::compile(json("null")).is_none());
        assert_eq!(err(r#"{".":"./a","b":"./c"}"#, "."), MapError::InvalidConfig(MIXED_KEYS));
        assert_eq!(err(r#"{"0":"./a"}"#, "."), MapError::InvalidConfig(NUMERIC_KEYS));
        assert_eq!(ok(r#"{"01":"./a","default":"./b"}"#, "."), "./b");
    }

    #[test]
    fn conditions_nest_and_null_ends_the_search() {
        let map = r#"{".": {"node": {"require": "./r.js"}, "import": "./i.js"},
                      "./n": {"node": null, "default": "./d.js"}}"#;
        assert_eq!(ok(map, "."), "./i.js");
        assert_eq!(run(map, ".", &["node", "require"]).unwrap(), "./r.js");
        assert_eq!(err(map, "./n"), MapError::NotDefined);
        assert_eq!(run(map, "./n", &[]).unwrap(), "./d.js");
    }

    #[test]
    fn patterns_of_the_documentation() {
        let map = r#"{"./features/*.js": "./src/features/*.js",
                      "./features/private-internal/*": null,
                      "./*": "./*", "./f/*": "./lib/*", "./a*b": "./x*y*.js", "./two*star*": "./z"}"#;
        assert_eq!(ok(map, "./features/x.js"), "./src/features/x.js");
        assert_eq!(ok(map, "./features/y/z.js"), "./src/features/y/z.js");
        assert_eq!(err(map, "./features/private-internal/m.js"), MapError::NotDefined);
        assert_eq!(ok(map, "./f/q.ts"), "./lib/q.ts");
        assert_eq!(ok(map, "./aQb"), "./xQyQ.js");
        assert_eq!(ok(map, "./ab"), "./ab");
        assert_eq!(ok(map, "./two1star2"), "./two1star2");
        assert_eq!(ok(map, "./f/$$"), "./lib/$$");
    }

    #[test]
    fn pattern_specificity() {
        let map = r#"{"./a/*": "./1/*", "./a/*.js": "./2/*.js", "./a/b*": "./3/*", "./a/bc": "./4"}"#;
        assert_eq!(ok(map, "./a/x"), "./1/x");
        assert_eq!(ok(map, "./a/x.js"), "./2/x.js");
        assert_eq!(ok(map, "./a/bd.js"), "./3/d.js");
        assert_eq!(ok(map, "./a/bc"), "./4");
        // The star stands for at least one character.
        assert_eq!(ok(map, "./a/b"), "./1/b");
        assert_eq!(err(map, "./a/"), MapError::NotDefined);
    }

    #[test]
    fn folders_are_the_last_resort() {
        let map = r#"{"./d/": "./dir/", "./bad/": "./dir", "./e/": "./x/", "./e/*": "./y/*"}"#;
        assert_eq!(ok(map, "./d/a/b.js"), "./dir/a/b.js");
        assert_eq!(ok(map, "./e/a"), "./y/a");
        assert_eq!(err(map, "./d/"), MapError::NotDefined);
        assert_eq!(err(map, "./bad/x"), MapError::NotDefined);
        assert!(matches!(err(map, "./d/../x"), MapError::InvalidMatch { .. }));
    }

    #[test]
    fn invalid_targets() {
        for bad in [
            "../a.js",
            "lib/a.js",
            "/a.js",
            "https://a.b/c",
            "",
            ".",
            "./../a",
            "./a/../b",
            "./node_modules/a",
            "./%2e%2e/a",
            "./a/NODE_%4dodules/b",
            "./a\\..\\b",
            "./a/./b",
        ] {
            let map = format!("{{\"./x\": {}}}", bad.replace('\\', "\\\\"));
            let map = map.replacen(": ", ": \"", 1).replace('}', "\"}");
            let error = Exports::compile(json(&map)).unwrap().resolve("./x", &[]).map(drop);
            assert!(matches!(error, Err(MapError::InvalidTarget { .. })), "{bad}");
        }
        assert_eq!(ok(r#"{"./x": "./a//b.js"}"#, "./x"), "./a//b.js");
        assert_eq!(err(r#"{"./x": 7}"#, "./x"), MapError::InvalidTarget { key: "./x".into(), target: "7".into() });
        for bad in ["./f/../a", "./f/%2e%2E/a", "./f/node_modules/x", "./f/a/."] {
            assert!(matches!(err(r#"{"./f/*": "./l/*"}"#, bad), MapError::InvalidMatch { .. }));
        }
    }

    #[test]
    fn arrays() {
        assert_eq!(ok(r#"{".": [null, "./a.js"]}"#, "."), "./a.js");
        assert_eq!(ok(r#"{".": [{"deno": "./x"}, ["../y", "./a.js"]]}"#, "."), "./a.js");
        assert_eq!(err(r#"{".": []}"#, "."), MapError::NotDefined);
        assert_eq!(err(r#"{".": ["../x", null]}"#, "."), MapError::NotDefined);
        assert!(matches!(err(r#"{".": [null, "../x"]}"#, "."), MapError::InvalidTarget { .. }));
    }

    #[test]
    fn imports() {
        let map = Subpaths::from_imports(json(
            r##"{"#a": "./a.js", "#dep": {"node": "dep-native", "default": "./poly.js"},
                "#dep/*": "dep/*.js", "#fs": "node:fs", "#x/*.js": "./d/*.js", "#url": "https://x/y",
                "#up": "../x.js", "#abs": "/x", "#/foo": "./foo.js"}"##,
        ))
        .unwrap();
        let get = |specifier: &str| map.resolve_import(specifier, &["node".into()]);
        assert_eq!(get("#a"), Ok(Mapped::Path("./a.js".into())));
        assert_eq!(get("#dep"), Ok(Mapped::Package("dep-native".into())));
        assert_eq!(get("#dep/sub"), Ok(Mapped::Package("dep/sub.js".into())));
        assert_eq!(get("#fs"), Ok(Mapped::Package("node:fs".into())));
        assert_eq!(get("#x/q.js"), Ok(Mapped::Path("./d/q.js".into())));
        assert_eq!(get("#/foo"), Ok(Mapped::Path("./foo.js".into())));
        assert_eq!(get("#no"), Err(MapError::NotDefined));
        for bad in ["#url", "#up", "#abs"] {
            assert!(matches!(get(bad), Err(MapError::InvalidTarget { .. })), "{bad}");
        }
    }
}
