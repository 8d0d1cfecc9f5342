//! Puts what the linker has found into a module's tree.

use std::cell::Cell;

use oxc::allocator::{Allocator, TakeIn};
use oxc::ast::ast::{
    AccessorProperty, Argument, ArrowFunctionExpression, ChainElement, Expression, Function, IdentifierName,
    IdentifierReference, NumberBase, ObjectProperty, PropertyDefinition, StaticBlock, Str,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{VisitJsMut, walk_js_mut};
use oxc::semantic::{ScopeId, Scoping};
use oxc::span::{GetSpan, SPAN, Span};
use oxc::str::{CompactStr, Ident};
use oxc::syntax::operator::UnaryOperator;
use oxc::syntax::scope::ScopeFlags;
use rustc_hash::{FxHashMap, FxHashSet};

/// What stands for a name.
#[derive(Debug, Clone, Hash)]
pub(crate) enum Text {
    Name(CompactStr),
    Member(CompactStr, CompactStr),
}

/// What stands for a call of `require` or `import`.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// `wrapper()`
    Run(CompactStr),
    /// `require("specifier")` by another name, or its own.
    Require(Option<CompactStr>, CompactStr),
    /// `import("specifier")`
    Import(CompactStr),
    /// `(wrapper(), toCommonJS(namespace))`
    RunModule { wrapper: CompactStr, to_common_js: CompactStr, namespace: CompactStr },
    /// `Promise.resolve().then(() => (wrapper(), namespace))`
    LaterModule { wrapper: CompactStr, namespace: CompactStr },
    /// `Promise.resolve().then(() => toESM(wrapper()))`
    Later { wrapper: CompactStr, to_esm: CompactStr, is_node: bool },
}

/// All that is to be replaced in a module.
#[derive(Debug)]
pub(crate) struct Plan {
    pub names: FxHashMap<u32, Text>,
    pub members: FxHashMap<(u32, CompactStr), Text>,
    /// By whether it is a `require`, and by specifier.
    pub calls: FxHashMap<(bool, CompactStr), Call>,
    /// What the global `Promise` is called until names are given.
    pub promise: CompactStr,
    /// What the `require` of the environment is called.
    pub require: Option<CompactStr>,
    /// What `this` is at the top: nothing, or the exports of CommonJS.
    pub has_exports: bool,
    pub exports_name: CompactStr,
}

pub(crate) struct Rewriter<'a, 'p> {
    pub allocator: &'a Allocator,
    pub builder: AstBuilder<'a>,
    pub scoping: &'p Scoping,
    pub plan: &'p Plan,
    /// Functions with a `this` around.
    pub depth: u32,
    /// The scopes of functions in which nothing is to be replaced.
    pub unmarked: Option<&'p FxHashSet<ScopeId>>,
}

