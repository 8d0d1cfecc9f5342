//! Helpers of the unit tests: tar archives, temporary directories, random numbers with a seed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that is removed at the end of the test.
pub(crate) struct Temp(pub PathBuf);

impl Temp {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bao-test-{name}-{}-{count}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("temporary directory");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A tmpfs of a few KiB; nothing where mounting is not allowed.
pub(crate) struct SmallDisk(pub PathBuf);

impl SmallDisk {
    pub(crate) fn new(at: &Path, kib: u32) -> Option<Self> {
        std::fs::create_dir_all(at).ok()?;
        let done = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"])
            .arg(at)
            .stderr(std::process::Stdio::null())
            .status();
        done.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }

    pub(crate) fn read_only(&self) -> bool {
        let done = std::process::Command::new("mount").args(["-o", "remount,ro"]).arg(&self.0).status();
        done.is_ok_and(|status| status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// xorshift64*.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// One header with its content.
pub(crate) fn entry(name: &[u8], kind: u8, link: &[u8], mode: u32, content: &[u8]) -> Vec<u8> {
    let mut block = [0u8; 512];
    block[..name.len().min(100)].copy_from_slice(&name[..name.len().min(100)]);
    block[100..107].copy_from_slice(format!("{mode:07o}").as_bytes());
    block[108..115].copy_from_slice(b"0000000");
    block[116..123].copy_from_slice(b"0000000");
    block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    block[136..147].copy_from_slice(b"00000000000");
    block[156] = kind;
    block[157..157 + link.len()].copy_from_slice(link);
    block[257..265].copy_from_slice(b"ustar\x0000");
    seal(&mut block);
    let mut out = block.to_vec();
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

/// Writes the checksum of a header.
pub(crate) fn seal(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u32 = block[..512].iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

pub(crate) fn file(name: &str, content: &[u8]) -> Vec<u8> {
    entry(name.as_bytes(), b'0', b"", 0o644, content)
}

/// A pax header with one record.
pub(crate) fn pax(key: &str, value: &[u8]) -> Vec<u8> {
    let mut length = key.len() + value.len() + 3;
    loop {
        let next = key.len() + value.len() + 3 + length.to_string().len();
        if next == length {
            break;
        }
        length = next;
    }
    let mut record = format!("{length} {key}=").into_bytes();
    record.extend_from_slice(value);
    record.push(b'\n');
    entry(b"PaxHeader", b'x', b"", 0o644, &record)
}

/// The entries with the end mark.
pub(crate) fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut out = entries.concat();
    out.resize(out.len() + 1024, 0);
    out
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("compress");
    encoder.finish().expect("compress")
}

/// A package with some files.
pub(crate) fn package(name: &str, version: &str, files: usize) -> Vec<u8> {
    let manifest = format!("{{\"name\":\"{name}\",\"version\":\"{version}\"}}");
    let mut entries = vec![file("package/package.json", manifest.as_bytes())];
    for number in 0..files {
        let content = format!("{name} {number}\n").repeat(number % 50 + 1);
        entries.push(file(&format!("package/lib/{}/{number}.js", number % 5), content.as_bytes()));
    }
    gzip(&archive(&entries))
}

/// Every file below a directory with its content; links as their target.
pub(crate) fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(dir: &Path, prefix: &str, out: &mut Vec<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().expect("type");
            if kind.is_dir() {
                walk(&entry.path(), &format!("{name}/"), out);
            } else if kind.is_symlink() {
                let target = std::fs::read_link(entry.path()).expect("link");
                out.push((name, format!("-> {}", target.display()).into_bytes()));
            } else {
                out.push((name, std::fs::read(entry.path()).expect("file")));
            }
        }
    }
    let mut out = Vec::new();
    walk(dir, "", &mut out);
    out.sort();
    out
}
