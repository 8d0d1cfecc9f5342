//! What the loader knows of a file before it runs: its kind, its loader, and its text made ready to compile.

use std::sync::Arc;

use engine::Stencil;
use resolve::{FileClass, ModuleFormat};
use transpile::{Diagnostic, ImportRequest, Loader, ModuleHint, ModuleKind, SourceMap};

use crate::cache::Key;

/// A text ready to compile, or compiled already.
pub struct Source {
    /// JavaScript. Of code from the cache it is the file's own text, which for TypeScript is not JavaScript.
    pub code: String,
    pub kind: ModuleKind,
    pub map: Option<SourceMap>,
    /// The code as the cache had it.
    pub stencil: Option<Stencil>,
    /// Where to store what this compiles to.
    pub key: Option<Key>,
    /// Path and hash for the compile cache, where that is to be told.
    pub noted: Option<(String, u64)>,
    /// Whether the code is the text as it was found, not parsed by us yet.
    pub untouched: bool,
    /// Whether the code is made of another text than the file's, see `LoaderHooks::replace`.
    pub replaced: bool,
    /// The imports of the text, if it was parsed.
    pub imports: Option<Vec<ImportRequest>>,
    /// Path and text that [`LoaderHooks::compiled`](crate::loader_hooks::LoaderHooks::compiled) is told with the compiled code.
    pub keep: Option<(String, String)>,
}

impl Source {
    /// JavaScript as it was found, for the engine to parse.
    pub fn plain(code: String, kind: ModuleKind) -> Self {
        Source { untouched: true, ..Source::made(code, kind, None) }
    }

    /// JavaScript that was made of another text.
    pub fn made(code: String, kind: ModuleKind, map: Option<SourceMap>) -> Self {
        Source {
            code,
            kind,
            map,
            stencil: None,
            key: None,
            noted: None,
            untouched: false,
            replaced: false,
            imports: None,
            keep: None,
        }
    }

    /// Code that was compiled before. `text` is the file's.
    pub fn compiled(text: String, kind: ModuleKind, map: Option<SourceMap>, stencil: Stencil) -> Self {
        Source { stencil: Some(stencil), ..Source::made(text, kind, map) }
    }
}

/// What a file is to the loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Script,
    Json,
    Jsonc,
    Json5,
    Toml,
    Yaml,
    Text,
    Wasm,
    Addon,
    /// A database of `bun:sqlite`; only by its import attribute.
    Sqlite,
    /// A page for the routes of `Bun.serve`.
    Page,
    /// A style sheet: an object, as in Bun. Only bundles have the names of its classes.
    Sheet,
    /// Imported as its path (`file` loader).
    File,
}

/// The loader for a class of file, unless an import attribute names one.
pub fn file_kind(class: FileClass) -> FileKind {
    match class {
        FileClass::Json => FileKind::Json,
        FileClass::Jsonc => FileKind::Jsonc,
        FileClass::Json5 => FileKind::Json5,
        FileClass::Toml => FileKind::Toml,
        FileClass::Yaml => FileKind::Yaml,
        FileClass::Text | FileClass::Shell => FileKind::Text,
        FileClass::Html => FileKind::Page,
        FileClass::Wasm => FileKind::Wasm,
        FileClass::Addon => FileKind::Addon,
        FileClass::Css => FileKind::Sheet,
        class if class.is_script() => FileKind::Script,
        // No extension, or an unknown one: a script as in Node, where the file has none; else Bun's `file` loader.
        _ => FileKind::File,
    }
}

