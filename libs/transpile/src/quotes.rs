//! Writes the strings of a minified text in quotes where that takes as many bytes.
//!
//! oxc's printer makes a template literal of each string whose quotes are free to choose. Bun, esbuild and terser print `"`, which is
//! what programs look for that read or change a finished bundle: a placeholder that a deployment replaces, a scan for the names of
//! modules. Both forms are equally long, so positions in the text, and its source map, stay as they are.

/// What opened a brace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// Statements, or the members of a class: an expression does not go on behind it.
    Block,
    /// An object, whose value an operator may follow.
    Object,
    /// The expression of a template literal, which goes on behind it.
    Template,
    /// One of the first two.
    Unknown,
}

/// The bytes that begin or end something.
const MATTERS: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = matches!(at as u8, b'"' | b'\'' | b'`' | b'/' | b'(' | b')' | b'{' | b'}');
        at += 1;
    }
    table
};

/// Changes template literals without expressions to strings in `text`, a program that a printer wrote, without JSX. A template literal
/// stays if the string would be longer, if it has a tag, and at the beginning of a statement, where a string would be a directive. If
/// it cannot be told whether a slash divides or begins a regular expression, what follows stays as it is.
pub fn prefer_quotes(text: &mut String) {
    if memchr::memchr(b'`', text.as_bytes()).is_none() {
        return;
    }
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
        comments: Vec::new(),
        braces: Vec::new(),
        heads: Vec::new(),
        closed: Brace::Unknown,
        closes_head: false,
        changes: Vec::new(),
    };
    reader.read();
    let changes = reader.changes;
    if changes.is_empty() {
        return;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    for (open, close, quote) in changes {
        bytes[open] = quote;
        bytes[close] = quote;
    }
    *text = String::from_utf8(bytes).expect("an ASCII character in the place of another");
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Where comments begin and end.
    comments: Vec<(usize, usize)>,
    braces: Vec<Brace>,
    /// For each open parenthesis, whether it is the head of a statement, as of `if`.
    heads: Vec<bool>,
    /// What the last brace that was closed had opened.
    closed: Brace,
    /// Whether the last parenthesis that was closed is the head of a statement.
    closes_head: bool,
    /// The quotes of template literals that become strings, and what they become.
    changes: Vec<(usize, usize, u8)>,
}

