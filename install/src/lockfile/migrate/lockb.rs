//! bun.lockb, the binary lockfile of Bun before 1.2 (format 2; Bun 1.4 reads and keeps it, as format 3). The layout is that of Bun's own memory:
//! columns of packages one after the other, then arrays, each with its place in the file; numbers are little endian.
//!
//! Every place and count is checked against the file: a damaged one is an error, whatever is in it.

use json::Value;

use super::builder::{Builder, Found, NewDep};
use crate::error::{Code, Error, Result};
use crate::lockfile::{Loaded, LoadedDep, LoadedMember};
use crate::model::extras::{Extras, Override};
use crate::model::graph::{Behavior, Bin, FLAG_INSTALL_SCRIPT, PackageId};
use crate::model::integrity::Integrity;
use crate::model::plan::{Kind, NO_ID};
use crate::model::platform::{CPU, LIBC, Names, OS};
use crate::model::spec::valid_name;
use crate::project::Manifest;
use std::borrow::Cow;
use std::fmt::Write;

const FILE: &str = "bun.lockb";
pub(in crate::lockfile) const HEADER: &[u8] = b"#!/usr/bin/env bun\nbun-lockfile-format-v0\n";

/// The mark of the section with `configVersion`.
pub(in crate::lockfile) const CONFIG_VERSION: &[u8] = b"cNfGvRsN";

// Sizes of the columns, in their order in the file.
const STRING: usize = 8;
const HASH: usize = 8;
const RESOLUTION_2: usize = 64;
const RESOLUTION_3: usize = 72;
const SLICE: usize = 8;
const META: usize = 88;
const BIN: usize = 20;
const DEPENDENCY: usize = 26;
const EXTERNAL_STRING: usize = 16;

// Kinds of resolutions.
pub(in crate::lockfile) const ROOT: u8 = 1;
pub(in crate::lockfile) const NPM: u8 = 2;
pub(in crate::lockfile) const FOLDER: u8 = 4;
pub(in crate::lockfile) const LOCAL_TARBALL: u8 = 8;
pub(in crate::lockfile) const GITHUB: u8 = 16;
pub(in crate::lockfile) const GIT: u8 = 32;
pub(in crate::lockfile) const SYMLINK: u8 = 64;
pub(in crate::lockfile) const WORKSPACE: u8 = 72;
pub(in crate::lockfile) const REMOTE_TARBALL: u8 = 80;

// Bits of a dependency's behavior.
const BITS: [(u8, u8); 6] = [
    (2, Behavior::PROD),
    (4, Behavior::OPTIONAL),
    (8, Behavior::DEV),
    (16, Behavior::PEER),
    (32, Behavior::WORKSPACE),
    (64, Behavior::BUNDLED),
];

// Names of the bits of platforms, from bit 1 on.
pub(in crate::lockfile) const OS_BITS: [&str; 8] =
    ["aix", "darwin", "freebsd", "linux", "openbsd", "sunos", "win32", "android"];
pub(in crate::lockfile) const CPU_BITS: [&str; 11] =
    ["arm", "arm64", "ia32", "mips", "mipsel", "ppc", "ppc64", "s390", "s390x", "x32", "x64"];
pub(in crate::lockfile) const LIBC_BITS: [&str; 2] = ["glibc", "musl"];

fn damaged(what: &str) -> Error {
    Error::new(Code::Parse, format!("{FILE} is damaged: {what}"))
        .hint("restore it from version control, or remove it to resolve everything again")
}

