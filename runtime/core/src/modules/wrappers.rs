//! ES modules around values: built-in modules, CommonJS modules, data, and the exports that plugins make.

use std::sync::Arc;

use engine::{CompileOptions, JsResult, Local, Scope};
use resolve::{Kind, ResolvedFile};

use super::{existing, finish, importer_text};
use crate::builtins;
use crate::module_map::{Body, Record};
use crate::prepare;
use crate::source;
use crate::state::RuntimeState;

/// Text of a module that re-exports the properties of a value: `import.meta.value` is the value, fetched when the
/// module is evaluated, so that CommonJS code runs in its place of the evaluation order.
///
/// The names in `strict` are an error where the value does not have them. `whole` also exports the value as "module.exports", which
/// Node gives to CommonJS modules: `require` of an ES module that re-exports all of one finds the value by it.
///
/// Of a built-in module `import.meta.sync` takes over what the properties are when it is called (`module.syncBuiltinESMExports`).
pub(super) fn wrapper_text(
    names: &[String],
    strict: std::ops::Range<usize>,
    specifier: &str,
    whole: bool,
    sync: bool,
) -> String {
    let mut text =
        String::from("const value = import.meta.value;\nexport default value;\nconst box = Object(value);\n");
    let mut exports = String::new();
    let mut reads = String::new();
    for (index, name) in names.iter().enumerate().filter(|(_, name)| *name != "default" && *name != "module.exports") {
        let quoted = json_string(name);
        if strict.contains(&index) {
            let message = json_string(&format!(
                "The requested module '{specifier}' is a CommonJS module that does not export '{name}'"
            ));
            reads.push_str(&format!("if (!({quoted} in box)) throw new SyntaxError({message});\n"));
        }
        text.push_str(&format!("let e{index};\n"));
        reads.push_str(&format!("try {{ e{index} = box[{quoted}]; }} catch {{}}\n"));
        exports.push_str(&format!("e{index} as {quoted}, "));
    }
    if sync && !reads.is_empty() {
        text.push_str(&format!("(import.meta.sync = () => {{\n{reads}}})();\n"));
    } else {
        text.push_str(&reads);
    }
    if whole {
        exports.push_str("value as \"module.exports\"");
    }
    text.push_str(&format!("export {{ {exports} }};\n"));
    text
}

pub(super) fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn add_wrapper<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    path: Arc<str>,
    url: Arc<str>,
    body: Body,
    names: &[String],
) -> JsResult<Local<'s>> {
    let text = wrapper_text(names, 0..0, "", matches!(body, Body::WrappedCommonJs), matches!(body, Body::Builtin(_)));
    add_wrapper_text(scope, state, key, path, url, body, names.to_vec(), &text)
}

#[allow(clippy::too_many_arguments, reason = "the fields of one record")]
pub(super) fn add_wrapper_text<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    path: Arc<str>,
    url: Arc<str>,
    body: Body,
    names: Vec<String>,
    text: &str,
) -> JsResult<Local<'s>> {
    // The name that errors of linking give; frames of a wrapper are never shown.
    let name: Arc<str> = match &body {
        Body::Builtin(id) => (*id).into(),
        Body::Data(_) => url.clone(),
        _ => "internal/wrapper".into(),
    };
    let changed = state.loader_hooks.borrow().as_ref().and_then(|hooks| hooks.wrapper(text));
    let text = changed.as_deref().unwrap_or(text);
    let stencil = scope.compile_module(text, &CompileOptions::new(&name))?;
    let number = {
        let mut map = state.modules.borrow_mut();
        map.add(Some(key), Record { path, url, body, module: None, is_main: false, names })
    };
    finish(scope, state, number, &stencil)
}

/// The ES module around a built-in module.
pub fn load_builtin<'s>(scope: &mut Scope<'s>, state: &RuntimeState, id: &'static str) -> JsResult<Local<'s>> {
    if let Some(module) = existing(scope, state, id) {
        return Ok(module);
    }
    if id == "node:process" {
        state.process_used.set(true);
    }
    let exports = builtins::require(scope, id)?;
    let names = if exports.is_object() { scope.own_keys(exports, true)? } else { Vec::new() };
    add_wrapper(scope, state, id.to_string(), id.into(), id.into(), Body::Builtin(id), &names)
}

