//! Sheets that lightningcss does not join: imports with conditions inside of one another, one sheet in several layers, and imports of
//! other hosts behind files (https://drafts.csswg.org/css-cascade-5/#at-import).
//!
//! Each sheet is printed by itself, once for each way that leads to it, inside of the conditions of that way: `@media`, `@supports` and
//! `@layer` for each import. What results is one sheet with the same meaning.

use std::path::{Path, PathBuf};

use lightningcss::bundler::{BundleErrorKind, ResolveResult, SourceProvider as _};
use lightningcss::dependencies::DependencyOptions;
use lightningcss::error::PrinterError;
use lightningcss::printer::PrinterOptions;
use lightningcss::rules::import::ImportRule;
use lightningcss::rules::{CssRule, CssRuleList};
use lightningcss::stylesheet::StyleSheet;
use lightningcss::traits::ToCss;

use crate::css::{SOURCE_MARK, Sheets, parser_options, place_urls, position_in, worded};
use crate::messages::Message;

/// Whether an error is about sheets that only need to be joined in another way.
pub(crate) fn is_about_joining<T: std::error::Error>(kind: &BundleErrorKind<'_, T>) -> bool {
    matches!(
        kind,
        BundleErrorKind::UnsupportedImportCondition
            | BundleErrorKind::UnsupportedLayerCombination
            | BundleErrorKind::UnsupportedMediaBooleanLogic
            | BundleErrorKind::ExternalImportAfterBundledImport
    )
}

/// How often sheets may be visited in one build: ways through sheets that import one another multiply.
const MAX_VISITS: usize = 5000;

/// The conditions of an `@import`.
#[derive(Clone)]
struct Conditions {
    /// What begins the blocks that stand for them, and how many there are.
    blocks: String,
    depth: usize,
    has_layer: bool,
    /// As they stand behind the URL of an import, with a space before each.
    import: String,
}

impl Conditions {
    fn of(rule: &ImportRule<'_>) -> Result<Conditions, PrinterError> {
        let print =
            |value: &dyn Fn(PrinterOptions<'_>) -> Result<String, PrinterError>| value(PrinterOptions::default());
        let mut found =
            Conditions { blocks: String::new(), depth: 0, has_layer: rule.layer.is_some(), import: String::new() };
        let mut open = |block: String| {
            found.blocks.push_str(&block);
            found.depth += 1;
        };
        // No query at all is printed as the one that never holds.
        if !rule.media.media_queries.is_empty() {
            let media = print(&|options| rule.media.to_css_string(options))?;
            open(format!("@media {media} {{"));
        }
        if let Some(supports) = &rule.supports {
            let condition = print(&|options| supports.to_css_string(options))?;
            open(format!("@supports {condition} {{"));
        }
        if let Some(layer) = &rule.layer {
            let name = layer.as_ref().map(|name| print(&|options| name.to_css_string(options))).transpose()?;
            open(format!("@layer {} {{", name.unwrap_or_default()));
        }
        // The printed rule has the conditions behind the URL, which is a text in quotes.
        let bare = ImportRule { url: "".into(), ..rule.clone() };
        let text = print(&|options| bare.to_css_string(options))?;
        let text = text.trim_end_matches(';');
        found.import = text.strip_prefix("@import \"\"").unwrap_or_default().to_string();
        Ok(found)
    }
}

/// What one visit of a sheet adds.
struct Part {
    path: String,
    blocks: String,
    depth: usize,
    text: String,
    /// Whether it has nothing but statements about the order of layers, on a way without conditions.
    is_order: bool,
}

struct Joiner<'s, 'a> {
    sheets: &'s Sheets<'a>,
    parts: Vec<Part>,
    /// Imports that stay, which come before all else: their URLs and conditions.
    imports: Vec<(String, String)>,
    has_layers: bool,
    open: Vec<PathBuf>,
    visits: usize,
    errors: Vec<Message>,
}

/// The text of one sheet that means what some sheets do in their order, and the names of the files whose marks stand in it if they are
/// wanted.
///
/// # Errors
/// Mistakes with their places, or all references that lead nowhere.
pub(crate) fn joined(
    sheets: &Sheets<'_>,
    paths: &[String],
    has_marks: bool,
) -> Result<(String, Vec<String>), Vec<Message>> {
    let mut joiner = Joiner {
        sheets,
        parts: Vec::new(),
        imports: Vec::new(),
        has_layers: false,
        open: Vec::new(),
        visits: 0,
        errors: Vec::new(),
    };
    for path in paths {
        joiner.visit(Path::new(path), &mut Vec::new()).map_err(|message| vec![*message])?;
    }
    if !joiner.errors.is_empty() {
        return Err(joiner.errors);
    }
    let Joiner { mut parts, mut imports, has_layers, .. } = joiner;
    // The last of the same rules wins, also if more than its conditions led to an earlier one. Layers have their order from where each is
    // first named, so with layers all stay.
    if !has_layers {
        drop_overridden(&mut parts, |part, later| part.path == later.path && part.blocks.starts_with(&later.blocks));
        drop_overridden(&mut imports, |(url, conditions), later| {
            *url == later.0 && (*conditions == later.1 || later.1.is_empty())
        });
    }
    // Imports that stay may be in layers, too: what says the order first comes before them.
    let rest = parts.split_off(parts.iter().take_while(|part| part.is_order).count());
    let mut out: String = parts
        .into_iter()
        .map(|part| part.text + "\n")
        .chain(imports.iter().map(|(url, conditions)| import_text(url, conditions)))
        .collect();
    let mut named: Vec<String> = Vec::new();
    for Part { path, blocks, depth, text, .. } in rest {
        if has_marks && named.last() != Some(&path) {
            out.push_str(&format!("@{SOURCE_MARK}{};\n", named.len()));
            named.push(path);
        }
        out.push_str(&blocks);
        out.push_str(&text);
        out.push_str(&"}".repeat(depth));
        out.push('\n');
    }
    Ok((out, named))
}

/// Leaves out what something later overrides.
fn drop_overridden<T>(all: &mut Vec<T>, is_overridden: impl Fn(&T, &T) -> bool) {
    let keeps: Vec<bool> =
        (0..all.len()).map(|at| !all[at + 1..].iter().any(|later| is_overridden(&all[at], later))).collect();
    let mut keeps = keeps.into_iter();
    all.retain(|_| keeps.next() == Some(true));
}

impl Joiner<'_, '_> {
    /// Adds a sheet and those that it imports. `way`: the conditions of the imports that lead to it, the outermost first.
    fn visit(&mut self, path: &Path, way: &mut Vec<Conditions>) -> Result<(), Box<Message>> {
        if self.open.iter().any(|open| open == path) {
            return Ok(());
        }
        let name = path.to_string_lossy().into_owned();
        let sheets = self.sheets;
        let text = sheets.read(path).map_err(|error| Box::new(Message::error(error.to_string())))?;
        let shared = self.sheets.shared;
        let mut sheet =
            StyleSheet::parse(text, parser_options(&name, false)).map_err(|error| Box::new(worded(&error, shared)))?;
        self.open.push(path.to_path_buf());
        let mut rules = std::mem::take(&mut sheet.rules.0);
        let behind = rules.iter().rposition(|rule| matches!(rule, CssRule::Import(_))).map_or(0, |last| last + 1);
        let rest = rules.split_off(behind);
        for rule in rules {
            match rule {
                CssRule::Import(rule) => self.import(path, &rule, way)?,
                // Statements about layers decide their order before the imports behind them.
                rule => self.add(&mut sheet, &name, vec![rule], way)?,
            }
        }
        self.add(&mut sheet, &name, rest, way)?;
        self.open.pop();
        Ok(())
    }

