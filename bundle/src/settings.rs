//! Bun's options as rolldown's.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use oxc::allocator::Allocator;
use oxc::parser::Parser;
use oxc::span::SourceType;
use oxc::syntax::module_record::ExportExportName;
use rolldown_common::{
    AddonOutputOption, BundlerOptions, BundlerTransformOptions, ChunkFilenamesOutputOption, CodeSplittingMode,
    CommentsOptions, Either, EsModuleFlag, ExperimentalOptions, GlobalsOutputOption, HashCharacters, InjectImport,
    InlineConstOption, InnerOptions, InputItem, JsxOptions, ManualCodeSplittingOptions, MatchGroup, MatchGroupName,
    MatchGroupTest, OptimizationOption, OutputExports, OutputFormat, Platform, RawMinifyOptions, ResolveOptions,
    SourceMapType, TreeshakeOptions, TsConfig,
};
use rolldown_utils::indexmap::FxIndexMap;

use tsconfig::{JsxSetting, TsConfig as TsConfigFile};

use crate::archived;
use crate::assets::{Parts, clean};
use crate::options::{BuildOptions, Format, Jsx, LegalComments, Sourcemap, Target};
use crate::shared::parts_of;

/// An entry point: what it is called by, and the parts of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub specifier: String,
    pub parts: Parts,
    /// Whether it is a page, whose script is named as chunks are.
    pub is_page: bool,
    /// The name of the result, if no template makes it.
    pub name: Option<String>,
}

/// The conditions of `exports` and `imports`, as Bun has them by target.
pub(crate) fn conditions(options: &BuildOptions) -> Vec<String> {
    let mut names = options.conditions.clone();
    let own: &[&str] = match options.target {
        Target::Browser => &["browser", "module"],
        // Not "module": `require` of a package would take its ES module, and others its CommonJS module.
        Target::Bun => &["bun", "node"],
        Target::Node => &["node"],
    };
    names.extend(own.iter().map(ToString::to_string));
    let production = options.define.get("process.env.NODE_ENV").is_some_and(|value| value == "\"production\"");
    names.push(if production { "production" } else { "development" }.to_string());
    names
}

