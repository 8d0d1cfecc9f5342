//! The plugin of rolldown through which a build is Bun's: virtual files, plugins of the program, externals, loaders.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rolldown_common::{
    ImportKind, ModuleInfo, ModuleType, NormalModule, ResolvedExternal, side_effects::HookSideEffects,
};
use rolldown_plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookNoopReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookTransformAstArgs, HookTransformAstReturn, HookUsage, Plugin, PluginContext,
    PluginContextResolveOptions, SharedLoadPluginContext,
};
use rustc_hash::FxHashMap;

use crate::assets::{Assets, clean};
use crate::external::Externals;
use crate::hooks::{Expanded, Filters, Hooks};
use crate::messages::{Message, Position};
use crate::options::{BuildOptions, Loader, Target};
use crate::rewrite;
use crate::transpile_data::json_module;

/// Between a path and the loader that an import attribute asks for.
const LOADER_MARK: &str = "?bao-loader=";

/// What the graph of modules remembers of one, beside rolldown's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub bytes: usize,
    pub loader: Option<Loader>,
    /// Modules that it imports, in order; those that it imports later stand in `dynamic`.
    pub imports: Vec<String>,
    pub dynamic: Vec<String>,
}

/// What is shared by the hooks of a build, and by its several bundles if entry points are built apart.
#[derive(Debug)]
pub(crate) struct Shared {
    pub options: BuildOptions,
    pub root: PathBuf,
    pub assets: Assets,
    pub hooks: Option<Arc<dyn Hooks>>,
    pub resolve_filters: Filters,
    pub load_filters: Filters,
    pub externals: Externals,
    pub seen: Mutex<FxHashMap<String, Seen>>,
    /// What plugins have thrown and files that cannot be read, which say more than rolldown's messages about them.
    pub failures: Mutex<Vec<Message>>,
    /// The texts of modules by id, for messages and CSS.
    pub texts: Mutex<BTreeMap<String, String>>,
}

