//! Matches nodes without groups: what most patterns are, and faster than an automaton.

use crate::parse::Node;

/// The first character of UTF-8 text and its length; a byte that begins none is a character of its own.
pub(crate) fn next_char(text: &[u8]) -> Option<(char, usize)> {
    let first = *text.first()?;
    let length = match first {
        0..0xc0 => return Some((char::from(first), 1)),
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    if let Some(Ok(c)) = text.get(..length).map(std::str::from_utf8) {
        return c.chars().next().map(|c| (c, length));
    }
    Some((char::from(first), 1))
}

fn char_in_name(text: &[u8]) -> Option<(char, &[u8])> {
    next_char(text).filter(|(c, _)| *c != '/').map(|(c, length)| (c, &text[length..]))
}

/// The text from the first `byte` on, if it comes in this name or is the slash after it. The byte begins a character, so
/// in UTF-8 it is nowhere inside of one.
fn skip_to(byte: u8, text: &[u8]) -> Option<&[u8]> {
    let at = memchr::memchr2(byte, b'/', text)?;
    (text[at] == byte).then(|| &text[at..])
}

/// Whether `nodes`, which have no groups, match all of `path`; the usual patterns without looking at more than its end.
pub(crate) fn matches(nodes: &[Node], path: &[u8]) -> bool {
    match nodes {
        [Node::GlobStar { last: false }, Node::Star, Node::Literal(end)] if !end.contains(&b'/') => path.ends_with(end),
        [Node::Star, Node::Literal(end)] => {
            path.strip_suffix(&end[..]).is_some_and(|start| memchr::memchr(b'/', start).is_none())
        }
        // Most paths do not even end as they should.
        [.., Node::Literal(end)] if !path.ends_with(end) => false,
        _ => run(nodes, path),
    }
}

fn run(nodes: &[Node], text: &[u8]) -> bool {
    // Where to go on when the text does not fit: with the last star one character longer, with the last `**` one name
    // longer. Whatever an earlier star could still do, the later one can do as well.
    let mut star: Option<(usize, &[u8])> = None;
    let mut names: Option<(usize, &[u8])> = None;
    let mut node = 0;
    let mut rest = text;
    loop {
        let fits = match nodes.get(node) {
            None if rest.is_empty() => return true,
            Some(Node::Literal(literal)) => rest.strip_prefix(&literal[..]),
            Some(Node::One) => char_in_name(rest).map(|(_, after)| after),
            Some(Node::Star) => {
                star = Some((node + 1, rest));
                Some(rest)
            }
            Some(Node::GlobStar { last: true }) => {
                // In a choice such as `{a,**}*` more follows, which may match nothing.
                if nodes.len() == node + 1 || run(&nodes[node + 1..], b"") {
                    return true;
                }
                None
            }
            Some(Node::GlobStar { last: false }) => {
                star = None;
                names = Some((node + 1, rest));
                // No name at all needs something to be matched by what follows.
                let only_stars = nodes[node + 1..].iter().all(|node| matches!(node, Node::GlobStar { .. }));
                (!rest.is_empty() || only_stars).then_some(rest)
            }
            Some(Node::Class(class)) => {
                next_char(rest).filter(|(c, _)| class.has(*c)).map(|(_, length)| &rest[length..])
            }
            None | Some(Node::Group(..)) => None,
        };
        if let Some(after) = fits {
            rest = after;
            node += 1;
            continue;
        }
        if let Some((next, from)) = star {
            let longer = char_in_name(from).and_then(|(_, after)| match nodes.get(next) {
                Some(Node::Literal(literal)) => skip_to(literal[0], after),
                _ => Some(after),
            });
            if let Some(after) = longer {
                star = Some((next, after));
                (node, rest) = (next, after);
                continue;
            }
            star = None;
        }
        let Some((next, from)) = names else {
            return false;
        };
        let Some(slash) = memchr::memchr(b'/', from) else {
            return false;
        };
        let after = &from[slash + 1..];
        if after.is_empty() && next < nodes.len() {
            return false;
        }
        names = Some((next, after));
        (node, rest) = (next, after);
    }
}
