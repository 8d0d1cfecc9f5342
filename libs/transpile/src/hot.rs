//! Modules as bodies of functions, which a development server sends to browsers and replaces one by one.
//!
//! Imports become properties of what `__import` gives, exports become getters on `__exports`, so that bindings stay live and a
//! new version of a module reaches its importers without running them. `import.meta.hot` becomes `__hot`, and what its
//! `accept` names is checked here, as only here the imports are known. The work on imports and exports is oxc's, which has it
//! for Vite; what this file adds is that imports are synchronous.

use oxc_allocator::{Allocator, TakeIn};
use oxc_ast::ast::*;
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_codegen::{Codegen, CodegenOptions, CommentOptions, LegalComment};
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan, SPAN, Span};
use oxc_str::Ident;
use oxc_transformer_plugins::ModuleRunnerTransform;
use rustc_hash::FxHashMap;

use crate::analyze::{Info, ModuleKind};
use crate::depth::{self, Nesting, Walk};
use crate::diagnostic::Diagnostic;
use crate::full::convert_map;
use crate::options::{Loader, ModuleHint, Options};
use crate::parse;
use crate::sourcemap::SourceMap;
use crate::transpile;

/// A module as the body of a function.
///
/// The function of an ES module takes `__import`, `__exports`, `__star`, `__dynamic`, `__meta`, `__hot` and `require`, and is
/// async if [`Info::top_level_await`]; that of a CommonJS module takes `module`, `exports`, `require` and `__dynamic`.
#[derive(Debug, Clone)]
pub struct HotModule {
    pub code: String,
    /// Positions of `code` in the source; `None` = lines and columns are the same.
    pub map: Option<SourceMap>,
    pub info: Info,
    /// What it needs, each specifier once, in the order of evaluation.
    pub dependencies: Vec<Dependency>,
    /// If all that it does is to pass on what it imports.
    pub barrel: Option<Barrel>,
    /// Directives at its beginning: `use client`, for one.
    pub directives: Vec<String>,
}

/// A module that only passes on what others export: the index file of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Barrel {
    /// Its names.
    pub exports: Vec<BarrelExport>,
    /// Specifiers that it imports whatever is wanted: `export *`, and imports without names.
    pub always: Vec<String>,
}

/// A name of a barrel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarrelExport {
    pub exported: String,
    pub specifier: String,
    /// Its name there; `*` for the namespace.
    pub imported: String,
}

/// How a module needs another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencyKind {
    Import,
    Dynamic,
    Require,
}

/// A specifier of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub specifier: String,
    pub kind: DependencyKind,
    /// The import attribute `type`.
    pub attribute: Option<String>,
    /// The import attribute `bunBakeGraph`: another graph of modules in which the specifier is looked for.
    pub graph: Option<String>,
    /// Names that are imported.
    pub names: Vec<String>,
    /// Whether all names are, by `import *`, `export *`, `import()` or `require`.
    pub is_whole: bool,
    /// Byte offset of the specifier in the source; 0 if the transform has added it.
    pub offset: u32,
    /// Whether the program expects that it may be missing: a `require` inside a `try`.
    pub optional: bool,
}

const ACCEPT_MESSAGE: &str =
    "Dependencies to `import.meta.hot.accept` must be statically analyzable module specifiers matching direct imports.";

