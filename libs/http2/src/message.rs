//! Which header blocks are requests, responses or trailers (RFC 9113, section 8). A field that is wrong in itself is dropped; one that
//! changes what the message means makes it malformed. If the standard leaves a choice, nghttp2's is taken.

/// The kind of message that a header block must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Response,
    Trailers,
}

/// What to do with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    Drop,
    Malformed,
}

const METHOD: u8 = 1;
const SCHEME: u8 = 2;
const AUTHORITY: u8 = 4;
const PATH: u8 = 8;
const STATUS: u8 = 16;
const PROTOCOL: u8 = 32;
const HOST: u8 = 64;

/// Checks the fields of one block in turn.
#[derive(Debug)]
pub struct Check {
    kind: Kind,
    seen: u8,
    regular: bool,
    connect: bool,
    options: bool,
    web_scheme: bool,
    path_slash: bool,
    path_star: bool,
    extended: bool,
    /// Whether the peer may use `:protocol`.
    allow_protocol: bool,
    pub head: bool,
    pub status: u16,
    pub content_length: Option<u64>,
}

fn is_token(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|byte| {
            matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~')
        })
}

/// Whether a field's value has only bytes that are allowed. `strict`: no white space at its ends.
fn is_value(value: &[u8], strict: bool) -> bool {
    if value.iter().any(|byte| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f) {
        return false;
    }
    let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    !strict || !(blank(value.first()) || blank(value.last()))
}

fn is_authority(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| matches!(byte, b'!' | b'$'..=b';' | b'=' | b'?'..=b'Z' | b'[' | b']' | b'_' | b'a'..=b'z' | b'~'))
}

fn number(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 18 {
        return None;
    }
    value.iter().try_fold(0u64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u64::from(byte - b'0')))
}

impl Check {
    /// For a block of one kind; `allow_protocol`: see RFC 8441.
    pub fn new(kind: Kind, allow_protocol: bool) -> Check {
        Check {
            kind,
            seen: 0,
            regular: false,
            connect: false,
            options: false,
            web_scheme: false,
            path_slash: false,
            path_star: false,
            extended: false,
            allow_protocol,
            head: false,
            status: 0,
            content_length: None,
        }
    }

