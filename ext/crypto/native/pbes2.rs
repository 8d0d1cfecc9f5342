//! Encrypted private keys (PBES2 of RFC 8018). aws-lc opens only those that hold a key of a kind it knows.

use crate::asn1::element;
use crate::digest::Algorithm;
use crate::{asn1, cipher, derive, random};

/// Object identifiers of the scheme, of its key derivation, and of ciphers.
const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 13];
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 12];
/// HMAC with a hash function: one byte more, 7 for SHA-1, then as [`Algorithm`] has them.
const HMAC: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 2];
const CIPHERS: [(&[u8], &str); 7] = [
    (&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 1], "aes-128-ecb"),
    (&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 21], "aes-192-ecb"),
    (&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 41], "aes-256-ecb"),
    (&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 2], "aes-128-cbc"),
    (&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 22], "aes-192-cbc"),
    (&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42], "aes-256-cbc"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 3, 7], "des-ede3-cbc"),
];

/// What opening one came to.
pub(crate) enum Opened {
    /// PKCS#8, if the passphrase was the right one.
    Data(Vec<u8>),
    WrongPassphrase,
    /// The data is something else, or a scheme that is not here.
    Unknown,
}

fn number(bytes: &[u8]) -> Option<u32> {
    let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    (bytes.len() <= 4).then(|| bytes.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte)))
}

/// Opens an EncryptedPrivateKeyInfo.
pub(crate) fn open(data: &[u8], passphrase: &[u8]) -> Opened {
    let read = || {
        let mut whole = data;
        let mut inner = asn1::expect(&mut whole, asn1::SEQUENCE)?;
        let mut algorithm = asn1::expect(&mut inner, asn1::SEQUENCE)?;
        let sealed = asn1::expect(&mut inner, asn1::OCTET_STRING)?;
        let is_pbes2 = asn1::expect(&mut algorithm, asn1::OBJECT)? == PBES2;
        let mut parameters = asn1::expect(&mut algorithm, asn1::SEQUENCE)?;
        let mut derivation = asn1::expect(&mut parameters, asn1::SEQUENCE)?;
        let mut scheme = asn1::expect(&mut parameters, asn1::SEQUENCE)?;
        let is_pbkdf2 = asn1::expect(&mut derivation, asn1::OBJECT)? == PBKDF2;
        let mut derivation = asn1::expect(&mut derivation, asn1::SEQUENCE)?;
        let salt = asn1::expect(&mut derivation, asn1::OCTET_STRING)?;
        let iterations = number(asn1::expect(&mut derivation, asn1::INTEGER)?)?;
        let mut hash = 7;
        // The length of the key may be told, too, but it is that of the cipher.
        while let Some((tag, content)) = asn1::read(&mut derivation) {
            if tag == asn1::SEQUENCE {
                let id = asn1::expect(&mut &*content, asn1::OBJECT)?;
                hash = *id.strip_prefix(HMAC)?.first()?;
            }
        }
        let hash = Algorithm::from_number(hash.checked_sub(5)?).filter(|_| (7..=13).contains(&hash))?;
        let id = asn1::expect(&mut scheme, asn1::OBJECT)?;
        let name = CIPHERS.iter().find(|entry| entry.0 == id)?.1;
        let iv = asn1::expect(&mut scheme, asn1::OCTET_STRING)?;
        (is_pbes2 && is_pbkdf2 && iterations > 0).then_some((name, iv, hash, salt, iterations, sealed))
    };
    let Some((name, iv, hash, salt, iterations, sealed)) = read() else { return Opened::Unknown };
    let Some((length, _)) = cipher::sizes(name) else { return Opened::Unknown };
    let key = derive::pbkdf2(hash, passphrase, salt, iterations, length);
    cipher::by_name(name, false, &key, iv, sealed).map_or(Opened::WrongPassphrase, Opened::Data)
}

/// Seals PKCS#8 as an EncryptedPrivateKeyInfo, with what OpenSSL takes unless it is told otherwise: HMAC with SHA-256, 2048
/// rounds. `None` for a cipher that is not here.
pub(crate) fn seal(cipher_name: &str, data: &[u8], passphrase: &[u8]) -> Option<Vec<u8>> {
    const ITERATIONS: u32 = 2048;
    let name = cipher::name_of(cipher_name)?;
    let id = CIPHERS.iter().find(|entry| entry.1 == name)?.0;
    let (length, iv_length) = cipher::sizes(name)?;
    let (mut salt, mut iv) = ([0; 16], vec![0; iv_length]);
    random::fill(&mut salt);
    random::fill(&mut iv);
    let key = derive::pbkdf2(Algorithm::Sha256, passphrase, &salt, ITERATIONS, length);
    let sealed = cipher::by_name(name, true, &key, &iv, data)?;
    let sequence = |parts: &[&[u8]]| element(asn1::SEQUENCE, parts);
    let octets = |bytes: &[u8]| element(asn1::OCTET_STRING, &[bytes]);
    let hash = sequence(&[&element(asn1::OBJECT, &[HMAC, &[9]]), &[5, 0]]);
    let rounds = asn1::integer(&ITERATIONS.to_be_bytes());
    let derivation = sequence(&[&element(asn1::OBJECT, &[PBKDF2]), &sequence(&[&octets(&salt), &rounds, &hash])]);
    let scheme = sequence(&[&element(asn1::OBJECT, &[id]), &octets(&iv)]);
    let algorithm = sequence(&[&element(asn1::OBJECT, &[PBES2]), &sequence(&[&derivation, &scheme])]);
    Some(sequence(&[&algorithm, &octets(&sealed)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for name in ["aes128", "aes-256-cbc", "des3"] {
            let sealed = seal(name, b"a key", b"secret").unwrap();
            assert!(matches!(open(&sealed, b"secret"), Opened::Data(data) if data == b"a key"));
            assert!(!matches!(open(&sealed, b"Secret"), Opened::Data(data) if data == b"a key"));
            assert!(matches!(open(&sealed[1..], b"secret"), Opened::Unknown));
        }
        assert!(seal("aes-256-ctr", b"a key", b"secret").is_none());
    }
}
