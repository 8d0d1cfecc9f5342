//! From a file to something the engine can compile: reading, transpiling, choosing the module system.

use std::sync::Arc;

use engine::{JsResult, OpError, Scope, Stencil};
use resolve::{FileClass, ModuleFormat, ResolvedFile};
use transpile::{Diagnostic, Loader, ModuleHint, ModuleKind, SourceMap};

use crate::cache::{Entry, Key};
use crate::state::RuntimeState;

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
    /// Whether counters are in the code (`bao test --coverage`).
    pub counted: bool,
    /// Path and text of what is to be kept for the next time, see [`KeptCode`].
    keep: Option<(String, String)>,
}

impl Source {
    /// JavaScript that is no file.
    pub fn plain(code: String, kind: ModuleKind) -> Self {
        Source {
            code,
            kind,
            map: None,
            stencil: None,
            key: None,
            noted: None,
            untouched: true,
            counted: false,
            keep: None,
        }
    }

    /// The code after transpiling it, where the engine could not read it as it was: plain JavaScript goes to the engine
    /// without being parsed here first, and Bun reads JSX, decorators and newer syntax in it as well. `None` where it is not
    /// that either.
    pub fn second_reading(&self, state: &RuntimeState, path: &str) -> Option<Source> {
        if !self.untouched {
            return None;
        }
        let mut options = state.modules.borrow_mut().transpile_options(path, FileClass::Js);
        options.loader = Some(Loader::Jsx);
        options.package_type = if self.kind == ModuleKind::Esm { ModuleHint::Esm } else { ModuleHint::Cjs };
        let output = transpile::transpile(&self.code, path, &options).ok()?;
        let mut code = output.code?;
        if self.kind == ModuleKind::Esm {
            add_module_scope(&mut code, output.info.free);
        }
        let noted = self.noted.clone();
        let map = match (output.map, &self.map) {
            (Some(map), Some(inner)) => Some(map.compose(inner)),
            (map, inner) => map.or_else(|| inner.clone()),
        };
        let (kind, key, counted, keep) = (self.kind, self.key, self.counted, self.keep.clone());
        Some(Source { kind, map, code, stencil: None, key, noted, untouched: false, counted, keep })
    }

    /// Stores freshly compiled code.
    pub fn store(&self, scope: &mut Scope<'_>, state: &RuntimeState, stencil: &Stencil) -> JsResult<()> {
        if let Some((path, text)) = &self.keep
            && let Some(kept) = &mut *state.kept_code.borrow_mut()
        {
            let (text, map, stencil) = (text.clone(), self.map.clone(), stencil.clone());
            let assignable = state.assignable.get();
            kept.insert(path.clone(), KeptCode { text, kind: self.kind, map, stencil, assignable });
        }
        if self.key.is_none() && self.noted.is_none() {
            return Ok(());
        }
        if let Some(bytes) = scope.encode_stencil(stencil)? {
            let entry = Entry { kind: self.kind, map: self.map.clone(), stencil: bytes };
            if let Some((path, hash)) = &self.noted {
                state.compile_cache.note(path, *hash, &entry);
            }
            if let Some(key) = self.key {
                state.cache.write(key, &entry);
            }
        }
        Ok(())
    }
}

/// Code that is loaded several times in one process (`bao test --isolate`).
pub struct KeptCode {
    text: String,
    kind: ModuleKind,
    map: Option<SourceMap>,
    stencil: Stencil,
    /// See `RuntimeState::assignable`.
    assignable: bool,
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
        FileClass::Text | FileClass::Html | FileClass::Shell => FileKind::Text,
        FileClass::Wasm => FileKind::Wasm,
        FileClass::Addon => FileKind::Addon,
        FileClass::Css => FileKind::File,
        class if class.is_script() => FileKind::Script,
        // No extension, or an unknown one: a script as in Node, where the file has none; else Bun's `file` loader.
        _ => FileKind::File,
    }
}

