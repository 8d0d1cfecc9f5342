//! Imports as `Bun.Transpiler` leaves them where oxc does something else: the reader is a person, who expects what Bun prints.

use oxc_allocator::{Allocator, ArenaVec};
use oxc_ast::ast::*;
use oxc_semantic::Scoping;

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
