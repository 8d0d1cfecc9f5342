//! Programs that are text (`-e`): `--print` of an ES module, whose last expression becomes an export, as modules have no completion value;
//! and what only a module may have.

use oxc_allocator::Allocator;
use oxc_ast::ast::Statement;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use crate::depth::{self, Nesting, Walk};
use crate::edits::Edits;

/// The name of the export that [`export_completion`] makes.
pub const COMPLETION: &str = "bao: completion value";

/// The JavaScript module `code` with an export [`COMPLETION`]: the value of its last statement, if that is an expression, else
/// undefined. Imports and exports are no statements here. `None` if the text has syntax errors or nests too deeply.
pub fn export_completion(code: &str) -> Option<String> {
    let work = || {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, code, SourceType::mjs()).parse();
        if parsed.panicked || !parsed.diagnostics.is_empty() {
            return None;
        }
        let mut name = "$completion".to_owned();
        while code.contains(&name) {
            name.push('$');
        }
        let mut edits = Edits::default();
        let last = parsed.program.body.iter().rfind(|statement| !statement.is_module_declaration());
        if let Some(Statement::ExpressionStatement(statement)) = last {
            let span = statement.expression.span();
            // A name at the start of a statement does not join it to the one before; a function behind a comma does not get it.
            edits.replace(span.start, span.start, format!("{name}=(0,"));
            edits.replace(span.end, span.end, ")");
        }
        Some(format!("{}\nvar {name}; export {{ {name} as {COMPLETION:?} }};", edits.apply(code)))
    };
    depth::run(Nesting::of(code), Walk::Recursive, work).flatten()
}

/// Whether JavaScript code has a `using` declaration outside of blocks and functions, which only modules may have. False if the text has
/// syntax errors or nests too deeply.
pub fn has_outer_using(code: &str) -> bool {
    outer_using(code).is_some()
}

/// Code with such a declaration, in a block, where it may stand in a script; directives stay before it. `None` if there is none.
pub fn enclose_outer_using(code: &str) -> Option<String> {
    let (directives, rest) = code.split_at_checked(outer_using(code)?)?;
    Some(format!("{directives}{{{rest}\n}}"))
}

/// Where the first statement behind the directives begins, if a statement is a `using` declaration.
fn outer_using(code: &str) -> Option<usize> {
    if !code.contains("using") {
        return None;
    }
    let work = || {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, code, SourceType::mjs()).parse();
        let is_using = |statement: &Statement<'_>| matches!(statement, Statement::VariableDeclaration(declaration) if declaration.kind.is_using());
        let has_using = parsed.diagnostics.is_empty() && parsed.program.body.iter().any(is_using);
        parsed.program.body.first().filter(|_| has_using).map(|first| first.span().start as usize)
    };
    depth::run(Nesting::of(code), Walk::Recursive, work).flatten()
}

#[cfg(test)]
mod tests {
    use super::{enclose_outer_using, export_completion, has_outer_using};

    #[test]
    fn using_outside_of_blocks() {
        for (code, is_outer) in
            [("using a = b", true), ("{ using a = b }", false), ("using(a)", false), ("using = 1", false)]
        {
            assert_eq!(has_outer_using(code), is_outer, "{code}");
        }
        let enclosed = enclose_outer_using("'use strict'; 'b'\nusing a = b // c");
        assert_eq!(enclosed.as_deref(), Some("'use strict'; 'b'\n{using a = b // c\n}"));
        assert_eq!(enclose_outer_using("{ using a = b }"), None);
    }

    #[test]
    fn last_expression() {
        let cases = [
            ("await 1", "$completion=(0,await 1)"),
            ("import 'a'; 1, 2; import 'b'", "import 'a'; $completion=(0,1, 2); import 'b'"),
            ("let a = await 4", "let a = await 4"),
            ("a\n;(b)", "a\n;$completion=(0,(b))"),
            ("$completion", "$completion$=(0,$completion)"),
            ("7; export default 4", "$completion=(0,7); export default 4"),
        ];
        for (code, wanted) in cases {
            let made = export_completion(code).expect("valid");
            assert_eq!(made.lines().take(wanted.lines().count()).collect::<Vec<_>>().join("\n"), wanted);
        }
        assert_eq!(export_completion("a b"), None);
    }
}
