//! Subresource integrity of tarballs: `sha512-<base64>`, `sha1-<base64>` and the hexadecimal `shasum`.

use std::fmt;

/// A digest that a tarball must have.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Integrity {
    #[default]
    None,
    Sha1([u8; 20]),
    Sha256([u8; 32]),
    Sha384([u8; 48]),
    Sha512([u8; 64]),
    /// Something is announced that cannot be checked: an algorithm that is not one of these, or a malformed digest. No tarball has it.
    Unknown,
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding, appended to `out`.
pub(crate) fn base64(bytes: &[u8], out: &mut String) {
    for chunk in bytes.chunks(3) {
        let group = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(char::from(ALPHABET[(group >> (18 - 6 * place)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
}

/// Value of each base64 digit of both alphabets, 0xff for what is none.
const DIGITS: [u8; 256] = {
    let mut table = [0xff; 256];
    let mut at = 0;
    while at < 64 {
        table[ALPHABET[at] as usize] = at as u8;
        at += 1;
    }
    table[b'-' as usize] = 62;
    table[b'_' as usize] = 63;
    table
};

/// Decodes base64 (standard or URL alphabet) into `out`; the number of bytes, or nothing where it is malformed or too long.
pub(crate) fn unbase64(text: &str, out: &mut [u8]) -> Option<usize> {
    // A manifest has a digest for each of hundreds of versions: four digits at a time.
    let digits = text.trim_end_matches('=').as_bytes();
    let (groups, rest) = digits.as_chunks::<4>();
    let length = digits.len() * 3 / 4;
    let out = out.get_mut(..length)?;
    let (whole, end) = out.split_at_mut(groups.len() * 3);
    let mut wrong = 0;
    for (group, bytes) in groups.iter().zip(whole.as_chunks_mut::<3>().0) {
        let [a, b, c, d] = group.map(|digit| DIGITS[usize::from(digit)]);
        wrong |= a | b | c | d;
        *bytes = [a << 2 | b >> 4 & 3, b << 4 | c >> 2 & 15, c << 6 | d & 63];
    }
    let mut last = [0u8; 3];
    for (place, digit) in rest.iter().enumerate() {
        last[place] = DIGITS[usize::from(*digit)];
        wrong |= last[place];
    }
    let both = [last[0] << 2 | last[1] >> 4 & 3, last[1] << 4 | last[2] >> 2 & 15];
    end.copy_from_slice(&both[..end.len()]);
    (wrong & 0x80 == 0).then_some(length)
}

impl Integrity {
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether there is a digest to compare with.
    pub fn has_digest(&self) -> bool {
        !self.digest().is_empty()
    }

    /// Reads an `integrity` field; of several digests the strongest one. [`Integrity::Unknown`] if none of them can be checked.
    pub fn parse(text: &str) -> Self {
        let mut best = Self::None;
        for part in text.split_ascii_whitespace() {
            if best.is_none() {
                best = Self::Unknown;
            }
            let Some((algorithm, digest)) = part.split_once('-') else { continue };
            let digest = digest.split('?').next().unwrap_or(digest);
            let mut bytes = [0u8; 64];
            let Some(length) = unbase64(digest, &mut bytes) else { continue };
            let found = match (algorithm, length) {
                ("sha512", 64) => Self::Sha512(bytes),
                ("sha384", 48) => Self::Sha384(bytes[..48].try_into().unwrap_or([0; 48])),
                ("sha256", 32) => Self::Sha256(bytes[..32].try_into().unwrap_or([0; 32])),
                ("sha1", 20) => Self::Sha1(bytes[..20].try_into().unwrap_or([0; 20])),
                _ => continue,
            };
            if found.digest().len() > best.digest().len() {
                best = found;
            }
        }
        best
    }

    /// Reads a hexadecimal SHA-1, the older `shasum` field.
    pub fn shasum(text: &str) -> Self {
        let mut bytes = [0u8; 20];
        if text.len() != 40 || !text.is_ascii() {
            return Self::None;
        }
        for (place, byte) in bytes.iter_mut().enumerate() {
            match u8::from_str_radix(&text[place * 2..place * 2 + 2], 16) {
                Ok(value) => *byte = value,
                Err(_) => return Self::None,
            }
        }
        Self::Sha1(bytes)
    }

    /// The raw digest.
    pub fn digest(&self) -> &[u8] {
        match self {
            Self::None | Self::Unknown => &[],
            Self::Sha1(bytes) => bytes,
            Self::Sha256(bytes) => bytes,
            Self::Sha384(bytes) => bytes,
            Self::Sha512(bytes) => bytes,
        }
    }

    /// Builds one from an algorithm's number (as [`Integrity::tag`] gives it) and its digest.
    pub fn from_parts(tag: u8, bytes: &[u8]) -> Self {
        match tag {
            1 => bytes.try_into().map_or(Self::None, Self::Sha1),
            2 => bytes.try_into().map_or(Self::None, Self::Sha256),
            3 => bytes.try_into().map_or(Self::None, Self::Sha384),
            4 => bytes.try_into().map_or(Self::None, Self::Sha512),
            5 => Self::Unknown,
            _ => Self::None,
        }
    }

    pub fn tag(&self) -> u8 {
        match self {
            Self::None => 0,
            Self::Sha1(_) => 1,
            Self::Sha256(_) => 2,
            Self::Sha384(_) => 3,
            Self::Sha512(_) => 4,
            Self::Unknown => 5,
        }
    }
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ["", "sha1-", "sha256-", "sha384-", "sha512-", ""][self.tag() as usize];
        let mut text = String::with_capacity(96);
        text.push_str(name);
        base64(self.digest(), &mut text);
        f.write_str(&text)
    }
}

impl fmt::Debug for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_checked_is_not_nothing() {
        let known = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        assert!(Integrity::parse(" ").is_none());
        assert!(matches!(Integrity::parse(known), Integrity::Sha1(_)));
        for text in ["md5-AAAAAAAAAAAAAAAAAAAAAA==", "sha9999-AAAA", "sha512-AAAA", "sha512-!", "sha512", "x"] {
            assert_eq!(Integrity::parse(text), Integrity::Unknown, "{text}");
            assert!(matches!(Integrity::parse(&format!("{text} {known}")), Integrity::Sha1(_)));
            assert!(matches!(Integrity::parse(&format!("{known} {text}")), Integrity::Sha1(_)));
        }
        assert_eq!(Integrity::from_parts(Integrity::Unknown.tag(), &[]), Integrity::Unknown);
    }

    #[test]
    fn base64_there_and_back() {
        for length in 0..70 {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 200) as u8).collect();
            let mut text = String::new();
            base64(&bytes, &mut text);
            let mut out = [0u8; 70];
            assert_eq!(unbase64(&text, &mut out), Some(length as usize));
            assert_eq!(&out[..length as usize], &bytes);
        }
        let mut out = [0u8; 4];
        assert_eq!(unbase64("-_-_", &mut out), Some(3));
        assert_eq!(out[..3], [0xfb, 0xff, 0xbf]);
        assert_eq!(unbase64("ab!d", &mut out), None);
        assert_eq!(unbase64("ab\u{e9}", &mut out), None);
        assert_eq!(unbase64("abcdefgh", &mut out), None);
    }
}
