//! Settings that no parser of CommonMark has: the text is changed so that it means by CommonMark what it is to mean.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::Flags;

/// Characters of which one stands in front of HTML that is to begin no block: from Unicode's private use area, the first that the text
/// does not have.
const MARKS: Range<u32> = 0xe000..0xf8ff;

/// A text, and the mark that has to be taken out of what is shown.
pub(super) struct Prepared<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) mark: Option<char>,
    /// The text as it is to be shown, where end tags in `text` were put into lower case.
    pub(super) shown: Option<String>,
}

impl Prepared<'_> {
    /// Gives the end tags in what was found at `range` of the text their capital letters back.
    pub(super) fn as_written<'e>(&self, event: Event<'e>, range: &Range<usize>) -> Event<'e> {
        let Some(shown) = self.shown.as_ref().and_then(|shown| shown.get(range.clone())) else { return event };
        let lowered = &self.text[range.clone()];
        let slice = |at: usize, text: &str| shown.get(at..at + text.len()).map(|text| text.to_owned().into());
        let written = |text: &str| if has_small_end_tag(text) { slice(lowered.find(text)?, text) } else { None };
        // The address and the title of a link stand behind its text.
        let behind = lowered.rfind("](").map_or(0, |at| at + 2);
        let address = |text: &str| {
            if has_small_end_tag(text) { slice(behind + lowered[behind..].find(text)?, text) } else { None }
        };
        let name = |text: &str| if has_small_end_tag(text) { slice(lowered.rfind(text)?, text) } else { None };
        match event {
            Event::Text(text) => Event::Text(written(&text).unwrap_or(text)),
            Event::Code(text) => Event::Code(written(&text).unwrap_or(text)),
            Event::Html(text) => Event::Html(written(&text).unwrap_or(text)),
            Event::InlineHtml(text) => Event::InlineHtml(written(&text).unwrap_or(text)),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let (dest_url, title) = (address(&dest_url).unwrap_or(dest_url), name(&title).unwrap_or(title));
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let (dest_url, title) = (address(&dest_url).unwrap_or(dest_url), name(&title).unwrap_or(title));
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            event => event,
        }
    }
}

/// Does what `flags` ask for.
pub(super) fn prepare(text: &str, flags: Flags) -> Prepared<'_> {
    let mut text = Cow::Borrowed(text);
    if flags.has(Flags::NO_INDENTED_CODE) {
        text = without_indentation(text, flags);
    }
    if flags.has(Flags::PERMISSIVE_HEADINGS) {
        text = with_spaces(text, flags);
    }
    let mut mark = None;
    if flags.has(Flags::NO_HTML_BLOCKS) && text.contains('<') {
        mark = MARKS.filter_map(char::from_u32).find(|mark| !text.contains(*mark));
        if let Some(mark) = mark {
            text = Cow::Owned(marked(&text, flags, mark));
        }
    }
    let mut shown = None;
    if !flags.has(Flags::NO_HTML_BLOCKS)
        && let Some(lowered) = with_small_end_tags(&text)
    {
        shown = Some(std::mem::replace(&mut text, Cow::Owned(lowered)).into_owned());
    }
    Prepared { text, mark, shown }
}

/// The elements whose end tags end blocks of HTML (https://spec.commonmark.org/0.31.2/#html-blocks, kind 1).
const RAW_ELEMENTS: [&str; 4] = ["pre", "script", "style", "textarea"];

/// Whether a text has an end tag that may have been put into lower case; the address `</SCRIPT>` of a link goes without its brackets.
fn has_small_end_tag(text: &str) -> bool {
    RAW_ELEMENTS.iter().any(|raw| text.match_indices(raw).any(|(at, _)| text[..at].ends_with('/')))
}

/// The text with `</SCRIPT>` and the like in lower case, the only case in which the parser knows them as ends of blocks; none where there
/// is nothing to change.
fn with_small_end_tags(text: &str) -> Option<String> {
    let mut out: Option<String> = None;
    for (at, _) in text.match_indices("</") {
        let name = &text[at + 2..];
        let length = name.bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = &name[..length];
        if name.bytes().any(|byte| byte.is_ascii_uppercase())
            && RAW_ELEMENTS.iter().any(|raw| raw.eq_ignore_ascii_case(name))
        {
            out.get_or_insert_with(|| text.to_owned())[at + 2..at + 2 + length].make_ascii_lowercase();
        }
    }
    out
}

