//! The names that a CommonJS module exports, without running it.
//!
//! Node finds them with cjs-module-lexer, a heuristic over tokens that knows the output of TypeScript, Babel,
//! Rollup and esbuild; what `import { x } from "./a.cjs"` may name depends on it. This is the same heuristic on
//! the syntax tree: the forms below are detected, at any depth and without scope analysis if not stated
//! otherwise.
//!
//! | form | effect |
//! |---|---|
//! | `exports.a =`, `module.exports["a"] =` | name |
//! | `Object.defineProperty(exports, "a", { enumerable: true, value` or a getter that returns a name or member `})` | name; other descriptors veto it |
//! | `module.exports = { a, b: c, "d": e, ...require("x") }` | names and re-exports, up to the first property whose value is more than a name |
//! | `module.exports = require("x")` | re-export, replacing earlier ones |
//! | `__export(require("x"))`, `__exportStar(require("x"))`, also as members, at top level | re-export |
//! | `var a = require("x"); Object.keys(a).forEach(function (k) { ... exports[k] = a[k] })` at top level, in the forms that Babel and Rollup write | re-export |
//!
//! esbuild's `0 && (module.exports = { a, b })` is the third form.

mod forms;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::GetSpan;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::depth::{self, Nesting, Walk};
use crate::options::{Loader, ModuleHint};
use crate::parse;
use forms::{is_exports, is_module_exports, returns_member};

/// What a CommonJS module exports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CjsExports {
    /// Names in order of appearance, each once; `__esModule` and `default` may be among them.
    pub names: Vec<String>,
    /// Specifiers of modules whose names are exported too.
    pub reexports: Vec<String>,
}

/// Detects the exports of a CommonJS module. `path` chooses between JavaScript and TypeScript and is not read.
/// A text that cannot be parsed has no exports, as in Node: the error shows when the module runs.
#[must_use]
pub fn cjs_exports(source: &str, path: &str) -> CjsExports {
    if memchr::memmem::find(source.as_bytes(), b"export").is_none() {
        return CjsExports::default();
    }
    let (loader, _) = Loader::from_path(path).unwrap_or((Loader::Js, ModuleHint::Cjs));
    let work = || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, source, path, loader, ModuleHint::Cjs);
        parsed.map(|parsed| detect(&parsed.program)).unwrap_or_default()
    };
    depth::run(Nesting::of(source), Walk::Flat, work).unwrap_or_default()
}

/// Detects the exports of a parsed module.
pub(crate) fn detect(program: &Program<'_>) -> CjsExports {
    let mut detector = Detector::new(program.source_text);
    for statement in &program.body {
        detector.top_level_statement(statement);
    }
    for statement in &program.body {
        detector.visit_statement(statement);
    }
    let vetoed = detector.vetoed;
    let names = detector.names.list.into_iter().filter(|name| !vetoed.contains(name)).collect();
    CjsExports { names, reexports: detector.reexports.list }
}

/// Distinct texts in order.
#[derive(Default)]
struct OrderedSet {
    list: Vec<String>,
    seen: FxHashSet<String>,
}

impl OrderedSet {
    fn add(&mut self, text: &str) {
        if self.seen.insert(text.to_owned()) {
            self.list.push(text.to_owned());
        }
    }
}

/// The text of a literal whose surrogates the parser has taken for lone ones: it writes each as U+FFFD and four hexadecimal digits
/// (`'\u{D83C}\u{DF10}'`). `None` if one of them has no partner: that is no module export name.
fn joined(value: &str) -> Option<String> {
    let mut units = Vec::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c == char::REPLACEMENT_CHARACTER {
            let digits: String = chars.by_ref().take(4).collect();
            units.push(u16::from_str_radix(&digits, 16).ok()?);
        } else {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
    }
    String::from_utf16(&units).ok()
}

struct Detector<'a> {
    source: &'a str,
    names: OrderedSet,
    vetoed: FxHashSet<String>,
    reexports: OrderedSet,
    /// Top-level variables that hold a required module, by name.
    modules: FxHashMap<&'a str, &'a str>,
    /// Where the calls outside all functions, blocks and brackets start.
    top_level_calls: FxHashSet<u32>,
}

