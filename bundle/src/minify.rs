//! Minifies a finished chunk on all cores, module by module.
//!
//! rolldown's own step treats a chunk as one program on one thread, and the tables of its mangler grow with the product of
//! names and scopes. Here a large chunk is cut at the comments that begin its modules. Each part is compressed by itself,
//! with what other parts use of it marked as exported; the names that parts share get their short names by how often the
//! whole chunk uses them, and the rest is renamed inside of each part.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::OnceLock;

use bundle_core::{FIRST_SHARED_NAME, rename_free_names};
use oxc::allocator::{Allocator, FromIn};
use oxc::ast::AstKind;
use oxc::ast::ast::{
    ArrowFunctionExpression, BindingIdentifier, CallExpression, ExportSpecifier, Expression, Function, IdentifierName,
    IdentifierReference, ImportOrExportKind, JSXOpeningElement, JSXOpeningFragment, ModuleExportName, Program,
    Statement, StaticBlock, VariableDeclaration,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::Visit;
use oxc::ast_visit::walk::{
    walk_arrow_function_expression, walk_call_expression, walk_function, walk_jsx_opening_element, walk_static_block,
    walk_variable_declaration,
};
use oxc::codegen::{Codegen, CodegenOptions};
use oxc::mangler::{MangleOptions, Mangler, base54};
use oxc::minifier::{CompressOptions, Compressor, Minifier, MinifierOptions};
use oxc::semantic::{ReferenceId, ScopeId, Scoping, SemanticBuilder, Stats};
use oxc::span::{SPAN, SourceType};
use oxc::str::{Ident, IdentHashMap, IdentHashSet};
use oxc::syntax::keyword::is_reserved_keyword;
use oxc::syntax::scope::ScopeFlags;
use oxc_sourcemap::Token;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rolldown_ecmascript::{EcmaAst, EcmaCompiler};
use rolldown_sourcemap::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Below this a chunk is one program: what is written across modules is optimized together.
const WHOLE: usize = 256 << 10;
/// The least size of a part.
const PART: usize = 32 << 10;
/// How often a part is compressed again if that has changed something: three.js ten times is 80 bytes of 7.7 MB larger than without
/// a limit. A part of more than `LARGE` bytes, which is one module, is compressed as long as that changes something: TypeScript's
/// compiler would be 4 kB of 3.5 MB larger.
const FURTHER_PASSES: u8 = 1;
const LARGE: usize = 512 << 10;
/// The comment of rolldown's that begins a module.
const REGION: &[u8] = b"\n//#region ";
const END_REGION: &[u8] = b"\n//#endregion\n";

/// From so many bytes of a result on the trees of its parts are worth giving back to the system.
const RELEASED_FROM: usize = 2 << 20;

/// What gives free memory back to the system.
static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Sets what gives free memory back to the system: it is called in a thread of the pool when a large build needs much less than
/// before. The first one counts.
pub fn on_release(release: fn()) {
    RELEASE.set(release).ok();
}

/// What is done to a chunk.
#[derive(Debug)]
pub(crate) struct Plan {
    pub source_type: SourceType,
    pub compress: Option<CompressOptions>,
    pub mangle: Option<MangleOptions>,
    pub codegen: CodegenOptions,
    pub sourcemap: bool,
    /// Whether parts may be renamed by themselves: names of functions may go, and the chunk is no expression.
    pub may_split: bool,
}

/// The code, and its map to the code that was given.
#[derive(Debug)]
pub(crate) struct Minified {
    pub code: String,
    pub map: Option<SourceMap>,
}

/// Minifies the code of a chunk, which has no mistakes.
pub(crate) fn minify(code: &str, plan: &Plan) -> Minified {
    if plan.may_split && code.len() >= WHOLE {
        let cuts = cuts(code, PART);
        if !is_mostly_one(&cuts, code.len())
            && let Some(parts) = parse_parts(code, &cuts, plan.source_type)
            && parts.len() > 1
        {
            return minify_parts(parts, plan);
        }
    }
    let ast = EcmaCompiler::parse("", code, plan.source_type);
    let Ok(mut ast) = ast else {
        // The engine tells better than a minifier what is wrong with code of a plugin.
        return Minified { code: code.to_string(), map: None };
    };
    // Elements have one of these.
    let has_jsx = ["</", "/>"].iter().any(|end| code.contains(end)) && Names::of(ast.program()).has_jsx;
    let (mut code, tokens) = ast.program.with_mut(|fields| {
        let allocator: &Allocator = fields.allocator;
        if plan.compress.is_some() {
            transpile::shorten_targets(allocator, fields.program);
        }
        let minifier = Minifier::new(MinifierOptions {
            mangle: plan.mangle.clone(),
            mangle_properties: None,
            compress: plan.compress.clone(),
        });
        let done = minifier.minify(allocator, fields.program);
        if plan.compress.is_some() {
            transpile::mend_minified(fields.program);
        }
        let printed = Codegen::new()
            .with_options(plan.printing())
            .with_scoping(done.scoping)
            .with_private_member_mappings(done.class_private_mappings)
            .build(fields.program);
        (printed.code, printed.map.map(|map| tokens_of(&map)))
    });
    let map = tokens.map(|tokens| map_of(&[(0, 0, tokens)]));
    if plan.codegen.minify && !has_jsx {
        transpile::prefer_quotes(&mut code);
    }
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    Minified { code, map }
}

impl Plan {
    fn printing(&self) -> CodegenOptions {
        CodegenOptions { source_map_path: self.sourcemap.then(|| PathBuf::from("chunk")), ..self.codegen.clone() }
    }
}

/// A position in the result, and one in what was given: lines and columns.
type Mapping = [u32; 4];

fn tokens_of(map: &oxc_sourcemap::SourceMap<'_>) -> Vec<Mapping> {
    map.get_tokens()
        .map(|token| [token.get_dst_line(), token.get_dst_col(), token.get_src_line(), token.get_src_col()])
        .collect()
}

/// One map of the maps of parts: their first lines in the result and in the source, and their mappings.
fn map_of(parts: &[(u32, u32, Vec<Mapping>)]) -> SourceMap {
    let mut tokens = Vec::with_capacity(parts.iter().map(|(_, _, mappings)| mappings.len()).sum());
    for (to, from, mappings) in parts {
        tokens.extend(mappings.iter().map(|[line, column, source_line, source_column]| {
            Token::new(line + to, *column, source_line + from, *source_column, Some(0), None)
        }));
    }
    let (sources, contents) = (vec!["chunk".into()], vec![Some("".into())]);
    SourceMap::new(None, Vec::new(), None, sources, contents, tokens.into_boxed_slice(), None)
}

/// A piece of a chunk that is a program by itself.
struct Part {
    /// Its first line in the chunk, from 0.
    line: u32,
    ast: EcmaAst,
    /// Whether it has imports or exports, which are left as they are.
    is_linked: bool,
    /// From before it is compressed: that takes uses away, and brings no names but `NaN`. A second look is not worth its time.
    names: Names,
}

/// Where a chunk may be cut: behind its imports, between modules of `least` bytes or more, before its exports.
fn cuts(code: &str, least: usize) -> Vec<usize> {
    let bytes = code.as_bytes();
    let mut cuts = vec![0];
    for at in memchr::memmem::find_iter(bytes, REGION) {
        let last = cuts[cuts.len() - 1];
        if cuts.len() == 1 || at + 1 - last >= least {
            cuts.push(at + 1);
        }
    }
    if let Some(at) = memchr::memmem::rfind(bytes, END_REGION) {
        let tail = at + END_REGION.len();
        if tail < code.len() && tail > cuts[cuts.len() - 1] {
            cuts.push(tail);
        }
    }
    cuts
}

/// Whether one part is nearly all of a chunk, so that parts would be nothing to divide among threads.
fn is_mostly_one(cuts: &[usize], length: usize) -> bool {
    let ends = cuts.iter().skip(1).copied().chain([length]);
    cuts.iter().zip(ends).any(|(from, end)| end - from > length / 8 * 7)
}

/// The parts of a chunk. A cut inside of a statement leaves parts that cannot be parsed; these are joined to the next.
/// `None` if nothing but the whole is a program.
fn parse_parts(code: &str, cuts: &[usize], source_type: SourceType) -> Option<Vec<Part>> {
    let end_of = |index: usize| cuts.get(index + 1).copied().unwrap_or(code.len());
    let parse = |from: usize, to: usize| {
        let ast = EcmaCompiler::parse("", &code[from..to], source_type).ok()?;
        let names = Names::of(ast.program());
        Some((ast, names))
    };
    let parsed: Vec<Option<(EcmaAst, Names)>> =
        (0..cuts.len()).into_par_iter().map(|index| parse(cuts[index], end_of(index))).collect();
    let mut parts = Vec::with_capacity(parsed.len());
    let mut line = 0;
    let mut open: Option<usize> = None;
    for (index, ast) in parsed.into_iter().enumerate() {
        let from = open.unwrap_or(cuts[index]);
        let to = end_of(index);
        let ast = if open.is_some() { parse(from, to) } else { ast };
        let Some((ast, names)) = ast else {
            open = Some(from);
            continue;
        };
        open = None;
        let mut is_linked = false;
        for statement in &ast.program().body {
            match statement {
                // Its names are those of the chunk's own exports.
                Statement::ExportDeclaration(_) => return None,
                Statement::ExportDefaultDeclaration(export) if export.declaration.as_expression().is_none() => {
                    return None;
                }
                _ => is_linked |= statement.is_module_declaration(),
            }
        }
        parts.push(Part { line, ast, is_linked, names });
        line += u32::try_from(memchr::memchr_iter(b'\n', &code.as_bytes()[from..to]).count()).ok()?;
    }
    if open.is_some() {
        return None;
    }
    Some(parts)
}

/// The names that a part declares for the chunk and those that it takes from elsewhere, with the number of their uses.
#[derive(Default)]
struct Names {
    declared: Vec<(String, usize)>,
    free: Vec<(String, usize)>,
    has_eval: bool,
    has_jsx: bool,
    /// How large the part's tables of scopes become, which would take a walk of its own to find out.
    stats: Stats,
}

impl Names {
    /// By a walk without scopes, which would take four times as long: names of inner variables count among those that are taken
    /// from elsewhere. That keeps a few unused declarations and short names from going, and is never wrong.
    fn of(program: &Program<'_>) -> Names {
        let mut counter = NameCounter::default();
        for statement in &program.body {
            counter.declare(statement);
        }
        counter.visit_program(program);
        let NameCounter { declared, mut uses, has_eval, has_jsx, stats, .. } = counter;
        let declared =
            declared.into_iter().map(|name| (name.to_string(), uses.remove(&name).unwrap_or_default() + 1)).collect();
        let free = uses.into_iter().map(|(name, uses)| (name.to_string(), uses)).collect();
        Names { declared, free, has_eval, has_jsx, stats }
    }
}

/// Counts the uses of names in a part, and finds those that it declares for the chunk.
#[derive(Default)]
struct NameCounter<'a> {
    declared: IdentHashSet<'a>,
    uses: IdentHashMap<'a, usize>,
    has_eval: bool,
    has_jsx: bool,
    stats: Stats,
    /// How many functions are around; `var` in blocks outside of them declares for the chunk.
    depth: u32,
}

