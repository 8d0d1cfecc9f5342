//! `--drop`: calls on free identifiers disappear.

use oxc_allocator::{Allocator, ArenaBox};
use oxc_ast::ast::*;
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_semantic::Scoping;

/// Replaces calls such as `console.log(x)` by `undefined`, for callees that start at one of `names` with no
/// declaration in the file. Arguments are not evaluated. The name `debugger` stands for the statement.
pub(super) fn drop_calls<'a>(allocator: &'a Allocator, program: &mut Program<'a>, scoping: &Scoping, names: &[String]) {
    let builder = AstBuilder::new(allocator);
    let debugger = names.iter().any(|name| name == "debugger");
    Dropper { builder, scoping, names, debugger }.visit_program(program);
}

struct Dropper<'a, 's> {
    builder: AstBuilder<'a>,
    scoping: &'s Scoping,
    names: &'s [String],
    debugger: bool,
}

impl<'a> Dropper<'a, '_> {
    fn starts_at_dropped(&self, callee: &Expression<'a>) -> bool {
        let mut callee = callee;
        loop {
            callee = match callee {
                Expression::StaticMemberExpression(it) => &it.object,
                Expression::ComputedMemberExpression(it) => &it.object,
                Expression::ParenthesizedExpression(it) => &it.expression,
                Expression::TSNonNullExpression(it) => &it.expression,
                Expression::Identifier(it) => {
                    let free =
                        it.reference_id.get().is_none_or(|id| self.scoping.get_reference(id).symbol_id().is_none());
                    return free && self.names.iter().any(|name| it.name.as_str() == name);
                }
                _ => return false,
            };
        }
    }
}

impl<'a> VisitMut<'a> for Dropper<'a, '_> {
    fn visit_expression(&mut self, it: &mut Expression<'a>) {
        let call = match it {
            Expression::CallExpression(call) => Some(&**call),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => Some(&**call),
                _ => None,
            },
            _ => None,
        };
        if let Some(call) = call
            && self.starts_at_dropped(&call.callee)
        {
            let zero = Expression::new_numeric_literal(call.span, 0.0, None, NumberBase::Decimal, &self.builder);
            *it = Expression::UnaryExpression(ArenaBox::new_in(
                UnaryExpression::new(call.span, UnaryOperator::Void, zero, &self.builder),
                &self.builder,
            ));
            return;
        }
        walk_mut::walk_expression(self, it);
    }

    fn visit_statement(&mut self, it: &mut Statement<'a>) {
        if self.debugger
            && let Statement::DebuggerStatement(statement) = it
        {
            *it = Statement::new_empty_statement(statement.span, &self.builder);
            return;
        }
        walk_mut::walk_statement(self, it);
    }
}
