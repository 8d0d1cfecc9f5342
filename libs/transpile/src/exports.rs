//! Exports that are taken out of a module or replaced, and imports that nobody uses then (`exports` and `trimUnusedImports` of
//! Bun.Transpiler).

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_semantic::{Scoping, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::depth::{self, Nesting, Walk};
use crate::diagnostic::Diagnostic;
use crate::edits::Edits;
use crate::options::{Loader, ModuleHint};
use crate::parse;

/// What is done to a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportChanges {
    /// Names of exports that go, with what they declare.
    pub eliminate: Vec<String>,
    /// Exports that become others: name, new name, and the JavaScript of the new value.
    pub replace: Vec<(String, String, String)>,
    /// Whether imports that nothing refers to go.
    pub trim_imports: bool,
}

impl ExportChanges {
    /// Whether nothing is to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.eliminate.is_empty() && self.replace.is_empty() && !self.trim_imports
    }
}

/// The text with the changes.
///
/// # Errors
/// Syntax errors of `source`.
pub fn change_exports(
    source: &str,
    path: &str,
    loader: Loader,
    changes: &ExportChanges,
) -> Result<String, Vec<Diagnostic>> {
    let mut text = source.to_string();
    if !changes.eliminate.is_empty() || !changes.replace.is_empty() {
        text = rewritten(&text, path, loader, |program, _, edits| {
            let mut changer = Changer { changes, edits, replaced: Vec::new() };
            for statement in &program.body {
                changer.statement(statement);
            }
            let Changer { replaced, .. } = changer;
            let end = program.span.end;
            for (name, value) in replaced {
                edits.replace(end, end, format!("\nexport var {name} = {value};"));
            }
        })?;
    }
    if changes.trim_imports {
        text = rewritten(&text, path, loader, trim_imports)?;
    }
    Ok(text)
}

fn rewritten(
    source: &str,
    path: &str,
    loader: Loader,
    edit: impl FnOnce(&Program<'_>, &Scoping, &mut Edits) + Send,
) -> Result<String, Vec<Diagnostic>> {
    let done = depth::run(Nesting::of(source), Walk::Recursive, || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, source, path, loader, ModuleHint::Esm)?;
        let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
        let mut edits = Edits::default();
        edit(&parsed.program, semantic.scoping(), &mut edits);
        Ok(edits.apply(source))
    });
    done.unwrap_or_else(|| Err(vec![Diagnostic::at(source, path, 0, 0, "The source nests too deeply to be parsed")]))
}

struct Changer<'c, 'e> {
    changes: &'c ExportChanges,
    edits: &'e mut Edits,
    /// Names and values of what comes instead.
    replaced: Vec<(&'c str, &'c str)>,
}

impl Changer<'_, '_> {
    /// Whether an export goes.
    fn takes(&mut self, name: &str) -> bool {
        if let Some((_, new, value)) = self.changes.replace.iter().find(|(old, _, _)| old == name) {
            self.replaced.push((new, value));
            return true;
        }
        self.changes.eliminate.iter().any(|gone| gone == name)
    }

