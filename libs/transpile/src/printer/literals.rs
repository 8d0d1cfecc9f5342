//! Texts, numbers and regular expressions.

use std::fmt::Write;

use oxc_ast::ast::*;
use oxc_syntax::identifier::is_identifier_name;

use super::{FREE, Level, Printer, level};

impl Printer<'_> {
    /// A number; negative ones are what is left of a constant expression.
    pub(super) fn number(&mut self, value: f64, around: Level) {
        if value.is_nan() {
            return self.put("NaN");
        }
        let is_negative = value.is_sign_negative();
        let is_wrapped =
            if value.is_infinite() { around >= level::MULTIPLY } else { is_negative && around >= level::PREFIX };
        if is_wrapped {
            self.put("(");
        }
        if is_negative {
            self.sign("-");
        }
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            self.put("1 / 0");
        } else if let Some(zeros) = (4..=9).find(|zeros| magnitude == 10f64.powi(*zeros)) {
            let _ = write!(self.out, "1e{zeros}");
        } else {
            let _ = write!(self.out, "{magnitude}");
        }
        if is_wrapped {
            self.put(")");
        } else {
            self.number_end = self.out.len();
        }
    }

    pub(super) fn regexp(&mut self, it: &RegExpLiteral<'_>) {
        match &it.raw {
            Some(raw) => self.put(raw),
            None => {
                let _ = write!(self.out, "/{}/{}", it.regex.pattern.text, it.regex.flags);
            }
        }
    }

    /// A key of an object or a class, without quotes if it is a name.
    pub(super) fn text_key(&mut self, it: &StringLiteral<'_>) {
        if !it.lone_surrogates && it.value.is_ascii() && is_identifier_name(&it.value) {
            self.put(&it.value);
        } else {
            self.text(it, false);
        }
    }

    /// A text between the quotes that need the fewest escapes. `may_be_template`: whether a template may stand here.
    pub(super) fn text(&mut self, it: &StringLiteral<'_>, may_be_template: bool) {
        let quote = quote_for(&it.value, may_be_template);
        self.out.push(quote);
        self.characters(&it.value, it.lone_surrogates, quote);
        self.out.push(quote);
    }

    pub(super) fn template(&mut self, it: &TemplateLiteral<'_>, is_tagged: bool) {
        self.put("`");
        for (index, quasi) in it.quasis.iter().enumerate() {
            if index > 0
                && let Some(expression) = it.expressions.get(index - 1)
            {
                self.put("${");
                self.expression(expression, level::LOWEST, FREE);
                self.put("}");
            }
            match &quasi.value.cooked {
                // A function sees how the text of its template was written.
                Some(cooked) if !is_tagged => self.characters(cooked, quasi.lone_surrogates, '`'),
                _ => self.put(&quasi.value.raw),
            }
        }
        self.put("`");
    }

    /// The characters of a text between two `quote`. With `lone_surrogates`, U+FFFD and four digits stand for a code unit.
    fn characters(&mut self, text: &str, lone_surrogates: bool, quote: char) {
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            match character {
                '\n' if quote == '`' => self.out.push('\n'),
                '\t' if quote == '`' => self.out.push('\t'),
                '\n' => self.put("\\n"),
                '\t' => self.put("\\t"),
                '\r' => self.put("\\r"),
                '\u{8}' => self.put("\\b"),
                '\u{b}' => self.put("\\v"),
                '\u{c}' => self.put("\\f"),
                '\\' => self.put("\\\\"),
                '$' if quote == '`' && rest.as_str().starts_with('{') => self.put("\\$"),
                '\u{2028}' => self.put("\\u2028"),
                '\u{2029}' => self.put("\\u2029"),
                '\u{feff}' => self.put("\\uFEFF"),
                '\u{fffd}' if lone_surrogates => {
                    let digits = rest.as_str().get(..4).unwrap_or_default();
                    let _ = write!(self.out, "\\u{}", digits.to_ascii_uppercase());
                    for _ in 0..digits.len() {
                        rest.next();
                    }
                }
                _ if character == quote => {
                    self.out.push('\\');
                    self.out.push(quote);
                }
                _ if (character as u32) < 0x20 => {
                    let _ = write!(self.out, "\\x{:02X}", character as u32);
                }
                _ if character as u32 > 0xffff => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        let _ = write!(self.out, "\\u{unit:04X}");
                    }
                }
                _ => self.out.push(character),
            }
        }
    }
}

/// The quotes that need the fewest escapes in `text`: double ones if others are no better.
fn quote_for(text: &str, may_be_template: bool) -> char {
    let (mut double, mut single, mut template) = (0u32, 0u32, 0u32);
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => double += 1,
            b'\'' => single += 1,
            b'`' => template += 1,
            b'\n' => {
                double += 1;
                single += 1;
            }
            b'$' if bytes.get(index + 1) == Some(&b'{') => template += 1,
            _ => {}
        }
    }
    let (mut quote, mut fewest) = ('"', double);
    if single < fewest {
        (quote, fewest) = ('\'', single);
    }
    if may_be_template && template < fewest {
        quote = '`';
    }
    quote
}
