//! The head of a message: its first line and its fields.

use memchr::memchr;

use super::{Kind, ParseError, Parser, State, TOKEN, bodyless, is_value_byte, refuse, trim};

/// Methods in llhttp's order, which is the number a [`Head`](super::Head) carries.
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
    // CardDAV servers know it, and Bun does; llhttp, and so `http.METHODS`, does not.
    "MKADDRESSBOOK",
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

/// The line with which HTTP/2 begins where both sides know beforehand that they speak it (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r";

/// How many bytes of `word` a method begins with.
fn method_prefix(word: &[u8]) -> usize {
    let common = |m: &str| m.bytes().zip(word).take_while(|(a, b)| a == *b).count();
    // llhttp knows methods of RTSP as well, and HTTP/2's preface.
    METHODS.iter().chain(OTHER_METHODS).map(|m| common(m)).max().unwrap_or(0)
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

impl Parser {
    /// Refuses what can be no beginning of a message as soon as its first bytes are there.
    pub(super) fn check_begun(&mut self) -> Result<(), ParseError> {
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

    pub(super) fn start_line(&mut self, line: &[u8]) -> Result<(), ParseError> {
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
    pub(super) fn header_line(&mut self, line: &[u8]) -> Result<bool, ParseError> {
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

    pub(super) fn head_complete(&mut self) {
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
}
