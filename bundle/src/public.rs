//! The option `publicPath` in imports between chunks: they begin with it instead of being relative.

use oxc::allocator::Allocator;
use oxc::ast::ast::{
    ExportAllDeclaration, ExportFromDeclaration, Expression, ImportDeclaration, ImportExpression, StringLiteral,
};
use oxc::ast_visit::{Visit, walk};
use oxc::parser::Parser;
use oxc::span::{SourceType, Span};
use rustc_hash::FxHashMap;

/// The code of the chunk `file` with the specifiers of the chunks `others` below `public_path`.
pub(crate) fn import_from<'n>(
    code: String,
    file: &str,
    others: impl Iterator<Item = &'n str>,
    public_path: &str,
) -> String {
    let public: FxHashMap<String, String> =
        others.map(|other| (relative(file, other), format!("{public_path}{other}"))).collect();
    if public.is_empty() {
        return code;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &code, SourceType::mjs().with_jsx(true)).parse();
    let mut sources = Sources { public, found: Vec::new() };
    sources.visit_program(&parsed.program);
    sources.found.sort_unstable_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    for (span, specifier) in sources.found {
        out.push_str(&code[at..span.start as usize]);
        out.push_str(&serde_json::Value::String(specifier).to_string());
        at = span.end as usize;
    }
    out.push_str(&code[at..]);
    out
}

/// Looks for the specifiers of chunks.
struct Sources {
    /// Specifiers and what they become.
    public: FxHashMap<String, String>,
    /// Where they are, and what stands there instead.
    found: Vec<(Span, String)>,
}

impl Sources {
    fn look_at(&mut self, source: &StringLiteral<'_>) {
        if let Some(instead) = self.public.get(source.value.as_str()) {
            self.found.push((source.span, instead.clone()));
        }
    }
}

impl<'a> Visit<'a> for Sources {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.look_at(&import.source);
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        self.look_at(&export.source);
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.look_at(&export.source);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &import.source {
            self.look_at(source);
        }
        walk::walk_import_expression(self, import);
    }
}

/// The specifier of a result, seen from another one.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let mut from: Vec<&str> = from.split('/').collect();
    from.pop();
    let to: Vec<&str> = to.split('/').collect();
    let common = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = from.len() - common;
    let start = if up == 0 { "./".to_string() } else { "../".repeat(up) };
    start + &to[common..].join("/")
}

#[cfg(test)]
mod tests {
    use super::{import_from, relative};

    #[test]
    fn specifiers_are_relative_to_a_chunk() {
        assert_eq!(relative("a.js", "b.js"), "./b.js");
        assert_eq!(relative("x/a.js", "b.js"), "../b.js");
        assert_eq!(relative("x/y/a.js", "x/z/b.js"), "../z/b.js");
        assert_eq!(relative("a.js", "x/b.js"), "./x/b.js");
    }

    #[test]
    fn only_imports_have_the_public_path() {
        let code = "import { a } from \"./b.js\"; import(\"./b.js\"); console.log(\"./b.js\", import(\"./c.js\"));";
        let made = import_from(code.to_string(), "a.js", ["b.js"].into_iter(), "/p/");
        assert_eq!(
            made,
            "import { a } from \"/p/b.js\"; import(\"/p/b.js\"); console.log(\"./b.js\", import(\"./c.js\"));"
        );
    }

    #[test]
    fn specifiers_are_replaced_once() {
        let code = "import(\"../l.js\"); export * from './l.js'; export { a } from \"../l.js\"; `from \"./l.js\"`;";
        let made = import_from(code.to_string(), "x/a.js", ["x/l.js", "l.js"].into_iter(), "./");
        assert_eq!(
            made,
            "import(\"./l.js\"); export * from \"./x/l.js\"; export { a } from \"./l.js\"; `from \"./l.js\"`;"
        );
    }
}
