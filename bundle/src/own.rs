//! Builds that bao's own bundler core does, which is in bundle/core: what it declines, rolldown does.
//!
//! Nothing is kept of a build that was declined: it has tables of its own.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use arcstr::ArcStr;
use bundle_core::{
    Declined, Format as CoreFormat, Host, ImportKind as Kind, Options, Output as Made, Resolution, Source,
};
use oxc::allocator::Allocator;
use oxc::ast::ast::{
    BindingPattern, CallExpression, ConditionalExpression, Declaration, Expression, IfStatement, ImportExpression,
    LogicalExpression, Program, Statement, WhileStatement,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{VisitJs, walk_js};
use oxc::codegen::{CommentOptions, LegalComment};
use oxc::diagnostics::Severity;
use oxc::minifier::{CompressOptions, Compressor, TreeShakeOptions};
use oxc::semantic::{Scoping, SemanticBuilder, Stats};
use oxc::span::SourceType;
use oxc::syntax::symbol::SymbolFlags;
use oxc::transformer::Transformer;
use oxc::transformer_plugins::{ReplaceGlobalDefines, ReplaceGlobalDefinesConfig};
use rolldown::{BundleFactory, BundleFactoryOptions, BundleOutput};
use rolldown_common::{
    ImportKind, InjectImport, ModuleDefFormat, ModuleId, ModuleType, Modules, NormalizedBundlerOptions, Output,
    OutputAsset, OutputChunk, PackageJson, RawCompressOptions, StrOrBytes, TsConfig,
};
use rolldown_ecmascript::{EcmaAst, EcmaCompiler};
use rustc_hash::FxHashMap;

use crate::options::{BuildOptions, Format, LegalComments, Loader, Sourcemap, Target};
use crate::plugin::BaoPlugin;
use crate::rebuild::{self, Read};
use crate::settings::{self, Entry};
use crate::shared::{LOADER_MARK, Shared};
use crate::survey::{Survey, is_known};

/// How often a module is compressed again if that has changed something. TypeScript's compiler, one module of 9 MB, would be 0.1 %
/// smaller without a limit.
const FURTHER_PASSES: u8 = 1;
/// From so many bytes on dead code goes in one pass.
const LARGE: usize = 512 << 10;

/// For tests: `0` leaves every build to rolldown, `explain` tells why one is left to it.
const VARIABLE: &str = "BAO_BUNDLER_CORE";

/// A specifier's module: its path, its kind by name and package, its package.
type Resolved = (ArcStr, ModuleDefFormat, Option<Arc<PackageJson>>);
type Resolve<'a> = dyn Fn(&str, &str, ImportKind) -> Option<Resolved> + Sync + 'a;

/// The last build of a command line that watches.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

struct Kept {
    core: bundle_core::Kept,
    shared: Arc<Shared>,
    data: FxHashMap<ArcStr, bool>,
    begun: SystemTime,
    read: Read,
}

/// What a build of a command line that watches begins with: an earlier build, and which of its modules have changed.
type Earlier = Option<(Kept, Vec<ArcStr>)>;

/// Makes a bundle; `None` if it is none for the core.
pub(crate) fn bundle(shared: &Arc<Shared>, entry: &Entry, tsconfig: TsConfig, out: &Path) -> Option<BundleOutput> {
    let choice = std::env::var(VARIABLE).unwrap_or_default();
    let told = |declined: Declined| {
        if choice == "explain" {
            base::stderr_line!("bundler core: {}", declined.0);
        }
    };
    if choice == "0" {
        return None;
    }
    if let Some(earlier) = earlier(shared) {
        match try_bundle(shared, entry, tsconfig.clone(), out, Some(earlier)) {
            Ok(output) => return Some(output),
            // As a module has gone, or there is a mistake: all is read anew.
            Err(declined) => told(declined),
        }
    }
    try_bundle(shared, entry, tsconfig, out, None).map_err(told).ok()
}

/// Leaves the texts of a result with what is kept of its build: the next one changes them where it has to.
///
/// # Errors
/// The texts, if nothing is kept.
pub(crate) fn give_back(code: String, map: Option<String>) -> Result<(), (String, Option<String>)> {
    match rebuild::lock(&KEPT).as_mut() {
        Some(kept) => {
            kept.core.give_back(code, map);
            Ok(())
        }
        None => Err((code, map)),
    }
}

/// Shows the code and the map of the last build, if they are kept (`Built::kept_bytes`). No build begins meanwhile.
pub fn with_texts<T>(act: impl FnOnce(&str, Option<&str>) -> T) -> Option<T> {
    let kept = rebuild::lock(&KEPT);
    let (code, map) = kept.as_ref()?.core.texts()?;
    Some(act(code, map))
}

/// Whether a text may have a member, or a variable, of some name. A text in quotes that is the first argument of a call is none:
/// `env("NODE_ENV")`.
fn may_be_member(text: &[u8], name: &str) -> bool {
    memchr::memmem::find_iter(text, name).any(|at| {
        let Some((b'"' | b'\'' | b'`', before)) = text[..at].split_last() else { return true };
        let Some((b'(', before)) = before.trim_ascii_end().split_last() else { return true };
        before.trim_ascii_end().last().is_none_or(|last| !last.is_ascii_alphanumeric())
    })
}

/// What is kept of the build before this one, and the ids of what has changed since.
fn earlier(shared: &Shared) -> Option<(Kept, Vec<ArcStr>)> {
    let told = shared.options.changed.as_ref()?;
    let kept = rebuild::lock(&KEPT).take()?;
    if has_found(shared) {
        return None;
    }
    let changed = rebuild::edits(&kept.read, &shared.options, kept.begun, told)?;
    let ids = changed.iter().flat_map(|path| [path.clone(), format!("{path}{REQUIRED}")]);
    let ids = ids.map(ArcStr::from).collect();
    Some((kept, ids))
}

/// Whether there is something about a build that its next one would have to know from its beginning.
fn has_found(shared: &Shared) -> bool {
    !shared.sloppy.is_empty()
        || !shared.type_exports.is_empty()
        || !shared.dual.by_main.is_empty()
        || !shared.dual.found().is_empty()
}

fn declined<T>(text: impl Into<String>) -> Result<T, Declined> {
    Err(Declined(text.into()))
}

/// Checks the options.
fn check(shared: &Shared, entry: &Entry) -> Result<(), Declined> {
    let options = &shared.options;
    let reasons = [
        (options.standalone || entry.is_page, "a page"),
        (options.executable.is_some(), "an executable"),
        (shared.again.is_kept(), "a build whose modules rolldown keeps"),
        (!options.manual_chunks.is_empty(), "manual chunks"),
        (options.splitting, "code splitting"),
        (options.namespace_setters, "namespaces with setters"),
        (options.minify.keep_names, "names that are kept"),
        (options.metafile, "a metafile"),
        (!options.tree_shaking, "no tree shaking"),
        (options.ignore_dce_annotations, "ignored annotations"),
        (!options.syntax_target.is_empty(), "a language version"),
        (options.global_name.is_some(), "a global name"),
        (!options.inject.is_empty(), "injected names"),
        (!options.files.is_empty(), "virtual files"),
        (!options.optimize_imports.is_empty(), "optimized imports"),
        (!options.public_path.is_empty(), "a public path"),
        (!options.alias.is_empty(), "aliases"),
        (options.has_transform || options.has_render_chunk, "plugins"),
        (!options.resolve_filters.is_empty() || !options.load_filters.is_empty(), "plugins"),
        (!options.before_parse_filters.is_empty() || options.has_rollup, "plugins"),
        (options.jsx.runtime.as_deref() == Some("preserve") || options.jsx.refresh, "JSX that stays"),
        (options.naming.entry.contains("[hash"), "a hash in the name"),
        (options.banner.starts_with("#!"), "an interpreter in the banner"),
    ];
    match reasons.iter().find(|(is_so, _)| *is_so) {
        Some((_, reason)) => declined(*reason),
        None => Ok(()),
    }
}

fn try_bundle(
    shared: &Arc<Shared>,
    entry: &Entry,
    tsconfig: TsConfig,
    out: &Path,
    earlier: Earlier,
) -> Result<BundleOutput, Declined> {
    check(shared, entry)?;
    let begun = SystemTime::now();
    let options = &shared.options;
    let inner = Shared::new(shared.options.clone(), shared.root.clone(), None).map_err(Declined)?;
    let inner = Arc::new(inner.like(shared));
    let (kept, changed, data, read) = match earlier {
        Some((kept, changed)) => {
            inner.take_over(&kept.shared);
            (Some(kept.core), changed, kept.data, Some(kept.read))
        }
        None => (None, Vec::new(), FxHashMap::default(), None),
    };
    let entries = std::slice::from_ref(entry);
    let settings = settings::of(options, entries, Vec::<InjectImport>::new(), tsconfig, &shared.root, out);
    let factory = BundleFactory::new(BundleFactoryOptions {
        bundler_options: settings,
        plugins: Vec::new(),
        session: None,
        disable_tracing_setup: true,
    });
    let factory = factory.map_err(|_| Declined("settings".to_string()))?;
    let normalized: &NormalizedBundlerOptions = &factory.options;
    let resolver = &factory.resolver;
    let resolve = |importer: &str, specifier: &str, kind: ImportKind| {
        let importer = (!importer.is_empty()).then(|| Path::new(importer));
        let found = resolver.resolve(importer, specifier, kind, importer.is_none()).ok()?;
        Some((found.path, found.module_def_format, found.package_json))
    };
    let name = settings::name_of_entry(options, entry);
    let file = out.join(&name);
    let minify = options.minify;
    let compress = minify.syntax.then(|| {
        RawCompressOptions::default().into_compress_options(
            normalized.transform_options.target.clone(),
            false,
            TreeShakeOptions::from(&normalized.treeshake),
        )
    });
    let defines = ReplaceGlobalDefinesConfig::new(&normalized.define).map_err(|_| Declined("defines".to_string()))?;
    let define_ends =
        normalized.define.iter().map(|(name, _)| name.rsplit('.').next().unwrap_or(name).to_string()).collect();
    let files = Files {
        plugin: BaoPlugin::new(inner.clone(), Vec::new()),
        normalized,
        resolve: &resolve,
        compress,
        defines,
        define_ends,
        folder: file.parent().map(Path::to_path_buf).unwrap_or_default(),
        data: Mutex::new(data),
    };
    let legal = options.legal_comments != LegalComments::None;
    let mut banner = settings::banner_of(options);
    if !banner.is_empty() && !banner.ends_with('\n') {
        banner.push('\n');
    }
    let plan = Options {
        format: match options.format {
            Format::Esm => CoreFormat::Esm,
            Format::Cjs => CoreFormat::Cjs,
            Format::Iife => CoreFormat::Iife,
        },
        is_node: options.target != Target::Browser,
        sourcemap: options.sourcemap != Sourcemap::None,
        comments: CommentOptions {
            normal: false,
            jsdoc: false,
            annotation: options.emit_dce_annotations.unwrap_or(!minify.whitespace),
            legal: if legal { LegalComment::Inline } else { LegalComment::None },
        },
        mangle: minify.identifiers,
        joins: minify.syntax,
        whitespace: minify.whitespace,
        banner,
        footer: if options.footer.is_empty() { String::new() } else { format!("{}\n", options.footer) },
        file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    let Some((id, format, package)) = resolve("", &entry.specifier, ImportKind::Import) else {
        return declined("the entry point cannot be resolved");
    };
    files.plugin.note_entry(&id);
    let resolution = files.resolution(id.clone(), format, package.as_deref());
    let made = if options.changed.is_some() {
        let (made, core) = bundle_core::rebuild(&files, resolution, &plan, kept, &changed)?;
        let data = files.data.into_inner().unwrap_or_else(PoisonError::into_inner);
        let has_warnings = !rebuild::lock(&inner.warnings).is_empty();
        shared.take_over(&inner);
        // Warnings are told by each build, which those of kept modules would not be.
        if !has_warnings && !has_found(shared) {
            let read = Read::of(shared, read);
            *rebuild::lock(&KEPT) = Some(Kept { core, shared: shared.clone(), data, begun, read });
        }
        made
    } else {
        let made = bundle_core::bundle(&files, resolution, &plan)?;
        drop(files);
        shared.take_over(&inner);
        made
    };
    Ok(output_of(made, &id, name, options.sourcemap != Sourcemap::None))
}

/// A result as rolldown gives it.
fn output_of(made: Made, entry: &str, name: String, has_map: bool) -> BundleOutput {
    let map_name = format!("{name}.map");
    let chunk = OutputChunk {
        name: "entry0".into(),
        is_entry: true,
        is_dynamic_entry: false,
        facade_module_id: Some(ModuleId::new(entry)),
        module_ids: made.modules.iter().map(|id| ModuleId::new(id.clone())).collect(),
        exports: made.exports.iter().map(|name| name.as_str().into()).collect(),
        filename: name.as_str().into(),
        modules: Modules { keys: Vec::new(), values: Vec::new() },
        imports: made.imports.iter().map(|name| name.as_str().into()).collect(),
        dynamic_imports: Vec::new(),
        code: made.code,
        map: None,
        sourcemap_filename: has_map.then(|| map_name.clone()),
        preliminary_filename: name,
    };
    let mut assets = vec![Output::Chunk(Arc::new(chunk))];
    if let Some(map) = made.map {
        assets.push(Output::Asset(Arc::new(OutputAsset {
            names: Vec::new(),
            original_file_names: Vec::new(),
            filename: map_name.as_str().into(),
            source: StrOrBytes::Str(map),
        })));
    }
    BundleOutput { warnings: Vec::new(), assets }
}

/// The files of a build.
struct Files<'b> {
    plugin: BaoPlugin,
    normalized: &'b NormalizedBundlerOptions,
    resolve: &'b Resolve<'b>,
    compress: Option<CompressOptions>,
    defines: ReplaceGlobalDefinesConfig,
    /// The last names of what is defined, which a text must have.
    define_ends: Vec<String>,
    /// The folder of the result.
    folder: PathBuf,
    /// Modules of data, and whether they are required.
    data: Mutex<FxHashMap<ArcStr, bool>>,
}

/// What a future gives that has nothing to wait for.
fn at_once<T>(future: impl Future<Output = T>) -> Result<T, Declined> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => declined("a plugin"),
    }
}

