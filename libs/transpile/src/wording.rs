//! Syntax errors in Bun's words. The parser's own are kept where Bun has none for the same mistake.

use oxc_allocator::Allocator;
use oxc_ast::ast::{AwaitExpression, CallExpression, ExportSpecifier, Expression, ImportExpression, TryStatement};
use oxc_ast_visit::{Visit, walk};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::{SourceType, Span};

use crate::depth::{self, Nesting, Walk};
use crate::options::Loader;
use crate::repl::token_at;

/// A syntax error: its text, the bytes that it is about, and what else there is to say.
#[derive(Debug, PartialEq, Eq)]
pub struct Worded {
    pub text: String,
    pub start: usize,
    pub end: usize,
    pub notes: Vec<String>,
}

/// Parses and looks on a stack that suffices; `None` if none does, or if what may be TypeScript (`types`) asks for too many guesses.
fn on_stack<T: Send>(source: &str, types: bool, work: impl FnOnce() -> T + Send) -> Option<T> {
    if types && !depth::has_few_guesses(source) {
        return None;
    }
    depth::run(Nesting::of(source), Walk::Recursive, work)
}

/// The first syntax error of a text whose words are `message` of the parser; `None` if the parser does not say it again, or the text
/// is nested too deeply to be parsed.
pub fn of_syntax(source: &str, path: &str, message: &str) -> Option<Worded> {
    let types = path.ends_with("ts") || path.ends_with("tsx");
    on_stack(source, types, || find_syntax(source, path, message)).flatten()
}

fn find_syntax(source: &str, path: &str, message: &str) -> Option<Worded> {
    let allocator = Allocator::default();
    let extension = path.rsplit('.').next().unwrap_or_default();
    let types = match extension {
        "ts" | "mts" | "cts" => [SourceType::ts(), SourceType::tsx()],
        "tsx" => [SourceType::tsx(), SourceType::ts()],
        "mjs" | "cjs" => [SourceType::mjs(), SourceType::cjs()],
        _ => [SourceType::jsx().with_module(true), SourceType::cjs()],
    };
    types.into_iter().find_map(|source_type| {
        let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, source, source_type).with_options(options).parse();
        let found = parsed.diagnostics.iter().find(|error| error.message == message).map(|error| worded(source, error));
        found.or_else(|| {
            let checked = SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program);
            checked.diagnostics.iter().find(|error| error.message == message).map(|error| worded(source, error))
        })
    })
}

/// All mistakes of a text: those of the parser, or else the early errors that it leaves to others. Names that TypeScript may take for
/// types are none. Nothing of a text that is nested too deeply to be parsed.
pub fn errors_of(source: &str, loader: Loader) -> Vec<Worded> {
    on_stack(source, loader.is_typescript(), || all_errors(source, loader)).unwrap_or_default()
}

fn all_errors(source: &str, loader: Loader) -> Vec<Worded> {
    let allocator = Allocator::default();
    let base = match loader {
        Loader::Js | Loader::Jsx => SourceType::unambiguous().with_jsx(true),
        Loader::Ts => SourceType::ts().with_unambiguous(true),
        Loader::Tsx => SourceType::tsx().with_unambiguous(true),
    };
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, base).with_options(options).parse();
    if !parsed.diagnostics.is_empty() {
        return parsed.diagnostics.iter().map(|error| worded(source, error)).collect();
    }
    let checked = SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program);
    let errors = checked.diagnostics.iter().filter(|error| is_early(error, loader));
    errors.map(|error| worded(source, error)).collect()
}

/// Whether an error of names is one for Bun, too, where each module is looked at alone.
pub(crate) fn is_early(error: &OxcDiagnostic, loader: Loader) -> bool {
    let message = error.message.as_ref();
    message.ends_with("has already been declared")
        || is_about_reserved(message)
        || message.ends_with("is not defined") && !loader.is_typescript()
}

/// Whether an error is about a name that strict code must not have.
fn is_about_reserved(message: &str) -> bool {
    message.starts_with("The keyword '") && message.ends_with("' is reserved")
}

/// Where a module passes a name on, as bytes; `None` if it does not, or cannot be parsed.
pub fn export_of(source: &str, path: &str, name: &str) -> Option<(usize, usize)> {
    struct Search<'n> {
        name: &'n str,
        found: Option<(usize, usize)>,
    }
    impl<'a> Visit<'a> for Search<'_> {
        fn visit_export_specifier(&mut self, specifier: &ExportSpecifier<'a>) {
            if specifier.exported.name() == self.name || specifier.local.name() == self.name {
                let span = specifier.span;
                self.found.get_or_insert((span.start as usize, span.end as usize));
            }
        }
    }
    on_stack(source, true, || {
        let allocator = Allocator::default();
        let source_type = if path.ends_with("ts") { SourceType::ts() } else { SourceType::tsx() };
        let parsed = Parser::new(&allocator, source, source_type).parse();
        let mut search = Search { name, found: None };
        search.visit_program(&parsed.program);
        search.found
    })
    .flatten()
}

