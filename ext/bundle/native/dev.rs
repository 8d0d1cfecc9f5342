//! What the development server takes from the bundler: modules as functions, places of specifiers, style sheets, pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bundle::{BuildOptions, Change, DevResolver, DevTarget, ReferenceKind};
use bunfig::{Bunfig, Tables};
use engine::{OpError, op};
use serde_json::{Value, json};
use transpile::{DependencyKind, Diagnostic, ModuleHint, Options, hot_module};
use tsconfig::TsConfig;

/// The registry of modules, in browsers and in the server of an app.
const MODULES: &str = include_str!("client/modules.js");

/// The rest of the browser's half of the server, in its order.
const CLIENT: [(&str, &str); 6] = [
    ("client/replacement.js", include_str!("client/replacement.js")),
    ("client/sheets.js", include_str!("client/sheets.js")),
    ("client/overlay.js", include_str!("client/overlay.js")),
    ("client/connection.js", include_str!("client/connection.js")),
    ("client/console.js", include_str!("client/console.js")),
    ("client/start.js", include_str!("client/start.js")),
];

/// What the registry needs beside itself where modules run in this process.
const SERVER_MODULES: &str = include_str!("client/server.js");

/// React Fast Refresh in the browser.
const REACT_REFRESH: &str = include_str!("react_refresh.js");

/// The resolvers of the servers of this process, by number.
static RESOLVERS: Mutex<BTreeMap<u32, Arc<DevResolver>>> = Mutex::new(BTreeMap::new());

/// The number of the next resolver.
static NEXT_RESOLVER: AtomicU32 = AtomicU32::new(0);

fn options_of(text: &str) -> Result<BuildOptions, OpError> {
    serde_json::from_str(text).map_err(|error| OpError::type_error(format!("options of the bundler: {error}")))
}

/// Makes a resolver for a build with these options (JSON, as `build` takes them) and gives its number, which `devClose` takes back.
///
/// # Errors
/// Options that are not of this form.
#[op]
pub(crate) fn dev_resolver(options: String) -> Result<u32, OpError> {
    let resolver = Arc::new(DevResolver::new(&options_of(&options)?));
    let number = NEXT_RESOLVER.fetch_add(1, Ordering::Relaxed);
    RESOLVERS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, resolver);
    Ok(number)
}

/// Drops a resolver; nothing happens if there is none of this number.
#[op]
pub(crate) fn dev_close(number: u32) {
    RESOLVERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
}

fn resolver(number: u32) -> Result<Arc<DevResolver>, OpError> {
    let all = RESOLVERS.lock().unwrap_or_else(PoisonError::into_inner);
    all.get(&number).cloned().ok_or_else(|| OpError::type_error("no such resolver"))
}

/// Where a specifier leads from a file: a path, `bao-node:ID` for what stands for a built-in module of Node, "" for a module without
/// exports, null for what the browser loads itself.
///
/// # Errors
/// The resolver's text about a specifier that leads nowhere.
#[op]
pub(crate) fn dev_resolve(
    number: u32,
    importer: String,
    specifier: String,
    is_require: bool,
) -> Result<Option<String>, OpError> {
    match resolver(number)?.resolve(Path::new(&importer), &specifier, is_require) {
        Ok(DevTarget::File(path)) => Ok(Some(path.to_string_lossy().into_owned())),
        Ok(DevTarget::Empty) => Ok(Some(String::new())),
        Ok(DevTarget::Polyfill(id)) => Ok(Some(id)),
        Ok(DevTarget::External) => Ok(None),
        Err(text) => Err(OpError::type_error(text)),
    }
}

/// What stands for a built-in module of Node in browsers, by its id, as JSON: `{ code, imports }`, the text of a CommonJS module and
/// where its specifiers lead.
///
/// # Errors
/// An id that is none.
#[op]
pub(crate) fn dev_polyfill(id: String) -> Result<String, OpError> {
    let (code, imports) = bundle::dev_polyfill(&id).ok_or_else(|| OpError::type_error("no such module"))?;
    let imports: BTreeMap<&str, String> = imports.into_iter().collect();
    Ok(json!({ "code": code, "imports": imports }).to_string())
}

/// Has a resolver look at the disk anew.
///
/// # Errors
/// A number that no resolver has.
#[op]
pub(crate) fn dev_forget(number: u32) -> Result<(), OpError> {
    resolver(number)?.clear();
    Ok(())
}

