//! Bun's options as rolldown's.

use std::path::Path;
use std::sync::Arc;

use rolldown_common::{
    AddonOutputOption, BundlerOptions, BundlerTransformOptions, ChunkFilenamesOutputOption, CodeSplittingMode,
    CommentsOptions, Either, ExperimentalOptions, HashCharacters, InnerOptions, InputItem, JsxOptions, OutputFormat,
    Platform, RawCompressOptions, RawMangleOptions, RawMinifyOptions, RawMinifyOptionsDetailed, ResolveOptions,
    SourceMapType, TreeshakeOptions, TsConfig,
};
use rolldown_utils::indexmap::FxIndexMap;

use tsconfig::{JsxSetting, TsConfig as TsConfigFile};

use crate::assets::{Parts, clean};
use crate::options::{BuildOptions, Format, LegalComments, Sourcemap, Target};

/// An entry point: what it is called by, and the parts of its name.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub specifier: String,
    pub parts: Parts,
    /// The name of the result, if no template makes it.
    pub name: Option<String>,
}

/// The conditions of `exports` and `imports`, as Bun has them by target.
fn conditions(options: &BuildOptions) -> Vec<String> {
    let mut names = options.conditions.clone();
    let own: &[&str] = match options.target {
        Target::Browser => &["browser", "module"],
        Target::Bun => &["bun", "node", "module"],
        Target::Node => &["node", "module"],
    };
    names.extend(own.iter().map(ToString::to_string));
    let production = options.define.get("process.env.NODE_ENV").is_some_and(|value| value == "\"production\"");
    names.push(if production { "production" } else { "development" }.to_string());
    names
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

/// Whether the tsconfig.json of the first entry point wants calls of `React.createElement`, which know no development mode.
fn is_classic(options: &BuildOptions, entries: &[Entry]) -> bool {
    if let Some(runtime) = &options.jsx.runtime {
        return runtime == "classic";
    }
    let found = match &options.tsconfig {
        Some(file) => TsConfigFile::load_file(file).ok(),
        None => entries
            .first()
            .and_then(|entry| Path::new(&entry.specifier).parent())
            .filter(|folder| folder.is_absolute())
            .and_then(|folder| TsConfigFile::load(folder).ok().flatten()),
    };
    found.is_some_and(|config| matches!(config.jsx, Some(JsxSetting::React | JsxSetting::ReactJsx)))
}

/// What rolldown is told for a bundle of some entry points.
pub(crate) fn of(options: &BuildOptions, entries: &[Entry], out: &Path) -> BundlerOptions {
    let mut define: FxIndexMap<String, String> = FxIndexMap::default();
    for (name, value) in &options.env {
        define.insert(format!("process.env.{name}"), serde_json::Value::String(value.clone()).to_string());
    }
    define.extend(options.define.iter().map(|(name, value)| (name.clone(), value.clone())));

    let named: Vec<(String, Entry)> =
        entries.iter().enumerate().map(|(at, entry)| (format!("entry{at}"), entry.clone())).collect();
    let pattern = template(&options.naming.entry);
    let entry_names = move |chunk: &rolldown_common::RollupPreRenderedChunk| {
        let entry = named.iter().find(|(name, _)| **name == *chunk.name).map(|(_, entry)| entry);
        let parts = entry.map(|entry| entry.parts.clone()).unwrap_or_default();
        let name = match entry.and_then(|entry| entry.name.clone()) {
            Some(name) => name,
            None => clean(
                &pattern.replace("[dir]", &parts.dir).replace("[name]", &parts.name).replace("[ext]", "js"),
            ),
        };
        Box::pin(async move { Ok(name) }) as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>
    };
    let chunk_pattern = clean(&template(&options.naming.chunk).replace("[dir]", "").replace("[ext]", "js"));

    let minify = options.minify;
    let minify = if minify.whitespace || minify.syntax || minify.identifiers {
        RawMinifyOptions::Object(RawMinifyOptionsDetailed {
            mangle: minify.identifiers.then(RawMangleOptions::default),
            compress: minify.syntax.then(RawCompressOptions::default),
            remove_whitespace: minify.whitespace,
        })
    } else if options.tree_shaking {
        RawMinifyOptions::DeadCodeEliminationOnly
    } else {
        RawMinifyOptions::Bool(false)
    };
    let jsx = &options.jsx;
    let transform = BundlerTransformOptions {
        jsx: Some(if jsx.runtime.as_deref() == Some("preserve") {
            Either::Left("preserve".into())
        } else {
            Either::Right(JsxOptions {
                runtime: jsx.runtime.clone(),
                development: Some(jsx.development.unwrap_or(!is_classic(options, entries))),
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
    let mut banner = options.banner.clone();
    if options.target == Target::Bun {
        banner = if banner.is_empty() { "// @bun".into() } else { format!("// @bun\n{banner}") };
    }
    let text = |text: String| (!text.is_empty()).then_some(AddonOutputOption::String(Some(text)));
    BundlerOptions {
        input: Some(
            entries
                .iter()
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
        entry_filenames: Some(ChunkFilenamesOutputOption::Fn(Arc::new(entry_names))),
        chunk_filenames: Some(ChunkFilenamesOutputOption::String(chunk_pattern)),
        hash_characters: Some(HashCharacters::Base36),
        sourcemap: match options.sourcemap {
            Sourcemap::None => None,
            Sourcemap::Linked => Some(SourceMapType::File),
            Sourcemap::Inline => Some(SourceMapType::Inline),
            Sourcemap::External => Some(SourceMapType::Hidden),
        },
        sourcemap_debug_ids: Some(true),
        resolve: Some(ResolveOptions {
            condition_names: Some(conditions(options)),
            extensions: Some(
                [".tsx", ".jsx", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", ".css"]
                    .map(String::from)
                    .to_vec(),
            ),
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
            extension_alias: Some(vec![
                (".js".into(), vec![".js".into(), ".ts".into(), ".tsx".into(), ".jsx".into()]),
                (".jsx".into(), vec![".jsx".into(), ".tsx".into()]),
                (".mjs".into(), vec![".mjs".into(), ".mts".into()]),
                (".cjs".into(), vec![".cjs".into(), ".cts".into()]),
            ]),
            ..ResolveOptions::default()
        }),
        treeshake: if options.tree_shaking {
            TreeshakeOptions::Option(InnerOptions {
                annotations: Some(!options.ignore_dce_annotations),
                ..InnerOptions::default()
            })
        } else {
            TreeshakeOptions::Boolean(false)
        },
        minify: Some(minify),
        define: Some(define),
        // Modules that an index file only passes on, and that nobody imports, are not even read.
        experimental: Some(ExperimentalOptions { lazy_barrel: Some(true), ..ExperimentalOptions::default() }),
        keep_names: Some(options.minify.keep_names),
        code_splitting: Some(CodeSplittingMode::Bool(options.splitting)),
        transform: Some(transform),
        comments: (options.legal_comments == LegalComments::None).then_some(CommentsOptions {
            legal: false,
            annotation: true,
            jsdoc: false,
        }),
        banner: text(banner),
        footer: text(options.footer.clone()),
        tsconfig: Some(options.tsconfig.clone().map_or(TsConfig::Auto(true), TsConfig::Manual)),
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
