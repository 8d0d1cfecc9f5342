//! Markdown (CommonMark with GitHub's tables, strikethrough and task lists) as HTML, and as a list of what it has.

mod prepare;

use std::collections::HashMap;

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream,
};

/// Settings, as bits of the ops' `flags`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flags(pub u32);

impl Flags {
    const TABLES: u32 = 1;
    const STRIKETHROUGH: u32 = 2;
    const TASK_LISTS: u32 = 4;
    const AUTOLINKS: u32 = 8;
    const HEADING_IDS: u32 = 16;
    const HEADING_LINKS: u32 = 32;
    const TAG_FILTER: u32 = 64;
    const HARD_BREAKS: u32 = 128;
    const NO_HTML_SPANS: u32 = 256;
    const WIKI_LINKS: u32 = 512;
    const AUTOLINKS_WWW: u32 = 1024;
    const AUTOLINKS_MAIL: u32 = 2048;
    const UNDERLINE: u32 = 4096;
    const MATH: u32 = 8192;
    const COLLAPSE: u32 = 16384;
    const PERMISSIVE_HEADINGS: u32 = 32768;
    const NO_INDENTED_CODE: u32 = 65536;
    const NO_HTML_BLOCKS: u32 = 131_072;
    const ANY_AUTOLINKS: u32 = Self::AUTOLINKS | Self::AUTOLINKS_WWW | Self::AUTOLINKS_MAIL;

    fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    fn parser_options(self) -> Options {
        let mut options = Options::empty();
        options.set(Options::ENABLE_TABLES, self.has(Self::TABLES));
        options.set(Options::ENABLE_STRIKETHROUGH, self.has(Self::STRIKETHROUGH));
        options.set(Options::ENABLE_TASKLISTS, self.has(Self::TASK_LISTS));
        options.set(Options::ENABLE_WIKILINKS, self.has(Self::WIKI_LINKS));
        options.set(Options::ENABLE_MATH, self.has(Self::MATH));
        options
    }
}

/// Each run of white space as one space.
fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' | '\t' | '\n' | '\r' if out.ends_with(' ') => {}
            ' ' | '\t' | '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// What a text has, in order, with addresses in plain text made links where that is asked for.
fn events(text: &str, flags: Flags) -> Vec<Event<'static>> {
    let prepared = prepare::prepare(text, flags);
    let text = &*prepared.text;
    // `__x__` has the range of what it stands in.
    let is_underline = |at: usize| flags.has(Flags::UNDERLINE) && text[at..].starts_with("__");
    let parser = Parser::new_ext(text, flags.parser_options()).into_offset_iter();
    let parser = parser.map(|(event, range)| (prepared.as_written(event, &range), range));
    let parser = parser.map(|(event, range)| match event {
        Event::InlineHtml(html) if flags.has(Flags::NO_HTML_SPANS) => Event::Text(html),
        Event::Start(Tag::Strong) if is_underline(range.start) => Event::InlineHtml("<u>".into()),
        Event::End(TagEnd::Strong) if is_underline(range.start) => Event::InlineHtml("</u>".into()),
        event => event,
    });
    let mut in_block = false;
    let parser = TextMergeStream::new(parser).map(|event| {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => in_block = true,
            Event::End(TagEnd::CodeBlock) => in_block = false,
            _ => {}
        }
        match event {
            Event::Text(text) => {
                let text = match prepared.mark {
                    Some(mark) if text.contains(mark) => text.replace(mark, "").into(),
                    _ => text,
                };
                if flags.has(Flags::COLLAPSE) && !in_block {
                    Event::Text(collapsed(&text).into())
                } else {
                    Event::Text(text)
                }
            }
            event => event,
        }
        .into_static()
    });
    if !flags.has(Flags::ANY_AUTOLINKS) {
        return parser.collect();
    }
    let mut out = Vec::new();
    let (mut in_link, mut in_code) = (0, false);
    for event in parser {
        match &event {
            Event::Start(Tag::Link { .. }) => in_link += 1,
            Event::End(TagEnd::Link) => in_link -= 1,
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if in_link == 0 && !in_code => {
                link_text(text, flags, &mut out);
                continue;
            }
            _ => {}
        }
        out.push(event);
    }
    out
}