/// A reader that never leaves its bytes.
#[derive(Clone, Copy)]
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn slice(self, at: usize, len: usize) -> Result<&'b [u8]> {
        at.checked_add(len).and_then(|end| self.0.get(at..end)).ok_or_else(|| damaged("it ends too early"))
    }

    fn u8(self, at: usize) -> Result<u8> {
        self.slice(at, 1).map(|bytes| bytes[0])
    }

    fn u16(self, at: usize) -> Result<u16> {
        self.slice(at, 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn u32(self, at: usize) -> Result<u32> {
        self.slice(at, 4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn u64(self, at: usize) -> Result<u64> {
        let bytes = self.slice(at, 8)?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn offset(self, at: usize) -> Result<usize> {
        usize::try_from(self.u64(at)?).map_err(|_| damaged("a place is outside of it"))
    }
}

struct Reader<'b> {
    bytes: Bytes<'b>,
    strings: &'b [u8],
    extern_strings: &'b [u8],
    dependencies: &'b [u8],
    resolutions: &'b [u8],
    count: usize,
    columns: Columns,
    /// Format 3 has version numbers of 64 bits.
    wide: bool,
}

/// Where each column begins.
struct Columns {
    name: usize,
    resolution: usize,
    dependencies: usize,
    meta: usize,
    bin: usize,
}

/// Reads a file for the members of a project. Its overrides and catalogs say whether those of package.json have changed since; patches
/// are not taken from it.
///
/// # Errors
/// It is no bun.lockb of format 2 or 3, or damaged.
pub(crate) fn read(bytes: &[u8], manifests: &[Manifest]) -> Result<Loaded> {
    let bytes = Bytes(bytes);
    if !bytes.0.starts_with(HEADER) {
        return Err(damaged("it does not begin as a lockfile of Bun"));
    }
    let mut at = HEADER.len();
    let format = bytes.u32(at)?;
    if !matches!(format, 2 | 3) {
        return Err(Error::new(Code::Parse, format!("Unsupported lockfile version {format} of {FILE}"))
            .hint("`bun install --save-text-lockfile` with the Bun that wrote it makes a bun.lock of it"));
    }
    let wide = format == 3;
    at += 4 + 32;
    let total = bytes.offset(at)?;
    if total > bytes.0.len() {
        return Err(damaged("it is shorter than it says"));
    }
    at += 8;
    let count = bytes.offset(at)?;
    let (fields, begin, end) = (bytes.u64(at + 16)?, bytes.offset(at + 24)?, bytes.offset(at + 32)?);
    let resolution = if wide { RESOLUTION_3 } else { RESOLUTION_2 };
    let row = STRING + HASH + resolution + SLICE + SLICE + META + BIN;
    if !(7..=8).contains(&fields)
        || begin > end
        || end > bytes.0.len()
        || count == 0
        || count.checked_mul(row).is_none_or(|size| size > end - begin)
    {
        return Err(damaged("the list of packages does not fit"));
    }
    let mut column = begin;
    let mut next = |size: usize| {
        let at = column;
        column += count * size;
        at
    };
    let name = next(STRING);
    next(HASH);
    let resolution = next(resolution);
    let dependencies = next(SLICE);
    next(SLICE);
    let meta = next(META);
    let bin = next(BIN);
    // The arrays: trees, what they hold, resolutions, dependencies, external strings, strings.
    let mut at = end;
    let mut arrays: [&[u8]; 6] = [&[]; 6];
    for array in &mut arrays {
        let (start, stop) = (bytes.offset(at)?, bytes.offset(at + 8)?);
        if start > stop || start < at || stop > bytes.0.len() {
            return Err(damaged("an array does not fit"));
        }
        *array = &bytes.0[start..stop];
        at = stop;
    }
    let reader = Reader {
        bytes,
        resolutions: arrays[2],
        dependencies: arrays[3],
        extern_strings: arrays[4],
        strings: arrays[5],
        count,
        columns: Columns { name, resolution, dependencies, meta, bin },
        wide,
    };
    // The last section, in files of Bun 1.3 and later.
    let config_version = match total.checked_sub(16).map(|at| (bytes.slice(at, 8), bytes.u64(at + 8))) {
        Some((Ok(CONFIG_VERSION), Ok(version))) => u32::try_from(version).unwrap_or(0),
        _ => 0,
    };
    // Eight zeros are behind the strings.
    let extras = Extras { config_version, ..reader.settings(at + 8)? };
    reader.graph(manifests, extras)
}

struct Resolution<'b> {
    tag: u8,
    value: Cow<'b, str>,
    extra: Cow<'b, str>,
    /// Folder name of a git repository.
    folder: Cow<'b, str>,
}

impl<'b> Reader<'b> {
    /// A string: up to eight bytes of its own, or a place in the buffer of strings.
    fn string(&self, at: &'b [u8]) -> Result<Cow<'b, str>> {
        let short = at.len() >= STRING && at[7] & 0x80 == 0;
        let bytes = if short {
            let length = at[..STRING].iter().position(|byte| *byte == 0).unwrap_or(STRING);
            &at[..length]
        } else {
            let at = Bytes(at);
            let (off, len) = (at.u32(0)? as usize, (at.u32(4)? & 0x7fff_ffff) as usize);
            Bytes(self.strings).slice(off, len)?
        };
        std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| damaged("a string is not UTF-8"))
    }

    fn string_at(&self, at: usize) -> Result<Cow<'b, str>> {
        self.string(self.bytes.slice(at, STRING)?)
    }

    fn resolution(&self, id: usize) -> Result<Resolution<'b>> {
        let size = if self.wide { RESOLUTION_3 } else { RESOLUTION_2 };
        let at = self.columns.resolution + id * size;
        let tag = self.bytes.u8(at)?;
        let value = at + 8;
        let none = Cow::Borrowed("");
        let plain = |value| Resolution { tag, value, extra: none.clone(), folder: none.clone() };
        Ok(match tag {
            ROOT => plain(none.clone()),
            NPM => {
                let url = self.string_at(value)?;
                let mut version = String::with_capacity(16);
                let width = if self.wide { 8 } else { 4 };
                for place in 0..3 {
                    let at = value + STRING + place * width;
                    let number = if self.wide { self.bytes.u64(at)? } else { u64::from(self.bytes.u32(at)?) };
                    let _ = write!(version, "{}{number}", if place > 0 { "." } else { "" });
                }
                let tags = value + STRING + if self.wide { 24 } else { 16 };
                for (sign, at) in [('-', tags), ('+', tags + EXTERNAL_STRING)] {
                    let text = self.string_at(at)?;
                    if !text.is_empty() {
                        version.push(sign);
                        version.push_str(&text);
                    }
                }
                if semver::Version::parse(&version).is_none() {
                    return Err(damaged("a version is none"));
                }
                let extra = if super::archive(&url).is_empty() { none.clone() } else { url };
                Resolution { tag, value: Cow::Owned(version), extra, folder: none.clone() }
            }
            FOLDER | LOCAL_TARBALL | SYMLINK | WORKSPACE | REMOTE_TARBALL => plain(self.string_at(value)?),
            GIT | GITHUB => {
                let part = |place: usize| self.string_at(value + place * STRING);
                let (owner, repo, reference, resolved) = (part(0)?, part(1)?, part(2)?, part(3)?);
                let place = if owner.is_empty() { repo } else { Cow::Owned(format!("{owner}/{repo}")) };
                let commit = match (tag, resolved.rsplit_once('-')) {
                    (GITHUB, Some((_, commit))) => Cow::Owned(commit.to_owned()),
                    _ if resolved.is_empty() => reference,
                    _ => resolved.clone(),
                };
                Resolution { tag, value: place, extra: commit, folder: resolved }
            }
            _ => return Err(damaged("a package is of an unknown kind")),
        })
    }

    /// The dependencies of a package: name, specifier, behavior, the package's place in the file.
    fn dependencies(&self, id: usize) -> Result<Vec<(Cow<'b, str>, Cow<'b, str>, u8, u32)>> {
        let at = self.columns.dependencies + id * SLICE;
        let (off, len) = (self.bytes.u32(at)? as usize, self.bytes.u32(at + 4)? as usize);
        let list = Bytes(self.dependencies);
        let total = self.dependencies.len() / DEPENDENCY;
        if off.checked_add(len).is_none_or(|end| end > total) {
            return Err(damaged("the dependencies of a package do not fit"));
        }
        let mut out = Vec::with_capacity(len);
        for place in off..off + len {
            let row = list.slice(place * DEPENDENCY, DEPENDENCY)?;
            let flags = row[16];
            let behavior = BITS.iter().filter(|(bit, _)| flags & bit != 0).fold(0, |set, (_, bit)| set | bit);
            let target = Bytes(self.resolutions).u32(place * 4)?;
            out.push((self.string(&row[..8])?, self.string(&row[18..26])?, behavior, target));
        }
        Ok(out)
    }

    fn set(bits: u16, known: &[&str], names: &Names) -> u16 {
        // All of them, also those that a later version of Bun knows.
        let all = ((1u32 << known.len()) - 1) as u16;
        let bits = bits >> 1 & all;
        if bits == all {
            return names.all();
        }
        let named = known.iter().enumerate().filter(|(place, _)| bits >> place & 1 != 0);
        named.fold(0, |set, (_, name)| set | names.bit(name))
    }

    fn details(&self, builder: &mut Builder, package: PackageId, id: usize, platforms: bool) -> Result<()> {
        let meta = self.columns.meta + id * META;
        let at = package as usize;
        let graph = &mut builder.graph;
        if platforms {
            graph.packages.cpu[at] = Self::set(self.bytes.u16(meta + 2)?, &CPU_BITS, &CPU);
            // Without a bit for android everything is meant that Bun knew then.
            let os = self.bytes.u16(meta + 4)?;
            graph.packages.os[at] = if os & 0xfe == 0xfe { OS.all() } else { Self::set(os, &OS_BITS, &OS) };
            let libc = u16::from(self.bytes.u8(meta + 6)?);
            graph.packages.libc[at] = if libc == 0 { LIBC.all() } else { Self::set(libc, &LIBC_BITS, &LIBC) };
        }
        if self.bytes.u8(meta + 85)? == 2 {
            graph.packages.flags[at] |= FLAG_INSTALL_SCRIPT;
        }
        let bin = self.columns.bin + id * BIN;
        graph.packages.bin[at] = match self.bytes.u8(bin)? {
            0 => Bin::None,
            1 => Bin::File(graph.text.add(&self.string_at(bin + 4)?)),
            2 => {
                let name = graph.text.add(&self.string_at(bin + 4)?);
                Bin::Named(name, graph.text.add(&self.string_at(bin + 12)?))
            }
            3 => Bin::Dir(graph.text.add(&self.string_at(bin + 4)?)),
            4 => {
                let (off, len) = (self.bytes.u32(bin + 4)? as usize, self.bytes.u32(bin + 8)? as usize);
                let start = graph.bin_entries.len() as u32;
                for place in (off..off.saturating_add(len)).step_by(2) {
                    let text = |place: usize| {
                        let at = place.checked_mul(EXTERNAL_STRING).ok_or_else(|| damaged("a bin is outside of it"))?;
                        self.string(Bytes(self.extern_strings).slice(at, STRING)?)
                    };
                    let pair = (graph.text.add(&text(place)?), graph.text.add(&text(place + 1)?));
                    graph.bin_entries.push(pair);
                }
                Bin::Map(start, graph.bin_entries.len() as u32 - start)
            }
            _ => return Err(damaged("a bin is of an unknown kind")),
        };
        Ok(())
    }

    /// The elements of an array whose place stands at `at`, which then is behind them.
    fn array(&self, at: &mut usize) -> Result<&'b [u8]> {
        let (start, stop) = (self.bytes.offset(*at)?, self.bytes.offset(*at + 8)?);
        if start > stop || start < *at || stop > self.bytes.0.len() {
            return Err(damaged("a section does not fit"));
        }
        *at = stop;
        Ok(&self.bytes.0[start..stop])
    }

    /// Names and specifiers of rows of dependencies.
    fn pairs(&self, rows: &'b [u8]) -> Result<Vec<(String, String)>> {
        let pair = |row: &'b [u8]| Ok((self.string(&row[..8])?.into_owned(), self.string(&row[18..])?.into_owned()));
        let mut list = rows.chunks_exact(DEPENDENCY).map(pair).collect::<Result<Vec<_>>>()?;
        list.sort();
        Ok(list)
    }

    /// The overrides and catalogs of the sections from `at` on.
    fn settings(&self, mut at: usize) -> Result<Extras> {
        let mut extras = Extras { settings: true, ..Extras::default() };
        while let Ok(mark) = self.bytes.slice(at, 8) {
            at += 8;
            let count = match mark {
                b"eMpTrUsT" => 0,
                b"tRuStEDd" => 1,
                b"oVeRriDs" | b"pAtChEdD" => 2,
                b"cAtAlOgS" => 3,
                b"wOrKsPaC" => 4,
                _ => break,
            };
            let mut lists: [&[u8]; 4] = [&[]; 4];
            for list in &mut lists[..count] {
                *list = self.array(&mut at)?;
            }
            match mark {
                b"oVeRriDs" => {
                    let rule = |(name, value)| Override { name, value, ..Override::default() };
                    extras.overrides = self.pairs(lists[1])?.into_iter().map(rule).collect();
                }
                b"cAtAlOgS" => {
                    extras.catalog = self.pairs(lists[1])?;
                    for name in lists[2].chunks_exact(STRING) {
                        self.array(&mut at)?;
                        let entries = self.array(&mut at)?;
                        extras.catalogs.push((self.string(name)?.into_owned(), self.pairs(entries)?));
                    }
                    extras.catalogs.sort();
                }
                _ => {}
            }
        }
        Ok(extras)
    }

    fn graph(&self, manifests: &[Manifest], extras: Extras) -> Result<Loaded> {
        let mut builder = Builder::new(self.count, self.strings.len());
        let mut packages: Vec<PackageId> = vec![NO_ID; self.count];
        let mut pending: Vec<(PackageId, usize)> = Vec::new();
        let mut members: Vec<(usize, String)> = vec![(0, String::new())];
        for (id, package) in packages.iter_mut().enumerate() {
            let name = self.string_at(self.columns.name + id * STRING)?;
            let resolution = self.resolution(id)?;
            let kind = match resolution.tag {
                ROOT if id == 0 => continue,
                WORKSPACE => {
                    members.push((id, resolution.value.into_owned()));
                    continue;
                }
                NPM => Kind::Npm,
                FOLDER => Kind::Folder,
                LOCAL_TARBALL => Kind::TarballFile,
                REMOTE_TARBALL => Kind::TarballUrl,
                SYMLINK => Kind::Link,
                GIT => Kind::Git,
                GITHUB => Kind::GitHub,
                _ => return Err(damaged("a package besides the first is the project")),
            };
            if !valid_name(&name) {
                return Err(damaged("a package has no name"));
            }
            let digest = self.bytes.slice(self.columns.meta + id * META + 20, 65)?;
            let length = [0, 20, 32, 48, 64].get(digest[0] as usize).copied().unwrap_or(0);
            let integrity = Integrity::from_parts(digest[0], &digest[1..=length]);
            let found = Found { name: &name, kind, value: &resolution.value, extra: &resolution.extra, integrity };
            let (added, new) = builder.package(&found);
            *package = added;
            if new {
                if !resolution.folder.is_empty() {
                    builder.graph.packages.resolution[added as usize].tag = builder.graph.text.add(&resolution.folder);
                }
                self.details(&mut builder, added, id, kind == Kind::Npm)?;
                pending.push((added, id));
            }
        }
        let target = |place: u32| packages.get(place as usize).copied().unwrap_or(NO_ID);
        for (package, id) in pending {
            let rows = self.dependencies(id)?;
            let list: Vec<NewDep<'_>> = rows
                .iter()
                .map(|(name, literal, behavior, place)| NewDep {
                    name,
                    literal,
                    behavior: *behavior,
                    target: target(*place),
                })
                .collect();
            builder.dependencies(package, &list)?;
        }
        let places: Vec<u32> = members.iter().skip(1).map(|(id, _)| *id as u32).collect();
        for (id, path) in members {
            let mut member = LoadedMember {
                path,
                name: self.string_at(self.columns.name + id * STRING)?.into_owned(),
                ..LoadedMember::default()
            };
            let manifest = manifests.iter().find(|manifest| manifest.path == member.path);
            let manifest = manifest.and_then(|manifest| Value::parse(manifest.text.as_bytes()).ok());
            for (name, literal, behavior, place) in self.dependencies(id)? {
                // What a member depends on has the bit too; what has only that bit is the project's edge to a member.
                let behavior = Behavior(behavior & !Behavior::WORKSPACE);
                if behavior.0 == 0 {
                    continue;
                }
                // The specifier of another member is not in the file, only its path.
                let leads_to_member = places.contains(&place);
                let declared = json::GROUPS
                    .iter()
                    .find_map(|group| manifest.as_ref()?.get(group)?.get(&name)?.str())
                    .filter(|_| leads_to_member);
                let literal = declared.map_or(literal, |declared| Cow::Owned(declared.to_owned()));
                member.deps.push(LoadedDep {
                    name: builder.graph.text.add(&name),
                    literal: builder.graph.text.add(&literal),
                    behavior,
                    target: target(place),
                });
            }
            builder.members.push(member);
        }
        Ok(builder.finish_with(extras))
    }
}