impl Shared {
    /// The loader of a path: an import attribute's, an option's or that of the extension.
    pub(crate) fn loader_of(&self, path: &str, forced: Option<Loader>) -> Loader {
        if let Some(loader) = forced {
            return loader;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        // `.d.ts` before `.ts`: the longest extension that an option names.
        for (at, _) in name.match_indices('.') {
            if let Some(loader) = self.options.loader.get(&name[at..]) {
                return *loader;
            }
        }
        name.rfind('.').map_or(Loader::File, |at| Loader::of_extension(&name[at..]))
    }

    /// Keeps an error about a file, and gives the one that rolldown carries.
    fn failed(&self, text: String, namespace: &str, file: &str) -> anyhow::Error {
        let position = Position {
            file: file.to_string(),
            namespace: namespace.to_string(),
            line: 0,
            column: 0,
            length: 0,
            offset: 0,
            line_text: String::new(),
        };
        let message = Message { position: (!file.is_empty()).then_some(position), ..Message::error(text.clone()) };
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        anyhow::Error::msg(text)
    }

    fn note<T>(&self, id: &str, change: impl FnOnce(&mut Seen) -> T) -> T {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        change(seen.entry(id.to_string()).or_default())
    }

    /// The path in a result that stands for an asset.
    fn public(&self, name: &str) -> String {
        if self.options.public_path.is_empty() {
            format!("./{name}")
        } else {
            format!("{}{name}", self.options.public_path)
        }
    }

    /// A virtual file that a path stands for, with the endings that may be left out.
    fn virtual_file(&self, path: &Path) -> Option<PathBuf> {
        if self.options.files.is_empty() {
            return None;
        }
        if self.options.files.contains_key(path) {
            return Some(path.to_path_buf());
        }
        ["tsx", "ts", "jsx", "js", "mjs", "cjs", "json", "css"].iter().find_map(|extension| {
            let mut name = path.as_os_str().to_os_string();
            name.push(format!(".{extension}"));
            let whole = PathBuf::from(name);
            self.options.files.contains_key(&whole).then_some(whole)
        })
    }
}

/// An id taken apart: namespace, path, loader of the import attribute.
pub(crate) fn parts_of(id: &str) -> (&str, &str, Option<Loader>) {
    let (id, loader) = match id.split_once(LOADER_MARK) {
        Some((path, name)) => (path, Loader::of_name(name)),
        None => (id, None),
    };
    match id.strip_prefix('\0').and_then(|rest| rest.split_once(':')) {
        Some((namespace, path)) => (namespace, path, loader),
        None => ("file", id, loader),
    }
}

/// The id of a path in a namespace. A NUL begins those that are no files, which keeps rolldown from reading them as paths.
fn id_of(namespace: &str, path: &str) -> String {
    if namespace.is_empty() || namespace == "file" { path.to_string() } else { format!("\0{namespace}:{path}") }
}

/// Bun's name for the way of an import.
fn kind_name(args: &HookResolveIdArgs<'_>) -> &'static str {
    if args.is_entry {
        return "entry-point-build";
    }
    match args.kind {
        ImportKind::Import | ImportKind::HotAccept | ImportKind::NewUrl => "import-statement",
        ImportKind::DynamicImport => "dynamic-import",
        ImportKind::Require => "require-call",
        ImportKind::AtImport => "import-rule",
        ImportKind::UrlImport => "url-token",
    }
}

/// The plugin, for one bundle.
#[derive(Debug)]
pub(crate) struct BaoPlugin {
    pub shared: Arc<Shared>,
}

impl BaoPlugin {
    fn external(id: &str) -> HookResolveIdOutput {
        HookResolveIdOutput {
            id: id.into(),
            external: Some(ResolvedExternal::Bool(true)),
            normalize_external_id: Some(false),
            ..Default::default()
        }
    }

    /// Asks the program's plugins; `None` if none of them answers.
    async fn asked(
        &self,
        args: &HookResolveIdArgs<'_>,
        specifier: &str,
    ) -> anyhow::Result<Option<HookResolveIdOutput>> {
        let Some(hooks) = &self.shared.hooks else { return Ok(None) };
        let (namespace, importer, _) = args.importer.map_or(("file", "", None), parts_of);
        if !self.shared.resolve_filters.match_any(specifier, namespace) {
            return Ok(None);
        }
        let answer = hooks.resolve(specifier, importer, namespace, kind_name(args)).await;
        let answer = answer.map_err(|text| self.shared.failed(text, namespace, importer))?;
        Ok(answer.map(|found| {
            if found.external {
                return Self::external(&found.path);
            }
            HookResolveIdOutput {
                id: id_of(&found.namespace, &found.path).into(),
                side_effects: found
                    .side_effects
                    .map(|has| if has { HookSideEffects::True } else { HookSideEffects::False }),
                ..Default::default()
            }
        }))
    }

    /// The bytes of a module, and the loader that a plugin chose for it.
    async fn contents(&self, id: &str) -> anyhow::Result<(Vec<u8>, Loader)> {
        let shared = &self.shared;
        let (namespace, path, forced) = parts_of(id);
        let mut loader = shared.loader_of(path, forced);
        if let Some(hooks) = &shared.hooks
            && shared.load_filters.match_any(path, namespace)
            && let Some(loaded) =
                hooks.load(path, namespace, loader).await.map_err(|text| shared.failed(text, namespace, path))?
        {
            loader = loaded.loader.unwrap_or(if namespace == "file" { loader } else { Loader::Js });
            return Ok((loaded.contents, loader));
        }
        if namespace != "file" {
            let text = format!("no plugin has loaded \"{path}\" of the namespace \"{namespace}\"");
            return Err(shared.failed(text, namespace, path));
        }
        if let Some(text) = shared.options.files.get(Path::new(path)) {
            return Ok((text.clone().into_bytes(), loader));
        }
        // A query behind a path is the program's business, not the file system's.
        let file = if Path::new(path).exists() { path } else { path.split(['?', '#']).next().unwrap_or(path) };
        match std::fs::read(file) {
            Ok(bytes) => Ok((bytes, loader)),
            Err(error) => Err(shared.failed(format!("cannot read \"{path}\": {error}"), namespace, path)),
        }
    }
}

impl BaoPlugin {
    /// The text of a module with the results of its macros; `None` if it has none.
    async fn expanded(&self, path: &str, bytes: &[u8], loader: Loader) -> anyhow::Result<Option<String>> {
        let is_code = matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx);
        let (true, Some(hooks), Ok(text)) = (is_code, &self.shared.hooks, std::str::from_utf8(bytes)) else {
            return Ok(None);
        };
        if !transpile::mentions_macros(text) {
            return Ok(None);
        }
        match hooks.expand_macros(path, text, loader).await {
            Ok(Expanded::None) => Ok(None),
            Ok(Expanded::Text(text)) => Ok(Some(text)),
            Ok(Expanded::Failed(message)) => {
                let text = message.text.clone();
                self.shared.failures.lock().unwrap_or_else(PoisonError::into_inner).push(message);
                Err(anyhow::Error::msg(text))
            }
            Err(text) => Err(self.shared.failed(text, "file", path)),
        }
    }
}

impl Plugin for BaoPlugin {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("bao")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load | HookUsage::TransformAst | HookUsage::ModuleParsed
    }

