//! Signatures of releases in minisign's format: <https://jedisct1.github.io/minisign/>.
//!
//! A signature is four lines: a comment, the Ed25519 signature of the file (or of its BLAKE2b-512 hash), a trusted comment, and the
//! signature of the first signature with the trusted comment. The trusted comment of a release is `bao VERSION PLATFORM`, so that an old
//! release or one for another machine cannot be passed off as the one that was asked for.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use blake2::{Blake2b512, Digest};

use crate::error::{Code, Error, Result};
use crate::model::integrity::unbase64;

/// The whole file is signed.
const PURE: &[u8] = b"Ed";
/// The BLAKE2b-512 hash of the file is signed: what minisign does unless it is told otherwise.
const PREHASHED: &[u8] = b"ED";
const KEY_ID: usize = 8;
const KEY: usize = 32;
const SIGNATURE: usize = 64;

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PublicKey {
    id: [u8; KEY_ID],
    key: [u8; KEY],
}

fn refuse(why: impl Into<String>) -> Error {
    Error::new(Code::Integrity, why)
}

/// Decodes base64 of exactly `N` bytes.
fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    // Room for one byte more than expected: a longer text must not pass as its beginning.
    let mut bytes = [0; 128];
    let length = unbase64(text.trim(), &mut bytes)?;
    if length != N { None } else { bytes[..N].try_into().ok() }
}

impl PublicKey {
    /// Reads a key: the base64 line, or the text of a `.pub` file that has it as its second line.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        let bytes = decode::<{ 2 + KEY_ID + KEY }>(line)?;
        let (algorithm, rest) = bytes.split_at(2);
        let (id, key) = rest.split_at(KEY_ID);
        (algorithm == PURE).then(|| Self { id: id.try_into().expect("split"), key: key.try_into().expect("split") })
    }

    /// Its number as minisign prints it: 16 hexadecimal digits.
    pub(super) fn name(&self) -> String {
        number(self.id)
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.key).verify(message, signature).is_ok()
    }
}

fn number(id: [u8; KEY_ID]) -> String {
    format!("{:016X}", u64::from_le_bytes(id))
}

/// What a release says about itself.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Statement {
    pub version: String,
    /// `linux-x64`
    pub platform: String,
}

