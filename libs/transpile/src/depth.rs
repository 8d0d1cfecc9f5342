//! Deep nesting: an estimate before the (recursive) parser runs, and a stack of the right size for it.
//!
//! The parser, the transformer and the printer of oxc recurse along the syntax tree without a guard, so that a
//! source of ten thousand `(` would kill the process. [`Nesting::of`] reads the text in linear time and without
//! a syntax tree, and gives an upper estimate of that recursion; [`run`] then executes the work on the caller's
//! stack, on a thread with a larger stack, or not at all.
//!
//! There are two estimates. The quick one counts bytes, which the compiler vectorises; it knows no tokens, so it only tells of texts
//! that are too short on punctuation and spaces to nest deeply, whatever comments and strings hide of them. The exact one knows
//! strings, comments and regular expressions; it decides everywhere else.

/// Levels that are safe on any caller's stack.
pub(crate) const INLINE_LEVELS: u32 = 200;
/// Levels above which a text is refused. The engine gives up ("too much recursion") long before.
pub(crate) const MAX_LEVELS: u32 = 60_000;
/// Left-deep chains (`a + b + ...`, `a.b().c()...`) may be longer; they cost less per level, and only where
/// the syntax tree is walked recursively.
pub(crate) const MAX_CHAIN: u32 = 2_000_000;
/// Stack bytes per level of nesting. The worst kinds of tests/deep.rs need 1.8 KB of an estimated level when
/// compiled with opt-level 1; unoptimised frames are larger.
const BYTES_PER_LEVEL: usize = if cfg!(debug_assertions) { 12 << 10 } else { 4 << 10 };
/// Stack bytes per link of a left-deep chain, where up to 180 bytes were measured.
const BYTES_PER_LINK: usize = if cfg!(debug_assertions) { 1 << 10 } else { 512 };
/// What every run needs besides.
const BASE_STACK: usize = 4 << 20;
/// Guesses within guesses that a text in TypeScript may ask of the parser, each of which may read what follows twice:
/// `a<(b=a<(b=...` takes 4 ms with 12 and a minute with 24. Programs have three.
const MAX_GUESSES: u32 = 12;
/// `<` that may begin type arguments and are open at once. From each of them the parser reads on to the last one, and it keeps the
/// memory of what it has read: 128 bytes for each pair, 16 MB here, a gigabyte with 4,000.
const MAX_OPEN_ANGLES: u32 = 500;

/// Upper estimates of how deep a recursive walk over a text's syntax tree goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Nesting {
    /// Brackets, and whatever else nests to the right: prefix operators, `?:`, `=`, `=>`, `else if`, tags.
    pub levels: u32,
    /// Longest run of binary operators and member or call links.
    pub chain: u32,
}

/// Which tree walks follow the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Only walks of this crate, which follow left-deep chains in loops.
    Flat,
    /// Those of oxc's semantic analysis, transformer and printer.
    Recursive,
}

