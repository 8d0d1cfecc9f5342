//! What is written is read back; what is damaged gives errors; paths are walked as the kernel walks them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;

use crate::archive::exercise_open as exercise;
use crate::exercise as exercise_bytes;
use crate::{Archive, Damage, INDEX, Kind, Place, Writer, cat, extract, find, record, write_atomically};

struct TempDir(PathBuf);

impl TempDir {
    fn new() -> TempDir {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("bao-store-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        TempDir(std::fs::canonicalize(dir).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn text(&self, name: &str) -> Vec<u8> {
        format!("{}/{name}", self.0.display()).into_bytes()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn package() -> Vec<u8> {
    let mut writer = Writer::new();
    assert!(writer.add(b"package.json", Kind::File, 0o644, b"{\"name\":\"p\"}"));
    assert!(writer.add(b"lib/deep/a.js", Kind::File, 0o644, b"module.exports = 1;\n"));
    assert!(writer.add(b"lib/A.js", Kind::File, 0o755, b"upper"));
    assert!(writer.add(b"lib/a.js", Kind::File, 0o644, b"lower"));
    assert!(writer.add(b"lib/empty", Kind::File, 0o644, b""));
    assert!(writer.add(b"link.js", Kind::Link, 0o777, b"lib/deep/../a.js"));
    assert!(writer.add(b"loop", Kind::Link, 0o777, b"loop"));
    let (head, data) = writer.finish();
    [head, data].concat()
}

#[test]
fn reads_what_it_wrote() {
    let archive = Archive::from_bytes(package()).unwrap();
    let get = |name: &str| archive.content(&archive.get(name.as_bytes()).unwrap()).unwrap();
    assert_eq!(get("lib/A.js"), b"upper");
    assert_eq!(get("lib/a.js"), b"lower");
    assert_eq!(get("lib/empty"), b"");
    assert_eq!(get("package.json").as_ptr() as usize % 8, get("lib/a.js").as_ptr() as usize % 8);
    assert_eq!(archive.get(b"lib/A.js").unwrap().mode, 0o755);
    for missing in ["lib/b.js", "li", "lib/", "lib/deep/a.js/x", "\0"] {
        assert!(archive.get(missing.as_bytes()).is_none(), "{missing:?}");
    }
    let names = |dir: &str| {
        let dir = archive.get(dir.as_bytes()).unwrap();
        archive
            .children(&dir)
            .map(|entry| String::from_utf8_lossy(archive.name(&entry)).into_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["lib", "link.js", "loop", "package.json"]);
    assert_eq!(names("lib"), ["lib/A.js", "lib/a.js", "lib/deep", "lib/empty"]);
    assert_eq!(names("lib/deep"), ["lib/deep/a.js"]);
    assert_eq!(archive.verify(), Ok(()));
}

#[test]
fn names_that_are_refused() {
    let mut writer = Writer::new();
    for name in ["", "/a", "a/", "a//b", "../a", "a/./b", "a\0b"] {
        assert!(!writer.add(name.as_bytes(), Kind::File, 0o644, b""), "{name:?}");
    }
    assert!(writer.add(b"a", Kind::File, 0o644, b"1"));
    assert!(!writer.add(b"a/b", Kind::File, 0o644, b""));
    assert!(writer.add(b"d/b", Kind::File, 0o644, b""));
    assert!(!writer.add(b"d", Kind::File, 0o644, b""));
    assert!(writer.add(b"a", Kind::File, 0o644, b"2"));
    let (head, data) = writer.finish();
    let archive = Archive::from_bytes([head, data].concat()).unwrap();
    assert_eq!(archive.content(&archive.get(b"a").unwrap()), Ok(&b"2"[..]));
}

#[test]
fn many_files() {
    let mut writer = Writer::new();
    for i in 0..100_000 {
        assert!(writer.add(format!("d{}/f{i}", i % 97).as_bytes(), Kind::File, 0o644, &i32::to_le_bytes(i)));
    }
    let (head, data) = writer.finish();
    let archive = Archive::from_bytes([head, data].concat()).unwrap();
    for i in (0..100_000).step_by(37) {
        let entry = archive.get(format!("d{}/f{i}", i % 97).as_bytes()).unwrap();
        assert_eq!(archive.content(&entry), Ok(&i32::to_le_bytes(i)[..]));
    }
}

#[test]
fn every_flipped_byte_is_found() {
    let good = package();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x11;
        if let Ok(archive) = Archive::from_bytes(bad)
            && exercise(&archive)
        {
            // The padding between two files is nobody's content.
            assert_eq!(good[at], 0, "byte {at}");
        }
    }
}

#[test]
fn every_length_is_found() {
    let good = package();
    for end in 0..good.len() {
        assert!(Archive::from_bytes(good[..end].to_vec()).is_err());
    }
    assert_eq!(Archive::from_bytes([good, vec![0]].concat()).err(), Some(Damage::Truncated));
}

/// Damaged index with right checksums: what somebody could write on purpose.
#[test]
fn hostile_indexes() {
    let good = package();
    let data = u64::from_le_bytes(good[24..32].try_into().unwrap()) as usize;
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for _ in 0..20_000 {
        let mut bad = good.clone();
        for _ in 0..1 + random() % 4 {
            let at = 8 + random() as usize % (data - 8);
            bad[at] = if random() % 2 == 0 { 0xFF } else { random() as u8 };
        }
        let start = u64::from_le_bytes(bad[24..32].try_into().unwrap()) as usize;
        if let Some(index) = bad.get(64..start) {
            let sum = xxhash_rust::xxh3::xxh3_64(index);
            bad[32..40].copy_from_slice(&sum.to_le_bytes());
        }
        let sum = xxhash_rust::xxh3::xxh3_64(&bad[..56]);
        bad[56..64].copy_from_slice(&sum.to_le_bytes());
        if let Ok(archive) = Archive::from_bytes(bad) {
            exercise(&archive);
        }
    }
}

#[test]
fn writers_replace_whole_files() {
    let dir = TempDir::new();
    let path = dir.path("a");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    write_atomically(&path, &[&package()]).unwrap();
                    Archive::open(&path).unwrap().verify().unwrap();
                }
            });
        }
    });
    assert_eq!(std::fs::read_dir(&dir.0).unwrap().count(), 1);
    let archive = Archive::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(exercise(&archive), "a deleted archive stays readable");
}