/// The ES module around a built-in module for one importer: with the names that its text imports. A module's properties may
/// be accessors that load more (all of `Bun`'s are), so reading them all would load what the program never asked for.
pub(super) fn load_builtin_for<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    id: &'static str,
    importer: &str,
    specifier: &str,
) -> JsResult<Local<'s>> {
    let known = state.modules.borrow().importers.get(importer).map(|importer| importer.names_of(specifier));
    let wanted =
        known.unwrap_or_else(|| importer_text(state, importer).and_then(|text| imported_words(&text, specifier)));
    // `import * as`, or an importer whose text tells nothing: all of it.
    let Some(words) = wanted else { return load_builtin(scope, state, id) };
    if id == "node:process" {
        state.process_used.set(true);
    }
    let exports = builtins::require(scope, id)?;
    let mut names = Vec::new();
    for word in words {
        // Whatever is asked of "bun" is there: undefined where the Bun object has no such member, as in Bun.
        if scope.has_own(exports, &word)? || (id == "bun/main" && word != "default") {
            names.push(word);
        }
    }
    names.sort();
    names.dedup();
    let key = format!("{id}\0{}", names.join("\0"));
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    add_wrapper(scope, state, key, id.into(), id.into(), Body::Builtin(id), &names)
}

/// The words between `import` or `export` and each mention of `"specifier"` in a text: the names that are imported, and
/// perhaps some more. `None` where there is none or a `*` among them.
pub(super) fn imported_words(text: &str, specifier: &str) -> Option<Vec<String>> {
    /// No list of imports is longer.
    const MAX_IMPORT_LIST: usize = 1 << 16;
    let mut words = Vec::new();
    let mut found = false;
    for quote in ['"', '\''] {
        let needle = format!("{quote}{specifier}{quote}");
        for (at, _) in text.match_indices(&needle) {
            let mut start = at.saturating_sub(MAX_IMPORT_LIST);
            while !text.is_char_boundary(start) {
                start += 1;
            }
            let Some(clause) = clause_of(&text[start..at]) else { continue };
            found = true;
            if clause.contains('*') {
                return None;
            }
            words.extend(clause.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_string));
        }
    }
    found.then_some(words)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What stands between the last `import` or `export` that can begin a statement and the end of `before`: not a part of a
/// longer name, nor inside the braces that the clause closes (in a comment, or as a name: `x as export`).
fn clause_of(before: &str) -> Option<&str> {
    let mut end = before.len();
    loop {
        let head = &before[..end];
        let at = [head.rfind("import"), head.rfind("export")].into_iter().flatten().max()?;
        let clause = &before[at + 6..];
        let whole = !before[..at].ends_with(is_word) && !clause.starts_with(is_word);
        if whole && clause.matches('{').count() >= clause.matches('}').count() {
            return Some(clause);
        }
        end = at;
    }
}

pub(super) fn wrap_value<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    path: &Arc<str>,
    value: Local<'s>,
) -> JsResult<Local<'s>> {
    wrap_value_as(scope, state, key, path, source::file_url(path), value)
}

/// An ES module around a value: its default export, and its properties by name.
pub fn wrap_value_as<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    path: &Arc<str>,
    url: Arc<str>,
    value: Local<'s>,
) -> JsResult<Local<'s>> {
    let names =
        if value.is_object() && scope.array_length(value)? == 0 { scope.own_keys(value, true)? } else { Vec::new() };
    let kept = scope.global(value);
    add_wrapper(scope, state, key, path.clone(), url, Body::Data(kept), &names)
}

/// An ES module that exports the properties of an object, `default` among them if it has one: Bun's `object` loader.
pub fn wrap_exports<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    path: &Arc<str>,
    url: Arc<str>,
    exports: Local<'s>,
) -> JsResult<Local<'s>> {
    let names = scope.own_keys(exports, true)?;
    let mut text = String::from("const value = import.meta.value;\n");
    let mut list = String::new();
    for (index, name) in names.iter().enumerate() {
        let quoted = json_string(name);
        text.push_str(&format!("const e{index} = value[{quoted}];\n"));
        list.push_str(&format!("e{index} as {quoted}, "));
    }
    text.push_str(&format!("export {{ {list}}};\n"));
    let kept = scope.global(exports);
    add_wrapper_text(scope, state, key, path.clone(), url, Body::Data(kept), names, &text)
}

