//! Statements.

use oxc_ast::ast::*;

use super::{FREE, Limits, NOWHERE, Previous, Printer, level};

impl Printer<'_> {
    pub(super) fn directives(&mut self, directives: &[Directive<'_>]) {
        for directive in directives {
            self.indentation();
            // The text as it was written, since a directive with an escape is another one.
            let quote = if has_open_quote(&directive.directive) { "'" } else { "\"" };
            self.put(quote);
            self.put(&directive.directive);
            self.put(quote);
            self.statement_end();
            self.previous = Previous::Other;
        }
    }

    /// Statements of a program or a function. Texts at the beginning stay values.
    pub(super) fn body_statements(&mut self, statements: &[Statement<'_>]) {
        let is_text = |statement: &Statement<'_>| {
            matches!(statement, Statement::ExpressionStatement(it)
                if matches!(it.expression.without_parentheses(), Expression::StringLiteral(_)))
        };
        // Empty ones are not printed, so a text behind them comes first, too.
        let is_silent =
            |statement: &Statement<'_>| is_text(statement) || matches!(statement, Statement::EmptyStatement(_));
        for (index, statement) in statements.iter().enumerate() {
            if is_text(statement) && statements[..index].iter().all(is_silent) {
                let Statement::ExpressionStatement(it) = statement else { continue };
                self.indentation();
                self.put("(");
                self.expression(&it.expression, level::LOWEST, FREE);
                self.put(")");
                self.statement_end();
                self.previous = Previous::Other;
            } else {
                self.statement(statement);
            }
        }
    }

    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// `{`, indented statements, `}`.
    pub(super) fn braces(&mut self, is_empty: bool, print: impl FnOnce(&mut Self)) {
        if is_empty {
            self.put("{}");
            return;
        }
        self.put("{\n");
        self.indent += 1;
        print(self);
        self.indent -= 1;
        self.indentation();
        self.put("}");
    }

    fn block(&mut self, block: &BlockStatement<'_>) {
        let is_empty = block.body.iter().all(|it| matches!(it, Statement::EmptyStatement(_)));
        self.braces(is_empty, |this| this.statements(&block.body));
    }

    /// What a loop, a condition or a label is about, up to the end of the line.
    fn nested(&mut self, body: &Statement<'_>) {
        if let Statement::BlockStatement(block) = body {
            self.put(" ");
            self.block(block);
            self.line_end();
        } else {
            self.line_end();
            self.nested_line(body);
        }
    }

    fn nested_line(&mut self, body: &Statement<'_>) {
        self.indent += 1;
        if matches!(body, Statement::EmptyStatement(_)) {
            self.indentation();
            self.statement_end();
        } else {
            self.statement(body);
        }
        self.indent -= 1;
    }

    fn in_parentheses(&mut self, keyword: &str, expression: &Expression<'_>) {
        self.word(keyword);
        self.put("(");
        self.expression(expression, level::LOWEST, FREE);
        self.put(")");
    }

    pub(super) fn statement(&mut self, statement: &Statement<'_>) {
        let previous = self.previous;
        let kind = match statement {
            Statement::EmptyStatement(_) => return,
            Statement::ExportAllDeclaration(_)
            | Statement::ExportDefaultDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_) => Previous::Exports,
            _ => Previous::Other,
        };
        let has_gap = match statement {
            Statement::ClassDeclaration(_) => previous != Previous::Nothing,
            Statement::ExportDeclaration(it) => {
                matches!(it.declaration, Declaration::ClassDeclaration(_)) && previous != Previous::Nothing
            }
            Statement::ExportAllDeclaration(_) | Statement::ExportNamedDeclaration(_) => previous == Previous::Other,
            _ => false,
        };
        if has_gap {
            self.line_end();
        }
        self.indentation();
        self.statement_text(statement);
        self.previous = kind;
    }

    fn statement_text(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::BlockStatement(it) => {
                self.block(it);
                self.line_end();
            }
            Statement::BreakStatement(it) => self.jump("break", it.label.as_ref()),
            Statement::ContinueStatement(it) => self.jump("continue", it.label.as_ref()),
            Statement::DebuggerStatement(_) => self.put("debugger;\n"),
            Statement::DoWhileStatement(it) => self.do_while(it),
            Statement::ExpressionStatement(it) => {
                self.statement_start = self.out.len();
                self.expression(&it.expression, level::LOWEST, FREE);
                self.statement_end();
            }
            Statement::ForInStatement(it) => {
                self.put("for (");
                self.loop_left(&it.left);
                self.put(" in ");
                self.expression(&it.right, level::LOWEST, FREE);
                self.put(")");
                self.nested(&it.body);
            }
            Statement::ForOfStatement(it) => {
                self.put(if it.r#await { "for await (" } else { "for (" });
                // `async of` would be the head of an arrow function.
                let is_async =
                    matches!(&it.left, ForStatementLeft::AssignmentTargetIdentifier(name) if name.name == "async");
                self.put(if is_async { "(" } else { "" });
                self.loop_left(&it.left);
                self.put(if is_async { ") of " } else { " of " });
                self.expression(&it.right, level::COMMA, FREE);
                self.put(")");
                self.nested(&it.body);
            }
            Statement::ForStatement(it) => self.for_loop(it),
            Statement::IfStatement(it) => self.condition(it),
            Statement::LabeledStatement(it) => {
                self.put(it.label.name.as_str());
                self.put(":");
                self.nested(&it.body);
            }
            Statement::ReturnStatement(it) => {
                self.put("return");
                if let Some(argument) = &it.argument {
                    self.put(" ");
                    self.expression(argument, level::LOWEST, FREE);
                }
                self.statement_end();
            }
            Statement::SwitchStatement(it) => self.switch(it),
            Statement::ThrowStatement(it) => {
                self.word("throw");
                self.expression(&it.argument, level::LOWEST, FREE);
                self.statement_end();
            }
            Statement::TryStatement(it) => self.attempt(it),
            Statement::WhileStatement(it) => {
                self.in_parentheses("while", &it.test);
                self.nested(&it.body);
            }
            Statement::WithStatement(it) => {
                self.in_parentheses("with", &it.object);
                self.nested(&it.body);
            }
            Statement::ImportDeclaration(it) => self.import(it),
            Statement::ExportAllDeclaration(it) => self.export_all(it),
            Statement::ExportDefaultDeclaration(it) => self.export_default(it),
            Statement::ExportDeclaration(it) => {
                self.word("export");
                self.declaration(&it.declaration);
            }
            Statement::ExportNamedDeclaration(it) => self.export_list(it.span, &it.specifiers, None, None),
            Statement::ExportFromDeclaration(it) => {
                self.export_list(it.span, &it.specifiers, Some(&it.source), it.with_clause.as_deref());
            }
            _ => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
    }

    /// A declaration of JavaScript; those of types are gone by now.
    fn declaration(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            Declaration::VariableDeclaration(it) => {
                self.variables(it, FREE);
                self.statement_end();
            }
            Declaration::FunctionDeclaration(it) => {
                self.function(it);
                self.line_end();
            }
            Declaration::ClassDeclaration(it) => {
                self.class(it);
                self.line_end();
            }
            _ => {}
        }
    }

    fn variables(&mut self, it: &VariableDeclaration<'_>, limits: Limits) {
        self.word(it.kind.as_str());
        for (index, declarator) in it.declarations.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.binding(&declarator.id);
            if let Some(init) = &declarator.init {
                self.put(" = ");
                self.expression(init, level::COMMA, limits);
            }
        }
    }

    fn jump(&mut self, keyword: &str, label: Option<&LabelIdentifier<'_>>) {
        self.put(keyword);
        if let Some(label) = label {
            self.put(" ");
            self.put(label.name.as_str());
        }
        self.statement_end();
    }

    fn do_while(&mut self, it: &DoWhileStatement<'_>) {
        self.put("do");
        if let Statement::BlockStatement(block) = &it.body {
            self.put(" ");
            self.block(block);
            self.put(" ");
        } else {
            self.line_end();
            self.nested_line(&it.body);
            self.indentation();
        }
        self.in_parentheses("while", &it.test);
        self.statement_end();
    }

    fn loop_left(&mut self, left: &ForStatementLeft<'_>) {
        match left {
            ForStatementLeft::VariableDeclaration(it) => self.variables(it, Limits { no_in: true, ..FREE }),
            _ => {
                if let Some(target) = left.as_assignment_target() {
                    self.loop_start = self.out.len();
                    self.target(target);
                    self.loop_start = NOWHERE;
                }
            }
        }
    }

    fn for_loop(&mut self, it: &ForStatement<'_>) {
        self.put("for (");
        let limits = Limits { no_in: true, ..FREE };
        match &it.init {
            Some(ForStatementInit::VariableDeclaration(variables)) => self.variables(variables, limits),
            Some(init) => {
                if let Some(expression) = init.as_expression() {
                    self.loop_start = self.out.len();
                    self.expression(expression, level::LOWEST, limits);
                    self.loop_start = NOWHERE;
                }
            }
            None => {}
        }
        self.put(";");
        if let Some(test) = &it.test {
            self.expression(test, level::LOWEST, FREE);
        }
        self.put("; ");
        if let Some(update) = &it.update {
            self.expression(update, level::LOWEST, FREE);
        }
        self.put(")");
        self.nested(&it.body);
    }

    fn condition(&mut self, it: &IfStatement<'_>) {
        self.in_parentheses("if", &it.test);
        let is_else_taken = it.alternate.is_some() && would_take_else(&it.consequent);
        match &it.consequent {
            Statement::BlockStatement(block) => {
                self.put(" ");
                self.block(block);
                if it.alternate.is_some() {
                    self.put(" ");
                } else {
                    self.line_end();
                }
            }
            inner if is_else_taken => {
                self.put(" ");
                self.braces(false, |this| this.statement(inner));
                self.put(" ");
            }
            inner => {
                self.line_end();
                self.nested_line(inner);
                if it.alternate.is_some() {
                    self.indentation();
                }
            }
        }
        match &it.alternate {
            Some(Statement::IfStatement(next)) => {
                self.word("else");
                self.condition(next);
            }
            Some(alternate) => {
                self.put("else");
                self.nested(alternate);
            }
            None => {}
        }
    }

    fn switch(&mut self, it: &SwitchStatement<'_>) {
        self.in_parentheses("switch", &it.discriminant);
        self.put(" {\n");
        self.indent += 1;
        for case in &it.cases {
            self.indentation();
            if let Some(test) = &case.test {
                self.word("case");
                self.expression(test, level::LOWEST, FREE);
                self.put(":");
            } else {
                self.put("default:");
            }
            if let [Statement::BlockStatement(block)] = case.consequent.as_slice() {
                self.put(" ");
                self.block(block);
                self.line_end();
            } else {
                self.line_end();
                self.indent += 1;
                self.statements(&case.consequent);
                self.indent -= 1;
            }
        }
        self.indent -= 1;
        self.indentation();
        self.put("}\n");
    }

    fn attempt(&mut self, it: &TryStatement<'_>) {
        self.put("try ");
        self.block(&it.block);
        if let Some(handler) = &it.handler {
            self.put(" catch ");
            if let Some(param) = &handler.param {
                self.put("(");
                self.binding(&param.pattern);
                self.put(") ");
            }
            self.block(&handler.body);
        }
        if let Some(finalizer) = &it.finalizer {
            self.put(" finally ");
            self.block(finalizer);
        }
        self.line_end();
    }
}

/// Whether the text of a directive has a double quote without a backslash before it.
fn has_open_quote(raw: &str) -> bool {
    let mut is_escaped = false;
    raw.bytes().any(|byte| {
        let is_open = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_open
    })
}

/// Whether an `else` behind a statement would belong to a condition inside of it.
fn would_take_else(statement: &Statement<'_>) -> bool {
    let mut statement = statement;
    loop {
        statement = match statement {
            Statement::IfStatement(it) => match &it.alternate {
                None => return true,
                Some(alternate) => alternate,
            },
            Statement::ForStatement(it) => &it.body,
            Statement::ForInStatement(it) => &it.body,
            Statement::ForOfStatement(it) => &it.body,
            Statement::WhileStatement(it) => &it.body,
            Statement::WithStatement(it) => &it.body,
            Statement::LabeledStatement(it) => &it.body,
            _ => return false,
        };
    }
}
