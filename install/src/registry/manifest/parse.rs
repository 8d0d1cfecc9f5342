//! Registry JSON to the binary form, in one pass over the text.

use super::{
    BinRecord, DepRecord, Header, MAGIC, Manifest, TagRecord, VERSION, VERSION_BIN_FILE, VERSION_DEPRECATED,
    VERSION_INSTALL_SCRIPT, VersionRecord,
};
use crate::model::graph::Behavior;
use crate::model::integrity::Integrity;
use crate::model::platform::{CPU, Collector, LIBC, OS};
use crate::model::string_arena::{Str, Text};
use json::Cursor;
use rustc_hash::FxHashMap;
use semver::Version;
use std::borrow::Cow;

/// What the answer's headers say.
#[derive(Default, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub etag: &'a str,
    pub modified: &'a str,
    /// Seconds since 1970.
    pub now: u64,
    /// The whole document was asked for, not the abbreviated one.
    pub full: bool,
    /// URL of the registry, with a slash at the end; tarballs in their usual place below it are not stored.
    pub registry: &'a str,
}

#[derive(Default)]
struct Builder {
    text: Text,
    versions: Vec<VersionRecord>,
    deps: Vec<DepRecord>,
    bins: Vec<BinRecord>,
    tags: Vec<(Str, String)>,
    times: FxHashMap<String, u64>,
    /// Lists of dependencies that are there already, by hash.
    lists: FxHashMap<u64, (u32, u32)>,
    scratch: Vec<DepRecord>,
    peers_optional: Vec<Str>,
    bundled: Vec<Str>,
}

/// Reads a manifest. The error says what is wrong.
pub(crate) fn parse(json: &[u8], name: &str, source: Source<'_>) -> Result<Manifest, String> {
    let mut builder = Builder { text: Text::with_capacity(json.len() / 16 + 256), ..Builder::default() };
    let mut cursor = Cursor::unchecked(json);
    builder
        .document(&mut cursor, name, source.registry)
        .ok_or_else(|| format!("malformed JSON at byte {}", cursor.at))?;
    Ok(builder.finish(name, source))
}

impl Builder {
    fn document(&mut self, cursor: &mut Cursor<'_>, name: &str, registry: &str) -> Option<()> {
        if !cursor.eat(b'{') {
            return None;
        }
        let mut first = true;
        while cursor.more(b'}', &mut first)? {
            match cursor.key()? {
                b"dist-tags" if cursor.peek() == b'{' => {
                    cursor.at += 1;
                    let mut first = true;
                    while cursor.more(b'}', &mut first)? {
                        let tag = cursor.key_text()?;
                        if cursor.peek() != b'"' {
                            cursor.skip()?;
                            continue;
                        }
                        let version = cursor.string()?;
                        let tag = self.text.add(&tag);
                        self.tags.push((tag, version.into_owned()));
                    }
                }
                b"versions" if cursor.peek() == b'{' => {
                    cursor.at += 1;
                    let mut first = true;
                    while cursor.more(b'}', &mut first)? {
                        let version = cursor.key_text()?;
                        self.version(cursor, name, &version, registry)?;
                    }
                }
                b"time" if cursor.peek() == b'{' => {
                    cursor.at += 1;
                    let mut first = true;
                    while cursor.more(b'}', &mut first)? {
                        let version = cursor.key_text()?;
                        if cursor.peek() == b'"' {
                            let time = cursor.string()?;
                            if let Some(time) = milliseconds(&time) {
                                self.times.insert(version.into_owned(), time);
                            }
                        } else {
                            cursor.skip()?;
                        }
                    }
                }
                _ => cursor.skip()?,
            }
        }
        Some(())
    }