/// The loader that an import attribute `with { type: ... }` names.
pub fn attribute_kind(name: &str) -> Option<FileKind> {
    Some(match name {
        "js" | "jsx" | "ts" | "tsx" | "javascript" | "typescript" => FileKind::Script,
        "json" => FileKind::Json,
        "jsonc" => FileKind::Jsonc,
        "json5" => FileKind::Json5,
        "toml" => FileKind::Toml,
        "yaml" => FileKind::Yaml,
        "text" => FileKind::Text,
        "wasm" | "webassembly" => FileKind::Wasm,
        "file" => FileKind::File,
        _ => return None,
    })
}

/// The loader that the options give an extension (bunfig `[loader]`, `--loader`).
pub fn overridden(state: &RuntimeState, extension: &str) -> Option<FileKind> {
    let (_, name) = state.options.loaders.iter().find(|(known, _)| known == extension)?;
    attribute_kind(name)
}

/// The class of a script file, by its extension or the loader that the options give it.
fn class_of(state: &RuntimeState, file: &ResolvedFile) -> FileClass {
    match state.options.loaders.iter().find(|(known, _)| known == file.extension()).map(|(_, name)| name.as_str()) {
        Some("ts" | "typescript") => FileClass::Ts,
        Some("tsx") => FileClass::Tsx,
        Some("jsx") => FileClass::Jsx,
        Some("js" | "javascript") => FileClass::Js,
        _ => file.class,
    }
}

/// Reads a file; the error is that of `fs.readFileSync`.
pub fn read(scope: &mut Scope<'_>, path: &str) -> JsResult<Vec<u8>> {
    if let Some(fd) = RuntimeState::of(scope).options.watch_fd {
        // For the process that restarts this one when a file changes; if it is gone, nobody wants to know.
        let mut message = path.as_bytes().to_vec();
        message.push(0);
        let _ = crate::ops::process_sys::write_all(fd, &message);
    }
    std::fs::read(path).map_err(|error| {
        let syscall = if error.raw_os_error() == Some(libc::EISDIR) { "read" } else { "open" };
        scope.throw_op_error(&OpError::io(error, syscall).path(path))
    })
}

/// Reads a file as text, as Node and Bun do: a byte order mark is dropped, ill-formed UTF-8 becomes U+FFFD.
pub fn read_text(scope: &mut Scope<'_>, path: &str) -> JsResult<String> {
    let bytes = read(scope, path)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_string(),
        None => text,
    })
}