/// What a message calls a token.
fn shown(token: &str) -> String {
    if token.is_empty() { "end of file".to_string() } else { format!("\"{token}\"") }
}

/// The text between the first two quotes of a message.
fn quoted(message: &str) -> &str {
    message.split(['`', '\'']).nth(1).unwrap_or_default()
}

/// Whether a text has a tag, so that a backslash outside of strings is most likely in an attribute.
fn has_tag(source: &str) -> bool {
    source.contains("/>") || source.contains("</")
}

/// The name that begins at a position, or ends before it.
fn name_at(source: &str, position: usize) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let Some((before, rest)) = source.split_at_checked(position) else { return "" };
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    if end > 0 {
        return &rest[..end];
    }
    let before = before.trim_end();
    &before[before.trim_end_matches(is_part).len()..]
}

fn worded(source: &str, error: &OxcDiagnostic) -> Worded {
    let labels: Vec<(usize, usize)> = error
        .labels
        .iter()
        .map(|label| (label.offset() as usize, label.offset() as usize + label.len() as usize))
        .collect();
    let (start, end) = labels.first().copied().unwrap_or_default();
    let position = u32::try_from(start).unwrap_or(u32::MAX);
    let (token_start, token) = if start <= source.len() { token_at(source, position) } else { (position, "") };
    let at_token = |text: String| {
        let start = token_start as usize;
        Worded { text, start, end: start + token.len(), notes: Vec::new() }
    };
    let message = error.message.as_ref();
    let says = |text: &str| Worded { text: text.to_string(), start, end, notes: Vec::new() };
    let expected = |what: &str| at_token(format!("Expected {what} but found {}", shown(token)));
    match message {
        "Unexpected token" | "Unexpected end of file" if token.is_empty() => at_token("Unexpected end of file".into()),
        "Unexpected token" if token == "interface" => at_token("Unexpected \"interface\"".into()),
        "Unexpected token" => at_token(format!("Unexpected {token}")),
        "`await` is only allowed within async functions and at the top levels of modules" => Worded {
            text: "\"await\" can only be used inside an \"async\" function".to_string(),
            start,
            end: start + "await".len(),
            notes: Vec::new(),
        },
        "Invalid Unicode escape sequence" | "Invalid escape sequence"
            if source.get(start..).is_some_and(|rest| rest.starts_with(['\\', '"', '\''])) && has_tag(source) =>
        {
            says("Invalid JSX escape - use XML entity codes quotes or pass a JavaScript string instead")
        }
        "Unexpected JSX expression" => says("Unexpected <"),
        "Unterminated string" => says("Unterminated string literal"),
        "Unterminated multiline comment" => says("Expected \"*/\" to terminate multi-line comment"),
        "Expected a semicolon or an implicit semicolon after a statement, but found none" => expected("\";\""),
        "Missing initializer in const declaration" => {
            says(&format!("The constant \"{}\" must be initialized", name_at(source, start)))
        }
        "Identifier expected." => expected("identifier"),
        _ if message.starts_with("Identifier expected. ") => expected("identifier"),
        _ if message.starts_with("Identifier `") && message.ends_with("has already been declared") => {
            let name = quoted(message);
            let (start, end) = labels.get(1).copied().unwrap_or((start, end));
            Worded {
                text: format!("\"{name}\" has already been declared"),
                start,
                end,
                notes: vec![format!("\"{name}\" was originally declared here")],
            }
        }
        "Export declarations are not permitted in a namespace." => {
            let rest = source.get(start..).and_then(|text| text.strip_prefix("export")).unwrap_or_default();
            says(&format!("Unexpected {}", rest.trim_start().chars().next().unwrap_or('{')))
        }
        _ if is_about_reserved(message) => {
            says(&format!("\"{}\" is a reserved word and cannot be used in strict mode", quoted(message)))
        }
        _ if message.starts_with("Export '") && message.ends_with("is not defined") => {
            says(&format!("\"{}\" is not declared in this file", quoted(message)))
        }
        _ if message.starts_with("Expected `") && message.contains("but found") => {
            // Of "`,` or `)`" Bun names what would end the list.
            let before = message.split(" but found").next().unwrap_or_default();
            let what = before.rsplit('`').nth(1).unwrap_or_default();
            expected(&format!("\"{what}\""))
        }
        _ => says(message),
    }
}

