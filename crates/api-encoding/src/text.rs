//! Strings on their way in and out, in the two forms the engine stores them in.

/// Longest string of the engine, in UTF-16 code units.
pub const MAX_STRING_LENGTH: usize = (1 << 30) - 2;

/// Characters of a string argument.
#[derive(Clone, Copy)]
pub enum Chars<'a> {
    /// One byte per character, U+0000 to U+00FF.
    Latin1(&'a [u8]),
    /// UTF-16 code units, lone surrogates included.
    Utf16(&'a [u16]),
}

/// What decoding gives.
#[derive(Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// Up to [`Text::SHORT`] Latin-1 characters, which are not worth an allocation.
    Short { bytes: [u8; Text::SHORT], len: u8 },
    /// Latin-1 characters that are the input itself.
    Slice(&'a [u8]),
    /// Characters U+0000 to U+00FF, one byte each.
    Latin1(Vec<u8>),
    /// UTF-16 code units.
    Utf16(Vec<u16>),
}

/// The result would be longer than a string can be.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl<'a> Text<'a> {
    pub const SHORT: usize = 64;

    /// A text of Latin-1 characters.
    pub fn latin1(chars: &'a [u8]) -> Result<Self, TooLong> {
        if chars.len() <= Self::SHORT {
            let mut bytes = [0; Self::SHORT];
            bytes[..chars.len()].copy_from_slice(chars);
            return Ok(Text::Short { bytes, len: chars.len() as u8 });
        }
        check_length(chars.len())?;
        Ok(Text::Slice(chars))
    }

    /// A text of `len` Latin-1 characters that `fill` writes.
    pub fn latin1_with(len: usize, fill: impl FnOnce(&mut [u8])) -> Result<Self, TooLong> {
        if len <= Self::SHORT {
            let mut bytes = [0; Self::SHORT];
            fill(&mut bytes[..len]);
            return Ok(Text::Short { bytes, len: len as u8 });
        }
        check_length(len)?;
        let mut chars = vec![0; len];
        fill(&mut chars);
        Ok(Text::Latin1(chars))
    }
}

/// Whether a string can have this many units.
pub fn check_length(units: usize) -> Result<(), TooLong> {
    if units > MAX_STRING_LENGTH { Err(TooLong) } else { Ok(()) }
}

#[cfg(test)]
impl Text<'_> {
    /// The text as UTF-16, for comparisons.
    pub fn to_utf16(&self) -> Vec<u16> {
        match self {
            Text::Slice(chars) => chars.iter().map(|&c| c.into()).collect(),
            Text::Latin1(chars) => chars.iter().map(|&c| c.into()).collect(),
            Text::Utf16(units) => units.clone(),
            Text::Short { bytes, len } => bytes[..*len as usize].iter().map(|&c| c.into()).collect(),
        }
    }
}

/// `bytes[start..end]` with both bounds cut to what is there, so that no argument can be out of range.
pub fn range(bytes: &[u8], start: f64, end: f64) -> &[u8] {
    let (start, end) = bounds(bytes.len(), start, end);
    &bytes[start..end]
}

/// As [`range`], writable, from `offset` on and at most `length` bytes.
pub fn room(bytes: &mut [u8], offset: f64, length: f64) -> &mut [u8] {
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
        assert_eq!(Text::latin1(b"hi").unwrap().to_utf16(), [104, 105]);
        assert!(matches!(Text::latin1(&[b'a'; 65]).unwrap(), Text::Slice(_)));
        assert_eq!(Text::latin1_with(3, |out| out.copy_from_slice(b"abc")), Text::latin1(b"abc"));
        assert_eq!(check_length(MAX_STRING_LENGTH + 1), Err(TooLong));
    }
}
