//! Pages as entry points (https://bun.com/docs/bundler/html-static): what a page refers to, and the page with other references.
//!
//! Scripts and style sheets of a page are bundled, and one tag of each stands for all of them at the end of `<head>`; images,
//! icons, fonts, media and manifests are copied. Inline scripts, inline styles, links to pages and whatever has a scheme stay
//! as they are.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lol_html::html_content::{ContentType, Element};
use lol_html::{RewriteStrSettings, element, end, rewrite_str};
use serde::Serialize;

/// How a page uses what it refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    Script,
    Style,
    Asset,
}

/// A reference of a page to a file beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    pub kind: ReferenceKind,
    /// As the page has it, without white space around it.
    pub url: String,
}

/// What becomes of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Keep,
    /// The whole tag goes: something else stands for it.
    Remove,
    Url(String),
}

/// Which attribute of which elements refers to a file. The selectors are those of Bun.
const RULES: &[(&str, &str, ReferenceKind)] = &[
    ("script[src]", "src", ReferenceKind::Script),
    ("link[rel~='stylesheet'][href]", "href", ReferenceKind::Style),
    ("link[as='style'][href]", "href", ReferenceKind::Style),
    ("link[as='font'][href], link[type^='font/'][href]", "href", ReferenceKind::Asset),
    ("link[as='image'][href]", "href", ReferenceKind::Asset),
    ("link[as='video'][href], link[as='audio'][href]", "href", ReferenceKind::Asset),
    ("link[rel='manifest'][href]", "href", ReferenceKind::Asset),
    ("link[rel~='icon'][href], link[rel='apple-touch-icon'][href]", "href", ReferenceKind::Asset),
    ("img[src]", "src", ReferenceKind::Asset),
    ("img[srcset]", "srcset", ReferenceKind::Asset),
    ("video[src]", "src", ReferenceKind::Asset),
    ("video[poster]", "poster", ReferenceKind::Asset),
    ("audio[src]", "src", ReferenceKind::Asset),
    ("source[src]", "src", ReferenceKind::Asset),
    ("source[srcset]", "srcset", ReferenceKind::Asset),
];

/// Whether a reference leads out of the project: a scheme, another host, a place in the page itself, nothing.
pub(crate) fn is_elsewhere(url: &str) -> bool {
    let scheme = url.split(':').next().filter(|scheme| scheme.len() < url.len()).is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    url.is_empty() || url.starts_with('#') || url.starts_with("//") || scheme
}

/// The candidates of a `srcset` as ranges of their URLs (https://html.spec.whatwg.org/#parsing-a-srcset-attribute).
fn candidates(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() || bytes[at] == b',' {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && !bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        let url = text[start..at].trim_end_matches(',');
        found.push(start..start + url.len());
        // Descriptors follow, unless a comma has ended the candidate.
        if url.len() == at - start {
            let mut depth = 0;
            while at < bytes.len() && (depth > 0 || bytes[at] != b',') {
                depth += i32::from(bytes[at] == b'(') - i32::from(bytes[at] == b')');
                at += 1;
            }
        }
    }
    found
}

/// One reference after the other, with what becomes of it.
fn walk(
    element: &mut Element<'_, '_>,
    attribute: &str,
    kind: ReferenceKind,
    change: &mut dyn FnMut(&Reference) -> Change,
) {
    let Some(value) = element.get_attribute(attribute) else { return };
    if attribute == "srcset" {
        let mut text = value.clone();
        for range in candidates(&value).into_iter().rev() {
            let reference = Reference { kind, url: value[range.clone()].to_string() };
            if !is_elsewhere(&reference.url)
                && let Change::Url(url) = change(&reference)
            {
                text.replace_range(range, &url);
            }
        }
        if text != value {
            // A name that the page has already.
            let _ = element.set_attribute(attribute, &text);
        }
        return;
    }
    let reference = Reference { kind, url: value.trim().to_string() };
    if is_elsewhere(&reference.url) {
        return;
    }
    match change(&reference) {
        Change::Keep => {}
        Change::Remove => element.remove(),
        Change::Url(url) => {
            let _ = element.set_attribute(attribute, &url);
        }
    }
}

