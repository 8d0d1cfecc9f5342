//! Macros (https://bun.com/docs/bundler/macros): calls of functions that are imported `with { type: "macro" }` are made while a file is
//! prepared, and what they give takes their place in the text.
//!
//! [`find_macros`] gives the calls, [`expand_macros`] puts the results in. Arguments have to be known from the text alone; they are
//! given back as JavaScript of literals and operators, in which `r[N]` stands for the result of call N.

use std::fmt::Write as _;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_semantic::{Scoping, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::depth::{self, Nesting, Walk};
use crate::diagnostic::Diagnostic;
use crate::edits::Edits;
use crate::options::{Loader, ModuleHint};
use crate::parse;

/// Replacements of constants by what they are, one inside the other, are followed this far.
const MAX_STEPS: u32 = 32;

/// A call of a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroCall {
    /// The module of the function, as the import names it, and the name that it exports.
    pub specifier: String,
    pub name: String,
    /// The arguments: text of an array.
    pub arguments: String,
    /// Where the call stands, both from 1, and the text of its line.
    pub line: u32,
    pub column: u32,
    pub line_text: String,
}

/// A function that is a macro wherever it is imported (`macro` of Bun.Transpiler): the module and the name that programs import, and
/// the module that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroSource {
    pub module: String,
    pub name: String,
    pub target: String,
}

/// Whether a text may have macros: whether it has `type: "macro"`, with quotes of either kind.
#[must_use]
pub fn mentions_macros(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, "macro").any(|at| {
        let Some((&quote, before)) = bytes[..at].split_last() else { return false };
        matches!(quote, b'"' | b'\'') && bytes.get(at + "macro".len()) == Some(&quote) && follows_type(before)
    })
}

/// Whether a text ends with `type:`, as the key of an attribute. A comment may hide it, and counts.
fn follows_type(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let Some(key) = text.strip_suffix(b":") else { return ends_with_comment(text) };
    let key = key.trim_ascii_end();
    [&b"type"[..], b"\"type\"", b"'type'"].iter().any(|word| key.ends_with(word)) || ends_with_comment(key)
}

/// Whether the end of a text may be that of a comment.
fn ends_with_comment(text: &[u8]) -> bool {
    let line = memchr::memrchr2(b'\n', b'\r', text).map_or(text, |at| &text[at + 1..]);
    line.ends_with(b"*/") || memchr::memmem::find(line, b"//").is_some()
}

/// The calls of macros in a text, in the order in which they are to be made. `None` if it imports no macros.
///
/// # Errors
/// Arguments that are not known from the text, and other uses of macros than calls. Syntax errors are no errors here: whoever
/// transpiles the text tells them.
pub fn find_macros(
    source: &str,
    path: &str,
    loader: Loader,
    sources: &[MacroSource],
) -> Result<Option<Vec<MacroCall>>, Vec<Diagnostic>> {
    look(source, path, loader, sources, |finder| Ok(finder.calls)).map_or(Ok(None), |found| found.map(Some))
}

/// The text with `results`, JavaScript expressions, in the places of the calls, and without the imports. Lines stay what they are.
///
/// # Errors
/// As [`find_macros`].
pub fn expand_macros(
    source: &str,
    path: &str,
    loader: Loader,
    sources: &[MacroSource],
    results: &[String],
) -> Result<String, Vec<Diagnostic>> {
    let expanded = look(source, path, loader, sources, |finder| {
        let Finder { imports, spans, statements, .. } = finder;
        let mut edits = Edits::default();
        for (span, text) in imports {
            match text {
                Some(text) => edits.replace(span.start, span.end, text),
                // The file stays an ES module, which the import has made it.
                None => {
                    let lines = span.source_text(source).matches('\n').count();
                    edits.replace(span.start, span.end, format!("export {{}};{}", "\n".repeat(lines)));
                }
            }
        }
        for (span, result) in spans.iter().zip(results) {
            // As the first word of a statement a brace would begin a block, and a parenthesis go on with the line above.
            let lead = if statements.contains(&span.start) { "void 0," } else { "" };
            let lines = span.source_text(source).matches('\n').count();
            edits.replace(span.start, span.end, format!("{lead}({result}){}", "\n".repeat(lines)));
        }
        Ok(edits.apply(source))
    });
    expanded.unwrap_or_else(|| Ok(source.to_string()))
}

