//! Where replies end. A scan makes no values: it goes on where it stopped when more bytes have come, so that a reply in many pieces
//! is looked at once, and what reads the values afterwards reads a reply that is known to be whole and well-formed.

/// Aggregates within aggregates.
const MAX_DEPTH: usize = 128;
/// Bytes of a line: numbers, errors, simple strings.
const MAX_LINE: usize = 512 * 1024;
/// Bytes of a string; the server's own limit.
const MAX_STRING: f64 = (512 * 1024 * 1024) as f64;
/// Elements of one aggregate; more than any server can hold.
const MAX_COUNT: f64 = u32::MAX as f64;

/// Why bytes are no reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What comes behind `ERR_REDIS_` in the code of the error.
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

fn invalid(what: &str) -> Fault {
    Fault { code: "INVALID_RESPONSE", message: what.into() }
}

/// An aggregate whose end has not come.
struct Open {
    /// Elements that are still to come, at least one.
    left: u64,
    /// Attributes say something of the value behind them and are none.
    is_attribute: bool,
}

/// A scan of one reply.
#[derive(Default)]
pub(crate) struct Scanner {
    /// The first place that was not looked at, counted from the beginning of the reply.
    at: usize,
    open: Vec<Open>,
}

impl Scanner {
    /// The end of the reply with which `bytes` begin; `None` if it has not come whole: the next call gets the same bytes and more.
    pub(crate) fn scan(&mut self, bytes: &[u8]) -> Result<Option<usize>, Fault> {
        loop {
            let Some(&kind) = bytes.get(self.at) else { return Ok(None) };
            let from = self.at + 1;
            let Some(end) = line_end(bytes, from)? else { return Ok(None) };
            let line = &bytes[from..end];
            let next = end + 2;
            let next = match kind {
                b'+' | b'-' => next,
                b':' => {
                    integer(line)?;
                    next
                }
                b'_' if line.is_empty() => next,
                b'_' => return Err(invalid("Failed to read data: a null with a value")),
                b'#' if line == b"t" || line == b"f" => next,
                b'#' => return Err(invalid("Failed to read data: a boolean that is neither t nor f")),
                b',' if double(line).is_some() => next,
                b',' => return Err(invalid("Failed to read data: a double that is none")),
                b'(' if is_big_number(line) => next,
                b'(' => return Err(invalid("Failed to read data: a big number that is none")),
                b'$' | b'!' | b'=' => match string_end(bytes, kind, line, next)? {
                    Some(end) => end,
                    None => return Ok(None),
                },
                b'*' | b'~' | b'>' | b'%' | b'|' => {
                    let count = integer(line)?;
                    let is_null = count == -1.0 && kind == b'*';
                    if !is_null {
                        if !(0.0..=MAX_COUNT).contains(&count) {
                            let message = format!("Failed to read data: {count} elements");
                            return Err(Fault { code: "INVALID_ARRAY", message });
                        }
                        if self.open.len() >= MAX_DEPTH {
                            return Err(invalid("Failed to read data: nested too deeply"));
                        }
                        let is_attribute = kind == b'|';
                        let left = count as u64 * if is_attribute || kind == b'%' { 2 } else { 1 };
                        if left > 0 {
                            self.at = next;
                            self.open.push(Open { left, is_attribute });
                            continue;
                        }
                        if is_attribute {
                            self.at = next;
                            continue;
                        }
                    }
                    next
                }
                other => {
                    let shown = char::from(other);
                    let message = format!("Failed to read data: unknown type {:?}", shown.to_string());
                    return Err(Fault { code: "INVALID_RESPONSE_TYPE", message });
                }
            };
            self.at = next;
            if self.is_over() {
                self.at = 0;
                return Ok(Some(next));
            }
        }
    }

    /// A value has ended: whether the reply has.
    fn is_over(&mut self) -> bool {
        while let Some(open) = self.open.last_mut() {
            open.left -= 1;
            if open.left > 0 {
                return false;
            }
            let is_attribute = open.is_attribute;
            self.open.pop();
            if is_attribute {
                return false;
            }
        }
        true
    }
}