impl<'a> NameCounter<'a> {
    /// Notes what a statement at the top declares.
    fn declare(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::VariableDeclaration(declaration) => self.declare_variables(declaration),
            Statement::FunctionDeclaration(function) => {
                self.declared.extend(function.id.as_ref().map(|id| id.name));
            }
            Statement::ClassDeclaration(class) => self.declared.extend(class.id.as_ref().map(|id| id.name)),
            Statement::ImportDeclaration(import) => {
                let specifiers = import.specifiers.iter().flatten();
                self.declared.extend(specifiers.map(|specifier| specifier.local().name));
            }
            _ => {}
        }
    }

    fn declare_variables(&mut self, declaration: &VariableDeclaration<'a>) {
        for declarator in &declaration.declarations {
            self.declared.extend(declarator.id.get_binding_identifiers().iter().map(|id| id.name));
        }
    }
}

impl<'a> Visit<'a> for NameCounter<'a> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        self.stats.nodes += 1;
    }

    fn enter_scope(&mut self, _: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        self.stats.scopes += 1;
    }

    fn visit_binding_identifier(&mut self, _: &BindingIdentifier<'a>) {
        self.stats.nodes += 1;
        self.stats.symbols += 1;
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.stats.nodes += 1;
        self.stats.references += 1;
        *self.uses.entry(identifier.name).or_default() += 1;
    }

    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        self.has_jsx = true;
        walk_jsx_opening_element(self, element);
    }

    fn visit_jsx_opening_fragment(&mut self, _: &JSXOpeningFragment) {
        self.stats.nodes += 1;
        self.has_jsx = true;
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.has_eval |= matches!(&call.callee, Expression::Identifier(callee) if callee.name == "eval");
        walk_call_expression(self, call);
    }

    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        if self.depth == 0 && declaration.kind.is_var() {
            self.declare_variables(declaration);
        }
        walk_variable_declaration(self, declaration);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.depth += 1;
        walk_function(self, function, flags);
        self.depth -= 1;
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        self.depth += 1;
        walk_arrow_function_expression(self, function);
        self.depth -= 1;
    }

    fn visit_static_block(&mut self, block: &StaticBlock<'a>) {
        self.depth += 1;
        walk_static_block(self, block);
        self.depth -= 1;
    }
}

