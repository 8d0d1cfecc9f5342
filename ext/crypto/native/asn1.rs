//! As much of DER as the forms of keys need that aws-lc does not write or read: RSA-PSS and Diffie-Hellman.

/// Object identifiers of algorithms.
pub(crate) const RSA_PSS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 0x0a];
pub(crate) const DH: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 3, 1];

pub(crate) const INTEGER: u8 = 2;
const BIT_STRING: u8 = 3;
pub(crate) const OCTET_STRING: u8 = 4;
pub(crate) const OBJECT: u8 = 6;
pub(crate) const SEQUENCE: u8 = 0x30;

/// An element of a tag.
pub(crate) fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut out = vec![tag];
    match content.len() {
        length @ 0..=127 => out.push(length as u8),
        length @ 128..=255 => out.extend([0x81, length as u8]),
        length => out.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    out.extend(content);
    out
}

/// A number that is not negative.
pub(crate) fn integer(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    let zero: &[u8] = if bytes.first().is_none_or(|first| first & 0x80 != 0) { &[0] } else { &[] };
    element(INTEGER, &[zero, bytes])
}

/// Takes the first element off: its tag and its content.
pub(crate) fn read<'a>(rest: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (&tag, data) = rest.split_first()?;
    let (&first, mut data) = data.split_first()?;
    let mut length = usize::from(first);
    if first & 0x80 != 0 {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return None;
        }
        let (bytes, after) = data.split_at_checked(count)?;
        length = bytes.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        data = after;
    }
    let (content, after) = data.split_at_checked(length)?;
    *rest = after;
    Some((tag, content))
}

/// Takes an element of a tag off: its content.
pub(crate) fn expect<'a>(rest: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    read(rest).filter(|found| found.0 == tag).map(|found| found.1)
}

/// The parts of a key in PKCS#8 or SPKI: object identifier, parameters as they are, bytes of the key.
pub(crate) fn parts(data: &[u8], private: bool) -> Option<(&[u8], &[u8], &[u8])> {
    let mut whole = data;
    let mut inner = expect(&mut whole, SEQUENCE)?;
    if private {
        expect(&mut inner, INTEGER)?;
    }
    let mut algorithm = expect(&mut inner, SEQUENCE)?;
    let id = expect(&mut algorithm, OBJECT)?;
    let key = if private { expect(&mut inner, OCTET_STRING)? } else { expect(&mut inner, BIT_STRING)?.get(1..)? };
    Some((id, algorithm, key))
}

/// A public key as SPKI.
pub(crate) fn spki(id: &[u8], parameters: &[u8], key: &[u8]) -> Vec<u8> {
    let algorithm = element(SEQUENCE, &[&element(OBJECT, &[id]), parameters]);
    element(SEQUENCE, &[&algorithm, &element(BIT_STRING, &[&[0], key])])
}

/// A private key as PKCS#8.
pub(crate) fn pkcs8(id: &[u8], parameters: &[u8], key: &[u8]) -> Vec<u8> {
    let algorithm = element(SEQUENCE, &[&element(OBJECT, &[id]), parameters]);
    element(SEQUENCE, &[&[INTEGER, 1, 0], &algorithm, &element(OCTET_STRING, &[key])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for length in [0, 100, 200, 300, 70000 >> 1] {
            let key = vec![7; length];
            for private in [false, true] {
                let whole = if private { pkcs8(DH, &[5, 0], &key) } else { spki(DH, &[5, 0], &key) };
                assert_eq!(parts(&whole, private), Some((DH, &[5, 0][..], key.as_slice())));
                assert_eq!(parts(&whole[..whole.len() - 1], private), None);
            }
        }
        assert_eq!(integer(&[0, 0, 0x80]), [2, 2, 0, 0x80]);
        assert_eq!(integer(&[]), [2, 1, 0]);
        assert!(read(&mut &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff][..]).is_none());
    }
}
