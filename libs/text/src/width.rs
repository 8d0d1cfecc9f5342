//! How many columns of a terminal a text takes.

use unicode_segmentation::UnicodeSegmentation;

use crate::ansi;
use crate::width_table::{NODE_RUNS, RUNS};

const AMBIGUOUS: u32 = 4;
const EMOJI: u32 = 8;
const MODIFIER_BASE: u32 = 16;
const KEYCAP: char = '\u{20e3}';
const EMOJI_STYLE: char = '\u{fe0f}';
const JOINER: char = '\u{200d}';

/// The properties of a character, as in [`RUNS`].
fn properties(c: u32) -> u32 {
    // The two largest scripts of wide characters.
    if (0x4e00..0xa000).contains(&c) || (0xac00..0xd7a4).contains(&c) {
        return 2;
    }
    RUNS[RUNS.partition_point(|&run| run >> 5 <= c) - 1] & 31
}

fn columns(c: u32, ambiguous_is_narrow: bool) -> usize {
    let found = properties(c);
    if found & AMBIGUOUS != 0 && !ambiguous_is_narrow { 2 } else { (found & 3) as usize }
}

/// Columns of Latin-1 text without escape sequences.
fn latin1_columns(text: &[u8], ambiguous_is_narrow: bool) -> usize {
    if !ambiguous_is_narrow {
        return text.iter().map(|&c| columns(c.into(), false)).sum();
    }
    // Sums that fit a byte, which the compiler turns into vector code.
    let count = |block: &[u8]| -> u8 {
        block.iter().map(|&c| u8::from((c.wrapping_sub(0x20) < 0x5f) | (c >= 0xa0) & (c != 0xad))).sum()
    };
    text.chunks(128).map(|block| usize::from(count(block))).sum()
}

/// Columns of Latin-1 text. `count_escapes`: the characters of escape sequences are text like any other.
pub fn latin1(text: &[u8], count_escapes: bool, ambiguous_is_narrow: bool) -> usize {
    if count_escapes {
        return latin1_columns(text, ambiguous_is_narrow);
    }
    // Most text is plain: it takes as many columns as it has characters.
    let (blocks, _) = text.as_chunks::<64>();
    let is_plain =
        |block: &&[u8; 64]| block.iter().fold(0, |other, &c| other | u8::from(c.wrapping_sub(0x20) >= 0x5f)) == 0;
    let plain = blocks.iter().take_while(is_plain).count() * 64;
    if plain > 0 && ambiguous_is_narrow {
        return plain + with_sequences(&text[plain..], true);
    }
    with_sequences(text, ambiguous_is_narrow)
}

fn with_sequences(text: &[u8], ambiguous_is_narrow: bool) -> usize {
    let (mut from, mut total) = (0, 0);
    while let Some(offset) = ansi::find(&text[from..]) {
        total += latin1_columns(&text[from..from + offset], ambiguous_is_narrow);
        from = ansi::skip(text, from + offset);
    }
    total + latin1_columns(&text[from..], ambiguous_is_narrow)
}

/// Columns of UTF-16 text.
pub fn utf16(text: &[u16], count_escapes: bool, ambiguous_is_narrow: bool) -> usize {
    if count_escapes {
        return utf16_columns(text, ambiguous_is_narrow);
    }
    match ansi::strip(text) {
        // Sequences do not separate characters that belong together.
        Some(stripped) => utf16_columns(&stripped, ambiguous_is_narrow),
        None => utf16_columns(text, ambiguous_is_narrow),
    }
}

/// Whether the width of a cluster with this character may not be the sum of its characters' widths.
fn combines(c: u32) -> bool {
    matches!(c, 0x200d | 0x20e3 | 0xfe0f | 0x1f1e6..=0x1f1ff | 0x1f3fb..=0x1f3ff)
}

fn utf16_columns(text: &[u16], ambiguous_is_narrow: bool) -> usize {
    let mut total = 0;
    for decoded in char::decode_utf16(text.iter().copied()) {
        let c = match decoded {
            Ok(c) => c.into(),
            Err(lone) => lone.unpaired_surrogate().into(),
        };
        if combines(c) {
            return clusters_columns(text, ambiguous_is_narrow);
        }
        total += columns(c, ambiguous_is_narrow);
    }
    total
}

