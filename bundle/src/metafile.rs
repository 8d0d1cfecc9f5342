//! The metafile, in esbuild's form (https://esbuild.github.io/api/#metafile).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;

use rolldown_common::OutputChunk;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::assets::relative;
use crate::job::{Artifact, ArtifactKind};
use crate::options::Loader;
use crate::preload;
use crate::shared::{Record, Shared, parts_of};

/// What the metafile says of one result, beside its bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Details {
    /// Modules with the bytes that they have in the result.
    inputs: Vec<(String, usize)>,
    /// Results that it imports, at once and later.
    imports: Vec<String>,
    dynamic_imports: Vec<String>,
    exports: Vec<String>,
    /// The sheet of the entry point, if another one's stands for it.
    sheet: Option<String>,
}

impl Details {
    pub(crate) fn of_source(source: &str) -> Details {
        Details { inputs: vec![(source.to_string(), 0)], ..Details::default() }
    }

    /// Notes that the sheet of an entry point is the one of this name.
    pub(crate) fn takes_sheet(&mut self, name: &str) {
        self.sheet = Some(name.to_string());
    }

    pub(crate) fn of_chunk(chunk: &OutputChunk) -> Details {
        let modules = chunk.modules.keys.iter().zip(&chunk.modules.values);
        Details {
            inputs: modules.map(|(id, module)| (id.as_str().to_string(), module.rendered_length())).collect(),
            imports: chunk.imports.iter().map(ToString::to_string).collect(),
            dynamic_imports: chunk.dynamic_imports.iter().map(ToString::to_string).collect(),
            exports: chunk.exports.iter().map(ToString::to_string).collect(),
            sheet: None,
        }
    }
}

/// The names of the results that are loaded before the result `name` runs.
pub(crate) fn loaded_with(artifacts: &[Artifact], name: &str) -> Vec<String> {
    let scripts =
        artifacts.iter().filter(|artifact| matches!(artifact.kind, ArtifactKind::EntryPoint | ArtifactKind::Chunk));
    let graph = scripts
        .map(|artifact| {
            (artifact.path.as_str(), artifact.details.imports.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect();
    preload::loaded_with(&graph, name).into_iter().map(ToString::to_string).collect()
}

/// How a module is called: relative to the working directory, a namespace before its path.
fn shown(cwd: &Path, id: &str) -> String {
    match parts_of(id) {
        ("file", path, _) => relative(cwd, Path::new(path)),
        (namespace, path, _) => format!("{namespace}:{path}"),
    }
}

/// The metafile as JSON.
pub(crate) fn write(shared: &Shared, artifacts: &[Artifact]) -> String {
    let cwd = &shared.options.cwd;
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let known = |id: &str| seen.get(id).filter(|module| module.loader.is_some());
    // Modules that results of their own begin with.
    let chunks: FxHashMap<&str, &Artifact> = artifacts
        .iter()
        .filter(|artifact| artifact.kind == ArtifactKind::Chunk)
        .filter_map(|artifact| Some((artifact.source.as_deref()?, artifact)))
        .collect();
    let mut inputs: BTreeMap<String, Value> = BTreeMap::new();
    for (id, module) in seen.iter().filter(|(_, module)| module.loader.is_some()) {
        let import = |record: &Record| {
            let Some(imported) = known(&record.id) else {
                return json!({ "path": record.specifier, "kind": record.kind, "external": true });
            };
            let is_later = record.kind == "dynamic-import"
                || record.kind == "require-call"
                    && shared.requires.values().flat_map(|of| of.values()).any(|id| *id == record.id);
            let chunk = chunks.get(record.id.as_str()).filter(|_| is_later);
            let path = chunk.map_or_else(|| shown(cwd, &record.id), |chunk| format!("./{}", chunk.path));
            let mut import = json!({ "path": path, "kind": record.kind, "original": record.specifier });
            if chunk.is_some() {
                import["entryPoint"] = shown(cwd, &record.id).into();
                import["external"] = true.into();
            }
            if let Some(loader) = imported.loader.filter(|loader| !is_code(*loader)) {
                import["with"] = json!({ "type": loader.name() });
            }
            import
        };
        let imports: Vec<Value> = module.records.iter().map(import).collect();
        let mut input = json!({ "bytes": module.bytes, "imports": imports });
        let format = if module.loader == Some(Loader::Css) { Some("css") } else { module.format };
        if let Some(format) = format.filter(|_| module.loader.is_some_and(is_code)) {
            input["format"] = format.into();
        }
        inputs.insert(shown(cwd, id), input);
    }
    let mut outputs: BTreeMap<String, Value> = BTreeMap::new();
    for artifact in artifacts {
        let details = &artifact.details;
        let of_input = |(id, bytes): &(String, usize)| {
            let bytes = if *bytes == 0 && artifact.kind != ArtifactKind::Chunk { artifact.bytes.len() } else { *bytes };
            (shown(cwd, id), json!({ "bytesInOutput": bytes }))
        };
        let known = details.inputs.iter().filter(|(id, _)| !id.starts_with("\0rolldown"));
        let parts: serde_json::Map<String, Value> = known.map(of_input).collect();
        let import = |path: &String, kind: &str| {
            if artifacts.iter().any(|other| other.path == *path) {
                json!({ "path": format!("./{path}"), "kind": kind })
            } else {
                json!({ "path": path, "kind": kind, "external": true })
            }
        };
        let now = details.imports.iter().map(|path| import(path, "import-statement"));
        let imports: Vec<Value> =
            now.chain(details.dynamic_imports.iter().map(|path| import(path, "dynamic-import"))).collect();
        let mut entry =
            json!({ "bytes": artifact.bytes.len(), "inputs": parts, "imports": imports, "exports": details.exports });
        if let Some(source) = &artifact.source {
            if artifact.is_entry {
                entry["entryPoint"] = shown(cwd, source).into();
            }
            let is_sheet = |other: &&Artifact| other.loader == Loader::Css && other.source.as_ref() == Some(source);
            if artifact.loader != Loader::Css
                && let Some(sheet) =
                    details.sheet.as_ref().or_else(|| artifacts.iter().find(is_sheet).map(|sheet| &sheet.path))
            {
                entry["cssBundle"] = format!("./{sheet}").into();
            }
        }
        outputs.insert(format!("./{}", artifact.path), entry);
    }
    json!({ "inputs": inputs, "outputs": outputs }).to_string()
}

/// Whether modules of a loader are code, so that an import of theirs needs no attribute.
fn is_code(loader: Loader) -> bool {
    matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx | Loader::Css)
}
