//! The short way for URLs that are written as the parser would write them, which nearly all are.
//!
//! One pass over the bytes decides that parsing would change nothing and finds the places of the parts. Whatever is not
//! certain (another scheme, escapes, capital letters, unusual hosts, dot segments) is left to the parser.

/// Characters a part may have without being escaped, dropped or given a meaning.
const HOST: u8 = 1;
const PATH: u8 = 2;
const QUERY: u8 = 4;
const FRAGMENT: u8 = 8;
const USER: u8 = 16;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0x21;
    while byte < 0x7f {
        let c = byte as u8;
        let mut class = 0;
        if c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'-' | b'.' | b'_') {
            class |= HOST;
        }
        // "|" may be part of a drive in file URLs.
        if !matches!(c, b'"' | b'#' | b'<' | b'>' | b'?' | b'^' | b'`' | b'{' | b'}' | b'\\' | b'|') {
            class |= PATH;
        }
        if !matches!(c, b'"' | b'#' | b'<' | b'>' | b'\'') {
            class |= QUERY;
        }
        if !matches!(c, b'"' | b'<' | b'>' | b'`') {
            class |= FRAGMENT;
        }
        if !matches!(
            c,
            b'"' | b'#'
                | b'<'
                | b'>'
                | b'?'
                | b'`'
                | b'{'
                | b'}'
                | b'/'
                | b':'
                | b';'
                | b'='
                | b'@'
                | b'['
                | b'\\'
                | b']'
                | b'^'
                | b'|'
                | b'\''
        ) {
            class |= USER;
        }
        table[byte] = class;
        byte += 1;
    }
    table
}

/// Places are packed as 12 bits each.
const LIMIT: usize = 1 << 12;

/// Places in an href that has "//" after its scheme and fewer than 4096 characters:
/// `host_end + pathname_start * 2^12 + search_start * 2^24 + hash_start * 2^36`, 0 for a search or hash that is not
/// there, and 2^48 where there are credentials: then the first "@" ends them. A host starts behind them, or three
/// characters after the first ":".
fn pack(authority: &Authority, pathname: usize, tail: &Tail) -> f64 {
    let credentials = authority.host_start != authority.start;
    (authority.host_end as u64
        | (pathname as u64) << 12
        | (tail.search as u64) << 24
        | (tail.hash as u64) << 36
        | u64::from(credentials) << 48) as f64
}

/// What comes between "//" and the path, if it is written plainly.
struct Authority {
    /// Behind "//".
    start: usize,
    username_end: usize,
    /// The "@" behind credentials, or the start.
    host_start: usize,
    host_end: usize,
    /// Behind the port, if there is one.
    end: usize,
    is_file: bool,
}

/// Where search and hash are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    pub search: usize,
    pub hash: usize,
}

/// What the scan found.
#[derive(Debug, PartialEq)]
pub(crate) enum Scan {
    /// The input is an href; its packed places.
    Href(f64),
    /// The input is a scheme and a host; with "/" after it, it is an href with these places.
    Slash(f64),
    /// Ask the parser.
    Unsure,
}

fn authority(input: &[u8]) -> Option<Authority> {
    let (scheme_end, default_port) = scheme(input)?;
    let start = scheme_end + 3;
    let is_file = scheme_end == 4 && default_port == 0;
    let mut host = start;
    let mut host_end = start + run(&input[start..], HOST);
    let (mut username_end, mut host_start) = (start, start);
    if is_file {
        // With an empty host; any other has rules of its own.
        let plain = host_end == start && input.get(start) == Some(&b'/');
        return plain.then_some(Authority { start, username_end, host_start, host_end, end: host_end, is_file });
    }
    if !matches!(input.get(host_end), None | Some(b'/')) {
        // Not a host alone: credentials, or a port, or neither.
        if let Some((username, at)) = credentials(&input[start..]) {
            (username_end, host_start) = (start + username, start + at);
            host = host_start + 1;
            host_end = host + run(&input[host..], HOST);
        }
    }
    if !plain_host(&input[host..host_end]) {
        return None;
    }
    let mut end = host_end;
    if input.get(end) == Some(&b':') {
        let (length, _) = port(&input[end + 1..]).filter(|(_, number)| *number != default_port)?;
        end += 1 + length;
    }
    Some(Authority { start, username_end, host_start, host_end, end, is_file })
}