/// Endings that a specifier may leave out, the first that is there wins.
pub(crate) fn extensions() -> Vec<String> {
    [".tsx", ".jsx", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", ".css"].map(String::from).to_vec()
}

/// Endings of TypeScript that those of JavaScript may stand for.
pub(crate) fn extension_alias() -> Vec<(String, Vec<String>)> {
    vec![
        (".js".into(), vec![".js".into(), ".ts".into(), ".tsx".into(), ".jsx".into()]),
        (".jsx".into(), vec![".jsx".into(), ".ts".into(), ".tsx".into()]),
        (".mjs".into(), vec![".mjs".into(), ".mts".into()]),
        (".cjs".into(), vec![".cjs".into(), ".cts".into()]),
    ]
}

/// The place of an entry point among all, by the name that rolldown knows it by.
pub(crate) fn place_of(name: &str) -> Option<usize> {
    name.strip_prefix("entry").and_then(|place| place.parse().ok())
}

/// The template of a kind of chunk in rolldown's words: `[hash]` has a length there.
fn template(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[hash") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = from.find(']') else { break };
        let digits: usize = from[5..end].parse().unwrap_or(8);
        out.push_str(&format!("[hash:{digits}]"));
        rest = &from[end + 1..];
    }
    out.push_str(rest);
    out
}

/// The tsconfig.json of the first entry point.
fn tsconfig_of(options: &BuildOptions, entries: &[Entry]) -> Option<TsConfigFile> {
    match &options.tsconfig {
        Some(file) => TsConfigFile::load_file(file).ok(),
        None => entries
            .first()
            .and_then(|entry| Path::new(&entry.specifier).parent())
            .filter(|folder| folder.is_absolute())
            .and_then(|folder| TsConfigFile::load(folder).ok().flatten()),
    }
}

/// What becomes of JSX in programs that begin with JavaScript, whose tsconfig.json or jsconfig.json rolldown does not ask about them.
fn jsx_of_javascript(options: &BuildOptions, entries: &[Entry], config: Option<&TsConfigFile>) -> Jsx {
    let mut jsx = options.jsx.clone();
    let is_javascript = entries.first().is_some_and(|entry| {
        matches!(Path::new(&entry.specifier).extension().and_then(OsStr::to_str), Some("js" | "jsx" | "mjs" | "cjs"))
    });
    let Some(config) = config.filter(|_| is_javascript) else { return jsx };
    if jsx.runtime.is_none() && config.jsx == Some(JsxSetting::React) {
        (jsx.runtime, jsx.development) = (Some("classic".to_string()), Some(false));
    }
    if jsx.runtime.as_deref() == Some("classic") {
        jsx.factory = jsx.factory.or_else(|| config.jsx_factory.clone());
        jsx.fragment = jsx.fragment.or_else(|| config.jsx_fragment_factory.clone());
    } else {
        jsx.import_source = jsx.import_source.or_else(|| config.jsx_import_source.clone());
    }
    jsx
}

/// How JSX becomes calls: the runtime, if the options decide it, and whether it is that for development.
fn jsx_mode(jsx: &Jsx, setting: Option<JsxSetting>) -> (Option<String>, bool) {
    if let Some(runtime) = &jsx.runtime {
        return (Some(runtime.clone()), jsx.development.unwrap_or(runtime != "classic"));
    }
    let Some(development) = jsx.development else {
        return (None, !matches!(setting, Some(JsxSetting::React | JsxSetting::ReactJsx)));
    };
    // rolldown takes a "react-jsxdev" for the last word unless the runtime is given.
    let runtime = (!development && setting == Some(JsxSetting::ReactJsxDev)).then(|| "automatic".to_string());
    // Calls of `React.createElement` know no development mode.
    (runtime, development && setting != Some(JsxSetting::React))
}

/// Names what makes elements, as it is called anyway, unless tsconfig.json does: oxc takes its calls for free of effects as long as nobody
/// names it, whatever it is told.
fn keep_calls(jsx: &mut Jsx, runtime: Option<&str>, config: Option<&TsConfigFile>) {
    let setting = config.and_then(|config| config.jsx);
    let is_named = |named: fn(&TsConfigFile) -> bool| config.is_some_and(named);
    if runtime == Some("classic") || runtime.is_none() && setting == Some(JsxSetting::React) {
        if !is_named(|config| config.jsx_factory.is_some()) {
            jsx.factory.get_or_insert_with(|| "React.createElement".to_string());
        }
    } else if runtime != Some("preserve") && !is_named(|config| config.jsx_import_source.is_some()) {
        jsx.import_source.get_or_insert_with(|| "react".to_string());
    }
}

/// How specifiers are resolved.
pub(crate) fn resolution(options: &BuildOptions) -> ResolveOptions {
    ResolveOptions {
        condition_names: Some(conditions(options)),
        modules: (!options.node_paths.is_empty()).then(|| {
            let folders = options.node_paths.iter().map(|folder| folder.to_string_lossy().into_owned());
            std::iter::once("node_modules".to_string()).chain(folders).collect()
        }),
        extensions: Some(extensions()),
        main_fields: Some(
            match options.target {
                Target::Browser => vec!["browser", "module", "main"],
                Target::Bun => vec!["module", "main"],
                Target::Node => vec!["main", "module"],
            }
            .into_iter()
            .map(String::from)
            .collect(),
        ),
        extension_alias: Some(extension_alias()),
        ..ResolveOptions::default()
    }
}

/// Into which chunks modules go.
fn splitting(options: &BuildOptions) -> CodeSplittingMode {
    if !options.splitting || options.manual_chunks.is_empty() {
        return CodeSplittingMode::Bool(options.splitting);
    }
    let groups = options.manual_chunks.iter().map(|chunk| {
        let parts = chunk.contains.clone();
        let test = move |id: &str| {
            let (_, path, _) = parts_of(id);
            let is_in = parts.iter().any(|part| path.contains(part.as_str()));
            Box::pin(async move { Ok(Some(is_in)) })
                as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<Option<bool>>> + Send>>
        };
        MatchGroup {
            name: MatchGroupName::Static(chunk.name.clone()),
            test: Some(MatchGroupTest::Function(Arc::new(test))),
            ..MatchGroup::default()
        }
    });
    CodeSplittingMode::Advanced(ManualCodeSplittingOptions {
        groups: Some(groups.collect()),
        ..ManualCodeSplittingOptions::default()
    })
}

/// The names that a module exports, but for its default export and what it passes on as a whole.
fn named_exports(text: &str, source_type: SourceType) -> Vec<String> {
    let names = export_names(text, source_type);
    names.into_iter().filter(|name| name != "default").collect()
}

/// The names that a module exports, but for what it passes on as a whole.
pub(crate) fn export_names(text: &str, source_type: SourceType) -> Vec<String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, source_type).parse();
    let entries = &parsed.module_record;
    let all = entries.local_export_entries.iter().chain(&entries.indirect_export_entries);
    let name_of = |name: &ExportExportName<'_>| match name {
        ExportExportName::Name(name) => Some(name.name.to_string()),
        ExportExportName::Default(_) => Some("default".to_string()),
        ExportExportName::Null => None,
    };
    all.filter_map(|entry| name_of(&entry.export_name)).collect()
}

