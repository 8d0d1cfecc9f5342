//! Matches nodes with groups.
//!
//! The nodes become states, each of which knows the state after it. Going through the text from its end to its start, one
//! bit a state says whether what is left of the text matches from that state on. So no place is tried twice for a state, and
//! `!(...)`, whose meaning depends on what follows, needs no more than the bits that are there.

use crate::backtrack::next_char;
use crate::parse::{Class, Node, Repeat};

type Id = usize;

/// What `!(a|b)` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Negation {
    /// Characters of one name that are neither `a` nor `b` (Bun, shells).
    Run,
    /// Any characters of one name, unless `a` or `b` and what follows the group match what is left (minimatch).
    Ahead,
}

#[derive(Debug)]
enum State {
    /// The end of the text.
    End,
    Literal(Vec<u8>, Id),
    One(Id),
    Class(Class, Id),
    Star(Id),
    /// All that is left, if the state matches nothing.
    All(Id),
    /// `**` and its slash. `some`: what follows needs something to match; `open`: or nothing more follows in its sequence.
    Names {
        next: Id,
        some: bool,
        open: bool,
    },
    /// One of the states.
    Either(Vec<Id>),
    /// The end of a loop: its first state matches as well if one of these does.
    Again {
        first: Id,
        alternatives: Vec<Id>,
    },
    /// [`Negation::Run`]
    Not(Box<Automaton>, Id),
    /// [`Negation::Ahead`]: not the first state, but the second.
    Without(Id, Id),
    /// The state, but not at the start of a hidden name.
    Shown(Id),
}

/// Compiled nodes. A state uses only states before it, besides those between the first and the last of a loop.
#[derive(Debug)]
pub(crate) struct Automaton {
    states: Vec<State>,
    start: Id,
    /// How many bytes a state looks ahead at most.
    longest: usize,
    /// Whether a state has a [`Memory`].
    remembers: bool,
    /// What every match ends with.
    end: Vec<u8>,
}

/// Compiles from the end of the nodes to their start.
struct Compiler {
    states: Vec<State>,
    negation: Negation,
}

/// Where a sequence goes on: after a match, and, for what [`Negation::Ahead`] looks at, after the last round of all loops.
#[derive(Clone, Copy)]
struct After {
    next: Id,
    ahead: Id,
}

/// Where a node stands in its sequence.
#[derive(Clone, Copy)]
struct Place {
    /// At the start of the text.
    start: bool,
    /// At the end of the sequence.
    open: bool,
    /// Before something that matches more than nothing.
    some: bool,
}

impl Automaton {
    /// Compiles `nodes`.
    pub(crate) fn new(nodes: &[Node], negation: Negation) -> Self {
        let mut compiler = Compiler { states: vec![State::End], negation };
        let start = compiler.sequence(nodes, After { next: 0, ahead: 0 }, true);
        let end = match nodes.last() {
            Some(Node::Literal(end)) => end.clone(),
            _ => Vec::new(),
        };
        Automaton { end, ..compiler.finish(start) }
    }

    /// Whether the nodes match all of `text`. `hidden`: a wildcard at their start matches nothing.
    pub(crate) fn matches(&self, text: &[u8], hidden: bool) -> bool {
        // Most texts do not even end as they should.
        if !text.ends_with(&self.end) {
            return false;
        }
        let mut matched = false;
        self.run(text, hidden, |_, start| matched = start);
        matched
    }

    /// Goes through the text from its end; `each` learns of every place whether the nodes match all that is left there.
    fn run(&self, text: &[u8], hidden: bool, mut each: impl FnMut(usize, bool)) {
        let mut table = Table::new(self.states.len(), self.longest.min(text.len()), text.len());
        let mut extra = vec![Memory::default(); if self.remembers { self.states.len() } else { 0 }];
        for at in (0..=text.len()).rev() {
            table.clear(at);
            let mut id = 0;
            while id < self.states.len() {
                if self.holds(id, (text, hidden), at, &table, &mut extra) {
                    table.set(id, at);
                }
                // A loop that one more round completes: its states can be reached from its end now.
                if let State::Again { first, alternatives } = &self.states[id]
                    && !table.get(*first, at)
                    && alternatives.iter().any(|&state| table.get(state, at))
                {
                    table.set(*first, at);
                    id = *first;
                }
                id += 1;
            }
            if at == text.len() {
                table.keep_end();
            }
            each(at, table.get(self.start, at));
        }
    }

