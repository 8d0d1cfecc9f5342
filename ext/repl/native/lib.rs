//! Family "repl": what ext/repl asks libs/transpile about the text that is typed.

use engine::{op, ops};
use transpile::repl::{self, Goal, Link, SyntaxError};

/// A syntax error: message, start, end (UTF-16 code units), and whether more input could make the text valid.
type Mistake = (String, u32, u32, bool);

fn mistake(error: SyntaxError) -> Mistake {
    (error.message, error.start, error.end, error.incomplete)
}

/// What comes of a text, and what is wrong with it.
fn either<T>(result: Result<T, SyntaxError>) -> (Option<T>, Option<Mistake>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(mistake(error))),
    }
}

/// The first mistake of a script, or of the body of an async function (`is_async`); undefined if there is none.
#[op]
fn check(code: String, is_async: bool) -> Option<Mistake> {
    let goal = if is_async { Goal::AsyncBody } else { Goal::Script };
    repl::check(&code, goal).err().map(mistake)
}

/// Code with `await` at the top level as a script, and the first mistake. Neither if there is no such `await`, or a `return`.
#[op]
fn top_level_await(code: String) -> (Option<String>, Option<Mistake>) {
    let (script, mistake) = either(repl::top_level_await(&code));
    (script.flatten(), mistake)
}

/// Input of `bao repl` as JavaScript that may run again and again, or the first mistake.
#[op]
fn session_script(code: String) -> (Option<String>, Option<Mistake>) {
    either(repl::session_script(&code))
}

/// The import declarations of a text as statements with `import()`; undefined if it has mistakes.
#[op]
fn dynamic_imports(code: String) -> Option<String> {
    repl::dynamic_imports(&code).ok()
}

/// The end of a line that can be evaluated for completion; undefined if there is none.
#[op]
fn completion_target(line: String) -> Option<String> {
    repl::completion_target(&line)
}

/// The steps of a chain of properties: a kind ("variable", "name" or "computed") and a text by turns. Empty if the code is no
/// such chain, undefined if it has mistakes.
#[op]
fn member_chain(code: String) -> Option<Vec<String>> {
    let steps = repl::member_chain(&code)?.into_iter().flat_map(|link| match link {
        Link::Variable(name) => ["variable".to_owned(), name],
        Link::Name(name) => ["name".to_owned(), name],
        Link::Computed(code) => ["computed".to_owned(), code],
    });
    Some(steps.collect())
}

/// The names that `let`, `const`, `using` and `class` declare at the top level; undefined if the text has mistakes.
#[op]
fn lexical_names(code: String) -> Option<Vec<String>> {
    repl::lexical_names(&code)
}

ops!(pub fn family "repl" {
    check, top_level_await, session_script, dynamic_imports, completion_target, member_chain, lexical_names
});
