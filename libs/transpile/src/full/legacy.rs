//! What oxc's lowering of `experimentalDecorators` leaves to do.

use oxc_allocator::ArenaVec;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, VisitMut, walk, walk_mut};
use oxc_span::Span;

/// Spans of decorators in places where TypeScript has none: on class expressions and on private members. oxc
/// would drop them without a word.
pub(super) fn misplaced(program: &Program<'_>) -> Vec<Span> {
    let mut finder = Misplaced(Vec::new());
    finder.visit_program(program);
    finder.0
}

struct Misplaced(Vec<Span>);

impl Misplaced {
    fn add(&mut self, decorators: &[Decorator<'_>]) {
        self.0.extend(decorators.iter().map(|decorator| decorator.span));
    }
}

impl<'a> Visit<'a> for Misplaced {
    fn visit_class(&mut self, it: &Class<'a>) {
        if it.is_expression() {
            self.add(&it.decorators);
        }
        for element in &it.body.body {
            let (decorators, key) = match element {
                ClassElement::MethodDefinition(it) => (&it.decorators, &it.key),
                ClassElement::PropertyDefinition(it) => (&it.decorators, &it.key),
                ClassElement::AccessorProperty(it) => (&it.decorators, &it.key),
                ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => continue,
            };
            if it.is_expression() || matches!(key, PropertyKey::PrivateIdentifier(_)) {
                self.add(decorators);
            }
        }
        walk::walk_class(self, it);
    }
}

/// Puts the decoration of instance members before that of static ones, as TypeScript evaluates them. oxc keeps
/// source order. `helper` is the name of the function that decorates.
pub(super) fn instance_members_first(program: &mut Program<'_>, helper: &str) {
    Sorter { helper }.visit_program(program);
}

struct Sorter<'h> {
    helper: &'h str,
}

impl Sorter<'_> {
    /// The class whose member a statement decorates, and whether the member is static.
    fn decorates<'s>(&self, statement: &'s Statement<'_>) -> Option<(&'s str, bool)> {
        let Statement::ExpressionStatement(statement) = statement else {
            return None;
        };
        let Expression::CallExpression(call) = &statement.expression else {
            return None;
        };
        if !matches!(&call.callee, Expression::Identifier(it) if it.name == self.helper) {
            return None;
        }
        match call.arguments.get(1)? {
            Argument::Identifier(it) => Some((it.name.as_str(), true)),
            Argument::StaticMemberExpression(it) if it.property.name == "prototype" => match &it.object {
                Expression::Identifier(it) => Some((it.name.as_str(), false)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'a> VisitMut<'a> for Sorter<'_> {
    fn visit_statements(&mut self, it: &mut ArenaVec<'a, Statement<'a>>) {
        walk_mut::walk_statements(self, it);
        let mut start = 0;
        while start < it.len() {
            let Some((class, _)) = self.decorates(&it[start]) else {
                start += 1;
                continue;
            };
            let rest = it[start..].iter();
            let run = rest.take_while(|s| self.decorates(s).is_some_and(|(name, _)| name == class)).count();
            it[start..start + run]
                .sort_by_key(|statement| self.decorates(statement).is_some_and(|(_, is_static)| is_static));
            start += run;
        }
    }
}