    /// Whether state `id` matches what is left at `at`, by what is known of the states it uses.
    fn holds(&self, id: Id, (text, hidden): (&[u8], bool), at: usize, table: &Table, extra: &mut [Memory]) -> bool {
        let rest = &text[at..];
        match &self.states[id] {
            State::End => rest.is_empty(),
            State::Literal(literal, next) => rest.starts_with(literal) && table.get(*next, at + literal.len()),
            State::One(next) => next_char(rest).is_some_and(|(c, length)| c != '/' && table.get(*next, at + length)),
            State::Class(class, next) => {
                next_char(rest).is_some_and(|(c, length)| class.has(c) && table.get(*next, at + length))
            }
            State::Star(next) => {
                table.get(*next, at)
                    || next_char(rest).is_some_and(|(c, length)| c != '/' && table.get(id, at + length))
            }
            State::All(next) if at == text.len() => table.get(*next, at),
            State::All(next) => table.at_end(*next),
            State::Names { next, some, open } => {
                // Whether a slash from here on may be the end of the names.
                let memory = &mut extra[id];
                memory.flag |= rest.first() == Some(&b'/') && (rest.len() > 1 || *open) && table.get(*next, at + 1);
                memory.flag || (!rest.is_empty() || !*some) && table.get(*next, at)
            }
            State::Either(states) => states.iter().any(|&state| table.get(state, at)),
            State::Again { .. } => false,
            State::Not(alternatives, next) => {
                let memory = &mut extra[id];
                if table.get(*next, at) && memory.done != at + 1 {
                    memory.done = at + 1;
                    alternatives.refuse(text, at, &mut memory.starts);
                }
                memory.starts.get(at) == Some(&true)
            }
            State::Without(without, state) => !table.get(*without, at) && table.get(*state, at),
            State::Shown(state) => !(at == 0 && hidden) && table.get(*state, at),
        }
    }

    /// Marks the places in `starts` from which the automaton does not match the text of the same name up to `end`.
    fn refuse(&self, text: &[u8], end: usize, starts: &mut Vec<bool>) {
        starts.resize(starts.len().max(end + 1), false);
        let name = text[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        self.run(&text[name..end], false, |at, matched| starts[name + at] |= !matched);
    }
}

/// What a state remembers while the text is gone through.
#[derive(Default, Clone)]
struct Memory {
    /// [`State::Names`]: one of the slashes so far will do.
    flag: bool,
    /// [`State::Not`]: one more than the last place that was looked at.
    done: usize,
    /// [`State::Not`]: the places from which it matches.
    starts: Vec<bool>,
}

/// A bit for each state and place, for as many places as states look ahead.
struct Table {
    bits: Vec<u64>,
    /// The bits of the end of the text.
    end: Vec<u64>,
    /// Words a place.
    width: usize,
    places: usize,
    length: usize,
}

impl Table {
    fn new(states: usize, ahead: usize, length: usize) -> Self {
        let (width, places) = (states.div_ceil(64), ahead + 1);
        Table { bits: vec![0; width * places], end: Vec::new(), width, places, length }
    }

    fn place(&self, at: usize) -> usize {
        (self.length - at) % self.places * self.width
    }

    fn clear(&mut self, at: usize) {
        let place = self.place(at);
        self.bits[place..place + self.width].fill(0);
    }

    fn keep_end(&mut self) {
        self.end = self.bits[..self.width].to_vec();
    }

    fn at_end(&self, state: Id) -> bool {
        self.end[state / 64] >> (state % 64) & 1 != 0
    }

    fn get(&self, state: Id, at: usize) -> bool {
        self.bits[self.place(at) + state / 64] >> (state % 64) & 1 != 0
    }

    fn set(&mut self, state: Id, at: usize) {
        let place = self.place(at);
        self.bits[place + state / 64] |= 1 << (state % 64);
    }
}

impl Compiler {
    fn finish(self, start: Id) -> Automaton {
        let length = |state: &State| if let State::Literal(text, _) = state { text.len() } else { 4 };
        let longest = self.states.iter().map(length).max().unwrap_or_default();
        let remembers = self.states.iter().any(|state| matches!(state, State::Names { .. } | State::Not(..)));
        Automaton { states: self.states, start, longest, remembers, end: Vec::new() }
    }