impl Reader<'_> {
    fn read(&mut self) {
        if self.bytes.starts_with(b"#!") {
            self.at = self.end_of_line(0);
        }
        while let Some(length) = self.bytes[self.at..].iter().position(|byte| MATTERS[usize::from(*byte)]) {
            self.at += length;
            match self.bytes[self.at] {
                quote @ (b'"' | b'\'') => {
                    let Some(end) = self.end_of_string(quote) else { return };
                    self.at = end;
                }
                b'`' => {
                    if !self.template() {
                        return;
                    }
                }
                b'/' => {
                    if !self.slash() {
                        return;
                    }
                }
                b'(' => {
                    self.heads.push(self.begins_head());
                    self.at += 1;
                }
                b')' => {
                    let Some(head) = self.heads.pop() else { return };
                    self.closes_head = head;
                    self.at += 1;
                }
                b'{' => {
                    self.braces.push(self.brace());
                    self.at += 1;
                }
                _ => {
                    let Some(brace) = self.braces.pop() else { return };
                    self.closed = brace;
                    self.at += 1;
                    if brace == Brace::Template && !self.template_text() {
                        return;
                    }
                }
            }
        }
    }

    /// Reads what a slash begins: a comment, a regular expression or an operator; false if it cannot be told, or the text ends in it.
    fn slash(&mut self) -> bool {
        let end = match self.bytes.get(self.at + 1) {
            Some(b'/') => self.end_of_line(self.at),
            Some(b'*') => {
                let Some(length) = memchr::memmem::find(&self.bytes[self.at + 2..], b"*/") else { return false };
                self.at + length + 4
            }
            _ => {
                let end = match self.divides() {
                    Some(true) => Some(self.at + 1),
                    Some(false) => self.end_of_pattern(),
                    None => None,
                };
                self.at = end.unwrap_or(self.at);
                return end.is_some();
            }
        };
        self.comments.push((self.at, end));
        self.at = end;
        true
    }

    /// The text up to the last byte before `at` that is not white space or in a comment.
    fn before(&self) -> &[u8] {
        let mut before = self.bytes[..self.at].trim_ascii_end();
        for (start, end) in self.comments.iter().rev() {
            if *end < before.len() {
                break;
            }
            before = self.bytes[..*start].trim_ascii_end();
        }
        before
    }

    /// The place behind the line that `from` is in.
    fn end_of_line(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |length| from + length)
    }

    /// The place behind the string that begins here.
    fn end_of_string(&self, quote: u8) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            at += memchr::memchr2(quote, b'\\', &self.bytes[at.min(self.bytes.len())..])?;
            if self.bytes[at] == quote {
                return Some(at + 1);
            }
            at += 2;
        }
    }

    /// The place behind the pattern of the regular expression that begins here.
    fn end_of_pattern(&self) -> Option<usize> {
        let mut at = self.at + 1;
        let mut is_in_class = false;
        loop {
            match *self.bytes.get(at)? {
                b'\\' => at += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => return Some(at + 1),
                b'\n' => return None,
                _ => {}
            }
            at += 1;
        }
    }

    /// Reads the template literal that begins here up to its first expression; false if the text ends in it.
    fn template(&mut self) -> bool {
        let open = self.at;
        let has_place = self.may_be_string();
        self.at += 1;
        let Some(end) = self.end_of_text() else { return false };
        if self.bytes[end] == b'`'
            && has_place
            && let Some(quote) = quote_for(&self.bytes[open + 1..end])
        {
            self.changes.push((open, end, quote));
        }
        self.leave_text(end);
        true
    }

    /// Goes on in a template literal behind an expression.
    fn template_text(&mut self) -> bool {
        let Some(end) = self.end_of_text() else { return false };
        self.leave_text(end);
        true
    }

    /// The backtick, or the dollar sign of the expression, that ends the text of a template literal.
    fn end_of_text(&self) -> Option<usize> {
        let mut at = self.at;
        loop {
            at += memchr::memchr3(b'`', b'\\', b'$', self.bytes.get(at..)?)?;
            match self.bytes[at] {
                b'`' => return Some(at),
                b'$' if self.bytes.get(at + 1) == Some(&b'{') => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    fn leave_text(&mut self, end: usize) {
        self.at = end + 1;
        if self.bytes[end] == b'$' {
            self.at = end + 2;
            self.braces.push(Brace::Template);
        }
    }

    /// The word that ends with the last significant byte, unless it is the name of a member; empty if there is none.
    fn word(before: &[u8]) -> &[u8] {
        let length = before.iter().rev().take_while(|byte| is_of_word(**byte)).count();
        let start = before.len() - length;
        if start > 0 && matches!(before[start - 1], b'.' | b'#') { b"" } else { &before[start..] }
    }

    /// Whether a string may stand here in the place of a template literal: it has no tag, and would be no directive.
    fn may_be_string(&self) -> bool {
        let before = self.before();
        match before.last() {
            Some(
                b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'+' | b'-' | b'*' | b'%' | b'<' | b'>'
                | b'~' | b'^',
            ) => true,
            Some(_) => matches!(
                Self::word(before),
                b"return" | b"case" | b"typeof" | b"in" | b"void" | b"delete" | b"throw" | b"instanceof" | b"default"
            ),
            None => false,
        }
    }

    /// Whether a slash here is the operator; `None` if that is not known.
    fn divides(&self) -> Option<bool> {
        let before = self.before();
        match before.last() {
            None => Some(false),
            Some(b')') => Some(!self.closes_head),
            Some(b']' | b'"' | b'\'' | b'`') => Some(true),
            Some(b'}') => match self.closed {
                Brace::Block => Some(false),
                Brace::Object => Some(true),
                Brace::Template | Brace::Unknown => None,
            },
            // The end of a regular expression, a number or an operator that may stand before and behind its operand.
            Some(b'/' | b'.') => None,
            Some(sign @ (b'+' | b'-')) if before.ends_with(&[*sign, *sign]) => None,
            Some(byte) if is_of_word(*byte) => match Self::word(before) {
                b"return" | b"case" | b"typeof" | b"in" | b"void" | b"delete" | b"throw" | b"instanceof"
                | b"default" | b"else" | b"do" | b"new" => Some(false),
                b"of" | b"await" | b"yield" => None,
                _ => Some(true),
            },
            Some(_) => Some(false),
        }
    }

    /// Whether a parenthesis here opens the head of a statement.
    fn begins_head(&self) -> bool {
        let before = self.before();
        match Self::word(before) {
            b"if" | b"while" | b"for" | b"with" => true,
            // `for await (`.
            word @ b"await" => Self::word(before[..before.len() - word.len()].trim_ascii_end()) == b"for",
            _ => false,
        }
    }

    /// What a brace here opens.
    fn brace(&self) -> Brace {
        let before = self.before();
        match before.last() {
            // A function, whether or not it is an expression.
            Some(b')') if !self.closes_head => Brace::Unknown,
            Some(b'{') if self.braces.last() == Some(&Brace::Template) => Brace::Object,
            None | Some(b';' | b'{' | b'}' | b')') => Brace::Block,
            Some(b'>') if before.ends_with(b"=>") => Brace::Block,
            Some(
                b'(' | b',' | b'=' | b'[' | b'!' | b'&' | b'|' | b'?' | b'+' | b'-' | b'*' | b'%' | b'<' | b'>' | b'~'
                | b'^',
            ) => Brace::Object,
            Some(byte) if is_of_word(*byte) => match Self::word(before) {
                b"else" | b"do" | b"try" | b"finally" | b"catch" | b"static" => Brace::Block,
                b"return" | b"typeof" | b"in" | b"instanceof" | b"void" | b"throw" | b"default" => Brace::Object,
                _ => Brace::Unknown,
            },
            Some(_) => Brace::Unknown,
        }
    }
}

/// Whether a byte belongs to a name, a number or a keyword. A byte of a character beyond ASCII belongs to a name.
fn is_of_word(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut at = 0;
        while at < 256 {
            let byte = at as u8;
            table[at] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
            at += 1;
        }
        table
    };
    TABLE[usize::from(byte)]
}

/// The quote that a string with this text has, if it is as long as the template literal and needs no other escapes.
fn quote_for(text: &[u8]) -> Option<u8> {
    if memchr::memchr2(b'\n', b'\r', text).is_some() || memchr::memmem::find(text, b"\\`").is_some() {
        return None;
    }
    // An escape that only template literals need.
    if memchr::memmem::find(text, b"\\$").is_some() {
        return None;
    }
    if memchr::memchr(b'"', text).is_none() {
        return Some(b'"');
    }
    memchr::memchr(b'\'', text).is_none().then_some(b'\'')
}

#[cfg(test)]
mod tests {
    use super::prefer_quotes;

    fn of(text: &str) -> String {
        let mut text = text.to_string();
        prefer_quotes(&mut text);
        text
    }

    #[test]
    fn strings_have_quotes() {
        assert_eq!(of("f(`a`,`it's`,`say \"x\"`,`it's \"x\"`)"), "f(\"a\",\"it's\",'say \"x\"',`it's \"x\"`)");
        assert_eq!(of("x=typeof y<`u`?`a`:`b`+`c`;"), "x=typeof y<\"u\"?\"a\":\"b\"+\"c\";");
        assert_eq!(of("function f(){return`a`}"), "function f(){return\"a\"}");
        assert_eq!(of("x=[``,`\\n\\0`]"), "x=[\"\",\"\\n\\0\"]");
    }

    #[test]
    fn template_literals_stay() {
        for text in [
            "x=`a\nb`",
            "x=`\\``",
            "x=`\\${a}`",
            "x=`a${b}c`",
            "x=tag`a`",
            "x=a.in`a`",
            "x=f()`a`",
            "x=a[0]`a`",
            "`use strict`;f()",
            "function f(){`use strict`;return 1}",
            "x=of`a`",
            "x=a.return`b`",
        ] {
            assert_eq!(of(text), text);
        }
    }

    #[test]
    fn what_only_looks_like_one_stays() {
        assert_eq!(of("x=\"`a`\",y='`',z=/`/,w=/[/`]/g,v=`b`"), "x=\"`a`\",y='`',z=/`/,w=/[/`]/g,v=\"b\"");
        assert_eq!(of("/*! `a` */x=1// `b`\n,y=`c`"), "/*! `a` */x=1// `b`\n,y=\"c\"");
        assert_eq!(of("x=`${f(`a`)}`,y=`${{a:`b`}/2}c`"), "x=`${f(\"a\")}`,y=`${{a:\"b\"}/2}c`");
        assert_eq!(of("#!/usr/bin/env `x`\nf(`a`)"), "#!/usr/bin/env `x`\nf(\"a\")");
    }

    #[test]
    fn slashes() {
        assert_eq!(of("x=a/b,y=`c`/d"), "x=a/b,y=\"c\"/d");
        assert_eq!(of("if(a)/`/.test(b)&&f(`c`)"), "if(a)/`/.test(b)&&f(\"c\")");
        assert_eq!(of("x=f(a)/2+g(`c`)/2"), "x=f(a)/2+g(\"c\")/2");
        assert_eq!(of("{a()}/`/.test(`b`)"), "{a()}/`/.test(\"b\")");
        assert_eq!(of("x={a:1}/2+f(`b`)/2"), "x={a:1}/2+f(\"b\")/2");
        assert_eq!(of("for await(a of b)/`/.test(`c`)"), "for await(a of b)/`/.test(\"c\")");
        assert_eq!(of("x=await(a)/2+f(`c`)/2"), "x=await(a)/2+f(\"c\")/2");
        assert_eq!(of("function f(){return/`/.test(`a`)}"), "function f(){return/`/.test(\"a\")}");
        assert_eq!(of("x=a.return/2+f(`b`)/2"), "x=a.return/2+f(\"b\")/2");
    }

    #[test]
    fn nothing_is_changed_behind_a_doubt() {
        assert_eq!(of("x=[`a`];i++/2;f(`b`)"), "x=[\"a\"];i++/2;f(`b`)");
        assert_eq!(of("x=[`a`];function f(){}/`/.test(`b`)"), "x=[\"a\"];function f(){}/`/.test(`b`)");
        assert_eq!(of("x=/a/`b`"), "x=/a/`b`");
        assert_eq!(of("x=[`a`];switch(a){case 1:{}/`/}"), "x=[\"a\"];switch(a){case 1:{}/`/}");
        // Not a program.
        assert_eq!(of("x=[`a`])}f(`b`)"), "x=[\"a\"])}f(`b`)");
        for broken in ["x=`", "x=\"`", "x=/`", "/* `", "x=`${", "x=`a\\", "x='`\\"] {
            assert_eq!(of(broken), broken);
        }
    }
}
