//! Writing: entries one after the other, then the directory.

use libdeflater::{CompressionLvl, Compressor, Crc};

use crate::{
    CENTRAL, DEFLATED, END, END_64, END_64_LENGTH, EXTRA_64, EXTRA_TIME, LOCAL, LOCATOR_64, STORED, UNIX, UTF8,
    dos_time,
};

/// Versions that are needed to read an entry: 2.0 for DEFLATE, 4.5 for sizes of 64 bits.
const NEEDS_DEFLATE: u16 = 20;
const NEEDS_64: u16 = 45;
const REGULAR_FILE: u32 = 0o100_000;
/// What does not fit stands elsewhere.
const ELSEWHERE_32: u32 = u32::MAX;
const ELSEWHERE_16: u16 = u16::MAX;

/// An archive that is being made, in memory.
pub struct Writer {
    out: Vec<u8>,
    directory: Vec<u8>,
    count: u64,
    /// `None`: nothing is compressed.
    compressor: Option<Compressor>,
}

fn short(out: &mut Vec<u8>, values: &[u16]) {
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

fn long(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

fn wide(out: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

impl Writer {
    /// `level`: 0 (stored) to 12.
    pub fn new(level: u8) -> Self {
        let packing = CompressionLvl::new(i32::from(level.min(12))).unwrap_or_default();
        let compressor = (level > 0).then(|| Compressor::new(packing));
        Self { out: Vec::new(), directory: Vec::new(), count: 0, compressor }
    }

    /// Adds a file. `modified` is in seconds since 1970. Gives false, and adds nothing, if the name is longer than the format can say.
    pub fn file(&mut self, name: &str, content: &[u8], mode: u32, modified: i64) -> bool {
        let Ok(name_length) = u16::try_from(name.len()) else { return false };
        let mut crc = Crc::new();
        crc.update(content);
        let packed = self.compressor.as_mut().and_then(|compressor| {
            let mut packed = vec![0; compressor.deflate_compress_bound(content.len())];
            let length = compressor.deflate_compress(content, &mut packed).ok()?;
            packed.truncate(length);
            // What does not become smaller is stored.
            (length < content.len()).then_some(packed)
        });
        let method = if packed.is_some() { DEFLATED } else { STORED };
        let data = packed.as_deref().unwrap_or(content);
        let (size, packed_size, offset) = (content.len() as u64, data.len() as u64, self.out.len() as u64);
        let is_wide = size.max(packed_size).max(offset) >= u64::from(ELSEWHERE_32);
        let needs = if is_wide { NEEDS_64 } else { NEEDS_DEFLATE };
        let (time, date) = dos_time::of_seconds(modified);
        let short_size = |value: u64| if is_wide { ELSEWHERE_32 } else { value as u32 };
        let mut times = Vec::new();
        if let Ok(seconds) = i32::try_from(modified) {
            short(&mut times, &[EXTRA_TIME, 5]);
            times.push(1);
            times.extend_from_slice(&seconds.to_le_bytes());
        }
        let mut local_extra = times.clone();
        let mut central_extra = times;
        if is_wide {
            short(&mut local_extra, &[EXTRA_64, 16]);
            wide(&mut local_extra, &[size, packed_size]);
            short(&mut central_extra, &[EXTRA_64, 24]);
            wide(&mut central_extra, &[size, packed_size, offset]);
        }
        let out = &mut self.out;
        long(out, &[LOCAL]);
        short(out, &[needs, UTF8, method, time, date]);
        long(out, &[crc.sum(), short_size(packed_size), short_size(size)]);
        short(out, &[name_length, local_extra.len() as u16]);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&local_extra);
        out.extend_from_slice(data);
        let out = &mut self.directory;
        long(out, &[CENTRAL]);
        out.extend_from_slice(&[needs as u8, UNIX]);
        short(out, &[needs, UTF8, method, time, date]);
        long(out, &[crc.sum(), short_size(packed_size), short_size(size)]);
        short(out, &[name_length, central_extra.len() as u16, 0, 0, 0]);
        long(out, &[(REGULAR_FILE | mode & 0o7777) << 16, short_size(offset)]);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&central_extra);
        self.count += 1;
        true
    }

    /// Writes the directory, and gives the archive.
    pub fn finish(self) -> Vec<u8> {
        let (mut out, count) = (self.out, self.count);
        let (start, size) = (out.len() as u64, self.directory.len() as u64);
        out.extend_from_slice(&self.directory);
        let is_wide = start.max(size) >= u64::from(ELSEWHERE_32) || count >= u64::from(ELSEWHERE_16);
        if is_wide {
            let at = out.len() as u64;
            long(&mut out, &[END_64]);
            // Of what follows this number.
            wide(&mut out, &[END_64_LENGTH as u64 - 12]);
            out.extend_from_slice(&[NEEDS_64 as u8, UNIX]);
            short(&mut out, &[NEEDS_64]);
            long(&mut out, &[0, 0]);
            wide(&mut out, &[count, count, size, start]);
            long(&mut out, &[LOCATOR_64, 0]);
            wide(&mut out, &[at]);
            long(&mut out, &[1]);
        }
        let short_count = if is_wide { ELSEWHERE_16 } else { count as u16 };
        let fit = |value: u64| if is_wide { ELSEWHERE_32 } else { value as u32 };
        long(&mut out, &[END]);
        short(&mut out, &[0, 0, short_count, short_count]);
        long(&mut out, &[fit(size), fit(start)]);
        short(&mut out, &[0]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Archive, EntryKind};
    use tar::Limits;

    fn limits() -> Limits {
        Limits::for_tarball(0)
    }

    fn made() -> Vec<u8> {
        let mut writer = Writer::new(6);
        assert!(writer.file("a/ü.txt", &b"hello ".repeat(100), 0o640, 1_600_000_001));
        assert!(writer.file("empty", b"", 0o644, 0));
        assert!(writer.file("random", &[3, 1, 4, 1, 5, 9, 2, 6], 0o755, 1_700_000_000));
        assert!(!writer.file(&"n".repeat(70_000), b"", 0o644, 0));
        writer.finish()
    }

    #[test]
    fn there_and_back() {
        let bytes = made();
        let mut archive = Archive::open(&bytes, limits()).expect("whole");
        let told: Vec<_> = archive
            .entries()
            .iter()
            .map(|entry| (String::from_utf8(entry.name.clone()).unwrap(), entry.mode, entry.modified, entry.size))
            .collect();
        let wanted =
            [("a/ü.txt", 0o640, 1_600_000_001, 600), ("empty", 0o644, 0, 0), ("random", 0o755, 1_700_000_000, 8)];
        assert_eq!(told, wanted.map(|(name, mode, time, size)| (name.to_owned(), mode, time, size)));
        assert_eq!(archive.read(0).unwrap(), b"hello ".repeat(100));
        assert_eq!(archive.read(1).unwrap(), b"");
        assert_eq!(archive.read(2).unwrap(), [3, 1, 4, 1, 5, 9, 2, 6]);
        assert!(archive.entries().iter().all(|entry| entry.kind == EntryKind::File));
    }

    #[test]
    fn a_directory_of_windows_is_one() {
        let mut writer = Writer::new(0);
        assert!(writer.file("d\\", b"", 0o644, 0));
        assert!(writer.file("d\\f", b"x", 0o644, 0));
        let mut bytes = writer.finish();
        let lines: Vec<usize> = memchr::memmem::find_iter(&bytes, &CENTRAL.to_le_bytes()).collect();
        for at in lines {
            // "Made by" DOS.
            bytes[at + 5] = 0;
        }
        let archive = Archive::open(&bytes, limits()).expect("whole");
        let told: Vec<_> = archive.entries().iter().map(|entry| (entry.name.as_slice(), entry.kind)).collect();
        assert_eq!(told, [(&b"d/"[..], EntryKind::Directory), (&b"d/f"[..], EntryKind::File)]);
    }

    #[test]
    fn more_entries_than_sixteen_bits_count() {
        let mut writer = Writer::new(0);
        for number in 0..70_000 {
            assert!(writer.file(&format!("f{number}"), b"x", 0o644, 0));
        }
        let bytes = writer.finish();
        let mut archive = Archive::open(&bytes, limits()).expect("whole");
        assert_eq!(archive.entries().len(), 70_000);
        assert_eq!(archive.entries()[69_999].name, b"f69999");
        assert_eq!(archive.read(69_999).unwrap(), b"x");
    }

    #[test]
    fn what_stands_before_it_does_not_count() {
        let bytes = [&b"#!/bin/sh\nexit\n"[..], &made()].concat();
        let mut archive = Archive::open(&bytes, limits()).expect("whole");
        assert_eq!(archive.read(2).unwrap(), [3, 1, 4, 1, 5, 9, 2, 6]);
    }

    #[test]
    fn damage_is_an_error_and_nothing_else() {
        let bytes = made();
        for length in 0..bytes.len() {
            assert!(Archive::open(&bytes[..length], limits()).is_err(), "cut at {length}");
        }
        let mut wrong = 0;
        for at in 0..bytes.len() {
            for value in [0, 0xff, bytes[at] ^ 1] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let Ok(mut archive) = Archive::open(&changed, limits()) else { continue };
                for place in 0..archive.entries().len() {
                    wrong += usize::from(archive.read(place).is_err());
                }
            }
        }
        // Most changes are noticed when an entry is read: contents have a checksum.
        assert!(wrong > 100);
    }

    #[test]
    fn one_file_under_many_names_is_a_bomb() {
        let bytes = made();
        // The second and third entry of the directory begin where the first does.
        let mut changed = bytes.clone();
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, &CENTRAL.to_le_bytes()).collect();
        for place in &places[1..] {
            changed[place + 42..place + 46].fill(0);
        }
        assert!(Archive::open(&changed, limits()).err().expect("refused").message.contains("on top of each other"));
        let mut claims = bytes.clone();
        claims[places[0] + 24..places[0] + 28].copy_from_slice(&0xf000_0000u32.to_le_bytes());
        assert!(Archive::open(&claims, limits()).err().expect("refused").message.contains("more than"));
    }
}