/// Length of a user name and place of the "@", if the bytes start with credentials that are written plainly.
fn credentials(bytes: &[u8]) -> Option<(usize, usize)> {
    let username = run(bytes, USER);
    match bytes.get(username)? {
        b'@' if username > 0 => Some((username, username)),
        b':' => {
            let at = username + 1 + run(&bytes[username + 1..], USER);
            // An empty password is dropped with its ":".
            (bytes.get(at) == Some(&b'@') && at > username + 1).then_some((username, at))
        }
        _ => None,
    }
}

/// Scans an absolute URL.
pub(crate) fn url(input: &[u8]) -> Scan {
    if input.len() >= LIMIT - 1 {
        return Scan::Unsure;
    }
    let Some(authority) = authority(input) else { return Scan::Unsure };
    let at = authority.end;
    match input.get(at) {
        None => Scan::Slash(pack(&authority, at, &Tail::default())),
        Some(b'/') => path(input, at).map_or(Scan::Unsure, |tail| Scan::Href(pack(&authority, at, &tail))),
        Some(_) => Scan::Unsure,
    }
}

/// The href of an absolute URL that is plain but for dot segments in its path, and the places in it as
/// [`crate::layout::write`] has them; `None` leaves it to the parser.
pub(crate) fn without_dots(input: &[u8]) -> Option<(Vec<u8>, [u32; 6])> {
    let authority = authority(input)?;
    let start = authority.end;
    // A drive in a file URL cannot be left by "..".
    if authority.is_file || input.get(start) != Some(&b'/') {
        return None;
    }
    let end = start + run(&input[start..], PATH);
    let mut segments = &input[start..end];
    if segments.windows(3).any(|three| three[0] == b'%' && three[1] == b'2' && three[2] | 0x20 == b'e') {
        return None;
    }
    let tail = tail(input, end)?;
    let mut out = Vec::with_capacity(input.len());
    out.extend_from_slice(&input[..start]);
    while let Some(rest) = segments.strip_prefix(b"/") {
        let length = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
        let segment = &rest[..length];
        segments = &rest[length..];
        if segment == b".." {
            // Above the top there is the top.
            let parent = out[start..].iter().rposition(|&byte| byte == b'/').unwrap_or(0);
            out.truncate(start + parent);
        } else if segment != b"." {
            out.push(b'/');
            out.extend_from_slice(segment);
            continue;
        }
        if segments.is_empty() {
            out.push(b'/');
        }
    }
    let moved = |place: usize| if place == 0 { 0 } else { place - end + out.len() };
    let (search, hash) = (moved(tail.search), moved(tail.hash));
    out.extend_from_slice(&input[end..]);
    if u32::try_from(out.len()).is_err() {
        return None;
    }
    let places = [authority.username_end, authority.host_start, authority.host_end, start, search, hash];
    Some((out, places.map(|place| place as u32)))
}

/// Length of the scheme and its default port (0: none) if the input starts with a scheme known here and "://".
fn scheme(input: &[u8]) -> Option<(usize, u32)> {
    let known = match input {
        [b'h', b't', b't', b'p', b's', b':', ..] => (5, 443),
        [b'h', b't', b't', b'p', b':', ..] => (4, 80),
        [b'f', b'i', b'l', b'e', b':', ..] => (4, 0),
        [b'w', b's', b's', b':', ..] => (3, 443),
        [b'w', b's', b':', ..] => (2, 80),
        _ => return None,
    };
    input[known.0 + 1..].starts_with(b"//").then_some(known)
}

fn run(bytes: &[u8], class: u8) -> usize {
    bytes.iter().position(|&byte| CLASSES[usize::from(byte)] & class == 0).unwrap_or(bytes.len())
}

/// Whether a host of host characters stays as it is: a name that is no number, without punycode; or four decimal numbers.
fn plain_host(host: &[u8]) -> bool {
    let Some(&first) = host.first() else { return false };
    // The last label, not counting a dot at the end, decides about numbers.
    let trimmed = host.strip_suffix(b".").unwrap_or(host);
    let last = trimmed.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    match last.first() {
        None => false,
        Some(byte) if byte.is_ascii_digit() => first.is_ascii_digit() && plain_ipv4(host),
        Some(_) => !host.windows(4).any(|four| four == b"xn--"),
    }
}

