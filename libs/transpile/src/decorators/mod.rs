//! Standard decorators (TC39 2023-11) and auto-accessors, lowered to what engines have: classes with private
//! names and static blocks.
//!
//! A class whose elements are decorated keeps its place. The decorator expressions move into computed keys, which
//! run at the right moment, in the right scopes and with the right `this`; a static block at the start applies
//! them and stores the functions that initialisers call:
//!
//! ```js
//! class C { @d m() {} @e x = 1 }
//! // becomes
//! let a, b, init, extra, proto;
//! class C {
//!   static { [,, proto,, init, extra] = apply(this, [[2, "m", a], [0, "x", b]]); }
//!   [(a = [void 0, d], "m")]() {}
//!   x = (proto(this), init(this, 1));
//!   #slot = extra(this);
//!   static [(b = [void 0, e], key = Symbol())]() {}      // removed by the static block
//! }
//! ```
//!
//! A class that is decorated itself may be replaced by its decorators before its static elements run, on the
//! replacement. It becomes an expression that makes the class, applies the decorators, and then runs the static
//! elements, collected in a method, with the result as `this`. Static private elements are declared by a class
//! around it, whose constructor returns the replacement, because only that can add private names to it.
//!
//! Known gaps: the class that an anonymous class expression becomes under a computed key (`{ [k]: @d class {} }`)
//! has the name "" instead of the key's; and if a decorator or key in a class expression contains `await` or
//! `yield`, the decorators of its members do not see its private names.

mod await_yield;
mod class;
mod elements;
pub(crate) mod quote;

use oxc_allocator::{Allocator, ArenaVec, TakeIn};
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitMut, walk_mut};

use class::Lowered;
use quote::Quote;

/// Whether a text may have decorators or `accessor` fields: whether an `@` or that word stands where one could begin. Comments and
/// texts may have it, too, and count but for lines that begin as comments do.
#[must_use]
pub fn mentions_decorators(text: &str) -> bool {
    let bytes = text.as_bytes();
    let may_begin = |at: usize, allowed: &[u8]| {
        at.checked_sub(1).is_none_or(|before| bytes[before].is_ascii_whitespace() || allowed.contains(&bytes[before]))
    };
    let mut lines = Lines { bytes, known: 0, start: 0, end_of_comment: None };
    if memchr::memchr_iter(b'@', bytes).any(|at| {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        (next.is_ascii_alphabetic() || b"_$(\\".contains(&next) || !next.is_ascii())
            && may_begin(at, b"{}();,:=>/")
            && !lines.is_in_comment(at)
    }) {
        return true;
    }
    let mut lines = Lines { bytes, known: 0, start: 0, end_of_comment: None };
    memchr::memmem::find_iter(bytes, "accessor").any(|at| {
        let next = bytes.get(at + "accessor".len()).copied().unwrap_or_default();
        (next.is_ascii_whitespace() || b"#[/".contains(&next)) && may_begin(at, b"{};/") && !lines.is_in_comment(at)
    })
}

/// Tells of places in a text, each behind the last, whether they are in a comment as far as its line says.
struct Lines<'t> {
    bytes: &'t [u8],
    /// The last place that was asked about, and the beginning of its line.
    known: usize,
    start: usize,
    /// Where the first comment that ends in this line ends; `None` if it was not looked for.
    end_of_comment: Option<usize>,
}

