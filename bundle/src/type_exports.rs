//! `export { Type } from "./types"` in TypeScript without the word `type`. Which names are types is known when the modules are
//! linked: such a build fails, and is made again without them, as TypeScript and Bun leave them out.

use oxc::ast::ast::{
    ExportSpecifier, IdentifierReference, ImportDeclarationSpecifier, Program, Statement, TSType, TSTypeName,
};
use oxc::ast_visit::Visit;
use oxc::span::GetSpan;
use rolldown_ecmascript::EcmaAst;
use rolldown_error::BuildDiagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::messages;
use crate::options::Loader;
use crate::shared::{Shared, parts_of};

/// Names that modules pass on and that nobody exports, by the module's id: the name, and where it stands, in UTF-16 code units.
pub(crate) type Missing = FxHashMap<String, FxHashSet<(String, usize)>>;

/// What a failed build lacks that may be types: one module of TypeScript wants it from another.
pub(crate) fn of(shared: &Shared, diagnostics: &[BuildDiagnostic]) -> Missing {
    let is_typescript = |id: &str| matches!(shared.loader_of(parts_of(id).1, None), Loader::Ts | Loader::Tsx);
    let mut missing = Missing::default();
    for found in diagnostics.iter().filter_map(messages::missing_export) {
        if is_typescript(&found.importer) && is_typescript(&found.exporter) {
            missing.entry(found.importer).or_default().insert((found.name, found.offset));
        }
    }
    missing
}

/// Adds what is new; whether there was something.
pub(crate) fn extend(known: &mut Missing, found: Missing) -> bool {
    let mut is_more = false;
    for (module, names) in found {
        let list = known.entry(module).or_default();
        for name in names {
            is_more |= list.insert(name);
        }
    }
    is_more
}

/// Leaves names out of what a module exports: those that it passes on, and imported ones that it uses for nothing else.
pub(crate) fn leave_out(ast: &mut EcmaAst, names: &FxHashSet<(String, usize)>) {
    let source = ast.source().clone();
    let is_missing = |name: &str, start: u32| {
        if !names.iter().any(|(missing, _)| missing == name) {
            return false;
        }
        let offset = source.get(..start as usize).map_or(0, |before| before.encode_utf16().count());
        names.contains(&(name.to_string(), offset))
    };
    ast.program.with_mut(|fields| {
        let program = fields.program;
        let mut locals = FxHashSet::default();
        for statement in &program.body {
            let Statement::ImportDeclaration(import) = statement else { continue };
            for specifier in import.specifiers.iter().flatten() {
                if let ImportDeclarationSpecifier::ImportSpecifier(specifier) = specifier
                    && is_missing(&specifier.imported.name(), specifier.imported.span().start)
                {
                    locals.insert(specifier.local.name.to_string());
                }
            }
        }
        if !locals.is_empty() {
            locals = unused(locals, program);
        }
        for statement in &mut program.body {
            match statement {
                Statement::ExportFromDeclaration(export) => export
                    .specifiers
                    .retain(|specifier| !is_missing(&specifier.local.name(), specifier.local.span().start)),
                Statement::ExportNamedDeclaration(export) => {
                    export.specifiers.retain(|specifier| !locals.contains(specifier.local.name().as_str()));
                }
                _ => {}
            }
        }
        // What stands in the types of decorated members is kept for `emitDecoratorMetadata`, which asks what it is: it is nothing then.
        program.body.retain_mut(|statement| {
            let Statement::ImportDeclaration(import) = statement else { return true };
            let Some(specifiers) = &mut import.specifiers else { return true };
            let count = specifiers.len();
            specifiers.retain(|specifier| match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    !locals.contains(specifier.local.name.as_str())
                }
                _ => true,
            });
            // An import of types alone is none.
            specifiers.len() == count || !specifiers.is_empty()
        });
    });
}

/// Those of some names that stand in types and in lists of exports only.
fn unused(names: FxHashSet<String>, program: &Program<'_>) -> FxHashSet<String> {
    struct Uses(FxHashSet<String>);
    impl<'a> Visit<'a> for Uses {
        fn visit_identifier_reference(&mut self, reference: &IdentifierReference<'a>) {
            self.0.remove(reference.name.as_str());
        }
        fn visit_export_specifier(&mut self, _: &ExportSpecifier<'a>) {}
        fn visit_ts_type(&mut self, _: &TSType<'a>) {}
        fn visit_ts_type_name(&mut self, _: &TSTypeName<'a>) {}
    }
    let mut uses = Uses(names);
    uses.visit_program(program);
    uses.0
}