/// The end of an address that begins at `at` and what it links to: `http://`, `https://`, `ftp://`, `www.`, or mail.
fn address(text: &str, at: usize) -> Option<(usize, String)> {
    let rest = &text[at..];
    let is_boundary =
        text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '*' | '_' | '~' | '('));
    let schemes = ["http://", "https://", "ftp://"];
    let scheme = schemes.iter().find(|scheme| rest.len() > scheme.len() && rest.starts_with(**scheme));
    if is_boundary && (scheme.is_some() || rest.starts_with("www.")) {
        let start = scheme.map_or(0, |scheme| scheme.len());
        let is_end = |c: char| c.is_whitespace() || c == '<';
        let is_host_end = |c: char| matches!(c, '/' | '?' | '#');
        // Before the whole is looked through, which might hold many beginnings of addresses.
        let (host, _) = rest[start..].split_once(|c| is_end(c) || is_host_end(c)).unwrap_or((&rest[start..], ""));
        if !host.contains('.') {
            return None;
        }
        let mut end = rest.find(is_end).unwrap_or(rest.len());
        let opened = rest[..end].matches('(').count();
        let mut closed = rest[..end].matches(')').count();
        // Punctuation at the end is that of the sentence.
        while let Some(last) = rest[..end].chars().next_back() {
            if last == ')' && closed > opened {
                closed -= 1;
            } else if !matches!(last, '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '"' | ';') {
                break;
            }
            end -= last.len_utf8();
        }
        let host = rest[start..end.max(start)].split(is_host_end).next().unwrap_or("");
        if end > start && host.contains('.') {
            let prefix = if scheme.is_some() { "" } else { "http://" };
            return Some((at + end, format!("{prefix}{}", &rest[..end])));
        }
    }
    None
}

fn mail_address(text: &str, sign: usize) -> Option<(usize, usize)> {
    let is_local = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let start =
        text[..sign].rfind(|c| !is_local(c)).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let length = text[sign + 1..].find(|c| !is_host(c)).unwrap_or(text.len() - sign - 1);
    let host = text[sign + 1..sign + 1 + length].trim_end_matches('.');
    let good = start < sign && host.contains('.') && !host.ends_with(['-', '_']);
    good.then_some((start, sign + 1 + host.len()))
}

fn link_text<'a>(text: &str, flags: Flags, out: &mut Vec<Event<'a>>) {
    let mut done = 0;
    let mut push_link = |out: &mut Vec<Event<'a>>, from: usize, to: usize, target: String| {
        if from > done {
            out.push(Event::Text(text[done..from].to_owned().into()));
        }
        let tag = Tag::Link { link_type: LinkType::Autolink, dest_url: target.into(), title: "".into(), id: "".into() };
        out.push(Event::Start(tag));
        out.push(Event::Text(text[from..to].to_owned().into()));
        out.push(Event::End(TagEnd::Link));
        done = to;
    };
    let mut at = 0;
    let mut last = 0;
    while let Some(offset) = text[at..].find(['h', 'f', 'w', '@']) {
        let found = at + offset;
        at = found + 1;
        if text.as_bytes()[found] == b'@' {
            if flags.has(Flags::AUTOLINKS_MAIL)
                && let Some((from, to)) = mail_address(text, found)
                && from >= last
            {
                push_link(out, from, to, format!("mailto:{}", &text[from..to]));
                (at, last) = (to, to);
            }
        } else if flags.has(if text[found..].starts_with('w') { Flags::AUTOLINKS_WWW } else { Flags::AUTOLINKS })
            && let Some((end, target)) = address(text, found)
        {
            push_link(out, found, end, target);
            (at, last) = (end, end);
        }
    }
    if done < text.len() {
        out.push(Event::Text(text[done..].to_owned().into()));
    }
}

fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
}

fn escape_url_into(out: &mut String, url: &str) {
    for byte in url.bytes() {
        match byte {
            b'&' => out.push_str("&amp;"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte.into()),
            _ if b"~-_.+!*(),%#@?=;:/$".contains(&byte) => out.push(byte.into()),
            _ => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(digit.into(), 16).unwrap_or('0').to_ascii_uppercase());
                }
            }
        }
    }
}

/// Tags that GitHub does not let through.
const FILTERED: [&str; 9] =
    ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext"];

fn html_into(out: &mut String, html: &str, flags: Flags) {
    if !flags.has(Flags::TAG_FILTER) {
        out.push_str(html);
        return;
    }
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let name = rest[at + 1..].trim_start_matches('/');
        let length = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let filtered = FILTERED.iter().any(|tag| tag.eq_ignore_ascii_case(&name[..length]));
        out.push_str(if filtered { "&lt;" } else { "<" });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

fn alignment(alignment: Option<&Alignment>) -> Option<&'static str> {
    match alignment {
        Some(Alignment::Left) => Some("left"),
        Some(Alignment::Center) => Some("center"),
        Some(Alignment::Right) => Some("right"),
        _ => None,
    }
}