/// The loader that an import attribute `with { type: ... }` names.
pub fn attribute_kind(name: &str) -> Option<FileKind> {
    Some(match name {
        // Macros that are left over (of `import()`, and among macros) are functions as others.
        "js" | "jsx" | "ts" | "tsx" | "javascript" | "typescript" | "macro" => FileKind::Script,
        "json" => FileKind::Json,
        "jsonc" => FileKind::Jsonc,
        "json5" => FileKind::Json5,
        "toml" => FileKind::Toml,
        "yaml" => FileKind::Yaml,
        "text" => FileKind::Text,
        "wasm" | "webassembly" => FileKind::Wasm,
        "css" => FileKind::Sheet,
        "file" => FileKind::File,
        "sqlite" => FileKind::Sqlite,
        "html" => FileKind::Page,
        _ => return None,
    })
}

/// How a script's text is read.
pub fn loader_of(class: FileClass) -> Loader {
    match class {
        FileClass::Ts | FileClass::Mts | FileClass::Cts => Loader::Ts,
        FileClass::Tsx => Loader::Tsx,
        FileClass::Jsx => Loader::Jsx,
        _ => Loader::Js,
    }
}

/// What the package and the name of a file say of its module system.
pub fn hint_of(format: ModuleFormat) -> ModuleHint {
    match format {
        ModuleFormat::Module => ModuleHint::Esm,
        ModuleFormat::CommonJs => ModuleHint::Cjs,
        ModuleFormat::Detect => ModuleHint::Unknown,
    }
}

/// Specifier of the names that an ES module has without declaring them, see [`add_module_scope`].
pub const MODULE_SCOPE: &str = "bao:module-scope";

/// Specifier of the names that a graph of modules has of its own (`globals` of `Bun.ModuleGraph`), see [`add_graph_scope`].
pub const GRAPH_SCOPE: &str = "bao:graph-scope";

/// Specifier of the module that a facade for `require` stands before, see `modules::require_module`.
pub const REQUIRED: &str = "bao:required";

/// Gives an ES module the `require`, `__dirname` and `__filename` that it uses without having declared them, as Bun does:
/// by an import at its end, which moves no line and is there before the first statement runs.
pub fn add_module_scope(code: &mut String, free: transpile::FreeNames) {
    let names: Vec<&str> = [
        (transpile::FreeNames::REQUIRE, "require"),
        (transpile::FreeNames::DIRNAME, "__dirname"),
        (transpile::FreeNames::FILENAME, "__filename"),
    ]
    .into_iter()
    .filter(|(flag, _)| free.contains(*flag))
    .map(|(_, name)| name)
    .collect();
    if !names.is_empty() {
        code.push_str(&format!("\nimport {{ {} }} from \"{MODULE_SCOPE}\";\n", names.join(", ")));
    }
}

/// Gives an ES module of a graph those of the graph's names that it uses without having declared them, in the same way.
pub fn add_graph_scope(code: &mut String, path: &str, names: &[String]) {
    let free = transpile::free_names(code, path, names);
    if !free.is_empty() {
        code.push_str(&format!("\nimport {{ {} }} from \"{GRAPH_SCOPE}\";\n", free.join(", ")));
    }
}

/// Whether a JSON file may have comments and trailing commas by its name, as in Bun: those that are written for people.
pub fn has_comments(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "package.json"
        || (name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig")))
}

/// Turns the text of a data file into JSON or reports what is wrong with it and where.
pub fn data_to_json(kind: FileKind, text: &str, path: &str) -> Result<transpile::data::Json, Diagnostic> {
    match kind {
        FileKind::Json5 => transpile::data::json5_to_json(text, path),
        FileKind::Toml => transpile::data::toml_to_json(text, path),
        FileKind::Yaml => transpile::data::yaml_to_json(text, path),
        _ => transpile::data::jsonc_to_json(text, path),
    }
}

/// The URL of a path, as Node writes it.
pub fn file_url(path: &str) -> Arc<str> {
    let mut url = String::with_capacity(path.len() + 8);
    url.push_str("file://");
    for &byte in path.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => url.push(byte as char),
            b'/' | b'-' | b'_' | b'.' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
            | b':' | b'@' | b'[' | b']' | b'|' => url.push(byte as char),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url.into()
}
