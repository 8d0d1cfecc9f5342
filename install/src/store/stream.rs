//! Unpacking a tarball while it is being downloaded.
//!
//! A large one would otherwise be the last to be unpacked, on one core, after everything else: an install of Next.js waits for the
//! 47 MB of its compiler. Nothing of it is visible before its digest was compared: it is unpacked in the staging directory.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tar::Limits;

use super::{Done, Slot, Source, Store, TarballJob, Unpacked, check_key};
use crate::error::{Code, Error, Result};
use crate::net::pipe::{Piece, Reader, Writer, pipe};
use crate::store::tarball::{digest, extract};

/// Tarballs of fewer compressed bytes are unpacked in memory, where libdeflate is the faster inflater.
const LARGE: u64 = 3 << 20;
/// Each has a thread of its own, which waits for the network most of the time.
const AT_ONCE: usize = 4;

impl Store {
    /// Takes a tarball of `length` bytes as it comes; nothing where it is better unpacked as a whole. It ends as a job of
    /// [`Store::submit`] does, except that nothing is reported of a download that broke off: the caller tries again or calls
    /// [`Store::failed`].
    pub fn stream(self: &Arc<Self>, job: &TarballJob, length: u64) -> Option<Writer> {
        // An archive of a repository gets a file of our own.
        // An archive is made of the whole package.
        if length < LARGE || self.has_archives() || job.cache_dir.starts_with("@GH@") {
            return None;
        }
        if self.streams.fetch_add(1, Ordering::Relaxed) >= AT_ONCE {
            self.streams.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let (writer, reader) = pipe();
        let (store, job) = (self.clone(), job.clone());
        let work = move || {
            let result = store.unpack_stream(&job, length, reader);
            store.streams.fetch_sub(1, Ordering::Relaxed);
            let result = match result {
                Ok(None) => return,
                Ok(Some((unpacked, source))) => {
                    store.finish(&job.cache_dir, Slot::Ready(source));
                    Ok(unpacked)
                }
                Err(error) => {
                    let error = error.package(&job.name, &job.version).url(job.url.as_str());
                    store.finish(&job.cache_dir, Slot::Failed(error.clone()));
                    Err(error)
                }
            };
            (store.done)(Done { cache_dir: job.cache_dir, result });
        };
        if std::thread::Builder::new().name("bao-stream".into()).spawn(work).is_err() {
            self.streams.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(writer)
    }

    /// Nothing where the download broke off.
    fn unpack_stream(&self, job: &TarballJob, length: u64, reader: Reader) -> Result<Option<(Unpacked, Source)>> {
        check_key(&job.cache_dir)?;
        let mut running = Some(digest::Running::new(job.integrity, job.want_integrity));
        let mut broken = false;
        let mut kept = None;
        let limits = Limits::for_tarball(usize::try_from(length).unwrap_or(usize::MAX));
        let staged = self.stage(&job.cache_dir, |root| {
            let mut next = || match reader.read() {
                Piece::Bytes(bytes) => {
                    if let Some(running) = &mut running {
                        running.update(&bytes);
                    }
                    Ok(Some(bytes))
                }
                Piece::End => Ok(None),
                Piece::Broken => {
                    broken = true;
                    Err(Error::new(Code::Network, "the download broke off"))
                }
            };
            let result = extract::extract_pieces(root, limits, job.want_manifest, &mut next);
            if let Err(error) = &result
                && error.code == Code::Tarball
            {
                // Damaged, or not what was announced: the digest of the whole says which.
                while let Ok(Some(_)) = next() {}
            }
            let digest = running.take().map_or(Ok(None), digest::Running::finish);
            if broken {
                return Err(Error::new(Code::Network, "the download broke off"));
            }
            let integrity = digest?;
            let extracted = result?;
            kept = Some(Unpacked {
                integrity: integrity.filter(|_| job.want_integrity),
                package_json: extracted.package_json,
                files: extracted.files,
                bytes: extracted.bytes,
            });
            Ok(extracted.listing)
        });
        if broken {
            return Ok(None);
        }
        let source = staged?;
        Ok(kept.map(|unpacked| (unpacked, source)))
    }
}
