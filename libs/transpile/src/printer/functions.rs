//! Functions of all kinds.

use oxc_ast::ast::*;

use super::{FREE, Limits, Printer, level};

impl Printer<'_> {
    /// A declaration or an expression.
    pub(super) fn function(&mut self, it: &Function<'_>) {
        if it.r#async {
            self.word("async");
        }
        self.put("function");
        if it.generator {
            self.put("*");
        }
        if let Some(id) = &it.id {
            self.put(" ");
            self.binding_name(id);
        } else if it.generator {
            self.put(" ");
        }
        self.function_rest(it);
    }

    /// What stands behind the name.
    pub(super) fn function_rest(&mut self, it: &Function<'_>) {
        self.params(&it.params);
        self.put(" ");
        if let Some(body) = &it.body {
            self.function_body(body);
        }
    }

    fn params(&mut self, params: &FormalParameters<'_>) {
        self.put("(");
        for (index, param) in params.items.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.binding(&param.pattern);
            if let Some(init) = &param.initializer {
                self.initial(init);
            }
        }
        if let Some(rest) = &params.rest {
            self.put(if params.items.is_empty() { "..." } else { ", ..." });
            self.binding(&rest.rest.argument);
        }
        self.put(")");
    }

    fn function_body(&mut self, body: &FunctionBody<'_>) {
        let is_empty =
            body.directives.is_empty() && body.statements.iter().all(|it| matches!(it, Statement::EmptyStatement(_)));
        self.braces(is_empty, |this| {
            this.directives(&body.directives);
            this.body_statements(&body.statements);
        });
    }

    pub(super) fn arrow(&mut self, it: &ArrowFunctionExpression<'_>, limits: Limits) {
        if it.r#async {
            self.word("async");
        }
        self.params(&it.params);
        self.put(" => ");
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => self.function_body(body),
            body => {
                if let Some(expression) = body.as_expression() {
                    self.arrow_start = self.out.len();
                    self.expression(expression, level::COMMA, limits.only_in());
                }
            }
        }
    }

    /// A method of an object or a class, without `static`; `kind` is `get `, `set ` or nothing.
    pub(super) fn method(&mut self, kind: &str, key: &PropertyKey<'_>, computed: bool, function: &Function<'_>) {
        self.put(kind);
        if function.r#async {
            self.put(if function.generator { "async* " } else { "async " });
        } else if function.generator {
            self.put("*");
        }
        self.key(key, computed);
        self.function_rest(function);
    }

    /// A name in brackets, or as it is.
    pub(super) fn key(&mut self, key: &PropertyKey<'_>, computed: bool) {
        if computed {
            self.put("[");
            if let Some(expression) = key.as_expression() {
                self.expression(expression, level::COMMA, FREE);
            }
            self.put("]");
            return;
        }
        match key {
            PropertyKey::StaticIdentifier(it) => self.put(&it.name),
            PropertyKey::PrivateIdentifier(it) => {
                self.put("#");
                self.put(&it.name);
            }
            PropertyKey::StringLiteral(it) => self.text_key(it),
            // It has no name as a number.
            PropertyKey::NumericLiteral(it) if it.value.is_infinite() => {
                self.put("[");
                self.number(it.value, level::COMMA);
                self.put("]");
            }
            _ => {
                if let Some(expression) = key.as_expression() {
                    self.expression(expression, level::COMMA, FREE);
                }
            }
        }
    }
}