/// The ES module around a WebAssembly module: it imports what that imports and gives the exports of the instance; one whose imports
/// nobody finds is a `WebAssembly.Module`. See ext/module/wasm.ts.
pub(super) fn wrap_wasm<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    file: &Arc<ResolvedFile>,
) -> JsResult<Local<'s>> {
    let opened = scope.escape(|scope| {
        let path = scope.string(&file.path)?;
        builtins::call(scope, "internal/module/wasm", "open", &[path])
    })?;
    let specifiers = strings(scope, opened, "specifiers")?;
    let names = strings(scope, opened, "names")?;
    let is_found = specifiers.iter().all(|specifier| {
        let mut map = state.modules.borrow_mut();
        map.resolve(&state.options, specifier, &file.path, Kind::Import).is_ok()
    });
    if !is_found {
        let module = scope.get(opened, "module")?;
        return wrap_value(scope, state, key, &file.path, module);
    }
    let mut text = String::new();
    let mut list = String::new();
    for (index, specifier) in specifiers.iter().enumerate() {
        text.push_str(&format!("import * as i{index} from {};\n", json_string(specifier)));
        list.push_str(&format!("i{index}, "));
    }
    text.push_str(&format!("const value = import.meta.value.link([{list}]);\n"));
    if !names.iter().any(|name| name == "default") {
        text.push_str("export default value;\n");
    }
    let mut exports = String::new();
    for (index, name) in names.iter().enumerate() {
        let quoted = json_string(name);
        text.push_str(&format!("const e{index} = value[{quoted}];\n"));
        exports.push_str(&format!("e{index} as {quoted}, "));
    }
    text.push_str(&format!("export {{ {exports}}};\n"));
    let kept = scope.global(opened);
    let url = source::file_url(&file.path);
    add_wrapper_text(scope, state, key, file.path.clone(), url, Body::Data(kept), names, &text)
}

/// The texts of an array that is a property of an object.
fn strings(scope: &mut Scope<'_>, object: Local<'_>, name: &str) -> JsResult<Vec<String>> {
    let array = scope.get(object, name)?;
    let mut list = Vec::new();
    for index in 0..scope.array_length(array)? {
        let item = scope.get_index(array, index)?;
        list.push(scope.to_string(item)?);
    }
    Ok(list)
}

pub(super) fn load_bytes<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    file: &Arc<ResolvedFile>,
) -> JsResult<Local<'s>> {
    let key = format!("Bytes:{}", file.path);
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    let bytes = prepare::read(scope, &file.path)?;
    let value = scope.uint8_array(bytes)?;
    let kept = scope.global(value);
    add_wrapper(scope, state, key, file.path.clone(), source::file_url(&file.path), Body::Data(kept), &[])
}

/// Names that a CommonJS file exports, found in its text; `export *`-like re-exports are followed.
pub(super) fn commonjs_names(
    state: &RuntimeState,
    path: &str,
    text: &str,
    seen: &mut Vec<String>,
    names: &mut Vec<String>,
) {
    let found = transpile::cjs_exports(text, path);
    for name in found.names {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for specifier in found.reexports {
        let resolution = {
            let mut map = state.modules.borrow_mut();
            map.resolve(&state.options, &specifier, path, Kind::Require)
        };
        let Ok(resolution) = resolution else { continue };
        let Some(file) = resolution.file().cloned() else { continue };
        if seen.iter().any(|known| **known == *file.path) || !file.class.is_script() {
            continue;
        }
        seen.push(file.path.to_string());
        if let Some(text) = prepare::text_of(&file.path) {
            commonjs_names(state, &file.path, &text, seen, names);
        }
    }
}

pub(super) fn wrap_commonjs<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    key: String,
    file: &Arc<ResolvedFile>,
    code: &str,
) -> JsResult<Local<'s>> {
    let mut names = Vec::new();
    commonjs_names(state, &file.path, code, &mut vec![file.path.to_string()], &mut names);
    add_wrapper(scope, state, key, file.path.clone(), source::file_url(&file.path), Body::WrappedCommonJs, &names)
}

#[cfg(test)]
mod tests {
    use super::imported_words;

    fn words(text: &str) -> Option<Vec<String>> {
        imported_words(text, "fs")
    }

    #[test]
    fn names_of_every_form_of_import_are_found() {
        let has = |text: &str, names: &[&str]| {
            let words = words(text).unwrap_or_else(|| panic!("nothing found in {text}"));
            for name in names {
                assert!(words.iter().any(|word| word == name), "{name} of {text}: {words:?}");
            }
        };
        has("import { a, b as c } from 'fs';", &["a", "b"]);
        has("import d, { a }from\"fs\"", &["a"]);
        has("import { a as importA, b } from 'fs'", &["a", "b"]);
        has("import { a, // import of a\n b } from 'fs'", &["a", "b"]);
        has("export { a as export, b } from 'fs'", &["a", "b"]);
        has("import { x } from 'os'; import { a } from 'fs'; import { b } from \"fs\"", &["a", "b"]);
        has("import { $a, \u{e9}t\u{e9} } from 'fs'", &["$a", "\u{e9}t\u{e9}"]);
    }

    #[test]
    fn a_namespace_or_a_text_without_the_module_wants_everything() {
        assert_eq!(words("import * as fs from 'fs'"), None);
        assert_eq!(words("export * from 'fs'"), None);
        assert_eq!(words("import { a } from 'f\\u0073'"), None);
    }
}
