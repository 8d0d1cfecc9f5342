//! Modules that the program makes itself: what `Bun.plugin`, the hooks of `node:module` and `blob:` URLs give. The
//! program's half is ext/module/loader_hooks.ts.

use std::sync::Arc;

use engine::{JsResult, Local, OpError, Scope};
use resolve::{FileClass, Kind, ModuleFormat};

use super::{compile_commonjs, data_of_text};
use crate::source::{self, FileKind};
use crate::state::RuntimeState;
use crate::{builtins, modules, prepare};

/// Asks the hooks: `None` where there are none or none has an opinion, else a module record or a promise of one.
///
/// `kind`: `import-statement`, `dynamic-import` or `entry-point-run`; `attribute`: the `type` import attribute.
pub fn ask<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    specifier: &str,
    importer: &str,
    kind: &str,
    attribute: Option<&str>,
) -> JsResult<Option<Local<'s>>> {
    let answer = answer(scope, state, specifier, importer, kind, attribute)?;
    if answer.is_nullish() {
        return Ok(None);
    }
    if scope.promise_state(answer).is_some() {
        return Ok(Some(answer));
    }
    module_of(scope, state, answer, specifier, importer).map(Some)
}

/// The same before a module is made of it: undefined, a source as `load` of ext/module/loader_hooks.ts gives it, or a promise of a module.
pub fn answer<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    specifier: &str,
    importer: &str,
    kind: &str,
    attribute: Option<&str>,
) -> JsResult<Local<'s>> {
    if !state.hooks_active.get() {
        return Ok(scope.undefined());
    }
    let specifier_value = scope.string(specifier)?;
    let importer_value = scope.string(importer)?;
    let kind = scope.string(kind)?;
    let attribute = match attribute {
        Some(name) => scope.string(name)?,
        None => scope.undefined(),
    };
    builtins::call(scope, "internal/module/loader_hooks", "load", &[specifier_value, importer_value, kind, attribute])
}

/// The promise of the module behind a `blob:` URL.
pub fn blob<'s>(scope: &mut Scope<'s>, url: &str) -> JsResult<Local<'s>> {
    let url = scope.string(url)?;
    builtins::call(scope, "internal/module/loader_hooks", "loadBlob", &[url])
}

/// A source as the hooks give it.
struct Hooked {
    key: String,
    path: Arc<str>,
    url: Arc<str>,
    loader: String,
    format: ModuleFormat,
    contents: String,
}

fn text(scope: &mut Scope<'_>, source: Local<'_>, name: &str) -> JsResult<Option<String>> {
    let value = scope.get(source, name)?;
    if value.is_nullish() { Ok(None) } else { scope.to_string(value).map(Some) }
}

fn read(scope: &mut Scope<'_>, source: Local<'_>) -> JsResult<Hooked> {
    let key = text(scope, source, "key")?.unwrap_or_default();
    let format = match text(scope, source, "format")?.as_deref() {
        Some("module") => ModuleFormat::Module,
        Some("commonjs") => ModuleFormat::CommonJs,
        _ => ModuleFormat::Detect,
    };
    Ok(Hooked {
        path: text(scope, source, "path")?.unwrap_or_else(|| key.clone()).into(),
        url: text(scope, source, "url")?.unwrap_or_else(|| key.clone()).into(),
        loader: text(scope, source, "loader")?.unwrap_or_default(),
        format,
        contents: text(scope, source, "contents")?.unwrap_or_default(),
        key,
    })
}

/// How the text is to be read: as a script of a class, as data, or as a value by itself.
fn class_of(loader: &str) -> Option<FileClass> {
    Some(match loader {
        "js" => FileClass::Js,
        "jsx" => FileClass::Jsx,
        "ts" => FileClass::Ts,
        "tsx" => FileClass::Tsx,
        _ => return None,
    })
}

fn value_of<'s>(scope: &mut Scope<'s>, hooked: &Hooked) -> JsResult<Local<'s>> {
    match source::attribute_kind(&hooked.loader) {
        Some(FileKind::Text) => scope.string(&hooked.contents),
        Some(FileKind::Sheet) => scope.new_object(),
        Some(FileKind::File) => scope.string(&hooked.path),
        Some(kind @ (FileKind::Json | FileKind::Jsonc | FileKind::Json5 | FileKind::Toml | FileKind::Yaml)) => {
            data_of_text(scope, &hooked.contents, &hooked.path, kind)
        }
        _ => Err(scope.throw_op_error(&OpError::type_error(format!(
            "A plugin gave {} the loader \"{}\", which bao does not have",
            hooked.path, hooked.loader
        )))),
    }
}

