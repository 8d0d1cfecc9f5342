//! The walk that finds what is counted and decides where counters go.

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use rustc_hash::FxHashMap;

use super::hints::Hints;
use super::{Branch, BranchKind, Counted, CountedFunction, Instrumented, Lines, Place, Shape, shifted, utf16_len};

/// Text to be put in.
enum Text {
    /// A counter as a statement.
    Count(u32),
    /// The beginning of an expression that counts.
    Wrap(u32),
    /// An `else` that only counts.
    Else(u32),
    Fixed(&'static str),
    Other(String),
}

struct Insertion {
    at: u32,
    /// What begins something comes after what ends there, and of what ends the inner one first: `None`, or where it began.
    ends: Option<u32>,
    text: Text,
}

/// A counter that is known to be that of the next statement as well: nothing happens in between.
type Shared = Option<u32>;

/// Whether control never comes to the end of a statement.
fn leaves(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::BreakStatement(_)
        | Statement::ContinueStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(leaves),
        _ => false,
    }
}

/// Whether nothing can go wrong when an expression is evaluated.
fn is_safe(expression: &Expression<'_>) -> bool {
    let inner = expression.get_inner_expression();
    inner.is_literal()
        || matches!(inner, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
        || matches!(inner, Expression::ArrayExpression(array) if array.elements.is_empty())
        || matches!(inner, Expression::ObjectExpression(object) if object.properties.is_empty())
}

pub(super) struct Counter<'s> {
    lines: Lines<'s>,
    hints: Hints,
    insertions: Vec<Insertion>,
    shape: Shape,
    /// How many functions have a name, to tell them apart.
    names: FxHashMap<String, u32>,
    /// Name and start of the property that the next function is the value of.
    property: Option<(String, u32)>,
    /// An `else` that is not there, of an `if` whose other way leaves: what follows is counted instead. Where it would go
    /// otherwise, and its counter.
    pending: Option<(Span, u32)>,
    /// Where the expression begins that is evaluated right after something was counted, and the counter.
    head: Option<(u32, u32)>,
}

/// Whether an expression takes its name from where its value goes.
fn is_anonymous(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(function) => function.id.is_none(),
        Expression::ClassExpression(class) => class.id.is_none(),
        _ => false,
    }
}

impl<'s> Counter<'s> {
    pub(super) fn new(source: &'s str, hints: Hints) -> Self {
        Self {
            lines: Lines::of(source),
            hints,
            insertions: Vec::new(),
            shape: Shape::default(),
            names: FxHashMap::default(),
            property: None,
            pending: None,
            head: None,
        }
    }

    /// The text with its counters.
    pub(super) fn finish(mut self, path: &str, array: &str) -> Instrumented {
        self.insertions.sort_by_key(|one| (one.at, one.ends.is_none(), std::cmp::Reverse(one.ends)));
        let source = self.lines.source;
        let mut code = String::with_capacity(source.len() + self.insertions.len() * (array.len() + 8));
        let mut moves: Vec<(Place, u32)> = Vec::with_capacity(self.insertions.len());
        let mut at = 0;
        for insertion in &self.insertions {
            let to = insertion.at as usize;
            code.push_str(&source[at..to]);
            at = to;
            let before = code.len();
            match &insertion.text {
                Text::Count(counter) => code.push_str(&format!("{array}[{counter}]++;")),
                Text::Wrap(counter) => code.push_str(&format!("({array}[{counter}]++,")),
                Text::Else(counter) => code.push_str(&format!(" else{{{array}[{counter}]++}}")),
                Text::Fixed(text) => code.push_str(text),
                Text::Other(text) => code.push_str(text),
            }
            moves.push((self.lines.place(insertion.at), utf16_len(&code[before..])));
        }
        code.push_str(&source[at..]);
        let map = shifted(&self.lines, path, &moves);
        Instrumented { code, map, shape: self.shape }
    }

    fn open(&mut self, at: u32, text: Text) {
        self.insertions.push(Insertion { at, ends: None, text });
    }

    fn close(&mut self, span: Span, text: Text) {
        self.insertions.push(Insertion { at: span.end, ends: Some(span.start), text });
    }

    fn counter(&mut self) -> u32 {
        self.shape.counters += 1;
        self.shape.counters - 1
    }

    fn ignores(&self, at: u32) -> bool {
        !self.hints.ignored.is_empty() && self.hints.ignores(at)
    }

