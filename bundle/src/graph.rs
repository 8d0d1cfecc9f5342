//! What plugins of Rollup ask about the modules of a bundle while it is made, and add to them
//! (https://rollupjs.org/plugin-development/#plugin-context), and how chunks are described to them.

use std::sync::{Arc, Mutex, PoisonError};

use arcstr::ArcStr;
use oxc::span::SourceType;
use rolldown_common::{
    EmittedAsset, EmittedChunk, ExportsKind, ModuleDefFormat, ModuleId, ModuleInfo, Modules, OutputChunk,
    PreserveEntrySignatures, RenderedModule, ResolvedExternal, RollupRenderedChunk, StrOrBytes,
    side_effects::HookSideEffects,
};
use rolldown_plugin::typedmap::TypedMapKey;
use rolldown_plugin::{CustomField, HookLoadOutput, PluginContext, PluginContextResolveOptions};
use rolldown_utils::indexmap::FxIndexSet;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::panics;
use crate::plugin::BaoPlugin;
use crate::settings;
use crate::shared::{Shared, is_of_bundler};

/// What a module consists of, or why it has nothing; taken by the bundler when it comes to it.
type Made = Mutex<Option<Result<HookLoadOutput, String>>>;

/// The modules whose text plugins have made: each once, whoever asks first. A plugin may ask before the bundler does, also while the
/// entry points are looked for, when the bundler reads no modules.
#[derive(Debug, Default)]
pub(crate) struct Loads(Mutex<FxHashMap<String, Arc<OnceCell<Made>>>>);