/// A path relative to a folder, with `/`.
fn relative_path(folder: &Path, path: &Path) -> String {
    crate::assets::relative(folder, path)
}

impl Files<'_> {
    fn options(&self) -> &BuildOptions {
        &self.plugin.shared.options
    }

    fn resolution(&self, id: ArcStr, format: ModuleDefFormat, package: Option<&PackageJson>) -> Resolution {
        let side_effects = package
            .and_then(|package| {
                let folder = package.realpath().parent()?;
                package.check_side_effects_for(&relative_path(folder, Path::new(id.as_str())))
            })
            .unwrap_or(true);
        use ModuleDefFormat::{Cjs, CjsPackageJson, Cts, EsmMjs, EsmMts, EsmPackageJson};
        Resolution::Module {
            side_effects,
            is_node: matches!(format, EsmMjs | EsmMts | EsmPackageJson),
            is_cjs: matches!(format, Cjs | CjsPackageJson | Cts),
            id,
        }
    }

    /// Whether a tree has conditions that are known, if they matter. `survey` is of the tree before the plugin changed it.
    fn has_known_condition(&self, ast: &EcmaAst, survey: Option<&Survey>) -> bool {
        let text = ast.source().as_bytes();
        let has = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
        let is_large = text.len() > LARGE;
        let may_have_more = || {
            !self.options().drop.is_empty()
                || ["import.meta.hot", "import.meta.main", "bun:bundle", "</script"].into_iter().any(has)
        };
        let known = survey.and_then(|survey| survey.has_known_condition(is_large)).filter(|_| !may_have_more());
        known.unwrap_or_else(|| has_constant_condition(ast.program(), is_large))
    }

    /// What is done to a tree before it is linked.
    fn prepare(
        &self,
        mut ast: EcmaAst,
        id: &str,
        kind: &ModuleType,
        survey: Option<&Survey>,
    ) -> Result<Source, Declined> {
        let fail = |what: &str| Declined(format!("{id}: {what}"));
        let is_js = matches!(kind, ModuleType::Js);
        keep_directive_comments(&mut ast);
        let checked = ast.program.with_dependent(|_, dependent| {
            let sizes = sizes_of(dependent.program.source_text.len());
            let builder = SemanticBuilder::new().with_stats(sizes).with_enum_eval(true).with_check_syntax_error(true);
            builder.build(&dependent.program)
        });
        if checked.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(fail("a mistake"));
        }
        let stats = checked.semantic.stats();
        let mut scoping = Some(checked.semantic.into_scoping());
        let again = |ast: &EcmaAst, is_typed: bool| {
            let builder = SemanticBuilder::new().with_stats(stats).with_enum_eval(is_typed);
            ast.make_symbol_table_and_scope_tree_with_semantic_builder(builder)
        };
        let text = ast.source().clone();
        let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        let mut is_defined = false;
        if self.define_ends.iter().any(|end| may_be_member(text.as_bytes(), end)) {
            ast.program.with_mut(|fields| {
                let table = scoping.take().unwrap_or_default();
                let done =
                    ReplaceGlobalDefines::new(fields.allocator, self.defines.clone()).build(table, fields.program);
                is_defined = done.changed;
                if !done.changed {
                    scoping = Some(done.scoping);
                }
            });
        }
        if !is_js || has("</script") {
            let mut warnings = Vec::new();
            let path = (!is_js).then(|| Path::new(id));
            let options = self.normalized.transform_options.options_for_file(path, &mut warnings);
            let options = options.map_err(|_| fail("tsconfig.json"))?;
            if !warnings.is_empty() || !options.jsx.jsx_plugin {
                return Err(fail("settings of the transformer"));
            }
            let table = match scoping.take() {
                Some(table) => table,
                None => again(&ast, true),
            };
            let is_clean = ast.program.with_mut(|fields| {
                let label = self.label(id);
                Transformer::new(fields.allocator, Path::new(&label), &options)
                    .build_with_scoping(table, fields.program)
                    .diagnostics
                    .is_empty()
            });
            if !is_clean {
                return Err(fail("what the transformer says"));
            }
        }
        if let Some(compress) = &self.compress {
            // Functions of blocks are written in another way, and with them what has words of strict code for names.
            let survey = survey.filter(|survey| is_js && !survey.has_block_functions);
            let table = if is_js { scoping.take() } else { None };
            let table = table.unwrap_or_else(|| again(&ast, false));
            ast.program.with_mut(|fields| {
                let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
                // Variables in blocks may have become assignments.
                let is_wanted =
                    |survey: &Survey| survey.has_same_targets || survey.has_conflicts || survey.has_template_escapes;
                if survey.is_none_or(is_wanted) {
                    transpile::shorten_targets(allocator, program);
                }
                let options = CompressOptions { max_iterations: Some(FURTHER_PASSES), ..compress.clone() };
                Compressor::new(allocator).build_with_scoping(program, table, options);
                if survey.is_none_or(|survey| survey.has_indirect_calls || survey.has_computed_keys) {
                    transpile::mend_minified(program);
                }
            });
            scoping = None;
        } else if is_defined || self.has_known_condition(&ast, survey.filter(|_| is_js)) {
            // Each pass over a large module takes as long as to parse it; as a rule the second changes next to nothing.
            let max_iterations = (text.len() > LARGE).then_some(0);
            let table = scoping.take().unwrap_or_else(|| again(&ast, false));
            ast.program.with_mut(|fields| {
                let mut treeshake = TreeShakeOptions::from(&self.normalized.treeshake);
                treeshake.invalid_import_side_effects = true;
                let options = CompressOptions {
                    target: self.normalized.transform_options.target.clone(),
                    treeshake,
                    max_iterations,
                    ..CompressOptions::dce()
                };
                Compressor::new(fields.allocator).dead_code_elimination_with_scoping(fields.program, table, options);
            });
        }
        split_declarations(&mut ast);
        let scoping = scoping.unwrap_or_else(|| again(&ast, false));
        if has_wrong_assignment(&scoping) {
            return Err(fail("an assignment to a constant"));
        }
        Ok(Source { ast, scoping })
    }
}

