//! The metafile, in esbuild's form (https://esbuild.github.io/api/#metafile).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;

use rolldown_common::OutputChunk;
use serde_json::{Value, json};

use crate::assets::relative;
use crate::job::{Artifact, ArtifactKind};
use crate::plugin::{Shared, parts_of};

/// What the metafile says of one result, beside its bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Details {
    /// Modules with the bytes that they have in the result.
    inputs: Vec<(String, usize)>,
    /// Results that it imports, at once and later.
    imports: Vec<String>,
    dynamic_imports: Vec<String>,
    exports: Vec<String>,
}

impl Details {
    pub(crate) fn of_source(source: &str) -> Details {
        Details { inputs: vec![(source.to_string(), 0)], ..Details::default() }
    }

    pub(crate) fn of_chunk(chunk: &OutputChunk) -> Details {
        let modules = chunk.modules.keys.iter().zip(&chunk.modules.values);
        Details {
            inputs: modules.map(|(id, module)| (id.as_str().to_string(), module.rendered_length())).collect(),
            imports: chunk.imports.iter().map(ToString::to_string).collect(),
            dynamic_imports: chunk.dynamic_imports.iter().map(ToString::to_string).collect(),
            exports: chunk.exports.iter().map(ToString::to_string).collect(),
        }
    }
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
    let mut inputs: BTreeMap<String, Value> = BTreeMap::new();
    for (id, module) in seen.iter().filter(|(_, module)| module.loader.is_some()) {
        let import = |id: &String, kind: &str| {
            let known = seen.get(id).is_some_and(|module| module.loader.is_some());
            if known {
                json!({ "path": shown(cwd, id), "kind": kind })
            } else {
                json!({ "path": id, "kind": kind, "external": true })
            }
        };
        let now = module.imports.iter().map(|id| import(id, "import-statement"));
        let later = module.dynamic.iter().map(|id| import(id, "dynamic-import"));
        let imports: Vec<Value> = now.chain(later).collect();
        inputs.insert(shown(cwd, id), json!({ "bytes": module.bytes, "imports": imports }));
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
        let import = |path: &String, kind: &str| json!({ "path": path, "kind": kind });
        let now = details.imports.iter().map(|path| import(path, "import-statement"));
        let imports: Vec<Value> =
            now.chain(details.dynamic_imports.iter().map(|path| import(path, "dynamic-import"))).collect();
        let mut entry =
            json!({ "bytes": artifact.bytes.len(), "inputs": parts, "imports": imports, "exports": details.exports });
        if artifact.kind == ArtifactKind::EntryPoint
            && let Some(source) = &artifact.source
        {
            entry["entryPoint"] = shown(cwd, source).into();
        }
        outputs.insert(format!("./{}", artifact.path), entry);
    }
    json!({ "inputs": inputs, "outputs": outputs }).to_string()
}