impl Loads {
    fn cell(&self, id: &str) -> Arc<OnceCell<Made>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(id.to_string()).or_default().clone()
    }

    /// Whether somebody has asked for a module.
    fn has_begun(&self, id: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(id)
    }

    /// Waits until a module is made.
    async fn wait(&self, plugin: &BaoPlugin, id: &str) -> Arc<OnceCell<Made>> {
        let cell = self.cell(id);
        let make = async {
            let made = panics::reading(&plugin.shared, id, plugin.module(id)).await;
            Mutex::new(Some(made.map_err(|error| error.to_string())))
        };
        cell.get_or_init(|| make).await;
        cell
    }

    /// What a module consists of.
    ///
    /// # Errors
    /// What is wrong with it, which is among the failures of the build.
    pub(crate) async fn take(&self, plugin: &BaoPlugin, id: &str) -> anyhow::Result<HookLoadOutput> {
        let cell = self.wait(plugin, id).await;
        let made = cell.get().and_then(|made| made.lock().unwrap_or_else(PoisonError::into_inner).take());
        match made {
            Some(made) => made.map_err(anyhow::Error::msg),
            // It was taken before: modules are read again.
            None => panics::reading(&plugin.shared, id, plugin.module(id)).await,
        }
    }

    /// Waits until a module is made; the error is why it cannot be.
    async fn ready(&self, plugin: &BaoPlugin, id: &str) -> Result<(), String> {
        let cell = self.wait(plugin, id).await;
        let Some(made) = cell.get() else { return Ok(()) };
        match made.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(Err(error)) => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

/// Marks a question about a specifier that the program's plugins have been asked already.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct IsAsked;

impl TypedMapKey for IsAsked {
    type Value = ();
}

/// The modules of a bundle that is being made.
#[derive(Debug, Clone)]
pub struct Graph {
    context: PluginContext,
    shared: Arc<Shared>,
}

/// A module that a plugin wants to be a chunk of its own.
#[derive(Debug, Clone, Default)]
pub struct NewChunk {
    /// A specifier.
    pub id: String,
    pub importer: Option<String>,
    pub name: Option<String>,
    pub file_name: Option<String>,
    /// How far the exports of the module are those of the chunk: `strict`, `allow-extension`, `exports-only`, or `false` for any.
    pub signature: Option<String>,
}

impl Graph {
    pub(crate) fn new(context: PluginContext, shared: Arc<Shared>) -> Graph {
        Graph { context, shared }
    }

    /// What is known of a module, in Rollup's words; `None` if it is none of the bundle's. A module that has not been parsed yet has no
    /// imports and no exports.
    pub fn module_info(&self, id: &str) -> Option<Value> {
        let info = self.context.get_module_info(id);
        let is_parsed = info.as_ref().is_some_and(|info| info.code.is_some());
        let early = if is_parsed { None } else { self.text_of(id) };
        let nothing = || {
            Arc::new(ModuleInfo {
                code: None,
                id: ModuleId::new(id),
                is_entry: false,
                importers: FxIndexSet::default(),
                dynamic_importers: FxIndexSet::default(),
                imported_ids: FxIndexSet::default(),
                dynamically_imported_ids: FxIndexSet::default(),
                exports: Vec::new(),
                input_format: ExportsKind::None,
            })
        };
        // The bundler may not have come to it yet.
        let info = info.or_else(|| (early.is_some() || self.shared.loads.has_begun(id)).then(nothing))?;
        let texts = |ids: &mut dyn Iterator<Item = &str>| ids.map(Value::from).collect::<Vec<_>>();
        let exports = match &early {
            Some(text) => {
                let source_type = SourceType::mjs().with_jsx(true).with_typescript(true);
                // It has been checked for threads of the bundler, which have larger stacks than a program's.
                transpile::with_stack_for(text, || settings::export_names(text, source_type)).unwrap_or_default()
            }
            None => info.exports.iter().map(ToString::to_string).collect(),
        };
        let is_parsed = is_parsed || early.is_some();
        Some(json!({
            "isEntry": info.is_entry,
            "isExternal": self.shared.outside.lock().unwrap_or_else(PoisonError::into_inner).contains(id),
            "isParsed": is_parsed,
            "importers": texts(&mut info.importers.iter().map(|id| id.as_str())),
            "dynamicImporters": texts(&mut info.dynamic_importers.iter().map(|id| id.as_str())),
            "importedIds": texts(&mut info.imported_ids.iter().map(|id| id.as_str())),
            "dynamicallyImportedIds": texts(&mut info.dynamically_imported_ids.iter().map(|id| id.as_str())),
            "exports": exports,
        }))
    }

    /// The code of a module as plugins have left it; `None` as long as it has not been parsed.
    pub fn module_code(&self, id: &str) -> Option<String> {
        let code = self.context.get_module_info(id).and_then(|info| info.code.as_ref().map(ToString::to_string));
        code.or_else(|| self.text_of(id).map(|text| text.to_string()))
    }

    /// The text that plugins have made of a module, also as long as its imports have not been resolved.
    fn text_of(&self, id: &str) -> Option<ArcStr> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).get(id).and_then(|seen| seen.text.clone())
    }

    /// The ids of all modules that are known.
    pub fn module_ids(&self) -> Vec<String> {
        let is_own = |id: &str| {
            let info = self.context.get_module_info(id);
            // What rolldown's helpers import is not the program's.
            let is_helpers = |info: &Arc<ModuleInfo>| {
                let mut importers = info.importers.iter().map(|id| id.as_str()).peekable();
                importers.peek().is_some() && importers.all(is_of_bundler)
            };
            is_of_bundler(id) || info.as_ref().is_some_and(is_helpers)
        };
        self.context.get_module_ids().iter().filter(|id| !is_own(id)).map(ToString::to_string).collect()
    }

    /// Adds a chunk and gives its reference.
    ///
    /// # Errors
    /// The modules have all been read.
    pub fn emit_chunk(&self, chunk: NewChunk) -> Result<String, String> {
        let signature = chunk.signature.as_deref().and_then(|name| match name {
            "strict" => Some(PreserveEntrySignatures::Strict),
            "allow-extension" => Some(PreserveEntrySignatures::AllowExtension),
            "exports-only" => Some(PreserveEntrySignatures::ExportsOnly),
            "false" => Some(PreserveEntrySignatures::False),
            _ => None,
        });
        let emitted = EmittedChunk {
            name: chunk.name.map(Into::into),
            file_name: chunk.file_name.map(Into::into),
            id: chunk.id,
            importer: chunk.importer,
            preserve_entry_signatures: signature,
        };
        self.context.emit_chunk(emitted).map(|reference| reference.to_string()).map_err(|error| error.to_string())
    }

    /// Makes the name of a file known, so that code can refer to it, and gives its reference. Its bytes come later.
    ///
    /// # Errors
    /// A name that no file may have.
    pub fn emit_asset(&self, file_name: String) -> Result<String, String> {
        let asset = EmittedAsset {
            name: None,
            original_file_name: None,
            file_name: Some(file_name.into()),
            source: StrOrBytes::Bytes(Vec::new()),
        };
        let made = self.context.emit_file(asset, None, None);
        made.map(|reference| reference.to_string()).map_err(|error| error.to_string())
    }

    /// The name of the file of a reference.
    ///
    /// # Errors
    /// A reference that nobody has given, and a chunk that has no name yet.
    pub fn file_name(&self, reference: &str) -> Result<String, String> {
        self.context.get_file_name(reference).map(|name| name.to_string()).map_err(|error| error.to_string())
    }

    /// Reads a module and waits until plugins have made their text of it. `with_imports`: also until its imports have been resolved, for
    /// which a plugin must not wait if it is asked about one of them itself.
    ///
    /// # Errors
    /// The modules have all been read.
    pub async fn load(&self, id: &str, side_effects: Option<bool>, with_imports: bool) -> Result<(), String> {
        let effects = side_effects.map(|has| if has { HookSideEffects::True } else { HookSideEffects::False });
        self.shared.loads.ready(&BaoPlugin::new(self.shared.clone(), Vec::new()), id).await?;
        if with_imports {
            let loaded = self.context.load(id, effects, ModuleDefFormat::Unknown).await;
            loaded.map_err(|error| error.to_string())?;
        }
        if let Some(has) = side_effects {
            self.shared.note(id, |seen| seen.side_effects = seen.side_effects.or(Some(has)));
        }
        Ok(())
    }

    /// Where a specifier leads by all but the program's plugins: `{ id, external }`; `None` if nowhere.
    ///
    /// # Errors
    /// What the search has ended with.
    pub async fn resolve(
        &self,
        specifier: &str,
        importer: Option<&str>,
        is_entry: bool,
    ) -> Result<Option<Value>, String> {
        let mut custom = CustomField::new();
        custom.insert(IsAsked, ());
        let options = PluginContextResolveOptions {
            is_entry,
            skip_self: false,
            custom: Arc::new(custom),
            ..PluginContextResolveOptions::default()
        };
        let found =
            self.context.resolve(specifier, importer, Some(options)).await.map_err(|error| error.to_string())?;
        Ok(found.ok().map(|found| {
            json!({
                "id": found.id.as_str(),
                "external": !matches!(found.external, ResolvedExternal::Bool(false)),
            })
        }))
    }
}

