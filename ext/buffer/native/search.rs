//! Order and search of bytes, with the offset rules of `buf.indexOf` and `buf.lastIndexOf`.

use std::cmp::Ordering;

#[cfg(target_arch = "x86_64")]
use memchr::arch::{all::packedpair::Pair, x86_64::avx2::packedpair};
use memchr::memmem::{self, Finder, FinderRev};

/// -1, 0 or 1 by the first byte that differs, then by length.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> i32 {
    match a.cmp(b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Where a search of `needle_len` bytes in `len` begins, or `None` if it cannot find anything.
///
/// Negative offsets count from the end. Going backwards, an offset behind the last possible place means that place.
fn start(len: usize, offset: f64, needle_len: usize, forward: bool) -> Option<usize> {
    let len = len as i64;
    let offset = offset as i64;
    let needle_len = needle_len as i64;
    let at = if offset < 0 {
        if offset + len >= 0 {
            offset + len
        } else if forward || needle_len == 0 {
            0
        } else {
            return None;
        }
    } else if offset.saturating_add(needle_len) <= len {
        offset
    } else if needle_len == 0 {
        len
    } else if forward {
        return None;
    } else {
        len - 1
    };
    usize::try_from(at).ok()
}

/// Index of the first (or, backwards, last) `needle` at or after (before) `offset`.
pub(crate) fn find(haystack: &[u8], needle: &[u8], offset: f64, forward: bool) -> Option<usize> {
    let at = start(haystack.len(), offset, needle.len(), forward)?;
    if needle.is_empty() {
        return Some(at);
    }
    let last = haystack.len().checked_sub(needle.len())?;
    if forward {
        return find_first(&haystack[at.min(haystack.len())..], needle).map(|found| at + found);
    }
    memmem::rfind(&haystack[..at.min(last) + needle.len()], needle)
}

/// Up to this size, preparing a search that is linear in the worst case takes longer than the search itself.
#[cfg(target_arch = "x86_64")]
const SMALL: usize = 4096;

fn find_first(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if haystack.len() <= SMALL
        && let Ok(last @ 1..) = u8::try_from(needle.len().wrapping_sub(1))
        && let Some(pair) = Pair::with_indices(needle, 0, last)
        && let Some(finder) = packedpair::Finder::with_pair(needle, pair)
        && haystack.len() >= finder.min_haystack_len()
    {
        return finder.find(haystack, needle);
    }
    memmem::find(haystack, needle)
}

/// Index of the first or last `byte`.
pub(crate) fn find_byte(haystack: &[u8], byte: u8, offset: f64, forward: bool) -> Option<usize> {
    if haystack.is_empty() {
        return None;
    }
    let at = start(haystack.len(), offset, 1, forward)?;
    if forward {
        memchr::memchr(byte, &haystack[at..]).map(|found| at + found)
    } else {
        memchr::memrchr(byte, &haystack[..=at])
    }
}

/// As [`find`], but in 16-bit units: only even places count, and odd bytes at the ends do not.
pub(crate) fn find_units(haystack: &[u8], needle: &[u8], offset: f64, forward: bool) -> Option<usize> {
    let at = start(haystack.len(), offset, needle.len(), forward)?;
    if needle.is_empty() {
        return Some(at);
    }
    if haystack.len() < 2 || needle.len() < 2 || haystack.len() < needle.len() {
        return None;
    }
    if forward && at + needle.len() > haystack.len() {
        return None;
    }
    let haystack = &haystack[..haystack.len() & !1];
    let needle = &needle[..needle.len() & !1];
    let at = at & !1;
    if forward {
        let finder = Finder::new(needle);
        let mut from = at;
        while let Some(found) = finder.find(haystack.get(from..)?) {
            let place = from + found;
            if place % 2 == 0 {
                return Some(place);
            }
            from = place + 1;
        }
        return None;
    }
    let finder = FinderRev::new(needle);
    let mut end = at.min(haystack.len().checked_sub(needle.len())?) + needle.len();
    while let Some(place) = finder.rfind(&haystack[..end]) {
        if place % 2 == 0 {
            return Some(place);
        }
        end = place + needle.len() - 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_haystacks() {
        let haystack: Vec<u8> = (0..300u32).map(|i| (i * i % 7) as u8).collect();
        for len in 0..40 {
            for start in 0..260 {
                let needle = &haystack[start..start + len];
                for end in [start + len, 300] {
                    let expected = (0..=end - len).find(|&at| &haystack[at..at + len] == needle);
                    assert_eq!(find(&haystack[..end], needle, 0.0, true), expected);
                }
            }
        }
        assert_eq!(find(&[b'a'; 200], b"aab", 0.0, true), None);
    }

    #[test]
    fn order() {
        assert_eq!(compare(b"a", b"b"), -1);
        assert_eq!(compare(b"ab", b"a"), 1);
        assert_eq!(compare(b"", b""), 0);
        assert_eq!(compare(b"\xff", b"\x01"), 1);
    }

    /// What Node's rules say, spelled out place by place.
    fn slow(haystack: &[u8], needle: &[u8], offset: i64, forward: bool) -> Option<usize> {
        let at = start(haystack.len(), offset as f64, needle.len(), forward)?;
        if needle.is_empty() {
            return Some(at);
        }
        let places = 0..(haystack.len() + 1).saturating_sub(needle.len());
        let fits = |&place: &usize| &haystack[place..place + needle.len()] == needle;
        if forward {
            places.filter(|&place| place >= at).find(fits)
        } else {
            places.rev().filter(|&place| place <= at).find(fits)
        }
    }

    #[test]
    fn every_offset() {
        let haystack = b"abcabcaabb";
        for needle in [&b"a"[..], b"abc", b"ab", b"bb", b"", b"x", b"abcabcaabb", b"abcabcaabbc", b"aab"] {
            for forward in [true, false] {
                for offset in -13..14 {
                    let found = find(haystack, needle, offset as f64, forward);
                    assert_eq!(found, slow(haystack, needle, offset, forward), "{needle:?} {offset} {forward}");
                    if needle.len() == 1 {
                        assert_eq!(find_byte(haystack, needle[0], offset as f64, forward), found);
                    }
                }
            }
        }
        assert_eq!(find(b"", b"a", 0.0, true), None);
        assert_eq!(find(b"", b"a", 0.0, false), None);
        assert_eq!(find(b"", b"", 3.0, true), Some(0));
        assert_eq!(find_byte(b"", 1, 0.0, false), None);
        assert_eq!(find_byte(b"aba", b'a', -1.0, true), Some(2));
        assert_eq!(find_byte(b"aba", b'a', f64::INFINITY, false), Some(2));
    }

    #[test]
    fn units() {
        let haystack = [0, 1, 0, 1, 1, 0, 0, 1, 9];
        assert_eq!(find_units(&haystack, &[1, 0], 0.0, true), Some(4));
        assert_eq!(find_units(&haystack, &[0, 1], 1.0, true), Some(0));
        assert_eq!(find_units(&haystack, &[0, 1], 2.0, true), Some(2));
        assert_eq!(find_units(&haystack, &[0, 1], 8.0, false), Some(6));
        assert_eq!(find_units(&haystack, &[1, 0], 8.0, false), Some(4));
        assert_eq!(find_units(&haystack, &[1, 0], 3.0, false), None);
        assert_eq!(find_units(&haystack, &[1], 0.0, true), None);
        assert_eq!(find_units(&[0; 64], &[0, 1], 0.0, true), None);
    }
}
