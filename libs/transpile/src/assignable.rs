//! ES modules whose exports can be replaced from outside, for the mocks of the test runner.
//!
//! Exported bindings belong to their module: no other module can assign them, and a `const` not even its own. The text that comes
//! out of here declares them with `let` and ends in a function that assigns them by the names of the exports, handed to
//! `import.meta.$assignable`. Lines and columns stay what they were.

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_span::GetSpan;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::depth::{self, Nesting, Walk};
use crate::edits::Edits;
use crate::options::{Loader, ModuleHint};
use crate::parse;

/// `code`, JavaScript of an ES module, with exports that can be assigned. `None` if it cannot be parsed or exports nothing.
#[must_use]
pub fn assignable_exports(code: &str) -> Option<String> {
    memchr::memmem::find(code.as_bytes(), b"export")?;
    depth::run(Nesting::of(code), Walk::Flat, || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, code, "", Loader::Js, ModuleHint::Esm).ok()?;
        Exports::of(&parsed.program, code).rewritten(code)
    })
    .flatten()
}

/// Whether a text may mock a module, or spy on the namespace of one.
#[must_use]
pub fn mentions_mocks(text: &str) -> bool {
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    has("mock.module") || has(".doMock") || (has("spyOn") && has("* as")) || crate::mentions_hoisted(text)
}

/// Where an exported name leads.
enum Place {
    Local(String),
    /// A name of another module: specifier and name.
    Other(String, String),
}

struct Exports {
    edits: Edits,
    names: Vec<(String, Place)>,
    /// Specifiers of `export * from`.
    stars: Vec<String>,
}

/// The name of the variable that a default export is kept in: as long as to keep columns.
fn default_name(code: &str) -> String {
    let mut name = String::from("$default");
    while code.contains(&name) {
        name.push('_');
    }
    name
}

fn bound_names(pattern: &BindingPattern<'_>, found: &mut Vec<String>) {
    for identifier in pattern.get_binding_identifiers() {
        found.push(identifier.name.to_string());
    }
}

/// Names without a name of their own get that of the export.
fn is_anonymous(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(function) => function.id.is_none(),
        Expression::ClassExpression(class) => class.id.is_none(),
        _ => false,
    }
}

impl Exports {
    fn of(program: &Program<'_>, code: &str) -> Self {
        let mut this = Self { edits: Edits::default(), names: Vec::new(), stars: Vec::new() };
        // What names of imports stand for, and where top-level constants are declared.
        let mut imported: FxHashMap<String, (String, String)> = FxHashMap::default();
        let mut constants: Vec<(u32, Vec<String>)> = Vec::new();
        let mut listed: FxHashSet<String> = FxHashSet::default();
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(it) => {
                    for specifier in it.specifiers.iter().flatten() {
                        let source = it.source.value.to_string();
                        match specifier {
                            ImportDeclarationSpecifier::ImportSpecifier(one) => {
                                let place = (source, one.imported.name().to_string());
                                imported.insert(one.local.name.to_string(), place);
                            }
                            ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                                imported.insert(one.local.name.to_string(), (source, "default".into()));
                            }
                            ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                                imported.insert(one.local.name.to_string(), (source, "*".into()));
                            }
                        }
                    }
                }
                Statement::VariableDeclaration(it) if it.kind == VariableDeclarationKind::Const => {
                    let mut names = Vec::new();
                    it.declarations.iter().for_each(|one| bound_names(&one.id, &mut names));
                    constants.push((it.span.start, names));
                }
                Statement::ExportFromDeclaration(it) => {
                    for specifier in &it.specifiers {
                        let place = Place::Other(it.source.value.to_string(), specifier.local.name().to_string());
                        this.names.push((specifier.exported.name().to_string(), place));
                    }
                }
                Statement::ExportNamedDeclaration(it) => {
                    for specifier in &it.specifiers {
                        let local = specifier.local.name().to_string();
                        listed.insert(local.clone());
                        this.names.push((specifier.exported.name().to_string(), Place::Local(local)));
                    }
                }
                Statement::ExportDeclaration(it) => this.declared(&it.declaration),
                Statement::ExportAllDeclaration(it) if it.exported.is_none() => {
                    this.stars.push(it.source.value.to_string());
                }
                Statement::ExportDefaultDeclaration(it) => this.default_export(it, code),
                _ => {}
            }
        }
        for (start, names) in constants {
            if names.iter().any(|name| listed.contains(name)) {
                this.edits.replace(start, start + 5, "let  ");
            }
        }
        for (_, place) in &mut this.names {
            if let Place::Local(local) = place
                && let Some((source, other)) = imported.get(local)
            {
                *place = Place::Other(source.clone(), other.clone());
            }
        }
        this
    }

    fn declared(&mut self, declaration: &Declaration<'_>) {
        let mut names = Vec::new();
        match declaration {
            Declaration::VariableDeclaration(it) => {
                it.declarations.iter().for_each(|one| bound_names(&one.id, &mut names));
                if it.kind == VariableDeclarationKind::Const {
                    self.edits.replace(it.span.start, it.span.start + 5, "let  ");
                }
            }
            Declaration::FunctionDeclaration(it) => names.extend(it.id.iter().map(|id| id.name.to_string())),
            Declaration::ClassDeclaration(it) => names.extend(it.id.iter().map(|id| id.name.to_string())),
            _ => {}
        }
        self.names.extend(names.into_iter().map(|name| (name.clone(), Place::Local(name))));
    }

    fn default_export(&mut self, it: &ExportDefaultDeclaration<'_>, code: &str) {
        let id = match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
            ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.names.push(("default".into(), Place::Local(id.name.to_string())));
            return;
        }
        let name = default_name(code);
        let (start, inner) = (it.span.start, it.declaration.span());
        if let ExportDefaultDeclarationKind::FunctionDeclaration(_) = &it.declaration {
            // It is hoisted, so it becomes a function with a name.
            let head = &code[inner.start as usize..inner.end as usize];
            let Some(paren) = head.find('(') else { return };
            self.edits.replace(start, inner.start, "");
            self.edits.replace(inner.start + paren as u32, inner.start + paren as u32, format!(" {name}"));
            self.edits.replace(it.span.end, it.span.end, end_of_default(&name, true));
        } else {
            let anonymous = match &it.declaration {
                ExportDefaultDeclarationKind::ClassDeclaration(_) => true,
                other => other.as_expression().is_some_and(is_anonymous),
            };
            // Lines between the words stay lines.
            let gap: String = code[start as usize..inner.start as usize].chars().filter(|c| *c == '\n').collect();
            self.edits.replace(start, inner.start, format!("let {name} ={gap} "));
            self.edits.replace(it.span.end, it.span.end, end_of_default(&name, anonymous));
        }
        self.names.push(("default".into(), Place::Local(name)));
    }

    fn rewritten(self, code: &str) -> Option<String> {
        if self.names.is_empty() && self.stars.is_empty() {
            return None;
        }
        let mut text = self.edits.apply(code);
        text.push_str("\n;import.meta.$assignable?.(($name, $value) => { let $old; switch ($name) {");
        for (name, place) in &self.names {
            let name = quoted(name);
            match place {
                Place::Local(local) => {
                    text.push_str(&format!(" case {name}: $old = {local}; {local} = $value; return {{ old: $old }};"));
                }
                Place::Other(source, other) => {
                    text.push_str(&format!(" case {name}: return [{}, {}];", quoted(source), quoted(other)));
                }
            }
        }
        let stars: Vec<String> = self.stars.iter().map(|source| quoted(source)).collect();
        text.push_str(&format!(" }} return {{ stars: [{}] }}; }});\n", stars.join(", ")));
        Some(text)
    }
}

