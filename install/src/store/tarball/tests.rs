//! Archives of every form, and those that must be refused.

use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;

use tar::{Inflater, Limits};

use crate::error::{Code, Result};
use crate::store::tarball::digest;
use crate::store::tarball::extract::{self, CRLF_SHEBANG, EXECUTABLE, Extracted};
use crate::testing::{Random, Temp, archive, contents, entry, file, gzip, package, pax, seal};

/// Unpacks below a directory that is itself inside of the temporary one, so that a way out would be seen.
fn unpack_with(tarball: &[u8], limits: Limits) -> (Temp, Result<Extracted>) {
    let temp = Temp::new("tar");
    std::fs::create_dir(temp.path("in")).expect("directory");
    let root = std::fs::File::open(temp.path("in")).expect("directory");
    let result = extract::extract(&mut Inflater::new(), tarball, root.as_fd(), limits, true);
    let names: Vec<_> = std::fs::read_dir(&temp.0).expect("list").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["in"], "nothing is written outside");
    (temp, result)
}

fn unpack(tarball: &[u8]) -> (Temp, Result<Extracted>) {
    unpack_with(tarball, Limits::for_tarball(tarball.len()))
}

fn refused(entries: &[Vec<u8>], why: &str) {
    let (_temp, result) = unpack(&gzip(&archive(entries)));
    let error = result.err().unwrap_or_else(|| panic!("{why}: was accepted"));
    assert_eq!(error.code, Code::Tarball, "{why}: {error}");
    assert!(error.message.contains(why), "{why}: {error}");
}

#[test]
fn forms_of_names() {
    let long = format!("package/{}/x.js", "d".repeat(150));
    let mut prefixed = entry(b"name.js", b'0', b"", 0o644, b"prefix");
    prefixed[345..345 + 13].copy_from_slice(b"package/deep/");
    prefixed[345 + 12] = 0;
    seal(&mut prefixed[..512]);
    let tarball = gzip(&archive(&[
        file("package/package.json", b"{}"),
        entry(b"package/dir/", b'5', b"", 0o755, b""),
        entry(b"package/bin/run", b'0', b"", 0o755, b"#!/usr/bin/env node\r\nx\n"),
        pax("path", long.as_bytes()),
        file("short", b"pax"),
        entry(b"././@LongLink", b'L', b"", 0, [long.replace("x.js", "y.js").as_bytes(), b"\0"].concat().as_slice()),
        file("short", b"gnu"),
        prefixed,
        file("other-top/./z.js", b"first"),
        file("other-top/z.js", b"second"),
        file("toplevel", b"dropped"),
    ]));
    let (temp, result) = unpack(&tarball);
    let extracted = result.expect("unpacks");
    let found = contents(&temp.path("in"));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let dir = "d".repeat(150);
    assert_eq!(
        names,
        ["bin/run", &format!("{dir}/x.js"), &format!("{dir}/y.js"), "deep/name.js", "package.json", "z.js"]
    );
    assert_eq!(found[5].1, b"second", "the last of two entries counts");
    assert_eq!((extracted.files, extracted.package_json.as_deref()), (6, Some(b"{}".as_slice())));
    assert!(temp.path("in/dir").is_dir());
    let mode = std::fs::metadata(temp.path("in/bin/run")).expect("file").permissions().mode();
    assert_eq!(mode & 0o111, 0o111 & mode, "executable");
    let flags = extract::files(&extracted.listing.files).find(|(_, name)| *name == c"bin/run").map(|(flags, _)| flags);
    assert_eq!(flags, Some(EXECUTABLE | CRLF_SHEBANG));
    assert!(extracted.listing.manifest);
}

#[test]
fn ways_out_are_refused() {
    refused(&[file("package/../../x", b"x")], "leaves the package");
    refused(&[file("../x", b"x")], "leaves the package");
    refused(&[file("package/a/..", b"x")], "leaves the package");
    refused(&[file("/etc/x", b"x")], "absolute");
    refused(&[pax("path", b"package/a\0b"), file("x", b"x")], "NUL");
    refused(&[entry(b"package/l", b'2', b"../../x", 0o644, b"")], "link that leaves");
    refused(&[entry(b"package/l", b'2', b"/etc/passwd", 0o644, b"")], "link that leaves");
    refused(&[entry(b"package/l", b'1', b"../x", 0o644, b"")], "leaves the package");
    refused(&[entry(b"package/dev", b'3', b"", 0o644, b"")], "device");
    refused(&[entry(b"package/fifo", b'6', b"", 0o644, b"")], "device");
    refused(&[entry(b"package/sparse", b'S', b"", 0o644, b"")], "sparse");
}

