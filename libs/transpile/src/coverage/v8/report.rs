//! From counts to ranges: the passes that V8 runs over the blocks of a function.

use super::{Block, Blocks, Function, OPEN};

/// What is reported of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Whether there are ranges inside functions.
    pub detailed: bool,
    /// Whether counts are told, and not only whether something ran.
    pub counts: bool,
}

/// A function that ran, or might have: its own range is the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedFunction {
    pub name: String,
    pub ranges: Vec<Reported>,
    pub is_block_coverage: bool,
}

/// A range, in UTF-16 code units, and how often it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported {
    pub start: i32,
    pub end: i32,
    pub count: u32,
}

/// The ranges of a function, in order, with access to the one around each: what is deleted is no such one.
struct Walk<'f> {
    function: Reported,
    blocks: &'f mut Vec<Reported>,
    nesting: Vec<Reported>,
    read: usize,
    write: usize,
    started: bool,
    deleted: bool,
}

impl<'f> Walk<'f> {
    fn over(function: Reported, blocks: &'f mut Vec<Reported>) -> Self {
        Walk { function, blocks, nesting: Vec::new(), read: 0, write: 0, started: false, deleted: false }
    }

    fn keep(&mut self) {
        if self.started && !self.deleted {
            self.blocks[self.write] = self.blocks[self.read];
            self.write += 1;
        }
    }

    fn next(&mut self) -> bool {
        let next = if self.started { self.read + 1 } else { 0 };
        if next >= self.blocks.len() {
            return false;
        }
        self.keep();
        if !self.started {
            self.nesting.push(self.function);
        } else if !self.deleted {
            self.nesting.push(self.blocks[self.read]);
        }
        (self.started, self.deleted, self.read) = (true, false, next);
        let start = self.blocks[next].start;
        while self.nesting.len() > 1 && self.nesting.last().is_some_and(|outer| outer.end <= start) {
            self.nesting.pop();
        }
        true
    }

    fn block(&mut self) -> &mut Reported {
        &mut self.blocks[self.read]
    }

    fn parent(&self) -> Reported {
        self.nesting.last().copied().unwrap_or(self.function)
    }

    /// The one after this, if it is in the same parent.
    fn follower(&mut self) -> Option<&mut Reported> {
        let end = self.parent().end;
        self.blocks.get_mut(self.read + 1).filter(|next| next.start < end)
    }

    fn end(mut self) {
        while self.next() {}
        self.keep();
        self.blocks.truncate(self.write);
    }
}

fn sort(blocks: &mut [Reported]) {
    blocks.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
}

/// Ranges whose end is not known do not become more than a part of one that begins in the same place.
fn drop_aliased(function: Reported, blocks: &mut Vec<Reported>) {
    let mut walk = Walk::over(function, blocks);
    walk.next();
    while walk.next() {
        let before = walk.blocks[walk.read - 1];
        let block = *walk.block();
        if block.end == OPEN && block.start == before.start {
            walk.deleted = true;
        }
    }
    walk.end();
}

fn close_open(function: Reported, blocks: &mut Vec<Reported>) {
    let mut walk = Walk::over(function, blocks);
    while walk.next() {
        let (block, parent) = (*walk.block(), walk.parent());
        if block.start >= function.end {
            walk.deleted = true;
        } else if block.end == OPEN {
            let is_top = walk.nesting.len() == 1;
            let end = match walk.follower() {
                Some(next) => next.start,
                // The closing brace of a function always counts as covered.
                None if is_top => parent.end - 1,
                None => parent.end,
            };
            walk.block().end = end;
        }
    }
    walk.end();
}

fn merge_consecutive(function: Reported, blocks: &mut Vec<Reported>) {
    let mut walk = Walk::over(function, blocks);
    while walk.next() {
        let block = *walk.block();
        if let Some(next) = walk.follower()
            && next.start == block.end
            && next.count == block.count
        {
            next.start = block.start;
            walk.deleted = true;
        }
    }
    walk.end();
}

fn merge_duplicates(blocks: &mut Vec<Reported>) {
    blocks.dedup_by(|next, one| {
        let is_same = (one.start, one.end) == (next.start, next.end);
        if is_same {
            one.count = one.count.max(next.count);
        }
        is_same
    });
}

fn drop_where(function: Reported, blocks: &mut Vec<Reported>, is_dropped: impl Fn(Reported, Reported) -> bool) {
    let mut walk = Walk::over(function, blocks);
    while walk.next() {
        let (block, parent) = (*walk.block(), walk.parent());
        walk.deleted = is_dropped(block, parent);
    }
    walk.end();
}

fn ranges_of(function: Reported, mut blocks: Vec<Reported>) -> Vec<Reported> {
    sort(&mut blocks);
    drop_aliased(function, &mut blocks);
    close_open(function, &mut blocks);
    merge_consecutive(function, &mut blocks);
    sort(&mut blocks);
    merge_duplicates(&mut blocks);
    drop_where(function, &mut blocks, |block, parent| block.count == parent.count);
    merge_consecutive(function, &mut blocks);
    drop_where(function, &mut blocks, |block, parent| block.count == 0 && parent.count == 0);
    drop_where(function, &mut blocks, |block, _| block.start == block.end);
    blocks
}

impl Blocks {
    /// How many functions there are.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// What ran. `count` gives the count of a counter; `ran` is, for each function, whether it ever did before, and is brought up to
    /// date.
    #[must_use]
    pub fn report(&self, mode: Mode, count: impl Fn(u32) -> u32, ran: &mut [bool]) -> Vec<ReportedFunction> {
        let mut out: Vec<ReportedFunction> = Vec::new();
        let mut nesting: Vec<Reported> = Vec::new();
        let told = |count: u32, before: bool| match (mode.counts, count) {
            (true, _) | (_, 0) => count,
            // Functions that ran are told once.
            _ if before && !mode.detailed => 0,
            _ => 1,
        };
        for (function, ran) in self.functions.iter().zip(ran) {
            let counted = count(function.counter);
            let own = Reported { start: function.start, end: function.end, count: told(counted, *ran) };
            *ran |= counted > 0;
            while nesting.last().is_some_and(|outer| outer.end <= own.start) {
                nesting.pop();
            }
            let is_parent_covered = nesting.last().is_some_and(|outer| outer.count > 0);
            let is_block_coverage = mode.detailed && (*ran || (function.is_eager && is_parent_covered));
            let mut ranges = vec![own];
            if is_block_coverage {
                ranges.extend(ranges_of(own, blocks_of(function, |counter| told(count(counter), false))));
            }
            if own.count > 0 || is_parent_covered || ranges.len() > 1 {
                nesting.push(own);
                out.push(ReportedFunction { name: function.name.clone(), ranges, is_block_coverage });
            }
        }
        out
    }
}

fn blocks_of(function: &Function, count: impl Fn(u32) -> u32) -> Vec<Reported> {
    let reported =
        |block: &Block| Reported { start: block.start, end: block.end, count: block.counter.map_or(0, &count) };
    function.blocks.iter().map(reported).collect()
}
