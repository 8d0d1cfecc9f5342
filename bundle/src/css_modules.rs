//! Modules of CSS: the names that they give to JavaScript, and what these are composed of
//! (https://github.com/css-modules/css-modules/blob/master/docs/composition.md).

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use lightningcss::bundler::{ResolveResult, SourceProvider as _};
use lightningcss::css_modules::{Config, CssModuleExport, CssModuleReference, Pattern};
use lightningcss::error::{Error, PrinterErrorKind};
use lightningcss::printer::PrinterOptions;
use lightningcss::properties::{Property, PropertyId};
use lightningcss::rules::CssRule;
use lightningcss::stylesheet::{StyleSheet, ToCssResult};

use crate::archived;
use crate::assets::relative;
use crate::css::{Sheets, parser_options, worded};
use crate::messages::{Message, position_at};
use crate::options::Loader;
use crate::shared::Shared;

/// Whether a path names a module of CSS.
pub(crate) fn is_module(path: &str) -> bool {
    path.ends_with(".module.css")
}

pub(crate) fn modules_config() -> Config {
    Config {
        pattern: Pattern::parse("[local]_[hash]").expect("a pattern that lightningcss documents"),
        ..Config::default()
    }
}

/// A module of CSS as a module of JavaScript: an object of class names, and imports of the sheets that it composes of, which
/// come before it. `None` for other sheets.
///
/// # Errors
/// The first mistake in the sheet or in one that it composes of, with its place.
pub(crate) fn module_of(shared: &Shared, path: &str, css: &str) -> Result<Option<String>, Message> {
    if !is_module(path) {
        return Ok(None);
    }
    let mut sheets = Compositions { shared, names: BTreeMap::new(), open: Vec::new() };
    let own = sheets.names_of(Path::new(path), css)?;
    let mut imports: Vec<PathBuf> = own.sheets;
    imports.retain(|sheet| sheet != Path::new(path));
    let mut code: String = imports.iter().fold(String::new(), |code, sheet| code + &format!("import {sheet:?};\n"));
    code.push_str("export default ");
    code.push_str(&serde_json::to_string(&own.classes).unwrap_or_default());
    code.push_str(";\n");
    // Names that JavaScript can have are exports too.
    for (name, value) in &own.classes {
        if name != "default" && oxc::syntax::identifier::is_identifier_name(name) {
            code.push_str(&format!("const class_{name} = {value:?};\nexport {{ class_{name} as {name} }};\n"));
        }
    }
    Ok(Some(code))
}

/// What the names of a module of CSS stand for, and the sheets that they are composed of.
#[derive(Debug, Clone, Default)]
struct ClassNames {
    classes: BTreeMap<String, String>,
    sheets: Vec<PathBuf>,
}

/// The names of modules of CSS that compose of each other.
struct Compositions<'a> {
    shared: &'a Shared,
    names: BTreeMap<PathBuf, ClassNames>,
    /// Sheets whose names are being found: what leads back to them adds nothing.
    open: Vec<PathBuf>,
}