/// Where code blocks are; `only_indented`: not those with fences.
fn code_blocks(text: &str, flags: Flags, only_indented: bool) -> Vec<Range<usize>> {
    let events = Parser::new_ext(text, flags.parser_options()).into_offset_iter();
    let code = events.filter_map(|(event, range)| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => Some(range),
        Event::Start(Tag::CodeBlock(_)) if !only_indented => Some(range),
        _ => None,
    });
    code.collect()
}

/// How often indentation is taken away: each time by what makes a line code.
const MAX_ROUNDS: usize = 64;

/// Takes the indentation of code blocks away that have no fences. What is left may be anything, but not such a block.
fn without_indentation(mut text: Cow<'_, str>, flags: Flags) -> Cow<'_, str> {
    for _ in 0..MAX_ROUNDS {
        let blocks = code_blocks(&text, flags, true);
        if blocks.is_empty() {
            break;
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for block in blocks {
            let start = text[..block.start].rfind('\n').map_or(0, |end| end + 1).max(at);
            out.push_str(&text[at..start]);
            for line in text[start..block.end].split_inclusive('\n') {
                // Behind quotation marks; what makes it code are the last four columns before the text.
                let prefix = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
                let kept = line[..prefix].strip_suffix('\t').or_else(|| line[..prefix].strip_suffix("    "));
                out.push_str(kept.unwrap_or(&line[..prefix]));
                out.push_str(&line[prefix..]);
            }
            at = block.end;
        }
        out.push_str(&text[at..]);
        if out == *text {
            break;
        }
        text = Cow::Owned(out);
    }
    text
}

/// Puts a space behind the signs of headings that lack one.
fn with_spaces(text: Cow<'_, str>, flags: Flags) -> Cow<'_, str> {
    let mut places = Vec::new();
    // At the beginning of a line of a paragraph, whatever stands before it (quotation marks, bullets).
    let mut is_first = false;
    for (event, range) in Parser::new_ext(&text, flags.parser_options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph | Tag::Item) | Event::SoftBreak | Event::HardBreak => is_first = true,
            Event::Text(_) if std::mem::take(&mut is_first) => {
                let signs = text[range.start..].bytes().take_while(|byte| *byte == b'#').count();
                let is_escaped = text[..range.start].ends_with('\\');
                let next = text[range.start + signs..].chars().next();
                if (1..=6).contains(&signs) && !is_escaped && next.is_some_and(|next| !next.is_whitespace()) {
                    places.push(range.start + signs);
                    // The closing signs, which may stand close, too.
                    let rest = &text[range.start + signs..];
                    let line = rest[..rest.find('\n').unwrap_or(rest.len())].trim_end();
                    let end = line.trim_end_matches('#').len();
                    if end < line.len() && end > 0 && !line[..end].ends_with([' ', '\t', '\\']) {
                        places.push(range.start + signs + end);
                    }
                }
            }
            // What stands in a part of the line does not begin it.
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. }) => is_first = false,
            Event::Start(_) | Event::End(_) => {}
            _ => is_first = false,
        }
    }
    if places.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + places.len());
    let mut at = 0;
    for place in places {
        out.push_str(&text[at..place]);
        out.push(' ');
        at = place;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Puts `mark` in front of each `<` that may begin a block of HTML: the first character of a line behind white space, quotation marks and
/// bullets, outside of code.
fn marked(text: &str, flags: Flags, mark: char) -> String {
    let code = code_blocks(text, flags, false);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut at = 0;
    // Blocks come in the order of the text, as lines do.
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches(|c: char| c.is_ascii_digit() || " \t>-+*.)".contains(c));
        let place = at + line.len() - body.len();
        while code.get(next).is_some_and(|block| block.end <= place) {
            next += 1;
        }
        let in_code = code.get(next).is_some_and(|block| block.contains(&place));
        if body.starts_with('<') && !in_code {
            out.push_str(&text[at..place]);
            out.push(mark);
            out.push_str(body);
        } else {
            out.push_str(line);
        }
        at += line.len();
    }
    out
}