    async fn resolve_id(&self, ctx: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
        let shared = &self.shared;
        if args.specifier.starts_with('\0')
            || args.specifier.starts_with("rolldown:")
            || args.specifier.starts_with("@oxc-project/")
        {
            return Ok(None);
        }
        let (specifier, loader) = match args.specifier.split_once(LOADER_MARK) {
            Some((path, name)) => (path, Loader::of_name(name)),
            None => (args.specifier, None),
        };
        if let Some(found) = self.asked(args, specifier).await? {
            return Ok(Some(found));
        }
        let with_loader = |id: &str| match loader {
            Some(loader) => format!("{id}{LOADER_MARK}{}", loader.name()),
            None => id.to_string(),
        };
        // Virtual files, by absolute path or relative to a file or to the working directory.
        if !shared.options.files.is_empty() {
            let base = args.importer.map_or(shared.options.cwd.as_path(), |importer| {
                Path::new(parts_of(importer).1).parent().unwrap_or(Path::new("/"))
            });
            let is_path = args.is_entry || specifier.starts_with('.') || specifier.starts_with('/');
            if is_path && let Some(found) = shared.virtual_file(&join(base, specifier)) {
                return Ok(Some(HookResolveIdOutput::from_id(with_loader(&found.to_string_lossy()))));
            }
        }
        if args.is_entry {
            return Ok(None);
        }
        if let Some(target) = shared.options.alias.get(specifier) {
            let resolved = ctx.resolve(target, args.importer, None).await?;
            return Ok(resolved.ok().map(HookResolveIdOutput::from_resolved_id));
        }
        // The database is opened where the program runs, and need not be there yet.
        if loader == Some(Loader::Sqlite) && shared.options.target != Target::Browser {
            return Ok(Some(HookResolveIdOutput::from_id(id_of(SQLITE, specifier))));
        }
        if shared.externals.is_external(specifier) {
            return Ok(Some(Self::external(specifier)));
        }
        if let Some(empty) = shared.externals.builtin(specifier) {
            // A package of the same name comes first in browsers: "buffer", "events", ...
            if shared.options.target == Target::Browser {
                let options =
                    PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
                if let Ok(found) = ctx.resolve(&format!("{specifier}/"), args.importer, Some(options)).await?
                    && found.id.starts_with('/')
                {
                    return Ok(Some(HookResolveIdOutput::from_resolved_id(found)));
                }
                return Ok(Some(HookResolveIdOutput {
                    id: empty.into(),
                    side_effects: Some(HookSideEffects::False),
                    ..Default::default()
                }));
            }
            return Ok(Some(Self::external(specifier)));
        }
        if shared.options.optimize_imports.iter().any(|name| name == specifier) {
            let options = PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
            if let Ok(found) = ctx.resolve(specifier, args.importer, Some(options)).await? {
                let found = HookResolveIdOutput::from_resolved_id(found);
                return Ok(Some(HookResolveIdOutput { side_effects: Some(HookSideEffects::False), ..found }));
            }
        }
        if loader.is_some() || specifier.contains('?') {
            let options = PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
            if let Ok(found) = ctx.resolve(specifier, args.importer, Some(options)).await? {
                let id = with_loader(&found.id);
                return Ok(Some(HookResolveIdOutput { id: id.into(), ..HookResolveIdOutput::from_resolved_id(found) }));
            }
        }
        Ok(None)
    }