/// Parses a text and gives what it has of macros to `act`; nothing if it has none.
fn look<T: Send>(
    source: &str,
    path: &str,
    loader: Loader,
    sources: &[MacroSource],
    act: impl FnOnce(Finder<'_, '_>) -> Result<T, Vec<Diagnostic>> + Send,
) -> Option<Result<T, Vec<Diagnostic>>> {
    depth::run(Nesting::of(source), Walk::Recursive, || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, source, path, loader, ModuleHint::Esm).ok()?;
        let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
        let mut finder = Finder::new(source, path, semantic.scoping());
        finder.find_imports(&parsed.program, sources);
        if finder.imports.is_empty() {
            return None;
        }
        finder.find_constants(&parsed.program);
        finder.visit_program(&parsed.program);
        if finder.errors.is_empty() { Some(act(finder)) } else { Some(Err(finder.errors)) }
    })
    .flatten()
}

/// What a name stands for.
enum Macro {
    /// An export of a module, by specifier and name.
    Export(String, String),
    /// All exports of a module.
    Namespace(String),
}

struct Finder<'p, 'a> {
    source: &'p str,
    path: &'p str,
    scoping: &'p Scoping,
    names: FxHashMap<SymbolId, Macro>,
    /// Variables that are always what they begin with.
    constants: FxHashMap<SymbolId, &'p Expression<'a>>,
    /// Imports of macros, and what is left of them if they import something else.
    imports: Vec<(Span, Option<String>)>,
    calls: Vec<MacroCall>,
    spans: Vec<Span>,
    /// Calls that were found, by where they stand: `f().g()` begins where `f()` does.
    numbers: FxHashMap<Span, usize>,
    /// Where statements of an expression begin.
    statements: FxHashSet<u32>,
    errors: Vec<Diagnostic>,
}

