//! The walk that decides where V8's counters are and which ranges they count.
//!
//! Names of V8's parser are used for what has no other one: a _continuation_ is the range behind a statement, which counts how
//! often control came there.

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use rustc_hash::FxHashSet;

use super::names::{is_call, key_name, literal_truth, target_name};
use super::{Block, Blocks, Function as Counted, Instrumented, Lines, OPEN, Unit, Units, shifted};
use crate::coverage::{Place, utf16_len};

struct Insertion {
    at: u32,
    /// What begins something comes after what ends there, and of what ends the inner one first: `None`, or where it began and how
    /// many came before.
    ends: Option<(u32, usize)>,
    text: String,
    /// Whether the marks around it are in the text already.
    is_marked: bool,
}

pub(super) struct Counter<'s> {
    source: &'s str,
    array: &'s str,
    unit: Unit,
    insertions: Vec<Insertion>,
    functions: Vec<Counted>,
    /// Numbers of the functions that the walk is in.
    open: Vec<usize>,
    counters: u32,
    /// Where continuations begin: of several, the outermost one stays.
    continuations: FxHashSet<u32>,
    /// What the next functions without a name are called.
    inferred: Option<String>,
    /// The name and the start of the property that the next function is the value of.
    method: Option<(String, u32)>,
    /// Functions around that look like constructors: their names stand before inferred ones.
    constructors: Vec<String>,
    /// The name that the next class's constructor has.
    class_name: Option<String>,
    /// Where the expression statement begins that the walk is in.
    statement_start: u32,
    /// Where the function expression begins that V8 compiles at once: what is in parentheses will be called.
    eager: u32,
    /// The `await` or `yield` that is a whole statement, and its end.
    whole: Option<(u32, Span)>,
}

