//! Import and export lists of a program's top-level statements.

use oxc_ast::ast::*;

use super::{ImportPhase, ImportRequest, TypeNames};

/// The top-level module syntax of a program.
#[derive(Default)]
pub(crate) struct Requests {
    pub imports: Vec<ImportRequest>,
    /// Exported names.
    pub exports: Vec<String>,
    /// There is an export declaration, `export {}` included.
    pub has_exports: bool,
}

/// Collects what `program` requests and exports. `keeps` tells for the local name of an import specifier
/// whether the binding stays; types are left out in any case. With `verbatim`, an import that loses all its
/// specifiers stays as an import for side effects.
pub(crate) fn collect_requests(program: &Program<'_>, verbatim: bool, keeps: impl Fn(&str) -> bool) -> Requests {
    let types = if program.source_type.is_typescript() { TypeNames::of(program) } else { TypeNames::default() };
    let mut found = Requests::default();
    for statement in &program.body {
        let exports_before = found.exports.len();
        let mut bare = false;
        match statement {
            Statement::ImportDeclaration(it) if it.import_kind.is_value() => {
                found.imports.extend(import_request(it, verbatim, &keeps));
            }
            Statement::ExportAllDeclaration(it) if it.export_kind.is_value() => {
                let mut request = request(&it.source, it.with_clause.as_deref());
                match &it.exported {
                    Some(name) => {
                        request.namespace = true;
                        found.exports.push(name.name().to_string());
                    }
                    None => request.star = true,
                }
                found.imports.push(request);
                bare = true;
            }
            Statement::ExportFromDeclaration(it) if it.export_kind.is_value() => {
                let mut request = request(&it.source, it.with_clause.as_deref());
                for specifier in it.specifiers.iter().filter(|s| s.export_kind.is_value()) {
                    request.names.push(specifier.local.name().to_string());
                    found.exports.push(specifier.exported.name().to_string());
                }
                if !request.names.is_empty() || it.specifiers.is_empty() || verbatim {
                    found.imports.push(request);
                    bare = true;
                }
            }
            Statement::ExportNamedDeclaration(it) if it.export_kind.is_value() => {
                let specifiers = it.specifiers.iter().filter(|s| !types.drops_export(s));
                found.exports.extend(specifiers.map(|s| s.exported.name().to_string()));
                bare = it.specifiers.is_empty();
            }
            Statement::ExportDeclaration(it) => {
                declared_names(&it.declaration, &mut found.exports);
                bare = !is_type_only(&it.declaration);
            }
            Statement::ExportDefaultDeclaration(it) if !types.is_type_only_default(it) => {
                found.exports.push("default".to_owned());
            }
            _ => {}
        }
        found.has_exports |= bare || found.exports.len() > exports_before;
    }
    found
}

fn request(source: &StringLiteral<'_>, with: Option<&WithClause<'_>>) -> ImportRequest {
    let attributes = with.into_iter().flat_map(|clause| &clause.with_entries);
    ImportRequest {
        specifier: source.value.to_string(),
        attributes: attributes
            .map(|entry| (entry.key.as_arena_str().to_string(), entry.value.value.to_string()))
            .collect(),
        offset: source.span.start,
        ..ImportRequest::default()
    }
}

fn import_request(it: &ImportDeclaration<'_>, verbatim: bool, keeps: &impl Fn(&str) -> bool) -> Option<ImportRequest> {
    let mut request = request(&it.source, it.with_clause.as_deref());
    request.phase = match it.phase {
        None => ImportPhase::Evaluation,
        Some(oxc_ast::ast::ImportPhase::Defer) => ImportPhase::Defer,
        Some(oxc_ast::ast::ImportPhase::Source) => ImportPhase::Source,
    };
    let Some(specifiers) = &it.specifiers else {
        return Some(request);
    };
    let mut kept = specifiers.is_empty() || verbatim;
    for specifier in specifiers {
        if !verbatim && !keeps(&specifier.local().name) {
            continue;
        }
        match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(it) if it.import_kind.is_type() => continue,
            ImportDeclarationSpecifier::ImportSpecifier(it) => request.names.push(it.imported.name().to_string()),
            ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => request.names.push("default".to_owned()),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => request.namespace = true,
        }
        kept = true;
    }
    kept.then_some(request)
}

fn declared_names(declaration: &Declaration<'_>, names: &mut Vec<String>) {
    match declaration {
        Declaration::VariableDeclaration(it) if !it.declare => {
            for declarator in &it.declarations {
                names.extend(declarator.id.get_binding_identifiers().iter().map(|id| id.name.to_string()));
            }
        }
        Declaration::FunctionDeclaration(it) if !it.declare && it.body.is_some() => {
            names.extend(it.id.iter().map(|id| id.name.to_string()));
        }
        Declaration::ClassDeclaration(it) if !it.declare => {
            names.extend(it.id.iter().map(|id| id.name.to_string()));
        }
        Declaration::TSEnumDeclaration(it) if !it.declare => names.push(it.id.name.to_string()),
        // Namespaces merge with functions, classes, enums and each other.
        Declaration::TSNamespaceDeclaration(it)
            if !it.declare && !is_type_only_namespace(it) && !names.iter().any(|name| it.id.name.as_str() == name) =>
        {
            names.push(it.id.name.to_string());
        }
        Declaration::TSImportEqualsDeclaration(it) if it.import_kind.is_value() => {
            names.push(it.id.name.to_string());
        }
        _ => {}
    }
}

/// Whether a namespace has only types inside, so that TypeScript generates nothing for it.
pub(crate) fn is_type_only_namespace(it: &TSNamespaceDeclaration<'_>) -> bool {
    let block = match &it.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
            return is_type_only_namespace(inner);
        }
        TSNamespaceDeclarationBody::TSModuleBlock(block) => block,
    };
    block.body.iter().all(|statement| match statement {
        Statement::ExportDeclaration(it) => is_type_only(&it.declaration),
        Statement::ExportNamedDeclaration(it) => it.export_kind.is_type(),
        _ => statement.as_declaration().is_some_and(is_type_only),
    })
}

/// Whether a declaration declares types only.
pub(crate) fn is_type_only(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::TSNamespaceDeclaration(it) => it.declare || is_type_only_namespace(it),
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
    }
}