    /// One member of `versions`.
    fn version(&mut self, cursor: &mut Cursor<'_>, name: &str, number: &str, registry: &str) -> Option<()> {
        let Some(version) = Version::parse(number).filter(|_| cursor.peek() == b'{') else {
            return cursor.skip();
        };
        let mut record = self.begin_version(&version);
        let mut bundle_all = false;
        cursor.at += 1;
        let mut first = true;
        while cursor.more(b'}', &mut first)? {
            match cursor.key()? {
                b"dependencies" => self.dependencies(cursor, Behavior::PROD)?,
                b"optionalDependencies" => self.dependencies(cursor, Behavior::OPTIONAL)?,
                b"peerDependencies" => self.dependencies(cursor, Behavior::PEER)?,
                b"peerDependenciesMeta" if cursor.peek() == b'{' => self.optional_peers(cursor)?,
                b"bundleDependencies" | b"bundledDependencies" => bundle_all |= self.bundled(cursor)?,
                b"bin" => self.bin(cursor, &mut record)?,
                b"directories" if cursor.peek() == b'{' => self.text_member(cursor, b"bin", &mut record.bin_dir)?,
                b"os" => record.os = OS.combine(collect(cursor, &OS)?),
                b"cpu" => record.cpu = CPU.combine(collect(cursor, &CPU)?),
                b"libc" => record.libc = LIBC.combine(collect(cursor, &LIBC)?),
                b"hasInstallScript" => {
                    if cursor.boolean() == Some(true) {
                        record.flags |= VERSION_INSTALL_SCRIPT;
                    }
                }
                b"scripts" if cursor.peek() == b'{' => {
                    if has_install_script(cursor)? {
                        record.flags |= VERSION_INSTALL_SCRIPT;
                    }
                }
                b"deprecated" => {
                    if is_deprecated(cursor)? {
                        record.flags |= VERSION_DEPRECATED;
                    }
                }
                b"engines" if cursor.peek() == b'{' => self.text_member(cursor, b"node", &mut record.engine)?,
                b"dist" if cursor.peek() == b'{' => self.dist(cursor, &mut record, name, number, registry)?,
                _ => cursor.skip()?,
            }
        }
        record.bins_len = self.bins.len() as u32 - record.bins;
        if record.bins_len > 0 {
            record.bin_dir = Str::EMPTY;
        }
        self.end_dependencies(&mut record, bundle_all);
        self.versions.push(record);
        Some(())
    }

    /// The record of a version of which only the number is known; the lists that its members fill are empty.
    #[inline]
    fn begin_version(&mut self, version: &Version<'_>) -> VersionRecord {
        self.scratch.clear();
        self.peers_optional.clear();
        self.bundled.clear();
        VersionRecord {
            major: version.major,
            minor: version.minor,
            patch: version.patch,
            published: 0,
            pre: self.text.add(version.pre),
            build: self.text.add(version.build),
            tarball: Str::EMPTY,
            deps: 0,
            deps_len: 0,
            bins: self.bins.len() as u32,
            bins_len: 0,
            bin_dir: Str::EMPTY,
            engine: Str::EMPTY,
            integrity: [0; 64],
            os: OS.all(),
            cpu: CPU.all(),
            libc: LIBC.all(),
            integrity_tag: 0,
            flags: 0,
        }
    }

    /// The object `peerDependenciesMeta`: which peers are optional.
    #[inline]
    fn optional_peers(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.at += 1;
        let mut first = true;
        while cursor.more(b'}', &mut first)? {
            let peer = cursor.key_text()?;
            if cursor.peek() != b'{' {
                cursor.skip()?;
                continue;
            }
            cursor.at += 1;
            let mut first = true;
            while cursor.more(b'}', &mut first)? {
                if cursor.key()? == b"optional" {
                    if cursor.boolean() == Some(true) {
                        let peer = self.text.add(&peer);
                        self.peers_optional.push(peer);
                    }
                } else {
                    cursor.skip()?;
                }
            }
        }
        Some(())
    }

    /// The value of `bundleDependencies`: names, or `true` for all dependencies. Returns whether it is `true`.
    #[inline]
    fn bundled(&mut self, cursor: &mut Cursor<'_>) -> Option<bool> {
        match cursor.peek() {
            b'[' => {
                let names = strings(cursor)?;
                for name in names {
                    let name = self.text.add(&name);
                    self.bundled.push(name);
                }
                Some(false)
            }
            b't' => cursor.skip().map(|()| true),
            _ => cursor.skip().map(|()| false),
        }
    }

    /// The value of `bin`: the path of the one command, or paths by name.
    #[inline]
    fn bin(&mut self, cursor: &mut Cursor<'_>, record: &mut VersionRecord) -> Option<()> {
        match cursor.peek() {
            b'"' => {
                let path = cursor.string()?;
                if !path.is_empty() {
                    let path = self.text.add(&path);
                    self.bins.push(BinRecord { name: Str::EMPTY, path });
                    record.flags |= VERSION_BIN_FILE;
                }
            }
            b'{' => {
                cursor.at += 1;
                let mut first = true;
                while cursor.more(b'}', &mut first)? {
                    let name = cursor.key_text()?;
                    if cursor.peek() != b'"' {
                        cursor.skip()?;
                        continue;
                    }
                    let path = cursor.string()?;
                    let (name, path) = (self.text.add(&name), self.text.add(&path));
                    self.bins.push(BinRecord { name, path });
                }
            }
            _ => cursor.skip()?,
        }
        Some(())
    }