/// Where the line that begins at `from` ends, before CR and LF; `None` if its end has not come.
#[inline]
pub(crate) fn line_end(bytes: &[u8], from: usize) -> Result<Option<usize>, Fault> {
    let rest = bytes.get(from..).unwrap_or_default();
    let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
        return if rest.len() > MAX_LINE { Err(invalid("Line too long")) } else { Ok(None) };
    };
    if length > MAX_LINE {
        return Err(invalid("Line too long"));
    }
    if length == 0 || rest[length - 1] != b'\r' {
        return Err(invalid("Failed to read data: a line ends without CR"));
    }
    Ok(Some(from + length - 1))
}

/// The end of a string whose bytes begin at `from`, with its CR and LF; `None` if it has not come.
fn string_end(bytes: &[u8], kind: u8, line: &[u8], from: usize) -> Result<Option<usize>, Fault> {
    let wrong = |message: String| Fault { code: "INVALID_BULK_STRING", message };
    let length = integer(line)?;
    if length == -1.0 && kind == b'$' {
        return Ok(Some(from));
    }
    if !(0.0..=MAX_STRING).contains(&length) {
        return Err(wrong(format!("Failed to read data: a string of {length} bytes")));
    }
    // A verbatim string has its format before it: "txt:".
    if kind == b'=' && length < 4.0 {
        return Err(invalid("Failed to read data: a verbatim string without a format"));
    }
    let to = from + length as usize;
    match bytes.get(to..to + 2) {
        None => Ok(None),
        Some(b"\r\n") => Ok(Some(to + 2)),
        Some(_) => Err(wrong("Failed to read data: a string that is longer than it says".into())),
    }
}

/// An integer, rounded to the nearest double.
#[inline]
pub(crate) fn integer(line: &[u8]) -> Result<f64, Fault> {
    let wrong = |message: String| Fault { code: "INVALID_INTEGER", message };
    let (is_negative, digits) = match line {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() {
        return Err(wrong("Failed to read data: an empty integer".into()));
    }
    if !digits.iter().all(u8::is_ascii_digit) {
        let shown = String::from_utf8_lossy(&line[..line.len().min(40)]);
        return Err(wrong(format!("Failed to read data: {shown:?} is no integer")));
    }
    let value = if digits.len() <= 18 {
        digits.iter().fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0')) as f64
    } else {
        // Digits are a number that Rust can read.
        std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::INFINITY)
    };
    Ok(if is_negative { -value } else { value })
}

/// A double; `None` for what is none.
pub(crate) fn double(line: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(line).ok()?;
    match text {
        "inf" | "+inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ if text.len() <= 4 && text.trim_start_matches(['+', '-']).eq_ignore_ascii_case("nan") => Some(f64::NAN),
        // Rust reads more words than these.
        _ if text.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) => None,
        _ => text.parse().ok(),
    }
}

