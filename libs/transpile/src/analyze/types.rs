//! Top-level names that are only types.

use oxc_ast::ast::*;
use rustc_hash::FxHashSet;

use super::is_type_only;

/// Names of the top level that denote no value of this file.
#[derive(Default)]
pub(crate) struct TypeNames<'a> {
    /// Declared as types and not as values or imports.
    types: FxHashSet<&'a str>,
    /// Only declared (`declare const x`): values that exist elsewhere, if at all, and cannot be exported.
    ambient: FxHashSet<&'a str>,
}

impl<'a> TypeNames<'a> {
    /// Whether a specifier of `export { ... }` without `from` exports a type.
    pub(crate) fn drops_export(&self, specifier: &ExportSpecifier<'_>) -> bool {
        let name = specifier.local.name();
        specifier.export_kind.is_type() || self.types.contains(name.as_str()) || self.ambient.contains(name.as_str())
    }

    /// Whether an `export default` exports a type.
    pub(crate) fn is_type_only_default(&self, it: &ExportDefaultDeclaration<'_>) -> bool {
        match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.body.is_none(),
            ExportDefaultDeclarationKind::Identifier(it) => self.types.contains(it.name.as_str()),
            _ => false,
        }
    }

    /// Collects the names of `program`, which is TypeScript.
    pub(crate) fn of(program: &Program<'a>) -> Self {
        let mut types = FxHashSet::default();
        let mut values = FxHashSet::default();
        let mut ambient = FxHashSet::default();
        for statement in &program.body {
            let declaration = match statement {
                Statement::ExportDeclaration(it) => &it.declaration,
                Statement::ExportDefaultDeclaration(it) => {
                    match &it.declaration {
                        ExportDefaultDeclarationKind::TSInterfaceDeclaration(it) => {
                            types.insert(it.id.name.as_str());
                        }
                        ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
                            values.extend(it.id.as_ref().map(|id| id.name.as_str()));
                        }
                        ExportDefaultDeclarationKind::ClassDeclaration(it) => {
                            values.extend(it.id.as_ref().map(|id| id.name.as_str()));
                        }
                        _ => {}
                    }
                    continue;
                }
                Statement::ImportDeclaration(it) => {
                    for specifier in it.specifiers.iter().flatten() {
                        let typed = match specifier {
                            ImportDeclarationSpecifier::ImportSpecifier(s) => s.import_kind.is_type(),
                            _ => false,
                        };
                        let set = if typed || it.import_kind.is_type() { &mut types } else { &mut values };
                        set.insert(specifier.local().name.as_str());
                    }
                    continue;
                }
                _ => match statement.as_declaration() {
                    Some(declaration) => declaration,
                    None => continue,
                },
            };
            let target = match declaration {
                Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => &mut types,
                Declaration::TSImportEqualsDeclaration(it) if it.import_kind.is_type() => &mut types,
                Declaration::TSNamespaceDeclaration(it) if !it.declare && is_type_only(declaration) => &mut types,
                // Overloads have no body either; their implementation follows and is a value.
                _ if is_type_only(declaration) => &mut ambient,
                _ => &mut values,
            };
            match declaration {
                Declaration::VariableDeclaration(it) => {
                    for declarator in &it.declarations {
                        target.extend(declarator.id.get_binding_identifiers().iter().map(|id| id.name.as_str()));
                    }
                }
                _ => target.extend(declaration.id().map(|id| id.name.as_str())),
            }
        }
        types.retain(|name| !values.contains(name) && !ambient.contains(name));
        ambient.retain(|name| !values.contains(name));
        Self { types, ambient }
    }
}
