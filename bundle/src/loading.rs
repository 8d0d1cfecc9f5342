//! What modules consist of: the bytes that a plugin, the program or the file system has of them, and their code by their loader.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::PoisonError;

use rolldown_common::{ModuleType, side_effects::HookSideEffects};
use rolldown_plugin::HookLoadOutput;
use rolldown_sourcemap::SourceMap;

use crate::archived;
use crate::decorators;
use crate::depth;
use crate::hooks::{Deferral, Expanded, Hooks, Prepared};
use crate::messages::Message;
use crate::options::{Loader, Target};
use crate::pages;
use crate::plugin::BaoPlugin;
use crate::rules;
use crate::shared::parts_of;
use crate::sloppy;
use crate::transpile_data::json_module;

/// Refuses code and sheets that no thread's stack suffices for.
fn check_depth(bytes: &[u8], loader: Loader) -> Result<(), &'static str> {
    let check = match loader {
        Loader::Js | Loader::Jsx => depth::check_code,
        Loader::Ts | Loader::Tsx => depth::check_types,
        Loader::Css => depth::check_sheet,
        _ => return Ok(()),
    };
    // The lossy form reads texts much slower, also those that lose nothing.
    std::str::from_utf8(bytes).map_or_else(|_| check(&String::from_utf8_lossy(bytes)), check)
}

impl BaoPlugin {
    /// The text of a module with the results of its macros; `None` if it has none.
    async fn expanded(&self, path: &str, bytes: &[u8], loader: Loader) -> anyhow::Result<Option<String>> {
        let (true, Some(hooks), Ok(text)) = (is_code(loader), &self.shared.hooks, std::str::from_utf8(bytes)) else {
            return Ok(None);
        };
        if !transpile::mentions_macros(text) {
            return Ok(None);
        }
        match hooks.expand_macros(path, text, loader).await {
            Ok(Expanded::None) => Ok(None),
            Ok(Expanded::Text(text)) => Ok(Some(text)),
            Ok(Expanded::Failed(message)) => Err(self.shared.failed_with(message)),
            Err(text) => Err(self.shared.failed(text, "file", path)),
        }
    }

