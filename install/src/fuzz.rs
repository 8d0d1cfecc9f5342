//! Entries for fuzzers (install/fuzz; that of tarballs is [`crate::store::tarball::fuzz`]): any bytes give a result or an error. What was
//! read is used as an install uses it.

use crate::commands::query::write_merged;
use crate::lockfile;
use crate::lockfile::migrate::{berry, lockb, npm, pnpm, settings, yarn};
use crate::model::extras::Extras;
use crate::model::spec::{Spec, split_argument};
use crate::project::Manifest;
use crate::registry::manifest::{self, AgeLimit};
pub use crate::store::tarball::fuzz::tarball;

use semver::{Range, Version};
use std::path::Path;

/// bun.lock: read, merged where it has conflict markers, written, and read again.
pub fn lockfile(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let loaded =
        if lockfile::merge::has_conflict(text) { lockfile::merge::read_conflicted(text) } else { lockfile::read(text) };
    if let Ok(loaded) = loaded
        && let Ok(text) = write_merged(loaded)
    {
        let _ = lockfile::read(&text);
    }
}

/// A registry's answer, and every question that is asked of a manifest.
///
/// # Panics
/// A version is not found again.
pub fn manifest(bytes: &[u8]) {
    let source = manifest::Source {
        etag: "",
        modified: "",
        now: 0,
        full: false,
        registry: crate::model::registry_url::DEFAULT_REGISTRY,
    };
    let Ok(manifest) = manifest::parse(bytes, "name", source) else { return };
    for index in 0..manifest.header_versions() {
        let version = manifest.version(index);
        let record = manifest.record(index);
        let found = manifest.find(&version).expect("a version that the manifest has");
        assert!(manifest.version(found).order(&version).is_eq());
        for dep in manifest.deps(record) {
            let _ = (manifest.str(dep.name), Spec::parse(manifest.str(dep.range)));
        }
        for bin in manifest.bins(record) {
            let _ = (manifest.str(bin.name), manifest.str(bin.path));
        }
        let _ = (manifest.integrity(record), manifest.str(record.tarball), manifest.str(record.bin_dir));
    }
    for range in ["*", "^1.0.0", ">=1 <2 || 3.x", "~0.1.2-beta.1"] {
        let _ = Range::parse(range).map(|range| manifest.best(&range, AgeLimit::default()));
    }
    let _ = (manifest.latest(), manifest.tag("latest"), manifest.best_tag("next", AgeLimit::default()));
}

/// Two versions and a range, one a line.
///
/// # Panics
/// The order of versions contradicts itself, or a version is not what it prints.
pub fn semver(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.split('\n');
    let (a, b, range) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let versions: Vec<Version<'_>> = [a, b].into_iter().filter_map(Version::parse).collect();
    if let [a, b] = versions[..] {
        assert_eq!(a.order(&b), b.order(&a).reverse());
    }
    for version in &versions {
        let printed = version.to_string();
        let again = Version::parse(&printed).expect("what a version prints is a version");
        assert!(again.order(version).is_eq());
    }
    if let Some(range) = Range::parse(range) {
        for version in &versions {
            let _ = range.contains(version);
        }
        let _ = (range.exact(), range.first(), range.is_any());
    }
    let (name, rest) = split_argument(text);
    let _ = (Spec::parse(name), Spec::parse(rest), Spec::parse(range));
}

/// The text of a .npmrc.
pub fn npmrc(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let config = crate::config::Config::from_npmrc(text);
    let _ = (config.registry_for("@scope/name"), config.authorization_for("https://h/x", &config.registry));
}

/// The lockfiles and settings of other tools; the first byte says whose.
pub fn migrate(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let package_json = r#"{"name":"x","workspaces":["p"],"dependencies":{"a":"^1.0.0","b":"npm:c@1","d":"catalog:"},"resolutions":{"p/e":"1"}}"#;
    let manifest = |path: &str, text: &str| Manifest { path: path.to_owned(), text: text.to_owned() };
    let manifests = [manifest("", package_json), manifest("p", r#"{"name":"q","version":"1.0.0"}"#)];
    if kind % 6 == 0 {
        if let Ok(loaded) = lockb::read(bytes, &manifests) {
            let _ = write_merged(loaded);
        }
        return;
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let extras = Extras::default();
    let loaded = match kind % 6 {
        1 => npm::read(text, "package-lock.json", &["p"]),
        2 => yarn::read(text, &manifests, &extras),
        3 => berry::documents(text).and_then(|documents| {
            let lock = berry::index(&documents)?;
            let _ = lock.patches();
            let context = berry::Context {
                manifests: &manifests,
                originals: &[],
                resolutions: &[("p/e".to_owned(), "npm:1".to_owned()), ("a@npm:^1".to_owned(), "2".to_owned())],
                yarnrc: &settings::YarnRc::default(),
                archive: &|_, _| String::new(),
            };
            berry::build(&lock, text.len(), &context, &mut |_| {})
        }),
        4 => {
            let context = pnpm::Context {
                root: Path::new("/nonexistent"),
                manifests: &manifests,
                extras: &extras,
                archive: &|_, _, _| String::new(),
            };
            pnpm::read(text, &context).map(|read| read.loaded)
        }
        _ => {
            if let Ok(documents) = yaml::parse(text, yaml::Options::TEXT) {
                let mut target = settings::Target::new(package_json);
                for document in &documents {
                    target.set(&["workspaces", "catalog"], &settings::Json::from_yaml(document));
                }
                let _ = target.finish();
            }
            let _ = berry::rewrite(text);
            return;
        }
    };
    if let Ok(loaded) = loaded {
        let _ = write_merged(loaded);
    }
}