    fn counted(&self, span: Span, counter: u32) -> Counted {
        Counted { start: self.lines.place(span.start), end: self.lines.place(span.end), counter }
    }

    fn statement(&mut self, span: Span, counter: u32) {
        let counted = self.counted(span, counter);
        self.shape.statements.push(counted);
    }

    fn branch(&mut self, kind: BranchKind, span: Span) -> usize {
        let (start, end) = (self.lines.place(span.start), self.lines.place(span.end));
        self.shape.branches.push(Branch { kind, start, end, ways: Vec::new(), body: None });
        self.shape.branches.len() - 1
    }

    fn way(&mut self, branch: usize, span: Span) -> u32 {
        let counter = self.counter();
        let counted = self.counted(span, counter);
        self.shape.branches[branch].ways.push(counted);
        counter
    }

    /// The counter of what is at `at`: the shared one, or a new one put there.
    fn count_at(&mut self, at: u32, shared: &mut Shared) -> u32 {
        shared.take().unwrap_or_else(|| {
            let counter = self.counter();
            self.open(at, Text::Count(counter));
            counter
        })
    }

    /// Has an expression count when it is evaluated. `name` is what an anonymous function there is called after.
    fn wrap(&mut self, expression: &Expression<'_>, counter: u32, name: Option<&str>) {
        let span = expression.span();
        self.open(span.start, Text::Wrap(counter));
        match name {
            // A property gives its value the same name.
            Some(name) if is_anonymous(expression) => {
                self.open(span.start, Text::Other(format!("{{[{name:?}]:")));
                self.close(span, Text::Other(format!("}}[{name:?}])")));
            }
            _ => self.close(span, Text::Fixed(")")),
        }
    }