/// For how many scopes and names the tables of a text of so many bytes begin with room, which to count takes a walk of its own.
fn sizes_of(length: usize) -> Stats {
    let one_in = |bytes: usize| u32::try_from(length / bytes).unwrap_or(u32::MAX) + 8;
    Stats::new(one_in(6), one_in(60), one_in(30), one_in(12))
}

/// Moves comments of directives, which go, to the beginning of the module.
fn keep_directive_comments(ast: &mut EcmaAst) {
    if ast.program().directives.is_empty() || ast.program().comments.is_empty() {
        return;
    }
    ast.program.with_mut(|fields| {
        let program = fields.program;
        let starts: Vec<u32> = program.directives.iter().map(|directive| directive.span.start).collect();
        for comment in &mut program.comments {
            if starts.contains(&comment.attached_to) {
                comment.attached_to = 0;
            }
        }
    });
}

/// Whether an import or a constant is assigned to, which is another bundler's to report.
fn has_wrong_assignment(scoping: &Scoping) -> bool {
    scoping.symbol_ids().any(|symbol| {
        scoping.symbol_flags(symbol).intersects(SymbolFlags::Import | SymbolFlags::ConstVariable)
            && scoping.get_resolved_references(symbol).any(|reference| reference.is_write())
    })
}

/// Whether a module declares an enum at its top.
fn has_enum(program: &Program<'_>) -> bool {
    program.body.iter().any(|statement| match statement {
        Statement::TSEnumDeclaration(_) => true,
        Statement::ExportDeclaration(export) => {
            matches!(export.declaration, Declaration::TSEnumDeclaration(_))
        }
        _ => false,
    })
}

