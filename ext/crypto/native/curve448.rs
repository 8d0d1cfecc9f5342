//! Keys of Ed448 (RFC 8032) and X448 (RFC 7748), which aws-lc does not have.

use aws_lc_sys as lc;
use crrl::ed448::{PrivateKey, PublicKey};
use crrl::x448::{x448, x448_base};
use engine::OpError;

use crate::{asn1, aws_lc, random};

/// Object identifiers of RFC 8410.
const X448: &[u8] = &[0x2b, 0x65, 0x6f];
const ED448: &[u8] = &[0x2b, 0x65, 0x71];

/// Bytes that are wiped when nobody needs them any more.
struct Secret<const N: usize>([u8; N]);

impl<const N: usize> Drop for Secret<N> {
    fn drop(&mut self) {
        // SAFETY: a slice with its length.
        unsafe { lc::OPENSSL_cleanse(self.0.as_mut_ptr().cast(), N) };
    }
}

enum Half {
    SignPrivate { seed: Secret<57>, public: [u8; 57] },
    SignPublic([u8; 57]),
    AgreePrivate { scalar: Secret<56>, public: [u8; 56] },
    AgreePublic([u8; 56]),
}

/// A key of one of the two: a public one, or a private one with its public half.
pub(crate) struct Curve448(Half);

impl Curve448 {
    /// A new pair of "ed448" or "x448"; `None` for another name.
    pub(crate) fn generate(name: &str) -> Option<Curve448> {
        let mut bytes = Secret([0; 57]);
        let length = Self::length(name)?;
        random::fill(&mut bytes.0[..length]);
        Self::from_private(name, &bytes.0[..length])
    }

    /// Bytes of a key of a name, public or private; `None` for one that is not here.
    pub(crate) fn length(name: &str) -> Option<usize> {
        match name {
            "ed448" => Some(57),
            "x448" => Some(56),
            _ => None,
        }
    }

    /// A pair of the bytes of a private key; `None` where their number is wrong.
    pub(crate) fn from_private(name: &str, bytes: &[u8]) -> Option<Curve448> {
        Some(Curve448(match name {
            "ed448" => {
                let seed = Secret(bytes.try_into().ok()?);
                let public = PrivateKey::from_seed(&seed.0).public_key.encoded;
                Half::SignPrivate { seed, public }
            }
            "x448" => {
                let scalar = Secret(bytes.try_into().ok()?);
                let public = x448_base(&scalar.0);
                Half::AgreePrivate { scalar, public }
            }
            _ => return None,
        }))
    }

    /// A public key of its bytes; `None` where their number is wrong. Whether they are a point shows at the first use, as in
    /// OpenSSL.
    pub(crate) fn from_public(name: &str, bytes: &[u8]) -> Option<Curve448> {
        Some(Curve448(match name {
            "ed448" => Half::SignPublic(bytes.try_into().ok()?),
            "x448" => Half::AgreePublic(bytes.try_into().ok()?),
            _ => return None,
        }))
    }

    /// A key of the parts of PKCS#8 or SPKI that [`asn1::parts`] found. `None`: a key of something else; an error: one of
    /// these that is broken.
    pub(crate) fn from_parts(
        (id, parameters, key): (&[u8], &[u8], &[u8]),
        private: bool,
    ) -> Option<Result<Curve448, OpError>> {
        let name = match id {
            ED448 => "ed448",
            X448 => "x448",
            _ => return None,
        };
        let read = || {
            if !parameters.is_empty() {
                return None;
            }
            if !private {
                return Self::from_public(name, key);
            }
            let mut rest = key;
            let bytes = asn1::expect(&mut rest, asn1::OCTET_STRING)?;
            if rest.is_empty() { Self::from_private(name, bytes) } else { None }
        };
        Some(read().ok_or_else(aws_lc::undecodable))
    }