impl<'a> Rewriter<'a, '_> {
    fn is_unmarked(&self, scope: &Cell<Option<ScopeId>>) -> bool {
        self.unmarked.is_some_and(|unmarked| scope.get().is_some_and(|scope| unmarked.contains(&scope)))
    }

    fn symbol(&self, identifier: &IdentifierReference<'a>) -> Option<u32> {
        let symbol = self.scoping.get_reference(identifier.reference_id.get()?).symbol_id()?;
        Some(symbol.index() as u32)
    }

    fn is_free(&self, identifier: &IdentifierReference<'a>) -> bool {
        identifier.reference_id.get().is_none_or(|id| self.scoping.get_reference(id).symbol_id().is_none())
    }

    pub(crate) fn identifier(&self, span: Span, name: &str) -> Expression<'a> {
        Expression::new_identifier(span, Ident::from_in_str(name, self.allocator), &self.builder)
    }

    fn expression(&self, span: Span, text: &Text) -> Expression<'a> {
        match text {
            Text::Name(name) => self.identifier(span, name),
            Text::Member(object, name) => {
                let object = self.identifier(span, object);
                if oxc::syntax::identifier::is_identifier_name(name) {
                    let name = IdentifierName::new(SPAN, Ident::from_in_str(name, self.allocator), &self.builder);
                    Expression::new_static_member_expression(span, object, name, false, &self.builder)
                } else {
                    let name = Expression::new_string_literal(
                        SPAN,
                        Str::from_str_in(name, &self.builder),
                        None,
                        &self.builder,
                    );
                    Expression::new_computed_member_expression(span, object, name, false, &self.builder)
                }
            }
        }
    }

    /// What stands for an expression that is a name or a member of a namespace.
    fn replacement(&self, expression: &Expression<'a>) -> Option<&Text> {
        match expression {
            Expression::Identifier(identifier) if !self.plan.names.is_empty() => {
                self.plan.names.get(&self.symbol(identifier)?)
            }
            Expression::StaticMemberExpression(member) if !self.plan.members.is_empty() => {
                let Expression::Identifier(object) = &member.object else {
                    return None;
                };
                let key = (self.symbol(object)?, CompactStr::from(member.property.name.as_str()));
                self.plan.members.get(&key)
            }
            Expression::ComputedMemberExpression(member) if !self.plan.members.is_empty() => {
                let (Expression::Identifier(object), Expression::StringLiteral(name)) =
                    (&member.object, &member.expression)
                else {
                    return None;
                };
                self.plan.members.get(&(self.symbol(object)?, CompactStr::from(name.value.as_str())))
            }
            Expression::ChainExpression(chain) if !self.plan.members.is_empty() => {
                let (object, name) = match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => (&member.object, member.property.name.as_str()),
                    ChainElement::ComputedMemberExpression(member) => match &member.expression {
                        Expression::StringLiteral(name) => (&member.object, name.value.as_str()),
                        _ => return None,
                    },
                    _ => return None,
                };
                let Expression::Identifier(object) = object else { return None };
                self.plan.members.get(&(self.symbol(object)?, CompactStr::from(name)))
            }
            _ => None,
        }
    }

    pub(crate) fn call(
        &self,
        span: Span,
        callee: &str,
        arguments: impl IntoIterator<Item = Expression<'a>>,
    ) -> Expression<'a> {
        let callee = self.identifier(span, callee);
        let arguments = oxc::allocator::Vec::from_iter_in(arguments.into_iter().map(Argument::from), &self.builder);
        Expression::new_call_expression(span, callee, None, arguments, false, &self.builder)
    }

    pub(crate) fn text(&self, text: &str) -> Expression<'a> {
        Expression::new_string_literal(SPAN, Str::from_str_in(text, &self.builder), None, &self.builder)
    }

    /// The expression for a call of `require` or `import`.
    fn requested(&self, span: Span, call: &Call) -> Expression<'a> {
        match call {
            Call::Run(wrapper) => self.call(span, wrapper, []),
            Call::Require(name, specifier) => {
                self.call(span, name.as_deref().unwrap_or("require"), [self.text(specifier)])
            }
            Call::Import(specifier) => {
                Expression::new_import_expression(span, self.text(specifier), None, None, &self.builder)
            }
            Call::RunModule { wrapper, to_common_js, namespace } => {
                let object = self.identifier(SPAN, namespace);
                let parts = [self.call(span, wrapper, []), self.call(SPAN, to_common_js, [object])];
                self.sequence(parts)
            }
            Call::LaterModule { wrapper, namespace } => {
                let value = self.sequence([self.call(SPAN, wrapper, []), self.identifier(SPAN, namespace)]);
                self.after_promise(span, value)
            }
            Call::Later { wrapper, to_esm, is_node } => {
                let mode = is_node
                    .then(|| Expression::new_numeric_literal(SPAN, 1.0, None, NumberBase::Decimal, &self.builder));
                let value = self.call(SPAN, wrapper, []);
                let value = self.call(SPAN, to_esm, [value].into_iter().chain(mode));
                self.after_promise(span, value)
            }
        }
    }

    fn sequence(&self, parts: [Expression<'a>; 2]) -> Expression<'a> {
        let parts = oxc::allocator::Vec::from_iter_in(parts, &self.builder);
        Expression::new_sequence_expression(SPAN, parts, &self.builder)
    }

    /// `Promise.resolve().then(() => value)`
    fn after_promise(&self, span: Span, value: Expression<'a>) -> Expression<'a> {
        use oxc::ast::ast::{ArrowFunctionBody, FormalParameterKind, FormalParameters};
        let member = |object, name: &'static str| {
            let name = IdentifierName::new(SPAN, Ident::from(name), &self.builder);
            Expression::new_static_member_expression(SPAN, object, name, false, &self.builder)
        };
        let none = || oxc::allocator::Vec::new_in(&self.builder);
        let promise = member(self.identifier(span, &self.plan.promise), "resolve");
        let promise = Expression::new_call_expression(span, promise, None, none(), false, &self.builder);
        let parameters = FormalParameters::boxed(
            SPAN,
            FormalParameterKind::ArrowFormalParameters,
            oxc::allocator::Vec::new_in(&self.builder),
            None,
            &self.builder,
        );
        let body = ArrowFunctionBody::from(value);
        let function =
            Expression::new_arrow_function_expression(SPAN, false, None, parameters, None, body, &self.builder);
        let arguments = oxc::allocator::Vec::from_iter_in([Argument::from(function)], &self.builder);
        Expression::new_call_expression(span, member(promise, "then"), None, arguments, false, &self.builder)
    }

    fn is_changed_member(&self, expression: &Expression<'a>) -> bool {
        matches!(self.replacement(expression), Some(Text::Member(..)))
    }

    /// `(0, callee)`, which calls a member without its object.
    fn without_this(&self, callee: &mut Expression<'a>) {
        let zero = Expression::new_numeric_literal(SPAN, 0.0, None, NumberBase::Decimal, &self.builder);
        let taken = callee.take_in(&self.builder);
        let both = oxc::allocator::Vec::from_iter_in([zero, taken], &self.builder);
        *callee = Expression::new_sequence_expression(SPAN, both, &self.builder);
    }
}

/// Names in an arena.
trait FromStr<'a> {
    fn from_in_str(text: &str, allocator: &'a Allocator) -> Self;
}

impl<'a> FromStr<'a> for Ident<'a> {
    fn from_in_str(text: &str, allocator: &'a Allocator) -> Self {
        use oxc::allocator::FromIn;
        Ident::from_in(text, allocator)
    }
}

