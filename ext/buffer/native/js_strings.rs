//! Strings on their way in and out, in the two forms the engine stores them in.

use std::cell::RefCell;
use std::mem::MaybeUninit;

/// Longest string of the engine, in UTF-16 code units.
pub(crate) const MAX_STRING_LENGTH: usize = (1 << 30) - 2;

/// Characters of a string argument.
#[derive(Clone, Copy)]
pub(crate) enum Chars<'a> {
    /// One byte per character, U+0000 to U+00FF.
    Latin1(&'a [u8]),
    /// UTF-16 code units, lone surrogates included.
    Utf16(&'a [u16]),
}

/// What decoding gives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Text<'a> {
    /// So many Latin-1 characters, at most [`Text::SHORT`], which are not worth an allocation: see [`with_short`].
    Short(usize),
    /// Latin-1 characters that are the input itself.
    Slice(&'a [u8]),
    /// Characters U+0000 to U+00FF, one byte each.
    Latin1(Vec<u8>),
    /// UTF-16 code units.
    Utf16(Vec<u16>),
}

thread_local! {
    /// The characters of the one [`Text::Short`] that is on its way. They stay in one place: a processor that is to read what it has
    /// just written in pieces of another size waits, and each move of an array did that.
    static SHORT: RefCell<[u8; Text::SHORT]> = const { RefCell::new([0; Text::SHORT]) };
}

/// Lends the `len` characters of the last [`Text::Short`] of this thread.
pub(crate) fn with_short<T>(len: usize, f: impl FnOnce(&[u8]) -> T) -> T {
    SHORT.with_borrow(|chars| f(&chars[..len]))
}

/// The result would be longer than a string can be.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl<'a> Text<'a> {
    pub(crate) const SHORT: usize = 64;

    /// A text of Latin-1 characters.
    pub(crate) fn latin1(chars: &'a [u8]) -> Result<Self, TooLong> {
        check_length(chars.len())?;
        Ok(Text::Slice(chars))
    }

    /// The same, with the characters copied, if they are few.
    #[inline]
    pub(crate) fn shortened(self) -> Self {
        match self {
            Text::Slice(chars) if chars.len() <= Self::SHORT => {
                SHORT.with_borrow_mut(|bytes| bytes[..chars.len()].copy_from_slice(chars));
                Text::Short(chars.len())
            }
            other => other,
        }
    }

    /// A text of `len` Latin-1 characters that `fill` writes: all of them, or the rest is zeros.
    pub(crate) fn latin1_with(len: usize, fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> usize) -> Result<Self, TooLong> {
        if len <= Self::SHORT {
            SHORT.with_borrow_mut(|bytes| {
                let written = fill(as_uninit(&mut bytes[..len])).min(len);
                bytes[written..len].fill(0);
            });
            return Ok(Text::Short(len));
        }
        check_length(len)?;
        Ok(Text::Latin1(filled(len, fill)))
    }
}

/// A vector of `len` elements that `fill` writes; it gives back how many it has written, and the rest becomes zeros.
pub(crate) fn filled<T: Copy + Default>(len: usize, fill: impl FnOnce(&mut [MaybeUninit<T>]) -> usize) -> Vec<T> {
    let mut items = Vec::with_capacity(len);
    let written = fill(&mut items.spare_capacity_mut()[..len]).min(len);
    // SAFETY: the conversions of this crate, which are all that calls this, count what they have written.
    unsafe { items.set_len(written) };
    items.resize(len, T::default());
    items
}

/// Initialised memory as such that may be written without having been.
pub(crate) fn as_uninit<T: Copy>(items: &mut [T]) -> &mut [MaybeUninit<T>] {
    // SAFETY: the same layout; the conversions of this crate only write values to it.
    unsafe { &mut *(std::ptr::from_mut(items) as *mut [MaybeUninit<T>]) }
}

/// Whether a string can have this many units.
pub(crate) fn check_length(units: usize) -> Result<(), TooLong> {
    if units > MAX_STRING_LENGTH { Err(TooLong) } else { Ok(()) }
}

#[cfg(test)]
impl Text<'_> {
    /// The text as UTF-16, for comparisons.
    pub(crate) fn to_utf16(&self) -> Vec<u16> {
        match self {
            Text::Slice(chars) => chars.iter().map(|&c| c.into()).collect(),
            Text::Latin1(chars) => chars.iter().map(|&c| c.into()).collect(),
            Text::Utf16(units) => units.clone(),
            Text::Short(len) => with_short(*len, |chars| chars.iter().map(|&c| c.into()).collect()),
        }
    }
}

/// `bytes[start..end]` with both bounds cut to what is there, so that no argument can be out of range.
pub(crate) fn range(bytes: &[u8], start: f64, end: f64) -> &[u8] {
    let (start, end) = bounds(bytes.len(), start, end);
    &bytes[start..end]
}

/// As [`range`], writable, from `offset` on and at most `length` bytes.
pub(crate) fn room(bytes: &mut [u8], offset: f64, length: f64) -> &mut [u8] {
    let (start, end) = bounds(bytes.len(), offset, offset + length);
    &mut bytes[start..end]
}

fn bounds(len: usize, start: f64, end: f64) -> (usize, usize) {
    // `as` saturates: negative numbers and NaN become 0.
    let end = (end as usize).min(len);
    ((start as usize).min(end), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut() {
        let mut bytes = [1, 2, 3];
        assert_eq!(range(&bytes, 0.0, 9.0), [1, 2, 3]);
        assert_eq!(range(&bytes, -1.0, 2.0), [1, 2]);
        assert_eq!(range(&bytes, 2.0, 1.0), []);
        assert_eq!(range(&bytes, f64::NAN, f64::INFINITY), [1, 2, 3]);
        assert_eq!(room(&mut bytes, 1.0, 1.0), [2]);
        assert_eq!(room(&mut bytes, 5.0, 1.0), []);
    }

    #[test]
    fn short_and_long() {
        assert_eq!(Text::latin1(b"hi").unwrap().shortened(), Text::Short(2));
        assert_eq!(Text::latin1(b"hi").unwrap().shortened().to_utf16(), [104, 105]);
        assert!(matches!(Text::latin1(&[b'a'; 65]).unwrap().shortened(), Text::Slice(_)));
        let abc = Text::latin1_with(3, |out| out.write_copy_of_slice(b"abc").len()).unwrap();
        assert_eq!((abc.to_utf16(), abc), (vec![97, 98, 99], Text::Short(3)));
        // What was not written is zeros, whatever was there before.
        let a = Text::latin1_with(3, |out| out[..1].write_copy_of_slice(b"x").len()).unwrap();
        assert_eq!(a.to_utf16(), [120, 0, 0]);
        assert_eq!(check_length(MAX_STRING_LENGTH + 1), Err(TooLong));
    }
}
