//! `vi.mock`, `jest.mock` and `vi.hoisted` before the imports of their file, as vitest and Jest have it.
//!
//! Static imports are loaded before anything of a module runs, so they become `await import()` behind the hoisted calls, and
//! their names become properties of what that gives. The calls stay where they are in the text, as bodies of functions that the
//! first line calls: functions are hoisted by the language, and lines stay what they were.

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_semantic::{Scoping, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::depth::{self, Nesting, Walk};
use crate::edits::Edits;
use crate::options::{Loader, ModuleHint};
use crate::parse;

/// Methods of `vi` and `jest` whose calls go to the top.
const METHODS: [&str; 5] = ["mock", "unmock", "deepUnmock", "enableAutomock", "disableAutomock"];

/// Whether a text may have calls that [`hoist_mocks`] moves.
#[must_use]
pub fn mentions_hoisted(text: &str) -> bool {
    const WORDS: [&str; 9] = [
        "vi.mock",
        "vi.hoisted",
        "vi.unmock",
        "jest.mock",
        "jest.unmock",
        "jest.deepUnmock",
        "jest.enableAutomock",
        "jest.disableAutomock",
        "vitest.mock",
    ];
    // A formatter breaks chains of calls.
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    WORDS.iter().any(|word| has(word)) || (has(".mock(") && (has("jest\n") || has("vi\n")))
}

/// `code`, JavaScript, with the mocks at its top level moved before its imports. `None` if there are none.
#[must_use]
pub fn hoist_mocks(code: &str, is_module: bool) -> Option<String> {
    depth::run(Nesting::of(code), Walk::Recursive, || {
        let allocator = Allocator::default();
        let hint = if is_module { ModuleHint::Esm } else { ModuleHint::Cjs };
        let parsed = parse::parse(&allocator, code, "", Loader::Js, hint).ok()?;
        let semantic = SemanticBuilder::new().build(&parsed.program);
        Hoister::new(code, semantic.semantic.scoping(), is_module).rewritten(&parsed.program)
    })
    .flatten()
}

/// Modules that make mocks: their imports stay.
fn is_runner(source: &str) -> bool {
    matches!(source, "vitest" | "@jest/globals" | "bun:test") || source.starts_with("bao:")
}

#[derive(Clone, Copy, PartialEq)]
enum Root {
    Vi,
    Jest,
}

struct Hoister<'s, 'p> {
    code: &'s str,
    scoping: &'p Scoping,
    is_module: bool,
    edits: Edits,
    /// Names of `vi` and `jest` that are imported; a name of bun:test is none.
    roots: FxHashMap<SymbolId, Option<Root>>,
    /// What names of imports that go are called from now on.
    renamed: FxHashMap<SymbolId, String>,
    /// Text of the first line.
    head: String,
    count: usize,
}

impl<'s, 'p> Hoister<'s, 'p> {
    fn new(code: &'s str, scoping: &'p Scoping, is_module: bool) -> Self {
        Self {
            code,
            scoping,
            is_module,
            edits: Edits::default(),
            roots: FxHashMap::default(),
            renamed: FxHashMap::default(),
            head: String::new(),
            count: 0,
        }
    }

    fn rewritten(mut self, program: &Program<'_>) -> Option<String> {
        self.find_roots(program);
        for statement in &program.body {
            match statement {
                Statement::ExpressionStatement(it) => self.mock(it),
                Statement::VariableDeclaration(it) => self.hoisted_variables(it),
                _ => {}
            }
        }
        if self.count == 0 {
            return None;
        }
        if self.is_module {
            self.imports(program);
            let mut renamer = Renamer { scoping: self.scoping, renamed: &self.renamed, edits: &mut self.edits };
            renamer.visit_program(program);
            if !self.renamed.is_empty() {
                self.head.insert_str(0, "const $called = ($f) => $f; ");
            }
        }
        // Behind "use strict", which has to come first.
        let at = program.directives.last().map_or(0, |directive| directive.span.end);
        let at = at.max(program.hashbang.as_ref().map_or(0, |hashbang| hashbang.span.end));
        if at == 0 {
            // Not an edit: the first statement may be one that is replaced.
            return Some(format!(";{}{}", self.head, self.edits.apply(self.code)));
        }
        let line = if program.hashbang.is_some() && program.directives.is_empty() { "\n" } else { "" };
        self.edits.replace(at, at, format!("{line};{}", self.head));
        Some(self.edits.apply(self.code))
    }

    fn find_roots(&mut self, program: &Program<'_>) {
        for statement in &program.body {
            let Statement::ImportDeclaration(it) = statement else { continue };
            let source = it.source.value.as_str();
            if !is_runner(source) {
                continue;
            }
            for specifier in it.specifiers.iter().flatten() {
                let ImportDeclarationSpecifier::ImportSpecifier(one) = specifier else { continue };
                let Some(symbol) = one.local.symbol_id.get() else { continue };
                let root = match (source, one.imported.name().as_str()) {
                    ("bun:test", _) => None,
                    (_, "vi" | "vitest") => Some(Root::Vi),
                    (_, "jest") => Some(Root::Jest),
                    _ => None,
                };
                self.roots.insert(symbol, root);
            }
        }
    }

    fn root_of(&self, it: &IdentifierReference<'_>) -> Option<Root> {
        let symbol = it.reference_id.get().and_then(|id| self.scoping.get_reference(id).symbol_id());
        match symbol {
            Some(symbol) => self.roots.get(&symbol).copied().flatten(),
            None => match it.name.as_str() {
                "vi" | "vitest" => Some(Root::Vi),
                "jest" => Some(Root::Jest),
                _ => None,
            },
        }
    }

    /// Whose method a call is: the object at the start of its chain, if all of its methods are in `methods`.
    fn chain(&self, call: &CallExpression<'_>, methods: &[&str]) -> Option<Root> {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        if !methods.contains(&member.property.name.as_str()) {
            return None;
        }
        match &member.object {
            Expression::Identifier(it) => self.root_of(it),
            Expression::CallExpression(inner) => self.chain(inner, methods),
            _ => None,
        }
    }

    /// `vi.mock(...)` as a statement.
    fn mock(&mut self, it: &ExpressionStatement<'_>) {
        let (call, is_async) = match &it.expression {
            Expression::CallExpression(call) => (call, false),
            Expression::AwaitExpression(wait) => match &wait.argument {
                Expression::CallExpression(call) if self.is_module => (call, true),
                _ => return,
            },
            _ => return,
        };
        let methods: &[&str] = &METHODS;
        let (root, keeps) = match self.chain(call, methods) {
            Some(root) => (root, false),
            // A call of `vi.hoisted` whose value nobody wants.
            None => match self.chain(call, &["hoisted"]) {
                Some(Root::Vi) => (Root::Vi, true),
                _ => return,
            },
        };
        // Jest refuses factories that use names of the file, unless they begin with "mock".
        if root == Root::Jest && !keeps && call.arguments.get(1).is_some_and(|factory| self.uses_own(factory)) {
            return;
        }
        if let Some(Argument::ImportExpression(path)) = call.arguments.first() {
            // vitest takes `import("./path")` for the sake of its type.
            let source = path.source.span();
            let text = &self.code[source.start as usize..source.end as usize];
            self.edits.replace(path.span.start, path.span.end, text);
        }
        self.wrap(it.span, is_async, "", "");
    }

    /// Puts a statement into a function that the first line calls.
    fn wrap(&mut self, span: Span, is_async: bool, before: &str, after: &str) {
        let name = format!("$hoisted{}", self.count);
        self.count += 1;
        let (word, wait) = if is_async { ("async ", "await ") } else { ("", "") };
        self.edits.replace(span.start, span.start, format!(";{before}{word}function {name}() {{ "));
        self.edits.replace(span.end, span.end, format!("{after} }}"));
        self.head.push_str(&format!("{wait}{name}(); "));
    }

    /// `const x = vi.hoisted(...)`.
    fn hoisted_variables(&mut self, it: &VariableDeclaration<'_>) {
        let [declarator] = &it.declarations[..] else { return };
        let (call, is_async) = match &declarator.init {
            Some(Expression::CallExpression(call)) => (call, false),
            Some(Expression::AwaitExpression(wait)) => match &wait.argument {
                Expression::CallExpression(call) if self.is_module => (call, true),
                _ => return,
            },
            _ => return,
        };
        if self.chain(call, &["hoisted"]) != Some(Root::Vi) {
            return;
        }
        let names: Vec<String> = declarator.id.get_binding_identifiers().iter().map(|id| id.name.to_string()).collect();
        if names.is_empty() {
            return;
        }
        // Lines between the words stay lines.
        let id = declarator.id.span().start;
        let gap: String = self.code[it.span.start as usize..id as usize].chars().filter(|c| *c == '\n').collect();
        let name = format!("$hoisted{}", self.count);
        self.count += 1;
        let (word, wait) = if is_async { ("async ", "await ") } else { ("", "") };
        let start = format!(";var {};{gap} {word}function {name}() {{ (", names.join(", "));
        self.edits.replace(it.span.start, id, start);
        let end = declarator.span.end;
        self.edits.replace(end, it.span.end, "); }");
        self.head.push_str(&format!("{wait}{name}(); "));
    }

    /// Whether an argument uses variables of the file whose names do not begin with "mock".
    fn uses_own(&self, argument: &Argument<'_>) -> bool {
        let mut uses = Uses { hoister: self, found: false };
        uses.visit_argument(argument);
        uses.found
    }

    fn imports(&mut self, program: &Program<'_>) {
        // Names that are exported again have to stay names.
        let mut exported: FxHashSet<&str> = FxHashSet::default();
        for statement in &program.body {
            if let Statement::ExportNamedDeclaration(it) = statement {
                exported.extend(it.specifiers.iter().map(|one| one.local.name().as_str()));
            }
        }
        let mut number = 0;
        for statement in &program.body {
            let Statement::ImportDeclaration(it) = statement else { continue };
            let specifiers = it.specifiers.as_ref().map_or(&[][..], |list| &list[..]);
            let is_exported = specifiers.iter().any(|one| exported.contains(one.local().name.as_str()));
            if is_runner(&it.source.value) || is_exported || it.phase.is_some() {
                continue;
            }
            let source = &self.code[it.source.span.start as usize..it.source.span.end as usize];
            let with = it.with_clause.as_ref().map_or(String::new(), |clause| {
                let span = clause.span;
                let text = &self.code[span.start as usize..span.end as usize];
                let braces = &text[text.find('{').unwrap_or(0)..];
                format!(", {{ with: {braces} }}")
            });
            let mut place = String::new();
            for specifier in specifiers {
                if let ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) = specifier {
                    place = one.local.name.to_string();
                }
            }
            if place.is_empty() && !specifiers.is_empty() {
                place = format!("$import{number}");
                number += 1;
            }
            for specifier in specifiers {
                let (local, name) = match specifier {
                    ImportDeclarationSpecifier::ImportSpecifier(one) => (&one.local, one.imported.name().to_string()),
                    ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => (&one.local, "default".to_owned()),
                    ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => continue,
                };
                let is_name = !name.is_empty()
                    && name.chars().enumerate().all(|(at, c)| {
                        c == '_' || c == '$' || c.is_ascii_alphabetic() || (at > 0 && c.is_ascii_digit())
                    });
                let member = if is_name { format!("{place}.{name}") } else { format!("{place}[{name:?}]") };
                if let Some(symbol) = local.symbol_id.get() {
                    self.renamed.insert(symbol, member);
                }
            }
            if place.is_empty() {
                self.head.push_str(&format!("await import({source}{with}); "));
            } else {
                self.head.push_str(&format!("const {place} = await import({source}{with}); "));
            }
            self.edits.blank_with(it.span.start, it.span.end, b';', b' ');
        }
    }
}

