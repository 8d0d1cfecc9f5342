//! `bao test`: its options, the files it finds, and what of both the JavaScript half (ext/test/bun_test) gets.

mod discover;
mod options;

use std::fmt::Write as _;
use std::path::Path;

use bunfig::Test;

pub(crate) use discover::{Found, discover};
pub(crate) use options::{TestOptions, help};

/// A run of tests as JSON, for ext/test/bun_test/main.ts. `preload`: modules to load first; `watch`: the process is one
/// of those that `--watch` starts; `rerun`: which test files it wants to see again, see [`crate::watch::take_selection`].
pub(crate) fn plan(
    options: &TestOptions,
    config: &Test,
    preload: &[String],
    found: &Found,
    watch: bool,
    rerun: Option<&(String, Vec<String>)>,
) -> String {
    let mut out = Object::new();
    let files = found.files.iter().map(|(path, title)| format!("[{},{}]", quoted(path), quoted(title)));
    out.raw("files", &format!("[{}]", files.collect::<Vec<_>>().join(",")));
    out.raw("searched", &found.searched.to_string());
    out.string("missing", found.missing.as_deref());
    out.strings("filters", &options.filters);
    out.strings("preload", preload);
    out.raw("watch", if watch { "true" } else { "false" });
    if let Some((kind, paths)) = rerun {
        out.string("rerun", Some(kind));
        out.strings("rerunPaths", paths);
    }
    options.write(config, &mut out);
    out.end()
}

/// The absolute directory that tests are looked for in.
pub(crate) fn root(config: &Test, cwd: &Path) -> String {
    let root = config.root.as_deref().unwrap_or(".");
    crate::find::absolute(cwd, root)
}

/// A JSON object under construction.
pub(crate) struct Object {
    text: String,
}

impl Object {
    fn new() -> Object {
        Object { text: String::from("{") }
    }

    fn raw(&mut self, key: &str, value: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        let _ = write!(self.text, "{}:{value}", quoted(key));
    }

    fn flag(&mut self, key: &str, value: bool) {
        if value {
            self.raw(key, "true");
        }
    }

    fn number(&mut self, key: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.raw(key, &value.to_string());
        }
    }

    fn string(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.raw(key, &quoted(value));
        }
    }

    fn strings(&mut self, key: &str, values: &[String]) {
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        self.raw(key, &format!("[{}]", values.join(",")));
    }

    fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    json::quote(text, &mut out);
    out
}

#[cfg(test)]
mod units {
    use super::*;

    #[test]
    fn json() {
        let mut object = Object::new();
        object.string("a\"b", Some("line\n\\é"));
        object.number("n", Some(1.5));
        object.flag("no", false);
        object.strings("list", &["x".into()]);
        assert_eq!(object.end(), "{\"a\\\"b\":\"line\\n\\\\é\",\"n\":1.5,\"list\":[\"x\"]}");
    }
}
