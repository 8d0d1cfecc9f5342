//! An incremental parser of HTTP/1 messages (RFC 9112), as strict as llhttp in its default mode.
//!
//! It pulls: [`Parser::step`] looks at some input, says how many bytes it has used and what it found. It calls nobody,
//! so its user may run JavaScript, drop it or pause between any two steps. Heads are kept as one flat text whose parts
//! are separated by NUL (which cannot occur in them), because that is what crosses to JavaScript.

use memchr::memchr;

/// Methods in llhttp's order, which is the number a [`Head`] carries.
pub const METHODS: &[&str] = &[
    "DELETE",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "COPY",
    "LOCK",
    "MKCOL",
    "MOVE",
    "PROPFIND",
    "PROPPATCH",
    "SEARCH",
    "UNLOCK",
    "BIND",
    "REBIND",
    "UNBIND",
    "ACL",
    "REPORT",
    "MKACTIVITY",
    "CHECKOUT",
    "MERGE",
    "M-SEARCH",
    "NOTIFY",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "PATCH",
    "PURGE",
    "MKCALENDAR",
    "LINK",
    "UNLINK",
    "SOURCE",
    "QUERY",
];

const CONNECT: u16 = 5;

/// Names that are no methods here, but count as good bytes until they turn out not to be.
const OTHER_METHODS: &[&str] = &[
    "DESCRIBE",
    "ANNOUNCE",
    "SETUP",
    "PLAY",
    "PAUSE",
    "TEARDOWN",
    "GET_PARAMETER",
    "SET_PARAMETER",
    "REDIRECT",
    "RECORD",
    "FLUSH",
    "PRI",
];

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