/// A chunk while it is rendered. `with_modules`: whether the code of its modules is part of it.
pub(crate) fn rendered_chunk(chunk: &RollupRenderedChunk, with_modules: bool) -> Value {
    json!({
        "type": "chunk",
        "name": chunk.name.as_str(),
        "isEntry": chunk.is_entry,
        "isDynamicEntry": chunk.is_dynamic_entry,
        "facadeModuleId": chunk.facade_module_id.as_ref().map(|id| id.as_str()),
        "fileName": chunk.filename.as_str(),
        "moduleIds": chunk.module_ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(),
        "exports": chunk.exports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "imports": chunk.imports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "dynamicImports": chunk.dynamic_imports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "modules": if with_modules { rendered_modules(&chunk.modules) } else { json!({}) },
    })
}

/// A chunk of the results. `is_entry`: whether it is that of an entry point.
pub(crate) fn output_chunk(chunk: &OutputChunk, is_entry: bool) -> Value {
    json!({
        "name": chunk.name.as_str(),
        "isEntry": is_entry,
        "isDynamicEntry": chunk.is_dynamic_entry,
        "facadeModuleId": chunk.facade_module_id.as_ref().map(|id| id.as_str()),
        "moduleIds": chunk.module_ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(),
        "exports": chunk.exports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "imports": chunk.imports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "dynamicImports": chunk.dynamic_imports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "modules": rendered_modules(&chunk.modules),
        "preliminaryFileName": chunk.preliminary_filename,
        "sourcemapFileName": chunk.sourcemap_filename,
    })
}

/// The modules of a chunk by their ids: what is left of each.
pub(crate) fn rendered_modules(modules: &Modules) -> Value {
    let of_module = |module: &RenderedModule| {
        json!({
            "code": module.code(),
            "renderedLength": module.rendered_length(),
            "renderedExports": module.rendered_exports.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        })
    };
    let all = modules.keys.iter().zip(&modules.values);
    let all = all.filter(|(id, _)| !is_of_bundler(id.as_str()));
    all.map(|(id, module)| (id.as_str().to_string(), of_module(module))).collect::<serde_json::Map<_, _>>().into()
}
