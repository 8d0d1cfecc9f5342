//! Classes and their members.

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::Eraser;

impl<'a> Eraser<'a, '_> {
    pub(super) fn class(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            let word = self.tokens.word(it.span.start);
            debug_assert_eq!(word, "abstract");
            self.edits.blank(it.span.start, it.span.start + word.len() as u32);
        }
        if let Some(id) = &it.id {
            self.visit_binding_identifier(id);
        }
        if let Some(parameters) = &it.type_parameters {
            self.blank(parameters.span);
        }
        let mut end = it.span.start;
        if let Some(id) = &it.id {
            end = id.span.end;
        }
        if let Some(parameters) = &it.type_parameters {
            end = parameters.span.end;
        }
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
            end = heritage.expression.span().end;
            if let Some(arguments) = &heritage.type_arguments {
                self.blank(arguments.span);
                end = arguments.span.end;
            }
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            // An anonymous class without heritage has only `class` (and `abstract`) before `implements`.
            let mut start = self.tokens.skip(end);
            while self.tokens.word(start) != "implements" && start < first.span.start {
                start = self.tokens.skip(start + self.tokens.word(start).len().max(1) as u32);
            }
            self.edits.blank(start, last.span.end);
        }
        self.members(&it.body.body);
    }

    fn members(&mut self, members: &[ClassElement<'a>]) {
        // End of the last kept member, if it is a field without semicolon.
        let mut open = false;
        for member in members {
            let span = member.span();
            let erased = match member {
                ClassElement::TSIndexSignature(_) => true,
                ClassElement::MethodDefinition(it) => it.value.body.is_none(),
                ClassElement::PropertyDefinition(it) => {
                    it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition
                }
                ClassElement::AccessorProperty(it) => it.r#type == AccessorPropertyType::TSAbstractAccessorProperty,
                ClassElement::StaticBlock(_) => false,
            };
            if erased {
                self.edits.blank_with(span.start, span.end, if open { b';' } else { b' ' }, b' ');
                open = false;
                continue;
            }
            let mark = self.edits.len();
            match member {
                ClassElement::MethodDefinition(it) => self.method(it, open),
                ClassElement::PropertyDefinition(it) => self.field(it, open),
                ClassElement::AccessorProperty(it) => {
                    self.modifiers(span, &it.key, open);
                    self.mark_and_annotation(&it.key, it.computed, it.definite, it.type_annotation.as_deref());
                    walk_js::walk_accessor_property(self, it);
                    self.close(mark, span);
                }
                _ => self.visit_class_element(member),
            }
            open = matches!(member, ClassElement::PropertyDefinition(_) | ClassElement::AccessorProperty(_))
                && self.tokens.byte(span.end - 1) != Some(b';');
        }
    }

    fn method(&mut self, it: &MethodDefinition<'a>, open: bool) {
        self.modifiers(it.span, &it.key, open);
        self.mark_and_annotation(&it.key, it.computed, it.optional, None);
        walk_js::walk_method_definition(self, it);
    }

    fn field(&mut self, it: &PropertyDefinition<'a>, open: bool) {
        let mark = self.edits.len();
        self.modifiers(it.span, &it.key, open);
        let marked = it.optional || it.definite;
        self.mark_and_annotation(&it.key, it.computed, marked, it.type_annotation.as_deref());
        walk_js::walk_property_definition(self, it);
        self.close(mark, it.span);
    }

    /// Blanks `public`, `readonly` and the like before the key. `open`: the member before this one has no
    /// semicolon, and what comes after the modifiers could continue it.
    fn modifiers(&mut self, span: Span, key: &PropertyKey<'a>, open: bool) {
        let key_start = key.span().start;
        let mut at = self.tokens.skip(span.start);
        while at < key_start {
            let word = self.tokens.word(at);
            let end = at + word.len().max(1) as u32;
            if matches!(word, "public" | "private" | "protected" | "override" | "readonly" | "abstract" | "declare") {
                let first = if open && at == span.start { b';' } else { b' ' };
                self.edits.blank_with(at, end, first, b' ');
            } else if word.is_empty() && self.tokens.byte(at) == Some(b'[') {
                return;
            }
            at = self.tokens.skip(end);
        }
    }

    /// Blanks `?` or `!` after a key, and the type.
    fn mark_and_annotation(
        &mut self,
        key: &PropertyKey<'a>,
        computed: bool,
        marked: bool,
        annotation: Option<&TSTypeAnnotation<'a>>,
    ) {
        if marked {
            let mut at = self.tokens.skip(key.span().end);
            if computed {
                at = self.tokens.skip(at + 1);
            }
            if matches!(self.tokens.byte(at), Some(b'?' | b'!')) {
                self.edits.blank(at, at + 1);
            }
        }
        self.blank_annotation(annotation);
    }
}