#[test]
fn links_inside_are_made_last() {
    let (temp, result) = unpack(&gzip(&archive(&[
        file("package/real/a.js", b"a"),
        entry(b"package/link", b'2', b"real/a.js", 0o644, b""),
        entry(b"package/hard", b'1', b"package/real/a.js", 0o644, b""),
    ])));
    assert!(result.expect("unpacks").listing.links);
    assert_eq!(std::fs::read(temp.path("in/link")).expect("link"), b"a");
    assert_eq!(std::fs::read(temp.path("in/hard")).expect("link"), b"a");
    // A file through a link: the directory is made as one, and the link then has no place.
    let (temp, result) =
        unpack(&gzip(&archive(&[entry(b"package/d", b'2', b"real", 0o644, b""), file("package/d/x.js", b"x")])));
    assert!(result.is_err());
    assert!(!temp.path("in/real").exists());
}

#[test]
fn trailers_that_lie() {
    let good = package("a", "1.0.0", 40);
    let expected = {
        let (temp, result) = unpack(&good);
        result.expect("unpacks");
        contents(&temp.path("in"))
    };
    for isize in [0u32, 17, 1000, 60 << 20, 64 << 20, u32::MAX] {
        let mut lying = good.clone();
        let end = lying.len() - 4;
        lying[end..].copy_from_slice(&isize.to_le_bytes());
        // The length is part of the format: the stream is damaged, but neither memory nor time is lost over it.
        let (_temp, result) = unpack(&lying);
        assert_eq!(result.err().map(|error| error.code), Some(Code::Tarball), "{isize}");
    }
    // Two members: the trailer is that of the second.
    let plain = {
        let mut out = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(good.as_slice()), &mut out).expect("inflate");
        out
    };
    for cut in [1, 511, 512, 700, plain.len() - 1] {
        let two = [gzip(&plain[..cut]), gzip(&plain[cut..])].concat();
        let (temp, result) = unpack(&two);
        result.expect("two members");
        assert_eq!(contents(&temp.path("in")), expected);
    }
    for garbage in [&b"\0\0\0\0\0\0\0\0"[..], b"some text after the end"] {
        let (temp, result) = unpack(&[good.as_slice(), garbage].concat());
        result.expect("trailing bytes are ignored");
        assert_eq!(contents(&temp.path("in")), expected);
    }
    let (temp, result) = unpack(&plain);
    result.expect("an archive that is not compressed");
    assert_eq!(contents(&temp.path("in")), expected);
}

#[test]
fn bombs_are_refused() {
    let limits = Limits { bytes: 1 << 20, entries: 100, links: true };
    let big = gzip(&archive(&[file("package/zeros", &vec![0; 8 << 20])]));
    assert!(big.len() < 256 << 10);
    let error = unpack_with(&big, limits).1.err().expect("refused");
    assert_eq!(error.code, Code::Tarball);
    assert!(error.message.contains("unpacks to more than 1 MiB"), "{error}");
    // A header that announces more than it has.
    let mut huge = file("package/x", b"x");
    huge[124..136].copy_from_slice(b"77777777777\0");
    seal(&mut huge[..512]);
    assert!(unpack(&gzip(&archive(&[huge]))).1.err().expect("refused").message.contains("unpacks to more"));
    let many: Vec<Vec<u8>> = (0..200).map(|number| file(&format!("package/{number}"), b"")).collect();
    assert!(unpack_with(&gzip(&archive(&many)), limits).1.err().expect("refused").message.contains("entries"));
}

#[test]
fn truncated_archives_are_errors() {
    let good = package("a", "1.0.0", 12);
    for end in 0..good.len() {
        assert!(unpack(&good[..end]).1.is_err(), "cut at {end} of {}", good.len());
    }
}

#[test]
fn integrity() {
    let good = package("a", "1.0.0", 3);
    let right = digest::sha512(&good);
    assert!(digest::verify(&right, &good).is_ok());
    assert_eq!(digest::verify(&right, &good[1..]).err().map(|error| error.code), Some(Code::Integrity));
}

