//! TypeScript, JSX and decorators to JavaScript that SpiderMonkey runs, and the analysis that the module loader
//! needs, in one parse.
//!
//! | entry | for |
//! |---|---|
//! | [`transpile`] | source files of programs: code, source map, [`Info`] |
//! | [`cjs_exports`] | the names that a CommonJS module exports, when an ES module imports it |
//! | [`builtin_module`] | the runtime's own modules in JavaScript, at build time |
//! | [`hoist_mocks`] | tests whose mocks come before their imports |
//! | [`find_macros`], [`expand_macros`] | calls that are made before a program runs |
//! | [`assignable_exports`] | ES modules of tests, whose exports can be mocked |
//! | [`coverage::instrument`] | source files with counters, for `bao test --coverage` |
//! | [`SourceMap`] | positions in generated code to positions in the source, also for maps of other tools |
//! | [`repl`] | what a REPL asks about the text that is typed |
//! | [`wording`] | syntax errors in Bun's words |
//! | [`data`] | JSONC, JSON5, TOML and YAML to JSON |
//!
//! How a file is treated, from cheap to expensive:
//!
//! 1. JavaScript that the engine can run stays as it is: it is parsed for its [`Info`], never printed.
//! 2. TypeScript that only has types gets them blanked out in place. All positions stay, there is no map.
//! 3. What generates code (JSX, enums, namespaces, parameter properties, decorators, replacements) goes
//!    through oxc's transformer, the decorator pass of this crate, and the printer, with a map.
//!
//! Nothing here needs the engine, keeps state between calls or reads files.

mod analyze;
mod assignable;
mod builtin;
mod cjs;
mod completion;
pub mod coverage;
pub mod data;
mod decorators;
mod depth;
mod diagnostic;
mod edits;
mod erase;
mod free;
mod full;
mod hoist;
mod hot;
mod indirect;
mod macros;
mod mistakes;
mod options;
mod parse;
#[cfg(feature = "reshape")]
mod printer;
mod quotes;
pub mod repl;
mod sourcemap;
pub mod wording;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;

pub use analyze::{FreeNames, ImportPhase, ImportRequest, Info, LiteralRequest, ModuleKind, decide_kind, may_be_esm};
pub use assignable::{assignable_exports, mentions_mocks};
pub use builtin::builtin_module;
pub use cjs::{CjsExports, cjs_exports};
pub use completion::{COMPLETION, enclose_outer_using, export_completion, has_outer_using};
pub use decorators::mentions_decorators;
pub use depth::{has_few_guesses, is_lower_than, open_brackets, with_stack_for};
pub use diagnostic::Diagnostic;
pub use free::free_names;
pub use full::{prepare_decorated, qualify_namespaces};
pub use hoist::{hoist_mocks, mentions_hoisted};
pub use hot::{Barrel, BarrelExport, Dependency, DependencyKind, HotModule, hot_module};
pub use indirect::{keep_indirect_calls, mend_minified, shorten_targets};
pub use macros::{MacroCall, MacroSource, expand_macros, find_macros, mentions_macros};
pub use mistakes::wrong_entities;
pub use options::{Decorators, Define, JsxMode, JsxOptions, Loader, ModuleHint, Options};
#[cfg(feature = "reshape")]
pub use options::{Replacement, Reshape};
pub use parse::TOO_MANY_GUESSES;
pub use quotes::prefer_quotes;
pub use sourcemap::{Original, Position, SourceMap, Token, decode_data_url, decode_mappings, source_mapping_url};

use depth::{Nesting, Walk};

/// A transpiled file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// JavaScript; `None` = the source can be used as it is.
    pub code: Option<String>,
    /// Positions of `code` in the source; `None` = lines and columns are the same.
    pub map: Option<SourceMap>,
    pub info: Info,
}

/// Turns a source text into JavaScript and analyses it.
///
/// `path` is used in diagnostics, as the source's name in the map, in `jsxDEV` calls, and, if
/// [`Options::loader`] is `None`, to choose the loader. The file is not read.
///
/// # Errors
/// Syntax errors, in source order, at most 20. Also a text that nests too deeply for any stack, and
/// TypeScript that cannot be transformed file by file.
pub fn transpile(source: &str, path: &str, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    Transpiler::new().transpile(source, path, options)
}

