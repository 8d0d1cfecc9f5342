//! Imports and exports.

use oxc_ast::ast::*;
use oxc_span::Span;

use super::{FREE, Printer, level, span_of};

impl Printer<'_> {
    pub(super) fn import(&mut self, it: &ImportDeclaration<'_>) {
        self.put("import");
        let specifiers = it.specifiers.as_deref().map_or(&[][..], |it| it);
        if specifiers.is_empty() {
            // As Bun does.
            self.source(&it.source, it.with_clause.as_deref());
            return;
        }
        match it.phase {
            Some(ImportPhase::Source) => self.put(" source"),
            Some(ImportPhase::Defer) => self.put(" defer"),
            None => {}
        }
        self.put(" ");
        let mut named = Vec::new();
        let mut is_first = true;
        for specifier in specifiers {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    named.push(&**it);
                    continue;
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => self.binding_name(&it.local),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => {
                    self.put(if is_first { "* as " } else { ", * as " });
                    self.binding_name(&it.local);
                }
            }
            is_first = false;
        }
        if !named.is_empty() {
            if !is_first {
                self.put(", ");
            }
            let one_line = self.is_clause_on_one_line(it.span, named.iter().map(|it| it.span));
            self.list(["{", "}"], " ", [one_line, false], named.into_iter(), |this, it| {
                let start = this.out.len();
                this.export_name(&it.imported);
                let imported = this.out[start..].to_owned();
                let local = this.out.len();
                this.binding_name(&it.local);
                let is_same = this.out[local..] == imported;
                let name = this.out.split_off(local);
                if !is_same {
                    this.put(" as ");
                    this.put(&name);
                }
            });
        }
        self.put(" from ");
        self.source(&it.source, it.with_clause.as_deref());
    }

    /// Whether the names between the braces of a clause stand on one line; `span` is the whole statement.
    fn is_clause_on_one_line(&self, span: Span, mut names: impl Iterator<Item = Span> + Clone) -> bool {
        let bytes = self.source.as_bytes();
        let (Some(first), Some(last)) = (names.clone().next(), names.clone().last()) else { return true };
        if span.is_unspanned() || names.any(Span::is_unspanned) || first.start < span.start || last.end > span.end {
            return true;
        }
        let before = bytes.get(span.start as usize..first.start as usize).and_then(|text| memchr::memrchr(b'{', text));
        let after = bytes.get(last.end as usize..span.end as usize).and_then(|text| memchr::memchr(b'}', text));
        match (before, after) {
            (Some(before), Some(after)) => bytes
                .get(span.start as usize + before..last.end as usize + after)
                .is_none_or(|clause| memchr::memchr(b'\n', clause).is_none()),
            _ => true,
        }
    }

    fn source(&mut self, source: &StringLiteral<'_>, with: Option<&WithClause<'_>>) {
        self.text(source, false);
        if let Some(with) = with {
            self.put(match with.keyword {
                WithClauseKeyword::With => " with ",
                WithClauseKeyword::Assert => " assert ",
            });
            self.list(["{", "}"], " ", [true, false], with.with_entries.iter(), |this, entry| {
                match &entry.key {
                    ImportAttributeKey::Identifier(key) => this.put(&key.name),
                    ImportAttributeKey::StringLiteral(key) => this.text_key(key),
                }
                this.put(": ");
                this.text(&entry.value, false);
            });
        }
        self.statement_end();
    }

    fn export_name(&mut self, name: &ModuleExportName<'_>) {
        match name {
            ModuleExportName::IdentifierName(it) => self.put(&it.name),
            ModuleExportName::IdentifierReference(it) => self.reference(it),
            ModuleExportName::StringLiteral(it) => self.text(it, false),
        }
    }

    pub(super) fn export_all(&mut self, it: &ExportAllDeclaration<'_>) {
        self.put("export *");
        if let Some(exported) = &it.exported {
            self.put(" as ");
            self.export_name(exported);
        }
        self.put(" from ");
        self.source(&it.source, it.with_clause.as_deref());
    }

    pub(super) fn export_list(
        &mut self,
        span: Span,
        specifiers: &[ExportSpecifier<'_>],
        source: Option<&StringLiteral<'_>>,
        with: Option<&WithClause<'_>>,
    ) {
        self.word("export");
        let one_line = self.is_clause_on_one_line(span, specifiers.iter().map(span_of));
        self.list(["{", "}"], " ", [one_line, false], specifiers.iter(), |this, it| {
            let start = this.out.len();
            this.export_name(&it.local);
            let local = this.out[start..].to_owned();
            let exported_start = this.out.len();
            this.export_name(&it.exported);
            let is_same = this.out[exported_start..] == local;
            let exported = this.out.split_off(exported_start);
            if !is_same {
                this.put(" as ");
                this.put(&exported);
            }
        });
        match source {
            Some(source) => {
                self.put(" from ");
                self.source(source, with);
            }
            None => self.statement_end(),
        }
    }

    pub(super) fn export_default(&mut self, it: &ExportDefaultDeclaration<'_>) {
        self.word("export default");
        match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.function(function);
                self.line_end();
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.class(class);
                self.line_end();
            }
            other => {
                if let Some(expression) = other.as_expression() {
                    self.default_start = self.out.len();
                    self.expression(expression, level::COMMA, FREE);
                    self.statement_end();
                }
            }
        }
    }
}