/// Why an argument is not known.
struct Unknown(Span, &'static str);

const UNKNOWN: &str = "The argument of a macro is not known before the program runs: try a literal or a constant";

impl<'p, 'a> Finder<'p, 'a> {
    fn new(source: &'p str, path: &'p str, scoping: &'p Scoping) -> Self {
        Finder {
            source,
            path,
            scoping,
            names: FxHashMap::default(),
            constants: FxHashMap::default(),
            imports: Vec::new(),
            calls: Vec::new(),
            spans: Vec::new(),
            numbers: FxHashMap::default(),
            statements: FxHashSet::default(),
            errors: Vec::new(),
        }
    }

    fn error(&mut self, span: Span, message: &str) {
        self.errors.push(Diagnostic::at(self.source, self.path, span.start, span.end, message));
    }

    fn find_imports(&mut self, program: &Program<'a>, sources: &[MacroSource]) {
        for statement in &program.body {
            let Statement::ImportDeclaration(import) = statement else { continue };
            if import.import_kind.is_type() {
                continue;
            }
            let all = is_macro(import.with_clause.as_deref());
            let module = import.source.value.as_str();
            if !all && !sources.iter().any(|source| source.module == module) {
                continue;
            }
            let goes: Vec<bool> =
                import.specifiers.iter().flatten().map(|it| self.take(it, module, all, sources)).collect();
            if all || (!goes.is_empty() && goes.iter().all(|goes| *goes)) {
                self.imports.push((import.span, None));
            } else if goes.contains(&true) {
                let (span, text) = import_without(import, &goes, self.source);
                self.imports.push((span, Some(text)));
            }
        }
    }

    /// Takes a specifier's name if it is a macro's.
    fn take(
        &mut self,
        specifier: &ImportDeclarationSpecifier<'a>,
        module: &str,
        all: bool,
        sources: &[MacroSource],
    ) -> bool {
        let name = match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(it) => Some(it.imported.name().to_string()),
            ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => Some("default".to_string()),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => None,
        };
        let found = match name {
            Some(name) if all => Macro::Export(module.to_string(), name),
            None if all => Macro::Namespace(module.to_string()),
            Some(name) => match sources.iter().find(|source| source.module == module && source.name == name) {
                Some(source) => Macro::Export(source.target.clone(), name),
                None => return false,
            },
            None => return false,
        };
        if let Some(symbol) = specifier.local().symbol_id.get() {
            self.names.insert(symbol, found);
        }
        true
    }

    fn find_constants(&mut self, program: &'p Program<'a>) {
        let mut all = Vec::new();
        collect_declarations(program, &mut all);
        for declarator in all.iter().filter(|it| it.kind.is_const()).flat_map(|it| &it.declarations) {
            if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&declarator.id, &declarator.init)
                && let Some(symbol) = name.symbol_id.get()
            {
                self.constants.insert(symbol, init);
            }
        }
    }

    fn symbol_of(&self, name: &IdentifierReference<'a>) -> Option<SymbolId> {
        self.scoping.get_reference(name.reference_id.get()?).symbol_id()
    }

    /// The module and export that a callee names.
    fn callee(&self, callee: &Expression<'a>) -> Option<(String, String)> {
        let named = |expression: &Expression<'a>| match expression.get_inner_expression() {
            Expression::Identifier(name) => self.names.get(&self.symbol_of(name)?),
            _ => None,
        };
        match callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => match named(&member.object)? {
                Macro::Namespace(module) => Some((module.clone(), member.property.name.to_string())),
                Macro::Export(..) => None,
            },
            expression => match named(expression)? {
                Macro::Export(module, name) => Some((module.clone(), name.clone())),
                Macro::Namespace(_) => None,
            },
        }
    }

    /// Notes a call, after those among its arguments; its number, unless it was refused.
    fn call(&mut self, call: &CallExpression<'a>, specifier: String, name: String) -> Result<usize, Unknown> {
        let mut arguments = String::from("[");
        for argument in &call.arguments {
            match argument {
                Argument::SpreadElement(spread) => {
                    arguments.push_str("...");
                    self.known(&spread.argument, &mut arguments, 0)?;
                }
                argument => match argument.as_expression() {
                    Some(expression) => self.known(expression, &mut arguments, 0)?,
                    None => return Err(Unknown(argument.span(), UNKNOWN)),
                },
            }
            arguments.push(',');
        }
        arguments.push(']');
        let number = self.calls.len();
        let place = Diagnostic::at(self.source, self.path, call.span.start, call.span.end, "");
        let line_text = self.source.split('\n').nth(place.line.saturating_sub(1) as usize).unwrap_or_default();
        self.calls.push(MacroCall {
            specifier,
            name,
            arguments,
            line: place.line,
            column: place.column,
            line_text: line_text.trim_end_matches('\r').to_string(),
        });
        self.spans.push(call.span);
        self.numbers.insert(call.span, number);
        Ok(number)
    }

    /// Writes an expression whose value the text tells.
    fn known(&mut self, expression: &Expression<'a>, out: &mut String, steps: u32) -> Result<(), Unknown> {
        let span = expression.span();
        let literal = |out: &mut String| out.push_str(span.source_text(self.source));
        match expression {
            Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_) => literal(out),
            Expression::TemplateLiteral(template) => {
                out.push('`');
                for (at, quasi) in template.quasis.iter().enumerate() {
                    out.push_str(&quasi.value.raw);
                    if let Some(part) = template.expressions.get(at) {
                        out.push_str("${");
                        self.known(part, out, steps)?;
                        out.push('}');
                    }
                }
                out.push('`');
            }
            Expression::ArrayExpression(array) => {
                out.push('[');
                for element in &array.elements {
                    match element {
                        ArrayExpressionElement::SpreadElement(spread) => {
                            out.push_str("...");
                            self.known(&spread.argument, out, steps)?;
                        }
                        ArrayExpressionElement::Elision(_) => {}
                        element => match element.as_expression() {
                            Some(element) => self.known(element, out, steps)?,
                            None => return Err(Unknown(span, UNKNOWN)),
                        },
                    }
                    out.push(',');
                }
                out.push(']');
            }
            Expression::ObjectExpression(object) => {
                out.push_str("({");
                for property in &object.properties {
                    match property {
                        ObjectPropertyKind::SpreadProperty(spread) => {
                            out.push_str("...");
                            self.known(&spread.argument, out, steps)?;
                        }
                        ObjectPropertyKind::ObjectProperty(property)
                            if property.kind == PropertyKind::Init && !property.method =>
                        {
                            match (&property.key, property.key.as_expression()) {
                                (PropertyKey::StaticIdentifier(name), _) => out.push_str(&name.name),
                                (_, Some(key)) => {
                                    out.push('[');
                                    self.known(key, out, steps)?;
                                    out.push(']');
                                }
                                _ => return Err(Unknown(property.span, UNKNOWN)),
                            }
                            out.push(':');
                            self.known(&property.value, out, steps)?;
                        }
                        ObjectPropertyKind::ObjectProperty(property) => return Err(Unknown(property.span, UNKNOWN)),
                    }
                    out.push(',');
                }
                out.push_str("})");
            }
            Expression::UnaryExpression(unary) if unary.operator != UnaryOperator::Delete => {
                let _ = write!(out, "({} ", unary.operator.as_str());
                self.known(&unary.argument, out, steps)?;
                out.push(')');
            }
            Expression::BinaryExpression(binary) => {
                out.push('(');
                self.known(&binary.left, out, steps)?;
                let _ = write!(out, " {} ", binary.operator.as_str());
                self.known(&binary.right, out, steps)?;
                out.push(')');
            }
            Expression::LogicalExpression(logical) => {
                out.push('(');
                self.known(&logical.left, out, steps)?;
                let _ = write!(out, " {} ", logical.operator.as_str());
                self.known(&logical.right, out, steps)?;
                out.push(')');
            }
            Expression::ConditionalExpression(conditional) => {
                out.push('(');
                self.known(&conditional.test, out, steps)?;
                out.push_str(" ? ");
                self.known(&conditional.consequent, out, steps)?;
                out.push_str(" : ");
                self.known(&conditional.alternate, out, steps)?;
                out.push(')');
            }
            Expression::StaticMemberExpression(member) if !member.optional => {
                self.known(&member.object, out, steps)?;
                let _ = write!(out, ".{}", member.property.name);
            }
            Expression::ComputedMemberExpression(member) if !member.optional => {
                self.known(&member.object, out, steps)?;
                out.push('[');
                self.known(&member.expression, out, steps)?;
                out.push(']');
            }
            Expression::Identifier(name) => match self.symbol_of(name) {
                None if ["undefined", "NaN", "Infinity"].contains(&name.name.as_str()) => out.push_str(&name.name),
                None => return Err(Unknown(span, UNKNOWN)),
                Some(symbol) => {
                    let constant = self.constants.get(&symbol).copied().filter(|_| steps < MAX_STEPS);
                    let constant = constant.filter(|it| self.stays(it)).ok_or(Unknown(span, UNKNOWN))?;
                    out.push('(');
                    self.known(constant, out, steps + 1).map_err(|_| Unknown(span, UNKNOWN))?;
                    out.push(')');
                }
            },
            Expression::CallExpression(call) => match (self.numbers.get(&call.span), self.callee(&call.callee)) {
                (Some(number), _) => drop(write!(out, "r[{number}]")),
                (None, Some((module, name))) => {
                    let number = self.call(call, module, name)?;
                    let _ = write!(out, "r[{number}]");
                }
                (None, None) => return Err(Unknown(span, UNKNOWN)),
            },
            Expression::AwaitExpression(it) => self.known(&it.argument, out, steps)?,
            Expression::ParenthesizedExpression(it) => self.known(&it.expression, out, steps)?,
            Expression::TSAsExpression(it) => self.known(&it.expression, out, steps)?,
            Expression::TSSatisfiesExpression(it) => self.known(&it.expression, out, steps)?,
            Expression::TSNonNullExpression(it) => self.known(&it.expression, out, steps)?,
            Expression::TSTypeAssertion(it) => self.known(&it.expression, out, steps)?,
            _ => return Err(Unknown(span, UNKNOWN)),
        }
        Ok(())
    }

    /// Whether the value of a constant cannot change behind its name, as that of an object can. Results of macros count, too.
    fn stays(&self, expression: &Expression<'a>) -> bool {
        let mut expression = expression;
        // A constant may be named by its own value.
        for _ in 0..=MAX_STEPS {
            match expression.get_inner_expression() {
                Expression::ArrayExpression(_) | Expression::ObjectExpression(_) | Expression::RegExpLiteral(_) => {
                    return false;
                }
                Expression::Identifier(name) => {
                    match self.symbol_of(name).and_then(|symbol| self.constants.get(&symbol).copied()) {
                        Some(constant) => expression = constant,
                        None => return true,
                    }
                }
                _ => return true,
            }
        }
        false
    }
}