/// Makes a statement of each variable at the top, so that each may go by itself.
fn split_declarations(ast: &mut EcmaAst) {
    let is_several = |declaration: &oxc::ast::ast::VariableDeclaration<'_>| {
        declaration.declarations.len() > 1
            && declaration.declarations.iter().all(|one| matches!(one.id, BindingPattern::BindingIdentifier(_)))
    };
    let is_found = |statement: &Statement<'_>| match statement {
        Statement::VariableDeclaration(declaration) => is_several(declaration),
        Statement::ExportDeclaration(export) => {
            matches!(&export.declaration, Declaration::VariableDeclaration(declaration) if is_several(declaration))
        }
        _ => false,
    };
    if !ast.program().body.iter().any(is_found) {
        return;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, &mut Program<'_>) = (fields.allocator, fields.program);
        let builder = AstBuilder::new(allocator);
        let old = std::mem::replace(&mut program.body, oxc::allocator::Vec::new_in(&builder));
        for mut statement in old {
            if !is_found(&statement) {
                program.body.push(statement);
                continue;
            }
            let (declaration, outer) = match &mut statement {
                Statement::VariableDeclaration(declaration) => (declaration, None),
                Statement::ExportDeclaration(export) => {
                    let span = export.span;
                    match &mut export.declaration {
                        Declaration::VariableDeclaration(declaration) => (declaration, Some(span)),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let (kind, mut span) = (declaration.kind, declaration.span);
            let mut outer = outer;
            let list = std::mem::replace(&mut declaration.declarations, oxc::allocator::Vec::new_in(&builder));
            for declarator in list {
                let own = declarator.span;
                let one = oxc::allocator::Vec::from_iter_in([declarator], &builder);
                let one = Declaration::new_variable_declaration(span, kind, one, false, &builder);
                program.body.push(match outer {
                    Some(outer) => Statement::new_export_declaration(outer, one, &builder),
                    None => Statement::from(one),
                });
                // Comments before the statement belong to its first variable.
                span = own;
                outer = outer.map(|_| own);
            }
        }
    });
}

/// Whether a tree has conditions that are known. Of a large one those count behind which another module may be asked for in vain.
fn has_constant_condition(program: &Program<'_>, is_large: bool) -> bool {
    let mut conditions = Conditions { is_found: false, is_large };
    conditions.visit_program(program);
    conditions.is_found
}

struct Conditions {
    is_found: bool,
    is_large: bool,
}

impl Conditions {
    /// Looks at a test; `walk` visits all that depends on it.
    fn look_at(&mut self, test: &Expression<'_>, walk: impl FnOnce(&mut Requests)) {
        if !is_known(test, false) {
            return;
        }
        let mut requests = Requests { is_found: !self.is_large };
        if self.is_large {
            walk(&mut requests);
        }
        self.is_found |= requests.is_found;
    }
}

/// Whether something asks for a module.
struct Requests {
    is_found: bool,
}

impl<'a> VisitJs<'a> for Requests {
    fn visit_import_expression(&mut self, _: &ImportExpression<'a>) {
        self.is_found = true;
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.is_found |= call.callee.is_specific_id("require");
        walk_js::walk_call_expression(self, call);
    }
}

impl<'a> VisitJs<'a> for Conditions {
    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.look_at(&statement.test, |requests| walk_js::walk_if_statement(requests, statement));
        if !self.is_found {
            walk_js::walk_if_statement(self, statement);
        }
    }

    fn visit_conditional_expression(&mut self, expression: &ConditionalExpression<'a>) {
        self.look_at(&expression.test, |requests| walk_js::walk_conditional_expression(requests, expression));
        if !self.is_found {
            walk_js::walk_conditional_expression(self, expression);
        }
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        self.look_at(&expression.left, |requests| walk_js::walk_logical_expression(requests, expression));
        if !self.is_found {
            walk_js::walk_logical_expression(self, expression);
        }
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        // `while (true)` is a loop.
        walk_js::walk_while_statement(self, statement);
    }
}

