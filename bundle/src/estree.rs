//! Syntax trees for plugins: ESTree as JSON (https://github.com/estree/estree).

use oxc::allocator::Allocator;
use oxc::ast_visit::utf8_to_utf16::Utf8ToUtf16;
use oxc::parser::{ParseOptions, Parser};
use oxc::span::SourceType;
use serde_json::json;

use crate::depth;

/// The tree of a module: JSON `{ "node": …, "fixes": … }`, where `fixes` has the paths to literals whose values JSON has not (bigints,
/// regular expressions), or `{ "error": text, "start": place }` about the first mistake. Places are UTF-16 code units.
pub fn estree(code: &str, jsx: bool, is_return_allowed: bool) -> String {
    // Plugins ask on the program's thread, with any text.
    transpile::with_stack_for(code, || tree_of(code, jsx, is_return_allowed))
        .unwrap_or_else(|| json!({ "error": depth::MESSAGE, "start": 0 }).to_string())
}

fn tree_of(code: &str, jsx: bool, is_return_allowed: bool) -> String {
    let allocator = Allocator::default();
    let source_type = SourceType::mjs().with_jsx(jsx);
    let options = ParseOptions { allow_return_outside_function: is_return_allowed, ..ParseOptions::default() };
    let mut parsed = Parser::new(&allocator, code, source_type).with_options(options).parse();
    if let Some(error) = parsed.diagnostics.first() {
        let start = error.labels.first().map_or(0, |label| label.offset() as usize);
        let start = code.get(..start).map_or(0, |before| before.encode_utf16().count());
        return json!({ "error": error.message, "start": start }).to_string();
    }
    Utf8ToUtf16::new(code).convert_program(&mut parsed.program);
    parsed.program.to_estree_json_with_fixes(false, false)
}