fn plain_ipv4(host: &[u8]) -> bool {
    let mut count = 0;
    for part in host.split(|&byte| byte == b'.') {
        count += 1;
        if !matches!(part.len(), 1..=3) || (part.len() > 1 && part[0] == b'0') {
            return false;
        }
        let digits =
            part.iter().try_fold(0u32, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')));
        if !matches!(digits, Some(0..=255)) {
            return false;
        }
    }
    count == 4
}

/// Number of digits and value of a port that is written without leading zeros.
fn port(bytes: &[u8]) -> Option<(usize, u32)> {
    let length = bytes.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=5).contains(&length) || (length > 1 && bytes[0] == b'0') {
        return None;
    }
    let number = bytes[..length].iter().fold(0, |sum, &byte| sum * 10 + u32::from(byte - b'0'));
    (number <= 65535).then_some((length, number))
}

/// Scans path, query and fragment from `start`.
pub(crate) fn path(input: &[u8], start: usize) -> Option<Tail> {
    let end = start + run(&input[start..], PATH);
    if !plain_segments(&input[start..end]) {
        return None;
    }
    tail(input, end)
}

/// Scans query and fragment from `at`, where a path ends.
fn tail(input: &[u8], mut at: usize) -> Option<Tail> {
    let mut tail = Tail::default();
    match input.get(at) {
        None => return Some(tail),
        Some(b'?') => {
            tail.search = at;
            at += 1;
            at += run(&input[at..], QUERY);
            match input.get(at) {
                None => return Some(tail),
                Some(b'#') => {}
                Some(_) => return None,
            }
        }
        Some(b'#') => {}
        Some(_) => return None,
    }
    tail.hash = at;
    at += 1;
    (run(&input[at..], FRAGMENT) == input.len() - at).then_some(tail)
}

/// The href of a relative URL ("/a", "./b", "../c?d", "e/f") on a base, where both are written plainly and the base is as
/// [`url`] likes it; `None` leaves it to the parser.
pub(crate) fn join(input: &[u8], base: &[u8]) -> Option<Vec<u8>> {
    let places = match url(base) {
        Scan::Href(places) | Scan::Slash(places) => places as u64,
        Scan::Unsure => return None,
    };
    let path_start = (places >> 12 & 0xfff) as usize;
    // A drive in a file URL stays, whatever the path says.
    if base[0] == b'f' && (input.contains(&b':') || base[path_start..].contains(&b':')) {
        return None;
    }
    let path_end = match ((places >> 24 & 0xfff) as usize, (places >> 36 & 0xfff) as usize) {
        (0, 0) => base.len(),
        (0, hash) => hash,
        (search, _) => search,
    };
    // An empty path stands for "/".
    let directory = &base[path_start..path_end];
    let mut directory = &directory[..directory.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)];
    let mut rest = input;
    match input {
        [b'/', b'/', ..] => return None,
        [b'/', ..] => directory = b"",
        [first, ..] if CLASSES[usize::from(*first)] & PATH != 0 => {
            loop {
                if let Some(after) = rest.strip_prefix(b"./") {
                    rest = after;
                } else if let Some(after) = rest.strip_prefix(b"../") {
                    rest = after;
                    let parent = directory.strip_suffix(b"/").unwrap_or_default();
                    let keep = parent.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
                    // Above the top there is the top.
                    directory = if keep == 0 { &directory[..directory.len().min(1)] } else { &directory[..keep] };
                } else {
                    break;
                }
            }
            if directory.is_empty() {
                directory = b"/";
            }
            // "a:b" may be a URL of its own.
            let colon = rest.iter().take_while(|byte| !matches!(byte, b'/' | b'?' | b'#')).any(|&byte| byte == b':');
            if (colon && rest.len() == input.len()) || rest.first() == Some(&b'.') || rest.first() == Some(&b'/') {
                return None;
            }
        }
        _ => return None,
    }
    path(rest, 0)?;
    Some([&base[..path_start], directory, rest].concat())
}

/// Whether a path of path characters has no segment that is, or may be, "." or "..". "%2e" is a dot, too.
fn plain_segments(path: &[u8]) -> bool {
    for (index, &byte) in path.iter().enumerate() {
        match byte {
            b'.' if index > 0
                && path[index - 1] == b'/'
                && path.get(index + 1).is_none_or(|next| matches!(next, b'.' | b'/' | b'%')) =>
            {
                return false;
            }
            b'%' if path[index + 1..].starts_with(b"2e") || path[index + 1..].starts_with(b"2E") => return false,
            _ => {}
        }
    }
    true
}

