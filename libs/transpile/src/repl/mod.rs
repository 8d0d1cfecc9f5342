//! What a REPL asks about the text that is being typed: whether it can go on, what is wrong with it, how it becomes a script
//! (top-level `await`, import declarations, declarations that come again), and what there is to complete.
//!
//! | entry | for |
//! |---|---|
//! | [`check`] | whether a text is valid, and if not, whether more text could make it so |
//! | [`top_level_await`] | code with `await` outside of functions, as a script |
//! | [`session_script`] | a line of `bao repl`: TypeScript, imports, declarations that may come again |
//! | [`immediate_script`] | the same as one expression (`Bun.Transpiler`'s `replMode`) |
//! | [`dynamic_imports`] | import declarations as statements with `import()` |
//! | [`completion_target`] | the end of a line that completion evaluates |
//! | [`member_chain`] | the names on the way to a property, to look at before evaluating |
//! | [`token_at`] | the token that a message is about |
//! | [`lexical_names`] | the names that `let`, `const` and `class` declare |
//!
//! Only the parser runs, without the rules for names and strict mode: the engine compiles what is accepted, and has the last word.

mod complete;
mod error;
mod rewrite;
#[cfg(test)]
mod tests;

use oxc_allocator::Allocator;
use oxc_ast::ast::{BindingPattern, Program, Statement};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};

use crate::depth::{self, Nesting, Walk};
use crate::parse::TOO_MANY_GUESSES;

pub use complete::{Link, completion_target, lexical_names, member_chain};
pub use error::{SyntaxError, token_at};
pub use rewrite::{dynamic_imports, immediate_script, session_script, top_level_await};

/// What a text is read as. All of them are sloppy mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// A script, as the engine compiles it.
    Script,
    /// The body of an async function: `await` and `return` are allowed.
    AsyncBody,
    /// The same with import declarations.
    Session,
}

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    JavaScript,
    TypeScript,
}

/// Whether `code` is valid JavaScript for `goal`.
///
/// # Errors
/// The first mistake in the text, see [`SyntaxError`].
pub fn check(code: &str, goal: Goal) -> Result<(), SyntaxError> {
    parse(code, goal, Language::JavaScript, |_| ())
}

/// Parses a text and calls `read` with its tree, in which there are no nodes for parentheses.
fn parse<T: Send>(
    code: &str,
    goal: Goal,
    language: Language,
    read: impl FnOnce(&Program<'_>) -> T + Send,
) -> Result<T, SyntaxError> {
    let work = || {
        let allocator = Allocator::default();
        let source_type = match language {
            Language::JavaScript => SourceType::cjs(),
            Language::TypeScript => SourceType::ts(),
        };
        // The parser takes `await` and import declarations at the top level of a module only. Strict mode is of no concern to it.
        let source_type =
            if goal == Goal::Script { source_type.with_script(true) } else { source_type.with_module(true) };
        let options = ParseOptions {
            allow_return_outside_function: goal != Goal::Script,
            preserve_parens: false,
            ..ParseOptions::default()
        };
        let parsed = Parser::new(&allocator, code, source_type).with_options(options).parse();
        if let Some(error) = SyntaxError::first(code, &parsed.diagnostics, goal) {
            return Err(error);
        }
        let declaration = parsed.program.body.iter().find(|statement| statement.is_module_declaration());
        if let Some(declaration) = declaration
            && !(goal == Goal::Session && matches!(declaration, Statement::ImportDeclaration(_)))
        {
            return Err(SyntaxError::module_syntax(code, declaration.span().start));
        }
        Ok(read(&parsed.program))
    };
    let too_deep = || Err(SyntaxError::at(code, 0, 0, "Maximum call stack size exceeded"));
    if language == Language::TypeScript && !depth::has_few_guesses(code) {
        return Err(SyntaxError::at(code, 0, 0, TOO_MANY_GUESSES));
    }
    depth::run(Nesting::of(code), Walk::Recursive, work).unwrap_or_else(too_deep)
}

/// The names that a pattern binds, in order.
fn bound_names(pattern: &BindingPattern<'_>, names: &mut Vec<String>) {
    for identifier in pattern.get_binding_identifiers() {
        names.push(identifier.name.to_string());
    }
}