/// [`transpile`] for many files: keeps the memory of syntax trees for the next file.
#[derive(Default)]
pub struct Transpiler {
    allocator: Allocator,
}

/// Memory for syntax trees that a [`Transpiler`] keeps, in bytes; larger trees give theirs back.
const KEPT_MEMORY: usize = 8 << 20;

impl Transpiler {
    /// A transpiler without any memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// See [`transpile`].
    ///
    /// # Errors
    /// As [`transpile`].
    pub fn transpile(&mut self, source: &str, path: &str, options: &Options) -> Result<Output, Vec<Diagnostic>> {
        let job = Job::new(source, path, options);
        let nesting = Nesting::of(source);
        // Whether the work is recursive only shows after parsing, and a long chain is no reason to refuse plain
        // JavaScript.
        let first = self.run(&job, nesting, Walk::Flat, nesting);
        let result = match first {
            Err(Failure::NeedsStack) => self.run(&job, nesting, Walk::Recursive, Nesting::default()),
            other => other,
        };
        result.map_err(|failure| match failure {
            Failure::Errors(errors) => errors,
            Failure::NeedsStack => unreachable!("a run without nesting needs none"),
        })
    }

    /// Runs a job on a stack for `nesting`; `seen` is what the job believes to run on.
    fn run(&mut self, job: &Job<'_>, nesting: Nesting, walk: Walk, seen: Nesting) -> Result<Output, Failure> {
        let allocator = &mut self.allocator;
        let result = depth::run(nesting, walk, move || job.run(allocator, seen));
        if self.allocator.capacity() > KEPT_MEMORY {
            self.allocator = Allocator::default();
        } else {
            self.allocator.reset();
        }
        result.unwrap_or_else(|| {
            // What engines and Bun say of code that is too deep for them.
            let message = "Maximum call stack size exceeded: the source nests too deeply to be parsed";
            Err(Failure::Errors(vec![Diagnostic::at(job.source, job.path, 0, 0, message)]))
        })
    }
}

enum Failure {
    Errors(Vec<Diagnostic>),
    /// Oxc's recursive walks are needed, and the chains of the text are long.
    NeedsStack,
}

struct Job<'s> {
    source: &'s str,
    path: &'s str,
    options: &'s Options,
    loader: Loader,
    extension: ModuleHint,
    package: ModuleHint,
}

impl<'s> Job<'s> {
    fn new(source: &'s str, path: &'s str, options: &'s Options) -> Self {
        let (loader, extension) = options.resolve(path);
        Self { source, path, options, loader, extension, package: options.package_type }
    }

    /// `allocator` is empty. (It is borrowed mutably because it may move to another thread.)
    fn run(&self, allocator: &mut Allocator, nesting: Nesting) -> Result<Output, Failure> {
        let allocator = &*allocator;
        let mut parsed =
            parse::parse(allocator, self.source, self.path, self.loader, self.extension).map_err(Failure::Errors)?;
        let elide = self.loader.is_typescript() && !self.options.verbatim_module_syntax;
        let mut facts = analyze::scan(&parsed.program, elide);
        if facts.named_await
            && self.extension == ModuleHint::Unknown
            && let Some(module) = parse::parse_waiting(allocator, self.source, self.loader)
        {
            parsed = module;
            facts = analyze::scan(&parsed.program, elide);
        }
        if facts.jsx {
            let wrong = wrong_entities(&parsed.program);
            if !wrong.is_empty() {
                let told = |(span, text): (oxc_span::Span, String)| {
                    Diagnostic::at(self.source, self.path, span.start, span.end, text)
                };
                return Err(Failure::Errors(wrong.into_iter().map(told).collect()));
            }
        }
        if facts.jsx && elide && self.options.jsx.mode == JsxMode::Preserve {
            let names = [self.options.jsx.factory.as_deref(), self.options.jsx.fragment.as_deref(), Some("React")];
            facts.used_imports.extend(names.iter().flatten().map(|name| name.split('.').next().unwrap_or(name)));
        }
        let program = &mut parsed.program;
        let asserts = erase::update_attributes(program);
        let keeps = |name: &str| !elide || facts.used_imports.contains(name);
        let requests = analyze::collect_requests(program, self.options.verbatim_module_syntax, keeps);
        let info = self.info(program, &facts, requests, parsed.module_syntax);
        if self.needs_print(&facts) {
            if nesting.chain > depth::INLINE_LEVELS {
                return Err(Failure::NeedsStack);
            }
            return self.print(allocator, program, &facts, info).map_err(Failure::Errors);
        }
        // As long as the word that they replace: positions stay.
        let with = |mut edits: edits::Edits| {
            asserts.iter().for_each(|word| edits.replace(*word, word + 6, "with  "));
            edits
        };
        if !self.loader.is_typescript() || self.options.only_decorators {
            let edits = with(edits::Edits::default());
            let code = (!edits.is_empty()).then(|| edits.apply(self.source));
            return Ok(Output { code, map: None, info });
        }
        let import_use = erase::ImportUse { used: &facts.used_imports, verbatim: self.options.verbatim_module_syntax };
        match erase::erase(program, import_use).map(with) {
            Some(edits) if edits.is_empty() => Ok(Output { code: None, map: None, info }),
            Some(edits) => Ok(Output { code: Some(edits.apply(self.source)), map: None, info }),
            None if nesting.chain > depth::INLINE_LEVELS => Err(Failure::NeedsStack),
            None => self.print(allocator, program, &facts, info).map_err(Failure::Errors),
        }
    }

