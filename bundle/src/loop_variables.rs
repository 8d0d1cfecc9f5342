//! `for (var name in …)` and `for (var name of …)` outside of functions: the name is the module's. rolldown takes the variables of a
//! module whose code waits in a function out of that function, but not these.

use oxc::allocator::{Allocator, Vec};
use oxc::ast::ast::{ArrowFunctionExpression, Class, ForStatementLeft, Function, Statement};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::VisitMut;
use oxc::ast_visit::walk_mut::walk_for_statement_left;
use oxc::syntax::scope::ScopeFlags;
use rolldown_ecmascript::EcmaAst;

/// Declares such variables at the top of the module. Patterns stay as they are.
pub(crate) fn hoist(ast: &mut EcmaAst) {
    let source = ast.source().as_bytes();
    if !["(var ", "( var "].iter().any(|text| memchr::memmem::find(source, text.as_bytes()).is_some()) {
        return;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        let mut hoister = Hoister { builder: AstBuilder::new(allocator), declarations: Vec::new_in(&allocator) };
        hoister.visit_program(program);
        if !hoister.declarations.is_empty() {
            let rest = std::mem::replace(&mut program.body, hoister.declarations);
            program.body.extend(rest);
        }
    });
}

struct Hoister<'a> {
    builder: AstBuilder<'a>,
    declarations: Vec<'a, Statement<'a>>,
}

impl<'a> VisitMut<'a> for Hoister<'a> {
    fn visit_for_statement_left(&mut self, left: &mut ForStatementLeft<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = &*left
            && declaration.kind.is_var()
            && let [declarator] = declaration.declarations.as_slice()
            && declarator.init.is_none()
            && let Some(name) = declarator.id.get_binding_identifier()
        {
            let target = ForStatementLeft::new_assignment_target_identifier(name.span, name.name, &self.builder);
            if let ForStatementLeft::VariableDeclaration(declaration) = std::mem::replace(left, target) {
                self.declarations.push(Statement::VariableDeclaration(declaration));
            }
            return;
        }
        walk_for_statement_left(self, left);
    }

    fn visit_function(&mut self, _: &mut Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &mut ArrowFunctionExpression<'a>) {}

    fn visit_class(&mut self, _: &mut Class<'a>) {}
}
