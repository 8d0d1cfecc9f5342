//! What is changed in a module's syntax tree before rolldown links it: import attributes, `__dirname` and `__filename`,
//! calls that are dropped, `feature()` of "bun:bundle".

use std::path::Path;

use oxc::allocator::Allocator;
use oxc::ast::ast::{
    Argument, ChainElement, ExportAllDeclaration, ExportFromDeclaration, Expression, IdentifierReference,
    ImportAttributeKey, ImportDeclaration, ImportDeclarationSpecifier, ImportExpression, ModuleExportName, NumberBase,
    ObjectPropertyKind, Program, PropertyKey, Statement, StringLiteral, UnaryOperator, WithClause,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{VisitMut, walk_mut};
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::{SPAN, Span};
use rolldown_ecmascript::EcmaAst;

use crate::options::{BuildOptions, Loader};

/// Changes what has to be changed; `path` is the module's file, empty if it has none.
pub(crate) fn rewrite(mut ast: EcmaAst, path: &Path, options: &BuildOptions, mark: &str) -> EcmaAst {
    let source = ast.source().clone();
    let has = |text: &str| memchr::memmem::find(source.as_bytes(), text.as_bytes()).is_some();
    let attributes =
        has("type") && (has(" with") || has("}with") || has("\"with") || has("'with") || has("with:") || has("assert"));
    let features = has("bun:bundle");
    let names = has("__dirname") || has("__filename");
    let hot = has("import.meta.hot");
    if !attributes && !features && !names && !hot && options.drop.is_empty() {
        return ast;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        let feature = features.then(|| take_feature_import(program)).flatten();
        let needs_scopes = names || !options.drop.is_empty();
        let scoping = needs_scopes.then(|| SemanticBuilder::new().build(program).semantic.into_scoping());
        let path = Some(path).filter(|path| !path.as_os_str().is_empty());
        let builder = AstBuilder::new(allocator);
        let mut rewriter = Rewriter { builder, options, mark, feature, scoping, path };
        rewriter.visit_program(program);
    });
    ast
}

/// Removes the import of `feature` and gives its local name.
fn take_feature_import(program: &mut Program<'_>) -> Option<String> {
    let mut local = None;
    program.body.retain(|statement| {
        let Statement::ImportDeclaration(import) = statement else { return true };
        if import.source.value != "bun:bundle" {
            return true;
        }
        for specifier in import.specifiers.iter().flatten() {
            if let ImportDeclarationSpecifier::ImportSpecifier(specifier) = specifier
                && matches!(&specifier.imported, ModuleExportName::IdentifierName(name) if name.name == "feature")
            {
                local = Some(specifier.local.name.to_string());
            }
        }
        false
    });
    local
}

struct Rewriter<'a, 'b> {
    builder: AstBuilder<'a>,
    options: &'b BuildOptions,
    mark: &'b str,
    /// What `feature` of "bun:bundle" is called here.
    feature: Option<String>,
    /// Who declares which name, if that matters.
    scoping: Option<Scoping>,
    /// The module's file.
    path: Option<&'b Path>,
}

