//! Whether an expression suspends the function that it stands in.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

/// Whether `expression` has an `await` or `yield` that is not inside a function of its own.
pub(super) fn suspends(expression: &Expression<'_>) -> bool {
    let mut finder = Finder(false);
    finder.visit_expression(expression);
    finder.0
}

struct Finder(bool);

impl<'a> Visit<'a> for Finder {
    fn visit_await_expression(&mut self, _: &AwaitExpression<'a>) {
        self.0 = true;
    }

    fn visit_yield_expression(&mut self, _: &YieldExpression<'a>) {
        self.0 = true;
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}

    fn visit_static_block(&mut self, _: &StaticBlock<'a>) {}

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        // The initialiser runs in a function of its own; the key does not.
        walk::walk_property_key(self, &it.key);
    }
}