impl<'a> VisitJsMut<'a> for Rewriter<'a, '_> {
    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        if let Some(text) = self.replacement(expression) {
            *expression = self.expression(expression.span(), &text.clone());
            return;
        }
        match expression {
            Expression::ThisExpression(this) if self.depth == 0 => {
                let span = this.span;
                *expression = if self.plan.has_exports {
                    self.identifier(span, &self.plan.exports_name)
                } else {
                    let zero = Expression::new_numeric_literal(span, 0.0, None, NumberBase::Decimal, &self.builder);
                    Expression::new_unary_expression(span, UnaryOperator::Void, zero, &self.builder)
                };
                return;
            }
            Expression::Identifier(identifier) => {
                if let Some(name) = &self.plan.require
                    && identifier.name == "require"
                    && self.is_free(identifier)
                {
                    *expression = self.identifier(identifier.span, name);
                }
                return;
            }
            Expression::CallExpression(call) => {
                if let Expression::Identifier(callee) = &call.callee
                    && callee.name == "require"
                    && let [Argument::StringLiteral(specifier)] = call.arguments.as_slice()
                    && self.is_free(callee)
                    && let Some(planned) = self.plan.calls.get(&(true, CompactStr::from(specifier.value.as_str())))
                {
                    *expression = self.requested(call.span, planned);
                    return;
                }
                let is_bare = self.is_changed_member(&call.callee);
                walk_js_mut::walk_call_expression(self, call);
                if is_bare {
                    self.without_this(&mut call.callee);
                }
                return;
            }
            Expression::TaggedTemplateExpression(tagged) => {
                let is_bare = self.is_changed_member(&tagged.tag);
                walk_js_mut::walk_tagged_template_expression(self, tagged);
                if is_bare {
                    self.without_this(&mut tagged.tag);
                }
                return;
            }
            Expression::ImportExpression(import) => {
                if let Expression::StringLiteral(specifier) = &import.source
                    && let Some(planned) = self.plan.calls.get(&(false, CompactStr::from(specifier.value.as_str())))
                {
                    *expression = self.requested(import.span, planned);
                    return;
                }
            }
            _ => {}
        }
        walk_js_mut::walk_expression(self, expression);
    }

    fn visit_chain_element(&mut self, element: &mut ChainElement<'a>) {
        let is_bare = matches!(element, ChainElement::CallExpression(call) if self.is_changed_member(&call.callee));
        walk_js_mut::walk_chain_element(self, element);
        if is_bare && let ChainElement::CallExpression(call) = element {
            self.without_this(&mut call.callee);
        }
    }

    fn visit_object_property(&mut self, property: &mut ObjectProperty<'a>) {
        walk_js_mut::walk_object_property(self, property);
        if property.shorthand
            && !matches!((&property.value, property.key.static_name()), (Expression::Identifier(value), Some(key))
                if value.name == key.as_ref())
        {
            property.shorthand = false;
        }
    }

    fn visit_arrow_function_expression(&mut self, function: &mut ArrowFunctionExpression<'a>) {
        if !self.is_unmarked(&function.scope_id) {
            walk_js_mut::walk_arrow_function_expression(self, function);
        }
    }

    fn visit_function(&mut self, function: &mut Function<'a>, flags: ScopeFlags) {
        if self.is_unmarked(&function.scope_id) {
            return;
        }
        self.depth += 1;
        walk_js_mut::walk_function(self, function, flags);
        self.depth -= 1;
    }

    fn visit_property_definition(&mut self, property: &mut PropertyDefinition<'a>) {
        self.visit_decorators(&mut property.decorators);
        self.visit_property_key(&mut property.key);
        self.depth += 1;
        if let Some(value) = &mut property.value {
            self.visit_expression(value);
        }
        self.depth -= 1;
    }

    fn visit_accessor_property(&mut self, property: &mut AccessorProperty<'a>) {
        self.visit_property_key(&mut property.key);
        self.depth += 1;
        if let Some(value) = &mut property.value {
            self.visit_expression(value);
        }
        self.depth -= 1;
    }

    fn visit_static_block(&mut self, block: &mut StaticBlock<'a>) {
        self.depth += 1;
        walk_js_mut::walk_static_block(self, block);
        self.depth -= 1;
    }
}