fn is_macro(clause: Option<&WithClause<'_>>) -> bool {
    clause.is_some_and(|clause| {
        clause.with_entries.iter().any(|entry| {
            let key = match &entry.key {
                ImportAttributeKey::Identifier(name) => name.name.as_str(),
                ImportAttributeKey::StringLiteral(text) => text.value.as_str(),
            };
            key == "type" && entry.value.value == "macro"
        })
    })
}

/// What stands between the words of an import declaration, without some of its specifiers: where, and its text.
fn import_without(import: &ImportDeclaration<'_>, goes: &[bool], source: &str) -> (Span, String) {
    // Written anew: the braces may have to go with what was in them.
    let specifiers = || import.specifiers.iter().flatten();
    let mut parts = Vec::new();
    let mut named = Vec::new();
    for (specifier, _) in specifiers().zip(goes).filter(|(_, goes)| !**goes) {
        match specifier {
            ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => parts.push(it.local.name.to_string()),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => parts.push(format!("* as {}", it.local.name)),
            ImportDeclarationSpecifier::ImportSpecifier(it) => named.push(it.span.source_text(source)),
        }
    }
    if !named.is_empty() {
        parts.push(format!("{{ {} }}", named.join(", ")));
    }
    let before = specifiers().map(|it| it.span().start).min().unwrap_or(import.span.start);
    let head = Span::new(import.span.start, before).source_text(source);
    let keyword = import.span.start + head.find("import").map_or(0, |at| at + "import".len()) as u32;
    (Span::new(keyword, import.source.span.start), format!(" {} from ", parts.join(", ")))
}

