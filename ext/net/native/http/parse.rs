//! An incremental parser of HTTP/1 messages (RFC 9112), as strict as llhttp in its default mode.
//!
//! It pulls: [`Parser::step`] looks at some input, says how many bytes it has used and what it found. It calls nobody,
//! so its user may run JavaScript, drop it or pause between any two steps. Heads are kept as one flat text whose parts
//! are separated by NUL (which cannot occur in them), because that is what crosses to JavaScript.

mod head;

use memchr::memchr;

pub use head::METHODS;

/// Which messages a parser expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Response,
}

/// Why a message was refused: llhttp's code and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseError {
    pub code: &'static str,
    pub reason: &'static str,
}

/// Where the first byte at or after `at` is that ends no line.
#[inline]
fn after_line_ends(input: &[u8], mut at: usize) -> usize {
    while at < input.len() && matches!(input[at], b'\r' | b'\n') {
        at += 1;
    }
    at
}

fn refuse<T>(code: &'static str, reason: &'static str) -> Result<T, ParseError> {
    Err(ParseError { code, reason })
}

/// What the head of a message says about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Head {
    /// Index into [`METHODS`], or the status of a response.
    pub number: u16,
    pub major: u8,
    pub minor: u8,
    /// The connection can be used again after this message.
    pub keep_alive: bool,
    /// Another protocol is asked for, or CONNECT.
    pub upgrade: bool,
    pub has_host: bool,
    /// A `Host` is no host with or without a port: in a URL it would not end where the path begins.
    pub odd_host: bool,
    pub has_expect: bool,
    pub chunked: bool,
    pub content_length: Option<u64>,
}

/// What [`Parser::step`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All input is used up.
    More,
    /// A head; its text is [`Parser::text`]. Goes on with the body unless [`Parser::skip_body`] is called.
    Head(Head),
    /// The last `len` bytes used are body.
    Body { len: usize },
    /// A message has ended; trailers are in [`Parser::text`].
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Headers,
    /// A head was given out; its body begins.
    AfterHead,
    Length(u64),
    UntilEnd,
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    Trailers,
    /// Only `End` is left to say.
    Done,
    /// The last message said that it is the last.
    Closed,
}

/// See the module.
pub struct Parser {
    kind: Kind,
    limit: usize,
    lenient: bool,
    state: State,
    /// A line of which the end has not come yet.
    partial: Vec<u8>,
    text: Vec<u8>,
    used: usize,
    head: Head,
    seen: Seen,
    skip_body: bool,
    /// Bytes of the input before the line under way, and how many of that line were good.
    line_at: usize,
    good: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    close: bool,
    keep_alive: bool,
    upgrade_token: bool,
    upgrade_header: bool,
    transfer_encoding: bool,
    /// The last header says where the message ends.
    framing: bool,
    headers: u32,
}

/// Bytes of a token (RFC 9110, 5.6.2).
static TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = matches!(i as u8, b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_'
            | b'`' | b'|' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z');
        i += 1;
    }
    table
};

fn is_value_byte(byte: u8) -> bool {
    byte >= 0x20 && byte != 0x7f || byte == b'\t'
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Refuses what stands behind the size of a chunk as llhttp does (RFC 9112, 7.1.1): `;name`, `;name=value` or `;name="value"`, any
/// number of times.
fn chunk_extensions(text: &[u8]) -> Result<(), ParseError> {
    let strict = |reason| refuse("HPE_STRICT", reason);
    let mut bytes = text.iter().copied();
    let mut next = bytes.next();
    while next == Some(b';') {
        next = bytes.next();
        if matches!(next, None | Some(b' ')) {
            return strict("Invalid character in chunk extensions");
        }
        while next.is_some_and(|b| TOKEN[b as usize]) {
            next = bytes.next();
        }
        if next == Some(b'=') {
            next = bytes.next();
            while next.is_some_and(|b| TOKEN[b as usize]) {
                next = bytes.next();
            }
            if next == Some(b'"') {
                loop {
                    match bytes.next() {
                        Some(b'"') => break,
                        Some(b'\\') if bytes.next().is_some_and(is_value_byte) => {}
                        Some(b'\\') => return strict("Invalid quoted-pair in chunk extensions quoted value"),
                        Some(b) if is_value_byte(b) => {}
                        _ => return strict("Invalid character in chunk extensions quoted value"),
                    }
                }
                next = bytes.next();
                if !matches!(next, None | Some(b';')) {
                    return strict("Invalid character in chunk extensions quote value");
                }
            } else if !matches!(next, None | Some(b';')) {
                return strict("Invalid character in chunk extensions value");
            }
        } else if !matches!(next, None | Some(b';')) {
            return strict("Invalid character in chunk extensions name");
        }
    }
    Ok(())
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new(Kind::Request, 0, false)
    }
}

