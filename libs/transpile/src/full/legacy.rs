//! What oxc's lowering of `experimentalDecorators` leaves to do.

use oxc_allocator::{Allocator, ArenaVec, CloneIn, TakeIn};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, VisitMut, walk, walk_mut};
use oxc_span::Span;

use crate::decorators::quote::Quote;

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

/// Fields with decorators are assigned instead of defined, and are not there without a value, as in Bun and as TypeScript does
/// for targets before ES2022: what a decorator has put on the prototype under the field's name stays visible and hears of the
/// value. Fields whose name is computed stay as they are.
///
/// The initializer stays in the class, behind a private field or in a static block, as the parameters of a constructor would hide
/// what it names. `defines`: whether the transform that follows would define the instance's fields; else it assigns them itself.
pub(super) fn assign_fields<'a>(allocator: &'a Allocator, program: &mut Program<'a>, source: &str, defines: bool) {
    Assigner::new(allocator, source, "field", Fields::Decorated { defines }).visit_program(program);
}

/// Has the fields of instances that have no decorators assigned, and leaves out those without a value, as `useDefineForClassFields:
/// false` says, in a file whose other fields have to be defined. Fields whose name is computed stay as they are.
pub(super) fn assign_undecorated_fields<'a>(allocator: &'a Allocator, program: &mut Program<'a>, source: &str) {
    Assigner::new(allocator, source, "plain", Fields::Undecorated).visit_program(program);
}

/// Which fields an [`Assigner`] is for.
#[derive(Clone, Copy)]
enum Fields {
    /// `defines`: whether the transform that follows would define the instance's.
    Decorated { defines: bool },
    /// Those of instances only.
    Undecorated,
}

struct Assigner<'a> {
    quote: Quote<'a>,
    /// What the names of private fields begin with, which no name of the program does.
    prefix: String,
    count: usize,
    fields: Fields,
}

impl<'a> Assigner<'a> {
    fn new(allocator: &'a Allocator, source: &str, prefix: &str, fields: Fields) -> Self {
        let mut prefix = prefix.to_owned();
        while source.contains(&format!("#{prefix}")) {
            prefix.push('_');
        }
        Assigner { quote: Quote { allocator }, prefix, count: 0, fields }
    }

    /// Whether a field is to be assigned, as far as its name allows it.
    fn takes(&self, field: &PropertyDefinition<'a>) -> bool {
        if field.declare || field.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return false;
        }
        match self.fields {
            Fields::Decorated { defines } => {
                // oxc assigns fields of instances itself if none is defined, but decorates nothing under texts and numbers then.
                let is_literal = matches!(field.key, PropertyKey::StringLiteral(_) | PropertyKey::NumericLiteral(_));
                !field.decorators.is_empty() && (field.r#static || defines || is_literal)
            }
            Fields::Undecorated => field.decorators.is_empty() && !field.r#static,
        }
    }

    /// Leaves the declaration of a field, and gives what assigns its value.
    fn take_value(&mut self, field: &mut PropertyDefinition<'a>) -> Option<ClassElement<'a>> {
        if !self.takes(field) {
            return None;
        }
        let allocator = self.quote.allocator;
        let (target, key) = match &field.key {
            PropertyKey::StaticIdentifier(name) if !field.computed => (format!("this.{}", name.name), None),
            PropertyKey::StringLiteral(name) => {
                ("this[$1]".to_owned(), Some(Expression::StringLiteral(name.clone_in(allocator))))
            }
            PropertyKey::NumericLiteral(name) => {
                ("this[$1]".to_owned(), Some(Expression::NumericLiteral(name.clone_in(allocator))))
            }
            _ => return None,
        };
        field.declare = true;
        let value = field.value.take()?;
        let text = if field.r#static {
            format!("static {{ {target} = $0; }}")
        } else {
            self.count += 1;
            format!("#{}{} = void ({target} = $0);", self.prefix, self.count)
        };
        self.quote.elements(&text, std::iter::once(value).chain(key)).pop()
    }
}

impl<'a> VisitMut<'a> for Assigner<'a> {
    fn visit_class_body(&mut self, it: &mut ClassBody<'a>) {
        walk_mut::walk_class_body(self, it);
        let is_taken = |element: &ClassElement<'a>| matches!(element, ClassElement::PropertyDefinition(field) if self.takes(field));
        if !it.body.iter().any(is_taken) {
            return;
        }
        let allocator = self.quote.allocator;
        let mut elements = Vec::with_capacity(it.body.len() + 4);
        for mut element in it.body.take_in(&allocator) {
            let assignment = match &mut element {
                ClassElement::PropertyDefinition(field) => self.take_value(field),
                _ => None,
            };
            elements.push(element);
            elements.extend(assignment);
        }
        it.body = ArenaVec::from_iter_in(elements, &allocator);
    }
}

/// Puts static members behind those of instances in classes with decorated ones of both kinds, so that oxc, which decorates in the order
/// of the source, has TypeScript's order. Names that are computed by more than a look at a variable are evaluated in the order of the
/// source: such classes stay.
pub(super) fn static_members_last<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    StaticsLast { allocator }.visit_program(program);
}

struct StaticsLast<'a> {
    allocator: &'a Allocator,
}

fn is_static(element: &ClassElement<'_>) -> bool {
    matches!(element, ClassElement::StaticBlock(_)) || element.r#static()
}

fn is_decorated(element: &ClassElement<'_>) -> bool {
    match element {
        ClassElement::MethodDefinition(method) => {
            !method.decorators.is_empty() || method.value.params.items.iter().any(|it| !it.decorators.is_empty())
        }
        ClassElement::PropertyDefinition(field) => !field.decorators.is_empty(),
        _ => false,
    }
}

fn is_plain_name(element: &ClassElement<'_>) -> bool {
    let key = match element {
        ClassElement::MethodDefinition(it) if it.computed => &it.key,
        ClassElement::PropertyDefinition(it) if it.computed => &it.key,
        ClassElement::AccessorProperty(it) if it.computed => &it.key,
        _ => return true,
    };
    matches!(key, PropertyKey::Identifier(_) | PropertyKey::StringLiteral(_) | PropertyKey::NumericLiteral(_))
}

impl<'a> VisitMut<'a> for StaticsLast<'a> {
    fn visit_class_body(&mut self, it: &mut ClassBody<'a>) {
        walk_mut::walk_class_body(self, it);
        let mut after_static = it.body.iter().skip_while(|element| !(is_static(element) && is_decorated(element)));
        if !after_static.any(|element| !is_static(element) && is_decorated(element))
            || !it.body.iter().all(is_plain_name)
        {
            return;
        }
        let (behind, before): (Vec<_>, Vec<_>) = it.body.take_in(&self.allocator).into_iter().partition(is_static);
        it.body = ArenaVec::from_iter_in(before.into_iter().chain(behind), &self.allocator);
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