/// The names that modules of the option `inject` export.
///
/// # Errors
/// A module that cannot be read, or exports nothing.
pub(crate) fn injected(options: &BuildOptions) -> Result<Vec<InjectImport>, String> {
    let mut imports = Vec::new();
    for path in &options.inject {
        let text = match options.files.get(path) {
            Some(text) => text.clone(),
            None => archived::read_to_string(path)
                .map_err(|error| format!("inject: cannot read \"{}\": {error}", path.display()))?,
        };
        let names = named_exports(&text, SourceType::from_path(path).unwrap_or_default().with_module(true));
        if names.is_empty() {
            return Err(format!("inject: \"{}\" exports no names", path.display()));
        }
        let from = path.to_string_lossy();
        imports.extend(names.into_iter().map(|name| InjectImport::named(name.clone(), Some(name), from.to_string())));
    }
    Ok(imports)
}

/// Whether an entry point has the syntax of ES modules.
fn is_module(options: &BuildOptions, entry: &Entry) -> bool {
    let path = Path::new(&entry.specifier);
    let Some(text) = options.files.get(path).cloned().or_else(|| archived::read_to_string(path).ok()) else {
        return false;
    };
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(path).unwrap_or_default().with_module(true);
    Parser::new(&allocator, &text, source_type).parse().module_record.has_module_syntax
}

/// Whether results are Bun's form of CommonJS: the expression of a function, which Bun and bao call.
pub(crate) fn has_wrapper(options: &BuildOptions) -> bool {
    options.target == Target::Bun && options.format == Format::Cjs && options.executable.is_none()
}

/// What results begin with: the line of an interpreter, Bun's comment, the banner.
pub(crate) fn banner_of(options: &BuildOptions) -> String {
    if options.target != Target::Bun {
        return options.banner.clone();
    }
    let (interpreter, banner) = match options.banner.strip_prefix("#!") {
        Some(rest) => {
            let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
            (format!("#!{line}\n"), rest)
        }
        None => (String::new(), options.banner.as_str()),
    };
    let bytecode = if options.bytecode { " @bytecode" } else { "" };
    if has_wrapper(options) {
        format!(
            "{interpreter}// @bun{bytecode} @bun-cjs\n(function(exports, require, module, __filename, __dirname) {{{banner}"
        )
    } else if banner.is_empty() {
        format!("{interpreter}// @bun{bytecode}")
    } else {
        format!("{interpreter}// @bun{bytecode}\n{banner}")
    }
}

/// The name of an entry point's result by a template.
fn name_by(pattern: &str, entry: &Entry) -> String {
    let dir = if entry.is_page { "" } else { entry.parts.dir.as_str() };
    let made = || pattern.replace("[dir]", dir).replace("[name]", &entry.parts.name).replace("[ext]", "js");
    entry.name.clone().unwrap_or_else(|| clean(&made()))
}

/// The name of an entry point's result, but for its hash.
pub(crate) fn name_of_entry(options: &BuildOptions, entry: &Entry) -> String {
    name_by(&template(&options.naming.entry), entry)
}

