//! Globs as Bun has them: a path is one text.
//!
//! `?` one character of a name, `*` any number of them, `**` as a whole name: any number of names, `[a-z]` and `[!a-z]`,
//! `{a,b*}`, `{1..9}`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)`, `!(a)`, a leading `!` to negate all of it, `\` to take the next
//! character as it is. Names with a dot are like any other.

use crate::automaton::{Automaton, Negation};
use crate::backtrack;
use crate::parse::{Node, Repeat, Syntax, parse, push_literal};

/// Choices are written out as patterns without them up to this number, for those are matched faster.
const MAX_SPREAD: usize = 16;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    negated: bool,
    program: Program,
}

#[derive(Debug)]
enum Program {
    /// A path matches if one of these, which have no groups, does.
    Plain(Vec<Vec<Node>>),
    Groups(Automaton),
}

impl Pattern {
    /// Compiles a pattern. Every text is one: brackets without a partner stand for themselves.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut start = 0;
        while bytes.get(start) == Some(&b'!') && bytes.get(start + 1) != Some(&b'(') {
            start += 1;
        }
        let nodes = parse(&text[start..], Syntax { escapes: true, path: true, nocase: false });
        let program = match without_groups(&nodes) {
            Some(all) => Program::Plain(all),
            None => Program::Groups(Automaton::new(&nodes, Negation::Run)),
        };
        Pattern { negated: start % 2 == 1, program }
    }

    /// Whether the pattern matches all of `path`. Text that is not UTF-8 is allowed.
    pub fn matches(&self, path: &[u8]) -> bool {
        let found = match &self.program {
            Program::Plain(all) => all.iter().any(|nodes| backtrack::matches(nodes, path)),
            Program::Groups(automaton) => automaton.matches(path, false),
        };
        found != self.negated
    }

    /// The text that this pattern is, if it matches nothing else.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.program {
            Program::Plain(all) if !self.negated => match &all[..] {
                [nodes] => match &nodes[..] {
                    [] => Some(&[]),
                    [Node::Literal(text)] => Some(text),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it can match names that begin with a dot where those are hidden: it has to say so itself.
    pub fn begins_with_dot(&self) -> bool {
        let has_dot =
            |nodes: &Vec<Node>| matches!(nodes.first(), Some(Node::Literal(text)) if text.first() == Some(&b'.'));
        matches!(&self.program, Program::Plain(all) if all.iter().any(has_dot))
    }
}

/// The nodes with each choice written out, if that leaves few sequences and no groups.
fn without_groups(nodes: &[Node]) -> Option<Vec<Vec<Node>>> {
    let mut all: Vec<Vec<Node>> = vec![Vec::new()];
    for node in nodes {
        let choices = match node {
            Node::Group(Repeat::Once, choices) => each_without_groups(choices)?,
            Node::Group(Repeat::AtMostOnce, choices) => {
                let mut choices = each_without_groups(choices)?;
                choices.push(Vec::new());
                choices
            }
            Node::Group(..) => return None,
            node => {
                all.iter_mut().for_each(|nodes| push(nodes, node));
                continue;
            }
        };
        if choices.len() * all.len() > MAX_SPREAD {
            return None;
        }
        let join = |start: &Vec<Node>, choice: &Vec<Node>| {
            let mut joined = start.clone();
            choice.iter().for_each(|node| push(&mut joined, node));
            joined
        };
        all = all.iter().flat_map(|start| choices.iter().map(move |choice| join(start, choice))).collect();
    }
    Some(all)
}

fn each_without_groups(choices: &[Vec<Node>]) -> Option<Vec<Vec<Node>>> {
    if choices.len() > MAX_SPREAD {
        return None;
    }
    let mut all = Vec::new();
    for choice in choices {
        all.extend(without_groups(choice)?);
    }
    Some(all)
}

fn push(nodes: &mut Vec<Node>, node: &Node) {
    match node {
        Node::Literal(text) if text.is_empty() => {}
        Node::Literal(text) => push_literal(nodes, text),
        Node::Star if nodes.last() == Some(&Node::Star) => {}
        node => nodes.push(node.clone()),
    }
}

/// Whether a text has anything in it that may make [`Pattern`] match more than the text: for arguments that are names or
/// patterns.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{']) || ["@(", "+(", "!("].iter().any(|group| text.contains(group))
}

/// Replaces brace groups that span several names by as many patterns; others stay for [`Pattern`]. What results can be split
/// at its slashes into one pattern for each name.
pub fn spread(pattern: &str) -> Vec<String> {
    let mut out = Vec::new();
    spread_into(pattern, 0, &mut out);
    out
}

fn spread_into(pattern: &str, level: usize, out: &mut Vec<String>) {
    const MAX_PATTERNS: usize = 10_000;
    const MAX_NESTING: usize = 200;
    let bytes = pattern.as_bytes();
    let mut depth = 0usize;
    let mut open = 0;
    let mut commas = Vec::new();
    let mut spans = false;
    let mut at = 0;
    while at < bytes.len() && level < MAX_NESTING && out.len() < MAX_PATTERNS {
        match bytes[at] {
            b'\\' => at += 1,
            b'{' => {
                if depth == 0 {
                    (open, spans) = (at, false);
                    commas.clear();
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 && spans && !commas.is_empty() {
                    let mut from = open + 1;
                    for end in commas.drain(..).chain([at]) {
                        let one = format!("{}{}{}", &pattern[..open], &pattern[from..end], &pattern[at + 1..]);
                        spread_into(&one, level + 1, out);
                        from = end + 1;
                    }
                    return;
                }
            }
            b',' if depth == 1 => commas.push(at),
            b'/' if depth > 0 => spans = true,
            b'*' if depth > 0 && bytes.get(at + 1) == Some(&b'*') => spans = true,
            _ => {}
        }
        at += 1;
    }
    if out.len() < MAX_PATTERNS && !out.iter().any(|known| known == pattern) {
        out.push(pattern.to_owned());
    }
}
