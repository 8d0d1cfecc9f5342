//! ES modules that run when they are asked for: their names are the result's, what they do stands in a function.

use oxc::allocator::FromIn;
use oxc::allocator::{Box as ArenaBox, TakeIn, Vec as ArenaVec};
use oxc::ast::ast::{
    ArrayAssignmentTarget, ArrowFunctionBody, AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty,
    AssignmentTargetPropertyProperty, AssignmentTargetRest, AssignmentTargetWithDefault, BindingIdentifier,
    BindingPattern, ClassType, Declaration, Expression, FormalParameterKind, FormalParameters, IdentifierReference,
    NumberBase, ObjectAssignmentTarget, Program, Statement, VariableDeclarationKind, VariableDeclarator,
};
use oxc::span::SPAN;
use oxc::str::{CompactStr, Ident};
use oxc::syntax::operator::AssignmentOperator;
use rustc_hash::FxHashMap;

use crate::rewrite::Rewriter;

/// What an import runs.
#[derive(Debug)]
pub(crate) enum Run {
    /// The function of a module.
    Wrapper(CompactStr),
    /// `require` of an external.
    Require(CompactStr),
}

#[derive(Debug)]
pub(crate) struct Later {
    /// What the module's own names are called in the tree.
    pub names: FxHashMap<u32, CompactStr>,
    /// What its imports run; the variable of the result, with the helper that makes it, and Node's rules for it.
    pub runs: Vec<(Option<(CompactStr, CompactStr, bool)>, Run)>,
    pub wrapper: CompactStr,
    pub helper: CompactStr,
}

struct Hoist<'a, 'p, 't> {
    tools: &'t Rewriter<'a, 'p>,
    later: &'t Later,
    /// Names that are declared before the function.
    declared: Vec<CompactStr>,
}

/// Puts the statements of a program into a function.
pub(crate) fn wrap<'a>(program: &mut Program<'a>, tools: &Rewriter<'a, '_>, later: &Later) {
    let builder = &tools.builder;
    let mut hoist = Hoist { tools, later, declared: Vec::new() };
    let mut functions = Vec::new();
    let mut body: ArenaVec<'a, Statement<'a>> = ArenaVec::new_in(builder);
    for (var, run) in &later.runs {
        let call = match run {
            Run::Wrapper(wrapper) => tools.call(SPAN, wrapper, []),
            Run::Require(specifier) => tools.call(SPAN, "require", [tools.text(specifier)]),
        };
        let expression = match var {
            None => call,
            Some((var, helper, is_node)) => {
                let mode =
                    is_node.then(|| Expression::new_numeric_literal(SPAN, 1.0, None, NumberBase::Decimal, builder));
                let value = tools.call(SPAN, helper, [call].into_iter().chain(mode));
                hoist.declared.push(var.clone());
                hoist.assignment(hoist.simple(var), value)
            }
        };
        body.push(Statement::new_expression_statement(SPAN, expression, builder));
    }
    for statement in std::mem::replace(&mut program.body, ArenaVec::new_in(builder)) {
        match statement {
            Statement::FunctionDeclaration(_) => functions.push(statement),
            Statement::ClassDeclaration(mut class) => {
                class.r#type = ClassType::ClassExpression;
                let Some(id) = &class.id else { continue };
                let name = hoist.name(id);
                hoist.declared.push(name.clone());
                let target = hoist.simple(&name);
                let assignment = hoist.assignment(target, Expression::ClassExpression(class));
                body.push(Statement::new_expression_statement(SPAN, assignment, builder));
            }
            Statement::VariableDeclaration(mut declaration) => {
                let kind = declaration.kind;
                for declarator in std::mem::replace(&mut declaration.declarations, ArenaVec::new_in(builder)) {
                    let VariableDeclarator { span, mut id, init, .. } = declarator;
                    for identifier in id.get_binding_identifiers() {
                        let name = hoist.name(identifier);
                        if !hoist.declared.contains(&name) {
                            hoist.declared.push(name);
                        }
                    }
                    let target = hoist.target(&mut id);
                    let value = match init {
                        Some(init) => init,
                        // `let` without a value sets one, `var` does not.
                        None if kind == VariableDeclarationKind::Var => continue,
                        None => {
                            let zero = Expression::new_numeric_literal(SPAN, 0.0, None, NumberBase::Decimal, builder);
                            let void = oxc::syntax::operator::UnaryOperator::Void;
                            Expression::new_unary_expression(SPAN, void, zero, builder)
                        }
                    };
                    let assignment = hoist.assignment(target, value);
                    body.push(Statement::new_expression_statement(span, assignment, builder));
                }
            }
            other => body.push(other),
        }
    }
    let declarators: Vec<VariableDeclarator<'a>> =
        hoist.declared.iter().map(|name| hoist.declarator(name, None)).collect();
    if !declarators.is_empty() {
        program.body.push(hoist.declaration(declarators));
    }
    program.body.extend(functions);
    let parameters = FormalParameters::boxed(
        SPAN,
        FormalParameterKind::ArrowFormalParameters,
        ArenaVec::new_in(builder),
        None,
        builder,
    );
    let body = ArrowFunctionBody::new_function_body(SPAN, ArenaVec::new_in(builder), body, builder);
    let function = Expression::new_arrow_function_expression(SPAN, false, None, parameters, None, body, builder);
    let value = tools.call(SPAN, &later.helper, [function]);
    let declarator = hoist.declarator(&later.wrapper, Some(value));
    program.body.push(hoist.declaration(vec![declarator]));
}