struct Uses<'h, 's, 'p> {
    hoister: &'h Hoister<'s, 'p>,
    found: bool,
}

impl<'a> VisitJs<'a> for Uses<'_, '_, '_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let Hoister { scoping, roots, .. } = self.hoister;
        let Some(symbol) = it.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id()) else { return };
        if scoping.symbol_scope_id(symbol) != scoping.root_scope_id() || roots.contains_key(&symbol) {
            return;
        }
        let name = it.name.to_ascii_lowercase();
        self.found |= !(name.starts_with("mock") || name.starts_with("_jsx"));
    }
}

/// Writes what stands for the names of imports.
struct Renamer<'r> {
    scoping: &'r Scoping,
    renamed: &'r FxHashMap<SymbolId, String>,
    edits: &'r mut Edits,
}

impl Renamer<'_> {
    fn name_of(&self, it: &IdentifierReference<'_>) -> Option<&String> {
        let symbol = self.scoping.get_reference(it.reference_id.get()?).symbol_id()?;
        self.renamed.get(&symbol)
    }

    /// A callee keeps being called without an object.
    fn callee(&mut self, it: &Expression<'_>) -> bool {
        let Expression::Identifier(id) = it else { return false };
        let Some(name) = self.name_of(id) else { return false };
        let text = format!("$called({name})");
        self.edits.replace(id.span.start, id.span.end, text);
        true
    }
}