/// Whether JSON has a member that JavaScript takes for a prototype.
fn has_prototype(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Object(members) => {
            members.iter().any(|(key, value)| key == "__proto__" || has_prototype(value))
        }
        serde_json::Value::Array(items) => items.iter().any(has_prototype),
        _ => false,
    }
}

/// Writes a value as JavaScript, where `__proto__` is a member as others only in brackets.
fn write_value(code: &mut String, value: &serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            code.push('{');
            for (key, value) in members {
                let quoted = serde_json::Value::String(key.clone()).to_string();
                code.push_str(&if key == "__proto__" { format!("[{quoted}]:") } else { format!("{quoted}:") });
                write_value(code, value);
                code.push(',');
            }
            code.push('}');
        }
        serde_json::Value::Array(items) => {
            code.push('[');
            for item in items {
                write_value(code, item);
                code.push(',');
            }
            code.push(']');
        }
        other => code.push_str(&other.to_string()),
    }
}

/// The module of a JSON text: each member with a name by itself, so that what nobody uses goes.
fn json_code(text: &str, is_required: bool) -> Result<String, Declined> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| Declined(error.to_string()))?;
    let mut whole = String::new();
    let text = if has_prototype(&value) {
        write_value(&mut whole, &value);
        &whole
    } else {
        text
    };
    if is_required {
        return Ok(format!("module.exports = {text};"));
    }
    let serde_json::Value::Object(members) = &value else { return Ok(format!("export default {text};")) };
    let mut prefix = "$json".to_string();
    while members.keys().any(|key| key.starts_with(&prefix)) {
        prefix.insert(0, '$');
    }
    let mut code = String::new();
    let mut list = String::new();
    for (index, (key, member)) in members.iter().enumerate() {
        let quoted = serde_json::Value::String(key.clone()).to_string();
        let mut value = String::new();
        write_value(&mut value, member);
        let is_name = oxc::syntax::identifier::is_identifier_name(key)
            && !oxc::syntax::keyword::is_reserved_keyword(key)
            && !matches!(key.as_str(), "default" | "arguments" | "eval" | "await" | "__proto__");
        if is_name {
            code.push_str(&format!("export var {key} = {value};\n"));
            list.push_str(key);
        } else {
            let local = format!("{prefix}{index}");
            code.push_str(&format!("var {local} = {value};\nexport {{ {local} as {quoted} }};\n"));
            list.push_str(&if key == "__proto__" {
                format!("[{quoted}]: {local}")
            } else {
                format!("{quoted}: {local}")
            });
        }
        list.push_str(", ");
    }
    code.push_str(&format!("export default {{ {list} }};"));
    Ok(code)
}

