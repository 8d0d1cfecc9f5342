//! `import source` and `import.source()`: https://tc39.es/proposal-source-phase-imports/. The source of a WebAssembly module is
//! its `WebAssembly.Module`; other modules have none. Hooks and plugins are not asked.

use std::sync::Arc;

use engine::{JsResult, Local, OpError, Scope};
use resolve::{Kind, Target};

use super::{existing, throw_resolve_error};
use crate::module_map::{Body, Record};
use crate::prepare;
use crate::source::{self, FileKind};
use crate::state::RuntimeState;

/// A module that has the source of what a specifier leads to; made once for each file.
pub(super) fn load<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    specifier: &str,
    importer: &str,
) -> JsResult<Local<'s>> {
    let resolution = {
        let mut map = state.modules.borrow_mut();
        map.resolve(&state.options, specifier, importer, Kind::Import)
    };
    let resolution = match resolution {
        Ok(resolution) => resolution,
        Err(error) => return Err(throw_resolve_error(scope, &error, Kind::Import)),
    };
    let file = match &resolution.target {
        Target::File(file) => file,
        Target::Builtin(id) => return Err(refuse(scope, id)),
        Target::Url(url) => return Err(refuse(scope, url)),
    };
    let url: Arc<str> = source::file_url(&file.path);
    let kind = prepare::overridden(state, file.extension()).unwrap_or_else(|| source::file_kind(file.class));
    if kind != FileKind::Wasm {
        return Err(refuse(scope, &url));
    }
    let key = format!("Source:{}", file.path);
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    let bytes = prepare::read(scope, &file.path)?;
    let module = scope.wasm_source_module(&url, bytes)?;
    let kept = scope.global(module);
    let path = file.path.clone();
    let record = Record { path, url, body: Body::Esm, module: Some(kept), is_main: false, names: Vec::new() };
    state.modules.borrow_mut().add(Some(key), record);
    Ok(module)
}

fn refuse(scope: &mut Scope<'_>, url: &str) -> engine::Exc {
    let message = format!("Source phase import object is not defined for module '{url}'");
    scope.throw_op_error(&OpError::syntax_error(message).code("ERR_SOURCE_PHASE_NOT_DEFINED"))
}