impl<'a> VisitJs<'a> for Renamer<'_> {
    fn visit_import_declaration(&mut self, _: &ImportDeclaration<'a>) {}

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if let Some(name) = self.name_of(it) {
            let text = name.clone();
            self.edits.replace(it.span.start, it.span.end, text);
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand {
            if let Expression::Identifier(id) = &it.value
                && let Some(name) = self.name_of(id)
            {
                let text = format!("{}: {name}", id.name);
                self.edits.replace(it.span.start, it.span.end, text);
            }
            return;
        }
        walk_js::walk_object_property(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if self.callee(&it.callee) {
            self.visit_arguments(&it.arguments);
        } else {
            walk_js::walk_call_expression(self, it);
        }
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        if self.callee(&it.tag) {
            self.visit_template_literal(&it.quasi);
        } else {
            walk_js::walk_tagged_template_expression(self, it);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hoist_mocks;

    #[test]
    fn calls_are_functions_in_place() {
        let text = hoist_mocks(
            "import { vi, test } from 'vitest'\nimport { a as b, default as c } from './x'\nimport * as n from './y'\nimport './z'\nvi.mock('./x', () => ({ a: 1 }))\nb()\nnew c({ b }, n.q)\n",
            true,
        )
        .unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            ";const $called = ($f) => $f; $hoisted0(); const $import0 = await import('./x'); const n = await import('./y'); await import('./z'); import { vi, test } from 'vitest'"
        );
        assert_eq!(lines[4], ";function $hoisted0() { vi.mock('./x', () => ({ a: 1 })) }");
        assert_eq!(lines[5], "$called($import0.a)()");
        assert_eq!(lines[6], "new $import0.default({ b: $import0.a }, n.q)");
    }

    #[test]
    fn a_file_may_begin_with_an_import_that_goes() {
        let text = hoist_mocks("import { a } from './x'\njest.mock('./x')\na\n", true).unwrap();
        assert!(
            text.starts_with(";const $called = ($f) => $f; $hoisted0(); const $import0 = await import('./x'); ;"),
            "{text}"
        );
        assert!(text.ends_with("\n$import0.a\n"), "{text}");
    }

    #[test]
    fn hoisted_values_are_variables() {
        let text = hoist_mocks(
            "import { vi } from 'vitest';\nconst { m, k: [z] } =\n vi.hoisted(() => ({}));\nconst w = await vi.hoisted(async () => 1);\n",
            true,
        )
        .unwrap();
        assert!(text.starts_with(";$hoisted0(); await $hoisted1(); import { vi }"), "{text}");
        assert!(
            text.contains(";var m, z; function $hoisted0() { ({ m, k: [z] } =\n vi.hoisted(() => ({}))); }"),
            "{text}"
        );
        assert!(
            text.contains(";var w; async function $hoisted1() { (w = await vi.hoisted(async () => 1)); }"),
            "{text}"
        );
    }

    #[test]
    fn what_is_not_vitests_or_jests_stays() {
        assert_eq!(hoist_mocks("import { vi } from 'bun:test'; vi.mock('./x', () => ({}));", true), None);
        assert_eq!(hoist_mocks("const vi = {}; vi.mock('./x');", true), None);
        assert_eq!(hoist_mocks("const own = 1; jest.mock('./x', () => ({ own }));", false), None);
        let text =
            hoist_mocks("'use strict'\nconst x = require('./x')\njest\n  .mock('./x', () => mockX)\n", false).unwrap();
        assert!(
            text.starts_with("'use strict';$hoisted0(); \nconst x = require('./x')\n;function $hoisted0() { jest\n"),
            "{text}"
        );
    }
}