    fn statements(&mut self, list: &[Statement<'_>], mut shared: Shared) {
        for statement in list {
            if let Some((_, counter)) = self.pending.take() {
                self.open(statement.span().start, Text::Count(counter));
                shared = Some(counter);
            }
            self.listed(statement, &mut shared);
        }
        if let Some((span, counter)) = self.pending.take() {
            self.close(span, Text::Else(counter));
        }
    }

    /// `expression` is evaluated right after `counter` has counted.
    fn begins(&mut self, expression: &Expression<'_>, counter: u32) {
        self.head = Some((expression.get_inner_expression().span().start, counter));
    }

    /// A statement in a list of statements, or in braces that have been put around it.
    fn listed(&mut self, statement: &Statement<'_>, shared: &mut Shared) {
        let span = statement.span();
        if self.ignores(span.start) {
            *shared = None;
            return;
        }
        match statement {
            Statement::EmptyStatement(_)
            | Statement::ImportDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::TSNamespaceExportDeclaration(_) => {}
            Statement::ExportDeclaration(it) => self.declaration(&it.declaration, span.start, shared),
            Statement::ExportDefaultDeclaration(_) | Statement::TSExportAssignment(_) => {
                *shared = None;
                walk_js::walk_statement(self, statement);
            }
            Statement::BlockStatement(block) => self.statements(&block.body, shared.take()),
            _ => {
                if let Some(declaration) = statement.as_declaration() {
                    return self.declaration(declaration, span.start, shared);
                }
                let counter = self.count_at(span.start, shared);
                self.statement(span, counter);
                self.inside(statement, counter);
            }
        }
    }

    /// `start` is that of the statement, `export` included.
    fn declaration(&mut self, declaration: &Declaration<'_>, start: u32, shared: &mut Shared) {
        match declaration {
            Declaration::VariableDeclaration(it) => self.variables(it, Some(start), shared),
            Declaration::FunctionDeclaration(it) => self.visit_function(it, ScopeFlags::Function),
            Declaration::ClassDeclaration(it) => {
                *shared = None;
                self.visit_class(it);
            }
            Declaration::TSEnumDeclaration(it) if !it.declare => {
                // Its members are constants, which a counter within would not be.
                let counter = self.count_at(start, shared);
                self.statement(Span::new(start, it.span.end), counter);
                for member in &it.body.members {
                    self.statement(member.span, counter);
                }
            }
            Declaration::TSNamespaceDeclaration(it) if !it.declare => {
                *shared = None;
                let before = self.shape.counters;
                walk_js::walk_ts_namespace_declaration(self, it);
                // One that only has types does not run.
                if self.shape.counters > before {
                    let counter = self.count_at(start, &mut None);
                    self.statement(Span::new(start, it.span.end), counter);
                }
            }
            _ => {}
        }
    }

    /// `start`: where counters may go; `None` in the head of a loop, whose counter `shared` is then.
    fn variables(&mut self, it: &VariableDeclaration<'_>, start: Option<u32>, shared: &mut Shared) {
        if it.declare {
            return;
        }
        let head = *shared;
        for (index, declarator) in it.declarations.iter().enumerate() {
            if let Some(init) = &declarator.init
                && !self.ignores(declarator.span.start)
            {
                let counter = match (start, head) {
                    (Some(start), _) if index == 0 || is_anonymous(init) => self.count_at(start, shared),
                    (None, Some(head)) if index == 0 || is_anonymous(init) => head,
                    _ => {
                        let counter = self.counter();
                        self.wrap(init, counter, None);
                        counter
                    }
                };
                *shared = (start.is_some() && it.declarations.len() == 1 && is_safe(init)).then_some(counter);
                self.statement(init.get_inner_expression().span(), counter);
                self.begins(init, counter);
            }
            self.visit_variable_declarator(declarator);
        }
    }

    /// What a statement consists of.
    fn inside(&mut self, statement: &Statement<'_>, counter: u32) {
        match statement {
            Statement::IfStatement(it) => self.if_statement(it, counter),
            Statement::ForStatement(it) => {
                match &it.init {
                    Some(ForStatementInit::VariableDeclaration(it)) => self.variables(it, None, &mut Some(counter)),
                    Some(init) => self.visit_for_statement_init(init),
                    None => {}
                }
                for expression in it.test.iter().chain(&it.update) {
                    self.visit_expression(expression);
                }
                self.body(&it.body, None);
            }
            Statement::ForInStatement(it) => {
                self.visit_for_statement_left(&it.left);
                self.visit_expression(&it.right);
                self.body(&it.body, None);
            }
            Statement::ForOfStatement(it) => {
                self.visit_for_statement_left(&it.left);
                self.visit_expression(&it.right);
                self.body(&it.body, None);
            }
            Statement::WhileStatement(it) => {
                self.visit_expression(&it.test);
                self.body(&it.body, None);
            }
            Statement::DoWhileStatement(it) => {
                self.body(&it.body, None);
                self.visit_expression(&it.test);
            }
            Statement::WithStatement(it) => {
                self.visit_expression(&it.object);
                self.body(&it.body, None);
            }
            Statement::SwitchStatement(it) => {
                self.begins(&it.discriminant, counter);
                self.switch_statement(it);
            }
            Statement::LabeledStatement(it) => self.statements(std::slice::from_ref(&it.body), Some(counter)),
            Statement::TryStatement(it) => {
                self.statements(&it.block.body, Some(counter));
                if let Some(handler) = &it.handler {
                    if let Some(parameter) = &handler.param {
                        self.visit_catch_parameter(parameter);
                    }
                    self.statements(&handler.body.body, None);
                }
                if let Some(finalizer) = &it.finalizer {
                    self.statements(&finalizer.body, None);
                }
            }
            Statement::ExpressionStatement(it) => {
                self.begins(&it.expression, counter);
                self.visit_expression(&it.expression);
            }
            Statement::ReturnStatement(it) => {
                if let Some(argument) = &it.argument {
                    self.begins(argument, counter);
                    self.visit_expression(argument);
                }
            }
            _ => walk_js::walk_statement(self, statement),
        }
    }

    /// The body of a loop or a way of an `if`, which counts where `counter` is given.
    fn body(&mut self, statement: &Statement<'_>, counter: Shared) {
        if let Statement::BlockStatement(block) = statement {
            if let Some(counter) = counter {
                self.open(block.span.start + 1, Text::Count(counter));
            }
            return self.statements(&block.body, counter);
        }
        if counter.is_none() && matches!(statement, Statement::EmptyStatement(_)) {
            return;
        }
        let span = statement.span();
        self.open(span.start, Text::Fixed("{"));
        if let Some(counter) = counter {
            self.open(span.start, Text::Count(counter));
        }
        self.statements(std::slice::from_ref(statement), counter);
        self.close(span, Text::Fixed("}"));
    }

    fn if_statement(&mut self, it: &IfStatement<'_>, counter: u32) {
        self.begins(&it.test, counter);
        let ignored = self.hints.ways.get(&it.span.start).copied();
        let branch = self.branch(BranchKind::If, it.span);
        self.visit_expression(&it.test);
        let span = it.consequent.span();
        let end = Span::new(it.span.start, span.end);
        if ignored != Some(false) {
            let counter = self.way(branch, it.span);
            self.shape.branches[branch].body = Some((self.lines.place(span.start), self.lines.place(span.end)));
            self.body(&it.consequent, Some(counter));
        } else if !matches!(it.consequent, Statement::BlockStatement(_)) {
            // An `else` that counts is not to become that of an `if` in here.
            self.open(span.start, Text::Fixed("{"));
            self.close(span, Text::Fixed("}"));
        }
        match &it.alternate {
            _ if ignored == Some(true) => {}
            Some(alternate) => {
                let counter = self.way(branch, alternate.span());
                self.body(alternate, Some(counter));
            }
            None => {
                let counter = self.way(branch, it.span);
                if leaves(&it.consequent) {
                    self.pending = Some((end, counter));
                } else {
                    self.close(end, Text::Else(counter));
                }
            }
        }
    }

    fn switch_statement(&mut self, it: &SwitchStatement<'_>) {
        let branch = self.branch(BranchKind::Switch, it.span);
        self.visit_expression(&it.discriminant);
        for case in &it.cases {
            if self.ignores(case.span.start) {
                continue;
            }
            let counter = self.way(branch, case.span);
            if let Some(test) = &case.test {
                self.visit_expression(test);
            }
            let at = case.consequent.first().map_or(case.span.end, |first| first.span().start);
            self.open(at, Text::Count(counter));
            self.statements(&case.consequent, Some(counter));
        }
    }

    fn function_named(&mut self, name: Option<&str>, declared: u32, body: Span) -> u32 {
        let property = self.property.take();
        let start = property.as_ref().map_or(declared, |(_, start)| *start);
        let name = match (name, property) {
            (Some(name), _) => name.to_string(),
            (None, Some((name, _))) => name,
            (None, None) => format!("(anonymous_{})", self.shape.functions.len()),
        };
        let times = self.names.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times > 1 { format!("{name}_{times}") } else { name };
        let counter = self.counter();
        let function = CountedFunction { name, declared: self.lines.place(start), body: self.counted(body, counter) };
        self.shape.functions.push(function);
        counter
    }

    fn function_body(&mut self, body: &FunctionBody<'_>, counter: u32) {
        match body.directives.last() {
            // One without a semicolon would go on.
            Some(last) => {
                self.open(last.span.end, Text::Fixed(";"));
                self.open(last.span.end, Text::Count(counter));
            }
            None => self.open(body.span.start + 1, Text::Count(counter)),
        }
        self.statements(&body.statements, Some(counter));
    }

    /// `name`: of the binding, where it is one name.
    fn default_value(&mut self, span: Span, init: &Expression<'_>, name: Option<&str>) {
        if self.ignores(span.start) {
            return;
        }
        let branch = self.branch(BranchKind::Default, span);
        let counter = self.way(branch, init.span());
        self.wrap(init, counter, name);
        self.visit_expression(init);
    }

    fn operand(&mut self, branch: usize, expression: &Expression<'_>) {
        let inner = expression.get_inner_expression();
        if self.ignores(expression.span().start) {
            return;
        }
        if let Expression::LogicalExpression(it) = inner {
            self.operand(branch, &it.left);
            self.operand(branch, &it.right);
            return;
        }
        let span = inner.span();
        match self.head {
            // Just counted.
            Some((start, counter)) if start == span.start => {
                let counted = self.counted(span, counter);
                self.shape.branches[branch].ways.push(counted);
            }
            _ => {
                let counter = self.way(branch, span);
                self.wrap(expression, counter, None);
            }
        }
        self.visit_expression(expression);
    }

    fn property_name(key: &PropertyKey<'_>, computed: bool) -> Option<String> {
        match key {
            PropertyKey::PrivateIdentifier(it) => Some(format!("#{}", it.name)),
            _ if computed => None,
            _ => key.static_name().map(|name| name.into_owned()),
        }
    }
}

fn binding_name<'b>(binding: &'b BindingPattern<'_>) -> Option<&'b str> {
    match binding {
        BindingPattern::BindingIdentifier(it) => Some(it.name.as_str()),
        _ => None,
    }
}

impl<'a> VisitJs<'a> for Counter<'_> {
    fn visit_program(&mut self, it: &Program<'a>) {
        self.statements(&it.body, None);
    }

