//! The protection of QUIC's packets (RFC 9001, sections 5 and 6), and the secrets of an endpoint.

use aws_lc_rs::aead::{self, quic};
use aws_lc_rs::{hkdf, hmac, rand};
use bytes::BytesMut;
use quinn_proto::crypto::{self, CryptoError, HeaderKey, KeyPair, Keys, PacketKey};
use quinn_proto::{ConnectionId, Side};

/// The version that is spoken here (RFC 9000).
pub const VERSION: u32 = 1;

const TAG: usize = 16;
const NONCE: usize = 12;
/// Section 5.2.
const INITIAL_SALT: [u8; 20] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f,
    0x0a,
];
/// Section 5.8.
const RETRY_KEY: [u8; 16] =
    [0xbe, 0x0c, 0x69, 0x0b, 0x9f, 0x66, 0x57, 0x5a, 0x1d, 0x76, 0x6b, 0x54, 0xe3, 0x68, 0xc8, 0x4e];
const RETRY_NONCE: [u8; NONCE] = [0x46, 0x15, 0x99, 0xd3, 0x5d, 0x63, 0x2b, 0xf2, 0x23, 0x98, 0x25, 0xbb];

/// A cipher suite of TLS 1.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    Aes128,
    Aes256,
    ChaCha20,
}

impl Suite {
    /// By its number of the registry (RFC 8446, B.4).
    pub fn of(number: u16) -> Option<Suite> {
        match number {
            0x1301 => Some(Suite::Aes128),
            0x1302 => Some(Suite::Aes256),
            0x1303 => Some(Suite::ChaCha20),
            _ => None,
        }
    }

    fn hash(self) -> hkdf::Algorithm {
        if self == Suite::Aes256 { hkdf::HKDF_SHA384 } else { hkdf::HKDF_SHA256 }
    }

    fn aead(self) -> &'static aead::Algorithm {
        match self {
            Suite::Aes128 => &aead::AES_128_GCM,
            Suite::Aes256 => &aead::AES_256_GCM,
            Suite::ChaCha20 => &aead::CHACHA20_POLY1305,
        }
    }

    fn mask(self) -> &'static quic::Algorithm {
        match self {
            Suite::Aes128 => &quic::AES_128,
            Suite::Aes256 => &quic::AES_256,
            Suite::ChaCha20 => &quic::CHACHA20,
        }
    }
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// HKDF-Expand-Label of TLS 1.3 (RFC 8446, 7.1), without a context.
fn expand(prk: &hkdf::Prk, label: &str, out: &mut [u8]) {
    let length = (out.len() as u16).to_be_bytes();
    let name = [(6 + label.len()) as u8];
    let info: [&[u8]; 5] = [&length, &name, b"tls13 ", label.as_bytes(), &[0]];
    // Only lengths beyond 255 hashes fail.
    let filled = prk.expand(&info, Length(out.len())).and_then(|okm| okm.fill(out));
    assert!(filled.is_ok(), "lengths of keys are constants");
}

/// A secret of one direction, from which keys come.
#[derive(Clone)]
pub struct Secret {
    suite: Suite,
    bytes: Vec<u8>,
}

impl Secret {
    /// What TLS has given.
    pub fn new(suite: Suite, bytes: &[u8]) -> Secret {
        Secret { suite, bytes: bytes.to_vec() }
    }

    fn prk(&self) -> hkdf::Prk {
        hkdf::Prk::new_less_safe(self.suite.hash(), &self.bytes)
    }

    /// The key that protects packets.
    pub fn packet(&self) -> Box<dyn PacketKey> {
        let prk = self.prk();
        let mut key = [0; 32];
        let key = &mut key[..self.suite.aead().key_len()];
        expand(&prk, "quic key", key);
        let mut iv = [0; NONCE];
        expand(&prk, "quic iv", &mut iv);
        let key = aead::UnboundKey::new(self.suite.aead(), key).expect("a key of the suite's length");
        Box::new(Packets { key: aead::LessSafeKey::new(key), iv, suite: self.suite })
    }

    /// The key that protects their headers.
    pub fn header(&self) -> Box<dyn HeaderKey> {
        let mut key = [0; 32];
        let key = &mut key[..self.suite.mask().key_len()];
        expand(&self.prk(), "quic hp", key);
        let key = quic::HeaderProtectionKey::new(self.suite.mask(), key).expect("a key of the suite's length");
        Box::new(Headers(key))
    }

    /// The secret after an update of keys (section 6.1).
    pub fn next(&self) -> Secret {
        let mut bytes = vec![0; self.bytes.len()];
        expand(&self.prk(), "quic ku", &mut bytes);
        Secret { suite: self.suite, bytes }
    }
}

