//! Types as `emitDecoratorMetadata` tells them, where oxc says `Object`: a class beside `null`, and the rest of a list of parameters.

use oxc_allocator::{Allocator, TakeIn};
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitMut, walk_mut};

/// Writes the types of a program in the form that oxc tells as TypeScript does (transformers/typeSerializer.ts): one class out of a union
/// or an intersection with what says nothing, and the elements of a rest parameter. With `strict` (`strictNullChecks`) `null` and
/// `undefined` say something. Types have no other meaning here, as they go.
pub(super) fn reduce_types<'a>(allocator: &'a Allocator, program: &mut Program<'a>, strict: bool) {
    Reducer { allocator, strict }.visit_program(program);
}

struct Reducer<'a> {
    allocator: &'a Allocator,
    strict: bool,
}

impl Reducer<'_> {
    fn reduce(&self, it: &mut TSType<'_>) {
        let (types, is_intersection) = match it {
            TSType::TSParenthesizedType(inner) => return self.reduce(&mut inner.type_annotation),
            TSType::TSUnionType(union) => (&mut union.types, false),
            TSType::TSIntersectionType(intersection) => (&mut intersection.types, true),
            _ => return,
        };
        types.iter_mut().for_each(|one| self.reduce(one));
        let says_nothing = |one: &TSType<'_>| match one.without_parenthesized() {
            TSType::TSNeverKeyword(_) => !is_intersection,
            TSType::TSUnknownKeyword(_) => is_intersection,
            TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_) => !self.strict,
            _ => false,
        };
        let mut left = types.iter().enumerate().filter(|(_, one)| !says_nothing(one));
        let Some((at, first)) = left.next() else { return };
        if left.all(|(_, other)| is_same_reference(first, other)) {
            let only = types.swap_remove(at);
            *it = only;
        }
    }
}

/// Whether two types are the same name.
fn is_same_reference(one: &TSType<'_>, other: &TSType<'_>) -> bool {
    match (one.without_parenthesized(), other.without_parenthesized()) {
        (TSType::TSTypeReference(one), TSType::TSTypeReference(other)) => {
            is_same_name(&one.type_name, &other.type_name)
        }
        _ => false,
    }
}

fn is_same_name(one: &TSTypeName<'_>, other: &TSTypeName<'_>) -> bool {
    match (one, other) {
        (TSTypeName::IdentifierReference(one), TSTypeName::IdentifierReference(other)) => one.name == other.name,
        (TSTypeName::QualifiedName(one), TSTypeName::QualifiedName(other)) => {
            one.right.name == other.right.name && is_same_name(&one.left, &other.left)
        }
        _ => false,
    }
}

/// The type of the elements of a list by its type; `None` if only the compiler knows it.
fn element_of<'a>(allocator: &'a Allocator, list: &mut TSType<'a>) -> Option<TSType<'a>> {
    match list {
        TSType::TSArrayType(array) => Some(array.element_type.take_in(&allocator)),
        TSType::TSTypeReference(reference) => {
            let arguments = &mut reference.type_arguments.as_mut()?.params;
            if arguments.len() == 1 { arguments.pop() } else { None }
        }
        _ => None,
    }
}

impl<'a> VisitMut<'a> for Reducer<'a> {
    fn visit_ts_type_annotation(&mut self, it: &mut TSTypeAnnotation<'a>) {
        self.reduce(&mut it.type_annotation);
    }

    fn visit_formal_parameter_rest(&mut self, it: &mut FormalParameterRest<'a>) {
        walk_mut::walk_formal_parameter_rest(self, it);
        let Some(mut annotation) = it.type_annotation.take() else { return };
        if let Some(element) = element_of(self.allocator, &mut annotation.type_annotation) {
            annotation.type_annotation = element;
            self.reduce(&mut annotation.type_annotation);
            it.type_annotation = Some(annotation);
        }
    }
}