/// The loader of files with an extension (with its dot), by its name.
#[op]
pub(crate) fn dev_loader(extension: String) -> String {
    bundle::Loader::of_extension(&extension).name().to_string()
}

fn problem_json(problem: &Diagnostic) -> Value {
    json!({
        "text": problem.message, "line": problem.line, "column": problem.column, "length": problem.length,
        "lineText": problem.excerpt, "notes": problem.help,
    })
}

/// `"type"` of the nearest package.json.
fn package_type(path: &Path) -> ModuleHint {
    for folder in path.ancestors().skip(1) {
        if let Ok(text) = std::fs::read_to_string(folder.join("package.json")) {
            let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
            return match manifest["type"].as_str() {
                Some("module") => ModuleHint::Esm,
                _ => ModuleHint::Unknown,
            };
        }
    }
    ModuleHint::Unknown
}

/// A module as the body of a function, as JSON:
/// `{ code, map, kind, isAsync, isStrict, directives, exports, barrel, dependencies: [{ specifier, kind, attribute, graph, names,
/// isWhole, optional, line, column }] }` (`barrel`: `{ exports: [[exported, specifier, imported]], always }` or null), or `{ problems: [{ text, line, column, length, lineText, notes }] }`. `shown` is its name in messages and maps; `define` is JSON;
/// `refresh` registers components for React Fast Refresh.
///
/// # Errors
/// A `define` that cannot be read.
#[op(blocking)]
pub(crate) fn dev_module(
    path: String,
    shown: String,
    source: String,
    loader: String,
    define: String,
    refresh: bool,
) -> Result<String, OpError> {
    let file = Path::new(&path);
    let config = file.parent().and_then(|folder| TsConfig::load(folder).ok().flatten());
    let define: BTreeMap<String, String> = serde_json::from_str(&define).unwrap_or_default();
    let pairs: Vec<(String, String)> = define.into_iter().collect();
    let define = transpile::Define::new(&pairs).map_err(OpError::error)?;
    let options = Options {
        loader: transpile::Loader::of_name(&loader),
        package_type: package_type(file),
        define: Some(Arc::new(define)),
        refresh,
        // Not every browser has `using`.
        lower_using: true,
        ..Options::default().with_tsconfig(config.as_ref(), false)
    };
    let module = match hot_module(&source, &shown, &options) {
        Ok(module) => module,
        Err(problems) => {
            return Ok(json!({ "problems": problems.iter().map(problem_json).collect::<Vec<_>>() }).to_string());
        }
    };
    let dependencies: Vec<Value> = module
        .dependencies
        .iter()
        .map(|it| {
            let at = Diagnostic::at(&source, &shown, it.offset, it.offset + it.specifier.len() as u32, "");
            json!({
                "specifier": it.specifier,
                "kind": match it.kind {
                    DependencyKind::Import => "import",
                    DependencyKind::Dynamic => "dynamic",
                    DependencyKind::Require => "require",
                },
                "attribute": it.attribute, "graph": it.graph, "names": it.names, "isWhole": it.is_whole, "optional": it.optional,
                "line": if it.offset == 0 && it.names.is_empty() { 0 } else { at.line },
                "column": at.column, "lineText": at.excerpt,
            })
        })
        .collect();
    let barrel = module.barrel.map(|barrel| {
        let exports = barrel.exports.into_iter().map(|it| json!([it.exported, it.specifier, it.imported]));
        json!({ "exports": exports.collect::<Vec<_>>(), "always": barrel.always })
    });
    Ok(json!({
        "barrel": barrel,
        "code": module.code,
        "map": module.map.map(|map| map.to_json(None)),
        "kind": if module.info.kind == transpile::ModuleKind::Esm { "esm" } else { "cjs" },
        "isAsync": module.info.top_level_await,
        "isStrict": module.info.use_strict,
        "directives": module.directives,
        "exports": module.info.exports,
        "dependencies": dependencies,
    })
    .to_string())
}