/// Keys of both directions.
pub fn keys(local: &Secret, remote: &Secret) -> Keys {
    Keys {
        header: KeyPair { local: local.header(), remote: remote.header() },
        packet: KeyPair { local: local.packet(), remote: remote.packet() },
    }
}

/// Keys of a connection's first packets, which everybody can know (section 5.2).
pub fn initial(id: &ConnectionId, side: Side) -> Keys {
    let prk = hkdf::Salt::new(hkdf::HKDF_SHA256, &INITIAL_SALT).extract(id);
    let secret = |label| {
        let mut bytes = vec![0; 32];
        expand(&prk, label, &mut bytes);
        Secret { suite: Suite::Aes128, bytes }
    };
    let (client, server) = (secret("client in"), secret("server in"));
    if side.is_client() { keys(&client, &server) } else { keys(&server, &client) }
}

fn retry_key() -> aead::LessSafeKey {
    aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_128_GCM, &RETRY_KEY).expect("16 bytes"))
}

fn retry_text(id: &ConnectionId, parts: &[&[u8]]) -> Vec<u8> {
    let mut text = vec![id.len() as u8];
    text.extend_from_slice(id);
    for part in parts {
        text.extend_from_slice(part);
    }
    text
}

/// The tag of a Retry packet (section 5.8).
pub fn retry_tag(id: &ConnectionId, packet: &[u8]) -> [u8; TAG] {
    let nonce = aead::Nonce::assume_unique_for_key(RETRY_NONCE);
    let text = retry_text(id, &[packet]);
    let sealed = retry_key().seal_in_place_separate_tag(nonce, aead::Aad::from(text), &mut []);
    let mut tag = [0; TAG];
    tag.copy_from_slice(sealed.expect("nothing is sealed").as_ref());
    tag
}

/// Whether a Retry packet has the right tag.
pub fn is_retry_valid(id: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
    let Some(at) = payload.len().checked_sub(TAG) else { return false };
    let (content, tag) = payload.split_at(at);
    retry_tag(id, &retry_text_of(header, content)) == tag
}

fn retry_text_of(header: &[u8], content: &[u8]) -> Vec<u8> {
    [header, content].concat()
}

struct Packets {
    key: aead::LessSafeKey,
    iv: [u8; NONCE],
    suite: Suite,
}

impl Packets {
    fn nonce(&self, packet: u64) -> aead::Nonce {
        let mut nonce = self.iv;
        for (byte, other) in nonce[4..].iter_mut().zip(packet.to_be_bytes()) {
            *byte ^= other;
        }
        aead::Nonce::assume_unique_for_key(nonce)
    }
}

impl PacketKey for Packets {
    fn encrypt(&self, packet: u64, buf: &mut [u8], header_len: usize) {
        let (header, rest) = buf.split_at_mut(header_len);
        let (payload, place) = rest.split_at_mut(rest.len() - TAG);
        let tag = self.key.seal_in_place_separate_tag(self.nonce(packet), aead::Aad::from(&*header), payload);
        // Fails for payloads beyond 64 GiB only.
        place.copy_from_slice(tag.expect("a packet is short").as_ref());
    }

    fn decrypt(&self, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let opened = self.key.open_in_place(self.nonce(packet), aead::Aad::from(header), payload.as_mut());
        let length = opened.map_err(|_| CryptoError)?.len();
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        // Section 6.6.
        if self.suite == Suite::ChaCha20 { u64::MAX } else { 1 << 23 }
    }

    fn integrity_limit(&self) -> u64 {
        if self.suite == Suite::ChaCha20 { 1 << 36 } else { 1 << 52 }
    }
}

struct Headers(quic::HeaderProtectionKey);

impl Headers {
    /// Section 5.4.1. `sealed`: the first byte is protected already.
    fn apply(&self, pn_offset: usize, packet: &mut [u8], sealed: bool) {
        let Some(sample) = packet.get(pn_offset + 4..pn_offset + 4 + TAG) else { return };
        let Ok(mask) = self.0.new_mask(sample) else { return };
        let bits = if packet[0] & 0x80 == 0 { 0x1f } else { 0x0f };
        let plain = if sealed { packet[0] ^ (mask[0] & bits) } else { packet[0] };
        packet[0] ^= mask[0] & bits;
        let length = usize::from(plain & 3) + 1;
        for (byte, other) in packet[pn_offset..pn_offset + length].iter_mut().zip(&mask[1..]) {
            *byte ^= other;
        }
    }
}