fn is_big_number(line: &[u8]) -> bool {
    let digits = line.strip_prefix(b"-").or_else(|| line.strip_prefix(b"+")).unwrap_or(line);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replies that are whole, of every kind.
    const WHOLE: &[&str] = &[
        "+OK\r\n",
        "-ERR no\r\n",
        ":-42\r\n",
        ":99999999999999999999999\r\n",
        "_\r\n",
        "#t\r\n",
        ",1.5e3\r\n",
        ",-inf\r\n",
        ",nan\r\n",
        "(12345678901234567890123\r\n",
        "$0\r\n\r\n",
        "$-1\r\n",
        "$4\r\na\r\nb\r\n",
        "!5\r\nERR x\r\n",
        "=8\r\ntxt:text\r\n",
        "*0\r\n",
        "*-1\r\n",
        "*3\r\n:1\r\n*2\r\n$1\r\na\r\n_\r\n*0\r\n",
        "~2\r\n+a\r\n+b\r\n",
        "%1\r\n+k\r\n*1\r\n%1\r\n:1\r\n#f\r\n",
        "|1\r\n+ttl\r\n:3\r\n:7\r\n",
        "*1\r\n|1\r\n+a\r\n+b\r\n:1\r\n",
        "|0\r\n+OK\r\n",
        ">3\r\n+message\r\n$1\r\nc\r\n$1\r\nm\r\n",
    ];

    #[test]
    fn replies_end_where_they_end_however_they_come() {
        for text in WHOLE {
            let bytes = text.as_bytes();
            assert_eq!(Scanner::default().scan(bytes), Ok(Some(bytes.len())), "{text:?}");
            let followed = [bytes, b"+more\r\n"].concat();
            assert_eq!(Scanner::default().scan(&followed), Ok(Some(bytes.len())), "{text:?}");
            let mut scanner = Scanner::default();
            for end in 0..bytes.len() {
                assert_eq!(scanner.scan(&bytes[..end]), Ok(None), "{text:?} at {end}");
            }
            assert_eq!(scanner.scan(bytes), Ok(Some(bytes.len())), "{text:?}");
            // The scanner is as new.
            assert_eq!(scanner.scan(b"+OK\r\n"), Ok(Some(5)));
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        let deep = "*1\r\n".repeat(MAX_DEPTH + 1);
        for (text, code) in [
            ("hello\r\n", "INVALID_RESPONSE_TYPE"),
            ("+OK\n", "INVALID_RESPONSE"),
            (":\r\n", "INVALID_INTEGER"),
            (":1x\r\n", "INVALID_INTEGER"),
            ("$-2\r\n", "INVALID_BULK_STRING"),
            ("$999999999999\r\n", "INVALID_BULK_STRING"),
            ("$1\r\nabc\r\n", "INVALID_BULK_STRING"),
            ("=3\r\nabc\r\n", "INVALID_RESPONSE"),
            ("*-2\r\n", "INVALID_ARRAY"),
            ("%-1\r\n", "INVALID_ARRAY"),
            ("*99999999999999\r\n", "INVALID_ARRAY"),
            ("_x\r\n", "INVALID_RESPONSE"),
            ("#x\r\n", "INVALID_RESPONSE"),
            (",infinity\r\n", "INVALID_RESPONSE"),
            (",\r\n", "INVALID_RESPONSE"),
            ("(1.5\r\n", "INVALID_RESPONSE"),
            (deep.as_str(), "INVALID_RESPONSE"),
        ] {
            let fault = Scanner::default().scan(text.as_bytes()).expect_err(text);
            assert_eq!(fault.code, code, "{text:?}");
        }
        let long = [b"+".as_slice(), &vec![b'x'; MAX_LINE + 1]].concat();
        assert!(Scanner::default().scan(&long).is_err());
    }

    /// A generator of numbers that are the same at every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % limit
        }
    }

    /// Replies with bytes that were changed, left out and put in: the scan ends, stays within the bytes, and says the same however they
    /// come. `BAO_FUZZ_ROUNDS` makes it longer.
    #[test]
    fn damaged_replies_are_harmless() {
        let rounds = std::env::var("BAO_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
        let mut random = Random(17);
        for round in 0..rounds {
            let mut bytes: Vec<u8> =
                (0..=random.below(3)).flat_map(|_| WHOLE[random.below(WHOLE.len())].bytes()).collect();
            for _ in 0..random.below(4) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => bytes.insert(at, b"0123456789*$%|-\r\n"[random.below(17)]),
                    _ => drop(bytes.remove(at)),
                }
                if bytes.is_empty() {
                    bytes.push(b'*');
                }
            }
            let whole = Scanner::default().scan(&bytes);
            if let Ok(Some(end)) = whole {
                assert!(end <= bytes.len(), "round {round}");
            }
            let mut scanner = Scanner::default();
            let mut pieces = Ok(None);
            let mut end = 0;
            while end < bytes.len() && pieces == Ok(None) {
                end = (end + 1 + random.below(5)).min(bytes.len());
                pieces = scanner.scan(&bytes[..end]);
            }
            assert_eq!(whole.is_ok(), pieces.is_ok(), "round {round}: {bytes:?}");
            if whole.is_ok() {
                assert_eq!(whole, pieces, "round {round}: {bytes:?}");
            }
        }
    }
}