/// Where a token begins that comes after `at`: behind white space and comments.
fn next_token(source: &str, at: u32) -> u32 {
    let mut rest = &source[at as usize..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let end = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find(['\n', '\r', '\u{2028}', '\u{2029}']),
            [b'/', b'*', ..] => rest.find("*/").map(|end| end + 2),
            _ => break,
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
    (source.len() - rest.len()) as u32
}

fn js_end(expression: &Expression<'_>) -> u32 {
    match expression {
        Expression::TSAsExpression(it) => js_end(&it.expression),
        Expression::TSSatisfiesExpression(it) => js_end(&it.expression),
        Expression::TSNonNullExpression(it) => js_end(&it.expression),
        _ => expression.span().end,
    }
}

/// Words before a member that JavaScript does not have, or that V8 does not count to it.
const MODIFIERS: &[&str] =
    &["static", "public", "private", "protected", "override", "readonly", "abstract", "declare", "accessor"];

impl<'s> Counter<'s> {
    pub(super) fn new(source: &'s str, unit: Unit, array: &'s str) -> Self {
        Self {
            source,
            array,
            unit,
            insertions: Vec::new(),
            functions: Vec::new(),
            open: Vec::new(),
            counters: 0,
            continuations: FxHashSet::default(),
            inferred: None,
            method: None,
            constructors: Vec::new(),
            class_name: None,
            statement_start: u32::MAX,
            eager: u32::MAX,
            whole: None,
        }
    }

    pub(super) fn finish(mut self, path: &str) -> Instrumented {
        self.insertions.sort_by_key(|one| (one.at, one.ends.is_none(), std::cmp::Reverse(one.ends)));
        let lines = Lines::of(self.source);
        let mut code = String::with_capacity(self.source.len() + self.insertions.len() * (self.array.len() * 3 + 16));
        let mut moves: Vec<(Place, u32)> = Vec::with_capacity(self.insertions.len());
        let mut at = 0;
        for insertion in &self.insertions {
            code.push_str(&self.source[at..insertion.at as usize]);
            at = insertion.at as usize;
            let before = code.len();
            match insertion.is_marked {
                true => code.push_str(&insertion.text),
                false => {
                    for part in ["/*", self.array, "*/", &insertion.text, "/*", self.array, "*/"] {
                        code.push_str(part);
                    }
                }
            }
            moves.push((lines.place(insertion.at), utf16_len(&code[before..])));
        }
        code.push_str(&self.source[at..]);
        let map = shifted(&lines, path, &moves);
        let units = Units::of(self.source);
        let mut functions = self.functions;
        for function in &mut functions {
            (function.start, function.end) = (units.at(function.start), units.at(function.end));
            for block in &mut function.blocks {
                (block.start, block.end) = (units.at(block.start), units.at(block.end));
            }
        }
        functions.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        Instrumented { code, map, blocks: Blocks { functions, counters: self.counters } }
    }

    fn put(&mut self, at: u32, text: String) {
        self.insertions.push(Insertion { at, ends: None, text, is_marked: false });
    }

    fn put_end(&mut self, span: Span, text: String) {
        let ends = Some((span.start, self.insertions.len()));
        self.insertions.push(Insertion { at: span.end, ends, text, is_marked: false });
    }

    fn counter(&mut self) -> u32 {
        self.counters += 1;
        self.counters - 1
    }

    /// A statement that counts. In a script's own statements one without a value, so that the script's value stays.
    fn count(&self, counter: u32) -> String {
        let array = self.array;
        if self.unit == Unit::Script && self.open.len() == 1 {
            format!("{{let _={array}[{counter}]++}}")
        } else {
            format!("{array}[{counter}]++;")
        }
    }

    fn block(&mut self, start: u32, end: i32, counter: Option<u32>) {
        if let Some(&function) = self.open.last() {
            self.functions[function].blocks.push(Block { start: start as i32, end, counter });
        }
    }

    fn range(&mut self, start: u32, end: u32) -> u32 {
        let counter = self.counter();
        self.block(start, end as i32, Some(counter));
        counter
    }

    /// Whether a continuation at this place is one of its own.
    fn continues(&mut self, at: u32, is_last: bool) -> bool {
        self.continuations.insert(at) && !is_last
    }

    /// The continuation at `at` of a statement: counted behind the statement.
    fn continuation(&mut self, at: u32, statement: Span, is_last: bool) {
        if self.continues(at, is_last) {
            let counter = self.counter();
            self.block(at, OPEN, Some(counter));
            let text = format!(";{}", self.count(counter));
            self.put_end(statement, text);
        }
    }

    /// Has an expression count before it is evaluated.
    fn wrap(&mut self, span: Span, counter: u32) {
        self.put(span.start, format!("({}[{counter}]++,", self.array));
        self.put_end(span, ")".to_string());
    }

    /// Whether control cannot come behind the list. What is behind a way out is no code for V8, except declarations of functions.
    fn list(&mut self, statements: &[Statement<'_>], drops_last: bool) -> bool {
        let mut is_dead = false;
        let last = statements.iter().rposition(|statement| !is_empty(statement));
        for (index, statement) in statements.iter().enumerate() {
            if !is_dead {
                is_dead = self.statement(statement, drops_last && Some(index) == last);
            } else if let Statement::FunctionDeclaration(function) = statement {
                self.visit_function(function, ScopeFlags::Function);
            }
        }
        is_dead
    }

    /// The body of a loop or a way of an `if`.
    fn body(&mut self, statement: &Statement<'_>, counter: Option<u32>) -> bool {
        let count = counter.map(|counter| self.count(counter));
        if let Statement::BlockStatement(block) = statement {
            if let Some(count) = count {
                self.put(block.span.start + 1, count);
            }
            self.continuations.insert(block.span.end);
            return self.list(&block.body, true);
        }
        let span = statement.span();
        self.put(span.start, "{".to_string());
        self.put_end(span, "}".to_string());
        if let Some(count) = count {
            self.put(span.start, count);
        }
        self.statement(statement, false)
    }

    fn looped(&mut self, body: &Statement<'_>, statement: Span, is_last: bool, head: impl FnOnce(&mut Self)) {
        let span = body.span();
        self.continuation(span.end, statement, is_last);
        head(self);
        let counter = self.range(span.start, span.end);
        self.body(body, Some(counter));
    }

    /// Whether control cannot come behind the statement. `is_last`: of statements whose last one has no continuation.
    fn statement(&mut self, statement: &Statement<'_>, is_last: bool) -> bool {
        self.labelled(statement, statement.span(), is_last)
    }

    /// `whole` is the span with the labels.
    fn labelled(&mut self, statement: &Statement<'_>, whole: Span, is_last: bool) -> bool {
        match statement {
            Statement::LabeledStatement(it) => {
                self.labelled(&it.body, whole, is_last);
                false
            }
            Statement::BlockStatement(it) => {
                self.continuation(it.span.end, whole, is_last);
                self.list(&it.body, true)
            }
            Statement::IfStatement(it) => self.if_statement(it, whole, is_last),
            Statement::ForStatement(it) => {
                let declares =
                    matches!(&it.init, Some(ForStatementInit::VariableDeclaration(init)) if init.kind.is_lexical());
                self.looped(&it.body, whole, is_last && !declares, |this| {
                    if let Some(init) = &it.init {
                        this.visit_for_statement_init(init);
                    }
                    it.test.iter().chain(&it.update).for_each(|one| this.visit_expression(one));
                });
                false
            }
            Statement::ForInStatement(it) => {
                self.looped(&it.body, whole, is_last && !declares_left(&it.left), |this| {
                    this.visit_for_statement_left(&it.left);
                    this.visit_expression(&it.right);
                });
                false
            }
            Statement::ForOfStatement(it) => {
                // V8 makes several statements of `for await`, of which the loop is not the last one.
                let is_last = is_last && !it.r#await && !declares_left(&it.left);
                self.looped(&it.body, whole, is_last, |this| {
                    this.visit_for_statement_left(&it.left);
                    this.visit_expression(&it.right);
                });
                false
            }
            Statement::WhileStatement(it) => {
                self.looped(&it.body, whole, is_last, |this| this.visit_expression(&it.test));
                false
            }
            Statement::DoWhileStatement(it) => {
                self.looped(&it.body, whole, is_last, |this| this.visit_expression(&it.test));
                false
            }
            Statement::WithStatement(it) => {
                self.visit_expression(&it.object);
                self.body(&it.body, None);
                false
            }
            Statement::SwitchStatement(it) => {
                self.continuation(it.span.end, whole, is_last);
                self.visit_expression(&it.discriminant);
                for case in &it.cases {
                    if let Some(test) = &case.test {
                        self.visit_expression(test);
                    }
                    let counter = self.range(case.span.start, case.span.end);
                    let at = case.consequent.first().map_or(case.span.end, |first| first.span().start);
                    let count = self.count(counter);
                    self.put(at, count);
                    self.list(&case.consequent, true);
                }
                false
            }
            Statement::TryStatement(it) => {
                self.try_statement(it, whole, is_last);
                false
            }
            Statement::ReturnStatement(it) => {
                self.way_out(it.span, is_last);
                self.statement_start = u32::MAX;
                it.argument.iter().for_each(|argument| self.visit_expression(argument));
                true
            }
            Statement::ThrowStatement(it) => {
                self.way_out(it.span, is_last);
                self.statement_start = u32::MAX;
                self.visit_expression(&it.argument);
                true
            }
            Statement::BreakStatement(it) => self.way_out(it.span, is_last),
            Statement::ContinueStatement(it) => self.way_out(it.span, is_last),
            Statement::ExpressionStatement(it) => {
                self.statement_start = it.span.start;
                if matches!(it.expression, Expression::AwaitExpression(_) | Expression::YieldExpression(_)) {
                    self.whole = Some((it.span.start, whole));
                }
                self.visit_expression(&it.expression);
                self.statement_start = u32::MAX;
                false
            }
            Statement::ExportDeclaration(_) => {
                walk_js::walk_statement(self, statement);
                false
            }
            _ => {
                walk_js::walk_statement(self, statement);
                false
            }
        }
    }

    fn way_out(&mut self, span: Span, is_last: bool) -> bool {
        if self.continues(span.end, is_last) {
            self.block(span.end, OPEN, None);
        }
        true
    }

    fn if_statement(&mut self, it: &IfStatement<'_>, whole: Span, is_last: bool) -> bool {
        let then = it.consequent.span();
        let end = it.alternate.as_ref().map_or(then.end, |alternate| alternate.span().end);
        self.continuation(end, whole, is_last);
        self.visit_expression(&it.test);
        let truth = literal_truth(&it.test);
        let counter = self.range(then.start, then.end);
        let then_ends = if truth == Some(false) { true } else { self.body(&it.consequent, Some(counter)) };
        let Some(alternate) = &it.alternate else { return truth == Some(true) && then_ends };
        let counter = self.range(then.end, alternate.span().end);
        let else_ends = if truth == Some(true) { true } else { self.body(alternate, Some(counter)) };
        then_ends && else_ends
    }

    fn try_statement(&mut self, it: &TryStatement<'_>, whole: Span, is_last: bool) {
        if let Some(finalizer) = &it.finalizer {
            self.continuation(finalizer.span.end, whole, is_last);
        }
        if let Some(handler) = &it.handler {
            let end = handler.span.end;
            if it.finalizer.is_none() {
                self.continuation(end, whole, is_last);
            } else if self.continues(end, false) {
                // Between `catch` and `finally`: counted in a `try` around the other two.
                let counter = self.counter();
                self.block(end, OPEN, Some(counter));
                let span = Span::new(it.block.span.start, end);
                self.put(span.start, "{try".to_string());
                let count = self.count(counter);
                self.put_end(span, format!(";{count}}}"));
            }
        }
        self.continuations.insert(it.block.span.end);
        self.list(&it.block.body, true);
        if let Some(handler) = &it.handler {
            if let Some(parameter) = &handler.param {
                self.visit_catch_parameter(parameter);
            }
            let counter = self.range(handler.span.start, handler.span.end);
            let count = self.count(counter);
            self.put(handler.body.span.start + 1, count);
            self.list(&handler.body.body, true);
        }
        if let Some(finalizer) = &it.finalizer {
            let counter = self.range(it.handler.as_ref().map_or(it.block.span.end, |handler| handler.span.end), 0);
            self.fix_finally(counter, finalizer.span, it.handler.as_ref().map_or(it.block.span.end, |it| it.span.end));
            let count = self.count(counter);
            self.put(finalizer.span.start + 1, count);
            self.list(&finalizer.body, true);
        }
    }

    /// The range of `finally` begins with the keyword.
    fn fix_finally(&mut self, counter: u32, finalizer: Span, before: u32) {
        let start = next_token(self.source, before);
        if let Some(&function) = self.open.last()
            && let Some(block) =
                self.functions[function].blocks.iter_mut().rev().find(|block| block.counter == Some(counter))
        {
            (block.start, block.end) = (start as i32, finalizer.end as i32);
        }
    }

    /// `await` and `yield`: what comes behind counts how often control came back.
    fn suspend(&mut self, span: Span) {
        let whole = self.whole.take().filter(|(start, _)| *start == span.start);
        let next = next_token(self.source, span.end);
        let at = if self.source[next as usize..].starts_with(';') { next + 1 } else { span.end };
        if !self.continues(at, false) {
            return;
        }
        let counter = self.counter();
        self.block(at, OPEN, Some(counter));
        if let Some((_, statement)) = whole {
            let count = self.count(counter);
            return self.put_end(statement, format!(";{count}"));
        }
        // Without the semicolon, the bracket would belong to what is before.
        let open = if self.statement_start == span.start { ";[" } else { "[" };
        self.put(span.start, open.to_string());
        self.put_end(span, format!(",{}[{counter}]++][0]", self.array));
    }

    fn begin_function(&mut self, name: String, start: u32, end: u32) -> u32 {
        let counter = self.counter();
        self.open.push(self.functions.len());
        let (start, end) = (start as i32, end as i32);
        let is_eager = false;
        self.functions.push(Counted { name, start, end, counter, blocks: Vec::new(), is_eager });
        counter
    }

    fn function_body(&mut self, body: &FunctionBody<'_>, counter: Option<u32>) {
        let count = counter.map(|counter| self.count(counter));
        match (count, body.directives.last()) {
            (None, _) => {}
            // One without a semicolon would go on.
            (Some(count), Some(last)) => self.put(last.span.end, format!(";{count}")),
            (Some(count), None) => self.put(body.span.start + 1, count),
        }
        self.list(&body.statements, true);
    }

    /// The name for a function without one.
    fn infer(&self) -> String {
        let Some(name) = &self.inferred else { return String::new() };
        match self.constructors.last() {
            Some(constructor) => format!("{constructor}.{name}"),
            None => name.clone(),
        }
    }

    /// Visits what is assigned to `name`, which is that of a function that is the value if `is_own`.
    fn named(&mut self, name: Option<String>, value: &Expression<'_>, is_own: bool) {
        let name = name.filter(|_| !is_call(value));
        let class_name = match value.get_inner_expression() {
            Expression::ClassExpression(_) => name.clone(),
            _ => None,
        };
        let before = (std::mem::replace(&mut self.inferred, name), std::mem::replace(&mut self.class_name, class_name));
        match value.get_inner_expression() {
            // A name of its own, to which those around add nothing.
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
                if is_own && self.method.is_none() && self.inferred.is_some() =>
            {
                let name = self.inferred.clone().unwrap_or_default();
                self.method = Some((name, u32::MAX));
            }
            _ => {}
        }
        self.visit_expression(value);
        self.method = None;
        (self.inferred, self.class_name) = before;
    }

    /// Visits what no function takes its name from.
    fn unnamed(&mut self, visit: impl FnOnce(&mut Self)) {
        let inferred = self.inferred.take();
        visit(self);
        self.inferred = inferred;
    }

    /// Where the member begins for V8: behind modifiers.
    fn member_start(&self, at: u32, key: u32) -> u32 {
        let mut at = next_token(self.source, at);
        while at < key {
            let rest = &self.source[at as usize..];
            let word: &str = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or("");
            if !MODIFIERS.contains(&word) {
                break;
            }
            at = next_token(self.source, at + word.len() as u32);
        }
        at
    }

    /// The end of a property of a class: without its semicolon.
    fn property_end(&self, it: &PropertyDefinition<'_>) -> u32 {
        match &it.value {
            Some(value) => js_end(value),
            None if it.computed => next_token(self.source, it.key.span().end) + 1,
            None => it.key.span().end,
        }
    }

    fn fields(&mut self, it: &ClassBody<'_>, is_static: bool) -> Option<u32> {
        let mut span: Option<(u32, u32)> = None;
        let mut first = None;
        for element in &it.body {
            let (start, end) = match element {
                ClassElement::StaticBlock(block) if is_static => (block.span.start, block.span.end),
                ClassElement::PropertyDefinition(property)
                    if property.r#static == is_static
                        && !property.declare
                        && property.r#type == PropertyDefinitionType::PropertyDefinition =>
                {
                    let after = property.decorators.last().map_or(property.span.start, |last| last.span.end);
                    let start = if is_static {
                        next_token(self.source, after)
                    } else {
                        self.member_start(after, property.key.span().start)
                    };
                    (start, self.property_end(property))
                }
                _ => continue,
            };
            first.get_or_insert(element.span().start);
            span = Some((span.map_or(start, |(start, _)| start), end));
        }
        let ((start, end), first) = (span?, first?);
        let name = if is_static { "<static_initializer>" } else { "<instance_members_initializer>" };
        let counter = self.begin_function(name.to_string(), start, end);
        if let Some(function) = self.functions.last_mut() {
            function.is_eager = true;
        }
        let array = self.array;
        let text = if is_static {
            format!("static{{{array}[{counter}]++}}")
        } else {
            format!("#{array}_{counter}={array}[{counter}]++;")
        };
        self.put(first, text);
        let function = self.open.pop();
        function.map(|function| function as u32)
    }

    /// Visits a part of a class as code of its initializer.
    fn in_initializer(&mut self, function: Option<u32>, visit: impl FnOnce(&mut Self)) {
        let Some(function) = function else { return visit(self) };
        self.open.push(function as usize);
        visit(self);
        self.open.pop();
    }
}

impl<'a> VisitJs<'a> for Counter<'_> {
    fn visit_program(&mut self, it: &Program<'a>) {
        let counter = self.begin_function(String::new(), 0, self.source.len() as u32);
        let count = self.count(counter);
        let (at, text) = match (it.directives.last(), it.body.first()) {
            (Some(last), _) => (last.span.end, format!(";{count}")),
            (None, Some(first)) => (first.span().start, count),
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

/// Whether V8's parser gives no statement for it.
fn is_empty(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::VariableDeclaration(it) => {
            it.declare || (it.kind.is_var() && it.declarations.iter().all(|one| one.init.is_none()))
        }
        Statement::ExportDeclaration(it) => matches!(it.declaration, Declaration::FunctionDeclaration(_)),
        Statement::ClassDeclaration(it) => it.declare,
        Statement::FunctionDeclaration(_)
        | Statement::EmptyStatement(_)
        | Statement::ImportDeclaration(_)
        | Statement::ExportAllDeclaration(_)
        | Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::TSInterfaceDeclaration(_)
        | Statement::TSTypeAliasDeclaration(_)
        | Statement::TSGlobalDeclaration(_) => true,
        _ => false,
    }
}

/// Whether a loop has names of its own: V8 puts a block around it, and the loop is not the last statement then.
fn declares_left(left: &ForStatementLeft<'_>) -> bool {
    matches!(left, ForStatementLeft::VariableDeclaration(it) if it.kind.is_lexical())
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
        let is_open = self.source[..close as usize].trim_end().ends_with([',', '(']);
        let comma = if it.params.items.is_empty() || is_open { "" } else { "," };
        self.put(close, format!("{comma}...{{[({}[{counter}]++,\"length\")]:{{}}}}", self.array));
        true
    }
}
