//! The long way: semantic analysis, oxc's transformer, the decorator pass, the printer.

use std::path::{Path, PathBuf};

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_codegen::{Codegen, CodegenOptions, CommentOptions, IndentChar, LegalComment};
use oxc_semantic::SemanticBuilder;
use oxc_span::Span;
use oxc_transformer::{
    CompilerAssumptions, DecoratorOptions, EnvOptions, HelperLoaderMode, HelperLoaderOptions, JsxRuntime,
    ReactRefreshOptions, TransformOptions, Transformer, TypeScriptOptions,
};
use oxc_transformer_plugins::ReplaceGlobalDefines;

use crate::analyze::{self, Facts, FreeNames, ImportRequest, ModuleKind, Requests, is_generated};
use crate::decorators;
use crate::diagnostic::Diagnostic;
use crate::options::{Decorators, JsxMode, Options};
use crate::sourcemap::{Original, SourceMap, Token};

mod drop;
mod helpers;
#[cfg(feature = "reshape")]
mod imports;
mod legacy;
mod metadata;
mod namespaces;
#[cfg(feature = "reshape")]
mod reshape;

/// Prefix of the module names that oxc's transformer imports its helpers from; no real module has it.
const HELPERS: &str = "bao-transpile-helpers:";

pub(crate) struct Request<'s> {
    pub source: &'s str,
    pub path: &'s str,
    pub options: &'s Options,
    pub typescript: bool,
    /// The module kind decides whether the JSX runtime is imported or required.
    pub kind: ModuleKind,
}

impl Request<'_> {
    fn errors(&self, spans: &[Span], message: &str) -> Vec<Diagnostic> {
        spans.iter().map(|span| Diagnostic::at(self.source, self.path, span.start, span.end, message)).collect()
    }
}

pub(crate) struct Printed {
    pub code: String,
    pub map: Option<SourceMap>,
    pub imports: Vec<ImportRequest>,
    pub exports: Vec<String>,
    /// CommonJS names that the transform added uses of.
    pub free: FreeNames,
}

