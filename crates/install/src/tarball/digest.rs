//! Digests of tarballs.

use aws_lc_rs::digest::{self, Algorithm};

use crate::error::{Code, Error, Result};
use crate::integrity::Integrity;

fn algorithm(integrity: &Integrity) -> Option<&'static Algorithm> {
    Some(match integrity {
        Integrity::None => return None,
        Integrity::Sha1(_) => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        Integrity::Sha256(_) => &digest::SHA256,
        Integrity::Sha384(_) => &digest::SHA384,
        Integrity::Sha512(_) => &digest::SHA512,
    })
}

/// Compares the digest of `bytes` with the one announced. Without one everything passes.
pub fn verify(expected: &Integrity, bytes: &[u8]) -> Result<()> {
    let Some(algorithm) = algorithm(expected) else {
        return Ok(());
    };
    let found = digest::digest(algorithm, bytes);
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