impl Parser {
    /// `limit`: most bytes of a head, and of trailers. `lenient`: accepts what Node's `insecureHTTPParser` accepts.
    pub fn new(kind: Kind, limit: usize, lenient: bool) -> Self {
        Parser {
            kind,
            limit,
            lenient,
            state: State::Start,
            partial: Vec::new(),
            text: Vec::new(),
            used: 0,
            head: Head::default(),
            seen: Seen::default(),
            skip_body: false,
            line_at: 0,
            good: 0,
        }
    }

    /// Makes it a new parser with these parameters (see [`Parser::new`]), which keeps the memory of its text.
    pub fn reset(&mut self, kind: Kind, limit: usize, lenient: bool) {
        /// What the text of a usual head needs.
        const KEPT: usize = 4096;
        let mut text = std::mem::take(&mut self.text);
        if text.capacity() > KEPT {
            text = Vec::new();
        }
        text.clear();
        *self = Parser { text, ..Parser::new(kind, limit, lenient) };
    }

    /// Whether it is as after [`Parser::reset`], but for the text of the message before.
    pub fn is_fresh(&self) -> bool {
        self.state == State::Start && self.partial.is_empty()
    }

    /// After an error: how many bytes of the last input came before it.
    pub fn good_bytes(&self, input: usize) -> usize {
        (self.line_at + self.good).min(input)
    }

    /// Text of the last head (URL or status text, then names and values), or trailers (names and values).
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The message whose head was just given out has no body, whatever its headers say (responses to HEAD).
    pub fn skip_body(&mut self) {
        self.skip_body = true;
    }

    /// Whether a message has begun and not ended.
    pub fn in_message(&self) -> bool {
        !matches!(self.state, State::Start | State::Closed) || !self.partial.is_empty()
    }

    /// Whether bytes of a head were seen and it is not complete.
    pub fn in_head(&self) -> bool {
        self.state == State::Headers || self.state == State::Start && !self.partial.is_empty()
    }

    /// The input has ended: `Ok(true)` where that ends a message regularly.
    pub fn finish(&mut self) -> Result<bool, ParseError> {
        match self.state {
            State::UntilEnd => {
                self.state = State::Closed;
                self.text.clear();
                Ok(true)
            }
            State::Start if self.partial.is_empty() => Ok(false),
            State::Closed => Ok(false),
            _ => refuse("HPE_INVALID_EOF_STATE", "Invalid EOF state"),
        }
    }

