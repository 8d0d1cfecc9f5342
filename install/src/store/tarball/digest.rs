//! Digests of tarballs.

use aws_lc_rs::digest::{self, Algorithm};

use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;

fn algorithm(integrity: &Integrity) -> Option<&'static Algorithm> {
    Some(match integrity {
        Integrity::None | Integrity::Unknown => return None,
        Integrity::Sha1(_) => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        Integrity::Sha256(_) => &digest::SHA256,
        Integrity::Sha384(_) => &digest::SHA384,
        Integrity::Sha512(_) => &digest::SHA512,
    })
}

/// Refuses an `integrity` that says nothing that could be checked: taking the tarball as it is would make it a field without effect.
fn refuse_unknown(expected: &Integrity) -> Result<()> {
    if *expected != Integrity::Unknown {
        return Ok(());
    }
    Err(Error::new(Code::Integrity, "Integrity check failed: no digest of a known algorithm is announced").hint(
        "`integrity` must have a sha512, sha384, sha256 or sha1 digest; mend it at the registry or in the lockfile, or use --no-verify",
    ))
}

/// Compares the digest of `bytes` with the one announced. Without one everything passes, with one of an unknown algorithm nothing.
pub fn verify(expected: &Integrity, bytes: &[u8]) -> Result<()> {
    refuse_unknown(expected)?;
    let Some(algorithm) = algorithm(expected) else {
        return Ok(());
    };
    compare(expected, digest::digest(algorithm, bytes))
}

fn compare(expected: &Integrity, found: digest::Digest) -> Result<()> {
    if found.as_ref() == expected.digest() {
        return Ok(());
    }
    let found = Integrity::from_parts(expected.tag(), found.as_ref());
    Err(Error::new(Code::Integrity, format!("Integrity check failed: expected {expected}, the tarball has {found}")).hint(
        "the tarball was damaged on its way or replaced at the registry; try again with --no-cache, and do not trust it if this stays",
    ))
}

/// SHA-512 of a tarball, as a lockfile records it.
pub fn sha512(bytes: &[u8]) -> Integrity {
    Integrity::from_parts(4, digest::digest(&digest::SHA512, bytes).as_ref())
}

/// The digests of a tarball that comes in pieces.
pub struct Running {
    expected: Integrity,
    check: Option<digest::Context>,
    sha512: Option<digest::Context>,
}

impl Running {
    /// `want_sha512`: [`Running::finish`] gives the SHA-512, whatever is expected.
    pub fn new(expected: Integrity, want_sha512: bool) -> Self {
        let own = want_sha512 && !matches!(expected, Integrity::Sha512(_));
        Self {
            expected,
            check: algorithm(&expected).map(digest::Context::new),
            sha512: own.then(|| digest::Context::new(&digest::SHA512)),
        }
    }

    pub fn update(&mut self, bytes: &[u8]) {
        if let Some(context) = &mut self.check {
            context.update(bytes);
        }
        if let Some(context) = &mut self.sha512 {
            context.update(bytes);
        }
    }

    /// Compares with what was expected. The SHA-512, where it was asked for or expected.
    ///
    /// # Errors
    /// As [`verify`].
    pub fn finish(self) -> Result<Option<Integrity>> {
        refuse_unknown(&self.expected)?;
        if let Some(context) = self.check {
            compare(&self.expected, context.finish())?;
        }
        Ok(match self.sha512 {
            Some(context) => Some(Integrity::from_parts(4, context.finish().as_ref())),
            None => matches!(self.expected, Integrity::Sha512(_)).then_some(self.expected),
        })
    }
}
