//! The grammar of numbers.

use crate::cursor::Flavor;

/// Takes digits off the front; how many.
fn digits(text: &mut &[u8]) -> usize {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    *text = &text[length..];
    length
}

/// Whether `word` is a number of RFC 8259, or of JSON5 if that is the flavour.
pub(crate) fn is_number(word: &[u8], flavor: Flavor) -> bool {
    let json5 = flavor == Flavor::Json5;
    let mut rest = match word {
        [b'-', rest @ ..] => rest,
        [b'+', rest @ ..] if json5 => rest,
        _ => word,
    };
    if json5 {
        match rest {
            b"Infinity" | b"NaN" => return true,
            [b'0', b'x' | b'X', hex @ ..] => return !hex.is_empty() && hex.iter().all(u8::is_ascii_hexdigit),
            _ => {}
        }
    }
    let leading_zero = rest.first() == Some(&b'0');
    let whole = digits(&mut rest);
    if leading_zero && whole > 1 || !json5 && whole == 0 {
        return false;
    }
    let mut fraction = 0;
    if let [b'.', after @ ..] = rest {
        rest = after;
        fraction = digits(&mut rest);
        if fraction == 0 && !json5 {
            return false;
        }
    }
    if whole + fraction == 0 {
        return false;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = match after {
            [b'+' | b'-', after @ ..] => after,
            _ => after,
        };
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

/// Whether `text` is a number of RFC 8259, which a number of JSON5 need not be.
pub fn is_json_number(text: &str) -> bool {
    is_number(text.as_bytes(), Flavor::Json)
}

/// The double that `text` means, which is a number of any flavour. Integers beyond 2^53 are rounded, as in JavaScript.
pub(crate) fn value(text: &str) -> f64 {
    let (sign, rest) = match text.as_bytes() {
        [b'-', ..] => (-1.0, &text[1..]),
        [b'+', ..] => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        Some(hex) => {
            sign * hex.chars().filter_map(|c| c.to_digit(16)).fold(0.0, |all, digit| all * 16.0 + f64::from(digit))
        }
        // Rust reads `.5`, `5.`, `Infinity` and `NaN` as JSON5 does.
        None => sign * rest.parse().unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar() {
        let json = |text: &str| is_number(text.as_bytes(), Flavor::Jsonc);
        let json5 = |text: &str| is_number(text.as_bytes(), Flavor::Json5);
        for good in ["0", "-0", "10", "1.5", "1e9", "1E-9", "-1.0e+2"] {
            assert!(json(good) && json5(good), "{good}");
        }
        for five in ["1.", ".5", "+1", "0x1F", "-0X0", "Infinity", "-Infinity", "+NaN", "5.e3"] {
            assert!(!json(five) && json5(five), "{five}");
        }
        for bad in ["", "-", "01", "1e", "0x", "1a", ".", "+", "1n", "--1", "infinity", "1.5.2"] {
            assert!(!json(bad) && !json5(bad), "{bad}");
        }
    }

    #[test]
    fn values() {
        for (text, number) in [("-0x10", -16.0), (".5", 0.5), ("5.", 5.0), ("+2e1", 20.0), ("1e400", f64::INFINITY)] {
            assert_eq!(value(text), number, "{text}");
        }
        assert_eq!(value("-Infinity"), f64::NEG_INFINITY);
        assert!(value("-NaN").is_nan() && value("-0").is_sign_negative());
    }
}
