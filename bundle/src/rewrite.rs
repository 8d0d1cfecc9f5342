//! What is changed in a module's syntax tree before rolldown links it: import attributes, `__dirname` and `__filename`,
//! calls that are dropped, `feature()` of "bun:bundle".

use std::path::Path;

use oxc::allocator::Allocator;
use oxc::ast::ast::{
    Argument, ChainElement, ExportAllDeclaration, ExportFromDeclaration, Expression, IdentifierReference,
    ImportAttributeKey, ImportDeclaration, ImportExpression, ObjectPropertyKind, Program, PropertyKey, Statement,
    StringLiteral, WithClause, WithClauseKeyword,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{VisitMut, walk_mut};
use oxc::span::{GetSpan, SPAN, Span};
use rolldown_ecmascript::EcmaAst;

use crate::external::Externals;
use crate::options::{BuildOptions, Loader};
use crate::rules::{self, FreeNames};
use crate::survey::{self, Survey};

/// Changes what has to be changed; `path` is the module's file, empty if it has none.
pub(crate) fn rewrite(
    mut ast: EcmaAst,
    path: &Path,
    options: &BuildOptions,
    mark: &str,
    survey: Option<&Survey>,
) -> EcmaAst {
    let source = ast.source().clone();
    let has = |text: &str| memchr::memmem::find(source.as_bytes(), text.as_bytes()).is_some();
    let attributes = has("type")
        && (has("with") || has("assert"))
        && (has_attributes(ast.program())
            || survey.map_or_else(|| has_import_calls(source.as_bytes()), |survey| survey.has_import_options));
    let features = has("bun:bundle");
    let names = survey.map_or_else(|| has("__dirname") || has("__filename"), |survey| !survey.paths.is_empty());
    if !attributes && !features && !names && options.drop.is_empty() {
        return ast;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        let feature = features.then(|| take_feature_import(program)).flatten();
        let free = if options.drop.is_empty() {
            names.then(|| FreeNames::of(program, &["__dirname", "__filename"], survey))
        } else {
            Some(FreeNames::by_scopes(program))
        };
        let path = Some(path).filter(|path| !path.as_os_str().is_empty());
        let builder = AstBuilder::new(allocator);
        let places = survey.filter(|_| !attributes && !features && options.drop.is_empty());
        let places = places.map(|survey| survey.paths.as_slice());
        let externals = attributes.then(|| Externals::new(options));
        let mut rewriter = Rewriter { builder, options, mark, externals, feature, free, path, places };
        rewriter.visit_program(program);
    });
    ast
}

/// Whether a text may have calls of `import`.
fn has_import_calls(source: &[u8]) -> bool {
    let is_call =
        |rest: &[u8]| rest.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| b"(/".contains(byte));
    memchr::memmem::find_iter(source, b"import").any(|at| is_call(&source[at + b"import".len()..]))
}

/// Whether declarations have attributes.
fn has_attributes(program: &Program<'_>) -> bool {
    program.body.iter().any(|statement| match statement {
        Statement::ImportDeclaration(import) => import.with_clause.is_some(),
        Statement::ExportFromDeclaration(export) => export.with_clause.is_some(),
        Statement::ExportAllDeclaration(export) => export.with_clause.is_some(),
        _ => false,
    })
}

/// Removes the import of `feature` and gives its local name.
fn take_feature_import(program: &mut Program<'_>) -> Option<String> {
    let local = rules::feature_name(program);
    program.body.retain(
        |statement| !matches!(statement, Statement::ImportDeclaration(import) if import.source.value == "bun:bundle"),
    );
    local
}

struct Rewriter<'a, 'b> {
    builder: AstBuilder<'a>,
    options: &'b BuildOptions,
    mark: &'b str,
    /// Which specifiers stay imports, if there are attributes.
    externals: Option<Externals>,
    /// What `feature` of "bun:bundle" is called here.
    feature: Option<String>,
    /// Who declares which name, if that matters.
    free: Option<FreeNames<'b>>,
    /// The module's file.
    path: Option<&'b Path>,
    /// Where all is that is to be changed, if that is known.
    places: Option<&'b [u32]>,
}

impl<'a> Rewriter<'a, '_> {
    /// Whether nothing is to be changed in a part of the text.
    fn is_done(&self, span: Span) -> bool {
        self.places.is_some_and(|places| !survey::contains(places, span))
    }

    /// Whether the module itself does not declare a name.
    fn is_free(&self, identifier: &IdentifierReference<'a>) -> bool {
        self.free.as_ref().is_some_and(|free| free.is_free(identifier))
    }

    /// Puts the loader of `with { type: "…" }` behind the specifier. An import that stays keeps its attributes, without which Node
    /// loads no JSON.
    fn apply(&mut self, source: &mut StringLiteral<'a>, clause: Option<&mut WithClause<'a>>) {
        let Some(clause) = clause else { return };
        clause.keyword = WithClauseKeyword::With;
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
        let stays = self.externals.as_ref().is_some_and(|externals| externals.is_external(&source.value));
        if stays || Loader::of_name(name).is_none() {
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

impl<'a> VisitMut<'a> for Rewriter<'a, '_> {
    fn visit_import_declaration(&mut self, import: &mut ImportDeclaration<'a>) {
        let mut clause = import.with_clause.take();
        self.apply(&mut import.source, clause.as_deref_mut());
        import.with_clause = clause.filter(|_| !import.source.value.contains(self.mark));
    }

    fn visit_export_from_declaration(&mut self, export: &mut ExportFromDeclaration<'a>) {
        let mut clause = export.with_clause.take();
        self.apply(&mut export.source, clause.as_deref_mut());
        export.with_clause = clause.filter(|_| !export.source.value.contains(self.mark));
    }

    fn visit_export_all_declaration(&mut self, export: &mut ExportAllDeclaration<'a>) {
        let mut clause = export.with_clause.take();
        self.apply(&mut export.source, clause.as_deref_mut());
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
        if self.is_done(statement.span()) {
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
        if self.is_done(expression.span()) {
            return;
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
                *expression = rules::undefined(call.span, &self.builder);
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