/// A project with one package in an archive, one on the disk, and a link out.
fn project(dir: &TempDir) {
    let store = dir.path("cache");
    std::fs::create_dir_all(&store).unwrap();
    std::fs::create_dir_all(dir.path("app/node_modules/.bun/real@1/node_modules/real")).unwrap();
    std::fs::write(dir.path("app/node_modules/.bun/real@1/node_modules/real/index.js"), "real").unwrap();
    std::fs::write(dir.path("app/main.js"), "main").unwrap();
    std::fs::write(store.join("p.bao"), package()).unwrap();
    let mut writer = Writer::new();
    let mount = store.join("p.bao");
    let entry = |name: &str| format!(".bun/{name}");
    assert!(writer.add(
        entry("p@1/node_modules/p").as_bytes(),
        Kind::Mount,
        0o755,
        mount.as_os_str().as_encoded_bytes()
    ));
    assert!(writer.add(b".bun/closed@1", Kind::Dir, crate::CLOSED, b""));
    assert!(writer.add(b".bun/closed@1/p", Kind::Link, 0o777, b"../p@1/node_modules/p"));
    assert!(writer.add(entry("q@1/node_modules/p").as_bytes(), Kind::Link, 0o777, b"../../p@1/node_modules/p"));
    assert!(writer.add(entry("real@1/node_modules/real").as_bytes(), Kind::Real, 0o755, b""));
    assert!(writer.add(entry("gone@1/node_modules/gone").as_bytes(), Kind::Mount, 0o755, b"/nowhere"));
    assert!(writer.add(b"p", Kind::Link, 0o777, b".bun/p@1/node_modules/p"));
    assert!(writer.add(b"real", Kind::Link, 0o777, b".bun/real@1/node_modules/real"));
    assert!(writer.add(b"member", Kind::Link, 0o777, b"../packages/member"));
    let (head, data) = writer.finish();
    write_atomically(&dir.path("app/node_modules").join(INDEX), &[&head, &data]).unwrap();
}