fn minify_parts(mut parts: Vec<Part>, plan: &Plan) -> Minified {
    let names: Vec<Names> = parts.iter_mut().map(|part| std::mem::take(&mut part.names)).collect();
    let compress_all = || {
        let Some(options) = &plan.compress else { return };
        // What an `eval` may see stays.
        let has_eval = names.iter().any(|names| names.has_eval);
        let free: FxHashSet<&str> =
            names.iter().flat_map(|names| names.free.iter().map(|(name, _)| name.as_str())).collect();
        parts.par_iter_mut().zip(&names).filter(|(part, _)| !part.is_linked).for_each(|(part, names)| {
            let declared = names.declared.iter().map(|(name, _)| name.as_str());
            let used: Vec<&str> = declared.filter(|name| has_eval || free.contains(name)).collect();
            compress(&mut part.ast, &used, options, names.stats);
        });
    };
    let ((), renames) = rayon::join(compress_all, || plan.mangle.is_some().then(|| shared_names(&names)));
    // Each tree goes as soon as it is printed.
    let printed: Vec<(u32, String, Option<Vec<Mapping>>)> = parts
        .into_par_iter()
        .zip(&names)
        .map(|(mut part, names)| {
            let (mut text, mappings) = print(&mut part.ast, renames.as_ref(), plan, names.stats);
            if plan.codegen.minify && !names.has_jsx {
                transpile::prefer_quotes(&mut text);
            }
            (part.line, text, mappings)
        })
        .collect();
    let length: usize = printed.iter().map(|(_, text, _)| text.len() + 2).sum();
    if let Some(release) = RELEASE.get().filter(|_| length >= RELEASED_FROM) {
        rayon::spawn(release);
    }
    let mut code = String::with_capacity(length);
    let mut maps = Vec::new();
    let mut line = 0;
    for (from, text, mappings) in printed {
        let text = text.trim_end_matches('\n');
        if text.is_empty() {
            continue;
        }
        if !code.is_empty() {
            // A new line ends a statement but for what could go on with it.
            if !code.ends_with(';') && text.starts_with(|c: char| "([`+-/*.,?<>=&|^%".contains(c)) {
                code.push(';');
            }
            code.push('\n');
            line += 1;
        }
        if let Some(mappings) = mappings {
            maps.push((line, from, mappings));
        }
        line += u32::try_from(memchr::memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(0);
        code.push_str(text);
    }
    code.push('\n');
    let map = plan.sourcemap.then(|| map_of(&maps));
    Minified { code, map }
}

/// Compresses a part whose names in `used` stay for others. `stats` are about the part's tables, which do not grow by it.
fn compress(ast: &mut EcmaAst, used: &[&str], options: &CompressOptions, mut stats: Stats) {
    let more = u32::try_from(used.len()).unwrap_or_default();
    stats.references += more;
    stats.nodes += 3 * more + 1;
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        transpile::shorten_targets(allocator, program);
        let builder = AstBuilder::new(allocator);
        let specifiers = used.iter().map(|name| {
            let name = Ident::from_in(*name, allocator);
            ExportSpecifier::new(
                SPAN,
                ModuleExportName::IdentifierReference(IdentifierReference::new(SPAN, name, &builder)),
                ModuleExportName::IdentifierName(IdentifierName::new(SPAN, name, &builder)),
                ImportOrExportKind::Value,
                &builder,
            )
        });
        let specifiers = oxc::allocator::Vec::from_iter_in(specifiers, &builder);
        program.body.push(Statement::new_export_named_declaration(
            SPAN,
            specifiers,
            ImportOrExportKind::Value,
            &builder,
        ));
        let scoping = SemanticBuilder::new().with_stats(stats).build(program).semantic.into_scoping();
        let max_iterations = (program.source_text.len() <= LARGE).then_some(FURTHER_PASSES);
        let options = CompressOptions { max_iterations, ..options.clone() };
        Compressor::new(allocator).build_with_scoping(program, scoping, options);
        transpile::mend_minified(program);
        program.body.retain(|statement| !matches!(statement, Statement::ExportNamedDeclaration(_)));
    });
}