/// Transforms `program` in place and prints it.
pub(crate) fn print<'a>(
    allocator: &'a Allocator,
    program: &mut Program<'a>,
    facts: &Facts<'a>,
    request: &Request<'_>,
) -> Result<Printed, Vec<Diagnostic>> {
    let options = request.options;
    program.source_type = match request.kind {
        ModuleKind::Esm => program.source_type.with_module(true),
        ModuleKind::Cjs => program.source_type.with_script(true),
    };
    if facts.decorators && uses_legacy(request) {
        let misplaced = legacy::misplaced(program);
        if !misplaced.is_empty() {
            let message = "With experimentalDecorators, class expressions and private members cannot be decorated";
            return Err(request.errors(&misplaced, message));
        }
        let defines = options.use_define_for_class_fields || keeps_fields(facts, request);
        legacy::assign_fields(allocator, program, request.source, defines);
        if let Decorators::Legacy { emit_metadata: true, strict_null_checks } = options.decorators {
            metadata::reduce_types(allocator, program, strict_null_checks);
        }
    }
    if request.typescript && !options.use_define_for_class_fields && keeps_fields(facts, request) {
        legacy::assign_undecorated_fields(allocator, program, request.source);
    }
    if facts.namespaces {
        let wrong = crate::mistakes::exports_of_namespaces(program);
        if !wrong.is_empty() {
            let told = wrong.iter().flat_map(|(span, token)| request.errors(&[*span], &format!("Unexpected {token}")));
            return Err(told.collect());
        }
    }
    #[cfg(feature = "reshape")]
    if options.reprint && request.typescript {
        imports::drop_types(program);
        if options.reshape.as_ref().is_some_and(|wanted| wanted.trim_imports) {
            // Names of imports that go may be there twice.
            reshape::trim_imports(program);
        } else {
            let twice = imports::declared_again(program);
            if let Some((name, span)) = twice {
                return Err(request.errors(&[span], &format!("\"{name}\" has already been declared")));
            }
        }
    }
    let mut scoping = if options.check_names {
        let checked = scoping_builder().with_check_syntax_error(true).build(program);
        let loader = options.resolve(request.path).0;
        let errors: Vec<_> =
            checked.diagnostics.into_iter().filter(|error| crate::wording::is_early(error, loader)).collect();
        if !errors.is_empty() {
            return Err(Diagnostic::from_oxc_all(request.source, request.path, &errors));
        }
        checked.semantic.into_scoping()
    } else {
        build_scoping(program)
    };
    if facts.namespaces && namespaces::qualify(allocator, program, &scoping) {
        scoping = build_scoping(program);
    }
    #[cfg(feature = "reshape")]
    if options.reprint && request.typescript {
        imports::drop_unknown_exports(program, &scoping);
    }
    #[cfg(feature = "reshape")]
    if options.reprint && request.typescript && imports::tidy(allocator, program, &scoping) {
        scoping = build_scoping(program);
    }
    if let Some(define) = &options.define
        && define.may_apply(request.source)
    {
        scoping = ReplaceGlobalDefines::new(allocator, define.config.clone()).build(scoping, program).scoping;
    }
    if !options.drop.is_empty() {
        drop::drop_calls(allocator, program, &scoping, &options.drop);
    }
    let transform = transform_options(facts, request);
    let result = Transformer::new(allocator, Path::new(request.path), &transform).build_with_scoping(scoping, program);
    if result.diagnostics.has_errors() {
        return Err(Diagnostic::from_oxc_all(request.source, request.path, result.diagnostics.errors()));
    }
    let helpers::Helpers { texts: mut helpers, decorate } = helpers::take_helpers(program);
    if let Some(decorate) = decorate {
        legacy::instance_members_first(program, &decorate);
    }
    if facts.accessors || (facts.decorators && !uses_legacy(request)) {
        let outcome = decorators::lower(allocator, program);
        if !outcome.parameter_decorators.is_empty() {
            let message = "Decorators of parameters need the compiler option experimentalDecorators";
            return Err(request.errors(&outcome.parameter_decorators, message));
        }
        helpers.extend(outcome.helpers);
    }
    if request.kind == ModuleKind::Cjs {
        // The transformer marks a file that lost all its imports as a module; here the kind is known.
        program.body.retain(|statement| {
            !matches!(statement, Statement::ExportNamedDeclaration(it)
                if it.specifiers.is_empty() && is_generated(&**it))
        });
    }
    #[cfg(feature = "reshape")]
    let renamed = match &options.reshape {
        Some(wanted) => reshape::reshape(allocator, program, request.path, wanted)?,
        None => None,
    };
    #[cfg(not(feature = "reshape"))]
    let renamed = None;
    #[cfg(feature = "reshape")]
    let for_people =
        options.reprint && !options.minify_whitespace && !options.source_map && options.jsx.mode != JsxMode::Preserve;
    let Requests { imports, exports, .. } = analyze::collect_requests(program, true, |_| true);
    let free = required_by_jsx(program);
    #[cfg(feature = "reshape")]
    if for_people {
        let mut code = crate::printer::print(program, request.source, renamed.as_ref());
        for helper in helpers {
            code.push_str(&helper);
        }
        return Ok(Printed { code, map: None, imports, exports, free });
    }
    let (indent_char, indent_width) = if options.reprint { (IndentChar::Space, 2) } else { (IndentChar::Tab, 1) };
    let codegen = Codegen::new().with_options(CodegenOptions {
        indent_char,
        indent_width,
        minify: options.minify_whitespace,
        comments: CommentOptions { normal: false, jsdoc: false, annotation: false, legal: LegalComment::None },
        source_map_path: options.source_map.then(|| PathBuf::from(request.path)),
        ..CodegenOptions::default()
    });
    let printed = codegen.with_scoping(renamed).build(program);
    let mut code = printed.code;
    if options.minify_whitespace && options.jsx.mode != JsxMode::Preserve {
        crate::quotes::prefer_quotes(&mut code);
    }
    for helper in helpers {
        code.push_str(&helper);
    }
    let map = printed.map.map(|map| convert_map(&map));
    Ok(Printed { code, map, imports, exports, free })
}

/// Writes references between the blocks of TypeScript's namespaces out as properties, for a transform by oxc that follows.
pub fn qualify_namespaces<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    if namespaces::has_some(program) {
        let scoping = build_scoping(program);
        namespaces::qualify(allocator, program, &scoping);
    }
}

/// Has the fields that legacy decorators stand at assigned, as [`transpile`](crate::transpile) does, for a transform by oxc that
/// follows, static members decorated after the others, and types told as TypeScript tells them. `defines`: whether other fields are
/// defined (`useDefineForClassFields`); `strict`: `strictNullChecks`.
pub fn prepare_decorated<'a>(
    allocator: &'a Allocator,
    program: &mut Program<'a>,
    source: &str,
    defines: bool,
    strict: bool,
) {
    legacy::assign_fields(allocator, program, source, defines);
    metadata::reduce_types(allocator, program, strict);
    legacy::static_members_last(allocator, program);
}

