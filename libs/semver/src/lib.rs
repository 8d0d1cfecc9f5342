//! Versions and ranges: <https://semver.org>, and the ranges of npm (<https://github.com/npm/node-semver#ranges>) in loose mode.
//!
//! Nothing is copied: a [`Version`] and a [`Range`] refer to the text they were read from, because the package manager
//! reads hundreds of thousands of them from documents of the registry. The numbers of a version have 64 bits; those in a
//! prerelease are compared as text and have any length.
//!
//! `Bun.semver` reads text that npm refuses; [`Version::parse_for_order`] and [`Range::parse_lenient`] do the same.
//!
//! ```
//! use semver::{Range, Version};
//!
//! let range = Range::parse("^1.2.0 || >=3.0.0-rc.1").ok_or("no range")?;
//! let holds = |text| Version::parse(text).is_some_and(|version| range.contains(&version));
//! assert!(holds("1.9.0") && holds("3.0.0-rc.2") && !holds("2.0.0") && !holds("1.3.0-beta"));
//! assert!(Range::parse("latest").is_none());
//! assert!(Range::parse_lenient("1.2.3.4, 2.x").contains(&Version::new(2, 5, 0)));
//! # Ok::<(), &str>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | read a complete version | [`Version::parse`] |
//! | order versions, releases after their prereleases | [`Version::order`] |
//! | order text that need not be a complete version, as Bun does | [`Version::parse_for_order`] |
//! | read a range, or learn that it is none (a dist-tag) | [`Range::parse`] |
//! | read whatever is given as a range, as Bun does | [`Range::parse_lenient`] |
//! | ask whether a version is in a range | [`Range::contains`] |
//! | ask what a range is | [`Range::exact`], [`Range::first`], [`Range::is_any`], [`Range::has_prerelease`] |
//!
//! The rooms: `version` and `range`.

mod range;
mod version;

pub use range::Range;
pub use version::Version;
