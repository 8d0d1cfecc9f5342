//! Family "source_map": source maps for node:module's SourceMap and findSourceMap.

use engine::{F64Array, OpError, Scope, op, ops};
use runtime_core::{RuntimeState, prepare, source};

/// Decodes the "mappings" of a source map (ECMA-426): six numbers a mapping, in the order of the text: generated line and
/// column, index of the source, original line and column, index of the name; -1 for what a mapping does not have.
#[op]
fn decode_mappings(text: String) -> Result<F64Array, OpError> {
    let tokens = transpile::decode_mappings(&text)
        .ok_or_else(|| OpError::syntax_error("The mappings of the source map are damaged"))?;
    let numbers = tokens.iter().flat_map(|token| {
        let [source, line, column, name] = token.original.map_or([-1.0; 4], |original| {
            let name = original.name.map_or(-1.0, f64::from);
            [f64::from(original.source), f64::from(original.line), f64::from(original.column), name]
        });
        [f64::from(token.generated_line), f64::from(token.generated_column), source, line, column, name]
    });
    Ok(F64Array(numbers.collect()))
}

/// The source map of a file as JSON: the one made when it was transpiled, or the one that its text names in a comment. Undefined if
/// there is none, or if it cannot be read.
#[op]
fn find(scope: &mut Scope<'_>, path: String) -> Option<String> {
    let state = RuntimeState::of(scope);
    let made = {
        let mut map = state.modules.borrow_mut();
        map.map_for(&source::file_url(&path)).or_else(|| map.map_for(&path))
    };
    if let Some(made) = made {
        return Some(made.to_json(None));
    }
    let text = prepare::text_of(&path)?;
    let url = transpile::source_mapping_url(&text)?;
    if let Some(json) = transpile::decode_data_url(url) {
        return Some(json.into_owned());
    }
    let folder = std::path::Path::new(&path).parent()?;
    prepare::text_of(&folder.join(url.strip_prefix("file://").unwrap_or(url)).to_string_lossy())
}

ops!(pub fn family "source_map" { decode_mappings, find });