    async fn load(&self, _ctx: SharedLoadPluginContext, args: &HookLoadArgs<'_>) -> HookLoadReturn {
        let shared = &self.shared;
        if args.id.starts_with("\0rolldown")
            || args.id.starts_with("rolldown:")
            || args.id.starts_with("\0@oxc-project")
        {
            return Ok(None);
        }
        if args.id.starts_with("\0bao-empty:") {
            return Ok(Some(output("module.exports = {};".to_string(), ModuleType::Js)));
        }
        if let (SQLITE, specifier, _) = parts_of(args.id) {
            return Ok(Some(output(sqlite_module(specifier, shared.options.executable.is_some()), ModuleType::Js)));
        }
        let (mut bytes, loader) = self.contents(args.id).await?;
        let (_, path, _) = parts_of(args.id);
        if let Some(expanded) = self.expanded(path, &bytes, loader).await? {
            bytes = expanded.into_bytes();
        }
        shared.note(args.id, |seen| {
            seen.bytes = bytes.len();
            seen.loader = Some(loader);
        });
        let text = || match String::from_utf8(bytes.clone()) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let default_of =
            |value: String| output(format!("export default {};", serde_json::Value::String(value)), ModuleType::Js);
        let made = match loader {
            Loader::Js | Loader::Jsx => output(text(), ModuleType::Jsx),
            Loader::Ts => output(text(), ModuleType::Ts),
            Loader::Tsx => output(text(), ModuleType::Tsx),
            Loader::Json | Loader::Jsonc | Loader::Json5 | Loader::Toml | Loader::Yaml => {
                let (code, kind) =
                    json_module(&text(), path, loader).map_err(|text| shared.failed(text, "file", path))?;
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
                let names = crate::css::exports_of(path, &css).map_err(|text| shared.failed(text, "file", path))?;
                shared.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_string(), css);
                // The sheet itself goes into the CSS of the chunk; only modules of CSS give names to JavaScript.
                HookLoadOutput {
                    side_effects: Some(HookSideEffects::True),
                    ..match names {
                        Some(names) => output(names, ModuleType::Json),
                        None => output(String::new(), ModuleType::Empty),
                    }
                }
            }
            Loader::File | Loader::Wasm | Loader::Html | Loader::Sqlite | Loader::SqliteEmbedded | Loader::Napi => {
                let name =
                    shared.assets.add(&shared.options.naming.asset, &shared.root, Path::new(path), bytes, loader);
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
        Ok(Some(made))
    }

    async fn transform_ast(&self, _ctx: &PluginContext, args: HookTransformAstArgs<'_>) -> HookTransformAstReturn {
        let (namespace, path, _) = parts_of(args.id);
        if args.id.starts_with("\0rolldown")
            || !matches!(args.module_type, ModuleType::Js | ModuleType::Jsx | ModuleType::Ts | ModuleType::Tsx)
        {
            return Ok(args.ast);
        }
        let place = if namespace == "file" { Path::new(path) } else { Path::new("") };
        Ok(rewrite::rewrite(args.ast, place, &self.shared.options, LOADER_MARK))
    }

    async fn module_parsed(
        &self,
        _ctx: &PluginContext,
        info: Arc<ModuleInfo>,
        _module: &NormalModule,
    ) -> HookNoopReturn {
        self.shared.note(info.id.as_str(), |seen| {
            seen.imports = info.imported_ids.iter().map(ToString::to_string).collect();
            seen.dynamic = info.dynamically_imported_ids.iter().map(ToString::to_string).collect();
        });
        Ok(())
    }
}

fn output(code: String, kind: ModuleType) -> HookLoadOutput {
    HookLoadOutput { code: code.into(), module_type: Some(kind), ..Default::default() }
}

/// The namespace of databases that are opened by their specifier.
const SQLITE: &str = "bao-sqlite";

/// An expression for the place of an asset: a path, or the file beside the module.
fn place_expression(place: &str) -> String {
    let quoted = serde_json::Value::String(place.to_string());
    if place.starts_with('/') { quoted.to_string() } else { format!("new URL({quoted}, import.meta.url)") }
}

/// A module whose default export is the database that a specifier names: relative to the module, or in an executable, which has no
/// place of its own, to the current directory.
fn sqlite_module(specifier: &str, is_executable: bool) -> String {
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

/// A path below a folder, without `.` and `..`.
pub(crate) fn join(base: &Path, path: &str) -> PathBuf {
    let whole = base.join(path);
    let mut parts: Vec<String> = Vec::new();
    for part in whole.to_string_lossy().split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name.to_string()),
        }
    }
    PathBuf::from(format!("/{}", clean(&parts.join("/"))))
}

fn data_url(path: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let mime = rolldown_utils::mime::guess_mime(Path::new(path), bytes)?;
    Ok(rolldown_utils::dataurl::encode_as_shortest_dataurl(&mime, bytes))
}