    fn push(&mut self, state: State) -> Id {
        self.states.push(state);
        self.states.len() - 1
    }

    /// Compiles a sequence. `start`: it stands at the start of the text. Returns its first state.
    fn sequence(&mut self, nodes: &[Node], after: After, start: bool) -> Id {
        let looks = self.negation == Negation::Ahead;
        let first_not = nodes.iter().position(|node| looks && has_negation(node)).unwrap_or(nodes.len());
        let After { mut next, mut ahead } = after;
        for (index, node) in nodes.iter().enumerate().rev() {
            let place = Place {
                start: start && index == 0,
                open: index + 1 == nodes.len(),
                some: !nodes[index + 1..].iter().all(|node| matches!(node, Node::GlobStar { .. })),
            };
            let state = self.node(node, After { next, ahead }, place);
            if first_not < index {
                // As in minimatch, `!(a)*` looks ahead for `a` and one character at least.
                let alone = *node == Node::Star && nodes.len() == 2;
                ahead = self.node(node, After { next: ahead, ahead }, place);
                if alone {
                    ahead = self.push(State::One(ahead));
                }
            }
            next = state;
        }
        next
    }

    fn node(&mut self, node: &Node, after: After, place: Place) -> Id {
        let next = after.next;
        let wild = match node {
            Node::Literal(text) => return self.push(State::Literal(text.clone(), next)),
            Node::One => State::One(next),
            Node::Star => State::Star(next),
            Node::Class(class) => State::Class(class.clone(), next),
            Node::GlobStar { last: true } => return self.push(State::All(next)),
            Node::GlobStar { last: false } => {
                return self.push(State::Names { next, some: place.some, open: place.open });
            }
            Node::Group(repeat, alternatives) => return self.group(*repeat, alternatives, after, place.start),
        };
        let wild = self.push(wild);
        self.guard(wild, place.start)
    }

    fn guard(&mut self, state: Id, start: bool) -> Id {
        if start { self.push(State::Shown(state)) } else { state }
    }

    fn each(&mut self, alternatives: &[Vec<Node>], after: After, start: bool) -> Vec<Id> {
        alternatives.iter().map(|nodes| self.sequence(nodes, after, start)).collect()
    }

    fn group(&mut self, repeat: Repeat, alternatives: &[Vec<Node>], after: After, start: bool) -> Id {
        match repeat {
            Repeat::Once => {
                let states = self.each(alternatives, after, start);
                self.push(State::Either(states))
            }
            Repeat::AtMostOnce => {
                let mut states = self.each(alternatives, after, start);
                states.push(after.next);
                self.push(State::Either(states))
            }
            Repeat::Any | Repeat::AtLeastOnce => {
                let first = self.push(State::Either(vec![after.next]));
                let states = self.each(alternatives, After { next: first, ahead: after.ahead }, start);
                self.push(State::Again { first, alternatives: states.clone() });
                if repeat == Repeat::Any { first } else { self.push(State::Either(states)) }
            }
            Repeat::Not if self.negation == Negation::Run => {
                let mut inner = Compiler { states: vec![State::End], negation: self.negation };
                let states = inner.each(alternatives, After { next: 0, ahead: 0 }, false);
                let start = inner.push(State::Either(states));
                self.push(State::Not(Box::new(inner.finish(start)), after.next))
            }
            Repeat::Not => {
                let without = After { next: after.ahead, ahead: after.ahead };
                // `!()` is anything but nothing.
                let any = if alternatives.iter().all(Vec::is_empty) {
                    let some = self.push(State::Star(after.next));
                    let any = self.push(State::One(some));
                    return self.guard(any, start);
                } else {
                    self.push(State::Star(after.next))
                };
                let states = self.each(alternatives, without, start);
                let without = self.push(State::Either(states));
                let state = self.push(State::Without(without, any));
                self.guard(state, start)
            }
        }
    }
}

fn has_negation(node: &Node) -> bool {
    match node {
        Node::Group(Repeat::Not, _) => true,
        Node::Group(_, alternatives) => alternatives.iter().flatten().any(has_negation),
        _ => false,
    }
}
