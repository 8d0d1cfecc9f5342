//! From a file to something the engine can compile: reading, transpiling, choosing the module system, by way of the caches.

use base::permission::Area;
use engine::{JsResult, OpError, Scope, Stencil};
use resolve::{FileClass, ModuleFormat, ResolvedFile};
use transpile::{Loader, ModuleHint, ModuleKind, SourceMap};

use crate::builtins;
use crate::bytecode;
use crate::cache::{self, Entry, Key};
use crate::coverage::{self, Counted, Coverage, Unit};
use crate::diagnostics::throw_diagnostics;
use crate::embedded;
use crate::graphs;
use crate::loader_hooks::ScriptText;
use crate::source::{FileKind, Source, add_graph_scope, add_module_scope, attribute_kind, hint_of, loader_of};
use crate::state::RuntimeState;
use crate::type_exports;

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
    if let Err(denied) = base::permission::check(Area::Read, path.as_bytes()) {
        return Err(scope.throw_op_error(&crate::permission::error_of(&denied)));
    }
    if let Some(fd) = RuntimeState::of(scope).options.watch_fd {
        // For the process that restarts this one when a file changes; if it is gone, nobody wants to know.
        let mut message = path.as_bytes().to_vec();
        message.push(0);
        let _ = base::stdio::write_all(fd, &message);
    }
    read_bytes(path).map_err(|error| {
        let syscall = if error.raw_os_error() == Some(libc::EISDIR) { "read" } else { "open" };
        scope.throw_op_error(&OpError::io(error, syscall).path(path))
    })
}

/// Reads a file that may be in an archive of the store.
pub fn read_bytes(path: &str) -> std::io::Result<Vec<u8>> {
    if let Some(found) = store::cat(path.as_bytes()) {
        return found.map(std::borrow::Cow::into_owned).map_err(Into::into);
    }
    let bytes = std::fs::read(path)?;
    store::record::read_file(path.as_bytes());
    Ok(bytes)
}

