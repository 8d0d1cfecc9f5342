//! What a build has to say: errors and warnings in Bun's words, with their place in a source.

use rolldown_error::{BuildDiagnostic, DiagnosticOptions, EventKind};
use std::path::Path;

/// A place in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub file: String,
    pub namespace: String,
    /// From 1.
    pub line: usize,
    /// From 1, in UTF-16 code units.
    pub column: usize,
    /// In UTF-16 code units.
    pub length: usize,
    /// From the start of the file, in UTF-16 code units.
    pub offset: usize,
    pub line_text: String,
}

/// A specifier that leads nowhere, beside the message about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    pub specifier: String,
    pub referrer: String,
    /// Bun's name for the way of the import: `import-statement`, `require-call`, `dynamic-import`, `entry-point-build`, `url-token`.
    pub kind: &'static str,
}

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    /// What native plugins tell beside errors and warnings.
    Info,
    Debug,
    Verbose,
}

impl Level {
    /// Bun's name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Verbose => "verbose",
        }
    }
}

/// An error, a warning or a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub level: Level,
    pub text: String,
    pub position: Option<Position>,
    pub notes: Vec<String>,
    pub unresolved: Option<Unresolved>,
}

impl Message {
    /// An error that has no place.
    pub fn error(text: impl Into<String>) -> Message {
        Message { level: Level::Error, text: text.into(), position: None, notes: Vec::new(), unresolved: None }
    }

    /// Whether the build has failed by it.
    pub fn is_error(&self) -> bool {
        self.level == Level::Error
    }
}

/// The place of bytes of a source text.
pub(crate) fn position_at(source: &str, namespace: &str, file: &str, start: usize, end: usize) -> Position {
    let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let found = transpile::Diagnostic::at(source, file, clamp(start), clamp(end), "");
    let before = source.get(..found.offset as usize).unwrap_or(source);
    Position {
        file: file.to_string(),
        namespace: namespace.to_string(),
        line: found.line as usize,
        column: found.column as usize,
        length: found.length as usize,
        offset: before.encode_utf16().count(),
        line_text: source.lines().nth(found.line as usize - 1).unwrap_or_default().to_string(),
    }
}

/// The messages of one diagnostic of rolldown. `source` reads the text of a file, by its path.
pub(crate) fn of_diagnostic(
    diagnostic: &BuildDiagnostic,
    is_error: bool,
    cwd: &Path,
    source: &dyn Fn(&str) -> Option<String>,
) -> Message {
    let options = DiagnosticOptions { cwd: cwd.to_path_buf() };
    let rendered = diagnostic.to_diagnostic_with(&options);
    let position = rendered.get_primary_location().map(|(file, line, column, offset)| {
        let path = cwd.join(&file).to_string_lossy().into_owned();
        let text = source(&path).unwrap_or_default();
        let line_text = text.lines().nth(line - 1).unwrap_or_default().to_string();
        Position { file: path, namespace: "file".into(), line, column: column + 1, length: 0, offset, line_text }
    });
    let level = if is_error { Level::Error } else { Level::Warning };
    let mut message =
        Message { level, text: diagnostic.to_message_with(&options), position, notes: Vec::new(), unresolved: None };
    // rolldown gives the start of what is wrong; a specifier is as long as its text with its quotes.
    let quoted = |message: &mut Message, text: &str| {
        if let Some(position) = &mut message.position {
            position.length = text.encode_utf16().count() + 2;
        }
    };
    match diagnostic.kind() {
        EventKind::ResolveError | EventKind::UnresolvedImport | EventKind::UnresolvedEntry => {
            let entry = || {
                let name = message.text.strip_prefix("Cannot resolve entry module ")?.split(".\n").next()?;
                Some(name.strip_suffix('.').unwrap_or(name))
            };
            let specifier = diagnostic.exporter().or_else(|| entry().map(String::from)).unwrap_or_default();
            let specifier = specifier.split(crate::shared::LOADER_MARK).next().unwrap_or_default().to_string();
            let referrer = diagnostic.id().unwrap_or_default();
            if !specifier.is_empty() {
                message.text = unresolved_text(&specifier);
                if matches!(diagnostic.kind(), EventKind::UnresolvedEntry) {
                    message.text = format!("ModuleNotFound resolving \"{specifier}\" (entry point)");
                }
                quoted(&mut message, &specifier);
                message.unresolved = Some(Unresolved { specifier, referrer, kind: "import-statement" });
            }
        }
        EventKind::PluginError => {
            // The words of the plugin itself, without rolldown's frame around them.
            if let Some((_, cause)) = message.text.split_once("Caused by:\n") {
                let cause = cause.split("\n\nStack backtrace:").next().unwrap_or(cause);
                message.text =
                    cause.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n");
            }
        }
        EventKind::ParseError | EventKind::TransformError => {
            let path = diagnostic.id().unwrap_or_default();
            let (_, file, _) = crate::shared::parts_of(&path);
            if let Some(text) = source(&path)
                && let Some(worded) = transpile::wording::of_syntax(&text, file, &message.text)
            {
                message.text = worded.text;
                message.notes = worded.notes;
                message.position = Some(position_at(&text, "file", file, worded.start, worded.end));
            }
        }
        EventKind::AssignToImportError => {
            let name = &nth_quoted(&message.text, '\'', 1);
            message.text = format!("Cannot assign to import \"{name}\"");
            message.notes.push(format!(
                "Imports are immutable in JavaScript. To modify the value of this import, you must export a setter function in the imported file (e.g. \"set{}\") and then import and call that function here instead.",
                capitalized(name)
            ));
        }
        EventKind::IllegalReassignmentError => {
            let name = &nth_quoted(&message.text, '`', 1);
            message.text = format!("Cannot assign to \"{name}\" because it is a constant");
            message.notes.push(format!("The symbol \"{name}\" was declared a constant here:"));
        }
        EventKind::ImportIsUndefined => {
            let name = nth_quoted(&message.text, '`', 1);
            let exporter = nth_quoted(&message.text, '\'', 1);
            message.text = format!(
                "Import \"{name}\" will always be undefined because there is no matching export in \"{exporter}\""
            );
        }
        EventKind::CircularReexportError => {
            let name = nth_quoted(&message.text, '\'', 1);
            let importer = diagnostic.exporter().unwrap_or_default();
            let text = source(&importer).unwrap_or_default();
            let (start, end) = transpile::wording::export_of(&text, &importer, &name).unwrap_or_default();
            message.position = Some(position_at(&text, "file", &importer, start, end));
            message.text = format!("Detected cycle while resolving import \"{name}\"");
        }
        EventKind::AmbiguousExternalNamespaceError => {
            let mut quoted = message.text.split('"').skip(1).step_by(2).map(String::from);
            let (_, name) = (quoted.next(), quoted.next().unwrap_or_default());
            message.notes.extend(quoted.map(|file| format!("One matching export is in \"{file}\"")));
            message.text = format!("Ambiguous import \"{name}\" has multiple matching exports");
        }
        EventKind::MissingExportError => {
            let name = exported_name(&message.text);
            let exporter = diagnostic.exporter().unwrap_or_default();
            let shown =
                Path::new(&exporter).strip_prefix(cwd).map_or(exporter.clone(), |p| p.to_string_lossy().into_owned());
            message.text = format!("No matching export in \"{shown}\" for import \"{name}\"");
        }
        _ => {}
    }
    message
}