    /// Puts the member `wanted` of an object into `place` if it is a string; the other members are skipped.
    #[inline]
    fn text_member(&mut self, cursor: &mut Cursor<'_>, wanted: &[u8], place: &mut Str) -> Option<()> {
        cursor.at += 1;
        let mut first = true;
        while cursor.more(b'}', &mut first)? {
            if cursor.key()? == wanted && cursor.peek() == b'"' {
                let text = cursor.string()?;
                *place = self.text.add(&text);
            } else {
                cursor.skip()?;
            }
        }
        Some(())
    }

    fn dist(
        &mut self,
        cursor: &mut Cursor<'_>,
        record: &mut VersionRecord,
        name: &str,
        number: &str,
        registry: &str,
    ) -> Option<()> {
        cursor.at += 1;
        let mut integrity = Integrity::None;
        let mut first = true;
        while cursor.more(b'}', &mut first)? {
            match cursor.key()? {
                b"integrity" if cursor.peek() == b'"' => {
                    let found = Integrity::parse(&cursor.string()?);
                    if found.has_digest() || !integrity.has_digest() {
                        integrity = found;
                    }
                }
                b"shasum" if cursor.peek() == b'"' => {
                    let text = cursor.string()?;
                    let found = Integrity::shasum(&text);
                    if !integrity.has_digest() && found.has_digest() {
                        integrity = found;
                    }
                }
                b"tarball" if cursor.peek() == b'"' => {
                    let url = cursor.string()?;
                    if !is_usual(&url, registry, name, number) {
                        record.tarball = self.text.add(&url);
                    }
                }
                _ => cursor.skip()?,
            }
        }
        record.integrity_tag = integrity.tag();
        let digest = integrity.digest();
        record.integrity[..digest.len()].copy_from_slice(digest);
        Some(())
    }

    fn dependencies(&mut self, cursor: &mut Cursor<'_>, behavior: u8) -> Option<()> {
        if cursor.peek() != b'{' {
            return cursor.skip();
        }
        cursor.at += 1;
        let mut first = true;
        while cursor.more(b'}', &mut first)? {
            let name = cursor.key_text()?;
            if cursor.peek() != b'"' {
                cursor.skip()?;
                continue;
            }
            let range = cursor.string()?;
            let (name, range) = (self.text.add(&name), self.text.add(&range));
            self.scratch.push(DepRecord { name, range, behavior: u32::from(behavior) });
        }
        Some(())
    }