/// Scopes for the transformer, which adds some and symbols.
fn scoping_builder<'a>() -> SemanticBuilder<'a> {
    SemanticBuilder::new().with_excess_capacity(1.0).with_enum_eval(true)
}

fn build_scoping(program: &Program<'_>) -> oxc_semantic::Scoping {
    // The parser's own checks have passed, and whatever early errors are left, the engine reports.
    scoping_builder().build(program).semantic.into_scoping()
}

fn uses_legacy(request: &Request<'_>) -> bool {
    request.typescript && matches!(request.options.decorators, Decorators::Legacy { .. })
}

/// Whether the transform has to leave fields to be defined. Standard decorators stand at such: an assignment would lose them before
/// they are lowered. Beside accessors, which are private fields after that, it would come too late. oxc's older decorators lose a name
/// that is computed with the field that it assigns.
fn keeps_fields(facts: &Facts<'_>, request: &Request<'_>) -> bool {
    facts.accessors || facts.decorated_computed_fields || (facts.decorators && !uses_legacy(request))
}

fn transform_options(facts: &Facts<'_>, request: &Request<'_>) -> TransformOptions {
    let options = request.options;
    let mut jsx = match options.jsx.mode {
        JsxMode::Preserve => oxc_transformer::JsxOptions::disable(),
        _ => oxc_transformer::JsxOptions::enable(),
    };
    let factory = options.jsx.factory.clone();
    let fragment = options.jsx.fragment.clone();
    jsx.display_name_plugin = false;
    jsx.throw_if_namespace = false;
    jsx.pure = false;
    jsx.refresh = options.refresh.then(ReactRefreshOptions::default);
    match options.jsx.mode {
        JsxMode::Classic => {
            jsx.runtime = JsxRuntime::Classic;
            jsx.pragma.clone_from(&factory);
            jsx.pragma_frag.clone_from(&fragment);
        }
        mode => {
            jsx.runtime = JsxRuntime::Automatic;
            // A pragma for the classic runtime in the text: its calls take no development properties.
            let classic = request.source.contains("@jsxRuntime classic");
            jsx.development = mode == JsxMode::AutomaticDev && facts.jsx && !classic;
            jsx.import_source.clone_from(&options.jsx.import_source);
        }
    }
    let assigns = request.typescript && !options.use_define_for_class_fields && !keeps_fields(facts, request);
    let mut typescript = TypeScriptOptions {
        only_remove_type_imports: options.verbatim_module_syntax,
        remove_class_fields_without_initializer: assigns,
        ..TypeScriptOptions::default()
    };
    if let Some(factory) = factory {
        typescript.jsx_pragma = factory.into();
    }
    if let Some(fragment) = fragment {
        typescript.jsx_pragma_frag = fragment.into();
    }
    let decorator = match options.decorators {
        Decorators::Legacy { emit_metadata, strict_null_checks } if request.typescript => {
            DecoratorOptions { legacy: true, emit_decorator_metadata: emit_metadata, strict_null_checks }
        }
        _ => DecoratorOptions::default(),
    };
    let mut env = EnvOptions::default();
    env.es2026.explicit_resource_management = options.lower_using;
    TransformOptions {
        assumptions: CompilerAssumptions { set_public_class_fields: assigns, ..CompilerAssumptions::default() },
        typescript,
        decorator,
        jsx,
        env,
        helper_loader: HelperLoaderOptions { module_name: HELPERS.into(), mode: HelperLoaderMode::Runtime },
        ..TransformOptions::default()
    }
}

/// `require` is used by the statements that the JSX transform adds to a CommonJS file.
fn required_by_jsx(program: &Program<'_>) -> FreeNames {
    let required = program.body.iter().any(|statement| match statement {
        Statement::VariableDeclaration(it) if is_generated(&**it) => it.declarations.iter().any(
            |declarator| matches!(&declarator.init, Some(Expression::CallExpression(call)) if call.is_require_call()),
        ),
        _ => false,
    });
    if required { FreeNames::REQUIRE } else { FreeNames::default() }
}

pub(crate) fn convert_map(map: &oxc_sourcemap::SourceMap<'_>) -> SourceMap {
    let tokens = map
        .get_tokens()
        .map(|token| Token {
            generated_line: token.get_dst_line(),
            generated_column: token.get_dst_col(),
            original: token.get_source_id().map(|source| Original {
                source,
                line: token.get_src_line(),
                column: token.get_src_col(),
                name: token.get_name_id(),
            }),
        })
        .collect();
    let sources = map.get_sources().map(str::to_owned).collect();
    let names = map.get_names().map(str::to_owned).collect();
    SourceMap::from_tokens(tokens, sources, Vec::new(), names)
}