impl Lines<'_> {
    fn is_in_comment(&mut self, at: usize) -> bool {
        let bytes = self.bytes;
        if let Some(line) = memchr::memrchr2(b'\n', b'\r', &bytes[self.known..at]) {
            self.start = self.known + line + 1;
            self.end_of_comment = None;
        }
        self.known = at;
        // Behind code comments are told by their beginning only if nothing is between: `/* @__PURE__ */`.
        let before = bytes[..at].trim_ascii_end();
        if before.ends_with(b"/*") || before.ends_with(b"/**") {
            if before.len() > self.start {
                return true;
            }
            // In another line that may be the end of a line comment, as of `// src/**`.
            let line = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |line| line + 1);
            if memchr::memmem::find(&before[line..], b"//").is_none() {
                return true;
            }
        }
        let line = bytes[self.start..at].trim_ascii_start();
        let is_begun = [&b"*"[..], b"//", b"/*"].iter().any(|start| line.starts_with(start));
        is_begun && at < self.end_of_comment()
    }

    fn end_of_comment(&mut self) -> usize {
        let (bytes, start) = (self.bytes, self.start);
        *self.end_of_comment.get_or_insert_with(|| {
            let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]).map_or(bytes.len(), |length| start + length);
            memchr::memmem::find(&bytes[start..end], b"*/").map_or(usize::MAX, |length| start + length)
        })
    }
}

/// The runtime helper; `__apply` is replaced by a free name.
const RUNTIME: &str = include_str!("runtime.js");

/// What [`lower`] produced besides the changed program.
pub(crate) struct Outcome {
    /// Functions to append to the program.
    pub helpers: Vec<String>,
    /// Spans of decorators on parameters, which only legacy decorators have.
    pub parameter_decorators: Vec<Span>,
}

/// Lowers all decorators and accessors of `program`, which must be free of TypeScript.
pub(crate) fn lower<'a>(allocator: &'a Allocator, program: &mut Program<'a>) -> Outcome {
    let mut lowerer = Lowerer {
        quote: Quote { allocator },
        prefix: free_prefix(program.source_text),
        count: 0,
        uses_apply: false,
        uses_return: false,
        name: None,
        parameter_decorators: Vec::new(),
    };
    lowerer.visit_program(program);
    let mut helpers = Vec::new();
    if lowerer.uses_apply {
        let lines = RUNTIME.lines().filter(|line| !line.starts_with("//"));
        let text = lines.map(|line| format!("{line}\n")).collect::<String>();
        helpers.push(text.replace("__apply", &lowerer.apply_name()));
    }
    if lowerer.uses_return {
        helpers.push(format!("function {}(value) {{ return value; }}\n", lowerer.return_name()));
    }
    Outcome { helpers, parameter_decorators: lowerer.parameter_decorators }
}

/// A start of identifiers that the source has nowhere.
fn free_prefix(source: &str) -> String {
    let mut prefix = "__d".to_owned();
    while source.contains(&prefix) {
        prefix.push('_');
    }
    prefix
}

struct Lowerer<'a> {
    quote: Quote<'a>,
    prefix: String,
    count: u32,
    uses_apply: bool,
    uses_return: bool,
    /// The name that an anonymous class gets from its place, set right before that place is visited.
    name: Option<String>,
    parameter_decorators: Vec<Span>,
}

impl<'a> Lowerer<'a> {
    fn temp(&mut self) -> String {
        self.count += 1;
        format!("{}{}", self.prefix, self.count)
    }

    fn apply_name(&self) -> String {
        format!("{}Apply", self.prefix)
    }

    fn return_name(&self) -> String {
        format!("{}Return", self.prefix)
    }

    /// Visits an initialiser whose anonymous class would be named `name`.
    fn visit_named(&mut self, value: &mut Expression<'a>, name: Option<&str>) {
        self.name = name.map(str::to_owned);
        self.visit_expression(value);
        self.name = None;
    }