/// Checks the signature `text` of `file`, and gives what the signer says about it.
///
/// # Errors
/// [`Code::Integrity`] if the text is no signature, is another key's, does not fit to the file, or says nothing about a release.
pub(super) fn verify(key: &PublicKey, file: &[u8], text: &str) -> Result<Statement> {
    let mut lines = text.lines();
    let (_, first, comment, second) = (lines.next(), lines.next(), lines.next(), lines.next());
    let malformed = || refuse("the signature is not one of minisign's");
    let signature = first.and_then(decode::<{ 2 + KEY_ID + SIGNATURE }>).ok_or_else(malformed)?;
    let comment = comment.and_then(|line| line.strip_prefix("trusted comment: ")).ok_or_else(malformed)?;
    let whole = second.and_then(decode::<SIGNATURE>).ok_or_else(malformed)?;
    let (algorithm, rest) = signature.split_at(2);
    let (id, signature) = rest.split_at(KEY_ID);
    if id != key.id {
        let other = number(id.try_into().expect("split"));
        return Err(refuse(format!("the release is signed with the key {other}, not with {}", key.name()))
            .hint("if the project has changed its key, give the new one: --public-key"));
    }
    let fits = match algorithm {
        PURE => key.verify(file, signature),
        PREHASHED => key.verify(&Blake2b512::digest(file), signature),
        _ => return Err(malformed()),
    };
    if !fits {
        return Err(refuse("the signature does not fit to the release")
            .hint("the file was damaged or replaced on its way; do not run it"));
    }
    if !key.verify(&[signature, comment.as_bytes()].concat(), &whole) {
        return Err(refuse("the signature does not fit to what it says about the release")
            .hint("the signature was changed on its way; do not run the file"));
    }
    let mut words = comment.split(' ');
    match (words.next(), words.next(), words.next()) {
        (Some("bao"), Some(version), Some(platform)) => {
            Ok(Statement { version: version.to_owned(), platform: platform.to_owned() })
        }
        _ => Err(refuse(format!("what is signed is not a release of bao: \"{comment}\""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::integrity::base64;
    use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};

    const ID: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

    fn encode(parts: &[&[u8]]) -> String {
        let mut text = String::new();
        base64(&parts.concat(), &mut text);
        text
    }

    fn pair() -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a seed")
    }

    fn key() -> PublicKey {
        let text = encode(&[PURE, &ID, pair().public_key().as_ref()]);
        PublicKey::parse(&format!("untrusted comment: minisign public key\n{text}\n")).expect("a key")
    }

    fn sign(algorithm: &[u8], id: &[u8], file: &[u8], comment: &str) -> String {
        let pair = pair();
        let hash = Blake2b512::digest(file);
        let signature = pair.sign(if algorithm == PURE { file } else { &hash });
        let whole = pair.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        let first = encode(&[algorithm, id, signature.as_ref()]);
        format!("untrusted comment: x\n{first}\ntrusted comment: {comment}\n{}\n", encode(&[whole.as_ref()]))
    }

    #[test]
    fn both_kinds_of_signatures() {
        let said = Statement { version: "1.2.3".into(), platform: "linux-x64".into() };
        for algorithm in [PURE, PREHASHED] {
            let text = sign(algorithm, &ID, b"program", "bao 1.2.3 linux-x64");
            assert_eq!(verify(&key(), b"program", &text).unwrap(), said);
            assert!(verify(&key(), b"Program", &text).is_err());
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let text = sign(PREHASHED, &ID, b"program", "bao 1.2.3 linux-x64");
        let secure = text.find('\n').unwrap() + 1;
        for at in secure..text.len() {
            let mut bytes = text.clone().into_bytes();
            // Another character of base64 and of a comment.
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            // The last characters of a base64 text have bits that stand for nothing.
            let same = changed.lines().zip(text.lines()).all(|(a, b)| {
                let is_same_64 = decode::<64>(a).is_some() && decode::<64>(a) == decode::<64>(b);
                let is_same_74 = decode::<74>(a).is_some() && decode::<74>(a) == decode::<74>(b);
                a == b || is_same_64 || is_same_74
            });
            assert!(same || verify(&key(), b"program", &changed).is_err(), "byte {at}");
        }
        // Padding may be missing.
        for length in secure..text.trim_end().trim_end_matches('=').len() {
            assert!(verify(&key(), b"program", &text[..length]).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn others() {
        let text = sign(PREHASHED, b"otherkey", b"program", "bao 1.2.3 linux-x64");
        assert!(
            verify(&key(), b"program", &text).unwrap_err().message.contains("signed with the key 79656B726568746F")
        );
        let text = sign(PREHASHED, &ID, b"program", "timestamp:1");
        assert!(verify(&key(), b"program", &text).unwrap_err().message.contains("not a release"));
        for bad in ["", "x", "RWQ", "RWQBAgMEBQYHCA=="] {
            assert_eq!(PublicKey::parse(bad), None);
        }
    }

    #[test]
    fn what_minisign_made() {
        // Of minisign's own documentation: key, file `test` and its signature.
        let key = PublicKey::parse("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").expect("a key");
        let text = "untrusted comment: signature from minisign secret key\n\
                    RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=\n\
                    trusted comment: timestamp:1556193335\tfile:test\n\
                    y/rUw2y8/hOUYjZU71eHp/Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg==\n";
        // The signatures fit; the comment is not about a release of bao.
        assert!(verify(&key, b"test", text).unwrap_err().message.contains("not a release"));
    }
}
