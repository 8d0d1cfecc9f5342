//! Types of modules beside the results: a `.d.ts` of each module of TypeScript, made from its text alone (TypeScript's
//! `isolatedDeclarations`), so that what has no written type and is no plain value is an error.

use std::path::Path;

use oxc::allocator::Allocator;
use oxc::codegen::Codegen;
use oxc::isolated_declarations::{IsolatedDeclarations, IsolatedDeclarationsOptions};
use oxc::parser::Parser;
use oxc::span::SourceType;

use crate::assets::relative;
use crate::messages::{Message, position_at};

/// The name of a module's types below the root of the entry points; `None` if it is no module of TypeScript.
pub(crate) fn name_of(root: &Path, path: &Path) -> Option<String> {
    let extension = match path.extension()?.to_str()? {
        "ts" | "tsx" => "d.ts",
        "mts" => "d.mts",
        "cts" => "d.cts",
        _ => return None,
    };
    let name = path.to_string_lossy();
    // Types that are written by hand are there already.
    if name.ends_with(".d.ts") || name.ends_with(".d.mts") || name.ends_with(".d.cts") {
        return None;
    }
    Some(relative(root, &path.with_extension(extension)).replace("..", "_.._"))
}

/// The types of a module.
///
/// # Errors
/// Exports whose type cannot be told without looking into other modules.
pub(crate) fn of_module(source: &str, path: &str) -> Result<String, Vec<Message>> {
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
    let parsed = Parser::new(&allocator, source, source_type).parse();
    let made = IsolatedDeclarations::new(&allocator, IsolatedDeclarationsOptions { strip_internal: false })
        .build(&parsed.program);
    let errors: Vec<Message> = made
        .diagnostics
        .into_iter()
        .map(|error| {
            let label = error.labels.first();
            let (start, length) = label.map_or((0, 0), |label| (label.offset() as usize, label.len() as usize));
            Message {
                position: Some(position_at(source, "file", path, start, start + length)),
                notes: error.help.iter().map(ToString::to_string).collect(),
                ..Message::error(error.message.to_string())
            }
        })
        .collect();
    if errors.is_empty() { Ok(Codegen::new().build(&made.program).code) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_from_the_text() {
        assert_eq!(name_of(Path::new("/p"), Path::new("/p/src/a.tsx")).as_deref(), Some("src/a.d.ts"));
        assert_eq!(name_of(Path::new("/p"), Path::new("/p/a.js")), None);
        let types = of_module("export const a = 1;\nexport function f(x: string): number { return 1; }", "a.ts");
        assert_eq!(types.unwrap(), "export declare const a = 1;\nexport declare function f(x: string): number;\n");
        let errors = of_module("export const a = f();", "a.ts").unwrap_err();
        assert_eq!(errors[0].position.as_ref().map(|position| (position.line, position.column)), Some((1, 14)));
    }
}