    /// Lowers a class declaration; `statements` receives what takes its place.
    fn declaration(
        &mut self,
        mut class: oxc_allocator::ArenaBox<'a, Class<'a>>,
        place: Place,
        statements: &mut ArenaVec<'a, Statement<'a>>,
    ) {
        let name = class.id.as_ref().map(|id| id.name.to_string());
        let fallback = if place == Place::Default { "default" } else { "" };
        let class_name = name.as_deref().unwrap_or(fallback);
        match self.lower_class(&mut class, Some(class_name), false) {
            Lowered::InPlace { temps } => {
                if !temps.is_empty() {
                    statements.extend(self.quote.statements(&format!("let {};", temps.join(", ")), []));
                }
                let mut text = match place {
                    Place::Plain => self.quote.statements("class C {}", []),
                    Place::Named => self.quote.statements("export class C {}", []),
                    Place::Default => self.quote.statements("export default class {}", []),
                };
                match &mut text[0] {
                    Statement::ClassDeclaration(it) => *it = class,
                    Statement::ExportDeclaration(it) => it.declaration = Declaration::ClassDeclaration(class),
                    Statement::ExportDefaultDeclaration(it) => {
                        it.declaration = ExportDefaultDeclarationKind::ClassDeclaration(class);
                    }
                    _ => unreachable!("one of the three was quoted"),
                }
                statements.extend(text);
            }
            Lowered::Replaced(expression) => {
                let text = match (place, &name) {
                    (Place::Plain, Some(name)) => format!("let {name} = $0;"),
                    (Place::Named, Some(name)) => format!("export let {name} = $0;"),
                    (Place::Default, Some(name)) => {
                        format!("let {name} = $0; export {{ {name} as default }};")
                    }
                    (_, None) => "export default $0;".to_owned(),
                };
                statements.extend(self.quote.statements(&text, [expression]));
            }
        }
    }
}

/// The kind of place in which a class declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    Named,
    Default,
}

/// Whether there is anything to lower.
fn needs_lowering(class: &Class<'_>) -> bool {
    !class.decorators.is_empty()
        || class.body.body.iter().any(|element| match element {
            ClassElement::AccessorProperty(_) => true,
            ClassElement::MethodDefinition(it) => !it.decorators.is_empty(),
            ClassElement::PropertyDefinition(it) => !it.decorators.is_empty(),
            ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => false,
        })
}

/// The name that a property gives to an anonymous function; `None` for computed keys.
fn static_name(key: &PropertyKey<'_>, computed: bool) -> Option<String> {
    match key {
        PropertyKey::PrivateIdentifier(it) => Some(format!("#{}", it.name)),
        PropertyKey::StringLiteral(it) => Some(it.value.to_string()),
        PropertyKey::StaticIdentifier(it) if !computed => Some(it.name.to_string()),
        _ => None,
    }
}

