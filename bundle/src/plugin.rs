//! The plugin of rolldown through which a build is Bun's: its hooks.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use oxc::codegen::{CodegenOptions, CommentOptions, LegalComment};
use oxc::mangler::MangleOptions;
use oxc::minifier::TreeShakeOptions;
use rolldown_common::{
    EmittedChunk, ExportsKind, ImportKind, ModuleInfo, ModuleType, NormalModule, OutputFormat, RUNTIME_MODULE_KEY,
    RawCompressOptions, RawMangleOptions, ResolvedExternal, RollupRenderedChunk,
};
use rolldown_ecmascript::EcmaAst;
use rolldown_plugin::{
    HookAddonArgs, HookAugmentChunkHashReturn, HookBuildStartArgs, HookInjectionOutputReturn, HookLoadArgs,
    HookLoadReturn, HookNoopReturn, HookRenderChunkArgs, HookRenderChunkOutput, HookRenderChunkReturn,
    HookRenderStartArgs, HookResolveFileUrlArgs, HookResolveFileUrlReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookTransformArgs, HookTransformAstArgs, HookTransformAstReturn, HookTransformOutput,
    HookTransformOutputMap, HookTransformReturn, HookUsage, Plugin, PluginContext, PluginContextResolveOptions,
    SharedLoadPluginContext, SharedTransformPluginContext,
};
use rolldown_sourcemap::SourceMap;
use rustc_hash::FxHashSet;
use serde_json::json;

use crate::graph::{self, Graph, IsAsked};
use crate::loading::{SQLITE, map_of, output, sqlite_module};
use crate::messages::{Level, Message, position_at};
use crate::minify::{self, Plan};
use crate::options::{LegalComments, Loader};
use crate::settings::Entry;
use crate::shared::{LOADER_MARK, Record, Shared, is_of_bundler, kind_name, parts_of};
use crate::survey::Survey;
use crate::{
    decorators, disposal, entries, function_names, import_meta, loop_variables, panics, polyfills, preload, public,
    rewrite, rules, sloppy, split, type_exports,
};

/// The plugin, for one bundle.
#[derive(Debug)]
pub(crate) struct BaoPlugin {
    pub shared: Arc<Shared>,
    /// Entry points beside the first, for bundles that share their modules.
    pub further: Vec<(String, Entry)>,
    /// The ids of the entry points of this bundle.
    entries: Mutex<FxHashSet<String>>,
}

impl BaoPlugin {
    pub(crate) fn new(shared: Arc<Shared>, further: Vec<(String, Entry)>) -> Self {
        Self { shared, further, entries: Mutex::default() }
    }
}

/// Hooks that are called if a plugin of Rollup has them.
const ROLLUP_HOOKS: [(&str, HookUsage); 6] = [
    ("banner", HookUsage::Banner),
    ("footer", HookUsage::Footer),
    ("intro", HookUsage::Intro),
    ("outro", HookUsage::Outro),
    ("augmentChunkHash", HookUsage::AugmentChunkHash),
    ("resolveFileUrl", HookUsage::ResolveFileUrl),
];