fn clusters_columns(text: &[u16], ambiguous_is_narrow: bool) -> usize {
    // Half a surrogate pair takes no column and stands alone, as this character does.
    let text: String = char::decode_utf16(text.iter().copied()).map(|c| c.unwrap_or('\u{200b}')).collect();
    clusters(&text).map(|cluster| cluster_columns(cluster, ambiguous_is_narrow)).sum()
}

/// Columns of text after NFC as Node's `getStringWidth` counts them: each code point by itself, escape sequences like any
/// other text. A surrogate without its partner is a code point.
pub fn code_points(text: &[u16]) -> usize {
    let code_point = |decoded: Result<char, std::char::DecodeUtf16Error>| match decoded {
        Ok(c) => u32::from(c),
        Err(lone) => lone.unpaired_surrogate().into(),
    };
    char::decode_utf16(text.iter().copied()).map(|decoded| node_columns(code_point(decoded))).sum()
}

/// The same for Latin-1 text.
pub fn latin1_code_points(text: &[u8]) -> usize {
    text.iter().map(|&c| node_columns(c.into())).sum()
}

fn node_columns(c: u32) -> usize {
    let run = NODE_RUNS.partition_point(|&(first, ..)| first <= c).checked_sub(1).map(|at| NODE_RUNS[at]);
    match run {
        Some((_, last, columns)) if c <= last => columns.into(),
        _ => columns(c, true),
    }
}

fn is_modifier(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Splits text into what people see as characters: grapheme clusters of Unicode's annex 29, but a skin tone only belongs
/// to what can have one.
pub fn clusters(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true).flat_map(|cluster| {
        let mut rest = cluster;
        std::iter::from_fn(move || {
            let mut before = None;
            for (at, c) in rest.char_indices() {
                if let Some(before) = before
                    && is_modifier(c)
                    && properties(before) & MODIFIER_BASE == 0
                {
                    let (part, tail) = rest.split_at(at);
                    rest = tail;
                    return Some(part);
                }
                before = Some(u32::from(c));
            }
            (!rest.is_empty()).then(|| std::mem::take(&mut rest))
        })
    })
}

/// Columns of one cluster.
pub fn cluster_columns(cluster: &str, ambiguous_is_narrow: bool) -> usize {
    let mut chars = cluster.chars();
    let Some(first) = chars.next() else { return 0 };
    if chars.as_str().is_empty() {
        return columns(first.into(), ambiguous_is_narrow);
    }
    if cluster.contains(KEYCAP) || matches!(first, '\u{1f1e6}'..='\u{1f1ff}') {
        return 2;
    }
    let is_emoji = properties(first.into()) & EMOJI != 0;
    if is_emoji && (cluster.contains(EMOJI_STYLE) || first > '\u{ff}' && cluster.contains(JOINER)) {
        return 2;
    }
    if chars.any(is_modifier) {
        return 2;
    }
    cluster.chars().map(|c| columns(c.into(), ambiguous_is_narrow)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn as_bun() {
        for (text, columns) in [
            ("", 0),
            ("abc", 3),
            ("日本", 4),
            ("\u{1b}[31mred\u{1b}[0m", 3),
            ("e\u{301}", 1),
            ("👩\u{200d}👧", 2),
            ("🇩🇪", 2),
            ("👍🏽", 2),
            ("1\u{fe0f}\u{20e3}", 2),
            ("❤\u{fe0f}", 2),
            ("\u{ad}", 0),
        ] {
            assert_eq!(utf16(&units(text), false, true), columns, "{text:?}");
        }
        assert_eq!(utf16(&units("α"), false, false), 2);
        assert_eq!(latin1(b"\x1b[1mx\xe4", false, true), 2);
        assert_eq!(latin1(b"\x1b[1mx", true, true), 4);
        assert_eq!(clusters("👍🏽a🏽").collect::<Vec<_>>(), ["👍🏽", "a", "🏽"]);
    }

    #[test]
    fn as_node() {
        for (text, columns) in [
            ("", 0),
            ("abc", 3),
            ("日本", 4),
            ("\u{1b}[1m", 3),
            ("\u{301}", 0),
            ("👩\u{200d}👧", 4),
            ("🇩🇪", 4),
            ("👍🏽", 4),
            ("\u{ad}", 1),
            ("\u{1160}", 1),
            ("\u{20e3}", 0),
            ("\u{93b}", 1),
        ] {
            assert_eq!(code_points(&units(text)), columns, "{text:?}");
        }
        assert_eq!(code_points(&[0xd800]), 1);
        assert_eq!(latin1_code_points(b"a\xad\x07"), 2);
    }
}