/// Behind the id of JSON that is required.
const REQUIRED: &str = "?bao-required";

impl Host for Files<'_> {
    fn resolve(&self, importer: &str, specifier: &str, kind: Kind) -> Result<Resolution, Declined> {
        let shared = &self.plugin.shared;
        let no = |why: &str| Err(Declined(format!("{importer}: \"{specifier}\" is {why}")));
        if specifier.contains(LOADER_MARK) || specifier.contains('?') {
            return no("read in its own way");
        }
        if shared.externals.is_external(specifier) {
            return Ok(Resolution::External(specifier.into()));
        }
        let is_browser = self.options().target == Target::Browser;
        if is_browser && (specifier == "bun" || specifier.starts_with("bun:")) {
            return no("not for browsers");
        }
        if shared.externals.builtin(specifier).is_some() {
            if is_browser {
                return no("one of Node's");
            }
            return Ok(Resolution::External(specifier.into()));
        }
        let asked = match kind {
            Kind::Import => ImportKind::Import,
            Kind::Require => ImportKind::Require,
            Kind::Dynamic => ImportKind::DynamicImport,
        };
        if shared.archives.resolve(self.options(), specifier, importer, asked).is_some() {
            return no("in an archive");
        }
        let Some((mut id, mut format, mut package)) = (self.resolve)(importer, specifier, asked) else {
            return Ok(Resolution::Nowhere);
        };
        if crate::find::may_be_dual(asked, specifier)
            && let Some(file) = package.as_ref().map(|package| package.realpath().to_path_buf())
            && let Some(main) = shared.dual.main_for(asked, file, Path::new(id.as_str()))
        {
            let main = main.to_string_lossy().into_owned();
            let Some(found) = (self.resolve)(importer, &main, asked) else {
                return no("not found");
            };
            (id, format, package) = found;
        }
        if id.contains('?') || id.contains('\0') {
            return no("read in its own way");
        }
        let resolution = self.resolution(id.clone(), format, package.as_deref());
        let is_data = matches!(
            shared.loader_of(&id, None),
            Loader::Json | Loader::Jsonc | Loader::Json5 | Loader::Toml | Loader::Yaml | Loader::Text
        );
        if is_data {
            // Who asks both ways has one object.
            let is_required = kind == Kind::Require;
            let mut data = self.data.lock().unwrap_or_else(PoisonError::into_inner);
            if *data.entry(id.clone()).or_insert(is_required) != is_required {
                return no("required and imported");
            }
        }
        Ok(match resolution {
            Resolution::Module { is_node, .. } if is_data => Resolution::Module {
                id: if kind == Kind::Require { format!("{id}{REQUIRED}").into() } else { id },
                side_effects: false,
                is_node,
                is_cjs: false,
            },
            other => other,
        })
    }

    fn has_effects(&self, specifier: &str) -> bool {
        self.plugin.shared.externals.have_effects(specifier)
    }

    fn load(&self, id: &str, _is_cjs: bool) -> Result<Source, Declined> {
        let shared = &self.plugin.shared;
        let is_required = id.ends_with(REQUIRED);
        let path = id.strip_suffix(REQUIRED).unwrap_or(id);
        let loader = shared.loader_of(path, None);
        let is_known = matches!(
            loader,
            Loader::Js
                | Loader::Jsx
                | Loader::Ts
                | Loader::Tsx
                | Loader::Json
                | Loader::Jsonc
                | Loader::Json5
                | Loader::Toml
                | Loader::Yaml
                | Loader::Text
        );
        if !is_known || shared.sloppy.contains(path) {
            return declined(format!("{path}: its loader"));
        }
        let made = at_once(self.plugin.module(path))?.map_err(|error| Declined(format!("{path}: {error}")))?;
        let kind = made.module_type.clone().unwrap_or(ModuleType::Js);
        if made.map.is_some() {
            return declined(format!("{path}: it was changed before"));
        }
        let (code, kind) = match kind {
            ModuleType::Json => (ArcStr::from(json_code(&made.code, is_required)?), ModuleType::Js),
            ModuleType::Text => {
                let text = made.code.strip_prefix('\u{feff}').unwrap_or(&made.code);
                (
                    ArcStr::from(format!(
                        "{} {};",
                        if is_required { "module.exports =" } else { "export default" },
                        serde_json::Value::String(text.to_string())
                    )),
                    ModuleType::Js,
                )
            }
            kind @ (ModuleType::Js | ModuleType::Jsx | ModuleType::Ts | ModuleType::Tsx) => {
                if transpile::mentions_macros(&made.code) {
                    return declined(format!("{path}: macros"));
                }
                (made.code, kind)
            }
            _ => return declined(format!("{path}: its kind")),
        };
        let is_script = path.ends_with(".cjs") || path.ends_with(".cts");
        let source_type =
            if is_script { SourceType::default().with_commonjs(true) } else { SourceType::default().with_module(true) };
        let has_jsx = !self.normalized.transform_options.is_jsx_disabled();
        let source_type = match kind {
            ModuleType::Jsx => source_type.with_jsx(has_jsx),
            ModuleType::Ts => source_type.with_typescript(true),
            ModuleType::Tsx => source_type.with_typescript(true).with_jsx(has_jsx),
            _ => source_type,
        };
        let ast = EcmaCompiler::parse(path, code, source_type).map_err(|_| Declined(format!("{path}: a mistake")))?;
        let survey = Survey::of(&ast, &kind, self.compress.is_some());
        // A text may look as if it had JSX. Without it there is nothing to transform.
        let kind = match kind {
            ModuleType::Jsx if survey.as_ref().is_some_and(|survey| !survey.has_jsx) => ModuleType::Js,
            kind => kind,
        };
        // Members of enums stand for themselves elsewhere.
        if has_enum(ast.program()) {
            return declined(format!("{path}: an enum"));
        }
        let changed = self.plugin.changed(ast, path, &kind, survey.as_ref());
        let ast = changed.map_err(|error| Declined(format!("{path}: {error}")))?;
        self.prepare(ast, path, &kind, survey.as_ref())
    }

    fn label(&self, id: &str) -> String {
        let path = id.strip_suffix(REQUIRED).unwrap_or(id);
        relative_path(&self.options().cwd, Path::new(path))
    }

    fn source_name(&self, id: &str) -> String {
        let path = id.strip_suffix(REQUIRED).unwrap_or(id);
        relative_path(&self.folder, Path::new(path))
    }
}

#[cfg(test)]
mod tests {
    use super::may_be_member;

    #[test]
    fn texts_of_calls_are_no_members() {
        let may = |text: &str| may_be_member(text.as_bytes(), "NODE_ENV");
        assert!(may("process.env.NODE_ENV"));
        assert!(may("process.env['NODE_ENV']"));
        assert!(may("process.env[ ( 'NODE_ENV' ) ]"));
        assert!(may("const { 'NODE_ENV': mode } = process.env"));
        assert!(!may("read('NODE_ENV'), read( \"NODE_ENV\")"));
        assert!(may("read('NODE_ENV') || process.env.NODE_ENV"));
    }
}