impl Plugin for BaoPlugin {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("bao")
    }

    fn register_hook_usage(&self) -> HookUsage {
        let always = HookUsage::BuildStart
            | HookUsage::ResolveId
            | HookUsage::Load
            | HookUsage::TransformAst
            | HookUsage::ModuleParsed
            | HookUsage::RenderChunk;
        let mut usage = if self.shared.options.namespace_setters { always | HookUsage::Transform } else { always };
        if self.shared.options.has_rollup {
            usage |= HookUsage::RenderStart;
        }
        for (name, hook) in ROLLUP_HOOKS {
            usage |= if self.shared.calls(name) { hook } else { HookUsage::empty() };
        }
        usage
    }

    async fn build_start(&self, ctx: &PluginContext, _args: &HookBuildStartArgs<'_>) -> HookNoopReturn {
        if let (true, Some(hooks)) = (self.shared.options.has_rollup, &self.shared.hooks) {
            hooks.begin(Graph::new(ctx.clone(), self.shared.clone()));
            // Entry points that are bundled apart, and what is scanned again, belong to one build.
            if !self.shared.has_begun.swap(true, Ordering::Relaxed) {
                self.shared.call("buildStart", json!({})).await?;
            }
        }
        for (name, entry) in &self.further {
            // Known before an import leads to it; what a plugin makes of it is known when it is resolved.
            if let Ok(real) = store::real_path(Path::new(&entry.specifier)) {
                self.note_entry(&real.to_string_lossy());
            }
            ctx.emit_chunk(EmittedChunk {
                name: Some(name.as_str().into()),
                id: entry.specifier.clone(),
                ..EmittedChunk::default()
            })?;
        }
        Ok(())
    }

    async fn resolve_id(&self, ctx: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
        let shared = &self.shared;
        if let Some(id) = split::required(args.specifier) {
            if let Some(importer) = args.importer.filter(|_| shared.options.metafile) {
                let calls = shared.requires.get(importer);
                let call = calls.and_then(|calls| calls.iter().find(|(_, target)| *target == id));
                let specifier = call.map(|(specifier, _)| specifier.clone()).unwrap_or_default();
                let record = Record { specifier, kind: "require-call", id: id.to_string() };
                shared.note(importer, |seen| seen.records.push(record));
            }
            let options = PluginContextResolveOptions {
                import_kind: ImportKind::Require,
                skip_self: true,
                ..PluginContextResolveOptions::default()
            };
            let found = ctx.resolve(id, args.importer, Some(options)).await?;
            return Ok(found.ok().map(HookResolveIdOutput::from_resolved_id));
        }
        if is_of_bundler(args.specifier) || args.specifier.starts_with("@oxc-project/") {
            return Ok(None);
        }
        // Only plugins know such modules.
        if args.specifier.starts_with('\0') {
            let is_asked = shared.options.has_rollup;
            return if is_asked { self.asked(args, args.specifier).await } else { Ok(None) };
        }
        // The place of the import among those of its module is that of the question, not of the answer.
        let is_noted = shared.options.metafile || split::is_wanted(&shared.options);
        let is_noted = is_noted && !args.custom.contains_key(&IsAsked);
        let place = args.importer.filter(|importer| is_noted && !is_of_bundler(importer)).map(|importer| {
            let specifier = args.specifier.split(LOADER_MARK).next().unwrap_or_default().to_string();
            shared.note(importer, |seen| {
                seen.records.push(Record { specifier, kind: kind_name(args), id: String::new() });
                (importer, seen.records.len() - 1)
            })
        });
        let _resolving = shared.progress.resolve();
        let mut found = self.find(ctx, args).await?;
        if args.is_entry && !self.shared.again.is_again() {
            match &found {
                Some(found) => self.note_entry(found.id.as_str()),
                None => {
                    let options = PluginContextResolveOptions { is_entry: true, skip_self: true, ..Default::default() };
                    if let Ok(resolved) = ctx.resolve(args.specifier, None, Some(options)).await? {
                        self.note_entry(&resolved.id);
                    }
                }
            }
        }
        if let Some((importer, index)) = place {
            if found.is_none() {
                let options =
                    PluginContextResolveOptions { import_kind: args.kind, skip_self: true, ..Default::default() };
                let resolved = ctx.resolve(args.specifier, args.importer, Some(options)).await?;
                found = resolved.ok().map(HookResolveIdOutput::from_resolved_id);
            }
            if let Some(found) = found.as_ref().filter(|found| !stays(found)) {
                let id = found.id.to_string();
                shared.note(importer, |seen| seen.records[index].id = id);
            }
        }
        if let Some(found) = found.as_ref().filter(|found| stays(found)) {
            shared.progress.is_outside(found.id.as_str());
            if shared.options.has_rollup {
                shared.outside.lock().unwrap_or_else(PoisonError::into_inner).insert(found.id.to_string());
            }
        }
        Ok(found)
    }

    async fn load(&self, _ctx: SharedLoadPluginContext, args: &HookLoadArgs<'_>) -> HookLoadReturn {
        let shared = &self.shared;
        panics::leave();
        if is_of_bundler(args.id) {
            return Ok(None);
        }
        if args.id.starts_with("\0bao-empty:") {
            return Ok(Some(output("module.exports = {};".to_string(), ModuleType::Js)));
        }
        if let (SQLITE, specifier, _) = parts_of(args.id) {
            return Ok(Some(output(sqlite_module(specifier, shared.options.executable.is_some()), ModuleType::Js)));
        }
        if let (polyfills::NAMESPACE, id, _) = parts_of(args.id)
            && let Some(module) = polyfills::module(id)
        {
            return Ok(Some(output(module.code.to_string(), ModuleType::Js)));
        }
        shared.progress.begin(args.id);
        let made = if shared.options.has_rollup {
            shared.loads.take(self, args.id).await
        } else {
            panics::reading(shared, args.id, self.module(args.id)).await
        };
        match &made {
            Ok(_) => shared.progress.loaded(args.id),
            Err(_) => shared.progress.failed(args.id),
        }
        made.map(Some)
    }

    async fn transform(&self, _ctx: SharedTransformPluginContext, args: &HookTransformArgs<'_>) -> HookTransformReturn {
        if args.id != RUNTIME_MODULE_KEY || !self.shared.options.namespace_setters {
            return Ok(None);
        }
        let code = args.code.replace(PROPERTY, PROPERTY_WITH_SETTER);
        Ok(Some(HookTransformOutput { code: Some(code), map: HookTransformOutputMap::Null, ..Default::default() }))
    }

    async fn transform_ast(&self, _ctx: &PluginContext, args: HookTransformAstArgs<'_>) -> HookTransformAstReturn {
        if is_of_bundler(args.id) {
            return Ok(args.ast);
        }
        panics::enter(&self.shared, args.id);
        let survey = Survey::of(&args.ast, args.module_type, false);
        self.changed(args.ast, args.id, args.module_type, survey.as_ref())
    }

    async fn module_parsed(
        &self,
        _ctx: &PluginContext,
        info: Arc<ModuleInfo>,
        module: &NormalModule,
    ) -> HookNoopReturn {
        panics::leave();
        self.shared.note(info.id.as_str(), |seen| {
            seen.imports = info.imported_ids.iter().map(ToString::to_string).collect();
            seen.dynamic = info.dynamically_imported_ids.iter().map(ToString::to_string).collect();
            // CommonJS runs when it is required.
            seen.has_effects =
                module.side_effects.has_side_effects() && !matches!(info.input_format, ExportsKind::CommonJs);
            seen.format = match info.input_format {
                ExportsKind::Esm => Some("esm"),
                ExportsKind::CommonJs => Some("cjs"),
                ExportsKind::None => None,
            };
        });
        let imports = info.imported_ids.iter().chain(&info.dynamically_imported_ids).map(|id| id.as_str());
        self.shared.progress.parsed(info.id.as_str(), imports);
        if self.shared.calls("moduleParsed") && !is_of_bundler(info.id.as_str()) {
            self.shared.call("moduleParsed", json!({ "id": info.id.as_str() })).await?;
        }
        Ok(())
    }

    async fn render_start(&self, _ctx: &PluginContext, _args: &HookRenderStartArgs<'_>) -> HookNoopReturn {
        if !self.shared.is_draft.load(Ordering::Relaxed) {
            self.shared.call("renderStart", json!({})).await?;
        }
        Ok(())
    }

    async fn banner(&self, _ctx: &PluginContext, args: &HookAddonArgs) -> HookInjectionOutputReturn {
        self.text("banner", &args.chunk).await
    }

    async fn footer(&self, _ctx: &PluginContext, args: &HookAddonArgs) -> HookInjectionOutputReturn {
        self.text("footer", &args.chunk).await
    }

    async fn intro(&self, _ctx: &PluginContext, args: &HookAddonArgs) -> HookInjectionOutputReturn {
        self.text("intro", &args.chunk).await
    }

    async fn outro(&self, _ctx: &PluginContext, args: &HookAddonArgs) -> HookInjectionOutputReturn {
        self.text("outro", &args.chunk).await
    }

    async fn augment_chunk_hash(
        &self,
        _ctx: &PluginContext,
        chunk: Arc<RollupRenderedChunk>,
    ) -> HookAugmentChunkHashReturn {
        self.text("augmentChunkHash", &chunk).await
    }

    async fn resolve_file_url(
        &self,
        _ctx: &PluginContext,
        args: &HookResolveFileUrlArgs<'_>,
    ) -> HookResolveFileUrlReturn {
        let about = json!({
            "chunkId": args.chunk_id,
            "fileName": args.file_name,
            "format": import_meta::format_name(args.format),
            "moduleId": args.module_id,
            "referenceId": args.reference_id,
            "relativePath": args.relative_path,
            "attributes": {},
        });
        let answer = self.shared.call("resolveFileUrl", about).await?;
        Ok(answer.and_then(|answer| answer.as_str().map(String::from)))
    }

    async fn render_chunk(&self, ctx: &PluginContext, args: &HookRenderChunkArgs<'_>) -> HookRenderChunkReturn {
        let shared = &self.shared;
        if shared.is_draft.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if shared.merges_chunks() && entries::runs_another(ctx, &args.chunk, &args.chunks) {
            shared.runs_another.store(true, Ordering::Relaxed);
            anyhow::bail!("an entry point would run another one");
        }
        let mut changed: Option<(String, Option<SourceMap>)> = None;
        if !shared.requires.is_empty() {
            let chunk = &args.chunk;
            let others = chunk.dynamic_imports.iter().map(|name| name.as_str());
            match split::loading(&args.code, &chunk.filename, others, &shared.options.public_path) {
                Ok(code) => changed = code.map(|code| (code, None)),
                Err(()) => {
                    shared.is_unsplit.store(true, Ordering::Relaxed);
                    anyhow::bail!("a module that is required is no chunk");
                }
            }
        }
        if shared.calls("resolveImportMeta") {
            let code = changed.as_ref().map_or(args.code.as_str(), |(code, _)| code.as_str());
            let made = import_meta::resolve(code, shared, &args.chunk.filename, args.options.format).await?;
            changed = made.map(|code| (code, None)).or(changed);
        }
        if let Some(hooks) = shared.hooks.as_ref().filter(|_| shared.options.has_render_chunk) {
            let description = graph::rendered_chunk(&args.chunk, true);
            let code = changed.as_ref().map_or(args.code.as_str(), |(code, _)| code.as_str()).to_string();
            let answer = hooks.render_chunk(code, description.to_string()).await;
            let made = answer.map_err(|text| shared.failed(text, "file", ""))?;
            changed = made.map(|made| (made.code, map_of(&made.maps))).or(changed);
        }
        if shared.preloads() && matches!(args.options.format, OutputFormat::Esm) {
            let code = changed.as_ref().map_or(args.code.as_str(), |(code, _)| code.as_str());
            let (public_path, file) = (&shared.options.public_path, &args.chunk.filename);
            let chunks = args.chunks.iter();
            let graph =
                chunks.map(|(name, chunk)| (name.as_str(), chunk.imports.iter().map(|other| other.as_str()).collect()));
            if let Some(code) = preload::preload(code, file, &graph.collect(), public_path) {
                changed = Some((code, changed.take().and_then(|(_, map)| map)));
            }
        }
        if !shared.options.public_path.is_empty() && matches!(args.options.format, OutputFormat::Esm) {
            let (code, map) = changed.take().unwrap_or_else(|| (args.code.to_string(), None));
            let others = args.chunk.imports.iter().chain(&args.chunk.dynamic_imports).map(|name| name.as_str());
            changed = Some((public::import_from(code, &args.chunk.filename, others, &shared.options.public_path), map));
        }
        if matches!(args.options.format, OutputFormat::Cjs) {
            let is_default_only = self.is_default_only(&args.chunk);
            let code = changed.as_ref().map_or(args.code.as_str(), |(code, _)| code.as_str());
            if is_default_only || code.contains(TAGGED) {
                let code = code.replacen(TAGGED, MARKED, 1);
                let map = changed.take().and_then(|(_, map)| map);
                changed = Some((if is_default_only { default_as_property(code) } else { code }, map));
            }
        }
        let options = shared.options.minify;
        if options.whitespace || options.syntax || options.identifiers {
            let code = changed.as_ref().map_or(args.code.as_str(), |(code, _)| code.as_str());
            let minified = minify::minify(code, &self.plan(args));
            let map = match (changed.take().and_then(|(_, map)| map), minified.map) {
                (Some(first), Some(second)) => Some(rolldown_sourcemap::collapse_sourcemaps(&[&first, &second])),
                (first, second) => second.or(first),
            };
            changed = Some((minified.code, map));
        }
        Ok(changed.map(|(code, map)| HookRenderChunkOutput {
            code,
            map: map.map_or(HookTransformOutputMap::Null, |map| HookTransformOutputMap::Sourcemap(Box::new(map))),
        }))
    }
}

