//! `using` at the top of a module (https://github.com/tc39/proposal-explicit-resource-management): modules share a scope in a
//! chunk, so that a resource would be kept to the chunk's end. It becomes `try` and `finally`, which end with the module.

use std::path::Path;

use oxc::ast::ast::{Program, Statement};
use oxc::semantic::SemanticBuilder;
use oxc::transformer::{EnvOptions, HelperLoaderMode, HelperLoaderOptions, JsxOptions, TransformOptions, Transformer};
use rolldown_ecmascript::EcmaAst;

fn has_resources(program: &Program<'_>) -> bool {
    program.body.iter().any(
        |statement| matches!(statement, Statement::VariableDeclaration(declaration) if declaration.kind.is_using()),
    )
}

/// Rewrites the declarations of a module that has some at its top. Nothing else of it changes.
pub(crate) fn lower(ast: &mut EcmaAst, path: &Path) {
    if memchr::memmem::find(ast.source().as_bytes(), b"using ").is_none() || !has_resources(ast.program()) {
        return;
    }
    ast.program.with_mut(|fields| {
        let program = fields.program;
        // Types stay: rolldown's own pass takes them away as the tsconfig.json says.
        let source_type = program.source_type;
        program.source_type = source_type.with_javascript(true);
        let scoping = SemanticBuilder::new().with_excess_capacity(1.0).with_enum_eval(true).build(program);
        let mut env = EnvOptions::default();
        env.es2026.explicit_resource_management = true;
        let options = TransformOptions {
            jsx: JsxOptions::disable(),
            env,
            // rolldown brings the functions along.
            helper_loader: HelperLoaderOptions { mode: HelperLoaderMode::Runtime, ..HelperLoaderOptions::default() },
            ..TransformOptions::default()
        };
        let scoping = scoping.semantic.into_scoping();
        Transformer::new(fields.allocator, path, &options).build_with_scoping(scoping, program);
        program.source_type = source_type;
    });
}
