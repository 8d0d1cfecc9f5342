//! Names that a module does not declare itself.

use oxc::allocator::{Allocator, FromIn};
use oxc::ast::ast::{IdentifierReference, Program};
use oxc::ast_visit::VisitMut;
use oxc::semantic::Scoping;
use oxc::str::Ident;

/// Renames what a module takes from elsewhere: each reference to a name that it does not declare, where `renamed` gives another one.
pub fn rename_free_names<'a, 'b>(
    program: &mut Program<'a>,
    allocator: &'a Allocator,
    scoping: &Scoping,
    renamed: impl Fn(&str) -> Option<&'b str>,
) {
    Renamer { allocator, scoping, renamed }.visit_program(program);
}

struct Renamer<'a, 'b, F> {
    allocator: &'a Allocator,
    scoping: &'b Scoping,
    renamed: F,
}

impl<'a, 'c, F: Fn(&str) -> Option<&'c str>> VisitMut<'a> for Renamer<'a, '_, F> {
    fn visit_identifier_reference(&mut self, identifier: &mut IdentifierReference<'a>) {
        let is_free = identifier
            .reference_id
            .get()
            .is_none_or(|reference| self.scoping.get_reference(reference).symbol_id().is_none());
        if is_free && let Some(new) = (self.renamed)(identifier.name.as_str()) {
            identifier.name = Ident::from_in(new, self.allocator);
        }
    }
}
