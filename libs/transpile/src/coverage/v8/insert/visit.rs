//! What the walk does in functions, classes and expressions.

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::super::names::{is_call, key_name, literal_truth, target_name};
use super::{Counter, Insertion, js_end, next_token};

impl<'a> VisitJs<'a> for Counter<'_> {
    fn visit_program(&mut self, it: &Program<'a>) {
        let counter = self.begin_function(String::new(), 0, self.source.len() as u32);
        let count = self.count(counter);
        // Before what runs: what looks for imports and exports in the text finds them at the beginning of a statement.
        let first = it.body.iter().find(|statement| {
            !matches!(
                statement,
                Statement::ImportDeclaration(_)
                    | Statement::ExportAllDeclaration(_)
                    | Statement::ExportNamedDeclaration(_)
                    | Statement::ExportFromDeclaration(_)
            )
        });
        let (at, text) = match (it.directives.last(), first) {
            (Some(last), _) => (last.span.end, format!(";{count}")),
            (None, Some(first)) => (start_of(first), count),
            // Behind a comment, or a `#!` line.
            (None, None) => (self.source.len() as u32, format!("\n{count}")),
        };
        self.put(at, text);
        self.list(&it.body, true);
        self.open.pop();
    }

    fn visit_statements(&mut self, it: &oxc_allocator::Vec<'a, Statement<'a>>) {
        self.list(it, false);
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        self.statement(it, false);
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        let Some(body) = it.body.as_deref().filter(|_| !it.declare) else { return };
        let method = self.method.take();
        let start = method.as_ref().map(|(_, start)| *start).filter(|start| *start != u32::MAX);
        let (name, is_own) = match (&it.id, method) {
            (Some(id), _) => (id.name.to_string(), true),
            (None, Some((name, _))) => (name, true),
            (None, None) => (self.infer(), false),
        };
        let is_constructor = is_own && name.starts_with(char::is_uppercase);
        if is_constructor {
            self.constructors.push(name.clone());
        }
        let counter = self.begin_function(name, start.unwrap_or(it.span.start), body.span.end);
        if let Some(function) = self.functions.last_mut() {
            function.is_eager = self.eager == it.span.start;
        }
        self.unnamed(|this| {
            let class_name = this.class_name.take();
            this.visit_formal_parameters(&it.params);
            let counts_in_body = !it.generator || !this.count_call(it, body, counter);
            this.function_body(body, counts_in_body.then_some(counter));
            this.class_name = class_name;
        });
        self.open.pop();
        if is_constructor {
            self.constructors.pop();
        }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let method = self.method.take();
        let name = method.map_or_else(|| self.infer(), |(name, _)| name);
        let end = match &it.body {
            ArrowFunctionBody::FunctionBody(body) => body.span.end,
            body => body.as_expression().map_or(it.span.end, js_end),
        };
        let start = match &it.type_parameters {
            // Types are blanks before the parameters.
            Some(_) if !it.r#async => it.params.span.start,
            _ => it.span.start,
        };
        let counter = self.begin_function(name, start, end);
        self.unnamed(|this| {
            this.visit_formal_parameters(&it.params);
            match &it.body {
                ArrowFunctionBody::FunctionBody(body) => this.function_body(body, Some(counter)),
                body => {
                    let Some(expression) = body.as_expression() else { return };
                    this.wrap(expression.span(), counter);
                    this.visit_expression(expression);
                }
            }
        });
        self.open.pop();
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return;
        }
        self.visit_decorators(&it.decorators);
        let name = match &it.id {
            Some(id) => id.name.to_string(),
            None => self.class_name.take().unwrap_or_default(),
        };
        let inferred = self.inferred.take();
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        if name.starts_with(char::is_uppercase) {
            self.constructors.push(name.clone());
        }
        let (fields, statics) = (self.fields(&it.body, false), self.fields(&it.body, true));
        for element in &it.body.body {
            match element {
                ClassElement::MethodDefinition(method) => {
                    self.visit_decorators(&method.decorators);
                    let key = method.key.span().start;
                    if method.computed {
                        self.visit_property_key(&method.key);
                    }
                    let after = method.decorators.last().map_or(method.span.start, |last| last.span.end);
                    let start = self.member_start(after, key);
                    let own = key_name(&method.key, method.computed).unwrap_or_default();
                    let own = match method.kind {
                        MethodDefinitionKind::Constructor => name.clone(),
                        MethodDefinitionKind::Get if !own.is_empty() => format!("get {own}"),
                        MethodDefinitionKind::Set if !own.is_empty() => format!("set {own}"),
                        _ => own,
                    };
                    self.method = Some((own, start));
                    self.visit_function(&method.value, ScopeFlags::Function);
                    self.method = None;
                }
                ClassElement::PropertyDefinition(property) => {
                    self.visit_decorators(&property.decorators);
                    if property.computed {
                        self.visit_property_key(&property.key);
                    }
                    if let Some(value) = property.value.as_ref().filter(|_| !property.declare) {
                        let name = key_name(&property.key, property.computed);
                        let function = if property.r#static { statics } else { fields };
                        self.in_initializer(function, |this| this.named(name, value, true));
                    }
                }
                ClassElement::StaticBlock(block) => {
                    self.continuations.insert(block.span.end);
                    self.in_initializer(statics, |this| {
                        this.list(&block.body, true);
                    });
                }
                _ => walk_js::walk_class_element(self, element),
            }
        }
        if name.starts_with(char::is_uppercase) {
            self.constructors.pop();
        }
        self.inferred = inferred;
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        self.visit_binding_pattern(&it.id);
        if let Some(init) = &it.init {
            let name = match &it.id {
                BindingPattern::BindingIdentifier(id) => Some(id.name.to_string()),
                _ => None,
            };
            self.named(name, init, true);
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.visit_decorators(&it.decorators);
        self.visit_binding_pattern(&it.pattern);
        if let Some(init) = &it.initializer {
            self.named(binding_name(&it.pattern), init, true);
        }
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.visit_binding_pattern(&it.left);
        self.named(binding_name(&it.left), &it.right, true);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let start = std::mem::replace(&mut self.statement_start, u32::MAX);
        self.visit_assignment_target(&it.left);
        let is_own = matches!(it.left, AssignmentTarget::AssignmentTargetIdentifier(_));
        let name = match (target_name(&it.left), &self.inferred) {
            (Some(name), Some(outer)) if outer.contains('.') && !is_own => Some(format!("{outer}.{name}")),
            (name, inferred) => name.or_else(|| inferred.clone()),
        };
        self.named(name, &it.right, is_own);
        self.statement_start = start;
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.computed {
            self.visit_property_key(&it.key);
        }
        let name = key_name(&it.key, it.computed);
        let is_function = matches!(it.value, Expression::FunctionExpression(_));
        if is_function && (it.method || it.kind != PropertyKind::Init) {
            let name = match it.kind {
                _ if name.is_none() => self.infer(),
                PropertyKind::Get => format!("get {}", name.unwrap_or_default()),
                PropertyKind::Set => format!("set {}", name.unwrap_or_default()),
                PropertyKind::Init => name.unwrap_or_default(),
            };
            self.method = Some((name, it.span.start));
            self.visit_expression(&it.value);
            self.method = None;
            return;
        }
        match (name, self.inferred.clone()) {
            (None, inferred) => {
                let inferred = inferred.filter(|_| !is_call(&it.value));
                let before = std::mem::replace(&mut self.inferred, inferred);
                self.visit_expression(&it.value);
                self.inferred = before;
            }
            (Some(name), _) if is_anonymous_function(&it.value) => self.named(Some(name), &it.value, true),
            (Some(name), Some(outer)) => self.named(Some(format!("{outer}.{name}")), &it.value, false),
            (Some(name), None) => self.named(Some(name), &it.value, false),
        }
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.id.is_none() => {
                self.method = Some(("default".to_string(), u32::MAX));
                self.visit_function(function, ScopeFlags::Function);
                self.method = None;
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_none() => {
                self.class_name = Some("default".to_string());
                self.visit_class(class);
                self.class_name = None;
            }
            declaration => match declaration.as_expression() {
                Some(expression) => self.named(Some("default".to_string()), expression, true),
                None => walk_js::walk_export_default_declaration(self, it),
            },
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let inferred = self.inferred.take();
        self.visit_expression(&it.callee);
        if it.optional {
            self.optional_call(it);
        }
        self.statement_start_aside(|this| it.arguments.iter().for_each(|one| this.visit_argument(one)));
        self.inferred = inferred;
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        let inferred = self.inferred.take();
        walk_js::walk_new_expression(self, it);
        self.inferred = inferred;
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.unnamed(|this| this.visit_expression(&it.object));
        let span = it.property.span;
        let name = &self.source[span.start as usize..span.end as usize];
        if it.optional && !name.contains('\\') {
            let counter = self.range(next_token(self.source, it.object.span().end), span.end);
            // The name becomes a string, in which there is no place for a mark.
            let array = self.array;
            let text = format!("/*{array}.*/[({array}[{counter}]++,\"");
            self.insertions.push(Insertion { at: span.start, ends: None, text, is_marked: true });
            let ends = Some((span.start, self.insertions.len()));
            let text = format!("\")]/*{array}.*/");
            self.insertions.push(Insertion { at: span.end, ends, text, is_marked: true });
        }
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.unnamed(|this| {
            this.visit_expression(&it.object);
            if it.optional {
                let start = next_token(this.source, it.object.span().end);
                let counter = this.range(start, it.span.end);
                this.wrap(it.expression.span(), counter);
            }
            this.visit_expression(&it.expression);
        });
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        self.visit_expression(&it.left);
        let span = it.right.span();
        let counter = self.range(next_token(self.source, it.left.span().end), js_end(&it.right));
        let skips = match it.operator {
            LogicalOperator::Or => literal_truth(&it.left) == Some(true),
            LogicalOperator::And => literal_truth(&it.left) == Some(false),
            LogicalOperator::Coalesce => false,
        };
        if !skips {
            self.wrap(span, counter);
            self.visit_expression(&it.right);
        }
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.visit_expression(&it.test);
        let truth = literal_truth(&it.test);
        for (way, before, is_skipped) in [
            (&it.consequent, it.test.span().end, truth == Some(false)),
            (&it.alternate, it.consequent.span().end, truth == Some(true)),
        ] {
            let counter = self.range(next_token(self.source, before), js_end(way));
            if !is_skipped {
                self.wrap(way.span(), counter);
                self.visit_expression(way);
            }
        }
    }

    fn visit_parenthesized_expression(&mut self, it: &ParenthesizedExpression<'a>) {
        self.eager = it.expression.span().start;
        self.visit_expression(&it.expression);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if it.operator == UnaryOperator::LogicalNot {
            self.eager = it.argument.span().start;
        }
        self.visit_expression(&it.argument);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.suspend(it.span);
        self.statement_start_aside(|this| this.visit_expression(&it.argument));
    }

    fn visit_yield_expression(&mut self, it: &YieldExpression<'a>) {
        self.suspend(it.span);
        self.statement_start_aside(|this| it.argument.iter().for_each(|one| this.visit_expression(one)));
    }

    // Only types, or nothing that runs.
    fn visit_ts_enum_declaration(&mut self, _: &TSEnumDeclaration<'a>) {}
    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}
}