/// The text of events up to the end of the tag that was just begun.
fn plain_text(events: &[Event<'_>]) -> String {
    let mut depth = 0;
    let mut out = String::new();
    for event in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) if depth == 0 => break,
            Event::End(_) => depth -= 1,
            Event::Text(text) | Event::Code(text) => out.push_str(text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

/// Text as a fragment of a URL: ASCII letters and digits, hyphens between words.
fn slug(text: &str, used: &mut HashMap<String, usize>) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c.to_ascii_lowercase());
        } else if (c.is_whitespace() || c == '-') && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let base = out.trim_end_matches('-').to_owned();
    let count = used.entry(base.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { base } else { format!("{base}-{}", *count - 1) }
}

/// Begins a line, if the last one has something on it.
fn fresh_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// HTML of a text.
pub(crate) fn html(text: &str, flags: Flags) -> String {
    let events = events(text, flags);
    let mut writer = HtmlWriter::new(text.len() * 3 / 2, flags);
    // Depth below an image, whose content is in its `alt` already.
    let mut in_image = 0;
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Start(_) if in_image > 0 => in_image += 1,
            Event::End(_) if in_image > 0 => in_image -= 1,
            _ if in_image > 0 => {}
            Event::Start(tag) => {
                writer.start(tag, &events[index + 1..]);
                in_image = u32::from(matches!(tag, Tag::Image { .. }));
            }
            Event::End(tag) => writer.end(tag),
            leaf => writer.leaf(leaf),
        }
    }
    writer.out
}

/// HTML in the making.
struct HtmlWriter {
    out: String,
    flags: Flags,
    is_wiki_link: bool,
    /// How often each id of a heading was given.
    slugs: HashMap<String, usize>,
    /// Whether the open headings hold a link to themselves.
    heading_links: Vec<bool>,
    /// Alignments of the current table.
    columns: Vec<Alignment>,
    /// Place of the next cell in its row.
    column: usize,
    in_table_head: bool,
    in_table_body: bool,
}

impl HtmlWriter {
    fn new(capacity: usize, flags: Flags) -> Self {
        Self {
            out: String::with_capacity(capacity),
            flags,
            is_wiki_link: false,
            slugs: HashMap::new(),
            heading_links: Vec::new(),
            columns: Vec::new(),
            column: 0,
            in_table_head: false,
            in_table_body: false,
        }
    }

    /// Begins a block: its tag is at the beginning of a line.
    fn block(&mut self, html: &str) {
        fresh_line(&mut self.out);
        self.out.push_str(html);
    }