    /// The bytes of a module, the loader that a plugin chose for it, and the map of what plugins have changed.
    pub(crate) async fn contents(&self, id: &str) -> anyhow::Result<(Vec<u8>, Loader, Option<SourceMap>)> {
        let (bytes, loader) = self.read(id).await?;
        let (namespace, path, _) = parts_of(id);
        let Some(hooks) = self.shared.hooks.as_ref().filter(|_| self.shared.options.has_transform) else {
            return Ok((bytes, loader, None));
        };
        // Only texts can be transformed.
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Ok((error.into_bytes(), loader, None)),
        };
        let changed = hooks.transform(path, namespace, text.clone(), loader).await;
        let Some(changed) = changed.map_err(|text| self.shared.failed(text, namespace, path))? else {
            return Ok((text.into_bytes(), loader, None));
        };
        // What a plugin has made of a file of no known kind is code, as in Rollup, and so is a module that it has made of data.
        let is_made = loader == Loader::File || !is_code(loader) && rules::is_module(&changed.code);
        let loader = changed.loader.unwrap_or(if is_made { Loader::Js } else { loader });
        if let Some(has) = changed.side_effects {
            self.shared.note(id, |seen| seen.side_effects = Some(has));
        }
        let map = map_of(&changed.maps);
        Ok((changed.code.into_bytes(), loader, map))
    }

    /// The bytes of a module and its loader, as a plugin, the program or the file system has them, and native plugins then.
    async fn read(&self, id: &str) -> anyhow::Result<(Vec<u8>, Loader)> {
        let shared = &self.shared;
        let (namespace, path, forced) = parts_of(id);
        let mut loader = shared.loader_of(path, forced);
        let mut loaded = None;
        if let Some(hooks) = &shared.hooks
            && shared.load_filters.match_any(path, namespace)
            && let Some(found) = hooks
                .load(path, namespace, loader, Deferral::new(shared.progress.clone(), id))
                .await
                .map_err(|text| shared.failed(text, namespace, path))?
        {
            // What a plugin gives for a file of no known kind is code.
            let known = if namespace == "file" && loader != Loader::File { loader } else { Loader::Js };
            loader = found.loader.unwrap_or(known);
            if let Some(has) = found.side_effects {
                shared.note(id, |seen| seen.side_effects = Some(has));
            }
            loaded = Some(found.contents);
        }
        if !shared.before_parse_filters.is_empty()
            && let Some(hooks) = &shared.hooks
        {
            return self.prepared(hooks.as_ref(), id, loader, loaded);
        }
        loaded.map_or_else(|| self.read_file(id), Ok).map(|bytes| (bytes, loader))
    }

    /// The bytes of a module and its loader when native plugins have seen it; `loaded` is what another plugin has of it.
    fn prepared(
        &self,
        hooks: &dyn Hooks,
        id: &str,
        loader: Loader,
        mut loaded: Option<Vec<u8>>,
    ) -> anyhow::Result<(Vec<u8>, Loader)> {
        let shared = &self.shared;
        let (namespace, path, _) = parts_of(id);
        let which: Vec<usize> = shared.before_parse_filters.matching(path, namespace).collect();
        let mut failure = None;
        if !which.is_empty() {
            let mut fetch = || match &loaded {
                Some(bytes) => Ok(bytes.clone()),
                None => match self.read_file(id) {
                    Ok(bytes) => Ok(loaded.insert(bytes).clone()),
                    Err(error) => {
                        failure = Some(error);
                        Err(())
                    }
                },
            };
            let Prepared { loaded: changed, messages, is_unreadable } =
                hooks.before_parse(&which, path, namespace, loader, &mut fetch);
            if let Some(failure) = failure.filter(|_| is_unreadable) {
                return Err(failure);
            }
            let (errors, others): (Vec<Message>, Vec<Message>) = messages.into_iter().partition(Message::is_error);
            shared.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(others);
            let errors: Vec<anyhow::Error> = errors.into_iter().map(|message| shared.failed_with(message)).collect();
            if let Some(error) = errors.into_iter().next() {
                return Err(error);
            }
            if let Some(changed) = changed {
                return Ok((changed.contents, changed.loader.unwrap_or(loader)));
            }
        }
        loaded.map_or_else(|| self.read_file(id), Ok).map(|bytes| (bytes, loader))
    }

    /// The bytes of a module, as the program or the file system has them.
    fn read_file(&self, id: &str) -> anyhow::Result<Vec<u8>> {
        let shared = &self.shared;
        let (namespace, path, _) = parts_of(id);
        if namespace != "file" {
            let text = format!("no plugin has loaded \"{path}\" of the namespace \"{namespace}\"");
            return Err(shared.failed(text, namespace, path));
        }
        if let Some(text) = shared.options.files.get(Path::new(path)) {
            return Ok(text.clone().into_bytes());
        }
        // A query behind a path is the program's business, not the file system's.
        let is_whole = !path.contains(['?', '#']) || Path::new(path).exists() || store::is_file(Path::new(path));
        let file = if is_whole { path } else { path.split(['?', '#']).next().unwrap_or(path) };
        archived::read(Path::new(file))
            .map_err(|error| shared.failed(format!("cannot read \"{path}\": {error}"), namespace, path))
    }

    /// A module as rolldown takes it.
    pub(crate) async fn module(&self, id: &str) -> anyhow::Result<HookLoadOutput> {
        let shared = &self.shared;
        let (mut bytes, mut loader, mut map) = self.contents(id).await?;
        let (namespace, path, _) = parts_of(id);
        check_depth(&bytes, loader).map_err(|text| shared.failed(text.to_string(), namespace, path))?;
        if let Some(expanded) = self.expanded(path, &bytes, loader).await? {
            bytes = expanded.into_bytes();
            check_depth(&bytes, loader).map_err(|text| shared.failed(text.to_string(), namespace, path))?;
        }
        shared.note(id, |seen| {
            seen.bytes = bytes.len();
            seen.loader = Some(loader);
        });
        let strict = if shared.sloppy.contains(id) {
            sloppy::strict_text(&shared.text_of(&bytes, path), path)
        } else if matches!(loader, Loader::Js | Loader::Jsx) {
            std::str::from_utf8(&bytes).ok().and_then(|text| sloppy::repaired(text, path))
        } else {
            None
        };
        if let Some((code, changes)) = strict {
            bytes = code.into_bytes();
            map = then(map, changes);
        }
        if is_code(loader)
            && let Ok(text) = std::str::from_utf8(&bytes)
            && let Some((code, after, changes)) =
                decorators::lowered(shared, path, text, loader).map_err(|text| shared.failed(text, namespace, path))?
        {
            bytes = code.into_bytes();
            loader = after;
            map = then(map, changes);
        }
        let text = || shared.text_of(&bytes, path);
        let default_of =
            |value: String| output(format!("export default {};", serde_json::Value::String(value)), ModuleType::Js);
        let made = match loader {
            // What has no JSX needs no pass that looks for it.
            Loader::Js | Loader::Jsx => {
                let text = text();
                let kind = if loader == Loader::Jsx && may_have_jsx(text.as_bytes()) {
                    ModuleType::Jsx
                } else {
                    ModuleType::Js
                };
                output(text, kind)
            }
            Loader::Ts => output(text(), ModuleType::Ts),
            Loader::Tsx => output(text(), ModuleType::Tsx),
            Loader::Json | Loader::Jsonc | Loader::Json5 | Loader::Toml | Loader::Yaml => {
                let (code, kind) = json_module(&text(), path, loader).map_err(|message| shared.failed_with(message))?;
                output(code, kind)
            }
            Loader::Text | Loader::Md => output(text(), ModuleType::Text),
            Loader::Empty => output(String::new(), ModuleType::Empty),
            Loader::Base64 => default_of(rolldown_utils::base64::to_standard_base64(&bytes)),
            Loader::Dataurl => default_of(data_url(path, &bytes)?),
            Loader::Binary => {
                let mut code = String::from("export default new Uint8Array([");
                for byte in &bytes {
                    let _ = write!(code, "{byte},");
                }
                code.push_str("]);");
                output(code, ModuleType::Js)
            }
            Loader::Css => {
                let css = text();
                shared.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_string(), css.clone());
                let names =
                    crate::css_modules::module_of(shared, path, &css).map_err(|message| shared.failed_with(message))?;
                // The sheet itself goes into the CSS of the chunk; only modules of CSS give names to JavaScript.
                HookLoadOutput {
                    side_effects: Some(HookSideEffects::True),
                    ..match names {
                        Some(names) => output(names, ModuleType::Js),
                        // As in Bun: an object, and no other name.
                        None => output("export default {};".to_string(), ModuleType::Js),
                    }
                }
            }
            Loader::Html if shared.page_entries.contains(id) => {
                let code = pages::script_of(shared, path, text())?;
                HookLoadOutput { side_effects: Some(HookSideEffects::True), ..output(code, ModuleType::Js) }
            }
            // A page has nothing to import in a browser.
            Loader::Html if shared.options.target == Target::Browser => {
                output("export {};".to_string(), ModuleType::Js)
            }
            Loader::Html => output(pages::manifest_of(shared, path).await?, ModuleType::Js),
            Loader::File | Loader::Wasm | Loader::Sqlite | Loader::SqliteEmbedded | Loader::Napi => {
                let name = if shared.options.standalone {
                    shared.add_file(Path::new(path), bytes, "")?
                } else {
                    shared.assets.add(&shared.options.naming.asset, &shared.root, Path::new(path), bytes, loader)
                };
                let place = shared.public(&name);
                if loader == Loader::Napi && shared.options.target != Target::Browser {
                    // A `require` that stays, beside the result.
                    output(
                        format!(
                            "import {{ createRequire }} from \"node:module\"; module.exports = createRequire(import.meta.url)({place:?});"
                        ),
                        ModuleType::Js,
                    )
                } else if loader == Loader::SqliteEmbedded && shared.options.target != Target::Browser {
                    output(
                        format!(
                            "import {{ readFileSync }} from \"node:fs\"; import {{ Database }} from \"bun:sqlite\"; \
                             export default Database.deserialize(readFileSync({}));",
                            place_expression(&place)
                        ),
                        ModuleType::Js,
                    )
                } else {
                    output(serde_json::Value::String(place).to_string(), ModuleType::Json)
                }
            }
        };
        if is_code(loader) {
            shared.note(id, |seen| seen.text = Some(made.code.clone()));
        }
        let said = if shared.options.has_rollup { shared.note(id, |seen| seen.side_effects) } else { None };
        let said = said.map(|has| if has { HookSideEffects::True } else { HookSideEffects::False });
        Ok(HookLoadOutput { map, side_effects: said.or(made.side_effects), ..made })
    }
}