/// Whether `value` is a host, an IPv4 or IPv6 address, with or without a port (RFC 3986, 3.2.2), or nothing.
fn is_host(value: &[u8]) -> bool {
    let (host, rest) = match value {
        [b'[', address @ ..] => {
            let end = memchr(b']', address).unwrap_or(0);
            let known = |b: &u8| b.is_ascii_hexdigit() || matches!(b, b':' | b'.');
            if end == 0 || !address[..end].iter().all(known) {
                return false;
            }
            (&[][..], &address[end + 1..])
        }
        _ => value.split_at(memchr(b':', value).unwrap_or(value.len())),
    };
    let unreserved = |b: &u8| b.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(b);
    let port = rest.is_empty() || rest[0] == b':' && rest[1..].iter().all(u8::is_ascii_digit);
    port && host.iter().all(unreserved)
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

    /// Refuses what can be no beginning of a message as soon as its first bytes are there.
    fn check_begun(&mut self) -> Result<(), ParseError> {
        let begun = &self.partial[..];
        match self.kind {
            Kind::Request => {
                let word = begun.split(|&b| b == b' ').next().unwrap_or_default();
                let whole = word.len() < begun.len();
                let fits = |method: &str| {
                    let method = method.as_bytes();
                    if whole { method == word } else { method.starts_with(word) }
                };
                if METHODS.iter().any(|m| fits(m)) || PREFACE.starts_with(begun) || begun.starts_with(PREFACE) {
                    return Ok(());
                }
                self.good = method_prefix(word);
                refuse("HPE_INVALID_METHOD", "Invalid method encountered")
            }
            Kind::Response => {
                let length = begun.len().min(5);
                if b"HTTP/"[..length] == begun[..length] {
                    Ok(())
                } else {
                    refuse("HPE_INVALID_CONSTANT", "Expected HTTP/, RTSP/ or ICE/")
                }
            }
        }
    }

    fn start_line(&mut self, line: &[u8]) -> Result<(), ParseError> {
        match self.kind {
            Kind::Request => self.request_line(line),
            Kind::Response => self.status_line(line),
        }
    }

    fn request_line(&mut self, line: &[u8]) -> Result<(), ParseError> {
        let Some(space) = memchr(b' ', line) else {
            self.good = method_prefix(line);
            return refuse("HPE_INVALID_METHOD", "Invalid method encountered");
        };
        if line.starts_with(PREFACE) {
            return refuse("HPE_PAUSED_H2_UPGRADE", "Pause on PRI/Upgrade");
        }
        let Some(number) = METHODS.iter().position(|m| m.as_bytes() == &line[..space]) else {
            self.good = method_prefix(&line[..space]);
            return refuse("HPE_INVALID_METHOD", "Invalid method encountered");
        };
        let mut rest = &line[space + 1..];
        while let [b' ', more @ ..] = rest {
            rest = more;
        }
        let end = rest.iter().position(|&b| b == b' ' || b == b'\r' || b == b'\n').unwrap_or(rest.len());
        let url = &rest[..end];
        if url.is_empty() || url.iter().any(|&b| b < 0x21 || b == 0x7f) {
            return refuse("HPE_INVALID_URL", "Invalid characters in url");
        }
        let connect = number as u16 == CONNECT;
        if !connect && url[0] != b'/' && url[0] != b'*' && !url[0].is_ascii_alphabetic() {
            return refuse("HPE_INVALID_URL", "Unexpected start char in url");
        }
        if rest.get(end) != Some(&b' ') {
            return refuse("HPE_INVALID_CONSTANT", "Expected HTTP/, RTSP/ or ICE/");
        }
        self.text.extend_from_slice(url);
        let version = self.strip(&rest[end + 1..], "HPE_INVALID_VERSION", "Expected CRLF after version")?;
        self.version(version)?;
        self.head.number = number as u16;
        Ok(())
    }

    fn version(&mut self, version: &[u8]) -> Result<(), ParseError> {
        let Some(numbers) = version.strip_prefix(b"HTTP/") else {
            return refuse("HPE_INVALID_CONSTANT", "Expected HTTP/, RTSP/ or ICE/");
        };
        match numbers {
            [major @ b'0'..=b'9', b'.', minor @ b'0'..=b'9'] => {
                (self.head.major, self.head.minor) = (major - b'0', minor - b'0');
            }
            [b'0'..=b'9', b'.', b'0'..=b'9', ..] => {
                return refuse("HPE_INVALID_VERSION", "Expected CRLF after version");
            }
            [b'0'..=b'9', b'.', ..] => return refuse("HPE_INVALID_VERSION", "Invalid minor version"),
            [b'0'..=b'9', ..] => return refuse("HPE_INVALID_VERSION", "Expected dot"),
            _ => return refuse("HPE_INVALID_VERSION", "Invalid major version"),
        }
        match (self.head.major, self.head.minor) {
            (1, 0 | 1) | (0, 9) | (2, 0) => Ok(()),
            _ if self.lenient => Ok(()),
            _ => refuse("HPE_INVALID_VERSION", "Invalid HTTP version"),
        }
    }

    fn status_line(&mut self, line: &[u8]) -> Result<(), ParseError> {
        // Responses of old servers end their first line with a bare LF; llhttp takes that as well.
        let line = match line {
            [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n'] => rest,
            _ => line,
        };
        let space = memchr(b' ', line).unwrap_or(line.len());
        self.version(&line[..space])?;
        let rest = line.get(space + 1..).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits != 3 {
            return refuse("HPE_INVALID_STATUS", "Invalid status code");
        }
        self.head.number = rest[..3].iter().fold(0, |n, b| n * 10 + u16::from(b - b'0'));
        match rest.get(3) {
            None => {}
            Some(b' ') => {
                let text = &rest[4..];
                if text.iter().any(|&b| b == 0 || b == b'\r') {
                    return refuse("HPE_INVALID_STATUS", "Invalid status text");
                }
                self.text.extend_from_slice(text);
            }
            Some(_) => return refuse("HPE_INVALID_STATUS", "Invalid response status"),
        }
        Ok(())
    }

    /// One header or trailer; true for the empty line after the last.
    fn header_line(&mut self, line: &[u8]) -> Result<bool, ParseError> {
        if line == b"\r\n" || line == b"\n" && self.lenient {
            return Ok(true);
        }
        if matches!(line[0], b' ' | b'\t') {
            if self.kind == Kind::Response
                && self.seen.headers > 0
                && !self.seen.framing
                && self.state == State::Headers
            {
                // Old servers fold long values; the parts are one value with a space between them.
                let rest = match line {
                    [rest @ .., b'\r', b'\n'] => trim(rest),
                    _ => return refuse("HPE_CR_EXPECTED", "Missing expected CR after header value"),
                };
                if rest.iter().any(|&b| !is_value_byte(b)) {
                    return refuse("HPE_INVALID_HEADER_TOKEN", "Invalid header value char");
                }
                self.text.push(b' ');
                self.text.extend_from_slice(rest);
                return Ok(false);
            }
            return if self.seen.headers == 0 {
                refuse("HPE_INVALID_HEADER_TOKEN", "Unexpected space after start line")
            } else {
                refuse("HPE_INVALID_HEADER_TOKEN", "Unexpected whitespace after header value")
            };
        }
        if line == b"\n" {
            return refuse("HPE_INVALID_HEADER_TOKEN", "Invalid header token");
        }
        let length = line.iter().position(|&b| !TOKEN[b as usize]).unwrap_or(line.len());
        if length == 0 || line.get(length) != Some(&b':') {
            return refuse("HPE_INVALID_HEADER_TOKEN", "Invalid header token");
        }
        let (name, value) = (&line[..length], &line[length + 1..]);
        let value = match value {
            [rest @ .., b'\r', b'\n'] => rest,
            [rest @ .., b'\n'] if self.lenient => rest,
            _ => return refuse("HPE_CR_EXPECTED", "Missing expected CR after header value"),
        };
        let value = trim(value);
        // Every one is looked at: a lenient parser lets some pass, and others may stand behind them.
        for &bad in value.iter().filter(|&&b| !is_value_byte(b)) {
            if bad == b'\r' {
                return refuse("HPE_LF_EXPECTED", "Missing expected LF after header value");
            }
            if !self.lenient || bad == 0 {
                return refuse("HPE_INVALID_HEADER_TOKEN", "Invalid header value char");
            }
        }
        self.seen.headers += 1;
        let trailer = self.state == State::Trailers;
        if !(trailer && self.text.is_empty()) {
            self.text.push(0);
        }
        self.text.extend_from_slice(name);
        self.text.push(0);
        self.text.extend_from_slice(value);
        self.good = length + 1;
        if !trailer {
            self.seen.framing = false;
            self.notice(name, value)?;
        }
        Ok(false)
    }

    /// The headers that framing depends on.
    fn notice(&mut self, name: &[u8], value: &[u8]) -> Result<(), ParseError> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name.len() {
            4 if is("host") => {
                // The second of two may be the one that somebody in between has looked at (RFC 9112, 3.2).
                self.head.odd_host |= self.head.has_host || !is_host(value);
                self.head.has_host = true;
            }
            6 if is("expect") => self.head.has_expect = true,
            7 if is("upgrade") => self.seen.upgrade_header = true,
            10 if is("connection") => self.connection(value),
            16 if is("proxy-connection") => self.connection(value),
            14 if is("content-length") => {
                self.seen.framing = true;
                if self.seen.transfer_encoding && !self.lenient {
                    return refuse(
                        "HPE_INVALID_CONTENT_LENGTH",
                        "Content-Length can't be present with Transfer-Encoding",
                    );
                }
                if self.head.content_length.is_some() {
                    return refuse("HPE_UNEXPECTED_CONTENT_LENGTH", "Content-Length already present");
                }
                if value.is_empty() {
                    return refuse("HPE_INVALID_CONTENT_LENGTH", "Empty Content-Length");
                }
                let mut length = 0u64;
                for &digit in value {
                    if !digit.is_ascii_digit() {
                        return refuse("HPE_INVALID_CONTENT_LENGTH", "Invalid character in Content-Length");
                    }
                    let next = length.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit - b'0')));
                    let Some(next) = next else {
                        return refuse("HPE_INVALID_CONTENT_LENGTH", "Content-Length overflow");
                    };
                    length = next;
                }
                self.head.content_length = Some(length);
            }
            17 if is("transfer-encoding") => {
                self.seen.framing = true;
                if self.head.content_length.is_some() && !self.lenient {
                    return refuse(
                        "HPE_INVALID_TRANSFER_ENCODING",
                        "Transfer-Encoding can't be present with Content-Length",
                    );
                }
                let is_chunked = |coding: &[u8]| trim(coding).eq_ignore_ascii_case(b"chunked");
                let mut codings = value.rsplit(|&b| b == b',');
                let last = codings.next().unwrap_or_default();
                // A coding after `chunked` would leave the length unknown, and twice is one too many.
                let early = self.kind == Kind::Request && codings.any(is_chunked);
                if (self.head.chunked || early) && !self.lenient {
                    return refuse("HPE_INVALID_TRANSFER_ENCODING", "Invalid `Transfer-Encoding` header value");
                }
                self.seen.transfer_encoding = true;
                self.head.chunked = is_chunked(last);
            }
            _ => {}
        }
        Ok(())
    }

    fn connection(&mut self, value: &[u8]) {
        for token in value.split(|&b| b == b',') {
            let token = trim(token);
            if token.eq_ignore_ascii_case(b"close") {
                self.seen.close = true;
            } else if token.eq_ignore_ascii_case(b"keep-alive") {
                self.seen.keep_alive = true;
            } else if token.eq_ignore_ascii_case(b"upgrade") {
                self.seen.upgrade_token = true;
            }
        }
    }

    fn head_complete(&mut self) {
        let (head, seen) = (&mut self.head, &self.seen);
        if head.chunked {
            head.content_length = None;
        }
        let asked = seen.upgrade_token && seen.upgrade_header;
        match self.kind {
            Kind::Request => head.upgrade = asked || head.number == CONNECT,
            Kind::Response => head.upgrade = asked && head.number == 101,
        }
        let persistent = if (head.major, head.minor) >= (1, 1) { !seen.close } else { seen.keep_alive };
        let until_end =
            self.kind == Kind::Response && !head.chunked && head.content_length.is_none() && !bodyless(head.number);
        head.keep_alive = persistent && !until_end;
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

/// The line with which HTTP/2 begins where both sides know beforehand that they speak it (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r";

/// How many bytes of `word` a method begins with.
fn method_prefix(word: &[u8]) -> usize {
    let common = |m: &str| m.bytes().zip(word).take_while(|(a, b)| a == *b).count();
    // llhttp knows methods of RTSP as well, and HTTP/2's preface.
    METHODS.iter().chain(OTHER_METHODS).map(|m| common(m)).max().unwrap_or(0)
}

/// Whether responses with this status never have a body.
pub fn bodyless(status: u16) -> bool {
    status / 100 == 1 || status == 204 || status == 304
}

#[cfg(test)]
mod tests;