/// Runs `work` on a stack that suffices for `nesting` levels; `None` if no stack does.
pub(crate) fn run<T: Send>(nesting: Nesting, walk: Walk, work: impl FnOnce() -> T + Send) -> Option<T> {
    let chain = if walk == Walk::Recursive { nesting.chain } else { 0 };
    if nesting.levels > MAX_LEVELS || chain > MAX_CHAIN {
        return None;
    }
    if nesting.levels <= INLINE_LEVELS && chain <= INLINE_LEVELS {
        return Some(work());
    }
    let stack = BASE_STACK + nesting.levels as usize * BYTES_PER_LEVEL + chain as usize * BYTES_PER_LINK;
    std::thread::scope(|scope| {
        // The memory of a thread's stack is only reserved; pages that nobody touches cost nothing.
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(value) => Some(value),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Runs `work`, which parses a text in JavaScript or TypeScript and walks its syntax tree, on a stack that suffices for it; `None` if no
/// stack does. For who may have a small one.
pub fn with_stack_for<T: Send>(text: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    run(Nesting::of(text), Walk::Recursive, work)
}

/// Whether the syntax tree of a text in JavaScript or TypeScript is surely no higher than `limit`: bracket by bracket, with the chains
/// around and in each of them. For who walks trees on a stack of one size.
#[must_use]
pub fn is_lower_than(source: &str, limit: u32) -> bool {
    if source.len() <= limit as usize {
        return true;
    }
    let bytes = source.as_bytes();
    let quick = Quick::of(bytes);
    if quick.levels() <= limit {
        return true;
    }
    quick.brackets <= MAX_LEVELS && Scan::of(bytes).height() <= limit
}

/// The brackets of a style sheet that are open at once, by an upper estimate.
#[must_use]
pub fn open_brackets(sheet: &str) -> u32 {
    let bytes = sheet.as_bytes();
    // A wrong guess about quotes may hide brackets, comments and strings may close some in the plain count: the larger one is taken.
    Quick::of(bytes).brackets.max(sheet_brackets(bytes))
}

/// The same without what stands in comments and strings.
fn sheet_brackets(bytes: &[u8]) -> u32 {
    let (mut at, mut open, mut most) = (0, 0_u32, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            b'/' if bytes.get(at) == Some(&b'*') => {
                let rest = &bytes[at + 1..];
                at += 1 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
            }
            b'"' | b'\'' => {
                // A string ends at its quote, or as a bad one at the end of the line.
                while let Some(&inner) = bytes.get(at) {
                    at += 1 + usize::from(inner == b'\\');
                    if inner == byte || inner == b'\n' {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    most
}

/// Whether the parser is done with a text in TypeScript in a time that does not explode. It guesses that a `<` begins type
/// arguments, and that `extends` behind `infer T` is a constraint, and begins anew where that was wrong, without a memory of what it
/// has read. Only guesses in which it meets further ones multiply: those in expressions inside of types (values of parameters,
/// computed names), and constraints in constraints. JavaScript has none of them.
#[must_use]
pub fn has_few_guesses(source: &str) -> bool {
    let bytes = source.as_bytes();
    let few = MAX_GUESSES as usize;
    let angles = memchr::memchr_iter(b'<', bytes).nth(few).is_some();
    if !angles && memchr::memmem::find_iter(bytes, b"infer").nth(few).is_none() {
        return true;
    }
    let scan = Scan::of(bytes);
    scan.max_guesses <= MAX_GUESSES && scan.max_angles <= MAX_OPEN_ANGLES
}

impl Nesting {
    /// Reads `source`. Texts that are too short to nest deeply are not read.
    pub(crate) fn of(source: &str) -> Self {
        if source.len() <= INLINE_LEVELS as usize {
            return Self::default();
        }
        let bytes = source.as_bytes();
        let quick = Quick::of(bytes);
        if quick.levels() <= INLINE_LEVELS {
            return Self::default();
        }
        let mut nesting = Self::exact(bytes);
        // Text that was taken for a string, a regular expression or a comment by mistake may hide
        // brackets, so the plain count of brackets is a lower bound.
        nesting.levels = nesting.levels.max(quick.brackets);
        nesting
    }

    fn exact(bytes: &[u8]) -> Self {
        let scan = Scan::of(bytes);
        Self { levels: scan.max_levels, chain: scan.max_chain }
    }
}

/// What the bytes of a text tell without any knowledge of its tokens.
#[derive(Default)]
struct Quick {
    /// Brackets that are open at once, if all of them count, in strings and comments, too: an upper bound over all prefixes.
    brackets: u32,
    /// Punctuation, white space, and bytes of characters beyond ASCII, which may be white space.
    marks: u32,
}

/// Bytes that are counted at a time. Within a block the order of bytes is not known, so `brackets` is loose by at most this much.
const BLOCK: usize = 64;

impl Quick {
    fn of(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let mut open = 0;
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            open = found.add(open, block);
        }
        let mut last = [b'a'; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        found.add(open, &last);
        found
    }

    /// Takes one block into account, before which `before` brackets are open; returns how many are behind it.
    fn add(&mut self, before: u32, block: &[u8; BLOCK]) -> u32 {
        let count = |is: fn(u8) -> bool| block.iter().map(|b| u8::from(is(*b))).sum::<u8>().into();
        let open: u32 = count(|b| b == b'(' || b == b'[' || b == b'{');
        let close: u32 = count(|b| b == b')' || b == b']' || b == b'}');
        let marks: u32 = count(|b| b.is_ascii_punctuation() || b <= b' ' || b >= 0x80);
        self.brackets = self.brackets.max(before + open);
        self.marks = self.marks.saturating_add(marks);
        // If more is closed than is open, all that the block opens may come after that.
        if close > before { open } else { before + open - close }
    }

    /// An upper bound of the height of the syntax tree: what nests is a mark or a word, and words have a mark between them.
    fn levels(&self) -> u32 {
        self.marks.saturating_mul(2).saturating_add(1)
    }
}

/// One open bracket: what has piled up behind it since the last separator.
#[derive(Default, Clone, Copy)]
struct Level {
    bracket: u8,
    /// Things that nest to the right.
    right: u32,
    /// Links of a left-deep chain.
    left: u32,
    /// Height of the tree since the last separator, with all that the brackets in it have brought, and the highest before.
    height: u32,
    highest: u32,
    /// See [`has_few_guesses`].
    guesses: Guesses,
    /// `guesses` where the bracket was opened.
    around: Guesses,
    /// It holds an expression: the value of a parameter, or what has an operator.
    expression: bool,
}

/// What the parser of TypeScript may have guessed where a text is read.
#[derive(Default, Clone, Copy)]
struct Guesses {
    /// `<` that are open, in the brackets around, too.
    angles: u32,
    /// Guesses in an expression that belongs to a guess.
    nested: u32,
    /// Constraints of `infer` that are open.
    constraints: u32,
    /// An expression has begun since the last `<`.
    in_expression: bool,
}

/// Bytes of the white space of ECMA-262 that a text begins with, other than a line feed; 0 for none.
fn space(text: &[u8]) -> usize {
    match text {
        [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, ..] => 1,
        [0xc2, 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

#[derive(Default)]
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Level>,
    /// Sum of `right` over `open`.
    pending: u32,
    max_levels: u32,
    max_chain: u32,
    max_guesses: u32,
    max_angles: u32,
    /// The last token can end an expression.
    after_operand: bool,
    after_brace: bool,
    after_semicolon: bool,
    new_line: bool,
    /// The last token is a word behind which a type goes on in the next line.
    in_type: bool,
}

impl<'a> Scan<'a> {
    /// Reads a text.
    fn of(bytes: &'a [u8]) -> Self {
        let mut scan = Scan { bytes, ..Scan::default() };
        let guesses = Guesses { in_expression: true, ..Guesses::default() };
        scan.open.push(Level { guesses, around: guesses, ..Level::default() });
        scan.run();
        scan
    }

    /// The height of the tree, where brackets that are left open are closed at the end.
    fn height(self) -> u32 {
        self.open.iter().rev().fold(0, |inner, level| level.highest.max(level.height.max(inner + 1)))
    }
}

impl Scan<'_> {
    fn top(&mut self) -> &mut Level {
        self.open.last_mut().expect("the outermost level is never popped")
    }

    fn nest(&mut self) {
        self.top().right += 1;
        self.top().height += 1;
        self.pending += 1;
        self.max_levels = self.max_levels.max(self.pending + self.open.len() as u32);
    }

    fn link(&mut self) {
        let left = self.top().left + 1;
        self.top().left = left;
        self.top().height += 1;
        self.max_chain = self.max_chain.max(left);
    }

    /// A separator: what comes next is no longer nested in what came before.
    fn reset(&mut self) {
        let top = self.top();
        top.left = 0;
        top.highest = top.highest.max(std::mem::take(&mut top.height));
        let right = std::mem::take(&mut top.right);
        self.pending -= right;
    }

    /// A `<` that may begin type arguments.
    fn guess(&mut self) {
        let guesses = &mut self.top().guesses;
        guesses.angles += 1;
        guesses.nested += u32::from(std::mem::take(&mut guesses.in_expression));
        self.measure();
    }

    /// `infer`, if `extends` is the word after the next or a comment may hide that it is.
    fn infer(&mut self) {
        let rest = self.bytes[self.at..].trim_ascii_start();
        let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..)).count();
        let rest = rest[name..].trim_ascii_start();
        if rest.starts_with(b"extends") || rest.starts_with(b"/") {
            self.top().guesses.constraints += 1;
            self.measure();
        }
    }

    fn measure(&mut self) {
        let Guesses { angles, nested, constraints, .. } = self.top().guesses;
        self.max_angles = self.max_angles.max(angles);
        self.max_guesses = self.max_guesses.max(nested + constraints);
    }

    /// What stands here ends all types that were begun since the innermost bracket.
    fn end_types(&mut self) {
        let top = self.top();
        top.guesses = top.around;
        top.guesses.in_expression |= top.expression;
    }

    /// The same for an operator that no type has.
    fn calculate(&mut self) {
        self.top().expression = true;
        self.end_types();
    }

    fn push(&mut self, bracket: u8) {
        let top = *self.top();
        let mut guesses = top.guesses;
        // A computed name of an object's type.
        guesses.in_expression |= bracket == b'[' && top.bracket == b'{';
        self.open.push(Level { bracket, guesses, around: guesses, ..Level::default() });
        self.max_levels = self.max_levels.max(self.pending + self.open.len() as u32);
    }

    fn pop(&mut self) {
        if self.open.len() > 1 {
            self.reset();
            let inner = self.open.pop().map_or(0, |level| level.highest);
            let top = self.top();
            top.height = top.height.max(inner) + 1;
        }
    }

    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let space = space(&self.bytes[self.at..]);
            if space > 0 {
                self.at += space;
                continue;
            }
            if byte == b'\n' {
                self.new_line = true;
                self.at += 1;
                continue;
            }
            if byte == b'/' && self.comment() {
                continue;
            }
            if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80 {
                self.word();
                continue;
            }
            if self.after_semicolon {
                self.after_semicolon = false;
                self.reset();
            }
            self.punctuation(byte);
            self.new_line = false;
        }
    }

    /// Skips a comment, if there is one.
    fn comment(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let skip = match rest.get(1) {
            Some(b'/') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            Some(b'*') => memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |i| i + 4),
            _ => return false,
        };
        self.new_line |= rest[1] == b'*' && memchr::memchr(b'\n', &rest[..skip]).is_some();
        self.at += skip;
        true
    }

    fn word(&mut self) {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80)
                || (byte >= 0x80 && space(&self.bytes[self.at..]) > 0)
            {
                break;
            }
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        let continues = matches!(
            word,
            b"else"
                | b"catch"
                | b"finally"
                | b"while"
                | b"in"
                | b"of"
                | b"instanceof"
                | b"as"
                | b"satisfies"
                | b"extends"
                | b"from"
        );
        // A word right after `}`, or after an operand on a new line, starts a statement (or a member).
        let starts = self.after_brace || (self.new_line && self.after_operand);
        if (starts || self.after_semicolon) && !continues {
            self.reset();
            if !self.in_type && word != b"new" {
                self.end_types();
            }
        }
        self.in_type = matches!(word, b"is" | b"asserts" | b"abstract");
        self.new_line = false;
        self.after_semicolon = false;
        self.after_brace = false;
        self.after_operand = true;
        match word {
            b"if" | b"else" | b"for" | b"while" | b"with" | b"do" | b"new" | b"await" | b"yield" | b"typeof"
            | b"void" | b"delete" | b"keyof" | b"readonly" | b"unique" => {
                self.nest();
                self.after_operand = false;
            }
            b"in" | b"of" | b"instanceof" | b"as" | b"satisfies" => {
                self.link();
                self.after_operand = false;
            }
            b"infer" => {
                self.nest();
                self.infer();
                self.after_operand = false;
            }
            b"extends" => {
                self.nest();
                self.after_operand = false;
            }
            b"return" | b"throw" | b"case" | b"default" | b"import" | b"export" | b"from" | b"var" | b"let"
            | b"const" => self.after_operand = false,
            _ => {}
        }
    }

    fn punctuation(&mut self, byte: u8) {
        let was_operand = std::mem::replace(&mut self.after_operand, false);
        let next = self.bytes.get(self.at + 1).copied().unwrap_or(0);
        self.after_brace = false;
        self.at += 1;
        match byte {
            b'(' | b'[' | b'{' => {
                if was_operand && byte != b'{' {
                    self.link();
                }
                self.push(byte);
            }
            b')' | b']' => {
                self.pop();
                self.after_operand = true;
            }
            b'}' => {
                let template = self.top().bracket == b'`';
                self.pop();
                if template {
                    self.template();
                }
                self.after_operand = true;
                self.after_brace = !template;
            }
            b';' => {
                self.after_semicolon = true;
                self.top().expression = false;
                self.end_types();
            }
            b',' => {
                self.reset();
                let top = self.top();
                top.guesses.constraints = top.around.constraints;
            }
            b'"' | b'\'' => {
                self.string(byte);
                self.after_operand = true;
            }
            b'`' => {
                if was_operand {
                    self.link();
                }
                self.template();
            }
            b'/' if !was_operand => {
                self.regex();
                self.after_operand = true;
            }
            b'0'..=b'9' => {
                while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
                    self.at += 1;
                }
                self.after_operand = true;
            }
            b'.' => self.link(),
            b'?' if next == b'.' || next == b'?' => {
                self.at += 1;
                self.link();
            }
            b'=' if next == b'=' => {
                self.calculate();
                while self.bytes.get(self.at) == Some(&b'=') {
                    self.at += 1;
                }
                self.link();
            }
            b'*' if next == b'*' => {
                self.at += 1;
                self.nest();
            }
            b'+' | b'-' if next == byte => {
                // `++` and `--`: before or after an operand, the operand does not change.
                self.at += 1;
                self.nest();
                self.after_operand = was_operand;
            }
            b'=' if next == b'>' => {
                self.at += 1;
                self.nest();
            }
            // The end of an element.
            b'<' if next == b'/' && !matches!(self.bytes.get(self.at + 1), Some(b'*' | b'/')) => self.nest(),
            b'<' if next == b'<' => {
                self.at += 1;
                self.nest();
                self.nest();
                let after = self.bytes[self.at..].trim_ascii_start().first().copied().unwrap_or(0);
                if after.is_ascii_digit() { self.calculate() } else { self.guess() }
            }
            b'<' => {
                self.nest();
                self.guess();
            }
            b'?' | b':' => {
                self.nest();
                // Branches of conditional types follow each other.
                let top = self.top();
                if top.guesses.angles == top.around.angles {
                    top.guesses.constraints = top.around.constraints;
                }
            }
            // What is a default of a type parameter goes on as one of a value does.
            b'=' | b'@' => {
                self.nest();
                self.calculate();
            }
            b'!' | b'~' | b'+' | b'-' if !was_operand => self.nest(),
            b'!' => {
                // `x!` of TypeScript, or `!=`.
                self.link();
                self.after_operand = next != b'=';
            }
            b'>' => {
                self.link();
                let top = self.top();
                if top.guesses.angles > top.around.angles {
                    top.guesses.angles -= 1;
                    if top.guesses.angles == top.around.angles {
                        self.end_types();
                    }
                }
            }
            b'&' | b'|' if next == byte => {
                self.at += 1;
                self.link();
                self.calculate();
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' => {
                self.link();
                if matches!(byte, b'+' | b'*' | b'/' | b'%' | b'^') {
                    self.calculate();
                }
            }
            _ => {}
        }
    }

    /// Skips to the end of a string, or of the line when it has no end.
    fn string(&mut self, quote: u8) {
        while let Some(length) = memchr::memchr3(quote, b'\\', b'\n', &self.bytes[self.at..]) {
            self.at += length + 1;
            match self.bytes[self.at - 1] {
                b'\\' => self.at = (self.at + 1).min(self.bytes.len()),
                b'\n' => {
                    self.new_line = true;
                    return;
                }
                _ => return,
            }
        }
        self.at = self.bytes.len();
    }

    /// Skips template text up to its end or to the next `${`.
    fn template(&mut self) {
        while let Some(length) = memchr::memchr3(b'`', b'\\', b'$', &self.bytes[self.at..]) {
            self.at += length + 1;
            match self.bytes[self.at - 1] {
                b'`' => {
                    self.after_operand = true;
                    return;
                }
                b'$' if self.bytes.get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    self.push(b'`');
                    self.after_operand = false;
                    return;
                }
                b'$' => {}
                _ => self.at = (self.at + 1).min(self.bytes.len()),
            }
        }
        self.at = self.bytes.len();
    }

    fn regex(&mut self) {
        let mut class = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_that_multiply_are_few() {
        for (piece, most) in [
            ("a<(b=", 12),
            ("a<{[", 12),
            ("a<(@b(", 12),
            ("a</*>*/(b=\")\"+", 12),
            ("a<(b=c*a<(b=c<d>(e)+", 6),
            ("a<abstract\nnew(b=", 12),
            ("a<(p)=>p is\nx|(b=", 12),
            ("infer A extends [", 12),
            ("infer A extends `${", 12),
            ("T extends (infer A extends (", 12),
            ("infer A extends B<", 12),
            ("a<", 500),
            ("a<[", 500),
        ] {
            assert!(has_few_guesses(&format!("x = {}", piece.repeat(most / 2))), "{piece}");
            assert!(!has_few_guesses(&format!("x = {}", piece.repeat(most + 2))), "{piece}");
        }
        for piece in [
            "for (let i = 0; i < n; i++) { if (a < (b = 1) && c) d();\n",
            "x = a < b && f(() => { y = ",
            "type A<T = B<C>> = { a: D<E<F>>, b: (g: H<I>) => J };\n",
            "T extends infer A extends string ? B : ",
            "[infer A extends string, infer B extends number], ",
            "a < b || c < d * ",
            "const a = b < c\n",
            "A = 1 << 0, B = 1 << 1,\n",
            "<p a={b} c=\"d\">it's {e < 5} <b>f</b><br /></p>\n",
            "<div a={b}><p>",
        ] {
            assert!(has_few_guesses(&format!("x = {}", piece.repeat(400))), "{piece}");
        }
    }

    fn levels(source: &str) -> u32 {
        Nesting::exact(source.as_bytes()).levels
    }

    #[test]
    fn ordinary_code_stays_on_the_callers_stack() {
        let statements = "const a = { b: [1, 2, f(x => x ? 1 : -2)] };\nif (a) { b(); } else { c(); }\n".repeat(100);
        assert!(Nesting::of(&statements).levels < INLINE_LEVELS, "{:?}", Nesting::of(&statements));
    }

    #[test]
    fn heights() {
        let n = 2_000;
        let deep = [
            "(".repeat(n) + &")".repeat(n),
            format!("a{}", "+1".repeat(n)),
            // Neither the brackets nor the chains alone are long.
            format!("{}a{}", "(".repeat(50), format!("{},0)", "+1".repeat(50)).repeat(50)),
            "if (a) b(); else ".repeat(n) + "c();",
            "()=>{return ".repeat(n) + &"}".repeat(n),
            "<a>".repeat(n) + &"</a>".repeat(n),
        ];
        for source in deep {
            assert!(!is_lower_than(&source, 1_900), "{}", &source[..80]);
            assert!(is_lower_than(&source, 20_000), "{}", &source[..80]);
        }
        for source in [
            "const a = { b: [1, 2, f(x => x ? 1 : -2)] };\nif (a) { b(); } else { c(); }\n",
            "const a = !b\nfoo(a => `x ${a} y`)\nif (a) b = c\nelse d = /[(]/\n",
            "function f(a,b){if(a){b=1}else{b=2}for(;;){a=!b}return a}if(x){y}",
            "a(\"((((\"),",
        ] {
            assert!(is_lower_than(&source.repeat(5_000), 200), "{source}");
        }
    }

    #[test]
    fn flat_code_is_shallow() {
        let statements = "const a = { b: [1, 2, f(x => x ? 1 : -2)] };\n".repeat(500);
        assert!(levels(&statements) < 20, "{}", levels(&statements));
        let no_semicolons = "const a = !b\nfoo(a => `x ${a} y`)\nif (a) b = c\nelse d = /[(]/\n".repeat(500);
        assert!(levels(&no_semicolons) < 20, "{}", levels(&no_semicolons));
        let minified = "function f(a,b){if(a){b=1}else{b=2}for(;;){a=!b}return a}if(x){y}".repeat(500);
        assert!(levels(&minified) < 20, "{}", levels(&minified));
        let chain = Nesting::exact(format!("x = {}1", "'a' + b.c + ".repeat(500)).as_bytes());
        assert!(chain.levels < 20 && chain.chain >= 1000, "{chain:?}");
    }

    #[test]
    fn every_kind_of_nesting_counts() {
        for piece in [
            "(",
            "[",
            "{",
            "!",
            "- ",
            "typeof ",
            "new ",
            "a?b:",
            "a=",
            "a=>",
            "if(a)b;else ",
            "if(a)",
            "{a:",
            "f(",
            "`${",
            "<a>",
            "a**",
            "A<",
            "x:",
            "if(a){}else ",
            "while(1)",
            "()=>{",
            "await ",
            "class{m(){",
        ] {
            let source = piece.repeat(1000);
            assert!(levels(&source) >= 1000, "{piece}: {}", levels(&source));
            assert!(Nesting::of(&source).levels >= 1000, "{piece}: {:?}", Nesting::of(&source));
        }
        // What closes or separates in comments, and other white space, must not hide levels.
        for piece in ["(/*),*/", "[\"]\",", "!/*;*/", "typeof\t", "typeof\u{a0}", "void\u{3000}", "await\u{2028}"] {
            let source = piece.repeat(1000);
            assert!(Nesting::of(&source).levels >= 1000, "{piece}: {:?}", Nesting::of(&source));
            assert!(!is_lower_than(&source, 900), "{piece}");
        }
        // A wrong guess about quotes must not hide brackets.
        let brackets = "(".repeat(100_000);
        assert!(levels(&format!("'\n{brackets}")) >= 100_000);
        assert!(Nesting::of(&format!("`{brackets}")).levels >= 100_000);
    }

    #[test]
    fn brackets_of_sheets() {
        for piece in ["(", "(/*)*/", "[\"]\"", "{'}\\''", "a{b:c;"] {
            assert!(open_brackets(&piece.repeat(1000)) >= 1000, "{piece}");
        }
        assert!(sheet_brackets("a{b:url(\"c)\")} /* ( */ d[e='[']{f:g(h)}\n".repeat(1000).as_bytes()) == 2);
    }

    #[test]
    fn run_picks_a_stack_or_refuses() {
        fn recurse(n: u32) -> u32 {
            let pad = std::hint::black_box([n; 64]);
            if n == 0 { 0 } else { 1 + recurse(n - 1) + pad[0] - n }
        }
        let nesting = |levels, chain| Nesting { levels, chain };
        assert_eq!(run(nesting(10, 0), Walk::Recursive, || 5), Some(5));
        assert_eq!(run(nesting(MAX_LEVELS, 0), Walk::Flat, || recurse(50_000)), Some(50_000));
        assert_eq!(run(nesting(MAX_LEVELS + 1, 0), Walk::Flat, || 5), None);
        assert_eq!(run(nesting(0, MAX_CHAIN + 1), Walk::Flat, || 5), Some(5));
        assert_eq!(run(nesting(0, MAX_CHAIN + 1), Walk::Recursive, || 5), None);
    }
}
