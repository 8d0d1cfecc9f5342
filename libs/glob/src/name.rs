//! One name of a path against a pattern without slashes, as minimatch has it.

use std::borrow::Cow;

use crate::automaton::{Automaton, Negation};
use crate::backtrack;
use crate::parse::{Node, Repeat, Syntax, parse};
use crate::path::PathOptions;

/// A compiled pattern for one name, with something in it that is no plain text.
#[derive(Debug)]
pub struct Name {
    program: Program,
    nocase: bool,
    dot: bool,
    /// "." and ".." are no matches, whatever stands for them.
    no_dots: bool,
}

#[derive(Debug)]
enum Program {
    /// `*`: all names, besides the empty one.
    Any,
    /// Without groups; the flag says that it begins with a wildcard.
    Plain(Vec<Node>, bool),
    Groups(Automaton),
}

/// The text in lower case.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || byte >= 0x80) {
        text.chars().flat_map(char::to_lowercase).collect::<String>().into()
    } else {
        text.into()
    }
}

impl Name {
    /// Compiles the text of one segment (no slashes in it); `Err` has the name that is the only one to match.
    pub fn compile(text: &str, options: PathOptions) -> Result<Self, String> {
        if !text.contains(['*', '?', '[', '+', '@', '!', '\\']) {
            return Err(text.to_owned());
        }
        let syntax = Syntax { escapes: !options.backslash_separates, path: false, nocase: false };
        let nodes = parse(text, syntax);
        match &nodes[..] {
            [] => return Err(String::new()),
            [Node::Literal(only)] => return Err(String::from_utf8_lossy(only).into_owned()),
            // `@()` on its own is no group.
            [Node::Group(repeat, alternatives)]
                if *repeat != Repeat::Not && matches!(&alternatives[..], [only] if only.is_empty()) =>
            {
                return Err(text.to_owned());
            }
            _ => {}
        }
        let nodes = if options.nocase { parse(text, Syntax { nocase: true, ..syntax }) } else { nodes };
        let no_dots = match &nodes[..] {
            [Node::Literal(start), Node::Group(..), ..] => start != b"." && start != b"..",
            [Node::Group(..), ..] => false,
            _ => true,
        };
        let program = if nodes == [Node::Star] {
            Program::Any
        } else if nodes.iter().any(|node| matches!(node, Node::Group(..))) {
            Program::Groups(Automaton::new(&nodes, Negation::Ahead))
        } else {
            let wild = !matches!(nodes.first(), Some(Node::Literal(_)));
            Program::Plain(nodes, wild)
        };
        Ok(Name { program, nocase: options.nocase, dot: options.dot, no_dots })
    }

    /// Whether it matches a whole name. A wildcard at its start matches no hidden name.
    pub fn matches(&self, name: &str) -> bool {
        let is_dots = matches!(name, "." | "..");
        if self.no_dots && is_dots {
            return false;
        }
        let hidden = if self.dot { is_dots } else { name.starts_with('.') };
        let folded = if self.nocase { fold(name) } else { name.into() };
        match &self.program {
            Program::Any => !name.is_empty() && !hidden,
            Program::Plain(nodes, wild) => !(*wild && hidden) && backtrack::matches(nodes, folded.as_bytes()),
            Program::Groups(automaton) => automaton.matches(folded.as_bytes(), hidden),
        }
    }
}