fn is_plain(class: FileClass) -> bool {
    matches!(class, FileClass::Js | FileClass::Mjs | FileClass::Cjs | FileClass::Other)
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

fn hint_of(format: ModuleFormat) -> ModuleHint {
    match format {
        ModuleFormat::Module => ModuleHint::Esm,
        ModuleFormat::CommonJs => ModuleHint::Cjs,
        ModuleFormat::Detect => ModuleHint::Unknown,
    }
}

/// Prepares the text of a script file, by way of the cache.
pub fn prepare(scope: &mut Scope<'_>, state: &RuntimeState, file: &ResolvedFile, text: String) -> JsResult<Source> {
    let (class, format) = (class_of(state, file), file.module_format());
    // The names count for the cache, which knows this file alone.
    let text = if class.is_typescript() && !file.path.contains("/node_modules/") {
        crate::type_exports::mark(&file.path, text)
    } else {
        text
    };
    let transpiling = !is_plain(class) || {
        let map = state.modules.borrow();
        map.define.is_some() || !map.drop.is_empty()
    };
    let fingerprint = if transpiling {
        let mut options = state.modules.borrow_mut().transpile_options(&file.path, class);
        options.loader = Some(loader_of(class));
        options.package_type = hint_of(format);
        options.define = state.modules.borrow().define.clone();
        options.fingerprint()
    } else {
        format as u64
    };
    if state.mocks_expected.get() && transpile::mentions_mocks(&text) {
        state.mocks_expected.set(false);
        state.assignable.set(true);
    }
    let fingerprint = if state.assignable.get() { !fingerprint } else { fingerprint };
    let found = |text, entry: Entry, stencil| Source {
        code: text,
        kind: entry.kind,
        map: entry.map,
        stencil: Some(stencil),
        key: None,
        noted: None,
        untouched: false,
        counted: false,
        keep: None,
    };
    if let Some(counted) = crate::coverage::counted(scope, state, &file.path, loader_of(class), hint_of(format), &text)?
    {
        if let Some(kept) = kept(state, &file.path, &text) {
            return Ok(Source { code: text, counted: true, ..kept });
        }
        let mut prepared = prepare_as(scope, state, &file.path, class, format, counted.code.clone())?;
        prepared.map = Some(prepared.map.map_or_else(|| counted.map.clone(), |map| map.compose(&counted.map)));
        prepared.counted = true;
        prepared.keep = state.kept_code.borrow().is_some().then(|| (file.path.to_string(), text));
        return Ok(assignable(state, &file.path, prepared));
    }
    let mut noted = None;
    if state.compile_cache.is_enabled() {
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), fingerprint);
        if let Some(entry) = state.compile_cache.read(&file.path, hash, format == ModuleFormat::Module) {
            let stencil = scope.decode_stencil(&entry.stencil)?;
            state.compile_cache.used(&file.path, stencil.is_some());
            if let Some(stencil) = stencil {
                return Ok(found(text, entry, stencil));
            }
        }
        noted = Some((file.path.to_string(), hash));
    }
    let key = match noted.is_some() {
        true => None,
        false => state.cache.key(&text, &file.path, transpiling, fingerprint),
    };
    if let Some(kept) = kept(state, &file.path, &text) {
        return Ok(Source { code: text, ..kept });
    }
    if let Some(key) = key
        && let Some(entry) = state.cache.read(key)
        && let Some(stencil) = scope.decode_stencil(&entry.stencil)?
    {
        if let Some(kept) = &mut *state.kept_code.borrow_mut() {
            let (text, map, stencil) = (text.clone(), entry.map.clone(), stencil.clone());
            kept.insert(
                file.path.to_string(),
                KeptCode { text, kind: entry.kind, map, stencil, assignable: state.assignable.get() },
            );
        }
        return Ok(found(text, entry, stencil));
    }
    let mut prepared = assignable(state, &file.path, prepare_as(scope, state, &file.path, class, format, text)?);
    prepared.key = key;
    prepared.noted = noted;
    Ok(prepared)
}

/// What is kept of a file, but for its text.
fn kept(state: &RuntimeState, path: &str, text: &str) -> Option<Source> {
    let kept = state.kept_code.borrow();
    let known = kept.as_ref()?.get(path)?;
    (known.text == text && known.assignable == state.assignable.get()).then(|| Source {
        code: String::new(),
        kind: known.kind,
        map: known.map.clone(),
        stencil: Some(known.stencil.clone()),
        key: None,
        noted: None,
        untouched: false,
        counted: false,
        keep: None,
    })
}

/// With mocks before imports and exports that can be replaced, where that is called for.
fn assignable(state: &RuntimeState, path: &str, mut prepared: Source) -> Source {
    if state.assignable.get()
        && transpile::mentions_hoisted(&prepared.code)
        && !path.contains("/node_modules/")
        && let Some(code) = transpile::hoist_mocks(&prepared.code, prepared.kind == ModuleKind::Esm)
    {
        prepared.code = code;
        prepared.untouched = false;
    }
    if state.assignable.get()
        && prepared.kind == ModuleKind::Esm
        && let Some(code) = transpile::assignable_exports(&prepared.code)
    {
        prepared.code = code;
    }
    prepared
}