/// The same as text; nothing if it cannot be read or is not UTF-8.
pub fn text_of(path: &str) -> Option<String> {
    base::permission::check(Area::Read, path.as_bytes()).ok()?;
    String::from_utf8(read_bytes(path).ok()?).ok()
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

/// Reads and prepares a script file.
pub fn script(scope: &mut Scope<'_>, state: &RuntimeState, file: &ResolvedFile) -> JsResult<Source> {
    let names = graphs::names(state);
    if let Some(mut source) = embedded::source(scope, &file.path, names.is_some())? {
        if let (Some(names), ModuleKind::Esm) = (&names, source.kind) {
            add_graph_scope(&mut source.code, &file.path, names);
        }
        return Ok(source);
    }
    let mut text = read_text(scope, &file.path)?;
    if transpile::mentions_macros(&text)
        && let Some(expanded) = expand_macros(scope, &file.path, loader_of(class_of(state, file)), &text)?
    {
        text = expanded;
    }
    prepare(scope, state, file, text)
}

/// The text with the results of its macros, see ext/module/macros.ts; `None` if it has none.
fn expand_macros(scope: &mut Scope<'_>, path: &str, loader: Loader, text: &str) -> JsResult<Option<String>> {
    scope.nested(|scope| {
        let text = scope.string(text)?;
        let path = scope.string(path)?;
        let loader = scope.string(loader.name())?;
        let expanded = builtins::call(scope, "internal/module/macros", "expand", &[text, path, loader])?;
        Ok(expanded.is_string().then(|| scope.display(expanded)))
    })
}

/// Prepares the text of a script file, by way of the cache.
fn prepare(scope: &mut Scope<'_>, state: &RuntimeState, file: &ResolvedFile, text: String) -> JsResult<Source> {
    let (class, mut format) = (class_of(state, file), file.module_format());
    if class.is_typescript() && state.options.node_option("--no-experimental-strip-types").is_some() {
        let extension = file.extension();
        let message = format!("Unknown file extension \"{extension}\" for {}", file.path);
        return Err(scope.throw_op_error(&OpError::type_error(message).code("ERR_UNKNOWN_FILE_EXTENSION")));
    }
    if format == ModuleFormat::Detect && state.options.node_option("--no-experimental-detect-module").is_some() {
        format = ModuleFormat::CommonJs;
    }
    // Counted is the text as it was written.
    let written = Coverage::of(scope).is_on().then(|| text.clone());
    // The names count for the cache, which knows this file alone.
    let text = if class.is_typescript() && !file.path.contains("/node_modules/") {
        type_exports::mark(&file.path, text)
    } else {
        text
    };
    let transpiling = !is_plain(class) || {
        let map = state.modules.borrow();
        map.define.is_some() || !map.drop.is_empty()
    };
    let hooks = state.loader_hooks.borrow().clone();
    let replacement = match &hooks {
        Some(hooks) => {
            let (loader, hint) = (loader_of(class), hint_of(format));
            hooks.replace(scope, &ScriptText { path: &file.path, loader, hint, text: &text })?
        }
        None => None,
    };
    if let (Some(hooks), Some(replacement)) = (&hooks, replacement) {
        if let Some(kept) = hooks.kept(&file.path, &text) {
            return Ok(Source { code: text, replaced: true, ..kept });
        }
        let mut prepared = prepare_as(scope, state, &file.path, class, format, replacement.code)?;
        prepared.map = Some(match prepared.map {
            Some(map) => map.compose(&replacement.map),
            None => replacement.map,
        });
        prepared.replaced = true;
        prepared.keep = Some((file.path.to_string(), text));
        hooks.prepared(&file.path, &mut prepared);
        return Ok(prepared);
    }
    if let Some(written) = written
        && let Some(counted) = coverage::count(scope, &file.path, &written, class, hint_of(format), Unit::Body)?
    {
        let mut prepared = prepare_counted(scope, state, &file.path, class, format, &counted)?;
        if let Some(hooks) = &hooks {
            hooks.prepared(&file.path, &mut prepared);
        }
        return Ok(prepared);
    }
    let fingerprint = if transpiling {
        let mut options = state.modules.borrow_mut().transpile_options(&file.path, class);
        options.loader = Some(loader_of(class));
        options.package_type = hint_of(format);
        options.define = state.modules.borrow().define.clone();
        options.fingerprint()
    } else {
        format as u64
    };
    // The code of a graph with names of its own is another than the program's.
    let names = graphs::names(state);
    let changed = names.is_some() || hooks.as_ref().is_some_and(|hooks| hooks.changes_code());
    if !transpiling
        && !changed
        && let Some((kind, map, stencil)) = bytecode::read(scope, &file.path, &text)?
    {
        if let Some(hooks) = &hooks {
            hooks.compiled(&file.path, &text, kind, map.as_ref(), &stencil);
        }
        return Ok(Source::compiled(text, kind, map, stencil));
    }
    let fingerprint = if changed { !fingerprint } else { fingerprint };
    let fingerprint = match &names {
        Some(names) => fingerprint ^ xxhash_rust::xxh3::xxh3_64(names.join(",").as_bytes()),
        None => fingerprint,
    };
    let key = match (state.compile_cache.is_enabled(), state.compile_cache.takes_records()) {
        (true, false) => None,
        (true, true) => state.cache.record_key(&text, &file.path, fingerprint),
        (false, _) => state.cache.key(&text, &file.path, transpiling, fingerprint),
    };
    let mut noted = None;
    if state.compile_cache.is_enabled() {
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), fingerprint);
        if let Some((kind, map, stencil)) = noted_before(scope, state, file, key, hash)? {
            return Ok(Source::compiled(text, kind, map, stencil));
        }
        noted = Some((file.path.to_string(), hash));
    }
    if let Some(kept) = hooks.as_ref().and_then(|hooks| hooks.kept(&file.path, &text)) {
        return Ok(Source { code: text, ..kept });
    }
    if let Some(key) = key
        && let Some((kind, map, stencil)) = compiled_before(scope, state, key)?
    {
        if let Some(hooks) = &hooks {
            hooks.compiled(&file.path, &text, kind, map.as_ref(), &stencil);
        }
        return Ok(Source::compiled(text, kind, map, stencil));
    }
    let mut prepared = prepare_as(scope, state, &file.path, class, format, text)?;
    if let Some(hooks) = &hooks {
        hooks.prepared(&file.path, &mut prepared);
    }
    prepared.key = key;
    prepared.noted = noted;
    Ok(prepared)
}