/// Whatever the bytes: an error or a result, never a panic, nothing outside.
#[test]
fn mutated_archives() {
    let entries = [
        file("package/package.json", b"{\"name\":\"a\"}"),
        pax("path", b"package/some/long/name.js"),
        file("short", b"content of the file"),
        entry(b"././@LongLink", b'L', b"", 0, b"package/another/name.js\0"),
        file("short", &[7; 1500]),
        entry(b"package/l", b'2', b"short", 0o644, b""),
        entry(b"package/h", b'1', b"package/package.json", 0o644, b""),
    ];
    let plain = archive(&entries);
    let mut random = Random(0x5EED);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..600 {
        let mut bytes = plain.clone();
        for _ in 0..=random.below(4) {
            let block = random.below(bytes.len() / 512) * 512;
            match random.below(5) {
                0 => {
                    let at = random.below(bytes.len());
                    bytes[at] = random.next() as u8;
                }
                1 => bytes.truncate(random.below(bytes.len()).max(1)),
                // A byte of a header, with the checksum put right.
                2 | 3 if block + 512 <= bytes.len() => {
                    let at = block + random.below(345);
                    bytes[at] =
                        *[0, b'0', b'7', b'/', b'.', 0xff, 0x80, b'x', b'L', b'5'].get(random.below(10)).unwrap_or(&0);
                    seal(&mut bytes[block..block + 512]);
                }
                _ => {
                    let copy = bytes[block..(block + 512).min(bytes.len())].to_vec();
                    let at = random.below(bytes.len() / 512) * 512;
                    bytes.splice(at..at, copy);
                }
            }
            if bytes.len() < 512 {
                break;
            }
        }
        let tarball = if round % 2 == 0 { gzip(&bytes) } else { bytes };
        match unpack(&tarball).1 {
            Ok(_) => accepted += 1,
            Err(_) => rejected += 1,
        }
    }
    assert!(accepted > 30 && rejected > 30, "{accepted} accepted, {rejected} rejected");
    let packed = gzip(&plain);
    for _ in 0..400 {
        let mut bytes = packed.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        let _ = unpack(&bytes).1;
    }
}

/// The fuzzer's property over mutated archives; `BAO_FUZZ_SECONDS` makes it longer.
#[test]
fn fuzz_properties() {
    let seconds: u64 = std::env::var("BAO_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let seed = std::env::var("BAO_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0xBA0);
    let start = std::time::Instant::now();
    let mut random = Random(seed);
    let mut corpus = vec![
        archive(&[file("package/package.json", b"{}"), pax("path", b"package/long/name"), file("x", &[1; 700])]),
        archive(&[pax("size", b"3"), file("package/x", b"abc"), entry(b"package/l", b'2', b"x", 0, b"")]),
        archive(&[
            entry(b"././@LongLink", b'L', b"", 0, b"package/long\0"),
            file("x", b"y"),
            entry(b"g", b'g', b"", 0, b"9 a=bcde\n"),
        ]),
    ];
    corpus.push(gzip(&corpus[0]));
    corpus.push([gzip(&corpus[1]), gzip(&corpus[2])].concat());
    let mut rounds = 0u64;
    while start.elapsed().as_secs() < seconds {
        let mut bytes = corpus[random.below(corpus.len())].clone();
        for _ in 0..=random.below(6) {
            let length = bytes.len().max(1);
            match random.below(7) {
                0 if !bytes.is_empty() => bytes[random.below(length)] = random.next() as u8,
                1 if !bytes.is_empty() => bytes[random.below(length)] ^= 1 << random.below(8),
                2 => bytes.truncate(random.below(length)),
                3 => {
                    let other = &corpus[random.below(corpus.len())];
                    let (from, to) = (random.below(other.len()), random.below(length));
                    let end = (from + random.below(1024)).min(other.len());
                    let piece = other[from..end].to_vec();
                    bytes.splice(to.min(bytes.len())..to.min(bytes.len()), piece);
                }
                4 if bytes.len() >= 512 => {
                    let block = random.below(bytes.len() / 512) * 512;
                    seal(&mut bytes[block..block + 512]);
                }
                5 if bytes.len() >= 512 => {
                    let at = random.below(bytes.len() / 512) * 512 + [0, 100, 124, 156, 157, 257, 345][random.below(7)];
                    let words: [&[u8]; 8] =
                        [b"7777777", b"\x80\0\0\0\0\0\0\xff", b"../", b"/", b"x", b"L", b"00000000010\0", b"ustar\0"];
                    let word = words[random.below(8)];
                    for (offset, &byte) in word.iter().enumerate() {
                        if let Some(place) = bytes.get_mut(at + offset) {
                            *place = byte;
                        }
                    }
                    let block = at / 512 * 512;
                    if bytes.len() >= block + 512 {
                        seal(&mut bytes[block..block + 512]);
                    }
                }
                _ => bytes.extend_from_slice(&[0; 512]),
            }
        }
        crate::store::tarball::fuzz::tarball(&bytes);
        rounds += 1;
        if rounds.is_multiple_of(64) && bytes.len() < 64 << 10 && corpus.len() < 500 {
            corpus.push(bytes);
        }
    }
    println!("{rounds} archives");
}
