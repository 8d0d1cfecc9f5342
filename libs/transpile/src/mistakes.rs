//! Mistakes that the parser does not see, as they are no matter of a token: entities of JSX that are no character, and lists of exports in
//! namespaces of TypeScript.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;

/// The largest code point of Unicode (https://www.unicode.org/versions/latest/, D9).
const LAST_CHARACTER: i64 = 0x10_ffff;

/// Entities of JSX by number that stand for no character, each with its place in the text and what is wrong.
#[must_use]
pub fn wrong_entities(program: &Program<'_>) -> Vec<(Span, String)> {
    if memchr::memmem::find(program.source_text.as_bytes(), b"&#").is_none() {
        return Vec::new();
    }
    let mut entities = Entities { found: Vec::new() };
    entities.visit_program(program);
    entities.found
}

struct Entities {
    found: Vec<(Span, String)>,
}

impl Entities {
    /// Looks at a text that begins at a byte of the module.
    fn look(&mut self, text: &str, start: u32) {
        for (at, _) in text.match_indices("&#") {
            let rest = &text[at + 2..];
            // Not to the next semicolon, which may be far away for each of many.
            let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
            let Some(name) = rest[length..].starts_with(';').then(|| &rest[..length]) else { continue };
            let number = match name.strip_prefix(['x', 'X']) {
                Some(digits) => parsed(digits, 16),
                None => parsed(name, 10),
            };
            if number.is_some_and(|number| !(0..=LAST_CHARACTER).contains(&number)) {
                let from = start + at as u32;
                let span = Span::new(from, from + name.len() as u32 + 3);
                self.found.push((span, format!("JSX entity escape is too big: #{name}")));
            }
        }
    }
}

/// The value of digits, as large as they may be; `None` if a text is no number.
fn parsed(text: &str, radix: u32) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    Some(i64::from_str_radix(text, radix).unwrap_or(i64::MAX))
}

impl<'a> Visit<'a> for Entities {
    fn visit_jsx_text(&mut self, it: &JSXText<'a>) {
        self.look(it.raw.as_ref().map_or("", |raw| raw.as_str()), it.span.start);
    }

    fn visit_jsx_attribute_value(&mut self, it: &JSXAttributeValue<'a>) {
        match it {
            JSXAttributeValue::StringLiteral(text) => {
                self.look(text.raw.as_ref().map_or("", |raw| raw.as_str()), text.span.start);
            }
            other => walk::walk_jsx_attribute_value(self, other),
        }
    }
}

/// Exports without a declaration that stand in a namespace with values (TypeScript's error 1194): where what they export stands, and how it
/// begins.
pub(crate) fn exports_of_namespaces(program: &Program<'_>) -> Vec<(Span, &'static str)> {
    let mut lists = Lists { found: Vec::new() };
    lists.visit_program(program);
    lists.found
}

struct Lists {
    found: Vec<(Span, &'static str)>,
}

impl<'a> Visit<'a> for Lists {
    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if !it.declare {
            walk::walk_ts_namespace_declaration(self, it);
        }
    }

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}

    fn visit_ts_module_block(&mut self, it: &TSModuleBlock<'a>) {
        for statement in &it.body {
            let (span, kind, token) = match statement {
                Statement::ExportNamedDeclaration(list) => (list.span, list.export_kind, "{"),
                Statement::ExportFromDeclaration(list) => (list.span, list.export_kind, "{"),
                Statement::ExportAllDeclaration(all) => (all.span, all.export_kind, "*"),
                _ => continue,
            };
            if !kind.is_type() {
                self.found.push((Span::new(span.start + "export".len() as u32, span.end), token));
            }
        }
        walk::walk_ts_module_block(self, it);
    }
}