    fn info(
        &self,
        program: &Program<'_>,
        facts: &analyze::Facts<'_>,
        requests: analyze::Requests,
        module_syntax: bool,
    ) -> Info {
        let declarations = !requests.imports.is_empty() || requests.has_exports;
        // TypeScript may lose all of its module syntax with its types.
        // `emitDecoratorMetadata` keeps imports that stand in the types of decorated members only, which is seen when they are lowered.
        let has_metadata =
            facts.decorators && matches!(self.options.decorators, Decorators::Legacy { emit_metadata: true, .. });
        let left = if self.loader.is_typescript() && !has_metadata { declarations } else { module_syntax };
        let shadows_wrapper = facts.redeclares_wrapper && self.extension == ModuleHint::Unknown;
        let esm_syntax = left || facts.import_meta || facts.top_level_await || shadows_wrapper;
        let kind = decide_kind(esm_syntax, facts.free, self.extension, self.package);
        let cjs_exports = (self.options.cjs_exports && kind == ModuleKind::Cjs).then(|| cjs::detect(program));
        Info {
            kind,
            esm_syntax,
            import_meta: facts.import_meta,
            top_level_await: facts.top_level_await,
            free: facts.free,
            hashbang: program.hashbang.is_some(),
            use_strict: program.directives.iter().any(|directive| directive.is_use_strict()),
            imports: requests.imports,
            exports: requests.exports,
            dynamic_imports: facts.dynamic_imports.clone(),
            requires: facts.requires.clone(),
            cjs_exports,
        }
    }

    /// Whether blanking does not suffice.
    fn needs_print(&self, facts: &analyze::Facts<'_>) -> bool {
        let options = self.options;
        let typescript = self.loader.is_typescript();
        if options.only_decorators {
            return facts.decorators || facts.accessors;
        }
        options.reprint
            || options.refresh
            || facts.generates
            || facts.decorators
            || facts.accessors
            || (facts.jsx && options.jsx.mode != JsxMode::Preserve)
            || (facts.using && options.lower_using)
            || (facts.class_fields && typescript && !options.use_define_for_class_fields)
            || options.define.as_ref().is_some_and(|define| define.may_apply(self.source))
            || options.drop.iter().any(|name| self.source.contains(name.as_str()))
    }

    fn print<'a>(
        &self,
        allocator: &'a Allocator,
        program: &mut Program<'a>,
        facts: &analyze::Facts<'a>,
        mut info: Info,
    ) -> Result<Output, Vec<Diagnostic>> {
        let request = full::Request {
            source: self.source,
            path: self.path,
            options: self.options,
            typescript: self.loader.is_typescript(),
            kind: info.kind,
        };
        let printed = full::print(allocator, program, facts, &request)?;
        info.imports = printed.imports;
        info.exports = printed.exports;
        info.free = info.free | printed.free;
        Ok(Output { code: Some(printed.code), map: printed.map, info })
    }
}