impl<'a> Detector<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            names: OrderedSet::default(),
            vetoed: FxHashSet::default(),
            reexports: OrderedSet::default(),
            modules: FxHashMap::default(),
            top_level_calls: FxHashSet::default(),
        }
    }

    fn add_name(&mut self, literal: &StringLiteral<'a>) {
        if !literal.lone_surrogates {
            self.names.add(&literal.value);
        } else if let Some(name) = joined(&literal.value) {
            self.names.add(&name);
        }
    }

    /// Notes the variables and calls that only count outside all functions, blocks and brackets.
    fn top_level_statement(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::VariableDeclaration(it) => {
                for declarator in &it.declarations {
                    if let Some(name) = declarator.id.get_identifier_name()
                        && let Some(specifier) = declarator.init.as_ref().and_then(forms::required_module)
                    {
                        self.modules.insert(name.as_str(), specifier);
                    }
                }
            }
            Statement::ExpressionStatement(it) => self.top_level_expression(&it.expression),
            Statement::IfStatement(it) => {
                self.top_level_statement(&it.consequent);
                if let Some(alternate) = &it.alternate {
                    self.top_level_statement(alternate);
                }
            }
            _ => {}
        }
    }

    fn top_level_expression(&mut self, expression: &Expression<'a>) {
        match expression {
            Expression::LogicalExpression(it) => {
                self.top_level_expression(&it.left);
                self.top_level_expression(&it.right);
            }
            Expression::SequenceExpression(it) => {
                it.expressions.iter().for_each(|expression| self.top_level_expression(expression));
            }
            Expression::AssignmentExpression(it) => self.top_level_expression(&it.right),
            Expression::ConditionalExpression(it) => {
                self.top_level_expression(&it.consequent);
                self.top_level_expression(&it.alternate);
            }
            Expression::UnaryExpression(it) => self.top_level_expression(&it.argument),
            Expression::CallExpression(call) => {
                self.top_level_calls.insert(call.span.start);
            }
            _ => {}
        }
    }

    fn top_level_call(&mut self, call: &CallExpression<'a>) {
        if let Some(specifier) = forms::export_star(call) {
            self.reexports.add(specifier);
        } else if let Some(variable) = forms::keys_loop(call)
            && let Some(specifier) = self.modules.get(variable)
        {
            self.reexports.add(specifier);
        }
    }

    /// `module.exports = value`.
    fn assign_module_exports(&mut self, value: &Expression<'a>) {
        self.reexports = OrderedSet::default();
        match value {
            Expression::ObjectExpression(it) => self.object(it),
            value => {
                // `require("x").y` and `require("x")(z)` start with the call and count as well.
                if let Some((specifier, _)) = forms::leading_require(value) {
                    self.reexports.add(specifier);
                }
            }
        }
    }

    /// Names of an object literal up to the first property that is more than names.
    fn object(&mut self, object: &ObjectExpression<'a>) {
        for property in &object.properties {
            let goes_on = match property {
                ObjectPropertyKind::SpreadProperty(spread) => match &spread.argument {
                    Expression::Identifier(_) => true,
                    argument => match forms::leading_require(argument) {
                        Some((specifier, whole)) => {
                            self.reexports.add(specifier);
                            whole
                        }
                        None => false,
                    },
                },
                ObjectPropertyKind::ObjectProperty(property) => self.property(property),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Adds the name of a property; returns whether the next one counts too.
    fn property(&mut self, property: &ObjectProperty<'a>) -> bool {
        if property.computed {
            return false;
        }
        // Where a token heuristic expects a name it finds the modifier of an accessor or async method.
        let modifier = match (&property.kind, &property.value) {
            (PropertyKind::Get, _) => Some("get"),
            (PropertyKind::Set, _) => Some("set"),
            (PropertyKind::Init, Expression::FunctionExpression(f)) if property.method && f.r#async => Some("async"),
            _ => None,
        };
        if let Some(modifier) = modifier {
            self.names.add(modifier);
            return false;
        }
        if property.method {
            let generator = matches!(&property.value, Expression::FunctionExpression(f) if f.generator);
            if let PropertyKey::StaticIdentifier(key) = &property.key
                && !generator
            {
                self.names.add(&key.name);
            }
            return false;
        }
        let value_end = (!property.shorthand).then(|| self.word_end(property.value.span().start));
        if value_end == Some(None) {
            return false;
        }
        match &property.key {
            PropertyKey::StaticIdentifier(key) => self.names.add(&key.name),
            PropertyKey::StringLiteral(key) => self.add_name(key),
            _ => return false,
        }
        // A value goes on the list only if a comma follows its first word right away.
        value_end.flatten().is_none_or(|end| self.source.as_bytes().get(end) == Some(&b','))
    }

    /// The end of the word (name or keyword) that starts at `start`, if one does.
    fn word_end(&self, start: u32) -> Option<usize> {
        use oxc_syntax::identifier::{is_identifier_part, is_identifier_start};
        let rest = &self.source[start as usize..];
        if !rest.chars().next().is_some_and(is_identifier_start) {
            return None;
        }
        let length = rest.find(|c| !is_identifier_part(c)).unwrap_or(rest.len());
        Some(start as usize + length)
    }

    /// `exports.name` or `exports["name"]` on the left of `=`.
    fn assign_member(&mut self, object: &Expression<'a>, property: MemberName<'a, '_>) {
        if !is_exports(object) {
            return;
        }
        match property {
            MemberName::Plain(name) => self.names.add(name),
            MemberName::Literal(literal) => self.add_name(literal),
        }
    }

    fn compare_member(&mut self, left: &Expression<'a>) {
        match left {
            Expression::StaticMemberExpression(left) => {
                self.assign_member(&left.object, MemberName::Plain(&left.property.name));
            }
            Expression::ComputedMemberExpression(left) => {
                if let Expression::StringLiteral(name) = &left.expression {
                    self.assign_member(&left.object, MemberName::Literal(name));
                }
            }
            _ => {}
        }
    }

    fn define_property(&mut self, call: &CallExpression<'a>) {
        let [object, name, rest @ ..] = call.arguments.as_slice() else {
            return;
        };
        let (Some(object), Argument::StringLiteral(name)) = (object.as_expression(), name) else {
            return;
        };
        if !is_exports(object) {
            return;
        }
        let descriptor = match rest {
            [Argument::ObjectExpression(descriptor), ..] => Some(descriptor),
            _ => None,
        };
        if descriptor.is_some_and(|descriptor| describes_export(descriptor, rest.len() == 1)) {
            self.add_name(name);
        } else {
            self.vetoed.insert(name.value.to_string());
        }
    }
}

/// A property name in a member expression.
enum MemberName<'a, 'n> {
    Plain(&'n str),
    Literal(&'n StringLiteral<'a>),
}

/// Whether a property descriptor is `{ enumerable: true, value: ...` or has a getter without side effects.
/// `only`: nothing follows the descriptor in the call.
fn describes_export(descriptor: &ObjectExpression<'_>, only: bool) -> bool {
    let mut properties = descriptor.properties.iter();
    let mut next = || match properties.next() {
        Some(ObjectPropertyKind::ObjectProperty(property)) if !property.computed => Some(&**property),
        _ => None,
    };
    let is_named = |property: &ObjectProperty<'_>, name: &str| match &property.key {
        PropertyKey::StaticIdentifier(key) => key.name == name,
        _ => false,
    };
    let Some(mut property) = next() else {
        return false;
    };
    if is_named(property, "enumerable") {
        if !matches!(&property.value, Expression::BooleanLiteral(it) if it.value) {
            return false;
        }
        let Some(second) = next() else { return false };
        property = second;
    }
    if is_named(property, "value") {
        return !property.method && !property.shorthand;
    }
    let last = std::ptr::eq(property, descriptor.properties.last().map_or(std::ptr::null(), forms::property_address));
    is_named(property, "get") && only && last && returns_member(&property.value, None)
}

impl<'a> VisitJs<'a> for Detector<'a> {
    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if it.operator.is_assign() {
            match &it.left {
                AssignmentTarget::StaticMemberExpression(left) => {
                    if is_module_exports(&left.object, &left.property.name) {
                        self.assign_module_exports(&it.right);
                    } else {
                        self.assign_member(&left.object, MemberName::Plain(&left.property.name));
                    }
                }
                AssignmentTarget::ComputedMemberExpression(left) => {
                    if let Expression::StringLiteral(name) = &left.expression {
                        self.assign_member(&left.object, MemberName::Literal(name));
                    }
                }
                _ => {}
            }
        }
        walk_js::walk_assignment_expression(self, it);
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.assign_module_exports(&it.expression);
        walk_js::walk_ts_export_assignment(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if forms::is_object_method(&it.callee, "defineProperty") {
            self.define_property(it);
        } else if self.top_level_calls.contains(&it.span.start) {
            self.top_level_call(it);
        }
        // Source order: the callee comes first.
        self.visit_expression(&it.callee);
        self.visit_arguments(&it.arguments);
    }

    /// Follows long chains in a loop. Comparisons are visited left to right because order shows in the result.
    fn visit_expression(&mut self, it: &Expression<'a>) {
        let mut next = it;
        let mut later = Vec::new();
        loop {
            next = match next {
                Expression::BinaryExpression(it) => {
                    // The token heuristic takes `exports.a === b` for an assignment.
                    if matches!(it.operator, BinaryOperator::Equality | BinaryOperator::StrictEquality) {
                        self.compare_member(&it.left);
                    }
                    later.push(&it.right);
                    &it.left
                }
                Expression::LogicalExpression(it) => {
                    later.push(&it.right);
                    &it.left
                }
                Expression::ParenthesizedExpression(it) => &it.expression,
                _ => break,
            };
        }
        walk_js::walk_expression(self, next);
        while let Some(expression) = later.pop() {
            self.visit_expression(expression);
        }
    }
}

#[cfg(test)]
mod tests;