/// Short names for what parts declare for the chunk: the more uses, the shorter. Empty if an `eval` may see the names.
fn shared_names(parts: &[Names]) -> FxHashMap<String, String> {
    let mut short = FxHashMap::default();
    if parts.iter().any(|names| names.has_eval) {
        return short;
    }
    let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
    for (name, count) in parts.iter().flat_map(|names| &names.declared) {
        *uses.entry(name).or_default() += count;
    }
    // A number in the tree that is printed by its name.
    let mut taken = FxHashSet::from_iter(["NaN"]);
    for (name, count) in parts.iter().flat_map(|names| &names.free) {
        match uses.get_mut(name.as_str()) {
            Some(total) => *total += count,
            None => {
                taken.insert(name);
            }
        }
    }
    let mut order: Vec<(&str, usize)> = uses.into_iter().collect();
    order.sort_unstable_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let mut next = FIRST_SHARED_NAME;
    for (name, _) in order {
        let new = loop {
            let candidate = base54(next);
            next += 1;
            if !taken.contains(candidate.as_str()) && !is_reserved_keyword(candidate.as_str()) {
                break candidate;
            }
        };
        short.insert(name.to_string(), new.as_str().to_string());
    }
    short
}

/// Renames and prints a part.
fn print(
    ast: &mut EcmaAst,
    renames: Option<&FxHashMap<String, String>>,
    plan: &Plan,
    stats: Stats,
) -> (String, Option<Vec<Mapping>>) {
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, &mut Program<'_>) = (fields.allocator, fields.program);
        let mut codegen = Codegen::new().with_options(plan.printing());
        if let (Some(renames), Some(options)) = (renames, &plan.mangle) {
            // Only private names need the table of classes.
            let has_private = memchr::memchr(b'#', program.source_text.as_bytes()).is_some();
            let builder = SemanticBuilder::new().with_build_nodes(true).with_class_table(has_private).with_stats(stats);
            let mut semantic = builder.build(program).semantic;
            rename_shared(semantic.scoping_mut(), renames);
            let options = MangleOptions { top_level: Some(false), ..options.clone() };
            let private = Mangler::new().with_options(options).build_with_semantic(&mut semantic, program);
            let scoping = semantic.into_scoping();
            rename_free_names(program, allocator, &scoping, |name| renames.get(name).map(String::as_str));
            codegen = codegen.with_scoping(Some(scoping)).with_private_member_mappings(has_private.then_some(private));
        }
        let printed = codegen.build(program);
        (printed.code, printed.map.map(|map| tokens_of(&map)))
    })
}