/// The page with its references changed by `change`, and `head` (tags) at the end of its `<head>`, of its `<body>` if
/// it has no head, or at its own end if it has neither.
///
/// # Errors
/// The text of the parser about a page that it cannot read.
pub fn rewrite(html: &str, head: &str, change: &mut dyn FnMut(&Reference) -> Change) -> Result<String, String> {
    let change = RefCell::new(change);
    let placed = Rc::new(Cell::new(head.is_empty()));
    let mut settings = RewriteStrSettings::new();
    for (selector, attribute, kind) in RULES {
        let change = &change;
        settings =
            settings.append_element_content_handler(element!(*selector, move |element: &mut Element<'_, '_>| {
                if !element.removed() {
                    walk(element, attribute, *kind, &mut **change.borrow_mut());
                }
                Ok(())
            }));
    }
    // At the end of what closes first: the head, or else the body.
    for tag in ["head", "body"] {
        let (placed, tags) = (placed.clone(), head.to_string());
        settings = settings.append_element_content_handler(element!(tag, move |element: &mut Element<'_, '_>| {
            let (placed, tags) = (placed.clone(), tags.clone());
            if let Some(handlers) = element.end_tag_handlers() {
                handlers.push(Box::new(move |end: &mut lol_html::html_content::EndTag<'_>| {
                    if !placed.replace(true) {
                        end.before(&tags, ContentType::Html);
                    }
                    Ok(())
                }));
            }
            Ok(())
        }));
    }
    settings = settings.append_document_content_handler(end!(move |end| {
        if !placed.replace(true) {
            end.append(head, ContentType::Html);
        }
        Ok(())
    }));
    rewrite_str(html, settings).map_err(|error| error.to_string())
}

/// What a page refers to, in the order of the page.
///
/// # Errors
/// The text of the parser about a page that it cannot read.
pub fn scan(html: &str) -> Result<Vec<Reference>, String> {
    let mut found = Vec::new();
    rewrite(html, "", &mut |reference| {
        found.push(reference.clone());
        Change::Keep
    })?;
    Ok(found)
}

/// A value of an attribute between double quotes.
pub(crate) fn quoted(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r##"<!doctype html><html><head><link rel="stylesheet" href="a.css"><script src="./a.ts"></script>
<script>inline()</script><link rel=icon href="i.svg"><link rel="canonical" href="c"></head>
<body><img src=" i.png " srcset="i.png 1x, j.png 2x,k.png"><a href="o.html">o</a><script src="https://x.y/z.js"></script>
<img src="data:image/png;base64,AA"></body></html>"##;

    #[test]
    fn references_come_in_order() {
        let found = scan(PAGE).unwrap();
        let urls: Vec<&str> = found.iter().map(|reference| reference.url.as_str()).collect();
        // Candidates of a set come from its end.
        assert_eq!(urls, ["a.css", "./a.ts", "i.svg", "i.png", "k.png", "j.png", "i.png"]);
        assert_eq!(found[0].kind, ReferenceKind::Style);
        assert_eq!(found[1].kind, ReferenceKind::Script);
    }

    #[test]
    fn pages_are_rewritten() {
        let page = rewrite(PAGE, "<X>", &mut |reference| match reference.kind {
            ReferenceKind::Asset => Change::Url(format!("/h-{}", reference.url)),
            _ => Change::Remove,
        })
        .unwrap();
        assert!(!page.contains("a.css") && !page.contains("a.ts"), "{page}");
        assert!(page.contains("<X></head>"), "{page}");
        assert!(page.contains(r#"srcset="/h-i.png 1x, /h-j.png 2x,/h-k.png""#), "{page}");
        assert!(page.contains("inline()") && page.contains("https://x.y/z.js") && page.contains("o.html"), "{page}");
        assert_eq!(rewrite("<p>a", "<X>", &mut |_| Change::Keep).unwrap(), "<p>a<X>");
        assert_eq!(rewrite("<body>a</body>", "<X>", &mut |_| Change::Keep).unwrap(), "<body>a<X></body>");
    }

    #[test]
    fn schemes_lead_elsewhere() {
        for url in ["https://a", "//a", "data:x", "#a", "", "mailto:a"] {
            assert!(is_elsewhere(url), "{url}");
        }
        for url in ["a.js", "./a:b.js", "/a", "a/b"] {
            assert!(!is_elsewhere(url), "{url}");
        }
    }
}
