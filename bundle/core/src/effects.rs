//! Which statements may be left out if nobody uses what they declare.

use std::cell::RefCell;

use oxc::ast::ast::{
    Argument, BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression, IdentifierReference, Statement,
    VariableDeclaration,
};
use oxc::semantic::Scoping;
use oxc_ecmascript::GlobalContext;
use oxc_ecmascript::side_effects::{MayHaveSideEffects, MayHaveSideEffectsContext, PropertyReadSideEffects};

struct Context<'s> {
    scoping: &'s Scoping,
    /// The record that a name of `import * as` stands for.
    namespace_of: &'s dyn Fn(&IdentifierReference<'_>) -> Option<u32>,
    /// The records of namespaces of which members are read.
    reads: RefCell<Vec<u32>>,
}

impl<'a> GlobalContext<'a> for Context<'_> {
    fn is_global_reference(&self, reference: &IdentifierReference<'a>) -> bool {
        reference.reference_id.get().is_none_or(|id| self.scoping.get_reference(id).symbol_id().is_none())
    }
}

impl MayHaveSideEffectsContext<'_> for Context<'_> {
    fn annotations(&self) -> bool {
        true
    }

    fn manual_pure_functions(&self, _: &Expression<'_>) -> bool {
        false
    }

    fn property_read_side_effects(&self) -> PropertyReadSideEffects {
        PropertyReadSideEffects::All
    }

    fn unknown_global_side_effects(&self) -> bool {
        true
    }
}

/// Whether running a statement of a module's top may be noticed, and the records of `import * as` of which it reads members: reading
/// those of ES modules is not noticed, whatever `import * as` gives of CommonJS may be. `namespace_of` gives the record that a name
/// stands for.
pub(crate) fn of_statement(
    statement: &Statement<'_>,
    scoping: &Scoping,
    namespace_of: &dyn Fn(&IdentifierReference<'_>) -> Option<u32>,
) -> (bool, Vec<u32>) {
    let context = Context { scoping, namespace_of, reads: RefCell::default() };
    (has_effects(statement, &context), context.reads.into_inner())
}

fn has_effects(statement: &Statement<'_>, context: &Context<'_>) -> bool {
    match statement {
        Statement::ImportDeclaration(_)
        | Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_) => false,
        Statement::ExportDeclaration(export) => of_declaration(&export.declaration, context),
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_) => false,
            ExportDefaultDeclarationKind::ClassDeclaration(class) => class.may_have_side_effects(context),
            other => other.as_expression().is_some_and(|expression| of_expression(expression, context)),
        },
        Statement::VariableDeclaration(declaration) => of_variables(declaration, context),
        Statement::ExpressionStatement(statement) => of_expression(&statement.expression, context),
        other => other.may_have_side_effects(context),
    }
}

fn of_declaration(declaration: &Declaration<'_>, context: &Context<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(declaration) => of_variables(declaration, context),
        other => other.may_have_side_effects(context),
    }
}

fn of_variables(declaration: &VariableDeclaration<'_>, context: &Context<'_>) -> bool {
    let is_simple = |pattern: &BindingPattern<'_>| matches!(pattern, BindingPattern::BindingIdentifier(_));
    if declaration.kind.is_using() || !declaration.declarations.iter().all(|one| is_simple(&one.id)) {
        return declaration.may_have_side_effects(context);
    }
    declaration.declarations.iter().any(|one| one.init.as_ref().is_some_and(|init| of_expression(init, context)))
}

/// `this` at the top of a module, which calls for elements of JSX have, is a value.
fn of_expression<'a>(expression: &Expression<'a>, context: &Context<'_>) -> bool {
    let of_arguments = |arguments: &[Argument<'a>]| {
        arguments.iter().any(|argument| match argument {
            Argument::ThisExpression(_) => false,
            other => other.as_expression().is_none_or(|argument| of_expression(argument, context)),
        })
    };
    match expression {
        Expression::StaticMemberExpression(member)
            if let Expression::Identifier(object) = &member.object
                && let Some(record) = (context.namespace_of)(object) =>
        {
            context.reads.borrow_mut().push(record);
            false
        }
        Expression::CallExpression(call) if call.pure => of_arguments(&call.arguments),
        Expression::NewExpression(new) if new.pure => of_arguments(&new.arguments),
        other => other.may_have_side_effects(context),
    }
}