/// Whether files of a loader are modules of JavaScript or TypeScript.
fn is_code(loader: Loader) -> bool {
    matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx)
}

/// The map of a change and of one that follows it.
fn then(first: Option<SourceMap>, second: Option<SourceMap>) -> Option<SourceMap> {
    match (first, second) {
        (Some(first), Some(second)) => Some(rolldown_sourcemap::collapse_sourcemaps(&[&first, &second])),
        (first, second) => second.or(first),
    }
}

/// One source map of several changes after each other; `None` if there are none, or one cannot be read.
pub(crate) fn map_of(texts: &[String]) -> Option<SourceMap> {
    let maps: Vec<SourceMap> = texts
        .iter()
        .map(|text| oxc_sourcemap::SourceMap::from_json_string(text).map(oxc_sourcemap::SourceMap::into_owned))
        .collect::<Result<_, _>>()
        .ok()?;
    match maps.as_slice() {
        [] => None,
        [map] => Some(map.clone()),
        _ => Some(rolldown_sourcemap::collapse_sourcemaps(&maps.iter().collect::<Vec<_>>())),
    }
}

/// Whether a text may have JSX: every element ends with `/>` or `</`, perhaps with white space or comments between.
fn may_have_jsx(text: &[u8]) -> bool {
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    memchr::memchr_iter(b'<', text).any(|at| text[at + 1..].iter().find(|byte| !is_space(byte)) == Some(&b'/'))
        || memchr::memchr_iter(b'>', text).any(|at| text[..at].iter().rev().find(|byte| !is_space(byte)) == Some(&b'/'))
}

