//! Whether an entry point runs where the program does not ask for it. rolldown puts modules of several entry points, and its own
//! helpers, into the chunk of one of them where it takes all others to load that one anyway. It is wrong at times (1.2.5: a module that is
//! imported by `import` and by `import()` from an entry point that another one imports), and then one program runs another.
//! Such a build is made once more without these chunks.

use std::sync::Arc;

use arcstr::ArcStr;
use rolldown_common::{ModuleInfo, RollupRenderedChunk};
use rolldown_plugin::PluginContext;
use rolldown_utils::indexmap::FxIndexMap;
use rustc_hash::FxHashSet;

type Chunks = FxIndexMap<ArcStr, Arc<RollupRenderedChunk>>;

/// Whether `chunk` imports the chunk of an entry point that need not have run, nor is about to run, where `chunk` is loaded.
pub(crate) fn runs_another(context: &PluginContext, chunk: &RollupRenderedChunk, chunks: &Chunks) -> bool {
    let own: FxHashSet<&str> = chunk.module_ids.iter().map(|id| id.as_str()).collect();
    let is_run = |entry: &str| {
        let mut loads: Vec<ArcStr> =
            chunks.values().filter(|chunk| chunk.is_entry).filter_map(|of| facade(of)).collect();
        let mut loaded: FxHashSet<ArcStr> = loads.iter().cloned().collect();
        while let Some(load) = loads.pop() {
            let Some(modules) = loaded_with(context, load, entry) else { continue };
            if modules.iter().any(|info| own.contains(info.id.as_str())) {
                return false;
            }
            let later =
                modules.iter().flat_map(|info| &info.dynamically_imported_ids).map(|id| id.as_arc_str().clone());
            loads.extend(later.filter(|id| loaded.insert(id.clone())));
        }
        true
    };
    let imported = chunk.imports.iter().filter_map(|name| chunks.get(name.as_str()));
    imported
        .filter(|other| other.is_entry || other.is_dynamic_entry)
        .filter_map(|other| facade(other))
        .any(|entry| !is_run(&entry))
}

/// The module whose exports a chunk has.
fn facade(chunk: &RollupRenderedChunk) -> Option<ArcStr> {
    chunk.facade_module_id.as_ref().map(|id| id.as_arc_str().clone())
}

/// The modules that are loaded with a module, itself among them; `None` if `entry` is one of these.
fn loaded_with(context: &PluginContext, module: ArcStr, entry: &str) -> Option<Vec<Arc<ModuleInfo>>> {
    let mut modules = Vec::new();
    let mut seen = FxHashSet::from_iter([module.clone()]);
    let mut left = vec![module];
    while let Some(id) = left.pop() {
        if id == entry {
            return None;
        }
        // An external module has none of the bundle's.
        let Some(info) = context.get_module_info(&id) else { continue };
        left.extend(info.imported_ids.iter().map(|id| id.as_arc_str().clone()).filter(|id| seen.insert(id.clone())));
        modules.push(info);
    }
    Some(modules)
}
