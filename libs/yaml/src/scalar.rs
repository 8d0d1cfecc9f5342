//! Scalars in the core schema (<https://yaml.org/spec/1.2.2/#103-core-schema>).

use std::borrow::Cow;

use saphyr_parser::{ScalarStyle, Tag};

use crate::Yaml;

/// A scalar in the core schema.
pub(crate) fn scalar<'a>(text: Cow<'a, str>, style: ScalarStyle, tag: Option<&Tag>) -> Yaml<'a> {
    let core = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    let resolve = match core {
        Some("str" | "binary" | "timestamp") => false,
        Some("int" | "float" | "bool" | "null") => true,
        // `! text` is a string whatever it looks like.
        _ if tag.is_some_and(|tag| tag.handle.is_empty() && tag.suffix == "!") => false,
        _ => style == ScalarStyle::Plain,
    };
    let resolved = if resolve { resolve_plain(&text) } else { None };
    resolved.unwrap_or(Yaml::Text(text))
}

fn resolve_plain<'a>(text: &str) -> Option<Yaml<'a>> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Yaml::Null,
        "true" | "True" | "TRUE" => Yaml::Bool(true),
        "false" | "False" | "FALSE" => Yaml::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Yaml::Number(f64::NAN),
        _ => Yaml::Number(number(text)?),
    })
}

fn number(text: &str) -> Option<f64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Some(sign * f64::INFINITY);
    }
    let radix = |digits: &str, radix: u32| {
        let mut value = 0.0;
        for c in digits.chars() {
            value = value * f64::from(radix) + f64::from(c.to_digit(radix)?);
        }
        (!digits.is_empty()).then_some(value)
    };
    if let Some(octal) = text.strip_prefix("0o") {
        return radix(octal, 8);
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return radix(hexadecimal, 16);
    }
    // Rust also reads "inf", "nan" and "infinity", which are strings here.
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    let fits = is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    if !fits || !exponent_fits {
        return None;
    }
    digits.parse::<f64>().ok().map(|value| sign * value)
}