/// Turns a source text into the body of a function. Takes and refuses what [`transpile`] does.
///
/// # Errors
/// Those of [`transpile`], and specifiers of `import.meta.hot.accept` that the module does not import.
pub fn hot_module(source: &str, path: &str, options: &Options) -> Result<HotModule, Vec<Diagnostic>> {
    let mut output = transpile(source, path, options)?;
    // A CommonJS module may declare the names that Node's function around it has; here the names are a scope further out.
    let info = &mut output.info;
    let has_syntax = info.import_meta || info.top_level_await || !info.imports.is_empty() || !info.exports.is_empty();
    if !has_syntax && info.free.exports_cjs() {
        info.kind = ModuleKind::Cjs;
    }
    let text = output.code.as_deref().unwrap_or(source);
    let is_esm = output.info.kind == ModuleKind::Esm;
    let job = || convert(text, path, is_esm, &output.info);
    let converted = depth::run(Nesting::of(text), Walk::Recursive, job)
        .unwrap_or_else(|| Err(vec![Diagnostic::at(text, path, 0, 0, "The source nests too deeply to be parsed")]));
    let converted = converted.map_err(|errors| {
        errors.into_iter().map(|error| original_error(error, source, path, output.map.as_ref())).collect::<Vec<_>>()
    })?;
    let map = match (&converted.map, &output.map) {
        (Some(outer), Some(inner)) => Some(outer.compose(inner)),
        (Some(map), None) | (None, Some(map)) => Some(map.clone()),
        (None, None) => None,
    };
    let dependencies = dependencies_of(&output.info, &converted);
    let code = converted.code.unwrap_or_else(|| text.to_owned());
    let Converted { barrel, directives, .. } = converted;
    Ok(HotModule { code, map, dependencies, barrel, directives, info: output.info })
}

/// An error about the text that the first step has made, at its place in the source.
fn original_error(error: Diagnostic, source: &str, path: &str, map: Option<&SourceMap>) -> Diagnostic {
    let Some(found) = map.and_then(|map| map.lookup(error.line - 1, error.column - 1)) else { return error };
    let mut start = 0;
    for _ in 0..found.line {
        start = memchr::memchr(b'\n', &source.as_bytes()[start..]).map_or(source.len(), |at| start + at + 1);
    }
    let mut units = 0;
    let column = source[start..].char_indices().find(|(_, c)| {
        let is_there = units >= found.column;
        units += c.len_utf16() as u32;
        is_there
    });
    let at = (start + column.map_or(0, |(at, _)| at)) as u32;
    Diagnostic::at(source, path, at, at + error.length, error.message)
}

struct Converted {
    /// `None` if the text can be used as it is.
    code: Option<String>,
    map: Option<SourceMap>,
    barrel: Option<Barrel>,
    directives: Vec<String>,
    /// Arguments of `require` and `import()` that may run, and whether all of them stand in a `try`.
    requires: FxHashMap<String, bool>,
}

fn dependencies_of(info: &Info, converted: &Converted) -> Vec<Dependency> {
    let mut all: Vec<Dependency> = Vec::new();
    let mut add = |dependency: Dependency| match all.iter_mut().find(|known| known.specifier == dependency.specifier) {
        Some(known) => {
            known.names.extend(dependency.names);
            known.is_whole |= dependency.is_whole;
            known.optional &= dependency.optional;
        }
        None => all.push(dependency),
    };
    for import in &info.imports {
        let attribute_of =
            |name: &str| import.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        add(Dependency {
            specifier: import.specifier.clone(),
            kind: DependencyKind::Import,
            attribute: attribute_of("type"),
            graph: attribute_of("bunBakeGraph"),
            names: import.names.clone(),
            is_whole: import.namespace || import.star,
            offset: import.offset,
            optional: false,
        });
    }
    // Those of branches that cannot run are no dependencies.
    for (requests, kind) in
        [(&info.requires, DependencyKind::Require), (&info.dynamic_imports, DependencyKind::Dynamic)]
    {
        for request in requests {
            let Some(optional) = converted.requires.get(&request.specifier) else { continue };
            add(Dependency {
                specifier: request.specifier.clone(),
                kind,
                attribute: None,
                graph: None,
                names: Vec::new(),
                is_whole: true,
                offset: request.offset,
                optional: *optional && kind == DependencyKind::Require,
            });
        }
    }
    // `require` of a JSX runtime, which the first step has added.
    if info.kind == ModuleKind::Cjs {
        for (specifier, optional) in &converted.requires {
            if specifier.contains("/jsx-") {
                add(Dependency {
                    specifier: specifier.clone(),
                    kind: DependencyKind::Require,
                    attribute: None,
                    graph: None,
                    names: Vec::new(),
                    is_whole: true,
                    offset: 0,
                    optional: *optional,
                });
            }
        }
    }
    all
}