    fn import(&mut self, from: &Path, rule: &ImportRule<'_>, way: &mut Vec<Conditions>) -> Result<(), Box<Message>> {
        let shared = self.sheets.shared;
        let position = position_in(shared, &from.to_string_lossy(), rule.loc.line, rule.loc.column);
        let at_rule = |text: String| Box::new(Message { position: Some(position.clone()), ..Message::error(text) });
        let conditions = Conditions::of(rule).map_err(|error| at_rule(error.to_string()))?;
        self.has_layers |= rule.layer.is_some();
        match self.sheets.find(&rule.url, from).map_err(|error| at_rule(error.to_string()))? {
            ResolveResult::File(file) => {
                self.visits += 1;
                if self.visits > MAX_VISITS {
                    return Err(at_rule(format!(
                        "Imports with conditions lead to sheets in more than {MAX_VISITS} ways"
                    )));
                }
                way.push(conditions);
                self.visit(&file, way)?;
                way.pop();
            }
            // A sheet in a URL stands for each import on the way that has conditions of its own.
            ResolveResult::External(url) => {
                let mut import = (url, conditions.import);
                for outer in way.iter().rev().filter(|outer| !outer.import.is_empty()) {
                    let text = import_text(&import.0, &import.1);
                    import = (format!("data:text/css,{}", percent_encoded(&text)), outer.import.clone());
                }
                self.imports.push(import);
            }
        }
        Ok(())
    }

    /// Adds rules of a sheet inside of the conditions of the way to it.
    fn add<'i>(
        &mut self,
        sheet: &mut StyleSheet<'i>,
        name: &str,
        rules: Vec<CssRule<'i>>,
        way: &[Conditions],
    ) -> Result<(), Box<Message>> {
        // Without rules only the names of layers count.
        if rules.is_empty() && way.iter().all(|conditions| !conditions.has_layer) {
            return Ok(());
        }
        self.has_layers |= rules.iter().any(|rule| matches!(rule, CssRule::LayerBlock(_) | CssRule::LayerStatement(_)));
        let is_order = rules.iter().all(|rule| matches!(rule, CssRule::LayerStatement(_)));
        sheet.rules = CssRuleList(rules);
        let options = PrinterOptions {
            analyze_dependencies: Some(DependencyOptions { remove_imports: false }),
            ..PrinterOptions::default()
        };
        let printed = sheet.to_css(options).map_err(|error| Box::new(worded(&error, self.sheets.shared)))?;
        match place_urls(self.sheets.shared, printed.code, printed.dependencies) {
            Ok(text) => self.parts.push(Part {
                path: name.to_string(),
                blocks: way.iter().map(|conditions| conditions.blocks.as_str()).collect(),
                depth: way.iter().map(|conditions| conditions.depth).sum(),
                text,
                is_order: is_order && way.iter().all(|conditions| conditions.depth == 0),
            }),
            Err(errors) => self.errors.extend(errors),
        }
        Ok(())
    }
}

fn import_text(url: &str, conditions: &str) -> String {
    let url = url.replace('\\', "\\\\").replace('"', "\\\"");
    format!("@import \"{url}\"{conditions};\n")
}

/// A text as the data of a URL.
fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'(),/:;@=+&?".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}
