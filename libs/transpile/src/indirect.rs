//! What oxc's minifier gets wrong, around it: it makes `(0, a?.b)()` and `(true && a?.b)()`, which call without a `this`, into
//! `(a?.b)()`, `{ a: a = 1 } = b` into `{ a } = b`, and `[-1]` into `-1` where a member of a class has its name (oxc_minifier 0.146).

use oxc_allocator::{Allocator, TakeIn};
use oxc_ast::ast::*;
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};

use crate::decorators::quote::Quote;

/// How far from a `?.` the operator before it and the call behind it are looked for.
const NEAR: usize = 1024;

/// Writes `(0, a?.b)()` in a form that oxc's passes leave alone: `(0, [a?.b][0])()`, and so what a condition or a logical operator
/// gives to be called. Comes before all of them.
pub fn keep_indirect_calls<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    if may_have_indirect_call(program.source_text.as_bytes()) {
        Keeper { quote: Quote { allocator } }.visit_program(program);
    }
}

/// Writes `{ a: a = 1 } = b` as `{ a = 1 } = b`, which keeps its default, and template literals without escapes that they do not need, as
/// in `` `\/` ``. Comes before what is minified, with the names that it has then.
pub fn shorten_targets<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    Targets { allocator }.visit_program(program);
}

/// Mends what oxc's minifier has printed wrong, and shortens what [`keep_indirect_calls`] has made longer. Comes after all of them.
pub fn mend_minified(program: &mut Program<'_>) {
    Mender.visit_program(program);
}

/// Whether a text may call what an operator gives with a `?.` in it: a comma, `&&`, `||`, `??` or a condition.
fn may_have_indirect_call(source: &[u8]) -> bool {
    let is_called = |behind: &[u8]| {
        memchr::memchr_iter(b')', behind).any(|at| {
            matches!(behind[at + 1..].trim_ascii_start().first(), Some(b'(' | b'`' | b'?' | b'/' | b')' | b'!' | b'<'))
        })
    };
    let has_operator = |before: &[u8]| before.iter().any(|byte| matches!(byte, b',' | b'&' | b'|' | b'?'));
    memchr::memmem::find_iter(source, b"?.").any(|at| {
        has_operator(&source[at.saturating_sub(NEAR)..at]) && is_called(&source[at..source.len().min(at + NEAR)])
    })
}

struct Keeper<'a> {
    quote: Quote<'a>,
}

impl<'a> Keeper<'a> {
    fn keep(&self, callee: &mut Expression<'a>) {
        each_value(callee, &mut |value| {
            if matches!(value.get_inner_expression(), Expression::ChainExpression(_)) {
                let chain = value.take_in(&self.quote.allocator);
                *value = self.quote.expression("[$0][0]", [chain]);
            }
        });
    }
}

/// Calls `change` with each expression that an operator around it may give as it is; the left side of `||` and its like stays what it
/// is in oxc's passes.
fn each_value<'a>(callee: &mut Expression<'a>, change: &mut impl FnMut(&mut Expression<'a>)) {
    let mut value = |it: &mut Expression<'a>| {
        if is_operator(it.without_parentheses()) { each_value(it, change) } else { change(it) }
    };
    match callee.without_parentheses_mut() {
        Expression::SequenceExpression(sequence) => {
            if let Some(last) = sequence.expressions.last_mut() {
                value(last);
            }
        }
        Expression::LogicalExpression(logical) => value(&mut logical.right),
        Expression::ConditionalExpression(conditional) => {
            value(&mut conditional.consequent);
            value(&mut conditional.alternate);
        }
        _ => {}
    }
}

fn is_operator(it: &Expression<'_>) -> bool {
    matches!(
        it,
        Expression::SequenceExpression(_) | Expression::LogicalExpression(_) | Expression::ConditionalExpression(_)
    )
}

impl<'a> VisitMut<'a> for Keeper<'a> {
    fn visit_call_expression(&mut self, it: &mut CallExpression<'a>) {
        walk_mut::walk_call_expression(self, it);
        self.keep(&mut it.callee);
    }

    fn visit_tagged_template_expression(&mut self, it: &mut TaggedTemplateExpression<'a>) {
        walk_mut::walk_tagged_template_expression(self, it);
        self.keep(&mut it.tag);
    }
}

struct Targets<'a> {
    allocator: &'a Allocator,
}