impl<'a> Rewriter<'a, '_> {
    /// Whether the module itself does not declare a name.
    fn is_free(&self, identifier: &IdentifierReference<'a>) -> bool {
        let Some(scoping) = &self.scoping else { return false };
        identifier.reference_id.get().is_none_or(|id| scoping.get_reference(id).symbol_id().is_none())
    }

    fn undefined(&self, span: Span) -> Expression<'a> {
        let zero = Expression::new_numeric_literal(span, 0.0, None, NumberBase::Decimal, &self.builder);
        Expression::new_unary_expression(span, UnaryOperator::Void, zero, &self.builder)
    }

    /// Puts the loader of `with { type: "…" }` behind the specifier.
    fn apply(&mut self, source: &mut StringLiteral<'a>, clause: Option<&WithClause<'a>>) {
        let Some(clause) = clause else { return };
        let value = |wanted: &str| {
            let found = clause.with_entries.iter().find(|attribute| match &attribute.key {
                ImportAttributeKey::Identifier(name) => name.name == wanted,
                ImportAttributeKey::StringLiteral(text) => text.value == wanted,
            });
            found.map(|attribute| attribute.value.value.as_str())
        };
        match (value("type"), value("embed")) {
            (Some("sqlite"), Some("true")) => self.set_loader(source, Loader::SqliteEmbedded.name()),
            (Some(name), _) => self.set_loader(source, name),
            _ => {}
        }
    }

    fn set_loader(&mut self, source: &mut StringLiteral<'a>, name: &str) {
        if Loader::of_name(name).is_none() {
            return;
        }
        let text = format!("{}{}{name}", source.value, self.mark);
        *source =
            StringLiteral::new(source.span, oxc::ast::ast::Str::from_str_in(&text, &self.builder), None, &self.builder);
    }

    /// The name of what is called, as in the option `drop`: `console` for all of its methods, `a.b` for one.
    fn is_dropped(&self, callee: &Expression<'a>) -> bool {
        let Some((name, root)) = dotted(callee) else { return false };
        if self.options.drop.is_empty() || !self.is_free(root) {
            return false;
        }
        self.options.drop.iter().any(|dropped| {
            dropped != "debugger"
                && name.strip_prefix(dropped.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

/// An expression of names and dots as text, with its first name.
fn dotted<'t, 'a>(expression: &'t Expression<'a>) -> Option<(String, &'t IdentifierReference<'a>)> {
    match expression {
        Expression::Identifier(name) => Some((name.name.to_string(), name)),
        Expression::StaticMemberExpression(member) => {
            let (text, root) = dotted(&member.object)?;
            Some((format!("{text}.{}", member.property.name), root))
        }
        _ => None,
    }
}

/// Parts of `import.meta.hot`.
enum Hot {
    Data,
    Other,
}

/// Whether an expression is `import.meta.hot`.
fn is_hot(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::StaticMemberExpression(member)
        if member.property.name == "hot" && matches!(member.object, Expression::ImportMeta(_)))
}

/// Whether an expression calls a method of `import.meta.hot`.
fn is_hot_call(expression: &Expression<'_>) -> bool {
    let call = match expression {
        Expression::CallExpression(call) => call,
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => call,
            _ => return false,
        },
        _ => return false,
    };
    matches!(&call.callee, Expression::StaticMemberExpression(member) if is_hot(&member.object))
}

/// What an expression is of `import.meta.hot`: outside of the development server there is none, and its data are empty.
fn hot_of(expression: &Expression<'_>) -> Option<Hot> {
    if is_hot(expression) || is_hot_call(expression) {
        return Some(Hot::Other);
    }
    match expression {
        Expression::StaticMemberExpression(member) if is_hot(&member.object) => {
            Some(if member.property.name == "data" { Hot::Data } else { Hot::Other })
        }
        _ => None,
    }
}

impl<'a> VisitMut<'a> for Rewriter<'a, '_> {
    fn visit_import_declaration(&mut self, import: &mut ImportDeclaration<'a>) {
        let clause = import.with_clause.take();
        self.apply(&mut import.source, clause.as_deref());
        import.with_clause = clause.filter(|_| !import.source.value.contains(self.mark));
    }

    fn visit_export_from_declaration(&mut self, export: &mut ExportFromDeclaration<'a>) {
        let clause = export.with_clause.take();
        self.apply(&mut export.source, clause.as_deref());
        export.with_clause = clause.filter(|_| !export.source.value.contains(self.mark));
    }

    fn visit_export_all_declaration(&mut self, export: &mut ExportAllDeclaration<'a>) {
        let clause = export.with_clause.take();
        self.apply(&mut export.source, clause.as_deref());
        export.with_clause = clause.filter(|_| !export.source.value.contains(self.mark));
    }

    fn visit_import_expression(&mut self, import: &mut ImportExpression<'a>) {
        if let (Expression::StringLiteral(source), Some(Expression::ObjectExpression(options))) =
            (&mut import.source, &import.options)
        {
            let named = |key: &PropertyKey<'a>, name: &str| key.static_name().is_some_and(|found| found == name);
            for property in &options.properties {
                let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
                let Expression::ObjectExpression(entries) = &property.value else { continue };
                if !named(&property.key, "with") && !named(&property.key, "assert") {
                    continue;
                }
                for entry in &entries.properties {
                    if let ObjectPropertyKind::ObjectProperty(entry) = entry
                        && named(&entry.key, "type")
                        && let Expression::StringLiteral(value) = &entry.value
                    {
                        self.set_loader(source, value.value.as_str());
                    }
                }
            }
            if source.value.contains(self.mark) {
                import.options = None;
            }
        }
        walk_mut::walk_import_expression(self, import);
    }

    fn visit_statement(&mut self, statement: &mut Statement<'a>) {
        // What only the development server answers is not even evaluated: `import.meta.hot.dispose(() => ...)`.
        if let Statement::ExpressionStatement(it) = statement
            && is_hot_call(&it.expression)
        {
            *statement = Statement::new_empty_statement(it.span, &self.builder);
            return;
        }
        if let Statement::DebuggerStatement(debugger) = statement
            && self.options.drop.iter().any(|name| name == "debugger")
        {
            *statement = Statement::new_empty_statement(debugger.span, &self.builder);
            return;
        }
        walk_mut::walk_statement(self, statement);
    }

    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        match hot_of(expression) {
            Some(Hot::Data) => {
                let none: [ObjectPropertyKind<'a>; 0] = [];
                *expression = Expression::new_object_expression(SPAN, none, &self.builder);
                return;
            }
            Some(Hot::Other) => {
                *expression = self.undefined(SPAN);
                return;
            }
            None => {}
        }
        let call = match expression {
            Expression::CallExpression(call) => Some(&**call),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => Some(&**call),
                _ => None,
            },
            _ => None,
        };
        if let Some(call) = call {
            if self.is_dropped(&call.callee) {
                *expression = self.undefined(call.span);
                return;
            }
            if let (Expression::Identifier(callee), Some(feature)) = (&call.callee, &self.feature)
                && callee.name == feature.as_str()
                && let Some(Argument::StringLiteral(name)) = call.arguments.first()
            {
                let is_on = self.options.features.iter().any(|on| on == name.value.as_str());
                *expression = Expression::new_boolean_literal(SPAN, is_on, &self.builder);
                return;
            }
        }
        if let (Expression::Identifier(identifier), Some(path)) = (&*expression, self.path) {
            let value = match identifier.name.as_str() {
                "__dirname" => path.parent(),
                "__filename" => Some(path),
                _ => None,
            };
            if let Some(value) = value
                && self.is_free(identifier)
            {
                let text = oxc::ast::ast::Str::from_str_in(&value.to_string_lossy(), &self.builder);
                *expression = Expression::new_string_literal(identifier.span, text, None, &self.builder);
                return;
            }
        }
        walk_mut::walk_expression(self, expression);
    }
}
