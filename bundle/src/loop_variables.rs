//! `for (var name in …)` and `for (var name of …)` outside of functions: the name is the module's. rolldown takes the variables of a
//! module whose code waits in a function out of that function, but not these. Nor can it do so with `{ a: [b = 1] }`, a default in a
//! list of a pattern, which is written in another way here.

use oxc::allocator::{Allocator, Vec};
use oxc::ast::ast::{
    ArrowFunctionExpression, BindingPattern, BindingProperty, Class, ForStatementLeft, Function, Statement,
    VariableDeclarationKind, VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::VisitMut;
use oxc::ast_visit::walk_mut::{walk_binding_property, walk_for_statement_left};
use oxc::span::SPAN;
use oxc::syntax::scope::ScopeFlags;
use rolldown_ecmascript::EcmaAst;
use rolldown_ecmascript_utils::BindingPatternExt as _;

use crate::rules;

/// Declares such variables at the end of the module, also those of patterns: `for (var { a, b = 1 } of …)`. Before the loop, oxc would
/// put the declaration into it again.
pub(crate) fn hoist(ast: &mut EcmaAst) {
    let source = ast.source().as_bytes();
    if !["(var ", "( var ", ":[", ": ["].iter().any(|text| memchr::memmem::find(source, text.as_bytes()).is_some()) {
        return;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        let mut hoister = Hoister { builder: AstBuilder::new(allocator), declarations: Vec::new_in(&allocator) };
        hoister.visit_program(program);
        if !hoister.declarations.is_empty() {
            program.body.extend(hoister.declarations);
        }
    });
}

struct Hoister<'a> {
    builder: AstBuilder<'a>,
    declarations: Vec<'a, Statement<'a>>,
}

impl<'a> VisitMut<'a> for Hoister<'a> {
    fn visit_binding_property(&mut self, property: &mut BindingProperty<'a>) {
        walk_binding_property(self, property);
        let has_default = |pattern: &BindingPattern<'a>| matches!(pattern, BindingPattern::AssignmentPattern(_));
        if matches!(&property.value, BindingPattern::ArrayPattern(list) if list.elements.iter().flatten().any(has_default))
        {
            // `{ a: [b = 1] = void 0 }` does the same, and takes another way through rolldown.
            let builder = &self.builder;
            let empty = BindingPattern::new_array_pattern(SPAN, Vec::new_in(builder), None, builder);
            let list = std::mem::replace(&mut property.value, empty);
            property.value =
                BindingPattern::new_assignment_pattern(SPAN, list, rules::undefined(SPAN, builder), builder);
        }
    }

    fn visit_for_statement_left(&mut self, left: &mut ForStatementLeft<'a>) {
        walk_for_statement_left(self, left);
        if let ForStatementLeft::VariableDeclaration(declaration) = left
            && declaration.kind.is_var()
            && let [declarator] = declaration.declarations.as_mut_slice()
            && declarator.init.is_none()
        {
            let builder = &self.builder;
            let names = declarator.id.get_binding_identifiers().into_iter().map(|name| {
                let pattern = BindingPattern::new_binding_identifier(name.span, name.name, builder);
                VariableDeclarator::new(name.span, pattern, None, None, false, builder)
            });
            let declarators = Vec::from_iter_in(names, builder);
            if !declarators.is_empty() {
                let kind = VariableDeclarationKind::Var;
                self.declarations.push(Statement::new_variable_declaration(SPAN, kind, declarators, false, builder));
            }
            let empty = BindingPattern::new_array_pattern(SPAN, Vec::new_in(builder), None, builder);
            let pattern = std::mem::replace(&mut declarator.id, empty);
            *left = ForStatementLeft::from(pattern.into_assignment_target(builder));
        }
    }

    fn visit_function(&mut self, _: &mut Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &mut ArrowFunctionExpression<'a>) {}

    fn visit_class(&mut self, _: &mut Class<'a>) {}
}
