//! The runtime's own modules (the TypeScript of ext/) as function bodies.
//!
//! They are written as ES modules in TypeScript and run as plain functions `(exports, require, module, native, Promise)`,
//! which start faster than modules: no linking, no environment of live bindings. The rewrite edits the text in
//! place, so that lines stay where they are.
//!
//! | source | result |
//! |---|---|
//! | `import { a, b as c } from "m"` | `const { a, b: c } = require("m");` |
//! | `import * as m from "m"`, `import m from "m"` | `const m = require("m");` |
//! | `export function f() {}` | `exports.f = f;` at the start of the file |
//! | `export const a = 1`, `export class C {}` | the declaration, then `exports.a = a;` |
//! | `export { a as b }` | `exports.b = a;` after the declaration of `a`; for a `let` before it, in its place |
//! | `export default x` | `module.exports = x;` |
//!
//! Exports are copies, made once. A variable that is assigned after its copy was made is an error, as are
//! `export *`, default and named exports in one file, top-level `await`, and TypeScript that generates code.

use std::fmt::Write;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyze;
use crate::diagnostic::Diagnostic;
use crate::edits::Edits;
use crate::erase::{self, ImportUse};
use crate::options::{Loader, ModuleHint};
use crate::parse;

/// Parameters of the function; the module cannot declare these names.
const PARAMETERS: [&str; 4] = ["exports", "require", "module", "native"];

/// Rewrites one module of JavaScript. The result is strict code (it starts with "use strict") with as many lines as
/// the source.
///
/// # Errors
/// Syntax errors, and everything that the rewrite does not support, with positions.
pub fn builtin_module(source: &str, path: &str) -> Result<String, Vec<Diagnostic>> {
    let allocator = Allocator::default();
    let loader = if path.ends_with(".js") { Loader::Js } else { Loader::Ts };
    let parsed = parse::parse(&allocator, source, path, loader, ModuleHint::Esm)?;
    let program = &parsed.program;
    let facts = analyze::scan(program, true);
    let mut rewriter = Rewriter {
        source,
        path,
        edits: Edits::default(),
        errors: Vec::new(),
        head: String::from("\"use strict\"; "),
        exported: FxHashMap::default(),
        hoisted: hoisted_names(program),
        variables: variables(program),
        in_place: FxHashMap::default(),
        copied_late: FxHashSet::default(),
        used: &facts.used_imports,
        declared: FxHashSet::default(),
        default: None,
        named: None,
    };
    rewriter.check(program, &facts);
    let imports = ImportUse { used: &facts.used_imports, verbatim: false };
    match erase::erase(program, imports) {
        Some(edits) => rewriter.edits = edits,
        None => rewriter.error(Span::new(0, 0), "Write type assertions with `as` here"),
    }
    rewriter.program(program);
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    rewriter.check_live(program, &scoping);
    if !rewriter.errors.is_empty() {
        rewriter.errors.sort_by_key(|error| error.offset);
        return Err(rewriter.errors);
    }
    let head = std::mem::take(&mut rewriter.head);
    let body = rewriter.edits.apply(source);
    // A byte order mark or hashbang line has no place inside a function.
    let body = body.trim_start_matches('\u{feff}');
    let body = if body.starts_with("#!") { format!("//{body}") } else { body.to_owned() };
    Ok(format!("{head}{body}"))
}

/// Names of top-level function declarations, which exist from the start.
fn hoisted_names<'a>(program: &Program<'a>) -> FxHashSet<&'a str> {
    let function = |declaration: &Declaration<'a>| match declaration {
        Declaration::FunctionDeclaration(it) if it.body.is_some() => it.id.as_ref().map(|id| id.name.as_str()),
        _ => None,
    };
    let name = |statement: &Statement<'a>| match statement {
        Statement::ExportDeclaration(it) => function(&it.declaration),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.id.as_ref().map(|id| id.name.as_str()),
            _ => None,
        },
        _ => statement.as_declaration().and_then(function),
    };
    program.body.iter().filter_map(name).collect()
}

