//! Specifiers of `require` and `import()` that are not written as texts, but may be found out.

use oxc::ast::ast::{BindingIdentifier, Expression, Program, VariableDeclarator};
use oxc::ast_visit::{VisitJs, walk_js};
use oxc::semantic::{ReferenceId, SymbolId};
use rustc_hash::FxHashSet;

/// Whether an expression may be a text that is found out elsewhere: it is made of literals and names, which `names` gets.
pub(crate) fn may_be_constant(expression: &Expression<'_>, names: &mut Vec<ReferenceId>) -> bool {
    match expression {
        Expression::Identifier(identifier) => {
            names.extend(identifier.reference_id.get());
            true
        }
        Expression::TemplateLiteral(template) => {
            template.expressions.iter().all(|expression| may_be_constant(expression, names))
        }
        Expression::BinaryExpression(binary) => {
            may_be_constant(&binary.left, names) && may_be_constant(&binary.right, names)
        }
        Expression::ConditionalExpression(conditional) => {
            // One of them may be all that is left.
            let is_first = may_be_constant(&conditional.consequent, names);
            may_be_constant(&conditional.alternate, names) || is_first
        }
        Expression::LogicalExpression(logical) => {
            let is_first = may_be_constant(&logical.left, names);
            may_be_constant(&logical.right, names) || is_first
        }
        Expression::SequenceExpression(sequence) => {
            sequence.expressions.last().is_some_and(|last| may_be_constant(last, names))
        }
        Expression::ParenthesizedExpression(inner) => may_be_constant(&inner.expression, names),
        other => other.is_literal(),
    }
}

/// Whether the value of one of some variables may be found out.
pub(crate) fn has_constant(program: &Program<'_>, variables: &FxHashSet<SymbolId>) -> bool {
    let mut constants = Constants { variables, is_found: false };
    constants.visit_program(program);
    constants.is_found
}

/// Looks for variables whose values may be found out elsewhere.
struct Constants<'c> {
    variables: &'c FxHashSet<SymbolId>,
    is_found: bool,
}

impl<'a> VisitJs<'a> for Constants<'_> {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        let is_asked_for =
            |id: &BindingIdentifier<'_>| id.symbol_id.get().is_some_and(|symbol| self.variables.contains(&symbol));
        if declarator.id.get_binding_identifiers().into_iter().any(is_asked_for) {
            let init = declarator.init.as_ref();
            self.is_found |= init.is_some_and(|init| may_be_constant(init, &mut Vec::new()));
        }
        walk_js::walk_variable_declarator(self, declarator);
    }
}