impl<'a> Hoist<'a, '_, '_> {
    fn name(&self, identifier: &BindingIdentifier<'a>) -> CompactStr {
        let symbol = identifier.symbol_id.get().map(|symbol| symbol.index() as u32);
        let name = symbol.and_then(|symbol| self.later.names.get(&symbol));
        name.cloned().unwrap_or_else(|| CompactStr::from(identifier.name.as_str()))
    }

    fn ident(&self, name: &str) -> Ident<'a> {
        Ident::from_in(name, self.tools.allocator)
    }

    fn simple(&self, name: &str) -> AssignmentTarget<'a> {
        let reference = IdentifierReference::new(SPAN, self.ident(name), &self.tools.builder);
        AssignmentTarget::AssignmentTargetIdentifier(ArenaBox::new_in(reference, &self.tools.builder))
    }

    fn assignment(&self, target: AssignmentTarget<'a>, value: Expression<'a>) -> Expression<'a> {
        Expression::new_assignment_expression(SPAN, AssignmentOperator::Assign, target, value, &self.tools.builder)
    }

    fn declarator(&self, name: &str, value: Option<Expression<'a>>) -> VariableDeclarator<'a> {
        let builder = &self.tools.builder;
        let id = BindingIdentifier::new(SPAN, self.ident(name), builder);
        let pattern = BindingPattern::BindingIdentifier(ArenaBox::new_in(id, builder));
        VariableDeclarator::new(SPAN, pattern, None, value, false, builder)
    }

    fn declaration(&self, declarators: Vec<VariableDeclarator<'a>>) -> Statement<'a> {
        let builder = &self.tools.builder;
        let declarators = ArenaVec::from_iter_in(declarators, builder);
        let kind = VariableDeclarationKind::Var;
        Statement::from(Declaration::new_variable_declaration(SPAN, kind, declarators, false, builder))
    }

    /// A pattern that declares as one that assigns.
    fn target(&self, pattern: &mut BindingPattern<'a>) -> AssignmentTarget<'a> {
        let builder = &self.tools.builder;
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => self.simple(&self.name(identifier)),
            BindingPattern::ObjectPattern(object) => {
                let mut properties = ArenaVec::new_in(builder);
                for property in &mut object.properties {
                    let binding = self.with_default(&mut property.value);
                    let key = property.key.take_in(builder);
                    let one = AssignmentTargetPropertyProperty::new(SPAN, key, binding, property.computed, builder);
                    properties.push(AssignmentTargetProperty::AssignmentTargetPropertyProperty(ArenaBox::new_in(
                        one, builder,
                    )));
                }
                let rest = object.rest.as_mut().map(|rest| {
                    ArenaBox::new_in(AssignmentTargetRest::new(SPAN, self.target(&mut rest.argument), builder), builder)
                });
                let target = ObjectAssignmentTarget::new(SPAN, properties, rest, builder);
                AssignmentTarget::ObjectAssignmentTarget(ArenaBox::new_in(target, builder))
            }
            BindingPattern::ArrayPattern(array) => {
                let mut elements = ArenaVec::new_in(builder);
                for element in &mut array.elements {
                    elements.push(element.as_mut().map(|element| self.with_default(element)));
                }
                let rest = array.rest.as_mut().map(|rest| {
                    ArenaBox::new_in(AssignmentTargetRest::new(SPAN, self.target(&mut rest.argument), builder), builder)
                });
                let target = ArrayAssignmentTarget::new(SPAN, elements, rest, builder);
                AssignmentTarget::ArrayAssignmentTarget(ArenaBox::new_in(target, builder))
            }
            // Defaults stand inside of patterns only.
            BindingPattern::AssignmentPattern(inner) => self.target(&mut inner.left),
        }
    }

    fn with_default(&self, pattern: &mut BindingPattern<'a>) -> AssignmentTargetMaybeDefault<'a> {
        let builder = &self.tools.builder;
        let BindingPattern::AssignmentPattern(inner) = pattern else {
            return AssignmentTargetMaybeDefault::from(self.target(pattern));
        };
        let binding = self.target(&mut inner.left);
        let value = inner.right.take_in(builder);
        let target = AssignmentTargetWithDefault::new(SPAN, binding, value, builder);
        AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(ArenaBox::new_in(target, builder))
    }
}