/// The same for a text whose class and format are known otherwise (`-e`, `data:`).
pub fn prepare_as(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    class: FileClass,
    format: ModuleFormat,
    text: String,
) -> JsResult<Source> {
    let define = state.modules.borrow().define.clone();
    if is_plain(class) && define.is_none() && state.modules.borrow().drop.is_empty() {
        // JavaScript goes to the engine as it is. Only where neither the name nor the package tells the module system
        // does the text have to be looked at, and only where it could be a module.
        match (format, class) {
            (ModuleFormat::Module, _) if !mentions_commonjs_names(&text) => {
                return Ok(Source::plain(text, ModuleKind::Esm));
            }
            (ModuleFormat::Module, _) => {}
            (_, FileClass::Cjs) => return Ok(Source::plain(text, ModuleKind::Cjs)),
            _ if !transpile::may_be_esm(text.as_bytes()) => {
                return Ok(Source::plain(text, ModuleKind::Cjs));
            }
            _ => {}
        }
    }
    let mut options = state.modules.borrow_mut().transpile_options(path, class);
    options.loader = Some(loader_of(class));
    options.package_type = hint_of(format);
    options.define = define;
    match transpile::transpile(&text, path, &options) {
        Ok(output) => {
            let mut code = output.code.unwrap_or(text);
            if output.info.kind == ModuleKind::Esm {
                add_module_scope(&mut code, output.info.free);
            }
            Ok(Source {
                kind: output.info.kind,
                map: output.map,
                code,
                stencil: None,
                key: None,
                noted: None,
                untouched: false,
                counted: false,
                keep: None,
            })
        }
        Err(errors) => Err(throw_diagnostics(scope, &errors)),
    }
}

/// Specifier of the names that an ES module has without declaring them, see [`add_module_scope`].
pub const MODULE_SCOPE: &str = "bao:module-scope";

/// Gives an ES module the `require`, `__dirname` and `__filename` that it uses without having declared them, as Bun does:
/// by an import at its end, which moves no line and is there before the first statement runs.
fn add_module_scope(code: &mut String, free: transpile::FreeNames) {
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

/// Whether a word is followed on its line by another one, as in a comment ("packages require that") and nowhere in code but
/// before a keyword operator.
fn followed_by_prose(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(' ') else { return false };
    let word: &str = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    !word.is_empty() && !["in", "instanceof", "of", "as", "satisfies", "from"].contains(&word)
}

/// Whether a text may use one of these names: whether it is worth parsing to find out.
fn mentions_commonjs_names(text: &str) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'));
    ["require", "__dirname", "__filename"].iter().any(|name| {
        text.match_indices(name).any(|(at, _)| {
            let bytes = text.as_bytes();
            if *name == "require" && followed_by_prose(&text[at + name.len()..]) {
                return false;
            }
            !is_word(at.checked_sub(1).and_then(|before| bytes.get(before)))
                && !bytes.get(at + name.len()).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'))
        })
    })
}

/// Throws a SyntaxError for the first of `errors`, with place and excerpt for the report.
pub fn throw_diagnostics(scope: &mut Scope<'_>, errors: &[Diagnostic]) -> engine::Exc {
    let Some(first) = errors.first() else { return scope.throw_error("transpilation failed without a reason") };
    let error = match OpError::syntax_error(first.message.clone()).to_js(scope) {
        Ok(error) => error,
        Err(exc) => return exc,
    };
    let place = format!("{}:{}:{}", first.file, first.line, first.column);
    let width = (first.length.max(1) as usize).min(first.excerpt.chars().count().max(1));
    let caret = format!("{}{}", " ".repeat(first.excerpt_column as usize), "^".repeat(width));
    let stack = format!("{place}\n{}\n{caret}\n\nSyntaxError: {}\n    at {place}", first.excerpt, first.message);
    let result = (|| {
        let text = scope.string(&stack)?;
        scope.define(error, "stack", text, engine::PropertyAttributes::HIDDEN)?;
        let reported = scope.boolean(true);
        // Tells the uncaught-error report that the stack already carries the excerpt.
        scope.define(error, "\u{0}excerpt", reported, engine::PropertyAttributes::HIDDEN)
    })();
    match result {
        Ok(()) => scope.throw(error),
        Err(exc) => exc,
    }
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
