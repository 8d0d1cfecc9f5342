//! Imports as `Bun.Transpiler` leaves them where oxc does something else: the reader is a person, who expects what Bun prints.

use oxc_allocator::{Allocator, ArenaVec};
use oxc_ast::ast::*;
use oxc_semantic::Scoping;
use oxc_span::Span;
use rustc_hash::FxHashSet;

use crate::decorators::quote::Quote;

/// Takes types out of imports, and imports that have nothing else. Names of types may be there twice, so this comes before names
/// are checked.
pub(super) fn drop_types(program: &mut Program<'_>) {
    let is_type = |name: &ImportDeclarationSpecifier<'_>| matches!(name, ImportDeclarationSpecifier::ImportSpecifier(name) if name.import_kind.is_type());
    program.body.retain_mut(|statement| {
        let Statement::ImportDeclaration(import) = statement else { return true };
        if import.import_kind.is_type() {
            return false;
        }
        let Some(names) = &mut import.specifiers else { return true };
        let had_any = !names.is_empty();
        names.retain(|name| !is_type(name));
        !(had_any && names.is_empty())
    });
}

/// Takes names out of lists of exports that the module does not declare: they may be types of another file.
pub(super) fn drop_unknown_exports(program: &mut Program<'_>, scoping: &Scoping) {
    let is_known = |name: &ExportSpecifier<'_>| match &name.local {
        ModuleExportName::IdentifierReference(it) => {
            it.reference_id.get().is_none_or(|id| scoping.get_reference(id).symbol_id().is_some())
        }
        _ => true,
    };
    for statement in &mut program.body {
        if let Statement::ExportNamedDeclaration(list) = statement {
            list.specifiers.retain(is_known);
        }
    }
}

/// The first name that a value of the module and an import have, and where the value has it. (For TypeScript the import may be a type,
/// and goes; here it stays.)
pub(super) fn declared_again(program: &Program<'_>) -> Option<(String, Span)> {
    let mut imported = FxHashSet::default();
    for statement in &program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        imported.extend(import.specifiers.iter().flatten().map(|name| name.local().name.as_str()));
    }
    if imported.is_empty() {
        return None;
    }
    let mut found = None;
    let mut look = |id: &BindingIdentifier<'_>| {
        if found.is_none() && imported.contains(id.name.as_str()) {
            found = Some((id.name.to_string(), id.span));
        }
    };
    for statement in &program.body {
        let declaration = match statement {
            Statement::ExportDeclaration(it) => Some(&it.declaration),
            Statement::ExportDefaultDeclaration(it) => {
                match &it.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(it) if it.body.is_some() => {
                        it.id.iter().for_each(&mut look);
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(it) => it.id.iter().for_each(&mut look),
                    _ => {}
                }
                None
            }
            other => other.as_declaration(),
        };
        match declaration {
            Some(Declaration::VariableDeclaration(it)) if !it.declare => {
                it.declarations.iter().flat_map(|one| one.id.get_binding_identifiers()).for_each(&mut look);
            }
            Some(Declaration::FunctionDeclaration(it)) if it.body.is_some() && !it.declare => {
                it.id.iter().for_each(&mut look);
            }
            Some(Declaration::ClassDeclaration(it)) if !it.declare => it.id.iter().for_each(&mut look),
            Some(Declaration::TSEnumDeclaration(it)) if !it.declare => look(&it.id),
            Some(Declaration::TSImportEqualsDeclaration(it)) if it.import_kind.is_value() => look(&it.id),
            _ => {}
        }
    }
    found
}

/// Makes constants of `import a = b.c`, or nothing if only types use it. Returns whether anything changed; then `scoping` is
/// outdated.
pub(super) fn tidy<'a>(allocator: &'a Allocator, program: &mut Program<'a>, scoping: &Scoping) -> bool {
    let is_alias = |statement: &Statement<'_>| match statement {
        Statement::TSImportEqualsDeclaration(it) => has_value(it),
        Statement::ExportDeclaration(it) => {
            matches!(&it.declaration, Declaration::TSImportEqualsDeclaration(it) if has_value(it))
        }
        _ => false,
    };
    if !program.body.iter().any(is_alias) {
        return false;
    }
    let quote = Quote { allocator };
    let statements: Vec<Statement<'a>> = program.body.drain(..).collect();
    let mut kept = Vec::with_capacity(statements.len());
    for statement in statements {
        match &statement {
            Statement::TSImportEqualsDeclaration(it) if has_value(it) => {
                let symbol = it.id.symbol_id.get();
                let is_used = symbol
                    .is_none_or(|symbol| scoping.get_resolved_references(symbol).any(|reference| reference.is_value()));
                if is_used {
                    kept.extend(quote.statements(&format!("const {} = {};", it.id.name, path_of(it)), []));
                }
            }
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::TSImportEqualsDeclaration(it) if has_value(it) => {
                    kept.extend(quote.statements(&format!("export const {} = {};", it.id.name, path_of(it)), []));
                }
                _ => kept.push(statement),
            },
            _ => kept.push(statement),
        }
    }
    program.body = ArenaVec::from_iter_in(kept, &allocator);
    true
}

/// Whether an alias stands for a value and not for a module or a type.
fn has_value(it: &TSImportEqualsDeclaration<'_>) -> bool {
    it.import_kind.is_value() && !matches!(it.module_reference, TSModuleReference::ExternalModuleReference(_))
}

/// `a.b.c`.
fn path_of(it: &TSImportEqualsDeclaration<'_>) -> String {
    fn of_name(name: &TSTypeName<'_>, out: &mut String) {
        match name {
            TSTypeName::IdentifierReference(it) => out.push_str(&it.name),
            TSTypeName::QualifiedName(it) => of_qualified(it, out),
            TSTypeName::ThisExpression(_) => out.push_str("this"),
        }
    }
    fn of_qualified(name: &TSQualifiedName<'_>, out: &mut String) {
        of_name(&name.left, out);
        out.push('.');
        out.push_str(&name.right.name);
    }
    let mut out = String::new();
    match &it.module_reference {
        TSModuleReference::IdentifierReference(it) => out.push_str(&it.name),
        TSModuleReference::QualifiedName(it) => of_qualified(it, &mut out),
        TSModuleReference::ExternalModuleReference(_) => unreachable!("asked for aliases of values only"),
    }
    out
}