/// All variable declarations of statements at the top level and in blocks and functions that statements make.
fn collect_declarations<'p, 'a>(program: &'p Program<'a>, all: &mut Vec<&'p VariableDeclaration<'a>>) {
    fn of_statements<'p, 'a>(statements: &'p [Statement<'a>], all: &mut Vec<&'p VariableDeclaration<'a>>) {
        for statement in statements {
            of_statement(statement, all);
        }
    }
    fn of_statement<'p, 'a>(statement: &'p Statement<'a>, all: &mut Vec<&'p VariableDeclaration<'a>>) {
        match statement {
            Statement::VariableDeclaration(it) => all.push(it),
            Statement::ExportDeclaration(it) => match &it.declaration {
                Declaration::VariableDeclaration(it) => all.push(it),
                Declaration::FunctionDeclaration(it) => of_function(it, all),
                _ => {}
            },
            Statement::ExportDefaultDeclaration(it) => {
                if let ExportDefaultDeclarationKind::FunctionDeclaration(it) = &it.declaration {
                    of_function(it, all);
                }
            }
            Statement::FunctionDeclaration(it) => of_function(it, all),
            Statement::BlockStatement(it) => of_statements(&it.body, all),
            Statement::IfStatement(it) => {
                of_statement(&it.consequent, all);
                if let Some(other) = &it.alternate {
                    of_statement(other, all);
                }
            }
            Statement::ForStatement(it) => of_statement(&it.body, all),
            Statement::ForOfStatement(it) => of_statement(&it.body, all),
            Statement::ForInStatement(it) => of_statement(&it.body, all),
            Statement::WhileStatement(it) => of_statement(&it.body, all),
            Statement::DoWhileStatement(it) => of_statement(&it.body, all),
            Statement::LabeledStatement(it) => of_statement(&it.body, all),
            Statement::TryStatement(it) => {
                of_statements(&it.block.body, all);
                if let Some(handler) = &it.handler {
                    of_statements(&handler.body.body, all);
                }
                if let Some(finalizer) = &it.finalizer {
                    of_statements(&finalizer.body, all);
                }
            }
            Statement::SwitchStatement(it) => it.cases.iter().for_each(|case| of_statements(&case.consequent, all)),
            _ => {}
        }
    }
    fn of_function<'p, 'a>(function: &'p Function<'a>, all: &mut Vec<&'p VariableDeclaration<'a>>) {
        if let Some(body) = &function.body {
            of_statements(&body.statements, all);
        }
    }
    of_statements(&program.body, all);
}

