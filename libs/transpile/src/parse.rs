//! Source text to syntax tree.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

use crate::depth::has_few_guesses;
use crate::diagnostic::Diagnostic;
use crate::options::{Loader, ModuleHint};

/// What is said of a text that is not parsed because of [`has_few_guesses`].
pub const TOO_MANY_GUESSES: &str =
    "The source nests type arguments or constraints of \"infer\" too deeply to be parsed";

/// A syntax tree, and whether the text has ES module syntax.
pub(crate) struct Parsed<'a> {
    pub program: Program<'a>,
    /// Static `import`/`export` or `import.meta`, or `await` outside functions. For TypeScript, imports of
    /// types count too.
    pub module_syntax: bool,
}

/// Parses `source`. `extension` is the hint of the file name; the package's type does not matter for parsing.
///
/// A text without module syntax is parsed as a script (sloppy mode, `return` allowed at top level). If that
/// fails and it could have top-level `await`, it is parsed as a module, as Node and Bun do.
pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    path: &str,
    loader: Loader,
    extension: ModuleHint,
) -> Result<Parsed<'a>, Vec<Diagnostic>> {
    let base = base_of(loader);
    if base.is_typescript() && !has_few_guesses(source) {
        return Err(vec![Diagnostic::at(source, path, 0, 0, TOO_MANY_GUESSES)]);
    }
    let first = match extension {
        ModuleHint::Esm => base.with_module(true),
        _ => base.with_unambiguous(true),
    };
    let outcome = parse_as(allocator, source, first);
    if outcome.diagnostics.is_empty() {
        let module_syntax = outcome.module_record.has_module_syntax;
        return Ok(Parsed { program: outcome.program, module_syntax });
    }
    if extension != ModuleHint::Esm && !outcome.module_record.has_module_syntax {
        let has = |word: &str| memchr::memmem::find(source.as_bytes(), word.as_bytes()).is_some();
        if has("await") {
            let second = parse_as(allocator, source, base.with_module(true));
            if second.diagnostics.is_empty() {
                return Ok(Parsed { program: second.program, module_syntax: true });
            }
        }
        // The body of a CommonJS module is that of a function.
        if has("new.target") {
            let second = parse_as(allocator, source, base.with_commonjs(true));
            if second.diagnostics.is_empty() {
                return Ok(Parsed { program: second.program, module_syntax: false });
            }
        }
    }
    Err(Diagnostic::from_oxc_all(source, path, &outcome.diagnostics))
}

/// Parses `source` as a module, which it is if it has an `await` that a script has only as a name. `None` if it is no module.
pub(crate) fn parse_waiting<'a>(allocator: &'a Allocator, source: &'a str, loader: Loader) -> Option<Parsed<'a>> {
    let base = base_of(loader);
    if base.is_typescript() && !has_few_guesses(source) {
        return None;
    }
    let outcome = parse_as(allocator, source, base.with_module(true));
    outcome.diagnostics.is_empty().then_some(Parsed { program: outcome.program, module_syntax: true })
}

fn base_of(loader: Loader) -> SourceType {
    match loader {
        Loader::Js | Loader::Jsx => SourceType::unambiguous().with_jsx(true),
        Loader::Ts => SourceType::ts(),
        Loader::Tsx => SourceType::tsx(),
    }
}

fn parse_as<'a>(allocator: &'a Allocator, source: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions { allow_return_outside_function: !source_type.is_module(), ..ParseOptions::default() };
    Parser::new(allocator, source, source_type).with_options(options).parse()
}