struct Rewriter<'a, 's> {
    source: &'s str,
    path: &'s str,
    edits: Edits,
    errors: Vec<Diagnostic>,
    /// Text before the first line.
    head: String,
    /// Names that `export { local as name }` gives to locals that are not functions.
    exported: FxHashMap<&'a str, Vec<String>>,
    hoisted: FxHashSet<&'a str>,
    /// Ends of the declarations of top-level `let` and `var`.
    variables: FxHashMap<&'a str, u32>,
    /// Assignments in the place of an export list, by its start.
    in_place: FxHashMap<u32, String>,
    /// Variables that are copied in the place of an export list.
    copied_late: FxHashSet<&'a str>,
    used: &'s FxHashSet<&'a str>,
    /// Names of declarations and imports that were seen.
    declared: FxHashSet<&'a str>,
    /// The first default and the first named export.
    default: Option<Span>,
    named: Option<Span>,
}

impl<'a> Rewriter<'a, '_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::at(self.source, self.path, span.start, span.end, message));
    }

    fn check(&mut self, program: &Program<'a>, facts: &analyze::Facts<'a>) {
        let whole = Span::new(0, 0);
        for (found, what) in [
            (facts.generates, "Enums, namespaces, parameter properties, `import =` and `export =`"),
            (facts.decorators || facts.accessors, "Decorators and accessors"),
            (facts.jsx, "JSX"),
            (facts.top_level_await, "Top-level `await`"),
            (facts.import_meta, "`import.meta`"),
        ] {
            if found {
                self.error(whole, format!("{what} cannot be used in built-in modules"));
            }
        }
        for statement in &program.body {
            let mut names = Vec::new();
            match statement {
                Statement::ImportDeclaration(it) if it.import_kind.is_value() => {
                    names.extend(it.specifiers.iter().flatten().map(|s| s.local().clone()));
                }
                Statement::VariableDeclaration(it) if it.kind.is_lexical() && !it.declare => {
                    names.extend(it.declarations.iter().flat_map(|d| d.id.get_binding_identifiers()).cloned());
                }
                Statement::ClassDeclaration(it) if !it.declare => names.extend(it.id.clone()),
                _ => {}
            }
            for id in names.iter().filter(|id| PARAMETERS.contains(&id.name.as_str())) {
                self.error(id.span, format!("`{}` is a parameter of the module function", id.name));
            }
        }
    }

    fn program(&mut self, program: &Program<'a>) {
        // Lists come first: they say what follows the declarations.
        for statement in &program.body {
            if let Statement::ExportNamedDeclaration(it) = statement
                && it.export_kind.is_value()
            {
                for specifier in it.specifiers.iter().filter(|s| s.export_kind.is_value()) {
                    self.listed(specifier, it.span);
                }
            }
        }
        for statement in &program.body {
            self.statement(statement);
        }
        let lost = self.exported.iter().filter(|(local, _)| !self.declared.contains(*local));
        for local in lost.map(|(local, _)| *local).collect::<Vec<_>>() {
            self.error(Span::new(0, 0), format!("`{local}` is exported and not declared in this module"));
        }
        if let (Some(span), Some(_)) = (self.default, self.named) {
            self.error(span, "A built-in module has either a default export or named exports");
        }
    }

    /// One entry of `export { ... }`.
    fn listed(&mut self, specifier: &ExportSpecifier<'a>, span: Span) {
        let name = specifier.exported.name().to_string();
        if name == "default" {
            self.default.get_or_insert(span);
        } else {
            self.named.get_or_insert(span);
        }
        let ModuleExportName::IdentifierReference(local) = &specifier.local else {
            return;
        };
        let local = local.name.as_str();
        if self.hoisted.contains(local) {
            let assignment = assignment(&name, local);
            self.head.push_str(&assignment);
        } else if self.variables.get(local).is_some_and(|end| *end <= span.start) {
            self.in_place.entry(span.start).or_default().push_str(&assignment(&name, local));
            self.copied_late.insert(local);
        } else {
            self.exported.entry(local).or_default().push(name);
        }
    }

    fn statement(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(it) if it.import_kind.is_value() => self.import(it),
            Statement::ExportAllDeclaration(it) if it.export_kind.is_value() => match &it.exported {
                Some(name) => {
                    self.named.get_or_insert(it.span);
                    let text = format!("exports{} = require({});", member(&name.name()), quoted(&it.source.value));
                    self.replace(it.span, text);
                }
                None => self.error(it.span, "`export *` cannot be used in built-in modules: name the exports"),
            },
            Statement::ExportFromDeclaration(it) if it.export_kind.is_value() => self.export_from(it),
            Statement::ExportNamedDeclaration(it) if it.export_kind.is_value() => {
                let text = self.in_place.remove(&it.span.start).unwrap_or_default();
                self.replace(it.span, text);
            }
            Statement::ExportDeclaration(it) if !analyze::is_type_only(&it.declaration) => self.export_declaration(it),
            Statement::ExportDefaultDeclaration(it) => self.export_default(it),
            _ => {
                if let Some(declaration) = statement.as_declaration()
                    && !analyze::is_type_only(declaration)
                {
                    let text = self.exports_of(declaration);
                    self.append(statement.span(), text, matches!(declaration, Declaration::VariableDeclaration(_)));
                }
            }
        }
    }

    /// Replaces a statement by text on one line, and keeps its line breaks.
    fn replace(&mut self, span: Span, mut text: String) {
        let old = &self.source[span.start as usize..span.end as usize];
        text.extend(std::iter::repeat_n('\n', old.matches('\n').count()));
        self.edits.replace(span.start, span.end, text);
    }

    /// Puts text behind a statement.
    fn append(&mut self, span: Span, text: String, needs_semicolon: bool) {
        if text.is_empty() {
            return;
        }
        let open = needs_semicolon && !self.source[..span.end as usize].ends_with(';');
        self.edits.replace(span.end, span.end, format!("{}{text}", if open { "; " } else { " " }));
    }

    /// Assignments for what `export { ... }` says about the names of a declaration.
    fn exports_of(&mut self, declaration: &Declaration<'a>) -> String {
        let mut text = String::new();
        for name in declared_names(declaration) {
            self.declared.insert(name);
            for exported in self.exported.get(name).into_iter().flatten() {
                text.push_str(&assignment(exported, name));
            }
        }
        text
    }

    fn import(&mut self, it: &ImportDeclaration<'a>) {
        let require = format!("require({})", quoted(&it.source.value));
        let Some(specifiers) = &it.specifiers else {
            return self.replace(it.span, format!("{require};"));
        };
        if specifiers.is_empty() {
            return self.replace(it.span, format!("{require};"));
        }
        // `default` is the whole module, like a namespace.
        let mut wholes = Vec::new();
        let mut names = Vec::new();
        let mut locals = Vec::new();
        for specifier in specifiers {
            let local = specifier.local().name.as_str();
            self.declared.insert(local);
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(s) if s.import_kind.is_type() => {
                    continue;
                }
                _ if !self.used.contains(local) && !self.exported.contains_key(local) => continue,
                ImportDeclarationSpecifier::ImportSpecifier(s) if s.imported.name() != "default" => {
                    let imported = s.imported.name();
                    let is_plain = oxc_syntax::identifier::is_identifier_name(&imported);
                    names.push(match (imported == local, is_plain) {
                        (true, true) => local.to_owned(),
                        (false, true) => format!("{imported}: {local}"),
                        (_, false) => format!("{}: {local}", quoted(&imported)),
                    });
                }
                _ => wholes.push(local),
            }
            locals.push(local);
        }
        let mut parts = Vec::new();
        for (index, local) in wholes.iter().enumerate() {
            let value = if index == 0 { require.as_str() } else { wholes[0] };
            parts.push(format!("{local} = {value}"));
        }
        if !names.is_empty() {
            let value = wholes.first().copied().unwrap_or(&require);
            parts.push(format!("{{ {} }} = {value}", names.join(", ")));
        }
        if parts.is_empty() {
            // Only types: the eraser blanks the statement.
            return;
        }
        let mut text = format!("const {};", parts.join(", "));
        for local in locals {
            for exported in self.exported.get(local).into_iter().flatten() {
                text.push(' ');
                text.push_str(&assignment(exported, local));
            }
        }
        self.replace(it.span, text);
    }

    fn export_from(&mut self, it: &ExportFromDeclaration<'a>) {
        let mut text = String::new();
        let specifiers = it.specifiers.iter().filter(|s| s.export_kind.is_value()).collect::<Vec<_>>();
        let require = format!("require({})", quoted(&it.source.value));
        let module = if specifiers.len() == 1 { require.as_str() } else { "m" };
        for specifier in &specifiers {
            let (local, exported) = (specifier.local.name(), specifier.exported.name());
            if exported == "default" {
                self.default.get_or_insert(it.span);
            } else {
                self.named.get_or_insert(it.span);
            }
            let value = if local == "default" { module.to_owned() } else { format!("{module}{}", member(&local)) };
            text.push_str(&assignment(&exported, &value));
        }
        match specifiers.len() {
            0 if it.specifiers.is_empty() => text = format!("{require};"),
            0 => return,
            1 => {}
            _ => text = format!("{{ const m = {require}; {text}}}"),
        }
        self.replace(it.span, text);
    }

    fn export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        self.named.get_or_insert(it.span);
        self.edits.blank(it.span.start, it.declaration.span().start);
        let mut text = String::new();
        for name in declared_names(&it.declaration) {
            text.push_str(&assignment(name, name));
        }
        if matches!(it.declaration, Declaration::FunctionDeclaration(_)) {
            self.head.push_str(&text);
            return;
        }
        text.push_str(&self.exports_of(&it.declaration));
        self.append(it.span, text, matches!(it.declaration, Declaration::VariableDeclaration(_)));
    }

    fn export_default(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let (id, span) = match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return,
            ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.body.is_none() => {
                return;
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                if let Some(id) = &function.id {
                    let _ = write!(self.head, "module.exports = {}; ", id.name);
                }
                (function.id.as_ref(), function.span)
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    self.append(it.span, format!("module.exports = {};", id.name), false);
                }
                (class.id.as_ref(), class.span)
            }
            declaration => (None, declaration.span()),
        };
        self.default.get_or_insert(it.span);
        if id.is_some() {
            self.edits.blank(it.span.start, span.start);
            return;
        }
        self.replace(Span::new(it.span.start, span.start), "module.exports = ".to_owned());
        if !self.source[..it.span.end as usize].ends_with(';') {
            // Also ends `module.exports = class {}`, which the source did not have to.
            self.edits.replace(it.span.end, it.span.end, ";");
        }
    }

    /// Exports are copies: what is assigned later would never be seen.
    fn check_live(&mut self, program: &Program<'a>, scoping: &Scoping) {
        let mut exported = self.exported.keys().chain(&self.copied_late).copied().collect::<FxHashSet<_>>();
        for statement in &program.body {
            if let Statement::ExportDeclaration(it) = statement {
                exported.extend(declared_names(&it.declaration));
            }
        }
        for name in exported {
            let Some(symbol) = scoping.find_binding(scoping.root_scope_id(), name.into()) else {
                continue;
            };
            let late = self.copied_late.contains(name);
            let is_stale = |reference: &oxc_semantic::Reference| {
                reference.is_write() && (!late || in_function(scoping, reference.scope_id()))
            };
            if scoping.get_resolved_references(symbol).any(is_stale) {
                let span = scoping.symbol_span(symbol);
                let message =
                    format!("`{name}` is exported and assigned again; exports of built-in modules are copies");
                self.error(span, message);
            }
        }
    }
}