impl<'a> VisitJs<'a> for Finder<'_, 'a> {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if self.numbers.contains_key(&call.span) {
            return;
        }
        match self.callee(&call.callee) {
            Some((module, name)) => {
                if let Err(Unknown(span, message)) = self.call(call, module, name) {
                    self.error(span, message);
                }
            }
            None => walk_js::walk_call_expression(self, call),
        }
    }

    fn visit_tagged_template_expression(&mut self, template: &TaggedTemplateExpression<'a>) {
        if self.callee(&template.tag).is_some() {
            self.error(template.span, "A macro cannot be the tag of a template: call it");
        } else {
            walk_js::walk_tagged_template_expression(self, template);
        }
    }

    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        if self.symbol_of(name).is_some_and(|symbol| self.names.contains_key(&symbol)) {
            let message = format!("\"{}\" is a macro: all that can be done with it is to call it", name.name);
            self.error(name.span, &message);
        }
    }

    fn visit_expression_statement(&mut self, statement: &ExpressionStatement<'a>) {
        self.statements.insert(statement.span.start);
        walk_js::walk_expression_statement(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(source: &str) -> Vec<String> {
        let found = find_macros(source, "a.ts", Loader::Ts, &[]).expect("no errors").expect("it has macros");
        found.into_iter().map(|call| format!("{}:{}{}", call.specifier, call.name, call.arguments)).collect()
    }

    fn refused(source: &str) -> String {
        find_macros(source, "a.ts", Loader::Ts, &[]).expect_err("it is refused")[0].message.clone()
    }

    const IMPORT: &str = "import d, { a, b as c } from 'm' with { type: 'macro' };";

    #[test]
    fn calls_are_found_inside_out() {
        let source = format!("{IMPORT} import * as n from 'n' assert {{ type: 'macro' }}; d(c(1), n.x(`t`)); a();");
        assert_eq!(arguments(&source), ["m:b[1,]", "n:x[`t`,]", "m:default[r[0],r[1],]", "m:a[]"]);
    }

    #[test]
    fn arguments_are_what_the_text_tells() {
        let source = format!(
            "{IMPORT} const x = 'p' + 1, y = a({{}}) as any; function f() {{ const z = -2; c(x, y.q[0], z, [...[1], , {{ k: true, ['l']: null }}], x ? 1 : undefined) }}"
        );
        assert_eq!(
            arguments(&source)[1],
            "m:b[(('p' + 1)),(r[0]).q[0],((- 2)),[...[1,],,({k:true,['l']:null,}),],((('p' + 1)) ? 1 : undefined),]"
        );
    }

    #[test]
    fn constants_may_be_other_constants() {
        let source = format!("{IMPORT} const v = 'x', w = v, x = w; a(x)");
        assert_eq!(arguments(&source), ["m:a[((('x'))),]"]);
    }

    #[test]
    fn a_mention_is_an_attribute() {
        for text in [
            "import a from 'b' with { type: 'macro' }",
            "import a from 'b' with{'type':\"macro\"}",
            "import a from 'b' assert { \"type\" :\n 'macro' }",
            "import a from 'b' with { type /* of */ : /* a */ 'macro' }",
            "import a from 'b' with { type // of\n : // a\n 'macro' }",
        ] {
            assert!(mentions_macros(text), "{text}");
        }
        for text in ["'macro' in def", "x = { kind: 'macro' }", "type: \"macro'", "type: macro", "macro", "'macro", ""]
        {
            assert!(!mentions_macros(text), "{text}");
        }
    }

    #[test]
    fn what_only_the_program_knows_is_refused() {
        for code in [
            "a(Math.random())",
            "let v = 1; a(v)",
            "const o = {}; o.x = 1; a(o)",
            "const o = {}, p = o, q = p; a(q)",
            "a(process.env.X)",
            "a(...f())",
            "a(a('x').toUpperCase())",
            "const v: any = (v); a(v)",
            "const v = w, w = v; a(v)",
        ] {
            assert_eq!(refused(&format!("{IMPORT} {code}")), UNKNOWN, "{code}");
        }
        assert!(refused(&format!("{IMPORT} f(a)")).contains("\"a\" is a macro"));
        assert!(refused(&format!("{IMPORT} a`x`")).contains("tag of a template"));
    }

    #[test]
    fn a_text_without_macros_has_none() {
        assert_eq!(find_macros("import a from 'b' with { type: 'json' }; a()", "a.ts", Loader::Ts, &[]), Ok(None));
        assert_eq!(find_macros("import { x } from 'macro'", "a.ts", Loader::Ts, &[]), Ok(None));
        assert_eq!(find_macros("syntax error", "a.ts", Loader::Ts, &[]), Ok(None));
        let shadowed = format!("{IMPORT} function f(a) {{ return a(Math.random()) }}");
        assert_eq!(find_macros(&shadowed, "a.ts", Loader::Ts, &[]), Ok(Some(Vec::new())));
    }

    #[test]
    fn functions_of_other_modules_can_be_macros() {
        let source = "import { m, n as o } from 'x'; import p, { m as q } from 'y'; o(m(1), p, q)";
        let sources = [MacroSource { module: "x".into(), name: "m".into(), target: "/m".into() }];
        let found = find_macros(source, "a.js", Loader::Js, &sources).expect("no errors").expect("it has macros");
        assert_eq!((found.len(), found[0].specifier.as_str(), found[0].name.as_str()), (1, "/m", "m"));
        let expanded = expand_macros(source, "a.js", Loader::Js, &sources, &["5".into()]).expect("no errors");
        assert_eq!(expanded, "import { n as o } from 'x'; import p, { m as q } from 'y'; o((5), p, q)");
    }

    #[test]
    fn results_take_the_places_of_calls() {
        let source = "import { a } from 'm' with { type: 'macro' };\nlet x = y\na({ k: 1,\n l: 2 })\nz = a(a(3)).q";
        let results = ["{}", "0", "{\"q\":5}"].map(String::from);
        let expanded = expand_macros(source, "a.js", Loader::Js, &[], &results).expect("no errors");
        let lines: Vec<&str> = expanded.split('\n').map(str::trim).collect();
        assert_eq!(lines, ["export {};", "let x = y", "void 0,({})", "", "z = ({\"q\":5}).q"]);
    }
}