    /// Uses bytes of `input`; returns their number and what they were.
    pub fn step(&mut self, input: &[u8]) -> Result<(usize, Step), ParseError> {
        let mut at = 0;
        loop {
            match self.state {
                State::Start => {
                    if self.partial.is_empty() {
                        at = after_line_ends(input, at);
                        if at == input.len() {
                            return Ok((at, Step::More));
                        }
                        self.begin_message();
                    }
                    let Some((line_at, used)) = self.line(input, at)? else {
                        self.check_begun()?;
                        return Ok((input.len(), Step::More));
                    };
                    self.with_line(input, line_at, used, Parser::start_line)?;
                    at = used;
                    self.state = State::Headers;
                }
                State::Headers | State::Trailers => {
                    let Some((line_at, used)) = self.line(input, at)? else {
                        self.check_line_end()?;
                        return Ok((input.len(), Step::More));
                    };
                    let empty = self.with_line(input, line_at, used, Parser::header_line)?;
                    at = used;
                    if empty {
                        if self.state == State::Trailers {
                            self.end();
                            return Ok((at, Step::End));
                        }
                        self.head_complete();
                        self.state = State::AfterHead;
                        return Ok((at, Step::Head(self.head)));
                    }
                }
                State::AfterHead => {
                    let unknown = self.seen.transfer_encoding && !self.head.chunked;
                    if self.kind == Kind::Request && unknown && !self.lenient {
                        // Told after the head, as llhttp does: nobody can say where this message ends.
                        return refuse("HPE_INVALID_TRANSFER_ENCODING", "Request has invalid `Transfer-Encoding`");
                    }
                    self.state = self.body_state();
                    if self.state == State::Done {
                        self.text.clear();
                    }
                }
                State::Done => {
                    self.end();
                    return Ok((at, Step::End));
                }
                State::Length(left) | State::Chunk(left) => {
                    if at == input.len() {
                        return Ok((at, Step::More));
                    }
                    let len = left.min((input.len() - at) as u64) as usize;
                    self.take_body(left - len as u64);
                    return Ok((at + len, Step::Body { len }));
                }
                State::UntilEnd => {
                    let len = input.len() - at;
                    return Ok((input.len(), if len == 0 { Step::More } else { Step::Body { len } }));
                }
                State::ChunkEnd => {
                    if at == input.len() {
                        return Ok((at, Step::More));
                    }
                    self.chunk_end(input[at])?;
                    at += 1;
                }
                State::ChunkSize => match self.chunk_begin(input, at)? {
                    Some(used) => at = used,
                    None => return Ok((input.len(), Step::More)),
                },
                State::Closed => {
                    at = after_line_ends(input, at);
                    if at == input.len() {
                        return Ok((at, Step::More));
                    }
                    return refuse("HPE_CLOSED_CONNECTION", "Data after `Connection: close`");
                }
            }
        }
    }

    #[inline]
    fn begin_message(&mut self) {
        self.text.clear();
        self.used = 0;
        self.head = Head::default();
        self.seen = Seen::default();
        self.skip_body = false;
    }

    /// A part of the body was used; `left` bytes of it, or of its chunk, are to come.
    #[inline]
    fn take_body(&mut self, left: u64) {
        self.state = match (self.state, left) {
            (State::Length(_), 0) => State::Done,
            (State::Length(_), _) => State::Length(left),
            (_, 0) => State::ChunkEnd,
            _ => State::Chunk(left),
        };
        if self.state == State::Done {
            self.text.clear();
        }
    }

    /// One byte of what ends a chunk: exactly CR LF.
    #[inline]
    fn chunk_end(&mut self, byte: u8) -> Result<(), ParseError> {
        match (self.partial.is_empty(), byte) {
            (true, b'\r') => self.partial.push(b'\r'),
            (true, b'\n') if self.lenient => self.state = State::ChunkSize,
            (true, _) => return refuse("HPE_STRICT", "Expected CR after chunk data"),
            (false, b'\n') => {
                self.partial.clear();
                self.state = State::ChunkSize;
            }
            (false, _) => return refuse("HPE_STRICT", "Expected LF after chunk data"),
        }
        Ok(())
    }

    /// The line with the size of a chunk; returns how far the input is used. `None`: the line has not ended.
    #[inline]
    fn chunk_begin(&mut self, input: &[u8], at: usize) -> Result<Option<usize>, ParseError> {
        self.used = 0;
        let found = self.line(input, at).map_err(|error| match error.code {
            "HPE_HEADER_OVERFLOW" => {
                ParseError { code: "HPE_CHUNK_EXTENSIONS_OVERFLOW", reason: "Chunk extensions overflow" }
            }
            _ => error,
        })?;
        let Some((line_at, used)) = found else {
            if let Some(&first) = self.partial.first()
                && !first.is_ascii_hexdigit()
            {
                return refuse("HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size");
            }
            return Ok(None);
        };
        let size = self.with_line(input, line_at, used, Parser::chunk_size)?;
        self.state = if size == 0 {
            self.text.clear();
            self.used = 0;
            State::Trailers
        } else {
            State::Chunk(size)
        };
        Ok(Some(used))
    }

    fn end(&mut self) {
        let last = !self.head.keep_alive && !self.lenient;
        self.state = if last { State::Closed } else { State::Start };
    }