/// The text between the backticks of a template literal without a tag that stands for `cooked`; `None` if that has characters which are
/// better told by an escape.
fn template_text(cooked: &str) -> Option<String> {
    let mut text = String::with_capacity(cooked.len());
    let mut characters = cooked.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' | '`' => text.push('\\'),
            '$' if characters.peek() == Some(&'{') => text.push('\\'),
            '\n' | ' '..='~' => {}
            _ => return None,
        }
        text.push(character);
    }
    Some(text)
}

impl<'a> VisitMut<'a> for Targets<'a> {
    fn visit_template_literal(&mut self, it: &mut TemplateLiteral<'a>) {
        for part in &mut it.quasis {
            let TemplateElementValue { raw, cooked } = &mut part.value;
            if raw.contains('\\')
                && let Some(text) = cooked.as_ref().and_then(|cooked| template_text(cooked))
                && text.len() < raw.len()
            {
                *raw = Str::from_str_in(&text, &self.allocator);
            }
        }
        walk_mut::walk_template_literal(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &mut TaggedTemplateExpression<'a>) {
        // Tags see the text as it is.
        self.visit_expression(&mut it.tag);
        self.visit_expressions(&mut it.quasi.expressions);
    }

    fn visit_assignment_target_property(&mut self, it: &mut AssignmentTargetProperty<'a>) {
        walk_mut::walk_assignment_target_property(self, it);
        let is_same = if let AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) = &*it
            && let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(value) = &property.binding
            && let AssignmentTarget::AssignmentTargetIdentifier(target) = &value.binding
        {
            property.name.static_name().is_some_and(|name| name == target.name.as_str())
        } else {
            false
        };
        if is_same
            && let AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) = it.take_in(&self.allocator)
            && let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(value) = property.unbox().binding
            && let AssignmentTargetWithDefault { binding, init, span, .. } = value.unbox()
            && let AssignmentTarget::AssignmentTargetIdentifier(target) = binding
        {
            let builder = AstBuilder::new(self.allocator);
            *it = AssignmentTargetProperty::new_assignment_target_property_identifier(
                span,
                target.unbox(),
                Some(init),
                &builder,
            );
        }
    }
}

struct Mender;

impl Mender {
    fn shorten(callee: &mut Expression<'_>) {
        each_value(callee, &mut |value| {
            if let Expression::ComputedMemberExpression(member) = value
                && matches!(&member.expression, Expression::NumericLiteral(index) if index.value == 0.0)
                && let Expression::ArrayExpression(list) = &mut member.object
                && let [ArrayExpressionElement::ChainExpression(_)] = list.elements.as_slice()
                && let Some(ArrayExpressionElement::ChainExpression(chain)) = list.elements.pop()
            {
                *value = Expression::ChainExpression(chain);
            }
        });
    }
}

/// A name that is an expression in brackets.
fn needs_brackets(key: &PropertyKey<'_>) -> bool {
    match key {
        PropertyKey::StaticIdentifier(_)
        | PropertyKey::PrivateIdentifier(_)
        | PropertyKey::StringLiteral(_)
        | PropertyKey::BigIntLiteral(_) => false,
        PropertyKey::NumericLiteral(number) => number.value.is_sign_negative() || !number.value.is_finite(),
        _ => true,
    }
}

impl<'a> VisitMut<'a> for Mender {
    fn visit_call_expression(&mut self, it: &mut CallExpression<'a>) {
        walk_mut::walk_call_expression(self, it);
        Self::shorten(&mut it.callee);
    }

    fn visit_tagged_template_expression(&mut self, it: &mut TaggedTemplateExpression<'a>) {
        walk_mut::walk_tagged_template_expression(self, it);
        Self::shorten(&mut it.tag);
    }

    fn visit_method_definition(&mut self, it: &mut MethodDefinition<'a>) {
        walk_mut::walk_method_definition(self, it);
        it.computed |= needs_brackets(&it.key);
    }

    fn visit_property_definition(&mut self, it: &mut PropertyDefinition<'a>) {
        walk_mut::walk_property_definition(self, it);
        it.computed |= needs_brackets(&it.key);
    }

    fn visit_accessor_property(&mut self, it: &mut AccessorProperty<'a>) {
        walk_mut::walk_accessor_property(self, it);
        it.computed |= needs_brackets(&it.key);
    }

    fn visit_binding_property(&mut self, it: &mut BindingProperty<'a>) {
        walk_mut::walk_binding_property(self, it);
        it.computed |= needs_brackets(&it.key);
    }

    fn visit_assignment_target_property_property(&mut self, it: &mut AssignmentTargetPropertyProperty<'a>) {
        walk_mut::walk_assignment_target_property_property(self, it);
        it.computed |= needs_brackets(&it.name);
    }

    fn visit_object_property(&mut self, it: &mut ObjectProperty<'a>) {
        walk_mut::walk_object_property(self, it);
        it.computed |= needs_brackets(&it.key);
    }
}
