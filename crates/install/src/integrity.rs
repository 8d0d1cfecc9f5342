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
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding, appended to `out`.
pub fn base64(bytes: &[u8], out: &mut String) {
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

/// Decodes base64 (standard or URL alphabet) into `out`; the number of bytes, or nothing where it is malformed or too long.
pub fn unbase64(text: &str, out: &mut [u8]) -> Option<usize> {
    let (mut bits, mut count, mut at) = (0u32, 0u32, 0usize);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            *out.get_mut(at)? = (bits >> count) as u8;
            at += 1;
        }
    }
    Some(at)
}

impl Integrity {
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Reads an `integrity` field; of several digests the strongest one.
    pub fn parse(text: &str) -> Self {
        let mut best = Self::None;
        for part in text.split_ascii_whitespace() {
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
            Self::None => &[],
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
        }
    }
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ["", "sha1-", "sha256-", "sha384-", "sha512-"][self.tag() as usize];
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
