//! Classes.

use oxc_ast::ast::*;

use super::{FREE, Printer, level};

impl Printer<'_> {
    pub(super) fn class(&mut self, it: &Class<'_>) {
        self.put("class");
        if let Some(id) = &it.id {
            self.put(" ");
            self.binding_name(id);
        }
        if let Some(heritage) = &it.heritage {
            self.put(" extends ");
            self.expression(&heritage.expression, level::POSTFIX, FREE);
        }
        self.put(" {\n");
        self.indent += 1;
        for element in &it.body.body {
            self.class_element(element);
        }
        self.indent -= 1;
        self.indentation();
        self.put("}");
    }

    fn class_element(&mut self, element: &ClassElement<'_>) {
        match element {
            ClassElement::StaticBlock(it) => {
                self.indentation();
                self.word("static");
                self.braces(it.body.is_empty(), |this| this.statements(&it.body));
                self.line_end();
            }
            ClassElement::MethodDefinition(it) if it.value.body.is_some() => {
                self.indentation();
                self.place(it.r#static);
                let kind = match it.kind {
                    MethodDefinitionKind::Get => "get ",
                    MethodDefinitionKind::Set => "set ",
                    MethodDefinitionKind::Constructor | MethodDefinitionKind::Method => "",
                };
                self.method(kind, &it.key, it.computed, &it.value);
                self.line_end();
            }
            ClassElement::PropertyDefinition(it) if !it.declare => {
                self.indentation();
                self.place(it.r#static);
                self.field(&it.key, it.computed, it.value.as_ref());
            }
            ClassElement::AccessorProperty(it) => {
                self.indentation();
                self.place(it.r#static);
                self.word("accessor");
                self.field(&it.key, it.computed, it.value.as_ref());
            }
            // Signatures, which only types have.
            ClassElement::MethodDefinition(_)
            | ClassElement::PropertyDefinition(_)
            | ClassElement::TSIndexSignature(_) => {}
        }
    }

    fn place(&mut self, is_static: bool) {
        if is_static {
            self.word("static");
        }
    }

    fn field(&mut self, key: &PropertyKey<'_>, computed: bool, value: Option<&Expression<'_>>) {
        self.key(key, computed);
        if let Some(value) = value {
            self.initial(value);
        }
        self.statement_end();
    }
}
