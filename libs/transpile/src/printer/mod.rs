//! Prints a program in the form that `Bun.Transpiler` has, which people compare in snapshots
//! (https://bun.com/docs/runtime/transpiler): objects and lists stay on one line if the source has them so, bodies without braces go to
//! a line of their own, and a blank line stands before classes and lists of exports.
//!
//! The program is JavaScript: types, JSX and decorators are gone. Comments are not printed.

use oxc_ast::ast::*;
use oxc_semantic::Scoping;
use oxc_span::{GetSpan, Span};

mod classes;
mod expressions;
mod functions;
mod literals;
mod modules;
mod patterns;
mod statements;
#[cfg(test)]
mod tests;

/// How tightly an operator around an expression binds; an expression that binds no tighter gets parentheses.
type Level = u8;

/// The levels by their names, which are those of [`oxc_syntax::precedence::Precedence`].
mod level {
    use oxc_syntax::precedence::Precedence;

    use super::Level;

    pub(super) const LOWEST: Level = Precedence::Lowest as Level;
    pub(super) const COMMA: Level = Precedence::Comma as Level;
    pub(super) const YIELD: Level = Precedence::Yield as Level;
    pub(super) const ASSIGN: Level = Precedence::Assign as Level;
    pub(super) const CONDITIONAL: Level = Precedence::Conditional as Level;
    pub(super) const COMPARE: Level = Precedence::Compare as Level;
    pub(super) const MULTIPLY: Level = Precedence::Multiply as Level;
    pub(super) const EXPONENT: Level = Precedence::Exponentiation as Level;
    pub(super) const PREFIX: Level = Precedence::Prefix as Level;
    pub(super) const POSTFIX: Level = Precedence::Postfix as Level;
    pub(super) const NEW: Level = Precedence::New as Level;
    pub(super) const CALL: Level = Precedence::Call as Level;
}

/// What an expression must not be because of where it stands.
#[derive(Clone, Copy, Default)]
struct Limits {
    /// An `in` would end the head of a `for` loop.
    no_in: bool,
    /// A call would end what `new` is applied to.
    no_call: bool,
}

const FREE: Limits = Limits { no_in: false, no_call: false };

impl Limits {
    /// Only the limit about `in`, for parts that calls may stand in.
    fn only_in(self) -> Limits {
        Limits { no_in: self.no_in, no_call: false }
    }
}

/// The statement before, by which blank lines are put.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    Nothing,
    /// A list of exports, or an `export default`.
    Exports,
    Other,
}

/// No place in the output.
const NOWHERE: usize = usize::MAX;

struct Printer<'p> {
    out: String,
    /// The text that the spans of the program are about.
    source: &'p str,
    /// New names of variables.
    names: Option<&'p Scoping>,
    indent: usize,
    previous: Previous,
    /// Where the current expression statement, body of an arrow function, value of `export default` and loop head begin: an object, a
    /// function or a class there would be taken for something else.
    statement_start: usize,
    arrow_start: usize,
    default_start: usize,
    loop_start: usize,
    /// Where a number ends, whose dot would be taken for its decimal point.
    number_end: usize,
}

/// The text of `program`, whose spans are about `source`; `names` has the new names of its variables.
pub(crate) fn print(program: &Program<'_>, source: &str, names: Option<&Scoping>) -> String {
    let mut printer = Printer {
        out: String::with_capacity(source.len() + source.len() / 8),
        source,
        names,
        indent: 0,
        previous: Previous::Nothing,
        statement_start: NOWHERE,
        arrow_start: NOWHERE,
        default_start: NOWHERE,
        loop_start: NOWHERE,
        number_end: NOWHERE,
    };
    printer.directives(&program.directives);
    printer.body_statements(&program.body);
    printer.out
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line_end(&mut self) {
        self.out.push('\n');
    }

    fn statement_end(&mut self) {
        self.out.push_str(";\n");
    }

    fn indentation(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// A word, with a space behind it.
    fn word(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push(' ');
    }

    /// Prints a sign; two equal ones in a row would be another operator.
    fn sign(&mut self, sign: &str) {
        if self.out.ends_with(sign) && matches!(sign, "+" | "-" | "++" | "--")
            || (sign == "--" && self.out.ends_with('-'))
            || (sign == "++" && self.out.ends_with('+'))
        {
            self.out.push(' ');
        }
        self.out.push_str(sign);
    }

    /// Whether what begins here would be taken for a declaration or a block.
    fn begins_statement(&self) -> bool {
        let here = self.out.len();
        self.statement_start == here || self.default_start == here
    }

    /// Whether the source has `text` at `span`.
    fn is_in_source(&self, span: Span, text: &str) -> bool {
        self.source.as_bytes().get(span.start as usize..span.end as usize) == Some(text.as_bytes())
    }

    /// Whether `parts` of what stands in brackets at `span` are on one line in the source. What is not of the source has one line if
    /// `is_short`.
    fn is_on_one_line(&self, span: Span, parts: impl Iterator<Item = Span>, is_short: bool) -> bool {
        if span.is_unspanned() {
            return is_short;
        }
        let has_line = |from: u32, to: u32| {
            self.source
                .as_bytes()
                .get(from as usize..to as usize)
                .is_some_and(|gap| memchr::memchr(b'\n', gap).is_some())
        };
        let mut end = span.start;
        for part in parts {
            // A part that was made for this place has no gap before it.
            if part.is_unspanned() || part.start < end || part.end > span.end {
                continue;
            }
            if has_line(end, part.start) {
                return false;
            }
            end = part.end;
        }
        !has_line(end, span.end)
    }

    /// Prints `items` between brackets, with a line for each unless they are on one line; `padding` stands inside of the brackets then.
    /// `ends_open`: a comma follows the last item, which is a hole.
    fn list<T>(
        &mut self,
        brackets: [&str; 2],
        padding: &str,
        [one_line, ends_open]: [bool; 2],
        items: impl Iterator<Item = T>,
        mut print: impl FnMut(&mut Self, T),
    ) {
        self.put(brackets[0]);
        let mut is_empty = true;
        if !one_line {
            self.indent += 1;
        }
        for item in items {
            if !is_empty {
                self.put(",");
            }
            if !one_line {
                self.line_end();
                self.indentation();
            } else if is_empty {
                self.put(padding);
            } else {
                self.put(" ");
            }
            is_empty = false;
            print(self, item);
        }
        if ends_open {
            self.put(",");
        }
        if !one_line {
            self.indent -= 1;
            if !is_empty {
                self.line_end();
                self.indentation();
            }
        } else if !is_empty {
            self.put(padding);
        }
        self.put(brackets[1]);
    }

    fn reference(&mut self, it: &IdentifierReference<'_>) {
        let renamed = self.names.and_then(|names| {
            let symbol = names.get_reference(it.reference_id.get()?).symbol_id()?;
            Some(names.symbol_name(symbol))
        });
        self.out.push_str(renamed.unwrap_or(it.name.as_str()));
    }

    fn binding_name(&mut self, it: &BindingIdentifier<'_>) {
        let renamed = self.names.and_then(|names| Some(names.symbol_name(it.symbol_id.get()?)));
        self.out.push_str(renamed.unwrap_or(it.name.as_str()));
    }
}

/// The span of something, for [`Printer::is_on_one_line`].
fn span_of(it: &impl GetSpan) -> Span {
    it.span()
}