fn convert(text: &str, path: &str, is_esm: bool, info: &Info) -> Result<Converted, Vec<Diagnostic>> {
    let allocator = Allocator::default();
    let hint = if is_esm { ModuleHint::Esm } else { ModuleHint::Cjs };
    let mut parsed = parse::parse(&allocator, text, path, Loader::Js, hint)?;
    let program = &mut parsed.program;
    let mut visitor = Visitor {
        builder: AstBuilder::new(&allocator),
        info,
        requires: FxHashMap::default(),
        tries: 0,
        dead: 0,
        errors: Vec::new(),
    };
    visitor.visit_program(program);
    let Visitor { requires, errors, .. } = visitor;
    if !errors.is_empty() {
        return Err(errors
            .into_iter()
            .map(|span| Diagnostic::at(text, path, span.start, span.end, ACCEPT_MESSAGE))
            .collect());
    }
    let directives = program.directives.iter().map(|directive| directive.directive.to_string()).collect();
    if !is_esm && info.dynamic_imports.is_empty() {
        return Ok(Converted { code: None, map: None, barrel: None, directives, requires });
    }
    let barrel = if is_esm { barrel_of(program) } else { None };
    let scoping = SemanticBuilder::new().with_excess_capacity(1.0).build(program).semantic.into_scoping();
    let _ = ModuleRunnerTransform::new().transform(&allocator, program, scoping);
    let mut names = Names { builder: AstBuilder::new(&allocator), imports: Vec::new() };
    names.collect(program);
    names.visit_program(program);
    let codegen = Codegen::new().with_options(CodegenOptions {
        comments: CommentOptions { normal: false, jsdoc: false, annotation: false, legal: LegalComment::None },
        source_map_path: Some(path.into()),
        ..CodegenOptions::default()
    });
    let printed = codegen.build(program);
    let map = printed.map.map(|map| convert_map(&map));
    Ok(Converted { code: Some(printed.code), map, barrel, directives, requires })
}

/// What a module passes on, if it does nothing else.
fn barrel_of(program: &Program<'_>) -> Option<Barrel> {
    let mut barrel = Barrel::default();
    let mut locals: FxHashMap<String, (String, String)> = FxHashMap::default();
    for statement in &program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        let source = import.source.value.to_string();
        let Some(specifiers) = &import.specifiers else {
            barrel.always.push(source);
            continue;
        };
        for specifier in specifiers {
            let (local, imported) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => (&it.local, it.imported.name().to_string()),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => (&it.local, "default".to_string()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => (&it.local, "*".to_string()),
            };
            locals.insert(local.name.to_string(), (source.clone(), imported));
        }
    }
    for statement in &program.body {
        match statement {
            Statement::ImportDeclaration(_) => {}
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    barrel.exports.push(BarrelExport {
                        exported: specifier.exported.name().to_string(),
                        specifier: export.source.value.to_string(),
                        imported: specifier.local.name().to_string(),
                    });
                }
            }
            Statement::ExportAllDeclaration(export) => match &export.exported {
                Some(name) => barrel.exports.push(BarrelExport {
                    exported: name.name().to_string(),
                    specifier: export.source.value.to_string(),
                    imported: "*".to_string(),
                }),
                None => barrel.always.push(export.source.value.to_string()),
            },
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let local = specifier.local.name().to_string();
                    let (source, imported) = locals.get(&local)?;
                    barrel.exports.push(BarrelExport {
                        exported: specifier.exported.name().to_string(),
                        specifier: source.clone(),
                        imported: imported.clone(),
                    });
                }
            }
            _ => return None,
        }
    }
    (!barrel.exports.is_empty()).then_some(barrel)
}