/// A style sheet with what it imports, as JSON: `{ code, module, inputs, assets: [{ name, source }] }`, or
/// `{ problem: { text, unresolved, file, line, column, length, lineText, notes } }` (`unresolved`: a URL that leads nowhere). `module` is JavaScript for a module of CSS. `options` are
/// those of a build, `texts` (JSON) sheets that plugins have loaded.
///
/// # Errors
/// Options that are not of this form.
#[op(blocking)]
pub(crate) fn dev_sheet(options: String, path: String, texts: String) -> Result<String, OpError> {
    let options = options_of(&options)?;
    let texts: BTreeMap<String, String> = serde_json::from_str(&texts).unwrap_or_default();
    Ok(match bundle::dev_sheet(options, &PathBuf::from(path), texts) {
        Ok(sheet) => {
            let assets: Vec<Value> =
                sheet.assets.iter().map(|(name, source)| json!({ "name": name, "source": source })).collect();
            json!({ "code": sheet.code, "module": sheet.module, "inputs": sheet.inputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(), "assets": assets }).to_string()
        }
        Err(message) => {
            let place = message.position.as_ref();
            json!({ "problem": {
                "text": message.text,
                "unresolved": message.unresolved.as_ref().map(|it| &it.specifier),
                "file": place.map(|place| &place.file),
                "line": place.map_or(0, |place| place.line),
                "column": place.map_or(0, |place| place.column),
                "length": place.map_or(1, |place| place.length),
                "lineText": place.map_or("", |place| place.line_text.as_str()),
                "notes": message.notes,
            } })
            .to_string()
        }
    })
}

/// `[serve.static]` of a bunfig.toml, as JSON: `{ plugins, define, env, minify, publicPath }`; null is what is not set. `path` is for
/// messages.
///
/// # Errors
/// A mistake in the text, with its place.
#[op]
pub(crate) fn serve_settings(text: String, path: String) -> Result<String, OpError> {
    let pages = match Bunfig::parse(&text, Path::new(&path), Tables::Pages) {
        Ok(bunfig) => bunfig.pages,
        Err(error) => {
            let hint = error.hint.map(|hint| format!(": {hint}")).unwrap_or_default();
            return Err(OpError::type_error(format!("{}{hint}", error.message)));
        }
    };
    let minify = pages
        .minify
        .map(|it| json!({ "whitespace": it.whitespace, "syntax": it.syntax, "identifiers": it.identifiers }));
    let define: BTreeMap<String, String> = pages.define.into_iter().collect();
    Ok(json!({
        "plugins": pages.plugins, "define": define, "env": pages.env, "minify": minify, "publicPath": pages.public_path,
    })
    .to_string())
}

/// What a page refers to, as JSON: `[{ kind, url }]`, kinds `script`, `style`, `asset`.
///
/// # Errors
/// A page that cannot be read.
#[op]
pub(crate) fn page_references(html: String) -> Result<String, OpError> {
    let found = bundle::scan_page(&html).map_err(OpError::error)?;
    serde_json::to_string(&found).map_err(|error| OpError::type_error(error.to_string()))
}

/// A page with `urls` (JSON: reference to URL; null takes the tag away) in the place of its references, and `head` at the end of
/// its head.
///
/// # Errors
/// A page that cannot be read.
#[op]
pub(crate) fn page_with(html: String, urls: String, head: String) -> Result<String, OpError> {
    let urls: BTreeMap<String, Option<String>> =
        serde_json::from_str(&urls).map_err(|error| OpError::type_error(error.to_string()))?;
    bundle::rewrite_page(&html, &head, &mut |reference| match (reference.kind, urls.get(&reference.url)) {
        (_, None) => Change::Keep,
        (_, Some(Some(url))) => Change::Url(url.clone()),
        (ReferenceKind::Asset, Some(None)) => Change::Keep,
        (_, Some(None)) => Change::Remove,
    })
    .map_err(OpError::error)
}

/// A script for browsers; that of the sources if bao runs from them (`BAO_LIB`).
fn browser_script(name: &str, text: &str) -> String {
    std::env::var_os("BAO_LIB")
        .filter(|folder| !folder.is_empty())
        .and_then(|folder| std::fs::read_to_string(Path::new(&folder).join("bundle/native").join(name)).ok())
        .unwrap_or_else(|| text.to_string())
}

/// The script of the browser's half.
#[op]
pub(crate) fn dev_client() -> String {
    let mut script = browser_script("client/modules.js", MODULES);
    for (name, text) in CLIENT {
        script.push_str(&browser_script(name, text));
    }
    script
}

/// The script of the registry for modules that run in this process: the body of a function of `config` and `modules`.
#[op]
pub(crate) fn dev_server_modules() -> String {
    browser_script("client/modules.js", MODULES) + &browser_script("client/server.js", SERVER_MODULES)
}

/// A CommonJS module that stands for `react-refresh/runtime` where that package is not installed.
#[op]
pub(crate) fn react_refresh() -> String {
    browser_script("react_refresh.js", REACT_REFRESH)
}