#[test]
fn paths_are_walked() {
    let dir = TempDir::new();
    project(&dir);
    let modules = String::from_utf8(dir.text("app/node_modules")).unwrap();
    let show = |path: &str, follow: bool| match find(&dir.text(path), follow) {
        Place::Os => "os".to_owned(),
        Place::At(path) => format!("at {}", String::from_utf8(path).unwrap().replace(&modules, "M")),
        Place::Missing(errno) => format!("{errno:?}"),
        Place::Node(node) => {
            let path = String::from_utf8(node.path.clone()).unwrap().replace(&modules, "M");
            format!("{:?} {path}", node.kind())
        }
    };
    let inside = "M/.bun/p@1/node_modules/p";
    assert_eq!(show("app/main.js", true), "os");
    assert_eq!(show("app/node_modules/p", true), format!("Dir {inside}"));
    assert_eq!(show("app/node_modules/p", false), "Link M/p");
    assert_eq!(show("app/node_modules/p/", false), format!("Dir {inside}"));
    assert_eq!(show("app//node_modules//p/./lib//a.js", true), format!("File {inside}/lib/a.js"));
    assert_eq!(show("app/node_modules/p/link.js", true), format!("File {inside}/lib/a.js"));
    assert_eq!(show("app/node_modules/p/link.js", false), format!("Link {inside}/link.js"));
    assert_eq!(show("app/node_modules/p/lib/../package.json", true), format!("File {inside}/package.json"));
    assert_eq!(show("app/node_modules/p/../p/lib", true), format!("Dir {inside}/lib"));
    assert_eq!(show("app/node_modules/.bun/q@1/node_modules/p/lib", true), format!("Dir {inside}/lib"));
    assert_eq!(show("app/node_modules/.bun/q@1/node_modules", true), "Dir M/.bun/q@1/node_modules");
    assert_eq!(show("app/node_modules", true), "Dir M");
    assert_eq!(show("app/node_modules/p/nothing", true), format!("{:?}", Errno::NOENT));
    assert_eq!(show("app/node_modules/p/lib/a.js/x", true), format!("{:?}", Errno::NOTDIR));
    assert_eq!(show("app/node_modules/p/lib/a.js/", true), format!("{:?}", Errno::NOTDIR));
    assert_eq!(show("app/node_modules/p/loop", true), format!("{:?}", Errno::LOOP));
    assert_eq!(show("app/node_modules/.bun/gone@1/node_modules/gone/x", true), format!("{:?}", Errno::IO));
    assert_eq!(show("app/node_modules/.cache/x", true), "os");
    assert_eq!(show("app/node_modules/.bun/closed@1/p/lib", true), format!("Dir {inside}/lib"));
    assert_eq!(show("app/node_modules/.bun/closed@1/x", true), format!("{:?}", Errno::NOENT));
    assert_eq!(show("app/node_modules/.bun/open@1/x", true), "os");
    assert_eq!(show("app/node_modules/real/index.js", true), "at M/.bun/real@1/node_modules/real/index.js");
    assert_eq!(show("app/node_modules/.bun/real@1/node_modules/real", true), "os");
    let app = modules.trim_end_matches("/node_modules").to_owned();
    assert_eq!(show("app/node_modules/member/x", true).replace(&app, "A"), "at A/packages/member/x");
    assert_eq!(show("app/node_modules/p/../../../../../main.js", true).replace(&app, "A"), "at A/main.js");
    std::os::unix::fs::symlink("app", dir.path("other")).unwrap();
    assert_eq!(show("other/node_modules/p/lib/a.js", true), format!("File {inside}/lib/a.js"));
    assert_eq!(cat(&dir.text("app/node_modules/p/lib/A.js")), Some(Ok(b"upper"[..].into())));
    assert_eq!(cat(&dir.text("app/node_modules/p/lib")), Some(Err(Errno::ISDIR)));
    assert_eq!(cat(&dir.text("app/node_modules/real/index.js")), Some(Ok(b"real"[..].into())));
    assert_eq!(cat(&dir.text("app/main.js")), None);
    let Place::Node(node) = find(&dir.text("app/node_modules/p/lib/A.js"), true) else { panic!("is there") };
    assert_eq!(node.mode(), 0o100_555);
    assert_eq!(std::fs::read(extract(&node).unwrap()).unwrap(), b"upper");
    let Place::Node(node) = find(&dir.text("app/node_modules"), true) else { panic!("is there") };
    let names: Vec<_> = node.children().map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect();
    assert_eq!(names, [".bun", "member", "p", "real"]);
}

