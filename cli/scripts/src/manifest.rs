//! The parts of `package.json` that running scripts takes.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use json::{Cursor, Flavor, Node, Value, unique};

use crate::output::{Failure, Outcome};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Manifest {
    /// The package's directory.
    pub dir: PathBuf,
    pub name: Option<String>,
    pub version: Option<String>,
    /// In the order of the file.
    pub scripts: Vec<(String, String)>,
    /// Patterns of workspace directories; `None` if the package is not a workspace root.
    pub workspaces: Option<Vec<String>>,
    /// Names of all packages it depends on in any way.
    pub dependencies: Vec<String>,
    /// `config`, for the `npm_package_config_*` variables.
    pub config: Vec<(String, String)>,
}

impl Manifest {
    /// Reads the text of `dir/package.json`.
    pub(crate) fn parse(dir: &Path, text: &str) -> Outcome<Manifest> {
        let mut manifest = Manifest { dir: dir.to_path_buf(), ..Manifest::default() };
        let mut wrong = None;
        let mut cursor = Cursor::of(text, Flavor::Jsonc);
        let read = manifest.read(&mut cursor, &mut wrong).and_then(|()| cursor.end());
        read.ok_or_else(|| syntax(dir, &cursor.error()))?;
        match wrong {
            Some(message) => Err(Failure::new(format!("{}: {message}", dir.join("package.json").display()))),
            None => Ok(manifest),
        }
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, wrong: &mut Option<String>) -> Option<()> {
        cursor.object(|cursor, key| {
            match key.as_ref() {
                "name" => self.name = cursor.string_value()?.map(Cow::into_owned).filter(|name| !name.is_empty()),
                "version" => self.version = cursor.string_value()?.map(Cow::into_owned),
                "scripts" => match cursor.value()?.node {
                    Node::Object(scripts) => {
                        for script in unique(scripts) {
                            match script.value.node {
                                // No script, as in Bun.
                                Node::String(command) if command.is_empty() => {}
                                Node::String(command) => {
                                    self.scripts.push((script.key.into_owned(), command.into_owned()));
                                }
                                _ => *wrong = Some(format!("scripts.{} must be a string", script.key)),
                            }
                        }
                    }
                    Node::Null => {}
                    _ => *wrong = Some("scripts must be an object".into()),
                },
                "workspaces" => {
                    let value = cursor.value()?;
                    let list = if value.is_object() { value.get("packages") } else { Some(&value) };
                    match list.map(|list| &list.node) {
                        Some(Node::Array(items)) => {
                            self.workspaces =
                                Some(items.iter().filter_map(|item| item.str().map(str::to_owned)).collect());
                        }
                        Some(Node::Null) => {}
                        None => self.workspaces = Some(Vec::new()),
                        Some(_) => *wrong = Some("workspaces must be an array or an object with \"packages\"".into()),
                    }
                }
                "dependencies" | "devDependencies" | "optionalDependencies" | "peerDependencies" => {
                    if cursor.peek() == b'{' {
                        cursor.object(|cursor, name| {
                            self.dependencies.push(name.into_owned());
                            cursor.skip()
                        })?;
                    } else {
                        cursor.skip()?;
                    }
                }
                "config" => {
                    if let Node::Object(fields) = cursor.value()?.node {
                        for field in unique(fields) {
                            flatten(&mut self.config, field.key.into_owned(), field.value);
                        }
                    }
                }
                _ => cursor.skip()?,
            }
            Some(())
        })
    }

    pub(crate) fn script(&self, name: &str) -> Option<&str> {
        self.scripts.iter().find(|(known, _)| known == name).map(|(_, command)| command.as_str())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join("package.json")
    }
}