/// What a condition of literals is, if it is one.
fn truth(expression: &Expression<'_>) -> Option<bool> {
    match expression {
        Expression::BooleanLiteral(it) => Some(it.value),
        Expression::StringLiteral(it) => Some(!it.value.is_empty()),
        Expression::NumericLiteral(it) => Some(it.value != 0.0),
        Expression::ParenthesizedExpression(it) => truth(&it.expression),
        Expression::UnaryExpression(it) if it.operator == UnaryOperator::LogicalNot => {
            truth(&it.argument).map(|it| !it)
        }
        Expression::BinaryExpression(it) => {
            let (Expression::StringLiteral(left), Expression::StringLiteral(right)) = (&it.left, &it.right) else {
                return None;
            };
            match it.operator {
                BinaryOperator::StrictEquality | BinaryOperator::Equality => Some(left.value == right.value),
                BinaryOperator::StrictInequality | BinaryOperator::Inequality => Some(left.value != right.value),
                _ => None,
            }
        }
        Expression::LogicalExpression(it) => match (it.operator, truth(&it.left)) {
            (LogicalOperator::And, Some(true)) | (LogicalOperator::Or, Some(false)) => truth(&it.right),
            (LogicalOperator::And, Some(false)) => Some(false),
            (LogicalOperator::Or, Some(true)) => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Finds what is required, and replaces `import.meta.hot`.
struct Visitor<'a, 'i> {
    builder: AstBuilder<'a>,
    info: &'i Info,
    requires: FxHashMap<String, bool>,
    /// How many `try` blocks and branches that never run are around.
    tries: u32,
    dead: u32,
    errors: Vec<Span>,
}

/// Whether an expression is `import.meta.hot`.
fn is_hot(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::StaticMemberExpression(member)
        if member.property.name == "hot" && matches!(member.object, Expression::ImportMeta(_)))
}

impl<'a> Visitor<'a, '_> {
    fn note(&mut self, specifier: &str) {
        if self.dead == 0 {
            let optional = self.tries > 0;
            self.requires.entry(specifier.to_owned()).and_modify(|all| *all &= optional).or_insert(optional);
        }
    }

    fn in_branch(&mut self, is_dead: bool, visit: impl FnOnce(&mut Self)) {
        self.dead += u32::from(is_dead);
        visit(self);
        self.dead -= u32::from(is_dead);
    }

    /// Checks a specifier that `accept` names.
    fn check(&mut self, literal: &StringLiteral<'a>) {
        if !self.info.imports.iter().any(|import| import.specifier == literal.value.as_str()) {
            self.errors.push(literal.span);
        }
    }

    fn hot(&self, span: Span) -> Expression<'a> {
        Expression::new_identifier(span, "__hot", &self.builder)
    }
}

impl<'a> VisitMut<'a> for Visitor<'a, '_> {
    fn visit_call_expression(&mut self, it: &mut CallExpression<'a>) {
        if let Expression::Identifier(callee) = &it.callee
            && callee.name == "require"
            && let [Argument::StringLiteral(specifier)] = it.arguments.as_slice()
        {
            self.note(specifier.value.as_str());
        }
        if let Expression::StaticMemberExpression(callee) = &mut it.callee
            && callee.property.name == "accept"
            && is_hot(&callee.object)
        {
            let names_modules = match it.arguments.first() {
                Some(Argument::StringLiteral(specifier)) => {
                    self.check(specifier);
                    true
                }
                Some(Argument::ArrayExpression(list)) => {
                    for element in &list.elements {
                        match element {
                            ArrayExpressionElement::StringLiteral(specifier) => self.check(specifier),
                            other => self.errors.push(other.span()),
                        }
                    }
                    true
                }
                _ => false,
            };
            if names_modules {
                callee.property.name = Ident::from("acceptDependencies");
            }
        }
        walk_mut::walk_call_expression(self, it);
    }

