//! Family "bun_data": parsers of data formats and the transpiler, for the `Bun` global.

use std::sync::Arc;

use engine::{Exc, Local, OpError, Scope, op, ops};
use runtime_core::modules;
use runtime_core::source::{self, FileKind};
use transpile::{Define, Diagnostic, ExportChanges, JsxMode, Loader, Options};

/// The value of a text. `format`: 0 JSONC, 1 JSON5, 2 TOML, 3 YAML. Throws a SyntaxError, its message without the format.
#[op(ts(returns = "unknown"))]
fn parse_data<'s>(scope: &mut Scope<'s>, format: u8, text: String) -> Result<Local<'s>, Exc> {
    let (kind, name) = match format {
        1 => (FileKind::Json5, "JSON5"),
        2 => (FileKind::Toml, "TOML"),
        3 => (FileKind::Yaml, "YAML"),
        _ => (FileKind::Jsonc, "JSONC"),
    };
    match source::data_to_json(kind, &text, "<text>") {
        Ok(data) => modules::parsed_data(scope, &data),
        Err(error) => {
            let message = format!("{name} Parse error: {} ({}:{})", error.message, error.line, error.column);
            Err(scope.throw_op_error(&OpError::syntax_error(message)))
        }
    }
}

fn loader_of(name: &str) -> Option<Loader> {
    Some(match name {
        "js" => Loader::Js,
        "jsx" => Loader::Jsx,
        "ts" => Loader::Ts,
        "tsx" => Loader::Tsx,
        _ => return None,
    })
}

fn failure(errors: &[Diagnostic]) -> OpError {
    match errors.first() {
        // ext/bun/bun/transpiler.ts makes a BuildMessage of it.
        Some(first) => OpError::syntax_error(format!(
            "{}\u{0}{}\u{0}{}\u{0}{}",
            first.message, first.line, first.column, first.excerpt
        )),
        None => OpError::syntax_error("transpilation failed"),
    }
}

/// JavaScript for a text. `loader`: js, jsx, ts or tsx. `define`: names and replacements in turns. `flags`: 1 without
/// whitespace, 2 the classic JSX runtime, 4 the automatic one without development information. `names`: the JSX import
/// source, factory and fragment, "" for the default.
#[op]
fn transform(
    text: String,
    loader: String,
    define: Vec<String>,
    flags: u32,
    names: Vec<String>,
) -> Result<String, OpError> {
    transformed(&text, &loader, &define, flags, &names)
}

/// The same on the thread pool.
#[op(blocking)]
fn transform_later(
    text: String,
    loader: String,
    define: Vec<String>,
    flags: u32,
    names: Vec<String>,
) -> Result<String, OpError> {
    transformed(&text, &loader, &define, flags, &names)
}

fn transformed(text: &str, loader: &str, define: &[String], flags: u32, names: &[String]) -> Result<String, OpError> {
    let mut options = Options {
        loader: loader_of(loader),
        reprint: true,
        source_map: false,
        minify_whitespace: flags & 1 != 0,
        ..Options::default()
    };
    if flags & 2 != 0 {
        options.jsx.mode = JsxMode::Classic;
    } else if flags & 4 != 0 {
        options.jsx.mode = JsxMode::Automatic;
    }
    let name = |index: usize| names.get(index).filter(|name| !name.is_empty()).cloned();
    options.jsx.import_source = name(0);
    options.jsx.factory = name(1);
    options.jsx.fragment = name(2);
    if !define.is_empty() {
        let pairs: Vec<(&str, &str)> = define.chunks_exact(2).map(|pair| (&*pair[0], &*pair[1])).collect();
        options.define = Some(Arc::new(Define::new(&pairs).map_err(OpError::error)?));
    }
    let output = transpile::transpile(text, "input.tsx", &options).map_err(|errors| failure(&errors))?;
    Ok(output.code.unwrap_or_else(|| text.to_owned()))
}

/// A text without some exports, and with others in the place of some: names, and in threes name, new name, JavaScript of the value.
/// With `trim`, imports that nobody uses go.
#[op]
fn change_exports(
    text: String,
    loader: String,
    eliminate: Vec<String>,
    replace: Vec<String>,
    trim: bool,
) -> Result<String, OpError> {
    let replace = replace.chunks_exact(3).map(|it| (it[0].clone(), it[1].clone(), it[2].clone()));
    let changes = ExportChanges { eliminate, replace: replace.collect(), trim_imports: trim };
    let loader = loader_of(&loader).unwrap_or(Loader::Jsx);
    transpile::change_exports(&text, "input.tsx", loader, &changes).map_err(|errors| failure(&errors))
}

/// What a text exports and asks for: `[exports, kinds and specifiers in turns]`. Kinds: s import, d import(), r require.
#[op]
fn scan_module(text: String, loader: String) -> Result<(Vec<String>, Vec<String>), OpError> {
    let options = Options { loader: loader_of(&loader), source_map: false, ..Options::default() };
    let output = transpile::transpile(&text, "input.tsx", &options).map_err(|errors| failure(&errors))?;
    let info = output.info;
    // Requests that JSX needs have no place in the text; Bun does not list them.
    let statements = info.imports.iter().filter(|request| request.offset != 0);
    let mut requests: Vec<(u32, &str, &str)> =
        statements.map(|request| (request.offset, "s", request.specifier.as_str())).collect();
    requests.extend(info.dynamic_imports.iter().map(|request| (request.offset, "d", request.specifier.as_str())));
    requests.extend(info.requires.iter().map(|request| (request.offset, "r", request.specifier.as_str())));
    requests.sort_by_key(|request| request.0);
    let flat = requests.iter().flat_map(|(_, kind, specifier)| [(*kind).to_owned(), (*specifier).to_owned()]).collect();
    Ok((info.exports, flat))
}

ops!(pub fn family "bun_data" { parse_data, transform, transform_later, change_exports, scan_module });