impl BaoPlugin {
    /// What is changed in the tree of a module of an id before it is linked. `survey` is of that tree.
    ///
    /// # Errors
    /// What is wrong in the module, which is among the failures of the build.
    pub(crate) fn changed(
        &self,
        mut ast: EcmaAst,
        id: &str,
        kind: &ModuleType,
        survey: Option<&Survey>,
    ) -> HookTransformAstReturn {
        let (namespace, path, _) = parts_of(id);
        if !matches!(kind, ModuleType::Js | ModuleType::Jsx | ModuleType::Ts | ModuleType::Tsx) {
            return Ok(ast);
        }
        if let Some(calls) = self.shared.requires.get(id) {
            split::mark(&mut ast, calls);
        }
        let place = if namespace == "file" { Path::new(path) } else { Path::new("") };
        if matches!(kind, ModuleType::Ts | ModuleType::Tsx) {
            if let Some(names) = self.shared.type_exports.get(id) {
                type_exports::leave_out(&mut ast, names);
            }
            rules::remove_ambient(&mut ast);
            ast.program.with_mut(|fields| transpile::qualify_namespaces(fields.allocator, fields.program));
            if transpile::mentions_decorators(ast.source())
                && let Some(decorators::Legacy { defines, strict }) = decorators::legacy(&self.shared, path)
            {
                let source = ast.source().clone();
                ast.program.with_mut(|fields| {
                    transpile::prepare_decorated(fields.allocator, fields.program, &source, defines, strict);
                });
            }
        }
        if matches!(kind, ModuleType::Jsx | ModuleType::Tsx) {
            let source = ast.source().clone();
            let warnings = rules::jsx_warnings(&ast).into_iter().map(|finding| {
                let (start, end) = (finding.span.start as usize, finding.span.end as usize);
                let position = Some(position_at(&source, namespace, path, start, end));
                Message { level: Level::Warning, position, notes: finding.notes, ..Message::error(finding.text) }
            });
            self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(warnings);
        }
        let mut findings = rules::apply(&mut ast, &self.shared.options, self.is_entry(id), survey);
        if matches!(kind, ModuleType::Jsx | ModuleType::Tsx) {
            let wrong = transpile::wrong_entities(ast.program());
            findings.extend(wrong.into_iter().map(|(span, text)| rules::Finding { text, span, notes: Vec::new() }));
        }
        if !findings.is_empty() {
            let source = ast.source().clone();
            self.shared.progress.failed(id);
            return Err(self.shared.found(findings, &source, namespace, path));
        }
        let mut is_hoisted = false;
        if matches!(kind, ModuleType::Js | ModuleType::Jsx) {
            is_hoisted = sloppy::hoist_functions(&mut ast, place, survey);
        }
        if survey.is_none_or(|survey| survey.has_indirect_calls) {
            ast.program.with_mut(|fields| transpile::keep_indirect_calls(fields.allocator, fields.program));
        }
        let mut ast = rewrite::rewrite(ast, place, &self.shared.options, LOADER_MARK, survey);
        if self.shared.calls("resolveImportMeta") {
            ast = import_meta::mark(ast, id, &self.shared);
        }
        // Functions of blocks have become variables of other places.
        function_names::assign(&mut ast, place, survey.filter(|_| !is_hoisted));
        disposal::lower(&mut ast, place);
        loop_variables::hoist(&mut ast);
        Ok(ast)
    }

