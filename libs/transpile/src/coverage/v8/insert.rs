//! The walk that decides where V8's counters are and which ranges they count.
//!
//! Names of V8's parser are used for what has no other one: a _continuation_ is the range behind a statement, which counts how
//! often control came there.

mod visit;

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use rustc_hash::FxHashSet;

use super::names::{is_call, key_name, literal_truth};
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
    /// See [`super::instrument`].
    has_bare_fields: bool,
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

/// The end of an expression without the types behind it.
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
    pub(super) fn new(source: &'s str, unit: Unit, has_bare_fields: bool, array: &'s str) -> Self {
        Self {
            source,
            array,
            unit,
            has_bare_fields,
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
            // The range of `finally` begins with the keyword.
            let before = it.handler.as_ref().map_or(it.block.span.end, |handler| handler.span.end);
            let counter = self.range(next_token(self.source, before), finalizer.span.end);
            let count = self.count(counter);
            self.put(finalizer.span.start + 1, count);
            self.list(&finalizer.body, true);
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

    /// Whether the property is there when the class runs, for the class or for instances.
    fn is_field(&self, it: &PropertyDefinition<'_>, is_static: bool) -> bool {
        it.r#static == is_static
            && !it.declare
            && it.r#type == PropertyDefinitionType::PropertyDefinition
            && (self.has_bare_fields || it.value.is_some())
    }

    /// The initializer of the fields of a class, static ones or those of instances; its number, if there are any.
    fn fields(&mut self, it: &ClassBody<'_>, is_static: bool) -> Option<usize> {
        let mut span: Option<(u32, u32)> = None;
        let mut first = None;
        for element in &it.body {
            let (start, end) = match element {
                ClassElement::StaticBlock(block) if is_static => (block.span.start, block.span.end),
                ClassElement::PropertyDefinition(property) if self.is_field(property, is_static) => {
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
        if is_static {
            self.put(first, format!("static{{{}[{counter}]++}}", self.array));
        } else {
            self.count_fields(it, counter, first);
        }
        self.open.pop()
    }

    /// Has the initializer of a class's fields count, with the value of a field. (A private field of its own could not be added
    /// twice to an object that a constructor returns.)
    fn count_fields(&mut self, it: &ClassBody<'_>, counter: u32, first: u32) {
        let fields = || {
            it.body.iter().filter_map(|element| match element {
                ClassElement::PropertyDefinition(it) if self.is_field(it, false) && !it.definite => Some(&**it),
                _ => None,
            })
        };
        let array = self.array;
        let takes_name = |value: &Expression<'_>| match value.get_inner_expression() {
            Expression::FunctionExpression(it) => it.id.is_none(),
            Expression::ClassExpression(it) => it.id.is_none(),
            Expression::ArrowFunctionExpression(_) => true,
            _ => false,
        };
        if let Some(value) = fields().find_map(|it| it.value.as_ref().filter(|value| !takes_name(value))) {
            return self.wrap(value.span(), counter);
        }
        if let Some(field) = fields().find(|it| it.value.is_none()) {
            let text = &self.source[..field.span.end as usize];
            let at = field.span.end - u32::from(text.ends_with(';'));
            return self.put_end(Span::new(field.span.start, at), format!("=void {array}[{counter}]++;"));
        }
        let named = fields().find_map(|it| Some((it.value.as_ref()?, key_name(&it.key, it.computed)?)));
        match named {
            // A property gives the function that is its value the same name.
            Some((value, name)) => {
                self.put(value.span().start, format!("({array}[{counter}]++,{{[{name:?}]:"));
                self.put_end(value.span(), format!("}}[{name:?}])"));
            }
            None => self.put(first, format!("#{array}_{counter}={array}[{counter}]++;")),
        }
    }

    /// Visits a part of a class as code of its initializer.
    fn in_initializer(&mut self, function: Option<usize>, visit: impl FnOnce(&mut Self)) {
        let Some(function) = function else { return visit(self) };
        self.open.push(function);
        visit(self);
        self.open.pop();
    }
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