/// A text with counters, see [`coverage`]. It is not cached: its counters have a name of this run.
fn prepare_counted(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    class: FileClass,
    format: ModuleFormat,
    counted: &Counted,
) -> JsResult<Source> {
    let code = match class.is_typescript() && !path.contains("/node_modules/") {
        true => type_exports::mark(path, counted.code.clone()),
        false => counted.code.clone(),
    };
    let mut prepared = prepare_as(scope, state, path, class, format, code)?;
    prepared.map = Some(match prepared.map {
        Some(map) => map.compose(&counted.map),
        None => counted.map.clone(),
    });
    prepared.replaced = true;
    Ok(prepared)
}

/// The same as [`prepare_as`] for the text of a program's module that no file has, counted if texts are.
pub fn prepare_text(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    class: FileClass,
    format: ModuleFormat,
    text: String,
) -> JsResult<Source> {
    match coverage::count(scope, path, &text, class, hint_of(format), Unit::Body)? {
        Some(counted) => prepare_counted(scope, state, path, class, format, &counted),
        None => prepare_as(scope, state, path, class, format, text),
    }
}

/// What a text compiled to.
type Compiled = (ModuleKind, Option<SourceMap>, Stencil);

/// What a text compiled to in an earlier run, from the record of the program, with the bytes of the entry.
fn recorded(scope: &mut Scope<'_>, key: Key) -> JsResult<Option<(Compiled, &'static [u8])>> {
    if let Some(bytes) = store::record::code(key.hash())
        && let Some((kind, map, code)) = cache::parse(bytes)
        && let Some(stencil) = scope.decode_static_stencil(code)?
    {
        return Ok(Some(((kind, map, stencil), bytes)));
    }
    Ok(None)
}

/// The same while Node's compile cache is on: from the record, if there is a `key`, else from the folder of that cache.
fn noted_before(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    file: &ResolvedFile,
    key: Option<Key>,
    hash: u64,
) -> JsResult<Option<Compiled>> {
    if let Some(key) = key
        && let Some((compiled, bytes)) = recorded(scope, key)?
    {
        state.compile_cache.note_recorded(&file.path, hash, compiled.0, bytes);
        return Ok(Some(compiled));
    }
    let is_module = file.module_format() == ModuleFormat::Module;
    let Some(entry) = state.compile_cache.read(&file.path, hash, is_module) else { return Ok(None) };
    let stencil = scope.decode_stencil(&entry.stencil)?;
    state.compile_cache.used(&file.path, stencil.is_some());
    if stencil.is_some()
        && let Some(key) = key
    {
        store::record::keep_code(key.hash(), entry.to_bytes());
    }
    Ok(stencil.map(|stencil| (entry.kind, entry.map, stencil)))
}

/// What a text compiled to in an earlier run: from the record of the program, else from the code cache.
fn compiled_before(scope: &mut Scope<'_>, state: &RuntimeState, key: Key) -> JsResult<Option<Compiled>> {
    if let Some((compiled, _)) = recorded(scope, key)? {
        return Ok(Some(compiled));
    }
    let Some(entry) = state.cache.read(key) else { return Ok(None) };
    let Some(stencil) = scope.decode_stencil(&entry.stencil)? else { return Ok(None) };
    if store::record::is_on() {
        store::record::keep_code(key.hash(), entry.to_bytes());
    }
    Ok(Some((entry.kind, entry.map, stencil)))
}

/// How a CommonJS module begins that `bun build --target bun --format cjs` has made, behind its comment.
const WRAPPER: &str = "(function(exports, require, module, __filename, __dirname) {";

/// The code of a CommonJS module of Bun's bundler, which is the expression of a function, with a call of it. Places stay.
fn called_wrapper(text: &str) -> Option<String> {
    let after_hashbang = match text.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n')?.1,
        None => text,
    };
    let (comment, rest) = after_hashbang.strip_prefix("// @bun").and_then(|rest| rest.split_once('\n'))?;
    if !comment.contains(" @bun-cjs") || !rest.starts_with(WRAPPER) {
        return None;
    }
    let end = text.rfind("})")? + 2;
    let (function, tail) = text.split_at(end);
    Some(format!("{function}.call(exports, exports, require, module, __filename, __dirname){tail}"))
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
    let mut prepared = prepare_alone(scope, state, path, class, format, text)?;
    if let (ModuleKind::Esm, Some(names)) = (prepared.kind, graphs::names(state)) {
        add_graph_scope(&mut prepared.code, path, &names);
    }
    Ok(prepared)
}