    /// What plugins of Rollup answer in a hook about a chunk.
    ///
    /// # Errors
    /// What a plugin has thrown.
    async fn text(&self, hook: &'static str, chunk: &RollupRenderedChunk) -> anyhow::Result<Option<String>> {
        // The names of chunks depend on their hashes also in a draft.
        let answer = self.shared.call(hook, graph::rendered_chunk(chunk, true)).await?;
        Ok(answer.and_then(|answer| answer.as_str().map(String::from)))
    }

    /// Remembers the module of an entry point.
    pub(crate) fn note_entry(&self, id: &str) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string());
    }

    /// Whether a module is an entry point; nothing as long as none is known.
    fn is_entry(&self, id: &str) -> Option<bool> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        (!entries.is_empty()).then(|| entries.contains(id))
    }

    /// Remembers a style sheet that no module of JavaScript imports.
    pub(crate) fn note_sheet(&self, path: &str, bytes: usize) {
        self.shared.note(path, |seen| {
            seen.bytes = bytes;
            seen.loader = Some(Loader::Css);
        });
    }

    /// Whether a chunk is that of an entry point that is an ES module and has a default export only.
    fn is_default_only(&self, chunk: &RollupRenderedChunk) -> bool {
        let Some(id) = chunk.facade_module_id.as_ref().filter(|_| chunk.is_entry) else { return false };
        let is_default = matches!(chunk.exports.as_slice(), [name] if name.as_str() == "default");
        let seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        is_default && seen.get(id.as_str()).is_some_and(|seen| seen.format == Some("esm"))
    }

    /// How a chunk is minified.
    fn plan(&self, args: &HookRenderChunkArgs<'_>) -> Plan {
        let options = &self.shared.options;
        let (minify, output) = (options.minify, args.options);
        let keep_names = minify.keep_names;
        let compress = minify.syntax.then(|| {
            RawCompressOptions::default().into_compress_options(
                output.transform_options.target.clone(),
                keep_names,
                TreeShakeOptions::from(&output.treeshake),
            )
        });
        let mangle: Option<MangleOptions> =
            minify.identifiers.then(|| RawMangleOptions::default().into_mangle_options(keep_names, output.format));
        let legal = options.legal_comments != LegalComments::None;
        Plan {
            source_type: output.format.source_type().with_jsx(true),
            compress,
            mangle,
            codegen: CodegenOptions {
                minify: minify.whitespace,
                comments: CommentOptions {
                    normal: !minify.whitespace,
                    jsdoc: false,
                    annotation: options.emit_dce_annotations.unwrap_or(!minify.whitespace),
                    legal: if legal { LegalComment::Inline } else { LegalComment::None },
                },
                ..CodegenOptions::default()
            },
            sourcemap: output.sourcemap.is_some(),
            may_split: !keep_names && !matches!(output.format, OutputFormat::Iife),
        }
    }
}