pub(crate) fn output(code: String, kind: ModuleType) -> HookLoadOutput {
    HookLoadOutput { code: code.into(), module_type: Some(kind), ..Default::default() }
}

/// The namespace of databases that are opened by their specifier.
pub(crate) const SQLITE: &str = "bao-sqlite";

/// An expression for the place of an asset: a path, or the file beside the module.
fn place_expression(place: &str) -> String {
    let quoted = serde_json::Value::String(place.to_string());
    if place.starts_with('/') { quoted.to_string() } else { format!("new URL({quoted}, import.meta.url)") }
}

/// A module whose default export is the database that a specifier names: relative to the module, or in an executable, which has no
/// place of its own, to the current directory.
pub(crate) fn sqlite_module(specifier: &str, is_executable: bool) -> String {
    let quoted = serde_json::Value::String(specifier.to_string());
    let place = match is_executable || !specifier.starts_with('.') {
        true => quoted.to_string(),
        false => format!("fileURLToPath(new URL({quoted}, import.meta.url))"),
    };
    format!(
        "import {{ fileURLToPath }} from \"node:url\"; import {{ Database, constants }} from \"bun:sqlite\"; \
         export default new Database({place}, constants.SQLITE_OPEN_READWRITE);"
    )
}

fn data_url(path: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let mime = rolldown_utils::mime::guess_mime(Path::new(path), bytes)?;
    Ok(rolldown_utils::dataurl::encode_as_shortest_dataurl(&mime, bytes))
}
