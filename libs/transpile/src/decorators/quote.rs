//! Syntax trees from text: generated code is written as JavaScript with holes.

use oxc_allocator::{Allocator, ArenaVec, Dummy};
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SPAN, SourceType, Span};

/// Parses snippets. The identifiers `$0`, `$1`, ... in a snippet are replaced by expressions.
#[derive(Clone, Copy)]
pub(crate) struct Quote<'a> {
    pub allocator: &'a Allocator,
}

impl<'a> Quote<'a> {
    /// The statements of `text`.
    ///
    /// # Panics
    /// If `text` is no JavaScript: a mistake in this crate.
    pub(crate) fn statements(
        self,
        text: &str,
        holes: impl IntoIterator<Item = Expression<'a>>,
    ) -> ArenaVec<'a, Statement<'a>> {
        let text = self.allocator.alloc_str(text);
        let options =
            ParseOptions { preserve_parens: false, allow_return_outside_function: true, ..ParseOptions::default() };
        let mut parsed = Parser::new(self.allocator, text, SourceType::mjs()).with_options(options).parse();
        assert!(parsed.diagnostics.is_empty(), "{:?} in {text}", parsed.diagnostics);
        let holes = holes.into_iter().map(Some).collect();
        Filler { allocator: self.allocator, holes }.visit_program(&mut parsed.program);
        parsed.program.body
    }

    /// The expression `text`.
    pub(crate) fn expression(self, text: &str, holes: impl IntoIterator<Item = Expression<'a>>) -> Expression<'a> {
        match self.statements(&format!("({text});"), holes).pop() {
            Some(Statement::ExpressionStatement(statement)) => statement.unbox().expression,
            _ => unreachable!("one expression statement was parsed"),
        }
    }

    /// The class elements `text`.
    pub(crate) fn elements(
        self,
        text: &str,
        holes: impl IntoIterator<Item = Expression<'a>>,
    ) -> ArenaVec<'a, ClassElement<'a>> {
        match self.expression(&format!("class {{ {text} }}"), holes) {
            Expression::ClassExpression(class) => class.unbox().body.unbox().body,
            _ => unreachable!("one class was parsed"),
        }
    }
}

/// Fills holes, and clears the positions of the snippet, which are none of the source.
struct Filler<'a> {
    allocator: &'a Allocator,
    holes: Vec<Option<Expression<'a>>>,
}

impl<'a> VisitMut<'a> for Filler<'a> {
    fn visit_span(&mut self, it: &mut Span) {
        *it = SPAN;
    }

    fn visit_expression(&mut self, it: &mut Expression<'a>) {
        if let Expression::Identifier(identifier) = it
            && let Some(index) = identifier.name.strip_prefix('$').and_then(|n| n.parse::<usize>().ok())
            && let Some(hole) = self.holes.get_mut(index)
        {
            *it = hole.take().unwrap_or_else(|| Expression::dummy(self.allocator));
            return;
        }
        walk_mut::walk_expression(self, it);
    }
}