/// Whether the call with the specifier at an offset (in UTF-16 code units) may fail: it stands in the block of a `try`, or
/// its promise has a `catch` or a second function of `then`.
pub fn is_guarded(source: &str, path: &str, offset: usize) -> bool {
    let mut units = 0;
    let at = source.char_indices().find_map(|(at, c)| {
        if units >= offset {
            return Some(at);
        }
        units += c.len_utf16();
        None
    });
    let at = u32::try_from(at.unwrap_or(source.len())).unwrap_or(u32::MAX);
    let found = on_stack(source, true, || {
        let allocator = Allocator::default();
        let source_type = if path.ends_with("ts") { SourceType::ts() } else { SourceType::tsx() };
        let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, source, source_type).with_options(options).parse();
        let mut search = Guards { at, is_in_try: false, is_import: false, is_awaited: false, is_caught: false };
        search.visit_program(&parsed.program);
        // What an `import()` in a `try` rejects with is caught there only if it is awaited there.
        search.is_caught || search.is_in_try && (!search.is_import || search.is_awaited)
    });
    found.unwrap_or_default()
}

/// What stands around a position.
struct Guards {
    at: u32,
    is_in_try: bool,
    is_import: bool,
    is_awaited: bool,
    is_caught: bool,
}

impl Guards {
    fn is_in(&self, span: Span) -> bool {
        span.start <= self.at && self.at < span.end
    }
}

impl<'a> Visit<'a> for Guards {
    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        self.is_in_try |= statement.handler.is_some() && self.is_in(statement.block.span);
        walk::walk_try_statement(self, statement);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.is_import |= self.is_in(import.span);
        walk::walk_import_expression(self, import);
    }

    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        self.is_awaited |=
            matches!(&expression.argument, Expression::ImportExpression(import) if self.is_in(import.span));
        walk::walk_await_expression(self, expression);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && matches!(&member.object, Expression::ImportExpression(import) if self.is_in(import.span))
        {
            self.is_caught |= match member.property.name.as_str() {
                "catch" => true,
                "then" => call.arguments.len() > 1,
                _ => false,
            };
        }
        walk::walk_call_expression(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_fail_is_guarded() {
        for (source, at, expected) in [
            ("try { require('x') } catch {}", 14, true),
            ("try {} catch { require('x') }", 23, false),
            ("require('x')", 8, false),
            ("import('x').catch(() => {})", 7, true),
            ("import('x').then(f)", 7, false),
            ("try { x = import('x') } catch {}", 17, false),
            ("try { x = await import('x') } catch {}", 23, true),
        ] {
            assert_eq!(is_guarded(source, "a.js", at), expected, "{source}");
        }
    }

    #[test]
    fn names_that_are_passed_on_have_a_place() {
        let source = "import { b } from './b';\nexport { a, b as c } from './x';";
        assert_eq!(export_of(source, "a.js", "c"), Some((37, 43)));
        assert_eq!(export_of(source, "a.js", "d"), None);
    }

    fn first(source: &str) -> (String, usize) {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, source, SourceType::jsx()).parse();
        let found = worded(source, &parsed.diagnostics[0]);
        (found.text, found.start)
    }

    #[test]
    fn errors_are_in_the_words_of_bun() {
        // Recorded from Bun 1.4.5.
        for (source, text, start) in [
            ("foo bar", "Expected \";\" but found \"bar\"", 4),
            ("if (a", "Expected \")\" but found end of file", 5),
            ("const z = ;", "Unexpected ;", 10),
            ("x ? y", "Expected \":\" but found end of file", 5),
        ] {
            assert_eq!(first(source), (text.to_string(), start), "{source}");
        }
    }

    #[test]
    fn deep_texts_have_no_errors_of_their_own() {
        for source in ["[".repeat(100_000), format!("let a = {}{}; let a;", "[".repeat(20_000), "]".repeat(20_000))] {
            assert!(of_syntax(&source, "a.js", "none").is_none());
            assert_eq!(export_of(&source, "a.js", "a"), None);
            assert!(!is_guarded(&source, "a.js", 1));
        }
        assert_eq!(errors_of(&"[".repeat(100_000), Loader::Js), []);
    }

    #[test]
    fn constants_have_their_name() {
        for source in ["const x;", "\u{feff}const x;", "1;\u{a0}const x\u{a0};", "const é = 1, x;"] {
            let found = errors_of(source, Loader::Js);
            assert_eq!(found[0].text, "The constant \"x\" must be initialized", "{source:?}");
        }
    }

    #[test]
    fn a_second_declaration_names_the_first() {
        let found = of_syntax("let a = 1;\nlet a = 2;", "a.js", "Identifier `a` has already been declared").unwrap();
        assert_eq!((found.text.as_str(), found.start), ("\"a\" has already been declared", 15));
    }
}
