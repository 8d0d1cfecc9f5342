//! Patterns of bindings and assignments.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{FREE, Printer, level, span_of};

impl Printer<'_> {
    pub(super) fn binding(&mut self, pattern: &BindingPattern<'_>) {
        match pattern {
            BindingPattern::BindingIdentifier(it) => self.binding_name(it),
            BindingPattern::ObjectPattern(it) => {
                let spans = it.properties.iter().map(span_of).chain(it.rest.as_deref().map(span_of));
                let one_line = self.is_on_one_line(it.span, spans, true);
                let parts = it.properties.iter().map(Ok).chain(it.rest.as_deref().map(Err));
                self.list(["{", "}"], " ", [one_line, false], parts, |this, part| match part {
                    Ok(property) => this.binding_property(property),
                    Err(rest) => this.binding_rest(rest),
                });
            }
            BindingPattern::ArrayPattern(it) => {
                let spans = it.elements.iter().flatten().map(span_of).chain(it.rest.as_deref().map(span_of));
                let one_line = self.is_on_one_line(it.span, spans, true);
                let ends_open = it.rest.is_none() && matches!(it.elements.last(), Some(None));
                let parts = it.elements.iter().map(Ok).chain(it.rest.as_deref().map(Err));
                self.list(["[", "]"], "", [one_line, ends_open], parts, |this, part| match part {
                    Ok(Some(element)) => this.binding(element),
                    Ok(None) => {}
                    Err(rest) => this.binding_rest(rest),
                });
            }
            BindingPattern::AssignmentPattern(it) => {
                self.binding(&it.left);
                self.initial(&it.right);
            }
        }
    }

    fn binding_rest(&mut self, rest: &BindingRestElement<'_>) {
        self.put("...");
        self.binding(&rest.argument);
    }

    pub(super) fn initial(&mut self, value: &Expression<'_>) {
        self.put(" = ");
        self.expression(value, level::COMMA, FREE);
    }

    fn binding_property(&mut self, it: &BindingProperty<'_>) {
        if it.shorthand
            && let PropertyKey::StaticIdentifier(key) = &it.key
        {
            let local = match &it.value {
                BindingPattern::AssignmentPattern(assigned) => &assigned.left,
                value => value,
            };
            let start = self.out.len();
            self.binding(local);
            if self.out[start..] == *key.name {
                if let BindingPattern::AssignmentPattern(assigned) = &it.value {
                    self.initial(&assigned.right);
                }
                return;
            }
            self.out.truncate(start);
        }
        self.key(&it.key, it.computed);
        self.put(": ");
        self.binding(&it.value);
    }

    /// The left side of an assignment.
    pub(super) fn target(&mut self, target: &AssignmentTarget<'_>) {
        match target {
            AssignmentTarget::ArrayAssignmentTarget(it) => {
                let spans = it.elements.iter().flatten().map(|it| it.span()).chain(it.rest.as_deref().map(span_of));
                let one_line = self.is_on_one_line(it.span, spans, true);
                let ends_open = it.rest.is_none() && matches!(it.elements.last(), Some(None));
                let parts = it.elements.iter().map(Ok).chain(it.rest.as_deref().map(Err));
                self.list(["[", "]"], "", [one_line, ends_open], parts, |this, part| match part {
                    Ok(Some(element)) => this.target_or_default(element),
                    Ok(None) => {}
                    Err(rest) => this.target_rest(rest),
                });
            }
            AssignmentTarget::ObjectAssignmentTarget(it) => {
                let spans = it.properties.iter().map(span_of).chain(it.rest.as_deref().map(span_of));
                let one_line = self.is_on_one_line(it.span, spans, true);
                let parts = it.properties.iter().map(Ok).chain(it.rest.as_deref().map(Err));
                self.list(["{", "}"], " ", [one_line, false], parts, |this, part| match part {
                    Ok(property) => this.target_property(property),
                    Err(rest) => this.target_rest(rest),
                });
            }
            _ => {
                if let Some(simple) = target.as_simple_assignment_target() {
                    self.simple_target(simple);
                }
            }
        }
    }

    pub(super) fn simple_target(&mut self, target: &SimpleAssignmentTarget<'_>) {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(it) => self.identifier(it),
            // Types are gone, but for what a transform has left around a target.
            SimpleAssignmentTarget::TSAsExpression(it) => self.expression(&it.expression, level::POSTFIX, FREE),
            SimpleAssignmentTarget::TSSatisfiesExpression(it) => self.expression(&it.expression, level::POSTFIX, FREE),
            SimpleAssignmentTarget::TSNonNullExpression(it) => self.expression(&it.expression, level::POSTFIX, FREE),
            SimpleAssignmentTarget::TSTypeAssertion(it) => self.expression(&it.expression, level::POSTFIX, FREE),
            _ => {
                if let Some(member) = target.as_member_expression() {
                    self.member(member, FREE);
                }
            }
        }
    }

    fn target_or_default(&mut self, target: &AssignmentTargetMaybeDefault<'_>) {
        if let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(it) = target {
            self.target(&it.binding);
            self.initial(&it.init);
        } else if let Some(target) = target.as_assignment_target() {
            self.target(target);
        }
    }

    fn target_rest(&mut self, rest: &AssignmentTargetRest<'_>) {
        self.put("...");
        self.target(&rest.target);
    }

    fn target_property(&mut self, property: &AssignmentTargetProperty<'_>) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => {
                let start = self.out.len();
                self.reference(&it.binding);
                if self.out[start..] != *it.binding.name {
                    let renamed = self.out.split_off(start);
                    self.put(&it.binding.name);
                    self.put(": ");
                    self.put(&renamed);
                }
                if let Some(init) = &it.init {
                    self.initial(init);
                }
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                self.key(&it.name, it.computed);
                self.put(": ");
                self.target_or_default(&it.binding);
            }
        }
    }
}