/// Where a statement begins: with its decorators, which may stand before `export`.
fn start_of(statement: &Statement<'_>) -> u32 {
    let class = match statement {
        Statement::ExportDeclaration(it) => match &it.declaration {
            Declaration::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        Statement::ClassDeclaration(class) => Some(class),
        _ => None,
    };
    let decorator = class.and_then(|class| class.decorators.first());
    decorator.map_or(u32::MAX, |decorator| decorator.span.start).min(statement.span().start)
}

fn binding_name(binding: &BindingPattern<'_>) -> Option<String> {
    match binding {
        BindingPattern::BindingIdentifier(it) => Some(it.name.to_string()),
        _ => None,
    }
}

fn is_anonymous_function(expression: &Expression<'_>) -> bool {
    matches!(
        expression.get_inner_expression(),
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) | Expression::ClassExpression(_)
    )
}

impl Counter<'_> {
    /// Visits what is not at the start of a statement.
    fn statement_start_aside(&mut self, visit: impl FnOnce(&mut Self)) {
        let start = std::mem::replace(&mut self.statement_start, u32::MAX);
        visit(self);
        self.statement_start = start;
    }

    fn optional_call(&mut self, it: &CallExpression<'_>) {
        let link = next_token(self.source, it.callee.span().end);
        let open = it.type_arguments.as_ref().map_or(link + 2, |types| types.span.end);
        let open = next_token(self.source, open);
        let counter = self.range(link, it.span.end);
        let array = self.array;
        match it.arguments.first() {
            None => self.put(open + 1, format!("...({array}[{counter}]++,[])")),
            Some(Argument::SpreadElement(spread)) => self.wrap(spread.argument.span(), counter),
            Some(first) => self.wrap(first.span(), counter),
        }
    }

    /// Has a call of a generator count, whose body runs later or never: among its parameters, by a pattern without names. Whether
    /// that could be done.
    fn count_call(&mut self, it: &Function<'_>, body: &FunctionBody<'_>, counter: u32) -> bool {
        let text = &self.source[it.span.start as usize..it.span.end as usize];
        if it.params.rest.is_some() || !body.directives.is_empty() || text.contains("arguments") {
            return false;
        }
        let close = it.params.span.end - 1;
        let is_open = |last: &FormalParameter<'_>| {
            let next = next_token(self.source, last.span.end) as usize;
            self.source[next..].starts_with(',')
        };
        let comma = if it.params.items.last().is_none_or(is_open) { "" } else { "," };
        self.put(close, format!("{comma}...{{[({}[{counter}]++,\"length\")]:{{}}}}", self.array));
        true
    }
}
