//! Imports, exports, and statements that are types as a whole.

use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use super::Eraser;
use super::tokens::Tokens;
use crate::analyze::is_type_only;

/// Makes `with` of `assert` in the syntax tree, as attributes of imports were written before they became part of ECMA-262, and gives the
/// places of these words in the text.
pub(crate) fn update_attributes(program: &mut Program<'_>) -> Vec<u32> {
    let tokens = Tokens { source: program.source_text };
    let mut words = Vec::new();
    for statement in &mut program.body {
        let (end, clause) = match statement {
            Statement::ImportDeclaration(it) => (it.source.span.end, &mut it.with_clause),
            Statement::ExportFromDeclaration(it) => (it.source.span.end, &mut it.with_clause),
            Statement::ExportAllDeclaration(it) => (it.source.span.end, &mut it.with_clause),
            _ => continue,
        };
        if let Some(clause) = clause
            && clause.keyword == WithClauseKeyword::Assert
        {
            clause.keyword = WithClauseKeyword::With;
            words.push(tokens.skip(end));
        }
    }
    words
}

impl<'a> Eraser<'a, '_> {
    /// Whether a statement disappears.
    pub(super) fn is_type_only(&self, statement: &Statement<'a>) -> bool {
        match statement {
            Statement::ImportDeclaration(it) => {
                if it.import_kind.is_type() {
                    return true;
                }
                let Some(specifiers) = &it.specifiers else {
                    return false;
                };
                !self.imports.verbatim && !specifiers.is_empty() && specifiers.iter().all(|s| self.drops(s))
            }
            Statement::ExportAllDeclaration(it) => it.export_kind.is_type(),
            Statement::ExportNamedDeclaration(it) => {
                it.export_kind.is_type()
                    || (!it.specifiers.is_empty() && it.specifiers.iter().all(|s| self.types.drops_export(s)))
            }
            Statement::ExportFromDeclaration(it) => {
                it.export_kind.is_type()
                    || (!self.imports.verbatim
                        && !it.specifiers.is_empty()
                        && it.specifiers.iter().all(|s| s.export_kind.is_type()))
            }
            Statement::ExportDeclaration(it) => is_type_only(&it.declaration),
            Statement::ExportDefaultDeclaration(it) => self.types.is_type_only_default(it),
            Statement::TSNamespaceExportDeclaration(_) => true,
            _ => statement.as_declaration().is_some_and(is_type_only),
        }
    }

    fn drops(&self, specifier: &ImportDeclarationSpecifier<'a>) -> bool {
        if let ImportDeclarationSpecifier::ImportSpecifier(it) = specifier
            && it.import_kind.is_type()
        {
            return true;
        }
        !self.imports.verbatim && !self.imports.used.contains(specifier.local().name.as_str())
    }

    /// Blanks the specifiers of an import that stays.
    pub(super) fn import(&mut self, it: &ImportDeclaration<'a>) {
        let Some(specifiers) = &it.specifiers else {
            return;
        };
        let has_default = matches!(specifiers.first(), Some(ImportDeclarationSpecifier::ImportDefaultSpecifier(_)));
        for (index, specifier) in specifiers.iter().enumerate() {
            if !self.drops(specifier) {
                continue;
            }
            let span = specifier.span();
            match specifier {
                // `import a, * as b` without `b`: the comma before goes too.
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) if has_default => {
                    let comma = self.tokens.skip(specifiers[index - 1].span().end);
                    self.edits.blank(comma, span.end);
                }
                _ => self.blank_item(span),
            }
        }
    }

    /// Blanks the specifiers of `export { ... }`; with `local`, there is no `from` behind it.
    pub(super) fn export_specifiers(&mut self, specifiers: &[ExportSpecifier<'a>], local: bool) {
        for specifier in specifiers {
            if specifier.export_kind.is_type() || (local && self.types.drops_export(specifier)) {
                self.blank_item(specifier.span);
            }
        }
    }

    /// Blanks an item of a list together with the comma after it. The comma before a last item may stay.
    fn blank_item(&mut self, span: Span) {
        let comma = self.tokens.skip(span.end);
        let end = if self.tokens.byte(comma) == Some(b',') { comma + 1 } else { span.end };
        self.edits.blank(span.start, end);
    }
}