/// A project of packages whose archives have names with digests, as an install writes them.
fn named_packages(dir: &TempDir, count: usize) -> Vec<Vec<u8>> {
    let store = dir.path("cache");
    std::fs::create_dir_all(&store).unwrap();
    std::fs::create_dir_all(dir.path("recorded/node_modules")).unwrap();
    let mut writer = Writer::new();
    let mut files = Vec::new();
    for number in 0..count {
        let mount = store.join(format!("p{number}@1.0.0@@@1-0123456789abcde{number:x}.bao"));
        std::fs::write(&mount, package()).unwrap();
        let name = format!("p{number}");
        assert!(writer.add(name.as_bytes(), Kind::Mount, 0o755, mount.as_os_str().as_encoded_bytes()));
        files.push(dir.text(&format!("recorded/node_modules/{name}/lib/a.js")));
    }
    let (head, data) = writer.finish();
    write_atomically(&dir.path("recorded/node_modules").join(INDEX), &[&head, &data]).unwrap();
    files
}

/// The one test of the process that begins a record.
#[test]
fn a_record_has_what_was_read() {
    let dir = TempDir::new();
    let files = named_packages(&dir, 8);
    let file = dir.path("programs/record");
    record::begin(file.clone());
    // Found without being announced: the path names node_modules.
    for path in &files {
        assert_eq!(cat(path), Some(Ok(b"lower"[..].into())));
    }
    assert!(record::code(7).is_none());
    record::keep_code(7, b"code".to_vec());
    record::finish();
    let whole = std::fs::read(&file).unwrap();
    let names = |archive: &Archive| {
        let files = archive.entries().filter(|entry| entry.kind == Kind::File);
        files.map(|entry| String::from_utf8_lossy(archive.name(&entry)).into_owned()).collect::<Vec<_>>()
    };
    let archive = Archive::open(&file).unwrap();
    assert!(exercise(&archive));
    let names = names(&archive);
    assert_eq!(names.iter().filter(|name| name.ends_with("/i")).count(), 8, "{names:?}");
    assert_eq!(names.iter().filter(|name| name.contains("/f/")).count(), 8);
    assert!(names.contains(&format!("c/{:032x}", 7)));

    // One that others can write to is not trusted.
    let mode = |mode| std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    mode(0o664);
    assert_eq!(record::open_private(&file).unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
    mode(0o644);
    assert!(record::open_private(&file).is_ok());

    // Without the archives: what the record has is read, the rest is not there; damage is never given out.
    std::fs::remove_dir_all(dir.path("cache")).unwrap();
    let path: &'static [u8] = dir.text("cache/p3@1.0.0@@@1-0123456789abcde3.bao").leak();
    let read = |bytes: Vec<u8>| {
        let record: &'static Archive = Box::leak(Box::new(Archive::from_bytes(bytes).ok()?));
        let archive = record::archive_of(record, path)?;
        let content = |name: &str| archive.content(&archive.get(name.as_bytes()).unwrap()).map(<[u8]>::to_vec);
        assert_eq!(content("lib/A.js"), Err(Damage::Gone));
        Some(content("lib/a.js"))
    };
    assert_eq!(read(whole.clone()), Some(Ok(b"lower".to_vec())));
    for at in (0..whole.len()).step_by(3) {
        let mut bad = whole.clone();
        bad[at] ^= 0x20;
        match read(bad) {
            None | Some(Err(Damage::Gone)) => {}
            found => assert_eq!(found, Some(Ok(b"lower".to_vec())), "byte {at}"),
        }
    }
}

/// Bytes that are no archive, or nearly one, from a seed: what the fuzzer of `fuzz/` does, bounded. `BAO_FUZZ_SECONDS` makes it longer.
#[test]
fn fuzzed() {
    let limit = std::env::var("BAO_FUZZ_SECONDS").ok().and_then(|text| text.parse::<u64>().ok());
    let start = std::time::Instant::now();
    let good = package();
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % below.max(1)
    };
    let mut rounds = 0u64;
    while limit.map_or(rounds < 20_000, |seconds| start.elapsed().as_secs() < seconds) {
        rounds += 1;
        let mut bytes = good.clone();
        for _ in 0..1 + random(6) {
            let at = random(bytes.len());
            match random(6) {
                0 => bytes.truncate(at),
                1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][random(5)],
                2 => bytes[at] = random(256) as u8,
                3 => {
                    let length = random(32).min(bytes.len() - at);
                    let copied = bytes[at..at + length].to_vec();
                    let to = random(bytes.len() + 1);
                    bytes.splice(to..to, copied);
                }
                4 => {
                    let end = (at + random(16)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {
                    let value = [0u64, 1, u64::MAX, 1 << 31, good.len() as u64, 40][random(6)].to_le_bytes();
                    for (place, byte) in bytes[at..].iter_mut().zip(value) {
                        *place = byte;
                    }
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        exercise_bytes(&bytes);
    }
    println!("{rounds} archives");
}