    /// The beginning of an element; `rest` is what follows it.
    fn start(&mut self, tag: &Tag<'_>, rest: &[Event<'_>]) {
        match tag {
            Tag::Paragraph => self.block("<p>"),
            Tag::Heading { level, .. } => self.heading(*level, rest),
            Tag::BlockQuote(_) => self.block("<blockquote>\n"),
            Tag::CodeBlock(kind) => self.code_block(kind),
            Tag::HtmlBlock => self.block(""),
            Tag::List(Some(1)) => self.block("<ol>\n"),
            Tag::List(Some(start)) => self.block(&format!("<ol start=\"{start}\">\n")),
            Tag::List(None) => self.block("<ul>\n"),
            Tag::Item => {
                let mut content = rest.iter().filter(|event| !matches!(event, Event::Start(Tag::Paragraph)));
                let is_task = matches!(content.next(), Some(Event::TaskListMarker(_)));
                self.block(if is_task { "<li class=\"task-list-item\">" } else { "<li>" });
            }
            Tag::Table(alignments) => {
                self.columns.clone_from(alignments);
                self.block("<table>\n");
            }
            Tag::TableHead => {
                (self.in_table_head, self.column) = (true, 0);
                self.out.push_str("<thead>\n<tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                if !std::mem::replace(&mut self.in_table_body, true) {
                    self.out.push_str("<tbody>\n");
                }
                self.out.push_str("<tr>");
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { dest_url, link_type: LinkType::WikiLink { .. }, .. } => {
                self.is_wiki_link = true;
                self.out.push_str("<x-wikilink data-target=\"");
                escape_into(&mut self.out, dest_url);
                self.out.push_str("\">");
            }
            Tag::Link { dest_url, title, link_type, .. } => {
                self.out.push_str("<a href=\"");
                if *link_type == LinkType::Email {
                    self.out.push_str("mailto:");
                }
                escape_url_into(&mut self.out, dest_url);
                self.title(title);
                self.out.push_str("\">");
            }
            Tag::Image { dest_url, title, .. } => {
                self.out.push_str("<img src=\"");
                escape_url_into(&mut self.out, dest_url);
                self.out.push_str("\" alt=\"");
                escape_into(&mut self.out, &plain_text(rest));
                self.title(title);
                self.out.push_str("\" />");
            }
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel, rest: &[Event<'_>]) {
        self.block(&format!("<{level}"));
        let mut link = false;
        if self.flags.has(Flags::HEADING_IDS) {
            let id = slug(&plain_text(rest), &mut self.slugs);
            self.out.push_str(&format!(" id=\"{id}\">"));
            link = self.flags.has(Flags::HEADING_LINKS);
            if link {
                self.out.push_str(&format!("<a href=\"#{id}\">"));
            }
        } else {
            self.out.push('>');
        }
        self.heading_links.push(link);
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>) {
        self.block("<pre><code");
        if let CodeBlockKind::Fenced(info) = kind
            && let Some(language) = info.split_whitespace().next()
        {
            self.out.push_str(" class=\"language-");
            escape_into(&mut self.out, language);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn cell(&mut self) {
        self.out.push_str(if self.in_table_head { "<th" } else { "<td" });
        if let Some(align) = alignment(self.columns.get(self.column)) {
            self.out.push_str(&format!(" align=\"{align}\""));
        }
        self.column += 1;
        self.out.push('>');
    }

    /// The title of a link or an image, behind an attribute whose value is still open.
    fn title(&mut self, title: &str) {
        if !title.is_empty() {
            self.out.push_str("\" title=\"");
            escape_into(&mut self.out, title);
        }
    }

    /// The end of an element.
    fn end(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>\n"),
            TagEnd::Heading(level) => {
                if self.heading_links.pop() == Some(true) {
                    self.out.push_str("</a>");
                }
                self.out.push_str(&format!("</{level}>\n"));
            }
            TagEnd::BlockQuote(_) => self.block("</blockquote>\n"),
            TagEnd::HtmlBlock => self.block(""),
            TagEnd::CodeBlock => {
                // The last line of a text may have no end; behind `>` there is no code at all.
                if !self.out.ends_with(['\n', '>']) {
                    self.out.push('\n');
                }
                self.out.push_str("</code></pre>\n");
            }
            TagEnd::List(ordered) => self.out.push_str(if *ordered { "</ol>\n" } else { "</ul>\n" }),
            TagEnd::Item => self.out.push_str("</li>\n"),
            TagEnd::Table => {
                if std::mem::take(&mut self.in_table_body) {
                    self.out.push_str("</tbody>\n");
                }
                self.out.push_str("</table>\n");
            }
            TagEnd::TableHead => {
                self.in_table_head = false;
                self.out.push_str("</tr>\n</thead>\n");
            }
            TagEnd::TableRow => self.out.push_str("</tr>\n"),
            TagEnd::TableCell => self.out.push_str(if self.in_table_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</del>"),
            // Links do not stand in links.
            TagEnd::Link if std::mem::take(&mut self.is_wiki_link) => self.out.push_str("</x-wikilink>"),
            TagEnd::Link => self.out.push_str("</a>"),
            _ => {}
        }
    }

    /// What holds nothing else.
    fn leaf(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => escape_into(&mut self.out, text),
            Event::Code(text) => {
                self.out.push_str("<code>");
                escape_into(&mut self.out, text);
                self.out.push_str("</code>");
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                // As md4c writes it.
                let is_display = matches!(event, Event::DisplayMath(_));
                self.out.push_str(if is_display { "<x-equation type=\"display\">" } else { "<x-equation>" });
                escape_into(&mut self.out, text);
                self.out.push_str("</x-equation>");
            }
            Event::Html(html) | Event::InlineHtml(html) => html_into(&mut self.out, html, self.flags),
            Event::SoftBreak if !self.flags.has(Flags::HARD_BREAKS) => self.out.push('\n'),
            Event::SoftBreak | Event::HardBreak => self.out.push_str("<br />\n"),
            Event::Rule => self.block("<hr />\n"),
            Event::TaskListMarker(checked) => {
                self.out.push_str("<input type=\"checkbox\" class=\"task-list-item-checkbox\" disabled");
                self.out.push_str(if *checked { " checked>" } else { ">" });
            }
            _ => {}
        }
    }
}

/// What a text has, as strings: `+name`, then as many details as the name has, at the beginning of an element; `-` at
/// its end; `t` and the text; `b` (line break), `s` (line end), `r` (rule), `h` and HTML, `x` or `o` (task, done or not).
///
/// Details: heading: level and id; list: start or ""; code: language; link and image: target and title; cell: alignment.
pub(crate) fn outline(text: &str, flags: Flags) -> Vec<String> {
    // Elements know no underline, as in Bun: it is `strong`.
    let events = events(text, Flags(flags.0 & !Flags::UNDERLINE));
    let mut out: Vec<String> = Vec::new();
    let mut slugs = HashMap::new();
    let mut columns: Vec<Alignment> = Vec::new();
    let mut column = 0;
    let mut in_head = false;
    let mut in_body = false;
    let begin = |out: &mut Vec<String>, name: &str, details: &[&str]| {
        out.push(format!("+{name}"));
        out.extend(details.iter().map(|detail| (*detail).to_owned()));
    };
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Start(tag) => match tag {
                Tag::Paragraph => begin(&mut out, "paragraph", &[]),
                Tag::Heading { level, .. } => {
                    let id = slug(&plain_text(&events[index + 1..]), &mut slugs);
                    let id = if flags.has(Flags::HEADING_IDS) { id } else { String::new() };
                    begin(&mut out, "heading", &[&(*level as u8).to_string(), &id]);
                }
                Tag::BlockQuote(_) => begin(&mut out, "blockquote", &[]),
                Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                    begin(&mut out, "code", &[info.split_whitespace().next().unwrap_or("")]);
                }
                Tag::CodeBlock(CodeBlockKind::Indented) => begin(&mut out, "code", &[""]),
                Tag::HtmlBlock => begin(&mut out, "html", &[]),
                Tag::List(start) => {
                    begin(&mut out, "list", &[&start.map(|start| start.to_string()).unwrap_or_default()]);
                }
                Tag::Item => begin(&mut out, "listItem", &[]),
                Tag::Table(alignments) => {
                    columns.clone_from(alignments);
                    begin(&mut out, "table", &[]);
                }
                Tag::TableHead => {
                    (in_head, column) = (true, 0);
                    begin(&mut out, "thead", &[]);
                    begin(&mut out, "tr", &[]);
                }
                Tag::TableRow => {
                    column = 0;
                    if !in_body {
                        in_body = true;
                        begin(&mut out, "tbody", &[]);
                    }
                    begin(&mut out, "tr", &[]);
                }
                Tag::TableCell => {
                    let align = alignment(columns.get(column)).unwrap_or("");
                    begin(&mut out, if in_head { "th" } else { "td" }, &[align]);
                    column += 1;
                }
                Tag::Emphasis => begin(&mut out, "emphasis", &[]),
                Tag::Strong => begin(&mut out, "strong", &[]),
                Tag::Strikethrough => begin(&mut out, "strikethrough", &[]),
                Tag::Link { dest_url, link_type: LinkType::WikiLink { .. }, .. } => {
                    begin(&mut out, "wikilink", &[dest_url]);
                }
                Tag::Link { dest_url, title, link_type, .. } => {
                    let prefix = if *link_type == LinkType::Email { "mailto:" } else { "" };
                    begin(&mut out, "link", &[&format!("{prefix}{dest_url}"), title]);
                }
                Tag::Image { dest_url, title, .. } => begin(&mut out, "image", &[dest_url, title]),
                // Elements of extensions that are off.
                _ => begin(&mut out, "group", &[]),
            },
            Event::End(tag) => {
                match tag {
                    TagEnd::Table if std::mem::take(&mut in_body) => out.push("-".to_owned()),
                    TagEnd::TableHead => {
                        in_head = false;
                        out.push("-".to_owned());
                    }
                    _ => {}
                }
                out.push("-".to_owned());
            }
            Event::Text(text) => out.push(format!("t{text}")),
            Event::InlineMath(text) => out.push(format!("t${text}$")),
            Event::DisplayMath(text) => out.push(format!("t$${text}$$")),
            Event::Code(text) => {
                begin(&mut out, "codespan", &[]);
                out.push(format!("t{text}"));
                out.push("-".to_owned());
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let mut filtered = String::from("h");
                html_into(&mut filtered, html, flags);
                out.push(filtered);
            }
            Event::SoftBreak if !flags.has(Flags::HARD_BREAKS) => out.push("s".to_owned()),
            Event::SoftBreak | Event::HardBreak => out.push("b".to_owned()),
            Event::Rule => out.push("r".to_owned()),
            Event::TaskListMarker(checked) => out.push(if *checked { "x" } else { "o" }.to_owned()),
            _ => {}
        }
    }
    out
}