/// `{"a": {"b": 1}}` as `a_b=1`, npm's way.
fn flatten(out: &mut Vec<(String, String)>, name: String, value: Value<'_>) {
    match value.node {
        Node::Null => out.push((name, String::new())),
        Node::Bool(on) => out.push((name, if on { "true".into() } else { String::new() })),
        Node::Number(text) => out.push((name, text.into())),
        Node::String(text) => out.push((name, text.into_owned())),
        Node::Object(fields) => {
            for field in unique(fields) {
                flatten(out, format!("{name}_{}", field.key), field.value);
            }
        }
        Node::Array(items) => {
            for (index, value) in items.into_iter().enumerate() {
                flatten(out, format!("{name}_{index}"), value);
            }
        }
    }
}

fn syntax(dir: &Path, error: &json::Error) -> Failure {
    Failure::new(format!("{}:{}:{}: {}", dir.join("package.json").display(), error.line, error.column, error.message))
        .hint("package.json must be JSON; comments and trailing commas are fine")
}

/// The text of a `package.json` that was found.
pub(crate) struct Found {
    pub dir: PathBuf,
    pub text: String,
}

impl Found {
    pub(crate) fn parse(&self) -> Outcome<Manifest> {
        Manifest::parse(&self.dir, &self.text)
    }

    /// Whether a key of this name may be in the text: if it cannot, the text need not be read as JSON.
    pub(crate) fn may_name(&self, word: &str) -> bool {
        // A key can be spelt with escapes.
        self.text.contains(word) || self.text.contains("\\u") || word.contains(['"', '\\']) || !word.is_ascii()
    }
}

/// Reads `dir/package.json`; `None` if there is none.
pub(crate) fn read(dir: &Path) -> Outcome<Option<Found>> {
    let path = dir.join("package.json");
    match std::fs::read(&path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Found { dir: dir.to_path_buf(), text })),
            Err(error) => Err(Failure::new(format!("{}: not UTF-8: {}", path.display(), error.utf8_error()))),
        },
        Err(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory | std::io::ErrorKind::IsADirectory => {
                Ok(None)
            }
            _ => Err(Failure::io(format!("cannot read {}", path.display()), &error)),
        },
    }
}

/// Reads the nearest `package.json` from `dir` upwards.
pub(crate) fn nearest(dir: &Path) -> Outcome<Option<Found>> {
    for dir in dir.ancestors() {
        if let Some(found) = read(dir)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Outcome<Manifest> {
        Manifest::parse(Path::new("/p"), text)
    }

    #[test]
    fn reads_the_fields() {
        let manifest = parse(
            r#"{ // comment
            "name": "n", "version": "1.2.3",
            "scripts": {"b": "B", "a": "A"},
            "workspaces": {"packages": ["x/*"], "catalog": {}},
            "dependencies": {"d": "1"}, "peerDependencies": {"p": "*"}, "devDependencies": null,
            "config": {"port": 80, "deep": {"on": true}},
            }"#,
        )
        .expect("good");
        assert_eq!(manifest.scripts, [("b".into(), "B".into()), ("a".into(), "A".into())]);
        assert_eq!(manifest.workspaces, Some(vec!["x/*".into()]));
        assert_eq!(manifest.dependencies, ["d", "p"]);
        assert_eq!(manifest.config, [("port".into(), "80".into()), ("deep_on".into(), "true".into())]);
        assert_eq!(manifest.script("a"), Some("A"));
        assert_eq!(
            parse(r#"{"workspaces": ["a", "!b"]}"#).expect("good").workspaces,
            Some(vec!["a".into(), "!b".into()])
        );
    }

    #[test]
    fn names_the_place_of_a_mistake() {
        let message = |text: &str| parse(text).expect_err("bad").message;
        assert_eq!(
            message("{\n  \"name\": \"x\" \"a\": 1}"),
            "/p/package.json:2:15: Expected ',' or '}' but found '\"'"
        );
        assert_eq!(message(r#"{"scripts": {"build": 5}}"#), "/p/package.json: scripts.build must be a string");
        assert_eq!(message(r#"{"scripts": []}"#), "/p/package.json: scripts must be an object");
    }
}