    /// Finds the end of the line that begins at `at`. `None`: it has not come yet and was kept. The line is in
    /// `input[at..used]` where the first number is not `usize::MAX`, otherwise completed in `partial`.
    fn line(&mut self, input: &[u8], at: usize) -> Result<Option<(usize, usize)>, ParseError> {
        (self.line_at, self.good) = (at, 0);
        let Some(length) = memchr(b'\n', &input[at..]) else {
            self.partial.extend_from_slice(&input[at..]);
            if self.used + self.partial.len() > self.limit {
                self.good = input.len() - at;
                return refuse("HPE_HEADER_OVERFLOW", "Header overflow");
            }
            return Ok(None);
        };
        let used = at + length + 1;
        let carried = self.partial.len();
        self.used += carried + length + 1;
        if self.used > self.limit {
            self.good = length + 1;
            return refuse("HPE_HEADER_OVERFLOW", "Header overflow");
        }
        if carried == 0 {
            return Ok(Some((at, used)));
        }
        self.partial.extend_from_slice(&input[at..used]);
        Ok(Some((usize::MAX, used)))
    }

    /// Refuses a line of which not all has come if it has a CR without LF already: nothing that could come would mend it.
    fn check_line_end(&mut self) -> Result<(), ParseError> {
        let ends = memchr(b'\r', &self.partial).is_some_and(|at| at + 1 < self.partial.len());
        if !ends || self.lenient {
            return Ok(());
        }
        let mut line = std::mem::take(&mut self.partial);
        line.extend_from_slice(b"\r\n");
        self.header_line(&line).map(|_| ())
    }

    fn with_line<T>(
        &mut self,
        input: &[u8],
        at: usize,
        used: usize,
        f: fn(&mut Parser, &[u8]) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if at != usize::MAX {
            return f(self, &input[at..used]);
        }
        let mut line = std::mem::take(&mut self.partial);
        let result = f(self, &line);
        line.clear();
        self.partial = line;
        result
    }

    /// The line without its end; a bare LF is refused.
    fn strip<'a>(&self, line: &'a [u8], code: &'static str, reason: &'static str) -> Result<&'a [u8], ParseError> {
        match line {
            [rest @ .., b'\r', b'\n'] => Ok(rest),
            [rest @ .., b'\n'] if self.lenient => Ok(rest),
            _ => refuse(code, reason),
        }
    }

    fn body_state(&self) -> State {
        let head = &self.head;
        if self.skip_body || self.kind == Kind::Response && bodyless(head.number) {
            return State::Done;
        }
        if head.chunked {
            return State::ChunkSize;
        }
        match (self.kind, head.content_length) {
            (_, Some(0)) | (Kind::Request, None) => State::Done,
            (_, Some(length)) => State::Length(length),
            (Kind::Response, None) => State::UntilEnd,
        }
    }

    fn chunk_size(&mut self, line: &[u8]) -> Result<u64, ParseError> {
        let line = self.strip(line, "HPE_CR_EXPECTED", "Missing expected CR after chunk size")?;
        let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let mut rest = &line[digits..];
        if digits == 0 {
            return refuse("HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size");
        }
        if digits > 16 {
            return refuse("HPE_INVALID_CHUNK_SIZE", "Chunk size overflow");
        }
        if self.lenient {
            rest = trim(rest);
        }
        if !rest.is_empty() {
            if rest[0] != b';' {
                return refuse("HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size");
            }
            // As much as Node allows.
            if rest.len() > 16 << 10 {
                return refuse("HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow");
            }
            chunk_extensions(rest)?;
        }
        let size =
            line[..digits].iter().fold(0, |size, &b| size << 4 | u64::from((b as char).to_digit(16).unwrap_or(0)));
        // llhttp stops at 2^64: nothing is as long as half of it, either.
        if size > u64::MAX >> 1 {
            return refuse("HPE_INVALID_CHUNK_SIZE", "Chunk size overflow");
        }
        Ok(size)
    }
}

/// Whether responses with this status never have a body.
pub fn bodyless(status: u16) -> bool {
    status / 100 == 1 || status == 204 || status == 304
}

#[cfg(test)]
mod tests;
