//! TypeScript to JavaScript by blanking types out.
//!
//! Every type annotation becomes as many spaces, so that each remaining token keeps its line and column: stack
//! traces are right without a source map, and nothing is printed anew. This works for all TypeScript that does
//! not generate code (what TypeScript calls `erasableSyntaxOnly`); [`crate::analyze::Facts::generates`] tells.
//!
//! Two things need care. If a blanked token used to end a statement without a semicolon, the next line must
//! not become a continuation: a `;` goes into the blank. If a blank has line breaks inside and JavaScript
//! forbids one (between `)` and `=>`, after `return`), the parenthesis moves over the blank.

mod members;
mod modules;
mod tokens;

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use rustc_hash::FxHashSet;

use crate::analyze::TypeNames;
use crate::edits::Edits;
pub(crate) use modules::update_attributes;
use tokens::Tokens;

/// What the eraser has to know about imports.
pub(crate) struct ImportUse<'a, 'f> {
    /// Names that values use; the others go.
    pub used: &'f FxHashSet<&'a str>,
    /// Keep unused imports that do not say `type`.
    pub verbatim: bool,
}

/// The changes that make JavaScript of `program`, or `None` where blanks do not suffice and the program has to
/// be printed anew (type assertions with `<>` in a few places).
pub(crate) fn erase<'a>(program: &Program<'a>, imports: ImportUse<'a, '_>) -> Option<Edits> {
    let mut eraser = Eraser {
        tokens: Tokens { source: program.source_text },
        edits: Edits::default(),
        bail: false,
        imports,
        types: TypeNames::of(program),
    };
    eraser.visit_program(program);
    (!eraser.bail).then_some(eraser.edits)
}

struct Eraser<'a, 'f> {
    tokens: Tokens<'a>,
    edits: Edits,
    bail: bool,
    imports: ImportUse<'a, 'f>,
    types: TypeNames<'a>,
}

impl<'a> Eraser<'a, '_> {
    fn blank(&mut self, span: Span) {
        self.edits.blank(span.start, span.end);
    }

    fn blank_annotation(&mut self, annotation: Option<&TSTypeAnnotation<'a>>) {
        if let Some(annotation) = annotation {
            self.blank(annotation.span);
        }
    }

    /// Blanks `<T>` after a call or a name.
    fn blank_arguments(&mut self, arguments: Option<&TSTypeParameterInstantiation<'a>>) {
        if let Some(arguments) = arguments {
            self.blank(arguments.span);
        }
    }

    /// Blanks what `outer` has after `inner`, and returns `inner`.
    fn blank_after<'e>(&mut self, inner: &'e Expression<'a>, outer: Span) -> &'e Expression<'a> {
        self.edits.blank(self.tokens.skip(inner.span().end), outer.end);
        inner
    }

    /// Blanks the one-character token `mark`, if it is the next token at `at`.
    fn blank_mark(&mut self, at: u32, mark: u8) {
        let at = self.tokens.skip(at);
        if self.tokens.byte(at) == Some(mark) {
            self.edits.blank(at, at + 1);
        }
    }

    /// Signature parts that functions of all kinds share, except arrows' return types.
    fn signature(&mut self, parameters: Option<&TSTypeParameterDeclaration<'a>>, this: Option<&TSThisParameter<'a>>) {
        if let Some(parameters) = parameters {
            self.blank(parameters.span);
        }
        if let Some(this) = this {
            let comma = self.tokens.skip(this.span.end);
            let end = if self.tokens.byte(comma) == Some(b',') { comma + 1 } else { this.span.end };
            self.edits.blank(this.span.start, end);
        }
    }

    /// Statements that lose their end to a blank get a `;` there. `mark`: number of edits before the statement.
    fn close(&mut self, mark: usize, span: Span) {
        if self.tokens.byte(span.end - 1) != Some(b';') {
            self.edits.end_with_semicolon(mark, span.end);
        }
    }

    /// Visits a list of statements, blanking those that are types only.
    fn statements(&mut self, directives: &[Directive<'a>], statements: &[Statement<'a>]) {
        // End of the last kept statement, if the text after it could continue it.
        let mut open_end = directives.last().map(|directive| directive.span.end);
        for statement in statements {
            if self.is_type_only(statement) {
                let span = statement.span();
                let open = open_end.take().is_some_and(|end| self.tokens.byte(end - 1) != Some(b';'));
                self.edits.blank_with(span.start, span.end, if open { b';' } else { b' ' }, b' ');
                continue;
            }
            open_end = match statement {
                Statement::ExpressionStatement(_)
                | Statement::VariableDeclaration(_)
                | Statement::ReturnStatement(_)
                | Statement::ThrowStatement(_)
                | Statement::BreakStatement(_)
                | Statement::ContinueStatement(_)
                | Statement::DebuggerStatement(_)
                | Statement::DoWhileStatement(_) => Some(statement.span().end),
                _ if statement.is_module_declaration() => Some(statement.span().end),
                // An `if (a) b` without braces ends like the statement inside.
                _ if self.tokens.byte(statement.span().end - 1) != Some(b'}') => Some(statement.span().end),
                _ => None,
            };
            self.visit_statement(statement);
        }
    }
}

impl<'a> VisitJs<'a> for Eraser<'a, '_> {
    fn visit_program(&mut self, it: &Program<'a>) {
        self.statements(&it.directives, &it.body);
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        self.statements(&it.directives, &it.statements);
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        self.statements(&[], &it.body);
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.statements(&[], &it.body);
    }