/// The same without the names of a graph.
fn prepare_alone(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    class: FileClass,
    format: ModuleFormat,
    text: String,
) -> JsResult<Source> {
    if let Some(code) = called_wrapper(&text) {
        return Ok(Source::plain(code, ModuleKind::Cjs));
    }
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
    let read = |class| {
        let mut options = state.modules.borrow_mut().transpile_options(path, class);
        options.loader = Some(loader_of(class));
        options.package_type = hint_of(format);
        options.define.clone_from(&define);
        transpile::transpile(&text, path, &options)
    };
    let output = match read(class) {
        // Such a file is TypeScript where it is no JavaScript, as in Bun: scripts with `#!/usr/bin/env bun` have no extension.
        Err(errors) if class == FileClass::Other && has_no_extension(path) => read(FileClass::Tsx).map_err(|_| errors),
        output => output,
    };
    let output = output.map_err(|errors| throw_diagnostics(scope, &errors))?;
    let mut code = output.code.unwrap_or(text);
    if output.info.kind == ModuleKind::Esm {
        add_module_scope(&mut code, output.info.free);
    }
    let imports = Some(output.info.imports);
    Ok(Source { imports, ..Source::made(code, output.info.kind, output.map) })
}

fn has_no_extension(path: &str) -> bool {
    std::path::Path::new(path).extension().is_none()
}

/// The code after transpiling it, where the engine could not read it as it was: plain JavaScript goes to the engine
/// without being parsed here first, and Bun reads JSX, decorators and newer syntax in it as well, and TypeScript where the file has no
/// extension. `None` where it is not that either.
pub fn second_reading(source: &Source, state: &RuntimeState, path: &str) -> Option<Source> {
    if !source.untouched {
        return None;
    }
    let read = |class, loader| {
        let mut options = state.modules.borrow_mut().transpile_options(path, class);
        options.loader = Some(loader);
        options.package_type = if source.kind == ModuleKind::Esm { ModuleHint::Esm } else { ModuleHint::Cjs };
        transpile::transpile(&source.code, path, &options)
    };
    let output = match read(FileClass::Js, Loader::Jsx) {
        Err(_) if has_no_extension(path) => read(FileClass::Tsx, Loader::Tsx),
        output => output,
    };
    let output = output.ok()?;
    let mut code = output.code?;
    if source.kind == ModuleKind::Esm {
        add_module_scope(&mut code, output.info.free);
    }
    let noted = source.noted.clone();
    let map = match (output.map, &source.map) {
        (Some(map), Some(inner)) => Some(map.compose(inner)),
        (map, inner) => map.or_else(|| inner.clone()),
    };
    let (key, keep, replaced) = (source.key, source.keep.clone(), source.replaced);
    let imports = Some(output.info.imports);
    Some(Source { key, noted, keep, replaced, imports, ..Source::made(code, source.kind, map) })
}

/// Stores freshly compiled code.
pub fn store(source: &Source, scope: &mut Scope<'_>, state: &RuntimeState, stencil: &Stencil) -> JsResult<()> {
    if let Some((path, text)) = &source.keep
        && let Some(hooks) = &*state.loader_hooks.borrow()
    {
        hooks.compiled(path, text, source.kind, source.map.as_ref(), stencil);
    }
    if source.key.is_none() && source.noted.is_none() {
        return Ok(());
    }
    if let Some(bytes) = scope.encode_stencil(stencil)? {
        let entry = Entry { kind: source.kind, map: source.map.clone(), stencil: bytes };
        if let Some((path, hash)) = &source.noted {
            state.compile_cache.note(path, *hash, &entry);
        }
        if let Some(key) = source.key {
            state.cache.write(key, &entry);
        }
    }
    Ok(())
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