    /// As in KeyObject.asymmetricKeyType.
    pub(crate) fn name(&self) -> &'static str {
        match self.0 {
            Half::SignPrivate { .. } | Half::SignPublic(_) => "ed448",
            Half::AgreePrivate { .. } | Half::AgreePublic(_) => "x448",
        }
    }

    fn id(&self) -> &'static [u8] {
        if self.name() == "ed448" { ED448 } else { X448 }
    }

    /// The bytes of the public key.
    pub(crate) fn public(&self) -> &[u8] {
        match &self.0 {
            Half::SignPrivate { public, .. } | Half::SignPublic(public) => public,
            Half::AgreePrivate { public, .. } | Half::AgreePublic(public) => public,
        }
    }

    /// The bytes of the private key, if it is here.
    pub(crate) fn private(&self) -> Option<&[u8]> {
        match &self.0 {
            Half::SignPrivate { seed, .. } => Some(&seed.0),
            Half::AgreePrivate { scalar, .. } => Some(&scalar.0),
            _ => None,
        }
    }

    /// SubjectPublicKeyInfo.
    pub(crate) fn spki(&self) -> Vec<u8> {
        asn1::spki(self.id(), &[], self.public())
    }

    /// PKCS#8 of a private key.
    pub(crate) fn pkcs8(&self) -> Option<Vec<u8>> {
        self.private().map(|bytes| asn1::pkcs8(self.id(), &[], &asn1::element(asn1::OCTET_STRING, &[bytes])))
    }

    /// The signature of a message with Ed448 in a context of up to 255 bytes (which the caller checks, as for `verify`).
    pub(crate) fn sign(&self, context: &[u8], data: &[u8]) -> Result<Vec<u8>, OpError> {
        let Half::SignPrivate { seed, .. } = &self.0 else { return Err(unsupported()) };
        Ok(PrivateKey::from_seed(&seed.0).sign_ctx(context, data).to_vec())
    }

    /// Whether a signature is that of a message; also not where the key is no point of the curve.
    pub(crate) fn verify(&self, context: &[u8], data: &[u8], signature: &[u8]) -> Result<bool, OpError> {
        if self.name() != "ed448" {
            return Err(unsupported());
        }
        Ok(PublicKey::decode(self.public()).is_some_and(|key| key.verify_ctx(signature, context, data)))
    }

    /// The shared secret of X448; an error where it would be zero, as it is for points of a small order.
    pub(crate) fn derive(&self, other: &Curve448) -> Result<Vec<u8>, OpError> {
        let (Half::AgreePrivate { scalar, .. }, Half::AgreePrivate { public, .. } | Half::AgreePublic(public)) =
            (&self.0, &other.0)
        else {
            return Err(unsupported());
        };
        let secret = x448(public, &scalar.0);
        if random::equal(&secret, &[0; 56]) {
            return Err(aws_lc::described("1C8000A4", "Provider routines", "failed during derivation"));
        }
        Ok(secret.to_vec())
    }
}

fn unsupported() -> OpError {
    OpError::error("Unsupported crypto operation").code("ERR_CRYPTO_UNSUPPORTED_OPERATION")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// RFC 8032, 7.4: one octet, with and without a context.
    #[test]
    fn signatures() {
        let seed = "c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463afbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e";
        let key = Curve448::from_private("ed448", &bytes(seed)).unwrap();
        let public = "43ba28f430cdff456ae531545f7ecd0ac834a55d9358c0372bfa0c6c6798c0866aea01eb00742802b8438ea4cb82169c235160627b4c3a9480";
        assert_eq!(key.public(), bytes(public));
        let plain = key.sign(b"", &[3]).unwrap();
        assert!(
            plain.starts_with(&bytes(
                "26b8f91727bd62897af15e41eb43c377efb9c610d48f2335cb0bd0087810f4352541b143c4b981b7e1"
            ))
        );
        let inside = key.sign(b"foo", &[3]).unwrap();
        assert!(
            inside.starts_with(&bytes(
                "d4f8f6131770dd46f40867d6fd5d5055de43541f8c5e35abbcd001b32a89f7d2151f7647f11d8ca2ae"
            ))
        );
        let half = Curve448::from_public("ed448", key.public()).unwrap();
        assert!(half.verify(b"foo", &[3], &inside).unwrap());
        assert!(!half.verify(b"", &[3], &inside).unwrap());
        assert!(half.sign(b"", b"").is_err() && key.derive(&half).is_err());
    }

    /// RFC 7748, 6.2.
    #[test]
    fn shared_secrets() {
        let a = "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28dd9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b";
        let b = "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d6927c120bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d";
        let secret = "07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282bb60c0b56fd2464c335543936521c24403085d59a449a5037514a879d";
        let (a, b) = (bytes(a), bytes(b));
        let (a, b) = (Curve448::from_private("x448", &a).unwrap(), Curve448::from_private("x448", &b).unwrap());
        assert_eq!(a.derive(&b).unwrap(), bytes(secret));
        assert_eq!(b.derive(&a).unwrap(), bytes(secret));
        assert!(a.derive(&Curve448::from_public("x448", &[0; 56]).unwrap()).is_err());
    }

    #[test]
    fn there_and_back() {
        for name in ["ed448", "x448"] {
            let key = Curve448::generate(name).unwrap();
            for private in [false, true] {
                let der = if private { key.pkcs8().unwrap() } else { key.spki() };
                let again = Curve448::from_parts(asn1::parts(&der, private).unwrap(), private).unwrap().unwrap();
                assert_eq!((again.name(), again.public(), again.private().is_some()), (name, key.public(), private));
            }
            assert!(Curve448::from_private(name, &[1; 55]).is_none());
        }
    }
}