    fn end_dependencies(&mut self, record: &mut VersionRecord, bundle_all: bool) {
        for dep in &mut self.scratch {
            if dep.behavior == u32::from(Behavior::PEER) && self.peers_optional.contains(&dep.name) {
                dep.behavior |= u32::from(Behavior::OPTIONAL);
            }
            if dep.behavior & u32::from(Behavior::PEER) == 0 && (bundle_all || self.bundled.contains(&dep.name)) {
                dep.behavior |= u32::from(Behavior::BUNDLED);
            }
        }
        // A name that only peerDependenciesMeta has is an optional peer of any version.
        for place in 0..self.peers_optional.len() {
            let name = self.peers_optional[place];
            if !self.scratch.iter().any(|dep| dep.name == name) {
                let range = self.text.add("*");
                self.scratch.push(DepRecord { name, range, behavior: u32::from(Behavior::PEER | Behavior::OPTIONAL) });
            }
        }
        let text = &self.text;
        let rank = |dep: &DepRecord| Behavior(dep.behavior as u8).rank();
        self.scratch.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| text.get(a.name).cmp(text.get(b.name))));
        // Registries list optional dependencies among the others too; a dependency that is a peer as well is a dependency.
        for at in (1..self.scratch.len()).rev() {
            let name = self.scratch[at].name;
            if rank(&self.scratch[at]) > 2 && self.scratch[..at].iter().any(|other| other.name == name) {
                self.scratch.remove(at);
            }
        }
        if self.scratch.is_empty() {
            return;
        }
        let key = {
            use std::hash::{Hash, Hasher};
            let mut hasher = rustc_hash::FxHasher::default();
            self.scratch.hash(&mut hasher);
            hasher.finish()
        };
        let (off, len) = match self.lists.get(&key) {
            Some(&(off, len)) if self.deps[off as usize..(off + len) as usize] == self.scratch[..] => (off, len),
            _ => {
                let at = (self.deps.len() as u32, self.scratch.len() as u32);
                self.deps.extend_from_slice(&self.scratch);
                self.lists.insert(key, at);
                at
            }
        };
        (record.deps, record.deps_len) = (off, len);
    }

    fn finish(mut self, name: &str, source: Source<'_>) -> Manifest {
        let name = self.text.add(name);
        let (etag, modified) = (self.text.add(source.etag), self.text.add(source.modified));
        let text = std::mem::take(&mut self.text);
        let number = |record: &VersionRecord| Version {
            major: record.major,
            minor: record.minor,
            patch: record.patch,
            pre: text.get(record.pre),
            build: text.get(record.build),
        };
        let mut versions = std::mem::take(&mut self.versions);
        if !self.times.is_empty() {
            for record in &mut versions {
                record.published = self.times.get(&number(record).to_string()).copied().unwrap_or(0);
            }
        }
        versions.sort_by(|a, b| {
            let (a, b) = (number(a), number(b));
            (!a.pre.is_empty()).cmp(&!b.pre.is_empty()).then_with(|| a.order(&b))
        });
        let releases = versions.iter().take_while(|record| record.pre.is_empty()).count() as u32;
        let tags: Vec<TagRecord> = self
            .tags
            .iter()
            .map(|(tag, version)| TagRecord {
                name: *tag,
                version: Version::parse(version)
                    .and_then(|version| versions.iter().position(|record| number(record).order(&version).is_eq()))
                    .map_or(u32::MAX, |at| at as u32),
            })
            .collect();
        let latest = tags.iter().find(|tag| text.get(tag.name) == "latest").map_or(u32::MAX, |tag| tag.version);
        let mut header = Header {
            magic: MAGIC,
            version: VERSION,
            checked: source.now,
            checksum: 0,
            reserved: 0,
            versions: versions.len() as u32,
            releases,
            deps: self.deps.len() as u32,
            bins: self.bins.len() as u32,
            tags: tags.len() as u32,
            text: text.as_str().len() as u32,
            name,
            etag,
            modified,
            full: u32::from(source.full),
            latest,
        };
        let length = size_of::<Header>()
            + size_of_val(versions.as_slice())
            + size_of_val(self.deps.as_slice())
            + size_of_val(self.bins.as_slice())
            + size_of_val(tags.as_slice())
            + text.as_str().len();
        let mut words = vec![0u64; length.div_ceil(8)];
        {
            // SAFETY: the words are `length` bytes or more, and bytes have no invalid values.
            let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), length) };
            let mut at = size_of::<Header>();
            let mut put = |part: &[u8]| {
                bytes[at..at + part.len()].copy_from_slice(part);
                at += part.len();
            };
            put(raw(&versions));
            put(raw(&self.deps));
            put(raw(&self.bins));
            put(raw(&tags));
            put(text.as_str().as_bytes());
            bytes[..size_of::<Header>()].copy_from_slice(raw(std::slice::from_ref(&header)));
            header.checksum = xxhash_rust::xxh3::xxh3_64(&bytes[32..]);
            bytes[..size_of::<Header>()].copy_from_slice(raw(std::slice::from_ref(&header)));
        }
        Manifest::owned(words, length)
    }
}

/// The object `scripts`: whether one of them runs at an installation.
#[inline]
fn has_install_script(cursor: &mut Cursor<'_>) -> Option<bool> {
    let mut found = false;
    cursor.at += 1;
    let mut first = true;
    while cursor.more(b'}', &mut first)? {
        found |= matches!(cursor.key()?, b"preinstall" | b"install" | b"postinstall");
        cursor.skip()?;
    }
    Some(found)
}

/// The value of `deprecated`: a text that is not empty, or `true`.
#[inline]
fn is_deprecated(cursor: &mut Cursor<'_>) -> Option<bool> {
    if cursor.peek() == b'"' && !cursor.string()?.is_empty() {
        return Some(true);
    }
    if cursor.peek() == b't' {
        cursor.skip()?;
        return Some(true);
    }
    if !matches!(cursor.peek(), b',' | b'}') {
        cursor.skip()?;
    }
    Some(false)
}