/// Whether setting a part to this text writes the text as it is: 0 a path that starts with "/", 1 a query without its
/// "?", 2 a fragment without its "#".
pub(crate) fn plain(text: &[u8], part: u8) -> bool {
    let class = match part {
        0 => PATH,
        1 => QUERY,
        _ => FRAGMENT,
    };
    run(text, class) == text.len() && (part != 0 || (text.first() == Some(&b'/') && plain_segments(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scan must never differ from the parser.
    fn check(input: &str) -> Scan {
        let scan = url(input.as_bytes());
        let (href, places) = match &scan {
            Scan::Unsure => return scan,
            Scan::Href(places) => (input.to_owned(), *places as u64),
            Scan::Slash(places) => (format!("{input}/"), *places as u64),
        };
        let parsed = ada_url::Url::parse(input, None).expect(input);
        assert_eq!(parsed.href(), href);
        let parts = parsed.components();
        assert_eq!(places & 0xfff, u64::from(parts.host_end), "{input}");
        assert_eq!(places >> 12 & 0xfff, u64::from(parts.pathname_start.unwrap()), "{input}");
        assert_eq!(places >> 24 & 0xfff, u64::from(parts.search_start.unwrap_or(0)), "{input}");
        assert_eq!(places >> 36 & 0xfff, u64::from(parts.hash_start.unwrap_or(0)), "{input}");
        let start = parts.protocol_end + 2;
        if places >> 48 == 0 {
            assert_eq!((parts.host_start, parts.username_end), (start, start), "{input}");
        } else {
            // As JavaScript finds them.
            let at = href.find('@').unwrap();
            let colon = href[start as usize..].find(':').map_or(at, |colon| (start as usize + colon).min(at));
            assert_eq!((parts.host_start as usize, parts.username_end as usize), (at, colon), "{input}");
        }
        scan
    }

    #[test]
    fn common_urls_need_no_parser() {
        for input in [
            "http://localhost:3000/api/users?id=1&x=2",
            "https://example.com/",
            "https://example.com/a/b.html?q=%20#top",
            "file:///home/user/.config/x.js",
            "ws://127.0.0.1:8080/socket",
            "http://h/?#",
            "http://a_b-c.d./x",
            "https://h/.well-known/x..y",
            "http://u@h/",
            "http://user.name:p%20w@h:81/a?b@c:d#e",
            "ws://:p@h/",
        ] {
            assert!(matches!(check(input), Scan::Href(_)), "{input}");
        }
        assert!(matches!(check("https://example.com"), Scan::Slash(_)));
        assert!(matches!(check("http://h:81"), Scan::Slash(_)));
    }

    #[test]
    fn the_rest_is_left_to_the_parser() {
        for input in [
            "",
            "http:",
            "http://",
            "HTTP://h/",
            "http://H/",
            "http://@h/",
            "http://:@h/",
            "http://u:@h/",
            "http://u:p:q@h/",
            "http://u@v@h/",
            "http://u;v@h/",
            "file://u@h/",
            "http://u@/",
            "http://h:80/",
            "http://h:/",
            "http://h:099/",
            "http://h:65536/",
            "http://h/a/../b",
            "http://h/./",
            "http://h/%2e/",
            "http://h/a/.",
            "http://h/a b",
            "http://h?x",
            "http://1.2.3/",
            "http://0x7f.1/",
            "http://h/\\",
            "http://xn--a/",
            "http://256.0.0.1/",
            "http://01.2.3.4/",
            "mailto:x",
            "file://h/x",
            "file:///C|/x",
            "http://h/é",
            "http://.",
            "http://h.1/",
            "http://1.2.3.4./",
            "http://h/\t",
            "http://h/#`",
        ] {
            assert_eq!(check(input), Scan::Unsure, "{input}");
        }
        let long = format!("http://h/{}", "x".repeat(5000));
        assert_eq!(check(&long), Scan::Unsure);
    }

    #[test]
    fn agrees_with_the_parser_on_random_input() {
        let atoms = [
            "http://",
            "https://",
            "ws://",
            "wss://",
            "file://",
            "file:///",
            "h",
            "example.com",
            "127.0.0.1",
            "1",
            "0",
            ".",
            "..",
            ":",
            "80",
            "443",
            "8080",
            "/",
            "//",
            "?",
            "#",
            "a",
            "b",
            "%2e",
            "%41",
            "%",
            "@",
            " ",
            "\\",
            "|",
            "C:",
            "'",
            "\"",
            "^",
            "`",
            "~",
            "&",
            "=",
            "_",
            "-",
            "xn--",
            "[",
            "]",
            "A",
            "é",
            "\t",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut hits = 0;
        for _ in 0..200_000 {
            let mut input = String::new();
            loop {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let atoms = if input.is_empty() { &atoms[..6] } else { &atoms[6..] };
                input.push_str(atoms[(seed >> 8) as usize % atoms.len()]);
                if seed >> 40 & 7 == 0 {
                    break;
                }
            }
            hits += usize::from(!matches!(check(&input), Scan::Unsure));
        }
        assert!(hits > 5_000, "{hits}");
    }

    #[test]
    fn dot_segments_agree_with_the_parser() {
        let starts = ["http://h", "https://u:p@example.com:81", "ws://127.0.0.1", "http://:p@h"];
        let atoms = ["/", "/", "..", ".", "a", "b.c", "%2e", "%20", "//", "?", "#", "x=1", ":", "@", " "];
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut hits = 0;
        for _ in 0..200_000 {
            let mut input = starts[(seed >> 20) as usize % starts.len()].to_owned();
            loop {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                input.push_str(atoms[(seed >> 8) as usize % atoms.len()]);
                if seed >> 40 & 7 == 0 {
                    break;
                }
            }
            if let Some((href, places)) = without_dots(input.as_bytes()) {
                hits += 1;
                let parsed = ada_url::Url::parse(input.as_str(), None).unwrap();
                assert_eq!(parsed.href().as_bytes(), href, "{input}");
                let mut out = [0; 24];
                crate::layout::write(&parsed.components(), &mut out);
                assert_eq!(crate::layout::read(&out), places, "{input}");
            }
        }
        assert!(hits > 20_000, "{hits}");
    }

    #[test]
    fn joining() {
        let join = |input: &str, base: &str| {
            join(input.as_bytes(), base.as_bytes()).map(|href| String::from_utf8(href).unwrap())
        };
        assert_eq!(join("../x?y=1", "http://h:1/a/b/c?q#f").as_deref(), Some("http://h:1/a/x?y=1"));
        assert_eq!(join("./x", "file:///home/u/a.js").as_deref(), Some("file:///home/u/x"));
        assert_eq!(join("/p#f", "https://h").as_deref(), Some("https://h/p#f"));
        assert_eq!(join("x", "https://h").as_deref(), Some("https://h/x"));
        for input in ["", "//x", "?q", "#f", "a:b", "..", ".", "a/../b", "a b", "../..", "%2e/x", "./%2E%2e/x"] {
            assert_eq!(join(input, "http://h/a/b"), None, "{input}");
        }
    }

    #[test]
    fn joining_agrees_with_the_parser() {
        let atoms = ["./", "../", "/", "a", "b.c", "..", ".", "?", "#", "x=1", ":", "C:", "%2e", "%41", "'", " "];
        let bases = [
            "http://h",
            "http://h/",
            "http://h/a",
            "http://h/a/b/c?q/#f/",
            "file:///",
            "file:///a/b",
            "file:///C:/a",
            "https://h:81/x/y/",
            "http://h/a//b/",
            "ws://h/?x",
            "http://u:p@h/a/b?c#d",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut hits = 0;
        for _ in 0..200_000 {
            let mut input = String::new();
            loop {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                input.push_str(atoms[(seed >> 8) as usize % atoms.len()]);
                if seed >> 40 & 3 == 0 {
                    break;
                }
            }
            let base = bases[(seed >> 20) as usize % bases.len()];
            if let Some(href) = join(input.as_bytes(), base.as_bytes()) {
                hits += 1;
                let parsed = ada_url::Url::parse(input.as_str(), Some(base)).unwrap();
                assert_eq!(parsed.href().as_bytes(), href, "{input} on {base}");
            }
        }
        assert!(hits > 20_000, "{hits}");
    }

    #[test]
    fn parts() {
        assert_eq!(path(b"/a?b#c", 0), Some(Tail { search: 2, hash: 4 }));
        assert_eq!(path(b"/a/../b", 0), None);
        assert!(plain(b"/a/b", 0) && !plain(b"a", 0) && !plain(b"/a?b", 0));
        assert!(plain(b"a=b&c", 1) && !plain(b"a'b", 1) && !plain(b"a#b", 1));
        assert!(plain(b"x#y", 2) && !plain(b"`", 2));
    }
}