    fn remove(&mut self, span: Span) {
        self.edits.replace(span.start, span.end, "");
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExportDeclaration(it) => match &it.declaration {
                Declaration::FunctionDeclaration(function) => self.named(function.id.as_ref(), it.span),
                Declaration::ClassDeclaration(class) => self.named(class.id.as_ref(), it.span),
                Declaration::VariableDeclaration(variables) => {
                    let names = |declarator: &VariableDeclarator<'_>| match &declarator.id {
                        BindingPattern::BindingIdentifier(name) => Some(name.name.to_string()),
                        _ => None,
                    };
                    let goes: Vec<bool> =
                        variables.declarations.iter().map(|it| names(it).is_some_and(|name| self.takes(&name))).collect();
                    if goes.iter().all(|goes| *goes) {
                        return self.remove(it.span);
                    }
                    self.from_list(variables.declarations.iter().map(GetSpan::span).collect(), &goes);
                }
                _ => {}
            },
            Statement::ExportNamedDeclaration(it) => {
                let goes: Vec<bool> = it.specifiers.iter().map(|it| self.takes(&it.exported.name())).collect();
                if !goes.is_empty() && goes.iter().all(|goes| *goes) {
                    return self.remove(it.span);
                }
                self.from_list(it.specifiers.iter().map(GetSpan::span).collect(), &goes);
            }
            Statement::ExportFromDeclaration(it) => {
                let goes: Vec<bool> = it.specifiers.iter().map(|it| self.takes(&it.exported.name())).collect();
                if !goes.is_empty() && goes.iter().all(|goes| *goes) {
                    return self.remove(it.span);
                }
                self.from_list(it.specifiers.iter().map(GetSpan::span).collect(), &goes);
            }
            Statement::ExportDefaultDeclaration(it) if self.takes("default") => self.remove(it.span),
            _ => {}
        }
    }

    fn named(&mut self, name: Option<&BindingIdentifier<'_>>, span: Span) {
        if name.is_some_and(|name| self.takes(&name.name)) {
            self.remove(span);
        }
    }

    /// Removes members of a list with commas.
    fn from_list(&mut self, spans: Vec<Span>, goes: &[bool]) {
        remove_from_list(self.edits, &spans, goes);
    }
}

fn remove_from_list(edits: &mut Edits, spans: &[Span], goes: &[bool]) {
    let last_kept = goes.iter().rposition(|goes| !goes).unwrap_or(0);
    for (at, span) in spans.iter().enumerate().filter(|(at, _)| goes[*at]) {
        // With the comma behind it, or behind the last that stays with the one before.
        if at < last_kept {
            edits.replace(span.start, spans[at + 1].start, "");
        } else {
            edits.replace(spans[at - 1].end, span.end, "");
        }
    }
}

fn trim_imports(program: &Program<'_>, scoping: &Scoping, edits: &mut Edits) {
    let is_unused =
        |symbol: Option<SymbolId>| symbol.is_some_and(|id| scoping.get_resolved_reference_ids(id).is_empty());
    for statement in &program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        let Some(specifiers) = &import.specifiers else { continue };
        let goes: Vec<bool> = specifiers.iter().map(|it| is_unused(it.local().symbol_id.get())).collect();
        if goes.is_empty() || !goes.contains(&true) {
            continue;
        }
        if !goes.contains(&false) {
            edits.replace(import.span.start, import.span.end, "");
            continue;
        }
        let (span, text) = import_without(import, &goes, program.source_text);
        edits.replace(span.start, span.end, text);
    }
}

/// What stands between the words of an import declaration, without some of its specifiers: where, and its text.
pub(crate) fn import_without(import: &ImportDeclaration<'_>, goes: &[bool], source: &str) -> (Span, String) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(source: &str, changes: &ExportChanges) -> String {
        let text = change_exports(source, "a.js", Loader::Jsx, changes).expect("it is valid");
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn exports_go_with_what_they_declare() {
        let eliminate = ["a", "c", "d", "default"].map(String::from).to_vec();
        let changes = ExportChanges { eliminate, ..ExportChanges::default() };
        let source = "export function a() {}\nexport var c = 1, b = 2;\nexport { x as d, y as e };\nexport default 1;\nexport class B {}";
        assert_eq!(changed(source, &changes), "export var b = 2;|export { y as e };|export class B {}");
    }

    #[test]
    fn exports_are_replaced() {
        let replace = vec![("a".into(), "z".into(), "true".into())];
        let changes = ExportChanges { replace, ..ExportChanges::default() };
        assert_eq!(changed("export const a = f(), b = 2;", &changes), "export const b = 2;|export var z = true;");
    }

    #[test]
    fn imports_that_nobody_uses_go() {
        let changes = ExportChanges { trim_imports: true, ..ExportChanges::default() };
        let source = "import 'x';\nimport a, { b, c as d } from 'y';\nimport * as n from 'z';\nimport e, { f } from 'w';\nd; e;";
        assert_eq!(changed(source, &changes), "import 'x';|import { c as d } from 'y';|import e from 'w';|d; e;");
    }
}
