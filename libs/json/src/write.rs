//! Strings and numbers as `JSON.stringify` writes them.

use std::fmt::Write;

/// Appends `text` as a JSON string with quotes.
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    quote_bare(text, out);
    out.push('"');
}

/// Appends `text` with JSON's escapes and without quotes.
pub fn quote_bare(text: &str, out: &mut String) {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        if escape.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// The text of a finite number as `String(number)` gives it.
pub fn number_text(number: f64) -> String {
    let mut out = String::new();
    write_number(number, &mut out);
    if out == "-0" {
        out.remove(0);
    }
    out
}

/// Appends the shortest text that reads back as the same finite double. Unlike `JSON.stringify`, it keeps the sign of -0.
pub fn write_number(number: f64, out: &mut String) {
    if number == 0.0 {
        out.push_str(if number.is_sign_negative() { "-0" } else { "0" });
    } else if number.abs() >= 1e21 || number.abs() < 1e-6 {
        // JavaScript writes the sign of the exponent: 1e+21.
        let text = format!("{number:e}");
        match text.split_once('e') {
            Some((mantissa, exponent)) if !exponent.starts_with('-') => {
                let _ = write!(out, "{mantissa}e+{exponent}");
            }
            _ => out.push_str(&text),
        }
    } else {
        let _ = write!(out, "{number}");
    }
}