/// What rolldown is told for a bundle of some entry points; if they are bundled apart, of the first of them.
pub(crate) fn of(
    options: &BuildOptions,
    entries: &[Entry],
    injected: Vec<InjectImport>,
    tsconfig: TsConfig,
    root: &Path,
    out: &Path,
) -> BundlerOptions {
    let is_apart = !options.splitting && entries.len() > 1;
    let mut define: FxIndexMap<String, String> = FxIndexMap::default();
    for (name, value) in &options.env {
        define.insert(format!("process.env.{name}"), serde_json::Value::String(value.clone()).to_string());
    }
    // Every module has these names itself, as in Bun, where properties of `require` can be replaced.
    let is_of_module = |name: &str| name == "require" || matches!(name.split('.').next(), Some("module" | "exports"));
    let wanted = options.define.iter().filter(|(name, _)| !is_of_module(name));
    define.extend(wanted.map(|(name, value)| (name.clone(), value.clone())));

    let pattern = template(&options.naming.entry);
    let page_pattern = template(&options.naming.chunk);
    let name_of_entry = move |entry: &Entry| name_by(if entry.is_page { &page_pattern } else { &pattern }, entry);
    let name_of_entry = Arc::new(name_of_entry);
    let (of_entry, known) = (name_of_entry.clone(), entries.to_vec());
    let chunk_pattern = template(&options.naming.chunk).replace("[ext]", "js");
    let chunk_root = root.to_path_buf();
    let manual: Vec<String> = options.manual_chunks.iter().map(|chunk| chunk.name.clone()).collect();
    let all = entries.to_vec();
    let chunk_names = move |chunk: &rolldown_common::RollupPreRenderedChunk| {
        let entry = place_of(&chunk.name).and_then(|place| all.get(place));
        // What one scan finds beside the first entry point comes as a chunk.
        if is_apart && let Some(entry) = entry {
            let name = name_of_entry(entry);
            return Box::pin(async move { Ok(name) })
                as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>;
        }
        let name = entry.map_or(&*chunk.name, |entry| entry.parts.name.as_str());
        // A name that the program or a plugin has chosen is not lost.
        let is_chosen = manual.iter().any(|manual| manual == name) || entry.is_none() && chunk.is_entry;
        let pattern =
            if is_chosen && !chunk_pattern.contains("[name]") { "[name]-[hash:8].js" } else { chunk_pattern.as_str() };
        let module = chunk.facade_module_id.as_ref().map(|id| parts_of(id.as_str())).filter(|parts| parts.0 == "file");
        let dir = module.map(|(_, path, _)| Parts::of_file(&chunk_root, Path::new(path)).dir).unwrap_or_default();
        let name = clean(&pattern.replace("[dir]", &dir).replace("[name]", name));
        Box::pin(async move { Ok(name) }) as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>
    };
    let chunk_names = Arc::new(chunk_names);
    let of_chunk = chunk_names.clone();
    let entry_names = move |chunk: &rolldown_common::RollupPreRenderedChunk| {
        let place = place_of(&chunk.name);
        match place.and_then(|place| known.get(place)).map(|entry| of_entry(entry)) {
            Some(name) => Box::pin(async move { Ok(name) })
                as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>,
            // A plugin has added it, see graph.rs.
            None => of_chunk(chunk),
        }
    };

    let is_minified = options.minify.whitespace || options.minify.syntax || options.minify.identifiers;
    let config = tsconfig_of(options, entries);
    let mut jsx = jsx_of_javascript(options, entries, config.as_ref());
    let setting = config.as_ref().and_then(|config| config.jsx);
    let (jsx_runtime, jsx_development) = jsx_mode(&jsx, setting);
    if jsx.side_effects {
        keep_calls(&mut jsx, jsx_runtime.as_deref(), config.as_ref());
    }
    let transform = BundlerTransformOptions {
        jsx: Some(if jsx.runtime.as_deref() == Some("preserve") {
            Either::Left("preserve".into())
        } else {
            Either::Right(JsxOptions {
                runtime: jsx_runtime,
                development: Some(jsx_development),
                import_source: jsx.import_source.clone(),
                pragma: jsx.factory.clone(),
                pragma_frag: jsx.fragment.clone(),
                pure: Some(!jsx.side_effects),
                refresh: jsx.refresh.then_some(Either::Left(true)),
                ..JsxOptions::default()
            })
        }),
        target: (!options.syntax_target.is_empty()).then(|| Either::Right(options.syntax_target.clone())),
        ..BundlerTransformOptions::default()
    };
    let banner = banner_of(options);
    let text = |text: String| (!text.is_empty()).then_some(AddonOutputOption::String(Some(text)));
    BundlerOptions {
        input: Some(
            entries
                .iter()
                .take(if is_apart { 1 } else { entries.len() })
                .enumerate()
                .map(|(at, entry)| InputItem { name: Some(format!("entry{at}")), import: entry.specifier.clone() })
                .collect(),
        ),
        cwd: Some(options.cwd.clone()),
        platform: Some(match options.target {
            Target::Browser => Platform::Browser,
            Target::Bun | Target::Node => Platform::Node,
        }),
        dir: Some(out.to_string_lossy().into_owned()),
        format: Some(match options.format {
            Format::Esm => OutputFormat::Esm,
            Format::Cjs => OutputFormat::Cjs,
            Format::Iife => OutputFormat::Iife,
        }),
        name: options.global_name.clone(),
        // The name means the namespace of a module's exports, as in esbuild, also if the only one is the default.
        exports: (options.global_name.is_some() && entries.first().is_some_and(|entry| is_module(options, entry)))
            .then_some(OutputExports::Named),
        // What stays an import is required, as in Bun and esbuild, instead of looked for among the global names.
        globals: matches!(options.format, Format::Iife).then(|| {
            let required = |id: &str| {
                let call = format!("require({})", serde_json::Value::from(id));
                Box::pin(async move { Ok(call) })
                    as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>
            };
            GlobalsOutputOption::Fn(Arc::new(required))
        }),
        // As in Bun and esbuild, also for modules without a default export.
        es_module: matches!(options.format, Format::Cjs).then_some(EsModuleFlag::Always),
        entry_filenames: Some(ChunkFilenamesOutputOption::Fn(Arc::new(entry_names))),
        chunk_filenames: Some(ChunkFilenamesOutputOption::Fn(chunk_names)),
        minify_internal_exports: is_minified.then_some(true),
        hash_characters: Some(HashCharacters::Base36),
        // The comments that name them are written by job.rs.
        sourcemap: (options.sourcemap != Sourcemap::None).then_some(SourceMapType::Hidden),
        resolve: Some(resolution(options)),
        treeshake: if options.tree_shaking {
            TreeshakeOptions::Option(InnerOptions {
                annotations: Some(!options.ignore_dce_annotations),
                ..InnerOptions::default()
            })
        } else {
            TreeshakeOptions::Boolean(false)
        },
        // Chunks are minified by the plugin, see minify.rs. Dead code goes module by module, before they are linked.
        minify: Some(RawMinifyOptions::Bool(false)),
        // As in Bun, what is not minified is printed as it was written.
        optimization: (!options.minify.syntax).then(|| OptimizationOption {
            inline_const: Some(InlineConstOption::Bool(false)),
            ..OptimizationOption::default()
        }),
        define: Some(define),
        // Modules that an index file only passes on, and that nobody imports, are not even read.
        experimental: Some(ExperimentalOptions {
            lazy_barrel: Some(true),
            // Entry points that are bundled apart come from one scan, and so do a draft and what is made of it, see job.rs.
            incremental_build: (is_apart || options.changed.is_some() || options.folds()).then_some(true),
            ..ExperimentalOptions::default()
        }),
        keep_names: Some(options.minify.keep_names),
        code_splitting: Some(splitting(options)),
        inject: (!injected.is_empty()).then_some(injected),
        transform: Some(transform),
        comments: Some(CommentsOptions {
            legal: options.legal_comments != LegalComments::None,
            annotation: options.emit_dce_annotations.unwrap_or(true),
            // As in Bun and esbuild, only licences stay.
            jsdoc: false,
        }),
        // Behind the minifier, which would take comments away.
        post_banner: text(banner),
        post_footer: text(options.footer.clone()),
        tsconfig: Some(tsconfig),
        ..BundlerOptions::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn hashes_have_a_length() {
        assert_eq!(super::template("[name]-[hash].[ext]"), "[name]-[hash:8].[ext]");
        assert_eq!(super::template("[hash12]/[name]"), "[hash:12]/[name]");
    }
}
