//! Family "bun_data": parsers of data formats and the transpiler, for the `Bun` global.

use std::sync::Arc;

use engine::{Exc, Local, OpError, Scope, op, ops};
use runtime_core::modules;
use runtime_core::source::{self, FileKind};
use transpile::{Decorators, Define, Diagnostic, JsxMode, Loader, Options, Replacement, Reshape, repl, wording};

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

/// The errors of a text, each as its message, line, column, length and excerpt with U+0000 between, and U+0001 between errors;
/// ext/bun/bun/transpiler.ts makes BuildMessages of them.
fn failure(text: &str, loader: &str, errors: &[Diagnostic]) -> OpError {
    let loader = Loader::of_name(loader).unwrap_or(Loader::Tsx);
    let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut all: Vec<Diagnostic> = wording::errors_of(text, loader)
        .into_iter()
        .map(|worded| Diagnostic::at(text, "", clamp(worded.start), clamp(worded.end), worded.text))
        .collect();
    if all.is_empty() {
        // What only the transform takes for an error.
        all.extend(errors.first().cloned());
    }
    if all.is_empty() {
        return OpError::syntax_error("transpilation failed");
    }
    // What parts them cannot be in them.
    let plain = |text: &str| text.replace(['\u{0}', '\u{1}'], "\u{fffd}");
    let lines = all.iter().map(|it| {
        let (message, excerpt) = (plain(&it.message), plain(&it.excerpt));
        format!("{message}\u{0}{}\u{0}{}\u{0}{}\u{0}{excerpt}", it.line, it.column, it.length)
    });
    OpError::syntax_error(lines.collect::<Vec<_>>().join("\u{1}"))
}

/// Bits of `flags`, with the same names in ext/bun/bun/transpiler.ts.
const NO_WHITESPACE: u32 = 1;
const CLASSIC: u32 = 2;
const AUTOMATIC: u32 = 4;
const MINIFY_SYNTAX: u32 = 8;
const MINIFY_IDENTIFIERS: u32 = 16;
const FOLD: u32 = 32;
const REMOVE_DEAD_CODE: u32 = 64;
const TRIM_IMPORTS: u32 = 128;
const REPL_MODE: u32 = 256;
const KEEP_IMPORTS: u32 = 512;
const LEGACY_DECORATORS: u32 = 1024;
const DECORATOR_METADATA: u32 = 2048;
const ASSIGNED_FIELDS: u32 = 4096;

/// JavaScript for a text. `loader`: js, jsx, ts or tsx. `define`: names and replacements in turns. `flags`: 1 without
/// whitespace, 2 the classic JSX runtime, 4 the automatic one without development information, 8 shorter syntax, 16 shorter
/// names, 32 constants evaluated, 64 without dead code, 128 without unused imports, 256 as one expression for a REPL, 512 with unused
/// imports in TypeScript, 1024 TypeScript's own decorators, 2048 with their metadata, 4096 class fields as assignments. `names`: the
/// JSX import source, factory and fragment, "" for the default. `exports`: in turns the name of an export, its new name ("": the
/// same), and the expression in its place ("": nothing).
#[op]
fn transform(
    text: String,
    loader: String,
    define: Vec<String>,
    flags: u32,
    names: Vec<String>,
    exports: Vec<String>,
) -> Result<String, OpError> {
    transformed(&text, &loader, &define, flags, &names, &exports)
}

/// The same on the thread pool.
#[op(blocking)]
fn transform_later(
    text: String,
    loader: String,
    define: Vec<String>,
    flags: u32,
    names: Vec<String>,
    exports: Vec<String>,
) -> Result<String, OpError> {
    transformed(&text, &loader, &define, flags, &names, &exports)
}

/// What the flags and exports ask for besides JavaScript.
fn reshape_of(flags: u32, exports: &[String]) -> Option<Reshape> {
    let has = |bit: u32| flags & bit != 0;
    let replace = exports.chunks_exact(3).map(|export| {
        let [export, name, value] = export else { unreachable!("three in a chunk") };
        let name = (!name.is_empty()).then(|| name.clone());
        (export.clone(), (!value.is_empty()).then(|| Replacement { name, value: value.clone() }))
    });
    let reshape = Reshape {
        minify_syntax: has(MINIFY_SYNTAX),
        minify_identifiers: has(MINIFY_IDENTIFIERS),
        fold: has(FOLD),
        remove_dead_code: has(REMOVE_DEAD_CODE),
        trim_imports: has(TRIM_IMPORTS),
        replace: replace.collect(),
    };
    let bits = MINIFY_SYNTAX | MINIFY_IDENTIFIERS | FOLD | REMOVE_DEAD_CODE | TRIM_IMPORTS;
    (has(bits) || !exports.is_empty()).then_some(reshape)
}

/// The text as an expression that a REPL evaluates.
fn for_repl(code: &str) -> Result<String, OpError> {
    repl::immediate_script(code).map_err(|error| OpError::syntax_error(error.message))
}

fn transformed(
    text: &str,
    loader: &str,
    define: &[String],
    flags: u32,
    names: &[String],
    exports: &[String],
) -> Result<String, OpError> {
    let mut options = Options {
        loader: Loader::of_name(loader),
        reprint: true,
        check_names: flags & REPL_MODE == 0,
        source_map: false,
        minify_whitespace: flags & NO_WHITESPACE != 0,
        reshape: reshape_of(flags, exports),
        ..Options::default()
    };
    // A line does not show whether a later one uses what is imported.
    options.verbatim_module_syntax |= flags & (REPL_MODE | KEEP_IMPORTS) != 0;
    if flags & LEGACY_DECORATORS != 0 {
        let emit_metadata = flags & DECORATOR_METADATA != 0;
        options.decorators = Decorators::Legacy { emit_metadata, strict_null_checks: false };
    }
    options.use_define_for_class_fields &= flags & ASSIGNED_FIELDS == 0;
    if flags & CLASSIC != 0 {
        options.jsx.mode = JsxMode::Classic;
    } else if flags & AUTOMATIC != 0 {
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
    let object = if flags & REPL_MODE != 0 { as_object(text, &options) } else { None };
    let text = object.as_deref().unwrap_or(text);
    let output = transpile::transpile(text, "input.tsx", &options).map_err(|errors| failure(text, loader, &errors))?;
    let code = output.code.unwrap_or_else(|| text.to_owned());
    if flags & REPL_MODE == 0 { Ok(code) } else { for_repl(&code) }
}

/// What is typed as `{ a: 1 }` as an expression, if it is one; as in Node's REPL.
fn as_object(text: &str, options: &Options) -> Option<String> {
    let trimmed = text.trim();
    if !trimmed.starts_with('{') || trimmed.ends_with(';') {
        return None;
    }
    let object = format!("({text}\n)");
    transpile::transpile(&object, "input.tsx", options).is_ok().then_some(object)
}

/// What a text exports and asks for: `[exports, kinds and specifiers in turns]`. Kinds: s import, d import(), r require.
#[op]
fn scan_module(text: String, loader: String) -> Result<(Vec<String>, Vec<String>), OpError> {
    let options = Options { loader: Loader::of_name(&loader), source_map: false, ..Options::default() };
    let output =
        transpile::transpile(&text, "input.tsx", &options).map_err(|errors| failure(&text, &loader, &errors))?;
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

ops!(pub fn family "bun_data" { parse_data, transform, transform_later, scan_module });
