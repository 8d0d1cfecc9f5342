//! One configuration, merged from a file and what it extends.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use json::{Flavor, Member, Node, Value};

use crate::extends;
use crate::paths::Paths;

/// Longest chain of `extends`.
const MAX_EXTENDS: usize = 32;

/// compilerOptions.jsx
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsxSetting {
    Preserve,
    React,
    ReactJsx,
    ReactJsxDev,
    ReactNative,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub file: String,
    /// From 1; 1 if the error is about the file as a whole.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
}

impl Error {
    fn whole_file(file: &str, message: String) -> Self {
        Self { file: file.to_owned(), line: 1, column: 1, message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// A configuration with everything that it extends.
#[derive(Debug, Clone, Default)]
pub struct TsConfig {
    /// The file itself.
    pub path: PathBuf,
    /// All files that were read, for watching and for cache keys; the first is `path`.
    pub files: Vec<PathBuf>,
    /// Problems that do not make the configuration unusable: an extended file that is missing or damaged.
    pub warnings: Vec<Error>,
    /// paths and baseUrl. Relative targets are resolved against baseUrl, or against the folder of the file that
    /// declares `paths`.
    pub paths: Arc<Paths>,
    pub jsx: Option<JsxSetting>,
    pub jsx_factory: Option<String>,
    pub jsx_fragment_factory: Option<String>,
    pub jsx_import_source: Option<String>,
    pub experimental_decorators: Option<bool>,
    pub emit_decorator_metadata: Option<bool>,
    pub use_define_for_class_fields: Option<bool>,
    /// Whether `target` has class fields of its own (ES2022 and later).
    pub target_has_class_fields: Option<bool>,
    pub verbatim_module_syntax: Option<bool>,
    pub strict: Option<bool>,
    pub strict_null_checks: Option<bool>,
}

impl TsConfig {
    /// The configuration of the files in `dir`: the nearest tsconfig.json, else jsconfig.json, going up from
    /// there. `None` when there is none.
    ///
    /// # Errors
    /// The file cannot be read, or is no JSON with comments.
    pub fn load(dir: &Path) -> Result<Option<Self>, Error> {
        for folder in dir.ancestors() {
            for name in ["tsconfig.json", "jsconfig.json"] {
                let path = folder.join(name);
                // Reading right away is one system call for the usual case that there is no such file.
                match std::fs::read_to_string(&path) {
                    Ok(text) => return Self::from_text(&text, &path).map(Some),
                    Err(error) if is_absent(&error) => {}
                    Err(error) => return Err(unreadable(&path, &error)),
                }
            }
        }
        Ok(None)
    }

    /// The configuration in a certain file (`--tsconfig-override`, `bun build --tsconfig`).
    ///
    /// # Errors
    /// As [`Self::load`]; a file that does not exist is an error too.
    pub fn load_file(path: &Path) -> Result<Self, Error> {
        let text = extends::text_of(path).map_err(|error| unreadable(path, &error))?;
        Self::from_text(&text, path)
    }

    /// The configuration in `text`, as if it were the content of the file `path`. Extended files are read.
    ///
    /// # Errors
    /// The text is no JSON with comments.
    pub fn from_text(text: &str, path: &Path) -> Result<Self, Error> {
        let mut config = Self { path: path.to_owned(), ..Self::default() };
        let mut raw = RawPaths::default();
        config.read(text, path, &mut raw, &mut Vec::new())?;
        config.resolve_paths(&raw);
        Ok(config)
    }

    fn read(&mut self, text: &str, path: &Path, raw: &mut RawPaths, chain: &mut Vec<PathBuf>) -> Result<(), Error> {
        let name = path.to_string_lossy();
        self.files.push(path.to_owned());
        // An empty file is valid for tsc and Bun.
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Ok(());
        }
        let json = Value::read(text, Flavor::Jsonc).map_err(|error| Error {
            file: name.clone().into_owned(),
            line: error.line,
            column: error.column,
            message: error.message,
        })?;
        chain.push(path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("/"));
        if let Some(value) = json.get("extends") {
            let list = if matches!(value.node, Node::Array(_)) { value.items() } else { std::slice::from_ref(value) };
            for item in list.iter().filter_map(Value::str) {
                self.extend(item, folder, &name, raw, chain);
            }
        }
        chain.pop();
        if let Some(options) = json.get("compilerOptions") {
            self.options(options, folder, raw);
        }
        Ok(())
    }

    /// Takes over what an extended file says; what goes wrong there is a warning.
    fn extend(&mut self, item: &str, folder: &Path, from: &str, raw: &mut RawPaths, chain: &mut Vec<PathBuf>) {
        let mut warn = |message: String| self.warnings.push(Error::whole_file(from, message));
        let Some((path, text)) = extends::find(item, folder) else {
            warn(format!("The extended configuration \"{item}\" was not found"));
            return;
        };
        if chain.contains(&path) || chain.len() >= MAX_EXTENDS {
            warn(format!("The extended configuration \"{item}\" extends itself"));
            return;
        }
        if let Err(diagnostic) = self.read(&text, &path, raw, chain) {
            self.warnings.push(diagnostic);
        }
    }

    fn options(&mut self, options: &Value<'_>, folder: &Path, raw: &mut RawPaths) {
        let text = |key: &str| options.get(key).and_then(Value::str).map(str::to_owned);
        let flag = |key: &str| options.get(key).and_then(Value::bool);
        fn set<T>(target: &mut Option<T>, value: Option<T>) {
            if value.is_some() {
                *target = value;
            }
        }
        let jsx = text("jsx").and_then(|value| match value.to_ascii_lowercase().as_str() {
            "preserve" => Some(JsxSetting::Preserve),
            "react" => Some(JsxSetting::React),
            "react-jsx" => Some(JsxSetting::ReactJsx),
            "react-jsxdev" => Some(JsxSetting::ReactJsxDev),
            "react-native" => Some(JsxSetting::ReactNative),
            _ => None,
        });
        set(&mut self.jsx, jsx);
        set(&mut self.jsx_factory, text("jsxFactory"));
        set(&mut self.jsx_fragment_factory, text("jsxFragmentFactory"));
        set(&mut self.jsx_import_source, text("jsxImportSource"));
        set(&mut self.experimental_decorators, flag("experimentalDecorators"));
        set(&mut self.emit_decorator_metadata, flag("emitDecoratorMetadata"));
        set(&mut self.use_define_for_class_fields, flag("useDefineForClassFields"));
        set(&mut self.target_has_class_fields, text("target").map(|target| has_class_fields(&target)));
        // The older options that verbatimModuleSyntax replaced mean the same to a transpiler.
        let preserves = flag("preserveValueImports").filter(|preserves| *preserves);
        set(&mut self.verbatim_module_syntax, flag("verbatimModuleSyntax").or(preserves));
        set(&mut self.strict, flag("strict"));
        set(&mut self.strict_null_checks, flag("strictNullChecks"));
        if let Some(base) = text("baseUrl") {
            raw.base_url = Some((folder.to_owned(), base));
        }
        if let Some(Value { node: Node::Object(members), .. }) = options.get("paths") {
            let entry = |member: &Member<'_>| {
                let Node::Array(targets) = &member.value.node else { return None };
                let targets = targets.iter().filter_map(Value::str).map(str::to_owned).collect();
                Some((member.key.clone().into_owned(), targets))
            };
            raw.paths = members.iter().filter_map(entry).collect();
            raw.paths_folder = Some(folder.to_owned());
        }
    }

    fn resolve_paths(&mut self, raw: &RawPaths) {
        // `${configDir}` is the folder of the file that everything started from, also in extended files.
        let own = self.path.parent().unwrap_or(Path::new("/")).to_owned();
        // TypeScript takes a backslash for a slash on every system.
        let absolute = |folder: &Path, text: &str| {
            let text = text.replace('\\', "/");
            match text.strip_prefix("${configDir}") {
                Some(rest) => normalize(&own.join(rest.trim_start_matches('/'))),
                None => normalize(&folder.join(text)),
            }
        };
        let base_url = raw.base_url.as_ref().map(|(folder, text)| absolute(folder, text));
        let base = base_url.clone().or_else(|| raw.paths_folder.clone()).unwrap_or_default();
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        self.paths = Arc::new(Paths::new(
            &self.path.to_string_lossy(),
            base_url.map(text).as_deref(),
            "/",
            raw.paths.iter().map(|(pattern, targets)| {
                let targets: Vec<String> = targets.iter().map(|target| text(absolute(&base, target))).collect();
                (pattern, targets)
            }),
        ));
    }
}

/// Path options as written; they are resolved when all files are read.
#[derive(Default)]
struct RawPaths {
    base_url: Option<(PathBuf, String)>,
    paths: Vec<(String, Vec<String>)>,
    paths_folder: Option<PathBuf>,
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory | ErrorKind::PermissionDenied
    )
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::whole_file(&path.to_string_lossy(), format!("The file cannot be read: {error}"))
}

/// Resolves `.` and `..` in the text of a path, without looking at the file system.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether a `target` is one that knows class fields: `es2022`, later years, `esnext`.
fn has_class_fields(target: &str) -> bool {
    let target = target.to_ascii_lowercase();
    match target.strip_prefix("es").unwrap_or("") {
        "next" => true,
        year => year.parse::<u32>().is_ok_and(|year| year >= 2022),
    }
}