impl HeaderKey for Headers {
    fn decrypt(&self, pn_offset: usize, packet: &mut [u8]) {
        self.apply(pn_offset, packet, true);
    }

    fn encrypt(&self, pn_offset: usize, packet: &mut [u8]) {
        self.apply(pn_offset, packet, false);
    }

    fn sample_size(&self) -> usize {
        TAG
    }
}

/// The secret of stateless resets.
pub struct ResetKey(hmac::Key);

impl ResetKey {
    /// A new one.
    pub fn random() -> ResetKey {
        ResetKey(hmac::Key::new(hmac::HMAC_SHA256, &random::<64>()))
    }
}

impl crypto::HmacKey for ResetKey {
    fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
        let tag = hmac::sign(&self.0, data);
        let length = signature_out.len().min(tag.as_ref().len());
        signature_out[..length].copy_from_slice(&tag.as_ref()[..length]);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        hmac::verify(&self.0, data, signature).map_err(|_| CryptoError)
    }
}

/// The secret of tokens that prove an address.
pub struct TokenKey(hkdf::Prk);

impl TokenKey {
    /// A new one.
    pub fn random() -> TokenKey {
        TokenKey(hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&random::<64>()))
    }
}

struct Token(aead::LessSafeKey);

impl crypto::HandshakeTokenKey for TokenKey {
    fn aead_from_hkdf(&self, random_bytes: &[u8]) -> Box<dyn crypto::AeadKey> {
        let mut key = [0; 32];
        let info = [random_bytes];
        let filled = self.0.expand(&info, Length(key.len())).and_then(|okm| okm.fill(&mut key));
        assert!(filled.is_ok(), "lengths of keys are constants");
        let key = aead::UnboundKey::new(&aead::AES_256_GCM, &key).expect("32 bytes");
        Box::new(Token(aead::LessSafeKey::new(key)))
    }
}

impl crypto::AeadKey for Token {
    fn seal(&self, data: &mut Vec<u8>, additional_data: &[u8]) -> Result<(), CryptoError> {
        // The key is used once: it comes from random bytes.
        let nonce = aead::Nonce::assume_unique_for_key([0; NONCE]);
        self.0.seal_in_place_append_tag(nonce, aead::Aad::from(additional_data), data).map_err(|_| CryptoError)
    }

    fn open<'a>(&self, data: &'a mut [u8], additional_data: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let nonce = aead::Nonce::assume_unique_for_key([0; NONCE]);
        self.0.open_in_place(nonce, aead::Aad::from(additional_data), data).map_err(|_| CryptoError)
    }
}

/// Bytes that nobody can foresee.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    assert!(rand::fill(&mut bytes).is_ok(), "the system has no random numbers");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    }

    /// RFC 9001, A.1 and A.5.
    #[test]
    fn examples_of_the_standard() {
        let prk = hkdf::Salt::new(hkdf::HKDF_SHA256, &INITIAL_SALT).extract(&hex("8394c8f03e515708"));
        let mut secret = [0; 32];
        expand(&prk, "client in", &mut secret);
        assert_eq!(secret[..], hex("c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea"));
        let mut key = [0; 16];
        expand(&Secret::new(Suite::Aes128, &secret).prk(), "quic key", &mut key);
        assert_eq!(key[..], hex("1f369613dd76d5467730efcbe3b1a22d"));

        let secret = hex("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b");
        let secret = Secret::new(Suite::ChaCha20, &secret);
        let mut packet = hex("4200bff401");
        packet.resize(5 + TAG, 0);
        secret.packet().encrypt(654_360_564, &mut packet, 4);
        secret.header().encrypt(1, &mut packet);
        assert_eq!(packet, hex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb"));
        secret.header().decrypt(1, &mut packet);
        assert_eq!(packet[..4], hex("4200bff4"));
        let mut payload = BytesMut::from(&packet[4..]);
        secret.packet().decrypt(654_360_564, &packet[..4], &mut payload).unwrap();
        assert_eq!(payload[..], [1]);
        payload[0] ^= 1;
        assert!(secret.packet().decrypt(654_360_564, &packet[..4], &mut payload).is_err());
    }

    /// RFC 9001, A.4.
    #[test]
    fn retries() {
        let id = ConnectionId::new(&hex("8394c8f03e515708"));
        let packet = hex("ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba");
        assert!(is_retry_valid(&id, &packet[..15], &packet[15..]));
        assert!(!is_retry_valid(&id, &packet[..15], &packet[16..]));
        assert!(!is_retry_valid(&id, &packet, &[]));
    }
}