impl<'a> VisitMut<'a> for Lowerer<'a> {
    fn visit_statements(&mut self, it: &mut ArenaVec<'a, Statement<'a>>) {
        walk_mut::walk_statements(self, it);
        let class_of = |statement: &Statement<'a>| match statement {
            Statement::ClassDeclaration(it) => needs_lowering(it),
            Statement::ExportDeclaration(it) => {
                matches!(&it.declaration, Declaration::ClassDeclaration(it) if needs_lowering(it))
            }
            Statement::ExportDefaultDeclaration(it) => {
                matches!(&it.declaration, ExportDefaultDeclarationKind::ClassDeclaration(it) if needs_lowering(it))
            }
            _ => false,
        };
        if !it.iter().any(class_of) {
            return;
        }
        let old = it.take_in(&self.quote.allocator);
        for statement in old {
            if !class_of(&statement) {
                it.push(statement);
                continue;
            }
            match statement {
                Statement::ClassDeclaration(class) => self.declaration(class, Place::Plain, it),
                Statement::ExportDeclaration(export) => match export.unbox().declaration {
                    Declaration::ClassDeclaration(class) => self.declaration(class, Place::Named, it),
                    _ => unreachable!("checked by class_of"),
                },
                Statement::ExportDefaultDeclaration(export) => match export.unbox().declaration {
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        self.declaration(class, Place::Default, it);
                    }
                    _ => unreachable!("checked by class_of"),
                },
                _ => unreachable!("checked by class_of"),
            }
        }
    }

    fn visit_expression(&mut self, it: &mut Expression<'a>) {
        let name = self.name.take();
        match it {
            Expression::ParenthesizedExpression(inner) => {
                self.name = name;
                self.visit_expression(&mut inner.expression);
                self.name = None;
            }
            Expression::ClassExpression(class) if needs_lowering(class) => {
                walk_mut::walk_class(self, class);
                let own = class.id.as_ref().map(|id| id.name.to_string());
                let contextual = own.or(name);
                let mut class = class.take_in_box(&self.quote.allocator);
                *it = match self.lower_class(&mut class, contextual.as_deref(), true) {
                    Lowered::InPlace { .. } => Expression::ClassExpression(class),
                    Lowered::Replaced(expression) => expression,
                };
            }
            _ => walk_mut::walk_expression(self, it),
        }
    }

    fn visit_export_default_declaration(&mut self, it: &mut ExportDefaultDeclaration<'a>) {
        if let Some(expression) = it.declaration.as_expression_mut() {
            self.visit_named(expression, Some("default"));
        } else {
            walk_mut::walk_export_default_declaration(self, it);
        }
    }

    fn visit_variable_declarator(&mut self, it: &mut VariableDeclarator<'a>) {
        self.visit_binding_pattern(&mut it.id);
        if let Some(init) = &mut it.init {
            let name = it.id.get_identifier_name();
            self.visit_named(init, name.as_deref());
        }
    }

    fn visit_assignment_pattern(&mut self, it: &mut AssignmentPattern<'a>) {
        self.visit_binding_pattern(&mut it.left);
        let name = it.left.get_identifier_name();
        self.visit_named(&mut it.right, name.as_deref());
    }

    fn visit_formal_parameter(&mut self, it: &mut FormalParameter<'a>) {
        self.parameter_decorators.extend(it.decorators.iter().map(|decorator| decorator.span));
        self.visit_binding_pattern(&mut it.pattern);
        if let Some(init) = &mut it.initializer {
            let name = it.pattern.get_identifier_name();
            self.visit_named(init, name.as_deref());
        }
    }

    fn visit_assignment_expression(&mut self, it: &mut AssignmentExpression<'a>) {
        self.visit_assignment_target(&mut it.left);
        let named = it.operator.is_assign() || it.operator.is_logical();
        let name = match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(id) if named => Some(id.name.to_string()),
            _ => None,
        };
        self.visit_named(&mut it.right, name.as_deref());
    }

    fn visit_assignment_target_with_default(&mut self, it: &mut AssignmentTargetWithDefault<'a>) {
        self.visit_assignment_target(&mut it.binding);
        let name = match &it.binding {
            AssignmentTarget::AssignmentTargetIdentifier(id) => Some(id.name.to_string()),
            _ => None,
        };
        self.visit_named(&mut it.init, name.as_deref());
    }

    fn visit_assignment_target_property_identifier(&mut self, it: &mut AssignmentTargetPropertyIdentifier<'a>) {
        if let Some(init) = &mut it.init {
            let name = it.binding.name.to_string();
            self.visit_named(init, Some(&name));
        }
    }

    fn visit_object_property(&mut self, it: &mut ObjectProperty<'a>) {
        self.visit_property_key(&mut it.key);
        let name = static_name(&it.key, it.computed);
        self.visit_named(&mut it.value, name.as_deref());
    }

    fn visit_property_definition(&mut self, it: &mut PropertyDefinition<'a>) {
        self.visit_decorators(&mut it.decorators);
        self.visit_property_key(&mut it.key);
        if let Some(value) = &mut it.value {
            let name = static_name(&it.key, it.computed);
            self.visit_named(value, name.as_deref());
        }
    }

    fn visit_accessor_property(&mut self, it: &mut AccessorProperty<'a>) {
        self.visit_decorators(&mut it.decorators);
        self.visit_property_key(&mut it.key);
        if let Some(value) = &mut it.value {
            let name = static_name(&it.key, it.computed);
            self.visit_named(value, name.as_deref());
        }
    }
}

#[cfg(test)]
mod tests;