    fn visit_import_expression(&mut self, it: &mut ImportExpression<'a>) {
        if let Expression::StringLiteral(specifier) = &it.source {
            self.note(specifier.value.as_str());
        }
        walk_mut::walk_import_expression(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &mut StaticMemberExpression<'a>) {
        if is_hot(&it.object) {
            it.object = self.hot(it.object.span());
            return;
        }
        walk_mut::walk_static_member_expression(self, it);
    }

    fn visit_expression(&mut self, it: &mut Expression<'a>) {
        if is_hot(it) {
            let property = IdentifierName::new(SPAN, "indirect", &self.builder);
            let span = it.span();
            *it = Expression::new_static_member_expression(span, self.hot(span), property, false, &self.builder);
            return;
        }
        walk_mut::walk_expression(self, it);
    }

    fn visit_if_statement(&mut self, it: &mut IfStatement<'a>) {
        let truth = truth(&it.test);
        self.visit_expression(&mut it.test);
        self.in_branch(truth == Some(false), |this| this.visit_statement(&mut it.consequent));
        if let Some(alternate) = &mut it.alternate {
            self.in_branch(truth == Some(true), |this| this.visit_statement(alternate));
        }
    }

    fn visit_conditional_expression(&mut self, it: &mut ConditionalExpression<'a>) {
        let truth = truth(&it.test);
        self.visit_expression(&mut it.test);
        self.in_branch(truth == Some(false), |this| this.visit_expression(&mut it.consequent));
        self.in_branch(truth == Some(true), |this| this.visit_expression(&mut it.alternate));
    }

    fn visit_logical_expression(&mut self, it: &mut LogicalExpression<'a>) {
        let truth = truth(&it.left);
        self.visit_expression(&mut it.left);
        let is_dead = match it.operator {
            LogicalOperator::And => truth == Some(false),
            LogicalOperator::Or => truth == Some(true),
            LogicalOperator::Coalesce => false,
        };
        self.in_branch(is_dead, |this| this.visit_expression(&mut it.right));
    }

    fn visit_try_statement(&mut self, it: &mut TryStatement<'a>) {
        self.tries += 1;
        self.visit_block_statement(&mut it.block);
        self.tries -= 1;
        if let Some(handler) = &mut it.handler {
            self.visit_catch_clause(handler);
        }
        if let Some(finalizer) = &mut it.finalizer {
            self.visit_block_statement(finalizer);
        }
    }
}

/// Gives what oxc has made the names of this file, and makes imports synchronous.
struct Names<'a> {
    builder: AstBuilder<'a>,
    /// What each namespace is called, by its number.
    imports: Vec<String>,
}

/// The words of a specifier's last part, for the name of its namespace: they show up in debuggers and stacks.
fn word(specifier: &str) -> String {
    let last = specifier.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    let stem = last.split('.').find(|part| !part.is_empty()).unwrap_or(last);
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// `N` of `__vite_ssr_import_N__`.
fn number_of(name: &str) -> Option<usize> {
    name.strip_prefix("__vite_ssr_import_")?.strip_suffix("__")?.parse().ok()
}

impl<'a> Names<'a> {
    fn collect(&mut self, program: &mut Program<'a>) {
        for statement in &mut program.body {
            let Statement::VariableDeclaration(declaration) = statement else { continue };
            let Some(declarator) = declaration.declarations.first_mut() else { continue };
            let BindingPattern::BindingIdentifier(id) = &declarator.id else { continue };
            let Some(number) = number_of(id.name.as_str()) else { continue };
            let Some(Expression::AwaitExpression(it)) = &mut declarator.init else { continue };
            let call = it.argument.take_in(&self.builder);
            if let Expression::CallExpression(call) = &call
                && let Some(Argument::StringLiteral(specifier)) = call.arguments.first()
            {
                if self.imports.len() <= number {
                    self.imports.resize(number + 1, String::new());
                }
                self.imports[number] = format!("__{number}_{}", word(specifier.value.as_str()));
            }
            let mut call = call;
            if let Expression::CallExpression(call) = &mut call {
                // The names of what is imported are known from the analysis.
                call.arguments.truncate(1);
            }
            declarator.init = Some(call);
        }
    }

    fn name_of(&self, name: &str) -> Option<Ident<'a>> {
        let own = match name.strip_prefix("__vite_ssr_")? {
            "import__" => "__import",
            "dynamic_import__" => "__dynamic",
            "exports__" => "__exports",
            "exportAll__" => "__star",
            "import_meta__" => "__meta",
            "export_default__" => "__default",
            _ => {
                let found = self.imports.get(number_of(name)?)?;
                return Some(Ident::from_str_in(found, &self.builder));
            }
        };
        Some(Ident::from(own))
    }
}