    fn visit_switch_case(&mut self, it: &SwitchCase<'a>) {
        if let Some(test) = &it.test {
            self.visit_expression(test);
        }
        self.statements(&[], &it.consequent);
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        let mark = self.edits.len();
        walk_js::walk_statement(self, it);
        match it {
            Statement::ExpressionStatement(_)
            | Statement::VariableDeclaration(_)
            | Statement::ReturnStatement(_)
            | Statement::ThrowStatement(_)
            | Statement::ExportDeclaration(_)
            | Statement::ExportDefaultDeclaration(_) => self.close(mark, it.span()),
            _ => {}
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_mark(it.id.span().end, b'!');
        }
        self.blank_annotation(it.type_annotation.as_deref());
        walk_js::walk_variable_declarator(self, it);
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'a>) {
        self.blank_annotation(it.type_annotation.as_deref());
        walk_js::walk_catch_parameter(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.optional {
            self.blank_mark(it.pattern.span().end, b'?');
        }
        self.blank_annotation(it.type_annotation.as_deref());
        walk_js::walk_formal_parameter(self, it);
    }

    fn visit_formal_parameter_rest(&mut self, it: &FormalParameterRest<'a>) {
        self.blank_annotation(it.type_annotation.as_deref());
        walk_js::walk_formal_parameter_rest(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.signature(it.type_parameters.as_deref(), it.this_param.as_deref());
        self.blank_annotation(it.return_type.as_deref());
        walk_js::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let open = it.params.span.start;
        if let Some(parameters) = &it.type_parameters {
            if self.tokens.has_line_break(Span::new(parameters.span.start, open)) {
                // `return <T\n>(x) => x`, `async <T>\n(x) => x`: no line break may come before `(`.
                self.edits.blank_with(parameters.span.start, parameters.span.end, b'(', b' ');
                self.edits.blank(open, open + 1);
            } else {
                self.blank(parameters.span);
            }
        }
        if let Some(annotation) = &it.return_type {
            let close = it.params.span.end - 1;
            let gap = Span::new(close, annotation.span.end);
            if self.tokens.has_line_break(gap) && self.tokens.byte(close) == Some(b')') {
                // No line break may come between `)` and `=>`.
                self.edits.blank(close, close + 1);
                self.edits.blank_with(annotation.span.start, annotation.span.end, b' ', b')');
            } else {
                self.blank(annotation.span);
            }
        }
        walk_js::walk_arrow_function_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.blank_arguments(it.type_arguments.as_deref());
        self.visit_arguments(&it.arguments);
        self.visit_expression(&it.callee);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.blank_arguments(it.type_arguments.as_deref());
        walk_js::walk_new_expression(self, it);
    }

    fn visit_jsx_opening_element(&mut self, it: &JSXOpeningElement<'a>) {
        self.blank_arguments(it.type_arguments.as_deref());
        walk_js::walk_jsx_opening_element(self, it);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.blank(it.type_arguments.span);
        self.visit_expression(&it.expression);
    }

    // Assignment targets and links of optional chains; other expressions are in `visit_expression`.
    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        let inner = self.blank_after(&it.expression, it.span);
        self.visit_expression(inner);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        let inner = self.blank_after(&it.expression, it.span);
        self.visit_expression(inner);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        let inner = self.blank_after(&it.expression, it.span);
        self.visit_expression(inner);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let start = it.expression.span().start;
        // `return <T\n>x` would end after `return`; `() => <T>{}` and a statement that starts with
        // `<T>function` would change their meaning.
        let leads = matches!(self.tokens.byte(start), Some(b'{')) || self.tokens.is_declaration_word(start);
        self.bail |= leads || self.tokens.has_line_break(Span::new(it.span.start, start));
        self.edits.blank(it.span.start, start);
        self.visit_expression(&it.expression);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class(it);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        self.import(it);
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        self.export_specifiers(&it.specifiers, true);
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        self.export_specifiers(&it.specifiers, false);
    }

    fn visit_export_all_declaration(&mut self, _: &ExportAllDeclaration<'a>) {}

    /// Follows the left spine of long chains in a loop, as the scan does.
    fn visit_expression(&mut self, it: &Expression<'a>) {
        let mut next = it;
        loop {
            next = match next {
                Expression::BinaryExpression(it) => {
                    self.visit_expression(&it.right);
                    &it.left
                }
                Expression::LogicalExpression(it) => {
                    self.visit_expression(&it.right);
                    &it.left
                }
                Expression::StaticMemberExpression(it) => &it.object,
                Expression::ComputedMemberExpression(it) => {
                    self.visit_expression(&it.expression);
                    &it.object
                }
                Expression::CallExpression(it) => {
                    self.blank_arguments(it.type_arguments.as_deref());
                    self.visit_arguments(&it.arguments);
                    &it.callee
                }
                Expression::ConditionalExpression(it) => {
                    self.visit_expression(&it.test);
                    self.visit_expression(&it.consequent);
                    &it.alternate
                }
                Expression::TaggedTemplateExpression(it) => {
                    self.blank_arguments(it.type_arguments.as_deref());
                    self.visit_template_literal(&it.quasi);
                    &it.tag
                }
                Expression::TSAsExpression(it) => self.blank_after(&it.expression, it.span),
                Expression::TSSatisfiesExpression(it) => self.blank_after(&it.expression, it.span),
                Expression::TSNonNullExpression(it) => self.blank_after(&it.expression, it.span),
                Expression::ParenthesizedExpression(it) => &it.expression,
                _ => return walk_js::walk_expression(self, next),
            };
        }
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        let mut next = it;
        loop {
            self.visit_expression(&next.test);
            self.visit_statement(&next.consequent);
            match &next.alternate {
                Some(Statement::IfStatement(alternate)) => next = alternate,
                Some(statement) => return self.visit_statement(statement),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests;
