//! Native half of `URL` and `node:url` (family `url`): the WHATWG URL parser, setters, and IDNA.
//!
//! JavaScript keeps a URL as its href and the places of its parts in it; no object is made for a part. Most URLs are
//! written as the parser would write them: [`scan`] finds the places in those without parsing. For the others the
//! parser writes the places into an `Int32Array` that the caller allocated once (see [`layout`]) and gives the href.

mod layout;
mod record;
mod scan;

use engine::{IntoJs, JsResult, JsStr, Latin1String, Local, OpError, Scope, op, ops};
use record::{Outcome, Part};
use scan::Scan;

/// What a parsing op gives to JavaScript: `undefined` (not a URL), `true` (the href is the input, character for
/// character) or the href.
struct Parsed(Outcome);

/// In TypeScript: `string | true | undefined`.
impl IntoJs for Parsed {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match self.0 {
            Outcome::Invalid => Ok(scope.undefined()),
            Outcome::Unchanged => Ok(scope.boolean(true)),
            Outcome::Href(href) => scope.latin1_string(&href),
        }
    }
}

/// Borrowed UTF-8 of a string, converted only if it is not ASCII. Unpaired surrogates become U+FFFD.
fn utf8<'a>(text: &JsStr<'a>) -> std::borrow::Cow<'a, str> {
    if !text.is_latin1() {
        return String::from_utf16_lossy(text.utf16()).into();
    }
    let bytes = text.latin1();
    match std::str::from_utf8(bytes) {
        Ok(ascii) if bytes.is_ascii() => ascii.into(),
        _ => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// Finds the places in a URL that is written as the parser would write it. The answer is what [`scan::pack`] makes of
/// them; its negative, if the input still lacks the "/" after the host; or 0, if the parser has to look at it.
#[op]
fn scan(input: JsStr<'_>) -> f64 {
    match scan::url(input.latin1()) {
        Scan::Href(places) => places,
        Scan::Slash(places) => -places,
        Scan::Unsure => 0.0,
    }
}

/// The href of a plain relative URL on a plain base; undefined, if the parser has to look at them.
#[op]
fn join(input: JsStr<'_>, base: JsStr<'_>) -> Option<Latin1String> {
    scan::join(input.latin1(), base.latin1()).map(Latin1String)
}

/// Whether a setter would write `value` as it is. `part`: 0 path, 1 query without "?", 2 fragment without "#".
#[op]
fn is_plain(value: JsStr<'_>, part: u8) -> bool {
    value.is_latin1() && scan::plain(value.latin1(), part)
}

/// Parses an absolute URL. `out`: see [`layout::write`].
#[op]
fn parse(input: JsStr<'_>, out: &mut [u8]) -> Parsed {
    Parsed(record::parse(&utf8(&input), None, out))
}

/// Parses a URL against a base URL.
#[op]
fn parse_with_base(input: JsStr<'_>, base: JsStr<'_>, out: &mut [u8]) -> Parsed {
    Parsed(record::parse(&utf8(&input), Some(&utf8(&base)), out))
}

/// Whether `parse` would succeed.
#[op]
fn can_parse(input: JsStr<'_>) -> bool {
    scan::url(input.latin1()) != Scan::Unsure || record::can_parse(&utf8(&input), None)
}

/// Whether `parseWithBase` would succeed.
#[op]
fn can_parse_with_base(input: JsStr<'_>, base: JsStr<'_>) -> bool {
    record::can_parse(&utf8(&input), Some(&utf8(&base)))
}

/// Runs a setter on a URL. `part` is the index of the setter in [`Part`]; the answer is `undefined` if the setter
/// leaves the URL as it is.
#[op]
fn update(href: JsStr<'_>, part: u8, value: JsStr<'_>, out: &mut [u8]) -> Result<Parsed, OpError> {
    let part = Part::from_index(part).ok_or_else(|| OpError::type_error("no such part of a URL"))?;
    Ok(Parsed(record::update(&utf8(&href), part, &utf8(&value), out)))
}

/// The domain in ASCII, as the host of a URL would have it; "" if it is not valid.
#[op]
fn domain_to_ascii(domain: JsStr<'_>) -> Latin1String {
    Latin1String(record::domain_to_ascii(&utf8(&domain)).into_bytes())
}

/// The domain in Unicode; "" if it is not valid.
#[op]
fn domain_to_unicode(domain: JsStr<'_>) -> String {
    record::domain_to_unicode(&utf8(&domain))
}

/// UTS 46 ToASCII alone, without the host parser; "" if it fails.
#[op]
fn idna_to_ascii(domain: JsStr<'_>) -> Latin1String {
    Latin1String(ada_url::Idna::ascii(&utf8(&domain)).into_bytes())
}

ops!(pub fn family "url" {
    scan, join, is_plain, parse, parse_with_base, can_parse, can_parse_with_base, update, domain_to_ascii, domain_to_unicode, idna_to_ascii,
});