/// The module record of a source; made once for each key.
pub fn module_of<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    source: Local<'s>,
    specifier: &str,
    importer: &str,
) -> JsResult<Local<'s>> {
    if source.is_nullish() {
        // The hooks answered that they have no opinion, only later.
        return modules::load_unhooked(scope, state, specifier, importer, None, true);
    }
    if let Some(id) = text(scope, source, "builtin")? {
        let Some(id) = builtins::id_or_specifier(&id) else {
            return Err(scope.throw_error(&format!("A hook named the built-in module '{id}', which does not exist")));
        };
        return modules::load_builtin(scope, state, id);
    }
    if let Some(path) = text(scope, source, "file")? {
        let resolution = {
            let mut map = state.modules.borrow_mut();
            map.resolve(&state.options, &path, &path, Kind::Import)
        };
        let resolution = match resolution {
            Ok(resolution) => resolution,
            Err(error) => return Err(modules::throw_resolve_error(scope, &error, Kind::Import)),
        };
        return match resolution.file() {
            Some(file) => modules::load_file(scope, state, file, resolution.suffix.as_deref().unwrap_or(""), None),
            None => {
                Err(scope.throw_error(&format!("A plugin resolved '{specifier}' to '{path}', which is not a file")))
            }
        };
    }
    let key = text(scope, source, "key")?.unwrap_or_default();
    if let Some(module) = modules::existing(scope, state, &key) {
        return Ok(module);
    }
    let exports = scope.get(source, "exports")?;
    if exports.is_object() {
        let hooked = read(scope, source)?;
        return modules::wrap_exports(scope, state, hooked.key, &hooked.path, hooked.url, exports);
    }
    let hooked = read(scope, source)?;
    let Some(class) = class_of(&hooked.loader) else {
        let value = value_of(scope, &hooked)?;
        return modules::wrap_value_as(scope, state, hooked.key, &hooked.path, hooked.url, value);
    };
    let prepared = prepare::prepare_text(scope, state, &hooked.path, class, hooked.format, hooked.contents)?;
    if prepared.kind == transpile::ModuleKind::Esm {
        return modules::add_esm(scope, state, Some(hooked.key), hooked.path, hooked.url, prepared);
    }
    // CommonJS runs as `require` would run it; its exports are the module.
    let exports = builtins::call(scope, "internal/module/cjs", "requireHooked", &[source])?;
    modules::wrap_value_as(scope, state, hooked.key, &hooked.path, hooked.url, exports)
}

/// The same for `require`: `[0, function]` of CommonJS, `[1, namespace]` of an ES module, `[2, value]` of data.
pub fn load_for_require<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    source: Local<'_>,
) -> JsResult<(i32, Local<'s>)> {
    let exports = scope.get(source, "exports")?;
    if exports.is_object() {
        return Ok((2, exports));
    }
    let hooked = read(scope, source)?;
    let Some(class) = class_of(&hooked.loader) else { return value_of(scope, &hooked).map(|value| (2, value)) };
    if let Some(module) = modules::existing(scope, state, &hooked.key) {
        return modules::require_module(scope, state, module, &hooked.key, &hooked.path)
            .map(|namespace| (1, namespace));
    }
    let prepared = prepare::prepare_text(scope, state, &hooked.path, class, hooked.format, hooked.contents)?;
    if prepared.kind == transpile::ModuleKind::Esm {
        let key = Some(hooked.key.clone());
        let module = modules::add_esm(scope, state, key, hooked.path.clone(), hooked.url, prepared)?;
        return modules::require_module(scope, state, module, &hooked.key, &hooked.path)
            .map(|namespace| (1, namespace));
    }
    if let Some(map) = prepared.map {
        modules::add_map(state, &hooked.path, map);
    }
    let function = compile_commonjs(scope, state, &hooked.path, &prepared.code)?;
    Ok((0, function))
}
