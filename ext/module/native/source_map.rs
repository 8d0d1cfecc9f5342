//! Family "source_map": the mappings of source maps for node:module's SourceMap.

use engine::{F64Array, OpError, op, ops};

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

ops!(pub fn family "source_map" { decode_mappings });