/// Gives the part's own names their short ones, and keeps the mangler from using the short names that the part needs.
fn rename_shared(scoping: &mut Scoping, renames: &FxHashMap<String, String>) {
    let root = scoping.root_scope_id();
    let own: Vec<_> = scoping
        .get_bindings(root)
        .iter()
        .filter_map(|(name, symbol)| Some((*symbol, renames.get(name.as_str())?)))
        .collect();
    let foreign: Vec<&String> =
        scoping.root_unresolved_references().keys().filter_map(|name| renames.get(name.as_str())).collect();
    for new in own.iter().map(|(_, new)| *new).chain(foreign) {
        // Only the name counts: an entry of this table is a name that is in use.
        scoping.add_root_unresolved_reference(Ident::from(new.as_str()), ReferenceId::from_usize(0));
    }
    for (symbol, new) in own {
        scoping.set_symbol_name(symbol, Ident::from(new.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: &str = "import { x as outside } from \"ext\";
//#region a.js
function shared(first) { const inner = first + outside; return [inner, () => inner]; }
var counter = 0;
//#endregion
//#region b.js
const local = 1;
function other(value) { counter++; const e = value; return { shared, local, ee: shared(e) }; }
//#endregion
//#region c.js
console.log({ shared }, other(2), counter, `
//#region not a module
`);
//#endregion
export { other as name };
";

    fn plan() -> Plan {
        Plan {
            source_type: SourceType::mjs(),
            compress: Some(CompressOptions::smallest()),
            mangle: Some(MangleOptions::default()),
            codegen: CodegenOptions::minify(),
            sourcemap: true,
            may_split: true,
        }
    }

    #[test]
    fn parts_find_each_other() {
        let parts = parse_parts(CHUNK, &cuts(CHUNK, 1), SourceType::mjs()).unwrap();
        assert_eq!(parts.len(), 5, "imports, three modules, exports");
        let minified = minify_parts(parts, &plan());
        let ast = EcmaCompiler::parse("", minified.code.as_str(), SourceType::mjs()).unwrap();
        let scoping = SemanticBuilder::new().build(ast.program()).semantic.into_scoping();
        let free: Vec<&str> = scoping.root_unresolved_references().keys().map(|name| name.as_str()).collect();
        assert_eq!(free, ["console"], "{}", minified.code);
        for gone in ["counter", "outside", "inner", "region a"] {
            assert!(!minified.code.contains(gone), "{gone} in {}", minified.code);
        }
        // Names that others see stay.
        assert!(minified.code.contains("shared:") && minified.code.contains(" as name"), "{}", minified.code);
        let map = minified.map.unwrap();
        assert!(map.get_tokens().any(|token| token.get_src_line() == 7), "positions are those of the whole chunk");
    }

    #[test]
    fn one_large_module_is_not_divided() {
        assert!(is_mostly_one(&[0], 100));
        assert!(is_mostly_one(&[0, 5, 98], 100));
        assert!(!is_mostly_one(&[0, 20, 98], 100));
    }

    #[test]
    fn names_of_a_part() {
        let code = "import a, { b as c } from \"x\"; const { d, e: [f] } = a; { var g; let h = c; } for (var i of d) i; \
            function j(k) { var l; return k + l; } class M { static { var n; } } (() => { var o = p; })();";
        let ast = EcmaCompiler::parse("", code, SourceType::mjs()).unwrap();
        let mut names: Vec<(String, usize)> = Names::of(ast.program()).declared;
        names.sort();
        let declared: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(declared, ["M", "a", "c", "d", "f", "g", "i", "j"]);
        assert_eq!(names[3], ("d".to_string(), 2));
    }

    #[test]
    fn an_eval_sees_all_names() {
        let code = CHUNK.replace("counter++", "eval(\"counter\")");
        let parts = parse_parts(&code, &cuts(&code, 1), SourceType::mjs()).unwrap();
        let minified = minify_parts(parts, &plan());
        assert!(minified.code.contains("counter"), "{}", minified.code);
    }
}
