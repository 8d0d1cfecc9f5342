//! `package.json` as far as module resolution needs it.

use crate::exports::{Exports, Subpaths};
use json::{Cursor, Flavor};
use std::borrow::Cow;
use std::sync::Arc;

/// The `type` field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackageType {
    /// `"type": "commonjs"`.
    CommonJs,
    /// `"type": "module"`.
    Module,
    /// Absent or anything else: files whose extension does not decide are ambiguous.
    #[default]
    Unset,
}

/// The fields of a `package.json` that decide what its files mean. Values of the wrong JSON type
/// count as absent, as in Node.
#[derive(Clone, Debug)]
pub struct PackageJson {
    path: Arc<str>,
    name: Option<Box<str>>,
    version: Option<Box<str>>,
    package_type: PackageType,
    /// Entry point fields (`main`, `module`, ...) that are strings, by field name.
    entries: Vec<(Box<str>, Box<str>)>,
    pub(crate) exports: Option<Exports>,
    pub(crate) imports: Option<Subpaths>,
}

impl PackageJson {
    /// Parses the bytes of the file at `path`. `entry_fields` names the fields to keep besides
    /// `main`. Comments and trailing commas are allowed, as Bun allows them; a document that is not
    /// an object has no fields.
    ///
    /// # Errors
    /// The position and reason when the text is not JSON.
    pub fn parse(path: Arc<str>, bytes: &[u8], entry_fields: &[Box<str>]) -> Result<PackageJson, json::Error> {
        let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
        let mut cursor = Cursor::of(&text, Flavor::Jsonc);
        let mut package = PackageJson {
            path,
            name: None,
            version: None,
            package_type: PackageType::Unset,
            entries: Vec::new(),
            exports: None,
            imports: None,
        };
        package.read(&mut cursor, entry_fields).and_then(|()| cursor.end()).ok_or_else(|| cursor.error())?;
        Ok(package)
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, entry_fields: &[Box<str>]) -> Option<()> {
        if cursor.peek() != b'{' {
            return cursor.skip();
        }
        cursor.object(|cursor, key| {
            match &*key {
                "name" => self.name = cursor.string_value()?.map(Into::into),
                "version" => self.version = cursor.string_value()?.map(Into::into),
                "type" => {
                    self.package_type = match cursor.string_value()?.as_deref() {
                        Some("module") => PackageType::Module,
                        Some("commonjs") => PackageType::CommonJs,
                        _ => PackageType::Unset,
                    };
                }
                "exports" => self.exports = Exports::compile(cursor.value()?),
                "imports" => self.imports = Subpaths::from_imports(cursor.value()?),
                field if field == "main" || entry_fields.iter().any(|f| **f == *field) => {
                    self.entries.retain(|(name, _)| **name != *field);
                    if let Some(value) = cursor.string_value()? {
                        self.entries.push((field.into(), value.into()));
                    }
                }
                _ => cursor.skip()?,
            }
            Some(())
        })
    }

    /// Absolute path of the `package.json` file.
    pub fn path(&self) -> &Arc<str> {
        &self.path
    }

    /// Directory that holds the file.
    pub fn dir(&self) -> &str {
        crate::paths::parent(&self.path).unwrap_or("/")
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    pub fn package_type(&self) -> PackageType {
        self.package_type
    }

    pub fn main(&self) -> Option<&str> {
        self.entry("main")
    }

    /// An entry point field that was asked for when parsing.
    pub fn entry(&self, field: &str) -> Option<&str> {
        let found = self.entries.iter().find(|(name, _)| **name == *field);
        found.map(|(_, value)| &**value)
    }

    /// Whether there is an `exports` field other than `null`.
    pub fn has_exports(&self) -> bool {
        self.exports.is_some()
    }

    /// Whether there is an `imports` object.
    pub fn has_imports(&self) -> bool {
        self.imports.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PackageJson, json::Error> {
        PackageJson::parse("/p/package.json".into(), text.as_bytes(), &["module".into()])
    }

    #[test]
    fn fields() {
        let p = parse(
            r#"{ "name": "n", "version": "1.2.3", "scripts": {"a": ["b", 1]}, "main": "m", // x
                "type": "module", "module": "e", "imports": 1, "exports": null, "private": true, }"#,
        )
        .unwrap();
        assert_eq!((p.name(), p.version()), (Some("n"), Some("1.2.3")));
        assert_eq!((p.main(), p.entry("module"), p.entry("browser")), (Some("m"), Some("e"), None));
        assert_eq!(p.package_type(), PackageType::Module);
        assert!(!p.has_exports() && !p.has_imports());
        assert_eq!(p.dir(), "/p");
    }

    #[test]
    fn wrong_types_count_as_absent() {
        let p = parse(r#"{"name": 5, "main": {}, "type": "weird", "exports": false}"#).unwrap();
        assert_eq!((p.name(), p.main(), p.package_type()), (None, None, PackageType::Unset));
        assert!(p.has_exports());
        assert!(parse("[]").is_ok() && parse("null").is_ok());
        assert!(parse("").is_err() && parse("{").is_err() && parse("{} {}").is_err());
    }
}
