//! The minimum release age: versions that were published a short while ago are not chosen.
//!
//! Where the newest version is held back, the one before it may be the fault that the newest mends. As in Bun, the search then goes on
//! towards older versions until one had stood for as long as the limit (at most seven days) before the next was published. It
//! goes back no further than seven days before the limit; without such a version there it takes the first that is old enough.

use super::Manifest;
use crate::config::Config;
use semver::Version;

const WEEK: u64 = 7 * 86_400_000;

/// Versions younger than this are not chosen. Times in milliseconds, since 1970.
#[derive(Clone, Copy, Default, Debug)]
pub struct AgeLimit<'a> {
    /// Latest acceptable time of publication; 0 for none.
    before: u64,
    /// The limit itself.
    age: u64,
    /// `name` or `name@1.0.0 || 1.0.1`: what it does not hold for.
    excludes: &'a [String],
}

impl<'a> AgeLimit<'a> {
    /// The limit of the configuration; `now` in seconds since 1970.
    pub fn new(config: &'a Config, now: u64) -> Self {
        let age = config.minimum_release_age;
        if age == 0 {
            return Self::default();
        }
        // Times of publication have milliseconds, `now` has none: all of its second counts.
        let before = now.saturating_sub(age).saturating_mul(1000) + 999;
        Self { before, age: age.saturating_mul(1000), excludes: &config.minimum_release_age_excludes }
    }

    /// The limit for a package: none, where it is excluded by its name.
    pub fn of_package(self, name: &str) -> Self {
        if self.excludes.iter().any(|entry| entry == name) { Self::default() } else { self }
    }

    /// This version is excluded by its number.
    fn excludes_version(&self, name: &str, version: &Version<'_>) -> bool {
        let of_name = |entry: &'a String| entry.strip_prefix(name)?.strip_prefix('@');
        self.excludes.iter().filter_map(of_name).any(|versions| {
            versions.split("||").any(|one| Version::parse(one.trim()).is_some_and(|one| one.order(version).is_eq()))
        })
    }
}

impl Manifest {
    /// The version is younger than the limit allows. The package itself is not excluded ([`AgeLimit::of_package`]).
    pub fn young(&self, index: u32, limit: AgeLimit<'_>) -> bool {
        limit.before != 0
            && self.record(index).published > limit.before
            && !limit.excludes_version(self.name(), &self.version(index))
    }

    /// The first of `candidates` (from the newest on) to choose; a deprecated one only where there is no other. `held` is a newer version that was held
    /// back. Sets `young` where one of the candidates is.
    pub(super) fn settled(
        &self,
        candidates: impl Iterator<Item = u32>,
        held: Option<u32>,
        limit: AgeLimit<'_>,
        young: &mut bool,
    ) -> Option<u32> {
        let published = |at: u32| self.record(at).published;
        let mut newer = held.map(published);
        let mut first = None;
        let mut deprecated = None;
        for at in candidates {
            if self.young(at, limit) {
                *young = true;
                newer = Some(published(at));
            } else if self.deprecated(at) {
                deprecated = deprecated.or(Some(at));
            } else if let Some(next) = newer
                && !limit.excludes_version(self.name(), &self.version(at))
            {
                if published(at) < limit.before.saturating_sub(WEEK) {
                    return first.or(Some(at));
                }
                if next.saturating_sub(published(at)) >= limit.age.min(WEEK) {
                    return Some(at);
                }
                first = first.or(Some(at));
                newer = Some(published(at));
            } else {
                return Some(at);
            }
        }
        first.or(deprecated)
    }
}