impl<'a> VisitMut<'a> for Names<'a> {
    fn visit_identifier_reference(&mut self, it: &mut IdentifierReference<'a>) {
        if let Some(name) = self.name_of(it.name.as_str()) {
            it.name = name;
        }
    }

    fn visit_binding_identifier(&mut self, it: &mut BindingIdentifier<'a>) {
        if let Some(name) = self.name_of(it.name.as_str()) {
            it.name = name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Define;
    use std::sync::Arc;

    fn hot(source: &str) -> HotModule {
        let define = Define::new(&[("process.env.NODE_ENV", "\"development\"")]).unwrap();
        let options = Options { define: Some(Arc::new(define)), ..Options::default() };
        hot_module(source, "/a.ts", &options).unwrap()
    }

    #[test]
    fn imports_and_exports() {
        let module = hot(
            "import a, { b as c } from './x/b-c.ts';\nexport const d = a(c);\nexport * from 'y';\nexport default 1;",
        );
        assert!(module.code.contains("const __0_b_c = __import(\"./x/b-c.ts\");"), "{}", module.code);
        assert!(module.code.contains("(0, __0_b_c.default)(__0_b_c.b)"), "{}", module.code);
        assert!(module.code.contains("__star(__1_y)"), "{}", module.code);
        assert!(!module.code.contains("await") && !module.code.contains("vite"), "{}", module.code);
        let specifiers: Vec<&str> = module.dependencies.iter().map(|it| it.specifier.as_str()).collect();
        assert_eq!(specifiers, ["./x/b-c.ts", "y"]);
    }

    #[test]
    fn dead_branches_need_nothing() {
        let module = hot(
            "if (process.env.NODE_ENV === 'production') module.exports = require('./a'); else module.exports = require('./b');\ntry { require('./c') } catch {}",
        );
        let found: Vec<(&str, bool)> =
            module.dependencies.iter().map(|it| (it.specifier.as_str(), it.optional)).collect();
        assert_eq!(found, [("./b", false), ("./c", true)]);
        assert_eq!(module.info.kind, ModuleKind::Cjs);
    }

    #[test]
    fn barrels() {
        let module = hot(
            "import x, { y } from './a'; export { A as B } from './b'; export * as c from './c'; export * from './d'; export { x, y as z };",
        );
        let barrel = module.barrel.unwrap();
        let names: Vec<String> =
            barrel.exports.iter().map(|it| format!("{} {} {}", it.exported, it.specifier, it.imported)).collect();
        assert_eq!(names, ["B ./b A", "c ./c *", "x ./a default", "z ./a y"]);
        assert_eq!(barrel.always, ["./d"]);
        assert!(hot("export { A } from './a'; f();").barrel.is_none());
    }

    #[test]
    fn directives_and_graphs() {
        let module = hot("'use client';\nimport a from './a' with { bunBakeGraph: 'ssr' };\nexport default a;");
        assert_eq!(module.directives, ["use client"]);
        assert_eq!(module.dependencies[0].graph.as_deref(), Some("ssr"));
        assert_eq!(module.dependencies[0].attribute, None);
    }

    #[test]
    fn wrapper_names() {
        assert_eq!(hot("let { exports } = module; exports.a = 1").info.kind, ModuleKind::Cjs);
        assert_eq!(hot("let exports = 1; export {}").info.kind, ModuleKind::Esm);
    }

    #[test]
    fn hot_calls() {
        let module = hot(
            "import './d';\nimport.meta.hot.accept('./d', () => {});\nimport.meta.hot.data.x ??= 1;\nconst h = import.meta.hot;\nimport.meta.hot?.dispose(f);export {}",
        );
        assert!(module.code.contains("__hot.acceptDependencies(\"./d\""), "{}", module.code);
        assert!(module.code.contains("__hot.data.x ??= 1"), "{}", module.code);
        assert!(module.code.contains("__hot.indirect"), "{}", module.code);
        assert!(module.code.contains("__hot?.dispose"), "{}", module.code);
        let errors =
            hot_module("import './d';\ntype X = 1;\n  import.meta.hot.accept('oh no');", "/a.ts", &Options::default());
        let error = &errors.unwrap_err()[0];
        assert_eq!((error.line, error.column, error.message.as_str()), (3, 26, ACCEPT_MESSAGE));
    }
}