/// Top-level `let` and `var`, with the ends of their declarations.
fn variables<'a>(program: &Program<'a>) -> FxHashMap<&'a str, u32> {
    let mut variables = FxHashMap::default();
    for statement in &program.body {
        if let Statement::VariableDeclaration(it) = statement
            && !it.kind.is_const()
        {
            let ids = it.declarations.iter().flat_map(|declarator| declarator.id.get_binding_identifiers());
            variables.extend(ids.map(|id| (id.name.as_str(), it.span.end)));
        }
    }
    variables
}

/// Whether a scope is inside a function, so that its code may run after the module.
fn in_function(scoping: &Scoping, scope: ScopeId) -> bool {
    scoping.scope_ancestors(scope).any(|scope| scoping.scope_flags(scope).is_function())
}

/// Names that a declaration of values declares.
fn declared_names<'a>(declaration: &Declaration<'a>) -> Vec<&'a str> {
    match declaration {
        Declaration::VariableDeclaration(it) => it
            .declarations
            .iter()
            .flat_map(|declarator| declarator.id.get_binding_identifiers())
            .map(|id| id.name.as_str())
            .collect(),
        _ => declaration.id().map(|id| id.name.as_str()).into_iter().collect(),
    }
}

/// `exports.name = value; `, or `module.exports = value; ` for `default`.
fn assignment(name: &str, value: &str) -> String {
    match name {
        "default" => format!("module.exports = {value}; "),
        _ => format!("exports{} = {value}; ", member(name)),
    }
}

/// `.name` or `["na me"]`.
fn member(name: &str) -> String {
    if oxc_syntax::identifier::is_identifier_name(name) { format!(".{name}") } else { format!("[{}]", quoted(name)) }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote(text, &mut out);
    out
}

#[cfg(test)]
mod tests;
