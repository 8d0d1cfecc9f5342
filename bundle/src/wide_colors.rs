//! Colors relative to one that sRGB does not have (https://drafts.csswg.org/css-color-5/#relative-RGB).
//!
//! lightningcss computes `rgb(from lab(100 104.3 -50.9) r g b)` and cuts the channels off where sRGB ends, which is another color on
//! screens that show more. Such a function gets a name that lightningcss does not know, so that it stays as it is.

use std::borrow::Cow;

use lightningcss::traits::Parse;
use lightningcss::values::color::{ColorGamut, CssColor, SRGB};

/// What stands before the names of functions that are left as they are.
const MARK: &str = "bao-wide-";

/// The functions whose channels are those of sRGB.
const RELATIVE: &[&str] = &["rgb", "rgba", "hsl", "hsla", "hwb"];
/// The functions for colors of more than sRGB, which these may begin from.
const WIDE: &[&str] = &["lab", "lch", "oklab", "oklch"];

/// Hides relative colors that sRGB does not have from lightningcss. Comments and texts are left alone.
pub(crate) fn hide(css: &str) -> Cow<'_, str> {
    if memchr::memmem::find(css.as_bytes(), b"from").is_none() {
        return Cow::Borrowed(css);
    }
    let mut out = String::new();
    let mut copied = 0;
    let bytes = css.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = css[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
            }
            quote @ (b'"' | b'\'') => at = end_of_text(bytes, at, quote),
            b'(' => {
                if let Some((function, origin)) = relative_color(css, at)
                    && !is_in_srgb(&css[origin.clone()])
                {
                    for name in [function, origin.start] {
                        out.push_str(&css[copied..name]);
                        out.push_str(MARK);
                        copied = name;
                    }
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(css);
    }
    out.push_str(&css[copied..]);
    Cow::Owned(out)
}

/// Gives what is hidden its name again, in a sheet that lightningcss has printed. What else begins so is the program's, as a class.
pub(crate) fn show(css: String) -> String {
    if !css.contains(MARK) {
        return css;
    }
    let mut out = String::with_capacity(css.len());
    let mut parts = css.split(MARK);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let is_hidden =
            part.find('(').is_some_and(|end| is_one_of(&part[..end], RELATIVE) || is_one_of(&part[..end], WIDE));
        out.push_str(if is_hidden { "" } else { MARK });
        out.push_str(part);
    }
    out
}

/// The end of a text whose quote is at `start`.
fn end_of_text(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// For a parenthesis at `open`: where the name of a relative color begins, and the range of the color that it begins from.
fn relative_color(css: &str, open: usize) -> Option<(usize, std::ops::Range<usize>)> {
    let function = name_before(css, open)?;
    if !is_one_of(&css[function..open], RELATIVE) {
        return None;
    }
    let inside = css[open + 1..].trim_start();
    let origin = inside.get(..4).filter(|word| word.eq_ignore_ascii_case("from")).map(|_| inside[4..].trim_start())?;
    let start = css.len() - origin.len();
    let parenthesis = origin.find('(')?;
    if !is_one_of(&origin[..parenthesis], WIDE) {
        return None;
    }
    // Colors have no parentheses inside but those of calculations.
    let mut depth = 0usize;
    for (index, byte) in origin.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some((function, start..start + index + 1)),
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Where the name before `end` begins.
fn name_before(css: &str, end: usize) -> Option<usize> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || !byte.is_ascii();
    let length = css.as_bytes()[..end].iter().rev().take_while(|byte| is_of_name(byte)).count();
    (length > 0).then(|| end - length)
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether sRGB has a color; also for what is none, of which lightningcss tells.
fn is_in_srgb(text: &str) -> bool {
    let Ok(color) = CssColor::parse_string(text) else { return true };
    SRGB::try_from(&color).map_or(true, |color| color.in_gamut())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colors_beyond_srgb_are_hidden() {
        let wide =
            "a { color: rgb(from lab(100 104.3 -50.9) r g b) } b { color: HSL( from oklch(1 .399 336.3) h s l ) }";
        let hidden = hide(wide);
        assert_eq!(
            hidden,
            "a { color: bao-wide-rgb(from bao-wide-lab(100 104.3 -50.9) r g b) } b { color: bao-wide-HSL( from bao-wide-oklch(1 .399 336.3) h s l ) }"
        );
        assert_eq!(show(hidden.into_owned()), wide);
        let named = ".bao-wide-rgb, .bao-wide-card:not(b) { color: red }";
        assert_eq!(show(named.into()), named);
    }

    #[test]
    fn other_texts_stay() {
        for css in [
            "a { color: rgb(from lab(50 10 10) r g b) }",
            "a { color: rgb(from red r g b); content: \"rgb(from lab(100 104.3 -50.9) r g b)\" }",
            "/* rgb(from lab(100 104.3 -50.9) r g b) */ a { color: lab(100 104.3 -50.9) }",
            "@keyframes a { from { color: rgb(1 2 3) } } /* from",
            "a { color: rgb(from lab(100 104.3",
            "a { color: rgb(from lab((( \"",
            "a::before { content: 'from\\'",
        ] {
            assert_eq!(hide(css), css);
        }
    }
}