/// How rolldown marks CommonJS of ES modules, and how Bun, esbuild and TypeScript do: a tag would make what is exported another thing
/// than an object with the same properties for who compares them.
const TAGGED: &str =
    "Object.defineProperties(exports, { __esModule: { value: true }, [Symbol.toStringTag]: { value: 'Module' } });";
const MARKED: &str = "Object.defineProperty(exports, '__esModule', { value: true });";

/// How rolldown's runtime defines a property of a namespace, and how it is if it can be assigned to without effect.
const PROPERTY: &str = "__defProp(target, name, { get: all[name], enumerable: true });";
const PROPERTY_WITH_SETTER: &str =
    "__defProp(target, name, { get: all[name], set: () => {}, enumerable: true, configurable: true });";

/// CommonJS whose only export, the default one, is a property, as it is for modules with further exports and in Bun: rolldown makes
/// the module's value of it, as Rollup does. The map stays true, as the lines before the last statement stay.
fn default_as_property(mut code: String) -> String {
    const BEFORE: &str = "\nmodule.exports = ";
    let Some(at) = code.rfind(BEFORE) else { return code };
    let value = code[at + BEFORE.len()..].trim_end();
    let Some(name) = value.strip_suffix(';').filter(|name| !name.contains([';', '\n'])).map(str::to_string) else {
        return code;
    };
    code.truncate(at + 1);
    code.push_str(&format!(
        "Object.defineProperties(exports, {{ __esModule: {{ value: true }}, default: {{ enumerable: true, get: () => {name} }} }});\n"
    ));
    code
}

/// Whether what a specifier leads to stays an import.
fn stays(found: &HookResolveIdOutput) -> bool {
    !matches!(found.external, None | Some(ResolvedExternal::Bool(false)))
}