    // Statements are met in lists only, except as bodies, which `body` sees to.
    fn visit_statements(&mut self, it: &oxc_allocator::Vec<'a, Statement<'a>>) {
        self.statements(it, None);
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        self.statements(std::slice::from_ref(it), None);
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        let Some(body) = it.body.as_deref().filter(|_| !it.declare) else { return };
        if self.ignores(it.span.start) {
            self.property = None;
            return;
        }
        let declared = it.id.as_ref().map_or(it.span.start, |id| id.span.start);
        let counter = self.function_named(it.id.as_ref().map(|id| id.name.as_str()), declared, body.span);
        self.visit_formal_parameters(&it.params);
        for parameter in &it.params.items {
            // It assigns a property.
            if parameter.accessibility.is_some() || parameter.readonly || parameter.r#override {
                self.statement(parameter.span, counter);
            }
        }
        self.function_body(body, counter);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        if self.ignores(it.span.start) {
            return;
        }
        let counter = self.function_named(None, it.span.start, it.body.span());
        self.visit_formal_parameters(&it.params);
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => self.function_body(body, counter),
            body => {
                let Some(expression) = body.as_expression() else { return };
                self.statement(expression.get_inner_expression().span(), counter);
                self.wrap(expression, counter, None);
                self.begins(expression, counter);
                self.visit_expression(expression);
            }
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.visit_decorators(&it.decorators);
        self.visit_binding_pattern(&it.pattern);
        if let Some(init) = &it.initializer {
            self.default_value(it.span, init, binding_name(&it.pattern));
        }
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.visit_binding_pattern(&it.left);
        self.default_value(it.span, &it.right, binding_name(&it.left));
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'a>) {
        self.visit_assignment_target(&it.binding);
        let name = match &it.binding {
            AssignmentTarget::AssignmentTargetIdentifier(it) => Some(it.name.as_str()),
            _ => None,
        };
        self.default_value(it.span, &it.init, name);
    }

    fn visit_assignment_target_property_identifier(&mut self, it: &AssignmentTargetPropertyIdentifier<'a>) {
        if let Some(init) = &it.init {
            self.default_value(it.span, init, Some(it.binding.name.as_str()));
        }
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        if !self.ignores(it.span().start) {
            walk_js::walk_class_element(self, it);
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.visit_decorators(&it.decorators);
        if it.computed {
            self.visit_property_key(&it.key);
        }
        self.property = Self::property_name(&it.key, it.computed).map(|name| (name, it.span.start));
        self.visit_function(&it.value, ScopeFlags::Function);
        self.property = None;
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.visit_decorators(&it.decorators);
        if it.computed {
            self.visit_property_key(&it.key);
        }
        let Some(value) = it.value.as_ref().filter(|_| !it.declare) else { return };
        let name = Self::property_name(&it.key, it.computed);
        // A function that is called after a computed name has to stay where it is.
        if name.is_some() || !is_anonymous(value) {
            let counter = self.counter();
            self.statement(value.get_inner_expression().span(), counter);
            self.wrap(value, counter, name.as_deref());
        }
        self.visit_expression(value);
    }

    fn visit_object_property_kind(&mut self, it: &ObjectPropertyKind<'a>) {
        if !self.ignores(it.span().start) {
            walk_js::walk_object_property_kind(self, it);
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.computed {
            self.visit_property_key(&it.key);
        }
        if matches!(it.value, Expression::FunctionExpression(_)) {
            self.property = Self::property_name(&it.key, it.computed).map(|name| (name, it.span.start));
        }
        self.visit_expression(&it.value);
        self.property = None;
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        if self.ignores(it.span.start) {
            return;
        }
        let branch = self.branch(BranchKind::Logical, it.span);
        self.operand(branch, &it.left);
        self.operand(branch, &it.right);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        let branch = self.branch(BranchKind::Conditional, it.span);
        self.visit_expression(&it.test);
        for way in [&it.consequent, &it.alternate] {
            if self.ignores(way.span().start) {
                continue;
            }
            let counter = self.way(branch, way.get_inner_expression().span());
            self.wrap(way, counter, None);
            self.visit_expression(way);
        }
    }

    // Only types, or nothing that runs.
    fn visit_ts_enum_declaration(&mut self, _: &TSEnumDeclaration<'a>) {}
    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}
}
