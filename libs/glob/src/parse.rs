//! Reads the text of a pattern into nodes.

use std::collections::HashSet;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use crate::braces;

/// Groups may stand in groups this deep; those further in are plain text.
const MAX_DEPTH: usize = 12;

/// `{1..9}` with more members than this is plain text to [`crate::Pattern`].
const MAX_MEMBERS: usize = 10_000;

/// How often the alternatives of a group may follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    Once,
    AtMostOnce,
    Any,
    AtLeastOnce,
    /// A run of characters of one name that none of the alternatives is.
    Not,
}

impl Repeat {
    /// The repetition that the character before `(` stands for.
    fn of(kind: u8) -> Self {
        match kind {
            b'?' => Repeat::AtMostOnce,
            b'*' => Repeat::Any,
            b'+' => Repeat::AtLeastOnce,
            b'@' => Repeat::Once,
            _ => Repeat::Not,
        }
    }
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Text as it is; never empty.
    Literal(Vec<u8>),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**` at the end, or a `**` and the slash after it.
    GlobStar {
        last: bool,
    },
    Class(Class),
    Group(Repeat, Vec<Vec<Node>>),
}

/// `[...]`: one character of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
    named: Vec<Named>,
    nocase: bool,
}

impl Class {
    pub(crate) fn has(&self, c: char) -> bool {
        // `[z-a]` and nothing else has no members, not even when it is negated.
        let within = |c: char| {
            self.ranges.iter().any(|(low, high)| (low..=high).contains(&&c)) || self.named.iter().any(|set| set.has(c))
        };
        let found = within(c) || self.nocase && (c.to_uppercase().any(within) || c.to_lowercase().any(within));
        found != self.negated
    }

    /// The only member, if that is written out.
    fn single(&self) -> Option<char> {
        match self.ranges[..] {
            [(low, high)] if low == high && self.named.is_empty() && !self.negated => Some(low),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        self.named.is_empty() && self.ranges.iter().all(|(low, high)| low > high)
    }
}

/// A class of POSIX, with the meaning in Unicode that minimatch gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl Named {
    /// The class at the start of `text` (`[:alpha:]...`), and its length.
    fn read(text: &[u8]) -> Option<(Named, usize)> {
        let inner = text.strip_prefix(b"[:")?;
        let length = inner.iter().position(|byte| !byte.is_ascii_lowercase())?;
        let set = match &inner[..length] {
            b"alnum" => Named::Alnum,
            b"alpha" => Named::Alpha,
            b"ascii" => Named::Ascii,
            b"blank" => Named::Blank,
            b"cntrl" => Named::Cntrl,
            b"digit" => Named::Digit,
            b"lower" => Named::Lower,
            b"print" => Named::Print,
            b"punct" => Named::Punct,
            b"space" => Named::Space,
            b"upper" => Named::Upper,
            b"word" => Named::Word,
            b"xdigit" => Named::Xdigit,
            _ => return None,
        };
        inner[length..].starts_with(b":]").then_some((set, length + 4))
    }

    fn has(self, c: char) -> bool {
        use GeneralCategory as G;
        let category = || CodePointMapData::<GeneralCategory>::new().get(c);
        let letter = |category| {
            matches!(
                category,
                G::UppercaseLetter
                    | G::LowercaseLetter
                    | G::TitlecaseLetter
                    | G::ModifierLetter
                    | G::OtherLetter
                    | G::LetterNumber
            )
        };
        let separator = |category| matches!(category, G::SpaceSeparator | G::LineSeparator | G::ParagraphSeparator);
        let punctuation = |category| {
            matches!(
                category,
                G::ConnectorPunctuation
                    | G::DashPunctuation
                    | G::OpenPunctuation
                    | G::ClosePunctuation
                    | G::InitialPunctuation
                    | G::FinalPunctuation
                    | G::OtherPunctuation
            )
        };
        let other =
            |category| matches!(category, G::Control | G::Format | G::Surrogate | G::PrivateUse | G::Unassigned);
        match self {
            Named::Alnum => letter(category()) || category() == G::DecimalNumber,
            Named::Alpha => letter(category()),
            Named::Ascii => c.is_ascii(),
            Named::Blank => c == '\t' || category() == G::SpaceSeparator,
            Named::Cntrl => c.is_control(),
            Named::Digit => category() == G::DecimalNumber,
            Named::Lower => category() == G::LowercaseLetter,
            Named::Print => !other(category()),
            Named::Punct => punctuation(category()),
            Named::Space => matches!(c, '\t' | '\r' | '\n' | '\x0b' | '\x0c') || separator(category()),
            Named::Upper => category() == G::UppercaseLetter,
            Named::Word => letter(category()) || matches!(category(), G::DecimalNumber | G::ConnectorPunctuation),
            Named::Xdigit => c.is_ascii_hexdigit(),
        }
    }
}

/// What the text of a pattern may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syntax {
    /// A backslash takes the next character as it is.
    pub escapes: bool,
    /// The text is a whole path with `{a,b}` in it: `**` is a part of its own. Otherwise it is one name.
    pub path: bool,
    /// Characters count without their case; the text to match has to be in lower case.
    pub nocase: bool,
}

/// Reads `text`.
pub(crate) fn parse(text: &str, syntax: Syntax) -> Vec<Node> {
    let mut parser = Parser {
        text: text.as_bytes(),
        at: 0,
        depth: 0,
        syntax,
        last_parenthesis: text.rfind(')').unwrap_or(0),
        last_bracket: last_bracket(text.as_bytes(), syntax.escapes),
        unclosed: HashSet::new(),
    };
    parser.sequence(&[], true)
}

/// Adds text to the end of nodes.
pub(crate) fn push_literal(nodes: &mut Vec<Node>, text: &[u8]) {
    match nodes.last_mut() {
        Some(Node::Literal(before)) => before.extend_from_slice(text),
        _ => nodes.push(Node::Literal(text.to_vec())),
    }
}

/// Where the last `]` is that no backslash precedes; 0 if there is none.
fn last_bracket(text: &[u8], escapes: bool) -> usize {
    let (mut at, mut last) = (0, 0);
    while at < text.len() {
        match text[at] {
            b'\\' if escapes => at += 1,
            b']' => last = at,
            _ => {}
        }
        at += 1;
    }
    last
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    syntax: Syntax,
    /// Where the last `)` is.
    last_parenthesis: usize,
    /// Where the last `]` is.
    last_bracket: usize,
    /// Places of groups that nothing closes, so that none is read twice.
    unclosed: HashSet<usize>,
}

impl Parser<'_> {
    /// Reads up to one of the bytes in `ends`, or to the end. `name_start`: a name begins here.
    fn sequence(&mut self, ends: &[u8], name_start: bool) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut name_start = name_start;
        while let Some(&byte) = self.text.get(self.at) {
            if ends.contains(&byte) {
                break;
            }
            if let Some(group) = self.group(byte, name_start) {
                nodes.push(group);
                name_start = false;
                continue;
            }
            match byte {
                b'?' => {
                    self.at += 1;
                    nodes.push(Node::One);
                }
                b'*' => {
                    let star = self.stars(ends, name_start);
                    // The slash after `**` is part of it.
                    name_start = star == Node::GlobStar { last: false };
                    if star != Node::Star || nodes.last() != Some(&Node::Star) {
                        nodes.push(star);
                    }
                    continue;
                }
                b'[' => match self.class() {
                    Some(class) => self.push_class(&mut nodes, class),
                    None => self.literal(&mut nodes),
                },
                b'{' if self.syntax.path && self.depth < MAX_DEPTH => match self.closing(self.at, b'{', b'}') {
                    Some(end) => nodes.push(self.braces(end, name_start)),
                    None => self.literal(&mut nodes),
                },
                _ => {
                    self.literal(&mut nodes);
                    name_start = byte == b'/';
                    continue;
                }
            }
            name_start = false;
        }
        nodes
    }

    /// One character as it is.
    fn literal(&mut self, nodes: &mut Vec<Node>) {
        if self.syntax.escapes && self.text[self.at] == b'\\' && self.at + 1 < self.text.len() {
            self.at += 1;
        }
        match self.char_at(self.at) {
            Some((c, next)) => {
                self.at = next;
                self.push_char(nodes, c);
            }
            None => self.at += 1,
        }
    }

    fn push_char(&self, nodes: &mut Vec<Node>, c: char) {
        let mut bytes = [0; 4];
        if self.syntax.nocase {
            for c in c.to_lowercase() {
                push_literal(nodes, c.encode_utf8(&mut bytes).as_bytes());
            }
        } else {
            push_literal(nodes, c.encode_utf8(&mut bytes).as_bytes());
        }
    }

    fn push_class(&self, nodes: &mut Vec<Node>, class: Class) {
        // `[*]` is the way to write a character that would otherwise be special.
        match class.single() {
            Some(c) => self.push_char(nodes, c),
            None => nodes.push(Node::Class(class)),
        }
    }

    fn stars(&mut self, ends: &[u8], name_start: bool) -> Node {
        let start = self.at;
        self.at += 1;
        // A star before a parenthesis belongs to the group.
        while self.text.get(self.at) == Some(&b'*') && self.text.get(self.at + 1) != Some(&b'(') {
            self.at += 1;
        }
        if !self.syntax.path || self.at - start != 2 || !name_start {
            return Node::Star;
        }
        match self.text.get(self.at) {
            None => Node::GlobStar { last: true },
            Some(byte) if ends.contains(byte) => Node::GlobStar { last: true },
            Some(b'/') => {
                self.at += 1;
                Node::GlobStar { last: false }
            }
            Some(_) => Node::Star,
        }
    }

    /// Position of the bracket that closes the one at `open`.
    fn closing(&self, open: usize, opening: u8, closing: u8) -> Option<usize> {
        let mut depth = 0;
        let mut at = open;
        while at < self.text.len() {
            match self.text[at] {
                b'\\' => at += 1,
                byte if byte == opening => depth += 1,
                byte if byte == closing => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn char_at(&self, at: usize) -> Option<(char, usize)> {
        let length = match self.text.get(at)? {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        let c = std::str::from_utf8(self.text.get(at..at + length)?).ok()?.chars().next()?;
        Some((c, at + length))
    }

    /// `[...]`; `None`, and nothing read, if it has no end.
    fn class(&mut self) -> Option<Class> {
        if self.at >= self.last_bracket {
            return None;
        }
        let mut at = self.at + 1;
        let negated = matches!(self.text.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let first = at;
        let mut class = Class { negated, ranges: Vec::new(), named: Vec::new(), nocase: self.syntax.nocase };
        loop {
            if self.text.get(at)? == &b']' && at > first {
                break;
            }
            if !self.syntax.path
                && let Some((set, length)) = Named::read(&self.text[at..])
            {
                class.named.push(set);
                at += length;
                continue;
            }
            let low = self.class_char(&mut at)?;
            let high = match (self.text.get(at), self.text.get(at + 1)) {
                (Some(b'-'), Some(next)) if *next != b']' => {
                    at += 1;
                    self.class_char(&mut at)?
                }
                _ => low,
            };
            class.ranges.push((low, high));
        }
        self.at = at + 1;
        if !self.syntax.path && class.is_empty() {
            // As in minimatch, `[!z-a]` matches no character either.
            class.negated = false;
        }
        Some(class)
    }

    fn class_char(&self, at: &mut usize) -> Option<char> {
        if self.syntax.escapes && self.text.get(*at) == Some(&b'\\') && *at + 1 < self.text.len() {
            *at += 1;
        }
        let (c, next) = self.char_at(*at)?;
        *at = next;
        Some(c)
    }

    /// `{...}` up to `end`.
    fn braces(&mut self, end: usize, name_start: bool) -> Node {
        let inside = std::str::from_utf8(&self.text[self.at + 1..end]).unwrap_or_default();
        if let Some(members) = braces::sequence(inside, MAX_MEMBERS) {
            self.at = end + 1;
            let literal = |member: String| vec![Node::Literal(member.into_bytes())];
            return Node::Group(Repeat::Once, members.into_iter().map(literal).collect());
        }
        self.at += 1;
        Node::Group(Repeat::Once, self.alternatives_up_to(end, b',', b'}', name_start))
    }

    /// `@(...)` and its like; `None`, and nothing read, if there is none at this place.
    fn group(&mut self, byte: u8, name_start: bool) -> Option<Node> {
        let is_group = matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!') && self.text.get(self.at + 1) == Some(&b'(');
        if !is_group || self.depth >= MAX_DEPTH {
            return None;
        }
        let alternatives = if self.syntax.path {
            let end = self.closing(self.at + 1, b'(', b')')?;
            self.at += 2;
            self.alternatives_up_to(end, b'|', b')', name_start)
        } else {
            self.alternatives()?
        };
        Some(Node::Group(Repeat::of(byte), alternatives))
    }

    fn alternatives_up_to(&mut self, end: usize, separator: u8, close: u8, name_start: bool) -> Vec<Vec<Node>> {
        let mut alternatives = Vec::new();
        self.depth += 1;
        while self.at <= end {
            alternatives.push(self.sequence(&[separator, close], name_start));
            self.at += 1;
        }
        self.depth -= 1;
        alternatives
    }

    /// The alternatives of a group up to the first parenthesis that closes it, which brackets and groups inside cannot.
    fn alternatives(&mut self) -> Option<Vec<Vec<Node>>> {
        let start = self.at;
        if start > self.last_parenthesis || self.unclosed.contains(&start) {
            return None;
        }
        let mut alternatives = Vec::new();
        self.at += 2;
        self.depth += 1;
        loop {
            alternatives.push(self.sequence(b"|)", false));
            let end = self.text.get(self.at);
            self.at += 1;
            match end {
                Some(b'|') => {}
                Some(_) => break,
                None => {
                    self.at = start;
                    self.unclosed.insert(start);
                    alternatives.clear();
                    break;
                }
            }
        }
        self.depth -= 1;
        (!alternatives.is_empty()).then_some(alternatives)
    }
}