impl Compositions<'_> {
    fn names_of(&mut self, path: &Path, css: &str) -> Result<ClassNames, Message> {
        let text = path.to_string_lossy();
        let sheet = StyleSheet::parse(css, parser_options(&text, true)).map_err(|error| worded(&error, self.shared))?;
        if sheet.rules.0.iter().any(has_other_compositions) {
            return Err(mistake(path, css, "composes", "Invalid declaration".to_string()));
        }
        let made = printed(self.shared, &sheet).map_err(|error| worded(&error, self.shared))?;
        let exports = made.exports.unwrap_or_default();
        let by_class: HashMap<&str, &str> =
            exports.iter().map(|(name, export)| (export.name.as_str(), name.as_str())).collect();
        self.open.push(path.to_path_buf());
        let mut own = Own { path, css, exports: &exports, by_class, found: ClassNames::default() };
        for name in exports.keys() {
            let mut classes = Vec::new();
            self.compose(&mut own, name, &mut Vec::new(), &mut classes)?;
            own.found.classes.insert(name.clone(), classes.join(" "));
        }
        self.open.pop();
        Ok(own.found)
    }

    /// Adds the classes that a name stands for: what it is composed of, and what that is composed of, come first.
    /// `open`: the names that lead to this one.
    fn compose<'e>(
        &mut self,
        own: &mut Own<'e>,
        name: &'e str,
        open: &mut Vec<&'e str>,
        classes: &mut Vec<String>,
    ) -> Result<(), Message> {
        let exports = own.exports;
        let Some(export) = exports.get(name).filter(|_| !open.contains(&name)) else { return Ok(()) };
        open.push(name);
        for reference in &export.composes {
            match reference {
                CssModuleReference::Global { name } => add(classes, name),
                CssModuleReference::Local { name: class } => match own.by_class.get(class.as_str()) {
                    Some(&local) => self.compose(own, local, open, classes)?,
                    None => {
                        let local = class.rsplit_once('_').map_or(class.as_str(), |(local, _)| local);
                        return Err(never_appears(self.shared, own.path, own.css, local, own.path));
                    }
                },
                CssModuleReference::Dependency { name: composed, specifier } => {
                    let (path, names) = self.other(own.path, own.css, specifier)?;
                    if path == own.path {
                        match exports.get_key_value(composed) {
                            Some((local, _)) => self.compose(own, local, open, classes)?,
                            None => return Err(never_appears(self.shared, own.path, own.css, composed, &path)),
                        }
                        continue;
                    }
                    if let Some(composed) = names.classes.get(composed) {
                        composed.split(' ').for_each(|class| add(classes, class));
                    } else if !self.open.contains(&path) {
                        return Err(never_appears(self.shared, &path, "", composed, &path));
                    }
                    if !own.found.sheets.contains(&path) {
                        own.found.sheets.push(path);
                    }
                }
            }
        }
        open.pop();
        add(classes, &export.name);
        Ok(())
    }

    /// A sheet that another composes of, with its names.
    fn other(&mut self, from: &Path, css: &str, specifier: &str) -> Result<(PathBuf, ClassNames), Message> {
        let unresolved = || mistake(from, css, specifier, format!("Could not resolve: \"{specifier}\""));
        let sheets = Sheets::new(self.shared, "");
        let ResolveResult::File(path) = sheets.resolve(specifier, from).map_err(|_| unresolved())? else {
            return Err(unresolved());
        };
        if self.shared.loader_of(&path.to_string_lossy(), None) != Loader::Css {
            let name = relative(from.parent().unwrap_or(Path::new("/")), &path);
            let text = format!("Cannot use the \"composes\" property with the \"{name}\" file (it is not a CSS file)");
            return Err(mistake(from, css, specifier, text));
        }
        if let Some(known) = self.names.get(&path) {
            return Ok((path.clone(), known.clone()));
        }
        if self.open.contains(&path) {
            return Ok((path, ClassNames::default()));
        }
        let name = path.to_string_lossy();
        let css = match self.shared.options.files.get(&path) {
            Some(text) => text.clone(),
            None => self.shared.text_of(&archived::read(&path).map_err(|_| unresolved())?, &name),
        };
        let names = self.names_of(&path, &css)?;
        self.names.insert(path.clone(), names.clone());
        Ok((path, names))
    }
}

/// A module whose names are being found.
struct Own<'e> {
    path: &'e Path,
    css: &'e str,
    exports: &'e HashMap<String, CssModuleExport>,
    /// Names by the classes that they stand for.
    by_class: HashMap<&'e str, &'e str>,
    found: ClassNames,
}

/// Adds a class once.
fn add(classes: &mut Vec<String>, class: &str) {
    if !classes.iter().any(|known| known == class) {
        classes.push(class.to_string());
    }
}

/// Whether a rule is composed of what is no name.
fn has_other_compositions(rule: &CssRule<'_>) -> bool {
    let CssRule::Style(style) = rule else { return false };
    style.declarations.declarations.iter().any(
        |property| matches!(property, Property::Unparsed(value) if matches!(value.property_id, PropertyId::Composes)),
    )
}

/// An error at the first place of a text in a module.
fn mistake(path: &Path, css: &str, at: &str, text: String) -> Message {
    let start = css.find(at).unwrap_or_default();
    let position = position_at(css, "file", &path.to_string_lossy(), start, (start + at.len()).min(css.len()));
    Message { position: Some(position), ..Message::error(text) }
}

/// The error about a name that a module, `other`, does not have.
fn never_appears(shared: &Shared, path: &Path, css: &str, name: &str, other: &Path) -> Message {
    let other = relative(&shared.options.cwd, other);
    let text = format!(
        "The name \"{name}\" never appears in \"{other}\" as a CSS modules locally scoped class name. \
         Note that \"composes\" only works with single class selectors."
    );
    mistake(path, css, name, text)
}

/// A module printed: the hashes in its names come from its path below the working directory, so that they are the same elsewhere.
fn printed(shared: &Shared, sheet: &StyleSheet<'_>) -> Result<ToCssResult, Error<PrinterErrorKind>> {
    let root = shared.options.cwd.to_string_lossy();
    sheet.to_css(PrinterOptions { project_root: Some(&root), ..PrinterOptions::default() })
}

/// A module of CSS as a sheet whose names are what its exports say.
pub(crate) fn localized(shared: &Shared, path: &str, css: &str) -> Result<String, String> {
    let sheet = StyleSheet::parse(css, parser_options(path, true)).map_err(|error| error.to_string())?;
    printed(shared, &sheet).map(|printed| printed.code).map_err(|error| error.to_string())
}