    /// Checks the next field.
    pub fn field(&mut self, name: &[u8], value: &[u8], strict: bool) -> Verdict {
        if name.first() == Some(&b':') {
            return if self.pseudo(name, value) { Verdict::Keep } else { Verdict::Malformed };
        }
        self.regular = true;
        if !is_token(name) || !is_value(value, strict) {
            // Other wrong names are left out, as in nghttp2 (RFC 9113, 8.2.1).
            return if name.iter().any(u8::is_ascii_uppercase) { Verdict::Malformed } else { Verdict::Drop };
        }
        match name {
            b"host" if self.kind == Kind::Request => {
                if self.seen & HOST != 0 || !is_authority(value) {
                    return Verdict::Malformed;
                }
                self.seen |= HOST;
            }
            b"content-length" => {
                if self.kind == Kind::Trailers {
                    return Verdict::Keep;
                }
                // An answer without a body says "0" in vain, or repeats itself.
                if self.kind == Kind::Response && self.status == 204 {
                    return if number(value) == Some(0) { Verdict::Drop } else { Verdict::Malformed };
                }
                if self.content_length.is_some() {
                    return Verdict::Malformed;
                }
                match number(value) {
                    None => return Verdict::Malformed,
                    some => self.content_length = some,
                }
            }
            b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding" | b"upgrade" => {
                return Verdict::Malformed;
            }
            b"te" if !value.eq_ignore_ascii_case(b"trailers") => return Verdict::Malformed,
            _ => {}
        }
        Verdict::Keep
    }

    fn pseudo(&mut self, name: &[u8], value: &[u8]) -> bool {
        let request = self.kind == Kind::Request;
        let bit = match name {
            b":method" if request => METHOD,
            b":scheme" if request => SCHEME,
            b":authority" if request => AUTHORITY,
            b":path" if request => PATH,
            b":protocol" if request && self.allow_protocol => PROTOCOL,
            b":status" if self.kind == Kind::Response => STATUS,
            _ => return false,
        };
        if self.regular || self.seen & bit != 0 {
            return false;
        }
        self.seen |= bit;
        match bit {
            METHOD => {
                self.connect = value == b"CONNECT";
                self.options = value == b"OPTIONS";
                self.head = value == b"HEAD";
                !value.is_empty() && value.iter().all(|byte| is_token(&[byte.to_ascii_lowercase()]))
            }
            SCHEME => {
                self.web_scheme = value.eq_ignore_ascii_case(b"http") || value.eq_ignore_ascii_case(b"https");
                value.first().is_some_and(u8::is_ascii_alphabetic)
                    && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
            }
            AUTHORITY => is_authority(value),
            PATH => {
                self.path_slash = value.first() == Some(&b'/');
                self.path_star = value == b"*";
                value.iter().all(|byte| *byte > 0x20 && *byte != 0x7f)
            }
            PROTOCOL => {
                self.extended = true;
                is_value(value, true)
            }
            _ => match number(value) {
                Some(status) if value.len() == 3 && status >= 100 && status != 101 => {
                    self.status = status as u16;
                    true
                }
                _ => false,
            },
        }
    }

    /// Whether all fields that the kind of message requires have come.
    pub fn is_complete(&self) -> bool {
        let has = |bits: u8| self.seen & bits == bits;
        match self.kind {
            Kind::Trailers => true,
            Kind::Response => has(STATUS),
            Kind::Request if self.connect && !self.extended => {
                has(METHOD | AUTHORITY) && self.seen & (SCHEME | PATH) == 0
            }
            Kind::Request => {
                if !has(METHOD | SCHEME | PATH) || self.seen & (AUTHORITY | HOST) == 0 {
                    return false;
                }
                if self.extended && (!self.connect || !has(AUTHORITY)) {
                    return false;
                }
                !self.web_scheme || self.path_slash || (self.options && self.path_star)
            }
        }
    }

    /// Whether the message is a request to open a tunnel.
    pub fn is_connect(&self) -> bool {
        self.connect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(kind: Kind, fields: &[(&str, &str)]) -> bool {
        let mut check = Check::new(kind, false);
        let good = fields
            .iter()
            .all(|(name, value)| check.field(name.as_bytes(), value.as_bytes(), true) != Verdict::Malformed);
        good && check.is_complete()
    }

    #[test]
    fn requests() {
        let get = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a:1")];
        assert!(complete(Kind::Request, &get));
        assert!(!complete(Kind::Request, &get[..3]));
        assert!(!complete(Kind::Request, &[(":method", "GET"), ("a", "b"), (":scheme", "http"), (":path", "/")]));
        assert!(!complete(
            Kind::Request,
            &[(":method", "GET"), (":method", "GET"), (":scheme", "http"), (":path", "/")]
        ));
        assert!(!complete(Kind::Request, &[get[0], get[1], get[2], get[3], ("connection", "close")]));
        assert!(!complete(Kind::Request, &[get[0], get[1], (":path", "x"), get[3]]));
        assert!(complete(Kind::Request, &[(":method", "CONNECT"), (":authority", "a:1")]));
        assert!(!complete(Kind::Request, &[(":method", "CONNECT"), (":protocol", "websocket"), (":authority", "a:1")]));
    }

    #[test]
    fn responses_and_trailers() {
        assert!(complete(Kind::Response, &[(":status", "200"), ("content-length", "3")]));
        assert!(!complete(Kind::Response, &[("content-length", "3")]));
        assert!(!complete(Kind::Response, &[(":status", "101")]));
        assert!(!complete(Kind::Response, &[(":status", "200"), ("content-length", "3"), ("content-length", "3")]));
        assert!(!complete(Kind::Trailers, &[(":status", "200")]));
        let mut check = Check::new(Kind::Response, false);
        assert_eq!(check.field(b"Upper", b"x", true), Verdict::Malformed);
        assert_eq!(check.field(b"a b", b"x", true), Verdict::Drop);
        assert_eq!(check.field(b"a", b"x\ny", true), Verdict::Drop);
        assert_eq!(check.field(b"a", b" x", true), Verdict::Drop);
        assert_eq!(check.field(b"a", b" x", false), Verdict::Keep);
    }
}