fn end_of_default(name: &str, anonymous: bool) -> String {
    let named = if anonymous {
        format!(" Object.defineProperty({name}, \"name\", {{ value: \"default\", configurable: true }});")
    } else {
        String::new()
    };
    format!("; export {{ {name} as default }};{named}")
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::assignable_exports;

    #[test]
    fn declarations_can_be_assigned_and_stay_in_place() {
        let source = "export const a = 1, { b, ...c } = x;\nexport function f() {}\nconst d = 2; export { d as e };\nexport class K {}\n";
        let text = assignable_exports(source).unwrap();
        assert!(text.starts_with(
            "export let   a = 1, { b, ...c } = x;\nexport function f() {}\nlet   d = 2; export { d as e };\n"
        ));
        for name in ["a", "b", "c", "f", "K"] {
            assert!(text.contains(&format!("case \"{name}\": $old = {name}; {name} = $value;")), "{name}: {text}");
        }
        assert!(text.contains("case \"e\": $old = d; d = $value;"), "{text}");
    }

    #[test]
    fn default_exports_are_variables() {
        let text = assignable_exports("export default () => 1\nconst x = 2;").unwrap();
        assert!(text.starts_with("let $default = () => 1; export { $default as default };"), "{text}");
        assert!(text.contains("const x = 2;"));
        let text = assignable_exports("export default async function (a) { return a; }\nrest();").unwrap();
        assert!(
            text.starts_with("async function  $default(a) { return a; }; export { $default as default };"),
            "{text}"
        );
        let text = assignable_exports("export default class A {}\n").unwrap();
        assert!(text.starts_with("export default class A {}\n"), "{text}");
    }

    #[test]
    fn what_other_modules_export_is_named() {
        let text = assignable_exports(
            "import { q as z } from './q'; export { z }; export * from './s'; export { y } from './y';",
        )
        .unwrap();
        assert!(text.contains("case \"z\": return [\"./q\", \"q\"];"), "{text}");
        assert!(text.contains("case \"y\": return [\"./y\", \"y\"];"), "{text}");
        assert!(text.contains("stars: [\"./s\"]"), "{text}");
        assert_eq!(assignable_exports("import './x'; console.log(1);"), None);
    }
}
