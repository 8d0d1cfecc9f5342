//! Parsing and setting on plain strings.

use ada_url::Url;

use crate::{layout, scan};

/// Result of parsing or setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Not a URL, or a setter refused its value.
    Invalid,
    /// The href equals the input.
    Unchanged,
    /// The href; ASCII.
    Href(Vec<u8>),
}

/// What a setter sets. JavaScript uses the order as numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Protocol,
    Username,
    Password,
    Host,
    Hostname,
    Port,
    Pathname,
    Search,
    Hash,
}

impl Part {
    /// The part for an index from JavaScript.
    pub(crate) fn from_index(index: u8) -> Option<Part> {
        use Part::*;
        [Protocol, Username, Password, Host, Hostname, Port, Pathname, Search, Hash].get(usize::from(index)).copied()
    }
}

/// Parses `input`, against `base` if there is one; writes the places of the parts to `out`.
pub(crate) fn parse(input: &str, base: Option<&str>, out: &mut [u8]) -> Outcome {
    if base.is_none()
        && let Some((href, places)) = scan::without_dots(input.as_bytes())
    {
        layout::write_words(places, out);
        return if href == input.as_bytes() { Outcome::Unchanged } else { Outcome::Href(href) };
    }
    match Url::parse(input, base) {
        Ok(url) if punycode_is_valid(&url) => finish(&url, input, out),
        _ => Outcome::Invalid,
    }
}

/// Whether [`parse`] would succeed.
pub(crate) fn can_parse(input: &str, base: Option<&str>) -> bool {
    // Only a host with punycode needs more than the library's own answer; escapes and line breaks can hide one.
    let hides = |text: &str| text.contains("--") || text.contains(['%', '\t', '\n', '\r']);
    if hides(input) || base.is_some_and(hides) {
        return Url::parse(input, base).is_ok_and(|url| punycode_is_valid(&url));
    }
    Url::can_parse(input, base)
}

/// Whether the labels in punycode of a domain decode to what UTS 46 allows. The library takes every domain in ASCII, as the URL
/// standard does by now; Node 25 and Bun refuse these.
fn punycode_is_valid(url: &Url) -> bool {
    let host = url.hostname();
    if !host.contains("xn--") || !matches!(url.protocol(), "http:" | "https:" | "ws:" | "wss:" | "ftp:" | "file:") {
        return true;
    }
    // A label that is not ASCII makes the library look at all of them.
    !ada_url::Idna::ascii(&format!("{host}.\u{e9}")).is_empty()
}

/// Sets a part of the URL `href`.
pub(crate) fn update(href: &str, part: Part, value: &str, out: &mut [u8]) -> Outcome {
    let Ok(mut url) = Url::parse(href, None) else { return Outcome::Invalid };
    let accepted = match part {
        Part::Protocol => url.set_protocol(value).is_ok(),
        Part::Username => url.set_username(Some(value)).is_ok(),
        Part::Password => url.set_password(Some(value)).is_ok(),
        Part::Host => url.set_host(Some(value)).is_ok(),
        Part::Hostname => url.set_hostname(Some(value)).is_ok(),
        Part::Port => url.set_port(Some(value)).is_ok(),
        Part::Pathname => url.set_pathname(Some(value)).is_ok(),
        Part::Search => {
            url.set_search(Some(value));
            true
        }
        Part::Hash => {
            url.set_hash(Some(value));
            true
        }
    };
    if accepted && punycode_is_valid(&url) { finish(&url, href, out) } else { Outcome::Invalid }
}

fn finish(url: &Url, input: &str, out: &mut [u8]) -> Outcome {
    let href = url.href();
    layout::write(&url.components(), out);
    if href == input { Outcome::Unchanged } else { Outcome::Href(href.as_bytes().to_vec()) }
}

/// `domain` as the host of a URL with a special scheme.
fn host_of(domain: &str) -> Option<Url> {
    let mut url = Url::parse("ws://x", None).ok()?;
    url.set_hostname(Some(domain)).ok()?;
    punycode_is_valid(&url).then_some(url)
}

/// See the op.
pub(crate) fn domain_to_ascii(domain: &str) -> String {
    host_of(domain).map_or_else(String::new, |url| url.hostname().to_owned())
}

/// See the op.
pub(crate) fn domain_to_unicode(domain: &str) -> String {
    host_of(domain).map_or_else(String::new, |url| ada_url::Idna::unicode(url.hostname()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{WORDS, read};

    fn parsed(input: &str) -> (Outcome, [u32; WORDS]) {
        let mut out = [0; WORDS * 4];
        (parse(input, None, &mut out), read(&out))
    }

    #[test]
    fn places() {
        let (outcome, words) = parsed("https://user:pw@example.com:81/p?q#h");
        assert_eq!(outcome, Outcome::Unchanged);
        assert_eq!(words, [12, 15, 27, 30, 32, 34]);
        let long = format!("http://h/{}?q", "x".repeat(2000));
        assert_eq!(parsed(&long).1, [7, 7, 8, 8, 2009, 0]);
    }

    #[test]
    fn normalising_and_failing() {
        assert_eq!(parsed("HTTP://EXAMPLE.com").0, Outcome::Href(b"http://example.com/".to_vec()));
        assert_eq!(parsed("nope").0, Outcome::Invalid);
        let mut out = [0; WORDS * 4];
        let outcome = parse("../x", Some("http://h/a/b/c"), &mut out);
        assert_eq!(outcome, Outcome::Href(b"http://h/a/x".to_vec()));
        // A buffer that is too small loses words, nothing else.
        assert_eq!(parse("http://h/", None, &mut []), Outcome::Unchanged);
    }

    #[test]
    fn punycode() {
        for host in ["xn--", "xn--a", "a.xn--pokxncvks", "XN--99999", "xn--zn7c.com", "x%6e--a"] {
            let url = format!("http://{host}/");
            assert_eq!(parsed(&url).0, Outcome::Invalid, "{host}");
            assert!(!can_parse(&url, None), "{host}");
            assert_eq!(update("http://h/", Part::Hostname, host, &mut []), Outcome::Invalid, "{host}");
        }
        assert_eq!(parsed("http://xn--espaol-zwa.com/").0, Outcome::Unchanged);
        assert_eq!(parsed("http://1.xn--ls8h.la/").0, Outcome::Unchanged);
        assert_eq!(parsed("foo://xn--/").0, Outcome::Unchanged);
        assert!(can_parse("?--%", Some("http://xn--fa-hia.de/")));
    }

    #[test]
    fn setters() {
        let mut out = [0; WORDS * 4];
        let set = |part, value, out: &mut [u8]| update("http://h:80/a?b#c", part, value, out);
        assert_eq!(set(Part::Port, "81", &mut out), Outcome::Href(b"http://h:81/a?b#c".to_vec()));
        assert_eq!(set(Part::Search, "", &mut out), Outcome::Href(b"http://h/a#c".to_vec()));
        assert_eq!(set(Part::Port, "x", &mut out), Outcome::Invalid);
        assert_eq!(update("http://h/a", Part::Protocol, "mailto", &mut out), Outcome::Invalid);
    }

    #[test]
    fn domains() {
        assert_eq!(domain_to_ascii("español.com"), "xn--espaol-zwa.com");
        assert_eq!(domain_to_ascii("xn--iñvalid.com"), "");
        assert_eq!(domain_to_ascii("xn--a.com"), "");
        assert_eq!(domain_to_unicode("xn--espaol-zwa.com"), "español.com");
    }
}