/// The bytes of records.
fn raw<T: Copy>(records: &[T]) -> &[u8] {
    // SAFETY: the records are `repr(C)` without padding (checked below), so every byte is initialised.
    unsafe { std::slice::from_raw_parts(records.as_ptr().cast(), size_of_val(records)) }
}

const _: () = {
    assert!(size_of::<Header>() == 8 + 24 + 24 + 24 + 8);
    assert!(size_of::<VersionRecord>() == 32 + 24 + 16 + 16 + 64 + 8);
    assert!(size_of::<DepRecord>() == 20);
    assert!(size_of::<BinRecord>() == 16);
    assert!(size_of::<TagRecord>() == 12);
};

/// A list of strings, or one string.
fn strings<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<Cow<'a, str>>> {
    let mut list = Vec::new();
    match cursor.peek() {
        b'"' => list.push(cursor.string()?),
        b'[' => {
            cursor.at += 1;
            let mut first = true;
            while cursor.more(b']', &mut first)? {
                if cursor.peek() == b'"' {
                    list.push(cursor.string()?);
                } else {
                    cursor.skip()?;
                }
            }
        }
        _ => cursor.skip()?,
    }
    Some(list)
}

fn collect(cursor: &mut Cursor<'_>, names: &crate::model::platform::Names) -> Option<Collector> {
    let mut collector = Collector::default();
    for entry in strings(cursor)? {
        names.apply(&mut collector, &entry);
    }
    Some(collector)
}

/// Whether `url` is `<registry><name>/-/<last part of name>-<version>.tgz`.
fn is_usual(url: &str, registry: &str, name: &str, version: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    url.strip_prefix(registry)
        .and_then(|rest| rest.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix("/-/"))
        .and_then(|rest| rest.strip_prefix(last))
        .and_then(|rest| rest.strip_prefix('-'))
        .and_then(|rest| rest.strip_prefix(version))
        .is_some_and(|rest| rest == ".tgz")
}

/// `2024-01-02T03:04:05.678Z` to milliseconds since 1970.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let milli = number(20, 23).unwrap_or(0);
    // Days from civil date: years start in March.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    u64::try_from((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::manifest::AgeLimit;
    use semver::Range;

    const JSON: &str = r#"{"name":"x","dist-tags":{"latest":"1.2.0","next":"2.0.0-b.1"},"versions":{
      "1.10.0":{"dependencies":{"b":"1","a":"2"},"optionalDependencies":{"b":"1"},"bin":"x.js","os":["!win32"],
        "dist":{"tarball":"https://r.org/x/-/x-1.10.0.tgz","integrity":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="}},
      "1.2.0":{"peerDependencies":{"p":"*"},"peerDependenciesMeta":{"p":{"optional":true}},"dist":{"tarball":"https://cdn.org/x.tgz"}},
      "bad":{}, "2.0.0-b.1":{"hasInstallScript":true}},"time":{"1.10.0":"1970-01-02T00:00:00.000Z"}}"#;

    #[test]
    fn a_manifest_is_read_and_chosen_from() {
        let source = Source { registry: "https://r.org/", ..Source::default() };
        let manifest = parse(JSON.as_bytes(), "x", source).unwrap();
        assert!(manifest.check());
        let best = |range: &str| {
            manifest.best(&Range::parse(range).unwrap(), AgeLimit::default()).map(|at| manifest.version(at).to_string())
        };
        assert_eq!(best("^1.0.0").unwrap(), "1.2.0");
        assert_eq!(best("^1.5.0").unwrap(), "1.10.0");
        assert_eq!(best("^2.0.0-a").unwrap(), "2.0.0-b.1");
        assert!(best("^3").is_err());
        let record = manifest.record(1);
        assert_eq!(record.tarball, Str::EMPTY);
        assert_eq!(record.published, 86_400_000);
        let names: Vec<_> = manifest.deps(record).iter().map(|dep| manifest.str(dep.name)).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(manifest.str(manifest.record(0).tarball), "https://cdn.org/x.tgz");
        assert!(Behavior(manifest.deps(manifest.record(0))[0].behavior as u8).is_optional_peer());
    }
}