/// A name that a module wants and another does not export.
pub(crate) struct MissingExport {
    /// The ids of the modules.
    pub importer: String,
    pub exporter: String,
    pub name: String,
    /// Where the name stands in the importer, in UTF-16 code units.
    pub offset: usize,
}

/// What a diagnostic says about a missing export, if that is what it is about.
pub(crate) fn missing_export(diagnostic: &BuildDiagnostic) -> Option<MissingExport> {
    if !matches!(diagnostic.kind(), EventKind::MissingExportError) {
        return None;
    }
    let options = DiagnosticOptions::default();
    let (_, _, _, offset) = diagnostic.to_diagnostic_with(&options).get_primary_location()?;
    Some(MissingExport {
        importer: diagnostic.id()?,
        exporter: diagnostic.exporter()?,
        name: exported_name(&diagnostic.to_message_with(&options)),
        offset,
    })
}

fn exported_name(message: &str) -> String {
    nth_quoted(message, '"', 1)
}

/// A part of a text between quotes.
fn nth_quoted(text: &str, quote: char, index: usize) -> String {
    text.split(quote).nth(index).unwrap_or_default().to_string()
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Bun's text about a specifier that leads nowhere.
pub(crate) fn unresolved_text(specifier: &str) -> String {
    let is_path = specifier.starts_with('.') || specifier.starts_with('/');
    if is_path {
        format!("Could not resolve: \"{specifier}\"")
    } else {
        format!("Could not resolve: \"{specifier}\". Maybe you need to \"bun install\"?")
    }
}

/// Whether a warning of rolldown's is one that Bun's users expect.
pub(crate) fn is_shown(diagnostic: &BuildDiagnostic) -> bool {
    !matches!(
        diagnostic.kind(),
        EventKind::Eval
            | EventKind::CommonJsVariableInEsm
            | EventKind::IneffectiveDynamicImport
            | EventKind::MissingNameOptionForIifeExport
            | EventKind::MixedExports
            | EventKind::PluginTimings
            | EventKind::EmptyImportMeta
            | EventKind::MissingGlobalName
            | EventKind::PreferBuiltinFeature
            | EventKind::ConfigurationFieldConflict
            | EventKind::UnsupportedTsconfigOption
            | EventKind::InvalidAnnotation
            | EventKind::LargeBarrelModules
    ) && !diagnostic.to_string().contains(NAMESPACE_VARIABLES)
}

/// What oxc says of variables that namespaces export, which work: the plugin has made properties of them.
const NAMESPACE_VARIABLES: &str = "Namespaces exporting non-const";

/// Whether a message is about an import that the program expects to fail: a `require` in a `try`, an `import()` whose
/// rejection is caught.
pub(crate) fn may_fail(message: &Message, source: &str) -> bool {
    message
        .position
        .as_ref()
        .is_some_and(|position| transpile::wording::is_guarded(source, &position.file, position.offset))
}

/// The id of the module that a diagnostic is about, if it cannot be parsed.
pub(crate) fn unparsed(diagnostic: &BuildDiagnostic) -> Option<String> {
    matches!(diagnostic.kind(), EventKind::ParseError).then(|| diagnostic.id()).flatten()
}

/// Whether a diagnostic says that an import leads nowhere.
pub(crate) fn is_unresolved(diagnostic: &BuildDiagnostic) -> bool {
    matches!(diagnostic.kind(), EventKind::UnresolvedImport | EventKind::ResolveError)
}

/// Whether a diagnostic only passes on what a plugin or the file system has said.
pub(crate) fn is_of_plugin(diagnostic: &BuildDiagnostic) -> bool {
    matches!(
        diagnostic.kind(),
        EventKind::PluginError | EventKind::UnhandleableError | EventKind::UnloadableDependencyError
    )
}
